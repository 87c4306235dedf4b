"""Dates of the collections of ir_datasets, by the real classes of their documents."""

from __future__ import annotations

import csv
import io
import json
import tarfile
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import ir_datasets
import pytest
from ir_datasets.datasets.c4 import C4Doc
from ir_datasets.datasets.cord19 import Cord19Docs
from ir_datasets.datasets.tweets2013_ia import Tweets2013IaDocs, TweetWriter
from ir_datasets.datasets.wapo import WapoDocs
from ir_datasets.formats import BaseDocs, ExctractedCCDocs, JsonlDocs
from ir_datasets.formats.webarc import WarcDoc
from ir_datasets.indices import PickleLz4FullStore
from ir_datasets.util import LocalDownload

import irmx

Register = Callable[..., str]
Made = tuple[str, Any, dict[str, float]]


def at(*moment: int) -> float:
    """Seconds since 1970 of a moment in UTC."""
    return datetime(*moment, tzinfo=timezone.utc).timestamp()  # type: ignore[misc, arg-type]


def qrels_of(*doc_ids: str) -> str:
    """Two subtopics of one topic, to which the documents are relevant by turns."""
    return "".join(f"1 {1 + i % 2} {doc_id} 1\n" for i, doc_id in enumerate(doc_ids))


# -- the real classes --------------------------------------------------------------------------------------


def tweets(folder: Path) -> Made:
    docs = Tweets2013IaDocs([], str(folder / "tweets"))
    writer = TweetWriter(folder / "tweets")
    times = {
        "297136541426397184": "Fri Feb 01 00:00:01 +0000 2013",
        "297136550028914688": "Fri Feb 01 02:00:03 +0200 2013",
    }
    for doc_id, created in times.items():
        tweet = {
            "id": int(doc_id),
            "id_str": doc_id,
            "text": "so " * 30,
            "user": {"id_str": "7"},
            "created_at": created,
        }
        line = json.dumps(tweet | {"in_reply_to_status_id_str": None}).encode() + b"\n"
        writer.add(docs._id2file(int(doc_id)), int(doc_id), line)
    writer.flush()
    (folder / "tweets" / "_success").touch()
    return "tweets2013-ia", docs, {d: at(2013, 2, 1, 0, 0, s) for d, s in zip(times, (1, 3), strict=True)}


def wapo(folder: Path) -> Made:
    given = {"id": "w1", "article_url": "", "title": "T", "author": "", "published_date": 1325376562000, "contents": []}
    lines = json.dumps(given).encode() + b"\n"
    with tarfile.open(folder / "wapo.tar.gz", "w:gz") as archive:
        member = tarfile.TarInfo("data.jl")
        member.size = len(lines)
        archive.addfile(member, io.BytesIO(lines))
    return "wapo", WapoDocs(LocalDownload(folder / "wapo.tar.gz"), "data.jl"), {"w1": at(2012, 1, 1, 0, 9, 22)}


def cord(folder: Path) -> Made:
    with open(folder / "metadata.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["cord_uid", "title", "doi", "abstract", "publish_time"])
        writer.writerow(["ug7v899j", "T", "", "", "2001-07-04"])
    docs = Cord19Docs(LocalDownload(folder / "metadata.csv"), folder, "2020-07-16")
    return "cord19", docs, {"ug7v899j": at(2001, 7, 4)}


def extracted(name: str) -> Callable[[Path], Made]:
    def make(folder: Path) -> Made:
        times = {"n1": "2019-05-12T07:58:39+04:30", "n2": "2017-01-31T00:00:00"}
        lines = [
            {"id": i, "title": "", "text": "", "url": "", "time": time, "cc_file": ""} for i, time in times.items()
        ]
        (folder / "docs.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        docs = ExctractedCCDocs(LocalDownload(folder / "docs.jsonl"), "fa", name, 2)
        return name, docs, {"n1": at(2019, 5, 12, 3, 28, 39), "n2": at(2017, 1, 31)}

    return make


def c4(folder: Path) -> Made:
    document = C4Doc("en.noclean.c4-train.00001-of-07168.5", "", "", "2019-04-25T12:57:54Z")
    (folder / "c4.jsonl").write_text(json.dumps(document._asdict()), encoding="utf-8")
    return "c4", JsonlDocs(LocalDownload(folder / "c4.jsonl"), C4Doc), {document.doc_id: at(2019, 4, 25, 12, 57, 54)}


class Page(BaseDocs):  # type: ignore[misc]
    """One record of a WARC file, in a real store; the readers of these files are in packages of their own."""

    def __init__(self, folder: Path, record: WarcDoc) -> None:
        self.folder, self.record = folder, record

    def docs_cls(self) -> type[WarcDoc]:
        return WarcDoc

    def docs_store(self) -> PickleLz4FullStore:
        return PickleLz4FullStore(
            str(self.folder / "page.pklz4"), lambda: iter([self.record]), WarcDoc, "doc_id", ["doc_id"]
        )


def warc(name: str, doc_id: str, date: str, time: float) -> Callable[[Path], Made]:
    return lambda folder: (name, Page(folder, WarcDoc(doc_id, "", date, b"", b"", "")), {doc_id: time})


COLLECTIONS = {
    "tweets2013-ia": tweets,
    "wapo": wapo,
    "cord19": cord,
    "hc4": extracted("hc4"),
    "neuclir": extracted("neuclir"),
    "c4": c4,
    "clueweb09": warc("clueweb09", "clueweb09-en0000-00-00000", "2009-03-65T08:43:19-0800", at(2009, 3, 6, 16, 43, 19)),
    "clueweb12": warc("clueweb12", "clueweb12-0000tw-00-00000", "2012-02-10T21:49:45Z", at(2012, 2, 10, 21, 49, 45)),
}


@pytest.mark.parametrize("make", COLLECTIONS.values(), ids=COLLECTIONS)
def test_dates_of_the_collections(make: Any, folder: Path, register: Register) -> None:
    name, docs, times = make(folder)
    dataset_id = register(f"{name}/irmx-test", docs, qrels_of(*times))
    judged = irmx.collections.judgments(dataset_id, columns=["timestamp"])
    assert dict(zip(judged.docs, judged.column("timestamp"), strict=True)) == times
    assert dict(zip(judged.docs, judged.column("iteration"), strict=True)) == dict(zip(times, "12", strict=False))


def test_every_field_of_the_table_is_one_of_the_real_documents() -> None:
    for field in irmx.registry().fields():
        if not field.NAME.startswith("longeval"):
            names = [n for n in ir_datasets.registry if field.covers(n) and ir_datasets.load(n).has_docs()]
            assert names, field
            without = [n for n in names if field.field not in ir_datasets.load(n).docs_cls()._fields]
            assert all(n.startswith("clueweb12/touche-2022-task-2") for n in without)
