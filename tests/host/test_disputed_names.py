"""Names that several plugins claim: who gets them, whoever is loaded first, and that both sides are named."""

import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import irmx
from irmx import Command, Dataset, Field, Format, Measure, Symbol, hookimpl
from irmx.cli import commands
from irmx.plugin.discovery import Discovery
from irmx.registry import PluginInfo, Registry


def plugin(**hooks: Any) -> Any:
    """Return a plugin whose hooks return these lists."""

    def hook(kind: str, objects: Any) -> Any:
        return hookimpl(lambda: objects, specname=f"irmx_{kind}")

    made = type("Made", (), {})()
    vars(made).update({f"irmx_{kind}": hook(kind, objects) for kind, objects in hooks.items()})
    return made


def claiming(*names: str, aliases: tuple[str, ...] = ()) -> Any:
    """Return a plugin with a measure of each name, the first of which has aliases, and one symbol."""
    made = [type(n, (Measure,), {"NAME": n, "ALIASES": aliases if n == names[0] else ()})() for n in names]
    return plugin(measures=made)


def settled(plugins: dict[str, Any], preferred: tuple[str, ...] = ()) -> tuple[Registry, list[str]]:
    """Return a registry with some plugins, which are the same whatever their order, and what was warned of."""
    outcomes = []
    for order in (list(plugins), list(reversed(plugins))):
        discovery = Discovery(Registry(), set(preferred))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for name in order:
                discovery.add(PluginInfo(name, f"irmx-{name}", "1.0"), lambda name=name: plugins[name])  # type: ignore[misc]
            discovery.register()
        registry = discovery._registry
        named = {key: registry.owner(*key) for key in registry._owners}
        offers = {name: (info.offers, info.failure) for name, info in registry.plugins.items()}
        outcomes.append((named, offers, {str(one.message) for one in caught}))
    assert outcomes[0][:2] == outcomes[1][:2]
    return registry, sorted(outcomes[0][2])


def test_a_name_that_two_plugins_claim_is_refused_to_both_and_the_rest_stays() -> None:
    registry, told = settled({"one": claiming("ZX", "ZA"), "two": claiming("ZX", "ZB")})
    assert sorted(registry.measures(aliases=True)) == ["ZA", "ZB"]
    assert told == [
        "The measure 'ZX' of the irmx plugin one (irmx-one 1.0) is refused: two (irmx-two 1.0) claims it, too. "
        "IRMX_PREFERRED_PLUGINS=irmx-one gives it to one.",
        "The measure 'ZX' of the irmx plugin two (irmx-two 1.0) is refused: one (irmx-one 1.0) claims it, too. "
        "IRMX_PREFERRED_PLUGINS=irmx-two gives it to two.",
    ]
    for name, info in registry.plugins.items():
        assert told[name == "two"].endswith(info.refused["measures"]["ZX"])


def test_a_third_plugin_gets_no_refused_name_either() -> None:
    registry, told = settled({name: claiming("ZX", f"Z{name}") for name in ("one", "two", "three")})
    assert sorted(registry.measures(aliases=True)) == ["Zone", "Zthree", "Ztwo"]
    assert len(told) == 3
    assert "two (irmx-two 1.0) and three (irmx-three 1.0) claim it, too" in " ".join(told)


def test_an_alias_is_refused_alone_and_a_name_with_its_aliases() -> None:
    registry, told = settled({"one": claiming("ZX", aliases=("ZAlias", "ZOld")), "two": claiming("ZAlias")})
    assert sorted(registry.measures(aliases=True)) == ["ZOld", "ZX"]
    assert len(told) == 2
    registry, _ = settled({"one": claiming("ZX", aliases=("ZOld",)), "two": claiming("ZX")})
    assert registry.measures(aliases=True) == {}


@pytest.mark.parametrize("stranger", ["aaa", "zzz"])
def test_a_plugin_that_ships_with_irmx_keeps_its_names(stranger: str) -> None:
    registry, (told,) = settled({stranger: claiming("MP", "ZA"), "markov": claiming("MP")})
    assert registry.owner("measures", "MP") == "markov (irmx-markov 1.0)"
    assert "ZA" in registry.measures()
    assert f"'MP' of the irmx plugin {stranger} " in told
    assert "is refused: markov (irmx-markov 1.0) ships with irmx and has the name" in told


@pytest.mark.parametrize("label", ["zzz", "irmx-zzz"])
def test_a_plugin_that_the_user_prefers_gets_its_names(label: str) -> None:
    plugins = {"zzz": claiming("MP", "ZX"), "markov": claiming("MP"), "other": claiming("ZX")}
    registry, told = settled(plugins, (label,))
    assert {registry.owner("measures", name) for name in ("MP", "ZX")} == {"zzz (irmx-zzz 1.0)"}
    assert registry.plugins["markov"].refused["measures"]["MP"] in told[0]
    assert "zzz (irmx-zzz 1.0) is preferred and has the name" in told[0]
    both = settled(plugins, (label, "markov"))[0]
    assert both.owner("measures", "MP") is None


