"""The example plugins of the documentation, installed into a clean environment as anybody's would be."""

import ast
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import irmx

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
NAMES = ("irmx-ncg", "irmx-need", "irmx-umeasure")
FEWER = """
from hypothesis import settings
settings.register_profile("fewer", max_examples=25)
settings.load_profile("fewer")
"""
IRMX = ("-c", "from irmx.cli import main; main()")


@pytest.fixture(scope="module")
def do(clean_environment, tmp_path_factory) -> Callable:
    """Run the interpreter of an environment with all example plugins."""
    folder = tmp_path_factory.mktemp("examples")
    (folder / "some.qrels").write_text("q 0 a 1\nq 0 b 2\nq 0 c 0\n")
    rows = ["q,a,4.0,1000", "q,x,3.0,8000", "q,b,2.0,3000", "q,c,1.0,500"]
    (folder / "some.csv").write_text("\n".join(["query_id,doc_id,score,length", *rows]) + "\n")
    return clean_environment(folder, *(EXAMPLES / name for name in NAMES))


def test_every_example_is_tested():
    assert sorted(p.name for p in EXAMPLES.iterdir() if p.is_dir()) == sorted(NAMES)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_its_own_tests_pass(do, name, tmp_path):
    copied = shutil.copytree(EXAMPLES / name, tmp_path / name)  # what the tests leave behind stays out of the checkout
    (copied / "conftest.py").write_text(FEWER)
    done = do("-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=copied)
    assert done.code == 0, done.out
    assert " passed" in done.out


@pytest.mark.slow
def test_they_work_from_the_shell_beside_others(do):
    done = do(
        *IRMX, "eval", "some.qrels", "some.csv", "NCG@2", "NCG", "U(L=10000,max_grade=2)", "nDCG@2", "NCP(law=uniform)"
    )
    values = dict(line.split("\t") for line in done.out.splitlines())
    assert [values["NCG@2"], values["NCG"], values["U(L=10000.0,max_grade=2)"]] == ["0.3333", "1.0000", "0.8850"], (
        done.err
    )
    explained = do(*IRMX, "explain", "some.qrels", "some.csv", "U(L=10000,max_grade=2)", "-t", "q", "-o", "tsv").out
    assert explained.splitlines()[1].split("\t") == ["1", "a", "1", "1.000000", "400.000000", "0.250000", "0.960000", "0.240000"]  # fmt: skip
    plugins = do(*IRMX, "plugins").out
    needed = do(*IRMX, "eval", "some.qrels", "some.csv", "CWL(user=need(n=2))", "CWL(user=need(n=2),value=ED)").out
    assert [line.split("\t")[1] for line in needed.splitlines()] == ["0.6667", "3.0000"]
    assert "ncg (irmx-ncg) 0.1.0\n  measures: NCG" in plugins
    assert "umeasure (irmx-umeasure) 0.1.0\n  measures: U" in plugins


@pytest.mark.slow
def test_one_column_in_two_units_is_warned_of(do):
    (said,) = {
        line
        for line in do(*IRMX, "eval", "some.qrels", "some.csv", "U", "MSU(MD=60,MA=3600)").err.splitlines()
        if "length" in line and "words" in line
    }
    assert "U reads the run column 'length' in characters, MSU(" in said
    assert "in words: one of them is wrong. Compute them separately, each on its own table." in said


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*/src/**/*.py")), ids=lambda p: p.name)
def test_they_import_only_the_public_names_of_irmx(file):
    own = file.parent.name
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported = {alias.name for alias in node.names}
            assert not {n for n in imported if n.startswith("irmx")}, imported
        if isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] not in {
            own,
            *sys.stdlib_module_names,
        }:
            assert node.module in ("irmx", "irmx.ragged")
            public = irmx.__all__ if node.module == "irmx" else dir(irmx.ragged)
            assert {alias.name for alias in node.names} <= set(public)
