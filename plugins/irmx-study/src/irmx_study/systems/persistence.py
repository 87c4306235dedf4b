"""Whether an improvement persists: on other snapshots of a collection, and in somebody else's rerun."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import irmx
from irmx import DataError, Run, Scores, UsageError, read_run
from irmx.ragged import Floats
from irmx.toolkit import (
    COLOURS,
    MissingTopicsWarning,
    distinct_marker,
    list_some,
    picture_text,
    plural,
    visible,
)
from irmx_study.inputs.choices import as_scores, is_path, read_collections, runs_of_gate
from irmx_study.showing.result import Result, Titled, fixed, for_reading, interval, joined, listing, versions_fact
from irmx_study.statistics.paired import freedom_of, mean_and_error, p_of_equal_signs, two_sided_t
from irmx_study.statistics.ranks import comparable_means, kendall_tau, kendall_taus, mean_ranks
from irmx_study.systems.pairs import refuse_help, refuse_same, signs_of
from irmx_study.systems.pictures import axes_of

# -- means, ratios of means and their intervals ----------------------------------------------------------------------


class Estimate(NamedTuple):
    """A number with its interval; NaN where there is none."""

    value: float
    low: float = np.nan
    high: float = np.nan


def differences_of(x: Floats, y: Floats) -> Floats:
    """Return x - y, 0 where they differ only by rounding."""
    return np.where(np.isclose(x, y, rtol=1e-12, atol=0), 0.0, x - y)


def difference_of_means(x: Floats, y: Floats, is_paired: bool, level: float) -> tuple[Estimate, float]:
    """Return the mean of x less that of y with a t interval, and the p-value: paired, or Welch's."""
    from scipy.special import stdtr

    if is_paired:
        largest = np.abs(np.append(x, y)).max(initial=0.0)
        [mean], [error] = (of.tolist() for of in mean_and_error(differences_of(x, y)[:, None], largest))
        freedom = len(x) - 1.0
    else:
        variances = [(float(of.var(ddof=1)) / len(of), len(of)) for of in (x, y)]
        mean, error = float(x.mean() - y.mean()), float(np.sqrt(sum(variance for variance, _ in variances)))
        freedom = freedom_of(*variances)
    half = two_sided_t(freedom, level) * error
    if error > 0:
        p = float(2 * stdtr(freedom, -abs(mean) / error))
    else:  # all differences are equal
        p = 1.0 if mean == 0 else p_of_equal_signs(len(x)) if is_paired else 0.0
    return Estimate(mean, mean - half, mean + half), p


def ratio_of_means(above: Floats, below: Floats, is_paired: bool, level: float) -> Estimate:
    """Return the ratio of the means of two samples, and the interval of Fieller (1954).

    There is no ratio to a mean of 0, and no interval where that of the mean below holds 0.
    """
    top, bottom = float(above.mean()), float(below.mean())
    if bottom == 0:
        return Estimate(np.nan)
    n, m = len(above), len(below)
    of_top, of_bottom = float(above.var(ddof=1)) / n, float(below.var(ddof=1)) / m
    of_both = float(np.cov(above, below)[0, 1]) / n if is_paired else 0.0
    ratio = top / bottom
    t = two_sided_t(n - 1.0 if is_paired else freedom_of((of_top, n), (ratio**2 * of_bottom, m)), level)
    a, b, c = bottom**2 - t**2 * of_bottom, top * bottom - t**2 * of_both, top**2 - t**2 * of_top
    if a <= 0:
        return Estimate(ratio)
    half = float(np.sqrt(max(b**2 - a * c, 0.0)))
    return Estimate(ratio, (b - half) / a, (b + half) / a)


def change_of_improvement(first: Sequence[Floats], then: Sequence[Floats], is_paired: bool, level: float) -> Estimate:
    """Return RI - RI', RI the mean of a system over that of its baseline, less 1, by topics; its interval is linearised."""
    both = [((run, base), ratio_of_means(differences_of(run, base), base, True, level)) for run, base in (first, then)]
    change = both[0][1].value - both[1][1].value
    if any(np.isnan(ratio.low) for _, ratio in both):
        return Estimate(change)
    influences = [(run - base - ratio.value * base) / base.mean() for (run, base), ratio in both]
    around, _ = difference_of_means(influences[0], influences[1], is_paired, level)
    return Estimate(change, change + around.low - around.value, change + around.high - around.value)


