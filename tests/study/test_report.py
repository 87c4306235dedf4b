"""The report: what it says, that its numbers are those of the functions, and that hostile text stays text."""

import csv
import functools
import io
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup

import irmx
import irmx_study
from irmx.demo import SYSTEMS, qrels_path, run_path

Command = Callable[..., Any]
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


def read(page: str) -> Any:
    return BeautifulSoup(page, "html.parser")


def page_of(*source: Any, **how: Any) -> Any:
    return read(irmx_study.report(*source, **how).to_html())


@functools.cache
def page_of_demo(**how: Any) -> Any:
    """Return the page of two measures of the demo collection, which several tests look at."""
    return page_of("AP nDCG@10", qrels_path(), RUNS, **how)


def table_of_values(**systems: list[float]) -> pd.DataFrame:
    rows = [(s, str(t), "M", value) for s, values in systems.items() for t, value in enumerate(values)]
    return pd.DataFrame(rows, columns=["system", "query_id", "measure", "value"])


def leaderboard(page: Any) -> dict[str, list[Any]]:
    """The cells of every system from the first mean on."""
    rows = page.find(id="leaderboard-table").tbody.find_all("tr")
    return {str(row.th.find(string=True)).strip(): row.find_all("td")[1:] for row in rows}


@pytest.fixture(scope="module")
def report() -> irmx_study.Report:
    return irmx_study.report(MEASURES, qrels_path(), RUNS, baseline="titles", command="irmx report 'a b'")


@pytest.fixture(scope="module")
def comparison() -> irmx_study.Comparison:
    return irmx_study.compare(MEASURES, qrels_path(), RUNS, baseline="titles")


@pytest.fixture(scope="module")
def html(report: irmx_study.Report) -> str:
    return report.to_html()


@pytest.fixture(scope="module")
def page(html: str) -> Any:
    return read(html)


# -- the page ----------------------------------------------------------------------------------------------


def test_every_id_is_there_once_and_every_reference_leads_to_one(page: Any) -> None:
    ids = Counter(str(element["id"]) for element in page.find_all(id=True))
    assert [name for name, times in ids.items() if times > 1] == []
    references = r'href="#([^"]+)"|url\(#([^)]+)\)|data-(?:copy|save)="([^"]+)"|labelledby="([^"]+)"'
    referred = re.findall(references, str(page))
    assert len(referred) > 100
    assert {name for names in referred for name in names if name} <= set(ids)


def test_nothing_leaves_the_file(page: Any) -> None:
    for element in page.find_all(True):
        for name in ("src", "href", "action", "data", "poster"):
            assert str(element.get(name, "#")).startswith(("#", "data:image/png;base64,"))
    assert not page.find_all(["link", "iframe", "object", "embed", "base", "form"])
    assert "default-src 'none'" in str(page.find("meta", {"http-equiv": "Content-Security-Policy"}))


def test_pictures_are_drawn_once_and_say_what_they_are_as_tables_do(page: Any) -> None:
    pictures = page.find_all("svg")
    assert len(pictures) > 2
    told = [page.find(id=svg["aria-labelledby"]).get_text().strip() for svg in pictures]
    assert all(told)
    assert len(set(told)) == len(told)
    assert {svg["role"] for svg in pictures} == {"img"}
    for table in page.find_all("table"):
        assert table.caption is not None
        assert table.find("th", scope="col") is not None
    assert page.html["lang"] == "en"
    assert page.find("main") is not None


def test_a_dark_page_has_dark_pictures_whose_cells_keep_their_own_colours(page: Any) -> None:
    texts = [str(svg) for svg in page.find_all("svg")]
    assert all("currentColor" in text or "var(--" in text for text in texts)
    assert not any(re.search("#(000000|ffffff)", text) for text in texts)
    assert any(re.search("#(000001|fffffe)", text) for text in texts)  # numbers in the cells of a heat map


