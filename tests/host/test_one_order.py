"""Every provider of ir_measures ranks a run with ties as trec_eval does, whatever the order of its rows."""

import itertools
import random
from collections.abc import Iterator
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures.providers.base import NOT_PROVIDED, Choices

import irmx
from irmx.score.backends import ranked_run
from irmx.score.domain import DOMAINS

PROVIDERS = ir_measures.providers.registry
SETTINGS: dict[str, Any] = {"cutoff": 5, "rel": 1, "max_rel": 3, "recall": 0.5}
TIED = [2.0, 1.0, 0.0, -0.0, -1.5, 1e-46, 100000.1546100, 100000.1546101, 1.0 + 1e-9, 1e300, 2e300]
"""Scores of which many are equal in 32 bits; some only there."""

Rows = list[tuple[str, str, float]]


def measures_of(name: str) -> Iterator[ir_measures.Measure]:
    """Yield every measure that a provider supports, with parameters that it takes."""
    for pattern in PROVIDERS[name].SUPPORTED_MEASURES:
        params = {}
        for param, spec in pattern.params.items():
            if not isinstance(spec, Choices):
                params |= {param: SETTINGS[param]} if param in SETTINGS else {}
            elif spec.choices[0] is not NOT_PROVIDED:
                params[param] = spec.choices[0]
        if name == "trectools" and pattern.NAME == "RBP":
            del params["rel"]
        yield type(pattern)(**params)


def tied_rows(seed: int) -> Rows:
    generator = random.Random(seed)
    docs = [f"d{i:02d}" for i in range(14)] + ["D1", "é", "漢"]
    return [(topic, doc, generator.choice(TIED)) for topic in ("1", "2") for doc in generator.sample(docs, 15)]


def by_hand(rows: Rows) -> dict[str, dict[str, float]]:
    """Return the run with the scores 100, 99, ... in the order of trec_eval."""
    run: dict[str, dict[str, float]] = {}
    with np.errstate(over="ignore"):
        for topic, doc, _ in sorted(sorted(rows, key=lambda r: r[1], reverse=True), key=lambda r: -np.float32(r[2])):
            of_topic = run.setdefault(topic, {})
            of_topic[doc] = 100.0 - len(of_topic)
    return run


def qrels_for(rows: Rows, seed: int) -> pd.DataFrame:
    generator = random.Random(seed)
    judged = [(t, d, generator.randrange(4), generator.choice("ab")) for t, d, _ in rows if generator.random() < 0.6]
    unretrieved = [(topic, "unretrieved", 2, "a") for topic in ("1", "2")]
    return pd.DataFrame(judged + unretrieved, columns=["query_id", "doc_id", "relevance", "iteration"])


def frame(rows: Rows) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])


def values(measure: Any, qrels: Any, run: Any, provider: str | None) -> dict[str, float]:
    return {m.query_id: m.value for m in irmx.iter_calc(measure, qrels, run, provider=provider)}


def installed() -> list[Any]:
    # ranx compiles its functions at their first call
    return [
        pytest.param(name, marks=pytest.mark.slow) if name == "ranx" else name
        for name, provider in PROVIDERS.items()
        if name in DOMAINS and provider.is_available()
    ]


@pytest.mark.filterwarnings("ignore:(?s).*unsafe cast from uint64 to int64")  # numba's, of ranx
@pytest.mark.parametrize("name", installed())
def test_every_measure_of_a_provider_ranks_as_trec_eval_does(name: str) -> None:
    for seed, measure in itertools.product(range(4), measures_of(name)):
        rows = tied_rows(seed)
        ranked, qrels = by_hand(rows), qrels_for(rows, seed)
        try:
            direct = PROVIDERS[name].evaluator([measure], list(irmx.read_qrels(qrels)))
            expected = {m.query_id: m.value for m in direct.iter_calc(ranked)}
        except (AssertionError, TypeError, ValueError) as error:
            if name != "ranx":
                raise
            pytest.skip(f"ranx does not work with this version of pandas or numba: {error}")
        orders = [rows, rows[::-1], sorted(rows, key=lambda r: r[1]), random.Random(seed).sample(rows, len(rows))]
        for order in orders:
            assert values(measure, qrels, frame(order), name) == expected, measure


