"""Expected values under ties: the mean over all orders, enumerated in plain Python, and the plain measure without ties."""

import itertools
import math
from collections.abc import Iterator, Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx

DOCS = [f"d{i}" for i in range(9)]


def orders(scores: Mapping[str, float]) -> Iterator[list[str]]:
    """Every order of the documents by descending score, as trec_eval compares scores."""
    in_32_bits = {doc: np.float32(score) for doc, score in scores.items()}
    groups = [[d for d in scores if in_32_bits[d] == s] for s in sorted(set(in_32_bits.values()), reverse=True)]
    for parts in itertools.product(*(itertools.permutations(group) for group in groups)):
        yield [*itertools.chain.from_iterable(parts)]


def enumerated(
    name: str, qrels: Mapping[str, float], scores: Mapping[str, float], k: int | None, rel: float = 1
) -> float:
    values = [of_order(name, qrels, order, k, rel) for order in orders(scores)]
    return math.fsum(values) / len(values)


def of_order(name: str, qrels: Mapping[str, float], order: list[str], k: int | None, rel: float) -> float:
    base = sum(grade >= rel for grade in qrels.values())
    grades = [qrels.get(doc, -1) for doc in order[:k]]
    ranks = [rank for rank, grade in enumerate(grades, 1) if grade >= rel]
    if name == "nDCG":

        def dcg(gains: list[float]) -> float:
            return sum(max(gain, 0) / math.log2(rank + 1) for rank, gain in enumerate(gains[:k], 1))

        best = dcg(sorted(qrels.values(), reverse=True))
        return dcg(grades) / best if best else 0.0
    if name == "AP":
        return sum(n / rank for n, rank in enumerate(ranks, 1)) / base if base else 0.0
    if name == "RR":
        return 1 / ranks[0] if ranks else 0.0
    return len(ranks) / k if name == "P" else len(ranks) / base if base else 0.0


@st.composite
def topics(draw: st.DrawFn) -> tuple[dict[str, float], dict[str, float]]:
    """Judgments and scores of a topic, with at most six documents that share a score with others."""
    scores = draw(
        st.dictionaries(st.sampled_from(DOCS), st.sampled_from([0.0, 1.0, 1 + 1e-12, 2.0]), min_size=1, max_size=6)
    )
    above = draw(st.integers(0, 3))
    scores |= {f"x{i}": 10.0 + i for i in range(above)}
    grades = st.sampled_from([-1, 0, 0.5, 1, 2])
    return draw(st.dictionaries(st.sampled_from([*DOCS, "x1"]), grades, min_size=1)), scores


@pytest.mark.filterwarnings("ignore::irmx.DataWarning")
@given(st.lists(topics(), min_size=1, max_size=3), st.sampled_from([1, 2, 3, 5, 20]))
def test_the_mean_over_all_orders(collection, k):
    qrels = {str(i): judged for i, (judged, _) in enumerate(collection)}
    run = {str(i): scores for i, (_, scores) in enumerate(collection)}
    for name, depth in [*itertools.product(("AP", "nDCG", "RR"), (None, k)), ("P", k), ("R", k)]:
        text = f"Expected(measure='{name}')" + (f"@{depth}" if depth else "")
        [found] = irmx.evaluator(text, qrels).values(run).values()
        for topic, of_topic in found.items():
            assert of_topic == pytest.approx(enumerated(name, qrels[topic], run[topic], depth), abs=1e-12), (
                text,
                topic,
            )


@given(topics())
def test_condensed_lists_levels_and_exponential_gain(topic):
    judged, scores = topic
    condensed = {doc: score for doc, score in scores.items() if judged.get(doc, -1) >= 0}
    exponential = {doc: 2**grade - 1 if grade > 0 else grade for doc, grade in judged.items()}
    if not condensed:
        return
    for text, by_order in (
        ("Expected(measure='AP',judged_only=True)", enumerated("AP", judged, condensed, None)),
        ("Expected(measure='nDCG',judged_only=True)@2", enumerated("nDCG", judged, condensed, 2)),
        ("Expected(measure='nDCG',dcg='exp-log2')@3", enumerated("nDCG", exponential, scores, 3)),
        ("Expected(measure='RR',rel=2)@4", enumerated("RR", judged, scores, 4, rel=2)),
        ("Expected(measure='AP',rel=0.5)", enumerated("AP", judged, scores, None, rel=0.5)),
    ):
        [found] = irmx.evaluator(text, {"q": judged}).values({"q": scores}).values()
        assert found["q"] == pytest.approx(by_order, abs=1e-12), text


