"""Bad input: what was asked, what was found, where, and what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import irmx
from irmx import DataError, UsageError


def fails(text: str, qrels: Any, run: Any, says: str) -> None:
    with pytest.raises(DataError, match=says):
        irmx.calc_aggregate(text, qrels, run)


DATES: list[tuple[list[Any], str]] = [
    (["2014-03-01", "yesterday"], "The timestamp 'yesterday' of the qrels is not a date: query q, row 2 of the topic.*2014-03-01T12:30:00Z"),
    (["2014-03-01", "2014-13-01"], "'2014-13-01' of the qrels is not a date"),
    ([1393632000, 1393632000123], "The timestamp 1393632000123 of query q in row 2 of the topic is not a date within the years 1 to 9999.*divide milliseconds by 1000"),
    ([1914, 1915], "The timestamp 1914 of query q in row 1 of the topic looks like a year.*write years and days as strings, such as 1914-01-01"),
    ([0, 1914, 1915], "The timestamp 1914 of query q in row 2"),
    ([np.nan, 1914], "The timestamp 1914 of query q in row 2"),
    ([19140728, 19150507], "The timestamp 19140728 of query q in row 1 of the topic looks like a day written YYYYMMDD"),
    ([1914, 19150507], "looks like a year"),
    ([0, 1914], "The timestamp 1914 of query q in row 2 of the topic looks like a year"),
]  # fmt: skip
ONE, TWO = [("a", "1")], [("a", "1"), ("b", "1")]
WEIGHTS: list[tuple[list[Any], str]] = [
    ([0.5, 0.4], "must add up to 1, to within 1e-06. They add up to 0.9"),
    ([0.5, 0.500002], "must add up to 1"),
    ([1.5, -0.5], "the negative weight -0.5 for 'B' of query q"),
    ([1.0, np.nan], "no value for 'B' of query q"),
    (["much", "little"], "must hold numbers. Found 'much'"),
]


@pytest.mark.parametrize(
    ("text", "rows", "columns", "says"),  # a column that is Ellipsis is left out
    [
        *(("IA_P@5", TWO, {"iteration": label}, r"IA_P@5: the qrels have no subtopics: their column 'iteration' (holds|is empty).*use qrels with")
          for label in ("0", 0, "Q0", "", None)),
        ("IA_P@5", TWO, {"iteration": ...}, "the qrels column 'iteration', subtopic or nugget id, is missing.*diversity track"),
        ("IA_P@5", [("a", "1"), ("b", None)], {}, "no subtopic for query q, a relevant document in row 2 of the topic"),
        ("TIA_P@5", ONE, {"window": ...}, r"the qrels column 'window'.*is missing.*cut windows from the dates in 'timestamp' with the parameter window"),
        ("TIA_P(window='1d')@5", ONE, {}, r"the qrels column 'timestamp'.*is missing.*irmx.collections.judgments\(id, columns=\['timestamp'\]\)"),
        ("TIA_P@5", [("a", "1", "t"), ("b", "1", None)], {}, "'window' has no window for query q, a relevant document in row 2"),
        ("TIA_P(window='1d')@5", TWO, {"timestamp": np.nan}, "'timestamp' has no date for query q, a relevant document in row 1"),
        *((measure, [("a", "A", "A"), ("b", "B", "B")], {column: weights}, f"{column}.*{says}")
          for column, measure in (("subtopic_weight", "IA_P@5"), ("window_weight", "TIA_P@5")) for weights, says in WEIGHTS),
        ("IA_P@5", [("a", "A"), ("b", "A")], {"subtopic_weight": [1.0, 0.5]}, "two values for 'A' of query q: 1 and 0.5"),
        *((f"TIA_P({name}_weights='column')@5", ONE, {}, f"the qrels column '{name}_weight'.*is missing") for name in ("subtopic", "window")),
        ("TIA_P@5", [("a", "1", "t"), ("b", "1", "t"), ("a", "2", "u")], {},
         "has two windows in the qrels column 'window': compare row 1 of the topic with row 3"),
        ("TIA_P(window='1d')@5", [("a", "1"), ("a", "2")], {"timestamp": [0.0, 1.0]}, "has two dates in the qrels column 'timestamp'"),
        *((f"TIA_P(window={window!r})@5", [(doc, "1") for doc in "abc"[: len(dates)]], {"timestamp": dates}, says)
          for window in ("1d", "6h", "burst") for dates, says in DATES),
    ],
)  # fmt: skip
def test_qrels(text: str, rows: Any, columns: dict[str, Any], says: str, frame: Any, ranked: Any) -> None:
    given = {name: cells for name, cells in columns.items() if cells is not ...}
    fails(text, frame(*rows, **given).drop(columns=columns.keys() - given.keys()), ranked("a"), says)


@pytest.mark.parametrize("window", ["1d", "6h", "burst"])
def test_relevant_documents_without_a_date_are_counted_and_in_no_window(frame: Any, ranked: Any, window: str) -> None:
    qrels = frame(("a", "1"), ("b", "1"), ("b", "2"), ("c", "2")).assign(timestamp=[0.0, np.nan, np.nan, 90000.0])
    dated = qrels[qrels["doc_id"] != "b"]
    for name in ("TIA_P", "TIA_AP", "TIA_nDCG", "TIA_ERR"):
        measure = f"{name}(window='{window}')@5"
        with pytest.warns(
            irmx.DataWarning, match="1 of 3 relevant documents have no date.*query q, row 2 of the topic"
        ):
            found = irmx.calc_aggregate(measure, qrels, ranked("b", "a", "c"))
        assert found == irmx.calc_aggregate(measure, dated, ranked("b", "a", "c"))
        assert sum(found.values()) > 0


def test_qrels_without_subtopics_are_taken_for_one_when_asked(frame: Any, ranked: Any) -> None:
    plain = frame(("a", "0"), ("b", "0"), ("c", "0")).assign(timestamp=[0.0, 90000.0, 91000.0])
    run = ranked("b", "x", "a")
    for name in ("TIA_P", "TIA_AP", "TIA_nDCG", "TIA_ERR", "T_StRecall", "TIA_StRecall"):
        fails(f"{name}(window='1d')@3", plain, run, "the qrels have no subtopics.*subtopics='one'")
        one = irmx.calc_aggregate(f"{name}(window='1d',subtopics='one')@3", plain, run)
        labelled = irmx.calc_aggregate(f"{name}(window='1d')@3", plain.assign(iteration="all"), run)
        assert list(one.values()) == list(labelled.values())
        without = irmx.calc_aggregate(f"{name}(window='1d',subtopics='one')@3", plain.drop(columns="iteration"), run)
        assert without == one
    lifted = irmx.calc_aggregate("TimeAware(measure='P@3',window='1d',subtopics='one')", plain, run)
    assert list(lifted.values()) == list(
        irmx.calc_aggregate("TIA_P(window='1d',subtopics='one')@3", plain, run).values()
    )


def test_years_and_days_as_texts_are_dates(frame: Any, ranked: Any) -> None:
    """What the message advises: texts, and whole numbers made texts in pandas, missing ones too."""
    qrels, run = frame(("a", "1"), ("b", "1"), ("n", "1", "w", 0)), ranked("a", "x")
    whole = pd.Series([1914, 19150507, None])
    for dates in (["1914-01-01", "1915-05-07", None], ["1914", "19150507", ""], whole.astype("Int64").astype("string")):
        found = irmx.calc_aggregate(
            "TIA_P(window='1y')@1 T_StRecall(window='1mo')@1", qrels.assign(timestamp=dates), run
        )
        assert list(found.values()) == pytest.approx([0.5, 2 / 3])


def test_seconds_near_1970_stay_seconds(frame: Any, ranked: Any) -> None:
    qrels = frame(("a", "1"), ("b", "1"), ("c", "1")).assign(timestamp=[0, 1800, 90000])
    found = irmx.calc_aggregate("T_StRecall(window='1d')@1", qrels, ranked("b"))
    assert list(found.values()) == pytest.approx([2 / 3])


def test_the_weights_of_each_topic_are_checked(frame: Any, ranked: Any) -> None:
    good = frame(("a", "A"), ("c", "B"), subtopic_weight=[0.5, 0.5])
    wrong = frame(("b", "A"), subtopic_weight=[0.9]).assign(query_id="r")
    fails(
        "IA_P@5",
        pd.concat([good, wrong]),
        {"q": {"a": 1.0}, "r": {"b": 1.0}},
        "of query r must add up to 1.*They add up to 0.9",
    )


def test_weights_within_the_tolerance(frame: Any, ranked: Any) -> None:
    qrels = frame(("a", "A"), ("b", "B"), subtopic_weight=[0.5, 0.5000005])
    assert irmx.calc_aggregate("IA_P@1", qrels, ranked("a")) == {irmx.IA_P @ 1: 0.5}


def test_a_document_of_two_topics_may_have_two_windows(ranked: Any) -> None:
    qrels = pd.DataFrame(
        [("q", "a", 1, "1", "t"), ("r", "a", 1, "1", "u")],
        columns=["query_id", "doc_id", "relevance", "iteration", "window"],
    )
    assert irmx.calc_aggregate("TIA_P@1", qrels, {"q": {"a": 1.0}, "r": {"a": 1.0}}) == {irmx.TIA_P @ 1: 1.0}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("TIA_StRecall(a=1.5)", r"'a' parameter of TIA_StRecall must be a float in the range \[0, 1\]. Got 1.5"),
        ("TIA_StRecall(a=-0.1)", "Got -0.1"),
        ("Dsharp_nDCG(gamma=2)", "'gamma' parameter of Dsharp_nDCG"),
        ("TIA_P(window='0d')", "'window' parameter of TIA_P must be a period of the calendar.*Got '0d'"),
        ("TIA_P(window='3 parsecs')", "Got '3 parsecs'"),
        ("TIA_P(window='-1d')", "Got '-1d'"),
        ("TIA_P(window=0)", "Got 0"),
        ("TIA_P(window='-1y')", "Got '-1y'"),
        ("TIA_P(window='+1y')", r"Got '\+1y'"),
        ("TIA_P(window='-3 parsecs')", "Got '-3 parsecs'"),
        ("TIA_P(window='1000000w')", "of at most 9999 years.*Got '1000000w'"),
        ("TIA_P(window='10000y')", "Got '10000y'"),
        (f"TIA_P(window='{'9' * 5000}mo')", "Got '9999"),
        ("TIA_P(window='1e18')", "Got '1e18'"),
        ("TIA_P(window='1M')", r"'1mo' \(a month; '1m' is a minute\).*Got '1M'"),
        ("TIA_P(window='1d',tz='Mars/Olympus')", "'tz' parameter must be the name of a time zone.*Got 'Mars/Olympus'"),
        ("TIA_P(window='burst',window_weights='column')", "window='burst' takes no weights from a column"),
        ("TIA_P(cells='some')", "'cells' parameter"),
        ("TIA_ERR(err='paper')", "'err' parameter"),
        ("TIA_ERR(subtopics_in_window='counted')", r"P\(c\|q,t\) with err='text' and err='mixed' only"),
        ("TIA_ERR(err='text',stop='window')", "relevance in any window"),
        ("IA_ERR(stop='window')", "'stop' parameter"),
        ("IA_ERR(stop='always')", "'stop' parameter"),
        ("IA_P(subtopic_weights='given')", "'subtopic_weights' parameter"),
    ],
)  # fmt: skip
def test_parameters(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        irmx.parse_measure(text)
