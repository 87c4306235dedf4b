"""Plugin distributions, built and installed in a clean environment: found, used, and harmless where they are broken."""

import os
import signal
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

FIXTURES = Path(__file__).parent.parent / "fixtures"
GOOD, BAD, CLAIMING = "good", ("broken", "raising", "newer", "wrong", "quitting"), ("taken", "clash")
HANGING, HOST = "hanging", "irmx (host)"
INSTALLED = sorted({point.name for point in metadata.entry_points(group="irmx")})
"""The plugins that are installed beside this checkout; the environment of the tests has them, too."""
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
    for name in (GOOD, *BAD, *CLAIMING):
        wheel(FIXTURES / name, folder / "wheels")
    for file in sorted((folder / "wheels").glob("*.whl")):
        unpack(file, site)

    wheel(FIXTURES / HANGING, folder / HANGING)
    (hanging,) = (folder / HANGING).glob("*.whl")  # apart: it is importable where PYTHONPATH names it

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
    done = do(
        *IRMX, "eval", "some.qrels", "some.run", "ZFirstRank(patience=steady(left=0.25))", "AP", "NCP(law=uniform)"
    )
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


REASONS = {
    "broken": "libvector.so.7 is not there",
    "raising": "its hook irmx_measures raised KeyError: 'no table of constants'",
    "newer": "it needs irmx >=999; this is irmx",
    "wrong": "its hook irmx_measures returned ZAlone; a list of objects is expected",
    "quitting": "SystemExit: 3",
}


def test_broken_plugins_are_reported_with_name_and_reason(do: Do) -> None:
    shown = do(*IRMX, "plugins")
    assert shown.returncode == 0
    for name, reason in REASONS.items():
        assert f"{name} (irmx-{name})" in shown.stdout
        assert f"not in use: {reason}" in shown.stdout or f"not in use: ImportError: {reason}" in shown.stdout
        assert any(name in line and reason in line for line in shown.stderr.splitlines())
    assert shown.stdout.startswith(HOST)
    assert "quitting: there is no licence" in shown.stderr
    assert "fixture (irmx-fixture) 1.2.3" in shown.stdout
    for what in ("measures: ZFirstRank", "scorers: SetR", "symbols: steady", "formats: pairs", "datasets: irmx-fixture/some",
                 "commands: greet", "measures: ZTaken", "output formats: count", "measures: NCP"):  # fmt: skip
        assert what in shown.stdout


REFUSED = {
    "MP": {"taken": "markov (irmx-markov 0.2.0) ships with irmx and has the name."},
    "AP": {"clash": "ir_measures already has this name."},
    "ZShared": {"taken": "clash (irmx-clash 0.4) claims it, too.", "clash": "taken (irmx-taken 0.3) claims it, too."},
}


def test_a_name_that_several_plugins_claim_is_refused_and_shown_with_the_reason(do: Do) -> None:
    shown = do(*IRMX, "plugins")
    for name, reasons in REFUSED.items():
        for plugin, reason in reasons.items():
            part = shown.stdout.partition(f"{plugin} (irmx-{plugin}) ")[2]
            assert f"refused: measures {name}: {reason}" in "\n".join(part.splitlines()[:4])
            assert any(
                f"'{name}' of the irmx plugin {plugin}" in line and reason in line for line in shown.stderr.splitlines()
            )
    asked = ("eval", "some.qrels", "some.run")
    assert do(*IRMX, *asked, "MP(model=GL_AD_ID)", "ZTaken").stdout == "MP(model=GL_AD_ID)\t0.5000\nZTaken\t2.0000\n"
    assert do(*IRMX, *asked, "ZShared").returncode == 2
    assert do(*IRMX, *asked, "ZShared", IRMX_DISABLED_PLUGINS="clash").stdout == "ZShared\t2.0000\n"


def test_a_refused_plugin_leaves_nothing_behind(do: Do) -> None:
    done = do(
        "-W",
        "ignore",
        "-c",
        "import irmx; r = irmx.registry(); print('ghost' in r.attributes(), r.measures()['ZFirstRank'])",
    )
    assert done.stdout.split()[0] == "False", done.stderr
    assert do(*IRMX, "eval", "some.qrels", "some.run", "AP", "-p", "-1").stdout == "AP\t0.5\n"


def loaded(do: Do, **environment: str) -> tuple[list[str], str]:
    code = "import irmx; print(*(p.name for p in irmx.registry().plugins.values() if not p.failure), sep=',')"
    done = do("-c", code, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().split(","), done.stderr


def test_the_environment_chooses_plugins(do: Do) -> None:
    there = sorted([*INSTALLED, "fixture", *CLAIMING])
    assert loaded(do)[0] == [HOST, *there]
    assert loaded(do, IRMX_LOAD_PLUGINS="") == ([HOST], "")
    assert loaded(do, IRMX_LOAD_PLUGINS="ncp") == ([HOST, "ncp"], "")
    assert loaded(do, IRMX_LOAD_PLUGINS="irmx-ncp, fixture") == ([HOST, "fixture", "ncp"], "")
    without = ",".join(f"irmx-{name}" if name == "wrong" else name for name in BAD)
    assert loaded(do, IRMX_DISABLED_PLUGINS=without)[0] == [HOST, *there]
    some = [name for name in there if name != "ncp"]
    assert loaded(do, IRMX_DISABLED_PLUGINS=",".join([without, *some])) == ([HOST, "ncp"], "")
    assert loaded(do, IRMX_LOAD_PLUGINS="ncp,markov", IRMX_DISABLED_PLUGINS="ncp") == ([HOST, "markov"], "")


def test_a_name_that_is_not_installed_is_warned_of(do: Do) -> None:
    for variable in ("IRMX_LOAD_PLUGINS", "IRMX_DISABLED_PLUGINS"):
        said = loaded(do, **{variable: "ncpp"})[1]
        assert f"{variable} names 'ncpp', which is not installed. Did you mean ncp?" in said


def test_plugins_that_the_environment_leaves_out_are_shown(do: Do) -> None:
    shown = do(*IRMX, "plugins", IRMX_LOAD_PLUGINS="ncp").stdout
    assert "not in use: not listed in IRMX_LOAD_PLUGINS" in shown
    assert "not in use: listed in IRMX_DISABLED_PLUGINS" in do(*IRMX, "plugins", IRMX_DISABLED_PLUGINS="ncp").stdout


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
