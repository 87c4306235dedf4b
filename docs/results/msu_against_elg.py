"""Table 3 of the MSU paper from published values, and Modeled Stream Utility per second against expected latency gain.

Writes a section of the page ``streams.md`` beside this file, and with ``--pictures FOLDER`` scatter plots into a folder. The environment
variable IRMX_DATA names the folder with the data; the page holds ranks, means over topics, differences and correlations.
"""

from __future__ import annotations

import argparse
import gzip
import os
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from markdown_pages import beside, markdown, write_section

import irmx
from irmx_study import correlate, kendall_tau, tau_ap

PAGE = Path(__file__).with_name("streams.md")
RUN_FILE = ["topic", "team", "run", "document", "sentence", "timestamp", "score"]
OURS = {
    "MSU": "MSU",
    "MSU per second, mean of users' ratios": "MSU(per='second')",
    "MSU per second, ratio of means": "MSU(per='second',ratio='of_means')",
}
OFFICIAL = {"ELG": "E[Latency Gain]", "LC": "Latency Comp."}
"""The columns of the official scores of the track."""


def published(path: Path) -> pd.Series:
    """Return published values by run and topic."""
    values = pd.read_csv(path, sep="\t", header=None, names=["run", "topic", "value"])
    values["run"] = values["run"].str.removeprefix("input.")
    values["topic"] = values["topic"].str.removeprefix("TS14.")
    return values[values["topic"] != "AVG"].set_index(["run", "topic"])["value"]


def ranks(values: pd.Series) -> pd.Series:
    """Return the rank of each value, the largest first."""
    return values.rank(method="min", ascending=False).astype(int)


Rows = list[list[str]]
Taus = dict[tuple[str, str], float]


def table_3(data: Path) -> tuple[Rows, Rows, dict[str, Any]]:
    """Return the runs of 2013 with their ranks, the correlations, and what the text says of them."""
    printed = pd.read_csv(data / "msu_table3.tsv", sep="\t").set_index("run")
    folder = data / "trec_ts" / "msu_published_results"
    by_run = pd.read_csv(folder / "new.code.results.tsv", sep=r"\s+", header=None, index_col=0)[1].reindex(
        printed.index
    )
    by_topic = published(folder / "msu2016-code.ts2013.results.all.tsv")
    means = by_topic.groupby("run").mean().reindex(printed.index)
    rows = [
        [run, *map(str, (printed.elg_rank[run], printed.msu_rank[run], ranks(by_run)[run], ranks(means)[run])), f"{means[run]:.2f}"]
        for run in printed.index
    ]  # fmt: skip
    elg = -printed["elg_rank"].to_numpy(dtype=float)
    tied = printed["elg"].to_numpy(dtype=float)
    readings = {
        "Kendall's tau": lambda msu: kendall_tau(msu, elg),
        "tau_AP, read from the worst run on, reference ELG": lambda msu: tau_ap(-elg, -msu),
        "tau_AP, read from the best run on, reference ELG": lambda msu: tau_ap(elg, msu),
        "tau_AP, read from the best run on, reference MSU": lambda msu: tau_ap(msu, elg),
        "tau-b, equal ELG taken for ties": lambda msu: kendall_tau(msu, tied),
        "tau_AP,b, equal ELG taken for ties": lambda msu: tau_ap(tied, msu, "b"),
    }
    sources = (printed["msu_reasonable"], by_run, means)
    correlations = [[name, *(f"{of(s.to_numpy()):.3f}" for s in sources)] for name, of in readings.items()]
    facts = {
        "runs": len(printed),
        "topics": by_topic.index.get_level_values("topic").nunique(),
        "equal": int(np.isclose(by_run, printed["msu_reasonable"], atol=0.005 + 1e-9).sum()),
        "apart": f"{(means - printed['msu_reasonable']).abs().max():.3f}",
        "moved": int((ranks(means) != printed["msu_rank"]).sum()),
    }
    head = ["run", "elg", "msu_printed", "msu_of_runs", "msu_of_topics", "mean_of_topics"]
    facts |= {"tau": correlations[0][2], "tau_ap": correlations[1][2]}
    return [head, *rows], [["correlation", "printed table", "runs' means", "values of topics"], *correlations], facts


