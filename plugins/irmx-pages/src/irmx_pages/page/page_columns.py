"""The columns that measures of pages read."""

from irmx import Column, SampleValues

_VERTICALS = ("web", "news", "images")
_MEDIA = ("text", "image", "video")

VERTICAL = Column(
    "run",
    "vertical",
    "the vertical an item comes from; general web is 'web'",
    dtype="str",
    how="say of every item of the run from which vertical it comes",
    sample=SampleValues(_VERTICALS, alone=("web",)),
)
MEDIA = Column(
    "run",
    "media",
    "media type of the item; by default from the name of its vertical",
    dtype="str",
    optional=True,
    sample=SampleValues(_MEDIA),
)
BLOCK = Column(
    "run", "block", "label of the block of the page that the item stands in; within a topic", dtype="str", optional=True
)
JUDGED_VERTICAL = Column(
    "qrels",
    "vertical",
    "the judged document's vertical; general web is 'web'",
    dtype="str",
    how="say of every judged document from which vertical it comes; a row with an empty doc_id declares a vertical of which "
    "nothing was judged",
    sample=SampleValues(_VERTICALS, per=("query_id", "doc_id")),
)
ORIENTATION = Column(
    "qrels",
    "orientation",
    "orient(V|W,q), how likely users prefer the vertical to the web for the topic, in [0, 1]",
    how="give the orientation of every vertical of every topic; web needs none, it has 0.5",
    sample=SampleValues((0.0, 0.25, 0.5, 1.0), per=("query_id", "vertical")),
)
JUDGED_MEDIA = Column(
    "qrels",
    "media",
    "media type of the items of the vertical; by default from its name",
    dtype="str",
    optional=True,
    sample=SampleValues(_MEDIA, per=("query_id", "vertical")),
)
