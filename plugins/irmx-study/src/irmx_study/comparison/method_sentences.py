"""The sentences for the method section of a paper, and what to cite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import irmx
from irmx import Citation
from irmx.toolkit import papers_of, visible
from irmx_study.comparison.stated_facts import (
    EFFECTS,
    draws_of,
    interval_name,
    parameters_of,
    size_of_family,
    topics_of,
)
from irmx_study.significance.cited_papers import EFRON

if TYPE_CHECKING:
    from irmx_study.comparison.comparison import Comparison

_TESTS = {
    "t": "a two-sided paired t test",
    "permutation": "a two-sided paired permutation test, which flips the signs of differences",
    "bootstrap": "a two-sided paired bootstrap test by the shift method",
    "wilcoxon": "a two-sided Wilcoxon signed-rank test",
    "sign": "a two-sided sign test",
    "tukey": "Tukey's honestly significant difference test on a two-way analysis of variance, topics by systems",
    "randomised-tukey": "the randomised version of Tukey's honestly significant difference test, which permutes systems within topics",
}

_CORRECTIONS = {
    "holm": "Holm's method",
    "bonferroni": "Bonferroni's method",
    "hommel": "Hommel's method",
    "bh": "the method of Benjamini and Hochberg, which controls the false discovery rate",
    "maxt": "the maxT permutation method of Westfall and Young, which replaces them by those of the largest t statistic",
}


def sentences_of(comparison: Comparison) -> str:
    """Return the sentences for the method section of a paper, in one paragraph."""
    sentences = [*_compared(comparison), *_tested(comparison), *_corrected(comparison), *_sizes(comparison)]
    return visible(" ".join(sentences))


def joined(words: Sequence[Any]) -> str:
    """Return an enumeration.

    >>> joined(["AP", "RR", "NCP"])
    'AP, RR and NCP'
    """
    return " and ".join(filter(None, [", ".join(map(str, words[:-1])), str(words[-1])]))


def _in_words(named: Any, known: dict[str, str], kind: str) -> str:
    name = named.NAME.replace("_", "-")
    return known.get(name, f"{kind} {named}" + (f" ({named.SHORT_DESC})" if named.SHORT_DESC else ""))


def _compared(comparison: Comparison) -> list[str]:
    scores = comparison.scores
    by = f"by {joined(scores.measures)} on {topics_of(comparison)} topics"
    systems = len(scores.systems)
    if systems == 2:
        b = comparison.baseline[0] if comparison.baseline else scores.systems[0]
        [a] = [system for system in scores.systems if system != b][:1]
        first = f"We compared {a} with {b} {by}"
    elif comparison.all_pairs:
        first = f"We compared all pairs of {systems} systems {by}"
    else:
        each = "each with the baseline" if len(comparison.baseline) == 1 else "each with each of the baselines"
        first = f"We compared {systems} systems {by}, {each} {joined(comparison.baseline)}"
    sentences = [f"{first}, using irmx {irmx.__version__}."]
    if not scores.retrieved.all():
        sentences.append("A topic for which a system retrieved nothing counted with the default value of the measure.")
    return sentences


def _tested(comparison: Comparison) -> list[str]:
    choices = comparison.choices
    test = _in_words(choices.test, _TESTS, "the two-sided test")
    if choices.test.NAME in _TESTS and (parameters := ", ".join(parameters_of(choices.test))):
        test += f" ({parameters})"
    sentences = [f"Differences were tested with {test}, at the level {choices.level:g}."]
    for number, kinds in draws_of(comparison).items():
        users = joined([f"the {kind}" for kind in kinds]).replace("interval", "intervals")
        drawn = f" random draws (seed {choices.seed})" if number[0].isdigit() else ""
        sentences.append(f"{users.capitalize()} used {number}{drawn}.")
    if choices.tie_threshold and "sign" in choices.test.NAME:
        sentences.append(f"Differences of at most {choices.tie_threshold:g} on a topic counted as ties.")
    return sentences


def _corrected(comparison: Comparison) -> list[str]:
    choices = comparison.choices
    sentences = []
    if choices.correction.NAME != "none":
        of = (
            "of all measures together"
            if choices.family == "all" and len(comparison.scores.measures) > 1
            else "of each measure"
        )
        method = _in_words(choices.correction, _CORRECTIONS, "the method")
        sentences.append(
            f"The p-values of the {size_of_family(comparison)} {of} were corrected for multiple testing by {method}."
        )
    elif choices.of_all_pairs:
        sentences.append("The test controls the family-wise error rate over all pairs of systems, for each measure.")
    elif len(comparison.comparisons) > 1:
        sentences.append(
            f"The p-values of the {len(comparison.comparisons)} comparisons were not corrected for multiple testing."
        )
    if identical := int(comparison.identical.sum()):
        are = "1 comparison of systems with identical values is" if identical == 1 else None
        sentences.append(
            f"{are or f'{identical} comparisons of systems with identical values are'} not part of a family."
        )
    return sentences


def _sizes(comparison: Comparison) -> list[str]:
    choices = comparison.choices
    effect = EFFECTS[choices.of_all_pairs].replace(" / ", " divided by the ").replace("topics x", "topics by")
    return [
        f"We report mean differences with {choices.coverage} {interval_name(comparison)}; the effect size is the {effect}."
    ]


def citations_of(comparison: Comparison) -> tuple[Citation, ...]:
    """Return the papers of the test, the correction, the interval and the measures, each once."""
    papers = []
    for named in (comparison.choices.test, comparison.choices.correction):
        cited = getattr(named, "CITATIONS", ())
        papers += [one if isinstance(one, Citation) else Citation.from_bibtex(one) for one in cited]
    if comparison.choices.interval == "bca":
        papers.append(Citation.from_bibtex(EFRON))
    papers += [paper for measure in comparison.scores.measures for paper in papers_of(measure)]
    return tuple({paper.key: paper for paper in papers}.values())
