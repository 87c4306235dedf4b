"""What unjudged documents could change: values of qrels that were changed before reading, and all assignments of grades."""

import math
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import irmx
import irmx_study

TOPICS = ("1", "2")
DOCS = "abcdefg"
GRADES = st.dictionaries(st.sampled_from(DOCS), st.sampled_from([0, 1]), min_size=4)
QRELS = st.fixed_dictionaries(dict.fromkeys(TOPICS, GRADES))
RANKED = st.lists(st.sampled_from(DOCS), unique=True, min_size=1)
RUN = st.fixed_dictionaries({}, optional=dict.fromkeys(TOPICS, RANKED)).filter(bool)

ADDITIVE = "P@3 P@10 RBP(p=0.5) RBP(rel=1,p=0.9) RBP(p=0.8)@2 NumRelRet"
BOUNDED = "RR RR@2 Success@3 NCP(law=first)"
NEITHER = "AP AP@3 nDCG@5 R@5 Rprec Bpref Judged@5 NCP(law=uniform) MP(model=GL_AD_ID) P(judged_only=True)@5 NumRel"
"""Measures of irmx by what grades of unjudged documents do to them; those of other tools are slower."""
lacks_topics = pytest.mark.filterwarnings("ignore:.*no results for")


def ranked(run: dict[str, list[str]]) -> dict[str, dict[str, float]]:
    return {topic: {doc: -float(rank) for rank, doc in enumerate(docs)} for topic, docs in run.items()}


def with_grades(qrels: dict[str, dict[str, int]], pairs: Any, grades: Any) -> dict[str, dict[str, float]]:
    """Return qrels in which pairs of a topic and a document have further grades; None leaves one unjudged."""
    out: dict[str, dict[str, float]] = {topic: dict(docs) for topic, docs in qrels.items()}
    for (topic, doc), grade in zip(pairs, grades, strict=True):
        if grade is not None:
            out[topic][doc] = grade
    return out


def means_of_all(measures: Any, qrels: Any, run: Any, pairs: Any, choices: Any) -> Any:
    """Return the means under all assignments of grades to pairs, of shape (assignments, measures): each has topics of its own."""
    every = list(product(choices, repeat=len(pairs)))
    graded = [with_grades(qrels, pairs, grades) for grades in every]
    all_qrels = {f"{i} {t}": docs for i, of in enumerate(graded) for t, docs in of.items()}
    all_runs = {f"{i} {t}": docs for i in range(len(every)) for t, docs in ranked(run).items()}
    scores = irmx.toolkit.Evaluator(measures, all_qrels).scores(all_runs)
    by_topic = [of_measure.values.reshape(len(every), len(TOPICS)) for of_measure in scores.values()]
    is_count = ["NumRe" in str(measure) for measure in scores]  # whose aggregate is the sum
    return np.stack([v.sum(axis=1) if c else v.mean(axis=1) for v, c in zip(by_topic, is_count, strict=True)], axis=1)


def unjudged_pairs(qrels: Any, *runs: Any, depth: int | None = None) -> list[tuple[str, str]]:
    pairs = {(t, d) for run in runs for t, docs in run.items() for d in docs[:depth] if d not in qrels[t]}
    return sorted(pairs)


# -- all assignments of grades -------------------------------------------------------------------------------


