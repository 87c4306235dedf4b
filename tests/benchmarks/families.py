"""Diversity beside pyndeval, pages beside nDCG, streams beside plain Python, and PyTerrier with and without irmx."""

from __future__ import annotations

import gzip
import subprocess
import sys
from bisect import bisect_right
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
from ir_measures import AP, ERR_IA, StRecall, alpha_nDCG, nDCG
from timing import Row, collection, in_turns

import irmx
from irmx_markov import GL_AD_ID, MP
from irmx_pages import fit_preferences, page_pairs, simulate_pages, simulate_preferences
from irmx_pages.example import example
from irmx_stream import MSU, Population, Stream, Traces, compiled_gains, simulate
from irmx_stream.gains import gains_of
from irmx_stream.interfaces import REVERSE_CHRONOLOGICAL

# -- diversity ---------------------------------------------------------------------------------------------------------

THIRTEEN = irmx.toolkit.parse_measures(
    "TIA_nDCG@20 TIA_ERR@20 TIA_P@20 TIA_AP@20 T_StRecall@20 TIA_StRecall@20 IA_nDCG@20 IA_ERR@20 IA_P@20 IA_AP@20 I_rec@20 "
    "D_nDCG@20 Dsharp_nDCG@20"
)


class Judged(NamedTuple):
    """A row of diversity qrels with a window."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str
    window: str


def diversity(quick: bool, data: Path | None) -> Iterator[Row]:
    """Yield thirteen measures on the runs of the TREC Web track 2012, with one of twelve made-up windows for every document."""
    if not data:
        return
    folder = data / "web_diversity" / "2012"
    with gzip.open(folder / "qrels.diversity.txt.gz", "rt") as file:
        given = list(ir_measures.read_trec_qrels(file))
    number = {doc: i for i, doc in enumerate(sorted({q.doc_id for q in given}))}
    qrels = [Judged(q.query_id, q.doc_id, q.relevance, q.iteration, f"w{number[q.doc_id] % 12}") for q in given]
    runs = []
    for path in sorted((folder / "runs").glob("*.run.gz")):
        with gzip.open(path, "rt") as file:
            runs.append(list(ir_measures.read_trec_run(file)))

    def each(measures: list[Any], judged: Any, ranked: list[Any]) -> None:
        for run in ranked:
            ir_measures.calc_aggregate(measures, judged, run)

    def at_once(measures: list[Any], judged: Any, ranked: list[Any]) -> None:
        evaluator = ir_measures.evaluator(measures, judged)
        for run in ranked:
            evaluator.calc_aggregate(run)

    kinds = (("namedtuples", qrels, runs), ("DataFrames", pd.DataFrame(qrels), [pd.DataFrame(run) for run in runs]))
    for kind, judged, ranked in kinds:
        for how, score in (("calc_aggregate", each), ("one evaluator", at_once)):
            both = ([*THIRTEEN], [alpha_nDCG @ 20, ERR_IA @ 20, StRecall @ 20])
            ours, theirs = in_turns(*(partial(score, m, judged, ranked) for m in both), rounds=2 if quick else 5)
            yield Row(f"{len(runs)} runs, {kind}, {how}", ours, "three measures, pyndeval", theirs, "1")


# -- pages -------------------------------------------------------------------------------------------------------------

LAYOUT = ["image"] * 3 + ["web"] * 3 + ["video"] * 3 + ["web"] * 3 + ["news"] * 3 + ["web"] * 4
"""A page of 13 blocks: 10 web results and 3 verticals with 3 items."""

ORIENTATION = {"web": 0.5, "image": 0.9, "video": 0.8, "news": 0.6}
TRUE = {"ann": 0.15, "bob": 0.2, "cem": 0.25, "dee": 0.4}
"""The personal l of simulated users."""


def pages(quick: bool, data: Path | None) -> Iterator[Row]:
    """Yield 10,000 pages beside nDCG of their items, with and without ideal pages, and one fit of the size of the paper's."""
    count, rounds = 10_000, 1 if quick else 3
    theirs = [nDCG @ 20]
    for topics in (count, 50):
        qrels, run = page_run(topics)

        def score(evaluator: Any, again: int, run: Any) -> None:
            for _ in range(again):
                evaluator.calc_aggregate(run)

        for how in ("normalise=None", "ideal='greedy'", "ideal='exact'"):
            if how == "ideal='exact'" and topics == count:
                continue  # an ideal page is searched for each topic once
            names = " ".join(f"{name}({how})" for name in ("AS_DCG", "AS_RBP", "AS_ERR", "AS_ATT"))
            evaluators = [irmx.evaluator(names, qrels), ir_measures.evaluator(theirs, qrels)]
            times = in_turns(*(partial(score, one, count // topics, run) for one in evaluators), rounds=rounds)
            runs = "1 run" if topics == count else f"{count // topics} runs"
            yield Row(f"{topics:,} topics, {runs}, {how}", times[0], "nDCG@20", times[1], "1")
    topics = 8 if quick else 56
    made = example(topics)
    simulated = simulate_pages(made.qrels, made.items, made.verticals)
    users = {name: f"AS_RBP(alpha=7,beta=0.85,personal={value})" for name, value in TRUE.items()}
    preferences = simulate_preferences(simulated.pages, page_pairs(simulated), made.qrels, users)
    grid = {"alpha": "2:100:99", "beta": "0.5:1"}  # 5,049 settings, in 5 folds
    fit = partial(fit_preferences, simulated.pages, preferences, made.qrels, "AS_RBP", grid)
    [seconds] = in_turns(fit, rounds=1)
    yield Row(f"fit of AS_RBP to votes on {len(preferences):,} pairs", seconds, "goal", 60, "1")


def page_run(topics: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return qrels of so many topics, and a run with a page for each."""
    rng = np.random.default_rng(1)
    topic, place = np.repeat(np.arange(topics), len(LAYOUT)).astype(str), np.tile(np.arange(len(LAYOUT)), topics)
    vertical, doc = np.tile(LAYOUT, topics), np.char.add("d", place.astype(str))
    base = pd.DataFrame({"query_id": topic, "vertical": vertical, "doc_id": doc})
    qrels = base.assign(relevance=rng.integers(0, 2, len(base)), orientation=base["vertical"].map(ORIENTATION))
    return qrels, base.assign(score=-place.astype(float))


# -- streams -----------------------------------------------------------------------------------------------------------

LOSS = 0.5


def streams(quick: bool, data: Path | None) -> Iterator[Row]:
    """Yield 1,000 reasonable users, whose gains equal those of the plain way, with numba and without."""
    cases = [(f"300,000 updates, {holders} hold a nugget", [invented(300_000, holders)]) for holders in (300, 1000)]
    if data:
        of_track = track_streams(data / "trec_ts" / "2014")
        cases.insert(0, (f"{len(of_track)} streams of TREC 2014", of_track))
    users = Population().draw(1000)
    for what, streams_of in cases:
        given = [(stream, simulate(users, window)) for stream, window in streams_of]

        def ours(given: Any) -> list[list[float]]:
            return [gains_of(s, t, users.speed, REVERSE_CHRONOLOGICAL, [LOSS], "before")[0].tolist() for s, t in given]

        def plain(given: Any) -> list[list[float]]:
            return [plain_gains(s, t, users.speed.tolist()) for s, t in given]

        for engine, wanted in (("numpy", ""), ("numba", "1/50")):
            compiled_gains.in_use = lambda work, engine=engine: engine == "numba"
            assert ours(given) == plain(given)
            times = in_turns(partial(ours, given), partial(plain, given), rounds=2 if quick else 7)
            yield Row(f"{what}, {engine}", times[0], "plain Python", times[1], wanted)


def plain_gains(stream: Stream, traces: Traces, speeds: list[float]) -> list[float]:
    """Return what every user gains: walk the sessions, bisect, read updates backwards."""
    time_, length, known = stream.time.tolist(), stream.length.tolist(), stream.nugget_time.tolist()
    holds: dict[int, list[int]] = {}
    for update, nugget in zip(stream.update.tolist(), stream.nugget.tolist(), strict=True):
        holds.setdefault(update, []).append(nugget)
    ends = traces.offsets.tolist()
    gains = []
    for a, b, speed in zip(ends, ends[1:], speeds, strict=False):
        starts, durations = traces.start[a:b].tolist(), traces.duration[a:b].tolist()
        got: dict[int, float] = {}
        newest = -1
        for session, (start, duration) in enumerate(zip(starts, durations, strict=True)):
            top = bisect_right(time_, start)
            room, words, at, read = duration * speed, 0.0, top - 1, False
            while at > newest:
                words += length[at]
                if words > room:
                    break
                read = True
                for nugget in holds.get(at, ()):
                    if nugget not in got:
                        got[nugget] = LOSS ** max(0, session - bisect_right(starts, known[nugget]))
                at -= 1
            if read:
                newest = top - 1
        total = 0.0
        for nugget in sorted(got):
            total += got[nugget]
        gains.append(total)
    return gains


def track_streams(folder: Path) -> list[tuple[Stream, float]]:
    """Return the streams of three runs on the 15 topics of the Temporal Summarization track 2014, with their windows."""
    names = ["query_id", "team", "run", "doc", "sentence", "timestamp", "score"]
    table = pd.read_csv(folder / "runs.cunlp.ssv.gz", sep=" ", header=None, names=names, dtype={"query_id": str})
    table["doc_id"] = table["doc"] + "-" + table["sentence"].astype(str)
    judgments = irmx.read_qrels(f"tst:{folder}")
    out = []
    for _, run in table.groupby("run"):
        rows = run[["query_id", "doc_id", "score", "timestamp"]].reset_index(drop=True)
        prepared = MSU.prepare(irmx.rankings(judgments, rows))
        out += list(zip(prepared.each, prepared.window.tolist(), strict=True))
    return out


def invented(updates: int, holders: int, nuggets: int = 150, days: int = 10) -> tuple[Stream, float]:
    """Return an invented stream of a topic, and its window."""
    rng = np.random.default_rng(updates)
    window = days * 86400.0
    stream = Stream.of(
        rng.integers(0, window, updates).astype(float),
        rng.integers(5, 60, updates).astype(float),
        rng.random(updates),
        rng.choice(updates, holders),
        rng.zipf(1.3, holders) % nuggets,
        rng.integers(0, window * 0.7, nuggets).astype(float),
    )
    return stream, window


# -- PyTerrier ---------------------------------------------------------------------------------------------------------

IMPORT = """
import importlib.metadata as metadata, sys, time
found = metadata.entry_points
def entry_points(**wanted):
    points = found(**wanted)
    return [p for p in points if p.name != "irmx"] if wanted.get("group") == "pyterrier.modules" else points
if sys.argv[1] == "without":
    metadata.entry_points = entry_points
start = time.perf_counter()
import pyterrier
print(time.perf_counter() - start)
"""


def pyterrier(quick: bool, data: Path | None) -> Iterator[Row]:
    """Yield an experiment of 250 topics with 1,000 documents, and what the entry point of irmx costs the import."""
    rounds = 3 if quick else 10
    judged, retrieved = collection()
    qrels, run = (
        pd.DataFrame([(q, d, number) for q, docs in of.items() for d, number in docs.items()], columns=columns)
        for of, columns in ((judged, ["qid", "docno", "label"]), (retrieved, ["qid", "docno", "score"]))
    )
    topics = pt.new.queries([f"words of {q}" for q in judged], list(judged))
    run = pt.model.add_ranks(run.merge(topics, on="qid"))
    for mode in ({}, {"perquery": True}):
        both = ([MP(model=GL_AD_ID), AP], [AP])
        ours, theirs = in_turns(
            *(partial(pt.Experiment, [run], topics, qrels, measures, **mode) for measures in both), rounds=rounds
        )
        yield Row(f"AP and GL_AD_ID{', perquery' * bool(mode)}", ours, "AP", theirs, "1.15")

    def seconds(how: str) -> float:
        done = subprocess.run([sys.executable, "-c", IMPORT, how], capture_output=True, text=True, check=True)
        return float(done.stdout)

    times = in_turns(*(partial(seconds, how) for how in ("with", "without")), rounds=rounds, seconds=lambda job: job())
    yield Row("import pyterrier", times[0], "without irmx's entry point", times[1], "1.2")
