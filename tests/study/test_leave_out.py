"""Left-out groups: what is lost without them, and how their runs fare."""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

import irmx
import irmx_study
from irmx import DataError, UsageError
from irmx.demo import SYSTEMS, qrels_path, run_path
from irmx_study.pooling.groups_of_runs import groups_of_runs
from irmx_study.pooling.pool_contributions import left_out

FILES = [qrels_path(), *(run_path(system) for system in SYSTEMS)]
MEASURES = "AP Bpref P@5 nDCG@10 RBP(p=0.8) NCP(law=first,judged_only=True) MP(model=GL_AD_ID)"

QRELS = {"q": {"a": 1, "b": 1, "c": 0, "d": 1, "e": 0, "u": -1}, "p": {"f": 1}}
RUNS = {
    "one": {"q": {"a": 5.0, "b": 4.0, "u": 3.0, "d": 2.0}, "p": {"x": 2.0, "f": 1.0}},
    "two": {"q": {"a": 5.0, "c": 4.0}},
    "three": {"q": {"c": 5.0, "b": 4.0, "a": 3.0}, "p": {"x": 1.0}},
}


def ranked(*documents: str) -> dict[str, float]:
    return {doc: -float(rank) for rank, doc in enumerate(documents)}


@pytest.mark.parametrize(
    ("depth", "group_of", "lost"),
    [
        (2, {"one": "1", "two": "2", "three": "3"}, {"1": {"f"}, "2": set(), "3": set()}),
        (1, {"one": "1", "two": "2", "three": "3"}, {"1": set(), "2": set(), "3": {"c"}}),
        (2, {"one": "1", "two": "2", "three": "2"}, {"1": {"f"}, "2": {"c"}}),
        (9, {"one": "1", "two": "2", "three": "2"}, {"1": {"d", "f"}, "2": {"c"}}),
    ],
)
def test_what_only_the_group_has_in_its_top_is_lost(depth: int, group_of: Any, lost: dict[str, set[str]]) -> None:
    judgments = irmx.read_qrels(QRELS)
    cuts = left_out(RUNS, group_of, judgments, depth)
    docs = np.array(list(judgments.docs))
    assert {group: set(docs[of].tolist()) for group, of in zip(cuts.groups, cuts.lost, strict=True)} == lost
    top = {doc for run in RUNS.values() for ranking in run.values() for doc in list(ranking)[:depth]}
    assert cuts.unpooled == len(set("abcdef") - top)


def test_the_order_is_that_of_trec_eval() -> None:
    judgments = irmx.read_qrels({"q": {"a": 1, "b": 1}})
    tied = {"one": {"q": {"a": 1.0, "b": 1.0}}, "two": {"q": {"x": 1.0}}}
    assert left_out(tied, {"one": "1", "two": "2"}, judgments, 1).lost.tolist() == [[False, True], [False, False]]


