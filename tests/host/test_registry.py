"""What the registry refuses, and that its messages name both sides."""

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TextIO

import pytest

import irmx
from irmx import Citation, Column, Command, Dataset, Measure, Symbol, hookimpl
from irmx.plugin.discovery import HOST, PluginInfo, Registry


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


class Deep(Symbol):
    NAME, KIND = "level", "depth"


def plugin(**hooks: Any) -> Any:
    """Return a plugin whose hooks return these lists."""

    def hook(name: str, value: Any) -> Any:
        def call() -> Any:
            if isinstance(value, BaseException):
                raise value
            return value

        call.__name__ = call.__qualname__ = name
        return hookimpl(call)

    return SimpleNamespace(**{f"irmx_{k}": hook(f"irmx_{k}", v) for k, v in hooks.items()})


def added(registry: Registry, name: str, found: Any) -> PluginInfo:
    def load() -> Any:
        if isinstance(found, BaseException):
            raise found
        return found

    info = PluginInfo(name, f"irmx-{name}", "1.0")
    registry.add(info, load)
    return info


def refused(registry: Registry, name: str, found: Any) -> str:
    """Add a plugin, hold that it is warned of and leaves nothing behind, and return the reason."""
    before = dict(registry.measures()), registry.symbols()
    with pytest.warns(irmx.PluginWarning, match=rf"{name} \(irmx-{name} 1.0\) is not in use") as caught:
        info = added(registry, name, found)
    assert len(caught) == 1
    assert info.failure in str(caught[0].message)
    assert (dict(registry.measures()), registry.symbols()) == before
    assert not info.offers
    assert registry.plugins[name] is info
    assert not registry.manager.has_plugin(name)
    return info.failure


@pytest.fixture
def registry() -> Registry:
    registry = Registry()
    info = added(registry, "first", plugin(measures=[Alpha()], symbols=[Low()]))
    assert info.failure == ""
    assert info.offers == {"measures": ["ZAlpha"], "symbols": ["level"]}
    return registry


def test_a_name_that_another_plugin_has(registry: Registry) -> None:
    reason = refused(registry, "second", plugin(measures=[Beta(), Alpha()], symbols=[Deep()]))
    assert "claims the measure 'ZAlpha', which first (irmx-first 1.0) has already" in reason
    assert "second (irmx-second 1.0) is refused" in reason


def test_a_symbol_that_another_plugin_has(registry: Registry) -> None:
    reason = refused(registry, "second", plugin(symbols=[Low()]))
    assert "'height level', which first (irmx-first 1.0) has already" in reason


def test_symbols_of_different_kinds_may_share_a_name(registry: Registry) -> None:
    assert added(registry, "second", plugin(symbols=[Deep()])).failure == ""
    assert isinstance(registry.symbols("depth")["level"], Deep)
    assert isinstance(registry.symbols("height")["level"], Low)


def test_a_name_twice_in_one_plugin(registry: Registry) -> None:
    assert "offers the measure 'ZBeta' twice" in refused(registry, "second", plugin(measures=[Beta(), Beta()]))


def test_a_name_of_ir_measures(registry: Registry) -> None:
    reason = refused(registry, "second", plugin(measures=[Beta(), NDCG()]))
    assert "claims the measure 'nDCG', which ir_measures has already: second (irmx-second 1.0) is refused" in reason


class Stop(BaseException):
    """What ends a program elsewhere, such as a test that is skipped."""


class Spaced(Measure):
    NAME = "Z Alpha"


class Numbered(Measure):
    NAME = 3


def declaring(**attributes: Any) -> Measure:
    return type("Declaring", (Measure,), {"NAME": "ZDeclaring", **attributes})()


def numbers() -> Iterator[Measure]:
    yield Beta()
    raise OSError("the table ends here")


