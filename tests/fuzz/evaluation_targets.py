"""Extreme data and parameters, and measures of a plugin that return nonsense: a value is in the range that is declared."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import ir_measures
import numpy as np
from expression_targets import measure_text
from hypothesis import HealthCheck, Phase, given, seed, settings
from outcomes import WrongValueError
from targets import Target

import irmx
from irmx.testing import strategies
from irmx.testing.sample import Sample

SCORES = [0.0, -0.0, 1.0, -1.0, 5e-324, 1e-300, 0.1, 0.1 + 1e-17, 1e16, 1e16 + 2, 2.0**53, 1e38, 3.5e38, 1e308, -1e308]
GRADES = [0, 1, 2, -1, -2, 3, 0.5, 1e-9, 100, 1024, 10**6, 2.0**53, 1e300]

EXACT = [
    "AP",
    "P@5",
    "R@5",
    "Rprec",
    "RR",
    "nDCG",
    "nDCG@10",
    "Success@1",
    "Bpref",
    "NumRet",
    "NumRel",
    "AP(rel=2)",
    "P(rel=2)@3",
]
"""Measures that are compared with pytrec_eval, called directly."""


def drawn_sample(random: Random, measure: ir_measures.Measure | None) -> Sample:
    """Return random qrels and a random run with the columns that a measure reads, which Hypothesis draws."""
    drawn: list[Sample] = []

    @seed(random.getrandbits(32))
    @settings(
        max_examples=3, database=None, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
    )
    @given(strategies.samples(measure, negative=True, ties=random.choice(("some", "none", "all"))))
    def draw(sample: Sample) -> None:
        drawn.append(sample)

    draw()
    return drawn[-1]


def a_measure(random: Random) -> ir_measures.Measure | None:
    """Return a measure with legal parameters, often extreme ones; None if none was found soon."""
    for _ in range(20):
        try:
            return irmx.parse_measure(measure_text(random))
        except irmx.IrmxError:
            continue
    return None


def odd_evaluation(random: Random) -> bytes:
    """Return a measure and data as JSON; some scores, grades and other numbers are extreme."""
    measure = random.choice((a_measure, lambda random: irmx.parse_measure(random.choice(EXACT))))(random)
    sample = drawn_sample(random, measure if isinstance(measure, irmx.Measure) else None)
    tables = {"qrels": [dict(row) for row in sample.qrels], "run": [dict(row) for row in sample.run]}
    share = random.choice((0.0, 0.0, 0.3, 1.0))
    for rows in tables.values():
        for row in rows:
            for name, value in row.items():
                if isinstance(value, (int, float)) and random.random() < share:
                    row[name] = random.choice(GRADES if name == "relevance" else SCORES)
    return json.dumps({"measure": repr(measure), **tables}).encode()


def evaluate(path: Path) -> None:
    """Score one measure, and check its values: finite, in the range of the measure, and those of pytrec_eval.

    Raises
    ------
    WrongValueError
        If they are not.
    """
    try:
        given = json.loads(path.read_bytes())
        sample = Sample(tuple(given["qrels"]), tuple(given["run"]))
        measure = irmx.parse_measure(given["measure"])
    except (ValueError, TypeError, KeyError, AttributeError):
        raise irmx.DataError("not an evaluation any more") from None
    values = {m.query_id: m.value for m in irmx.iter_calc([measure], sample.qrels_frame(), sample.run_frame())}
    low, high = getattr(measure, "RANGE", (-math.inf, math.inf))
    slack = 1e-9 * max(1.0, *(abs(bound) for bound in (low, high) if math.isfinite(bound)), 0.0)
    for value in values.values():
        if not isinstance(value, float) or not (math.isfinite(value) or "no_relevant='nan'" in repr(measure)):
            raise WrongValueError(f"{type(measure).__name__} is not finite: {measure} is {value!r}")
        if not low - slack <= value <= high + slack and not math.isnan(value):
            raise WrongValueError(f"{type(measure).__name__} is not in its range: {measure} is {value!r}")
    if repr(measure) in EXACT:
        _same_as_pytrec_eval(measure, sample, values)


def _same_as_pytrec_eval(measure: ir_measures.Measure, sample: Sample, values: dict[str, float]) -> None:
    """Compare values of whole grades, which is all that trec_eval knows, of scores that differ in 32 bits or are equal."""
    grades = [row["relevance"] for row in sample.qrels]
    scores = [row["score"] for row in sample.run]
    with np.errstate(over="ignore"):
        distinct = len(set(np.float32(scores)))
    if any(grade != int(grade) or abs(grade) > 1000 for grade in grades) or len(set(scores)) > distinct:
        return
    judged = irmx.read_qrels(sample.qrels_frame()).as_dict()
    qrels = {q: {d: int(g) for d, g in docs.items()} for q, docs in judged.items() if max(docs.values()) >= 0}
    # for a topic with negative grades alone, pytrec_eval reads memory that is not its own, and may crash
    theirs = ir_measures.providers.registry["pytrec_eval"].iter_calc([measure], qrels, sample.run_dict())
    for metric in theirs:
        if not math.isclose(metric.value, values[metric.query_id], rel_tol=1e-6, abs_tol=1e-9):
            text = f"{measure} of topic {metric.query_id!r} is {values[metric.query_id]!r}, pytrec_eval has {metric.value!r}"
            raise WrongValueError(f"{measure} is not that of pytrec_eval: {text}")


def _raises(error: type[BaseException]) -> Callable[[], Any]:
    def nonsense() -> Any:
        raise error("nonsense")

    return nonsense


NONSENSE: dict[str, Callable[[], Any]] = {
    "zero": lambda: 0.0, "none": lambda: None, "text": lambda: "0.5", "too large": lambda: 7.0, "negative": lambda: -7.0, "nan": lambda: math.nan,
    "infinite": lambda: math.inf, "complex": lambda: 1j, "true": lambda: True, "bytes": lambda: b"1", "large": lambda: 10**400, "object": object,
    "empty": lambda: np.empty(0), "two": lambda: np.array([0.5, 0.5]), "three": lambda: np.array([0.5, 0.5, 0.5]), "square": lambda: np.full((2, 2), 0.5),
    "texts": lambda: np.array(["a", "b"]), "objects": lambda: np.array([None, 0.5]), "complexes": lambda: np.array([1j, 1j]), "truths": lambda: np.array([True, False]),
    "nans": lambda: np.array([math.nan, 0.5]), "sevens": lambda: np.array([7.0, -7.0]), "dates": lambda: np.array(["2020", "2021"], dtype="datetime64[Y]"),
    "list": lambda: [0.5, 0.5], "dict": dict, "columns": lambda: {"gain": np.array([1.0])}, "generator": lambda: (x for x in (0.5, 0.5)),
    "exit": _raises(SystemExit), "value error": _raises(ValueError), "key error": _raises(KeyError), "recursion": _raises(RecursionError), "memory": _raises(MemoryError),
    "os error": _raises(OSError), "assertion": _raises(AssertionError), "stop": _raises(StopIteration), "generator exit": _raises(GeneratorExit),
    "unicode": lambda: "\ud800".encode(), "escape": _raises(type("\x1b[31mError", (Exception,), {})),
}  # fmt: skip
"""What a measure of a plugin returns, or raises, for two topics or for one."""


def score_nonsense(path: Path) -> None:
    """Score a measure that returns nonsense: an error of the plugin, or a value in its range."""
    way, _, name = path.read_bytes().decode("utf-8", "replace").partition(" ")
    if name not in NONSENSE:
        raise irmx.DataError("no nonsense any more")

    def of_topic(ranking: irmx.Ranking) -> Any:
        return NONSENSE[name]()

    def of_topics(rankings: irmx.Rankings) -> Any:
        return NONSENSE[name]()

    make = functools.partial(irmx.measure, name="Nonsense", range=(0.0, 1.0))
    measure = make()(of_topic if way == "topic" else of_topics)
    qrels = {"p": {"a": 1, "b": 0}, "q": {"c": 1}}
    try:
        for call in (irmx.calc_aggregate, irmx.iter_calc):
            found = call([measure], qrels, {"p": {"a": 1.0}, "q": {"c": 2.0, "d": 1.0}})
            values = list(found.values()) if isinstance(found, dict) else [metric.value for metric in found]
            if not all(type(value) is float and 0 <= value <= 1 for value in values):
                raise WrongValueError(f"{way} {name}: {values!r}")
    finally:
        irmx.registry().undefine("Nonsense")


def odd_nonsense(random: Random) -> bytes:
    """Return the name of nonsense, and whether it is that of one topic or of all."""
    return f"{random.choice(('topic', 'topics'))} {random.choice(list(NONSENSE))}".encode()


_ROWS = {
    "qrels": [{"query_id": "q", "doc_id": "a", "relevance": 1}],
    "run": [{"query_id": "q", "doc_id": "a", "score": 2.0}],
}

EVALUATIONS = [
    Target("evaluations", evaluate, [json.dumps({"measure": name, **_ROWS}).encode() for name in EXACT], make=odd_evaluation, names_file=False, seconds=20.0),  # the first imports providers
    Target("nonsense", score_nonsense, [b"topic zero"], make=odd_nonsense, names_file=False, fails=True),
]  # fmt: skip
