"""Whether an improvement persists: on other snapshots of a collection, and in somebody else's rerun."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import irmx
from irmx import DataError, Run, Scores, UsageError, read_run, read_table
from irmx.ragged import Floats
from irmx.toolkit import COLOURS, as_measures, axes_for, distinct_marker, list_some, picture_text, plural, suggest
from irmx_study.inputs.choices import as_scores, beside
from irmx_study.showing.result import Result, fixed, for_reading, interval, joined, versions_fact
from irmx_study.statistics.paired import p_of_equal_signs
from irmx_study.statistics.ranks import comparable_means, kendall_tau, mean_ranks
from irmx_study.statistics.tests import mean_and_error, two_sided_t

# -- means, ratios of means and their intervals ----------------------------------------------------------------------


_ROUNDING = 1e-12


class Estimate(NamedTuple):
    """A number with its interval; NaN where there is none."""

    value: float
    low: float = np.nan
    high: float = np.nan


def freedom_of(*parts: tuple[float, int]) -> float:
    """Return the degrees of freedom of a sum of means of independent samples, given the variance and the size of each (Welch)."""
    whole = sum(variance for variance, _ in parts)
    return whole**2 / sum(v**2 / (n - 1) for v, n in parts) if whole > 0 else float(min(n for _, n in parts) - 1)


def differences_of(x: Floats, y: Floats) -> Floats:
    """Return x - y, 0 where they differ only by rounding."""
    difference = x - y
    return np.where(np.abs(difference) <= _ROUNDING * np.maximum(np.abs(x), np.abs(y)), 0.0, difference)


def difference_of_means(x: Floats, y: Floats, is_paired: bool, level: float) -> tuple[Estimate, float]:
    """Return the mean of x less that of y with a t interval, and the p-value: paired, or Welch's."""
    from scipy.special import stdtr

    if is_paired:
        mean, error = (
            float(v[0]) for v in mean_and_error(differences_of(x, y)[:, None], np.abs(np.append(x, y)).max(initial=0.0))
        )
        freedom = len(x) - 1.0
    else:
        variances = [(float(of.var(ddof=1)) / len(of), len(of)) for of in (x, y)]
        mean, error, freedom = (
            float(x.mean() - y.mean()),
            float(np.sqrt(sum(v for v, _ in variances))),
            freedom_of(*variances),
        )
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


def change_of_improvement(
    first: tuple[Floats, Floats], then: tuple[Floats, Floats], is_paired: bool, level: float
) -> Estimate:
    """Return RI - RI', RI the mean of a system over that of its baseline, less 1, by topics; its interval is linearised."""
    improvements, influences = [], []
    for of_baseline, of_system in (first, then):
        ratio = ratio_of_means(differences_of(of_system, of_baseline), of_baseline, True, level)
        if np.isnan(ratio.value):
            return Estimate(np.nan)
        improvements.append(ratio)
        influences.append((of_system - of_baseline - ratio.value * of_baseline) / of_baseline.mean())
    change = improvements[0].value - improvements[1].value
    if any(np.isnan(one.low) for one in improvements):
        return Estimate(change)
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
        As for :func:`irmx_study.compare`.

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
        For a snapshot with fewer than two topics, and as :func:`irmx.scores` does.

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
    by_name = {name: _scored(name, source, measures, missing) for name, source in _sources(snapshots).items()}
    if len(by_name) < 2:
        raise UsageError(f"Whether something persists needs two snapshots or more. There is {len(by_name)}.")
    first = next(iter(by_name.values()))
    _refuse_others(by_name, first)
    base = first.systems[0] if baseline is None else baseline
    if base not in first.systems:
        raise UsageError(f"There is no system {base!r}.{suggest(base, first.systems)}")
    effects = pd.DataFrame(_effects(by_name, base, level))
    tables = {"effects": lambda: effects}
    if len(first.systems) > 2:
        tables |= {"ranks": lambda: pd.DataFrame(_ranks(by_name)), "taus": lambda: pd.DataFrame(_taus(by_name))}
    return Result(
        f"{plural(len(first.systems) - 1, 'system')} against {base} on {plural(len(by_name), 'snapshot')}",
        tables,
        first,
        make_facts=lambda: {
            "original": next(iter(by_name)),
            "test": "Student's t test, paired by topic (two-sided); between snapshots Welch's where the topics differ",
            "intervals": f"{1 - level:.0%}, of ER and RC Fieller's, of delta RI linearised; none where the mean below may be 0",
            "versions": versions_fact(first),
        },
        make_notes=lambda: _notes(by_name),
        pictures={"effects": "systems.persistence:plot_effects", "means": "systems.persistence:plot_means"},
        layouts={"effects": lambda places: _for_reading(effects, first, next(iter(by_name)), level, places)},
    )


