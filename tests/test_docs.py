"""The documentation says something of everything that a user can name, and its reference pages are complete."""

import ast
import importlib
import re
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import irmx
from irmx.demo import qrels_path, run_path

TOP = Path(__file__).parent.parent
DOCS = TOP / "docs"


@pytest.fixture(scope="module")
def checks() -> ModuleType:
    """What the build of the documentation checks."""
    return generator("checks")


@pytest.fixture(scope="module")
def generated() -> dict[str, str]:
    """The pages that are made from the code, by path."""
    return dict(generator().pages())


@pytest.fixture(scope="module")
def lacking(checks: ModuleType, generated: dict[str, str]) -> list[str]:
    """What the documentation lacks as it stands."""
    return list(checks.lacking(generated, WRITTEN))


def generator(part: str = "") -> ModuleType:
    """Import the package that makes the reference, or a module of it."""
    sys.path.insert(0, str(DOCS))
    try:
        return importlib.import_module(f"reference_generator{'.' if part else ''}{part}")
    finally:
        sys.path.remove(str(DOCS))


WRITTEN = generator("checks").written(DOCS)


def environment_variables() -> set[str]:
    sources = [*(TOP / "src").rglob("*.py"), *(TOP / "plugins").rglob("*.py"), *(TOP / "tests").rglob("*.py")]
    return {m for p in sources for m in re.findall(r"\bIRMX_[A-Z][A-Z_]*[A-Z]\b", p.read_text(encoding="utf-8"))}


# -- what a person has to write ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(environment_variables()))
def test_guide_names_every_environment_variable(name: str, checks: ModuleType) -> None:
    assert checks.is_named(name, WRITTEN)


def test_the_variables_that_choose_plugins_are_looked_for() -> None:
    assert {"IRMX_LOAD_PLUGINS", "IRMX_DISABLED_PLUGINS", "IRMX_DATA"} <= environment_variables()


@pytest.mark.parametrize("name", [n for n in irmx.__all__ if n.endswith(("Error", "Warning"))])
def test_guide_names_every_error(name: str, checks: ModuleType) -> None:
    assert checks.is_named(f"irmx.{name}", WRITTEN)


def test_numbers_of_formulas_stand_only_on_the_page_that_explains_them() -> None:
    numbered = re.compile(r"\((?:[AMT]\d+(?:, | to )?)+\)")
    assert numbered.search("MP (M2), nUtil (A1, A2), models (M5 to M8)")
    sources = [*(TOP / "plugins").rglob("src/**/*.py"), *(TOP / "src").rglob("*.py")]
    assert [p.name for p in sources if numbered.search(p.read_text(encoding="utf-8"))] == []
    assert numbered.search(WRITTEN) is None


def test_latex_that_cannot_be_converted_fails_the_build() -> None:
    nodes = pytest.importorskip("docutils.nodes")
    render = generator("mathml_renderer")._block
    writer = SimpleNamespace(body=[])
    with pytest.raises(nodes.SkipNode):
        render(writer, nodes.math_block("", r"\frac{1}{n}"))
    assert "<mfrac>" in "".join(writer.body)
    with pytest.raises(irmx.UsageError, match="is not known here"):
        render(writer, nodes.math_block("", r"\unheard{n}"))


# -- what the generator has to make ------------------------------------------------------------------------


def test_nothing_lacks_a_heading_an_anchor_or_a_guide(lacking: list[str]) -> None:
    assert lacking == []


