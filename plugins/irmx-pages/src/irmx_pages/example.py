"""Invented collection with verticals, for examples and tests; ``python -m irmx_pages.example`` writes it to files.

It contains no real documents, topics or judgments.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from irmx.toolkit import new_file
from irmx_pages.preference_votes import Preferences
from irmx_pages.simulation import page_pairs, simulate_pages, simulate_preferences

if TYPE_CHECKING:
    import pandas as pd

MEDIA = {"web": "text", "image": "image", "video": "video", "news": "text", "blog": "text", "shopping": "text"}
"""The verticals, general web first, and their media types."""

USERS = {
    name: f"AS_RBP(alpha=7,beta=0.85,personal={personal})"
    for name, personal in {"ann": 0.15, "bob": 0.2, "cem": 0.25, "dee": 0.4}.items()
}
"""The measure by which each user chooses pages, with the values that the paper learned and its range of l."""

_WEB_ITEMS, _ITEMS = 14, 6
_SHARE_RELEVANT = 0.45
_NOISE_OF_ITEMS = {"bm25": 0.6, "tfidf": 1.2}
_NOISE_OF_VERTICALS = {"redde": 0.15, "cori": 0.4}


@dataclass(frozen=True)
class Example:
    """Judgments, two rankings of items and two rankings of verticals.

    Attributes
    ----------
    qrels : DataFrame
        ``query_id``, ``doc_id``, ``relevance``, ``vertical``, ``orientation``.
    items : dict of str to DataFrame
        Runs by name, with the columns ``vertical`` and ``media``.
    verticals : dict of str to DataFrame
        Runs by name, whose documents are verticals.
    """

    qrels: pd.DataFrame
    items: dict[str, pd.DataFrame]
    verticals: dict[str, pd.DataFrame]

    def write(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write ``vertical-qrels.csv`` and a .csv file for each ranking, and return their paths."""
        tables = {"vertical-qrels": self.qrels, **self.items, **self.verticals}
        paths = [Path(folder) / f"{name}.csv" for name in tables]
        for path, table in zip(paths, tables.values(), strict=True):
            with new_file(path) as file:
                table.round(6).to_csv(file, index=False, lineterminator="\n")
        return paths


def example(topics: int = 12, seed: int = 0, orientation: float | None = None) -> Example:
    """Return an invented collection.

    Parameters
    ----------
    topics : int
        Number of topics.
    seed : int
        Seed of relevance, orientations and noise.
    orientation : float, optional
        Orientation of all verticals, in [0, 1]; by default each has its own, from 0.05 to 0.95.

    Examples
    --------
    >>> made = example(2)
    >>> len(made.qrels), list(made.items), list(made.verticals)
    (88, ['bm25', 'tfidf'], ['redde', 'cori'])
    """
    import pandas as pd

    rng = np.random.default_rng(seed)
    rows, ranked = [], []
    for topic in (f"t{number}" for number in range(1, topics + 1)):
        for vertical in MEDIA:
            drawn = round(float(rng.uniform(0.05, 0.95)), 2)
            value = 0.5 if vertical == "web" else drawn if orientation is None else orientation
            if vertical != "web":
                ranked.append((topic, vertical, value))
            for i in range(1, 1 + (_WEB_ITEMS if vertical == "web" else _ITEMS)):
                rows.append((topic, f"{topic}-{vertical}-{i}", int(rng.random() < _SHARE_RELEVANT), vertical, value))
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "vertical", "orientation"])
    oriented = pd.DataFrame(ranked, columns=["query_id", "doc_id", "score"])
    items = qrels[["query_id", "doc_id", "vertical"]].assign(media=qrels["vertical"].map(MEDIA))
    return Example(
        qrels,
        {
            n: items.assign(score=qrels["relevance"] + x * rng.normal(size=len(qrels)))
            for n, x in _NOISE_OF_ITEMS.items()
        },
        {
            n: oriented.assign(score=oriented["score"] + x * rng.normal(size=len(oriented)))
            for n, x in _NOISE_OF_VERTICALS.items()
        },
    )


def example_preferences(made: Example) -> Preferences:
    """Return preferences of :data:`USERS` between pages that :func:`irmx_pages.simulate_pages` makes from an example.

    Examples
    --------
    >>> preferences = example_preferences(example(2))
    >>> len(preferences), preferences.assessors
    (96, ['ann', 'bob', 'cem', 'dee'])
    """
    simulated = simulate_pages(made.qrels, made.items, made.verticals)
    return simulate_preferences(simulated.pages, page_pairs(simulated), made.qrels, USERS, seed=9)


def main(folder: str | os.PathLike[str] = ".") -> None:
    """Write an example, and its preferences as ``preferences.csv``, and print the names of the files."""
    made = example()
    preferences = Path(folder) / "preferences.csv"
    with new_file(preferences) as file:
        example_preferences(made).frame().to_csv(file, index=False, lineterminator="\n")
    print(*(path.name for path in [*made.write(folder), preferences]), sep="\n")


if __name__ == "__main__":
    main(*sys.argv[1:2])
