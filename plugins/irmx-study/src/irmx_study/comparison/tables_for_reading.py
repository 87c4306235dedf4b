"""A comparison as a table for reading, and the lines below it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from irmx_study.comparison.comparison import Comparison


def rows_for_reading(comparison: Comparison, sort: str | None = None, places: int = 4) -> list[dict[str, Any]]:
    """Return one row per measure and system, with intervals and counts as texts.

    Parameters
    ----------
    comparison : Comparison
        The comparison.
    sort : str, optional
        The column to sort by; see :meth:`Comparison.summary`.
    places : int
        The decimal places of the ends of intervals; -1 for all.
    """
    rows: list[dict[str, Any]] = []
    several = len(comparison.scores.measures) > 1
    for row in comparison.summary(sort).to_dict("records"):
        cells = {"measure": row["measure"]} if several else {}
        cells |= {"system": row["system"], "mean": row["mean"]}
        cells["mean_interval"] = _interval(row["mean_low"], row["mean_high"], places)
        if not comparison.all_pairs:
            is_compared = row["difference"] == row["difference"]
            if len(comparison.baseline) > 1:
                cells["baseline"] = row["baseline"] if is_compared else None
            cells["difference"] = row["difference"] if is_compared else None
            cells["difference_interval"] = _interval(row["low"], row["high"], places) if is_compared else ""
            for name in ("effect", "p", "p_corrected"):
                cells[name] = row[name] if is_compared else None
            cells["wins_ties_losses"] = (
                f"{row['wins']:.0f}/{row['ties']:.0f}/{row['losses']:.0f}" if is_compared else ""
            )
        rows.append({**cells, "letters": row["letters"]})
    return rows


def _interval(low: float, high: float, places: int) -> str:
    return f"[{low!r}, {high!r}]" if places == -1 else f"[{low:.{places}f}, {high:.{places}f}]"


def printed_facts(comparison: Comparison) -> str:
    """Return the lines below the table: what was compared how, and notes on the data."""
    width = max(map(len, comparison.facts()))
    lines = [f"{name:<{width}}  {text}" for name, text in comparison.facts().items()]
    return "\n".join([*lines, *(f"{'note':<{width}}  {note}" for note in comparison.notes)])
