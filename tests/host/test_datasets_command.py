"""``irmx datasets``: what is listed, for which measure, from declarations alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import ir_datasets
import pytest
from ir_datasets.formats import BaseDocs, BaseQrels, TrecQrels, TrecSubQrels
from ir_datasets.util import Cache, Download, GzipExtract, LocalDownload, RelativePath, RequestsDownload, TarExtractAll

import irmx
from irmx import Column, Dataset, Field, Measure
from irmx.adapters.ir_datasets import plugin_datasets
from irmx.adapters.ir_datasets.listing import listed
from irmx.adapters.ir_datasets.local_qrels import is_local
from irmx.registry import Registry

Command = Callable[..., Any]


def rows(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def ids(command: Command, *arguments: str) -> list[str]:
    return [row["dataset"] for row in rows(command("datasets", *arguments, "-o", "jsonl").out)]


# -- of ir_datasets ----------------------------------------------------------------------------------------


def test_every_dataset_with_qrels_is_listed_once(command: Command) -> None:
    done = command("datasets", "-o", "jsonl")
    found = {row["dataset"]: row for row in rows(done.out)}
    assert len(found) == len(done.out.splitlines()) > 500
    assert f"irmx: {len(found)} of {len(found)} datasets with qrels\n" in done.err
    assert found["vaswani"]["qrels"] == ["iteration"]
    assert found["vaswani"]["columns"] == {}
    assert "clueweb09" not in found  # documents only
    assert "trec-robust04" not in found  # the old name of disks45/nocr/trec-robust-2004
    assert "cannot be inspected" not in done.err
    assert "deprecated" not in done.err


def test_datasets_with_what_a_measure_needs(command: Command) -> None:
    done = command("datasets", "--for", "TIA_nDCG(window='1mo')@10", "-o", "jsonl")
    found = rows(done.out)
    web = [row for row in found if row["source"] == "ir_datasets"]
    assert {"clueweb09/en/trec-web-2009/diversity", "clueweb12/trec-web-2014/diversity"} <= {r["dataset"] for r in web}
    for row in web:
        assert "subtopic_id" in row["qrels"]
        assert row["columns"] == {"iteration": "qrels", "timestamp": "date"}
    assert "no dataset has" not in done.err
    subtopics = set(ids(command, "--for", "alpha_nDCG@20"))
    dated = set(ids(command, "--has", "timestamp"))
    assert {row["dataset"] for row in found} == subtopics & dated == set(ids(command, "--for", "TIA_nDCG(window='1d')"))
    assert "wapo/v2/trec-core-2018" in dated - subtopics
    assert "vaswani" in set(ids(command, "--for", "AP")) - dated
    assert ids(command, "--for", "IA_nDCG@10", "--has", "timestamp") == ids(command, "--for", "TIA_P(window='1y')")


def test_a_column_that_only_a_table_of_the_user_has(command: Command) -> None:
    done = command("datasets", "--for", "TIA_nDCG@10", "-o", "jsonl")
    assert {r["dataset"] for r in rows(done.out)} == set(ids(command, "--for", "TIA_nDCG(window='1mo')@10"))
    assert (
        "irmx: no dataset has 'window', label of the document's time window; those with 'timestamp' are listed: add it, or "
        "cut windows from the dates in 'timestamp' with the parameter window" in done.err
    )
    done = command("datasets", "--for", "MP(model=GL_AD_ID,rescale='relative_recall')", "-o", "tsv")
    assert len(done.out.splitlines()) == 1
    assert "irmx: no dataset has 'best_retrieved', largest number of relevant documents" in done.err
    assert "irmx markov best-retrieved QRELS RUN..." in done.err


def test_columns_of_the_run_are_told(command: Command) -> None:
    done = command("datasets", "--for", "MPcont(model=GL_AD_ID)", "vaswani", "-o", "jsonl")
    assert [row["dataset"] for row in rows(done.out)] == ["vaswani"]
    assert "irmx: the run must have the column 'dwell', mean holding time of a user on this result: add it" in done.err


def test_parts_and_fields(command: Command) -> None:
    assert (
        ids(command, "wapo/v2")
        == ids(command, "wapo/v2/")
        == [f"wapo/v2/trec-{part}" for part in ("core-2018", "news-2018", "news-2019")]
    )
    assert all(i.startswith("clueweb12/") for i in ids(command, "--has", "stance"))
    assert len(ids(command, "--has", "stance")) >= 2


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("cluweb09",), "No dataset with qrels is 'cluweb09' or a subset of it. Did you mean clueweb09?"),
        (("--has", "timestmp"), "No dataset and no measure has a column 'timestmp'. Did you mean timestamp?"),
        (("--for", "TIA_nDGC"), "There is no measure TIA_nDGC. Did you mean TIA_nDCG?"),
        (("--for", "MP"), "MP needs the parameter 'model'"),
        (("-o", "count"), "There is no output format 'count'. Known: table, tsv, csv, jsonl, markdown, latex"),
    ],
)
def test_what_is_asked_wrongly(command: Command, arguments: tuple[str, ...], reason: str) -> None:
    done = command("datasets", *arguments)
    assert (done.code, done.out) == (2, "")
    assert reason in done.err


def test_the_forms_of_output_hold_the_same(command: Command) -> None:
    (row,) = rows(command("datasets", "vaswani", "-o", "jsonl").out)
    assert row == {"dataset": "vaswani", "qrels": ["iteration"], "columns": {},
                   "local": row["local"], "source": "ir_datasets"}  # fmt: skip
    here = "yes" if row["local"] else "no"
    header, line = command("datasets", "vaswani", "-o", "tsv").out.splitlines()
    assert header.split("\t") == ["dataset", "qrels", "columns", "local", "source"]
    assert line.split("\t") == ["vaswani", "iteration", "", here, "ir_datasets"]
    (row_of_table,) = [line for line in command("datasets", "vaswani").out.splitlines() if "vaswani" in line]
    assert row_of_table.split() == ["vaswani", "iteration", here, "ir_datasets"]


WATCHED = """
import sys
touched = []

