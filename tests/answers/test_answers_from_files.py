"""Files of answers and of their judges, from the file to the value: nuggetizer, TREC RAG, support, UDCG, leaderboards."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import irmx
from irmx import DataError, DataWarning
from irmx_study import read_per_topic

LABELS = ("support", "partial_support", "not_support", "failed")
IMPORTANCES = ("vital", "okay", "failed")
VARIANTS = ("NuggetRecall", "NuggetRecall(strict=True)", "NuggetRecall(of='all')", "NuggetRecall(of='all',strict=True)")
OF_NUGGETIZER = ("vital_score", "strict_vital_score", "all_score", "strict_all_score")

Lines = Callable[..., str]


@pytest.fixture
def lines(tmp_path: Path) -> Lines:
    """A function that writes objects as JSON Lines, or a text, and returns the path."""

    def write(*records: Any, name: str = "file.jsonl") -> str:
        text = records[0] if isinstance(records[0], str) else "".join(json.dumps(one) + "\n" for one in records)
        (tmp_path / name).write_text(text, encoding="utf-8")
        return str(tmp_path / name)

    return write


def by_topic(measures: str, qrels: Any, run: Any) -> dict[str, dict[str, float]]:
    """The values by measure and topic."""
    values: dict[str, dict[str, float]] = {}
    for metric in irmx.iter_calc(measures, qrels, run):
        values.setdefault(str(metric.measure), {})[metric.query_id] = metric.value
    return values


def rows(form: str, table: Any, path: str, *columns: str, **params: Any) -> list[tuple[Any, ...]]:
    """The ids and some columns of the rows that a format reads from a file."""
    reader = type(irmx.registry().formats()[form])(**params)
    read = reader.read(table, Path(path), Path(path).read_bytes())
    return list(zip(*(read[name].to_pylist() for name in ("query_id", "doc_id", *columns)), strict=True))


# -- nuggetizer ------------------------------------------------------------------------------------------------------


def assigned(draw: random.Random, topics: int, runs: tuple[str, ...] = ("a",)) -> list[dict[str, Any]]:
    """Assignments of random answers; a text may occur twice in a list."""
    records = []
    for t in range(topics):
        nuggets = [(draw.choice(["n", f"n{i}"]), draw.choice(IMPORTANCES)) for i in range(draw.randint(1, 8))]
        for run in runs:
            listed = [{"text": n, "importance": w, "assignment": draw.choice(LABELS)} for n, w in nuggets]
            records.append(
                {
                    "query": "?",
                    "qid": f"q{t}",
                    "answer_text": "x " * draw.choice([1, 3000]),
                    "run_id": run,
                    "nuggets": listed,
                }
            )
    return records


SYSTEMS = (("b", "partial_support"), ("a x", "support"), ("7", "not_support"))


def nugget(text: str, importance: str = "vital", assignment: str = "support") -> dict[str, str]:
    return {"text": text, "importance": importance, "assignment": assignment}


@pytest.mark.parametrize("seed", range(4))
def test_assignments_have_the_values_of_plain_python(seed: int, lines: Lines) -> None:
    records = assigned(random.Random(seed), 6, ("a", "b"))
    path = lines(*records)
    for run in ("a", "b"):
        values = by_topic(" ".join(VARIANTS), path, f"nuggetizer(run={run}):{path}")
        for record in (record for record in records if record["run_id"] == run):
            for variant, (kept, partly) in zip(
                VARIANTS, [(("vital",), 0.5), (("vital",), 0), (IMPORTANCES, 0.5), (IMPORTANCES, 0)], strict=True
            ):
                has = {"support": 1.0, "partial_support": partly}
                counted = [has.get(n["assignment"], 0.0) for n in record["nuggets"] if n["importance"] in kept]
                expected = sum(counted) / len(counted) if counted else 0.0
                assert values[variant][record["qid"]] == pytest.approx(expected, abs=1e-12)


def test_nuggets_of_several_answers_are_those_of_the_topic(lines: Lines) -> None:
    path = lines(
        {"qid": "q", "run_id": "a", "nuggets": [nugget("x"), nugget("y  z", "okay", "partial_support")]},
        {"qid": "q", "run_id": "b", "nuggets": [nugget("y z", "okay", "failed"), nugget("x")]},
        {"qid": 7, "run_id": "b", "nuggets": [nugget("x", "failed")]},
    )
    judged = rows("nuggetizer", "qrels", path, "nugget_importance")
    assert judged == [("q", "x", 1.0), ("q", "y z", 0.5), ("7", "x", 0.0)]
    assert rows("nuggetizer", "run", path, "assignment", run="b") == [("q", "y z", 0), ("q", "x", 1), ("7", "x", 1)]
    assert irmx.read_run(f"nuggetizer(run=a):{path}").as_dict() == {"q": {"x": 2.0, "y z": 1.0}}
    with pytest.raises(DataError, match=r"a, b.*nuggetizer\(run=a\)"):
        irmx.read_run(path)
    with pytest.raises(DataError, match="'c'"):
        irmx.read_run(f"nuggetizer(run=c):{path}")


def test_a_gap_in_a_list_of_nuggets_gives_no_verdict(lines: Lines, command: Callable[..., Any]) -> None:
    """A nugget that is missing where another answer has it, or doubled where it helps, would make two equal systems differ."""
    draw = random.Random(4)
    labels = [[draw.choice(LABELS[::2]) for _ in range(6)] for _ in range(20)]
    base, new = (
        [{"qid": f"q{t}", "run_id": run, "nuggets": [nugget(f"n{i}", assignment=label) for i, label in enumerate(of)]} for t, of in enumerate(labels)]
        for run in ("base", "new")
    )  # fmt: skip
    gaps = [{**one, "nuggets": one["nuggets"][:3]} for one in base]
    doubles = [{**one, "nuggets": [*one["nuggets"], *one["nuggets"][:1]]} for one in new]
    for records, code in ((base + new, 3), (gaps + new, 1), (base + doubles, 1)):
        path = lines(*records)
        runs = (f"nuggetizer(run={run}):{path}" for run in ("base", "new"))
        assert command("verdict", path, *runs, "NuggetRecall").code == code


def test_topics_without_nuggets_are_told(lines: Lines) -> None:
    path = lines(
        *({"qid": q, "run_id": "a", "nuggets": [nugget("x")] if q == "q3" else []} for q in ("q1", "q2", "q3"))
    )
    for read in (irmx.read_run, irmx.read_qrels):
        with pytest.warns(DataWarning, match="q1, q2"):
            assert read(path).topics == ["q3"]


def test_nuggets_without_answers_are_judgments(lines: Lines) -> None:
    listed = [{"text": "x", "importance": "okay"}, {"text": "y", "importance": "vital"}]
    path = lines({"query": "why?", "qid": "q", "nuggets": listed})
    assert rows("nuggetizer", "qrels", path, "nugget_importance") == [("q", "x", 0.5), ("q", "y", 1)]
    with pytest.raises(DataError, match=r"file.jsonl, line 1: .*assignment"):
        irmx.read_run(f"nuggetizer:{path}")


@pytest.mark.parametrize(
    ("table", "second", "wrong"),
    [
        ("qrels", {"run_id": "b", "nuggets": [nugget("x", "okay")]}, "'x'.*okay.*vital in .*line 1"),
        ("qrels", {"run_id": "b", "nuggets": [nugget("x", "huge")]}, "'x'.*vital, okay, failed.*'huge'"),
        ("run", {"qid": "p", "run_id": "a", "nuggets": [nugget("y", assignment="1")]}, "'y'.*not_support.*'1'"),
        ("run", {"qid": "p", "run_id": "a", "nuggets": [{"importance": "vital"}]}, "'text'"),
        ("run", {"run_id": "a", "nuggets": [nugget("x")]}, "second answer.*line 1"),
        ("run", {"run_id": "a"}, "'nuggets'"),
        ("run", {"run_id": "b", "nuggets": [nugget("x"), nugget("y")]}, "'y' of the topic 'q'.*'b'.*'a'"),
        ("qrels", {"run_id": "b", "nuggets": []}, "'x' of the topic 'q'.*'a'.*'b'"),
        ("qrels", {"run_id": "b", "nuggets": [nugget("x"), nugget("x")]}, "'x .2.' of the topic 'q'.*'b'.*'a'"),
        ("qrels", {"run_id": "a", "nuggets": ["x"]}, "cannot be read"),
    ],
)
def test_the_line_of_a_wrong_nugget_is_named(table: str, second: dict[str, Any], wrong: str, lines: Lines) -> None:
    path = lines({"qid": "q", "run_id": "a", "nuggets": [nugget("x")]}, {"qid": "q", **second})
    with pytest.raises(DataError, match=rf"file\.jsonl, line 2: .*{wrong}"):
        irmx.read_run(f"nuggetizer:{path}") if table == "run" else irmx.read_qrels(f"nuggetizer:{path}")


@pytest.mark.parametrize("seed", range(10))
def test_nugget_recall_is_what_nuggetizer_computes(seed: int, lines: Lines) -> None:
    metrics = pytest.importorskip("nuggetizer.core.metrics", reason="pip install nuggetizer")
    records = assigned(random.Random(100 + seed), 30)
    path, compared = lines(*records), 0
    values = by_topic(" ".join(VARIANTS), path, path)
    for record in records:
        theirs = metrics.calculate_nugget_scores(record["qid"], record["nuggets"])
        for name, of_topics in zip(OF_NUGGETIZER, values.values(), strict=True):
            assert of_topics[record["qid"]] == pytest.approx(getattr(theirs, name), abs=1e-12), name
            compared += 1
    means = metrics.calculate_global_metrics(records)
    for name, of_topics in zip(OF_NUGGETIZER, values.values(), strict=True):
        assert sum(of_topics.values()) / len(of_topics) == pytest.approx(means[name], abs=1e-12)
    assert compared == 120


@pytest.mark.parametrize("name", ["7", "1e5", "a,b", "IITD-IRL.zeph_rag"])
def test_the_error_says_how_a_system_is_named(name: str, lines: Lines) -> None:
    path = lines(*({"qid": "q", "run_id": run, "nuggets": [nugget("x")]} for run in (name, "other")))
    with pytest.raises(DataError) as told:
        irmx.read_run(path)
    advice = str(told.value).partition("'nuggetizer")[2].partition("'")[0]
    assert irmx.read_run(f"nuggetizer{advice.replace('FILE', path)}").topics == ["q"]


# -- answers ---------------------------------------------------------------------------------------------------------


def test_answers_of_every_track_are_sentences(lines: Lines) -> None:
    cited = {
        "positions": [[0, 1], [], [1]],
        "ids": [["d1", "d2"], [], ["d2"]],
        "confidences": [{"d1": 0.2, "d2": 0.9}, {}, {"d2": 80.0}],
        "none": [["d1", "d2"], None, ["d2"]],
    }
    said = ("One, two.", "Three  four five.", "")
    for form, citations in cited.items():
        sentences = [{"text": text, "citations": of} for text, of in zip(said, citations, strict=True)]
        of_answer = {"references": ["d1", "d2"], "answer": sentences}
        for record in (
            {"run_id": "r", "topic_id": "t", "topic": "Why?", "response_length": 5, **of_answer},
            {"metadata": {"team_id": "x", "run_id": "r", "narrative_id": "t", "narrative": "?"}, **of_answer},
            {
                "metadata": {"run_id": "r", "topic_id": "t"},
                "responses": sentences,
                **({"references": ["d1", "d2"]} if form == "positions" else {"documents": {}}),
            },
        ):
            path = lines(record, {**record, "topic_id": 8, "metadata": {"run_id": "r", "topic_id": 8}})
            assert rows("answers", "run", path, "length", "citations") == [
                (t, f"r:{t}:{n}", *of) for t in ("t", "8") for n, of in enumerate([(2, 2), (3, 0), (0, 1)])
            ]
            assert irmx.read_run(path).as_dict()["t"] == {"r:t:0": 3, "r:t:1": 2, "r:t:2": 1}


def answer(*cited: Any, **named: Any) -> dict[str, Any]:
    sentences = [{"text": "a b", "citations": one} for one in cited]
    return {"run_id": "r", "topic_id": "t", "references": ["d"], **named, "answer": sentences}


@pytest.mark.parametrize(
    ("second", "wrong"),
    [
        (answer([0], topic_id="u") | {"answer": None}, "'answer'"),
        (answer([0], topic_id="u") | {"answer": "text"}, "'answer'"),
        (answer([0], [1], topic_id="u"), "sentence 1 cites position 1.*1 reference"),
        (answer([-1], topic_id="u"), "position -1"),
        (answer([True], topic_id="u"), "True"),
        (answer("d", topic_id="u"), "list"),
        (answer([0], topic_id=None), "'topic_id'"),
        (answer([0], topic_id="u", run_id=None), "'run_id'"),
        (answer([0]), "second answer.*'t'.*line 1"),
        ({**answer([0], topic_id="u"), "answer": [{"citations": []}]}, "'text'"),
    ],
)
def test_the_line_of_a_wrong_answer_is_named(second: dict[str, Any], wrong: str, lines: Lines) -> None:
    with pytest.raises(DataError, match=rf"file\.jsonl, line 2: .*{wrong}"):
        irmx.read_run(lines(answer([0]), second))


def test_answers_of_several_systems(lines: Lines) -> None:
    path = lines(answer([0]), answer([0], [], run_id="s"))
    assert rows("answers", "run", path, "citations", run="s") == [("t", "s:t:0", 1), ("t", "s:t:1", 0)]
    with pytest.raises(DataError, match=r"r, s.*answers\(run=r\)"):
        irmx.read_run(path)


def test_all_systems_of_a_file_are_runs_where_several_may_stand(lines: Lines, command: Callable[..., Any]) -> None:
    records = [
        {"qid": q, "run_id": run, "nuggets": [nugget("n", assignment=label)]} for q in "pq" for run, label in SYSTEMS
    ]
    path = lines(*records)
    means = {"b": 0.5, "a x": 1.0, "7": 0.0}
    assert irmx.scores("NuggetRecall", path, path).means()["NuggetRecall"].to_dict() == means
    assert irmx.scores("NuggetRecall", path, f"nuggetizer(run='a x'):{path}").means()["NuggetRecall"].to_dict() == {
        "a x": 1.0
    }
    printed = command("eval", path, f"nuggetizer:{path}", "NuggetRecall").out.splitlines()[1:]
    assert {line.split("\t")[0]: float(line.split("\t")[1]) for line in printed} == means
    assert command("compare", path, path, "NuggetRecall", "--baseline", "b").code == 0
    assert command("explain", path, path, "NuggetRecall", "-t", "q").code == 1
    command("compare", "--scores", path).assert_refused(1)  # they are no scores


def test_judgments_and_seeds_are_files_not_the_systems_in_them(lines: Lines, command: Callable[..., Any]) -> None:
    """A judge's file has answers of several systems, and systems are no seeds of one run."""
    paths = {}
    for judge, support in (("human", 2), ("llm", 1)):
        answers = [{"topic_id": t, "run_id": run, "sentences": [
            {"sentenceID": 0, "text": "x", "citations": [{"citationID": 0, "support": support if run == "a" else 0}]}
        ]} for t in "pq" for run in "ab"]  # fmt: skip
        paths[judge] = lines(*answers, name=f"{judge}.jsonl")
    done = command("judges", *(f"{judge}=support(of=citations):{path}" for judge, path in paths.items()))
    assert (done.code, "50% of 4 documents" in done.out) == (0, True), done.err
    done = command("verdict", paths["human"], f"support(run=a):{paths['human']}", paths["human"], "SupportRecall")
    assert (done.code, "a, b" in done.err) == (1, True)


