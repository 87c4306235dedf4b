"""A comparison in words and in the table of a paper."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

import irmx
from irmx import Citation, UsageError
from irmx.toolkit import (
    IR_MEASURES,
    IRMX,
    in_latex,
    latex_blocks,
    latex_tabular,
    latex_width,
    papers_of,
    plural,
    suggest,
    visible,
)
from irmx_study.showing.result import (
    interval,
    joined,
    listing,
    p_statement,
    places_below,
    topics_lacking,
    versions_fact,
)
from irmx_study.statistics.paired import PairedValues, all_signs
from irmx_study.statistics.tests import EFRON, WilcoxonTest, count_lost_ties
from irmx_study.systems.pairs import Cell, ComparedSystems, Difference, complete_values, signs_of

if TYPE_CHECKING:
    import pandas as pd


# -- what a table of a comparison must state -------------------------------------------------------------------------


FEW, MANY = 20, 1000
"""Fewer topics than the first, or more than the second, are worth a note."""

EFFECTS = {
    False: "mean difference / standard deviation of the differences",
    True: "mean difference / square root of the residual variance, topics x systems",
}
"""The names of effect sizes; the second for tests of all pairs of systems together."""


# -- facts -------------------------------------------------------------------------------------------------


def facts_of(comparison: ComparedSystems) -> dict[str, str]:
    """Return the baseline, the test, the family, the correction, the level, intervals, draws, seed, topics, versions."""
    choices, scores = comparison.choices, comparison.scores
    topics = topics_of(comparison)
    facts = {}
    if comparison.is_default and len(scores.systems) > 2:
        best = comparison.names[comparison.baseline[0]]
        facts["baseline"] = f"{best}, the best of {len(scores.systems)} by {scores.names[0]}, because none was named"
    if cut := len(scores.systems[0]) - len(comparison.names[scores.systems[0]]):
        facts["names"] = f"shown without their common beginning, {scores.systems[0][:cut]!r}"
    facts |= {
        "test": f"{choices.test.SHORT_DESC or choices.test} ({', '.join(['two-sided', *parameters_of(choices.test)])})",
        **_how_wilcoxon(comparison),
        "family": _family(comparison),
        "correction": "none",
        "level": f"{choices.level:g}",
        "intervals": f"{choices.coverage} {interval_name(comparison)}",
    }
    if choices.of_all_pairs:
        facts["correction"] += (
            ": the test controls the family-wise error rate over all pairs of systems, for each measure"
        )
    elif choices.is_corrected:
        facts["correction"] = choices.correction.SHORT_DESC or str(choices.correction)
    several = len(scores.names) > 1
    if not several:
        facts["effect"] = EFFECTS[choices.of_all_pairs]
    if comparison.groups.several:
        facts["users"] = _users(comparison)
    if comparison.has_groups:
        how = "the same test and correction, of all pairs"
        if comparison.alike_name == "alike":
            facts["alike"] = (
                f"the best and the worst rank among the systems that do not differ from it significantly; systems ranked in between may differ: {how}"
            )
        else:
            facts["groups"] = f"systems that share a letter cannot be told apart: {how}"
    if several and (comparison.better != 0).any() and comparison.baseline:
        several_baselines = "baselines, in their order; ·: neither" if len(comparison.baseline) > 1 else "baseline"
        facts["▲, ▼"] = f"significantly better, worse than the {several_baselines}"
    if less := dict.fromkeys(map(str, compress(scores.measures, signs_of(scores) < 0))):
        facts["less is better"] = listing(list(less))
    if choices.resampled:
        draws = (f"{number} ({' and '.join(users)})" for number, users in draws_of(comparison).items())
        facts |= {"draws": ", ".join(draws), "seed": str(choices.seed)}
    ties = f", a difference of at most {choices.tie_threshold:g} being a tie" if choices.tie_threshold else ""
    if not several:
        facts["W/T/L"] = f"topics won, tied and lost{ties}"
    return facts | {
        "topics": topics if topics == str(len(scores.topics)) else f"{topics} of {len(scores.topics)}",
        "missing": _missing(comparison),
        "versions": versions_fact(scores),
    }


def parameters_of(test: Any) -> list[str]:
    """Return the parameters of a test and their values, also where they are the defaults, but not None."""
    return [f"{name}={test[name]!r}" for name in test.SUPPORTED_PARAMS if test[name] is not None]


def draws_of(comparison: ComparedSystems) -> dict[str, list[str]]:
    """Return what makes how many random draws; on few topics, permutations use all changes of signs instead."""
    choices, topics = comparison.choices, int(comparison.compared.columns["topics"].max())
    users: dict[str, list[str]] = {}
    for kind in choices.resampled:
        flips_signs = getattr(getattr(choices, kind), "FLIPS_SIGNS", False)
        is_exact = flips_signs and all_signs(topics, choices.draws)
        users.setdefault(f"all {2**topics:,} changes of signs" if is_exact else f"{choices.draws:,}", []).append(kind)
    return users


def _how_wilcoxon(comparison: ComparedSystems) -> dict[str, str]:
    """Return how SciPy computes the p-values of Wilcoxon's test: exactly, or by an approximation."""
    test = comparison.choices.test
    if not isinstance(test, WilcoxonTest):
        return {}
    counts = Counter(kind for paired in _paired(comparison) for kind in test.computed(paired))
    alone = len(counts) == 1
    return {"p-values": ", ".join(k if alone else f"{k} for {plural(n, 'comparison')}" for k, n in counts.items())}


