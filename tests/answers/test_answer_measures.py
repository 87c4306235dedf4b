"""Measures of answers: worked examples, plain Python on random answers, and cells that are refused."""

import json
import math
import os
import random
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import irmx
from irmx import DataError


def one(measure: str, qrels: Any, run: Any) -> float:
    [value] = irmx.calc_aggregate(measure, qrels, run).values()
    return float(value)


def frame(names: str, *rows: Any) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=names.split())


# -- nuggets and support ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_nugget_recall_is_that_of_plain_python(seed: int) -> None:
    draw = random.Random(seed)
    nuggets, answer = [], []
    for topic in ("p", "q"):
        for n in range(draw.randint(1, 6)):
            nuggets.append((topic, f"n{n}", 1, draw.choice([1.0, 0.5, 0.0])))
            if draw.random() < 0.8:
                answer.append((topic, f"n{n}", -n, draw.choice([1.0, 0.5, 0.0])))
    answer = answer or [("p", "n0", 1, 1.0)]
    qrels = frame("query_id doc_id relevance nugget_importance", *nuggets)
    run = frame("query_id doc_id score assignment", *answer)
    weigh = {"vital": lambda w: float(w == 1), "all": lambda _: 1.0, "weighted": float}
    for of, weight in weigh.items():
        for strict in (False, True):
            expected = []
            for topic in ("p", "q"):
                has = {n: a for t, n, _, a in answer if t == topic}
                weights = {n: weight(w) for t, n, _, w in nuggets if t == topic}
                got = sum(w * (float(has.get(n, 0) == 1) if strict else has.get(n, 0)) for n, w in weights.items())
                expected.append(got / sum(weights.values()) if sum(weights.values()) else 0.0)
            assert one(f"NuggetRecall(of={of},strict={strict})", qrels, run) == pytest.approx(
                sum(expected) / 2, abs=1e-12
            )


def test_what_was_judged_twice_counts_once_and_may_not_contradict_itself() -> None:
    nuggets = [("q", "n1", 1, 1.0), ("q", "n2", 1, 1.0)]
    answer = frame("query_id doc_id score assignment", ("q", "n1", 1, 1.0))
    names = "query_id doc_id relevance nugget_importance"
    assert one("NuggetRecall", frame(names, *nuggets, nuggets[0]), answer) == 0.5
    with pytest.raises(DataError, match="n1"):
        one("NuggetRecall", frame(names, *nuggets, ("q", "n1", 1, 0.5)), answer)
    judged = [("q", "s1", 1, 1.0, 1), ("q", "s1", 1, 0.0, 2)]
    sentences = frame("query_id doc_id score citations", ("q", "s1", 1, 2))
    names = "query_id doc_id relevance support citation"
    assert one("SupportPrecision(citations='all')", frame(names, *judged, judged[0]), sentences) == 0.5
    with pytest.raises(DataError, match="s1"):
        one("SupportPrecision", frame(names, *judged, ("q", "s1", 1, 0.0, 1)), sentences)


def test_support_by_first_citation_by_all_and_strictly() -> None:
    qrels = frame(
        "query_id doc_id relevance support citation",
        ("q", "s1", 1, 0.5, 1),
        ("q", "s2", 1, 0.0, 2),
        ("q", "s2", 1, 1.0, 1),
        ("q", "of another answer", 1, 1.0, 1),
    )
    sentences = [("q", "s1", 4, 1), ("q", "s2", 3, 2), ("q", "s3", 2, 0), ("q", "s4", 1, 1)]
    run = frame("query_id doc_id score citations", *sentences)
    for measure, value in (
        ("SupportPrecision", 0.75),  # s4 cites what was not judged
        ("SupportRecall", 0.5),
        ("SupportPrecision(citations='all')", 0.5),
        ("SupportRecall(citations='all')", 1 / 3),
        ("SupportPrecision(strict=True)", 0.5),
        ("SupportRecall(strict=True)", 1 / 3),
        ("SupportPrecision(unjudged='unsupported')", 0.5),
        ("SupportRecall(unjudged='unsupported')", 1.5 / 4),
    ):
        assert one(measure, qrels, run) == pytest.approx(value, abs=1e-12), measure
    without = run.drop(columns="citations")  # who cites is known by what is judged: s4 then cites nothing
    assert one("SupportRecall", qrels, without) == pytest.approx(1.5 / 4)
    assert one("SupportPrecision", qrels, run[2:]) == 0


