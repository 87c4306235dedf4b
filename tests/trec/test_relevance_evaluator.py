"""The class of pytrec_eval over irmx: the same values to the bit, fractions as well, and mistakes in words."""

import math
import os
import random
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

import irmx
import irmx_trec
from irmx_trec import RelevanceEvaluator, compute_aggregated_measure, parse_qrel, parse_run

TEXTS = {"runid", "relstring"}  # of which pytrec_eval returns the address as a number
NAMES = set(pytrec_eval.supported_measures) - TEXTS
WITH_NUMBERS = {
    *("P.1,2,7", "ndcg_cut_3", "map_cut.1,100", "success_2", "recall.3,9", "relative_P_4", "set_F.0.5"),
    *("iprec_at_recall.0.33,0.5", "Rprec_mult.0.3,3", "11pt_avg.0.2,0.5,0.8", "map", "gm_map", "num_rel"),
}


@st.composite
def collections(draw, grades=(-2, -1, 0, 0, 1, 1, 2, 3, 5)):
    """Return qrels, in which every topic has a document of grade 0 or more, and a run with ties."""
    rng = random.Random(draw(st.integers(0, 10**6)))
    docs = [f"d{i}" for i in range(rng.choice([8, 25, 150]))]

    def some() -> list[str]:
        return rng.sample(docs, rng.randrange(1, len(docs)))

    topics = [f"q{i}" for i in range(rng.choice([1, 3]))]
    qrels = {topic: {doc: rng.choice(grades) for doc in some()} | {"low": 0} for topic in topics}
    scores = [rng.choice([0, 1, 2.5, 1 / 3, 1 / 3 + 1e-12, 9 * rng.random()]) for _ in range(40)]
    return qrels, {topic: {doc: rng.choice(scores) for doc in some()} for topic in [*topics, "other"]}


@pytest.mark.parametrize(
    "measures", [NAMES, WITH_NUMBERS, {"official", "set"} - TEXTS], ids=["all", "numbers", "nicknames"]
)
@pytest.mark.parametrize("level", [1, 2])
@given(collection=collections())
def test_bit_for_bit_with_pytrec_eval(measures, level, collection):
    qrels, run = collection
    theirs = pytrec_eval.RelevanceEvaluator(qrels, measures, level).evaluate(run)
    ours = RelevanceEvaluator(qrels, measures, level).evaluate(run)
    assert {t: {m: v for m, v in of_topic.items() if m not in TEXTS} for t, of_topic in ours.items()} == {
        t: {m: v for m, v in of_topic.items() if m not in TEXTS} for t, of_topic in theirs.items()
    }


@given(collections())
def test_judged_documents_only(collection):
    """Where none is left, pytrec_eval divides 0 by 0 for the precision at recall levels."""
    qrels, run = collection
    theirs = pytrec_eval.RelevanceEvaluator(qrels, NAMES, 1, True).evaluate(run)
    ours = RelevanceEvaluator(qrels, NAMES, 1, True).evaluate(run)
    assert ours == {t: {m: v if v == v else 0.0 for m, v in of_topic.items()} for t, of_topic in theirs.items()}


@given(collections(grades=(0, 0, 0.5, 0.5, 1, 1.5)))
def test_fractions_have_the_values_of_twice_the_grades(collection):
    """G, which compares gains with 1, is left out."""
    halves, run = collection
    whole = {topic: {doc: int(2 * grade) for doc, grade in docs.items()} for topic, docs in halves.items()}
    theirs = pytrec_eval.RelevanceEvaluator(whole, NAMES - {"G"}).evaluate(run)
    ours = RelevanceEvaluator(halves, NAMES - {"G"}, relevance_level=0.5).evaluate(run)
    for topic, values in theirs.items():
        assert ours[topic] == pytest.approx(values, abs=1e-14)


QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": -1, "b": -2}, "q3": {}, "q4": {"a": 0.5, "b": 1.5}}
RUN = {
    "q1": {"x": 3.0, "c": 2.0, "a": 1.0},
    "q2": {"b": 1.0},
    "q3": {"a": 1.0},
    "q4": {"a": 2.0, "b": 1.0},
    "other": {"a": 1.0},
}


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("map", {"q1": 7 / 12, "q2": 0, "q4": 0.5}),
        ("ndcg", {"q1": None, "q2": 0, "q4": (0.5 + 1.5 / math.log2(3)) / (1.5 + 0.5 / math.log2(3))}),
        ("num_rel", {"q1": 2, "q2": 0, "q4": 1}),
        ("num_q", {"q1": 1, "q2": 1, "q4": 1}),
        ("G", {"q1": None, "q2": 0, "q4": (0.5 / math.log2(3) + 1.5 / math.log2(2.5)) / 2}),
    ],
)
def test_topics_that_pytrec_eval_refuses_or_crashes_on(measure, expected):
    found = RelevanceEvaluator(QRELS, {measure}).evaluate(RUN)
    assert found.keys() == expected.keys()
    assert {t: v[measure] for t, v in found.items() if expected[t] is not None} == pytest.approx(
        {t: v for t, v in expected.items() if v is not None}
    )


def test_topics_without_documents_and_runs_without_topics():
    evaluator = RelevanceEvaluator({"q": {"a": 1}}, {"map", "num_rel", "num_q"})
    assert evaluator.evaluate({"q": {}}) == {"q": {"map": 0.0, "num_rel": 0.0, "num_q": 1.0}}
    assert evaluator.evaluate({}) == {}
    with pytest.warns(irmx.DataWarning, match="No topic of the run is in the qrels"):
        assert evaluator.evaluate({"other": {"a": 1.0}}) == {}


def test_it_takes_what_irmx_reads():
    evaluator = RelevanceEvaluator(irmx.demo.qrels_path(), ["P_5"])
    values = evaluator.evaluate(irmx.demo.run_path("bm25"))
    assert compute_aggregated_measure("P_5", [of_topic["P_5"] for of_topic in values.values()]) == pytest.approx(
        irmx.calc_aggregate("P@5", irmx.demo.qrels_path(), irmx.demo.run_path("bm25")).popitem()[1]
    )


def test_names_and_nicknames_are_those_of_pytrec_eval():
    assert irmx_trec.supported_measures == pytrec_eval.supported_measures
    known = irmx_trec.supported_nicknames
    assert known == {name: pytrec_eval.supported_nicknames[name] for name in known}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((QRELS, {"nDCG"}), "no measure 'nDCG'"),
        ((QRELS, {"P_5x"}), "no measure 'P_5x'"),
        ((QRELS, {"ndcg_10"}), "ndcg_cut_10"),
        ((QRELS, {"P_0"}), "A cutoff of P is a whole number of 1 or more"),
        ((QRELS, {"recall_2.5"}), "A cutoff of recall"),
        ((QRELS, {"set_F.1,2"}), "set_F takes one number"),
        ((QRELS, "map"), "a set of names"),
        ((QRELS, {"map"}, 0), "relevance_level must be a number larger than 0"),
        (({"q": {"a": "high"}}, {"map"}), "query q, document a"),
        (({"q": 3}, {"map"}), "Query 'q' holds int"),
    ],
)
def test_mistakes_are_errors_in_words(arguments, message):
    with pytest.raises((irmx.UsageError, irmx.DataError)) as refused:
        RelevanceEvaluator(*arguments)
    assert message in str(refused.value)


def test_a_score_that_is_no_number_is_named():
    with pytest.raises(irmx.DataError, match="query q1, document a"):
        RelevanceEvaluator(QRELS, {"map"}).evaluate({"q1": {"a": float("inf")}})


LINES = {parse_run: ["q Q0 a 1 2.5 tag\n", "q Q0 b 2 1 tag\n"], parse_qrel: ["q 0 a 1\n", "q 0 b -2\n"]}


