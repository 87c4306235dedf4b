"""How robust measures are to missing judgments: samples of the judgments, and pools without one group of runs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from irmx import DataError, Scores
from irmx.ragged import Floats
from irmx.toolkit import check_backend, check_jobs, list_some, plural
from irmx_study.inputs.views import check_best, choose_systems
from irmx_study.measures.samples import (
    DEPTH,
    FEWEST,
    KEEP,
    LEAST_NONRELEVANT,
    LEAST_RELEVANT,
    PARAMS,
    SAMPLES,
    GroupCuts,
    GroupStudy,
    Measures,
    SampleStudy,
    Strata,
    number_of,
    text_of,
    topics_emptied,
)
from irmx_study.showing.result import Result, Titled, for_reading, versions_fact
from irmx_study.statistics.ranks import kendall_taus, rounded
from irmx_study.systems.pairs import signs_of
from irmx_study.systems.unjudged import check_judgments

_ROWS_OF_GROUPS = 10
"""Up to how many groups a table for reading has one row per measure and group."""


class _Cuts:
    """The means with all judgments and with every cut, of shape (1 + cuts, systems, measures), and what they say about rankings."""

    def __init__(
        self, scores: Scores, every_topic: bool = False, best: float | None = None, only: Iterable[str] | None = None
    ) -> None:
        self.measures = list(dict.fromkeys(scores.measures))
        self.topics, retrieved = int(scores.made_by["topics"]), np.array(scores.made_by["retrieved"])
        cuts = len(scores.names) // len(self.measures)
        means = scores.values[0].reshape(len(scores.systems), len(self.measures), cuts).transpose(2, 0, 1)
        self.refusals = {tuple(map(int, key.split())): text for key, text in scores.made_by["refusals"].items()}
        shape = (self.topics, len(scores.systems), len(self.measures))
        axes = tuple(map(str, range(self.topics))), scores.systems, tuple(self.measures)
        whole = Scores.of_runs(np.broadcast_to(means[0], shape), np.arange(self.topics)[:, None] < retrieved, *axes)
        if every_topic or best is not None or only is not None:
            whole = choose_systems(whole, only, every_topic=every_topic, best=best)
        self.systems, self.signs = whole.systems, signs_of(whole)
        self.means = means[:, [scores.systems.index(system) for system in self.systems]]
        self.scores = scores.select(systems=self.systems)
        if len(self.systems) < FEWEST:
            raise DataError(
                f"Comparing rankings takes {FEWEST} or more systems. Here {plural(len(self.systems), 'run')} "
                f"{'is' if len(self.systems) == 1 else 'are'} left: {', '.join(self.systems)}."
            )
        for m, name in enumerate(self.names):
            of_all = self.means[0][:, m]
            if not np.isfinite(of_all).all():
                lacking = self.systems[int(np.argmin(np.isfinite(of_all)))]
                raise DataError(f"{lacking} has no mean of {name}, so that it has no rank.")
            if len(set(self.comparable[0][:, m].tolist())) == 1:
                raise DataError(
                    f"{name} gives all of {len(self.systems)} systems the same value, {of_all[0]:.4g}, with all judgments, so that "
                    "it does not rank them. Leave it out."
                )

    @property
    def names(self) -> list[str]:
        return [str(measure) for measure in self.measures]

    @cached_property
    def comparable(self) -> Floats:
        """The means, rounded so that systems with the same values are tied, larger for better ones."""
        return np.stack([rounded(of_cut) for of_cut in self.means]) * self.signs

    @cached_property
    def taus(self) -> Floats:
        """Tau-b of each measure's ranking with every cut and its own with all judgments, of shape (cuts, measures)."""
        return np.stack([kendall_taus(of_measure)[0, 1:] for of_measure in self.comparable.transpose(2, 1, 0)], axis=1)


