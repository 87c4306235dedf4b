"""The pictures of a report, which the README and the first page of the documentation show, are there, small, and made by a program."""

import re
import runpy
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

TOP = Path(__file__).parent.parent
IMAGES = TOP / "docs" / "images"


@pytest.mark.parametrize(
    "page",
    [TOP / "README.md", TOP / "docs" / "index.md", TOP / "docs" / "guide" / "report.md"],
    ids=lambda page: page.name,
)
def test_pictures_that_a_page_shows_are_there_and_small(page: Path) -> None:
    shown = re.findall(r"images/([\w-]+\.png)", page.read_text(encoding="utf-8"))
    small = [] if page.name == "report.md" else ["report-small-dark.png", "report-small-light.png"]
    assert sorted(shown) == ["report-dark.png", "report-light.png", *small]
    for name in shown:
        assert (IMAGES / name).stat().st_size < 150_000


@pytest.mark.browser
@pytest.mark.skipif(not shutil.which("chromium"), reason="chromium is not installed")
def test_the_program_makes_the_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = runpy.run_path(str(TOP / "docs" / "screenshots.py"))
    monkeypatch.setitem(program["main"].__globals__, "IMAGES", tmp_path)
    with ThreadPoolExecutor(1) as pool:  # the browser of other tests has the event loop of this thread
        pool.submit(program["main"]).result()
    pictures = [path.read_bytes() for path in tmp_path.glob("report-*.png")]
    assert len(set(pictures)) == 4
    assert all(picture.startswith(b"\x89PNG") and len(picture) < 150_000 for picture in pictures)
