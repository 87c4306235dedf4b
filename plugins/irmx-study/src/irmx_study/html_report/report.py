"""A report: one page of HTML on a comparison of systems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from irmx import counted
from irmx_study.html_report.leaderboard import leaderboard
from irmx_study.html_report.one_page import one_page
from irmx_study.html_report.reported import Reported
from irmx_study.html_report.section import Section

_SECTIONS: tuple[Callable[[Reported], Section | None], ...] = (leaderboard,)
"""What makes the sections, in order; None for a section that says nothing on what is reported."""


@dataclass(frozen=True)
class Report:
    """A report on a comparison of systems.

    Attributes
    ----------
    reported : Reported
        What it is about.
    title : str
        Its title.
    """

    reported: Reported
    title: str = ""

    def to_html(self) -> str:
        """Return the report as one page of HTML, which needs no other file and no network."""
        sections = [section for make in _SECTIONS if (section := make(self.reported)) is not None]
        scores = self.reported.comparison.scores
        title = self.title or f"{counted(len(scores.systems), 'system')} on {counted(len(scores.topics), 'topic')}"
        return one_page(title, sections)
