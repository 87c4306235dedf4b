"""Significance tests and corrections by name, those of other plugins among them, and what these may return."""

import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import irmx
import irmx_study
from irmx import Citation, PluginError, Scores, Symbol, UsageError
from irmx.demo import SYSTEMS, qrels_path, run_path

from .made_scores import made

TESTS = {"t", "permutation", "bootstrap", "wilcoxon", "sign", "tukey", "randomised_tukey"}
CORRECTIONS = {"holm", "bonferroni", "hommel", "bh", "by", "maxt", "none"}

PLUGIN = """
import numpy as np
from irmx import Param, Symbol, hookimpl

class Majority(Symbol):
    NAME, KIND, SHORT_DESC = "majority", "significance test", "whether a system wins on a share of topics"
    SUPPORTED_PARAMS = {"share": Param(float, "share of topics", default=0.9, low=0, high=1)}

    def test(self, paired):
        share = (paired.differences() > 0).mean(axis=0)
        return share, np.where(share >= self["share"], 0.01, 0.5)

class Sidak(Symbol):
    NAME, KIND, SHORT_DESC = "sidak", "correction of p-values", "Sidak's correction"

    def adjust(self, p, family):
        return 1 - (1 - p) ** len(p)

@hookimpl
def irmx_symbols():
    return [Majority(), Sidak()]
"""
"""A plugin that knows nothing of irmx-study."""


@pytest.fixture
def scores() -> Scores:
    return made(np.random.default_rng(0).random((21, 3)))


def test_those_of_irmx_study_are_registered_with_descriptions_and_papers() -> None:
    tests, corrections = map(irmx.registry().symbols, ("significance test", "correction of p-values"))
    assert set(tests) == TESTS
    assert set(corrections) == CORRECTIONS
    for symbol in (*tests.values(), *corrections.values()):
        assert symbol.SHORT_DESC
        assert symbol.CITATIONS or symbol.NAME == "none"
        for entry in symbol.CITATIONS:
            assert Citation.from_bibtex(entry).fields.keys() >= {"author", "title", "year"}


@pytest.mark.parametrize("test", [*sorted(TESTS), "randomised-tukey", "wilcoxon(zeros='pratt', continuity=False)"])
@pytest.mark.parametrize("correction", sorted(CORRECTIONS))
def test_every_test_with_every_correction_is_told_and_cited(scores: Scores, test: str, correction: str) -> None:
    how: dict[str, Any] = {"test": test, "correction": correction, "all_pairs": True, "draws": 200}
    if "tukey" in test and correction != "none":
        with pytest.raises(UsageError, match="already hold for all pairs of systems together"):
            irmx_study.compare(scores, **how)
        return
    comparison = irmx_study.compare(scores, **how)
    frame = comparison.frame()
    assert frame["p"].between(0, 1).all()
    assert (frame["p_corrected"] >= frame["p"] - 1e-12).all()
    choices, text = comparison.choices, comparison.bibtex()
    for entry in (*choices.test.CITATIONS, *choices.correction.CITATIONS):
        assert f"{{{Citation.from_bibtex(entry).key}," in text


def test_a_plugin_adds_a_test_and_a_correction(shell: Any, tmp_path: Path) -> None:
    (tmp_path / "made_plugin.py").write_text(PLUGIN)
    about = tmp_path / "irmx_made-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: irmx-made\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[irmx]\nmade = made_plugin\n")
    words = ["--test", "majority(share=0.1)", "--correction", "sidak", "--baseline", "titles.run", "-o", "csv"]
    paths = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    done = shell("compare", qrels_path(), *map(run_path, SYSTEMS), "AP", *words, PYTHONPATH=paths)
    assert done.code == 0, done.err
    rows = pd.read_csv(io.StringIO(done.out))
    assert rows["p"].tolist() == [0.01, 0.01]
    assert rows["p_corrected"].tolist() == pytest.approx([1 - 0.99**2] * 2)
    assert "whether a system wins on a share of topics" in done.err