def test_scores_a_table_a_comparison_and_files_give_the_same_findings() -> None:
    scores = irmx.scores("AP RR", qrels_path(), RUNS)
    table = scores.frame().rename(columns={"query_id": "qid", "system": "name"})
    comparison = irmx_study.compare(scores, baseline="titles", test="wilcoxon")
    both = irmx_study.report(scores, baseline="titles", test="wilcoxon"), irmx_study.report(comparison)
    pages = [report.to_html() for report in both]
    assert pages[0] == pages[1]
    found = {
        page.find(id="headline").get_text() + str(page.find(id="leaderboard"))
        for page in (
            read(pages[0]),
            page_of(table, baseline="titles", test="wilcoxon"),
            page_of("AP RR", qrels_path(), RUNS, baseline="titles", test="wilcoxon"),
        )
    }
    assert len(found) == 1


def test_the_same_input_gives_the_same_page(html: str) -> None:
    again = irmx_study.report(MEASURES, qrels_path(), RUNS, baseline="titles", command="irmx report 'a b'")
    assert again.to_html() == html


def test_a_cell_of_a_notebook_shows_the_first_table_instead_of_the_page() -> None:
    made = irmx_study.report("AP", qrels_path(), RUNS, title="<b>mine")
    shown = made._repr_html_()
    assert "&lt;b&gt;mine" in shown
    assert read(shown).table.tbody.find(["th", "td"]).get_text() == "bm25"
    assert len(shown) < 0.1 * len(made.to_html())
    assert repr(irmx_study.report("AP", qrels_path(), RUNS, title="a\x1b[2J\u202e")) == r"<Report: a\x1b[2J\u202e>"


# -- what was found ----------------------------------------------------------------------------------------


def headline(page: Any) -> str:
    return str(page.find(id="headline").get_text())


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"(?<![\w@])[-+]?\d*\.\d+", text)]


@pytest.mark.parametrize("how", [{}, {"test": "wilcoxon"}, {"baseline": "titles"}, {"all_pairs": True}])
def test_the_headline_has_the_difference_interval_and_corrected_p_of_the_pair_shown_first(how: Any) -> None:
    page = page_of_demo(**how)
    frame = irmx_study.compare("AP nDCG@10", qrels_path(), RUNS, **how).frame("comparisons")
    pair = json.loads(page.find(id="data-topics").get_text())["systems"][:2]
    [row] = frame[(frame["measure"] == "AP") & frame["a"].isin(pair) & frame["b"].isin(pair)].to_dict("records")
    text = headline(page)
    assert text.startswith(f"{pair[0]} beats {pair[1]} by AP: ")
    sizes = [abs(row["difference"]), *sorted(abs(row[side]) for side in ("low", "high"))]
    assert numbers(text)[:3] == pytest.approx(sizes, abs=6e-4)
    assert numbers(text)[3] == pytest.approx(max(row["p_corrected"], 1e-4), abs=6e-5)


def measures_of(**values: list[tuple[float, float]]) -> pd.DataFrame:
    """Per-topic values of two systems by several measures."""
    rows = [
        (system, str(t), measure, pair[s])
        for measure, of_topics in values.items()
        for t, pair in enumerate(of_topics)
        for s, system in enumerate(("one", "two"))
    ]
    return pd.DataFrame(rows, columns=["system", "query_id", "measure", "value"])


UP = [(0.5, 0.1), (0.6, 0.3), (0.9, 0.4), (0.4, 0.1), (0.7, 0.3)]
DOWN = [(b, a) for a, b in UP]
EVEN = [(0.6, 0.1), (0.1, 0.4), (0.9, 0.8), (0.3, 0.4), (0.6, 0.7)]


def test_the_headline_says_which_measures_agree_which_are_undecided_and_which_are_opposed() -> None:
    text = headline(page_of(measures_of(M=DOWN, Same=DOWN, Undecided=EVEN, Opposed=UP)))
    p = dict(irmx_study.compare(measures_of(Undecided=EVEN)).frame()[["measure", "p"]].itertuples(index=False))
    assert text.startswith("two beats one by M: +")
    endings = ("the same", "not", "the other way")
    parts = {words: part for part in text.split("; ") for words in endings if words in part}
    assert "Same" in parts["the same"]
    assert "Undecided" in parts["not"]
    assert numbers(parts["not"]) == pytest.approx([p["Undecided"]], abs=6e-5)
    assert "Opposed" in parts["the other way"]


