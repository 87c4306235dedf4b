"""Broken measures for ``test_broken_measures.py``: each has one thing wrong, in its values, its declarations or its methods."""

from __future__ import annotations

import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from irmx import COMMON_PARAMS, Citation, Column, Measure, Param, Rankings, TopicScores

REL = COMMON_PARAMS["rel"]


class Broken(Measure):
    """The base of all; without a flaw it is 1/2 for every topic."""

    SHORT_DESC = "One half."
    SUPPORTED_PARAMS: dict[str, Any] = {"rel": REL}

    def score(self, rankings: Rankings) -> Any:
        return np.full(len(rankings), 0.5)


def _scoring(name: str, score: Callable[[Any, Rankings], Any], said: str, **more: Any) -> tuple[Measure, str]:
    made: type[Measure] = type(Broken)(name, (Broken,), {"NAME": name, "score": score, "__module__": __name__, **more})
    return made(), said


def _of_topics(value: Any) -> Callable[[Any, Rankings], Any]:
    return lambda self, rankings: [value] * len(rankings)


def _raises(error: BaseException) -> Callable[..., Any]:
    def fails(self: Any, *rest: Any) -> Any:
        raise error

    return fails


def _recurses(self: Any, rankings: Rankings) -> Any:
    return _recurses(self, rankings)


class _Untellable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text either")


_NOT_REAL = "which is not a real number"
_PER_TOPIC = "one number per topic is expected"

VALUES = {
    "above its range": _scoring("ZSeven", _of_topics(7.0), r"has the value 7.0 for query q, outside its range \[0, 1\]"),
    "below its range": _scoring("ZBelow", _of_topics(-7.0), r"has the value -7.0 for query q, outside"),
    "beyond rounding": _scoring("ZOver", _of_topics(1 + 1e-8), r"has the value 1.00000001 for query q, outside"),
    "below an open range": _scoring("ZOpen", _of_topics(-1.0), r"range \[0, inf\]", RANGE=(0, None)),
    "a later topic": _scoring("ZLater", lambda s, r: np.arange(len(r)) * 3.0, "has the value 3.0 for query r"),
    "NaN": _scoring("ZNan", _of_topics(float("nan")), "has no finite value for query q"),
    "infinite": _scoring("ZInfinite", _of_topics(float("inf")), "has no finite value for query q", RANGE=(0, None)),
    "complex": _scoring("ZComplex", _of_topics(1j), _NOT_REAL),
    "complex array": _scoring("ZComplexArray", lambda s, r: np.full(len(r), 1 + 0j), _NOT_REAL),
    "texts": _scoring("ZTexts", _of_topics("0.5"), _NOT_REAL),
    "array of texts": _scoring("ZTextArray", lambda s, r: np.array(["0.5"] * len(r)), _NOT_REAL),
    "bytes": _scoring("ZBytes", lambda s, r: np.array([b"1"] * len(r)), _NOT_REAL),
    "dates": _scoring("ZDates", lambda s, r: np.zeros(len(r), "datetime64[s]"), _NOT_REAL),
    "None for topics": _scoring("ZNones", _of_topics(None), "returned None, which is not a real number"),
    "None": _scoring("ZNone", lambda s, r: None, f"returned None for 2 topics; {_PER_TOPIC}"),
    "a generator": _scoring("ZGenerator", lambda s, r: (0.5 for _ in range(len(r))), _PER_TOPIC),
    "a dict": _scoring("ZDict", lambda s, r: {str(t): 0.5 for t in r.topics}, _PER_TOPIC),
    "one number": _scoring("ZOne", lambda s, r: 0.5, _PER_TOPIC),
    "a missing topic": _scoring("ZFewer", lambda s, r: np.zeros(len(r) - 1), r"shape \(1,\) for 2 topics"),
    "a topic that was not asked": _scoring("ZMore", lambda s, r: np.zeros(len(r) + 1), r"shape \(3,\)"),
    "two dimensions": _scoring("ZTwoDimensions", lambda s, r: np.zeros((len(r), 1)), r"shape \(2, 1\)"),
    "uneven rows": _scoring("ZUneven", lambda s, r: [[0.5], [0.5, 0.5]], "which is no array"),
    "masked": _scoring("ZMasked", lambda s, r: np.ma.masked_all(len(r)), "masked array, in which numbers are missing"),
    "huge": _scoring("ZHuge", _of_topics(10**400), "too large for a 64-bit float", RANGE=(0, None)),
    "2^70": _scoring("ZLarge", _of_topics(2**70), "has the value 1180591620717411303424.0|has the value 1.18"),
    "fields": _scoring("ZFields", lambda s, r: TopicScores(np.zeros(len(r)), {"e": np.zeros(1)}), "as e for 2 topics"),  # type: ignore[arg-type]
    "fields of no dict": _scoring("ZFieldsList", lambda s, r: TopicScores(np.zeros(len(r)), [1]), "fields of type list"),  # type: ignore[arg-type]
    "covariance": _scoring("ZCovariance", lambda s, r: TopicScores(np.zeros(2), covariance=[[1.0]]), "as a covariance"),  # type: ignore[arg-type]
    "sys.exit": _scoring("ZExit", lambda s, r: sys.exit(0), "failed with SystemExit: 0"),
    "GeneratorExit": _scoring("ZGeneratorExit", _raises(GeneratorExit()), r"failed with GeneratorExit\b"),
    "another BaseException": _scoring("ZBase", _raises(BaseException("x")), "failed with BaseException: x"),
    "RecursionError": _scoring("ZRecursion", _recurses, "failed with RecursionError"),
    "an error without text": _scoring("ZUntellable", _raises(_Untellable()), "_Untellable, whose text raises RuntimeError"),
    "a warning as an error": _scoring("ZWarning", _raises(UserWarning("w")), "failed with UserWarning: w"),
    "undeclared parameter": _scoring("ZTypo", lambda s, r: s["rle"], "ZTypo has no parameter 'rle'. Did you mean rel"),
    "a text per topic": _scoring("ZTopicText", Measure.score, "must return a number for query q. Got '0.5'", score_topic=lambda s, r: "0.5"),
    "numpy's text per topic": _scoring("ZTopicStr", Measure.score, "must return a number for query q", score_topic=lambda s, r: np.str_("0.5")),
    "an exit in a topic": _scoring("ZTopicExit", Measure.score, "failed for query q with SystemExit", score_topic=_raises(SystemExit(0))),
    "aggregator": _scoring("ZAggregator", Broken.score, "ZAggregator failed with ZeroDivisionError", aggregator=_raises(ZeroDivisionError())),
    "NaN as a mean": _scoring("ZNanMean", Broken.score, "aggregator whose result is nan", aggregator=lambda s: _Mean(float("nan"))),
    "a complex mean": _scoring("ZComplexMean", Broken.score, "aggregator whose result is 1j", aggregator=lambda s: _Mean(1j)),
}  # fmt: skip
"""Measures that fail when they score, or when their mean is taken, with the message, by their flaw."""