# -- snapshots -------------------------------------------------------------------------------------------------------


def persist(
    snapshots: Mapping[str, Any] | str | os.PathLike[str],
    measures: Any = None,
    *,
    baseline: str | None = None,
    level: float = 0.05,
    missing: str = "refuse",
) -> Result:
    r"""Tell whether the improvement of systems over a baseline persists on other snapshots of a collection.

    With the means A of a system and B of the baseline on the first snapshot, A' and B' on another, the effect ratio is
    :math:`ER = (A' - B') / (A - B)`, the relative improvement :math:`RI = (A - B) / B`, its change :math:`\Delta RI = RI - RI'`, and the
    relative change :math:`RC = (A - A') / A`.

    Parameters
    ----------
    snapshots : mapping, or path of a table
        By name, the original first: the :class:`irmx.Scores` of each, or a pair of qrels and runs by system; or a table file with
        the columns ``name``, ``qrels``, ``baseline`` and ``run``, whose paths are beside it.
    measures : str or list of Measure, optional
        What to score runs by.
    baseline : str, optional
        The baseline; by default the first system.
    level : float
        The level of significance; intervals have a coverage of 1 - level.
    missing : {"refuse", "zero", "both"}
        What to do about topics for which a system has no value: refuse them where counting them as the measure's default would make an
        improvement larger or more lasting, and otherwise count them so; count them so in any case; or leave them out.

    Returns
    -------
    Result
        ``effects`` has one row per measure, system and snapshot: the ``topics``, both means, their ``difference`` with the ends of
        its interval and ``p`` (paired t test), ``RI``, and beside the first snapshot ``delta_RI``, ``ER`` and ``RC``, each with the ends of
        an interval, and ``p_between``, of a test of the system's mean against that on the first snapshot: paired where the topics
        are the same, otherwise Welch's. Intervals of ER and RC are Fieller's, those of a change of RI are linearised; where that of
        the mean below holds 0 there is none. ``ranks`` has the rank of each system on each snapshot, ``taus`` Kendall's tau-b between
        snapshots.

    Raises
    ------
    irmx.errors.UsageError
        For fewer than two snapshots, other systems or measures on one of them, or a measure that is no mean over topics.
    irmx.errors.DataError
        For a snapshot with fewer than two topics, an empty run, two snapshots that are the same, missing values that would help, and
        as :func:`irmx.scores` does.

    References
    ----------
    Breuer, T., Ferro, N., Fuhr, N., Maistro, M., Sakai, T., Schaer, P., Soboroff, I.: How to Measure the Reproducibility of
    System-oriented IR Experiments. SIGIR 2020. Fieller, E. C.: Some Problems in Interval Estimation. JRSS B 16 (2), 1954.

    Examples
    --------
    >>> import irmx
    >>> from irmx.demo import SYSTEMS, qrels_path, run_path
    >>> scores = irmx.scores("AP", qrels_path(), {system: run_path(system) for system in SYSTEMS})
    >>> halves = {"spring": scores.select(topics=scores.topics[:15]), "autumn": scores.select(topics=scores.topics[15:])}
    >>> result = persist(halves, baseline="titles")
    >>> result.frame()[["system", "snapshot", "difference", "ER", "delta_RI"]].round(2).values.tolist()
    [['bm25', 'spring', 0.26, nan, nan], ['bm25', 'autumn', 0.29, 1.14, -0.3], ['recent', 'spring', 0.1, nan, nan], ['recent', 'autumn', 0.11, 1.04, -0.07]]
    """
    if not 0 < level < 1:
        raise UsageError(f"The level of significance must be in the range (0, 1). Got {level:g} instead.")
    by_name, notes = dict[str, Scores](), list[str]()
    for name, source in _sources(snapshots).items():
        scores = _scored(source, measures)
        first = next(iter(by_name.values()), scores)
        _refuse_other(first, name, scores)
        if not by_name:
            base = (first if baseline is None else first.select(systems=baseline)).systems[0]
        by_name[name], of_missing = _complete(name, scores, _files_of(source), base, missing, scores is first)
        notes += of_missing
    if len(by_name) < 2:
        raise UsageError(f"Whether something persists needs two snapshots or more. There is {len(by_name)}.")
    original, *others = by_name
    first = by_name[original]
    by_name |= {name: _in_order_of(first, by_name[name]) for name in others}
    refuse_same("snapshot", by_name)
    effects = pd.DataFrame(_effects(by_name, base, level))
    tables = {"effects": lambda: effects}
    if len(first.systems) > 2:
        tables |= {"ranks": lambda: _ranks(by_name), "taus": lambda: pd.DataFrame(_taus(by_name))}
    return Result(
        f"{plural(len(first.systems) - 1, 'system')} against {base} on {plural(len(by_name), 'snapshot')}",
        tables,
        first,
        make_facts=lambda: {
            "original": original,
            "test": "Student's t test, paired by topic (two-sided); between snapshots Welch's where the topics differ",
            "intervals": f"{1 - level:.0%}, of ER and RC Fieller's, of delta RI linearised; none where the mean below may be 0",
            "versions": versions_fact(first),
        },
        make_notes=lambda: [*notes, *_notes(by_name)],
        pictures={"effects": "systems.persistence:plot_effects", "means": "systems.persistence:plot_means"},
        layouts={"effects": lambda places: _for_reading(effects, first, level, places)},
    )


