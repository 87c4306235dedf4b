"""The named objects of all installed plugins, such as the user models of Markov Precision, by name.

>>> import irmx.symbols
>>> irmx.symbols.GL_AD_ID
GL_AD_ID

A name that symbols of two kinds share is none of its attributes; an expression knows which is meant by the parameter.
"""

from __future__ import annotations

from typing import Any

from irmx.declare.columns import Symbol
from irmx.registry import registry


def __getattr__(name: str) -> Any:
    if name.startswith("__") or name not in _symbols():
        raise AttributeError(registry().missing_attribute_message(__name__, name))
    return _symbols()[name]


def __dir__() -> list[str]:
    return sorted(_symbols())


def _symbols() -> dict[str, Any]:
    return {name: value for name, value in registry().attributes().items() if isinstance(value, Symbol)}
