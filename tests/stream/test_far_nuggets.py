"""A nugget whose time is more than a year from all others of its topic is told once, of the qrels."""

import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import irmx

LATE = 1329945286
QRELS = pd.DataFrame({"query_id": ["1"] * 3 + ["2"], "doc_id": ["a", "b", "c", "d"], "iteration": ["n1", "n2", "n3", "n1"],
                      "relevance": 1, "importance": 1, "timestamp": [1000, 2000, LATE, 500], "query_start": 0,
                      "query_end": 90000})  # fmt: skip
RUN = pd.DataFrame({"query_id": ["1", "2"], "doc_id": ["a", "d"], "score": 1.0, "timestamp": 3000, "length": 9})
FAR = (
    "the nugget 'n3' of query 1 was first known at 1329945286, 15,393 days before or after the nearest other nugget of its "
    "topic. Is its time right?"
)
MEASURES = ["LC", "ELG(unimportant='keep')", "LC(unimportant='keep')", "TS_Latency", "MSU(users=3)", "MSU(users=3,same_time='run')"]  # fmt: skip


def told(qrels: Any, *measures: str) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        irmx.calc_aggregate(list(measures), qrels, RUN)
    return [str(w.message) for w in caught]


@pytest.mark.parametrize("measure", ["LC", "MSU(users=3)"])
def test_a_nugget_far_from_all_others_is_told(measure: str) -> None:
    assert told(QRELS.assign(timestamp=[1000, 2000, 3000, 500]), measure) == []
    assert told(QRELS, measure) == [f"The qrels: {FAR}"]


def test_it_is_told_once_for_all_measures_whatever_they_leave_out() -> None:
    """Importance 0 leaves n3 out of most measures; its time is told all the same."""
    qrels = QRELS.assign(importance=[1, 1, 0, 1], nugget_length=4, match_start=0, match_end=4, length=9)
    assert told(qrels, *MEASURES) == [f"The qrels: {FAR}"]
    assert told(qrels, "Comp") == []


def test_of_two_nuggets_neither_is_the_far_one() -> None:
    assert told(QRELS.iloc[1:], "LC") == [
        "The qrels: the nugget 'n2' of query 1, at 2000, and the nugget 'n3' of query 1, at 1329945286, were first known 15,393 "
        "days apart. Are both times right?"
    ]
    more = pd.concat([QRELS, QRELS.iloc[-1:].assign(iteration="n2", timestamp=LATE)])
    assert told(more, "LC") == [f"The qrels: {FAR} 2 more nuggets are that far from any other of the topic."]
    third = QRELS.iloc[-1:].assign(iteration="n3", timestamp=600)
    said = [f"The qrels: {FAR} 1 more nugget is that far from any other of the topic."]
    assert told(pd.concat([more, third]), "LC") == said


def test_a_nugget_without_a_time_that_no_measure_reads_is_no_matter() -> None:
    qrels = QRELS.assign(importance=[1, 0, 1, 1], timestamp=[1000, None, 2000, 500])
    assert told(qrels, "LC") == []
    assert len(told(qrels.assign(timestamp=[1000, None, LATE, 500]), "LC")) == 1


def test_commands_name_the_qrels_and_the_line_and_no_run(tmp_path: Path, command: Any) -> None:
    QRELS.to_csv(tmp_path / "qrels.csv", index=False)
    for name in ("one.csv", "two.csv"):
        RUN.to_csv(tmp_path / name, index=False)
    note = f"irmx: qrels.csv, line 4: {FAR}\n"
    done = command("eval", "qrels.csv", "one.csv", "two.csv", "LC", "MSU(users=3)")
    assert (done.code, done.err) == (0, note)
    sweep = ("sweep", "qrels.csv", "one.csv", "two.csv", "-m", "MSU(users=3)", "-g", "L=0,1", "-g", "same_time=id,run")
    done = command(*sweep, "--out", "out.tsv")
    assert done.code == 0
    assert done.err.count("days before") == done.err.count(note) == 1