def _sources(snapshots: Any) -> dict[str, Any]:
    """Return the sources of snapshots by name; the paths of a table are beside it."""
    if isinstance(snapshots, Mapping):
        return {str(name): source for name, source in snapshots.items()}
    files = read_collections(snapshots, "name", "snapshot")
    return {name: (qrels, {"baseline": baseline, "run": run}) for name, (qrels, baseline, run) in files.items()}


def _scored(source: Any, measures: Any) -> Scores:
    """Return the scores of a snapshot."""
    if not isinstance(source, tuple):
        return as_scores("persist", source)
    qrels, runs = source
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MissingTopicsWarning)  # the notes count the topics that runs lack
        return as_scores("persist", measures, qrels, runs_of_gate(runs))


def _files_of(source: Any) -> dict[str, str]:
    """Return the files of the runs of a snapshot, by system."""
    runs = source[1] if isinstance(source, tuple) and isinstance(source[1], Mapping) else {}
    return {str(system): f" {os.fspath(run)}" for system, run in runs.items() if is_path(run)}


def _complete(
    name: str, scores: Scores, files: Mapping[str, str], base: str, missing: str, is_original: bool
) -> tuple[Scores, list[str]]:
    """Return the scores of a snapshot without missing values, and notes on these; those that would help are refused.

    On the original, a system that lacks topics makes what is left of the improvement larger, and so does its baseline what there was.
    """
    ordered = scores.select(systems=[base, *(system for system in scores.systems if system != base)])
    shown = replace(ordered, systems=tuple(f"{system}{files.get(system, '')} of {name}" for system in ordered.systems))
    known = shown.with_missing(missing)
    if missing == "refuse":
        refuse_help(shown, is_original, "what is said of the improvement")
    notes = []
    if lacking := known.lacking():
        notes.append(f"topics without results, which count with the measures' defaults: {listing(lacking)}")
    scores = scores.with_missing(missing)
    whole = np.flatnonzero(~np.any(np.isnan(scores.values), axis=(1, 2))).tolist()
    if len(whole) < len(scores.topics):
        notes.append(
            f"topics left out of {name}: {len(scores.topics) - len(whole)} of {len(scores.topics)}, for which a system has no value"
        )
    scores = scores.select(topics=[scores.topics[t] for t in whole])
    if len(scores.topics) < 2:
        raise DataError(
            f"The snapshot {name} has {plural(len(scores.topics), 'topic')}; a mean with an interval needs two."
        )
    plain, own = scores.values.mean(axis=0), scores.means().to_numpy()
    for v in np.flatnonzero(~np.isclose(plain, own, rtol=1e-9, atol=1e-12).all(axis=0))[:1].tolist():
        raise UsageError(f"{scores.names[v]} is no mean over topics, so that it has no effect ratio. Leave it out.")
    return scores, notes


