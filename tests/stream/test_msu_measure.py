"""The measure MSU, as users meet it: through irmx and ir_measures, from tables and files, with its errors."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import irmx
from irmx_stream import MSU, PUSH, REVERSE_CHRONOLOGICAL, Population, compiled_gains, msu, simulate, stream_of

from . import plain

DAY = 86400


def tables(topics: int = 2, updates: int = 40, seed: int = 4) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Nuggets and updates of a few days, invented."""
    rng = np.random.default_rng(seed)
    q, r = [], []
    for topic in range(topics):
        start = 1_000_000 + topic * 777_777
        names = np.array([f"u{i}" for i in range(updates)])
        times = start + rng.integers(0, 3 * DAY, updates)
        r.append(pd.DataFrame({"query_id": f"t{topic}", "doc_id": names, "score": rng.random(updates), "timestamp": times,
                               "length": rng.integers(5, 60, updates)}))  # fmt: skip
        nugget, known = rng.integers(0, 9, 25), start + rng.integers(-DAY, 2 * DAY, 9)
        held = {"doc_id": names[rng.integers(0, updates, 25)], "iteration": [f"n{i}" for i in nugget]}
        rows = pd.DataFrame({**held, "timestamp": known[nugget]}).drop_duplicates()
        q.append(rows.assign(query_id=f"t{topic}", relevance=1, query_start=start, query_end=start + (3 + topic) * DAY))
    return pd.concat(q, ignore_index=True), pd.concat(r, ignore_index=True)


NUGGETS, UPDATES = tables()


def values(measure: Any = MSU, nuggets: Any = NUGGETS, updates: Any = UPDATES) -> dict[str, float]:
    return {m.query_id: m.value for m in irmx.iter_calc(measure, nuggets, updates)}


def test_is_the_function_on_simulated_traces() -> None:
    measure = MSU(MA="1h", SA="1h", MD="1m", SD="30s", L=0.7, users=200, seed=9)
    users = Population(MA="1h", SA="1h", MD="1m", SD="30s").draw(200, seed=9)
    found = values(measure)
    for topic, updates in UPDATES.groupby("query_id"):
        nuggets = NUGGETS[NUGGETS["query_id"] == topic]
        start, end = nuggets["query_start"].iloc[0], nuggets["query_end"].iloc[0]
        alone = msu(
            updates.assign(timestamp=updates["timestamp"] - start),
            nuggets.assign(timestamp=nuggets["timestamp"] - start),
            simulate(users, end - start, seed=9),
            users.speed,
            L=0.7,
        )
        assert found[str(topic)] == alone.value
        assert alone.value > 0.5


def test_dates_are_taken_for_seconds() -> None:
    nuggets, updates = NUGGETS.copy(), UPDATES.copy()
    for column in ("timestamp", "query_start", "query_end"):
        nuggets[column] = pd.to_datetime(nuggets[column], unit="s")
    updates["timestamp"] = pd.to_datetime(updates["timestamp"], unit="s")
    assert values(MSU, nuggets, updates) == values()


def test_topics_do_not_influence_each_other_and_the_same_seed_gives_the_same_users() -> None:
    alone = {}
    for topic in ("t0", "t1"):
        alone |= values(MSU, NUGGETS[NUGGETS["query_id"] == topic], UPDATES[UPDATES["query_id"] == topic])
    assert alone == values()
    assert values(MSU(seed=1)) != values()
    more, fewer = values(MSU(users=600)), values(MSU(users=300))
    assert more != fewer


def test_standard_error_comes_with_every_value_and_is_what_it_says() -> None:
    found = {m.query_id: m for m in irmx.iter_calc(MSU(users=400), NUGGETS, UPDATES)}
    values_of_seeds = pd.DataFrame([values(MSU(users=400, seed=s)) for s in range(60)])
    for topic, metric in found.items():
        assert metric.users == 400
        assert metric.standard_error == pytest.approx(values_of_seeds[topic].std(), rel=0.35)
    query_id, measure, value = found["t0"]
    assert (query_id, measure, value) == ("t0", MSU(users=400), found["t0"].value)
    assert pickle.loads(pickle.dumps(found["t0"])).standard_error == found["t0"].standard_error


