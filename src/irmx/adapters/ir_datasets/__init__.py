"""Collections through ir_datasets, in both directions: ids to qrels, and plugins' datasets to ids.

Columns that the qrels of a dataset lack, such as dates, are looked up in the documents where a :class:`irmx.Field` says
which field of theirs gives it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
