"""Qrels and a run without a common topic are refused wherever they meet: every value would be a default."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
import pytest

import irmx

QRELS = {"030": {"a": 1}, "31": {"a": 1}}
RUN = {"30": {"a": 1.0}}
SAYS = "No topic of the run is in the qrels. The run has 30; the qrels have 030, 31."
NCP = irmx.parse_measure("NCP(law=first)")

CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "calc_aggregate": lambda q, r: irmx.calc_aggregate("NCP(law=first)", q, r),
    "calc_aggregate of ir_measures' measures": lambda q, r: irmx.calc_aggregate("AP nDCG@10", q, r),
    "calc_aggregate of both": lambda q, r: irmx.calc_aggregate("AP NCP(law=first)", q, r),
    "calc": lambda q, r: irmx.calc("NCP(law=first)", q, r),
    "iter_calc": lambda q, r: list(irmx.iter_calc("AP", q, r)),
    "evaluator": lambda q, r: irmx.evaluator("NCP(law=first)", q).calc_aggregate(r),
    "rankings": irmx.rankings,
}

OF_IR_MEASURES: dict[str, Callable[[Any, Any], Any]] = {
    "a measure": lambda q, r: NCP.calc_aggregate(q, r),
    "ir_measures.calc_aggregate": lambda q, r: ir_measures.calc_aggregate([ir_measures.AP, NCP], q, r),
    "ir_measures.iter_calc": lambda q, r: list(ir_measures.iter_calc([NCP], q, r)),
    "ir_measures.evaluator": lambda q, r: ir_measures.evaluator([NCP], q).calc(r),
}


@pytest.mark.parametrize("call", CALLS)
def test_it_is_refused_from_python(call: str) -> None:
    rows = [(q, d, s) for q, docs in RUN.items() for d, s in docs.items()]
    for run in (RUN, pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])):
        with pytest.raises(irmx.DataError) as caught:
            CALLS[call](QRELS, run)
        assert str(caught.value) == SAYS


@pytest.mark.parametrize("call", OF_IR_MEASURES)
def test_functions_of_ir_measures_give_the_defaults_and_a_warning(call: str) -> None:
    """AP beside it would be lost, or an experiment in batches, of which one has results for topics without judgments only."""
    with pytest.warns(irmx.DataWarning) as told:
        OF_IR_MEASURES[call](QRELS, RUN)
    assert {str(w.message) for w in told} == {f"{SAYS} Every value is a default."}


def test_the_command_says_the_same(tmp_path: Path, command: Callable[..., Any]) -> None:
    (tmp_path / "some.qrels").write_text("030 0 a 1\n31 0 a 1\n")
    (tmp_path / "some.run").write_text("30 Q0 a 1 1.0 t\n")
    for measure in ("AP", "NCP(law=first)"):
        done = command("eval", "some.qrels", "some.run", measure, cwd=tmp_path)
        assert (done.code, done.out, done.err) == (1, "", f"irmx: run some.run: {SAYS}\n")


@pytest.mark.parametrize("call", [*CALLS, *OF_IR_MEASURES])
@pytest.mark.parametrize("run", [{}, {"30": {}}, {"030": {}, "30": {"a": 1.0}}], ids=str)
def test_a_system_may_find_nothing(call: str, run: Any) -> None:
    {**CALLS, **OF_IR_MEASURES}[call](QRELS, run)


@pytest.mark.parametrize("measure", ["AP", "NCP(law=first)"])
def test_one_common_topic_is_enough(measure: str) -> None:
    assert list(irmx.calc_aggregate(measure, QRELS, {**RUN, "31": {"a": 1.0}}).values()) == [0.5]
