"""Results by item of platforms as scores by topic: what each format gives, and what cannot be read."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import irmx
from irmx import DataError, DataWarning, UsageError
from irmx_study import read_per_topic

Write = Callable[..., str]
Values = dict[str, dict[str, dict[str, float]]]
"""The values of a file by system, measure and topic."""


def values_of(source: Any, **how: Any) -> Values:
    values: Values = {}
    for row in read_per_topic(source, **how).frame().itertuples():
        values.setdefault(row.system, {}).setdefault(row.measure, {})[row.query_id] = row.value
    return values


def lines(*records: Any) -> str:
    return "\n".join(map(json.dumps, records)) + "\n"


# -- Inspect -----------------------------------------------------------------------------------------------


def sample(id: Any, epoch: int = 1, **scores: Any) -> dict[str, Any]:
    return {"id": id, "epoch": epoch, "scores": {name: {"value": value} for name, value in scores.items()}}


def log(*samples: Any, model: str = "toy/a", status: str = "success", **more: Any) -> dict[str, Any]:
    return {"version": 2, "status": status, "eval": {"task": "t", "model": model}, "samples": list(samples), **more}


def archive(path: Path, log: dict[str, Any], **members: Any) -> str:
    """Write a log as Inspect writes it to .eval; its members compressed with zstd as Arrow compresses, or as zipfile does."""
    header = {key: value for key, value in log.items() if key not in ("samples", "reductions")}
    files = {"header.json": header, "summaries.json": log["samples"], **members}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as written:
        for name, content in files.items():
            written.writestr(name, json.dumps(content))
    return str(path)


def in_zstd(path: Path, log: dict[str, Any]) -> str:
    """Write a log as an archive by hand, whose members have zstd's method, which zipfile writes since Python 3.14."""
    import struct
    import zlib

    header = {key: value for key, value in log.items() if key != "samples"}
    files = {
        name: json.dumps(of).encode() for name, of in {"header.json": header, "summaries.json": log["samples"]}.items()
    }
    content, directory = b"", b""
    for name, plain in files.items():
        packed = pa.compress(plain, codec="zstd", asbytes=True)
        rest = struct.pack("<HHHHHLLL", 20, 0, 93, 0, 33, zlib.crc32(plain), len(packed), len(plain))
        rest += struct.pack("<HH", len(name), 0)
        directory += (
            b"PK\1\2" + struct.pack("<H", 20) + rest + struct.pack("<HHHLL", 0, 0, 0, 0, len(content)) + name.encode()
        )
        content += b"PK\3\4" + rest + name.encode() + packed
    end = struct.pack("<HHHHLLH", 0, 0, len(files), len(files), len(directory), len(content), 0)
    path.write_bytes(content + directory + b"PK\5\6" + end)
    return str(path)


LOG = log(
    sample("q1", match="C", pr={"precision": 0.5, "recall": 1}, seen=True),
    sample(2, match="P", pr={"precision": 0, "recall": 0.25}, seen=False),
    sample("q3", match="I", pr={"precision": 1, "recall": 1}, seen=True),
    sample("q4", match="N", pr={"precision": 1, "recall": 1}, seen=True),
)
OF_LOG = {
    "match": {"q1": 1, "2": 0.5, "q3": 0, "q4": 0},
    "pr.precision": {"q1": 0.5, "2": 0, "q3": 1, "q4": 1},
    "pr.recall": {"q1": 1, "2": 0.25, "q3": 1, "q4": 1},
    "seen": {"q1": 1, "2": 0, "q3": 1, "q4": 1},
}


@pytest.mark.parametrize("form", ["compact", "indented", "deflated", "zstd", "journal"])
def test_a_log_of_inspect(write: Write, tmp_path: Path, form: str) -> None:
    if form == "journal":  # a log that was not closed
        start = {"version": 2, "eval": LOG["eval"]}
        members = {"_journal/start.json": start, "_journal/summaries/1.json": LOG["samples"]}
        with zipfile.ZipFile(tmp_path / "log.eval", "w") as written:
            for name, content in members.items():
                written.writestr(name, json.dumps(content))
        with pytest.raises(DataError, match="the evaluation did not finish; its status is 'started'"):
            values_of(tmp_path / "log.eval")
        with pytest.warns(DataWarning, match="the evaluation did not finish; its status is 'started'"):
            assert values_of(f"inspect(unfinished=True):{tmp_path / 'log.eval'}") == {"toy/a": OF_LOG}
        return
    path = {
        "compact": lambda: write(LOG),
        "indented": lambda: write(LOG, indent=2),
        "deflated": lambda: archive(tmp_path / "log.eval", LOG),
        "zstd": lambda: in_zstd(tmp_path / "log.eval", LOG),
    }[form]()
    assert values_of(path) == {"toy/a": OF_LOG}
    assert values_of(f"inspect(measure=match):{path}") == {"toy/a": {"match": OF_LOG["match"]}}


def test_epochs_are_averaged_and_what_is_no_number_is_left_out_with_a_warning(write: Write) -> None:
    epochs = log(sample("a", 1, m="C"), sample("a", 2, m="I"), sample("a", 3, m="C"), sample("b", m="C"))
    with pytest.warns(DataWarning, match=r"1 value of 2 averaged over repeats of the same item, 3 of each"):
        assert values_of(write(epochs)) == {"toy/a": {"m": {"a": 2 / 3, "b": 1}}}
    large = log(*(sample("a", epoch, m=1e308) for epoch in (1, 2)))
    with pytest.warns(DataWarning, match="averaged"), pytest.raises(DataError, match="inf"):
        read_per_topic(write(large))
    odd = log(sample("a", m="C"), sample("b", m=[1, 2]), sample("c", m=None), {"id": "d", "epoch": 1, "scores": None})
    with pytest.warns(DataWarning) as told:
        assert values_of(write(odd)) == {"toy/a": {"m": {"a": 1}}}
    texts = [str(one.message).partition(": ")[2] for one in told]
    assert texts == [
        "1 of 4 samples have no score, failed, are invalidated or lack epochs, and are left out.",
        r"2 of 3 values left out, as no finite numbers: m (2); such as '[1, 2]' for b.",
    ]


def test_a_sample_that_failed_is_left_out_whatever_its_score(write: Write) -> None:
    failed = {**sample("b", m=0), "error": {"message": "out of tokens"}}
    with pytest.warns(DataWarning, match="1 of 2 samples have no score, failed"):
        assert values_of(write(log(sample("a", m="C"), failed))) == {"toy/a": {"m": {"a": 1}}}


@pytest.mark.filterwarnings("ignore::irmx.DataWarning")
def test_an_item_of_which_a_repeat_failed_has_no_value(write: Write, command: Any) -> None:
    def failing(crashes: bool) -> Any:
        failed = {"id": "q0", "epoch": 2, "error": {"message": "boom"}} if crashes else sample("q0", 2, m="I")
        return log(sample("q0", 1, m="C"), failed, *(sample(f"q{i}", m=i % 2) for i in range(1, 12)))

    first, whole, crashed = (write(failing(name == "c"), name) for name in "abc")
    assert "q0" not in values_of(crashed)["toy/a"]["m"]
    for other, code in ((whole, 0), (crashed, 3)):
        asked = ("verdict", "--scores", f"A={first} B={other}", "A", "B", "--claim", "no-worse", "--margin", ".01")
        assert command(*asked).code == code
    crash = {"failureReason": 2, "error": "timeout"}
    same = {"question": 0}
    of_promptfoo = promptfoo(result(0, 0, "a", 1), {**result(1, 0, "a", 0, same), **crash}, result(2, 0, "a", 0.5))
    assert values_of(write(of_promptfoo)) == {"a": {"score": {asks(2): 0.5}}}
    for of_crash in ({"m": None}, {}):
        of_deepeval = {"testCases": [case("a", m=1), case("a", **of_crash), case("b", m=0)]}
        assert values_of(write(of_deepeval)) == {"file.json": {"m": {"b": 0}}}
    with pytest.raises(DataError):
        values_of(write(log(sample("a", 1, m="C"), sample("a", 2, m=None))))