def _sources(snapshots: Any) -> dict[str, Any]:
    """Return the sources of snapshots by name; the paths of a table are beside it."""
    if isinstance(snapshots, Mapping):
        return {str(name): source for name, source in snapshots.items()}
    columns = ("name", "qrels", "baseline", "run")
    table, folder = (
        read_table(snapshots, dict.fromkeys(columns, str), "table of snapshots"),
        os.path.dirname(os.fspath(snapshots)),
    )
    found: dict[str, Any] = {}
    for row, (name, *files) in enumerate(zip(*(table[column].tolist() for column in columns), strict=True)):
        if name in found:
            table.refuse(row, f"the snapshot {name!r} stands here a second time.")
        qrels, *runs = (beside(folder, path) for path in files)
        found[name] = qrels, dict(zip(columns[2:], runs, strict=True))
    return found


def _scored(name: str, source: Any, measures: Any, missing: str) -> Scores:
    """Return the scores of a snapshot, complete."""
    pair = (measures, *source) if isinstance(source, tuple) else (source,)
    scores = as_scores("persist", *pair).with_missing(missing)
    whole = np.flatnonzero(~np.any(np.isnan(scores.values), axis=(1, 2))).tolist()
    if len(whole) < len(scores.topics):
        scores = scores.select(topics=[scores.topics[t] for t in whole])
    if len(scores.topics) < 2:
        raise DataError(
            f"The snapshot {name} has {plural(len(scores.topics), 'topic')}; a mean with an interval needs two."
        )
    plain, own = scores.values.mean(axis=0), scores.means().to_numpy()
    for v in np.flatnonzero(~np.isclose(plain, own, rtol=1e-9, atol=1e-12).all(axis=0))[:1].tolist():
        raise UsageError(f"{scores.names[v]} is no mean over topics, so that it has no effect ratio. Leave it out.")
    return scores


def _refuse_others(by_name: Mapping[str, Scores], first: Scores) -> None:
    for name, scores in by_name.items():
        for what, of_this, of_first in (
            ("systems", scores.systems, first.systems),
            ("measures", scores.names, first.names),
        ):
            if set(of_this) != set(of_first):
                raise UsageError(
                    f"The snapshot {name} has the {what} {list_some(of_this)}, and the first {list_some(of_first)}. Give the same on each."
                )


def _column(scores: Scores, system: str, view: str) -> Floats:
    return np.asarray(scores.values[:, scores.systems.index(system), scores.names.index(view)])


def _are_same(one: Scores, other: Scores) -> bool:
    return set(one.topics) == set(other.topics)


def _effects(by_name: Mapping[str, Scores], base: str, level: float) -> Iterator[dict[str, Any]]:
    """Yield one row per measure, system and snapshot."""
    first = next(iter(by_name.values()))
    for view in first.names:
        for system in (one for one in first.systems if one != base):
            original = _column(first, base, view), _column(first, system, view)
            for name, scores in by_name.items():
                is_paired = _are_same(first, scores)
                order = [scores.topics.index(topic) for topic in first.topics] if is_paired else slice(None)
                b, a = (_column(scores, one, view)[order] for one in (base, system))
                found, p = difference_of_means(a, b, True, level)
                row: dict[str, Any] = {"measure": view, "system": system, "snapshot": name, "topics": len(a)}
                row |= {"mean_baseline": b.mean(), "mean": a.mean(), **_with_ends("difference", found), "p": p}
                row["RI"] = ratio_of_means(differences_of(a, b), b, True, level).value
                none = scores is first
                change = Estimate(np.nan) if none else change_of_improvement(original, (b, a), is_paired, level)
                effect = (
                    Estimate(np.nan)
                    if none
                    else ratio_of_means(differences_of(a, b), differences_of(*original[::-1]), is_paired, level)
                )
                left = Estimate(np.nan) if none else ratio_of_means(a, original[1], is_paired, level)
                row |= _with_ends("delta_RI", change) | _with_ends("ER", effect)
                row |= _with_ends("RC", Estimate(1 - left.value, 1 - left.high, 1 - left.low))
                row["p_between"] = np.nan if none else difference_of_means(original[1], a, is_paired, level)[1]
                yield row


def _with_ends(name: str, estimate: Estimate) -> dict[str, float]:
    ends = ("low", "high") if name == "difference" else (f"{name}_low", f"{name}_high")
    return {name: estimate.value, ends[0]: estimate.low, ends[1]: estimate.high}


