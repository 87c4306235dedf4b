"""The action of the page on gates: its shell steps run, and end as they should; and the same claim in a project's own tests."""

import os
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest
import yaml

import irmx_study
from irmx.demo import qrels_path, run_path

TOP = Path(__file__).parents[2]
PAGE = (TOP / "docs" / "guide" / "gate.md").read_text(encoding="utf-8")
ACTION: dict[str, Any] = yaml.safe_load((TOP / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
GH = """#!/bin/sh
echo "$@" >> "$CALLS"
case "$*" in *--paginate*) [ -f old ] && echo 17 ;; esac
exit 0
"""


def inputs_of_page() -> dict[str, str]:
    """Return the inputs of the action in the workflow of the page."""
    workflow = yaml.safe_load(PAGE.split("```yaml\n")[1].split("```")[0])
    [step] = [step for step in workflow["jobs"]["gate"]["steps"] if "irmx" in step.get("uses", "")]
    given: dict[str, str] = step["with"]
    return given


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "qrels.txt").write_bytes(Path(qrels_path()).read_bytes())
    (tmp_path / "main.run").write_bytes(Path(run_path("bm25")).read_bytes())
    (tmp_path / "gate.toml").write_text(PAGE.split("```toml\n")[1].split("```")[0])
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "gh").write_text(GH)
    (tmp_path / "bin" / "gh").chmod(0o755)
    return tmp_path


def run(name: str, folder: Path, **inputs: str) -> tuple[int, dict[str, str]]:
    """Run a step as GitHub does, and return its exit code and the outputs of all steps so far."""
    given = {name: str(one.get("default", "")) for name, one in ACTION["inputs"].items()} | inputs
    outputs = folder / "outputs"
    expressions = {f"${{{{ inputs.{name} }}}}": value for name, value in given.items()}
    expressions |= {"${{ github.token }}": "t", "${{ github.event.number }}": "3"}
    if outputs.exists():
        for line in outputs.read_text().splitlines():
            output, _, value = line.partition("=")
            expressions[f"${{{{ steps.verdict.outputs.{output} }}}}"] = value
    named = {variable: expressions[text] for variable, text in STEPS[name].get("env", {}).items()}
    paths = os.pathsep.join([str(folder / "bin"), sysconfig.get_path("scripts"), os.environ["PATH"]])
    of_github = {
        "PATH": paths, "GITHUB_STEP_SUMMARY": str(folder / "summary"), "GITHUB_OUTPUT": str(outputs),
        "GITHUB_REPOSITORY": "a/b", "CALLS": str(folder / "calls"),
    }  # fmt: skip
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[name]["run"]]
    done = subprocess.run(shell, cwd=folder, env={**os.environ, **of_github, **named}, timeout=120)
    return done.returncode, dict(line.split("=", 1) for line in outputs.read_text().splitlines())


@pytest.mark.parametrize(
    ("change", "code", "outcome", "word"),
    [("bm25", 0, "pass", "Holds"), ("titles", 4, "fail", "Contradicted"), ("recent", 3, "undecided", "Not shown")],
)
def test_the_action_passes_a_copy_and_fails_a_loss(
    change: str, code: int, outcome: str, word: str, checkout: Path
) -> None:
    (checkout / "change.run").write_bytes(Path(run_path(change)).read_bytes())
    inputs = inputs_of_page()
    if change == "recent":
        inputs = {**inputs, "config": "", "measure": "nDCG@10", "margin": "0.2", "options": "--measures P@5"}
    ended, outputs = run("Verdict", checkout, **inputs)
    assert (ended, outputs["outcome"], outputs["exit-code"]) == (0, outcome, str(code))
    assert outputs["sentence"].startswith(word)
    assert outputs["sentence"].replace("<", "") in (checkout / "summary").read_text().replace("\\", "").replace("<", "")
    assert run("Comment", checkout)[0] == 0
    assert (checkout / "calls").read_text().splitlines()[-1] == "api repos/a/b/issues/3/comments -F body=@verdict.md"
    (checkout / "old").touch()
    assert run("Comment", checkout)[0] == 0
    assert "PATCH repos/a/b/issues/comments/17" in (checkout / "calls").read_text().splitlines()[-1]
    assert run("Outcome", checkout)[0] == code


