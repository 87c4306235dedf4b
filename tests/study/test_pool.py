"""Smaller pools: which judgments samples keep, values equal to scoring cut qrels, and what is said where tau is undefined."""

import io
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

import irmx
import irmx_study
from irmx import DataError, DataWarning, UsageError
from irmx.demo import SYSTEMS, qrels_path, run_path

RUNS = {system: str(run_path(system)) for system in SYSTEMS}
FILES = [qrels_path(), *(run_path(system) for system in SYSTEMS)]
FEW = ("--keep", "50,10", "--samples", "3", "--jobs", "1")
LEVELS = (90, 70, 50, 30, 10)
MEASURES = [
    "AP", "AP(judged_only=True)", "Bpref", "P@10", "P(judged_only=True)@5", "R@20", "Rprec", "RR", "nDCG@10", "nDCG", "Success@5",
    "Judged@10", "NumRel", "NumRelRet", "RBP(p=0.8)", "infAP", "MP(model=GL_AD_ID)", "MP(model=LO_OR_LID)@20",
    "MP(model=GL_AD_ID,judged_only=True)", "NCP(law=uniform)", "NCP(law=first)", "NCP(law=first,judged_only=True)",
]  # fmt: skip
lacks_topics = pytest.mark.filterwarnings("ignore:.*no results for")


# -- which judgments are kept ------------------------------------------------------------------------------


def kept(qrels: dict[str, dict[str, int]], keep: Any = LEVELS, samples: int = 1, **choices: Any) -> Any:
    """Which documents are judged in every sample (outer), at every percentage: each is the only one of a run."""
    documents = [(topic, doc) for topic, docs in qrels.items() for doc in docs]
    runs = {f"{topic} {doc}": {topic: {doc: 1.0}} for topic, doc in documents}
    more = {f"none {i}": {next(iter(qrels)): {"none": 1.0}} for i in range(3)}
    scores = irmx_study.samples("Judged@1", qrels, runs | more, keep=keep, samples=samples, jobs=1, **choices)
    return (scores.values[0, : len(documents), 1:] > 0).T.reshape(samples, -1, len(documents))


def topic(relevant: int, nonrelevant: int, grade: int = 1) -> dict[str, int]:
    return {f"r{i}": grade for i in range(relevant)} | {f"n{i}": 0 for i in range(nonrelevant)}


def by_grade(qrels: dict[str, dict[str, int]], mask: Any) -> dict[tuple[str, int], int]:
    grades = [(topic, grade) for topic, docs in qrels.items() for grade in docs.values()]
    return {key: sum(is_kept for one, is_kept in zip(grades, mask, strict=True) if one == key) for key in grades}


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ((25, 300), [(23, 270), (18, 210), (13, 150), (8, 90), (3, 30)]),
        ((3, 40), [(3, 36), (2, 28), (2, 20), (1, 12), (1, 10)]),
        ((1, 7), [(1, 7)] * 5),
        ((0, 20), [(0, 18), (0, 14), (0, 10), (0, 10), (0, 10)]),
    ],
)
def test_as_many_as_in_the_worked_sizes(sizes: tuple[int, int], expected: list[tuple[int, int]]) -> None:
    [masks] = kept({"q": topic(*sizes)})
    assert [(of[: sizes[0]].sum(), of[sizes[0] :].sum()) for of in masks] == expected


@lacks_topics
def test_every_grade_of_every_topic_is_sampled_by_itself_and_negative_grades_stay() -> None:
    qrels = {"q": topic(40, 100) | {f"h{i}": 2 for i in range(3)}, "p": topic(10, 20, grade=2) | {"u": -1, "v": -1}}
    rest = {("q", 0): 10, ("q", 2): 1, ("p", 0): 10, ("p", 2): 1, ("p", -1): 2}
    assert by_grade(qrels, kept(qrels, 10)[0, 0]) == {("q", 1): 4, **rest}
    assert by_grade(qrels, kept(qrels, 10, rel=2)[0, 0]) == {("q", 1): 10, **rest}


