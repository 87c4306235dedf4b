"""Collections of ir_datasets: fields of documents, the cache, and what ``irmx datasets`` lists, from declarations alone."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import ir_datasets
import pytest
from ir_datasets.formats import BaseDocs, BaseQrels

import irmx
from irmx import Column, DataError, Dataset, Field, Measure
from irmx.adapters import ir_datasets as adapter
from irmx.adapters.ir_datasets import EARLIEST, FIRST_DAY, FORMS, Cache, Value
from irmx.registry import Registry

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def at(*moment: int) -> float:
    return (datetime(*moment, tzinfo=timezone.utc) - EPOCH).total_seconds()  # type: ignore[misc, arg-type]


# -- dates -------------------------------------------------------------------------------------------------

READ: dict[str, list[tuple[Any, Any]]] = {
    "iso": [
        (" 2020-07-16T12:30 ", at(2020, 7, 16, 12, 30)),
        ("2020-07-16 12:30:05.1234567Z", at(2020, 7, 16, 12, 30, 5) + 0.1234567),
        ("2020-07-16T12:30:05,5+0330", at(2020, 7, 16, 9, 0, 5) + 0.5),
        ("2020-07-16T12:30:05 -08:00", at(2020, 7, 16, 20, 30, 5)),
        ("1820-01-01", at(1820, 1, 1)),
        ("2020-07", (at(2020, 7, 1), FIRST_DAY)),
        ("2020", (at(2020, 1, 1), FIRST_DAY)),
        (b"2020-07-16", at(2020, 7, 16)),
        (datetime(2020, 7, 16, 1, tzinfo=timezone(timedelta(hours=1))), at(2020, 7, 16)),
        (date(2020, 7, 16), at(2020, 7, 16)),
        ("", None),
        (None, None),
    ],
    "date": [
        ("2020-07-16", at(2020, 7, 16)),
        (date(2020, 7, 16), at(2020, 7, 16)),
        (1640160479, 1640160479.0),
        ("", None),
    ],
    "warc": [
        ("2012-02-10T21:49:45Z", at(2012, 2, 10, 21, 49, 45)),
        ("2009-01-13T18:05:10-0800", at(2009, 1, 14, 2, 5, 10)),
        ("2009-02-32T00:00:00-0000", at(2009, 2, 1)),
        ("2009-12-365T00:00:00Z", at(2009, 12, 31)),
        ("", None),
    ],
    "twitter": [("Thu Feb 28 23:59:59 +0130 2013", at(2013, 2, 28, 22, 29, 59)), (None, None)],
    "seconds": [(1640160479, 1640160479.0), (0.25, 0.25), (None, None), ((30, 20, 30), (20.0, EARLIEST))],
    "milliseconds": [(1325376562123, 1325376562.123), (-1, -0.001), (None, None)],
}
REFUSED: dict[str, list[Any]] = {
    "iso": ["now", "2020-13-01", "2020-02-30", "2020-7-1", "20200716", "2020-07T10:00", "2020-07-16T25:00", "٢٠٢٠-07-16", 2020, "0000"],
    "warc": ["2009-02-65T08:43:19-0800", "2009-03-400T08:43:19-0800", "2009-02-31T08:43:19-0800"],
    "twitter": ["Fri Foo 01 12:00:00 +0000 2013", "2013-02-01T12:00:00Z", "Fri Feb 30 12:00:00 +0000 2013"],
    "seconds": ["10", True, float("nan"), [1, float("inf")]],
    "milliseconds": ["2020-07-16", float("inf")],
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_dates(form: str) -> None:
    assert [(given_value, FORMS[form](given_value)) for given_value, _ in READ[form]] == READ[form]
    for wrong in REFUSED.get(form, []):
        with pytest.raises(ValueError, match=r".+"):
            FORMS[form](wrong)


# -- the cache ---------------------------------------------------------------------------------------------


def test_the_cache_keeps_every_kind_of_value_and_what_is_added_at_the_same_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IRMX_CACHE", str(tmp_path))
    field = Field("a", "day", "date")
    values = {
        "1": Value(0.1),
        "2": Value("text"),
        "3": Value(None),
        "4": Value(2.0, "a rule"),
        "ü": Value(None, "", "'x'"),
        **{f"n{number}": Value(float(number)) for number in range(40)},
    }
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda item: Cache("a/b c", field, "1").add(dict([item])), values.items()))
    assert Cache("a/b c", field, "1").read() == values
    Cache("a/b c", field, "1").add({"3": Value(3.0)})
    assert Cache("a/b c", field, "1").read() == values | {"3": Value(3.0)}
    assert not list(tmp_path.rglob("*.part"))
    others = [
        ("a/c", field, "1"), ("a/b", Field("a", "day", "day"), "1"), ("a/b", Field("a", "window", "date"), "1"),
        ("a/b", Field("a", "day", "date", "warc"), "1"), ("a/b", field, "2"), ("a-b", field, "1"), ("a/b", field, "1"),
    ]  # fmt: skip
    assert len({Cache(*key).path for key in others}) == len(others)


# -- datasets of ir_datasets and of other packages ---------------------------------------------------------


def test_a_package_registers_its_datasets_when_one_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets_longeval", None)
    with pytest.raises(DataError, match="python -m pip install ir-datasets-longeval"):
        irmx.collections.dataset("longeval-web/2022-06")
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
            assert not irmx.collections.dataset("longeval-irmx/test").has_qrels()
    finally:
        ir_datasets.registry._registered.pop("longeval-irmx/test")
    with pytest.raises(DataError, match="could not register 'longeval-gone': FileNotFoundError: no such folder"):
        irmx.collections.dataset("longeval-gone")
    assert asked == ["longeval-irmx/test", "longeval-gone"]


Command = Callable[..., Any]


def rows(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def ids(command: Command, *arguments: str) -> list[str]:
    return [row["dataset"] for row in rows(command("datasets", *arguments, "-o", "jsonl").out)]


def test_every_dataset_with_qrels_is_listed_once(command: Command) -> None:
    done = command("datasets", "-o", "jsonl")
    found = {row["dataset"]: row for row in rows(done.out)}
    assert len(found) == len(done.out.splitlines()) > 500
    assert done.err == f"irmx: {len(found)} of {len(found)} datasets with qrels\n"
    assert (found["vaswani"]["qrels"], found["vaswani"]["columns"]) == (["iteration"], {})
    assert not {"clueweb09", "trec-robust04"} & set(found)  # documents only, an old name


def test_datasets_with_what_a_measure_needs(command: Command) -> None:
    done = command("datasets", "--for", "TIA_nDCG(window='1mo')@10", "-o", "jsonl")
    found = rows(done.out)
    web = [row for row in found if row["source"] == "ir_datasets"]
    assert {"clueweb09/en/trec-web-2009/diversity", "clueweb12/trec-web-2014/diversity"} <= {r["dataset"] for r in web}
    assert all("subtopic_id" in row["qrels"] for row in web)
    assert all(row["columns"] == {"iteration": "qrels", "timestamp": "date"} for row in web)
    subtopics, dated = set(ids(command, "--for", "alpha_nDCG@20")), set(ids(command, "--has", "timestamp"))
    assert {row["dataset"] for row in found} == subtopics & dated
    assert "wapo/v2/trec-core-2018" in dated - subtopics
    assert "vaswani" in set(ids(command, "--for", "AP")) - dated
    stance = ids(command, "--has", "stance")
    assert len([i for i in stance if i.startswith("clueweb12/")]) == len(stance) >= 2
    of_wapo = [f"wapo/v2/trec-{part}" for part in ("core-2018", "news-2018", "news-2019")]
    assert ids(command, "wapo/v2") == ids(command, "wapo/v2/") == of_wapo


@pytest.mark.parametrize(
    ("measure", "told"),
    [
        ("TIA_nDCG@10", "no dataset has 'window'"),
        ("MP(model=GL_AD_ID,rescale='relative_recall')", "irmx markov best-retrieved QRELS RUN..."),
        ("MPcont(model=GL_AD_ID)", "the run must have the column 'dwell'"),
    ],
)
def test_a_column_that_only_a_table_of_the_user_has_is_told(measure: str, told: str, command: Command) -> None:
    assert told in command("datasets", "--for", measure).err


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("cluweb09",), "Did you mean clueweb09?"),
        (("--has", "timestmp"), "Did you mean timestamp?"),
        (("--for", "TIA_nDGC"), "Did you mean TIA_nDCG?"),
        (("--for", "MP"), "MP needs the parameter 'model'"),
        (("-o", "count"), "There is no output format 'count'"),
    ],
)
def test_what_is_asked_wrongly(command: Command, arguments: tuple[str, ...], reason: str) -> None:
    command("datasets", *arguments).assert_refused(2, reason)


def test_the_forms_of_output_hold_the_same(command: Command) -> None:
    (row,) = rows(command("datasets", "vaswani", "-o", "jsonl").out)
    assert row == {"dataset": "vaswani", "qrels": ["iteration"], "columns": {}, "source": "ir_datasets"}
    header, line = command("datasets", "vaswani", "-o", "tsv").out.splitlines()
    assert header.split("\t") == ["dataset", "qrels", "columns", "source"]
    assert line.split("\t") == ["vaswani", "iteration", "", "ir_datasets"]
    (row_of_table,) = [line for line in command("datasets", "vaswani").out.splitlines() if "vaswani" in line]
    assert row_of_table.split() == ["vaswani", "iteration", "ir_datasets"]


WATCHED = """
import sys
touched = []

