"""``irmx judges --runs``: agreement of judges on systems."""

import lzma
import os
import tarfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import irmx
import irmx_study

TOPICS, DOCS, SYSTEMS = 15, 30, 8


def collection(seed: int = 0, noise: float = 0.35) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the qrels of two judges, the second of which errs, and runs that get worse one after the other."""
    rng = np.random.default_rng(seed)
    grades = rng.choice(4, (TOPICS, DOCS), p=(0.5, 0.2, 0.2, 0.1))
    wrong = np.where(rng.random(grades.shape) < noise, rng.integers(0, 4, grades.shape), grades)
    judges = {
        name: {f"q{t}": {f"d{d}": int(of[t, d]) for d in range(DOCS)} for t in range(TOPICS)}
        for name, of in (("human", grades), ("llm", wrong))
    }
    runs = {}
    for s in range(SYSTEMS):
        scores = grades + rng.normal(0, 0.5 + 0.5 * s, grades.shape)
        runs[f"run{s}"] = {f"q{t}": {f"d{d}": float(scores[t, d]) for d in range(DOCS)} for t in range(TOPICS)}
    return judges, runs


@pytest.fixture(scope="module")
def result() -> irmx_study.Judges:
    judges, runs = collection()
    groups = {name: "odd" if int(name[3:]) % 2 else "even" for name in runs}
    return irmx_study.judges(judges, runs=runs, measures="nDCG@10 P@5", groups=groups, top=4, resamples=400)


@pytest.fixture(scope="module")
def values() -> dict[str, Any]:
    """The values of nDCG@10 by each judge, topics x systems."""
    judges, runs = collection()
    return {name: irmx.scores("nDCG@10", qrels, runs)["nDCG@10"] for name, qrels in judges.items()}


def test_rankings_agree_as_other_functions_say(result: irmx_study.Judges, values: dict[str, Any]) -> None:
    row = result.frame().iloc[0]
    human, llm = (of.mean(axis=0) for of in values.values())
    assert row[["measure", "runs", "pairs"]].tolist() == ["nDCG@10", SYSTEMS, TOPICS * DOCS]
    assert row["tau"] == pytest.approx(stats.kendalltau(human, llm).statistic)
    assert row["tau"] < 1
    assert row["tau_ap"] == pytest.approx(irmx_study.tau_ap(human, llm))
    rankings = [irmx_study.tied_groups(of.round(12)) for of in (human, llm)]
    assert row["rbo"] == pytest.approx(irmx_study.rbo(*rankings).extrapolated)
    best = np.argsort(-human)[:4]
    assert row["tau_top"] == pytest.approx(stats.kendalltau(human[best], llm[best]).statistic)
    ranks = [stats.rankdata(-of) for of in (human, llm)]
    assert row["max_drop"] == max(0, (ranks[1] - ranks[0]).max())
    moved = result.frame("runs")
    moved = moved[moved["measure"] == "nDCG@10"]
    assert moved["lifted"].tolist() == (ranks[0] - ranks[1]).tolist()
    assert moved["mean_b"].tolist() == pytest.approx(llm.tolist())


def test_the_order_of_runs_decides_nothing_where_they_tie() -> None:
    judges, runs = collection()
    flat = {topic: dict.fromkeys(docs, 0) for topic, docs in judges["human"].items()}
    found = []
    for ordered in (runs, dict(reversed(runs.items()))):
        result = irmx_study.judges({**judges, "flat": flat}, runs=ordered, measures="P@1", top=4)
        moved = result.frame("runs").sort_values(["judge_a", "judge_b", "system"])
        found.append((result.frame("systems"), moved))
    (one, of_one), (other, of_other) = found
    pd.testing.assert_frame_equal(one, other, rtol=1e-12)
    assert of_one["lifted"].tolist() == of_other["lifted"].tolist()
    undefined = one[(one["judge_a"] == "human") & (one["judge_b"] == "flat")][["tau", "tau_ap", "tau_top"]]
    assert undefined.isna().all(axis=None)
    of_flat = of_one[(of_one["judge_a"] == "human") & (of_one["judge_b"] == "flat")]["lifted"]
    assert of_flat.sum() == 0
    assert of_flat.min() < 0


def test_judges_of_a_single_common_topic_rank_no_systems() -> None:
    judges, runs = collection()
    few = {topic: judges["llm"][topic] for topic in list(judges["llm"])[:1]}
    with pytest.raises(irmx.DataError, match="two topics"):
        irmx_study.judges({"human": judges["human"], "few": few}, runs=runs, measures="P@5")
    result = irmx_study.judges({**judges, "few": few}, runs=runs, measures="P@5")
    moved = result.frame("runs").set_index("judge_b")
    assert moved.loc["few", "lifted"].isna().all()
    assert moved.loc["llm", "lifted"].notna().all()


def test_offset_and_rest_are_those_of_a_two_way_decomposition(result: irmx_study.Judges, values: Any) -> None:
    row = result.frame("systems").iloc[0]
    means = np.stack([of.mean(axis=0) for of in values.values()], axis=1)
    rest = means - means.mean(axis=0) - means.mean(axis=1)[:, None] + means.mean()
    assert row["offset"] == pytest.approx(means[:, 1].mean() - means[:, 0].mean())
    assert row["rest_sd"] == pytest.approx(np.sqrt((rest**2).sum() / (SYSTEMS - 1)))
    assert row["systems_sd"] == pytest.approx(means.mean(axis=1).std(ddof=1))


@pytest.mark.parametrize(("correction", "method"), [(None, "holm"), ("none", None), ("bh", "fdr_bh")])
def test_significant_pairs_are_counted_as_by_scipy_and_statsmodels(correction: Any, method: Any, values: Any) -> None:
    judges, runs = collection()
    found = irmx_study.judges(judges, runs=runs, measures="nDCG@10", correction=correction).frame("systems").iloc[0]
    pairs = [(i, j) for i in range(SYSTEMS) for j in range(i)]
    significant, signs = [], []
    for of in values.values():
        p = np.array([stats.ttest_rel(of[:, i], of[:, j]).pvalue for i, j in pairs])
        significant.append((p if method is None else multipletests(p, method=method)[1]) <= 0.05)
        signs.append(np.sign([of[:, i].mean() - of[:, j].mean() for i, j in pairs]))
    a, b, same = *significant, signs[0] == signs[1]
    expected = {
        "active_agreement": a & b & same, "active_disagreement": a & b & ~same, "mixed_agreement": (a ^ b) & same,
        "mixed_disagreement": (a ^ b) & ~same, "passive_agreement": ~a & ~b & same, "passive_disagreement": ~a & ~b & ~same,
    }  # fmt: skip
    assert found[list(expected)].to_dict() == {name: of.sum() for name, of in expected.items()}
    assert found["recall"] == pytest.approx((a & b & same).sum() / a.sum())
    assert found["precision"] == pytest.approx((a & b & same).sum() / b.sum())
    assert (a ^ b).any()


def test_a_judge_beside_itself_agrees_on_everything() -> None:
    judges, runs = collection()
    twice = {"one": judges["human"], "two": judges["human"]}
    row = irmx_study.judges(twice, runs=runs, measures="AP").frame("systems").iloc[0]
    assert row[["tau", "tau_ap", "rbo", "tau_top", "recall", "precision"]].tolist() == pytest.approx([1.0] * 6)
    none = ["max_drop", "offset", "rest_sd", "active_disagreement", "mixed_agreement", "mixed_disagreement"]
    assert row[none].eq(0).all()


def test_judges_that_change_places_change_recall_for_precision(result: irmx_study.Judges) -> None:
    judges, runs = collection()
    turned = irmx_study.judges(dict(reversed(judges.items())), runs=runs, measures="nDCG@10").frame("systems").iloc[0]
    row = result.frame("systems").iloc[0]
    assert turned[["recall", "precision"]].tolist() == row[["precision", "recall"]].tolist()
    assert turned["offset"] == pytest.approx(-row["offset"])
    assert turned["active_agreement"] == row["active_agreement"]


def test_favour_is_a_difference_of_differences_with_an_interval_that_a_biased_judge_moves(
    result: irmx_study.Judges, values: dict[str, Any]
) -> None:
    table = result.frame("groups").set_index(["measure", "group"])
    row = table.loc[("nDCG@10", "odd")]
    gain = (values["llm"] - values["human"]).mean(axis=0)
    assert row["value_favour"] == pytest.approx(gain[1::2].mean() - gain[::2].mean())
    ranks = [stats.rankdata(of.mean(axis=0)) for of in values.values()]
    assert row["ranks_favour"] == pytest.approx((ranks[1] - ranks[0])[1::2].mean() - (ranks[1] - ranks[0])[::2].mean())
    assert row["value_low"] < row["value_favour"] < row["value_high"]
    assert table.loc[("nDCG@10", "even"), "value_favour"] == pytest.approx(-row["value_favour"])
    judges, runs = collection()
    # a judge that finds relevant what run5 retrieves first
    fond = {
        topic: grades | dict.fromkeys(sorted(runs["run5"][topic], key=runs["run5"][topic].get, reverse=True)[:5], 3)
        for topic, grades in judges["human"].items()
    }
    groups = {name: "mine" if name == "run5" else "others" for name in runs}
    of = irmx_study.judges({"human": judges["human"], "fond": fond}, runs=runs, measures="nDCG@10", groups=groups)
    assert of.frame("groups").set_index("group").loc["mine", "value_low"] > 0


def test_two_judges_are_compared_on_the_topics_that_both_judged() -> None:
    judges, runs = collection()
    few = {topic: grades for topic, grades in judges["llm"].items() if topic not in ("q0", "q1")}
    found = irmx_study.judges({"human": judges["human"], "few": few}, runs=runs, measures="nDCG@10")
    both = {topic: judges["human"][topic] for topic in few}
    expected = irmx_study.judges({"human": both, "few": few}, runs=runs, measures="nDCG@10")
    pd.testing.assert_frame_equal(found.frame("systems"), expected.frame("systems"))
    assert found.frame("systems")["topics"].iloc[0] == TOPICS - 2
    assert any("same topics" in note for note in found.notes)


def test_a_grade_of_relevance_by_judge_reaches_measures_that_do_not_say_theirs() -> None:
    judges, runs = collection()
    found = irmx_study.judges(judges, runs=runs, measures="P@5 P(rel=3)@5", rel={"human": 2}).frame("runs")
    means = found.groupby("measure", sort=False)[["mean_a", "mean_b"]].agg(list)
    for measure, of in (("P@5", ("P(rel=2)@5", "P@5")), ("P(rel=3)@5", ("P(rel=3)@5",) * 2)):
        for column, judge, scored in zip(("mean_a", "mean_b"), judges, of, strict=True):
            expected = irmx.scores(scored, judges[judge], runs).means().iloc[:, 0].tolist()
            assert means.loc[measure, column] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("choose", "error", "message"),
    [
        ({"runs": None}, irmx.UsageError, "runs are missing"),
        ({"measures": None}, irmx.UsageError, "measures are missing"),
        ({"top": 1}, irmx.UsageError, "top"),
        ({"family": "all"}, irmx.UsageError, "family"),
        ({"groups": {"run0": "a"}}, irmx.DataError, "no group of 7 runs"),
        ({"test": "tt"}, irmx.UsageError, "tt"),
    ],
)
def test_what_is_refused(choose: dict[str, Any], error: type[Exception], message: str) -> None:
    judges, runs = collection()
    with pytest.raises(error, match=message):
        irmx_study.judges(judges, **{"runs": runs, "measures": "AP", **choose})


def test_two_runs_and_judges_without_a_topic_in_common_are_refused() -> None:
    judges, runs = collection()
    with pytest.raises(irmx.UsageError, match="at least 3 runs"):
        irmx_study.judges(judges, runs={name: runs[name] for name in ("run0", "run1")}, measures="AP")
    with pytest.raises(irmx.UsageError, match="groups is about runs"):
        irmx_study.judges(judges, groups={"run0": "a"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with qrels and runs."""
    judges, runs = collection()
    for name, qrels in judges.items():
        lines = [f"{t} 0 {d} {g}\n" for t, of in qrels.items() for d, g in of.items()]
        (tmp_path / f"{name}.qrels").write_text("".join(lines))
    for name, run in runs.items():
        lines = [f"{t} Q0 {d} 0 {score} {name}\n" for t, of in run.items() for d, score in of.items()]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    rows = [f"{name}.run,{name in ('run1', 'run2')}\n" for name in runs]
    (tmp_path / "groups.csv").write_text("run,group\n" + "".join(rows))
    return tmp_path