@pytest.mark.filterwarnings("ignore::irmx.DataWarning")
def test_an_item_of_which_a_repeat_lacks_a_measure_has_no_value_of_it(write: Write) -> None:
    whole, lacking = (promptfoo(*(result(i, 0, "a", i % 2, {"q": i // 2}, acc=i % 2) for i in range(4))) for _ in "ab")
    del lacking["results"]["results"][2]["namedScores"]["acc"]
    topics = [json.dumps({"q": i}) for i in range(2)]
    assert values_of(f"promptfoo(measure=acc):{write(whole)}") == {"a": {"acc": dict.fromkeys(topics, 0.5)}}
    path = write(lacking)
    with pytest.warns(DataWarning, match="1 value of 2 left out, as a repeat"):
        assert values_of(f"promptfoo(measure=acc):{path}") == {"a": {"acc": {topics[0]: 0.5}}}
    assert values_of(path) == {"a": {"score": dict.fromkeys(topics, 0.5)}}


@pytest.mark.filterwarnings("ignore::irmx.DataWarning")
def test_an_invalidated_sample_has_no_value(write: Write) -> None:
    invalid = {"invalidation": {"author": "somebody"}}
    some = [sample("a", 1, m="C"), sample("a", 2, m="I") | invalid, sample("b", 1, m="I"), sample("b", 2, m="I")]
    assert values_of(write(log(*some))) == {"toy/a": {"m": {"b": 0}}}
    reduced = [{"scorer": "m", "samples": [{"sample_id": "a", "value": 1}]}]
    with pytest.raises(DataError):
        values_of(write(log(sample("a", m="C") | invalid, reductions=reduced)))
    whole = write(log(*some, invalidated=True))
    with pytest.raises(DataError, match="unfinished=True"):
        values_of(whole)
    assert values_of(f"inspect(unfinished=True):{whole}") == {"toy/a": {"m": {"b": 0}}}


@pytest.mark.parametrize("more", [{}, {"reductions": [{"scorer": "m", "samples": [{"sample_id": "a", "value": 1}]}]}])
def test_an_invalidated_log_that_does_not_say_which_samples_are_is_refused(write: Write, more: Any) -> None:
    one = write(log(*([] if more else [sample("a", m="C"), sample("b", m="I")]), invalidated=True, **more))
    for path in (one, f"inspect(unfinished=True):{one}"):
        with pytest.raises(DataError, match="invalidated"):
            values_of(path)


@pytest.mark.filterwarnings("ignore::irmx.DataWarning")
def test_a_log_that_lacks_samples_is_unfinished_and_an_item_without_all_epochs_has_no_value(write: Write) -> None:
    some = [sample(id, epoch, m=value) for id, epoch, value in (("a", 1, "C"), ("b", 1, "C"), ("b", 2, "I"))]
    path = write(log(*some, results={"total_samples": 6}))
    with pytest.raises(DataError, match=r"3 of 6 samples.*unfinished=True"):
        values_of(path)
    assert values_of(f"inspect(unfinished=True):{path}") == {"toy/a": {"m": {"b": 0.5}}}
    scores = [{"sample_id": name, "value": 1} for name in "ab"]
    reduced = {"samples": None, "reductions": [{"scorer": "m", "reducer": "mean", "samples": scores}]}
    for number, epochs, is_whole in ((3, 1, False), (4, 2, True), (6, 2, False)):
        text = log(results={"total_samples": number}, **reduced)
        text["eval"]["config"] = {"epochs": epochs}
        if is_whole:
            assert values_of(write(text)) == {"toy/a": {"m": {"a": 1, "b": 1}}}
        else:
            with pytest.raises(DataError, match=f"{2 * epochs} of {number} samples"):
                values_of(write(text))
    whole = log(*some, sample("a", 2, m="C"), results={"total_samples": 4})
    assert values_of(write(whole)) == {"toy/a": {"m": {"a": 1, "b": 0.5}}}


@pytest.mark.parametrize("more", [{}, {"results": None}, {"results": {"total_samples": 4}}])
def test_a_log_that_lacks_epochs_is_unfinished(write: Write, more: dict[str, Any]) -> None:
    reduced = [{"scorer": "m", "samples": [{"sample_id": name, "value": 1} for name in "ab"]}]
    lacking = log(sample("a", 1, m="C"), sample("b", 2, m="I"), reductions=reduced, **more)
    lacking["eval"]["config"] = {"epochs": 2}
    with pytest.raises(DataError, match="2 of 4 samples"):
        values_of(write(lacking))
    with pytest.warns(DataWarning, match="2 of 4 samples"), pytest.raises(DataError, match="none of 2 samples"):
        values_of(f"inspect(unfinished=True):{write(lacking)}")
    lacking["samples"] += [sample("a", 2, m="I"), sample("b", 1, m="I")]
    with pytest.warns(DataWarning, match="averaged"):
        assert values_of(write(lacking)) == {"toy/a": {"m": {"a": 0.5, "b": 0}}}


def test_the_same_repeat_twice_is_refused(write: Write) -> None:
    with pytest.raises(DataError, match="'a' in epoch 1"):
        values_of(write(log(sample("a", 1, m="C"), sample("a", 1, m="C"), sample("b", m="I"))))


def test_words_of_inspect_are_numbers_and_numbers_are_written_as_everywhere(write: Write) -> None:
    words = dict(zip("abcdef", ("yes", "True", "NO", "false", "0.5", True), strict=True))
    values = {name: float(n) for name, n in zip("abcdef", (1, 1, 0, 0, 0.5, 1), strict=True)}
    assert values_of(write(log(*(sample(name, m=word) for name, word in words.items())))) == {"toy/a": {"m": values}}
    odd = write(log(sample("a", m="1_0"), sample("b", m="0x1"), sample("c", m="\u0661"), sample("d", m="1")))
    with pytest.warns(DataWarning, match="3 of 4 values left out"):
        assert values_of(odd) == {"toy/a": {"m": {"d": 1}}}


def test_a_key_that_occurs_twice_is_refused(tmp_path: Path) -> None:
    text = json.dumps(log(sample("a", m=1))).replace('"m": ', '"m": {"value": 0}, "m": ')
    (tmp_path / "log.json").write_text(text)
    with pytest.raises(DataError, match="'m' occurs twice"):
        read_per_topic(tmp_path / "log.json")


def test_a_log_without_samples_has_what_they_were_reduced_to(write: Write) -> None:
    reduced = [{"sample_id": "a", "value": 0.5}, {"sample_id": 2, "value": 1.0}]
    one = log(reductions=[{"scorer": "m", "samples": reduced}])
    with pytest.raises(DataError, match="by number"):
        values_of(write(one))
    assert values_of(f"inspect(topic=number):{write(one)}") == {"toy/a": {"m": {"a": 0.5, "2": 1}}}
    reduced[1]["sample_id"] = "b"
    two = log(reductions=[{"scorer": "m", "reducer": name, "samples": reduced} for name in ("mean", "max")])
    assert list(values_of(write(two))["toy/a"]) == ["m.mean", "m.max"]


def test_logs_of_the_same_model_are_told_apart_by_names(write: Write, command: Any) -> None:
    old = write(log(*(sample(i, m=i % 3 / 2) for i in range(12))), "old.json")
    new = write(log(*(sample(i, m=i % 4 / 3) for i in range(12))), "new.json")
    with pytest.raises(DataError, match=r"The system toy/a is in .*old.json and in .*new.json. Name one of the two"):
        read_per_topic([old, new])
    assert read_per_topic([old, new], names={"new.json": "after"}).systems == ("toy/a", "after")
    assert read_per_topic([old, new], names=["a", "b"]).systems == ("a", "b")
    with pytest.raises(UsageError, match=r"'nwe.json' to name. Did you mean new.json"):
        read_per_topic([old, new], names={"nwe.json": "after"})
    assert read_per_topic([f"inspect(measure=m):{old}", new], names={"old.json": "before"}).systems == (
        "before",
        "toy/a",
    )
    done = command("compare", "--scores", old, new, "--label", "new.json=after", "-o", "csv", "-p", "4")
    assert done.code == 0, done.err
    assert done.out.splitlines()[1].split(",")[:7] == ["m", "after", "toy/a", "12", "0.5000", "0.5000", "0.0000"]


# -- promptfoo ---------------------------------------------------------------------------------------------


def result(test: int, prompt: int, label: str, score: Any, vars: Any = None, **named: Any) -> dict[str, Any]:
    case = {"vars": {"question": test} if vars is None else vars}
    provider = {"id": f"id of {label}", "label": label}
    return {
        "testIdx": test,
        "promptIdx": prompt,
        "provider": provider,
        "score": score,
        "namedScores": named,
        "testCase": case,
    }


def asks(question: Any) -> str:
    """The topic of a test, or of a document, with a question."""
    return json.dumps({"question": question})


def promptfoo(*results: Any) -> dict[str, Any]:
    return {"evalId": "eval-1", "results": {"version": 3, "prompts": [], "results": list(results)}}


def test_results_of_promptfoo(write: Write) -> None:
    one = promptfoo(
        result(1, 1, "b", 0.5, long=1),
        result(0, 1, "b", 1, long=0),
        result(0, 0, "a", 0.25, long=0.5),
        result(1, 0, "", 1, long=1),
    )
    one["results"]["results"][3]["provider"] = {"id": "a"}
    zero, first = asks(0), asks(1)
    expected = {
        "b": {"long": {first: 1, zero: 0}, "score": {first: 0.5, zero: 1}},
        "a": {"long": {zero: 0.5, first: 1}, "score": {zero: 0.25, first: 1}},
    }
    assert values_of(write(one, indent=2)) == expected
    prompts = promptfoo(result(0, 0, "a", 1), result(0, 2, "b", 0), result(0, 3, "b", 0.5), result(0, 1, "a", 0.75))
    scores = {system: of["score"][asks(0)] for system, of in values_of(write(prompts)).items()}
    assert scores == {"a prompt 1": 1, "a prompt 2": 0.75, "b prompt 1": 0, "b prompt 2": 0.5}


def test_tests_about_the_same_are_one_topic_and_errors_are_left_out(write: Write) -> None:
    same = {"question": "why?"}
    failed = {**result(3, 0, "a", 0), "failureReason": 2, "error": "timeout"}
    path = write(
        promptfoo(
            result(2, 0, "a", 0.25, {"question": "who?"}),
            result(1, 0, "a", 0, same),
            result(0, 0, "a", 1, same),
            failed,
        )
    )
    with pytest.warns(DataWarning) as told:
        assert values_of(path) == {"a": {"score": {asks("who?"): 0.25, asks("why?"): 0.5}}}
    assert "1 of 4 results are errors of a provider, and left out; such as 'timeout'" in str(told[0].message)
    assert "1 value of 2 averaged over repeats" in str(told[1].message)


def test_measures_of_some_tests_are_left_out_unless_asked_for(write: Write) -> None:
    path = write(promptfoo(result(0, 0, "a", 1, paris=1), result(1, 0, "a", 0, seine=0), result(2, 0, "a", 0, seine=1)))
    with pytest.warns(
        DataWarning,
        match=r"paris \(not for 2 of 3 results\), seine \(not for 1 of 3 results\)\. .*'promptfoo\(measure=paris\):",
    ):
        assert list(values_of(path)["a"]) == ["score"]
    assert values_of(f"promptfoo(measure=seine):{path}") == {"a": {"seine": {asks(1): 0, asks(2): 1}}}
    with pytest.raises(DataError, match="has no values of rome"):
        read_per_topic(f"promptfoo(measure=rome):{path}")


def test_lines_of_promptfoo(write: Write) -> None:
    results = [{"gradingResult": {"pass": True}, **result(test, 0, "a", test / 2)} for test in (1, 0)]
    assert values_of(write(lines(*results))) == {"a": {"score": {asks(1): 0.5, asks(0): 0}}}


@pytest.mark.parametrize("ids", [("x", "y"), (None, None)])
def test_a_result_of_promptfoo_twice_is_no_repeat(write: Write, ids: tuple[Any, Any]) -> None:
    same = {"question": "?"}
    repeats = [{"gradingResult": {}, "id": id, **result(n, 0, "a", n, same)} for n, id in enumerate(ids)]
    with pytest.warns(DataWarning, match="averaged"):
        assert values_of(write(lines(*repeats))) == {"a": {"score": {asks("?"): 0.5}}}
    with pytest.raises(DataError, match="line 3"):
        values_of(write(lines(*repeats, repeats[1])))
    with pytest.raises(DataError, match="a second time"):
        values_of(write(promptfoo(*repeats, repeats[1])))


def test_lines_of_several_evaluations_of_promptfoo(write: Write) -> None:
    """Each numbers its prompts from 0."""

    def of(label: str, score: float, prompt: str) -> dict[str, Any]:
        return {"gradingResult": {}, **result(0, 0, label, score), "prompt": {"raw": "?", "label": prompt}}

    several = lines(of("a", 1, "p"), of("b", 0, "p"), of("b", 0.5, "q"))
    means = {system: values["score"][asks(0)] for system, values in values_of(write(several)).items()}
    assert means == {"a": 1, "b prompt 1": 0, "b prompt 2": 0.5}


# -- DeepEval and ragas ------------------------------------------------------------------------------------


def case(name: str, input: str | None = None, **scores: Any) -> dict[str, Any]:
    metrics = [{"name": metric, "score": score} for metric, score in scores.items()]
    return {"name": name, "metricsData": metrics} | ({} if input is None else {"input": input})


def test_runs_of_deepeval(write: Write) -> None:
    run = {
        "testCases": [case("q1", "who?", Overlap=1, Exact=0.5), case("test_case_1", "why?", Overlap=0.25, Exact=1)],
        "identifier": "new",
    }
    expected = {"new": {"Overlap": {"q1": 1, "why?": 0.25}, "Exact": {"q1": 0.5, "why?": 1}}}
    path = write(run, indent=1)
    assert values_of(path) == expected
    assert list(values_of(f"deepeval(topic=input):{path}")["new"]["Exact"]) == ["who?", "why?"]
    talk = {"testCases": [], "conversationalTestCases": [case("talk", Overlap=1)], "hyperparameters": {"model": "m"}}
    assert values_of(write(talk)) == {"m": {"Overlap": {"talk": 1}}}
    failed = {"testCases": [case("a", "a", Overlap=1), case("b", "b", Overlap=None)]}
    with pytest.warns(
        DataWarning, match=r"1 of 2 values left out, as no finite numbers: Overlap \(1\); such as 'None' for b"
    ):
        assert values_of(write(failed, "old.json")) == {"old.json": {"Overlap": {"a": 1}}}


@pytest.mark.parametrize("metrics", [{"metricsData": []}, {"metricsData": None}, {}])
def test_cases_of_deepeval_without_metrics_are_told(write: Write, metrics: dict[str, Any]) -> None:
    cases = [case("a", m=1), {"name": "b", **metrics}]
    for run in ({"testCases": cases}, {"testCases": cases[:1], "conversationalTestCases": cases[1:]}):
        with pytest.warns(DataWarning, match="1 of 2 cases.*'b'"):
            assert values_of(write(run)) == {"file.json": {"m": {"a": 1}}}


RAGAS = [
    {
        "user_input": "who?",
        "retrieved_contexts": ["a, b", "c"],
        "response": "7",
        "faithfulness": 0.5,
        "passed": True,
        "kind": "x",
    },
    {
        "user_input": "why?",
        "retrieved_contexts": [],
        "response": "8",
        "faithfulness": 1.0,
        "passed": False,
        "kind": "y",
    },
]


def test_metrics_of_nuggetizer(write: Write) -> None:
    names = ("strict_vital_score", "strict_all_score", "vital_score", "all_score")
    rows = {"2024-1": (0.0, 0.25, 0.5, 0.5), "2024-2": (1.0, 0.75, 1.0, 1.0), "all": (0.5, 0.5, 0.75, 0.75)}
    path = write(lines(*({"qid": qid, **dict(zip(names, row, strict=True))} for qid, row in rows.items())), "a.jsonl")
    del rows["all"]
    expected = {name: {qid: row[i] for qid, row in rows.items()} for i, name in enumerate(names)}
    assert values_of(path) == {"a.jsonl": expected}


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_tables_of_ragas(write: Write, tmp_path: Path, form: str) -> None:
    path = str(tmp_path / f"result.{form}")
    frame = pd.DataFrame(RAGAS)
    if form == "csv":
        frame.to_csv(path)  # with the numbers of rows
    elif form == "parquet":
        frame.to_parquet(path)
    else:
        write(lines(*RAGAS), "result.jsonl")
    expected = {"faithfulness": {"who?": 0.5, "why?": 1}, "passed": {"who?": 1, "why?": 0}}
    assert values_of(path) == {f"result.{form}": expected}
    rows = values_of(f"ragas(topic=row):{path}", names=["mine"])
    assert rows == {"mine": {"faithfulness": {"1": 0.5, "2": 1}, "passed": {"1": 1, "2": 0}}}


def test_cells_of_ragas_that_are_no_numbers(write: Write) -> None:
    path = write("user_input,response,good,bad\nq1,x,0.5,1\nq2,y,1,\nq3,z,0,oops\nq1,x,1,0\n", "a.csv")
    with pytest.warns(DataWarning) as told:
        assert values_of(path) == {"a.csv": {"good": {"q1": 0.75, "q2": 1, "q3": 0}}}
    assert [re.sub(".*a.csv: ", "", str(one.message)).partition("(")[0].strip() for one in told] == [
        "2 of 8 values left out, as no finite numbers: bad",
        "2 values of 4 averaged over repeats of the same item, 2 of each.",
        "1 measure of some topics only is left out: bad",
    ]
    several = [{**row, "user_input": [{"content": row["user_input"]}]} for row in RAGAS]
    assert list(values_of(write(lines(*several)))["file.json"]["passed"]) == [
        '[{"content": "who?"}]',
        '[{"content": "why?"}]',
    ]


# -- harnesses ---------------------------------------------------------------------------------------------


def doc(id: int, filter: str | None = "none", **measures: Any) -> dict[str, Any]:
    listed = {} if filter is None else {"filter": filter, "metrics": list(measures)}
    return {"doc_id": id, "doc": {"question": id}, "target": "x", **listed, "doc_hash": "0", **measures}


def test_samples_of_lm_eval(write: Write) -> None:
    name = "out/samples_task_2026-01-01T00-00-00.1.jsonl"
    path = write(lines(doc(0, acc=1.0), doc(1, acc=0.0)), name)
    values = {"acc": {asks(0): 1, asks(1): 0}}
    assert values_of(path) == {Path(path).name: values}
    write({"model_name": "org/other"}, "out/results_2025-01-01T00-00-00.1.json")
    assert values_of(path) == {"org/other": values}
    write({"model_name": "org/model"}, "out/results_2026-01-01T00-00-00.1.json")
    assert values_of(path) == {"org/model": values}
    assert values_of(path, names=["mine"]) == {"mine": values}
    write("{", "out/results_2026-01-01T00-00-00.1.json")
    with pytest.raises(DataError, match="cannot be read"):
        read_per_topic(path)
    assert values_of(write(lines(doc(0, None, f1=0.5)), "org__model/samples_t.jsonl")) == {
        "org__model": {"f1": {asks(0): 0.5}}
    }


def test_filters_of_lm_eval_are_chosen(write: Write) -> None:
    path = write(lines(doc(0, "strict", em=0, pair=[1, 2]), doc(0, "loose", em=1, pair=[1, 2])), "s.jsonl")
    with pytest.raises(
        DataError, match=r"There are 2 filters. Choose one of strict, loose: 'lm_eval\(filter=strict\):FILE'"
    ):
        read_per_topic(path)
    with pytest.warns(
        DataWarning, match=r"1 of 2 values left out, as no finite numbers: pair \(1\); such as '\[1, 2\]' for"
    ):
        assert values_of(f"lm_eval(filter=loose):{path}", names=["m"]) == {"m": {"em": {asks(0): 1}}}


def test_log_likelihoods_under_the_name_of_a_perplexity_are_read_as_what_they_are(write: Write, command: Any) -> None:
    """lm-eval prints exp(-mean): 7.2 and 20.1. The means of exp(-l) of the documents, 4,904 and 20.1, would have the other order."""
    good, poor = ([doc(i, perplexity=value, acc=0) for i, value in enumerate(of)] for of in ([-1] * 9 + [-10.8], [-3] * 10))  # fmt: skip
    paths = [write(lines(*of), name) for name, of in (("poor", poor), ("good", good))]
    with pytest.warns(DataWarning, match="perplexity is read as log_likelihood"):
        scores = read_per_topic(paths)
    better, worse = (scores.means().loc[system, "log_likelihood"] for system in ("good", "poor"))
    assert (better, worse) == (pytest.approx(-1.98), -3)
    done = command("compare", "--scores", *paths, "-o", "csv")
    found = dict(zip(*(line.split(",") for line in done.out.splitlines()[:2]), strict=True))
    assert (found["measure"], found["a"], found["wins"], found["losses"]) == ("log_likelihood", "good", "9", "1")
    for arguments in (["compare", "--scores", *paths, "--less-is-better", "perplexity"],
                      ["compare", "--scores", *(f"lm_eval(measure=perplexity):{path}" for path in paths)]):  # fmt: skip
        done = command(*arguments)
        assert done.code in (1, 2)
        assert not done.out


def test_log_likelihoods_per_word_and_byte(write: Write) -> None:
    pair = {"word_perplexity": [-30.0, 10], "byte_perplexity": [-30.0, 60], "bits_per_byte": [-30.0, 60]}
    with pytest.warns(DataWarning, match="bits_per_byte is read as log_likelihood_per_byte"):
        assert values_of(write(lines(doc(0, **pair)), "m")) == {
            "m": {"log_likelihood_per_word": {asks(0): -3}, "log_likelihood_per_byte": {asks(0): -0.5}}
        }
    computed = {"perplexity": 12.5, "word_perplexity": 23.0, "acc": 1}
    assert values_of(write(lines(doc(0, **computed)), "m"))["m"].keys() == computed.keys(), "they are perplexities"


def test_a_document_of_lm_eval_twice_is_no_repeat(write: Write, command: Any) -> None:
    once = write(lines(doc(0, acc=0), doc(1, acc=1)), "once")
    twice = write(lines(doc(0, acc=0), doc(1, acc=1), doc(0, acc=1)), "twice")
    done = command("compare", "--scores", once, twice)
    assert (done.code, done.out) == (1, "")
    assert "twice, line 3" in done.err
    other = write(lines(doc(0, acc=0), doc(0, acc=1) | {"doc": {"question": 2}, "doc_hash": "1"}), "m")
    assert values_of(other)["m"] == {"acc": {asks(0): 0, asks(2): 1}}, "of another version of the task"


def instance(id: str, perturbation: Any = None, **means: float | None) -> dict[str, Any]:
    stats = [
        {"name": {"name": name}, "count": 0} if mean is None else {"name": {"name": name}, "count": 1, "mean": mean}
        for name, mean in means.items()
    ]
    return {"instance_id": id, "stats": stats} | ({} if perturbation is None else {"perturbation": perturbation})


def test_instances_of_helm(write: Write) -> None:
    path = write(
        [instance("id1", f1=0.5, cost=None), instance("id2", f1=1, cost=None)], "run/per_instance_stats.json", indent=1
    )
    assert values_of(path) == {"per_instance_stats.json": {"f1": {"id1": 0.5, "id2": 1}}}
    write({"adapter_spec": {"model": "org/model"}}, "run/run_spec.json")
    assert values_of(path) == {"org/model": {"f1": {"id1": 0.5, "id2": 1}}}
    other = instance("id1", f1=1) | {"train_trial_index": 1}
    changed = [instance("id1", f1=0.5), instance("id1", {"name": "typos"}, f1=0), other]
    with pytest.warns(DataWarning) as told:
        assert values_of(write(changed)) == {"file.json": {"f1": {"id1": 0.75}}}
    assert "1 of 3 results are of changed instances, and left out" in str(told[0].message)


@pytest.mark.filterwarnings("ignore::irmx.DataWarning")
def test_an_instance_of_helm_without_a_value_in_a_trial_has_none(write: Write, command: Any) -> None:
    """Whether the statistic counted nothing, alone or beside others, or the record of the trial is not there."""

    def trials(fails: float | None, **more: Any) -> list[dict[str, Any]]:
        return [
            instance(f"id{i}", em=fails if trial and not i else 1, **more) | {"train_trial_index": trial}
            for i in range(12)
            for trial in (0, 1)
        ]

    whole = trials(0)
    kept = [one for one in whole if (one["instance_id"], one["train_trial_index"]) != ("id0", 1)]
    before = write(whole, "before")
    assert values_of(before)["before"]["em"]["id0"] == 0.5
    for after in (trials(None), trials(None, cost=None), kept):
        path = write(after, "after")
        assert values_of(path)["after"] == {"em": {f"id{i}": 1 for i in range(1, 12)}}
        systems = ("--scores", f"before={before} after={path}", "before", "after")
        assert command("verdict", *systems, "--claim", "no-worse", "--margin", ".01").code == 3
    path = write(trials(None, f1=1), "after")
    assert values_of(path)["after"].keys() == {"f1"}
    assert "id0" not in values_of(f"helm(measure=em):{path}")["after"]["em"]


def test_an_instance_of_helm_twice_is_no_repeat(write: Write) -> None:
    trial = {"train_trial_index": 0}
    for same in ({}, trial):
        with pytest.raises(DataError, match=r"(?s)f1.*'id1'"):
            values_of(write([instance("id1", f1=0) | same, instance("id2", f1=1) | same, instance("id1", f1=1) | same]))
    with pytest.raises(DataError, match="a second time"):
        values_of(write([instance("id1", f1=i) | {"train_trial_index": index} for i, index in enumerate((0, "0"))]))
    half = [instance("id1", f1=0) | trial, instance("id1", em=1) | trial]
    assert values_of(write(half))["file.json"] == {"f1": {"id1": 0}, "em": {"id1": 1}}


def row(name: str, sample: str, score: Any, model: str = "org/a", **more: Any) -> dict[str, Any]:
    return {
        "schema_version": "0.3.0",
        "evaluation_id": "toy/org_a/1",
        "model_id": model,
        "evaluation_name": name,
        **more,
        "sample_id": sample,
        "evaluation": {"score": score, "is_correct": False},
    }


def test_samples_of_every_eval_ever(write: Write) -> None:
    rows = [
        row("toy.nDCG@10", "1", 0.5),
        row("toy.nDCG@10", "2", 1),
        row("AP", "1", 0.25),
        row("AP", "2", 0),
        row("AP", "1", 1, "org/b"),
        row("toy.nDCG@10", "1", 1, "org/b"),
        row("toy.nDCG@10", "2", 0.75, "org/b"),
        row("AP", "2", 0.5, "org/b"),
    ]
    assert values_of(write(lines(*rows))) == {
        "org/a": {"nDCG@10": {"1": 0.5, "2": 1}, "AP": {"1": 0.25, "2": 0}},
        "org/b": {"AP": {"1": 1, "2": 0.5}, "nDCG@10": {"1": 1, "2": 0.75}},
    }
    same = [
        row("toy.bench", "1", 0.5, evaluation_result_id="toy.f1"),
        row("toy.bench", "1", 1, evaluation_result_id="toy.em"),
    ]
    assert values_of(write(lines(*same))) == {"org/a": {"f1": {"1": 0.5}, "em": {"1": 1}}}


# -- search engines ------------------------------------------------------------------------------------


def test_evaluation_results_of_opensearch(write: Write) -> None:
    found = {"searchConfigurationList": ["c1"], "evaluationResultList": [
        {"searchText": query, "documentIds": ["d"], "metrics": [{"metric": "NDCG@5", "value": value}, {"metric": "Coverage", "value": "1"}]}
        for query, value in {"red shoes": 0.5, "hats": 1}.items()
    ]}  # fmt: skip
    assert values_of(write(found)) == {
        "c1": {"nDCG@5": {"red shoes": 0.5, "hats": 1}, "Coverage": {"red shoes": 1, "hats": 1}}
    }
    assert irmx.read_run(write(found)).topics == ["red shoes", "hats"]
    one = {
        "searchConfigurationId": "c2",
        "searchText": "hats",
        "documentIds": [],
        "metrics": [{"metric": "MAP@5", "value": 0.25}],
    }
    assert values_of(write(one)) == {"c2": {"AP@5": {"hats": 0.25}}}
    with pytest.raises(DataError, match="how alike they are, not how good"):
        read_per_topic(write({"searchConfigurationList": ["c1", "c2"], "results": []}))


def test_responses_of_rank_eval(write: Write) -> None:
    response = {
        "metric_score": 0.5,
        "details": {"q1": {"metric_score": 0.75}, "q2": {"metric_score": 0.25}},
        "failures": {},
    }
    path = write(response, "a.json")
    assert values_of(path) == {"a.json": {"metric_score": {"q1": 0.75, "q2": 0.25}}}
    assert values_of(f"rank_eval(metric=P@10):{write({'rank_eval': response}, 'a.json')}", names=["a"]) == {
        "a": {"P@10": {"q1": 0.75, "q2": 0.25}}
    }
    with pytest.warns(DataWarning, match="1 request failed, first 'q3'"):
        read_per_topic(write({**response, "failures": {"q3": {"error": "timeout"}}}))


# -- what stands twice -----------------------------------------------------------------------------------------


def opensearch(*metrics: tuple[str, Any]) -> dict[str, Any]:
    of_query = {"searchText": "hats", "documentIds": [], "metrics": [{"metric": m, "value": v} for m, v in metrics]}
    return {"searchConfigurationId": "c", **of_query}


DOUBLED: dict[str, tuple[str, Any, Any]] = {
    "every_eval_ever": ("", lines(row("m", "1", 0), row("m", "2", 1)), lines(row("m", "1", 0), row("m", "2", 1), row("m", "1", 1))),
    "nuggetizer": ("", lines({"qid": "1", "strict_vital_score": 0, "vital_score": 1}), lines(*[{"qid": "1", "strict_vital_score": 0, "vital_score": 1}] * 2)),
    "autojudge": ("autojudge(form=tot):", "a m 1 0\na m 2 1\n", "a m 1 0\na m 2 1\na m 1 1\n"),
    "deepeval": ("", {"testCases": [case("a", m=1)]}, {"testCases": [case("a") | {"metricsData": [{"name": "m", "score": i} for i in (0, 1)]}]}),
    "opensearch": ("", opensearch(("m", 0)), opensearch(("m", 0), ("m", 1))),
}  # fmt: skip
"""A format, and files with everything once, and with a value twice."""


@pytest.mark.parametrize("form", DOUBLED)
def test_a_value_twice_is_no_repeat(write: Write, form: str) -> None:
    way, once, twice = DOUBLED[form]
    values_of(f"{way}{write(once, 'once')}")
    with pytest.raises(DataError, match="a second time"):
        values_of(f"{way}{write(twice)}")


@pytest.mark.filterwarnings("ignore::irmx.DataWarning")
def test_epochs_of_inspect_in_every_eval_ever_are_repeats(write: Write) -> None:
    epochs = [row("m", "1", epoch - 1, metadata={"epoch": str(epoch)}) for epoch in (1, 2)]
    assert values_of(write(lines(*epochs))) == {"org/a": {"m": {"1": 0.5}}}
    lacking = row("m", "2", 1, metadata={"epoch": "1"})
    with pytest.warns(DataWarning, match="1 value of 2 left out"):
        assert values_of(write(lines(*epochs, lacking))) == {"org/a": {"m": {"1": 0.5}}}
    for epoch in (2, "2"):
        with pytest.raises(DataError, match="line 3"):
            values_of(write(lines(*epochs, row("m", "1", 1, metadata={"epoch": epoch}))))


# -- items are what was asked ------------------------------------------------------------------------------

QUESTIONS = {"alpha": 0.9, "beta": 0.1, "gamma": 0.5}
"""Questions, and what one system scores on them."""


def of_promptfoo(questions: Any) -> Any:
    return promptfoo(*(result(i, 0, "m", score, {"q": q}) for i, (q, score) in enumerate(questions)))


def of_inspect(questions: Any) -> Any:
    """A log whose dataset has no ids: Inspect numbers the samples, and messages have ids of the run."""
    messages = ([{"id": f"of {score}", "role": "user", "content": q}] for q, score in questions)
    return log(*({**sample(i, m=score), "input": said} for i, ((_, score), said) in enumerate(zip(questions, messages, strict=True), 1)))  # fmt: skip


def of_lm_eval(questions: Any) -> Any:
    return lines(*({**doc(i, m=score), "doc": {"q": q}} for i, (q, score) in enumerate(questions)))


def of_deepeval(questions: Any) -> Any:
    turns = ([{"role": "user", "content": q}, {"role": "assistant", "content": str(score)}] for q, score in questions)
    cases = [{**case(f"conversational_test_case_{i}", m=q[1]), "turns": said} for i, (q, said) in enumerate(zip(questions, turns, strict=True))]  # fmt: skip
    return {"testCases": [], "conversationalTestCases": cases, "identifier": "m"}


def of_pytest(questions: Any) -> Any:
    """DeepEval's cases from a parametrized test."""
    return {
        "testCases": [case(f"test_app[test_case{i}]", q, m=score) for i, (q, score) in enumerate(questions)],
        "identifier": "m",
    }


TOOLS = [of_promptfoo, of_inspect, of_lm_eval, of_deepeval, of_pytest]


@pytest.mark.parametrize("tool", TOOLS)
def test_items_are_paired_by_what_was_asked(write: Write, tool: Any) -> None:
    """However they are numbered: moved, after an inserted one, or what is left of them."""
    rows = list(QUESTIONS.items())
    others = {"moved": rows[::-1], "inserted": [("new", 0.3), *rows], "filtered": rows[1:]}
    for questions in others.values():
        after = [(question, score + 0.05) for question, score in questions]
        [[one]] = [of.values() for of in values_of(write(tool(rows)), names=["before"]).values()]
        [[other]] = [of.values() for of in values_of(write(tool(after)), names=["after"]).values()]
        both = one.keys() & other.keys()
        assert len(both) == len(set(QUESTIONS) & dict(questions).keys())
        assert [other[item] - one[item] for item in both] == pytest.approx([0.05] * len(both))


def test_instances_of_helm_are_what_is_asked_in_the_file_beside(write: Write) -> None:
    for name, order in (("a", "xyz"), ("b", "zyx")):
        asked = [
            {"id": f"id{i}", "input": {"text": q}, "references": [{"output": {"text": "yes"}}]}
            for i, q in enumerate(order)
        ]
        write([*asked, {**asked[0], "input": {"text": "typo"}, "perturbation": {"name": "typos"}}], f"{name}/instances.json")  # fmt: skip
        write([instance(f"id{i}", m=ord(q)) for i, q in enumerate(order)], f"{name}/per_instance_stats.json")
    paths = [str(Path(write("", "-")).parent / name / "per_instance_stats.json") for name in "ab"]
    a, b = values_of(paths, names=["a", "b"]).values()
    assert a == b
    a, b = values_of([f"helm(topic=number):{path}" for path in paths], names=["a", "b"]).values()
    assert a != b


def test_tests_that_ask_the_same_but_are_not_repeats_are_refused(write: Write, command: Any) -> None:
    same = [result(i, 0, "a", i / 2, {"q": "?"}) for i in range(2)]
    with pytest.warns(DataWarning, match="averaged over repeats"):
        assert values_of(write(promptfoo(*same))) == {"a": {"score": {'{"q": "?"}': 0.25}}}
    same[1]["testCase"] = {**same[1]["testCase"], "assert": [{"type": "equals", "value": "x"}]}
    of_inspect = log(*({**sample(i, m=i / 2), "input": "?"} for i in range(2)))
    of_deepeval = {"testCases": [{**case(f"test_case_{i}", "?", m=i / 2), "expectedOutput": str(i)} for i in range(2)]}
    of_ragas = lines(*({"user_input": "?", "reference": str(i), "m": i / 2} for i in range(2)))
    for way, content in {
        "promptfoo(topic=number)": promptfoo(*same),
        "inspect(topic=number)": of_inspect,
        "deepeval(topic=name)": of_deepeval,
        "ragas(topic=row)": of_ragas,
    }.items():
        paths = [write(content, name) for name in ("a", "b")]
        with pytest.raises(DataError, match="different tests"):
            read_per_topic(paths[0])
        assert command("compare", "--scores", *paths, "--label", "b=other").code == 1
        if "deepeval" not in way:
            [measures] = values_of(f"{way}:{paths[0]}").values()
            assert [list(of.values()) for of in measures.values()] == [[0, 0.5]]
    numbers = [doc(0, m=0), {**doc(0, m=1), "doc": {"question": "of another task"}, "doc_hash": "1"}]
    with pytest.raises(DataError, match="topic=asked"):
        read_per_topic(f"lm_eval(topic=number):{write(lines(*numbers))}")


def test_a_long_question_is_shortened_to_a_topic_of_its_own(write: Write) -> None:
    long = [("x" * 5000 + end, score) for end, score in (("a", 0.5), ("b", 1))]
    [measures] = values_of(write(of_promptfoo(long))).values()
    assert list(measures["score"].values()) == [0.5, 1]
    assert max(map(len, measures["score"])) < 200


# -- what cannot be read -----------------------------------------------------------------------------------

ONE = '{"status": "success", "eval": {"model": "m"}, "samples": [{"id": ID, "scores": {"m": {"value": VALUE}}}]}'
FAULTS: dict[str, tuple[str, str]] = {
    "not JSON": ('{"evalId": "e", "results": {', "is not the JSON of promptfoo"),
    "too deep": ('{"evalId": "e", "results": {"results": ' + "[" * 100_000, "is not the JSON of promptfoo: too deeply nested"),
    "no results": ('{"evalId": "e", "results": {"results": []}}', "has no results"),
    "no list": ('{"evalId": "e", "results": {"results": 5}}', "cannot be read as promptfoo"),
    "no test": ('{"evalId": "e", "results": {"results": [{"promptIdx": 0}]}}', "it lacks 'provider'"),
    "no scores": ('{"status": "success", "eval": {"model": "m"}, "samples": []}', "none of 0 samples has a score"),
    "no model": ('{"status": "success", "eval": {}, "samples": []}', "it lacks 'model'"),
    "no id": (ONE.replace("ID", "null").replace("VALUE", "1"), "an id must be a text or a whole number. Got None"),
    "a number too large": (ONE.replace("ID", "1").replace("VALUE", "1" + "0" * 400), "has no value of an item that is a number"),
    "infinity": (ONE.replace("ID", "1").replace("VALUE", "Infinity"), "Found 'inf' for 1"),
    "half a character": (ONE.replace("ID", '"\\ud800"').replace("VALUE", "1"), "part of a character"),
    "a score that is none": ('{"testCases": [{"name": "a", "metricsData": [{"score": 1}]}]}', "it lacks 'name'"),
    "cases that are none": ('{"testCases": [5]}', "cannot be read as deepeval"),
    "a line that is not JSON": ('{"doc_id": 0, "doc": {}, "acc": 1}\n{"doc_id": 1, ', "line 2 is not the JSON of lm_eval"),
    "a line that is no object": ('{"doc_id": 0, "doc": {}, "acc": 1}\n[1]\n', "cannot be read as lm_eval"),
    "no instances": ('[{"instance_id": "a", "stats": []}]', "has no value of an item that is a number"),
    "a stat without mean": ('[{"instance_id": "a", "stats": [{"name": {"name": "f1"}}]}]', "it lacks 'mean'"),
    "only texts": ("user_input,response\nq,r\n", "has no value of an item that is a number"),
    "no question": ("user_input,good\n,1\n", "an id must be a text"),
    "no metrics": ('{"searchConfigurationId": "c", "searchText": "q"}', "it lacks 'metrics'"),
    "no details": ('{"metric_score": 1}', "it lacks 'details'"),
    "a measure that is no text": ('{"testCases": [{"name": "a", "metricsData": [{"name": {}, "score": 1}]}]}', "an id must be a text"),
    "a system of some": ('{"evaluationResultList": [{"searchText": "a", "metrics": [{"metric": "m", "value": 1}]}, {"searchConfigurationId": "c", "searchText": "a", "metrics": [{"metric": "m", "value": 1}]}]}', "names the system of some results only: c"),
    "instances too deep": ('[{"instance_id": "a", "stats": ' + '{"a":' * 100_000, "is not the JSON of helm: too deeply nested"),
    "a quote without end": ('user_input,good\n"q,1\n', "cannot be read"),
    "qrels": ("q1 0 d1 1\n", "which of '0' and 'd1' is the topic"),
    "a run": ("q1 Q0 d1 1 2.5 tag\n", "is a run, not per-topic results"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_what_cannot_be_read_is_told(write: Write, fault: str) -> None:
    content, said = FAULTS[fault]
    with pytest.raises(DataError, match=said):
        read_per_topic(write(content))


def test_other_encodings_are_told(tmp_path: Path) -> None:
    for encoding in ("latin-1", "utf-16"):
        (tmp_path / "a.json").write_bytes('{"testCases": [{"name": "é"}]}'.encode(encoding))
        with pytest.raises(DataError, match="is not UTF-8"):
            read_per_topic(tmp_path / "a.json")


def test_damaged_archives_are_told(tmp_path: Path) -> None:
    whole = {
        name: Path(write(tmp_path / name, LOG)).read_bytes()
        for name, write in {"z.eval": in_zstd, "d.eval": archive}.items()
    }
    for name, content in whole.items():
        for cut in (
            content[:-30],
            content[: len(content) // 2],
            content[:35],
            content.replace(content[80:90], b"0123456789"),
        ):
            (tmp_path / name).write_bytes(cut)
            with pytest.raises(DataError):
                read_per_topic(tmp_path / name)
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as written:
        written.writestr("../header.json", "{}")
    with pytest.raises(DataError):
        read_per_topic(tmp_path / "other.zip")
    bomb = log(sample("q", m=1), padding=" " * 70_000_000)
    with pytest.raises(DataError, match="when it is decompressed, the limit"):
        read_per_topic(archive(tmp_path / "bomb.eval", bomb))
    with zipfile.ZipFile(tmp_path / "bombs.eval", "w", zipfile.ZIP_DEFLATED) as written:  # each below the limit
        written.writestr("header.json", json.dumps({key: LOG[key] for key in ("version", "status", "eval")}))
        for number in range(3):
            written.writestr(f"_journal/summaries/{number}.json", f"[{' ' * 30_000_000}]")
    with pytest.raises(DataError, match="when it is decompressed, the limit"):
        read_per_topic(tmp_path / "bombs.eval")


def test_a_format_reads_the_tables_that_it_holds(write: Write) -> None:
    path = write(LOG)
    with pytest.raises(UsageError, match="The format inspect holds scores, not a run"):
        irmx.read_run(f"inspect:{path}")
    with pytest.raises(UsageError, match="The format mteb holds run, not scores"):
        read_per_topic(f"mteb:{path}")
    with pytest.raises(DataError):
        irmx.read_run(path)


# -- files of the tools themselves -------------------------------------------------------------------------


@pytest.mark.real
@pytest.mark.filterwarnings("ignore::irmx.DataWarning")
@pytest.mark.parametrize("name", ["toy_qa_system-A.json", "toy_qa_system-A_zstd.eval", "toy_qa_system-B_zstd.eval"])
def test_logs_of_inspect_have_the_means_that_inspect_computed(platforms: Path, name: str) -> None:
    [(system, of_measures)] = values_of(f"inspect(topic=number):{platforms / 'inspect' / name}").items()
    assert system == f"mockllm/system-{name[14]}" if "system" in name else True
    if name.endswith(".json"):
        whole = json.loads((platforms / "inspect" / name).read_text())
        for reduced in whole["reductions"]:
            for one in reduced["samples"]:
                values = one["value"] if isinstance(one["value"], dict) else {"": one["value"]}
                for key, value in values.items():
                    measure = f"{reduced['scorer']}.{key}" if key else reduced["scorer"]
                    assert of_measures[measure][str(one["sample_id"])] == pytest.approx(value)
    else:
        of_json = values_of(f"inspect(topic=number):{platforms}/inspect/toy_qa_system-A.json")["mockllm/system-A"]
        assert of_measures.keys() == of_json.keys()
        assert (of_measures == of_json) == ("system-A" in name)


@pytest.mark.real
@pytest.mark.filterwarnings("ignore::irmx.DataWarning")
@pytest.mark.parametrize(
    ("name", "system", "count"),
    [
        ("log_formats.json", "ollama/llama3.1", 1),
        ("log_formats.eval", "ollama/llama3.1", 1),
        ("mmlu_choices.eval", "openai/gpt-4o", 1),
        ("popularity.json", "openai/gpt-4o-mini", 3),
        ("popularity_B.eval", "openai/gpt-4o-mini", 10),
        ("pubmedqa_gpt4o_mini.json", "openai/azure/gpt-4o-mini", 2),
    ],
)
def test_logs_of_inspect_in_repositories(platforms: Path, name: str, system: str, count: int) -> None:
    path = platforms / "inspect" / name
    scores = read_per_topic(f"inspect(unfinished=True):{path}")
    assert (scores.systems, len(scores.topics)) == ((system,), count)
    header = zipfile.ZipFile(path).read("header.json") if name.endswith(".eval") else path.read_bytes()
    metrics = json.loads(header)["results"]["scores"][0]["metrics"]
    assert scores.values.mean() == pytest.approx(metrics["accuracy"]["value"])


@pytest.mark.real
def test_a_log_without_scores_is_told(platforms: Path) -> None:
    with pytest.raises(DataError, match="none of 10 samples has a score"):
        read_per_topic(platforms / "inspect" / "popularity_A.eval")


@pytest.mark.real
def test_a_file_of_promptfoo(platforms: Path) -> None:
    with pytest.warns(DataWarning, match="2 measures of some topics only are left out: has_paris"):
        values = values_of(platforms / "promptfoo" / "out.json")
    whole = json.loads((platforms / "promptfoo" / "out.json").read_text())["results"]
    for prompt, of in enumerate(whole["prompts"]):
        system = values[f"{of['provider']} prompt {prompt % 2 + 1}"]
        assert sum(system["score"].values()) == pytest.approx(of["metrics"]["score"])
        assert sum(system["length"].values()) == pytest.approx(of["metrics"]["namedScores"]["length"])


SAMPLES = [
    ("deepeval/test_run_sample.json", "test_run_sample.json", {"Answer Relevancy": 0.92, "Faithfulness": 0.45}),
    ("deepeval/test_run_system-A.json", "system-A", {"Overlap": 0.5, "Exact Match": 0.5}),
    ("lm_eval/samples_math_perturbed_full_2026-01-21T03-44-18.458309.jsonl", "RylanSchaeffer/mem_Qwen3-93M_minerva_math_rep_0_sbst_1.0000_epch_1_ot_1", {"exact_match": 0}),
    ("ragas/result.csv", "result.csv", {"id_based_context_precision": 0.25, "id_based_context_recall": 0.5, "non_llm_string_similarity": 4 / 7}),
    ("ragas/result.jsonl", "result.jsonl", {"id_based_context_precision": 0.25, "id_based_context_recall": 0.5, "non_llm_string_similarity": 4 / 7}),
    ("ragas/result.parquet", "result.parquet", {"id_based_context_precision": 0.25, "id_based_context_recall": 0.5, "non_llm_string_similarity": 4 / 7}),
    ("trec_rag/leaderboard_tot.txt", "my_best_run_02_citations", {"Measure-01": 3, "Measure-02": 1}),
    ("trec_rag/kiddie/eval/kiddie_fake.eval.ir_measures.txt", "run1", {"RELEVANCE": 0.864}),
    ("every_eval_ever/demo_samples.jsonl", "demo-org/demo-model", {"demo_bench": 1}),
    ("constructed/every_eval_ever/data/toy-collection/toy-org/bm25/0f0c1a52-6d0e-4c39-9a54-0c5a5a0f6b11_samples.jsonl", "toy-org/bm25", {"nDCG@10": 0.525, "AP": 0.3}),
    ("opensearch_search_relevance/evaluation_result_test_document.json", "legacy-config", {"nDCG@5": 0.5}),
    ("opensearch_search_relevance/movies_experiment_pointwise.json", "a58e2718-5ffd-4e94-9875-f305e323706e", {"nDCG": 0.32}),
    ("constructed/rank_eval/response.json", "response.json", {"metric_score": 0.63}),
    ("promptfoo/out.jsonl", "system-B prompt 1", {"length": 0.09, "score": 0.295}),
]  # fmt: skip
"""Files, a system of each, and its means, computed by hand or printed by the tool."""


@pytest.mark.real
@pytest.mark.filterwarnings("ignore::irmx.DataWarning")
@pytest.mark.parametrize(("name", "system", "means"), SAMPLES, ids=[name for name, *_ in SAMPLES])
def test_means_of_files_of_platforms(platforms: Path, name: str, system: str, means: dict[str, float]) -> None:
    found = read_per_topic(platforms / name).means().loc[system].to_dict()
    assert found == pytest.approx(means)


@pytest.mark.real
def test_a_file_of_helm(platforms: Path) -> None:
    path = platforms / "helm" / "narrative_qa_gpt2" / "per_instance_stats.json"
    [(system, values)] = values_of(path).items()
    assert system == "openai/gpt2"
    for one in json.loads(path.read_text()):
        for stat in one["stats"]:
            if stat["count"]:
                assert values[stat["name"]["name"]][one["instance_id"]] == stat["sum"] / stat["count"]


@pytest.mark.real
def test_what_holds_no_values_by_item_is_told(platforms: Path) -> None:
    for name in ("opensearch_search_relevance/movies_experiment_pairwise_sample.json", "ragas/dataset.csv", "ragas/dataset.jsonl", "every_eval_ever/demo.json",
                 "lm_eval/results_2026-01-21T03-44-18.458309.json", "ranx/run.json", "ranx/run.trec.gz", "phoenix/spans.jsonl", "helm/narrative_qa_gpt2/run_spec.json"):  # fmt: skip
        with pytest.raises(DataError):
            read_per_topic(platforms / name)
