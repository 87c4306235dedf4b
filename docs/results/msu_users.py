"""For which users Modeled Stream Utility agrees with the official measures of the track: a sweep over three runs of 2014.

Writes a section of the page ``streams.md`` beside this file; with ``--sweep FILE`` the scores are kept in a file, from which a second call
goes on. The environment variable IRMX_DATA names the folder with the data; the page holds correlations, ranks and means.
"""

from __future__ import annotations

import argparse
import os
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
from markdown_pages import beside, markdown, write_section
from msu_against_elg import OFFICIAL, PAGE, official, read_runs

import irmx
import irmx_study

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
    return irmx.Scores(values, ("all",), pairs, scores.measures)


def table(name: str, frame: pd.DataFrame, rounded: str) -> str:
    """Write a table beside the page, with three decimal places in one column; return the name of its file."""
    texts = {column: [_text(value, column == rounded) for value in frame[column]] for column in frame}
    return beside(PAGE, f"msu_users_{name}", list(texts), zip(*texts.values(), strict=True))


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
        f"extremes_{name}": table(
            f"extremes_{name}", agreement.frame("extremes").rename(columns={"views": "settings"}), "value"
        ),
        f"reasonable_{name}": f"{reasonable['tau']:.3f}",
        f"differs_{name}": f"{differs['holds']} of {differs['rows']}",
        f"below_{name}": f"{below['holds']} of {below['rows']}",
        f"away_{name}": rows[rows["parameter"] == "MA"].set_index("value")["share"],
        f"by_{name}": table(f"by_{name}", rows, "share"),
    }


def of_three_runs(scores: irmx.Scores) -> dict[str, Any]:
    """Return what the page says of the ranks of the three runs."""
    comparison = irmx_study.compare(scores, all_pairs=True)
    ranks = comparison.frame("ranks").sort_values(["best", "first"], ascending=[True, False], kind="stable")
    pairs = [
        [f"{a} > {b}", f"{(of['mean_a'] > of['mean_b']).mean():.1%}"]
        for (a, b), of in comparison.frame("views").groupby(["a", "b"], sort=False)
    ]
    best = ranks[["system", "best", "median", "worst", "first", "best_value", "best_view"]]
    first = best.sort_values("first", ascending=False).iloc[0]
    return {
        "first": f"{first['system']} is the first for {first['first']:.1%} of the users",
        "conclusions": ", ".join(f"{conclusion} for {share}" for conclusion, share in pairs),
        "best": table("best", best, "first"),
    }


TEXT = """\
MSU and the measures of the track rank differently for every user of the paper's grid; how differently depends on the user. A tau below
0.9 with ELG holds for {differs_elg} users, with LC for {differs_lc}; a tau below 0.5 for {below_elg} and {below_lc}. It depends on how long users
stay away, MA:

{away}

The sweep is over {settings} users with standard deviations of half the means (`{grid}`), for the three runs with known
updates. What is ranked are the {pairs} pairs of a run and a topic: a correlation of values, not of systems. For the
reasonable user of the paper, tau is {reasonable_elg} with ELG and {reasonable_lc} with LC. Lowest, median and highest tau with
[ELG]({extremes_elg}) and [LC]({extremes_lc}); shares by every parameter with [ELG]({by_elg}) and [LC]({by_lc}).

{first} ([ranks]({best})). The means differ as {conclusions} of the users, significant or not.

Made by `IRMX_DATA=... python docs/results/msu_users.py`.
"""


def main() -> None:
    """Write the section and its tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sweep", type=Path, metavar="FILE", help="Keep the scores in this .parquet file.")
    options = parser.parse_args()
    if "IRMX_DATA" not in os.environ:
        raise SystemExit("Set IRMX_DATA to the folder that holds trec_ts.")
    data = Path(os.environ["IRMX_DATA"])
    warnings.simplefilter("ignore", irmx.DataWarning)
    results = swept(data, options.sweep)
    pairs = by_pair(results)
    facts = of_three_runs(results)
    for name, column in OFFICIAL.items():
        facts |= agreement_with(pairs, name.lower(), official(data, column))
    away = pd.DataFrame({f"with {name}": facts.pop(f"away_{name.lower()}") for name in OFFICIAL})
    text = TEXT.format(
        settings=len(results.names),
        away=markdown(
            ["share of users with tau below 0.5", *away],
            [[f"MA = {value}", *(f"{x:.3f}" for x in row)] for value, *row in away.itertuples()],
        ),
        pairs=len(pairs.systems),
        grid=" ".join(f"{name}={values}" for name, values in GRID.items()),
        **facts,
    )
    write_section(PAGE, "For which users MSU agrees with the track", text)


if __name__ == "__main__":
    main()