def _paired(comparison: ComparedSystems) -> Iterator[PairedValues]:
    """Yield the values of each view."""
    scores, compared = comparison.scores, comparison.compared
    for v in range(len(scores.names)):
        yield PairedValues(complete_values(scores, v), compared.first, compared.second)


def topics_of(comparison: ComparedSystems) -> str:
    """Return the number of topics compared; the smallest and largest where views differ in it."""
    return _range(sorted({int(number) for number in comparison.compared.columns["topics"][:, 0]}))


def size_of_family(comparison: ComparedSystems) -> str:
    """Return how many comparisons are corrected together, such as "2 comparisons"; identical systems are not counted."""
    counts = (~comparison.compared.identical).sum(axis=1)
    sizes = sorted({int(counts[group].sum()) for group in comparison.choices.groups(comparison.scores.views)})
    return f"{_range(sizes)} comparison{'' if sizes == [1] else 's'}"


def interval_name(comparison: ComparedSystems, brief: bool = False) -> str:
    """Return what kind of intervals the differences have, and whether they hold for all differences together."""
    choices = comparison.choices
    if choices.of_all_pairs and choices.has_own_intervals:
        return "intervals of the test, simultaneous for all pairs"
    if choices.interval == "simultaneous":
        how = "the critical value of maxT" if choices.correction.NAME == "maxt" else "Bonferroni's t"
        how = "the critical range of the test" if choices.of_all_pairs else how
        return f"simultaneous intervals of all comparisons of a family, with {how}"
    kind = "bias-corrected and accelerated bootstrap" if choices.interval == "bca" else "t"
    several = comparison.compared.identical.size > 1
    apart = ", not corrected as p is" if choices.is_corrected and not brief else ""
    return f"{kind} intervals" + (f" per comparison{apart}" if several else "")


def _family(comparison: ComparedSystems) -> str:
    baselines = " and with ".join(comparison.names[b] for b in comparison.baseline)
    of = "all pairs" if comparison.all_pairs else f"each other system with {baselines}"
    systems = [comparison.names[system] for system in comparison.scores.systems]
    if len(systems) == 2:
        of = f"{systems[comparison.compared.first[0]]} with {systems[comparison.compared.second[0]]}"
    kind = "view" if comparison.scores.marks else "measure"
    by = {"all": f" by all {kind}s together", "view": f" for each {kind}"}.get(comparison.choices.family)
    by = by or f" for each {comparison.choices.family}"
    return f"{size_of_family(comparison)}{by if len(comparison.scores.names) > 1 else ''}: {of}"


def _users(comparison: ComparedSystems) -> str:
    several = comparison.groups.several
    of = joined(
        [
            f"{len(group.views)} views of {group.name} by {joined([p.name for p in group.parameters])}"
            for group in several
        ]
    )
    weights = "weighted by the shares of a population" if several[0].is_weighted else "each with the same share"
    together = comparison.choices.family != "view" and comparison.choices.is_corrected
    return f"{of}, {weights}; p-values {'' if together else 'not '}corrected over them"