def _refuse_other(first: Scores, name: str, scores: Scores) -> None:
    """Raise if a snapshot has other systems or measures than the first."""
    axes = ("systems", scores.systems, first.systems), ("measures", scores.names, first.names)
    for what, of_this, of_first in axes:
        if set(of_this) != set(of_first):
            raise UsageError(
                f"The snapshot {name} has the {what} {list_some(of_this)}, and the first {list_some(of_first)}. Give the same on each."
            )


def _in_order_of(first: Scores, scores: Scores) -> Scores:
    """Return the scores of a snapshot with systems, measures and, if they are the same, topics in the order of the first."""
    topics = first.topics if set(scores.topics) == set(first.topics) else None
    return scores.select(topics, first.systems, views=first.names)


def _effects(by_name: Mapping[str, Scores], base: str, level: float) -> Iterator[dict[str, Any]]:
    """Yield one row per measure, system and snapshot."""
    first = next(iter(by_name.values()))
    for (v, view), (s, system) in product(enumerate(first.names), enumerate(first.systems)):
        if system == base:
            continue
        for name, scores in by_name.items():
            baseline, run = (scores.values[:, at, v] for at in (first.systems.index(base), s))
            difference, p = difference_of_means(run, baseline, True, level)
            row: dict[str, Any] = {"measure": view, "system": system, "snapshot": name, "topics": len(run)}
            row |= {"mean_baseline": baseline.mean(), "mean": run.mean(), "difference": difference.value}
            row |= {"low": difference.low, "high": difference.high, "p": p}
            row["RI"] = ratio_of_means(differences_of(run, baseline), baseline, True, level).value
            if scores is first:
                original = run, baseline
            else:
                is_paired = scores.topics == first.topics
                effect = differences_of(run, baseline), differences_of(*original)
                left = ratio_of_means(run, original[0], is_paired, level)
                for column, estimate in (
                    ("delta_RI", change_of_improvement(original, (run, baseline), is_paired, level)),
                    ("ER", ratio_of_means(*effect, is_paired, level)),
                    ("RC", Estimate(1 - left.value, 1 - left.high, 1 - left.low)),
                ):
                    row |= {column: estimate.value, f"{column}_low": estimate.low, f"{column}_high": estimate.high}
                row["p_between"] = difference_of_means(original[0], run, is_paired, level)[1]
            yield row


def _ranks(by_name: Mapping[str, Scores]) -> pd.DataFrame:
    """Return the rank of each system by each measure on each snapshot, 1 the best."""
    first = next(iter(by_name.values()))
    names = pd.DataFrame(product(first.names, first.systems), columns=["measure", "system"])
    return names.assign(**{n: mean_ranks(-comparable_means(s) * signs_of(s)).T.ravel() for n, s in by_name.items()})


def _taus(by_name: Mapping[str, Scores]) -> Iterator[dict[str, Any]]:
    """Yield Kendall's tau-b of the systems between snapshots, by each measure."""
    means = np.stack([scores.values.mean(axis=0).round(12) for scores in by_name.values()], axis=1)
    for v, view in enumerate(next(iter(by_name.values())).names):
        taus = kendall_taus(means[:, :, v])
        for (i, a), (j, b) in combinations(enumerate(by_name), 2):
            yield {"measure": view, "a": a, "b": b, "tau": taus[i, j]}


def _notes(by_name: Mapping[str, Scores]) -> list[str]:
    """Return what a reader must know about the topics of snapshots."""
    (_, first), *others = by_name.items()
    shared = {name: {*first.topics} & {*scores.topics} for name, scores in others if scores.topics != first.topics}
    some = [f"{name} {len(topics)}" for name, topics in shared.items() if topics]
    return [f"topics shared with the first snapshot, whose dependence is left out: {', '.join(some)}"] if some else []


