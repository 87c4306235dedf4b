"""Intent-aware measures beside those of ndeval, on the diversity task of the TREC Web track 2009 to 2014.

Writes a section of the page ``diversity.md`` beside this file. The environment variable IRMX_DATA names the folder with the data;
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
from markdown_pages import beside, markdown, write_section
from scipy.stats import kendalltau

import irmx

PAGE = Path(__file__).with_name("diversity.md")
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


def cells(found: list[float]) -> tuple[str, str]:
    """Return how many differences are none, and the largest."""
    return f"{sum(d <= 1e-9 for d in found):,} of {len(found):,}", f"{max(found):.2g}"


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
    evaluator = irmx.evaluator(SYSTEMS, qrels_of_2012)
    scores = {name: evaluator.calc_aggregate(run) for name, run in runs_of_2012.items()}
    table = pd.DataFrame({name: {str(m): v for m, v in found.items()} for name, found in scores.items()}).T
    theirs = [
        ir_measures.calc_aggregate([ERR_IA @ 20], qrels_of_2012, run)[ERR_IA @ 20] for run in runs_of_2012.values()
    ]
    taus = [f"{kendalltau(table[m].to_numpy(), theirs)[0]:.3f}" for m in table.columns]
    rows = [
        [name, *(f"{v:.4f}" for v in row)] for name, row in zip(table.index, table.to_numpy().tolist(), strict=True)
    ]
    head = ["measure here, measure of ndeval", "equal to 1e-9", "largest difference", "equal, one order", "largest"]
    text = _PAGE.format(
        count=count,
        table=markdown(head, [[name, *cells(given[name]), *cells(ordered[name])] for name in COMPARED]),
        differ=f"{sum(d > 1e-9 for d in graded):,} of {len(graded):,}",
        largest=f"{max(graded):.2g}",
        systems=beside(
            PAGE,
            "web_diversity_systems",
            ["system", *table.columns],
            [*rows, ["tau with ERR-IA@20 of ndeval", *taus]],
        ),
    )
    write_section(PAGE, "Measures beside ndeval", text)


_PAGE = """\
The diversity measures of irmx equal those of ndeval, the program of the TREC Web track, where the definitions are the same.

{table}

Values of the package pyndeval by topic, for {count} runs of the diversity task from 2009 to 2014. In the last two columns the scores were
replaced by ranks in one order; what then is equal is the definition.

- **Equal scores.** irmx orders documents of equal scores by descending id, as trec_eval does, pyndeval by ascending id.
- **ERR-IA.** In ndeval every relevant document satisfies a user with probability 1/2, and the value is divided by that of a ranking of
  relevant documents only. The row has `stop='graded'`, which is 1/2 for grades 0 and 1, divided by the same.
- **Grades.** ndeval does not look at grades above 1, `stop='graded'` does: {differ} values differ, by up to {largest}. `IA_ERR` itself
  has the paper's R = 1.
- **MAP-IA** is `IntentAware(measure='AP')`; `IA_AP` is the mean of IA-P at the ranks of relevant documents.

[Nine systems of 2012]({systems}), and the tau of each measure with ERR-IA@20 of ndeval. Relevance is binary in `IA_nDCG`,
as in the paper of the time-aware measures: of the grades of 2012, `gain='exponential'` would make another system the best, with a tau of .389
instead of .667.

Made by `IRMX_DATA=... python docs/results/web_diversity.py` from the folder `web_diversity`.
"""


if __name__ == "__main__":
    main()
