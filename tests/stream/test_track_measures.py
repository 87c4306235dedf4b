"""The measures of the Temporal Summarization track: worked numbers and rules."""

from __future__ import annotations

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
    assert example.values("LC TS_Latency", example.qrels_of([example.U1]), example.run_of(("u1", hours * HOUR))) == [
        factor,
        factor,
    ]


def test_sixty_words_without_a_nugget_are_five_units() -> None:
    declared = {"doc_id": "", "iteration": "n1", "nugget_length": 15}
    qrels = example.qrels_of([{"doc_id": "u", "iteration": "", "length": 60}, declared])
    assert example.values("TS_Verbosity", qrels, example.run_of(("u", 0))) == [5]


def test_an_explanation_has_a_row_for_every_nugget_found() -> None:
    explanation = irmx.explain("ELG", example.EXAMPLE, example.STREAM, "q")
    frame = explanation.to_frame().round(6)
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


def test_expected_latency_is_per_update_and_in_2013_per_nugget_found() -> None:
    """L is 1 and .5 for the two nuggets found, by three updates."""
    assert example.values("TS_Latency TS_Latency(track='2013')") == [0.5, 0.75]
    assert example.values("TS_Latency(track='2013')", run=example.run_of(("u3", 0))) == [0]


def test_nuggets_of_importance_0_are_left_out_unless_asked_for() -> None:
    """n2 of 6 words worth exp(-3): left out, a nugget has 4 words in the mean, and u2 holds nothing."""
    qrels = example.qrels_of([example.U1, {**example.U2, "importance": 0}, example.U3])
    assert example.values("Comp EG TS_Verbosity TS_Latency", qrels) == [
        *(1, round(1 / (2.5 + 2.5 + 4.75), 6)),
        *(round((2.5 + 2.5 + 4.75) / 3, 6), round(1 / 3, 6)),
    ]
    assert example.values("nEG nEG(gain='binary')", qrels, example.run_of(("u1", 0), ("u2", 25200))) == [0.2, 0.2]
    kept = [f"{name}(unimportant='keep')" for name in ("EG", "Comp", "TS_Verbosity", "TS_Latency")]
    assert example.values(" ".join(kept), qrels) == [round((1 + math.exp(-3)) / 7.2, 6), 1, 2.4, 0.5]
    assert example.values(
        "Comp(unimportant='keep',gain='binary') Comp(gain='binary')", qrels, example.run_of(("u2", 0))
    ) == [0, 0]


def test_a_topic_whose_nuggets_are_all_left_out_scores_0() -> None:
    """Verbosity is in units of a nugget's mean words: without nuggets there is no unit."""
    alone = example.qrels_of([{**example.U1, "importance": 0}]).assign(query_id="p")
    qrels, run = (
        pd.concat([example.EXAMPLE, alone]),
        pd.concat([example.STREAM, example.run_of(("u1", 100), ("x", 0)).assign(query_id="p")]),
    )
    found = {
        (m.query_id, str(m.measure)): m.value
        for m in irmx.iter_calc([*example.NAMES, "TS_Verbosity(unimportant='keep')"], qrels, run)
    }
    assert {found["p", name] for name in example.NAMES} == {0}
    assert found["q", "TS_Verbosity"] == pytest.approx(2.4)
    assert found["p", "TS_Verbosity(unimportant='keep')"] == pytest.approx((1 + 6 / 4 + 1 + 1 / 4) / 2)
    assert set(irmx.explain("TS_Verbosity", qrels, run, "p").columns["V"]) == {0}