def watch(event, arguments):
    if event.startswith(("socket.", "subprocess.", "os.", "shutil.", "open", "urllib.", "tempfile.")):
        touched.append((event, str(arguments[0]) if arguments else ""))

import json, irmx, ir_datasets, ir_datasets.formats
irmx.registry()
from irmx.adapters.ir_datasets import listing, local_qrels
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
    assert count > 500
    assert failed == {}
    passages = home / "msmarco-passage"
    assert {(event, path) for event, path in touched} <= {
        ("os.mkdir", str(passages)),
        ("open", str(passages / "irds_version.txt")),
    }
    assert [p.name for p in home.rglob("*") if p.is_file()] in ([], ["irds_version.txt"])


# -- of plugins --------------------------------------------------------------------------------------------


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
def registry(registry_with: Callable[..., Registry]) -> Iterator[Registry]:
    """A registry with the host and one plugin, in the place of the real one."""
    offers = {
        "datasets": [
            Dataset("znews/nuggets", lambda: ir_datasets.Dataset(Articles(), Nuggets()), lambda: True),
            Dataset("znews/plain", lambda: ir_datasets.Dataset(Nuggets())),
            Dataset("znews/documents", lambda: ir_datasets.Dataset(Articles())),
            Dataset("znews/broken", broken),
            Dataset("znews/none", lambda: None),
            Dataset("vaswani", lambda: ir_datasets.Dataset(Nuggets())),
        ],
        "fields": [Field("znews", "timestamp", "day"), Field("znews/plain", "window", "day", str)],
        "measures": [Deep()],
    }
    made = registry_with("news", **offers)
    assert not made.plugins["news"].failure
    yield made
    for name in [n for n in plugin_datasets._made if n.startswith("znews")]:
        ir_datasets.registry._registered.pop(name, None)
        del plugin_datasets._made[name]


