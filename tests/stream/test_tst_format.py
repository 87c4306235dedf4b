"""The files of the Temporal Summarization track in a folder, as qrels."""

from __future__ import annotations

import bz2
import gzip
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx
from irmx import DataError, DataWarning
from irmx_stream.tst.words import words_held_of_the_track

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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the track's files of two invented topics."""
    path = tmp_path / "track"
    path.mkdir()
    (path / "topics.xml").write_text(TOPICS, encoding="utf-8")
    for name, rows in (("nuggets", NUGGETS), ("matches", MATCHES), ("pool", UPDATES)):
        (path / f"{name}.tsv").write_text(tsv(rows), encoding="utf-8")
    return path


def rows_of(folder: Path, names: list[str] = COLUMNS) -> list[tuple[Any, ...]]:
    """The judgments of a folder as rows, missing numbers None."""
    table = irmx.registry().formats()["tst"].read("qrels", folder, b"")
    assert sorted(table.column_names) == sorted([*COLUMNS, *OF_COPIES, *OF_THE_TRACK])
    columns = [[None if v != v else v for v in table.column(name).to_pylist()] for name in names]
    return list(zip(*columns, strict=True))


# -- qrels from a folder -----------------------------------------------------------------------------------


def test_a_folder_as_rows_of_nuggets(folder: Path) -> None:
    assert rows_of(folder) == WANTED


def test_files_are_known_by_content_packed_or_not(folder: Path) -> None:
    for name, new, pack in (
        ("topics.xml", "a.gz", gzip.compress),
        ("nuggets.tsv", "b", bz2.compress),
        ("pool.tsv", "c.txt", bytes),
    ):
        (folder / new).write_bytes(pack((folder / name).read_bytes()))
        (folder / name).unlink()
    (folder / "README").write_text("Not one of them.\n", encoding="utf-8")
    (folder / "empty").touch()
    (folder / "inside").mkdir()
    assert rows_of(folder) == WANTED


def test_a_header_parted_by_blanks_and_lines_of_windows(folder: Path) -> None:
    lines = tsv(MATCHES).splitlines()
    lines[0] = "query_id    update_id   nugget_id\tmatch_start\tmatch_end\tauto_p"
    lines[2] = lines[2].replace("\t", "  ")
    (folder / "matches.tsv").write_bytes("\r\n".join([*lines, "", ""]).encode())
    assert rows_of(folder) == WANTED


@pytest.mark.parametrize("headed", [True, False])
@pytest.mark.parametrize("name", ["extended.tsv", "a.tsv"])
def test_near_duplicates_found_later(folder: Path, name: str, headed: bool) -> None:
    """The extended pool is the one that holds all of the other; with two originals an update holds what both hold."""
    (folder / name).write_text(tsv([*UPDATES[not headed :], *EXTENDED]), encoding="utf-8")
    assert rows_of(folder) == [*WANTED[:6], *LATER, *WANTED[6:]]
    copies = [row for row in rows_of(folder, ["doc_id", "iteration", *OF_COPIES]) if row[2] is not None]
    assert copies == [
        ("200-bb-2", "N1", 4, 0),
        ("200-bb-2", "N2", 4, 1),
        ("250-bx-1", "N2", 3, 0),
        ("600-ff-1", "N1", 6, 0),
        ("600-ff-1", "N2", 6, 1),
        ("600-ff-1", "N2", 6, 0),
        ("700-gg-1", "", 2, 0),
    ]


def test_words_as_the_script_of_the_track_counts_them(folder: Path) -> None:
    """'The bridge closed today': characters 4 to 17 go from the blanks before 3, none, to those before 17, two."""
    assert rows_of(folder, ["doc_id", "iteration", *OF_THE_TRACK]) == [
        ("100-aa-1", "N1", 2, 0, 2, 4),
        ("200-bb-2", "N1", 2, 0, 2, 4),
        ("200-bb-2", "N2", 3, 0, 0, 4),
        ("250-bx-1", "N2", 3, 0, 0, 3),
        ("300-cc-3", "N2", 3, 1, 4, 6),
        ("400-dd-4", "", None, None, None, 1),
        ("", "N3", 1, None, None, None),
        ("500-ee-1", "M1", 2, 0, 2, 5),
    ]


@given(st.text("ab  ", max_size=12), st.integers(0, 14), st.integers(0, 14))
def test_words_held_as_the_script_counts_them_by_listing_the_blanks(text: str, start: int, length: int) -> None:
    blanks = [i for i, character in enumerate(text) if character == " "]
    before = max([blank for blank in blanks if blank <= start], default=0)
    after = min([blank for blank in blanks if blank >= start + length], default=len(text))
    wanted = (sum(blank < before for blank in blanks), sum(blank < after for blank in blanks))
    assert words_held_of_the_track(start, start + length, text, math.nan, math.nan) == wanted


