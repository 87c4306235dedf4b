"""Measures for the tests of the conformance kit: a sound one, and one with a single flaw for every check."""

import os
from typing import Any, ClassVar

import numpy as np
from ir_measures.measures import MeanAgg

from irmx import COMMON_PARAMS, Citation, Column, Measure, Param, Rankings, TopicScores, UsageError

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
    CITATIONS: ClassVar[tuple[Citation, ...]] = (
        Citation("Doe2026", "misc", {"author": "Jane Doe", "title": "A made-up measure", "year": "2026"}),
    )

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


def flawed(flaw: str, name: str, **members: Any) -> None:
    """Make a measure with a flaw, of members that take the place of those of ``Sound``."""
    namespace = {"__module__": __name__, "__qualname__": name, **members}
    globals()[name] = type(name, (Sound,), namespace, flaw=flaw)


def times(factor: Any) -> Any:
    """Return terms that a factor of the rankings changes."""
    return lambda self, rankings: Sound.terms(self, rankings) * factor(self, rankings)


def see(change: Any) -> Any:
    """Return what scores other rankings: those of these values of rel, cutoff, judged_only and ties."""
    return lambda self, r: Rankings(r._join, *change(r.rel, r.cutoff, r.judged_only, r.ties))


class Silent(Param):
    def check(self, value: Any, name: str, owner: str) -> Any:
        if not isinstance(value, float):
            raise UsageError("wrong value")
        return value


SILENT = {**Sound.SUPPORTED_PARAMS, "weight": Silent(float, "weight", required=True)}


class Uncited(Sound):
    CITATIONS = ()


def with_defaults(self: Any) -> str:
    given = "".join(f",{k}={v!r}" for k, v in self.params.items() if k == "side")
    return f"{self.NAME}(weight={self['weight']}{given})" if given else Sound.__repr__(self)


def takes_all(self: Any, **params: Any) -> None:
    Sound.__init__(self, **{k: v for k, v in params.items() if k in self.SUPPORTED_PARAMS})


def equal(self: Any, other: object) -> bool:
    return isinstance(other, type(self)) and repr(self(no_relevant="nan")) == repr(other(no_relevant="nan"))


def greedy(self: Any, rankings: Rankings) -> Any:
    for docs in getattr(rankings._join.run, "_dicts", []):
        docs.popitem()
    return self["weight"] ** rankings.relevant.rank


def needs_length(self: Any, rankings: Rankings) -> Any:
    rankings.relevant.column(LENGTH)
    return Sound.terms(self, rankings)


def backwards(rankings: Rankings, topic: int) -> tuple[bool, bool, bool]:
    """Whether the row of the second document of a topic stands before that of the first; whether these, any have one score."""
    rows = rankings.run_rows
    docs, ranked = rows.of_topic(topic).doc_ids, rankings.ranked.of_topic(topic).doc_ids
    if len(ranked) < 2:
        return False, False, False
    places = [docs.index(doc) for doc in ranked]
    scores = rows.score[rows.offsets[topic] : rows.offsets[topic + 1]][places]
    return places[1] < places[0], bool(scores[0] == scores[1]), len(set(scores.tolist())) < len(scores)


def by_row(self: Any, rankings: Rankings) -> Any:
    places = [backwards(rankings, i) for i in range(len(rankings))]
    return np.array([0.5 if back and not any_tied else 1.0 for back, _, any_tied in places])[rankings.relevant.topic]


def by_tied_row(self: Any, rankings: Rankings) -> Any:
    places = [backwards(rankings, i) for i in range(len(rankings))]
    return np.array([0.5 if back and tied else 1.0 for back, tied, _ in places])[rankings.relevant.topic]


def by_name(self: Any, rankings: Rankings) -> Any:
    return np.where([doc_id.isdigit() or doc_id.endswith("3") for doc_id in rankings.relevant.doc_ids], 0.5, 1.0)


def remembers(self: Any, rankings: Rankings) -> Any:
    seen: list[int] = rankings.qrels_memo("times", list)
    seen.append(1)
    return Sound.score(self, rankings) / min(len(seen), 2)


class NoMean(MeanAgg):
    def result(self) -> float:
        return float(self.sum / self.count)


def divides(self: Any, rankings: Rankings) -> Any:
    rows, plain = rankings.qrels_rows, self["rel"] == 1 and self["no_relevant"] == "default"
    if plain and not all(np.any(rows.grade[rows.topic == topic] > 0) for topic in range(len(rankings))):
        raise ZeroDivisionError("no relevant document")
    return Sound.terms(self, rankings)