class _Mean:
    def __init__(self, result: Any) -> None:
        self._result = result

    def add(self, value: float) -> None:
        """Take no notice."""

    def result(self) -> Any:
        return self._result


def _declaring(name: str, said: str, **declared: Any) -> tuple[Measure, str]:
    made: type[Measure] = type(Broken)(name, (Broken,), {"NAME": name, "__module__": __name__, **declared})
    return made(), said


def _param(**options: Any) -> dict[str, Any]:
    return {"SUPPORTED_PARAMS": {"k": Param(options.pop("dtype", float), "a number", **options)}}


DECLARATIONS = {
    "RANGE of a text": _declaring("ZRangeText", "RANGE = 'ab'; its smallest and its largest", RANGE="ab"),
    "RANGE of one number": _declaring("ZRangeOne", "RANGE = 1; its smallest", RANGE=1),
    "RANGE upside down": _declaring("ZRangeDown", r"RANGE = \(1, 0\)", RANGE=(1, 0)),
    "RANGE with NaN": _declaring("ZRangeNan", r"RANGE = \(0, nan\)", RANGE=(0, float("nan"))),
    "RANGE of complex numbers": _declaring("ZRangeComplex", r"RANGE = \(0, 1j\)", RANGE=(0, 1j)),
    "DEFAULT of a text": _declaring("ZDefaultText", "DEFAULT = '0'; .* a finite number", DEFAULT="0"),
    "DEFAULT of nothing": _declaring("ZDefaultNone", "DEFAULT = None", DEFAULT=None),
    "DEFAULT of NaN": _declaring("ZDefaultNan", "DEFAULT = nan", DEFAULT=float("nan")),
    "DEFAULT outside": _declaring("ZDefaultOutside", r"DEFAULT = 2, .* outside its RANGE \[0, 1\]", DEFAULT=2),
    "MONOTONE": _declaring("ZMonotone", "MONOTONE = 'no'; True or False", MONOTONE="no"),
    "DOCS_MAY_REPEAT": _declaring("ZRepeat", "DOCS_MAY_REPEAT = 1", DOCS_MAY_REPEAT=1),
    "PRETTY_NAME": _declaring("ZPretty", "PRETTY_NAME = None; a text", PRETTY_NAME=None),
    "EXAMPLES of a text": _declaring("ZExamples", "EXAMPLES = 'ZExamples'; a tuple", EXAMPLES="ZExamples"),
    "ALIASES": _declaring("ZAliases", "ALIASES = ", ALIASES=(1,)),
    "FORMULA": _declaring("ZFormula", "FORMULA = 'x', which is not an irmx.Formula", FORMULA="x"),
    "RUN_COLUMNS of a text": _declaring("ZColumns", "RUN_COLUMNS", RUN_COLUMNS="time"),
    "QREL_COLUMNS of a run": _declaring("ZQrels", "QREL_COLUMNS", QREL_COLUMNS=(Column("run", "t", "time"),)),
    "CITATIONS of None": _declaring("ZCited", "CITATIONS = None", CITATIONS=None),
    "CITATIONS that cannot be read": _declaring("ZBibtex", "cannot be cited", CITATIONS=("@article{",)),
    "a parameter of int": _declaring("ZParamInt", "parameter 'k' as int", SUPPORTED_PARAMS={"k": 1}),
    "a name with a space": _declaring("ZParamName", "named 'a b'", SUPPORTED_PARAMS={"a b": REL}),
    "a default outside": _declaring("ZParamDefault", r"'k' wrongly: its default must be a float in the range \[0, 1\]; it is 2.0", **_param(default=2.0, low=0, high=1)),
    "a default of a text": _declaring("ZParamText", "its default must be a float; it is 'x'", **_param(default="x")),
    "choices of texts": _declaring("ZChoices", "its choices must be of its type, int; one is 'a'", **_param(dtype=int, choices=("a",))),
    "low above high": _declaring("ZLowHigh", "no value is in its range", **_param(low=2, high=1)),
    "bounds of texts": _declaring("ZBoundText", "its bounds must be numbers", **_param(low="a")),
    "an unknown type": _declaring("ZType", "its type is set", **_param(dtype=set)),
    "a text that fails": _declaring("ZRepr", r"fails in __repr__\(\)", __repr__=_raises(ZeroDivisionError("x"))),
}  # fmt: skip
"""Measures that are refused when they are registered or used, with the message, by what they declare wrongly."""