def pool(
    measures: Measures,
    qrels: Any = None,
    runs: Any = None,
    *,
    keep: Any = KEEP,
    samples: int = SAMPLES,
    seed: int = 0,
    rel: float = 1,
    only: Iterable[str] | None = None,
    every_topic: bool = False,
    best: float | None = None,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    progress: bool | None = None,
    backend: str | None = None,
    scheduler: str | None = None,
) -> Result:
    """Rank systems with random parts of the judgments, and compare each ranking with that by all judgments.

    For every topic, the judged documents of each grade are shuffled once per sample, and the first P% of them are kept, rounded
    half up: at least 1 document of a relevant grade and 10 of another, or all where there are fewer. The others become unjudged. See
    :doc:`/guide/missing-judgments`.

    Parameters
    ----------
    measures : str, Measure or iterable of them
        The measures.
    qrels, runs : any
        As for :func:`irmx.scores`.
    keep : str, number or iterable of them
        The percentages P of the judgments to keep, in (0, 100].
    samples : int
        The number of random samples at each, up to 100,000.
    seed : int
        The seed; a sample depends on it and on its number alone.
    rel : float
        The smallest relevant grade, of which at least 1 document is kept; measures have their own.
    only, every_topic, best
        The systems to rank; see :func:`irmx_study.choose_systems`. ``best`` is by the first measure, with all judgments.
    out : str or Path, optional
        A file for the means of every run: .parquet, .csv or .tsv. Finished runs are kept in a folder beside it, so that the same
        call resumes a stopped one.
    jobs, progress, backend, scheduler
        As in :func:`irmx_study.sweep`.

    Returns
    -------
    Result
        Its tables:

        ``"levels"``
            One row per ``measure`` and percentage, ``keep``: the number of ``samples`` that have a tau; ``tau``, the mean of the
            taus of these samples with the ranking by all judgments; ``low`` and ``high``, the smallest and the largest of them; and
            ``mean_value``, the mean of the measure over samples, systems and topics.
        ``"samples"``
            One row per measure, percentage and sample: ``tau``, ``mean_value``, and ``problem``: "all values equal" if all systems
            have the same mean, "refused" if the measure cannot be computed with these judgments, and else empty.
        ``"drops"``
            How far the values fall: ``full_value``, with all judgments, ``mean_value``, their ``drop``, and ``relative`` to the former.
        ``"sizes"``
            One row per percentage: the number of documents ``judged``, of ``relevant`` ones, and the ``share`` of all judged ones.
        ``"values"``
            The mean of every system in every view.

    Raises
    ------
    irmx.errors.UsageError
        For a percentage outside (0, 100] or given twice, no sample, or fewer than three runs.
    irmx.errors.DataError
        If the inputs cannot be read, a measure cannot be computed with all judgments or gives all systems the same value, or
        ``out`` belongs to another study.

    References
    ----------
    .. [1] C. Buckley and E. M. Voorhees. Retrieval evaluation with incomplete information. SIGIR 2004.

    Examples
    --------
    >>> import irmx_study
    >>> from irmx.demo import SYSTEMS, qrels_path, run_path
    >>> runs = {system: run_path(system) for system in SYSTEMS}
    >>> irmx_study.pool("AP Bpref", qrels_path(), runs, keep=(50, 10), samples=5).frame().round(3)
      measure  keep  samples    tau    low  high  mean_value
    0      AP    50        5  1.000  1.000   1.0       0.255
    1      AP    10        5  0.733  0.333   1.0       0.162
    2   Bpref    50        5  0.733  0.333   1.0       0.337
    3   Bpref    10        5  0.467  0.333   1.0       0.252
    """
    check_backend(backend, scheduler)
    check_jobs(jobs)
    check_best(best)
    check_judgments("pool", measures, qrels, runs)
    study = SampleStudy(measures, qrels, runs, keep, samples, seed, rel, only, out)
    return pool_result(study, study.compute(jobs, progress, scheduler), every_topic, best)


def pool_result(study: SampleStudy, scores: Scores, every_topic: bool = False, best: float | None = None) -> Result:
    """Return the result of a study of samples."""
    made, cuts = _Pool(study, scores, every_topic, best), study.cuts
    size = f"{plural(len(made.systems), 'system')}, {plural(made.topics, 'topic')}"
    levels = list_some(map(text_of, cuts.levels), 10)
    title = f"Smaller pools of {size}, by {list_some(made.names)}: {levels}%, {plural(cuts.samples, 'sample')} each"
    tables = {
        "levels": made.levels, "samples": lambda: made.samples, "drops": made.drops, "sizes": lambda: made.sizes,
        "values": lambda: made.scores.frame().drop(columns="query_id").rename(columns={"system": "run"}),
    }  # fmt: skip
    pictures = {"robustness": "measures.pictures:plot_robustness", "means": "measures.pictures:plot_means"}
    return Result(title, tables, made.scores, None, made.facts, lambda: list(made.notes()), pictures, {
        "levels": lambda places: [("", made.typed(made.levels()))], "drops": lambda places: [("", made.typed(made.drops()))],
    })  # fmt: skip


