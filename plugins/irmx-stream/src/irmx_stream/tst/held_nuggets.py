"""The nuggets that every judged update holds: its matches, and those that near-duplicates get from their originals."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from irmx import DataError, DataWarning
from irmx.ragged import Floats
from irmx.toolkit import plural
from irmx_stream.tst.tst_folder import TstFolder
from irmx_stream.tst.tst_tables import TstTable
from irmx_stream.tst.word_lengths import (
    CHARACTERS_PER_WORD,
    lengths_in_words,
    words_held,
    words_held_of_the_track,
    words_of_the_track,
)

Key = tuple[str, str]
"""A topic and an update, or a topic and a nugget."""

NO_ORIGINAL = ("", "NULL")
WITHDRAWN = -1
"""The importance of a nugget that the track has withdrawn."""


@dataclass(frozen=True)
class Nugget:
    """A nugget: when it was first known, its importance (0 to 3), its words, and these as the track's script counts."""

    nugget_id: str
    timestamp: float
    importance: float
    length: float
    track_length: float


@dataclass(frozen=True)
class Match:
    """A nugget in an update, and the span of words that holds it, end exclusive, in both ways of counting.

    In a near-duplicate the words are those of its original; ``replaced`` marks its own matches, which the track replaces
    by those of the original.
    """

    nugget: Nugget
    start: float
    end: float
    track_start: float
    track_end: float
    replaced: bool = False


@dataclass(frozen=True)
class Judged:
    """A judged update: its words, whether it counts as pooled, its matches, and the length of the text they refer to.

    For a near-duplicate that text is its original's; otherwise it is its own, and ``original_length`` is NaN.
    """

    length: float
    pooled: bool
    matches: tuple[Match, ...]
    original_length: float = math.nan
    track_length: float = math.nan


def tell(count: int, first: str, rule: str) -> None:
    """Warn about rows to which a rule applied, with their number and the first."""
    if count:
        warnings.warn(f"{count:,} {rule} The first: {first}.", DataWarning, stacklevel=2)


def judged_topics(folder: TstFolder) -> list[str]:
    """Return the topics with a time window and pooled updates, in the order of the topics file."""
    pooled = set(folder.pool["query_id"])
    for row, query_id in enumerate(folder.pool["query_id"]):
        if query_id not in folder.topics:
            raise DataError(
                f"{folder.pool.place(row)}: topic {query_id} is not among the topics, which are "
                f"{', '.join(folder.topics) or 'none'}."
            )
    without = [t for t in folder.topics if t not in pooled]
    if without:
        warnings.warn(
            f"{plural(len(without), 'topic')} without pooled updates left out: {', '.join(without)}.",
            DataWarning,
            stacklevel=2,
        )
    return [t for t in folder.topics if t in pooled]


def read_nuggets(table: TstTable, topics: list[str], in_words: bool) -> dict[Key, Nugget]:
    """Return the nuggets of the topics.

    Raises
    ------
    irmx.DataError
        For an invalid number, or a repeated nugget; names the line.
    """
    time, importance = table.times("timestamp"), table.numbers("importance", low=WITHDRAWN)
    length = lengths_in_words(table, "nugget_text", ("nugget_len",), in_words)
    track_length = words_of_the_track(table, "nugget_text", length)
    found: dict[Key, Nugget] = {}
    others: list[int] = []
    withdrawn: list[int] = []
    at: dict[Key, int] = {}
    for row, key in enumerate(zip(table["query_id"], table["nugget_id"], strict=True)):
        if key in at:
            raise DataError(
                f"{table.place(row)}: nugget {key[1]} of topic {key[0]} is already in line {table.lines[at[key]]}."
            )
        at[key] = row
        if key[0] not in topics:
            others.append(row)
        elif importance[row] == WITHDRAWN:
            withdrawn.append(row)
        elif importance[row] < 0:
            raise DataError(
                f"{table.place(row)}: the importance {table['importance'][row]} is negative. It is 0 to 3, or {WITHDRAWN} for a withdrawn nugget."
            )
        else:
            numbers = (time[row], importance[row], length[row], track_length[row])
            found[key] = Nugget(key[1], *map(float, numbers))
    first = [table.place(rows[0]) if rows else "" for rows in (others, withdrawn)]
    tell(len(others), first[0], "nuggets belong to topics that are not judged and are left out.")
    tell(len(withdrawn), first[1], f"nuggets have importance {WITHDRAWN}: they were withdrawn and are left out.")
    return found


