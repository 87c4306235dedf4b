"""Names that several plugins claim: who gets them, whoever is loaded first, and that both sides are named."""

import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import irmx
from irmx import Command, Dataset, Field, Format, Measure, Symbol
from irmx.cli import commands
from irmx.plugin.discovery import Discovery
from irmx.registry import PluginInfo, Registry

Settled = Callable[..., tuple[Registry, list[str]]]


def measure(name: str, *aliases: str) -> Any:
    return type(name, (Measure,), {"NAME": name, "ALIASES": aliases})()


def measures(*names: str) -> dict[str, Any]:
    return {"measures": [measure(name) for name in names]}


def symbol(kind: str, name: str) -> Any:
    return type("S", (Symbol,), {"NAME": name, "KIND": kind})()


def act(words: str) -> Command:
    return Command(words.split()[-1], "m:f", group=words.rpartition(" ")[0])


@pytest.fixture
def settled(plugin: Callable[..., Any]) -> Settled:
    """A function that returns a registry with some plugins, which is the same in any order, and what was warned of."""

    def settle(plugins: dict[str, dict[str, Any]]) -> tuple[Registry, list[str]]:
        outcomes = []
        for order in (list(plugins), list(reversed(plugins))):
            discovery = Discovery(Registry())
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                for name in order:
                    offer = plugin(**plugins[name])
                    discovery.add(PluginInfo(name, f"irmx-{name}", "1.0"), lambda offer=offer: offer)  # type: ignore[misc]
                discovery.register()
            registry = discovery._registry
            owners = {key: registry.owner(*key) for key in registry._owners}
            offers = {name: (info.offers, info.failure) for name, info in registry.plugins.items()}
            outcomes.append((owners, offers))
        assert outcomes[0] == outcomes[1]
        return registry, sorted({str(one.message) for one in caught})

    return settle


def test_a_name_that_two_plugins_claim_is_refused_to_both_and_the_rest_stays(settled: Settled) -> None:
    registry, told = settled({"one": measures("ZX", "ZA"), "two": measures("ZX", "ZB")})
    assert sorted(registry.measures()) == ["ZA", "ZB"]
    assert told == [
        "The measure 'ZX' of the irmx plugin one (irmx-one 1.0) is refused: two (irmx-two 1.0) claims it, too. "
        "IRMX_DISABLED_PLUGINS=irmx-two gives it to one.",
        "The measure 'ZX' of the irmx plugin two (irmx-two 1.0) is refused: one (irmx-one 1.0) claims it, too. "
        "IRMX_DISABLED_PLUGINS=irmx-one gives it to two.",
    ]
    assert "ZX" in registry.plugins["one"].refused["measures"]


