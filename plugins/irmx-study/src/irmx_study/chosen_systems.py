"""The systems that studies of measures leave out: incomplete runs, manual runs, the worst runs."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from irmx import DataError, Scores, UsageError
from irmx.toolkit import content_of, list_some, plural, suggest
from irmx_study.rankings import comparable_means

if TYPE_CHECKING:
    import os

    import ir_measures


def choose_systems(
    scores: Scores,
    only: Iterable[str] | None = None,
    every_topic: bool = False,
    best: float | None = None,
    by: str | ir_measures.Measure | None = None,
) -> Scores:
    """Return the scores of the systems that a study of measures is about.

    The conditions are applied in the order of the parameters, so that ``best`` is a share of the systems that meet the others.

    Parameters
    ----------
    scores : Scores
        The scores.
    only : iterable of str, optional
        The names of the systems to keep, such as the automatic runs; by default all.
    every_topic : bool
        Whether to leave out systems that retrieve nothing for one of the topics.
    best : float, optional
        The percentage of systems to keep, in (0, 100], those with the largest means. The number is rounded half up, and systems
        whose mean is that of the last one are kept as well.
    by : str or Measure, optional
        The measure that ``best`` is about; by default the first.

    Raises
    ------
    irmx.errors.UsageError
        For an unknown system or measure, or a percentage outside (0, 100].
    irmx.errors.DataError
        If no system is left.

    Examples
    --------
    >>> import irmx, irmx_study
    >>> from irmx.demo import SYSTEMS, qrels_path, run_path
    >>> scores = irmx.scores("AP", qrels_path(), {system: run_path(system) for system in SYSTEMS})
    >>> irmx_study.choose_systems(scores, every_topic=True).systems
    ('bm25', 'titles', 'recent')
    >>> irmx_study.choose_systems(scores, only=["titles", "recent"], best=50).systems
    ('recent',)
    """
    if only is not None:
        scores = scores.select(systems=listed(scores.systems, only))
    if every_topic:
        lacks = scores.missing.any(axis=2).sum(axis=0) > 0
        if lacks.all():
            raise DataError(
                f"All of {plural(len(scores.systems), 'run')} retrieve nothing for at least one of "
                f"{plural(len(scores.topics), 'topic')}, so that none is left."
            )
        scores = scores.select(systems=[name for name, some in zip(scores.systems, lacks, strict=True) if not some])
    return scores if best is None else _best(scores, best, by)


def listed(systems: Collection[str], only: Iterable[str]) -> list[str]:
    """Return which systems a list names, in their own order.

    >>> listed(["bm25", "titles", "recent"], {"recent", "bm25"})
    ['bm25', 'recent']
    """
    kept = set(only)
    unknown = sorted(kept - set(systems))
    if unknown:
        more = f" and {plural(len(unknown) - 1, 'other name')}" if len(unknown) > 1 else ""
        raise UsageError(
            f"{getattr(only, 'path', 'The list of runs to keep')} has {unknown[0]!r}{more}, which {'are no runs' if more else 'is no run'} here."
            f"{suggest(unknown[0], systems)} The runs: {list_some(systems, 20)}."
        )
    return [system for system in systems if system in kept]


def _best(scores: Scores, best: float, by: str | ir_measures.Measure | None) -> Scores:
    check_best(best)
    of_measure = scores.select(measures=[scores.measures[0] if by is None else by])
    means = comparable_means(of_measure)[:, 0]
    count = max(1, math.floor(best / 100 * len(means) + 0.5))
    least = sorted(means, reverse=True)[count - 1]
    return scores.select(systems=[name for name, mean in zip(scores.systems, means, strict=True) if mean >= least])


def check_best(best: float | None) -> None:
    """Raise unless the percentage of runs to keep, if there is one, is in (0, 100]."""
    if best is not None and not 0 < best <= 100:
        raise UsageError(f"The best runs to keep are a percentage in the range (0, 100]. Got {best!r} instead.")


class NamesInFile(list[str]):
    """The names that a file lists; messages about them name the file."""

    path: str = ""


def listed_names(path: str | os.PathLike[str]) -> NamesInFile:
    """Return the names in a file with one per line; blank lines and what follows a # at the start of a line are left out."""
    try:
        lines = [line.strip() for line in content_of(path, "run list").decode().splitlines()]
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is no list of runs: it is not UTF-8.") from error
    names = [line for line in lines if line and not line.startswith("#")]
    if not names:
        raise DataError(f"{path} names no run. It must have the name of one run per line.")
    found = NamesInFile(names)
    found.path = str(path)
    return found