def _missing(comparison: ComparedSystems) -> str:
    missing = comparison.scores.missing.any(axis=2).sum(axis=0)
    if not missing.any():
        left_out = max(dict(topics_left_out(comparison)).values(), default=0)
        return f"{plural(left_out, 'topic')} left out" if left_out else "none"
    return (
        f"{int(missing.sum())} topics of {plural(int((missing > 0).sum()), 'system')}, counted as the measure's default"
    )


def _range(numbers: list[int]) -> str:
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"


# -- notes -------------------------------------------------------------------------------------------------


def notes_on(comparison: ComparedSystems) -> Iterator[str]:
    """Yield notes on missing and few topics, other aggregates than means, systems without a variance, and too few draws."""
    scores, choices, compared = comparison.scores, comparison.choices, comparison.compared
    yield from topics_lacking(scores)
    topics = compared.columns["topics"][:, 0].tolist()
    aggregates = scores.means().to_numpy()  # as the measures themselves aggregate their values
    incomplete = dict(topics_left_out(comparison))
    for name, number in incomplete.items():
        yield f"{name}: {plural(number, 'topic')} left out, on which a system has no value; means are over the others"
    for v, name in enumerate(scores.names):
        if name not in incomplete and not np.allclose(compared.means[v], aggregates[:, v], rtol=1e-9, atol=0):
            yield f"{name}: means over topics are compared; irmx eval prints another aggregate, such as the sum"
    if min(topics) < FEW:
        yield f"with {min(topics)} topics, only large differences can be found, and the assumptions of tests cannot be checked"
    if max(topics) > MANY:
        yield f"with {max(topics):,} topics, tiny differences are significant: read the intervals and effect sizes first"
    if compared.identical.any():
        yield f"identical on every topic, and not counted in the family: {_pairs(comparison, compared.identical)}"
    constant = np.isinf(compared.columns["statistic"])
    if constant.any():
        yield f"the same difference on every topic, so that p is the probability of equal signs: {_pairs(comparison, constant)}"
    smallest = 1 / (choices.draws + 1)
    columns = compared.columns
    too_few = (columns["p"] <= smallest * (1 + 1e-9)) & (columns["p_corrected"] > choices.level)
    if "test" in choices.resampled and too_few.any():
        yield (
            f"{plural(int(too_few.sum()), 'comparison')} with p = {smallest:.2g}, the smallest of {choices.draws:,} draws, which the "
            "correction makes insignificant: more draws, or the correction maxt, may tell more"
        )
    if isinstance(choices.test, WilcoxonTest) and choices.test["decimals"] is None:
        count = sum(map(count_lost_ties, _paired(comparison)))
        if count:
            yield (
                f"{plural(count, 'comparison')} with differences that are equal in decimals, but not as floats, so that SciPy gives them "
                "different ranks: the test wilcoxon(decimals=10) gives them the same"
            )


def topics_left_out(comparison: ComparedSystems) -> Iterator[tuple[str, int]]:
    """Yield the views in which a system has no value on some topics, and how many these are."""
    scores = comparison.scores
    for v, name in enumerate(scores.names):
        if left_out := int(comparison.of_views[v] - comparison.compared.columns["topics"][v, 0]):
            yield name, left_out


def _pairs(comparison: ComparedSystems, chosen: np.ndarray[Any, Any]) -> str:
    """Return the pairs of systems of some comparisons, with their views, as a list for a sentence."""
    frame: pd.DataFrame = comparison.frame()[chosen.ravel()]
    measures = frame.groupby(["a", "b"], sort=False)["measure"].agg(", ".join)
    return listing([f"{comparison.names[a]} and {comparison.names[b]} ({names})" for (a, b), names in measures.items()])


# -- for a paper -------------------------------------------------------------------------------------------


def sentences_of(comparison: ComparedSystems) -> str:
    """Return the sentences for the method section of a paper, in one paragraph of LaTeX."""
    sentences = [*_compared(comparison), *_conventions(comparison), *_tested(comparison), *_sizes(comparison)]
    parts = re.split(r"(~\\cite\{[\w,]+\})", " ".join(sentences))
    return "".join(part if part.startswith("~\\cite{") else in_latex(part) for part in parts)


