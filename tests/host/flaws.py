"""Measures for the tests of the conformance kit: a sound one, and one with a single flaw for every check."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from ir_measures.measures import MeanAgg

from irmx import COMMON_PARAMS, Citation, Column, Measure, Param, Rankings, TopicScores, UsageError
from irmx.rank.rankings import Rankings as Ranked

CLICKS = Column("run", "clicks", "clicks on the result", how="count them")
LENGTH = Column("run", "length", "words of the document", "words", optional=True)
VERTICAL = Column("run", "vertical", "where it comes from", dtype="str", optional=True)


FLAWS: dict[str, type[Measure]] = {}
"""The measure with the flaw that a check finds, by the name of the check."""


class Sound(Measure):
    """Clicks on relevant documents, by rank; every second word of a long document is lost.

    sum over n in R of weight^n clicks_n / 16.
    """

    NAME = "ZSound"
    PRETTY_NAME = "Clicks on Relevant Documents"
    SHORT_DESC = "Clicks on relevant documents, by rank."
    SUPPORTED_PARAMS: dict[str, Any] = {
        "weight": Param(float, "what a rank leaves of the one before", required=True, above=0, high=0.5),
        "side": Param(str, "a choice without effect", default="left", choices=("left", "right")),
        **COMMON_PARAMS,
    }
    RUN_COLUMNS = (CLICKS, LENGTH)
    CITATIONS = (Citation("Doe2026", "misc", {"author": "Jane Doe", "title": "A made-up measure", "year": "2026"}),)

    def __init_subclass__(cls, flaw: str = "") -> None:
        if flaw:
            FLAWS[flaw] = cls
        cls.__doc__ = cls.__doc__ or "A measure with a flaw."
        cls.NAME = f"Z{cls.__name__}"
        cls.EXAMPLES = cls.__dict__.get("EXAMPLES", (f"{cls.NAME}(weight=0.5)",))

    def seen(self, rankings: Rankings) -> Rankings:
        """The rankings that are scored."""
        return rankings

    def terms(self, rankings: Rankings) -> Any:
        found = rankings.relevant
        terms = self["weight"] ** found.rank * found.column(CLICKS) / 16
        if found.has(LENGTH):
            terms = terms * np.where(found.column(LENGTH) > 30, 0.5, 1.0)
        return terms

    def score(self, rankings: Rankings) -> Any:
        rankings = self.seen(rankings)
        return rankings.relevant.sum(self.terms(rankings))

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        rankings = self.seen(rankings)
        return {"doc_id": rankings.relevant.doc_ids, "contribution": self.terms(rankings)}

    def preparation(self) -> Any:
        return "clicks"

    def prepare(self, rankings: Rankings) -> Any:
        return self.score(rankings)

    @classmethod
    def score_prepared(cls, prepared: Any, settings: Any) -> list[list[TopicScores]]:
        return [[TopicScores(of_run) for _ in settings] for of_run in prepared]


class Flawless(Sound):
    """Nothing is wrong with it."""


# -- one flaw each -------------------------------------------------------------------------------------------


class WithoutSentence(Sound, flaw="metadata"):  # it lacks its sentence
    SHORT_DESC = ""


class Uncited(Sound, flaw="citation"):  # it has nothing to cite
    CITATIONS = ()


class OddExample(Sound, flaw="examples"):  # its example is of another measure
    EXAMPLES = ("AP",)


class _Silent(Param):
    def check(self, value: Any, name: str, owner: str) -> Any:
        if not isinstance(value, float):
            raise UsageError("wrong value")
        return value


class OddMessage(Sound, flaw="parameters"):  # it refuses a value without saying of what
    SUPPORTED_PARAMS = {**Sound.SUPPORTED_PARAMS, "weight": _Silent(float, "weight", required=True)}


class TakesAll(Sound, flaw="unknown_parameter"):  # it takes parameters that it does not have
    def __init__(self, **params: Any) -> None:
        super().__init__(**{k: v for k, v in params.items() if k in self.SUPPORTED_PARAMS})


class Undemanding(Sound, flaw="required_parameters"):  # it does not say that a required parameter is missing
    def validate_params(self) -> None:
        pass


class ShowsDefaults(Sound, flaw="default_parameters"):  # its text has defaults that were given
    def __repr__(self) -> str:
        given = "".join(f",{k}={v!r}" for k, v in self.params.items() if k == "side")
        return f"{self.NAME}(weight={self['weight']}{given})" if given else super().__repr__()


class Rounds(Sound, flaw="expression"):  # its text rounds
    def __repr__(self) -> str:
        return super().__repr__().replace("0.25", "0.2")


class EqualToOthers(Sound, flaw="equality"):  # it equals itself with another value of no_relevant
    def __eq__(self, other: object) -> bool:
        return isinstance(other, EqualToOthers) and repr(self(no_relevant="nan")) == repr(other(no_relevant="nan"))

    def __hash__(self) -> int:
        return hash(self.NAME)


class BadCopy(Sound, flaw="copies"):  # its deep copy is another
    def __deepcopy__(self, memo: Any) -> Any:
        return type(self)(weight=0.5)


class AtHome(Sound, flaw="joblib"):  # it scores differently in another process
    HOME = os.getpid()

    def terms(self, rankings: Rankings) -> Any:
        return super().terms(rankings) * (1.0 if os.getpid() == self.HOME else 0.5)


class OfFiles(Sound, flaw="input_kinds"):  # it scores runs that come from files differently
    def terms(self, rankings: Rankings) -> Any:
        return super().terms(rankings) * (0.5 if rankings._join.run.source.path else 1.0)


class Greedy(Sound, flaw="inputs_unchanged"):  # it takes documents out of the run of the caller
    RUN_COLUMNS = ()

    def terms(self, rankings: Rankings) -> Any:
        for docs in getattr(rankings._join.run, "_dicts", []):
            docs.popitem()
        return self["weight"] ** rankings.relevant.rank


class ReadsMore(Sound, flaw="undeclared_columns"):  # it reads a column that it does not declare
    def terms(self, rankings: Rankings) -> Any:
        return super().terms(rankings) * (1.0 if not rankings.run_rows.has(VERTICAL) else 0.5)


class Nameless(Sound, flaw="missing_columns"):  # messages do not name it
    def __format__(self, spec: str) -> str:
        return "A measure"


class NeedsLength(Sound, flaw="optional_columns"):  # it cannot do without a column that it calls optional
    def terms(self, rankings: Rankings) -> Any:
        rankings.relevant.column(LENGTH)
        return super().terms(rankings)


def _backwards(rankings: Rankings, topic: int) -> tuple[bool, bool, bool]:
    """Whether the row of the second document of a topic stands before that of the first; whether these, any have one score."""
    rows = rankings.run_rows
    docs, ranked = rows.of_topic(topic).doc_ids, rankings.ranked.of_topic(topic).doc_ids
    if len(ranked) < 2:
        return False, False, False
    places = [docs.index(doc) for doc in ranked]
    scores = rows.score[rows.offsets[topic] : rows.offsets[topic + 1]][places]
    return places[1] < places[0], bool(scores[0] == scores[1]), len(set(scores.tolist())) < len(scores)


class ByRow(Sound, flaw="row_order"):  # where no scores are equal, it looks at the order of rows
    def terms(self, rankings: Rankings) -> Any:
        places = [_backwards(rankings, i) for i in range(len(rankings))]
        factor = np.array([0.5 if backwards and not any_tied else 1.0 for backwards, _, any_tied in places])
        return super().terms(rankings) * factor[rankings.relevant.topic]


class ByTiedRow(Sound, flaw="ties"):  # where scores are equal, it looks at the order of rows
    def terms(self, rankings: Rankings) -> Any:
        places = [_backwards(rankings, i) for i in range(len(rankings))]
        factor = np.array([0.5 if backwards and tied else 1.0 for backwards, tied, _ in places])
        return super().terms(rankings) * factor[rankings.relevant.topic]


class OverTopics(Sound, flaw="topics"):  # a topic's value depends on how many there are
    def terms(self, rankings: Rankings) -> Any:
        return super().terms(rankings) / len(rankings)


class ByName(Sound, flaw="ids"):  # it looks at what documents are called
    def terms(self, rankings: Rankings) -> Any:
        numbered = [doc_id.isdigit() or doc_id.endswith("3") for doc_id in rankings.relevant.doc_ids]
        return super().terms(rankings) * np.where(numbered, 0.5, 1.0)


class Remembers(Sound, flaw="repeat"):  # the second run of an evaluator scores less
    def score(self, rankings: Rankings) -> Any:
        times: list[int] = rankings.qrels_memo("times", list)
        times.append(1)
        return super().score(rankings) / min(len(times), 2)


class OddDefault(Sound, flaw="empty_run"):  # a topic that the run lacks gets a value out of range
    DEFAULT = 2.0


class Counts(Sound, flaw="empty_qrels"):  # it cannot take the mean of nothing
    def aggregator(self) -> Any:
        return _Mean()


class _Mean(MeanAgg):  # type: ignore[misc]
    def result(self) -> float:
        return float(self.sum / self.count)


class LooksAside(Sound, flaw="unknown_topics"):  # it looks at topics that the qrels lack
    def terms(self, rankings: Rankings) -> Any:
        return super().terms(rankings) / (2 if len(rankings._join.run.topics) > len(rankings) else 1)


class Divides(Sound, flaw="no_relevant"):  # it cannot score a topic without a relevant document
    def terms(self, rankings: Rankings) -> Any:
        rows = rankings.qrels_rows
        for topic in range(len(rankings)):
            if (
                self["rel"] == 1
                and self["no_relevant"] == "default"
                and not np.any(rows.grade[rows.topic == topic] > 0)
            ):
                raise ZeroDivisionError("no relevant document")
        return super().terms(rankings)


class Finds(Sound, flaw="nothing_found"):  # it cannot score a topic of which nothing judged is retrieved
    def terms(self, rankings: Rankings) -> Any:
        for topic in range(len(rankings)):
            if all(doc.startswith("unjudged ") for doc in rankings.run_rows.of_topic(topic).doc_ids):
                raise IndexError("nothing found")
        return super().terms(rankings)


class RanksRepeats(Sound, flaw="repeated_documents"):  # it says that documents may repeat, and ranks them
    DOCS_MAY_REPEAT = True


class TooLarge(Sound, flaw="range"):  # it leaves its range
    RANGE = (0.0, 0.001)


class Mean(Sound, flaw="monotone"):  # a mean over relevant documents can be lowered by another one
    def terms(self, rankings: Rankings) -> Any:
        return super().terms(rankings) / np.maximum(rankings.relevant.count, 1)[rankings.relevant.topic]


class HalfPrecision(Sound, flaw="floats"):  # it returns numbers in single precision
    def score(self, rankings: Rankings) -> Any:
        return super().score(rankings).astype(np.float32)


class Warns(Sound, flaw="warnings"):  # it divides by zero on the way
    def terms(self, rankings: Rankings) -> Any:
        np.log(np.zeros(1))
        return super().terms(rankings)


class Overexplains(Sound, flaw="explanation"):  # it explains twice its value
    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        parts = super().contributions(rankings)
        return {**parts, "contribution": parts["contribution"] * 2}


class PreparesOther(Sound, flaw="preparation"):  # a sweep gives other values
    def prepare(self, rankings: Rankings) -> Any:
        return self.score(rankings) / 2


class AnyGrade(Sound, flaw="rel"):  # it takes no notice of rel
    def seen(self, rankings: Rankings) -> Rankings:
        return Ranked(rankings._join, 1, rankings.cutoff, rankings.judged_only, rankings.ties)


class Uncut(Sound, flaw="cutoff"):  # it takes no notice of the cutoff
    def seen(self, rankings: Rankings) -> Rankings:
        return Ranked(rankings._join, rankings.rel, None, rankings.judged_only, rankings.ties)


class Uncondensed(Sound, flaw="judged_only"):  # it takes no notice of judged_only
    def seen(self, rankings: Rankings) -> Rankings:
        return Ranked(rankings._join, rankings.rel, rankings.cutoff, False, rankings.ties)


class OneOrder(Sound, flaw="run_order"):  # it takes no notice of ties='run'
    def seen(self, rankings: Rankings) -> Rankings:
        return Ranked(rankings._join, rankings.rel, rankings.cutoff, rankings.judged_only, "trec")


class MeanOfAll(Sound, flaw="no_relevant_nan"):  # its mean has topics without a relevant document, whatever is asked
    def aggregator(self) -> Any:
        return MeanAgg()


class OtherMean(Sound, flaw="ir_measures"):  # its own calc_aggregate gives something else
    def calc_aggregate(self, qrels: Any, run: Any) -> Any:
        return super().calc_aggregate(qrels, run) + 1.0