@lacks_topics
@given(qrels=QRELS, a=RUN, b=RUN, depth=st.sampled_from([None, 2, 4]))
def test_extremes_are_those_of_all_assignments(qrels: Any, a: Any, b: Any, depth: int | None) -> None:
    """For measures that add up what each rank is worth; for all others, they are differences that some grades give."""
    pairs = unjudged_pairs(qrels, a, b, depth=depth)
    assume(0 < len(pairs) <= 6)
    measures = f"{ADDITIVE} AP RR"
    result = irmx_study.unjudged(measures, qrels, {"b": ranked(b), "a": ranked(a)}, depth=depth).frame("pairs")
    in_a, in_b = (means_of_all(measures, qrels, run, pairs, (None, 1)) for run in (a, b))
    differences = in_a - in_b
    for row, of_measure in zip(result.itertuples(), differences.T, strict=True):
        assert (row.a, row.b) == ("a", "b")
        assert row.difference == pytest.approx(of_measure[0], abs=1e-12)
        if row.extremes == "exact":
            assert (row.smallest, row.largest) == pytest.approx((of_measure.min(), of_measure.max()), abs=1e-9)
            reaches_both = of_measure.min() < -1e-12 and of_measure.max() > 1e-12
            assert row.flips == ("yes" if reaches_both else "no")
        else:
            for extreme in (row.smallest, row.largest):
                assert np.abs(of_measure - extreme).min() < 1e-9
            assert row.flips == ("yes" if row.smallest < -1e-12 and row.largest > 1e-12 else "unknown")
    assert list(result["extremes"]) == ["exact"] * 6 + ["assumption"] * 2


