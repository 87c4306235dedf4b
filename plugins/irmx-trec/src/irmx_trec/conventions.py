"""What tools do differently under the name of one measure: conventions, their options, and which tools follow them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from irmx import Judgments, Run
from irmx.ragged import Bools, Floats, Ints

# -- what tools do differently under the name of one measure ---------------------------------------------------------


ALL = ("nDCG", "AP", "P", "R", "RR")
"""The measures, by their names in ir_measures, of which conventions are known."""

HALF_UP = "-half-up"
"""The end of options of rounding under which half is rounded up, as by Java; it is rounded to even otherwise."""


@dataclass(frozen=True)
class Convention:
    """A choice that a definition leaves open. The first option is that of irmx, which is trec_eval's with ``-c``."""

    name: str
    question: str
    options: Mapping[str, str]
    measures: tuple[str, ...] = ALL

    @property
    def default(self) -> str:
        """The option of irmx."""
        return next(iter(self.options))


CONVENTIONS = {one.name: one for one in (
    Convention("grades", "grades that are not whole numbers", {"kept": "kept", "cut": "cut to whole numbers", "refused": "refused"}),
    Convention("gain", "what a grade is worth", {
        "linear": "the grade", "exp2": "2^grade - 1", "binary": "1 if relevant", "judged": "1 if judged at all",
    }, ("nDCG",)),
    Convention("discount", "what a rank costs", {
        "log2(i+1)": "log2(rank + 1)", "from-b": "log2(rank), from rank 2 on", "1/i": "the rank",
    }, ("nDCG",)),
    Convention("ideal", "the best possible ranking", {
        "cut": "the best k judged documents", "uncut": "all judged documents, whatever the cutoff",
        "min(k,retrieved)": "as many of the best judged documents as were retrieved, at most k",
        "top-k": "the retrieved top k in the best order", "ones": "k documents of gain 1",
    }, ("nDCG",)),
    Convention("judged", "which judged documents count", {
        "all": "all of the qrels", "retrieved": "those that the run retrieved",
    }),
    Convention("divisor", "what AP, precision and recall are divided by", {
        "usual": "AP and recall: the relevant documents; precision: k", "min(R,k)": "the relevant documents, at most k",
        "found": "the relevant documents found", "k": "k", "any": "1 if any is found", "retrieved": "the documents retrieved, at most k",
    }, ("AP", "P", "R")),
    Convention("threshold", "the smallest relevant grade", {"usual": "that of the measure"}),
    Convention("negatives", "negative grades", {"0": "worth nothing", "kept": "worth less than nothing"}, ("nDCG",)),
    Convention("unjudged", "documents that nobody judged", {"non-relevant": "non-relevant", "removed": "removed before ranks are counted"}),
    Convention("ties", "documents with the same score", {
        "docid-descending": "by id, largest first, scores in single precision", "docid-ascending": "by id, smallest first",
        "docid-descending-64": "by id, largest first, scores in double precision",
        "file": "in the order of the file", "averaged": "share their gains", "worst": "the least relevant first", "best": "the most relevant first",
    }),
    Convention("duplicates", "a document twice in a topic", {
        "last": "counts once, with its last score", "first": "counts once, with its first score", "twice": "counts twice",
        "once": "takes two ranks, but counts once",
    }),
    Convention("self", "a document with the id of its topic", {"kept": "kept", "dropped": "dropped"}),
    Convention("cutoff", "down to which rank", {"usual": "that of the measure"}),
    Convention("topics", "over which topics the mean is taken", {
        "qrels": "those of the qrels", "both": "those of both files", "run": "those of the run", "relevant": "those with a relevant document",
        "hit": "those with a relevant document retrieved",
    }),
    Convention("no-relevant", "a topic without relevant documents", {"0": "has the value 0", "1": "has the value 1", "skipped": "is left out"}),
    Convention("rounding", "decimals of each topic's value", {
        "none": "all", **{f"{n}": f"{n}, half to even" for n in (2, 3, 4, 5)}, **{f"{n}{HALF_UP}": f"{n}, half up" for n in (2, 3, 4, 5)},
    }),
    Convention("mean", "how topics are put together", {"macro": "the mean of their values", "micro": "sums over topics are divided"}, ("nDCG", "P", "R")),
)}  # fmt: skip
"""All conventions, by name."""


