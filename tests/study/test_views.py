"""Comparisons over views: for which users, judges and assumptions a system is better, where that changes, and which ranks it has."""

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import irmx
import irmx_study
from irmx.demo import SYSTEMS, qrels_path, run_path

RUNS = {system: run_path(system) for system in SYSTEMS}
P = (0.2, 0.5, 0.8, 0.95)


@pytest.fixture(scope="module")
def users() -> irmx.Scores:
    return irmx.scores(f"RBP(p={'|'.join(map(str, P))},rel=1|2) AP", qrels_path(), RUNS)


def winner(scores: irmx.Scores, v: int, a: str, b: str, level: float = 0.05) -> int:
    """1 or -1 for the system that SciPy's t test finds better, otherwise 0."""
    x, y = (scores.values[:, scores.systems.index(system), v] for system in (a, b))
    return int(np.sign((x - y).mean())) if stats.ttest_rel(x, y).pvalue <= level else 0


def test_for_how_many_settings_each_system_is_better(users: irmx.Scores) -> None:
    comparison = irmx_study.compare(users, baseline="titles", correction="none")
    over = comparison.frame("over")
    assert over["measure"].tolist() == ["RBP", "RBP"]
    for row in over.to_dict("records"):
        found = [winner(users, v, row["a"], row["b"]) for v in range(8)]
        assert (row["better"], row["worse"], row["undecided"]) == tuple(map(found.count, (1, -1, 0)))
        assert row["share_better"] == pytest.approx(found.count(1) / 8)
    views = comparison.frame("views")
    assert views["better"].tolist() == [
        {1: row["a"], -1: row["b"], 0: ""}[winner(users, users.names.index(name), row["a"], row["b"])]
        for name, row in zip(np.repeat(users.names, 2), views.to_dict("records"), strict=True)
    ]
    assert len(comparison.sentences()) == 2


def test_the_border_is_where_the_sign_or_the_better_system_changes(users: irmx.Scores) -> None:
    pair = users.select(systems=["recent", "titles"])
    comparison = irmx_study.compare(pair, baseline="titles")
    views = comparison.frame("views").query("measure != 'AP'")
    expected = []
    for rel in (1, 2):
        along = views[views["RBP.rel"] == rel].sort_values("RBP.p").to_dict("records")
        for low, high in pairwise(along):
            sign = np.sign(low["difference"]) != np.sign(high["difference"])
            if sign or low["better"] != high["better"]:
                expected.append(("p", low["RBP.p"], high["RBP.p"], bool(sign)))
    for p in P:
        low, high = views[views["RBP.p"] == p].sort_values("RBP.rel").to_dict("records")
        sign = np.sign(low["difference"]) != np.sign(high["difference"])
        if sign or low["better"] != high["better"]:
            expected.append(("rel", low["RBP.rel"], high["RBP.rel"], bool(sign)))
    border = comparison.frame("border")
    found = [(r["parameter"], float(r["lower"]), float(r["upper"]), r["sign"]) for r in border.to_dict("records")]
    assert sorted(found) == sorted(expected)
    assert expected


def test_ranks_over_the_views(users: irmx.Scores) -> None:
    ranks = irmx_study.compare(users).frame("ranks").set_index("system")
    of_views = users.means()[list(users.names[:8])].rank(ascending=False, method="min")
    for system, row in ranks.iterrows():
        own = of_views.loc[system]
        assert (row["best"], row["median"], row["worst"]) == (own.min(), own.median(), own.max())
        assert row["first"] == pytest.approx((own == 1).mean())
        assert own[row["best_view"]] == own.min()
        of_system = users.means().loc[system, own[own == own.min()].index]
        assert (row["best_value"], row["best_view"]) == (of_system.max(), of_system.idxmax())
        assert own[row["worst_view"]] == own.max()


def test_shares_are_those_of_a_population() -> None:
    users = pd.DataFrame({"model": ["GL_AD_ID", "GL_OR_ID", "LO_AD_ID"], "weight": [6, 3, 1]})
    scores = irmx_study.sweep("MP", None, qrels_path(), RUNS, population=users, jobs=1)
    [row] = irmx_study.compare(scores.select(systems=["bm25", "titles"])).frame("over").to_dict("records")
    found = [winner(scores, v, row["a"], row["b"]) for v in range(3)]
    for name, outcome in (("better", 1), ("worse", -1), ("undecided", 0)):
        known = sum(w for w, of in zip((0.6, 0.3, 0.1), found, strict=True) if of == outcome)
        assert row[f"share_{name}"] == pytest.approx(known)
    plain = irmx.scores("MP(model=GL_AD_ID|GL_OR_ID|LO_AD_ID)", qrels_path(), RUNS)
    assert scores.values.tolist() == plain.values.tolist()


