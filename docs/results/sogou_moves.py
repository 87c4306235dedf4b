"""How users move between results and how long they stay, in a click log; and what follows for Markov Precision.

Writes the page ``sogou_moves.md`` beside this file. The environment variable IRMX_DATA names the folder with the data; the
page holds counts, shares and estimates only, nothing of the data. ``--log FILE --out PAGE`` makes the same page from another
click log: a table, or the log of Yandex's Relevance Prediction Challenge.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from markdown_pages import markdown
from moves_and_times import (
    RANKS,
    STEPS,
    by_session,
    convergence,
    example,
    moves_by_chain,
    of_frequent_queries,
    share_of_moves,
    times_by_rank,
)

from irmx.ragged import Array
from irmx_markov import read_click_log


def sogou(name: str) -> tuple[pd.DataFrame, pd.DataFrame, int]:
    """Return the clicks in a file of sessions, how long the cursor was over each result, and the number of sessions."""
    path = Path(os.environ["IRMX_DATA"]).resolve() / "sogou_pscm_clicks" / name
    sessions = pd.read_csv(path, sep="\t", dtype=str)
    clicked, time, cursor = (
        np.array([row.split() for row in sessions[column]], dtype=float)
        for column in ("clicks", "click_times_rel_s", "dwell_ms_rows")
    )

    def rows(where: Array, **values: Array) -> pd.DataFrame:
        session, place = np.nonzero(where)
        queries = sessions["query_id"].to_numpy()[session]
        columns = {column: value[where] for column, value in values.items()}
        return pd.DataFrame(
            {"session": [f"{name} {s}" for s in session], "query_id": queries, "rank": place + 1, **columns}
        )

    stays = rows(cursor > 0, time=np.zeros_like(cursor), dwell=cursor / 1000)
    return rows(clicked > 0, time=time), stays, len(sessions)


def in_two(log: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the first four fifths of the sessions, and the others."""
    number = pd.factorize(log["session"])[0]
    first = number < 0.8 * (number.max() + 1)
    return log[first], log[~first]


def span(values: pd.Series, places: int = 4) -> str:
    """Return the smallest and the largest of some values."""
    return f"{values.min():.{places}f} to {values.max():.{places}f}"


def page(parts: dict[str, pd.DataFrame], cursor: pd.DataFrame | None, sessions: dict[str, int] | None, how: str) -> str:
    """Return the page in Markdown.

    Parameters
    ----------
    parts : dict of str to DataFrame
        Two click logs: the one chains are learned from, and the one they are tried on.
    cursor : DataFrame, optional
        A log of the cursor's stays.
    sessions : dict of str to int, optional
        The number of sessions of each part, with or without clicks.
    how : str
        How the page is made, and from what.
    """
    training, held_out = parts.values()
    log = pd.concat(parts.values(), ignore_index=True)
    clicks = log.groupby("session").size()
    far = convergence(log)
    first, uniform = (far.xs(start, level="start") for start in ("first", "uniform"))
    everywhere = [name for name in far.index.levels[0] if not name.startswith("LO")]
    moves = {name: by_session(part) for name, part in parts.items()}
    return _PAGE.format(
        how=how,
        parts=markdown(
            [
                "part",
                *(["sessions"] if sessions else []),
                "with clicks",
                "clicks",
                "moves",
                "backward",
                "share of backward moves",
            ],
            [
                [
                    name,
                    *([f"{sessions[name]:,}"] if sessions else []),
                    f"{part['session'].nunique():,}",
                    f"{len(part):,}",
                    f"{moves[name][0].sum():,}",
                    f"{moves[name][1].sum():,}",
                    share_of_moves(part),
                ]
                for name, part in parts.items()
            ],
        ),
        clicks=markdown(
            ["clicks", *range(1, RANKS), f"{RANKS} or more"],
            [
                [
                    "share of sessions with clicks",
                    *(f"{(clicks == n).mean():.3f}" for n in range(1, RANKS)),
                    f"{(clicks >= RANKS).mean():.3f}",
                ]
            ],
        ),
        backward=f"{sum(m[1].sum() for m in moves.values()) / sum(m[0].sum() for m in moves.values()):.1%}",
        mean=f"{clicks.mean():.2f}",
        chains=moves_by_chain(training, held_out),
        times=times_by_rank(log),
        frequent=of_frequent_queries(log),
        cursor="" if cursor is None else _CURSOR.format(times=times_by_rank(cursor)),
        example=example(log, cursor),
        far=markdown(
            ["model", "start", *(f"n = {n}" for n in STEPS), "n = 10, largest", "n = 10, tau-b", "n as clicked"],
            [
                [
                    model,
                    start,
                    *(f"{row[n]:.4f}" for n in STEPS),
                    f"{row['largest']:.3f}",
                    f"{row['tau']:.3f}",
                    f"{row['as clicked']:.4f}",
                ]
                for (model, start), row in far.iterrows()
            ],
        ),
        uniform=span(uniform[10]),
        everywhere=span(first.loc[everywhere, 10]),
        everywhere_tau=span(first.loc[everywhere, "tau"], 3),
        local=span(first.drop(everywhere)[10]),
        local_tau=span(first.drop(everywhere)["tau"], 3),
        clicked=span(first["as clicked"]),
        ten_or_more=f"{(clicks >= 10).mean():.2%}",
    )