def _ranks(by_name: Mapping[str, Scores]) -> Iterator[dict[str, Any]]:
    """Yield the rank of each system by each measure on each snapshot, 1 the best."""
    first = next(iter(by_name.values()))
    of_each = {name: mean_ranks(-comparable_means(scores) * _signs(scores)) for name, scores in by_name.items()}
    for view in first.names:
        for system in first.systems:
            at = {name: (scores.systems.index(system), scores.names.index(view)) for name, scores in by_name.items()}
            yield {"measure": view, "system": system, **{name: float(of_each[name][at[name]]) for name in by_name}}


def _signs(scores: Scores) -> list[float]:
    """Return 1 for each view of which more is better, and -1 for the others."""
    return [-1.0 if getattr(measure, "LESS_IS_BETTER", False) else 1.0 for measure in scores.measures]


def _taus(by_name: Mapping[str, Scores]) -> Iterator[dict[str, Any]]:
    """Yield Kendall's tau-b of the systems between snapshots, by each measure."""
    names, first = list(by_name), next(iter(by_name.values()))
    for view in first.names:
        means = {
            name: [float(_column(scores, system, view).mean().round(12)) for system in first.systems]
            for name, scores in by_name.items()
        }
        for i, a in enumerate(names):
            for b in names[i + 1 :]:
                yield {"measure": view, "a": a, "b": b, "tau": kendall_tau(np.array(means[a]), np.array(means[b]))}


def _notes(by_name: Mapping[str, Scores]) -> list[str]:
    """Return what a reader must know about the topics of snapshots."""
    (_, first), *others = by_name.items()
    shared = {
        name: len(set(first.topics) & set(scores.topics)) for name, scores in others if not _are_same(first, scores)
    }
    some = [f"{name} {count}" for name, count in shared.items() if count]
    return [f"topics shared with the first snapshot, whose dependence is left out: {', '.join(some)}"] if some else []


def _for_reading(
    effects: pd.DataFrame, scores: Scores, original: str, level: float, places: int
) -> list[tuple[str, Any]]:
    """Return what persists, in sentences, and the numbers with their intervals in one cell."""
    signs = dict(zip(scores.names, _signs(scores), strict=True))
    sentences = [
        _sentence(measure, system, rows, original, level, signs[measure])
        for (measure, system), rows in effects.groupby(["measure", "system"], sort=False)
    ]
    shown = effects[
        ["measure", "system", "snapshot", "topics", "mean_baseline", "mean", "difference", "p", "RI"]
    ].copy()
    for name in ("delta_RI", "ER", "RC"):
        shown[name] = [
            "" if np.isnan(v) else fixed(v, places) + (f" {interval(low, high, places)}" if not np.isnan(low) else "")
            for v, low, high in effects[[name, f"{name}_low", f"{name}_high"]].itertuples(index=False)
        ]
    shown["p_between"] = effects["p_between"]
    return [("\n".join(sentences), None), ("", for_reading(shown, places))]


