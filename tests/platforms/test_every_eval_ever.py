"""Scores as results of Every Eval Ever: what the files say, that they are valid, and that they are read back."""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import irmx
from irmx import DataError, Scores, UsageError
from irmx.demo import SYSTEMS, qrels_path, run_path
from irmx_platforms import to_every_eval_ever
from irmx_study import read_per_topic

MEASURES = "AP nDCG@10 NumRet RBP(p=0.8)"
HOW: dict[str, Any] = {"collection": "toy", "organization": "lab", "timestamp": 1_750_000_000}


@pytest.fixture(scope="module")
def demo() -> Scores:
    return irmx.scores(MEASURES, qrels_path(), {system: run_path(system) for system in SYSTEMS})


def scores_of(*rows: tuple[str, str, str, float]) -> Scores:
    return Scores.from_frame(pd.DataFrame(rows, columns=["query_id", "system", "measure", "value"]))


def samples_of(path: Path) -> Path:
    return path.with_name(f"{path.stem}_samples.jsonl")


def test_samples_are_read_back_with_equal_values(demo: Scores, tmp_path: Path) -> None:
    written = to_every_eval_ever(demo, tmp_path, **HOW)
    places = [path.relative_to(tmp_path).parts[:-1] for path in written]
    assert places == [("data", "toy", "lab", system) for system in SYSTEMS]
    again = read_per_topic([samples_of(path) for path in written])
    assert (again.topics, again.measures) == (demo.topics, demo.measures)
    assert again.systems == tuple(f"lab/{system}" for system in demo.systems)
    assert again.values.tolist() == demo.values.tolist()


def test_means_have_intervals_and_refer_to_the_samples(demo: Scores, tmp_path: Path) -> None:
    path = to_every_eval_ever(demo, tmp_path, **HOW, coverage=0.9)[0]
    record = json.loads(path.read_text())
    detail = record["detailed_evaluation_results"]
    content = (tmp_path / detail["file_path"]).read_bytes()
    assert (detail["checksum"], detail["total_rows"]) == (hashlib.sha256(content).hexdigest(), 4 * 30)
    results = {one["evaluation_name"].removeprefix("toy."): one for one in record["evaluation_results"]}
    ap, sums = results["AP"], results["NumRet"]
    values = demo.values[:, 0, 0]
    told = ap["score_details"]["uncertainty"]
    interval = stats.ttest_1samp(values, 0).confidence_interval(0.9)
    assert ap["score_details"]["score"] == pytest.approx(values.mean())
    assert (told["num_samples"], told["confidence_interval"]["confidence_level"]) == (30, 0.9)
    assert [told["confidence_interval"][end] for end in ("lower", "upper")] == pytest.approx(list(interval))
    assert told["standard_error"]["value"] == pytest.approx(stats.sem(values))
    assert (ap["metric_config"]["min_score"], ap["metric_config"]["max_score"]) == (0, 1)
    assert sums["metric_config"]["max_score"] == "Infinity"
    assert "uncertainty" not in sums["score_details"]  # a sum
    without = json.loads(to_every_eval_ever(demo, tmp_path, **HOW, coverage=0)[0].read_text())
    assert "confidence_interval" not in without["evaluation_results"][0]["score_details"]["uncertainty"]


def test_names_texts_directions_and_missing_values(tmp_path: Path) -> None:
    with pytest.warns(irmx.DataWarning, match="org/a/b: no results for 1 of 2 topics"):
        scores = scores_of(("1", "org/a/b", "tokens", 800), ("2", "org/a/b", "tokens", math.nan), ("1", "../c d", "tokens", 3), ("2", "../c d", "tokens", 5)).less_is_better("tokens")  # fmt: skip
    first, second = to_every_eval_ever(scores, tmp_path, **{**HOW, "collection": "a/b"}, queries={"1": "who?"})
    places = [path.relative_to(tmp_path).parts[:-1] for path in (first, second)]
    assert places == [("data", "a_b", "org", "a__b"), ("data", "a_b", "_", "c_d")]
    record = json.loads(second.read_text())
    assert record["model_info"]["id"] == "../c d"
    assert record["evaluation_results"][0]["metric_config"]["lower_is_better"]
    lines = [json.loads(line) for line in samples_of(second).read_text().splitlines()]
    assert [line["input"]["raw"] for line in lines] == ["who?", "2"]
    assert [line["sample_hash"] for line in lines] == [hashlib.sha256(b"who?").hexdigest(), None]
    assert len(samples_of(first).read_text().splitlines()) == 1
    assert read_per_topic(samples_of(second)).values.tolist() == [[[3]], [[5]]]


