"""The measures of the track explain several topics at once as they explain each, as reports ask them to."""

import pandas as pd
import pytest

import irmx

TRACK = ("Comp", "EG", "ELG", "LC", "TS_H", "TS_Latency", "TS_Verbosity", "nEG", "nELG")


def nuggets(topics: str) -> pd.DataFrame:
    """Two nuggets of every topic, in two updates."""
    of_topic = {"doc_id": ["u1", "u2"], "iteration": ["n1", "n2"], "relevance": 1, "importance": [3, 1],
                "timestamp": [0, 3600], "nugget_length": [4, 6], "match_start": 0, "match_end": [4, 6],
                "length": [10, 6]}  # fmt: skip
    return pd.concat([pd.DataFrame({"query_id": topic, **of_topic}) for topic in topics])


RUN = pd.DataFrame(
    [("p", "u1", 100), ("p", "x", 200), ("q", "x", 50), ("q", "u2", 9000), ("q", "u1", 9500), ("r", "u2", 7)],
    columns=["query_id", "doc_id", "timestamp"],
).assign(score=1.0, length=12)


@pytest.mark.parametrize("measure", TRACK)
def test_several_topics_are_explained_at_once(measure: str) -> None:
    qrels = nuggets("pqr")
    found = list(irmx.explanations(measure, qrels, RUN))
    assert [of.query_id for of in found] == ["p", "q", "r"]
    for of in found:
        assert sum(of.columns["contribution"]) == pytest.approx(of.value)
        assert of.to_frame().equals(irmx.explain(measure, qrels, RUN, of.query_id).to_frame())
