"""Sweeps: runs scored in every setting of a grid of parameters; a stopped sweep resumes where it was."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import ir_measures

from irmx import Grid, Measure, Run, TopicScores, read_qrels
from irmx.toolkit import (
    Call,
    Evaluator,
    as_measures,
    check_backend,
    check_jobs,
    dask,
    is_local,
    named_runs,
    of_each_run,
    progress_bar,
    results_of,
)
from irmx_study.resuming.identity import Identity, identity_of_data
from irmx_study.resuming.parts import Kind, Parts
from irmx_study.resuming.results_files import ResultsFile
from irmx_study.sweeping.longform import LongForm, frame_of, merged
from irmx_study.sweeping.units import Data, Done, Units, do, kept

if TYPE_CHECKING:
    import pandas as pd


SWEEP = Kind("sweep", "sweep.json", "setting", extra="references")


class Sweep:
    """A sweep, with the settings that are done and those that remain.

    With a results file, no other process can work on the same results until :meth:`compute` has ended. The parameters
    are those of :func:`irmx_study.sweep`.

    Attributes
    ----------
    settings : list of Measure
        The settings of the grid.
    runs : dict of str to path or Run
        The runs by name.
    complete : bool
        Whether the results file already existed.
    """

    def __init__(
        self,
        measure: str | ir_measures.Measure,
        grid: Mapping[str, Any] | Sequence[str],
        qrels: Any,
        runs: Any,
        reference: str | ir_measures.Measure | Sequence[str | ir_measures.Measure] = (),
        out: str | os.PathLike[str] | None = None,
    ) -> None:
        self._file = None if out is None else ResultsFile(SWEEP, out)
        self._grid = Grid(measure, grid)
        self.settings = self._grid.measures()
        self.runs = named_runs(runs)
        references = as_measures(reference)
        measures = [m for m in (*self.settings, *references) if isinstance(m, Measure)]
        columns = dict.fromkeys(c.name for m in measures for c in m.qrel_columns() if not c.optional)
        self._judgments = read_qrels(qrels, list(columns))
        self._references = Evaluator(references, self._judgments)
        self._form = LongForm(self._grid, self.settings, list(self.runs), list(self._judgments.index))
        self._warned: set[tuple[type[Warning], str]] = set()
        self.complete = False
        self._parts = Parts(SWEEP, None if self._file is None else self._file.path)
        if self._file is not None:
            self._identity = self._identify()
            self._parts.lock()
            try:
                self._look(self._file)
            except BaseException:
                self._parts.close()
                raise

    def _identify(self) -> Identity:
        measures = [*self.settings, *self._references.measures]
        return {
            "measure": str(self._grid.measure),
            "grid": [[name, [Grid.text_of(v) for v in values]] for name, values in self._grid.values.items()],
            "reference": [str(m) for m in self._references.measures],
            **identity_of_data(measures, self._judgments, self.runs),
        }

    def _look(self, file: ResultsFile) -> None:
        """Look for earlier results; parts beside complete results are left from a call that was killed after writing them."""
        self.complete = file.is_complete(self._identity, self._parts)
        if self.complete:
            self._parts.remove()
            self._parts.close()
        else:
            self._parts.open(self._identity)

    @property
    def done(self) -> int:
        """The number of finished settings."""
        return len(self.settings) if self.complete else len(self._parts.finished)

    def compute(
        self,
        jobs: int | None = None,
        progress: bool | None = None,
        backend: str | None = None,
        scheduler: str | None = None,
    ) -> pd.DataFrame:
        """Score the remaining settings, and return all results; see :func:`irmx_study.sweep`."""
        check_backend(backend, scheduler)
        try:
            return self._results(check_jobs(jobs), progress, scheduler)
        except BaseException:
            if not self.done:
                self._parts.remove()
            raise
        finally:
            self._parts.close()

    def _results(self, jobs: int, progress: bool | None, scheduler: str | None) -> pd.DataFrame:
        if self._file is not None and self.complete:
            return self._file.read()
        left = [i for i in range(len(self.settings)) if i not in self._parts.finished]
        if left or not self._parts.has_extra:
            with contextlib.ExitStack() as stack:
                use = None if scheduler is None else stack.enter_context(dask(scheduler))
                data = self._read(left, stack.enter_context(self._parts.workspace()), progress)
                by_key = data.stored() if use is None and is_local() else data.held()
                if use is not None:
                    stack.enter_context(use(list(by_key.values())))
                if left:
                    self._score(left, by_key, jobs, progress)
        frame = frame_of(merged(self._parts.tables()))
        if self._file is not None:
            self._file.write(frame, self._identity)
        self._parts.remove()
        return frame

    def _read(self, left: Sequence[int], folder: str, progress: bool | None) -> Data:
        """Read every run once, for the remaining settings and for the references."""
        data = Data(self._judgments, [self.settings[i] for i in left], folder)

        def of_run(run: Run) -> list[TopicScores]:
            data.add(run)
            return [] if self._parts.has_extra else list(self._references.scores(run).values())

        references: list[list[TopicScores]] = []
        with progress_bar("Reading runs", len(self.runs), 0, progress) as advance:
            for _, scores in of_each_run(self.runs, self._judgments, of_run):
                references.append(scores)
                advance(1)
        if not self._parts.has_extra:
            names = list(map(str, self._references.measures))
            by_measure = [list(of_measure) for of_measure in zip(*references, strict=True)]
            self._parts.write(SWEEP.extra, self._form.of_references(names, by_measure), ())
        return data

    def _score(self, left: Sequence[int], data: Mapping[Any, Any], jobs: int, progress: bool | None) -> None:
        """Score the remaining settings; each unit is written as soon as it is finished."""
        units = Units(self.settings, left)

        def calls() -> Iterator[Call]:
            for unit in units:
                yield do, (unit, [self.settings[i] for i in unit.settings], data[unit.key])

        try:
            with (
                progress_bar("Scoring settings", len(self.settings), self.done, progress) as advance,
                results_of(calls(), min(jobs, len(units))) as results,
            ):
                for done in results:
                    self._keep(done)
                    units.took(done.unit, done.seconds)
                    advance(len(done.unit.settings))
        finally:
            kept.cache_clear()

    def _keep(self, done: Done) -> None:
        numbers = done.unit.settings
        self._parts.write(f"settings-{numbers[0]:07d}", self._form.of_settings(numbers, done.scores), numbers)
        for category, text in done.warned:
            if (category, text) not in self._warned:
                self._warned.add((category, text))
                warnings.warn(text, category, stacklevel=2)


def sweep(
    measure: str | ir_measures.Measure,
    grid: Mapping[str, Any] | Sequence[str],
    qrels: Any,
    runs: Any,
    *,
    reference: str | ir_measures.Measure | Sequence[str | ir_measures.Measure] = (),
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    progress: bool | None = None,
    backend: str | None = None,
    scheduler: str | None = None,
) -> pd.DataFrame:
    """Score runs in every setting of a grid of parameters.

    With ``out``, every finished setting is written at once to a folder beside it, so that the same call resumes a stopped one.

    Parameters
    ----------
    measure : str or Measure
        A measure of a plugin, with the parameters that are the same in all settings.
    grid : mapping of str to sequence
        The values of other parameters. A number or a duration may be a multiple of another parameter:
        ``{"MD": ["1m", "2m"], "SD": ["0.5*MD", "1*MD"]}``.
    qrels : any
        Anything that :func:`irmx.read_qrels` accepts.
    runs : mapping of str to run, or sequence of paths
        Runs by name, each anything that :func:`irmx.read_run` accepts; runs from files have the names of the files.
    reference : str, Measure or sequence of them
        Further measures, of irmx or of ir_measures, that are computed once for every run.
    out : str or Path, optional
        A file for the results: .parquet, .csv or .tsv.
    jobs : int, optional
        The number of processes, 1 or more; by default the number of cores. With 1, no process is started.
    progress : bool, optional
        Whether to show a progress bar; by default, if standard error is a terminal.
    backend : {"dask"}, optional
        Where to compute; by default in processes on this machine, or on the backend that ``joblib.parallel_config``
        selects.
    scheduler : str, optional
        The address of the Dask scheduler.

    Returns
    -------
    DataFrame
        One row per run, topic and setting: ``run``, ``query_id``, ``measure`` (without the swept parameters), one column per
        swept parameter, ``value``, and further fields of the measure, such as ``standard_error``. A parameter with the name
        of one of these columns, such as ``measure``, gets an underscore appended. References come first; they have no
        parameter values.

    Raises
    ------
    irmx.errors.UsageError
        For an unknown parameter or an illegal value, and if the scheduler cannot be reached.
    irmx.errors.DataError
        If the inputs cannot be read, or ``out`` belongs to another sweep.

    Examples
    --------
    >>> import irmx_study
    >>> qrels = {"q": {"a": 1, "b": 1}}
    >>> runs = {"one": {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}, "two": {"q": {"x": 2.0, "a": 1.0}}}
    >>> irmx_study.sweep("NCP", {"law": ["uniform", "first"]}, qrels, runs, jobs=1)
       run query_id measure      law     value
    0  one        q     NCP  uniform  0.833333
    1  two        q     NCP  uniform  0.250000
    2  one        q     NCP    first  1.000000
    3  two        q     NCP    first  0.500000
    """
    check_backend(backend, scheduler)
    check_jobs(jobs)
    return Sweep(measure, grid, qrels, runs, reference, out).compute(jobs, progress, backend, scheduler)