def read_matches(
    folder: TstFolder, nuggets: dict[Key, Nugget], topics: list[str], in_words: bool
) -> dict[Key, list[Match]]:
    """Return the matches of every update in the tables, without those of unknown nuggets.

    Raises
    ------
    irmx.DataError
        For an invalid number, a negative start, or an end before the start; names the line.
    """
    table = folder.matches
    start, end = table.numbers("match_start", low=0), table.numbers("match_end", low=0)
    wrong = np.flatnonzero(end < start)
    if len(wrong):
        row = int(wrong[0])
        raise DataError(f"{table.place(row)}: the match ends before it starts: {end[row]:g} < {start[row]:g}.")
    of_update = {key: (pool, row) for pool in _pools(folder) for row, key in reversed(list(enumerate(keys(pool))))}
    words = {id(pool): _words_of(pool, in_words) for pool in _pools(folder)}
    found: dict[Key, dict[Match, None]] = {}
    unknown: list[int] = []
    others: list[int] = []
    for row, (query_id, update_id, nugget_id) in enumerate(
        zip(table["query_id"], table["update_id"], table["nugget_id"], strict=True)
    ):
        nugget = nuggets.get((query_id, nugget_id))
        if nugget is None:
            (unknown if query_id in topics else others).append(row)
            continue
        key = (query_id, update_id)
        spans = (np.nan, np.nan, np.nan, np.nan)
        if key in of_update:
            pool, at = of_update[key]
            text = pool["update_text"][at] if "update_text" in pool else None
            length, characters = (values[at] for values in words[id(pool)])
            place = (start[row], end[row], text, length, characters)
            spans = (*words_held(*place), *words_held_of_the_track(*place))
        found.setdefault(key, {})[Match(nugget, *spans)] = None
    tell(len(unknown), table.place(unknown[0]) if unknown else "", "matches name nuggets that are unknown or withdrawn and are left out.")  # fmt: skip
    tell(len(others), table.place(others[0]) if others else "", "matches belong to topics that are not judged and are left out.")  # fmt: skip
    return {key: list(matches) for key, matches in found.items()}


def _pools(folder: TstFolder) -> list[TstTable]:
    """Return the pool and, if there is one, the extended pool; rows of the pool take precedence."""
    return [folder.pool] if folder.extended is None else [folder.extended, folder.pool]


def keys(table: TstTable) -> list[Key]:
    """Return topic and update of every row."""
    return list(zip(table["query_id"], table["update_id"], strict=True))


def _words_of(pool: TstTable, in_words: bool) -> tuple[Floats, Floats]:
    """Return the lengths of all rows in words and in characters."""
    words = update_words(pool, in_words)
    name = next((n for n in ("update_len_chars", "update_len") if n in pool), None)
    characters = words * CHARACTERS_PER_WORD if name is None or in_words else pool.numbers(name, low=0)
    return words, characters


def update_words(pool: TstTable, in_words: bool) -> Floats:
    """Return the words of every row of a pool."""
    return lengths_in_words(pool, "update_text", ("update_len", "update_len_chars"), in_words)


def track_words(pool: TstTable, in_words: bool) -> Floats:
    """Return the words of every row of a pool as the track's script counts them."""
    return words_of_the_track(pool, "update_text", update_words(pool, in_words))


