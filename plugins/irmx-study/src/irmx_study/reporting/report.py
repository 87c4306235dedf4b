"""A report: one page of HTML on a comparison of systems, which needs no other file and no network; and its sections."""

from __future__ import annotations

import math
import os
import shlex
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

import irmx
from irmx import DataError, DataWarning, Scores, UsageError, read_qrels, read_run, registry
from irmx.toolkit import (
    PrintedRows,
    as_measures,
    html_table,
    in_html,
    in_spreadsheet,
    named_runs,
    new_file,
    plural,
    visible,
)
from irmx_study.inputs.choices import as_scores, is_path
from irmx_study.measures.correlate import correlate
from irmx_study.reporting.documents import (
    JUDGED,
    Reported,
    Section,
    Source,
    collection_named,
    inline_svg,
    one_page,
    queries_of_collection,
    rankings,
    texts_of_collection,
    topics,
)
from irmx_study.showing.result import fixed, interval, joined, p_text, places_below
from irmx_study.systems.compare import SENTENCES, Comparison, compare
from irmx_study.systems.pairs import Cell, Difference, signs_of
from irmx_study.systems.persistence import persist
from irmx_study.systems.unjudged import mean_shares, unjudged
from irmx_study.systems.words import sentences_of, topics_of
from irmx_study.verdicts.verdict import verdict

MOST_NAMES = 16
"""Up to how many systems have a critical-difference diagram; the pairs of more are a heat map."""

MOST_LEVEL = 0.5
"""A verdict is at a level below this."""

MOST_VIEWS = 60
"""A verdict on so many views is drawn; of more, the table has the worst of each doubt."""

MOST_INTERVALS = 40
"""The intervals of so many systems are drawn, of the best ones; the leaderboard has all."""

MOST_PAIRS = 20
"""The shares of users are drawn for so many pairs of systems; of more, a table has the ranks."""

MOST_RANKINGS = 400
"""What unjudged documents could change is computed for so many rankings; it takes longer than the scores themselves."""

MOST_ROWS = 3000
"""A report has the comparisons as data if there are no more."""

ACROSS = 3
"""Panels that stand side by side in a page."""

MOST_COSTS = 6
"""Quality is drawn against so many costs, the first ones."""

FILTERED = 20
"""From how many systems on the leaderboard can be filtered by name, and other tables fold."""


def _parts(
    name: str, title: str, paragraphs: Sequence[str] = (), figures: Sequence[tuple[Any, str]] = (), tables: Sequence[Any] = (),
    sources: Sequence[Source] = (),
) -> Section:  # fmt: skip
    """Return a section that is made of paragraphs, pictures with captions, tables and texts to copy, in this order."""
    shown = {"paragraphs": paragraphs, "figures": figures, "tables": tables, "sources": sources}
    return Section(name, title, shown)


def _table(rows: Sequence[Mapping[str, Any]], caption: str, places: int = 4) -> Any:
    """Return rows of cells as a table."""
    from markupsafe import Markup

    return Markup(html_table(PrintedRows(tuple(rows[0]), [dict(row) for row in rows], places), caption))


def _folded(rows: Sequence[Mapping[str, Any]], caption: str) -> Any:
    """Return rows of cells as a table; many of them folded."""
    from markupsafe import Markup

    table = _table(rows, caption)
    if len(rows) <= FILTERED:
        return table
    return Markup('<details class="folded"><summary>{}</summary>{}</details>').format(
        f"{caption}: {len(rows)} rows", table
    )


# -- the conclusion ----------------------------------------------------------------------------------------


def conclusion(reported: Reported) -> Section | None:
    """Return whether one of two systems is better by the first view, and what the others say; None for another test than t."""
    comparison = reported.comparison
    scores, choices = comparison.scores, comparison.choices
    if len(scores.systems) != 2 or choices.test.NAME != "t" or choices.level >= MOST_LEVEL:
        return None
    baseline = comparison.baseline[0] if comparison.baseline else scores.systems[0]
    found = verdict(scores, baseline=baseline, level=choices.level, missing="zero")
    _, (_, rows), *_ = found.tables_for_reading()
    figures = []
    if len(found.frame()) <= MOST_VIEWS:
        text = "The difference in every view, with its interval. Other measures are scaled to the standard deviation of the first; costs are not."
        figures.append((inline_svg(found.plot, "conclusion-0", found.sentence), text))
    return _parts("conclusion", "Does it hold?", [found.sentence], figures, [_table(rows, "doubts")])


