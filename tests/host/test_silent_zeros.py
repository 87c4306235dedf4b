"""What would give 0 in silence is told: rel above every grade, a run of which no document is judged."""

import re
import warnings
from pathlib import Path
from typing import Any

import pytest

import irmx
from irmx import DataWarning, UsageError
from irmx.errors import QrelsWarning

QRELS: dict[str, dict[str, float]] = {"q": {"a": 1, "b": 0, "c": 2, "e": 1}, "r": {"a": 1}}
RUN = {"q": {"a": 2.0, "x": 1.0}, "r": {"a": 1.0}}
OTHER = {"q": {"D1": 4.0, "D2": 3.0, "D3": 2.0, "D4": 1.0}, "r": {"D1": 1.0}}


@pytest.mark.parametrize("measure", ["AP(rel=3)", "NCP(law=first,rel=2.5)", "SetP(rel=3)"])
def test_rel_above_every_grade_is_told_once(measure: str) -> None:
    with pytest.warns(QrelsWarning, match="the largest grade in the qrels is 2") as told:
        evaluator = irmx.evaluator([measure, "P@1"], QRELS)
    assert len(told) == 1
    assert measure in str(told[0].message)
    assert evaluator.calc_aggregate(RUN)[irmx.parse_measure(measure)] == 0  # without a further warning


def test_rel_that_some_document_has_is_not_told() -> None:
    irmx.evaluator("AP(rel=2) NCP(law=first,rel=-1) AP", QRELS)
    irmx.evaluator("AP", {"q": {"a": 0}})
    irmx.evaluator("AP(rel=0.5) nDCG NCP(law=first,rel=0.9)", {"q": {"a": 0.9}})


@pytest.mark.parametrize("measure", ["AP", "P@1", "RR", "NCP(law=first)", "MP(model=GL_AD_ID)"])
def test_fractions_that_the_default_of_rel_is_above_are_told(measure: str) -> None:
    with pytest.warns(QrelsWarning, match=r"largest grade in the qrels is 0\.9.*rel=") as told:
        irmx.evaluator([measure, "nDCG"], {"q": {"a": 0.9, "b": 0.7}, "r": {"a": 0.8}})
    assert "nDCG" not in str(told[0].message)


@pytest.mark.parametrize(
    "measure", ["AP", "SetP", "NCP(law=first,rel={})", "Accuracy", "RBP", "alpha_nDCG@5", "Bpref", "NumRet"]
)
@pytest.mark.parametrize("rel", [2**31, 4294967297, 99999999999, 2**63 - 1])
def test_one_bound_for_rel_which_the_message_says(measure: str, rel: int) -> None:
    text = measure.format(rel) if "{" in measure else re.sub("(@|$)", rf"(rel={rel})\1", measure, count=1)
    with pytest.raises(UsageError, match=r", (2147483647|10000)\]. Got"):
        irmx.calc_aggregate(text, QRELS, RUN)


def test_the_largest_rel_is_taken() -> None:
    largest = 2**31 - 1
    assert irmx.calc_aggregate(f"AP(rel={largest})", {"q": {"a": largest}}, {"q": {"a": 1.0}}).popitem()[1] == 1


@pytest.mark.parametrize("measures", ["AP", "NCP(law=first) SetP", "NumRet AP", "Judged@5"])
def test_a_run_of_which_no_document_is_judged_is_told_with_ids_of_both(measures: str) -> None:
    with pytest.warns(DataWarning, match=r"judged.* D1, D2, D3, \.\.\.; the qrels have a, b, c, \.\.\.") as told:
        irmx.calc_aggregate(measures, QRELS, OTHER)
    assert len(told) == 1


def test_it_is_told_of_a_table_in_chunks_and_by_name(tmp_path: Path, command: Any) -> None:
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q, ds in QRELS.items() for d, g in ds.items()))
    for name, run in (("other", OTHER), ("one", {"q": OTHER["q"], "r": RUN["r"]})):
        (tmp_path / name).write_text("".join(f"{q} Q0 {d} 1 {s} t\n" for q, ds in run.items() for d, s in ds.items()))
    for memory in ("1GB", "1KB"):
        done = command("eval", "qrels", "other", "one", "AP", "--memory", memory)
        assert done.code == 0
        assert done.err.count("No document of the run is judged") == 1
        assert "other: No document" in done.err
        with pytest.warns(DataWarning, match="^other: No document"):
            irmx.scores("AP", tmp_path / "qrels", [tmp_path / "other"], memory=memory)


def test_it_is_not_told_where_there_is_nothing_to_compare() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        irmx.calc_aggregate("AP", QRELS, {"q": {}})
        irmx.calc_aggregate("AP", QRELS, {"q": {"b": 1.0}})  # judged, not relevant
        irmx.calc_aggregate("AP", {"q": {}}, {"q": {"a": 1.0}})