@dataclass(frozen=True)
class Tool:
    """How a tool computes a measure: in what it differs from irmx. ``name`` says how the tool calls it, if not as usual."""

    tool: str
    measures: tuple[str, ...]
    changes: Mapping[str, str] = field(default_factory=dict)
    name: str = ""

    def __str__(self) -> str:
        return f"{self.tool} {self.name}".strip()


_CUT, _WHOLE = {"grades": "cut"}, {"grades": "refused"}
_LIST = {"ties": "file", "duplicates": "twice"}
_BOTH = {"topics": "both"}
_LEARNING = {"ties": "file", "judged": "retrieved", **_BOTH}
_SKIPPED = {"no-relevant": "skipped"}
_ST = {"ties": "docid-ascending", "duplicates": "twice", **_SKIPPED}
_ST_ALL = {"ties": "docid-ascending", "duplicates": "twice"}
_BINARY_LIST = {**_LIST, **_SKIPPED, **_BOTH}

TOOLS = (
    Tool("trec_eval -c", ALL, _CUT), Tool("trec_eval", ALL, {**_CUT, **_BOTH}),
    Tool("trec_eval 10 -c", ALL, {**_CUT, "ties": "docid-descending-64"}), Tool("trec_eval 10", ALL, {**_CUT, "ties": "docid-descending-64", **_BOTH}),
    Tool("pytrec_eval", ALL, {**_WHOLE, **_BOTH}), Tool("ir_measures", ALL, _WHOLE), Tool("ir_measures", ("RR",), {**_WHOLE, "ties": "docid-ascending"}, "RR@k"),
    Tool("ir_measures", ("nDCG",), {"gain": "exp2", "rounding": "5"}, "nDCG(dcg='exp-log2')"),
    Tool("BEIR", ("nDCG", "AP", "P", "R"), {**_WHOLE, "self": "dropped", **_BOTH}),
    Tool("BEIR", ("RR",), {"ties": "file"}, "MRR"), Tool("BEIR", ("R",), {"ties": "file", "divisor": "min(R,k)"}, "R_cap"),
    Tool("ranx", ALL, _CUT), Tool("ranx", ("nDCG",), {**_CUT, "gain": "exp2"}, "ndcg_burges"), Tool("ranx", ("R",), {**_CUT, "divisor": "any"}, "hit_rate"),
    Tool("trectools", ALL, {"topics": "run"}), Tool("trectools", ("nDCG",), {"topics": "run", "ties": "docid-ascending"}, "get_ndcg"),
    Tool("trectools", ("AP", "P", "R", "RR"), {"topics": "run", "ties": "docid-ascending"}, "trec_eval=False"),
    Tool("trectools", ("nDCG",), {"topics": "run", "ties": "docid-ascending", "gain": "exp2"}, "trec_eval=False"),
    Tool("sentence-transformers", ("nDCG",), {**_ST, "gain": "binary"}), Tool("sentence-transformers", ("P", "R"), _ST),
    Tool("sentence-transformers", ("AP",), {**_ST, "divisor": "min(R,k)"}),
    Tool("sentence-transformers", ("RR",), {**_ST, "duplicates": "first"}),
    Tool("sentence-transformers", ("R",), {"ties": "file", "divisor": "any", **_SKIPPED}, "accuracy"),
    Tool("sentence-transformers", ("nDCG",), {**_ST_ALL, "gain": "judged"}, "given all judged ids"),
    Tool("sentence-transformers", ("AP",), {**_ST_ALL, "threshold": "judged", "divisor": "min(R,k)"}, "given all judged ids"),
    Tool("sentence-transformers", ("P", "R"), {**_ST_ALL, "threshold": "judged"}, "given all judged ids"),
    Tool("sentence-transformers", ("RR",), {**_ST_ALL, "threshold": "judged", "duplicates": "first"}, "given all judged ids"),
    Tool("sentence-transformers", ("R",), {"threshold": "judged", "divisor": "any"}, "accuracy, given all judged ids"),
    Tool("scikit-learn", ("nDCG",), {"judged": "retrieved", "ties": "averaged", **_BOTH}, "ndcg_score"),
    Tool("scikit-learn", ("AP",), {"judged": "retrieved", **_BOTH}, "average_precision_score"),
    Tool("torchmetrics", ("nDCG", "AP", "R"), {"judged": "retrieved", **_BOTH}), Tool("torchmetrics", ("P", "RR"), _BOTH),
    Tool("torchmetrics", ("AP",), {"divisor": "found", **_BOTH}, "RetrievalMAP(top_k=k)"),
    Tool("LightGBM", ("nDCG",), {**_LEARNING, "gain": "exp2", "no-relevant": "1"}),
    Tool("LightGBM", ("AP",), {**_LEARNING, "divisor": "min(R,k)", "no-relevant": "1"}),
    Tool("XGBoost", ("nDCG",), {**_LEARNING, "gain": "exp2", "no-relevant": "1"}, "ndcg@k"),
    Tool("XGBoost", ("nDCG",), {**_LEARNING, "gain": "exp2"}, "ndcg@k-"),
    Tool("XGBoost", ("nDCG",), {**_LEARNING, "gain": "exp2", "cutoff": "32"}, "ndcg"),
    Tool("XGBoost", ("nDCG",), _LEARNING, "ndcg_exp_gain=false"),
    Tool("XGBoost", ("AP",), {**_LEARNING, "divisor": "min(R,k)", "no-relevant": "1"}, "map@k"),
    Tool("XGBoost", ("AP",), {**_LEARNING, "divisor": "min(R,k)"}, "map@k-"),
    Tool("XGBoost", ("AP",), {**_LEARNING, "divisor": "min(R,k)", "cutoff": "32"}, "map"),
    Tool("XGBoost", ("P",), {"ties": "file", "divisor": "retrieved", **_BOTH}),
    Tool("CatBoost", ("nDCG",), {"ties": "worst", "negatives": "kept", "ideal": "top-k", "no-relevant": "1", **_BOTH}),
    Tool("CatBoost", ("nDCG",), {"ties": "worst", "judged": "retrieved", **_BOTH}, "NDCG:top=k"),
    Tool("CatBoost", ("nDCG",), {"ties": "worst", "judged": "retrieved", "gain": "exp2", **_BOTH}, "NDCG:top=k;type=Exp"),
    Tool("CatBoost", ("nDCG",), {"ties": "worst", "judged": "retrieved", "discount": "1/i", **_BOTH}, "denominator=Position"),
    Tool("CatBoost", ("AP",), {"ties": "worst", "judged": "retrieved", **_BOTH}),
    Tool("CatBoost", ("AP",), {"ties": "worst", "judged": "retrieved", "divisor": "min(R,k)", **_BOTH}, "MAP:top=k"),
    Tool("CatBoost", ("RR",), {"ties": "worst", **_BOTH}), Tool("CatBoost", ("P",), {"ties": "worst", "divisor": "retrieved", **_BOTH}),
    Tool("CatBoost", ("R",), {"ties": "worst", "judged": "retrieved", "no-relevant": "1", **_BOTH}),
    Tool("pyNTCIREVAL", ("nDCG",), {**_BINARY_LIST, "discount": "from-b"}), Tool("pyNTCIREVAL", ("nDCG",), _BINARY_LIST, "MSnDCG"),
    Tool("pyNTCIREVAL", ("AP",), {**_LIST, **_BOTH, "divisor": "min(R,k)"}, "AP@k"),
    Tool("pyNTCIREVAL", ("AP", "P", "RR"), {**_LIST, **_BOTH}),
    Tool("Haystack", ("nDCG",), {"ties": "file", "duplicates": "once", "ideal": "uncut"}),
    Tool("Haystack", ("nDCG",), {"ties": "file", "duplicates": "once", "ideal": "uncut", "gain": "binary"}, "without scores"),
    Tool("Haystack", ("nDCG",), {"ties": "file", "duplicates": "once", "ideal": "uncut", "negatives": "kept"}, "given all judged"),
    Tool("Haystack", ("AP",), {"ties": "file", "duplicates": "once"}), Tool("Haystack", ("RR",), _LIST),
    Tool("Haystack", ("R",), {"ties": "file", "divisor": "any"}), Tool("Haystack", ("R",), {"ties": "file"}, "multi_hit"),
    Tool("LlamaIndex", ("nDCG",), {**_BINARY_LIST, "gain": "binary", "ideal": "uncut"}), Tool("LlamaIndex", ("AP", "RR", "R"), _BINARY_LIST),
    Tool("LlamaIndex", ("P",), {"ties": "file", "divisor": "retrieved", **_SKIPPED, **_BOTH}), Tool("LlamaIndex", ("R",), {**_BINARY_LIST, "divisor": "any"}, "HitRate"),
    Tool("ragas", ("P",), {"ties": "file", "divisor": "retrieved", **_BOTH}), Tool("ragas", ("R",), {"ties": "file", **_SKIPPED}),
    Tool("recommenders", ("nDCG",), {"gain": "binary", "topics": "relevant"}), Tool("recommenders", ("AP",), {"divisor": "min(R,k)", **_BOTH}),
    Tool("recommenders", ("P", "R"), _BOTH),
    Tool("implicit", ("P",), {"ties": "file", "divisor": "min(R,k)", "mean": "micro"}), Tool("implicit", ("AP",), {"ties": "file", "divisor": "min(R,k)"}),
    Tool("cornac", ("nDCG",), {**_BINARY_LIST, "gain": "binary"}), Tool("cornac", ("P", "R"), _BINARY_LIST),
    Tool("cornac", ("RR",), {**_LIST, "topics": "hit"}),
    Tool("RecBole", ("nDCG",), {**_BINARY_LIST, "gain": "binary"}), Tool("RecBole", ("P", "R", "RR"), _BINARY_LIST),
    Tool("RecBole", ("AP",), {**_BINARY_LIST, "divisor": "min(R,k)"}),
    Tool("recmetrics", ("AP",), {"ties": "file", "duplicates": "once", **_BOTH}, "mark"),
    Tool("recmetrics", ("P",), {**_LIST, "divisor": "retrieved", "rounding": "4", **_BOTH}), Tool("recmetrics", ("R",), {**_LIST, "rounding": "4", **_BOTH}),
    Tool("Evidently", ("nDCG", "AP", "R"), {**_LEARNING, **_SKIPPED}), Tool("Evidently", ("RR",), {**_BINARY_LIST, "judged": "retrieved"}), Tool("Evidently", ("P",), {**_BINARY_LIST, "judged": "retrieved", "divisor": "retrieved"}),
    Tool("Quepid", ("nDCG",), {**_LIST, "gain": "exp2", "negatives": "kept", "ideal": "uncut"}, "NDCG@k"),
    Tool("Quepid", ("nDCG",), {**_LIST, "gain": "exp2", "negatives": "kept"}, "NDCG_CUT@k"),
    Tool("Quepid", ("P",), {**_LIST, "divisor": "retrieved"}), Tool("Quepid", ("AP",), {**_LIST, **_SKIPPED}), Tool("Quepid", ("RR",), _LIST),
    Tool("OpenSearch", ("nDCG",), {**_LIST, "gain": "exp2", "negatives": "kept", "rounding": f"2{HALF_UP}"}),
    Tool("OpenSearch", ("P",), {**_LIST, "divisor": "retrieved", "rounding": f"2{HALF_UP}"}), Tool("OpenSearch", ("AP",), {**_LIST, "rounding": f"2{HALF_UP}"}),
    Tool("Elasticsearch", ("nDCG",), {**_LIST, "gain": "exp2", "ideal": "min(k,retrieved)"}),
    Tool("Elasticsearch", ("P",), {**_LIST, "divisor": "retrieved"}), Tool("Elasticsearch", ("R", "RR"), _LIST),
)  # fmt: skip
"""What tools do, found by running them in November 2026 on files with ties, duplicates, negative grades and missing topics."""


