"""The sections on measures: how far they agree, for which users a system is better, and their formulas."""

from __future__ import annotations

from typing import Any

from irmx import DataError, UsageError, registry
from irmx_study.correlation.correlate import correlate
from irmx_study.html_report.inline_svg import inline_svg
from irmx_study.html_report.reported import Reported
from irmx_study.html_report.section import Figure, Section, parts, table_of
from irmx_study.users.sensitivity import SENTENCES, sensitivities

MOST_PAIRS = 20
"""The shares of users are drawn for so many pairs of systems; of more, a table has the ranks."""


def agreement(reported: Reported) -> Section | None:
    """Return how far the measures rank the systems alike; None where there is nothing to compare."""
    scores = reported.comparison.scores
    if len(scores.systems) < 3 or len(scores.measures) < 2:
        return None
    try:
        result = correlate(scores, resamples=0, progress=False)
    except DataError:
        return None  # fewer than two measures rank the systems
    figures = []
    if len(result.measures) > 2:
        told = "Kendall's tau-b of the rankings of systems by every two measures"
        figures.append(Figure(inline_svg(result.plot().figure_, "agreement-map", told), f"{told}."))
    columns = ["a", "b", "tau", "tau_ap", "rbo", "spearman", "pearson"]
    table = table_of(
        result.frame()[columns].to_dict("records"), "Correlations of the rankings of systems by two measures"
    )
    facts = result.facts(taus=False, stability=False)
    text = f"Systems: {facts['systems']}. RBO: {facts['RBO']}."
    return parts("agreement", "How far the measures agree", [text, *result.notes], figures, [table])


def users(reported: Reported) -> Section | None:
    """Return for which users, the settings of a measure, a system is better; None if no measure has several settings."""
    texts: list[str] = []
    figures, tables = [], []
    for i, result in enumerate(sensitivities(reported.comparison)):
        summary = result.summary()
        if len(summary) <= SENTENCES:
            texts += [f"{sentence}." for sentence in result.sentences()]
        told = f"For which of {len(result.shares)} users, the settings of {result.measure}, a system is better"
        try:
            if len(summary) <= MOST_PAIRS:
                svg = inline_svg(result.plot().figure_, f"users-{i}", told)
                figures.append(Figure(svg, f"{told}; p-values as in the leaderboard."))
        except UsageError:
            pass  # what cannot be drawn is in the table
        bands = result.rank_bands()[["system", "best", "median", "worst", "first"]]
        rows = bands.sort_values(["median", "best"], kind="stable").to_dict("records")
        tables.append(
            table_of(
                rows, f"Ranks over the users of {result.measure}; first: the share of users for whom it is the best", 2
            )
        )
    return parts("users", "For which users", texts, figures, tables) if tables else None


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
