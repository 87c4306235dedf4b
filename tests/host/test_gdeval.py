"""Qrels and runs that gdeval, the script behind ``ERR`` and ``nDCG(dcg='exp-log2')``, stops at or misreads."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import irmx

EXP = "nDCG(dcg='exp-log2')@5"


@pytest.mark.parametrize("topic", ["q1", "abc", "301a", "1.5", "#301", "web-301", "-1", "٣", "1" * 20])
@pytest.mark.parametrize("measure", ["ERR@5", EXP])
def test_a_topic_that_is_no_number_is_named(
    topic: str, measure: str, tmp_path: Path, command: Callable[..., Any], capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "some.qrels").write_text(f"301 0 a 1\n{topic} 0 a 1\n", encoding="utf-8")
    (tmp_path / "some.run").write_text(f"301 Q0 a 1 1 t\n{topic} Q0 a 1 1 t\n", encoding="utf-8")
    done = command("eval", "some.qrels", "some.run", measure, "--provider", "gdeval", cwd=tmp_path)
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        f"irmx: {measure} is computed by gdeval, which reads only topics that are whole numbers, in at most 19 digits. "
        f"Found the topic {topic!r} in the qrels some.qrels. Number the topics, in the qrels and in the run, "
        "or leave this measure out.\n"
    )
    with pytest.raises(irmx.DataError, match=r"is computed by gdeval.* in the qrels\. Number"):
        irmx.calc_aggregate(measure, {topic: {"a": 1}}, {topic: {"a": 1.0}}, provider="gdeval")
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("qrels", "run", "says"),
    [
        ({"7": {"a": 1}, "07": {"b": 1}}, {"a": 1.0}, "differ as numbers. Found the topics '7' and '07' in the qrels"),
        ({"7": {"a": 1, "b": 5}}, {"a": 1.0}, "up to 4. Found the grade 5 of document 'b' for query '7'"),
        ({"7": {}, "8": {"b": 0.5}}, {"a": 1.0}, "Found the grade 0.5 of document 'b' for query '8'"),
        ({"7": {"a b": 1}}, {"a": 1.0}, "without white space. Found the document 'a b' in the qrels"),
        ({"7": {"a": 1}}, {"a\tb": 1.0}, r"Found the document 'a\tb' in the run"),
    ],
)
def test_what_else_gdeval_would_misread(qrels: Any, run: dict[str, float], says: str) -> None:
    with pytest.raises(irmx.DataError) as caught:
        irmx.calc_aggregate(f"ERR@5 {EXP}", qrels, {"7": run}, provider="gdeval")
    assert f"ERR@5, {EXP} are computed by gdeval" in str(caught.value)
    assert says in str(caught.value)


def test_what_gdeval_reads() -> None:
    """Leading zeros, numbers that floats cannot tell apart, negative grades, and other topics of a run, whatever their ids."""
    large = [str(2**53), str(2**53 + 1)]
    qrels: Any = {"007": {"a": 4}, large[0]: {"a": 4}, large[1]: {"a": 4, "b": -1}}
    run = {"007": {"a": 1.0}, "q1": {"a": 1.0}, large[0]: {"x": 2.0, "a": 1.0}, large[1]: {"b": 1.0}}
    [values] = irmx.Evaluator("ERR@5", qrels).values(run).values()
    assert values == pytest.approx({"007": 15 / 16, large[0]: 15 / 32, large[1]: 0.0}, abs=1e-5)


def test_measures_of_other_providers_and_of_plugins_take_any_ids() -> None:
    measures = f"infAP SetR nDCG@5 {EXP}"
    assert set(irmx.calc_aggregate(measures, {"q1": {"a b": 5}}, {"q1": {"a b": 1.0}}).values()) == {1.0}
