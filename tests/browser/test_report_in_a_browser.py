"""A report as a reader uses it: by mouse, by keyboard, by link, printed, in the dark, and without JavaScript."""

from __future__ import annotations

import io
import itertools
import json
from typing import Any
from urllib.parse import quote

import pytest

import irmx_study

pytestmark = pytest.mark.browser

NARROW = {"width": 375, "height": 800}


def texts(page: Any, selector: str) -> list[str]:
    """Return the texts of all elements that a selector finds, without spaces at their ends."""
    return [text.strip() for text in page.locator(selector).all_inner_texts()]


def wait_for(page: Any, selector: str, start: str) -> None:
    """Wait until the first element that a selector finds begins with a text: the address changes first, then the page."""
    found = "([selector, start]) => document.querySelector(selector)?.textContent.trim().startsWith(start)"
    page.wait_for_function(found, arg=[selector, start])


def shown(page: Any) -> tuple[str, list[str]]:
    """Return the topic and the systems whose rankings are shown, with their scores."""
    return texts(page, "#rankings-shown h3")[0], texts(page, "#rankings-shown .sides > div > table:first-child caption")


def chosen(page: Any) -> list[str]:
    """Return what the controls show: the systems, the measure, and the topic."""
    controls = ("topics-a", "topics-b", "topics-measure", "rankings-topic")
    return [page.locator(f"#{name} option:checked").inner_text() for name in controls]


# -- the leaderboard ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("press", ["click", "Enter", "Space"])
def test_the_leaderboard_sorts(open_page, demo_report, press):
    page = open_page(demo_report).page
    head = page.locator("#leaderboard table").first.locator("th:has(button)")
    seen = []
    for _ in range(2):
        button = head.last.locator("button")
        button.click() if press == "click" else button.press(press)
        seen.append((head.last.get_attribute("aria-sort"), texts(page, "#leaderboard table >> nth=0 >> tbody tr")))
    assert {sort for sort, _ in seen} == {"ascending", "descending"}
    assert seen[0][1] != seen[1][1]
    assert sorted(seen[0][1]) == sorted(seen[1][1])


# -- topics and rankings -----------------------------------------------------------------------------------


def test_a_bar_opens_its_topic_by_click(open_page, demo_report):
    page = open_page(demo_report).page
    bars = page.locator("a.bar")
    assert bars.count() == 30
    assert texts(page, "#topics-table tbody th")[0] == texts(page, ".bar .name")[0] == "24"
    bars.nth(3).click()
    wait_for(page, "#rankings-shown h3", "Topic 8: ")
    topic, sides = shown(page)
    assert topic.startswith("Topic 8: ")
    row = texts(page, "#topics-table tbody tr >> nth=3 >> td.number")
    assert sides == [f"bm25: AP {row[0]}", f"titles: AP {row[1]}"]
    assert "topic=8" in page.url
    assert bars.nth(3).get_attribute("aria-current") == "true"
    assert page.evaluate("document.activeElement.id") == "title-rankings"


def test_a_bar_opens_its_topic_by_keyboard(open_page, demo_report):
    page = open_page(demo_report).page
    bars = page.locator("a.bar")
    assert [bars.nth(i).get_attribute("tabindex") for i in (0, 1)] == ["0", "-1"]
    bars.first.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "End", "ArrowRight", "Home", "ArrowRight"):
        page.keyboard.press(key)
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert label.startswith("Topic 12 (seal colony): bm25 0.7025, titles 0.2500, difference +0.4525")
    assert texts(page, "#topics-readout") == [label]
    page.keyboard.press("Enter")
    wait_for(page, "#rankings-shown h3", "Topic 12: seal colony")


def test_what_documents_add_is_the_score_on_every_topic(open_page, demo_report):
    page = open_page(demo_report).page
    sums = page.evaluate("""() => [...document.querySelectorAll('#rankings-topic option')].map((option) => {
        const select = option.parentElement;
        select.value = option.value;
        irmxChosen.choose({ topic: Number(option.value) });
        window.dispatchEvent(new HashChangeEvent('hashchange'));
        return [...document.querySelectorAll('#rankings-shown .sides table')].map((table) => [
            [...table.querySelectorAll('tbody tr')].reduce((sum, row) => sum + Number(row.cells[3].textContent), 0)
            + Number(table.tFoot.rows[0].cells[1].textContent),
            Number(table.tFoot.rows[1].cells[1].textContent)]);
    })""")
    assert len(sums) == 30
    for added, score in (side for topic in sums for side in topic):
        assert added == pytest.approx(score, abs=1e-3)  # as printed