def test_a_name_of_ir_measures_is_refused_to_any_plugin() -> None:
    registry, told = settled({"markov": claiming("nDCG", "ZX"), "two": claiming("nDCG")}, ("two",))
    assert list(registry.measures(aliases=True)) == ["ZX"]
    assert [line.partition(" of ")[2] for line in told] == [
        f"the irmx plugin {name} (irmx-{name} 1.0) is refused: ir_measures already has this name."
        for name in ("markov", "two")
    ]


def named(name: str) -> list[tuple[str, Any, str]]:
    """Return an object of every other kind, with its kind and its key."""
    symbol = type("S", (Symbol,), {"NAME": name, "KIND": "height"})()
    form = type("F", (Format,), {"NAME": name, "recognises": None, "read": None, "__abstractmethods__": ()})()
    return [
        ("symbols", symbol, f"height {name}"),
        ("formats", form, name),
        ("datasets", Dataset(name, object), name),
        ("fields", Field(name, "timestamp", "date"), f"{name} timestamp"),
        ("commands", Command(name, "m:f", group="pages"), f"pages {name}"),
    ]


@pytest.mark.parametrize(("kind", "obj", "key"), named("zname"), ids=lambda x: x if isinstance(x, str) else "")
def test_names_of_other_kinds_are_given_in_the_same_way(kind: str, obj: Any, key: str) -> None:
    offer = plugin(**{kind: [obj]})
    registry, told = settled({"one": offer, "two": plugin(**{kind: [obj]})})
    assert registry.owner(kind, key) is None
    assert len(told) == 2
    assert all(f"The {kind[:-1]} {key!r} of the irmx plugin" in line for line in told)
    registry, _ = settled({"one": offer, "pages": plugin(**{kind: [obj]})})
    assert registry.owner(kind, key) == "pages (irmx-pages 1.0)"


def test_two_scorers_of_one_measure_are_refused_and_both_named() -> None:
    scorer = type("Scorer", (irmx.Measure,), {"NAME": "nDCG"})()
    offer = plugin(scorers=[scorer])
    registry, told = settled({"one": offer, "two": plugin(scorers=[type(scorer)()])})
    assert registry.scorers() == {}
    assert told[0].startswith(
        "The scorer 'nDCG' of the irmx plugin one (irmx-one 1.0) is refused: two (irmx-two 1.0) claim"
    )
    assert told[1].startswith(
        "The scorer 'nDCG' of the irmx plugin two (irmx-two 1.0) is refused: one (irmx-one 1.0) claim"
    )
    registry, (refused,) = settled({"one": offer, "trec": plugin(scorers=[type(scorer)()])})
    assert registry.owner("scorers", "nDCG") == "trec (irmx-trec 1.0)"
    assert "trec (irmx-trec 1.0) ships with irmx and has the name" in refused


def test_what_the_host_has_no_plugin_gets() -> None:
    discovery = Discovery(Registry(), {"second"})
    discovery.add_host((commands,))
    offer = plugin(commands=[Command("eval", "m:f"), Command("new", "m:f", group="measures")])
    discovery.add(PluginInfo("second", "irmx-second", "1.0"), lambda: offer)
    with pytest.warns(irmx.PluginWarning, match=r"is refused: irmx \(host\) .* has the name") as caught:
        discovery.register()
    assert [str(one.message).partition(" of ")[0] for one in caught] == [
        "The command 'eval'",
        "The command 'measures new'",
    ]
    assert not any("IRMX_PREFERRED_PLUGINS" in str(one.message) for one in caught)


def test_a_command_and_a_group_of_commands_cannot_share_a_word() -> None:
    groups = {
        "one": plugin(commands=[Command("x", "m:f", group="zword")]),
        "two": plugin(commands=[Command("y", "m:f", group="zword")]),
    }
    assert set(settled(groups)[0].commands()) == {"zword x", "zword y"}
    registry, told = settled({**groups, "three": plugin(commands=[Command("zword", "m:f"), Command("other", "m:f")])})
    assert set(registry.commands()) == {"other"}
    assert len(told) == 3
    pages = plugin(commands=[Command("fit", "m:f", group="pages")])
    registry, _ = settled({"aaa": plugin(commands=[Command("pages", "m:f")]), "pages": pages})
    assert set(registry.commands()) == {"pages fit"}


def test_a_refused_command_leaves_its_word_to_others() -> None:
    def offering(*words: str) -> Any:
        return plugin(commands=[Command(w.split()[-1], "m:f", group=w.rpartition(" ")[0]) for w in words])

    plugins = {"stream": offering("stream run"), "xx1": offering("stream"), "yy1": offering("stream extra")}
    registry, (told,) = settled(plugins)
    assert set(registry.commands()) == {"stream run", "stream extra"}
    assert "'stream' of the irmx plugin xx1 " in told
    assert "stream (irmx-stream 1.0) ships with irmx and has the name" in told
    registry, (told,) = settled({"one": offering("shared", "shared stop"), "two": offering("shared go")})
    assert set(registry.commands()) == {"shared stop", "shared go"}
    assert "'shared' of the irmx plugin one (irmx-one 1.0) is refused: the plugin has commands behind this word" in told