def test_every_provider_is_known_to_rank_or_to_keep_scores() -> None:
    """A provider that is new in ir_measures must be looked at: does it use scores for more than ranks?"""
    assert set(PROVIDERS) - {"irmx"} == {*DOMAINS, "runtime"}


@pytest.mark.parametrize("seed", range(20))
def test_nothing_changes_for_pytrec_eval(seed: int) -> None:
    rows = tied_rows(seed)
    qrels = {
        t: dict(zip(q["doc_id"], q["relevance"], strict=True)) for t, q in qrels_for(rows, seed).groupby("query_id")
    }
    run: dict[str, dict[str, float]] = {}
    for topic, doc, score in rows:
        run.setdefault(topic, {})[doc] = score
    measures = list(measures_of("pytrec_eval"))
    stock = PROVIDERS["pytrec_eval"]
    for measure in measures:
        assert values(measure, qrels, run, "pytrec_eval") == {
            m.query_id: m.value for m in stock.evaluator([measure], qrels).iter_calc(run)
        }


def test_compat_does_not_depend_on_the_sign_of_scores() -> None:
    """It takes 0 for the score of an ideal document that was not retrieved: log probabilities would be below it."""
    qrels = {"q": {"a": 1, "b": 1, "c": 1}}
    positive, negative = ({"q": {"x": 4.0 + shift, "b": 3.0 + shift}} for shift in (0, -9))
    assert values("Compat", qrels, positive, None) == values("Compat", qrels, negative, None)


def test_a_measure_that_is_defined_at_runtime_sees_the_scores_and_trec_eval_s_order() -> None:
    rows = tied_rows(3)
    seen: dict[str, pd.DataFrame] = {}

    def look(qrels: pd.DataFrame, run: pd.DataFrame) -> float:
        seen[run["query_id"].iloc[0]] = run
        return float(run["score"].max())

    measure = ir_measures.define_byquery(look, name="Look", support_cutoff=False)
    values(measure, qrels_for(rows, 3), frame(rows[::-1]), None)
    score_of = {(topic, doc): score for topic, doc, score in rows}
    for topic, docs in by_hand(rows).items():
        assert seen[topic]["doc_id"].tolist() == list(docs)
        assert seen[topic]["score"].is_monotonic_decreasing
        assert seen[topic]["score"].is_unique
        with np.errstate(over="ignore"):
            own = np.array([score_of[topic, doc] for doc in docs], dtype=np.float32)
            assert seen[topic]["score"].to_numpy().astype(np.float32).tolist() == own.tolist()
    untied = [("1", "a", 0.1), ("1", "b", -7.25), ("1", "c", 1e-300)]
    values(measure, {"1": {"a": 1}}, frame(untied), None)
    assert seen["1"]["score"].tolist() == [0.1, 1e-300, -7.25]


def test_a_run_is_ranked_once_and_only_where_there_are_judgments() -> None:
    run = irmx.read_run({"q": {"a": 1.0, "b": 1.0}, "unjudged": {"a": 1.0}, "nothing": {}})
    join = irmx.Join(run, irmx.read_qrels({"q": {"a": 1}, "lacking": {"a": 1}, "nothing": {"a": 1}}))
    assert ranked_run(join) is ranked_run(join)
    assert ranked_run(join) == {"q": {"b": 2.0, "a": 1.0}}


def test_a_document_twice_is_still_refused() -> None:
    with pytest.raises(irmx.DataError, match=r"INST.* cannot be computed: The run has the document 'a' more than once"):
        irmx.calc_aggregate("INST(max_rel=1)", {"1": {"a": 1}}, frame([("1", "a", 2.0), ("1", "a", 1.0)]))