def _citation(paper: Citation | str) -> Citation:
    return paper if isinstance(paper, Citation) else Citation.from_bibtex(paper)


def _cite(*papers: Citation | str) -> str:
    keys = [citation.key for citation in map(_citation, papers)]
    return rf"~\cite{{{','.join(dict.fromkeys(keys))}}}" if keys else ""


def _in_words(named: Any, kind: str) -> str:
    """Return a test or a correction as sentences call it; a plugin's says so, as its ``PHRASE``, or is described."""
    described = f"{kind} {named}" + (f" ({named.SHORT_DESC})" if named.SHORT_DESC else "")
    return (getattr(named, "PHRASE", "") or described) + _cite(*getattr(named, "CITATIONS", ()))


def _compared(comparison: ComparedSystems) -> list[str]:
    scores = comparison.scores
    measures = list(dict.fromkeys(map(str, scores.measures)))
    cited = {str(measure): _cite(*papers_of(measure)) for measure in scores.measures}
    shown = measures if len(measures) <= 8 else [group.name for group in comparison.groups.all]
    by = f"by {joined([name + cited.get(name, '') for name in shown])}"
    topics = topics_of(comparison)
    on = f"on {'the ' if _collection(comparison) else ''}{topics} topics{_collection(comparison)}"
    systems, names = scores.systems, comparison.names
    if len(systems) == 2:
        a, b = (names[systems[i[0]]] for i in (comparison.compared.first, comparison.compared.second))
        first = f"We compared {a} with {b} {by} {on}"
    elif comparison.all_pairs:
        first = f"We compared all pairs of {len(systems)} systems {by} {on}"
    elif len(comparison.baseline) == 1:
        first = f"We compared {len(systems) - 1} systems with the baseline {names[comparison.baseline[0]]} {by} {on}"
    else:
        of = joined([names[one] for one in comparison.baseline])
        first = f"We compared {len(systems)} systems with each of the baselines {of} {by} {on}"
    tools = f"irmx {irmx.__version__}{_cite(IRMX)} and ir_measures{_cite(IR_MEASURES)}"
    sentences = [f"{first}, using {tools}{_computed_by(comparison)}."]
    sentences += [
        sentence
        for name, about in scores.made_by.get("metadata", {}).items()
        if (sentence := _run_of(names.get(name, name), about))
    ]
    if scores.missing.any():
        sentences.append("A topic for which a system has no value counted with the default value of the measure.")
    sentences += [
        f"{name} was compared without {plural(left_out, 'topic')} on which a system has no value."
        for name, left_out in topics_left_out(comparison)
    ]
    return sentences


def _run_of(name: str, about: Mapping[str, Any]) -> str:
    """Return a sentence on a run by the header of its file; empty if this says neither whose run it is nor what retrieved it."""

    def names(entry: Any) -> list[str]:
        several = entry if isinstance(entry, list) else [entry]
        found = [one.get("team") or one.get("name") for one in several if isinstance(one, dict)]
        return [visible(str(one))[:80] for one in found if one]

    method = about.get("method")
    steps = [of for step in method.values() for of in names(step)] if isinstance(method, dict) else []
    whose = (("is of", names(about.get("actor"))), ("is by", steps))
    parts = [f"{words} {joined(of)}" for words, of in whose if of]
    return f"The run {name} {' and '.join(parts)}, according to its header." if parts else ""


def _collection(comparison: ComparedSystems) -> str:
    """Return the judgments that scores are from, if their name is known."""
    named = comparison.scores.made_by.get("qrels_name")
    return f" of {os.path.basename(str(named))}" if named else ""


def _computed_by(comparison: ComparedSystems) -> str:
    """Return which measures other tools than irmx computed."""
    computed_by, by_tool = comparison.scores.made_by.get("computed_by", {}), dict[str, list[str]]()
    for measure, tool in computed_by.items():
        if tool != "irmx" and measure in map(str, comparison.scores.measures):
            by_tool.setdefault(tool, []).append(measure)
    said = [f"{tool} computed {joined(measures)}" for tool, measures in by_tool.items()]
    own = f"irmx itself computed {'the other' if said else 'all'} measures"
    return f" ({'; '.join([*said, own])})" if computed_by else ""


