"""Making irmx measures known to ir_measures, reversibly."""

from __future__ import annotations

from typing import Any

import ir_measures
from ir_measures import providers

from irmx.expressions import parse_measure
from irmx.plugins import registry
from irmx.provider import IrmxProvider

PROVIDER = IrmxProvider()
_before: dict[str, Any] = {}


def install() -> None:
    """Make ir_measures score and parse irmx measures; done by ``import irmx``, undone by :func:`uninstall`.

    The provider goes to the end of ``ir_measures.DefaultPipeline.providers``, the measures' names into
    ``ir_measures.measures.registry``, and ``ir_measures.parse_measure`` becomes :func:`irmx.parse_measure`.
    Calling it twice changes nothing.
    """
    if PROVIDER not in ir_measures.DefaultPipeline.providers:
        ir_measures.DefaultPipeline.providers.append(PROVIDER)
    providers.registry[PROVIDER.NAME] = PROVIDER
    for name, measure in registry().measures().items():
        ir_measures.measures.registry.setdefault(name, measure)
    if not _before:
        _before["parse_measure"] = ir_measures.util.parse_measure
    ir_measures.parse_measure = ir_measures.util.parse_measure = parse_measure


def uninstall() -> None:
    """Put ir_measures back as it was before ``import irmx``; :func:`install` makes irmx known again."""
    if PROVIDER in ir_measures.DefaultPipeline.providers:
        ir_measures.DefaultPipeline.providers.remove(PROVIDER)
    providers.registry.pop(PROVIDER.NAME, None)
    for name, measure in registry().measures().items():
        if ir_measures.measures.registry.get(name) is measure:
            del ir_measures.measures.registry[name]
    if _before:
        ir_measures.parse_measure = ir_measures.util.parse_measure = _before.pop("parse_measure")
