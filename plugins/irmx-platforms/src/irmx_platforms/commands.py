"""The command that irmx-platforms adds to ``irmx``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import irmx
from irmx import UsageError
from irmx.toolkit import QRELS_HELP, Argument, Option, list_some, named_runs, note, plural, runs_and_measures


def write_every_eval_ever(
    qrels: Annotated[str, Argument(help=QRELS_HELP)],
    run_and_measures: Annotated[
        list[str], Argument(metavar="RUN... MEASURE...", help="Run files or quoted globs, then measures.")
    ],
    *,
    out: Annotated[Path, Option("--out", metavar="DIR", help="The folder in which the folder data is, or shall be.")],
    collection: Annotated[str, Option("--collection", metavar="NAME", help="The name of the test collection.")],
    organization: Annotated[str, Option("--organization", metavar="NAME", help="Who evaluates.")],
    relationship: Annotated[
        str,
        Option(
            "--relationship",
            complete=lambda: ["first_party", "third_party", "collaborative", "other"],
            help="What the organization is to the developers: first_party, third_party, collaborative or other.",
        ),
    ] = "first_party",
    queries: Annotated[
        str | None,
        Option("--queries", metavar="FILE", help="The texts of topics: a table with query_id and query."),
    ] = None,
    coverage: Annotated[float, Option("--coverage", help="The coverage of the intervals of means; 0 for none.")] = 0.95,
) -> None:
    """Score runs, and write the results in the form of Every Eval Ever.

    Writes for every run a JSON file of its means, with intervals, and a file with a line for each topic and measure.
    """
    from irmx_platforms.every_eval_ever import to_every_eval_ever

    paths, measures = runs_and_measures(run_and_measures, "irmx to-every-eval-ever QRELS RUN... MEASURE... --out DIR")
    texts = None
    if queries is not None:
        texts = _texts(queries)
    # a folder is no developer
    runs = {name.replace("/", "_"): run for name, run in named_runs(paths).items()}
    if len(runs) < len(paths):
        raise UsageError("Two runs would have the same name. Rename one of the files.")
    scores = irmx.scores(measures, qrels, runs)
    if lacking := [topic for topic in scores.topics if texts is not None and topic not in texts]:
        note(
            f"{queries} lacks {plural(len(lacking), 'topic')}, whose samples have their ids as inputs: {list_some(lacking)}"
        )
    written = to_every_eval_ever(
        scores, out, collection=collection, organization=organization,
        relationship=relationship, queries=texts, coverage=coverage,
    )  # fmt: skip
    for path in written:
        print(path)
    note(f"{plural(len(written), 'run')}, each with its samples, in {out / 'data'}")


def _texts(path: str) -> dict[str, str]:
    """Return the texts of topics."""
    table = irmx.read_table(path, {"query_id": str, "query": str}, "queries")
    rows: dict[str, int] = {}
    for row, topic in enumerate(table["query_id"].tolist()):
        if rows.setdefault(topic, row) != row:
            table.refuse([rows[topic], row], f"{topic!r} has two texts. Give one.")
    return dict(zip(table["query_id"].tolist(), table["query"].tolist(), strict=True))
