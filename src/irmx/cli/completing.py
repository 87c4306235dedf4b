"""What the shell offers for a measure that is being typed: the names of measures, and files where runs may stand."""

from __future__ import annotations

import glob
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
    measures = sorted((name, _about(one)) for name, one in measure_names().items())
    if not files or any(map(names_a_measure, given[len(files) :])):
        return measures
    return [*((path, "") for path in sorted(glob.glob(glob.escape(typed) + "*"))), *measures]


def names() -> Offers:
    """Return the names of measures and of named objects."""
    symbols = {symbol.NAME: symbol.SHORT_DESC for symbol in registry().all_symbols()}
    return sorted(({name: _about(one) for name, one in measure_names().items()} | symbols).items())


def _about(measure: Any) -> str:
    return str(getattr(measure, "SHORT_DESC", "") or "")