class _Pool(_Cuts):
    """What makes the tables, facts and notes of a study of samples."""

    def __init__(self, study: SampleStudy, scores: Scores, every_topic: bool, best: float | None) -> None:
        super().__init__(scores, every_topic, best)
        self.samples_of = study.cuts
        strata = Strata(study.judgments, self.samples_of.rel)
        kept = [strata.sizes, *(strata.kept(level) for level in self.samples_of.levels)]
        judged = np.array([int(of_level.sum()) for of_level in kept])
        self.sizes = pd.DataFrame(
            {
                "keep": [100, *map(number_of, self.samples_of.levels)],
                "judged": judged,
                "relevant": [int(of_level[strata.relevant].sum()) for of_level in kept],
                "share": 100 * judged / max(judged[0], 1),
            }
        )

    @cached_property
    def samples(self) -> pd.DataFrame:
        taus, values = self.taus, self.means[1:].mean(axis=1)  # of shape (cuts, measures)
        levels, samples = len(self.samples_of.levels), self.samples_of.samples
        rows = [
            (name, number_of(level), s + 1, taus[s * levels + i, m], values[s * levels + i, m])
            for m, name in enumerate(self.names)
            for i, level in enumerate(self.samples_of.levels)
            for s in range(samples)
        ]
        table = pd.DataFrame(rows, columns=["measure", "keep", "sample", "tau", "mean_value"])
        equal = np.where(table["tau"].isna(), "all values equal", "")
        return table.assign(problem=np.where(table["mean_value"].isna(), "refused", equal))

    def levels(self) -> pd.DataFrame:
        by_level = self.samples.groupby(["measure", "keep"], sort=False)
        table: pd.DataFrame = by_level["tau"].agg(samples="count", tau="mean", low="min", high="max")
        return table.assign(mean_value=by_level["mean_value"].mean()).reset_index()

    def drops(self) -> pd.DataFrame:
        table = self.levels()[["measure", "keep", "mean_value"]]
        full = dict(zip(self.names, self.means[0].mean(axis=0).tolist(), strict=True))
        table.insert(2, "full_value", table["measure"].map(full))
        drop = table["full_value"] - table["mean_value"]
        return table.assign(drop=drop, relative=drop / table["full_value"].where(table["full_value"] != 0))

    def typed(self, rows: pd.DataFrame) -> list[dict[str, Any]]:
        """Return rows with percentages that are printed as users type them: 50 and 33.3, not 50.0 and 33.3000."""
        whole = all(float(level).is_integer() for level in rows["keep"])
        levels = [int(level) if whole else f"{level:g}" for level in rows["keep"]]
        return [{**row, "keep": level} for row, level in zip(rows.to_dict("records"), levels, strict=True)]

    def facts(self) -> dict[str, str]:
        lowest = self.sizes.loc[self.sizes["keep"].idxmin()]
        of = self.samples_of
        return {
            "systems": f"{plural(len(self.systems), 'run')}, {plural(self.topics, 'topic')}",
            "tau": "Kendall's tau-b with the measure's own ranking by all judgments; mean, smallest and largest of the samples",
            "samples": (
                f"{of.samples} at each percentage, nested, of every topic and grade; at least {LEAST_RELEVANT} document of a "
                f"relevant grade ({of.rel:g} or more) and {LEAST_NONRELEVANT} of another; seed {of.seed}"
            ),
            "judgments": (
                f"{self.sizes['judged'][0]:,} judged, {self.sizes['relevant'][0]:,} relevant; at {lowest['keep']:g}%, "
                f"{int(lowest['judged']):,} and {int(lowest['relevant']):,} of them, which is {lowest['share']:.1f}%"
            ),
            "versions": versions_fact(self.scores),
        }

    def notes(self) -> Iterator[str]:
        bad = self.samples[self.samples["problem"] != ""]
        for (measure, keep, problem), rows in bad.groupby(["measure", "keep", "problem"], sort=False):
            of = f"{len(rows)} of {plural(self.samples_of.samples, 'sample')} at {keep:g}%"
            if problem == "refused":
                m = self.names.index(measure)
                why = next(text for (_, number), text in sorted(self.refusals.items()) if number == m)
                yield f"{measure} cannot be computed with {of}, which are left out: {why}"
            else:
                yield f"{measure} gives all systems the same value in {of}, where tau is undefined; they are left out of tau"