def test_a_verdict_asks_what_missing_judgments_would_say(command: Any, tmp_path: Path) -> None:
    draw = random.Random(1)
    judged, passages = [], []
    for topic in map(str, range(20)):
        for s in range(6):
            support, abstention = draw.choice([0.0, 0.5, 1.0]), draw.random()
            judged.append((topic, f"old{s}", 1, support))
            passages.append((topic, f"d{s}", 6 - s, abstention))
            if support:  # what supports nothing was not judged of the new answers
                judged.append((topic, f"new{s}", 1, support))
    frame("query_id doc_id relevance support", *judged).to_csv(tmp_path / "q.csv", index=False)
    for name in ("old", "new"):
        rows = [(topic, f"{name}{s}", 6 - s, 1) for topic in map(str, range(20)) for s in range(6)]
        frame("query_id doc_id score citations", *rows).to_csv(tmp_path / f"{name}.csv", index=False)
    done = command("verdict", "q.csv", "old.csv", "new.csv", "SupportPrecision", cwd=tmp_path)
    assert (done.code, "unsupported" in done.out) == (3, True)
    qrels = frame("query_id doc_id relevance", *((str(topic), "d0", 1) for topic in range(20)))
    run = frame("query_id doc_id score abstention", *passages)
    less = run.assign(abstention=run["abstention"].where(run["doc_id"] == "d0"))
    for name, table in {"uq": qrels, "uold": run, "unew": less}.items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    done = command("verdict", "uq.csv", "uold.csv", "unew.csv", "UDCG", cwd=tmp_path)
    assert (done.code, "worst" in done.out) == (3, True)
    assert one(
        "UDCG(unjudged='worst')",
        {"q": {"a": 1}},
        frame("query_id doc_id score abstention", ("q", "b", 1, None), ("q", "a", 2, 0.1)),
    ) == (pytest.approx(1 / (1 + math.exp(-(0.9 - 1 / 3) / 2))))


@pytest.mark.parametrize(
    ("measure", "qrels", "run"),
    [
        ("SupportRecall", {"support": 2}, {"citations": 1}),
        ("NuggetRecall", {"nugget_importance": 3}, {"assignment": 1}),
        ("NuggetRecall", {"nugget_importance": 1}, {"assignment": 1.5}),
        ("UDCG", {}, {"abstention": 1.2}),
        ("SMeasure(L=10)", {"iteration": "n"}, {"length": -1}),
        ("SMeasure(L=10)", {"iteration": "n", "nugget_importance": -1}, {"length": 1}),
        ("SMeasure(L=10)", {"iteration": "n", "nugget_length": -1}, {"length": 1}),
    ],
)
def test_cells_that_cannot_be_are_refused(measure: str, qrels: dict[str, Any], run: dict[str, Any]) -> None:
    judged = pd.DataFrame([{"query_id": "q", "doc_id": "a", "relevance": 1, **qrels}])
    with pytest.raises(DataError):
        one(measure, judged, pd.DataFrame([{"query_id": "q", "doc_id": "a", "score": 1, **run}]))


# -- readers ---------------------------------------------------------------------------------------------------------


def test_a_passage_without_a_probability_counts_among_those_given() -> None:
    run = frame("query_id doc_id score abstention", ("q", "a", 3, 0.1), ("q", "b", 2, None), ("q", "c", 1, 0.9))
    value = 1 / (1 + math.exp(-(0.9 - 0.1 / 3) / 3))
    assert one("UDCG", {"q": {"a": 1}}, run) == pytest.approx(value, abs=1e-12)
    assert one("UDCG(weight=0.0)@1", {"q": {"a": 1}}, run) == pytest.approx(1 / (1 + math.exp(-0.9)), abs=1e-12)
    assert one("UDCG", {"q": {"a": 1}, "no passage": {"a": 1}}, run) == pytest.approx(value / 2, abs=1e-12)


@pytest.mark.real
def test_the_values_that_the_authors_of_udcg_wrote() -> None:
    path = Path(os.environ["IRMX_DATA"]) / "answers" / "udcg_sample_with_scores.json"
    compared = 0
    for example in json.loads(path.read_text(encoding="utf-8")):
        topic, passages = example["example_id"], example["passages"]
        judged = {topic: {p["doc_id"]: int(p["is_relevant"]) for p in passages}}
        for model, written in example["udcg"].items():
            rows = [(topic, p["doc_id"], -i, p["models_info"][model]["no_res_prob"]) for i, p in enumerate(passages)]
            run = frame("query_id doc_id score abstention", *rows)
            assert one("UDCG(weight=-0.333)", judged, run) == pytest.approx(written, abs=1e-12)
            compared += 1
    assert compared == 3


