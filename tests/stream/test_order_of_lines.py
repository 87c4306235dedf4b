"""No value depends on the order of the lines of a run or of qrels: updates that nothing else orders stand by their ids."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import irmx
from irmx_stream import Population, Traces, msu, reads_of, simulate, stream_of
from irmx_stream.plugin import irmx_measures

HOUR = 3600.0
USERS = "users=20,MA='2h',SA='1h',MD='9s',SD='9s'"
"""Users who read few of the updates at a visit, so that it matters which come first."""
INTERFACES = ["reverse_chronological", "chronological", "ranked", "push(daily_limit=2)"]
INTERFACES.append("ranked(timed=True,again=True)")
MEASURES = [
    *(text for m in irmx_measures() if m.DOCS_MAY_REPEAT and m.NAME != "MSU" for text in m.EXAMPLES),
    "ELG(duplicates='all')",
    *(f"MSU({USERS},interface={interface})" for interface in INTERFACES),
    *(f"MSU({USERS},per='{per}')" for per in ("second", "update_read", "update_emitted")),
]


def collection(seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Two topics with many equal times and confidences, updates emitted twice, and lengths that no sum rounds."""
    rng = np.random.default_rng(seed)
    topic, update, nugget = (rng.integers(0, n, 24) for n in (2, 6, 4))
    known, words = rng.integers(0, 20, (2, 4)), rng.choice([3.1, 4.7, 6.3], (2, 4))
    begin = rng.choice([0.0, 0.1, 1.3], 24)
    qrels = pd.DataFrame({"query_id": topic, "doc_id": update, "iteration": nugget, "relevance": 1, "importance": nugget,
                          "timestamp": HOUR * known[topic, nugget], "nugget_length": words[topic, nugget],
                          "match_start": begin, "match_end": begin + rng.choice([0.7, 1.1, 2.0], 24), "query_start": 0,
                          "query_end": 48 * HOUR, "length": rng.integers(3, 30, (2, 6))[topic, update],
                          "pooled": rng.integers(0, 2, (2, 6))[topic, update], "replaced": rng.integers(0, 3, 24) // 2,
                          "original_length": rng.choice([np.nan, 25.0], (2, 6))[topic, update]})  # fmt: skip
    run = pd.DataFrame({"query_id": rng.integers(0, 2, 24), "doc_id": rng.integers(0, 8, 24), "score": rng.choice([0.5, 1.0], 24),
                        "timestamp": HOUR * rng.choice([1.0, 2, 9], 24), "length": rng.choice([7, 4, 11], 24)})  # fmt: skip
    texts = {"query_id": str, "doc_id": str}
    return qrels.astype({**texts, "iteration": str}), run.astype(texts)


def values(measure: str, qrels: pd.DataFrame, run: pd.DataFrame) -> dict[str, Any]:
    found = irmx.iter_calc(measure, qrels, run)
    return {m.query_id: (m.value, getattr(m, "standard_error", None)) for m in found}


@pytest.mark.filterwarnings("ignore::irmx.DataWarning")
@pytest.mark.parametrize("measure", MEASURES)
def test_values_do_not_depend_on_the_order_of_lines(measure: str) -> None:
    for seed in range(4):
        tables = collection(seed)
        shuffled = [table.sample(frac=1, random_state=seed) for table in tables]
        assert values(measure, *shuffled) == values(measure, *tables)


def test_of_one_time_and_one_confidence_the_largest_id_is_read_first() -> None:
    """A user with time for one update reads u2; as in the run, the one whose line comes first."""
    updates = {"doc_id": ["u1", "u2"], "timestamp": [10, 10], "length": [8, 8], "score": [1, 1]}
    nuggets = {"doc_id": ["u1", "u2"], "iteration": ["n1", "n2"], "timestamp": [20, 5]}
    traces = Traces(np.array([0, 1]), np.array([15.0]), np.array([8.0]))
    for order in (slice(None), slice(None, None, -1)):
        turned = {name: column[order] for name, column in updates.items()}
        held = [stream_of(turned, nuggets, same_time).nugget[-1] for same_time in ("id", "run")]
        assert held == [0, 1 if turned["doc_id"][0] == "u1" else 0], "n2 is known before n1"
        read = [reads_of(stream_of(turned, nuggets, s), traces, np.ones(1)).nugget.tolist() for s in ("id", "run")]
        assert read == [[n] for n in held]


def test_the_order_of_the_run_is_an_option() -> None:
    held = {"doc_id": ["u1", "u2"], "iteration": ["n1", "n2"], "relevance": 1, "timestamp": 0}
    qrels = pd.DataFrame({"query_id": "q", **held})
    qrels = qrels.assign(query_start=0, query_end=30 * HOUR, importance=3, nugget_length=5, match_start=0, match_end=4)
    run = pd.DataFrame({"query_id": "q", "doc_id": ["u1", "u2"], "score": 1.0, "timestamp": HOUR, "length": [300, 40]})
    turned = run.iloc[::-1]
    assert values("MSU", qrels, run) == values("MSU", qrels, turned) == values("MSU(same_time='run')", qrels, turned)
    assert values("MSU(same_time='run')", qrels, run) != values("MSU", qrels, run)
    both = qrels.assign(iteration="n1", match_end=[4, 30])
    for measure in ("ELG", "TS_Verbosity"):
        assert values(measure, both, run) == values(measure, both, turned)
        assert values(f"{measure}(same_time='run')", both, turned) == values(measure, both, run)
        assert values(f"{measure}(same_time='run')", both, run) != values(measure, both, run)


def test_an_explanation_names_the_right_update_in_both_orders() -> None:
    qrels = pd.DataFrame({"query_id": "q", "doc_id": ["u2"], "iteration": ["n"], "relevance": 1, "timestamp": 0})
    qrels = qrels.assign(query_start=0, query_end=30 * HOUR)
    run = pd.DataFrame({"query_id": "q", "doc_id": ["u1", "u2", "u3"], "score": 1.0, "timestamp": HOUR, "length": 4})
    for same_time in ("id", "run"):
        shown = irmx.explain(f"MSU(same_time='{same_time}')", qrels, run, "q")
        assert shown.columns["doc_id"] == ["u2"]


def test_the_function_does_not_depend_on_the_order_either() -> None:
    users = Population(MA="1h", SA="1h", MD="20s", SD="9s").draw(40)
    traces = simulate(users, "2d")
    count = 60
    updates = pd.DataFrame({"doc_id": [f"u{i}" for i in range(count)], "timestamp": [3600.0 * (i % 3) for i in range(count)], "length": 9})  # fmt: skip
    names = [f"n{i % 7}" for i in range(count)]
    nuggets = pd.DataFrame({"doc_id": updates["doc_id"], "iteration": names, "timestamp": 0.0})
    wanted = msu(updates, nuggets, traces, users.speed, L=0.9)
    shuffled = [t.sample(frac=1, random_state=3) for t in (updates, nuggets)]
    assert msu(*shuffled, traces, users.speed, L=0.9).gains.tolist() == wanted.gains.tolist()
    assert msu(shuffled[0], nuggets, traces, users.speed, L=0.9, same_time="run").value != wanted.value
