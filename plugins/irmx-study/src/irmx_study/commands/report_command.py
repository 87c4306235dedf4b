"""``irmx report``: a comparison as a page of HTML, with pictures, rankings, and how it was made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from irmx.toolkit import Option
from irmx_study.commands.report_files import report_file, write_report
from irmx_study.commands.shared_options import (
    ArgumentsOption,
    BaselinesOption,
    CorrectionOption,
    DrawsOption,
    LabelOption,
    LevelOption,
    MeasureOption,
    ScoresOption,
    SeedOption,
    TestOption,
    TieThresholdOption,
)


def report_on_runs(
    arguments: ArgumentsOption,
    out: Annotated[
        Path, Option("-o", "--out", metavar="FILE", check=report_file, help="The page to write: FILE.html.")
    ] = Path("report.html"),
    title: Annotated[str, Option("--title", help="The title of the page.")] = "",
    baseline: BaselinesOption = None,
    all_pairs: Annotated[bool, Option("--all-pairs", help="Compare all pairs of runs.")] = False,
    test: TestOption = "t",
    correction: CorrectionOption = None,
    family: Annotated[
        str, Option("--family", help="What is corrected together: the comparisons of each measure, or all.")
    ] = "measure",
    level: LevelOption = 0.05,
    interval: Annotated[str, Option("--interval", help="The interval of the difference: t or bca.")] = "t",
    draws: DrawsOption = 10_000,
    seed: SeedOption = 0,
    tie_threshold: TieThresholdOption = 0.0,
    label: LabelOption = None,
    scores: ScoresOption = False,
    measure: MeasureOption = None,
    texts: Annotated[
        Path | None,
        Option(
            "--texts",
            metavar="FILE",
            help="The texts of documents, to show with the rankings: a table with doc_id, and title or text.",
        ),
    ] = None,
    queries: Annotated[
        Path | None,
        Option(
            "--queries", metavar="FILE", help="The texts of topics: a table with query_id, and query, title or text."
        ),
    ] = None,
) -> None:
    """Make a report on runs: one page of HTML, which opens in any browser and needs no network.

    It has a table of the runs that can be sorted, pictures of the differences, the rankings of two runs side by side, how far
    the measures agree, the share of unjudged documents, tables for papers and data to download, and how all of it was made.
    The first run is the baseline. If the qrels are an id of ir_datasets, the texts are those of its documents and topics.
    """
    how: dict[str, Any] = {
        "test": test, "correction": correction, "family": family, "level": level, "interval": interval, "draws": draws,
        "seed": seed, "tie_threshold": tie_threshold, "all_pairs": all_pairs,
    }  # fmt: skip
    write_report(out, arguments, baseline, label, scores, measure, title, texts, queries, how)
