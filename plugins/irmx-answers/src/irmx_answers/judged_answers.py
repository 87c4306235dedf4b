"""What judges find in an answer: the nuggets that it has, and whether its citations support its sentences."""

from __future__ import annotations

from typing import Any

import numpy as np

from irmx import Citation, Column, DataError, Formula, Measure, Param, Rankings, Rows, SampleValues
from irmx.ragged import Bools, Floats, Ints, segment_sum

# -- nuggets ---------------------------------------------------------------------------------------------------------


PRADEEP = Citation(
    "Pradeep2025",
    "inproceedings",
    {
        "author": "Ronak Pradeep and Nandan Thakur and Shivani Upadhyay and Daniel Campos and Nick Craswell and Ian Soboroff and Hoa Trang Dang and Jimmy Lin",
        "title": "The Great Nugget Recall: Automating Fact Extraction and RAG Evaluation with Large Language Models",
        "booktitle": "Proceedings of the 48th International ACM SIGIR Conference on Research and Development in Information Retrieval",
        "year": "2025",
    },
)
THAKUR = Citation(
    "Thakur2025",
    "inproceedings",
    {
        "author": "Nandan Thakur and Ronak Pradeep and Shivani Upadhyay and Daniel Campos and Nick Craswell and Jimmy Lin",
        "title": "Support Evaluation for the TREC 2024 RAG Track: Comparing Human versus LLM Judges",
        "booktitle": "Proceedings of the 48th International ACM SIGIR Conference on Research and Development in Information Retrieval",
        "year": "2025",
    },
)

ASSIGNMENT = Column(
    "run",
    "assignment",
    "how far the answer has the nugget: 1 supported, 0.5 in part, 0 not",
    how="give a file of nuggetizer, or a table with a row per nugget of an answer",
    sample=SampleValues((1.0, 0.5, 0.0)),
)
NUGGET_IMPORTANCE = Column(
    "qrels",
    "nugget_importance",
    "importance of the nugget: 1 vital, 0.5 okay, 0 not known",
    how="give a file of nuggetizer, or a table with a row per nugget",
    sample=SampleValues((1.0, 0.5), ("query_id", "doc_id")),
)

OF = ("vital", "all", "weighted")


