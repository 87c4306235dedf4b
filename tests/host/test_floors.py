"""Imports go down: no circles, the floors of the host, and plugins on public names alone; drawn from the source.

Imports inside functions count, so that a circle cannot be hidden in one. Those that only a type checker runs make no circles of files in the
host, either, because a reader follows them; otherwise they do not count.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

import pytest

TOP = Path(__file__).parent.parent.parent
HOST = TOP / "src" / "irmx"
PLUGINS = sorted(p.parent for place in ("plugins", "docs/examples") for p in TOP.glob(f"{place}/*/src/*/plugin.py"))
FLOORS = [
    "text", "errors", "ragged", "parallel", "registry", "declare", "data", "rank", "score", "adapters", "collections", "pt",
    "symbols", "hookspecs", "plugin", "demo", "testing", "cli", "toolkit",
]  # fmt: skip
"""What stands at the top of the host, from below; the public names, of ``irmx`` itself and of ``toolkit``, stand beside ``cli``."""

PUBLIC_MODULES = ("ragged", "toolkit", "testing", "demo", "errors", "pt", "collections", "symbols")
"""The modules of the host whose names a plugin may import, beside the names of ``irmx``."""


def last_name(node: ast.AST) -> str | None:
    """Return a name, or the last of several with dots between them; None of what is no name."""
    return getattr(node, "attr", getattr(node, "id", None))


def imported(node: ast.AST, package: str, typing: bool = False) -> Iterator[tuple[str, int]]:
    """Yield what the nodes below a node import, and in which line; with ``typing`` also for a type checker."""
    for child in ast.iter_child_nodes(node):
        if not typing and isinstance(child, ast.If) and last_name(child.test) == "TYPE_CHECKING":
            for other in child.orelse:
                yield from imported(ast.Module([other], []), package)
            continue
        if isinstance(child, ast.Import):
            yield from ((alias.name, child.lineno) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - child.level + 1] if child.level else []
            module = ".".join([*above, *filter(None, [child.module])])
            yield from ((f"{module}.{alias.name}", child.lineno) for alias in child.names)
        elif isinstance(child, ast.Call) and last_name(child.func) == "import_module":
            yield from ((str(arg.value), child.lineno) for arg in child.args[:1] if isinstance(arg, ast.Constant))
        yield from imported(child, package, typing)


@cache
class Drawing:
    """The imports of a package: of each module, what it imports and where; a module with a stub has those of both."""

    def __init__(self, package: Path, typing: bool = False) -> None:
        self.imports: list[tuple[str, str, str]] = []
        self.modules: set[str] = set()
        for file in [*sorted(package.rglob("*.py")), *package.rglob("*.pyi")]:
            parts = file.relative_to(package.parent).with_suffix("").parts
            inside, module = ".".join(parts[:-1]), ".".join(parts).removesuffix(".__init__")
            self.modules.add(module)
            found = imported(ast.parse(file.read_text(encoding="utf-8")), inside, typing)
            self.imports += [(module, of, f"{file}:{line}") for of, line in found]

    def edges(self, rooms: bool = False) -> dict[tuple[str, str], str]:
        """Return the place of the first import between each two modules, or between what stands at the top."""
        found: dict[tuple[str, str], str] = {}
        for module, of, place in self.imports:
            while of and of not in self.modules:  # a name in a module stands for the module
                of = of.rpartition(".")[0]
            one, other = (".".join(name.split(".")[:2]) if rooms else name for name in (module, of))
            if other and one != other:
                found.setdefault((one, other), place)
        return found

    def circle(self, rooms: bool = False) -> str:
        """Return a circle of imports, file by file; empty where there is none."""
        edges = self.edges(rooms)
        graph: dict[str, set[str]] = {}
        for one, other in edges:
            graph.setdefault(one, set()).add(other)
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            names = error.args[1][::-1]
            return "\n".join(f"{a} imports {b}: {edges[a, b]}" for a, b in pairwise(names))
        return ""


@pytest.mark.parametrize("package", [HOST, *PLUGINS], ids=lambda p: p.name)
def test_no_module_imports_itself_by_way_of_others(package: Path) -> None:
    assert Drawing(package, typing=True).circle() == ""
    assert package == HOST or Drawing(package).circle(rooms=True) == ""


def test_imports_of_the_host_go_down_and_to_no_plugin() -> None:
    drawing = Drawing(HOST)
    at_top = {p.stem for p in HOST.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()} - {"__init__"}
    assert at_top == set(FLOORS)
    up = [
        f"{place}: {one} imports {other}"
        for (one, other), place in drawing.edges(rooms=True).items()
        if "irmx" not in (one, other) and FLOORS.index(other[5:]) > FLOORS.index(one[5:])
    ]
    rooms = drawing.edges(rooms=True).items()
    below = [place for (one, other), place in rooms if other == "irmx" and one != "irmx.cli"]
    assert up + below == []
    assert [place for _, of, place in drawing.imports if of.split(".")[0] in {p.name for p in PLUGINS}] == []


def test_the_page_about_the_house_has_the_rooms_in_order_and_names_files_that_are_there() -> None:
    page = (TOP / "docs" / "design" / "house.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\w+)(?:/|\.py)` ", page, re.M) == FLOORS
    plugins = sorted(path.name for path in (TOP / "plugins").iterdir() if (path / "pyproject.toml").exists())
    assert sorted(re.findall(r"^\| (irmx-\w+) \|", page, re.M)) == plugins
    named = re.findall(r"`((?:\w[\w-]*/)*[\w-]+(?:/|\.pyi?))`", page)
    assert len(named) > 40
    paths = [path for top in ("src", "plugins", "tests", "docs") for path in [TOP / top, *(TOP / top).rglob("*")]]
    files = [f"/{path.relative_to(TOP).as_posix()}{'/' * path.is_dir()}" for path in paths]
    assert [name for name in named if not any(file.endswith(f"/{name}") for file in files)] == []


@pytest.mark.parametrize("package", PLUGINS, ids=lambda p: p.name)
def test_a_plugin_imports_public_names_of_irmx_and_no_other_plugin(package: Path) -> None:
    stub = (HOST / "__init__.pyi").read_text(encoding="utf-8")
    public = {*re.findall(r" as (\w+)", stub), *re.findall(r"^def (\w+)", stub, re.M), "__version__", *PUBLIC_MODULES}
    others = {p.name for p in PLUGINS} - {package.name}
    wrong = []
    for _, of, place in Drawing(package).imports:
        top, _, name = of.partition(".")
        if top in others or (top == "irmx" and name and name.split(".")[0] not in public):
            wrong.append(f"{place}: {of}")
    assert wrong == []


@pytest.mark.parametrize("package", [HOST, *PLUGINS], ids=lambda p: p.name)
def test_a_file_is_a_topic_that_can_be_read(package: Path) -> None:
    long = {
        file.name: lines
        for file in package.rglob("*.py")
        if (lines := file.read_text(encoding="utf-8").count("\n")) > 900
    }
    assert long == {}
