"""The Temporal Summarization measures of three runs of 2014 beside their official scores.

Writes the page ``tst2014_track_measures.md`` beside this file. The environment variable IRMX_DATA names the folder
with the data; the page holds differences only, nothing of the data.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import sys
import warnings
from pathlib import Path

import numpy as np

import irmx
from irmx_stream import read_tst_runs

OFFICIAL = {
    "Comp": "Comprehensiveness",
    "LC": "Latency Comp.",
    "TS_Latency": "E[Latency]",
    "EG": "E[Gain]",
    "nEG": "nE[Gain]",
    "ELG": "E[Latency Gain]",
    "nELG": "nE[Latency Gain]",
    "TS_H": "HM(nE[LG],Lat. Comp.)",
    "TS_Verbosity": "E[Verbosity]",
}
"""The official name of every measure."""
WORDS = ("EG", "nEG", "ELG", "nELG", "TS_H", "TS_Verbosity")
"""The measures that count words."""
SCRIPT = "words='track',same_time='run'"
"""The setting nearest to the track's script."""
READINGS = {
    "as defined here": "",
    "never pooled updates dropped (`track='2013'`)": "track='2013'",
    "near-duplicates found later count, too (`duplicates='all'`)": "duplicates='all'",
    "updates of one time as in the file (`same_time='run'`)": "same_time='run'",
    "words as the script counts them (`words='track'`)": "words='track'",
    "both (`words='track'`, `same_time='run'`)": SCRIPT,
}
"""Other readings of the rules, as parameters."""
SCRIPT_TEXT = next(text for text, setting in READINGS.items() if setting == SCRIPT)
ROUNDED = 5e-5 + 1e-9
"""The largest difference from a number with 4 decimals that is due to rounding."""

Values = dict[str, np.ndarray]
"""Per measure the values of all pairs of a topic and a run, in one order."""


def official_scores(path: Path, pairs: list[tuple[str, str]]) -> Values:
    """Return the official scores of pairs of a topic and a run."""
    with gzip.open(path) as file:
        rows = list(csv.DictReader(io.TextIOWrapper(file, encoding="utf-8"), delimiter="\t"))
    by_pair = {(row["QueryID"].removeprefix("TS14."), row["RunID"]): row for row in rows if row["TeamID"] == "cunlp"}
    return {name: np.array([float(by_pair[p][column]) for p in pairs]) for name, column in OFFICIAL.items()}


def scores(judgments: irmx.Judgments, runs: dict[str, irmx.Run], setting: str, pairs: list[tuple[str, str]]) -> Values:
    """Return the scores that irmx computes."""
    measures = {name: irmx.parse_measure(f"{name}({setting})") for name in OFFICIAL}
    evaluator = irmx.evaluator(list(measures.values()), judgments)
    by_run = {run: evaluator.values(table) for run, table in runs.items()}
    return {name: np.array([by_run[run][m][topic] for topic, run in pairs]) for name, m in measures.items()}


def row(name: str, found: np.ndarray, official: np.ndarray) -> str:
    """Return a row of the table of differences."""
    difference = np.abs(found - official)
    relative = difference[official > 0] / official[official > 0]
    cells = [
        f"`{name}`",
        OFFICIAL[name],
        f"{int((difference <= ROUNDED).sum())} of {len(difference)}",
        f"{difference.max():.5f}",
        f"{relative.mean():.2%}",
        f"{relative.max():.2%}",
    ]
    return "| " + " | ".join(cells) + " |"


def spread(found: np.ndarray, official: np.ndarray, topics: int) -> float:
    """Return by how much (V - 1) / (official V - 1) differs between the runs of a topic, in the mean over topics."""
    ratios = ((found - 1) / (official - 1)).reshape(-1, topics)
    return float(np.mean(ratios.max(axis=0) / ratios.min(axis=0) - 1))


