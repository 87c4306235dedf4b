"""What a number is when it is written as text: one rule in every format, in data frames, in dicts and in tables of other columns."""

from __future__ import annotations

import json
from datetime import date, datetime, time
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import irmx
from irmx import Column, DataError

NUMBERS = {
    "3": 3,
    "+3": 3,
    "-2.5": -2.5,
    ".5": 0.5,
    "5.": 5,
    "1e5": 1e5,
    "1E-5": 1e-5,
    "007": 7,
    "9007199254740993": 2.0**53,
}
WRONG = {
    "1_000": "is not a number", "0x10": "is not a number", "0X1F": "is not a number", "0b1": "is not a number",
    "true": "is not a number", "False": "is not a number", "2020-01-01": "is not a number", "12:00": "is not a number",
    "2020-01-01T12:00:00Z": "is not a number", "\N{FULLWIDTH DIGIT ONE}\N{FULLWIDTH DIGIT TWO}": "is not a number",
    "\N{ARABIC-INDIC DIGIT ONE}": "is not a number", "3f": "is not a number", "1.2.3": "is not a number", "two": "is not a number",
    "1e400": "is too large for a 64-bit float", "-inf": "is infinite", "Infinity": "is infinite",
}  # fmt: skip
STAMP = Column("run", "stamp", "when")


def written(folder: Path, form: str, text: str, table: str = "run", extra: str | None = None) -> Path:
    """Write a table of two rows in some format; the second has the number, or the extra cell."""
    number = {"run": "score", "qrels": "relevance"}[table]
    rows = [{"query_id": "q", "doc_id": "a", number: "1"}, {"query_id": "q", "doc_id": "b", number: text}]
    if extra is not None:
        rows[0]["stamp"], rows[1]["stamp"] = "1", extra
    path = folder / f"some.{form}"
    if form == "txt":
        template = "{query_id} Q0 {doc_id} 1 {score} t\n" if table == "run" else "{query_id} 0 {doc_id} {relevance}\n"
        path.write_text("".join(template.format(**row) for row in rows))
    elif form == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        pd.DataFrame(rows).to_csv(path, index=False, sep="\t" if form == "tsv" else ",")
    return path


FORMS = ("txt", "csv", "tsv", "jsonl")


@pytest.mark.parametrize("form", FORMS)
def test_the_same_texts_are_numbers_in_every_format(form: str, tmp_path: Path) -> None:
    for text, value in NUMBERS.items():
        assert irmx.read_run(written(tmp_path, form, text)).as_dict()["q"]["b"] == value
        assert irmx.read_qrels(written(tmp_path, form, text, "qrels")).as_dict()["q"]["b"] == value


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("text", sorted(WRONG))
def test_no_other_text_is_a_number(form: str, text: str, tmp_path: Path) -> None:
    line = 2 if form in ("txt", "jsonl") else 3
    for table, read in (("run", irmx.read_run), ("qrels", irmx.read_qrels)):
        path = written(tmp_path, form, text, table)
        with pytest.raises(DataError) as error:
            read(path)
        assert str(error.value).startswith(f"{path}, line {line}: ")
        assert f"{text!r} of " in str(error.value)
        assert WRONG[text] in str(error.value)


@pytest.mark.parametrize("text", sorted(WRONG))
def test_no_other_text_is_a_number_in_memory(text: str) -> None:
    frame = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b"], "score": ["1", text]})
    for run in (frame, {"q": {"a": 1, "b": text}}, {"q": {"a": "1", "b": text}}):
        with pytest.raises(DataError, match=f"score '{text}' of the run {WRONG[text]}"):
            irmx.read_run(run)
    with pytest.raises(DataError, match=f"relevance '{text}' of the qrels {WRONG[text]}: query q, document b"):
        irmx.read_qrels({"q": {"a": 1, "b": text}})
    with pytest.raises(DataError, match=rf"row 1 .*: the x must be a number\. Got '{text}' instead"):
        irmx.read_table({"x": ["1", text]}, {"x": float})