def test_an_extended_pool_that_lacks_the_pool_is_known_by_its_name(folder: Path) -> None:
    (folder / "updates.extended.tsv").write_text(tsv([UPDATES[0], *EXTENDED]), encoding="utf-8")
    assert rows_of(folder) == [*WANTED[:6], *LATER, *WANTED[6:]]


def without_text(rows: list[list[str]], words: bool = True) -> list[list[str]]:
    """Nuggets or updates whose last column, the text, is replaced by its number of words, or dropped."""
    header = [*rows[0][:-1], *(["n_words"] if words else [])]
    return [header, *([*row[:-1], *([str(len(row[-1].split()))] if words else [])] for row in rows[1:])]


def test_without_texts_places_are_in_proportion(folder: Path) -> None:
    """Characters 4 to 17 of 23 characters and 4 words: from word floor(0.70) to word ceil(2.96)."""
    (folder / "pool.tsv").write_text(
        tsv(without_text(UPDATES)).replace("update_len", "update_len_chars"), encoding="utf-8"
    )
    (folder / "nuggets.tsv").write_text(tsv(without_text(NUGGETS)), encoding="utf-8")
    found = rows_of(folder)
    assert [row[:7] + row[9:] for row in found] == [row[:7] + row[9:] for row in WANTED]
    assert [row[7:9] for row in found if row[7] is not None] == [(0, 3), (0, 3), (0, 1), (0, 1), (2, 5), (0, 3)]
    track = [row[1:] for row in rows_of(folder, ["match_start", *OF_THE_TRACK]) if row[0] is not None]
    assert track == [(2, 0, 2, 4), (2, 0, 2, 4), (3, 0, 0, 4), (3, 0, 0, 3), (3, 1, 4, 6), (2, 0, 2, 5)], (
        "as with texts"
    )


def test_with_lengths_in_characters_only_a_word_is_six(folder: Path) -> None:
    (folder / "pool.tsv").write_text(tsv(without_text(UPDATES, words=False)), encoding="utf-8")
    (folder / "nuggets.tsv").write_text(tsv(without_text(NUGGETS, words=False)), encoding="utf-8")
    found = rows_of(folder)
    assert [row[11] for row in found] == [4, 3, 3, 3, 6, 2, None, 5]
    assert [row[6] for row in found if row[6] is not None] == [3, 3, 3, 3, 3, 2, 3]


def test_lengths_beyond_which_most_matches_end_are_words(folder: Path) -> None:
    """As in 2013: places are characters, six of them a word."""
    updates = [UPDATES[0], *([*row[:4], str(len(row[6].split())), *row[5:]] for row in UPDATES[1:])]
    nuggets = [NUGGETS[0], *([*row[:4], str(len(row[5].split())), *row[5:]] for row in NUGGETS[1:])]
    (folder / "pool.tsv").write_text(tsv(without_text(updates, words=False)), encoding="utf-8")
    (folder / "nuggets.tsv").write_text(tsv(without_text(nuggets, words=False)), encoding="utf-8")
    found = rows_of(folder)
    assert [row[:7] + row[9:] for row in found] == [row[:7] + row[9:] for row in WANTED]
    assert [row[7:9] for row in found if row[7] is not None] == [(0, 3), (0, 3), (0, 1), (0, 1), (1, 5), (0, 3)]


def test_without_any_length_it_is_missing(folder: Path) -> None:
    bare = [[*row[:4], row[5]] for row in UPDATES]
    (folder / "pool.tsv").write_text(tsv(bare), encoding="utf-8")
    found = rows_of(folder)
    assert {row[11] for row in found} == {None}
    assert [row[:7] for row in found] == [row[:7] for row in WANTED]


def test_several_matches_of_a_nugget_in_an_update_are_rows_of_their_own(folder: Path) -> None:
    again = [["TS99.2", "500-ee-1", "M1", "20", "25", "0"], ["TS99.2", "500-ee-1", "M1", "2", "15", "1"]]
    (folder / "matches.tsv").write_text(tsv([*MATCHES, *again]), encoding="utf-8")
    assert rows_of(folder) == [*WANTED, (*WANTED[-1][:7], 4, 5, *WANTED[-1][9:])]


# -- rules that are told -----------------------------------------------------------------------------------


