"""The scores of runs from files of any length: large ones are scored in chunks, on several cores if wanted."""

from __future__ import annotations

import gc
import os
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import ir_measures
import numpy as np

from irmx.data.amounts import bytes_of
from irmx.data.judgments import Judgments
from irmx.data.reading import read_run
from irmx.data.run_chunks import MEMORY, Chunk, lines_of_topic, run_chunks
from irmx.data.tables import is_path
from irmx.errors import DataError, DataWarning
from irmx.parallel import Call, chosen_jobs, results_of
from irmx.rank.join import Join, no_common_topic, refuse_no_common_topic
from irmx.score.named_runs import lacking_topics, of_run
from irmx.score.once import IssuedWarnings, Warned, prefixed
from irmx.score.scoring import Failures
from irmx.score.topic_scores import TopicScores

_PER_BYTE = 50
"""How many bytes of memory to allow for each byte of a chunk: scoring takes some 10, and dicts for a provider of ir_measures more."""

_MANY_ROWS = 10_000
"""A chunk of so many rows is released at once: rankings hold it in reference cycles, which Python collects too late."""

ScoresByMeasure = dict[ir_measures.Measure, TopicScores]


class JoinScorer(Protocol):
    """What scores a join, such as an :class:`irmx.Evaluator`; it is sent to other processes."""

    judgments: Judgments

    def of_join(self, join: Join) -> ScoresByMeasure:
        """Return the scores of a run that is joined with the judgments."""

    def sound_of_join(self, join: Join) -> tuple[ScoresByMeasure, Failures]:
        """Return the scores by those measures that do not fail, and the errors of the others."""


@dataclass(frozen=True)
class ScoredRun:
    """The scores of a run.

    Attributes
    ----------
    name : str
        The name of the run.
    topics : list of str
        Its topics.
    scores : dict of Measure to TopicScores
        The scores over the topics of the judgments.
    failures : dict of Measure to PluginError or TooLittleMemoryError
        The errors of the measures that have no scores because they failed.
    """

    name: str
    topics: list[str]
    scores: ScoresByMeasure
    failures: Failures


@dataclass(frozen=True)
class _Piece(ScoredRun):
    """The scores of a chunk of a run, or of a run in one piece; none if no topic of the chunk is in the judgments.

    ``number`` counts the chunks, ``problem`` says why there are no scores, and ``warned`` holds the warnings issued.
    """

    number: int
    problem: str
    warned: Warned


def scored_runs(
    scorer: JoinScorer,
    runs: Mapping[str, Any],
    memory: str | float = MEMORY,
    jobs: int | None = None,
    sound_only: bool = False,
) -> Iterator[ScoredRun]:
    """Yield the scores of each run, in order; large files are read in chunks that fit into memory.

    Warnings name the run, and identical warnings are issued once.

    Parameters
    ----------
    scorer : JoinScorer
        What scores them.
    runs : mapping of str to any
        Anything that :func:`irmx.read_run` accepts, by name.
    memory : str or number
        The memory that all jobs together may take for runs, in bytes or such as ``"500MB"``.
    jobs : int, optional
        How many chunks and runs to score at the same time, on the current backend of joblib; by default 1, or on a cluster as
        many as its workers can.
    sound_only : bool
        Whether a measure that fails is left out of the scores, with its error in the ``failures`` of the run; by default the
        error is raised.

    Raises
    ------
    irmx.errors.DataError
        If a run cannot be read, or has documents, but for no topic of the qrels.
    """
    issued = IssuedWarnings()
    for run, warned in _merged(scorer, runs, memory, chosen_jobs(jobs), sound_only):
        lacking = lacking_topics(run.topics, scorer.judgments)
        issued.issue([(DataWarning, f"{run.name}: {lacking}"), *warned] if lacking else warned)
        yield run


def scores_of(scorer: JoinScorer, run: Any, memory: str | float = MEMORY) -> ScoresByMeasure:
    """Return the scores of one run as :func:`scored_runs` does, without a warning about topics that it lacks.

    Raises
    ------
    irmx.errors.DataError
        If it cannot be read, or has documents, but for no topic of the qrels.
    """
    if run_chunks(run, _chunk_size(memory, 1)) is None:
        run = read_run(run)
        refuse_no_common_topic(run, scorer.judgments)
        return scorer.of_join(Join(run, scorer.judgments))
    [(scored, warned)] = _merged(scorer, {"": run}, memory, 1)
    IssuedWarnings().issue(warned)
    return scored.scores