@lacks_topics
@given(qrels=QRELS, run=RUN, depth=st.sampled_from([None, 1, 3]), negative=st.booleans())
@settings(max_examples=25)  # each takes long
def test_bounds_hold_for_all_assignments(qrels: Any, run: Any, depth: int | None, negative: bool) -> None:
    pairs = unjudged_pairs(qrels, run, depth=depth)
    assume(0 < len(pairs) <= 4)
    if negative:  # which also means unjudged
        qrels[pairs[0][0]][pairs[0][1]] = -1
    measures = irmx.toolkit.parse_measures(f"{ADDITIVE} {BOUNDED} {NEITHER}")
    frame = irmx_study.unjudged(measures, qrels, {"run": ranked(run)}, depth=depth).frame().set_index("measure")
    means = means_of_all(measures, qrels, run, pairs, (0, None, 1))
    for measure, of_all in zip(measures, means.T, strict=True):
        row = frame.loc[str(measure)]
        three = row[["if_nonrelevant", "value", "if_relevant"]].tolist()
        assert three == pytest.approx(of_all[[0, len(of_all) // 2, -1]].tolist(), abs=1e-12)
        if row["bounds"] == "exact":
            assert three[0] - 1e-9 <= of_all.min() <= of_all.max() <= three[2] + 1e-9


def test_values_of_other_tools_are_those_of_changed_qrels() -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 0, "c": 1}}
    run = {"1": ["x", "a", "b"], "2": ["y", "c"]}
    measures = irmx.toolkit.parse_measures("SetP infAP Compat(p=0.9) ERR@5 IPrec@0.1")
    frame = irmx_study.unjudged(measures, qrels, {"run": ranked(run)}).frame()
    for column, grade in (("if_nonrelevant", 0), ("if_relevant", 1)):
        changed = with_grades(qrels, [("1", "x"), ("2", "y")], [grade, grade])
        assert frame[column].tolist() == list(irmx.calc_aggregate(measures, changed, ranked(run)).values())
    assert frame["bounds"].tolist() == ["exact", "assumption", "assumption", "exact", "assumption"]


def effects_on(measures: str, grade: float = 1, largest: int = 1) -> list[tuple[bool, bool]]:
    """Whether bounds are exact, and extremes, where the largest grade of the judgments is one."""
    runs = {"one": ranked({"1": ["x", "a"]}), "two": ranked({"1": ["a", "b"]})}
    result = irmx_study.unjudged(measures, {"1": {"a": largest, "b": 1}}, runs, grade=grade)
    found = (result.frame()["bounds"][::2], result.frame("pairs")["extremes"])
    return list(zip(*((of == "exact" for of in column) for column in found), strict=True))


def test_what_grades_do_to_a_measure() -> None:
    for measures, expected in (
        (f"{ADDITIVE} SDCG(max_rel=1)@3", (True, True)),
        (f"{BOUNDED} SetP ERR@4", (True, False)),
        (f"{NEITHER} infAP IPrec@0.1 Compat(p=0.9)", (False, False)),
    ):
        assert set(effects_on(measures)) == {expected}
    # a grade above all others changes what RBP divides by
    assert effects_on("RBP RBP(rel=1) ERR@4", grade=3, largest=2) == [(False, False), (True, True), (True, False)]
    graded = "P(rel=2)@3 RBP RBP(rel=2) RR(rel=2) ERR@4"  # a document can have a larger grade than 1
    assert set(effects_on(graded, grade=1, largest=2)) == {(False, False)}
    assert all(bounded for bounded, _ in effects_on(graded, grade=2, largest=2))
    [note] = irmx_study.unjudged("P(rel=2)@1 P@1", {"1": {"a": 2}}, {"one": ranked({"1": ["a"]})}).notes
    assert note.startswith("P(rel=2)@1 takes documents of the grade 1, which is assumed, as non-relevant")


def test_documents_that_stay_unjudged_keep_a_negative_grade() -> None:
    """A document with -1 is in the pool of infAP, whoever is favoured; of these, both runs rank x alike."""
    qrels = {"1": {"a": 1, "b": 0, "x": -1, "y": -1}}
    runs = {"one": ranked({"1": ["x", "a", "y"]}), "two": ranked({"1": ["x", "b", "a"]})}
    [pair] = irmx_study.unjudged("infAP Judged@3", qrels, runs).frame("pairs").query("measure == 'infAP'").itertuples()
    values = {}
    for y in (-1, 1):
        scores = irmx.scores("infAP", {"1": {**qrels["1"], "y": y}}, runs).means().to_numpy()
        values[y] = scores[1, 0] - scores[0, 0]
    assert (pair.smallest, pair.largest) == (min(values.values()), max(values.values()))


# -- the residual --------------------------------------------------------------------------------------------


def test_residual_by_hand() -> None:
    """Moffat and Zobel: p = 1/2, unjudged at ranks 2 and 4 of 5: 1/4 + 1/16, and 1/32 for the ranks below."""
    run = {"1": ["a", "x", "b", "y", "c"]}
    qrels = {"1": {"a": 1, "b": 0, "c": 1}}
    measures = "RBP(p=0.5) RBP(p=0.5)@3 RBP(rel=1,p=0.95) P@5"
    frame = irmx_study.unjudged(measures, qrels, {"run": ranked(run)}, k=5).frame().set_index("measure")
    assert frame.loc["RBP(p=0.5)", "residual"] == pytest.approx(1 / 4 + 1 / 16 + 1 / 32, abs=1e-15)
    assert frame.loc["RBP(p=0.5)@3", "residual"] == pytest.approx(1 / 4 + 1 / 8, abs=1e-15)
    assert frame.loc["RBP(rel=1,p=0.95)", "residual"] == pytest.approx(0.05 * (0.95 + 0.95**3) + 0.95**5, abs=1e-15)
    assert math.isnan(frame.loc["P@5", "residual"])
    assert frame["unjudged_at_k"].tolist() == [0.4] * 4


@lacks_topics
@given(qrels=QRELS, run=RUN, p=st.sampled_from([0.5, 0.8, 0.95]), cutoff=st.sampled_from(["", "@2", "@5"]))
def test_the_residual_is_the_distance_of_the_views_and_what_lies_below(
    qrels: Any, run: Any, p: float, cutoff: str
) -> None:
    qrels["2"]["z"] = 1  # so that relevance has the largest grade
    [row] = irmx_study.unjudged(f"RBP(p={p}){cutoff}", qrels, {"run": ranked(run)}).frame().itertuples()
    depths = [min(len(run.get(topic, ())), int(cutoff[1:] or 99)) for topic in TOPICS]
    below = np.mean([p**depth for depth in depths])
    assert row.residual == pytest.approx(row.if_relevant - row.value + below, abs=1e-12)


# -- shares, and what is not computed ------------------------------------------------------------------------


@lacks_topics
@given(qrels=QRELS, run=RUN, k=st.sampled_from([1, 3, 10]))
def test_shares(qrels: Any, run: Any, k: int) -> None:
    result = irmx_study.unjudged("P@1", qrels, {"run": ranked(run)}, k=k)
    table = result.frame("per_topic").set_index("query_id")
    shares = []
    for topic in TOPICS:
        top = run.get(topic, [])[:k]
        row = table.loc[topic, ["unjudged_at_k", "judged_at_k", "relevant_at_k"]].astype(float).tolist()
        if not top:
            assert np.isnan(row).all()
            continue
        counts = [sum(d not in qrels[topic] for d in top), sum(d in qrels[topic] for d in top)]
        counts.append(sum(qrels[topic].get(d) == 1 for d in top))
        assert row == pytest.approx([count / len(top) for count in counts])
        shares.append(row[0])
    assert result.frame()["unjudged_at_k"].tolist() == pytest.approx([np.mean(shares)])


def test_a_measure_that_needs_subtopics_is_named_and_the_others_go_on() -> None:
    rows = [("1", "a", "s1", 1), ("1", "b", "s2", 1), ("2", "c", "s1", 1)]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "iteration", "relevance"])
    runs = {"judged": ranked({"1": ["a", "b"], "2": ["c"]}), "not": ranked({"1": ["x", "a"], "2": ["c"]})}
    result = irmx_study.unjudged("alpha_nDCG@5 P@2", qrels, runs)
    frame = result.frame().set_index(["measure", "system"])
    assert frame.loc[("alpha_nDCG@5", "judged"), "if_relevant"] == 1
    assert 0 < frame.loc[("alpha_nDCG@5", "not"), "value"] < 1
    assert math.isnan(frame.loc[("alpha_nDCG@5", "not"), "if_relevant"])
    assert frame.loc[("P@2", "not"), "if_relevant"] == 0.75
    assert frame["flips"].tolist() == [None, None, None, "no"]
    [note] = result.notes
    assert note.startswith("alpha_nDCG@5 has no value under assumptions for 1 system: ")
    assert "'iteration' has no subtopic for query 1" in note


