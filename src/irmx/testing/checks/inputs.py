"""Checks of how a measure takes its input: any kind, unchanged."""

from __future__ import annotations

import pickle
import random
import tempfile
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np

from irmx.data.reading import read_qrels, read_run
from irmx.declare.measures import Measure
from irmx.ragged import Array
from irmx.rank.join import Join
from irmx.rank.rankings import Rankings
from irmx.score.backends import rankings_for
from irmx.testing.sample import Row, Sample, namedtuples
from irmx.testing.trying import Data, failure, for_all, raised, require_same, silent, values


def check_input_kinds(measure: Measure, data: Data) -> None:
    """Every kind of input gives the same value.

    Data frames of pandas and, where it is installed, polars, Arrow tables, namedtuples from a list and from a generator,
    .csv, .tsv, .jsonl and .parquet files; dicts and TREC files, where the data has no columns that these cannot hold.
    """
    sample = data.some(measure)
    expected = values(measure, sample)
    with tempfile.TemporaryDirectory() as folder:
        for kind, qrels, run in _kinds(sample, Path(folder)):
            found = values(measure, sample, qrels(), run())
            require_same(measure, "Every kind of input must give the same value.", expected, found, kind, sample)


Make = Callable[[], Any]


def _kinds(sample: Sample, folder: Path) -> Iterator[tuple[str, Make, Make]]:
    """Yield the name of a kind of input, and what makes the qrels and the run of that kind."""
    yield "from pandas", sample.qrels_frame, sample.run_frame
    yield (
        "from lists of namedtuples",
        lambda: list(namedtuples(sample.qrels)),
        lambda: list(namedtuples(sample.run)),
    )
    yield "from generators", lambda: namedtuples(sample.qrels), lambda: namedtuples(sample.run)
    try:
        import polars as pl
    except ModuleNotFoundError:
        pass
    else:
        yield "from polars", lambda: pl.from_arrow(sample.qrels_table), lambda: pl.from_arrow(sample.run_table)
    for suffix in ("csv", "tsv", "jsonl", "parquet"):
        yield f"from .{suffix} files", *_files(sample, folder, suffix)
    plain = not {"iteration"} & set(sample.qrels[0]) and len(sample.qrels[0]) == 3 and len(sample.run[0]) == 3
    if plain:
        yield "from dicts", sample.qrels_dict, sample.run_dict
        if not any(row["query_id"].startswith("#") or " " in row["doc_id"] for row in (*sample.qrels, *sample.run)):
            yield "from TREC files", *_trec_files(sample, folder)


def _files(sample: Sample, folder: Path, suffix: str) -> tuple[Make, Make]:
    def write(name: str, frame: Any) -> str:
        path = folder / f"{name}.{suffix}"
        if suffix == "parquet":
            frame.to_parquet(path)
        elif suffix == "jsonl":
            frame.to_json(path, orient="records", lines=True)
        else:
            frame.to_csv(path, index=False, sep="," if suffix == "csv" else "\t")
        return str(path)

    return lambda: write("qrels", sample.qrels_frame()), lambda: write("run", sample.run_frame())


def _trec_files(sample: Sample, folder: Path) -> tuple[Make, Make]:
    def write(name: str, line: Callable[[Row], str], rows: tuple[Row, ...]) -> str:
        path = folder / f"{name}.txt"
        path.write_text("".join(line(row) + "\n" for row in rows), encoding="utf-8")
        return str(path)

    def judged(row: Row) -> str:
        return f"{row['query_id']} 0 {row['doc_id']} {row['relevance']}"

    def retrieved(row: Row) -> str:
        return f"{row['query_id']} Q0 {row['doc_id']} 1 {row['score']} made-up"

    return lambda: write("qrels", judged, sample.qrels), lambda: write("run", retrieved, sample.run)


def check_inputs_unchanged(measure: Measure, data: Data) -> None:
    """Scoring changes neither the caller's qrels and run, nor the rankings that other measures see, nor the state of random generators."""
    asked = "Scoring must not change the tables that it is given."

    def holds(sample: Sample) -> None:
        pairs: list[tuple[Any, Any]] = [(sample.qrels_frame(), sample.run_frame())]
        if len(sample.qrels[0]) == 3 and len(sample.run[0]) == 3:
            pairs.append((sample.qrels_dict(), sample.run_dict()))
        for qrels, run in pairs:
            before = deepcopy((qrels, run))
            values(measure, sample, qrels, run)
            for name, now, then in (("qrels", qrels, before[0]), ("run", run, before[1])):
                if not (now.equals(then) if hasattr(now, "equals") else now == then):
                    raise failure(measure, asked, f"The {name} are other than before:\n{now}", sample)
        _require_untouched(measure, sample)

    for_all(data.samples(measure), holds, data, share=0.2)


def _require_untouched(measure: Measure, sample: Sample) -> None:
    """Raise if scoring changes what other measures see of the same run, or the state of the random numbers of others."""
    rankings = rankings_for(measure, Join(read_run(sample.run_table), read_qrels(sample.qrels_table)))
    seen = _seen(rankings)
    before = deepcopy(seen)
    random.seed(5)
    np.random.seed(5)  # noqa: NPY002  so that a measure that seeds them anew is seen to
    state = _random_state()
    with silent():
        try:
            measure.score(rankings)
        except Exception as error:
            raise raised(measure, error, sample) from error
    for name, array in seen.items():
        if not np.array_equal(array, before[name]):
            asked = "Scoring must not change the rankings: other measures score them, too."
            raise failure(measure, asked, f"{name} was {before[name]}, and is {array}.", sample)
    if _random_state() != state:
        asked = "Scoring must use random numbers of its own, such as numpy.random.default_rng(seed)."
        raise failure(measure, asked, "The state of those of random or of numpy is another than before.", sample)


def _seen(rankings: Rankings) -> dict[str, Array]:
    """Return the arrays of rankings that measures share; ``numpy.add.at`` and the like write even what is read-only."""
    found = {"depth": rankings.depth, "recall_base": rankings.recall_base, "precision": rankings.precision}
    found |= {"judged_nonrelevant": rankings.judged_nonrelevant, "qrels_rows.grade": rankings.qrels_rows.grade}
    for name, documents in (("judged", rankings.judged), ("relevant", rankings.relevant)):
        found |= {
            f"{name}.rank": documents.rank,
            f"{name}.grade": documents.grade,
            f"{name}.offsets": documents.offsets,
        }
    return found | {
        "run_rows.score": rankings.run_rows.score,
        "the grades of the qrels": rankings._join.judgments.grade,
    }


def _random_state() -> bytes:
    return pickle.dumps((random.getstate(), np.random.get_state()))  # noqa: NPY002  whether it is left alone
