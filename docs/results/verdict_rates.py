"""How often a verdict is wrong: conclusions that a doubt takes away though nothing is wrong, exceptions found, gates that fail.

Writes the page ``verdict_rates.md`` beside this file. Everything is simulated.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from markdown_pages import beside, markdown

import irmx
import irmx_study

EXPERIMENTS = 2_000
JUDGES, USERS, SLICES = 2, 10, 3
SD = 0.1
MAIN = irmx.parse_measure("RBP(p=0.4)")
MEASURES = (
    (MAIN,) * (1 + JUDGES)
    + tuple(irmx.parse_measure(f"RBP(p={0.5 + 0.05 * u:g})") for u in range(USERS))
    + (MAIN,) * SLICES
)


def noise(rng: np.random.Generator, shape: Any, skewed: bool) -> Any:
    """Return deviations of mean 0 and standard deviation 1."""
    return rng.exponential(size=shape) - 1 if skewed else rng.standard_normal(shape)


def scores(rng: np.random.Generator, topics: int, effect: float, exception: str, skewed: bool) -> irmx.Scores:
    """Return scores of two systems that differ by so many standard errors, but for the exception."""
    mean = effect / np.sqrt(topics)
    means = np.full((topics, 1 + JUDGES + USERS), mean)
    group = rng.permutation(np.arange(topics) % SLICES)
    if exception == "a slice is reversed":
        means = np.where((group == 0)[:, None], -means, 2 * means)  # the mean over all topics stays
    if exception == "absent under a judge":
        means[:, 1] = 0
    if exception == "fades over the users":
        means[:, 1 + JUDGES :] = mean * np.linspace(1, -0.5, USERS)
    of_topic = noise(rng, (topics, 1), skewed)
    share = np.array([1.0, *[0.8] * JUDGES, *[0.9] * USERS])
    difference = means + share * of_topic + np.sqrt(1 - share**2) * noise(rng, means.shape, skewed)
    difference = np.concatenate([difference, np.repeat(difference[:, :1], SLICES, axis=1)], axis=1) * SD
    values = np.stack([np.zeros_like(difference), difference], axis=1)
    states = np.zeros(values.shape, dtype=np.int8)
    states[:, :, -SLICES:] = np.where(group[:, None] == np.arange(SLICES), irmx.State.SCORED, irmx.State.OUTSIDE)[
        :, None
    ]
    views = len(MEASURES)
    marks = {"judgments": ("", "one", "two") + ("",) * (views - 3), "slice": ("",) * (views - SLICES) + ("a", "b", "c")}
    return irmx.Scores(
        values, tuple(f"q{t}" for t in range(topics)), ("base", "run"), MEASURES, states, marks=marks,
    )  # fmt: skip


def rates(topics: int, effect: float, exception: str = "", skewed: bool = False) -> dict[str, float]:
    """Return how often the claim holds, and of these how often any view is not significant, and which doubts break it."""
    rng = np.random.default_rng(7)
    holds, broken = 0, {"all": 0, "whole": 0, "any": 0, "judges": 0, "users": 0, "slices": 0}
    for _ in range(EXPERIMENTS):
        found = irmx_study.verdict(scores(rng, topics, effect, exception, skewed))
        if not found.outcome.startswith("holds"):
            continue
        holds += 1
        rows = found.frame()
        rows = rows[rows["doubt"] != "topics"]
        broken["all"] += bool((rows["outcome"] != "holds").any())
        broken["whole"] += bool((rows["outcome"] != "holds")[rows["doubt"] != "slices"].any())
        by_doubt = rows.groupby("doubt")["breaks"].any()
        broken["any"] += bool(by_doubt.any())
        for doubt in ("judges", "users", "slices"):
            broken[doubt] += bool(by_doubt[doubt])
    return {
        "holds": holds / EXPERIMENTS,
        **{name: count / holds for name, count in broken.items()},
    }


def gate(topics: int, drop: float, margin: float) -> float:
    """Return how often a gate passes, the drop and the margin in standard errors."""
    rng = np.random.default_rng(11)
    passed = 0
    for _ in range(EXPERIMENTS):
        difference = SD * (noise(rng, topics, skewed=False) - drop / np.sqrt(topics))
        values = np.stack([np.zeros(topics), difference], axis=1)[:, :, None]
        of_two = irmx.Scores(values, tuple(f"q{t}" for t in range(topics)), ("main", "change"), (MAIN,))
        passed += irmx_study.verdict(of_two, claim="no-worse", margin=margin * SD / np.sqrt(topics)).exit_code == 0
    return passed / EXPERIMENTS


def write(path: Path) -> None:
    """Write the page and its table."""
    rows = []
    for topics, effect, exception, skewed in [
        (50, 0, "", False), (50, 2, "", False), (50, 3, "", False), (50, 4, "", False), (50, 3, "", True), (20, 3, "", False),
        (20, 3, "", True), (200, 3, "", False), (200, 3, "", True),
        (50, 3, "a slice is reversed", False), (50, 4, "a slice is reversed", False), (50, 3, "absent under a judge", False),
        (50, 3, "fades over the users", False),
    ]:  # fmt: skip
        found = rates(topics, effect, exception, skewed)
        shape = "skewed" if skewed else "normal"
        rows.append(
            [exception or "the same everywhere", topics, shape, effect, *(f"{value:.2f}" for value in found.values())]
        )
    head = [
        "difference",
        "topics",
        "values",
        "in standard errors",
        "holds",
        "not significant in a view",
        "in a view of all topics",
        "broken by the rule",
    ]
    gates = [
        [margin, *(f"{gate(50, drop, margin):.2f}" for drop in (0, margin / 2, margin, 2 * margin))]
        for margin in (1, 2, 3, 4, 5)
    ]
    beside(path, "verdict_rates", [*head, "by judges", "by users", "by slices"], rows)
    page = PAGE.format(
        experiments=f"{EXPERIMENTS:,}",
        topics=50,
        rates=markdown(
            [head[0], *head[3:]], [[row[0], *row[3:8]] for row in rows if row[1] == 50 and row[2] == "normal"]
        ),
        gates=markdown(
            ["margin in standard errors", "nothing changed", "half the margin", "the margin", "twice the margin"],
            gates,
            texts=0,
        ),
    )
    path.write_text(page, encoding="utf-8")


PAGE = """# How often a verdict is wrong

The rule of {{py:func}}`irmx_study.verdict` takes away few conclusions that are true everywhere, and finds most exceptions. To ask for significance in
every view would take away nearly all of the former, too.

{rates}

Each row is {experiments} simulated experiments: the differences of two systems on {topics} topics, by 2 other judges (correlation 0.8 with the
first), 10 users (0.9) and in 3 groups of topics. "Holds" is how often the claim holds on all topics; the other columns are shares
of these: how often it is not significant in one of the 15 views, or in one of the 12 views of all topics, and how often a doubt breaks
it by the rule. [Other numbers of topics, skewed values, and each doubt](verdict_rates.csv). At no difference, the claim holds in one
of forty experiments: that is the level of one side.

## Gates

A gate passes if the change is not worse than the main branch by more than a margin. How often it passes, with 50 topics, by the size of the
true drop:

{gates}

With a margin of two standard errors, half of the changes that change nothing fail; with four, 2 in a hundred. A drop of the size of the margin
passes once in forty. A margin that is too small for the topics makes a gate flaky: use more topics, or a larger margin.

Made by `python docs/results/verdict_rates.py`.
"""

if __name__ == "__main__":
    write(Path(__file__).with_suffix(".md"))
