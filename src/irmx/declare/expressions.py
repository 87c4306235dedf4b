"""Measures from text, such as ``MP(model=GL_AD_ID)@100``; a superset of what ir_measures parses.

One expression may stand for several settings: ``MP(model=*)``, ``NCP(law=uniform|first)``, ``RBP(p=0.5:0.9:5)``.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Any

import ir_measures
import pytrec_eval

from irmx.declare.measures import Measure, refuse_broken
from irmx.declare.params import LARGEST_GRADE, LARGEST_INT, Param, refuse_unknown
from irmx.declare.written_values import LONGEST, Span, ValueParser, positions_outside_brackets, unbalanced
from irmx.errors import DataWarning, UnknownNameError, UsageError
from irmx.registry import registry
from irmx.text import list_some, suggest, value_repr

# -- measures by their names in trec_eval ----------------------------------------------------------------------------


_TREC_NAME = re.compile(r"(\w*?)([._]\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)?")
_NOT_A_MEASURE = "runid"


@cache
def trec_names() -> dict[str, str]:
    """Return the names of trec_eval's measures and of its groups of measures, by their lower-case forms."""
    names = (*pytrec_eval.supported_measures, *pytrec_eval.supported_nicknames)
    return {name.casefold(): name for name in sorted(names) if name != _NOT_A_MEASURE}


def is_trec_name(text: str) -> bool:
    """Tell whether trec_eval has a measure, or a group of measures, of this name.

    >>> is_trec_name("MAP_CUT_5"), is_trec_name("map5")
    (True, False)
    """
    return _parts(text) is not None


def trec_measures(text: str) -> list[ir_measures.Measure]:
    """Return the measures that a name of trec_eval stands for, as ``ir_measures.parse_trec_measure`` does.

    Examples
    --------
    >>> trec_measures("map"), trec_measures("NDCG_cut.5,10"), trec_measures("AP")
    ([AP], [nDCG@5, nDCG@10], [])
    """
    parts = _parts(text)
    if parts is None:
        return []
    name, numbers = parts
    if name in pytrec_eval.supported_nicknames:
        return _group(name)
    measures = _known(name)
    if not measures:
        raise UnknownNameError(f"trec_eval has a measure {name}, but ir_measures does not compute it.")
    if not numbers:
        return measures
    with_numbers = _known(name + numbers)
    if not with_numbers:
        listed = f" It stands for {' '.join(map(str, measures))}."
        if numbers[1:].isdecimal() and "cutoff" in measures[0].SUPPORTED_PARAMS:
            listed += f" Did you mean {measures[0]}@{numbers[1:]}?"
        raise UsageError(f"trec_eval's measure {name} does not take {numbers[1:]} as its parameter.{listed}")
    return with_numbers


def _parts(text: str) -> tuple[str, str] | None:
    """Return the name as trec_eval writes it, and the numbers after it with their separator."""
    matched = _TREC_NAME.fullmatch(text)
    if matched is None or matched[1].casefold() not in trec_names():
        return None
    name, numbers = trec_names()[matched[1].casefold()], matched[2] or ""
    return None if numbers and name in pytrec_eval.supported_nicknames else (name, numbers)


def _known(name: str) -> list[ir_measures.Measure]:
    """Return the measures of ir_measures for a name of trec_eval, none if it does not know the name."""
    try:
        measures: list[ir_measures.Measure] = ir_measures.util.parse_trec_measure(name)
    except ValueError:
        return []
    return measures


def _group(name: str) -> list[ir_measures.Measure]:
    members = [member for member in sorted(pytrec_eval.supported_nicknames[name]) if member != _NOT_A_MEASURE]
    by_member = {member: _known(member) for member in members}
    lacking = [member for member, measures in by_member.items() if not measures]
    if lacking:
        warnings.warn(
            f"trec_eval's group {name} is computed without {', '.join(lacking)}, which ir_measures does not have",
            DataWarning,
            stacklevel=2,
        )
    return [measure for measures in by_member.values() for measure in measures]


# -- measures from text ----------------------------------------------------------------------------------------------


_FORM = "A measure is written Name, Name@cutoff or Name(parameter=value, ...)@cutoff"
_EXPRESSION = re.compile(r"([^\W\d]\w*)\s*(?:\((.*)\)\s*)?(?:@(.*))?", re.DOTALL)