def test_a_long_prompt_before_the_answer(lines: Lines) -> None:
    """TREC RAG's metadata may have the whole prompt."""
    named = {"run_id": "r", "narrative_id": 7, "prompt": "x " * 9000}
    path = lines({"metadata": named, "references": [], "answer": [{"text": "a b", "citations": []}]})
    assert irmx.read_run(path).as_dict() == {"7": {"r:7:0": 1.0}}


@pytest.mark.real
def test_reports_of_the_starter_kit_of_autojudge() -> None:
    folder = Path(os.environ["IRMX_DATA"]) / "platforms" / "trec_rag"
    compared = 0
    for path in [*(folder / "kiddie" / "runs" / "repgen").glob("*.jsonl"), *folder.glob("*_with_citations.jsonl")]:
        reports = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        read = rows("answers", "run", str(path), "length", "citations")
        assert irmx.read_run(path).topics == [report["metadata"]["topic_id"] for report in reports]
        said = [sentence for report in reports for sentence in report["responses"]]
        assert [row[2:] for row in read] == [(len(one["text"].split()), len(one["citations"])) for one in said]
        compared += len(said)
    assert compared > 50
    board = folder / "kiddie" / "eval" / "kiddie_fake.eval.ir_measures.txt"
    of_runs = values_read([f"autojudge(form=ir_measures):{board}"], None)
    assert of_runs == values_read([str(board)], None)
    assert len(of_runs) == 20


