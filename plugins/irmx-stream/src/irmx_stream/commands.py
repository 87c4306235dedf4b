"""The subcommands that irmx-stream adds to ``irmx``."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from irmx import DataError, UsageError
from irmx.toolkit import (
    Argument,
    FormatOption,
    Option,
    PlacesOption,
    file_to_write,
    list_some,
    matching_file,
    named_runs,
    note,
    plural,
    print_rows,
    runs_and_measures,
)
from irmx_stream.streams import require_one_of

if TYPE_CHECKING:
    from irmx_stream.inbox.inbox_runs import InboxRun
    from irmx_stream.inbox.inbox_tables import Inbox

_Qrels = Annotated[str, Argument(metavar="QRELS", help="Qrels: a table file, tst:FOLDER, or an ir_datasets id.")]
_Run = Annotated[str, Argument(metavar="RUN", help="A run file, or a quoted glob that one file matches.")]
_Users = Annotated[
    str,
    Option(
        "--users",
        metavar="FILE",
        help="A log of visits: a table file with the columns user, start and duration, and, if known, speed.",
    ),
]
_InboxJudgments = Annotated[
    str,
    Argument(metavar="QRELS", help="Judgments: a table file with the columns topic, question, day, document and gain."),
]
_Days = Annotated[
    str | None,
    Option("--days", metavar="FILE", help="The days of documents: a table file with the columns document and day."),
]


def score(
    qrels: _Qrels,
    run: _Run,
    users: _Users,
    measures: Annotated[
        list[str] | None, Argument(metavar="MEASURE", help="MSU, by default, or a variant such as 'MSU(L=0.9)'.")
    ] = None,
    speed: Annotated[
        float | None,
        Option("--speed", help="Reading speed of all users in words per second, instead of the speeds in the log."),
    ] = None,
    by_query: Annotated[bool, Option("-q", "--by-query", help="Show the values of every topic, too.")] = False,
    places: PlacesOption = 4,
    output_format: FormatOption = "tsv",
) -> None:
    """Score a stream for recorded users instead of simulated ones.

    Prints tab-separated lines under a header: topic (all: the mean over topics), measure, value, and its standard error over
    the users, nan for a single one.
    """
    from irmx_stream.recorded_scores import score_recorded
    from irmx_stream.traces import read_traces

    _check_speed(speed)
    found = score_recorded(measures or ["MSU"], qrels, matching_file(run), read_traces(users), speed)

    topics = [(m.query_id, m.measure, m.value, getattr(m, "fields", {})) for m in found.per_query if by_query]
    means = [
        ("all", m, value, found.fields.get(m, {})) for m, value in cast("dict[Any, float]", found.aggregated).items()
    ]
    rows = [
        {
            "query_id": query_id,
            "measure": str(measure),
            "value": value,
            "standard_error": fields.get("standard_error", math.nan),
        }
        for query_id, measure, value, fields in (*topics, *means)
    ]
    print_rows(rows, output_format, places=places)


def reading(
    qrels: _Qrels,
    run: _Run,
    users: _Users,
    user: Annotated[str, Option("--user", metavar="NAME", help="The user of the log.")],
    topic: Annotated[str, Option("-t", "--topic", help="The query id.")],
    measure: Annotated[
        str | None, Argument(metavar="MEASURE", help="MSU, by default, or a variant such as 'MSU(L=0.9)'.")
    ] = None,
    speed: Annotated[
        float | None,
        Option("--speed", help="Reading speed in words per second, instead of that in the log."),
    ] = None,
    places: PlacesOption = 4,
    output_format: FormatOption = "table",
) -> None:
    """Show what a recorded user first reads of a topic, session by session, and what it gives.

    Times are in hours from the start of the topic's window; the gains add up to the utility of this user.
    """
    from irmx_stream.recorded_scores import reading_of
    from irmx_stream.traces import read_traces

    _check_speed(speed)
    found = reading_of(user, topic, qrels, matching_file(run), read_traces(users), measure or "MSU", speed)
    print_rows(found, output_format, places=places)


def fit(
    users: Annotated[
        str,
        Argument(
            metavar="LOG",
            help="A log of visits: a table file with the columns user, start and duration, and, if known, speed.",
        ),
    ],
    end: Annotated[
        float | None,
        Option(
            "--end", help="When the recording ended, in the seconds of the log; by default long times away are missed."
        ),
    ] = None,
    places: PlacesOption = 4,
    output_format: FormatOption = "table",
) -> None:
    """Fit the simulated users of MSU to a log of visits.

    Prints the most likely parameters and their 95% intervals, times in seconds; then, on standard error, the measure with them.
    """
    from irmx_stream.modeled_stream_utility import MSU
    from irmx_stream.population_fit import fit_population

    found = fit_population(users, end)
    names = list(found.intervals)
    values = {name: float(getattr(found.population, name)) for name in names}
    rows = [
        {"parameter": name, "value": values[name], "low": low, "high": high}
        for name, (low, high) in found.intervals.items()
    ]
    print_rows(rows, output_format, places=places)
    note(
        f"{plural(found.users, 'user')}, {plural(found.sessions, 'session')}: {MSU(**{n: round(v, 4) for n, v in values.items()})}"
    )


def _check_speed(speed: float | None) -> None:
    if speed is not None and not speed > 0:
        raise UsageError(f"--speed must be a number of words per second above 0. Got {speed:g}.")


def _one_of(name: str, *choices: str) -> Callable[[str], str]:
    """Return a check that a value is one of its choices."""

    def check(value: str) -> str:
        require_one_of(name, value, choices)
        return value

    return check


def evaluate_inbox(
    qrels: _InboxJudgments,
    run_and_measures: Annotated[
        list[str],
        Argument(
            metavar="RUN... [MEASURE...]",
            help="One or more runs of the track or quoted globs; then measures of rankings that may stop, by default all four.",
        ),
    ],
    universe: Annotated[
        str | None,
        Option(
            "-u",
            "--universe",
            metavar="FILE",
            help="What was to be decided: a table file with the columns topic, question and day, or the track's file of topics; by default "
            "only what the judgments name.",
        ),
    ] = None,
    days: _Days = None,
    missing: Annotated[
        str,
        Option(
            "--missing",
            metavar="silent|tied",
            check=_one_of("--missing", "silent", "tied"),
            help="A question that a run lacks on a day is not returned, or returned after all others, tied.",
        ),
    ] = "silent",
    proposed: Annotated[
        str,
        Option(
            "--proposed",
            metavar="keep|drop",
            check=_one_of("--proposed", "keep", "drop"),
            help="What to do with questions that a run proposes.",
        ),
    ] = "keep",
    places: PlacesOption = 4,
    output_format: FormatOption = "table",
    out: Annotated[
        Path | None,
        Option(
            "--out",
            metavar="FILE.parquet",
            check=lambda path: path and file_to_write(path, "file of scores", [".parquet"]),
            help="Instead of printing, write the mean over the units of every topic, for compare --scores and other commands.",
        ),
    ] = None,
) -> None:
    """Score inboxes: which questions have news on a day, and which documents hold it.

    Prints, for each run, the means over the documents of a question on a day, and over the questions of a topic on a day: of all such
    units, of those with an answer, and of those without, on which silence is right.
    """
    from irmx_stream.inbox.inbox_runs import read_inbox_run
    from irmx_stream.inbox.inbox_scores import MEASURES, score_inbox, values_of_topics
    from irmx_stream.inbox.inbox_tables import read_inbox

    paths, measures = runs_and_measures(run_and_measures, "irmx inbox eval QRELS RUN... [MEASURE...]", MEASURES)
    inbox = read_inbox(qrels, universe, days)
    runs = {name: read_inbox_run(path) for name, path in named_runs(paths).items()}
    levels = score_inbox(inbox, runs, measures, missing, proposed)
    if universe is None:
        note("without --universe, silence counts only where the judgments name a question on a day")
    elif inbox.added:
        note(f"{plural(inbox.added, 'unit')} of the judgments, which the universe lacks, count as well")
    of_runs = (levels[0].tied, levels[0].outside)
    for (system, run), tied, outside in zip(runs.items(), *(counts.tolist() for counts in of_runs), strict=True):
        _tell_of_lacking(system, run, inbox)
        if tied:
            note(
                f"{system}: questions have equal ranks on {plural(tied, 'day')} of topics; they are ordered by their ids"
            )
        if outside:
            note(
                f"{system}: {plural(outside, 'question')} shown on days that were not to be decided, where nothing counts"
            )
    if out is not None:
        values_of_topics(levels).to_parquet(out)
        return
    print_rows([row for level in levels for row in level.frame().to_dict("records")], output_format, places=places)


def _tell_of_lacking(system: str, run: InboxRun, inbox: Inbox) -> None:
    """Note on how many days of topics, and on which topics, a run names nothing."""
    lacking = inbox.days_of_topics - run.days
    if lacking:
        note(
            f"{system}: {len(lacking)} of {plural(len(inbox.days_of_topics), 'day')} of topics are not named, on which it counts as silent"
        )
    named = {topic for topic, _ in inbox.days_of_topics & run.days}
    without = [topic for topic in inbox.topics if topic not in named]
    if without:
        note(
            f"{system}: {len(without)} of {plural(len(inbox.topics), 'topic')} are not named at all: {list_some(without, 5)}"
        )


def news_of_inbox(
    qrels: _InboxJudgments,
    runs: Annotated[list[str], Argument(metavar="RUN...", help="One or more runs of the track or quoted globs.")],
    rel: Annotated[float, Option("--rel", help="Smallest gain of a document that is news.")] = 1,
    by_question: Annotated[bool, Option("-q", "--by-question", help="Show every question.")] = False,
    places: PlacesOption = 2,
    output_format: FormatOption = "table",
) -> None:
    """Show how many days pass until the first news of a question is shown.

    Prints, for each run, the questions with news, how many of them it ever shows news of, and the mean days from the first news
    to the first that is shown: of those, and of all, where a question of which nothing is shown waits until the day after the last one judged.
    """
    from irmx_stream.inbox.inbox_runs import read_inbox_run
    from irmx_stream.inbox.inbox_scores import first_news
    from irmx_stream.inbox.inbox_tables import read_inbox

    inbox, rows = read_inbox(qrels), list[dict[str, Any]]()
    for name, path in named_runs(runs).items():
        run = read_inbox_run(path)
        found = first_news(inbox, run, rel)
        _tell_of_lacking(name, run, inbox)
        if by_question:
            rows += [{"system": name, **row} for row in found.to_dict("records")]
            continue
        waits = found["days"].fillna(found["days_left"] + 1)
        shown = int(found["days"].notna().sum())
        means = {"days": found["days"].mean(), "days_or_end": waits.mean()}
        rows.append({"system": name, "questions": len(found), "shown": shown, **means})
    print_rows(rows, output_format, places=places)


def check_inbox(
    run: Annotated[str, Argument(metavar="RUN", help="A run of the track, or a quoted glob that one file matches.")],
    topics: Annotated[
        str | None,
        Option(
            "--topics",
            metavar="FILE",
            help="The track's file of topics, or a table file with the columns topic and question.",
        ),
    ] = None,
    days: _Days = None,
    output_format: FormatOption = "table",
) -> None:
    """Check a run of an inbox before it is submitted.

    Prints what the run holds, or all that is wrong with it, by line, topic and day.
    """
    from irmx_stream.inbox.inbox_checks import checked

    path = matching_file(run)
    rows, faults = checked(path, topics, days)
    if faults:
        listed = "\n".join(faults[:_FAULTS])
        more = f"\n... {len(faults) - _FAULTS} more" if len(faults) > _FAULTS else ""
        raise DataError(f"{path} has {plural(len(faults), 'fault')}:\n{listed}{more}")
    print_rows(rows, output_format)


_FAULTS = 50
"""How many faults are told."""


def demo_inbox(
    folder: Annotated[Path, Argument(metavar="DIR", help="A new folder.")],
    output_format: FormatOption = "table",
) -> None:
    """Write a small inbox that was made up for irmx: 12 topics, 30 questions, 14 days, and the runs of three systems.

    Prints the files. The systems are quiet, complete and noisy.
    """
    from irmx_stream.inbox.inbox_demo import write_inbox

    print_rows([{"file": str(folder / name)} for name in write_inbox(folder)], output_format)
