"""The qrels of the track as one table, with one row per nugget in an update."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from irmx_stream.tst.held_nuggets import (
    Judged,
    Key,
    Match,
    Nugget,
    are_in_words,
    judged_topics,
    judged_updates,
    read_matches,
    read_nuggets,
)
from irmx_stream.tst.tst_folder import TstFolder, read_folder

if TYPE_CHECKING:
    import pyarrow as pa

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
