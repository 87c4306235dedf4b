"""Benchmarks: irmx and its peers side by side in one process, best of several, as ratios.

    tox -e bench
    python tests/benchmarks/run.py [--write] [--quick]

Every pair of times is taken in turns, so that a machine that drifts drifts for both. The real part needs the variable
IRMX_DATA, the folder with the TREC-8 runs, and is left out, saying so, without it. Nothing here is a test.
"""

from __future__ import annotations

import gzip
import importlib.metadata
import importlib.util
import os
import resource
import subprocess
import sys
import tarfile
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import AP, RBP, RR, Bpref, Judged, NumRel, NumRelRet, NumRet, P, R, Rprec, Success, nDCG
from synthetic import collection
from timing import HEAD, Made, Row, in_turns, least_seconds, made_with, program, shown, table

import irmx
from irmx.score.backends import scorer_of
from irmx_markov import GL_AD_ID, MP, transition_matrix
from irmx_markov.markov_models import NAMED
from irmx_ncp import NCP

TEN = [MP(model=m) for m in NAMED[:8]] + [NCP(law="uniform"), NCP(law="first")]
"""The eight models of Markov Precision, and NCP as AP and as RR."""

TWENTY = [
    AP, AP @ 100, P @ 5, P @ 10, P @ 20, R @ 100, R @ 1000, Rprec, RR, RR @ 10, nDCG, nDCG @ 10, nDCG(dcg="exp-log2") @ 10,
    Bpref, Success @ 10, Judged @ 10, NumRel, NumRet, NumRelRet, RBP(rel=1, p=0.8),
]  # fmt: skip
"""Settings of the measures of ir_measures that everyone uses."""

SEVEN = ["AP", "nDCG@10", "P@10", "Rprec", "RR", "Bpref", "R@1000"]
"""Measures of a command on many files."""


# -- 250 topics x 1,000 documents ------------------------------------------------------------------------------------


