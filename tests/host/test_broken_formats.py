"""Formats of plugins that raise, end the program, print, return what is no table, or claim every file: named, and no way is lost."""

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import irmx
from irmx import DataError, Format, PluginError
from irmx.data.formats import topic_spelled as spelled

QRELS = {"q": {"a": 1}}
ROWS: dict[str, Any] = {"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [2.0, 1.0]}
FORMAT = r"The format greedy of the plugin third \(irmx-third 2.0\) "


def raising(error: BaseException) -> Callable[..., Any]:
    def call(*_: Any) -> Any:
        raise error

    return call


def returning(value: Any) -> Callable[..., Any]:
    return lambda *_: value


def greedy(**methods: Callable[..., Any]) -> Format:
    """A format that claims every file, with some methods of its own."""
    own = {"recognises": returning(True), "read": returning(None), **methods}
    body = {name: (lambda self, *a, do=do: do(*a)) for name, do in own.items()}
    return type(
        "Greedy",
        (Format,),
        {"NAME": "greedy", "__module__": "irmx_third.greedy", "IDS": "judgments" in methods, **body},
    )()


@pytest.fixture
def run_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("some.run").write_text("q Q0 b 1 2.0 t\nq Q0 a 2 1.0 t\n")
    return "some.run"


READS = {
    "nothing": (returning(None), PluginError, FORMAT + "read some.run as NoneType, not as a pyarrow.Table"),
    "list": (returning([1]), PluginError, "read some.run as list, not as a pyarrow.Table"),
    "class": (returning(pa.Table), PluginError, "read some.run as "),
    "other columns": (returning(pa.table({"x": [1]})), PluginError, "a table without the column 'query_id'"),
    "one column twice": (
        returning(pa.table([["q"], ["a"], [1.0], ["b"]], names=["query_id", "doc_id", "score", "doc_id"])),
        PluginError,
        "'doc_id' is the name of several columns",
    ),
    "words as scores": (returning(pa.table({**ROWS, "score": ["x", "y"]})), DataError, r"\(read as greedy\).*: The score 'x'"),
    "lists as ids": (returning(pa.table({**ROWS, "doc_id": [[1], [2]]})), DataError, r"\(read as greedy\).* must be a text"),
    "missing ids": (returning(pa.table({**ROWS, "doc_id": pa.nulls(2)})), DataError, r"\(read as greedy\).* is missing"),
    "not a number": (returning(pa.table({**ROWS, "score": [1.0, float("nan")]})), DataError, "the score is missing"),
    "KeyError": (raising(KeyError("x")), PluginError, FORMAT + "failed on some.run with KeyError: 'x'"),
    "OSError": (raising(OSError("gone")), PluginError, "failed on some.run with OSError: gone"),
    "sys.exit": (raising(SystemExit(0)), PluginError, "failed on some.run with SystemExit: 0"),
    "GeneratorExit": (raising(GeneratorExit()), PluginError, "failed on some.run with GeneratorExit"),
    "BaseException": (raising(BaseException("b")), PluginError, "failed on some.run with BaseException: b"),
    "RecursionError": (raising(RecursionError("deep")), PluginError, "RecursionError: deep"),
    "DataError": (raising(DataError("some.run, line 2: odd")), DataError, "^some.run, line 2: odd"),
}  # fmt: skip


@pytest.mark.parametrize("name", READS)
def test_a_format_that_reads_badly_is_named_with_the_other_ways_to_read_the_file(
    name: str, run_path: str, registry_with: Callable[..., Any]
) -> None:
    read, kind, message = READS[name]
    registry_with("third", formats=[greedy(read=read)])
    with pytest.raises(kind, match=message) as caught:
        irmx.calc_aggregate("AP", QRELS, run_path)
    if "(read as greedy)" not in str(caught.value):
        assert "IRMX_DISABLED_PLUGINS=third leaves out. To read it in another format: trec:some.run." in str(
            caught.value
        )
    assert irmx.calc_aggregate("AP", QRELS, f"trec:{run_path}") == {irmx.parse_measure("AP"): 0.5}
    with pytest.raises(kind) as caught:
        irmx.calc_aggregate("AP", QRELS, f"greedy:{run_path}")
    assert "in another format" not in str(caught.value)


def test_a_format_that_claims_every_file_hides_neither_parquet_nor_csv(
    tmp_path: Path, registry_with: Callable[..., Any]
) -> None:
    registry_with("third", formats=[greedy()])
    table = pa.table(ROWS)
    pq.write_table(table, tmp_path / "x.parquet")
    (tmp_path / "x.csv").write_text("query_id,doc_id,score\nq,a,2\nq,b,1\n")
    for name in ("parquet", "csv"):
        path = tmp_path / f"x.{name}"
        with pytest.raises(PluginError, match=re.escape(f"in another format: {name}:{path}")):
            irmx.calc_aggregate("AP", QRELS, path)
        assert irmx.calc_aggregate("AP", QRELS, f"{name}:{path}") == {irmx.parse_measure("AP"): 1.0}


ANSWERS: dict[str, tuple[Callable[..., Any], str]] = {
    "ValueError": (raising(ValueError("v")), "failed on some.run with ValueError: v"),
    "sys.exit": (raising(SystemExit(0)), "failed on some.run with SystemExit: 0"),
    "GeneratorExit": (raising(GeneratorExit()), "failed on some.run with GeneratorExit"),
    "DataError": (raising(DataError("odd")), "odd"),
    "nothing": (returning(None), "was asked about some.run"),
    "text": (returning("yes"), "was asked about some.run"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_a_format_that_fails_to_recognise_is_left_out_with_a_warning(
    name: str, run_path: str, registry_with: Callable[..., Any]
) -> None:
    recognises, message = ANSWERS[name]
    registry_with("third", formats=[greedy(recognises=recognises)])
    with pytest.warns(irmx.PluginWarning, match=message):
        assert irmx.calc_aggregate("AP", QRELS, run_path) == {irmx.parse_measure("AP"): 0.5}


def test_a_format_that_fails_on_a_topic_is_left_out(registry_with: Callable[..., Any]) -> None:
    registry_with("third", formats=[greedy(topic=raising(SystemExit(0)))])
    with pytest.warns(irmx.PluginWarning, match=FORMAT + "failed on x with SystemExit"):
        assert spelled("x", ["q"]) == "x"


def test_a_format_of_datasets_that_ends_the_program_is_named(registry_with: Callable[..., Any]) -> None:
    registry_with("third", formats=[greedy(judgments=raising(SystemExit(0)))])
    with pytest.raises(PluginError, match=FORMAT + "failed on ours/one with SystemExit"):
        irmx.calc_aggregate("AP", "greedy:ours/one", {"q": {"a": 1.0}})


def test_what_a_format_prints_is_no_result(
    run_path: str, registry_with: Callable[..., Any], capfd: pytest.CaptureFixture[str]
) -> None:
    def read(*_: Any) -> pa.Table:
        print("printed")
        os.write(1, b"written\n")
        sys.__stdout__.write("held back\n")
        return pa.table(ROWS)

    registry_with("third", formats=[greedy(read=read)])
    print("before")
    assert irmx.calc_aggregate("AP", QRELS, run_path) == {irmx.parse_measure("AP"): 1.0}
    print("after")
    out, err = capfd.readouterr()
    assert out == "before\nafter\n"
    assert sorted(err.split()) == ["back", "held", "printed", "written"]