@pytest.mark.parametrize("ratio", ["by_user", "of_means"])
def test_the_standard_error_of_a_ratio_is_what_it_says(ratio: str) -> None:
    """Many users look in so shortly that they read nothing: the two estimates differ."""
    hasty = {"MD": "8s", "SD": "8s", "MA": "9h", "SA": "9h", "users": 300, "per": "second", "ratio": ratio}
    found = {m.query_id: m for m in irmx.iter_calc(MSU(**hasty), NUGGETS, UPDATES)}
    values_of_seeds = pd.DataFrame([values(MSU(**hasty, seed=s)) for s in range(60)])
    other = values(MSU(**{**hasty, "ratio": "of_means" if ratio == "by_user" else "by_user"}))
    for topic, metric in found.items():
        assert metric.standard_error == pytest.approx(values_of_seeds[topic].std(), rel=0.35)
        assert metric.value != other[topic]


@pytest.mark.parametrize("ratio", ["by_user", "of_means"])
@pytest.mark.parametrize("per", ["second", "update_read", "update_emitted"])
def test_numpy_and_the_compiled_way_give_the_same_ratios(monkeypatch: Any, per: str, ratio: str) -> None:
    found = []
    for way in (False, True):
        monkeypatch.setattr(compiled_gains, "in_use", lambda work, way=way: way)
        metrics = irmx.iter_calc(MSU(per=per, ratio=ratio, late="at", users=300), NUGGETS, UPDATES)
        found.append([(m.query_id, m.value, m.standard_error) for m in metrics])
    assert found[0] == found[1]
    assert all(value > 0 for _, value, _ in found[0])


def test_users_auto_goes_on_until_the_precision() -> None:
    for metric in irmx.iter_calc(MSU(users="auto", precision=0.01), NUGGETS, UPDATES):
        assert metric.standard_error <= 0.01
        assert metric.users in (2000, 4000, 8000, 16000)
        same = {m.query_id: m.value for m in irmx.iter_calc(MSU(users=int(metric.users)), NUGGETS, UPDATES)}
        assert same[metric.query_id] == pytest.approx(metric.value, rel=1e-12)


def test_a_precision_out_of_reach_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from irmx_stream import simulated_users

    monkeypatch.setattr(simulated_users, "MOST_USERS", 2000)
    with pytest.warns(irmx.DataWarning, match=r"2 of 2 values did not reach the precision 1e-05 with 2,000 users"):
        [first, *_] = irmx.iter_calc(MSU(users="auto", precision=1e-5), NUGGETS, UPDATES)
    assert first.users == 2000


def test_sobol_points_lower_the_error() -> None:
    """Of the mean over users; what users do at random in their sessions stays."""
    long = {"MA": "12h", "SA": "24h", "MD": "1m", "SD": "2m", "users": 256}
    spread = {
        s: pd.DataFrame([values(MSU(**long, sampling=s, seed=n)) for n in range(40)]).var().mean()
        for s in ("random", "sobol")
    }
    assert spread["sobol"] < spread["random"]


def test_settings_of_one_sweep_are_the_values_of_each_alone() -> None:
    rankings = irmx.rankings(NUGGETS, UPDATES)
    settings = [MSU(L=loss, per=per) for loss in (0.0, 0.5, 1.0) for per in (None, "second", "update_read")]
    settings += [MSU(L=loss, late="at") for loss in (0.1, 0.5)]
    settings += [MSU(per=per, ratio="of_means") for per in ("second", "update_emitted")]
    [of_run] = MSU.score_prepared([MSU.prepare(rankings)], settings)
    for setting, scores in zip(settings, of_run, strict=True):
        assert scores.values.tolist() == setting.score(rankings).values.tolist()


def test_nuggets_known_when_the_window_starts_lose_more_with_late_at() -> None:
    """The first session starts at the start of the window: with ``'at'`` it makes such nuggets late by one."""
    early = NUGGETS.assign(timestamp=NUGGETS["query_start"])
    half = {topic: pytest.approx(value / 2) for topic, value in values(MSU(L=0.5), early).items()}
    assert values(MSU(late="at", L=0.5), early) == half
    assert values(MSU(late="at", L=1), early) == values(MSU(L=1), early)
    never_at_a_start = NUGGETS.assign(timestamp=NUGGETS["timestamp"] + 0.5)
    assert values(MSU(late="at"), never_at_a_start) == values(MSU, never_at_a_start)