# -- support ---------------------------------------------------------------------------------------------------------


def in_answers(draw: random.Random, run: str, topics: int) -> list[dict[str, Any]]:
    """Judged answers in the form of TREC; of some citations there is no judgment."""
    return [
        {
            "topic_id": f"t{t}",
            "run_id": run,
            "sentences": [
                {
                    "sentenceID": n,
                    "text": "w " * draw.randint(1, 9),
                    "citations": [
                        {"citationID": i, "reference": "d", "support": draw.choice(["2", "1", "0", "-1"])}
                        for i in range(draw.randint(0, 3))
                    ],
                }
                for n in range(draw.randint(1, 6))
            ],
        }
        for t in range(topics)
    ]


def plain_support(record: dict[str, Any], every: bool, strict: bool) -> tuple[float, float]:
    """Precision and recall of an answer, sentence by sentence."""
    total, cited, sentences = 0.0, 0, 0
    for sentence in record["sentences"]:
        labels = [int(one["support"]) for one in sentence["citations"]]
        judged = [one for one in (labels if every else labels[:1]) if one >= 0]
        sentences += bool(judged) or not labels
        if judged:
            cited += 1
            total += sum({2: 1.0, 1: 0.0 if strict else 0.5, 0: 0.0}[one] for one in judged) / len(judged)
    return total / cited if cited else 0.0, total / sentences if sentences else 0.0


