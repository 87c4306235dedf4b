"""Scoring of runs in many settings, as in sweeps, with the work that settings share done once per run."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from irmx.data.judgments import Judgments
from irmx.data.runs import Run
from irmx.declare.measure_failures import failures_of
from irmx.declare.measures import Measure
from irmx.declare.params import common_value
from irmx.errors import PluginError, UsageError
from irmx.ragged import Bools, Ints, short_repr
from irmx.rank.join import Join
from irmx.score.backends import check_columns, checked, rankings_for
from irmx.score.evaluator import Evaluator, Measures
from irmx.score.topic_scores import TopicScores

_COMMON = ("rel", "cutoff", "judged_only", "ties")


def preparation_key(setting: Measure) -> Hashable:
    """Return a key for the preparation of a setting; None for a measure without preparation.

    Settings with equal keys share the result of :func:`prepare_run`.
    """
    with failures_of(setting):
        own = setting.preparation()
    return None if own is None else (own, *(common_value(setting, name) for name in _COMMON))


@dataclass(frozen=True, eq=False)
class PreparedRun:
    """The data of a run that settings with the same preparation need.

    Attributes
    ----------
    prepared : Any
        The return value of :meth:`irmx.Measure.prepare`.
    topics : tuple
        The run's topics that are in the judgments.
    places : int array
        Their numbers in the judgments.
    without_relevant : bool array
        For every topic of the judgments, whether it has no relevant document.
    """

    prepared: Any
    topics: tuple[Any, ...]
    places: Ints
    without_relevant: Bools

    __repr__ = short_repr


def prepare_run(settings: Sequence[Measure], run: Run, judgments: Judgments) -> dict[Hashable, PreparedRun]:
    """Return the data of a run that settings need, by :func:`preparation_key`; nothing for measures without preparation."""
    join = Join(run, judgments)
    by_key: dict[Hashable, PreparedRun] = {}
    for setting in settings:
        check_columns(setting, join)
        key = preparation_key(setting)
        if key is not None and key not in by_key:
            rankings = rankings_for(setting, join)
            with failures_of(setting):
                prepared = setting.prepare(rankings)
            left_out = judgments.without_relevant(common_value(setting, "rel"))
            by_key[key] = PreparedRun(prepared, rankings.topics, join.in_judgments, left_out)
    return by_key


def score_prepared(runs: Sequence[PreparedRun], settings: Sequence[Measure]) -> list[list[TopicScores]]:
    """Return the scores of prepared runs (outer list) in several settings (inner list), over the topics of the judgments.

    Parameters
    ----------
    runs : sequence of PreparedRun
        The runs.
    settings : sequence of Measure
        Settings with one :func:`preparation_key` that differ only in the ``SHARED_PARAMS`` of their measure.

    Raises
    ------
    irmx.errors.PluginError
        If the measure returns anything other than scores of this shape.
    """
    with failures_of(settings[0]):
        scores = type(settings[0]).score_prepared([run.prepared for run in runs], settings)
    if len(scores) != len(runs) or any(len(row) != len(settings) for row in scores):
        raise PluginError(
            f"score_prepared of {settings[0].NAME} must return a list of {len(settings)} scores for each of "
            f"{len(runs)} runs. Got {[len(row) for row in scores]}."
        )
    return [
        [_over_topics(setting, run, of_setting) for setting, of_setting in zip(settings, of_run, strict=True)]
        for run, of_run in zip(runs, scores, strict=True)
    ]


def _over_topics(setting: Measure, run: PreparedRun, scores: TopicScores) -> TopicScores:
    sound = checked(setting, run.topics, scores)
    out = sound.over_topics(run.places, len(run.without_relevant), float(setting.DEFAULT))
    if common_value(setting, "no_relevant") == "nan":
        out.values[run.without_relevant] = np.nan
    return out


def score_joined(joins: Sequence[Join], measures: Measures) -> list[list[TopicScores]]:
    """Return the scores of runs (outer list) by several measures (inner list), over the topics of the judgments of each join.

    The joins can be reused for further measures: documents are looked up once; data that only these measures need is released.

    Parameters
    ----------
    joins : sequence of Join
        Runs joined with judgments, which may differ: with views of one join (:meth:`irmx.Join.with_judgments`), a run is
        searched and sorted once for all of them.
    measures : str, Measure or iterable of them
        The measures. Those that a provider of ir_measures computes get all judgments, as dicts, once for every different
        judgments, and the run, as a dict, once for every join.

    Returns
    -------
    list of list of TopicScores
        One inner list per join; it has one element per distinct measure, in the order given.

    Raises
    ------
    irmx.errors.UsageError
        If one of ``joins`` is anything else, such as rankings.

    Examples
    --------
    >>> import irmx
    >>> join = irmx.Join(irmx.read_run({"q": {"x": 2.0, "a": 1.0}}), irmx.read_qrels({"q": {"a": 1}}))
    >>> [[score.values.tolist() for score in of_run] for of_run in irmx.score_joined([join], "NCP(law=first) AP")]
    [[[0.5], [0.5]]]
    """
    for join in joins:
        if not isinstance(join, Join):
            raise UsageError(
                f"score_joined takes runs joined by irmx.Join(run, judgments). Got {join!r} instead; irmx.rankings returns "
                "rankings, for one measure."
            )
    scores: list[list[TopicScores]] = [[] for _ in joins]
    evaluator = Evaluator(measures, joins[0].judgments) if joins else None
    for i in sorted(range(len(joins)), key=[id(join.judgments) for join in joins].__getitem__):
        assert evaluator is not None
        scores[i] = list(evaluator.of_join(joins[i]).values())
        joins[i].forget("rankings")
    return scores
