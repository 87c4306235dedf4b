"""The documentation says something of everything that a user can name, and its reference pages are complete."""

import ast
import re
import sys
from pathlib import Path

import pytest

import irmx
from irmx.plugins import HOOKS

TOP = Path(__file__).parent.parent
DOCS = TOP / "docs"


def written() -> str:
    """The pages that are written by hand."""
    pages = [p for p in DOCS.rglob("*.md") if not {"_build", "reference", "results"} & set(p.relative_to(DOCS).parts)]
    return "\n".join(p.read_text(encoding="utf-8") for p in [*sorted(pages), TOP / "README.md"])


@pytest.fixture(scope="module")
def generated() -> dict[str, str]:
    """The pages that are made from the code, by path."""
    sys.path.insert(0, str(DOCS))
    try:
        import reference_generator

        return dict(reference_generator.pages())
    finally:
        sys.path.remove(str(DOCS))


WRITTEN = written()


def named(name: str) -> bool:
    """Whether a page written by hand has a name as a word of its own, in code."""
    return re.search(rf"`[^`\n]*(?<![\w-]){re.escape(name)}(?![\w-])[^`\n]*`", WRITTEN) is not None


def environment_variables() -> set[str]:
    sources = [*(TOP / "src").rglob("*.py"), *(TOP / "plugins").rglob("*.py"), *(TOP / "tests").rglob("*.py")]
    return {m for p in sources for m in re.findall(r"\bIRMX_[A-Z][A-Z_]*[A-Z]\b", p.read_text(encoding="utf-8"))}


# -- what a person has to write ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", HOOKS)
def test_guide_names_every_hook(name: str) -> None:
    assert named(name)


@pytest.mark.parametrize("name", irmx.registry().commands())
def test_guide_names_every_command(name: str) -> None:
    assert named(f"irmx {name}")


@pytest.mark.parametrize("name", irmx.registry().measures())
def test_guide_names_every_measure(name: str) -> None:
    assert named(name)


@pytest.mark.parametrize("name", [s.NAME for s in irmx.registry().symbols().values()])
def test_guide_names_every_named_object(name: str) -> None:
    assert named(name)


@pytest.mark.parametrize("name", sorted(environment_variables()))
def test_guide_names_every_environment_variable(name: str) -> None:
    assert named(name)


def test_the_variables_that_choose_plugins_are_looked_for() -> None:
    assert {"IRMX_LOAD_PLUGINS", "IRMX_DISABLED_PLUGINS", "IRMX_DATA"} <= environment_variables()


@pytest.mark.parametrize("name", [n for n in irmx.__all__ if n.endswith(("Error", "Warning"))])
def test_guide_names_every_error(name: str) -> None:
    assert named(f"irmx.{name}")


def test_every_formula_number_in_a_docstring_is_explained() -> None:
    explained = set(re.findall(r"\| (M\d+) \|", (DOCS / "design" / "formulas.md").read_text(encoding="utf-8")))
    sources = [p.read_text(encoding="utf-8") for p in (TOP / "plugins").rglob("src/**/*.py")]
    used = {number for text in sources for number in re.findall(r"\bM\d+\b", text)}
    assert used
    assert used <= explained


# -- what the generator has to make ------------------------------------------------------------------------


def headings(text: str) -> set[str]:
    return set(re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE))


def test_every_measure_has_a_page_with_every_parameter_and_column(generated: dict[str, str]) -> None:
    for name, measure in irmx.registry().measures().items():
        page = generated[f"measures/{name}.md"]
        assert name in headings(page)
        for parameter in measure.SUPPORTED_PARAMS:
            assert f"| `{parameter}` |" in page, (name, parameter)
        for column in (*measure.RUN_COLUMNS, *measure.QREL_COLUMNS):
            assert f"| {column.table} | `{column.name}` |" in page, (name, column.name)
            assert f"`{column.name}`" in generated["columns.md"]
        for citation in measure.citations():
            assert citation.bibtex() in page