TOLD = [
    ("matches", ["TS99.1", "400-dd-4", "N9", "0", "3", "0"], "1 matches name nuggets .* left out.*matches.tsv, line 6"),
    ("matches", ["TS99.7", "400-dd-4", "N9", "0", "3", "0"], "1 matches are of topics that are not judged.*line 6"),
    ("nuggets", ["TS99.7", "N9", "1", "1", "2", "no"], "1 nuggets are of topics that are not judged.*nuggets.tsv, line 6"),
    ("nuggets", ["TS99.1", "N9", "1", "-1", "2", "no"], "1 nuggets have importance -1: taken back.*line 6"),
    ("pool", ["TS99.1", "100-aa-1", "100-aa", "1", "9", "NULL", "No"], "1 rows of the pool repeat an update.*line 8"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "row", "text"), TOLD)
def test_rows_that_are_left_out_are_counted(folder: Path, name: str, row: list[str], text: str) -> None:
    with (folder / f"{name}.tsv").open("a", encoding="utf-8") as file:
        file.write("\t".join(row) + "\n")
    with pytest.warns(DataWarning, match=text):
        found = rows_of(folder)
    assert found == WANTED


def test_a_topic_without_pooled_updates_is_left_out(folder: Path) -> None:
    (folder / "topics.xml").write_text(TOPICS.replace("</events>", "<event><id>3</id><start>1</start><end>2</end></event></events>"), encoding="utf-8")  # fmt: skip
    with pytest.warns(DataWarning, match="1 topic without pooled updates left out: 3"):
        assert rows_of(folder) == WANTED


def test_an_update_with_matches_that_was_not_pooled_counts_as_found_later(folder: Path) -> None:
    (folder / "matches.tsv").write_text(tsv([*MATCHES, ["TS99.1", "800-hh-1", "N3", "0", "8", "1"]]), encoding="utf-8")
    with pytest.warns(DataWarning, match="1 updates have matches but are not in the pool.*first: 1 800-hh-1"):
        found = rows_of(folder)
    assert found == [*WANTED[:6], ("1", "800-hh-1", "N3", 1, 3000, 2, 1, NO, NO, 500, 9500, NO, 0), WANTED[7]]


# -- bad files ---------------------------------------------------------------------------------------------


WRONG = [
    ("nuggets", "\t2000\t", "\tsoon\t", r"nuggets.tsv, line 3: the timestamp 'soon' is not a number"),
    ("nuggets", "\t2000\t", "\t1326510000000\t", r"nuggets.tsv, line 3: the timestamp 1326510000000 is not in seconds"),
    ("nuggets", "\t2000\t1", "\t2000\t-2", r"nuggets.tsv, line 3: the importance '-2' is below -1"),
    ("nuggets", "\t2000\t1", "\t2000\t-0.5", r"nuggets.tsv, line 3: the importance -0.5 is negative"),
    ("nuggets", "\t2000\t1", "\t2000\tinf", r"nuggets.tsv, line 3: the importance 'inf' is not a number"),
    ("nuggets", "N2", "N1", r"nuggets.tsv, line 3: nugget N1 of topic 1 stands in line 2 already"),
    ("nuggets", "N2\t2000\t1\t15\ttwo people hurt", "N2\t2000", r"nuggets.tsv, line 3: too few fields: 3 .*nugget_text"),
    ("nuggets", "\tN2\t", "\t\t", r"nuggets.tsv, line 3: the nugget_id is empty"),
    ("matches", "\t300-cc-3\t", "\t\t", r"matches.tsv, line 4: the update_id is empty"),
    ("matches", "\t11\t26", "\t26\t11", r"matches.tsv, line 4: the match ends before it starts: 11 < 26"),
    ("matches", "\t11\t26", "\t-1\t26", r"matches.tsv, line 4: the match_start '-1' is below 0"),
    ("matches", "\t11\t26", "\t11\tx", r"matches.tsv, line 4: the match_end 'x' is not a number"),
    ("pool", "\t999-zz-9\tPolice", "", r"pool.tsv, line 5: too few fields"),
    ("pool", "TS99.2\t500-ee-1", "TS99.3\t500-ee-1", r"pool.tsv, line 7: topic 3 is not among the topics, which are 1, 2"),
    ("topics", "<end>9500", "<end>50", r"topics.xml, line 3: topic 1 ends before it starts: 50 < 500"),
    ("topics", "<end>9500", "<end>late", r"topics.xml, line 3: the <end> 'late' of topic 1 is not a number"),
    ("topics", "<end>9500", "<end>inf", r"topics.xml, line 3: the <end> 'inf' of topic 1 is not a number"),
    ("topics", "<end>9500", "<end>1326510000000", r"topics.xml, line 3: topic 1: the <end> 1326510000000 is not in seconds"),
    ("topics", "<end>9500</end>", "", r"topics.xml, line 3: the event has no <end>. It has: id, title, start, query"),
    ("topics", "<id>2<", "<id>1<", r"topics.xml, line 10: topic 1 stands in line 3 already"),
    ("topics", "</event>", "</evnt>", r"topics.xml, line 9: not sound XML: mismatched tag"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "old", "new", "text"), WRONG)
