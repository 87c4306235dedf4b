"""ERR: the values of gdeval to its five decimals, and those of plain Python for grades that it does not take."""

import random
import shutil

import pytest

import irmx


def err(grades: list[float], largest: float) -> float:
    value, going_on = 0.0, 1.0
    for rank, grade in enumerate(grades, 1):
        stop = (2 ** max(grade, 0) - 1) / 2**largest
        value += going_on * stop / rank
        going_on *= 1 - stop
    return value


def collection(levels: list[float]) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    rng, docs = random.Random(3), [f"d{i}" for i in range(60)]
    topics = [str(topic) for topic in range(1, 20)]
    qrels = {topic: {doc: rng.choice(levels) for doc in rng.sample(docs, 40)} for topic in topics}
    return qrels, {topic: {doc: rng.random() for doc in rng.sample(docs, 50)} for topic in topics}


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a perl script")
def test_values_are_those_that_gdeval_prints():
    qrels, run = collection([-2, -1, 0, 0, 1, 2, 3, 4])
    measures = "ERR@1 ERR@5 ERR@20 ERR@100"
    ours, theirs = (irmx.evaluator(measures, qrels, provider=name).values(run) for name in ("irmx", "gdeval"))
    for measure, of_topic in theirs.items():
        assert ours[measure] == pytest.approx(of_topic, abs=5.001e-6)


@pytest.mark.parametrize(
    ("levels", "largest"), [([0, 0.5, 1.25, 3], 4), ([-1, 0, 2, 7], 7), ([0.5, 1000], 1000), ([0, 1], 4)]
)
def test_values_in_plain_python(levels, largest):
    qrels, run = collection(levels)
    for k in (3, None):
        [found] = irmx.evaluator("ERR" if k is None else f"ERR@{k}", qrels).values(run).values()
        for topic, docs in run.items():
            grades = [qrels[topic].get(doc, 0) for doc in sorted(docs, key=lambda doc: -docs[doc])]
            assert found[topic] == pytest.approx(err(grades[:k], largest), abs=1e-12)