def read_runs(path: Path) -> dict[str, pd.DataFrame]:
    """Return the runs of a file that holds several, by name."""
    with gzip.open(path) as file:
        rows = pd.read_csv(file, sep=" ", header=None, names=RUN_FILE, dtype={"topic": str})
    rows["doc_id"] = rows["document"] + "-" + rows["sentence"].astype(str)
    rows = rows.rename(columns={"topic": "query_id"})
    return {name: run[["query_id", "doc_id", "score", "timestamp"]] for name, run in rows.groupby("run")}


def official(data: Path, column: str = "E[Latency Gain]") -> pd.Series:
    """Return official values of the runs of 2014 by run and topic: the expected latency gain, or another column."""
    scores = pd.read_csv(data / "trec_ts" / "2014" / "ts14.eval.graded.results.tsv.gz", sep="\t")
    scores = scores[scores["QueryID"].str.startswith("TS14.") & (scores["RunID"] != "-")]
    topic = scores["QueryID"].str.removeprefix("TS14.").rename("topic")
    return scores.set_index([scores["RunID"].rename("run"), topic])[column].astype(float)


def published_users(data: Path, year: int) -> irmx.Scores:
    """Return the published values of a year as scores by two kinds of users."""
    folder = data / "trec_ts" / "msu_published_results"
    files = {
        "newest first": f"msu2016-code.ts{year}.results.all.tsv",
        "ranked": f"msu.ranked.ts{year % 100}.tsv",
    }
    tables = [published(folder / name).reset_index().assign(measure=kind) for kind, name in files.items()]
    return irmx.Scores.from_frame(pd.concat(tables).rename(columns={"topic": "query_id", "run": "system"}))


def two_kinds_of_users(data: Path) -> tuple[Rows, str, dict[str, Any]]:
    """Return the ranks of the runs of 2014, the correlations of both years, and what the text says of them."""
    by_year = {year: published_users(data, year) for year in (2013, 2014)}
    printed = pd.read_csv(data / "msu_table3.tsv", sep="\t").set_index("run")
    means = {name: official(data, column).groupby("run").mean() for name, column in OFFICIAL.items()}
    means = {name: values.reindex(list(by_year[2014].systems)) for name, values in means.items()}
    references = [(2013, "ELG", -printed["elg_rank"]), *((2014, name, values) for name, values in means.items())]
    rows, of_kinds = [], {}
    for year, name, values in references:
        for row in correlate(by_year[year], reference=values.to_dict()).frame().itertuples():
            of_kinds[f"{year}, {row.b}", name] = float(row.tau)
            taus = (f"{tau:.3f}" for tau in (row.tau, row.tau_ap, row.tau_ap_b))
            rows.append([f"{year}, {row.b}", name, *taus])
    of_users = by_year[2014].means()
    ranked = {name: ranks(values) for name, values in means.items()}
    ranked |= {kind: ranks(of_users[kind]) for kind in ("newest first", "ranked")}
    best = pd.concat([ranked["newest first"], ranked["ranked"]], axis=1).min(axis=1)
    order = ranked["ELG"].sort_values().index
    lines = [[run, *(str(of[run]) for of in ranked.values()), f"{best[run]}"] for run in order]
    facts = {
        "all_runs": len(best),
        "highest": f"{max(float(row[2]) for row in rows):.3f}",
        "first": int((best == 1).sum()),
        "taus": of_kinds,
    }
    head = ["run", *(name.lower() for name in means), "msu_newest_first", "msu_ranked", "best_of_both"]
    return [head, *lines], markdown(["users", "reference", "tau", "tau_AP", "tau_AP,b"], rows, 2), facts


def draw(data: Path, folder: Path) -> None:
    """Draw MSU against the measures of the track, one named point per run: Figure 2a of the paper, and the same for 2014."""
    printed = pd.read_csv(data / "msu_table3.tsv", sep="\t").set_index("run")
    pictures = {"2013_elg": printed[["elg", "msu_reasonable"]].set_axis(["ELG", "MSU"], axis=1)}
    of_users = published_users(data, 2014).means()
    for name, column in OFFICIAL.items():
        means = official(data, column).groupby("run").mean().rename(name)
        for kind in of_users:
            pictures[f"2014_{name.lower()}_{kind.replace(' ', '_')}"] = pd.concat(
                [means, of_users[kind].rename(f"MSU, {kind}")], axis=1, join="inner"
            )
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in pictures.items():
        rows = table.rename_axis("system").melt(var_name="measure", ignore_index=False).reset_index()
        agreement = correlate(rows.assign(query_id="mean of all"), reference=table.columns[0], resamples=0)
        agreement.plot("scatter").figure.savefig(folder / f"msu_against_{name}.png", dpi=200)


