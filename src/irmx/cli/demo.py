"""``irmx demo``: the main job on a small simulated collection."""

from __future__ import annotations

import shlex
import sys

from irmx.demo import SYSTEMS, demo_measures, qrels_path, run_path
from irmx.evaluate import Evaluator
from irmx.reports.base import SUMMARY, Layout, Result
from irmx.reports.table import TableReport


def demo() -> None:
    """Score three systems of a small collection.

    Existing and new measures stand side by side. The collection is simulated, was made for irmx and is part of the package; nothing is fetched.
    """
    measures = demo_measures()
    evaluator = Evaluator(measures, str(qrels_path()))
    results = []
    for system in SYSTEMS:
        means = evaluator.calc_aggregate(str(run_path(system)))
        results += [Result(system, SUMMARY, m, means[m]) for m in measures]
    print(
        f"Three simulated systems, {len(evaluator.judgments.topics)} simulated topics (made for this demo, no real data):"
    )
    TableReport().write(results, Layout(measures, False, True, 4), sys.stdout)
    print("The same from the shell, with your own files:")
    names = " ".join(_quoted(str(m)) for m in measures)
    print(f"  irmx eval {shlex.quote(str(qrels_path()))} '{qrels_path().parent / '*.run'}' {names}")
    print("Next: irmx measures, irmx explain, irmx plugins.")


def _quoted(measure: str) -> str:
    r"""Return a measure as one word of a shell.

    >>> _quoted("MP(model=GL_AD_LID,rescale='recall')")
    '"MP(model=GL_AD_LID,rescale=\'recall\')"'
    """
    if "(" not in measure:
        return measure
    return f'"{measure}"' if "'" in measure else f"'{measure}'"
