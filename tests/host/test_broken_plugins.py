"""Broken distributions, and commands, formats and output formats of plugins that fail: they are named, the rest works."""

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import irmx
from irmx import Command, DataError, Format, OutputFormat, PluginError, Symbol, UsageError
from irmx.cli import app
from irmx.demo import qrels_path, run_path

THIRD = "third (irmx-third 2.0)"


class Stop(BaseException):
    """What ends a program elsewhere."""


def raising(error: BaseException) -> Callable[..., Any]:
    def call(*_: Any) -> Any:
        raise error

    return call


def ending(error: BaseException) -> Callable[[], Any]:
    return lambda: raising(error)()


def returning(value: Any) -> Callable[[], Any]:
    def call() -> None:
        return value  # type: ignore[no-any-return]

    return call


# -- distributions -----------------------------------------------------------------------------------------

SOUND = "Metadata-Version: 2.1\nName: irmx-{name}\nVersion: 1.0\n"
POINT = "[irmx]\n{name} = irmx_{name}\n"
HOOK = "\nimport irmx\n@irmx.hookimpl\ndef irmx_measures():\n    "
DISTRIBUTIONS: dict[str, tuple[bytes | None, bytes]] = {
    "without_metadata": (None, POINT.encode()),
    "without_name": (b"Metadata-Version: 2.1\nVersion: 1.0\n", POINT.encode()),
    "without_version": (b"Metadata-Version: 2.1\nName: irmx-x\n", POINT.encode()),
    "latin": (b"Name: irmx-latin\nVersion: 1\nSummary: \xe4\n", POINT.encode()),
    "bytes": (SOUND.encode(), b"\x00\xff\xfe[irmx\n"),
    "halves": (SOUND.encode(), b"[irmx]\nhalf\n"),
    "nowhere": (SOUND.encode(), b"[irmx]\nnowhere = there.is.none:x\n"),
    "nothing": (SOUND.encode(), b"[irmx]\nnothing = irmx_nothing:x\n"),
    "unreadable": (SOUND.encode(), b"[irmx]\nunreadable = 1 2 3\n"),
}
"""Metadata and entry points of distributions."""


def test_broken_distributions_are_named_and_leave_the_others_in_use(shell: Any, tmp_path: Path) -> None:
    for name, (about, points) in {**DISTRIBUTIONS, "sound": (SOUND.encode(), POINT.encode())}.items():
        (tmp_path / f"irmx_{name}.py").write_text(HOOK + "return []\n")
        folder = tmp_path / f"irmx_{name}-1.0.dist-info"
        folder.mkdir()
        (folder / "entry_points.txt").write_bytes(points.replace(b"{name}", name.encode()))
        if about is not None:
            (folder / "METADATA").write_bytes(about.replace(b"{name}", name.encode()))
    called = [f"irmx-{name.replace('_', '-')}" for name in DISTRIBUTIONS]
    environment = {"PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    done = shell("plugins", **environment)
    assert (done.code, "Traceback" in done.err) == (0, False)
    assert [name for name in called if name not in done.err] == []
    assert "sound (irmx-sound) 1.0" in done.out
    assert "irmx-sound" not in done.err
    disabled = shell("plugins", IRMX_DISABLED_PLUGINS=f" {' ,, '.join(called).upper()} ,, ", **environment)
    assert (disabled.code, disabled.err) == (0, "")
    listed = shell("--help", **environment)
    assert (listed.code, "Traceback" in listed.err, "\n  eval" in listed.out) == (0, False, True)


# -- commands ----------------------------------------------------------------------------------------------


def of_unknown_type(x: ModuleType) -> None:
    """A parameter of a type that no text stands for."""


def of_unknown_name(x: "Nowhere") -> None:  # type: ignore[name-defined]  # noqa: F821
    """A type that nobody knows."""


COMMANDS: dict[str, tuple[Any, int, str]] = {
    "returns None": (returning(None), 0, ""),
    "returns rubbish": (returning({"a": object()}), 0, ""),
    "exit()": (ending(SystemExit()), 0, ""),
    "exit(3)": (ending(SystemExit(3)), 3, ""),
    "exit(256)": (ending(SystemExit(256)), 1, ""),
    "exit(-1)": (ending(SystemExit(-1)), 1, ""),
    "exit(True)": (ending(SystemExit(True)), 1, ""),
    "exit(text)": (ending(SystemExit("no licence")), 1, "no licence\n"),
    "click's exit": (ending(click.exceptions.Exit(3)), 3, ""),
    "misuse": (ending(click.BadParameter("what is that")), 2, "what is that"),
    "KeyError": (ending(KeyError("x")), 1, "failed: KeyError: 'x'"),
    "RecursionError": (ending(RecursionError("deep")), 1, "failed: RecursionError: deep"),
    "GeneratorExit": (ending(GeneratorExit()), 1, "failed: GeneratorExit"),
    "BaseException": (ending(Stop("enough")), 1, "failed: Stop: enough"),
    "MemoryError": (ending(MemoryError("74 GiB")), 1, "needs more memory than this process can get (74 GiB)"),
    "UsageError": (ending(UsageError("which one?")), 2, "irmx: which one?"),
    "DataError": (ending(DataError("line 3")), 1, "irmx: line 3"),
    "KeyboardInterrupt": (ending(KeyboardInterrupt()), 130, "irmx: stopped\n"),
    "no function": (3, 1, "is not in use: TypeError"),
    "unknown type": (of_unknown_type, 1, "is not in use: TypeError"),
    "unknown name": (of_unknown_name, 1, "is not in use: NameError"),
}


@pytest.fixture
def acting(monkeypatch: pytest.MonkeyPatch, registry_with: Any) -> Callable[..., None]:
    """A function that makes a plugin with the command ``act``, beside one that works."""

    def put(function: Any, path: str = "irmx_third:act", group: str = "") -> None:
        module = ModuleType("irmx_third")
        module.act, module.rest = function, returning(None)  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "irmx_third", module)
        rest = Command("rest", "irmx_third:rest", SHORT_DESC="Rests.", group=group)
        registry_with("third", commands=[Command("act", path, group=group), rest])

    return put


