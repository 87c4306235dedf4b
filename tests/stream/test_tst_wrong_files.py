"""Wrong files of the Temporal Summarization track: what is left out is counted, and what cannot be read is named."""

import gzip
from pathlib import Path

import pytest

import irmx
from irmx import DataError, DataWarning

from . import track_files

TOLD = [
    ("matches", ["TS99.1", "400-dd-4", "N9", "0", "3", "0"], "1 matches name nuggets .* left out.*matches.tsv, line 6"),
    ("matches", ["TS99.7", "400-dd-4", "N9", "0", "3", "0"], "1 matches belong to topics that are not judged.*line 6"),
    ("nuggets", ["TS99.7", "N9", "1", "1", "2", "no"], "1 nuggets belong to topics that are not judged.*nuggets.tsv, line 6"),
    ("nuggets", ["TS99.1", "N9", "1", "-1", "2", "no"], "1 nuggets have importance -1: they were withdrawn.*line 6"),
    ("pool", ["TS99.1", "100-aa-1", "100-aa", "1", "9", "NULL", "No"], "1 rows of the pool repeat an update.*line 8"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "row", "text"), TOLD)
def test_rows_that_are_left_out_are_counted(folder: Path, name: str, row: list[str], text: str) -> None:
    with (folder / f"{name}.tsv").open("a", encoding="utf-8") as file:
        file.write("\t".join(row) + "\n")
    with pytest.warns(DataWarning, match=text):
        found = track_files.rows_of(folder)
    assert found == track_files.WANTED


@pytest.mark.parametrize("has_text", [True, False])
def test_matches_that_end_after_the_text_hold_the_words_up_to_its_end_and_are_counted(
    folder: Path, has_text: bool
) -> None:
    if not has_text:
        track_files.write(folder / "pool.tsv", track_files.without_text(track_files.UPDATES))
    path, found = folder / "matches.tsv", []
    before = path.read_text(encoding="utf-8")
    path.write_text(before.replace("\t11\t26\t", "\t11\t32\t"), encoding="utf-8")
    found.append(track_files.rows_of(folder))
    path.write_text(before.replace("\t11\t26\t", "\t11\t2600\t"), encoding="utf-8")
    with pytest.warns(DataWarning, match=r"^1 matches end after the text.*matches.tsv, line 4"):
        found.append(track_files.rows_of(folder))
    assert found[0] == found[1]


def test_a_topic_without_pooled_updates_is_left_out(folder: Path) -> None:
    (folder / "topics.xml").write_text(track_files.TOPICS.replace("</events>", "<event><id>3</id><start>1</start><end>2</end></event></events>"), encoding="utf-8")  # fmt: skip
    with pytest.warns(DataWarning, match="1 topic without pooled updates left out: 3"):
        assert track_files.rows_of(folder) == track_files.WANTED


def test_an_update_with_matches_that_was_not_pooled_counts_as_found_later(folder: Path) -> None:
    track_files.write(folder / "matches.tsv", [*track_files.MATCHES, ["TS99.1", "800-hh-1", "N3", "0", "8", "1"]])
    with pytest.warns(DataWarning, match="1 updates have matches but are not in the pool.*first: 1 800-hh-1"):
        found = track_files.rows_of(folder)
    assert found == [
        *track_files.WANTED[:6],
        ("1", "800-hh-1", "N3", 1, 3000, 2, 1, track_files.NO, track_files.NO, 500, 9500, track_files.NO, 0),
        track_files.WANTED[7],
    ]


# -- what cannot be read -----------------------------------------------------------------------------------


WRONG = [
    ("nuggets", "\t2000\t", "\tsoon\t", r"nuggets.tsv, line 3: the timestamp 'soon' is not a number"),
    ("nuggets", "\t2000\t", "\t1326510000000\t", r"nuggets.tsv, line 3: the timestamp 1326510000000 is not in seconds"),
    ("nuggets", "\t2000\t1", "\t2000\t-2", r"nuggets.tsv, line 3: the importance '-2' is below -1"),
    ("nuggets", "\t2000\t1", "\t2000\t-0.5", r"nuggets.tsv, line 3: the importance -0.5 is negative"),
    ("nuggets", "N2", "N1", r"nuggets.tsv, line 3: nugget N1 of topic 1 is already in line 2"),
    ("nuggets", "N2\t2000\t1\t15\ttwo people hurt", "N2\t2000", r"nuggets.tsv, line 3: too few fields: 3 .*nugget_text"),
    ("nuggets", "\tN2\t", "\t\t", r"nuggets.tsv, line 3: the nugget_id is empty"),
    ("matches", "\t300-cc-3\t", "\t\t", r"matches.tsv, line 4: the update_id is empty"),
    ("matches", "\t11\t26", "\t26\t11", r"matches.tsv, line 4: the match ends before it starts: 11 < 26"),
    ("matches", "\t11\t26", "\t-1\t26", r"matches.tsv, line 4: the match_start '-1' is below 0"),
    ("pool", "\t999-zz-9\tPolice", "", r"pool.tsv, line 5: too few fields"),
    ("pool", "TS99.2\t500-ee-1", "TS99.3\t500-ee-1", r"pool.tsv, line 7: topic 3 is not among the topics, which are 1, 2"),
    ("topics", "<end>9500", "<end>50", r"topics.xml, line 3: topic 1 ends before it starts: 50 < 500"),
    ("topics", "<end>9500", "<end>late", r"topics.xml, line 3: the <end> 'late' of topic 1 is not a number"),
    ("topics", "<end>9500", "<end>1326510000000", r"topics.xml, line 3: topic 1: the <end> 1326510000000 is not in seconds"),
    ("topics", "<end>9500</end>", "", r"topics.xml, line 3: the event has no <end>. It has: id, title, start, query"),
    ("topics", "<id>2<", "<id>1<", r"topics.xml, line 10: topic 1 is already in line 3"),
    ("topics", "</event>", "</evnt>", r"topics.xml, line 9: not well-formed XML: mismatched tag"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "old", "new", "text"), WRONG)