@given(size=st.integers(1, 30), tenths=st.integers(1, 1000))
@example(size=50, tenths=70)  # 0.07 * 50 is more than 3.5, 3.5000000000000004
@example(size=25, tenths=125)
def test_shares_are_exact_and_halves_rounded_up(size: int, tenths: int) -> None:
    whole, rest = divmod(tenths * size, 1000)
    assert kept({"q": topic(size, 0)}, tenths / 10).sum() == min(size, max(1, whole + (rest >= 500)))


@lacks_topics
@given(
    relevant=st.integers(0, 9),
    nonrelevant=st.integers(1, 20),
    levels=st.permutations(LEVELS),
    some=st.integers(1, 5),
    seed=st.integers(0, 2**53),
)
@settings(max_examples=10)  # each takes long
def test_samples_are_nested_and_depend_on_their_number_alone(
    relevant: int, nonrelevant: int, levels: list[int], some: int, seed: int
) -> None:
    qrels = {"q": topic(relevant, nonrelevant), "p": topic(1, 11)}
    every = kept(qrels, LEVELS, 2, seed=seed)
    assert (every[:, 1:] <= every[:, :-1]).all()
    few = kept(qrels, levels[:some], 1, seed=seed)
    assert np.array_equal(few, every[:1, [LEVELS.index(level) for level in levels[:some]]])


@pytest.mark.slow
@lacks_topics
def test_samples_differ_but_not_by_the_order_of_rows() -> None:
    qrels = {"q": topic(10, 60), "p": topic(5, 30)}
    masks = kept(qrels, 50, 100)[:, 0]
    assert len({mask.tobytes() for mask in masks}) == 100
    assert np.abs(masks.mean(axis=0) - 0.5).max() < 0.25  # 5 standard deviations of a share of 100
    assert not np.array_equal(masks[:1], kept(qrels, 50, seed=1)[0])
    other = {name: dict(sorted(docs.items(), reverse=True)) for name, docs in sorted(qrels.items())}
    places = [[(t, d) for t, docs in of.items() for d in docs] for of in (qrels, other)]
    again = dict(zip(places[1], kept(other, 50)[0, 0].tolist(), strict=True))
    assert [again[place] for place in places[0]] == masks[0].tolist()


# -- values, and what they say about rankings --------------------------------------------------------------


