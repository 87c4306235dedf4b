"""The columns that measures of pages read."""

from irmx import Column, SampleValues

_VERTICALS = ("web", "news", "images")
_MEDIA = ("text", "image", "video")

VERTICAL = Column(
    "run",
    "vertical",
    "vertical that the item comes from; general web is 'web'",
    dtype="str",
    how="add it to the run, with the vertical of every item",
    sample=SampleValues(_VERTICALS, alone=("web",)),
)
MEDIA = Column(
    "run",
    "media",
    "media type of the item; by default derived from the name of its vertical",
    dtype="str",
    optional=True,
    sample=SampleValues(_MEDIA),
)
BLOCK = Column(
    "run", "block", "label of the block that contains the item, unique within a topic", dtype="str", optional=True
)
JUDGED_VERTICAL = Column(
    "qrels",
    "vertical",
    "vertical of the judged document; general web is 'web'",
    dtype="str",
    how="add it to the qrels, with the vertical of every judged document; a row with an empty doc_id declares a vertical "
    "without judged documents",
    sample=SampleValues(_VERTICALS, per=("query_id", "doc_id")),
)
ORIENTATION = Column(
    "qrels",
    "orientation",
    "orient(V|W,q), the probability that users prefer the vertical to the web for the topic, in [0, 1]",
    how="add the orientation of every vertical of every topic; the web needs none, its orientation is 0.5",
    sample=SampleValues((0.0, 0.25, 0.5, 1.0), per=("query_id", "vertical")),
)
JUDGED_MEDIA = Column(
    "qrels",
    "media",
    "media type of the items of the vertical; by default derived from its name",
    dtype="str",
    optional=True,
    sample=SampleValues(_MEDIA, per=("query_id", "vertical")),
)