def with_arguments() -> Any:
    def irmx_measures(config: Any) -> list[Measure]:
        return [Beta()]

    return SimpleNamespace(irmx_measures=hookimpl(irmx_measures))


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
        (plugin(measures=[Alpha]), "returned the class Alpha, which is not an irmx.Measure but a kind of them: return Alpha(...)"),
        (plugin(measures=["ZAlpha"]), "returned 'ZAlpha', which is not an irmx.Measure"),
        (plugin(symbols=[Beta()]), "which is not an irmx.Symbol"),
        (plugin(reports=[object()]), "which is not an irmx.Report"),
        (plugin(datasets=["vaswani"]), "returned 'vaswani', which is not an irmx.Dataset"),
        (plugin(measures=[Nameless()]), "returned a Nameless without a NAME"),
        (plugin(measures=[Numbered()]), "returned a Numbered whose NAME is 3; a text is expected"),
        (plugin(measures=[Spaced()]), "whose NAME is 'Z Alpha'; in an expression only letters, digits and _ can be read"),
        (plugin(measures=[declaring(RUN_COLUMNS=("clicks",))]), "its measure ZDeclaring has 'clicks' in RUN_COLUMNS, which is not"),
        (plugin(measures=[declaring(QREL_COLUMNS=(Column("run", "x", "y"),))]), "which is not an irmx.Column('qrels', ...)"),
        (plugin(measures=[declaring(SUPPORTED_PARAMS={"k": int})]), "declares the parameter 'k' as type, not an irmx.Param"),
        (type("Mute", (RuntimeError,), {"__str__": lambda self: 1 / 0})(), "Mute, whose text raises ZeroDivisionError"),
        (RuntimeError("half a pair: \ud800"), "RuntimeError: half a pair: \\ud800"),
        (plugin(datasets=[Dataset("", object)]), "returned a Dataset without a NAME"),
        (plugin(measure=[Beta()]), "irmx_measure"),
        (with_arguments(), "Argument(s) {'config'} are declared in the hookimpl but can not be found in the hookspec"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)  # fmt: skip
def test_a_plugin_that_fails(registry: Registry, found: Any, reason: str) -> None:
    assert reason in refused(registry, "second", found)
    assert added(registry, "third", plugin(measures=[Beta()])).failure == ""


def test_ctrl_c_while_a_plugin_is_loaded_stops_the_program(registry: Registry) -> None:
    for found in (KeyboardInterrupt(), plugin(measures=KeyboardInterrupt())):
        with pytest.raises(KeyboardInterrupt):
            added(registry, "second", found)
        assert not registry.manager.has_plugin("second")


# -- which irmx a plugin needs -----------------------------------------------------------------------------


def needing(wanted: Any) -> Any:
    found = plugin(measures=[Beta()])
    found.requires_irmx = wanted
    return found


@pytest.mark.parametrize("wanted", [">=0.0.1", "<999", f"=={irmx.__version__}", ">0,!=0.0.5", "", None])  # type: ignore[attr-defined]
def test_a_plugin_that_this_irmx_is_new_enough_for(registry: Registry, wanted: str | None) -> None:
    assert added(registry, "second", needing(wanted)).failure == ""


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        (">=999", f"it needs irmx >=999; this is irmx {irmx.__version__}. To have a newer one: python -m pip install"),  # type: ignore[attr-defined]
        ("999", "its requires_irmx is '999', which is no version specifier such as '>=0.2'"),
        (0.2, "its requires_irmx is 0.2; a text such as '>=0.2' is expected"),
    ],
)
def test_a_plugin_that_needs_another_irmx(registry: Registry, wanted: Any, reason: str) -> None:
    assert reason in refused(registry, "second", needing(wanted))


def test_a_plugin_that_needs_another_irmx_is_not_asked(registry: Registry) -> None:
    found = needing(">=999")
    asked: list[str] = []
    found.irmx_measures = hookimpl(lambda: asked.append("measures"))
    refused(registry, "second", found)
    assert not asked


