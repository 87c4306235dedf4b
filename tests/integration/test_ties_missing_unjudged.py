"""The table of the guide on ties, missing and unjudged documents: every row, with every tool that it names."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ir_measures
import pyndeval
import pytest
import pytrec_eval
from ir_measures import AP, RR, Bpref, Qrel, ScoredDoc

import irmx

PAGE = Path(__file__).parent.parent.parent / "docs" / "guide" / "ties-missing-unjudged.md"
FIRST = "NCP(law=first)"
"""The reciprocal of the rank of the first relevant document."""

ONE = {"q": {"a": 1}}
LOW_FIRST, HIGH_FIRST = {"q": {"a": 1.0, "b": 1.0}}, {"q": {"b": 1.0, "a": 1.0}}
"""Two documents with one score, in both orders of lines."""
CLOSE = {"q": {"a": 100000.1546101, "b": 100000.1546100}}
"""Scores that differ beyond 32 bits."""
TWO, TWO_TOPICS = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1}, "z": {"a": 1}}


# -- the tools ---------------------------------------------------------------------------------------------


def of_irmx(qrels: Any, run: Any, measure: str = FIRST) -> float:
    (value,) = irmx.calc_aggregate(measure, qrels, run).values()
    return float(value)


def of_trec_eval(qrels: Any, run: Any, measure: str = "recip_rank", **options: Any) -> dict[str, float]:
    """The value of every topic."""
    found = pytrec_eval.RelevanceEvaluator(qrels, {measure}, **options).evaluate(run)
    return {topic: values[measure.replace(".", "_")] for topic, values in found.items()}


def of_ir_measures(qrels: Any, run: Any, measure: Any = RR) -> float:
    return float(ir_measures.providers.registry["pytrec_eval"].evaluator([measure], qrels).calc_aggregate(run)[measure])


def of_ndeval(qrels: Any, run: Any, measure: str = "ERR-IA@5") -> dict[str, float]:
    """The value of every topic; qrels and run are of one subtopic, or rows."""
    rows = qrels if isinstance(qrels, list) else [(q, "1", d, g) for q, docs in qrels.items() for d, g in docs.items()]
    docs = run if isinstance(run, list) else [(q, d, s) for q, docs in run.items() for d, s in docs.items()]
    found = pyndeval.ndeval(
        [pyndeval.SubtopicQrel(*r) for r in rows], [pyndeval.ScoredDoc(*r) for r in docs], measures=[measure]
    )
    return {topic: values[measure] for topic, values in found.items()}


RANX = """
import json, sys, tempfile
from pathlib import Path
from ranx import Qrels, Run, evaluate

def rows(kind, given):
    if isinstance(given, dict):
        return kind(given)
    path = Path(tempfile.mkdtemp()) / "given.txt"
    path.write_text(given)
    return kind.from_file(str(path), kind="trec")

out = []
for qrels, run, measure, options in json.load(sys.stdin):
    try:
        out.append(float(evaluate(rows(Qrels, qrels), rows(Run, run), measure, **options)))
    except AssertionError as error:
        out.append(str(error))
