"""The picture of a measure's user by default: what each document, or other part of the score, contributes to it; names in pictures."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx.errors import DataError
from irmx.text import visible

if TYPE_CHECKING:
    from irmx.rank.rankings import Rankings


_LONGEST = 36


def picture_text(name: Any, width: int | None = None) -> str:
    r"""Return a name as text of a picture: visible, with no formulas, and as short as there is room for.

    Parameters
    ----------
    name : any
        The name, such as that of a run, a topic or a measure.
    width : int, optional
        The number of characters of a line, for a text of up to 3 lines that end after a comma where possible; by default one line,
        shortened in the middle to 36 characters.

    Examples
    --------
    >>> import irmx
    >>> print(irmx.toolkit.picture_text("price $5$"))
    price \$5\$
    >>> irmx.toolkit.picture_text("MP(model=GL_AD_LID,rescale='recall')", width=24)
    "MP(model=GL_AD_LID,\nrescale='recall')"
    """
    text = visible(str(name))
    if width is not None:
        text = "\n".join(textwrap.wrap(text.replace(",", ", "), width, max_lines=3, placeholder="…")).replace(", ", ",")
    elif len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]}…{text[-_LONGEST // 2 + 1 :]}"
    return text.replace("$", r"\$")


_ROWS = 25
"""Of a table, so many rows are drawn, those that contribute most."""

_FEW_RANKS = 60
"""So many ranks have bars; more have lines, over the logarithm of the rank."""


class NothingToDrawError(DataError):
    """No document contributes to the score of the topic."""


def draw_contributions(columns: Mapping[str, Any], rankings: Rankings, ax: Any) -> None:
    """Draw the columns that :meth:`irmx.Measure.contributions` returns for one topic."""
    is_over_ranks = "doc_id" not in columns
    # rows of their own may be of a run with repeated documents, which has no ranking
    ranks = np.asarray((columns.get("documents") or rankings.relevant).rank if is_over_ranks else ())
    count = len(ranks if is_over_ranks else columns["doc_id"])
    if np.shape(columns.get("contribution", ())) != (count,) or not count:
        raise NothingToDrawError(
            f"There is nothing to draw for topic {rankings.topics[0]!r}: no document of the run contributes to the score."
        )
    if is_over_ranks:
        _draw_over_ranks(ranks, columns, rankings, ax)
    else:
        _draw_rows(columns, ax)


def _draw_over_ranks(ranks: Any, columns: Mapping[str, Any], rankings: Rankings, ax: Any) -> None:
    """Draw the contribution of the document at each rank, as a part of its weight where it is one."""
    contribution, weight = np.asarray(columns["contribution"], dtype=float), columns.get("weight")
    last = max(ranks.max(), *rankings.relevant.rank.tolist(), 1)
    if weight is not None and np.all(np.asarray(weight) >= contribution - 1e-12):
        _bars(ax, ranks, np.asarray(weight), last, "weight", color="white", edgecolor="C0")
    _bars(ax, ranks, contribution, last, "contribution", color="C0", edgecolor="C0")
    relevant = rankings.relevant.rank
    ax.plot(
        relevant, np.full(len(relevant), -0.035), "^", color="C1", markersize=5 if last <= _FEW_RANKS else 3, clip_on=False,
        transform=ax.get_xaxis_transform(), label="relevant document",
    )  # fmt: skip
    ax.axhline(0, color="black", linewidth=0.8)
    if last > _FEW_RANKS:
        ax.set_xscale("log")
        ax.set_xlim(0.9, last * 1.1)
        ax.xaxis.set_major_formatter("{x:g}")
    else:
        ax.set_xlim(0.3, last + 0.7)
        ax.xaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)
    ax.tick_params(axis="x", pad=8)
    ax.ticklabel_format(axis="y", style="plain", useOffset=False)
    ax.set_xlabel("rank")
    ax.set_ylabel("contribution to the score")


def _bars(ax: Any, x: Any, height: Any, last: int, label: str, **colours: str) -> None:
    """Draw bars up to a last rank; lines if there are many ranks, of which empty ones end in a ring."""
    if last <= _FEW_RANKS:
        ax.bar(x, height, width=0.8, linewidth=1, label=label, **colours)
        return
    is_empty = colours["color"] == "white"
    ax.vlines(x, 0, height, color=colours["edgecolor"], linewidth=0.7 if is_empty else 1.8)
    ax.plot(x, height, "o", markersize=3, label=label, color=colours["edgecolor"], markerfacecolor=colours["color"])


def _draw_rows(columns: Mapping[str, Any], ax: Any) -> None:
    """Draw the contributions of the rows of a table that is not over ranks, the largest on top."""
    contribution = np.asarray(columns["contribution"], dtype=float)
    order = np.argsort(-np.abs(contribution), kind="stable")
    shown, rest = order[:_ROWS], order[_ROWS:]
    names = [name for name, values in columns.items() if isinstance(np.asarray(values)[0], (str, np.integer))]
    labels = [", ".join(picture_text(np.asarray(columns[name])[i]) for name in names[:3]) for i in shown.tolist()]
    heights = contribution[shown].tolist()
    if len(rest):
        labels.append(f"{len(rest)} others together")
        heights.append(float(contribution[rest].sum()))
    places = np.arange(len(heights))
    ax.barh(places, heights, height=0.7, color="C0")
    ax.set_yticks(places, [picture_text(label.replace(r"\$", "$")) for label in labels])
    ax.set_ylim(len(heights) - 0.4, -0.6)
    ax.axvline(0, color="black", linewidth=0.8)
    ax.set_xlabel("contribution to the score")
    ax.set_ylabel(", ".join(names[:3]))
