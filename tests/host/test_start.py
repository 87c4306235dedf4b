"""What starting ``irmx`` costs: scoring TREC files imports no pandas, and plugins import what they use when they use it."""

import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import irmx
from irmx.demo import qrels_path, run_path

HEAVY = ("pandas", "scipy", "numba", "joblib", "rich", "ir_datasets")


READ_LATER = {
    "irmx_pages.exact_ideal",
    "irmx_pages.page_files",
    "irmx_stream.tst.tst_qrels",
    "irmx_stream.traces",
    "irmx_stream.simulated_users",
}
"""Modules that compute and read for measures and formats of plugins: imported when one of them is used."""


def modules_after(code: str) -> set[str]:
    """Return the modules that a program has imported when it ends."""
    program = f"import sys\ntry:\n    {code}\nexcept SystemExit:\n    pass\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("measures", [["AP", "nDCG@10"], ["MP(model=GL_AD_ID)"]])
def test_scoring_trec_files_imports_no_heavy_library(measures: list[str]) -> None:
    arguments = ["eval", str(qrels_path()), str(run_path("bm25")), *measures]
    loaded = modules_after(f"from irmx.cli.app import run; run({arguments!r})")
    assert not loaded & {*HEAVY, "irmx.cli.measures", "irmx_study.commands", "irmx.testing"}
    assert "irmx_markov" in loaded


@pytest.mark.parametrize("memory", ["1GB", "1kB"])
def test_a_parquet_file_imports_no_pandas(memory: str, tmp_path: Path) -> None:
    """Nor does one that is read in chunks import pyarrow.dataset, which does."""
    pd.DataFrame(irmx.read_run(run_path("bm25"))).to_parquet(tmp_path / "run.parquet")
    arguments = ["eval", str(qrels_path()), str(tmp_path / "run.parquet"), "AP", "--memory", memory]
    loaded = modules_after(f"from irmx.cli.app import run; run({arguments!r})")
    assert not loaded & {"pandas", "pyarrow.dataset"}
    assert "pyarrow.parquet" in loaded


def test_import_irmx_imports_no_data_and_no_plugin() -> None:
    loaded = modules_after("import irmx")
    assert not loaded & {*HEAVY, "pyarrow", "typer", "pluggy", "irmx.data", "irmx.adapters.ir_datasets"}


def test_plugins_import_what_they_register_only() -> None:
    loaded = modules_after("import irmx; irmx.registry()")
    assert not loaded & {*HEAVY, "pyarrow", "typer", *READ_LATER}


def test_measures_in_dicts_import_no_pandas() -> None:
    code = "import irmx; irmx.calc_aggregate('AP NCP(law=uniform)', {'q': {'a': 1, 'ä': 2}}, {'q': {'ä': 1.0}})"
    assert not modules_after(code) & set(HEAVY)


@pytest.mark.skipif(os.name == "nt", reason="closes streams as a POSIX shell does")
def test_messages_without_standard_error_are_not_printed_among_the_results() -> None:
    """Nor does a file that is opened get the number of a stream that is closed."""
    code = "import os, irmx_command as c; c.open_streams(); assert os.open(os.devnull, 0) > 2; c.main()"
    words = [sys.executable, "-c", code, "eval", "nowhere", "nowhere", "AP"]
    done = subprocess.run(["sh", "-c", '"$0" "$@" <&- 2>&-', *words], stdout=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (1, b"")