@pytest.mark.parametrize("group", ["", "third"])
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_ends_with_its_exit_code_or_is_named(name: str, group: str, acting: Any, command: Any) -> None:
    function, code, told = COMMANDS[name]
    acting(function, group=group)
    word = [*group.split(), "act"]
    done = command(*word)
    assert (done.code, done.out, bool(done.err), "Traceback" in done.err) == (code, "", bool(told), False)
    assert told in done.err
    if "failed:" in told or "in use" in told:
        assert done.err.startswith(f"irmx: The command {' '.join(word)!r} of {THIRD} ")
    assert re.search(r"^  rest +Rests\.$", command(*group.split(), "--help").out, re.M)


@pytest.mark.parametrize("path", ["irmx_third:nothing", "irmx_thirty:act", "irmx third", "", ":", "irmx_third:"])
def test_a_command_whose_function_is_nowhere_leaves_the_others(path: str, acting: Any, command: Any) -> None:
    acting(returning(None), path)
    told = f"The command 'act' of {THIRD} is not in use: "
    command("act").assert_refused(1, told)
    assert command("rest").code == 0
    assert told in " ".join(command("plugins").out.split())


class Unprintable(Symbol):
    NAME, KIND = "unprintable", "law"

    def __repr__(self) -> str:
        raise Stop("no text")


@pytest.mark.parametrize(
    ("whose", "told"),
    [
        ("plugin", "irmx: The plugin third ("),
        ("file", "irmx: The file mine.py failed with Stop: no text ("),
        ("irmx", "irmx: This is a mistake in irmx, not one of yours: Stop: no text. "),
        ("nobody", "irmx: Something ended irmx before its time, with SystemExit: 0. "),
    ],
)
def test_an_error_that_nobody_expects_is_one_line_that_says_whose_mistake_it_is(
    whose: str, told: str, monkeypatch: pytest.MonkeyPatch, command: Any
) -> None:
    point = type("Point", (), {"value": __name__, "name": "third", "dist": None})
    monkeypatch.setattr(app, "entry_points", lambda: ([point] if whose == "plugin" else [], {}))
    monkeypatch.setitem(app.LOADED, __name__.partition(".")[0] if whose == "file" else "none", "mine.py")
    ends = raising(SystemExit(0)) if whose == "nobody" else lambda: repr(Unprintable())
    monkeypatch.setattr("irmx.cli.measures.plugins", lambda: ends())
    done = command("plugins")
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert done.err.startswith(told)
    monkeypatch.setenv("IRMX_TRACEBACK", "1")
    assert "Traceback (most recent call last)" in command("plugins").err


# -- output formats ----------------------------------------------------------------------------------------


def own(kind: type, **attributes: Any) -> Any:
    methods = {name: lambda self, *a: None for name in ("recognises", "read", "write")}
    return type("Own", (kind,), {"NAME": "own", **methods, **attributes})()


