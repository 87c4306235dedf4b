"""Imports go down: no circles, the floors of the host, and plugins on public names alone; drawn from the source.

Imports inside functions count, so that a circle cannot be hidden in one.
"""

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

TOP = Path(__file__).parent.parent.parent
HOST = TOP / "src" / "irmx"
PLUGINS = sorted(
    p.parent for p in [*TOP.glob("plugins/*/src/*/plugin.py"), *TOP.glob("docs/examples/*/src/*/plugin.py")]
)

FLOORS = [
    "errors", "ragged", "parallel", "registry", "declare", "data", "rank", "score", "adapters", "collections", "pt",
    "symbols", "hookspecs", "plugin", "demo", "testing", "cli", "toolkit",
]  # fmt: skip
"""What stands at the top of the host, from below; the public names, of ``irmx`` itself and of ``toolkit``, stand beside ``cli``."""

PUBLIC_MODULES = ("ragged", "toolkit", "testing", "demo", "errors", "pt", "collections", "symbols")
"""The modules of the host whose names a plugin may import, beside the names of ``irmx``."""


@pytest.fixture(scope="module")
def drawing(beside: Callable[[str, str], ModuleType]) -> Any:
    return beside(__file__, "import_graph")


def told(circle: list[str], imports: list[Any], modules: Any, drawing: Any) -> str:
    """What a circle is, file by file."""
    where = {(i.module, drawing.module_of(i.of, modules)): f"{i.file}:{i.line}" for i in reversed(imports)}
    return "\n".join(f"{a} imports {b}: {where[a, b]}" for a, b in pairwise(circle))


def rooms(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """The graph of what stands at the top of a package."""

    def room(module: str) -> str:
        return ".".join(module.split(".")[:2])

    merged: dict[str, set[str]] = {}
    for module, of in graph.items():
        merged.setdefault(room(module), set()).update(room(o) for o in of if room(o) != room(module))
    return merged


@pytest.mark.parametrize("package", [HOST, *PLUGINS], ids=lambda p: p.name)
def test_no_module_imports_itself_by_way_of_others(package: Path, drawing: Any) -> None:
    modules = drawing.modules_of(package)
    imports = drawing.imports_of(modules)
    circle = drawing.circle_in(drawing.graph_of(modules, imports))
    assert not circle, "a circle of imports:\n" + told(circle, imports, modules, drawing)


@pytest.mark.parametrize("package", PLUGINS, ids=lambda p: p.name)
def test_rooms_of_a_plugin_stand_one_above_the_other(package: Path, drawing: Any) -> None:
    modules = drawing.modules_of(package)
    assert drawing.circle_in(rooms(drawing.graph_of(modules, drawing.imports_of(modules)))) == []


def test_the_host_has_the_rooms_of_the_table() -> None:
    at_top = {p.stem for p in HOST.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()} - {"__init__"}
    assert at_top == set(FLOORS)


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


def test_imports_of_the_host_go_down(drawing: Any) -> None:
    modules = drawing.modules_of(HOST)

    def floor(module: str) -> int:
        return min(FLOORS.index(module.split(".")[1]) if "." in module else len(FLOORS), FLOORS.index("cli"))

    up = [
        f"{i.file}:{i.line}: {i.module} imports {i.of}"
        for i in drawing.imports_of(modules)
        if (of := drawing.module_of(i.of, modules)) and floor(of) > floor(i.module)
    ]
    assert up == []


def test_the_host_imports_no_plugin(drawing: Any) -> None:
    packages = {p.name for p in PLUGINS}
    wrong = [i for i in drawing.imports_of(drawing.modules_of(HOST)) if i.of.split(".")[0] in packages]
    assert wrong == []


@pytest.mark.parametrize("package", PLUGINS, ids=lambda p: p.name)
def test_a_plugin_imports_public_names_of_irmx_and_no_other_plugin(package: Path, drawing: Any) -> None:
    stub = (HOST / "__init__.pyi").read_text(encoding="utf-8")
    public = {*re.findall(r" as (\w+)", stub), *re.findall(r"^def (\w+)", stub, re.M), "__version__"}
    others = {p.name for p in PLUGINS} - {package.name}
    wrong = []
    for i in drawing.imports_of(drawing.modules_of(package)):
        top, _, name = i.of.partition(".")
        private = top == "irmx" and name and name not in public and name.split(".")[0] not in PUBLIC_MODULES
        if private or top in others:
            wrong.append(f"{i.file}:{i.line}: {i.of}")
    assert wrong == []


@pytest.mark.parametrize(
    ("texts", "circle"),
    [
        ({"a": "from made.b import x", "b": "import made.a"}, {"made.a", "made.b"}),
        ({"a": "def f():\n    from made import b", "b": "from . import a"}, {"made.a", "made.b"}),
        ({"a": "import_module('made.b')", "b": "import made.a"}, {"made.a", "made.b"}),
        ({"room/a": "from ..b import x", "b": "from .room import a"}, {"made.room.a", "made.b"}),
        ({"__init__": "from made.a import x", "a": "from made import x"}, {"made", "made.a"}),
        ({"a": "if True:\n    pass\nelse:\n    import made.b", "b": "import made.a"}, {"made.a", "made.b"}),
        ({"a": "import made.b", "b": "import made.c", "c": ""}, set()),
        ({"a": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import made.b", "b": "import made.a"}, set()),
    ],
)
def test_circles_of_made_packages(texts: dict[str, str], circle: set[str], tmp_path: Path, drawing: Any) -> None:
    for name, text in {"__init__": "", **texts}.items():
        file = tmp_path / "made" / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    modules = drawing.modules_of(tmp_path / "made")
    imports = drawing.imports_of(modules)
    names = drawing.circle_in(drawing.graph_of(modules, imports))
    assert set(names) == circle
    assert len(told(names, imports, modules, drawing).splitlines()) == len(circle)