class _With2(Broken):
    """The base of those that fail with one value of a parameter, and are sound when they are registered."""

    SUPPORTED_PARAMS: dict[str, Any] = {"rel": REL, "k": Param(int, "a number", default=1)}


def _with_2(name: str, said: str, method: str, sound: Any) -> tuple[Measure, str]:
    def fails(self: Any) -> Any:
        if self["k"] == 2:
            raise ZeroDivisionError("x")
        return sound(self) if callable(sound) else sound

    made: type[Measure] = type(_With2)(name, (_With2,), {"NAME": name, method: fails, "__module__": __name__})
    return made(), said


SETTINGS = {
    "run_columns": _with_2("ZColumnsOf2", r"ZColumnsOf2\(k=2\) failed with ZeroDivisionError: x", "run_columns", ()),
    "citations": _with_2("ZCitationsOf2", r"ZCitationsOf2\(k=2\) failed with ZeroDivisionError: x", "citations", ()),
    "repr": _with_2("ZTextOf2", r"The measure ZTextOf2 fails in __repr__\(\): it failed with Zero", "__repr__", "ZTextOf2"),
}  # fmt: skip
"""Measures that fail only with k=2, in what is asked before they score."""

METHODS = {
    "run_columns": _declaring("ZRunColumns", r"fails in run_columns\(\)|failed with ZeroDivisionError", run_columns=_raises(ZeroDivisionError("x"))),
    "qrel_columns": _declaring("ZQrelColumns", r"fails in qrel_columns\(\)|failed with SystemExit", qrel_columns=_raises(SystemExit(0))),
}  # fmt: skip
"""Measures whose methods fail that scoring calls first."""

TOO_LARGE = _scoring("ZTooLarge", _raises(MemoryError("74 GiB")), "")[0]
"""A measure that needs more memory than there is."""

SOUND = {
    "rounding above": _declaring("ZRounds", "", score=_of_topics(1 + 1e-12))[0],
    "rounding below": _declaring("ZRoundsDown", "", score=_of_topics(-1e-12))[0],
    "half precision": _declaring("ZHalf", "", score=lambda s, r: np.full(len(r), 0.5, dtype=np.float16))[0],
    "truth values": _declaring("ZTruth", "", score=_of_topics(True))[0],
    "fractions": _declaring("ZFractions", "", score=_of_topics(Fraction(1, 2)))[0],
    "decimals": _declaring("ZDecimals", "", score=_of_topics(Decimal("0.5")))[0],
    "whole numbers": _declaring("ZWhole", "", score=_of_topics(2**70), RANGE=(None, None))[0],
    "a mask without a missing number": _declaring("ZMask", "", score=lambda s, r: np.ma.array(np.zeros(len(r))))[0],
}
"""Measures that look odd, and are sound."""

CITED = Citation("Doe2026", "misc", {"author": "Jane Doe", "title": "A made-up measure", "year": "2026"})