def _conventions(comparison: ComparedSystems) -> list[str]:
    """Return how ties were broken, and as what unjudged documents counted."""
    made_by = comparison.scores.made_by
    if "computed_by" not in made_by:
        return []
    params = [getattr(measure, "params", {}) for measure in comparison.scores.measures]
    run_order = any(of.get("ties") == "run" for of in params)
    order = "in the order of the run" if run_order else "by document id in descending order, as by trec_eval"
    condensed = any(of.get("judged_only") for of in params)
    removed = "were removed before ranks were counted where judged_only is given"
    unjudged = removed if condensed else "counted as not relevant"
    return [f"Documents with equal scores were ranked {order}; unjudged documents {unjudged}."]


def _tested(comparison: ComparedSystems) -> list[str]:
    choices = comparison.choices
    test = _in_words(choices.test, "the two-sided test")
    if getattr(choices.test, "PHRASE", "") and (parameters := ", ".join(parameters_of(choices.test))):
        test += f" ({parameters})"
    sentences = [f"Differences were tested with {test}, at the level {choices.level:g}."]
    for number, kinds in draws_of(comparison).items():
        users = joined([f"the {kind}" for kind in kinds]).replace("interval", "intervals")
        drawn = f" random draws (seed {choices.seed})" if number[0].isdigit() else ""
        sentences.append(f"{users.capitalize()} used {number}{drawn}.")
    if how := _how_wilcoxon(comparison):
        sentences.append(f"Its p-values are: {how['p-values']}.")
    if choices.tie_threshold and "sign" in choices.test.NAME:
        sentences.append(f"Differences of at most {choices.tie_threshold:g} on a topic counted as ties.")
    several = len(comparison.scores.names) > 1
    kind = "view" if comparison.scores.marks else "measure"
    if choices.is_corrected:
        of = f" by all {kind}s together" if choices.family == "all" else f" by each {kind}"
        method = _in_words(choices.correction, "the method")
        sentences.append(
            f"The p-values of the {size_of_family(comparison)}{of if several else ''} were corrected as one family by {method}."
        )
    elif choices.of_all_pairs:
        sentences.append(f"The test controls the family-wise error rate over all pairs of systems, for each {kind}.")
    elif len(comparison.compared.first) == 1 and several:
        sentences.append(f"With a single comparison per {kind}, no correction for multiple comparisons was needed.")
    elif len(comparison.compared.first) > 1:
        sentences.append(
            f"Each of the {size_of_family(comparison)}{f' by each {kind}' if several else ''} was tested on its own: p-values are those of "
            "single comparisons, without a correction for multiple testing."
        )
    if identical := int(comparison.compared.identical.sum()):
        are = "1 comparison of systems with identical values is" if identical == 1 else None
        sentences.append(
            f"{are or f'{identical} comparisons of systems with identical values are'} not part of a family."
        )
    return sentences


def _sizes(comparison: ComparedSystems) -> list[str]:
    choices = comparison.choices
    effect = EFFECTS[choices.of_all_pairs].replace(" / ", " divided by the ").replace("topics x", "topics by")
    bca = _cite(EFRON) if choices.interval == "bca" else ""
    return [
        f"We report mean differences with {choices.coverage} {interval_name(comparison, brief=True)}{bca}; the effect size is the {effect}."
    ]


def citations_of(comparison: ComparedSystems) -> tuple[Citation, ...]:
    """Return irmx, ir_measures, and the papers of the test, the correction, the interval and the measures, each once."""
    papers = [IRMX, IR_MEASURES]
    for named in (comparison.choices.test, comparison.choices.correction):
        papers += map(_citation, getattr(named, "CITATIONS", ()))
    if comparison.choices.interval == "bca":
        papers.append(_citation(EFRON))
    papers += [paper for measure in comparison.scores.measures for paper in papers_of(measure)]
    return tuple({paper.key: paper for paper in papers}.values())


# -- what was found --------------------------------------------------------------------------------------------------


MOST_VIEWS = 4
"""The views that agree or disagree are named if there are no more; of more, they are counted."""