def test_texts_that_are_numbers_in_memory() -> None:
    for text, value in NUMBERS.items():
        frame = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b"], "score": ["1", text]})
        assert irmx.read_run(frame).as_dict() == irmx.read_run({"q": {"a": "1", "b": text}}).as_dict()
        assert irmx.read_run(frame).as_dict()["q"]["b"] == value
        assert irmx.read_table({"x": ["1", text]}, {"x": float})["x"].tolist() == [1, value]


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl"])
def test_tables_of_other_columns_have_the_same_rule(form: str, tmp_path: Path) -> None:
    for text, value in NUMBERS.items():
        assert irmx.read_table(written(tmp_path, form, text), {"score": float})["score"].tolist() == [1, value]
    line = 2 if form == "jsonl" else 3
    for text in WRONG:
        with pytest.raises(DataError, match=rf"some\.{form}, line {line}: the score must be .* Got '{text}' instead"):
            irmx.read_table(written(tmp_path, form, text), {"score": float})


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl"])
@pytest.mark.parametrize("text", sorted(WRONG.keys() - {"2020-01-01", "2020-01-01T12:00:00Z"}))
def test_an_extra_column_of_numbers_has_the_same_rule(form: str, text: str, tmp_path: Path) -> None:
    line = 2 if form == "jsonl" else 3
    path = written(tmp_path, form, "1", extra=text)
    with pytest.raises(
        DataError, match=rf"some\.{form}, line {line}: The run column 'stamp' .* Found '{text}' in row 1"
    ):
        irmx.rankings({"q": {"a": 1}}, path).relevant.column(STAMP)


def test_an_extra_column_of_numbers_is_read(tmp_path: Path) -> None:
    for form in ("csv", "tsv", "jsonl"):
        for text, value in NUMBERS.items():
            join = irmx.rankings({"q": {"b": 1}}, written(tmp_path, form, "1", extra=text))
            assert join.relevant.column(STAMP).tolist() == [value]


@pytest.mark.parametrize(
    "values",
    [[True, False], [date(2020, 1, 1)] * 2, [datetime(2020, 1, 1)] * 2, [time(12)] * 2, [b"1", b"2"],
     np.array(["2020-01-01"] * 2, "datetime64[ns]"), np.array([1, 2], "timedelta64[s]")],
    ids=["bool", "date", "datetime", "time", "bytes", "datetime64", "timedelta64"],
)  # fmt: skip
def test_truth_values_dates_and_bytes_are_no_scores(values: Any) -> None:
    frame = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b"], "score": values})
    with pytest.raises(DataError, match=r"The score .* of the run is not a number: row 0"):
        irmx.read_run(frame)
    with pytest.raises(DataError, match=r"The relevance .* of the qrels is not a number: row 0"):
        irmx.read_qrels(frame.rename(columns={"score": "relevance"}))
    with pytest.raises(DataError, match=r"the x must be a number. Got .* instead"):
        irmx.read_table({"x": values}, {"x": float})


def test_a_truth_value_of_json_is_no_score(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_text('{"query_id":"q","doc_id":"a","score":true}\n')
    with pytest.raises(DataError, match=r"run.jsonl, line 1: The score True of the run is not a number"):
        irmx.read_run(tmp_path / "run.jsonl")


def test_ids_that_look_like_numbers_and_dates_stay_texts(tmp_path: Path) -> None:
    rows = [("007", "0x10", 1), ("2020-01-01", "true", 2), ("1e5", "12:00", 3)]
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    frame.to_csv(tmp_path / "run.csv", index=False)
    frame.to_json(tmp_path / "run.jsonl", orient="records", lines=True)
    for name in ("run.csv", "run.jsonl"):
        assert irmx.read_run(tmp_path / name).as_dict() == {q: {d: s} for q, d, s in rows}


def test_numbers_of_a_dict_whatever_their_type() -> None:
    """One that is a text makes no difference to the others, which are converted at once."""
    scores = {"a": True, "b": np.False_, "c": Decimal("1.5"), "d": np.float32(0.25), "e": 3, "f": Fraction(1, 2)}
    expected = [1, 0, 1.5, 0.25, 3, 0.5]
    assert irmx.read_run({"p": {}, "q": scores, "r": {"a": 7.0}}).score.tolist() == [*expected, 7]
    assert irmx.read_run({"p": {}, "q": scores, "r": {"a": "7"}}).score.tolist() == [*expected, 7]
    assert irmx.read_qrels({"p": {}, "q": scores, "r": {"a": "7"}}).grade.tolist() == [*expected, 7]
    for wrong in (None, [1], 1j, 10**400, float("nan"), b"1", np.datetime64(1, "s")):
        with pytest.raises(DataError, match=r": query q, document b\."):
            irmx.read_run({"p": {"a": 1.0}, "q": {"a": 1.0, "b": wrong}})
