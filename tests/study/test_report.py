"""The report: what makes one, what it refuses, and how it is written."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import irmx
import irmx_study
from irmx.demo import SYSTEMS, qrels_path, run_path

Command = Callable[..., Any]
RUNS = {system: run_path(system) for system in SYSTEMS}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(qrels_path(), tmp_path / "demo.qrels")
    for system in SYSTEMS:
        shutil.copy(run_path(system), tmp_path / f"{system}.run")
    return tmp_path


@pytest.fixture(scope="module")
def report() -> irmx_study.Report:
    return irmx_study.report("AP nDCG@10", qrels_path(), RUNS, baseline="titles")


# -- from Python ------------------------------------------------------------------------------------------------------


def test_a_report_knows_judgments_runs_and_the_share_of_unjudged_documents() -> None:
    qrels = {"q": {"a": 1, "b": 0}, "r": {"a": 1}}
    runs = {"one": {"q": {"a": 2.0, "x": 1.0}, "r": {"a": 1.0}}, "two": {"q": {"b": 1.0}, "r": {"x": 1.0}}}
    reported = irmx_study.report("AP", qrels, runs).reported
    assert reported.judgments is not None
    assert list(reported.runs) == ["one", "two"]
    assert reported.unjudged == {"one": 0.25, "two": 0.5}
    assert [str(measure) for measure in reported.comparison.scores.measures] == ["AP"]


def test_scores_a_table_and_a_comparison_give_the_same_report_as_each_other() -> None:
    scores = irmx.scores("AP RR", qrels_path(), RUNS)
    comparison = irmx_study.compare(scores, "titles", test="wilcoxon")
    pages = {
        irmx_study.report(scores, baseline="titles", test="wilcoxon").to_html(),
        irmx_study.report(comparison).to_html(),
        irmx_study.Report.from_comparison(comparison).to_html(),
    }
    assert len(pages) == 1
    table = scores.frame().rename(columns={"query_id": "qid", "system": "name"})
    assert irmx_study.report(table).reported.comparison.scores.systems == tuple(SYSTEMS)


def test_the_same_input_gives_the_same_page(report: irmx_study.Report) -> None:
    again = irmx_study.report("AP nDCG@10", qrels_path(), RUNS, baseline="titles")
    assert again.to_html() == report.to_html()


def test_a_cell_of_a_notebook_shows_a_line_instead_of_the_page() -> None:
    comparison = irmx_study.compare(irmx.scores("AP", qrels_path(), RUNS))
    shown = irmx_study.Report.from_comparison(comparison, "<b>mine")._repr_html_()
    assert "&lt;b&gt;mine" in shown
    assert "AP" in shown
    assert len(shown) < 300


def test_a_comparison_gives_its_tables_as_html() -> None:
    comparison = irmx_study.compare(irmx.scores("AP", qrels_path(), RUNS))
    assert comparison.to_html() == comparison._repr_html_()
    assert comparison.to_html(places=2).count("<table") == 2
    assert comparison.to_html("mean").index("titles") > comparison.to_html("system").index("recent")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("AP", qrels_path()), "on measures, qrels and runs"),
        ((irmx.Scores, None, RUNS), "on measures, qrels and runs"),
        (("AP", qrels_path(), {"one": run_path("bm25")}), "needs two systems"),
        (("AP", qrels_path(), RUNS, "nobody"), "nobody"),
    ],
)
def test_what_cannot_be_reported_is_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(irmx.UsageError, match=message):
        irmx_study.report(*arguments)


def test_a_comparison_is_reported_as_it_was_made() -> None:
    scores = irmx.scores("AP", qrels_path(), RUNS)
    with pytest.raises(irmx.UsageError, match="cannot be changed"):
        irmx_study.report(irmx_study.compare(scores), test="wilcoxon")
    with pytest.raises(irmx.UsageError, match="instead of their values"):
        irmx_study.report(scores, qrels_path(), RUNS)


def test_a_page_is_written_whole_or_not_at_all(
    report: irmx_study.Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report.write(tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == report.to_html()
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(irmx.DataError, match="No space left"):
        report.write(tmp_path / "other.html")
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]


def test_lacking_libraries_are_named_with_the_command_that_installs_them(
    report: irmx_study.Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    from irmx_study.html_report import one_page

    monkeypatch.setattr(one_page, "find_spec", lambda name: None if name == "jinja2" else name)
    one_page._templates.cache_clear()
    with pytest.raises(irmx.UsageError, match=r"Jinja2 cannot be imported.*pip install jinja2 matplotlib"):
        report.to_html()


# -- from the shell ---------------------------------------------------------------------------------------------------


def test_the_command_writes_the_page_and_prints_itself_in_it(command: Command, folder: Path) -> None:
    done = command("report", "demo.qrels", "titles.run", "*.run", "AP", "--title", "A <b> title", cwd=folder)
    assert (done.code, done.out) == (0, "")
    assert "report.html: A <b> title" in done.err
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "<title>A &lt;b&gt; title</title>" in page


def test_compare_writes_the_same_report(command: Command, folder: Path) -> None:
    arguments = ("demo.qrels", "titles.run", "bm25.run", "AP", "--label", "titles.run=T", "--baseline", "bm25.run")
    assert command("report", *arguments, "-o", "a.html", cwd=folder).code == 0
    assert command("compare", *arguments, "-o", "b.html", cwd=folder).code == 0
    a, b = ((folder / name).read_text(encoding="utf-8") for name in ("a.html", "b.html"))
    assert a.replace("irmx report", "irmx compare") == b


def test_per_topic_results_are_reported_without_rankings(command: Command, folder: Path) -> None:
    irmx.scores("AP", folder / "demo.qrels", RUNS).frame().to_csv(folder / "scores.csv", index=False)
    assert command("report", "scores.csv", "--scores", "-o", "r.html", cwd=folder).code == 0
    assert "titles" in (folder / "r.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-o", "table"), "ends in .html"),
        (("-o", "nowhere/r.html"), "no folder nowhere"),
        (("--test", "tt"), "tt"),
        (("--level", "2"), "level"),
        (("--all-pairs", "--baseline", "bm25.run"), "one of the two"),
        (("--measure", "AP"), "goes with --scores"),
        (("--label", "nobody=x"), "nobody"),
    ],
)
def test_mistyped_options_are_told_before_anything_is_scored(
    command: Command, folder: Path, options: tuple[str, ...], message: str
) -> None:
    (folder / "bm25.run").write_text("not a run", encoding="utf-8")
    done = command("report", "demo.qrels", "titles.run", "bm25.run", "AP", *options, cwd=folder)
    assert done.code == 2
    assert message in done.err
    assert not list(folder.glob("*.html*"))


@pytest.mark.parametrize("option", [("--methods",), ("--sort", "mean"), ("--unjudged",), ("--plot", "p.svg")])
def test_compare_refuses_options_that_a_report_has_no_use_for(
    command: Command, folder: Path, option: tuple[str, ...]
) -> None:
    done = command("compare", "demo.qrels", "titles.run", "bm25.run", "AP", "-o", "r.html", *option, cwd=folder)
    assert done.code == 2
    assert option[0] in done.err


# -- texts ------------------------------------------------------------------------------------------------------------


def test_texts_are_read_from_tables(tmp_path: Path) -> None:
    from irmx_study.html_report.known_texts import read_document_texts, read_query_texts

    rows = [{"doc_id": "d1", "title": "A title", "text": "and text"}, {"doc_id": "d2", "title": "", "text": "text"}]
    (tmp_path / "d.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert read_document_texts(str(tmp_path / "d.jsonl")) == {"d1": "A title and text", "d2": "text"}
    (tmp_path / "q.tsv").write_text("query_id\tquery\nq1\tferry strike\n", encoding="utf-8")
    assert read_query_texts(str(tmp_path / "q.tsv")) == {"q1": "ferry strike"}
    (tmp_path / "bad.csv").write_text("query_id,other\nq1,x\n", encoding="utf-8")
    with pytest.raises(irmx.DataError, match="query or title or text"):
        read_query_texts(str(tmp_path / "bad.csv"))


def test_texts_of_a_collection_are_those_of_documents_on_this_machine(tmp_path: Path) -> None:
    from ir_datasets import Dataset
    from ir_datasets.formats import TrecDocs, TsvQueries
    from ir_datasets.util import LocalDownload

    from irmx_study.html_report.known_texts import queries_of_collection, texts_of_collection

    (tmp_path / "docs.trec").write_text("<DOC>\n<DOCNO>d1</DOCNO>\n<TEXT>\nsome text\n</TEXT>\n</DOC>\n")
    (tmp_path / "queries.tsv").write_text("q1\tferry strike\n")

    def collection(docs: str) -> Any:
        local = LocalDownload(tmp_path / docs)
        queries = TsvQueries(LocalDownload(tmp_path / "queries.tsv"))
        return Dataset(TrecDocs(local, docstore_path=tmp_path / "store"), queries)

    texts = texts_of_collection(collection("docs.trec"))
    assert texts is not None
    assert "some text" in texts["d1"]
    assert texts.get("d2") is None
    assert texts_of_collection(collection("elsewhere.trec")) is None
    assert queries_of_collection(collection("docs.trec")) == {"q1": "ferry strike"}


def test_standard_input_is_read_once_for_scores_and_rankings(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(folder / "bm25.run", encoding="utf-8") as stream:
        monkeypatch.setattr("sys.stdin", stream)
        done = command("report", "demo.qrels", "titles.run", "-", "AP", cwd=folder)
    assert done.code == 0
    assert 'id="unjudged"' in (folder / "report.html").read_text(encoding="utf-8")