def test_what_is_prepared_depends_on_the_smallest_grade_that_counts() -> None:
    graded = NUGGETS.assign(relevance=[0, 1] * (len(NUGGETS) // 2) + [1] * (len(NUGGETS) % 2))
    found = [values(MSU(rel=rel), graded)["t0"] for rel in (0, 1, 2)]
    assert found == sorted(found, reverse=True)
    assert found[0] > found[1] > found[2] == 0
    assert len({MSU(rel=rel).preparation() for rel in (0, 1, 2)}) == 3


def test_contributions_add_up_to_the_value() -> None:
    of_means = MSU(per="second", ratio="of_means", late="at")
    for measure in (MSU, MSU(L=0.9, users=300), MSU(per="second"), of_means, MSU(per="update_emitted", users=50)):
        explained = irmx.explain(measure, NUGGETS, UPDATES, "t1")
        table = explained.frame()
        assert table["contribution"].sum() == pytest.approx(explained.value, rel=1e-9)
        assert explained.value == values(measure)["t1"]
        assert explained.fields["standard_error"] > 0
        assert (table["read_by"] <= 1).all()
        holds = set(zip(NUGGETS["doc_id"], NUGGETS["iteration"], strict=True))
        assert set(zip(table["doc_id"], table["nugget"], strict=True)) <= holds
        emitted = UPDATES[UPDATES["query_id"] == "t1"].set_index("doc_id")["timestamp"]
        start = NUGGETS[NUGGETS["query_id"] == "t1"]["query_start"].iloc[0]
        assert [emitted[d] for d in table["doc_id"]] == pytest.approx(list(table["emitted_h"] * 3600 + start))
        known = NUGGETS[NUGGETS["query_id"] == "t1"].drop_duplicates("iteration").set_index("iteration")["timestamp"]
        assert [known[n] for n in table["nugget"]] == pytest.approx(list(table["known_h"] * 3600 + start))


def test_who_reads_a_nugget_and_how_late() -> None:
    """Of one nugget in one update alone a reader gains 2^-a, where a is by how many sessions it is late."""
    updates = {"doc_id": ["u1", "u2", "u3"], "timestamp": [3600, 90000, 200000], "length": [24.5, 40.5, 300.5]}
    nuggets = {"doc_id": ["u1", "u2", "u3"], "iteration": ["n1", "n2", "n3"], "timestamp": [0, 100, 150000]}
    asked = pd.DataFrame(nuggets).assign(query_id="q", relevance=1, query_start=0, query_end=3 * DAY)
    run = pd.DataFrame(updates).assign(query_id="q", score=1.0)
    table = irmx.explain(MSU(users=300), asked, run, "q").frame().set_index("nugget")
    users = Population().draw(300)
    traces = simulate(users, 3.0 * DAY)
    for i, nugget in enumerate(nuggets["iteration"]):
        row, alone = table.loc[nugget], {name: column[i : i + 1] for name, column in nuggets.items()}
        gains = msu(updates, alone, traces, users.speed).gains
        assert (row.words, row.read_by) == (updates["length"][i], np.mean(gains > 0))
        assert row.sessions_late == pytest.approx(-np.log2(gains[gains > 0]).mean())
        assert row.contribution == pytest.approx(gains.mean())


def test_rules_for_what_the_tables_do_not_tell() -> None:
    unknown = UPDATES.drop(columns="length")
    with pytest.warns(irmx.DataWarning, match=r"80 of 80 updates have no length; 30 words are assumed"):
        found = values(MSU, NUGGETS, unknown)
    assert found == values(MSU, NUGGETS, UPDATES.assign(length=30))
    with pytest.warns(irmx.DataWarning, match="50 words are assumed"):
        assert values(MSU(default_length=50), NUGGETS, unknown) == values(MSU, NUGGETS, UPDATES.assign(length=50))
    judged = NUGGETS.assign(length=12)
    with pytest.warns(irmx.DataWarning, match="updates have no length"):
        assert values(MSU, judged, unknown) != found
    of_all = NUGGETS.drop_duplicates(["query_id", "doc_id"]).assign(iteration="", relevance=0, timestamp=np.nan)
    rest = UPDATES[["query_id", "doc_id"]].assign(iteration="", relevance=0, query_start=np.nan, query_end=np.nan)
    told = pd.concat([NUGGETS, of_all, rest], ignore_index=True).assign(length=200)
    one = UPDATES.assign(length=1)
    with pytest.warns(irmx.DataWarning, match="80 of 80 updates have another length than in the qrels"):
        assert values(MSU, told, one) == values(MSU, NUGGETS, UPDATES.assign(length=200))
    late = UPDATES.assign(timestamp=UPDATES["timestamp"].astype(float))
    late.loc[0, "timestamp"] = np.nan
    with pytest.raises(irmx.DataError, match="'timestamp' has no value for query t0, document 'u0'"):
        values(MSU, NUGGETS, late)
    outside = UPDATES.copy()
    outside.loc[3, "timestamp"] = 0
    outside.loc[4, "timestamp"] = 10**9
    told = r"2 of 80 .* outside .* 1 before its start.* 1 after its end, which are left out"
    for measure in (MSU, MSU(interface=PUSH), MSU(per="update_emitted")):
        with pytest.warns(irmx.DataWarning, match=told):
            found = values(measure, NUGGETS, outside)
        with pytest.warns(irmx.DataWarning, match="1 of 79 .* outside"):
            assert found == values(measure, NUGGETS, outside.drop(index=4))


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        ([0, 1, 2, 0], ["0", "1", "2"]),
        ([0.0, 1, None, 0], ["0", "1"]),
        (["0", "1", "", "0"], ["0", "1"]),
        (pd.array([0, 1, None, 0], "Int64"), ["0", "1"]),
    ],
)
def test_nuggets_may_be_numbered_and_rows_may_name_none(labels: Any, names: list[str]) -> None:
    docs = ["u1", "u2", "u3", "u4"]
    nuggets = pd.DataFrame({"query_id": "t", "doc_id": docs, "iteration": labels, "relevance": 1, "timestamp": 9.0})
    nuggets = nuggets.assign(query_start=0, query_end=DAY)
    updates = pd.DataFrame(
        {"query_id": "t", "doc_id": docs, "score": 1.0, "timestamp": [10, 20, 30, 40], "length": 0.01}
    )
    holders = dict(zip(names, ["u4", "u2", "u3"], strict=False))
    shown = irmx.explain(MSU(users=50, L=1), nuggets, updates, "t")
    assert dict(zip(shown.columns["nugget"], shown.columns["doc_id"], strict=True)) == holders
    assert sum(shown.columns["contribution"]) == pytest.approx(shown.value, rel=1e-12)
    assert shown.value > 0.9 * len(holders)


