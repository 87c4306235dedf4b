"""What the registry refuses, and that its messages name both sides."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import irmx
from irmx import Citation, Column, Command, Dataset, Field, Measure, Symbol, hookimpl
from irmx.plugin.discovery import Discovery
from irmx.registry import PluginInfo, Registry


class Alpha(Measure):
    NAME = "ZAlpha"


class Beta(Measure):
    NAME = "ZBeta"


class NDCG(Measure):
    NAME = "nDCG"


class Nameless(Measure):
    pass


class Low(Symbol):
    NAME, KIND = "level", "height"


def plugin(**hooks: Any) -> Any:
    """Return a plugin whose hooks return these lists."""

    def hook(name: str, value: Any) -> Any:
        def call() -> Any:
            if isinstance(value, BaseException):
                raise value
            return value

        call.__name__ = call.__qualname__ = name
        return hookimpl(call)

    made = type("Made", (), {})()
    for kind, value in hooks.items():
        setattr(made, f"irmx_{kind}", hook(f"irmx_{kind}", value))
    return made


def info_of(name: str) -> PluginInfo:
    return PluginInfo(name, f"irmx-{name}", "1.0")


def added(discovery: Discovery, name: str, found: Any) -> PluginInfo:
    """Load a plugin, or let its import raise, and register what it offers."""

    def load() -> Any:
        if isinstance(found, BaseException):
            raise found
        return found

    info = info_of(name)
    discovery.add(info, load)
    discovery.register()
    return info


def refused(discovery: Discovery, name: str, found: Any) -> str:
    """Add a plugin, hold that it is warned of and leaves nothing behind, and return the reason."""
    registry = discovery._registry
    before = dict(registry.measures()), registry.all_symbols()
    with pytest.warns(irmx.PluginWarning, match=rf"{name} \(irmx-{name} 1.0\) is not in use") as caught:
        info = added(discovery, name, found)
    assert len(caught) == 1
    assert info.failure in str(caught[0].message)
    assert (dict(registry.measures()), registry.all_symbols()) == before
    assert not info.offers
    assert registry.plugins[name] is info
    return info.failure


@pytest.fixture
def discovery() -> Discovery:
    discovery = Discovery(Registry())
    info = added(discovery, "first", plugin(measures=[Alpha()], symbols=[Low()]))
    assert info.failure == ""
    assert info.offers == {"measures": ["ZAlpha"], "symbols": ["level"]}
    return discovery


def test_a_name_twice_in_one_plugin(discovery: Discovery) -> None:
    assert "registers the measure 'ZBeta' twice" in refused(discovery, "second", plugin(measures=[Beta(), Beta()]))


# -- plugins that fail -------------------------------------------------------------------------------------


class Stop(BaseException):
    """What ends a program elsewhere, such as a test that is skipped."""


class Spaced(Measure):
    NAME = "Z Alpha"


class Numbered(Measure):
    NAME = 3


class Untellable(Symbol):
    KIND = "height"

    @property
    def NAME(self) -> str:  # type: ignore[override]
        raise ZeroDivisionError("no name")


def declaring(**attributes: Any) -> Measure:
    return type("Declaring", (Measure,), {"NAME": "ZDeclaring", **attributes})()


def numbers() -> Iterator[Measure]:
    yield Beta()
    raise OSError("the table ends here")


def with_arguments() -> Any:
    def irmx_measures(config: Any) -> list[Measure]:
        return [Beta()]

    made = plugin()
    made.irmx_measures = hookimpl(irmx_measures)
    return made


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (ImportError("no such library"), "ImportError: no such library"),
        (SystemExit(3), "SystemExit: 3"),
        (SyntaxError("bad"), "SyntaxError: bad"),
        (Stop("enough"), "Stop: enough"),
        (GeneratorExit(), "GeneratorExit"),
        (plugin(measures=RuntimeError("no table")), "its hook irmx_measures raised RuntimeError: no table"),
        (plugin(measures=SystemExit("bye")), "its hook irmx_measures raised SystemExit: bye"),
        (plugin(measures=Stop("enough")), "its hook irmx_measures raised Stop: enough"),
        (plugin(measures=None), "its hook irmx_measures returned None; a list of objects is expected"),
        (plugin(measures=Beta()), "its hook irmx_measures returned ZBeta; a list of objects is expected"),
        (plugin(measures=3), "its hook irmx_measures returned 3; a list of objects is expected"),
        (plugin(measures=numbers()), "its hook irmx_measures raised OSError: the table ends here"),
        (plugin(scorers=[NDCG(), NDCG()]), "it registers the scorer 'nDCG' twice"),
        (type("Mute", (RuntimeError,), {"__str__": lambda self: 1 / 0})(), "Mute, whose text raises ZeroDivisionError"),
        (RuntimeError("half a pair: \ud800"), "RuntimeError: half a pair: \\ud800"),
        (plugin(measure=[Beta()]), "irmx_measure"),
        (with_arguments(), "Argument(s) {'config'} are declared in the hookimpl but can not be found in the hookspec"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)  # fmt: skip
def test_a_plugin_that_fails(discovery: Discovery, found: Any, reason: str) -> None:
    assert reason in refused(discovery, "second", found)
    assert added(discovery, "third", plugin(measures=[Beta()])).failure == ""


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (plugin(measures=[Alpha]), "returned the class Alpha, which is not an irmx.Measure but a kind of them: return Alpha(...)"),
        (plugin(measures=["ZAlpha"]), "returned 'ZAlpha', which is not an irmx.Measure"),
        (plugin(symbols=[Beta()]), "which is not an irmx.Symbol"),
        (plugin(scorers=[Low()]), "its hook irmx_scorers returned level, which is not an irmx.Measure"),
        (plugin(scorers=[Beta()]), "its hook irmx_scorers returned a scorer of ZBeta, which is no measure of ir_measures"),
        (plugin(output_formats=[object()]), "which is not an irmx.OutputFormat"),
        (plugin(datasets=["vaswani"]), "returned 'vaswani', which is not an irmx.Dataset"),
        (plugin(measures=[Nameless()]), "returned a Nameless without a NAME"),
        (plugin(measures=[Numbered()]), "returned a Numbered whose NAME is 3; a text is expected"),
        (plugin(measures=[Spaced()]), "whose NAME is 'Z Alpha'; in an expression only letters, digits and _ can be read"),
        (plugin(measures=[declaring(RUN_COLUMNS=("clicks",))]), "its measure ZDeclaring has 'clicks' in RUN_COLUMNS, which is not"),
        (plugin(measures=[declaring(QREL_COLUMNS=(Column("run", "x", "y"),))]), "which is not an irmx.Column('qrels', ...)"),
        (plugin(measures=[declaring(SUPPORTED_PARAMS={"k": int})]), "declares the parameter 'k' as type, not an irmx.Param"),
        (plugin(commands=[Command("bad name", "m:f")]), "the word 'bad name', which cannot be typed"),
        (plugin(commands=[Command("--version", "m:f")]), "the word '--version', which cannot be typed"),
        (plugin(commands=[Command("fit", "m:f", group="-x")]), "the word '-x', which cannot be typed"),
        (plugin(datasets=[Dataset("", object)]), "returned a Dataset without a NAME"),
        (plugin(symbols=[Untellable()]), "it raises ZeroDivisionError: no name"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)  # fmt: skip
def test_an_object_that_cannot_be_used_leaves_the_others_of_its_plugin(
    discovery: Discovery, found: Any, reason: str
) -> None:
    [[kind, broken]] = ((hook.removeprefix("irmx_"), call()) for hook, call in vars(found).items())
    offered = {"fields": [Field("news", "length", "length")], kind: broken}
    offered["measures"] = [*offered.get("measures", ()), Beta()]
    with pytest.warns(irmx.PluginWarning) as caught:
        info = added(discovery, "second", plugin(**offered))
    [told] = (str(warning.message) for warning in caught)
    assert told.startswith(
        f"One of the {kind.replace('_', ' ')} of the irmx plugin second (irmx-second 1.0) is refused: "
    )
    assert reason in told
    assert info.offers == {"measures": ["ZBeta"], "fields": ["news"]}
    assert info.failure == ""
    assert all(told.endswith(why) for whys in info.refused.values() for why in whys.values())
    assert list(info.refused) == [kind]


def test_ctrl_c_while_a_plugin_is_loaded_stops_the_program(discovery: Discovery) -> None:
    for found in (KeyboardInterrupt(), plugin(measures=KeyboardInterrupt())):
        with pytest.raises(KeyboardInterrupt):
            added(discovery, "second", found)


# -- which irmx a plugin needs -----------------------------------------------------------------------------

HERE = metadata.version("irmx")


@pytest.mark.parametrize(
    "required",
    [["irmx>=0.0.1"], ["irmx<999"], [f"irmx=={HERE}"], ["irmx>0,!=0.0.5"], ["irmx"], [], ["irmx-other>=999"],
     ["numpy>=1", "irmx>=999; extra == 'test'"], ["irmx>=999; python_version<'3'"], ["irmx ~~ 3"]],
)  # fmt: skip
def test_a_plugin_that_this_irmx_is_new_enough_for(
    discovery: Discovery, required: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.metadata.requires", lambda name: required)
    assert added(discovery, "second", plugin(measures=[Beta()])).failure == ""


@pytest.mark.parametrize(
    "required", ["irmx>=999", "IRMX>=999", "irmx (>=999)", "irmx[plugins]>=999", "irmx >=999 ; python_version>'3'"]
)
def test_a_plugin_that_needs_another_irmx_is_not_imported(
    discovery: Discovery, required: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.metadata.requires", lambda name: ["numpy ~~ 1", required])
    assert refused(discovery, "second", AssertionError("imported")) == (
        f"it needs irmx >=999; this is irmx {HERE}. To get versions that fit: "
        "python -m pip install --upgrade irmx irmx-second"
    )


def test_an_old_plugin_that_ships_with_irmx_is_not_imported_where_it_needs_another(
    discovery: Discovery, monkeypatch: pytest.MonkeyPatch
) -> None:
    required = {"irmx": metadata.requires("irmx"), "irmx-study": ["irmx<0.0.2"]}
    monkeypatch.setattr("importlib.metadata.requires", required.__getitem__)
    info = PluginInfo("study", "irmx-study", "0.0.1")
    with pytest.warns(irmx.PluginWarning, match="it needs irmx <0.0.2"):
        discovery.add(info, lambda: pytest.fail("imported"))
    assert info.failure


def test_an_import_that_fails_in_a_plugin_without_a_distribution(discovery: Discovery) -> None:
    def load() -> Any:
        raise ImportError("cannot import name 'Sweeper' from 'irmx'")

    with pytest.warns(irmx.PluginWarning, match="ImportError: cannot import name 'Sweeper' from 'irmx'$"):
        discovery.add(PluginInfo("loose"), load)


# -- plugins that print, or ask while they are loaded -------------------------------------------


def test_what_a_plugin_prints_goes_to_standard_error(discovery: Discovery, capsys: pytest.CaptureFixture[str]) -> None:
    def load() -> Any:
        print("welcome")
        return plugin(measures=[Beta()])

    discovery.add(PluginInfo("second"), load)
    print("result")
    assert capsys.readouterr() == ("result\n", "welcome\n")


def test_plugins_are_loaded_where_there_is_no_standard_output(
    discovery: Discovery, monkeypatch: pytest.MonkeyPatch
) -> None:
    for stream in ("stdout", "stderr"):
        monkeypatch.setattr(sys, stream, None)
    assert added(discovery, "second", plugin(measures=[Beta()])).failure == ""


def test_the_formats_of_plugins_are_asked_before_those_of_the_host() -> None:
    names = list(irmx.registry().formats())
    assert names[-1] == "trec" or names.index("trec") > names.index("csv")


def test_a_citation_is_shown_as_bibtex() -> None:
    text = Citation("Key", "article", {"title": "T", "doi": "10.1/x"}).bibtex()
    assert text == "@article{Key,\n  title = {T},\n  doi = {10.1/x},\n}"


ASKING = """
import irmx
THERE = sorted(irmx.registry().formats())
AGAIN = irmx.registry().plugins
assert not hasattr(irmx, "NoSuchThing")
class Asking(irmx.Measure):
    NAME = "ZAsking"
@irmx.hookimpl
def irmx_measures():
    assert str(irmx.parse_measure("AP")) == "AP"
    dir(irmx)
    return [Asking()]
"""


def test_a_plugin_that_asks_irmx_while_it_is_loaded(tmp_path: Path, installed: Callable[..., None]) -> None:
    """It sees the features of the host."""
    installed(tmp_path, "asking", ASKING)
    code = """
import irmx
assert irmx.ZAsking.NAME == "ZAsking"
import irmx_asking
assert "trec" in irmx_asking.THERE and irmx_asking.AGAIN is irmx.registry().plugins
"""
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "IRMX_LOAD_PLUGINS": "asking"}
    subprocess.run([sys.executable, "-W", "error::UserWarning", "-c", code], env=environment, check=True)