def test_a_wrong_line_is_named(folder: Path, name: str, old: str, new: str, text: str) -> None:
    path = next(p for p in folder.iterdir() if p.stem == name)
    before = path.read_text(encoding="utf-8")
    assert old in before
    path.write_text(before.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(DataError, match=text):
        rows_of(folder)


@pytest.mark.parametrize("name", ["update_len", "n_words"])
def test_a_negative_length_is_named(folder: Path, name: str) -> None:
    rows = without_text(UPDATES, words=name == "n_words")
    rows[3][rows[0].index(name)] = "-4"
    (folder / "pool.tsv").write_text(tsv(rows), encoding="utf-8")
    with pytest.raises(DataError, match=f"pool.tsv, line 4: the {name} '-4' is below 0"):
        rows_of(folder)


def test_bytes_that_are_no_text_are_named(folder: Path) -> None:
    (folder / "pool.tsv").write_bytes(tsv(UPDATES).encode().replace(b"Police", b"Poli\xe9e"))
    with pytest.raises(DataError, match=r"pool.tsv, line 5: the byte 0xe9 is not UTF-8"):
        rows_of(folder)


@pytest.mark.parametrize("name", ["nuggets", "matches", "pool"])
def test_a_table_without_rows_is_named(folder: Path, name: str) -> None:
    path = folder / f"{name}.tsv"
    path.write_text(path.read_text(encoding="utf-8").split("\n")[0] + "\n\n", encoding="utf-8")
    with pytest.raises(DataError, match=rf"{name}\.tsv has a header and no rows: query_id, "):
        rows_of(folder)


def test_a_packed_file_that_is_cut_off_is_named(folder: Path) -> None:
    (folder / "pool.tsv").write_bytes(gzip.compress(tsv(UPDATES).encode())[:60])
    with pytest.raises(DataError, match=r"pool.tsv is packed, but cut off or damaged"):
        rows_of(folder)


@pytest.mark.parametrize(("name", "kind"), [("nuggets.tsv", "nuggets"), ("matches.tsv", "matches"), ("pool.tsv", "updates"), ("topics.xml", "topics")])  # fmt: skip
def test_a_missing_file_is_named_with_what_is_there(folder: Path, name: str, kind: str) -> None:
    (folder / name).rename(folder.parent / name)
    (folder / "other.xml").write_text("<queries/>", encoding="utf-8")
    with pytest.raises(
        DataError, match=rf"lacks the track's {kind}, .*It holds: .*other.xml \(none of them\)"
    ) as error:
        rows_of(folder)
    there = {"nuggets.tsv (nuggets)", "matches.tsv (matches)", "pool.tsv (updates)", "topics.xml (topics)"}
    assert {t for t in there if t in str(error.value)} == {t for t in there if not t.startswith(f"{name} ")}


@pytest.mark.parametrize("name", ["nuggets.tsv", "matches.tsv", "pool.tsv", "topics.xml"])
def test_two_files_that_can_be_meant_are_named(folder: Path, name: str) -> None:
    (folder / f"again.{name}").write_bytes((folder / name).read_bytes())
    with pytest.raises(DataError, match=rf"several files .*again.{name} and {name}"):
        rows_of(folder)


def test_three_pools_and_an_extended_pool_alone_are_refused(folder: Path) -> None:
    (folder / "extended.tsv").write_text(tsv([*UPDATES, *EXTENDED]), encoding="utf-8")
    (folder / "more.tsv").write_text(tsv(UPDATES[:3]), encoding="utf-8")
    with pytest.raises(DataError, match=r"extended\.tsv and more\.tsv and pool\.tsv"):
        rows_of(folder)
    (folder / "more.tsv").unlink()
    (folder / "pool.tsv").unlink()
    with pytest.raises(DataError, match=r"holds an extended pool, extended\.tsv, but not the pool"):
        rows_of(folder)


def test_qrels_that_are_no_folder_are_refused(folder: Path) -> None:
    with pytest.raises(DataError, match=r"nuggets.tsv is not a folder. The track's qrels are several files in one: tst:FOLDER"):  # fmt: skip
        irmx.read_qrels(f"tst:{folder / 'nuggets.tsv'}")
    with pytest.raises(DataError, match="There is no qrels file"):
        irmx.read_qrels(f"tst:{folder / 'nowhere'}")


# -- from the command --------------------------------------------------------------------------------------

RUN = "1 team a 100-aa 1 1000 0.5\n1 team a 300-cc 3 23600 2\nTS99.2 team a 500-ee 1 5000 1e-3\n"
"""A run of the two topics."""


def test_eval_with_a_folder_and_a_run(folder: Path, tmp_path: Path, command: Callable[..., Any]) -> None:
    """Topic 1: N1 at once, worth 1, and N2 six hours late, worth exp(-2)/2, of 1 + exp(-2) + exp(-1)."""
    (tmp_path / "run.txt").write_text(RUN, encoding="utf-8")
    done = command("eval", f"tst:{folder}", tmp_path / "run.txt", "LC", "-q", "-p", "6")
    assert (done.code, done.err) == (0, "")
    assert done.out == "1\tLC\t0.710256\n2\tLC\t1.000000\nall\tLC\t0.855128\n"


def test_eval_with_the_words_of_the_track(folder: Path, tmp_path: Path, command: Callable[..., Any]) -> None:
    """A nugget has two words in both topics: V is 1 + (4 - 2)/2 and 1 + (6 - 3)/2; 'A storm' of five words counts as one."""
    path = folder / "matches.tsv"
    path.write_text(path.read_text(encoding="utf-8").replace("M1\t2\t15", "M1\t0\t7"), encoding="utf-8")
    (tmp_path / "run.txt").write_text(RUN, encoding="utf-8")
    done = command("eval", f"tst:{folder}", tmp_path / "run.txt", "TS_Verbosity(words='track')", "-q", "-p", "6")
    assert [float(line.split("\t")[2]) for line in done.out.splitlines()] == [2.25, 3.0, 2.625]
    done = command("eval", f"tst:{folder}", tmp_path / "run.txt", "TS_Verbosity", "-q", "-p", "6")
    assert [float(line.split("\t")[2]) for line in done.out.splitlines()] == [2.25, 2.5, 2.375]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "jsonl"])
