"""NCP with a probability of its own for every relevant document: by hand, as AP, and what cannot be such a law."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx
from irmx_ncp import BY_DOCUMENT, NCP

RUN = {"q": {"a": 5.0, "x": 4.0, "b": 3.0, "y": 2.0, "c": 1.0}}
STOP = {"a": 0.1, "b": 0.4, "c": 0.2, "z": 0.3}


def judged(stop, **more):
    """Return qrels of one topic whose documents are relevant and have these values."""
    rows = {"query_id": "q", "doc_id": list(stop), "relevance": 1, "stop_probability": list(stop.values())}
    return pd.DataFrame(rows | more)


def test_by_hand():
    """Prec is 1, 2/3, 3/5 at the documents a, b, c; z is not retrieved and keeps its 0.3."""
    expected = 0.1 * 1 + 0.4 * 2 / 3 + 0.2 * 3 / 5
    assert NCP(law="by_document").calc_aggregate(judged(STOP), RUN) == pytest.approx(expected, abs=1e-15)
    exact = NCP(law=BY_DOCUMENT(scale=False))
    assert exact.calc_aggregate(judged(STOP), RUN) == pytest.approx(expected, abs=1e-15)


def test_the_law_stays_with_the_documents():
    """A run with c before a: the ordinal law is the same at the same ranks, the law by document is not."""
    other = {"q": {"c": 5.0, "x": 4.0, "b": 3.0, "y": 2.0, "a": 1.0}}
    assert NCP(law="zipf").calc_aggregate(judged(STOP), other) == NCP(law="zipf").calc_aggregate(judged(STOP), RUN)
    found = NCP(law=BY_DOCUMENT).calc_aggregate(judged(STOP), other)
    assert found == pytest.approx(0.2 * 1 + 0.4 * 2 / 3 + 0.1 * 3 / 5, abs=1e-15)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60), st.floats(0.01, 100))
def test_equal_probabilities_are_ap(documents, value):
    run = {"q": {f"d{i}": -float(i) for i, (_, retrieved) in enumerate(documents) if retrieved} or {"other": 1.0}}
    qrels = judged({f"d{i}": value for i in range(len(documents))}, relevance=[int(r) for r, _ in documents])
    ncp, ap = irmx.calc_aggregate("NCP(law=by_document) AP", qrels, run).values()
    assert ncp == pytest.approx(ap, abs=1e-12)


@given(
    st.dictionaries(st.integers(0, 30), st.tuples(st.integers(0, 3), st.integers(1, 9)), min_size=1), st.integers(1, 3)
)
def test_scaled_over_the_documents_that_are_relevant(documents, rel):
    """Which documents are relevant depends on rel; the plain way goes down the ranking document by document."""
    qrels = judged(
        {f"d{i}": float(w) for i, (_, w) in documents.items()}, relevance=[grade for grade, _ in documents.values()]
    )
    run = {"q": {f"d{i}": -float(i) for i in range(0, 31, 2)}}
    weight = {f"d{i}": w for i, (grade, w) in documents.items() if grade >= rel}
    expected, met = 0.0, 0
    for rank, doc in enumerate(run["q"], start=1):
        if doc in weight:
            met += 1
            expected += weight[doc] / sum(weight.values()) * met / rank
    assert NCP(law="by_document", rel=rel).calc_aggregate(qrels, run) == pytest.approx(expected, abs=1e-12)


def test_a_row_per_subtopic():
    """A document counts once; a row may leave out what another of its rows has, and grade 1 is enough in one row."""
    rows = [("a", 1, 0.1, "s1"), ("a", 0, np.nan, "s2"), ("b", 1, 0.4, "s1"), ("c", 1, 0.2, "s2"), ("z", 1, 0.3, "s2")]
    table = pd.DataFrame(rows, columns=["doc_id", "relevance", "stop_probability", "iteration"]).assign(query_id="q")
    expected = NCP(law=BY_DOCUMENT).calc_aggregate(judged(STOP), RUN)
    assert NCP(law=BY_DOCUMENT).calc_aggregate(table, RUN) == pytest.approx(expected, abs=1e-15)


def test_documents_that_are_not_relevant_need_no_value():
    qrels = judged({**STOP, "x": None}, relevance=[1, 1, 1, 1, 0])
    assert NCP(law=BY_DOCUMENT(scale=False)).calc_aggregate(qrels, RUN) == pytest.approx(0.486667, abs=5e-7)
    assert NCP(law=BY_DOCUMENT).calc_aggregate(qrels.assign(relevance=0), RUN) == 0.0


def test_explained():
    explained = irmx.explain("NCP(law=by_document)", judged(STOP), RUN, "q")
    assert explained.columns["weight"] == pytest.approx([0.1, 0.4, 0.2])
    assert sum(explained.columns["contribution"]) == pytest.approx(explained.value, abs=1e-15)


def test_the_column_is_read_by_this_law_only():
    assert [c.name for c in irmx.parse_measure("NCP(law=by_document)").qrel_columns()] == ["stop_probability"]
    assert irmx.parse_measure("NCP(law=zipf)").qrel_columns() == ()


@pytest.mark.parametrize(
    ("law", "stop", "message"),
    [
        (BY_DOCUMENT, {"a": 0.5, "b": None}, r"has no value for query q, relevant document 'b'"),
        (
            BY_DOCUMENT,
            {"a": 0.5, "b": -0.5},
            r"has -0\.5 for query q, relevant document 'b'.*exactly one number, at least 0",
        ),
        (BY_DOCUMENT, {"a": 0.5, "b": np.inf}, r"must hold finite numbers. Found inf in row 1"),
        (BY_DOCUMENT, {"a": 0.0, "b": 0.0}, r"is 0 for all of the 2 relevant documents of query q"),
        (BY_DOCUMENT, {"a": 0.0}, r"is 0 for all of the 1 relevant document"),
        (BY_DOCUMENT, {"a": "half", "b": "half"}, r"must hold numbers. Found 'half'"),
        (
            BY_DOCUMENT(scale=False),
            {"a": 0.5, "b": 0.4},
            r"adds up to 0\.9, not 1, over the 2 .* Leave out scale=False",
        ),
    ],
)
def test_what_is_no_law(law, stop, message):
    with pytest.raises(
        irmx.DataError, match=r"NCP\(law=by_document.*\): [Tt]he qrels column 'stop_probability' " + message
    ):
        NCP(law=law).calc_aggregate(judged(stop), RUN)


@pytest.mark.parametrize(
    ("cell", "says"), [("x", "must hold numbers. Found 'x'"), ("", "has no value"), ("-1", "has -1")]
)
def test_a_bad_cell_of_a_file_has_its_line(cell, says, tmp_path):
    path = tmp_path / "qrels.csv"
    path.write_text(f"query_id,doc_id,relevance,stop_probability\nq,a,1,0.5\nq,b,1,{cell}\n")
    with pytest.raises(irmx.DataError, match=f"qrels.csv, line 3: .*{says}"):
        NCP(law=BY_DOCUMENT).calc_aggregate(path, RUN)


def test_two_values_of_one_document_are_refused():
    twice = pd.concat([judged(STOP), judged({"b": 0.1})])
    with pytest.raises(irmx.DataError, match=r"has 0\.1 and 0\.4 for query q, relevant document 'b'"):
        NCP(law=BY_DOCUMENT).calc_aggregate(twice, RUN)


def test_without_the_column():
    with pytest.raises(irmx.DataError, match=r"the qrels column 'stop_probability', probability that.*law=geometric"):
        NCP(law=BY_DOCUMENT).calc_aggregate({"q": {"a": 1}}, RUN)


class _Given(irmx.Symbol):
    """A law by document of another plugin, which needs only its kind and method."""

    NAME, KIND, SHORT_DESC = "given", "stopping law", "these probabilities of the documents retrieved"
    SUPPORTED_PARAMS = {"p": irmx.Param(list, "the probabilities")}

    def document_probabilities(self, rankings):
        return np.array(self.params["p"])


def test_a_law_of_another_plugin():
    assert NCP(law=_Given(p=[0.5, 0, 0.5])).calc_aggregate(judged(STOP), RUN) == pytest.approx(0.5 + 0.5 * 3 / 5)


@pytest.mark.parametrize("p", [[0.5, 0.5, 0.1], [0.5, -0.1, 0.2], [0.5, 0.2]])
def test_a_law_of_another_plugin_that_is_none(p):
    with pytest.raises(irmx.PluginError, match=r"given.* must give 3 probabilities.*at most 1"):
        NCP(law=_Given(p=p)).calc_aggregate(judged(STOP), RUN)
