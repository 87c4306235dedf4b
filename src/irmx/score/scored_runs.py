"""Runs by name, and their scores: one after the other or in parallel, large files in chunks."""

from __future__ import annotations

import contextlib
import gc
import os
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from statistics import median
from typing import Any, Protocol, TypeVar

import ir_measures
import numpy as np

from irmx.data.chunks import MEMORY, run_by_topics, run_chunks
from irmx.data.files import bytes_of, is_address, is_path
from irmx.data.formats import named_format, path_of
from irmx.data.judgments import Judgments
from irmx.data.parquet import run_of_partition
from irmx.data.reading import matching_files, matching_runs, read_run, release_memory
from irmx.data.runs import Run
from irmx.declare.measure_failures import failures_of
from irmx.declare.measures import takes_silence
from irmx.errors import (
    DataError,
    DataWarning,
    MissingTopicsWarning,
    PluginError,
    QrelsWarning,
    TooLittleMemoryError,
    UsageError,
    lacking_topics,
    located,
)
from irmx.parallel import (
    Call,
    Warned,
    called_ahead,
    chosen_jobs,
    is_local,
    recorded_warnings,
    results_of,
    results_of_threads,
)
from irmx.ragged import offsets_of
from irmx.rank.join import Join, no_common_topic, refuse_no_common_topic
from irmx.score.backends import ScoresByMeasure
from irmx.text import list_some, plural

T = TypeVar("T")
Failures = dict[ir_measures.Measure, PluginError | TooLittleMemoryError]
"""The errors of measures that failed."""

_PER_BYTE = 50
"""How many bytes of memory to allow for each byte of a chunk: scoring takes some 10, and dicts for a provider of ir_measures more."""

_MANY_ROWS, _MOST_ROWS = 10_000, 2_000_000
"""After a run or chunk of so many rows young garbage is collected, after runs of so many in all the old, which takes .03 to .1 s."""
_AHEAD = 8
"""The most chunks that are read before the qrels have been."""
_WORTH = 3.0
"""How many seconds of work are worth a process, which takes more than one to start and to import what it needs."""


class Scorer(Protocol):
    """What scores the join of a run: an :class:`irmx.Evaluator`."""

    measures: list[ir_measures.Measure]
    judgments: Judgments

    def of_join(self, join: Join, failures: Failures | None = None) -> ScoresByMeasure:
        """Return the values of all measures; the errors of measures go into ``failures``, if that is given."""


# -- runs by name ------------------------------------------------------------------------------------------------------


def named_runs(runs: Any, several: bool = False) -> dict[str, Any]:
    """Return runs by name.

    Parameters
    ----------
    runs : mapping of str to run, or sequence of paths and globs
        Runs from files have the name of the file, or its path if two files have the same name.
    several : bool
        Whether a file of several runs is each of them.

    Returns
    -------
    dict of str to path or Run
        Anything but a path is converted to a :class:`irmx.Run`, so that it can be read more than once.

    Examples
    --------
    >>> named_runs(["runs/a.run", "runs/b.run"])
    {'a.run': 'runs/a.run', 'b.run': 'runs/b.run'}
    """
    wrong = "Runs are a mapping of names to runs, or paths. Got {}."
    if isinstance(runs, Mapping):
        items = [(_writable(str(name)), run) for name, run in runs.items()]
    elif is_path(runs) or (isinstance(runs, Iterable) and not hasattr(runs, "columns")):  # not one run as a table
        paths = [runs] if is_path(runs) else list(runs)
        other = [p for p in paths if not is_path(p)]
        if other:
            raise UsageError(wrong.format(f"{type(other[0]).__name__} among them"))
        matching = matching_runs if several else matching_files
        files = [file for path in paths for file in matching(os.fspath(path))]
        items = list(zip(run_names(files), files, strict=True))
    else:
        raise UsageError(wrong.format(f"{type(runs).__name__} instead"))
    if not items:
        raise UsageError("There is no run to score.")
    names = [name for name, _ in items]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise UsageError(f"Two runs have the name {twice[0]!r}. Give each run its own name, and every file once.")
    return {name: os.fspath(run) if is_path(run) else read_run(run) for name, run in items}


