"""Collections through ir_datasets, in both directions: ids to qrels, and plugins' datasets to ids.

Columns that the qrels of a dataset lack, such as dates, are looked up in the documents where a :class:`irmx.Field` says
which field of theirs gives it.
"""

from irmx.collections.datasets import Dataset, dataset, qrels_table
from irmx.collections.fields import Field
from irmx.collections.joining import how_to_have, judgments, judgments_with

__all__ = ["Dataset", "Field", "dataset", "how_to_have", "judgments", "judgments_with", "qrels_table"]