def test_without_a_significant_difference_the_headline_says_so_first() -> None:
    text = headline(page_of(measures_of(M=EVEN, Same=EVEN, Up=UP, Down=DOWN)))
    assert text.startswith("No difference between one and two is significant by M")
    assert "one is better by Up" in text
    assert "two is better by Down" in text
    identical = headline(page_of(measures_of(M=[(0.5, 0.5), (0.7, 0.7)])))
    assert identical.startswith("No difference between")


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({}, "bm25 beats both others"),
        ({"all_pairs": True}, "bm25 beats both others"),
        ({"baseline": "titles"}, "titles beats none of the 2 others and is beaten by 2"),
        ({"baseline": "bm25"}, "bm25 beats both others and is beaten by none"),
    ],
)
def test_of_several_systems_it_counts_those_that_the_best_or_the_baseline_beats(how: Any, words: str) -> None:
    assert words in headline(page_of_demo(**how))


def test_where_less_is_better_the_smaller_mean_wins_everywhere() -> None:
    page = page_of(measures_of(TS_Verbosity=UP))
    assert page.find(id="headline").get_text().startswith("two beats one by TS_Verbosity: -")
    shown = leaderboard(page)
    assert list(shown) == ["two", "one"]
    assert [shown[system][0].find("b") is not None for system in shown] == [True, False]


# -- the leaderboard ---------------------------------------------------------------------------------------


def test_the_leaderboard_has_means_differences_and_p_values_of_the_comparison(comparison: Any, page: Any) -> None:
    summary = comparison.frame("systems")
    ranks = [row.td.get_text(strip=True) for row in page.find(id="leaderboard-table").tbody.find_all("tr")]
    shown = leaderboard(page)
    assert list(shown) == list(summary[summary["measure"] == "AP"].sort_values("mean", ascending=False)["system"])
    assert ranks == ["1", "2", "3"]
    for system, cells in shown.items():
        for v, row in enumerate(summary[summary["system"] == system].to_dict("records")):
            mean, difference, p = cells[3 * v : 3 * v + 3]
            assert float(mean["data-value"]) == row["mean"]
            if system == "titles":
                assert difference.get_text(strip=True) == ""
                continue
            assert float(difference["data-value"]) == row["difference"]
            assert float(p["data-value"]) == row["p_corrected"]
            assert float(p.get_text().strip("<")) == pytest.approx(max(row["p_corrected"], 1e-4), abs=6e-5)
            sign = 0 if row["p_corrected"] > 0.05 else 1 if row["difference"] > 0 else -1
            assert ("▲" in difference.get_text()) - ("▼" in difference.get_text()) == sign


def test_the_leaderboard_of_all_pairs_has_letters() -> None:
    scores = irmx.scores("AP RR", qrels_path(), RUNS)
    rows = irmx_study.compare(scores, all_pairs=True).frame("systems")
    for system, cells in leaderboard(page_of(scores, all_pairs=True)).items():
        letters = rows[rows["system"] == system]["letters"].tolist()
        assert [cell.get_text(strip=True) for cell in cells[2::3]] == letters


def test_the_difference_of_two_baselines_stands_in_both_their_rows() -> None:
    scores = irmx.scores("AP", qrels_path(), RUNS)
    rows, means = leaderboard(page_of(scores, baseline=["titles", "recent"])), scores.means()["AP"]
    for system, column, other in (("titles", 3, "recent"), ("recent", 1, "titles")):
        value = float(rows[system][column]["data-value"])
        assert value == pytest.approx(means[system] - means[other])
        low, high = map(float, re.findall(r"[-+]?[\d.]+", rows[system][column].find("small").get_text())[:2])
        assert low <= value <= high
    assert rows["titles"][3].find(class_="down") is not None
    assert rows["recent"][1].find(class_="up") is not None
    assert rows["titles"][1].get_text().strip() == ""


