"""irmx: user-model-based evaluation measures, as plugins, beside those of ir_measures.

Importing it makes the measures of all installed plugins known to ir_measures; :func:`uninstall` undoes this.
Registered measures and named objects are attributes of this module: ``irmx.MP``, ``irmx.GL_AD_ID``. Everything is
imported when it is first used, so that ``import irmx`` stays fast; the public names are listed in ``__init__.pyi``.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import lazy_loader

from irmx.adapters.ir_measures import install as _ir_measures
from irmx.registry import Registry, connect, registry

_OTHER_NAMES = {"collections": "irmx.adapters.ir_datasets", "pt": "irmx.adapters.pyterrier"}

_public, _, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ = sorted({*__all__, "registry"} - {"ir_datasets", "pyterrier"})


def __getattr__(name: str) -> Any:
    if name in __all__:
        return _public(name)
    if name == "__version__":
        from importlib.metadata import version

        return version("irmx")
    if name in _OTHER_NAMES:
        return import_module(_OTHER_NAMES[name])
    if not name.startswith("_") and find_spec(f"irmx.{name}") is None:
        for table in (registry().measures(aliases=True), registry().symbols()):
            if name in table:
                return table[name]
    raise AttributeError(f"module 'irmx' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *registry().measures(), *registry().symbols()})


def _discover(store: Registry) -> None:
    import_module("irmx.plugin.discovery").discover(store)


connect(_discover, _ir_measures.publish, _ir_measures.unpublish, _ir_measures.name_taken)
_ir_measures.install()