WRITES: dict[str, tuple[Callable[..., Any], int, str, str]] = {
    "ValueError": (lambda rows, out: [out.write("half"), raising(ValueError("x"))()], 1, "half", "failed with ValueError: x"),
    "sys.exit": (lambda rows, out: sys.exit(0), 1, "", "failed with SystemExit: 0"),
    "GeneratorExit": (lambda rows, out: raising(GeneratorExit())(), 1, "", "failed with GeneratorExit"),
    "print": (lambda rows, out: print("all", file=out), 0, "all\n", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITES)
def test_an_output_format_that_fails_is_named(name: str, registry_with: Any, command: Any) -> None:
    write, code, out, told = WRITES[name]
    registry_with("third", output_formats=[own(OutputFormat, write=lambda self, rows, file: write(rows, file))])
    done = command("eval", qrels_path(), run_path("bm25"), "AP", "-o", "own")
    assert (done.code, done.out, "Traceback" in done.err) == (code, out, False)
    assert (f"irmx: The output format own of the plugin {THIRD} {told}" in done.err) == bool(told)


# -- formats of input --------------------------------------------------------------------------------------

QRELS = {"q": {"a": 1}}
AP = irmx.parse_measure("AP")
ROWS: dict[str, Any] = {"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [2.0, 1.0]}


def greedy(**methods: Any) -> Any:
    """A format that claims every file, with some methods of its own."""
    methods = {"recognises": lambda *_: True, "read": lambda *_: None, **methods}
    body = {name: (lambda self, *a, do=do: do(*a)) for name, do in methods.items()}
    return type("Greedy", (Format,), {"NAME": "greedy", **body})()


@pytest.fixture
def some_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("some.run").write_text("q Q0 b 1 2.0 t\nq Q0 a 2 1.0 t\n")
    return "some.run"


TWICE = pa.table([["q"], ["a"], [1.0], ["b"]], names=["query_id", "doc_id", "score", "doc_id"])
READS: dict[str, tuple[Any, type[Exception]]] = {
    "nothing": (None, PluginError),
    "list": ([1], PluginError),
    "class": (pa.Table, PluginError),
    "other columns": (pa.table({"x": [1]}), PluginError),
    "one column twice": (TWICE, PluginError),
    "words as scores": (pa.table({**ROWS, "score": ["x", "y"]}), DataError),
    "lists as ids": (pa.table({**ROWS, "doc_id": [[1], [2]]}), DataError),
    "missing ids": (pa.table({**ROWS, "doc_id": pa.nulls(2)}), DataError),
    "not a number": (pa.table({**ROWS, "score": [1.0, float("nan")]}), DataError),
    "KeyError": (KeyError("x"), PluginError),
    "OSError": (OSError("gone"), PluginError),
    "sys.exit": (SystemExit(0), PluginError),
    "GeneratorExit": (GeneratorExit(), PluginError),
    "BaseException": (BaseException("b"), PluginError),
    "DataError": (DataError("some.run, line 2: odd"), DataError),
}


@pytest.mark.parametrize("name", READS)
def test_a_format_that_reads_badly_is_named_with_the_other_ways_to_read_the_file(
    name: str, some_run: str, registry_with: Any
) -> None:
    found, kind = READS[name]
    read = raising(found) if isinstance(found, BaseException) else lambda *_: found
    registry_with("third", formats=[greedy(read=read)])
    with pytest.raises(kind, match=r"some\.run") as caught:
        irmx.calc_aggregate("AP", QRELS, some_run)
    assert re.search(r"in another format: trec:some\.run\.|\(read as greedy\)", str(caught.value))
    assert kind is DataError or f"The format greedy of the plugin {THIRD} " in str(caught.value)
    assert irmx.calc_aggregate("AP", QRELS, f"trec:{some_run}") == {AP: 0.5}
    with pytest.raises(kind) as caught:
        irmx.calc_aggregate("AP", QRELS, f"greedy:{some_run}")
    assert "in another format" not in str(caught.value)


@pytest.mark.parametrize("name", ["parquet", "csv"])
def test_a_format_that_claims_every_file_hides_neither_parquet_nor_csv(
    name: str, tmp_path: Path, registry_with: Any
) -> None:
    registry_with("third", formats=[greedy()])
    path = tmp_path / f"x.{name}"
    pq.write_table(pa.table(ROWS), path) if name == "parquet" else path.write_text(
        "query_id,doc_id,score\nq,a,2\nq,b,1\n"
    )
    with pytest.raises(PluginError, match=re.escape(f"in another format: {name}:{path}")):
        irmx.calc_aggregate("AP", QRELS, path)
    assert irmx.calc_aggregate("AP", QRELS, f"{name}:{path}") == {AP: 1.0}


@pytest.mark.parametrize(
    "recognises",
    [*map(raising, [ValueError("v"), SystemExit(0), GeneratorExit(), DataError("odd")]), lambda *_: None, lambda *_: "yes"],
)  # fmt: skip
def test_a_format_that_fails_to_recognise_is_left_out_with_a_warning(
    recognises: Callable[..., Any], some_run: str, registry_with: Any
) -> None:
    registry_with("third", formats=[greedy(recognises=recognises)])
    with pytest.warns(irmx.PluginWarning, match="greedy|odd"):
        assert irmx.calc_aggregate("AP", QRELS, some_run) == {AP: 0.5}


def test_what_a_format_prints_is_no_result(some_run: str, registry_with: Any, capsys: Any) -> None:
    def read(*_: Any) -> pa.Table:
        print("printed")
        return pa.table(ROWS)

    registry_with("third", formats=[greedy(read=read)])
    print("before")
    assert irmx.calc_aggregate("AP", QRELS, some_run) == {AP: 1.0}
    print("after")
    assert capsys.readouterr() == ("before\nafter\n", "printed\n")
