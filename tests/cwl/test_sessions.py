"""Measures of sessions: worked by hand, against enumerated paths, and what is no session."""

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx

QRELS = {"s": {"a": 1, "b": 1, "c": 1}}
WORKED = [("s", 1, "a", 3), ("s", 1, "x", 2), ("s", 1, "b", 1), ("s", 2, "y", 3), ("s", 2, "c", 2), ("s", 2, "z", 1)]


def run_of(rows):
    return pd.DataFrame(rows, columns=["query_id", "query_number", "doc_id", "score"])


def session(queries):
    """Return the run of one session from the documents of its queries, best first."""
    rows = [("s", m, doc, -rank) for m, docs in enumerate(queries, 1) for rank, doc in enumerate(docs or [""])]
    return run_of(rows)


def value(measure, qrels, run, topic="s"):
    [values] = irmx.evaluator(measure, qrels).values(run).values()
    return values[topic]


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("sRBP(p=0.8,b=0.5)", 0.2 * (1 + 0.16 + 2 / 3 * 0.4)),
        ("sDCG", 1.5 + (1 / math.log2(3)) / math.log(5, 4)),
        ("sDCG@2", 1 + (1 / math.log2(3)) / math.log(5, 4)),
        ("sDCG(discount_queries=False)", 1.5 + 1 / math.log2(3)),
        ("sDCG_q", 2.043454 / 2),
        ("Session(measure='RR')", 0.75),
        ("Session(measure='P@3',over='sum')", 1.0),
        ("Session(measure='P@3',over='max')", 2 / 3),
        ("Session(measure='P@3',over='min')", 1 / 3),
        ("Session(measure='RR',over='first')", 1.0),
        ("Session(measure='RR',over='last')", 0.5),
    ],
)
def test_worked_by_hand(measure, expected):
    assert value(measure, QRELS, run_of(WORKED)) == pytest.approx(expected, abs=5e-7)


def test_grades_of_the_judgments_have_exponential_gains():
    run = session([["a", "b"]])
    assert value("sDCG", {"s": {"a": 2, "b": 1}}, run) == pytest.approx(3 + 1 / math.log2(3))
    assert value("sDCG(gain='linear',rel=2)", {"s": {"a": 2, "b": 1}}, run) == 2
    assert value("sRBP(p=0.5,b=1.0,max_grade=4)", {"s": {"a": 2, "b": 1}}, run) == pytest.approx(0.5 * (0.5 + 0.25 / 2))


def test_the_order_of_a_query_is_that_of_its_scores_whatever_the_other_queries_have():
    run = run_of([("s", 2, "x", 90), ("s", 1, "b", 1), ("s", 1, "a", 2), ("s", 2, "c", 80)])
    assert value("sDCG", {"s": {"a": 2, "b": 1}}, run) == pytest.approx(3 + 1 / math.log2(3))
    tied = run_of([("s", 1, "a", 1), ("s", 1, "b", 1)])
    assert value("sDCG@1", {"s": {"a": 1}}, tied) == 0  # by id, descending
    assert value("sDCG(ties='run')@1", {"s": {"a": 1}}, tied) == 1


def test_a_document_that_comes_again_gains_each_time_or_once():
    run = session([["a"], ["a"]])
    again = 1 / math.log(5, 4)
    assert value("sDCG", {"s": {"a": 1}}, run) == pytest.approx(1 + again)
    assert value("sDCG(duplicates='once')", {"s": {"a": 1}}, run) == 1
    assert value("nsDCG", {"s": {"a": 1}}, run) == 1
    assert value("nsDCG(duplicates='once')", {"s": {"a": 1}}, run) == 1
    below = session([["x", "a"], ["a"]])
    assert value("sDCG(duplicates='once')@1", {"s": {"a": 1}}, below) == pytest.approx(again)


# -- queries that return nothing, and what is no session ----------------------------------------------------------


@pytest.mark.parametrize("cells", ["s,2,,\n", "s,2,,0\n", "s,2,,nan\n"])
def test_a_row_without_a_document_is_a_query_that_returned_nothing(cells, tmp_path):
    path = tmp_path / "run.csv"
    path.write_text(f"query_id,query_number,doc_id,score\ns,1,a,1\n{cells}s,3,a,1\n")
    assert value("sDCG_q(discount_queries=False)", {"s": {"a": 1}}, path) == pytest.approx(2 / 3)
    assert value("Session(measure='AP')", {"s": {"a": 1}}, path) == pytest.approx(2 / 3)
    assert value("sRBP(p=0.5)", {"s": {"a": 1}}, path) == pytest.approx(0.5 * (1 + (1 / 3) ** 2))


