"""What is said of measures of ir_measures that no provider computes, or only one that is not installed."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ir_measures
import pytest

import irmx
from irmx.demo import qrels_path, run_path

QRELS, RUN = str(qrels_path()), str(run_path("recent"))
PACKAGES = {"pyndeval": "pyndeval", "cwl_eval": "cwl"}


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], None]:
    """A function that takes away what a provider needs, for as long as the test runs."""

    def take(name: str) -> None:
        if name == "gdeval":
            monkeypatch.setenv("PATH", str(tmp_path))  # a folder without perl
        else:
            monkeypatch.setitem(sys.modules, PACKAGES[name], None)
        monkeypatch.setattr(ir_measures.providers.registry[name], "_is_available", None)

    return take


NEEDED = [
    ("alpha_nDCG@10", "pyndeval", "pip install ir-measures[pyndeval]"),
    ("ERR@20", "gdeval", "Install perl, see <https://www.perl.org>"),
    ("INST(max_rel=1)", "cwl_eval", "pip install ir-measures[cwl_eval]"),
]


@pytest.mark.parametrize(("measure", "provider", "how"), NEEDED)
def test_the_provider_to_install_is_named(
    measure: str, provider: str, how: str, without: Callable[[str], None], command: Callable[..., Any]
) -> None:
    name = measure.partition("(")[0].partition("@")[0]
    told = f"needs the provider {provider}, which is not installed: {how}"
    assert "not installed" not in command("measures").out
    without(provider)
    done = command("eval", QRELS, RUN, "AP", measure)
    assert (done.code, done.out) == (2, "")
    assert f"irmx: {measure} {told}." in done.err
    assert "AP" not in done.err
    with pytest.raises(irmx.UsageError) as caught:
        irmx.calc_aggregate(measure, QRELS, RUN)
    assert f"{measure} {told}." in str(caught.value)
    listed = {line.split()[0]: line for line in command("measures").out.splitlines() if line.strip()}
    assert listed[name].endswith(f"[{told.replace('the provider ', '')}]")
    assert "not installed" not in listed["AP"]
    assert f"{provider}, which is not installed: {how}" in command("measures", measure).out


def test_each_measure_is_told_with_its_own_provider(without: Callable[[str], None]) -> None:
    for provider in ("pyndeval", "gdeval"):
        without(provider)
    with pytest.raises(irmx.UsageError) as caught:
        irmx.calc_aggregate("alpha_nDCG@10 AP ERR@20", QRELS, RUN)
    first, second = str(caught.value).splitlines()
    assert first.startswith("alpha_nDCG@10 needs the provider pyndeval")
    assert second.startswith("ERR@20 needs the provider gdeval")


@pytest.mark.parametrize("provider", [None, "cwl_eval"])
def test_graded_rbp_is_not_taken_for_binary_rbp(
    provider: str | None,
    without: Callable[[str], None],
    command: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(irmx.registry()._owners, ("scorers", "RBP"))
    if provider is not None:
        without(provider)
    done = command("eval", QRELS, RUN, "AP", "RBP(p=0.9)")
    assert done.code == 2
    assert "does not compute RBP(p=0.9). Without rel the measure is graded: every grade needs a gain" in done.err
    assert "RBP(p=0.9,rel=1) gives a document of grade 1 or more the gain 1, and every other document 0" in done.err


def test_binary_rbp_is_what_the_message_says() -> None:
    qrels = {"q": {"a": 0, "b": 1, "c": 2}}
    run = {"q": {"a": 4.0, "b": 3.0, "x": 2.0, "c": 1.0}}
    assert irmx.calc_aggregate("RBP(p=0.9,rel=1)", qrels, run)[irmx.parse_measure("RBP(p=0.9,rel=1)")] == pytest.approx(
        0.1 * (0.9 + 0.9**3)
    )


def test_parameters_that_no_provider_takes() -> None:
    with pytest.raises(irmx.UsageError, match="does not compute ERR: no provider supports it with these parameters"):
        irmx.calc_aggregate("ERR", QRELS, RUN)


def test_measures_of_diversity_need_a_cutoff() -> None:
    with pytest.raises(
        irmx.UsageError, match=r"does not compute alpha_nDCG without a cutoff\..* such as alpha_nDCG@10"
    ):
        irmx.calc_aggregate("AP alpha_nDCG", QRELS, RUN)
    assert irmx.calc_aggregate("NRBP AP_IA", QRELS, RUN)