def pair_shown_first(comparison: ComparedSystems) -> tuple[str, str]:
    """Return the best other system and the baseline that was named, or the best two."""
    order = comparison.ranked()
    if comparison.baseline and not (comparison.is_default and len(order) > 2):
        baseline = comparison.baseline[0]
        return next(system for system in order if system != baseline), baseline
    return order[0], order[1]


def headline_of(comparison: ComparedSystems) -> str:
    """Return what was found of the two systems that are shown first, and of more systems what was found of all."""
    sentences = [_of_pair(comparison, *pair_shown_first(comparison))]
    if len(comparison.scores.systems) > 2:
        sentences.append(_of_all(comparison))
    return " ".join(sentences)


def _of_pair(comparison: ComparedSystems, a: str, b: str) -> str:
    """Return which of two systems is significantly better by the first view, the size of the difference, and what other views say."""
    a, b = sorted((a, b), key=comparison.ranked().index)
    of_views = [comparison.difference(a, b, v) for v in range(len(comparison.scores.names))]
    better, p = np.array([found.better for found in of_views]), [found.p_corrected for found in of_views]
    by = f"by {comparison.scores.names[0]}: {_size(of_views[0])}, {_without_zeros(p_statement(p[0]))}"
    a, b = comparison.names[a], comparison.names[b]
    if better[0]:
        found = f"{a} beats {b} {by}"
        others = [("the same by", 1, None), ("not by", 0, p), ("the other way round by", -1, p)]
    else:
        found = f"No difference between {a} and {b} is significant {by}"
        others = [("nor by", 0, p), (f"but {a} is better by", 1, p), (f"but {b} is better by", -1, p)]
    told = [_views(comparison, words, better == outcome, shown) for words, outcome, shown in others]
    return f"{'; '.join([found, *filter(None, told)])}."


def _of_all(comparison: ComparedSystems) -> str:
    """Return how many systems beat the baseline that was named, or how many the best one beats, and which are the best by other views."""
    scores, names, compared = comparison.scores, comparison.names, comparison.compared
    tops = [comparison.ranked(v)[0] for v in range(len(scores.names))]
    is_named = bool(comparison.baseline) and not comparison.is_default
    centre = comparison.baseline[0] if is_named else tops[0]
    place, better = scores.systems.index(centre), comparison.better[0]
    outcomes = np.concatenate([better[compared.first == place], -better[compared.second == place]])
    wins, losses = int((outcomes > 0).sum()), int((outcomes < 0).sum())
    total = len(outcomes)
    beaten = f"{wins or 'none'} of the {total} others"
    if wins == total:
        beaten = "both others" if total == 2 else f"all {total} others"
    beats = f"{names[centre]} beats {beaten}"
    if is_named:
        beats += f" and is beaten by {losses or 'none'}"
    others = [
        _views(comparison, f"{names[top]} has the best mean by", np.array(tops) == top)
        for top in dict.fromkeys(tops)
        if top != tops[0]
    ]
    return f"By {scores.names[0]}, {'; '.join([beats, *filter(None, others)])}."


def _views(comparison: ComparedSystems, words: str, chosen: Any, p: Sequence[float] | None = None) -> str:
    """Return words and the other views that were chosen, with p-values if given; of many their number; empty for none."""
    names = comparison.scores.names
    places = [v for v in range(1, len(names)) if chosen[v]]
    if not places:
        return ""
    if len(places) > MOST_VIEWS:
        return f"{words} {len(places)} other views"
    return f"{words} {joined([names[v] if p is None else f'{names[v]} ({_without_zeros(p_statement(p[v]))})' for v in places])}"


def _size(found: Difference) -> str:
    """Return a difference with its interval.

    >>> from irmx_study.systems.pairs import Difference
    >>> _size(Difference(0.124, 0.069, 0.178, 0.5, 0.01, 0.02, 20, 5, 3, 1))
    '+.124 [.069, .178]'
    """
    difference, low, high = (round(value, 3) + 0.0 for value in found[:3])  # never -0.000
    return _without_zeros(f"{difference:+.3f} {interval(low, high, 3)}")


