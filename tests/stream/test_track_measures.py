"""The measures of the Temporal Summarization track: worked numbers, a second way to compute them, rules, bad input."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import irmx
from irmx import DataError, DataWarning, UsageError

NAMES = ["EG", "nEG", "ELG", "nELG", "Comp", "LC", "TS_H", "TS_Verbosity", "TS_Latency"]
HOUR = 3600

NUGGETS = {
    "n1": {"importance": 3.0, "timestamp": 0.0, "nugget_length": 4.0},
    "n2": {"importance": 1.0, "timestamp": 3600.0, "nugget_length": 6.0},
}
COLUMNS = ["query_id", "doc_id", "iteration", "relevance", "importance", "timestamp", "nugget_length",
           "match_start", "match_end", "length"]  # fmt: skip
EXTRA = ["pooled", "original_length", "replaced"]
OF_THE_TRACK = ["track_nugget_length", "track_match_start", "track_match_end", "track_length"]
ALL = [*COLUMNS, *EXTRA, *OF_THE_TRACK]


def qrels_of(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Judgments of one topic; a row has doc_id, iteration and what is special."""
    full = [
        {"query_id": "q", "relevance": int(bool(r["iteration"])), **NUGGETS.get(r["iteration"], {}), **r} for r in rows
    ]
    extra = [name for name in [*EXTRA, *OF_THE_TRACK] if any(name in r for r in rows)]
    return pd.DataFrame(full).reindex(columns=[*COLUMNS, *extra])


def run_of(*rows: tuple[str, float]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["doc_id", "timestamp"])
    return frame.assign(query_id="q", score=1.0)


U1 = {"doc_id": "u1", "iteration": "n1", "match_start": 0, "match_end": 4, "length": 10}
U2 = {"doc_id": "u2", "iteration": "n2", "match_start": 0, "match_end": 6, "length": 6}
U3 = {"doc_id": "u3", "iteration": "", "length": 15}
EXAMPLE = qrels_of([U1, U2, U3])
STREAM = run_of(("u1", 0), ("u2", 25200), ("u3", 30000))


def values(measures: str, qrels: Any = EXAMPLE, run: Any = STREAM) -> list[float]:
    return [round(v, 6) for v in irmx.calc_aggregate(measures, qrels, run).values()]


# -- worked numbers ----------------------------------------------------------------------------------------


def test_the_worked_example() -> None:
    """V 2.2, 1, 4; gains 1 and exp(-2)/2."""
    assert values("ELG LC nELG TS_H") == [0.148287, 0.940399, 0.261222, 0.408869]
    assert values("ELG(gain='binary') LC(gain='binary')") == [0.208333, 0.75]
    assert values("EG Comp TS_Verbosity TS_Latency") == [round((1 + math.exp(-2)) / 7.2, 6), 1, 2.4, 0.5]
    assert values("EG(gain='binary') nEG(gain='binary') nELG(gain='binary')") == [0.277778, 0.277778, 0.208333]


@pytest.mark.parametrize(
    ("hours", "factor"),
    [(-24, 1.844042), (-6, 1.5), (0, 1), (1, 0.894863), (6, 0.5), (12, 0.295167), (24, 0.155958), (48, 0.079167)],
)
def test_what_latency_leaves(hours: float, factor: float) -> None:
    assert values("LC TS_Latency", qrels_of([U1]), run_of(("u1", hours * HOUR))) == [factor, factor]


def test_sixty_words_without_a_nugget_are_five_units() -> None:
    declared = {"doc_id": "", "iteration": "n1", "nugget_length": 15}
    qrels = qrels_of([{"doc_id": "u", "iteration": "", "length": 60}, declared])
    assert values("TS_Verbosity", qrels, run_of(("u", 0))) == [5]


# -- a second way: the definitions, update by update -------------------------------------------------------


