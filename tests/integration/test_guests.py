"""The examples of irmx in other tools: each program runs as a user would run it, and says what irmx says elsewhere."""

import importlib.util
import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.multitest import multipletests

import irmx
from irmx.demo import qrels_path, run_path

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
PROGRAMS = sorted(EXAMPLES.glob("*.py"))


def run(*words: str | Path) -> str:
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_an_example_is_short(program: Path) -> None:
    assert len(program.read_text(encoding="utf-8").splitlines()) <= 60


def test_pyterrier_beside_two_baselines() -> None:
    pytest.importorskip("pyterrier")
    tables = run(EXAMPLES / "pyterrier_baselines.py").split(" measure ")
    one, several = (
        pd.read_csv(io.StringIO(table), sep=r"\s+(?=\S)(?!p-value|corrected)", engine="python")
        for table in (tables[0], f"measure {tables[1]}")
    )
    for measure, pairs in several.groupby("measure"):
        pairs = pairs.set_index(["a", "b"])
        assert set(pairs.index) == {("recent", "bm25"), ("titles", "bm25"), ("titles", "recent")}
        np.testing.assert_allclose(pairs["p_corrected"], multipletests(pairs["p"], method="holm")[1], atol=1e-6)
        by_pyterrier = multipletests(pairs.loc[(slice(None), "bm25"), "p"], method="holm")[1]
        np.testing.assert_allclose(one[f"{measure} p-value corrected"][1:], by_pyterrier, atol=1e-6)


@pytest.mark.skipif(importlib.util.find_spec("mteb") is None, reason="mteb is not installed; with torch it takes 2 GB")
def test_mteb_scores_a_task_by_irmx(tmp_path: Path) -> None:
    program = EXAMPLES / "mteb_task.py"
    of_irmx = dict(line.split(" ") for line in run(program, tmp_path).splitlines())
    wanted = irmx.calc_aggregate("nDCG@10 MP(model=GL_AD_ID)", qrels_path(), run_path("bm25"))
    assert {name: float(value) for name, value in of_irmx.items()} == {
        "ndcg_at_10": round(wanted[irmx.parse_measure("nDCG@10")], 5), **{str(m): round(v, 5) for m, v in wanted.items()}
    }  # fmt: skip
    used = "import runpy, sys; sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='example'); import mteb._evaluators.retrieval_metrics as m; print(m.pytrec_eval.__name__)"
    assert run("-c", used, program).strip() == "irmx_trec"
