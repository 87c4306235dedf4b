"""The standard error of the mean over topics: topics are given, users random and the same for all topics."""

import numpy as np
import pandas as pd
import pytest

import irmx
from irmx_stream import Population, msu, simulate
from irmx_stream.gains import covariance_of, mean_gain


def three_topics() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Two topics with the same stream but for a word, so that their errors go together, and one of another length."""
    rng = np.random.default_rng(8)
    times = np.sort(rng.integers(0, 5 * 86400, 60))
    qrels, run = [], []
    for topic, days in (("a", 5), ("b", 5), ("c", 3)):
        names = [f"u{i}" for i in range(60)]
        qrels.append(pd.DataFrame({"query_id": topic, "doc_id": names, "iteration": names, "relevance": 1,
                                   "timestamp": times - 900, "query_start": 0, "query_end": days * 86400}))  # fmt: skip
        run.append(pd.DataFrame({"query_id": topic, "doc_id": names, "score": 1.0, "timestamp": times,
                                 "length": 40 + (topic == "b")}))  # fmt: skip
    kept = pd.concat(run)
    return pd.concat(qrels), kept[(kept["query_id"] != "c") | (kept["timestamp"] < 3 * 86400)]


@pytest.mark.parametrize("measure", ["MSU(users=100)", "MSU(users=100,per='second')", "MSU(users=100,per='second',ratio='of_means')"])  # fmt: skip
def test_the_mean_over_topics_has_the_error_that_other_users_show(measure: str) -> None:
    qrels, run = three_topics()
    results = [irmx.calc(measure[:-1] + f",seed={seed})", qrels, run) for seed in range(60)]
    means = [value for found in results for value in found.aggregated.values()]
    errors = [fields["standard_error"] for found in results for fields in found.fields.values()]
    assert len(errors) == 60
    assert 0.75 < np.std(means, ddof=1) / np.sqrt(np.mean(np.square(errors))) < 1.3
    apart = [np.sqrt(sum(m.standard_error**2 for m in found.per_query)) / 3 for found in results]
    assert np.mean(apart) < 0.7 * np.mean(errors)  # what users of their own for every topic would have


def test_the_error_of_the_mean_is_that_of_the_users_means() -> None:
    """For one number of users: the standard error of what each gains in the mean over topics, the lacking one with 0."""
    qrels, run = three_topics()
    run = run[run["query_id"] != "b"]
    evaluator = irmx.evaluator("MSU(users=50) MSU(users=1)", qrels)
    results = evaluator.calc(run)
    mean = results.aggregated[irmx.MSU(users=50)]
    users = Population().draw(50)
    gains = []
    for topic, days in (("a", 5), ("c", 3)):
        updates = run[run["query_id"] == topic].to_dict("list")
        known = qrels[qrels["query_id"] == topic].to_dict("list")
        gains.append(msu(updates, known, simulate(users, days * 86400), users.speed).gains)
    of_user = sum(gains) / 3
    assert mean == pytest.approx(of_user.mean())
    error = np.std(of_user, ddof=1) / np.sqrt(50)
    assert results.fields == {irmx.MSU(users=50): {"standard_error": pytest.approx(error)}}


def test_topics_with_different_numbers_of_users_share_the_first_ones() -> None:
    rng = np.random.default_rng(2)
    errors = []
    for _ in range(400):
        common = rng.normal(size=90)
        first, second = mean_gain(common[:30] + rng.normal(size=30)), mean_gain(2 * common + rng.normal(size=90))
        errors.append((first.value, second.value, *covariance_of([first, second])[np.triu_indices(2)]))
    found = np.array(errors)
    truth = np.cov(found[:, 0], found[:, 1])[np.triu_indices(2)]
    assert found[:, 2:].mean(axis=0) == pytest.approx([2 / 30, 2 / 90, 5 / 90], rel=0.06)
    assert truth == pytest.approx([2 / 30, 2 / 90, 5 / 90], rel=0.35)


def test_topics_left_out_of_the_mean_are_left_out_of_its_error() -> None:
    qrels, run = three_topics()
    empty = pd.DataFrame({"query_id": ["d"], "doc_id": ["x"], "relevance": 0, "query_start": 0, "query_end": 432000})
    more = pd.concat([qrels, empty])
    updates = pd.concat([run, run[run["query_id"] == "a"].assign(query_id="d")])
    alone = irmx.calc("MSU(users=50)", qrels, run).fields[irmx.MSU(users=50)]
    without = irmx.calc("MSU(users=50,no_relevant='nan')", more, updates)
    assert list(without.fields.values()) == [alone]
    [with_it] = irmx.calc("MSU(users=50)", more, updates).fields.values()
    assert with_it["standard_error"] == pytest.approx(alone["standard_error"] * 3 / 4)
