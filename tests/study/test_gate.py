"""The workflow of the guide's page on gates: its shell steps run, and end as they should."""

import os
import re
import subprocess
import sysconfig
import textwrap
from pathlib import Path

import pytest

from irmx.demo import qrels_path, run_path

PAGE = (Path(__file__).parents[2] / "docs" / "guide" / "gate.md").read_text(encoding="utf-8")
GH = """#!/bin/sh
echo "$@" >> "$CALLS"
case "$*" in *--paginate*) [ -f old ] && echo 17 ;; esac
exit 0
"""


def step(name: str) -> str:
    """Return the shell lines of a step of the workflow."""
    of_step = PAGE.split(f"- name: {name}\n", 1)[1]
    return textwrap.dedent(re.split(r"run: \|\n", of_step, maxsplit=1)[1].split("\n      - ", 1)[0].split("```", 1)[0])


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "qrels.txt").write_bytes(Path(qrels_path()).read_bytes())
    (tmp_path / "main.run").write_bytes(Path(run_path("bm25")).read_bytes())
    (tmp_path / "gate.toml").write_text(PAGE.split("```toml\n")[1].split("```")[0])
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "gh").write_text(GH)
    (tmp_path / "bin" / "gh").chmod(0o755)
    return tmp_path


def run(script: str, folder: Path) -> int:
    paths = os.pathsep.join([str(folder / "bin"), sysconfig.get_path("scripts"), os.environ["PATH"]])
    names = {
        "PATH": paths, "GITHUB_STEP_SUMMARY": str(folder / "summary"), "GITHUB_REPOSITORY": "a/b", "PULL": "3",
        "CALLS": str(folder / "calls"),
    }  # fmt: skip
    # as GitHub runs a step
    done = subprocess.run(["bash", "-e", "-c", script], cwd=folder, env={**os.environ, **names}, timeout=120)
    return done.returncode


@pytest.mark.parametrize(("change", "code", "word"), [("bm25", 0, "Holds"), ("titles", 4, "Contradicted")])
def test_the_steps_of_the_workflow_pass_a_copy_and_fail_a_loss(
    change: str, code: int, word: str, checkout: Path
) -> None:
    (checkout / "change.run").write_bytes(Path(run_path(change)).read_bytes())
    assert run(step("Verdict"), checkout) == code
    assert f" {word}: " in (checkout / "summary").read_text()
    assert run(step("Comment"), checkout) == 0
    assert (checkout / "calls").read_text().splitlines()[-1] == "api repos/a/b/issues/3/comments -F body=@verdict.md"
    (checkout / "old").touch()
    assert run(step("Comment"), checkout) == 0
    assert "PATCH repos/a/b/issues/comments/17" in (checkout / "calls").read_text().splitlines()[-1]