# -- the value of every topic under other conventions ----------------------------------------------------------------


Changes = Mapping[str, str]

_OF_RANKINGS = ("ties", "duplicates", "self", "unjudged", "grades")
"""The conventions about which documents a run has, and in which order."""

_OF_IDEALS = ("judged", "ideal", "gain", "threshold", "negatives", "discount", "cutoff", "grades")
"""The conventions about ideal rankings."""

_MOST_GRADES = 6
"""How many grades are tried as the smallest relevant one."""

_LARGEST = 1000.0
"""Grades above this are gains of 2^1000 where they are exponential."""


class Ratios(NamedTuple):
    """What topics have: a numerator and a denominator, and whether something relevant is there to be found."""

    numerator: Floats
    denominator: Floats
    has_relevant: Bools


class Ranked(NamedTuple):
    """The run under conventions about its documents: topics x ranks, NaN below the end; and how many documents there are."""

    grade: Floats  # NaN where nobody judged
    group: Ints  # of documents with one score
    retrieved: Ints


class Topics:
    """The topics of a run and of qrels, from which values under all conventions are made.

    ``kind`` is a measure's name in ir_measures, with its own cutoff, smallest relevant grade, and gain.
    """

    def __init__(self, run: Run, judgments: Judgments, kind: str, cutoff: int | None, rel: float, gain: str) -> None:
        self.kind, self.cutoff, self.rel, self.gain = kind, cutoff, rel, gain
        self.files = run, judgments
        of_run = {str(topic): i for i, topic in enumerate(run.topics)}
        of_qrels = {str(topic): i for i, topic in enumerate(judgments.topics)}
        self.topics = [*of_qrels, *(topic for topic in of_run if topic not in of_qrels)]
        self.in_run = np.array([topic in of_run for topic in self.topics])
        self.in_qrels = np.array([topic in of_qrels for topic in self.topics])
        self.grades: list[Floats] = []  # of all judged documents, by topic
        self._rows: list[
            tuple[Ints, Floats, Floats, Bools]
        ] = []  # places of documents in the order of their ids, scores, grades, whether it is the query itself
        all_docs = list(judgments.docs)
        for topic in self.topics:
            judged: dict[str, float] = {}
            if topic in of_qrels:
                a, b = judgments.offsets[of_qrels[topic] : of_qrels[topic] + 2].tolist()
                judged = dict(zip(all_docs[a:b], judgments.grade[a:b].tolist(), strict=True))
            self.grades.append(np.array(sorted(judged.values(), reverse=True), dtype=float))
            docs: list[str] = []
            score = np.empty(0)
            if topic in of_run:
                a, b = run.offsets[of_run[topic] : of_run[topic] + 2].tolist()
                docs, score = run.docs(of_run[topic]), np.asarray(run.score[a:b])
            grade = np.array([judged.get(doc, np.nan) for doc in docs], dtype=float)
            place = np.unique(np.array(docs, dtype=object), return_inverse=True)[1]
            self._rows.append((place, score, grade, np.array([doc == topic for doc in docs], dtype=bool)))
        self._ranked: dict[tuple[str, ...], Ranked] = {}
        self._ratios: dict[tuple[str, ...], Ratios] = {}
        self._ideals: dict[tuple[str, ...], tuple[Floats, Bools]] = {}
        self._judged_gains: dict[tuple[str | None, ...], list[Floats]] = {}

    # -- facts about the files ---------------------------------------------------------------------------

    @cached_property
    def facts(self) -> dict[str, int]:
        """How many lines tie, are duplicates, have negative grades, and so on."""
        shown = [rows for rows in self._rows if len(rows[0])]
        return {
            "topics": int(self.in_qrels.sum()),
            "lines": sum(len(docs) for docs, *_ in shown),
            "tied": sum(len(s) - int((np.unique(s.astype(np.float32), return_counts=True)[1] == 1).sum()) for _, s, *_ in shown),
            "duplicates": sum(len(docs) - len(set(docs.tolist())) for docs, *_ in shown),
            "negatives": sum(int((grade < 0).sum()) for grade in self.grades),
            "fractions": sum(int((grade % 1 != 0).sum()) for grade in self.grades),
            "zeros": sum(int((grade <= 0).sum()) for grade in self.grades),
            "unjudged": sum(int(np.isnan(grade).sum()) for _, _, grade, _ in shown),
            "self": sum(int(own.sum()) for *_, own in shown),
            "missing": int((self.in_qrels & ~self.in_run).sum()),
            "unknown": int((self.in_run & ~self.in_qrels).sum()),
            "without": sum(int(not (grade >= self.rel).any()) for grade, known in zip(self.grades, self.in_qrels, strict=True) if known),
            "without hit": sum(int(not (grade >= self.rel).any()) for _, _, grade, _ in self._rows),
            "largest": int(max((grade[0] for grade in self.grades if len(grade)), default=0)),
            "deepest": max((len(docs) for docs, *_ in shown), default=0),
        }  # fmt: skip

    def options(self) -> dict[str, list[str]]:
        """Return the options of conventions, other than those of irmx, that can matter for these files."""
        f = self.facts
        matters = {
            "grades": f["fractions"],
            "ties": f["tied"], "duplicates": f["duplicates"], "negatives": f["negatives"],
            "unjudged": f["unjudged"], "self": f["self"], "topics": f["missing"] or f["unknown"] or f["without hit"],
            "no-relevant": f["without hit"] or f["unknown"],
        }  # fmt: skip
        out = {}
        for name, convention in CONVENTIONS.items():
            if self.kind not in convention.measures or not matters.get(name, True):
                continue
            options = list(convention.options)[1:]
            if name == "grades":
                options = ["cut"]
            elif name == "gain":
                options = ["linear", "exp2", "binary"] * (f["largest"] > 1 or f["fractions"] > 0) + ["judged"] * (
                    f["zeros"] > 0
                )
                options = [option for option in options if option != self.gain]
            elif name == "threshold":
                grades = sorted({grade for of_topic in self.grades for grade in of_topic.tolist() if grade > 0})[
                    :_MOST_GRADES
                ]
                options = [f"{grade:g}" for grade in grades if grade != self.rel] + ["judged"]
                options = [option for option in options if self.kind != "nDCG" or option not in ("1", "judged")]
            elif name == "cutoff":
                cutoffs = [
                    cutoff for cutoff in (5, 10, 20, 32, 100, 1000) if cutoff != self.cutoff and cutoff < f["deepest"]
                ]
                options = [str(cutoff) for cutoff in cutoffs] + ["none"] * (
                    self.cutoff is not None and self.cutoff < f["deepest"]
                )
                options = [option for option in options if option != "none" or self.kind != "P"]
            elif name == "divisor":
                usual = {"AP": ("min(R,k)", "found", "k"), "R": ("min(R,k)", "any"), "P": ("retrieved", "min(R,k)")}[
                    self.kind
                ]
                options = [option for option in usual if self.cutoff is not None or option in ("found", "any")]
            elif name == "ties" and self.kind in ("AP", "RR"):
                options.remove("averaged")
            if options:
                out[name] = options
        return out

    # -- values ------------------------------------------------------------------------------------------

    def values(self, changes: Changes) -> tuple[Floats, Floats]:
        """Return the value of every topic, NaN for those that are left out, and the weight of each in the mean.

        The mean is the sum of values times weights over the sum of weights.
        """
        top, below, has_relevant = self._ratios_of(changes)
        value = np.divide(top, below, out=np.zeros(len(top)), where=below > 0)
        no_relevant = self._option(changes, "no-relevant")
        value = np.where(has_relevant, value, 1.0 if no_relevant == "1" else 0.0)
        counted = {
            "qrels": self.in_qrels, "both": self.in_qrels & self.in_run, "run": self.in_run,
            "relevant": self.in_qrels & has_relevant, "hit": self.in_qrels & (top > 0),
        }[self._option(changes, "topics")]  # fmt: skip
        if no_relevant == "skipped":
            counted = counted & has_relevant
        if (decimals := self._option(changes, "rounding")) != "none":
            value = _rounded(value, decimals)
        weight = below if self._option(changes, "mean") == "micro" else np.ones(len(value))
        return np.where(counted, value, np.nan), np.where(counted, weight, 0.0)

    def mean(self, changes: Changes) -> float:
        """Return the mean; NaN over no topic."""
        value, weight = self.values(changes)
        total = weight.sum()
        return float(np.where(np.isnan(value), 0.0, value * weight).sum() / total) if total else float("nan")

    @staticmethod
    def _option(changes: Changes, name: str) -> str:
        return changes.get(name, CONVENTIONS[name].default)

    def _ratios_of(self, changes: Changes) -> Ratios:
        """Return numerators and denominators, which do not depend on how topics are put together."""
        later = ("topics", "no-relevant", "rounding", "mean")
        key = tuple(f"{name}={option}" for name, option in sorted(changes.items()) if name not in later)
        if key not in self._ratios:
            self._ratios[key] = self._gain_ratios(changes) if self.kind == "nDCG" else self._relevance_ratios(changes)
        return self._ratios[key]

    def _judged(self, changes: Changes) -> list[Floats]:
        """Return the grades of all judged documents, by topic."""
        return [np.trunc(grade) for grade in self.grades] if changes.get("grades") == "cut" else self.grades

    def _cutoff(self, changes: Changes) -> int | None:
        cutoff = changes.get("cutoff", "usual")
        return self.cutoff if cutoff == "usual" else None if cutoff == "none" else int(cutoff)

    def _threshold(self, changes: Changes) -> float:
        threshold = changes.get("threshold", "usual")
        return self.rel if threshold == "usual" else -np.inf if threshold == "judged" else float(threshold)

    def _gain_ratios(self, changes: Changes) -> Ratios:
        """Return DCG and the DCG of the ideal ranking."""
        ranked, k = self._ranked_by(changes), self._cutoff(changes)
        gain = self._averaged(self._gains(ranked.grade, changes), ranked, changes)
        discount = _discounts(gain.shape[1], changes.get("discount", "log2(i+1)"))
        ideal = changes.get("ideal", "cut")
        of_run = changes.get("judged") == "retrieved" or ideal not in ("cut", "uncut")
        names = (*_OF_IDEALS, *(name for name in _OF_RANKINGS if of_run and (name != "ties" or ideal == "top-k")))
        key = tuple(f"{name}={changes[name]}" for name in names if name in changes)
        if key not in self._ideals:
            self._ideals[key] = self._ideal(changes)
        return Ratios(gain[:, :k] @ discount[:k], *self._ideals[key])

    def _ideal(self, changes: Changes) -> tuple[Floats, Bools]:
        """Return the DCG of the ideal ranking of every topic, and whether something relevant is there to be found."""
        ranked, k = self._ranked_by(changes), self._cutoff(changes)
        ideal = changes.get("ideal", "cut")
        below, has_relevant = np.zeros(len(self.topics)), np.zeros(len(self.topics), dtype=bool)
        retrieved, gains = self._gains(ranked.grade, changes), self._gains_of_judged(changes)
        of_run = changes.get("judged", "all") == "retrieved"
        for i, size in enumerate(ranked.retrieved.tolist()):
            shown = retrieved[i, :size]
            judged = shown if of_run else gains[i]
            best = np.sort(shown[:k] if ideal == "top-k" else judged)[::-1]
            if ideal == "ones":
                best = np.ones(k if k is not None else size)
            if ideal == "min(k,retrieved)":
                best = best[:size]
            if ideal != "uncut":
                best = best[:k]
            below[i] = best @ _discounts(len(best), changes.get("discount", "log2(i+1)"))
            has_relevant[i] = below[i] != 0 if ideal == "top-k" else bool((judged > 0).any())
        return below, has_relevant

    def _gains_of_judged(self, changes: Changes) -> list[Floats]:
        """Return what all judged documents are worth, by topic."""
        key = tuple(changes.get(name) for name in ("grades", "gain", "threshold", "negatives"))
        if key not in self._judged_gains:
            self._judged_gains[key] = [self._gains(grade, changes) for grade in self._judged(changes)]
        return self._judged_gains[key]

    def _gains(self, grade: Floats, changes: Changes) -> Floats:
        """Return what grades are worth; unjudged documents nothing."""
        chosen = changes.get("threshold", "usual")
        gain = changes.get("gain", self.gain)
        if gain == "judged":
            return np.where(np.isnan(grade), 0.0, 1.0)
        grade = np.where(np.isnan(grade), 0.0, grade)
        if changes.get("negatives", "0") == "0":
            grade = np.maximum(grade, 0)
        if gain == "binary":
            return (grade >= (1.0 if chosen == "usual" else float(chosen))).astype(float)
        if chosen != "usual":
            grade = np.where((grade >= float(chosen)) | (grade < 0), grade, 0.0)
        return np.exp2(np.minimum(grade, _LARGEST)) - 1 if gain == "exp2" else grade

    def _relevance_ratios(self, changes: Changes) -> Ratios:
        """Return numerators and denominators of the measures of relevant documents."""
        ranked, k, threshold = self._ranked_by(changes), self._cutoff(changes), self._threshold(changes)
        is_relevant = self._averaged((ranked.grade >= threshold).astype(float), ranked, changes)
        if changes.get("judged", "all") == "retrieved":
            relevant = is_relevant.sum(axis=1)
        else:
            relevant = np.array([np.count_nonzero(grade >= threshold) for grade in self._judged(changes)], dtype=float)
        within = is_relevant[:, :k]
        depth = float(k) if k is not None else within.shape[1]
        found, at_most_k = within.sum(axis=1), np.minimum(relevant, depth)
        ones, divisor = np.ones(len(relevant)), changes.get("divisor", "usual")
        if self.kind == "RR":
            first = within.argmax(axis=1) + 1 if within.shape[1] else ones
            return Ratios((found > 0).astype(float), np.asarray(first, dtype=float), relevant > 0)
        if self.kind == "AP":
            precision = np.cumsum(within, axis=1) / np.arange(1, within.shape[1] + 1)
            top = (precision * within).sum(axis=1)
        else:
            top = (found > 0).astype(float) if divisor == "any" else found
        usual = depth * ones if self.kind == "P" else relevant
        below = {
            "usual": usual, "min(R,k)": at_most_k, "found": found, "k": depth * ones, "any": ones,
            "retrieved": np.minimum(ranked.retrieved, depth).astype(float),
        }[divisor]  # fmt: skip
        return Ratios(top, np.asarray(below), relevant > 0)

    # -- rankings ----------------------------------------------------------------------------------------

    def _averaged(self, gain: Floats, ranked: Ranked, changes: Changes) -> Floats:
        """Return gains, shared among the documents of one score if ties are averaged."""
        if changes.get("ties") != "averaged":
            return gain
        flat = (np.arange(len(gain))[:, None] * gain.shape[1] + ranked.group).ravel()
        sums, sizes = np.bincount(flat, gain.ravel()), np.bincount(flat)
        return np.asarray((sums / np.maximum(sizes, 1))[flat].reshape(gain.shape))

    def _ranked_by(self, changes: Changes) -> Ranked:
        """Return the run, its documents chosen and ordered as conventions say."""
        key = tuple(self._option(changes, name) for name in _OF_RANKINGS)
        if key not in self._ranked:
            self._ranked[key] = self._rank(*key)
        return self._ranked[key]

    def _rank(self, ties: str, duplicates: str, itself: str, unjudged: str, fractions: str) -> Ranked:
        lists = []
        for docs, score, grade, own in self._rows:
            if fractions == "cut":
                grade = np.trunc(grade)
            keep = np.ones(len(docs), dtype=bool)
            if itself == "dropped":
                keep &= ~own
            if unjudged == "removed":
                keep &= ~np.isnan(grade)
            if duplicates in ("last", "first"):
                keep &= _one_each(docs, duplicates)
            docs, score, grade = docs[keep], score[keep], grade[keep]
            order, score = _order(docs, score, grade, ties)
            docs, score, grade = docs[order], score[order], grade[order].copy()
            if duplicates == "once":
                grade[~_one_each(docs, "first")] = np.nan
            lists.append(
                (grade, np.cumsum(np.append(False, score[1:] != score[:-1])) if len(score) else np.empty(0, dtype=int))
            )
        depth = max((len(grade) for grade, _ in lists), default=0)
        grades, groups = np.full((len(lists), depth), np.nan), np.full((len(lists), depth), depth - 1 if depth else 0)
        for i, (grade, group) in enumerate(lists):
            grades[i, : len(grade)] = grade
            groups[i, : len(grade)] = group
        return Ranked(grades, groups.astype(np.int64), np.array([len(grade) for grade, _ in lists]))