class NuggetRecall(Measure):
    """The share of a topic's nuggets that an answer has, as TREC RAG scores answers.

    A row of the run is a nugget with its assignment, a row of the qrels one with its importance. A nugget that the run lacks is not
    supported.

    References
    ----------
    Pradeep, R., Thakur, N., Upadhyay, S., Campos, D., Craswell, N., Soboroff, I., Dang, H. T., Lin, J.: The Great Nugget Recall.
    SIGIR 2025.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> nuggets = pd.DataFrame({"query_id": "q", "doc_id": ["n1", "n2", "n3"], "relevance": 1, "nugget_importance": [1, 1, 0.5]})
    >>> answer = pd.DataFrame({"query_id": "q", "doc_id": ["n1", "n3"], "score": [2, 1], "assignment": [0.5, 1]})
    >>> irmx.calc_aggregate("NuggetRecall NuggetRecall(of=all) NuggetRecall(of=weighted,strict=True)", nuggets, answer)
    {NuggetRecall: 0.25, NuggetRecall(of='all'): 0.5, NuggetRecall(of='weighted',strict=True): 0.2}
    """

    NAME = "NuggetRecall"
    PRETTY_NAME = "Nugget recall"
    SHORT_DESC = "The share of the topic's nuggets that an answer has."
    FORMULA = Formula(
        r"\mathrm{NuggetRecall} = \frac{\sum_{n} w_n\, a_n}{\sum_{n} w_n}",
        {
            "n": "a nugget of the topic",
            "w_n": "its weight: with of='vital' 1 if it is vital, else 0; with 'all' 1; with 'weighted' its importance",
            "a_n": "how far the answer has it: 1, 1/2 in part, 0; with strict=True 1 or 0",
        },
        source="Pradeep et al. (2025)",
    )
    SUPPORTED_PARAMS = {
        "of": Param(
            str,
            "the nuggets that count: only vital ones (V); all of them, each the same (A); or all of them, weighted by importance (W)",
            default="vital",
            choices=OF,
        ),
        "strict": Param(bool, "whether a nugget that is there in part counts 0 instead of 1/2", default=False),
    }
    RUN_COLUMNS = (ASSIGNMENT,)
    QREL_COLUMNS = (NUGGET_IMPORTANCE,)
    CITATIONS = (PRADEEP,)
    EXAMPLES = ("NuggetRecall", "NuggetRecall(of='weighted')", "NuggetRecall(of='all',strict=True)")

    def score(self, rankings: Rankings) -> Floats:
        topic, _, share, weights = self._shares(rankings)
        return _ratio(segment_sum(share, topic, len(rankings)), weights)

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        topic, row, share, weights = self._shares(rankings)
        docs = rankings.qrels_rows.doc_ids
        return {"doc_id": [docs[i] for i in row.tolist()], "contribution": _ratio(share, weights[topic])}

    def _shares(self, rankings: Rankings) -> tuple[Ints, Ints, Floats, Floats]:
        """Return the topic, the row of the qrels and the weighted assignment of each nugget of the run, and the weights of topics."""
        nuggets = rankings.qrels_rows
        importance = nuggets.column(NUGGET_IMPORTANCE)
        _refuse_outside(nuggets, importance, "nugget_importance")
        of = self["of"]
        weight = (
            (importance >= 1).astype(float)
            if of == "vital"
            else np.ones(len(importance))
            if of == "all"
            else importance
        )
        once = _once(nuggets, np.zeros(len(importance)), importance, "nugget has two importances")
        weight = weight * once
        at_run, at_qrels = _of_rows(rankings, once)
        every = rankings.run_rows.column(ASSIGNMENT)
        _refuse_outside(rankings.run_rows, every, "assignment")
        assigned = every[at_run]
        has = (assigned >= 1).astype(float) if self["strict"] else assigned
        return (
            nuggets.topic[at_qrels],
            at_qrels,
            weight[at_qrels] * has,
            segment_sum(weight, nuggets.topic, len(rankings)),
        )


def _refuse_outside(rows: Rows, values: Floats, name: str) -> None:
    """Raise for a value that is no part of 1."""
    for i in np.flatnonzero((values < 0) | (values > 1))[:1].tolist():
        raise DataError(
            f"The {name} must be in the range [0, 1]. Got {values[i]:g} instead.", place=rows.place([int(rows.row[i])])
        )


def _once(rows: Rows, number: Floats, values: Floats, contradiction: str) -> Bools:
    """Return which rows of a document are the first with their number, or have none; raise if a further one has another value."""
    order = np.lexsort((number, rows.doc))
    doc, number, value = rows.doc[order], number[order], values[order]
    again = (doc[1:] == doc[:-1]) & (number[1:] == number[:-1])
    for i in np.flatnonzero(again & (value[1:] != value[:-1]))[:1].tolist():
        one, other = sorted(order[i : i + 2].tolist())
        raise DataError(
            f"A {contradiction}: {rows.doc_ids[one]!r} has {values[one]:g} and {values[other]:g}. Keep the row that is right.",
            place=rows.place(rows.row[[one, other]].tolist()),
        )
    out = np.ones(len(order), dtype=bool)
    out[order[1:][again]] = False
    return out


def _of_rows(rankings: Rankings, chosen: Bools) -> tuple[Ints, Ints]:
    """Return the pairs of a row of the run and a chosen row of the qrels with the same document."""
    at_run, at_qrels = rankings.matching_rows()
    kept = chosen[at_qrels]
    return at_run[kept], at_qrels[kept]


def _ratio(above: Any, below: Any) -> Floats:
    """Return quotients, 0 where the divisor is 0."""
    above, below = np.broadcast_arrays(np.asarray(above, dtype=float), np.asarray(below, dtype=float))
    return np.asarray(np.divide(above, below, out=np.zeros(below.shape), where=below > 0))


# -- support by citations --------------------------------------------------------------------------------------------