def test_pictures_of_views(users: irmx.Scores) -> None:
    p_only = irmx.scores(f"RBP(p={'|'.join(map(str, P))})", qrels_path(), RUNS)
    comparison = irmx_study.compare(p_only.select(systems=["recent", "titles"]))
    ax = comparison.plot()  # of settings of one measure, by default the views
    [line] = [line for line in ax.lines if len(line.get_xdata()) == 4]
    assert line.get_xdata().tolist() == list(P)
    assert line.get_ydata().tolist() == comparison.frame()["difference"].tolist()
    bands = irmx_study.compare(users).plot("ranks")
    assert {label.get_text() for label in bands.get_yticklabels()} == set(SYSTEMS)
    irmx_study.compare(users.select(systems=["recent", "titles"])).plot("views").figure.canvas.draw()


# -- judges ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def judges() -> dict[str, Any]:
    human = irmx.read_qrels(qrels_path()).as_dict()
    strict = {topic: {doc: int(grade > 1) for doc, grade in of.items()} for topic, of in human.items()}
    return {"human": human, "strict": strict}


def test_several_qrels_are_views_whose_numbers_are_those_of_each_alone(judges: dict[str, Any]) -> None:
    scores = irmx.scores("AP P@5", judges, RUNS)
    assert scores.views["judgments"].tolist() == ["human", "human", "strict", "strict"]
    frame = irmx_study.compare(scores, baseline="titles").frame()
    for name, qrels in judges.items():
        alone = irmx_study.compare("AP P@5", qrels, RUNS, baseline="titles").frame()
        of_judge = frame[frame["judgments"] == name].drop(columns="judgments").reset_index(drop=True)
        pd.testing.assert_frame_equal(of_judge[alone.columns], alone, check_exact=True)
    over = irmx_study.compare(scores, baseline="titles").frame("over")
    assert (over["better"] + over["worse"] + over["undecided"]).tolist() == [2] * 4


def test_slices_and_families_over_views(judges: dict[str, Any]) -> None:
    scores = irmx.scores("AP", judges, RUNS)
    groups = {topic: "even" if int(topic) % 2 == 0 else "odd" for topic in scores.topics}
    sliced = scores.slices(groups)
    frame = irmx_study.compare(sliced, baseline="titles", correction="none").frame()
    assert set(frame["topics"]) == {15, 30}  # beside the slices all topics
    for name in ("even", "odd"):
        kept = scores.select(topics=[topic for topic in scores.topics if groups[topic] == name])
        alone = irmx_study.compare(kept, baseline="titles", correction="none").frame()
        of_slice = frame[frame["slice"] == name].drop(columns="slice").reset_index(drop=True)
        pd.testing.assert_frame_equal(of_slice[alone.columns], alone, rtol=1e-12)
    by_judge = irmx_study.compare(scores, baseline="titles", family="judgments").frame()
    together = irmx_study.compare(scores, baseline="titles", family="all").frame()
    each = irmx_study.compare(scores, baseline="titles").frame()
    assert by_judge["p_corrected"].tolist() == each["p_corrected"].tolist()
    assert (together["p_corrected"] >= by_judge["p_corrected"]).all()


# -- less is better ----------------------------------------------------------------------------------------


def test_wins_letters_marks_and_the_baseline_follow_the_direction(capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(1)
    values = {name: rng.normal(mean, 0.2, 25) for name, mean in (("slow", 9.0), ("fast", 3.0), ("quick", 3.05))}
    rows = [(s, str(t), "TS_Verbosity", v) for s, of in values.items() for t, v in enumerate(of)]
    scores = irmx.Scores.from_frame(pd.DataFrame(rows, columns=["system", "query_id", "measure", "value"]))
    comparison = irmx_study.compare(scores)
    best = min(values, key=lambda name: values[name].mean())
    assert comparison.baseline == (best,)
    by_system = comparison.frame().set_index("a")
    assert by_system.loc["slow", "difference"] > 0
    assert (by_system.loc["slow", "wins"], by_system.loc["slow", "losses"]) == (0, 25)
    assert dict(zip(scores.systems, comparison.letters["TS_Verbosity"], strict=True))[best].startswith("a")
    comparison.show()
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines() if line.split()[:1]}
    assert next(name for name in lines if name in values) == best
    assert "0/0/25" in lines["slow"]
    assert comparison.frame("views")["better"].tolist().count("slow") == 0


def test_few_cutoffs_are_measures_side_by_side_and_no_users(capsys: pytest.CaptureFixture[str]) -> None:
    comparison = irmx_study.compare("AP P@5 P@10", qrels_path(), RUNS)
    assert "over" not in comparison.tables
    comparison.show()
    assert "users" not in capsys.readouterr().out
    assert len(irmx_study.compare("P@5|10|15|20", qrels_path(), RUNS).frame("over")) == 2