print(json.dumps(out))
"""
COMPARABLE = {"make_comparable": True}
OF_RANX: dict[str, list[tuple[Any, Any, str, dict[str, Any], Any]]] = {
    "order of documents": [(ONE, {"q": {"b": 100000.1546100, "a": 100000.1546101}}, "mrr", {}, 1.0)],
    "equal scores": [(ONE, LOW_FIRST, "mrr", {}, 1.0), (ONE, HIGH_FIRST, "mrr", {}, 0.5)],
    "document without a judgment": [(ONE, {"q": {"x": 2.0, "a": 1.0}}, "mrr", {}, 0.5)],
    "grades": [
        ({"q": {"a": 1, "b": 2}}, TWO, "mrr", {}, 1.0),
        ({"q": {"a": 1, "b": 2}}, TWO, "mrr-l2", {}, 0.5),
        ({"q": {"a": 1, "b": 1.5}}, TWO, "ndcg", {}, 1.0),
    ],
    "negative grades": [
        ({"q": {"a": -1, "b": 1}}, TWO, "mrr", {}, 0.5),
        ({"q": {"a": -1, "b": 1}}, TWO, "ndcg", {}, 1 / math.log2(3)),
    ],
    "several qrels rows for one document": [
        ("q 0 a 1\nq 0 a 0\n", TWO, "mrr", {}, 0.0),
        ("q 0 a 0\nq 0 a 1\n", TWO, "mrr", {}, 1.0),
    ],
    "document twice in a run's topic": [(ONE, "q Q0 b 1 3 t\nq Q0 a 2 2 t\nq Q0 b 3 1 t\n", "mrr", {}, 1.0)],
    "topic of the qrels that the run lacks": [
        (TWO_TOPICS, TWO, "mrr", {}, "do not match"),
        (TWO_TOPICS, TWO, "mrr", COMPARABLE, 0.5),
    ],
    "topic of the run that the qrels lack": [
        (ONE, {**TWO, "z": {"x": 1.0}}, "mrr", {}, "do not match"),
        (ONE, {**TWO, "z": {"x": 1.0}}, "mrr", COMPARABLE, 1.0),
    ],
    "topic without a relevant judged document": [
        ({"q": {"a": 1}, "z": {"a": 0}}, {**TWO, "z": {"a": 1.0}}, "mrr", {}, 0.5),
    ],
    "topic for which nothing relevant is retrieved": [(ONE, {"q": {"b": 1.0}}, "map", {}, 0.0)],
    "`cutoff`, `@k`": [({"q": {"a": 1, "b": 1, "c": 1}}, TWO, "map@1", {}, 1 / 3)],
}


@pytest.mark.slow  # ranx compiles its functions at their first call
def test_ranx() -> None:
    """In one process without its compiler, which would take minutes."""
    asked = [(case, *one) for case, several in OF_RANX.items() for one in several]
    done = subprocess.run(
        [sys.executable, "-c", RANX],
        input=json.dumps([one[1:5] for one in asked]),
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    for (case, *_, expected), found in zip(asked, json.loads(done.stdout.splitlines()[-1]), strict=True):
        if isinstance(expected, str):
            assert expected in found, case
        else:
            assert found == pytest.approx(expected, abs=1e-12), case


# -- the rows ----------------------------------------------------------------------------------------------


def order() -> None:
    assert of_irmx(ONE, CLOSE) == of_ir_measures(ONE, CLOSE) == 0.5
    assert of_trec_eval(ONE, CLOSE) == {"q": 0.5}
    # were they equal to ndeval, a would stand first
    last_first = {"q": {"a": 100000.1546100, "b": 100000.1546101}}
    assert of_ndeval({"q": {"b": 1}}, last_first) == of_ndeval({"q": {"b": 1}}, {"q": {"b": 1.0}})


def ties() -> None:
    for run in (LOW_FIRST, HIGH_FIRST):
        assert of_irmx(ONE, run) == of_ir_measures(ONE, run) == 0.5
        assert of_trec_eval(ONE, run) == {"q": 0.5}
        assert of_ndeval(ONE, run) == of_ndeval(ONE, {"q": {"a": 1.0}}) != of_ndeval({"q": {"b": 1}}, run)


def lines() -> None:
    ties()
    ranked_wrongly = ["q Q0 b 1 1.0 t", "q Q0 a 2 2.0 t"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.txt"
        path.write_text("\n".join(ranked_wrongly) + "\n", encoding="utf-8")
        assert of_irmx(ONE, path) == of_ir_measures(ONE, list(ir_measures.read_trec_run(str(path)))) == 1.0
    assert of_trec_eval(ONE, pytrec_eval.parse_run(ranked_wrongly)) == {"q": 1.0}
    assert of_irmx(ONE, LOW_FIRST, "NCP(law=first,ties='run')") == 1.0
    assert of_irmx(ONE, HIGH_FIRST, "NCP(law=first,ties='run')") == 0.5
    assert of_irmx(ONE, {"q": {"b": 100000.1546100, "a": 100000.1546101}}, "NCP(law=first,ties='run')") == 1.0


def unjudged() -> None:
    run = {"q": {"x": 2.0, "a": 1.0}}
    assert of_irmx(ONE, run) == of_ir_measures(ONE, run) == 0.5
    assert of_trec_eval(ONE, run) == {"q": 0.5}
    assert of_irmx(ONE, run, "NCP(law=first,judged_only=True)") == of_ir_measures(ONE, run, RR(judged_only=True)) == 1.0
    assert of_trec_eval(ONE, run, judged_docs_only_flag=True) == {"q": 1.0}
    assert of_ndeval(ONE, run)["q"] == pytest.approx(of_ndeval(ONE, {"q": {"a": 1.0}})["q"] / 2)


def grades() -> None:
    qrels, fractions = {"q": {"a": 1, "b": 2}}, {"q": {"a": 0.5, "b": 1.0}}
    assert of_irmx(qrels, TWO) == of_ir_measures(qrels, TWO) == 1.0
    assert of_irmx(qrels, TWO, "NCP(law=first,rel=2)") == of_ir_measures(qrels, TWO, RR(rel=2)) == 0.5
    assert of_trec_eval(qrels, TWO, relevance_level=2) == {"q": 0.5}
    assert of_irmx(fractions, TWO) == 0.5
    assert of_irmx(fractions, TWO, "NCP(law=first,rel=0.5)") == 1.0
    for tool in (of_trec_eval, of_ir_measures):
        with pytest.raises(TypeError, match="integer"):
            tool(fractions, TWO)
    assert of_ndeval(fractions, TWO, "P-IA@5") == of_ndeval({"q": {"b": 1}}, TWO, "P-IA@5") == {"q": 0.2}
    assert of_ndeval(qrels, TWO) == of_ndeval({"q": {"a": 1, "b": 1}}, TWO)


def negative() -> None:
    qrels = {"q": {"a": -1, "b": 1}}
    assert of_irmx(qrels, TWO) == of_ir_measures(qrels, TWO) == 0.5
    assert of_trec_eval(qrels, TWO) == {"q": 0.5}
    assert of_irmx(qrels, TWO, "NCP(law=first,judged_only=True)") == 1.0
    assert of_trec_eval(qrels, TWO, judged_docs_only_flag=True) == {"q": 1.0}
    assert of_ir_measures(qrels, TWO, RR(judged_only=True)) == 1.0
    assert of_trec_eval(qrels, TWO, "bpref") == {"q": 1.0} != of_trec_eval({"q": {"a": 0, "b": 1}}, TWO, "bpref")
    assert of_ir_measures(qrels, TWO, Bpref) == 1.0
    assert of_ndeval(qrels, TWO) == of_ndeval({"q": {"b": 1}}, TWO)


def several_rows() -> None:
    for grades_of_rows in ((2, 0), (0, 2)):
        rows = [Qrel("q", "a", grade, str(i)) for i, grade in enumerate(grades_of_rows)]
        assert of_irmx(rows, TWO, "NCP(law=first,rel=2)") == 1.0
        assert of_irmx(rows, TWO, "RR(rel=2)") == 1.0
        assert of_irmx(rows, TWO, "I_rec@1") == 1.0
        assert of_ir_measures(rows, TWO) == (1.0 if grades_of_rows[-1] else 0.0)
        of_subtopic = [("q", "1", "a", grade) for grade in grades_of_rows]
        assert of_ndeval(of_subtopic, TWO, "P-IA@5") == {"q": 0.2 if grades_of_rows[-1] else 0.0}
    with pytest.raises(AssertionError):
        pytrec_eval.parse_qrel(["q 0 a 2", "q 0 a 0"])
    # a for both subtopics, b for one: (1 + 2)/(2 * 5)
    assert of_ndeval([("q", "1", "a", 1), ("q", "2", "a", 1), ("q", "2", "b", 1)], TWO, "P-IA@5") == {"q": 0.3}


def twice() -> None:
    run = [ScoredDoc("q", "b", 3.0), ScoredDoc("q", "a", 2.0), ScoredDoc("q", "b", 1.0)]
    with pytest.raises(irmx.DataError, match="'b'"):
        of_irmx(ONE, run)
    with pytest.raises(AssertionError):
        pytrec_eval.parse_run(["q Q0 b 1 3 t", "q Q0 b 2 1 t"])
    assert of_ir_measures(ONE, run) == 1.0
    qrels = {"q": {"a": 1, "b": 1}}
    assert of_ndeval(qrels, [("q", "a", 3.0), ("q", "a", 2.0), ("q", "b", 1.0)]) == of_ndeval(
        qrels, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}
    )


def lacking_topic() -> None:
    assert of_irmx(TWO_TOPICS, TWO) == of_ir_measures(TWO_TOPICS, TWO) == 0.5
    for measure in ("MP(model=GL_AD_ID)", "MPcont(model=GL_AD_ID,times=by_rank(seconds=[9,5]))"):
        assert {m.query_id: m.value for m in irmx.iter_calc(measure, TWO_TOPICS, TWO)}["z"] == 0.0
    assert set(of_trec_eval(TWO_TOPICS, TWO)) == set(of_ndeval(TWO_TOPICS, TWO)) == {"q"}


def further_topic() -> None:
    run = {**TWO, "z": {"a": 1.0}}
    assert [m.query_id for m in irmx.iter_calc(FIRST, ONE, run)] == ["q"]
    assert of_irmx(ONE, run) == of_ir_measures(ONE, run) == 1.0
    assert set(of_trec_eval(ONE, run)) == set(of_ndeval(ONE, run)) == {"q"}


def nothing_relevant_judged() -> None:
    qrels, run = {"q": {"a": 1}, "z": {"a": 0}}, {**TWO, "z": {"a": 1.0}}
    assert of_irmx(qrels, run) == of_ir_measures(qrels, run) == 0.5
    assert of_irmx(qrels, run, "NCP(law=first,no_relevant='nan')") == 1.0
    assert of_trec_eval(qrels, run)["z"] == of_ndeval(qrels, run)["z"] == 0.0


def nothing_relevant_retrieved() -> None:
    run = {"q": {"b": 1.0}}
    assert of_irmx(ONE, run) == of_ir_measures(ONE, run) == 0.0
    assert of_trec_eval(ONE, run) == of_ndeval(ONE, run) == {"q": 0.0}


def cutoff() -> None:
    qrels = {"q": {"a": 1, "b": 1, "c": 1}}
    assert of_irmx(qrels, TWO, "NCP(law=uniform)@1") == of_ir_measures(qrels, TWO, AP @ 1) == pytest.approx(1 / 3)
    assert of_trec_eval(qrels, TWO, "map_cut.1") == {"q": pytest.approx(1 / 3)}
    assert of_ndeval(qrels, TWO, "P-IA@20") == {"q": 0.1}
    with pytest.raises(AssertionError, match="up to 20"):
        of_ndeval(qrels, TWO, "P-IA@21")


ROWS: dict[str, Callable[[], None]] = {
    "order of documents": order,
    "equal scores": ties,
    "ranks and order of lines in the run": lines,
    "document without a judgment": unjudged,
    "grades": grades,
    "negative grades": negative,
    "several qrels rows for one document": several_rows,
    "document twice in a run's topic": twice,
    "topic of the qrels that the run lacks": lacking_topic,
    "topic of the run that the qrels lack": further_topic,
    "topic without a relevant judged document": nothing_relevant_judged,
    "topic for which nothing relevant is retrieved": nothing_relevant_retrieved,
    "`cutoff`, `@k`": cutoff,
}


@pytest.mark.parametrize("case", ROWS)
def test_row(case: str) -> None:
    ROWS[case]()


def test_every_row_of_the_table_is_here() -> None:
    lines_of_table = re.findall(r"^\| (.+?) \|.*\|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert lines_of_table[2:] == list(ROWS)
    assert set(OF_RANX) == set(ROWS) - {"ranks and order of lines in the run"}  # the row above says it
