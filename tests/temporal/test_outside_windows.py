"""Relevant documents outside every window: what each measure does with them."""

from __future__ import annotations

import warnings
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx

DAY = 86400.0
DOCS = [f"d{i}" for i in range(8)]
SUBTOPICS = ["c1", "c2", "c10"]

COLLECTIONS = st.fixed_dictionaries(
    {
        "rows": st.lists(
            st.tuples(st.sampled_from(DOCS), st.sampled_from(SUBTOPICS), st.sampled_from([0, 1, 2])),
            min_size=1,
            max_size=14,
        ),
        "day": st.lists(st.sampled_from([None, 0, 1, 2]), min_size=len(DOCS), max_size=len(DOCS)),
        "ranking": st.permutations([*DOCS, "x", "y"]).flatmap(
            lambda docs: st.integers(1, len(docs)).map(lambda n: docs[:n])
        ),
        "k": st.sampled_from([None, 1, 3, 20]),
        "cells": st.sampled_from(["all", "nonempty"]),
        "of_subtopics": st.sampled_from(["uniform", "proportional"]),
        "of_windows": st.sampled_from(["uniform", "proportional"]),
    }
)


def values(measures: Any, qrels: Any, run: Any) -> dict[Any, float]:
    """The values of topic q, and no warning about undated documents."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irmx.DataWarning)
        return {m.measure: m.value for m in irmx.iter_calc(measures, qrels, run) if m.query_id == "q"}


@given(made=COLLECTIONS)
def test_every_measure(made: dict[str, Any], plain: ModuleType) -> None:
    """Against the definitions; in an extra topic a document is dated, so that the qrels have dates at all."""
    day = dict(zip(DOCS, made["day"], strict=True))
    rows = [("q", d, g, c, np.nan if day[d] is None else DAY * day[d]) for d, c, g in made["rows"]]
    columns = ["query_id", "doc_id", "relevance", "iteration", "timestamp"]
    qrels = pd.DataFrame([*rows, ("other", "d0", 1, "c1", 0.0)], columns=columns)
    run = {"q": {d: float(len(made["ranking"]) - i) for i, d in enumerate(made["ranking"])}, "other": {"d0": 1.0}}
    judged = [plain.Judged(d, c, g, None if day[d] is None else f"day {day[d]}") for d, c, g in made["rows"]]
    everywhere = [plain.Judged(d, c, g) for d, c, g in made["rows"]]
    common = {"k": made["k"], "subtopic_weights": made["of_subtopics"], "cells": made["cells"]}
    tia = plain.Topic(judged, made["ranking"], window_weights=made["of_windows"], **common)
    ia = plain.Topic(everywhere, made["ranking"], window_weights="uniform", **common)
    at = {} if made["k"] is None else {"cutoff": made["k"]}
    c = {**at, "subtopic_weights": made["of_subtopics"]}
    i = {**c, "cells": made["cells"]}
    t = {"window": "1d", "window_weights": made["of_windows"]}
    expected = {
        irmx.TIA_nDCG(**i, **t): tia.ndcg(),
        irmx.TIA_ERR(**i, **t): tia.err(),
        irmx.TIA_ERR(err="text", **i, **t): tia.err_text(),
        irmx.TIA_ERR(err="mixed", **i, **t): tia.err_mixed(),
        irmx.TIA_P(**i, **t): tia.precision(),
        irmx.TIA_AP(**i, **t): tia.average_precision(),
        irmx.T_StRecall(**at, window="1d"): tia.temporal_recall(),
        irmx.TIA_StRecall(a=0.3, **c, **t): tia.weighted_recall(0.3),
        irmx.IA_nDCG(**i): ia.ndcg(),
        irmx.IA_ERR(**i): ia.err(),
        irmx.IA_P(**i): ia.precision(),
        irmx.IA_AP(**i): ia.average_precision(),
        irmx.I_rec(**at): ia.recall(),
        irmx.D_nDCG(**c): ia.global_ndcg(),
        irmx.Dsharp_nDCG(**c): 0.5 * ia.recall() + 0.5 * ia.global_ndcg(),
    }
    found = values(list(expected), qrels, run)
    assert found == pytest.approx(expected, abs=1e-12)
    uniform = {**at, "window": "1d", "a": 1}
    of_time, plain_recall = values([irmx.TIA_StRecall(**uniform), irmx.I_rec(**at)], qrels, run).values()
    assert of_time == plain_recall


@pytest.fixture
def undated(frame: Any) -> pd.DataFrame:
    """Document u of subtopic 2 has no date; t does not know of it."""
    return frame(("t", "1"), ("u", "2")).assign(timestamp=[0.0, np.nan])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("IA_nDCG@2", (1 + 1 / np.log2(3)) / 2),
        ("IA_ERR@2", 0.75),
        ("IA_P@2", 0.5),
        ("IA_AP", 0.5),
        ("I_rec@2", 1.0),
        ("D_nDCG@2", 1.0),
        ("Dsharp_nDCG@2", 1.0),
        ("IntentAware(measure='RR')", 0.75),
        ("TIA_nDCG(window='1d')@2", 0.5),
        ("TIA_ERR(window='1d')@2", 0.5),
        ("TIA_ERR(window='1d',err='text')@2", 1.0),  # P(c|q,t): subtopic 2 is in no window
        ("TIA_ERR(window='1d',err='mixed')@2", 1.0),
        ("TIA_P(window='1d')@2", 0.25),
        ("TIA_AP(window='1d')", 0.5),
        ("TimeAware(measure='RR',window='1d')", 0.5),
        ("TimeAware(measure='StRecall@2',window='1d')", 1.0),  # the subtopics of the window
        ("T_StRecall(window='1d')@2", 1.0),
        ("TIA_StRecall(window='1d',a=1)@2", 1.0),
        ("TIA_StRecall(window='1d')@2", 1.0),
        ("TIA_StRecall(window='1d',a=0)@2", 1.0),
    ],
)
def test_an_undated_document(text: str, value: float, undated: pd.DataFrame, ranked: Any) -> None:
    [found] = values(text, undated, ranked("t", "u")).values()
    assert found == pytest.approx(value, abs=1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irmx.DataWarning)
        e = irmx.explain(text, undated, ranked("t", "u"), "q")
    assert sum(e.columns["contribution"]) == pytest.approx(value, abs=1e-12)


def test_the_document_outside_is_named_where_it_covers_its_subtopic(undated: pd.DataFrame, ranked: Any) -> None:
    with pytest.warns(irmx.DataWarning, match="1 of 2 relevant documents have no date"):
        e = irmx.explain("T_StRecall(window='1d')@1", undated, ranked("u", "t"), "q")
    rows = e.frame()[["covers", "name", "rank", "doc_id"]].values.tolist()
    assert rows == [
        ["subtopic", "1", "-", "(missed)"],
        ["subtopic", "2", 1, "u"],
        ["window", "1970-01-01", "-", "(missed)"],
    ]


def test_what_is_relevant_in_any_window_satisfies_as_the_text_of_the_paper_has_it(frame: Any, ranked: Any) -> None:
    """rel(r|c) of ``err='text'`` knows no window: the undated document, first in the ranking, satisfies for its subtopic."""
    qrels = frame(("t", "1"), ("u", "1")).assign(timestamp=[0.0, np.nan])
    text = "TIA_ERR(window='1d',err='text') TIA_ERR(window='1d') IA_ERR"
    assert list(values(text, qrels, ranked("u", "t")).values()) == [1.0, 0.5, 1.0]


def test_the_share_of_a_subtopic_is_of_all_its_documents(frame: Any, ranked: Any) -> None:
    qrels = frame(("t", "1"), ("u", "2"), ("v", "2"), ("w", "2")).assign(timestamp=[0.0, 0.0, np.nan, np.nan])
    text = "IA_P(subtopic_weights='proportional')@1 TIA_P(window='1d',subtopic_weights='proportional')@1"
    assert list(values(text, qrels, ranked("t")).values()) == [0.25, 0.25]


def test_everything_retrieved_covers_every_subtopic_and_every_burst(frame: Any, ranked: Any) -> None:
    """Six documents of one subtopic in a burst, two of another outside of it."""
    days = [0, 50, 51, 52, 53, 54, 55, 100]
    docs = [f"d{i}" for i in range(8)]
    qrels = frame(*((d, "out" if i in (0, 7) else "in") for i, d in enumerate(docs)))
    qrels = qrels.assign(timestamp=[DAY * day for day in days])
    text = "TIA_SBR(window='burst',a=1)@8 TIA_SBR(window='burst')@8 T_SBR(window='burst')@8 TIA_nDCG(window='burst')@8"
    found = list(values(text, qrels, ranked(*docs[1:7], "d0", "d7")).values())
    assert found == pytest.approx([1, 1, 1, 0.5])
    assert list(values(text, qrels, ranked("d0", "d7")).values()) == pytest.approx([0.5, 0.25, 1 / 3, 0])


def test_a_topic_without_a_window(ranked: Any) -> None:
    """Its documents cover subtopics; there are no windows to cover, and no cells."""
    rows = [("q", "u", 1, "1", np.nan), ("q", "v", 1, "2", np.nan), ("other", "t", 1, "1", 0.0)]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration", "timestamp"])
    text = "T_StRecall(window='1d') TIA_StRecall(window='1d',a=0.6) TIA_P(window='1d')@1 I_rec"
    run = {**ranked("u"), "other": {"t": 1.0}}
    assert list(values(text, qrels, run).values()) == pytest.approx([0.5, 0.3, 0, 0.5])
