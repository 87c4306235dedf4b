"""A plugin built and installed in a clean environment is found and used in every way."""

from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

FIXTURE = Path(__file__).parent.parent / "fixtures" / "good"
QRELS, RUN = "q 0 a 1\nq 0 b 0\n", "q Q0 b 1 2.0 t\nq Q0 a 2 1.0 t\n"
IRMX = ("-c", "from irmx.cli import main; main()")


@pytest.fixture(scope="module")
def do(clean_environment: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return a function that runs the interpreter of an environment with the plugin of the fixtures installed."""
    folder = tmp_path_factory.mktemp("plugins")
    (folder / "some.qrels").write_text(QRELS)
    (folder / "some.run").write_text(RUN)
    return clean_environment(folder, FIXTURE)


def test_a_plugin_works_from_the_shell(do: Any) -> None:
    measures = ("ZFirstRank(patience=steady(left=0.25))", "AP", "NCP(law=uniform)")
    done = do(*IRMX, "eval", "some.qrels", "some.run", *measures)
    assert done.code == 0
    assert done.out == "ZFirstRank(patience=steady(left=0.25))\t0.2500\nAP\t0.5000\nNCP(law=uniform)\t0.5000\n"


def test_its_scorer_computes_a_measure_of_ir_measures(do: Any) -> None:
    asked = (*IRMX, "eval", "some.qrels", "some.run", "Accuracy")
    assert do(*asked).out == do(*asked, "--provider", "irmx").out == "Accuracy\t0.0000\n"
    assert do(*asked, "--provider", "accuracy").out == "Accuracy\t0.0000\n"
    assert do(*asked, "--provider", "irmx", IRMX_DISABLED_PLUGINS="fixture").code == 2
    assert "The plugin fixture (irmx-fixture 1.2.3)" in do(*IRMX, "measures", "Accuracy").out


def test_its_format_dataset_report_and_command_work(do: Any, tmp_path: Path) -> None:
    run = tmp_path / "x.pairs"
    run.write_text("q>b=2\nq>a=1\n")
    for source in (run, f"pairs:{run}"):
        done = do(*IRMX, "eval", "irmx-fixture/some", source, "ZFirstRank(patience=steady)")
        assert done.out == "ZFirstRank(patience=steady)\t0.5000\n", done.err
    assert do(*IRMX, "eval", "some.qrels", "some.run", "AP", "RR", "-q", "-o", "count").out == "rows: 4\n"
    assert do(*IRMX, "greet", "reader").out == "Good day, reader.\n"
    assert "greet " in do(*IRMX, "--help").out
    done = do(*IRMX, "fixture", "count", "some.run", "AP P@5", "--out", tmp_path / "n.txt")  # by names of irmx.toolkit
    assert (done.code, done.out) == (0, "run,measure\nsome.run,AP\nsome.run,P@5\n"), done.err
    assert "irmx: 2 measures\n" in done.err
    assert (tmp_path / "n.txt").read_text() == "1\n"
    run.write_text("q>b=2\nq b\n")
    do(*IRMX, "eval", "some.qrels", run, "AP").assert_refused(1, "x.pairs, line 2")


def test_it_works_from_ir_measures(do: Any) -> None:
    code = """
import irmx, ir_measures
measure = ir_measures.parse_measure("ZFirstRank(patience=steady,rel=1)@10")
assert irmx.ZFirstRank.NAME == measure.NAME
print(ir_measures.calc_aggregate([measure, ir_measures.AP], {"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}}))
"""
    done = do("-W", "ignore", "-c", code)
    assert "ZFirstRank(patience=steady)@10: 0.5" in done.out, done.err
    assert "AP: 0.5" in done.out


def test_its_offers_are_listed(do: Any) -> None:
    shown = do(*IRMX, "plugins")
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.startswith("irmx (host)")
    assert "fixture (irmx-fixture) 1.2.3" in shown.out
    for what in ("measures: ZFirstRank", "scorers: Accuracy", "symbols: steady", "formats: pairs", "datasets: irmx-fixture/some",
                 "commands: greet", "output formats: count", "measures: NCP"):  # fmt: skip
        assert what in shown.out


def test_datasets_of_plugins_are_datasets_of_ir_datasets_and_pyterrier(do: Any) -> None:
    code = """
import irmx, sys
assert "ir_datasets" not in sys.modules
own = irmx.collections.dataset("irmx-fixture/some")
import ir_datasets
assert [tuple(q) for q in own.qrels_iter()] == [("q", "a", 1, "0"), ("q", "b", 0, "0")]
assert own.dataset_id() == "irmx-fixture/some"
assert ir_datasets.load("irmx-fixture/some") is own
import pyterrier
assert list(pyterrier.get_dataset("irds:irmx-fixture/some").get_qrels()["docno"]) == ["a", "b"]
irmx.uninstall()
assert ir_datasets.load("irmx-fixture/some") is own  # what it has loaded stays
print(irmx.calc_aggregate("AP", "irmx-fixture/some", {"q": {"a": 1.0}}))
"""
    done = do("-W", "ignore", "-c", code, IRMX_LOAD_PLUGINS="fixture")
    assert done.out == "{AP: 1.0}\n", done.err


def test_datasets_of_plugins_are_listed(do: Any) -> None:
    shown = do(*IRMX, "datasets", "irmx-fixture", "-o", "tsv", IRMX_LOAD_PLUGINS="fixture")
    assert shown.out.splitlines()[1:] == ["irmx-fixture/some\titeration\t\tfixture (irmx-fixture 1.2.3)"]
