"""How robust measures are to a pool that one group of runs did not contribute to."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import ir_measures

from irmx import Param
from irmx.toolkit import Evaluator, check_backend, check_jobs
from irmx_study.filters.chosen_systems import check_best
from irmx_study.pooling.cut_study import CutStudy, runs_to_rank
from irmx_study.pooling.groups_of_runs import groups_of_runs
from irmx_study.pooling.left_out_result import LeftOutGroups
from irmx_study.pooling.pool_contributions import GroupCuts, left_out
from irmx_study.resuming.parts import Kind

GROUPS = Kind("study of left-out groups", "groups.json", "run")
_DEPTH = Param(int, "pool depth: how many documents of each run are in the pool", low=1)
_REL = Param(float, "smallest relevant grade")


def leave_out_study(
    measures: str | ir_measures.Measure | Iterable[str | ir_measures.Measure],
    qrels: Any,
    runs: Any,
    groups: Any = None,
    depth: int = 100,
    out: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> tuple[CutStudy, GroupCuts, dict[str, str]]:
    """Return a study of left-out groups, not yet computed, the cuts, and the group of every run.

    The parameters are those of :func:`irmx_study.leave_out`. The runs are read, for the pool.
    """
    import pandas as pd

    _DEPTH.check(depth, "depth", "leave_out")
    by_name = runs_to_rank(runs)
    group_of = groups_of_runs(groups, by_name)
    evaluator = Evaluator(measures, qrels)
    cuts = left_out(by_name, group_of, evaluator.judgments, depth, progress)
    keys = pd.DataFrame({"group": pd.Series(cuts.groups, dtype=object)})
    choices = {"groups": [f"{run}={group}" for run, group in group_of.items()], "depth": depth}
    study = CutStudy(GROUPS, evaluator.measures, evaluator.judgments, by_name, cuts, keys, choices, out)
    return study, cuts, group_of


def leave_out(
    measures: str | ir_measures.Measure | Iterable[str | ir_measures.Measure],
    qrels: Any,
    runs: Any,
    groups: Any = None,
    depth: int = 100,
    *,
    rel: float = 1,
    only: Iterable[str] | None = None,
    every_topic: bool = False,
    best: float | None = None,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    progress: bool | None = None,
    backend: str | None = None,
    scheduler: str | None = None,
) -> LeftOutGroups:
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
    LeftOutGroups
        The result; its ``frame()`` has one row per measure and group, its ``runs()`` one per measure and run.

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
    _REL.check(rel, "rel", "leave_out")
    study, cuts, group_of = leave_out_study(measures, qrels, runs, groups, depth, out, progress)
    means = study.compute(jobs, progress, scheduler)
    return LeftOutGroups.of(means.chosen(every_topic, best, only), cuts, group_of, study.judgments, depth, rel)
