"""The track as datasets of ir_datasets, read from files that the user puts into the folder of ir_datasets."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from irmx import DataError, Dataset

YEARS = (2013, 2014, 2015)


class TstQuery(NamedTuple):
    """A topic: its title, the query, its type, and its time window in seconds since 1970."""

    query_id: str
    text: str
    query: str
    type: str
    start: float
    end: float

    def default_text(self) -> str:
        """Return the query."""
        return self.query or self.text


class TstQrel(NamedTuple):
    """A nugget in a judged update, with the columns of the stream vocabulary; NaN for missing numbers."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str
    timestamp: float
    importance: float
    nugget_length: float
    match_start: float
    match_end: float
    query_start: float
    query_end: float
    length: float
    original_length: float
    pooled: float
    replaced: float
    track_nugget_length: float
    track_match_start: float
    track_match_end: float
    track_length: float


QREL_DEFS = {1: "the update holds the nugget", 0: "judged, the update holds no nugget"}


def datasets() -> list[Dataset]:
    """Return the track's years as lazily loaded datasets, ``trec-tst/2013`` to ``trec-tst/2015``."""
    return [Dataset(f"trec-tst/{year}", partial(_load, year)) for year in YEARS]


def folder_of(year: int) -> Path:
    """Return the folder for the files of a year.

    Raises
    ------
    irmx.DataError
        If it does not exist; lists the files that belong there.
    """
    from ir_datasets.util import home_path

    from irmx_stream.tst.tst_tables import NEEDED

    path: Path = home_path() / "trec-tst" / str(year)
    if not path.is_dir():
        wanted = "; ".join(f"{kind}, {what}" for kind, what in NEEDED.items())
        raise DataError(
            f"trec-tst/{year} is not downloaded automatically. Put the files of the TREC {year} Temporal Summarization track, "
            f"plain or compressed with gzip, under any names into the folder {path}: {wanted}."
        )
    return path


def _load(year: int) -> Any:
    """Return the ``ir_datasets.Dataset`` of a year."""
    import ir_datasets
    from ir_datasets.formats import BaseQrels, BaseQueries

    class Queries(BaseQueries):  # type: ignore[misc]
        def queries_iter(self) -> Iterator[TstQuery]:
            from irmx_stream.tst.tst_tables import read_folder

            for topic in read_folder(folder_of(year)).topics.values():
                get = topic.fields.get
                yield TstQuery(
                    topic.query_id, get("title", ""), get("query", ""), get("type", ""), topic.start, topic.end
                )

        def queries_cls(self) -> type[TstQuery]:
            return TstQuery

        def queries_namespace(self) -> str:
            return f"trec-tst/{year}"

        def queries_lang(self) -> str:
            return "en"

    class Qrels(BaseQrels):  # type: ignore[misc]
        def qrels_iter(self) -> Iterator[TstQrel]:
            from irmx_stream.tst.tst_qrels import qrels_of_folder

            table = qrels_of_folder(folder_of(year)).select(TstQrel._fields)
            for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
                yield TstQrel(*row)._replace(relevance=int(row[2]))

        def qrels_cls(self) -> type[TstQrel]:
            return TstQrel

        def qrels_defs(self) -> dict[int, str]:
            return QREL_DEFS

        def qrels_path(self) -> Path:
            return folder_of(year)

    return ir_datasets.Dataset(Queries(), Qrels())
