"""Every measure of the installed plugins, and every scorer of a measure of ir_measures, states its formula in full."""

import pytest

import irmx
from irmx import Symbol, registry
from irmx.declare.described import Formula

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
    assert all(measure.FORMULA.symbols.values())


@pytest.mark.parametrize("symbol", WITH_A_FORMULA, ids=lambda symbol: f"{symbol.KIND}: {symbol.NAME}")
def test_the_formula_of_a_named_object_too(symbol: Symbol) -> None:
    assert symbol.FORMULA is not None
    assert list(symbol.FORMULA.problems()) == []
    assert symbol.FORMULA.to_html() in symbol._repr_html_()


@pytest.mark.parametrize(
    ("measure", "parameter"),
    [
        ("MP", "rescale"),
        ("MP", "steps"),
        ("MPcont", "rescale"),
        ("AS_RBP", "personal"),
        ("AS_ERR", "err_discount"),
        ("AS_ATT", "phi"),
        ("MSU", "per"),
        ("MSU", "late"),
        ("TS_Verbosity", "track"),
        ("ELG", "unimportant"),
        ("TS_Latency", "unimportant"),
        ("TIA_AP", "cutoff"),
        ("IA_AP", "cutoff"),
        ("RBP", "cutoff"),
    ],
)
def test_a_parameter_that_changes_the_formula_is_named_in_it(measure: str, parameter: str) -> None:
    formula = next(one for one in MEASURES if measure == one.NAME).FORMULA
    assert formula is not None
    assert parameter in formula.latex + " ".join(formula.symbols.values())


def test_what_an_update_that_was_never_pooled_counts_is_told() -> None:
    formula = next(one for one in MEASURES if one.NAME == "TS_Verbosity").FORMULA
    assert formula is not None
    assert "1 for an update that was never pooled" in formula.symbols["V(u)"]
