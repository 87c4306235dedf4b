"""Fields of documents: the forms of dates, the table and who may extend it, the cache, datasets that register late."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from types import ModuleType
from typing import Any

import ir_datasets
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx
from irmx import DataError, Field, hookimpl
from irmx.adapters.ir_datasets.cache import Cache, Value, folder
from irmx.adapters.ir_datasets.datasets import dataset, failure
from irmx.adapters.ir_datasets.dates_in_texts import EARLIEST, FIRST_DAY, FORMS
from irmx.adapters.ir_datasets.fields import declared
from irmx.declare.columns import needed
from irmx.plugin.discovery import Discovery
from irmx.registry import PluginInfo, Registry

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def seconds(*moment: int) -> float:
    return (datetime(*moment, tzinfo=timezone.utc) - EPOCH).total_seconds()  # type: ignore[misc, arg-type]


# -- dates -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "given_value", "expected"),
    [
        ("iso", "2020-07-16", seconds(2020, 7, 16)),
        ("iso", " 2020-07-16T12:30 ", seconds(2020, 7, 16, 12, 30)),
        ("iso", "2020-07-16 12:30:05.1234567Z", seconds(2020, 7, 16, 12, 30, 5) + 0.1234567),
        ("iso", "2020-07-16T12:30:05,5+0330", seconds(2020, 7, 16, 9, 0, 5) + 0.5),
        ("iso", "2020-07-16T12:30:05 -08:00", seconds(2020, 7, 16, 20, 30, 5)),
        ("iso", "1820-01-01", seconds(1820, 1, 1)),
        ("iso", "2020-07", (seconds(2020, 7, 1), FIRST_DAY)),
        ("iso", "2020", (seconds(2020, 1, 1), FIRST_DAY)),
        ("iso", b"2020-07-16", seconds(2020, 7, 16)),
        ("iso", datetime(2020, 7, 16, 1), seconds(2020, 7, 16, 1)),
        ("iso", datetime(2020, 7, 16, 1, tzinfo=timezone(timedelta(hours=1))), seconds(2020, 7, 16)),
        ("iso", date(2020, 7, 16), seconds(2020, 7, 16)),
        ("iso", "", None),
        ("iso", None, None),
        ("date", "2020-07-16", seconds(2020, 7, 16)),
        ("date", date(2020, 7, 16), seconds(2020, 7, 16)),
        ("date", 1640160479, 1640160479.0),
        ("date", "", None),
        ("warc", "2012-02-10T21:49:45Z", seconds(2012, 2, 10, 21, 49, 45)),
        ("warc", "2009-01-13T18:05:10-0800", seconds(2009, 1, 14, 2, 5, 10)),
        ("warc", "2009-02-32T00:00:00-0000", seconds(2009, 2, 1)),
        ("warc", "2009-12-365T00:00:00Z", seconds(2009, 12, 31)),
        ("warc", "", None),
        ("twitter", "Thu Feb 28 23:59:59 +0130 2013", seconds(2013, 2, 28, 22, 29, 59)),
        ("twitter", None, None),
        ("seconds", 1640160479, 1640160479.0),
        ("seconds", 0.25, 0.25),
        ("seconds", None, None),
        ("seconds", (30, 20, 30), (20.0, EARLIEST)),
        ("milliseconds", 1325376562123, 1325376562.123),
        ("milliseconds", -1, -0.001),
        ("milliseconds", None, None),
    ],
)  # fmt: skip
def test_forms_of_dates(form: str, given_value: Any, expected: Any) -> None:
    assert FORMS[form](given_value) == expected


@pytest.mark.parametrize(
    ("form", "given_value"),
    [
        ("iso", "now"), ("iso", "16 July 2020"), ("iso", "2020-13-01"), ("iso", "2020-02-30"), ("iso", "2020-7-1"),
        ("iso", "20200716"), ("iso", "2020-07T10:00"), ("iso", "2020-07-16T25:00"), ("iso", "٢٠٢٠-07-16"), ("iso", 2020),
        ("iso", "0000"), ("iso", "2020-07-16T10:00+99:00"),
        ("warc", "2009-02-65T08:43:19-0800"), ("warc", "2009-03-400T08:43:19-0800"), ("warc", "2009-02-31T08:43:19-0800"),
        ("twitter", "Fri Foo 01 12:00:00 +0000 2013"), ("twitter", "2013-02-01T12:00:00Z"),
        ("twitter", "Fri Feb 30 12:00:00 +0000 2013"),
        ("seconds", "10"), ("seconds", True), ("seconds", float("nan")), ("seconds", [1, float("inf")]),
        ("milliseconds", "2020-07-16"), ("milliseconds", float("inf")),
    ],
)  # fmt: skip
def test_what_is_no_date_of_a_form_is_refused(form: str, given_value: Any) -> None:
    with pytest.raises(ValueError, match=r".+"):
        FORMS[form](given_value)


@given(st.datetimes(timezones=st.timezones() | st.none()))
def test_every_moment_that_python_writes_is_read_back(moment: datetime) -> None:
    offset = moment.utcoffset() or timedelta()
    if offset.total_seconds() % 60:
        moment = moment.replace(tzinfo=None)
    aware = moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
    expected = (aware - EPOCH).total_seconds()
    for text in (moment.isoformat(), moment.isoformat(" ")):
        found = FORMS["iso"](text)
        assert isinstance(found, float)
        assert found == pytest.approx(expected, abs=1e-5)


# -- the table ---------------------------------------------------------------------------------------------

WAPO, LATER = Field("wapo", "day", "published_date", "milliseconds"), Field("wapo/v2", "day", "url")


@pytest.fixture
def fields(monkeypatch: pytest.MonkeyPatch) -> Registry:
    """A registry of two fields, in the place of the real one."""
    made = Registry()
    for field in (WAPO, LATER):
        made.add("fields", f"{field.NAME} {field.column}", field, "news (irmx-news 2.0)")
    monkeypatch.setattr("irmx.adapters.ir_datasets.fields.registry", lambda: made)
    return made


def test_of_several_fields_the_longest_name_holds(fields: Registry) -> None:
    assert declared("wapo/v2/trec-core-2018", "day") is LATER
    assert declared("wapo/v3", "day") is WAPO
    assert declared("wapo2", "day") is None
    assert declared("wapo/v2", "week") is None
    assert fields.source_of(LATER) == "news (irmx-news 2.0)"


def offering(*fields: Any) -> PluginInfo:
    """A plugin that offers fields, as the discovery of plugins reads it."""

    def irmx_fields() -> list[Any]:
        return list(fields)

    plugin: Any = ModuleType("irmx_news")
    plugin.irmx_fields = hookimpl(irmx_fields)
    info = PluginInfo("news", "irmx-news", "2.0")
    discovery = Discovery(Registry(), set())
    discovery.add(info, lambda: plugin)
    discovery.register()
    return info


def test_what_is_no_field_is_refused() -> None:
    assert offering(WAPO, LATER).offers == {"fields": ["wapo", "wapo/v2"]}
    with pytest.warns(irmx.PluginWarning, match="which is not an irmx.Field"):
        assert offering(("wapo", "day")).offers == {}
    with pytest.raises(irmx.PluginError, match=r"the unknown form 'rfc822'. Known: iso, date, warc"):
        Field("news", "day", "date", "rfc822")


def test_plugins_are_shown_with_their_fields(command: Any) -> None:
    assert f"  fields: {', '.join(f.NAME for f in irmx.registry().fields())}\n" in command("plugins").out


# -- the cache ---------------------------------------------------------------------------------------------


def test_the_cache_keeps_every_kind_of_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IRMX_CACHE", str(tmp_path))
    cache = Cache("a/b c", WAPO, "host 1")
    values = {
        "1": Value(0.1),
        "2": Value("text"),
        "3": Value(None),
        "4": Value(2.0, "a rule"),
        "ü": Value(None, "", "'x'"),
    }
    assert cache.read() == {}
    cache.add(values)
    assert Cache("a/b c", WAPO, "host 1").read() == values
    cache.add({"3": Value(3.0), "5": Value(5.0)})
    assert cache.read() == values | {"3": Value(3.0), "5": Value(5.0)}
    assert not list(cache.path.parent.glob("*.part"))


def test_what_is_added_at_the_same_time_is_all_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IRMX_CACHE", str(tmp_path))
    values = {str(number): Value(float(number)) for number in range(40)}
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda item: Cache("a", WAPO, "1").add(dict([item])), values.items()))
    assert Cache("a", WAPO, "1").read() == values


def test_the_cache_is_of_one_dataset_field_and_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IRMX_CACHE", str(tmp_path))
    field = Field("a", "day", "date")
    others = [
        ("a/c", field, "1"), ("a/b", Field("a", "day", "day"), "1"), ("a/b", Field("a", "window", "date"), "1"),
        ("a/b", Field("a", "day", "date", "warc"), "1"), ("a/b", field, "2"), ("a-b", field, "1"),
    ]  # fmt: skip
    paths = {Cache(*key).path for key in [("a/b", field, "1"), *others]}
    assert len(paths) == 1 + len(others)


def test_the_folder_of_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IRMX_CACHE", "here")
    assert folder() == Path("here")
    monkeypatch.delenv("IRMX_CACHE")
    assert folder() == Path.home() / ".cache" / "irmx"


# -- datasets ----------------------------------------------------------------------------------------------


@pytest.fixture
def no_longeval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets_longeval", None)


def test_a_dataset_of_a_package_that_is_not_installed(no_longeval: None) -> None:
    with pytest.raises(DataError, match=r"of the package ir-datasets-longeval, .* python -m pip install ir-datasets-longeval"):  # fmt: skip
        dataset("longeval-web/2022-06")


def test_a_package_registers_its_datasets_when_one_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    package, asked = ModuleType("ir_datasets_longeval"), []

    def register(dataset_id: str) -> None:
        asked.append(dataset_id)
        if "gone" in dataset_id:
            raise FileNotFoundError("no such folder")
        ir_datasets.registry.register(dataset_id, ir_datasets.Dataset())

    package.register = register  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ir_datasets_longeval", package)
    try:
        for _ in range(2):
            assert not dataset("longeval-irmx/test").has_qrels()
    finally:
        ir_datasets.registry._registered.pop("longeval-irmx/test")
    with pytest.raises(DataError, match="could not register 'longeval-gone': FileNotFoundError: no such folder"):
        dataset("longeval-gone")
    assert asked == ["longeval-irmx/test", "longeval-gone"]


def test_what_was_tried_is_told() -> None:
    class Source:
        url = "https://example.org/a"

    tried = RuntimeError("All download sources failed", [(Source(), ConnectionError("long")), (Source(), OSError())])
    assert failure(tried) == (
        "All download sources failed: https://example.org/a (ConnectionError), https://example.org/a (OSError)."
    )
    assert failure(OSError()) == "OSError: no further details."
    assert failure(FileNotFoundError(2, "No such file.")) == "FileNotFoundError: [Errno 2] No such file."


def test_the_columns_that_measures_cannot_do_without() -> None:
    measures = [irmx.parse_measure(m) for m in ("MSU", "NCP(law=uniform)", "MPcont(model=GL_AD_ID)")]
    assert {"timestamp", "query_start"} <= set(needed("qrels", measures))  # type: ignore[arg-type]
    assert "dwell" in needed("run", measures)  # type: ignore[arg-type]
    assert needed("qrels", measures[1:]) == []  # type: ignore[arg-type]
