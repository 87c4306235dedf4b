"""Click logs: counts, chains and holding times, against small logs counted by hand."""

import numpy as np
import pandas as pd
import pytest

import irmx
from irmx_markov import MP, backward_share, holding_times, learn_chain, read_click_log, transition_counts

LOG = pd.DataFrame(
    [
        # session, query, rank, time
        ("s1", "q1", 1, 0.0),
        ("s1", "q1", 3, 10.0),
        ("s1", "q1", 2, 14.0),
        ("s2", "q1", 1, 5.0),
        ("s2", "q1", 3, 11.0),
        ("s3", "q2", 2, 0.0),
        ("s3", "q2", 1, 30.0),
        ("s3", "q2", 1, 31.0),
    ],
    columns=["session", "query_id", "rank", "time"],
)


def test_transition_counts_and_backward_share():
    assert transition_counts(LOG).tolist() == [[1, 0, 2], [1, 0, 0], [0, 1, 0]]
    assert transition_counts(LOG, size=2).tolist() == [[1, 0], [1, 0]]
    assert backward_share(LOG) == 2 / 5


def test_order_of_rows_and_source_do_not_matter(tmp_path):
    path = tmp_path / "log.csv"
    LOG.sample(frac=1, random_state=1).to_csv(path, index=False)
    assert transition_counts(path).tolist() == transition_counts(LOG).tolist()
    assert read_click_log(path)["time"].tolist() == read_click_log(LOG)["time"].tolist()


def test_learned_chain_by_hand():
    """Counts plus 1 off the diagonal: rows (0, 1, 3), (2, 0, 1), (1, 2, 0)."""
    model = learn_chain(LOG, smoothing=1.0)
    expected = np.array([[0, 1 / 4, 3 / 4], [2 / 3, 0, 1 / 3], [1 / 3, 2 / 3, 0]])
    assert model.values == pytest.approx(expected)
    with_loops = learn_chain(LOG, smoothing=0.5, self_loops=True)
    assert with_loops.values[0] == pytest.approx([1.5 / 4.5, 0.5 / 4.5, 2.5 / 4.5])


def test_learned_chain_scores():
    qrels, run = {"q": {"a": 1, "c": 1}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    model = learn_chain(LOG)
    # pi of the chain above is proportional to (22, 24, 29.25): (2/3 b + 1/3 c, 1/4 a + 2/3 c, 3/4 a + 1/3 b)
    a, c = 1.0, None
    p = model.values
    b = (p[0, 1] + p[2, 1] * p[0, 2]) / (1 - p[2, 1] * p[1, 2])
    c = p[0, 2] + b * p[1, 2]
    expected = (a * 1 + c * 2 / 3) / (a + c)
    assert MP(model=model).calc_aggregate(qrels, run) == pytest.approx(expected, abs=1e-12)


def test_without_smoothing_a_chain_may_be_none():
    with pytest.raises(irmx.UsageError, match="No user moves on from rank 3"):
        learn_chain(LOG[LOG["session"] != "s1"], smoothing=0)
    with pytest.raises(irmx.UsageError, match=r"range \[0, inf\)"):
        learn_chain(LOG, smoothing=-1)


def test_holding_times_from_gaps_between_clicks():
    """Rank 1: 10, 6 and 1 s observed; rank 3: 4 s; rank 2: 30 s; last clicks are not observed."""
    found = holding_times(LOG)
    assert found[["rank", "n"]].values.tolist() == [[1, 3]]
    assert found["mean_time"].tolist() == pytest.approx([17 / 3])
    assert found["mu"].tolist() == pytest.approx([(2 / 3) / (17 / 3)])
    assert found["holding_time"].tolist() == pytest.approx([8.5])


def test_holding_times_by_query_with_enough_sessions():
    found = holding_times(LOG, by=["query_id", "rank"], min_clicked_pages=2)
    assert found[["query_id", "rank", "n", "mean_time"]].values.tolist() == [["q1", 1, 2, 8.0]]
    with pytest.raises(irmx.DataError, match="among queries seen so often"):
        holding_times(LOG, min_clicked_pages=3)
    with pytest.raises(irmx.DataError, match=r"lacks the column 'query_sessions'.* 'min_clicked_pages'"):
        holding_times(LOG, min_sessions=2)  # the log has clicks alone
    pd.testing.assert_frame_equal(
        holding_times(LOG.assign(query_sessions=LOG["query_id"].map({"q1": 100}).fillna(99)), min_sessions=100),
        holding_times(LOG[LOG["query_id"] == "q1"]),
    )
    with pytest.raises(irmx.UsageError, match="min_observations"):
        holding_times(LOG, min_observations=1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rank": "first"}, r"row 0 .* the rank must be a whole number in the range \[1, inf\). Got 'first'"),
        ({"rank": 0}, r"row 0 .* the rank .* Got 0 "),
        ({"rank": 1.5}, r"row 0 .* the rank .* Got 1.5 "),
        ({"time": float("nan")}, r"row 0 .* the time is missing"),
        ({"dwell": -2.0}, r"row 0 .* the dwell .* Got -2.0 "),
    ],
)
def test_bad_logs_say_the_row(change, message):
    with pytest.raises(irmx.DataError, match=message):
        read_click_log(LOG.assign(**change))


def test_a_click_that_stands_twice_counts_once():
    """Otherwise a second click on the same rank would follow at once, and gaps of other ranks would appear."""
    for twice in (pd.concat([LOG, LOG], ignore_index=True), LOG.loc[LOG.index.repeat(2)].reset_index(drop=True)):
        with pytest.warns(irmx.DataWarning, match="8 clicks again"):
            pd.testing.assert_frame_equal(holding_times(twice), holding_times(LOG))
        with pytest.warns(irmx.DataWarning):
            assert transition_counts(twice).tolist() == transition_counts(LOG).tolist()
    pages = LOG.assign(session="s", time=0.0, rank=1, query_id=[f"q{i}" for i in range(len(LOG))])
    assert len(read_click_log(pages)) == len(LOG)


def test_times_in_milliseconds_since_1970_are_refused(tmp_path, command):
    seconds = LOG.assign(time=LOG["time"] + 1.7e9)
    pd.testing.assert_frame_equal(holding_times(seconds), holding_times(LOG))
    path = tmp_path / "log.csv"
    seconds.assign(time=seconds["time"] * 1000).to_csv(path, index=False)
    with pytest.raises(irmx.DataError, match=r"1700000031000, .* 1000"):
        read_click_log(path)
    command("markov", "holding-times", path).assert_refused(1)
    assert read_click_log(path, unit=0.001)["time"].tolist() == read_click_log(seconds)["time"].tolist()


def test_missing_columns_and_files(tmp_path):
    with pytest.raises(irmx.DataError, match="lacks the column 'session'"):
        read_click_log(LOG.drop(columns="session"))
    with pytest.raises(irmx.DataError, match="no click log"):
        read_click_log(tmp_path / "gone.csv")
    with pytest.raises(irmx.DataError, match="no move"):
        backward_share(LOG.drop_duplicates("session"))
    with pytest.raises(irmx.DataError, match="has no clicks"):
        transition_counts(LOG.iloc[:0])