def parse_measure(text: str | ir_measures.Measure) -> ir_measures.Measure:
    """Return the measure that a text stands for.

    Values may be signed numbers, quoted strings, ``True``, ``False``, ``None``, lists, dicts, and the
    named objects of plugins, with parameters if they have any. A value after ``@`` takes precedence over the
    same parameter in parentheses, as in ir_measures. A name of trec_eval, such as ``map`` or ``ndcg_cut_10``, in upper or
    lower case, is understood if no measure of a plugin or of ir_measures has that name, and so are the spellings of other
    tools, such as ``ndcg@10``, ``mrr@10``, ``recall@100`` and ``hit_rate@10``.

    Parameters
    ----------
    text : str or ir_measures.Measure
        The text; a measure is returned unchanged.

    Returns
    -------
    ir_measures.Measure
        A measure of a plugin or of ir_measures; its ``str`` parses back to an equal measure.

    Raises
    ------
    irmx.errors.UsageError
        If the text is not a measure; a ``ValueError``, and for an unknown name a ``NameError`` too.
        The message shows the place, what is allowed and the closest name. Also if it stands for several measures, as those
        of :func:`parse_measures` may.

    Examples
    --------
    >>> import irmx
    >>> irmx.parse_measure("NCP(law=geometric(p=0.3), rel=2)@100")
    NCP(law=geometric(p=0.3),rel=2)@100
    >>> irmx.parse_measure("nDCG@10")
    nDCG@10
    >>> irmx.parse_measure("recip_rank")
    RR
    """
    if isinstance(text, ir_measures.Measure):
        refuse_unknown(text.params, text.SUPPORTED_PARAMS, str(text.NAME))  # which ir_measures fails to print
        if isinstance(text, Measure):
            refuse_broken(text)
        else:  # those of plugins have checked their parameters
            reparsable_params(text, text.params)
        return text
    if not isinstance(text, str):
        raise UsageError(f"A measure is a string or a Measure. Got {value_repr(text)} instead.")
    measures = measures_named(text.strip())
    if len(measures) != 1:
        listed = list_some(map(str, measures))
        raise UsageError(f"{text} stands for {len(measures)} measures ({listed}), where one is expected.")
    return measures[0]


def parse_measures(text: str) -> list[ir_measures.Measure]:
    """Return the measures in a text, separated by white space.

    An expression may stand for several settings of a measure, one for each value of a parameter: values separated by ``|``;
    for a number or a duration also ``low:high:number``, which are that many equally spaced values, or a multiple of another
    parameter, such as ``0.5*MD``, as in :class:`irmx.Grid`; and ``*`` for every value that the parameter can take: its
    choices, both truth values, or all registered named objects that need no parameters of their own. Left out are values with
    which a plugin's measure reads columns that it does not read with others, such as ``by_document`` of ``NCP(law=*)``. Several
    such parameters give all combinations; the last changes fastest. A named object can have them, too.

    Raises
    ------
    irmx.errors.UsageError
        As :func:`parse_measure`; and for ``*`` if the possible values cannot be listed.

    Examples
    --------
    >>> import irmx
    >>> irmx.toolkit.parse_measures("AP nDCG@10  RBP(p=0.8, rel=1) P_5,10")
    [AP, nDCG@10, RBP(rel=1), P@5, P@10]
    >>> irmx.toolkit.parse_measures("NCP(law=first|geometric(p=0.2:0.4:2))@10 P@5|20")
    [NCP(law=first)@10, NCP(law=geometric(p=0.2))@10, NCP(law=geometric(p=0.4))@10, P@5, P@20]
    >>> irmx.toolkit.parse_measures("nDCG(dcg=*)")
    [nDCG, nDCG(dcg='exp-log2')]
    """
    return [measure for part in split_measures(text) for measure in measures_named(part)]


