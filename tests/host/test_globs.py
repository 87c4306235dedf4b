"""Quoted globs in every command that takes files of runs or pages."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from irmx.demo import qrels_path, run_path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the demo collection, three runs by name."""
    shutil.copy(qrels_path(), tmp_path / "demo.qrels")
    for name in ("bm25", "recent", "titles"):
        shutil.copy(run_path(name), tmp_path / f"{name}.run")
    return tmp_path


@pytest.mark.parametrize(
    "runs", ["*.run", "trec:*.run", "[brt]*.run", "b*.run [rt]*.run", "bm25.run trec:recent.run trec:t*.run"]
)
def test_globs_of_runs(runs: str, folder: Path, command: Callable[..., Any]) -> None:
    done = command("eval", "demo.qrels", *runs.split(), "AP", cwd=folder)
    names = [line.partition("\t")[0].removeprefix("trec:") for line in done.out.splitlines()]
    assert (done.code, names, done.err) == (0, ["run", "bm25.run", "recent.run", "titles.run"], "")


def test_globs_in_the_commands_that_take_several_runs(folder: Path, command: Callable[..., Any]) -> None:
    for runs in (["*.run"], ["bm25.run", "recent.run", "titles.run"]):
        done = command("markov", "best-retrieved", "demo.qrels", *runs, "--out", f"{len(runs)}.tsv", cwd=folder)
        assert (done.code, done.err) == (0, "")
    assert (folder / "1.tsv").read_bytes() == (folder / "3.tsv").read_bytes()
    done = command("sweep", "demo.qrels", "*.run", "-m", "NCP", "-g", "law=first,uniform", "--out", "s.tsv", cwd=folder)
    assert done.code == 0
    assert set(pd.read_csv(folder / "s.tsv", sep="\t")["run"]) == {"bm25.run", "recent.run", "titles.run"}


def test_globs_in_the_commands_that_take_one_run(folder: Path, command: Callable[..., Any]) -> None:
    explain = ("explain", "demo.qrels", "NCP(law=first)", "-t", "1")
    one = [command(*explain[:2], run, *explain[2:], cwd=folder) for run in ("bm25.run", "bm*.run")]
    assert one[0] == one[1]
    assert one[0].code == 0
    done = command(*explain[:2], "*.run", *explain[2:], cwd=folder)
    assert (done.code, done.out) == (2, "")
    assert done.err == "irmx: '*.run' matches 3 files: bm25.run, recent.run, titles.run. One is expected here.\n"
    done = command(*explain[:2], "*.ruin", *explain[2:], cwd=folder)
    assert (done.code, done.err) == (1, "irmx: No file matches the pattern '*.ruin'.\n")


def test_globs_of_a_run_for_recorded_users(tmp_path: Path, command: Callable[..., Any]) -> None:
    updates = pd.DataFrame({"query_id": "q", "doc_id": ["u"], "score": 1.0, "timestamp": 5, "length": 4})
    for name in ("one.csv", "other.csv"):
        updates.to_csv(tmp_path / name, index=False)
    nuggets = {"query_id": "q", "doc_id": ["u"], "iteration": "n", "relevance": 1, "timestamp": 5, "query_start": 0}
    pd.DataFrame(nuggets).assign(query_end=90).to_csv(tmp_path / "qrels", index=False)
    (tmp_path / "log.tsv").write_text("user\tstart\tduration\tspeed\nann\t10\t9\t4\nben\t10\t9\t4\n")
    score = ("stream", "score", "qrels")
    one = [command(*score, run, "--users", "log.tsv", cwd=tmp_path) for run in ("one.csv", "on*.csv")]
    assert one[0] == one[1]
    assert (one[0].code, one[0].err) == (0, "")
    done = command(*score, "o*.csv", "--users", "log.tsv", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err == "irmx: 'o*.csv' matches 2 files: one.csv, other.csv. One is expected here.\n"


@pytest.mark.parametrize(
    "arguments", [("pages", "score", "P", "AS_RBP"), ("pages", "agreement", "P", "none.csv", "AS_RBP")]
)
def test_globs_of_pages(arguments: tuple[str, ...], tmp_path: Path, command: Callable[..., Any]) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text("")
    (tmp_path / "q").write_text("1 0 a 1\n")
    done = command(*[a.replace("P", "*.jsonl") if a == "P" else a for a in arguments], "--qrels", "q", cwd=tmp_path)
    assert (done.code, done.err) == (2, "irmx: '*.jsonl' matches 2 files: a.jsonl, b.jsonl. One is expected here.\n")
    done = command(*[a.replace("P", "a.j*") if a == "P" else a for a in arguments], "--qrels", "q", cwd=tmp_path)
    assert (done.code, done.err) == (1, "irmx: a.jsonl is empty: it holds no pages.\n")
