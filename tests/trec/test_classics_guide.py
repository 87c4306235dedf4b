"""The tables of the guide on the classics say what computes a measure."""

import csv
import re
from pathlib import Path

import ir_measures
import pytest

import irmx

DOCS = Path(__file__).parent.parent.parent / "docs"
TEXT = (DOCS / "guide" / "classics.md").read_text(encoding="utf-8")
STOCK = [provider for provider in ir_measures.DefaultPipeline.providers if provider.NAME != "irmx"]


def rows(header: str) -> list[list[str]]:
    """The cells of the rows of a table."""
    table = TEXT.partition(f"| {header} |")[2].partition("\n\n")[0].splitlines()[2:]
    return [line.strip("| ").split(" | ") for line in table]


def in_code(text: str) -> set[str]:
    return set(re.findall("`(.*?)`", text))


def providers_of(name: str) -> list[str]:
    return [provider.NAME for provider in STOCK if any(name == m.NAME for m in provider.SUPPORTED_MEASURES)]


TABLE = [(name.strip("`"), *cells) for name, *cells in rows("measure | parameters | ir_measures needs | values equal")]
OWN = ("Q", "Expected")


def test_the_measures_with_their_parameters() -> None:
    known = {
        **irmx.registry().scorers(),
        **{name: irmx.parse_measure(f"{name}(measure=AP)" if name == "Expected" else name) for name in OWN},
    }
    known["Accuracy"] = ir_measures.Accuracy
    assert {name: in_code(parameters) for name, parameters, _, _ in TABLE} == {
        name: set(measure.SUPPORTED_PARAMS) for name, measure in known.items()
    }


def test_what_ir_measures_needs() -> None:
    for name, _, needed, _ in TABLE:
        if name in OWN:
            assert name not in {measure.NAME for provider in STOCK for measure in provider.SUPPORTED_MEASURES}
            continue
        tools = re.sub(r" \(.*?\)", "", needed).split(", ")
        assert tools[0] == providers_of(name)[0]
        assert set(tools) <= set(providers_of(name))


def test_values_are_as_equal_as_they_were_when_compared() -> None:
    """By the table of the page that compares them; measures of subtopics are compared in a test of their own."""
    with (DOCS / "results" / "trec_equality.csv").open(encoding="utf-8", newline="") as file:
        compared = [row for row in csv.DictReader(file) if row["reference"] in [provider.NAME for provider in STOCK]]
    for name, _, needed, equal in TABLE:
        if needed == "pyndeval" or name in (*OWN, "Accuracy"):
            continue
        largest: dict[str, float] = {}
        for row in compared:
            if re.fullmatch(rf"`{name}(\(.*|Ret)?`", row["measure"]):
                differences = [float(value) for column, value in row.items() if column.startswith("largest")]
                largest[row["reference"]] = max(largest.get(row["reference"], 0.0), *differences)
        stated = dict(part.split(" to ", maxsplit=1) for part in equal.split(", "))
        assert stated.keys() == largest.keys(), name
        bounds = {"the bit": 0.0, "the five decimals that it prints": 5.01e-6}
        assert all(
            largest[tool] <= bounds.get(text, float(text) if text[0] == "1" else 0.0) for tool, text in stated.items()
        ), name


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