PLAIN = ["AP", "AP@10", "nDCG", "nDCG@10", "nDCG(dcg='exp-log2')@5", "P@10", "R@100", "RR", "RR@3", "AP(rel=2)", "AP(judged_only=True)"]  # fmt: skip


def expected(text: str) -> str:
    """The expected value of a measure, as it is written."""
    name, _, rest = text.partition("@")
    inner, _, parameters = name.rstrip(")").partition("(")
    return f"Expected({','.join(filter(None, [f'measure={inner!r}', parameters]))})" + (f"@{rest}" if rest else "")


def test_without_ties_it_is_the_measure():
    rng = np.random.default_rng(4)
    qrels = {str(t): {f"d{i}": int(rng.integers(-1, 4)) for i in rng.permutation(300)[:100]} for t in range(20)}
    run = {str(t): {f"d{i}": float(-n) for n, i in enumerate(rng.permutation(300)[:200])} for t in range(20)}
    for text in PLAIN:
        [found] = irmx.evaluator(expected(text), qrels).values(run).values()
        [plain] = irmx.evaluator(text, qrels).values(run).values()
        assert found == pytest.approx(plain, abs=1e-14)


def test_all_scores_equal():
    """McSherry and Najork: the expected precision at any rank is the share of relevant documents."""
    n, relevant = 1000, 20
    qrels, run = {"q": {f"d{i}": 1 for i in range(relevant)}}, {"q": {f"d{i}": 0.5 for i in range(n)}}
    for k in (1, 10, 1000):
        [value] = irmx.calc_aggregate(f"Expected(measure='P')@{k}", qrels, run).values()
        assert value == pytest.approx(relevant / n)
    [value] = irmx.calc_aggregate("Expected(measure='RR')", qrels, run).values()
    first = [math.comb(n - i, relevant - 1) / math.comb(n, relevant) / i for i in range(1, n - relevant + 2)]
    assert value == pytest.approx(math.fsum(first), abs=1e-13)


def test_neither_ids_nor_lines_matter():
    qrels, run = {"q": {"a": 2, "b": 1}}, {"q": {"a": 1.0, "x": 1.0, "b": 1.0, "y": 0.0}}
    renamed = {"a": "z", "x": "k", "b": "c", "y": "d"}
    other = {"q": {renamed[doc]: score for doc, score in reversed(run["q"].items())}}
    for text in map(expected, PLAIN):
        one = irmx.calc_aggregate(text, qrels, run)
        two = irmx.calc_aggregate(text, {"q": {renamed[doc]: grade for doc, grade in qrels["q"].items()}}, other)
        assert one == pytest.approx(two, abs=1e-15)


@pytest.mark.parametrize(
    "text",
    [
        "Expected",
        "Expected(measure='Bpref')",
        "Expected(measure='P')",
        "Expected(measure='R')",
        "Expected(measure='AP',dcg='exp-log2')",
    ],
)
def test_what_is_refused(text):
    with pytest.raises(irmx.UsageError):
        irmx.calc_aggregate(text, {"q": {"a": 1}}, {"q": {"a": 1.0}})


@pytest.mark.real
def test_trec8(trec8):
    """A value lies between those of the worst and of the best order of ties; where nothing ties, it is that of the measure."""
    qrels = irmx.read_qrels(trec8.qrels_path)
    grades = qrels.as_dict()
    apart = 0
    for path in list(trec8.run_paths.values())[::12]:
        scores = irmx.read_run(path).as_dict()
        worst, best = (
            {
                topic: {
                    doc: -float(rank)
                    for rank, doc in enumerate(
                        sorted(docs, key=lambda d: (-np.float32(docs[d]), sign * grades[topic].get(d, 0)))
                    )
                }
                for topic, docs in scores.items()
            }
            for sign in (1, -1)
        )
        for text in ("AP", "nDCG@10", "P@10", "R@100", "RR"):
            [found] = irmx.evaluator(expected(text), qrels).values(scores).values()
            [lowest], [largest] = (irmx.evaluator(text, qrels).values(run).values() for run in (worst, best))
            for topic, value in found.items():
                assert lowest[topic] - 1e-13 <= value <= largest[topic] + 1e-13
                apart += largest[topic] > lowest[topic]
    assert apart > 100
