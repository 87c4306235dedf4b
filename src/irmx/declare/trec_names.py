"""Measures by their names in trec_eval, such as ``map``, ``P_10`` and ``ndcg_cut.5,10``, in upper or lower case."""

from __future__ import annotations

import re
import warnings
from functools import cache

import ir_measures
import pytrec_eval

from irmx.errors import DataWarning, UnknownNameError, UsageError

_FORM = re.compile(r"(\w*?)([._]\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)?")
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
    matched = _FORM.fullmatch(text)
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