def statements(data: Path, facts: dict[str, Any], kinds: Taus, taus: dict[str, str]) -> str:
    """Return what the paper says of the ranking by MSU beside what the data here show, as a Markdown table."""
    printed = pd.read_csv(data / "msu_table3.tsv", sep="\t")
    best = printed.nsmallest(10, "msu_rank")
    risen = best[best["elg_rank"] > 10]
    users = pd.read_csv(PAGE.with_name("msu_users_extremes_elg.csv")).query("correlation == 'tau'").set_index("which")
    of_track = kendall_tau(*(official(data, column).groupby("run").mean().to_numpy() for column in OFFICIAL.values()))
    few = printed.nsmallest(5, "updates_per_topic")
    rows = [
        (
            "MSU of reasonable users and ELG rank differently: tau 0.471, tau_AP 0.405",
            f"{facts['tau']} and {facts['tau_ap']}",
            (facts["tau"], facts["tau_ap"]) == ("0.471", "0.405"),
        ),
        (
            "Runs in the middle and below by ELG go to the top",
            f"{len(risen)} of the ten best by MSU are not among the ten best by ELG; the best by MSU is "
            f"{best['elg_rank'].iloc[0]}th",
            len(risen) > 0 and best["elg_rank"].iloc[0] > 5,
        ),
        (
            "The best run by ELG has little to read, and falls",
            f"{printed['updates_per_topic'][0]:g} updates a topic, {printed['msu_rank'][0]}th by MSU",
            bool(printed["run"][0] in set(few["run"]) and printed["msu_rank"][0] > 13),
        ),
        (
            "MSU and LC rank differently (-0.108 in 2013)",
            f"in 2014 {kinds['2014, newest first', 'LC']:.3f}",
            abs(kinds["2014, newest first", "LC"]) < 0.5,
        ),
        ("ELG and LC rank differently too (-0.28 in 2013)", f"in 2014 {of_track:.3f}", of_track < 0),
        (
            "No users make MSU rank as ELG does; closest are those who come once a day for a minute (0.625)",
            f"of 252 users, over pairs, at most {users['value']['highest']:.3f}: {users['view']['highest']}",
            "MA='1d'" in users["view"]["highest"] and users["value"]["highest"] < 0.9,
        ),
        (
            "Farthest are those who read almost always (-0.04)",
            f"{users['value']['lowest']:.3f}: {users['view']['lowest']}",
            "MD='30m'" in users["view"]["lowest"],
        ),
        (
            "MSU per second agrees better with ELG than MSU does (0.754)",
            f"over pairs {taus['per_second']} instead of {taus['plain']}",
            float(taus["per_second"]) > float(taus["plain"]),
        ),
    ]
    return markdown(
        ["The paper's statement", "Here", ""],
        [[said, found, "holds" if so else "does **not** hold"] for said, found, so in rows],
        3,
    )


def per_second(data: Path) -> tuple[Rows, Rows, dict[str, Any]]:
    """Return the means of the runs of known updates, the correlations with ELG, and what the text says of them."""
    year = data / "trec_ts" / "2014"
    runs, qrels = read_runs(year / "runs.cunlp.ssv.gz"), irmx.read_qrels(f"tst:{year}")
    references = {name: official(data, column) for name, column in OFFICIAL.items()}
    elg = references["ELG"]
    values: dict[str, dict[tuple[str, str], float]] = {name: {} for name in OURS}
    means: dict[str, list[str]] = {run: [] for run in runs}
    for run, updates in runs.items():
        means[run].append(f"{elg[run].mean():.4f}")
        for name, measure in OURS.items():
            found = irmx.calc(measure, qrels, updates)
            values[name] |= {(run, metric.query_id): metric.value for metric in found.per_query}
            [(of_measure, mean)] = found.aggregated.items()
            places = 2 if measure == "MSU" else 4
            means[run].append(f"{mean:.{places}f} ± {found.fields[of_measure]['standard_error']:.{places}f}")
    rows = []
    for of, reference in references.items():
        for name, of_pairs in values.items():
            ours = pd.Series(of_pairs)
            theirs = reference.reindex(ours.index)
            pairs = [(ours, theirs), *((ours[run], theirs[run]) for run in runs)]
            taus = [kendall_tau(one.to_numpy(), other.to_numpy()) for one, other in pairs]
            rows.append(
                [
                    f"{name}, with {of}",
                    *(f"{tau:.3f}" for tau in taus),
                    f"{tau_ap(theirs.to_numpy(), ours.to_numpy(), 'b'):.3f}",
                ]
            )
    tau_of = {row[0]: row[1] for row in rows}
    ratio = "MSU per second, mean of users' ratios"
    facts = {
        "plain": tau_of["MSU, with ELG"],
        "per_second": tau_of[f"{ratio}, with ELG"],
        "plain_lc": tau_of["MSU, with LC"],
        "per_second_lc": tau_of[f"{ratio}, with LC"],
    }
    head = ["", "official ELG", *OURS]
    return (
        [head, *([run, *cells] for run, cells in means.items())],
        [["tau", "45 pairs", *runs, "tau_AP,b, 45 pairs"], *rows],
        facts,
    )


