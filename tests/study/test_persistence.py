"""Effect ratios, changes and reruns: the numbers of repro_eval, Fieller's intervals, sentences, commands and pictures."""

import json
import shutil
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import irmx
import irmx_study
from irmx import DataError, UsageError
from irmx.demo import SYSTEMS, qrels_path, run_path

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it imports names that scipy moved
    document_order = pytest.importorskip("repro_eval.measure.document_order")
    effectiveness = pytest.importorskip("repro_eval.measure.effectiveness")
    overall_effects = pytest.importorskip("repro_eval.measure.overall_effects")
    statistics = pytest.importorskip("repro_eval.measure.statistics")


def scores_of(values: Any, systems: str = "base new", topics: Any = None) -> irmx.Scores:
    values = np.asarray(values, dtype=float)
    names = tuple(topics or (f"q{i}" for i in range(len(values))))
    return irmx.Scores(values[:, :, None], names, tuple(systems.split()), (irmx.parse_measure("AP"),))


def random_scores(rng: np.random.Generator, topics: int, gain: float, spread: float = 0.1, mean: float = 0.4) -> Any:
    """Values of a baseline and a better system, which share the difficulty of topics."""
    base = mean + rng.normal(0, 0.1, topics)
    return np.stack([base, base + gain + rng.normal(0, spread, topics)], axis=1)


def nested(scores: irmx.Scores, system: str) -> dict[str, dict[str, float]]:
    """The values of a system as repro_eval has them."""
    s = scores.systems.index(system)
    return {topic: {"AP": float(scores.values[t, s, 0])} for t, topic in enumerate(scores.topics)}


