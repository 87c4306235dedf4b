"""The page of NCP's stopping laws, and what its text rests on, on the runs of TREC-8."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import irmx

pytestmark = pytest.mark.real

SCRIPT = Path(__file__).parents[2] / "docs" / "results" / "trec8_ncp.py"


@pytest.fixture(scope="module")
def program(results_program: Callable[[str], ModuleType]) -> ModuleType:
    """The program that makes the page."""
    return results_program(SCRIPT.stem)


def collection(program: ModuleType, trec8: Any, every: int = 1) -> Any:
    """Return TREC-8 as the program has it, with every so manieth run."""
    runs = dict(sorted(trec8.run_paths.items())[::every])
    command = "IRMX_DATA=... python docs/results/trec8_ncp.py"
    return program.Collection(
        "TREC-8", trec8.qrels_path, runs, None, False, command, SCRIPT.with_name("markov_and_ncp.md"), 1
    )


@pytest.fixture(scope="module")
def some(program: ModuleType, trec8: Any) -> Any:
    return collection(program, trec8, every=8)


@pytest.fixture(scope="module")
def scores(program: ModuleType, some: Any) -> irmx.Scores:
    """The scores of 17 runs."""
    found: irmx.Scores = some.scores(program.MEASURES)
    return found


def test_identities_value_for_value(program: ModuleType, some: Any, scores: irmx.Scores) -> None:
    found = program.differences(scores, program.by_document(some, scores))
    assert {law for law, _ in found} == {*program.SAME, *program.NEAR}
    for (law, other), largest in found.items():
        assert largest <= (1e-12 if law in program.SAME else 1e-3), (law, other)


def test_families_end_in_the_laws_without_a_parameter(scores: irmx.Scores) -> None:
    """The smaller the parameter, the nearer to AP; the larger, the nearer to RR."""
    for family, values in (("geometric(p={})", (0.01, 0.1, 0.5, 0.9)), ("zipf(s={})", (0.1, 0.5, 1.5, 3.0))):
        laws = [scores[f"NCP(law={family.format(value)})"] for value in values]
        from_ap, from_rr = ([np.abs(law - scores[other]).mean() for law in laws] for other in ("AP", "RR"))
        assert from_ap == sorted(from_ap)
        assert from_rr == sorted(from_rr, reverse=True)


def test_a_sample_of_the_topics_is_ranked_by_their_mean(program: ModuleType, scores: irmx.Scores) -> None:
    """The same topics, each once, give the same tau as the scores; samples differ from it."""
    tau = program.taus(scores)
    assert tau.loc["uniform", "AP"] == tau.loc["first", "RR"] == 1
    samples = program.resampled(scores, samples=20)
    assert samples.shape == (20, *tau.shape)
    assert np.abs(samples).max() <= 1 + 1e-12
    assert np.ptp(samples[:, 0, list(tau.columns).index("RR")]) > 0


@pytest.mark.slow
def test_the_page_is_what_its_program_makes(program: ModuleType, trec8: Any) -> None:
    everything = collection(program, trec8)
    found = everything.scores(program.MEASURES)
    tau = program.taus(found)
    assert tau["P@10"].idxmax() == "first 10"
    assert tau.loc["uniform", "P@10"] == pytest.approx(0.827, abs=5e-4)
    assert tau.loc["first 7", "RBP(p=0.8)"] > tau.loc["geometric, p = 0.2", "RBP(p=0.8)"]
    section = program.section(everything, found, program.by_document(everything, found))
    assert section in everything.page.read_text(encoding="utf-8")


def test_populations_plainly(trec8: Any) -> None:
    """Users who want shares of the relevant documents, beside others: a loop over every topic of a run, and AP as a limit."""
    path = dict(sorted(trec8.run_paths.items()))["uwmt8a0"]
    qrels, run = irmx.read_qrels(trec8.qrels_path).as_dict(), irmx.read_run(path).as_dict()
    weights = [0.5, 0.2, 0.0, 0.3]
    texts = [
        "share(p=[1],within='even')",
        f"share(p={weights})",
        f"mixture(laws=['first','share(p={weights})'],weights=[1,3])",
    ]
    scores = irmx.scores([*(f"NCP(law={text})" for text in texts), "AP"], qrels, {"run": run})
    even, share, mixture, ap = scores.values[:, 0].T
    largest = 0.0
    for number, topic in enumerate(scores.topics):
        relevant = {document for document, grade in qrels[topic].items() if grade > 0}
        documents = run[topic].items()  # trec_eval compares scores as 32-bit floats
        ranked = [document for _, document in sorted(((np.float32(s), d) for d, s in documents), reverse=True)]
        precisions = [0.0] * len(relevant)
        met = 0
        for rank, document in enumerate(ranked, start=1):
            if document in relevant:
                met += 1
                precisions[met - 1] = met / rank
        plain = sum(
            w * precisions[math.ceil(Fraction(k * len(relevant), 4)) - 1] for k, w in enumerate(weights, start=1)
        )
        both = (precisions[0] + 3 * plain) / 4
        largest = max(largest, *np.abs([share[number] - plain, mixture[number] - both, even[number] - ap[number]]))
    assert len(scores.topics) == 50
    assert largest <= 1e-12
