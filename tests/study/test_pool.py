"""Smaller pools: equal to scoring cut qrels, value for value, and what is said where tau is undefined."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

import irmx
import irmx_study
from irmx import DataError, DataWarning, UsageError
from irmx.demo import SYSTEMS, qrels_path, run_path
from irmx_study.pooling.judgment_samples import JudgmentSamples
from irmx_study.pooling.percentages import exact_percentages

RUNS = {system: str(run_path(system)) for system in SYSTEMS}
MEASURES = [
    "AP", "AP(judged_only=True)", "Bpref", "P@10", "P(judged_only=True)@5", "R@20", "Rprec", "RR", "nDCG@10", "nDCG", "Success@5",
    "Judged@10", "NumRel", "NumRelRet", "RBP(p=0.8)", "infAP", "MP(model=GL_AD_ID)", "MP(model=LO_OR_LID)@20",
    "MP(model=GL_AD_ID,judged_only=True)", "NCP(law=uniform)", "NCP(law=first)", "NCP(law=first,judged_only=True)",
]  # fmt: skip


@pytest.fixture(scope="module")
def collection() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Graded qrels, also with negative grades, and eight runs that retrieve unjudged documents, and not every topic."""
    rng = np.random.default_rng(15)
    qrels = {
        f"q{t}": {f"d{d}": int(g) for d, g in enumerate(rng.choice([-1, 0, 1, 2], 80, p=[0.05, 0.6, 0.25, 0.1]))}
        for t in range(5)
    } | {"few": {"d1": 1, "d2": 0}}
    runs: dict[str, dict[str, dict[str, float]]] = {}
    for r in range(8):
        runs[f"r{r}"] = {
            t: {
                f"d{d}": float(s + (r / 8) * docs.get(f"d{d}", 0)) for d, s in enumerate(rng.normal(size=120)) if s > -1
            }
            for t, docs in list(qrels.items())[: 6 - (r == 3)]
        }
    return qrels, runs


@pytest.mark.filterwarnings("ignore:.*no results for 1 of 6 topics")
def test_equal_to_cut_qrels_scored_from_scratch(collection: Any) -> None:
    qrels, runs = collection
    result = irmx_study.pool(MEASURES, qrels, runs, keep=(60, "12.5"), samples=2, seed=3)
    values = result.values().set_index(["measure", "run"])
    judgments = irmx.read_qrels(qrels)
    masks = JudgmentSamples(exact_percentages("60,12.5"), 2, 3, 1).masks(judgments)
    cuts = {(100, 0): qrels} | {
        key: judgments.where(mask).as_dict()
        for key, mask in zip([(60, 1), (12.5, 1), (60, 2), (12.5, 2)], masks, strict=True)
    }
    assert len({str(cut) for cut in cuts.values()}) == 5
    full = irmx.scores(MEASURES, qrels, runs).means()
    for (keep, sample), cut in cuts.items():
        expected = irmx.scores(MEASURES, cut, runs).means()
        is_cut = values["keep"].isna() if not sample else (values["keep"] == keep) & (values["sample"] == sample)
        of_cut = values[is_cut.to_numpy(dtype=bool)]["value"].unstack("measure").loc[expected.index, expected.columns]
        pd.testing.assert_frame_equal(of_cut, expected, check_names=False, rtol=0, atol=0)
        if sample:
            rows = result.samples().set_index(["keep", "sample", "measure"]).sort_index().loc[(keep, sample)]
            for measure in expected.columns:
                tau = kendalltau(expected[measure].round(12), full[measure].round(12)).statistic
                assert rows.loc[measure, "tau"] == pytest.approx(tau, nan_ok=True), measure
                assert rows.loc[measure, "mean_value"] == pytest.approx(expected[measure].mean())


def test_diversity_qrels_lose_whole_documents() -> None:
    rng = np.random.default_rng(2)
    rows = [(f"q{t}", f"d{d}", int(rng.random() < 0.3), s) for t in range(4) for d in range(40) for s in ("1", "2")]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    runs = {f"r{r}": {f"q{t}": {f"d{d}": rng.random() for d in range(50)} for t in range(4)} for r in range(4)}
    result = irmx_study.pool("alpha_nDCG@10 AP", qrels, runs, keep=30, samples=1)
    judgments = irmx.read_qrels(qrels)
    [mask] = JudgmentSamples(exact_percentages(30), 1, 0, 1).masks(judgments)
    kept = {t: set(docs) for t, docs in judgments.where(mask).as_dict().items()}
    cut = qrels[[doc in kept[t] for t, doc in zip(qrels["query_id"], qrels["doc_id"], strict=True)]]
    expected = irmx.scores("alpha_nDCG@10 AP", cut, runs).means()
    values = result.values().dropna(subset=["keep"]).pivot(index="run", columns="measure", values="value")
    pd.testing.assert_frame_equal(values[expected.columns], expected, check_names=False, rtol=0, atol=0)


