"""Kendall's tau between the rankings of the TREC-8 ad hoc runs under Markov Precision and under other measures.

Writes the page ``trec8_markov_precision.md`` beside this file. The environment variable IRMX_DATA names the folder
with the data; the page holds correlations only, nothing of the data.
"""

from __future__ import annotations

import gzip
import os
import sys
import tarfile
import tempfile
from collections.abc import Iterable
from itertools import product
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import kendalltau

import irmx

MODELS = (
    *("GL_AD_ID", "GL_AD_LID", "GL_OR_ID", "GL_OR_LID"),
    *("LO_AD_ID", "LO_AD_LID", "LO_OR_ID", "LO_OR_LID", "constant"),
)
VARIANTS = {m: f"MP(model={m})" for m in MODELS} | {f"{m}@Rec": f"MP(model={m},rescale='recall')" for m in MODELS}
"""The variants of MP by the names of the paper; @Rec multiplies by recall."""
OTHERS = {"AP": "AP", "P@10": "P@10", "Rprec": "Rprec", "RBP(p=0.8)": "RBP(rel=1)", "Bpref": "Bpref"}
"""The measures they are compared with; p = 0.8 is RBP's default in ir_measures."""
MEASURES = [*VARIANTS.values(), *OTHERS.values()]
EXACT = 12
"""Means are compared to this many decimals; the rounding of sums would put equal systems into an order."""
BATCH = 8

Values = dict[str, dict[str, float]]
"""Of one run: for every measure the value of every topic."""


def score(qrels: Path, runs: Iterable[Path]) -> list[Values]:
    """Return the values of runs under all measures; each is read once."""
    evaluator = irmx.evaluator(MEASURES, qrels)
    return [{str(m): by_topic for m, by_topic in evaluator.values(run).items()} for run in runs]


def score_all(qrels: Path, runs: dict[str, Path]) -> dict[str, Values]:
    """Return the values of all runs, by the name of the run, computed on all cores."""
    names, paths = list(runs), list(runs.values())
    batches = [paths[i : i + BATCH] for i in range(0, len(paths), BATCH)]
    done = Parallel(n_jobs=-1, return_as="generator")(delayed(score)(qrels, batch) for batch in batches)
    if sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import track

        done = track(done, "Scoring runs", total=len(batches), console=Console(stderr=True))
    return dict(zip(names, (values for batch in done for values in batch), strict=True))


def means(values: dict[str, Values], measure: str, decimals: int) -> np.ndarray:
    """Return the mean over topics of every run, rounded."""
    return np.array([np.round(np.mean(list(v[measure].values())), decimals) for v in values.values()])


def taus(values: dict[str, Values], decimals: int = EXACT) -> dict[tuple[str, str], float]:
    """Return tau-b of every variant of MP with every other measure, over the means of all runs."""
    mean = {name: means(values, m, decimals) for name, m in {**VARIANTS, **OTHERS}.items()}
    return {(v, o): float(kendalltau(mean[v], mean[o]).statistic) for v, o in product(VARIANTS, OTHERS)}


def largest_difference(values: dict[str, Values], one: str, other: str) -> float:
    """Return the largest absolute difference of two measures over all runs and topics."""
    names = {**VARIANTS, **OTHERS}
    one, other = names[one], names[other]
    return max(abs(v[one][t] - v[other][t]) for v in values.values() for t in v[one])


def table(tau: dict[tuple[str, str], float]) -> str:
    """Return correlations as a Markdown table, a row a variant."""
    rows = [["", *OTHERS], ["---", *["---:"] * len(OTHERS)]]
    rows += [[v, *(f"{tau[v, o]:.4f}" for o in OTHERS)] for v in VARIANTS]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def page(values: dict[str, Values]) -> str:
    """Return the page in Markdown."""
    tau, rounded = taus(values), taus(values, 4)
    moved = max(tau, key=lambda pair: abs(rounded[pair] - tau[pair]))
    compared = {pair: t for pair, t in tau.items() if pair[1] in ("AP", "P@10", "Rprec")}
    lowest = min(compared, key=compared.__getitem__)
    close = {v: tau[v, "AP"] for v in ("GL_AD_LID@Rec", "LO_AD_ID@Rec")}
    same = max(largest_difference(values, f"LO_AD_ID{s}", f"LO_AD_LID{s}") for s in ("", "@Rec"))
    exact = largest_difference(values, "constant@Rec", "AP")
    return _PAGE.format(
        runs=len(values),
        topics=len(next(iter(values.values()))["AP"]),
        exact_decimals=EXACT,
        table=table(tau),
        rounded=table(rounded),
        moved=f"{abs(rounded[moved] - tau[moved]):.4f} ({moved[0]} with {moved[1]})",
        lowest=f"{compared[lowest]:.4f}, {lowest[0]} with {lowest[1]}",
        none_below=_verdict(compared[lowest] >= 0.70),
        close="; ".join(f"{v} {t:.4f}" for v, t in close.items()),
        all_close=_verdict(all(0.97 <= t <= 1.0 for t in close.values())),
        same=_difference(same),
        all_same=_verdict(same <= 1e-12),
        exact=_difference(exact),
        all_exact=_verdict(exact <= 1e-12),
    )


