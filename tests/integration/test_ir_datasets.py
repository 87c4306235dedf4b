"""Qrels by the id of a dataset, with dates from the documents: real classes of ir_datasets over local files."""

from __future__ import annotations

import gzip
import os
import re
import warnings
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_datasets.datasets.wapo import WapoDocs
from ir_datasets.formats import GenericDoc, TrecQrels, TrecSubQrels, TsvDocs
from ir_datasets.formats.webarc import WarcDoc
from ir_datasets.util import LocalDownload

import irmx
import irmx_study
from irmx import DataError, DataWarning

Register = Callable[..., str]


def at(*moment: int) -> float:
    """Seconds since 1970 of a moment in UTC."""
    return datetime(*moment, tzinfo=timezone.utc).timestamp()  # type: ignore[misc, arg-type]


def qrels_of(*doc_ids: str) -> str:
    """Two subtopics of one topic, to which the documents are relevant by turns."""
    return "".join(f"1 {1 + i % 2} {doc_id} 1\n" for i, doc_id in enumerate(doc_ids))


class Dated(NamedTuple):
    doc_id: str
    text: str
    time: str | None


NEWS = [
    Dated("a", "", "2014-03-01T10:00:00Z"),
    Dated("b", "", "2014-03-20"),
    Dated("c", "", "2014-04-02 08:30:00+02:00"),
    Dated("d", "", "2014-04-03T00:00:00.25"),
    Dated("e", "", "2014-05-05"),
]
TIMES = {
    "a": at(2014, 3, 1, 10),
    "b": at(2014, 3, 20),
    "c": at(2014, 4, 2, 6, 30),
    "d": at(2014, 4, 3) + 0.25,
    "e": at(2014, 5, 5),
}
QRELS = "1 1 a 1\n1 1 b 1\n1 2 b 1\n1 2 c 1\n1 1 x 0\n2 1 d 1\n2 1 a 1\n"
RUN = {"1": {"a": 3.0, "x": 2.0, "c": 1.0}, "2": {"y": 2.0, "d": 1.0}}


@pytest.fixture
def news(folder: Path, register: Register, kept: Any) -> tuple[str, Any]:
    """A small dataset whose documents are those of hc4, with a document that is judged and not there."""
    docs = kept(folder, NEWS)
    return register("hc4/irmx-news", docs, QRELS), docs


# -- what is looked up -------------------------------------------------------------------------------------


def test_only_judged_documents_are_looked_up_each_once(news: tuple[str, Any]) -> None:
    dataset_id, docs = news
    with pytest.warns(DataWarning, match=r"^Of 5 judged documents of 'hc4/irmx-news', 1 have no 'timestamp': 1 not among its documents, such as x.$"):  # fmt: skip
        judged = irmx.collections.judgments(dataset_id, columns=["timestamp"])
    assert sorted(docs.asked) == ["a", "b", "c", "d", "x"]
    given = judged.column("timestamp")
    assert given is not None
    np.testing.assert_array_equal(given, [TIMES.get(line.split()[2], np.nan) for line in QRELS.splitlines()])


def test_what_was_looked_up_is_kept(news: tuple[str, Any], folder: Path) -> None:
    dataset_id, docs = news
    with pytest.warns(DataWarning):
        first = irmx.collections.judgments(dataset_id, columns=["timestamp"])
    docs.asked.clear()
    with pytest.warns(DataWarning, match="such as x"):
        again = irmx.collections.judgments(dataset_id, columns=["timestamp"])
    assert docs.asked == ["x"]
    np.testing.assert_array_equal(again.column("timestamp"), first.column("timestamp"))
    [file] = (folder / "cache" / "fields").glob("*.sqlite")
    assert file.name.startswith("hc4-irmx-news-timestamp-")


def test_what_was_had_before_a_stop_is_kept(news: tuple[str, Any]) -> None:
    dataset_id, docs = news
    docs.stop_after = 3
    with pytest.raises(KeyboardInterrupt):
        irmx.collections.judgments(dataset_id, columns=["timestamp"])
    docs.stop_after = None
    docs.asked.clear()
    with pytest.warns(DataWarning):
        irmx.collections.judgments(dataset_id, columns=["timestamp"])
    assert len(docs.asked) == 2