CITED = Column(
    "run",
    "citations",
    "number of citations of the sentence",
    how="give answers of TREC RAG, or a table with a row per sentence",
    optional=True,
    sample=SampleValues((1, 1, 2, 0)),
)
SUPPORT = Column(
    "qrels",
    "support",
    "how far the citation supports the sentence: 1 in full, 0.5 in part, 0 not",
    how="give support judgments, or a table with a row per sentence and citation",
    sample=SampleValues((1.0, 0.5, 0.0)),
)
CITATION = Column(
    "qrels",
    "citation",
    "which citation of the sentence was judged, from 1",
    how="give support judgments, or a table with a row per sentence and citation",
    optional=True,
    sample=SampleValues((1, 2)),
)


class Support(Measure):
    """Base of the measures of support: sentences of answers, and judgments whether a citation supports them."""

    SUPPORTED_PARAMS = {
        "citations": Param(
            str,
            "which citations of a sentence count: the first, or the mean of all that are judged",
            default="first",
            choices=("first", "all"),
        ),
        "unjudged": Param(
            str,
            "what a sentence with citations of which none was judged is: left out, or not supported",
            default="left_out",
            choices=("left_out", "unsupported"),
        ),
        "strict": Param(bool, "whether support in part counts 0 instead of 1/2", default=False),
    }
    RUN_COLUMNS = (CITED,)
    QREL_COLUMNS = (SUPPORT, CITATION)
    MONOTONE = False  # a sentence that is judged joins the denominator
    CITATIONS = (THAKUR,)

    def score(self, rankings: Rankings) -> Floats:
        support, counts = self._of_sentences(rankings)
        topic = rankings.run_rows.topic
        return _ratio(
            segment_sum(np.nan_to_num(support), topic, len(rankings)),
            segment_sum(counts.astype(float), topic, len(rankings)),
        )

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        support, counts = self._of_sentences(rankings)
        rows, sentences = np.flatnonzero(counts), rankings.run_rows
        share = _ratio(
            np.nan_to_num(support[rows]),
            segment_sum(counts.astype(float), sentences.topic, len(rankings))[sentences.topic[rows]],
        )
        docs = sentences.doc_ids
        return {
            "doc_id": [docs[i] for i in rows.tolist()],
            "support": np.nan_to_num(support[rows]),
            "contribution": share,
        }

    def _of_sentences(self, rankings: Rankings) -> tuple[Floats, Any]:
        """Return the support of each sentence, NaN if none is judged, and whether it counts."""
        support = self._support(rankings)
        given = rankings.run_rows.column(CITED, missing_ok=True)
        for i in np.flatnonzero((given < 0) | (given % 1 > 0))[:1].tolist():
            place = rankings.run_rows.place([int(rankings.run_rows.row[i])])
            raise DataError(
                f"The citations must be a whole number of at least 0. Got {given[i]:g} instead.", place=place
            )
        is_cited = np.where(np.isnan(given), ~np.isnan(support), given > 0)
        is_judged = ~np.isnan(support) | (self["unjudged"] == "unsupported")
        return np.where(is_cited, support, np.nan), self.counts(is_cited, is_judged)

    def counts(self, is_cited: Any, is_judged: Any) -> Any:
        """Return which sentences are divided by."""
        raise NotImplementedError

    def _support(self, rankings: Rankings) -> Floats:
        """Return the support of each sentence by its first citation or by all, NaN if it is not judged."""
        judged = rankings.qrels_rows
        support, citation = judged.column(SUPPORT), judged.column(CITATION, missing_ok=True)
        _refuse_outside(judged, support, "support")
        once = _once(judged, citation, support, "citation of a sentence supports it in two ways")
        at_run, at_qrels = _of_rows(rankings, once)
        grade = support[at_qrels]
        if self["strict"]:
            grade = (grade >= 1).astype(float)
        count = len(rankings.run_rows)
        if self["citations"] == "all":
            number = np.bincount(at_run, minlength=count)
            return np.asarray(
                np.divide(segment_sum(grade, at_run, count), number, out=np.full(count, np.nan), where=number > 0)
            )
        place = citation[at_qrels]
        # one that is known to be a later citation does not stand in for a first one that the judge did not score
        kept = np.flatnonzero(~(place > 1))
        order = kept[np.lexsort((at_qrels[kept], place[kept], at_run[kept]))]
        first = order[np.diff(at_run[order], prepend=-1) != 0]
        out = np.full(count, np.nan)
        out[at_run[first]] = grade[first]
        return out


