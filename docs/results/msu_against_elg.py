"""Table 3 of the MSU paper from published values, and Modeled Stream Utility per second against expected latency gain.

Writes the page ``msu_against_elg.md`` beside this file. The environment variable IRMX_DATA names the folder with the data;
the page holds ranks, means over topics, differences and correlations.
"""

from __future__ import annotations

import gzip
import os
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

import irmx
from irmx.ragged import Floats
from irmx_stream.updates.stream_columns import JUDGED_LENGTH

RUN_FILE = ["topic", "team", "run", "document", "sentence", "timestamp", "score"]
OURS = {
    "MSU": "MSU",
    "MSU per second, mean of users' ratios": "MSU(per='second')",
    "MSU per second, ratio of means": "MSU(per='second',ratio='of_means')",
}


def tau_ap(reference: Floats, other: Floats) -> float:
    """Return the AP correlation of two lists of values, of which larger ones are better and none are equal.

    2/(N - 1) times the sum over the ranks i from 2 of C(i)/(i - 1), less 1, in the order of ``other``; C(i) counts the items above
    rank i that stand above it in the reference, too. Of the negative values it is the correlation read from the worst on.
    """
    ordered = reference[np.argsort(-other)]
    right = [np.mean(ordered[:i] > ordered[i]) for i in range(1, len(ordered))]
    return float(2 * np.mean(right) - 1)


