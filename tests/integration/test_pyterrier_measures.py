"""The names of plugins in ``pyterrier.measures``: there without an import of irmx, loaded late, and taken back."""

from __future__ import annotations

import os
import subprocess
import sys

import ir_measures
import pytest

import irmx

pytestmark = pytest.mark.slow  # each test starts processes that import PyTerrier

MINE = "MP(model=GL_AD_ID)"
START = "import sys, pyterrier as pt, ir_measures\nSTOCK = {'AP', 'nDCG', 'ir_measures', 'k', 'v'}\n"


def in_a_new_process(code: str, *options: str, **environment: str) -> tuple[str, str]:
    """Return what a program prints and what it warns of; it fails where the program does."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("IRMX_")}
    done = subprocess.run(
        [sys.executable, *options, "-c", code], capture_output=True, text=True, env={**kept, **environment}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr


def test_a_star_import_has_measures_and_models_without_irmx() -> None:
    out, _ = in_a_new_process(
        START
        + """
namespace = {}
exec("from pyterrier.measures import *", namespace)
assert STOCK | set(ir_measures.measures.registry) <= namespace.keys()
assert {"MP", "NCP", "MSU", "TIA_nDCG", "IA_ERR", "GL_AD_ID", "LO_OR_LID"} <= namespace.keys()
assert not {"first", "uniform", "table", "dwell", "ranked"} & namespace.keys()
assert namespace["AP"] is ir_measures.AP
print(repr(namespace["MP"](model=namespace["GL_AD_ID"])@10))
"""
    )
    assert out == f"{MINE}@10"


def test_importing_pyterrier_loads_no_plugin() -> None:
    in_a_new_process(
        START
        + """
assert pt.irmx.__name__ == "irmx.pt"
assert "irmx_markov" not in sys.modules and "irmx.plugin.discovery" not in sys.modules
assert pt.measures.AP is ir_measures.AP and "irmx.plugin.discovery" not in sys.modules
assert not hasattr(pt.measures, "__path__") and "irmx.plugin.discovery" not in sys.modules
"""
    )


def test_every_way_to_a_name() -> None:
    in_a_new_process(
        START
        + """
from pyterrier.measures import GL_AD_ID, MP
import pyterrier.measures as m
import importlib, pickle
assert MP is pt.measures.MP is m.MP and m.AP is ir_measures.AP
assert repr(m.first) == "first" and "first" in dir(m) and "MP" in dir(m) and "AP" in dir(m)
for name in ("MPP", "calc", "registry", "_MP"):
    assert not hasattr(m, name), name
assert pickle.loads(pickle.dumps(MP(model=GL_AD_ID))) == MP(model=GL_AD_ID)
assert importlib.reload(m).MP == MP and m.GL_AD_ID == GL_AD_ID and "GL_AD_ID" in m.__all__
import irmx
assert irmx.pt is pt.irmx and set(dir(irmx.pt)) >= {"column", "qrels"}
"""
    )


def test_a_star_import_leaves_out_measures_whose_name_begins_with_an_underscore() -> None:
    in_a_new_process(
        START
        + """
import irmx
irmx.measure(name="_Hidden")(lambda ranking: 0.0)
from pyterrier.measures import *
assert "_Hidden" not in globals() and MP is irmx.MP and str(irmx.parse_measure("_Hidden")) == "_Hidden"
"""
    )


@pytest.mark.parametrize(
    "before",
    ["", "import irmx; irmx.MP", "import irmx.pt", "import irmx; irmx.uninstall(); irmx.install()"],
)
def test_uninstall_takes_the_names_back_and_install_brings_them(before: str) -> None:
    in_a_new_process(
        before
        + "\n"
        + START
        + """
import irmx
irmx.MP
names = set(ir_measures.measures.registry)
irmx.uninstall()
m = pt.measures
assert not any(hasattr(m, n) for n in ("MP", "NCP", "GL_AD_ID", "__all__")), vars(m).keys()
assert m.AP is ir_measures.AP and m.__doc__ is None
namespace = {}
exec("from pyterrier.measures import *", namespace)
assert STOCK - {"v"} <= namespace.keys() and "MP" not in namespace
try:
    pt.Evaluate(pt.new.ranked_documents([[1.0]]), pt.new.queries(["a"]).assign(docno="d1", label=1), ["MP(model=GL_AD_ID)"])
except ValueError as error:
    assert "unkonwn measure" in str(error)
else:
    raise AssertionError("the text is still known")
irmx.install()
irmx.install()
assert m.MP is irmx.MP and "MP" in m.__all__
"""
    )


def test_pyterrier_imported_after_an_uninstall_is_left_alone() -> None:
    in_a_new_process(f"import irmx\nirmx.uninstall()\n{START}assert not hasattr(pt.measures, 'MP')")


BROKEN = """
import importlib.metadata as metadata
class Broken:
    name, value, group, dist = "broken", "broken", "irmx", metadata.distribution("pyterrier")
    def load(self): raise ImportError("it is broken")
found = metadata.entry_points
def entry_points(**wanted):
    return [*found(**wanted), Broken()] if wanted.get("group") == "irmx" else found(**wanted)
metadata.entry_points = entry_points
"""


def test_a_broken_plugin_is_warned_of_and_the_others_are_there() -> None:
    code = f"{BROKEN}\nimport pyterrier as pt\nprint('imported')\nprint(pt.measures.MP)"
    out, warned = in_a_new_process(code)
    assert out == "imported\nMP"
    assert "irmx plugin broken (pyterrier" in warned
    assert "ImportError: it is broken" in warned


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ("sys.modules['pyterrier.measures'] = None", "import of pyterrier.measures halted"),
        ("pyterrier.measures.__all__ = ['AP']", "it has __all__ of its own"),
        ("pyterrier.measures.__getattr__ = print", "it has __getattr__ of its own"),
    ],
)
def test_a_module_that_cannot_be_extended_is_warned_of(changed: str, why: str) -> None:
    code = f"""
import sys, pyterrier, irmx
irmx.uninstall()
{changed}
irmx.install()
print(irmx.MP)
"""
    out, warned = in_a_new_process(code)
    assert out == "MP"
    assert f"The measures of irmx are not in pyterrier.measures: {why}" in warned


def test_the_module_is_an_attribute_of_irmx() -> None:
    code = "import sys, irmx; assert 'pyterrier' not in sys.modules; print(irmx.pt.column('clicks', {}))"
    assert in_a_new_process(code)[0] == "irmx.column('clicks')"


def test_without_pyterrier_the_module_says_what_to_install() -> None:
    code = """
import sys
sys.modules["pyterrier"] = None
try:
    import irmx.pt
except ModuleNotFoundError as error:
    print(error)
"""
    assert in_a_new_process(code)[0] == "irmx.pt needs PyTerrier. To get it: python -m pip install pyterrier."


def test_texts_of_trec_eval_and_of_irmx_are_parsed() -> None:
    assert irmx.parse_measure(MINE) in ir_measures.parse_trec_measure(MINE)
    assert list(map(str, ir_measures.parse_trec_measure(f"{MINE}@10"))) == [f"{MINE}@10"]
    assert ir_measures.parse_trec_measure("nDCG@10") == [ir_measures.nDCG @ 10]
    with pytest.raises(ValueError, match="Did you mean MP"):
        ir_measures.parse_trec_measure("MPP")
    with pytest.raises(ValueError, match="GL_AD_ID"):
        ir_measures.parse_trec_measure("MP(model=GL_AD_IDD)")
