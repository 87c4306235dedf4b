"""The tables of the guide on the classics say what computes a measure."""

import re
from pathlib import Path

import ir_measures
import pytest

import irmx

TEXT = (Path(__file__).parent.parent.parent / "docs" / "guide" / "classics.md").read_text(encoding="utf-8")
STOCK = [provider for provider in ir_measures.DefaultPipeline.providers if provider.NAME != "irmx"]


def rows(header: str) -> list[list[str]]:
    """The cells of the rows of a table."""
    table = TEXT.partition(f"| {header} |")[2].partition("\n\n")[0].splitlines()[2:]
    return [line.strip("| ").split(" | ") for line in table]


def in_code(text: str) -> set[str]:
    return set(re.findall("`(.*?)`", text))


def providers_of(name: str) -> list[str]:
    return [provider.NAME for provider in STOCK if any(name == m.NAME for m in provider.SUPPORTED_MEASURES)]


def test_the_measures_of_the_plugin_with_their_parameters() -> None:
    shown = {name.strip("`"): in_code(parameters) for name, parameters, _ in rows("measure | parameters | otherwise")}
    assert shown == {name: set(scorer.SUPPORTED_PARAMS) for name, scorer in irmx.registry().scorers().items()}


def test_what_computes_them_otherwise() -> None:
    for name, _, providers in rows("measure | parameters | otherwise"):
        tools = providers.split(", ")
        measure = ir_measures.measures.registry[name.strip("`")]
        assert tools[0] == providers_of(measure.NAME)[0]
        assert set(tools) <= set(providers_of(measure.NAME))


def test_what_no_provider_computes() -> None:
    sentence = re.search(r"No provider of ir_measures computes (.*?)\.\n", TEXT, re.DOTALL)
    assert sentence is not None
    for text in in_code(sentence[1]):
        irmx.evaluator(text, {"q": {"a": 2}})
        for provider in STOCK:
            with pytest.raises(irmx.UsageError):
                irmx.calc_aggregate(text, {"q": {"a": 1}}, {"q": {"a": 1.0}}, provider=provider.NAME)


def test_the_measures_that_stay_with_the_providers() -> None:
    scorers, stock = irmx.registry().scorers(), ir_measures.measures.registry.values()
    stay = {measure.NAME for measure in stock if not isinstance(measure, irmx.Measure)} - scorers.keys()
    assert in_code(TEXT[: TEXT.index(" stays with its provider")].rpartition("\n")[2]) == stay
