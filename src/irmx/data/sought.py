"""Judged documents to look up in runs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import compress

import numpy as np

from irmx.data import dicts, tables
from irmx.data.arrow import from_texts
from irmx.data.id_words import IdIndex, IdWords
from irmx.ragged import Ints, segment_of


class Sought:
    """Judged documents to look up in runs, in the two forms in which runs are searched.

    Attributes
    ----------
    offsets : int array, shape (topics + 1,)
        Where the documents of each topic of the judgments start and end.
    doc : int array
        The position of each document in ``Judgments.docs``.
    """

    def __init__(self, offsets: Ints, doc: Ints, docs: Sequence[str]) -> None:
        self.offsets, self.doc, self._docs = offsets, doc, docs

    @cached_property
    def names(self) -> list[str]:
        """The ids of the documents."""
        is_sought = np.zeros(len(self._docs), dtype=bool)
        is_sought[self.doc] = True
        return list(compress(self._docs, is_sought.tolist()))

    @cached_property
    def index(self) -> IdIndex:
        """The documents, among which those of a table are looked up."""
        topic = segment_of(self.offsets)
        if isinstance(self._docs, tables.LazyTexts):
            return IdIndex(self._docs.words(self.doc), topic)
        try:
            return IdIndex(IdWords(from_texts(self.names)), topic)
        except (TypeError, UnicodeEncodeError):
            dicts.refuse_odd_ids("qrels", self.names)
            raise