def test_systems_and_measure_are_chosen(open_page, demo_report):
    page = open_page(demo_report).page
    assert chosen(page)[:3] == ["bm25", "titles", "AP"]
    before = texts(page, "#topics-counts")
    page.locator("#topics-a").select_option(label="recent")
    page.locator("#topics-measure").select_option(label="nDCG@10")
    wait_for(page, "#topics-counts", "nDCG@10 of recent minus titles")
    assert texts(page, "#topics-counts") != before
    assert [text.partition(":")[0] for text in shown(page)[1]] == ["recent", "titles"]
    page.locator("#topics-b").select_option(label="recent")  # twice the same: they change places
    wait_for(page, "#topics-counts", "nDCG@10 of titles minus recent")
    assert chosen(page)[:3] == ["titles", "recent", "nDCG@10"]
    page.locator("#topics-measure").select_option(label="NumQ")
    wait_for(page, "#topics-counts", "NumQ of titles minus recent")
    assert "NumQ does not say what each document adds to its score." in texts(page, "#rankings-shown")[0]
    assert "adds" not in texts(page, "#rankings-shown thead")[0]


def test_the_address_is_a_link_and_the_back_button_works(open_page, demo_report):
    page = open_page(demo_report, "#topic=7&a=recent&b=titles&measure=nDCG%4010").page
    assert chosen(page)[:3] == ["recent", "titles", "nDCG@10"]
    assert shown(page)[0].startswith("Topic 7: ")
    page.locator("#rankings-topic").select_option(index=2)
    wait_for(page, "#rankings-shown h3", "Topic 3: ")
    page.locator("#topics-measure").select_option(label="AP")
    wait_for(page, "#topics-counts", "AP of recent minus titles")
    address = page.url
    page.go_back()
    wait_for(page, "#topics-counts", "nDCG@10 of recent minus titles")
    page.go_back()
    wait_for(page, "#rankings-shown h3", "Topic 7: ")
    assert chosen(page)[2] == "nDCG@10"
    again = open_page(demo_report, address[address.index("#") :]).page
    assert shown(again)[0].startswith("Topic 3: ")
    page.locator("nav a").last.click()  # the link of a section changes nothing
    assert chosen(page)[:3] == ["recent", "titles", "nDCG@10"]


@pytest.mark.parametrize(
    "fragment", ["#topic=%3Cimg src=x onerror=alert(1)%3E&a=<b>", "#=&&%%%=%", "#a=__proto__&topic=-1"]
)
def test_unknown_fragments_are_ignored(open_page, demo_report, fragment):
    page = open_page(demo_report, fragment).page
    assert chosen(page)[:3] == ["bm25", "titles", "AP"]
    assert page.locator("img[src='x']").count() == 0


def test_texts_of_documents_are_collapsed(open_page, demo_report):
    page = open_page(demo_report).page
    details = page.locator("#rankings-shown details").first
    height = details.bounding_box()["height"]
    details.locator("summary").press("Enter")
    assert details.bounding_box()["height"] > height


def test_scores_alone_have_bars_without_links(open_page, scores_report):
    page = open_page(scores_report).page
    assert page.locator("#rankings").count() == 0
    assert page.locator("a.bar").count() == 0
    assert page.locator("span.bar[role=img][aria-label^='Topic ']").count() == 30
    page.locator("#topics-measure").select_option(label="nDCG@10")
    wait_for(page, "#topics-counts", "nDCG@10 of ")


def test_what_is_not_in_the_file_is_told(open_page, demo_report, tmp_path):
    text = demo_report.read_text(encoding="utf-8")
    start = text.index('id="data-rankings">') + len('id="data-rankings">')
    end = text.index("</script>", start)
    data = json.loads(text[start:end])
    data["topics"] = [topic for topic in data["topics"] if topic["topic"] != "12"]
    del data["systems"][2]
    less = tmp_path / "less.html"
    less.write_text(text[:start] + json.dumps(data) + text[end:], encoding="utf-8")
    page = open_page(less, "#topic=12&measure=AP").page
    assert texts(page, "#rankings-shown") == ["The rankings for topic 12 are not in this file."]
    page.locator("#topics-a").select_option(label="recent")
    wait_for(page, "#topics-counts", "AP of recent minus titles")
    page.locator("a.bar").last.click()
    wait_for(page, "#rankings-shown h3", "Topic ")
    assert "The rankings of recent are not in this file; it has those of bm25, titles." in texts(page, ".missing")
    assert [text.partition(":")[0] for text in shown(page)[1]] == ["titles"]


# -- hostile text ------------------------------------------------------------------------------------------


