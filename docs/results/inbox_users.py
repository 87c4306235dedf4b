"""Which people change the order of systems that measures of rankings that may stop give to inboxes: made up, and of the track of 2014.

Writes a section of the page ``streams.md``, a table and a picture beside this file. The environment variable IRMX_DATA names the folder
with the data; the page holds orders and means.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from markdown_pages import beside, markdown, write_section
from msu_against_elg import PAGE, read_runs

import irmx
from irmx.toolkit import COLOURS, picture_style, write_picture
from irmx_stream import Inbox, InboxRun, read_inbox, read_inbox_run, score_inbox, write_inbox
from irmx_stream.tst.tst_qrels import qrels_of_folder

AWAY = {"1h": "30m", "6h": "3h", "1d": "12h", "3d": "36h", "1w": "84h"}
READING = {"1m": "30s", "2m": "1m", "10m": "5m", "30m": "15m"}
"""Mean times, and their standard deviations over people, half of them."""
DRAWN = "10m"
MOST = 100
"""How many documents of a day the runs of the track may show, as in TREC Change Detection."""


class Collection(NamedTuple):
    """An inbox, and the same judgments and runs as a stream."""

    name: str
    inbox: Inbox
    runs: dict[str, InboxRun]
    qrels: Any
    updates: dict[str, Any]


def made_up(folder: Path) -> Collection:
    """Return the collection of ``irmx inbox demo``."""
    write_inbox(folder)
    files = {path.stem: path for path in sorted((folder / "runs").iterdir())}
    return Collection(
        "the made-up inbox",
        read_inbox(folder / "judgments.tsv", folder / "universe.tsv"),
        {name: read_inbox_run(path) for name, path in files.items()},
        f"inbox(level=updates):{folder / 'judgments.tsv'}",
        {name: f"inbox(level=updates):{path}" for name, path in files.items()},
    )


def of_the_track(year: Path) -> Collection:
    """Return the runs of 2014, their updates put into the inbox of the day on which they were emitted; each topic is one question."""
    qrels, runs = qrels_of_folder(year), read_runs(year / "runs.cunlp.ssv.gz")
    rows = qrels.to_pandas()
    matched = set(rows.loc[rows["relevance"] >= 1, ["query_id", "doc_id"]].itertuples(index=False, name=None))
    windows = rows.groupby("query_id")[["query_start", "query_end"]].first()
    days = {
        topic: [str(day.date()) for day in pd.date_range(*(pd.Timestamp(t, unit="s").floor("D") for t in window))]
        for topic, window in zip(windows.index, windows.to_numpy(), strict=True)
    }
    universe = pd.DataFrame(
        [(topic, "news", day) for topic, of_topic in days.items() for day in of_topic],
        columns=["topic", "question", "day"],
    )
    shown = {name: dict(_by_day(run.assign(doc_id=run["doc_id"].astype(str)), days)) for name, run in runs.items()}
    judged = {
        (topic, "news", day, f"{day} {doc_id}", 1)
        for of_run in shown.values()
        for (topic, day), of_day in of_run.items()
        for doc_id in of_day["doc_id"]
        if (topic, doc_id) in matched
    }
    inbox = read_inbox(pd.DataFrame(sorted(judged), columns=["topic", "question", "day", "document", "gain"]), universe)
    return Collection("the track of 2014", inbox, {n: _as_inbox(n, s) for n, s in shown.items()}, qrels, runs)


def _by_day(run: pd.DataFrame, days: dict[str, list[str]]) -> Iterator[tuple[tuple[str, str], pd.DataFrame]]:
    """Yield the updates of each topic and day, the most confident first."""
    on = pd.to_datetime(run["timestamp"], unit="s").dt.strftime("%Y-%m-%d")
    for (topic, day), of_day in run.assign(day=on).groupby(["query_id", "day"], sort=False):
        if day in days.get(str(topic), []):
            best_first = of_day.sort_values("score", ascending=False, kind="stable")
            yield (str(topic), str(day)), best_first.drop_duplicates("doc_id").head(MOST)


def _as_inbox(name: str, shown: dict[tuple[str, str], pd.DataFrame]) -> InboxRun:
    counts = [len(of_day) for of_day in shown.values()]
    docs = [f"{day} {doc_id}" for (_, day), of_day in shown.items() for doc_id in of_day["doc_id"]]
    return InboxRun(
        name,
        "",
        [topic for topic, _ in shown],
        ["news"] * len(shown),
        [day for _, day in shown],
        np.zeros(len(shown)),
        [0] * len(shown),
        np.concatenate([[0], np.cumsum(counts)]),
        docs,
        np.concatenate([-np.arange(count, dtype=float) for count in counts]),
        np.full(len(docs), np.nan),
        set(shown),
    )


def order(means: pd.Series) -> str:
    """Return systems, the largest mean first."""
    return " > ".join(means.sort_values(ascending=False, kind="stable").index)


def by_units(collection: Collection) -> dict[str, str]:
    """Return the order by AP' over the units of each level."""
    found = {}
    for level in score_inbox(collection.inbox, collection.runs, "TruncatedAP"):
        frame = level.frame()
        for part in ("all", "answer"):
            means = frame[frame["over"] == part].set_index("system")["TruncatedAP"]
            found[f"AP' of {level.level}, {'all units' if part == 'all' else 'units with an answer'}"] = order(means)
    return found