def test_a_wrong_line_is_named(folder: Path, name: str, old: str, new: str, text: str) -> None:
    path = next(p for p in folder.iterdir() if p.stem == name)
    before = path.read_text(encoding="utf-8")
    assert old in before
    path.write_text(before.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(DataError, match=text):
        track_files.rows_of(folder)


def test_entities_that_contain_entities_are_refused(folder: Path) -> None:
    entities = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">\n' for i in range(1, 10))
    (folder / "topics.xml").write_text(
        f'<!DOCTYPE t [<!ENTITY l0 "lol">{entities}]>\n<t><event><id>1</id><title>&l9;</title></event></t>'
    )
    with pytest.raises(DataError, match=r"topics.xml, line 1: the entity 'l0' is declared; topics have none"):
        track_files.rows_of(folder)


@pytest.mark.parametrize("name", ["update_len", "n_words"])
def test_a_negative_length_is_named(folder: Path, name: str) -> None:
    rows = track_files.without_text(track_files.UPDATES, words=name == "n_words")
    rows[3][rows[0].index(name)] = "-4"
    track_files.write(folder / "pool.tsv", rows)
    with pytest.raises(DataError, match=f"pool.tsv, line 4: the {name} '-4' is below 0"):
        track_files.rows_of(folder)


def test_bytes_that_are_no_text_are_named(folder: Path) -> None:
    (folder / "pool.tsv").write_bytes(track_files.tsv(track_files.UPDATES).encode().replace(b"Police", b"Poli\xe9e"))
    with pytest.raises(DataError, match=r"pool.tsv, line 5: the byte 0xe9 is not UTF-8"):
        track_files.rows_of(folder)


@pytest.mark.parametrize("name", ["nuggets", "matches", "pool"])
def test_a_table_without_rows_is_named(folder: Path, name: str) -> None:
    path = folder / f"{name}.tsv"
    path.write_text(path.read_text(encoding="utf-8").split("\n")[0] + "\n\n", encoding="utf-8")
    with pytest.raises(DataError, match=rf"{name}\.tsv has a header and no rows: query_id, "):
        track_files.rows_of(folder)


def test_a_packed_file_that_is_cut_off_is_named(folder: Path) -> None:
    (folder / "pool.tsv").write_bytes(gzip.compress(track_files.tsv(track_files.UPDATES).encode())[:60])
    with pytest.raises(DataError, match=r"pool.tsv is compressed, but truncated or damaged"):
        track_files.rows_of(folder)


@pytest.mark.parametrize(("name", "kind"), [("nuggets.tsv", "nuggets"), ("matches.tsv", "matches"), ("pool.tsv", "updates"), ("topics.xml", "topics")])  # fmt: skip
def test_a_missing_file_is_named_with_what_is_there(folder: Path, name: str, kind: str) -> None:
    (folder / name).rename(folder.parent / name)
    (folder / "other.xml").write_text("<queries/>", encoding="utf-8")
    with pytest.raises(DataError, match=rf"lacks the track's {kind}, .*other.xml \(not recognised\)") as error:
        track_files.rows_of(folder)
    there = {"nuggets.tsv (nuggets)", "matches.tsv (matches)", "pool.tsv (updates)", "topics.xml (topics)"}
    assert {t for t in there if t in str(error.value)} == {t for t in there if not t.startswith(f"{name} ")}


@pytest.mark.parametrize("name", ["nuggets.tsv", "matches.tsv", "pool.tsv", "topics.xml"])
def test_two_files_that_can_be_meant_are_named(folder: Path, name: str) -> None:
    (folder / f"again.{name}").write_bytes((folder / name).read_bytes())
    with pytest.raises(DataError, match=rf"several files .*again.{name} and {name}"):
        track_files.rows_of(folder)


def test_three_pools_and_an_extended_pool_alone_are_refused(folder: Path) -> None:
    track_files.write(folder / "extended.tsv", [*track_files.UPDATES, *track_files.EXTENDED])
    track_files.write(folder / "more.tsv", track_files.UPDATES[:3])
    with pytest.raises(DataError, match=r"extended\.tsv and more\.tsv and pool\.tsv"):
        track_files.rows_of(folder)
    (folder / "more.tsv").unlink()
    (folder / "pool.tsv").unlink()
    with pytest.raises(DataError, match=r"holds an extended pool, extended\.tsv, but not the pool"):
        track_files.rows_of(folder)


def test_qrels_that_are_no_folder_are_refused(folder: Path) -> None:
    with pytest.raises(DataError, match=r"nuggets.tsv is not a folder. The track's qrels are several files in one folder: tst:FOLDER"):  # fmt: skip
        irmx.read_qrels(f"tst:{folder / 'nuggets.tsv'}")
    with pytest.raises(DataError, match="There is no qrels file"):
        irmx.read_qrels(f"tst:{folder / 'nowhere'}")