def test_every_named_object_has_a_page_with_every_parameter(generated: dict[str, str]) -> None:
    for symbol in irmx.registry().symbols().values():
        pages = [text for path, text in generated.items() if path.endswith(f"/{symbol.NAME}.md")]
        assert any(f"A {symbol.KIND}:" in text and symbol.NAME in headings(text) for text in pages), symbol
        for parameter in symbol.PARAMS:
            assert any(f"| `{parameter}` |" in text for text in pages), (symbol, parameter)


def test_every_hook_and_command_has_a_heading(generated: dict[str, str]) -> None:
    assert set(HOOKS) <= headings(generated["hooks.md"])
    assert {f"irmx {name}" for name in irmx.registry().commands()} <= headings(generated["commands.md"])


@pytest.mark.parametrize("package", ["irmx", "irmx_markov", "irmx_ncp", "irmx_stream", "irmx_temporal"])
def test_every_public_name_has_a_heading(package: str, generated: dict[str, str]) -> None:
    public = sys.modules[package].__all__
    assert set(public) <= headings(generated[f"api/{package}.md"])


def test_help_in_the_reference_is_not_cut_off(generated: dict[str, str]) -> None:
    for name, command in irmx.registry().commands().items():
        first = " ".join((command.load().__doc__ or "").partition("\n")[0].split())
        section = generated["commands.md"].partition(f"## irmx {name}\n")[2]
        assert first in " ".join(section.split())


def test_every_page_is_in_a_table_of_contents(generated: dict[str, str]) -> None:
    """A page that no table of contents lists cannot be found; Sphinx warns of it, and warnings are errors there."""
    listed = set()
    for path, text in generated.items():
        folder = Path(path).parent
        for block in re.findall(r"```\{toctree\}\n(.*?)```", text, flags=re.DOTALL):
            entries = [line for line in block.splitlines() if line and not line.startswith(":")]
            listed |= {(folder / entry).as_posix() + ".md" for entry in entries}
    assert set(generated) - listed == {"index.md"}


# -- the rest of the repository ----------------------------------------------------------------------------


def test_links_between_pages_lead_somewhere() -> None:
    pages = [TOP / n for n in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    pages += [
        *(TOP / "plugins").glob("*/README.md"),
        *DOCS.glob("*.md"),
        *DOCS.glob("guide/*.md"),
        *DOCS.glob("design/*.md"),
    ]
    for page in pages:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            made = "reference/" in target  # made by the build; test_docs holds the generator to its own pages
            if "://" not in target and not made:
                assert (page.parent / target).exists(), (page.name, target)


def test_readme_has_exactly_the_two_commands_that_ci_runs() -> None:
    commands = re.findall(r"^python -m pip install .*$", (TOP / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert [c.rpartition(" && ")[2] for c in commands] == ["irmx demo", "python -m pytest"]
    assert "grep '^python -m pip install' README.md" in (TOP / ".ci" / "run").read_text(encoding="utf-8")


def test_reference_generator_names_no_plugin() -> None:
    for path in (DOCS / "reference_generator").glob("*.py"):
        imported = {
            name.split(".")[0]
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            for name in (
                [a.name for a in node.names] if isinstance(node, ast.Import) else [getattr(node, "module", "")]
            )
            if isinstance(node, (ast.Import, ast.ImportFrom)) and name
        }
        assert not {n for n in imported if n.startswith("irmx_")}, path


def test_expressions_of_named_objects_are_whole(generated: dict[str, str]) -> None:
    found = {m for page in generated.values() for m in re.findall(r"`(\w+\([^`]+\))`", page.partition("In an expression")[2].partition("\n")[0])}  # fmt: skip
    assert {"NCP(law=table(p=[0.5,0.3,0.2]))", "MPcont(model=GL_AD_ID,times=dwell)", "MP(model=GL_OR_ID)"} <= found
    for text in found - {m for m in found if "file=" in m}:
        irmx.parse_measure(text).validate_params()