def _sentence(measure: Any, system: Any, rows: pd.DataFrame, original: str, level: float, sign: float) -> str:
    """Say in how many snapshots an improvement is still there, and what is left of it in the others."""
    better = (sign * rows["difference"] > 0) & (rows["p"] < level)
    first, rest = rows.iloc[0], rows.iloc[1:]
    if not better.iloc[0]:
        return f"{measure}: {system} is not significantly better on {original}, so that there is nothing to persist."
    gone = [
        f"on {row.snapshot} ER is {row.ER:.2f}"
        + (f" [{row.ER_low:.2f}, {row.ER_high:.2f}]" if not np.isnan(row.ER_low) else "")
        for row in rest[~better.iloc[1:]].itertuples()
    ]
    lost = f"; {joined(gone)}" if gone else ""
    return f"{measure}: the improvement of {system} ({first['difference']:+.3f} on {original}) persists on {int(better.iloc[1:].sum())} of {plural(len(rest), 'other snapshot')}{lost}."


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
        If ``p`` or ``depth`` is out of range, or a rerun has no topic of the original.

    References
    ----------
    Breuer, T., Ferro, N., Fuhr, N., Maistro, M., Sakai, T., Schaer, P., Soboroff, I.: How to Measure the Reproducibility of
    System-oriented IR Experiments. SIGIR 2020.

    Examples
    --------
    >>> import irmx
    >>> from irmx.demo import qrels_path, run_path
    >>> result = rerun("AP", qrels_path(), run_path("bm25"), {"again": run_path("bm25"), "titles": run_path("titles")}, depth=10)
    >>> result.frame()[["rerun", "RMSE", "nRMSE"]].round(3).values.tolist()
    [['again', 0.0, 0.0], ['titles', 0.305, 0.467]]
    >>> result.frame("rankings")["rbo"].round(3).tolist()
    [1.0, 0.347]
    """
    if not 0 < p < 1 or depth < 1:
        raise UsageError(f"p must be in the range (0, 1) and depth 1 or more. Got p={p:g} and depth={depth}.")
    first = read_run(original)
    runs = {"original": first, **{str(name): read_run(run) for name, run in reruns.items()}}
    if len(runs) <= len(reruns):
        raise UsageError("A rerun cannot have the name 'original'.")
    scores = irmx.scores(as_measures(measures), qrels, runs, progress=False).with_missing(missing)
    if len(scores.topics) < 2:
        raise DataError(f"The qrels have {plural(len(scores.topics), 'topic')}; a mean over topics needs two.")
    rankings = {name: _rankings(run, depth) for name, run in runs.items()}
    topics = pd.concat(
        [pd.DataFrame(_of_topics(name, rankings, scores, depth, p)) for name in reruns], ignore_index=True
    )
    of_reruns = topics.groupby("rerun", sort=False)
    means = of_reruns["rbo"].agg(topics="size", rbo="mean").reset_index()
    means.insert(2, "tau_union", of_reruns["tau_union"].apply(lambda of_run: of_run.mean(skipna=False)).to_numpy())
    return Result(
        f"{plural(len(reruns), 'rerun')} against the original on {plural(len(scores.topics), 'topic')}",
        {"values": lambda: pd.DataFrame(_of_reruns(scores)), "rankings": lambda: means, "topics": lambda: topics},
        scores,
        make_facts=lambda: {
            "rankings": f"the first {depth:,} documents, equal scores by id; rank-biased overlap with p = {p:g}",
            "test": "Student's t test, paired by topic (two-sided)",
            "versions": versions_fact(scores),
        },
        make_notes=lambda: _short_rankings(rankings, depth),
        layouts={
            "values": lambda places: [
                ("", for_reading(pd.DataFrame(_of_reruns(scores)), places)),
                ("rankings", for_reading(means, places)),
            ]
        },
    )


def _rankings(run: Run, depth: int) -> dict[str, list[str]]:
    """Return the first documents of each topic, by score, equal scores by id."""
    ends = run.offsets.tolist()
    return {
        str(topic): [
            doc
            for _, doc in sorted(
                zip(run.score[a:b].astype(np.float32).tolist(), run.docs(t), strict=True), reverse=True
            )[:depth]
        ]
        for t, (topic, a, b) in enumerate(zip(run.topics, ends, ends[1:], strict=False))
    }


def _short_rankings(rankings: Mapping[str, Mapping[str, Sequence[str]]], depth: int) -> list[str]:
    """Return what a reader must know of rankings that end above the depth."""
    shortest = min((len(docs) for of_run in rankings.values() for docs in of_run.values()), default=depth)
    if shortest >= depth:
        return []
    return [
        f"some rankings have only {plural(shortest, 'document')}: rbo down to {depth:,} is below 1 even where they are equal; try "
        f"--depth {shortest}"
    ]


def _of_reruns(scores: Scores) -> Iterator[dict[str, Any]]:
    for s, name in enumerate(scores.systems[1:], start=1):
        for v, view in enumerate(scores.names):
            x, y = (
                of[~np.isnan(scores.values[:, [0, s], v]).any(axis=1)]
                for of in (scores.values[:, 0, v], scores.values[:, s, v])
            )
            error = float(np.sqrt(np.mean((x - y) ** 2)))
            largest = float(np.sqrt(np.mean(np.maximum(x, 1 - x) ** 2)))
            _, p = difference_of_means(x, y, True, 0.05)
            row = {"rerun": name, "measure": view, "mean_original": x.mean(), "mean": y.mean(), "RMSE": error}
            yield {**row, "nRMSE": error / largest if np.all((x >= 0) & (x <= 1)) else np.nan, "p": p}


def _of_topics(
    name: str, rankings: Mapping[str, Mapping[str, Sequence[str]]], scores: Scores, depth: int, p: float
) -> Iterator[dict[str, Any]]:
    """Yield how a rerun differs on each topic that one of the runs has, the largest difference by the first measure first."""
    original, again = rankings["original"], rankings[name]
    if not any(topic in again for topic in original if topic in scores.topics):
        raise UsageError(f"{name} has no topic in common with the original run.")
    at, s = {topic: t for t, topic in enumerate(scores.topics)}, scores.systems.index(name)
    differences = scores.values[:, s] - scores.values[:, 0]
    either = [topic for topic in scores.topics if topic in original or topic in again]
    for topic in sorted(either, key=lambda one: -abs(np.nan_to_num(differences[at[one], 0]))):
        x, y = original.get(topic, ()), again.get(topic, ())
        row = {"rerun": name, "query_id": topic, "tau_union": _tau_union(x, y), "rbo": _overlap(x, y, depth, p)}
        yield row | dict(zip(scores.names, differences[at[topic]].tolist(), strict=True))


def _tau_union(x: Sequence[str], y: Sequence[str]) -> float:
    """Return Kendall's tau of the numbers of the documents at the same ranks, in the order of their ids; NaN for other lengths."""
    if len(x) != len(y) or len(x) < 2:
        return np.nan
    number = {doc: float(i) for i, doc in enumerate(sorted({*x, *y}))}
    return kendall_tau(np.array([number[doc] for doc in x]), np.array([number[doc] for doc in y]))


