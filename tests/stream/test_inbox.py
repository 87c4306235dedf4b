"""Inboxes: files in all their forms, plain scoring of random ones, what is refused, and the commands of others on them."""

import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import irmx
from irmx import DataError, DataWarning, UsageError
from irmx_stream import read_inbox, read_inbox_run, score_inbox
from irmx_study import read_per_topic

from .plain import truncated

DAYS = ["2021-08-01", "2021-08-02", "2021-08-03"]
Unit = tuple[str, str, str]
Run = dict[Unit, tuple[float, dict[str, float]]]


def lines(path: Path, *records: Any) -> str:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return str(path)


def table(names: str, rows: Any) -> dict[str, list[Any]]:
    return {name: [row[i] for row in rows] for i, name in enumerate(names.split())}


def write(path: Path, run: Run, tag: str = "mine") -> str:
    """Write a run in the form of the guidelines."""
    topics: dict[str, dict[str, list[Any]]] = {}
    for (topic, question, day), (rank, docs) in run.items():
        ranked = [{"doc_id": doc_id, "score": score} for doc_id, score in docs.items()]
        shown = {"qid": question, "question-rank": rank, "question-text": "?", "doc-ranking": ranked}
        topics.setdefault(topic, {}).setdefault(day, []).append(shown)
    return lines(path, {"runtag": tag}, *({"topic": topic, "results": results} for topic, results in topics.items()))


# -- plain scoring ---------------------------------------------------------------------------------------------------


def random_inbox(seed: int) -> tuple[list[Unit], list[tuple[str, str, str, str, float]], Run]:
    """Return a universe, judgments and a run; documents of a day may be those of several questions."""
    draw = random.Random(seed)
    topics = [f"T{i}" for i in range(draw.randint(1, 3))]
    questions = [(topic, f"{topic}Q{i}") for topic in topics for i in range(draw.randint(1, 4))]
    universe = [(topic, question, day) for topic, question in questions for day in DAYS if draw.random() < 0.9]
    universe = universe or [(*questions[0], DAYS[0])]
    judged, run = [], Run()
    for unit in universe:
        docs = [f"{unit[2]}-{i}" for i in range(8)]
        if draw.random() < 0.5:
            chosen = draw.sample(docs, draw.randint(1, 4))
            judged += [(*unit, doc_id, draw.choice([0, 0, 1, 5, 10])) for doc_id in chosen]
        if draw.random() < 0.6:
            shown = draw.sample(docs, draw.randint(0, 5))
            run[unit] = float(draw.randint(0, 2)), {doc_id: float(draw.randint(0, 3)) for doc_id in shown}
    judged = judged or [(*universe[0], f"{universe[0][2]}-0", 1)]
    for topic, day in {(topic, day) for topic, _, day in universe}:
        if draw.random() < 0.3:
            run[topic, "mine-1", day] = 1.0, {f"{day}-7": 1.0}
    return universe, judged, run


def falling(scores: dict[str, float]) -> list[str]:
    """Ids by score, and equal scores by id, both largest first."""
    return [name for _, name in sorted(((score, name) for name, score in scores.items()), reverse=True)]


def plainly(
    universe: list[Unit], judged: list[tuple[str, str, str, str, float]], run: Run, missing: str, proposed: str
) -> dict[str, dict[Any, tuple[list[float], bool, bool]]]:
    """For each unit of each level: the four values, whether it has an answer, whether the run is silent."""
    if proposed == "drop":
        run = {unit: shown for unit, shown in run.items() if not unit[1].startswith("mine")}
    gains: dict[Unit, dict[str, float]] = {unit: {} for unit in universe}
    for topic, question, day, doc_id, gain in judged:
        gains[topic, question, day][doc_id] = gain
    documents, questions = {}, {}
    for unit, of_unit in gains.items():
        ranking = falling(run.get(unit, (0.0, {}))[1])
        relevant = [gain for gain in of_unit.values() if gain >= 1]
        values = truncated([of_unit.get(doc_id, 0.0) for doc_id in ranking], relevant, 0.5)
        documents[unit] = values, bool(relevant), not ranking
    for topic, day in {(topic, day) for topic, _, day in universe}:
        of_day = {
            unit[1]: max(of.values(), default=0.0) for unit, of in gains.items() if (unit[0], unit[2]) == (topic, day)
        }
        shown = {unit[1]: (rank, docs) for unit, (rank, docs) in run.items() if (unit[0], unit[2]) == (topic, day)}
        ranks = {question: -rank for question, (rank, docs) in shown.items() if docs or missing == "tied"}
        if missing == "tied":
            ranks = dict.fromkeys(of_day, -1000000000.0) | ranks
        relevant = [gain for gain in of_day.values() if gain >= 1]
        values = truncated([of_day.get(question, 0.0) for question in falling(ranks)], relevant, 0.5)
        questions[topic, day] = values, bool(relevant), not any(docs for _, docs in shown.values())
    return {"documents": documents, "questions": questions}


