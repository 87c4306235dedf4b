"""Benchmark of irmx-pages: one fit of AS_RBP to simulated preferences of the size of the paper's.

    python tests/benchmarks/pages_fit.py [--quick] [--coverage REPEATS]

56 topics with 36 invented pages each, 2,688 pairs of pages, four assessors; the grid of the paper, alpha to 100 and beta
from 0.5 to 1, with cross-validation in 5 folds, by agreement and by likelihood, and l for every assessor. With --coverage it
counts instead how often the 95% intervals hold the values of the simulated users. Nothing here is a test.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
import warnings

import pandas as pd

import irmx
from irmx_pages import Page, fit_preferences, page_pairs, simulate_pages, simulate_preferences
from irmx_pages.example import Example, example

GRID = {"alpha": "2:100:99", "beta": "0.5:1"}
"""Steps of 1 and of 0.01; alpha = 1 is not defined."""

TRUTH = {"alpha": 7.0, "beta": 0.85}
PERSONAL = {"ann": 0.15, "bob": 0.2, "cem": 0.25, "dee": 0.4}
USERS = {name: f"AS_RBP(alpha=7,beta=0.85,personal={value})" for name, value in PERSONAL.items()}


def simulated(topics: int) -> tuple[Example, list[Page], pd.DataFrame]:
    """Return an invented collection, its pages and the pairs of them that users compare."""
    made = example(topics)
    pages = simulate_pages(made.qrels, made.items, made.verticals)
    return made, pages.pages, page_pairs(pages)


def report(quick: bool) -> str:
    """Return what the fit took, in a sentence."""
    topics = 8 if quick else 56
    made, pages, pairs = simulated(topics)
    preferences = simulate_preferences(pages, pairs, made.qrels, USERS)
    start = time.perf_counter()
    found = fit_preferences(pages, preferences, made.qrels, "AS_RBP", GRID)
    spent = time.perf_counter() - start
    return (
        f"One fit of AS_RBP to {len(pairs):,} page pairs and {len(USERS)} assessors, over {99 * 51:,} settings with 5 folds, takes "
        f"{spent:.1f} s on {os.cpu_count()} cores (wanted: under 60). It finds {found.by_likelihood}; the users have alpha=7, "
        f"beta=0.85 and a mean l of {sum(PERSONAL.values()) / len(PERSONAL):g}."
    )


def coverage(repeats: int, topics: int = 12) -> str:
    """Return how often the intervals hold the values of the users, in a sentence."""
    made, pages, pairs = simulated(topics)
    held = {"alpha": 0, "beta": 0, "l": 0}
    for seed in range(repeats):
        preferences = simulate_preferences(pages, pairs, made.qrels, USERS, seed=seed)
        found = fit_preferences(
            pages, preferences, made.qrels, "AS_RBP", {"alpha": "1.5:100", "beta": "0.5:1"}, folds=2
        )
        for row in found.parameters.itertuples():
            held[row.parameter] += row.low <= TRUTH[row.parameter] <= row.high
        held["l"] += sum(row.low <= PERSONAL[row.assessor] <= row.high for row in found.assessors.itertuples())
    return (
        f"In {repeats} repeats with {topics} topics and {len(pairs)} pairs the 95% intervals held alpha {held['alpha']} and beta "
        f"{held['beta']} times, and the l of the {len(PERSONAL)} assessors {held['l']} of {repeats * len(PERSONAL)} times."
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer topics")
    parser.add_argument(
        "--coverage", type=int, metavar="REPEATS", help="count how often intervals hold the true values"
    )
    warnings.simplefilter("ignore", irmx.DataWarning)
    asked = parser.parse_args()
    print(
        report(asked.quick) if asked.coverage is None else coverage(asked.coverage),
        f"Python {platform.python_version()}.",
    )