def finds(self: Any, rankings: Rankings) -> Any:
    for topic in range(len(rankings)):
        if all(doc.startswith("unjudged ") for doc in rankings.run_rows.of_topic(topic).doc_ids):
            raise IndexError("nothing found")
    return Sound.terms(self, rankings)


def warns(self: Any, rankings: Rankings) -> Any:
    np.log(np.zeros(1))
    return Sound.terms(self, rankings)


def overexplains(self: Any, rankings: Rankings) -> dict[str, Any]:
    parts = Sound.contributions(self, rankings)
    return {**parts, "contribution": parts["contribution"] * 2}


flawed("metadata", "WithoutSentence", SHORT_DESC="")
FLAWS["citation"] = Uncited
flawed("examples", "OddExample", EXAMPLES=("AP",))
flawed("parameters", "OddMessage", SUPPORTED_PARAMS=SILENT)
flawed("unknown_parameter", "TakesAll", __init__=takes_all)
flawed("required_parameters", "Undemanding", validate_params=lambda self: None)
flawed("default_parameters", "ShowsDefaults", __repr__=with_defaults)
flawed("expression", "Rounds", __repr__=lambda self: Sound.__repr__(self).replace("0.25", "0.2"))
flawed("equality", "EqualToOthers", __eq__=equal, __hash__=lambda self: hash(self.NAME))
flawed("copies", "BadCopy", __deepcopy__=lambda self, memo: type(self)(weight=0.5))
flawed("joblib", "AtHome", terms=times(lambda self, r: 1.0 if os.getpid() == self.HOME else 0.5), HOME=os.getpid())
flawed("input_kinds", "OfFiles", terms=times(lambda self, r: 0.5 if r._join.run.source.path else 1.0))
flawed("inputs_unchanged", "Greedy", terms=greedy, RUN_COLUMNS=())
flawed("undeclared_columns", "ReadsMore", terms=times(lambda self, r: 0.5 if r.run_rows.has(VERTICAL) else 1.0))
flawed("missing_columns", "Nameless", __format__=lambda self, spec: "A measure")
flawed("optional_columns", "NeedsLength", terms=needs_length)
flawed("row_order", "ByRow", terms=times(by_row))
flawed("ties", "ByTiedRow", terms=times(by_tied_row))
flawed("topics", "OverTopics", terms=times(lambda self, r: 1 / len(r)))
flawed("ids", "ByName", terms=times(by_name))
flawed("repeat", "Remembers", score=remembers)
flawed("empty_run", "OddDefault", DEFAULT=2.0)
flawed("empty_qrels", "Counts", aggregator=lambda self: NoMean())  # type: ignore[no-untyped-call]
flawed("unknown_topics", "LooksAside", terms=times(lambda self, r: 0.5 if len(r._join.run.topics) > len(r) else 1))
flawed("no_relevant", "Divides", terms=divides)
flawed("nothing_found", "Finds", terms=finds)
flawed("repeated_documents", "RanksRepeats", DOCS_MAY_REPEAT=True)
flawed("range", "TooLarge", RANGE=(0.0, 0.001))
flawed("monotone", "Mean", terms=times(lambda self, r: 1 / np.maximum(r.relevant.count, 1)[r.relevant.topic]))
flawed("floats", "HalfPrecision", score=lambda self, r: Sound.score(self, r).astype(np.float32))
flawed("warnings", "Warns", terms=warns)
flawed("explanation", "Overexplains", contributions=overexplains)
flawed("preparation", "PreparesOther", prepare=lambda self, r: self.score(r) / 2)
flawed("rel", "AnyGrade", seen=see(lambda rel, cutoff, judged_only, ties: (1, cutoff, judged_only, ties)))
flawed("cutoff", "Uncut", seen=see(lambda rel, cutoff, judged_only, ties: (rel, None, judged_only, ties)))
flawed("judged_only", "Uncondensed", seen=see(lambda rel, cutoff, judged_only, ties: (rel, cutoff, False, ties)))
flawed("run_order", "OneOrder", seen=see(lambda rel, cutoff, judged_only, ties: (rel, cutoff, judged_only, "trec")))
flawed("no_relevant_nan", "MeanOfAll", aggregator=lambda self: MeanAgg())
flawed("ir_measures", "OtherMean", calc_aggregate=lambda self, qrels, run: Sound.calc_aggregate(self, qrels, run) + 1.0)
