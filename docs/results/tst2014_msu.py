"""Modeled Stream Utility of three runs of the TREC 2014 Temporal Summarization track, against the published values.

Writes a section of the page ``streams.md`` beside this file. The environment variable IRMX_DATA names the folder with the data;
the page holds what irmx computes, and ratios and correlations with what its authors published.
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from markdown_pages import beside, markdown, write_section
from msu_against_elg import read_runs
from scipy.stats import kendalltau

import irmx
from irmx_stream.columns import JUDGED_LENGTH

PAGE = Path(__file__).with_name("streams.md")
LENGTHS = (10, 20, 30, 40, 60)

Values = pd.Series
"""By run and topic."""


def values(measure: str, qrels: irmx.Judgments, runs: dict[str, pd.DataFrame]) -> Values:
    """Return the values of all runs and topics."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irmx.DataWarning)
        found = {
            (name, metric.query_id): metric.value
            for name, run in runs.items()
            for metric in irmx.iter_calc(measure, qrels, run)
        }
    return pd.Series(found)


def published(path: Path) -> Values:
    """Return the published values by run and topic."""
    table = pd.read_csv(path, sep="\t", header=None, names=["run", "topic", "value"])
    table["topic"] = table["topic"].str.removeprefix("TS14.")
    return table.set_index(["run", "topic"])["value"]


def compared(ours: Values, theirs: Values) -> list[str]:
    """Return the cells of a comparison: means, ratio, correlation, tau over all pairs of a run and a topic."""
    both = theirs.reindex(ours.index)
    ratios = ours / both
    return [
        f"{ours.mean():.2f}",
        f"{ours.mean() / both.mean():.3f}",
        f"{ratios.quantile(0.1):.2f} to {ratios.quantile(0.9):.2f}",
        f"{np.corrcoef(ours, both)[0, 1]:.3f}",
        f"{kendalltau(ours, both).statistic:.3f}",
    ]


_TEXT_OF_PAPER = "visits list what came since the end of the last session, as in the paper's text"
HEAD = ["", "mean", "ratio of means", "ratio of a topic, 10% to 90%", "correlation", "tau"]


def by_run(qrels: irmx.Judgments, runs: dict[str, pd.DataFrame], theirs: Values) -> str:
    """Return the comparison run by run, with the share of updates whose length is known."""
    ours = values("MSU", qrels, runs)
    rows = []
    for name, run in runs.items():
        rankings = irmx.rankings(qrels, run)
        at_run, at_qrels = rankings.matching_rows()
        length = rankings.qrels_rows.column(JUDGED_LENGTH, missing_ok=True)
        known = len(np.unique(at_run[~np.isnan(length[at_qrels])])) / len(run)
        of_run = ours[[name]]
        rows.append([f"{name}, {len(run):,} updates, {known:.1%} of known length", *compared(of_run, theirs)])
    rows.append(["all", *compared(ours, theirs)])
    on_page = (0, 1, 2, 4, 5)
    return markdown([HEAD[i] for i in on_page], [[row[i] for i in on_page] for row in rows])


def variants(qrels: irmx.Judgments, runs: dict[str, pd.DataFrame], theirs: Values) -> dict[str, list[str]]:
    """Return the comparison for other lengths of unknown updates, other duplicates, other users."""
    asked = {f"unknown updates of {n} words": f"MSU(default_length={n})" for n in LENGTHS}
    asked |= {
        "near-duplicates of the pool's own record only": "MSU(duplicates='pool')",
        "near-duplicates hold the nuggets of their originals alone": "MSU(copies='original')",
        "updates of one time and one confidence in the order of the run": "MSU(same_time='run')",
        "the same, the lines of the runs reversed": "",
        "other users": "MSU(seed=1)",
        _TEXT_OF_PAPER: "MSU(interface=reverse_chronological(unread='between_sessions'))",
    }
    turned = {name: run.iloc[::-1] for name, run in runs.items()}
    found = {
        what: values(text, qrels, runs) if text else values("MSU(same_time='run')", qrels, turned)
        for what, text in asked.items()
    }
    return {what: compared(ours, theirs) for what, ours in found.items()}