def test_a_refused_measure_takes_no_alias_from_others() -> None:
    plugins = {"markov": claiming("MP"), "ph1": claiming("MP", aliases=("ZFoo",)), "ph2": claiming("ZFoo")}
    registry, (told,) = settled(plugins)
    assert registry.owner("measures", "ZFoo") == "ph2 (irmx-ph2 1.0)"
    assert "'MP' of the irmx plugin ph1 " in told
    tied = {"one": claiming("ZX", aliases=("ZFoo",)), "two": claiming("ZX"), "three": claiming("ZFoo")}
    registry, told = settled(tied)
    assert list(registry.measures(aliases=True)) == ["ZFoo"]
    assert len(told) == 2


def test_a_weaker_plugin_does_not_get_what_stronger_ones_dispute() -> None:
    plugins = {"markov": claiming("ZX"), "ncp": claiming("ZX"), "one": claiming("ZX")}
    registry, told = settled(plugins)
    assert registry.measures() == {}
    assert any(
        "one (irmx-one 1.0) is refused: markov" in line and "ncp (irmx-ncp 1.0) claim it" in line for line in told
    )


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
    environment: dict[str, str],
    used: set[str],
    tmp_path: Path,
    shell: Callable[..., Any],
    installed: Callable[..., None],
) -> None:
    installed(tmp_path, "twin", TWIN, point="markov")
    done = shell("plugins", "-o", "jsonl", PYTHONPATH=str(tmp_path), **environment)
    assert (done.code, done.err) == (0, "")
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert {row["plugin"] for row in rows if not row["failure"]} == {"irmx (host)", *used}


# -- attributes of irmx ------------------------------------------------------------------------------------


def symbol(kind: str, name: str) -> Symbol:
    return type("S", (Symbol,), {"NAME": name, "KIND": kind})()


@pytest.mark.parametrize("stranger", ["aaa", "zzz"])
@pytest.mark.parametrize(
    "offer",
    [
        {"symbols": [symbol("mykind", "ZModel")]},
        {"measures": [type("M", (Measure,), {"NAME": "ZModel"})()]},
        {"measures": [type("M", (Measure,), {"NAME": "ZOther", "ALIASES": ("ZModel",)})()]},
    ],
    ids=["symbol", "measure", "alias"],
)
def test_a_stranger_does_not_take_an_attribute_from_its_owner(stranger: str, offer: dict[str, Any]) -> None:
    owned = symbol("Markov model", "ZModel")
    plugins = {stranger: plugin(**offer), "markov": plugin(symbols=[owned])}
    registry, (told,) = settled(plugins)
    assert registry.attributes()["ZModel"] is owned
    assert f"The attribute 'ZModel' of the irmx plugin {stranger} " in told
    assert "is refused: markov (irmx-markov 1.0) ships with irmx and has the name" in told
    assert registry.symbols("Markov model") == {"ZModel": owned}
    (kind, (other,)) = next(iter(offer.items()))
    assert other in (registry.all_symbols() if kind == "symbols" else registry.measures().values())
    registry, _ = settled(plugins, (stranger,))
    assert registry.attributes()["ZModel"] is other


def test_an_attribute_that_two_strangers_claim_is_nobodys(monkeypatch: pytest.MonkeyPatch) -> None:
    low, deep = symbol("height", "zlevel"), symbol("depth", "zlevel")
    registry, told = settled({"one": plugin(symbols=[low]), "two": plugin(symbols=[deep])})
    assert (registry.symbols("height"), registry.symbols("depth")) == ({"zlevel": low}, {"zlevel": deep})
    assert len(told) == 2
    irmx.registry()
    monkeypatch.setattr(sys.modules["irmx.registry"], "_registry", registry)
    for module in (irmx, pyterrier_names()):
        with pytest.raises(AttributeError, match="has no attribute 'zlevel'") as raised:
            module.__getattr__("zlevel")
        for name, other in (("one", "two"), ("two", "one")):
            text = f"{name} (irmx-{name} 1.0) does not get it: {other} (irmx-{other} 1.0) claims it, too."
            assert text in str(raised.value)


def pyterrier_names() -> Any:
    """Return what stands for pyterrier.measures, as ``__getattr__`` of it."""
    from irmx.adapters.pyterrier import measure_names

    return type("measures", (), {"__getattr__": staticmethod(measure_names._attribute)})


@pytest.mark.parametrize("name", ["Rows", "registry", "ragged", "cli", "pt", "collections"])
def test_names_of_irmx_itself_are_refused(name: str) -> None:
    discovery = Discovery(Registry(), {"second"}, irmx._own_names())
    offer = plugin(measures=[type("M", (Measure,), {"NAME": name})()], symbols=[symbol("height", name)])
    discovery.add(PluginInfo("second", "irmx-second", "1.0"), lambda: offer)
    with pytest.warns(irmx.PluginWarning, match="is refused: irmx itself already has this name") as caught:
        discovery.register()
    assert [str(one.message).partition(" of ")[0] for one in caught] == [
        f"The measure {name!r}",
        f"The attribute {name!r}",
    ]
    assert discovery._registry.measures() == {}
    assert list(discovery._registry.symbols("height")) == [name]