@pytest.mark.filterwarnings("ignore::irmx.DataWarning")
@pytest.mark.parametrize("seed", range(4))
def test_judged_answers_of_trec_are_run_and_judgments(seed: int, lines: Lines) -> None:
    records = [one for run in ("a", "b") for one in in_answers(random.Random(f"{run}{seed}"), run, 5)]
    path = lines(*records)
    for every in (False, True):
        for strict in (False, True):
            params = f"(citations={'all' if every else 'first'},strict={strict})"
            for run in ("a", "b"):
                read = irmx.read_run(f"support(run={run}):{path}")
                values = by_topic(f"SupportPrecision{params} SupportRecall{params}", path, read)
                for record in (record for record in records if record["run_id"] == run):
                    expected = plain_support(record, every, strict)
                    found = [of_topics[record["topic_id"]] for of_topics in values.values()]
                    assert found == pytest.approx(list(expected), abs=1e-12)


WORKED = [("t", "r", 0, 0, "PS"), ("t", "r", 1, 0, "FS")]
"""The worked example of the track: support in part and in full; the third sentence cites nothing."""


@pytest.mark.parametrize(
    "labels", [("PS", "FS"), ("0.5", "1"), ("partial support", "Full_Support"), ("partial", "full")]
)
@pytest.mark.parametrize("form", ["jsonl", "tsv", "csv", "lines", "from 1"])
def test_tables_of_support_give_the_worked_example(form: str, labels: tuple[str, str], lines: Lines) -> None:
    judged = [(*row[:4], label) for row, label in zip(WORKED, labels, strict=True)]
    header, named = ["topic_id", "run_id", "sentence_id", "citation", "label"], ""
    if form == "jsonl":
        path = lines(*(dict(zip(header, row, strict=True)) for row in judged), name="judged")
    elif form == "lines":
        named = "support:"
        path = lines("".join(" ".join(map(str, row)) + "\n" for row in judged), name="judged")
    else:
        first = form == "from 1"
        named = "support(first=1):" if first else ""
        sep = "," if form == "csv" else "\t"
        counted = [(t, r, n + first, c + first, label) for t, r, n, c, label in judged]
        path = lines("".join(sep.join(map(str, row)) + "\n" for row in [header, *counted]), name="judged")
    run = lines({"run_id": "r", "topic_id": "t", "references": ["d"], "answer": [{"text": "x", "citations": of} for of in ([0], [0], [])]})  # fmt: skip
    values = irmx.calc_aggregate("SupportPrecision SupportRecall", named + path, run)
    assert list(values.values()) == pytest.approx([0.75, 0.5], abs=1e-12)


