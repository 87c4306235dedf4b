"""Significance tests and corrections by name, those of other plugins among them, and what these may return."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import irmx
import irmx_study
from irmx import Citation, Param, PluginError, Scores, Symbol, UsageError
from irmx.plugin.discovery import Discovery
from irmx.registry import PluginInfo

TESTS = {"t", "permutation", "bootstrap", "wilcoxon", "sign", "tukey", "randomised_tukey"}
CORRECTIONS = {"holm", "bonferroni", "hommel", "bh", "maxt", "none"}

Register = Callable[[Symbol], None]


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Register:
    """A function that registers named objects as a plugin does, until the test ends."""
    registry = irmx.registry()
    monkeypatch.setattr(registry, "_owners", dict(registry._owners))
    monkeypatch.setattr(registry, "plugins", dict(registry.plugins))

    def add(symbol: Symbol) -> None:
        hooks = type(
            "Hooks", (), {"irmx_symbols": staticmethod(irmx.hookimpl(lambda: [symbol], specname="irmx_symbols"))}
        )
        discovery = Discovery(registry, set())
        discovery.add(PluginInfo("made", "irmx-made", "1.0"), lambda: hooks)
        discovery.register()

    return add


@pytest.fixture
def scores() -> Scores:
    rng = np.random.default_rng(0)
    rows = [(f"{q}", s, "AP", float(rng.random())) for q in range(21) for s in "abc"]
    return Scores.from_frame(pd.DataFrame(rows, columns=["query_id", "system", "measure", "value"]))


class Majority(Symbol):
    """Significant if a system wins on most topics. It knows nothing of irmx-study."""

    NAME, KIND, SHORT_DESC = "majority", "significance test", "whether a system wins on a share of topics"
    SUPPORTED_PARAMS = {"share": Param(float, "share of topics", default=0.9, low=0, high=1)}

    def test(self, paired: Any) -> Any:
        share = (paired.differences() > 0).mean(axis=0)
        return share, np.where(share >= self["share"], 0.01, 0.5)


class Sidak(Symbol):
    """The correction of Sidak. It knows nothing of irmx-study."""

    NAME, KIND, SHORT_DESC = "sidak", "correction of p-values", "Sidak's correction"

    def adjust(self, p: Any, family: Any) -> Any:
        return 1 - (1 - p) ** len(p)


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
def test_every_test_compares(scores: Scores, test: str) -> None:
    frame = irmx_study.compare(scores, test=test, all_pairs=True, draws=200, correction="none").frame()
    assert frame["p"].between(0, 1).all()
    assert len(frame) == 3


@pytest.mark.parametrize("correction", sorted(CORRECTIONS))
def test_every_correction_corrects(scores: Scores, correction: str) -> None:
    frame = irmx_study.compare(scores, test="permutation", all_pairs=True, draws=200, correction=correction).frame()
    assert (frame["p_corrected"] >= frame["p"] - 1e-12).all()


def test_the_interval_may_be_bca(scores: Scores) -> None:
    t, bca = (irmx_study.compare(scores, interval=interval, draws=2000).frame() for interval in ("t", "bca"))
    assert (bca["low"] < bca["difference"]).all()
    np.testing.assert_allclose(bca[["low", "high"]], t[["low", "high"]], atol=0.03)
    assert (bca["low"] != t["low"]).all()


def test_an_unknown_test_is_refused_with_the_nearest_name(scores: Scores) -> None:
    with pytest.raises(UsageError, match="Did you mean permutation"):
        irmx_study.compare(scores, test="permutaton")
    with pytest.raises(UsageError, match="Did you mean bonferroni"):
        irmx_study.compare(scores, correction="bonferoni")


def test_a_plugin_adds_a_test_and_a_correction(scores: Scores, register: Register) -> None:
    register(Majority())
    register(Sidak())
    frame = irmx_study.compare(scores, test="majority(share=0.1)", correction="sidak").frame()
    assert frame["p"].tolist() == [0.01, 0.01]
    assert frame["p_corrected"].tolist() == pytest.approx([1 - 0.99**2] * 2)
    frame = irmx_study.compare(scores, test=Majority(share=1.0)).frame()
    assert frame["p"].tolist() == [0.5, 0.5]


def returning(result: Any) -> Symbol:
    """Return a test that returns something for two pairs, or raises it."""

    def test(self: Any, paired: Any) -> Any:
        if isinstance(result, BaseException):
            raise result
        return result

    made = type("Odd", (Symbol,), {"NAME": "odd", "KIND": "significance test", "test": test})
    return made()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (ZeroDivisionError("division by zero"), "The significance test odd failed with ZeroDivisionError: division by zero"),
        (None, "The significance test odd must return its statistics and p-values. It returned NoneType None."),
        ((np.zeros(3), np.zeros(2)), "one statistic per pair of systems, an array of the shape (2,). It returned one of the shape (3,)"),
        ((np.zeros(2), np.zeros((2, 1))), "one p-value per pair of systems, an array of the shape (2,). It returned one of the shape (2, 1)"),
        ((np.zeros(2), np.array([0.5, np.nan])), "one p-value per pair of systems. It returned NaN for pair 1, counted from 0"),
        ((np.array([np.nan, 0]), np.zeros(2)), "one statistic per pair of systems. It returned NaN for pair 0, counted from 0"),
        ((np.zeros(2), np.array([0.5, 1.5])), "odd returned the p-value 1.5 for pair 1, counted from 0: it must be in [0, 1]"),
        ((np.zeros(2), np.array([-1, 0.5])), "odd returned the p-value -1 for pair 0, counted from 0: it must be in [0, 1]"),
        (([1, 2], "no"), "The significance test odd must return one p-value per pair of systems. It returned str 'no'."),
    ],
)  # fmt: skip
def test_a_test_that_misbehaves_is_named(scores: Scores, register: Register, result: Any, message: str) -> None:
    register(returning(result))
    with pytest.raises(PluginError) as error:
        irmx_study.compare(scores, test="odd")
    assert message in str(error.value)


def test_an_error_for_the_user_and_an_interruption_pass(scores: Scores, register: Register) -> None:
    register(returning(UsageError("Give more topics.")))
    with pytest.raises(UsageError, match=r"^Give more topics\.$"):
        irmx_study.compare(scores, test="odd")
    with pytest.raises(KeyboardInterrupt):
        irmx_study.compare(scores, test=returning(KeyboardInterrupt()))


def test_a_correction_that_misbehaves_is_named(scores: Scores, register: Register) -> None:
    register(type("Odd", (Symbol,), {"NAME": "odd", "KIND": Sidak.KIND, "adjust": lambda self, p, family: p[:1]})())
    with pytest.raises(PluginError, match="The correction odd must return one p-value per comparison, an array"):
        irmx_study.compare(scores, correction="odd")


def test_too_few_draws_for_the_correction_are_told() -> None:
    """The smallest p of 200 draws, 1/201, is never significant after Bonferroni's correction for 15 comparisons."""
    rng = np.random.default_rng(1)
    rows = [(str(q), f"s{s}", "AP", s / 3 + rng.random()) for q in range(30) for s in range(6)]
    scores = Scores.from_frame(pd.DataFrame(rows, columns=["query_id", "system", "measure", "value"]))
    few, enough = (
        irmx_study.compare(scores, all_pairs=True, test="permutation", correction="bonferroni", draws=draws)
        for draws in (200, 20_000)
    )
    count = int((few.frame()["p"] < 1 / 200).sum())
    assert count > 5
    assert few.notes == (
        f"{count} comparisons with p = 0.005, the smallest of 200 draws, which the correction makes insignificant: more draws, "
        "or the correction maxt, may tell more",
    )
    assert enough.notes == ()
    assert irmx_study.compare(scores, all_pairs=True, test="permutation", correction="maxt", draws=200).notes == ()


@pytest.mark.parametrize(
    ("flips_signs", "draws"), [(True, "all 256 changes of signs (test)"), (False, "10,000 (test)")]
)
def test_a_test_of_a_plugin_says_whether_it_makes_all_changes_of_signs(
    register: Register, scores: Scores, flips_signs: bool, draws: str
) -> None:
    class Drawn(Majority):
        NAME, RESAMPLES, FLIPS_SIGNS = "drawn", True, flips_signs

    register(Drawn())
    comparison = irmx_study.compare(scores.select(topics=scores.topics[:8]), test="drawn")
    assert comparison.facts()["draws"] == draws
