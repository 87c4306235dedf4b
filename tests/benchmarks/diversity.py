"""Benchmarks of irmx-temporal: all its measures of one pass beside three of pyndeval, and cost against judged rows.

    python tests/benchmarks/diversity.py [--write] [--quick]

Both sides take turns in one process, through ir_measures, best of several rounds. The real part needs the variable
IRMX_DATA, the folder with the diversity qrels and runs of the TREC Web track of 2012. Nothing here is a test.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import ERR_IA, StRecall, alpha_nDCG
from timing import Made, in_turns, made_with, program, span

import irmx

ALL = irmx.toolkit.parse_measures(
    "TIA_nDCG@20 TIA_ERR@20 TIA_P@20 TIA_AP@20 T_StRecall@20 TIA_StRecall@20 IA_nDCG@20 IA_ERR@20 IA_P@20 IA_AP@20 I_rec@20 "
    "D_nDCG@20 Dsharp_nDCG@20"
)
LIFTED = irmx.toolkit.parse_measures(
    "IntentAware(measure='AP@20') TimeAware(measure='AP@20') IntentAware(measure='MP(model=GL_AD_ID)@20') "
    "TimeAware(measure='MP(model=GL_AD_ID)@20')"
)
THEIRS = [alpha_nDCG @ 20, ERR_IA @ 20, StRecall @ 20]


class Judged(NamedTuple):
    """A row of diversity qrels with a window."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str
    window: str


# -- the Web track of 2012 ---------------------------------------------------------------------------------------


def web_2012(data: Path) -> tuple[list[Judged], list[list[Any]]]:
    """Return the qrels, with one of twelve made-up windows for every document, and the runs."""
    folder = data / "web_diversity" / "2012"
    with gzip.open(folder / "qrels.diversity.txt.gz", "rt") as file:
        given = list(ir_measures.read_trec_qrels(file))
    number = {doc: i for i, doc in enumerate(sorted({q.doc_id for q in given}))}
    qrels = [Judged(q.query_id, q.doc_id, q.relevance, q.iteration, f"w{number[q.doc_id] % 12}") for q in given]
    runs = []
    for path in sorted((folder / "runs").glob("*.run.gz")):
        with gzip.open(path, "rt") as file:
            runs.append(list(ir_measures.read_trec_run(file)))
    return qrels, runs


def on_runs(data: Path, rounds: int) -> Iterator[list[str]]:
    """Yield rows of the table: every run by itself, or one evaluator for all of them; namedtuples or frames."""
    qrels, runs = web_2012(data)
    tables: dict[str, Any] = {
        "namedtuples": (qrels, runs),
        "runs as dicts": (qrels, [irmx.read_run(r).as_dict() for r in runs]),
        "DataFrames": (pd.DataFrame(qrels), [pd.DataFrame(r) for r in runs]),
    }
    for kind, (judged, ranked) in tables.items():

        def each(measures: list[Any], q: Any = judged, rs: Any = ranked) -> None:
            for run in rs:
                ir_measures.calc_aggregate(measures, q, run)

        def once(measures: list[Any], q: Any = judged, rs: Any = ranked) -> None:
            evaluator = ir_measures.evaluator(measures, q)
            for run in rs:
                evaluator.calc_aggregate(run)

        for how, score in (("calc_aggregate for every run", each), ("one evaluator for all runs", once)):
            ours, theirs = in_turns(lambda s=score: s(ALL), lambda s=score: s(THEIRS), rounds=rounds)
            yield [f"{len(runs)} runs, {kind}, {how}", _ms(ours), _ms(theirs), f"{ours / theirs:.2f}", "below 1"]
        (lifted,) = in_turns(lambda o=once: o(LIFTED), rounds=max(1, rounds // 3))
        yield [f"{len(runs)} runs, {kind}, one evaluator, four lifted measures", _ms(lifted), "", "", ""]


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:,.0f} ms"


# -- growth ------------------------------------------------------------------------------------------------------


def made_up(rows: int, subtopics: int, windows: int, depth: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return qrels of 50 topics with so many rows in all, a relevant document and a subtopic each, and a run."""
    rng = np.random.default_rng(1)
    topic = np.repeat(np.arange(50), rows // 50)
    doc = np.tile(np.arange(rows // 50), 50)
    qrels = pd.DataFrame(
        {
            "query_id": topic.astype(str),
            "doc_id": np.char.add("d", doc.astype(str)),
            "relevance": rng.integers(1, 4, len(topic)),
            "iteration": rng.integers(1, subtopics + 1, len(topic)).astype(str),
            "window": np.char.add("w", (doc * 7919 % windows).astype(str)),
        }
    )
    places = np.tile(np.arange(depth), 50)
    run = pd.DataFrame(
        {"query_id": np.repeat(np.arange(50), depth).astype(str), "doc_id": np.char.add("d", places.astype(str))}
    )
    return qrels, run.assign(score=-places.astype(float))


def growth(rounds: int) -> Iterator[list[str]]:
    """Yield the time to build the cells and score all measures, beyond reading: the qrels are read before, without what is kept."""
    for rows, subtopics, windows, depth in (
        *((n, 10, 10, 1000) for n in (5_000, 50_000, 500_000)),
        *((50_000, s, 10, 1000) for s in (1, 100, 1000)),
        *((50_000, 10, w, 1000) for w in (2, 100, 1000)),
        *((50_000, 10, 10, d) for d in (100, 10_000)),
    ):
        qrels, run = made_up(rows, subtopics, windows, depth)
        ranked = irmx.read_run(run)

        def score(q: Any = qrels, r: Any = ranked) -> None:
            irmx.calc_aggregate(ALL, q, r)

        (seconds,) = in_turns(score, rounds=rounds)
        yield [f"{n:,}" for n in (rows, subtopics, windows, depth)] + [_ms(seconds), f"{seconds / rows * 1e6:.2f} µs"]


# -- report ------------------------------------------------------------------------------------------------------


def made(quick: bool, data: Path | None) -> Made:
    """Run all and return the text and the tables."""
    rounds = 2 if quick else 7
    lines: list[str] = []
    tables: dict[str, list[list[str]]] = {}
    if data:
        head = ["input", "thirteen measures, irmx", "three measures, pyndeval", "ratio", "wanted"]
        rows = list(on_runs(data, rounds))
        tables["speed_diversity"] = [head, *rows]
        once, every = (
            span(row[3] for row in rows if row[3] and how in row[0]) for how in ("one evaluator", "for every run")
        )
        lines += [
            f"irmx takes {once} times as long with one evaluator for all runs, {every} with a new one for every run (wanted: below 1)."
        ]
    grown = list(growth(max(2, rounds // 2)))
    tables["speed_diversity_growth"] = [["judged rows", "subtopics", "windows", "depth", "time", "per row"], *grown]
    each = sorted((row[-1] for row in grown), key=lambda cell: float(cell.split()[0]))
    lines += [
        f"A judged row of a made-up collection takes {each[0]} to {each[-1]}, whatever the number of subtopics and windows and the depth",
        "([all sizes](speed_diversity_growth.csv)). [All rows](speed_diversity.csv).",
        "",
        made_with("numpy", "ir_measures", "pyndeval", "pyarrow"),
        "",
    ]
    return "\n".join(lines), tables


ABOUT = """irmx computes the [thirteen measures](../guide/diversity.md) at 20, pyndeval alpha_nDCG@20, ERR_IA@20 and StRecall@20, for the
diversity task of the TREC Web track 2012 with twelve made-up windows.
"""

if __name__ == "__main__":
    program(__doc__, "Diversity", ABOUT, made)
