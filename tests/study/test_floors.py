"""The folders of the study stand on floors: each imports only those before it."""

import ast
from pathlib import Path

FLOORS = ["statistics", "inputs", "showing", "systems", "measures", "judging", "verdicts", "reporting"]
STUDY = Path(__file__).parents[2] / "plugins" / "irmx-study" / "src" / "irmx_study"


def test_imports_go_down_and_no_file_is_long() -> None:
    """Commands, options and the plugin stand above all folders; imports inside functions count, those for types do not."""
    up, long = [], []
    for path in sorted(STUDY.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        floor = FLOORS.index(path.parent.name) if path.parent != STUDY else len(FLOORS)
        tree = ast.parse(text)
        for_types = {
            id(node)
            for block in ast.walk(tree)
            if isinstance(block, ast.If) and ast.unparse(block.test).endswith("TYPE_CHECKING")
            for node in ast.walk(block)
        }
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.ImportFrom)
                and id(node) not in for_types
                and (node.module or "").startswith("irmx_study")
            ):
                _, _, name = str(node.module).partition(".")
                folder = name.partition(".")[0]
                above = len(FLOORS) if folder not in FLOORS else FLOORS.index(folder)
                if name and above > floor:
                    up.append(f"{path.relative_to(STUDY)}:{node.lineno}: {node.module}")
        if text.count("\n") > 900:
            long.append(path.name)
    assert (up, long) == ([], [])