def plainly(
    qrels: list[dict[str, Any]],
    run: list[dict[str, Any]],
    gain: str,
    track: str,
    duplicates: str,
    words: str,
    unimportant: str,
) -> dict[str, float]:
    """All measures of one topic in plain Python."""
    if unimportant == "drop":
        qrels = [{**r, "iteration": ""} if r["iteration"] and r["importance"] == 0 else r for r in qrels]
    judged = [r for r in qrels if r["doc_id"] and (duplicates == "all" or r["pooled"])]
    nuggets = {r["iteration"]: r for r in qrels if r["iteration"]}
    pooled = {r["doc_id"] for r in judged}
    stream = [u for u in run if track == "2014" or u["doc_id"] in pooled]
    stream.sort(key=lambda u: u["doc_id"], reverse=True)
    stream.sort(key=lambda u: u["timestamp"])

    def worth(n: dict[str, Any]) -> float:
        return math.exp(n["importance"]) / math.exp(3) if gain == "graded" else float(n["importance"] > 0)

    of = "track_" if words == "track" else ""
    mean_words = sum(n[f"{of}nugget_length"] for n in nuggets.values()) / max(len(nuggets), 1)
    seen: set[str] = set()
    found = in_time = early = verbosity = 0.0
    for u in stream:
        rows = [r for r in judged if r["doc_id"] == u["doc_id"]]
        held = [r for r in rows if r["iteration"] and r["relevance"] >= 1 and not r["replaced"]]
        own = [r for r in held if r["iteration"] not in seen]
        for name in {r["iteration"] for r in own}:
            late = 1 - 2 / math.pi * math.atan((u["timestamp"] - nuggets[name]["timestamp"]) / 21600)
            found += worth(nuggets[name])
            in_time += worth(nuggets[name]) * late
            early += late
        spans = [(int(r[f"{of}match_start"]), int(r[f"{of}match_end"])) for r in own]
        matched = {w for start, end in spans for w in range(start, end)}
        length = 1.0
        if rows and words == "track":
            length = rows[0]["track_length"]
        elif rows:
            copied = rows[0]["original_length"]
            length = rows[0]["length"] if copied is None else copied
        verbosity += 1 + max(0, length - len(matched)) / mean_words if nuggets else 0
        seen |= {r["iteration"] for r in own}
    everything = sum(map(worth, nuggets.values()))
    top = sorted(map(worth, nuggets.values()), reverse=True)[: len(stream)]
    best = sum(top) / len(top) if top else 0

    def over(a: float, b: float) -> float:
        return a / b if b else 0.0

    eg, elg, comp, lc = (
        over(found, verbosity),
        over(in_time, verbosity),
        over(found, everything),
        over(in_time, everything),
    )
    nelg = over(elg, best)
    return {
        "EG": eg, "nEG": over(eg, best), "ELG": elg, "nELG": nelg, "Comp": comp, "LC": lc,
        "TS_H": over(2 * nelg * lc, nelg + lc), "TS_Verbosity": over(verbosity, len(stream)),
        "TS_Latency": over(early, len(stream) if track == "2014" else len(seen)),
    }  # fmt: skip