def test_a_session_whose_queries_all_return_nothing():
    run = session([[], []])
    measures = "sDCG nsDCG sDCG_q esNDCG esNCG sRBP Session(measure='AP')"
    assert set(irmx.calc_aggregate(measures, QRELS, run).values()) == {0.0}


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ("s,1,a,2\ns,3,b,1\n", r"run\.csv, line 3: .*query_number.* has 3 for query s.* no row has 2"),
        ("s,2,a,2\n", r"line 2: .* has 2 for query s.* no row has 1"),
        ("s,1,a,2\ns,,b,1\n", r"line 3: .* has no value for query s, document 'b'"),
        ("s,1,a,2\ns,1.5,b,1\n", r"line 3: .* has 1\.5"),
        ("s,1,a,2\ns,0,b,1\n", r"line 3: .* has 0"),
        ("s,1,a,2\ns,2,a,1\ns,2,a,1\n", r"lines 3 and 4: .*'a' twice in query 2 of session s"),
        ("s,1,a,2\ns,,,\n", r"line 3.* doc_id is missing"),
        ("s,1,a,2\ns,2,b,\n", r"line 3.* score is missing"),
    ],
)
def test_what_is_no_session(lines, says, tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("query_id,query_number,doc_id,score\n" + lines)
    with pytest.raises(irmx.DataError, match=says):
        irmx.calc_aggregate("sDCG", QRELS, path)


def test_a_run_without_numbers():
    with pytest.raises(irmx.DataError, match=r"'query_number', .* To get it, give a run as a table"):
        irmx.calc_aggregate("sDCG", QRELS, {"s": {"a": 1.0}})


@pytest.mark.parametrize(
    "measure", ["Session(measure='sDCG')", "Session(measure='Session(measure=1)')", "Session(measure=3)"]
)
def test_what_is_no_measure_of_a_query(measure):
    with pytest.raises(irmx.UsageError, match="'measure' parameter of Session must be a measure of a ranking"):
        irmx.parse_measure(measure)


def test_a_grade_above_the_largest_is_refused():
    with pytest.raises(irmx.DataError, match=r"grade 3, above max_grade=2"):
        value("sRBP(max_grade=2)", {"s": {"a": 3}}, session([["a"]]))
    with pytest.raises(irmx.DataError, match=r"gain='linear'"):
        value("sDCG", {"s": {"a": 2000}}, session([["a"]]))


# -- runs in TREC format ----------------------------------------------------------------------------------------


def test_a_trec_run_whose_topics_are_queries(tmp_path):
    lines = [f"{s}.{m} Q0 {doc} 1 {score} tag\n" for s, m, doc, score in WORKED]
    path = tmp_path / "run.txt"
    path.write_text("\n".join(lines))
    table = run_of([("s", m, doc, score) for _, m, doc, score in WORKED])
    assert value("sDCG", QRELS, f"sessions:{path}") == value("sDCG", QRELS, table)
    path.write_text("a.b.1 Q0 a 1 2 tag\n")
    assert value("sDCG", {"a.b": {"a": 1}}, f"sessions:{path}", "a.b") == 1


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("s Q0 a 1 2 tag", "line 2: .*SESSION.QUERY.*'s Q0 a 1 2 tag'"),
        ("s.x Q0 a 1 2 tag", "line 2: .*SESSION.QUERY"),
        (".1 Q0 a 1 2 tag", "line 2: .*SESSION.QUERY"),
        ("s.2 Q0 a 1 2", "line 2: .*six fields"),
        ("s.2 Q0 b 1 high tag", "line 2: .*score.*'high'"),
        ("s.3 Q0 b 1 2 tag", "line 2: .*no row has 2"),
    ],
)
def test_a_trec_run_that_is_not_of_sessions(line, says, tmp_path):
    path = tmp_path / "run.txt"
    path.write_text(f"s.1 Q0 a 1 3 tag\n{line}\n")
    with pytest.raises(irmx.DataError, match=says):
        value("sDCG", QRELS, f"sessions:{path}")
    path.write_bytes(b"s.1 Q0 \xe9 1 3 tag\n")
    with pytest.raises(irmx.DataError, match="not UTF-8"):
        value("sDCG", QRELS, f"sessions:{path}")


