"""Which differences an experiment can find, and how many topics it needs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from irmx import Scores, UsageError
from irmx.toolkit import counted, html_result
from irmx_study.comparison.notes import FEW
from irmx_study.planning.deviations import Deviations, deviations_of
from irmx_study.planning.questions import Question

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """The result of :func:`irmx_study.power`.

    Attributes
    ----------
    rows : DataFrame
        See :meth:`frame`.
    stated : dict of str to str
        See :meth:`facts`.
    notes : tuple of str
        What a reader must know about the data.
    """

    rows: pd.DataFrame
    stated: Mapping[str, str]
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<Plan of {counted(len(self.rows), 'row')}: {', '.join(self.rows.columns)}>"

    def _repr_html_(self) -> str:
        return html_result(repr(self).partition(":")[0], {"": self.rows}, self.stated, self.notes)

    def frame(self) -> pd.DataFrame:
        """Return one row per measure, and per difference if there are several; by pair, one per pair of systems.

        Returns
        -------
        DataFrame
            Of scores: ``measure`` and the number of ``pairs`` of systems, or the pair ``a`` and ``b``. Then the number of
            ``topics``; the standard deviation ``sd`` of the differences; the ``detectable`` difference with so many topics; the
            ``difference`` asked for and the number of topics ``needed`` for it; ``needed_anova`` by the analysis of variance
            of several systems; the ``width`` asked for and the topics ``needed_for_width``. Of several pairs, these columns
            are of the median standard deviation, and those that begin with ``largest_`` are of the largest.
        """
        return self.rows.copy()

    def facts(self) -> dict[str, str]:
        """Return what a table of the plan must state: the test, the level, the power, and where the variance comes from."""
        return dict(self.stated)


def power(
    scores: Scores | pd.DataFrame | None = None,
    *,
    sd: float | None = None,
    variance: float | None = None,
    topics: int | None = None,
    difference: float | Iterable[float] = (),
    width: float | None = None,
    systems: int | None = None,
    level: float = 0.05,
    power: float = 0.8,
    comparisons: int = 1,
    by_pair: bool = False,
) -> Plan:
    r"""Plan an experiment: the differences that so many topics can find, and the topics that a difference needs.

    The test is the two-sided t test, paired by topic. The standard deviation of its differences is that of earlier systems,
    of all their pairs, or is given.

    Parameters
    ----------
    scores : Scores or DataFrame, optional
        Values of earlier systems, such as :func:`irmx.scores` returns.
    sd, variance : float, optional
        The standard deviation, or the variance, of the differences of two systems on the same topic, instead of scores.
    topics : int, optional
        The number of topics; by default those of the scores.
    difference : float or iterable of float
        The difference, or several, for which to return the number of topics needed.
    width : float, optional
        The width of the interval of a mean difference, covering 1 - level, for which to return the number of topics at which
        it is expected to be so narrow.
    systems : int, optional
        The number of systems of an analysis of variance, topics x systems, that is to find the difference of the best and the
        worst of them; needs a difference.
    level : float
        The level of significance, in (0, 1).
    power : float
        The probability of finding the difference, in (0, 1).
    comparisons : int
        How many comparisons the level is divided by, as by Bonferroni's correction; not for ``systems``.
    by_pair : bool
        Whether to return one row per pair of systems.

    Returns
    -------
    Plan
        The table, ``.frame()``, and ``.notes``.

    Raises
    ------
    irmx.errors.UsageError
        Unless either scores, or sd, or variance are given; for an illegal value; if nothing is asked.
    irmx.errors.DataError
        If there are fewer than two systems or topics, or no difference varies over topics.

    References
    ----------
    Tetsuya Sakai: Topic set size design. Information Retrieval Journal 19(3), 2016.

    Examples
    --------
    >>> import irmx
    >>> from irmx.demo import SYSTEMS, qrels_path, run_path
    >>> power(sd=0.25, topics=50, difference=[0.1, 0.05]).frame().round(4)
       topics    sd  detectable  difference  needed
    0      50  0.25       0.101        0.10      52
    1      50  0.25       0.101        0.05     199
    >>> scores = irmx.scores("AP RR", qrels_path(), {system: run_path(system) for system in SYSTEMS})
    >>> power(scores).frame().round(4)
      measure  pairs  topics      sd  largest_sd  detectable  largest_detectable
    0      AP      3      30  0.2218      0.2221      0.1174              0.1176
    1      RR      3      30  0.4268      0.4928      0.2259              0.2608
    """
    asked = Question.of(
        topics=topics,
        difference=difference,
        width=width,
        systems=systems,
        level=level,
        power=power,
        comparisons=comparisons,
    )
    if sum(source is not None for source in (scores, sd, variance)) != 1:
        raise UsageError(
            "Give scores, or the standard deviation of differences, or their variance: exactly one of them."
        )
    if scores is None:
        deviation = (
            Question.checked("sd", sd) if variance is None else math.sqrt(Question.checked("variance", variance))
        )
        if by_pair:
            raise UsageError("Rows by pair need the scores of systems.")
        if asked.topics is None and not asked.differences and asked.width is None:
            raise UsageError("Nothing is asked. Give the number of topics, a difference or a width.")
        return _plan([Deviations({}, asked.topics, deviation, None, deviation**2 / 2)], asked, "given", [])
    if not isinstance(scores, Scores):
        scores = Scores.from_frame(scores)
    if len(scores.systems) < 2:
        raise UsageError(f"Differences need two systems. There is {', '.join(scores.systems) or 'none'}.")
    cases = [case for m in range(len(scores.measures)) for case in deviations_of(scores, m, by_pair)]
    of = f"{counted(len(scores.systems), 'system')} on {counted(len(scores.topics), 'topic')}"
    return _plan(cases, asked, f"of the differences of {of}", _notes(scores, cases))


def _plan(cases: Sequence[Deviations], asked: Question, variance: str, notes: Sequence[str]) -> Plan:
    import pandas as pd

    rows = [row for case in cases for row in asked.rows(case)]
    facts = {"test": "Student's t test, paired by topic (two-sided)", **asked.facts(), "variance": variance}
    if any(case.largest is not None for case in cases):
        facts["sd"] = "that of the median pair of systems; columns of largest_ are those of the pair with the largest"
    planned = asked.topics if asked.topics is not None else FEW
    needed = [row[name] for row in rows for name in row if name.startswith(("needed", "largest_needed"))]
    if min([planned, *needed]) < FEW:
        notes = [*notes, f"fewer than {FEW} topics: the power holds for differences that are normally distributed only"]
    return Plan(pd.DataFrame(rows), facts, tuple(notes))


def _notes(scores: Scores, cases: Sequence[Deviations]) -> list[str]:
    """Return notes on few topics, and on pairs that are left out."""
    notes = []
    observed = min(case.topics for case in cases if case.topics is not None)
    if observed < FEW:
        notes.append(f"the variance comes from {observed} topics, too few to know it: expect to need more topics")
    for s, system in enumerate(scores.systems):
        if missing := int((~scores.retrieved[:, s]).sum()):
            notes.append(
                f"{system} has no results for {missing} of {len(scores.topics)} topics; they count with the measure's default"
            )
    for case in cases:
        if case.constant:
            notes.append(
                f"{case.names['measure']}: {counted(case.constant, 'pair')} of systems left out, whose difference is the same on every topic"
            )
    return list(dict.fromkeys(notes))
