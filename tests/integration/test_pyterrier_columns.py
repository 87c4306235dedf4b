"""The transformers that give columns to results, and qrels with columns."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

import irmx
from irmx.pt import column, qrels

TIME: Any = {"name": "timestamp", "form": "date"}

RESULTS = pd.DataFrame(
    [("q2", "b", 3.0, 0), ("q1", "a", 2.0, 0), ("q1", "b", 1.0, 1)],
    columns=["qid", "docno", "score", "rank"],
    index=[7, 7, 2],
)
VALUES = {"a": 1.5, "b": 2.5, "unused": 9.0}


def of_two(doc: str) -> float | None:
    return {"a": 1.5, "b": 2.5}.get(doc)


SOURCES: dict[str, Any] = {
    "dict": VALUES,
    "Series": pd.Series(VALUES),
    "DataFrame": pd.DataFrame({"docno": ["a", "b"], "dwell": [1.5, 2.5]}),
    "DataFrame of ir_measures": pd.DataFrame({"doc_id": ["a", "b", "b"], "dwell": [1.5, 2.5, 2.5]}),
    "function": of_two,
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_every_source_gives_the_column_and_leaves_the_rest_pickled_too(source: Any) -> None:
    before, made = RESULTS.copy(), column("dwell", source)
    for transformer in (made, pickle.loads(pickle.dumps(made))):
        found = transformer(RESULTS)
        assert found["dwell"].tolist() == [2.5, 1.5, 2.5]
        pd.testing.assert_frame_equal(found.drop(columns="dwell"), before)
    pd.testing.assert_frame_equal(RESULTS, before)
    assert pt.inspect.transformer_inputs(made) == [["docno"]]
    assert pt.inspect.transformer_outputs(made, ["qid", "docno"]) == ["qid", "docno", "dwell"]
    with pytest.raises(pt.validate.InputValidationError, match="docno"):
        made(RESULTS[["qid"]])
    assert made(RESULTS.iloc[:0]).columns.tolist() == [*RESULTS.columns, "dwell"]
    assert repr(made) == "irmx.column('dwell')"


def test_a_column_that_is_there_is_replaced() -> None:
    assert column("score", VALUES)(RESULTS).columns.tolist() == RESULTS.columns.tolist()
    assert column("score", VALUES)(RESULTS)["score"].tolist() == [2.5, 1.5, 2.5]


@pytest.mark.parametrize("nothing", [None, np.nan, pd.NaT, ""])
@pytest.mark.parametrize("kind", ["dict", "Series", "DataFrame", "function"])
def test_documents_without_a_value(nothing: Any, kind: str) -> None:
    known = {"a": "image", "b": nothing}
    source: Any = {
        "dict": known,
        "Series": pd.Series(known, dtype=object),
        "DataFrame": pd.DataFrame({"docno": list(known), "vertical": pd.Series(list(known.values()), dtype=object)}),
        "function": known.get,
    }[kind]
    with pytest.raises(irmx.DataError, match=r"1 of 2 retrieved documents have no 'vertical', such as 'b'. Give them"):
        column("vertical", source)(RESULTS)
    assert column("vertical", source, default="web")(RESULTS)["vertical"].tolist() == ["web", "image", "web"]
    assert column("vertical", source, missing="empty")(RESULTS)["vertical"].isna().tolist() == [True, False, True]
    assert column("vertical", {"a": "image", "b": "web"})(RESULTS)["vertical"].tolist() == ["web", "image", "web"]


def test_wrong_requests() -> None:
    with pytest.raises(irmx.UsageError, match=r"'missing' must be 'raise' or 'empty'. Got 'drop'"):
        column("vertical", {}, missing="drop")  # type: ignore[arg-type]
    with pytest.raises(irmx.UsageError, match="'default' and 'missing' were given"):
        column("vertical", {}, default="web", missing="empty")
    with pytest.raises(irmx.UsageError, match=r"a dict, a Series by docno, .* Got int instead"):
        column("dwell", 3)
    with pytest.raises(irmx.DataError, match=r"lacks the column 'dwell'. It has: docno"):
        column("dwell", pd.DataFrame({"docno": ["a"]}))
    with pytest.raises(irmx.DataError, match=r"lacks the column 'docno'. It has: dwell"):
        column("dwell", pd.DataFrame({"dwell": [1.0]}))
    with pytest.raises(irmx.DataError, match=r"'a' has more than one 'dwell': \[1.0, 2.0\]"):
        column("dwell", pd.DataFrame({"docno": ["a", "a"], "dwell": [1.0, 2.0]}))
    with pytest.raises(
        irmx.UsageError, match="'field' names a column of a DataFrame of documents; the source is a dict"
    ):
        column("timestamp", {"a": 1.0}, field="date")


# -- dates -----------------------------------------------------------------------------------------------------------

NOON, MIDNIGHT = 1714564800.0, 1714608000.0


@pytest.mark.parametrize(
    "dates",
    [
        ["2024-05-01T12:00:00Z", "2024-05-02"],
        [NOON, MIDNIGHT],
        [int(NOON), int(MIDNIGHT)],
        pd.to_datetime(["2024-05-01T12:00:00Z", "2024-05-02T00:00:00Z"]),
        pd.to_datetime(["2024-05-01T12:00:00", "2024-05-02T00:00:00"]),
    ],
    ids=["texts", "floats", "ints", "UTC", "naive"],
)
@pytest.mark.parametrize("field", ["timestamp", "date", "published"])
def test_dates_of_a_table_of_documents(dates: Any, field: str) -> None:
    documents = pd.DataFrame({"docno": ["a", "b"], field: dates})
    assert column(source=documents, field=field, **TIME)(RESULTS)["timestamp"].tolist() == [MIDNIGHT, NOON, MIDNIGHT]


DATES = {"a": "2024-05-01T12:00:00Z", "b": MIDNIGHT}


@pytest.mark.parametrize("source", [DATES, pd.Series(DATES), DATES.get], ids=["dict", "Series", "function"])
def test_dates_by_document(source: Any) -> None:
    assert column(source=source, **TIME)(RESULTS)["timestamp"].tolist() == [MIDNIGHT, NOON, MIDNIGHT]


def dated_table(*dates: Any) -> pd.DataFrame:
    return pd.DataFrame({"docno": ["a", "b"], "date": dates})


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (dated_table("2024-05-02", None), "have no 'timestamp', such as 'b'"),
        (dated_table("2024-05-02", "soon"), "The 'date' of the document 'b' is 'soon', which is not of the form date: it is not"),
        *((kind, "The 'timestamp' of the document 'b' is 'soon', which is not of the form date") for kind in ({"b": "soon"}, lambda doc: "soon")),
        (dated_table(1914, 1915), "The 'date' 1914 of the document 'a' looks like a year"),
        ({"a": "1914-07-28", "b": 19150507}, "The 'timestamp' 19150507 of the document 'b' looks like a day written YYYYMMDD"),
        ({"a": MIDNIGHT, "b": 1000 * MIDNIGHT}.get, "1714608000000 of the document 'b' is not a date.*divide milliseconds by 1000"),
    ],
)  # fmt: skip
def test_what_is_no_date_is_refused(source: Any, says: str) -> None:
    with pytest.raises(irmx.DataError, match=says):
        column(source=source, field="date" if isinstance(source, pd.DataFrame) else None, **TIME)(RESULTS)


def test_a_date_that_is_missing_has_the_default() -> None:
    made = column(source=dated_table("2024-05-02", None), field="date", default=0.0, **TIME)
    assert made(RESULTS)["timestamp"].tolist() == [0.0, MIDNIGHT, 0.0]


class Article(NamedTuple):
    doc_id: str
    date: str


@pytest.fixture
def dated(register: Any, kept: Any, folder: Path) -> str:
    """The id of a dataset whose documents have dates: of c none, of b a year."""
    documents = [Article("a", "2024-05-02"), Article("b", "2024"), Article("c", "")]
    return register("cord19/for-pyterrier", kept(folder, documents), "q1 s1 a 1\nq1 s2 a 2\nq2 s1 b 1\nq1 s1 b 0\n")


def results(*docs: str) -> pd.DataFrame:
    return pt.new.ranked_documents([[-float(i) for i, _ in enumerate(docs)]], docno=[list(docs)], qid=["q1"])


OF_YEAR = "Of 2 retrieved documents of 'cord19/for-pyterrier', 1 have as field 'date' a date without a day"


@pytest.mark.parametrize("kind", ["id", "id with irds:", "dataset of PyTerrier", "dataset of ir_datasets"])
def test_dates_of_the_documents_of_a_dataset(dated: str, kind: str) -> None:
    import ir_datasets

    source: Any = {
        "id": lambda: dated,
        "id with irds:": lambda: f"irds:{dated}",
        "dataset of PyTerrier": lambda: pt.get_dataset(f"irds:{dated}"),
        "dataset of ir_datasets": lambda: ir_datasets.load(dated),
    }[kind]()
    made = (
        pickle.loads(pickle.dumps(column("timestamp", source)))
        if isinstance(source, str)
        else column("timestamp", source)
    )
    with pytest.warns(irmx.DataWarning, match=OF_YEAR):
        found = made(results("b", "a"))
    assert found["timestamp"].tolist() == [1704067200.0, MIDNIGHT]
    assert made(results("b")[:0])["timestamp"].tolist() == []


def test_documents_of_a_dataset_without_a_date(dated: str) -> None:
    said = (
        "Of 2 retrieved documents of 'cord19/for-pyterrier', 1 have no 'timestamp': 1 with nothing in the field 'date'"
    )
    with (
        pytest.warns(irmx.DataWarning, match=said),
        pytest.raises(irmx.DataError, match="1 of 2 retrieved documents have no 'timestamp', such as 'c'"),
    ):
        column("timestamp", dated)(results("a", "c"))
    with pytest.warns(irmx.DataWarning, match=said):
        assert column("timestamp", dated, missing="empty")(results("a", "c"))["timestamp"].isna().tolist() == [
            False,
            True,
        ]


def test_a_dataset_that_cannot_give_dates_is_refused_before_anything_is_retrieved() -> None:
    with pytest.raises(irmx.DataError, match="'vaswani' has no 'timestamp'"):
        column("timestamp", "irds:vaswani")
    with pytest.raises(irmx.DataError, match=r"'vaswany' is neither .* Did you mean vaswani"):
        column("timestamp", "vaswany")
    with pytest.raises(irmx.UsageError, match="the source is a dataset"):
        column("timestamp", "irds:vaswani", field="date")
    with pytest.raises(irmx.UsageError, match="the fields of a dataset have declared forms"):
        column("timestamp", "irds:cord19/trec-covid", form="date")


# -- qrels -----------------------------------------------------------------------------------------------------------

ROWS = [("q1", "a", 2, "s1", 5.0), ("q1", "a", 1, "s2", 5.0), ("q1", "b", 0, "s1", 6.0), ("q2", "b", 1, "s1", 6.0)]
GIVEN = pd.DataFrame(ROWS, columns=["query_id", "doc_id", "relevance", "subtopic_id", "timestamp"])


def test_qrels_have_the_names_of_pyterrier_and_all_columns(tmp_path: Path) -> None:
    GIVEN.to_csv(tmp_path / "qrels.csv", index=False)
    expected = pd.DataFrame(
        [("q1", "b", 0, "s1", 6.0), ("q1", "a", 1, "s2", 5.0), ("q1", "a", 2, "s1", 5.0), ("q2", "b", 1, "s1", 6.0)],
        columns=["qid", "docno", "label", "iteration", "timestamp"],
    )
    for source in (GIVEN, str(tmp_path / "qrels.csv"), tmp_path / "qrels.csv", irmx.read_qrels(GIVEN)):
        pd.testing.assert_frame_equal(qrels(source), expected)


def test_one_column_of_qrels_may_be_named_by_itself() -> None:
    pd.testing.assert_frame_equal(qrels(GIVEN, columns="timestamp"), qrels(GIVEN))
    with pytest.raises(irmx.DataError, match=r"The qrels lack the column 'vertical'. They have: query_id"):
        qrels(GIVEN, columns="vertical")


def test_qrels_of_other_kinds() -> None:
    found = qrels({"q1": {"a": 1, "b": 0}, "q2": {"c": 0.5}})
    assert found.to_dict("list") == {"qid": ["q1", "q1", "q2"], "docno": ["b", "a", "c"], "label": [0.0, 1.0, 0.5]}
    numbers = pd.DataFrame([(1, 20, 1)], columns=["qid", "docno", "label"])
    assert qrels(numbers).to_dict("list") == {"qid": ["1"], "docno": ["20"], "label": [1]}
    declared = pd.DataFrame([("q1", "", 0, "s3")], columns=["qid", "docno", "label", "iteration"])
    assert qrels(declared).to_dict("list") == {"qid": ["q1"], "docno": [""], "label": [0], "iteration": ["s3"]}


def test_measures_that_keep_the_last_row_see_the_largest_grade() -> None:
    from pyterrier.measures import AP, P

    run = results("b", "a")
    judged = pd.DataFrame([("q1", "a", 1, "s1"), ("q1", "a", 0, "s2")], columns=["qid", "docno", "label", "iteration"])
    assert pt.Evaluate(run, judged, [AP, P @ 2]) == {"AP": 0.0, "P@2": 0.0}
    assert pt.Evaluate(run, qrels(judged), [AP, P @ 2]) == {"AP": 0.5, "P@2": 0.5}


def test_qrels_of_a_dataset_with_dates_of_its_documents(dated: str) -> None:
    plain = qrels(pt.get_dataset(f"irds:{dated}"))
    assert plain.columns.tolist() == ["qid", "docno", "label", "iteration"]
    with pytest.warns(irmx.DataWarning, match="Of 2 judged documents of 'cord19/for-pyterrier', 1 have as field"):
        found = qrels(f"irds:{dated}", ["timestamp"])
    assert found["timestamp"].tolist() == [1704067200.0, MIDNIGHT, MIDNIGHT, 1704067200.0]
    with pytest.raises(irmx.DataError, match=f"{dated!r} has no 'vertical'"):
        qrels(dated, ["vertical"])
    with pytest.raises(
        irmx.DataError, match=r"The qrels lack the column 'vertical'. They have: query_id, doc_id, relevance."
    ):
        qrels({"q1": {"a": 1}}, ["vertical"])