def means(found: Values, official: Values, pairs: list[tuple[str, str]]) -> str:
    """Return the means over topics of every run as a table."""
    runs = list(dict.fromkeys(run for _, run in pairs))
    rows = ["| | " + " | ".join(f"{r}, official | {r}, irmx" for r in runs) + " |"]
    rows.append("| --- |" + " ---: |" * (2 * len(runs)))
    for name in OFFICIAL:
        cells = []
        for run in runs:
            of_run = np.array([r == run for _, r in pairs])
            cells += [f"{official[name][of_run].mean():.4f}", f"{found[name][of_run].mean():.4f}"]
        rows.append(f"| `{name}` | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def page(judgments: irmx.Judgments, runs: dict[str, irmx.Run], results: Path, told: list[str]) -> str:
    """Return the page in Markdown."""
    pairs = [(str(topic), run) for run in runs for topic in judgments.topics]
    official = official_scores(results, pairs)
    found = {text: scores(judgments, runs, setting, pairs) for text, setting in READINGS.items()}
    own = found["as defined here"]
    readings = [
        f"| {text} | " + " | ".join(f"{np.mean(np.abs(v[n] - official[n]) / official[n]):.2%}" for n in ("TS_Verbosity", "EG", "TS_H"))
        + f" | {sum(int((np.abs(v[n] - official[n]) <= ROUNDED).sum()) for n in WORDS)} | {spread(v['TS_Verbosity'], official['TS_Verbosity'], len(judgments.topics)):.2%} |"
        for text, v in found.items()
    ]  # fmt: skip
    return _PAGE.format(
        pairs=len(pairs),
        topics=len(judgments.topics),
        updates=f"{sum(map(len, runs.values())):,}",
        told="\n".join(f"* {text}" for text in told),
        differences="\n".join(row(name, own[name], official[name]) for name in OFFICIAL),
        script="\n".join(row(name, found[SCRIPT_TEXT][name], official[name]) for name in WORDS),
        cells=len(WORDS) * len(pairs),
        means=means(own, official, pairs),
        readings="\n".join(readings),
    )


_PAGE = """\
# Temporal Summarization 2014: three runs beside their official scores

The measures of the track, as irmx computes them, equal its official scores where the data suffice, and are close where texts are missing.

```console
$ IRMX_DATA=... python docs/results/tst2014_track_measures.py
```

makes this page. `IRMX_DATA` is the folder that holds `trec_ts`, files of the TREC Temporal Summarization track; they are
not part of irmx, and this page holds scores and differences only.

Three runs that were submitted to the track in 2014, {updates} updates over {topics} topics, are scored with the track's
own [measures](../guide/streams-track.md) and compared with the official scores of their {pairs} pairs of a topic and a
run, which have 4 decimals. What the files needed a rule for:

{told}

## Differences

A pair is equal if the difference is not larger than rounding to 4 decimals makes it; relative to a small number such a
difference is large.

| measure | official name | equal pairs | largest difference | mean relative difference | largest |
| --- | --- | ---: | ---: | ---: | ---: |
{differences}

`Comp`, `LC` and `TS_Latency` need times, importance and matches only. They are equal with one rule that the
definition does not spell out: a pooled near-duplicate is replaced by its original where that is pooled itself, and
keeps its own matches where it is not.

The others divide by verbosity, which needs words. The news texts are not in the data: the words of updates and nuggets
were counted at white space before the texts were dropped, and the places of matches, which are characters, are turned
into words in proportion. The script counts words by blanks of the texts, so these agree closely, not to the last decimal.

With `words='track'` and `same_time='run'`, the script's own rules, on the same data without texts:

| measure | official name | equal pairs | largest difference | mean relative difference | largest |
| --- | --- | ---: | ---: | ---: | ---: |
{script}

## Means over the topics

{means}

## Other readings of the rules

The mean relative difference over the {pairs} pairs; of the {cells} scores of measures that count words, how many are equal;
and by how much the ratio of V - 1 to the official one differs between the runs of a topic, on average over topics:

| reading | `TS_Verbosity` | `EG` | `TS_H` | equal | spread within topics |
| --- | ---: | ---: | ---: | ---: | ---: |
{readings}

The official verbosity counts an update that was never pooled as one word, 1 plus one over the mean words of a nugget,
and near-duplicates only as the pool's own record has them. With the words of the script the runs of a topic are off by
nearly one factor, as they are if the mean words of a nugget are: where blanks follow each other in the text of a nugget the
script takes each for a word, and their number was lost with the texts.
"""


def main() -> None:
    if "IRMX_DATA" not in os.environ:
        sys.exit("Set IRMX_DATA to the folder that holds trec_ts.")
    folder = Path(os.environ["IRMX_DATA"]) / "trec_ts" / "2014"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", irmx.DataWarning)
        judgments = irmx.read_qrels(f"tst:{folder}")
        told = [str(w.message).partition(" The first")[0] for w in caught]
    runs = {name: irmx.read_run(table) for name, table in read_tst_runs(folder / "runs.cunlp.ssv.gz").items()}
    target = Path(__file__).with_suffix(".md")
    target.write_text(page(judgments, runs, folder / "ts14.eval.graded.results.tsv.gz", told), encoding="utf-8")
    print(f"{target.name} written")


if __name__ == "__main__":
    main()
