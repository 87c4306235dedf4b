"""No measure changes what another sees: what measures share is read-only, and the error says what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import irmx
from irmx import Column, Measure, PluginError, Ranking, Rankings, Rows
from irmx.ragged import shared

LENGTH = Column("run", "length", "words")
KIND = Column("run", "kind", "what it is", dtype="str")
WEIGHT = Column("qrels", "weight", "of the row")
SUBTOPIC = Column("qrels", "iteration", "subtopic", dtype="str")

QRELS = pd.DataFrame(
    [("p", "a", 1, "1", 0.5), ("p", "b", 0, "1", 0.5), ("p", "c", 2, "2", 0.25), ("q", "a", 1, "1", 1.0)],
    columns=["query_id", "doc_id", "relevance", "iteration", "weight"],
)
RUN = pd.DataFrame(
    [("p", "c", 4.0, 10.0, "x"), ("p", "x", 3.0, 20.0, "y"), ("p", "a", 2.0, 30.0, "x"), ("q", "a", 1.0, 5.0, "y")],
    columns=["query_id", "doc_id", "score", "length", "kind"],
)
VIEWS: list[dict[str, Any]] = [{}, {"cutoff": 2}, {"judged_only": True}, {"ties": "run", "rel": 2}]
ROWS = ("relevant", "judged", "ranked", "run_rows", "qrels_rows")


def arrays_of_rows(rows: Rows) -> Iterator[tuple[str, Any]]:
    for name in ("offsets", "topic", "ordinal", "count", "row", "rank", "grade", "score", "doc", "declares"):
        yield name, getattr(rows, name)
    column, labels = (LENGTH, KIND) if rows.table == "run" else (WEIGHT, SUBTOPIC)
    yield "column", rows.column(column)
    yield "labels", rows.labels(labels)[0]


def arrays(rankings: Rankings) -> Iterator[tuple[str, Any]]:
    """Every array that a measure can reach."""
    for name in ("depth", "recall_base", "judged_nonrelevant", "precision"):
        yield name, getattr(rankings, name)
    for name in ("judged_grades",):
        yield from ((f"{name} {i}", array) for i, array in enumerate(getattr(rankings, name)))
    yield from ((f"matching_rows {i}", array) for i, array in enumerate(rankings.matching_rows()))
    yield "memo", rankings.memo("key", lambda: np.ones(3))
    yield "qrels_memo", rankings.qrels_memo("key", lambda: (1, [np.ones(3)]))[1][0]
    for name in ROWS:
        rows: Rows = getattr(rankings, name)
        for some, which in ((rows, ""), (rows.where(rows.ordinal > 0), " where"), (rows.of_topic(0), " of a topic")):
            yield from ((f"{name}{which} {of}", array) for of, array in arrays_of_rows(some))
    for ranking in rankings:
        yield "precision of a topic", ranking.precision
        yield "judged_grades of a topic", ranking.judged_grades
    judgments, run = rankings._join.judgments, rankings._join.run
    yield from (("judgments", judgments.grade), ("judgments", judgments.offsets), ("run", run.score))


@pytest.mark.parametrize("view", VIEWS, ids=str)
def test_no_array_that_a_measure_reaches_can_be_written(view: dict[str, Any]) -> None:
    rankings = irmx.rankings(QRELS, RUN, **view)
    subtopic, names = rankings.qrels_rows.labels(SUBTOPIC)
    per_subtopic = rankings.per_subtopic(np.where(rankings.qrels_rows.topic == 0, subtopic, -1), len(names))
    for of, seen in (("rankings", rankings), ("per subtopic", per_subtopic)):
        for name, array in arrays(seen):
            assert not array.flags.writeable, f"{of}: {name}"
            assert not array[:1].flags.writeable, f"{of}: {name}"
            for through in (array, array[:1], np.asarray(array.base)):
                with pytest.raises(ValueError, match="cannot set WRITEABLE flag"):
                    through.flags.writeable = True


@pytest.mark.filterwarnings("ignore:Setting:DeprecationWarning")
def test_a_new_shape_or_type_of_an_array_is_that_of_a_view() -> None:
    def given_out() -> list[tuple[str, Any]]:
        return [(of, array) for of, array in arrays(rankings) if of not in ("memo", "qrels_memo", "judgments", "run")]

    rankings = irmx.rankings(QRELS, RUN)
    before = [(name, array.tolist()) for name, array in given_out()]
    for _, array in given_out():
        array.dtype = "int8"
        array.shape = (-1, 1)
    np.testing.assert_equal([(name, array.tolist()) for name, array in given_out()], before)


def test_no_list_that_a_measure_reaches_can_be_sorted() -> None:
    """Labels are kept with the qrels: sorted in place they would be those of other rows, for every later run."""
    qrels, run = irmx.read_qrels(QRELS), irmx.read_run(RUN)
    rankings = irmx.rankings(qrels, run)
    for some in (rankings, rankings.per_subtopic(rankings.qrels_rows.labels(SUBTOPIC)[0] - 1, 1)):
        for names in (some.topics, some.qrels_rows.labels(SUBTOPIC)[1], some.run_rows.labels(KIND)[1]):
            assert isinstance(names, tuple)
        for rows in (getattr(some, name) for name in ROWS):
            for documents in (rows, rows.where(rows.ordinal > 0), rows.of_topic(0)):
                assert isinstance(documents.doc_ids, tuple)


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_arrays_of_the_user_stay_as_they_are(order: Any) -> None:
    """Data frames whose columns are arrays that irmx reads without a copy."""
    numbers = np.array([[4.0, 3.0, 2.0, 1.0], [10.0, 20.0, 30.0, 5.0]], order=order)
    run = pd.DataFrame(
        {"query_id": list("pppq"), "doc_id": list("cxaa"), "score": numbers[0], "length": numbers[1]}, copy=False
    )
    rankings = irmx.rankings(QRELS, run)
    list(rankings.relevant.column(LENGTH)), rankings.run_rows.score
    assert numbers.flags.writeable
    assert irmx.calc_aggregate("NCP(law=uniform)", QRELS, run) == irmx.calc_aggregate("NCP(law=uniform)", QRELS, RUN)
    run.loc[0, "score"] = 5.0


def sort_ranks(rankings: Rankings) -> None:
    rankings.relevant.rank.sort()


def count_from_0(rankings: Rankings) -> None:
    ranks = rankings.relevant.rank
    ranks -= 1


def assign(rankings: Rankings) -> None:
    rankings.relevant.grade[:1] = 3


def into(rankings: Rankings) -> None:
    np.multiply(rankings.precision, 2, out=rankings.precision)


def shuffle(rankings: Rankings) -> None:
    np.random.default_rng(1).shuffle(rankings.depth)


def fill(rankings: Rankings) -> None:
    rankings.relevant.column(LENGTH).fill(1)


def through_memory(rankings: Rankings) -> None:
    memoryview(rankings.precision)[0] = 1.0


@pytest.mark.parametrize(
    "change", [sort_ranks, count_from_0, assign, into, shuffle, fill, through_memory], ids=lambda f: f.__name__
)
def test_a_measure_that_changes_what_others_see_is_named(change: Callable[[Rankings], None]) -> None:
    class Changes(Measure):
        NAME = "Changes"

        def score(self, rankings: Rankings) -> Any:
            change(rankings)
            return np.zeros(len(rankings))

        def contributions(self, rankings: Rankings) -> Any:
            change(rankings)
            return {"contribution": np.zeros(len(rankings.relevant))}

    says = r"^The measure Changes tried to change an array that all measures share\. Work on a copy, such as ranks = ranks\.copy"
    with pytest.raises(PluginError, match=says):
        irmx.calc_aggregate([Changes(), "MP(model=GL_AD_ID)"], QRELS, RUN)
    with pytest.raises(PluginError, match=says):
        irmx.explain(Changes(), QRELS, RUN, "p")


ATTRIBUTES = [
    (
        "Rankings",
        (
            "cutoff",
            "rel",
            "judged_only",
            "ties",
            "topics",
            "depth",
            "precision",
            "recall_base",
            "relevant",
            "judged_grades",
        ),
    ),
    ("Rows", ("offsets", "rank", "grade", "doc_ids", "table", "count", "topic")),
]


@pytest.mark.parametrize("delete", [False, True])
@pytest.mark.parametrize(("of", "name"), [(of, name) for of, names in ATTRIBUTES for name in names])
def test_a_measure_that_sets_an_attribute_is_named(of: str, name: str, delete: bool) -> None:
    class Sets(Measure):
        NAME = "Sets"

        def score(self, rankings: Rankings) -> Any:
            seen = rankings if of == "Rankings" else rankings.relevant
            if delete:
                delattr(seen, name)
            else:
                setattr(seen, name, getattr(seen, name))
            return np.zeros(len(rankings))

    says = (
        rf"^The measure Sets tried to change {of}\.{name}, which all measures share\. Work on a variable of your own\.$"
    )
    with pytest.raises(PluginError, match=says):
        irmx.calc_aggregate([Sets(), "MP(model=GL_AD_ID)"], QRELS, RUN)


def test_a_measure_of_one_topic_that_changes_what_others_see_is_named() -> None:
    @irmx.measure(name="ChangesATopic")
    def changes(ranking: Ranking) -> float:
        """The mean rank, counted from 0."""
        ranks = ranking.relevant.rank
        ranks -= 1
        return float(ranks.mean())

    try:
        with pytest.raises(PluginError, match=r"ChangesATopic tried for query p to change an array .* Work on a copy"):
            irmx.calc_aggregate([changes, "MP(model=GL_AD_ID)"], QRELS, RUN)
    finally:
        irmx.registry().undefine("ChangesATopic")


class Pair(NamedTuple):
    name: str
    values: Any


@dataclass(frozen=True)
class Holds:
    values: Any
    pair: Pair


def test_what_is_shared_is_read_only_at_every_depth() -> None:
    own = np.ones(2)
    held = shared({"a": [Holds(own, Pair("b", (own, 1)))]})["a"][0]
    assert (held.values.flags.writeable, held.pair.values[0].flags.writeable, own.flags.writeable) == (
        False,
        False,
        True,
    )
    assert isinstance(held.pair, Pair)


@dataclass
class Unfinished:
    values: Any
    later: Any = field(init=False)


def test_what_holds_itself_and_fields_that_are_not_set_are_shared() -> None:
    own: list[Any] = [np.ones(2), Unfinished(np.ones(2))]
    own.append((own, {"own": own}))
    assert shared(own) is own
    assert not own[0].flags.writeable
    assert not own[1].values.flags.writeable
    assert own[2][0] is own[2][1]["own"] is own