def persistence(reported: Reported) -> Section | None:
    """Return what is left of improvements on other snapshots of the collection; None without any."""
    if reported.persisted is None:
        return None
    found = reported.persisted(reported.comparison.scores.measures, level=reported.comparison.choices.level)
    (sentences, _), (_, rows) = found.tables_for_reading()
    texts = {
        "effects": "The part of the difference that is left, and how much of the relative improvement is lost, with intervals.",
        "means": "The means on each snapshot.",
    }
    figures = [
        (inline_svg(partial(found.plot, kind), f"persistence-{kind}", text), text) for kind, text in texts.items()
    ]
    return _parts("persistence", "Does it persist?", sentences.splitlines(), figures, [_table(rows, "snapshots")])


# -- the leaderboard ---------------------------------------------------------------------------------------


def leaderboard(reported: Reported) -> Section:
    """Return the means of all systems in every view, their differences to the baselines with p-values, and groups."""
    comparison = reported.comparison
    scores, choices = comparison.scores, comparison.choices
    with_groups, baselines, names = comparison.has_groups, comparison.baseline, comparison.names
    rows: dict[str, list[dict[str, Any]]] = {system: [] for system in comparison.ranked()}
    for v, view in enumerate(scores.names):
        of_view = comparison.cells(v)
        largest = max(abs(cell.mean) for cell in of_view.values())
        p_to_best = comparison.pairs(view)[comparison.ranked(v)[0]] if comparison.all_pairs else {}
        for system, cells in rows.items():
            cell = of_view[system]
            cells.append(_mean(cell, largest))
            for one in baselines:
                cells += _difference(cell.differences.get(one), largest)
            if comparison.all_pairs:
                cells.append(_p(p_to_best[system]))
            if with_groups:
                cells.append({"text": cell.alike, "value": cell.alike, "is_letters": True})
    corrected = (
        f"corrected: {choices.correction.SHORT_DESC or choices.correction}" if choices.is_corrected else "not corrected"
    )
    groups = comparison.alike_name if with_groups else ""
    columns = ["p to the best"] if comparison.all_pairs else []
    for one in baselines:
        columns += [f"difference to {names[one]}", f"p to {names[one]}" if len(baselines) > 1 else "p"]
    content = {
        "measures": scores.names,
        "columns": ["mean", *columns, *([groups] if with_groups else [])],
        "rows": [(names[system], system in baselines, system, cells) for system, cells in rows.items()],
        "baselines": bool(baselines),
        "groups": groups,
        "coverage": choices.coverage,
        "level": f"{choices.level:g}",
        "corrected": corrected,
        "topics": topics_of(comparison),
        "filtered": len(scores.systems) >= FILTERED,
    }
    return Section("leaderboard", "Leaderboard", content)


def _mean(cell: Cell, largest: float) -> dict[str, Any]:
    places, fewer = places_below(largest, 4), places_below(largest, 3)
    return {
        "text": fixed(cell.mean, places),
        "value": repr(cell.mean),
        "small": interval(cell.low, cell.high, fewer),
        "bar": f"{100 * max(cell.mean, 0.0) / largest:.1f}" if largest > 0 else "0",
        "is_best": cell.is_best,
    }


def _difference(found: Difference | None, largest: float) -> list[dict[str, Any]]:
    """Return the cells of a difference and of its p-value."""
    if found is None:
        return [{"text": "", "value": "0"}, _p(math.nan)]
    text = f"{found.difference:+.{places_below(largest, 4)}f}"
    small = interval(found.low, found.high, places_below(largest, 3))
    return [
        {"text": text, "value": repr(found.difference), "small": small, "sign": found.better},
        _p(found.p_corrected),
    ]


def _p(p: float) -> dict[str, Any]:
    """Return the cell of a p-value, which is empty if there is none, and then sorted as if it were 1."""
    return {"text": p_text(p), "value": "1" if math.isnan(p) else repr(float(p))}


# -- pictures ----------------------------------------------------------------------------------------------


def pairs(reported: Reported) -> Section | None:
    """Return which pairs of systems can be told apart; None unless all pairs of more than two were compared."""
    comparison = reported.comparison
    if not comparison.has_groups:
        return None
    views = list(comparison.scores.names)
    tested = f"tested as in the leaderboard, all {plural(len(comparison.compared.first), 'pair')} together."
    figures = []
    if len(comparison.scores.systems) <= MOST_NAMES:
        text = f"Systems at their means. Systems with a dot on the same bar cannot be told apart; {tested}"
        for i, view in enumerate(views):
            told = f"Which systems cannot be told apart by {view}"
            figures.append((inline_svg(partial(comparison.plot, "groups", view=view), f"groups-{i}", told), ""))
    else:
        text = f"p-values of all pairs, the best systems on top and on the left. Dark fields differ, light ones do not; {tested}"
        figures = _side_by_side(comparison, "p", "pairs", "p-values of all pairs of systems by")
    return _parts("pairs", "Which systems differ", [text], figures)