@pytest.mark.parametrize("seed", range(6))
def test_the_numbers_of_repro_eval(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, same = (scores_of(random_scores(rng, 30, gain)) for gain in (0.1, 0.05))
    other = scores_of(random_scores(rng, 20, 0.08), topics=[f"x{i}" for i in range(20)])
    rows = irmx_study.persist({"a": first, "same": same, "other": other}).frame().set_index("snapshot")
    for name, scores in (("same", same), ("other", other)):
        four = [nested(of, system) for of in (first, scores) for system in ("new", "base")]
        assert rows.loc[name, "ER"] == pytest.approx(overall_effects.ER(*four)["AP"], abs=1e-12)
        assert rows.loc[name, "delta_RI"] == pytest.approx(overall_effects.DRI(*four)["AP"], abs=1e-12)
    paired = statistics.ttest(nested(first, "new"), nested(same, "new"), rpd=True)["AP"]
    assert rows.loc["same", "p_between"] == pytest.approx(paired)
    welch = stats.ttest_ind(first["AP"][:, 1], other["AP"][:, 1], equal_var=False).pvalue
    assert rows.loc["other", "p_between"] == pytest.approx(welch)
    assert rows.loc["same", "RC"] == pytest.approx(1 - same["AP"][:, 1].mean() / first["AP"][:, 1].mean())


def noisy(run: Path, seed: int, path: Path) -> Path:
    """A rerun: the scores with some noise, rounded so that some are equal; and at the end another document."""
    rng = np.random.default_rng(seed)
    rows = [line.split() for line in run.read_text().splitlines()]
    rows = [[*row[:4], f"{float(row[4]) + rng.normal(0, 0.5):.1f}", row[5]] for row in rows]
    rows = [[*row[:2], f"other{i}", *row[3:]] if rng.random() < 0.05 else row for i, row in enumerate(rows)]
    rows.sort(key=lambda row: (row[0], -float(row[4])))
    path.write_text("".join(" ".join(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("depth", [10, 60])
def test_the_numbers_of_repro_eval_on_reruns(depth: int, tmp_path: Path) -> None:
    again = {f"again{i}": noisy(run_path("bm25"), i, tmp_path / f"{i}.run") for i in range(2)}
    result = irmx_study.rerun("AP nDCG@10", qrels_path(), run_path("bm25"), again, depth=depth, p=0.9)
    values, topics = (
        result.frame().set_index(["rerun", "measure"]),
        result.frame("topics").set_index(["rerun", "query_id"]),
    )
    first = irmx.read_run(run_path("bm25"))
    scores = irmx.scores("AP nDCG@10", qrels_path(), {"original": run_path("bm25"), **again})
    for name, path in again.items():
        runs = [{t: dict(sorted(zip(r.docs(i), r.score[a:b].tolist(), strict=True), key=lambda one: -one[1]))
                 for i, (t, a, b) in enumerate(zip(r.topics, r.offsets, r.offsets[1:], strict=False))}
                for r in (first, irmx.read_run(path))]  # fmt: skip
        overlaps = document_order.RBO(*runs, 0.9, depth, False, True)
        taus = document_order.KTU(*runs, trim_thresh=depth, per_topic=True)
        assert set(topics.loc[name].index) == set(overlaps)
        for topic, overlap in overlaps.items():
            assert topics.loc[(name, topic), "rbo"] == pytest.approx(overlap, abs=1e-12)
            assert topics.loc[(name, topic), "tau_union"] == pytest.approx(taus[topic], abs=1e-12)
        for measure in ("AP", "nDCG@10"):
            both = [
                {
                    t: {measure: float(v)}
                    for t, v in zip(scores.topics, scores[measure][:, scores.systems.index(system)], strict=True)
                }
                for system in ("original", name)
            ]
            row = values.loc[(name, measure)]
            assert row["RMSE"] == pytest.approx(effectiveness.RMSE(*both)[measure])
            assert row["nRMSE"] == pytest.approx(effectiveness.nRMSE(*both)[measure])
            assert row["p"] == pytest.approx(statistics.ttest(*both)[measure])
    means = result.frame("rankings").set_index("rerun")
    assert means.loc["again0", "rbo"] == pytest.approx(topics.loc["again0", "rbo"].mean())


def test_a_rerun_that_is_the_same_and_one_that_is_shorter(tmp_path: Path) -> None:
    lines = run_path("bm25").read_text().splitlines(keepends=True)
    (tmp_path / "short.run").write_text("".join(line for line in lines if int(line.split()[3]) <= 4))
    reruns = {"same": irmx.read_run(run_path("bm25")), "short": tmp_path / "short.run"}
    result = irmx_study.rerun("AP", qrels_path(), run_path("bm25"), reruns, depth=5)
    [note] = result.notes
    assert "--depth 4" in note
    same, short = result.frame("rankings").set_index("rerun").loc[["same", "short"], ["tau_union", "rbo"]].to_numpy()
    assert same.tolist() == [1.0, 1.0]
    assert np.isnan(short[0])
    assert 0 < short[1] < 1
    assert result.frame()["p"].tolist()[0] == 1.0
    moved = result.frame("topics").query("rerun == 'short'")["AP"].abs()
    assert moved.is_monotonic_decreasing
    assert irmx_study.rerun("AP", qrels_path(), run_path("bm25"), {"same": reruns["same"]}, depth=10).notes == ()


def test_a_topic_that_a_rerun_lacks_is_no_agreement() -> None:
    docs = {f"d{i}": float(-i) for i in range(5)}
    original = {"1": docs, "2": docs, "3": docs}
    qrels = {topic: {"d1": 1} for topic in original}
    reruns = {"one": {"1": docs}, "shorter": {**original, "2": {"d0": 1.0}}}
    with pytest.warns(irmx.toolkit.MissingTopicsWarning):
        result = irmx_study.rerun("AP", qrels, original, reruns, depth=5, missing="zero")
    means = result.frame("rankings").set_index("rerun")
    assert means["topics"].tolist() == [3, 3]
    assert means.loc["one", "rbo"] == pytest.approx(1 / 3)
    assert means["tau_union"].isna().all()
    with pytest.raises(DataError):
        irmx_study.rerun("AP", {"1": {"d1": 1}}, {"1": docs}, {"again": {"1": docs}})


def test_scores_are_equal_that_are_equal_in_32_bits() -> None:
    original = {topic: {"a": 16777217.0, "b": 16777216.0} for topic in "12"}
    again = {topic: {"b": 2.0, "a": 1.0} for topic in "12"}  # trec_eval's order of the original
    with pytest.warns(irmx.DataWarning):
        found = irmx_study.rerun("AP", {topic: {"a": 1} for topic in "12"}, original, {"again": again}, depth=2)
    assert found.frame("rankings")[["tau_union", "rbo"]].values.tolist() == [[1.0, 1.0]]


def test_there_is_no_interval_where_the_difference_may_be_0_and_no_ratio_to_0() -> None:
    rng = np.random.default_rng(3)
    first = random_scores(rng, 10, 0.001)
    none = np.stack([first[:, 0], first[:, 0]], axis=1)
    result = irmx_study.persist({"a": scores_of(first), "b": scores_of(random_scores(rng, 10, 0.1))})
    row = result.frame().iloc[1]
    assert np.isfinite(row["ER"])
    assert np.isnan([row["ER_low"], row["ER_high"]]).all()
    assert "nothing to persist" in str(result)
    row = irmx_study.persist({"a": scores_of(none), "b": scores_of(first)}).frame().iloc[1]
    assert np.isnan(row["ER"])
    row = irmx_study.persist({"a": scores_of(first * 0), "b": scores_of(first)}).frame().iloc[1]
    assert np.isnan([row["ER"], row["delta_RI"], row["RC"]]).all()


def test_differences_by_rounding_are_none() -> None:
    base = np.array([0.1, 0.7708333333333333, 0.4, 0.5, 0.9])
    noisy = base.copy()
    noisy[1] = 0.7708333333333334
    assert (noisy != base).sum() == 1
    one = scores_of(np.stack([base, noisy], axis=1))
    rows = irmx_study.persist({"a": one, "b": one.select(topics=one.topics[:4])}).frame()
    assert rows["p"].tolist() == [1.0, 1.0]
    assert np.isnan(rows["ER"][1])
    equal = scores_of(np.stack([base, base + 0.05], axis=1))
    [first, _] = irmx_study.persist({"a": equal, "b": one}).frame()["p"]
    assert first == irmx_study.compare(equal, baseline="base").frame()["p"][0] == 0.0625


def test_what_is_wrong_is_refused() -> None:
    for level in (0, 1, 2):
        with pytest.raises(UsageError):
            irmx_study.persist(
                {"a": scores_of([[0.1, 0.2], [0.2, 0.4]]), "b": scores_of([[0.1, 0.2], [0.2, 0.4]])}, level=level
            )
    rng = np.random.default_rng(3)
    one = scores_of(random_scores(rng, 5, 0.1))
    for wrong, kind in (
        ({"a": one}, UsageError),
        ({"a": one, "b": scores_of(one.values[:, :, 0], "base other")}, UsageError),
        ({"a": one, "b": one.select(topics=["q0"])}, DataError),
        ({"a": one, "b": "nowhere.csv"}, UsageError),
    ):
        with pytest.raises(kind):
            irmx_study.persist(wrong)
    with pytest.raises(UsageError):
        irmx_study.persist({"a": one, "b": one}, baseline="nobody")
    with pytest.raises(UsageError):
        irmx_study.persist({n: (qrels_path(), {s: run_path(s) for s in SYSTEMS}) for n in "ab"}, "NumRet")
    with pytest.raises(UsageError):
        irmx_study.rerun("AP", qrels_path(), run_path("bm25"), {"again": run_path("bm25")}, p=1)
    with pytest.raises(UsageError):
        irmx_study.rerun("AP", qrels_path(), run_path("bm25"), {"original": run_path("bm25")})


def test_a_snapshot_or_a_rerun_given_twice_is_no_further_evidence(snapshots: Path, command: Callable[..., Any]) -> None:
    for kind in ("qrels", "old", "new"):
        shutil.copy(snapshots / f"spring.{kind}", snapshots / f"copy.{kind}")
    halves = [f"--snapshot={name}={name}.qrels,{name}.old,{name}.new" for name in ("spring", "autumn", "copy")]
    command("persist", "AP", *halves, cwd=snapshots).assert_refused(1, "spring and copy")
    assert command("persist", "AP", *halves[:2]).code == 0
    one = scores_of([[0.1, 0.2], [0.2, 0.4]])
    with pytest.raises(DataError):
        irmx_study.persist({"a": one, "b": one})
    command("rerun", "spring.qrels", "spring.new", "./spring.new", "AP").assert_refused(2, "twice")
    command("rerun", "spring.qrels", "spring.new", "spring.old", "spring.old", "AP").assert_refused(2, "twice")
    command("rerun", "spring.qrels", "spring.new", "spring.old", "./spring.old", "AP").assert_refused(2, "twice")
    with pytest.raises(UsageError):
        irmx_study.rerun("AP", qrels_path(), run_path("bm25"), {"again": run_path("bm25")})


@pytest.mark.parametrize(("cut", "code"), [("spring.new", 1), ("spring.old", 1), ("autumn.new", 0), ("autumn.old", 1)])
def test_what_is_missing_makes_no_improvement_last(
    cut: str, code: int, snapshots: Path, command: Callable[..., Any]
) -> None:
    lines = (snapshots / cut).read_text().splitlines(keepends=True)
    topics = sorted({line.split()[0] for line in lines})[:5]
    (snapshots / cut).write_text("".join(line for line in lines if line.split()[0] not in topics))
    words = ["persist", "AP", "--snapshots", "snapshots.csv", "-o", "jsonl"]
    done = command(*words, cwd=snapshots)
    assert done.code == code
    assert cut in done.err
    assert "5 of 15" in done.err
    for missing, left in (("zero", 15), ("both", 10)):
        done = command(*words, "--missing", missing)
        rows = {row["snapshot"]: row["topics"] for row in map(json.loads, done.out.splitlines())}
        assert rows[cut.partition(".")[0]] == left
        assert "5 of 15" in done.err


def test_a_warning_about_a_rerun_names_the_file(snapshots: Path, command: Callable[..., Any]) -> None:
    lines = (snapshots / "spring.new").read_text().splitlines(keepends=True)
    (snapshots / "spring.new").write_text("".join(line for line in lines if line.split()[0] != "2"))
    assert "spring.new" in command("rerun", "spring.qrels", "spring.new", "spring.old", "AP", cwd=snapshots).err


def test_a_name_ends_no_line_of_a_sentence() -> None:
    rng = np.random.default_rng(3)
    both = (scores_of(random_scores(rng, 20, 0.3)) for _ in range(2))
    first, then = (replace(one, systems=("base", "new\nsystem")) for one in both)
    for names in (("a\nb", "c"), ("c", "a\nb")):
        none = replace(then, values=then.values[:, [0, 0]]) if names[0] == "c" else then
        found = irmx_study.persist(dict(zip(names, (first, none), strict=True)))
        assert "persists on" in found.to_markdown().splitlines()[0]


def test_ranks_and_taus_of_many_systems() -> None:
    first = scores_of([[0.1, 0.2, 0.3], [0.2, 0.3, 0.5]], "one two three")
    then = scores_of([[0.3, 0.2, 0.4], [0.4, 0.3, 0.5]], "one two three", ["x", "y"])
    result = irmx_study.persist({"2024": first, "2025": then})
    assert result.frame("ranks")[["system", "2024", "2025"]].values.tolist() == [
        ["one", 3, 2],
        ["two", 2, 3],
        ["three", 1, 1],
    ]
    assert result.frame("taus")["tau"].tolist() == [pytest.approx(1 / 3)]
    costs = irmx.Scores(first.values, first.topics, first.systems, (irmx.parse_measure("TS_Verbosity"),))
    fewer = irmx.Scores(then.values, then.topics, then.systems, costs.measures)
    assert irmx_study.persist({"a": costs, "b": fewer}).frame("ranks")["a"].tolist() == [1, 2, 3]


@pytest.fixture
def snapshots(tmp_path: Path) -> Path:
    """Two snapshots of the demo collection, of half of its topics each, as files beside a table."""
    for source, name in ((qrels_path(), "qrels"), (run_path("titles"), "old"), (run_path("bm25"), "new")):
        lines = source.read_text().splitlines(keepends=True)
        for i, half in enumerate(("spring", "autumn")):
            (tmp_path / f"{half}.{name}").write_text("".join(line for line in lines if int(line.split()[0]) % 2 == i))
    rows = [f"{half},{half}.qrels,{half}.old,{half}.new\n" for half in ("spring", "autumn")]
    (tmp_path / "snapshots.csv").write_text("name,qrels,baseline,run\n" + "".join(rows))
    return tmp_path


def test_a_report_has_what_persists_on_other_snapshots(snapshots: Path, command: Callable[..., Any]) -> None:
    arguments = ["report", "spring.qrels", "spring.old", "spring.new", "AP"]
    assert command(*arguments, "--snapshots", "snapshots.csv", "-o", "with.html", cwd=snapshots).code == 0
    assert command(*arguments, "-o", "without.html").code == 0
    found = irmx_study.persist(snapshots / "snapshots.csv", "AP")
    (sentence, _), (_, rows) = found.tables_for_reading()
    page, other = ((snapshots / name).read_text(encoding="utf-8") for name in ("with.html", "without.html"))
    section = page.partition("Does it persist?</h2>")[2].partition("<h2")[0]
    assert sentence in section
    assert all(rows[1][name] in section for name in ("delta_RI", "ER", "RC"))
    assert section.count("<svg") == 2
    assert "Does it persist?" not in other
    command(*arguments, "--snapshots", "none.csv", "-o", "new.html").assert_refused(1)
    assert not (snapshots / "new.html").exists()


def test_the_command_takes_a_table_or_single_snapshots(snapshots: Path, command: Callable[..., Any]) -> None:
    done = command("persist", "AP", "nDCG@10", "--snapshots", "snapshots.csv", "-o", "jsonl", cwd=snapshots)
    rows = list(map(json.loads, done.out.splitlines()))
    assert [(row["measure"], row["snapshot"], row["topics"]) for row in rows] == [
        (measure, half, 15) for measure in ("AP", "nDCG@10") for half in ("spring", "autumn")
    ]
    expected = irmx_study.persist(snapshots / "snapshots.csv", "AP").frame()
    assert rows[1]["ER"] == pytest.approx(expected["ER"][1])
    single = [f"--snapshot={half}={half}.qrels,{half}.old,{half}.new" for half in ("spring", "autumn")]
    again = command("persist", "AP", *single, "-o", "jsonl", "--plot", "p.svg", "--plot", "means=m.png")
    assert list(map(json.loads, again.out.splitlines())) == rows[:2]
    assert (snapshots / "p.svg").stat().st_size > 2000
    assert (snapshots / "m.png").stat().st_size > 2000
    shown = command("persist", "AP", *single).out
    assert "AP: the improvement of run" in shown
    assert "persists on 1 of 1 other snapshot" in shown


def test_the_commands_refuse_what_cannot_be(snapshots: Path, command: Callable[..., Any]) -> None:
    command("persist", "AP", cwd=snapshots).assert_refused(2)
    command("persist", "AP", "--snapshot", "a=b,c").assert_refused(2)
    same = "--snapshot=spring=spring.qrels,spring.old,spring.new"
    command("persist", "AP", same, same).assert_refused(2)
    (snapshots / "twice.csv").write_text((snapshots / "snapshots.csv").read_text().replace("autumn,", "spring,"))
    command("persist", "AP", "--snapshots", "twice.csv").assert_refused(1, "line 3")
    command("rerun", "spring.qrels", "spring.new").assert_refused(2)
    command("rerun", "spring.qrels", "spring.new", "autumn.new", "AP").assert_refused(1)


def test_the_command_on_reruns(snapshots: Path, command: Callable[..., Any]) -> None:
    shutil.copy(snapshots / "spring.new", snapshots / "again.new")
    done = command("rerun", "spring.qrels", "spring.new", "again.new", "spring.old", "AP", "-o", "jsonl", cwd=snapshots)
    rows = list(map(json.loads, done.out.splitlines()))
    assert [(row["rerun"], row["RMSE"] == 0) for row in rows] == [("again.new", True), ("spring.old", False)]
    done = command("rerun", "spring.qrels", "spring.new", "spring.old", "AP", "--table", "topics", "-o", "jsonl")
    assert len(done.out.splitlines()) == 15


@pytest.mark.slow
@pytest.mark.parametrize("same_topics", [False, True])
def test_intervals_hold_the_true_value_as_often_as_they_say(same_topics: bool) -> None:
    """Eight hundred draws, as if each were another measure."""
    rng = np.random.default_rng(11)
    draws = 800
    pairs = [(random_scores(rng, 50, 0.1), random_scores(rng, 50, 0.05, mean=0.3)) for _ in range(draws)]
    first, then = (np.stack(values, axis=2) for values in zip(*pairs, strict=True))
    measures = tuple(irmx.parse_measure(f"AP@{k}") for k in range(1, draws + 1))
    names = tuple(f"q{i}" for i in range(50))
    others = names if same_topics else tuple(f"x{i}" for i in range(50))
    snapshots = {
        name: irmx.Scores(values, topics, ("base", "new"), measures)
        for name, values, topics in (("a", first, names), ("b", then, others))
    }
    rows = irmx_study.persist(snapshots).frame().query("snapshot == 'b'")
    assert len(rows) == draws
    truth = {"ER": 0.5, "delta_RI": 0.1 / 0.4 - 0.05 / 0.3, "RC": 1 - 0.35 / 0.5}
    held = np.array(
        [rows[f"{name}_low"].le(value).mul(rows[f"{name}_high"].ge(value)).sum() for name, value in truth.items()]
    )
    assert ((held / draws > 0.93) & (held / draws < 0.97)).all(), held / draws
