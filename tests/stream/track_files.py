"""The files of the Temporal Summarization track of two invented topics, and the judgments they are to give."""

from pathlib import Path
from typing import Any

import irmx

TOPICS = """<?xml version="1.0" encoding="UTF-8" ?>
<events>
  <event>
    <id>1</id>
    <title>Bridge &amp; river</title>
    <start>500</start>
    <end>9500</end>
    <query>bridge</query>
  </event>
  <event>
    <id>2</id>
    <start>4000</start>
    <end>8000</end>
  </event>
</events>
"""
NUGGETS = [
    ["query_id", "nugget_id", "timestamp", "importance", "nugget_len", "nugget_text"],
    ["TS99.1", "N1", "1000", "3", "13", "bridge closed"],
    ["TS99.1", "N2", "2000", "1", "15", "two people hurt"],
    ["TS99.1", "N3", "3000", "2", "8", "reopened"],
    ["TS99.2", "M1", "5000", "3", "13", "storm warning"],
]
MATCHES = [
    ["query_id", "update_id", "nugget_id", "match_start", "match_end", "auto_p"],
    ["TS99.1", "100-aa-1", "N1", "4", "17", "0"],
    ["TS99.1", "200-bb-2", "N2", "0", "3", "0"],
    ["TS99.1", "300-cc-3", "N2", "11", "26", "0"],
    ["TS99.2", "500-ee-1", "M1", "2", "15", "0"],
]
UPDATES = [
    ["query_id", "update_id", "document_id", "sentence_id", "update_len", "duplicate_id", "update_text"],
    ["TS99.1", "100-aa-1", "100-aa", "1", "23", "NULL", "The bridge closed today"],
    ["TS99.1", "200-bb-2", "200-bb", "2", "17", "100-aa-1", "The bridge closed"],
    ["TS99.1", "250-bx-1", "250-bx", "1", "17", "200-bb-2", 'The "bridge" close'],
    ["TS99.1", "300-cc-3", "300-cc", "3", "32", "999-zz-9", "Police say two people hurt there"],
    ["TS99.1", "400-dd-4", "400-dd", "4", "11", "NULL", "Nothing\tnew"],
    ["TS99.2", "500-ee-1", "500-ee", "1", "25", "NULL", "A storm warning was given"],
]
EXTENDED = [
    ["TS99.1", "600-ff-1", "600-ff", "1", "17", "200-bb-2", "The bridge closed"],
    ["TS99.1", "600-ff-1", "600-ff", "1", "17", "300-cc-3", "The bridge closed"],
    ["TS99.1", "700-gg-1", "700-gg", "1", "7", "400-dd-4", "Nothing"],
]
NO = None
"""A number that is missing."""

WANTED = [
    ("1", "100-aa-1", "N1", 1, 1000, 3, 2, 1, 3, 500, 9500, 4, 1),
    ("1", "200-bb-2", "N1", 1, 1000, 3, 2, 1, 3, 500, 9500, 3, 1),
    ("1", "200-bb-2", "N2", 1, 2000, 1, 3, 0, 1, 500, 9500, 3, 1),
    ("1", "250-bx-1", "N2", 1, 2000, 1, 3, 0, 1, 500, 9500, 3, 1),
    ("1", "300-cc-3", "N2", 1, 2000, 1, 3, 2, 5, 500, 9500, 6, 1),
    ("1", "400-dd-4", "", 0, NO, NO, NO, NO, NO, 500, 9500, 2, 1),
    ("1", "", "N3", 1, 3000, 2, 1, NO, NO, 500, 9500, NO, 1),
    ("2", "500-ee-1", "M1", 1, 5000, 3, 2, 1, 3, 4000, 8000, 5, 1),
]
LATER = [
    ("1", "600-ff-1", "N1", 1, 1000, 3, 2, 1, 3, 500, 9500, 3, 0),
    ("1", "600-ff-1", "N2", 1, 2000, 1, 3, 0, 1, 500, 9500, 3, 0),
    ("1", "600-ff-1", "N2", 1, 2000, 1, 3, 2, 5, 500, 9500, 3, 0),
    ("1", "700-gg-1", "", 0, NO, NO, NO, NO, NO, 500, 9500, 1, 0),
]
COLUMNS = ["query_id", "doc_id", "iteration", "relevance", "timestamp", "importance", "nugget_length", "match_start",
           "match_end", "query_start", "query_end", "length", "pooled"]  # fmt: skip
OF_COPIES = ["original_length", "replaced"]
OF_THE_TRACK = ["track_nugget_length", "track_match_start", "track_match_end", "track_length"]


def tsv(rows: list[list[str]]) -> str:
    return "".join("\t".join(row) + "\n" for row in rows)


def write(path: Path, rows: list[list[str]]) -> None:
    path.write_text(tsv(rows), encoding="utf-8")


def without_text(rows: list[list[str]], words: bool = True) -> list[list[str]]:
    """Nuggets or updates whose last column, the text, is replaced by its number of words, or dropped."""
    header = [*rows[0][:-1], *(["n_words"] if words else [])]
    return [header, *([*row[:-1], *([str(len(row[-1].split()))] if words else [])] for row in rows[1:])]


def rows_of(folder: Path, names: list[str] = COLUMNS) -> list[tuple[Any, ...]]:
    """The judgments of a folder as rows, missing numbers None."""
    table = irmx.registry().formats()["tst"].read("qrels", folder, b"")
    assert sorted(table.column_names) == sorted([*COLUMNS, *OF_COPIES, *OF_THE_TRACK])
    columns = [[None if v != v else v for v in table.column(name).to_pylist()] for name in names]
    return list(zip(*columns, strict=True))
