"""Scores for recorded users: those of a simulation, when the log is one; and the streams of topics."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import irmx
from irmx import DataError, DataWarning, UsageError
from irmx_stream import (
    MSU,
    Population,
    fit_population,
    msu,
    read_traces,
    reading_of,
    score_recorded,
    simulate,
    topic_streams,
    traces_for,
)

DAY = 86400
WINDOWS = {"a": (1_000_000, 3 * DAY), "b": (2_000_000, 2 * DAY)}
USERS = 40


@pytest.fixture(scope="module")
def collection() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Two topics whose windows do not overlap."""
    rng = np.random.default_rng(3)
    qrels, run = [], []
    for topic, (start, window) in WINDOWS.items():
        names = [f"u{i}" for i in range(50)]
        times = start + np.sort(rng.integers(0, window, 50))
        qrels.append(pd.DataFrame({"query_id": topic, "doc_id": names[::2], "iteration": names[::2], "relevance": 1,
                                   "timestamp": times[::2] - 600, "query_start": start, "query_end": start + window}))  # fmt: skip
        run.append(pd.DataFrame({"query_id": topic, "doc_id": names, "score": rng.integers(0, 3, 50), "timestamp": times,
                                 "length": rng.integers(5, 90, 50)}))  # fmt: skip
    return pd.concat(qrels), pd.concat(run)


@pytest.fixture(scope="module")
def log() -> pd.DataFrame:
    """The visits of simulated users in both windows, as if they had been recorded."""
    users = Population().draw(USERS)
    visits = []
    for start, window in WINDOWS.values():
        traces = simulate(users, window)
        visits.append(pd.DataFrame({"user": traces.user, "start": start + traces.start, "duration": traces.duration,
                                    "speed": users.speed[traces.user]}))  # fmt: skip
    return pd.concat(visits)


@pytest.mark.parametrize(
    "options",
    ["", "L=0.9", "per='second'", "per='update_read',ratio='of_means'", "interface=chronological", "interface=push", "late='at'"],
)  # fmt: skip
def test_a_log_of_simulated_users_scores_as_they_do(collection: Any, log: pd.DataFrame, options: str) -> None:
    recorded = score_recorded(f"MSU({options})", *collection, read_traces(log))
    simulated = irmx.calc(f"MSU({options}{',' * bool(options)}users={USERS})", *collection)
    for found, wanted in zip(recorded.per_query, simulated.per_query, strict=True):
        assert found.value == pytest.approx(wanted.value, rel=1e-9)
        assert found.standard_error == pytest.approx(wanted.standard_error, rel=1e-9)
        assert found.users == USERS
    assert list(recorded.aggregated.values()) == pytest.approx(list(simulated.aggregated.values()))
    [found], [wanted] = recorded.fields.values(), simulated.fields.values()
    assert found == pytest.approx(wanted)


def test_the_stream_of_a_topic_is_what_msu_takes(collection: Any, log: pd.DataFrame) -> None:
    recorded = read_traces(log)
    topics = topic_streams(*collection)
    windows = {t: (t, s, s + w) for t, (s, w) in WINDOWS.items()}
    assert {t: (s.query_id, s.start, s.end) for t, s in topics.items()} == windows
    found = score_recorded(MSU, *collection, recorded)
    for metric in found.per_query:
        topic = topics[metric.query_id]
        by_hand = msu(topic.stream, None, traces_for(recorded, topic.start, topic.end), recorded.speeds)
        assert by_hand.value == metric.value
    with pytest.warns(DataWarning, match="7 words are assumed"):
        short = topic_streams(collection[0], collection[1].drop(columns="length"), "MSU(default_length=7)")
    assert set(short["a"].stream.length.tolist()) == {7.0}


def test_a_speed_for_all_and_a_topic_that_the_run_lacks(collection: Any, log: pd.DataFrame) -> None:
    qrels, run = collection
    recorded = read_traces(log.drop(columns="speed"))
    with pytest.raises(UsageError, match=r"column 'speed', or set one speed for all, .* is 4\.25"):
        score_recorded("MSU", qrels, run, recorded)
    slow, quick = (score_recorded("MSU(L=1)", qrels, run, recorded, speed).aggregated[MSU(L=1)] for speed in (0.5, 50))
    assert 0 < slow < quick
    both = score_recorded("MSU", qrels, run, recorded, 4.0)
    with pytest.warns(DataWarning, match=r"1 of 2 topics \(b\)"):
        one = score_recorded("MSU", qrels, run[run["query_id"] == "a"], recorded, 4.0)
    assert one.aggregated[MSU] == both.per_query[0].value / 2
    assert one.per_query[1].value == 0


