"""irmx verdict: whether a claim about two systems holds, and which doubt breaks it."""

import json
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import irmx
import irmx_study
from irmx.demo import SYSTEMS, qrels_path, run_path

CSV = "doubt,view,topics,mean_baseline,mean_run,difference,low,high,p,outcome,breaks"


def scores_of(differences: Any, measure: str = "AP", **marks: Any) -> irmx.Scores:
    """Return scores of two systems with these differences by topic, in one view."""
    run = 0.5 + np.asarray(differences, dtype=float)
    topics = [f"q{t}" for t in range(len(run))]
    frame = pd.DataFrame(
        {
            "query_id": topics * 2,
            "system": ["base"] * len(run) + ["mine"] * len(run),
            "measure": measure,
            "value": [*np.full(len(run), 0.5), *run],
        }
    )
    return irmx.Scores.from_frame(frame).marked(**marks)


def rows_of(found: Any, doubt: str) -> pd.DataFrame:
    """Return the rows of a doubt, by view."""
    return found.frame().query("doubt == @doubt").set_index("view")


def sample(mean: float, topics: int = 50, seed: int = 0, sd: float = 0.1) -> Any:
    values = np.random.default_rng(seed).normal(size=topics)
    return mean + sd * (values - values.mean()) / values.std(ddof=1)


@pytest.mark.parametrize(
    ("claim", "margin", "mean", "outcome"),
    [
        ("better", 0.0, 0.04, "holds"),
        ("better", 0.0, 0.02, "not shown"),
        ("better", 0.0, -0.04, "contradicted"),
        ("better", 0.03, 0.04, "not shown"),
        ("better", 0.03, 0.07, "holds"),
        ("better", 0.03, -0.01, "contradicted"),
        ("no-worse", 0.03, 0.0, "holds"),
        ("no-worse", 0.03, -0.02, "not shown"),
        ("no-worse", 0.03, -0.07, "contradicted"),
        ("equal", 0.03, 0.0, "holds"),
        ("equal", 0.03, 0.02, "not shown"),
        ("equal", 0.03, 0.07, "contradicted"),
        ("equal", 0.03, -0.07, "contradicted"),
    ],
)
def test_a_claim_holds_is_not_shown_or_is_contradicted(claim: str, margin: float, mean: float, outcome: str) -> None:
    found = irmx_study.verdict(scores_of(sample(mean)), claim=claim, margin=margin)
    assert found.outcome == outcome
    assert found.exit_code == {"holds": 0, "not shown": 3, "contradicted": 4}[outcome]


@pytest.mark.parametrize("mean", [0.05, 0.02, -0.03])
def test_word_interval_and_p_are_of_one_test(mean: float) -> None:
    differences = sample(mean)
    row = irmx_study.verdict(scores_of(differences), margin=0.01).frame().iloc[0]
    test = stats.ttest_1samp(differences, 0.01)
    low, high = stats.ttest_1samp(differences, 0).confidence_interval(0.95)
    assert row[["difference", "low", "high", "p"]].tolist() == pytest.approx([mean, low, high, test.pvalue], rel=1e-9)
    assert (row["outcome"] == "undecided") == (row["p"] > 0.05) == (low <= 0.01 <= high)


def test_two_one_sided_tests_are_those_of_scipy() -> None:
    differences = sample(0.01)
    row = irmx_study.verdict(scores_of(differences), claim="equal", margin=0.03).frame().iloc[0]
    above = stats.ttest_1samp(differences, -0.03, alternative="greater").pvalue
    below = stats.ttest_1samp(differences, 0.03, alternative="less").pvalue
    assert row["p"] == pytest.approx(max(above, below), rel=1e-9)
    low, high = stats.ttest_1samp(differences, 0).confidence_interval(0.9)
    assert (row["low"], row["high"]) == pytest.approx((low, high), rel=1e-9)


@pytest.mark.parametrize("mean", [0.0, 0.004])
def test_so_many_topics_would_show_that_systems_are_equal(mean: float) -> None:
    found = irmx_study.verdict(scores_of(sample(mean)), claim="equal", margin=0.012)
    number = int(re.search(r"these, ([\d,]+) in all would show it", found.sentence)[1].replace(",", ""))
    sd = np.std(sample(mean), ddof=1)
    drawn = np.random.default_rng(1).normal(mean, sd, (4000, number))
    half = stats.t.isf(0.05, number - 1) * drawn.std(axis=1, ddof=1) / np.sqrt(number)
    means = drawn.mean(axis=1)
    assert np.mean((means - half > -0.012) & (means + half < 0.012)) == pytest.approx(0.8, abs=0.03)


@given(st.lists(st.floats(-0.4, 0.4).map(lambda x: round(x, 3)), min_size=3, max_size=40))
def test_a_claim_and_its_opposite_do_not_both_hold(differences: list[float]) -> None:
    scores = scores_of(differences)
    one, other = (irmx_study.verdict(scores, baseline=name) for name in ("base", "mine"))
    assert (one.tested.outcome == "holds") == (other.outcome == "contradicted")
    assert one.frame()["difference"].iloc[0] == pytest.approx(-other.frame()["difference"].iloc[0], abs=1e-12)


# -- doubts --------------------------------------------------------------------------------------------------------------


def test_a_judge_under_whom_the_difference_is_absent_breaks_the_conclusion() -> None:
    main, noise = sample(0.04), sample(0.0, seed=1, sd=0.02)
    views = [scores_of(main, judgments="")]
    views += [scores_of(values, judgments=name) for name, values in (("kind", main + noise), ("strict", noise))]
    found = irmx_study.verdict(irmx.Scores.concat(views))
    assert (found.outcome, found.exit_code) == ("holds, but", 3)
    assert "1 of 2 judges (strict)" in found.sentence
    judges = found.frame().set_index("view")
    assert judges.loc[["kind", "strict"], "breaks"].tolist() == [False, True]
    p = stats.ttest_rel(noise, main).pvalue  # of the change, Holm over two judges
    assert 2 * p < 0.05
    doubts = found.frame("doubts").set_index("doubt")
    assert doubts.loc["judges", ["views", "holds", "breaks", "worst"]].tolist() == [2, 1, 1, "strict"]


def test_what_is_printed_against_a_conclusion_that_holds_is_what_breaks_it() -> None:
    noise = sample(0.0, seed=1, sd=0.02)
    main, against = sample(0.03), sample(-0.021, seed=2, sd=0.072)  # of 20 judges it would be chance
    views = [scores_of(main, judgments=""), scores_of(against, judgments="one")]
    views += [scores_of(main + noise, judgments=f"other {number}") for number in range(19)]
    for names, breaks in ((1, True), (20, False)):
        found = irmx_study.verdict(irmx.Scores.concat(views[: names + 1]), claim="better")
        assert rows_of(found, "judges").loc["one", ["outcome", "breaks"]].tolist() == ["contradicted", breaks]
        _, (_, rows), *_ = found.tables_for_reading()
        assert ("breaks" in rows[0], "contradicted" in rows[0]) == (breaks, False)
        assert ("No doubt breaks it" in found.sentence) != breaks
    _, (_, rows), *_ = irmx_study.verdict(irmx.Scores.concat(views[2:]), baseline="mine").tables_for_reading()
    assert [row["contradicted"] for row in rows] == [18, 10]


def test_a_small_group_of_topics_that_is_undecided_breaks_nothing() -> None:
    differences = sample(0.04)
    groups = {f"q{t}": "few" if t < 5 else "many" for t in range(50)}
    found = irmx_study.verdict(scores_of(differences), slices=groups)
    rows = rows_of(found, "slice")
    assert rows.loc["few", "topics"] == 5
    assert rows["outcome"].to_dict() == {"few": "undecided", "many": "holds"}
    assert found.outcome == "holds"


def test_a_group_of_topics_with_the_opposite_difference_breaks_the_conclusion() -> None:
    differences = sample(0.08)
    differences[:15] = sample(-0.02, topics=15, sd=0.03)
    table = pd.DataFrame({"query_id": [f"q{t}" for t in range(50)], "lang": ["de"] * 15 + ["en"] * 35})
    found = irmx_study.verdict(scores_of(differences), slices=table)
    assert (found.outcome, "lang" in found.sentence) == ("holds, but", True)
    welch = stats.ttest_ind(differences[:15], differences[15:], equal_var=False).pvalue
    assert welch * 2 < 0.05
    assert found.frame().query("doubt == 'lang' and breaks")["view"].tolist() == ["de"]


