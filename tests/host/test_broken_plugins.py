"""Commands, output formats and declarations of plugins that are broken in every way: named, with an exit code that says so."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import irmx
from irmx import Command, DataError, Format, OutputFormat, Symbol, UsageError
from irmx.cli import mistakes
from irmx.plugin.checks import keys

THIRD = "third (irmx-third 2.0)"


class Mute(RuntimeError):
    def __str__(self) -> str:
        raise ZeroDivisionError


class Stop(BaseException):
    """What ends a program elsewhere."""


def exiting(*code: Any) -> Callable[[], Any]:
    def call() -> None:
        sys.exit(*code)

    return call


def raising(error: BaseException) -> Callable[[], Any]:
    def call() -> None:
        raise error

    return call


def returning(value: Any) -> Callable[[], Any]:
    def call():
        return value

    return call


async def waiting() -> None:
    """What nobody awaits."""


def yielding() -> Iterator[int]:
    yield 1


def of_unknown_type(x: ModuleType) -> None:
    """A type that typer does not know."""


def of_unknown_name(x: "Nowhere") -> None:  # type: ignore[name-defined]  # noqa: F821
    """A type that nobody knows."""


NOT_IN_USE, FAILED = f"The command 'act' of {THIRD} is not in use: ", f"The command 'act' of {THIRD} failed: "
COMMANDS: dict[str, tuple[Any, int, str]] = {
    "returns None": (returning(None), 0, ""),
    "returns rubbish": (returning({"a": object()}), 0, ""),
    "returns False": (returning(False), 0, ""),
    "a coroutine": (waiting, 1, FAILED + "TypeError: it returned a coroutine, which nobody runs"),
    "a generator": (yielding, 1, FAILED + "TypeError: it returned a generator, which nobody runs"),
    "exit()": (exiting(), 0, ""),
    "exit(0)": (exiting(0), 0, ""),
    "exit(3)": (exiting(3), 3, ""),
    "exit(255)": (exiting(255), 255, ""),
    "exit(130)": (exiting(130), 130, ""),
    "exit(256)": (exiting(256), 1, ""),
    "exit(-1)": (exiting(-1), 1, ""),
    "exit(True)": (exiting(True), 1, ""),
    "exit(text)": (exiting("no licence"), 1, "no licence\n"),
    "exit(list)": (exiting([1, 2]), 1, "[1, 2]\n"),
    "KeyError": (raising(KeyError("x")), 1, FAILED + "KeyError: 'x'"),
    "Mute": (raising(Mute()), 1, FAILED + "Mute, whose text raises ZeroDivisionError"),
    "RecursionError": (raising(RecursionError("deep")), 1, FAILED + "RecursionError: deep"),
    "GeneratorExit": (raising(GeneratorExit()), 1, FAILED + "GeneratorExit"),
    "BaseException": (raising(Stop("enough")), 1, FAILED + "Stop: enough"),
    "MemoryError": (
        raising(MemoryError("74 GiB")),
        1,
        "irmx: This command needs more memory than this process can get (74 GiB).",
    ),
    "UsageError": (raising(UsageError("which one?")), 2, "irmx: which one?"),
    "DataError": (raising(DataError("line 3")), 1, "irmx: line 3"),
    "KeyboardInterrupt": (raising(KeyboardInterrupt()), 130, "irmx: stopped\n"),
    "no function": (3, 1, NOT_IN_USE + "TypeError: 3 is not a function"),
    "unknown type": (of_unknown_type, 1, NOT_IN_USE + "RuntimeError: Type not yet supported"),
    "unknown name": (of_unknown_name, 1, NOT_IN_USE + "NameError: name 'Nowhere' is not defined"),
}


@pytest.fixture
def acting(monkeypatch: pytest.MonkeyPatch, registry_with: Callable[..., Any]) -> Callable[..., None]:
    """A function that makes a plugin with the command ``act``, beside one that works."""

    def put(function: Any, path: str = "irmx_third:act") -> None:
        module = ModuleType("irmx_third")
        module.act, module.rest = function, returning(None)  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "irmx_third", module)
        registry_with("third", commands=[Command("act", path), Command("rest", "irmx_third:rest", SHORT_DESC="Rests.")])

    return put


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_ends_with_its_exit_code_or_is_named(
    name: str, acting: Callable[..., None], command: Callable[..., Any]
) -> None:
    function, code, told = COMMANDS[name]
    acting(function)
    done = command("act")
    assert (done.code, done.out) == (code, "")
    assert done.err.removeprefix("irmx: ").startswith(told.removeprefix("irmx: "))
    assert bool(done.err) == bool(told)
    assert "Traceback" not in done.err
    assert command("third", "--help").out.endswith("  rest  Rests.\n")


@pytest.mark.parametrize("path", ["irmx_third:nothing", "irmx_thirty:act", "irmx third", "", ":", "irmx_third:"])
def test_a_command_whose_function_is_nowhere_leaves_the_others(
    path: str, acting: Callable[..., None], command: Callable[..., Any]
) -> None:
    acting(returning(None), path)
    done = command("act")
    assert (done.code, done.out) == (1, "")
    assert NOT_IN_USE in done.err
    assert command("rest").code == 0
    listed = command("third", "--help").out
    assert NOT_IN_USE in " ".join(listed.split())
    assert listed.endswith("  rest  Rests.\n")


def own(kind: type, **attributes: Any) -> Any:
    methods = {name: lambda self, *a: None for name in ("recognises", "read", "write")}
    return type("Own", (kind,), {"NAME": "own", **methods, **attributes})()


DECLARED: dict[str, tuple[str, Any, str]] = {
    "one example": ("commands", Command("a", "m:f", EXAMPLES="irmx a"), "EXAMPLES are of type str; a tuple of texts"),  # type: ignore[arg-type]
    "examples of numbers": ("formats", own(Format, EXAMPLES=(1, 2)), "EXAMPLES are of type tuple; a tuple of texts"),
    "summary": ("commands", Command("a", "m:f", SHORT_DESC=3), "SHORT_DESC is of type int; a text"),  # type: ignore[arg-type]
    "symbol": ("symbols", own(Symbol, SHORT_DESC=b"x"), "SHORT_DESC is of type bytes; a text"),
    "function": ("commands", Command("a", len), "function or group is no text"),  # type: ignore[arg-type]
    "group": ("commands", Command("a", "m:f", group=3), "function or group is no text"),  # type: ignore[arg-type]
    "format": ("formats", own(Format, NAME="a b"), "NAME is 'a b', which cannot be typed"),
    "colon": ("formats", own(Format, NAME="a:"), "NAME is 'a:', which cannot be typed"),
    "number": ("formats", own(Format, NAME=3), "NAME is 3; a text is expected"),
    "class": ("formats", own(Format, NAME=str), "NAME is <class 'str'>; a text is expected"),
    "output format": ("output_formats", own(OutputFormat, NAME="a\tb"), "NAME is 'a\\tb', which cannot be typed"),
    "tables": ("formats", own(Format, TABLES=None), "TABLES is not a tuple of 'run' and 'qrels'"),
    "table": ("formats", own(Format, TABLES="run"), "TABLES is not a tuple of 'run' and 'qrels'"),
    "folders": ("formats", own(Format, FOLDERS=("runs",)), "FOLDERS is not a tuple of 'run' and 'qrels'"),
    "ids": ("formats", own(Format, IDS="yes"), "IDS or LINES is not as irmx.Format documents it"),
    "lines": ("formats", own(Format, LINES="some"), "IDS or LINES is not as irmx.Format documents it"),
}


@pytest.mark.parametrize("name", DECLARED)
def test_a_declaration_of_a_wrong_type_is_refused(name: str) -> None:
    hook, declared, message = DECLARED[name]
    with pytest.raises(irmx.PluginError) as caught:
        keys(f"irmx_{hook}", declared)
    assert message in str(caught.value)


WRITES: dict[str, tuple[Callable[..., Any], int, str, str]] = {
    "nothing": (lambda rows, out: None, 1, "", "wrote none of 1 row."),
    "ValueError": (lambda rows, out: [out.write("half"), raising(ValueError("x"))()], 1, "half", "failed with ValueError: x"),
    "sys.exit": (lambda rows, out: sys.exit(0), 1, "", "failed with SystemExit: 0"),
    "GeneratorExit": (lambda rows, out: raising(GeneratorExit())(), 1, "", "failed with GeneratorExit"),
    "print": (lambda rows, out: print("all", file=out), 0, "all\n", ""),
    "closes": (lambda rows, out: out.nothing, 1, "", "failed with AttributeError"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITES)
def test_an_output_format_that_fails_is_named(
    name: str, registry_with: Callable[..., Any], command: Callable[..., Any], tmp_path: Path
) -> None:
    write, code, out, told = WRITES[name]
    registry_with("third", output_formats=[own(OutputFormat, write=lambda self, rows, file: write(rows, file))])
    (tmp_path / "q").write_text("q 0 a 1\n")
    (tmp_path / "r").write_text("q Q0 a 1 1 t\n")
    done = command("eval", tmp_path / "q", tmp_path / "r", "AP", "-o", "own")
    assert (done.code, done.out) == (code, out)
    assert (f"irmx: The output format own of the plugin {THIRD} {told}" in done.err) == bool(told)
    assert "Traceback" not in done.err


class Unprintable(Symbol):
    NAME, KIND = "unprintable", "law"

    def __repr__(self) -> str:
        raise Stop("no text")


def test_a_command_that_another_plugin_makes_fail_names_both(
    acting: Callable[..., None], command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    point = type("Point", (), {"module": __name__, "name": "fourth", "dist": None})
    monkeypatch.setattr(mistakes, "entry_points", lambda: ([point], {}))
    acting(lambda: repr(Unprintable()))
    told = command("act").err
    assert told.startswith(f"irmx: {FAILED}Stop: no text, which comes from the plugin fourth ({__file__}, line ")
    assert told.endswith(". 'irmx --traceback act ...' shows where.\n")


@pytest.mark.parametrize("whose", ["plugin", "file", "irmx", "nobody"])
def test_an_error_that_nobody_expects_is_one_line_that_says_whose_mistake_it_is(
    whose: str, monkeypatch: pytest.MonkeyPatch, command: Callable[..., Any]
) -> None:
    point = type("Point", (), {"module": __name__, "name": "third", "dist": None})
    monkeypatch.setattr(mistakes, "entry_points", lambda: ([point] if whose == "plugin" else [], {}))
    monkeypatch.setitem(mistakes.LOADED, __name__.partition(".")[0] if whose == "file" else "none", "mine.py")
    ends = exiting(0) if whose == "nobody" else lambda: repr(Unprintable())
    monkeypatch.setattr("irmx.cli.plugins.plugins", lambda: ends())
    done = command("plugins")
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    told = {
        "plugin": "irmx: The plugin third failed with Stop: no text (",
        "file": "irmx: The file mine.py failed with Stop: no text (",
        "irmx": "irmx: This is a mistake in irmx, not one of yours: Stop: no text. Please report it, with what 'irmx --traceback",
        "nobody": "irmx: Something ended irmx before its time, with SystemExit: 0. ",
    }
    assert done.err.startswith(told[whose])
    monkeypatch.setenv("IRMX_TRACEBACK", "1")
    assert "Traceback (most recent call last)" in command("plugins").err


@pytest.mark.parametrize(
    ("code", "told"),
    [("raise SystemExit(0)", "line 1: SystemExit: 0"), ("x = 1\nraise BaseException('b')", "line 2: BaseException: b"),
     ("raise GeneratorExit", "line 1: GeneratorExit"), ("x = (", "line 1: SyntaxError"), ("\0", "SyntaxError")],
)  # fmt: skip
def test_a_file_that_ends_the_program_is_named(
    code: str, told: str, tmp_path: Path, command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    name = f"ends_{tmp_path.name}"  # a module of its own
    (tmp_path / f"{name}.py").write_text(code)
    done = command("--load", tmp_path / f"{name}.py", "measures")
    assert (done.code, done.out) == (1, "")
    assert f"{name}.py, " in done.err
    assert told in done.err