def table(head: list[str], rows: list[list[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def published(path: Path) -> pd.Series:
    """Return published values by run and topic."""
    values = pd.read_csv(path, sep="\t", header=None, names=["run", "topic", "value"])
    values["run"] = values["run"].str.removeprefix("input.")
    values["topic"] = values["topic"].str.removeprefix("TS14.")
    return values[values["topic"] != "AVG"].set_index(["run", "topic"])["value"]


def ranks(values: pd.Series) -> pd.Series:
    """Return the rank of each value, the largest first."""
    return values.rank(ascending=False).astype(int)


def table_3(data: Path) -> tuple[str, str, dict[str, Any]]:
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
    readings = {
        "Kendall's tau": lambda msu: kendalltau(msu, elg).statistic,
        "tau_AP, read from the worst run on, reference ELG": lambda msu: tau_ap(-elg, -msu),
        "tau_AP, read from the best run on, reference ELG": lambda msu: tau_ap(elg, msu),
        "tau_AP, read from the best run on, reference MSU": lambda msu: tau_ap(msu, elg),
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
    head = [
        "run",
        "rank by ELG",
        "rank by MSU, printed",
        "from the runs' means",
        "from the values of topics",
        "mean of these",
    ]
    return table(head, rows), table(["", "printed table", "runs' means", "values of topics"], correlations), facts


def read_runs(path: Path) -> dict[str, pd.DataFrame]:
    """Return the runs of a file that holds several, by name."""
    with gzip.open(path) as file:
        rows = pd.read_csv(file, sep=" ", header=None, names=RUN_FILE, dtype={"topic": str})
    rows["doc_id"] = rows["document"] + "-" + rows["sentence"].astype(str)
    rows = rows.rename(columns={"topic": "query_id"})
    return {name: run[["query_id", "doc_id", "score", "timestamp"]] for name, run in rows.groupby("run")}


def official_elg(path: Path) -> pd.Series:
    """Return the official expected latency gain of all runs of 2014 by run and topic."""
    scores = pd.read_csv(path, sep="\t")
    scores = scores[scores["QueryID"].str.startswith("TS14.") & (scores["RunID"] != "-")]
    topic = scores["QueryID"].str.removeprefix("TS14.").rename("topic")
    return scores.set_index([scores["RunID"].rename("run"), topic])["E[Latency Gain]"].astype(float)


def per_second(data: Path) -> tuple[str, str, dict[str, Any]]:
    """Return the means of the runs of known updates, the correlations with ELG, and what the text says of them."""
    year = data / "trec_ts" / "2014"
    runs, qrels = read_runs(year / "runs.cunlp.ssv.gz"), irmx.read_qrels(f"tst:{year}")
    elg = official_elg(year / "ts14.eval.graded.results.tsv.gz")
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
    for name, of_pairs in values.items():
        ours = pd.Series(of_pairs)
        theirs = elg.reindex(ours.index)
        by_run = [kendalltau(ours[run], theirs[run]).statistic for run in runs]
        rows.append([name, *(f"{tau:.3f}" for tau in (kendalltau(ours, theirs).statistic, *by_run))])
    msu = published(data / "trec_ts" / "msu_published_results" / "msu2016-code.ts2014.results.all.tsv")
    of_all = pd.DataFrame({"msu": msu.groupby("run").mean(), "elg": elg.groupby("run").mean()})
    facts = {
        "all_runs": len(of_all),
        "tau_2014": f"{kendalltau(of_all['msu'], of_all['elg']).statistic:.3f}",
        "known": ", ".join(f"{_known(qrels, run):.1%} of {name}" for name, run in runs.items()),
    }
    head = ["", "official ELG", *OURS]
    return (
        table(head, [[run, *cells] for run, cells in means.items()]),
        table(["tau with ELG", "45 pairs", *runs], rows),
        facts,
    )


def _known(qrels: irmx.Judgments, run: pd.DataFrame) -> float:
    """Return the share of the updates of a run whose length the judgments tell."""
    rankings = irmx.join(qrels, run)
    at_run, at_qrels = rankings.matching_rows()
    length = rankings.qrels_rows.column(JUDGED_LENGTH, missing_ok=True)
    return len(np.unique(at_run[~np.isnan(length[at_qrels])])) / len(run)


PAGE = """\
# MSU against expected latency gain: Table 3 of the paper, and MSU per second

```console
$ IRMX_DATA=... python docs/results/msu_against_elg.py
```

makes this page. `IRMX_DATA` is the folder that holds `msu_table3.tsv` and `trec_ts`: the printed table of Baruah, Smucker and
Clarke (SIGIR 2015), values that its authors published, and files of the TREC Temporal Summarization track. They are not part of
irmx.

## Table 3: 26 runs of 2013

The paper ranks the {runs} runs of 2013 by the track's expected latency gain and by MSU for reasonable users, and finds a Kendall's
tau of 0.471 and a tau_AP of 0.405. The authors published two sets of values: the means of the runs over topics as their code gave them,
and values by run and topic ({topics} topics) of their code of 2016. From the runs' means all of it comes out: {equal} of {runs} means
round to the printed ones, all ranks are equal, and so are the correlations.

{correlations}
The tau_AP that is printed is the one read from the worst run on. It was made to weigh the top of a ranking: read from the best
run on it is lower. ELG has ties in the table; they stand as the table has them.

The values of topics come from later code, and probably other random users. Their means are up to {apart} from the printed ones, and {moved} runs have another
rank: the second decimal of such a correlation owes something to chance.

{ranks}
## MSU per second, 2014

Figure 5 of the paper sets MSU per second of reading beside ELG, which is a gain per unit of reading, too. The published values
have no seconds, and the runs of 2013 are not public. Of three runs of 2014 the updates are; their lengths are known for
{known}, and 30 words are taken for the others. Means over 15 topics, with the standard error over users:

{means}
Kendall's tau over the pairs of a run and a topic, between what irmx computes and the official ELG:

{taus}
Per second is the mean over users of each one's gain divided by the seconds that this user read, as in the paper; the ratio of the
mean gain to the mean time is the other estimate, `ratio='of_means'`.

For comparison, over all {all_runs} runs of 2014 the tau of the mean published MSU and the mean official ELG is {tau_2014}.
"""


def main() -> None:
    """Write the page."""
    if "IRMX_DATA" not in os.environ:
        sys.exit("Set IRMX_DATA to the folder that holds msu_table3.tsv and trec_ts.")
    data = Path(os.environ["IRMX_DATA"])
    warnings.simplefilter("ignore", irmx.DataWarning)
    ranked, correlations, facts = table_3(data)
    means, taus, more = per_second(data)
    page = PAGE.format(ranks=ranked, correlations=correlations, means=means, taus=taus, **facts, **more)
    Path(__file__).with_suffix(".md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
