"""Measures of providers of ir_measures on the runs of TREC-8 with ties: called directly, and through irmx.

Writes the page ``ties.md`` beside this file. The environment variable IRMX_DATA names the folder with the data; the page
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


def row(path: Path, qrels: irmx.Judgments, evaluators: list[irmx.toolkit.Evaluator]) -> str:
    run = irmx.read_run(path)
    before = stock(qrels, run)
    after = {m: value for evaluator in evaluators for m, value in evaluator.calc_aggregate(run).items()}
    cells = " | ".join(f"{before[m]:.4f}, {after[m]:.4f}" for m in MEASURES)
    return f"| {path.name.removeprefix('input.')} | {tied(run):.0%} | {cells} |"


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
    lines = [
        "# Ties in runs of TREC-8",
        "",
        f"The order of documents with equal scores changes AP in {sum(c > 0 for c in change.values())} of {len(change)} runs. Tools order them differently; through",
        "irmx, all tools get one order.",
        "",
        "```console",
        "$ IRMX_DATA=... python docs/results/ties.py",
        "```",
        "",
        "makes this page. `IRMX_DATA` is the folder that holds `trec8_adhoc`, the qrels and the runs of the ad hoc task of TREC-8;",
        "they are not part of irmx, and this page holds scores only. Each cell is the mean over the 50 topics, first from the",
        "provider of ir_measures called directly, which orders equal scores as the file does (cwl_eval) or by ascending id",
        "(compat), then from the same provider through irmx, which gives it the documents in trec_eval's order.",
        "",
        f"The order of ties in the file changes AP most in these {SHOWN}:",
        "",
        f"| run | tied scores | {' | '.join(f'`{m}`' for m in MEASURES)} |",
        f"| --- | ---: | {' | '.join('---:' for _ in MEASURES)} |",
        *rows,
    ]
    (Path(__file__).parent / "ties.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