def watch(event, arguments):
    if event.startswith(("socket.", "subprocess.", "os.", "shutil.", "open", "urllib.", "tempfile.")):
        touched.append((event, str(arguments[0]) if arguments else ""))

import json, irmx, ir_datasets, ir_datasets.formats
irmx.registry()
from irmx.adapters import ir_datasets as listing
sys.addaudithook(watch)
found, failed = listing.listed()
own = [(e, a) for e, a in touched if not a.endswith((".py", ".pyc", "__pycache__")) and e not in ("os.listdir", "os.putenv", "os.unsetenv")]
print(json.dumps([len(found), failed, own]))
"""


def test_nothing_is_fetched_and_no_file_is_touched(tmp_path: Path) -> None:
    """Nothing but the folder and the note on its version that ir_datasets makes for documents with a prefix."""
    home = tmp_path / "home"
    environment = {**os.environ, "IR_DATASETS_HOME": str(home), "IR_DATASETS_TMP": str(tmp_path / "tmp")}
    done = subprocess.run([sys.executable, "-c", WATCHED], capture_output=True, text=True, env=environment, check=True)
    count, failed, touched = json.loads(done.stdout)
    assert (count > 500, failed) == (True, {})
    note = home / "msmarco-passage" / "irds_version.txt"
    assert {tuple(one) for one in touched} <= {("os.mkdir", str(note.parent)), ("open", str(note))}


# -- datasets and fields of plugins ------------------------------------------------------------------------


class NuggetQrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    iteration: str
    zdepth: float


class Article(NamedTuple):
    doc_id: str
    text: str
    day: str


class Nuggets(BaseQrels):  # type: ignore[misc]
    def qrels_iter(self) -> Iterator[NuggetQrel]:
        yield NuggetQrel("q", "a", 1, "n1", 2.0)

    def qrels_cls(self) -> type[NuggetQrel]:
        return NuggetQrel


class Articles(BaseDocs):  # type: ignore[misc]
    def docs_cls(self) -> type[Article]:
        return Article


class Deep(Measure):
    NAME = "ZDeep"
    QREL_COLUMNS = (Column("qrels", "zdepth", "depth of the nugget", unit="m"), Column("qrels", "timestamp", "date"))


def broken() -> Any:
    raise OSError("the disk is not mounted")


@pytest.fixture
def news(registry_with: Callable[..., Registry]) -> Iterator[Registry]:
    """A registry with the host and one plugin, in the place of the real one."""
    offers = {
        "datasets": [
            Dataset("znews/nuggets", lambda: ir_datasets.Dataset(Articles(), Nuggets())),
            Dataset("znews/plain", lambda: ir_datasets.Dataset(Nuggets())),
            Dataset("znews/documents", lambda: ir_datasets.Dataset(Articles())),
            Dataset("znews/broken", broken),
            Dataset("znews/none", lambda: None),
            Dataset("vaswani", lambda: ir_datasets.Dataset(Nuggets())),
        ],
        "fields": [
            Field("znews", "timestamp", "day"),
            Field("znews/plain", "window", "day", str),
            Field("znews", "zlate", "day"),
            Field("znews/nuggets", "zlate", "text"),
        ],
        "measures": [Deep()],
    }
    made = registry_with("news", **offers)
    assert not made.plugins["news"].failure
    yield made
    for name in [n for n in adapter._made if n.startswith("znews")]:
        ir_datasets.registry._registered.pop(name, None)
        del adapter._made[name]


def test_datasets_of_plugins_with_their_columns(news: Registry, command: Command) -> None:
    done = command("datasets", "-o", "jsonl")
    found = {row["dataset"]: row for row in rows(done.out)}
    assert found["znews/nuggets"] == {
        "dataset": "znews/nuggets", "qrels": ["iteration", "zdepth"], "source": "news (irmx-news 2.0)",
        "columns": {"iteration": "qrels", "zdepth": "qrels", "timestamp": "day", "zlate": "text"},
    }  # fmt: skip
    assert found["znews/plain"]["columns"] == {"iteration": "qrels", "zdepth": "qrels"}
    assert found["vaswani"]["source"] == "ir_datasets"
    assert "znews/documents" not in found
    assert ids(command, "--for", "ZDeep") == ["znews/nuggets"]
    assert ids(command, "--has", "zdepth") == ["znews/nuggets", "znews/plain"]


def test_datasets_that_cannot_be_looked_at_are_counted_and_named(news: Registry, command: Command) -> None:
    done = command("datasets", "--for", "ZDeep", "-o", "tsv")
    assert (done.code, "irmx: 2 datasets cannot be inspected, such as znews/broken: DataError" in done.err) == (0, True)
    command("datasets", "znews/broken").assert_refused(1, "the disk is not mounted")
    with pytest.raises(DataError, match=r"'znews/broken' of the plugin news \(irmx-news 2.0\) .* made: OSError"):
        irmx.read_qrels("znews/broken")
    with pytest.raises(irmx.PluginError, match="'znews/none' of the plugin news"):
        ir_datasets.load("znews/none")
    with pytest.raises(irmx.PluginError, match="the unknown form 'rfc822'"):
        Field("news", "day", "date", "rfc822")


def test_a_dataset_id_that_ir_datasets_has_already(news: Registry, command: Command) -> None:
    with pytest.warns(irmx.PluginWarning, match="claims the dataset 'vaswani', which ir_datasets already has"):
        assert irmx.collections.dataset("vaswani") is ir_datasets.load("vaswani")
    assert ir_datasets.load("vaswani").has_docs()
    assert "  not in use: the dataset 'vaswani', because ir_datasets has one of this name\n" in command("plugins").out
