"""The format ``inbox``: runs and judgments of an inbox for all commands, on one of its levels."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from irmx import DataWarning, Format, Param
from irmx.toolkit import plural
from irmx_stream.columns import DAYS_ASKED, DAYS_NAMED
from irmx_stream.inbox.inbox_levels import (
    LEVELS,
    NUGGETS,
    documents_of,
    documents_shown,
    questions_of,
    questions_shown,
    stream_of,
    text_of_days,
    updates_shown,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from irmx import Table


class InboxFiles(Format):
    """Runs and judgments of an inbox, whose topics are its units; or, with ``level=updates``, those of a stream."""

    NAME = "inbox"
    SHORT_DESC = (
        "TREC Change Detection: runs in JSON Lines with a runtag, and judgments, a table with topic, question, day, document and gain; "
        "topics are units such as T1/Q3/2021-08-01"
    )
    EXAMPLES = ("inbox:run.jsonl", "inbox(level=questions):run.jsonl", "inbox(level=updates):judgments.tsv")
    SUPPORTED_PARAMS = {
        "level": Param(
            str,
            "what is ranked: the documents of a question on a day, the questions of a topic on a day, or, as a stream, the updates of a "
            "topic",
            default="documents",
            choices=LEVELS,
        ),
        "nugget": Param(
            str,
            "with level=updates: what a reader gains once, each relevant document or each question with news on a day",
            default="document",
            choices=NUGGETS,
        ),
        "universe": Param(
            str, "of judgments: the file that says what was to be decided, if not only what is judged", default=None
        ),
    }
    SIGNS = {
        "run": (rb"\{", rb'"run_?tag"\s*:|"(?:doc|question)[-_]rank(?:ing)?"\s*:'),
        "qrels": (
            rb"(?i)\{[^{}]*\"(?:question|qid|question_id)\"\s*:|[^\n{]*\b(?:question|qid|question_id)\b",
            rb"(?i)\A[^\n]*\b(?:day|date)\b",
            rb"(?i)\A[^\n]*\b(?:topic|tid|topic_id)\b",
        ),
    }

    def read(self, table: str, path: Path, content: bytes) -> pa.Table | Table:
        if table == "run":
            from irmx_stream.inbox.inbox_runs import whole_run

            run = whole_run(str(path), content)
            if not run.question:  # of others, measures tell which days are not named
                days = f"{plural(len(run.days), 'day')} of topics that it names, such as {'/'.join(min(run.days))}"
                warnings.warn(f"{path} shows nothing on the {days}.", DataWarning, stacklevel=2)
            shown = {"documents": documents_shown, "questions": questions_shown, "updates": updates_shown}
            rows = shown[self["level"]](run, np.ones(len(run), dtype=bool))
            if self["level"] == "updates":
                return rows
            return rows.append_column(DAYS_NAMED.name, text_of_days(run.days, len(rows)))
        from irmx_stream.inbox.inbox_tables import read_inbox

        inbox = read_inbox(path, self["universe"])
        if self["level"] == "updates":
            return stream_of(inbox, self["nugget"])
        judgments = (documents_of if self["level"] == "documents" else questions_of)(inbox).table
        return judgments.with_column(DAYS_ASKED.name, text_of_days(inbox.days_of_topics, len(judgments)))
