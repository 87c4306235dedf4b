"""Makes the pictures of a report on the demo collection, docs/images/report-*.png, for wide and small screens: ``python docs/screenshots.py``.

Needs Debian's chromium and the packages of the extra ``test``. Run it again when the report looks different.
"""

from __future__ import annotations

import tempfile
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any

import irmx
import irmx.demo
import irmx_study

IMAGES = Path(__file__).resolve().parent / "images"
CHROMIUM = "/usr/bin/chromium"
OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SIZES = {"report": {"width": 960, "height": 900}, "report-small": {"width": 390, "height": 1400}}
COLOURS = 128


def report() -> irmx_study.Report:
    """Return the report on the three runs of the demo collection, with all that is known of its documents and topics."""
    documents, topics = irmx.demo.documents(), irmx.demo.topics()
    return irmx_study.report(
        ["AP", "MP(model=GL_AD_ID)"],
        irmx.demo.qrels_path(),
        {f"{system}.run": irmx.demo.run_path(system) for system in irmx.demo.SYSTEMS},
        title="Three ways to search the demo collection",
        texts=dict(zip(documents["doc_id"], documents["title"], strict=True)),
        queries=dict(zip(topics["query_id"], topics["query"], strict=True)),
    )


def screenshot(browser: Any, page: Path, size: dict[str, int], scheme: str) -> bytes:
    """Return a picture of a page down to its second section, in a light or dark scheme and in few colours, so that it is small."""
    from PIL import Image

    tab = browser.new_page(viewport=size, color_scheme=scheme, device_scale_factor=1.5)
    tab.goto(page.as_uri())
    end = tab.locator("section").nth(1).bounding_box()["y"]
    shown = tab.screenshot(clip={"x": 0, "y": 0, "width": size["width"], "height": end})
    picture = Image.open(BytesIO(shown)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    tab.close()
    out = BytesIO()
    picture.save(out, format="PNG", optimize=True)
    return out.getvalue()


def main() -> None:
    """Write the pictures."""
    from playwright.sync_api import sync_playwright

    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = Path(folder) / "report.html"
        page.write_text(report().to_html(), encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        for (name, size), scheme in product(SIZES.items(), ("light", "dark")):
            path = IMAGES / f"{name}-{scheme}.png"
            path.write_bytes(screenshot(browser, page, size, scheme))
            print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")
        browser.close()


if __name__ == "__main__":
    main()