def test_the_command(folder: Path, command: Any) -> None:
    runs = ("--runs", "run[0-3].run", "--runs", "run[4-7].run")
    words = ("judges", "human.qrels", "llm.qrels", *runs, "--measures", "nDCG@10", "--measures", "AP")
    done = command(*words, "-o", "csv")
    assert done.code == 0, done.err
    rows = done.rows
    columns = (
        "mean_a,mean_b,measure,runs,tau,tau_ap,rbo,tau_top,max_drop,active_agreement,active_disagreement,mixed_agreement,"
        "mixed_disagreement,passive_agreement,passive_disagreement"
    )
    assert ",".join(rows[0]).endswith(columns)
    assert [(row["measure"], row["runs"]) for row in rows] == [("nDCG@10", "8"), ("AP", "8")]
    done = command(*words, "--groups", "groups.csv", "--top", "5")
    assert "top 5" in done.out
    assert "by nDCG@10, llm lifts" in done.out
    assert "in ranks" in done.out
    assert "nan" not in done.out
    command("judges", "human.qrels", "llm.qrels", "--runs", "*.run").assert_refused(2, "measures are missing")


# -- pictures ----------------------------------------------------------------------------------------------


def test_the_confusion_picture_has_the_counts_of_the_grades_that_are_used(result: irmx_study.Judges) -> None:
    ax = result.plot("confusion")
    counts = result.frame("confusion")["documents"].tolist()
    assert [int(text.get_text()) for text in ax.texts] == counts
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0", "1", "2", "3"]
    judges, _ = collection()
    binary = {topic: {doc: min(grade, 1) for doc, grade in of.items()} for topic, of in judges["llm"].items()}
    ax = irmx_study.judges({"human": judges["human"], "binary": binary}).plot()
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0", "1"]
    assert len(ax.texts) == 8
    fractional = {"q0": {f"d{d}": d / 30 for d in range(30)}}
    with pytest.raises(irmx.UsageError, match="too many for a picture"):
        irmx_study.judges({"human": judges["human"], "share": fractional}).plot()