def _for_reading(effects: pd.DataFrame, scores: Scores, level: float, places: int) -> list[Titled]:
    """Return what persists, in sentences, and the numbers with their intervals in one cell."""
    signs = dict(zip(scores.names, signs_of(scores), strict=True))
    sentences = [
        _sentence(measure, system, rows, level, signs[measure])
        for (measure, system), rows in effects.groupby(["measure", "system"], sort=False)
    ]
    shown = effects.drop(columns=["low", "high", *(name for name in effects if name.endswith(("_low", "_high")))])
    for name in ("delta_RI", "ER", "RC"):
        rows = effects[[name, f"{name}_low", f"{name}_high"]].itertuples(index=False)
        shown[name] = ["" if np.isnan(v) else _with_interval(v, low, high, places) for v, low, high in rows]
    return [("\n".join(sentences), None), ("", for_reading(shown, places))]


def _with_interval(value: float, low: float, high: float, places: int) -> str:
    return f"{fixed(value, places)} {interval(low, high, places)}".rstrip()


def _sentence(measure: Any, system: Any, rows: pd.DataFrame, level: float, sign: float) -> str:
    """Say in how many snapshots an improvement is still there, and what is left of it in the others."""
    rows = rows.assign(snapshot=rows["snapshot"].map(visible))
    system = visible(system)
    original, better = rows["snapshot"].iloc[0], (sign * rows["difference"] > 0) & (rows["p"] < level)
    if not better.iloc[0]:
        return f"{measure}: {system} is not significantly better on {original}, so that there is nothing to persist."
    gone = [
        f"on {row.snapshot} ER is {_with_interval(row.ER, row.ER_low, row.ER_high, 2)}"
        for row in rows[~better].itertuples()
    ]
    lost = f"; {joined(gone)}" if gone else ""
    return f"{measure}: the improvement of {system} ({rows['difference'].iloc[0]:+.3f} on {original}) persists on {better.sum() - 1} of {plural(len(rows) - 1, 'other snapshot')}{lost}."


# -- reruns ----------------------------------------------------------------------------------------------------------