def _difference(found: float) -> str:
    return "no value of a topic differs by more than 1e-12" if found <= 1e-12 else f"values differ by up to {found:.2g}"


def _verdict(holds: bool) -> str:
    return "holds" if holds else "does not hold"


_PAGE = """\
# Markov Precision on TREC-8: agreement with other measures

```console
$ IRMX_DATA=... python docs/results/trec8_markov_precision.py
```

makes this page. `IRMX_DATA` is the folder that holds `trec8_adhoc`, the data of the TREC-8 ad hoc task; they
are not part of irmx, and this page holds correlations only.

All {runs} runs submitted to TREC-8 ad hoc are ranked by their mean over the {topics} topics under each variant
of Markov Precision and under each other measure. The numbers are Kendall's tau-b between two such rankings
(`scipy.stats.kendalltau`), the quantity of Tables 2 and 3 of Ferrante, Ferro and Maistro (SIGIR 2014).
Documents are in the order of trec_eval (scores in 32 bits, ties by document id, descending), unjudged documents
are not relevant, and `@Rec` is `rescale='recall'`. AP, P@10, Rprec, RBP and Bpref come from ir_measures. Means
are compared to {exact_decimals} decimals: beyond that they differ by the rounding of sums, which would put runs
of equal P@10 into an order.

## Kendall's tau-b

{table}

## With means rounded to 4 decimals first

The paper's authors round the means before they correlate; systems whose means agree to 4 decimals then tie. The
largest change is {moved}.

{rounded}

## What the paper states, and what is found here

The paper reports on TREC 7, 8, 10 and 14. This page is about TREC-8 alone, so it can agree or disagree with the
paper's statements for that collection and says nothing of the others.

| The paper's statement | On these {runs} runs | |
| --- | --- | --- |
| No tau of a variant of MP with AP, P@10 or Rprec is below 0.70 | the smallest is {lowest} | {none_below} |
| GL_AD_LID@Rec and LO_AD_ID@Rec have a tau with AP between 0.97 and 1.00 | {close} | {all_close} |
| LO_AD_ID and LO_AD_LID are identical | {same} | {all_same} |
| Constant transition probabilities with @Rec give AP | {exact} | {all_exact} |

The verdicts are for means as computed, without rounding to 4 decimals.
"""


def unpack(data: Path, folder: Path) -> tuple[Path, dict[str, Path]]:
    """Unpack the qrels and the runs of TREC-8 into a folder; return where they are."""
    qrels = folder / "qrels.txt"
    qrels.write_bytes(gzip.decompress((data / "qrels.trec8.adhoc.401-450.txt.gz").read_bytes()))
    runs = {}
    with tarfile.open(data / "runs_full_depth1000.tar.xz") as archive:
        for member in archive:
            stream = archive.extractfile(member)
            if stream is not None:
                path = folder / Path(member.name).name
                path.write_bytes(stream.read())
                runs[path.name.removeprefix("input.")] = path
    return qrels, dict(sorted(runs.items()))


def main() -> None:
    if "IRMX_DATA" not in os.environ:
        sys.exit("Set IRMX_DATA to the folder that holds trec8_adhoc.")
    with tempfile.TemporaryDirectory() as folder:
        found = page(score_all(*unpack(Path(os.environ["IRMX_DATA"]) / "trec8_adhoc", Path(folder))))
    target = Path(__file__).with_suffix(".md")
    target.write_text(found, encoding="utf-8")
    print(f"{target.name} written")


if __name__ == "__main__":
    main()
