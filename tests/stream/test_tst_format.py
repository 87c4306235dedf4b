"""The files of the Temporal Summarization track in a folder, as qrels."""

import bz2
import gzip
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmx_stream.tst.tst_qrels import words_held_of_the_track

from . import track_files


def test_a_folder_as_rows_of_nuggets(folder: Path) -> None:
    assert track_files.rows_of(folder) == track_files.WANTED


def test_files_are_known_by_content_packed_or_not(folder: Path) -> None:
    packed = (("topics.xml", "a.gz", gzip.compress), ("nuggets.tsv", "b", bz2.compress), ("pool.tsv", "c.txt", bytes))
    for name, new, pack in packed:
        (folder / new).write_bytes(pack((folder / name).read_bytes()))
        (folder / name).unlink()
    (folder / "README").write_text("Not one of them.\n", encoding="utf-8")
    (folder / "empty").touch()
    (folder / "inside").mkdir()
    assert track_files.rows_of(folder) == track_files.WANTED


def test_a_header_separated_by_blanks_and_lines_of_windows(folder: Path) -> None:
    lines = track_files.tsv(track_files.MATCHES).splitlines()
    lines[0] = "query_id    update_id   nugget_id\tmatch_start\tmatch_end\tauto_p"
    lines[2] = lines[2].replace("\t", "  ")
    (folder / "matches.tsv").write_bytes("\r\n".join([*lines, "", ""]).encode())
    assert track_files.rows_of(folder) == track_files.WANTED


@pytest.mark.parametrize("headed", [True, False])
@pytest.mark.parametrize("name", ["extended.tsv", "a.tsv"])
def test_near_duplicates_found_later(folder: Path, name: str, headed: bool) -> None:
    """The extended pool is the one that holds all of the other; with two originals an update holds what both hold."""
    track_files.write(folder / name, [*track_files.UPDATES[not headed :], *track_files.EXTENDED])
    assert track_files.rows_of(folder) == [*track_files.WANTED[:6], *track_files.LATER, *track_files.WANTED[6:]]
    rows = track_files.rows_of(folder, ["doc_id", "iteration", *track_files.OF_COPIES])
    copies = [row for row in rows if row[2] is not None]
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
    assert track_files.rows_of(folder, ["doc_id", "iteration", *track_files.OF_THE_TRACK]) == [
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
    track_files.write(folder / "updates.extended.tsv", [track_files.UPDATES[0], *track_files.EXTENDED])
    assert track_files.rows_of(folder) == [*track_files.WANTED[:6], *track_files.LATER, *track_files.WANTED[6:]]


def test_without_texts_places_are_in_proportion(folder: Path) -> None:
    """Characters 4 to 17 of 23 characters and 4 words: from word floor(0.70) to word ceil(2.96)."""
    (folder / "pool.tsv").write_text(
        track_files.tsv(track_files.without_text(track_files.UPDATES)).replace("update_len", "update_len_chars"),
        encoding="utf-8",
    )
    track_files.write(folder / "nuggets.tsv", track_files.without_text(track_files.NUGGETS))
    found = track_files.rows_of(folder)
    assert [row[:7] + row[9:] for row in found] == [row[:7] + row[9:] for row in track_files.WANTED]
    assert [row[7:9] for row in found if row[7] is not None] == [(0, 3), (0, 3), (0, 1), (0, 1), (2, 5), (0, 3)]
    rows = track_files.rows_of(folder, ["match_start", *track_files.OF_THE_TRACK])
    track = [row[1:] for row in rows if row[0] is not None]
    assert track == [
        (2, 0, 2, 4),
        (2, 0, 2, 4),
        (3, 0, 0, 4),
        (3, 0, 0, 3),
        (3, 1, 4, 6),
        (2, 0, 2, 5),
    ]  # as with texts


def test_with_lengths_in_characters_only_a_word_is_six(folder: Path) -> None:
    track_files.write(folder / "pool.tsv", track_files.without_text(track_files.UPDATES, words=False))
    track_files.write(folder / "nuggets.tsv", track_files.without_text(track_files.NUGGETS, words=False))
    found = track_files.rows_of(folder)
    assert [row[11] for row in found] == [4, 3, 3, 3, 6, 2, None, 5]
    assert [row[6] for row in found if row[6] is not None] == [3, 3, 3, 3, 3, 2, 3]


def test_lengths_beyond_which_most_matches_end_are_words(folder: Path) -> None:
    """As in 2013: places are characters, six of them a word."""
    updates = [
        track_files.UPDATES[0],
        *([*row[:4], str(len(row[6].split())), *row[5:]] for row in track_files.UPDATES[1:]),
    ]
    nuggets = [
        track_files.NUGGETS[0],
        *([*row[:4], str(len(row[5].split())), *row[5:]] for row in track_files.NUGGETS[1:]),
    ]
    track_files.write(folder / "pool.tsv", track_files.without_text(updates, words=False))
    track_files.write(folder / "nuggets.tsv", track_files.without_text(nuggets, words=False))
    found = track_files.rows_of(folder)
    assert [row[:7] + row[9:] for row in found] == [row[:7] + row[9:] for row in track_files.WANTED]
    assert [row[7:9] for row in found if row[7] is not None] == [(0, 3), (0, 3), (0, 1), (0, 1), (1, 5), (0, 3)]


def test_without_any_length_it_is_missing(folder: Path) -> None:
    bare = [[*row[:4], row[5]] for row in track_files.UPDATES]
    track_files.write(folder / "pool.tsv", bare)
    found = track_files.rows_of(folder)
    assert {row[11] for row in found} == {None}
    assert [row[:7] for row in found] == [row[:7] for row in track_files.WANTED]


def test_several_matches_of_a_nugget_in_an_update_are_rows_of_their_own(folder: Path) -> None:
    again = [["TS99.2", "500-ee-1", "M1", "20", "25", "0"], ["TS99.2", "500-ee-1", "M1", "2", "15", "1"]]
    track_files.write(folder / "matches.tsv", [*track_files.MATCHES, *again])
    last = track_files.WANTED[-1]
    assert track_files.rows_of(folder) == [*track_files.WANTED, (*last[:7], 4, 5, *last[9:])]