# -- paths ---------------------------------------------------------------------------------------------------


def by_enumeration(queries, grades, pref, pdown, discounts, once):
    """Return the expectation over all paths, one after the other."""
    gain = {doc: 2**grade - 1 for doc, grade in grades.items()}
    ideal = sorted(gain.values(), reverse=True)
    total = 0.0
    for last in range(1, len(queries) + 1):
        stops = 1.0 if last == len(queries) else 1 - pref
        for depths in product(*(range(1, len(docs) + 1) if docs else [0] for docs in queries[:last])):
            probability, path = pref ** (last - 1) * stops, []
            for docs, k in zip(queries, depths, strict=False):
                if docs:
                    probability *= pdown ** (k - 1) * (1 - pdown if k < len(docs) else 1)
                path += docs[:k]
            gains = [0 if once and doc in path[:i] else gain.get(doc, 0) for i, doc in enumerate(path)]
            discount = [1 / math.log2(i + 2) if discounts else 1 for i in range(len(path))]
            best = sum(g * d for g, d in zip(ideal, discount, strict=False))
            total += probability * np.dot(gains, discount) / best if best else 0
    return total


@given(
    st.lists(st.lists(st.sampled_from("abcdef"), unique=True, max_size=4), min_size=1, max_size=4),
    st.dictionaries(st.sampled_from("abcdeg"), st.integers(0, 2), min_size=1),
    st.floats(0, 1),
    st.floats(0, 1),
    st.sampled_from([("esNDCG", True), ("esNCG", False)]),
    st.booleans(),
)
def test_the_expectation_is_that_over_all_paths(queries, grades, pref, pdown, measure, once):
    name, discounts = measure
    made = irmx.registry().measures()[name](pref=pref, pdown=pdown, duplicates="once" if once else "each")
    expected = by_enumeration(queries, grades, pref, pdown, discounts, once)
    assert value(made, {"s": grades}, session(queries)) == pytest.approx(expected, abs=1e-12)


# -- a session of one query ------------------------------------------------------------------------------------


@given(
    st.lists(st.sampled_from("abcdefgh"), unique=True, min_size=1),
    st.dictionaries(st.sampled_from("abcdefghij"), st.integers(0, 3), min_size=1),
    st.integers(1, 9),
)
def test_a_session_of_one_query_is_that_query(docs, grades, k):
    run, qrels = session([docs]), {"s": grades}
    dcg = sum((2 ** grades.get(doc, 0) - 1) / math.log2(i + 2) for i, doc in enumerate(docs[:k]))
    assert value(f"sDCG@{k}", qrels, run) == pytest.approx(dcg)
    of_query = {
        f"nsDCG@{k}": f"nDCG(dcg='exp-log2')@{k}",
        f"sRBP(b=1.0)@{k}": f"RBP(rel=1)@{k}",
        f"esNDCG(pdown=1.0)@{k}": f"nDCG(dcg='exp-log2')@{len(docs[:k])}",
        **{f"Session(measure='AP',over='{over}')": "AP" for over in ("mean", "sum", "max", "min", "first", "last")},
    }
    found = irmx.calc_aggregate(list(of_query), qrels, run)
    expected = irmx.calc_aggregate(list(of_query.values()), qrels, run.drop(columns="query_number"))
    for measure, of in of_query.items():
        assert found[irmx.parse_measure(measure)] == pytest.approx(expected[irmx.parse_measure(of)]), measure


def test_the_weights_of_an_endless_session_add_up_to_1():
    names = [[f"{m} {n}" for n in range(60)] for m in range(80)]
    qrels = {"s": {doc: 1 for docs in names for doc in docs}}
    assert value("sRBP(p=0.7,b=0.4)", qrels, session(names)) == pytest.approx(1, abs=1e-9)


# -- explanations ----------------------------------------------------------------------------------------------


def test_a_session_is_explained_query_by_query():
    parts = irmx.explain("sDCG", QRELS, run_of(WORKED), "s").frame()
    assert parts[["query_number", "rank", "doc_id"]].to_numpy().tolist() == [[1, 1, "a"], [1, 3, "b"], [2, 2, "c"]]
    assert parts["contribution"].tolist() == pytest.approx([1, 0.5, 0.543454], abs=1e-6)
    parts = irmx.explain("Session(measure='P@3')", QRELS, run_of(WORKED), "s").frame()
    assert parts[["query_number", "doc_id"]].to_numpy().tolist() == [[1, "a"], [2, "y"]]
    assert parts["contribution"].tolist() == pytest.approx([1 / 3, 1 / 6])