def run_names(paths: Sequence[str]) -> list[str]:
    """Return the names of runs from files: the names of the files, or their paths if two have the same name.

    A folder ``run=bm25`` of a folder that is partitioned by run has the name ``bm25``, and so has ``FORMAT(run=bm25):path``.

    >>> run_names(["trec:runs/a.run", "runs/folder/"]), run_names(["one/a.run", "two/a.run"])
    (['a.run', 'folder'], ['one/a.run', 'two/a.run'])
    """
    shown = list(map(_writable, paths))
    names = [_writable(run_of_partition(path) or _name_in(path)) for path in paths]
    return names if len(set(names)) == len(set(paths)) else shown


def _name_in(path: str) -> str:
    """Return the name of the file at a path or an address, without the name of a format; that of a run which is chosen in the file."""
    if (named := named_format(path)) and named[0].params.get("run"):
        return str(named[0]["run"])
    file = path_of(path)
    return file.name if is_address(os.fspath(file)) else os.path.basename(os.path.normpath(file))


def _writable(name: str) -> str:
    r"""Return a name in which half a surrogate pair, as which Python reads a byte that is not UTF-8, is escaped.

    >>> print(_writable("caf\udce9.run"))
    caf\udce9.run
    """
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def of_each_run(runs: Mapping[str, Any], judgments: Judgments, do: Callable[[Run], T]) -> Iterator[tuple[str, T]]:
    """Read runs one after the other, and yield the name of each with the result of a function.

    Warnings name the run, and identical warnings are issued once. A warning counts the topics of the qrels that a run
    lacks.

    Parameters
    ----------
    runs : mapping of str to any
        Anything that :func:`irmx.read_run` accepts, by name.
    judgments : Judgments
        The judgments.
    do : function
        The function to call with each run.

    Raises
    ------
    irmx.errors.DataError
        If a run cannot be read, or has documents, but for no topic of the qrels.

    Examples
    --------
    >>> import irmx
    >>> judgments = irmx.read_qrels({"q": {"a": 1}})
    >>> list(of_each_run({"one": {"q": {"a": 2.0, "x": 1.0}}}, judgments, lambda run: len(run.score)))
    [('one', 2)]
    """
    issued: set[tuple[type[Warning], str]] = set()
    for name, source in runs.items():
        with _recorded(name) as warned, _of_run(name):
            run = read_run(source)
            refuse_no_common_topic(run, judgments)
            warned += _lacking(name, run.topics, judgments)
            result, rows = do(run), len(run)
        del run
        _CYCLES.add(rows)
        _issue(warned, issued)
        yield name, result


def _lacking(name: str, retrieved: Iterable[str], judgments: Judgments) -> Warned:
    """Return the warning about a run whose topics lack some of the qrels, if they do."""
    in_run = set(retrieved)
    missing = [topic for topic in judgments.index if topic not in in_run]
    text = lacking_topics(missing, len(judgments.index))
    return [(MissingTopicsWarning, _prefixed(name, text))] if missing else []


def _prefixed(name: str, text: object) -> str:
    return f"{name}: {text}" if name and not str(text).startswith(f"{name}:") else str(text)


def _of_run(name: str) -> contextlib.AbstractContextManager[None]:
    return located(f"run {name}" if name else "")


@contextlib.contextmanager
def _recorded(name: str) -> Iterator[Warned]:
    """Hold back the warnings of a block, and add them to a list, with the name of the run, unless they are about the qrels."""
    warned: Warned = []
    with recorded_warnings() as caught:
        yield warned
    for category, message in caught:
        warned.append((category, _prefixed("" if issubclass(category, QrelsWarning) else name, message)))


def _issue(warned: Warned, issued: set[tuple[type[Warning], str]]) -> None:
    """Issue the warnings that are new."""
    for category, text in warned:
        if (category, text) not in issued:
            issued.add((category, text))
            warnings.warn(text, category, stacklevel=2)


# -- their scores ------------------------------------------------------------------------------------------------------


@dataclass
class RunScores:
    """The scores of a run, or of a chunk of it: its topics, and by measure the scores over the topics of the judgments.

    ``failures`` are the errors of the measures that have no scores, and ``warned`` the warnings. ``no_topic`` says that none of
    the topics is judged, ``no_judged`` that none of the documents is. ``how`` says in how many parts the run was scored, and by what.
    """

    name: str
    topics: list[str] = field(default_factory=list)
    scores: ScoresByMeasure = field(default_factory=dict)
    failures: Failures = field(default_factory=dict)
    warned: Warned = field(default_factory=list)
    no_topic: str = ""
    no_judged: str = ""
    how: str = "at once"


