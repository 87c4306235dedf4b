"""The measures of the Temporal Summarization track: worked numbers and rules."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import irmx
from irmx import DataError, DataWarning, UsageError

from . import example

HOUR = 3600


# -- worked numbers ----------------------------------------------------------------------------------------


def test_the_worked_example() -> None:
    """V 2.2, 1, 4; gains 1 and exp(-2)/2."""
    assert example.values("ELG LC nELG TS_H") == [0.148287, 0.940399, 0.261222, 0.408869]
    assert example.values("ELG(gain='binary') LC(gain='binary')") == [0.208333, 0.75]
    assert example.values("EG Comp TS_Verbosity TS_Latency") == [round((1 + math.exp(-2)) / 7.2, 6), 1, 2.4, 0.5]
    assert example.values("EG(gain='binary') nEG(gain='binary') nELG(gain='binary')") == [0.277778, 0.277778, 0.208333]


@pytest.mark.parametrize(
    ("hours", "factor"),
    [(-24, 1.844042), (-6, 1.5), (0, 1), (1, 0.894863), (6, 0.5), (12, 0.295167), (24, 0.155958), (48, 0.079167)],
)
def test_what_latency_leaves(hours: float, factor: float) -> None:
    run = example.run_of(("u1", hours * HOUR))
    assert example.values("LC TS_Latency", example.qrels_of([example.U1]), run) == [factor, factor]


def test_sixty_words_without_a_nugget_are_five_units() -> None:
    declared = {"doc_id": "", "iteration": "n1", "nugget_length": 15}
    qrels = example.qrels_of([{"doc_id": "u", "iteration": "", "length": 60}, declared])
    assert example.values("TS_Verbosity", qrels, example.run_of(("u", 0))) == [5]


def test_an_explanation_has_a_row_for_every_nugget_found() -> None:
    explanation = irmx.explain("ELG", example.EXAMPLE, example.STREAM, "q")
    frame = explanation.frame().round(6)
    assert frame.to_dict("list") == {
        "doc_id": ["u1", "u2"],
        "timestamp": [0, 25200],
        "nugget": ["n1", "n2"],
        "R": [1, 0.135335],
        "L": [1, 0.5],
        "V": [2.2, 1],
        "contribution": [round(1 / 7.2, 6), round(math.exp(-2) / 2 / 7.2, 6)],
    }
    assert irmx.explain("TS_Verbosity", example.EXAMPLE, example.STREAM, "q").columns["doc_id"] == ["u1", "u2", "u3"]
    assert "L" not in irmx.explain("Comp", example.EXAMPLE, example.STREAM, "q").columns


# -- rules -------------------------------------------------------------------------------------------------


def test_updates_that_were_never_pooled() -> None:
    """2014: one word each, V = 1 + 1/5; 2013: dropped, which also makes fewer updates to be as good as."""
    run = pd.concat([example.STREAM, example.run_of(("x", 1), ("y", 2))]).assign(length=[10, 6, 15, 99, 99])
    assert example.values("TS_Verbosity", run=run) == [round((7.2 + 2 * 1.2) / 5, 6)]
    assert example.values("TS_Verbosity(track='2013')", run=run) == [2.4]
    for name in set(example.NAMES) - {"TS_Latency"}:
        assert example.values(f"{name}(track='2013')", run=run) == example.values(name)
    assert example.values("Comp LC", run=run) == example.values("Comp LC")


def test_a_near_duplicate_counts_as_its_original_in_words_and_nuggets() -> None:
    """u1 copies an update of 20 words that holds n1 in 4 of them; its own n2 counts for nothing, and is to be found."""
    copy = {**example.U1, "original_length": 20, "replaced": 0}
    qrels = example.qrels_of([copy, {**example.U2, "doc_id": "u1", "length": 10, "original_length": 20, "replaced": 1}])
    run = example.run_of(("u1", 0)).assign(length=7)  # whatever the run says
    with pytest.warns(DataWarning, match="1 of 1 updates have another length"):
        found = example.values("TS_Verbosity Comp", qrels, run)
    assert found == [1 + 16 / 5, round(1 / (1 + math.exp(-2)), 6)]


def test_words_as_the_track_counts_them_need_their_columns() -> None:
    text = "TS_Verbosity.words='track'. cannot be computed: the qrels column 'track_nugget_length'.*tst:FOLDER.*words='white_space'"
    with pytest.raises(DataError, match=text):
        example.values("TS_Verbosity(words='track')")
    words = {"track_nugget_length": [5, 7, None], "track_match_start": [1, 0, None]}
    counted = example.EXAMPLE.assign(**words, track_match_end=[4, 5, None])
    assert example.values("TS_Verbosity(words='track')", counted.assign(track_length=[11, 6, 15])) == [round((1 + 8 / 6 + 1 + 1 / 6 + 1 + 15 / 6) / 3, 6)]  # fmt: skip
    two = counted.assign(track_length=[11, 6, 15], doc_id="u1")
    with pytest.raises(DataError, match="'track_length' has two lengths of the update 'u1' of query q: 11 and 15"):
        example.values("TS_Verbosity(words='track')", two)
    for name in ("Comp", "LC", "TS_Latency"):
        assert example.values(f"{name}(words='track')") == example.values(name)


def test_the_length_that_the_qrels_give_comes_first() -> None:
    run = example.STREAM.assign(length=[4, np.nan, 5])
    with pytest.warns(DataWarning, match="2 of 3 updates have another length"):
        assert example.values("TS_Verbosity", run=run) == example.values("TS_Verbosity")
    bare = example.EXAMPLE.drop(columns="length")
    assert example.values("TS_Verbosity", bare, run.assign(length=[4, 6, 5])) == [round((1 + 1 + 2) / 3, 6)]
    with pytest.raises(DataError, match=r"1 of 3 pooled updates have no length.*'u2'"):
        example.values("TS_Verbosity", bare, run)
    unpooled = pd.concat([run.assign(length=[4, 6, 5]), example.run_of(("x", 0))])
    assert example.values("EG", bare, unpooled) == example.values("EG", bare, unpooled.fillna({"length": 50}))


def test_each_measure_declares_just_what_it_reads() -> None:
    declared = {m: {c.name for c in irmx.parse_measure(m).qrel_columns() if not c.optional} for m in example.NAMES}
    words = {"nugget_length", "match_start", "match_end"}
    assert declared["Comp"] == {"iteration", "importance"}
    assert declared["LC"] == {"iteration", "importance", "timestamp"}
    assert declared["TS_Latency"] == {"iteration", "timestamp"}
    assert declared["TS_Verbosity"] == {"iteration", *words}
    assert declared["EG"] == declared["nEG"] == {"iteration", "importance", *words}
    assert declared["ELG"] == declared["nELG"] == declared["TS_H"] == {"iteration", "importance", "timestamp", *words}
    for name in example.NAMES:
        needed = ["query_id", "doc_id", "relevance", *declared[name], *[c.name for c in irmx.parse_measure(name).qrel_columns() if c.name == "length"]]  # fmt: skip
        assert example.values(name, example.EXAMPLE[needed]) == example.values(name)


def test_topics_without_nuggets_or_updates() -> None:
    none = example.qrels_of([example.U3])
    assert example.values(" ".join(example.NAMES), none, example.run_of(("u3", 0))) == [0] * 9
    of_2013 = " ".join(f"{name}(track='2013')" for name in example.NAMES)
    assert example.values(of_2013, example.EXAMPLE, example.run_of(("x", 0))) == [0] * 9
    worthless = example.qrels_of([{**example.U1, "importance": 0}])
    assert example.values(" ".join(example.NAMES), worthless) == [0] * 9


def test_all_nuggets_found_are_exactly_1() -> None:
    """Found in any order: the sum of what was found and that of all are of the same numbers in one order."""
    values = enumerate([1, 1, 0, 3, 2])
    rows = [{"doc_id": f"u{i}", "iteration": f"n{i}", "importance": v, "timestamp": 0} for i, v in values]
    for order in itertools.permutations(range(5)):
        run = example.run_of(*((f"u{i}", time) for i, time in enumerate(order)))
        found = irmx.calc_aggregate("Comp(unimportant='keep')", example.qrels_of(rows), run)
        assert list(found.values()) == [1.0]


def two_nuggets(topics: str) -> pd.DataFrame:
    """Two nuggets of every topic, in two updates."""
    of_topic = {"doc_id": ["u1", "u2"], "iteration": ["n1", "n2"], "relevance": 1, "importance": [3, 1],
                "timestamp": [0, 3600], "nugget_length": [4, 6], "match_start": 0, "match_end": [4, 6],
                "length": [10, 6]}  # fmt: skip
    return pd.concat([pd.DataFrame({"query_id": topic, **of_topic}) for topic in topics])


THREE_TOPICS = pd.DataFrame(
    [("p", "u1", 100), ("p", "x", 200), ("q", "x", 50), ("q", "u2", 9000), ("q", "u1", 9500), ("r", "u2", 7)],
    columns=["query_id", "doc_id", "timestamp"],
).assign(score=1.0)


@pytest.mark.parametrize("measure", ["Comp", "EG", "ELG", "LC", "TS_H", "TS_Latency", "TS_Verbosity", "nEG", "nELG"])
def test_several_topics_are_explained_at_once(measure: str) -> None:
    qrels = two_nuggets("pqr")
    found = list(irmx.explanations(measure, qrels, THREE_TOPICS))
    assert [of.query_id for of in found] == ["p", "q", "r"]
    for of in found:
        assert sum(of.columns["contribution"]) == pytest.approx(of.value)
        assert of.frame().equals(irmx.explain(measure, qrels, THREE_TOPICS, of.query_id).frame())


# -- bad input ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", example.NAMES)
def test_updates_without_a_time_are_refused(measure: str) -> None:
    run = example.run_of(("u1", 0), ("u2", math.nan), ("u3", 30000))
    with pytest.raises(DataError, match="'timestamp' has no value for query q, document 'u2'"):
        example.values(measure, run=run)


def test_pooled_updates_without_a_length_are_counted() -> None:
    bare = example.EXAMPLE.drop(columns="length")
    with pytest.warns(DataWarning, match="3 of 3 pooled updates have no length; 30 words are assumed"):
        assert example.values("TS_Verbosity", bare) == [round((1 + 26 / 5 + 1 + 24 / 5 + 7) / 3, 6)]
    with pytest.warns(DataWarning, match="3 of 3 pooled updates have no length; 10 words"):
        assert example.values("TS_Verbosity(default_length=10)", bare) == [round((2.2 + 1.8 + 3) / 3, 6)]


def test_matches_without_a_place_are_counted() -> None:
    qrels = example.EXAMPLE.assign(match_start=[np.nan, 0, 0])
    with pytest.warns(DataWarning, match="1 of 2 matches have no position"):
        assert example.values("TS_Verbosity", qrels) == [round((3 + 1 + 4) / 3, 6)]


WRONG: list[tuple[str, Callable[[pd.DataFrame], pd.DataFrame], str]] = [
    ("ELG", lambda q: q.drop(columns="nugget_length"), "'nugget_length', length of the nugget .words., is missing"),
    ("LC", lambda q: q.assign(importance=[4, 1, None]), "importance of the nugget 'n1' of query q is 4. It must be 0 to 3"),
    ("LC", lambda q: q.assign(importance=[-1, 1, None]), "importance of the nugget 'n1' of query q is -1"),
    ("LC", lambda q: q.assign(importance=["high", "low", "low"]), "'importance' must hold numbers. Found 'high'"),
    ("LC", lambda q: q.assign(timestamp=[0, None, None]), "'timestamp' has no value for the nugget 'n2' of query q"),
    ("LC", lambda q: q.assign(iteration=["n1", "n1", ""]), "'importance' has two values for the nugget 'n1' of query q: 3 and 1"),
    ("ELG", lambda q: q.assign(nugget_length=[0, 0, None]), "The nuggets of query q have no words"),
    ("ELG", lambda q: q.assign(nugget_length=[-1, 6, None]), "length of the nugget 'n1' of query q is -1"),
    ("ELG", lambda q: q.assign(length=[-5, 6, 15]), "length of the update 'u1' of query q is -5"),
    ("ELG", lambda q: q.assign(match_start=[5, 0, None]), "match in the update 'u1' goes from word 5 to 4"),
    ("ELG", lambda q: q.assign(match_start=[-1, 0, None]), "match in the update 'u1' goes from word -1 to 4"),
]  # fmt: skip


@pytest.mark.parametrize(("measure", "spoil", "text"), WRONG)
def test_wrong_judgments_are_named(measure: str, spoil: Callable[[pd.DataFrame], pd.DataFrame], text: str) -> None:
    with pytest.raises(DataError, match=text):
        example.values(measure, spoil(example.EXAMPLE))


def test_wrong_runs_are_named() -> None:
    with pytest.raises(DataError, match="LC cannot be computed: the run column 'timestamp', time at which"):
        example.values("LC", run={"q": {"u1": 1.0}})
    with pytest.raises(DataError, match="length of the update 'u3' of query q is -1"):
        example.values("ELG", run=example.STREAM.assign(length=[10, 6, -1]))


def test_a_year_without_rules_of_its_own_is_refused() -> None:
    with pytest.raises(UsageError, match="must be one of '2014', '2013'"):
        irmx.parse_measure("ELG(track='2015')")