@pytest.mark.parametrize("missing", ["silent", "tied"])
@pytest.mark.parametrize("proposed", ["keep", "drop"])
@pytest.mark.parametrize("seed", range(12))
def test_values_are_those_of_plain_python(seed: int, missing: str, proposed: str, tmp_path: Path) -> None:
    universe, judged, run = random_inbox(seed)
    inbox = read_inbox(table("topic question day document gain", judged), table("topic question day", universe))
    levels = score_inbox(
        inbox, {"mine": read_inbox_run(write(tmp_path / "run.jsonl", run))}, missing=missing, proposed=proposed
    )
    expected = plainly(universe, judged, run, missing, proposed)
    for level in levels:
        of_level = expected[level.level]
        assert level.scores.topics == tuple("/".join(unit) for unit in sorted(of_level))
        for unit, found in zip(sorted(of_level), level.scores.values[:, 0], strict=True):
            assert found.tolist() == pytest.approx(of_level[unit][0], abs=1e-12)
        frame = level.frame().set_index("over")
        for part, kept in (("all", (False, True)), ("answer", (True,)), ("no answer", (False,))):
            some = [(values, silent) for values, has_answer, silent in of_level.values() if has_answer in kept]
            assert frame.loc[part, "units"] == len(some)
            if some:
                assert frame.loc[part, "silent"] == pytest.approx(np.mean([silent for _, silent in some]))
                means = np.mean([values for values, _ in some], axis=0)
                assert frame.loc[part].iloc[-4:].tolist() == pytest.approx(means.tolist())


# -- files -----------------------------------------------------------------------------------------------------------


RANKED = [{"doc_id": "b", "score": 1}, {"doc_id": "a", "score": 2}]
FORMS = {
    "of the guidelines": [
        {"runtag": "mine", "models": ["m"], "extra": {}},
        {"topic": "T", "results": {DAYS[0]: [{"qid": "Q", "question-rank": 0, "doc-ranking": RANKED}], DAYS[1]: []}},
    ],
    "of the server": [
        {"run_tag": "mine", "run_type": "automatic"},
        {"topic": "T", "results": {DAYS[0]: [{"qid": "Q", "question_rank": 0, "doc_ranking": RANKED}], DAYS[1]: []}},
        {"errors": []},
    ],
    "of days with results": [
        {"runtag": "mine"},
        {
            "topic": "T",
            "results": {DAYS[0]: {"results": [{"qid": "Q", "question_rank": 0, "doc_ranking": RANKED}]}, DAYS[1]: []},
        },
    ],
    "of one line a question": [
        {"runtag": "mine"},
        {"topic": "T", "qid": "Q", "day": DAYS[0], "question_rank": 0, "doc_ranking": ["a", "b"]},
        {"topic": "T", "results": {DAYS[1]: []}},
    ],
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_run_is_read_and_found_by_content(form: str, tmp_path: Path) -> None:
    path = lines(tmp_path / "run", *FORMS[form])
    run = read_inbox_run(path)
    assert (run.tag, run.topic, run.question, run.day) == ("mine", ["T"], ["Q"], DAYS[:1])
    assert run.days == {("T", DAYS[0]), ("T", DAYS[1])}
    assert irmx.read_run(path).topics == [f"T/Q/{DAYS[0]}"]
    assert falling(dict(zip(run.doc_id, run.score.tolist(), strict=True))) == ["a", "b"]


@pytest.mark.parametrize(
    "content",
    [
        "topic\tquestion\tday\tdocument\tgain\nT\tQ\t2021-08-01\ta\t5\n",
        "tid,qid,date,docno,relevance\nT,Q,2021-08-01,a,5\n",
        '{"topic": "T", "qid": "Q", "day": "2021-08-01", "doc_id": "a", "grade": 5}\n',
    ],
)
def test_judgments_are_found_by_content(content: str, tmp_path: Path) -> None:
    (tmp_path / "judged").write_text(content)
    assert irmx.read_qrels(tmp_path / "judged").as_dict() == {"T/Q/2021-08-01": {"a": 5.0}}


def test_a_table_with_dates_and_a_file_of_topics(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "topic": ["T", "T"],
            "question": "Q1",
            "day": pd.to_datetime([DAYS[0], DAYS[2]]),
            "document": ["a", "b"],
            "gain": 1,
        }
    )
    topics = lines(
        tmp_path / "topics", {"tid": "T", "label": "x", "questions": [{"qid": "Q1"}, {"qid": "Q2", "question": "?"}]}
    )
    inbox = read_inbox(frame, topics)
    assert (len(inbox), inbox.days, inbox.questions) == (6, tuple(DAYS), ("Q1", "Q2"))


