"""The section with the means of all systems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from irmx_study.comparison.stated_facts import has_letters, topics_of
from irmx_study.html_report.reported import Reported
from irmx_study.html_report.section import Section

MOST_LETTERS = 26
"""Groups of systems are shown as letters if there are no more; pictures show the pairs of many systems."""


def leaderboard(reported: Reported) -> Section:
    """Return the means of all systems by every measure, their differences to the baselines, and letters."""
    comparison = reported.comparison
    summary = reported.summary
    measures = list(map(str, comparison.scores.measures))
    with_letters = has_letters(comparison) and _few_letters(reported)
    baselines = comparison.baseline
    rows: dict[str, list[dict[str, Any]]] = {}
    first = summary[summary["measure"] == measures[0]].drop_duplicates("system")
    for system in first.sort_values("mean", ascending=False, kind="stable")["system"]:
        rows[system] = []
    for measure in measures:
        of_measure = summary[summary["measure"] == measure]
        means = of_measure.drop_duplicates("system").to_dict("records")
        best = max((row["mean"] for row in means if not math.isnan(row["mean"])), default=0.0)
        differences = _differences(of_measure.to_dict("records"), baselines) if baselines else {}
        for row in means:
            cells = rows[row["system"]]
            cells.append(_mean(row, best))
            cells += [_difference(differences.get((row["system"], one)), comparison.choices.level) for one in baselines]
            if with_letters:
                cells.append({"text": row["letters"], "value": row["letters"], "is_letters": True})
    correction = comparison.choices.correction
    corrected = "not corrected" if correction.NAME == "none" else f"corrected by {correction.SHORT_DESC or correction}"
    content = {
        "measures": measures,
        "columns": ["mean", *(f"difference to {one}" for one in baselines), *(["groups"] if with_letters else [])],
        "rows": list(rows.items()),
        "baselines": baselines,
        "with_letters": with_letters,
        "coverage": comparison.choices.coverage,
        "level": f"{comparison.choices.level:g}",
        "corrected": corrected,
        "topics": topics_of(comparison),
    }
    return Section("leaderboard", "Leaderboard", content)


def _few_letters(reported: Reported) -> bool:
    letters = reported.of_all_pairs.letters
    return all(len(set().union(*of_measure)) <= MOST_LETTERS for of_measure in letters.values())


def _differences(rows: Sequence[dict[str, Any]], baselines: Sequence[str]) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the differences by system and baseline; that between two baselines stands in the rows of both."""
    found = {(row["system"], row["baseline"]): row for row in rows}
    turned = {
        (baseline, system): {**row, "difference": -row["difference"], "low": -row["high"], "high": -row["low"]}
        for (system, baseline), row in found.items()
        if system in baselines
    }
    return turned | found


def _mean(row: dict[str, Any], best: float) -> dict[str, Any]:
    mean = row["mean"]
    if math.isnan(mean):
        return {"text": "none", "value": ""}
    return {
        "text": f"{mean:.4f}",
        "value": repr(float(mean)),
        "small": f"{row['mean_low']:.3f} to {row['mean_high']:.3f}",
        "bar": f"{100 * max(mean, 0.0) / best:.1f}" if best > 0 else "0",
        "is_best": mean == best,
    }


def _difference(row: dict[str, Any] | None, level: float) -> dict[str, Any]:
    if row is None or math.isnan(row["difference"]):
        return {"text": "", "value": "0"}
    difference, p = row["difference"], row["p_corrected"]
    sign = 0 if not p <= level or difference == 0 else 1 if difference > 0 else -1
    return {
        "text": f"{difference:+.4f}",
        "value": repr(float(difference)),
        "small": f"{row['low']:+.3f} to {row['high']:+.3f}",
        "sign": sign,
        "hint": "" if math.isnan(p) else f"p = {p:.3g}" if p >= 0.0001 else "p < 0.0001",
    }