def _rounded(value: Floats, decimals: str) -> Floats:
    """Return values rounded to decimals, half to even or, as Java does, half up."""
    places = int(decimals.removesuffix(HALF_UP))
    up = np.floor(value * 10**places + 0.5) / 10**places
    return np.asarray(up if decimals.endswith(HALF_UP) else value.round(places))


@lru_cache(256)
def _discounts(size: int, discount: str) -> Floats:
    """Return what gains at ranks are multiplied by."""
    rank = np.arange(1.0, size + 1)
    if discount == "1/i":
        return 1 / rank
    return np.asarray(1 / np.log2(rank + 1) if discount == "log2(i+1)" else 1 / np.log2(np.maximum(rank, 2)))


def _one_each(docs: Ints, which: str) -> Bools:
    """Return which rows to keep so that every document has one, its first or its last."""
    keep = np.zeros(len(docs), dtype=bool)
    rows = slice(None, None, -1 if which == "last" else 1)
    keep[rows][np.unique(docs[rows], return_index=True)[1]] = True
    return keep


def _order(docs: Ints, score: Floats, grade: Floats, ties: str) -> tuple[Ints, Floats]:
    """Return the order of documents, best first, and the scores by which they tie: those of trec_eval 9 are in single precision."""
    if ties.startswith("docid"):
        score = score if ties.endswith("-64") else score.astype(np.float32).astype(float)
        return np.lexsort((docs if ties == "docid-ascending" else -docs, -score)), score
    if ties in ("worst", "best"):
        worth = np.nan_to_num(grade)
        return np.lexsort((worth if ties == "worst" else -worth, -score)), score
    return np.argsort(-score, kind="stable"), score
