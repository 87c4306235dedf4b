"""The measures of ndeval: the values of pyndeval, those of plain Python beyond its cutoffs, and mistakes in words."""

import math
import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import irmx

CUTOFFS = (1, 2, 5, 20)
AT_CUTOFFS = ("alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "P_IA", "StRecall")
SETTINGS = [
    *(f"{name}@{k}" for name in AT_CUTOFFS for k in CUTOFFS),
    *(f"alpha_{name}(alpha={alpha})@10" for name in ("DCG", "nDCG") for alpha in (0.0, 0.3, 1.0)),
    *(f"{name}(alpha={alpha},beta={beta})" for name in ("NRBP", "nNRBP") for alpha in (0.0, 0.3, 1.0) for beta in (0.1, 0.8)),
    *("AP_IA", "NRBP", "nNRBP", "AP_IA(rel=2)", "nERR_IA(rel=2)@10", "StRecall(rel=2)@5", "NRBP(rel=2)"),
]  # fmt: skip


def collection(seed: int, docs: int = 30) -> tuple[pd.DataFrame, dict[str, dict[str, float]]]:
    """Qrels of two topics, in which many documents have the same subtopics, and a run with unjudged documents."""
    random = np.random.default_rng(seed)
    rows = [
        (topic, f"d{doc}", int(random.integers(0, 4)), f"c{c}")
        for topic in ("p", "q")
        for doc in random.permutation(docs)
        for c in range(5)
        if random.random() < 0.3 or doc == 0
    ]
    names = [*(f"d{i}" for i in range(docs)), *(f"x{i}" for i in range(10))]
    run = {t: {d: float(-i) for i, d in enumerate(random.permutation(names)[: docs - 2])} for t in ("p", "q")}
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    return qrels.assign(relevance=qrels.relevance.mask(qrels.doc_id == "d0", 2)), run


def largest_difference(qrels: object, runs: Iterable[object], measures: list[str]) -> float:
    evaluators = [irmx.evaluator(measures, qrels, provider=name) for name in ("irmx", "pyndeval")]
    differences = []
    for run in map(irmx.read_run, runs):
        ours, theirs = (one.values(run) for one in evaluators)
        differences += [abs(ours[m][topic] - x) for m, of_topic in theirs.items() for topic, x in of_topic.items()]
    return max(differences)


@pytest.mark.parametrize("seed", range(4))
def test_values_are_those_of_pyndeval(seed: int) -> None:
    qrels, run = collection(seed)
    assert largest_difference(qrels, [run], SETTINGS) < 1e-9


@pytest.mark.real
@pytest.mark.parametrize("year", [2009, 2012])
def test_values_are_those_of_pyndeval_on_the_web_track(year: int) -> None:
    folder = Path(os.environ["IRMX_DATA"]).resolve() / "web_diversity" / str(year)
    names = ["query_id", "iteration", "doc_id", "relevance"]
    qrels = pd.read_csv(folder / "qrels.diversity.txt.gz", sep=r"\s+", names=names, dtype=dict.fromkeys(names[:3], str))
    qrels = qrels[qrels.iteration != "0"].assign(relevance=qrels.relevance.clip(lower=0))
    runs = sorted((folder / "runs").glob("*.run.gz"))[::2]
    assert runs
    assert largest_difference(qrels, runs, SETTINGS[:-4]) < 1e-9


# -- as the definitions say it, at any cutoff --------------------------------------------------------------------------


class Plain:
    """One topic, in loops over its documents."""

    def __init__(self, qrels: pd.DataFrame, topic: str, ranking: list[str], rel: float = 1, alpha: float = 0.5) -> None:
        rows = qrels[(qrels.query_id == topic) & (qrels.relevance >= rel)]
        self.covers = {doc: sorted(set(of.iteration)) for doc, of in rows.groupby("doc_id")}
        self.subtopics = sorted(set(rows.iteration))
        self.ranking, self.alpha = ranking, alpha
        self.ideal = self.greedy()

    def gains(self, ranking: list[str]) -> list[float]:
        worth, out = dict.fromkeys(self.subtopics, 1.0), []
        for doc in ranking:
            out.append(sum(worth[c] for c in self.covers.get(doc, ())))
            for c in self.covers.get(doc, ()):
                worth[c] *= 1 - self.alpha
        return out

    def greedy(self) -> list[str]:
        left, out = sorted(self.covers, reverse=True), list[str]()
        worth = dict.fromkeys(self.subtopics, 1.0)
        while left:
            best = max(left, key=lambda doc: sum(worth[c] for c in self.covers[doc]))
            left.remove(best)
            out.append(best)
            for c in self.covers[best]:
                worth[c] *= 1 - self.alpha
        return out

    def dcg(self, ranking: list[str], k: int) -> float:
        return sum(g / math.log2(i + 1) for i, g in enumerate(self.gains(ranking)[:k], 1))

    def err(self, ranking: list[str], k: int) -> float:
        return sum(g / i for i, g in enumerate(self.gains(ranking)[:k], 1))

    def nrbp(self, ranking: list[str], beta: float) -> float:
        return sum(g * beta ** (i - 1) for i, g in enumerate(self.gains(ranking), 1))

    def values(self, k: int, beta: float) -> dict[str, float]:
        """The values, with k of 2 or more."""
        s, a, top = len(self.subtopics), self.alpha, self.ranking[:k]
        average = [
            sum(
                (j + 1) / i
                for j, i in enumerate(i for i, d in enumerate(self.ranking, 1) if c in self.covers.get(d, ()))
            )
            / sum(c in of for of in self.covers.values())
            for c in self.subtopics
        ]
        return {
            "alpha_DCG": self.dcg(top, k) / s / sum((1 - a) ** (i - 1) / math.log2(i + 1) for i in range(1, k + 1)),
            "alpha_nDCG": self.dcg(top, k) / self.dcg(self.ideal, k),
            "ERR_IA": self.err(top, k) / s / sum((1 - a) ** (i - 1) / i for i in range(1, k + 1)),
            "nERR_IA": self.err(top, k) / self.err(self.ideal, k),
            "P_IA": sum(len(self.covers.get(d, ())) for d in top) / k / s,
            "StRecall": len({c for d in top for c in self.covers.get(d, ())}) / s,
            "AP_IA": sum(average) / s,
            "NRBP": self.nrbp(self.ranking, beta) * (1 - (1 - a) * beta) / s,
            "nNRBP": self.nrbp(self.ranking, beta) / self.nrbp(self.ideal, beta),
        }


@pytest.mark.parametrize("k", [2, 21, 50, 200])
@pytest.mark.parametrize("rel", [1, 1.5])
def test_values_in_plain_python_at_any_cutoff(k: int, rel: float) -> None:
    qrels, run = collection(seed=7, docs=60)
    for topic, docs in run.items():
        ranking = sorted(docs, key=lambda doc: -docs[doc])
        expected = Plain(qrels, topic, ranking, rel).values(k, 0.5)
        found = {
            name: irmx.evaluator(f"{name}(rel={rel}){f'@{k}' if name in AT_CUTOFFS else ''}", qrels).values(run)
            for name in expected
        }
        for name, of_measure in found.items():
            [values] = of_measure.values()
            assert values[topic] == pytest.approx(expected[name], abs=1e-12), name


def test_fractions_and_condensed_lists() -> None:
    rows = [("q", "a", 0.5, "c1"), ("q", "b", 1, "c2"), ("q", "z", 0, "c2")]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    run = {"q": {"x": 4.0, "z": 3.0, "y": 2.0, "b": 1.5, "a": 1.0}}
    for text, value in (
        ("StRecall(rel=0.5)@4", 1 / 2),
        ("StRecall@4", 1),  # c1 has no relevant document
        ("P_IA(judged_only=True)@2", 1 / 2),
        ("AP_IA(judged_only=True,rel=0.5)", (1 / 2 + 1 / 3) / 2),
        ("alpha_nDCG(judged_only=True)@30", math.log(2) / math.log(3)),
        ("ERR_IA@1", 0),
    ):
        assert list(irmx.calc_aggregate(text, qrels, run).values()) == [pytest.approx(value)], text


def test_declared_subtopics_count() -> None:
    rows = [("q", "a", 1, "c1"), ("q", "", 0, "c2")]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    assert list(irmx.calc_aggregate("StRecall@5 AP_IA P_IA@1", qrels, {"q": {"a": 1.0}}).values()) == [0.5, 0.5, 0.5]


def test_coverage_of_nuggets_is_subtopic_recall() -> None:
    rows = [("q", "a", 1, "n1"), ("q", "a", 1, "n2"), ("q", "b", 1, "n2"), ("q", "", 0, "n3")]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    assert list(irmx.calc_aggregate("I_rec@1", qrels, {"q": {"a": 2.0, "b": 1.0}}).values()) == [pytest.approx(2 / 3)]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("alpha_nDCG(alpha=1.5)@5", "'alpha' parameter of alpha_nDCG must be a float in the range [0, 1]"),
        ("NRBP(beta=1.0)", "'beta' parameter of NRBP must be a float in the range (0, 1)"),
        ("StRecall@0", "'cutoff' parameter of StRecall"),
        ("alpha_nDCG@5", "the qrels column 'iteration', subtopic or nugget id, is missing"),
    ],
)
def test_mistakes_are_errors_in_words(text: str, error: str) -> None:
    with pytest.raises(irmx.IrmxError) as refused:
        irmx.calc_aggregate(text, {"q": {"a": 1}}, {"q": {"a": 1.0}})
    assert error in str(refused.value)


def test_the_contributions_of_subtopics_add_up() -> None:
    qrels, run = collection(seed=2)
    for text in ("alpha_nDCG@20", "ERR_IA@5", "NRBP", "AP_IA", "P_IA@5", "StRecall@5"):
        [of_topic] = irmx.evaluator(text, qrels).values(run).values()
        assert sum(irmx.explain(text, qrels, run, "q").columns["contribution"]) == pytest.approx(of_topic["q"])