def test_a_nugget_belongs_to_the_earliest_update_and_of_equal_ones_to_that_of_the_largest_id() -> None:
    qrels = example.qrels_of([example.U1, {**example.U1, "doc_id": "v1", "match_start": 0, "match_end": 10}])
    for run, first, first_in_run in (
        (example.run_of(("u1", 4), ("v1", 5)), "u1", "u1"),
        (example.run_of(("u1", 5), ("v1", 4)), "v1", "v1"),
        (example.run_of(("u1", 5), ("v1", 5)), "v1", "u1"),
        (example.run_of(("v1", 5), ("u1", 5)), "v1", "v1"),
    ):
        assert irmx.explain("EG", qrels, run, "q").columns["doc_id"] == [first]
        assert irmx.explain("EG(same_time='run')", qrels, run, "q").columns["doc_id"] == [first_in_run]


def test_an_update_seen_before_earns_nothing_but_is_read_again() -> None:
    once, twice = (example.run_of(*[("u1", 0)] * times) for times in (1, 2))
    qrels = example.qrels_of([example.U1])
    assert example.values("Comp LC", qrels, twice) == example.values("Comp LC", qrels, once)
    assert example.values("TS_Verbosity", qrels, once) == [2.5]
    assert example.values("TS_Verbosity", qrels, twice) == [(2.5 + 3.5) / 2]


def test_words_in_two_matches_count_once_and_nuggets_of_others_do_not() -> None:
    """Words 0 to 4 and 2 to 7 are 7 of 10; when n1 is taken already only the second five count."""
    both = [example.U1, {**example.U1, "iteration": "n2", "match_start": 2, "match_end": 7}]
    assert example.values("TS_Verbosity", example.qrels_of(both), example.run_of(("u1", 0))) == [round(1 + 3 / 5, 6)]
    taken = example.qrels_of([*both, {**example.U1, "doc_id": "u0", "length": 4}])
    assert example.values("TS_Verbosity", taken, example.run_of(("u0", 0), ("u1", 1))) == [
        round((1 + 1 + 5 / 5) / 2, 6)
    ]


def test_near_duplicates_found_later_count_on_request() -> None:
    qrels = example.qrels_of(
        [{**example.U1, "pooled": 0}, {**example.U3, "pooled": 1}, {**example.U2, "doc_id": "", "pooled": 1}]
    )
    run = example.run_of(("u1", 0))
    assert example.values("Comp TS_Verbosity", qrels, run) == [0, 1.2]
    assert example.values("Comp(duplicates='all') TS_Verbosity(duplicates='all')", qrels, run) == [round(1 / (1 + math.exp(-2)), 6), 2.2]  # fmt: skip


def test_a_near_duplicate_counts_as_its_original_in_words_and_nuggets() -> None:
    """u1 copies an update of 20 words that holds n1 in 4 of them; its own n2 counts for nothing, and is to be found."""
    copy = {**example.U1, "original_length": 20, "replaced": 0}
    qrels = example.qrels_of([copy, {**example.U2, "doc_id": "u1", "length": 10, "original_length": 20, "replaced": 1}])
    run = example.run_of(("u1", 0))
    assert example.values("TS_Verbosity Comp", qrels, run) == [1 + 16 / 5, round(1 / (1 + math.exp(-2)), 6)]
    assert example.values("TS_Verbosity", qrels, run.assign(length=7)) == [1 + 16 / 5], "whatever the run says"
    without = qrels.drop(columns=["original_length", "replaced"])
    assert example.values("TS_Verbosity Comp", without, run) == [1 + 4 / 5, 1]


def test_words_as_the_track_counts_them_need_their_columns() -> None:
    text = "TS_Verbosity.words='track'. cannot be computed: the qrels column 'track_nugget_length'.*tst:FOLDER.*words='white_space'"
    with pytest.raises(DataError, match=text):
        example.values("TS_Verbosity(words='track')")
    counted = example.EXAMPLE.assign(
        track_nugget_length=[5, 7, None], track_match_start=[1, 0, None], track_match_end=[4, 5, None]
    )
    assert example.values("TS_Verbosity(words='track')", counted.assign(track_length=[11, 6, 15])) == [round((1 + 8 / 6 + 1 + 1 / 6 + 1 + 15 / 6) / 3, 6)]  # fmt: skip
    two = counted.assign(track_length=[11, 6, 15], doc_id="u1")
    with pytest.raises(
        DataError, match="'track_length' has two lengths of the update 'u1' of query q: 11 and 15 words"
    ):
        example.values("TS_Verbosity(words='track')", two)
    for name in ("Comp", "LC", "TS_Latency"):
        assert example.values(f"{name}(words='track')") == example.values(name)


