"""The page of promises names tests that are there, and figures of the pages of results."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
DOCS = TESTS.parent / "docs"
PAGE = (DOCS / "promises.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`([\w/]+\.py)::(\w+)`", PAGE)))


def results(page: str) -> str:
    return (DOCS / "results" / f"{page}.md").read_text(encoding="utf-8")


def rows(page: str) -> list[list[str]]:
    """The cells of all rows of the tables of a page of results."""
    lines = results(page).splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]


@pytest.mark.parametrize(("file", "function"), NAMED)
def test_every_test_that_is_named_is_there(file: str, function: str) -> None:
    module = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    assert function in {node.name for node in module.body if isinstance(node, ast.FunctionDef)}


def test_every_promise_names_its_test() -> None:
    promised, _, _ = PAGE.partition("## What is not promised")
    promises = re.split(r"(?m)^(?=- )", promised)[1:]
    assert len(promises) > 25
    assert all("*Held by* `" in promise for promise in promises)


def test_the_runs_and_values_that_equal_those_of_trec_eval() -> None:
    found = re.search(
        r"The runs: (\d+) .* TREC-8 ad hoc, (\d+) of the Web track, (\d+) generated", results("trec_equality")
    )
    assert found is not None
    submitted, web, generated = map(int, found.groups())
    assert f"{submitted + web + generated} runs, of which {submitted + web} were submitted to TREC" in PAGE
    beside = [row for row in rows("trec_equality") if row[1].startswith("pytrec_eval")]
    assert {row[4] for row in beside} == {"all"}
    assert f"{sum(int(row[3].replace(',', '')) for row in beside):,} values" in PAGE


def test_the_figures_of_memory() -> None:
    memory = {row[0]: row[2] for row in rows("large_runs") if row[0] in ("10,000,000", "100,000,000")}
    many = {row[0]: (row[1], row[4]) for row in rows("large_runs") if row[0] == "1,000"}
    for lines, peak in memory.items():
        assert f"| one run | {lines} | {peak} |" in PAGE
    assert many
    assert f"| 1,000 runs | {many['1,000'][0]} | {many['1,000'][1]} |" in PAGE


def test_the_figures_of_fuzzing() -> None:
    [[_, inputs, refused, accepted, *_]] = [row for row in rows("fuzzing") if row[0] == "all"]
    assert f"{inputs} inputs, of which {refused} were refused and {accepted} accepted" in PAGE
