"""The columns that diversity measures read."""

from irmx import Column, SampleValues

_DAY = 86400
_DOCUMENT = ("query_id", "doc_id")

SUBTOPIC = Column(
    "qrels",
    "iteration",
    "subtopic or nugget id",
    dtype="str",
    how="use qrels with one row per document and subtopic, such as those of a diversity track",
)
TIMESTAMP = Column(
    "qrels",
    "timestamp",
    "time at which the nugget was first known; for documents: their date",
    unit="s since 1970; dates are accepted",
    how="add the dates of the documents, or, for a dataset whose documents have dates, load the qrels with "
    "irmx.collections.judgments(id, columns=['timestamp'])",
    sample=SampleValues(range(0, 71 * _DAY, _DAY), _DOCUMENT),
)
WINDOW = Column(
    "qrels",
    "window",
    "label of the document's time window",
    dtype="str",
    how="add it, or cut windows from the dates in 'timestamp' with the parameter window, such as window='1mo'",
    instead="timestamp",
    sample=SampleValues(("w1", "w2"), _DOCUMENT),
)
SUBTOPIC_WEIGHT = Column(
    "qrels",
    "subtopic_weight",
    "P(c|q), the weight of the subtopic",
    optional=True,
    sample=SampleValues(range(1, 5), ("query_id", "iteration"), shares=True),
)
WINDOW_WEIGHT = Column(
    "qrels",
    "window_weight",
    "P(t|q), the weight of the document's time window",
    optional=True,
    sample=SampleValues(range(1, 5), ("query_id", "window"), shares=True),
)
