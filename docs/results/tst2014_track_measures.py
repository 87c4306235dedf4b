"""The Temporal Summarization measures of three runs of 2014 beside their official scores.

Writes a section of the page ``streams.md`` beside this file. The environment variable IRMX_DATA names the folder
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
from markdown_pages import beside, markdown, write_section

import irmx
from irmx_stream import read_tst_runs

PAGE = Path(__file__).with_name("streams.md")
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


def row(name: str, found: np.ndarray, official: np.ndarray) -> list[str]:
    """Return a row of the table of differences."""
    difference = np.abs(found - official)
    relative = difference[official > 0] / official[official > 0]
    return [
        f"`{name}`",
        OFFICIAL[name],
        f"{int((difference <= ROUNDED).sum())} of {len(difference)}",
        f"{difference.max():.5f}",
        f"{relative.mean():.2%}",
        f"{relative.max():.2%}",
    ]


def spread(found: np.ndarray, official: np.ndarray, topics: int) -> float:
    """Return by how much (V - 1) / (official V - 1) differs between the runs of a topic, in the mean over topics."""
    ratios = ((found - 1) / (official - 1)).reshape(-1, topics)
    return float(np.mean(ratios.max(axis=0) / ratios.min(axis=0) - 1))


def means(found: Values, official: Values, pairs: list[tuple[str, str]]) -> str:
    """Write the means over topics of every run as a table; return the name of its file."""
    runs = list(dict.fromkeys(run for _, run in pairs))
    rows = []
    for name in OFFICIAL:
        of_runs = [np.array([r == run for _, r in pairs]) for run in runs]
        rows.append([name, *(f"{values[name][of].mean():.4f}" for of in of_runs for values in (official, found))])
    head = ["measure", *(f"{run}, {whose}" for run in runs for whose in ("official", "irmx"))]
    return beside(PAGE, "tst2014_track_measures_means", head, rows)


def section(judgments: irmx.Judgments, runs: dict[str, irmx.Run], results: Path, told: list[str]) -> str:
    """Return the section in Markdown, and write its tables."""
    pairs = [(str(topic), run) for run in runs for topic in judgments.topics]
    official = official_scores(results, pairs)
    found = {text: scores(judgments, runs, setting, pairs) for text, setting in READINGS.items()}
    own = found["as defined here"]
    readings = [
        [
            text,
            *(f"{np.mean(np.abs(v[n] - official[n]) / official[n]):.2%}" for n in ("TS_Verbosity", "EG", "TS_H")),
            sum(int((np.abs(v[n] - official[n]) <= ROUNDED).sum()) for n in WORDS),
            f"{spread(v['TS_Verbosity'], official['TS_Verbosity'], len(judgments.topics)):.2%}",
        ]
        for text, v in found.items()
    ]
    head = [
        "measure",
        "official name",
        "equal pairs",
        "largest difference",
        "mean relative difference",
        "largest relative",
    ]
    differences = [row(name, own[name], official[name]) for name in OFFICIAL]
    of_readings = ["reading", "TS_Verbosity", "EG", "TS_H", "equal scores that count words", "spread within topics"]
    return _TEXT.format(
        pairs=len(pairs),
        topics=len(judgments.topics),
        updates=f"{sum(map(len, runs.values())):,}",
        told=" ".join(told),
        differences=markdown(["measure", *head[2:5]], [[cells[0], *cells[2:5]] for cells in differences]),
        all=beside(PAGE, "tst2014_track_measures", head, differences),
        script=beside(
            PAGE,
            "tst2014_track_measures_script",
            head,
            [row(name, found[SCRIPT_TEXT][name], official[name]) for name in WORDS],
        ),
        means=means(own, official, pairs),
        readings=beside(PAGE, "tst2014_track_measures_readings", of_readings, readings),
    )


_TEXT = """\
The [measures of the track](../guide/streams-track.md), as irmx computes them, equal its official scores where the data suffice, and are close
where texts are missing.

{differences}

Three runs of 2014 ({updates} updates) over {topics} topics make {pairs} pairs, whose official scores have 4 decimals ([relative
differences]({all}), [means]({means})). {told}

`Comp`, `LC` and `TS_Latency` need times, importance and matches only. They are equal with one rule that the definition does not spell
out: a pooled near-duplicate is replaced by its original where that is pooled itself, and keeps its own matches where it is
not. The others divide by verbosity, which needs words: these were counted at white space, by the track's script at every blank.
[With the script's rules]({script}) (`words='track'`, `same_time='run'`) more pairs are equal ([other readings]({readings})).
The official verbosity counts an update that was never pooled as one word.

Made by `IRMX_DATA=... python docs/results/tst2014_track_measures.py`.
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
    results = folder / "ts14.eval.graded.results.tsv.gz"
    write_section(PAGE, "Measures of the track beside official scores", section(judgments, runs, results, told))


if __name__ == "__main__":
    main()