def are_in_words(folder: TstFolder) -> bool:
    """Tell whether the lengths of updates are in words, as in 2013, where most matches end beyond the lengths."""
    name = next((n for n in ("update_len_chars", "update_len") if n in folder.pool), None)
    if name is None:
        return False
    length = dict(zip(keys(folder.pool), folder.pool.numbers(name, low=0).tolist(), strict=True))
    ends = zip(keys(folder.matches), folder.matches.numbers("match_end").tolist(), strict=True)
    beyond = [end > length[key] for key, end in ends if key in length]
    return bool(2 * sum(beyond) > len(beyond))


def judged_updates(folder: TstFolder, matches: dict[Key, list[Match]], in_words: bool) -> dict[Key, Judged]:
    """Return all judged updates, near-duplicates with the nuggets of their originals.

    A pooled near-duplicate is replaced by its original if that is pooled too; its own matches are kept as
    ``replaced``. A near-duplicate outside the pool holds the nuggets of the pooled updates that it copies.
    """
    pool = folder.pool
    words, counted = update_words(pool, in_words).tolist(), track_words(pool, in_words).tolist()
    rows: dict[Key, int] = {}
    again = []
    for row, key in enumerate(keys(pool)):
        if rows.setdefault(key, row) != row:
            again.append(row)
    tell(len(again), pool.place(again[0]) if again else "", "rows of the pool repeat an update; the first row of each counts.")  # fmt: skip
    found: dict[Key, Judged] = {}
    for key, row in rows.items():
        original = (key[0], pool["duplicate_id"][row])
        own = _within(matches.get(key, []), words[row])
        if original[1] in NO_ORIGINAL or original == key or original not in rows:
            found[key] = Judged(words[row], True, own, track_length=counted[row])
        else:
            source = rows[original]
            of_original = _within(matches.get(original, []), words[source])
            found[key] = Judged(words[row], True, _replaced(own, of_original), words[source], counted[source])
    outside = _extended(folder, found, matches, in_words)
    unpooled = [key for key in matches if key not in found and key not in outside]
    for key in unpooled:
        outside[key] = Judged(np.nan, False, tuple(matches[key]))
    tell(len(unpooled), " ".join(unpooled[0]) if unpooled else "", "updates have matches but are not in the pool; they count as near-duplicates found later.")  # fmt: skip
    return {**found, **outside}


def _extended(
    folder: TstFolder, pooled: dict[Key, Judged], matches: dict[Key, list[Match]], in_words: bool
) -> dict[Key, Judged]:
    """Return the near-duplicates outside the pool, each with the nuggets of the pooled updates that it copies.

    Of several originals the longest gives the length.
    """
    table = folder.extended
    if table is None:
        return {}
    words = update_words(table, in_words).tolist()
    found: dict[Key, Judged] = {}
    for row, key in enumerate(keys(table)):
        original = pooled.get((key[0], table["duplicate_id"][row]))
        if key in pooled or key[0] not in folder.topics or original is None:
            continue
        of_originals = [original]
        if key in found:
            of_originals.insert(0, found[key])
        held = tuple(dict.fromkeys(match for judged in of_originals for match in judged.matches))
        length, counted = (
            max(pair)
            for pair in zip(*((_text_length(judged), judged.track_length) for judged in of_originals), strict=True)
        )
        found[key] = Judged(words[row], False, held, length, counted)
    for key, judged in found.items():
        own = _within(matches.get(key, []), judged.length)
        found[key] = replace(judged, matches=_replaced(own, judged.matches))
    return found


def _text_length(judged: Judged) -> float:
    """Return the length in words of the text that the matches of an update refer to."""
    return judged.length if math.isnan(judged.original_length) else judged.original_length


def _replaced(own: Sequence[Match], of_original: Sequence[Match]) -> tuple[Match, ...]:
    """Return the matches of an original, and those of its near-duplicate for other nuggets."""
    held = {match.nugget for match in of_original}
    return (*of_original, *(replace(match, replaced=True) for match in own if match.nugget not in held))


def _within(matches: Sequence[Match], words: float) -> tuple[Match, ...]:
    """Return matches truncated at the end of an update."""
    return tuple(m if not m.end > words else replace(m, start=min(m.start, words), end=words) for m in matches)
