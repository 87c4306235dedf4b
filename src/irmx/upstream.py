"""Making irmx measures known to ir_measures, reversibly."""

from __future__ import annotations

from typing import Any

import ir_measures
from ir_measures import providers

from irmx.provider import IrmxProvider

PROVIDER = IrmxProvider()
_before: dict[str, Any] = {}
_published: dict[str, Any] = {}


def install() -> None:
    """Make ir_measures score and parse irmx measures; done by ``import irmx``, undone by :func:`uninstall`.

    The provider goes to the end of ``ir_measures.DefaultPipeline.providers``, and ``ir_measures.parse_measure``
    becomes :func:`irmx.parse_measure`. The names of the measures go into ``ir_measures.measures.registry`` when the
    plugins are loaded, at the first use of a name. Calling it twice changes nothing.
    """
    if PROVIDER not in ir_measures.DefaultPipeline.providers:
        ir_measures.DefaultPipeline.providers.append(PROVIDER)
    providers.registry[PROVIDER.NAME] = PROVIDER
    if not _before:
        _before["parse_measure"] = ir_measures.util.parse_measure
        publish(_published)
    ir_measures.parse_measure = ir_measures.util.parse_measure = _parse_measure


def uninstall() -> None:
    """Put ir_measures back as it was before ``import irmx``; :func:`install` makes irmx known again."""
    if PROVIDER in ir_measures.DefaultPipeline.providers:
        ir_measures.DefaultPipeline.providers.remove(PROVIDER)
    providers.registry.pop(PROVIDER.NAME, None)
    for name, measure in list(ir_measures.measures.registry.items()):
        if PROVIDER.supports_class(measure):
            del ir_measures.measures.registry[name]
    if _before:
        ir_measures.parse_measure = ir_measures.util.parse_measure = _before.pop("parse_measure")


def publish(measures: dict[str, Any]) -> None:
    """Put the names of measures into ir_measures' registry, while irmx is installed there."""
    _published.update(measures)
    if _before:
        for name, measure in measures.items():
            ir_measures.measures.registry.setdefault(name, measure)


def _parse_measure(measure: Any) -> ir_measures.Measure:
    """Parse a measure of ir_measures or of an irmx plugin; see :func:`irmx.parse_measure`."""
    from irmx.expressions import parse_measure

    return parse_measure(measure)