def test_all_pairs_have_the_p_values_of_the_differences_to_the_best(comparison: irmx_study.Comparison) -> None:
    pairs = irmx_study.compare(comparison.scores, all_pairs=True)
    rows = leaderboard(page_of(pairs))
    p = pairs.pairs("AP")["bm25"]
    assert rows["bm25"][1].get_text() == ""
    assert [float(rows[name][1]["data-value"]) for name in ("titles", "recent")] == [p["titles"], p["recent"]]


def test_the_largest_mean_is_bold_below_zero_too() -> None:
    page = page_of(table_of_values(one=[-0.4, -0.6, -0.5], two=[-0.1, -0.3, -0.4], three=[-0.9, -0.7, -0.8]))
    assert [name for name, cells in leaderboard(page).items() if cells[0].find("b")] == ["two"]
    assert {cells[0]["style"] for cells in leaderboard(page).values()} == {"--bar-end:0.0%"}


def test_topics_that_one_system_lacks_are_left_out_of_all_differences_as_in_the_comparison() -> None:
    values = table_of_values(one=[0.1, 0.2, 0.3, 0.9], two=[0.3, 0.1, 0.6, 0.2], three=[0.5, 0.6, 0.9, float("nan")])
    with pytest.warns(irmx.DataWarning, match="three: no results for 1 of 4 topics"):
        values = irmx.Scores.from_frame(values)
    page = page_of(values, baseline="one", missing="both")
    data = json.loads(page.find(id="data-topics").get_text())
    places = {name: place for place, name in enumerate(data["systems"])}
    for row in irmx_study.compare(values, baseline="one", missing="both").frame().to_dict("records"):
        of_pair = zip(*(data["values"][0][places[row[name]]] for name in ("a", "b")), strict=True)
        differences = [x - y for x, y in of_pair if x is not None and y is not None]
        assert len(differences) == row["topics"] == 3
        assert [sum(d > 0 for d in differences), sum(d < 0 for d in differences)] == [row["wins"], row["losses"]]
    assert page.find(id="leaderboard").p.get_text().startswith("Means over 3 topics")


def many(systems: int) -> irmx.Scores:
    runs = {f"run{i:02}": {"q": {"a": 2.0, f"x{i}": 3.0 - i}, "r": {"b": 1.0 + i, "y": i / 3}} for i in range(systems)}
    return irmx.scores("AP RR", {"q": {"a": 1}, "r": {"b": 1, "y": 1}}, runs)


@pytest.mark.parametrize(("systems", "filtered", "diagram"), [(16, False, True), (20, True, False), (41, True, False)])
def test_many_systems_have_a_filter_a_map_of_pairs_and_the_best_intervals(
    systems: int, filtered: bool, diagram: bool
) -> None:
    page = page_of(many(systems), all_pairs=True)
    assert (page.find(id="leaderboard").input is not None) == filtered
    assert (page.find(id="groups-0") is not None, page.find(id="pairs-0") is not None) == (diagram, not diagram)
    assert ("The first 40 of 41 systems" in page.find(id="intervals").get_text()) == (systems > 40)


def test_differences_from_a_baseline_have_no_map_of_pairs_whose_tests_would_contradict_them() -> None:
    assert page_of(many(20)).find(id="pairs") is None


# -- the other sections ------------------------------------------------------------------------------------


def test_users_agreement_and_unjudged_documents_are_those_of_their_functions(comparison: Any, page: Any) -> None:
    shown = {name: page.find(id=name).get_text() for name in ("users", "agreement", "unjudged")}
    assert comparison.sentences()
    assert all(sentence in shown["users"] for sentence in comparison.sentences())
    for row in irmx_study.correlate(comparison.scores, resamples=0).frame().itertuples():
        assert f"{row.a}{row.b}{row.tau:.4f}{row.tau_ap:.4f}" in shown["agreement"]
    could = irmx_study.unjudged("AP", qrels_path(), RUNS, baseline="titles").frame()
    assert len(could) == 3
    lines = [f"AP{row.system}{row.value:.4f}{row.if_nonrelevant:.4f}" for row in could.itertuples()]
    assert all(line in shown["unjudged"] for line in lines)
    assert "if_" not in shown["unjudged"]  # words, not names of columns