def _side_by_side(comparison: Comparison, kind: str, name: str, told: str, **options: Any) -> list[tuple[Any, str]]:
    """Return pictures of some views each, as many as stand side by side; what they show is told with the names of these."""
    views = comparison.scores.names
    figures = []
    for i in range(0, len(views), ACROSS):
        of = list(views[i : i + ACROSS])
        draw = partial(comparison.plot, kind, views=of, **options)
        figures.append((inline_svg(draw, f"{name}-{i}", f"{told} {joined(of)}"), ""))
    return figures


def intervals(reported: Reported) -> Section:
    """Return the differences to the baselines with their intervals, or the means of all systems."""
    comparison = reported.comparison
    views, systems = list(comparison.scores.names), len(comparison.scores.systems) - bool(comparison.baseline)
    baselines = joined([comparison.names[one] for one in comparison.baseline]) if comparison.baseline else ""
    what = f"Differences to {baselines}" if baselines else "Means"
    text = f"{what} with {comparison.choices.coverage} intervals, the best system by {views[0]} on top."
    if systems > MOST_INTERVALS:
        text += f" The first {MOST_INTERVALS} of {systems} systems; the leaderboard has all."
    told = f"{what} with intervals, by"
    figures = _side_by_side(comparison, "differences", "intervals", told, most=MOST_INTERVALS)
    return _parts("intervals", "How large the differences are", [text], figures)


def costs(reported: Reported) -> Section | None:
    """Return the quality of systems against every cost; None where there is no cost, or nothing else."""
    comparison = reported.comparison
    if "cost" not in comparison.pictures:
        return None
    names, signs = comparison.scores.names, signs_of(comparison.scores).tolist()
    quality = names[signs.index(1)]
    figures = []
    for i, cost in enumerate([name for name, sign in zip(names, signs, strict=True) if sign < 0][:MOST_COSTS]):
        draw = partial(comparison.plot, "cost", cost=cost, quality=quality)
        figures.append((inline_svg(draw, f"costs-{i}", f"{quality} of systems over their {cost}"), ""))
    text = "The means of systems with their intervals. On the line are systems that no other one beats in quality and in cost."
    return _parts("costs", "Quality and cost", [text], figures)


# -- measures ----------------------------------------------------------------------------------------------


def agreement(reported: Reported) -> Section | None:
    """Return how far the views rank the systems alike; None where there is nothing to compare."""
    scores = reported.comparison.scores
    if len(scores.systems) < 3 or len(scores.names) < 2:
        return None
    try:
        result = correlate(scores, resamples=0, progress=False)
    except DataError:
        return None  # fewer than two views rank the systems
    figures = []
    if len(result.measures) > 2:
        told = "Kendall's tau-b of the rankings of systems by every two measures"
        figures.append((inline_svg(lambda: result.plot("map"), "agreement-map", told), f"{told}."))
    columns = ["a", "b", "tau", "tau_ap", "rbo", "spearman", "pearson"]
    caption = "Correlations of the rankings of systems by two measures"
    table = _table(result.frame()[columns].to_dict("records"), caption)
    facts = result.facts()
    text = f"Systems: {facts['systems']}. RBO: {facts['RBO']}."
    return _parts("agreement", "How far the measures agree", [text, *result.notes], figures, [table])


def views(reported: Reported) -> Section | None:
    """Return for which users, the settings of a measure, a system is better; None if no measure has several views."""
    comparison = reported.comparison
    groups = comparison.groups.several
    if not groups:
        return None
    texts = (
        [f"{sentence}." for sentence in comparison.sentences()] if len(comparison.compared.first) <= SENTENCES else []
    )
    figures, tables = [], []
    ranks = comparison.frame("ranks")
    for i, group in enumerate(groups):
        told = f"For which of {len(group.views)} views of {group.name} a system is better"
        if len(comparison.compared.first) <= MOST_PAIRS:
            try:
                draw = lambda group=group: comparison.plot("views", measure=group.name)  # noqa: E731
                figures.append((inline_svg(draw, f"users-{i}", told), f"{told}; p-values as in the leaderboard."))
            except UsageError:
                pass  # what cannot be drawn is in the table
        bands = ranks[ranks["measure"] == group.name][["system", "best", "median", "worst", "first"]]
        rows = bands.sort_values(["median", "best"], kind="stable").to_dict("records")
        caption = f"Ranks over the views of {group.name}; first: the share of users for whom it is the best"
        tables.append(_table(rows, caption, 2))
    return _parts("users", "For which users", texts, figures, tables)