MP = "markov (irmx-markov 1.0)"
CLAIMS: dict[str, tuple[dict[str, dict[str, Any]], str, dict[str, str | None], int]] = {
    "three claim it": ({n: measures("ZX") for n in ("one", "two", "three")}, "measures", {"ZX": None}, 3),
    "an alias is refused alone": (
        {"one": {"measures": [measure("ZX", "ZAlias", "ZOld")]}, "two": measures("ZAlias")},
        "measures", {"ZX": "one (irmx-one 1.0)", "ZAlias": None}, 2,
    ),
    "a refused measure leaves its alias to others": (
        {"markov": measures("MP"), "one": {"measures": [measure("MP", "ZF")]}, "two": measures("ZF")},
        "measures", {"MP": MP, "ZF": "two (irmx-two 1.0)"}, 1,
    ),
    "irmx's own keeps it": ({"aaa": measures("MP"), "markov": measures("MP")}, "measures", {"MP": MP}, 1),
    "irmx's own keeps it, the other last": ({"zzz": measures("MP"), "markov": measures("MP")}, "measures", {"MP": MP}, 1),
    "the stronger dispute it": ({n: measures("ZX") for n in ("markov", "ncp", "one")}, "measures", {"ZX": None}, 3),
    "of ir_measures": ({"markov": measures("nDCG"), "two": measures("nDCG")}, "measures", {"nDCG": None}, 2),
    "scorers": ({n: {"scorers": [measure("nDCG")]} for n in ("one", "two")}, "scorers", {"nDCG": None}, 2),
    "scorers, one of irmx": (
        {n: {"scorers": [measure("nDCG")]} for n in ("one", "trec")}, "scorers", {"nDCG": "trec (irmx-trec 1.0)"}, 1,
    ),
    "a command and a group": (
        {"one": {"commands": [act("zw x")]}, "two": {"commands": [act("zw y")]}, "three": {"commands": [act("zw")]}},
        "commands", {"zw": None, "zw x": None, "zw y": None}, 3,
    ),
    "two groups of one word": (
        {"one": {"commands": [act("zw x")]}, "two": {"commands": [act("zw y")]}},
        "commands", {"zw x": "one (irmx-one 1.0)", "zw y": "two (irmx-two 1.0)"}, 0,
    ),
    "a group of irmx's own": (
        {"aaa": {"commands": [act("pages")]}, "pages": {"commands": [act("pages fit")]}, "yy": {"commands": [act("pages z")]}},
        "commands", {"pages": None, "pages fit": "pages (irmx-pages 1.0)", "pages z": "yy (irmx-yy 1.0)"}, 1,
    ),
    "a command and a group of one plugin": (
        {"one": {"commands": [act("zw"), act("zw x")]}}, "commands", {"zw": None, "zw x": "one (irmx-one 1.0)"}, 1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CLAIMS)
def test_who_gets_a_name(case: str, settled: Settled) -> None:
    plugins, kind, owners, warned = CLAIMS[case]
    registry, told = settled(plugins)
    assert {name: registry.owner(kind, name) for name in owners} == owners
    assert len(told) == warned


def objects(name: str) -> list[Any]:
    """An object of every other kind, with its kind and its key."""
    form = type("F", (Format,), {"NAME": name, "recognises": None, "read": None, "__abstractmethods__": ()})()
    return [
        ("symbols", symbol("height", name), f"height {name}"),
        ("formats", form, name),
        ("datasets", Dataset(name, object), name),
        ("fields", Field(name, "timestamp", "date"), f"{name} timestamp"),
        ("commands", Command(name, "m:f", group="pages"), f"pages {name}"),
    ]


@pytest.mark.parametrize(("kind", "obj", "key"), objects("zname"), ids=lambda x: x if isinstance(x, str) else "")
def test_names_of_other_kinds_are_given_in_the_same_way(kind: str, obj: Any, key: str, settled: Settled) -> None:
    registry, told = settled({"one": {kind: [obj]}, "two": {kind: [obj]}})
    assert registry.owner(kind, key) is None
    assert len(told) == 2
    assert all(f"The {kind[:-1]} {key!r} of the irmx plugin" in line for line in told)
    registry, _ = settled({"one": {kind: [obj]}, "pages": {kind: [obj]}})
    assert registry.owner(kind, key) == "pages (irmx-pages 1.0)"


def test_what_the_host_has_no_plugin_gets(plugin: Callable[..., Any]) -> None:
    discovery = Discovery(Registry(), irmx._own_names())
    discovery.add_host((commands,))
    named = ("Rows", "registry", "cli", "pt")
    offer = plugin(
        commands=[act("eval"), act("measures new")],
        measures=[measure(name) for name in named],
        symbols=[symbol("height", name) for name in named],
    )
    discovery.add(PluginInfo("second", "irmx-second", "1.0"), lambda: offer)
    with pytest.warns(irmx.PluginWarning) as caught:
        discovery.register()
    assert not any("IRMX_DISABLED_PLUGINS" in str(one.message) for one in caught)
    registry = discovery._registry
    assert registry.measures() == {}
    assert registry.attributes() == {}
    assert list(registry.symbols("height")) == list(named)
    assert "eval" in registry.commands()
    assert "commands" not in registry.plugins["second"].offers


TWIN = """
import irmx
class Twin(irmx.Measure):
    NAME = "ZTwin"
@irmx.hookimpl
def irmx_measures():
    return [Twin()]
"""


@pytest.mark.parametrize(
    ("environment", "used"),
    [
        ({"IRMX_LOAD_PLUGINS": "markov"}, {"markov of irmx-markov", "markov of irmx-twin"}),
        ({"IRMX_LOAD_PLUGINS": "irmx-markov"}, {"markov of irmx-markov"}),
        ({"IRMX_LOAD_PLUGINS": "markov", "IRMX_DISABLED_PLUGINS": "irmx-twin"}, {"markov of irmx-markov"}),
        ({"IRMX_LOAD_PLUGINS": "markov,ncp", "IRMX_DISABLED_PLUGINS": "markov"}, {"ncp"}),
    ],
)
def test_the_name_of_an_entry_point_means_all_plugins_that_have_it(
    environment: dict[str, str], used: set[str], tmp_path: Path, shell: Any, installed: Callable[..., None]
) -> None:
    installed(tmp_path, "twin", TWIN, point="markov")
    done = shell("plugins", "-o", "jsonl", PYTHONPATH=str(tmp_path), **environment)
    assert (done.code, done.err) == (0, "")
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert {row["plugin"] for row in rows if not row["failure"]} == {"irmx (host)", *used}


@pytest.mark.parametrize("stranger", ["aaa", "zzz"])
@pytest.mark.parametrize(
    "offer",
    [
        {"symbols": [symbol("mykind", "ZModel")]},
        {"measures": [measure("ZModel")]},
        {"measures": [measure("ZOther", "ZModel")]},
    ],
    ids=["symbol", "measure", "alias"],
)
def test_a_stranger_does_not_take_an_attribute_of_irmx_from_its_owner(
    stranger: str, offer: dict[str, Any], settled: Settled
) -> None:
    owned = symbol("Markov model", "ZModel")
    plugins = {stranger: offer, "markov": {"symbols": [owned]}}
    registry, (told,) = settled(plugins)
    assert registry.attributes()["ZModel"] is owned
    assert f"The attribute 'ZModel' of the irmx plugin {stranger} " in told
    (kind, (other,)) = next(iter(offer.items()))
    assert other in (registry.all_symbols() if kind == "symbols" else registry.measures().values())


def test_a_symbol_that_claims_no_attribute_leaves_its_name_to_another_kind(settled: Settled) -> None:
    owned, modest = symbol("height", "zlevel"), symbol("depth", "zlevel")
    type(modest).ATTRIBUTE = False
    registry, told = settled({"one": {"symbols": [owned]}, "two": {"symbols": [modest]}})
    assert not told
    assert registry.attributes()["zlevel"] is owned
    assert registry.symbols("depth") == {"zlevel": modest}


def test_an_attribute_that_two_strangers_claim_is_nobodys(settled: Settled, monkeypatch: pytest.MonkeyPatch) -> None:
    registry, told = settled(
        {"one": {"symbols": [symbol("height", "zlevel")]}, "two": {"symbols": [symbol("depth", "zlevel")]}}
    )
    assert [list(registry.symbols(kind)) for kind in ("height", "depth")] == [["zlevel"], ["zlevel"]]
    assert len(told) == 2
    irmx.registry()
    monkeypatch.setattr(sys.modules["irmx.registry"], "_registry", registry)
    with pytest.raises(AttributeError, match=r"one \(irmx-one 1.0\) does not get it: two \(irmx-two 1.0\) claims it"):
        _ = irmx.zlevel
