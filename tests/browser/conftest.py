"""One browser for all tests: Debian's chromium, without network, and the reports that it opens."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import irmx
import irmx_study
from irmx.demo import SYSTEMS, documents, qrels_path, run_path, topics

SCREENSHOTS = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "screenshots.py"))
CHROMIUM, OPTIONS = SCREENSHOTS["CHROMIUM"], SCREENSHOTS["OPTIONS"]
WIDE = {"width": 1200, "height": 900}
RUNS = {system: run_path(system) for system in SYSTEMS}

HOSTILE = "</script><img src=x onerror='window.hacked=1'><script>window.hacked=2</script>\x1b[2J\u202e\"&=cmd"
"""A name that would run if it were taken for HTML, with an escape sequence and a mark that changes the writing direction."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, started once."""
    playwright = pytest.importorskip("playwright.sync_api", reason="tests in a browser need: pip install playwright")
    if not Path(CHROMIUM).exists():
        pytest.skip(f"tests in a browser need Debian's chromium, and there is no {CHROMIUM}: apt-get install chromium")
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield chromium
        chromium.close()


@dataclass
class Opened:
    """A page in the browser, and what happened while it was open."""

    page: Any
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Opened]]:
    """Return a function that opens a file; at the end, no page had an error, a dialog, or asked for another address."""
    all_opened: list[tuple[Any, Opened, str]] = []

    def open_file(file: Path, fragment: str = "", **options: Any) -> Opened:
        context = browser.new_context(**{"viewport": WIDE, **options})
        context.set_default_timeout(5000)
        opened = Opened(context.new_page())
        opened.page.on("console", lambda said: opened.errors.append(said.text) if said.type == "error" else None)
        opened.page.on("pageerror", lambda error: opened.errors.append(str(error)))
        opened.page.on("dialog", lambda dialog: (opened.errors.append(f"dialog {dialog.message}"), dialog.dismiss()))
        opened.page.on("request", lambda request: opened.requests.append(request.url.partition("#")[0]))
        all_opened.append((context, opened, file.as_uri()))
        opened.page.goto(file.as_uri() + fragment)
        return opened

    yield open_file
    for context, opened, address in all_opened:
        context.close()
        assert opened.errors == []
        assert set(opened.requests) == {address}


@pytest.fixture(scope="session")
def demo_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report on the demo collection, with texts of documents and topics."""
    path = tmp_path_factory.mktemp("demo") / "report.html"
    texts = dict(documents()[["doc_id", "text"]].itertuples(index=False))
    queries = dict(topics()[["query_id", "query"]].itertuples(index=False))
    irmx_study.report("AP NumQ nDCG@10", qrels_path(), RUNS, baseline="titles", texts=texts, queries=queries).write(
        path
    )
    return path


@pytest.fixture(scope="session")
def hostile_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report in which every name and text is hostile."""
    path = tmp_path_factory.mktemp("hostile") / "report.html"
    names = [f"{HOSTILE}{i}" for i in range(3)]
    qrels = {topic: {HOSTILE: 1, "other": 0} for topic in names}
    runs = {
        system: {topic: {HOSTILE: float((i + j) % 3), "other": 1.0, "x": 0.5} for j, topic in enumerate(names)}
        for i, system in enumerate(names)
    }
    texts = {HOSTILE: HOSTILE, **dict.fromkeys(names, HOSTILE)}
    irmx_study.report("AP nDCG", qrels, runs, title=HOSTILE, texts=texts, queries=texts, command=HOSTILE).write(path)
    return path


@pytest.fixture(scope="session")
def scores_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on scores alone."""
    path = tmp_path_factory.mktemp("scores") / "report.html"
    irmx_study.report(irmx.scores("AP nDCG@10", qrels_path(), RUNS)).write(path)
    return path