def formulas(reported: Reported) -> Section | None:
    """Return the formulas of the measures with the meanings of their symbols; None if no measure states its own."""
    from markupsafe import Markup

    stated: dict[str, Any] = {}
    for measure in reported.comparison.scores.measures:
        name = str(measure.NAME)
        formula = getattr(measure, "FORMULA", None) or getattr(registry().scorer(name), "FORMULA", None)
        if formula is not None:
            stated[name] = Markup(formula.to_html())
    return Section("formulas", "Formulas of the measures", {"formulas": stated}) if stated else None


# -- unjudged documents ------------------------------------------------------------------------------------


def unjudged_documents(reported: Reported) -> Section | None:
    """Return the shares of unjudged documents, and for few rankings what they could change; None without judgments."""
    if reported.judged is None:
        return None
    comparison, values = reported.comparison, reported.judged
    scores = comparison.scores
    retrieved = ~values.missing.any(axis=2)
    means = mean_shares(np.where(retrieved, 1 - values[JUDGED], np.nan))
    of_systems = pd.Series(means, values.systems).dropna().sort_values(ascending=False, kind="stable")
    few = len(scores.systems) * len(scores.topics) <= MOST_RANKINGS
    title = "Unjudged documents"
    if of_systems.max() == 0 and not few:
        return _parts("unjudged", title, ["The first ten documents of every system and topic are judged."])
    rows = [{"system": comparison.names[system], "unjudged at 10": share} for system, share in of_systems.items()]
    table = _folded(rows, "Share of unjudged documents among the first ten, averaged over topics")
    texts = [
        "An unjudged document counts as non-relevant, so that a system with more of them may be better than it looks."
    ]
    if not few or reported.judgments is None:
        return _parts("unjudged", title, texts, tables=[table])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # the scores have given them
        baseline = comparison.baseline or None
        measures = list(dict.fromkeys(scores.measures))
        result = unjudged(measures, reported.judgments, reported.runs, baseline=baseline, progress=False)
    columns = ["measure", "system", "value", "if_nonrelevant", "if_relevant", "bounds", "flips"]
    words = {"if_nonrelevant": "if non-relevant", "if_relevant": "if relevant", "flips": "order could change"}
    frame = result.frame()[columns]
    if (frame["if_relevant"] < frame["if_nonrelevant"]).any():
        texts.append(
            "A value can be smaller if all unjudged documents are relevant: measures that divide by the number of relevant "
            "documents, or by an ideal ranking, then divide by more."
        )
    caption = (
        "Values if all unjudged documents were non-relevant or relevant, and whether the order with the baseline could change "
        "(unknown where none of the grades tried does, and others might); "
        "bounds: exact if no grading can move the value outside this range, an assumption if one can"
    )
    shown = frame.assign(system=frame["system"].map(comparison.names)).rename(columns=words)
    could = _folded(shown.to_dict("records"), caption)
    return _parts("unjudged", title, [*texts, *result.notes], tables=[table, could])


# -- tables and data, methods, how it was made -------------------------------------------------------------


def csv_of(frame: pd.DataFrame) -> str:
    """Return a table as CSV that a spreadsheet takes for data, never for formulas: numbers with six digits.

    >>> import pandas as pd
    >>> print(csv_of(pd.DataFrame({"run": ["=cmd", "-1"], "AP": [-0.25, 1 / 3]})))
    run,AP
    '=cmd,-0.25
    -1,0.333333
    <BLANKLINE>
    """
    shown = frame.rename(columns=lambda name: in_spreadsheet(str(name)))
    for name in shown.columns[[dtype.kind != "f" for dtype in shown.dtypes]]:
        shown[name] = shown[name].map(lambda cell: in_spreadsheet(cell) if isinstance(cell, str) else cell)
    text: str = shown.to_csv(index=False, float_format="%.6g", lineterminator="\n")
    return text


