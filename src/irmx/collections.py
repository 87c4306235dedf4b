"""Collections through ir_datasets, in both directions: ids to qrels, and plugins' datasets to ids.

Columns that the qrels of a dataset lack, such as dates, are looked up in the documents where a :class:`irmx.Field` says
which field of theirs gives it.
"""

from __future__ import annotations

from irmx.adapters.ir_datasets import Dataset, Field, dataset, judgments, judgments_with, qrels_table

__all__ = ["Dataset", "Field", "dataset", "judgments", "judgments_with", "qrels_table"]


def __dir__() -> list[str]:
    return sorted(__all__)