def test_the_same_scores_replace_their_files(demo: Scores, tmp_path: Path) -> None:
    first = to_every_eval_ever(demo, tmp_path, **HOW)
    assert to_every_eval_ever(demo, tmp_path, **{**HOW, "timestamp": 5}) == first
    assert len(list(tmp_path.rglob("*.json*"))) == 2 * len(SYSTEMS)
    assert json.loads(first[0].read_text())["retrieved_timestamp"] == "5"


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"collection": "/"}, "collection needs a name"),
    ({"organization": " "}, "organization needs a name"),
    ({"relationship": "none"}, "relationship is one of"),
    ({"coverage": 1}, "coverage of intervals"),
]


@pytest.mark.parametrize(("wrong", "said"), WRONG)
def test_wrong_requests_are_refused(demo: Scores, tmp_path: Path, wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        to_every_eval_ever(demo, tmp_path, **{**HOW, **wrong})


def test_what_cannot_be_written_is_told(demo: Scores, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="select one view"):
        to_every_eval_ever(demo.marked(judgments="llm"), tmp_path, **HOW)
    (tmp_path / "data").write_text("")
    with pytest.raises(DataError, match="cannot be made"):
        to_every_eval_ever(demo, tmp_path, **HOW)


@pytest.fixture
def by_command(command: Any, tmp_path: Path) -> Any:
    """A function that writes the results of runs by the command, with queries or without."""

    def run(runs: list[Path], queries: str = "", *more: str) -> Any:
        (tmp_path / "queries.csv").write_text(f"query_id,query\n{queries}")
        options = ("--queries", tmp_path / "queries.csv") if queries else ()
        words = ("to-every-eval-ever", qrels_path(), *runs, "AP", "--out", tmp_path / "out", "--collection", "toy")
        return command(*words, *options, *more)

    return run


def test_the_command(by_command: Any, tmp_path: Path) -> None:
    runs, lab = [Path(run_path(system)) for system in list(SYSTEMS)[:2]], ("--organization", "lab")
    done = by_command(runs, "1,who?\n1,what?\n", *lab)  # two texts
    assert (done.code, (tmp_path / "out").exists()) == (1, False)
    assert by_command(runs).code == 2
    done = by_command(runs, "1,who?\n", *lab)
    assert done.code == 0, done.err
    paths = [Path(line) for line in done.out.splitlines()]
    again = read_per_topic([samples_of(path) for path in paths])
    assert np.array_equal(again.values, irmx.scores("AP", qrels_path(), runs).values)
    assert "who?" in samples_of(paths[0]).read_text()


def test_a_folder_is_no_developer(by_command: Any, tmp_path: Path) -> None:
    runs = [Path(folder, "run.txt") for folder in ("one", "two")]
    for path, system in zip(runs, SYSTEMS, strict=False):
        (tmp_path / path).parent.mkdir()
        (tmp_path / path).write_bytes(Path(run_path(system)).read_bytes())
    done = by_command(runs, "", "--organization", "lab")
    assert done.code == 0, done.err
    models = [json.loads(Path(line).read_text())["model_info"] for line in done.out.splitlines()]
    assert [model["developer"] for model in models] == ["lab", "lab"]


def test_systems_that_cannot_be_told_apart_or_have_no_values(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the model lab/a"):
        to_every_eval_ever(scores_of(("1", "a", "m", 1), ("1", "lab/a", "m", 2)), tmp_path, **HOW)
    with pytest.warns(irmx.DataWarning), pytest.raises(DataError, match="system b has no value"):
        to_every_eval_ever(scores_of(("1", "a", "m", 1), ("1", "b", "m", math.nan)), tmp_path, **HOW)
    assert not list(tmp_path.iterdir())


def test_a_range_that_is_not_known(tmp_path: Path) -> None:
    [path] = to_every_eval_ever(scores_of(("1", "a", "accuracy", 1)), tmp_path, **HOW)
    [result] = json.loads(path.read_text())["evaluation_results"]
    assert (result["metric_config"]["min_score"], result["metric_config"]["max_score"]) == (None, None)


@pytest.mark.real
@pytest.mark.parametrize("coverage", [0, 0.95])
def test_files_are_valid_by_the_schemas(demo: Scores, tmp_path: Path, platforms: Path, coverage: float) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    folder = platforms / "every_eval_ever"
    of_means, of_samples = (
        jsonschema.Draft7Validator(json.loads((folder / f"{name}.schema.json").read_text()))
        for name in ("eval", "instance_level_eval")
    )
    for scores in (demo, scores_of(("1", "org/a", "tokens", 800.0))):
        for path in to_every_eval_ever(scores, tmp_path, **HOW, coverage=coverage, queries={"1": "who?"}):
            of_means.validate(json.loads(path.read_text()))
            for line in samples_of(path).read_text().splitlines():
                of_samples.validate(json.loads(line))