def leave_out(
    measures: Measures,
    qrels: Any = None,
    runs: Any = None,
    groups: Any = None,
    *,
    depth: int = DEPTH,
    rel: float = 1,
    only: Iterable[str] | None = None,
    every_topic: bool = False,
    best: float | None = None,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    progress: bool | None = None,
    backend: str | None = None,
    scheduler: str | None = None,
) -> Result:
    """Score systems as if one group had not contributed to the pool, for every group, and compare with all judgments.

    The documents that only the group's runs have among their top ``depth`` become unjudged. This is what a new system meets that is
    scored with judgments made without it. Runs are read twice, once for the pool. See :doc:`/guide/missing-judgments`.

    Parameters
    ----------
    measures : str, Measure or iterable of them
        The measures.
    qrels, runs : any
        As for :func:`irmx.scores`; the pool is that of all runs.
    groups : mapping of str to str, or table, optional
        The group of every run, such as the team that submitted it: by name, or in a table with the columns ``run`` and ``group``. By
        default each run is a group of its own.
    depth : int
        The pool depth: how many documents from the top of each run, in the order of trec_eval, are in the pool.
    rel : float
        The smallest grade that is counted as relevant among what is lost; measures have their own.
    only, every_topic, best
        The systems to rank; see :func:`irmx_study.choose_systems`. All contribute to the pool.
    out, jobs, progress, backend, scheduler
        As in :func:`irmx_study.pool`.

    Returns
    -------
    Result
        Its tables:

        ``"groups"``
            One row per ``measure`` and ``group``: how many ``runs`` it has; the numbers of ``judged`` and ``relevant`` documents that
            are lost; ``tau``, Kendall's tau-b between the rankings of all systems without these documents and with all judgments;
            ``value_change`` and ``rank_change``, the means over the group's runs; and ``worst_rank``, the largest rank change.
        ``"measures"``
            One row per measure: over all groups the mean ``tau`` and the ``lowest_tau``; over all runs the mean changes.
        ``"runs"``
            One row per measure and run: its ``value`` and ``rank`` with all judgments and without its own group, and their changes.

    Raises
    ------
    irmx.errors.UsageError
        For a depth below 1 or fewer than three runs.
    irmx.errors.DataError
        If the inputs cannot be read, a run has no group, the groups name an unknown run, a measure cannot be computed with all
        judgments or gives all systems the same value, or ``out`` belongs to another study.

    References
    ----------
    .. [1] J. Zobel. How reliable are the results of large-scale information retrieval experiments? SIGIR 1998.

    Examples
    --------
    >>> import irmx_study
    >>> from irmx.demo import SYSTEMS, qrels_path, run_path
    >>> runs = {system: run_path(system) for system in SYSTEMS}
    >>> result = irmx_study.leave_out("AP", qrels_path(), runs, depth=10)
    >>> result.frame()[["group", "judged", "relevant", "tau", "value_change"]].round(3)
        group  judged  relevant  tau  value_change
    0    bm25     102        36  1.0        -0.075
    1  titles      53        12  1.0        -0.025
    2  recent     150        12  1.0        -0.014
    """
    check_backend(backend, scheduler)
    check_jobs(jobs)
    check_best(best)
    PARAMS["rel"].check(rel, "rel", "leave_out")
    check_judgments("leave_out", measures, qrels, runs)
    study = GroupStudy(measures, qrels, runs, groups, depth, out, progress)
    return groups_result(study, study.compute(jobs, progress, scheduler), depth, rel, every_topic, best, only)


def groups_result(
    study: GroupStudy, scores: Scores, depth: int, rel: float = 1, every_topic: bool = False, best: float | None = None,
    only: Iterable[str] | None = None,
) -> Result:  # fmt: skip
    """Return the result of a study of left-out groups."""
    made = _LeftOut(study, scores, depth, rel, every_topic, best, only)
    size = f"{plural(len(made.groups), 'group')}, {plural(len(made.systems), 'system')}"
    title = f"Left-out groups: {size}, by {list_some(made.names)}; pool depth {depth}"
    tables = {"groups": made.by_group, "measures": made.by_measure, "runs": lambda: made.runs}
    pictures = {"falls": "measures.pictures:plot_falls"}
    return Result(title, tables, made.scores, None, made.facts, lambda: list(made.notes()), pictures, {
        "groups": made.for_reading
    })  # fmt: skip


