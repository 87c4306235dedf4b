"""Runs and qrels in every format of the host, plain and compressed, beside strict readers in plain Python."""

from __future__ import annotations

import bz2
import functools
import gzip
import io
import json
import lzma
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import ir_measures
import pyarrow as pa
from mutations import OF_BYTES, OF_JSON, OF_TEXT, mutated
from outcomes import WrongValueError
from pyarrow import parquet
from strict_readers import NotARowError, as_dict, delimited_rows, json_rows, trec_rows
from targets import Target

import irmx
from irmx.demo import qrels_path, run_path

MEASURES = "AP nDCG IPrec@0.5 NCP(law=uniform)"
"""Two of irmx-trec, one that pytrec_eval computes, and one of a plugin."""

TABLES = ("run", "qrels")
TREC = {"run": run_path("bm25").read_bytes(), "qrels": qrels_path().read_bytes()}


def first_topics(table: str, lines: int) -> list[list[str]]:
    """Return the fields of the first lines of the demo collection for each of its first topics."""
    rows = [line.split() for line in TREC[table].decode().splitlines()]
    by_topic = {topic: [r for r in rows if r[0] == topic][:lines] for topic in ("1", "2", "3")}
    return [row for some in by_topic.values() for row in some]


def records(table: str, lines: int) -> list[dict[str, Any]]:
    """Return the same rows by the names of their columns."""
    if table == "run":
        return [{"query_id": q, "doc_id": d, "score": float(s)} for q, _, d, _, s, _ in first_topics(table, lines)]
    return [
        {"query_id": q, "doc_id": d, "relevance": int(g), "iteration": i} for q, i, d, g in first_topics(table, lines)
    ]


def written(format: str, table: str, lines: int) -> bytes:
    """Return a sound file."""
    rows = records(table, lines)
    if format == "trec":
        return "".join(" ".join(fields) + "\n" for fields in first_topics(table, lines)).encode()
    if format == "jsonl":
        return "".join(json.dumps(row) + "\n" for row in rows).encode()
    if format == "parquet":
        return as_parquet(pa.Table.from_pylist(rows))
    separator = "," if format == "csv" else "\t"
    return "".join(
        separator.join(map(str, cells)) + "\n" for cells in [rows[0], *(row.values() for row in rows)]
    ).encode()


def as_parquet(table: pa.Table) -> bytes:
    """Return a table as a Parquet file."""
    file = io.BytesIO()
    parquet.write_table(table, file)
    return file.getvalue()


STRICT: dict[str, Callable[[str, bytes], list[Any]]] = {
    "trec": trec_rows,
    "csv": functools.partial(delimited_rows, delimiter=","),
    "tsv": functools.partial(delimited_rows, delimiter="\t"),
    "jsonl": json_rows,
}
"""The strict readers by format."""


def same_as_strict(format: str, table: str, path: Path) -> None:
    """Read a file and compute measures of it; rows and values must be those of a strict reader.

    Raises
    ------
    WrongValueError
        If only one of the two readers refuses the file, or if rows or values differ.
    irmx.IrmxError
        If irmx refuses it.
    """
    try:
        strict: Any = as_dict(table, STRICT[format](table, path.read_bytes()))
    except NotARowError as error:
        strict = error
    try:
        data: Any = (irmx.read_run if table == "run" else irmx.read_qrels)(f"{format}:{path}")
        rows = data.as_dict()
    except irmx.IrmxError as error:
        if isinstance(strict, dict):
            raise WrongValueError(f"{format} refused that a strict reader accepts: {error}") from error
        raise
    if not isinstance(strict, dict):
        raise WrongValueError(f"{format} accepted that a strict reader refuses, {strict}")
    if rows != strict:
        raise WrongValueError(f"{format} with other rows than a strict reader's: {_first_difference(rows, strict)}")
    values = [values_of(table, source) for source in (data, strict)]
    if values[0] != values[1]:
        raise WrongValueError(f"{format} with other values than a dict: {values}")


def _first_difference(rows: dict[str, Any], strict: dict[str, Any]) -> str:
    if list(rows) != list(strict):
        return f"the topics {list(rows)!r} and {list(strict)!r}"
    topic = next(t for t in rows if rows[t] != strict[t])
    return f"topic {topic!r}: {sorted(rows[topic].items() ^ strict[topic].items())}"


@functools.cache
def _other(table: str) -> Any:
    """Return what scores runs, or a run for the qrels, of the topics in the seeds."""
    rows = first_topics("qrels" if table == "run" else "run", 50)
    if table == "run":
        return irmx.evaluator(MEASURES, irmx.read_qrels([ir_measures.Qrel(q, d, int(g)) for q, _, d, g in rows]))
    return irmx.read_run([ir_measures.ScoredDoc(q, d, float(s)) for q, _, d, _, s, _ in rows])