def test_a_cache_below_a_file_stops_nothing(
    news: tuple[str, Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "file").touch()
    monkeypatch.setenv("IRMX_CACHE", str(folder / "file"))
    with pytest.warns(DataWarning) as said:
        judged = irmx.collections.judgments(news[0], columns=["timestamp"])
    assert re.search("cannot be kept in the cache .*IRMX_CACHE names another folder", str(said[0].message))
    assert "timestamp" in judged.columns


# -- documents without a date ------------------------------------------------------------------------------


def test_documents_without_a_readable_date_are_counted_and_named(folder: Path, register: Register, kept: Any) -> None:
    docs = kept(
        folder, [Dated("a", "", "2020-07-16"), Dated("b", "", None), Dated("c", "", "Spring"), Dated("d", "", "2020")]
    )
    dataset_id = register("cord19/irmx-odd", docs, qrels_of("a", "b", "c", "d"))
    with pytest.raises(DataError, match=r"'cord19/irmx-odd' has no 'timestamp'.*documents have the fields doc_id, text, time, and not the declared one, 'date'"):  # fmt: skip
        irmx.collections.judgments(dataset_id, columns=["timestamp"])
    dataset_id = register("hc4/irmx-odd", docs, qrels_of("a", "b", "c", "d"))
    with pytest.warns(DataWarning) as said:
        judged = irmx.collections.judgments(dataset_id, columns=["timestamp"])
    given = judged.column("timestamp")
    assert given is not None
    np.testing.assert_array_equal(given, [at(2020, 7, 16), np.nan, np.nan, at(2020, 1, 1)])
    texts = [str(w.message) for w in said]
    assert texts == [
        "Of 4 judged documents of 'hc4/irmx-odd', 2 have no 'timestamp': 1 with nothing in the field 'time', such as b; 1 whose "
        "field 'time' cannot be read, such as c with 'Spring': it is not of the form 2020-07-16 or 2020-07-16T12:30:00Z.",
        "Of 4 judged documents of 'hc4/irmx-odd', 1 have as field 'time' a date without a day, taken as the first one of its "
        "month or year, such as d.",
    ]
    with pytest.warns(DataWarning) as again:
        irmx.collections.judgments(dataset_id, columns=["timestamp"])
    assert [str(w.message) for w in again] == texts


@pytest.mark.parametrize(
    ("documents", "reason"),
    [
        ([Dated("z", "", "2020-07-16")], "2 not among its documents, such as a"),
        ([Dated("a", "", "May"), Dated("b", "", "June")], "2 whose field 'time' cannot be read, such as a with 'May'"),
    ],
)
def test_where_no_document_has_a_date_it_is_an_error(
    documents: list[Dated], reason: str, folder: Path, register: Register, kept: Any
) -> None:
    dataset_id = register("hc4/irmx-none", kept(folder, documents), qrels_of("a", "b"))
    with pytest.raises(DataError, match=f"Of 2 judged documents of 'hc4/irmx-none', 2 have no 'timestamp': {reason}"):
        irmx.collections.judgments(dataset_id, columns=["timestamp"])


def test_documents_that_cannot_be_had(folder: Path, register: Register) -> None:
    gone = WapoDocs(LocalDownload(folder / "nowhere" / "wapo.tar.gz", "Ask for it."), "data.jl")
    dataset_id = register("wapo/irmx-gone", gone, qrels_of("a"))
    with pytest.raises(DataError) as raised:
        irmx.collections.judgments(dataset_id, columns=["timestamp"])
    for part in ("1 documents of 'wapo/irmx-gone' could not be looked up for their field 'published_date'",
                 "nowhere/wapo.tar.gz", str(folder / "home"), "https://ir-datasets.com/wapo.html"):  # fmt: skip
        assert part in str(raised.value)
    assert irmx.calc_aggregate("P@1", dataset_id, {"1": {"a": 1.0}}) == {ir_measures.P @ 1: 1.0}


# -- datasets without dates --------------------------------------------------------------------------------


@pytest.fixture
def undated(folder: Path, register: Register) -> str:
    (folder / "docs.tsv").write_text("a\tone\nb\ttwo\n", encoding="utf-8")
    return register("irmx-test/undated", TsvDocs(LocalDownload(folder / "docs.tsv"), GenericDoc), qrels_of("a", "b"))


def test_a_dataset_without_a_declared_field(undated: str) -> None:
    with pytest.raises(DataError, match=r"^'irmx-test/undated' has no 'timestamp': its qrels have the columns query_id, doc_id, relevance, iteration; its documents have the fields doc_id, text, and none of them is declared"):  # fmt: skip
        irmx.collections.judgments(undated, columns=["timestamp"])


def test_a_dataset_without_documents(register: Register) -> None:
    dataset_id = register("irmx-test/bare", None, qrels_of("a"), TrecQrels)
    with pytest.raises(DataError, match=r"'irmx-test/bare' has no 'timestamp'.* and there are no documents that might give it"):  # fmt: skip
        irmx.collections.judgments(dataset_id, columns=["timestamp"])
    assert len(irmx.collections.judgments(dataset_id)) == 1


def test_a_measure_says_why_a_dataset_has_no_dates(undated: str) -> None:
    with pytest.raises(DataError, match=r"(?s)'timestamp'.*is missing.*'irmx-test/undated' has no 'timestamp'.*fields doc_id, text, and none of them is declared"):  # fmt: skip
        irmx.calc_aggregate("TIA_P(window='1mo')@1", undated, {"1": {"a": 1.0}})


def test_a_measure_names_the_field_that_could_give_the_column(news: tuple[str, Any]) -> None:
    judged = irmx.read_qrels(news[0])
    with pytest.raises(DataError, match=r"The field 'time' of the documents of 'hc4/irmx-news' gives it: irmx.collections.judgments\('hc4/irmx-news', columns=\['timestamp'\]\)"):  # fmt: skip
        irmx.calc_aggregate("TIA_P(window='1mo')@1", judged, RUN)
    assert news[1].asked == []


def test_nothing_is_looked_up_where_another_column_is_missing(folder: Path, register: Register, kept: Any) -> None:
    docs = kept(folder, NEWS)
    dataset_id = register("hc4/irmx-news", docs, QRELS)
    updates = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "score": [1.0], "timestamp": [5.0], "length": [3.0]})
    with pytest.raises(DataError, match="MSU cannot be computed: the qrels column"):
        irmx.calc_aggregate("MSU", dataset_id, updates)
    assert docs.asked == []


