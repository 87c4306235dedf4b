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


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval, one of the references, is a perl script")
def test_no_value_of_a_generated_run_differs_by_more_than_it_may(program: ModuleType) -> None:
    every, run = program.generated(seed=100)
    qrels = dict(islice(every.items(), 100))  # some references take a loop in Python for each topic
    tallies = program.compared([run], qrels)
    assert {measure for measure, _ in tallies} == {str(measure) for measure in program.settings()}
    for (measure, reference), tally in tallies.items():
        assert tally.values == len(qrels), measure
        assert tally.largest <= program.MAY_DIFFER[reference], (measure, reference)


def test_what_is_generated_has_the_hard_cases(program: ModuleType) -> None:
    qrels, run = program.generated(seed=100)
    assert qrels.keys() - run.keys()
    assert run.keys() - qrels.keys()
    assert any(len(docs) == 1 for docs in run.values())
    assert min(grade for judged in qrels.values() for grade in judged.values()) < 0
    assert any(len(set(docs.values())) < len(docs) for docs in run.values())


def test_the_page_has_every_measure_of_the_plugin() -> None:
    rows = re.findall(r"^`(\w+)", (RESULTS / "trec_equality.csv").read_text(encoding="utf-8"), re.MULTILINE)
    assert {scorer.NAME for scorer in irmx_scorers()} <= set(rows)