def values_of(table: str, source: Any) -> object:
    """Return the values of measures with the file as the run or as the qrels, or the type of the refusal."""
    try:
        evaluator, run = (
            (_other(table), source) if table == "run" else (irmx.evaluator(MEASURES, source), _other(table))
        )
        return [(m.query_id, str(m.measure), m.value) for m in evaluator.iter_calc(run)]
    except irmx.IrmxError as error:
        return type(error)


def read_and_score(table: str, path: Path) -> None:
    """Read a file whose format is detected, and compute measures of it."""
    values_of(table, (irmx.read_run if table == "run" else irmx.read_qrels)(path))


# -- Parquet and compressed files --------------------------------------------------------------------------------


def odd_parquet(random: Random) -> bytes:
    """Return a Parquet file whose bytes are damaged, or whose columns have odd types, names or values."""
    table = random.choice(TABLES)
    rows = pa.Table.from_pylist(records(table, 3))
    if random.random() < 0.3:
        return mutated(random, [as_parquet(rows)], OF_BYTES)
    at = random.randrange(rows.num_columns)
    name, column = rows.column_names[at], rows.column(at)
    count = len(column)
    odd: list[Callable[[], Any]] = [
        lambda: pa.array([None] * count),
        lambda: pa.array([None, *column.to_pylist()[1:]], column.type),
        lambda: pa.array([[v] for v in column.to_pylist()]),
        lambda: pa.array([{"a": v} for v in column.to_pylist()]),
        lambda: pa.array([str(v).encode() + b"\xff" for v in column.to_pylist()]),
        lambda: pa.array([f"{v}\0" for v in column.to_pylist()]),
        lambda: pa.array([float("nan")] * count),
        lambda: pa.array([1e308 * random.choice((1, 10))] * count),
        lambda: pa.array(range(count), pa.timestamp("ns", "UTC")),
        lambda: pa.array(
            range(count), random.choice((pa.int8(), pa.uint64(), pa.float32(), pa.date32(), pa.duration("s")))
        ),
        lambda: pa.array([True] * count),
        lambda: pa.array([str(v) for v in column.to_pylist()]).dictionary_encode(),
        lambda: pa.array(range(count)).cast(pa.decimal128(38, 2)),
        lambda: pa.array([2**63 - i for i in range(count)], pa.uint64()),
    ]
    changed = rows.set_column(
        at, random.choice((name, name, name, name.upper(), f" {name}", "", "qid")), random.choice(odd)()
    )
    way = random.randrange(5)
    if way == 0:
        changed = changed.slice(0, 0)
    elif way == 1:
        changed = changed.append_column(random.choice((name, "score", "query_id", "timestamp")), column)
    return as_parquet(changed)


def compressors() -> dict[str, Callable[[bytes], bytes]]:
    """Return the functions that compress, by the end of a name."""

    def zipped(content: bytes) -> bytes:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("some.run", content)
        return file.getvalue()

    return {
        "gz": lambda content: gzip.compress(content, mtime=0),
        "bz2": bz2.compress,
        "xz": lzma.compress,
        "zst": lambda content: pa.Codec("zstd").compress(content, asbytes=True),
        "zip": zipped,
    }


def odd_compressed(compress: Callable[[bytes], bytes], random: Random) -> bytes:
    """Return a compressed run that is damaged, continued, twice compressed, or of many zeros."""
    text = written("trec", "run", 5)
    way = random.randrange(6)
    if way == 0:
        return compress(mutated(random, [text], OF_TEXT))
    if way == 1:
        return compress(text) + random.choice((b"\0" * 512, b"junk", compress(text), compress(b"")))
    if way == 2:
        return compress(compress(text))
    if way == 3:
        return compress(random.choice((b"", b"\0" * 3_000_000, b"\n" * 3_000_000, b"\x1f\x8b")))
    return mutated(random, [compress(text)], OF_BYTES)


def _file_targets() -> Iterator[Target]:
    for format in STRICT:
        for table in TABLES:
            run = functools.partial(same_as_strict, format, table)
            seeds = [written(format, table, lines) for lines in (2, 4, 100)]
            yield Target(f"{format}-{table}", run, seeds, OF_JSON if format == "jsonl" else OF_TEXT)
    for table in TABLES:
        run = functools.partial(read_and_score, table)
        yield Target(f"parquet-{table}", run, [written("parquet", table, 3)], make=odd_parquet, suffix=".parquet")
    for ending, compress in compressors().items():
        run = functools.partial(read_and_score, "run")
        seeds = [compress(written("trec", "run", lines)) for lines in (2, 100)]
        yield Target(
            f"run.{ending}", run, seeds, make=functools.partial(odd_compressed, compress), suffix=f".run.{ending}"
        )
    for suffix in ("", ".csv", ".tsv", ".jsonl", ".parquet", ".gz"):
        seeds = [written(format, "run", 3) for format in (*STRICT, "parquet")]
        run = functools.partial(read_and_score, "run")
        yield Target(
            f"detected{suffix}",
            run,
            seeds if not suffix else [],
            make=functools.partial(mutated, seeds=seeds, mutations=OF_TEXT),
            suffix=suffix,
        )


FILES = list(_file_targets())
