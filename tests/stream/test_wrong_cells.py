"""One wrong cell of a file is named with its line, whatever measure reads the column."""

from pathlib import Path

import pandas as pd
import pytest

import irmx
from irmx import DataError

QRELS = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b", "c"], "iteration": ["n", "m", "o"], "relevance": 1, "importance": 1,
                      "timestamp": [0, 3600, 7200], "query_start": 0, "query_end": 90000})  # fmt: skip
RUN = pd.DataFrame({"query_id": "q", "doc_id": list("abc"), "score": 1.0, "timestamp": [0, 5000, 9000], "length": 9})
WORDS = QRELS.assign(length=9, nugget_length=4, match_start=0, match_end=4)


@pytest.mark.parametrize("measure", ["LC", "MSU(users=3)"])
def test_the_wrong_cell_of_a_file_is_named(tmp_path: Path, measure: str) -> None:
    qrels, run = tmp_path / "qrels.csv", tmp_path / "run.csv"
    QRELS.assign(timestamp=["0", "3600 s", ""]).to_csv(qrels, index=False)
    RUN.assign(timestamp=["0", "5000", "noon"]).to_csv(run, index=False)
    with pytest.raises(DataError, match=r"run.csv, line 4: .* 'timestamp' must hold numbers\. Found 'noon'"):
        irmx.calc_aggregate(measure, QRELS, run)
    with pytest.raises(DataError, match=r"qrels.csv, line 3: .* 'timestamp' must hold numbers\. Found '3600 s'"):
        irmx.calc_aggregate(measure, qrels, RUN)


@pytest.mark.parametrize("measure", ["ELG", "MSU(users=3)"])
@pytest.mark.parametrize(("column", "infinite"), [("timestamp", "inf"), ("timestamp", "-inf"), ("length", "inf")])
def test_an_infinite_number_of_a_run_is_named(tmp_path: Path, measure: str, column: str, infinite: str) -> None:
    run = tmp_path / "run.csv"
    RUN.assign(**{column: ["0", infinite, infinite]}).to_csv(run, index=False)
    said = rf"The run column '{column}' must hold finite numbers\. Found '?{infinite}'?.*, q b\."
    with pytest.raises(DataError, match=f"run.csv, line 3: {said}"):
        irmx.calc_aggregate(measure, WORDS, run)
    with pytest.raises(DataError, match=f"^MSU.*: {said}" if measure[0] == "M" else f"^ELG: {said}"):
        irmx.calc_aggregate(measure, WORDS, RUN.assign(**{column: [0.0, float(infinite), 3.0]}))


@pytest.mark.parametrize(
    ("measure", "column"),
    [("ELG", "timestamp"), ("ELG", "importance"), ("ELG", "match_end"), ("MSU", "timestamp"), ("MSU", "query_end"), ("MSU", "length")],
)  # fmt: skip
def test_an_infinite_number_of_the_qrels_is_named(tmp_path: Path, measure: str, column: str) -> None:
    qrels = tmp_path / "qrels.csv"
    WORDS.assign(**{column: ["0", "0", "inf"]}).to_csv(qrels, index=False)
    with pytest.raises(DataError, match=rf"qrels.csv, line 4: .*'{column}' .* finite numbers\. Found 'inf'.* q c"):
        irmx.calc_aggregate(measure, qrels, RUN)
