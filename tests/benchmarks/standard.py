"""Standard measures and Markov Precision, judgments that change, and runs that are large or many."""

from __future__ import annotations

import gzip
import tarfile
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytrec_eval
import ranx
from ir_measures import AP, RBP, RR, Bpref, Judged, NumRel, NumRelRet, NumRet, P, R, Rprec, Success, nDCG
from timing import EVAL, Job, Row, collection, cpu, in_turns, process

import irmx
import irmx_study
from irmx_markov import GL_AD_ID, MP, transition_matrix
from irmx_markov.markov_models import NAMED
from irmx_ncp import NCP

TEN = [MP(model=m) for m in NAMED[:8]] + [NCP(law="uniform"), NCP(law="first")]
"""The eight models of Markov Precision, and NCP as AP and as RR."""

TWENTY = [
    AP, AP @ 100, P @ 5, P @ 10, P @ 20, R @ 100, R @ 1000, Rprec, RR, RR @ 10, nDCG, nDCG @ 10, nDCG(dcg="exp-log2") @ 10,
    Bpref, Success @ 10, Judged @ 10, NumRel, NumRet, NumRelRet, RBP(rel=1, p=0.8),
]  # fmt: skip
SEVEN = ["AP", "nDCG@10", "P@10", "Rprec", "RR", "Bpref", "R@1000"]


def standard(quick: bool, data: Path | None) -> Iterator[Row]:
    """Yield measures of 250 topics with 1,000 documents each, of one topic in closed form, and of the runs of TREC-8."""
    rounds = 3 if quick else 15
    qrels, run = collection()
    frames = [
        pd.DataFrame([(q, d, number) for q, docs in of.items() for d, number in docs.items()], columns=columns)
        for of, columns in (
            (qrels, ["query_id", "doc_id", "relevance"]),
            (run, ["query_id", "doc_id", "score"]),
        )
    ]
    tied = {q: {d: round(score) for d, score in docs.items()} for q, docs in run.items()}
    for kind, q, r, wanted in (
        ("dicts", qrels, run, "0.35"),
        ("DataFrames", *frames, "0.12"),
        ("dicts, scores without decimals", qrels, tied, "0.5"),
    ):
        both = (partial(ir_measures.calc_aggregate, measures, q, r) for measures in (TEN, [AP]))
        yield Row(f"ten measures, {kind}", *_beside(in_turns(*both, rounds=rounds), "AP, pytrec_eval"), wanted)
    jobs: list[Job] = [
        partial(ir_measures.calc_aggregate, TEN, qrels, run),
        lambda: ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), "map"),
    ]
    yield Row("ten measures, dicts", *_beside(in_turns(*jobs, rounds=rounds), "AP, ranx"))
    jobs = [
        lambda: irmx.evaluator(TWENTY, qrels, provider="irmx").calc_aggregate(run),
        partial(ir_measures.calc_aggregate, [AP], qrels, run),
    ]
    yield Row("20 standard measures, dicts", *_beside(in_turns(*jobs, rounds=rounds), "AP, pytrec_eval"), "0.45")
    yield closed_form(rounds)
    if data:
        with TemporaryDirectory() as scratch:
            yield from trec8(*trec8_files(data, scratch, quick), 1 if quick else 3)


def _beside(times: list[float], peer: str) -> tuple[float, str, float]:
    return times[0], peer, times[1]


def closed_form(rounds: int) -> Row:
    """Return MP of one of 250 topics of 1,000 documents, beside building the matrix and solving for its invariant distribution."""
    depth = 1000
    relevant = np.sort(np.random.default_rng(1).choice(np.arange(1, depth + 1), 60, replace=False))
    run = {f"q{t}": {f"d{r}": -float(r) for r in range(1, depth + 1)} for t in range(250)}
    rankings = irmx.rankings({q: {f"d{r}": 1 for r in relevant.tolist()} for q in run}, run)
    precision = np.arange(1, 61) / relevant

    def textbook() -> float:
        p = transition_matrix(GL_AD_ID, depth, relevant)
        pi = np.linalg.solve((np.eye(depth) - p + 1.0).T, np.ones(depth))[relevant - 1]
        return float(pi @ precision / pi.sum())

    def closed() -> Any:
        return GL_AD_ID.invariant(rankings) * rankings.precision

    assert abs(closed()[:60].sum() - textbook()) < 1e-12
    ours, theirs = in_turns(closed, textbook, rounds=rounds)
    return Row("GL_AD_ID, one topic", ours / 250, "matrix, numpy's solve", theirs, "1/1,000")