def tables(reported: Reported) -> Section:
    """Return the table of a paper in LaTeX, and the data as CSV."""
    comparison = reported.comparison
    sources = [
        Source("latex-comparison", "Table for a paper, in LaTeX", comparison.to_latex(), "comparison.tex"),
        Source("csv-summary", "Means and differences, as CSV", csv_of(comparison.frame("systems")), "systems.csv"),
    ]
    if len(comparison.comparisons) <= MOST_ROWS:
        sources.append(Source("csv-comparisons", "Comparisons, as CSV", csv_of(comparison.frame()), "comparisons.csv"))
    scores = comparison.scores
    t, s = (index.ravel() for index in np.indices(scores.values.shape[:2]))
    names = {"query_id": np.array(scores.topics, dtype=object)[t], "system": np.array(scores.systems, dtype=object)[s]}
    views = {view: scores.values[:, :, v].ravel() for v, view in enumerate(scores.names)}
    by_topic = csv_of(pd.DataFrame(names | views))
    sources.append(Source("csv-topics", "Values of every topic, as CSV", by_topic, "topics.csv"))
    return _parts("tables", "Tables and data", sources=sources)


def citing(reported: Reported) -> Section:
    """Return the sentences for a method section, and BibTeX of what to cite."""
    comparison = reported.comparison
    sources = [
        Source("methods", "For the method section", sentences_of(comparison), is_open=True),
        Source("bibtex", "What to cite, in BibTeX", comparison.bibtex(), "report.bib"),
    ]
    return _parts("citing", "Methods and how to cite", sources=sources)


def making(reported: Reported) -> Section:
    """Return the facts, the versions, the command and the digests of the files."""
    comparison = reported.comparison
    facts = [*comparison._below(), ("irmx-study", version("irmx-study"))]
    if reported.qrels:
        facts.insert(0, ("judgments", reported.qrels))
    made_by = comparison.scores.made_by
    files = {**made_by.get("runs", {}), **made_by.get("files", {})}
    if isinstance(digest := made_by.get("qrels"), str) and digest:
        files = {reported.qrels: digest, **files}
    digests = [{"file": name, "SHA-256": digest} for name, digest in files.items() if digest]
    content = {
        "facts": facts,
        "command": Source("command", "Command", reported.command, is_open=True) if reported.command else None,
        "digests": _table(digests, "Files that were read, and the digests of their bytes") if digests else None,
        "files": len(digests),
    }
    return Section("making", "How it was made", content)


SECTIONS: tuple[Callable[[Reported], Section | None], ...] = (
    conclusion, persistence, leaderboard, pairs, costs, intervals, topics, rankings, agreement, views, unjudged_documents, formulas, tables, citing, making,
)  # fmt: skip
"""What makes the sections, in order; None for a section that says nothing on what is reported."""


# -- the report --------------------------------------------------------------------------------------------


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
    snapshots: Any = None,
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
    snapshots : mapping, or path of a table, optional
        Other snapshots of the collection, as for :func:`irmx_study.persist`.
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
    if snapshots is not None:
        about["persisted"] = partial(persist, snapshots, missing=how.get("missing", "refuse"))
    if isinstance(source, Comparison) and qrels is None and runs is None:
        if baseline is not None or how:
            raise UsageError("How a comparison was made cannot be changed in its report. Give the choices to compare.")
        return Report(Reported(source, **about), title)
    if qrels is None or runs is None or isinstance(source, (Comparison, Scores)) or hasattr(source, "columns"):
        values = as_scores("report", source, qrels, runs)
        return Report(Reported(compare(values, baseline=baseline, **how), **about), title)
    judgments = read_qrels(qrels)
    by_name = {name: read_run(run) if run == _STDIN else run for name, run in named_runs(runs).items()}
    is_file = is_path(qrels) and qrels != _STDIN
    several = [source] if isinstance(source, (str, ir_measures.Measure)) else list(source)
    asked = as_measures(several)
    try:
        values = irmx.scores([*asked, JUDGED], qrels if is_file else judgments, by_name)
    except DataError:  # in streams documents may repeat, and their measures take that
        values = irmx.scores(asked, qrels if is_file else judgments, by_name)
    collection = collection_named(qrels)
    if texts is None:
        about["texts"] = texts_of_collection(collection)
    if queries is None:
        about["queries"] = queries_of_collection(collection)
    comparison = compare(values.select(measures=asked), baseline=baseline, **how)
    judged = values.select(measures=[JUDGED]) if JUDGED in map(str, values.measures) else None
    named = os.fspath(qrels) if is_file else ""
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
