"""The columns that stream measures read."""

from irmx import Column, SampleValues

_DAY = 86400
_TOPIC, _UPDATE, _NUGGET = ("query_id",), ("query_id", "doc_id"), ("query_id", "iteration")
_LENGTHS = SampleValues(range(8, 61), _UPDATE)
_STARTS, _ENDS = SampleValues(range(4)), SampleValues(range(4, 9))
_NUGGET_LENGTHS = SampleValues(range(1, 10), _NUGGET)

TIMESTAMP = Column(
    "run",
    "timestamp",
    "time at which the update was emitted",
    unit="s, same origin as in the qrels",
    how="give a run of the Temporal Summarization track, or a table with this column",
    sample=SampleValues(range(0, 9 * _DAY, _DAY), orders=True),
)
LENGTH = Column(
    "run",
    "length",
    "length of the update",
    unit="words",
    how="give a table with this column, or qrels that have it",
    optional=True,
    sample=_LENGTHS,
)
NUGGET = Column(
    "qrels",
    "iteration",
    "subtopic or nugget id",
    dtype="str",
    how="give the folder of the track's files as tst:FOLDER, or a table with this column",
)
NUGGET_TIME = Column(
    "qrels",
    "timestamp",
    "time at which the nugget was first known; for documents: their date",
    unit="s since 1970; dates are accepted",
    how="give the folder of the track's files as tst:FOLDER, or a table with this column",
    sample=SampleValues(range(8 * _DAY + 1), _NUGGET),
)
QUERY_START = Column(
    "qrels",
    "query_start",
    "start of the topic's time window",
    unit="s",
    how="give the folder of the track's files, with the topics, as tst:FOLDER, or a table with this column",
    sample=SampleValues(range(_DAY + 1), _TOPIC),
)
QUERY_END = Column(
    "qrels",
    "query_end",
    "end of the topic's time window",
    unit="s",
    how="give the folder of the track's files, with the topics, as tst:FOLDER, or a table with this column",
    sample=SampleValues(range(5 * _DAY, 9 * _DAY + 1), _TOPIC),
)
JUDGED_LENGTH = Column(
    "qrels",
    "length",
    "length of the judged update, which counts where the run has another",
    unit="words",
    optional=True,
    sample=_LENGTHS,
)
ORIGINAL_LENGTH = Column(
    "qrels",
    "original_length",
    "length of the update that a near-duplicate copies, to whose text its matches refer",
    unit="words",
    optional=True,
    sample=_LENGTHS,
)
REPLACED = Column(
    "qrels",
    "replaced",
    "1: a near-duplicate's own match, which the track replaces by those of its original; 0: any other",
    optional=True,
    sample=SampleValues((0, 0, 0, 1)),
)
POOLED = Column(
    "qrels",
    "pooled",
    "1: the update was in the pool, or copies one that was, according to the pool; 0: a near-duplicate found later",
    optional=True,
    sample=SampleValues((1, 1, 1, 0), _UPDATE),
)
IMPORTANCE = Column(
    "qrels",
    "importance",
    "importance of the nugget, 0 to 3",
    how="give the track's nuggets, or a table with this column",
    sample=SampleValues(range(4), _NUGGET),
)
NUGGET_LENGTH = Column(
    "qrels",
    "nugget_length",
    "length of the nugget",
    unit="words",
    how="give the track's nuggets, or a table with this column",
    sample=_NUGGET_LENGTHS,
)
MATCH_START = Column(
    "qrels",
    "match_start",
    "first word of the update that holds the nugget, from 0",
    unit="words",
    how="give the track's matches, or a table with this column",
    sample=_STARTS,
)
MATCH_END = Column(
    "qrels",
    "match_end",
    "the word after the last one that holds the nugget",
    unit="words",
    how="give the track's matches, or a table with this column",
    sample=_ENDS,
)


def _of_the_track(column: Column, unit_of: str) -> Column:
    """Return the column that replaces another with ``words='track'``."""
    return Column(
        "qrels",
        f"track_{column.name}",
        f"{unit_of}, as the track's script counts words: by blanks",
        unit="words",
        how="give the folder of the track's files as tst:FOLDER, or a table with this column, or use words='white_space'",
        sample=column.sample,
    )


TRACK_COLUMNS = {
    NUGGET_LENGTH: _of_the_track(NUGGET_LENGTH, "length of the nugget"),
    MATCH_START: _of_the_track(MATCH_START, "first word of the match"),
    MATCH_END: _of_the_track(MATCH_END, "the word after the last one of the match"),
    JUDGED_LENGTH: _of_the_track(JUDGED_LENGTH, "length of the judged update, of its original for a near-duplicate"),
}
"""The columns of words, and those that replace them with ``words='track'``."""

DAYS_NAMED = Column(
    "run",
    "days_named",
    "the days of topics that a run of an inbox names, one a line, in the first row",
    dtype="str",
    optional=True,
    sample=SampleValues(("T1/2021-08-01",)),
)
DAYS_ASKED = Column(
    "qrels",
    "days_asked",
    "the days of topics on which something was to be decided, one a line, in the first row",
    dtype="str",
    optional=True,
    sample=SampleValues(("T1/2021-08-01",)),
)
"""What tells a run that is silent on a day from one that lacks it, which no ranking says."""