def ranked(qrels: irmx.Judgments, runs: dict[str, pd.DataFrame], theirs: Values) -> dict[str, list[str]]:
    """Return the comparison of the interface that ranks."""
    asked = {
        "ranked, as by default": "MSU(interface=ranked)",
        "the end of the session stops the reading": "MSU(interface=ranked(timed=True))",
        "what was read is listed again": "MSU(interface=ranked(again=True))",
        "p = 0.5 for all users": "MSU(interface=ranked(p=0.5))",
        "p = 0.9 for all users": "MSU(interface=ranked(p=0.9))",
    }
    return {what: compared(values(text, qrels, runs), theirs) for what, text in asked.items()}


def orders(qrels: irmx.Judgments, runs: dict[str, pd.DataFrame], theirs: Values) -> str:
    """Return for how many topics the runs stand in the published order, and pairs of runs too."""
    ours, whole, pairs = values("MSU", qrels, runs).unstack(0), 0, [0, 0]
    names = list(runs)
    for topic, row in ours.iterrows():
        there = [theirs[name, topic] for name in names]
        whole += bool((np.argsort(there) == np.argsort(row[names])).all())
        for i in range(len(names)):
            for j in range(i):
                pairs[0] += bool((row[names[i]] - row[names[j]]) * (there[i] - there[j]) > 0)
                pairs[1] += 1
    return f"{whole} of {len(ours)} topics have the three runs in the published order, {pairs[0]} of {pairs[1]} pairs of runs."


TEXT = """\
The MSU that irmx computes for three runs of 2014 is close to the values that the authors of the measure published, and mostly puts the runs
into the same order.

{runs}

"Ratio" is the mean by irmx over the published one; correlations are over pairs of a run and a topic. {orders} Equal values are not to be expected: most
texts of updates are missing, so that updates of unknown length count {length} words, and the published values come from other random
users. With {short} words the ratio of means would be {ratio_short}, with {long} words {ratio_long}
([other lengths, near-duplicates and orders](tst2014_msu_variants.csv)).

If visits list what came since the end of the last session, as in the paper's text (`unread='between_sessions'`), the ratio is
{ratio_text} and the correlation {correlation_text}: for these users, the values do not tell the two rules apart.

For [users who read ranked updates](tst2014_msu_ranked.csv) the ratio is {ratio_ranked}.

Made by `IRMX_DATA=... python docs/results/tst2014_msu.py`.
"""


def main() -> None:
    """Compute everything, and write the section and its tables."""
    folder = os.environ.get("IRMX_DATA")
    if not folder:
        sys.exit("IRMX_DATA is not set: it names the folder with the data.")
    data = Path(folder) / "trec_ts"
    runs = read_runs(data / "2014" / "runs.cunlp.ssv.gz")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irmx.DataWarning)
        qrels = irmx.read_qrels(f"tst:{data / '2014'}")
    theirs = published(data / "msu_published_results" / "msu2016-code.ts2014.results.all.tsv")
    by_rank = published(data / "msu_published_results" / "msu.ranked.ts14.tsv")
    of_variants, of_ranked = variants(qrels, runs, theirs), ranked(qrels, runs, by_rank)
    for name, rows in (("variants", of_variants), ("ranked", of_ranked)):
        beside(PAGE, f"tst2014_msu_{name}", HEAD, [[what, *cells] for what, cells in rows.items()])
    short, *_, long = (what for what in of_variants if what.startswith("unknown updates"))
    text = TEXT.format(
        length=30,
        runs=by_run(qrels, runs, theirs),
        orders=orders(qrels, runs, theirs),
        short=LENGTHS[0],
        long=LENGTHS[-1],
        ratio_short=of_variants[short][1],
        ratio_long=of_variants[long][1],
        ratio_text=of_variants[_TEXT_OF_PAPER][1],
        correlation_text=of_variants[_TEXT_OF_PAPER][3],
        ratio_ranked=next(iter(of_ranked.values()))[1],
    )
    write_section(PAGE, "MSU beside its published values", text)


if __name__ == "__main__":
    main()