def test_the_slope_chart_has_a_line_per_run_from_its_rank_to_its_rank(result: irmx_study.Judges) -> None:
    ax = result.plot("leaderboards", measure="nDCG@10")
    moved = result.frame("runs")
    moved = moved[moved["measure"] == "nDCG@10"]
    ends = [tuple(line.get_ydata()) for line in ax.lines]
    assert ends == list(zip(moved["rank_a"], moved["rank_b"], strict=True))
    assert f"{result.frame()['tau'].iloc[0]:.3f}" in ax.get_xlabel()
    low, high = ax.get_ylim()
    assert low > high  # the best on top


def test_every_judge_has_a_panel_or_is_named_below() -> None:
    judges, runs = collection()
    fractional = {
        topic: {doc: grade + place / 30 for place, (doc, grade) in enumerate(of.items())}
        for topic, of in judges["llm"].items()
    }
    several = {**judges, "again": judges["llm"], "share": fractional}
    found = irmx_study.judges(several, runs=runs, measures="nDCG@10")
    shown = found.plot("leaderboards").figure
    assert [ax.get_xticklabels()[1].get_text() for ax in shown.axes] == list(several)[1:]
    grades = found.plot("confusion").figure
    assert "share" in grades.get_supxlabel()
    assert not any("share" in ax.get_xlabel() for ax in grades.axes)