TEXT = """\
From the values that its authors published, the correlations of the paper on Modeled Stream Utility (Baruah, Smucker and Clarke, SIGIR
2015) come out as printed: a Kendall's tau of {tau} and a tau_AP of {tau_ap} ([other readings]({correlations})). MSU ranks runs in another
way than the measures of the track, for both kinds of users and in both years.

The paper ranks {runs} runs of 2013 by expected latency gain (ELG) and by MSU. {equal} of {runs} published means round to the printed ones. The
values of topics ({topics}) come from later code: means are up to {apart} away, and {moved} runs have another rank
([all ranks]({ranks})). The printed tau_AP is the one read from the worst run on.

{kinds}

In 2014 the track published ELG and latency comprehensiveness (LC) of {all_runs} runs. tau_AP reads from the best run on; in tau_AP,b equal means
are ties. No tau is larger than {highest}. The better of the two ranks by MSU is 1 for {first} of the runs ([all ranks]({ranks_2014})).

For three runs of 2014 whose updates are known, MSU per second agrees better with ELG than MSU does: Kendall's tau over pairs of a run
and a topic is {per_second} instead of {plain}; with LC it is {per_second_lc} instead of {plain_lc}
([all correlations]({taus}), [means]({means})). Updates of unknown length count 30 words.

What the paper says of these rankings, on its published values of 2013 and, where they need runs, on the three of 2014:

{stated}

The runs of 2013 are not among these data, so that the tau of its other figures, and the best rank of each run over all users, are not checked.

Made by `IRMX_DATA=... python docs/results/msu_against_elg.py`. With `--pictures FOLDER` it draws MSU against the measures of the track, as
Figure 2a of the paper does; Figures 2b to 5 need the runs of 2013.
"""


def main() -> None:
    """Write the section and its tables, and the pictures if wanted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--pictures",
        type=Path,
        metavar="FOLDER",
        help="Also draw scatter plots, into this folder; made if it is missing.",
    )
    options = parser.parse_args()
    if "IRMX_DATA" not in os.environ:
        sys.exit("Set IRMX_DATA to the folder that holds msu_table3.tsv and trec_ts.")
    data = Path(os.environ["IRMX_DATA"])
    warnings.simplefilter("ignore", irmx.DataWarning)
    if options.pictures is not None:
        draw(data, options.pictures)
    ranked, correlations, facts = table_3(data)
    ranks_2014, kinds, of_users = two_kinds_of_users(data)
    means, taus, more = per_second(data)
    stated = statements(data, facts, of_users.pop("taus"), more)
    text = TEXT.format(
        stated=stated,
        ranks=beside(PAGE, "msu_against_elg_2013", ranked[0], ranked[1:]), correlations=beside(PAGE, "msu_against_elg_correlations", correlations[0], correlations[1:]), ranks_2014=beside(PAGE, "msu_against_elg_2014", ranks_2014[0], ranks_2014[1:]), kinds=kinds,
        means=beside(PAGE, "msu_against_elg_per_second", means[0], means[1:]), taus=beside(PAGE, "msu_against_elg_taus", taus[0], taus[1:]),
        **facts, **of_users, **more,
    )  # fmt: skip
    write_section(PAGE, "MSU against the measures of the track", text)


if __name__ == "__main__":
    main()