def plainly(
    sentences: list[tuple[str, float]],
    says: dict[str, set[str]],
    nuggets: dict[str, tuple[float, float]],
    limit: float,
) -> tuple[float, float]:
    """S and T of an answer, read sentence by sentence."""
    read, found = 0.0, dict[str, float]()
    for name, length in sentences:
        read += length
        for nugget in says.get(name, set()):
            found.setdefault(nugget, read)
    gain = sum(nuggets[n][0] * max(0.0, 1 - words / limit) for n, words in found.items())
    ideal, down_to = 0.0, 0.0
    for weight, words in sorted(nuggets.values(), key=lambda one: (-one[0], one[1])):
        down_to += words
        ideal += weight * max(0.0, 1 - down_to / limit)
    best = max(ideal, gain)
    return (gain / best if best else 0.0), (min(1.0, sum(nuggets[n][1] for n in found) / read) if read else 0.0)


@pytest.mark.parametrize("seed", range(8))
def test_a_reader_from_the_start_is_that_of_plain_python(seed: int) -> None:
    draw = random.Random(seed)
    limit = draw.choice([20.0, 60.0, 200.0])
    nuggets = {f"n{i}": (draw.choice([1.0, 0.5]), float(draw.randint(2, 8))) for i in range(draw.randint(1, 5))}
    sentences = [(f"s{i}", float(draw.randint(0, 20))) for i in range(draw.randint(1, 7))]
    says = {name: {n for n in nuggets if draw.random() < 0.3} for name, _ in sentences}
    rows = [("q", name, 1, n, *nuggets[n]) for name, of in says.items() for n in sorted(of)]
    rows += [("q", "s of another", 1, n, *nuggets[n]) for n in nuggets]
    if "n0" not in says["s0"]:
        rows.append(("q", "s0", 0, "n0", *nuggets["n0"]))  # a sentence that was judged not to say it
    draw.shuffle(rows)
    qrels = frame("query_id doc_id relevance iteration nugget_importance nugget_length", *rows)
    run = frame(
        "query_id doc_id score length", *[("q", name, -i, length) for i, (name, length) in enumerate(sentences)]
    )
    run = run.sample(frac=1, random_state=seed)
    s, t = plainly(sentences, says, nuggets, limit)
    assert one(f"SMeasure(L={limit})", qrels, run) == pytest.approx(s, abs=1e-12)
    for beta in (1.0, 10.0):
        f = (1 + beta**2) * t * s / (beta**2 * t + s) if t + s else 0.0
        assert one(f"SSharp(L={limit},beta={beta})", qrels, run) == pytest.approx(f, abs=1e-12)


def test_to_say_a_thing_again_gains_nothing_and_to_say_it_late_gains_less() -> None:
    qrels = frame("query_id doc_id relevance iteration", ("q", "a", 1, "n"), ("q", "b", 1, "n"), ("q", "c", 1, "m"))
    answers = {
        name: frame("query_id doc_id score length", *[("q", doc, -i, 10) for i, doc in enumerate(docs.split())])
        for name, docs in {"short": "a c", "repeating": "a b c", "late": "x y a c", "half": "a"}.items()
    }
    means = irmx.scores("SMeasure(L=100) I_rec", qrels, answers).means()
    assert means.iloc[:, 0].round(3).to_dict() == {"short": 0.85, "repeating": 0.8, "late": 0.65, "half": 0.45}
    assert means["I_rec"].tolist() == [1.0, 1.0, 1.0, 0.5]


def test_a_nugget_has_one_importance_which_some_rows_may_omit() -> None:
    run = frame("query_id doc_id score length", ("q", "a", 2, 10), ("q", "b", 1, 10))
    names = "query_id doc_id relevance iteration nugget_importance"
    omitted = frame(names, ("q", "a", 1, "n", None), ("q", "b", 1, "n", 0.5), ("q", "b", 1, "m", 1.0))
    given = omitted.fillna(0.5)
    assert one("SMeasure(L=100)", omitted, run) == one("SMeasure(L=100)", given, run)
    with pytest.raises(DataError):
        one("SMeasure(L=100)", frame(names, ("q", "a", 1, "n", 1.0), ("q", "b", 1, "n", 0.5)), run)
