"""How robust measures are to a smaller pool: samples of the judgments."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import ir_measures
import numpy as np

from irmx import Param
from irmx.toolkit import Evaluator, check_backend, check_jobs
from irmx_study.filters.chosen_systems import check_best
from irmx_study.pooling.cut_study import CutStudy, runs_to_rank
from irmx_study.pooling.judgment_samples import JudgmentSamples
from irmx_study.pooling.percentages import Percentages, exact_percentages, number_of, text_of
from irmx_study.pooling.smaller_pools_result import SmallerPools
from irmx_study.resuming.parts import Kind

POOL = Kind("pool study", "pool.json", "run")

_PARAMS = {
    "samples": Param(int, "number of samples at each percentage", low=1, high=10**5),
    "seed": Param(int, "seed of the random samples", low=0, high=2**63 - 1),
    "rel": Param(float, "smallest relevant grade"),
}


def pool_study(
    measures: str | ir_measures.Measure | Iterable[str | ir_measures.Measure],
    qrels: Any,
    runs: Any,
    keep: Percentages = (90, 70, 50, 30, 10),
    samples: int = 10,
    seed: int = 0,
    rel: float = 1,
    only: Iterable[str] | None = None,
    out: str | os.PathLike[str] | None = None,
) -> tuple[CutStudy, JudgmentSamples]:
    """Return a study of smaller pools, not yet computed; the parameters are those of :func:`irmx_study.pool`."""
    import pandas as pd

    levels = exact_percentages(keep)
    for name, value in (("samples", samples), ("seed", seed), ("rel", rel)):
        _PARAMS[name].check(value, name, "pool")
    by_name = runs_to_rank(runs, only)
    evaluator = Evaluator(measures, qrels)
    cuts = JudgmentSamples(levels, samples, seed, rel)
    shown = [number_of(level) for level in levels]
    keys = pd.DataFrame({"keep": np.tile(shown, samples), "sample": np.repeat(np.arange(1, samples + 1), len(levels))})
    choices = {"keep": [text_of(level) for level in levels], "samples": samples, "seed": seed, "rel": f"{rel:g}"}
    study = CutStudy(POOL, evaluator.measures, evaluator.judgments, by_name, cuts, keys, choices, out)
    return study, cuts


def pool(
    measures: str | ir_measures.Measure | Iterable[str | ir_measures.Measure],
    qrels: Any,
    runs: Any,
    keep: Percentages = (90, 70, 50, 30, 10),
    samples: int = 10,
    seed: int = 0,
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
) -> SmallerPools:
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
    SmallerPools
        The result; its ``frame()`` has one row per measure and percentage.

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
    study, cuts = pool_study(measures, qrels, runs, keep, samples, seed, rel, only, out)
    means = study.compute(jobs, progress, scheduler)
    return SmallerPools.of(means.chosen(every_topic, best), cuts, study.judgments)
