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
    read_pages,
    read_preferences,
    score_pages,
    simulate_pages,
)
from irmx_pages.example import USERS, example, example_preferences, main

Command = Callable[..., Any]
SIMULATE = ("vertical-qrels.csv", "-i", "bm25.csv", "-i", "tfidf.csv", "-v", "redde.csv", "-v", "cori.csv")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of an example of three topics, simulated pages and preferences."""
    folder = tmp_path_factory.mktemp("example")
    made = example(3)
    made.write(folder)
    example_preferences(made).frame().to_csv(folder / "preferences.csv", index=False)
    return folder


@pytest.fixture
def pages(folder: Path, command: Command) -> str:
    if not (folder / "pages.jsonl").exists():
        done = command("pages", "simulate", *SIMULATE, "--out", "pages.jsonl", cwd=folder)
        assert (done.code, done.err) == (0, "")
        assert done.out == "pages.jsonl: 108 pages of 3 topics\n"
    return "pages.jsonl"


def test_simulated_pages_are_those_that_the_preferences_are_about(folder: Path, pages: str) -> None:
    made = example(3)
    assert read_pages(folder / pages) == simulate_pages(made.qrels, made.items, made.verticals).pages
    written = read_preferences(folder / "preferences.csv").frame()
    assert written.equals(example_preferences(made).frame())


def test_pairs_are_there_to_be_filled_in(folder: Path, command: Command) -> None:
    options = ("--out", "more.jsonl", "--pairs", "pairs.csv", "--per_bin_pair", "2", "--quality", "quality.csv")
    done = command("pages", "simulate", *SIMULATE, *options, cwd=folder)
    assert done.out.splitlines() == [
        "more.jsonl: 108 pages of 3 topics",
        "quality.csv: component scores and bins",
        "pairs.csv: 36 pairs; fill in assessor and choice, one row per assessor",
    ]
    pairs = pd.read_csv(folder / "pairs.csv")
    assert len(pairs) == 36
    assert len(pd.read_csv(folder / "quality.csv")) == 108
    done = command(
        "pages", "agreement", "more.jsonl", "pairs.csv", "AS_RBP", "--qrels", "vertical-qrels.csv", cwd=folder
    )
    assert (done.code, done.err) == (1, "irmx: pairs.csv, line 2: the assessor is missing.\n")
    pairs.assign(assessor="me", choice="a").to_csv(folder / "filled.csv", index=False)
    done = command(
        "pages", "agreement", "more.jsonl", "filled.csv", "AS_RBP", "--qrels", "vertical-qrels.csv", cwd=folder
    )
    assert done.code == 0


def test_scores_are_printed_page_by_page(folder: Path, pages: str, command: Command) -> None:
    done = command(
        "pages", "score", pages, "AS_RBP", "nDCG@10", "--qrels", "vertical-qrels.csv", "-p", "-1", cwd=folder
    )
    assert (done.code, done.err) == (0, "")
    lines = [line.split("\t") for line in done.out.splitlines()]
    assert lines[0] == ["query_id", "page_id", "measure", "value"]
    expected = score_pages(folder / pages, folder / "vertical-qrels.csv", "AS_RBP nDCG@10")
    assert [(*line[:3], float(line[3])) for line in lines[1:]] == list(expected.itertuples(index=False, name=None))


@pytest.mark.parametrize("form", ["jsonl", "csv", "tsv", "parquet"])
@pytest.mark.parametrize("measure", ["AS_RBP", "vRecall", "AS_D_nDCG"])
def test_one_page_of_many_is_explained(folder: Path, pages: str, command: Command, form: str, measure: str) -> None:
    path, page_id = folder / f"pages.{form}", "bad-bm25-bad"
    if form != "jsonl" and not path.exists():
        rows = [
            (p.query_id, p.page_id, item, b.vertical, str(n))
            for p in read_pages(folder / pages)
            for n, b in enumerate(p.blocks)
            for item in b.items
        ]
        table = pd.DataFrame(rows, columns=["query_id", "page_id", "doc_id", "vertical", "block"])
        if form == "parquet":
            table.to_parquet(path)
        else:
            table.to_csv(path, index=False, sep="\t" if form == "tsv" else ",")
    source = f"pages:{path.name}" if form == "parquet" else path.name
    given = ("explain", "vertical-qrels.csv", source, measure, "-t", "t2", "-p", "-1", "-o", "tsv")
    done = command(*given, "--ranking", page_id, cwd=folder)
    assert (done.code, done.err) == (0, "")
    names, *lines = (line.split("\t") for line in done.out.splitlines())
    scores = score_pages(folder / pages, folder / "vertical-qrels.csv", measure).query("query_id == 't2'")
    value = scores.set_index("page_id").loc[page_id, "value"]
    assert value > 0
    assert sum(float(line[names.index("contribution")]) for line in lines) == pytest.approx(value)
    [page] = [p for p in read_pages(folder / pages) if (p.query_id, p.page_id) == ("t2", page_id)]
    assert [line[names.index("doc_id")] for line in lines] == [" ".join(b.items) for b in page.blocks]
    done = command(*given, cwd=folder)
    assert done.code == 1
    assert "topic 't1' has the pages 'perfect-perfect-perfect' and" in done.err
    assert "'irmx explain --ranking' picks one" in done.err
    done = command(*given, "--ranking", "nowhere", cwd=folder)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith(
        f"irmx: {path.name} has no page 'nowhere'. It has 36 page names: perfect-perfect-perfect, "
    )


def test_a_run_has_no_page_to_choose(folder: Path, command: Command) -> None:
    done = command("explain", "vertical-qrels.csv", "bm25.csv", "AS_RBP", "-t", "t1", "--ranking", "x", cwd=folder)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(
        "irmx: bm25.csv is read as csv, which holds one ranking per topic; there is no ranking 'x' to choose"
    )


@pytest.mark.parametrize("form", ["tsv", "jsonl", "table"])
def test_agreement_is_printed_in_every_form(folder: Path, pages: str, command: Command, form: str) -> None:
    options = ("--qrels", "vertical-qrels.csv", "-l", "0.75", "-o", form, "-b", "P@10")
    done = command("pages", "agreement", pages, "preferences.csv", "AS_RBP", "P@10", *options, cwd=folder)
    assert (done.code, done.err) == (0, "")
    expected = agreement(
        folder / pages, folder / "preferences.csv", folder / "vertical-qrels.csv", "AS_RBP P@10", [0.75], "P@10"
    )
    assert len(expected) == 14
    if form == "jsonl":
        found = [json.loads(line) for line in done.out.splitlines()]
        assert [r["agreement"] for r in found] == expected["agreement"].tolist()
        assert found[1]["p_value"] is None
        assert found[0]["p_value"] == expected["p_value"][0]
    else:
        for row in expected.itertuples():
            line = next(x for x in done.out.splitlines() if x.split()[1:3] == [row.bin_pair, row.measure])
            assert f"{row.agreement:.4f}" in line.split()


def test_careless_assessors_and_pages_that_are_both_bad(folder: Path, pages: str, command: Command) -> None:
    table = pd.read_csv(folder / "preferences.csv").assign(trap="")
    table.loc[table.index % 5 == 0, "choice"] = "bad"
    traps = pd.DataFrame(
        [("t1", f"x{i}", "y", who, "b" if who == "dee" else "a", "a") for i in range(3) for who in USERS]
    )
    traps.columns = pd.Index(["query_id", "page_a", "page_b", "assessor", "choice", "trap"])
    pd.concat([table, traps]).to_csv(folder / "trapped.csv", index=False)
    given = (
        "pages",
        "agreement",
        pages,
        "trapped.csv",
        "AS_RBP",
        "P@10",
        "--qrels",
        "vertical-qrels.csv",
        "-o",
        "jsonl",
    )
    done = command(*given, "-l", "0.6", "-b", "AS_RBP", cwd=folder)
    assert done.code == 0
    assert done.err.startswith(
        "irmx: 1 of 4 assessors failed more than 2 trap pairs; their 144 votes on other pairs are left out: dee (3)"
    )
    expected = agreement(
        folder / pages,
        table.query("assessor != 'dee'"),
        folder / "vertical-qrels.csv",
        "AS_RBP P@10",
        [0.6],
        "AS_RBP",
    )
    found = [json.loads(line) for line in done.out.splitlines()]
    for name in ("pairs", "both_bad", "agreement"):
        assert [r[name] for r in found] == expected[name].tolist()
    assert found[1]["p_value"] == expected["p_value"][1]
    assert command(*given, "--failed_traps", "3", cwd=folder).err == ""


def test_a_fit_prints_its_tables(folder: Path, pages: str, command: Command) -> None:
    given = ("AS_RBP", "--qrels", "vertical-qrels.csv", "--grid", "beta=0.7,0.8,0.9", "-k", "3")
    of_active = ("--active", "2", "--personal_grid", "0:1:11")
    done = command("pages", "fit", pages, "preferences.csv", *given, *of_active, "-o", "jsonl", cwd=folder)
    assert (done.code, done.err) == (0, "")
    found = [json.loads(line) for line in done.out.splitlines()]
    assert [r["table"] for r in found] == ["parameters", *["held_out"] * 3, *["assessors"] * 4, *["active"] * 2]
    expected = fit_preferences(
        folder / pages,
        folder / "preferences.csv",
        folder / "vertical-qrels.csv",
        "AS_RBP",
        {"beta": [0.7, 0.8, 0.9]},
        folds=3,
        active=2,
        personal_grid="0:1:11",
    )
    assert [r["agreement"] for r in found[1:4]] == expected.held_out["agreement"].tolist()
    assert [r["l"] for r in found[4:8]] == expected.assessors["l"].tolist()
    assert [r["l"] for r in found[8:]] == expected.active["l"].tolist()
    done = command("pages", "fit", pages, "preferences.csv", *given, "-o", "tsv", "--no-personal", cwd=folder)
    blocks = [block.splitlines() for block in done.out.split("\n\n")]
    assert [block[0].split("\t")[0] for block in blocks] == ["parameter", "fitted"]
    assert blocks[0][1].split("\t")[0] == "beta"
    done = command("pages", "fit", pages, "preferences.csv", *given, "-o", "table", cwd=folder)
    titles = [line for line in done.out.splitlines() if line.endswith(":")]
    assert [title.split()[0] for title in titles] == ["Parameters:", "Agreement", "l", "l"]


def test_the_example_writes_its_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(tmp_path)
    names = capsys.readouterr().out.split()
    assert sorted(names) == sorted(p.name for p in tmp_path.iterdir())
    assert "preferences.csv" in names


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (
            ("pages", "agreement", "pages.jsonl", "preferences.csv", "AS_RBP", "-o", "xml"),
            2,
            "There is no output format 'xml'",
        ),
        (("pages", "agreement", "pages.jsonl", "preferences.csv", "AS_RBQ"), 2, "AS_RBQ"),
        (
            ("pages", "agreement", "pages.jsonl", "preferences.csv", "AS_RBP", "-l", "0.4"),
            2,
            "must be a number in the range (0.5, 1]",
        ),
        (
            ("pages", "agreement", "nowhere.jsonl", "preferences.csv", "AS_RBP"),
            1,
            "There is no pages file 'nowhere.jsonl'",
        ),
        (
            ("pages", "agreement", "pages.jsonl", "nowhere.csv", "AS_RBP"),
            1,
            "There is no preferences file 'nowhere.csv'",
        ),
        (("pages", "score", "pages.jsonl", "AS_RBP", "-o", "xml"), 2, "There is no output format 'xml'"),
        (("pages", "fit", "pages.jsonl", "preferences.csv", "AS_RBP", "--grid", "beta"), 2, "'beta' is not a grid"),
        (("pages", "fit", "pages.jsonl", "preferences.csv", "AS_RBP", "--grid", "beta=0.5:1.2"), 2, "Got 1.2 instead"),
        (("pages", "fit", "pages.jsonl", "preferences.csv", "AP", "--grid", "beta=0:1"), 2, "AP cannot be fitted"),
    ],
)
def test_requests_and_data_that_are_wrong(
    folder: Path, pages: str, command: Command, arguments: tuple[str, ...], code: int, said: str
) -> None:
    done = command(*arguments, "--qrels", "vertical-qrels.csv", cwd=folder)
    assert (done.code, done.out) == (code, "")
    assert said in done.err


def test_a_file_is_not_written_twice(folder: Path, command: Command) -> None:
    done = command("pages", "simulate", *SIMULATE, "--out", "y.jsonl", "--pairs", "y.jsonl", cwd=folder)
    assert (done.code, done.out) == (2, "")
    assert "'y.jsonl' would be written twice" in done.err
    assert not (folder / "y.jsonl").exists()


def test_two_rankings_have_two_names(folder: Path, command: Command) -> None:
    twice = ("vertical-qrels.csv", "-i", "bm25.csv", "-i", "bm25.csv", "-v", "redde.csv", "--out", "x.jsonl")
    done = command("pages", "simulate", *twice, cwd=folder)
    assert done.code == 2
    assert "Two rankings have the name 'bm25'" in done.err
    assert not (folder / "x.jsonl").exists()


AGREEMENT = ("pages", "agreement", "pages.jsonl", "preferences.csv")
QRELS = ("--qrels", "vertical-qrels.csv")


def test_the_agreement_on_each_topic_is_written(folder: Path, pages: str, command: Command) -> None:
    done = command(*AGREEMENT, "AS_RBP", "P@10", "--out", "agreement.parquet", *QRELS, cwd=folder)
    assert (done.code, done.err) == (0, "")
    files = (folder / pages, folder / "preferences.csv", folder / "vertical-qrels.csv")
    expected = agreement_scores(*files, "AS_RBP P@10")
    assert irmx.Scores.read_parquet(folder / "agreement.parquet").frame().equals(expected.frame())
    given = ("AS_RBP", "--grid", "beta=0.7,0.9", "-k", "2", "--out", "fit.parquet")
    assert command("pages", "fit", "pages.jsonl", "preferences.csv", *given, *QRELS, cwd=folder).code == 0
    written = irmx.Scores.read_parquet(folder / "fit.parquet")
    assert written.systems == ("as given", "by agreement", "by likelihood")
    for words in (("compare", "--all-pairs"), ("power", "--difference", "0.05")):
        done = command(words[0], "--scores", "agreement.parquet", *words[1:], "-o", "csv", cwd=folder)
        assert done.code == 0
        assert "agreement@0.75" in done.out


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((*AGREEMENT, "AS_RBP", "P@10", "--all-pairs"), "or 'irmx power --scores agreement.parquet'."),
        ((*AGREEMENT, "AS_RBP", "P@10", "--correction", "holm"), "or 'irmx power --scores agreement.parquet'."),
        (("pages", "power", "x", "y", "AP"), "Did you mean pages agreement? 'irmx --help' lists the commands."),
    ],
)
def test_options_that_do_not_fit(folder: Path, pages: str, command: Command, given: tuple[str, ...], said: str) -> None:
    done = command(*given, *QRELS, cwd=folder)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("irmx: ")
    assert done.err.rstrip().endswith(said)
