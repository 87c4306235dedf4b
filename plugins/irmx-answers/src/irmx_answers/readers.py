"""Who reads: a language model that is given passages, and a person who reads an answer from its first word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from irmx import COMMON_PARAMS, Citation, Column, DataError, Formula, Measure, Param, Rankings, SampleValues
from irmx.ragged import Floats, Ints, offsets_of, segment_sum

# -- a language model that is given passages -------------------------------------------------------------------------


TRAPPOLINI = Citation(
    "Trappolini2025",
    "article",
    {
        "author": "Giovanni Trappolini and Florin Cuconasu and Simone Filice and Yoelle Maarek and Fabrizio Silvestri",
        "title": "Redefining Retrieval Evaluation in the Era of LLMs",
        "journal": "arXiv:2510.21440",
        "year": "2025",
    },
)
ABSTENTION = Column(
    "run",
    "abstention",
    "probability that the model abstains when it is given this passage alone",
    how="give the data of UDCG, or a table with this column",
    sample=SampleValues((0.1, 0.2, 0.9)),
)


class UtilityAndDistraction(Measure):
    """Utility and distraction-aware cumulative gain: relevant passages help a language model, and others that it would answer from distract it.

    A passage is worth how likely the model answers when it is given this passage alone; one that is not relevant is worth that times a
    negative weight. A passage without this probability adds nothing, unless ``unjudged='worst'``, and still counts among those given.

    References
    ----------
    Trappolini, G., Cuconasu, F., Filice, S., Maarek, Y., Silvestri, F.: Redefining Retrieval Evaluation in the Era of LLMs.
    arXiv:2510.21440, 2025.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> passages = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b", "c"], "score": [3, 2, 1], "abstention": [0.1, 0.2, 0.9]})
    >>> irmx.calc_aggregate("UDCG", {"q": {"a": 1}}, passages)  # x = (.9 - .8/3 - .1/3) / 3 = .2
    {UDCG: 0.549833...}
    """

    NAME = "UDCG"
    PRETTY_NAME = "Utility and distraction-aware cumulative gain"
    SHORT_DESC = "What passages are worth to a language model, those that distract it counted against them."
    FORMULA = Formula(
        r"\mathrm{UDCG} = \frac{1}{1 + \exp(-x)}, \qquad x = \frac{1}{k} \Bigl( \sum_{d \in R} (1 - p_d) + w \sum_{d \notin R} (1 - p_d) \Bigr)",
        {
            "x": "the mean worth of the passages",
            "k": "the number of passages given",
            "d": "a passage",
            "R": "the relevant passages",
            "p_d": "the probability that the model abstains when it is given this passage alone",
            "w": "the weight of passages that are not relevant",
        },
        source="Trappolini et al. (2025); without a passage the value is 0",
    )
    SUPPORTED_PARAMS = {
        "cutoff": COMMON_PARAMS["cutoff"],
        "weight": Param(
            float,
            "weight of passages that are not relevant; the authors' code has -0.333",
            default=-1 / 3,
            low=-1000,
            high=0,
        ),
        "rel": COMMON_PARAMS["rel"],
        "unjudged": Param(
            str,
            "what a passage without a probability is worth: nothing; or the worst, that of a certain answer if it is not relevant",
            default="nothing",
            choices=("nothing", "worst"),
        ),
    }
    RUN_COLUMNS = (ABSTENTION,)
    RANGE = (0.0, 1.0)
    CITATIONS = (TRAPPOLINI,)
    EXAMPLES = ("UDCG", "UDCG(weight=-0.333)@5")

    def score(self, rankings: Rankings) -> Floats:
        topic, worth, depth = self._worth(rankings)
        x = segment_sum(worth, topic, len(rankings))
        return np.where(depth > 0, 1 / (1 + np.exp(-x)), 0.0)

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        """Return the worth of each passage, and what the logistic function makes of their sum."""
        topic, worth, _ = self._worth(rankings)
        ranked = rankings.ranked
        value, x = self.score(rankings), segment_sum(worth, topic, len(rankings))
        return {
            "doc_id": [*ranked.doc_ids, *["(logistic function)"] * len(rankings)],
            "worth": np.append(worth, np.zeros(len(rankings))),
            "contribution": np.append(worth, value - x),
        }

    def _worth(self, rankings: Rankings) -> tuple[Ints, Floats, Floats]:
        """Return the topic and the worth of each passage, as a part of x, and the number of passages of each topic."""
        ranked = rankings.ranked
        p = ranked.column(ABSTENTION, missing_ok=True)
        for i in np.flatnonzero((p < 0) | (p > 1))[:1].tolist():
            raise DataError(f"The abstention {p[i]:g} is no probability.", place=ranked.place([int(ranked.row[i])]))
        weight = np.where(ranked.grade >= rankings.rel, 1.0, self["weight"])
        depth = np.diff(ranked.offsets).astype(float)
        unknown = (weight < 0) & (self["unjudged"] == "worst")
        answers = np.where(np.isnan(p), unknown.astype(float), 1 - p)
        return ranked.topic, answers * weight / depth[ranked.topic], depth


# -- a person who reads an answer from its first word ----------------------------------------------------------------


SAKAI = Citation(
    "Sakai2011",
    "inproceedings",
    {
        "author": "Tetsuya Sakai and Makoto P. Kato and Young-In Song",
        "title": "Click the Search Button and Be Happy: Evaluating Direct and Immediate Information Access",
        "booktitle": "Proceedings of the 20th ACM International Conference on Information and Knowledge Management",
        "year": "2011",
    },
)
LENGTH = Column(
    "run",
    "length",
    "length of the sentence",
    unit="words",
    how="give answers of TREC RAG, or a table with this column",
    sample=SampleValues(range(5, 31)),
)
NUGGET = Column(
    "qrels",
    "iteration",
    "nugget that the sentence has",
    dtype="str",
    how="give a table with a row per sentence and nugget",
)
NUGGET_WEIGHT = Column(
    "qrels",
    "nugget_importance",
    "importance of the nugget: 1 vital, 0.5 okay",
    optional=True,
    sample=SampleValues((1.0, 0.5), ("query_id", "iteration")),
)
NUGGET_LENGTH = Column(
    "qrels",
    "nugget_length",
    "length of the shortest text that says the nugget",
    unit="words",
    optional=True,
    sample=SampleValues(range(2, 8), ("query_id", "iteration")),
)


class Nuggets(NamedTuple):
    """The nuggets of all topics: topic, label, weight, words, and where each is first read: the words down to there, and the row of the run.

    The words are infinite for a nugget that the answer lacks.
    """

    topic: Ints
    label: tuple[Any, ...]
    weight: Floats
    words: Floats
    first: Floats
    row: Ints


class ReadFromTheStart(Measure):
    """Base of the measures of a reader who reads an answer from its first word, and gains from each nugget once."""

    RUN_COLUMNS = (LENGTH,)
    QREL_COLUMNS = (NUGGET, NUGGET_WEIGHT, NUGGET_LENGTH)
    CITATIONS = (SAKAI,)
    SUPPORTED_PARAMS = {
        "L": Param(
            float, "words after which a nugget is worth nothing", required=True, above=0, high=1e9, unit="words"
        ),
        "rel": COMMON_PARAMS["rel"],
    }

    def nuggets(self, rankings: Rankings) -> Nuggets:
        """Return the nuggets, and where each is first read."""
        return rankings.memo(("nuggets", self["rel"]), lambda: _nuggets(rankings))

    def gains(self, nuggets: Nuggets, words: Floats) -> Floats:
        """Return what nuggets are worth that are read after so many words."""
        return np.asarray(nuggets.weight * np.maximum(0.0, 1 - words / self["L"]))

    def utilities(self, rankings: Rankings) -> tuple[Floats, Floats]:
        """Return the gain of each nugget as a part of the S-measure of its topic, and this measure."""
        nuggets, topics = self.nuggets(rankings), len(rankings)
        gain = self.gains(nuggets, nuggets.first)
        best = np.lexsort((nuggets.words, -nuggets.weight, nuggets.topic))
        offsets = offsets_of(np.bincount(nuggets.topic, minlength=topics))
        read = np.cumsum(nuggets.words[best])
        read -= np.repeat(np.append(0.0, read)[offsets[:-1]], np.diff(offsets))
        whole = Nuggets(nuggets.topic[best], (), nuggets.weight[best], nuggets.words[best], read, best)
        ideal = segment_sum(self.gains(whole, read), nuggets.topic[best], topics)
        found = segment_sum(gain, nuggets.topic, topics)
        scale = np.divide(1.0, np.maximum(ideal, found), out=np.zeros(topics), where=np.maximum(ideal, found) > 0)
        return gain * scale[nuggets.topic], found * scale


def _nuggets(rankings: Rankings) -> Nuggets:
    rows, sentences = rankings.qrels_rows, rankings.run_rows
    number, labels = rows.labels(NUGGET, missing_ok=True)
    is_nugget = (number >= 0) & ((rows.grade >= rankings.rel) | rows.declares)
    kept = np.flatnonzero(is_nugget)
    keys, of_row = np.unique(rows.topic[kept] * max(len(labels), 1) + number[kept], return_inverse=True)
    topic, label = np.divmod(keys, max(len(labels), 1))
    topics = rankings.topics
    weight, words = (
        _of_nuggets(
            rows.column(column, missing_ok=True)[kept],
            of_row,
            nothing,
            column.name,
            lambda i: (labels[label[i]], topics[topic[i]]),
        )
        for column, nothing in ((NUGGET_WEIGHT, np.ones(len(keys))), (NUGGET_LENGTH, np.zeros(len(keys))))
    )
    length = sentences.column(LENGTH)
    for i in np.flatnonzero(length < 0)[:1].tolist():
        raise DataError(f"The length {length[i]:g} is below 0.", place=sentences.place([int(sentences.row[i])]))
    order = np.lexsort((sentences.rank, sentences.topic))
    down_to = np.empty(len(order))
    read = np.cumsum(length[order])
    down_to[order] = read - np.repeat(np.append(0.0, read)[sentences.offsets[:-1]], np.diff(sentences.offsets))
    nugget = np.full(len(rows), -1, dtype=np.int64)
    nugget[kept] = of_row
    at_run, at_qrels = rankings.matching_rows()
    says = nugget[at_qrels] >= 0
    at_run, which = at_run[says], nugget[at_qrels[says]]
    by_place = np.lexsort((down_to[at_run], which))
    first = by_place[np.diff(which[by_place], prepend=-1) != 0]
    where, row = np.full(len(keys), np.inf), np.full(len(keys), -1, dtype=np.int64)
    where[which[first]], row[which[first]] = down_to[at_run[first]], at_run[first]
    return Nuggets(topic, tuple(labels[i] for i in label.tolist()), weight, words, where, row)


def _of_nuggets(
    given: Floats, of_row: Ints, nothing: Floats, name: str, named: Callable[[int], tuple[Any, Any]]
) -> Floats:
    """Return what the rows of each nugget say of it; some may omit the value, but none may differ."""
    has = np.flatnonzero(~np.isnan(given))
    out: Floats = np.array(nothing, dtype=np.float64)
    out[of_row[has]] = given[has]
    for row in has[(out[of_row[has]] != given[has]) | (given[has] < 0)][:1].tolist():
        nugget, topic = named(int(of_row[row]))
        what = "is below 0" if given[row] < 0 else f"and {out[of_row[row]]:g} contradict each other"
        raise DataError(f"The {name} {given[row]:g} {what}, of the nugget {nugget!r} of query {topic}.")
    return out


_S = r"S = \frac{1}{N} \sum_{n} w_n \max\Bigl(0, 1 - \frac{o_n}{L}\Bigr)"
_SYMBOLS = {
    "n": "a nugget",
    "w_n": "its importance, 1 if it has none",
    "o_n": "the words of the answer down to the end of the first sentence that has it; infinite if none has",
    "L": "the words after which a nugget is worth nothing",
    "N": "the same sum for the shortest texts of the nuggets, the most important first; at least the sum itself, so that S is at most 1",
}


class SMeasure(ReadFromTheStart):
    """The S-measure: nuggets gain once, where a person first reads them, the sooner the more.

    A row of the run is a sentence with its words, in the order of the scores; a row of the qrels says that a sentence has a nugget. A
    row of the qrels without a document declares a nugget that no sentence has.

    References
    ----------
    Sakai, T., Kato, M. P., Song, Y.-I.: Click the Search Button and Be Happy: Evaluating Direct and Immediate Information Access.
    CIKM 2011.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> judged = pd.DataFrame({"query_id": "q", "doc_id": ["s1", "s3", "s3"], "iteration": ["n1", "n1", "n2"], "relevance": 1})
    >>> answer = pd.DataFrame({"query_id": "q", "doc_id": ["s1", "s2", "s3"], "score": [3, 2, 1], "length": [20, 30, 10]})
    >>> irmx.calc_aggregate("SMeasure(L=100)", judged, answer)  # (.8 + .4) / 2
    {SMeasure(L=100.0): 0.6...}
    """

    NAME = "SMeasure"
    PRETTY_NAME = "S-measure"
    SHORT_DESC = "What a person gains who reads an answer from its first word: each nugget once, the sooner the more."
    FORMULA = Formula(
        _S.replace("S =", r"\mathrm{SMeasure} =", 1), _SYMBOLS, source="Sakai, Kato and Song (2011), of whole sentences"
    )
    EXAMPLES = ("SMeasure(L=250.0)",)

    def score(self, rankings: Rankings) -> Floats:
        return self.utilities(rankings)[1]

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        """Return for each nugget the sentence that first says it, the words down to there, and what it gives."""
        nuggets, (gain, _) = self.nuggets(rankings), self.utilities(rankings)
        docs = rankings.run_rows.doc_ids
        order = np.lexsort((nuggets.topic, nuggets.first))
        return {
            "nugget": [str(nuggets.label[i]) for i in order.tolist()],
            "doc_id": [docs[nuggets.row[i]] if nuggets.row[i] >= 0 else "(not said)" for i in order.tolist()],
            "words": np.where(np.isinf(nuggets.first[order]), np.nan, nuggets.first[order]),
            "contribution": gain[order],
        }


class SSharp(ReadFromTheStart):
    """S#: the S-measure and the precision T of an answer, as an F measure.

    T is the share of an answer's words that the shortest texts of its nuggets need, so that an answer which goes on after its last nugget loses.

    References
    ----------
    Sakai, T., Kato, M. P., Song, Y.-I.: Click the Search Button and Be Happy: Evaluating Direct and Immediate Information Access.
    CIKM 2011.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> judged = pd.DataFrame({"query_id": "q", "doc_id": ["s1", "s2"], "iteration": ["n1", "n2"], "relevance": 1, "nugget_length": 5})
    >>> answer = pd.DataFrame({"query_id": "q", "doc_id": ["s1", "s2"], "score": [2, 1], "length": [10, 10]})
    >>> irmx.calc_aggregate("SMeasure(L=100) SSharp(L=100)", judged, answer)
    {SMeasure(L=100.0): 0.918918..., SSharp(L=100.0): 0.647619...}
    """

    NAME = "SSharp"
    PRETTY_NAME = "S#"
    SHORT_DESC = "The S-measure of an answer, and the share of its words that are needed, as an F measure."
    FORMULA = Formula(
        rf"\mathrm{{SSharp}} = \frac{{(1 + \beta^2)\, T S}}{{\beta^2 T + S}}, \quad {_S}, \quad T = \min\Bigl(1, \frac{{\sum_{{n \in A}} v_n}}{{X}}\Bigr)",
        {
            r"\beta": "the weight of S",
            "S": "the S-measure",
            "T": "the precision",
            **_SYMBOLS,
            "A": "the nuggets that the answer has",
            "v_n": "the words of the shortest text that says the nugget",
            "X": "the words of the answer",
        },
        source="Sakai, Kato and Song (2011), of whole sentences",
    )
    SUPPORTED_PARAMS = {
        **ReadFromTheStart.SUPPORTED_PARAMS,
        "beta": Param(float, "weight of S against T", default=1.0, low=0, high=1e6),
    }
    EXAMPLES = ("SSharp(L=250.0)", "SSharp(L=250.0,beta=10.0)")

    def score(self, rankings: Rankings) -> Floats:
        nuggets, topics, sentences = self.nuggets(rankings), len(rankings), rankings.run_rows
        needed = segment_sum(np.where(nuggets.row >= 0, nuggets.words, 0.0), nuggets.topic, topics)
        written = segment_sum(sentences.column(LENGTH), sentences.topic, topics)
        precision = np.minimum(1.0, np.divide(needed, written, out=np.zeros(topics), where=written > 0))
        utility, beta = self.utilities(rankings)[1], self["beta"] ** 2
        below = beta * precision + utility
        return np.asarray(np.divide((1 + beta) * precision * utility, below, out=np.zeros(topics), where=below > 0))

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        """Return for each nugget its share in the value, as in the S-measure."""
        nuggets, (gain, utility) = self.nuggets(rankings), self.utilities(rankings)
        docs = rankings.run_rows.doc_ids
        scale = np.divide(self.score(rankings), utility, out=np.zeros(len(utility)), where=utility > 0)
        return {
            "doc_id": [docs[row] if row >= 0 else "(not said)" for row in nuggets.row.tolist()],
            "nugget": list(map(str, nuggets.label)),
            "contribution": gain * scale[nuggets.topic],
        }


UDCG, S_MEASURE, S_SHARP = UtilityAndDistraction(), SMeasure(), SSharp()
