"""Agreement of measures on real data: published overlaps and TREC-8 ad hoc."""

from __future__ import annotations

import csv
import lzma
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import irmx
import irmx_study

pytestmark = pytest.mark.real

PAGE = " ".join(
    (Path(__file__).parents[2] / "docs" / "guide" / "agreement-of-measures.md").read_text(encoding="utf-8").split()
)
"""The guide, in one line."""


def ranking(text: str) -> list[list[str]]:
    """A ranking from a text in which parentheses hold tied items."""
    groups = re.findall(r"\(([^)]*)\)|(\S+)", text)
    return [tied.split() or [single] for tied, single in groups]


def test_ten_thousand_published_overlaps() -> None:
    """Corsi and Urbano's own numbers (SIGIR 2024), rankings of different lengths and items with ties, a third in each way."""
    path = Path(os.environ["IRMX_DATA"]) / "statistics" / "rbo2024" / "test.csv.xz"
    with lzma.open(path, "rt") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 10_000
    for first, ties in enumerate(("w", "a", "b")):
        third = rows[first::3]
        overlaps = [irmx_study.rbo(ranking(row["x"]), ranking(row["y"]), float(row["p"]), ties) for row in third]
        published = [[float(row[f"{ties}.{name}"]) for name in ("ext", "min", "max", "res")] for row in third]
        np.testing.assert_allclose(np.array(overlaps), published, rtol=0, atol=1e-12)


def test_precision_and_ap_rank_the_runs_of_trec8_alike_by_827(trec8_scores: irmx.Scores) -> None:
    agreement = irmx_study.correlate(trec8_scores, reference="AP")
    row = agreement.frame("stability").iloc[0]
    assert row[["a", "b", "systems", "topics", "resamples", "without"]].tolist() == ["AP", "P@10", 129, 50, 1000, 0]
    assert row["tau"] == pytest.approx(0.827, abs=5e-4)
    assert (row["low"], row["high"]) == (pytest.approx(0.756, abs=0.006), pytest.approx(0.842, abs=0.003))
    assert row["median"] < row["tau"] - 0.02  # which is why the range is not a confidence interval
    tau, low, median, high = (f"{row[name]:.3f}".lstrip("0") for name in ("tau", "low", "median", "high"))
    assert (
        f"tau of AP and P@10 is {tau}, and 95% of the resamples are between {low} and {high}, with a median of {median}."
        in PAGE
    )
    fifths = irmx_study.correlate(trec8_scores, reference="AP", level=0.4).frame("stability").iloc[0]
    assert fifths["high"] < row["tau"]  # which is larger than four fifths of the resamples


@pytest.mark.parametrize("decimals", [None, 4])
def test_coefficients_of_trec8_are_those_of_scipy(trec8_scores: irmx.Scores, decimals: int | None) -> None:
    agreement = irmx_study.correlate(trec8_scores, decimals=decimals)
    means = pd.DataFrame(agreement.means, columns=agreement.measures)
    for row in agreement.frame().itertuples():
        x, y = means[row.a], means[row.b]
        assert row.tau == pytest.approx(stats.kendalltau(x, y).statistic)
        assert row.spearman == pytest.approx(stats.spearmanr(x, y).statistic)
        assert row.pearson == pytest.approx(stats.pearsonr(x, y).statistic)