def returning(result: Any, kind: str = "significance test") -> Symbol:
    """Return a test of two pairs, or a correction, that returns something, or raises it."""

    def method(self: Any, *_: Any) -> Any:
        if isinstance(result, BaseException):
            raise result
        return result

    return type("Odd", (Symbol,), {"NAME": "odd", "KIND": kind, "test": method, "adjust": method})()


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (ZeroDivisionError("division by zero"), "odd failed with ZeroDivisionError: division by zero"),
        (None, "must return its statistics and p-values. It returned NoneType None."),
        ((np.zeros(3), np.zeros(2)), "one statistic per pair of systems, an array of the shape (2,). It returned one of the shape (3,)"),
        ((np.zeros(2), np.zeros((2, 1))), "one p-value per pair of systems, an array of the shape (2,). It returned one of the shape (2, 1)"),
        ((np.zeros(2), np.array([0.5, np.nan])), "one p-value per pair of systems. It returned NaN for pair 1, counted from 0"),
        ((np.array([np.nan, 0]), np.zeros(2)), "one statistic per pair of systems. It returned NaN for pair 0, counted from 0"),
        ((np.zeros(2), np.array([0.5, 1.5])), "odd returned the p-value 1.5 for pair 1, counted from 0: it must be in [0, 1]"),
        ((np.zeros(2), np.array([-1, 0.5])), "odd returned the p-value -1 for pair 0, counted from 0: it must be in [0, 1]"),
        (([1, 2], "no"), "one p-value per pair of systems. It returned str 'no'."),
    ],
)  # fmt: skip
def test_a_test_that_misbehaves_is_named(scores: Scores, result: Any, message: str) -> None:
    with pytest.raises(PluginError) as error:
        irmx_study.compare(scores, test=returning(result))
    assert "The significance test odd" in str(error.value)
    assert message in str(error.value)


def test_a_correction_that_misbehaves_is_named(scores: Scores) -> None:
    with pytest.raises(PluginError, match="The correction odd must return one p-value per comparison, an array"):
        irmx_study.compare(scores, correction=returning(np.zeros(1), "correction of p-values"))


def test_an_error_for_the_user_and_an_interruption_pass(scores: Scores) -> None:
    with pytest.raises(UsageError, match=r"^Give more topics\.$"):
        irmx_study.compare(scores, test=returning(UsageError("Give more topics.")))
    with pytest.raises(KeyboardInterrupt):
        irmx_study.compare(scores, test=returning(KeyboardInterrupt()))


def test_too_few_draws_for_the_correction_are_told() -> None:
    """The smallest p of 200 draws, 1/201, is never significant after Bonferroni's correction for 15 comparisons."""
    scores = made(np.random.default_rng(1).random((30, 6)) + np.arange(6) / 3)
    few, enough, maxt = (
        irmx_study.compare(scores, all_pairs=True, test="permutation", correction=correction, draws=draws)
        for correction, draws in (("bonferroni", 200), ("bonferroni", 20_000), ("maxt", 200))
    )
    count = int((few.frame()["p"] < 1 / 200).sum())
    assert count > 5
    [note] = few.notes
    assert note.startswith(f"{count} comparisons with p = 0.005, the smallest of 200 draws")
    assert enough.notes == maxt.notes == ()


@pytest.mark.parametrize(("flips", "draws"), [(True, "all 256 changes of signs (test)"), (False, "10,000 (test)")])
def test_a_test_of_a_plugin_says_whether_it_makes_all_changes_of_signs(scores: Scores, flips: bool, draws: str) -> None:
    test = returning((np.zeros(1), np.ones(1)))
    type(test).RESAMPLES, type(test).FLIPS_SIGNS = True, flips  # type: ignore[attr-defined]
    comparison = irmx_study.compare(scores.select(topics=scores.topics[:8], systems=["a", "b"]), test=test)
    assert comparison.facts()["draws"] == draws


@pytest.mark.parametrize("phrase", ["", "a test of majorities"])
def test_a_test_says_what_sentences_of_a_paper_call_it(phrase: str, scores: Scores) -> None:
    class Most(Symbol):
        NAME, KIND, SHORT_DESC, PHRASE = "most", "significance test", "who wins more", phrase

        def test(self, paired: Any) -> tuple[Any, Any]:
            wins = (paired.differences() > 0).mean(axis=0)
            return wins, np.full(len(wins), 0.5)

    methods = irmx_study.compare(scores, test=Most()).methods()
    assert f"tested with {phrase or 'the two-sided test most (who wins more)'}" in methods
