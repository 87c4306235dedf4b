"""Ids as numbers: equality, order and look-up are those of Python's strings, also when hashes clash."""

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx
from irmx.data import id_words
from irmx.data.id_words import IdIndex, IdWords

ids = st.one_of(
    st.sampled_from(
        ["", "\0", "a", "a\0", "a\0\0", "aaaaaaaa", "aaaaaaaa\0", "aaaaaaaab", "é", "\U0001f600", "\uffff"]
    ),
    st.text(max_size=20),
    st.builds(lambda text: "clueweb09-en0001-" + text, st.text("01", max_size=9)),
)
lists_of_ids = st.lists(ids, min_size=1, max_size=30)


def words(texts: list[str]) -> IdWords:
    return IdWords(pa.array(["before", *texts, "after"], pa.large_string()).slice(1, len(texts)))


@given(lists_of_ids, lists_of_ids)
def test_ids_are_equal_if_their_bytes_are(some: list[str], others: list[str]) -> None:
    pairs = [(i, j) for i in range(len(some)) for j in range(len(others))]
    rows, other_rows = np.array(pairs).T
    expected = [some[i] == others[j] for i, j in pairs]
    assert words(some).equal(rows, words(others), other_rows).tolist() == expected
    assert (words(some).hashes(0)[rows] == words(others).hashes(0)[other_rows]).tolist() == expected


@given(st.lists(st.tuples(st.integers(0, 3), ids), min_size=1, max_size=30, unique=True))
def test_the_order_is_that_of_python(grouped: list[tuple[int, str]]) -> None:
    grouped.sort(key=lambda document: document[0])
    group, texts = [g for g, _ in grouped], [text for _, text in grouped]
    order = words(texts).descending(np.arange(len(texts)), np.array(group)).tolist()
    by_id = sorted(range(len(texts)), key=lambda i: texts[i], reverse=True)
    assert order == sorted(by_id, key=lambda i: group[i])


documents = st.lists(st.tuples(st.integers(0, 2), ids), max_size=30, unique=True)


def found(judged: list[tuple[int, str]], retrieved: list[tuple[int, str]]) -> list[tuple[int, int]]:
    index = IdIndex(words([text for _, text in judged]), np.array([t for t, _ in judged], dtype=np.int64))
    run = words([text for _, text in retrieved])
    topics = np.array([t for t, _ in retrieved], dtype=np.int64)
    rows, places = index.find(run, run.hashes(index.seed), topics)
    return list(zip(rows.tolist(), places.tolist(), strict=True))


def expected(judged: list[tuple[int, str]], retrieved: list[tuple[int, str]]) -> list[tuple[int, int]]:
    return [(row, judged.index(document)) for row, document in enumerate(retrieved) if document in judged]


@given(documents, documents)
def test_documents_are_found_in_their_topics(judged: list[tuple[int, str]], retrieved: list[tuple[int, str]]) -> None:
    assert found(judged, retrieved) == expected(judged, retrieved)


def test_ids_that_differ_in_a_few_characters_have_different_hashes() -> None:
    """Also if these begin words of eight bytes, and the middle of one, where differences cancelled each other out."""
    digits = itertools.product("0123456789", repeat=3)
    grid = [f"part{p:04}{a}0000000{b}000{c}000" for a, b, c in digits for p in range(20)]
    for seed in range(2):
        assert len(np.unique(words(grid).hashes(seed))) == len(grid)


def test_ids_chosen_to_clash_are_told_apart() -> None:
    """For each of many seeds, two ids with the same hash."""
    first = np.frombuffer(b"aaaaaaaabbbbbbbb", dtype=">u8").astype(np.uint64)
    content = b""
    for seed in range(40):
        start = id_words.mixed(np.full(2, seed, dtype=np.uint64), np.full(2, 16, dtype=np.uint64))
        second = id_words.mixed(start, first)[::-1] ^ np.uint64(seed)
        content += np.stack([first, second], axis=1).astype(">u8").tobytes()
    ends = pa.py_buffer(np.arange(0, len(content) + 1, 16).tobytes())
    chosen = IdWords(pa.LargeStringArray.from_buffers(80, ends, pa.py_buffer(content)))
    assert all(len(np.unique(chosen.hashes(seed))) < 80 for seed in range(id_words._SEEDS))
    topic = np.zeros(80, dtype=np.int64)
    index = IdIndex(chosen, topic)
    rows, places = index.find(chosen, chosen.hashes(index.seed), topic)
    assert rows.tolist() == places.tolist() == list(range(80))


def test_documents_whose_keys_begin_alike_are_found() -> None:
    judged = [(i % 3, f"document {i}") for i in range(2_000)]  # so many that hundreds share a place of the hash table
    retrieved = [(i % 3, f"document {i}") for i in range(3_000, 0, -1)]
    assert found(judged, retrieved) == [(3_000 - i, i) for i in range(1_999, 0, -1)]


@pytest.fixture
def clashing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give all ids the same hash with the first seed, and the same key to all documents."""
    hashes, keys_of = IdWords.hashes, id_words.keys_of

    def few(ids: IdWords, seed: int) -> Any:
        return hashes(ids, seed) if seed else np.zeros(len(hashes(ids, 0)), dtype=np.uint64)

    monkeypatch.setattr(IdWords, "hashes", few)
    for module in ("id_words", "runs"):
        monkeypatch.setattr(
            f"irmx.data.{module}.keys_of", lambda of, topic: keys_of(of, topic) if of.any() else np.zeros_like(of)
        )


def test_a_clash_of_hashes_changes_nothing(clashing: None) -> None:
    judged, retrieved = [(0, "a"), (0, "b"), (1, "a")], [(1, "b"), (0, "b"), (1, "a"), (-1, "a")]
    assert found(judged, retrieved) == expected(judged, retrieved)
    qrels = {"q": {"a": 1, "b": 0, "c": 1}}
    rows = [("q", doc, score) for doc, score in zip("axbc", (4.0, 3.0, 2.0, 1.0), strict=True)]
    run = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    assert irmx.rankings(qrels, run).judged.rank.tolist() == [1, 3, 4]
    with pytest.raises(irmx.DataError, match="'a' more than once"):
        irmx.rankings(qrels, pd.concat([run, run[:1]])).judged  # noqa: B018