@pytest.mark.parametrize("lacking", [0, 1, 10])
def test_a_part_of_every_topic_with_the_opposite_difference_breaks_the_conclusion(lacking: int) -> None:
    main, part = sample(0.08), sample(-0.01, seed=1)[lacking:]
    views = [scores_of(main, slice=""), scores_of(sample(0.09, seed=2), slice="hard questions")]
    topics = views[0].topics[lacking:]
    whole = scores_of(np.append(np.zeros(lacking), part), slice="easy questions")
    found = irmx_study.verdict(irmx.Scores.concat([*views, whole.select(topics=topics)]))
    rows = rows_of(found, "slices")
    assert rows["topics"].to_dict() == {"hard questions": 50, "easy questions": 50 - lacking}
    assert 2 * stats.ttest_rel(part, main[lacking:]).pvalue < 0.05
    assert rows["breaks"].to_dict() == {"hard questions": False, "easy questions": True}
    assert found.exit_code == 3


def test_other_measures_are_compared_in_units_of_their_standard_deviation() -> None:
    main = sample(0.04)
    views = [scores_of(main), scores_of(10 * main, "nDCG"), scores_of(sample(-0.015, seed=3), "P@5")]
    found = irmx_study.verdict(irmx.Scores.concat(views), margin=0.005)
    rows = rows_of(found, "measures")
    # the margin of nDCG is ten times as large
    assert rows["outcome"].to_dict() == {"nDCG": "holds", "P@5": "undecided"}
    assert rows["breaks"].to_dict() == {"nDCG": False, "P@5": True}


def test_less_is_better_where_the_measure_says_so() -> None:
    found = irmx_study.verdict(scores_of(sample(-0.04), "TS_Verbosity"))
    assert found.outcome == "holds"
    row = found.frame().iloc[0]
    assert row["high"] < 0
    assert row["difference"] == pytest.approx(-0.04)


def test_the_thirds_of_difficulty_hold_all_topics_once() -> None:
    runs = {name: run_path(name) for name in ("recent", "bm25")}
    found = irmx_study.verdict("AP", qrels_path(), runs, slices="difficulty")
    rows = rows_of(found, "difficulty")
    assert list(rows["topics"].items()) == [("hard", 10), ("middle", 10), ("easy", 10)]
    assert rows["mean_run"].is_monotonic_increasing


def test_a_conclusion_that_hangs_on_one_topic_is_shown() -> None:
    differences = np.append(np.full(9, 0.01), 0.3) + 0.002 * np.arange(10)
    found = irmx_study.verdict(scores_of(-differences), baseline="mine")
    rows = rows_of(found, "topics")
    assert rows.index[0] == "without q9"
    assert rows["topics"].tolist() == [9] * 10
    assert rows["difference"].iloc[0] == pytest.approx(differences[:9].mean())


def test_unjudged_documents_are_relevant_or_removed() -> None:
    qrels = {f"q{t}": {"a": 1, "b": 0} for t in range(6)}
    base = {f"q{t}": {"b": 2.0, "a": 1.0} for t in range(6)}
    mine = {f"q{t}": {"x" if t else "a": 2.0, "a" if t else "b": 1.0} for t in range(6)}
    found = irmx_study.verdict("P@1", qrels, {"base": base, "mine": mine}, missing="zero")
    rows = rows_of(found, "unjudged")
    assert rows["mean_run"].to_dict() == {"relevant (top 1)": 1.0, "removed": 1.0}
    assert found.frame()["mean_run"].iloc[0] == pytest.approx(1 / 6)


# -- from files ------------------------------------------------------------------------------------------------------------


