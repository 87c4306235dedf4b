"""What the registry refuses, and that its messages name both sides."""

from types import SimpleNamespace
from typing import Any

import pytest

import irmx
from irmx import Citation, Measure, Symbol, hookimpl
from irmx.plugins import PluginInfo, Registry


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


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (ImportError("no such library"), "ImportError: no such library"),
        (SystemExit(3), "SystemExit: 3"),
        (SyntaxError("bad"), "SyntaxError: bad"),
        (plugin(measures=RuntimeError("no table")), "its hook irmx_measures raised RuntimeError: no table"),
        (plugin(measures=None), "its hook irmx_measures raised TypeError"),
        (plugin(measures=[Alpha]), "which is not an irmx.Measure"),
        (plugin(measures=["ZAlpha"]), "returned 'ZAlpha', which is not an irmx.Measure"),
        (plugin(symbols=[Beta()]), "which is not an irmx.Symbol"),
        (plugin(reports=[object()]), "which is not an irmx.Report"),
        (plugin(measures=[Nameless()]), "returned a Nameless without a NAME"),
        (plugin(measure=[Beta()]), "irmx_measure"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_a_plugin_that_fails(registry: Registry, found: Any, reason: str) -> None:
    assert reason in refused(registry, "second", found)
    assert added(registry, "third", plugin(measures=[Beta()])).failure == ""


def test_the_formats_of_plugins_are_asked_before_those_of_the_host() -> None:
    names = list(irmx.registry().formats())
    assert names[-1] == "trec" or names.index("trec") > names.index("csv")


def test_a_citation_is_shown_as_bibtex() -> None:
    text = Citation("Key", "article", {"title": "T", "doi": "10.1/x"}).bibtex()
    assert text == "@article{Key,\n  title = {T},\n  doi = {10.1/x},\n}"