# -- TREC-8 ------------------------------------------------------------------------------------------------------------


def trec8_files(data: Path, scratch: str, quick: bool) -> tuple[Path, list[Path]]:
    """Unpack the qrels and the 129 runs of TREC-8, ten if it is to be quick, and return their paths."""
    folder = data / "trec8_adhoc"
    with tarfile.open(folder / "runs_full_depth1000.tar.xz") as archive:
        archive.extractall(scratch, filter="data")
    qrels = Path(scratch) / "trec8.qrels"
    qrels.write_bytes(gzip.decompress((folder / "qrels.trec8.adhoc.401-450.txt.gz").read_bytes()))
    runs = sorted(path for path in Path(scratch).rglob("input.*") if path.is_file())
    return qrels, runs[: 10 if quick else None]


def trec8(qrels_path: Path, paths: list[Path], rounds: int) -> Iterator[Row]:
    """Yield the real runs from memory, from their files, and by the command."""
    qrels = irmx.read_qrels(qrels_path).as_dict()
    mine, theirs = ir_measures.evaluator(TEN, qrels), ir_measures.evaluator([AP], qrels)
    dicts = [irmx.read_run(path).as_dict() for path in paths]
    what = f"{len(paths)} runs of TREC-8"
    times = in_turns(*(partial(_scored, one, dicts) for one in (mine, theirs)), rounds=rounds)
    yield Row(f"{what}, ten measures, dicts", *_beside(times, "AP, pytrec_eval"))
    ours = irmx.evaluator(TEN, qrels)
    jobs = [partial(_scored, ours, paths), lambda: _scored(theirs, map(ir_measures.read_trec_run, map(str, paths)))]
    yield Row(f"{what}, ten measures, files", *_beside(in_turns(*jobs, rounds=rounds), "AP, ir_measures"), "0.333")
    arguments = [*EVAL, str(qrels_path), *map(str, paths), *SEVEN]
    commands = [partial(process, *arguments), partial(process, *arguments, "--provider", "pytrec_eval")]
    times = in_turns(*commands, rounds=rounds, seconds=lambda job: job().cpu)
    yield Row(f"{what}, irmx eval, seven measures, CPU", *_beside(times, "--provider pytrec_eval"), "0.6")


def _scored(evaluator: Any, runs: Any) -> None:
    for run in runs:
        evaluator.calc_aggregate(run)


# -- judgments that change ---------------------------------------------------------------------------------------------