@st.composite
def topics(draw: st.DrawFn) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The judgments and the updates of one topic, with many ties and repeats."""
    nuggets = {
        f"n{i}": {
            "importance": float(draw(st.integers(0, 3))),
            "timestamp": float(draw(st.integers(0, 9)) * 7200),
            "nugget_length": float(draw(st.integers(1, 9))),
            "track_nugget_length": float(draw(st.integers(1, 9))),
        }
        for i in range(draw(st.integers(0, 4)))
    }
    rows: list[dict[str, Any]] = []
    for i in range(draw(st.integers(0, 6))):
        update = {
            "doc_id": f"u{i}",
            "length": float(draw(st.integers(0, 20))),
            "pooled": float(draw(st.integers(0, 1))),
            "original_length": draw(st.sampled_from([None, None, 3.0, 25.0])),
            "track_length": float(draw(st.integers(1, 20))),
        }
        held = draw(st.lists(st.sampled_from(list(nuggets)), max_size=4)) if nuggets else []
        for name in held:
            start = draw(st.integers(0, 8))
            place = {"match_start": float(start), "match_end": float(start + draw(st.integers(0, 6)))}
            place |= {"track_match_start": float(start + 1), "track_match_end": float(start + draw(st.integers(1, 6)))}
            rows.append(
                {
                    **update,
                    **place,
                    **nuggets[name],
                    "iteration": name,
                    "relevance": draw(st.sampled_from([1, 1, 1, 0])),
                    "replaced": draw(st.sampled_from([0, 0, 0, 1])),
                }
            )
        if not held:
            rows.append({**update, "iteration": "", "relevance": 0, "replaced": 0})
    for name, nugget in nuggets.items():
        if name not in {r["iteration"] for r in rows}:
            rows.append({**nugget, "doc_id": "", "iteration": name, "relevance": 1, "pooled": 1.0, "replaced": 0})
    ids = st.sampled_from([f"u{i}" for i in range(6)] + ["x", "y"])
    stream = draw(st.lists(st.tuples(ids, st.integers(-3, 12)), min_size=1, max_size=10))
    return rows, [{"doc_id": doc, "timestamp": time * 3600.0, "score": 1.0} for doc, time in stream]


@pytest.mark.filterwarnings("ignore:.*contradict each other")  # rows are drawn that do
@settings(deadline=None, max_examples=150)
@given(
    given_topics=st.lists(topics(), min_size=1, max_size=3),
    gain=st.sampled_from(["graded", "binary"]),
    track=st.sampled_from(["2014", "2013"]),
    duplicates=st.sampled_from(["pool", "all"]),
    words=st.sampled_from(["white_space", "track"]),
    unimportant=st.sampled_from(["drop", "keep"]),
)
def test_both_ways_give_the_same(
    given_topics: list[Any], gain: str, track: str, duplicates: str, words: str, unimportant: str
) -> None:
    there = {f"q{i}": topic for i, topic in enumerate(given_topics) if topic[0]}
    if not there:
        return
    qrels = pd.concat(
        [pd.DataFrame(rows).reindex(columns=ALL).assign(query_id=q) for q, (rows, _) in there.items()]
    ).astype({"original_length": float})
    run = pd.concat([pd.DataFrame(stream).assign(query_id=q) for q, (_, stream) in there.items()])
    setting = f"(gain='{gain}',track='{track}',duplicates='{duplicates}',words='{words}',unimportant='{unimportant}')"
    evaluator = irmx.evaluator([name + setting for name in NAMES], qrels)
    for measure, by_topic in evaluator.values(run.sample(frac=1, random_state=0).sort_index(kind="stable")).items():
        low, high = type(measure).RANGE
        for query_id, value in by_topic.items():
            wanted = plainly(*there[query_id], gain, track, duplicates, words, unimportant)[measure.NAME]
            assert value == pytest.approx(wanted, rel=1e-12, abs=1e-12), (measure, query_id)
            assert low <= value <= high


@pytest.mark.filterwarnings("ignore:.*contradict each other")  # rows are drawn that do
@settings(deadline=None, max_examples=60)
@given(topic=topics(), name=st.sampled_from(NAMES))
def test_contributions_add_up_to_the_score(topic: Any, name: str) -> None:
    rows, stream = topic
    if not rows:
        return
    qrels = pd.DataFrame(rows).reindex(columns=ALL).assign(query_id="q").astype({"original_length": float})
    explanation = irmx.explain(name, qrels, pd.DataFrame(stream).assign(query_id="q"), "q")
    assert sum(explanation.columns["contribution"]) == pytest.approx(explanation.value, rel=1e-12, abs=1e-12)
    assert len({len(column) for column in explanation.columns.values()}) == 1


def test_an_explanation_has_a_row_for_every_nugget_found() -> None:
    explanation = irmx.explain("ELG", EXAMPLE, STREAM, "q")
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
    assert irmx.explain("TS_Verbosity", EXAMPLE, STREAM, "q").columns["doc_id"] == ["u1", "u2", "u3"]
    assert "L" not in irmx.explain("Comp", EXAMPLE, STREAM, "q").columns


# -- rules -------------------------------------------------------------------------------------------------


def test_updates_that_were_never_pooled() -> None:
    """2014: one word each, V = 1 + 1/5; 2013: dropped, which also makes fewer updates to be as good as."""
    run = pd.concat([STREAM, run_of(("x", 1), ("y", 2))]).assign(length=[10, 6, 15, 99, 99])
    assert values("TS_Verbosity", run=run) == [round((7.2 + 2 * 1.2) / 5, 6)]
    assert values("TS_Verbosity(track='2013')", run=run) == [2.4]
    for name in set(NAMES) - {"TS_Latency"}:
        assert values(f"{name}(track='2013')", run=run) == values(name)
    assert values("Comp LC", run=run) == values("Comp LC")


def test_expected_latency_is_per_update_and_in_2013_per_nugget_found() -> None:
    """L is 1 and .5 for the two nuggets found, by three updates."""
    assert values("TS_Latency TS_Latency(track='2013')") == [0.5, 0.75]
    assert values("TS_Latency(track='2013')", run=run_of(("u3", 0))) == [0]


def test_nuggets_of_importance_0_are_left_out_unless_asked_for() -> None:
    """n2 of 6 words worth exp(-3): left out, a nugget has 4 words in the mean, and u2 holds nothing."""
    qrels = qrels_of([U1, {**U2, "importance": 0}, U3])
    assert values("Comp EG TS_Verbosity TS_Latency", qrels) == [
        *(1, round(1 / (2.5 + 2.5 + 4.75), 6)),
        *(round((2.5 + 2.5 + 4.75) / 3, 6), round(1 / 3, 6)),
    ]
    assert values("nEG nEG(gain='binary')", qrels, run_of(("u1", 0), ("u2", 25200))) == [0.2, 0.2]
    kept = [f"{name}(unimportant='keep')" for name in ("EG", "Comp", "TS_Verbosity", "TS_Latency")]
    assert values(" ".join(kept), qrels) == [round((1 + math.exp(-3)) / 7.2, 6), 1, 2.4, 0.5]
    assert values("Comp(unimportant='keep',gain='binary') Comp(gain='binary')", qrels, run_of(("u2", 0))) == [0, 0]


def test_a_topic_whose_nuggets_are_all_left_out_scores_0() -> None:
    """Verbosity is in units of a nugget's mean words: without nuggets there is no unit."""
    alone = qrels_of([{**U1, "importance": 0}]).assign(query_id="p")
    qrels, run = pd.concat([EXAMPLE, alone]), pd.concat([STREAM, run_of(("u1", 100), ("x", 0)).assign(query_id="p")])
    found = {
        (m.query_id, str(m.measure)): m.value
        for m in irmx.iter_calc([*NAMES, "TS_Verbosity(unimportant='keep')"], qrels, run)
    }
    assert {found["p", name] for name in NAMES} == {0}
    assert found["q", "TS_Verbosity"] == pytest.approx(2.4)
    assert found["p", "TS_Verbosity(unimportant='keep')"] == pytest.approx((1 + 6 / 4 + 1 + 1 / 4) / 2)
    assert set(irmx.explain("TS_Verbosity", qrels, run, "p").columns["V"]) == {0}