def parse_value(text: str, declared: Any, name: str) -> Any:
    """Return the parameter value that a text stands for, as inside the parentheses of an expression.

    ``declared`` is a measure, or any object with a ``NAME`` and ``SUPPORTED_PARAMS``.

    >>> import irmx
    >>> parse_value("geometric(p=0.3)", irmx.NCP, "law"), parse_value(".5", irmx.NCP, "rel")
    (geometric(p=0.3), 0.5)
    """
    values = ValueParser(declared).of(name, Span(text, 0, len(text)).stripped())
    if len(values) != 1:
        raise UsageError(f"{text} stands for {len(values)} values of {name!r}, where one is expected.")
    return values[0]


def measures_named(text: str, complete: bool = True) -> list[ir_measures.Measure]:
    """Return the measures that one expression, or a name of trec_eval, stands for.

    With ``complete=False``, required parameters may be missing.

    >>> measures_named("ndcg_cut.5,10"), measures_named("AP")
    ([nDCG@5, nDCG@10], [AP])
    """
    if is_trec_name(text) and text not in measure_names():
        return [ir_measures_measure(type(measure)(), dict(measure.params)) for measure in trec_measures(text)]
    if len(text) > LONGEST:
        raise UsageError(f"A measure of {len(text)} characters is too long (at most {LONGEST}).")
    whole = Span(text, 0, len(text)).stripped()
    if not whole.text:
        raise UsageError(f"A measure is missing: the text is empty. {_FORM}.")
    try:
        return _settings(whole, complete)
    except RecursionError:
        raise whole.part(0, 1).error(f"This is not a measure (too deeply nested). {_FORM}.") from None


def _settings(whole: Span, complete: bool) -> list[ir_measures.Measure]:
    """Return the measures of one expression: one, or several settings of it."""
    if (place := unbalanced(whole.text)) >= 0:
        closed = "is never closed" if whole.text[place] in "([{" else "was never opened"
        raise whole.part(place, place + 1).error(f"This is not a measure ({whole.text[place]!r} {closed}). {_FORM}.")
    call = _EXPRESSION.fullmatch(whole.text)
    if call is None:
        raise whole.error(f"Expected the name of a measure here; this is not a measure. {_FORM}.")
    name, word = call[1], whole.part(0, len(call[1]))
    base = registry().measure(name) or ir_measures.measures.registry.get(name) or _spelled(name)
    if base is None:
        if is_trec_name(name):
            same = " ".join(map(str, trec_measures(name)))
            raise word.error(
                f"{name} is a name of trec_eval, which takes no parameters and no @. It stands for {same}."
            )
        problem = f"There is no measure {name}.{_meant(name)} 'irmx measures' lists all of them."
        raise word.error(problem, UnknownNameError)
    values = ValueParser(base, None if isinstance(base, Measure) else _declared(base))
    given = values.of_arguments(whole.part(*call.span(2))) if call[2] else {}
    if call[3] is not None:  # as in Python, nDCG(cutoff=20)@10 is nDCG@10
        at = whole.part(*call.span(3)).stripped()
        if any(positions_outside_brackets(at.text, "@")):
            raise at.error(f"The cutoff is given twice. {_FORM}.")
        if not at.text:
            raise whole.part(call.start(3) - 1, call.start(3)).error(f"The cutoff is missing. {_FORM}.")
        given[base.AT_PARAM] = values.of(base.AT_PARAM, at)
    settings = values.combined(given)
    measures: list[ir_measures.Measure] = []
    try:
        for setting in settings:
            if isinstance(base, Measure):
                measures.append(base(**setting))
                if complete:
                    measures[-1].validate_params()
            else:
                measures.append(ir_measures_measure(base, setting))
    except UsageError as error:
        raise word.error(str(error), type(error)) from None
    return measures


def _declared(base: ir_measures.Measure) -> Mapping[str, Any]:
    """Return the parameters of a measure of ir_measures; a plugin's scorer of it knows more of some."""
    scorer = registry().scorer(str(base.NAME))
    return base.SUPPORTED_PARAMS if scorer is None else {**base.SUPPORTED_PARAMS, **scorer.SUPPORTED_PARAMS}


def split_measures(text: str) -> list[str]:
    """Split a text at the white space outside parentheses and quotes.

    >>> split_measures('AP RBP(p=0.8, rel=1) nDCG @ 10 | 20')
    ['AP', 'RBP(p=0.8, rel=1)', 'nDCG@10|20']
    """
    places = [place for place, _ in positions_outside_brackets(text, " \t\n\r\f\v")]
    parts: list[str] = []
    for before, place in pairwise([-1, *places, len(text)]):
        word = text[before + 1 : place]
        if parts and word and (parts[-1][-1] in "@|" or word.lstrip()[:1] in ("@", "|")):
            parts[-1] += word
        elif word:
            parts.append(word)
    return parts


