"""The program that writes the page of equality, on generated runs alone."""

import importlib
import re
import shutil
from itertools import islice
from pathlib import Path
from types import ModuleType

import pytest

from irmx_trec.plugin import irmx_scorers

RESULTS = Path(__file__).parent.parent.parent / "docs" / "results"


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(RESULTS))
    return importlib.import_module("trec_equality")


def generated(program: ModuleType) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Return the qrels of 30 topics, as some references take a loop in Python for each, and a run of these and others."""
    qrels, run = program.generated(seed=100)
    return dict(islice(qrels.items(), 30)), run


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval, one of the references, is a perl script")
def test_no_value_of_a_generated_run_differs_by_more_than_it_may(program: ModuleType) -> None:
    qrels, run = generated(program)
    tallies = program.compared([run], qrels)
    assert {measure for measure, _ in tallies} == {str(measure) for measure in program.settings()}
    for (measure, reference), tally in tallies.items():
        assert tally.values == len(qrels), measure
        assert tally.largest <= program.MAY_DIFFER[reference], (measure, reference)


def test_what_is_generated_has_the_hard_cases(program: ModuleType) -> None:
    qrels, run = generated(program)
    shared = [run[topic] for topic in qrels if topic in run]
    assert qrels.keys() - run.keys()
    assert run.keys() - qrels.keys()
    assert any(len(docs) == 1 for docs in shared)
    assert min(grade for judged in qrels.values() for grade in judged.values()) < 0
    assert any(len(set(docs.values())) < len(docs) for docs in shared)


def test_the_page_has_every_measure_of_the_plugin() -> None:
    rows = re.findall(r"^`(\w+)", (RESULTS / "trec_equality.csv").read_text(encoding="utf-8"), re.MULTILINE)
    assert {scorer.NAME for scorer in irmx_scorers()} <= set(rows)
