"""The track's years as datasets of ir_datasets, read from files that the user puts in place."""

from pathlib import Path
from typing import Any

import pytest

import irmx
from irmx import DataError
from irmx.collections import dataset

FILES = {
    "topics.xml": "<events><event><id>7</id><title>A flood</title><query>flood</query><type>storm</type>"
    "<start>100</start><end>900</end></event></events>",
    "n.tsv": "query_id\tnugget_id\ttimestamp\timportance\tnugget_len\tnugget_text\n"
    "TS14.7\tV1\t200\t3\t9\twater up\nTS14.7\tV2\t300\t3\t9\tdam holds\n",
    "m.tsv": "query_id\tupdate_id\tnugget_id\tmatch_start\tmatch_end\tauto_p\nTS14.7\t150-a-1\tV1\t0\t8\t0\n",
    "u.tsv": "query_id\tupdate_id\tdocument_id\tsentence_id\tupdate_len\tduplicate_id\tupdate_text\n"
    "TS14.7\t150-a-1\t150-a\t1\t12\tNULL\twater up now\nTS14.7\t160-b-1\t160-b\t1\t4\tNULL\tnone\n",
}
RUN = "7 team run 150-a 1 21800 1.0\n7 team run 160-b 1 21900 0.5\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of ir_datasets, with no files of the track."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def placed(home: Path) -> Path:
    """The same with the files of 2014."""
    folder = home / "trec-tst" / "2014"
    folder.mkdir(parents=True)
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return home


def test_qrels_with_all_columns(placed: Path) -> None:
    found = list(dataset("trec-tst/2014").qrels_iter())
    assert [(q.query_id, q.doc_id, q.relevance, q.iteration) for q in found] == [
        ("7", "150-a-1", 1, "V1"), ("7", "160-b-1", 0, ""), ("7", "", 1, "V2"),
    ]  # fmt: skip
    first = found[0]
    assert isinstance(first, dataset("trec-tst/2014").qrels_cls())
    assert (first.timestamp, first.importance, first.nugget_length) == (200, 3, 2)
    assert (first.match_start, first.match_end) == (0, 2)
    assert (first.query_start, first.query_end, first.length, first.pooled) == (100, 900, 3, 1)
    assert dataset("trec-tst/2014").qrels_defs().keys() == {0, 1}


def test_queries_from_the_topics(placed: Path) -> None:
    [query] = dataset("trec-tst/2014").queries_iter()
    assert query == ("7", "A flood", "flood", "storm", 100, 900)
    assert query.default_text() == "flood"
    assert dataset("trec-tst/2014").queries_cls() is type(query)
    assert dataset("trec-tst/2014").queries_lang() == "en"


def test_eval_by_the_id(placed: Path, tmp_path: Path, command: Any) -> None:
    """One of two nuggets of equal worth, six hours late; the update is three words, two of which match."""
    (tmp_path / "run").write_text(RUN, encoding="utf-8")
    done = command("eval", "trec-tst/2014", "run", "LC", "Comp", "EG", "AP")
    assert (done.code, done.err) == (0, "")
    assert done.out == "LC\t0.2500\nComp\t0.5000\nEG\t0.3333\nAP\t1.0000\n"
    folder = command("eval", f"tst:{placed / 'trec-tst' / '2014'}", "run", "LC", "Comp", "EG", "AP")
    assert folder.out == done.out


@pytest.mark.parametrize("year", [2013, 2014, 2015])
def test_without_the_files_it_says_what_goes_where(home: Path, tmp_path: Path, command: Any, year: int) -> None:
    (tmp_path / "run").write_text(RUN, encoding="utf-8")
    done = command("eval", f"trec-tst/{year}", "run", "LC")
    done.assert_refused(1, f"trec-tst/{year} is not downloaded automatically.")
    assert str(home / "trec-tst" / str(year)) in done.err
    for kind in ("nuggets, a table", "matches, a table", "updates, the pool, a table", "topics, an XML file"):
        assert kind in done.err
    with pytest.raises(DataError, match="not downloaded"):
        next(iter(dataset(f"trec-tst/{year}").queries_iter()))


def test_a_near_id_is_proposed(home: Path) -> None:
    with pytest.raises(DataError, match="Did you mean trec-tst/2014"):
        irmx.read_qrels("trec-ts/2014")