def _without_zeros(text: str) -> str:
    """Return a text in which no number smaller than 1 begins with a zero."""
    return re.sub(r"(?<![\d.])0(?=\.\d)", "", text)


# -- A comparison as the table of a paper ----------------------------------------------------------------------------


_MARKS = (r"\dagger", r"\ddagger", r"\S", r"\P", r"\ast", r"\star", r"\circ", r"\diamond")
"""The mark of each baseline; further ones have numbers."""


def paper_table(
    comparison: ComparedSystems, places: int, sort: str | None, intervals: bool, caption: str | None, label: str,
    given: Mapping[str, str], column: float | None, most: int | None,
) -> str:  # fmt: skip
    """Return the table of a paper in LaTeX; see :meth:`Comparison.to_latex`."""
    if places < 0:
        raise UsageError(f"The table of a paper needs a number of decimal places. Got {places} instead.")
    if column is not None and not column > 0:
        raise UsageError(f"The column of a paper has a width in points, such as 241. Got {column:g} instead.")
    systems = comparison._best(sort, most)
    heads = _heads(comparison.scores.names, given)
    cells = [_cells(comparison, v, systems, places, intervals) for v in range(len(heads))]
    names = [comparison.names[system] for system in systems]
    widths = [_width(head, of_view) for head, of_view in zip(heads, cells, strict=True)]
    wide, blocks = latex_blocks(latex_width(["system", *names]), widths, column)
    caption = rf"\caption{{{_caption(comparison, systems, given) if caption is None else caption}}}"
    label, small = rf"\label{{{label}}}", [r"\small", r"\setlength{\tabcolsep}{4pt}"]
    tabulars = []
    for number, block in enumerate(blocks):
        columns = f"l{('rr' if intervals else 'r') * len(block)}"
        rows = [_line([in_latex(n), *(cell for v in block for cell in cells[v][i])]) for i, n in enumerate(names)]
        above = [in_latex(heads[v]) for v in block]
        head = _head_with_intervals(comparison, above) if intervals else [_line(["system", *above])]
        tabulars += [r"\par\medskip"] * bool(number)
        tabulars += latex_tabular(columns, head, rows, top="" if number else caption + label)
    if "longtable" in tabulars[0]:
        needs, begin, end = "booktabs,longtable}, on pages of one column", ["{"], "}"
    else:
        environment = "table*" if wide else "table"
        begin = [rf"\begin{{{environment}}}", r"\centering", caption, label, r"\smallskip"]
        needs, end = "booktabs}", rf"\end{{{environment}}}"
    note = rf"\par\smallskip{{\footnotesize {_note(comparison)}\par}}"
    return "\n".join([rf"% needs \usepackage{{{needs}", *begin, *small, *tabulars, note, end, ""])


def _heads(names: Sequence[str], given: Mapping[str, str]) -> list[str]:
    """Return what stands above the columns of views: given, or the name of the measure with what tells it from others."""
    for view in given:
        if view not in names:
            raise UsageError(f"There is no measure {view!r}.{suggest(view, names)} The measures: {', '.join(names)}.")
    without = [re.sub(r"\(.*\)", "", name) for name in names]
    values = [re.sub(r"(?<=[(,])\w+=", "", name).replace("'", "") for name in names]
    of_each = (without, values, names)
    heads = [
        next(t for t, every in zip(texts, of_each, strict=True) if t and every.count(t) == 1)
        for texts in zip(*of_each, strict=True)
    ]
    return [given.get(name, head) for name, head in zip(names, heads, strict=True)]


def _width(head: str, cells: list[list[str]]) -> float:
    """Return how wide the columns of a view are; its numbers as if all were bold, their signs as wide as they are."""
    plain = [[re.sub(r"\\rlap\{.*\}|\\textbf|[{}$\\]", "", cell.replace("$-$", "+")) for cell in row] for row in cells]
    return max(latex_width([head]), sum(latex_width(list(column), 1.07) for column in zip(*plain, strict=True)))


def _head_with_intervals(comparison: ComparedSystems, heads: list[str]) -> list[str]:
    """Return the lines of the head of a tabular with intervals."""
    second = "difference " if len(comparison.baseline) == 1 else ""
    return [
        _line(["", *(rf"\multicolumn{{2}}{{c}}{{{head}}}" for head in heads)]),
        " ".join(rf"\cmidrule(lr){{{2 + 2 * i}-{3 + 2 * i}}}" for i in range(len(heads))),
        _line(["system", *["mean", f"{second}[{in_latex(comparison.choices.coverage)} interval]"] * len(heads)]),
    ]


