"""Moves and holding times in a click log, and values of Markov Precision that rest on them; for a page of results."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

import irmx
from irmx.ragged import Array
from irmx_markov import (
    GL_AD_ID,
    GL_AD_LID,
    LO_AD_ID,
    MP,
    ByRank,
    MPcont,
    backward_share,
    holding_times,
    learn_chain,
    read_click_log,
    stationary,
    transition_counts,
    transition_matrix,
)
from irmx_study import kendall_tau

RANKS = 10
MODELS = ("GL_AD_ID", "GL_AD_LID", "GL_OR_ID", "GL_OR_LID", "LO_AD_ID", "LO_OR_ID", "LO_OR_LID")
"""The models of the paper; LO_AD_LID is LO_AD_ID."""
Table = tuple[list[str], list[list[object]]]
"""The head and the rows of a table."""
STEPS = (1, 2, 5, 10, 20, 50, 100)
QRELS = {"q": {"a": 1, "c": 1, "d": 1, "y": 1, "z": 1}}
RUN = {"q": {"a": 6.0, "b": 5.0, "c": 4.0, "d": 3.0, "e": 2.0, "f": 1.0}}
"""The example: six results, relevant at ranks 1, 3 and 4."""
SAMPLES = 1000


# -- moves -------------------------------------------------------------------------------------------------


def by_session(log: pd.DataFrame) -> tuple[Array, Array]:
    """Return the number of moves, and of moves to a smaller rank, of every session."""
    log = read_click_log(log)
    step = log.groupby("session", sort=False)["rank"].diff()
    counts = pd.DataFrame({"session": log["session"], "moves": step.notna(), "back": step < 0}).groupby("session").sum()
    return counts["moves"].to_numpy(), counts["back"].to_numpy()


def interval(statistic: Callable[[Array], float], size: int, seed: int = 0) -> tuple[float, float]:
    """Return the 95% interval of a statistic over samples of the numbers 0..size-1 with replacement."""
    generator = np.random.default_rng(seed)
    values = [statistic(generator.integers(size, size=size)) for _ in range(SAMPLES)]
    low, high = np.nanquantile(values, [0.025, 0.975])
    return float(low), float(high)


def share_of_moves(log: pd.DataFrame) -> str:
    """Return the share of backward moves with its interval over samples of sessions."""
    moves, back = by_session(log)
    low, high = interval(lambda sample: back[sample].sum() / moves[sample].sum(), len(moves))
    return f"{backward_share(log):.1%} [{low:.1%}, {high:.1%}]"


def backward(chain: Array, at: Array) -> float:
    """Return the share of moves to a smaller rank of a chain, from ranks at which the user is with given probabilities."""
    return float(at @ np.tril(chain, -1).sum(axis=1))


def chains(training: pd.DataFrame) -> dict[str, Array]:
    """Return transition matrices over ten ranks, by name."""
    every = np.arange(1, RANKS + 1)
    return {
        "any other rank, equally likely": (1 - np.eye(RANKS)) / (RANKS - 1),
        **{model.NAME: transition_matrix(model, RANKS, every) for model in (GL_AD_ID, GL_AD_LID, LO_AD_ID)},
        "learned from the other sessions": learn_chain(training, size=RANKS).values,
    }


def moves_by_chain(training: pd.DataFrame, held_out: pd.DataFrame) -> Table:
    """Return how far chains explain the moves of held-out sessions."""
    counts = transition_counts(held_out, RANKS)
    np.fill_diagonal(counts, 0)
    at = counts.sum(axis=1) / counts.sum()
    rows: list[list[object]] = []
    for name, chain in chains(training).items():
        with np.errstate(divide="ignore"):
            likelihood = float((counts[counts > 0] * np.log(chain[counts > 0])).sum() / counts.sum())
        impossible = counts[chain == 0].sum() / counts.sum()
        rows.append(
            [
                name,
                f"{backward(chain, at):.1%}",
                f"{backward(chain, stationary(chain)):.1%}",
                f"{likelihood:.3f}" if np.isfinite(likelihood) else f"{impossible:.1%} of the moves are impossible",
            ]
        )
    rows.append(["observed", f"{np.tril(counts, -1).sum() / counts.sum():.1%}", "", ""])
    return ["chain", "backward, from the ranks clicked", "backward, in the long run", "log-likelihood a move"], rows


# -- holding times -----------------------------------------------------------------------------------------


def holding_interval(observed: Array) -> tuple[float, float]:
    """Return the 95% interval of a holding time over samples of its observations."""
    n = len(observed)
    return interval(lambda sample: observed[sample].mean() * n / (n - 1), n)


def times_by_rank(log: pd.DataFrame) -> tuple[Table, str]:
    """Return the calibrated holding times, and how many times the median the mean is."""
    clicks = read_click_log(log)
    if "dwell" not in clicks:
        clicks["dwell"] = -clicks.groupby("session", sort=False)["time"].diff(-1)
    rows: list[list[object]] = []
    ratios = []
    for rank, n, mean, mu, holding in holding_times(log).head(RANKS).itertuples(index=False):
        observed = clicks.loc[(clicks["rank"] == rank) & clicks["dwell"].notna(), "dwell"].to_numpy()
        low, high = holding_interval(observed)
        median = f"{np.median(observed):.1f}"
        rows.append([rank, n, median, f"{mean:.1f}", f"{mu:.5f}", f"{holding:.1f}", f"[{low:.1f}, {high:.1f}]"])
        if float(median):
            ratios.append(float(f"{mean:.1f}") / float(median))
    head = ["rank", "n", "median time", "mean time", "mu", "holding time 1/mu", "95%"]
    return (head, rows), f"{min(ratios):.1f} to {max(ratios):.1f}"


# -- values ------------------------------------------------------------------------------------------------


def example(log: pd.DataFrame, cursor: pd.DataFrame | None) -> tuple[Table, str]:
    """Return MP and MPcont of the example, and how far they differ with the times of clicks."""
    chain = learn_chain(log, size=RANKS)
    sources = {"": log, "cursor": cursor}
    times = {
        name: ByRank.from_frame(holding_times(table).head(RANKS))
        for name, table in sources.items()
        if table is not None
    }
    rows: list[list[object]] = []
    differences = []
    for name, model in {**{name: name for name in (*MODELS, "constant")}, "learned": chain}.items():
        measures = [MP(model=model), *(MPcont(model=model, times=source) for source in times.values())]
        values = irmx.evaluator(measures, QRELS).calc_aggregate(RUN)
        rows.append([name, *(f"{values[measure]:.4f}" for measure in measures)])
        differences.append(abs(values[measures[1]] - values[measures[0]]))
    head = ["model", "MP", "MPcont", *["MPcont, times of the cursor"] * (len(times) - 1)]
    return (head, rows), f"{max(differences):.4f}"


def all_rankings() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Return the qrels and the run of a topic for each way in which one or more of ten results are relevant."""
    patterns = range(1, 1 << RANKS)
    run = {f"d{rank}": float(-rank) for rank in range(RANKS)}
    return {str(p): {f"d{rank}": p >> rank & 1 for rank in range(RANKS)} for p in patterns}, {
        str(p): run for p in patterns
    }