def test_bpref_of_the_worked_example() -> None:
    qrels = {"q": {"r1": 1, "r2": 1, "r3": 1, "r4": 1, "n1": 0, "n2": 0, "n3": 0}}
    ranking = ["r1", "n1", "r2", "n2", "n3", "u", "r3"]
    runs = {
        name: {"q": {doc: -float(i) for i, doc in enumerate(docs)}}
        for name, docs in {"example": ranking, "shorter": ranking[:1], "other": ranking[1:]}.items()
    }
    values = irmx_study.pool("Bpref", qrels, runs, keep=100, samples=1).values()
    assert values[values["run"] == "example"]["value"].tolist() == pytest.approx([0.416667] * 2, abs=5e-7)


def test_all_judgments_give_the_same_ranking() -> None:
    frame = irmx_study.pool("AP Bpref RR", qrels_path(), RUNS, keep=100, samples=3).frame()
    assert frame[["tau", "low", "high"]].to_numpy().tolist() == [[1.0] * 3] * 3
    drops = irmx_study.pool("AP Bpref RR", qrels_path(), RUNS, keep=100, samples=3).drops()
    assert drops["drop"].abs().max() < 1e-15


def test_the_columns_and_what_they_summarise() -> None:
    result = irmx_study.pool("AP P@10", qrels_path(), RUNS, keep=(50, 10), samples=4)
    frame, samples, drops = result.frame(), result.samples(), result.drops()
    assert list(frame.columns) == ["measure", "keep", "samples", "tau", "low", "high", "mean_value"]
    assert frame[["measure", "keep"]].to_numpy().tolist() == [["AP", 50], ["AP", 10], ["P@10", 50], ["P@10", 10]]
    for row in frame.itertuples():
        of = samples[(samples["measure"] == row.measure) & (samples["keep"] == row.keep)]
        assert of["sample"].tolist() == [1, 2, 3, 4]
        assert [row.samples, row.tau, row.low, row.high, row.mean_value] == pytest.approx(
            [4, of["tau"].mean(), of["tau"].min(), of["tau"].max(), of["mean_value"].mean()]
        )
    full = irmx.scores("AP P@10", qrels_path(), RUNS).means().mean()
    assert drops["full_value"].tolist() == pytest.approx(full.loc[drops["measure"]].tolist())
    assert drops["drop"].tolist() == pytest.approx((drops["full_value"] - frame["mean_value"]).tolist())
    assert drops["relative"].tolist() == pytest.approx((drops["drop"] / drops["full_value"]).tolist())
    judgments = irmx.read_qrels(qrels_path())
    masks = JudgmentSamples(exact_percentages((50, 10)), 4, 0, 1).masks(judgments)
    counts = [(int(m.sum()), int((judgments.grade[m] >= 1).sum())) for m in masks]
    assert counts == [*zip(result.sizes["judged"], result.sizes["relevant"], strict=True)][1:] * 4


def test_the_number_of_jobs_changes_nothing(collection: Any) -> None:
    qrels, runs = collection
    with pytest.warns(DataWarning, match=r"r3: no results for 1 of 6 topics \(few\)") as warned:
        one = irmx_study.pool("AP Bpref", qrels, runs, keep=30, samples=2, jobs=1)
    assert len(warned) == 1
    with pytest.warns(DataWarning, match=r"r3: no results for 1 of 6 topics \(few\)"):
        two = irmx_study.pool("AP Bpref", qrels, runs, keep=30, samples=2, jobs=2)
    pd.testing.assert_frame_equal(one.values(), two.values())


# -- where tau is undefined ------------------------------------------------------------------------------


def test_a_sample_in_which_all_values_are_equal_is_left_out_and_told() -> None:
    relevant = {f"a{i}": 1 for i in range(20)}
    nonrelevant = {f"n{i}": 0 for i in range(12)}
    runs = {f"r{i}": {"q": {f"a{i}": 2.0, "x": 1.0} if i < 2 else {"x": 2.0}} for i in range(3)}
    result = irmx_study.pool("P@1", {"q": relevant | nonrelevant}, runs, keep=(90, 10), samples=20)
    [most, few] = result.frame().itertuples()
    problems = result.samples().groupby("keep", sort=False)["problem"].apply(lambda p: (p == "all values equal").sum())
    assert 0 < problems[10] < 20
    assert few.samples == 20 - problems[10]
    assert np.isfinite([few.tau, few.low, few.high, few.mean_value]).all()
    assert f"P@1 gives all systems the same value in {problems[10]} of 20 samples at 10%" in result.notes[-1]
    assert most.samples == 20 - problems[90]