@pytest.fixture(scope="module")
def collection() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Graded qrels, also with negative grades, and eight runs that retrieve unjudged documents, and not every topic."""
    rng = np.random.default_rng(15)
    grades = {f"q{t}": rng.choice([-1, 0, 1, 2], 40, p=[0.05, 0.6, 0.25, 0.1]) for t in range(5)}
    qrels = {t: {f"d{d}": int(g) for d, g in enumerate(of)} for t, of in grades.items()} | {"few": {"d1": 1, "d2": 0}}
    runs: dict[str, dict[str, dict[str, float]]] = {}
    for r in range(8):
        runs[f"r{r}"] = {
            t: {f"d{d}": float(s + (r / 8) * docs.get(f"d{d}", 0)) for d, s in enumerate(rng.normal(size=60)) if s > -1}
            for t, docs in list(qrels.items())[: 6 - (r == 3)]
        }
    return qrels, runs


@lacks_topics
def test_equal_to_cut_qrels_scored_from_scratch(collection: Any) -> None:
    qrels, runs = collection
    result = irmx_study.pool(MEASURES, qrels, runs, keep=(60, "12.5"), samples=2, seed=3)
    values = result.frame("values")
    documents = [(topic, doc) for topic, docs in qrels.items() for doc in docs]
    cuts = {(100, 0): np.ones(len(documents), dtype=bool)}
    for sample, masks in enumerate(kept(qrels, (60, "12.5"), 2, seed=3), start=1):
        cuts |= {(60, sample): masks[0], (12.5, sample): masks[1]}
    assert len({mask.tobytes() for mask in cuts.values()}) == 5
    full = irmx.scores(MEASURES, qrels, runs).means()
    for (keep, sample), mask in cuts.items():
        cut: dict[str, dict[str, int]] = {topic: {} for topic in qrels}
        for topic_id, doc in (document for document, stays in zip(documents, mask, strict=True) if stays):
            cut[topic_id][doc] = qrels[topic_id][doc]
        expected = irmx.scores(MEASURES, cut, runs).means()
        of_cut = values[(values["keep"] == keep) & (values["sample"] == sample)]
        of_cut = of_cut.pivot(index="run", columns="measure", values="value")
        of_cut = of_cut.loc[expected.index, expected.columns]
        pd.testing.assert_frame_equal(of_cut, expected, check_names=False, check_exact=True)
        if sample:
            rows = result.frame("samples").set_index(["keep", "sample", "measure"]).sort_index().loc[(keep, sample)]
            for measure in expected.columns:
                tau = kendalltau(expected[measure].round(12), full[measure].round(12)).statistic
                assert rows.loc[measure, "tau"] == pytest.approx(tau, nan_ok=True), measure
                assert rows.loc[measure, "mean_value"] == pytest.approx(expected[measure].mean())


def test_diversity_qrels_lose_whole_documents() -> None:
    """A document of several subtopics is one document of its largest grade."""
    rng = np.random.default_rng(2)
    rows = [(f"q{t}", f"d{d}", int(rng.random() < 0.3), s) for t in range(4) for d in range(40) for s in ("1", "2")]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    runs = {f"r{r}": {f"q{t}": {f"d{d}": rng.random() for d in range(50)} for t in range(4)} for r in range(4)}
    scores = irmx_study.samples("alpha_nDCG@10 AP", qrels, runs, keep=30, samples=1, jobs=1)
    largest = qrels.groupby(["query_id", "doc_id"], sort=False)["relevance"].max()
    by_topic = {t: {d: int(g) for (_, d), g in of.items()} for t, of in largest.groupby(level=0, sort=False)}
    with pytest.warns(DataWarning, match="no results"):
        stays = dict(zip(largest.index, kept(by_topic, 30)[0, 0].tolist(), strict=True))
    cut = qrels[[stays[place] for place in zip(qrels["query_id"], qrels["doc_id"], strict=True)]]
    expected = irmx.scores("alpha_nDCG@10 AP", cut, runs).means().to_numpy()
    assert scores.values[0][:, [1, 3]].tolist() == expected.tolist()


def test_bpref_of_the_worked_example_and_all_judgments_give_the_same_ranking() -> None:
    qrels = {"q": {"r1": 1, "r2": 1, "r3": 1, "r4": 1, "n1": 0, "n2": 0, "n3": 0}}
    ranking = ["r1", "n1", "r2", "n2", "n3", "u", "r3"]
    given = {"example": ranking, "shorter": ranking[:1], "other": ranking[1:]}
    runs = {name: {"q": {doc: -float(i) for i, doc in enumerate(docs)}} for name, docs in given.items()}
    values = irmx_study.pool("Bpref", qrels, runs, keep=100, samples=1).frame("values")
    assert values[values["run"] == "example"]["value"].tolist() == pytest.approx([0.416667] * 2, abs=5e-7)
    result = irmx_study.pool("AP Bpref RR", qrels_path(), RUNS, keep=100, samples=3)
    assert result.frame()[["tau", "low", "high"]].to_numpy().tolist() == [[1.0] * 3] * 3
    assert result.frame("drops")["drop"].abs().max() < 1e-15


def test_the_tables_and_what_they_summarise() -> None:
    qrels = {topic: docs for topic, docs in irmx.read_qrels(qrels_path()).as_dict().items() if int(topic) < 9}
    result = irmx_study.pool("AP P@10", qrels, RUNS, keep=(50, 10), samples=4)
    frame, samples, drops = (result.frame(name) for name in ("levels", "samples", "drops"))
    assert list(frame.columns) == ["measure", "keep", "samples", "tau", "low", "high", "mean_value"]
    assert frame[["measure", "keep"]].to_numpy().tolist() == [["AP", 50], ["AP", 10], ["P@10", 50], ["P@10", 10]]
    for row in frame.itertuples():
        of = samples[(samples["measure"] == row.measure) & (samples["keep"] == row.keep)]
        assert of["sample"].tolist() == [1, 2, 3, 4]
        found = [row.samples, row.tau, row.low, row.high, row.mean_value]
        assert found == pytest.approx([4, of["tau"].mean(), of["tau"].min(), of["tau"].max(), of["mean_value"].mean()])
    full = irmx.scores("AP P@10", qrels, RUNS).means().mean()
    assert drops["full_value"].tolist() == pytest.approx(full.loc[drops["measure"]].tolist())
    assert drops["drop"].tolist() == pytest.approx((drops["full_value"] - frame["mean_value"]).tolist())
    assert drops["relative"].tolist() == pytest.approx((drops["drop"] / drops["full_value"]).tolist())
    with pytest.warns(DataWarning, match="no results"):
        masks = kept(qrels, (50, 10))[0]
    grades = np.array([grade for docs in qrels.values() for grade in docs.values()])
    sizes = result.frame("sizes")
    assert sizes["keep"].tolist() == [100, 50, 10]
    assert sizes["judged"].tolist() == [len(grades), *masks.sum(axis=1)]
    assert sizes["relevant"].tolist() == [int((grades >= 1).sum()), *((grades >= 1) & masks).sum(axis=1)]


@pytest.mark.slow
def test_the_number_of_jobs_changes_nothing_and_filters_are_those_of_choose_systems(collection: Any) -> None:
    qrels, runs = collection
    found = []
    for choices in ({"jobs": 1}, {"jobs": 2}, {"every_topic": True, "best": 50}):
        with pytest.warns(DataWarning, match=r"r3: no results for 1 of 6 topics \(few\)") as warned:
            found.append(irmx_study.pool("AP Bpref", qrels, runs, keep=30, samples=2, **choices))
        assert len(warned) == 1
    pd.testing.assert_frame_equal(found[0].frame("values"), found[1].frame("values"), check_exact=True)
    with pytest.warns(DataWarning, match="no results"):
        whole = irmx.scores("AP", qrels, runs)
    systems = irmx_study.choose_systems(whole, every_topic=True, best=50).systems
    assert "r3" not in systems
    assert found[2].scores.systems == systems
    alone = irmx_study.pool("AP Bpref", qrels, {s: runs[s] for s in systems}, keep=30, samples=2)
    pd.testing.assert_frame_equal(found[2].frame(), alone.frame())


def test_samples_are_views_that_can_be_correlated() -> None:
    scores = irmx_study.samples("AP Bpref", qrels_path(), RUNS, keep=(50, 10), samples=3, jobs=1)
    pairs = irmx_study.correlate(scores, reference={"keep": 100, "sample": 0}, resamples=0).frame()
    by_sample = irmx_study.pool("AP Bpref", qrels_path(), RUNS, keep=(50, 10), samples=3, jobs=1).frame("samples")
    assert sorted(pairs["tau"].dropna()) == pytest.approx(sorted(by_sample["tau"].dropna()))


# -- where tau is undefined --------------------------------------------------------------------------------


def test_a_sample_in_which_all_values_are_equal_is_left_out_and_told() -> None:
    runs = {f"r{i}": {"q": {f"r{i}": 2.0, "x": 1.0} if i < 2 else {"x": 2.0}} for i in range(3)}
    result = irmx_study.pool("P@1", {"q": topic(20, 12)}, runs, keep=(90, 10), samples=20)
    [most, few] = result.frame().itertuples()
    is_equal = result.frame("samples")["problem"] == "all values equal"
    problems = is_equal.groupby(result.frame("samples")["keep"]).sum()
    assert 0 < problems[10] < 20
    assert (most.samples, few.samples) == (20 - problems[90], 20 - problems[10])
    assert np.isfinite([few.tau, few.low, few.high, few.mean_value]).all()
    assert f"P@1 gives all systems the same value in {problems[10]} of 20 samples at 10%" in result.notes[-1]


def test_a_measure_that_refuses_a_sample_is_left_out_and_told(tmp_path: Path) -> None:
    @irmx.measure(range=(0, None))
    def Picky(ranking: irmx.Ranking) -> float:
        """Refuse topics with few relevant documents."""
        if ranking.recall_base < 3:
            raise DataError("too few judgments")
        return float(ranking.precision.sum())

    alone = irmx_study.pool("AP", qrels_path(), RUNS, keep=(90, 10), samples=2, jobs=1).frame()
    given = {"keep": (90, 10), "samples": 2, "jobs": 1}
    for out in (None, *[tmp_path / f"pools.{ending}" for ending in ("csv", "parquet") for _ in range(2)]):
        result = irmx_study.pool("Picky AP", qrels_path(), RUNS, **given, out=out)
        frame = result.frame().set_index(["measure", "keep"])
        assert frame["samples"].tolist() == [2, 0, 2, 2]
        assert frame.loc[("Picky", 10)][["tau", "low", "high", "mean_value"]].isna().all()
        [note] = result.notes
        assert note.startswith("Picky cannot be computed with 2 of 2 samples at 10%")
        assert "too few judgments" in note
        pd.testing.assert_frame_equal(result.frame()[2:].reset_index(drop=True), alone)


# -- bad input, the command, the picture -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"samples": 0}, "'samples' parameter of pool must be an int.*Got 0 instead"),
        ({"seed": -1}, "'seed' parameter of pool"),
        *(({"keep": keep}, f"Got {shown} instead") for keep, shown in (
            (0, "0"), ("100.5", "100.5"), ((90, -1), "-1"), ("90,x", "x"), ("90,,50", "''"), (float("nan"), "nan"),
            ("1e999999999", "1e999999999"), ("1e-999999999", "1e-999999999"), (True, "True"))),
        ({"keep": "50,90,50.0"}, "The percentage 50 is to be kept twice"),
        ({"keep": ()}, "There is no percentage"),
        ({"runs": {"titles": RUNS["titles"], "bm25": RUNS["bm25"]}}, "3 or more runs. Got 2: titles, bm25"),
        ({"only": ["titles", "bm25", "recent", "title"]}, "has 'title', which is no run here. Did you mean titles"),
        ({"jobs": 0}, "number of jobs"),
        ({"best": 0}, "percentage in the range"),
    ],
)  # fmt: skip
def test_bad_choices_are_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        irmx_study.pool(**{"measures": "AP", "qrels": qrels_path(), "runs": RUNS, "samples": 1, **changed})


@pytest.mark.parametrize("name", ["pool", "samples", "leave_out", "without", "unjudged"])
def test_scores_have_no_judgments_to_leave_out(name: str) -> None:
    scores = irmx.scores("AP", qrels_path(), RUNS)
    with pytest.raises(UsageError, match=rf"needs measures, qrels and runs.* irmx_study\.{name}\(measures"):
        getattr(irmx_study, name)(scores)


def pool(measures: str = "AP Bpref") -> irmx_study.Result:
    runs = {f"{system}.run": path for system, path in RUNS.items()}
    return irmx_study.pool(measures, qrels_path(), runs, keep=(50, 10), samples=3, jobs=1)


def test_the_command_prints_the_tables(command: Any, tmp_path: Path) -> None:
    for ending in ("csv", "parquet"):
        words = ["pool", *FILES, "AP", "Bpref", *FEW, "--out", tmp_path / f"pools.{ending}", "-o", "csv"]
        first, again = command(*words), command(*words)
        assert (first.code, again.code, first.out) == (0, 0, again.out)
        assert again.err.startswith(f"irmx: {tmp_path / f'pools.{ending}'} is complete: 3 runs\n")
    for table in ([], ["samples"], ["drops"], ["sizes"], ["values"]):
        done = command("pool", *FILES, "AP", "Bpref", *FEW, "-o", "csv", *(f"--table={name}" for name in table))
        assert done.code == 0
        found = pd.read_csv(io.StringIO(done.out), keep_default_na=table == [])
        pd.testing.assert_frame_equal(found, pool().frame(*table), check_dtype=False)
    assert "at 10%, 360 and 60 of them, which is 38.8%" in " ".join(done.err.split())
    done = command("pool", *FILES, "AP", "--keep", "50,33.3", "--keep", "1e-9", "--samples", 2, "-j", 1)
    assert [row.split()[1] for row in done.out.splitlines() if row.split()[:1] == ["AP"]] == ["50", "33.3", "1e-09"]
    shutil.copy(run_path("titles"), tmp_path / "again.run")
    (tmp_path / "names").write_text("\n".join(f"{system}.run" for system in SYSTEMS), encoding="utf-8")
    done = command("pool", *FILES, "again.run", "AP", *FEW, "--only", "names", "-o", "jsonl")
    assert [json.loads(line)["tau"] for line in done.out.splitlines()] == pool("AP").frame()["tau"].tolist()


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["AP", "--keep", ""], 2, "percentage in the range (0, 100]. Got '' instead"),
        (["AP", "--samples", "1000000000"], 2, "Got 1000000000 instead"),
        (["AP", "--best", "0", "--out", "no_folder/pools.parquet"], 2, "The best runs to keep are a percentage"),
        (["AP", "--best", "30"], 1, "takes 3 or more systems. Here 1 run is left: bm25.run"),
        (["AP", "--scheduler", "tcp://x:1"], 2, "requires --backend dask"),
        (["AP", "--plot", "curve.txt"], 2, ".png, .svg, .pdf"),
        (["AP", "--plot", "falls=f.png", "--out", "no_folder/pools.parquet"], 2, "falls with --leave-out"),
        (["AP", "--leave-out", "each-run", "--plot", "robustness=f.png"], 2, "falls with --leave-out"),
        (["AP", "--table", "level"], 2, "levels"),
        (["AP", "--out", "values.xlsx"], 2, "must end in .parquet, .csv or .tsv"),
        (["AP", "--out", "/proc/pools.csv"], 1, "The folder /proc/pools.csv.parts cannot be used: "),
        (["MPcont(model=GL_AD_ID)"], 1, "cannot be computed"),
        (["AP", "NumRel"], 1, "gives all of 3 systems the same value, 330"),
    ],
)
def test_what_cannot_be_done_is_told(words: list[str], code: int, message: str, command: Any) -> None:
    command("pool", *FILES, *words, "--jobs", "1").assert_refused(code, message)


def test_the_picture_has_a_line_per_measure_from_all_judgments_on(command: Any, tmp_path: Path) -> None:

    many = " ".join(f"P@{k}" for k in range(3, 13))
    for measures, panels, kind in (
        ("AP Bpref", 1, "robustness"),
        (many, 10, "robustness"),
        ("AP Bpref", 1, "means"),
    ):
        result = pool(measures)
        axes = [ax for ax in result.plot(kind).figure.axes if ax.axison]
        assert len(axes) == panels
        lines = {line.get_label(): line for ax in axes for line in ax.lines if not line.get_label().startswith("_")}
        levels = result.frame()
        assert sorted(lines) == sorted(set(levels["measure"]))
        for measure, line in lines.items():
            of_measure, drops = (frame[frame["measure"] == measure] for frame in (levels, result.frame("drops")))
            full = {"robustness": 1.0, "means": drops["full_value"].iloc[0]}[kind]
            assert line.get_ydata().tolist() == [full, *of_measure[{"robustness": "tau", "means": "mean_value"}[kind]]]
            assert np.abs(line.get_xdata() - [100, 50, 10]).max() < 5
        assert len({(line.get_color(), line.get_marker()) for line in lines.values()}) == len(lines)
    with pytest.raises(UsageError, match="1 panel"):
        pool().plot(ax=[None, None])
    assert command("pool", *FILES, "AP", *FEW, "--plot", "pools.png").code == 0
    assert (tmp_path / "pools.png").stat().st_size > 10_000