TAKEN_OUT = [
    ("hooks.md", "## irmx_fields\n", "The hook irmx_fields has no heading in hooks.md."),
    ("commands.md", "## irmx cite\n", "The command irmx cite has no heading in commands.md."),
    ("measures/NCP.md", "# NCP\n", "The measure NCP has no heading in measures/NCP.md."),
    ("measures/NCP.md", "{#parameter-law}", "The parameter law of NCP has no anchor in measures/NCP.md."),
    ("measures/MSU.md", "#column-run-length)", "The column length of the run is not on the page of the measure MSU."),
    ("markov-models/GL_AD_ID.md", "# GL_AD_ID\n", "The Markov model GL_AD_ID has no heading in markov-models/GL_AD_ID.md."),
    ("reading-interfaces/push.md", "{#parameter-daily-limit}", "The parameter daily_limit of push has no anchor in reading-interfaces/push.md."),
    ("columns.md", "### `length` of the qrels\n", "The column length of the qrels has no heading in columns.md."),
]  # fmt: skip


@pytest.mark.parametrize(("page", "text", "said"), TAKEN_OUT, ids=[t[2] for t in TAKEN_OUT])
def test_what_is_taken_out_of_the_reference_is_named(
    page: str, text: str, said: str, checks: ModuleType, generated: dict[str, str], lacking: list[str]
) -> None:
    assert text in generated[page]
    found = checks.lacking({**generated, page: generated[page].replace(text, "")}, WRITTEN)
    assert set(found) - set(lacking) == {said}


@pytest.mark.parametrize(
    ("name", "said"),
    [("irmx_symbols", "the hook irmx_symbols"), ("irmx cite", "the command irmx cite"), ("TIA_AP", "the measure TIA_AP"),
     ("GL_OR_LID", "the named object GL_OR_LID")],
)  # fmt: skip
def test_what_no_guide_names_is_named(
    name: str, said: str, checks: ModuleType, generated: dict[str, str], lacking: list[str]
) -> None:
    without = re.sub(rf"(?<![\w-]){name}(?![\w-])", "it", WRITTEN)
    assert set(checks.lacking(generated, without)) - set(lacking) == {f"No guide names {said}."}


def test_a_build_of_an_incomplete_documentation_fails(tmp_path: Path) -> None:
    reference_generator = generator()
    (tmp_path / "README.md").write_text("Nothing is named.\n", encoding="utf-8")
    with pytest.raises(RuntimeError, match=r"No guide names the measure NCP\."):
        reference_generator.write(tmp_path / "docs" / "reference", DOCS / "figures")
    assert not (tmp_path / "docs").exists()


def test_citations_are_on_the_pages_of_measures(generated: dict[str, str]) -> None:
    for name, measure in irmx.registry().measures().items():
        for citation in measure.citations():
            assert citation.bibtex() in generated[f"measures/{name}.md"]


def test_a_column_that_plugins_declare_differently_is_shown_with_every_meaning(monkeypatch: pytest.MonkeyPatch) -> None:
    def measure(name: str, *columns: irmx.Column) -> irmx.Measure:
        return type(name, (irmx.Measure,), {"NAME": name, "RUN_COLUMNS": columns})()

    words, characters = (irmx.Column("run", "zlength", "how long it is", unit=u, how=f"count {u}") for u in ("words", "characters"))  # fmt: skip
    words = replace(words, sample=irmx.SampleValues(range(8, 61), per=("query_id", "doc_id")))
    again = irmx.Column("run", "zlength", "how long it is", unit="words", how="ask", optional=True)
    declared = {m.NAME: m for m in (measure("ZA", words), measure("ZB", characters), measure("ZC", again))}
    vocabulary = generator("vocabulary")
    monkeypatch.setattr(irmx.registry(), "measures", lambda aliases=False: declared)
    section = vocabulary.columns_page().partition("### `zlength` of the run\n")[2].partition("## ")[0]
    assert section.strip().splitlines() == [
        "Declared with 2 meanings:",
        "",
        "- How long it is (a number, in words). How to get it: count words; or: ask. For example: 8 to 60, "
        "one per document. Read by [ZA](measures/ZA.md), [ZC](measures/ZC.md).",
        "- How long it is (a number, in characters). How to get it: count characters. Read by [ZB](measures/ZB.md).",
    ]