@pytest.mark.parametrize(
    ("column", "kept", "setting"), [("pooled", 1, {"duplicates": "pool"}), ("replaced", 0, {"copies": "original"})]
)
def test_near_duplicates_that_the_pool_does_not_name_and_their_own_nuggets_can_be_left_out(
    column: str, kept: int, setting: Any
) -> None:
    nuggets = NUGGETS.assign(**{column: np.arange(len(NUGGETS)) % 2})
    assert values(MSU, nuggets, UPDATES) == values()
    assert values(MSU(**setting), nuggets, UPDATES) == values(MSU, nuggets[nuggets[column] == kept], UPDATES)
    assert MSU(**setting).preparation() != MSU.preparation()


def test_nuggets_that_nobody_emits_and_updates_without_nuggets_count_nothing() -> None:
    declared = pd.DataFrame([{**NUGGETS.iloc[0], "doc_id": "", "iteration": "unseen", "relevance": 0}])
    judged = pd.DataFrame([{**NUGGETS.iloc[0], "doc_id": "u39", "iteration": "", "relevance": 0}])
    more = pd.concat([NUGGETS, declared, judged.assign(timestamp=np.nan)], ignore_index=True)
    assert values(MSU, more, UPDATES) == values()


def test_topics_the_run_lacks_have_zero_and_empty_streams_too() -> None:
    assert values(MSU, NUGGETS, UPDATES[UPDATES["query_id"] == "t0"])["t1"] == 0
    strangers = UPDATES.assign(doc_id="x" + UPDATES["doc_id"])
    assert values(MSU, NUGGETS, strangers) == {"t0": 0, "t1": 0}