def rerun(
    measures: Any,
    qrels: Any,
    original: Any,
    reruns: Mapping[str, Any],
    *,
    depth: int = 1000,
    p: float = 0.95,
    missing: str = "refuse",
) -> Result:
    r"""Tell how close reruns of a system on the same topics are to the original: in values, and in rankings.

    Documents with equal scores are in the order of trec_eval, by their ids, the largest first.

    Parameters
    ----------
    measures : str or list of Measure
        What to score the runs by.
    qrels : any
        What :func:`irmx.read_qrels` takes.
    original : any
        The original run, as :func:`irmx.read_run` takes it.
    reruns : mapping
        The runs to compare it with, by name.
    depth : int
        How many documents of a ranking are compared.
    p : float
        The persistence of rank-biased overlap, in (0, 1).
    missing : {"refuse", "zero", "both"}
        As for :func:`irmx_study.compare`.

    Returns
    -------
    Result
        ``values`` has one row per rerun and measure: both means, the root mean square error of topics ``RMSE``, ``nRMSE`` relative to the
        largest error that is possible for a measure in [0, 1], and ``p`` of a paired t test, 1 where all topics are the same.
        ``rankings`` has one row per rerun: the ``topics`` that one of the runs has, and the means over them of ``tau_union``, Kendall's tau-b of the documents at the same ranks,
        as numbers in the order of their ids, and of ``rbo``, the rank-biased overlap down to ``depth`` relative to its largest value.
        ``topics`` has both per topic, with the difference by each measure, the largest by the first measure first. ``tau_union``
        is NaN for rankings of different lengths, and so is its mean if there are any; a topic that one run lacks has an overlap of 0.

    Raises
    ------
    irmx.errors.UsageError
        If ``p`` or ``depth`` is out of range, a file is given twice, or a rerun has no topic of the original.

    References
    ----------
    Breuer, T., Ferro, N., Fuhr, N., Maistro, M., Sakai, T., Schaer, P., Soboroff, I.: How to Measure the Reproducibility of
    System-oriented IR Experiments. SIGIR 2020.

    Examples
    --------
    >>> import irmx
    >>> from irmx.demo import qrels_path, run_path
    >>> again = irmx.read_run(run_path("bm25"))
    >>> result = rerun("AP", qrels_path(), run_path("bm25"), {"again": again, "titles": run_path("titles")}, depth=10)
    >>> result.frame()[["rerun", "RMSE", "nRMSE"]].round(3).values.tolist()
    [['again', 0.0, 0.0], ['titles', 0.305, 0.467]]
    >>> result.frame("rankings")["rbo"].round(3).tolist()
    [1.0, 0.347]
    """
    if not 0 < p < 1 or depth < 1:
        raise UsageError(f"p must be in the range (0, 1) and depth 1 or more. Got p={p:g} and depth={depth}.")
    files = [os.path.realpath(run) for run in (original, *reruns.values()) if is_path(run)]
    if twice := [file for file in files if files.count(file) > 1]:
        raise UsageError(f"The run {twice[0]} is given twice. Give the original and every rerun once.")
    first = read_run(original)
    runs = {"original": first, **{str(name): read_run(run) for name, run in reruns.items()}}
    if len(runs) <= len(reruns):
        raise UsageError("A rerun cannot have the name 'original'.")
    named = f"original {os.fspath(original)}" if is_path(original) else "original"
    scores = irmx.scores(measures, qrels, {named: first, **{name: runs[name] for name in [*runs][1:]}}, progress=False)
    scores = replace(scores.with_missing(missing), systems=tuple(runs))
    if len(scores.topics) < 2:
        raise DataError(f"The qrels have {plural(len(scores.topics), 'topic')}; a mean over topics needs two.")
    rankings = {name: _rankings(run, depth) for name, run in runs.items()}
    topics = pd.DataFrame(row for name in reruns for row in _of_topics(name, rankings, scores, depth, p))
    means = topics.groupby("rerun", sort=False, as_index=False).agg(
        topics=("rbo", "size"), tau_union=("tau_union", lambda taus: taus.mean(skipna=False)), rbo=("rbo", "mean")
    )
    values = pd.DataFrame(_of_reruns(scores))
    shortest = min((len(docs) for of_run in rankings.values() for docs in of_run.values()), default=depth)
    short = (
        f"some rankings have only {plural(shortest, 'document')}: rbo down to {depth:,} is below 1 even where they are equal; try "
        f"--depth {shortest}"
    )
    return Result(
        f"{plural(len(reruns), 'rerun')} against the original on {plural(len(scores.topics), 'topic')}",
        {"values": lambda: values, "rankings": lambda: means, "topics": lambda: topics},
        scores,
        make_facts=lambda: {
            "rankings": f"the first {depth:,} documents, equal scores by id; rank-biased overlap with p = {p:g}",
            "test": "Student's t test, paired by topic (two-sided)",
            "versions": versions_fact(scores),
        },
        make_notes=lambda: [short] if shortest < depth else [],
        layouts={
            "values": lambda places: [("", for_reading(values, places)), ("rankings", for_reading(means, places))]
        },
    )


def _rankings(run: Run, depth: int) -> dict[str, list[str]]:
    """Return the first documents of each topic, by score, equal scores by id."""
    scores = np.split(run.score.astype(np.float32), run.offsets[1:-1])
    return {
        str(topic): [doc for _, doc in sorted(zip(of_topic.tolist(), run.docs(t), strict=True), reverse=True)][:depth]
        for t, (topic, of_topic) in enumerate(zip(run.topics, scores, strict=False))
    }


def _of_reruns(scores: Scores) -> Iterator[dict[str, Any]]:
    for (s, name), (v, view) in product(list(enumerate(scores.systems))[1:], enumerate(scores.names)):
        both = scores.values[:, [0, s], v]
        x, y = both[~np.isnan(both).any(axis=1)].T
        error, largest = (float(np.sqrt(np.mean(of**2))) for of in (x - y, np.maximum(x, 1 - x)))
        row = {"rerun": name, "measure": view, "mean_original": x.mean(), "mean": y.mean(), "RMSE": error}
        row["nRMSE"] = error / largest if np.all((x >= 0) & (x <= 1)) else np.nan
        yield row | {"p": difference_of_means(x, y, True, 0.05)[1]}