def test_a_nugget_belongs_to_the_earliest_update_and_of_equal_ones_to_that_of_the_largest_id() -> None:
    qrels = qrels_of([U1, {**U1, "doc_id": "v1", "match_start": 0, "match_end": 10}])
    for run, first, first_in_run in (
        (run_of(("u1", 4), ("v1", 5)), "u1", "u1"),
        (run_of(("u1", 5), ("v1", 4)), "v1", "v1"),
        (run_of(("u1", 5), ("v1", 5)), "v1", "u1"),
        (run_of(("v1", 5), ("u1", 5)), "v1", "v1"),
    ):
        assert irmx.explain("EG", qrels, run, "q").columns["doc_id"] == [first]
        assert irmx.explain("EG(same_time='run')", qrels, run, "q").columns["doc_id"] == [first_in_run]


def test_an_update_seen_before_earns_nothing_but_is_read_again() -> None:
    once, twice = (run_of(*[("u1", 0)] * times) for times in (1, 2))
    qrels = qrels_of([U1])
    assert values("Comp LC", qrels, twice) == values("Comp LC", qrels, once)
    assert values("TS_Verbosity", qrels, once) == [2.5]
    assert values("TS_Verbosity", qrels, twice) == [(2.5 + 3.5) / 2]


def test_words_in_two_matches_count_once_and_nuggets_of_others_do_not() -> None:
    """Words 0 to 4 and 2 to 7 are 7 of 10; when n1 is taken already only the second five count."""
    both = [U1, {**U1, "iteration": "n2", "match_start": 2, "match_end": 7}]
    assert values("TS_Verbosity", qrels_of(both), run_of(("u1", 0))) == [round(1 + 3 / 5, 6)]
    taken = qrels_of([*both, {**U1, "doc_id": "u0", "length": 4}])
    assert values("TS_Verbosity", taken, run_of(("u0", 0), ("u1", 1))) == [round((1 + 1 + 5 / 5) / 2, 6)]