@pytest.mark.parametrize(
    ("nuggets", "updates", "said"),
    [
        (NUGGETS.drop(columns="query_start"), UPDATES, "qrels column 'query_start'.* is missing.*tst:FOLDER"),
        (NUGGETS, UPDATES.assign(length=-5), "length of the update 'u0' of query t0 is -5; a length must be above 0"),
        (NUGGETS, UPDATES.assign(length=0), "length of the update 'u0' of query t0 is 0; a length must be above 0"),
        (NUGGETS, UPDATES.assign(length=UPDATES["length"].where(UPDATES.index > 2)), "3 of 80 updates have no length.*'u0'"),
        (NUGGETS.assign(query_end=5), UPDATES, "window of query t0 ends before it starts"),
        (NUGGETS.assign(timestamp=range(len(NUGGETS))), UPDATES, "'timestamp' has two values for the nugget 'n[0-9]' of"),
        (NUGGETS.assign(timestamp=np.nan), UPDATES, "'timestamp' has no value for the nugget 'n[0-9]' of query t0"),
        (NUGGETS, UPDATES.assign(length="many"), "'length' must hold numbers. Found 'many'"),
        (NUGGETS.assign(length=NUGGETS.index + 1), UPDATES.drop(columns="length"), "'length' has two lengths of the update"),
        (NUGGETS.assign(query_end=NUGGETS.index + 9_000_000), UPDATES, "must have one value for query t0"),
    ],
)  # fmt: skip
def test_bad_tables(nuggets: pd.DataFrame, updates: pd.DataFrame, said: str) -> None:
    with pytest.raises(irmx.DataError, match=said):
        values(MSU, nuggets, updates)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("MSU(MA='3 parsecs')", "'parsecs' is not a unit of time"),
        ("MSU(MD='-2m')", "more than 0s. Got '-2m' instead"),
        ("MSU(users=1000000000)", r"'users' parameter of MSU must be an int in the range \[1, 1.024e\+06\]"),
        ("MSU(ratio='of_means')", "needs per='second'"),
        ("MSU(precision=0.1)", "needs users='auto'"),
        ("MSU(MA='1s',SA='20d')", "SA"),
    ],
)
def test_parameters_reject_what_they_should(text: str, said: str) -> None:
    with pytest.raises(irmx.UsageError, match=said):
        irmx.parse_measure(text)


def test_expressions_are_canonical() -> None:
    assert str(irmx.parse_measure("MSU(MA=10800, SA='90m', MD='120s', SD='1m', L=0.5)")) == "MSU"
    measure = MSU(MA="360m", users="auto", precision=0.5, interface=REVERSE_CHRONOLOGICAL, seed=3)
    assert str(measure) == "MSU(MA='6h',users='auto',precision=0.5,seed=3)"
    assert irmx.parse_measure(str(measure)) == measure
    assert str(MSU(users="auto", precision=0.01)) == "MSU(users='auto')"
    assert pickle.loads(pickle.dumps(measure)) == measure


def test_the_command(tmp_path: Path, command: Any) -> None:
    NUGGETS.to_csv(tmp_path / "q.csv", index=False)
    UPDATES.drop(columns="length").to_csv(tmp_path / "r.csv", index=False)
    done = command("eval", "q.csv", "r.csv", "MSU(MA='6h')", "MSU", "-q", "-o", "jsonl")
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert [(r["query_id"], r["measure"]) for r in rows[:2]] == [("t0", "MSU(MA='6h')"), ("t0", "MSU")]
    assert all(r["standard_error"] > 0 and r["users"] == 1000 for r in rows if r["query_id"] != "all")
    assert done.err.count("80 of 80 updates have no length") == 1
    shown = command("explain", "q.csv", "r.csv", "MSU", "-t", "t0").out
    assert "standard_error 0.0" in shown
    assert "sessions_late" in shown
    described = command("measures", "MSU").out
    assert "- **MA:** mean time away between two sessions" in described
    assert "  a duration (seconds, or a text such as" in described


@pytest.mark.parametrize("measure", ["MSU", "LC", "ELG", "TS_Latency"])
def test_times_of_another_unit_or_origin_are_refused(measure: str) -> None:
    nuggets = NUGGETS.assign(importance=1, nugget_length=5, match_start=0, match_end=2)
    for wrong in (UPDATES["timestamp"] * 1000, UPDATES["timestamp"] - 10**9):
        with pytest.raises(irmx.DataError, match=r"within a year of its topic's nuggets.*with the same origin"):
            values(measure, nuggets, UPDATES.assign(timestamp=wrong))
    assert sum(values(measure, nuggets, UPDATES).values()) > 0


