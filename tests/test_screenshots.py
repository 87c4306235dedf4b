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
    assert sorted(shown) == ["report-dark.png", "report-light.png"]
    for name in shown:
        assert (IMAGES / name).stat().st_size < 150_000


@pytest.mark.browser
@pytest.mark.skipif(not shutil.which("chromium"), reason="chromium is not installed")
def test_the_program_makes_both_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = runpy.run_path(str(TOP / "docs" / "screenshots.py"))
    monkeypatch.setitem(program["main"].__globals__, "IMAGES", tmp_path)
    with ThreadPoolExecutor(1) as pool:  # the browser of other tests has the event loop of this thread
        pool.submit(program["main"]).result()
    light, dark = (tmp_path / f"report-{scheme}.png" for scheme in ("light", "dark"))
    assert light.read_bytes().startswith(b"\x89PNG")
    assert light.read_bytes() != dark.read_bytes()
    assert max(light.stat().st_size, dark.stat().st_size) < 150_000