def test_citations_of_a_table_are_in_their_order(lines: Lines) -> None:
    """By number where they have one, else as they stand; only the first counts."""
    run = lines(
        {"run_id": "r", "topic_id": "t", "references": ["d", "e"], "answer": [{"text": "x", "citations": [0, 1]}]}
    )
    for citations in ((1, 0), (2, 1), ("d", "e")):
        judged = [("t", "r", 0, citation, label) for citation, label in zip(citations, ("FS", "NS"), strict=True)]
        path = lines("topic,run,sentence,citation,label\n" + "".join(",".join(map(str, row)) + "\n" for row in judged), name="j")  # fmt: skip
        [value] = irmx.calc_aggregate("SupportPrecision", path, run).values()
        assert value == (1.0 if citations == ("d", "e") else 0.0)
        [value] = irmx.calc_aggregate("SupportPrecision(citations='all')", path, run).values()
        assert value == 0.5


def test_columns_of_a_table_are_found_by_their_names(lines: Lines) -> None:
    table = 'query,Run ID,sentence_index,text,reference,citation-id,qid,label\n"Why?",r,0,"a,\nb",d,1,q,FS\nHow?,r,0,,d,0,q,NS\n'
    judged = rows("support", "qrels", lines(table, name="j.csv"), "support", "citation")
    assert judged == [("q", "r:q:0", 1, 2), ("q", "r:q:0", 0, 1)]


def test_numbers_of_support_and_what_was_not_scored(lines: Lines) -> None:
    table = "topic,run,sentence,citation,label\nt,r,0,0,2\nt,r,1,0,1\nt,r,2,0,-1\nt,r,3,0,0\n"
    path = lines(table, name="judged.csv")
    with pytest.raises(DataError, match=r"judged.csv, line 2: .*'2'.*support\(full=2"):
        irmx.read_qrels(path)
    with pytest.warns(DataWarning, match="1 of 4 citations"):
        judged = rows("support", "qrels", path, "support", "citation", full=2.0)
    assert judged == [("t", "r:t:0", 1, 1), ("t", "r:t:1", 0.5, 1), ("t", "r:t:3", 0, 1)]
    with pytest.warns(DataWarning, match=r"no answer has a sentence 0.*first=1"):
        assert rows("support", "qrels", lines("topic,run,sentence,label\nt,r,1,FS\n", name="j.csv")) == [("t", "r:t:1")]


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("t,r,0,0,NS", "judged 'NS'.*line 2"),
        ("t,r,1,0,maybe", "FS, PS, NS.*'maybe'"),
        ("t,r,one,0,FS", "whole number.*'one'"),
        ("t,r,-1,0,FS", "no sentence -1"),
        ("t,r,1,FS", "4 fields"),
        (",r,1,0,FS", "an id"),
    ],
)
def test_the_line_of_a_wrong_judgment_is_named(line: str, wrong: str, lines: Lines) -> None:
    with pytest.raises(DataError, match=rf"judged, line 3: .*{wrong}"):
        irmx.read_qrels(lines(f"topic,run,sentence,citation,label\nt,r,0,0,FS\n{line}\n", name="judged"))


