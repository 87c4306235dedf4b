"""Studies that score runs with all judgments and with parts of them; a stopped study resumes where it was."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import ir_measures
import numpy as np

from irmx import Judgments, UsageError, read_run
from irmx.toolkit import Call, check_jobs, dask, is_local, named_runs, progress_bar, results_of
from irmx_study.filters.chosen_systems import listed
from irmx_study.pooling.cut_means import FEWEST, CutMeans
from irmx_study.pooling.cut_scores import Cuts, CutScores, forget, score_cuts
from irmx_study.resuming.identity import Identity, identity_of_data
from irmx_study.resuming.parts import Kind, Parts, writing
from irmx_study.resuming.results_files import ResultsFile
from irmx_study.sweeping.units import Held, Stored

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_TOGETHER = 4
"""So many runs are scored together, and kept together when the study is stopped."""


def runs_to_rank(runs: Any, only: Iterable[str] | None = None) -> dict[str, Any]:
    """Return runs by name, those of a list if there is one; raise for fewer than three, and for a name that is no run."""
    by_name = named_runs(runs)
    if only is not None:
        by_name = {name: by_name[name] for name in listed(by_name, only)}
    if len(by_name) < FEWEST:
        raise UsageError(f"Comparing rankings takes {FEWEST} or more runs. Got {len(by_name)}: {', '.join(by_name)}.")
    return by_name


class CutStudy:
    """A study, with the runs that are done and those that remain.

    With a results file, no other process can work on the same results until :meth:`compute` has ended.

    Parameters
    ----------
    kind : Kind
        What messages call it.
    measures : sequence of Measure
        The measures.
    judgments : Judgments
        All judgments.
    runs : mapping of str to any
        The runs.
    cuts : Cuts
        The parts of the judgments.
    keys : DataFrame
        One row per cut: what it is.
    choices : dict
        What else identifies the study.
    out : str or Path, optional
        The results file.
    """

    def __init__(
        self, kind: Kind, measures: Sequence[ir_measures.Measure], judgments: Judgments, runs: Mapping[str, Any], cuts: Cuts,
        keys: pd.DataFrame, choices: Identity, out: str | os.PathLike[str] | None,
    ) -> None:  # fmt: skip
        self.measures, self.judgments, self.runs = list(measures), judgments, dict(runs)
        self._cuts, self._keys = cuts, keys
        self._file = None if out is None else ResultsFile(kind, out)
        self._parts = Parts(kind, None if self._file is None else self._file.path)
        self._warned: set[tuple[type[Warning], str]] = set()
        self.complete = False
        if self._file is not None:
            names = [str(measure) for measure in self.measures]
            self._identity = {"measures": names, **choices, **identity_of_data(self.measures, judgments, self.runs)}
            self._parts.lock()
            try:
                self.complete = self._file.is_complete(self._identity, self._parts)
                if self.complete:
                    self._parts.remove()
                    self._parts.close()
                else:
                    self._parts.open(self._identity)
            except BaseException:
                self._parts.close()
                raise

    @property
    def done(self) -> int:
        """The number of finished runs."""
        return len(self.runs) if self.complete else len(self._parts.finished)

    def compute(self, jobs: int | None = None, progress: bool | None = None, scheduler: str | None = None) -> CutMeans:
        """Score the remaining runs, and return the means of all."""
        try:
            return self._means(check_jobs(jobs), progress, scheduler)
        except BaseException:
            if not self.done:
                self._parts.remove()
            raise
        finally:
            self._parts.close()
            forget()

    def _means(self, jobs: int, progress: bool | None, scheduler: str | None) -> CutMeans:
        if self._file is not None and self.complete:
            return CutMeans.from_frame(self._file.read(), self.measures, len(self.judgments.topics), self._keys)
        left = [i for i in range(len(self.runs)) if i not in self._parts.finished]
        if left:
            self._score(left, jobs, progress, scheduler)
        means = self._joined()
        if self._file is not None:
            self._file.write(means.frame(), self._identity)
        self._parts.remove()
        return means

    def _score(self, left: Sequence[int], jobs: int, progress: bool | None, scheduler: str | None) -> None:
        """Score the remaining runs; some are written as soon as they are finished."""
        batches = [left[i : i + _TOGETHER] for i in range(0, len(left), _TOGETHER)]
        jobs = min(jobs, len(batches))
        with contextlib.ExitStack() as stack:
            use = None if scheduler is None else stack.enter_context(dask(scheduler))
            elsewhere = use is not None or not is_local()
            data: Stored | Held = Held((self.judgments, self._cuts))
            if not elsewhere and jobs > 1:
                data = self._stored(stack.enter_context(self._parts.workspace()))
            names = list(self.runs)
            sources = {
                name: read_run(source) if elsewhere or source == "-" else source for name, source in self.runs.items()
            }
            if use is not None:
                stack.enter_context(use([data]))

            def calls() -> Iterator[Call]:
                for batch in batches:
                    yield score_cuts, (batch, {names[i]: sources[names[i]] for i in batch}, self.measures, data)

            advance = stack.enter_context(progress_bar("Scoring runs", len(names), self.done, progress))
            for scored in stack.enter_context(results_of(calls(), jobs)):
                self._keep(scored)
                advance(len(scored.runs))

    def _stored(self, folder: str) -> Stored:
        """Return the judgments and the cuts in files, for processes on this machine."""
        import joblib

        paths = []
        for name, value in (("judgments", self.judgments), ("cuts", self._cuts)):
            paths.append(os.path.join(folder, f"{name}.joblib"))
            with writing(paths[-1]):
                joblib.dump(value, paths[-1])
        return Stored(tuple(paths))

    def _keep(self, scored: CutScores) -> None:
        self._parts.write(f"runs-{scored.runs[0]:07d}", _table(scored), scored.runs)
        for category, text in scored.warned:
            if (category, text) not in self._warned:
                self._warned.add((category, text))
                warnings.warn(text, category, stacklevel=2)

    def _joined(self) -> CutMeans:
        """Return the means of all runs, from the parts."""
        shape = (1 + len(self._keys), len(self.runs), len(self.measures))
        means, topics = np.full(shape, np.nan), np.zeros(len(self.runs), dtype=np.int64)
        refusals: dict[tuple[int, int], str] = {}
        for part in self._parts.tables():
            run, cut, measure = (part.column(name).to_numpy() for name in ("run", "cut", "measure"))
            means[cut, run, measure] = part.column("value").to_numpy()
            topics[run] = part.column("topics").to_numpy()
            for i, text in enumerate(part.column("refusal").to_pylist()):
                if text:
                    refusals.setdefault((int(cut[i]) - 1, int(measure[i])), text)
        return CutMeans(
            tuple(self.runs), tuple(self.measures), len(self.judgments.topics), topics, self._keys, means, refusals
        )


def _table(scored: CutScores) -> pa.Table:
    """Return a part: one row per cut, with 0 for all judgments, run and measure."""
    import pyarrow as pa

    cut, run, measure = (index.ravel() for index in np.indices(scored.means.shape))
    refusals = [scored.refusals.get((c - 1, m), "") for c, m in zip(cut.tolist(), measure.tolist(), strict=True)]
    return pa.table(
        {
            "run": np.array(scored.runs)[run],
            "topics": scored.topics[run],
            "cut": cut,
            "measure": measure,
            "value": scored.means.ravel(),
            "refusal": pa.array(refusals, pa.string()),
        }
    )
