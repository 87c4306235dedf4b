"""Measures of providers of ir_measures on the runs of TREC-8 with ties: called directly, and through irmx.

Writes a section of the page ``trec8.md`` beside this file. The environment variable IRMX_DATA names the folder with the data; the page
holds scores only, nothing of the data.
"""

from __future__ import annotations

import os
import tarfile
import tempfile
from pathlib import Path

import ir_measures
import numpy as np
from ir_measures import BPM, INST, RBP, SDCG, Compat
from markdown_pages import markdown, write_section

import irmx

MEASURES = [RBP(rel=1), INST(max_rel=1), BPM(max_rel=1) @ 10, SDCG(max_rel=1) @ 10, Compat]
SHOWN = 7


def stock(qrels: irmx.Judgments, run: irmx.Run) -> dict[ir_measures.Measure, float]:
    """Return the means that ir_measures gives, with its own providers, for the rows in the order of the file."""
    measures = {
        name: [m for m in MEASURES if (m.NAME == "Compat") == (name == "compat")] for name in ("cwl_eval", "compat")
    }
    means: dict[ir_measures.Measure, float] = {}
    for name, some in measures.items():
        means |= ir_measures.providers.registry[name].calc_aggregate(some, qrels.as_dict(), run.as_dict())
    return means


def changes(qrels: irmx.Judgments, paths: list[Path]) -> dict[Path, float]:
    """Return by how much AP differs, in the mean, between the order of the file and that of trec_eval."""
    both = irmx.evaluator("NCP(law=uniform,ties='run') NCP(law=uniform)", qrels)
    return {path: abs(float(np.subtract(*both.calc_aggregate(path).values()))) for path in paths}


def tied(run: irmx.Run) -> float:
    """Return the share of scores that are equal to an earlier one of the topic, in 32 bits."""
    topics = zip(run.offsets, run.offsets[1:], strict=False)
    return 1 - sum(len(np.unique(run.score[a:b].astype(np.float32))) for a, b in topics) / len(run)


def row(path: Path, qrels: irmx.Judgments, evaluators: list[irmx.toolkit.Evaluator]) -> list[str]:
    """Return the share of ties of a run, and the means of all measures called directly and through irmx."""
    run = irmx.read_run(path)
    before = stock(qrels, run)
    after = {m: value for evaluator in evaluators for m, value in evaluator.calc_aggregate(run).items()}
    cells = [f"{before[m]:.4f}, {after[m]:.4f}" for m in MEASURES]
    return [path.name.removeprefix("input."), f"{tied(run):.0%}", *cells]


def main() -> None:
    data = Path(os.environ["IRMX_DATA"]) / "trec8_adhoc"
    qrels = irmx.read_qrels(data / "qrels.trec8.adhoc.401-450.txt.gz")
    evaluators = [irmx.evaluator(MEASURES[:-1], qrels, provider="cwl_eval"), irmx.evaluator(Compat, qrels)]
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(data / "runs_full_depth1000.tar.xz") as archive:
            archive.extractall(folder, filter="data")
        change = changes(qrels, sorted(path for path in Path(folder).rglob("*") if path.is_file()))
        most = sorted(change, key=lambda path: change[path], reverse=True)[:SHOWN]
        rows = [row(path, qrels, evaluators) for path in most]
    write_section(
        Path(__file__).with_name("trec8.md"),
        "Ties in runs of TREC-8",
        _PAGE.format(
            changed=sum(c > 0 for c in change.values()),
            runs=len(change),
            shown=SHOWN,
            table=markdown(["run", "tied scores", *(f"`{m}`" for m in MEASURES)], rows),
        ),
    )


_PAGE = """\
The order of documents with equal scores changes AP in {changed} of {runs} runs. Tools order them differently; through irmx, all tools
get the order of trec_eval. Each cell has two means over topics: from the provider of ir_measures called directly, which
keeps the order of the file (cwl_eval) or orders by ascending id (compat), and through irmx.

Made by `IRMX_DATA=... python docs/results/ties.py`. The order of ties changes AP most in these {shown}:

{table}
"""


if __name__ == "__main__":
    main()
