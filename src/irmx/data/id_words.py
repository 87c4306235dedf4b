"""Ids of documents as numbers, eight bytes at a time, so that numpy hashes, compares and orders all of a run at once."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from irmx.data.arrow import byte_offsets
from irmx.ragged import Bools, Ints

if TYPE_CHECKING:
    import pyarrow as pa

Words = NDArray[np.uint64]

_BYTES = 8
_ODD = np.uint64(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio: multiplication by it spreads the low bits of a number over all bits."""


_SEEDS = 3
"""How many seeds to try until ids are taken to be chosen so that their hashes are equal."""


def mixed(hashes: Words, values: Words) -> Words:
    """Return hashes in which values are mixed; for each hash, different values give different results, and vice versa."""
    out: Words = hashes ^ values
    # Multiplication carries a difference to higher bits only. So the highest bits, those of the first character of a word, are
    # brought down first; otherwise many ids that differ in a few characters have equal hashes, whatever the seed.
    out ^= out >> np.uint64(32)
    out *= _ODD
    out ^= out >> np.uint64(29)
    return out


class IdWords:
    """The bytes of ids in UTF-8, read as numbers.

    Parameters
    ----------
    ids : pyarrow.Array
        Large strings, none of which is missing.
    chosen : int array, optional
        The positions of the ids to read, in any order; all by default.

    Examples
    --------
    >>> import pyarrow as pa
    >>> words = IdWords(pa.array(["b", "a", "b"], pa.large_string()))
    >>> hashes = words.hashes(seed=0)
    >>> bool(hashes[0] == hashes[2]), bool(hashes[0] == hashes[1])
    (True, False)
    >>> words.equal(np.array([0, 0]), words, np.array([1, 2]))
    array([False,  True])
    >>> words.descending(np.arange(3), np.array([0, 0, 1]))
    array([0, 1, 2])
    """

    def __init__(self, ids: pa.Array, chosen: Ints | slice = slice(None)) -> None:
        offsets, content = byte_offsets(ids)
        # the last word of an id may be read beyond its end
        self._bytes = np.concatenate([content, np.zeros(_BYTES, dtype=np.uint8)])
        self._starts, self._lengths = offsets[:-1][chosen], np.diff(offsets)[chosen]
        self._count = -(-int(self._lengths.max(initial=0)) // _BYTES)
        self._words_of_all: dict[int, Words] = {}

    def _word(self, number: int, rows: Ints | slice) -> Words:
        """Return one word of some ids: as a number it compares as its bytes do; bytes after the end of an id are 0."""
        if number in self._words_of_all:
            return self._words_of_all[number][rows]
        at_each_byte = np.ndarray((len(self._bytes) - _BYTES + 1,), ">u8", buffer=self._bytes, strides=(1,))
        left = self._lengths[rows] - _BYTES * number
        start = self._starts[rows] + _BYTES * number
        words: Words = at_each_byte[np.minimum(start, len(self._bytes) - _BYTES)].astype(np.uint64)
        if left.min(initial=_BYTES) >= _BYTES:
            return words
        unused = (8 * np.maximum(_BYTES - left, 0)).astype(np.uint64)
        return np.asarray((words >> unused) << unused)

    def hashes(self, seed: int) -> Words:
        """Return a number for each id: equal for equal ids, and almost always different for different ids."""
        if seed >= _SEEDS:
            return self._slow_hashes(seed)
        every = slice(None)
        hashes = mixed(np.full(len(self._lengths), seed, dtype=np.uint64), self._lengths.astype(np.uint64))
        for number in range(self._count):
            is_longer = self._lengths > _BYTES * number
            longer = every if is_longer.all() else np.flatnonzero(is_longer)
            # ids are compared by the same words, which are kept unless they would take far more memory than the ids
            if 2 * np.count_nonzero(is_longer) > len(hashes):
                self._words_of_all[number] = self._word(number, every)
            hashes[longer] = mixed(hashes[longer], self._word(number, longer))
        return hashes

    def _slow_hashes(self, seed: int) -> Words:
        """Return hashes for which nobody can choose ids that clash."""
        salt, content = seed.to_bytes(_BYTES, "big"), self._bytes.tobytes()
        bounds = zip(self._starts.tolist(), (self._starts + self._lengths).tolist(), strict=True)
        digests = (blake2b(content[a:b], digest_size=_BYTES, salt=salt).digest() for a, b in bounds)
        return np.frombuffer(b"".join(digests), dtype=np.uint64)

    def equal(self, rows: Ints, others: IdWords, other_rows: Ints) -> Bools:
        """Return whether some ids are equal to others, one by one."""
        equal: Bools = self._lengths[rows] == others._lengths[other_rows]
        for number in range(min(self._count, others._count)):
            equal &= self._word(number, rows) == others._word(number, other_rows)
        return equal

    def descending(self, rows: Ints, group: Ints) -> Ints:
        """Return the order of some ids by group, and within a group by their bytes, largest first.

        The numbers of the groups, from 0, do not decrease.
        """
        order = np.arange(len(rows))
        # the places of ``order`` that are taken by ids whose bytes so far are equal to others of their group
        unsure = order.copy()
        for number in range(self._count + 1):
            if not len(unsure):
                break
            ids = rows[order[unsure]]
            smallness = ~(self._word(number, ids) if number < self._count else self._lengths[ids])
            by_word = np.argsort(smallness)
            small = np.min_scalar_type(int(group[-1]))  # numbers of 16 bits are sorted much faster
            by_both = by_word[np.argsort(group[by_word].astype(small), kind="stable")]
            order[unsure] = order[unsure[by_both]]
            smallness, group = smallness[by_both], group[by_both]
            new = np.append(True, (smallness[1:] != smallness[:-1]) | (group[1:] != group[:-1]))
            equal = np.flatnonzero(~(new & np.append(new[1:], True)))
            unsure, group = unsure[equal], np.cumsum(new[equal]) - 1
        return order


class IdIndex:
    """Documents of topics, each of which occurs once, among which those of a run are looked up.

    Parameters
    ----------
    ids : IdWords
        The ids of the documents.
    topic : int array
        The number of the topic of each.

    Examples
    --------
    >>> import pyarrow as pa
    >>> judged = IdIndex(IdWords(pa.array(["a", "b"], pa.large_string())), np.array([0, 1]))
    >>> run = IdWords(pa.array(["x", "b", "a"], pa.large_string()))
    >>> judged.find(run, run.hashes(judged.seed), np.array([0, 1, 1]))
    (array([1]), array([1]))
    """

    def __init__(self, ids: IdWords, topic: Ints) -> None:
        self._ids, self._topic = ids, topic
        self.seed = -1
        clash = True
        while clash:  # until no two documents have the same key, almost always with the first seed
            self.seed += 1
            keys = keys_of(ids.hashes(self.seed), topic)
            order = np.argsort(keys)
            in_order = keys[order]
            clash = bool(np.any(in_order[1:] == in_order[:-1]))
        # the search for a key ends at the last one, which no key exceeds
        self._order, self._keys = np.append(order, -1), np.append(in_order, ~np.uint64(0))
        # The keys are a hash table: a key is at the first place of those that begin with the same bits, or at one of the next.
        bits = (4 * len(keys) + 256).bit_length()
        self._shift = np.uint64(64 - bits)
        self._first = np.full(1 << bits, -1, dtype=np.int32)
        self._first[self._beginning(in_order[::-1])] = np.arange(len(keys))[::-1]

    def _beginning(self, keys: Words) -> Ints:
        beginning: Ints = (keys >> self._shift).view(np.int64)
        return beginning

    def find(self, ids: IdWords, hashes: Words, topic: Ints) -> tuple[Ints, Ints]:
        """Return the rows of a run whose documents are among these, and the position of each.

        Parameters
        ----------
        ids : IdWords
            The ids of the documents of the run.
        hashes : int array
            Their hashes with the :attr:`seed` of this index.
        topic : int array
            The number of the topic of each, as in this index; -1 for a topic that is not in it.
        """
        keys = keys_of(hashes, topic)
        at = self._first[self._beginning(keys)]
        rows = np.flatnonzero(at >= 0)
        at, keys = at[rows].astype(np.int64), keys[rows]
        smaller = np.flatnonzero(self._keys[at] < keys)  # several keys begin with the same bits: the next is looked at
        while len(smaller):
            at[smaller] += 1
            smaller = smaller[self._keys[at[smaller]] < keys[smaller]]
        alike = self._keys[at] == keys
        rows, place = rows[alike], self._order[at[alike]]
        same = (self._topic[place] == topic[rows]) & ids.equal(rows, self._ids, place)
        return rows[same], place[same]


def keys_of(hashes: Words, topic: Ints) -> Words:
    """Return a number for each document of a topic, from the hash of its id and the number of the topic."""
    return mixed(hashes, topic.view(np.uint64))
