"""A comparison as tables for reading: means with letters, and differences; below them, what was compared how."""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from irmx.toolkit import html_result, in_markdown, print_rows, visible
from irmx_study.comparison.stated_facts import has_letters

if TYPE_CHECKING:
    import pandas as pd

    from irmx_study.comparison.comparison import Comparison

SHOWN = 10
"""A notebook shows so many systems: all, or the best."""

PAIRS_SHOWN = 28
"""A table for reading shows all pairs of up to 8 systems; with more, letters tell which systems cannot be told apart."""


@dataclass(frozen=True)
class TitledRows:
    """Rows of cells under a title."""

    title: str
    rows: list[dict[str, Any]]


def tables_for_reading(comparison: Comparison, sort: str | None = None, places: int = 4) -> Iterator[TitledRows]:
    """Yield, for every measure, a table of the means, and one of the differences to each baseline, or of all pairs if few.

    Parameters
    ----------
    comparison : Comparison
        The comparison.
    sort : str, optional
        The column to sort the systems by; see :meth:`Comparison.summary`.
    places : int
        The decimal places of the ends of intervals; -1 for all.
    """
    summary, frame = comparison.summary(sort), comparison.frame()
    for measure in map(str, comparison.scores.measures):
        of_measure = summary[summary["measure"] == measure]
        yield TitledRows(measure, list(_means(comparison, of_measure.drop_duplicates("system"), places)))
        for baseline in comparison.baseline:
            of_baseline = of_measure[of_measure["baseline"] == baseline]
            if len(of_baseline):
                rows = list(_differences(comparison, of_baseline, ("system",), places))
                yield TitledRows(f"{measure}, difference to {baseline}", rows)
        pairs = frame[frame["measure"] == measure]
        if comparison.all_pairs and len(pairs) <= PAIRS_SHOWN:
            yield TitledRows(f"{measure}, a - b", list(_differences(comparison, pairs, ("a", "b"), places)))


def _means(comparison: Comparison, summary: pd.DataFrame, places: int) -> Iterator[dict[str, Any]]:
    for row in summary.to_dict("records"):
        interval = _interval(row["mean_low"], row["mean_high"], places)
        letters = {"letters": row["letters"]} if has_letters(comparison) else {}
        yield {"system": row["system"], "mean": row["mean"], _coverage(comparison): interval, **letters}


def _differences(
    comparison: Comparison, table: pd.DataFrame, names: tuple[str, ...], places: int
) -> Iterator[dict[str, Any]]:
    numbers = ("effect", "p", "p_corrected") if comparison.choices.correction.NAME != "none" else ("effect", "p")
    for row in table.to_dict("records"):
        counts = f"{row['wins']:.0f}/{row['ties']:.0f}/{row['losses']:.0f}"
        yield {
            **{name: row[name] for name in names},
            "diff": row["difference"],
            _coverage(comparison): _interval(row["low"], row["high"], places),
            **{name: row[name] for name in numbers},
            "W/T/L": counts,
        }


def _coverage(comparison: Comparison) -> str:
    return f"{comparison.choices.coverage} interval"


def _interval(low: float, high: float, places: int) -> str:
    return f"[{float(low)!r}, {float(high)!r}]" if places == -1 else f"[{low:.{places}f}, {high:.{places}f}]"


class Stated(Protocol):
    """A result that states how it was computed: a comparison, or what else is printed like one."""

    @property
    def notes(self) -> Sequence[str]:
        """What a reader must know about the data."""

    def facts(self) -> dict[str, str]:
        """Return what a table of the result must state."""


def facts_and_notes(result: Stated) -> list[tuple[str, str]]:
    """Return what stands below the tables: names of facts and what they are, then notes, with no control characters."""
    facts = [*result.facts().items(), *(("note", note) for note in result.notes)]
    return [(name, visible(text)) for name, text in facts]


def write_tables(
    comparison: Comparison, output_format: str, out: TextIO, sort: str | None = None, places: int = 4
) -> None:
    """Write the tables for reading in an output format, each under its title; to a file, with no spaces at the ends of lines."""
    text = out if out.isatty() else io.StringIO()
    for table in tables_for_reading(comparison, sort, places):
        print(visible(table.title), file=text)
        print_rows(table.rows, output_format, places=places, file=text)
    if isinstance(text, io.StringIO):
        out.writelines(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())


def write_facts(result: Stated, out: TextIO, width: int | None = None) -> None:
    """Write the facts and notes, one per line; folded to a width if there is one."""
    import textwrap

    facts = facts_and_notes(result)
    start = max((len(name) for name, _ in facts), default=0) + 2
    for name, text in facts:
        lines = textwrap.wrap(text, width - start, break_on_hyphens=False) if width and width > 2 * start else [text]
        print(f"{name:<{start}}" + f"\n{' ' * start}".join(lines), file=out)


def write_facts_below(result: Stated, output_format: str) -> None:
    """Write the facts and notes below a table, folded to the width of the terminal; for any other format to standard error."""
    out = sys.stdout if output_format == "table" else sys.stderr
    write_facts(result, out, shutil.get_terminal_size().columns if out.isatty() else None)


def in_markdown_format(comparison: Comparison, sort: str | None = None, places: int = 4) -> str:
    """Return the tables for reading, the facts and the notes in GitHub's Markdown."""
    out = io.StringIO()
    for table in tables_for_reading(comparison, sort, places):
        print(f"**{in_markdown(table.title)}**\n", file=out)
        print_rows(table.rows, "markdown", places=places, file=out)
        print(file=out)
    for name, text in facts_and_notes(comparison):
        print(f"- {name}: {in_markdown(text)}", file=out)
    return out.getvalue()


def in_html_format(comparison: Comparison, sort: str | None = None, places: int = 4, most: int | None = None) -> str:
    """Return the tables for reading, the facts and the notes as HTML that needs nothing else; tables of at most some rows."""
    tables = {table.title: table.rows for table in tables_for_reading(comparison, sort, places)}
    shown = max(map(len, tables.values())) if most is None else most
    return html_result(repr(comparison), tables, comparison.facts(), comparison.notes, places=places, most=shown)
