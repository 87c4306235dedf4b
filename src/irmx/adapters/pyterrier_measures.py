"""The measures and named objects of plugins in ``pyterrier.measures``, looked up when they are first asked for.

The module ``pyterrier.measures`` gets a ``__getattr__`` and a ``__dir__`` (PEP 562). Because a star import asks for
``__all__`` by the same way, it loads the plugins, and a plain ``import pyterrier`` does not.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

from irmx.errors import PluginWarning

_MODULE = "pyterrier.measures"


def extend() -> None:
    """Let ``pyterrier.measures`` know the names of plugins; calling it twice changes nothing.

    Warns
    -----
    irmx.PluginWarning
        If the module is not as irmx expects it, so that the names are not there.
    """
    try:
        there = vars(import_module(_MODULE))
        for name in (*_HOOKS, "__all__"):
            if name in there and there[name] is not _HOOKS.get(name):
                raise TypeError(f"it has {name} of its own, which this version of irmx does not expect")
    except Exception as error:
        warnings.warn(
            f"The measures of irmx are not in {_MODULE}: {error}. Take them from irmx: import irmx; irmx.MP.",
            PluginWarning,
            stacklevel=2,
        )
    else:
        there.update(_HOOKS)


def restore() -> None:
    """Let ``pyterrier.measures`` know only the measures of ir_measures."""
    from irmx.adapters.ir_measures import PROVIDER

    there = vars(import_module(_MODULE))
    ours = [name for name, hook in _HOOKS.items() if there.get(name) is hook]
    ours += [name for name, v in there.items() if PROVIDER.supports_class(v) and name in (v.NAME, *v.ALIASES)]
    for name in ours:
        del there[name]


def _starred() -> list[str]:
    """Return what a star import takes: what it would without irmx, all measures, and objects whose name has a capital first.

    Others, such as the stopping law ``first``, would get in the way of a user's own names.
    """
    from irmx.registry import registry

    measures = registry().measures(aliases=True)
    named = [name for name, obj in registry().attributes().items() if obj is measures.get(name) or name[0].isupper()]
    names = dict.fromkeys([*vars(import_module(_MODULE)), *named])
    return [name for name in names if not name.startswith("_")]


def _attribute(name: str) -> Any:
    if name == "__all__":
        return _starred()
    if name.startswith("_"):  # Python asks for such names on its own; no plugin is loaded for them
        raise AttributeError(f"module {_MODULE!r} has no attribute {name!r}", name=name)
    from irmx.registry import registry

    named = registry().attributes()
    if name not in named:
        raise AttributeError(registry().missing_attribute_message(_MODULE, name), name=name)
    return named[name]


def _names() -> list[str]:
    from irmx.registry import registry

    return sorted({*vars(import_module(_MODULE)), *registry().attributes()})


_HOOKS: dict[str, Callable[..., Any]] = {"__getattr__": _attribute, "__dir__": _names}
