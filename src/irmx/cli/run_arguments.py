"""The arguments ``RUN... MEASURE...`` of a command: which of them are runs, and what the shell offers for one that is being typed."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from typing import Any

import ir_measures

from irmx.data.reading import is_file, matching_runs
from irmx.declare.expressions import measure_names, names_a_measure, parse_measure, split_measures
from irmx.errors import UsageError
from irmx.registry import registry
from irmx.score.evaluator import as_measures

# -- what the shell offers for a measure that is being typed ---------------------------------------------------------


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


# -- the arguments ``RUN... MEASURE...`` of a command: which of them are runs ----------------------------------------


def runs_and_measures(
    arguments: Sequence[str], usage: str, default: str = ""
) -> tuple[list[str], list[ir_measures.Measure]]:
    """Return the leading arguments that are runs, and the measures that follow.

    The first argument is a run. The following ones are runs as long as they are files, globs or ``-``, and not measures.

    Parameters
    ----------
    arguments : sequence of str
        What the user typed.
    usage : str
        How the command is called, for error messages.
    default : str
        The measures where none is given; by default, at least one must be.

    Returns
    -------
    runs : list of str
        The paths of the distinct runs, globs resolved.
    measures : list of Measure
        The distinct measures.

    Raises
    ------
    irmx.errors.UsageError
        If there is no measure, or one is unknown.
    irmx.errors.DataError
        If a glob matches no file.

    Examples
    --------
    >>> import irmx
    >>> from irmx.demo import run_path
    >>> runs, measures = irmx.toolkit.runs_and_measures([str(run_path("bm25")), "AP nDCG@10", "P_5"], "irmx mine QRELS RUN... MEASURE...")
    >>> len(runs), measures
    (1, [AP, nDCG@10, P@5])
    """
    if not arguments:
        raise UsageError(f"No run is given: {usage}.")
    if names_a_measure(arguments[0]) and not is_file(arguments[0]):
        after = next((text for text in arguments[1:] if _is_run(text)), "")
        behind = f" before the run {after!r}" if after else ", where a run is expected"
        raise UsageError(f"The measure {arguments[0]!r} stands{behind}. The order is {usage}.")
    paths, rest = matching_runs(arguments[0]), list(arguments[1:])
    while rest and _is_run(rest[0]):
        paths += matching_runs(rest.pop(0))
    rest = rest or [default] if default else rest
    if not rest:
        raise UsageError(f"No measure is given: {usage}, such as 'MP(model=GL_AD_ID)' AP nDCG@10.")
    measures: list[ir_measures.Measure] = []
    for text in rest:
        try:
            measures += as_measures(split_measures(text) or [parse_measure(text)])
        except UsageError as error:
            raise type(error)(f"{error}{_advice(text)}") from None
    return list(dict.fromkeys(paths)), as_measures(measures)


def _advice(text: str) -> str:
    """Return a line on what an argument that is not a measure may have been meant to be, or nothing."""
    start, end = text.find("("), text.rfind(")")
    outside = text[:start] + text[end + 1 :] if 0 <= start < end else text
    if is_file(text):
        return f"\nIf {text!r} is meant to be a run: runs come before the measures."
    if "/" in text or os.path.splitext(outside)[1][1:].isidentifier():
        return f"\nIf {text!r} is meant to be a run: there is no such file."
    if "(" in outside or ")" in outside:
        return "\nA measure with spaces inside its parentheses must be quoted as a whole."
    if "," in outside:
        return "\nMeasures are separated by spaces, not by commas."
    return ""


def _is_run(argument: str) -> bool:
    return not names_a_measure(argument) and is_file(argument)