@pytest.fixture(scope="module")
def collection() -> tuple[Any, Any, dict[str, str]]:
    """Qrels that are a pool of depth 5 of eight runs of four groups."""
    rng = np.random.default_rng(1998)
    relevant = {t: set(rng.choice(60, 15, replace=False).tolist()) for t in ("p", "q", "r")}
    runs = {
        f"r{i}": {
            t: {f"d{d}": float(rng.normal() + (i / 6) * (d in relevant[t])) for d in rng.permutation(60)[:30].tolist()}
            for t in relevant
        }
        for i in range(8)
    }
    top = {t: {d for run in runs.values() for d in sorted(run[t], key=run[t].__getitem__)[-5:]} for t in relevant}
    qrels = {t: {d: int(int(d[1:]) in relevant[t]) * (1 + int(d[1:]) % 2) for d in sorted(top[t])} for t in relevant}
    return qrels, runs, {f"r{i}": "ABCD"[i // 2] for i in range(8)}


def test_equal_to_cut_qrels_scored_from_scratch(collection: Any) -> None:
    qrels, runs, group_of = collection
    result = irmx_study.leave_out(MEASURES, qrels, runs, group_of, depth=5, jobs=1)
    full = irmx.scores(MEASURES, qrels, runs).means()
    rows, frame = result.runs().set_index(["measure", "run"]), result.frame().set_index(["measure", "group"])
    assert len(frame) == 7 * 4
    assert result.unpooled == 0
    for group in "ABCD":
        others = [run for name, run in runs.items() if group_of[name] != group]
        pool = {t: {d for run in others for d in sorted(run[t], key=run[t].__getitem__)[-5:]} for t in qrels}
        cut = {t: {d: g for d, g in docs.items() if d in pool[t]} for t, docs in qrels.items()}
        lost = [qrels[t][d] for t in qrels for d in set(qrels[t]) - set(cut[t])]
        assert len(lost) > 3
        without = irmx.scores(MEASURES, cut, runs).means()
        for measure in full.columns:
            row = frame.loc[(measure, group)]
            assert (row["judged"], row["relevant"], row["runs"]) == (len(lost), sum(g > 0 for g in lost), 2)
            assert row["tau"] == pytest.approx(
                kendalltau(full[measure].round(12), without[measure].round(12)).statistic
            )
            ranks = [of[measure].round(12).rank(method="min", ascending=False) for of in (full, without)]
            own = [name for name in runs if group_of[name] == group]
            for name in own:
                of_run = rows.loc[(measure, name)]
                assert (of_run["value"], of_run["value_without"]) == (full[measure][name], without[measure][name])
                assert (of_run["rank"], of_run["rank_without"]) == (ranks[0][name], ranks[1][name])
                assert of_run["rank_change"] == of_run["rank_without"] - of_run["rank"]
                assert of_run["value_change"] == of_run["value_without"] - of_run["value"]
            changes = rows.loc[[(measure, name) for name in own]]
            assert row["value_change"] == pytest.approx(changes["value_change"].mean())
            assert row["rank_change"] == pytest.approx(changes["rank_change"].mean())
            assert row["worst_rank"] == changes["rank_change"].max()
    summary = result.summary().set_index("measure")
    assert summary["tau"].to_dict() == pytest.approx(result.frame().groupby("measure")["tau"].mean().to_dict())
    assert summary["worst_rank"].to_dict() == result.runs().groupby("measure")["rank_change"].max().to_dict()


@pytest.mark.filterwarnings("ignore:two. no results for 1 of 2 topics")
def test_means_stay_over_the_same_topics() -> None:
    result = irmx_study.leave_out("AP", QRELS, RUNS, depth=2, jobs=1)
    of_one = result.runs().set_index("run").loc["one"]
    assert of_one["value"] == pytest.approx(((1 + 1 + 3 / 4) / 3 + 1 / 2) / 2)
    assert of_one["value_without"] == pytest.approx(((1 + 1 + 3 / 4) / 3 + 0) / 2)  # p has lost its only judgment


@given(
    runs=st.lists(st.permutations("abcdefgh"), min_size=3, max_size=6),
    judged=st.sets(st.sampled_from("abcdefgh"), min_size=1),
    depth=st.integers(1, 8),
)
def test_no_document_is_lost_with_two_groups_and_all_of_the_pool_is_somebodys(
    runs: list[list[str]], judged: set[str], depth: int
) -> None:
    by_name = {f"r{i}": {"q": ranked(*ranking)} for i, ranking in enumerate(runs)}
    judgments = irmx.read_qrels({"q": dict.fromkeys(sorted(judged), 1)})
    alone = left_out(by_name, {name: name for name in by_name}, judgments, depth)
    tops = [set(ranking[:depth]) & judged for ranking in runs]
    for i, lost in enumerate(alone.lost):
        expected = tops[i] - set(itertools.chain(*(top for j, top in enumerate(tops) if j != i)))
        assert {doc for doc, gone in zip(judgments.docs, lost, strict=True) if gone} == expected
    assert alone.lost.sum(axis=0).max() <= 1
    assert alone.unpooled == len(judged - set().union(*tops))


def test_a_measure_that_cannot_rank_without_a_group_is_told() -> None:
    runs = {"one": {"q": ranked("a")}, "two": {"q": ranked("n")}, "three": {"q": ranked("n", "x")}}
    result = irmx_study.leave_out("P@1 AP", {"q": {"a": 1, "n": 0}}, runs, depth=5, jobs=1)
    taus = result.frame().set_index(["measure", "group"])["tau"]
    assert np.isnan(taus["P@1", "one"])
    assert taus["P@1", "two"] == 1
    assert result.notes[:2] == tuple(
        f"{name} gives all systems the same value without 1 group, where tau is undefined" for name in ("P@1", "AP")
    )
    assert result.summary()["groups"].tolist() == [2, 2]


# -- groups ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("run,group\nr1,A\nr2,B\n", "no group of 1 run: r3"),
        ("run,group\nr1,A\nr2,B\nr3,B\nr4,B\n", "1 run of 4 is not among the runs here: r4. The runs: r1, r2, r3"),
        ("run,group\nr1,A\nr2,A\nr3,A\n", "all runs are in one group, 'A'"),
        ("run,group\nr1,A\nr2,B\nr3,B\nr1,B\n", "line 5: the run r1 is in two groups, 'A' and 'B'"),
        ("run,team\nr1,A\n", "group"),
        ("run,group\nr1,\nr2,B\nr3,B\n", "group"),
        ("", "groups.csv"),
    ],
)
def test_bad_groups_are_told(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "groups.csv").write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as error:
        groups_of_runs(tmp_path / "groups.csv", ["r1", "r2", "r3"])
    assert message in str(error.value)