def test_measures_of_nuggets_have_no_value_for_updates_nobody_judged_and_these_may_repeat() -> None:
    """An update that nobody judged matches no nugget whatever its grade: values under assumptions would say nothing."""
    columns = ["query_id", "doc_id", "iteration", "relevance", "timestamp", "query_start", "query_end", "length"]
    rows = [(t, doc, n, 1, 0.0, 0.0, 1e5, 9.0) for t in "123" for doc, n in (("a", "n1"), ("b", "n2"))]
    qrels = pd.DataFrame(rows, columns=columns)

    def stream(*updates: str) -> pd.DataFrame:
        rows = [(t, doc, 9.0 - i, 10.0 * i * int(t), 9.0) for t in "123" for i, doc in enumerate(updates)]
        return pd.DataFrame(rows, columns=["query_id", "doc_id", "score", "timestamp", "length"])

    runs = {"judged": stream("a", "b"), "not": stream("a", "x", "a", "y")}
    result = irmx_study.unjudged("MSU", qrels, runs, k=3)
    frame = result.frame().set_index("system")
    assert frame["unjudged_at_k"].tolist() == [0, pytest.approx(2 / 3)]  # of a, x, y
    assert frame.loc["judged", "if_relevant"] == frame.loc["judged", "value"] > 0
    assert frame.loc["not", ["if_nonrelevant", "if_relevant"]].isna().all()
    assert frame.loc["not", "flips"] is None
    [note] = result.notes
    assert "MSU has no value under assumptions for 1 system" in note
    unread = irmx_study.verdict("MSU", qrels, {"judged": runs["judged"], "not": stream("a", "x")})
    assert any("not all assumptions about unjudged documents were tried" in note for note in unread.notes)


