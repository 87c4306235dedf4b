"""What ``import irmx`` does to ir_measures, how it is undone, and what it costs; each in a process of its own."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import irmx


def in_a_new_process(code: str) -> str:
    """Return what a program prints; it fails where the program does."""
    done = subprocess.run([sys.executable, "-W", "error::UserWarning", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


STATE = """
import ir_measures
def state():
    return (list(map(id, ir_measures.DefaultPipeline.providers)), dict(ir_measures.measures.registry),
            dict(ir_measures.providers.registry), ir_measures.parse_measure, ir_measures.util.parse_measure)
before = state()
"""


@pytest.mark.parametrize("used", ["", "irmx.parse_measure('MP(model=GL_AD_ID)')", "irmx.install()", "irmx.uninstall()"])
def test_uninstall_puts_everything_back(used: str) -> None:
    in_a_new_process(f"{STATE}\nimport irmx\n{used}\nirmx.uninstall()\nassert state() == before")


def test_import_changes_ir_measures_and_install_again_works() -> None:
    in_a_new_process(
        STATE
        + """
import irmx
qrels, run = {"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}}
def works():
    MP = ir_measures.parse_measure("MP(model=GL_AD_ID)@100")
    found = ir_measures.calc_aggregate([MP, ir_measures.AP], qrels, run)
    assert found == {MP: 0.5, ir_measures.AP: 0.5}, found
    assert "MP" in ir_measures.measures.registry and "irmx" in ir_measures.providers.registry
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
assert irmx.calc_aggregate("NCP(law=first) RR", qrels, run) == {
    irmx.parse_measure("NCP(law=first)"): 0.5, ir_measures.RR: 0.5}
for _ in range(2):
    irmx.install()
assert state() == installed
works()
"""
    )


FIRST = """
import irmx, ir_measures
from ir_measures import AP, RBP, RR, infAP
qrels, run = {"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}}
def who(measure):
    return next(p.NAME for p in ir_measures.DefaultPipeline.providers if p.supports(measure))
def providers():
    return [p.NAME for p in ir_measures.DefaultPipeline.providers]
stock = providers()[:-1]
assert providers() == [*stock, "irmx"] and who(AP) == "pytrec_eval"
"""


def test_scorers_are_asked_first_in_ir_measures_only_if_the_user_says_so() -> None:
    in_a_new_process(
        FIRST
        + """
for _ in range(2):
    irmx.install(first=True)
    assert providers() == ["irmx", *stock]
assert who(AP) == who(RR @ 10) == "irmx" and who(infAP) == "pytrec_eval"
assert ir_measures.calc_aggregate([AP, RR @ 1, infAP], qrels, run) == {AP: 0.5, RR @ 1: 0.0, infAP: 0.5}
irmx.install()
assert providers() == [*stock, "irmx"] and who(AP) == "pytrec_eval"
irmx.install(first=True)
irmx.uninstall()
assert providers() == stock and "irmx" not in ir_measures.providers.registry
irmx.install(first=True)
assert providers() == ["irmx", *stock] and who(AP) == "irmx"
"""
    )


def test_an_experiment_of_pyterrier_gives_the_same_with_scorers_first() -> None:
    pytest.importorskip("pyterrier")
    in_a_new_process(
        FIRST
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


def test_what_a_provider_cannot_compute_a_scorer_does_in_ir_measures() -> None:
    in_a_new_process(
        FIRST
        + """
assert who(RBP) == "irmx" and who(RBP(rel=1)) == "cwl_eval"
assert ir_measures.calc_aggregate([AP, RBP(p=0.5)], qrels, run) == {AP: 0.5, RBP(p=0.5): 0.25}
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


def test_import_is_light() -> None:
    loaded = in_a_new_process("import irmx, sys; print(*sys.modules)").split()
    for heavy in (
        "pandas",
        "pyarrow",
        "scipy",
        "ir_datasets",
        "typer",
        "rich",
        "irmx_markov",
        "irmx_ncp",
        "irmx_pages",
        "irmx_stream",
        "irmx_temporal",
        "pyterrier",
    ):
        assert heavy not in loaded
    assert "irmx.adapters.ir_measures.provider" in loaded


def test_public_names_are_listed_once_and_are_there() -> None:

    assert sorted(irmx.__all__) == irmx.__all__
    stub = ast.parse(Path(irmx.__file__).with_suffix(".pyi").read_text())
    imported = [alias.asname for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert sorted([*imported, "registry"]) == irmx.__all__
    for name in irmx.__all__:
        assert getattr(irmx, name) is not None
    assert set(irmx.__all__) <= set(dir(irmx))
    assert {"MP", "NCP"} <= set(dir(irmx))
    assert not {"GL_AD_ID", "uniform", "t", "counted", "join"} & set(dir(irmx))
    assert {"GL_AD_ID", "uniform", "t"} <= set(dir(irmx.symbols))
    assert irmx.symbols.GL_AD_ID is irmx.GL_AD_ID
    for name in irmx.toolkit.__all__:
        assert getattr(irmx.toolkit, name) is not None


@pytest.mark.parametrize(("old", "now"), [("counted", irmx.toolkit.counted), ("join", irmx.rankings)])
def test_names_that_moved_work_and_warn(old: str, now: object) -> None:
    with pytest.warns(DeprecationWarning, match=f"irmx.{old} is now irmx"):
        assert getattr(irmx, old) is now


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("collections", ["Dataset", "Field", "dataset", "judgments", "judgments_with", "qrels_table"]),
        ("pt", ["DocumentColumn", "column", "qrels"]),
    ],
)
def test_public_modules_are_imported_in_every_way_and_show_their_names_alone(module: str, names: list[str]) -> None:
    if module == "pt":
        pytest.importorskip("pyterrier")
    ways = (f"import irmx.{module} as m", f"from irmx import {module} as m", f"import irmx; m = irmx.{module}")
    for way in (*ways, f"from irmx.{module} import {names[-1]}; import irmx; m = irmx.{module}"):
        assert in_a_new_process(f"{way}\nprint(m.__name__, *dir(m))").split() == [f"irmx.{module}", *names]
    in_a_new_process(f"from irmx.{module} import *\nprint({', '.join(names)})")


def test_public_modules_are_attributes() -> None:
    modules = ("ragged", "errors", "demo", "testing", "collections")
    out = in_a_new_process("import irmx\n" + "\n".join(f"print(irmx.{module}.__name__)" for module in modules))
    assert out.split() == [f"irmx.{module}" for module in modules]


def test_registered_names_are_attributes() -> None:
    import irmx_markov

    assert irmx.MP is irmx_markov.MP
    assert irmx.GL_AD_ID is irmx_markov.GL_AD_ID
    with pytest.raises(AttributeError, match="NoSuchThing"):
        _ = irmx.NoSuchThing


def test_threads_that_ask_at_once_all_find_the_plugins() -> None:
    in_a_new_process(
        """
import sys, threading
import irmx
sys.setswitchinterval(1e-6)
found = []
def ask():
    found.append(sorted(irmx.registry().measures()))
threads = [threading.Thread(target=ask) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(found) == 8 and all("MP" in names and names == found[0] for names in found), found
"""
    )


def test_a_warning_made_an_error_leaves_no_half_filled_registry() -> None:
    in_a_new_process(
        """
import os, warnings
os.environ["IRMX_DISABLED_PLUGINS"] = "nothing-of-this-name"
import irmx, ir_measures
try:
    irmx.registry()
except irmx.PluginWarning:
    pass
else:
    raise AssertionError("no warning")
del os.environ["IRMX_DISABLED_PLUGINS"]
assert "MP" in irmx.registry().measures() and "MP" in ir_measures.measures.registry
"""
    )
