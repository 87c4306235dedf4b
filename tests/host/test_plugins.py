"""Installed plugins that are broken or claim one name: the shell says who is not in use and why, and all others work."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from irmx.demo import qrels_path, run_path

PRELUDE = """
import irmx, sys
from irmx import Citation, Column, Command, Dataset, Field, Format, Measure, OutputFormat, Param, Symbol, hookimpl
def make(kind, name, **members):
    methods = {method: lambda self, *_: None for method in ("recognises", "read", "write")}
    return type("Made", (kind,), {"NAME": name, **methods, **members})()
def measure(name, *aliases, **members):
    return make(Measure, name, ALIASES=aliases, **members)
def symbol(kind, name, **members):
    return make(Symbol, name, KIND=kind, **members)
def act(words):
    return Command(words.split()[-1], "m:f", group=words.rpartition(" ")[0])
def fails(error):
    raise error
class Stop(BaseException): ...
class Mute(Exception):
    def __str__(self): 1 / 0
"""


def hooks(**returned: str) -> str:
    """Return the code of a plugin whose hooks return these expressions."""
    return "".join(f"@hookimpl\ndef irmx_{hook}():\n    return {value}\n" for hook, value in returned.items())


@pytest.fixture
def shown(tmp_path: Path, shell: Any, installed: Callable[..., None]) -> Callable[..., Any]:
    """A function that installs plugins; it returns of each its failure and what it offers and is refused, and what is said."""

    def show(plugins: dict[str, str], *beside: str, **requires: list[str]) -> tuple[dict[str, Any], str]:
        for name, code in plugins.items():
            installed(tmp_path, name, PRELUDE + code, requires=requires.get(name, ()))
        environment = {"PYTHONPATH": str(tmp_path), "IRMX_LOAD_PLUGINS": ",".join([*plugins, *beside])}
        done = shell("plugins", "-o", "jsonl", **environment)
        assert (done.code, "Traceback" in done.err) == (0, False)
        rows = [row for row in map(json.loads, done.out.splitlines()) if row["plugin"] in plugins]
        found: dict[str, dict[str, Any]] = {row["plugin"]: {"": row["failure"] or ""} for row in rows}
        for row in rows:
            lists = [" ".join(name.replace(" ", "_") for name in row[which]) for which in ("names", "refused")]
            found[row["plugin"]] |= {row["kind"]: tuple(lists)} if row["kind"] else {}
        return found, done.err

    return show


# -- plugins and objects that cannot be used ---------------------------------------------------------------

FAILING = {
    "no_library": ("raise ImportError('no such library')", "ImportError: no such library"),
    "exits": ("raise SystemExit(3)", "SystemExit: 3"),
    "halves": ("def f(:", "SyntaxError: "),
    "zero": ("\0", "null bytes"),
    "deep": ("def f():\n    f()\nf()", "RecursionError: maximum recursion depth exceeded"),
    "closing": ("raise GeneratorExit", "GeneratorExit"),
    "strange": ("raise Stop('odd')", "Stop: odd"),
    "mute": ("raise Mute", "Mute, whose text raises ZeroDivisionError"),
    "surrogate": ("raise RuntimeError('half a pair: \\ud800')", "RuntimeError: half a pair: \\ud800"),
    "hook_raises": (hooks(measures="fails(RuntimeError('no table'))"), "irmx_measures raised RuntimeError: no table"),
    "hook_exits": (hooks(measures="fails(SystemExit(0))"), "its hook irmx_measures raised SystemExit: 0"),
    "hook_stops": (hooks(measures="fails(Stop('enough'))"), "its hook irmx_measures raised Stop: enough"),
    "none": (hooks(measures="None"), "its hook irmx_measures returned None; a list of objects is expected"),
    "no_list": (hooks(measures="measure('ZAlone')"), "returned ZAlone; a list of objects is expected"),
    "number": (hooks(measures="3"), "its hook irmx_measures returned 3; a list of objects is expected"),
    "ends": (hooks(measures="(fails(OSError('ends here')) for _ in 'a')"), "irmx_measures raised OSError: ends here"),
    "waits": ("@hookimpl\nasync def irmx_measures(): ...", "returned <coroutine object irmx_measures"),
    "twice": (hooks(measures="[measure('ZB'), measure('ZB')]"), "it registers the measure 'ZB' twice"),
    "scorer_twice": (hooks(scorers="[measure('infAP')] * 2"), "it registers the scorer 'infAP' twice"),
    "no_hook": (hooks(measure="[]"), "irmx_measure"),
    "asks": ("@hookimpl\ndef irmx_measures(config): ...", "Argument(s) {'config'} are declared in the hookimpl but can not"),
}  # fmt: skip
"""Plugins of which nothing can be used: their code, and what is said of them."""

REFUSED: dict[str, tuple[str, str, str]] = {
    "class": ("measures", "type(measure('ZC'))", "returned the class Made, which is not an irmx.Measure but a kind of them: return Made(...)"),
    "text": ("measures", "'ZAlpha'", "returned 'ZAlpha', which is not an irmx.Measure"),
    "no_symbol": ("symbols", "measure('ZB')", "which is not an irmx.Symbol"),
    "no_scorer": ("scorers", "symbol('height', 'low')", "its hook irmx_scorers returned low, which is not an irmx.Measure"),
    "stranger": ("scorers", "measure('ZB')", "its hook irmx_scorers returned a scorer of ZB, which is no measure of ir_measures"),
    "no_output": ("output_formats", "object()", "which is not an irmx.OutputFormat"),
    "no_dataset": ("datasets", "'vaswani'", "returned 'vaswani', which is not an irmx.Dataset"),
    "no_field": ("fields", "('wapo', 'day')", "which is not an irmx.Field"),
    "nameless": ("measures", "measure(None)", "returned a Made without a NAME"),
    "numbered": ("measures", "measure(3)", "returned a Made whose NAME is 3; a text is expected"),
    "spaced": ("measures", "measure('Z Alpha')", "whose NAME is 'Z Alpha'; in an expression only letters, digits and _"),
    "columns": ("measures", "measure('ZC', RUN_COLUMNS=('clicks',))", "its measure ZC has 'clicks' in RUN_COLUMNS, which is not"),
    "wrong_column": ("measures", "measure('ZC', QREL_COLUMNS=(Column('run', 'x', 'y'),))", "which is not an irmx.Column('qrels', ...)"),
    "parameter": ("measures", "measure('ZC', SUPPORTED_PARAMS={'k': int})", "declares the parameter 'k' as type, not an irmx.Param"),
    "blank_word": ("commands", "Command('bad name', 'm:f')", "the word 'bad name', which cannot be typed"),
    "option": ("commands", "Command('--version', 'm:f')", "the word '--version', which cannot be typed"),
    "group": ("commands", "Command('fit', 'm:f', group='-x')", "the word '-x', which cannot be typed"),
    "number_group": ("commands", "Command('a', 'm:f', group=3)", "function or group is no text"),
    "function": ("commands", "Command('a', len)", "function or group is no text"),
    "one_example": ("commands", "Command('a', 'm:f', EXAMPLES='irmx a')", "EXAMPLES are of type str"),
    "summary": ("commands", "Command('a', 'm:f', SHORT_DESC=3)", "SHORT_DESC is of type int"),
    "empty": ("datasets", "Dataset('', object)", "returned a Dataset without a NAME"),
    "untellable": ("symbols", "type('S', (Symbol,), {'NAME': property(lambda self: fails(KeyError('x'))), 'KIND': 'a'})()", "it raises KeyError: 'x'"),
    "bytes": ("symbols", "symbol('a', 'low', SHORT_DESC=b'x')", "SHORT_DESC is of type bytes"),
    "examples": ("formats", "make(Format, 'own', EXAMPLES=(1, 2))", "EXAMPLES are of type tuple"),
    "blank": ("formats", "make(Format, 'a b')", "NAME is 'a b', which cannot be typed"),
    "colon": ("formats", "make(Format, 'a:')", "NAME is 'a:', which cannot be typed"),
    "tab": ("output_formats", "make(OutputFormat, 'a\\tb')", "which cannot be typed"),
    "no_tables": ("formats", "make(Format, 'own', TABLES=None)", "TABLES is not a tuple of"),
    "tables": ("formats", "make(Format, 'own', TABLES='run')", "TABLES is not a tuple of"),
    "folders": ("formats", "make(Format, 'own', FOLDERS=('runs',))", "FOLDERS is not a tuple of"),
    "ids": ("formats", "make(Format, 'own', IDS='yes')", "IDS or LINES is not"),
    "lines": ("formats", "make(Format, 'own', LINES='some')", "IDS or LINES is not"),
}  # fmt: skip
"""Objects that cannot be used, beside others of their plugin that can: the kind, the object, and what is said of it."""

FITTING = [["irmx>=0.0.1"], ["irmx<999"], [f"irmx=={metadata.version('irmx')}"], ["irmx>0,!=0.0.5"], ["irmx"], [],
           ["irmx-other>=999"], ["numpy>=1", "irmx>=999; extra == 'test'"], ["irmx>=999; python_version<'3'"], ["irmx ~~ 3"]]  # fmt: skip
TOO_NEW = ["irmx>=999", "IRMX>=999", "irmx (>=999)", "irmx[plugins]>=999", "irmx >=999 ; python_version>'3'"]


def test_what_cannot_be_used_is_named_with_the_reason_and_everything_else_works(shown: Callable[..., Any]) -> None:
    plugins = {name: code for name, (code, _) in FAILING.items()}
    for name, (kind, broken, _) in REFUSED.items():
        sound = {"measures": f"measure('Z{name}')", "fields": f"Field('{name}', 'length', 'length')"}
        offered = {what: f"[{one}]" for what, one in sound.items()} | {kind: f"[{broken}, *[{sound.get(kind, '')}]]"}
        plugins[f"r_{name}"] = hooks(**offered)
    fitting = {f"fits{i}": required for i, required in enumerate(FITTING)}
    too_new = {f"new{i}": ["numpy ~~ 1", required] for i, required in enumerate(TOO_NEW)}
    plugins |= dict.fromkeys(fitting, hooks(measures="[]")) | dict.fromkeys(too_new, "raise AssertionError('imported')")
    found, said = shown(plugins, **fitting, **too_new)
    for name, (_, reason) in FAILING.items():
        assert found[name].keys() == {""}
        assert reason in found[name][""]
        assert f"irmx plugin {name} (irmx-{name} 1.0) is not in use: " in said
    for name, (kind, _, reason) in REFUSED.items():
        of = found[f"r_{name}"]
        assert (of[""], of["measures"][0], of["fields"][0]) == ("", f"Z{name}", name)
        assert of[kind][1] != ""
        [line] = [line for line in said.splitlines() if f"irmx plugin r_{name} " in line]
        told = f"One of the {kind.replace('_', ' ')} of the irmx plugin r_{name} (irmx-r_{name} 1.0) is refused: "
        assert told in line
        assert reason in line
    assert {found[name][""] for name in fitting} == {""}
    for name in too_new:
        assert found[name][""].startswith("it needs irmx >=999; this is irmx ")
        assert found[name][""].endswith(f"python -m pip install --upgrade irmx irmx-{name}")


def test_an_old_plugin_that_ships_with_irmx_is_not_imported_where_it_needs_another(
    shell: Any, installed: Callable[..., None], tmp_path: Path
) -> None:
    installed(tmp_path, "study", "raise AssertionError('imported')", requires=["irmx<0.0.2"])
    done = shell("plugins", PYTHONPATH=str(tmp_path))
    assert "study (irmx-study) 1.0\n  not in use: it needs irmx <0.0.2" in done.out
    assert "imported" not in done.out + done.err


PRINTING = """
def tell(when):
    print(f"print {when}")
