"""The sections of a report: what they say, and that hostile text stays text in them."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from bs4 import BeautifulSoup
from hypothesis import given, settings
from hypothesis import strategies as st

import irmx
import irmx_study
from irmx.demo import SYSTEMS, qrels_path, run_path
from irmx_study.html_report.csv_texts import csv_of
from irmx_study.html_report.one_page import _json, one_page
from irmx_study.html_report.section import Source, parts, table_of

RUNS = {system: run_path(system) for system in SYSTEMS}
MEASURES = "AP nDCG@10 NCP(law=first|uniform)"

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "\"' onmouseover='alert(1)",
    "=cmd|' /C calc'!A0",
    "\x1b[2J\u202eevil --> <!-- ]]>",
    "{{ 7 * 7 }} {% raw %} \\input{x} $x$ %",
)


def read(page: str) -> BeautifulSoup:
    return BeautifulSoup(page, "html.parser")


@pytest.fixture(scope="module")
def report() -> irmx_study.Report:
    return irmx_study.report(MEASURES, qrels_path(), RUNS, baseline="titles", command="irmx report 'a b'")


@pytest.fixture(scope="module")
def page(report: irmx_study.Report) -> BeautifulSoup:
    return read(report.to_html())


# -- the page ---------------------------------------------------------------------------------------------------------


def test_every_id_is_there_once_and_every_reference_leads_to_one(page: BeautifulSoup) -> None:
    ids = Counter(str(element["id"]) for element in page.find_all(id=True))
    assert [name for name, times in ids.items() if times > 1] == []
    text = str(page)
    referred = re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)|data-(?:copy|save)="([^"]+)"|labelledby="([^"]+)"', text)
    assert len(referred) > 100
    assert {name for names in referred for name in names if name} <= set(ids)


def test_nothing_leaves_the_file(page: BeautifulSoup) -> None:
    for element in page.find_all(True):
        for name in ("src", "href", "action", "data", "poster"):
            assert str(element.get(name, "#")).startswith(("#", "data:image/png;base64,"))
    assert not page.find_all(["link", "iframe", "object", "embed", "base", "form"])
    assert "default-src 'none'" in str(page.find("meta", {"http-equiv": "Content-Security-Policy"}))


def test_pictures_and_tables_say_what_they_are(page: BeautifulSoup) -> None:
    pictures = page.find_all("svg")
    assert len(pictures) > 4
    for svg in pictures:
        assert svg["role"] == "img"
        assert page.find(id=svg["aria-labelledby"]).get_text().strip()  # type: ignore[union-attr]
    for table in page.find_all("table"):
        assert table.caption is not None
        assert table.find("th", scope="col") is not None
    assert page.html is not None
    assert page.html["lang"] == "en"
    assert page.find("main") is not None


# -- what the sections say --------------------------------------------------------------------------------------------


def test_the_best_mean_is_bold_where_all_are_negative() -> None:
    losses = {"one": [-0.4, -0.6, -0.5], "two": [-0.1, -0.3, -0.4], "three": [-0.9, -0.7, -0.8]}
    rows = [
        {"system": system, "query_id": str(topic), "measure": "utility", "value": value}
        for system, values in losses.items()
        for topic, value in enumerate(values)
    ]
    page = read(irmx_study.report(pd.DataFrame(rows)).to_html())
    table = page.find(id="leaderboard-table")
    assert [row.th.get_text() for row in table.tbody.find_all("tr") if row.find("b")] == ["two"]  # type: ignore[union-attr]
    assert {cell["style"] for cell in table.find_all("td", class_="bar")} == {"--bar-end:0%"}  # type: ignore[union-attr]


def test_the_leaderboard_has_means_differences_and_letters_of_the_comparison(
    report: irmx_study.Report, page: BeautifulSoup
) -> None:
    summary = report.reported.comparison.summary()
    table = page.find(id="leaderboard-table")
    assert table is not None
    for row in table.tbody.find_all("tr"):  # type: ignore[union-attr]
        system = row.th.find(string=True)
        of_system = summary[summary["system"] == system]
        cells = [cell.find(string=True) for cell in row.find_all("td")]
        texts = [cell.get_text() for cell in row.find_all("td")]
        for m, expected in enumerate(of_system.to_dict("records")):
            assert float(str(cells[3 * m])) == pytest.approx(expected["mean"], abs=5e-5)
            assert texts[3 * m + 2] == expected["letters"]
            if system != "titles":
                assert float(str(cells[3 * m + 1]).split()[0]) == pytest.approx(expected["difference"], abs=5e-5)
                sign = 0 if expected["p_corrected"] > 0.05 else 1 if expected["difference"] > 0 else -1
                assert ("▲" in texts[3 * m + 1]) - ("▼" in texts[3 * m + 1]) == sign


def leaderboard_of(scores: Any, baseline: Any = None) -> tuple[str, dict[str, list[Any]]]:
    """The text above the leaderboard of a report on scores, and by system its cells."""
    section = read(irmx_study.report(scores, baseline=baseline).to_html()).find(id="leaderboard")
    assert section is not None
    rows = section.tbody.find_all("tr")  # type: ignore[union-attr]
    return section.p.get_text(), {str(row.th.find(string=True)).strip(): row.find_all("td") for row in rows}  # type: ignore[union-attr]


def test_the_difference_of_two_baselines_stands_in_both_their_rows() -> None:
    scores = irmx.scores("AP", qrels_path(), RUNS)
    _, rows = leaderboard_of(scores, ["titles", "recent"])
    means = scores.means()["AP"]
    for system, column, other in (("titles", 2, "recent"), ("recent", 1, "titles")):
        cell = rows[system][column]
        assert float(cell["data-value"]) == pytest.approx(means[system] - means[other])
        low, high = map(float, cell.find("small").get_text().split(" to "))
        assert low <= float(cell["data-value"]) <= high
    assert rows["titles"][2].find(class_="down") is not None
    assert rows["recent"][1].find(class_="up") is not None
    assert rows["titles"][1].get_text().strip() == ""


def test_the_largest_mean_is_bold_below_zero_too_and_only_topics_of_all_systems_count() -> None:
    values = {"one": [-3.0, -2.0, -1.0, -5.0], "two": [-0.5, -2.0, -0.2, float("nan")]}
    rows = [(s, str(t), "Loss", v) for s, of_system in values.items() for t, v in enumerate(of_system)]
    text, shown = leaderboard_of(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]))
    assert [shown[system][0].find("b") is not None for system in ("one", "two")] == [False, True]
    assert float(shown["one"][0]["data-value"]) == -2.0
    assert text.startswith("Means over 3 topics")


def test_topics_that_one_system_lacks_are_left_out_of_the_differences_of_others_as_in_the_comparison() -> None:
    values = {"one": [0.1, 0.2, 0.3, 0.9], "two": [0.3, 0.1, 0.6, 0.2], "three": [0.5, 0.6, 0.9, float("nan")]}
    rows = [(s, str(t), "M", v) for s, of_system in values.items() for t, v in enumerate(of_system)]
    report = irmx_study.report(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]), baseline="one")
    page = read(report.to_html())
    data = json.loads(page.find(id="data-topics").get_text())  # type: ignore[union-attr]
    places = {name: place for place, name in enumerate(data["systems"])}
    for row in report.reported.comparison.frame().to_dict("records"):
        a, b = (data["values"][0][places[row[name]]] for name in ("a", "b"))
        differences = [x - y for x, y in zip(a, b, strict=True) if x is not None and y is not None]
        assert len(differences) == row["topics"] == 3
        assert [sum(d > 0 for d in differences), sum(d < 0 for d in differences)] == [row["wins"], row["losses"]]
    text = page.find(id="topics-counts").get_text()  # type: ignore[union-attr]
    assert "three is better on 3, worse on 0" in text
    assert "1 without a value of every system" in text


def test_data_is_csv_of_all_values(report: irmx_study.Report, page: BeautifulSoup) -> None:
    rows = list(csv.DictReader(io.StringIO(page.find(id="csv-topics").get_text())))  # type: ignore[union-attr]
    scores = report.reported.comparison.scores
    assert len(rows) == len(scores.topics) * len(scores.systems)
    first = next(row for row in rows if (row["query_id"], row["system"]) == ("1", "bm25"))
    value = scores["AP"][scores.topics.index("1"), scores.systems.index("bm25")]
    assert float(first["AP"]) == pytest.approx(value, rel=1e-5)


def test_it_says_how_it_was_made(report: irmx_study.Report, page: BeautifulSoup) -> None:
    making = page.find(id="making")
    assert making is not None
    text = making.get_text()
    assert irmx.toolkit.file_digest(qrels_path()) in text
    assert all(irmx.toolkit.file_digest(path) in text for path in RUNS.values())
    assert "irmx report 'a b'" in text
    assert all(fact in text for fact in report.reported.comparison.facts().values())
    methods = page.find(id="methods")
    assert methods is not None
    assert report.reported.comparison.methods().startswith(methods.get_text())


def test_users_agreement_and_unjudged_documents_are_those_of_their_functions(
    report: irmx_study.Report, page: BeautifulSoup
) -> None:
    shown = {name: page.find(id=name).get_text() for name in ("users", "agreement", "unjudged")}  # type: ignore[union-attr]
    scores = report.reported.comparison.scores
    users = irmx_study.sensitivity(scores, b="titles", measure="NCP")
    assert all(sentence in shown["users"] for sentence in users.sentences())
    for row in irmx_study.correlate(scores, resamples=0).frame().itertuples():
        assert f"{row.a}{row.b}{row.tau:.4f}{row.tau_ap:.4f}" in shown["agreement"]
    could = irmx_study.unjudged("AP", qrels_path(), RUNS, baseline="titles").frame()
    assert all(
        f"AP{row.system}{row.value:.4f}{row.if_nonrelevant:.4f}" in shown["unjudged"] for row in could.itertuples()
    )
    assert "if non-relevant" in shown["unjudged"]
    assert "if_" not in shown["unjudged"]  # words, not names of columns


def test_formulas_are_those_that_measures_and_scorers_state(monkeypatch: pytest.MonkeyPatch) -> None:
    formula = irmx.Formula(r"\frac{a}{b}", {"a": "the <b>first</b> number"})
    monkeypatch.setattr(irmx.registry().scorer("RR"), "FORMULA", formula, raising=False)
    monkeypatch.setattr(type(irmx.parse_measure("NCP(law=first)")), "FORMULA", formula)
    runs = {name: RUNS[name] for name in ("bm25", "titles")}
    page = read(irmx_study.report("NCP(law=first) RR", qrels_path(), runs).to_html())
    section = page.find(id="formulas")
    assert section is not None
    assert [head.get_text() for head in section.find_all("h3")] == ["NCP", "RR"]
    assert len(section.find_all("mfrac")) == 2
    assert "the <b>first</b> number" in section.get_text()


def test_two_systems_have_no_pairs_and_scores_alone_no_unjudged_documents() -> None:
    scores = irmx.scores("AP", qrels_path(), {name: RUNS[name] for name in ("bm25", "titles")})
    names = {section["id"] for section in read(irmx_study.report(scores).to_html()).find_all("section")}
    assert {"leaderboard", "intervals", "tables", "citing", "making"} <= names
    assert not names & {"pairs", "agreement", "users", "unjudged"}


def test_names_that_the_font_of_pictures_lacks_are_in_the_tables() -> None:
    names = ("検索", "поиск 🔎", "plain")
    runs = dict(zip(names, RUNS.values(), strict=True))
    page = read(irmx_study.report("AP RR", qrels_path(), runs).to_html())
    heads = [row.th.find(string=True) for row in page.find(id="leaderboard-table").tbody.find_all("tr")]  # type: ignore[union-attr]
    assert {str(head).strip() for head in heads} == set(names)


def test_a_run_file_whose_name_is_not_utf8_is_shown_with_its_bytes_escaped(tmp_path: Path) -> None:
    files = [tmp_path / "titles.run", Path(os.fsdecode(os.fsencode(tmp_path / "caf") + b"\xe9.run"))]
    try:
        for file, system in zip(files, ("titles", "bm25"), strict=True):
            file.write_bytes(Path(run_path(system)).read_bytes())
    except OSError:
        pytest.skip("the file system has names in UTF-8 only")
    report = irmx_study.report("AP", qrels_path(), files)
    assert report.reported.comparison.scores.systems == ("titles.run", r"caf\udce9.run")
    report.write(tmp_path / "report.html")
    assert r"caf\udce9.run" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_short_text_of_a_report_cannot_control_a_terminal() -> None:
    scores = irmx.scores("AP", qrels_path(), RUNS)
    assert repr(irmx_study.report(scores, title="a\x1b[2J\u202e")) == r"<Report: a\x1b[2J\u202e>"


def many(systems: int) -> irmx.Scores:
    runs = {f"run{i:02}": {"q": {"a": 2.0, f"x{i}": 3.0 - i}, "r": {"b": 1.0 + i, "y": i / 3}} for i in range(systems)}
    return irmx.scores("AP RR", {"q": {"a": 1}, "r": {"b": 1, "y": 1}}, runs)


def test_many_systems_have_a_map_of_pairs_and_the_best_intervals() -> None:
    page = read(irmx_study.report(many(45)).to_html())
    assert page.find(id="pairs-0") is not None
    assert page.find(id="groups-0") is None
    assert "The first 40 of 44 systems" in page.find(id="intervals").get_text()  # type: ignore[union-attr]
    assert read(irmx_study.report(many(16)).to_html()).find(id="groups-0") is not None


def test_all_pairs_are_reported_as_compared() -> None:
    scores = irmx.scores("AP RR", qrels_path(), RUNS)
    report = irmx_study.report(scores, all_pairs=True, test="tukey")
    assert report.reported.of_all_pairs is report.reported.comparison
    page = read(report.to_html())
    assert "difference to" not in page.find(id="leaderboard").get_text()  # type: ignore[union-attr]


# -- hostile text -----------------------------------------------------------------------------------------------------


def shape(page: str) -> Counter[Any]:
    """The elements of a page with their attributes, without the values that hold names."""
    found: Counter[Any] = Counter()
    for element in read(page).find_all(True):
        if element.find_parent("svg") is None:  # outlines of letters differ with the names
            found[element.name, tuple(sorted(element.attrs))] += 1
        else:
            assert element.name in {"title", "g", "path", "defs", "use", "clippath", "rect", "image", "pattern"}
            assert not [name for name in element.attrs if name.startswith("on")]
    return found


def with_names(names: tuple[str, ...], title: str) -> str:
    """The report on three runs with some names of runs, topics, documents and texts."""
    one, two, three, topic, doc, text = names
    qrels = {topic: {doc: 1, "b": 0}, "r": {"b": 1}, "s": {doc: 1}}
    runs = {
        one: {topic: {doc: 2.0, "b": 1.0}, "r": {"b": 1.0}, "s": {doc: 1.0}},
        two: {topic: {"b": 2.0, doc: 1.0}, "r": {doc: 2.0, "b": 1.0}, "s": {doc: 1.0}},
        three: {topic: {"b": 2.0}, "r": {doc: 2.0, "b": 1.0}, "s": {"b": 1.0}},
    }
    made = irmx_study.report(
        "AP RR", qrels, runs, title=title, texts={doc: text}, queries={topic: text}, command=f"irmx report {text}"
    )
    return made.to_html()


@pytest.mark.filterwarnings("ignore::irmx.DataWarning")
def test_hostile_names_add_no_element_and_no_attribute() -> None:
    page = with_names(HOSTILE, "".join(HOSTILE))
    assert shape(page) == shape(with_names(("run1", "run2", "run3", "topic", "doc", "text"), "title"))
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert "49" not in read(page).title.get_text()  # type: ignore[union-attr]
    data = read(page).find(id="csv-summary").get_text()  # type: ignore[union-attr]
    assert {row["system"] for row in csv.DictReader(io.StringIO(data))} >= {HOSTILE[0], HOSTILE[1], HOSTILE[2]}
    latex = read(page).find(id="latex-comparison").get_text()  # type: ignore[union-attr]
    assert r"\textless{}script\textgreater{}" in latex


@given(st.text(min_size=1, max_size=40))
def test_a_text_is_shown_as_it_is_wherever_a_section_has_it(text: str) -> None:
    shown = irmx.toolkit.visible(text)
    section = parts("part", text, [text], tables=[table_of([{"name": text, "value": 1.0}], text)], sources=[
        Source("source", text, text, is_open=True)])  # fmt: skip
    plain = one_page("t", [parts("part", "t", ["t"], tables=[table_of([{"name": "t", "value": 1.0}], "t")], sources=[
        Source("source", "t", "t", is_open=True)])])  # fmt: skip
    page = one_page(text, [section])
    assert shape(page) == shape(plain)
    found = read(page)
    assert found.title is not None
    assert found.title.get_text() == shown
    assert found.find("p").get_text() == shown  # type: ignore[union-attr]
    assert found.find("tbody").th.get_text() == shown  # type: ignore[union-attr]
    lines = "\n".join(map(irmx.toolkit.visible, text.split("\n")))
    assert found.find(id="source").get_text().removeprefix("\n") == lines.removeprefix("\n")  # type: ignore[union-attr]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
@settings(max_examples=50)
def test_data_of_a_script_is_what_it_was_and_cannot_end_its_element(data: Any) -> None:
    text = _json(data)
    assert json.loads(text) == data
    assert not set(text) & set("<>&\u2028\u2029")


@given(st.text() | st.sampled_from(HOSTILE))
def test_no_text_of_a_csv_is_a_formula(text: str) -> None:
    cell = irmx.toolkit.in_spreadsheet(text)
    assert cell.removeprefix("'") == irmx.toolkit.visible(text).removeprefix("'")
    if cell.lstrip()[:1] in ("=", "+", "-", "@") and cell:
        float(cell)  # only a number may begin with a sign


def test_numbers_of_a_csv_stay_numbers() -> None:
    cells = pd.DataFrame(
        {"n": [-1.5], "m": [-1], "a": ["-1.5"], "b": ["+3"], "c": ["-cmd"], "d": [" =x"], "e": ["\uff1dx"]}
    )
    assert csv_of(cells).splitlines()[1] == "-1.5,-1,-1.5,+3,'-cmd,' =x,'\uff1dx"