def test_lines_are_parsed_as_by_pytrec_eval():
    assert parse_run(LINES[parse_run]) == pytrec_eval.parse_run(LINES[parse_run])
    assert parse_qrel(LINES[parse_qrel]) == pytrec_eval.parse_qrel(LINES[parse_qrel])
    assert parse_qrel(["q 0 a 0.5"]) == {"q": {"a": 0.5}}


@pytest.mark.parametrize(
    ("parse", "line", "message"),
    [
        (parse_run, "q Q0 c 3", "Line 3 of the run has 4 columns"),
        (parse_run, "q Q0 a 3 0.5 tag", "Line 3 of the run has document 'a' of query 'q' a second time"),
        (parse_run, "q Q0 c 3 high tag", "Line 3 of the run has 'high'"),
        (parse_run, "q Q0 c 3 nan tag", "Line 3 of the run has 'nan'"),
        (parse_qrel, "q 0 c", "Line 3 of the qrels has 3 columns"),
        (parse_qrel, "q 0 c yes", "Line 3 of the qrels has 'yes'"),
    ],
)
def test_lines_that_are_wrong(parse, line, message):
    with pytest.raises(irmx.DataError) as refused:
        parse([*LINES[parse], line])
    assert message in str(refused.value)


@pytest.mark.parametrize("name", ["map", "num_ret", "gm_map"])
def test_values_are_aggregated_as_by_pytrec_eval(name):
    values = [0.1, 0.7, 0.30000000000000004, 1 / 3]
    assert compute_aggregated_measure(name, values) == pytrec_eval.compute_aggregated_measure(name, values)
    with pytest.raises(irmx.DataError, match="no value of"):
        compute_aggregated_measure(name, [])


# -- files of trec_eval, and the tests of pytrec_eval --------------------------------------------------------------------


@pytest.mark.real
@pytest.mark.parametrize("qrels", ["qrels.test", "qrels.rel_level"])
def test_files_of_trec_eval(qrels):
    folder = Path(os.environ["IRMX_DATA"]).resolve() / "fixtures" / "trec_eval"
    with (folder / qrels).open() as judged, (folder / "results.test").open() as retrieved:
        judgments, run = parse_qrel(judged), parse_run(retrieved)
    for level in (1, 2):
        theirs = pytrec_eval.RelevanceEvaluator(judgments, NAMES, level).evaluate(run)
        assert RelevanceEvaluator(judgments, NAMES, level).evaluate(run) == theirs


TESTS = "https://raw.githubusercontent.com/cvangysel/pytrec_eval/371197c75510a1c21f1d2fb3fc2837236f2225c9/tests/pytrec_eval_tests.py"
FILES = "https://raw.githubusercontent.com/usnistgov/trec_eval/v9.0.8/test/"


@pytest.mark.network
def test_the_tests_of_pytrec_eval_pass(tmp_path):
    """They are in no distribution, so they come from its repository, and the files that they read from that of trec_eval."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "trec_eval" / "test").mkdir(parents=True)
    names = ("results.test", "qrels.test", "qrels.rel_level", "out.test", "out.test.aql")
    try:
        for name in names:
            urllib.request.urlretrieve(FILES + name, tmp_path / "trec_eval" / "test" / name)
        urllib.request.urlretrieve(TESTS, tmp_path / "tests" / "theirs.py")
    except urllib.error.HTTPError:
        raise
    except urllib.error.URLError as error:
        pytest.skip(f"no way to raw.githubusercontent.com: {error}")
    text = (tmp_path / "tests" / "theirs.py").read_text(encoding="utf-8")
    ours = tmp_path / "tests" / "ours.py"
    ours.write_text(text.replace("import pytrec_eval\n", "import irmx_trec as pytrec_eval\n"), encoding="utf-8")
    done = subprocess.run([sys.executable, str(ours)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
