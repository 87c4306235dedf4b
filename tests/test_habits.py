"""The files that the forge and the tools of contributors read are well-formed, and name what is there."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from irmx.cli.app import run as irmx

TOP = Path(__file__).parent.parent
FILES = [
    TOP / ".pre-commit-config.yaml",
    TOP / "action.yml",
    TOP / "CITATION.cff",
    TOP / ".readthedocs.yaml",
    *sorted((TOP / ".github").rglob("*.yml")),
]
FORMS = sorted((TOP / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
WORKFLOWS = sorted((TOP / ".github" / "workflows").glob("*.yml"))


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def commands(path: Path) -> list[str]:
    """The commands of a workflow, without comments."""
    return [
        step["run"].partition("  #")[0] for job in read(path)["jobs"].values() for step in job["steps"] if "run" in step
    ]


def environments() -> set[str]:
    """The names of the environments of tox."""
    text = (TOP / "tox.ini").read_text(encoding="utf-8")
    return {"py", *re.findall(r"^\[testenv:(\w+)\]", text, re.MULTILINE), *re.findall(r"\bpy3\d+\b", text)}


def test_what_is_cited_is_what_is_released(capsys: pytest.CaptureFixture[str]) -> None:
    tomllib = pytest.importorskip("tomllib", reason="Python 3.10 has none")
    project = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation, about = read(TOP / "CITATION.cff"), json.loads((TOP / "codemeta.json").read_text(encoding="utf-8"))
    assert {citation["version"], about["version"]} == {project["version"]}
    assert citation["license"] == about["license"].rpartition("/")[2] == project["license"]
    names = [author["name"] for author in project["authors"]]
    assert [author["name"] for author in citation["authors"]] == [author["name"] for author in about["author"]] == names
    with pytest.raises(SystemExit):
        irmx(["cite", "irmx"])
    entry = capsys.readouterr().out
    assert f"title = {{{citation['title']}}}" in entry
    assert f"author = {{{{{' and '.join(names)}}}}}" in entry
    assert f"Version {citation['version']}" in entry


def test_the_paper_cites_what_the_project_cites_and_has_numbers_of_the_results(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, header, text = (TOP / "paper.md").read_text(encoding="utf-8").split("---\n", 2)
    about, citation = yaml.safe_load(header), read(TOP / "CITATION.cff")
    for key in ("title", "version"):
        assert about[key] == citation[key], key
    assert [author["name"] for author in about["authors"]] == [author["name"] for author in citation["authors"]]
    assert about["tags"][: len(citation["keywords"])] == citation["keywords"]
    assert len(text.split()) < 850

    made_by, _, entries = (TOP / about["bibliography"]).read_text(encoding="utf-8").partition("\n\n")
    with pytest.raises(SystemExit):
        irmx(made_by.removeprefix("% made by: irmx ").split())
    assert entries == capsys.readouterr().out
    assert set(re.findall(r"@(\w+)[;\]]", text)) == set(re.findall(r"^@\w+\{(\w+),", entries, re.MULTILINE))

    for paragraph in text.split("\n\n"):
        pages = [(TOP / page) for page in re.findall(r"\]\((docs/results/\w+\.md)\)", paragraph)]
        tables = [table for page in pages for table in page.parent.glob(f"{page.stem}*.csv")]
        there = " ".join(file.read_text(encoding="utf-8") for file in [*pages, *tables])
        said = re.sub(r"\]\(.*?\)|@\w+|TREC\S* (\d{4})?", "", paragraph)
        numbers, known = (set(re.findall(r"\d+(?:,\d{3})+|\d*\.\d+|\d{2,}", one)) for one in (said, there))
        assert numbers <= known, paragraph


def test_the_skill_is_short_and_says_when_to_use_it() -> None:
    text = (TOP / "SKILL.md").read_text(encoding="utf-8")
    about = yaml.safe_load(text.split("---\n")[1])
    assert about["name"] == "irmx"
    assert 100 < len(about["description"]) < 1024
    assert len(text.splitlines()) < 70


def test_the_container_runs_irmx_from_wheels_and_not_as_root() -> None:
    text = (TOP / "Dockerfile").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 15
    instructions = [line.split(maxsplit=1) for line in text.replace("\\\n", "").splitlines() if line and line[0] != "#"]
    starts = [number for number, (instruction, _) in enumerate(instructions) if instruction == "FROM"]
    assert all(instructions[start][1].startswith("python:3.") and "-slim" in instructions[start][1] for start in starts)
    built = " ".join(given for instruction, given in instructions[: starts[-1]] if instruction == "RUN")
    assert (TOP / re.findall(r"pip wheel .*-r (\S+)", built)[0]).is_file()
    last = dict(instructions[starts[-1] :])
    assert json.loads(last["ENTRYPOINT"]) == ["irmx"]
    assert "pip install --no-cache-dir --no-index /wheels/*.whl" in last["RUN"]
    assert last["USER"] not in ("root", "0")
    assert f"useradd --create-home {last['USER']}" in last["RUN"]


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_files_are_yaml(path: Path) -> None:
    assert isinstance(read(path), dict)


@pytest.mark.parametrize("path", FORMS, ids=lambda p: p.name)
def test_forms_have_what_the_forge_requires(path: Path) -> None:
    form = read(path)
    assert {"name", "description", "body"} <= form.keys()
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    assert {field["type"] for field in fields} <= {"input", "textarea", "dropdown", "checkboxes"}
    assert all(field["attributes"]["label"] for field in fields)
    assert len({field["id"] for field in fields}) == len(fields)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.name)
def test_workflows_run_what_is_there(path: Path) -> None:
    run = commands(path)
    assert run
    assert {name for command in run for name in re.findall(r"tox -e (\w+)", command)} <= environments()
    assert all((TOP / file).is_file() for command in run for file in re.findall(r"\.ci/[\w.]+", command))


def test_a_workflow_tests_every_python_that_is_promised() -> None:
    promised = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', (TOP / "pyproject.toml").read_text())
    assert read(TOP / ".github" / "workflows" / "test.yml")["jobs"]["quick"]["strategy"]["matrix"]["python"] == promised


def test_contributing_names_every_environment_of_tox_and_no_other() -> None:
    text = (TOP / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`tox -e (\w+)", text))
    assert named - {"py311"} == {name for name in environments() if not name.startswith("py")}


def lists_of_plugins() -> dict[str, list[str]]:
    """Every list of the plugins of this repository that somebody keeps by hand."""
    texts = {name: (TOP / name).read_text(encoding="utf-8") for name in ("develop.txt", "install.txt")}
    found = {
        f"{name}, {number}": re.findall(r"\./plugins/(irmx-\w+)", part)
        for name, text in texts.items()
        for number, part in enumerate(re.findall(r"(?:\S*\./plugins/irmx-\w+\S*\s+(?:-e )?)+", text), start=1)
    }
    project = (TOP / "pyproject.toml").read_text(encoding="utf-8")
    for name, written in {
        "plugins": r'"(irmx-\w+)[>=]',
        "src": r'"plugins/(irmx-\w+)/src"',
        "mypy_path": r'"plugins/(irmx-\w+)/src"',
    }.items():
        *_, line = re.findall(rf"^{name} = (\[.*\])$", project, re.MULTILINE)  # of what is built, then of mypy
        found[f"pyproject.toml, {name}"] = [plugin.replace("_", "-") for plugin in re.findall(written, line)]
    return found


PLUGINS = sorted(path.parent.name for path in TOP.glob("plugins/*/pyproject.toml"))
LISTS = lists_of_plugins()


@pytest.mark.parametrize("where", LISTS)
def test_every_list_of_plugins_names_all_of_them(where: str) -> None:
    examples = {path.parent.name for path in TOP.glob("docs/examples/*/pyproject.toml")}
    assert [name for name in LISTS[where] if name not in examples] == PLUGINS


def test_lists_of_plugins_are_found_where_they_are_kept() -> None:
    assert len(PLUGINS) > 5
    names = [where.partition(", ")[0] for where in LISTS]
    assert {name: names.count(name) for name in names} == {
        "develop.txt": 1,
        "install.txt": 1,
        "pyproject.toml": 3,
    }


def test_marks_that_are_left_out_are_those_that_are_declared_and_run_elsewhere() -> None:
    text = (TOP / "pyproject.toml").read_text(encoding="utf-8")
    left_out = re.findall(r"not (\w+)", text.partition("addopts = ")[2].partition("\n")[0])
    declared = re.findall(r'^    "(\w+): ', text.partition("\nmarkers = [")[2].partition("\n]")[0], re.MULTILINE)
    assert sorted(left_out) == sorted(declared)
    assert set(left_out) <= environments()
    ran = " ".join(re.findall(r"pytest[^\"]*? -m ('[^']+'|\w+)", (TOP / ".ci" / "run").read_text(encoding="utf-8")))
    assert all(re.search(rf"\b{mark}\b", ran) for mark in left_out)


def test_modules_whose_formulas_are_changed_on_purpose_are_there() -> None:
    folder = TOP / "tests" / "mutation"
    named = re.findall(r'\bof\(\s*"(\w+)",([^)]*)\)', (folder / "run.py").read_text(encoding="utf-8"))
    modules = [f"irmx_{plugin}/{name}.py" for plugin, names in named for name in re.findall(r'"([\w/]+)"', names)]
    modules += re.findall(r'^\["(.+)"\]$', (folder / "survivors.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(modules) > 40
    assert [module for module in modules if not list(TOP.glob(f"plugins/*/src/{module}"))] == []
