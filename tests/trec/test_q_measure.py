"""Q-measure: the values that NTCIREVAL prints, and plain Python."""

import random

import pytest

import irmx

QRELS = {"q": dict(zip([f"dummy{i:02}" for i in range(1, 12)], [3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 0], strict=True))}
RUN = {"q": {"dummy11": 4.0, "dummy01": 3.0, "dummy12": 2.0, "dummy04": 1.0}}


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("Q", 0.0967),
        ("Q@1000", 0.0967),
        ("Q(gains={1:1,2:4,3:9})", 0.0929),
        ("Q@2", 0.25),
        ("Q(judged_only=True)", 0.1083),
        ("Q(beta=0)", 0.1),
    ],
)
def test_the_sample_of_ntcireval(text: str, printed: float) -> None:
    [value] = irmx.calc_aggregate(text, QRELS, RUN).values()
    assert round(value, 4) == printed


def plainly(grades: list[float], judged: list[float], k: int | None, beta: float, rel: float) -> float:
    ideal = sorted((g for g in judged if g >= rel), reverse=True)
    count = gain = total = 0.0
    for n, grade in enumerate(grades[:k], 1):
        if grade >= rel:
            count, gain = count + 1, gain + grade
            total += (count + beta * gain) / (n + beta * sum(ideal[:n]))
    return total / min(len(ideal), k or len(ideal)) if ideal else 0.0


@pytest.mark.parametrize("levels", [[0, 1, 2, 3], [-1, 0, 0.5, 1.5], [0]])
def test_values_in_plain_python(levels: list[float]) -> None:
    rng, docs = random.Random(5), [f"d{i}" for i in range(40)]
    qrels = {str(t): {d: rng.choice(levels) for d in rng.sample(docs, 25)} for t in range(8)}
    run = {str(t): {d: rng.random() for d in rng.sample(docs, 30)} for t in range(8)}
    for k, beta, rel in ((None, 1.0, 1), (5, 2.5, 1), (10, 0.0, 0.5)):
        text = f"Q(beta={beta},rel={rel})" + (f"@{k}" if k else "")
        [found] = irmx.evaluator(text, qrels).values(run).values()
        for topic, of_topic in run.items():
            grades = [qrels[topic].get(doc, 0) for doc in sorted(of_topic, key=lambda doc: -of_topic[doc])]
            expected = plainly(grades, [*qrels[topic].values()], k, beta, rel)
            assert found[topic] == pytest.approx(expected, abs=1e-12)


def test_without_gain_it_is_average_precision() -> None:
    qrels, run = {"q": {"a": 3, "b": 1, "c": 2}}, {"q": {"x": 4.0, "a": 3.0, "y": 2.0, "b": 1.0}}
    assert [*irmx.calc_aggregate("Q(beta=0)", qrels, run).values()] == pytest.approx(
        [*irmx.calc_aggregate("AP", qrels, run).values()]
    )