def measure_names() -> dict[str, ir_measures.Measure]:
    """Return every measure by name: those of ir_measures and those of plugins."""
    return {**ir_measures.measures.registry, **registry().measures(aliases=True)}


def names_a_measure(text: str) -> bool:
    """Tell whether a text begins with the name of a measure, or is a name of trec_eval."""
    return _has_its_name(text) or _spelled(_first_word(text)) is not None


def _first_word(text: str) -> str:
    return text.partition("(")[0].partition("@")[0].strip()


def _has_its_name(text: str) -> bool:
    """Tell whether a text names a measure as irmx, ir_measures or trec_eval write it."""
    return _first_word(text) in measure_names() or is_trec_name(text)


_SPELLINGS = {
    "averageprecision": "AP", "avgprecision": "AP", "hit": "Success", "hitrate": "Success", "hr": "Success", "map": "AP", "mrr": "RR", "p": "P",
    "precision": "P", "r": "R", "recall": "R", "reciprank": "RR", "reciprocalrank": "RR", "rprecision": "Rprec",
}  # fmt: skip
"""Names of measures in other tools and among people, without regard to case and underscores."""


def _spelled(name: str) -> ir_measures.Measure | None:
    """Return the measure that people mean by a name: another spelling, or another case of the name of one measure alone.

    >>> _spelled("ndcg"), _spelled("hit_rate"), _spelled("MRR"), _spelled("unheard_of")
    (nDCG, Success, RR, None)
    """
    plain = name.replace("_", "").casefold()
    known = measure_names()
    if plain in _SPELLINGS:
        return known.get(_SPELLINGS[plain])
    same = {str(measure.NAME): measure for one, measure in known.items() if one.casefold() == name.casefold()}
    return next(iter(same.values())) if len(same) == 1 else None


def _meant(name: str) -> str:
    """Return a sentence that suggests what a name that is none may mean, or an empty string.

    >>> _meant("nDCG10"), _meant("TIA_Precision"), _meant("nDGC")
    (' Did you mean nDCG@10?', ' Did you mean TIA_P?', ' Did you mean nDCG?')
    """
    known = measure_names()
    with_cutoff, (family, _, rest) = re.fullmatch(r"(\D+?)_?(\d+)", name), name.partition("_")
    base = (known.get(with_cutoff[1]) or _spelled(with_cutoff[1])) if with_cutoff else None
    if with_cutoff and base is not None and "cutoff" in base.SUPPORTED_PARAMS:
        return f" Did you mean {base.NAME}@{with_cutoff[2]}?"
    if rest and (base := known.get(rest) or _spelled(rest)) is not None and f"{family}_{base.NAME}" in known:
        return f" Did you mean {family}_{base.NAME}?"
    return suggest(name, known) or suggest(name, trec_names().values())


class _Whole(float):
    """A whole number given for a float parameter of ir_measures; the measure's name shows it as written."""

    def __repr__(self) -> str:
        return repr(int(self))


def with_plain_numbers(measure: ir_measures.Measure) -> ir_measures.Measure:
    """Return a measure with its floats written as floats, and its ints as ints.

    >>> [one] = measures_named("IPrec@1")
    >>> one, with_plain_numbers(one)
    (IPrec@1, IPrec@1.0)
    >>> [one] = measures_named("RBP(rel=2.0)")
    >>> one, with_plain_numbers(one)
    (RBP(rel=2.0), RBP(rel=2))
    """
    whole: dict[str, float | int] = {}
    for name, value in measure.params.items():
        if isinstance(value, _Whole):
            whole[name] = float(value)
        elif isinstance(value, float) and value.is_integer() and measure.SUPPORTED_PARAMS[name].dtype is int:
            whole[name] = int(value)
    return measure(**whole) if whole else measure