@pytest.mark.parametrize("measure", ["MSU", "MSU_Pain", "LC", "ELG", "TS_Latency"])
def test_milliseconds_since_1970_are_refused_in_every_column(measure: str, tmp_path: Path, command: Any) -> None:
    origin = 1_700_000_000
    times = ["timestamp", "query_start", "query_end"]
    nuggets = NUGGETS.assign(importance=1, nugget_length=5, match_start=0, match_end=2)
    nuggets[times] += origin
    updates = UPDATES.assign(timestamp=UPDATES["timestamp"] + origin)
    assert sum(values(measure, nuggets, updates).values()) > 0
    in_ms = {"timestamp": updates["timestamp"] * 1000}
    wrong = [(nuggets, updates.assign(**in_ms)), (nuggets.assign(timestamp=nuggets["timestamp"] * 1000), updates)]
    wrong.append((nuggets.assign(**{name: nuggets[name] * 1000 for name in times}), updates.assign(**in_ms)))
    wrong += [(nuggets.assign(**{name: nuggets[name] * 1000}), updates) for name in times[1:] if "MSU" in measure]
    for qrels, run in wrong:
        with pytest.raises(irmx.DataError, match="milliseconds"):
            values(measure, qrels, run)
    wrong[1][0].to_csv(tmp_path / "q.csv", index=False)
    updates.to_csv(tmp_path / "r.csv", index=False)
    command("eval", "q.csv", "r.csv", measure).assert_refused(1, "q.csv, line 2")


def test_the_standard_error_of_ranked_is_of_all_that_is_random() -> None:
    """All updates are listed at the first visit only: what is read depends on nothing but the patience of the users."""
    names = [f"u{i}" for i in range(40)]
    qrels = pd.DataFrame({"query_id": "q", "doc_id": names, "iteration": names, "relevance": 1, "timestamp": 0,
                          "query_start": 0, "query_end": 86400})  # fmt: skip
    run = pd.DataFrame({"query_id": "q", "doc_id": names, "score": range(40), "timestamp": 0, "length": 1})
    measures = [f"MSU(interface=ranked(lookback='1s'),users=200,seed={seed})" for seed in range(60)]
    found = list(irmx.iter_calc(measures, qrels, run))
    spread = np.std([m.value for m in found], ddof=1)
    expected = np.sqrt(np.mean([m.standard_error**2 for m in found]))
    assert 0.75 < spread / expected < 1.3
    fixed = "MSU(interface=ranked(lookback='1s',seed=0),users=200,seed={})"
    assert len({m.value for m in irmx.iter_calc([fixed.format(s) for s in range(5)], qrels, run)}) == 1


@pytest.mark.parametrize("interface", ["reverse_chronological", "chronological"])
def test_pain_is_what_users_read_in_vain(interface: str) -> None:
    asked = f"MA=6h,MD=1m,users=40,seed=3,interface={interface}"
    units = {unit: values(f"MSU_Pain({asked},unit={unit})", NUGGETS, UPDATES) for unit in ("updates", "seconds")}
    users = Population(MA="6h", MD="1m").draw(40, seed=3)
    for topic, found in units["updates"].items():
        nuggets = NUGGETS[NUGGETS["query_id"].astype(str) == topic]
        updates = UPDATES[UPDATES["query_id"].astype(str) == topic]
        start, window = nuggets["query_start"].iloc[0], nuggets["query_end"].iloc[0] - nuggets["query_start"].iloc[0]
        updates, nuggets = (t.assign(timestamp=t["timestamp"] - start) for t in (updates, nuggets))
        stream = stream_of(updates[updates["timestamp"] <= window], nuggets)
        read = getattr(plain, interface)(stream, simulate(users, window, seed=3), users.speed.tolist())
        useful = [plain.useful_reads(user, stream) for user in read]
        assert found == pytest.approx(np.mean([len(u.reads) - len(g) for u, g in zip(read, useful, strict=True)]))
        spent = [
            u.seconds - sum(stream.length[g]) / speed for u, g, speed in zip(read, useful, users.speed, strict=True)
        ]
        assert units["seconds"][topic] == pytest.approx(np.mean(spent))
        assert sum(map(len, useful)) > 0


def test_a_system_that_shows_more_of_nothing_is_worse_by_pain() -> None:
    noise = UPDATES.assign(doc_id="noise-" + UPDATES["doc_id"].astype(str), timestamp=UPDATES["timestamp"] + 60)
    runs = {"clean": UPDATES, "noisy": pd.concat([UPDATES, noise])}
    means = irmx.scores("MSU_Pain(users=50)", NUGGETS, runs).means().iloc[:, 0]
    assert means["clean"] < means["noisy"]