RUNS = ["titles.run", "bm25.run"]


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with the demo collection."""
    (tmp_path / "q").write_bytes(Path(qrels_path()).read_bytes())
    for name in SYSTEMS:
        (tmp_path / f"{name}.run").write_bytes(Path(run_path(name)).read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def verdict(demo: Path, command: Any) -> Callable[..., Any]:
    """The command on the runs of the demo of which the second is better."""
    return partial(command, "verdict", "q", *RUNS)


def test_the_exit_code_says_what_was_found(demo: Path, verdict: Any, command: Any) -> None:
    runs = {0: ("titles.run", "bm25.run"), 4: ("bm25.run", "titles.run"), 3: ("recent.run", "copy.run")}
    (demo / "copy.run").write_bytes((demo / "recent.run").read_bytes())
    for code, (baseline, run) in runs.items():
        done = command("verdict", "q", baseline, run, "AP")
        assert (done.code, done.err) == (code, "")
    done = verdict("AP", "-o", "csv")
    assert done.out.splitlines()[0] == CSV
    assert done.out.splitlines()[1].startswith("claim,AP,30,")
    for printed in ("table", "markdown", "html", "latex", "csv", "jsonl"):
        assert "Holds: bm25.run is better" in (done := verdict("AP", "-o", printed)).out + done.err


@pytest.mark.parametrize("output", ["table", "csv"])
def test_the_exit_code_is_that_of_the_verdict_where_nobody_reads_the_output(demo: Path, output: str) -> None:
    words = [sys.executable, "-c", "import irmx.cli; irmx.cli.main()", "verdict", "q", "bm25.run", "titles.run", "AP"]
    process = subprocess.Popen([*words, "-o", output], cwd=demo, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    process.stdout.close()  # as head does that has enough
    assert process.wait(60) == 4


def test_a_table_with_a_column_per_system_is_judged(demo: Path, command: Any) -> None:
    scores = irmx.scores("AP", "q", {name: f"{name}.run" for name in ("bm25", "titles")})
    scores.frame().pivot(index="query_id", columns="system", values="value").to_csv(demo / "wide.csv")
    done = command("verdict", "--scores", "wide.csv", "bm25", "titles", "--measure", "AP")
    assert (done.code, "AP" in done.out.splitlines()[0]) == (4, True)
    assert command("verdict", "q", "bm25.run", "titles.run", "AP", "--measure", "AP").code == 2


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["AP", "--measures", ""], 2),
        (["AP", "--claim", "no-worse"], 2),
        (["AP", "--claim", "finer"], 2),
        (["AP", "--margin", "-1"], 2),
        (["AP nDCG@10"], 2),
        ([], 2),
        (["AP", "--rel", "2"], 2),
        (["AP", "--judges", "other=other.qrels"], 1),
        (["AP", "--slices", "groups.csv"], 1),
        (["AP", "--expect", "q"], 1),
        (["AP", "--config", "wrong.toml"], 2),
        (["AP", "--config", "broken.toml"], 1),
        (["AP", "--config", "deep.toml"], 1),
        (["AP", "--expect", "deep.json"], 1),
    ],
)
def test_what_is_wrong_is_refused(arguments: list[str], code: int, demo: Path, verdict: Any) -> None:
    (demo / "other.qrels").write_text("99 0 x 1\n")
    (demo / "groups.csv").write_text("query_id,lang\n99,de\n")
    (demo / "wrong.toml").write_text("margins = 0.1\n")
    (demo / "broken.toml").write_text("margin = \n")
    (demo / "deep.toml").write_text(f"margin = {'[' * 100_000}\n")
    (demo / "deep.json").write_text("[" * 100_000)
    done = verdict(*arguments)
    done.assert_refused(code)
    assert done.err.startswith("irmx: ")


def test_a_system_without_most_topics_is_refused(demo: Path, command: Any) -> None:
    lines = (demo / "bm25.run").read_text().splitlines(keepends=True)
    (demo / "part.run").write_text("".join(line for line in lines if line.split()[0] in {"1", "2", "3"}))
    assert command("verdict", "q", "titles.run", "part.run", "AP").code == 1


# -- what is missing -------------------------------------------------------------------------------------------------------


def without_topics(path: Path, topics: set[str]) -> None:
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if line.split()[0] not in topics))


@pytest.mark.parametrize(
    ("cut", "claim", "code"),
    [
        ("base", ["better"], 1),
        ("base", ["no-worse", "--margin", "0.05"], 1),
        ("base", ["equal", "--margin", "0.05"], 1),
        ("run", ["better"], 4),  # counts as 0, against the claim
        ("run", ["no-worse", "--margin", "0.4"], 0),
        ("run", ["equal", "--margin", "0.4"], 1),
    ],
)
def test_what_is_missing_does_not_help_a_claim(cut: str, claim: list[str], code: int, demo: Path, command: Any) -> None:
    for name in ("base", "run"):
        (demo / name).write_bytes((demo / "recent.run").read_bytes())
    without_topics(demo / cut, {str(topic) for topic in range(17, 31)})
    found = command("verdict", "q", "base", "run", "AP", "--claim", *claim)
    assert found.code == code
    for missing in ("zero", "both"):
        done = command("verdict", "q", "base", "run", "AP", "--claim", *claim, "--missing", missing, "-o", "csv")
        rows = [line.split(",") for line in done.out.splitlines()]
        assert rows[1][2] == ("30" if missing == "zero" else "16")
        assert [row[2] for row in rows if row[0] == "missing"] == (["16"] if missing == "zero" else [])
    # on the topics that both have, the two are the same
    assert done.code == (3 if claim == ["better"] else 0)
    done = command("verdict", "q", "base", "run", "AP", "--claim", *claim, "--missing", "both")
    assert "16" in done.out.splitlines()[0]


def test_a_value_that_is_missing_makes_no_doubt_harder_to_show(tmp_path: Path, command: Any) -> None:
    rng = np.random.default_rng(5)
    shifts = {"AP": 0.11, "P@10": 0.0}
    found = {m: np.clip(0.3 + rng.normal([0, shift], [0.1, 0.12], (24, 2)), 0, 1) for m, shift in shifts.items()}
    found["P@10"][-1] = 0
    codes, breaking = [], []
    for left_out in ("", "t23"):
        rows = [
            f"{measure},t{t},{system},{value}"
            for measure, of in found.items()
            for t, values in enumerate(of.tolist())
            for system, value in zip("bx", values, strict=True)
            if (system, f"t{t}") != ("x", left_out)
        ]
        (tmp_path / "s.csv").write_text("\n".join(["measure,query_id,system,value", *rows]) + "\n")
        done = command("verdict", "--scores", tmp_path / "s.csv", "b", "x", "AP", "--measures", "P@10")
        codes.append(done.code)
        breaking.append("for 1 of 1 other measures" in done.out)
    assert codes == [3, 3]
    assert breaking == [True, True]


def test_topics_that_both_have_are_a_doubt_where_others_count(demo: Path, command: Any) -> None:
    (demo / "base").write_bytes((demo / "bm25.run").read_bytes())
    without_topics(demo / "base", {str(topic) for topic in range(17, 31)})
    done = command("verdict", "q", "base", "titles.run", "AP", "--claim", "no-worse", "--margin", "0.25", "--missing", "zero")  # fmt: skip
    assert done.code == 3  # it holds only because 14 topics of the baseline count 0
    assert "topics that both have" in done.out.splitlines()[0]


def per_topic(tmp_path: Path, values: dict[str, dict[str, list[float | None]]]) -> Path:
    """Write values by system and measure, topic after topic; None has no row."""
    rows = ["query_id,system,measure,value"]
    for system, measures in values.items():
        for measure, of_topics in measures.items():
            rows += [f"{t},{system},{measure},{value}" for t, value in enumerate(of_topics) if value is not None]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize("gap", [None, float("nan")])
@pytest.mark.parametrize(
    ("system", "options", "code"),
    [
        ("new", ["--less-is-better", "latency"], 1),
        ("old", ["--less-is-better", "latency"], 0),
        ("old", [], 1),
        ("new", [], 4),
    ],
)
def test_what_is_missing_is_known_per_measure(
    system: str, options: list[str], code: int, gap: float | None, tmp_path: Path, command: Any
) -> None:
    values: dict[str, dict[str, list[float | None]]] = {
        name: {"latency": [2 + t / 100 for t in range(12)], "acc": [0.5] * 12} for name in ("old", "new")
    }
    values[system]["latency"][3:6] = [gap] * 3
    path = per_topic(tmp_path, values)
    words = ["--scores", path, "old", "new", "latency", "--claim", "no-worse", "--margin", "0.1", *options]
    assert command("verdict", *words).code == (3 if code == 0 else code if code == 1 else 3)
    assert command("verdict", *words, "--missing", "both").code == 0
    rows = command("compare", "--scores", path, "-o", "jsonl").out.splitlines()
    missing = {row["measure"]: row["missing"] for row in map(json.loads, rows)}
    assert missing == {"latency": 3, "acc": 0}


def test_values_below_zero_are_helped_by_a_zero(tmp_path: Path, command: Any) -> None:
    values: dict[str, dict[str, list[float | None]]] = {
        name: {"loglik": [-5 - t / 100 for t in range(12)]} for name in ("old", "new")
    }
    values["new"]["loglik"][3] = None
    path = per_topic(tmp_path, values)
    assert (
        command("verdict", "--scores", path, "old", "new", "loglik", "--claim", "no-worse", "--margin", "1").code == 1
    )


@given(
    st.lists(st.tuples(*[st.integers(1, 9)] * 2), min_size=6, max_size=30),
    st.data(),
    st.sampled_from(["better", "no-worse", "equal"]),
    st.booleans(),
)
def test_leaving_out_values_makes_no_worse_system_pass(
    values: list[tuple[int, int]], data: st.DataObject, claim: str, less: bool
) -> None:
    block = np.array(values, dtype=float)[:, :, None]
    gaps = np.array(data.draw(st.lists(st.tuples(*[st.sampled_from([False] * 5 + [True])] * 2), min_size=len(block), max_size=len(block))))  # fmt: skip
    topics, measures = [f"q{t}" for t in range(len(block))], (irmx.toolkit.measure_named("m"),)
    whole = irmx.Scores(block, tuple(topics), ("old", "new"), measures)
    cut = irmx.Scores(np.where(gaps[:, :, None], np.nan, block), tuple(topics), ("old", "new"), measures)
    if less:
        whole, cut = whole.less_is_better("m"), cut.less_is_better("m")
    how: dict[str, Any] = {"claim": claim, "margin": 0 if claim == "better" else 1.0}
    common = [topic for topic, lacks in zip(topics, gaps.any(axis=1), strict=True) if not lacks]
    if len(common) > 1 and gaps.any():
        both, expected = (
            irmx_study.verdict(cut, missing="both", **how),
            irmx_study.verdict(whole.select(topics=common), **how),
        )
        pd.testing.assert_frame_equal(both.frame(), expected.frame())
    try:
        found = irmx_study.verdict(cut, **how)
    except irmx.DataError:
        assert gaps.any()
        return
    assert not (gaps[:, 1 if less else 0] | (gaps[:, 0 if less else 1] & (claim == "equal"))).any()
    of_whole = irmx_study.verdict(whole, **how)
    assert not (found.exit_code == 0 and of_whole.exit_code == 4)


def test_a_measure_has_its_whole_range_and_groups_are_tried_without_what_is_missing(
    tmp_path: Path, command: Any
) -> None:
    zeros: dict[str, dict[str, list[float | None]]] = {
        "old": {"P@1": [0.0] * 10 + [None] * 10},
        "new": {"P@1": [0.0] * 20},
    }
    path = per_topic(tmp_path, zeros)  # all that is known is 0, and what is missing could be 1
    assert (
        command("verdict", "--scores", path, "old", "new", "P@1", "--claim", "no-worse", "--margin", "0.05").code == 1
    )
    new: list[float | None] = [0.48, 0.47, 0.49, 0.48, *(0.7 if t % 2 else 0.8 for t in range(20))]
    (tmp_path / "lang.csv").write_text(
        "query_id,lang\n" + "".join(f"{t},{'de' if t < 4 else 'en'}\n" for t in range(24))
    )
    for first in (0.48, None):  # worse in German, also where a 0 makes the four topics say nothing
        new[0] = first
        path = per_topic(tmp_path, {"old": {"AP": [0.6] * 24}, "new": {"AP": new}})
        words = ["--claim", "no-worse", "--margin", "0.05", "--slices", tmp_path / "lang.csv"]
        assert command("verdict", "--scores", path, "old", "new", "AP", *words).code == 3


def test_a_system_is_not_held_against_itself(demo: Path, command: Any) -> None:
    words = ["AP", "--claim", "no-worse", "--margin", "0.05"]
    (demo / "link.run").symlink_to(demo / "bm25.run")
    for run in ("bm25.run", "new=bm25.run", "./bm25.run", "link.run"):
        assert command("verdict", "q", "bm25.run", run, *words).code == 2
    path = per_topic(demo, {name: {"AP": [0.5] * 9} for name in ("old", "new")})
    assert command("verdict", "--scores", path, "new", "new", *words).code == 2


def test_a_judge_and_a_collection_are_given_once(demo: Path, verdict: Any) -> None:
    lines = (demo / "q").read_text().splitlines(keepends=True)
    (demo / "copy").write_text("".join(reversed(lines)))
    (demo / "fewer").write_text("".join(lines[1:]))
    flipped = "".join(f"{line.rsplit(maxsplit=1)[0]} {int(line.split()[3] == '0')}\n" for line in lines)
    (demo / "twice").write_text("".join(lines) + flipped)  # of two passes the first counts
    (demo / "few").write_text("".join(line for line in lines if line.split()[0] != "7"))
    (demo / "more").write_text("".join(lines) + "7 0 nobody-has-it 0\n")
    for judges, code in (
        (["copy=q"], 1), (["copy"], 1), (["fewer"], 0), (["fewer", "again=fewer"], 1), (["strict=q", "--rel", "strict=2"], 0),
        (["twice"], 1), (["few"], 1), (["more"], 1),
    ):  # fmt: skip
        words = [
            word
            for one in judges
            for word in ([one] if one.startswith("--") or one == "strict=2" else ["--judges", one])
        ]
        done = verdict("P@5", *words)
        assert (done.code, "labels" in done.err) == (code, code == 1)
    (demo / "other.run").write_bytes((demo / "recent.run").read_bytes())
    for rows, code in (
        (["q,titles.run,bm25.run"], 1),
        (["q,titles.run,recent.run"], 0),
        (["q,titles.run,recent.run", "q,titles.run,other.run"], 1),
    ):
        table = "".join(f"c{number},{row}\n" for number, row in enumerate(rows))
        (demo / "c.csv").write_text("collection,qrels,baseline,run\n" + table)
        assert verdict("AP", "--collections", "c.csv").code == code


def test_an_empty_run_passes_no_gate(demo: Path, command: Any) -> None:
    (demo / "t").write_text("".join(f"{t} 0 d1 {t % 2}\n" for t in range(30)))
    (demo / "run").write_text("".join(f"{t} Q0 d{3 - d} {d} {9 - d} x\n" for t in range(30) for d in (1, 2)))
    measure, claim = "TruncatedAP", ["--claim", "no-worse", "--margin", "0.9"]
    for name, text in (("none", ""), ("blank", "\n \n"), ("silent.csv", "query_id,doc_id,score\n")):
        (demo / name).write_text(text)
        done = command("verdict", "t", "run", name, measure, *claim)
        assert (done.code, "empty" in done.err) == ((0, False) if name == "silent.csv" else (1, True))
    for snapshots in (["t,run,run", "t,run,none"], ["t,none,run", "t,run,run"]):
        words = [f"--snapshot={number}={files}" for number, files in enumerate(snapshots)]
        command("persist", measure, *words).assert_refused(1, "none is empty")
    for empty in ("none", {}, []):
        with pytest.raises(irmx.DataError, match="empty"):
            irmx_study.assert_no_worse(
                measure, "t", "run" if empty == "none" else irmx.read_run("run"), empty, margin=0.9
            )
    silent = {str(t): dict[str, float]() for t in range(30)}
    assert irmx_study.assert_no_worse(measure, "t", irmx.read_run("run"), silent, margin=0.9).outcome == "holds"


def test_weights_are_given_once_and_can_decide(demo: Path, verdict: Any) -> None:
    rows = "".join(f"{t},1\n" for t in range(1, 31))
    (demo / "w.csv").write_text("query_id,weight\n" + rows)
    (demo / "twice.csv").write_text("query_id,weight\n" + rows + "1,100\n")
    for more, code in ((["w.csv"], 0), (["twice.csv"], 1), (["w.csv", "--level", "0.0001"], 2)):
        assert verdict("AP", "--weights", *more).code == code


def test_weights_have_any_unit_and_are_not_of_one_topic(demo: Path, verdict: Any) -> None:
    shown = []
    for unit in (1.0, 2.0**1023, 2.0**-1000):
        (demo / "w.csv").write_text(
            "query_id,weight\n" + "".join(f"{t},{unit * ((1 + t % 2) / 2)}\n" for t in range(1, 31))
        )
        done = verdict("AP", "--weights", "w.csv", "-o", "csv")
        shown.append((done.code, done.out))
    assert len({*shown}) == 1
    (demo / "w.csv").write_text("query_id,weight\n1,1\n" + "".join(f"{t},1e-9\n" for t in range(2, 31)))
    verdict("AP", "--weights", "w.csv").assert_refused(1, "one topic")


def test_rel_counts_wherever_the_judges_are_named(demo: Path, verdict: Any) -> None:
    lines = (demo / "q").read_text().splitlines(keepends=True)
    (demo / "judge").write_text("".join(lines[5:]))
    (demo / "c.toml").write_text('[judges]\nllm = "judge"\n')
    (demo / "rel.toml").write_text('rel = 2\n[judges]\nllm = "judge"\n')
    judge = ["--judges", "llm=judge"]
    expected, other = (verdict("P@5", *judge, "-o", "csv", "--rel", rel).out for rel in ("2", "1"))
    assert expected != other
    for words in (
        ["--config", "c.toml", "--rel", "2"], ["--config", "c.toml", "--rel", "llm=2"], ["--config", "rel.toml"],
        ["--config", "rel.toml", *judge],
    ):  # fmt: skip
        assert verdict("P@5", *words, "-o", "csv").out == expected
    (demo / "rel.toml").write_text('rel = {human = 2}\n[judges]\nhuman = "judge"\n')
    verdict("P@5", "--config", "rel.toml", *judge).assert_refused(2, "human")
    (demo / "v.json").write_text(verdict("P@5", *judge, "--rel", "2", "-o", "jsonl").out)
    assert verdict("P@5", *judge, "--rel", "2", "--expect", "v.json").code in (0, 3)
    verdict("P@5", *judge, "--expect", "v.json").assert_refused(1, "llm")


def test_groups_that_scores_have_of_their_own_may_be_small(demo: Path) -> None:
    scores = irmx.scores("AP", "q", RUNS)
    groups = pd.DataFrame({"query_id": scores.topics, "kind": [f"kind {topic}" for topic in scores.topics]})
    found = irmx_study.verdict(irmx.Scores.concat([scores.marked(slice=""), scores.slices(groups)]))
    assert (found.outcome, (found.frame()["doubt"] == "kind").sum()) == ("holds", 30)


def test_what_is_no_more_than_the_claim_is_refused(demo: Path, verdict: Any, command: Any) -> None:
    for seed in (1, 2):
        lines = (demo / "bm25.run").read_text().replace("bm25", f"seed{seed}").splitlines(keepends=True)
        (demo / f"seed{seed}.run").write_text("".join(lines[:: 3 - 2 * seed]))  # the second in reversed order
    command("verdict", "q", "titles.run", "seed*.run", "AP").assert_refused(1, "seed1.run and seed2.run")
    lines = (demo / "q").read_text().splitlines(keepends=True)
    (demo / "fewer").write_text("".join(line for line in lines if line.split()[0] != "30"))
    (demo / "c.csv").write_text("collection,qrels,baseline,run\nother,fewer,titles.run,bm25.run\n")
    verdict("AP", "--collections", "c.csv").assert_refused(1, "29 topics")
    words = [f"--snapshot={name}={name},titles.run,bm25.run" for name in ("q", "fewer")]
    command("persist", "AP", *words).assert_refused(1, "29 topics")
    (demo / "less.run").write_bytes((demo / "bm25.run").read_bytes())
    without_topics(demo / "less.run", {"1"})
    (demo / "c.csv").write_text("collection,qrels,baseline,run\nother,q,titles.run,less.run\n")
    verdict("AP", "--collections", "c.csv").assert_refused(1, "29 topics")
    words = [f"--snapshot={name}=q,titles.run,{name}.run" for name in ("bm25", "less")]
    command("persist", "AP", *words).assert_refused(1, "29 topics")
    of_first = [line for line in lines if line.split()[0] == "1"]
    flipped = [f"{line.rsplit(maxsplit=1)[0]} {int(line.split()[3] == '0')}\n" for line in of_first]
    (demo / "one").write_text("".join(flipped) + "x 0 d 1\n")
    verdict("AP", "--judges", "one").assert_refused(2, "single topics")
    (demo / "empty.toml").write_text("# measure = 'AP'\n")
    verdict("AP", "--config", "empty.toml").assert_refused(2, "no option")
    (demo / "m.toml").write_text("missing = 'Refuse'\n")
    verdict("AP", "--config", "m.toml").assert_refused(2, "refuse")


def test_every_topic_has_a_row_in_the_table_of_groups(demo: Path, verdict: Any) -> None:
    rows = [f"{t},{'de' if t % 2 else 'en'}\n" for t in range(1, 31)]
    for number, code in ((30, 0), (10, 1)):
        (demo / "groups.csv").write_text("query_id,lang\n" + "".join(rows[:number]))
        done = verdict("AP", "--slices", "groups.csv")
        assert (done.code, "20 of 30" in done.err) == (code, code == 1)
    (demo / "groups.csv").write_text("query_id,lang\n" + "".join([*rows, "1,en\n"]))
    verdict("AP", "--slices", "groups.csv").assert_refused(1, "1 topic: 1")
    (demo / "groups.csv").write_text("query_id,lang\n" + "".join([*rows[:10], *(f"{t},\n" for t in range(11, 31))]))
    assert verdict("AP", "--slices", "groups.csv").code == 0
    assert irmx_study.verdict(scores_of(sample(0.04)), slices={f"q{t}": "ab"[t % 2] for t in range(50)}).exit_code == 0


def test_the_order_of_rows_decides_nothing() -> None:
    rng = np.random.default_rng(5)
    values = rng.integers(0, 4, (21, 2)) / 5
    values[:, 1] += rng.integers(0, 3, 21) / 5
    topics = [f"t{t}" for t in range(21)]
    found = []
    for _ in range(5):
        order = rng.permutation(21)
        scores = irmx.Scores(
            values[order][:, :, None], tuple(topics[t] for t in order), ("a", "b"), (irmx.parse_measure("NumRel"),)
        )
        weights = {topic: 1 + t % 3 for t, topic in enumerate(topics)}
        found.append(irmx_study.verdict(scores, slices="difficulty", weights=weights).frame())
    for other in found[1:]:
        pd.testing.assert_frame_equal(found[0], other)


def test_what_is_expected_is_the_measure_and_what_judges_said(demo: Path, verdict: Any) -> None:
    text = (demo / "q").read_text()
    (demo / "llm").write_text(text.partition("\n")[2])
    (demo / "other").write_text("".join(f"{line[:-1]}{1 - min(int(line[-1]), 1)}\n" for line in text.splitlines()))
    (demo / "v.json").write_text(verdict("AP", "--judges", "llm=llm", "-o", "jsonl").out)
    for more, code in (
        (["AP", "--judges", "llm=llm"], 0), (["P@5", "--judges", "llm=llm"], 1), (["AP"], 1), (["AP", "--judges", "llm=other"], 1),
    ):  # fmt: skip
        assert verdict(*more, "--expect", "v.json").code == code


@pytest.mark.parametrize("door", ["scores", "frame", "parquet"])
def test_nan_is_missing_at_every_door(door: str, tmp_path: Path) -> None:
    values = np.stack([np.full(30, 0.2), np.full(30, 0.3) + np.arange(30) / 1000], axis=1)[:, :, None]
    values[4:18, 0] = np.nan
    measures = (irmx.parse_measure("AP"),)
    scores = irmx.Scores(values, tuple(map(str, range(30))), ("old", "new"), measures)
    source: Any = scores
    if door == "frame":
        source = scores.frame().drop(columns="state")
    if door == "parquet":
        scores.to_parquet(tmp_path / "scores.parquet")
        source = tmp_path / "scores.parquet"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irmx.DataWarning)
        with pytest.raises(irmx.DataError, match=r"old has no value of AP for 14 of 30 topics"):
            irmx_study.verdict(source)
        assert irmx_study.verdict(source, missing="both").left_out == 14
        assert irmx_study.compare(source).frame()["missing"].tolist() == [14]
    assert scores.means()["AP"].round(10).tolist() == [round(0.2 * 16 / 30, 10), 0.3145]


def test_what_a_measure_has_no_value_of_is_not_hidden_by_another_measure() -> None:
    topics = tuple(map(str, range(30)))
    few = irmx.Scores.of_runs(
        np.stack([np.where(np.arange(30) < 5, 0.2, 0.0), np.full(30, 0.3)], axis=1)[:, :, None],
        np.stack([np.arange(30) < 5, np.full(30, True)], axis=1), topics, ("old", "new"), (irmx.parse_measure("AP"),),
    )  # fmt: skip
    whole = irmx.Scores(np.full((30, 2, 1), 0.5), topics, ("old", "new"), (irmx.parse_measure("RR"),))
    together = irmx.Scores.concat([few, whole])
    assert together.missing.sum(axis=(0, 1)).tolist() == [25, 0]
    for scores in (few, together):
        for function in (irmx_study.verdict, irmx_study.compare):
            with pytest.raises(irmx.DataError, match="25 of 30"):
                function(scores)


def test_a_glob_of_a_whole_folder_is_called_by_its_path(demo: Path, command: Any) -> None:
    (demo / "seeds").mkdir()
    for name in ("bm25", "recent"):
        (demo / "seeds" / f"{name}.run").write_bytes((demo / f"{name}.run").read_bytes())
    done = command("verdict", "q", "titles.run", "seeds/*", "AP")
    assert "seeds/* is better than titles.run" in done.out.splitlines()[0]


def test_several_runs_of_a_system_are_its_mean_and_each_is_a_view(demo: Path) -> None:
    runs = ["titles.run", "*[5t].run"]
    found = irmx_study.verdict("AP", "q", runs)
    means = irmx.scores("AP", "q", ["bm25.run", "recent.run"]).means()["AP"]
    assert found.frame()["mean_run"].iloc[0] == pytest.approx(means.mean(), rel=1e-12)
    seeds = rows_of(found, "seeds")["mean_run"]
    assert seeds.to_dict() == pytest.approx(means.to_dict())


def test_several_runs_of_a_system_need_be_no_files(demo: Path) -> None:
    files = {"base": ["titles.run"], "new": ["bm25.run", "recent.run"]}
    expected = irmx_study.verdict("AP", "q", files).frame().iloc[0]
    read = {name: [irmx.read_run(path) for path in paths] for name, paths in files.items()}
    dicts = {
        name: [{q: {row.doc_id: row.score for row in run if row.query_id == q} for q in map(str, run.topics)} for run in several]
        for name, several in read.items()
    }  # fmt: skip
    frames = {name: [pd.DataFrame(run) for run in several] for name, several in read.items()}
    for runs in (read, dicts, frames, {**dicts, "base": files["base"]}):
        found = irmx_study.verdict("AP", "q", runs)
        assert found.frame().iloc[0]["difference"] == pytest.approx(expected["difference"], abs=1e-12)
        assert found.frame("doubts").set_index("doubt").loc["seeds", "views"] == 2


def test_judges_have_their_own_grades(demo: Path, verdict: Any) -> None:
    rows = [line.split() for line in (demo / "q").read_text().splitlines()]
    (demo / "double").write_text("".join(f"{t} 0 {d} {2 * int(g)}\n" for t, _, d, g in rows))
    words = ("P@5", "--judges", "double", "-o", "csv")
    own = verdict(*words, "--rel", "2")
    claim, judge = own.out.splitlines()[1:3]
    assert judge.split(",")[:2] == ["judges", "double"]
    assert judge.split(",")[2:] == claim.split(",")[2:]
    assert verdict(*words, "--grades", "double=0:0,2:3,4:3,6:3").out == own.out


def test_results_of_another_tool_are_two_systems_by_name(demo: Path, verdict: Any, command: Any) -> None:
    """The verdict is that on the runs, but for assumptions about unjudged documents, which need qrels."""
    measures = ["AP", "RBP(p=0.5)", "RBP(p=0.9)", "P@5"]
    computed = command("eval", "q", "titles.run", "bm25.run", *measures, "-q", "-n", "-o", "csv", "-p", "-1")
    (demo / "results.csv").write_text(computed.out)
    options = ["--users", "RBP(p=0.5|0.9)", "--measures", "P@5", "-o", "csv"]
    of_scores = command("verdict", "--scores", "results.csv", "titles.run", "bm25.run", "AP", *options)
    of_runs = verdict("AP", *options)
    kept = [line for line in of_runs.out.splitlines() if "unjudged" not in line]
    assert of_scores.out.splitlines() == kept
    assert of_scores.code == of_runs.code
    assert command("verdict", "--scores", "results.csv", "bm25.run", "titles.run", "P@5").code == 4
    for arguments, code in (
        (RUNS, 2),  # of four measures, which?
        (["titles.run", "bm25.run", "nDCG"], 2),
        (["titles.run", "missing.run", "AP"], 2),
        (["titles.run", "bm25.run", "AP", "--judges", "q"], 2),
    ):
        assert command("verdict", "--scores", "results.csv", *arguments).code == code
    rows = [f"{t},a,cost,{t}\n{t},b,cost,{t + 1 + t % 2}\n" for t in range(20)]
    cost = "query_id,system,measure,value\n" + "".join(rows)
    (demo / "cost.csv").write_text(cost)
    assert command("verdict", "--scores", "cost.csv", "a", "b").code == 0
    assert command("verdict", "--scores", "cost.csv", "a", "b", "--less-is-better", "cost").code == 4


def test_a_configuration_holds_the_options(demo: Path, verdict: Any) -> None:
    (demo / "other").write_text((demo / "q").read_text().partition("\n")[2])
    (demo / "pyproject.toml").write_text(
        '[tool.irmx.verdict]\nmeasure = "AP"\nclaim = "no-worse"\nmargin = 0.01\nmeasures = "P@5 nDCG@10"\njudges = {other = "other"}\n'
    )
    options = ["AP", "--claim", "no-worse", "--margin", "0.01", "--measures", "P@5 nDCG@10", "--judges", "other=other"]
    plain = verdict(*options, "-o", "csv")
    configured = verdict("--config", "pyproject.toml", "-o", "csv")
    assert (configured.code, configured.out) == (plain.code, plain.out)
    assert "measures,nDCG@10," in plain.out
    words = ("--config", "pyproject.toml", "--margin", "0.5", "--methods", "m.tex")
    verdict(*words)
    assert "0.5" in (demo / "m.tex").read_text()


def test_a_verdict_that_is_expected_is_on_the_same_judgments(demo: Path, verdict: Any, command: Any) -> None:
    first = verdict("AP", "-o", "jsonl")
    record, *rows = map(json.loads, first.out.splitlines())
    assert (record["verdict"], record["claim"], rows[0]["doubt"]) == ("holds", "better", "claim")
    (demo / "verdict.json").write_text(first.out)
    again = command("verdict", "q", "titles.run", "recent.run", "AP", "--expect", "verdict.json")
    assert again.code in (0, 3, 4)
    lines = (demo / "q").read_text().splitlines(keepends=True)
    (demo / "fewer").write_text("".join(lines[:-1]))
    command("verdict", "fewer", "titles.run", "recent.run", "AP", "--expect", "verdict.json").assert_refused(1)


def test_markdown_begins_with_a_marker(verdict: Any, command: Any) -> None:
    done = verdict("AP", "-o", "markdown")
    marker, first, *others = done.out.splitlines()
    assert marker == "<!-- irmx verdict -->"
    assert (first[:2], first[-2:], "Pass" in first, "Fail" in first) == ("**", "**", True, False)
    assert [line for line in others if line.startswith(("<details>", "| doubt", "</details>"))][::2] == [
        "<details>",
        "</details>",
    ]
    lost = command("verdict", "q", "bm25.run", "titles.run", "AP", "-o", "markdown").out.splitlines()[1]
    assert ("Pass" in lost, "Fail" in lost) == (False, True)
    broken = verdict("AP", "--users", "MP(model=*)", "-o", "markdown")
    assert (broken.code, "Fail" in broken.out.splitlines()[1]) == (3, True)


def test_a_picture_shows_every_view(demo: Path, verdict: Any) -> None:
    found = irmx_study.verdict("AP", "q", RUNS, measures="P@5", margin=0.01)
    drawn = found.plot()
    assert len(drawn.get_yticklabels()) == len(found.frame())
    done = verdict("AP", "--plot", "all.svg")
    assert (done.code, (demo / "all.svg").exists()) == (0, True)


def test_other_collections_are_views_and_so_are_all_together(demo: Path, verdict: Any) -> None:
    for name, last in (("small", 8), ("large", 20)):  # parts of the demo, with ids of topics that occur elsewhere
        for file in ("q", "titles.run", "recent.run"):
            lines = (demo / file).read_text().splitlines(keepends=True)
            (demo / f"{name}.{file}").write_text("".join(line for line in lines if int(line.split()[0]) <= last))
    rows = [f"{name},{name}.q,{name}.titles.run,{name}.recent.run\n" for name in ("small", "large")]
    (demo / "collections.csv").write_text("collection,qrels,baseline,run\n" + "".join(rows))
    words = ("AP", "--collections", "collections.csv", "-o", "csv")
    done = verdict(*words)
    assert done.code == 3
    table = [line.split(",") for line in done.out.splitlines()]
    found = {row[1]: (int(row[2]), *map(float, row[5:8])) for row in table if row[0] in ("claim", "collections")}
    assert [of[0] for of in found.values()] == [30, 8, 20, 58, 58]
    values = irmx.scores("AP", "q", [*RUNS, "recent.run"])
    d = {topic: (b - a, c - a) for topic, (a, b, c) in zip(values.topics, values["AP"].tolist(), strict=True)}
    parts = [np.array([v[last < 30] for t, v in d.items() if int(t) <= last]) for last in (30, 8, 20)]
    mean = np.mean([part.mean() for part in parts])
    error = np.sqrt(sum(part.var(ddof=1) / len(part) for part in parts)) / 3
    assert found["mean of all collections"][1] == pytest.approx(mean)
    low, high = found["mean of all collections"][2:]
    assert (low + high) / 2 == pytest.approx(mean)
    freedom = stats.t.isf(0.025, [29, 7])
    assert freedom[0] * error < (high - low) / 2 < freedom[1] * error
    assert found["all topics of all"][1] == pytest.approx(np.concatenate(parts).mean())
    without_topics(demo / "small.recent.run", {"1", "2"})
    lines = [line.split(",") for line in verdict(*words, "--missing", "zero").out.splitlines()]
    means = {row[1]: float(row[5]) for row in lines if row[0] in ("claim", "collections")}
    of_each = [means[name] for name in ("AP", "small", "large")]
    assert means["mean of all collections"] == pytest.approx(np.mean(of_each))


def test_weights_of_topics_give_a_weighted_mean_with_a_bootstrap_interval() -> None:
    differences = sample(0.04)
    rng = np.random.default_rng(5)
    weights = rng.exponential(size=50)
    found = irmx_study.verdict(scores_of(differences), weights={f"q{t}": w for t, w in enumerate(weights)})
    row = found.frame().query("doubt == 'weights'").iloc[0]
    assert row["difference"] == pytest.approx(np.average(differences, weights=weights), rel=1e-9)

    def mean(d: Any, w: Any, axis: int = -1) -> Any:
        return (d * w).sum(axis) / w.sum(axis)

    how: Any = {"paired": True, "vectorized": True, "method": "percentile", "rng": rng}
    ends = stats.bootstrap((differences, weights), mean, **how).confidence_interval
    assert (row["low"], row["high"]) == pytest.approx((ends.low, ends.high), abs=0.003)
    assert (row["outcome"] == "holds") == (row["p"] <= 0.05) == (row["low"] > 0)
    same = irmx_study.verdict(scores_of(differences), weights={f"q{t}": 3.0 for t in range(50)}).frame()
    assert same["difference"].iloc[1] == pytest.approx(same["difference"].iloc[0])
    assert not same["breaks"].any()


def test_the_topics_that_most_of_the_traffic_is_of_can_break_the_conclusion() -> None:
    differences = sample(0.06)
    differences[:5] = [-0.1, -0.12, -0.08, -0.11, -0.09]
    traffic = {f"q{t}": 100.0 if t < 5 else 1.0 for t in range(50)}
    found = irmx_study.verdict(scores_of(differences), weights=traffic)
    assert (found.outcome, "weightings" in found.sentence) == ("holds, but", True)
    with pytest.raises(irmx.DataError):
        irmx_study.verdict(scores_of(differences), weights={"q1": 1.0})


# -- what must not happen ----------------------------------------------------------------------------------------------------


def test_small_groups_do_not_break_a_conclusion_that_is_true_everywhere() -> None:
    rng, outcomes = np.random.default_rng(0), []
    groups = {f"q{t}": str(t % 20) for t in range(100)}
    for _ in range(60):
        differences = rng.choice([0.0, 0.1, -0.1], p=[0.6, 0.28, 0.12], size=100)  # as of RR, often 0
        outcomes.append(irmx_study.verdict(scores_of(differences), slices=groups).outcome)
    holds = [outcome for outcome in outcomes if outcome.startswith("holds")]
    assert len(holds) > 30
    assert holds.count("holds, but") <= 0.1 * len(holds)


@pytest.mark.parametrize(
    ("differences", "choices"),
    [
        ([0.2, 0.2], {}),
        ([-0.1] * 30, {"claim": "no-worse", "margin": 0.1}),
        ([0.1] * 30, {"margin": 0.1}),
        ([0.1] * 30, {"claim": "equal", "margin": 0.1}),
        ([0.0] * 30, {}),
    ],
)
def test_equal_differences_show_no_more_than_their_number(differences: list[float], choices: dict[str, Any]) -> None:
    found = irmx_study.verdict(scores_of(differences), **choices)
    assert found.outcome == "not shown"
    assert found.frame()["p"].iloc[0] > 0.05


def test_equal_differences_have_one_p_value_in_comparison_and_verdict() -> None:
    for topics in (3, 12):
        scores = scores_of([0.25] * topics)
        [row] = irmx_study.compare(scores).frame().itertuples()
        claim = irmx_study.verdict(scores).frame().iloc[0]
        assert row.p == pytest.approx(2.0 ** (1 - topics))
        assert claim["p"] == pytest.approx(row.p)
        np.testing.assert_allclose([row.low, row.high], [claim["low"], claim["high"]])
        assert np.isnan(row.low) == (topics == 3)


def test_a_measure_in_which_nothing_differs_is_undecided() -> None:
    differences = sample(0.05)
    both = irmx.Scores.concat([scores_of(differences), scores_of(np.zeros(50), "R@1000")])
    for claim, margin in (("better", 0.01), ("no-worse", 0.01), ("equal", 0.2)):
        found = irmx_study.verdict(both, claim=claim, margin=margin)
        [row] = [row for row in found.frame().to_dict("records") if row["doubt"] == "measures"]
        assert (found.outcome, row["outcome"], row["breaks"]) == ("holds", "undecided", False)


def test_names_of_systems_win_over_their_order_in_other_collections(demo: Path) -> None:
    runs = {name: f"{name}.run" for name in ("titles", "bm25")}
    other = {"bm25": "recent.run", "titles": "titles.run"}
    found = irmx_study.verdict("AP", "q", runs, baseline="titles", collections={"other": ("q", other)})
    recent = irmx_study.verdict("AP", "q", {"titles": "titles.run", "recent": "recent.run"}).frame()
    assert found.frame().set_index("view").loc["other", "difference"] == recent["difference"][0]
    with pytest.raises(irmx.UsageError):
        irmx_study.verdict("AP", "q", runs, collections={"c": ("q", {"new": "bm25.run", "old": "titles.run"})})  # fmt: skip


@pytest.mark.parametrize(
    ("measure", "qrels"),
    [
        (
            "NCP(law=by_document)",
            "query_id,doc_id,relevance,stop_probability\n1,a,1,{}\n1,b,1,{}\n2,a,1,{}\n2,b,0,{}\n",
        ),
        ("AP", "1 0 a {}\n1 0 b {}\n2 0 a {}\n2 0 b {}\n"),
        ("alpha_nDCG@10", "1 {:.0f} a 1\n1 {:.0f} b 1\n2 {:.0f} a 1\n2 {:.0f} b 1\n"),
    ],
)
def test_what_is_expected_is_all_that_the_measure_reads(measure: str, qrels: str, tmp_path: Path, command: Any) -> None:
    (tmp_path / "base").write_text("1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n2 Q0 b 1 2 x\n2 Q0 a 2 1 x\n")
    (tmp_path / "run").write_text("1 Q0 b 1 2 x\n1 Q0 a 2 1 x\n2 Q0 a 1 2 x\n2 Q0 b 2 1 x\n")
    text = qrels.format(1.0, 1.0, 1.0, 1.0)
    (tmp_path / "q").write_text(text)
    head = text.splitlines(keepends=True)[: text.startswith("query")]
    rows = text.splitlines(keepends=True)[len(head) :]
    (tmp_path / "shuffled").write_text("".join([*head, *rows[::-1]]))
    (tmp_path / "other").write_text(qrels.format(1.0, 1.0000001 if "{:.0f}" not in qrels else 2.0, 1.0, 1.0))
    verdict = command("verdict", "q", "base", "run", measure, "-o", "jsonl")
    (tmp_path / "verdict.json").write_text(verdict.out)
    for name, code in (("q", 3), ("shuffled", 3), ("other", 1)):
        done = command("verdict", name, "base", "run", measure, "--expect", "verdict.json")
        assert done.code == code, done.err


@pytest.mark.parametrize(
    "nothing",
    [{"collections": {}}, {"measures": []}, {"users": []}, {"judges": {}}, {"slices": dict.fromkeys(map(str, range(1, 31)), "")}, {"slices": dict.fromkeys(map(str, range(1, 31)))}, {"measures": "AP"},
     {"users": "AP", "measures": "P@5"}, {"slices": dict.fromkeys(map(str, range(1, 31)), "all")},
     {"slices": {str(t): "" if t > 1 else "one" for t in range(1, 31)}}, {"missing": "Both"}, {"missing": None},
     {"judges": {"other": {"1": {"d": 1}}}}],
)  # fmt: skip
def test_what_is_asked_for_is_tried(nothing: dict[str, Any], demo: Path) -> None:
    runs = {name: f"{name}.run" for name in ("titles", "bm25")}
    with pytest.raises(irmx.DataError if nothing.get("judges") else irmx.UsageError):
        irmx_study.verdict("AP", "q", runs, **nothing)
    with pytest.raises(irmx.UsageError):
        irmx_study.verdict("AP", "q", {"": "titles.run", "bm25": "bm25.run"})


def test_measures_of_other_tools_are_users_by_name(tmp_path: Path, command: Any) -> None:
    rng = np.random.default_rng(0)
    values: dict[str, dict[str, list[float | None]]] = {
        name: {m: list(gain + rng.normal(0, 0.05, 20)) for m in ("f1", "f2", "em")}
        for name, gain in (("old", 0.2), ("new", 0.4))
    }
    path = per_topic(tmp_path, values)
    found = irmx_study.verdict(irmx_study.read_per_topic(path), users=["f2"])
    assert found.frame("doubts").set_index("doubt")["views"].to_dict() == {"users": 1, "measures": 1, "topics": 10}
    assert command("verdict", "--scores", path, "old", "new", "f1 em").code == 2


def test_a_margin_or_level_that_decides_alone_is_refused(verdict: Any) -> None:
    words = ["AP", "--claim", "no-worse", "--margin"]
    assert [verdict(*words, margin).code for margin in ("1", "1.01", "2")] == [0, 2, 2]
    assert verdict("AP", "--level", "1e-13").code == 2


def test_a_measure_that_is_zero_everywhere_says_nothing() -> None:
    scores = irmx.Scores.concat([scores_of(sample(0.04)), scores_of(np.zeros(50), "P@5")])
    assert irmx_study.verdict(scores).outcome == "holds"


def test_a_conclusion_that_hangs_on_a_topic_says_so() -> None:
    differences = np.append(sample(0.0, topics=30, sd=0.05) + 0.018, 0.12)
    found = irmx_study.verdict(scores_of(differences))
    assert found.outcome == "holds"
    assert "without q30" in found.sentence


def test_topics_of_a_judge_that_the_qrels_lack_do_not_count(demo: Path) -> None:
    lines = (demo / "q").read_text().replace(" 2\n", " 1\n")
    (demo / "more").write_text(lines + "".join(f"x{t} 0 d{t} 1\n" for t in range(30)))
    rows = irmx_study.verdict("AP", "q", RUNS, judges={"more": "more"}).frame()
    judge = rows[rows["doubt"] == "judges"].iloc[0]
    assert judge[["topics", "difference"]].tolist() == rows.iloc[0][["topics", "difference"]].tolist()


def test_a_grouping_may_have_any_name_and_empty_cells() -> None:
    groups = {"unjudged": ["a", "b", ""] * 10, "a:b": ["x", "y:z", "x"] * 10}
    table = pd.DataFrame({"query_id": [f"q{t}" for t in range(30)], **groups})
    doubts = irmx_study.verdict(scores_of(sample(0.04, topics=30)), slices=table).frame()
    views = doubts.groupby("doubt", sort=False)["view"].agg(list).to_dict()
    assert views["slice unjudged"] == ["a", "b"]
    assert views["a b"] == ["x", "y:z"]


def test_the_topics_that_moved_most_are_those_whichever_direction_is_better() -> None:
    found = irmx_study.verdict(scores_of([-0.4, -0.3, -0.2, -0.1, 0.1, 0.2, 0.3], "TS_Verbosity"))
    _, moved = found.tables_for_reading()[-1]
    assert [round(row["difference"], 1) for row in moved] == [-0.4, -0.3, -0.2, 0.1, 0.2, 0.3]


def test_seeds_of_both_systems_may_have_the_same_names(demo: Path) -> None:
    for folder, source in (("one", "titles.run"), ("two", "bm25.run")):
        (demo / folder).mkdir()
        for seed in (1, 2):
            (demo / folder / f"seed{seed}.run").write_text((demo / source).read_text() + f"1 Q0 no{seed} 1 -1 x\n")
    found = irmx_study.verdict("AP", "q", ["one/*.run", "two/*.run"])
    assert (found.frame()["doubt"] == "seeds").sum() == 4


@pytest.mark.parametrize("text", ["[tool]\nirmx = 1\n", "[tool.irmx]\nverdict = 'x'\n", ""])
def test_a_project_without_a_configuration_is_refused(text: str, demo: Path, verdict: Any) -> None:
    (demo / "pyproject.toml").write_text(text)
    verdict("AP", "--config", "pyproject.toml").assert_refused(1)


def test_an_option_outdoes_the_configuration(demo: Path, command: Any) -> None:
    lines = (demo / "bm25.run").read_text().splitlines(keepends=True)
    (demo / "part.run").write_text("".join(line for line in lines if line.split()[0] in {"1", "2", "3"}))
    (demo / "c.toml").write_text('missing = "zero"\n')
    arguments = ["verdict", "q", "titles.run", "part.run", "AP", "--config", "c.toml"]
    assert command(*arguments).code in (3, 4)
    assert command(*arguments, "--missing", "refuse").code == 1


def test_a_system_of_several_runs_may_have_a_name(demo: Path, command: Any) -> None:
    done = command("verdict", "q", "titles.run", "mine=*[5t].run", "AP")
    assert " mine " in done.out
    runs = {"titles": "titles.run", "mine": "*[5t].run"}
    found = irmx_study.verdict("AP", "q", runs)
    assert (found.run, (found.frame()["doubt"] == "seeds").sum()) == ("mine", 2)


def test_what_has_no_interval_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    irmx_study.verdict(scores_of([0.2, 0.2]), margin=0.1).show()
    assert capsys.readouterr().out.startswith("Not shown: ")


def test_a_name_does_not_end_a_line() -> None:
    scores = scores_of(sample(0.04))
    named = irmx.Scores.from_frame(scores.frame().replace({"mine": "my\nrun"}))
    found = irmx_study.verdict(named, slices={f"q{t}": "a\nb" if t < 25 else "c" for t in range(50)})
    assert "\n" not in found.sentence + found.methods()
    assert "Holds: " in found.to_markdown().splitlines()[1]


def test_files_of_a_table_of_collections_are_beside_it(demo: Path) -> None:
    rows = "collection,qrels,baseline,run\nother,q,titles.run,recent.run\n"
    (demo / "collections.csv").write_text(rows)
    found = irmx_study.verdict("AP", "q", RUNS, collections="collections.csv")
    assert found.frame().query("doubt == 'collections'")["topics"].tolist() == [30, 60, 60]


def views_by_doubt(out: str) -> set[tuple[str, ...]]:
    """Return the doubt and the view of every row of a verdict in csv, but for topics and assumptions."""
    rows = [tuple(line.split(",")[:2]) for line in out.splitlines()[1:]]
    return {row for row in rows if row[0] not in ("claim", "topics", "unjudged")}


def test_an_option_of_several_is_added_to_where_it_is_repeated(verdict: Any) -> None:
    words = ["AP", "-o", "csv"]
    repeated = ["--measures", "P@5", "--measures", "RR nDCG", "--users", "RBP(p=0.5)", "--users", "RBP(p=0.9)"]
    done = verdict(*words, *repeated)
    users = {("users", name) for name in ("RBP(p=0.5)", "RBP(p=0.9)")}
    assert views_by_doubt(done.out) == {("measures", name) for name in ("P@5", "RR", "nDCG")} | users
    assert done.out == verdict(*words, "--measures", "P@5 RR nDCG", "--users", "RBP(p=0.5|0.9)").out


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (["--measures", "f1 tok"], [("measures", "f1"), ("measures", "tok")]),
        (["--users", "f1 tok", "--measures", "my own"], [("users", "f1"), ("users", "tok"), ("measures", "my own")]),
        (["--measures", "my own", "--measures", "map f1"], [("measures", "my own"), ("measures", "f1")]),
    ],
)
def test_measures_that_irmx_does_not_know_are_listed_as_others_are(
    options: list[str], wanted: list[tuple[str, str]], tmp_path: Path, command: Any
) -> None:
    values = zip(sample(0.04) + 0.5, sample(0.0, seed=2) + 0.5, strict=True)
    rows = [
        f"{t},{system},{measure},{value}\n"
        for t, both in enumerate(values)
        for system, value in zip(("new", "old"), both, strict=True)
        for measure in ("AP", "f1", "tok", "my own")
    ]
    (tmp_path / "all.csv").write_text("query_id,system,measure,value\n" + "".join(rows))
    words = ["verdict", "--scores", "all.csv", "old", "new", "AP", "-o", "csv"]
    assert views_by_doubt(command(*words, *options).out) == set(wanted)
    assert command(*words, "--measures", "f1 tik").code == 2


@pytest.mark.parametrize("name", ["", " "])
def test_a_judge_or_a_collection_without_a_name_is_refused(name: str, demo: Path, verdict: Any) -> None:
    for doubt, of_doubt in (("judges", "q"), ("collections", ("q", RUNS))):
        with pytest.raises(irmx.UsageError):
            irmx_study.verdict("AP", "q", RUNS, **{doubt: {name: of_doubt}})
    with pytest.raises(irmx.UsageError):
        irmx_study.judges({"other": "q", name: "q"})
    (demo / "c.toml").write_text(f'[judges]\n"{name}" = "q"\n')
    verdict("AP", "--config", "c.toml").assert_refused(2)


@pytest.mark.parametrize("name", ["pyproject.toml", "gate.toml"])
@pytest.mark.parametrize(
    "text",
    [
        "margin = 0.5\n[tool.irmx.verdict]\nlevel = 0.05\n",
        "margn = 0.5\n[tool.irmx.verdict]\nlevel = 0.05\n",
        "[judges]\nllm = 'q'\n[tool.irmx.verdict]\nlevel = 0.05\n",
        "[tool.irmx]\nmargin = 0.5\n[tool.irmx.verdict]\nlevel = 0.05\n",
    ],
)
def test_options_beside_the_table_that_is_read_are_refused(text: str, name: str, demo: Path, verdict: Any) -> None:
    (demo / name).write_text(text)
    verdict("AP", "--config", name).assert_refused(2)
    (demo / name).write_text("[project]\nname = 'mine'\n[tool.ruff]\nselect = []\n[tool.irmx.verdict]\nlevel = 0.05\n")
    assert verdict("AP", "--config", name).code == 0