def test_datasets_of_plugins_with_their_columns(registry: Registry) -> None:
    found = {one.NAME: one for one in listed()[0]}
    assert found["znews/nuggets"].columns == {"iteration": "qrels", "zdepth": "qrels", "timestamp": "day"}
    assert (found["znews/nuggets"].source, found["znews/nuggets"].local) == ("news (irmx-news 2.0)", True)
    assert (found["znews/plain"].columns, found["znews/plain"].local) == (
        {"iteration": "qrels", "zdepth": "qrels"},
        None,
    )
    assert "znews/documents" not in found
    assert found["vaswani"].source == "ir_datasets"


def test_a_measure_of_a_plugin_finds_its_datasets(registry: Registry, command: Command) -> None:
    assert ids(command, "--for", "ZDeep") == ["znews/nuggets"]
    assert ids(command, "--has", "zdepth") == ["znews/nuggets", "znews/plain"]
    local = ids(command, "--local")
    assert "znews/nuggets" in local
    assert "znews/plain" not in local
    assert "\t\tnews" in command("datasets", "znews/plain", "-o", "tsv").out


def test_datasets_that_cannot_be_looked_at_are_counted_and_named(registry: Registry, command: Command) -> None:
    done = command("datasets", "--for", "ZDeep", "-o", "tsv")
    assert done.code == 0
    assert (
        "irmx: 2 datasets cannot be inspected, such as znews/broken: DataError: The dataset 'znews/broken' of the plugin news "
        "(irmx-news 2.0) could not be made: OSError: the disk is not mounted" in done.err
    )


def test_a_dataset_that_is_asked_for_and_cannot_be_looked_at_says_why(registry: Registry, command: Command) -> None:
    done = command("datasets", "znews/broken")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("irmx: The dataset 'znews/broken' cannot be inspected: DataError: ")
    assert "the disk is not mounted" in done.err


def test_a_dataset_that_a_plugin_cannot_make(registry: Registry) -> None:
    with pytest.raises(irmx.DataError, match=r"'znews/broken' of the plugin news \(irmx-news 2.0\) could not be made: OSError: the disk"):  # fmt: skip
        irmx.read_qrels("znews/broken")
    with pytest.raises(irmx.PluginError, match=r"'znews/none' of the plugin news .* is None, which is not an ir_datasets.Dataset"):  # fmt: skip
        ir_datasets.load("znews/none")


def test_a_dataset_id_that_ir_datasets_has_already(registry: Registry, command: Command) -> None:
    with pytest.warns(irmx.PluginWarning, match=r"news \(irmx-news 2.0\) claims the dataset 'vaswani', which ir_datasets already has"):  # fmt: skip
        assert irmx.collections.dataset("vaswani") is ir_datasets.load("vaswani")
    assert ir_datasets.load("vaswani").has_docs()
    assert "  not in use: the dataset 'vaswani', because ir_datasets has one of this name\n" in command("plugins").out


# -- where the files lie -----------------------------------------------------------------------------------


def web(path: Path | None, *mirrors: Any) -> Download:
    return Download([*mirrors, RequestsDownload("http://127.0.0.1:9/none")], cache_path=path)


def test_whether_qrels_lie_on_this_machine(tmp_path: Path) -> None:
    there, gone = tmp_path / "there", tmp_path / "gone"
    there.write_text("1 0 a 1\n", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "qrels").touch()

    def extracted(name: str) -> RelativePath:
        return RelativePath(TarExtractAll(web(gone), str(tmp_path / "folder")), name)

    for source, local in [
        (web(there), True),
        (web(gone), False),
        (web(None), False),
        (web(gone, LocalDownload(there)), True),
        (web(gone, LocalDownload(gone)), False),
        (LocalDownload(there), True),
        (GzipExtract(web(there)), True),
        (GzipExtract(web(gone)), False),
        (Cache(web(gone), there), True),
        (Cache(web(there), gone), True),
        (Cache(web(gone), gone), False),
        (extracted("qrels"), True),
        (extracted("other"), False),
        ([web(there), web(there)], True),
        ([web(there), web(gone)], False),
    ]:
        assert is_local(TrecQrels(source, {})) is local, (source, local)
        assert is_local(TrecSubQrels(source, {})) is local
    assert is_local(Nuggets()) is None
    assert sorted(p.name for p in tmp_path.iterdir()) == ["folder", "there"]
