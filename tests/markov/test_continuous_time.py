"""MPcont: where holding times come from, and what they do."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx
from irmx_markov import GL_AD_ID, MP, ByRank, MPcont
from irmx_markov.models import NAMED


def table(run, dwell):
    rows = [("q", doc, score, seconds) for (doc, score), seconds in zip(run["q"].items(), dwell, strict=True)]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "score", "dwell"])


def test_dwell_column_equals_the_same_times_by_rank(qrels, run):
    dwell = [10.0, 1.0, 20.0, 30.0, 5.0, 5.0]
    by_column = MPcont(model=GL_AD_ID).calc_aggregate(qrels, table(run, dwell))
    assert by_column == pytest.approx(0.753902, abs=5e-7)
    assert by_column == MPcont(model=GL_AD_ID, times=ByRank(dwell)).calc_aggregate(qrels, run)
    shuffled = table(run, dwell).sample(frac=1, random_state=4)
    assert by_column == MPcont(model=GL_AD_ID).calc_aggregate(qrels, shuffled)


@pytest.mark.parametrize("model", NAMED, ids=repr)
@given(seconds=st.floats(1e-3, 1e6))
def test_equal_holding_times_give_mp(model, seconds):
    qrels = {"q": {"a": 1, "c": 1, "d": 1}}
    run = {"q": {d: -float(i) for i, d in enumerate("abcdef")}}
    mp = MP(model=model).calc_aggregate(qrels, run)
    assert MPcont(model=model, times=ByRank([seconds])).calc_aggregate(qrels, run) == pytest.approx(mp, abs=1e-12)


def test_recall_rescales_it_too(qrels, run):
    measure = MPcont(model=GL_AD_ID, times=ByRank([10, 10, 20, 30]))
    assert measure(rescale="recall").calc_aggregate(qrels, run) == pytest.approx(
        0.6 * measure.calc_aggregate(qrels, run)
    )


def test_explained_times_and_weights(qrels, run):
    explained = irmx.explain("MPcont(model=GL_AD_ID,times=by_rank(seconds=[10,10,20,30]))", qrels, run, "q")
    assert explained.columns["holding_time"] == [10, 20, 30]
    assert sum(explained.columns["contribution"]) == pytest.approx(explained.value, abs=1e-15)


def test_text_round_trip():
    for measure in (MPcont(model=GL_AD_ID), MPcont(model=GL_AD_ID, times=ByRank({1: 2.5, 4: 10}))):
        assert irmx.parse_measure(str(measure)) == measure


def test_a_rank_without_a_time(qrels, run, tmp_path):
    path = tmp_path / "times.csv"
    path.write_text("rank,holding_time\n1,10\n3,20\n")
    previous = irmx.parse_measure(f"MPcont(model=GL_AD_ID,times=by_rank(file={str(path)!r}))")
    listed = MPcont(model=GL_AD_ID, times=ByRank([10, 10, 20]))
    assert previous.calc_aggregate(qrels, run) == listed.calc_aggregate(qrels, run)
    strict = irmx.parse_measure(f"MPcont(model=GL_AD_ID,times=by_rank(file={str(path)!r},missing='error'))")
    with pytest.raises(irmx.DataError, match="no holding time for rank 4, needed for query q"):
        strict.calc_aggregate(qrels, run)


def test_a_missing_dwell_column_is_named(qrels, run):
    with pytest.raises(irmx.DataError, match=r"MPcont\(model=GL_AD_ID\).*run column 'dwell'.*\(s\).*times=by_rank"):
        MPcont(model=GL_AD_ID).calc_aggregate(qrels, run)


@pytest.mark.parametrize(
    ("third", "message"),
    [
        (-1.0, "dwell -1 of query q, document 'c' at rank 3"),
        (0.0, "not above 0 seconds"),
        (float("nan"), "no value for query q, document 'c'"),
    ],
)
def test_bad_dwell_values_are_named(third, message, qrels, run):
    with pytest.raises(irmx.DataError, match=message):
        MPcont(model=GL_AD_ID).calc_aggregate(qrels, table(run, [1.0, 1.0, third, 1.0, 1.0, 1.0]))


def test_a_dwell_of_a_document_that_does_not_count_may_be_missing(qrels, run):
    nan = float("nan")
    with_gaps = table(run, [10.0, nan, 20.0, 30.0, nan, nan])
    assert MPcont(model=GL_AD_ID).calc_aggregate(qrels, with_gaps) == pytest.approx(0.753902, abs=5e-7)


def test_negative_holding_times_are_refused(tmp_path):
    with pytest.raises(irmx.UsageError, match=r"range \(0, inf\)"):
        ByRank([10, -5])
    with pytest.raises(irmx.UsageError, match=r"Got -5.0 at rank 2"):
        ByRank({1: 10, 2: -5})
    path = tmp_path / "times.tsv"
    path.write_text("rank\tholding_time\n1\t-3\n")
    with pytest.raises(irmx.UsageError, match=r"times.tsv must be above 0 seconds"):
        irmx.parse_measure(f"MPcont(model=GL_AD_ID,times=by_rank(file={str(path)!r}))")
    with pytest.raises(irmx.UsageError, match="need times"):
        irmx.calc_aggregate("MPcont(model=GL_AD_ID,times=by_rank)", {"q": {"a": 1}}, {"q": {"a": 1.0}})


def test_texts_in_the_dwell_column_are_refused(qrels, run):
    with pytest.raises(irmx.DataError, match=r"'dwell' must hold numbers. Found '10 s'"):
        MPcont(model=GL_AD_ID).calc_aggregate(qrels, table(run, ["10 s"] * 6))