def _of_topics(
    name: str, rankings: Mapping[str, Mapping[str, Sequence[str]]], scores: Scores, depth: int, p: float
) -> Iterator[dict[str, Any]]:
    """Yield how a rerun differs on each topic that one of the runs has, the largest difference by the first measure first."""
    original, again = rankings["original"], rankings[name]
    if not original.keys() & again.keys() & {*scores.topics}:
        raise UsageError(f"{name} has no topic in common with the original run.")
    differences = scores.values[:, scores.systems.index(name)] - scores.values[:, 0]
    for t in np.argsort(-np.abs(np.nan_to_num(differences[:, 0])), kind="stable").tolist():
        if (topic := scores.topics[t]) in original.keys() | again.keys():
            x, y = original.get(topic, ()), again.get(topic, ())
            row = {"rerun": name, "query_id": topic, "tau_union": _tau_union(x, y), "rbo": _overlap(x, y, depth, p)}
            yield row | dict(zip(scores.names, differences[t].tolist(), strict=True))


def _tau_union(x: Sequence[str], y: Sequence[str]) -> float:
    """Return Kendall's tau of the numbers of the documents at the same ranks, in the order of their ids; NaN for other lengths."""
    if len(x) != len(y) or len(x) < 2:
        return np.nan
    _, numbers = np.unique([x, y], return_inverse=True)
    return kendall_tau(*numbers.reshape(2, -1))


def _overlap(x: Sequence[str], y: Sequence[str], depth: int, p: float) -> float:
    """Return the rank-biased overlap down to a depth, relative to its largest value; a ranking that ends adds no more documents."""
    rank = {doc: i for i, doc in enumerate(x)}
    from_rank = [max(rank[doc], i) for i, doc in enumerate(y) if doc in rank]
    common, weights = np.bincount(from_rank, minlength=depth).cumsum(), p ** np.arange(depth)
    return float((weights * common / np.arange(1, depth + 1)).sum() / weights.sum())


# -- pictures --------------------------------------------------------------------------------------------------------


def plot_effects(result: Result, ax: Any = None, measure: str | None = None) -> Any:
    """Draw the effect ratio against the change of the relative improvement, with intervals: a colour per system, a marker per snapshot."""
    rows, measure = _of_measure(result, measure)
    rows = rows[~rows["ER"].isna()]
    ax = axes_of(ax, 5.0, 3.6)
    ax.axhline(0, color="#999999", linewidth=0.8)
    ax.axvline(1, color="#999999", linewidth=0.8)
    systems, snapshots = list(dict.fromkeys(rows["system"])), list(dict.fromkeys(rows["snapshot"]))
    for row in rows.itertuples():
        xerr = [row.ER - row.ER_low], [row.ER_high - row.ER]
        yerr = [row.delta_RI - row.delta_RI_low], [row.delta_RI_high - row.delta_RI]
        look = {"color": COLOURS[systems.index(row.system) % len(COLOURS)], "capsize": 2, "linewidth": 0.8}
        look["marker"] = distinct_marker(snapshots.index(row.snapshot) * len(COLOURS))
        ax.errorbar(row.ER, row.delta_RI, yerr, xerr, label=picture_text(f"{row.system}, {row.snapshot}"), **look)
    ax.set(xlabel=picture_text(f"effect ratio by {measure}"), ylabel="change of relative improvement")
    ax.legend()
    return ax


def plot_means(result: Result, ax: Any = None, measure: str | None = None) -> Any:
    """Draw the means of all systems on each snapshot, a line per system."""
    rows, measure = _of_measure(result, measure)
    ax = axes_of(ax, 5.0, 3.2)
    of_systems = dict(iter(rows.groupby("system", sort=False)))
    first = next(iter(of_systems.values()))
    lines = {"baseline": first["mean_baseline"], **{system: of["mean"] for system, of in of_systems.items()}}
    for number, (name, means) in enumerate(lines.items()):
        look = {"color": COLOURS[number % len(COLOURS)], "marker": distinct_marker(number)}
        ax.plot(range(len(means)), means.to_numpy(), label=picture_text(name), **look)
    ax.set_xticks(range(len(first)), [picture_text(name) for name in first["snapshot"]])
    ax.set_ylabel(picture_text(f"mean {measure}"))
    ax.legend()
    return ax


def _of_measure(result: Result, measure: str | None) -> tuple[pd.DataFrame, str]:
    """Return the effects by a measure, by default the first."""
    assert result.scores is not None
    name = result.scores.names[0] if measure is None else result.scores.select(views=measure).names[0]
    return result.frame("effects").query("measure == @name"), name
