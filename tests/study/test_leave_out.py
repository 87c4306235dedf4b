"""Left-out groups: what is lost without them, and how their runs fare."""

import io
import itertools
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

FILES = [qrels_path(), *(run_path(system) for system in SYSTEMS)]
MEASURES = "AP Bpref P@5 nDCG@10 RBP(p=0.8) NCP(law=first,judged_only=True) MP(model=GL_AD_ID)"

QRELS = {"q": {"a": 1, "b": 1, "c": 0, "d": 1, "e": 0, "u": -1}, "p": {"f": 1}}
RUNS = {
    "one": {"q": {"a": 5.0, "b": 4.0, "u": 3.0, "d": 2.0}, "p": {"x": 2.0, "f": 1.0}},
    "two": {"q": {"a": 5.0, "c": 4.0}},
    "three": {"q": {"c": 5.0, "b": 4.0, "a": 3.0}, "p": {"x": 1.0}},
}
lacks_topics = pytest.mark.filterwarnings("ignore:.*no results for")


def ranked(*documents: str) -> dict[str, float]:
    return {doc: -float(rank) for rank, doc in enumerate(documents)}


def unpooled(result: irmx_study.Result) -> int:
    """How many documents no run has in its pool, which the facts state."""
    return int(result.facts()["judgments"].split("; ")[2].split()[0])


@lacks_topics
@pytest.mark.parametrize(
    ("depth", "group_of", "lost"),
    [
        (2, "123", {"1": "f", "2": "", "3": ""}),
        (1, "123", {"1": "", "2": "", "3": "c"}),
        (2, "122", {"1": "f", "2": "c"}),
        (9, "122", {"1": "df", "2": "c"}),
    ],
)
def test_what_only_the_group_has_in_its_top_is_lost(depth: int, group_of: str, lost: dict[str, str]) -> None:
    groups = dict(zip(RUNS, group_of, strict=True))
    result = irmx_study.leave_out("AP", QRELS, RUNS, groups, depth=depth, jobs=1)
    grades = QRELS["q"] | QRELS["p"]
    assert result.frame()[["group", "judged", "relevant"]].to_numpy().tolist() == [
        [group, len(docs), sum(grades[doc] for doc in docs)] for group, docs in lost.items()
    ]
    top = {doc for run in RUNS.values() for ranking in run.values() for doc in list(ranking)[:depth]}
    assert unpooled(result) == len(set("abcdef") - top)


@given(
    runs=st.lists(st.permutations("abcdefgh"), min_size=3, max_size=6),
    judged=st.sets(st.sampled_from("abcdefgh"), min_size=1),
    depth=st.integers(1, 8),
)
def test_no_document_is_lost_with_two_groups_and_all_of_the_pool_is_somebodys(
    runs: list[list[str]], judged: set[str], depth: int
) -> None:
    """Further runs of one document each, which are in the pool at no rank that counts, show what is judged."""
    filler = [f"z{i}" for i in range(depth)]
    probes = {f"p{doc}": {"q": ranked(*filler, doc)} for doc in "abcdefgh"}
    by_name = {f"r{i}": {"q": ranked(*ranking)} for i, ranking in enumerate(runs)} | probes
    qrels = {"q": dict.fromkeys(sorted(judged), 1)}
    scores = irmx_study.without(f"Judged@{depth + 1}", qrels, by_name, depth=depth, jobs=1)
    is_judged = scores.values[0, len(runs) :] > 0  # of shape (documents, with all judgments and without each group)
    assert {doc for doc, of in zip("abcdefgh", is_judged, strict=True) if of[0]} == judged
    tops = [set(ranking[:depth]) & judged for ranking in runs]
    for i in range(len(runs)):
        lost = {doc for doc, of in zip("abcdefgh", is_judged, strict=True) if of[0] and not of[1 + i]}
        assert lost == tops[i] - set(itertools.chain(*(top for j, top in enumerate(tops) if j != i)))
    assert (is_judged[:, 0, None] == is_judged[:, 1 + len(runs) :]).all()


