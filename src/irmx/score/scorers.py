"""Which measure of a plugin computes a measure: itself, or a scorer of a measure of ir_measures."""

from __future__ import annotations

import ir_measures

from irmx.declare.declared import refuse_broken
from irmx.declare.measures import Measure
from irmx.registry import registry


def scorer_of(measure: ir_measures.Measure) -> Measure | None:
    """Return the measure that computes another from rankings; None if only a provider of ir_measures can.

    A measure of irmx computes itself. For a measure of ir_measures, a plugin may have a scorer of its name
    (:func:`irmx.hookspecs.irmx_scorers`), which computes it if it has all of its parameters.

    Raises
    ------
    irmx.errors.UsageError
        If the scorer refuses the value of a parameter.
    irmx.errors.PluginError
        If the class of a measure of irmx declares what it must not.
    """
    if isinstance(measure, Measure):
        refuse_broken(measure)
        return measure
    scorer: Measure | None = registry().scorer(str(measure.NAME))
    if scorer is None or not measure.params.keys() <= scorer.SUPPORTED_PARAMS.keys():
        return None
    with_params: Measure = scorer(**measure.params)
    return with_params
