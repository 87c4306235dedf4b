"""What tools do differently under the name of one measure: conventions, their options, and which tools follow them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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