def test_near_duplicates_found_later_count_on_request() -> None:
    qrels = qrels_of([{**U1, "pooled": 0}, {**U3, "pooled": 1}, {**U2, "doc_id": "", "pooled": 1}])
    run = run_of(("u1", 0))
    assert values("Comp TS_Verbosity", qrels, run) == [0, 1.2]
    assert values("Comp(duplicates='all') TS_Verbosity(duplicates='all')", qrels, run) == [round(1 / (1 + math.exp(-2)), 6), 2.2]  # fmt: skip


def test_a_near_duplicate_counts_as_its_original_in_words_and_nuggets() -> None:
    """u1 copies an update of 20 words that holds n1 in 4 of them; its own n2 counts for nothing, and is to be found."""
    copy = {**U1, "original_length": 20, "replaced": 0}
    qrels = qrels_of([copy, {**U2, "doc_id": "u1", "length": 10, "original_length": 20, "replaced": 1}])
    run = run_of(("u1", 0))
    assert values("TS_Verbosity Comp", qrels, run) == [1 + 16 / 5, round(1 / (1 + math.exp(-2)), 6)]
    assert values("TS_Verbosity", qrels, run.assign(length=7)) == [1 + 16 / 5], "whatever the run says"
    without = qrels.drop(columns=["original_length", "replaced"])
    assert values("TS_Verbosity Comp", without, run) == [1 + 4 / 5, 1]


def test_words_as_the_track_counts_them_need_their_columns() -> None:
    text = "TS_Verbosity.words='track'. cannot be computed: the qrels column 'track_nugget_length'.*tst:FOLDER.*words='white_space'"
    with pytest.raises(DataError, match=text):
        values("TS_Verbosity(words='track')")
    counted = EXAMPLE.assign(
        track_nugget_length=[5, 7, None], track_match_start=[1, 0, None], track_match_end=[4, 5, None]
    )
    assert values("TS_Verbosity(words='track')", counted.assign(track_length=[11, 6, 15])) == [round((1 + 8 / 6 + 1 + 1 / 6 + 1 + 15 / 6) / 3, 6)]  # fmt: skip
    two = counted.assign(track_length=[11, 6, 15], doc_id="u1")
    with pytest.raises(
        DataError, match="'track_length' has two lengths of the update 'u1' of query q: 11 and 15 words"
    ):
        values("TS_Verbosity(words='track')", two)
    for name in ("Comp", "LC", "TS_Latency"):
        assert values(f"{name}(words='track')") == values(name)


def test_without_the_column_pooled_all_rows_count() -> None:
    assert "pooled" not in EXAMPLE
    assert values("Comp") == [1]


def test_the_length_that_the_run_gives_comes_first() -> None:
    assert values("TS_Verbosity", run=STREAM.assign(length=[4, np.nan, 5])) == [round((1 + 1 + 2) / 3, 6)]


def test_what_the_best_updates_are_when_there_are_more_than_nuggets() -> None:
    """One update: the best it can bring is the most important nugget, R = 1; with two the mean is (1 + exp(-2))/2."""
    assert values("nEG", run=run_of(("u1", 0))) == values("EG", run=run_of(("u1", 0)))
    eg, neg = values("EG nEG", run=run_of(("u1", 0), ("u3", 1)))
    assert neg == pytest.approx(eg / ((1 + math.exp(-2)) / 2), abs=1e-5)


