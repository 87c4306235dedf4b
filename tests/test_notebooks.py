"""The notebooks of the documentation are kept without outputs, run, and print nothing that a reader has to skip."""

import re
import sys
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import pytest

NOTEBOOKS = sorted((Path(__file__).parent.parent / "docs" / "notebooks").glob("*.ipynb"))


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def run(notebook: Any) -> Any:
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()  # raises the error of a cell
    return notebook


def pictures(cell: Any) -> int:
    return sum("image/png" in output.get("data", ()) for output in cell.get("outputs", ()))


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_outputs(path: Path) -> None:
    code = [cell for cell in read(path).cells if cell.cell_type == "code"]
    assert [cell.source for cell in code if cell.outputs or cell.execution_count is not None] == []


@pytest.mark.filterwarnings("default")  # of Jupyter's client, on any Python; those of a cell are on its standard error
@pytest.mark.skipif(sys.platform == "win32", reason="zmq warns of the event loop of Windows")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_tables_and_pictures(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    notebook = run(read(path))
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    kinds = {kind for output in outputs for kind in output.get("data", ())}
    assert {"text/html", "image/png"} <= kinds
    assert [cell.source for cell in notebook.cells if pictures(cell) != len(re.findall(r"\bplot\(", cell.source))] == []
    assert [output.text for output in outputs if output.get("name") == "stderr"] == []
    texts = [output.get("text", "") or output.get("data", {}).get("text/plain", "") for output in outputs]
    assert [text for text in texts if re.search(r"\b0x", text)] == []
    assert [text for text in texts if str(Path.home()) in text or str(path.parent) in text] == []


@pytest.mark.filterwarnings("default")
@pytest.mark.skipif(sys.platform == "win32", reason="zmq warns of the event loop of Windows")
@pytest.mark.parametrize("first", ["comparison.plot()", "irmx_study.report(comparison)"])
def test_every_cell_of_a_new_kernel_shows_its_picture(first: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever irmx draws first, a picture or a page, the next pictures are shown, also those that a user draws."""
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    sources = [
        "import irmx, irmx_study\nfrom irmx.demo import *",
        "runs = {s: run_path(s) for s in SYSTEMS}\n"
        "comparison = irmx_study.compare('AP', qrels_path(), runs, baseline='bm25', test='t')",
        f"{first};",
        "comparison.plot();",
        "irmx.plot('AP', qrels_path(), run_path('bm25'), '1');",
        "from matplotlib import pyplot as plt\nplt.plot([1, 2]);",
    ]
    done = run(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources]))
    assert [pictures(cell) for cell in done.cells[3:]] == [1, 1, 1]