def test_hostile_names_run_nothing(open_page, hostile_report):
    page = open_page(hostile_report).page
    assert page.locator("a.bar").count() == 3
    for control in ("topics-a", "topics-measure", "rankings-topic"):
        page.locator(f"#{control}").select_option(index=1)
    page.locator("a.bar").last.click()
    opened = page.locator("#rankings-shown summary").first
    opened.click()
    assert page.evaluate("window.hacked") is None
    assert page.locator("img[src='x']").count() == 0
    seen = page.locator("body").inner_text()
    assert "</script><img src=x onerror=" in seen
    assert "\\x1b[2J\\u202e" in seen
    assert not set(seen) & {"\x1b", "\u202e"}
    linked = open_page(hostile_report, f"#topic={quote('</script><img src=x onerror=alert(1)>')}").page
    assert linked.evaluate("window.hacked") is None


# -- as a document -----------------------------------------------------------------------------------------


def test_without_javascript_it_is_a_document(open_page, demo_report):
    page = open_page(demo_report, java_script_enabled=False).page
    assert len(texts(page, "#leaderboard-table tbody tr")) == 3
    for section in ("#topics", "#rankings"):  # which a script draws
        assert "script" in page.locator(f"{section} noscript").inner_text()
    assert page.locator("#csv-topics").count() == 1
    assert not any(select.is_visible() for select in page.locator("select").all())


def test_it_prints(open_page, demo_report):
    page = open_page(demo_report).page
    page.emulate_media(media="print")
    assert not page.locator("#topics-a").is_visible()
    table = page.locator("#topics-table")
    assert (
        page.locator(".scroll").first.bounding_box()["height"] >= table.bounding_box()["height"]
    )  # nothing is cut off
    pdf = page.pdf()
    assert pdf.startswith(b"%PDF")
    assert pdf.count(b"/Type /Page\n") >= 2


@pytest.mark.parametrize("options", [{}, {"viewport": NARROW}], ids=["wide", "narrow"])
@pytest.mark.parametrize("names", ["demo_report", "hostile_report"])
def test_nothing_is_wider_than_the_window(open_page, request, names, options):
    page = open_page(request.getfixturevalue(names), **options).page
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


PHONE = {"viewport": {"width": 390, "height": 844}}


def leaderboard_scrolled_to(page: Any, left: int) -> Any:
    """Scroll the leaderboard sideways and return its box."""
    box = page.locator("#leaderboard .wide")
    box.scroll_into_view_if_needed()
    box.evaluate("(box, left) => { box.scrollLeft = left; }", left)
    return box


def test_names_stay_in_sight_when_a_wide_table_scrolls(open_page, demo_report):
    page = open_page(demo_report, **PHONE).page
    box = leaderboard_scrolled_to(page, 200)
    edge = box.bounding_box()["x"]
    for name in page.locator("#leaderboard-table tbody th").all():
        assert name.bounding_box()["x"] == pytest.approx(edge, abs=1)
    page.locator("#agreement .wide >> nth=-1").evaluate("(box) => { box.scrollLeft = 100; }")
    first = page.locator("#agreement table tbody tr").first.locator(":scope > *").first
    assert first.bounding_box()["x"] >= 0


@pytest.mark.parametrize("colors", ["light", "dark"])
def test_a_shade_shows_that_a_table_goes_on_until_its_end(open_page, demo_report, colors):
    Image = pytest.importorskip("PIL.Image")
    page = open_page(demo_report, color_scheme=colors, **PHONE).page
    seen = []
    for left in (0, 10_000):
        box = leaderboard_scrolled_to(page, left)
        picture = Image.open(io.BytesIO(box.screenshot())).convert("RGB")
        column = [picture.getpixel((picture.width - 4, y)) for y in range(picture.height)]
        seen.append(max(set(column), key=column.count))
    page_color = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert "rgb" + str(seen[1]) == page_color
    assert seen[0] != seen[1]


BROKEN = """(cells) => [...document.querySelectorAll(cells)]
    .flatMap((cell) => {
        const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
        const found = [];
        while (walker.nextNode()) {
            for (const word of walker.currentNode.textContent.matchAll(/[^\\s-]+/g)) {
                const range = document.createRange();
                range.setStart(walker.currentNode, word.index);
                range.setEnd(walker.currentNode, word.index + word[0].length);
                if (new Set([...range.getClientRects()].map((box) => box.top)).size > 1) found.push(word[0]);
            }
        }
        return found;
    })"""