def test_the_picture_of_kappa_and_tau_has_a_marker_per_judge(result: irmx_study.Judges) -> None:
    ax = result.plot("kappa", coefficient="alpha_ordinal", measure="P@5")
    [line] = ax.lines
    row = result.frame().iloc[1]
    assert (line.get_xdata()[0], line.get_ydata()[0]) == (row["alpha_ordinal"], row["tau"])


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("confusion", {"judge": "human"}, "no judge 'human'"),
        ("leaderboards", {"measure": "AP"}, "not ranked by 'AP'"),
        ("kappa", {"coefficient": "kapa"}, "no coefficient 'kapa'"),
    ],
)
def test_pictures_that_are_refused(kind: str, options: dict[str, str], message: str, result: irmx_study.Judges) -> None:
    with pytest.raises(irmx.UsageError, match=message):
        result.plot(kind, **options)


def test_the_command_draws(folder: Path, command: Any) -> None:
    words = ("judges", "human.qrels", "llm.qrels", "--runs", "*.run", "--measures", "AP", "--plot", "grades.png")
    done = command(*words, "--plot", "leaderboards=runs.svg", "--plot", "kappa=kappa.svg")
    assert done.code == 0, done.err
    assert (folder / "grades.png").read_bytes().startswith(b"\x89PNG")
    assert all("<svg" in (folder / name).read_text() for name in ("runs.svg", "kappa.svg"))


# -- real judges -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def dl21() -> Path:
    """The folder of judges of TREC DL 2021."""
    return Path(os.environ["IRMX_DATA"]) / "judges_dl21"


