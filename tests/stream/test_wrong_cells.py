"""One wrong cell of a file is named with its line, whatever measure reads the column."""

from pathlib import Path

import pandas as pd
import pytest

import irmx
from irmx import DataError

QRELS = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b", "c"], "iteration": ["n", "m", "o"], "relevance": 1, "importance": 1,
                      "timestamp": [0, 3600, 7200], "query_start": 0, "query_end": 90000})  # fmt: skip
RUN = pd.DataFrame(
    {"query_id": "q", "doc_id": ["a", "b", "c"], "score": 1.0, "timestamp": [0, 5000, 9000], "length": 9}
)


@pytest.mark.parametrize("measure", ["LC", "MSU(users=3)"])
def test_the_wrong_cell_of_a_file_is_named(tmp_path: Path, measure: str) -> None:
    qrels, run = tmp_path / "qrels.csv", tmp_path / "run.csv"
    QRELS.assign(timestamp=["0", "3600 s", ""]).to_csv(qrels, index=False)
    RUN.assign(timestamp=["0", "5000", "noon"]).to_csv(run, index=False)
    with pytest.raises(
        DataError, match=r"run.csv, line 4: The run column 'timestamp' must hold numbers\. Found 'noon' in row 2"
    ):
        irmx.calc_aggregate(measure, QRELS, run)
    with pytest.raises(
        DataError, match=r"qrels.csv, line 3: The qrels column 'timestamp' must hold numbers\. Found '3600 s'"
    ):
        irmx.calc_aggregate(measure, qrels, RUN)
