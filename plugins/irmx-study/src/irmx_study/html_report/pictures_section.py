"""The sections with pictures: pairs of systems, and differences with their intervals."""

from __future__ import annotations

from dataclasses import replace

from irmx.toolkit import counted
from irmx_study.comparison.interval_display import IntervalDisplay, Panel
from irmx_study.comparison.method_sentences import joined
from irmx_study.comparison.stated_facts import has_letters
from irmx_study.html_report.groups_display import GroupsDisplay
from irmx_study.html_report.inline_svg import inline_svg
from irmx_study.html_report.pairs_map import PairsMap
from irmx_study.html_report.reported import Reported
from irmx_study.html_report.section import Figure, Section, parts

MOST_NAMES = 16
"""Up to so many systems have a critical-difference diagram; the pairs of more are a heat map."""

MOST_INTERVALS = 40
"""The intervals of so many systems are drawn, of the best ones; the leaderboard has all."""

ACROSS = {"pairs": 3, "intervals": 2}
"""Panels that stand side by side in a page."""


def pairs(reported: Reported) -> Section | None:
    """Return which pairs of systems can be told apart; None for two systems, of which the leaderboard tells."""
    comparison = reported.of_all_pairs
    if not has_letters(comparison):
        return None
    measures = list(map(str, comparison.scores.measures))
    tested = (
        f"tested as in the leaderboard, all {counted(len(comparison.comparisons) // len(measures), 'pair')} together."
    )
    figures = []
    if len(comparison.scores.systems) <= MOST_NAMES:
        text = f"Systems at their means. Systems with a dot on the same bar cannot be told apart; {tested}"
        for i, measure in enumerate(measures):
            told = f"Which systems cannot be told apart by {measure}"
            svg = inline_svg(GroupsDisplay.from_comparison(comparison, measure).plot().figure_, f"groups-{i}", told)
            figures.append(Figure(svg))
    else:
        text = f"p-values of all pairs, the best systems on top and on the left. Dark fields differ, light ones do not; {tested}"
        for i in range(0, len(measures), ACROSS["pairs"]):
            of = measures[i : i + ACROSS["pairs"]]
            told = f"p-values of all pairs of systems by {joined(of)}"
            figures.append(Figure(inline_svg(PairsMap(comparison, of).plot().figure_, f"pairs-{i}", told)))
    return parts("pairs", "Which systems differ", [text], figures)


def intervals(reported: Reported) -> Section:
    """Return the differences to the baselines with their intervals, or the means of all systems."""
    comparison, most = reported.comparison, MOST_INTERVALS
    display = IntervalDisplay.from_comparison(comparison)
    what = f"Differences to {joined(comparison.baseline)}" if comparison.baseline else "Means"
    text = (
        f"{what} with {comparison.choices.coverage} intervals, the best system by {display.panels[0].measure} on top."
    )
    if len(display.systems) > most:
        text += f" The first {most} of {len(display.systems)} systems; the leaderboard has all."
    figures = []
    for i in range(0, len(display.panels), ACROSS["intervals"]):
        panels = tuple(_shortened(panel, most) for panel in display.panels[i : i + ACROSS["intervals"]])
        told = f"{what} with intervals, by {joined([panel.measure for panel in panels])}"
        shown = replace(display, systems=display.systems[:most], panels=panels)
        figures.append(Figure(inline_svg(shown.plot().figure_, f"intervals-{i}", told)))
    return parts("intervals", "How large the differences are", [text], figures)


def _shortened(panel: Panel, most: int) -> Panel:
    """Return a panel with its first systems."""
    columns = ("values", "low", "high", "significant")
    estimates = [replace(one, **{name: getattr(one, name)[:most] for name in columns}) for one in panel.estimates]
    return replace(panel, estimates=estimates, letters=panel.letters[:most])