@pytest.fixture(scope="module")
def dl21_runs(dl21: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The 63 runs of TREC DL 2021, by name."""
    folder = tmp_path_factory.mktemp("dl21")
    with tarfile.open(dl21 / "runs_dl21_judged53.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    paths = sorted(folder.glob("*/input.*.txt"))
    return {path.name.removeprefix("input.").removesuffix(".txt"): path for path in paths}


def of_distinct_scores(path: Path) -> pd.DataFrame:
    """A run with whole numbers for scores: pytrec_eval takes scores as 32-bit floats, in which some are tied, trec_eval 10 does not."""
    names = ["query_id", "Q0", "doc_id", "rank", "score", "tag"]
    run = pd.read_csv(path, sep=r"\s+", names=names, dtype={"query_id": str})
    run = run.sort_values(["query_id", "score", "doc_id"])
    return run[["query_id", "doc_id"]].assign(score=run.groupby("query_id").cumcount().astype(float))


@pytest.mark.real
def test_taus_of_dl21_are_those_of_trec_eval(dl21: Path, dl21_runs: dict[str, Path]) -> None:
    with lzma.open(dl21 / "expected" / "leaderboard_tau_vs_human.tsv.xz", "rt") as file:
        expected = pd.read_csv(file, sep="\t").set_index(["judge", "measure"])
    judges = ["gpt4_umbrela", "gpt4o_umbrela", "llama32_umbrela", "gpt4_binary", "gpt4o_binary", "llama32_binary"]
    names = ["human_nist", *judges]
    result = irmx_study.judges(
        {name: dl21 / "qrels" / f"{name}.qrels.xz" for name in names},
        runs={name: of_distinct_scores(path) for name, path in dl21_runs.items()}, measures="nDCG@10 nDCG@100 AP P@10 RR",
        rel={name: 1 if name.endswith("binary") else 2 for name in names},
    )  # fmt: skip
    rows = result.frame("runs").set_index(["judge_a", "judge_b"]).loc["human_nist"]
    theirs = {"nDCG@10": "ndcg_cut_10", "nDCG@100": "ndcg_cut_100", "AP": "map", "P@10": "P_10", "RR": "recip_rank"}
    for name in judges:
        known = expected.loc["llama32_umbrela_pass1" if name == "llama32_umbrela" else name]  # the first pass counts
        for measure, of in theirs.items():
            of_judge = rows.loc[name]
            means = of_judge[of_judge["measure"] == measure][["mean_a", "mean_b"]].round(4).to_numpy().T
            # pytrec_eval takes scores as 32-bit floats, in which documents of three runs are tied, trec_eval 10 does not
            assert stats.kendalltau(*means).statistic == pytest.approx(known.loc[of, "tau_b"], abs=2e-6)


@pytest.mark.real
def test_published_taus_with_compatibility_under_thirteen_judges(dl21: Path) -> None:
    def means(path: Path) -> "pd.Series[float]":
        with lzma.open(path, "rt") as file:
            table = pd.read_csv(file, dtype=str).set_index(["topic", "runid"])
        return table.loc["average"].iloc[:, 0].astype(float)

    with lzma.open(dl21 / "published" / "taus_compat_vs_ndcg10.csv.xz", "rt") as file:
        taus = pd.read_csv(file, names=["year", "judge", "tau"])
    taus = taus[taus["year"] == "DL21"].set_index("judge")["tau"]
    people = means(dl21 / "published" / "dl21.ndcg_cut10.human.csv.xz")
    assert len(taus) == 13
    for judge, tau in taus.items():
        path = dl21 / "published" / "compatibility" / f"dl21.{str(judge).replace(' ', '_')}.compatibility.csv.xz"
        assert irmx_study.kendall_tau(people, means(path).reindex(people.index)) == pytest.approx(tau, abs=5e-4)


@pytest.mark.real
def test_ten_judges_of_dl21_take_less_than_a_minute(dl21: Path, dl21_runs: dict[str, Path]) -> None:
    judges = {path.name.partition(".")[0]: path for path in sorted((dl21 / "qrels").glob("*.qrels.xz"))}
    chosen = {name: judges[name] for name in ("human_nist", *[one for one in judges if one != "human_nist"][:9])}
    start = time.perf_counter()
    result = irmx_study.judges(chosen, runs=dl21_runs, measures="nDCG@10 AP")
    assert len(result.frame()) == 90
    result.frame("intervals")
    assert time.perf_counter() - start < 60