def test_several_baselines_and_progress(capsys: pytest.CaptureFixture[str]) -> None:
    runs = {name: ranked({"1": docs.split()}) for name, docs in (("one", "a x"), ("two", "x a"), ("three", "y a"))}
    for progress in (False, None, True):
        assert capsys.readouterr().err == ""
        given = {"baseline": ["three", "one"], "depth": 1, "progress": progress}
        result = irmx_study.unjudged("P@1", {"1": {"a": 1}}, runs, **given)
    assert "Assuming grades" in capsys.readouterr().err
    columns = ["a", "b", "difference", "smallest", "largest", "flips"]
    assert result.frame("pairs")[columns].to_numpy().tolist() == [
        ["one", "three", 1, 0, 1, "no"], ["two", "three", 0, -1, 1, "yes"], ["two", "one", -1, -1, 0, "no"],
    ]  # fmt: skip
    assert result.frame()[["system", "flips"]].to_numpy().tolist() == [["one", "no"], ["two", "yes"], ["three", None]]


def test_the_grade_to_assume() -> None:
    qrels, runs = {"1": {"a": 3, "b": 1}}, {"run": ranked({"1": ["x", "a", "b"]})}
    judged = 1 / 4 + 1 / 24
    for grade, expected in (("relevant", [1 / 6, 0]), ("largest", [1 / 2, 1]), (2, [1 / 3, 1])):
        frame = irmx_study.unjudged("RBP(p=0.5) P(rel=2)@1", qrels, runs, grade=grade).frame()
        assert frame["if_relevant"].tolist() == pytest.approx([judged + expected[0], expected[1]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k must be a rank, 1 or more. Got 0"),
        ({"depth": 0}, "depth must be a rank, 1 or more. Got 0"),
        ({"baseline": "bmm25"}, "no system 'bmm25' to be the baseline. Did you mean bm25"),
        ({"grade": "maybe"}, "'relevant', 'largest' or a number above 0. Got 'maybe'"),
        ({"grade": 0}, "a number above 0. Got 0"),
        ({"grade": float("nan")}, "a number above 0. Got nan"),
    ],
)
def test_what_is_refused(options: Any, message: str) -> None:
    runs = {"bm25": ranked({"1": ["a"]}), "b": ranked({"1": ["x"]})}
    with pytest.raises(irmx.UsageError) as error:
        irmx_study.unjudged("P@2", {"1": {"a": 1}}, runs, **options)
    assert message in str(error.value)


# -- the command ---------------------------------------------------------------------------------------------


def test_the_command_prints_what_the_function_returns(command: Any, tmp_path: Path) -> None:
    (tmp_path / "test.qrels").write_text("1 0 a 1\n1 0 b 0\n")
    for name, docs in (("one", "a b"), ("two", "x a"), ("three", "b y")):
        lines = [f"1 Q0 {doc} {rank} {-rank} {name}\n" for rank, doc in enumerate(docs.split(), start=1)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    words = ("unjudged", "test.qrels", "one.run", "t*.run", "P@1", "AP", "-o", "csv", "--label", "two.run=Two")
    done = command(*words, "-k", "1", "-p", "2")
    assert done.code == 0
    assert done.out.splitlines() == [
        "measure,system,unjudged_at_k,value,if_nonrelevant,if_relevant,bounds,residual,flips",
        "P@1,one.run,0.00,1.00,1.00,1.00,exact,,",
        "P@1,three.run,0.00,0.00,0.00,0.00,exact,,no",
        "P@1,Two,1.00,0.00,0.00,1.00,exact,,no",
        "AP,one.run,0.00,1.00,1.00,1.00,assumption,,",
        "AP,three.run,0.00,0.00,0.00,0.25,assumption,,unknown",
        "AP,Two,1.00,0.50,0.50,1.00,assumption,,yes",
    ]
    for baseline in ("Two", "two.run"):
        done = command(*words, "--table", "pairs", "--grade", "2", "--depth", "1", "--baseline", baseline)
        assert done.out.splitlines()[:2] == [
            "measure,a,b,difference,smallest,largest,flips,extremes",
            "P@1,one.run,Two,1.0,0.0,1.0,no,exact",
        ]
    for words, message in (("P@1 --grade high", "Got 'high'"), ("", "No measure is given: irmx unjudged QRELS")):
        command("unjudged", "test.qrels", "*.run", *words.split()).assert_refused(2, message)