def test_why_a_value_falls_if_more_documents_are_relevant_is_told() -> None:
    qrels = {"q": {"a": 1, "c": 0}, "r": {"a": 1}}
    runs = {"one": {"q": {"a": 3.0, "c": 2.0, "x": 1.0}, "r": {"a": 1.0}}, "two": {"q": {"a": 1.0}, "r": {"a": 1.0}}}
    for measures, falls in (("nDCG", True), ("RBP", False)):
        found = irmx_study.unjudged(measures, qrels, runs).frame()
        assert (found["if_relevant"] < found["if_nonrelevant"]).any() == falls
        told = page_of(measures, qrels, runs).find(id="unjudged").get_text()
        assert ("divide by the number of relevant" in told) == falls


def test_data_is_csv_of_all_values_which_a_spreadsheet_takes_for_data(comparison: Any, page: Any) -> None:
    rows = list(csv.DictReader(io.StringIO(page.find(id="csv-topics").get_text())))
    scores = comparison.scores
    assert len(rows) == len(scores.topics) * len(scores.systems)
    by_cell = {(row["query_id"], row["system"]): float(row["AP"]) for row in rows}
    for t, s in np.ndindex(len(scores.topics), len(scores.systems)):
        assert by_cell[scores.topics[t], scores.systems[s]] == pytest.approx(scores["AP"][t, s], rel=1e-5)


def test_it_says_how_it_was_made_and_what_to_cite(comparison: irmx_study.Comparison, page: Any) -> None:
    text = page.find(id="making").get_text()
    assert all(irmx.toolkit.file_digest(path) in text for path in (qrels_path(), *RUNS.values()))
    assert "irmx report 'a b'" in text
    assert all(fact in text for fact in comparison.facts().values())
    methods = page.find(id="methods").get_text()
    assert comparison.methods() == methods
    keys = {key for cited in re.findall(r"\\cite\{([^}]*)\}", methods) for key in cited.split(",")}
    assert {"irmx", "MacAvaneyMacdonaldOunis2022"} < keys
    assert keys <= set(re.findall(r"@\w+\{(\w+),", page.find(id="bibtex").get_text()))


def test_formulas_are_those_that_measures_state(monkeypatch: pytest.MonkeyPatch) -> None:
    formula = irmx.Formula(r"\frac{a}{b}", {"a": "the <b>first</b> number"})
    monkeypatch.setattr(irmx.registry().scorer("RR"), "FORMULA", formula, raising=False)
    monkeypatch.setattr(type(irmx.parse_measure("NCP(law=first)")), "FORMULA", formula)
    section = page_of("NCP(law=first) RR", qrels_path(), RUNS).find(id="formulas")
    assert [head.get_text() for head in section.find_all("h3")] == ["NCP", "RR"]
    assert len(section.find_all("mfrac")) == 2
    assert "the <b>first</b> number" in section.get_text()


def test_sections_that_have_nothing_to_say_are_left_out() -> None:
    scores = irmx.scores("AP", qrels_path(), {name: RUNS[name] for name in ("bm25", "titles")})
    names = {section["id"] for section in page_of(scores).find_all("section")}
    assert {"leaderboard", "intervals", "tables", "citing", "making"} <= names
    assert not names & {"pairs", "agreement", "users", "unjudged", "rankings"}
    all_pairs = page_of(irmx.scores("AP RR", qrels_path(), RUNS), all_pairs=True, test="tukey")
    assert "difference to" not in all_pairs.find(id="leaderboard").get_text()


# -- hostile text ------------------------------------------------------------------------------------------


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
    about = {"texts": {doc: text}, "queries": {topic: text}, "command": f"irmx report {text}", "title": title}
    return irmx_study.report("AP RR", qrels, runs, **about).to_html()


