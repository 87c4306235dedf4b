"""The subcommand that irmx-answers adds to ``irmx``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from irmx import Scores, UsageError, scores
from irmx.toolkit import Argument, FormatOption, Option, PlacesOption, note, parse_measures, print_rows

TABLES = ("ratings", "pairs", "agreement")


def battles(
    file: Annotated[
        str,
        Argument(
            metavar="FILE",
            help="Battles: a table file with the columns topic, system_a, system_b and winner (a, b, tie).",
        ),
    ],
    from_scores: Annotated[
        Path | None,
        Option(
            "--scores",
            metavar="FILE.parquet",
            help="Values of the same systems by topic, as irmx eval --out writes them.",
        ),
    ] = None,
    qrels: Annotated[
        str | None, Option("--qrels", metavar="QRELS", help="In place of --scores: qrels, with --run and --measure.")
    ] = None,
    runs: Annotated[
        list[str] | None,
        Option("--run", metavar="NAME=FILE", help="The run of a system of the battles; repeat for each."),
    ] = None,
    measures: Annotated[
        list[str] | None, Option("--measure", metavar="MEASURE", help="Measures to compare with the battles.")
    ] = None,
    majority: Annotated[
        list[float] | None,
        Option("-l", "--level", help="Smallest share of votes that makes a majority; by default .5, .75 and 1."),
    ] = None,
    table: Annotated[
        str | None,
        Option(
            "--table",
            metavar="|".join(TABLES),
            help="The table to print: ratings; pairs; agreement, the default with values.",
        ),
    ] = None,
    prior: Annotated[
        float, Option("--prior", help="Wins added to both of each pair that met, such as .5, for finite ratings.")
    ] = 0.0,
    draws: Annotated[int, Option("--draws", min=100, help="How often topics are drawn for intervals.")] = 1000,
    seed: Annotated[int, Option("--seed", min=0, help="The seed of the draws.")] = 0,
    places: PlacesOption = 4,
    output_format: FormatOption = "table",
) -> None:
    """Rate systems by battles between their answers, and show which measures agree with them.

    Prints for each system its battles, the preference rate, and the rating of Bradley and Terry with a 95% interval over topics; with
    values, for each measure how often it prefers what a majority prefers.
    """
    from irmx_answers.battles import LEVELS, agreement, rate, read_battles

    has_values = from_scores is not None or qrels is not None
    chosen = table or ("agreement" if has_values else "ratings")
    if chosen not in TABLES:
        raise UsageError(f"There is no table {chosen!r}. Known: {', '.join(TABLES)}.")
    if chosen == "agreement" and not has_values:
        raise UsageError("The agreement with measures needs values: --scores FILE, or --qrels, --run and --measure.")
    if not has_values and (runs or measures):
        raise UsageError("--run and --measure go with --qrels.")
    if majority and chosen != "agreement":
        raise UsageError("--level is of the agreement with measures, not of ratings and pairs.")
    found = read_battles(file)
    if chosen == "agreement":
        values = _values(from_scores, qrels, runs, measures)
        print_rows(agreement(found, values, majority or LEVELS), output_format, places=places)
        return
    rated = rate(found, draws, seed, prior=prior)
    print_rows(rated.systems if chosen == "ratings" else rated.pairs, output_format, places=places)
    for text in rated.notes:
        note(text)


def _values(from_scores: Path | None, qrels: str | None, runs: list[str] | None, measures: list[str] | None) -> Scores:
    """Return the values of the systems."""
    if from_scores is not None:
        if qrels or runs or measures:
            raise UsageError(
                "Values are read from --scores, or computed from --qrels, --run and --measure. Give one of the two."
            )
        return Scores.read_parquet(from_scores)
    if not (runs and measures):
        raise UsageError("--qrels goes with --run NAME=FILE, for each system, and --measure.")
    named: dict[str, Any] = dict(text.split("=", 1) for text in runs if "=" in text)
    if len(named) < len(runs):
        raise UsageError("Each run is written NAME=FILE, NAME the system of the battles, and given once.")
    return scores(parse_measures(" ".join(measures)), qrels, named)
