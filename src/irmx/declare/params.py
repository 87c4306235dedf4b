"""Declared parameters of measures and named objects: type, range, default, unit and description."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from ir_measures import ParamInfo
from ir_measures.measures import MeanAgg

from irmx.errors import UnknownNameError, UsageError
from irmx.registry import registry
from irmx.text import list_some, suggest, value_repr

# -- durations: seconds, or strings such as '30s', '5m', '1.5h', '1d', '2w' ------------------------------------------


SECONDS: dict[str, int] = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
"""The units of a duration, in seconds."""

FORM = "seconds, or a text such as '30s', '5m', '1.5h', '1d'"
_WRITTEN = re.compile(r"([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*([^\W0-9_]*)")


class duration:  # noqa: N801
    """The type of a parameter that is a duration; its canonical value is a string in the largest unit that is exact.

    Examples
    --------
    >>> from irmx import Param
    >>> from irmx.toolkit import duration
    >>> Param(duration, "time away").check(5400, "MA", "MSU")
    '1.5h'
    """


def seconds(value: Any) -> float:
    """Return a duration in seconds.

    Parameters
    ----------
    value : float or str
        Seconds, or a string of a number and a unit: s, m (minutes), h, d, w.

    Raises
    ------
    irmx.errors.UsageError
        If it is neither, or not finite.

    Examples
    --------
    >>> seconds("1.5h"), seconds(90)
    (5400.0, 90.0)
    >>> seconds("3 parsecs")
    Traceback (most recent call last):
    ...
    irmx.errors.UsageError: '3 parsecs' is not a duration: 'parsecs' is not a unit of time. Units are s, m, h, d, w.
    """
    total, why = _in_seconds(value)
    if math.isnan(total):
        raise UsageError(f"{value_repr(value)} is not a duration{f': {why}' if why else f'. A duration is {FORM}.'}")
    return total


def _in_seconds(value: Any) -> tuple[float, str]:
    """Return a duration in seconds; for what is none NaN, and the reason if it is more than the form."""
    if isinstance(value, str):
        written = _WRITTEN.fullmatch(value.strip())
        if written is None:
            return math.nan, ""
        unit = written.group(2) or "s"
        if unit not in SECONDS:
            return math.nan, f"{value_repr(unit)} is not a unit of time. Units are {', '.join(SECONDS)}."
        total = float(written.group(1)) * SECONDS[unit]
    elif isinstance(value, bool) or not isinstance(value, numbers.Real):
        return math.nan, ""
    else:
        try:
            total = float(value)
        except OverflowError:
            total = math.inf
    return (total, "") if math.isfinite(total) else (math.nan, f"it is not finite. A duration is {FORM}.")


def duration_text(value: Any) -> str:
    """Return a duration in the largest unit in which it has at most three decimals.

    >>> duration_text(10800), duration_text(90), duration_text("100s")
    ('3h', '1.5m', '100s')
    """
    total = seconds(value)
    for unit, size in sorted(SECONDS.items(), key=lambda u: -u[1]):
        shown = f"{total / size:.3f}".rstrip("0").rstrip(".")
        if abs(total) >= size and float(shown) * size == total:
            return shown + unit
    return (f"{int(total)}" if total.is_integer() else repr(total)) + "s"


# -- declared parameters of measures and named objects ---------------------------------------------------------------


class _Unset:
    """The value of a parameter that was not given and has no default."""

    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> bool:
        return False


UNSET = _Unset()

number = numbers.Real
"""The type of a parameter that may be an int or a float, such as a relevance threshold."""

LARGEST_INT = 2**53
"""Floats, with which measures compute, do not represent every whole number beyond it."""

LARGEST_GRADE = 2**31 - 1
"""The largest grade from which on documents can count as relevant; tools behind ir_measures compute with 32 bits."""

_TYPE_NAMES: dict[Any, str] = {int: "an int", float: "a float", number: "a number", bool: "True or False",
                               str: "a string", list: "a list of numbers", dict: "a dict from ints to numbers", duration: f"a duration ({FORM})", object: "any value",
                               datetime: "a number of seconds or a date such as 2014-03-01T12:00:00"}  # fmt: skip


class Param(ParamInfo):
    """A declared parameter; a subclass of ``ir_measures.ParamInfo``, so that the tools of ir_measures can list it.

    Parameters
    ----------
    dtype : type
        ``int``, ``float``, ``bool``, ``str``, ``list`` (of numbers), ``dict`` (from ints, such as grades, to numbers),
        :data:`number` (int or float) or :class:`duration` (seconds, or a string such as ``'1.5h'``).
    desc : str
        The meaning of the parameter, one sentence without a full stop.
    default : object, optional
        The value if the parameter is not given. Without a default, a parameter that is not given has no value.
    required : bool
        Whether the measure refuses to score without it.
    choices : sequence, optional
        The only values allowed.
    low, high : float, optional
        The closed range of a number (of every element of a list, of every value of a dict); of a duration in seconds.
    above, below : float, optional
        Open bounds, instead of ``low`` and ``high``.
    unit : str
        The unit, such as ``"s"`` or ``"ranks"``.
    kind : str
        For a parameter that is a named object: the :attr:`irmx.Symbol.KIND` it must have.
    nullable : bool
        Whether ``None`` is allowed; it always is if the default is ``None``.
    words : sequence of str
        Strings that are allowed in addition, such as ``("auto",)``.

    Examples
    --------
    >>> Param(int, "ranking cutoff", low=1).check(0, "cutoff", "MP")
    Traceback (most recent call last):
    ...
    irmx.errors.UsageError: The 'cutoff' parameter of MP must be an int in the range [1, inf). Got 0 instead.
    """

    def __init__(
        self,
        dtype: Any,
        desc: str,
        *,
        default: Any = UNSET,
        required: bool = False,
        choices: Sequence[Any] | None = None,
        low: float | None = None,
        high: float | None = None,
        above: float | None = None,
        below: float | None = None,
        unit: str = "",
        kind: str = "",
        nullable: bool = False,
        words: Sequence[str] = (),
    ) -> None:
        info: dict[str, Any] = {"dtype": dtype, "required": required, "desc": desc}
        if not isinstance(default, _Unset):
            info["default"] = default
        if choices is not None:
            info["choices"] = tuple(choices)
        super().__init__(**info)
        self.low, self.high, self.above, self.below = low, high, above, below
        self.unit, self.kind = unit, kind
        self.nullable = nullable or default is None
        self.words = tuple(words)
        self.allowed = tuple(choices) if choices is not None else None
        self.has_default = not isinstance(default, _Unset)

    def __repr__(self) -> str:
        return f"<Param: {self.expects()}>"

    def expects(self) -> str:
        """Return a description of the legal values that completes the sentence "It must be ..."."""
        if self.kind:
            return with_article(self.kind)
        if self.allowed is not None:
            several = "one of " if len(self.allowed) > 1 else ""
            return several + ", ".join(repr(c) for c in self.allowed) + (" or None" if self.nullable else "")
        text = _TYPE_NAMES[self.dtype]
        if self.dtype is duration:
            text += f", more than {self.above:g}s" if self.above is not None else ""
            text += f", at least {self.low:g}s" if self.low is not None else ""
            text += f", at most {self.high:g}s" if self.high is not None else ""
        elif any(bound is not None for bound in (self.low, self.high, self.above, self.below)):
            left = f"({self.above:g}" if self.above is not None else f"[{-math.inf if self.low is None else self.low:g}"
            right = (
                f"{_bound(self.high)}]"
                if self.high is not None
                else f"{math.inf if self.below is None else self.below:g})"
            )
            text += f" in the range {left}, {right}"
        text += "".join(f" or {word!r}" for word in self.words)
        return text + (" or None" if self.nullable else "")

    def check(self, value: Any, name: str, owner: str) -> Any:
        """Return the canonical form of a value, or raise :class:`irmx.errors.UsageError`."""
        if value is None and self.nullable:
            return None
        if self.kind:
            return self._check_symbol(value, name, owner)
        if isinstance(value, str) and value in self.words:
            return value
        if self.dtype is str and self.allowed and type(value) is int and (text := value_repr(value)) in self.allowed:
            return text
        canonical, hint = _duration(value) if self.dtype is duration else (_coerced(self.dtype, value), "")
        if canonical is not UNSET and self._in_range(canonical):
            return canonical
        hint = suggest(value, self.allowed) if self.allowed and isinstance(value, str) else hint
        if isinstance(canonical, int) and abs(canonical) > LARGEST_INT:
            hint = f" A whole number may be as large as {LARGEST_INT}."
        raise UsageError(
            f"The {name!r} parameter of {owner} must be {self.expects()}. Got {value_repr(value)} instead.{hint}"
        )

    def _in_range(self, value: Any) -> bool:
        if self.allowed is not None:
            return value in self.allowed
        if self.dtype is duration:
            value = seconds(value)
        for v in value if isinstance(value, list) else value.values() if isinstance(value, dict) else [value]:
            if not isinstance(v, (int, float)):
                continue
            if abs(v) > LARGEST_INT if isinstance(v, int) else not math.isfinite(v):
                return False
            if (self.low is not None and v < self.low) or (self.high is not None and v > self.high):
                return False
            if (self.above is not None and v <= self.above) or (self.below is not None and v >= self.below):
                return False
        return True

    def _check_symbol(self, value: Any, name: str, owner: str) -> Any:
        if getattr(value, "KIND", None) == self.kind and not isinstance(value, type):
            return value
        known = registry().symbols(self.kind)
        if isinstance(value, str):
            if value in known:
                return known[value]
            is_call = value.partition("(")[0] in known
            near = f" Write it without quotes: {name}={value}." if is_call else suggest(value, known)
            raise UnknownNameError(
                f"The {name!r} parameter of {owner} must be {self.expects()}. Got the unknown name {value_repr(value)}."
                f"{near} Known: {', '.join(known) or 'none'}."
            )
        raise UsageError(
            f"The {name!r} parameter of {owner} must be {self.expects()}: an object of that kind or one of the "
            f"names {', '.join(known) or '(none registered)'}. Got {value_repr(value)} instead."
        )


def problem_of_param(param: Param, name: str) -> str:
    """Return what is wrong with a declared parameter, as a sentence; empty if nothing is.

    >>> problem_of_param(Param(int, "ranking cutoff", low=5, high=1), "cutoff")
    'no value is in its range.'
    >>> problem_of_param(Param(float, "stop probability", default=2.0, low=0, high=1), "p")
    'its default must be a float in the range [0, 1]; it is 2.0.'
    """
    try:
        if param.kind == "" and param.dtype not in _TYPE_NAMES and not isinstance(param.dtype, type):
            return f"its type is {param.dtype!r}; a type such as int is expected."
        expected = param.expects()
    except KeyError:
        return f"its type is {getattr(param.dtype, '__name__', param.dtype)}; one of {_KNOWN_TYPES} is expected."
    except (TypeError, ValueError):
        return "its bounds must be numbers."
    for one in () if param.kind else param.allowed or ():
        if _coerced(param.dtype, one) is UNSET:
            return f"its choices must be of its type, {param.dtype.__name__}; one is {one!r}."
    low = max((b for b in (param.low, param.above) if b is not None), default=-math.inf)
    high = min((b for b in (param.high, param.below) if b is not None), default=math.inf)
    if low > high or (low == high and (low == param.above or high == param.below)):
        return "no value is in its range."
    if param.kind or not param.has_default or param.default is None:
        return ""
    try:
        param.check(param.default, name, "")
    except UnknownNameError:  # of something that is not registered yet
        return ""
    except UsageError:
        return f"its default must be {expected}; it is {param.default!r}."
    return ""


_KNOWN_TYPES = "int, float, irmx.number, bool, str, list, dict and irmx.toolkit.duration"


def has_default(param: ParamInfo) -> bool:
    """Tell whether a parameter has a default; one of ir_measures without it has a bare object there.

    >>> from ir_measures import nDCG
    >>> has_default(nDCG.SUPPORTED_PARAMS["dcg"]), has_default(nDCG.SUPPORTED_PARAMS["cutoff"])
    (True, False)
    """
    return param.has_default if isinstance(param, Param) else type(param.default) is not object


def _bound(number: float) -> str:
    """Return a bound as text; one that ``g`` would round is written out, so that every number in the range is taken.

    >>> _bound(10**9), _bound(2**53), _bound(0.5)
    ('1e+09', '9007199254740992', '0.5')
    """
    return f"{number:g}" if float(f"{number:g}") == number else str(number)


def with_article(kind: str) -> str:
    """Return a kind of named objects with its article.

    >>> with_article("Markov model"), with_article("examination model")
    ('a Markov model', 'an examination model')
    """
    return f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}"


def _duration(value: Any) -> tuple[Any, str]:
    """Return the text of a duration, or UNSET and, if known, the reason why the value is not one."""
    total, why = _in_seconds(value)
    return (UNSET, f" {why[:1].upper()}{why[1:]}" if why else "") if math.isnan(total) else (duration_text(total), "")


def _coerced(dtype: Any, value: Any) -> Any:
    """Return a value converted to the plain Python type that a parameter declares, UNSET if that is impossible."""
    if dtype is bool:
        return bool(value) if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool") else UNSET
    if isinstance(value, bool):
        return UNSET
    if dtype is int:
        return int(value) if isinstance(value, numbers.Integral) else UNSET
    if dtype is float:
        return _as_float(value) if isinstance(value, numbers.Real) else UNSET
    if dtype is number:
        if not isinstance(value, numbers.Real):
            return UNSET
        if isinstance(value, numbers.Integral):
            return int(value)
        as_float = _as_float(value)
        return int(as_float) if as_float is not UNSET and as_float.is_integer() else as_float
    if dtype is list:
        if isinstance(value, str) or not hasattr(value, "__iter__"):
            return UNSET
        items = [_coerced(number, v) for v in value]
        return UNSET if any(v is UNSET for v in items) else items
    if dtype is dict:
        if not isinstance(value, Mapping):
            return UNSET
        pairs = [(_coerced(int, k), _coerced(number, v)) for k, v in value.items()]
        return UNSET if any(x is UNSET for pair in pairs for x in pair) else dict(sorted(pairs))
    return value if isinstance(value, dtype) else UNSET


def _as_float(value: Any) -> Any:
    """Return a number as a float, UNSET if it is larger than any float."""
    try:
        return float(value)
    except OverflowError:
        return UNSET


def refuse_unknown(names: Iterable[str], declared: Mapping[str, Any], owner: str) -> None:
    """Raise :class:`irmx.errors.UnknownNameError` for a parameter that is not declared; the message suggests a name."""
    for name in names:
        if name not in declared:
            begins = next((f" Did you mean {known}?" for known in declared if name.startswith(known)), "")
            hint = suggest(name, declared) or begins or _of_a_symbol(name, declared)
            raise UnknownNameError(f"{owner} has no parameter {name!r}.{hint} It has: {', '.join(declared) or 'none'}.")


def _of_a_symbol(name: str, declared: Mapping[str, Any]) -> str:
    """Return which values of parameters have the parameter, such as a model of users."""
    taken = [
        f"{param}={symbol.NAME}({name}=...)"
        for param, of_kind in declared.items()
        for symbol in registry().symbols(getattr(of_kind, "kind", "")).values()
        if name in symbol.SUPPORTED_PARAMS
    ]
    return f" It is a parameter of {list_some(taken, 3)}." if taken else ""


def check_params(given: Mapping[str, Any], declared: Mapping[str, Param], owner: str) -> dict[str, Any]:
    """Return the given parameters in canonical form and in the declared order."""
    refuse_unknown(given, declared, owner)
    return {k: p.check(given[k], k, owner) for k, p in declared.items() if k in given and given[k] is not UNSET}


# -- the parameters that have the same meaning in every measure ------------------------------------------------------


class Parametrised(Protocol):
    """What has parameters with values, such as a measure."""

    @property
    def SUPPORTED_PARAMS(self) -> Mapping[str, Any]:  # noqa: N802
        """The declared parameters."""

    def __getitem__(self, name: str, /) -> Any:
        """Return the value of a parameter, or its default."""


REL = Param(number, "smallest relevance grade that counts as relevant", default=1, high=LARGEST_GRADE)
CUTOFF = Param(int, "number of documents from the top of the ranking that are scored", low=1, unit="ranks")
JUDGED_ONLY = Param(
    bool,
    "drop documents without a judgment, or with a negative grade, from the ranking first (condensed list)",
    default=False,
)
TIES = Param(
    str,
    "order of documents with equal scores: 'trec' compares scores in 32 bits and breaks ties by document id, "
    "descending, as trec_eval does; 'run' compares them in full and keeps the order of the run",
    default="trec",
    choices=("trec", "run"),
)
NO_RELEVANT = Param(
    str,
    "value of a topic without any relevant judged document: the measure's default, or NaN, which leaves it out of the mean",
    default="default",
    choices=("default", "nan"),
)

COMMON_PARAMS: dict[str, Param] = {
    "rel": REL,
    "cutoff": CUTOFF,
    "judged_only": JUDGED_ONLY,
    "ties": TIES,
    "no_relevant": NO_RELEVANT,
}
"""The parameters that have the same meaning in every measure that declares them; the host applies them.