def test_a_measure_without_any_tau_is_missing_and_told() -> None:
    qrels = {"q": {f"a{i}": 1 for i in range(100)}}
    runs = {f"r{i}": {"q": {f"a{i}": 2.0, "x": 1.0} if i < 1 else {"x": 2.0}} for i in range(3)}
    result = irmx_study.pool("P@1", qrels, runs, keep=1, samples=1)
    assert result.frame().iloc[0][["samples", "mean_value"]].tolist() == [0, 0]
    assert np.isnan(result.frame()["tau"][0])
    assert result.notes == (
        "P@1 gives all systems the same value in 1 of 1 sample at 1%, where tau is undefined; they are left out of tau",
    )


def test_a_measure_that_refuses_a_sample_is_left_out_and_told() -> None:
    @irmx.measure(range=(0, None))
    def Picky(ranking: irmx.Ranking) -> float:
        """Refuse topics with few relevant documents."""
        if ranking.recall_base < 3:
            raise DataError("too few judgments")
        return float(ranking.precision.sum())

    result = irmx_study.pool("Picky AP", qrels_path(), RUNS, keep=(90, 10), samples=2, jobs=1)
    frame = result.frame().set_index(["measure", "keep"])
    assert frame["samples"].tolist() == [2, 0, 2, 2]
    assert frame.loc[("Picky", 10)][["tau", "low", "high", "mean_value"]].isna().all()
    assert result.notes == (
        "Picky cannot be computed with 2 of 2 samples at 10%, which are left out: Picky: too few judgments",
    )
    alone = irmx_study.pool("AP", qrels_path(), RUNS, keep=(90, 10), samples=2, jobs=1).frame()
    pd.testing.assert_frame_equal(result.frame()[2:].reset_index(drop=True), alone)
    assert "too few judgments" in set(result.values()["refusal"].dropna().str.removeprefix("Picky: "))


# -- bad input -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"samples": 0}, "'samples' parameter of pool must be an int.*Got 0 instead"),
        ({"seed": -1}, "'seed' parameter of pool"),
        ({"keep": 101}, "percentage in the range"),
        ({"runs": {"titles": RUNS["titles"], "bm25": RUNS["bm25"]}}, "3 or more runs. Got 2: titles, bm25"),
        ({"only": ["titles", "bm25", "recent", "title"]}, "has 'title', which is no run here. Did you mean titles"),
        ({"jobs": 0}, "number of jobs"),
        ({"best": 0}, "percentage in the range"),
    ],
)
def test_bad_choices_are_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        irmx_study.pool(**{"measures": "AP", "qrels": qrels_path(), "runs": RUNS, "samples": 1, **changed})


def test_too_few_systems_left_and_measures_that_rank_nothing() -> None:
    with pytest.raises(DataError, match=r"takes 3 or more systems\. Here 1 run is left"):
        irmx_study.pool("AP", qrels_path(), RUNS, samples=1, best=34)
    with pytest.raises(DataError, match=r"NumRel gives all of 3 systems the same value, 330, with all judgments"):
        irmx_study.pool("AP NumRel", qrels_path(), RUNS, samples=1)
    with pytest.raises(DataError, match=r"MPcont.* cannot be computed: .*dwell"):
        irmx_study.pool("MPcont(model=GL_AD_ID)", qrels_path(), RUNS, samples=1)


def test_filters_keep_the_systems_that_choose_systems_keeps(collection: Any) -> None:
    qrels, runs = collection
    with pytest.warns(DataWarning, match="no results"):
        result = irmx_study.pool("AP", qrels, runs, keep=50, samples=2, every_topic=True, best=50)
    with pytest.warns(DataWarning, match="no results"):
        whole = irmx.scores("AP", qrels, runs)
    systems = irmx_study.choose_systems(whole, every_topic=True, best=50).systems
    assert "r3" not in systems
    assert result.means.systems == systems
    alone = irmx_study.pool("AP", qrels, {s: runs[s] for s in systems}, keep=50, samples=2)
    pd.testing.assert_frame_equal(result.frame(), alone.frame())
