"""The values of irmx-trec are those of the tools behind ir_measures, on runs of TREC."""

import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from ir_measures import (
    AP,
    RR,
    Bpref,
    IPrec,
    NumQ,
    NumRel,
    NumRelRet,
    NumRet,
    P,
    R,
    Rprec,
    SetAP,
    SetF,
    SetP,
    SetR,
    SetRelP,
    Success,
    infAP,
    nDCG,
)

import irmx

pytestmark = pytest.mark.real

BINARY = [AP, AP @ 100, P @ 5, P @ 10, R @ 100, R @ 1000, Rprec, RR, Success @ 1, Success @ 10]
EXACT = [
    *BINARY,
    *(measure(judged_only=True) for measure in (*BINARY, SetP, SetRelP, SetAP, SetF, IPrec @ 0.2)),
    *(SetP, SetRelP, SetAP, SetR, SetF(beta=0.5), infAP, NumQ, IPrec @ 0.0, IPrec @ 0.3, IPrec @ 1.0),
    Bpref,
    NumRel,
    NumRet,
    NumRelRet,
    nDCG,
    nDCG @ 10,
    nDCG(judged_only=True) @ 20,
    nDCG(gains={1: 3, 2: 10}) @ 10,
]


@pytest.fixture(scope="module")
def tools(beside: Callable[[str, str], ModuleType]) -> ModuleType:
    return beside(__file__, "reference_values")


def test_trec8(tools, trec8):
    qrels = irmx.read_qrels(trec8.qrels_path)
    ours, theirs = (irmx.evaluator(EXACT, qrels, provider=name) for name in ("irmx", "pytrec_eval"))
    assert len(trec8.run_paths) == 129
    for name, path in list(trec8.run_paths.items())[::6]:
        run = irmx.read_run(path)
        assert tools.largest_difference(ours.values(run), theirs.values(run))[0] == 0, name


def pairs(qrels, compared):
    """Return our evaluator, that of another provider and the difference that is allowed, of measures by provider."""
    return [
        (*(irmx.evaluator(measures, qrels, provider=name) for name in ("irmx", provider)), tolerance)
        for provider, measures, tolerance in compared
    ]


def test_trec8_without_ties(tools, trec8):
    without_ties = pairs(irmx.read_qrels(trec8.qrels_path), tools.WITHOUT_TIES)
    path = trec8.run_paths["uwmt8a0"]
    run = irmx.read_run(tools.without_ties(irmx.read_run(path).as_dict()))
    for ours, theirs, tolerance in without_ties:
        assert tools.largest_difference(ours.values(run), theirs.values(run))[0] <= tolerance, path


LEVELS = [
    AP(rel=2),
    P(rel=2) @ 10,
    Rprec(rel=3),
    RR(rel=2),
    Bpref(rel=2),
    Success(rel=3) @ 5,
    infAP(rel=2),
    SetF(rel=2),
]


@pytest.mark.parametrize("year", [2010, 2012, 2014])
def test_web_track(tools, year):
    folder = Path(os.environ["IRMX_DATA"]).resolve() / "web_diversity" / str(year)
    qrels = irmx.read_qrels(folder / "qrels.adhoc.txt.gz")
    [exactly] = pairs(qrels, [("pytrec_eval", [*EXACT, *LEVELS], 0)])
    without_ties = pairs(qrels, (*tools.WITHOUT_TIES, ("gdeval", tools.EXPONENTIAL, 5.1e-6)))
    paths = sorted((folder / "runs").glob("*.run.gz"))[::6]
    assert paths
    for path in paths:
        run = irmx.read_run(path)
        distinct = irmx.read_run(tools.without_ties(run.as_dict()))
        for (ours, theirs, tolerance), of in [(exactly, run), *((pair, distinct) for pair in without_ties)]:
            assert tools.largest_difference(ours.values(of), theirs.values(of))[0] <= tolerance, path
