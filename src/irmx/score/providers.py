"""The providers of ir_measures that compute a measure, and how to install them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ir_measures

from irmx.declare.expressions import upstream
from irmx.declare.measures import Measure
from irmx.errors import UsageError


def not_installed(measure: ir_measures.Measure) -> str:
    """Return the provider that a measure needs, whatever its parameters, and how to install it; empty if it is installed.

    >>> not_installed(ir_measures.AP)
    ''
    """
    return _missing(lambda provider: any(measure.NAME == one.NAME for one in provider.SUPPORTED_MEASURES))


def provider_of(measure: ir_measures.Measure) -> Any:
    """Return the provider that computes a measure by default; None if none does.

    >>> provider_of(ir_measures.AP).NAME, provider_of(ir_measures.AP(rel=2) @ 5).NAME, provider_of(ir_measures.ERR)
    ('pytrec_eval', 'pytrec_eval', None)
    """
    return next((p for p in _providers() if p.supports(measure) and p.is_available()), None)


def checked(measure: ir_measures.Measure) -> ir_measures.Measure:
    """Return a measure of ir_measures with floats where it has whole numbers for floats; a measure of irmx unchanged.

    Raises
    ------
    irmx.errors.UsageError
        If a parameter is missing, or has a value of another type; ir_measures would say so in an assertion.
    """
    if isinstance(measure, Measure):
        return measure
    try:
        return upstream(type(measure)(), dict(measure.params), for_scorer=False)
    except UsageError as error:
        raise UsageError(f"No provider of ir_measures computes {measure}: {error}") from None


def unsupported(measures: list[ir_measures.Measure]) -> str:
    """Return the message about measures that no installed provider of ir_measures computes; empty if there are none."""
    return "\n".join(_why_not(m) for m in measures if not ir_measures.DefaultPipeline.supports(m))


def _why_not(measure: ir_measures.Measure) -> str:
    missing = _missing(lambda provider: provider.supports(measure))
    if missing:
        return f"{measure} needs the provider {missing}."
    if "rel" in measure.SUPPORTED_PARAMS and "rel" not in measure.params:
        binary = measure(rel=1)
        if any(provider.supports(binary) for provider in _providers()):
            return (
                f"ir_measures does not compute {measure}. Without rel the measure is graded: every grade needs a gain between "
                "0 and 1, which none of the default providers of ir_measures takes. With rel it is binary: "
                f"{binary} gives a document of grade 1 or more the gain 1, and every other document 0."
            )
    return f"ir_measures does not compute {measure}: no provider supports it with these parameters."


def _providers() -> list[Any]:
    found: list[Any] = ir_measures.DefaultPipeline.providers
    return found


def _missing(computes: Callable[[Any], bool]) -> str:
    """Return the providers that could compute a measure, and how to install them; empty if one is installed."""
    able = [provider for provider in _providers() if computes(provider)]
    if any(provider.is_available() for provider in able):
        return ""
    return ", or ".join(f"{p.NAME}, which is not installed: {p.install_instructions()}" for p in able)
