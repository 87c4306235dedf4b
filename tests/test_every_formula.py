"""Every measure of the installed plugins, and every scorer of a measure of ir_measures, states its formula in full."""

import pytest

import irmx
from irmx import Symbol, registry
from irmx.declare.formula import Formula

SCORERS = [scorer for name in sorted(registry().scorers()) if (scorer := registry().scorer(name)) is not None]
MEASURES = [*(measure for _, measure in sorted(registry().measures().items())), *SCORERS]
WITH_A_FORMULA = [symbol for symbol in registry().all_symbols() if symbol.FORMULA is not None]


def test_there_are_scorers() -> None:
    assert {scorer.NAME for scorer in SCORERS} >= {"AP", "nDCG", "P", "RBP"}


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: str(measure.NAME))
def test_every_measure_has_a_formula_whose_symbols_are_in_it_and_explained(measure: irmx.Measure) -> None:
    assert isinstance(measure.FORMULA, Formula)
    assert list(measure.FORMULA.problems()) == []
    assert measure.FORMULA.to_html().startswith("<math ")
    assert all(meaning for _, meaning in measure.FORMULA.rows())


@pytest.mark.parametrize("symbol", WITH_A_FORMULA, ids=lambda symbol: f"{symbol.KIND}: {symbol.NAME}")
def test_the_formula_of_a_named_object_too(symbol: Symbol) -> None:
    assert symbol.FORMULA is not None
    assert list(symbol.FORMULA.problems()) == []
    assert symbol.FORMULA.to_html() in symbol._repr_html_()