JUDGED = "topic,question,day,document,gain\nT,Q,2021-08-01,a,5\nT,Q,2021-08-02,c,1\n"
SHOWN = {"qid": "Q", "question-rank": 0, "doc-ranking": RANKED}
WRONG: dict[str, tuple[list[Any], str]] = {
    "a document of another day": (
        [{"topic": "T", "results": {DAYS[1]: [SHOWN]}}],
        "line 2, topic T, day 2021-08-02, question Q",
    ),
    "a question twice on a day": (
        [{"topic": "T", "results": {DAYS[0]: [SHOWN, SHOWN]}}],
        "line 2, topic T, day 2021-08-01, question Q",
    ),
    "a question twice on a day, in two lines": (
        [{"topic": "T", "results": {DAYS[0]: [SHOWN]}}] * 2,
        "line 3, topic T, day 2021-08-01, question Q",
    ),
    "an unknown question": (
        [{"topic": "T", "results": {DAYS[0]: [{**SHOWN, "qid": "Q9"}]}}],
        "line 2, topic T, day 2021-08-01, question Q9",
    ),
    "no day": ([{"topic": "T", "results": {"1 August": []}}], "line 2, topic T"),
    "no rank": ([{"topic": "T", "results": {DAYS[0]: [{"qid": "Q", "doc-ranking": []}]}}], "question_rank"),
    "a rank that is no number": (
        [{"topic": "T", "results": {DAYS[0]: [{**SHOWN, "question-rank": True}]}}],
        "question_rank",
    ),
    "a document twice": ([{"topic": "T", "results": {DAYS[0]: [{**SHOWN, "doc-ranking": RANKED * 2}]}}], "twice"),
    "a score that is none": (
        [{"topic": "T", "results": {DAYS[0]: [{**SHOWN, "doc-ranking": [{"doc_id": "a", "score": None}]}]}}],
        "score",
    ),
    "some scores": (
        [
            {
                "topic": "T",
                "results": {DAYS[0]: [{**SHOWN, "doc-ranking": [{"doc_id": "a", "score": 1}, {"doc_id": "b"}]}]},
            }
        ],
        "score",
    ),
    "a huge score": (
        [{"topic": "T", "results": {DAYS[0]: [{**SHOWN, "doc-ranking": [{"doc_id": "a", "score": 10**400}]}]}}],
        "score",
    ),
    "a document without id": (
        [{"topic": "T", "results": {DAYS[0]: [{**SHOWN, "doc-ranking": [{"score": 1}]}]}}],
        "doc_id",
    ),
    "an object of nothing": ([{}], "line 2"),
    "an unknown topic": ([{"topic": "X", "results": {DAYS[0]: [SHOWN]}}], "topic X"),
    "a length and a score that is none": (
        [
            {
                "topic": "T",
                "results": {DAYS[0]: [{**SHOWN, "doc-ranking": [{"doc_id": "a", "score": "x", "length": 20}]}]},
            }
        ],
        "score",
    ),
    "a line of another run": (
        [{"topic": "T", "qid": "Q", "day": DAYS[0], "question_rank": 0, "doc_ranking": ["a"], "run_tag": "other"}],
        "line 2",
    ),
    "a name twice": ([{"topic": "T", "results": {DAYS[0]: [{**SHOWN, "doc_ranking": []}]}}], "doc_ranking"),
    "a misspelt score": (
        [{"topic": "T", "results": {DAYS[0]: [{**SHOWN, "doc-ranking": [{"doc_id": "a", "Score": 1}]}]}}],
        "line 2, topic T, day 2021-08-01, question Q: 'Score'",
    ),
    "a misspelt topic": ([{"topic": "T", "results": {}}, {"Topic": "T"}], "line 3: 'Topic'"),
    "two tags": ([{"runtag": "mine", "run_tag": "other"}], "line 2"),
    "no topic": ([{"topic": None, "results": {}}], "line 2"),
    "two runs in a file": ([{"runtag": "other"}], "line 2"),
    "a list": ([[1]], "line 2"),
    "results that are a list": ([{"topic": "T", "results": []}], "results"),
    "a day that is a number": ([{"topic": "T", "results": {DAYS[0]: 3}}], "list"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_runs_are_refused_with_their_place(what: str, tmp_path: Path, command: Callable[..., Any]) -> None:
    records, said = WRONG[what]
    lines(tmp_path / "run.jsonl", {"runtag": "mine"}, *records)
    (tmp_path / "judged.csv").write_text(JUDGED)
    (tmp_path / "universe.csv").write_text("topic,question,day\n" + "".join(f"T,Q,{day}\n" for day in DAYS))
    command("inbox", "eval", "judged.csv", "run.jsonl", "-u", "universe.csv").assert_refused(1, said)
    known = ("--topics", "universe.csv", "--days", "judged.csv")
    command("inbox", "check", "run.jsonl", *known).assert_refused(1, said)


def test_no_json_a_key_twice_and_other_wrong_lines(tmp_path: Path, command: Callable[..., Any]) -> None:
    for line in ('{"topic": "T", ', '{"topic": "T", "topic": "U", "results": {}}', "\ud800"):
        (tmp_path / "run.jsonl").write_bytes(b'{"runtag": "r"}\n' + line.encode(errors="surrogatepass") + b"\n")
        command("inbox", "check", "run.jsonl").assert_refused(1, "run.jsonl, line 2")


@pytest.mark.parametrize(
    ("judged", "said"),
    [
        ("topic,question,day,document\nT,Q,2021-08-01,a\n", "gain"),
        ("topic,question,day,document,gain\nT,Q,1 August,a,1\n", "line 2"),
        ("topic,question,day,document,gain\nT,,2021-08-01,a,1\n", "question"),
        ("topic,question,day,document,gain\nT,Q,2021-08-01,a,much\n", "gain"),
        (JUDGED + "T,Q,2021-08-02,a,1\n", "line 4"),
        ("topic,question,day,document,gain\nT,Q,20210801,a,1\n", "20210801"),
    ],
)
def test_wrong_judgments_are_refused(judged: str, said: str, tmp_path: Path, command: Callable[..., Any]) -> None:
    (tmp_path / "judged.csv").write_text(judged)
    lines(tmp_path / "run.jsonl", *FORMS["of the guidelines"])
    command("inbox", "eval", "judged.csv", "run.jsonl").assert_refused(1, said)


def test_an_empty_file_is_no_silent_run(tmp_path: Path, command: Callable[..., Any]) -> None:
    (tmp_path / "empty.jsonl").write_text("\n")
    (tmp_path / "judged.csv").write_text(JUDGED)
    for asked in (("inbox", "eval"), ("inbox", "news"), ("inbox", "check")):
        judged = [] if "check" in asked else ["judged.csv"]
        command(*asked, *judged, "empty.jsonl").assert_refused(1, "empty.jsonl is empty")
    for level in ("documents", "updates"):
        command("eval", "judged.csv", f"inbox(level={level}):empty.jsonl", "TruncatedAP").assert_refused(1)
    for days, code in (({DAYS[0]: []}, 0), ({}, 1)):
        lines(tmp_path / "silent.jsonl", {"runtag": "silent"}, {"topic": "T", "results": days})
        assert command("inbox", "eval", "judged.csv", "silent.jsonl").code == code


@pytest.mark.parametrize("asked", ["eval", "news"])
def test_judgments_of_other_questions_are_told(asked: str, tmp_path: Path, command: Callable[..., Any]) -> None:
    shown: Run = {("T", question, DAYS[0]): (0.0, {"a": 1.0}) for question in ("Q", "P")}
    write(tmp_path / "run.jsonl", shown)
    (tmp_path / "judged.csv").write_text(JUDGED)
    done = command("inbox", asked, "judged.csv", "run.jsonl")
    assert done.code == 0
    assert "1 of 2 questions" in done.err
    for other in (JUDGED.replace("\nT,", "\nt,"), JUDGED.replace(",Q,", ",X,")):
        (tmp_path / "judged.csv").write_text(other)
        command("inbox", asked, "judged.csv", "run.jsonl").assert_refused(1, "T/P")


def test_what_a_run_does_not_name_is_silence_that_is_told(demo: Path, command: Callable[..., Any]) -> None:
    content = (demo / "runs/noisy.jsonl").read_text().splitlines(keepends=True)
    (demo / "short.jsonl").write_text("".join(content[:4]))
    done = command("inbox", "eval", "judgments.tsv", "short.jsonl", "-u", "universe.tsv", cwd=demo)
    assert "126 of 168 days" in done.err
    assert "9 of 12 topics" in done.err
    news = command("inbox", "news", "judgments.tsv", "short.jsonl")
    assert news.code == 0
    assert "9 of 12 topics" in news.err
    assert "days of topics are not named" in news.err
    assert "not named" not in command("inbox", "news", "judgments.tsv", "runs/noisy.jsonl").err
    command("inbox", "check", "short.jsonl", "--topics", "topics.jsonl").assert_refused(1, "topic T04")
    one_day = {"topic": "T01", "results": {"2021-08-05": []}}
    lines(demo / "day.jsonl", {"runtag": "r"}, one_day)
    assert "167 of 168 days" in command("inbox", "eval", "judgments.tsv", "day.jsonl", "-u", "universe.tsv").err
    command("inbox", "check", "day.jsonl", "--days", "days.tsv").assert_refused(1, "13 days of 14")


@pytest.mark.parametrize("level", ["documents", "questions"])
def test_days_that_a_run_does_not_name_are_told_wherever_it_is_scored(
    demo: Path, tmp_path: Path, command: Callable[..., Any], level: str
) -> None:
    content = (demo / "runs/noisy.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "half.jsonl").write_text("".join(content[:7]))
    record = json.loads(content[7])
    record["results"] = {day: [] for day in record["results"]}
    (tmp_path / "silent.jsonl").write_text("".join([*content[:7], f"{json.dumps(record)}\n", *content[8:]]))
    (tmp_path / "tag.jsonl").write_text('{"runtag": "r"}\n')
    qrels = f"inbox(level={level},universe={demo / 'universe.tsv'}):{demo / 'judgments.tsv'}"
    whole, half, silent, tag = (
        f"inbox(level={level}):{path}"
        for path in (demo / "runs/noisy.jsonl", *(tmp_path / f"{name}.jsonl" for name in ("half", "silent", "tag")))
    )
    for asked in ("eval", "compare", "verdict"):
        told = command(asked, qrels, whole, half, "TruncatedAP").err
        assert "84 of 168" in told
        assert "6 topics" in told
        assert "168" not in command(asked, qrels, whole, silent, "TruncatedAP").err, "it names all days"
    command("verdict", qrels, whole, tag, "TruncatedAP").assert_refused(1, "no day of any topic")
    lines(tmp_path / "crashed.jsonl", {"runtag": "r"}, {"topic": "T01", "results": {"2021-08-01": []}})
    crashed = f"inbox(level={level}):{tmp_path / 'crashed.jsonl'}"
    assert "nothing on the 1 day of topics" in command("eval", qrels, crashed, "TruncatedAP").err
    only = command("eval", f"inbox(level={level}):{demo / 'judgments.tsv'}", half, "TruncatedAP")
    assert f"of {len(read_inbox(demo / 'judgments.tsv').days_of_topics)} days" in only.err, "which the judgments name"


def test_the_days_that_a_run_names_take_little_memory(tmp_path: Path) -> None:
    days = [f"2021-{month:02}-{day:02}" for month in range(1, 5) for day in range(1, 26)]
    results = {
        day: [
            {"qid": "Q", "question-rank": 0, "doc-ranking": [{"doc_id": f"{day}.{d}", "score": -d} for d in range(10)]}
        ]
        for day in days
    }
    lines(
        tmp_path / "run.jsonl", {"runtag": "r"}, *({"topic": f"T{number}", "results": results} for number in range(30))
    )
    judged = "".join(f"T{number},Q,{day},{day}.0,1\n" for number in range(30) for day in days)
    (tmp_path / "judged.csv").write_text("topic,question,day,document,gain\n" + judged)
    code = (
        "import irmx, pyarrow\n"
        "print(irmx.calc_aggregate('TruncatedRR', 'inbox:judged.csv', 'inbox:run.jsonl').popitem()[1],\n"
        "      pyarrow.default_memory_pool().max_memory())"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    value, most = map(float, done.stdout.split())
    assert value == 1
    assert most < 1_000_000_000, "1.3 GB where each row has the days"


def test_a_topic_of_which_a_run_names_no_day_is_missing_in_stored_scores(
    demo: Path, tmp_path: Path, command: Callable[..., Any]
) -> None:
    content = (demo / "runs/noisy.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "half.jsonl").write_text("".join(content[:7]))
    asked = ("judgments.tsv", "runs/noisy.jsonl", tmp_path / "half.jsonl", "-u", "universe.tsv", "TruncatedAP")
    assert command("inbox", "eval", *asked, "--out", tmp_path / "scores.parquet", cwd=demo).code == 0
    scores = read_per_topic(tmp_path / "scores.parquet")
    lacking = scores.missing.any(axis=2)
    named = [json.loads(line)["topic"] for line in content[1:7]]
    assert {topic for topic, lacks in zip(scores.topics, lacking.T[1], strict=True) if not lacks} == set(named)
    assert not lacking.T[0].any()
    late = [{"topic": json.loads(line)["topic"], "results": {"2022-08-01": []}} for line in content[1:]]
    lines(tmp_path / "late.jsonl", {"runtag": "r"}, *late)
    asked = (*asked[:2], tmp_path / "late.jsonl", *asked[3:])
    assert command("inbox", "eval", *asked, "--out", tmp_path / "late.parquet", cwd=demo).code == 0
    assert read_per_topic(tmp_path / "late.parquet").missing.any(axis=2).T[1].all(), "it names days of another year"
    (tmp_path / "tag.jsonl").write_text(content[0])
    asked = (*asked[:2], tmp_path / "tag.jsonl", *asked[3:])
    command("inbox", "eval", *asked, cwd=demo).assert_refused(1, "no day of any topic")
    inbox, half = read_inbox(demo / "judgments.tsv", demo / "universe.tsv"), read_inbox_run(tmp_path / "half.jsonl")
    documents = score_inbox(inbox, {"half": half}, "TruncatedAP")[0]
    first = documents.scores["TruncatedAP"][documents.topic == 11, 0].mean()
    assert scores.values[scores.topics.index(inbox.topics[11]), 1, 0] == pytest.approx(first), "the value of silence"


def test_a_check_tells_what_is_unknown_and_a_run_without_topics(demo: Path, command: Callable[..., Any]) -> None:
    content = (demo / "runs/quiet.jsonl").read_text()
    check = ("inbox", "check", "wrong.jsonl", "--topics", "topics.jsonl", "--days", "days.tsv")
    unnamed = json.dumps({"topic": "T99", "results": {"2021-08-01": []}})
    for wrong, said in (
        (content.replace('"08-05-10"', '"8-05-10"'), "document 8-05-10"),
        (content.replace("2021-08-14", "2031-08-14"), "day 2031-08-14"),
        (content + unnamed, "topic T99: there is no such topic"),
    ):
        assert wrong != content
        (demo / "wrong.jsonl").write_text(wrong)
        command(*check, cwd=demo).assert_refused(1, said)
    lines(demo / "only.jsonl", {"runtag": "r"})
    command("inbox", "check", "only.jsonl").assert_refused(1, "no line for any topic")


@pytest.mark.parametrize(
    "topics",
    [
        [{"tid": "T", "questions": [{"qid": "Q1"}]}, {"tid": "T", "questions": [{"qid": "Q2"}]}],
        [{"label": "T", "questions": [{"qid": "Q1"}]}],
    ],
)
def test_a_file_of_topics_names_each_once(topics: list[Any], tmp_path: Path) -> None:
    judged = table("topic question day document gain", [("T", "Q1", DAYS[0], "a", 1)])
    with pytest.raises(DataError):
        read_inbox(judged, lines(tmp_path / "topics.jsonl", *topics))


def test_a_table_of_queries_with_dates_and_questions_is_no_inbox(tmp_path: Path) -> None:
    (tmp_path / "qrels.csv").write_text("query_id,doc_id,relevance,date,question\n1,a,1,2021-08-01,who\n")
    assert irmx.read_qrels(tmp_path / "qrels.csv").as_dict() == {"1": {"a": 1.0}}


def test_what_is_read_of_a_topic_without_judgments_is_in_vain(tmp_path: Path) -> None:
    judged = table("topic question day document gain length", [("T", "Q", DAYS[0], "a", 1, 30)])
    pd.DataFrame(judged).to_csv(tmp_path / "judged.csv", index=False)
    units = [(topic, question, day) for topic, question in (("T", "Q"), ("U", "P")) for day in DAYS]
    pd.DataFrame(table("topic question day", units)).to_csv(tmp_path / "universe.csv", index=False)
    docs = [{"doc_id": doc_id, "score": 1, "length": 20} for doc_id in ("x", "y")]
    results = {DAYS[0]: [{"qid": "P", "question-rank": 0, "doc-ranking": docs}]}
    path = lines(tmp_path / "run.jsonl", {"runtag": "r"}, {"topic": "U", "results": results})
    qrels = f"inbox(level=updates,universe={tmp_path / 'universe.csv'}):{tmp_path / 'judged.csv'}"
    found = {
        m.query_id: m.value
        for m in irmx.iter_calc("MSU_Pain(MA=1h,MD=30m,users=20)", qrels, f"inbox(level=updates):{path}")
    }
    assert set(found) == {"T", "U"}
    assert found["U"] > 0


def test_days_that_are_numbers_are_no_dates() -> None:
    with pytest.raises(DataError, match="20210801"):
        read_inbox({"topic": ["T"], "question": ["Q"], "day": [20210801], "document": ["a"], "gain": [1]})


def test_a_tag_with_which_a_known_question_begins_proposes_none(tmp_path: Path, command: Callable[..., Any]) -> None:
    judged = table("topic question day document gain", [("T", "TQ", DAYS[0], "a", 1), ("T", "TX", DAYS[0], "b", 1)])
    shown: Run = {("T", "TQ", DAYS[0]): (0.0, {"a": 1.0}), ("T", "T-1", DAYS[0]): (1.0, {"b": 1.0})}
    inbox = read_inbox(judged, table("topic question day", [("T", "TQ", DAYS[0])]))
    with pytest.raises(DataError, match="question T-1"):
        score_inbox(inbox, {"mine": read_inbox_run(write(tmp_path / "short.jsonl", shown, "T"))})
    run = read_inbox_run(write(tmp_path / "run.jsonl", shown, "T-"))
    documents, questions = score_inbox(inbox, {"mine": run}, "TruncatedAP", proposed="drop")
    assert documents.scores["TruncatedAP"].ravel().tolist() == [1.0, 0.0]
    assert questions.scores["TruncatedAP"].tolist() == [[pytest.approx(truncated([1.0], [1.0, 1.0], 0.5)[3])]]
    pd.DataFrame({"topic": ["T"], "question": ["TQ"]}).to_csv(tmp_path / "topics.csv", index=False)
    command("inbox", "check", "short.jsonl", "--topics", "topics.csv").assert_refused(1, "question T-1")
    done = command("inbox", "check", "run.jsonl", "--topics", "topics.csv", "-o", "jsonl")
    assert {row["what"]: row["value"] for row in map(json.loads, done.out.splitlines())}["questions proposed"] == 1


def test_slashes_in_ids_make_no_two_units_or_updates_one(tmp_path: Path) -> None:
    judged = table("topic question day document gain", [("a/b", "c", DAYS[0], "x", 1), ("a", "b/c", DAYS[0], "y", 1)])
    path = write(tmp_path / "run.jsonl", {("a/b", "c", DAYS[0]): (0.0, {"x": 1.0})})
    documents, _ = score_inbox(read_inbox(judged), {"r": read_inbox_run(path)}, "TruncatedAP")
    assert documents.scores["TruncatedAP"].ravel().tolist() == [1.0, 0.0]
    pd.DataFrame(judged).to_csv(tmp_path / "judged.csv", index=False)
    with pytest.warns(DataWarning, match=r"1 of 2 days .* a/2021"):
        found = irmx.calc_aggregate("TruncatedAP", f"inbox:{tmp_path / 'judged.csv'}", path)
    assert found == {irmx.parse_measure("TruncatedAP"): 0.5}
    same = table("topic question day document gain", [("T", "q/r", DAYS[0], "s", 1), ("T", "q", DAYS[0], "r/s", 1)])
    pd.DataFrame(same).to_csv(tmp_path / "same.csv", index=False)
    assert len(set(irmx.read_qrels(f"inbox(level=updates):{tmp_path / 'same.csv'}", ["iteration"]).docs)) == 2


def test_measures_that_know_no_silence_and_several_rels_are_refused(
    tmp_path: Path, command: Callable[..., Any]
) -> None:
    (tmp_path / "judged.csv").write_text(JUDGED)
    lines(tmp_path / "run.jsonl", *FORMS["of the guidelines"])
    for measures in ("AP", "TruncatedAP TruncatedRR(rel=5)"):
        command("inbox", "eval", "judged.csv", "run.jsonl", measures).assert_refused(2)
    command("inbox", "eval", "judged.csv", "run.jsonl", "--missing", "quiet").assert_refused(2)
    with pytest.raises(UsageError):
        score_inbox(
            read_inbox(table("topic question day document gain", [("T", "Q", DAYS[0], "a", 1)])), {}, proposed="maybe"
        )


# -- the commands ----------------------------------------------------------------------------------------------------


@pytest.fixture
def demo(tmp_path: Path, command: Callable[..., Any]) -> Path:
    assert command("inbox", "demo", "inbox").code == 0
    return tmp_path / "inbox"


def test_a_check_counts_what_a_run_holds(demo: Path, command: Callable[..., Any]) -> None:
    done = command(
        "inbox", "check", "runs/quiet.jsonl", "--topics", "topics.jsonl", "--days", "days.tsv", "-o", "jsonl", cwd=demo
    )
    counts = {row["what"]: row["value"] for row in map(json.loads, done.out.splitlines())}
    run = [json.loads(line) for line in (demo / "runs/quiet.jsonl").read_text().splitlines()]
    days = [questions for topic in run[1:] for questions in topic["results"].values()]
    assert (counts["run"], counts["topics"], counts["days of topics"]) == ("quiet", 12, len(days))
    assert counts["days of topics without documents"] == sum(not questions for questions in days)
    assert counts["questions shown"] == sum(map(len, days))
    command("inbox", "demo", demo).assert_refused(2)


def test_a_check_tells_what_only_guidelines_forbid(tmp_path: Path, command: Callable[..., Any]) -> None:
    many = [f"d{i}" for i in range(101)]
    lines(
        tmp_path / "many.jsonl", {"runtag": "r"}, {"topic": "T", "results": {DAYS[0]: [{**SHOWN, "doc-ranking": many}]}}
    )
    command("inbox", "check", "many.jsonl").assert_refused(1, "101 documents")
    lines(tmp_path / "untagged.jsonl", {"topic": "T", "results": {DAYS[0]: [SHOWN]}})
    command("inbox", "check", "untagged.jsonl").assert_refused(1, "runtag")
    (tmp_path / "topics.csv").write_text("topic,question\nU,Q\n")
    lines(tmp_path / "other.jsonl", {"runtag": "r"}, {"topic": "T", "results": {DAYS[0]: [SHOWN]}})
    command("inbox", "check", "other.jsonl", "--topics", "topics.csv").assert_refused(1, "topic T")


def test_ties_and_what_was_not_to_be_decided_are_told(tmp_path: Path, command: Callable[..., Any]) -> None:
    (tmp_path / "judged.csv").write_text(JUDGED)
    other = {"qid": "Q2", "question-rank": 0, "doc-ranking": ["x"]}
    record = {"topic": "T", "results": {DAYS[0]: [SHOWN, other], DAYS[2]: [{**SHOWN, "doc-ranking": ["y"]}]}}
    lines(tmp_path / "run.jsonl", {"runtag": "r"}, record)
    done = command("inbox", "eval", "judged.csv", "run.jsonl", "-o", "jsonl")
    assert done.code == 0
    assert "equal ranks on 1 day" in done.err
    assert "1 question shown on days that were not to be decided" in done.err


def test_values_of_topics_are_means_over_their_units_and_go_into_compare(
    demo: Path, command: Callable[..., Any]
) -> None:
    asked = ("inbox", "eval", "judgments.tsv", "runs/*.jsonl", "-u", "universe.tsv", "TruncatedAP")
    assert command(*asked, "--out", "scores.parquet", cwd=demo).code == 0
    frame = pd.read_parquet(demo / "scores.parquet")
    inbox = read_inbox(demo / "judgments.tsv", demo / "universe.tsv")
    runs = {name: read_inbox_run(demo / f"runs/{name}.jsonl") for name in ("quiet", "noisy")}
    for level in score_inbox(inbox, runs, "TruncatedAP"):
        for part, ending in (("all", ""), ("answer", " with an answer")):
            units, values = level.parts[part], level.scores["TruncatedAP"]
            for t, topic in enumerate(inbox.topics):
                rows = frame[(frame["slice"] == level.level + ending) & (frame["query_id"] == topic)].set_index(
                    "system"
                )["value"]
                for s, name in enumerate(runs):
                    expected = values[units & (level.topic == t), s]
                    assert rows[f"{name}.jsonl"] == pytest.approx(
                        expected.mean() if len(expected) else np.nan, nan_ok=True
                    )
    done = command("compare", "--scores", "scores.parquet", "--baseline", "quiet.jsonl", "-o", "jsonl", cwd=demo)
    assert done.code == 0


def test_all_commands_take_the_files_on_each_level(demo: Path, command: Callable[..., Any]) -> None:
    inbox = read_inbox(demo / "judgments.tsv", demo / "universe.tsv")
    run = read_inbox_run(demo / "runs/complete.jsonl")
    for level in score_inbox(inbox, {"complete": run}, "TruncatedAP"):
        qrels = f"inbox(level={level.level},universe={demo / 'universe.tsv'}):{demo / 'judgments.tsv'}"
        found = irmx.calc_aggregate("TruncatedAP", qrels, f"inbox(level={level.level}):{demo / 'runs/complete.jsonl'}")
        assert list(found.values()) == [pytest.approx(level.frame()["TruncatedAP"][0], abs=1e-12)]
    unit = level.scores.topics[int(np.argmin(level.is_silent[:, 0]))]
    done = command("explain", qrels, "inbox(level=questions):runs/complete.jsonl", "TruncatedAP", "-t", unit, cwd=demo)
    assert done.code == 0
    assert "the end" in done.out


def test_a_stream_has_the_order_of_the_inbox_and_the_times_of_days(demo: Path, tmp_path: Path) -> None:
    judged = table(
        "topic question day document gain length", [("T", "Q1", DAYS[0], "a", 5, 60), ("T", "Q2", DAYS[1], "b", 1, 30)]
    )
    pd.DataFrame(judged).to_csv(tmp_path / "judged.csv", index=False)
    run: Run = {
        ("T", "Q1", DAYS[0]): (1.0, {"x": 1.0, "a": 2.0}),
        ("T", "Q2", DAYS[0]): (0.0, {"y": 1.0}),
        ("T", "Q2", DAYS[1]): (0.0, {"b": 1.0}),
    }
    path = write(tmp_path / "run.jsonl", run)
    qrels, updates = f"inbox(level=updates):{tmp_path / 'judged.csv'}", f"inbox(level=updates):{path}"
    start = pd.Timestamp(DAYS[0]).timestamp()
    as_tables = (
        pd.DataFrame(
            {
                "query_id": "T",
                "doc_id": ["Q1/a", "Q2/b"],
                "iteration": ["a", "b"],
                "relevance": [5, 1],
                "timestamp": [start, start + 86400],
                "query_start": start,
                "query_end": start + 2 * 86400,
                "length": [60, 30],
            }
        ),
        pd.DataFrame(
            {
                "query_id": "T",
                "doc_id": ["Q2/y", "Q1/a", "Q1/x", "Q2/b"],
                "score": [4.0, 3.0, 2.0, 1.0],
                "timestamp": [start, start, start, start + 86400],
            }
        ),
    )
    for measure in ("MSU(MA=6h,SA=2h,users=200)", "MSU(MA=12h,users=200,interface=ranked)", "MSU(users=200,rel=5)"):
        found, expected = (
            list(irmx.calc_aggregate(measure, *files).values()) for files in ((qrels, updates), as_tables)
        )
        assert found == expected
        assert found[0] > 0
    assert {name.split("/")[0] for name in irmx.read_qrels(qrels, ["iteration"]).docs} == {"Q1", "Q2"}


def test_days_until_the_first_news_of_a_question_is_shown(tmp_path: Path, command: Callable[..., Any]) -> None:
    judged = [
        ("T", "Q1", DAYS[0], "a", 5),
        ("T", "Q1", DAYS[2], "c", 1),
        ("T", "Q2", DAYS[1], "b", 1),
        ("T", "Q3", DAYS[0], "a", 0),
    ]
    rows = table("topic question day document gain", judged)
    pd.DataFrame(rows).to_csv(tmp_path / "judged.csv", index=False)
    run: Run = {
        ("T", "Q1", DAYS[0]): (0.0, {"x": 1.0}),
        ("T", "Q1", DAYS[2]): (0.0, {"y": 1.0, "c": 0.5}),
        ("T", "Q3", DAYS[0]): (1.0, {"a": 1.0}),
    }
    write(tmp_path / "run.jsonl", run)
    done = command("inbox", "news", "judged.csv", "run.jsonl", "-o", "jsonl")
    assert json.loads(done.out) == {"system": "run.jsonl", "questions": 2, "shown": 1, "days": 2.0, "days_or_end": 2.0}
    done = command("inbox", "news", "judged.csv", "run.jsonl", "--rel", 5, "-q", "-o", "jsonl")
    [found] = map(json.loads, done.out.splitlines())
    assert (found["question"], found["first"], found["shown"], found["days_left"]) == ("Q1", DAYS[0], "", 2)
    command("inbox", "news", "judged.csv", "run.jsonl", "--rel", "nan").assert_refused(2, "rel")
    command("inbox", "news", "judged.csv", "run.jsonl", "--rel", 6).assert_refused(1, "largest is 5")
