"""The groups of runs, such as the teams that submitted them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from irmx import DataError, read_table
from irmx.toolkit import counted, some, suggest


def groups_of_runs(groups: Any, runs: Iterable[str]) -> dict[str, str]:
    """Return the group of every run.

    Parameters
    ----------
    groups : mapping of str to str, table or None
        The group of every run by name, or a table with the columns ``run`` and ``group``, as :func:`irmx.read_table` accepts it;
        None if each run is a group of its own.
    runs : iterable of str
        The names of the runs.

    Raises
    ------
    irmx.errors.DataError
        If a run has no group or two, the groups name an unknown run, or all runs are in one group.

    Examples
    --------
    >>> groups_of_runs({"a1": "A", "b1": "B", "a2": "A"}, ["a1", "a2", "b1"])
    {'a1': 'A', 'a2': 'A', 'b1': 'B'}
    """
    names = list(runs)
    if groups is None:
        return {name: name for name in names}
    if isinstance(groups, Mapping) and not {"run", "group"} <= set(groups):
        what, by_run = "The groups", {str(run): str(group) for run, group in groups.items()}
    else:
        what, by_run = _from_table(groups)
    unknown = sorted(set(by_run) - set(names))
    if unknown:
        near = suggest(unknown[0], names)
        raise DataError(
            f"{what}: {counted(len(unknown), 'run')} of {len(by_run)} {'is' if len(unknown) == 1 else 'are'} not among the runs here: "
            f"{some(unknown)}.{near} The runs: {some(names, 20)}."
        )
    missing = [name for name in names if name not in by_run]
    if missing:
        raise DataError(f"{what}: no group of {counted(len(missing), 'run')}: {some(missing)}. Give every run a group.")
    if len(set(by_run.values())) == 1:
        raise DataError(f"{what}: all runs are in one group, {by_run[names[0]]!r}. Without it, no pool is left.")
    return {name: by_run[name] for name in names}


def _from_table(source: Any) -> tuple[str, dict[str, str]]:
    """Return the name of a table of groups, for messages, and the group of every run in it."""
    table = read_table(source, {"run": str, "group": str}, "groups")
    by_run: dict[str, str] = {}
    for row, (run, group) in enumerate(zip(table["run"].tolist(), table["group"].tolist(), strict=True)):
        if by_run.setdefault(run, group) != group:
            table.refuse(row, f"the run {run} is in two groups, {by_run[run]!r} and {group!r}.")
    return table.name, by_run