def test_the_order_of_the_pool_is_that_of_trec_eval() -> None:
    tied = {"one": {"q": {"a": 1.0, "b": 1.0}}, "two": {"q": {"x": 1.0}}, "three": {"q": {"a": 1.0}}}
    result = irmx_study.leave_out("AP", {"q": {"a": 1, "b": 1}}, tied, depth=1, jobs=1)
    assert result.frame()["judged"].tolist() == [1, 0, 1]


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
    rows, frame = result.frame("runs").set_index(["measure", "run"]), result.frame().set_index(["measure", "group"])
    assert len(frame) == 7 * 4
    assert unpooled(result) == 0
    for group in "ABCD":
        others = [run for name, run in runs.items() if group_of[name] != group]
        pool = {t: {d for run in others for d in sorted(run[t], key=run[t].__getitem__)[-5:]} for t in qrels}
        cut = {t: {d: g for d, g in docs.items() if d in pool[t]} for t, docs in qrels.items()}
        lost = [qrels[t][d] for t in qrels for d in set(qrels[t]) - set(cut[t])]
        assert len(lost) > 3
        without = irmx.scores(MEASURES, cut, runs).means()
        own = [name for name in runs if group_of[name] == group]
        for measure in full.columns:
            row = frame.loc[(measure, group)]
            assert (row["judged"], row["relevant"], row["runs"]) == (len(lost), sum(g > 0 for g in lost), 2)
            tau = kendalltau(full[measure].round(12), without[measure].round(12)).statistic
            assert row["tau"] == pytest.approx(tau)
            ranks = [of[measure].round(12).rank(method="min", ascending=False) for of in (full, without)]
            changes = rows.loc[[(measure, name) for name in own]]
            for name, of_run in zip(own, changes.to_dict("records"), strict=True):
                assert (of_run["value"], of_run["value_without"]) == (full[measure][name], without[measure][name])
                assert (of_run["rank"], of_run["rank_without"]) == (ranks[0][name], ranks[1][name])
                assert of_run["rank_change"] == of_run["rank_without"] - of_run["rank"]
                assert of_run["value_change"] == of_run["value_without"] - of_run["value"]
            assert row["value_change"] == pytest.approx(changes["value_change"].mean())
            assert row["rank_change"] == pytest.approx(changes["rank_change"].mean())
            assert row["worst_rank"] == changes["rank_change"].max()
    summary = result.frame("measures").set_index("measure")
    assert summary["tau"].to_dict() == pytest.approx(result.frame().groupby("measure")["tau"].mean().to_dict())
    assert summary["worst_rank"].to_dict() == rows.groupby("measure")["rank_change"].max().to_dict()


@lacks_topics
def test_means_stay_over_the_same_topics() -> None:
    of_one = irmx_study.leave_out("AP", QRELS, RUNS, depth=2, jobs=1).frame("runs").set_index("run").loc["one"]
    assert of_one["value"] == pytest.approx(((1 + 1 + 3 / 4) / 3 + 1 / 2) / 2)
    assert of_one["value_without"] == pytest.approx(((1 + 1 + 3 / 4) / 3 + 0) / 2)  # p has lost its only judgment


def test_a_measure_that_cannot_rank_without_a_group_is_told() -> None:
    runs = {"one": {"q": ranked("a")}, "two": {"q": ranked("n")}, "three": {"q": ranked("n", "x")}}
    result = irmx_study.leave_out("P@1 AP", {"q": {"a": 1, "n": 0}}, runs, depth=5, jobs=1)
    taus = result.frame().set_index(["measure", "group"])["tau"]
    assert np.isnan(taus["P@1", "one"])
    assert taus["P@1", "two"] == 1
    told = "gives all systems the same value without 1 group, where tau is undefined"
    assert result.notes[:2] == (f"P@1 {told}", f"AP {told}")
    assert result.frame("measures")["groups"].tolist() == [2, 2]


def test_topics_that_lose_all_relevant_documents_are_told() -> None:
    qrels = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1, "d": 1, "e": 0}}
    one = {"q1": ranked("a", "b"), "q2": ranked("c")}
    runs = {"one": one, "two": {"q1": ranked("b"), "q2": ranked("e", "d")}}
    runs["three"] = {"q1": ranked("b"), "q2": ranked("e", "x", "d")}
    notes = irmx_study.leave_out("AP", qrels, runs, depth=3, jobs=1).notes
    assert "no relevant document is left for up to 1 topic without one; such topics count" in " ".join(notes)
    assert not irmx_study.leave_out("AP", {"q2": qrels["q2"]}, runs, depth=3, jobs=1).notes