def test_measures_of_queries_keep_the_columns_that_they_read():
    run = run_of(WORKED).assign(holding_time=[1.0, 2, 3, 4, 5, 6])
    lifted = irmx.registry().measures()["Session"](measure="IntentAware(measure='AP')")
    qrels = pd.DataFrame(
        [("s", "a", 1, "1"), ("s", "b", 1, "2"), ("s", "", 1, "3")],
        columns=["query_id", "doc_id", "relevance", "iteration"],
    )
    assert value(lifted, qrels, run) == pytest.approx((1 / 3 * (1 + 1 / 3)) / 2)
    assert value("Session(measure='alpha_nDCG@3',over='first')", qrels, run) > 0


def test_a_session_that_the_run_lacks_has_the_value_of_finding_nothing():
    measure, run = "Session(measure='CWL(user=rbp(p=0.5),value=ETC)')", session([["a"]])
    empty = pd.concat([run, session([[]]).assign(query_id="t")])
    assert value(measure, OF_TWO, run, "t") == value(measure, OF_TWO, empty, "t") == pytest.approx(2)
    assert value("Session(measure='AP')", OF_TWO, session([["a"]]), "t") == 0


# -- costs -------------------------------------------------------------------------------------------------

SPENT = run_of([("s", 1, "x", 2.0), ("s", 1, "a", 1.0), ("s", 2, "", None), ("t", 1, "a", 1.0)]).assign(
    tokens=[800, 800, 150, 30], time=[1.5, 1.5, 0.0, 2.0]
)
OF_TWO = {"s": {"a": 1}, "t": {"a": 1}, "u": {"a": 1}}


@pytest.mark.parametrize(
    ("of", "expected"),
    [
        ("'tokens'", [950, 30, 0]),
        ("'time'", [1.5, 2, 0]),
        ("'queries'", [2, 1, 0]),
        ("'documents'", [2, 1, 0]),
        ("'tokens',missing=5000", [950, 30, 5000]),
    ],
)
def test_what_a_session_costs(of, expected):
    [values] = irmx.evaluator(f"SessionCost(of={of})", OF_TWO).values(SPENT).values()
    assert [values[topic] for topic in OF_TWO] == expected


def test_the_cost_of_each_query_is_explained():
    table = irmx.explain("SessionCost(of='tokens')", OF_TWO, SPENT, "s").frame()
    assert table[["query_number", "doc_id", "contribution"]].values.tolist() == [[1, "x", 800], [2, "", 150]]


def test_the_cheaper_agent_wins():
    runs, qrels = {"dear": SPENT, "cheap": SPENT.assign(tokens=SPENT.tokens / 2)}, {"s": {"a": 1}, "t": {"a": 1}}
    found = irmx.compare("SessionCost(of='tokens')", qrels, runs, baseline="dear").frame()
    assert found[["wins", "losses"]].values.tolist() == [[2, 0]]


@pytest.mark.parametrize(
    ("column", "values"),
    [("tokens", [800, 700, 150, 30]), ("tokens", [800, 800, None, 30]), ("tokens", [-1, -1, 150, 30])],
)
def test_costs_that_are_none(column, values):
    with pytest.raises(irmx.DataError, match="'tokens'"):
        irmx.calc_aggregate("SessionCost(of='tokens')", OF_TWO, SPENT.assign(**{column: values}))
    with pytest.raises(irmx.DataError, match="'price'"):
        irmx.calc_aggregate("SessionCost(of='price')", OF_TWO, SPENT)


def test_a_picture_has_a_bar_per_query():
    """Documents come again, and a query returned nothing."""
    display = irmx.plot("SessionCost(of='tokens')", OF_TWO, SPENT, "s")
    assert [bar.get_width() for bar in display.ax_.patches] == [800, 150]
    display = irmx.plot("Session(measure='RR')", QRELS, session([["a", "x"], [], ["x", "a"]]), "s")
    assert [bar.get_width() for bar in display.ax_.patches] == pytest.approx([1 / 3, 1 / 6, 0])
    assert [label.get_text().split(", ")[0] for label in display.ax_.get_yticklabels()] == ["1", "3", "2"]
