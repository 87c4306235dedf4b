"""The graph of imports of packages, drawn from their source, and what it must not have."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple


class Import(NamedTuple):
    """One import, wherever it stands in a module: what imports, what it imports, in which file and line."""

    module: str
    of: str
    file: Path
    line: int


def modules_of(package: Path) -> dict[str, Path]:
    """Return the files of a package by the names of its modules; a stub stands for its module."""
    found = {}
    for file in sorted(package.rglob("*.py")):
        parts = file.relative_to(package.parent).with_suffix("").parts
        stub = file.with_suffix(".pyi")
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = stub if stub.exists() else file
    return found


def imports_of(modules: Mapping[str, Path]) -> list[Import]:
    """Return all imports of modules: at the top, in functions, and by ``import_module`` of a text.

    Those that only a type checker runs do not count. Of a module with a stub (``lazy_loader``), those of both files do.
    """
    found = []
    for module, path in modules.items():
        for file in dict.fromkeys((path.with_suffix(".py"), path)):
            package = module if file.stem == "__init__" else module.rpartition(".")[0]
            for node in _run(ast.parse(file.read_text(encoding="utf-8"))):
                found += [Import(module, of, file, line) for of, line in _imported(node, package)]
    return found


def graph_of(modules: Mapping[str, Path], imports: list[Import]) -> dict[str, set[str]]:
    """Return the modules that each module imports, of those that there are; a name in a module stands for the module."""
    graph: dict[str, set[str]] = {module: set() for module in modules}
    for one in imports:
        of = module_of(one.of, modules)
        if of is not None and of != one.module:
            graph[one.module].add(of)
    return graph


def module_of(name: str, modules: Mapping[str, Path]) -> str | None:
    """Return the module that a name is, or is in; None for one that is elsewhere."""
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name or None


def circle_in(graph: Mapping[str, set[str]]) -> list[str]:
    """Return a circle, each module importing the next and the last being the first again; empty where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1][::-1])
    return []


def _run(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes below a node that run, which leaves out what stands under ``if TYPE_CHECKING``."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            for other in child.orelse:
                yield other
                yield from _run(other)
        else:
            yield child
            yield from _run(child)


def _imported(node: ast.AST, package: str) -> Iterator[tuple[str, int]]:
    """Yield what a node imports, and in which line."""
    if isinstance(node, ast.Import):
        yield from ((alias.name, node.lineno) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
        module = ".".join([*above, *filter(None, [node.module])])
        yield from ((f"{module}.{alias.name}", node.lineno) for alias in node.names)
    elif isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "import_module":
        yield from ((str(arg.value), node.lineno) for arg in node.args[:1] if isinstance(arg, ast.Constant))
