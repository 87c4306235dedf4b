"""What ``import irmx`` does to ir_measures, how it is undone, and what it costs; measures that no provider computes."""

import ast
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ir_measures
import pytest

import irmx
from irmx.demo import qrels_path, run_path


def in_a_new_process(code: str) -> str:
    """Return what a program prints; it fails where the program does."""
    done = subprocess.run([sys.executable, "-W", "error::UserWarning", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


STATE = """
import ir_measures
from ir_measures import AP, RBP, RR, Accuracy
qrels, run = {"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}}
def state():
    return (list(map(id, ir_measures.DefaultPipeline.providers)), dict(ir_measures.measures.registry),
            dict(ir_measures.providers.registry), ir_measures.parse_measure, ir_measures.util.parse_measure)
def who(measure):
    return next(p.NAME for p in ir_measures.DefaultPipeline.providers if p.supports(measure))
def providers():
    return [p.NAME for p in ir_measures.DefaultPipeline.providers]
before, stock = state(), providers()
import irmx
"""
PROGRAMS = {
    "uninstall puts everything back": """
irmx.uninstall()
assert state() == before
""",
    "also after it was used": """
irmx.parse_measure("MP(model=GL_AD_ID)")
irmx.install()
irmx.uninstall()
assert state() == before
""",
    "install again works": """
def works():
    MP = ir_measures.parse_measure("MP(model=GL_AD_ID)@100")
    assert ir_measures.calc_aggregate([MP, AP], qrels, run) == {MP: 0.5, AP: 0.5}
works()
installed = state()
irmx.uninstall()
assert state() == before
try:
    ir_measures.parse_measure("MP")
except NameError:
    pass
else:
    raise AssertionError("MP is still known")
assert irmx.calc_aggregate("NCP(law=first) RR", qrels, run) == {irmx.parse_measure("NCP(law=first)"): 0.5, RR: 0.5}
for _ in range(2):
    irmx.install()
assert state() == installed
works()
""",
    "scorers are asked first if the user says so": """
assert providers() == [*stock, "irmx"] and who(AP) == "pytrec_eval"
for _ in range(2):
    irmx.install(first=True)
    assert providers() == ["irmx", *stock]
assert who(AP) == who(RR @ 10) == "irmx" and who(Accuracy) == "accuracy"
assert ir_measures.calc_aggregate([AP, RR @ 1, Accuracy], qrels, run) == {AP: 0.5, RR @ 1: 0.0, Accuracy: 0.0}
irmx.install()
assert providers() == [*stock, "irmx"] and who(AP) == "pytrec_eval"
irmx.install(first=True)
irmx.uninstall()
assert state() == before
""",
    "a scorer does what a provider cannot": """
assert who(RBP) == "irmx" and who(RBP(rel=1)) == "cwl_eval"
assert ir_measures.calc_aggregate([AP, RBP(p=0.5)], qrels, run) == {AP: 0.5, RBP(p=0.5): 0.25}
""",
    "threads that ask at once all find the plugins": """
import sys, threading
sys.setswitchinterval(1e-6)
found = []
threads = [threading.Thread(target=lambda: found.append(sorted(irmx.registry().measures()))) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(found) == 8 and all("MP" in names and names == found[0] for names in found), found
""",
    "there need be no standard output": """
import sys
for stream in ("stdout", "stderr"):
    setattr(sys, stream, None)
irmx.registry()
assert "MP" in irmx.registry().measures()
""",
    "a warning made an error leaves no half-filled registry": """
import os
os.environ["IRMX_DISABLED_PLUGINS"] = "nothing-of-this-name"
try:
    irmx.registry()
except irmx.PluginWarning:
    pass
else:
    raise AssertionError("no warning")
del os.environ["IRMX_DISABLED_PLUGINS"]
assert "MP" in irmx.registry().measures() and "MP" in ir_measures.measures.registry
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_importing_irmx_does(name: str) -> None:
    in_a_new_process(STATE + PROGRAMS[name])


def test_an_experiment_of_pyterrier_gives_the_same_with_scorers_first() -> None:
    in_a_new_process(
        STATE
        + """
import pandas as pd, pyterrier as pt
from unittest import mock
topics = pd.DataFrame({"qid": ["q"], "query": ["some words"]})
results = pt.Transformer.from_df(pd.DataFrame({"qid": "q", "docno": ["b", "a"], "score": [2.0, 1.0], "rank": [0, 1]}))
judged = pd.DataFrame({"qid": ["q"], "docno": ["a"], "label": [1]})
def experiment():
    return pt.Experiment([results], topics, judged, ["map", RR], names=["some"]).to_dict("records")
stock = experiment()
assert stock == [{"name": "some", "map": 0.5, "RR": 0.5}], stock
irmx.install(first=True)
with mock.patch.object(ir_measures.providers.registry["pytrec_eval"], "_evaluator", side_effect=AssertionError):
    assert experiment() == stock
"""
    )


def test_stock_measures_come_out_as_without_irmx() -> None:
    code = """
import ir_measures
{}
qrels, run = {{"q": {{"a": 1, "b": 2, "c": 0}}, "r": {{"d": 1}}}}, {{"q": {{"c": 3.0, "b": 2.0, "a": 1.0}}}}
from ir_measures import AP, nDCG, P, RBP, Rprec
measures = [AP, nDCG@2, P(rel=2)@5, RBP(p=0.8, rel=1), Rprec]
print(sorted((str(m), float(v)) for m, v in ir_measures.calc_aggregate(measures, qrels, run).items()))
"""
    assert in_a_new_process(code.format("import irmx")) == in_a_new_process(code.format(""))


def test_public_names_are_listed_once_and_are_there() -> None:
    assert sorted(irmx.__all__) == irmx.__all__
    stub = ast.parse(Path(irmx.__file__).with_suffix(".pyi").read_text())
    imported = [alias.asname for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert sorted([*imported, "registry"]) == irmx.__all__  # type: ignore[type-var]
    for name in irmx.__all__:
        assert getattr(irmx, name) is not None
    assert {*irmx.__all__, "MP", "NCP"} <= set(dir(irmx))
    assert not {"GL_AD_ID", "uniform", "t", "counted", "join"} & set(dir(irmx))
    assert {"GL_AD_ID", "uniform", "t"} <= set(dir(irmx.symbols))
    assert irmx.symbols.GL_AD_ID is irmx.GL_AD_ID
    for name in irmx.toolkit.__all__:
        assert getattr(irmx.toolkit, name) is not None
    assert irmx.MP is irmx.registry().measures()["MP"]
    with pytest.raises(AttributeError, match="NoSuchThing"):
        _ = irmx.NoSuchThing


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("collections", ["Dataset", "Field", "dataset", "judgments", "judgments_with", "qrels_table"]),
        ("pt", ["DocumentColumn", "column", "qrels"]),
    ],
)
def test_public_modules_are_imported_in_every_way_and_show_their_names_alone(module: str, names: list[str]) -> None:
    every = f"from irmx.{module} import *\nprint({', '.join(f'{name}.__name__' for name in names)})"
    for way in (f"from irmx import {module} as m", f"import irmx; m = irmx.{module}"):
        shown, objects = in_a_new_process(f"{way}\nprint(m.__name__, *dir(m))\n{every}").splitlines()
        assert shown.split() == [f"irmx.{module}", *names]
        assert objects.split() == names


def test_public_modules_are_attributes() -> None:
    modules = ("ragged", "errors", "demo", "testing")
    out = in_a_new_process("import irmx\n" + "\n".join(f"print(irmx.{module}.__name__)" for module in modules))
    assert out.split() == [f"irmx.{module}" for module in modules]


# -- what no provider computes -----------------------------------------------------------------------------

QRELS, RUN = str(qrels_path()), str(run_path("recent"))
PACKAGES = {"pyndeval": "pyndeval", "cwl_eval": "cwl"}


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], None]:
    """A function that takes away what a provider needs, for as long as the test runs."""

    def take(name: str) -> None:
        if name == "gdeval":
            monkeypatch.setenv("PATH", str(tmp_path))  # a folder without perl
        else:
            monkeypatch.setitem(sys.modules, PACKAGES[name], None)
        monkeypatch.setattr(ir_measures.providers.registry[name], "_is_available", None)

    return take


@pytest.mark.parametrize(
    ("measure", "provider", "how"),
    [
        ("INST(max_rel=1)", "cwl_eval", "pip install ir-measures[cwl_eval]"),
    ],
)
def test_the_provider_to_install_is_named(
    measure: str, provider: str, how: str, without: Any, command: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(irmx.registry()._owners["scorers"], "INST")  # as without the plugin
    name, told = measure.partition("(")[0].partition("@")[0], f"{provider}, which is not installed: {how}"
    assert "not installed" not in command("measures").out
    without(provider)
    done = command("eval", QRELS, RUN, "AP", measure)
    done.assert_refused(2, f"irmx: {measure} needs the provider {told}.")
    assert "AP" not in done.err
    listed = {line.split()[0]: line for line in command("measures").out.splitlines() if line.strip()}
    assert listed[name].endswith(f"[needs {told}]")
    assert "not installed" not in listed["AP"]
    assert told in command("measures", measure).out


def test_what_perl_and_c_were_needed_for_needs_neither(without: Callable[[str], None]) -> None:
    """Another provider is named where gdeval alone is asked, with what computes ERR without it."""
    for provider in ("pyndeval", "gdeval"):
        without(provider)
    qrels, run = {"Q0": {"a": 0, "b": 1}, "Q1": {"a": 0, "c": 2}}, {"Q0": {"a": 2.0, "b": 1.0}, "Q1": {"c": 1.0}}
    [err] = irmx.calc_aggregate("ERR@10", qrels, run).values()
    assert err == pytest.approx((1 / 16 / 2 + 3 / 16) / 2)
    assert set(irmx.evaluator("ERR@10 alpha_nDCG@50", qrels).computed_by().values()) == {"irmx"}
    with pytest.raises(irmx.UsageError, match="gdeval is not installed"):
        irmx.calc_aggregate("ERR@10", qrels, run, provider="gdeval")


def test_gdeval_says_what_computes_err_without_it() -> None:
    with pytest.raises(irmx.DataError) as refused:
        irmx.calc_aggregate("ERR@10", {"1": {"a": 5}}, {"1": {"a": 1.0}}, provider="gdeval")
    [named] = re.findall(r"Effort\(.*?\)@10", str(refused.value))
    assert list(irmx.calc_aggregate(named, {"1": {"a": 5}}, {"1": {"a": 1.0}}).values()) == [pytest.approx(31 / 32)]


@pytest.mark.parametrize(
    ("measures", "told"),
    [
        ("ERR", "ERR: no provider supports it with these parameters"),
        ("AP alpha_nDCG", r"alpha_nDCG without a cutoff\..* such as alpha_nDCG@10"),
        ("RBP(p=0.9)", r"RBP\(p=0.9\). Without rel the measure is graded: every grade needs a gain"),
    ],
)
def test_parameters_that_no_provider_takes(measures: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RBP", "ERR", "alpha_nDCG"):
        monkeypatch.delitem(irmx.registry()._owners["scorers"], name)
    with pytest.raises(irmx.UsageError, match=f"does not compute {told}"):
        irmx.calc_aggregate(measures, QRELS, RUN)
    binary = irmx.parse_measure("RBP(p=0.9,rel=1)")
    run = {"q": {"a": 4.0, "b": 3.0, "x": 2.0, "c": 1.0}}
    found = irmx.calc_aggregate(binary, {"q": {"a": 0, "b": 1, "c": 2}}, run)
    assert found[binary] == pytest.approx(0.1 * (0.9 + 0.9**3))