@pytest.mark.parametrize(
    ("inputs", "code"), [({"run": "absent.run"}, 1), ({"margin": "much"}, 2), ({"run": "--claim=better"}, 1)]
)
def test_what_cannot_be_checked_fails_too(inputs: dict[str, str], code: int, checkout: Path) -> None:
    ended, outputs = run("Verdict", checkout, **{**inputs_of_page(), **inputs})
    assert (ended, outputs["outcome"], outputs["exit-code"]) == (0, "error", str(code))
    assert run("Outcome", checkout)[0] == code


@pytest.mark.parametrize("options", ["--check-config gate.toml", "--help", "--table doubts"])
def test_what_prints_no_verdict_does_not_pass(options: str, checkout: Path) -> None:
    """Of a copy, which passes without these options."""
    (checkout / "change.run").write_bytes((checkout / "main.run").read_bytes())
    ended, outputs = run("Verdict", checkout, **inputs_of_page(), options=options)
    assert (ended, outputs["outcome"], outputs["exit-code"]) == (0, "error", "2")
    assert run("Outcome", checkout)[0] == 2


def test_no_line_of_the_options_is_lost(checkout: Path) -> None:
    (checkout / "change.run").write_bytes((checkout / "main.run").read_bytes())
    inputs = {**inputs_of_page(), "config": "", "measure": "nDCG@10", "margin": "0.02"}
    _, outputs = run("Verdict", checkout, **inputs, options="--measures P@5\n--measures AP\n")
    assert outputs["outcome"] == "pass"
    assert "other measures (2)" in (checkout / "summary").read_text()
    (checkout / "outputs").unlink()
    _, outputs = run("Verdict", checkout, **inputs, options="--measures P@5\n--no-such-option\n")
    assert outputs["exit-code"] == "2"


@pytest.mark.parametrize(
    ("good", "bad", "code"),
    [
        ("margin = 0.02", "margni = 0.02", 2),
        ("margin = 0.02", "margin = '0.02'", 2),
        ("margin = 0.02", "margin =", 1),
        ('"no-worse"', '"no-wrose"', 2),
        ('"nDCG@10"', '"nDGC@10"', 2),
        ('"P@5"', '"P@5 P@"', 2),
        ('"nDCG@10"', '"nDCG@10 AP"', 2),
        ("margin = 0.02", "margin = 1.02", 2),
        ("margin = 0.02", "margin = 0.02\njudges = {}", 2),
        ("margin = 0.02", "margin = 0.02\njudges = { ' ' = 'other.qrels' }", 2),
        ("margin = 0.02", "margin = 0.02\nmissing = 'none'", 2),
    ],
)
def test_the_hook_refuses_a_file_with_a_mistake(good: str, bad: str, code: int, checkout: Path, command: Any) -> None:
    text = (checkout / "gate.toml").read_text()
    assert good in text
    (checkout / "gate.toml").write_text(text.replace(good, bad))
    assert command(*hook()[1:], cwd=checkout).code == code


def hook() -> list[str]:
    """Return the words of the command that pre-commit runs."""
    [of_project] = yaml.safe_load((TOP / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert all((TOP / plugin / "pyproject.toml").is_file() for plugin in of_project["additional_dependencies"])
    return [*of_project["entry"].split(), *of_project["args"]]


def test_the_hook_runs_and_needs_the_file(checkout: Path) -> None:
    program, *words = hook()
    shell = [str(Path(sysconfig.get_path("scripts")) / program), *words]
    assert subprocess.run(shell, cwd=checkout).returncode == 0
    (checkout / "gate.toml").unlink()
    assert subprocess.run(shell, cwd=checkout).returncode == 1


def test_no_worse_in_a_test_of_ones_own() -> None:
    by_system = {system: run_path(system) for system in ("bm25", "titles")}
    found = irmx_study.assert_no_worse(
        "nDCG@10", qrels_path(), by_system["titles"], by_system["bm25"], margin=0.02, measures="P@5"
    )
    assert found.outcome == "holds"
    with pytest.raises(AssertionError, match=r"Contradicted: .* not worse .*0\.02"):
        irmx_study.assert_no_worse("nDCG@10", qrels_path(), by_system["bm25"], by_system["titles"], margin=0.02)
    with pytest.raises(AssertionError, match="Not shown"):
        irmx_study.assert_no_worse("nDCG@10", qrels_path(), run_path("bm25"), run_path("recent"), margin=0.2)
