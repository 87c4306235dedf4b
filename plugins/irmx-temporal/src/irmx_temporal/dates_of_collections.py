"""The fields that hold the dates of documents in collections of ir_datasets."""

from irmx import Field
from irmx_temporal.diversity_columns import TIMESTAMP

_DATES = {
    "tweets2013-ia": ("created_at", "twitter"),
    "wapo": ("published_date", "milliseconds"),
    "cord19": ("date", "iso"),
    "hc4": ("time", "iso"),
    "neuclir": ("time", "iso"),
    "c4": ("timestamp", "iso"),
    "clueweb09": ("date", "warc"),
    "clueweb12": ("date", "warc"),
    "longeval-web": ("last_updated_at", "seconds"),
    "longeval-sci": ("publishedDate", "iso"),
    "longeval-sci-2026": ("publishedDate", "iso"),
}
"""Date fields and their formats by dataset, with the field names of ir_datasets 0.6.3 and ir-datasets-longeval 0.0.15."""

FIELDS = [Field(dataset, TIMESTAMP.name, field, form) for dataset, (field, form) in _DATES.items()]