def test_without_the_column_pooled_all_rows_count() -> None:
    assert "pooled" not in example.EXAMPLE
    assert example.values("Comp") == [1]


def test_the_length_that_the_run_gives_comes_first() -> None:
    assert example.values("TS_Verbosity", run=example.STREAM.assign(length=[4, np.nan, 5])) == [
        round((1 + 1 + 2) / 3, 6)
    ]


def test_what_the_best_updates_are_when_there_are_more_than_nuggets() -> None:
    """One update: the best it can bring is the most important nugget, R = 1; with two the mean is (1 + exp(-2))/2."""
    assert example.values("nEG", run=example.run_of(("u1", 0))) == example.values("EG", run=example.run_of(("u1", 0)))
    eg, neg = example.values("EG nEG", run=example.run_of(("u1", 0), ("u3", 1)))
    assert neg == pytest.approx(eg / ((1 + math.exp(-2)) / 2), abs=1e-5)


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
    assert math.isnan(irmx.calc_aggregate("LC(no_relevant='nan')", none, example.run_of(("u3", 0))).popitem()[1])
    assert (
        example.values(" ".join(f"{n}(track='2013')" for n in example.NAMES), example.EXAMPLE, example.run_of(("x", 0)))
        == [0] * 9
    )
    worthless = example.qrels_of([{**example.U1, "importance": 0}])
    assert example.values(" ".join(example.NAMES), worthless) == [0] * 9
    kept = "(gain='binary',unimportant='keep')"
    assert example.values(f"EG{kept} nEG{kept} Comp{kept} TS_H{kept}", worthless) == [0] * 4


@pytest.mark.parametrize("order", list(itertools.permutations(range(5))))
def test_all_nuggets_found_are_exactly_1(order: tuple[int, ...]) -> None:
    """Found in any order: the sum of what was found and that of all are of the same numbers in one order."""
    names = [f"n{i}" for i in range(5)]
    qrels = pd.DataFrame(
        {
            "query_id": "q",
            "doc_id": [f"u{i}" for i in range(5)],
            "iteration": names,
            "relevance": 1,
            "importance": [1, 1, 0, 3, 2],
            "timestamp": 0,
        }
    )
    run = pd.DataFrame({"query_id": "q", "doc_id": [f"u{i}" for i in range(5)], "score": 1.0, "timestamp": order})
    assert irmx.calc_aggregate("Comp(unimportant='keep')", qrels, run) == {irmx.Comp(unimportant="keep"): 1.0}


def two_nuggets(topics: str) -> pd.DataFrame:
    """Two nuggets of every topic, in two updates."""
    of_topic = {"doc_id": ["u1", "u2"], "iteration": ["n1", "n2"], "relevance": 1, "importance": [3, 1],
                "timestamp": [0, 3600], "nugget_length": [4, 6], "match_start": 0, "match_end": [4, 6],
                "length": [10, 6]}  # fmt: skip
    return pd.concat([pd.DataFrame({"query_id": topic, **of_topic}) for topic in topics])


THREE_TOPICS = pd.DataFrame(
    [("p", "u1", 100), ("p", "x", 200), ("q", "x", 50), ("q", "u2", 9000), ("q", "u1", 9500), ("r", "u2", 7)],
    columns=["query_id", "doc_id", "timestamp"],
).assign(score=1.0, length=12)


