"""MPcont: where holding times come from, and what they do."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx
from irmx_markov import GL_AD_ID, MP, ByLength, ByRank, MPcont
from irmx_markov.markov_models import NAMED


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
    with pytest.raises(
        irmx.DataError, match=r"MPcont\(model=GL_AD_ID\).*run column 'dwell'.*\(s\).*times=by_rank.*times=by_length"
    ):
        MPcont(model=GL_AD_ID).calc_aggregate(qrels, run)


@pytest.mark.parametrize(
    ("third", "message"),
    [
        (-1.0, "dwell -1 of query q, document 'c' at rank 3"),
        (0.0, "not above 0 s"),
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
    with pytest.raises(
        irmx.DataError, match=r"times.tsv, line 2: the holding_time must be a number in the range \(0, inf\)"
    ):
        irmx.parse_measure(f"MPcont(model=GL_AD_ID,times=by_rank(file={str(path)!r}))")
    with pytest.raises(irmx.UsageError, match="need times"):
        irmx.calc_aggregate("MPcont(model=GL_AD_ID,times=by_rank)", {"q": {"a": 1}}, {"q": {"a": 1.0}})


def test_texts_in_the_dwell_column_are_refused(qrels, run):
    with pytest.raises(irmx.DataError, match=r"'dwell' must hold numbers. Found '10 s'"):
        MPcont(model=GL_AD_ID).calc_aggregate(qrels, table(run, ["10 s"] * 6))


LENGTHS = [42.5, 7.0, 85.0, 127.5, 9.0, 9.0]
"""Of the documents at ranks 1 to 6: at 4.25 words per second, 10, 20 and 30 s at the relevant ranks 1, 3 and 4."""


def with_lengths(run, lengths):
    return table(run, lengths).rename(columns={"dwell": "length"})


def test_time_from_length(qrels, run):
    explained = irmx.explain("MPcont(model=GL_AD_ID,times=by_length)", qrels, with_lengths(run, LENGTHS), "q")
    assert explained.columns["holding_time"] == pytest.approx([10, 20, 30])
    assert explained.value == pytest.approx(0.753902, abs=5e-7)


@given(speed=st.floats(0.01, 1000), overhead=st.floats(0, 1000))
def test_time_from_length_is_that_dwell(speed, overhead):
    run = {"q": {d: -float(i) for i, d in enumerate("abcdef")}}
    seconds = [overhead + words / speed for words in LENGTHS]
    by_length = MPcont(model=GL_AD_ID, times=ByLength(speed=speed, overhead=overhead))
    found = by_length.calc_aggregate({"q": {"a": 1, "c": 1, "d": 1}}, with_lengths(run, LENGTHS))
    dwell = MPcont(model=GL_AD_ID).calc_aggregate({"q": {"a": 1, "c": 1, "d": 1}}, table(run, seconds))
    assert found == pytest.approx(dwell, abs=1e-12)


def test_without_an_overhead_the_speed_changes_no_value(qrels, run):
    texts = [f"MPcont(model=GL_AD_ID,times=by_length({p}))" for p in ("", "speed=2", "speed=2,overhead=5")]
    values = [irmx.parse_measure(t).calc_aggregate(qrels, with_lengths(run, LENGTHS)) for t in texts]
    assert values[0] == pytest.approx(values[1], abs=1e-15)
    assert values[2] != pytest.approx(values[0], abs=1e-3)


@pytest.mark.parametrize(
    ("third", "times", "message"),
    [
        (0.0, "by_length", "the length 0 of query q, document 'c' at rank 3 is not above 0 words"),
        (-1.0, "by_length(overhead=7.8)", "the length -1 of query q, document 'c' at rank 3 is below 0 words"),
        (float("inf"), "by_length", "The run column 'length' must hold finite numbers. Found inf in row 2"),
        (float("nan"), "by_length", "The run column 'length' has no value for query q, document 'c'"),
    ],
)
def test_bad_lengths_are_named(third, times, message, qrels, run):
    measure = irmx.parse_measure(f"MPcont(model=GL_AD_ID,times={times})")
    with pytest.raises(irmx.DataError, match=message):
        measure.calc_aggregate(qrels, with_lengths(run, [1.0, 1.0, third, 1.0, 1.0, 1.0]))


@pytest.mark.parametrize(("speed", "words"), [(1e300, 1e-100), (1e-300, 1e100)])
def test_a_speed_at_which_reading_takes_no_time_or_for_ever_is_refused(speed, words, qrels, run):
    measure = MPcont(model=GL_AD_ID, times=ByLength(speed=speed))
    with pytest.raises(irmx.UsageError, match=r"a speed: the time to read .* words is (0|inf) s"):
        measure.calc_aggregate(qrels, with_lengths(run, [words] * 6))


def test_an_empty_document_takes_the_overhead(qrels, run):
    measure = MPcont(model=GL_AD_ID, times=ByLength(overhead=7.8))
    explained = irmx.explain(measure, qrels, with_lengths(run, [0.0] * 6), "q")
    assert explained.columns["holding_time"] == [7.8] * 3
    assert explained.value == pytest.approx(MP(model=GL_AD_ID).calc_aggregate(qrels, run), abs=1e-15)


def test_the_columns_that_are_read():
    for times, column in (("dwell", ["dwell"]), ("by_length", ["length"]), ("by_rank(seconds=[1])", [])):
        measure = irmx.parse_measure(f"MPcont(model=GL_AD_ID,times={times})")
        assert [c.name for c in measure.run_columns()] == column