_PAGE = """\
# How users move and how long they stay: Markov Precision and a click log

{backward} of the moves in this log go backward. Ten steps are enough to take the limit of Markov Precision for the user if users
start anywhere (the mean distance is {uniform}), but not if they start at the first relevant document and move to a
neighbour ({local}).

{how}

The quantities are those of Table 4 and Section 5.5 of Ferrante, Ferro and Maistro (SIGIR 2014), who take them from a log of Yandex: the
share of moves that go backward, holding times calibrated from clicks, MP and MPcont, and whether ten steps of a user are
enough for MP, which is a limit.

## Moves

A move leads from one click of a session to the next, in the order of time. It is backward if it goes to a smaller rank; a
second click on the same result is a move, but not backward. Intervals, here and below, are 95%, from 1,000 samples of sessions; those of holding times, of observations.

{parts}

The paper finds 21% in its log.

{clicks}

A session with clicks has {mean} of them on average.

### What chains say of the moves

Chains over ten ranks are tried on the moves of the second part to another rank; the last chain is learned from the first part. "From the ranks
clicked" is the share of backward moves that the chain expects of users who are where those of the second part were.

{chains}

All eight models of the paper have symmetric weights, so they are reversible: in the long run half of the moves go backward, whatever
the weights. Sessions in a log begin near the top and end soon, so their share is no estimate of what a chain does in the long
run, which is all that MP looks at. The likelihood compares chains without this difference.

## Holding times

A stay is the time from a click until the user's next one; from n of them, mu = ((n - 1)/n) / (mean time).

{times}

{frequent}

{cursor}## MP and MPcont of one example

Six results are retrieved; the results at ranks 1, 3 and 4 are relevant. Times are those by rank of all queries. Here and
below, LO_AD_LID is left out: it is the same model as LO_AD_ID.

{example}

## Are ten steps enough?

MP is the mean precision of a user who goes on forever; `steps=n` gives the mean over the first n relevant documents visited. The
table has the mean distance between the two over all 1,023 ways in which one or more of ten results are relevant; for ten steps also
the largest distance, and Kendall's tau-b between the orders of these rankings by the two values. `n as clicked` is the distance for
users whose numbers of steps are distributed as the numbers of clicks above (ten for those with more).

{far}

- For users who start anywhere (`uniform`), ten steps are enough: the mean distance is {uniform}.
- For users who start at the first relevant document and may move to any other (`GL`, learned), it is {everywhere}, and tau is
  {everywhere_tau}. The distance decreases as 1/n.
- For users who start there and move to a neighbour (`LO`), ten steps are not enough: it is {local}, and tau is
  {local_tau}.
- Few users take ten steps: {ten_or_more} of the sessions with clicks have ten clicks or more. With as many steps as users click,
  and a start at the first relevant document, the mean distance is {clicked}.

The first visit counts as one of the n, and the starts are choices of irmx: the paper states neither.
"""

_CURSOR = """\
### Times of the cursor

The same, from how long the cursor was over a result, clicked or not.

{times}

These differ from the times of clicks not only in scale, since they fall with the rank. The time between clicks is spent mostly on the page
that was opened, that of the cursor on the list of results. The paper takes clicks.

"""

_SOGOU = """\
```console
$ IRMX_DATA=... python docs/results/sogou_moves.py
```

makes this page. `IRMX_DATA` is the folder that holds `sogou_pscm_clicks`, query sessions of a Chinese search engine with ten
results each, published in two parts; they are not part of irmx, and this page holds counts, shares and estimates only. From a log of
your own, a [table of clicks](../guide/time-and-clicks.md) or the log of Yandex's Relevance Prediction Challenge,

```console
$ python docs/results/sogou_moves.py --log clicks.gz --out moves.md
```

makes the same page.

What these data cannot tell:

- Each result has at most one click, with one time, so a second click on a result is not seen: no session has more than ten
  clicks, and moves are missing.
- Times are relative to a session's first click, so the time before it is unknown. The time spent after the last click is unknown in any
  log of clicks.
- There are no relevance labels, so MP is computed for made-up rankings, not for the result pages of the log."""

_OWN = """\
Made by `python docs/results/sogou_moves.py --log {log} --unit {unit:g} --out {out}`.
Sessions are in two parts: the first four fifths, and the others."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--log", help="a click log; by default, the sessions of Sogou in the folder IRMX_DATA")
    parser.add_argument("--unit", type=float, default=1.0, help="the unit of the log's times, in seconds")
    parser.add_argument("--out", type=Path, help="the page to write; required with --log")
    given = parser.parse_args()
    if given.log:
        if given.out is None:
            parser.error("--log needs --out, the page to write.")
        training, held_out = in_two(read_click_log(given.log, given.unit))
        how = _OWN.format(log=given.log, unit=given.unit, out=given.out)
        text = page({"first": training, "second": held_out}, None, None, how)
    elif "IRMX_DATA" not in os.environ:
        sys.exit("Set IRMX_DATA to the folder that holds sogou_pscm_clicks, or give a click log with --log.")
    else:
        text = sogou_page()
    target = given.out or Path(__file__).with_suffix(".md")
    target.write_text(text, encoding="utf-8")
    print(f"{target} written")


def sogou_page() -> str:
    """Return the page of the sessions of Sogou."""
    (training, some, first), (held_out, others, second) = map(sogou, ("train_data.tsv.gz", "test_data.tsv.gz"))
    parts, sessions = {"first": training, "second": held_out}, {"first": first, "second": second}
    return page(parts, pd.concat([some, others]), sessions, _SOGOU)


if __name__ == "__main__":
    main()
