"""Which views rank the systems, and which pairs of them are correlated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from irmx import DataError, Scores, UsageError
from irmx.ragged import Bools, Floats, Ints
from irmx.toolkit import list_some, plural
from irmx_study.pairs import signs_of
from irmx_study.rankings import comparable_means, rounded

FEWEST = 3
"""The smallest number of systems: two are in the same order or not, which is no matter of degree."""

Reference = Any
"""A view, by its text or its measure; a column and the value of the views that are the references; or a value per system."""


def values_of(reference: Mapping[str, Any], systems: Sequence[str]) -> Floats:
    """Return the values of a reference that is given by system."""
    lacking = [system for system in systems if system not in reference]
    if lacking:
        raise DataError(
            f"The reference has no value for the run {lacking[0]!r} ({len(lacking)} of {plural(len(systems), 'run')})."
        )
    values = rounded(np.array([float(reference[system]) for system in systems]))
    if len(set(values.tolist())) < 2:
        raise DataError(f"The reference gives {float(values[0])!r} to all of {plural(len(systems), 'run')}.")
    return values


def ranked_views(scores: Scores, decimals: int | None) -> tuple[Scores, Floats, tuple[str, ...]]:
    """Return the scores of the views that rank the systems, their means, larger for better ones, and notes on the others."""
    number = len(scores.systems)
    if number < FEWEST:
        raise UsageError(f"The agreement of rankings needs at least {FEWEST} systems. The scores have {number}.")
    for kind, names in (("system", scores.systems), ("measure", scores.names)):
        twice = next((name for name in names if names.count(name) > 1), None) if len(set(names)) < len(names) else None
        if twice is not None:
            raise UsageError(f"The scores have the {kind} {twice} twice. Give it once.")
    notes: list[str] = []
    empty: Bools = np.array(np.isnan(scores.values).all(axis=(0, 1)))
    if empty.any():
        notes.append(f"left out, because no system has a value of it on any topic: {_listed(scores, empty)}")
        scores = _without(scores, empty, notes)
    means = comparable_means(scores, decimals)
    constant: Bools = means.max(axis=0) == means.min(axis=0)
    if constant.any():
        rounded = "" if decimals is None else f", rounded to {plural(decimals, 'decimal place')}"
        notes.append(f"left out, because it gives all systems the same mean{rounded}: {_listed(scores, constant)}")
        scores, means = _without(scores, constant, notes), means[:, ~constant]
    signs = signs_of(scores)
    return scores, means if (signs > 0).all() else means * signs, tuple(notes)


def _listed(scores: Scores, chosen: Bools) -> str:
    return list_some([name for name, is_chosen in zip(scores.names, chosen, strict=True) if is_chosen], 5)


def _without(scores: Scores, left_out: Bools, notes: Sequence[str]) -> Scores:
    if left_out.all():
        raise DataError(f"No measure ranks the systems: {'; '.join(notes)}.")
    return scores.select(views=(~left_out).tolist())


def pairs_of(scores: Scores, reference: Reference, has_own: bool) -> tuple[Ints, Ints]:
    """Return the places of the views a and b of every pair; -1 stands for values of a reference that is no view."""
    count = len(scores.names)
    if has_own:
        return np.full(count, -1), np.arange(count)
    if reference is None:
        a, b = np.triu_indices(count, 1)
        return a, b
    if isinstance(reference, str):
        references = scores.made_by.get("references", ())  # of a sweep, which are no settings of each other
        without = {reference, *(references if reference in references else ())}
        others = np.flatnonzero([name not in without for name in scores.names])
        place = scores.names.index(reference)
        if not len(others):
            raise UsageError(f"There is no other view than {' and '.join(scores.names)} to correlate with {reference}.")
        return np.full(len(others), place), others
    table = (
        scores.views.reset_index(drop=True).drop(columns=["less_is_better", "weight"], errors="ignore").astype(object)
    )
    for column in set(reference) - set(table):
        raise UsageError(f"The views have no column {column!r}. They have: {', '.join(map(str, table))}.")
    is_reference = np.all([[value == wanted for value in table[name]] for name, wanted in reference.items()], axis=0)
    if not is_reference.any():
        column = next(iter(reference))
        raise UsageError(
            f"No view has {reference}. Known values of {column}: {list_some(dict.fromkeys(map(str, table[column])))}."
        )
    places = np.flatnonzero(is_reference).tolist()
    if any("." in name for name in reference):  # a parameter, in which the measures differ
        table["measure"] = [str(getattr(measure, "NAME", measure)) for measure in scores.measures]
    left = [c for c in table if c not in reference and not ("measure" in reference and "." in str(c))]
    of_measure = [c for c in left if c == "measure" or "." in str(c)]
    for columns in (left, of_measure):  # samples of 50% are no sample of 100%: then the measure decides
        keys = [tuple(map(str, row)) for row in table[columns].itertuples(index=False)]
        of_key = {keys[place]: place for place in places}
        found = [(of_key[key], v) for v, key in enumerate(keys) if not is_reference[v] and key in of_key]
        if found and len(of_key) == len(places):
            a, b = np.array(found).T
            return a, b
    raise UsageError(f"No other view differs from those with {reference} in that alone.")