def other_judgments(quick: bool, data: Path | None) -> Iterator[Row]:
    """Yield the runs of TREC-8 under 50 nested subsets of the judgments, down to 2%."""
    if not data:
        return
    with TemporaryDirectory() as scratch:
        qrels_path, paths = trec8_files(data, scratch, quick)
        judgments, runs = irmx.read_qrels(qrels_path), [irmx.read_run(path) for path in paths]
        order = np.random.default_rng(8).random(len(judgments))
        shares = np.linspace(1, 0.02, 5 if quick else 50)
        subsets = [judgments.where(order < share, keep_topics=True) for share in shares]
        joins = [irmx.Join(run, judgments) for run in runs]
        dicts = [run.as_dict() for run in runs]

        def views(measures: Any) -> Any:
            return [irmx.score_joined([join.with_judgments(cut) for join in joins], measures) for cut in subsets]

        def peer() -> Any:
            by_cut = [pytrec_eval.RelevanceEvaluator(cut.as_dict(), {"map"}) for cut in subsets]
            return [evaluator.evaluate(run) for run in dicts for evaluator in by_cut]

        theirs = cpu(peer)
        for what, measures in (("ten measures", TEN), ("AP", "AP")):
            yield Row(f"{what}, views of one join", cpu(partial(views, measures)), "AP, pytrec_eval", theirs)
        levels = [90, 50] if quick else [90, 70, 50, 30, 10]
        given = {"keep": levels, "samples": len(subsets) // len(levels), "progress": False}
        pooled = cpu(lambda: irmx_study.pool("AP", qrels_path, {p.name: p for p in paths}, **given))
        yield Row("irmx_study.pool, AP, files", pooled, "AP, pytrec_eval", theirs)


# -- large runs, and many ----------------------------------------------------------------------------------------------

DOCUMENTS, POOL = 1_000, 8_841_823
"""Documents per topic, and documents of the collection, as many as MS MARCO has passages."""

THEIRS = """
import ir_measures, sys
qrels, run = ir_measures.read_trec_qrels(sys.argv[1]), ir_measures.read_trec_run(sys.argv[2])
print("AP", ir_measures.calc_aggregate([ir_measures.AP], qrels, run)[ir_measures.AP])
"""

DUCKDB = """
import duckdb, sys
qrels, run = sys.argv[1:]
duckdb.execute("set threads = 1")
[[value]] = duckdb.sql(f'''
    with ranked as (
        select query_id, doc_id, row_number() over (partition by query_id order by score::float desc, doc_id desc) as rank
        from '{run}'
    ), found as (
        select query_id, sum(relevance / log2(rank + 1)) as gain
        from ranked join '{qrels}' using (query_id, doc_id) where rank <= 10 group by query_id
    ), ideal as (
        select query_id, sum(relevance / log2(place + 1)) as gain
        from (select *, row_number() over (partition by query_id order by relevance desc) as place from '{qrels}')
        where place <= 10 group by query_id
    )
    select avg(coalesce(found.gain, 0) / ideal.gain) from ideal left join found using (query_id)
''').fetchall()
print(value)
"""


def large(quick: bool, data: Path | None) -> Iterator[Row]:
    """Yield AP of one long run, and of many runs."""
    for lines in (10**6,) if quick else (10**6, 10**7):
        with TemporaryDirectory() as folder:
            qrels, run = write(Path(folder), lines)
            yield from _in_all(
                lines, "lines", "ir_measures", [*EVAL, str(qrels), str(run), "AP"], [THEIRS, str(qrels), str(run)]
            )
            yield from _threads(f"a run of {lines:,} lines", [*EVAL, str(qrels), str(run), "AP"])
    if find_spec("duckdb"):
        with TemporaryDirectory() as folder:
            qrels, run = write_parquet(Path(folder), topics := 300 if quick else 3000)
            ours = [*EVAL, str(qrels), str(run), "nDCG@10"]
            yield from _in_all(1000 * topics, "rows of Parquet", "DuckDB", ours, [DUCKDB, str(qrels), str(run)], "0.95")
            yield from _threads(f"a run of {1000 * topics:,} rows of Parquet", ours)
    with TemporaryDirectory() as folder:
        qrels, run = write(Path(folder), 10**7 if quick else 10**8)
        memory = process(*EVAL, str(qrels), str(run), "AP").memory
        lines = 10 * lines
        yield Row(f"a run of {lines:,} lines, peak memory", memory, "its file", run.stat().st_size / 1e9, unit="GB")
    with TemporaryDirectory() as folder:
        qrels, run = write(Path(folder), 50 * DOCUMENTS)
        many = 100 if quick else 1000
        for number in range(many):
            run.with_name(f"{number:04}.run").hardlink_to(run)
        memories = [
            process(*EVAL, str(qrels), str(run.with_name(glob)), "AP").memory for glob in ("????.run", "000?.run")
        ]
        yield Row(f"{many:,} runs of 50,000 lines, peak memory", *_beside(memories, "10 such runs"), unit="GB")


def _in_all(lines: int, of_what: str, peer: str, ours: list[str], theirs: list[str], wanted: str = "") -> Iterator[Row]:
    """Yield the CPU time and the memory of a command and of a program of a peer, whose values are equal, in turns."""
    best: dict[str, tuple[float, float]] = {}
    for _ in range(3):
        mine, its = process(*ours), process("-c", *theirs)
        assert abs(float(mine.printed.split()[-1]) - float(its.printed.split()[-1])) < 1e-12
        for what, *used in (("CPU", mine.cpu, its.cpu), ("peak memory", mine.memory, its.memory)):
            best[what] = (min(best.get(what, used)[0], used[0]), min(best.get(what, used)[1], used[1]))
    yield Row(f"a run of {lines:,} {of_what}, CPU", best["CPU"][0], peer, best["CPU"][1], wanted)
    yield Row(
        f"a run of {lines:,} {of_what}, peak memory", best["peak memory"][0], peer, best["peak memory"][1], unit="GB"
    )


def _threads(what: str, command: list[str]) -> Iterator[Row]:
    """Yield the time that passes with two threads and with one."""
    jobs = [partial(process, *command, "--jobs", jobs) for jobs in ("2", "1")]
    times = in_turns(*jobs, rounds=3, seconds=lambda job: job().wall)
    yield Row(f"{what}, --jobs 2, time that passes", times[0], "--jobs 1", times[1], "0.8")


def write(folder: Path, lines: int) -> tuple[Path, Path]:
    """Write qrels with two judgments per topic and a run of so many lines, 45 bytes each, and return their paths."""
    rng = np.random.default_rng(lines)
    qrels, run = folder / "judged.qrels", folder / "long.run"
    with open(qrels, "w") as of_qrels, open(run, "w") as of_run:
        for topic in range(lines // DOCUMENTS):
            docs = rng.permutation(np.unique(rng.integers(0, POOL, DOCUMENTS + 20)))[:DOCUMENTS].tolist()
            scores = np.sort(rng.uniform(0, 30, DOCUMENTS))[::-1].tolist()
            ranked = enumerate(zip(docs, scores, strict=True), 1)
            of_run.writelines(f"{topic} Q0 D{doc} {rank} {score:.6f} system\n" for rank, (doc, score) in ranked)
            judged = (docs[int(rng.integers(DOCUMENTS))], int(rng.integers(POOL, 2 * POOL)))  # one of them is retrieved
            of_qrels.writelines(f"{topic} 0 D{doc} 1\n" for doc in judged)
    return qrels, run


def write_parquet(folder: Path, topics: int) -> tuple[Path, Path]:
    """Write a run of 1,000 documents for each topic, and qrels with 288 judgments, as Parquet, and return their paths."""
    rng = np.random.default_rng(topics)
    docs = np.concatenate([rng.choice(POOL, 1150, replace=False) for _ in range(topics)]).reshape(topics, 1150)
    ids = pd.Series(np.char.add("D", docs.astype(str)).ravel()).to_numpy().reshape(docs.shape)
    names = [f"q{topic}" for topic in range(topics)]
    qrels, run = folder / "qrels.parquet", folder / "run.parquet"
    pd.DataFrame({
        "query_id": np.repeat(names, DOCUMENTS), "doc_id": ids[:, :DOCUMENTS].ravel(),
        "score": np.sort(rng.uniform(0, 30, (topics, DOCUMENTS)))[:, ::-1].ravel(),
    }).to_parquet(run, row_group_size=250_000)  # fmt: skip
    pd.DataFrame({
        "query_id": np.repeat(names, 288), "doc_id": ids[:, ::4].ravel(),
        "relevance": np.column_stack([np.ones(topics), rng.integers(0, 4, (topics, 287))]).astype(int).ravel(),
    }).to_parquet(qrels)  # fmt: skip
    return qrels, run
