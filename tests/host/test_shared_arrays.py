"""No measure changes what another sees: what measures share is read-only, and the error says what to do."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import irmx
from irmx import Column, Measure, PluginError, Ranking, Rankings, Rows
from irmx.ragged import shared

LENGTH, KIND = Column("run", "length", "words"), Column("run", "kind", "what it is", dtype="str")
WEIGHT, SUBTOPIC = Column("qrels", "weight", "of the row"), Column("qrels", "iteration", "subtopic", dtype="str")
QRELS = pd.DataFrame(
    [("p", "a", 1, "1", 0.5), ("p", "b", 0, "1", 0.5), ("p", "c", 2, "2", 0.25), ("q", "a", 1, "1", 1.0)],
    columns=["query_id", "doc_id", "relevance", "iteration", "weight"],
)
RUN = pd.DataFrame(
    [("p", "c", 4.0, 10.0, "x"), ("p", "x", 3.0, 20.0, "y"), ("p", "a", 2.0, 30.0, "x"), ("q", "a", 1.0, 5.0, "y")],
    columns=["query_id", "doc_id", "score", "length", "kind"],
)
ROWS = ("relevant", "judged", "ranked", "run_rows", "qrels_rows")
OF_ROWS = ("offsets", "topic", "ordinal", "count", "row", "rank", "grade", "score", "doc", "declares")


def views() -> Iterator[tuple[irmx.Join, Rankings]]:
    for options in ({}, {"cutoff": 2}, {"judged_only": True}, {"ties": "run", "rel": 2}):
        join = irmx.Join(irmx.read_run(RUN), irmx.read_qrels(QRELS))
        rankings = irmx.Rankings(join, **options)  # type: ignore[arg-type]
        label = rankings.qrels_rows.labels(SUBTOPIC)[0]
        parts = rankings.per_subtopic(np.where(rankings.qrels_rows.topic == 0, label, -1), 2)
        yield from ((join, some) for some in (rankings, parts))


def rows_of(rankings: Rankings) -> Iterator[tuple[Rows, Column, Column]]:
    for rows in (getattr(rankings, name) for name in ROWS):
        columns = (LENGTH, KIND) if rows.table == "run" else (WEIGHT, SUBTOPIC)
        yield from ((some, *columns) for some in (rows, rows.where(rows.ordinal > 0), rows.of_topic(0)))


def arrays(rankings: Rankings) -> Iterator[Any]:
    """Every array that a measure can reach, but for those that it makes itself."""
    yield from (rankings.depth, rankings.recall_base, rankings.judged_nonrelevant, rankings.precision)
    yield from (*rankings.judged_grades, *rankings.matching_rows())
    for ranking in rankings:
        yield from (ranking.precision, ranking.judged_grades)
    for rows, column, labels in rows_of(rankings):
        yield from (*(getattr(rows, name) for name in OF_ROWS), rows.column(column), rows.labels(labels)[0])


def test_nothing_that_a_measure_reaches_can_be_written_or_sorted() -> None:
    """Labels are kept with the qrels: sorted in place they would be those of other rows, for every later run."""
    for join, seen in views():
        memos = (seen.memo("key", lambda: np.ones(3)), seen.qrels_memo("key", lambda: (1, [np.ones(3)]))[1][0])
        for array in (*arrays(seen), *memos, join.judgments.grade, join.judgments.offsets, join.run.score):
            for through in (array, array[:1], np.asarray(array.base)):
                assert not through.flags.writeable
                with pytest.raises(ValueError, match="cannot set WRITEABLE flag"):
                    through.flags.writeable = True
        assert isinstance(seen.topics, tuple)
        for rows, _, labels in rows_of(seen):
            assert (type(rows.doc_ids), type(rows.labels(labels)[1])) == (tuple, tuple)


@pytest.mark.filterwarnings("ignore:Setting:DeprecationWarning")
def test_a_new_shape_or_type_of_an_array_is_that_of_a_view() -> None:
    _, rankings = next(views())
    before = [array.tolist() for array in arrays(rankings)]
    for array in arrays(rankings):
        array.dtype = "int8"
        array.shape = (-1, 1)
    np.testing.assert_equal([array.tolist() for array in arrays(rankings)], before)


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_arrays_of_the_user_stay_as_they_are(order: Any) -> None:
    """Data frames whose columns are arrays that irmx reads without a copy."""
    numbers = np.array([[4.0, 3.0, 2.0, 1.0], [10.0, 20.0, 30.0, 5.0]], order=order)
    columns = {"query_id": list("pppq"), "doc_id": list("cxaa"), "score": numbers[0], "length": numbers[1]}
    run = pd.DataFrame(columns, copy=False)
    rankings = irmx.Rankings(irmx.Join(irmx.read_run(run), irmx.read_qrels(QRELS)))
    assert (rankings.relevant.column(LENGTH).tolist(), len(rankings.run_rows.score)) == ([10, 30, 5], 4)
    assert numbers.flags.writeable
    run.loc[0, "score"] = 5.0


def count_from_0(rankings: Rankings) -> None:
    ranks = rankings.relevant.rank
    ranks -= 1


CHANGES: dict[str, Callable[[Rankings], Any]] = {
    "sort": lambda rankings: rankings.relevant.rank.sort(),
    "count from 0": count_from_0,
    "assign": lambda rankings: rankings.relevant.grade.__setitem__(slice(1), 3),
    "out": lambda rankings: np.multiply(rankings.precision, 2, out=rankings.precision),
    "shuffle": lambda rankings: np.random.default_rng(1).shuffle(rankings.depth),
    "fill": lambda rankings: rankings.relevant.column(LENGTH).fill(1),
    "memory": lambda rankings: memoryview(rankings.precision).__setitem__(0, 1.0),
}
ATTRIBUTES = {
    "Rankings": "cutoff rel judged_only ties topics depth precision recall_base relevant judged_grades",
    "Rows": "offsets rank grade doc_ids table count topic",
}


class Changes(Measure):
    """A measure that changes what it sees."""

    NAME = "Changes"
    change: Any = None

    def score(self, rankings: Rankings) -> Any:
        self.change(rankings)
        return np.zeros(len(rankings))

    def contributions(self, rankings: Rankings) -> Any:
        self.change(rankings)
        return {"contribution": np.zeros(len(rankings.relevant))}


def assert_named(change: Callable[[Rankings], Any], says: str) -> None:
    measure = type("Changes", (Changes,), {"change": staticmethod(change)})()
    with pytest.raises(PluginError, match=f"^The measure Changes tried to change {says}"):
        irmx.calc_aggregate([measure, "MP(model=GL_AD_ID)"], QRELS, RUN)
    with pytest.raises(PluginError, match=f"^The measure Changes tried to change {says}"):
        irmx.explain(measure, QRELS, RUN, "p")


@pytest.mark.parametrize("change", CHANGES)
def test_a_measure_that_changes_what_others_see_is_named(change: str) -> None:
    assert_named(CHANGES[change], r"an array that all measures share\. Work on a copy")


@pytest.mark.parametrize("of", ATTRIBUTES)
def test_a_measure_that_sets_or_deletes_an_attribute_is_named(of: str) -> None:
    def seen(rankings: Rankings) -> Any:
        return rankings if of == "Rankings" else rankings.relevant

    for name in ATTRIBUTES[of].split():
        says = rf"{of}\.{name}, which all measures share\. Work on a variable of your own"
        assert_named(lambda rankings, name=name: setattr(seen(rankings), name, 1), says)  # type: ignore[misc]
        assert_named(lambda rankings, name=name: delattr(seen(rankings), name), says)  # type: ignore[misc]


def test_a_measure_of_one_topic_that_changes_what_others_see_is_named() -> None:
    @irmx.measure
    def ChangesATopic(ranking: Ranking) -> float:
        """The mean rank, counted from 0."""
        ranks = ranking.relevant.rank
        ranks -= 1
        return float(ranks.mean())

    with pytest.raises(PluginError, match=r"ChangesATopic tried for query p to change an array .* Work on a copy"):
        irmx.calc_aggregate([ChangesATopic, "MP(model=GL_AD_ID)"], QRELS, RUN)


class Pair(NamedTuple):
    name: str
    values: Any


@dataclass
class Holds:
    values: Any
    later: Any = field(init=False)


def test_what_is_shared_is_read_only_at_every_depth() -> None:
    """Also what holds itself, and fields that are not set."""
    own = np.ones(2)
    held = shared({"a": [Holds(own), Pair("b", (own, 1))]})["a"]
    assert (type(held[1]), held[0].values.flags.writeable, held[1].values[0].flags.writeable) == (Pair, False, False)
    assert own.flags.writeable
    circle: list[Any] = [np.ones(2)]
    circle.append((circle, {"own": circle}))
    assert shared(circle) is circle[1][0] is circle[1][1]["own"]
    assert not circle[0].flags.writeable
