"""Tab-separated lines, as the ``ir_measures`` command prints them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from irmx.declare.output_format import Layout, Report, Result


class TsvReport(Report):
    """``measure value`` lines; a topic before the measure with ``-q``; a row a run for several runs."""

    NAME = "tsv"
    DESCRIPTION = "tab-separated lines; for several runs a table with a row a run"

    def write(self, results: Iterable[Result], layout: Layout, out: TextIO) -> None:
        """Write line by line; a summary of several runs has a header and one row per run."""
        if layout.several_runs and not layout.by_query:
            print("run", *layout.measures, sep="\t", file=out)
            for run, row in by_run(results, layout):
                print(run, *(layout.number(v) for v in row), sep="\t", file=out)
            return
        for result in results:
            name = [result.run] if layout.several_runs else []
            topic = [result.query_id] if layout.by_query else []
            print(*name, *topic, result.measure, layout.number(result.value), sep="\t", file=out)


def by_run(results: Iterable[Result], layout: Layout) -> Iterable[tuple[str, list[float]]]:
    """Yield every run with its values in the order of the measures."""
    row: list[float] = []
    for result in results:
        row.append(result.value)
        if len(row) == len(layout.measures):
            yield result.run, row
            row = []