def _has_no_text(value: Any) -> bool:
    """Tell whether no expression writes a value: infinite or NaN, an int that no float equals, or anything inside that is so."""
    if isinstance(value, dict):
        return any(not isinstance(key, int) or _has_no_text(key) or _has_no_text(one) for key, one in value.items())
    if isinstance(value, int):
        return abs(value) > LARGEST_INT
    return isinstance(value, (bytes, complex)) or (isinstance(value, float) and not math.isfinite(value))


def ir_measures_measure(
    base: ir_measures.Measure, params: dict[str, Any], for_scorer: bool = True
) -> ir_measures.Measure:
    """Return a measure of ir_measures with parameters; illegal values raise errors that say what is allowed.

    What is allowed is what a plugin's scorer of the measure takes, if there is one and ``for_scorer`` is true.
    """
    measure: ir_measures.Measure = base(**reparsable_params(base, params, for_scorer))
    for name, info in measure.SUPPORTED_PARAMS.items():
        if info.required and name not in measure.params:
            how = f"{base}@10" if name == "cutoff" else f"{base}({name}=...)"
            raise UsageError(f"{base} needs the parameter {name!r} ({info.desc}): {how}.")
    return measure


def reparsable_params(base: ir_measures.Measure, params: Mapping[str, Any], for_scorer: bool = True) -> dict[str, Any]:
    """Return parameters of a measure of ir_measures, as they are written, if its expression can be parsed again."""
    scorer = registry().scorer(str(base.NAME)) if for_scorer else None
    declared, owner, written = base.SUPPORTED_PARAMS, base.NAME, dict(params)
    if scorer is not None and params.keys() <= scorer.SUPPORTED_PARAMS.keys():
        declared = scorer.SUPPORTED_PARAMS
    for name, value in params.items():
        info = declared[name]
        if isinstance(info, Param):
            info.check(value, name, str(owner))
            if base.SUPPORTED_PARAMS[name].dtype is float and type(value) is int:
                written[name] = _Whole(value)
        elif name == "rel" and type(value) is int and abs(value) > LARGEST_GRADE:
            Param(int, "", low=-LARGEST_GRADE, high=LARGEST_GRADE).check(value, name, str(owner))
        elif info.dtype is float and type(value) is int and abs(value) <= LARGEST_INT:
            written[name] = _Whole(value)
        elif (
            not info.validate(value) or (isinstance(value, bool) and info.dtype in (int, float)) or _has_no_text(value)
        ):
            dtype = getattr(info.dtype, "__name__", "")
            choices = getattr(info, "choices", None)
            allowed = (
                f"one of {', '.join(map(repr, choices))}" if isinstance(choices, (list, tuple)) else f"of type {dtype}"
            )
            raise UsageError(f"The {name!r} parameter of {owner} must be {allowed}. Got {value_repr(value)} instead.")
        if name == "cutoff" and not 1 <= value < 2**31:
            raise UsageError(
                f"The 'cutoff' parameter of {owner} must be an int in the range [1, 2^31). Got {value_repr(value)} instead."
            )
    return written


class NamedMeasure(ir_measures.Measure):
    """A measure of which nothing but the name is known, because another tool computed its values.

    It prints as its name. Its mean is the plain mean over topics, and its default is 0.

    Examples
    --------
    >>> NamedMeasure("ndcg@5"), NamedMeasure("ndcg@5") == NamedMeasure("ndcg@5")
    (ndcg@5, True)
    """

    def __init__(self, name: str, less_is_better: bool = False) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.NAME = name
        self.__name__ = name
        self.LESS_IS_BETTER = less_is_better

    def __reduce__(self) -> tuple[type[NamedMeasure], tuple[str, bool]]:
        """Return what makes it again; ir_measures would look for the name among its own measures."""
        return NamedMeasure, (str(self.NAME), self.LESS_IS_BETTER)


def measure_named(name: str) -> ir_measures.Measure:
    """Return the measure of irmx, ir_measures or trec_eval with a name, otherwise a :class:`NamedMeasure`.

    For results that are there already; to compute one, :func:`irmx.parse_measure` must know it. Spellings of other tools stay
    names, because a tool may compute something else by them.

    >>> measure_named("P_10"), measure_named("my own")
    (P@10, my own)
    """
    try:
        return parse_measure(name) if _has_its_name(name) else NamedMeasure(name)
    except UsageError:
        return NamedMeasure(name)
