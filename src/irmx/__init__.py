"""irmx: user-model-based evaluation measures, as plugins, beside those of ir_measures.

Importing it makes the measures of all installed plugins known to ir_measures; :func:`uninstall` undoes this.
Registered measures are attributes of this module, ``irmx.MP``, as are functions that plugins offer, ``irmx.compare``; named objects are those of :mod:`irmx.symbols`. What plugins share
beyond measures is in :mod:`irmx.toolkit`. Everything is imported when it is first used, modules such as :mod:`irmx.pt` included, so that ``import irmx`` stays fast; the public names are
listed in ``__init__.pyi``.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import lazy_loader

from irmx.adapters import ir_measures as _ir_measures
from irmx.registry import Registry, connect, registry

_public, _, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ = sorted({*__all__, "registry"})


def __getattr__(name: str) -> Any:
    if name in __all__:
        return _public(name)
    if name == "__version__":
        from importlib.metadata import version

        return version("irmx")
    if name in _modules():
        return import_module(f"irmx.{name}")
    if name.startswith("_") or name in _own_names():
        raise AttributeError(f"module 'irmx' has no attribute {name!r}")
    attributes = registry().attributes()
    if name not in attributes and name in registry().functions():
        return registry().functions()[name].load()
    if name not in attributes:
        raise AttributeError(registry().missing_attribute_message("irmx", name))
    return attributes[name]


def __dir__() -> list[str]:
    """Return the public names, the measures, and functions of plugins; named objects are in :mod:`irmx.symbols`."""
    return sorted(
        {*__all__, *registry().attributes(), *registry().functions()} - {*import_module("irmx.symbols").__dir__()}
    )


@cache
def _modules() -> set[str]:
    return {module.name for module in iter_modules(__path__)}


@cache
def _own_names() -> set[str]:
    """Return the attributes that irmx has without plugins."""
    return {*__all__, *_modules()}


def _discover(store: Registry) -> None:
    from irmx.cli import app, output_formats
    from irmx.plugin import discovery

    discovery.discover(store, (discovery, app, output_formats), _own_names())


connect(_discover, _ir_measures.publish, _ir_measures.unpublish, _ir_measures.name_taken)
_ir_measures.install()
