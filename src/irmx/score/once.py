"""Warnings that say the same are given once, from whatever process they come."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterable, Iterator

from irmx.errors import QrelsWarning


class Said:
    """What was warned of so far."""

    def __init__(self) -> None:
        self._said: set[tuple[type[Warning], str]] = set()

    @contextlib.contextmanager
    def once(self, place: str) -> Iterator[None]:
        """Hold back the warnings of a block, and give at its end those that are new, with the place before them.

        Those of the qrels alone stay as they are.
        """
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        self.give(
            (w.category, str(w.message) if issubclass(w.category, QrelsWarning) else f"{place}: {w.message}")
            for w in caught
        )

    def give(self, found: Iterable[tuple[type[Warning], str]]) -> None:
        """Give the warnings that are new."""
        for category, text in found:
            if (category, text) not in self._said:
                self._said.add((category, text))
                warnings.warn(text, category, stacklevel=2)
