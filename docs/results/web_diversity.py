"""Intent-aware measures beside those of ndeval, on the diversity task of the TREC Web track 2009 to 2014.

Writes the page ``web_diversity.md`` beside this file. The environment variable IRMX_DATA names the folder with the data;
the page holds scores and differences only, nothing of the data.
"""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
from ir_measures import AP_IA, ERR_IA, P_IA, StRecall
from scipy.stats import kendalltau

import irmx

IDEAL = sum(2**-r / r for r in range(1, 21))
"""What ndeval divides ERR-IA@20 by."""
COMPARED: dict[str, tuple[str, Any, float]] = {
    "`IA_P@20`, P-IA@20": ("IA_P@20", P_IA @ 20, 1),
    "`I_rec@20`, strec@20": ("I_rec@20", StRecall @ 20, 1),
    "`IntentAware(measure='AP')`, MAP-IA": ("IntentAware(measure='AP')", AP_IA, 1),
    "`IA_ERR(stop='graded')@20` / ideal, ERR-IA@20": ("IA_ERR(stop='graded')@20", ERR_IA @ 20, 1 / IDEAL),
}
SYSTEMS = [
    "IA_nDCG@20",
    "IA_ERR@20",
    "IA_ERR(stop='graded')@20",
    "IA_P@20",
    "IA_AP@20",
    "I_rec@20",
    "D_nDCG@20",
    "Dsharp_nDCG@20",
]


def rows_of(path: Path, read: Any) -> pd.DataFrame:
    with gzip.open(path, "rt") as file:
        return pd.DataFrame(list(read(file)))


def in_order(run: pd.DataFrame) -> pd.DataFrame:
    """Return a run with distinct scores, in the order that pyndeval gives equal ones: by ascending document id."""
    run = run.sort_values(["query_id", "score", "doc_id"], ascending=[True, False, True])
    return run.assign(score=[-float(i) for i in range(len(run))])


def differences(ours: str, theirs: Any, factor: float, qrels: pd.DataFrame, run: pd.DataFrame) -> list[float]:
    """Return the difference in every topic."""
    tables = (list(table.itertuples(index=False)) for table in (qrels, run))  # quicker there than frames
    by_topic = {m.query_id: m.value for m in ir_measures.iter_calc([theirs], *tables)}
    return [abs(m.value * factor - by_topic[m.query_id]) for m in irmx.iter_calc(ours, qrels, run)]


def cells(found: list[float]) -> str:
    return f"{sum(d <= 1e-9 for d in found):,} of {len(found):,} | {max(found):.2g}"


def main() -> None:
    folder = Path(os.environ["IRMX_DATA"]).resolve() / "web_diversity"
    given: dict[str, list[float]] = {name: [] for name in COMPARED}
    ordered: dict[str, list[float]] = {name: [] for name in COMPARED}
    graded: list[float] = []
    runs_of_2012, qrels_of_2012 = {}, pd.DataFrame()
    count = 0
    for year in range(2009, 2015):
        qrels = rows_of(folder / str(year) / "qrels.diversity.txt.gz", ir_measures.read_trec_qrels)
        binary = qrels.assign(relevance=(qrels["relevance"] > 0).astype(int))
        for path in sorted((folder / str(year) / "runs").glob("*.run.gz")):
            run = rows_of(path, ir_measures.read_trec_run)
            count += 1
            for name, (ours, theirs, factor) in COMPARED.items():
                judged = binary if "ERR" in ours else qrels
                given[name] += differences(ours, theirs, factor, judged, run)
                ordered[name] += differences(ours, theirs, factor, judged, in_order(run))
            if year > 2010:
                graded += differences("IA_ERR(stop='graded')@20", ERR_IA @ 20, 1 / IDEAL, qrels, in_order(run))
            if year == 2012:
                runs_of_2012[path.name.removesuffix(".run.gz")] = run
                qrels_of_2012 = qrels
    lines = [
        "# Diversity measures beside ndeval",
        "",
        "The diversity measures of irmx equal those of ndeval where the definitions are the same. This page explains the other differences.",
        "",
        "```console",
        "$ IRMX_DATA=... python docs/results/web_diversity.py",
        "```",
        "",
        "makes this page. `IRMX_DATA` is the folder that holds `web_diversity`, qrels of the diversity task of the TREC Web track",
        f"2009 to 2014 and {count} runs; they are not part of irmx, and this page holds scores and differences only. ndeval is the",
        "track's program; its values are those of the package pyndeval through ir_measures.",
        "",
        "## Differences, topic by topic",
        "",
        "| measure here, measure of ndeval | equal to 1e-9 | largest difference | equal, one order | largest, one order |",
        "| --- | ---: | ---: | ---: | ---: |",
        *(f"| {name} | {cells(given[name])} | {cells(ordered[name])} |" for name in COMPARED),
        "",
        "- **Equal scores.** irmx orders documents of equal scores by descending id, as trec_eval does and the track's ndeval with",
        "  its option -traditional (without it, by the ranks in the run); pyndeval orders them by ascending id.",
        "  The last two columns are for runs whose scores were replaced by ranks in one order, by ascending id: what then is equal",
        "  is the definition. With `ties='run'` irmx keeps the order of the run, whatever it is.",
        "- **ERR-IA.** ndeval takes every relevant document to satisfy a user with probability 1/2, and divides by the value of a",
        "  ranking in which every document is relevant, the sum of 2^-r / r. `stop='graded'` is (2^g - 1) / 2^max, which is 1/2 if",
        "  all grades are 0 or 1: the row is for qrels made so, and for `IA_ERR` divided by that sum.",
        "- **Grades.** From 2011 on relevant documents have grades up to 4. ndeval does not look at them, `stop='graded'` does: on the",
        f"  graded qrels {sum(d > 1e-9 for d in graded):,} of {len(graded):,} values of the same two differ, by up to {max(graded):.2g}. `IA_ERR` itself has the paper's",
        "  R = 1, so that it is the mean over subtopics of 1/rank of the first relevant document.",
        "- **MAP-IA** is the mean over subtopics of AP, `IntentAware(measure='AP')`. `IA_AP` is the mean of IA-P at the ranks of",
        "  relevant documents, another measure.",
        "",
        "## Nine systems of 2012",
        "",
        f"| system | {' | '.join(f'`{m}`' for m in SYSTEMS)} |",
        "| --- |" + " ---: |" * len(SYSTEMS),
    ]
    evaluator = irmx.evaluator(SYSTEMS, qrels_of_2012)
    scores = {name: evaluator.calc_aggregate(run) for name, run in runs_of_2012.items()}
    table = pd.DataFrame({name: {str(m): v for m, v in found.items()} for name, found in scores.items()}).T
    lines += [
        f"| {name} | " + " | ".join(f"{v:.4f}" for v in row) + " |"
        for name, row in zip(table.index, table.to_numpy(), strict=True)
    ]
    theirs = [
        ir_measures.calc_aggregate([ERR_IA @ 20], qrels_of_2012, run)[ERR_IA @ 20] for run in runs_of_2012.values()
    ]
    taus = [f"{kendalltau(table[m].to_numpy(), theirs)[0]:.3f}" for m in table.columns]
    lines += [f"| tau with ERR-IA@20 of ndeval | {' | '.join(taus)} |"]
    Path(__file__).with_suffix(".md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