def batches(rounds: int) -> Iterator[Row]:
    """Yield ten measures at once against AP of ir_measures, and of ranx where it is installed."""
    qrels, run = collection()
    table_q = pd.DataFrame(
        [(q, d, r) for q, docs in qrels.items() for d, r in docs.items()], columns=["query_id", "doc_id", "relevance"]
    )
    table_r = pd.DataFrame(
        [(q, d, s) for q, docs in run.items() for d, s in docs.items()], columns=["query_id", "doc_id", "score"]
    )
    for kind, q, r in (("dicts", qrels, run), ("DataFrames", table_q, table_r)):
        jobs = [
            lambda q=q, r=r: ir_measures.calc_aggregate(TEN, q, r),
            lambda q=q, r=r: ir_measures.calc_aggregate([AP], q, r),
        ]
        if importlib.util.find_spec("ranx"):
            jobs.append(_ranx(kind, q, r))
        ours, ap, *rest = in_turns(*jobs, rounds=rounds if kind == "dicts" else max(3, rounds // 3))
        wanted = "0.35" if kind == "dicts" else "0.12"
        yield Row(f"ten measures, 250 x 1,000, {kind}", ours, "AP, pytrec_eval", ap, wanted)
        if rest:
            yield Row(f"ten measures, 250 x 1,000, {kind}", ours, "AP, ranx", rest[0])
        else:
            print("ranx is not installed: left out", file=sys.stderr)
    settings = [measure for measure in TWENTY if scorer_of(measure) is not None]
    ours, ap = in_turns(
        lambda: irmx.evaluator(settings, qrels, provider="irmx").calc_aggregate(run),
        lambda: ir_measures.calc_aggregate([AP], qrels, run),
        rounds=rounds,
    )
    what = f"{len(settings)} settings of the classic measures, 250 x 1,000, dicts"
    yield Row(what, ours, "AP, pytrec_eval", ap, "0.45")
    floor = _one_pass(run)
    ours, once = in_turns(lambda: ir_measures.calc_aggregate(TEN, qrels, run), floor, rounds=rounds)
    yield Row("ten measures, 250 x 1,000, dicts", ours, "floor", once)


def equal_scores(rounds: int) -> Iterator[Row]:
    """Yield ten measures on runs whose scores tie more and more: documents are then ordered by their ids."""
    qrels, run = collection()
    for places in (4, 2, 0):
        tied = {q: {d: round(s, places) for d, s in docs.items()} for q, docs in run.items()}
        jobs = (
            lambda r=tied: ir_measures.calc_aggregate(TEN, qrels, r),
            lambda r=tied: ir_measures.calc_aggregate([AP], qrels, r),
        )
        ours, ap = in_turns(*jobs, rounds=rounds)
        what = f"ten measures, 250 x 1,000, dicts, scores of {places} decimals"
        wanted = "" if places else "0.5"
        yield Row(what, ours, "AP, pytrec_eval", ap, wanted)


def _one_pass(run: dict[str, dict[str, float]]) -> Callable[[], Any]:
    return lambda: [np.fromiter(docs.values(), np.float64, len(docs)) for docs in run.values()]


def _ranx(kind: str, qrels: Any, run: Any) -> Callable[[], Any]:
    from ranx import Qrels, Run, evaluate

    if kind == "dicts":
        return lambda: evaluate(Qrels(qrels), Run(run), "map")
    ids = {"query_id": object, "doc_id": object}  # ranx does not know the str type of pandas 3
    qrels, run = qrels.astype(ids), run.astype(ids)
    names = {"q_id_col": "query_id", "doc_id_col": "doc_id"}
    return lambda: evaluate(
        Qrels.from_df(qrels, **names, score_col="relevance"), Run.from_df(run, **names, score_col="score"), "map"
    )


# -- one topic, by the closed form and by the textbook ------------------------------------------------------------------


def one_topic(rounds: int) -> Iterator[Row]:
    """Yield GL_AD_ID over 1,000 ranks: the closed form against building P and solving for its invariant distribution."""
    depth, relevant = 1000, np.sort(np.random.default_rng(1).choice(np.arange(1, 1001), 60, replace=False))
    precision = np.arange(1, 61) / relevant
    rankings = _rankings(depth, relevant, topics=1)

    def textbook() -> float:
        p = transition_matrix(GL_AD_ID, depth, relevant)
        pi = np.linalg.solve((np.eye(depth) - p + 1.0).T, np.ones(depth))[relevant - 1]
        return float(pi @ precision / pi.sum())

    def closed() -> Any:
        return (GL_AD_ID.invariant(rankings) * rankings.precision).sum()

    assert abs(closed() - textbook()) < 1e-12
    peer = "textbook: build P, solve"
    once, theirs = in_turns(closed, textbook, rounds=rounds)
    yield Row("GL_AD_ID, a topic of 1,000, one call (caches cold)", once, peer, theirs)
    often, theirs = in_turns(lambda: [closed() for _ in range(100)], textbook, rounds=rounds)
    yield Row("GL_AD_ID, a topic of 1,000, of 100 calls", often / 100, peer, theirs, "1/1,000")
    many = _rankings(depth, relevant, topics=250)
    batch, theirs = in_turns(lambda: GL_AD_ID.invariant(many) * many.precision, textbook, rounds=rounds)
    yield Row("GL_AD_ID, a topic of 1,000, of a batch of 250", batch / 250, peer, theirs, "1/1,000")


def _rankings(depth: int, relevant: Any, topics: int) -> Any:
    run = {f"q{t}": {f"d{r}": -float(r) for r in range(1, depth + 1)} for t in range(topics)}
    qrels = {f"q{t}": {f"d{r}": 1 for r in relevant.tolist()} for t in range(topics)}
    rankings = irmx.rankings(qrels, run)
    assert len(rankings.precision) == topics * len(relevant)
    return rankings


def depths(rounds: int, longest: int) -> list[tuple[int, float, float]]:
    """Return, for growing T, the seconds of GL_AD_ID over one topic from a dict, and per document."""
    out, depth = [], 1000
    while depth <= longest:
        relevant = np.unique(np.geomspace(1, depth, 60).astype(int))
        run = {"q": {f"d{r}": -float(r) for r in range(1, depth + 1)}}
        qrels = {"q": {f"d{r}": 1 for r in relevant.tolist()}}
        (seconds,) = in_turns(
            lambda q=qrels, r=run: MP(model=GL_AD_ID).calc_aggregate(q, r), rounds=max(3, rounds // 3)
        )
        out.append((depth, seconds, seconds / depth))
        depth *= 10
    return out


# -- TREC-8 ----------------------------------------------------------------------------------------------------------


def trec8_files(data: Path, scratch: str) -> tuple[Path, list[Path]]:
    """Unpack the TREC-8 ad hoc runs and qrels; returns the paths of the qrels and of the runs."""
    folder = data / "trec8_adhoc"
    with tarfile.open(folder / "runs_full_depth1000.tar.xz") as archive:
        if sys.version_info >= (3, 12):
            archive.extractall(scratch, filter="data")
        else:
            archive.extractall(scratch)
    paths = sorted(p for p in Path(scratch).rglob("input.*") if p.is_file())
    qrels_path = Path(scratch) / "trec8.qrels"
    qrels_path.write_bytes(gzip.decompress((folder / "qrels.trec8.adhoc.401-450.txt.gz").read_bytes()))
    return qrels_path, paths


def trec8(data: Path, rounds: int, count: int | None) -> Iterator[Row]:
    """Yield the 129 real runs from memory, and from their files against ir_measures."""
    with tempfile.TemporaryDirectory() as scratch:
        qrels_path, paths = trec8_files(data, scratch)
        paths = paths[:count]
        size = sum(p.stat().st_size for p in paths)
        qrels = irmx.read_qrels(str(qrels_path)).as_dict()
        mine, theirs = ir_measures.evaluator(TEN, qrels), ir_measures.evaluator([AP], qrels)
        dicts = [irmx.read_run(str(p)).as_dict() for p in paths]
        memory, ap = in_turns(
            lambda: [mine.calc_aggregate(d) for d in dicts],
            lambda: [theirs.calc_aggregate(d) for d in dicts],
            rounds=rounds,
        )
        yield Row(
            f"{len(paths)} TREC-8 runs, ten measures, from memory",
            memory,
            "AP, pytrec_eval",
            ap,
            "5 s",
        )
        evaluator = irmx.evaluator(TEN, qrels)
        files, peer, raw = in_turns(
            lambda: [evaluator.calc_aggregate(str(p)) for p in paths],
            lambda: [theirs.calc_aggregate(ir_measures.read_trec_run(str(p))) for p in paths],
            lambda: [_split(p) for p in paths],
            rounds=max(1, rounds // 5),
        )
        what = f"{len(paths)} TREC-8 run files ({size / 1e6:.0f} MB), ten measures"
        yield Row(what, files, "ir_measures.read_trec_run + AP", peer, "0.333")
        yield Row(what, files, "floor", raw)
        yield from whole_command(qrels_path, paths, max(1, rounds // 5))


def whole_command(qrels: Path, runs: list[Path], rounds: int) -> Iterator[Row]:
    """Yield the CPU time of ``irmx eval`` on the files, from start to end, against the same through pytrec_eval."""
    command = [sys.executable, "-c", "import irmx.cli; irmx.cli.main()", "eval", str(qrels), *map(str, runs), *SEVEN]
    # the uncounted round compiles the modules, which are compiled in an installation
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def by_provider(*options: str) -> Callable[[], float]:
        return lambda: _cpu_of(
            resource.RUSAGE_CHILDREN,
            lambda: subprocess.run([*command, *options], check=True, stdout=subprocess.DEVNULL, env=environment),
        )

    ours, peer, raw = least_seconds(
        by_provider(),
        by_provider("--provider", "pytrec_eval"),
        lambda: _cpu_of(resource.RUSAGE_SELF, lambda: [_split(p) for p in runs]),
        rounds=rounds,
    )
    what = f"irmx eval on {len(runs)} TREC-8 run files, seven measures, CPU time"
    yield Row(what, ours, "--provider pytrec_eval", peer, "0.6")
    yield Row(what, ours, "floor", raw, "4")


def _cpu_of(whose: int, job: Callable[[], Any]) -> float:
    """Return the seconds that a job takes of all cores, in this process or in others that it starts and waits for."""

    def seconds() -> float:
        usage = resource.getrusage(whose)
        return usage.ru_utime + usage.ru_stime

    before = seconds()
    job()
    return seconds() - before


def _split(path: Path) -> Any:
    """Read a file and part its fields, nothing else: what any reader must do."""
    import pyarrow as pa
    from pyarrow import csv

    content = path.read_bytes()
    return csv.read_csv(
        pa.BufferReader(content),
        read_options=csv.ReadOptions(autogenerate_column_names=True),
        parse_options=csv.ParseOptions(delimiter="\t", quote_char=False),
        convert_options=csv.ConvertOptions(
            include_columns=["f0", "f2", "f4"], column_types={"f0": pa.string(), "f2": pa.string(), "f4": pa.float64()}
        ),
    )


# -- report ----------------------------------------------------------------------------------------------------------


def made(quick: bool, data: Path | None) -> Made:
    """Run all and return the text and the tables."""
    rounds = 3 if quick else 15
    warnings.filterwarnings("ignore", message=".*unsafe cast from uint64.*")  # numba, about ranx
    rows = [*batches(rounds), *equal_scores(rounds), *one_topic(rounds)]
    growth = depths(rounds, 10**5 if quick else 10**6)
    if data:
        rows += trec8(data, 1 if quick else 5, 10 if quick else None)
    return report(rows, growth)


def report(rows: list[Row], growth: list[tuple[int, float, float]]) -> Made:
    """Return the text, with the rows that have a goal, and all tables."""
    goals = [row.cells() for row in rows if row.wanted]
    lines = table([*HEAD[:3], *HEAD[4:]], [[*cells[:3], *cells[4:]] for cells in goals])
    lines += ["", "[All rows](speed_standard.csv), and [one topic of up to a million documents](speed_depths.csv)."]
    lines += ["", made_with("numpy", "ir_measures", "pytrec-eval-terrier", "pyarrow"), ""]
    depths = [[f"{t:,}", shown(s), shown(p)] for t, s, p in growth]
    return "\n".join(lines), {
        "speed_standard": [HEAD, *(row.cells() for row in rows)],
        "speed_depths": [["documents", "time of MP(model=GL_AD_ID)", "per document"], *depths],
    }


ABOUT = """The ten measures are eight models of Markov Precision, NCP(law=uniform) and NCP(law=first). pytrec_eval is called
through ir_measures. The floor is the time to bring the scores of dicts into an array, or to read files and split their fields.
"""

if __name__ == "__main__":
    program(__doc__, "Standard measures and Markov Precision", ABOUT, made)
