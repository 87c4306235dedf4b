"""What a table of a comparison must state, in the words of its footer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irmx.toolkit import counted
from irmx_study.correlation.agreement_facts import versions_fact
from irmx_study.significance.named_tests import SignificanceTest
from irmx_study.significance.random_draws import all_signs

if TYPE_CHECKING:
    from irmx_study.comparison.comparison import Comparison

EFFECTS = {
    False: "mean difference / standard deviation of the differences",
    True: "mean difference / square root of the residual variance, topics x systems",
}
"""The names of effect sizes; the second for tests of all pairs of systems together."""


def facts_of(comparison: Comparison) -> dict[str, str]:
    """Return the test, the family, the correction, the level, intervals, effect size, draws, seed, topics, versions."""
    choices, scores = comparison.choices, comparison.scores
    topics = topics_of(comparison)
    facts = {
        "test": f"{choices.test.SHORT_DESC or choices.test} ({', '.join(['two-sided', *parameters_of(choices.test)])})",
        "family": _family(comparison),
        "correction": _correction(comparison),
        "level": f"{choices.level:g}",
        "intervals": f"{choices.coverage} {interval_name(comparison)}",
        "effect": EFFECTS[choices.of_all_pairs],
    }
    if has_letters(comparison):
        facts["letters"] = "systems that share one cannot be told apart: the same test and correction, of all pairs"
    if choices.resampled:
        draws = (f"{number} ({' and '.join(users)})" for number, users in draws_of(comparison).items())
        facts |= {"draws": ", ".join(draws), "seed": str(choices.seed)}
    ties = f", a difference of at most {choices.tie_threshold:g} being a tie" if choices.tie_threshold else ""
    facts["W/T/L"] = f"topics won, tied and lost{ties}"
    return facts | {
        "topics": topics if topics == str(len(scores.topics)) else f"{topics} of {len(scores.topics)}",
        "missing": _missing(comparison),
        "versions": versions_fact(scores.measures),
    }


def parameters_of(test: Any) -> list[str]:
    """Return the parameters of a test and their values, also where they are the defaults, but not None."""
    return [f"{name}={test[name]!r}" for name in test.SUPPORTED_PARAMS if test[name] is not None]


def draws_of(comparison: Comparison) -> dict[str, list[str]]:
    """Return what makes how many random draws; on few topics, permutations use all changes of signs instead.

    >>> import irmx_study, pandas as pd
    >>> rows = [(f"q{i}", system, "AP", i / 10 * k) for i in range(8) for k, system in enumerate("ab")]
    >>> values = pd.DataFrame(rows, columns=["query_id", "system", "measure", "value"])
    >>> draws_of(irmx_study.compare(values, test="permutation", interval="bca"))
    {'all 256 changes of signs': ['test'], '10,000': ['interval']}
    """
    choices, topics = comparison.choices, int(comparison.comparisons["topics"].max())
    users: dict[str, list[str]] = {}
    for kind in choices.resampled:
        flips_signs = getattr(getattr(choices, kind), "FLIPS_SIGNS", False)
        is_exact = flips_signs and all_signs(topics, choices.draws)
        users.setdefault(f"all {2**topics:,} changes of signs" if is_exact else f"{choices.draws:,}", []).append(kind)
    return users


def has_letters(comparison: Comparison) -> bool:
    """Return whether letters say more than the p-value of a single pair of systems."""
    return len(comparison.scores.systems) > 2


def topics_of(comparison: Comparison) -> str:
    """Return the number of topics compared; the smallest and largest where measures differ in it."""
    return _range(sorted({int(number) for number in comparison.comparisons["topics"]}))


def size_of_family(comparison: Comparison) -> str:
    """Return how many comparisons are corrected together, such as "2 comparisons"; identical systems are not counted."""
    table = comparison.comparisons
    counts = table[~comparison.identical].groupby("measure", sort=False).size()
    sizes = [int(counts.get(str(measure), 0)) for measure in comparison.scores.measures]
    if comparison.choices.family == "all":
        sizes = [sum(sizes)]
    return f"{_range(sorted(set(sizes)))} comparison{'' if set(sizes) == {1} else 's'}"


def interval_name(comparison: Comparison) -> str:
    """Return what kind of intervals the differences have, and whether they hold for all differences together."""
    choices = comparison.choices
    own = getattr(type(choices.test), "intervals", SignificanceTest.intervals)
    if choices.of_all_pairs and own is not SignificanceTest.intervals:
        return "intervals of the test, simultaneous for all pairs"
    kind = "bias-corrected and accelerated bootstrap" if choices.interval == "bca" else "t"
    return f"{kind} intervals" + (", not corrected for several comparisons" if len(comparison.comparisons) > 1 else "")


def _family(comparison: Comparison) -> str:
    of = "all pairs" if comparison.all_pairs else f"each system with {' and with '.join(comparison.baseline)}"
    if len(comparison.scores.systems) == 2:
        of = "{a} with {b}".format(**comparison.comparisons.iloc[0])
    by = " by all measures together" if comparison.choices.family == "all" else " for each measure"
    return f"{size_of_family(comparison)}{by if len(comparison.scores.measures) > 1 else ''}: {of}"


def _correction(comparison: Comparison) -> str:
    choices = comparison.choices
    if choices.of_all_pairs:
        return "none: the test controls the family-wise error rate over all pairs of systems, for each measure"
    return "none" if choices.correction.NAME == "none" else choices.correction.SHORT_DESC or str(choices.correction)


def _missing(comparison: Comparison) -> str:
    missing = (~comparison.scores.retrieved).sum(axis=0)
    if not missing.any():
        return "none"
    return f"{int(missing.sum())} topics of {counted(int((missing > 0).sum()), 'system')}, counted as the measure's default"


def _range(numbers: list[int]) -> str:
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