A measure whose ``cutoff`` counts something other than documents declares its own parameter of that name, with its unit.
"""


def is_common(name: str, param: Any) -> bool:
    """Tell whether a declared parameter is a common one, possibly with another default; one with another unit is not.

    >>> is_common("cutoff", COMMON_PARAMS["cutoff"]), is_common("cutoff", Param(int, "how far to look", unit="blocks"))
    (True, False)
    """
    common = COMMON_PARAMS.get(name)
    return common is not None and getattr(param, "unit", "") in ("", common.unit)


def common_parameters(measure: Parametrised) -> dict[str, Any]:
    """Return the common parameters of a measure that the host applies, those that have a value."""
    names = ("rel", "cutoff", "judged_only", "ties")
    declared = measure.SUPPORTED_PARAMS
    values = {k: measure[k] for k in names if k in declared and is_common(k, declared[k])}
    return {k: v for k, v in values.items() if v is not None}


def common_value(measure: Parametrised, name: str) -> Any:
    """Return the value of a common parameter; None if the measure does not declare it."""
    return measure[name] if name in measure.SUPPORTED_PARAMS else None


class Mean(MeanAgg):
    """The mean, rounded once, so that no bit of it depends on the order of the topics."""

    def __init__(self, default: float = math.nan) -> None:
        super().__init__(default)
        self._values: list[float] = []

    def add(self, value: float) -> None:
        self._values.append(value)

    def result(self) -> float:
        return math.fsum(self._values) / len(self._values) if self._values else float(self.default)


class MeanOfDefined(Mean):
    """The mean over the topics that have a value."""

    def add(self, value: float) -> None:
        if value == value:
            super().add(value)