# -- pictures ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made() -> list[Any]:
    """The pictures of the documentation."""
    return list(generator("figures").pictures(DOCS / "figures"))


@pytest.mark.slow
def test_pictures_are_the_same_at_every_build_and_in_the_gallery_and_guides(made: list[Any]) -> None:
    figures = generator("figures")
    assert {"MP", "NCP", "users-of-a-stream", "subtopics-by-windows"} <= {picture.name for picture in made}
    assert figures.pictures(DOCS / "figures") == made
    files = figures.files(made, DOCS)
    gallery = files["gallery.md"].decode()
    for picture in made:
        assert files[f"figures/{picture.name}.svg"].startswith(b"<?xml")
        assert gallery.count(f"(figures/{picture.name}.svg)") == 1
    for guide in re.findall(r"\.\./guide/([\w-]+\.md)", gallery):
        assert (DOCS / "guide" / guide).exists()


@pytest.mark.slow
def test_commands_of_the_gallery_exist(made: list[Any]) -> None:
    typed = [picture.made_by for picture in made]
    commands = [words.split()[1] for words in typed if words.startswith("irmx ")]
    assert len(commands) > 5
    assert set(commands) <= set(irmx.registry().commands())


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("MADE_BY = {'same': 'x'}", r"b.py: there is a picture 'same' already"),
        ("MADE_BY = {}", r"MADE_BY does not say what a reader types for 'same'"),
    ],
)
def test_pictures_that_the_documentation_cannot_show(
    tmp_path: Path, script: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generator("figures"), "drawn", dict)  # without those of user models, which take seconds
    for name in "ab":
        text = f"{script}\ndef figures(plt):\n    return {{'same': plt.figure()}}\n"
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    with pytest.raises(RuntimeError, match=message):
        generator("figures").pictures(tmp_path)


def test_a_picture_that_no_guide_shows(tmp_path: Path) -> None:
    figures = generator("figures")
    with pytest.raises(RuntimeError, match="No page shows the picture 'lost'"):
        figures.files([figures.Picture("lost", "irmx plot", b"")], tmp_path)


@pytest.mark.parametrize(
    "package",
    ["irmx", *sorted(p.name.replace("-", "_") for p in (Path(__file__).parent.parent / "plugins").glob("irmx-*"))],
)
def test_every_public_name_has_a_heading(package: str, generated: dict[str, str], checks: ModuleType) -> None:
    public = sys.modules[package].__all__
    assert set(public) <= checks.headings(generated[f"api/{package}.md"])


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
        prose = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", prose):
            made = "reference/" in target  # made by the build; test_docs holds the generator to its own pages
            if "://" not in target and not made:
                assert (page.parent / target).exists(), (page.name, target)


def test_readme_has_exactly_the_two_commands_that_ci_runs() -> None:
    commands = re.findall(r"^python -m pip install .*$", (TOP / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert commands == [
        "python -m pip install -r install.txt && irmx demo",
        "python -m pip install -r test.txt && python -m pytest -n auto",
    ]
    assert "grep '^python -m pip install' README.md" in (TOP / ".ci" / "run").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", sorted((DOCS / "results").glob("*.md")), ids=lambda page: page.stem)
def test_whole_numbers_in_tables_of_results_have_commas_between_thousands(page: Path) -> None:
    assert re.findall(r"(?<=\S \| )\d{4,}(?: of \d+)?(?= \|)", page.read_text(encoding="utf-8")) == []


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


def test_the_table_of_the_first_page_is_what_the_command_prints(command) -> None:
    page = (DOCS / "index.md").read_text(encoding="utf-8")
    table = page.partition("-o markdown\n```\n\n")[2].partition("\n\n")[0]
    files = [str(qrels_path()), *(str(run_path(name)) for name in ("bm25", "recent", "titles"))]
    assert command("eval", *files, "AP", "nDCG@10", "MP(model=GL_AD_ID)", "-o", "markdown").out == f"{table}\n"