def test_groups_from_any_table_or_none(tmp_path: Path) -> None:
    expected = {"r1": "A", "r2": "B"}
    (tmp_path / "groups.tsv").write_text("run\tgroup\ttask\nr2\tB\tx\nr1\tA\ty\nr1\tA\tz\n", encoding="utf-8")
    for groups in (expected, pd.DataFrame({"run": ["r1", "r2"], "group": ["A", "B"]}), tmp_path / "groups.tsv"):
        assert groups_of_runs(groups, ["r1", "r2"]) == expected
    assert groups_of_runs(None, ["r1", "r2"]) == {"r1": "r1", "r2": "r2"}
    with pytest.raises(DataError, match="The groups: no group of 2 runs: r3, r4"):
        groups_of_runs(expected, ["r1", "r2", "r3", "r4"])


@pytest.mark.parametrize(
    ("changed", "message"), [({"depth": 0}, "'depth' parameter of leave_out"), ({"rel": "x"}, "'rel'")]
)
def test_bad_choices_are_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        irmx_study.leave_out("AP", QRELS, RUNS, **changed)


# -- the command -----------------------------------------------------------------------------------------


def test_the_command_prints_the_frames(command: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "groups.csv").write_text("run,group\nbm25.run,A\ntitles.run,A\nrecent.run,B\n", encoding="utf-8")
    runs = {path.name: str(path) for path in FILES[1:]}
    words = ["pool", *FILES, "AP", "P@10", "--pool-depth", "10", "--jobs", "1", "-o", "csv"]
    for groups in ("each-run", tmp_path / "groups.csv"):
        result = irmx_study.leave_out(
            "AP P@10", qrels_path(), runs, None if groups == "each-run" else groups, depth=10, jobs=1
        )
        for more, expected in (([], result.frame()), (["--per-run"], result.runs())):
            done = command(*words, "--leave-out", groups, *more)
            assert done.code == 0
            pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(done.out)), expected, check_dtype=False)
            assert f"the top 10 of 3 runs in {len(result.groups)} groups" in done.err