def test_the_same_judgments_as_a_table_file(folder: Path, tmp_path: Path, suffix: str) -> None:
    (tmp_path / "run.txt").write_text(RUN, encoding="utf-8")
    names = [*COLUMNS, *OF_COPIES, *OF_THE_TRACK]
    frame = pd.DataFrame(rows_of(folder, names), columns=names)
    path = tmp_path / f"qrels.{suffix}"
    if suffix == "parquet":
        frame.to_parquet(path)
    elif suffix == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False, sep="\t" if suffix == "tsv" else ",")
    measures = "ELG LC nELG TS_H EG nEG Comp TS_Verbosity TS_Latency ELG(words='track')"
    wanted = irmx.calc_aggregate(measures, f"tst:{folder}", tmp_path / "run.txt")
    assert irmx.calc_aggregate(measures, path, tmp_path / "run.txt") == wanted
    assert irmx.calc_aggregate(measures, frame, tmp_path / "run.txt") == wanted


def test_eval_of_a_folder_that_lacks_files_exits_1(folder: Path, tmp_path: Path, command: Callable[..., Any]) -> None:
    (tmp_path / "run.txt").write_text(RUN, encoding="utf-8")
    (folder / "topics.xml").unlink()
    done = command("eval", f"tst:{folder}", tmp_path / "run.txt", "LC")
    assert done.code == 1
    assert "lacks the track's topics, an XML file of events with id, start and end" in done.err


def test_a_folder_without_the_format_is_offered_the_remedy(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=f"{folder} is a folder, not a qrels file. .* name the format: tst:{folder}"):
        irmx.read_qrels(folder)
    with pytest.raises(DataError, match=f"{folder} is a folder, not a run file.$"):
        irmx.read_run(folder)


@pytest.mark.parametrize("topic", ["1", "TS99.1"])
def test_a_topic_is_meant_however_the_files_write_it(folder: Path, tmp_path: Path, topic: str) -> None:
    (tmp_path / "run").write_text(f"{topic} team one 100-aa 1 1500 1.0\n")
    explained = irmx.explain("Comp", f"tst:{folder}", tmp_path / "run", topic)
    assert (explained.query_id, explained.columns["doc_id"]) == ("1", ["100-aa-1"])
    with pytest.raises(DataError, match=r"Topic 'TS99\.7' is not in the qrels"):
        irmx.explain("Comp", f"tst:{folder}", tmp_path / "run", "TS99.7")
