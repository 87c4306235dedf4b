"""A report: one page of HTML on a comparison of systems."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import ir_measures

from irmx import Scores, UsageError, read_qrels, read_run, scores
from irmx.toolkit import as_measures, counted, in_html, named_runs, new_file, visible
from irmx_study.comparison.compare import compare
from irmx_study.comparison.comparison import Comparison
from irmx_study.html_report.known_texts import collection_named, queries_of_collection, texts_of_collection
from irmx_study.html_report.leaderboard import leaderboard
from irmx_study.html_report.making import citing, making, tables
from irmx_study.html_report.measures_section import agreement, formulas, users
from irmx_study.html_report.one_page import one_page
from irmx_study.html_report.pictures_section import intervals, pairs
from irmx_study.html_report.reported import Reported
from irmx_study.html_report.section import Section
from irmx_study.html_report.side_by_side import rankings
from irmx_study.html_report.topic_bars import topics
from irmx_study.html_report.unjudged_shares import JUDGED, shares_of_unjudged, unjudged_documents

if TYPE_CHECKING:
    import pandas as pd

_SECTIONS: tuple[Callable[[Reported], Section | None], ...] = (
    leaderboard,
    pairs,
    intervals,
    topics,
    rankings,
    agreement,
    users,
    unjudged_documents,
    formulas,
    tables,
    citing,
    making,
)  # fmt: skip
"""What makes the sections, in order; None for a section that says nothing on what is reported."""

_STDIN = "-"
"""Standard input can be read only once, and rankings are read after the scores."""


@dataclass(frozen=True)
class Report:
    """A report on a comparison of systems: a page of HTML that needs no other file and no network.

    :func:`irmx_study.report` makes it from qrels, runs and measures, :meth:`from_comparison` from a comparison.

    Attributes
    ----------
    reported : Reported
        What it is about.
    title : str
        Its title; empty for the number of systems and topics.
    """

    reported: Reported
    title: str = ""

    @classmethod
    def from_comparison(cls, comparison: Comparison, title: str = "") -> Report:
        """Return the report on a comparison alone, without rankings and unjudged documents."""
        return cls(Reported(comparison), title)

    @property
    def heading(self) -> str:
        """The title that is shown."""
        scores = self.reported.comparison.scores
        return self.title or f"{counted(len(scores.systems), 'system')} on {counted(len(scores.topics), 'topic')}"

    def to_html(self) -> str:
        """Return the page. The same input gives the same text.

        Raises
        ------
        irmx.errors.UsageError
            If Jinja2 or matplotlib is not installed.
        """
        sections = [section for make in _SECTIONS if (section := make(self.reported)) is not None]
        return one_page(self.heading, sections)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, which :func:`irmx.toolkit.new_file` makes.

        Parameters
        ----------
        path : path
            The file.

        Raises
        ------
        irmx.errors.DataError
            If it cannot be written.
        irmx.errors.UsageError
            If Jinja2 or matplotlib is not installed.
        """
        text = self.to_html()
        with new_file(path) as file:
            file.write(text.encode())

    def __repr__(self) -> str:
        return f"<Report: {visible(self.heading)}>"

    def _repr_html_(self) -> str:
        measures = ", ".join(map(str, self.reported.comparison.scores.measures))
        return (
            f"<p><b>{in_html(self.heading)}</b>, by {in_html(measures)}. "
            "<code>report.write('report.html')</code> writes the page.</p>"
        )


def report(
    measures: str | ir_measures.Measure | Iterable[str | ir_measures.Measure] | Comparison | Scores | pd.DataFrame,
    qrels: Any = None,
    runs: Any = None,
    baseline: str | Iterable[str] | None = None,
    *,
    title: str = "",
    texts: Mapping[str, str] | None = None,
    queries: Mapping[str, str] | None = None,
    command: str = "",
    **choices: Any,
) -> Report:
    """Make a report on systems: a page of HTML with tables, pictures, rankings, and how all of it was computed.

    Parameters
    ----------
    measures : str, Measure or iterable of them
        The measures. Without qrels and runs: a :class:`Comparison`, or what :func:`compare` accepts, such as the result of
        ``pt.Experiment(..., perquery=True)``; the report then has no rankings.
    qrels, runs : any
        As for :func:`irmx.scores`.
    baseline : str or iterable of str, optional
        The systems that all others are compared with; by default the first.
    title : str
        The title of the page.
    texts : mapping of str to str, optional
        The texts of documents by id, to show with the rankings; may lack some. By default, if the qrels are an id of
        ir_datasets, those of its documents, if they are on this machine.
    queries : mapping of str to str, optional
        The texts of the topics by id; by default those of the collection.
    command : str
        How the report was made, to be printed in it.
    **choices
        Further arguments of :func:`compare`, such as ``test`` or ``all_pairs``.

    Returns
    -------
    Report
        The report; ``write(path)`` writes the page, ``to_html()`` returns it.

    Raises
    ------
    irmx.errors.UsageError
        For an unknown measure or baseline, an illegal choice, fewer than two systems, or qrels without runs.
    irmx.errors.DataError
        If the input cannot be read, or a measure has values for fewer than two topics.

    Examples
    --------
    >>> import irmx_study
    >>> from irmx.demo import SYSTEMS, qrels_path, run_path
    >>> runs = {system: run_path(system) for system in SYSTEMS}
    >>> report = irmx_study.report("AP nDCG@10", qrels_path(), runs, baseline="titles")
    >>> report
    <Report: 3 systems on 30 topics>
    >>> page = report.to_html()
    >>> page.startswith("<!DOCTYPE html>"), "<h2" in page
    (True, True)
    """
    if qrels is None and runs is None:
        comparison = _compared(measures, baseline, choices)
        return Report(Reported(comparison, texts=texts, queries=dict(queries or {}), command=command), title)
    if qrels is None or runs is None:
        raise UsageError("A report is on measures, qrels and runs, or on a comparison or scores alone.")
    if isinstance(measures, (Comparison, Scores)) or hasattr(measures, "columns"):
        raise UsageError("With qrels and runs, a report needs measures, such as 'AP nDCG@10', instead of their values.")
    judgments = read_qrels(qrels)
    by_name = {name: read_run(run) if run == _STDIN else run for name, run in named_runs(runs).items()}
    is_path = isinstance(qrels, (str, os.PathLike)) and qrels != _STDIN
    several = [measures] if isinstance(measures, (str, ir_measures.Measure)) else list(measures)
    values = scores([*several, JUDGED], qrels if is_path else judgments, by_name)
    asked = as_measures(several)
    collection = collection_named(qrels)
    reported = Reported(
        compare(values.select(measures=asked), baseline, **choices),
        judgments,
        by_name,
        texts_of_collection(collection) if texts is None else texts,
        queries_of_collection(collection) if queries is None else dict(queries),
        command,
        os.fspath(qrels) if is_path else "",
        shares_of_unjudged(values),
    )
    return Report(reported, title)


def _compared(source: Any, baseline: str | Iterable[str] | None, choices: Mapping[str, Any]) -> Comparison:
    """Return a comparison, or the comparison of scores."""
    if not isinstance(source, Comparison):
        return compare(source, baseline, **choices)
    if baseline is not None or choices:
        raise UsageError("How a comparison was made cannot be changed in its report. Give the choices to compare.")
    return source
