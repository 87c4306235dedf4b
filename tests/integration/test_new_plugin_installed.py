"""A new plugin, installed into a clean environment next to irmx: its tests, and its measure wherever measures work."""

from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

IRMX = ("-c", "from irmx.cli import main; main()")


@pytest.fixture(scope="module")
def installed(clean_environment, shell, tmp_path_factory) -> tuple[Callable, Path]:
    """A function that runs the interpreter of an environment with a new plugin, and the plugin's folder."""
    folder = tmp_path_factory.mktemp("new")
    assert shell("new-plugin", "word-budget", "--measure", "WB", "--into", folder).code == 0
    plugin = folder / "irmx-word-budget"
    (folder / "some.qrels").write_text("q 0 a 1\nq 0 b 1\nr 0 a 1\n")
    (folder / "some.run").write_text("q Q0 x 1 3.0 t\nq Q0 a 2 2.0 t\nq Q0 b 3 1.0 t\nr Q0 a 1 1.0 t\n")
    return clean_environment(folder, plugin), plugin


def test_its_tests_pass(installed):
    do, plugin = installed
    done = do("-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=plugin)
    assert done.code == 0, done.out
    assert "passed" in done.out
    assert "failed" not in done.out


def test_it_works_from_the_shell(installed):
    do, _ = installed
    done = do(*IRMX, "eval", "some.qrels", "some.run", "WB", "WB(j=2)@10", "WB(j=2)@2", "RR")
    assert done.out == "WB\t0.7500\nWB(j=2)@10\t0.1667\nWB(j=2)@2\t0.0000\nRR\t0.7500\n", done.err
    assert "**WB.** The reciprocal rank of the j-th relevant document." in do(*IRMX, "measures", "WB").out
    assert "word-budget (irmx-word-budget) 0.1.0\n  measures: WB" in do(*IRMX, "plugins").out
    assert "title = {WB, a measure of retrieval}" in do(*IRMX, "cite", "WB").out
    assert "must be an int in the range [1, inf). Got 0" in do(*IRMX, "eval", "some.qrels", "some.run", "WB(j=0)").err


IR_MEASURES = """
import irmx, ir_measures
qrels = list(ir_measures.read_trec_qrels("some.qrels"))
run = list(ir_measures.read_trec_run("some.run"))
measure = ir_measures.parse_measure("WB(j=2)@10")
print(measure == irmx.WB(j=2) @ 10, ir_measures.calc_aggregate([measure, ir_measures.RR], qrels, run))
"""


def test_it_works_from_ir_measures(installed):
    do, _ = installed
    done = do("-W", "error::irmx.PluginWarning", "-c", IR_MEASURES)
    assert done.out.startswith("True {"), done.err
    assert "WB(j=2)@10: 0.1666" in done.out
    assert "RR: 0.75" in done.out


PYTERRIER = """
import pandas as pd
import pyterrier as pt
from pyterrier.measures import RR, WB

topics = pd.DataFrame({"qid": ["q", "r"], "query": ["one", "two"]})
qrels = pd.DataFrame({"qid": ["q", "q", "r"], "docno": ["a", "b", "a"], "label": 1})
run = pd.DataFrame(
    {"qid": list("qqqr"), "docno": list("xaba"), "score": [3.0, 2.0, 1.0, 1.0], "rank": [0, 1, 2, 0], "query": "one"}
)
found = pt.Experiment([run], topics, qrels, [WB, WB(j=2) @ 10, RR], names=["some"])
print(found[["WB", "WB(j=2)@10", "RR"]].round(4).values.tolist())
"""


def test_it_works_from_pyterrier(installed):
    do, _ = installed
    done = do("-c", PYTERRIER)
    assert done.out.strip().endswith("[[0.75, 0.1667, 0.75]]"), done.err