def _chunk_size(memory: str | float, jobs: int) -> int:
    return max(1, bytes_of(memory) // (_PER_BYTE * jobs))


def _merged(
    scorer: JoinScorer, runs: Mapping[str, Any], memory: str | float, jobs: int, sound_only: bool = False
) -> Iterator[tuple[ScoredRun, Warned]]:
    """Yield the scores of each run, in order, and its warnings."""
    merging = [_Merging(name, run, _chunk_size(memory, jobs), sound_only) for name, run in runs.items()]
    of_name, failed = {run.name: run for run in merging}, list[Exception]()

    def finished() -> Iterator[tuple[ScoredRun, Warned]]:
        while merging and merging[0].is_complete:
            yield merging.pop(0).finish(scorer)

    calls = (call for run in merging[:] for call in run.calls(scorer, jobs))
    with results_of(_until_failure(calls, failed), jobs) as results:
        for piece in results:
            of_name[piece.name].add(piece, scorer.judgments)
            yield from finished()
    if failed:
        raise failed[0]
    yield from finished()


def _until_failure(calls: Iterator[Call], failed: list[Exception]) -> Iterator[Call]:
    """Yield calls until one cannot be made, and keep the reason; joblib would wait for ever for a call that is not made."""
    try:
        yield from calls
    except Exception as error:
        failed.append(error)


def _score(scorer: JoinScorer, name: str, source: Any, part: Any, number: int = 0, sound_only: bool = False) -> _Piece:
    """Score a chunk of a run, or a run in one piece, in any process."""
    with warnings.catch_warnings(record=True) as caught, of_run(name, source):
        warnings.simplefilter("always")
        run = part.run() if isinstance(part, Chunk) else read_run(part)
        problem = no_common_topic(run, scorer.judgments)
        scores: ScoresByMeasure = {}
        failures: Failures = {}
        if not problem and sound_only:
            scores, failures = scorer.sound_of_join(Join(run, scorer.judgments))
        elif not problem:
            scores = scorer.of_join(Join(run, scorer.judgments))
    piece = _Piece(name, run.topics, scores, failures, number, problem, prefixed(name, caught))
    if isinstance(part, Chunk) and len(run) > _MANY_ROWS:
        del run
        gc.collect()
    return piece


class _Merging:
    """The scores of a run, whose chunks arrive in any order."""

    def __init__(self, name: str, source: Any, size: int, sound_only: bool = False) -> None:
        self.name, self._source, self._size, self._sound_only = name, source, size, sound_only
        self._pieces: int | None = None
        self._added = 0
        self._chunk_of: dict[str, int] = {}
        self._scores: ScoresByMeasure = {}
        self._failures: Failures = {}
        self._problem = ""
        self._warned: Warned = []
        self._returning: tuple[str, set[int]] | None = None
        self._at_once = False

    @property
    def is_complete(self) -> bool:
        """Whether no further piece will be added."""
        return self._added == self._pieces

    def calls(self, scorer: JoinScorer, jobs: int) -> Iterator[Call]:
        """Yield the calls that score the pieces, until one of them shows that the run must be read at once."""
        path = os.fspath(self._source) if is_path(self._source) else ""
        chunks = run_chunks(self._source, self._size)
        if chunks is None:
            self._pieces = 1
            with of_run(self.name, path):  # what is no file may be something that another process cannot read
                run = self._source if jobs == 1 or os.path.isfile(path) else read_run(self._source)
            yield _score, (scorer, self.name, path, run, 0, self._sound_only)
            return
        made = 0
        for chunk in chunks:
            yield _score, (scorer, self.name, path, chunk, made, self._sound_only)
            made += 1
            del chunk
            if self._at_once:
                break
        self._pieces = made

    def add(self, piece: _Piece, judgments: Judgments) -> None:
        """Add the scores of the topics of a piece."""
        self._added += 1
        if self._at_once:
            return
        returning = next((topic for topic in piece.topics if topic in self._chunk_of), None)
        if returning is not None:
            self._returning = (returning, {self._chunk_of[returning], piece.number})
        has_covariance = any(scores.covariance is not None for scores in piece.scores.values())
        self._at_once = returning is not None or (has_covariance and self._pieces != 1)
        self._chunk_of.update(dict.fromkeys(piece.topics, piece.number))
        self._warned += piece.warned
        self._problem = self._problem or piece.problem
        self._failures = {**piece.failures, **self._failures}
        if not self._scores:
            self._scores = piece.scores
        elif piece.scores and not self._at_once:
            places = [judgments.index[topic] for topic in piece.topics if topic in judgments.index]
            both = self._scores.keys() & piece.scores.keys()  # the others failed in some chunk
            self._scores = {m: _with_topics(s, piece.scores[m], places) for m, s in self._scores.items() if m in both}

    def finish(self, scorer: JoinScorer) -> tuple[ScoredRun, Warned]:
        """Return the scores of all pieces, or of the run read at once if need be, and the warnings."""
        if self._returning is not None:  # which is told before all memory is taken
            returns = self._how_it_returns(*self._returning)
            warnings.warn(f"{self.name}: {returns}" if self.name else returns, DataWarning, stacklevel=2)
        if self._at_once or not self._pieces:
            piece = _score(scorer, self.name, self._source, self._source, 0, self._sound_only)
            self._chunk_of = dict.fromkeys(piece.topics, 0)
            self._scores, self._failures = piece.scores, piece.failures
            self._problem, self._warned = piece.problem, piece.warned
        if not self._scores and self._problem:
            with of_run(self.name, self._source):
                raise DataError(self._problem)
        sound = {m: s for m, s in self._scores.items() if m not in self._failures} if self._failures else self._scores
        scored = ScoredRun(self.name, list(self._chunk_of), sound, self._failures)
        self._chunk_of, self._scores = {}, {}  # of a thousand runs, only what the caller keeps is kept
        return scored, self._warned

    def _how_it_returns(self, topic: str, chunks: set[int]) -> str:
        every = run_chunks(self._source, self._size)
        where = lines_of_topic(topic, (c for i, c in enumerate(every or ()) if i in chunks))
        return (
            f"The rows of topic {topic} do not stand together: {' and '.join(where)}. The run is read at once, in "
            "whatever memory that takes; sort it by topic to get it read in chunks."
        )


def _with_topics(scores: TopicScores, more: TopicScores, places: list[int]) -> TopicScores:
    """Return scores with those of some topics, by their numbers, from other ones; a field that either lacks is NaN."""
    values = scores.values.copy()
    values[places] = more.values[places]
    fields = {name: array.copy() for name, array in scores.fields.items()}
    for name in {**fields, **more.fields}:
        array = fields.setdefault(name, np.full(len(values), np.nan))
        array[places] = more.fields[name][places] if name in more.fields else np.nan
    return TopicScores(values, fields)