def by_people(collection: Collection) -> pd.DataFrame:
    """Return gain and pain of each system for each kind of people."""
    people = [f"MA={a},SA={sa},MD={m},SD={sm}" for a, sa in AWAY.items() for m, sm in READING.items()]
    measures = [f"{name}({one})" for one in people for name in ("MSU", "MSU_Pain")]
    means = irmx.scores(measures, collection.qrels, collection.updates).means()
    rows = []
    for (away, reading), at in zip(((a, m) for a in AWAY for m in READING), range(0, len(measures), 2), strict=True):
        for system, values in means.iterrows():
            rows.append((collection.name, away, reading, system, *values.iloc[at : at + 2]))
    return pd.DataFrame(rows, columns=["collection", "away", "reading", "system", "gain", "pain"])


def draw(frames: list[pd.DataFrame], path: Path) -> None:
    """Draw gain against pain of people who read for some minutes, a line per system, a point per time away."""
    with picture_style() as plt:
        figure, axes = plt.subplots(1, len(frames), figsize=(9, 3.6), constrained_layout=True)
        for ax, frame in zip(axes, frames, strict=True):
            some = frame[frame["reading"] == DRAWN]
            for colour, (system, of_system) in zip(COLOURS, some.groupby("system", sort=True), strict=False):
                ax.plot(of_system["pain"], of_system["gain"], "o-", color=colour, markersize=4, label=system)
                for away, pain, gain in of_system[["away", "pain", "gain"]].itertuples(index=False):
                    if away in ("1h", "1d", "1w"):
                        ax.annotate(
                            away, (pain, gain), xytext=(4, 3), textcoords="offset points", fontsize=7, color=colour
                        )
            ax.set_title(frame["collection"].iloc[0])
            ax.set_xlabel("updates read in vain")
            ax.set_ylabel("gain (MSU)")
            ax.legend()
        write_picture(figure, path)


TEXT = """\
The mean over units and the person who reads disagree about inboxes: {disagree}.

{orders}

The people read for 1, 2, 10 or 30 minutes, and come back after 1 hour to 1 week, all on average, with standard deviations of half of that: {people} kinds
([gain and pain of each]({table})). [The made-up inbox](../guide/inbox.md) has 12 topics. The runs of 2014 were no inboxes: their updates are put
into that of the day on which they were emitted, the {most} most confident ones of a topic, each topic is one question, and an update is relevant
if it holds a nugget; MSU reads all updates, newest first.

![Gain against updates read in vain, a line per system, a point per time away.](inbox_users.svg)

The picture shows those who read for 10 minutes.

Made by `IRMX_DATA=... python docs/results/inbox_users.py`.
"""


def main() -> None:
    """Write the section, its table and its picture."""
    if "IRMX_DATA" not in os.environ:
        raise SystemExit("Set IRMX_DATA to the folder that holds trec_ts.")
    warnings.simplefilter("ignore", irmx.DataWarning)
    year = Path(os.environ["IRMX_DATA"]) / "trec_ts" / "2014"
    rows, frames, disagree = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for collection in (made_up(Path(folder) / "inbox"), of_the_track(year)):
            of_units, frame = by_units(collection), by_people(collection)
            frames.append(frame)
            kinds = [of.set_index("system") for _, of in frame.groupby(["away", "reading"], sort=False)]
            gains, pains = (Counter(order(kind[name]) for kind in kinds) for name in ("gain", "pain"))
            rows += [[collection.name, by, found, ""] for by, found in of_units.items()]
            rows += [
                [collection.name, "gain of people", found, f"{n} of {len(kinds)}"] for found, n in gains.most_common()
            ]
            rows += [
                [collection.name, "pain of people, the most first", found, f"{n} of {len(kinds)}"]
                for found, n in pains.most_common()
            ]
            first, found = next(iter(of_units.items()))
            other = sum(n for of_people, n in gains.items() if of_people != found)
            disagree.append(
                f"on {collection.name}, {other} of {len(kinds)} kinds of people put the systems in another order than {first}"
            )
    every = pd.concat(frames)
    table = beside(
        PAGE,
        "inbox_users",
        list(every),
        [[*row[:-2], f"{row[-2]:.3f}", f"{row[-1]:.3f}"] for row in every.itertuples(index=False)],
    )
    draw(frames, PAGE.with_name("inbox_users.svg"))
    text = TEXT.format(
        disagree="; ".join(disagree),
        orders=markdown(["inbox", "by", "order", "kinds of people"], rows, texts=3),
        people=len(AWAY) * len(READING),
        table=table,
        most=MOST,
    )
    write_section(PAGE, "Which people change the order of inboxes", text)


if __name__ == "__main__":
    main()
