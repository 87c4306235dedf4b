"""A report: one page of HTML on a comparison of systems, which needs no other file and no network."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ir_measures

from irmx import DataError, Scores, UsageError, read_qrels, read_run, scores
from irmx.toolkit import as_measures, in_html, named_runs, new_file, plural, visible
from irmx_study.inputs.choices import as_scores
from irmx_study.reporting.documents import (
    JUDGED,
    Reported,
    collection_named,
    one_page,
    queries_of_collection,
    texts_of_collection,
)
from irmx_study.reporting.sections import SECTIONS
from irmx_study.systems.compare import Comparison, compare

_STDIN = "-"
"""Standard input can be read only once, and rankings are read after the scores."""


@dataclass(frozen=True)
class Report:
    """A report on a comparison of systems: a page of HTML that needs no other file and no network.

    Attributes
    ----------
    reported : Reported
        What it is about.
    title : str
        Its title; empty for the number of systems and topics.
    """

    reported: Reported
    title: str = ""

    @property
    def heading(self) -> str:
        """The title that is shown."""
        scores = self.reported.comparison.scores
        return self.title or f"{plural(len(scores.systems), 'system')} on {plural(len(scores.topics), 'topic')}"

    def to_html(self) -> str:
        """Return the page. The same input gives the same text.

        Raises
        ------
        irmx.errors.UsageError
            If Jinja2 or matplotlib is not installed.
        """
        sections = [section for make in SECTIONS if (section := make(self.reported)) is not None]
        return one_page(self.heading, self.reported.comparison.headline(), sections)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, which :func:`irmx.toolkit.new_file` makes.

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
        return (
            f"<p><b>{in_html(self.heading)}</b>. <code>report.write('report.html')</code> writes the page.</p>"
            f"{self.reported.comparison.to_html(most=10)}"
        )


def report(
    source: Any,
    qrels: Any = None,
    runs: Any = None,
    *,
    baseline: str | Iterable[str] | None = None,
    title: str = "",
    texts: Mapping[str, str] | None = None,
    queries: Mapping[str, str] | None = None,
    command: str = "",
    **how: Any,
) -> Report:
    """Make a report on systems: a page of HTML with findings, tables, pictures, rankings, and how all of it was computed.

    Parameters
    ----------
    source, qrels, runs
        As for :func:`irmx_study.compare`; or a :class:`Comparison`. Without qrels and runs the report has no rankings.
    baseline : str or iterable of str, optional
        The systems that all others are compared with; see :func:`irmx_study.compare`.
    title : str
        The title of the page.
    texts : mapping of str to str, optional
        The texts of documents by id, to show with the rankings; may lack some. By default, if the qrels are an id of
        ir_datasets, those of its documents, if they are on this machine.
    queries : mapping of str to str, optional
        The texts of the topics by id; by default those of the collection.
    command : str
        How the report was made, to be printed in it.
    **how
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
    about: dict[str, Any] = {"texts": texts, "queries": dict(queries or {}), "command": command}
    if isinstance(source, Comparison) and qrels is None and runs is None:
        if baseline is not None or how:
            raise UsageError("How a comparison was made cannot be changed in its report. Give the choices to compare.")
        return Report(Reported(source, **about), title)
    if qrels is None or runs is None or isinstance(source, (Comparison, Scores)) or hasattr(source, "columns"):
        values = as_scores("report", source, qrels, runs)
        return Report(Reported(compare(values, baseline=baseline, **how), **about), title)
    judgments = read_qrels(qrels)
    by_name = {name: read_run(run) if run == _STDIN else run for name, run in named_runs(runs).items()}
    is_path = isinstance(qrels, (str, os.PathLike)) and qrels != _STDIN
    several = [source] if isinstance(source, (str, ir_measures.Measure)) else list(source)
    asked = as_measures(several)
    try:
        values = scores([*asked, JUDGED], qrels if is_path else judgments, by_name)
    except DataError:  # in streams documents may repeat, and their measures take that
        values = scores(asked, qrels if is_path else judgments, by_name)
    collection = collection_named(qrels)
    if texts is None:
        about["texts"] = texts_of_collection(collection)
    if queries is None:
        about["queries"] = queries_of_collection(collection)
    comparison = compare(values.select(measures=asked), baseline=baseline, **how)
    judged = values.select(measures=[JUDGED]) if JUDGED in map(str, values.measures) else None
    named = os.fspath(qrels) if is_path else ""
    return Report(Reported(comparison, judgments, by_name, **about, qrels=named, judged=judged), title)


def command_line(leave_out: Sequence[str]) -> str:
    """Return the command as it was typed, quoted for the shell, without some options such as the file that it writes."""
    import click

    context = click.get_current_context()
    words = ["irmx", *str(context.info_name).split()]
    for parameter in context.command.params:
        name, value = str(parameter.name), context.params.get(str(parameter.name))
        source = context.get_parameter_source(name)
        if name in leave_out or source is None or source.name != "COMMANDLINE":
            continue
        values = value if isinstance(value, (list, tuple)) else [value]
        for one in values:
            option = [] if parameter.param_type_name == "argument" else [max(parameter.opts, key=len)]
            words += option if one is True else [*option, str(one)]
    return shlex.join(words)
