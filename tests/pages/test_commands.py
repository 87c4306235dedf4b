"""The subcommands print what the functions return, and fail with the right exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import irmx
from irmx_pages import (
    agreement,
    agreement_scores,
    fit_preferences,
    page_runs,
    read_pages,
    read_preferences,
    score_pages,
    simulate_pages,
)
from irmx_pages.example import USERS, example, example_preferences

Command = Callable[..., Any]
SIMULATE = ("vertical-qrels.csv", "-i", "bm25.csv", "-i", "tfidf.csv", "-v", "redde.csv", "-v", "cori.csv")
AGREEMENT = ("pages", "agreement", "pages.jsonl", "preferences.csv")
FIT = ("pages", "fit", "pages.jsonl", "preferences.csv")
QRELS = ("--qrels", "vertical-qrels.csv")
FILES = ("pages.jsonl", "preferences.csv", "vertical-qrels.csv")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of an example of three topics, and preferences."""
    folder = tmp_path_factory.mktemp("example")
    made = example(3)
    made.write(folder)
    example_preferences(made).frame().to_csv(folder / "preferences.csv", index=False)
    return folder


@pytest.fixture
def folder(written: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory of the commands, with the simulated pages."""
    monkeypatch.chdir(written)
    if not Path("pages.jsonl").exists():
        done = command("pages", "simulate", *SIMULATE, "--out", "pages.jsonl")
        assert (done.code, done.out, done.err) == (0, "pages.jsonl: 108 pages of 3 topics\n", "")
    return written


def rows(done: Any) -> list[dict[str, Any]]:
    """The rows that a command printed as JSON Lines."""
    assert (done.code, done.err) == (0, "")
    return [json.loads(line) for line in done.out.splitlines()]


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    return table.astype(object).where(table.notna(), None).to_dict("records")


def test_what_the_commands_print_is_what_the_functions_return(folder: Path, command: Command) -> None:
    made = example(3)
    assert read_pages("pages.jsonl") == simulate_pages(made.qrels, made.items, made.verticals).pages
    assert read_preferences("preferences.csv").frame().equals(example_preferences(made).frame())
    for given, expected in (
        (("pages", "score", "pages.jsonl", "AS_RBP", "nDCG@10"), score_pages(FILES[0], FILES[2], "AS_RBP nDCG@10")),
        ((*AGREEMENT, "AS_RBP", "P@10"), agreement(*FILES, "AS_RBP P@10")),
        ((*AGREEMENT, "AS_RBP", "P@10", "-l", "0.75", "-b", "P@10"), agreement(*FILES, "AS_RBP P@10", [0.75], "P@10")),
    ):
        assert rows(command(*given, *QRELS, "-o", "jsonl")) == records(expected)
    done = command(*AGREEMENT, "AS_RBP", *QRELS, "-l", "0.75", "-o", "table")
    for row in agreement(*FILES, "AS_RBP", [0.75]).itertuples():
        line = next(x for x in done.out.splitlines() if x.split()[1:3] == [row.bin_pair, row.measure])
        assert f"{row.agreement:.4f}" in line.split()


def test_a_fit_prints_its_tables(folder: Path, command: Command) -> None:
    given = (*FIT, "AS_RBP", *QRELS, "--grid", "beta=0.7,0.8,0.9", "-k", "3")
    found = rows(command(*given, "--active", "2", "--personal-grid", "0:1:11", "--out", "fit.parquet", "-o", "jsonl"))
    options: dict[str, Any] = {"folds": 3, "active": 2, "personal_grid": "0:1:11"}
    expected = fit_preferences(*FILES, "AS_RBP", {"beta": [0.7, 0.8, 0.9]}, **options)
    tables = {name: getattr(expected, name) for name in ("parameters", "held_out", "assessors", "active")}
    assert found == [{"table": name, **row} for name, table in tables.items() for row in records(table)]
    assert irmx.Scores.read_parquet("fit.parquet").frame().equals(expected.scores.frame())
    blocks = [block.splitlines() for block in command(*given, "-o", "tsv", "--no-personal").out.split("\n\n")]
    assert [block[0].split("\t")[0] for block in blocks] == ["parameter", "fitted"]
    titles = [line for line in command(*given, "-o", "table").out.splitlines() if line.endswith(":")]
    assert [title.split()[0] for title in titles] == ["Parameters:", "Agreement", "l", "l"]


def test_the_agreement_on_each_topic_is_what_compare_and_power_read(folder: Path, command: Command) -> None:
    assert command(*AGREEMENT, "AS_RBP", "P@10", "--out", "agreement.parquet", *QRELS).code == 0
    expected = agreement_scores(*FILES, "AS_RBP P@10")
    assert irmx.Scores.read_parquet("agreement.parquet").frame().equals(expected.frame())
    for word, *options in (("compare", "--all-pairs"), ("power", "--difference", "0.05")):
        done = command(word, "--scores", "agreement.parquet", *options, "-o", "csv")
        assert done.code == 0
        assert "agreement@0.75" in done.out


def test_pairs_are_there_to_be_filled_in(folder: Path, command: Command) -> None:
    options = ("--out", "more.jsonl", "--pairs", "pairs.csv", "--per_bin_pair", "2", "--quality", "quality.csv")
    done = command("pages", "simulate", *SIMULATE, *options)
    assert done.out.splitlines() == [
        "more.jsonl: 108 pages of 3 topics",
        "quality.csv: component scores and bins",
        "pairs.csv: 36 pairs; fill in assessor and choice, one row per assessor",
    ]
    pairs = pd.read_csv("pairs.csv")
    assert (len(pairs), len(pd.read_csv("quality.csv"))) == (36, 108)
    given = ("pages", "agreement", "more.jsonl")
    done = command(*given, "pairs.csv", "AS_RBP", *QRELS)
    assert (done.code, done.err) == (1, "irmx: pairs.csv, line 2: the assessor is missing.\n")
    pairs.assign(assessor="me", choice="a").to_csv("filled.csv", index=False)
    assert command(*given, "filled.csv", "AS_RBP", *QRELS).code == 0


def test_pairs_with_traps_leave_out_who_falls_into_them(folder: Path, command: Command) -> None:
    options = ("--out", "trapped.jsonl", "--pairs", "traps.csv", "--traps", "3")
    assert command("pages", "simulate", *SIMULATE, *options).code == 0
    pairs = pd.read_csv("traps.csv", keep_default_na=False)
    assert (pairs["trap"] != "").sum() == 9
    careful = pairs.assign(assessor="ann", choice=pairs["trap"].replace("", "a"))
    careless = pairs.assign(assessor="bob", choice=pairs["trap"].map({"": "a", "a": "b", "b": "a"}))
    pd.concat([careful, careless]).to_csv("filled.csv", index=False)
    done = command("pages", "agreement", "trapped.jsonl", "filled.csv", "AS_RBP", *QRELS, "-o", "jsonl")
    assert "bob (9)" in done.err
    alone = agreement("trapped.jsonl", careful[careful["trap"] == ""], "vertical-qrels.csv", "AS_RBP")
    assert [json.loads(line) for line in done.out.splitlines()] == records(alone)


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
@pytest.mark.parametrize("measure", ["AS_RBP", "vRecall", "AS_D_nDCG"])
def test_one_page_of_many_is_explained(folder: Path, command: Command, form: str, measure: str) -> None:
    path, page_id = Path(f"pages.{form}"), "bad-bm25-bad"
    if form != "jsonl" and not path.exists():
        runs = page_runs("pages.jsonl")
        table = pd.concat([run.drop_columns("score").to_pandas().assign(page_id=name) for name, run in runs.items()])
        table.to_parquet(path) if form == "parquet" else table.to_csv(path, index=False)
    source = f"pages:{path}" if form == "parquet" else path
    given = ("explain", "vertical-qrels.csv", source, measure, "-t", "t2", "-o", "jsonl")
    found = rows(command(*given, "--ranking", page_id))
    scores = score_pages("pages.jsonl", "vertical-qrels.csv", measure).set_index(["query_id", "page_id"])["value"]
    assert sum(row["contribution"] for row in found) == pytest.approx(scores["t2", page_id])
    [page] = [p for p in read_pages("pages.jsonl") if (p.query_id, p.page_id) == ("t2", page_id)]
    assert [row["doc_id"] for row in found] == [" ".join(b.items) for b in page.blocks]
    for words, said in (
        ((), "topic 't1' has the pages 'perfect-perfect-perfect' and"),
        (
            ("--ranking", "nowhere"),
            f"irmx: {path} has no page 'nowhere'. It has 36 page names: perfect-perfect-perfect, ",
        ),
    ):
        command(*given, *words).assert_refused(1, said)


def test_careless_assessors_and_pages_that_are_both_bad(folder: Path, command: Command) -> None:
    table = pd.read_csv("preferences.csv").assign(trap="")
    table.loc[table.index % 5 == 0, "choice"] = "bad"
    columns = ["query_id", "page_a", "page_b", "assessor", "choice", "trap"]
    traps = [("t1", f"x{i}", "y", who, "b" if who == "dee" else "a", "a") for i in range(3) for who in USERS]
    pd.concat([table, pd.DataFrame(traps, columns=columns)]).to_csv("trapped.csv", index=False)
    given = ("pages", "agreement", "pages.jsonl", "trapped.csv", "AS_RBP", *QRELS, "-o", "jsonl", "-l", "0.6")
    done = command(*given)
    said = "irmx: 1 of 4 assessors failed more than 2 trap pairs; their 144 votes on other pairs are left out: dee (3)"
    assert done.err.startswith(said)
    expected = agreement("pages.jsonl", table.query("assessor != 'dee'"), "vertical-qrels.csv", "AS_RBP", [0.6])
    assert [json.loads(line) for line in done.out.splitlines()] == records(expected)
    assert command(*given, "--failed-traps", "3").err == ""


TWICE = ("vertical-qrels.csv", "-i", "bm25.csv", "-i", "bm25.csv", "-v", "redde.csv", "--out", "x.jsonl")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((*AGREEMENT, "AS_RBQ"), 2, "AS_RBQ"),
        ((*AGREEMENT, "AS_RBP", "-l", "0.4"), 2, "must be a number in the range (0.5, 1]"),
        (("pages", "agreement", "nowhere.jsonl", "preferences.csv", "AS_RBP"), 1, "There is no pages file 'nowhere.jsonl'"),
        (("pages", "agreement", "pages.jsonl", "nowhere.csv", "AS_RBP"), 1, "There is no preferences file 'nowhere.csv'"),
        ((*FIT, "AP", "--grid", "beta=0:1"), 2, "AP cannot be fitted"),
        (("pages", "power", "pages.jsonl"), 2, "Did you mean pages agreement?"),
        (("pages", "simulate", *TWICE), 2, "Two rankings have the name 'bm25'"),
        (("pages", "simulate", *SIMULATE, "--out", "x.jsonl", "--pairs", "p.csv", "--quality", "p.csv"), 2,
         "'p.csv' would be written twice"),
        (("pages", "simulate", *SIMULATE, "--out", "x.jsonl", "--traps", "1"), 2, "--pairs"),
        (("pages", "simulate", *SIMULATE, "--out", "x.jsonl", "--pairs", "p.csv", "--traps", "999"), 1, "fewer than 999"),
        (("pages", "simulate", *SIMULATE, "--out", "x.csv"), 2, "'x.csv' must end in .jsonl"),
        (("pages", "agreement", "pages.jsonl", "preferences.csv", "AS_RBP", "--qrels", "vertical-qrels.csv", "--out", "x.csv"), 2,
         "'x.csv' must end in .parquet"),
        (("explain", "vertical-qrels.csv", "bm25.csv", "AS_RBP", "-t", "t1", "--ranking", "x"), 2,
         "bm25.csv is read as csv, which holds one ranking per topic; there is no ranking 'x' to choose"),
    ],
)  # fmt: skip
def test_requests_and_data_that_are_wrong(
    folder: Path, command: Command, arguments: tuple[str, ...], code: int, said: str
) -> None:
    qrels = QRELS if arguments[:2] in (AGREEMENT[:2], FIT[:2], ("pages", "score")) else ()
    command(*arguments, *qrels).assert_refused(code, said)
    assert not Path("x.jsonl").exists()