def test_each_measure_declares_just_what_it_reads() -> None:
    declared = {m: {c.name for c in irmx.parse_measure(m).qrel_columns() if not c.optional} for m in NAMES}
    words = {"nugget_length", "match_start", "match_end"}
    assert declared["Comp"] == {"iteration", "importance"}
    assert declared["LC"] == {"iteration", "importance", "timestamp"}
    assert declared["TS_Latency"] == {"iteration", "timestamp"}
    assert declared["TS_Verbosity"] == {"iteration", *words}
    assert declared["EG"] == declared["nEG"] == {"iteration", "importance", *words}
    assert declared["ELG"] == declared["nELG"] == declared["TS_H"] == {"iteration", "importance", "timestamp", *words}
    for name in NAMES:
        needed = ["query_id", "doc_id", "relevance", *declared[name], *[c.name for c in irmx.parse_measure(name).qrel_columns() if c.name == "length"]]  # fmt: skip
        assert values(name, EXAMPLE[needed]) == values(name)


def test_topics_without_nuggets_or_updates() -> None:
    none = qrels_of([U3])
    assert values(" ".join(NAMES), none, run_of(("u3", 0))) == [0] * 9
    assert math.isnan(irmx.calc_aggregate("LC(no_relevant='nan')", none, run_of(("u3", 0))).popitem()[1])
    assert values(" ".join(f"{n}(track='2013')" for n in NAMES), EXAMPLE, run_of(("x", 0))) == [0] * 9
    worthless = qrels_of([{**U1, "importance": 0}])
    assert values(" ".join(NAMES), worthless) == [0] * 9
    kept = "(gain='binary',unimportant='keep')"
    assert values(f"EG{kept} nEG{kept} Comp{kept} TS_H{kept}", worthless) == [0] * 4


# -- bad input ---------------------------------------------------------------------------------------------


def test_updates_without_a_time_are_left_out_and_counted() -> None:
    run = run_of(("u1", 0), ("u2", math.nan), ("u3", 30000))
    with pytest.warns(DataWarning, match="1 of 3 updates have no timestamp; they are left out"):
        found = values(" ".join(NAMES), run=run)
    assert found == values(" ".join(NAMES), run=run_of(("u1", 0), ("u3", 30000)))


def test_pooled_updates_without_a_length_are_counted() -> None:
    bare = EXAMPLE.drop(columns="length")
    with pytest.warns(DataWarning, match="3 of 3 pooled updates have no length; 30 words are assumed"):
        assert values("TS_Verbosity", bare) == [round((1 + 26 / 5 + 1 + 24 / 5 + 7) / 3, 6)]
    with pytest.warns(DataWarning, match="3 of 3 pooled updates have no length; 10 words"):
        assert values("TS_Verbosity(default_length=10)", bare) == [round((2.2 + 1.8 + 3) / 3, 6)]


def test_matches_without_a_place_are_counted() -> None:
    with pytest.warns(DataWarning, match="1 of 2 matches have no place"):
        assert values("TS_Verbosity", EXAMPLE.assign(match_start=[np.nan, 0, 0])) == [round((3 + 1 + 4) / 3, 6)]


WRONG: list[tuple[str, Callable[[pd.DataFrame], pd.DataFrame], str]] = [
    ("LC", lambda q: q.drop(columns="importance"), "LC cannot be computed: the qrels column 'importance'"),
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
        values(measure, spoil(EXAMPLE))


def test_wrong_runs_are_named() -> None:
    with pytest.raises(
        DataError, match="LC cannot be computed: the run column 'timestamp', when the update was emitted"
    ):
        values("LC", run={"q": {"u1": 1.0}})
    with pytest.raises(DataError, match=r"The run column 'timestamp' must hold numbers\. Found 'noon'"):
        values("LC", run=STREAM.assign(timestamp=["noon", "one", "two"]))
    with pytest.raises(DataError, match="length of the update 'u3' of query q is -1"):
        values("ELG", run=STREAM.assign(length=[10, 6, -1]))
    with pytest.raises(DataError, match=r"run column 'length' must hold finite numbers\. Found inf"):
        values("ELG", run=STREAM.assign(length=[10, 6, np.inf]))


def test_a_year_without_rules_of_its_own_is_refused() -> None:
    with pytest.raises(UsageError, match="must be one of '2014', '2013'"):
        irmx.parse_measure("ELG(track='2015')")