class _LeftOut(_Cuts):
    """What makes the tables, facts and notes of a study of left-out groups."""

    def __init__(
        self, study: GroupStudy, scores: Scores, depth: int, rel: float, every_topic: bool, best: float | None,
        only: Iterable[str] | None,
    ) -> None:  # fmt: skip
        super().__init__(scores, every_topic, best, only)
        of: GroupCuts = study.cuts
        self.group_of, self.depth, self.unpooled = study.group_of, depth, of.unpooled
        sizes = [sum(self.group_of[system] == group for system in self.systems) for group in of.groups]
        relevant = (of.lost & (study.judgments.grade >= rel)).sum(axis=1)
        columns = {"group": of.groups, "runs": sizes, "judged": of.lost.sum(axis=1), "relevant": relevant}
        self.groups = pd.DataFrame(columns)
        self.judged = int(np.count_nonzero(study.judgments.grade >= 0))
        self.emptied = tuple(topics_emptied(of, study.judgments, rel))

    @cached_property
    def runs(self) -> pd.DataFrame:
        means = self.means
        cut_of = {group: c for c, group in enumerate(self.groups["group"], 1)}
        cuts = [cut_of[self.group_of[system]] for system in self.systems]
        ranks = np.stack([pd.DataFrame(of).rank(method="min", ascending=False).to_numpy() for of in self.comparable])
        at = np.arange(len(cuts))
        tables = []
        for m, name in enumerate(self.names):
            value, without = means[0][:, m], means[cuts, at, m]
            rank, rank_without = ranks[0][:, m], ranks[cuts, at, m]
            table = {
                "measure": name,
                "group": [self.group_of[system] for system in self.systems],
                "run": self.systems,
                "value": value,
                "value_without": without,
                "value_change": without - value,
                "rank": rank.astype(int),
                "rank_without": pd.array(rank_without, dtype="Int64"),
                "rank_change": pd.array(rank_without - rank, dtype="Int64"),
            }
            tables.append(pd.DataFrame(table))
        return pd.concat(tables, ignore_index=True)

    def by_group(self) -> pd.DataFrame:
        of_group = ["measure", "group"]
        changes = self._changes(of_group)
        tables = [
            self.groups.assign(measure=name, tau=self.taus[:, m])[["measure", *self.groups.columns, "tau"]]
            for m, name in enumerate(self.names)
        ]
        table = pd.concat(tables, ignore_index=True)
        return table[table["runs"] > 0].merge(changes.reset_index(), on=of_group).reset_index(drop=True)

    def by_measure(self) -> pd.DataFrame:
        by_measure = self.by_group().groupby("measure", sort=False)["tau"]
        return by_measure.agg(groups="count", tau="mean", lowest_tau="min").join(self._changes("measure")).reset_index()

    def _changes(self, by: str | list[str]) -> pd.DataFrame:
        """Return the mean and the largest changes of runs, by measure, or by measure and group."""
        runs = self.runs.astype({"rank_change": float}).groupby(by, sort=False)
        changes = runs.agg(
            value_change=("value_change", "mean"),
            rank_change=("rank_change", "mean"),
            worst_rank=("rank_change", "max"),
        )
        return changes.astype({"worst_rank": "Int64"})

    def for_reading(self, places: int) -> list[Titled]:
        short = len(self.groups) > _ROWS_OF_GROUPS
        return [("", for_reading(self.by_measure() if short else self.by_group(), places))]

    def facts(self) -> dict[str, str]:
        lost = self.groups["judged"]
        return {
            "systems": f"{plural(len(self.systems), 'run')}, {plural(self.topics, 'topic')}",
            "tau": "Kendall's tau-b, over all systems, with the measure's own ranking by all judgments",
            "pool": f"the top {self.depth} of {plural(len(self.group_of), 'run')} in {plural(len(self.groups), 'group')}",
            "judgments": (
                f"{self.judged:,} judged; without one group, {lost.min():,} to {lost.max():,} of them are lost; {self.unpooled:,} are in "
                "no run's pool, and stay"
            ),
            "versions": versions_fact(self.scores),
        }

    def notes(self) -> Iterator[str]:
        for m, name in enumerate(self.names):
            refused = sorted(c for c, measure in self.refusals if measure == m)
            if refused:
                why = self.refusals[refused[0], m]
                yield f"{name} cannot be computed without {plural(len(refused), 'group')}: {why}"
            equal = int(np.isnan(self.taus[:, m]).sum()) - len(refused)
            if equal:
                yield f"{name} gives all systems the same value without {plural(equal, 'group')}, where tau is undefined"
        without = [name for name, topics in zip(self.groups["group"], self.emptied, strict=True) if topics]
        if without:
            yield (
                f"no relevant document is left for up to {plural(max(self.emptied), 'topic')} without {list_some(without)}; such topics count "
                "with the measures' defaults"
            )