@pytest.mark.filterwarnings("ignore::irmx.DataWarning")
def test_hostile_names_add_no_element_and_no_attribute() -> None:
    text = with_names(HOSTILE, "".join(HOSTILE))
    assert shape(text) == shape(with_names(("run1", "run2", "run3", "topic", "doc", "text"), "title"))
    assert not set(text) & {"\x1b", "\u202e"}
    page = read(text)
    assert "49" not in page.title.get_text()
    rows = list(csv.DictReader(io.StringIO(page.find(id="csv-summary").get_text())))
    assert {row["system"] for row in rows} >= set(HOSTILE[:3])
    assert r"\textless{}script\textgreater{}" in page.find(id="latex-comparison").get_text()
    data = json.loads(page.find(id="data-rankings").get_text())
    assert "\\x1b[2J\\u202eevil --> <!-- ]]>" in [doc for topic in data["topics"] for doc, _ in topic["docs"]]


def test_no_text_of_a_csv_is_a_formula_and_numbers_stay_numbers() -> None:
    names = ["=cmd", "+3", "-cmd", "@x", "plain"]
    page = page_of(table_of_values(**{name: [-0.5 - i, 0.25, i] for i, name in enumerate(names)}))
    rows = list(csv.DictReader(io.StringIO(page.find(id="csv-topics").get_text())))
    assert {row["system"] for row in rows} == {"'=cmd", "+3", "'-cmd", "'@x", "plain"}
    assert min(float(row["M"]) for row in rows) == -4.5


def test_names_that_the_font_of_pictures_lacks_are_in_the_tables() -> None:
    names = ("検索", "поиск 🔎", "plain")
    assert set(leaderboard(page_of("AP RR", qrels_path(), dict(zip(names, RUNS.values(), strict=True))))) == set(names)


# -- from the shell ----------------------------------------------------------------------------------------


def test_the_command_writes_the_page_and_prints_itself_in_it(command: Command, folder: Path) -> None:
    done = command("report", "demo.qrels", "titles.run", "*.run", "AP", "--title", "A <b> title")
    assert (done.code, done.out) == (0, "")
    assert "report.html: A <b> title" in done.err
    page = read((folder / "report.html").read_text(encoding="utf-8"))
    assert page.title.get_text() == "A <b> title"
    assert "irmx report demo.qrels titles.run '*.run' AP" in page.find(id="making").get_text()


def test_compare_writes_the_same_report(command: Command, folder: Path) -> None:
    arguments = ("demo.qrels", "titles.run", "bm25.run", "AP", "--label", "titles.run=T", "--baseline", "bm25.run")
    assert command("report", *arguments, "-o", "a.html").code == 0
    assert command("compare", *arguments, "-o", "b.html").code == 0
    a, b = ((folder / name).read_text(encoding="utf-8") for name in ("a.html", "b.html"))
    assert a.replace("irmx report", "irmx compare") == b


def test_per_topic_results_are_reported_without_rankings(command: Command, folder: Path) -> None:
    irmx.scores("AP", folder / "demo.qrels", RUNS).frame().to_csv(folder / "scores.csv", index=False)
    assert command("report", "scores.csv", "--scores", "-o", "r.html").code == 0
    page = read((folder / "r.html").read_text(encoding="utf-8"))
    assert set(leaderboard(page)) == set(SYSTEMS)
    assert page.find(id="rankings") is None


@pytest.mark.parametrize(
    ("command_name", "options", "message"),
    [
        ("report", ("-o", "table"), "ends in .html"),
        ("report", ("-o", "nowhere/r.html"), "no folder nowhere"),
        ("report", ("--level", "2"), "level"),
        ("report", ("--label", "nobody=x"), "nobody"),
        ("compare", ("-o", "r.html", "--methods", "m.tex"), "--methods"),
        ("compare", ("-o", "r.html", "--sort", "mean"), "--sort"),
        ("compare", ("-o", "r.html", "--plot", "p.svg"), "--plot"),
    ],
)
def test_mistyped_options_are_told_before_anything_is_scored(
    command: Command, folder: Path, command_name: str, options: tuple[str, ...], message: str
) -> None:
    (folder / "bm25.run").write_text("not a run", encoding="utf-8")
    command(command_name, "demo.qrels", "titles.run", "bm25.run", "AP", *options).assert_refused(2, message)
    assert not list(folder.glob("*.html*"))