def test_many_groups_are_summarised_for_reading(command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("irmx_study.commands.pool_command._ROWS_OF_GROUPS", 2)
    done = command("pool", *FILES, "AP", "--leave-out", "each-run", "--jobs", "1")
    assert done.out.split()[:3] == ["measure", "groups", "tau"]


def test_filters_leave_the_pool_as_it_is(collection: Any) -> None:
    qrels, runs, group_of = collection
    every = irmx_study.leave_out("AP", qrels, runs, group_of, depth=5, jobs=1)
    few = irmx_study.leave_out("AP", qrels, runs, group_of, depth=5, jobs=1, only=["r0", "r1", "r2"])
    assert few.frame()["group"].tolist() == ["A", "B"]
    assert few.frame()["runs"].tolist() == [2, 1]
    assert few.frame()["judged"].tolist() == every.frame()["judged"].tolist()[:2]
    columns = ["value", "value_without", "value_change"]
    pd.testing.assert_frame_equal(few.runs()[columns], every.runs()[columns][:3])
    with pytest.raises(DataError, match="Here 2 runs are left: r0, r1"):
        irmx_study.leave_out("AP", qrels, runs, group_of, depth=5, jobs=1, only=["r0", "r1"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--leave-out", "each-run", "--keep", "50"], "--keep is about random samples"),
        (["--leave-out", "each-run", "--samples", "0"], "--samples is about random samples"),
        (["--per-run"], "--per-run goes with --leave-out"),
        (["--pool-depth", "10"], "--pool-depth goes with --leave-out"),
        (["--leave-out", "each-run", "--pool-depth", "0"], "Got 0 instead"),
    ],
)
def test_options_of_the_other_study_are_refused(words: list[str], message: str, command: Callable[..., Any]) -> None:
    done = command("pool", *FILES, "AP", *words)
    assert (done.code, done.out) == (2, "")
    assert message in " ".join(done.err.split())


def test_a_finished_study_is_known_again_and_another_refused(collection: Any, tmp_path: Path) -> None:
    qrels, runs, group_of = collection
    out = tmp_path / "groups.parquet"
    first = irmx_study.leave_out("AP", qrels, runs, group_of, depth=5, jobs=1, out=out)
    again = irmx_study.leave_out("AP", qrels, runs, group_of, depth=5, jobs=2, out=out)
    pd.testing.assert_frame_equal(first.frame(), again.frame())
    with pytest.raises(DataError, match=r"another study of left-out groups\. Depth: existing 5, requested 6"):
        irmx_study.leave_out("AP", qrels, runs, group_of, depth=6, jobs=1, out=out)
    with pytest.raises(DataError, match="results file of a pool study"):
        irmx_study.pool("AP", qrels, runs, jobs=1, out=out)


def test_topics_that_lose_all_relevant_documents_are_told() -> None:
    qrels = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1, "d": 1, "e": 0}}
    runs = {
        "one": {"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 1.0}},
        "two": {"q1": {"b": 1.0}, "q2": {"e": 2.0, "d": 1.0}},
        "three": {"q1": {"b": 1.0}, "q2": {"e": 2.0, "x": 1.0, "d": 0.5}},
    }
    result = irmx_study.leave_out("AP", qrels, runs, depth=3, jobs=1)
    assert result.emptied == (1, 0, 0)
    assert "no relevant document is left for up to 1 topic without one; such topics count" in " ".join(result.notes)
    assert irmx_study.leave_out("AP", qrels, runs, {"one": "x", "two": "y", "three": "y"}, jobs=1).emptied == (1, 0)
    assert not irmx_study.leave_out("AP", {"q2": qrels["q2"]}, runs, depth=3, jobs=1).notes


def test_the_picture_has_a_ring_per_rank_change_and_their_mean() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    result = irmx_study.leave_out("AP RR", qrels_path(), {system: run_path(system) for system in SYSTEMS}, depth=10)
    display = result.plot()
    rings = [ring for ring in display.ax_.collections if len(ring.get_offsets())]
    runs = result.runs()
    for ring, measure in zip(rings, ("AP", "RR"), strict=True):
        changes = runs.loc[runs["measure"] == measure, "rank_change"].astype(float)
        assert ring.get_offsets()[:, 0].tolist() == sorted(set(changes))
        counts = changes.value_counts().sort_index()
        assert np.argsort(ring.get_sizes()).tolist() == np.argsort(counts.to_numpy()).tolist()
    means = [line.get_xdata()[0] for line in display.ax_.lines if line.get_marker() == "d" and len(line.get_xdata())]
    assert means == runs.groupby("measure", sort=False)["rank_change"].mean().tolist()
    pyplot.close(display.figure_)