def test_a_table_of_support_with_two_labels_is_refused(lines: Lines) -> None:
    with pytest.raises(DataError, match=r"judged, line 1: .*'label'"):
        irmx.read_qrels(lines("topic,run,sentence,label,label\nt,r,0,FS,NS\n", name="judged"))


def test_a_table_of_support_is_no_run(lines: Lines) -> None:
    with pytest.raises(DataError, match="file of answers"):
        irmx.read_run("support:" + lines("topic,run,sentence,citation,label\nt,r,0,0,FS\n", name="judged"))


def test_the_command_takes_one_system_of_a_file_or_all(lines: Lines, command: Any) -> None:
    judged = lines(*({"topic_id": "t", "run_id": run, "sentences": [
        {"sentenceID": n, "text": "x", "citations": [{"citationID": 0, "support": label}]} for n, label in enumerate(labels)
    ]} for run, labels in {"a": ["2", "1"], "b": ["0", "1"]}.items()))  # fmt: skip
    for runs in ([f"support(run={run}):{judged}" for run in "ab"], [judged]):
        done = command("eval", judged, *runs, "SupportRecall", "-p", -1, "-o", "jsonl")
        assert (done.code, [row["value"] for row in map(json.loads, done.out.splitlines())]) == (0, [0.75, 0.25])


# -- UDCG ------------------------------------------------------------------------------------------------------------


def example(name: str = "q", **models: Any) -> dict[str, Any]:
    passages = [
        {
            "doc_id": f"d{i}",
            "text": "x " * 3000,
            "is_relevant": i == 0,
            "models_info": {model: {"no_res_prob": of[i]} for model, of in models.items() if of[i] is not None},
        }
        for i in range(3)
    ]
    return {"example_id": name, "question": "?", "passages": passages}


def test_the_data_of_udcg_are_run_and_judgments(lines: Lines) -> None:
    path = lines(json.dumps([example(m=(0.1, 0.2, 0.9))]))
    assert irmx.calc_aggregate("UDCG", path, path)[irmx.UDCG] == pytest.approx(0.549834, abs=5e-7)
    path = lines(json.dumps([example(m=(0.1, None, 0.9), o=(0.5, 0.5, 0.5))]))
    [value] = irmx.calc_aggregate("UDCG", path, f"udcg(model=m):{path}").values()
    assert value == pytest.approx(1 / (1 + 2.718281828459045 ** -((0.9 - 0.1 / 3) / 3)), abs=1e-12)
    with pytest.raises(DataError, match=r"m, o.*udcg\(model=m\)"):
        irmx.read_run(path)


@pytest.mark.parametrize(
    ("examples", "wrong"),
    [
        ([example(m=(0.1, 1.5, 0.2))], "'q', passage 2.*1.5"),
        ([example(m=(0.1, "x", 0.2))], "passage 2.*'x'"),
        ([example(m=(0, 0, 0)), example(m=(0, 0, 0))], "2 examples 'q'"),
        ([{"example_id": "q", "passages": []}], "no passage"),
        ([{"passages": []}], "example_id"),
        ([{"example_id": "q", "passages": [{"doc_id": "d", "models_info": [[]]}]}], "cannot be read as udcg"),
    ],
)
def test_what_is_wrong_in_the_data_of_udcg_is_named(examples: Any, wrong: str, lines: Lines) -> None:
    with pytest.raises(DataError, match=wrong):
        irmx.read_run("udcg:" + lines(json.dumps(examples)))
    passage = {"doc_id": "d", "is_relevant": "perhaps"}
    with pytest.raises(DataError, match=r"'p', passage 1.*'perhaps'"):
        irmx.read_qrels("udcg:" + lines(json.dumps([{"example_id": "p", "passages": [passage]}])))


@pytest.mark.real
def test_the_values_that_the_authors_of_udcg_wrote_by_command(command: Any) -> None:
    path = Path(os.environ["IRMX_DATA"]) / "answers" / "udcg_sample_with_scores.json"
    done = command("eval", "-q", "-p", -1, "-o", "jsonl", path, path, "UDCG(weight=-0.333)")
    found = {row["query_id"]: row["value"] for row in map(json.loads, done.out.splitlines())}
    written = {one["example_id"]: next(iter(one["udcg"].values())) for one in json.loads(path.read_text("utf-8"))}
    assert len(written) == 3
    for topic, value in written.items():
        assert found[topic] == pytest.approx(value, abs=1e-12)