def after_steps(model: object, start: str, steps: Sequence[int]) -> tuple[Array, Array]:
    """Return MP, and MP after numbers of steps as (steps, rankings), over all rankings."""
    qrels, run = all_rankings()
    limit, *finite = measures = [MP(model=model), *(MP(model=model, steps=n, start=start) for n in steps)]
    values = irmx.evaluator(measures, qrels).values(run)
    return np.array(list(values[limit].values())), np.array([list(values[measure].values()) for measure in finite])


def convergence(log: pd.DataFrame) -> pd.DataFrame:
    """Return how far MP after some steps is from MP, over all rankings: a row per model and start.

    The columns are the mean distance after each of STEPS; after ten steps also the ``largest`` distance and the ``tau`` of the
    order of the rankings; and the mean distance for users who take as many steps ``as clicked``.
    """
    clicks = log.groupby("session").size().clip(upper=RANKS)
    users = np.bincount(clicks, minlength=RANKS + 1)[1:] / len(clicks)
    rows = []
    steps = sorted({*STEPS, *range(1, RANKS + 1)})
    for name, model in {**{name: name for name in MODELS}, "learned": learn_chain(log, size=RANKS)}.items():
        for start in ("first", "uniform"):
            limit, every = after_steps(model, start, steps)
            finite, ten = every[[steps.index(n) for n in STEPS]], every[steps.index(10)]
            mix = users @ every[:RANKS]
            rows.append(
                {
                    "model": name,
                    "start": start,
                    **dict(zip(STEPS, np.abs(finite - limit).mean(axis=1), strict=True)),
                    "largest": np.abs(ten - limit).max(),
                    "tau": kendall_tau(ten.round(12), limit.round(12)),
                    "as clicked": np.abs(mix - limit).mean(),
                }
            )
    return pd.DataFrame(rows).set_index(["model", "start"])
