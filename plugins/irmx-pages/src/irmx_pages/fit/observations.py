"""What users were seen to do: columns of labels and numbers from tables, and samples of users."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from irmx import DataError, DataWarning
from irmx.ragged import Floats, Ints
from irmx_pages.page.text_rows import Rows
from irmx_pages.whole_numbers import check_whole


def labels(rows: Rows, column: str) -> tuple[Ints, list[str]]:
    """Return the number of every row's label, and the labels in the order in which they first appear.

    Raises
    ------
    irmx.DataError
        Where a row has none.

    Examples
    --------
    >>> labels(Rows({"media": ["text", "image", "text"]}, str), "media")
    (array([0, 1, 0]), ['text', 'image'])
    """
    values = rows.columns[column]
    if "" in values:
        raise DataError(f"{rows.place(values.index(''))}: the {column} is missing.")
    number = {label: i for i, label in enumerate(dict.fromkeys(values))}
    return np.array([number[value] for value in values], dtype=np.int64), list(number)


def numbers(rows: Rows, column: str, must_be: str, sound: Callable[[Floats], Any]) -> Floats:
    """Return a column as floats.

    Raises
    ------
    irmx.DataError
        Where a value is missing, no number, infinite or not ``sound``; says what it must be.
    """
    texts = rows.columns[column]
    try:
        values = np.array(texts, dtype=np.float64)
    except ValueError:
        values = np.array([_number(text) for text in texts])
    wrong = np.flatnonzero(~(np.isfinite(values) & sound(values)))
    if len(wrong):
        text = texts[wrong[0]]
        held = f"the {column} {text!r}" if text else f"no {column}"
        raise DataError(f"{rows.place(int(wrong[0]))}: {held}; it must be {must_be}.")
    return values


def multiplicities(clusters: int, resamples: int, seed: int) -> Iterator[Ints]:
    """Return how often every cluster is in the data, once, and then in each bootstrap sample, one after the other.

    Raises
    ------
    irmx.UsageError
        For fewer than two samples, or a negative seed.

    Examples
    --------
    >>> [int(counts.sum()) for counts in multiplicities(clusters=5, resamples=2, seed=0)]
    [5, 5, 5]
    """
    check_whole(2, resamples=resamples)
    check_whole(0, seed=seed)
    generator = np.random.default_rng(seed)
    drawn = (generator.integers(0, clusters, clusters) for _ in range(resamples))
    return (np.bincount(sample, minlength=clusters) for sample in chain([np.arange(clusters)], drawn))


def warn_of_one_cluster(clusters: int, what: str) -> None:
    """Warn where all samples are alike, so that no interval can be made of them."""
    if clusters < 2:
        warnings.warn(
            f"All {what} are of one user or session. Intervals are from samples of these, so that there is none: NaN.",
            DataWarning,
            stacklevel=3,
        )


def interval95(values: Floats | Sequence[float], clusters: int) -> tuple[float, float]:
    """Return the 2.5% and the 97.5% quantile of what samples of so many clusters gave; NaN where there is one cluster."""
    if clusters < 2:
        return float("nan"), float("nan")
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)


def _number(text: str) -> float:
    try:
        return float({"True": "1", "False": "0"}.get(text, text))
    except ValueError:
        return float("nan")
