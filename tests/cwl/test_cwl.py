"""C/W/L: worked by hand, identities of the five values, and users that are known measures."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import irmx
from irmx_cwl import CWL, RBP

QRELS = {"q": {"a": 1, "b": 1, "z": 1}}
RUN = pd.DataFrame({"query_id": "q", "doc_id": ["a", "x", "b"], "score": [3, 2, 1], "cost": [1.0, 2.0, 3.0]})
USERS = [
    text for user in irmx.registry().symbols("continuation function").values() for text in user.EXAMPLES or [user.NAME]
]


def value(measure, qrels=QRELS, run=RUN):
    [values] = irmx.evaluator(measure, qrels).values(run).values()
    return values["q"]


@pytest.mark.parametrize(
    ("quantity", "expected"), [("EU", 5 / 7), ("EC", 11 / 7), ("ED", 1.75), ("ETU", 1.25), ("ETC", 2.75)]
)
def test_worked_by_hand(quantity, expected):
    """W = (4, 2, 1)/7 and L = (.5, .25, .25) in a ranking that is closed after three documents."""
    measure = CWL(user=RBP(p=0.5), value=quantity, depth=3, closed=True)
    assert value(measure) == pytest.approx(expected, abs=1e-12)


def test_without_costs_every_document_costs_1():
    plain = RUN.drop(columns="cost")
    assert value("CWL(user=inst,value=EC)", run=plain) == pytest.approx(1)
    assert value("CWL(user=precision(k=2),value=ETC)", run=plain) == 2


def test_below_the_ranking_is_the_largest_cost():
    assert value("CWL(user=precision(k=5),value=ETC)") == 1 + 2 + 3 + 3 + 3
    assert value("CWL(user=precision(k=5),value=ETC,largest_cost=10)") == 1 + 2 + 3 + 10 + 10
    assert value("CWL(user=precision(k=5),value=ETC,depth=4,closed=True)") == 1 + 2 + 3 + 3
    low = RUN.assign(cost=[0.1, 0.2, 0.3])
    assert value("CWL(user=precision(k=5),value=ETC)", run=low) == pytest.approx(0.1 + 0.2 + 3 * 0.3)


def test_a_topic_that_the_run_lacks_has_the_value_of_an_empty_ranking():
    for text, expected in (("ETC,largest_cost=2", 10), ("ED", 5), ("EC", 1), ("EU", 0)):
        assert value(f"CWL(user=precision(k=5),value={text})", run={}) == pytest.approx(expected)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(1, 9)), min_size=1, max_size=12),
    st.integers(1, 15),
)
def test_totals_are_rates_times_depth_in_a_closed_ranking(documents, depth):
    names = [f"d{i}" for i in range(len(documents))]
    qrels = {"q": {name: grade for name, (grade, _) in zip(names, documents, strict=True)}}
    run = pd.DataFrame(
        {
            "query_id": "q",
            "doc_id": names,
            "score": [-i for i in range(len(names))],
            "cost": [float(c) for _, c in documents],
        }
    )
    asked = [(user, quantity) for user in USERS for quantity in ("EU", "ETU", "EC", "ETC", "ED")]
    measures = [f"CWL(user={user},value={quantity},depth={depth},closed=True,max_grade=4)" for user, quantity in asked]
    of = dict(zip(asked, irmx.calc_aggregate(measures, qrels, run).values(), strict=True))
    for user in USERS:
        assert of[user, "ETU"] == pytest.approx(of[user, "EU"] * of[user, "ED"], abs=1e-9), user
        assert of[user, "ETC"] == pytest.approx(of[user, "EC"] * of[user, "ED"], abs=1e-9), user
        assert 1 <= of[user, "ED"] <= depth + 1e-9, user


def forager(i, g, k):
    return 1 - 1 / (1 + 0.9 * math.exp(2 - sum(g[:i]))), 1 / (1 + 0.9 * math.exp(10 * (0.2 - sum(g[:i]) / sum(k[:i]))))


def player(i, g, k, hb=0.0, hc=0.0, median=0.5):
    moved = sum(gain - median for gain in g[: i - 1])
    return float(sum(g[:i]) < 1 + hb * moved and sum(k[:i]) < 10 + hc * moved)


GOES_ON = {
    "rbp": lambda i, g, k: 0.8,
    "precision(k=3)": lambda i, g, k: float(i < 3),
    "dcg(k=4)": lambda i, g, k: math.log2(i + 1) / math.log2(i + 2) if i < 4 else 0.0,
    "rr": lambda i, g, k: float(sum(g[:i]) == 0),
    "ap": lambda i, g, k: _share([gain / (j + 1) for j, gain in enumerate(g)], i),
    "insq": lambda i, g, k: ((i + 1) / (i + 2)) ** 2,
    "inst(T=3)": lambda i, g, k: ((i + 3 + 3 - sum(g[:i]) - 1) / (i + 3 + 3 - sum(g[:i]))) ** 2,
    "bpm": player,
    "bpm(hb=2,hc=3,median=0.25)": lambda i, g, k: player(i, g, k, 2, 3, 0.25),
    "ift": lambda i, g, k: math.prod(forager(i, g, k)),
    "ift(rules='goal')": lambda i, g, k: forager(i, g, k)[0],
    "ift(rules='rate')": lambda i, g, k: forager(i, g, k)[1],
    "err": lambda i, g, k: 1 - g[i - 1],
}
"""The probability to go on from rank i, of the gains and costs of all ranks: the formulas as they are printed."""


def _share(worth, i):
    return sum(worth[i:]) / sum(worth[i - 1 :]) if sum(worth[i:]) else 0.0


def plainly(goes_on, gains, costs):
    """The five values, rank by rank, in a ranking that is closed after its last document."""
    reach, values, gained, spent = [1.0], dict.fromkeys(("EU", "EC", "ETU", "ETC"), 0.0), 0.0, 0.0
    for i in range(1, len(gains) + 1):
        on = goes_on(i, gains, costs) if i < len(gains) else 0.0
        gained, spent = gained + gains[i - 1], spent + costs[i - 1]
        values["ETU"] += reach[-1] * (1 - on) * gained
        values["ETC"] += reach[-1] * (1 - on) * spent
        reach.append(reach[-1] * on)
    for i, seen in enumerate(reach[:-1]):
        values["EU"] += seen / sum(reach) * gains[i]
        values["EC"] += seen / sum(reach) * costs[i]
    return {**values, "ED": sum(reach)}


RANKINGS = st.lists(st.tuples(st.integers(0, 4), st.integers(1, 5)), min_size=1, max_size=6)


@given(st.lists(RANKINGS, min_size=2, max_size=3), st.integers(1, 7))
def test_by_the_printed_formulas(topics, depth):
    rows = pd.DataFrame(
        {"query_id": f"q{t}", "doc_id": f"d{i}", "score": -i, "cost": cost / 2, "relevance": grade}
        for t, ranking in enumerate(topics)
        for i, (grade, cost) in enumerate(ranking)
    )
    asked = [(user, quantity) for user in GOES_ON for quantity in ("EU", "ETU", "EC", "ETC", "ED")]
    measures = [f"CWL(user={user},value={quantity},depth={depth},closed=True,max_grade=4)" for user, quantity in asked]
    found = dict(zip(asked, irmx.evaluator(measures, rows).values(rows).values(), strict=True))
    for t, ranking in enumerate(topics):
        below = depth - len(ranking)  # documents without a gain, at the largest cost
        gains = [grade / 4 for grade, _ in ranking] + [0.0] * below
        costs = [cost / 2 for _, cost in ranking] + [max(cost / 2 for _, cost in ranking)] * below
        for user, goes_on in GOES_ON.items():
            for quantity, expected in plainly(goes_on, gains[:depth], costs[:depth]).items():
                assert found[user, quantity][f"q{t}"] == pytest.approx(expected, abs=1e-12), (user, quantity)


@given(
    st.lists(st.sampled_from("abcdefgh"), unique=True, min_size=1), st.sets(st.sampled_from("abcdefghij"), min_size=1)
)
def test_users_of_known_measures(docs, relevant):
    qrels = {"q": {doc: int(doc in relevant) for doc in "abcdefghij"}}
    run = {"q": {doc: -float(i) for i, doc in enumerate(docs)}}
    for user, other in (("rbp(p=0.7)", "RBP(rel=1,p=0.7)"), ("precision(k=4)", "P@4"), ("rr", "RR")):
        assert value(f"CWL(user={user})", qrels, run) == pytest.approx(value(other, qrels, run), abs=1e-9)
    found = len(relevant.intersection(docs))
    assert value("CWL(user=ap)", qrels, run) * found == pytest.approx(value("AP", qrels, run) * len(relevant), abs=1e-9)
    discounts = [1 / math.log2(i + 2) for i in range(5)]
    dcg = sum(d for doc, d in zip(docs, discounts, strict=False) if doc in relevant)
    assert value("CWL(user=dcg(k=5))", qrels, run) == pytest.approx(dcg / sum(discounts))
    stops, gain_before = 1.0, 0
    total = 0.0
    for doc in docs:
        gain_before += doc in relevant
        total += stops * 0.25 * (doc in relevant) * gain_before / 4
        stops *= 1 - 0.25 * (doc in relevant)
    assert value("CWL(user=err,value=ETU,max_grade=4)", qrels, run) == pytest.approx(total, abs=1e-12)


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.sampled_from("abcdefgh"), unique=True, min_size=1), st.sets(st.sampled_from("abcdefghij"), min_size=1)
)
def test_users_of_measures_that_cwl_eval_computes(docs, relevant):
    qrels = {"q": {doc: int(doc in relevant) for doc in "abcdefghij"}}
    run = {"q": {doc: -float(i) for i, doc in enumerate(docs)}}
    for user, other in (
        ("inst(T=2)", "INST(T=2.0,max_rel=1)"),
        ("insq(T=2)", "INSQ(T=2.0,max_rel=1)"),
        ("bpm(T=2,K=5)", "BPM(T=2.0,max_rel=1)@5"),
        ("dcg(k=5)", "SDCG(max_rel=1)@5"),
    ):
        assert value(f"CWL(user={user})", qrels, run) == pytest.approx(value(other, qrels, run), abs=1e-9)


def test_a_dynamic_player_moves_the_goal_and_the_budget():
    qrels = {"q": {"a": 1, "b": 1, "c": 1}}
    run = {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}
    assert value("CWL(user=bpm(T=1.6,K=9),value=ED)", qrels, run) == 2
    assert value("CWL(user=bpm(T=1.6,K=9,hb=1),value=ED)", qrels, run) == 3  # goals 1.6, 2.1, 2.6
    assert value("CWL(user=bpm(T=9,K=2),value=ED)", qrels, run) == 2
    assert value("CWL(user=bpm(T=9,K=2,hc=1),value=ED)", qrels, run) == 3  # budgets 2, 2.5, 3


@pytest.mark.parametrize(
    ("user", "closed", "expected"),
    [  # five relevant documents, then five others, to rank 1,000; the first two are cwl_eval's
        ("tbg", "", {"ETU": 4.9692, "ETC": 309.0014, "ED": 309.0014}),
        ("u", "", {"ETU": 4.9999, "ED": 995.2235}),
        ("tbg", ",closed=False", {"ETU": 4.7427, "ED": 309.0014}),
        ("u", ",closed=False", {"ETU": 0.0378, "ED": 996.2159}),
        ("u(L=1e9)", ",depth=1", {"EU": 1.0, "ETU": 1.0, "ED": 1.0}),
        ("rbp(p=0.5)", ",depth=1", {"ETU": 0.5}),
        ("rbp(p=0.5)", ",depth=1,closed=True", {"ETU": 1.0}),
    ],
)
def test_users_who_are_closed_at_the_last_rank(user, closed, expected):
    qrels = {"q": {doc: int(doc < "f") for doc in "abcdefghij"}}
    run = {"q": {doc: -float(i) for i, doc in enumerate("abcdefghij")}}
    found = {name: value(f"CWL(user={user},value={name}{closed})", qrels, run) for name in expected}
    assert found == pytest.approx(expected, abs=5e-5)


def test_the_two_rules_of_a_forager():
    goal, rate, both = (
        value(f"CWL(user=ift(rules='{r}',A=0.5,R2=3),value=ED,depth=3)") for r in ("goal", "rate", "both")
    )
    assert both < min(goal, rate)
    first = 1 - 1 / (1 + 0.9 * math.exp(2 - 1))
    second = 1 - 1 / (1 + 0.9 * math.exp(2 - 1))
    assert goal == pytest.approx(1 + first + first * second)


def test_gains_of_grades():
    assert value("CWL(user=precision(k=1),max_grade=4)", {"q": {"a": 3}}) == 0.75
    assert value("CWL(user=precision(k=1),max_grade=4,rel=4)", {"q": {"a": 3}}) == 0
    with pytest.raises(irmx.DataError, match=r"grade 3, above max_grade=2"):
        value("CWL(user=rbp,max_grade=2)", {"q": {"a": 3}})


def test_costs_are_less_the_better():
    quantities = ("EU", "ETU", "EC", "ETC", "ED")
    assert [CWL(user="rr", value=q).LESS_IS_BETTER for q in quantities] == [False, False, True, True, True]


@pytest.mark.parametrize("quantity", ["EU", "ETU"])
def test_gains_are_explained(quantity):
    parts = irmx.explain(f"CWL(user=inst,value={quantity})", QRELS, RUN, "q")
    assert list(parts.columns["doc_id"]) == ["a", "b"]
    assert sum(parts.columns["contribution"]) == pytest.approx(parts.value)


@pytest.mark.parametrize("quantity", ["EC", "ETC", "ED"])
@pytest.mark.parametrize("depth", [2, 3, 1000])
def test_costs_are_explained_with_those_below_the_ranking(quantity, depth):
    parts = irmx.explain(CWL(user="inst", value=quantity, depth=depth), QRELS, RUN, "q")
    below = ["(below)"] * (depth == 1000)
    assert parts.columns["doc_id"] == [*["a", "x", "b"][:depth], *below]
    assert sum(parts.columns["contribution"]) == pytest.approx(parts.value)


@pytest.mark.parametrize(
    ("cell", "says"),
    [("0", "line 3: .*must be above 0. It is 0"), ("-1", "line 3: .*It is -1"), ("", "has no value .*'x'")],
)
def test_a_bad_cost(cell, says, tmp_path):
    path = tmp_path / "run.csv"
    path.write_text(f"query_id,doc_id,score,cost\nq,a,3,1\nq,x,2,{cell}\n")
    with pytest.raises(irmx.DataError, match=says):
        value("CWL(user=rbp,value=EC)", run=path)


class _Odd(irmx.Symbol):
    """A user of another plugin, which needs only its kind and method."""

    NAME, KIND, SHORT_DESC = "odd", "continuation function", "goes on as told"
    SUPPORTED_PARAMS = {"by": irmx.Param(float, "probability")}

    def continuation(self, rank, gain, cost):
        return self.params["by"] if "by" in self.params else np.ones(3)


def test_a_user_of_another_plugin():
    assert value(CWL(user=_Odd(by=0.5))) == value("CWL(user=rbp(p=0.5))")
    with pytest.raises(irmx.PluginError, match=r"odd.* must give a probability.* from 1\.5 to 1\.5"):
        value(CWL(user=_Odd(by=1.5)))
    with pytest.raises(
        irmx.PluginError, match=r"odd must give a probability for each of 1000 ranks of 1 topics.* shape \(3,\)"
    ):
        value(CWL(user=_Odd()))


def test_a_cutoff_is_refused():
    with pytest.raises(irmx.UsageError, match="cutoff"):
        irmx.parse_measure("CWL(user=rbp)@10")


def test_the_picture_has_attention_continuation_and_the_last_rank():
    display = irmx.plot("CWL(user=rbp(p=0.5))", {"q": {"a": 1, "b": 1}}, {"q": {"a": 2.0, "b": 1.0}}, "q")
    drawn = {line.get_label().split(",")[0]: line.get_ydata() for line in display.ax_.lines}
    assert drawn["C(i)"][:3].tolist() == [0.5] * 3
    assert drawn["L(i)"][:3].tolist() == [0.5, 0.25, 0.125]
    assert [bar.get_height() for bar in display.ax_.patches][:3] == pytest.approx([0.5, 0.25, 0.125])


@pytest.mark.parametrize(
    "text",
    [
        "CWL(user=rbp(p=0.8),depth=1000)", "CWL(user=precision(k=10))", "CWL(user=dcg(k=10))", "CWL(user=inst(T=1))",
        "CWL(user=bpm(T=1,K=10,hb=0,hc=0,median=0.5))", "CWL(user=ift(T=2,b1=0.9,R1=1,A=0.2,b2=0.9,R2=10))",
        "CWL(user=tbg(half_life=224))", "CWL(user=u(L=132000))",
        "TBG(half_life=224,summary_time=4.4,word_time=0.018,document_time=7.8,p_click=[0.39,0.64],p_save=[0,0.77])",
        "UMeasure(L=132000,characters=6)", "Effort(measure='P',effort=[9.8,23,37.6],p=0.8,max_grade=4)",
        "sDCG(b=2,bq=4)", "nsDCG(b=2,bq=4)", "sDCG_q(b=2,bq=4)", "sRBP(p=0.8,b=0.5)", "esNDCG(pref=0.9,pdown=0.7)",
        "esNCG(pref=0.8,pdown=0.7)", "SessionCost(of='tokens',missing=0)",
    ],
)  # fmt: skip
def test_the_defaults(text):
    """A default is left out when a measure is written."""
    written = str(irmx.parse_measure(text))
    assert not set(re.findall(r"(\w+)=", written)) - {"user", "measure", "of"}
