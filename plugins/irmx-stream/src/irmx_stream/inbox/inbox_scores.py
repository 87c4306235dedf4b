"""Values of measures over the units of an inbox: all, those with an answer, and those on which silence is right."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import DataError, Scores, State, UsageError, scores
from irmx.ragged import Bools, Ints, segment_of, short_repr
from irmx.toolkit import as_measures
from irmx_stream.inbox.inbox_checks import refuse_other_days_and_questions
from irmx_stream.inbox.inbox_levels import (
    MISSING,
    PROPOSED,
    days_with_equal_ranks,
    documents_of,
    documents_shown,
    kept_in,
    numbered_in,
    questions_of,
    questions_shown,
)
from irmx_stream.inbox.inbox_runs import InboxRun
from irmx_stream.inbox.inbox_tables import Inbox
from irmx_stream.streams import require_one_of
from irmx_stream.truncated import Truncated

if TYPE_CHECKING:
    import pandas as pd

MEASURES = "TruncatedRR TruncatedRBP TruncatedNDCG TruncatedAP"
"""The measures without others."""


@dataclass(frozen=True)
class InboxScores:
    """The values of runs in the units of one level.

    Attributes
    ----------
    level : str
        What is ranked: ``"documents"`` or ``"questions"``.
    scores : Scores
        The values, whose topics are the units.
    topics : tuple of str
        The topics.
    topic : int array, shape (units,)
        The topic of each unit.
    has_answer : bool array, shape (units,)
        Whether something is relevant in each unit.
    is_silent : bool array, shape (units, systems)
        Whether a run returns nothing in each.
    tied, outside : int array, shape (systems,)
        On how many days of topics each run gives questions equal ranks, which are then ordered by their ids; and how many questions it
        shows on days that were not to be decided, where nothing counts.
    lacking : int array, shape (systems,)
        How many of the days of topics each run does not name, on which it counts as silent.
    is_named : bool array, shape (topics, systems)
        Whether each run names a day of each topic that was to be decided; one of which it names none is missing.
    """

    level: str
    scores: Scores
    topics: tuple[str, ...]
    topic: Ints
    has_answer: Bools
    is_silent: Bools
    tied: Ints
    outside: Ints
    lacking: Ints
    is_named: Bools

    __repr__ = short_repr

    @property
    def parts(self) -> dict[str, Bools]:
        """The units that means are over, by the name of the part."""
        return {"all": np.ones(len(self.topic), dtype=bool), "answer": self.has_answer, "no answer": ~self.has_answer}

    def frame(self) -> pd.DataFrame:
        """Return the means over units: of all, of those with an answer, and of those without, and on how many each run is silent."""
        import pandas as pd

        rows = [
            {
                "system": system,
                "level": self.level,
                "over": part,
                "units": int(units.sum()),
                "silent": self.is_silent[units, s].mean() if units.any() else np.nan,
                **{
                    str(measure): self.scores.values[units, s, m].mean() if units.any() else np.nan
                    for m, measure in enumerate(self.scores.measures)
                },
            }
            for s, system in enumerate(self.scores.systems)
            for part, units in self.parts.items()
        ]
        return pd.DataFrame(rows)


def values_of_topics(levels: Sequence[InboxScores]) -> Scores:
    """Return the mean over the units of each topic, of all and of those with an answer, as views of each level.

    Units of a topic depend on each other, so that tests of systems need the values of topics. A topic of which a run names no day has
    the values of silence, and counts as missing.
    """
    first = levels[0]
    of_named = np.where(first.is_named, State.SCORED, State.DEFAULT)[:, :, None]
    values, states = list[Any](), list[Any]()
    measures, slices = list[Any](), list[str]()
    for level, (part, name) in itertools.product(levels, (("all", ""), ("answer", " with an answer"))):
        units, count = level.parts[part], len(level.topics)
        number = np.bincount(level.topic[units], minlength=count)[:, None, None]
        sums = np.zeros((count, *level.scores.values.shape[1:]))
        np.add.at(sums, level.topic[units], level.scores.values[units])
        values.append(np.divide(sums, number, out=np.full_like(sums, np.nan), where=number > 0))
        states.append(np.broadcast_to(np.where(number > 0, of_named, State.OUTSIDE), sums.shape))
        measures += level.scores.measures
        slices += [f"{level.level}{name}"] * len(level.scores.measures)
    return Scores(
        np.concatenate(values, axis=2),
        first.topics,
        first.scores.systems,
        tuple(measures),
        np.concatenate(states, axis=2).astype(np.int8),
        made_by=first.scores.made_by,
        marks={"slice": tuple(slices)},
    )


def score_inbox(
    inbox: Inbox,
    runs: Mapping[str, InboxRun],
    measures: Any = MEASURES,
    missing: str = "silent",
    proposed: str = "keep",
) -> list[InboxScores]:
    """Return the values of runs in the units of an inbox, of its documents and of its questions.

    Parameters
    ----------
    inbox : Inbox
        What was to be decided, and what is right, as :func:`read_inbox` returns it.
    runs : dict of str to InboxRun
        The runs, by the names of the systems.
    measures : str or list
        Measures of rankings that may stop, with the same ``rel``.
    missing : {"silent", "tied"}
        What a question is on a day on which a run lacks it: not returned, or returned after all others, tied with all such questions.
    proposed : {"keep", "drop"}
        Whether questions count that a run proposes, whose ids begin with its tag.

    Returns
    -------
    list of InboxScores
        Of the documents, and of the questions.

    Raises
    ------
    irmx.UsageError
        For measures to which silence is no answer, or that differ in ``rel``.
    irmx.DataError
        For a document on another day than its own, and an unknown question; names the line.

    Examples
    --------
    >>> from irmx_stream import InboxRun, read_inbox, score_inbox
    >>> inbox = read_inbox({"topic": ["T"], "question": ["Q"], "day": ["2021-08-01"], "document": ["a"], "gain": [1]})
    >>> import numpy as np
    >>> silent = InboxRun("silent", "", [], [], [], np.empty(0), [], np.zeros(1, int), [], np.empty(0), np.empty(0), set())
    >>> documents, questions = score_inbox(inbox, {"silent": silent}, "TruncatedAP")
    >>> documents.frame().round(2).values.tolist()[0]
    ['silent', 'documents', 'all', 1, 1.0, 0.0]
    """
    asked = as_measures(measures)
    for measure in asked:
        if not isinstance(measure, Truncated):
            raise UsageError(f"To return nothing is no answer to {measure}. Measures of an inbox are {MEASURES}.")
    if len({measure["rel"] for measure in asked}) > 1:
        raise UsageError(
            "The measures of an inbox must have the same rel, by which a unit has an answer. Ask for others apart."
        )
    require_one_of("missing", missing, MISSING)
    require_one_of("proposed", proposed, PROPOSED)
    levels = {"documents": documents_of(inbox), "questions": questions_of(inbox)}
    tables: dict[str, dict[str, Any]] = {name: {} for name in levels}
    fires: dict[str, list[Bools]] = {name: [] for name in levels}
    tied, outside, lacking, named = [], [], [], []
    to_decide = inbox.days_of_topics
    for name, run in runs.items():
        refuse_other_days_and_questions(inbox, run)
        shown, is_kept = numbered_in(inbox, run), kept_in(run, proposed, inbox.known)
        tables["documents"][name] = documents_shown(run, is_kept & (shown.unit >= 0))
        tables["questions"][name] = questions_shown(
            run, is_kept & (shown.of_day >= 0), inbox if missing == "tied" else None
        )
        has_documents = is_kept & (run.counts > 0)
        for level, unit in (("documents", shown.unit), ("questions", shown.of_day)):
            fires[level].append(np.isin(np.arange(len(levels[level].names)), unit[has_documents]))
        tied.append(days_with_equal_ranks(run, is_kept & (shown.of_day >= 0)))
        outside.append(int(np.sum(shown.of_day[has_documents] < 0)))
        lacking.append(len(to_decide - run.days))
        named.append(np.isin(np.array(inbox.topics, dtype=object), list({topic for topic, _ in run.days & to_decide})))
    return [
        InboxScores(
            name,
            scores(asked, level.judgments, tables[name]),
            inbox.topics,
            level.topic,
            ~level.judgments.without_relevant(asked[0]["rel"]),
            ~np.stack(fires[name], axis=1),
            np.array(tied),
            np.array(outside),
            np.array(lacking),
            np.stack(named, axis=1),
        )
        for name, level in levels.items()
    ]


def first_news(inbox: Inbox, run: InboxRun, rel: float = 1) -> pd.DataFrame:
    """Return for each question with news on which day it first has some, and on which day a run first shows some.

    Parameters
    ----------
    inbox : Inbox
        What is right.
    run : InboxRun
        What the system shows; a document counts wherever it stands.
    rel : float
        The smallest gain of a document that is news.

    Returns
    -------
    DataFrame
        ``topic``, ``question``, ``first`` (the first day with news), ``shown`` (the first day on which some is shown, empty if none
        is), ``days`` (from one to the other; NaN if none is shown) and ``days_left`` (from the first day with news to the end).

    Raises
    ------
    irmx.UsageError
        If ``rel`` is not finite.
    irmx.DataError
        As :func:`score_inbox` does, and if no document has a gain of ``rel``.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from irmx_stream import first_news, read_inbox, read_inbox_run, write_inbox
    >>> folder = Path(tempfile.mkdtemp()) / "inbox"
    >>> files = write_inbox(folder)
    >>> found = first_news(read_inbox(folder / "judgments.tsv"), read_inbox_run(folder / "runs/quiet.jsonl"))
    >>> len(found), int(found["days"].notna().sum())
    (30, 24)
    """
    import pandas as pd

    if not np.isfinite(rel):
        raise UsageError(f"rel must be a finite number. Got {rel} instead.")
    refuse_other_days_and_questions(inbox, run)
    is_news = inbox.gain >= rel
    if not is_news.any():
        raise DataError(
            f"Nothing is news: no document has a gain of {rel:g}, and the largest is {inbox.gain.max(initial=0):g}."
        )
    topic, question, day = inbox.units[inbox.unit[is_news]].T
    news = pd.DataFrame(
        {
            "topic": np.array(inbox.topics, dtype=object)[topic],
            "question": np.array(inbox.questions, dtype=object)[question],
            "first": np.array(inbox.days, dtype=object)[day],
            "doc_id": inbox.doc_id.to_pandas()[is_news].to_numpy(),
        }
    )
    of = segment_of(run.offsets)
    every = pd.DataFrame({"topic": run.topic, "question": run.question, "shown": run.day}).iloc[of]
    pairs = news.merge(every.assign(doc_id=run.doc_id).rename(columns={"shown": "first"}))
    keys = ["topic", "question"]
    shown = pairs.groupby(keys, sort=False)["first"].min().rename("shown")
    out = news.groupby(keys, sort=False)["first"].min().to_frame().join(shown).reset_index()
    first, last = pd.to_datetime(out["first"]), pd.Timestamp(inbox.days[-1])
    return out.assign(
        shown=out["shown"].fillna(""),
        days=(pd.to_datetime(out["shown"]) - first).dt.days,
        days_left=(last - first).dt.days,
    )
