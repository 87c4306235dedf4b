"""The qrels of the track: the nuggets that every judged update holds, one row each, with lengths and places in words."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from irmx import DataError, DataWarning
from irmx.ragged import Floats
from irmx.toolkit import plural
from irmx_stream.tst.tst_tables import TstFolder, TstTable, read_folder

if TYPE_CHECKING:
    import pyarrow as pa


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
    knows_characters = not in_words and all(_length_column(pool) for pool in _pools(folder))
    found: dict[Key, dict[Match, None]] = {}
    unknown: list[int] = []
    others: list[int] = []
    beyond: list[int] = []
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
            if end[row] > (len(text) if text is not None else characters if knows_characters else np.inf):
                beyond.append(row)
            place = (start[row], end[row], text, length, characters)
            spans = (*words_held(*place), *words_held_of_the_track(*place))
        found.setdefault(key, {})[Match(nugget, *spans)] = None
    tell(len(unknown), table.place(unknown[0]) if unknown else "", "matches name nuggets that are unknown or withdrawn and are left out.")  # fmt: skip
    tell(len(beyond), table.place(beyond[0]) if beyond else "", "matches end after the text of their update and hold the words up to its end.")  # fmt: skip
    tell(len(others), table.place(others[0]) if others else "", "matches belong to topics that are not judged and are left out.")  # fmt: skip
    return {key: list(matches) for key, matches in found.items()}


def _pools(folder: TstFolder) -> list[TstTable]:
    """Return the pool and, if there is one, the extended pool; rows of the pool take precedence."""
    return [folder.pool] if folder.extended is None else [folder.extended, folder.pool]


def keys(table: TstTable) -> list[Key]:
    """Return topic and update of every row."""
    return list(zip(table["query_id"], table["update_id"], strict=True))


def _length_column(pool: TstTable) -> str | None:
    """Return the name of the column of lengths as released, if there is one."""
    return next((n for n in ("update_len_chars", "update_len") if n in pool), None)


def _words_of(pool: TstTable, in_words: bool) -> tuple[Floats, Floats]:
    """Return the lengths of all rows in words and in characters."""
    words = update_words(pool, in_words)
    name = _length_column(pool)
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
    name = _length_column(folder.pool)
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


_NAN = math.nan
_NOTHING = Match(Nugget("", _NAN, _NAN, _NAN, _NAN), _NAN, _NAN, _NAN, _NAN)
"""The entry of a judged update that holds no nugget."""
_NOBODY = Judged(_NAN, True, ())
"""The entry of a nugget that no judged update holds."""


def qrels_of_folder(path: Path) -> pa.Table:
    """Return the judgments of a folder with the track's files as one table.

    One row per judged update and nugget that it holds, with ``iteration`` the nugget's id and relevance 1; one row of
    relevance 0 without a nugget per judged update that holds none; one row without ``doc_id`` per nugget that no
    judged update holds.

    Raises
    ------
    irmx.DataError
        For missing or ambiguous files, and invalid lines.
    """
    return qrels_of(read_folder(path))


def qrels_of(folder: TstFolder) -> pa.Table:
    """Return the judgments of the track's files as one table; missing numbers are NaN."""
    in_words = are_in_words(folder)
    topics = judged_topics(folder)
    nuggets = read_nuggets(folder.nuggets, topics, in_words)
    updates = judged_updates(folder, read_matches(folder, nuggets, topics, in_words), in_words)
    keys: list[Key] = []
    matches: list[Match] = []
    holders: list[Judged] = []
    for key, judged in updates.items():
        for match in judged.matches or (_NOTHING,):
            keys.append(key)
            matches.append(match)
            holders.append(judged)
    held = {(key[0], match.nugget.nugget_id) for key, match in zip(keys, matches, strict=True)}
    for (query_id, nugget_id), nugget in nuggets.items():
        if (query_id, nugget_id) not in held:
            keys.append((query_id, ""))
            matches.append(Match(nugget, _NAN, _NAN, _NAN, _NAN))
            holders.append(_NOBODY)
    return _table(folder, topics, keys, matches, holders)


