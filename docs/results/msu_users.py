"""For which users Modeled Stream Utility agrees with the official measures of the track: a sweep over three runs of 2014.

Writes the page ``msu_users.md`` beside this file; with ``--sweep FILE`` the scores are kept in a file, from which a second call
goes on. The environment variable IRMX_DATA names the folder with the data; the page holds correlations, ranks and means.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import irmx
import irmx_study

sys.path.insert(0, str(Path(__file__).resolve().parent))

from msu_against_elg import OFFICIAL, official, read_runs, table

GRID = {
    "MD": "30s,1m,2m,5m,15m,30m",
    "SD": "0.5*MD",
    "MA": "10m,30m,1h,3h,6h,24h",
    "SA": "0.5*MA",
    "L": "0,0.1,0.25,0.5,0.75,0.9,1",
}
"""Of the grid of the paper, the users whose standard deviations are half of the means, and who are away for 10 minutes or more."""


def swept(data: Path, out: Path | None) -> irmx.Scores:
    """Return the scores of the three runs for all users of the grid."""
    year = data / "trec_ts" / "2014"
    qrels, runs = irmx.read_qrels(f"tst:{year}"), read_runs(year / "runs.cunlp.ssv.gz")
    return irmx_study.sweep("MSU", GRID, qrels, runs, out=out)


def by_pair(scores: irmx.Scores) -> irmx.Scores:
    """Return scores of which every pair of a run and a topic is a system, and that have one topic."""
    pairs = tuple(f"{run} {topic}" for run in scores.systems for topic in scores.topics)
    values = scores.values.swapaxes(0, 1).reshape(1, len(pairs), -1)
    return irmx.Scores(values, ("all",), pairs, scores.measures, np.ones((1, len(pairs)), dtype=bool))


def in_markdown(frame: pd.DataFrame, rounded: str) -> str:
    """Return a table in Markdown, with three decimal places in one column."""
    texts = {name: [_text(value, name == rounded) for value in frame[name]] for name in frame}
    return table(list(texts), [list(row) for row in zip(*texts.values(), strict=True)])


def _text(value: Any, is_rounded: bool) -> str:
    return f"{value:.3f}" if is_rounded else f"{value:g}" if isinstance(value, float) else str(value)


def agreement_with(pairs: irmx.Scores, name: str, values: pd.Series) -> dict[str, Any]:
    """Return what the page says of the agreement of 45 pairs of a run and a topic with an official measure."""
    reference = {f"{run} {topic}": value for (run, topic), value in values.items()}
    agreement = irmx_study.correlate(pairs, reference=reference, resamples=0)
    views = agreement.frame("views")
    reasonable = views[(views["MSU.MD"] == "2m") & (views["MSU.MA"] == "3h") & (views["MSU.L"] == 0.5)].iloc[0]
    [differs], [below] = (agreement.holds(f"tau < {bar}").to_dict("records") for bar in (0.9, 0.5))
    by_value = [
        agreement.holds("tau < 0.5", by=f"MSU.{name}").rename(columns={f"MSU.{name}": "value"}).assign(parameter=name)
        for name in ("MA", "MD", "L")
    ]
    rows = pd.concat(by_value)[["parameter", "value", "rows", "holds", "share"]].rename(columns={"rows": "settings"})
    return {
        f"extremes_{name}": in_markdown(agreement.frame("extremes").rename(columns={"views": "settings"}), "value"),
        f"reasonable_{name}": f"{reasonable['tau']:.3f}",
        f"differs_{name}": f"{differs['holds']} of {differs['rows']}",
        f"below_{name}": f"{below['holds']} of {below['rows']}",
        f"by_{name}": in_markdown(rows, "share"),
    }


def of_three_runs(scores: irmx.Scores) -> dict[str, Any]:
    """Return what the page says of the ranks of the three runs."""
    comparison = irmx_study.compare(scores, all_pairs=True)
    ranks = comparison.frame("ranks").sort_values(["best", "first"], ascending=[True, False], kind="stable")
    pairs = [
        [f"{a} > {b}", f"{(of['mean_a'] > of['mean_b']).mean():.1%}"]
        for (a, b), of in comparison.frame("views").groupby(["a", "b"], sort=False)
    ]
    best = ranks[["system", "best", "median", "worst", "first", "best_view"]]
    return {"best": in_markdown(best, "first"), "conclusions": table(["conclusion", "share of users"], pairs)}


PAGE = """\
# For which users does MSU agree with the measures of the track?

MSU and the measures of the track rank differently for every user of the paper's grid; how differently depends on the user.

```console
$ IRMX_DATA=... python docs/results/msu_users.py
```

makes this page. `IRMX_DATA` is the folder that holds `trec_ts`, files of the TREC Temporal Summarization track; they are not part of
irmx.

Of three runs of 2014 the updates are known, so that MSU can be computed for any user; of other runs only the published
values for [two kinds of users](msu_against_elg.md) are. The sweep is over {settings} users of the paper's grid, those with standard
deviations of half the means (`SD=0.5*MD`, `SA=0.5*MA`), {topics} topics, 1,000 sessions each:

```text
{grid}
```

Three runs have too few orders for a correlation. So what is ranked here are the {pairs} pairs of a run and a topic, by MSU and by
the official expected latency gain (ELG) or latency comprehensiveness (LC): a correlation of values, which are easy or hard by
topic too, and not one of systems. The lengths of most updates are not known and taken to be 30 words, as on the page about
[these runs](tst2014_msu.md).

## With the expected latency gain

The lowest, median and highest correlations, and the first user that gives them:

{extremes_elg}
For the reasonable user of the paper, tau is {reasonable_elg}. That MSU and ELG rank differently, a tau below 0.9, holds for
{differs_elg} users. A tau below 0.5 holds for {below_elg}; by the values of the parameters:

{by_elg}
## With latency comprehensiveness

{extremes_lc}
For the reasonable user, tau is {reasonable_lc}. It is below 0.9 for {differs_lc} users, and below 0.5 for {below_lc}:

{by_lc}
## The three runs

Their ranks over the users, the share of users for whom each is the first, and a user for whom it ranks best:

{best}
For which share of the users one run has a larger mean than another, significant or not:

{conclusions}"""


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sweep", type=Path, metavar="FILE", help="Keep the scores in this .parquet file.")
    options = parser.parse_args()
    if "IRMX_DATA" not in os.environ:
        sys.exit("Set IRMX_DATA to the folder that holds trec_ts.")
    data = Path(os.environ["IRMX_DATA"])
    warnings.simplefilter("ignore", irmx.DataWarning)
    results = swept(data, options.sweep)
    pairs = by_pair(results)
    facts = of_three_runs(results)
    for name, column in OFFICIAL.items():
        facts |= agreement_with(pairs, name.lower(), official(data, column))
    page = PAGE.format(
        settings=len(results.names),
        topics=len(results.topics),
        pairs=len(pairs.systems),
        grid=" ".join(f"--grid '{name}={values}'" for name, values in GRID.items()),
        **facts,
    )
    Path(__file__).with_suffix(".md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
