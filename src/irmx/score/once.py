"""Issuing of identical warnings only once, from whatever process they come."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterable, Iterator

from irmx.errors import QrelsWarning

Warned = list[tuple[type[Warning], str]]
"""The categories and texts of warnings."""


def prefixed(place: str, caught: Iterable[warnings.WarningMessage]) -> Warned:
    """Return warnings with a place before their texts, except those about the qrels alone."""
    start = f"{place}: " if place else ""
    return [
        (w.category, str(w.message) if issubclass(w.category, QrelsWarning) else f"{start}{w.message}") for w in caught
    ]


class IssuedWarnings:
    """The warnings that have been issued so far."""

    def __init__(self) -> None:
        self._issued: set[tuple[type[Warning], str]] = set()

    @contextlib.contextmanager
    def once(self, place: str) -> Iterator[None]:
        """Hold back the warnings of a block, and issue the new ones at its end, prefixed with the place.

        Warnings about the qrels alone get no prefix.
        """
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        self.issue(prefixed(place, caught))

    def issue(self, texts: Iterable[tuple[type[Warning], str]]) -> None:
        """Issue the warnings that are new."""
        for category, text in texts:
            if (category, text) not in self._issued:
                self._issued.add((category, text))
                warnings.warn(text, category, stacklevel=2)
