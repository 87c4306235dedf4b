"""The columns that measures of streams read."""

from irmx import Column

TIMESTAMP = Column(
    "run",
    "timestamp",
    "when the update was emitted",
    unit="s, same origin as in the qrels",
    how="give a run of the Temporal Summarization track, or a table with this column",
)
LENGTH = Column(
    "run",
    "length",
    "words of the update to read",
    unit="words",
    how="give a table with this column, or qrels that have it",
    optional=True,
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
    "nugget: when it was first known; document: its date",
    unit="s since 1970; dates are accepted",
    how="give the folder of the track's files as tst:FOLDER, or a table with this column",
)
QUERY_START = Column(
    "qrels",
    "query_start",
    "when the topic's time window starts",
    unit="s",
    how="give the folder of the track's files, with the topics, as tst:FOLDER, or a table with this column",
)
QUERY_END = Column(
    "qrels",
    "query_end",
    "when the topic's time window ends",
    unit="s",
    how="give the folder of the track's files, with the topics, as tst:FOLDER, or a table with this column",
)
JUDGED_LENGTH = Column(
    "qrels", "length", "words of the judged update, where the run does not tell", unit="words", optional=True
)
POOLED = Column(
    "qrels",
    "pooled",
    "1: the update stood in the pool, or copies one that did by the pool's own record; 0: a near-duplicate found later",
    optional=True,
)
IMPORTANCE = Column(
    "qrels",
    "importance",
    "importance of the nugget, 0 to 3",
    how="give the track's nuggets, or a table with this column",
)
NUGGET_LENGTH = Column(
    "qrels",
    "nugget_length",
    "length of the nugget",
    unit="words",
    how="give the track's nuggets, or a table with this column",
)
MATCH_START = Column(
    "qrels",
    "match_start",
    "first word of the update that holds the nugget, from 0",
    unit="words",
    how="give the track's matches, or a table with this column",
)
MATCH_END = Column(
    "qrels",
    "match_end",
    "the word after the last one that holds the nugget",
    unit="words",
    how="give the track's matches, or a table with this column",
)