@dataclass
class _LargeRun:
    """A run that is read in chunks, the first of them perhaps already."""

    source: Any
    chunks: Iterator[Callable[[], Run]]


@contextlib.contextmanager
def reading_ahead(runs: Mapping[str, Any], memory: str | float, jobs: int | None) -> Iterator[Mapping[str, Any]]:
    """Yield runs for :func:`scored_runs`; of several jobs, one reads the first chunks of a large run while another reads the qrels."""
    jobs = chosen_jobs(jobs)
    name, source = next(iter(runs.items()))
    chunks = run_chunks(source, _chunk_size(memory, jobs)) if jobs > 1 and is_local() else None
    if chunks is None:
        yield runs
        return
    with called_ahead((partial(_ready, chunk) for chunk in chunks), _AHEAD) as first:
        yield {**runs, name: _LargeRun(source, first)}


def _ready(read: Callable[[], Run]) -> Run:
    """Return a run with what looking up its documents needs."""
    run = read()
    run.find_repeats()
    return run


def scored_runs(
    evaluator: Scorer,
    runs: Mapping[str, Any],
    memory: str | float = MEMORY,
    jobs: int | None = None,
    sound_only: bool = False,
) -> Iterator[RunScores]:
    """Yield the scores of each run, in order; large files are read in chunks that fit into memory.

    ``memory`` is that of all jobs together. Of several ``jobs``, threads score the chunks of a large file; processes score runs once
    those that are left are seen to take each of them some seconds. On a cluster, which a program has chosen as the backend of joblib,
    there are by default as many as its workers can. With ``sound_only``, a measure that fails is left out of the scores, with its
    error in the ``failures`` of the run. Warnings name the run, and identical warnings are issued once.
    """
    issued: set[tuple[type[Warning], str]] = set()
    for run in _by_all_jobs(evaluator, runs, memory, chosen_jobs(jobs), sound_only):
        lacking = [] if _takes_silence(evaluator) else _lacking(run.name, run.topics, evaluator.judgments)
        _issue([*lacking, *run.warned], issued)
        yield run
        del run  # of a thousand runs, only what the caller keeps is kept


def scores_of(evaluator: Scorer, run: Any, memory: str | float = MEMORY) -> ScoresByMeasure:
    """Return the scores of one run as :func:`scored_runs` does, without a warning about topics that it lacks."""
    if run_chunks(run, _chunk_size(memory, 1)) is not None:
        scored = _whole(evaluator, "", run, memory, 1, sound_only=False)
        _issue(scored.warned, set())
        return scored.scores
    run = read_run(run, empty=_takes_silence(evaluator))
    refuse_no_common_topic(run, evaluator.judgments)
    join = Join(run, evaluator.judgments)
    scores = evaluator.of_join(join)
    if message := _none_judged(join, scores):
        warnings.warn(message, DataWarning, stacklevel=3)
    return scores


def _takes_silence(evaluator: Scorer) -> bool:
    """Tell whether to return nothing is an answer to all measures, so that no run lacks a topic."""
    return all(map(takes_silence, evaluator.measures))


