"""``irmx temporal windows``: what it finds is what the measures compute with."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import irmx
from irmx_temporal import window_histogram
from irmx_temporal.window_histogram import TopicWindows, windows_of
from irmx_temporal.windows import Windowing

ROWS = [
    ("1", "c1", "a", 1, "2014-03-01"),
    ("1", "c1", "b", 1, "2014-03-31T23:30:00Z"),
    ("1", "c2", "b", 1, "2014-03-31T23:30:00Z"),
    ("1", "c2", "c", 2, "2014-05-02"),
    ("1", "c2", "d", 0, "2014-06-02"),
    ("2", "c1", "e", 0, "2014-05-02"),
]
COLUMNS = ["query_id", "iteration", "doc_id", "relevance", "timestamp"]


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    pd.DataFrame(ROWS, columns=COLUMNS).to_csv(tmp_path / "qrels.csv", index=False)
    return tmp_path / "qrels.csv"


def test_windows_by_the_calendar(qrels: Path, command: Callable[..., Any]) -> None:
    done = command("temporal", "windows", qrels, "--window", "1mo")
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "topic 1  3 relevant documents\n"
        f"  2014-03  2  0.6667  {'#' * 40}\n"
        f"  2014-05  1  0.3333  {'#' * 20}\n"
        "topic 2  0 relevant documents\n"
    )


def test_a_minute_is_no_month(qrels: Path, command: Callable[..., Any]) -> None:
    done = command("temporal", "windows", qrels, "-w", "1m", "-t", "1", "-o", "tsv")
    assert [line.split("\t")[1] for line in done.out.splitlines()[1:]] == [
        "2014-03-01 00:00:00",
        "2014-03-31 23:30:00",
        "2014-05-02 00:00:00",
    ]
    assert done.err == "irmx: windows of 1m are minutes long; a month is 1mo.\n"
    assert command("temporal", "windows", qrels, "-w", "1mo").err == ""
    assert "1mo (a month; 1m is a minute)" in " ".join(
        command("temporal", "windows", "--help").out.replace("│", " ").split()
    )


def test_tsv_a_topic_a_time_zone_and_a_grade(qrels: Path, command: Callable[..., Any]) -> None:
    asked = ("temporal", "windows", qrels, "-w", "1mo", "-o", "tsv", "-t", "1")
    assert command(*asked).out == "query_id\twindow\tdocuments\tweight\n1\t2014-03\t2\t0.6667\n1\t2014-05\t1\t0.3333\n"
    berlin = command(*asked, "--tz", "Europe/Berlin", "-p", "1")
    assert berlin.out.splitlines()[1:] == ["1\t2014-03\t1\t0.3", "1\t2014-04\t1\t0.3", "1\t2014-05\t1\t0.3"]
    assert command(*asked, "--rel", "2", "-p", "-1").out.splitlines()[1:] == ["1\t2014-05\t1\t1.0"]


def test_labels_with_weights_and_a_window_that_is_only_declared(tmp_path: Path, command: Callable[..., Any]) -> None:
    rows = [("1", "a", 1, "early", 0.25), ("1", "b", 1, "late", 0.5), ("1", "", 0, "never", 0.25)]
    table = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "window", "window_weight"])
    table.to_csv(tmp_path / "q.tsv", sep="\t", index=False)
    done = command("temporal", "windows", tmp_path / "q.tsv", "-o", "tsv", "-p", "2")
    assert done.out.splitlines()[1:] == ["1\tearly\t1\t0.25", "1\tlate\t1\t0.50", "1\tnever\t0\t0.25"]


def test_documents_outside_of_bursts(tmp_path: Path, command: Callable[..., Any]) -> None:
    days = [0, 50, 51, 52, 53, 54, 55, 100]
    table = pd.DataFrame({"query_id": "1", "doc_id": [f"d{i}" for i in days], "relevance": 1})
    table.assign(timestamp=[86400.0 * d for d in days]).to_csv(tmp_path / "q.csv", index=False)
    done = command("temporal", "windows", tmp_path / "q.csv", "-w", "burst")
    assert done.out == (
        f"topic 1  8 relevant documents, 6 of them in windows\n  1970-02-20 to 1970-02-25  6  1.0000  {'#' * 40}\n"
    )


@pytest.mark.parametrize("window", ["1d", "1w", "1mo", "3mo", "1y", "36h", "burst"])
@pytest.mark.parametrize("seed", range(4))
def test_they_are_the_windows_of_the_measures(window: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    n = 60
    table = pd.DataFrame(
        {
            "query_id": random.integers(0, 3, n).astype(str),
            "doc_id": [f"d{i}" for i in range(n)],
            "iteration": random.choice(["c1", "c2"], n),
            "relevance": random.integers(0, 3, n),
            "timestamp": random.gamma(0.3, 3e7, n),
        }
    )
    judgments = irmx.read_qrels(table)
    run = {q: dict(zip(d["doc_id"], random.random(len(d)), strict=True)) for q, d in table.groupby("query_id")}
    cells = irmx.TIA_P(window=window, tz="Asia/Tokyo").cells(irmx.rankings(judgments, run))
    found = windows_of(judgments, Windowing(window, "Asia/Tokyo"))
    assert [name for topic in found for name in topic.names] == cells.windows.names
    assert [weight for topic in found for weight in topic.weights] == pytest.approx(cells.windows.weight.tolist())
    assert [t for t, topic in enumerate(found) for _ in topic.names] == cells.windows.topic.tolist()
    for topic, (_, rows) in zip(found, table.groupby("query_id", sort=False), strict=True):
        assert topic.relevant == (rows["relevance"] >= 1).sum()


def test_a_table_without_subtopics_has_windows_too() -> None:
    table = pd.DataFrame(ROWS, columns=COLUMNS).drop(columns="iteration")
    [first, second] = windows_of(irmx.read_qrels(table), Windowing("1y"))
    assert first == TopicWindows("1", 3, ["2014"], [3], [1.0])
    assert second == TopicWindows("2", 0, [], [], [])


def test_bars_of_a_terminal(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(window_histogram, "sys", SimpleNamespace(stdout=SimpleNamespace(isatty=lambda: True)))
    monkeypatch.setenv("COLUMNS", "100")
    window_histogram.print_histograms([TopicWindows("1", 4, ["2014-03", "2014-04"], [3, 1], [0.75, 0.25])], 2)
    lines = [line.rstrip() for line in capfd.readouterr().out.splitlines()]
    assert lines == [
        "topic 1  4 relevant documents",
        f"  2014-03  3  0.75  {'█' * 40}",
        f"  2014-04  1  0.25  {'█' * 13}▎",
    ]


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["-w", "3 parsecs"], 2, "The 'window' parameter of irmx temporal windows must be a period of the calendar"),
        (["-w", "0d"], 2, "Got '0d' instead"),
        (["-w", "1d", "--tz", "Mars/Olympus"], 2, "the name of a time zone"),
        (["-w", "1d", "-o", "xlsx"], 2, "no output format 'xlsx'"),
        (["-w", "1d", "-t", "7"], 1, "Topic '7' is not in the qrels"),
        ([], 1, "the qrels column 'window', label of the document's time window, is missing"),
    ],
)
def test_what_cannot_be_done(
    options: list[str], code: int, said: str, qrels: Path, command: Callable[..., Any]
) -> None:
    done = command("temporal", "windows", qrels, *options)
    assert (done.code, done.out) == (code, "")
    assert said in done.err


def test_a_date_that_does_not_parse(tmp_path: Path, command: Callable[..., Any]) -> None:
    changed = [*ROWS[:2], ("1", "c2", "z", 1, "Easter")]
    pd.DataFrame(changed, columns=COLUMNS).to_csv(tmp_path / "qrels.csv", index=False)
    done = command("temporal", "windows", tmp_path / "qrels.csv", "-w", "1mo")
    assert done.code == 1
    assert re.search("irmx: The timestamp 'Easter' of the qrels is not a date: query 1, .*qrels.csv, line 4", done.err)
