"""Do the tests notice a changed formula? Every operator, number and condition of some modules is changed in turn.

    python tests/mutation/run.py                         # all families, which takes a night
    python tests/mutation/run.py ncp cwl                 # these
    python tests/mutation/run.py --sample 50 ncp cwl     # so many changes of each, drawn at random

cosmic-ray makes the changes, in clones of the last commit, and runs the tests of the family on each. Changes that no test notices are
printed, and the exit code is 1, unless ``survivors.toml`` lists them with the reason.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import TestOutcome, WorkerOutcome, WorkItem, WorkResult

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]


class Family(NamedTuple):
    """The modules that are changed, and the tests that should notice."""

    modules: list[str]
    tests: str


def of(plugin: str, *modules: str) -> list[str]:
    """Return the paths of modules of a plugin."""
    return [f"plugins/irmx-{plugin}/src/irmx_{plugin}/{module}.py" for module in modules]


FAMILIES = {
    "ncp": Family(of("ncp", "normalised_precision", "stopping_laws"), "tests/ncp"),
    "cwl": Family(of("cwl", "cwl_measure", "session_measures", "time_biased_gain", "ratings"), "tests/cwl"),
    "markov": Family(
        of("markov", "closed_form", "continuous_time", "finite_chains", "markov_models", "markov_precision"),
        "tests/markov --ignore tests/markov/test_commands.py",
    ),
    "diversity": Family(of("temporal", "cells", "diversity", "intent_aware", "lifted"), "tests/temporal"),
    "pages": Family(
        of("pages", "aggregated_search", "page_diversity", "examination_models", "exact_ideal"), "tests/pages"
    ),
    "fits": Family(
        of("pages", "effort_fit", "examination_fit", "choice_likelihood", "preference_fit"),
        "tests/pages/test_fitting.py tests/pages/test_observed.py",
    ),
    "trec": Family(of("trec", "classics"), "tests/trec/test_equal_values.py tests/trec/test_explained.py"),
    "streams": Family(
        of("stream", "gains", "compiled_gains", "simulated_users", "recorded_scores", "modeled_stream_utility"),
        "tests/stream --ignore-glob tests/stream/test_t[rs]*.py --ignore tests/stream/test_order_of_lines.py",
    ),
    "significance": Family(of("study", "statistics/tests", "statistics/paired"), "tests/study/test_significance.py"),
}
"""Modules with formulas or statistics."""

CHANGES = re.compile(
    "core/(NumberReplacer|AddNot|ReplaceTrueWithFalse|ReplaceFalseWithTrue|ReplaceAndWithOr|ReplaceOrWithAnd|ZeroIterationForLoop"
    "|ReplaceBreakWithContinue|ReplaceContinueWithBreak|ReplaceUnaryOperator_(USub_UAdd|Delete_Not|Delete_Invert)"
    "|ReplaceBinaryOperator_(Add_Sub|Sub_Add|Mul_Div|Div_Mul|Mul_Add|Pow_Mul|FloorDiv_Mul|Mod_Mul|BitAnd_BitOr|BitOr_BitAnd)"
    "|ReplaceComparisonOperator_(Lt_LtE|Lt_GtE|LtE_Lt|LtE_Gt|Gt_GtE|Gt_LtE|GtE_Gt|GtE_Lt|Eq_NotEq|NotEq_Eq|Is_IsNot|IsNot_Is))"
)
"""One or two changes of each kind; cosmic-ray has eleven of every operator, most of which raise an error at once."""

NO_FORMULAS = ("Formula", "Citation", "SampleValues", "warn", "warnings.warn")
"""Calls that describe, rather than compute."""

TIMEOUT = 120


def no_formulas(source: str) -> list[tuple[Any, Any]]:
    """Return the parts that hold no formula: types, decorators, texts, declarations of what is printed."""
    found: list[ast.AST | None] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.AnnAssign, ast.arg)):
            found.append(node.annotation)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found += [getattr(node, "returns", None), *node.decorator_list]
            found += [node] * bool(re.match("_?draw_|_?tell_|SHORT_DESC$", node.name))
        elif isinstance(node, (ast.Raise, ast.JoinedStr)) or (
            isinstance(node, ast.Call) and ast.unparse(node.func) in NO_FORMULAS
        ):
            found.append(node)
        elif isinstance(node, ast.keyword) and node.arg in ("low", "high", "above", "below", "required"):
            found.append(node.value)  # which the conformance kit checks
    return [
        ((part.lineno, part.col_offset), (part.end_lineno, part.end_col_offset)) for part in found if part is not None  # type: ignore[attr-defined]
    ]  # fmt: skip


def without_other_changes(db: WorkDB, folder: Path, sample: int | None) -> None:
    """Skip the changes that are of no formula, or of no kind above, or not among a sample."""
    parts: dict[Path, list[tuple[Any, Any]]] = {}
    kept = []
    for item in sorted(db.pending_work_items, key=lambda item: (str(item.mutations), item.job_id)):
        [change] = item.mutations
        path = change.module_path
        if path not in parts:
            parts[path] = no_formulas((folder / path).read_text(encoding="utf-8"))
        is_text = any(start <= change.start_pos and change.end_pos <= end for start, end in parts[path])
        if not is_text and CHANGES.fullmatch(change.operator_name):
            kept.append(item.job_id)
    tried = set(kept if sample is None else random.Random(0).sample(kept, min(sample, len(kept))))
    others = [item.job_id for item in db.pending_work_items if item.job_id not in tried]
    db.set_multiple_results(others, WorkResult(WorkerOutcome.SKIPPED))


def changed_line(item: WorkItem, diff: str) -> tuple[str, str]:
    """Return the module of a change, and the line after it."""
    [line] = re.findall(r"^\+(?!\+\+)(.*)", diff, re.MULTILINE)[:1] or [""]
    return item.mutations[0].module_path.as_posix().rpartition("/src/")[2], line.strip()


def try_all(name: str, folder: Path, sample: int | None) -> Iterator[tuple[bool, str, str]]:
    """Change the modules of a family in a copy of the checkout; yield whether a test failed, the module and the line, of each."""
    family, copy = FAMILIES[name], folder / name
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(copy)], check=True)
    sources = [copy / "src", *copy.glob("plugins/*/src"), copy / "tests"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sources)), "PYTHONDONTWRITEBYTECODE": "1"}
    test = f"{sys.executable} -m pytest -x -q -p no:cacheprovider {family.tests}"
    (copy / "cosmic-ray.toml").write_text(
        f"[cosmic-ray]\nmodule-path = {family.modules}\ntimeout = {TIMEOUT}\nexcluded-modules = []\ntest-command = {test!r}\n"
        '[cosmic-ray.distributor]\nname = "local"\n'
    )

    def cosmic_ray(*words: str) -> None:
        code = "from cosmic_ray.cli import cli; cli()"
        subprocess.run([sys.executable, "-c", code, *words], cwd=copy, env=environment, check=True)

    cosmic_ray("baseline", "cosmic-ray.toml")
    cosmic_ray("init", "cosmic-ray.toml", "session.sqlite")
    with use_db(str(copy / "session.sqlite"), WorkDB.Mode.open) as db:
        without_other_changes(db, copy, sample)
        cosmic_ray("exec", "cosmic-ray.toml", "session.sqlite")
        for item, result in db.completed_work_items:
            if result.worker_outcome != WorkerOutcome.SKIPPED:
                yield result.test_outcome != TestOutcome.SURVIVED, *changed_line(item, result.diff or "")


def main() -> int:
    """Try the families, and print what became of the changes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("families", nargs="*", metavar="FAMILY", help=f"by default all: {', '.join(FAMILIES)}")
    parser.add_argument("--sample", type=int, metavar="N", help="try so many changes of each family, drawn at random")
    given = parser.parse_args()
    names = given.families or list(FAMILIES)
    if unknown_names := set(names) - set(FAMILIES):
        parser.error(f"There is no family {', '.join(sorted(unknown_names))}.")
    known = tomllib.loads((Path(__file__).parent / "survivors.toml").read_text(encoding="utf-8"))
    unknown = 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as threads:
        for name, found in zip(
            names, threads.map(lambda n: list(try_all(n, Path(folder), given.sample)), names), strict=True
        ):
            for module in sorted({module for _, module, _ in found}):
                of_module = [(is_noticed, line) for is_noticed, one, line in found if one == module]
                survived = [line for is_noticed, line in of_module if not is_noticed]
                listed = known.get(module, {})
                unlisted = [line for line in survived if not any(re.search(text, line) for text in listed)]
                matter = len(of_module) - len(survived) + len(unlisted)
                share = 1 - len(unlisted) / matter if matter else 1.0
                print(
                    f"{name}: {module}: {share:.0%} of {matter} changes are noticed; {len(survived) - len(unlisted)} change no value"
                )
                for line in unlisted:
                    print(f"    not noticed: {line}")
                unknown += len(unlisted)
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