tell("import")
@hookimpl
def irmx_measures():
    tell("hook")
    assert "trec" in irmx.registry().formats() and not hasattr(irmx, "NoSuchThing")
    assert str(irmx.parse_measure("AP")) == "AP"
    return [measure("ZAsking")]
"""


def test_what_a_plugin_prints_is_no_result_and_it_may_ask_irmx_while_it_is_loaded(
    tmp_path: Path, shell: Any, installed: Callable[..., None]
) -> None:
    installed(tmp_path, "printing", PRELUDE + PRINTING)
    environment = {"PYTHONPATH": str(tmp_path), "IRMX_LOAD_PLUGINS": "printing"}
    done = shell("eval", qrels_path(), run_path("bm25"), "AP", "-o", "csv", **environment)
    assert (done.code, done.err) == (0, "print import\nprint hook\n")
    assert [line.partition(",")[0] for line in done.out.splitlines()] == ["measure", "AP"]
    assert "measures: ZAsking" in shell("plugins", **environment).out


@pytest.mark.parametrize("code", ["raise KeyboardInterrupt", hooks(measures="fails(KeyboardInterrupt())")])
def test_ctrl_c_while_a_plugin_is_loaded_stops_the_program(
    code: str, tmp_path: Path, shell: Any, installed: Any
) -> None:
    installed(tmp_path, "stopped", PRELUDE + code)
    done = shell("plugins", PYTHONPATH=str(tmp_path), IRMX_LOAD_PLUGINS="stopped")
    assert (done.code, done.out, done.err) == (130, "", "irmx: stopped\n")


# -- names that several claim ------------------------------------------------------------------------------

CLAIMS: dict[str, dict[str, str]] = {
    "aaa": {
        "measures": "measure('ZThree'), measure('ZY', 'ZAlias', 'ZOld'), measure('MP', 'ZF'), measure('Rows'), measure('pt')",
        "scorers": "measure('infAP'), measure('nDCG')",
        "symbols": "symbol('height', 'zname'), symbol('height', 'zlevel'), symbol('mine', 'GL_AD_ID'), symbol('k', 'registry')",
        "formats": "make(Format, 'zname')",
        "output_formats": "make(OutputFormat, 'zname')",
        "datasets": "Dataset('zname', object)",
        "fields": "Field('zname', 'timestamp', 'date')",
        "commands": "act('zw x'), act('zv x'), act('pages'), act('pages zname'), act('zu'), act('zu x'), act('eval')",
    },
    "mmm": {
        "measures": "measure('ZThree'), measure('ZAlias'), measure('nDCG'), measure('GL_AD_ID')",
        "symbols": "symbol('depth', 'zlevel'), symbol('depth', 'zname', ATTRIBUTE=False)",
        "commands": "act('zw'), act('measures new')",
    },
    "zzz": {
        "measures": "measure('ZThree'), measure('ZF'), measure('ZOther', 'GL_DD_ID')",
        "scorers": "measure('infAP')",
        "symbols": "symbol('height', 'zname')",
        "formats": "make(Format, 'zname')",
        "output_formats": "make(OutputFormat, 'zname')",
        "datasets": "Dataset('zname', object)",
        "fields": "Field('zname', 'timestamp', 'date')",
        "commands": "act('zw y'), act('zv y'), act('pages z'), act('pages zname'), act('pages fit')",
    },
}
"""What three strangers to irmx offer."""

REFUSED_NAMES = {
    "aaa": {
        "measures": "ZThree ZAlias MP Rows pt",
        "scorers": "infAP nDCG",
        "symbols": "height_zname",
        "attributes": "zlevel GL_AD_ID registry",
        **dict.fromkeys(("formats", "output_formats", "datasets"), "zname"),
        "fields": "zname_timestamp",
        "commands": "zw_x pages pages_zname zu eval",
    },
    "mmm": {
        "measures": "ZThree ZAlias nDCG",
        "symbols": "",
        "attributes": "GL_AD_ID zlevel",
        "commands": "zw measures_new",
    },
    "zzz": {
        "measures": "ZThree",
        "scorers": "infAP",
        "symbols": "height_zname",
        **dict.fromkeys(("formats", "output_formats", "datasets"), "zname"),
        "fields": "zname_timestamp",
        "commands": "zw_y pages_zname pages_fit",
    },
}
"""Equals get no name that they dispute; irmx, ir_measures and the plugins that ship with irmx keep theirs."""
OFFERED = {
    "aaa": {"measures": "ZY", "symbols": "zlevel GL_AD_ID registry", "commands": "zv_x zu_x"},
    "mmm": {"measures": "GL_AD_ID", "symbols": "zlevel zname"},
    "zzz": {"measures": "ZF ZOther", "commands": "zv_y pages_z"},
}
ATTRIBUTES = """
import irmx
assert irmx.GL_AD_ID.KIND == "Markov model" and irmx.ZOld.NAME == "ZY" and "ZAlias" not in dir(irmx)
assert list(irmx.registry().symbols("height")) == ["zlevel"] and list(irmx.registry().symbols("depth")) == ["zlevel", "zname"]
assert "MP" in irmx.registry().measures() and "pages fit" in irmx.registry().commands()
print(irmx.zlevel)
"""


@pytest.mark.parametrize("order", ["aaa mmm zzz", "zzz mmm aaa"])
def test_who_gets_a_name_does_not_depend_on_the_order_and_both_sides_are_named(
    order: str, shown: Callable[..., Any], tmp_path: Path
) -> None:
    one, two, three = order.split()
    called = dict(zip(CLAIMS, (one, two, three), strict=True))
    plugins = {called[n]: hooks(**{kind: f"[{them}]" for kind, them in of.items()}) for n, of in CLAIMS.items()}
    shipped = ("markov", "pages", "trec")
    found, said = shown(plugins, *shipped)
    for name in CLAIMS:
        plugin = found[called[name]]
        assert plugin.pop("") == ""
        assert {kind: refused for kind, (_, refused) in plugin.items()} == REFUSED_NAMES[name]
        assert {kind: names for kind, (names, _) in plugin.items() if names} == OFFERED[name]
    other, another = sorted([two, three])
    for told in (
        f"The measure 'ZThree' of the irmx plugin {one} (irmx-{one} 1.0) is refused: {other} (irmx-{other} 1.0) and {another} "
        f"(irmx-{another} 1.0) claim it, too. IRMX_DISABLED_PLUGINS=irmx-{other},irmx-{another} gives it to {one}.",
        f"'MP' of the irmx plugin {one} (irmx-{one} 1.0) is refused: markov (irmx-markov ",
        f"'nDCG' of the irmx plugin {two} (irmx-{two} 1.0) is refused: ir_measures already has this name.",
        f"'eval' of the irmx plugin {one} (irmx-{one} 1.0) is refused: irmx (host) (irmx ",
    ):
        assert told in said
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "IRMX_LOAD_PLUGINS": ",".join([*plugins, *shipped])}
    done = subprocess.run([sys.executable, "-c", ATTRIBUTES], env=environment, capture_output=True, text=True)
    refusal = done.stderr.strip().splitlines()[-2:]
    assert [f"{a} (irmx-{a} 1.0) does not get it: {b} (irmx-{b} 1.0) claims it, too" in line
            for a, b, line in zip(sorted([one, two]), sorted([one, two], reverse=True), refusal, strict=True)] == [True, True]  # fmt: skip
    assert "AttributeError: module 'irmx' has no attribute 'zlevel'" in done.stderr


@pytest.mark.parametrize(
    ("environment", "used"),
    [
        ({"IRMX_LOAD_PLUGINS": "markov"}, {"markov of irmx-markov", "markov of irmx-twin"}),
        ({"IRMX_LOAD_PLUGINS": "irmx-markov"}, {"markov of irmx-markov"}),
        ({"IRMX_LOAD_PLUGINS": "irmx-markov, ncp"}, {"markov of irmx-markov", "ncp"}),
        ({"IRMX_LOAD_PLUGINS": ""}, set()),
        ({"IRMX_LOAD_PLUGINS": "markov", "IRMX_DISABLED_PLUGINS": "irmx-twin"}, {"markov of irmx-markov"}),
        ({"IRMX_LOAD_PLUGINS": "markov,ncp", "IRMX_DISABLED_PLUGINS": "markov"}, {"ncp"}),
    ],
)  # fmt: skip
def test_the_environment_chooses_plugins_by_entry_point_or_distribution(
    environment: dict[str, str], used: set[str], tmp_path: Path, shell: Any, installed: Any
) -> None:
    installed(tmp_path, "twin", PRELUDE + hooks(measures="[measure('ZTwin')]"), point="markov")
    done = shell("plugins", "-o", "jsonl", PYTHONPATH=str(tmp_path), **environment)
    assert (done.code, done.err) == (0, "")
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert {row["plugin"] for row in rows if not row["failure"]} == {"irmx (host)", *used}
    which = "not listed in IRMX_LOAD_PLUGINS", "listed in IRMX_DISABLED_PLUGINS"
    assert {row["failure"] for row in rows} <= {None, *which}


@pytest.mark.parametrize("variable", ["IRMX_LOAD_PLUGINS", "IRMX_DISABLED_PLUGINS"])
def test_a_name_that_is_not_installed_is_warned_of(variable: str, shell: Any) -> None:
    done = shell("plugins", **{variable: "ncpp"})
    assert done.err == f"irmx: {variable} names 'ncpp', which is not installed. Did you mean ncp?\n"