def _overlap(x: Sequence[str], y: Sequence[str], depth: int, p: float) -> float:
    """Return the rank-biased overlap down to a depth, relative to its largest value; a ranking that ends adds no more documents."""
    rank = {doc: i for i, doc in enumerate(x)}
    common = np.bincount([max(rank[doc], i) for i, doc in enumerate(y) if doc in rank], minlength=depth)[
        :depth
    ].cumsum()
    weights = p ** np.arange(depth)
    return float((weights * common / np.arange(1, depth + 1)).sum() / weights.sum())


# -- pictures --------------------------------------------------------------------------------------------------------


def plot_effects(result: Result, ax: Any = None, measure: str | None = None) -> Any:
    """Draw the effect ratio against the change of the relative improvement, with intervals: a colour per system, a marker per snapshot."""
    rows, measure = _of_measure(result.frame("effects"), measure)
    rows = rows[~rows["ER"].isna()]
    [ax] = axes_for(ax, 1, (5.0, 3.6))
    ax.axhline(0, color="#999999", linewidth=0.8)
    ax.axvline(1, color="#999999", linewidth=0.8)
    systems, snapshots = list(dict.fromkeys(rows["system"])), list(dict.fromkeys(rows["snapshot"]))
    for row in rows.itertuples():
        ends = ((row.ER, row.ER_low, row.ER_high), (row.delta_RI, row.delta_RI_low, row.delta_RI_high))
        across, along = ([[value - low], [high - value]] for value, low, high in ends)
        ax.errorbar(
            row.ER, row.delta_RI, xerr=across, yerr=along, capsize=2, linewidth=0.8,
            color=COLOURS[systems.index(row.system) % len(COLOURS)], marker=distinct_marker(snapshots.index(row.snapshot) * len(COLOURS)),
            label=picture_text(f"{row.system}, {row.snapshot}"),
        )  # fmt: skip
    ax.set_xlabel(picture_text(f"effect ratio by {measure}"))
    ax.set_ylabel("change of relative improvement")
    ax.legend(frameon=False, fontsize="small")
    return ax


def plot_means(result: Result, ax: Any = None, measure: str | None = None) -> Any:
    """Draw the means of all systems on each snapshot, a line per system."""
    rows, measure = _of_measure(result.frame("effects"), measure)
    [ax] = axes_for(ax, 1, (5.0, 3.2))
    of_systems = dict(iter(rows.groupby("system", sort=False)["mean"]))
    first = next(iter(of_systems))
    lines = {"baseline": rows[rows["system"] == first]["mean_baseline"], **of_systems}
    snapshots = rows[rows["system"] == first]["snapshot"].tolist()
    for number, (name, means) in enumerate(lines.items()):
        ax.plot(
            range(len(snapshots)),
            means.to_numpy(),
            color=COLOURS[number % len(COLOURS)],
            marker=distinct_marker(number),
            label=picture_text(name),
        )
    ax.set_xticks(range(len(snapshots)), [picture_text(name) for name in snapshots])
    ax.set_ylabel(picture_text(f"mean {measure}"))
    ax.legend(frameon=False, fontsize="small")
    return ax


def _of_measure(rows: pd.DataFrame, measure: str | None) -> tuple[pd.DataFrame, str]:
    known = list(dict.fromkeys(rows["measure"]))
    if measure is not None and measure not in known:
        raise UsageError(f"There is no measure {measure!r}.{suggest(measure, known)} Known: {', '.join(known)}.")
    measure = known[0] if measure is None else measure
    return rows[rows["measure"] == measure], measure