def _caption(comparison: ComparedSystems, systems: list[str], heads: Mapping[str, str]) -> str:
    """Return the caption: the measures in full, with the heads that were given to them."""
    given = {view: rf" ({in_latex(head)})" for view, head in heads.items() if head != view}
    # lines may end inside the parentheses of a measure
    names = {v: re.sub(r"([(,=]|\\_)", r"\1\\allowbreak{}", in_latex(v)) for v in comparison.scores.names}
    of = joined([name + given.get(view, "") for view, name in names.items()])
    every = plural(len(comparison.scores.systems), "system")
    shown = every if len(systems) == len(comparison.scores.systems) else f"{len(systems)} of {every}"
    return f"Mean {of} of {shown} on {topics_of(comparison)} topics."


def _line(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def _cells(comparison: ComparedSystems, v: int, systems: list[str], places: int, intervals: bool) -> list[list[str]]:
    """Return the cells of a view: of every system its mean, with its marks outside, and if wanted an interval."""
    of_view = comparison.cells(v)
    places = places_below(max(abs(cell.mean) for cell in of_view.values()), places)
    rows = []
    for cell in map(of_view.__getitem__, systems):
        mean, marks = number(cell.mean, places), _marks(comparison, cell)
        mark = rf"\rlap{{$^{{{marks}}}$}}" if marks else ""
        row = [(rf"\textbf{{{mean}}}" if cell.is_best else mean) + mark]
        if intervals and len(comparison.baseline) != 1:
            row.append(interval(cell.low, cell.high, places, number))
        elif intervals:
            found = cell.difference
            row.append(
                f"{number(found.difference, places)} {interval(found.low, found.high, places, number)}" if found else ""
            )
        rows.append(row)
    return rows


def number(value: float, places: int) -> str:
    """Return a number with a proper minus sign.

    >>> number(-0.25, 2), number(-0.001, 2)
    ('$-$0.25', '0.00')
    """
    text = f"{round(value, places) + 0.0:.{places}f}"
    return text.replace("-", "$-$")


def _mark(baseline: int) -> str:
    return _MARKS[baseline] if baseline < len(_MARKS) else str(baseline + 1)


def _marks(comparison: ComparedSystems, cell: Cell) -> str:
    """Return the marks of a system: of the baselines that it differs from, or its group."""
    if comparison.all_pairs:
        return rf"\mathrm{{{cell.alike}}}"
    found, level = cell.differences, comparison.choices.level
    return "".join(_mark(i) for i, b in enumerate(comparison.baseline) if b in found and found[b].p_corrected <= level)


def _note(comparison: ComparedSystems) -> str:
    """Return the sentence that says what the marks mean, and how the systems were compared."""
    choices = comparison.choices
    name = choices.test.NAME.replace("_", "-")
    test = f"paired {name} test" if name in ("t", "permutation", "bootstrap", "wilcoxon", "sign") else f"{name} test"
    corrected = f", {choices.correction.NAME} correction" if choices.is_corrected else ""
    how = in_latex(f"{test}{corrected}, level {choices.level:g}")
    if comparison.all_pairs:
        marks = "Marks: best and worst rank of systems that do not differ significantly"
        if comparison.alike_name == "groups":
            marks = "Systems that share a letter do not differ significantly"
        return f"{marks} ({how}); bold: best."
    cells = [cell for v in range(len(comparison.scores.names)) for cell in comparison.cells(v).values()]
    shown = "".join(_marks(comparison, cell) for cell in cells)
    marked = [
        rf"$^{{{_mark(i)}}}$~{in_latex(comparison.names[b])}"
        for i, b in enumerate(comparison.baseline)
        if _mark(i) in shown
    ]
    if not marked:
        return f"No significant difference to {joined([in_latex(comparison.names[b]) for b in comparison.baseline])} ({how}); bold: best."
    return f"Significant difference to {joined(marked)} ({how}); bold: best."