@pytest.mark.parametrize("measure", ["Comp", "EG", "ELG", "LC", "TS_H", "TS_Latency", "TS_Verbosity", "nEG", "nELG"])
def test_several_topics_are_explained_at_once(measure: str) -> None:
    qrels = two_nuggets("pqr")
    found = list(irmx.explanations(measure, qrels, THREE_TOPICS))
    assert [of.query_id for of in found] == ["p", "q", "r"]
    for of in found:
        assert sum(of.columns["contribution"]) == pytest.approx(of.value)
        assert of.to_frame().equals(irmx.explain(measure, qrels, THREE_TOPICS, of.query_id).to_frame())


# -- bad input ---------------------------------------------------------------------------------------------


def test_updates_without_a_time_are_left_out_and_counted() -> None:
    run = example.run_of(("u1", 0), ("u2", math.nan), ("u3", 30000))
    with pytest.warns(DataWarning, match="1 of 3 updates have no timestamp; they are left out"):
        found = example.values(" ".join(example.NAMES), run=run)
    assert found == example.values(" ".join(example.NAMES), run=example.run_of(("u1", 0), ("u3", 30000)))


def test_pooled_updates_without_a_length_are_counted() -> None:
    bare = example.EXAMPLE.drop(columns="length")
    with pytest.warns(DataWarning, match="3 of 3 pooled updates have no length; 30 words are assumed"):
        assert example.values("TS_Verbosity", bare) == [round((1 + 26 / 5 + 1 + 24 / 5 + 7) / 3, 6)]
    with pytest.warns(DataWarning, match="3 of 3 pooled updates have no length; 10 words"):
        assert example.values("TS_Verbosity(default_length=10)", bare) == [round((2.2 + 1.8 + 3) / 3, 6)]


def test_matches_without_a_place_are_counted() -> None:
    with pytest.warns(DataWarning, match="1 of 2 matches have no position"):
        assert example.values("TS_Verbosity", example.EXAMPLE.assign(match_start=[np.nan, 0, 0])) == [
            round((3 + 1 + 4) / 3, 6)
        ]


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
    ("ELG", lambda q: q.assign(match_end=[np.inf, 6, None]), "'match_end' must hold finite numbers. Found inf"),
    ("LC", lambda q: q.assign(timestamp=[np.inf, 0, None]), "qrels column 'timestamp' must hold finite numbers"),
    ("ELG", lambda q: q.assign(match_start=[5, 0, None]), "match in the update 'u1' goes from word 5 to 4"),
    ("ELG", lambda q: q.assign(match_start=[-1, 0, None]), "match in the update 'u1' goes from word -1 to 4"),
]  # fmt: skip


@pytest.mark.parametrize(("measure", "spoil", "text"), WRONG)
def test_wrong_judgments_are_named(measure: str, spoil: Callable[[pd.DataFrame], pd.DataFrame], text: str) -> None:
    with pytest.raises(DataError, match=text):
        example.values(measure, spoil(example.EXAMPLE))


def test_wrong_runs_are_named() -> None:
    with pytest.raises(
        DataError, match="LC cannot be computed: the run column 'timestamp', time at which the update was emitted"
    ):
        example.values("LC", run={"q": {"u1": 1.0}})
    with pytest.raises(DataError, match=r"The run column 'timestamp' must hold numbers\. Found 'noon'"):
        example.values("LC", run=example.STREAM.assign(timestamp=["noon", "one", "two"]))
    with pytest.raises(DataError, match="length of the update 'u3' of query q is -1"):
        example.values("ELG", run=example.STREAM.assign(length=[10, 6, -1]))
    with pytest.raises(DataError, match=r"run column 'length' must hold finite numbers\. Found inf"):
        example.values("ELG", run=example.STREAM.assign(length=[10, 6, np.inf]))


def test_a_year_without_rules_of_its_own_is_refused() -> None:
    with pytest.raises(UsageError, match="must be one of '2014', '2013'"):
        irmx.parse_measure("ELG(track='2015')")
