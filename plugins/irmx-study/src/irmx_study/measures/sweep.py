"""Sweeps: scores of runs in many settings, kept as they are made."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ir_measures
import joblib
import numpy as np

from irmx import (
    DataError,
    DataWarning,
    Grid,
    Join,
    Judgments,
    Measure,
    Run,
    Scores,
    Symbol,
    TopicScores,
    UsageError,
    read_qrels,
    read_run,
    score_joined,
)
from irmx.toolkit import (
    Call,
    Evaluator,
    as_measures,
    check_backend,
    check_jobs,
    dask,
    file_digest,
    is_local,
    list_some,
    named_runs,
    new_file,
    of_each_run,
    preparation_key,
    prepare_run,
    progress_bar,
    results_of,
    score_prepared,
    versions_of,
)
from irmx_study.inputs.views import population as read_population

if TYPE_CHECKING:
    import pandas as pd


# -- long work that resumes ------------------------------------------------------------------------------------------


Identity = dict[str, Any]
"""Strings, lists and dicts, which can be written as JSON."""

Arrays = Mapping[str, Any]

_KEPT = "Make room there; what is finished is kept, and the same command resumes from there."
_SEPARATORS = {".csv": ",", ".tsv": "\t"}


class Work:
    """Work of units, such as the settings of a sweep: the arrays of those that are finished.

    With a file of results, they are also in a :class:`joblib.Memory` in the folder ``OUT.parts``, by the name of the unit and the
    data that it depends on, so that a later call finds them. The process that begins the work writes them, wherever units are
    computed.
    """

    def __init__(self, out: str | os.PathLike[str] | None, units: Sequence[str]) -> None:
        self.units, self.complete, self.identity = list(units), False, Identity()
        self.arrays: list[Arrays | None] = [None] * len(units)
        self.path: Any = None if out is None else Path(out)
        if self.path is None:
            return
        if self.path.suffix not in (".parquet", *_SEPARATORS):
            raise UsageError(f"The results {os.fspath(self.path)!r} must end in .parquet, .csv or .tsv.")
        if not self.path.parent.is_dir():
            raise DataError(
                f"There is no folder {self.path.parent} for the results {str(self.path)!r}. Create it first."
            )

    @property
    def folder(self) -> Path:
        """The folder of finished units."""
        return Path(f"{self.path}.parts")

    @property
    def left(self) -> list[int]:
        """The units that are not finished."""
        return [] if self.complete else [i for i, arrays in enumerate(self.arrays) if arrays is None]

    def open(self, choices: Identity, data: Identity, *axes: Iterable[str]) -> None:
        """Take over what an earlier call finished: the results of the same choices and data, or units of the same data and axes."""
        if self.path is None:
            return
        self.identity = json.loads(json.dumps({**choices, **data}))
        if self.path.exists():
            self._refuse_other(self._of_file())
            self.complete = True
            return
        self._data = str(joblib.hash([data, *map(list, axes)]))
        for i, unit in enumerate(self.units if self.folder.exists() else ()):
            if self._in_folder.check_call_in_cache(self._data, unit, None):
                try:
                    self.arrays[i] = _undisturbed(self._found, unit)
                except Exception:
                    text = f"What {self.folder} holds of {unit} is damaged; it was removed, and is computed again"
                    warnings.warn(text, DataWarning, stacklevel=4)

    def _found(self, unit: str) -> Arrays:
        """Return what the folder holds of a unit; remove it, and raise, if it is damaged."""
        found = self._in_folder.call_and_shelve(self._data, unit, None)
        try:
            arrays: Arrays = found.get()
        except Exception:
            found.clear()
            raise
        return arrays

    @cached_property
    def _in_folder(self) -> Any:
        """A function that keeps arrays by data and unit in the folder."""

        def finished(data: str, unit: str, arrays: Arrays) -> Arrays:
            return arrays

        finished.__qualname__ = "finished"  # folders are named after it
        try:
            return joblib.Memory(str(self.folder), verbose=0, compress=1).cache(finished, ignore=["arrays"])
        except OSError as error:
            raise DataError(
                f"The folder {self.folder} cannot be used: {error.strerror}. Choose another --out."
            ) from None

    def _of_file(self) -> Identity:
        """Return the identity of the work that the results are of."""
        try:
            if self.path.suffix == ".parquet":
                return dict(Scores.read_parquet(self.path).made_by["identity"])
            return dict(json.loads(self._beside.read_text(encoding="utf-8"))["made_by"]["identity"])
        except (DataError, OSError, ValueError, KeyError, TypeError, RecursionError):
            raise DataError(
                f"{self.path} already exists, and its results cannot be told from others. Choose another --out, or remove it."
            ) from None

    @property
    def _beside(self) -> Path:
        """The file that says what a .csv or .tsv file is of, and the rest of its scores."""
        return Path(f"{self.path}.json")

    def _refuse_other(self, existing: Identity) -> None:
        """Raise if the results are of other choices or data; the message says which."""
        differ = []
        for key in dict.fromkeys([*self.identity, *existing]):
            old, new = existing.get(key), self.identity.get(key)
            if isinstance(old, dict) and isinstance(new, dict):
                names = [name for name in dict.fromkeys([*new, *old]) if old.get(name) != new.get(name)]
                differ += [f"{key}: {list_some(names)}"] if names else []
            elif old != new:
                differ.append(f"{key}: existing {_short(old)}, requested {_short(new)}")
        if differ:
            raise DataError(
                f"{self.path} holds other results: they differ in {'; '.join(differ)}. Choose another --out, or remove the file."
            )

    def keep(self, unit: int, arrays: Arrays) -> None:
        """Keep the arrays of a finished unit."""
        self.arrays[unit] = arrays
        if self.path is None:
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", joblib.memory.CacheWarning)  # it says that a file could not be written
            try:
                _undisturbed(self._in_folder.call_and_shelve, self._data, self.units[unit], arrays)
            except joblib.memory.CacheWarning as warning:
                error = warning.__context__
                if isinstance(error, FileNotFoundError):
                    return  # another process has finished the same work, and removed the folder
                why = error.strerror if isinstance(error, OSError) else error
                raise DataError(f"Nothing can be written in {self.folder}: {why}. {_KEPT}") from None

    def finish(self, scores: Scores) -> None:
        """Write the results, whole or not at all, and remove the folder of the units."""
        if self.path is None:
            return
        if self.path.suffix == ".parquet":
            scores.to_parquet(self.path)
        else:
            text = table_of(scores).to_csv(sep=_SEPARATORS[self.path.suffix], index=False, lineterminator="\n")
            axes = {"topics": scores.topics, "systems": scores.systems, "states": scores.states.ravel().tolist()}
            digest = sha256(text.encode()).hexdigest()
            about = {"made_by": scores.made_by, "digest": digest, "fields": list(scores.fields), **axes}
            for path, content in ((self._beside, json.dumps(about, indent=1)), (self.path, text)):
                with new_file(path, _KEPT) as file:
                    file.write(content.encode())
        shutil.rmtree(self.folder / "joblib", ignore_errors=True)
        with contextlib.suppress(OSError):  # as when it holds something else
            (self.folder / ".gitignore").unlink(missing_ok=True)
            self.folder.rmdir()

    def read(self, measures: Sequence[ir_measures.Measure], marks: Mapping[str, Any]) -> Scores:
        """Return the results of work that is complete, with the measures and marks of its views."""
        if self.path.suffix == ".parquet":
            return replace(Scores.read_parquet(self.path), measures=tuple(measures), marks=marks)
        import pandas as pd

        about = json.loads(self._beside.read_text(encoding="utf-8"))
        if file_digest(self.path) != about["digest"]:
            raise DataError(
                f"{self.path} was changed since it was written. Remove it, and the same command computes it again, or choose another "
                "--out."
            )
        topics, systems, fields = (tuple(about[key]) for key in ("topics", "systems", "fields"))
        columns = ("value", *fields)
        table = pd.read_csv(self.path, sep=_SEPARATORS[self.path.suffix], dtype=str, usecols=list(columns))
        shape = (len(topics), len(systems), len(measures))  # texts are read, since pandas may round floats
        values, *others = (table[name].to_numpy(dtype=float).reshape(shape) for name in columns)
        states = np.array(about["states"], dtype=np.int8).reshape(shape)
        of_fields = dict(zip(fields, others, strict=True))
        return Scores(values, topics, systems, tuple(measures), states, of_fields, about["made_by"], marks)


def _undisturbed(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in another thread, where no Ctrl-C is raised: joblib drops one that comes while it writes what it notes."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(function, *arguments).result()


def table_of(scores: Scores) -> pd.DataFrame:
    """Return scores as a table for files: with the columns of parameters that vary between measure and value."""
    frame = scores.frame()
    views = scores.views.drop_duplicates("measure").set_index("measure")
    parameters = [name for name in views if "." in str(name)]
    for name in reversed(parameters):
        of_rows = frame["measure"].map(views[name].astype(object))
        frame.insert(frame.columns.get_loc("measure") + 1, name, of_rows)
    return frame


def identity_of_data(
    measures: Sequence[ir_measures.Measure], judgments: Judgments, runs: Mapping[str, Any]
) -> Identity:
    """Return what identifies the data that measures read: digests of qrels, runs and files of parameters, the columns of files that a user named, and the versions of plugins."""
    own = [m for m in measures if isinstance(m, Measure)]
    of_run = sorted({c.name for m in own for c in m.run_columns()})
    of_qrels = sorted({"iteration", "relevance"} | {c.name for m in own for c in m.qrel_columns()})
    texts = sorted({value for m in own for value in _parameter_values(m) if isinstance(value, str)})
    files = {text: digest for text in texts if (digest := file_digest(text))}
    columns = os.environ.get("IRMX_COLUMN", "")  # as which files are read
    return {key: of for key, of in (("files", files), ("columns", columns)) if of} | {
        "qrels": _qrels_digests(judgments, of_qrels),
        "runs": {name: _run_digest(run, of_run) for name, run in runs.items()},
        "versions": versions_of(measures),
    }


def _qrels_digests(judgments: Judgments, names: Sequence[str]) -> dict[str, str]:
    """Return a digest of the topics and documents, and one per column, of judgments in any order."""
    ends, row, doc_of_row = judgments.all_rows
    topics = np.repeat(np.array(list(map(str, judgments.topics)), dtype=object), np.diff(ends))
    docs = np.append(np.array(list(judgments.docs), dtype=object), "")[doc_of_row]
    columns = {"topic": topics, "doc": docs}
    for name in names:
        if (values := judgments.column(name)) is not None:
            columns[name] = np.asarray(values)[row]
    codes = [np.unique(column.astype(str), return_inverse=True)[1] for column in columns.values()]
    order = np.lexsort(codes[::-1])
    digests = {name: _column_digest(column[order]) for name, column in columns.items()}
    return {"": digests.pop("topic") + digests.pop("doc"), **digests}


def _column_digest(column: np.ndarray[Any, Any]) -> str:
    """Return a digest of numbers, or of texts, for which joblib would take seconds."""
    if column.dtype.kind in "biuf":
        return _digest(np.ascontiguousarray(column, dtype=float))
    return sha256("\0".join(column.astype(str).tolist()).encode("utf-8", "surrogatepass")).hexdigest()


def _parameter_values(owner: Measure | Symbol) -> Iterator[Any]:
    """Yield the values of all parameters of a measure, and of the named objects among them."""
    for value in owner.params.values():
        yield value
        if isinstance(value, Symbol):
            yield from _parameter_values(value)


def _run_digest(source: Any, columns: Sequence[str]) -> dict[str, str]:
    """Return a digest of the bytes of a file; of anything else, one of the ids and scores, and one per extra column."""
    if of_file := file_digest(source):
        return {"": of_file}
    run = read_run(source)
    docs = [run.docs(topic) for topic in range(len(run.topics))]
    base = _digest([run.topics, run.offsets, run.score, docs])
    return {"": base} | {name: _digest(run.column(name)) for name in columns}


def _digest(value: Any) -> str:
    return str(joblib.hash(value))


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 160 else f"{text[:157]}..."


# -- sweeps ----------------------------------------------------------------------------------------------------------


def sweep(
    measure: str | ir_measures.Measure,
    grid: Mapping[str, Any] | Sequence[str] | None,
    qrels: Any,
    runs: Any,
    *,
    reference: str | ir_measures.Measure | Sequence[str | ir_measures.Measure] = (),
    population: Any = None,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    progress: bool | None = None,
    backend: str | None = None,
    scheduler: str | None = None,
) -> Scores:
    """Score runs in every setting of a grid of parameters: a view of the scores per setting.

    With ``out``, every finished setting is written at once to a folder beside it, so that the same call resumes a stopped one;
    when it is complete, the same call returns the results of the file.

    Parameters
    ----------
    measure : str or Measure
        A measure of a plugin, with the parameters that are the same in all settings.
    grid : mapping of str to sequence, or None
        The values of other parameters. A number or a duration may be a multiple of another parameter:
        ``{"MD": ["1m", "2m"], "SD": ["0.5*MD", "1*MD"]}``.
    qrels : any
        Anything that :func:`irmx.read_qrels` accepts.
    runs : mapping of str to run, or sequence of paths
        Runs by name, each anything that :func:`irmx.read_run` accepts; runs from files have the names of the files.
    reference : str, Measure or sequence of them
        Further measures, of irmx or of ir_measures, that are computed once for every run.
    population : mapping, DataFrame or path, optional
        In place of a grid, the settings with the shares of users, as :func:`irmx_study.population` takes or returns them.
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
    Scores
        The views are the settings, then the references.

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
    >>> irmx_study.sweep("NCP", {"law": ["uniform", "first"]}, qrels, runs, jobs=1).means().round(3)
            NCP(law=uniform)  NCP(law=first)
    system
    one                0.833             1.0
    two                0.250             0.5
    """
    check_backend(backend, scheduler)
    return Sweep(measure, grid, qrels, runs, reference, population, out).compute(jobs, progress, scheduler)


class Study:
    """Runs scored in units of work, each kept when it is finished, so that a stopped study resumes where it was."""

    def __init__(self, runs: Mapping[str, Any], work: Work) -> None:
        self.runs, self.work = dict(runs), work
        self._warned: set[tuple[type[Warning], str]] = set()

    def compute(self, jobs: int | None = None, progress: bool | None = None, scheduler: str | None = None) -> Scores:
        """Score what remains, and return all results."""
        if self.work.complete:
            return self.work.read(*self._views())
        if left := self.work.left:
            with contextlib.ExitStack() as stack:
                stack.callback(kept.cache_clear)
                use = None if scheduler is None else stack.enter_context(dask(scheduler))
                self._score(left, check_jobs(jobs), progress, use, stack)
        scores = self._joined()
        self.work.finish(scores)
        return scores

    def _views(self) -> tuple[Sequence[Any], Mapping[str, Any]]:
        """Return the measures and the marks of all views."""
        raise NotImplementedError

    def _score(
        self, left: Sequence[int], jobs: int, progress: bool | None, use: Any, stack: contextlib.ExitStack
    ) -> None:
        """Score units, on a cluster to which ``use`` sends what they all need, or on this machine."""
        raise NotImplementedError

    def _joined(self) -> Scores:
        """Return the scores of all units."""
        raise NotImplementedError

    def _issue(self, warned: Iterable[tuple[type[Warning], str]]) -> None:
        """Issue the warnings that are new."""
        for category, text in warned:
            if (category, text) not in self._warned:
                self._warned.add((category, text))
                warnings.warn(text, category, stacklevel=5)


class Sweep(Study):
    """A sweep, with the settings that are done and those that remain; see :func:`sweep`."""

    def __init__(
        self,
        measure: Any,
        grid: Any,
        qrels: Any,
        runs: Any,
        reference: Any = (),
        population: Any = None,
        out: Any = None,
    ) -> None:
        if (grid is None) == (population is None):
            raise UsageError("A sweep has a grid, or a population with the settings. Give one of the two.")
        shares: dict[Any, float] = {}
        if population is not None:
            shares = dict(population) if isinstance(population, Mapping) else read_population(measure, population)
        self.settings: list[Any] = list(shares) if shares else list(Grid(measure, grid).measures())
        if others := [one for one in self.settings if not isinstance(one, Measure)]:
            raise UsageError(
                f"A sweep is of a measure of an irmx plugin. {others[0]} is not one; give it as a reference."
            )
        references = [m for m in as_measures(reference) if str(m) not in set(map(str, self.settings))]
        self.measures = [*self.settings, *references]
        of_references = f"references: {' '.join(map(str, references))}"
        super().__init__(named_runs(runs), Work(out, [*map(str, self.settings), of_references]))
        self.marks = {"weight": (*shares.values(), *("" for _ in references))} if shares else {}
        columns = dict.fromkeys(
            c.name for m in self.measures if isinstance(m, Measure) for c in m.qrel_columns() if not c.optional
        )
        self._judgments = read_qrels(qrels, list(columns))
        self._references = Evaluator(references, self._judgments)
        if out is not None:
            named = {"settings": list(map(str, self.settings)), "reference": list(map(str, references))}
            weights = {"weights": list(shares.values())} if shares else {}
            data = identity_of_data(self.measures, self._judgments, self.runs)
            self.work.open({**named, **weights}, data, map(str, self._judgments.topics), self.runs)

    @property
    def done(self) -> int:
        """The number of finished settings."""
        return len(self.settings) - len([unit for unit in self.work.left if unit < len(self.settings)])

    def _views(self) -> tuple[Sequence[Any], Mapping[str, Any]]:
        return self.measures, self.marks

    def _score(
        self, left: Sequence[int], jobs: int, progress: bool | None, use: Any, stack: contextlib.ExitStack
    ) -> None:
        """Read every run once, score the references, then the remaining settings; each block is kept as soon as it is finished."""
        settings = [unit for unit in left if unit < len(self.settings)]
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        data = _Data(self._judgments, [self.settings[i] for i in settings], folder)
        references: list[list[TopicScores]] = []
        retrieved = []

        def of_run(run: Run) -> list[TopicScores]:
            data.add(run)
            retrieved.append(np.isin(list(map(str, self._judgments.topics)), run.retrieved_topics))
            return list(self._references.scores(run).values()) if self._references.measures else []

        with progress_bar("Reading runs", len(self.runs), 0, progress) as advance:
            for _, scores in of_each_run(self.runs, self._judgments, of_run):
                references.append(scores)
                advance(1)
        if len(self.settings) in left:
            arrays = _arrays(references, len(self._judgments.topics)) | {"retrieved": np.stack(retrieved, axis=1)}
            self.work.keep(len(self.settings), arrays)
        by_key = data.stored(use is None and is_local())
        if use is not None:
            stack.enter_context(use(list(by_key.values())))
        blocks = _blocks(self.settings, settings)

        def calls() -> Iterator[Call]:
            for key, units in blocks:
                yield _do, (units, key, [self.settings[i] for i in units], by_key[key])

        done = len(self.settings) - len(settings)
        advance = stack.enter_context(progress_bar("Scoring settings", len(self.settings), done, progress))
        for units, scored, warned in stack.enter_context(results_of(calls(), max(1, min(jobs, len(blocks))))):
            for i, unit in enumerate(units):
                of_unit = [of_run[i : i + 1] for of_run in scored]
                self.work.keep(unit, _arrays(of_unit, len(self._judgments.topics)))
            advance(len(units))
            self._issue(warned)

    def _joined(self) -> Scores:
        """Return the scores of all settings and references."""
        topics = tuple(map(str, self._judgments.topics))
        shape = (len(topics), len(self.runs), len(self.measures))
        values, fields, retrieved = np.empty(shape), dict[str, Any](), np.ones(shape[:2], dtype=bool)
        for unit, arrays in enumerate(self.work.arrays):
            assert arrays is not None
            places = slice(unit, unit + 1 if unit < len(self.settings) else None)
            values[:, :, places] = arrays["values"]
            retrieved = arrays.get("retrieved", retrieved)
            for name in (name for name in arrays if str(name).startswith("field ")):
                of_name = fields.setdefault(str(name).removeprefix("field "), np.full(shape, np.nan))
                of_name[:, :, places] = arrays[name]
        made_by: dict[str, Any] = {"versions": versions_of(self.measures)}
        if references := self.measures[len(self.settings) :]:
            made_by["references"] = list(map(str, references))
        if self.work.identity:
            made_by["identity"] = self.work.identity
        axes = topics, tuple(self.runs), tuple(self.measures)
        return Scores.of_runs(values, retrieved, *axes, fields=fields, made_by=made_by, marks=self.marks)


def _arrays(scores: Sequence[Sequence[TopicScores]], topics: int) -> dict[str, Any]:
    """Return the scores of every run (outer) and measure (inner) as arrays of shape (topics, runs, measures)."""
    values = np.array([[one.values for one in of_run] for of_run in scores], dtype=float)
    arrays = {"values": values.transpose(2, 0, 1) if values.size else np.empty((topics, len(scores), 0))}
    for name in dict.fromkeys(name for of_run in scores for one in of_run for name in one.fields):
        lacking = np.full(len(scores[0][0].values), np.nan)
        of_name = np.array([[one.fields.get(name, lacking) for one in of_run] for of_run in scores])
        arrays[f"field {name}"] = of_name.transpose(2, 0, 1)
    return arrays


def _blocks(settings: Sequence[Measure], wanted: Sequence[int]) -> list[tuple[Hashable, tuple[int, ...]]]:
    """Return which settings are scored together: those that share a computation; each other one alone."""
    together: dict[tuple[Hashable, Any], list[int]] = {}
    for i in wanted:
        key = preparation_key(settings[i])
        own: Any = i
        if key is not None:
            shared = settings[i].SHARED_PARAMS
            own = type(settings[i])(**{k: v for k, v in settings[i].params.items() if k not in shared})
        together.setdefault((key, own), []).append(i)
    return [(shared, tuple(units)) for (shared, _), units in together.items()]


@dataclass(frozen=True)
class Stored:
    """Objects in files, for processes on this machine: pickled once, with arrays memory-mapped instead of copied."""

    paths: tuple[str, ...]

    @classmethod
    def of(cls, items: Iterable[Any], folder: str) -> Stored:
        """Write objects to a temporary folder, which is named if there is no room, for instance because the disk is full."""
        paths = []
        for item in items:
            paths.append(os.path.join(folder, f"{len(os.listdir(folder))}.joblib"))
            try:
                joblib.dump(item, paths[-1])
            except OSError as error:
                raise DataError(f"{paths[-1]} cannot be written: {error.strerror or error}. Make room there.") from None
        return cls(tuple(paths))

    def __iter__(self) -> Iterator[Any]:
        return (joblib.load(path, mmap_mode="r") for path in self.paths)


@dataclass(frozen=True, eq=False)
class Held:
    """The same objects in memory, for processes on other machines."""

    items: tuple[Any, ...]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)


@lru_cache(maxsize=1)
def kept(data: Stored | Held, joined: bool = False) -> list[Any]:
    """Return the objects of some data, joined or unchanged; the process keeps the last ones that it loaded."""
    if not joined:
        return list(data)
    judgments, *runs = data
    return [Join(run, judgments) for run in runs]


class _Data:
    """The data of runs that settings need, in files by preparation; without one, the judgments followed by the runs."""

    def __init__(self, judgments: Judgments, settings: Sequence[Measure], folder: str) -> None:
        self._judgments, self._settings, self._folder = judgments, settings, folder
        self._stored: dict[Hashable, Stored] = {}
        self._plain = any(preparation_key(setting) is None for setting in settings)
        if self._plain:
            self._store(None, judgments)

    def add(self, run: Run) -> None:
        """Store the data of a run that the settings need; raise if it lacks a column that they read."""
        for key, prepared in prepare_run(self._settings, run, self._judgments).items():
            self._store(key, prepared)
        if self._plain:
            self._store(None, run)

    def _store(self, key: Hashable, value: Any) -> None:
        before = self._stored.get(key, Stored(()))
        self._stored[key] = Stored((*before.paths, *Stored.of([value], self._folder).paths))

    def stored(self, on_this_machine: bool) -> dict[Hashable, Stored | Held]:
        """Return the data by preparation: in files, or to be sent to other machines."""
        return {key: data if on_this_machine else Held(tuple(data)) for key, data in self._stored.items()}


def _do(
    units: tuple[int, ...], key: Hashable, settings: Sequence[Measure], data: Stored | Held
) -> tuple[tuple[int, ...], list[list[TopicScores]], list[tuple[type[Warning], str]]]:
    """Score the settings of a block, in any process."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        items = kept(data, key is None)
        scores = score_joined(items, settings) if key is None else score_prepared(items, settings)
    return units, scores, [(w.category, str(w.message)) for w in caught]
