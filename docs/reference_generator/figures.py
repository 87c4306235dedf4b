"""Pictures: the weight that each user model gives over the ranks, from ``irmx.explain``, and those that scripts draw."""

from __future__ import annotations

import runpy
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from irmx import IrmxError, Measure, explain, registry
from irmx.toolkit import grid_of_axes, picture_bytes, picture_style, picture_text

DEPTH = 20
SOME = (1, 2, 5, 12, 20)
"""The relevant ranks of the second panel; in the first all are relevant."""


@lru_cache(maxsize=1)
def drawn() -> dict[str, dict[str, list[list[float]]]]:
    """Return, per measure that takes a user model and explains itself, the weights of every model in both panels."""
    out: dict[str, dict[str, list[list[float]]]] = {}
    for name, measure in registry().measures().items():
        for parameter, declared in measure.SUPPORTED_PARAMS.items():
            if declared.required and getattr(declared, "kind", ""):
                found = {s: _weights(measure, parameter, s) for s in registry().symbols(declared.kind)}
                weights = {s: w for s, w in found.items() if w}
                if len(weights) > 1:
                    out[name] = weights
    return out


def _weights(measure: Measure, parameter: str, symbol: str) -> list[list[float]]:
    """Return the weights in both panels; nothing for what needs further parameters."""
    out = []
    for relevant in (range(1, DEPTH + 1), SOME):
        run = {"q": {f"d{i:02d}": float(-i) for i in range(1, DEPTH + 1)}}
        qrels = {"q": {f"d{i:02d}": 1 for i in relevant}}
        try:
            columns = explain(measure(**{parameter: symbol}), qrels, run, "q").columns
        except IrmxError:
            return []
        if "weight" not in columns:
            return []
        out.append(columns["weight"])
    return out


@dataclass(frozen=True)
class Picture:
    """A picture of the documentation.

    Attributes
    ----------
    name : str
        The name of its file, without ``.svg``.
    made_by : str
        The command or the line of Python that draws such a picture.
    content : bytes
        The file.
    """

    name: str
    made_by: str
    content: bytes


def pictures(scripts: Path) -> list[Picture]:
    """Return the pictures of user models, and those of scripts.

    Parameters
    ----------
    scripts : Path
        A folder of Python files. Each has a function ``figures``, which takes ``pyplot`` and returns figures of matplotlib by
        name, and ``MADE_BY``, what a reader types for each. A guide shows the figure ``trace`` as
        ``../reference/figures/trace.svg``.
    """
    made: dict[str, Picture] = {}
    with picture_style() as plt:
        for name, weights in drawn().items():
            explained = (
                f'irmx.explain("{name}({_parameter(name)}={next(iter(weights))})", qrels, run, "q").columns["weight"]'
            )
            made[name] = Picture(name, explained, picture_bytes(_weights_over_ranks(weights)))
        for script in sorted(scripts.glob("*.py")):
            names = runpy.run_path(str(script))
            for name, figure in names["figures"](plt).items():
                if name in made:
                    raise RuntimeError(f"{script}: there is a picture {name!r} already")
                if name not in names["MADE_BY"]:
                    raise RuntimeError(f"{script}: MADE_BY does not say what a reader types for {name!r}")
                made[name] = Picture(name, names["MADE_BY"][name], picture_bytes(figure))
    return list(made.values())


def files(made: Iterable[Picture], docs: Path) -> dict[str, bytes]:
    """Return the files of the pictures by their path under ``docs/reference/``, and the gallery, a page that shows them all."""
    made = list(made)
    gallery = _GALLERY.format(cards="\n".join(_card(picture, docs) for picture in made))
    return {f"figures/{picture.name}.svg": picture.content for picture in made} | {"gallery.md": gallery.encode()}


_GALLERY = """# Gallery

Every picture of the documentation, drawn when it is built. Each links to the guide that explains it; below it is what draws
such a picture of your own data.

{{.doors .gallery}}
{cards}
"""


def _card(picture: Picture, docs: Path) -> str:
    """Return a card of the gallery; fail for a picture that no guide and no first page shows."""
    for guide in [*sorted(docs.glob("guide/*.md")), *sorted(docs.glob("first/*.md"))]:
        text = guide.read_text(encoding="utf-8")
        if f"figures/{picture.name}.svg" in text:
            link, title = f"../{guide.parent.name}/{guide.name}", text.partition("\n")[0].removeprefix("# ")
            image = f"[![{picture.name}](figures/{picture.name}.svg)]({link})"
            return f"- {image}\n  **[{title}]({link})**\n  `{picture.made_by}`"
    raise RuntimeError(f"No page shows the picture {picture.name!r}")


def _parameter(measure: str) -> str:
    """Return the parameter of a measure that takes the user model."""
    declared = registry().measures()[measure].SUPPORTED_PARAMS
    return next(name for name, param in declared.items() if param.required and getattr(param, "kind", ""))


def _weights_over_ranks(weights: dict[str, list[list[float]]]) -> Any:
    """Draw a panel per user model, with the weights where all documents are relevant, and where some are."""
    across = 3 if len(weights) > 4 else len(weights)
    rows = -(-len(weights) // across)
    panels = grid_of_axes(len(weights), across, (9, 1.9 * rows + 0.7), shared=True)
    for place, (panel, (label, (of_all, of_some))) in enumerate(zip(panels, weights.items(), strict=True)):
        panel.plot(range(1, DEPTH + 1), of_all, "o-", color="C0", markersize=3.5, linewidth=1, label="all relevant")
        some = f"relevant at {', '.join(map(str, SOME))}"
        panel.plot(SOME, of_some, "s--", color="C1", markersize=4, linewidth=1, label=some)
        panel.set_xticks([1, 5, 10, 15, 20])
        panel.set_title(picture_text(label), fontsize="medium")
        panel.set_ylabel("weight" if place % across == 0 else "")
        panel.set_xlabel("rank" if place + across >= len(weights) else "")
    panels[0].set_ylim(bottom=0)
    figure = panels[0].figure
    title = f"{DEPTH} documents:"
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=2, title=title)
    return figure
