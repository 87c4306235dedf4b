"""The section with the means of all systems."""

from __future__ import annotations

from irmx_study.comparison.tables_for_reading import tables_for_reading
from irmx_study.html_report.reported import Reported
from irmx_study.html_report.section import Section


def leaderboard(reported: Reported) -> Section:
    """Return the means of all systems by every measure."""
    return Section("leaderboard", "Leaderboard", {"tables": list(tables_for_reading(reported.comparison))})
