"""Every measure and option against the definitions in plain Python, over made-up collections."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx

pytestmark = pytest.mark.filterwarnings("ignore:.*contradict each other")
"""Rows of one document and subtopic are drawn with different grades."""

DOCS = [f"d{i}" for i in range(9)]
SUBTOPICS = ["c1", "c2", "c10"]
WINDOWS = ["t1", "t2", "t3"]

COLLECTIONS = st.fixed_dictionaries(
    {
        "rows": st.lists(
            st.tuples(
                st.sampled_from(DOCS), st.sampled_from(SUBTOPICS), st.sampled_from([-2, 0, 0.5, 1, 2, 3]), st.just("")
            ),
            min_size=1,
            max_size=14,
        ),
        "declared": st.lists(st.tuples(st.sampled_from(SUBTOPICS), st.sampled_from(WINDOWS)), max_size=2),
        "window": st.lists(st.sampled_from(WINDOWS), min_size=len(DOCS), max_size=len(DOCS)),
        "ranking": st.permutations([*DOCS, "x", "y", "z"]).flatmap(
            lambda docs: st.integers(1, len(docs)).map(lambda n: docs[:n])
        ),
        "k": st.sampled_from([None, 1, 2, 3, 5, 20]),
        "rel": st.sampled_from([0.5, 1, 2]),
        "cells": st.sampled_from(["all", "nonempty"]),
        "of_subtopics": st.sampled_from(["auto", "uniform", "proportional", "column"]),
        "of_windows": st.sampled_from(["auto", "uniform", "proportional", "column"]),
    }
)
GIVEN = {"c1": 0.5, "c2": 0.2, "c10": 0.3, "t1": 0.1, "t2": 0.65, "t3": 0.25}
"""Weights in columns; labels that hold no relevant document keep theirs."""


def setting(made: dict[str, Any]) -> tuple[list[tuple[Any, ...]], pd.DataFrame, dict[str, dict[str, float]]]:
    """The rows as (doc, subtopic, grade, window), and the same as qrels with columns of weights, and the run."""
    window_of = dict(zip(DOCS, made["window"], strict=True))
    rows = [(d, c, g, window_of[d]) for d, c, g, _ in made["rows"]]
    rows += [("", c, 0, t) for c, t in made["declared"]]
    every = [(d, g, c, t) for d, c, g, t in rows]
    every += [("pad", 0, c, t) for c, t in zip(SUBTOPICS, ["t1"] * 3, strict=True)]  # all weights add up to 1
    every += [(f"pad {t}", 0, "c1", t) for t in WINDOWS]
    frame = pd.DataFrame(
        [("q", d, g, c, t, GIVEN[c], GIVEN[t]) for d, g, c, t in every],
        columns=["query_id", "doc_id", "relevance", "iteration", "window", "subtopic_weight", "window_weight"],
    )
    run = {"q": {d: float(len(made["ranking"]) - i) for i, d in enumerate(made["ranking"])}}
    return rows, frame, run


@given(made=COLLECTIONS, explained=st.integers(0, 25))
def test_every_measure(made: dict[str, Any], explained: int, plain: ModuleType) -> None:
    rows, frame, run = setting(made)
    judged = [plain.Judged(*row) for row in rows]
    everywhere = [plain.Judged(d, c, g) for d, c, g, _ in rows]
    of_subtopics, of_windows = made["of_subtopics"], made["of_windows"]
    common = {
        "k": made["k"], "rel": made["rel"], "given": GIVEN, "cells": made["cells"],
        "subtopic_weights": "column" if of_subtopics == "auto" else of_subtopics,
    }  # fmt: skip
    tia = plain.Topic(
        judged, made["ranking"], window_weights="column" if of_windows == "auto" else of_windows, **common
    )
    ia = plain.Topic(everywhere, made["ranking"], window_weights="uniform", **common)
    largest = max([0, *(g for d, _, g, _ in rows if d)])
    at = {} if made["k"] is None else {"cutoff": made["k"]}
    at["rel"] = made["rel"]
    c = {"subtopic_weights": of_subtopics}
    i = {**c, "cells": made["cells"]}
    t = {**i, "window_weights": of_windows}
    expected = {
        irmx.TIA_nDCG(**at, **t): tia.ndcg(),
        irmx.TIA_nDCG(gain="exponential", **at, **t): tia.ndcg(graded=True),
        irmx.TIA_ERR(**at, **t): tia.err(),
        irmx.TIA_ERR(stop="graded", **at, **t): tia.err(largest),
        irmx.TIA_ERR(err="text", **at, **t): tia.err_text(),
        irmx.TIA_ERR(err="text", stop="graded", **at, **t): tia.err_text(largest),
        irmx.TIA_ERR(err="mixed", **at, **t): tia.err_mixed(),
        irmx.TIA_ERR(err="mixed", stop="graded", **at, **t): tia.err_mixed(largest),
        irmx.TIA_ERR(err="text", subtopics_in_window="counted", **at, **t): tia.err_text(counted=True),
        irmx.TIA_ERR(err="mixed", subtopics_in_window="counted", stop="graded", **at, **t): tia.err_mixed(
            largest, True
        ),
        irmx.TIA_ERR(stop="window", **at, **t): tia.err_of_bursts(tia.weight),
        irmx.TIA_ERR(err="mixed", subtopics_in_window="counted", stop="window", **at, **t): tia.err_of_bursts(
            tia.within_windows(counted=True)
        ),
        irmx.TIA_P(**at, **t): tia.precision(),
        irmx.TIA_AP(**at, **t): tia.average_precision(),
        irmx.T_StRecall(**at): tia.temporal_recall(),
        irmx.TIA_StRecall(a=0.3, **at, **c, window_weights=of_windows): tia.weighted_recall(0.3),
        irmx.IA_nDCG(**at, **i): ia.ndcg(),
        irmx.IA_nDCG(gain="exponential", **at, **i): ia.ndcg(graded=True),
        irmx.IA_ERR(**at, **i): ia.err(),
        irmx.IA_ERR(stop="graded", **at, **i): ia.err(largest),
        irmx.IA_P(**at, **i): ia.precision(),
        irmx.IA_AP(**at, **i): ia.average_precision(),
        irmx.I_rec(**at): ia.recall(),
        irmx.D_nDCG(**at, **c): ia.global_ndcg(),
        irmx.D_nDCG(gain="exponential", **at, **c): ia.global_ndcg(True),
        irmx.Dsharp_nDCG(gamma=0.25, **at, **c): 0.25 * ia.recall() + 0.75 * ia.global_ndcg(),
    }
    found = irmx.calc_aggregate(list(expected), frame, run)
    assert found == pytest.approx(expected, abs=1e-12)
    for measure, value in list(found.items())[explained : explained + 1]:
        e = irmx.explain(measure, frame, run, "q")
        assert sum(e.columns["contribution"]) == pytest.approx(value, abs=1e-12), measure
        assert irmx.parse_measure(repr(measure)) == measure


@given(made=COLLECTIONS)
def test_one_window_that_covers_everything(made: dict[str, Any]) -> None:
    """Every TIA measure is then its IA measure, lifted ones too, and with documents dropped that are not judged."""
    _, frame, run = setting(made)
    frame = frame.drop(columns=["window", "window_weight"]).assign(window="all", timestamp=0.0)
    k = {} if made["k"] is None else {"cutoff": made["k"]}
    options = {"rel": made["rel"], "cells": made["cells"], "subtopic_weights": made["of_subtopics"]}
    lifted = ("NCP(law=uniform)", "NCP(law=uniform,judged_only=True)", "MP(model=GL_AD_LID)")
    pairs = {}
    for window in (None, "1y", "burst"):
        for a, b in (
            (irmx.TIA_nDCG, irmx.IA_nDCG),
            (irmx.TIA_ERR, irmx.IA_ERR),
            (irmx.TIA_P, irmx.IA_P),
            (irmx.TIA_AP, irmx.IA_AP),
        ):
            pairs[a(window=window, **options, **k)] = b(**options, **k)
        for text in lifted:
            pairs[irmx.TimeAware(text, window=window, **options)] = irmx.IntentAware(text, **options)
    found = irmx.calc_aggregate([*pairs, *pairs.values()], frame, run)
    assert len(pairs) == 21
    for first, second in pairs.items():
        assert found[first] == pytest.approx(found[second], abs=1e-12), first