def test_windows_without_visits_are_told(collection: Any, log: pd.DataFrame) -> None:
    early = log[log["start"] < 2_000_000]
    with pytest.warns(
        DataWarning, match=r"1 of 2 topics has no recorded session .* from 2000000 to 2172800, of topic b"
    ):
        found = score_recorded("MSU", *collection, read_traces(early))
    assert found.per_query[1].value == 0
    with pytest.warns(DataWarning) as told:
        one = score_recorded("MSU", collection[0], collection[1].query("query_id == 'a'"), read_traces(early))
    assert [one.value for one in one.per_query] == [one.value for one in found.per_query]
    assert sum("topic b" in str(warning.message) for warning in told) == 1, "the window of a topic that the run lacks"
    with pytest.raises(DataError, match=r"No recorded session lies within the time window of any topic"):
        score_recorded("MSU", *collection, read_traces(log.assign(start=log["start"] + 9e8)))


@pytest.mark.parametrize(
    ("measure", "said"),
    [("MSU(MA='6h')", r"The parameter 'MA' of MSU.* describes simulated users"), ("MSU(users=7)", "'users'"), ("LC", r"can be scored with MSU only\. Got LC")],
)  # fmt: skip
def test_what_does_not_go_with_recorded_users(collection: Any, log: pd.DataFrame, measure: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        score_recorded(measure, *collection, read_traces(log))


def test_the_command(collection: Any, log: pd.DataFrame, tmp_path: Path, command: Any) -> None:
    for name, table in (("qrels", collection[0]), ("run", collection[1]), ("log", log)):
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    files = tmp_path / "qrels.csv", tmp_path / "run.csv", "--users", tmp_path / "log.csv"
    done = command("stream", "score", *files, "MSU", "MSU(L=1)", "-q")
    found = score_recorded(["MSU", "MSU(L=1)"], *collection, read_traces(log))
    wanted = [(m.query_id, str(m.measure), m.value, m.standard_error) for m in found.per_query]
    wanted += [("all", str(m), v, found.fields[m]["standard_error"]) for m, v in found.aggregated.items()]
    lines = [f"{q}\t{m}\t{v:.4f}\t{e:.4f}" for q, m, v, e in wanted]
    assert (done.code, done.out.splitlines()) == (0, ["query_id\tmeasure\tvalue\tstandard_error", *lines])
    assert command("stream", "score", *files).out.splitlines()[1:] == [lines[4]]
    assert float(command("stream", "score", *files, "-p", "-1").out.split("\t")[-1]) == wanted[4][3]
    (tmp_path / "log.csv").write_text(log.drop(columns="speed").to_csv(index=False))
    for more, says in (((), "a column 'speed'"), (("--speed", "0"), "--speed must be a number of words per second")):
        command("stream", "score", *files, *more).assert_refused(2, says)
    assert command("stream", "score", *files, "--speed", "4.25").code == 0


def test_a_speed_for_all_replaces_a_column_with_gaps(
    collection: Any, log: pd.DataFrame, tmp_path: Path, command: Any
) -> None:
    gaps = log.reset_index(drop=True)
    gaps.loc[[3, 5], "speed"] = np.nan
    recorded = read_traces(gaps)
    found = score_recorded("MSU", *collection, recorded, speed=4.25)
    assert found.per_query == score_recorded("MSU", *collection, read_traces(log.drop(columns="speed")), 4.25).per_query
    said = r"row 3 \(counted from 0\): the session has no speed. Add one to every session, or set one speed for all"
    with pytest.raises(DataError, match=said):
        score_recorded("MSU", *collection, recorded)
    with pytest.raises(DataError, match=said):
        fit_population(recorded)
    for name, table in (("qrels", collection[0]), ("run", collection[1]), ("log", gaps)):
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    score = ("stream", "score", "qrels.csv", "run.csv", "--users", "log.csv")
    assert command(*score, "--speed", "4.25").code == 0
    command(*score).assert_refused(1, "log.csv, line 5: the session has no speed.")
    with pytest.raises(DataError, match=r"row 4 .* the speed must be .* Got 'slow'"):
        read_traces(gaps.astype({"speed": object}).assign(speed=[None, 1, None, 2, "slow", *[1] * (len(gaps) - 5)]))


def test_one_user_has_a_value_without_a_standard_error(
    collection: Any, log: pd.DataFrame, tmp_path: Path, command: Any
) -> None:
    for name, table in (("qrels", collection[0]), ("run", collection[1]), ("log", log[log["user"] == 0])):
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    done = command("stream", "score", "qrels.csv", "run.csv", "--users", "log.csv", "-q")
    lines = [line.split("\t") for line in done.out.splitlines()]
    assert (done.code, [len(line) for line in lines]) == (0, [4] * 4)
    assert [line[3] for line in lines] == ["standard_error", "nan", "nan", "nan"]


def test_one_session_is_not_several(collection: Any) -> None:
    log = pd.DataFrame({"user": ["ann"], "start": [5], "duration": [9], "speed": [4]})
    with pytest.raises(DataError, match=r"; the one session of the log starts at 5: are both"):
        score_recorded("MSU", *collection, read_traces(log))


@pytest.mark.parametrize("measure", ["MSU", "MSU(L=0.9,interface=chronological)"])
def test_the_readings_of_users_add_up_to_the_utility(collection: Any, log: pd.DataFrame, measure: str) -> None:
    qrels, run = collection
    recorded = read_traces(log)
    values = {m.query_id: m.value for m in score_recorded(measure, qrels, run, recorded).per_query}
    for topic, (start, _) in WINDOWS.items():
        readings = [reading_of(user, topic, qrels, run, recorded, measure) for user in recorded.users]
        assert np.mean([of_user["gain"].sum() for of_user in readings]) == pytest.approx(values[topic])
        emitted = run[run["query_id"] == topic].set_index("doc_id")
        held = qrels[qrels["query_id"] == topic].set_index("iteration")
        for of_user in readings:
            assert (of_user["start_h"] >= of_user["emitted_h"]).all()
            assert of_user["session"].is_monotonic_increasing
            assert of_user["nugget"].is_unique
            for row in of_user.itertuples():
                assert row.doc_id == row.nugget  # each nugget of this collection has the name of its update
                assert row.emitted_h * 3600 + start == pytest.approx(emitted.loc[row.doc_id, "timestamp"])
                assert row.known_h * 3600 + start == pytest.approx(held.loc[row.nugget, "timestamp"])
                assert row.words == emitted.loc[row.doc_id, "length"]


def test_the_commands_show_a_reading_and_fit_users(
    collection: Any, log: pd.DataFrame, tmp_path: Path, command: Callable[..., Any]
) -> None:
    for name, frame in zip(("qrels", "run", "visits"), (*collection, log), strict=True):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    asked = ("qrels.csv", "run.csv", "--users", "visits.csv", "-t", "a")
    done = command("stream", "reading", *asked, "--user", "3", "-o", "jsonl", "-p", "-1")
    recorded = read_traces(log)
    [three] = [user for user in recorded.users if user == "3"]
    expected = reading_of(three, "a", *collection, recorded)
    assert [json.loads(line)["gain"] for line in done.out.splitlines()] == expected["gain"].tolist()
    command("stream", "reading", *asked, "--user", "zoe").assert_refused(2, "zoe")
    command("stream", "reading", *asked, "--user", "3", "--speed", "0").assert_refused(2, "--speed")
    command("stream", "reading", *asked[:-1], "c", "--user", "3").assert_refused(2, "'c'")
    log.assign(start=log["start"] + 1e9).to_csv("late.csv", index=False)
    late = ("qrels.csv", "run.csv", "--users", "late.csv", "-t", "a", "--user", "3")
    command("stream", "reading", *late).assert_refused(1, "same origin")
    command("stream", "fit", "visits.csv", "--end", "1e400").assert_refused(2, "finite")
    done = command("stream", "fit", "visits.csv", "-o", "jsonl", "-p", "-1")
    rows = {row["parameter"]: row for row in map(json.loads, done.out.splitlines())}
    fit = fit_population(recorded)
    assert {name: (row["low"], row["high"]) for name, row in rows.items()} == fit.intervals
    assert rows["MA"]["value"] == fit.population.MA
    assert "MSU(MA=" in done.err


def test_recorded_users_have_a_utility_and_no_pain(collection: Any, log: pd.DataFrame) -> None:
    with pytest.raises(UsageError):
        score_recorded("MSU_Pain", *collection, read_traces(log))