def test_filters_leave_the_pool_as_it_is(collection: Any) -> None:
    qrels, runs, group_of = collection
    every = irmx_study.leave_out("AP", qrels, runs, group_of, depth=5, jobs=1)
    few = irmx_study.leave_out("AP", qrels, runs, group_of, depth=5, jobs=1, only=["r0", "r1", "r2"])
    assert few.frame()[["group", "runs"]].to_numpy().tolist() == [["A", 2], ["B", 1]]
    assert few.frame()["judged"].tolist() == every.frame()["judged"].tolist()[:2]
    columns = ["value", "value_without", "value_change"]
    pd.testing.assert_frame_equal(few.frame("runs")[columns], every.frame("runs")[columns][:3])
    with pytest.raises(DataError, match="Here 2 runs are left: r0, r1"):
        irmx_study.leave_out("AP", qrels, runs, group_of, depth=5, jobs=1, only=["r0", "r1"])


# -- groups, choices, the command, the picture -------------------------------------------------------------


@lacks_topics
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("run,group\none,A\ntwo,B\n", "no group of 1 run: three"),
        ("run,group\none,A\ntwo,B\nthree,B\nthre,B\n", "1 run of 4 is not among the runs here: thre. Did you mean thr"),
        ("run,group\none,A\ntwo,A\nthree,A\n", "all runs are in one group, 'A'"),
        ("run,group\none,A\ntwo,B\nthree,B\none,B\n", "line 5: the run one is in two groups, 'A' and 'B'"),
        ("run,team\none,A\n", "group"),
    ],
)
def test_bad_groups_are_told(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "groups.csv").write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as error:
        irmx_study.leave_out("AP", QRELS, RUNS, tmp_path / "groups.csv", jobs=1)
    assert message in str(error.value)


@lacks_topics
def test_groups_from_any_table_or_none(tmp_path: Path) -> None:
    given = {"one": "A", "two": "B", "three": "A"}
    lines = ["run\tgroup\ttask", "two\tB\tx", "one\tA\ty", "one\tA\tz", "three\tA\tx"]
    (tmp_path / "groups.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    table = pd.DataFrame({"run": list(given), "group": list(given.values())})
    every = (given, table, tmp_path / "groups.tsv")
    found = [irmx_study.leave_out("AP", QRELS, RUNS, groups, depth=2, jobs=1).frame() for groups in every]
    assert found[0]["group"].tolist() == ["A", "B"]
    pd.testing.assert_frame_equal(found[0], found[1])
    pd.testing.assert_frame_equal(found[0], found[2])
    for changed, message in (({"depth": 0}, "'depth' parameter of leave_out"), ({"rel": "x"}, "'rel'")):
        with pytest.raises(UsageError, match=message):
            irmx_study.leave_out("AP", QRELS, RUNS, **changed)


def test_the_command_prints_the_tables(command: Any, tmp_path: Path) -> None:
    (tmp_path / "groups.csv").write_text("run,group\nbm25.run,A\ntitles.run,A\nrecent.run,B\n", encoding="utf-8")
    runs = {path.name: str(path) for path in FILES[1:]}
    words = ["pool", *FILES, "AP", "P@10", "--pool-depth", "10", "--jobs", "1", "-o", "csv"]
    for groups, count in ((None, 3), (tmp_path / "groups.csv", 2)):
        result = irmx_study.leave_out("AP P@10", qrels_path(), runs, groups, depth=10, jobs=1)
        for table in ("groups", "measures", "runs"):
            done = command(*words, "--leave-out", groups or "each-run", "--table", table)
            assert done.code == 0
            pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(done.out)), result.frame(table), check_dtype=False)
            assert f"the top 10 of 3 runs in {count} groups" in done.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--leave-out", "each-run", "--keep", "50"], "--keep is about random samples"),
        (["--leave-out", "each-run", "--samples", "0"], "--samples is about random samples"),
        (["--leave-out", "each-run", "--table", "levels"], "levels"),
        (["--table", "runs"], "runs"),
        (["--pool-depth", "10"], "--pool-depth goes with --leave-out"),
        (["--leave-out", "each-run", "--pool-depth", "0"], "Got 0 instead"),
    ],
)
def test_options_of_the_other_study_are_refused(words: list[str], message: str, command: Any) -> None:
    command("pool", *FILES, "AP", *words).assert_refused(2, message)


def test_the_picture_has_a_ring_per_rank_change_and_their_mean() -> None:
    result = irmx_study.leave_out("AP RR", qrels_path(), {system: run_path(system) for system in SYSTEMS}, depth=10)
    ax, changes = result.plot(), result.frame("runs").groupby("measure", sort=False)["rank_change"]
    rings = [ring.get_offsets()[:, 0].tolist() for ring in ax.collections if len(ring.get_offsets())]
    assert rings == [sorted(set(of)) for _, of in changes]
    means = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "d" and len(line.get_xdata())]
    assert means == changes.mean().tolist()