# -- leaderboards ----------------------------------------------------------------------------------------------------


VALUES = {
    (run, measure, topic): round(random.Random(f"{run}{measure}{topic}").random(), 6)
    for run in ("r1", "r2")
    for measure in ("M-1", "M-2")
    for topic in ("bee", "leaf", "28")
}
FORMS = {
    "trec_eval": "{measure}\t{topic}\t{value}",
    "tot": "{run} {measure}  {topic} {value}",
    "ir_measures": "{run}\t{topic}\t{measure}\t{value}",
    "ranking": "{topic}\tQ0\t{run}\t0\t{value}\t{measure}",
    "jsonl": '{{"run_id": "{run}", "topic_id": "{topic}", "measure": "{measure}", "value": {value}}}',
}


def leaderboard(form: str, means: bool, runs: tuple[str, ...] = ("r1", "r2")) -> str:
    values = {key: value for key, value in VALUES.items() if key[0] in runs}
    if means:
        for run, measure, _ in list(values):
            values[run, measure, "all"] = sum(v for k, v in VALUES.items() if k[:2] == (run, measure)) / 3
    out = [FORMS[form].format(run=r, measure=m, topic=t, value=v) for (r, m, t), v in values.items()]
    return "\n".join(out) + "\n"


def values_read(paths: list[str], names: list[str] | None) -> dict[tuple[str, str, str], float]:
    frame = read_per_topic(paths, names=names).frame()
    return {(row.system, row.measure, row.query_id): row.value for row in frame.itertuples()}


@pytest.mark.parametrize("means", [True, False], ids=["all", "topics only"])
@pytest.mark.parametrize("form", FORMS)
def test_leaderboards_in_every_form(form: str, means: bool, lines: Lines) -> None:
    if form == "trec_eval":
        paths, names = [lines(leaderboard(form, means, (run,)), name=run) for run in ("r1", "r2")], ["r1", "r2"]
    else:
        paths, names = [lines(leaderboard(form, means), name="board")], None
    assert values_read([f"autojudge(form={form}):{path}" for path in paths], names) == VALUES
    if means or form in ("ranking", "jsonl"):  # otherwise nothing tells the topic from the measure
        assert values_read(paths, names) == VALUES
    else:
        with pytest.raises(DataError, match="which"):
            read_per_topic(paths, names=names)


@pytest.fixture
def eval_results(monkeypatch: pytest.MonkeyPatch) -> Any:
    """AutoJudge's reader of leaderboards, without the rest of the package, whose import downloads data of nltk."""
    spec = importlib.util.find_spec("autojudge_evaluate")
    if spec is None:
        pytest.skip("needs autojudge-evaluate: pip install autojudge-evaluate")
    monkeypatch.setitem(sys.modules, "autojudge_evaluate", importlib.util.module_from_spec(spec))
    return importlib.import_module("autojudge_evaluate.eval_results")


@pytest.mark.parametrize("means", [True, False], ids=["all", "topics only"])
@pytest.mark.parametrize("form", FORMS)
def test_leaderboards_are_what_autojudge_loads(form: str, means: bool, lines: Lines, eval_results: Any) -> None:
    names = ["r1", "r2"] if form == "trec_eval" else None
    paths = [lines(leaderboard(form, means, (run,)), name=run) for run in names or ()]
    paths = paths or [lines(leaderboard(form, means), name="board")]
    theirs = {}
    for path in paths:
        loaded = eval_results.load(
            Path(path), form, drop_aggregates=True, recompute_aggregates=False, verify=False, on_missing="ignore"
        )
        theirs |= {(one.run_id, one.measure, one.topic_id): float(one.value) for one in loaded.entries}
    assert values_read([f"autojudge(form={form}):{path}" for path in paths], names) == theirs == VALUES


def test_a_header_of_a_leaderboard_is_left_out(lines: Lines) -> None:
    path = lines("run_id\tquery_id\tmeasure\tvalue\n" + leaderboard("ir_measures", False), name="board")
    assert values_read([f"autojudge(form=ir_measures):{path}"], None) == VALUES


@pytest.mark.parametrize(
    ("form", "content", "wrong"),
    [
        ("tot", "r m t 1\nr m t\n", "line 2: .*run, measure, topic, value.*3 fields"),
        ("tot", "r m t 1\nr m u x\n", "line 2: .*'x'"),
        ("jsonl", '{"run_id": "r", "topic_id": "t", "measure": "m"}\n', "line 1: .*'value'"),
        ("jsonl", '{"topic_id": "t", "measure": "m", "value": 1}\n', "line 1: .*'run_id'"),
    ],
)
def test_the_line_of_a_wrong_leaderboard_is_named(form: str, content: str, wrong: str, lines: Lines) -> None:
    with pytest.raises(DataError, match=f"board, {wrong}"):
        read_per_topic(f"autojudge(form={form}):" + lines(content, name="board"))