def test_no_name_or_number_breaks_on_a_phone_or_on_paper(open_page, tmp_path):
    systems, docs = ["8manexT3D1N0_with_expansion", "Flab8atdn", "READWARE2"], ["FR940318_0_00170_section_12", "b"]
    qrels = {str(topic): {docs[0]: 1, "b": topic % 2} for topic in range(6)}
    runs = {
        system: {topic: {doc: float((i + int(topic) + j) % 3) for j, doc in enumerate(docs)} for topic in qrels}
        for i, system in enumerate(systems)
    }
    path = tmp_path / "report.html"
    irmx_study.report("AP nDCG@10 P@1", qrels, runs).write(path)
    page = open_page(path, **PHONE).page
    names = "#leaderboard td, #leaderboard tbody th, #rankings-shown tbody th, #topics-table th, #unjudged tbody th"
    assert page.evaluate(BROKEN, names) == []
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["viewport"]["width"]
    page.set_viewport_size({"width": 690, "height": 1000})
    page.emulate_media(media="print")
    assert page.evaluate(BROKEN, "#leaderboard td, #leaderboard th") == []


def test_pictures_take_the_colours_of_the_page(open_page, demo_report):
    fills = """() => [...document.querySelectorAll('.picture svg')].map((svg) => [
        getComputedStyle(svg).fill,
        ...[...svg.querySelectorAll('path')].slice(0, 50).map((path) => getComputedStyle(path).fill)])"""
    seen = {}
    for colors in ("light", "dark"):
        page = open_page(demo_report, color_scheme=colors).page
        ink = page.evaluate("getComputedStyle(document.body).color")
        seen[colors] = page.evaluate(fills)
        assert {of_picture[0] for of_picture in seen[colors]} == {ink}
    white = "rgb(255, 255, 255)"
    assert not any(white in of_picture for of_picture in seen["dark"])
    assert all(light != dark for light, dark in zip(seen["light"], seen["dark"], strict=True))


# -- for everyone ------------------------------------------------------------------------------------------

NAMELESS = """() => [...document.querySelectorAll('img, svg, [role=img], select, input, button, a, [role=group], [role=region], table')]
    .filter((element) => element.getAttribute('aria-hidden') !== 'true' && !element.closest('[aria-hidden=true]'))
    .filter((element) => !(
        element.getAttribute('aria-label') || document.getElementById(element.getAttribute('aria-labelledby')) ||
        element.getAttribute('alt') || [...(element.labels || [])].some((label) => label.textContent.trim()) ||
        (element.matches('a, button') && element.textContent.trim()) || element.querySelector(':scope > title') ||
        (element.caption && element.caption.textContent.trim())))
    .map((element) => element.outerHTML.slice(0, 200))"""

LOW_CONTRAST = """() => {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const channels = (color, under) => { // what a colour looks like over another
    context.fillStyle = under; context.fillRect(0, 0, 1, 1);
    context.fillStyle = color; context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const luminance = (rgb) => rgb.map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const canvas = matchMedia('(prefers-color-scheme: dark)').matches ? 'rgb(18, 18, 18)' : 'white';
  const behind = (element) => {
    const colors = [];
    for (let e = element; e; e = e.parentElement) colors.unshift(getComputedStyle(e).backgroundColor);
    return colors.reduce((under, color) => `rgb(${channels(color, under)})`, canvas);
  };
  const low = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !element.checkVisibility() || element.closest('script, svg, option')) continue;
    const under = behind(element);
    const [a, b] = [getComputedStyle(element).color, under].map((color) => luminance(channels(color, under)));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) low.add(`${element.tagName}.${element.className} ${ratio.toFixed(2)}`);
  }
  return [...low];
}"""


@pytest.mark.parametrize("colors", ["light", "dark"])
def test_text_has_contrast(open_page, demo_report, colors):
    page = open_page(demo_report, color_scheme=colors).page
    assert page.evaluate(LOW_CONTRAST) == []
    background = page.evaluate("getComputedStyle(document.documentElement).colorScheme")
    assert set(background.split()) == {"light", "dark"}


@pytest.mark.parametrize("script", [True, False])
def test_everything_has_a_name(open_page, demo_report, script):
    page = open_page(demo_report, java_script_enabled=script).page
    assert page.evaluate(NAMELESS) == []
    assert page.evaluate("document.documentElement.lang") == "en"


@pytest.mark.parametrize("script", [True, False])
def test_headings_are_in_order(open_page, demo_report, script):
    page = open_page(demo_report, java_script_enabled=script).page
    levels = page.evaluate("[...document.querySelectorAll('h1, h2, h3, h4, h5')].map((h) => Number(h.tagName[1]))")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later <= level + 1 for level, later in itertools.pairwise(levels))
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((element) => element.id)")
    assert len(ids) == len(set(ids))


def test_the_skip_link_is_the_first_stop(open_page, demo_report):
    page = open_page(demo_report).page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
