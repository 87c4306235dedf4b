"""irmx in PyTerrier, where it is ``pt.irmx``: its measures in ``pyterrier.measures``, and columns for pipelines.

PyTerrier imports this module itself, through the entry point ``irmx`` in the group ``pyterrier.modules``. From then on
``from pyterrier.measures import *`` has the measures of all installed plugins and their named objects, such as ``MP`` and
``GL_AD_ID``, next to ``AP`` and ``nDCG``. The plugins are loaded when the first of these names is used.

``column`` makes a transformer that gives the results of a pipeline a column which a measure reads; ``qrels`` gives judgments
with columns as PyTerrier takes them.

Examples
--------
>>> import pyterrier as pt
>>> from pyterrier.measures import AP, GL_AD_ID, MP
>>> qrels = pt.new.queries(["harbour"]).assign(docno="d2", label=1)
>>> results = pt.new.ranked_documents([[2.0, 1.0]], docno=[["d1", "d2"]])
>>> pt.Evaluate(results, qrels, [MP(model=GL_AD_ID), AP])
{'MP(model=GL_AD_ID)': 0.5, 'AP': 0.5}
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from irmx.adapters.ir_measures import also

try:
    import pyterrier  # noqa: F401
except ModuleNotFoundError as error:
    if error.name != "pyterrier":
        raise
    raise ModuleNotFoundError(
        "irmx.pt needs PyTerrier. To get it: python -m pip install pyterrier.", name="pyterrier"
    ) from None

from irmx.adapters.pyterrier_measures import extend, restore

if TYPE_CHECKING:
    from irmx.adapters.pyterrier import DocumentColumn, column, qrels

_MODULE_OF = {
    "DocumentColumn": "irmx.adapters.pyterrier",
    "column": "irmx.adapters.pyterrier",
    "qrels": "irmx.adapters.pyterrier",
}

__all__ = ["DocumentColumn", "column", "qrels"]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'irmx.pt' has no attribute {name!r}")
    value = getattr(import_module(_MODULE_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


also(extend, restore)
