"""What the shell offers for a measure that is being typed: names, parameters, and named objects inside parentheses."""

from __future__ import annotations

import glob
import re
from dataclasses import dataclass
from typing import Any

from irmx.declare.expressions import measure_names, names_a_measure
from irmx.registry import registry

Offers = list[tuple[str, str]]
"""Texts to complete to, each with a description, which may be empty."""


def runs_or_measures(words: list[str], given: list[str], typed: str) -> Offers:
    """Return what to offer for one of the words of an argument such as ``QRELS RUN... MEASURE...``."""
    files = [word for word in words if not word.startswith("MEASURE")]
    if len(given) < len(files):
        return []
    found = expressions(typed)
    if not found or not files or any(map(names_a_measure, given[len(files) :])):
        return found
    return [*((path, "") for path in sorted(glob.glob(glob.escape(typed) + "*"))), *found]


def expressions(typed: str) -> Offers:
    """Return the expressions that begin with a text, each complete up to its next name.

    >>> [text for text, _ in expressions("MP(model=GL_AD_I")]
    ['MP(model=GL_AD_ID)', 'MP(model=GL_AD_ID,']
    """
    place = _place(typed)
    if place is None:
        return []
    if not place.calls:
        return _beginning(typed, place.head, {name: _about(one) for name, one in measure_names().items()})
    declared = _declared(place.calls)
    if not place.parameter:
        names = {f"{name}=": param.desc or "" for name, param in declared.items()}
        found = _beginning(typed, place.head, names)
        return (expressions(found[0][0]) or found) if len(found) == 1 and found[0][0] != typed else found
    quote = "'" if typed[len(place.head) :].startswith("'") else '"'
    values = _values(declared.get(place.parameter), quote)
    found = _beginning(typed, place.head, values)
    return [(found[0][0] + end, found[0][1]) for end in "),"] if len(found) == 1 else found


def names() -> Offers:
    """Return the names of measures and of named objects."""
    symbols = {symbol.NAME: symbol.SHORT_DESC for symbol in registry().all_symbols()}
    return sorted(({name: _about(one) for name, one in measure_names().items()} | symbols).items())


@dataclass(frozen=True)
class _Place:
    """Where in an expression a text ends: inside which calls, after which parameter; what comes before its last word."""

    head: str
    calls: tuple[str, ...]
    parameter: str


def _place(typed: str) -> _Place | None:
    """Return where a text ends, None after a closing parenthesis or a cutoff, where nothing can be offered."""
    calls: list[list[str]] = []
    start = 0
    for found in re.finditer(r"[(),=\s|@]", typed):
        word, start = typed[start : found.start()], found.end()
        if found[0] == "(":
            calls.append([word, ""])
        elif found[0] == ")":
            if not calls:
                return None
            calls.pop()
        elif found[0] in ",=" and calls:
            calls[-1][1] = word if found[0] == "=" else ""
    if not calls and typed[start - 1 : start] in (")", "@", "=", ",") and start:
        return None
    return _Place(typed[:start], tuple(name for name, _ in calls), calls[-1][1] if calls else "")


def _declared(calls: tuple[str, ...]) -> dict[str, Any]:
    """Return the declared parameters of the measure, or of the named object, in whose parentheses a text ends."""
    if len(calls) == 1:
        return dict(getattr(measure_names().get(calls[0]), "SUPPORTED_PARAMS", {}))
    return next((dict(one.SUPPORTED_PARAMS) for one in registry().all_symbols() if calls[-1] == one.NAME), {})


def _values(param: Any, quote: str) -> dict[str, str]:
    """Return the values of a parameter that have names; texts are quoted."""
    if param is None:
        return {}
    if getattr(param, "kind", ""):
        return {symbol.NAME: symbol.SHORT_DESC for symbol in registry().symbols(param.kind).values()}
    if param.dtype is bool:
        return {"True": "", "False": ""}
    allowed = getattr(param, "allowed", None) or ()
    return {f"{quote}{value}{quote}" if isinstance(value, str) else str(value): "" for value in allowed}


def _beginning(typed: str, head: str, names: dict[str, str]) -> Offers:
    return sorted((head + name, about) for name, about in names.items() if (head + name).startswith(typed))


def _about(measure: Any) -> str:
    return str(getattr(measure, "SHORT_DESC", "") or "")