# -- evaluation by the id ----------------------------------------------------------------------------------

MEASURE = "TIA_nDCG(window='1mo')@10"


@pytest.fixture
def complete(folder: Path, register: Register, kept: Any) -> tuple[str, Path, Any]:
    """A dataset whose judged documents all have dates, and a file with the same qrels and dates."""
    docs = kept(folder, [*NEWS, Dated("x", "", "2014-03-02")])
    dataset_id = register("hc4/irmx-complete", docs, QRELS)
    rows = [line.split() for line in QRELS.splitlines()]
    times = TIMES | {"x": at(2014, 3, 2)}
    lines = ["query_id,iteration,doc_id,relevance,timestamp", *(",".join([*r, repr(times[r[2]])]) for r in rows)]
    (folder / "dated.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return dataset_id, folder / "dated.csv", docs


@pytest.mark.slow
def test_values_are_those_of_a_file_with_the_dates(complete: tuple[str, Path, Any]) -> None:
    dataset_id, path, docs = complete
    measures = f"{MEASURE} TIA_ERR(window='1d') IA_P@5 AP ERR_IA@20"
    assert irmx.calc_aggregate(measures, dataset_id, RUN) == irmx.calc_aggregate(measures, path, RUN)
    assert sorted(docs.asked) == ["a", "b", "c", "d", "x"]
    assert irmx.evaluator(MEASURE, dataset_id).calc(RUN) == irmx.evaluator(MEASURE, path).calc(RUN)
    explained, of_file = (irmx.explain(MEASURE, q, RUN, "1") for q in (dataset_id, path))
    assert explained.columns == of_file.columns
    swept, from_file = (
        irmx_study.sweep("TIA_P@5", {"window": ["1d", "1mo"]}, q, {"r": RUN}, reference=MEASURE)
        for q in (dataset_id, path)
    )
    assert swept.frame().equals(from_file.frame())


def test_measures_that_need_no_dates_look_nothing_up(complete: tuple[str, Path, Any]) -> None:
    dataset_id, path, docs = complete
    for measures in ("AP nDCG@10", "IA_nDCG@10 I_rec@5"):
        assert irmx.calc_aggregate(measures, dataset_id, RUN) == irmx.calc_aggregate(measures, path, RUN)
    assert docs.asked == []


def test_the_id_on_the_command_line(complete: tuple[str, Path, Any], folder: Path, command: Any) -> None:
    dataset_id, path, docs = complete
    (folder / "run").write_text(
        "".join(f"{q} Q0 {d} 0 {s} r\n" for q, ds in RUN.items() for d, s in ds.items()), encoding="utf-8"
    )
    asked = (folder / "run", MEASURE, "AP")
    done, of_file = command("eval", "-q", dataset_id, *asked), command("eval", "-q", path, *asked)
    assert (done.code, of_file.code, "irmx:" in done.err) == (0, 0, False)
    assert done.out == of_file.out
    assert command("eval", dataset_id, folder / "run", "AP").out.startswith("AP\t")
    assert len(docs.asked) == 5


def test_warnings_are_notes_on_the_command_line(news: tuple[str, Any], folder: Path, command: Any) -> None:
    (folder / "run").write_text("1 Q0 a 0 1 r\n2 Q0 d 0 1 r\n", encoding="utf-8")
    with warnings.catch_warnings():
        done = command("eval", news[0], folder / "run", MEASURE)
    assert done.code == 0
    assert "irmx: Of 5 judged documents of 'hc4/irmx-news', 1 have no 'timestamp'" in done.err


def test_a_column_that_the_qrels_have_is_theirs(folder: Path, register: Register, kept: Any) -> None:
    class TimedQrel(NamedTuple):
        query_id: str
        doc_id: str
        relevance: int
        subtopic_id: str
        timestamp: float

    class Timed(TrecSubQrels):  # type: ignore[misc]
        def qrels_iter(self) -> Iterator[TimedQrel]:
            for row in super().qrels_iter():
                yield TimedQrel(*row, 5.0)

        def qrels_cls(self) -> type[TimedQrel]:
            return TimedQrel

    docs = kept(folder, NEWS)
    dataset_id = register("hc4/irmx-timed", docs, QRELS, Timed)
    judged = irmx.collections.judgments(dataset_id, columns=["timestamp", "iteration"])
    assert set(judged.column("timestamp")) == {5.0}  # type: ignore[arg-type]
    assert docs.asked == []


def test_a_field_whose_function_fails_is_named(folder: Path, register: Register, kept: Any) -> None:
    from irmx.adapters.ir_datasets import Field, values_of

    def parse(value: Any) -> float:
        return {}[value]  # type: ignore[no-any-return]

    dataset_id = register("hc4/irmx-failing", kept(folder, NEWS), qrels_of("a"))
    field = Field("hc4/irmx-failing", "timestamp", "time", parse)
    with pytest.raises(irmx.PluginError, match=r"The field 'time' of 'hc4/irmx-failing', which gives 'timestamp', failed on '2014-03-01T10:00:00Z' with KeyError"):  # fmt: skip
        values_of(dataset_id, irmx.collections.dataset(dataset_id), field, "test", ["a"])


# -- without the network ----------------------------------------------------------------------------------

NOWHERE = "http://127.0.0.1:9"
OFFLINE = {"http_proxy": NOWHERE, "https_proxy": NOWHERE, "no_proxy": "", "NO_PROXY": "", "IR_DATASETS_DL_TRIES": "1"}


def test_a_download_that_fails_says_what_was_tried(tmp_path: Path, shell: Any) -> None:
    (tmp_path / "run").write_text("1 Q0 a 0 1 r\n", encoding="utf-8")
    home = tmp_path / "home"
    done = shell("eval", "trec-robust04", "run", "AP", cwd=tmp_path, IR_DATASETS_HOME=str(home), **OFFLINE)
    done.assert_refused(1)
    last = done.err.splitlines()[-1]
    assert last.startswith("irmx: The qrels of 'trec-robust04' cannot be read: All download sources failed: ")
    for place, why in ((f"{home}/downloads/", "FileNotFoundError"), ("https://trec.nist.gov/", "ProxyError"),
                       ("https://mirror.ir-datasets.com/", "ProxyError")):  # fmt: skip
        assert re.search(rf"{re.escape(place)}\S+ \({why}\)", last), place
    assert last.endswith("Is the network reachable, or the file already downloaded?")
    assert "Traceback" not in done.err


def test_what_needs_no_download_works_without_the_network(tmp_path: Path, shell: Any) -> None:
    environment = {**OFFLINE, "IR_DATASETS_HOME": str(tmp_path / "home")}
    done = shell("datasets", "--for", "TIA_P(window='1d')", "clueweb12", "-o", "tsv", **environment)
    assert done.code == 0
    assert [line.split("\t")[0] for line in done.out.splitlines()[1:]] == [
        "clueweb12/trec-web-2013/diversity",
        "clueweb12/trec-web-2014/diversity",
    ]
    qrels = tmp_path / "home" / "clueweb12" / "trec-web-2013" / "diversity"
    assert not qrels.exists()


# -- diversity qrels ---------------------------------------------------------------------------------------


def test_subtopics_of_diversity_qrels_reach_every_measure(folder: Path, register: Register, kept: Any) -> None:
    """ir_measures reads ``iteration``; ir_datasets calls it ``subtopic_id``."""
    rows = "1 1 a 1\n1 2 a 0\n1 1 b 0\n1 2 b 1\n1 3 c 1\n"
    dataset_id = register("clueweb09/en/irmx-diversity", kept(folder, [WarcDoc("a", "", "", b"", b"", "")]), rows)
    (folder / "file.qrels").write_text(rows, encoding="utf-8")
    run = {"1": {"a": 3.0, "b": 2.0, "x": 1.0}}
    measures = "ERR_IA@20 alpha_nDCG@20 StRecall@20 IA_P@2 I_rec@2 AP"
    found = irmx.calc_aggregate(measures, dataset_id, run)
    assert found == irmx.calc_aggregate(measures, folder / "file.qrels", run)
    assert round(found[irmx.parse_measure("I_rec@2")], 6) == 0.666667


@pytest.mark.real
@pytest.mark.parametrize("year", [2009, 2010, 2011, 2012, 2013, 2014])
def test_diversity_qrels_of_the_web_track(year: int, folder: Path, register: Register, kept: Any) -> None:
    data = Path(os.environ["IRMX_DATA"]) / "web_diversity" / str(year)
    qrels = gzip.decompress((data / "qrels.diversity.txt.gz").read_bytes()).decode()
    run = irmx.read_run(sorted((data / "runs").iterdir())[0])
    docs = kept(folder, [WarcDoc("a", "", "", b"", b"", "")])
    dataset_id = register(f"clueweb12/irmx-{year}/diversity", docs, qrels)
    measures = "IA_P@20 I_rec@20 D_nDCG@20 ERR_IA@20 alpha_nDCG@20 StRecall@20"
    found = irmx.calc_aggregate(measures, dataset_id, run)
    assert found == irmx.calc_aggregate(measures, data / "qrels.diversity.txt.gz", run)
    assert all(value > 0 for value in found.values())
    assert docs.asked == []