def test_an_import_that_fails_for_want_of_a_newer_irmx(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.requires", lambda name: ["numpy>=1", "irmx>=999"])
    missing = ImportError("cannot import name 'Newer' from 'irmx'")
    reason = refused(registry, "second", missing)
    assert reason.startswith("ImportError: cannot import name 'Newer' from 'irmx' By its metadata it needs irmx >=999")
    assert "metadata" not in refused(registry, "third", ValueError("bad"))


def test_an_import_that_fails_in_a_plugin_without_a_distribution(registry: Registry) -> None:
    def load() -> Any:
        raise ImportError("cannot import name 'Sweeper' from 'irmx'")

    with pytest.warns(irmx.PluginWarning, match="ImportError: cannot import name 'Sweeper' from 'irmx'$"):
        registry.add(PluginInfo("loose"), load)


# -- plugins that take long, print, or ask while they are loaded -------------------------------------------


@pytest.mark.parametrize("where", ["import", "hook"])
def test_a_plugin_that_is_slow_is_named_while_and_after_it_loads(
    registry: Registry, where: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("irmx.plugin.loading.SLOW", 0.05)
    seen: list[str] = []

    def wait() -> list[Measure]:
        until = time.monotonic() + 20
        while "".join(seen).count("still being loaded") < 2 and time.monotonic() < until:
            time.sleep(0.01)
            seen.append(capfd.readouterr().err)
        return [Beta()]

    def load() -> Any:
        if where == "import":
            return plugin(measures=wait())
        wait.__name__ = "irmx_measures"
        return SimpleNamespace(irmx_measures=hookimpl(wait))

    info = PluginInfo("second", "irmx-second", "1.0")
    with pytest.warns(irmx.PluginWarning, match=r"irmx plugin second \(irmx-second 1.0\) took 0\.\d s to load"):
        registry.add(info, load)
    said = "".join(seen)
    for after in ("0.05 s", "0.1 s"):
        assert f"irmx: the plugin second (irmx-second 1.0) is still being loaded after {after};" in said
    assert "IRMX_DISABLED_PLUGINS=second leaves it out" in said
    assert info.seconds > 0.1
    assert info.failure == ""


def test_a_slow_plugin_that_fails_is_reported_with_its_time(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("irmx.plugin.loading.SLOW", 1e-6)
    assert re.search(r"ImportError: late \(after 0\.\d s\)$", refused(registry, "second", ImportError("late")))


def test_what_a_plugin_prints_goes_to_standard_error(registry: Registry, capsys: pytest.CaptureFixture[str]) -> None:
    def load() -> Any:
        print("welcome", flush=True)
        elsewhere = threading.Thread(target=print, args=("a result meanwhile",))
        elsewhere.start()
        elsewhere.join()
        assert sys.stdout.encoding
        kept.append(sys.stdout)
        return plugin(measures=[Beta()])

    kept: list[TextIO] = []

    info = PluginInfo("second")
    registry.add(info, load)
    print("result", file=kept[0])
    assert capsys.readouterr() == ("a result meanwhile\nresult\n", "welcome\n")
    assert info.failure == ""


def test_plugins_are_loaded_where_there_is_no_standard_output(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    for stream in ("stdout", "stderr"):
        monkeypatch.setattr(sys, stream, None)
    assert added(registry, "second", plugin(measures=[Beta()])).failure == ""


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


def test_a_plugin_that_asks_irmx_while_it_is_loaded(tmp_path: Path) -> None:
    """It sees what is there so far."""
    (tmp_path / "irmx_asking.py").write_text(ASKING, encoding="utf-8")
    installed = tmp_path / "irmx_asking-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: irmx-asking\nVersion: 1.0\n", encoding="utf-8")
    (installed / "entry_points.txt").write_text("[irmx]\nasking = irmx_asking\n", encoding="utf-8")
    code = """
import irmx
assert irmx.ZAsking.NAME == "ZAsking"
import irmx_asking
assert "trec" in irmx_asking.THERE and irmx_asking.AGAIN is irmx.registry().plugins
"""
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "IRMX_LOAD_PLUGINS": "asking"}
    subprocess.run([sys.executable, "-W", "error::UserWarning", "-c", code], env=environment, check=True)


def test_where_no_thread_can_be_had_plugins_are_loaded_unwatched(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(thread: Any) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("threading.Thread.start", refuse)
    assert added(registry, "second", plugin(measures=[Beta()])).failure == ""


# -- commands ----------------------------------------------------------------------------------------------


def unfit(argument: Any) -> None:
    """Do nothing."""


unfit.__annotations__["argument"] = "Unknown"


@pytest.mark.parametrize(
    ("load", "reason"),
    [
        (lambda: None, "TypeError: None is no function"),
        (lambda: unfit, "NameError: name 'Unknown' is not defined"),
        (lambda: sys.exit("no licence"), "SystemExit: no licence"),
        (lambda: {}["table"], "KeyError: 'table'"),
    ],
)
def test_a_command_that_cannot_be_made_is_left_out(
    load: Any, reason: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from irmx.cli.app import build
    from irmx.plugin import builtin

    made = Registry()
    added(made, HOST, builtin)
    added(made, "second", plugin(commands=[Command("zbad", load), Command("zgood", lambda: lambda: print("good"))]))
    monkeypatch.setattr("irmx.plugin.discovery._registry", made)
    names = [command.name for command in build().registered_commands]
    assert "zgood" in names
    assert "eval" in names
    assert "zbad" not in names
    said = f"irmx: the command 'zbad' of second (irmx-second 1.0) is not in use: {reason}"
    assert capsys.readouterr().err.startswith(said)
