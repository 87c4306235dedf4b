"""Battles of systems: preference rates, ratings of Bradley and Terry with intervals over topics, and measures that agree with them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import DataError, DataWarning, Scores, Table, UsageError, read_table
from irmx.ragged import Array, Bools, Floats, Ints, segment_sum, short_repr
from irmx.toolkit import list_some, plural, suggest, visible

if TYPE_CHECKING:
    import pandas as pd

# -- battles ---------------------------------------------------------------------------------------------------------


_NAMES = {
    "topic": ("topic", "topic_id", "query_id", "qid", "question_id"),
    "system_a": ("system_a", "model_a", "a", "left"),
    "system_b": ("system_b", "model_b", "b", "right"),
    "winner": ("winner", "preference", "outcome"),
}
"""What the columns of battles are called."""
_A, _B = {"a", "system_a", "model_a", "left"}, {"b", "system_b", "model_b", "right"}
_TIES = {"tie", "both", "neither", "tie (bothbad)", "bothbad", "both_bad", "both bad"}


@dataclass(frozen=True)
class Battles:
    """Answers of two systems to a topic, each judged by somebody who preferred one of them or neither.

    Attributes
    ----------
    topics : tuple of str
        The names of the topics, by number.
    systems : tuple of str
        The names of the systems, by number.
    topic, a, b : int array, shape (battles,)
        The topic and the two systems of each.
    won : float array, shape (battles,)
        The part of the win that goes to a: 1, 1/2 for a tie, 0.
    """

    topics: tuple[str, ...]
    systems: tuple[str, ...]
    topic: Ints
    a: Ints
    b: Ints
    won: Floats

    __repr__ = short_repr

    def __len__(self) -> int:
        return len(self.won)

    def wins(self, weight: Floats | None = None) -> Floats:
        """Return how often each system won against each, shape (systems, systems); a tie is half a win, and a topic may have a weight."""
        count = len(self.systems)
        of_battle = np.ones(len(self)) if weight is None else weight[self.topic]
        pairs = np.append(self.a * count + self.b, self.b * count + self.a)
        won = np.append(self.won, 1 - self.won) * np.append(of_battle, of_battle)
        return segment_sum(won, pairs, count**2).reshape(count, count)


def read_battles(source: Any) -> Battles:
    """Return the battles of a table.

    Parameters
    ----------
    source : str, Path, DataFrame or other table
        The columns ``topic``, ``system_a``, ``system_b`` and ``winner``, or as arenas call them: ``question_id``, ``model_a``. The winner is
        ``a``, ``b``, ``tie``, or the name of one of the two systems.

    Raises
    ------
    irmx.DataError
        If a column or a value is missing, a winner is none of the two, or a system fights itself; names the line.

    Examples
    --------
    >>> battles = read_battles({"topic": ["1", "1"], "system_a": ["x", "y"], "system_b": ["y", "x"], "winner": ["a", "tie"]})
    >>> battles.systems, battles.won
    (('x', 'y'), array([1. , 0.5]))
    """
    table = read_table(source, {}, "table of battles")
    names = {alias: name for name, aliases in _NAMES.items() for alias in aliases}
    found: list[str] = []
    for name in table.names:
        known = names.get(name.lower(), name)
        found.append(name if known in found or (known != name and known in table.names) else known)
    table = table.renamed(found)
    for name, aliases in _NAMES.items():
        if name not in table:
            raise DataError(
                f"{table.name} lacks the column {name!r}, also called {', '.join(aliases[1:])}. It has: {list_some(table.names, 20)}."
                f"{suggest(name, table.names)}"
            )
    columns = {name: _texts(table, name) for name in _NAMES}
    topics, systems = (
        tuple(dict.fromkeys(texts)) for texts in (columns["topic"], columns["system_a"] + columns["system_b"])
    )
    number = {name: i for i, name in enumerate(systems)}
    pairs = zip(columns["system_a"], columns["system_b"], columns["winner"], strict=True)
    won = np.array([_share_of_a(table, row, *pair) for row, pair in enumerate(pairs)])
    of_topic = {name: i for i, name in enumerate(topics)}
    a, b = (np.array([number[name] for name in columns[side]], dtype=np.int64) for side in ("system_a", "system_b"))
    return Battles(topics, systems, np.array([of_topic[name] for name in columns["topic"]], dtype=np.int64), a, b, won)


def _texts(table: Table, name: str) -> list[str]:
    """Return a column of texts, none of which may be missing."""
    code, labels = table.labels(name)
    for row in np.flatnonzero(code < 0)[:1].tolist():
        table.refuse(row, f"the {name} is missing.")
    return [str(labels[i]) for i in code.tolist()]


def _share_of_a(table: Table, row: int, a: str, b: str, winner: str) -> float:
    """Return the part of a win that goes to the first system."""
    word = winner.strip().lower()
    shares = {
        share
        for share, is_it in ((1.0, word in _A), (0.0, word in _B), (1.0, winner == a), (0.0, winner == b))
        if is_it
    }
    if a == b:
        table.refuse(row, f"{a!r} is both systems; a battle is between two.")
    if len(shares) > 1:
        table.refuse(
            row, f"the winner {winner!r} is one of the two by place, and the other by name. Write model_a or model_b."
        )
    if not shares and word not in _TIES:
        table.refuse(row, f"the winner {winner!r} is neither a, b, tie, nor {a!r} or {b!r}.")
    return shares.pop() if shares else 0.5


# -- ratings ---------------------------------------------------------------------------------------------------------


SCALE, CENTRE = 400 / np.log(10), 1000.0
"""A system that is rated 400 above another wins ten times as often; the mean rating is 1,000."""
_STEPS, _CLOSE = 100, 1e-10
_CELLS = 4_000_000


def bradley_terry(wins: Floats) -> Floats:
    r"""Return the ratings of Bradley and Terry (1952) by maximum likelihood, for several tables of wins.

    :math:`P(i \text{ beats } j) = 1 / (1 + 10^{(r_j - r_i)/400})`, with the mean of ratings 1,000.

    Parameters
    ----------
    wins : float array, shape (tables, systems, systems)
        How often each row's system won against each column's; a tie is half a win for both.

    Returns
    -------
    float array, shape (tables, systems)
        Finite for the systems of the largest group of which each has won, directly or through others, against each; infinite for one that
        only wins against this group, minus infinite for one that only loses, NaN for one that cannot be compared with it.

    Examples
    --------
    >>> bradley_terry(np.array([[[0.0, 3.0], [1.0, 0.0]]])).round(1).tolist()  # three to one
    [[1095.4, 904.6]]
    """
    from scipy.sparse.csgraph import connected_components

    ratings = np.full(wins.shape[:2], np.nan)
    for of_table, won in zip(ratings, wins, strict=True):
        _, group = connected_components(won > 0, connection="strong")
        size = np.bincount(group)
        main = group == int(size.argmax())
        above, below = won[:, main].sum(axis=1) > 0, won[main].sum(axis=0) > 0
        of_table[~main & above & ~below], of_table[~main & below & ~above] = np.inf, -np.inf
        of_table[main] = 0.0
    is_rated = np.isfinite(ratings)
    ratings[is_rated] = CENTRE + SCALE * _strengths(wins, is_rated)[is_rated]
    return ratings


def _strengths(wins: Floats, is_rated: Bools) -> Floats:
    """Return the logarithms of strengths by Newton's method, 0 for systems that have none; their mean over the others is 0."""
    tables, systems = is_rated.shape
    both = is_rated[:, :, None] & is_rated[:, None, :]
    won = np.where(both, wins, 0.0)
    met, total = won + won.transpose(0, 2, 1), won.sum(axis=2)
    strength, diagonal = np.zeros((tables, systems)), np.arange(systems)
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(np.clip(strength[:, None, :] - strength[:, :, None], -700, 700)))
        slope = total - (met * p).sum(axis=2)
        curvature = -met * p * (1 - p)
        curvature[:, diagonal, diagonal] = -curvature.sum(axis=2)
        curvature += np.where(both, 1.0, 0.0) / systems  # the mean stays where it is
        curvature[:, diagonal, diagonal] += ~is_rated
        step = np.linalg.solve(curvature, slope[:, :, None])[:, :, 0]
        step = np.clip(step, -2, 2)  # far from the maximum a whole step may go too far
        strength += step
        if np.abs(step).max(initial=0.0) < _CLOSE:
            break
    centre = np.where(is_rated, strength, 0.0).sum(axis=1) / np.maximum(is_rated.sum(axis=1), 1)
    return np.where(is_rated, strength - centre[:, None], 0.0)