def _chunk_size(memory: str | float, jobs: int) -> int:
    """Return the size of chunks of runs, in bytes of text, of which several jobs together fit into memory."""
    return max(1, bytes_of(memory) // (_PER_BYTE * jobs))


def _by_all_jobs(
    evaluator: Scorer, runs: Mapping[str, Any], memory: str | float, jobs: int, sound_only: bool
) -> Iterator[RunScores]:
    """Yield the scores of each run: of this process, and of others as soon as what is left keeps each of them busy."""
    left, seconds, size = list(runs.items()), list[float](), 1
    while left and is_local() and not (jobs > 1 and _is_long(seconds, len(left), jobs)):
        name, source = left.pop(0)
        started = time.perf_counter()
        scored = _whole(evaluator, name, source, memory, jobs, sound_only)
        seconds.append(time.perf_counter() - started)
        size = max(1, int(_WORTH / seconds[-1]))
        yield scored
        del scored, source
    if not left:
        return
    workers = min(jobs, len(left))
    size = min(size, -(-len(left) // workers))
    share = max(bytes_of("1KB"), bytes_of(memory) // workers)
    calls = (_call(evaluator, left[i : i + size], share, sound_only) for i in range(0, len(left), size))
    with results_of(calls, workers, ordered=True) as results:
        for scored in chain.from_iterable(results):
            yield replace(scored, how=f"{scored.how}, by one of {plural(workers, 'worker')}")


def _is_long(seconds: Sequence[float], left: int, jobs: int) -> bool:
    """Tell whether runs that are left keep every process busy for long enough, given how long others took.

    The first took longer if something had to be imported.
    """
    if left < 2 or not seconds or (len(seconds) == 1 and seconds[0] < _WORTH):
        return False
    return median(seconds[1:] or seconds) * left > _WORTH * min(jobs, left)


def _call(evaluator: Scorer, runs: Sequence[tuple[str, Any]], memory: float, sound_only: bool) -> Call:
    """Return the call that scores runs, or raises the error of one: joblib would wait for ever for a call that cannot be made."""
    sendable = []
    for name, source in runs:
        is_file = is_path(source) and os.path.isfile(source)
        try:  # what is no file may be something that another process cannot read
            with _of_run(name):
                sendable.append((name, source if is_file else read_run(source, empty=_takes_silence(evaluator))))
        except Exception as error:
            return _raise, (error,)
    return _batch, (evaluator, sendable, memory, sound_only)


def _raise(error: Exception) -> None:
    raise error


def _batch(evaluator: Scorer, runs: Sequence[tuple[str, Any]], memory: float, sound_only: bool) -> list[RunScores]:
    """Score runs, in any process."""
    return [_whole(evaluator, name, source, memory, 1, sound_only) for name, source in runs]


def _whole(evaluator: Scorer, name: str, source: Any, memory: str | float, jobs: int, sound_only: bool) -> RunScores:
    """Score a run, a large file in chunks."""
    if isinstance(source, _LargeRun):
        source, chunks = source.source, source.chunks
    else:
        chunks = run_chunks(source, _chunk_size(memory, jobs))
    scored = (
        None
        if chunks is None
        else _of_chunks(evaluator, name, source, chunks, _chunk_size(memory, jobs), jobs, sound_only)
    )
    return _finish(
        scored or _scored(evaluator, name, lambda: read_run(source, empty=_takes_silence(evaluator)), sound_only)
    )


def _of_chunks(
    evaluator: Scorer,
    name: str,
    source: Any,
    chunks: Iterable[Callable[[], Run]],
    size: int,
    jobs: int,
    sound_only: bool,
) -> RunScores | None:
    """Return the scores of a run put together from those of its chunks; None if it must be read at once."""
    release_memory()  # which the reader of the qrels no longer uses, and the chunks may
    whole, chunk_of, number, split = None, dict[str, int](), -1, ""
    calls = ((_scored, (evaluator, name, chunk, sound_only, False)) for chunk in chunks)
    with contextlib.closing(results_of_threads(calls, jobs)) as parts:
        for number, part in enumerate(parts):
            split = next((topic for topic in part.topics if topic in chunk_of), "")
            if split:
                break
            if any(scores.covariance is not None for scores in part.scores.values()):
                return None
            chunk_of |= dict.fromkeys(part.topics, number)
            whole = part if whole is None else _add_chunk(whole, part, evaluator.judgments)
            del part
    if not split:
        return whole and replace(whole, how=f"in {plural(number + 1, 'chunk')}, by {plural(jobs, 'thread')}")
    del whole
    _warn_of_split(name, split, _places(split, source, size, {chunk_of[split], number}))
    with tempfile.TemporaryDirectory(prefix="irmx-", ignore_cleanup_errors=True) as folder:
        return _of_chunks(evaluator, name, source, run_by_topics(source, size, folder), size, jobs, sound_only)


def _warn_of_split(name: str, topic: str, where: str) -> None:
    """Warn, before time and space are taken, about a topic whose rows do not stand together."""
    text = (
        f"The rows of topic {topic} do not stand together: {where}. They are brought together in temporary files, which takes time and "
        "as much space; sort the run by topic to save both."
    )
    _issue([(DataWarning, _prefixed(name, text))], set())


def _scored(
    evaluator: Scorer, name: str, read: Callable[[], Run], sound_only: bool, is_whole: bool = True
) -> RunScores:
    """Return the scores of a run, or of a chunk of it, once it is read."""
    scored = RunScores(name)
    with _recorded(name) as scored.warned, _of_run(name):
        run = read()
        scored.topics, scored.no_topic = run.retrieved_topics, no_common_topic(run, evaluator.judgments)
        if not scored.no_topic:
            join = Join(run, evaluator.judgments)
            scored.scores = evaluator.of_join(join, scored.failures if sound_only else None)
            scored.no_judged = _none_judged(join, scored.scores)
            del join
        elif refusing := [m for m in evaluator.measures if not getattr(m, "DOCS_MAY_REPEAT", False)]:
            with failures_of(refusing[0]):  # which checks all topics of a run that is read at once
                run.refuse_repeats()
    rows = len(run)
    del run
    _CYCLES.add(rows, is_whole)
    return scored


@dataclass
class _CycleCollector:
    """Rows of runs that are no longer used: rankings hold them in reference cycles, which Python collects too late."""

    rows: int = 0

    def add(self, rows: int, is_whole: bool = True) -> None:
        """Collect what is young after a run or chunk that is not small, and everything, which takes longer, after many rows of runs."""
        self.rows += rows * is_whole
        if self.rows > _MOST_ROWS:
            self.rows = 0
            gc.collect()
        elif rows > _MANY_ROWS:
            gc.collect(1)


_CYCLES = _CycleCollector()


def _add_chunk(whole: RunScores, part: RunScores, judgments: Judgments) -> RunScores:
    """Return the scores of a run with those of a further chunk."""
    if not (whole.scores or whole.failures) or not (part.scores or part.failures):
        scores = whole.scores or part.scores
    else:
        places = [judgments.index[topic] for topic in part.topics if topic in judgments.index]
        both = whole.scores.keys() & part.scores.keys()  # the others failed in some chunk
        scores = {m: s.updated(part.scores[m], places) for m, s in whole.scores.items() if m in both}
    # a chunk without scores tells nothing about judged documents
    told = [one.no_judged for one in (whole, part) if one.scores]
    return replace(
        whole,
        topics=whole.topics + part.topics,
        scores=scores,
        failures={**part.failures, **whole.failures},
        warned=whole.warned + part.warned,
        no_topic=whole.no_topic or part.no_topic,
        no_judged=told[0] if told and all(told) else "",
    )


def _finish(run: RunScores) -> RunScores:
    """Return a run with its last warnings; raise if it has no topic of the qrels."""
    if run.no_topic and not run.scores and not run.failures:
        with _of_run(run.name):
            raise DataError(run.no_topic)
    sound = {m: s for m, s in run.scores.items() if m not in run.failures}
    told = [(DataWarning, _prefixed(run.name, run.no_judged))] if run.no_judged else []
    return replace(run, scores=sound, warned=[*run.warned, *told])


def _places(topic: str, source: Any, size: int, numbers: set[int]) -> str:
    """Return where the rows of a topic begin in some chunks, by their numbers."""
    places = []
    for number, chunk in enumerate(run_chunks(source, size) or ()):
        if number in numbers:
            run = chunk()
            places.append(run.place([int(run.offsets[run.topics.index(topic)])]))
    return " and ".join(places)


def _none_judged(join: Join, scores: ScoresByMeasure) -> str:
    """Return the message about a run of which no document is judged; empty if one is, or if there is nothing to compare.

    Documents are only looked up if the values of a measure are 0 for all topics.
    """
    places, judgments = join.in_judgments, join.judgments
    if not len(places) or all((np.abs(of_measure.values[places]) > 0).any() for of_measure in scores.values()):
        return ""
    judged = np.diff(judgments.offsets)[places]
    try:
        if not judged.any() or len(join.ranked_hits(None, "trec").doc):
            return ""
        topic = int(judged.argmax())
        start = offsets_of(join.depth)[topic]
        retrieved = join.doc_ids(join.ranked_rows("trec")[start : start + min(4, int(join.depth[topic]))])
    except DataError:  # a stream, which may have a document more than once
        return ""
    first = int(judgments.offsets[places[topic]])
    return (
        f"No document of the run is judged. For topic {join.topics[topic]} the run has {list_some(retrieved)}; the qrels have "
        f"{list_some(judgments.docs_at(np.arange(first, first + min(4, int(judged[topic])))))}. The ids must be the same in both."
    )