def _table(
    folder: TstFolder, topics: list[str], keys: list[Key], matches: list[Match], holders: list[Judged]
) -> pa.Table:
    """Return rows of topic and update, match, and judged update as a table sorted by topic."""
    import pyarrow as pa

    text, number = pa.large_string(), pa.float64()
    nuggets = [match.nugget for match in matches]
    table = pa.table(
        {
            "query_id": pa.array([key[0] for key in keys], text),
            "doc_id": pa.array([key[1] for key in keys], text),
            "iteration": pa.array([n.nugget_id for n in nuggets], text),
            "relevance": pa.array([float(n.nugget_id != "") for n in nuggets], number),
            "timestamp": pa.array([n.timestamp for n in nuggets], number),
            "importance": pa.array([n.importance for n in nuggets], number),
            "nugget_length": pa.array([n.length for n in nuggets], number),
            "match_start": pa.array([m.start for m in matches], number),
            "match_end": pa.array([m.end for m in matches], number),
            "query_start": pa.array([folder.topics[key[0]].start for key in keys], number),
            "query_end": pa.array([folder.topics[key[0]].end for key in keys], number),
            "length": pa.array([h.length for h in holders], number),
            "original_length": pa.array([h.original_length for h in holders], number),
            "pooled": pa.array([float(h.pooled) for h in holders], number),
            "replaced": pa.array([float(m.replaced) for m in matches], number),
            "track_nugget_length": pa.array([n.track_length for n in nuggets], number),
            "track_match_start": pa.array([m.track_start for m in matches], number),
            "track_match_end": pa.array([m.track_end for m in matches], number),
            "track_length": pa.array([h.track_length for h in holders], number),
        }
    )
    place = {query_id: i for i, query_id in enumerate(topics)}
    return table.take(np.argsort([place[key[0]] for key in keys], kind="stable"))


CHARACTERS_PER_WORD = 6.0
"""Characters per word, for lengths in one unit only: five letters and a blank; a choice of irmx."""


def lengths_in_words(table: TstTable, text: str, length: tuple[str, ...], in_words: bool) -> Floats:
    """Return the words of every row.

    Parameters
    ----------
    table : TstTable
        The nuggets or the updates.
    text : str
        The column of texts; if it exists, words are separated by white space.
    length : tuple of str
        The columns of lengths; the first that exists is used if there is no ``n_words``.
    in_words : bool
        Whether those lengths are in words; characters otherwise.

    Returns
    -------
    float array, shape (rows,)
        NaN where the table has no length.
    """
    if text in table:
        return np.array([len(t.split()) for t in table[text]], dtype=np.float64)
    if "n_words" in table:
        return table.numbers("n_words", low=0)
    for name in length:
        if name in table:
            values = table.numbers(name, low=0)
            return values if in_words else np.ceil(values / CHARACTERS_PER_WORD)
    return np.full(len(table), np.nan)


def words_of_the_track(table: TstTable, text: str, words: Floats) -> Floats:
    """Return the words of every row as the track's script counts them: blanks plus one; without texts, the given ones."""
    return np.array([t.count(" ") + 1 for t in table[text]], dtype=np.float64) if text in table else words


def words_held_of_the_track(
    start: float, end: float, text: str | None, words: float, characters: float
) -> tuple[float, float]:
    """Return the first word of a span of characters, and the word after its last, as counted by the track's script.

    They go from the number of blanks before the last blank at or before the start to that of blanks before the next blank
    at or after the end. Without a blank before the start they begin at 0, and without one after the end all blanks
    count. So a match at the very beginning of a text is one word short.

    Parameters
    ----------
    start, end, text, words, characters
        As for :func:`words_held`. Without a text, blanks are assumed to be evenly spaced.

    Examples
    --------
    >>> words_held_of_the_track(4, 9, "one two three four", 4, 18), words_held_of_the_track(0, 7, "one two three four", 4, 18)
    ((0.0, 2.0), (0.0, 1.0))
    >>> words_held_of_the_track(4, 9, None, 4, 18)
    (0.0, 1.0)
    """
    if text is not None:
        before, after = text.rfind(" ", 0, int(start) + 1), text.find(" ", int(end))
        last = text.count(" ") if after < 0 else text.count(" ", 0, after)
        return float(text.count(" ", 0, max(before, 0))), float(last)
    if not words > 0 or not characters > 0:
        return 0.0, max(words - 1, 0.0)
    per_character = words / (characters + 1)
    first = max(np.rint(start * per_character) - 1, 0.0)
    last = min(max(np.rint((end + 1) * per_character) - 1, first), words - 1)
    return float(min(first, last)), float(last)


def words_held(start: float, end: float, text: str | None, words: float, characters: float) -> tuple[float, float]:
    """Return the first word of an update that a span of characters touches, and the word after the last.

    Parameters
    ----------
    start, end : float
        The span, in characters, end exclusive.
    text : str, optional
        The update.
    words, characters : float
        Its length; used if there is no text, assuming that positions are proportional.

    Examples
    --------
    >>> words_held(4, 9, "one two three four", 4, 18)
    (1.0, 3.0)
    >>> words_held(4, 9, None, 4, 18)
    (0.0, 2.0)
    """
    if text is not None:
        spans = [m.span() for m in re.finditer(r"\S+", text)]
        before = sum(b <= start for _, b in spans)
        return float(before), float(max(before, sum(a < end for a, _ in spans)))
    if not words > 0 or not characters > 0:
        return 0.0, max(words, 0.0)
    per_character = words / characters
    first = min(float(np.floor(start * per_character)), words)
    return first, max(first, min(float(np.ceil(end * per_character)), words))