# -- judges of answers -----------------------------------------------------------------------------------------------


def judged_again(draw: random.Random, labels: list[float]) -> list[float]:
    """The labels of a second judge, who differs now and then."""
    return [draw.choice([0.0, 0.5, 1.0]) if draw.random() < 0.3 else label for label in labels]


def test_judges_of_support_and_of_nuggets_are_compared_as_on_qrels(lines: Lines, command: Callable[..., Any]) -> None:
    draw = random.Random(5)
    first = [draw.choice([0.0, 0.5, 1.0]) for _ in range(60)]
    second = judged_again(draw, first)
    names = {1.0: "support", 0.5: "partial_support", 0.0: "not_support"}
    found = []
    for form in ("support", "nuggets", "qrels"):
        files = []
        for judge, labels in (("people", first), ("model", second)):
            pairs = [(str(i // 6), i % 6, label) for i, label in enumerate(labels)]
            if form == "support":
                table = "topic\trun\tsentence\tcitation\tlabel\n" + "".join(
                    f"{t}\ta\t{n}\td\t{v}\n" for t, n, v in pairs
                )
                files.append(f"{judge}=support(of=citations):{lines(table, name=f'{judge}.tsv')}")
            elif form == "nuggets":
                answers = [
                    {"qid": t, "query": "?", "run_id": "a", "answer_text": "x",
                     "nuggets": [nugget(f"n{n}", "vital", names[v]) for u, n, v in pairs if u == t]}
                    for t in dict.fromkeys(t for t, _, _ in pairs)
                ]  # fmt: skip
                files.append(f"{judge}=nuggetizer(of=assignments):{lines(*answers, name=f'{judge}.jsonl')}")
            else:
                text = "query_id,doc_id,relevance\n" + "".join(f"{t},s{n},{v}\n" for t, n, v in pairs)
                files.append(f"{judge}={lines(text, name=f'{judge}.csv')}")
        done = command("judges", *files, "-o", "jsonl")
        assert done.code == 0, done.err
        found.append(
            [
                {k: v for k, v in json.loads(line).items() if isinstance(v, (int, float))}
                for line in done.out.splitlines()
            ]
        )
    assert found[0] == found[1] == found[2]
    assert found[0]


def test_from_files_of_answers_to_a_verdict(lines: Lines, command: Callable[..., Any], tmp_path: Path) -> None:
    draw = random.Random(8)
    texts = [f"n{i}" for i in range(5)]
    for name, chance in (("good", 0.8), ("poor", 0.3)):
        answers = [
            {"qid": str(t), "query": "?", "run_id": name, "answer_text": "x",
             "nuggets": [nugget(n, "vital", "support" if draw.random() < chance else "not_support") for n in texts]}
            for t in range(25)
        ]  # fmt: skip
        lines(*answers, name=f"{name}.jsonl")
    done = command("verdict", "good.jsonl", "poor.jsonl", "good.jsonl", "NuggetRecall", cwd=tmp_path)
    assert done.code == 0, done.err
    assert done.out.startswith("Holds")


def test_citations_that_are_ids_or_positions_are_in_the_order_of_the_file(lines: Lines) -> None:
    for pairs in ((("7067032", "FS"), ("55", "FS")), (("0", "FS"), ("1", "NS"))):
        rows_of = "".join(f"q\ta\t{n}\t{citation}\t{label}\n" for n, (citation, label) in enumerate(pairs))
        path = lines("topic\trun\tsentence\treference\tlabel\n" + rows_of, name="support.tsv")
        run = lines(
            {
                "run_id": "a",
                "topic_id": "q",
                "references": ["d", "e"],
                "answer": [{"text": "One.", "citations": [0]}, {"text": "Two.", "citations": [1]}],
            }
        )
        expected = sum(label == "FS" for _, label in pairs) / 2
        assert by_topic("SupportPrecision", path, run) == {"SupportPrecision": {"q": expected}}


def test_texts_of_nuggets_that_look_like_numbered_ones_are_nuggets_of_their_own(lines: Lines) -> None:
    nuggets = [nugget("x"), nugget("x", assignment="not_support"), nugget("x (2)")]
    path = lines({"qid": "q", "query": "?", "run_id": "a", "answer_text": "x", "nuggets": nuggets})
    assert by_topic("NuggetRecall", path, path) == {"NuggetRecall": {"q": pytest.approx(2 / 3)}}
