"""Issuing of identical warnings only once, from whatever process they come."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterable, Iterator

from irmx.errors import QrelsWarning


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
        self.issue(
            (w.category, str(w.message) if issubclass(w.category, QrelsWarning) else f"{place}: {w.message}")
            for w in caught
        )

    def issue(self, texts: Iterable[tuple[type[Warning], str]]) -> None:
        """Issue the warnings that are new."""
        for category, text in texts:
            if (category, text) not in self._issued:
                self._issued.add((category, text))
                warnings.warn(text, category, stacklevel=2)