_SYMBOLS = {
    "s": "a sentence of the answer",
    "g_s": "its support: 1 full, 1/2 in part, 0 none; with citations='all' the mean over its judged citations; with strict=True 1 or 0",
}


class SupportPrecision(Support):
    """The mean support of the sentences that have a citation.

    A sentence whose first citation was not judged counts neither above nor below, unless ``unjudged='unsupported'``; with
    ``citations='all'``, one of which none was.

    References
    ----------
    Thakur, N., Pradeep, R., Upadhyay, S., Campos, D., Craswell, N., Lin, J.: Support Evaluation for the TREC 2024 RAG Track. SIGIR 2025.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> judged = pd.DataFrame({"query_id": "q", "doc_id": ["s1", "s2"], "relevance": 1, "support": [0.5, 1]})
    >>> answer = pd.DataFrame({"query_id": "q", "doc_id": ["s1", "s2", "s3"], "score": [3, 2, 1], "citations": [1, 1, 0]})
    >>> irmx.calc_aggregate("SupportPrecision SupportRecall", judged, answer)
    {SupportPrecision: 0.75, SupportRecall: 0.5}
    """

    NAME = "SupportPrecision"
    PRETTY_NAME = "Weighted precision of support"
    SHORT_DESC = "The mean support of the sentences of an answer that cite something."
    FORMULA = Formula(
        r"\mathrm{SupportPrecision} = \frac{1}{\lvert C \rvert} \sum_{s \in C} g_s",
        {
            "C": "the sentences with a citation that was judged; with unjudged='unsupported' all with a citation",
            **_SYMBOLS,
        },
        source="Thakur et al. (2025)",
    )
    EXAMPLES = (
        "SupportPrecision",
        "SupportPrecision(citations='all',strict=True)",
        "SupportPrecision(unjudged='unsupported')",
    )

    def counts(self, is_cited: Any, is_judged: Any) -> Any:
        return is_cited & is_judged


class SupportRecall(Support):
    """The mean support of all sentences; one without a citation is supported by nothing.

    A sentence whose first citation was not judged counts neither above nor below, unless ``unjudged='unsupported'``; with
    ``citations='all'``, one of which none was.

    References
    ----------
    Thakur, N., Pradeep, R., Upadhyay, S., Campos, D., Craswell, N., Lin, J.: Support Evaluation for the TREC 2024 RAG Track. SIGIR 2025.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> judged = pd.DataFrame({"query_id": "q", "doc_id": ["s1"], "relevance": 1, "support": [1.0]})
    >>> answer = pd.DataFrame({"query_id": "q", "doc_id": ["s1", "s2", "s3"], "score": [3, 2, 1], "citations": [1, 1, 0]})
    >>> irmx.calc_aggregate("SupportRecall", judged, answer)  # s2 was not judged
    {SupportRecall: 0.5}
    """

    NAME = "SupportRecall"
    PRETTY_NAME = "Weighted recall of support"
    SHORT_DESC = "The mean support of all sentences of an answer."
    FORMULA = Formula(
        r"\mathrm{SupportRecall} = \frac{1}{\lvert S \rvert} \sum_{s \in S} g_s",
        {
            "S": "all sentences but those with citations of which none was judged; with unjudged='unsupported' all",
            **_SYMBOLS,
        },
        source="Thakur et al. (2025)",
    )
    EXAMPLES = ("SupportRecall", "SupportRecall(strict=True)")

    def counts(self, is_cited: Any, is_judged: Any) -> Any:
        return ~is_cited | is_judged


NUGGET_RECALL, SUPPORT_PRECISION, SUPPORT_RECALL = NuggetRecall(), SupportPrecision(), SupportRecall()
