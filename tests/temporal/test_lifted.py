"""Lifted measures: the value for every cell is that of irmx.calc over the cell's rows of the qrels."""

from __future__ import annotations

import pickle
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP, P

import irmx
from irmx import DataError, UsageError
from irmx_temporal import IntentAware, TimeAware

MEASURES = [
    "AP", "AP@3", "P@2", "nDCG@4", "nDCG", "RR", "Rprec", "AP(rel=2)", "P(rel=2)@3", "MP(model=GL_AD_ID)", "MP(model=LO_AD_ID)@3",
    "NCP(law=uniform)", "NCP(law=uniform,judged_only=True)", "NCP(law=first,ties='run')", "MPcont(model=GL_AD_ID)",
]  # fmt: skip

ROWS = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from(["1", "2"]), st.sampled_from([-1, 0, 1, 2])),
    min_size=1,
    max_size=12,
)
WINDOWS = st.fixed_dictionaries({d: st.sampled_from(["t1", "t2"]) for d in "abcdef"})
RANKINGS = st.permutations("abcdefxyz").flatmap(lambda docs: st.integers(1, 9).map(lambda n: docs[:n]))


def tables(
    rows: list[tuple[str, str, int]], window: dict[str, str], docs: list[str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    qrels = pd.DataFrame(
        [("q", d, g, c, window[d]) for d, c, g in rows],
        columns=["query_id", "doc_id", "relevance", "iteration", "window"],
    )
    n = len(docs)
    run = pd.DataFrame(
        {
            "query_id": "q",
            "doc_id": docs,
            "score": [float(n - i) for i in range(n)],
            "dwell": [1.0 + i for i in range(n)],
        }
    )
    return qrels, run


def by_hand(texts: list[str], rel: int, qrels: pd.DataFrame, run: pd.DataFrame, temporal: bool) -> dict[str, float]:
    """The sum over cells of their weight and the value of each measure over the rows of the cell."""
    total = dict.fromkeys(texts, 0.0)
    relevant = qrels[qrels["relevance"] >= rel]
    subtopics = relevant["iteration"].unique()
    held = relevant.drop_duplicates("doc_id")["window"].value_counts(normalize=True)
    windows = {w: held[w] for w in held.index} if temporal else {None: 1.0}
    for window, share in windows.items():
        for subtopic in subtopics:
            of_cell = qrels["iteration"] == subtopic
            if window is not None:
                of_cell &= qrels["window"] == window
            cell = qrels[of_cell]
            if (cell["relevance"] >= rel).any():
                plain = cell.groupby(["query_id", "doc_id"], as_index=False)["relevance"].max()
                for text, value in zip(texts, irmx.calc_aggregate(texts, plain, run).values(), strict=True):
                    total[text] += share / len(subtopics) * value
    return total


@pytest.mark.filterwarnings("ignore:.*contradict each other")  # rows are drawn, or given, that do
@given(rows=ROWS, window=WINDOWS, docs=RANKINGS, explained=st.sampled_from(MEASURES))
def test_value(rows: Any, window: dict[str, str], docs: list[str], explained: str) -> None:
    qrels, run = tables(rows, window, docs)
    for kind, temporal in ((IntentAware, False), (TimeAware, True)):
        expected = {}
        for rel in (1, 2):
            texts = [text for text in MEASURES if irmx.parse_measure(text).params.get("rel", 1) == rel]
            expected |= {kind(text): value for text, value in by_hand(texts, rel, qrels, run, temporal).items()}
        found = irmx.calc_aggregate(list(expected), qrels, run)
        assert found == pytest.approx(expected, abs=1e-12)
        e = irmx.explain(kind(explained), qrels, run, "q")
        assert sum(e.columns["contribution"]) == pytest.approx(expected[kind(explained)], abs=1e-12)


def test_topics_are_kept_apart(ranked: Any) -> None:
    rows = [("p", "a", 1, "1"), ("q", "a", 1, "1"), ("q", "b", 1, "2"), ("r", "a", 1, "1"), ("s", "a", 0, "1")]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    run = {"q": {"x": 2.0, "b": 1.0}, "p": {"a": 1.0}, "s": {"a": 1.0}}
    for text in ("AP", "NCP(law=uniform)"):
        values = {m.query_id: m.value for m in irmx.iter_calc([IntentAware(text)], qrels, run)}
        assert values == {"p": 1, "q": 0.25, "r": 0, "s": 0}


def test_objects_and_texts_are_the_same() -> None:
    assert IntentAware(AP @ 20) == IntentAware(AP) @ 20 == irmx.parse_measure("IntentAware(measure='AP')@20")
    assert repr(IntentAware(AP) @ 20) == "IntentAware(measure='AP@20')"
    assert IntentAware(P @ 5, rel=2) == IntentAware(P(rel=2) @ 5)
    assert irmx.parse_measure(repr(TimeAware(P @ 5, rel=2, window="3mo"))) == TimeAware(P @ 5, rel=2, window="3mo")


@pytest.mark.parametrize("text", MEASURES)
def test_repr_and_pickle(text: str) -> None:
    for lifted in (IntentAware(text), TimeAware(text, window="1y", cells="nonempty")):
        assert irmx.parse_measure(repr(lifted)) == lifted
        again = pickle.loads(pickle.dumps(lifted))
        assert again == lifted
        qrels, run = tables([("a", "1", 2), ("b", "1", 2)], {"a": "t", "b": "t"}, ["a", "b", "c"])
        qrels = qrels.assign(timestamp=0.0)
        assert irmx.calc_aggregate(again, qrels, run) == irmx.calc_aggregate(lifted, qrels, run)


def test_a_column_of_the_lifted_measure_is_missing(frame: Any, ranked: Any) -> None:
    with pytest.raises(DataError, match=r"MPcont.*the run column 'dwell'"):
        irmx.calc_aggregate(IntentAware("MPcont(model=GL_AD_ID)"), frame(("a", "c")), ranked("a"))


def test_grades_that_are_not_whole(frame: Any, ranked: Any) -> None:
    qrels = frame(("a", "c", "w", 1.5))
    with pytest.raises(DataError, match=r"AP, a measure of ir_measures, takes integer grades only\. Found 1.5"):
        irmx.calc_aggregate(IntentAware(AP), qrels, ranked("a"))
    assert irmx.calc_aggregate(IntentAware("NCP(law=uniform)"), qrels, ranked("x", "a")) == pytest.approx(
        {IntentAware("NCP(law=uniform)"): 0.5}
    )


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: IntentAware("IA_P@5"), "must be a measure of relevance alone"),
        (
            lambda: IntentAware("alpha_nDCG@5"),
            r"a measure of relevance alone.*TimeAware\(measure='alpha_nDCG@5'\) lifts it over",
        ),
        (lambda: TimeAware("TIA_P@5"), "must be a measure of relevance alone. Got TIA_P@5 instead.$"),
        (
            lambda: TimeAware("alpha_nDCG@5", subtopics="one"),
            "alpha_nDCG@5 handles the subtopics in each window itself.*leave out subtopics",
        ),
        (lambda: TimeAware("alpha_nDCG@5", subtopic_weights="column"), "leave out subtopic_weights"),
        (lambda: IntentAware(3), "must be a measure, such as 'AP'"),
        (lambda: IntentAware("AP@5") @ 10, "cannot be cut off at 10"),
        (lambda: IntentAware("Rprec") @ 10, "cannot be cut off at 10"),
        (lambda: IntentAware("AP(rel=2)", rel=1), "has rel=1, but AP"),
        (lambda: IntentAware("NoSuch"), "NoSuch"),
    ],
)
def test_what_cannot_be_lifted(make: Any, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        make()


@pytest.mark.parametrize(
    ("text", "says"),
    [("IntentAware", "needs the parameter 'measure'"), ("IntentAware(measure='MP')", "MP needs the parameter 'model'")],
)
def test_what_is_left_out(text: str, says: str, frame: Any, ranked: Any) -> None:
    with pytest.raises(UsageError, match=says):
        irmx.calc_aggregate(text, frame(("a", "c")), ranked("a"))


def test_a_measure_that_is_not_computed_here(frame: Any, ranked: Any) -> None:
    with pytest.raises(UsageError, match="BPM"):
        irmx.calc_aggregate(IntentAware("BPM(max_rel=1)"), frame(("a", "c")), ranked("a"))


def test_err_is_lifted(frame: Any, ranked: Any) -> None:
    """ERR by hand: a document of grade 1 stops a user with probability 1/16, at rank 1 for one subtopic, 3 for the other."""
    qrels = frame(("a", "1"), ("c", "2"), ("unseen", "2"))
    [value] = irmx.calc_aggregate("IntentAware(measure='ERR@5')", qrels, ranked("a", "b", "c")).values()
    assert value == pytest.approx((1 / 16 + 1 / 48) / 2, abs=1e-5)
    [value] = irmx.calc_aggregate("IntentAware(measure='ERR')", frame(("a", "1", "w", 5)), ranked("a")).values()
    assert value == 31 / 32
