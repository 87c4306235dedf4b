"""Topics by the difference of two systems, by difficulty and by disagreement, against plain numpy."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irmx
from irmx import Scores, UsageError
from irmx.demo import SYSTEMS, qrels_path, run_path
from irmx_study import Result
from irmx_study import topics as result_of

RUNS = {system: run_path(system) for system in SYSTEMS}
A, B, C = SYSTEMS


def topics(*source: Any, **asked: Any) -> Any:
    made = result_of(*source, **asked)
    assert isinstance(made, Result)
    return made.frame()


@pytest.fixture(scope="module")
def demo() -> Scores:
    return irmx.scores("AP nDCG@10", qrels_path(), RUNS)


def test_topics_by_difference_of_the_second_system_to_the_first(demo: Scores) -> None:
    table = topics(demo, a=B, b=A)
    names = [f"{m} {name}" for m in ("AP", "nDCG@10") for name in (B, A, "difference")]
    assert list(table.columns) == ["query_id", *names]
    differences = demo["AP"][:, 1] - demo["AP"][:, 0]
    order = np.argsort(-differences, kind="stable")
    assert table["query_id"].tolist() == [demo.topics[i] for i in order]
    assert table["AP difference"].tolist() == differences[order].tolist()
    assert table[f"nDCG@10 {B}"].tolist() == demo["nDCG@10"][order, 1].tolist()
    assert topics(demo.frame(), a=B, b=A).equals(table)
    assert topics("AP nDCG@10", qrels_path(), RUNS, a=B, b=A).equals(table)


def test_systems_and_the_measure_that_decides_are_chosen(demo: Scores) -> None:
    table = topics(demo, a=C, b=B, sort="ndcg_cut_10")
    differences = demo["nDCG@10"][:, 2] - demo["nDCG@10"][:, 1]
    assert table["nDCG@10 difference"].tolist() == sorted(differences.tolist(), reverse=True)
    assert topics(demo, b=B).equals(topics(demo, a=A, b=B))
    assert topics(demo, a=A).equals(topics(demo, a=A, b=B))


def test_top_takes_both_ends_of_differences_and_the_first_of_the_others(demo: Scores) -> None:
    table = topics(demo, b=A)
    assert topics(demo, b=A, top=2)["query_id"].tolist() == table["query_id"].iloc[[0, 1, -2, -1]].tolist()
    assert topics(demo, b=A, top=20).equals(table)
    assert topics(demo, by="hardest", top=2)["query_id"].tolist() == topics(demo, by="hardest")["query_id"][:2].tolist()


def test_easiest_hardest_and_most_disputed_topics(demo: Scores) -> None:
    means, spreads = demo["AP"].mean(axis=1), demo["AP"].std(axis=1, ddof=1)
    for by, order in (("easiest", -means), ("hardest", means), ("disputed", -spreads)):
        table = topics(demo, by=by)
        places = np.argsort(order, kind="stable")
        assert table["query_id"].tolist() == [demo.topics[i] for i in places]
        assert table["AP mean"].tolist() == means[places].tolist()
        assert table["AP sd"].tolist() == spreads[places].tolist()
        assert table["AP smallest"].tolist() == demo["AP"].min(axis=1)[places].tolist()
        assert table["AP largest"].tolist() == demo["AP"].max(axis=1)[places].tolist()
        assert set(table["systems"]) == {3}
    assert "AP sd" not in topics(demo.select(systems=[A]), by="easiest")


def test_systems_that_retrieved_nothing_are_not_counted_and_missing_values_come_last() -> None:
    runs: dict[str, Any] = {"one": {"1": {"a": 1.0}, "2": {"x": 1.0}}, "two": {"1": {"x": 1.0}}}
    with pytest.warns(irmx.DataWarning, match="no results for 1 of 2"):
        scores = irmx.scores("AP", {"1": {"a": 1}, "2": {"b": 1}}, runs)
    assert topics(scores, by="easiest").set_index("query_id")["systems"].to_dict() == {"1": 2, "2": 1}
    values = np.array([[[np.nan], [np.nan]], [[0.5], [1.0]]])
    undefined = Scores.of_runs(values, np.ones((2, 2), dtype=bool), ("1", "2"), ("one", "two"), scores.measures)
    table = topics(undefined)
    assert table["query_id"].tolist() == ["2", "1"]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"a": "bm26"}, "The scores have no system 'bm26'. Did you mean bm25"),
        ({"a": A, "b": A}, f"{A} cannot be compared with itself"),
        ({"by": "easist"}, r"Topics cannot be ordered by 'easist'. Did you mean easiest\? Known: difference"),
        ({"by": "hardest", "a": A}, "Topics by hardest are of all systems"),
        ({"sort": "AP@5"}, "The scores have no measure 'AP@5'. .*They have: AP, nDCG@10"),
        ({"top": 0}, "must be 1 or more. Got 0"),
    ],
)
def test_wrong_requests(asked: dict[str, Any], message: str, demo: Scores) -> None:
    with pytest.raises(UsageError, match=message):
        topics(demo, **asked)


def test_one_system_has_no_differences(demo: Scores) -> None:
    alone = demo.select(systems=[A])
    with pytest.raises(UsageError, match=f"Two systems are needed for differences. There is {A}"):
        topics(alone)
    with pytest.raises(UsageError, match="Disputed topics need two systems"):
        topics(alone, by="disputed")


def test_the_command_prints_the_table(demo: Scores, tmp_path: Path, command: Any) -> None:
    path = tmp_path / "scores.parquet"
    demo.to_parquet(path)
    arguments = ["topics", "--scores", path, "--baseline", B, "--label", f"{C}=new", "--sort", "nDCG@10", "--top", 1]
    done = command(*arguments, "--system", "new", "-o", "csv", "-p", -1)
    assert done.code == 0
    expected = topics(demo, a=C, b=B, sort="nDCG@10", top=1)
    assert done.out.splitlines()[0] == ",".join(expected.columns).replace(C, "new")
    assert [line.split(",") for line in done.out.splitlines()[1:]] == expected.astype(str).to_numpy().tolist()
    by_run = command(*arguments, "--system", C, "-o", "csv")  # all places in csv
    assert by_run.out == done.out
    command("topics", "--scores", path, "--by", "easist").assert_refused(2, "Did you mean easiest?")


def test_topics_by_difference_of_many_systems_ask_for_two(command: Any) -> None:
    files = [qrels_path(), *map(run_path, SYSTEMS)]
    done = command("topics", *files, "AP")
    assert done.code == 2
    assert all(name in done.err for name in ("--system", "--baseline", "hardest", "bm25.run"))
    assert command("topics", *files, "AP", "--system", "bm25.run", "--baseline", "titles.run").code == 0
    assert command("topics", *files, "AP", "--by", "hardest").code == 0
