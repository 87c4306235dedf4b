"""Making irmx measures known to ir_measures, and datasets of plugins to ir_datasets, reversibly."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import ir_measures
from ir_measures import providers

from irmx.adapters.ir_datasets import plugin_datasets
from irmx.adapters.ir_measures.provider import IrmxProvider
from irmx.errors import UnknownNameError, UsageError

PROVIDER = IrmxProvider()
_before: dict[str, Any] = {}
_published: dict[str, Any] = {}
_also: list[tuple[Callable[[], None], Callable[[], None]]] = []


def install() -> None:
    """Make ir_measures score and parse irmx measures; done by ``import irmx``, undone by :func:`uninstall`.

    The provider goes to the end of ``ir_measures.DefaultPipeline.providers``. ``ir_measures.parse_measure`` reads what
    :func:`irmx.parse_measure` does, besides all that it read before; ``ir_measures.parse_trec_measure``, by which PyTerrier
    reads texts, takes the same besides the names of trec_eval. The names of the measures go into ``ir_measures.measures.registry`` when the
    plugins are loaded, at the first use of a name. The datasets of plugins become loadable by ``ir_datasets.load``.
    Calling it twice changes nothing.
    """
    if PROVIDER not in ir_measures.DefaultPipeline.providers:
        ir_measures.DefaultPipeline.providers.append(PROVIDER)
    providers.registry[PROVIDER.NAME] = PROVIDER
    if not _before:
        _before["parse_measure"] = ir_measures.util.parse_measure
        _before["parse_trec_measure"] = ir_measures.parse_trec_measure
        publish(_published)
    ir_measures.parse_measure = ir_measures.util.parse_measure = _parse_measure
    ir_measures.parse_trec_measure = _parse_trec_measure
    for put_in, _ in _also:
        put_in()
    plugin_datasets.install()


def uninstall() -> None:
    """Put ir_measures back as it was before ``import irmx``, and let ir_datasets load no more datasets of plugins.

    :func:`install` makes irmx known again.
    """
    plugin_datasets.uninstall()
    if PROVIDER in ir_measures.DefaultPipeline.providers:
        ir_measures.DefaultPipeline.providers.remove(PROVIDER)
    providers.registry.pop(PROVIDER.NAME, None)
    for name, measure in list(ir_measures.measures.registry.items()):
        if PROVIDER.supports_class(measure):
            del ir_measures.measures.registry[name]
    if _before:
        ir_measures.parse_measure = ir_measures.util.parse_measure = _before.pop("parse_measure")
        ir_measures.parse_trec_measure = _before.pop("parse_trec_measure")
    for _, take_out in _also:
        take_out()


def also(put_in: Callable[[], None], take_out: Callable[[], None]) -> None:
    """Do more at every install and uninstall, from now on; both must do no harm when called twice."""
    _also.append((put_in, take_out))
    if _before:
        put_in()


def publish(measures: dict[str, Any]) -> None:
    """Put the names of measures into ir_measures' registry, while irmx is installed there."""
    _published.update(measures)
    if _before:
        for name, measure in measures.items():
            ir_measures.measures.registry.setdefault(name, measure)


def unpublish(name: str) -> None:
    """Take the name of a measure out of ir_measures' registry again."""
    if name in _published:
        del _published[name]
        ir_measures.measures.registry.pop(name, None)


def name_taken(name: str) -> str:
    """Return ``"ir_measures"`` where it has a measure of a name itself; empty otherwise."""
    measure = ir_measures.measures.registry.get(name)
    return "" if measure is None or PROVIDER.supports_class(measure) else "ir_measures"


def _parse_measure(measure: Any) -> ir_measures.Measure:
    """Parse as :func:`irmx.parse_measure` does; what it refuses, such as ``P`` still without a cutoff, as ir_measures did."""
    from irmx.declare.expressions import parse_measure

    try:
        return parse_measure(measure)
    except UsageError:
        found = _parsed_before(measure)
        if found is None:
            raise
        return found


def _parsed_before(measure: Any) -> ir_measures.Measure | None:
    """Return the measure of ir_measures that its own parser finds, if any."""
    try:
        with warnings.catch_warnings():  # of what it uses of Python that is to go
            warnings.simplefilter("ignore")
            found: ir_measures.Measure = _before["parse_measure"](measure)
    except Exception:
        return None
    return None if PROVIDER.supports_class(found) else found


def _parse_trec_measure(measure: str) -> list[ir_measures.Measure]:
    """Parse a measure as trec_eval names it; what ir_measures does not know, as :func:`irmx.parse_measures` does."""
    try:
        found: list[ir_measures.Measure] = ir_measures.util.parse_trec_measure(measure)
        return found
    except ValueError as error:
        from irmx.declare.expressions import measures_named

        try:
            return measures_named(measure.strip())
        except UnknownNameError as unknown:
            raise unknown from error
