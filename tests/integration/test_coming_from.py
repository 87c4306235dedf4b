"""The measures that docs/first/coming-from.md sets side by side with those of other tools have equal values."""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import pytrec_eval

import irmx
from irmx.demo import qrels_path, run_path

PAGE = (Path(__file__).parents[2] / "docs" / "first" / "coming-from.md").read_text(encoding="utf-8")
QRELS = irmx.read_qrels(qrels_path()).as_dict()
RUN = irmx.read_run(run_path("bm25")).as_dict()
RANX = """
import json, sys
from ranx import Qrels, Run, evaluate

qrels, run, names = json.load(sys.stdin)
print(json.dumps([float(evaluate(Qrels(qrels), Run(run), name)) for name in names]))
"""


def rows(tool: str, kind: str) -> list[tuple[str, str]]:
    """The rows of the tables under the heading of a tool that have two cells, of which the first matches a pattern."""
    section = PAGE.partition(f"\n## {tool}\n")[2].partition("\n## ")[0]
    return [
        (a, b) for a, b in re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|$", section, re.MULTILINE) if re.match(kind, a)
    ]


OF_TREC_EVAL = rows("trec_eval", r"-\w .*")
OF_RANX = rows("ranx", r"[\w@-]+$")


def of_irmx(measure: str) -> float:
    (value,) = irmx.calc_aggregate(measure, QRELS, RUN).values()
    return value


def of_trec_eval(options: str) -> float:
    """The value over all topics that trec_eval prints with some of its options, by its own code in pytrec_eval."""
    parser = argparse.ArgumentParser()
    parser.add_argument("-m", required=True)
    parser.add_argument("-l", type=int, default=1)
    parser.add_argument("-J", action="store_true")
    parser.add_argument("-M", type=int, default=sys.maxsize)
    asked = parser.parse_args(shlex.split(options))
    run = {t: dict(sorted(docs.items(), key=lambda d: (d[1], d[0]))[-asked.M :]) for t, docs in RUN.items()}
    evaluator = pytrec_eval.RelevanceEvaluator(QRELS, {asked.m}, relevance_level=asked.l, judged_docs_only_flag=asked.J)
    found = evaluator.evaluate(run)
    (name,) = next(iter(found.values()))
    return float(pytrec_eval.compute_aggregated_measure(name, [values[name] for values in found.values()]))


def test_the_page_has_rows_of_both_tools() -> None:
    assert len(OF_TREC_EVAL) > 20
    assert len(OF_RANX) > 12


@pytest.mark.parametrize(("theirs", "ours"), OF_TREC_EVAL)
def test_trec_eval_gives_the_same_value(theirs: str, ours: str) -> None:
    assert of_trec_eval(theirs) == pytest.approx(of_irmx(ours), rel=1e-12)


@pytest.mark.parametrize(("theirs", "ours"), [row for row in OF_TREC_EVAL if row[0].startswith("-m")])
def test_names_of_trec_eval_are_understood(theirs: str, ours: str) -> None:
    assert irmx.parse_measure(theirs.removeprefix("-m ")) == irmx.parse_measure(ours)


@pytest.mark.slow  # ranx takes seconds to be imported
def test_ranx_gives_the_same_values() -> None:
    """In one process without its compiler, which would take minutes."""
    done = subprocess.run(
        [sys.executable, "-c", RANX],
        input=json.dumps([QRELS, RUN, [theirs for theirs, _ in OF_RANX]]),
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    values = json.loads(done.stdout.splitlines()[-1])
    assert dict(zip(OF_RANX, values, strict=True)) == pytest.approx(
        {row: of_irmx(row[1]) for row in OF_RANX}, rel=1e-12
    )
