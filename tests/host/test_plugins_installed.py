"""A plugin built and installed in a clean environment is found and used in every way; one that hangs can be left."""

import os
import signal
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

FIXTURES = Path(__file__).parent.parent / "fixtures"
QRELS, RUN = "q 0 a 1\nq 0 b 0\n", "q Q0 b 1 2.0 t\nq Q0 a 2 1.0 t\n"
Do = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def do(tmp_path_factory: pytest.TempPathFactory) -> Do:
    """Return a function that runs the interpreter of an environment with all plugins of the fixtures installed."""
    folder = tmp_path_factory.mktemp("plugins")
    venv.create(folder / "env", with_pip=False, symlinks=True)
    scripts = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / "python"
    paths = {"base": str(folder / "env"), "platbase": str(folder / "env")}
    site = Path(sysconfig.get_path("purelib", vars=paths))
    ours = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    site.joinpath("ours.pth").write_text("".join(f"import site; site.addsitedir({p!r})\n" for p in sorted(ours)))
    wheel(FIXTURES / "good", folder / "wheels")
    for file in sorted((folder / "wheels").glob("*.whl")):
        unpack(file, site)

    wheel(FIXTURES / "hanging", folder / "hanging")
    (hanging,) = (folder / "hanging").glob("*.whl")  # apart: it is importable where PYTHONPATH names it

    def run(*arguments: object, hang: bool = False, **environment: str) -> subprocess.CompletedProcess[str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("IRMX_", "PYTHON"))}
        path = {"PYTHONPATH": str(hanging)} if hang else {}
        with subprocess.Popen(
            [str(python), *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            cwd=folder,
            env={**kept, "COLUMNS": "200", "PYTHONUTF8": "1", **path, **environment},
        ) as process:
            before = ""
            if hang:
                assert process.stderr is not None
                before = process.stderr.readline()  # what the plugin prints before it waits
                process.send_signal(signal.SIGINT)
            out, err = process.communicate()
        return subprocess.CompletedProcess(process.args, process.returncode, out, before + err)

    (folder / "some.qrels").write_text(QRELS)
    (folder / "some.run").write_text(RUN)
    return run


def wheel(source: Path, target: Path) -> None:
    """Build the wheel of a distribution as its build backend does, without the network."""
    target.mkdir(exist_ok=True)
    code = f"import hatchling.build as b; print(b.build_wheel({str(target)!r}))"
    subprocess.run([sys.executable, "-c", code], cwd=source, check=True, capture_output=True)


def unpack(file: Path, site: Path) -> None:
    """Install a pure wheel without scripts, which is to unpack it."""
    import zipfile

    with zipfile.ZipFile(file) as archive:
        archive.extractall(site)


IRMX = (
    "-c",
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from irmx.cli import main; main()",
)
"""The command; Ctrl-C stops it, also where that was switched off for the tests."""


def test_a_plugin_works_from_the_shell(do: Do) -> None:
    measures = ("ZFirstRank(patience=steady(left=0.25))", "AP", "NCP(law=uniform)")
    done = do(*IRMX, "eval", "some.qrels", "some.run", *measures)
    assert done.returncode == 0
    assert done.stdout == "ZFirstRank(patience=steady(left=0.25))\t0.2500\nAP\t0.5000\nNCP(law=uniform)\t0.5000\n"


def test_its_scorer_computes_a_measure_of_ir_measures(do: Do) -> None:
    asked = (*IRMX, "eval", "some.qrels", "some.run", "SetR")
    assert do(*asked).stdout == do(*asked, "--provider", "irmx").stdout == "SetR\t1.0000\n"
    assert do(*asked, "--provider", "pytrec_eval").stdout == "SetR\t1.0000\n"
    assert do(*asked, "--provider", "irmx", IRMX_DISABLED_PLUGINS="fixture").returncode == 2
    assert "The plugin fixture (irmx-fixture 1.2.3)" in do(*IRMX, "measures", "SetR").stdout


def test_its_format_dataset_report_and_command_work(do: Do, tmp_path: Path) -> None:
    run = tmp_path / "x.pairs"
    run.write_text("q>b=2\nq>a=1\n")
    for source in (run, f"pairs:{run}"):
        done = do(*IRMX, "eval", "irmx-fixture/some", source, "ZFirstRank(patience=steady)")
        assert done.stdout == "ZFirstRank(patience=steady)\t0.5000\n", done.stderr
    assert do(*IRMX, "eval", "some.qrels", "some.run", "AP", "RR", "-q", "-o", "count").stdout == "rows: 4\n"
    assert do(*IRMX, "greet", "reader").stdout == "Good day, reader.\n"
    assert "greet " in do(*IRMX, "--help").stdout
    done = do(*IRMX, "fixture", "count", "some.run", "AP P@5", "--out", tmp_path / "n.txt")  # by names of irmx.toolkit
    assert (done.returncode, done.stdout) == (0, "run,measure\nsome.run,AP\nsome.run,P@5\n"), done.stderr
    assert "irmx: 2 measures\n" in done.stderr
    assert (tmp_path / "n.txt").read_text() == "1\n"
    run.write_text("q>b=2\nq b\n")
    done = do(*IRMX, "eval", "some.qrels", run, "AP")
    assert done.returncode == 1
    assert "x.pairs, line 2" in done.stderr


def test_it_works_from_ir_measures(do: Do) -> None:
    code = """
import irmx, ir_measures
measure = ir_measures.parse_measure("ZFirstRank(patience=steady,rel=1)@10")
assert irmx.ZFirstRank.NAME == measure.NAME
print(ir_measures.calc_aggregate([measure, ir_measures.AP], {"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}}))
"""
    done = do("-W", "ignore", "-c", code)
    assert "ZFirstRank(patience=steady)@10: 0.5" in done.stdout, done.stderr
    assert "AP: 0.5" in done.stdout


def test_its_offers_are_listed(do: Do) -> None:
    shown = do(*IRMX, "plugins")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout.startswith("irmx (host)")
    assert "fixture (irmx-fixture) 1.2.3" in shown.stdout
    for what in ("measures: ZFirstRank", "scorers: SetR", "symbols: steady", "formats: pairs", "datasets: irmx-fixture/some",
                 "commands: greet", "output formats: count", "measures: NCP"):  # fmt: skip
        assert what in shown.stdout


@pytest.mark.skipif(os.name == "nt", reason="sends the signal of Ctrl-C as POSIX has it")
def test_ctrl_c_leaves_a_plugin_that_hangs(do: Do) -> None:
    done = do(*IRMX, "eval", "some.qrels", "some.run", "AP", hang=True, IRMX_LOAD_PLUGINS="hanging,ncp")
    said = "hanging: waiting for a server\nirmx: stopped\n"
    assert (done.returncode, done.stdout, done.stderr) == (130, "", said)


def test_datasets_of_plugins_are_datasets_of_ir_datasets_and_pyterrier(do: Do) -> None:
    code = """
import irmx, sys
assert "ir_datasets" not in sys.modules
import ir_datasets
own = ir_datasets.load("irmx-fixture/some")
assert [tuple(q) for q in own.qrels_iter()] == [("q", "a", 1, "0"), ("q", "b", 0, "0")]
assert own.dataset_id() == "irmx-fixture/some"
assert ir_datasets.load("irmx-fixture/some") is own is irmx.collections.dataset("irmx-fixture/some")
import pyterrier
assert list(pyterrier.get_dataset("irds:irmx-fixture/some").get_qrels()["docno"]) == ["a", "b"]
irmx.uninstall()
assert ir_datasets.load("irmx-fixture/some") is own  # what it has loaded stays
print(irmx.calc_aggregate("AP", "irmx-fixture/some", {"q": {"a": 1.0}}))
"""
    done = do("-W", "ignore", "-c", code, IRMX_LOAD_PLUGINS="fixture")
    assert done.stdout == "{AP: 1.0}\n", done.stderr


def test_datasets_of_plugins_are_listed(do: Do) -> None:
    shown = do(*IRMX, "datasets", "irmx-fixture", "-o", "tsv", IRMX_LOAD_PLUGINS="fixture")
    assert shown.stdout.splitlines()[1:] == ["irmx-fixture/some\titeration\t\tfixture (irmx-fixture 1.2.3)"]
