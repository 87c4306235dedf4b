"""How users move between results and how long they stay, in a click log; and what follows for Markov Precision.

Writes a section of the page ``clicks_and_sessions.md`` beside this file. The environment variable IRMX_DATA names the folder with the data; the
page holds counts, shares and estimates only, nothing of the data. ``--log FILE --out PAGE`` makes the same section from another
click log: a table, or the log of Yandex's Relevance Prediction Challenge.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from markdown_pages import beside, markdown, write_section
from moves_and_times import (
    RANKS,
    STEPS,
    by_session,
    convergence,
    example,
    moves_by_chain,
    share_of_moves,
    times_by_rank,
)

from irmx.ragged import Array
from irmx_markov import read_click_log

PAGE = Path(__file__).with_name("clicks_and_sessions.md")


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


def section(
    page: Path, parts: dict[str, pd.DataFrame], cursor: pd.DataFrame | None, sessions: dict[str, int] | None, how: str
) -> str:
    """Return the section in Markdown, and write its tables beside the page.

    Parameters
    ----------
    page : Path
        The page.
    parts : dict of str to DataFrame
        Two click logs: the one chains are learned from, and the one they are tried on.
    cursor : DataFrame, optional
        A log of the cursor's stays.
    sessions : dict of str to int, optional
        The number of sessions of each part, with or without clicks.
    how : str
        How the section is made, and from what.
    """
    training, held_out = parts.values()
    log = pd.concat(parts.values(), ignore_index=True)
    clicks = log.groupby("session").size()
    far = convergence(log)
    first, uniform = (far.xs(start, level="start") for start in ("first", "uniform"))
    everywhere = [name for name in far.index.levels[0] if not name.startswith("LO")]
    moves = {name: by_session(part) for name, part in parts.items()}
    every_step = [
        [
            model,
            start,
            *(f"{row[n]:.4f}" for n in STEPS),
            f"{row['largest']:.3f}",
            f"{row['tau']:.3f}",
            f"{row['as clicked']:.4f}",
        ]
        for (model, start), row in far.iterrows()
    ]
    steps_head = ["model", "start", *(f"n = {n}" for n in STEPS), "n = 10, largest", "n = 10, tau-b", "n as clicked"]
    times, ratios = times_by_rank(log)
    of_example, differs = example(log, cursor)
    counted = [
        [n if n < RANKS else f"{n} or more", f"{(clicks.clip(upper=RANKS) == n).mean():.3f}"]
        for n in range(1, RANKS + 1)
    ]
    of_cursor = ""
    if cursor is not None:
        cursor_times, cursor_ratios = times_by_rank(cursor)
        of_cursor = _CURSOR.format(times=beside(page, "moves_cursor", *cursor_times), ratios=cursor_ratios)
    return _TEXT.format(
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
        clicks=beside(page, "moves_clicks", ["clicks", "share of sessions with clicks"], counted),
        backward=f"{sum(m[1].sum() for m in moves.values()) / sum(m[0].sum() for m in moves.values()):.1%}",
        mean=f"{clicks.mean():.2f}",
        chains=beside(page, "moves_chains", *moves_by_chain(training, held_out)),
        times=beside(page, "moves_times", *times),
        ratios=ratios,
        cursor=of_cursor,
        example=beside(page, "moves_example", *of_example),
        differs=differs,
        steps=beside(page, "moves_steps", steps_head, every_step),
        uniform=span(uniform[10]),
        everywhere=span(first.loc[everywhere, 10]),
        local=span(first.drop(everywhere)[10]),
        everywhere_tau=span(first.loc[everywhere, "tau"], 3),
        local_tau=span(first.drop(everywhere)["tau"], 3),
        clicked=span(first["as clicked"]),
        ten_or_more=f"{(clicks >= 10).mean():.2%}",
    )


_TEXT = """\
{backward} of the moves in this log go backward (21% in the paper's log: Ferrante, Ferro and Maistro, SIGIR 2014). Ten steps are enough to
take the limit of Markov Precision for the user if users start anywhere, but not if they start at the first relevant document and move to a neighbour.

{parts}

A move leads from one click to the next in time, backward if to a smaller rank; intervals are 95%, over samples of sessions. A session
with clicks has {mean} of them ([shares]({clicks})). [Chains]({chains}) with symmetric weights, as all eight models of the paper, go backward
in half of their moves in the long run, which short sessions do not estimate.

Means of [holding times by rank]({times}) are {ratios} times the median: long absences decide them. {cursor}For
[one ranking]({example}) with these times, MPcont differs from MP by at most {differs}.

### Are ten steps enough?

MP is the mean precision of a user who goes on forever. Over the 1,023 ways in which one or more of ten results are relevant, its mean
distance to the mean over the first ten relevant documents visited ([by model and number of steps]({steps})) is {uniform} for users who start
anywhere. For users who start at the first relevant document it is {everywhere} if they may move to any other (`GL`, learned; tau-b between
the two orders {everywhere_tau}), and {local} if they move to a neighbour (`LO`; {local_tau}). {ten_or_more} of the sessions with clicks have
ten or more; with as many steps as clicks and a start at the first, it is {clicked}.

{how}
"""

_CURSOR = """\
[Times of the cursor]({times}) over a result ({ratios} times the median) fall with the rank. """

_SOGOU = """\
In these data, which have no relevance labels, each result has at most one click, so moves are missing, and the time before the first
click and after the last is unknown.

Made by `IRMX_DATA=... python docs/results/sogou_moves.py` from `sogou_pscm_clicks`. `--log clicks.gz --out moves.md` makes the section from
a log of your own, a [table of clicks](../guide/time-and-clicks.md) or the log of Yandex's Relevance Prediction Challenge."""

_OWN = """\
Made by `python docs/results/sogou_moves.py --log {log} --unit {unit:g} --out {out}`.
Sessions are in two parts: the first four fifths, and the others."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--log", help="a click log; by default, the sessions of Sogou in the folder IRMX_DATA")
    parser.add_argument("--unit", type=float, default=1.0, help="the unit of the log's times, in seconds")
    parser.add_argument("--out", type=Path, default=PAGE, help="the page to write to; required with --log")
    given = parser.parse_args()
    if given.log:
        if given.out == PAGE:
            parser.error("--log needs --out, the page to write to.")
        training, held_out = in_two(read_click_log(given.log, given.unit))
        how = _OWN.format(log=given.log, unit=given.unit, out=given.out)
        text = section(given.out, {"first": training, "second": held_out}, None, None, how)
    elif "IRMX_DATA" not in os.environ:
        sys.exit("Set IRMX_DATA to the folder that holds sogou_pscm_clicks, or give a click log with --log.")
    else:
        text = sogou_section(given.out)
    write_section(given.out, "Moves and holding times in a click log", text)


def sogou_section(page: Path) -> str:
    """Return the section on the sessions of Sogou, and write its tables."""
    (training, some, first), (held_out, others, second) = map(sogou, ("train_data.tsv.gz", "test_data.tsv.gz"))
    parts, sessions = {"first": training, "second": held_out}, {"first": first, "second": second}
    return section(page, parts, pd.concat([some, others]), sessions, _SOGOU)


if __name__ == "__main__":
    main()
