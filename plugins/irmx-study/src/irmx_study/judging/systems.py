"""Whether judges agree on systems: rankings, offset or disorder, significant pairs, who is lifted, who is favoured."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, compress, product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import irmx
from irmx import DataError, Scores, State, UsageError
from irmx.ragged import Floats
from irmx.toolkit import MissingTopicsWarning, as_measures, list_some, named_runs, plural
from irmx_study.inputs.choices import Choices, short_names
from irmx_study.inputs.judge_labels import Judge
from irmx_study.measures.correlate import FEWEST
from irmx_study.measures.samples import groups_of_runs
from irmx_study.showing.result import Titled, fixed, for_reading, interval
from irmx_study.statistics.labels import percentiles
from irmx_study.statistics.paired import resampled_topics, residual_variance, two_sided_t
from irmx_study.statistics.ranks import (
    comparable_means,
    kendall_taus,
    mean_ranks,
    rank_biased_overlaps,
    rounded,
    tau_aps,
)
from irmx_study.systems.pairs import (
    Compared,
    all_pairs_of,
    baselines_of,
    compared_pairs,
    signs_of,
    topics_of_view,
)
from irmx_study.systems.planning import topics_for_t

# -- whether judges agree on systems ---------------------------------------------------------------------------------


OUTCOMES = (
    "active_agreement", "active_disagreement", "mixed_agreement", "mixed_disagreement", "passive_agreement",
    "passive_disagreement",
)  # fmt: skip

COLUMNS = ("measure", "runs", "tau", "tau_ap", "rbo", "tau_top", "max_drop", *OUTCOMES)
"""The columns of systems in the main table."""

_NAMED = 3
"""How many systems that a judge lifts or lowers most are named on the screen."""

Pair = tuple[int, int]


def scored_by(judges: Sequence[Judge], runs: Any, measures: Any, alone: bool = False) -> Scores:
    """Return the scores of runs by every judge, over the topics that two or more of them judge; or also those of one ``alone``.

    A measure without the parameter ``rel`` of its own takes the grade from which on a judge's documents are relevant.
    """
    parsed, by_name = as_measures(measures), named_runs(runs)
    if len(by_name) < FEWEST:
        raise UsageError(
            f"The agreement of rankings needs at least {FEWEST} runs. There {'is' if len(by_name) == 1 else 'are'} {len(by_name)}."
        )
    parts = []
    for judge in judges:
        with warnings.catch_warnings():
            # topics that one judge has alone; notes count the others
            warnings.simplefilter("ignore", MissingTopicsWarning)
            of_judge = irmx.scores([with_rel(one, judge.rel) for one in parsed], judge.judgments, by_name)
        parts.append(replace(of_judge, measures=tuple(parsed)).marked(judgments=judge.name))
    scores = Scores.concat(parts)
    judged_by = scores.in_view.sum(axis=1) // len(parsed)
    kept = (judged_by > 1) | (alone & (scores.states == State.SCORED).any(axis=(1, 2)))
    if not (judged_by > 1).any():
        raise DataError("No two of the judges judged the same topic, so that systems cannot be compared.")
    return scores.select(topics=compress(scores.topics, kept))


def with_rel(measure: Any, rel: float) -> Any:
    """Return a measure with the smallest relevant grade of a judge, unless it has its own."""
    if rel == 1 or "rel" not in measure.SUPPORTED_PARAMS or "rel" in measure.params:
        return measure
    return measure(rel=int(rel) if float(rel).is_integer() else rel)


@dataclass(eq=False)
class JudgedSystems:
    """The agreement of judges on systems.

    Attributes
    ----------
    scores : Scores
        One view per measure and judge.
    names : tuple of str
        The judges.
    choices : Choices
        The test of pairs of systems, the correction for all of them, the level, and the seed.
    top : int
        How many of the best systems by the first judge ``tau_top`` is of.
    groups : mapping of str to str or None
        The group of every run.
    resamples : int
        How many resamples of the topics intervals are made of.
    """

    scores: Scores
    names: tuple[str, ...]
    choices: Choices
    top: int
    groups: Mapping[str, str] | None
    resamples: int
    _kept: dict[Any, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls, judges: Sequence[Judge], runs: Any, measures: Any, choices: Choices, top: int, groups: Any, resamples: int,
        alone: bool = False,
    ) -> JudgedSystems:  # fmt: skip
        """Score runs by every judge."""
        if choices.family != "view":
            raise UsageError(
                f"All pairs of systems by one judge and measure are a family. Leave the family {choices.family!r} out."
            )
        scores = scored_by(judges, runs, measures, alone)
        of_runs = None if groups is None else groups_of_runs(groups, scores.systems)
        resolved = choices.resolved(len(scores.systems) * (len(scores.systems) - 1) // 2)
        made = cls(scores, tuple(judge.name for judge in judges), resolved, top, of_runs, resamples)
        pairs = combinations(range(len(judges)), 2)
        if not alone and all(made.of_pair(measure, pair) is None for measure, pair in product(made.measures, pairs)):
            raise DataError(
                f"To compare systems, two judges need two topics in common; of {list_some(made.names)}, no two have them."
            )
        return made

    @property
    def measures(self) -> list[str]:
        """The texts of the measures."""
        return list(dict.fromkeys(map(str, self.scores.measures)))

    # -- two judges --------------------------------------------------------------------------------------

    def of_pair(self, measure: str, pair: Pair) -> Scores | None:
        """Return the scores by two judges on the topics that both have; None if there are not two of them."""
        views = [self.place(measure, judge) for judge in pair]
        shared = np.all([topics_of_view(self.scores, v) for v in views], axis=0)
        if shared.sum() < 2:
            return None
        topics = compress(self.scores.topics, shared)
        return self.scores.select(topics=topics, views=[self.scores.names[v] for v in views])

    def place(self, measure: str, judge: int) -> int:
        """Return the place of the view of a measure and a judge."""
        views = zip(map(str, self.scores.measures), self.scores.marks["judgments"], strict=True)
        return list(views).index((measure, self.names[judge]))

    def means(self, measure: str, pair: Pair) -> Floats:
        """Return the means of the systems by two judges, larger for better ones, NaN without two topics; of shape (systems, 2)."""
        part = self.of_pair(measure, pair)
        return (
            np.full((len(self.scores.systems), 2), np.nan) if part is None else comparable_means(part) * signs_of(part)
        )

    def row(self, measure: str, pair: Pair) -> dict[str, Any]:
        """Return how far two judges agree on the systems."""
        found: dict[str, Any] = {"measure": measure, "runs": len(self.scores.systems), "topics": 0}
        part = self.of_pair(measure, pair)
        if part is None:
            names = (*COLUMNS[2:], "recall", "precision", "offset", "systems_sd", "rest_sd")
            return found | dict.fromkeys(names, np.nan)
        means = self.means(measure, pair)
        best = means[:, 0] >= np.sort(means[:, 0])[::-1][: self.top][-1]  # those that tie with the last among them
        ranks = mean_ranks(-means)
        return {
            **found, "topics": len(part.topics), "tau": float(kendall_taus(means)[0, 1]),
            "tau_ap": float(tau_aps(means[:, :1], means[:, 1:])[0, 0]),
            "rbo": float(rank_biased_overlaps(means).extrapolated[0, 1]), "tau_top": float(kendall_taus(means[best])[0, 1]),
            "max_drop": float(max(0, (ranks[:, 1] - ranks[:, 0]).max())), **self._significance(part),
            "offset": float(means[:, 1].mean() - means[:, 0].mean()),
            "systems_sd": float(means.mean(axis=1).std(ddof=1)), "rest_sd": float(np.sqrt(residual_variance(means))),
        }  # fmt: skip

    def _significance(self, part: Scores) -> dict[str, Any]:
        """Return how many pairs of systems are significant by both judges, by one and by none, in the same order or not."""
        tests = [self._tested(part, v) for v in range(2)]
        significant = np.stack([of.columns["p_corrected"][0] <= self.choices.level for of in tests])
        a, b = np.sign(rounded(np.stack([of.columns["difference"][0] for of in tests], axis=1))).T
        by_both, by_one = significant.all(axis=0), significant.sum(axis=0) == 1
        counts = {
            f"{kind}_{way}": int((chosen & same).sum())
            for kind, chosen in (("active", by_both), ("mixed", by_one), ("passive", ~by_both & ~by_one))
            for way, same in (("agreement", a == b), ("disagreement", a != b))
        }
        of_a, of_b = significant.sum(axis=1).tolist()
        agreed = counts["active_agreement"]
        return {**counts, "recall": agreed / of_a if of_a else np.nan, "precision": agreed / of_b if of_b else np.nan}

    def _tested(self, part: Scores, v: int) -> Compared:
        """Return the tests of all pairs of systems in one view, which several pairs of judges share."""
        key = (part.names[v], part.topics)
        if key not in self._kept:
            pairs = all_pairs_of(len(part.systems))
            self._kept[key] = compared_pairs(part.select(views=[part.names[v]]), *pairs, self.choices, progress=False)
        compared: Compared = self._kept[key]
        return compared

    # -- tables ------------------------------------------------------------------------------------------

    def _rows(self, pairs: Sequence[Pair]) -> Iterator[tuple[str, Pair, dict[str, str]]]:
        for measure, (a, b) in product(self.measures, pairs):
            yield measure, (a, b), {"judge_a": self.names[a], "judge_b": self.names[b]}

    def systems(self, pairs: Sequence[Pair]) -> pd.DataFrame:
        """Return one row per measure and pair of judges."""
        return pd.DataFrame([named | self.row(measure, pair) for measure, pair, named in self._rows(pairs)])

    def runs(self, pairs: Sequence[Pair]) -> pd.DataFrame:
        """Return one row per measure, pair of judges and run: means, ranks, and how many ranks the second lifts it."""
        tables = []
        for measure, pair, named in self._rows(pairs):
            means = self.means(measure, pair)
            ranks = mean_ranks(-means)
            about = {**named, "measure": measure, "system": self.scores.systems}
            numbers = {"mean_a": means[:, 0], "mean_b": means[:, 1], "rank_a": ranks[:, 0], "rank_b": ranks[:, 1]}
            tables.append(pd.DataFrame({**about, **numbers, "lifted": ranks[:, 0] - ranks[:, 1]}))
        return pd.concat(tables, ignore_index=True)

    def favours(self, pairs: Sequence[Pair]) -> pd.DataFrame:
        """Return one row per measure, pair of judges and group: what the second gives it more than the first, less what it gives the others."""
        assert self.groups is not None
        of_runs = np.array([self.groups[run] for run in self.scores.systems])
        rows = []
        for measure, pair, named in self._rows(pairs):
            part = self.of_pair(measure, pair)
            if part is None:
                continue
            values = part.values * signs_of(part)
            resampled = resampled_topics(len(values), self.resamples, self.choices.seed)
            drawn = np.concatenate([np.ones((1, len(values))), *resampled])  # the first are the data themselves
            means = np.stack([drawn @ values[:, :, v] for v in range(2)]) / len(values)
            ranks = np.stack([mean_ranks(rounded(of.T)).T for of in means])
            for group in dict.fromkeys(of_runs.tolist()):
                is_in = of_runs == group
                contrast = np.where(is_in, 1 / is_in.sum(), -1 / (~is_in).sum())
                row: dict[str, Any] = {**named, "measure": measure, "group": group, "runs": int(is_in.sum())}
                for what, of in (("value", means), ("ranks", ranks)):
                    favour = (of[1] - of[0]) @ contrast
                    low, high = percentiles(favour[1:], self.choices.level)
                    row |= {f"{what}_favour": float(favour[0]), f"{what}_low": low, f"{what}_high": high}
                rows.append(row)
        return pd.DataFrame(rows)

    # -- for reading -------------------------------------------------------------------------------------

    def tables_for_reading(self, frame: pd.DataFrame, places: int) -> list[Titled]:
        """Return the tables of systems by the first judge and every other one."""
        tables: list[Titled] = []
        places = 3 if places == 4 else places  # so that the columns fit a terminal
        for measure in self.measures:
            of = frame[(frame["measure"] == measure) & (frame["judge_a"] == self.names[0])]
            shown = {
                "judge_b": "judge", "tau": "tau", "tau_ap": "tau_AP", "rbo": "RBO", "tau_top": f"top {self.top}",
                "max_drop": "drop", "offset": "offset", "systems_sd": "SD", "rest_sd": "rest",
            }  # fmt: skip
            rows = of[[*shown]].rename(columns=shown).to_dict("records")
            for row in rows:
                row["drop"] = "" if np.isnan(row["drop"]) else f"{row['drop']:g}"
            fewest, most = of["topics"].min(), of["topics"].max()
            topics = f"{fewest:,} to {most:,}" if fewest < most else f"{most:,}"
            title = f"{plural(len(self.scores.systems), 'run')} ranked by {measure} on {topics} topics, as {self.names[0]} ranks them"
            tables.append((title, _rounded(rows, places)))
            pairs = len(self.scores.systems) * (len(self.scores.systems) - 1) // 2
            kinds = {"both": "active", "one": "mixed", "none": "passive"}
            rows = [
                {
                    "judge": row["judge_b"], **{name: _two(row, kind) for name, kind in kinds.items()},
                    "recall": row["recall"], "precision": row["precision"],
                }
                for row in of.to_dict("records")
            ]  # fmt: skip
            title = f"of {plural(pairs, 'pair')} of runs, significant by both judges, one, none: in the same order / in the opposite one"
            tables.append((title, _rounded(rows, places)))
        return tables

    def sentences(self) -> str:
        """Return which runs every judge lifts and lowers most, beside the first, by each measure."""
        names, lines = short_names(self.scores.systems), []
        frame = self.runs([(0, b) for b in range(1, len(self.names))])
        for (measure, judge), of in frame.groupby(["measure", "judge_b"], sort=False):
            if of["lifted"].isna().all():
                lines.append(f"by {measure}, {judge} has no two topics in common with {self.names[0]}")
                continue
            order = of.sort_values("lifted", kind="stable")
            parts = []
            for word, rows in (("lifts", order[order["lifted"] > 0][::-1]), ("lowers", order[order["lifted"] < 0])):
                moved = rows[:_NAMED][["system", "lifted"]].itertuples(index=False)
                if listed := ", ".join(f"{names[system]} {lifted:+g}" for system, lifted in moved):
                    parts.append(f"{word} {listed}")
            lines.append(f"by {measure}, {judge} {'; '.join(parts) or 'moves no run'}")
        return "\n".join(["in ranks:", *lines, ""])

    def groups_for_reading(self, frame: pd.DataFrame, places: int) -> list[Titled]:
        """Return what every judge favours beside the first."""
        of = frame[frame["judge_a"] == self.names[0]]
        of_values = of[["judge_b", "measure", "group", "runs"]].rename(columns={"judge_b": "judge"})
        for name in ("favour", "low", "high"):
            of_values[name] = of[f"value_{name}"]
        rows = for_reading(of_values, places, coverage=self.choices.coverage)
        for cells, row in zip(rows, of.to_dict("records"), strict=True):
            cells["in ranks"] = f"{row['ranks_favour']:+.1f} [{row['ranks_low']:.1f}, {row['ranks_high']:.1f}]"
        return [
            ("what a judge gives a group of runs more than the first judge does, less what it gives the others", rows)
        ]


def _two(row: Mapping[str, Any], kind: str) -> str:
    agreed, opposite = row[f"{kind}_agreement"], row[f"{kind}_disagreement"]
    return "" if agreed != agreed else f"{agreed:.0f} / {opposite:.0f}"


def _rounded(rows: list[dict[str, Any]], places: int) -> list[dict[str, Any]]:
    """Return cells of floats as texts with so many places; empty for NaN."""

    def cell(value: Any) -> Any:
        if not isinstance(value, float):
            return value
        return "" if np.isnan(value) else fixed(value, places)

    return [{name: cell(value) for name, value in row.items()} for row in rows]


# -- what people would say of all topics -----------------------------------------------------------------------------


FEWEST_TOPICS = 3
"""A deviation around a fitted line needs so many topics with human labels."""

_POWER = 0.8
"""The probability with which a difference would be found on the topics that it needs."""


class Calibrated(NamedTuple):
    """Means under the human judge, of shape (columns,): of the human labels alone, and with those of a machine."""

    human: Floats
    human_low: Floats
    human_high: Floats
    weight: Floats
    mean: Floats
    low: Floats
    high: Floats
    topics_gained: Floats


def prediction_powered(human: Floats, machine: Floats, further: Floats, level: float = 0.05) -> Calibrated:
    r"""Return means under a human judge from human values on some topics and machine values on more.

    .. math:: \hat\theta = \lambda \bar f_N + \overline{(Y - \lambda f)}_n, \quad
        \lambda = \frac{\mathrm{cov}_n(Y, f)}{(1 + n/N) \, \mathrm{var}(f)}, \quad
        \mathrm{var}(\hat\theta) = \frac{\lambda^2 \mathrm{var}_N(f)}{N} + \frac{\mathrm{var}_n(Y - \lambda f)}{n}

    Parameters
    ----------
    human, machine : float array, shape (topics, columns)
        The values Y and f of the n topics with human labels, a random sample of all topics: of a system, or differences.
    further : float array, shape (further topics, columns)
        The machine's values f of the N other topics.
    level : float
        The intervals cover 1 - level; they have quantiles of t with n - 2 degrees of freedom, n - 1 for the human labels alone.

    Returns
    -------
    Calibrated
        With one value per column; ``weight`` is lambda, and ``topics_gained`` how many more topics with human labels would give
        an interval with the same variance, which can be negative.

    Raises
    ------
    irmx.errors.DataError
        If there are fewer than three topics with human labels, or two others.

    References
    ----------
    .. [1] A. N. Angelopoulos, J. C. Duchi, T. Zrnic. PPI++: efficient prediction-powered inference. arXiv:2311.01453, 2023.

    Examples
    --------
    >>> import numpy as np
    >>> human = np.array([[0.2], [0.4], [0.9], [0.6], [0.5]])
    >>> found = prediction_powered(human, human + [[0.1], [0.2], [0.1], [0.1], [0.2]], np.linspace(0.2, 1, 20)[:, None])
    >>> [round(float(one[0]), 3) for one in (found.human, found.weight, found.mean, found.topics_gained)]
    [0.52, 0.844, 0.469, 16.288]
    """
    n, more = len(human), len(further)
    if n < FEWEST_TOPICS or more < 2:
        raise DataError(
            f"Calibration needs {FEWEST_TOPICS} topics that both the human judge and the machine judged, and 2 that the machine judged "
            f"alone. There are {n} and {more}."
        )
    spread = np.concatenate([machine, further]).var(axis=0, ddof=1)
    covariance = ((human - human.mean(axis=0)) * (machine - machine.mean(axis=0))).sum(axis=0) / (n - 1)
    weight = np.divide(covariance, (1 + n / more) * spread, out=np.zeros(len(spread)), where=spread > 0)
    rest = human - weight * machine
    mean = weight * further.mean(axis=0) + rest.mean(axis=0)
    variance = weight**2 * further.var(axis=0, ddof=1) / more + rest.var(axis=0, ddof=1) / n
    of_human, alone = human.mean(axis=0), human.var(axis=0, ddof=1) / n
    half, half_alone = two_sided_t(n - 2, level) * np.sqrt(variance), two_sided_t(n - 1, level) * np.sqrt(alone)
    gained = n * np.divide(alone, variance, out=np.ones(len(variance)), where=variance > 0) - n
    return Calibrated(
        of_human, of_human - half_alone, of_human + half_alone, weight, mean, mean - half, mean + half, gained
    )


def calibrated(of: JudgedSystems, human: str, baseline: str | None) -> pd.DataFrame:
    """Return the means of the systems under the human judge, and their differences to a baseline, by measure and machine."""
    scores, tables = of.scores, []
    named = None if baseline is None else baselines_of(baseline, scores.systems)[0]
    for measure in of.measures:
        by_people = of.place(measure, of.names.index(human))
        for judge in of.names:
            if judge == human:
                continue
            by_machine = of.place(measure, of.names.index(judge))
            labelled, judged = topics_of_view(scores, by_people), topics_of_view(scores, by_machine)
            y, f = scores.values[:, :, by_people], scores.values[:, :, by_machine]
            both, alone = labelled & judged, judged & ~labelled
            if alone.sum() < 2 or both.sum() < FEWEST_TOPICS:
                raise DataError(
                    f"Calibration needs {FEWEST_TOPICS} topics that {human} and {judge} judged, and 2 that {judge} judged alone. There are "
                    f"{both.sum()} and {alone.sum()}."
                )
            at = int(np.argmax(signs_of(scores)[by_people] * y[both].mean(axis=0)))
            if named is not None:
                at = scores.systems.index(named)
            others = [s for s in range(len(scores.systems)) if s != at]
            human_values, machine_values, further = (
                np.concatenate([one, (one - one[:, at, None])[:, others]], axis=1)
                for one in (y[both], f[both], f[alone])
            )
            found = prediction_powered(human_values, machine_values, further, of.choices.level)
            sd = human_values.std(axis=0, ddof=1)
            needed = [
                topics_for_t(abs(difference), deviation, of.choices.level, _POWER) if difference and deviation else None
                for difference, deviation in zip(found.mean, sd, strict=True)
            ]
            about: dict[str, Any] = {
                "measure": measure, "human": human, "machine": judge,
                "system": [*scores.systems, *(scores.systems[s] for s in others)],
                "baseline": [""] * len(scores.systems) + [scores.systems[at]] * len(others), "topics": int(both.sum()),
                "further": int(alone.sum()),
            }  # fmt: skip
            numbers = {"mean_human" if name == "human" else name: of_name for name, of_name in found._asdict().items()}
            of_differences = [None] * len(scores.systems) + needed[len(scores.systems) :]
            tables.append(pd.DataFrame({**about, **numbers, "needed": pd.array(of_differences, dtype="Int64")}))
    return pd.concat(tables, ignore_index=True)


def check_human(human: str, names: tuple[str, ...]) -> None:
    """Refuse a judge to calibrate by that is none."""
    if human not in names:
        raise UsageError(f"There is no judge {human!r} to calibrate by. The judges: {', '.join(names)}.")


def calibrated_for_reading(frame: pd.DataFrame, places: int, level: float, most: int = 20) -> list[Titled]:
    """Return the means and the differences for reading, the best systems first."""
    tables: list[Titled] = []
    coverage = f"{100 * (1 - level):g}%"
    for (measure, human, machine), of in frame.groupby(["measure", "human", "machine"], sort=False):
        names = short_names(list(dict.fromkeys(of["system"])))
        for is_difference in (False, True):
            every = of[(of["baseline"] != "") == is_difference]
            rows = every.sort_values("mean", ascending=False, kind="stable")[:most]
            cells = []
            for row in rows.to_dict("records"):
                shown = {
                    "system": names[row["system"]],
                    "people": row["mean_human"],
                    coverage: interval(row["human_low"], row["human_high"], places),
                    "calibrated": row["mean"],
                    f"{coverage} ": interval(row["low"], row["high"], places),
                    "gained": f"{row['topics_gained']:.1f}",
                }
                if is_difference:
                    shown["needed"] = "" if pd.isna(row["needed"]) else f"{row['needed']:,}"
                cells.append(shown)
            what = f"differences to {names[rows['baseline'].iloc[0]]}" if is_difference else "means"
            topics = f"{plural(int(rows['topics'].iloc[0]), 'topic')} of {human}, {rows['further'].iloc[0]:,} more of {machine}"
            first = f"; {most} of {len(every)} (-o csv has all)" if len(every) > most else ""
            tables.append((f"{measure}, {what}: {topics}{first}", cells))
    return tables