@pytest.mark.parametrize(
    ("arguments", "how", "message"),
    [
        (("AP", qrels_path()), {}, "runs are missing"),
        ((42,), {}, "needs irmx.Scores"),
        (("AP", qrels_path(), {"one": run_path("bm25")}), {}, "needs two systems"),
        (("AP", qrels_path(), RUNS), {"baseline": "nobody"}, "nobody"),
        ((irmx_study.compare("AP", qrels_path(), RUNS),), {"test": "wilcoxon"}, "cannot be changed"),
    ],
)
def test_what_cannot_be_reported_is_refused(arguments: Any, how: Any, message: str) -> None:
    with pytest.raises(irmx.UsageError, match=message):
        irmx_study.report(*arguments, **how)


def test_a_page_is_written_whole_or_not_at_all(report: Any, html: str, tmp_path: Path, monkeypatch: Any) -> None:
    report.write(tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == html
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(irmx.DataError, match="No space left"):
        report.write(tmp_path / "other.html")
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]


def test_standard_input_is_read_once_for_scores_and_rankings(command: Command, folder: Path, monkeypatch: Any) -> None:
    with open(folder / "bm25.run", encoding="utf-8") as stream:
        monkeypatch.setattr("sys.stdin", stream)
        done = command("report", "demo.qrels", "titles.run", "-", "AP")
    assert done.code == 0
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert 'id="unjudged"' in page
    assert 'id="rankings"' in page


def test_quality_stands_against_cost_and_many_rows_fold() -> None:
    rng = np.random.default_rng(0)
    rows = [
        (f"s{s:02d}", f"q{t}", measure, value)
        for s in range(24)
        for t in range(9)
        for measure, value in (("found", rng.random() + s / 20), ("tokens", 1000 + 40.0 * s + 10 * rng.random()))
    ]
    scores = irmx.Scores.from_frame(pd.DataFrame(rows, columns=["system", "query_id", "measure", "value"]))
    scores = scores.less_is_better("tokens")
    comparison = irmx_study.compare(scores, baseline="s00")
    page = page_of(comparison)
    assert page.find(id="costs").find("svg")
    assert "tokens" in page.find(id="costs").get_text()
    means = scores.means()
    on = comparison.plot("cost")
    blue = on.lines[-1]
    front = {
        s
        for s in means.index
        if not ((means["tokens"] < means["tokens"][s]) & (means["found"] > means["found"][s])).any()
    }
    assert sorted(blue.get_xdata()) == pytest.approx(sorted(means["tokens"][list(front)]))
    assert irmx_study.compare("AP", qrels_path(), RUNS).pictures.keys() & {"cost"} == set()
    with pytest.raises(irmx.UsageError, match="SessionCost"):
        irmx_study.compare("AP", qrels_path(), RUNS).plot("cost")
    with pytest.raises(irmx.UsageError, match="cost"):
        comparison.plot("cost", cost="found")


def test_what_unjudged_documents_could_change_folds_for_many_systems() -> None:
    qrels = {f"q{t}": {"a": 1, "b": 0} for t in range(20)}
    runs = {f"run{i}": {q: {"a": 1.0, f"x{i}": 2.0 + i % 2, "b": 0.5 * (i % 5)} for q in qrels} for i in range(24)}
    assert page_of("AP", qrels, runs).find(id="unjudged").find("details")
    some = dict(list(runs.items())[:4])
    assert page_of("AP", qrels, some).find(id="unjudged").find("details") is None


def test_costs_have_a_panel_of_their_own_in_the_conclusion() -> None:
    values = np.random.default_rng(2).random((12, 2))
    rows = [
        (system, f"q{t}", measure, values[t, s] * (1000 if measure == "tokens" else 1))
        for t in range(12)
        for s, system in enumerate(("old", "new"))
        for measure in ("found", "f1", "tokens")
    ]
    scores = irmx.Scores.from_frame(pd.DataFrame(rows, columns=["system", "query_id", "measure", "value"]))
    found = irmx_study.verdict(scores.less_is_better("tokens"))
    axes = found.plot().figure.axes
    labels = [[label.get_text() for label in ax.get_yticklabels()] for ax in axes]
    assert [any("tokens" in text for text in of) for of in labels] == [False, True]
    assert any("f1" in text for text in labels[0])