@dataclass(frozen=True)
class Ratings:
    """What battles say of systems.

    Attributes
    ----------
    systems : DataFrame
        One row per system, the best first: ``battles``, ``wins``, ``ties``, ``losses``, the preference ``rate`` (wins and half the
        ties), the ``rating`` with the ends of its interval ``low`` and ``high``, which may be infinite, or NaN.
    pairs : DataFrame
        One row per pair of systems, the better first: ``battles`` between them, the ``rate`` of a against b (NaN if they never met), the
        ``difference`` of ratings with the ends of its interval, NaN where all topics agree so that samples do not vary, and whether they
        are ``apart``: the interval, or without one the difference, does not hold 0, and both systems are on as many topics as a sign test
        needs to show something (6 at the level 0.05).
    notes : list of str
        What a reader must know: systems without a finite rating, and pairs that cannot be told apart.
    """

    systems: pd.DataFrame
    pairs: pd.DataFrame
    notes: list[str]

    __repr__ = short_repr


def rate(battles: Battles, draws: int = 1000, seed: int = 0, level: float = 0.05, prior: float = 0.0) -> Ratings:
    """Rate systems by their battles, with intervals by the bootstrap over topics.

    Parameters
    ----------
    battles : Battles
        The battles.
    draws : int
        How often topics are drawn, at least 100 times.
    seed : int
        The seed of the draws.
    level : float
        Intervals are from the level/2 to the 1 - level/2 quantile of the draws.
    prior : float
        Wins that both systems of each pair that met get beside their own, so that all ratings are finite; 0 by default.

    Raises
    ------
    irmx.UsageError
        If a number is out of range.

    Examples
    --------
    >>> rows = {"topic": list("1122"), "system_a": ["x"] * 4, "system_b": ["y"] * 4, "winner": list("aaba")}
    >>> rate(read_battles(rows)).systems[["system", "wins", "rate", "rating"]].round(2).values.tolist()
    [['x', 3, 0.75, 1095.42], ['y', 1, 0.25, 904.58]]
    """
    import pandas as pd

    if draws < 100 or seed < 0 or not 0 < level < 1 or not (prior == 0 or 1e-3 <= prior <= 1e6):
        raise UsageError(
            f"draws, seed, level or prior is out of range: there are at least 100 draws, and a prior is 0, or from 0.001 to a million. Got {draws}, {seed}, {level:g} and {prior:g}."
        )
    systems, whole = len(battles.systems), battles.wins()
    met = whole + whole.T
    more = prior * (met > 0)
    [rating] = bradley_terry((whole + more)[None])
    drawn = _of_draws(battles, more, draws, seed)
    if len(battles.topics) < 2:  # of which there are no samples
        drawn = np.full_like(drawn, np.nan)
    ties = np.zeros((systems, systems))
    np.add.at(ties, (battles.a, battles.b), battles.won == 0.5)
    ties += ties.T
    won = whole - ties / 2
    ends = [level / 2, 1 - level / 2]
    low, high = _quantiles(drawn, ends)
    order = np.lexsort((-_rate(whole, met), -np.nan_to_num(rating, nan=-np.inf, posinf=np.inf, neginf=-np.inf)))
    table = pd.DataFrame(
        {
            "system": np.array(battles.systems, dtype=object),
            "battles": met.sum(axis=1).astype(int),
            "wins": won.sum(axis=1).astype(int),
            "ties": ties.sum(axis=1).astype(int),
            "losses": won.sum(axis=0).astype(int),
            "rate": _rate(whole, met),
            "rating": rating,
            "low": low,
            "high": high,
        }
    )
    of_system = np.unique(
        np.append(battles.a, battles.b) * len(battles.topics) + np.append(battles.topic, battles.topic)
    )
    topics = np.bincount(of_system // len(battles.topics), minlength=systems)
    is_enough = 0.5 ** (np.minimum(topics[:, None], topics) - 1.0) <= level  # else equal signs are chance
    pairs = pd.DataFrame(_pairs(battles.systems, order, whole, met, rating, drawn, ends, is_enough))
    return Ratings(table.iloc[order].reset_index(drop=True), pairs, _notes(table, pairs, len(battles.topics)))


def _rate(wins: Floats, met: Floats) -> Floats:
    return np.asarray(
        np.divide(wins.sum(axis=1), met.sum(axis=1), out=np.full(len(wins), np.nan), where=met.sum(axis=1) > 0)
    )


def _of_draws(battles: Battles, more: Floats, draws: int, seed: int) -> Floats:
    """Return the ratings in samples of topics, shape (draws, systems)."""
    rng, topics, systems = np.random.default_rng(seed), len(battles.topics), len(battles.systems)
    at_once = max(1, _CELLS // systems**2)
    parts = []
    for start in range(0, draws, at_once):
        samples = (rng.integers(topics, size=topics) for _ in range(start, min(start + at_once, draws)))
        weights = (np.bincount(sample, minlength=topics).astype(np.float64) for sample in samples)
        parts.append(bradley_terry(np.stack([battles.wins(weight) + more for weight in weights])))
    return np.concatenate(parts)


def _quantiles(values: Floats, ends: Sequence[float]) -> tuple[Floats, Floats]:
    """Return the quantiles of each column, which may be infinite; NaN where a value is not known, or all are the same."""
    kept = np.sort(values, axis=0)
    count = len(values)
    at = [int(np.floor(ends[0] * (count - 1))), int(np.ceil(ends[1] * (count - 1)))]
    unknown = np.isnan(values).any(axis=0) | _is_constant(values)
    low, high = (np.where(unknown, np.nan, kept[i]) for i in at)
    return low, high


def _is_constant(values: Floats) -> Bools:
    return np.asarray(np.isclose(values, values[:1], rtol=0, atol=1e-6).all(axis=0))


def _pairs(
    names: Sequence[str],
    order: Array,
    wins: Floats,
    met: Floats,
    rating: Floats,
    drawn: Floats,
    ends: Sequence[float],
    is_enough: Bools,
) -> list[dict[str, Any]]:
    rows = []
    places = order.tolist()
    for i, a in enumerate(places):
        for b in places[i + 1 :]:
            with np.errstate(invalid="ignore"):  # of two infinite ratings there is no difference
                differences, difference = drawn[:, a] - drawn[:, b], rating[a] - rating[b]
            [low], [high] = _quantiles(differences[:, None], ends)
            is_other = low > 0 or high < 0 or (abs(difference) > 1e-6 and bool(_is_constant(differences)))
            rows.append(
                {
                    "a": names[a],
                    "b": names[b],
                    "battles": int(met[a, b]),
                    "rate": wins[a, b] / met[a, b] if met[a, b] else np.nan,
                    "difference": difference,
                    "low": low,
                    "high": high,
                    "apart": bool(is_other and is_enough[a, b]),
                }
            )
    return rows


def _notes(table: pd.DataFrame, pairs: pd.DataFrame, topics: int) -> list[str]:
    """Return what a reader must know of ratings."""
    notes = [] if topics > 1 else ["no intervals, because all battles are on one topic"]
    for text, of in (
        ("no finite rating, because they lose to no system that has one", table["rating"] == np.inf),
        ("no finite rating, because they win against no system that has one", table["rating"] == -np.inf),
        ("no rating, because no battles compare them with the others", table["rating"].isna()),
    ):
        if of.any():
            notes.append(f"{text}: {list_some(map(visible, table['system'][of]), 5)}")
    apart = int(pairs["apart"].sum()) if len(pairs) else 0
    notes.append(f"{len(pairs) - apart} of {plural(len(pairs), 'pair')} of systems cannot be told apart")
    return notes


# -- which measures agree with battles -------------------------------------------------------------------------------


LEVELS = (0.5, 0.75, 1.0)
"""The sizes of a majority: more than a half, three quarters or more, all."""


def agreement(battles: Battles, scores: Scores, levels: Sequence[float] = LEVELS) -> pd.DataFrame:
    """Return how often measures prefer the system that people prefer, topic by topic.

    Parameters
    ----------
    battles : Battles
        The battles.
    scores : Scores
        Values of the same systems on the same topics.
    levels : sequence of float
        The smallest shares of the votes of a pair of systems on a topic that make a majority, in [0.5, 1]; 0.5 is more than a half.

    Returns
    -------
    DataFrame
        One row per level and measure: the ``pairs`` of a topic and two systems with such a majority, how many others are ``missing``, of which
        a system has no value, the ``ties`` of the measure among the pairs, each of which counts a half, the ``agreement``, and ``p``, of the
        two-sided sign test against chance over pairs without ties.

    Raises
    ------
    irmx.UsageError
        If no battle is between systems on a topic that the scores have, or a level is out of range.
    irmx.DataError
        If a system lacks more than half of the topics of the scores.

    Examples
    --------
    >>> import irmx
    >>> rows = {"topic": list("112"), "system_a": ["x"] * 3, "system_b": ["y"] * 3, "winner": ["a", "tie", "b"]}
    >>> scores = irmx.scores("RR", {"1": {"d": 1}, "2": {"d": 1}}, {"x": {"1": {"d": 1.0}, "2": {"d": 1.0}},
    ...                      "y": {"1": {"e": 2.0, "d": 1.0}, "2": {"e": 2.0, "d": 1.0}}})
    >>> agreement(read_battles(rows), scores, [0.5])[["pairs", "ties", "agreement"]].values.tolist()
    [[2.0, 0.0, 0.5]]
    """
    import pandas as pd
    from scipy.stats import binomtest

    if wrong := [level for level in levels if not 0.5 <= level <= 1]:
        raise UsageError(f"A majority is a share of the votes in the range [0.5, 1]. Got {wrong[0]:g} instead.")
    lacks, scores = scores.missing, scores.with_missing("refuse")
    topic_at = {topic: t for t, topic in enumerate(scores.topics)}
    system_at = {system: s for s, system in enumerate(scores.systems)}
    of_topic = np.array([topic_at.get(topic, -1) for topic in battles.topics], dtype=np.int64)
    of_system = np.array([system_at.get(system, -1) for system in battles.systems], dtype=np.int64)
    first, second = np.minimum(battles.a, battles.b), np.maximum(battles.a, battles.b)
    known = (of_topic[battles.topic] >= 0) & (of_system[first] >= 0) & (of_system[second] >= 0)
    if not known.any():
        raise UsageError(
            f"No battle is between systems and on a topic that the scores have. The battles have {list_some(battles.systems)} on "
            f"{list_some(battles.topics)}; the scores {list_some(scores.systems)} on {list_some(scores.topics)}."
        )
    if lacking := int((~known).sum()):
        warnings.warn(
            f"{lacking} of {plural(len(battles), 'battle')} are left out: the scores lack the topic or one of the systems.",
            DataWarning,
            stacklevel=2,
        )
    cells, pair = np.unique(np.stack([battles.topic, first, second], axis=1)[known], axis=0, return_inverse=True)
    won = np.where(battles.a == first, battles.won, 1 - battles.won)[known]
    share = np.bincount(pair.ravel(), won) / np.bincount(pair.ravel())
    t, a, b = cells.T
    places = of_topic[t], of_system[a], of_system[b]
    rows = []
    for level in levels:
        has = (np.maximum(share, 1 - share) >= level) & (share != 0.5)
        for v, (name, measure) in enumerate(zip(scores.names, scores.measures, strict=True)):
            values = np.where(lacks[:, :, v], np.nan, scores.values[:, :, v])
            sign = -1 if getattr(measure, "LESS_IS_BETTER", False) else 1
            difference = sign * (values[places[0], places[1]] - values[places[0], places[2]])[has]
            people = np.where(share[has] > 0.5, 1, -1)
            is_known = ~np.isnan(difference)
            agrees = np.sign(difference[is_known]) * people[is_known]
            decided = agrees[agrees != 0]
            rows.append(
                {
                    "majority": level,
                    "measure": name,
                    "pairs": len(agrees),
                    "missing": len(is_known) - len(agrees),
                    "ties": int((agrees == 0).sum()),
                    "agreement": float((agrees + 1).mean() / 2) if len(agrees) else np.nan,
                    "p": binomtest(int((decided > 0).sum()), len(decided)).pvalue if len(decided) else np.nan,
                }
            )
    return pd.DataFrame(rows)
