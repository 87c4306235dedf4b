"""The collection of the package: what is in it, that its program makes it, and ``irmx demo`` on it."""

import importlib.util
import json
import shlex
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import ir_measures
import pandas as pd
import pytest

import irmx
from irmx.demo import (
    SYSTEMS,
    block_table,
    demo_measures,
    documents,
    judgments_path,
    qrels_path,
    run_path,
    run_table,
    topics,
)
from irmx.errors import PluginWarning, UsageError

TOP = Path(__file__).parent.parent.parent
FOLDER = qrels_path().parent
VERTICALS = {"web", "news", "blog", "image", "video"}


@cache
def program() -> ModuleType:
    """The program that writes the collection."""
    spec = importlib.util.spec_from_file_location("make_demo_collection", TOP / "docs" / "make_demo_collection.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@cache
def judged() -> pd.DataFrame:
    return pd.read_csv(judgments_path(), dtype={"query_id": str, "iteration": str}, keep_default_na=False, na_values={
        "timestamp": [""], "orientation": [""]})  # fmt: skip


# -- the files ---------------------------------------------------------------------------------------------


def test_its_program_makes_it() -> None:
    made = program().files()
    assert set(made) == {p.name for p in FOLDER.iterdir() if p.suffix not in (".py", "")}
    for name, text in made.items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, name


def test_another_seed_makes_another() -> None:
    made = program().files(seed=1)
    assert made["documents.jsonl"].count("\n") == 300
    assert made["documents.jsonl"] != (FOLDER / "documents.jsonl").read_text(encoding="utf-8")


def test_it_is_small() -> None:
    assert sum(p.stat().st_size for p in FOLDER.iterdir() if p.is_file()) < 600_000


def test_documents_are_short_texts_with_a_date_and_a_vertical() -> None:
    table = documents()
    assert len(table) == table["doc_id"].nunique() == 300
    assert table["text"].str.split().str.len().between(20, 60).all()
    assert table["title"].str.len().min() > 0
    dates = pd.to_datetime(table["date"])
    assert str(dates.dt.tz) == "UTC"
    assert dates.is_monotonic_increasing
    assert dates.max() - dates.min() > pd.Timedelta(days=300)
    assert set(table["vertical"]) == VERTICALS
    assert not table[["title", "text"]].apply(lambda texts: texts.str.contains(r"[{}]")).any(axis=None)


def test_there_are_near_duplicates_and_documents_of_several_topics() -> None:
    texts = set(documents()["text"])
    again = [t.removeprefix("Printed again by request. ") for t in texts if t.startswith("Printed again")]
    assert len(again) == 12
    assert set(again) <= texts
    relevant = judged()[judged()["relevance"] > 0]
    assert (relevant.groupby("doc_id")["query_id"].nunique() >= 2).sum() > 20
    assert (relevant.groupby("doc_id")["query_id"].nunique() >= 3).sum() > 5


def test_topics_have_subtopics_and_orientations() -> None:
    table = topics()
    assert table["query_id"].tolist() == [str(n) for n in range(1, 31)]
    assert table["query"].str.split().str.len().between(2, 4).all()
    assert table["subtopics"].map(len).between(2, 4).all()
    assert all(list(s) == [str(n) for n in range(1, len(s) + 1)] for s in table["subtopics"])
    assert all(set(o) == VERTICALS and o["web"] == 0.5 for o in table["orientation"])
    assert all(0 <= value <= 1 for o in table["orientation"] for value in o.values())


# -- the judgments -----------------------------------------------------------------------------------------


def test_every_judged_document_has_a_row_for_every_subtopic() -> None:
    rows = judged()[judged()["doc_id"] != ""]
    subtopics = {t.query_id: set(t.subtopics) for t in topics().itertuples()}
    for (query, _), found in rows.groupby(["query_id", "doc_id"]):
        assert set(found["iteration"]) == subtopics[query]
        assert len(found) == len(subtopics[query])
    assert set(rows["relevance"]) == {0, 1, 2}


def test_the_largest_grade_over_subtopics_is_that_of_the_qrels() -> None:
    rows = judged()[judged()["doc_id"] != ""]
    largest = rows.groupby(["query_id", "doc_id"])["relevance"].max()
    plain = {(q.query_id, q.doc_id): q.relevance for q in ir_measures.read_trec_qrels(str(qrels_path()))}
    assert largest.to_dict() == plain


def test_dates_verticals_and_orientations_are_those_of_documents_and_topics() -> None:
    rows = judged()[judged()["doc_id"] != ""]
    docs = documents().set_index("doc_id").loc[rows["doc_id"]]
    dates = pd.to_datetime(rows["timestamp"].to_numpy(), unit="s", utc=True)
    assert (dates == pd.to_datetime(docs["date"].to_numpy())).all()
    assert rows["vertical"].tolist() == docs["vertical"].tolist()
    orientation = topics().set_index("query_id")["orientation"]
    every = judged()[judged()["vertical"] != ""]
    assert every["orientation"].tolist() == [
        orientation[q][v] for q, v in zip(every["query_id"], every["vertical"], strict=True)
    ]
    assert set(every.groupby("query_id")["vertical"].nunique()) == {len(VERTICALS)}


def test_rows_without_a_document_declare_the_subtopics_and_verticals_that_no_document_has() -> None:
    rows = judged()
    for query, found in rows.groupby("query_id"):
        relevant = set(found[found["relevance"] > 0]["iteration"])
        held = set(found[found["doc_id"] != ""]["vertical"])
        subtopics = set(topics().set_index("query_id")["subtopics"][query])
        declared = found[found["doc_id"] == ""]
        assert subtopics - relevant == set(declared["iteration"]) - relevant
        assert held | set(declared["vertical"]) == VERTICALS
        assert all(d.iteration not in relevant or d.vertical not in held for d in declared.itertuples())
        assert declared["timestamp"].isna().all()
    assert (rows["doc_id"] == "").sum() > 3


# -- the runs ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("system", SYSTEMS)
def test_runs_are_ranked_and_of_the_collection(system: str) -> None:
    lines = [line.split() for line in run_path(system).read_text(encoding="utf-8").splitlines()]
    run = pd.DataFrame(lines, columns=["query_id", "zero", "doc_id", "rank", "score", "tag"])
    assert set(run["query_id"]) == set(topics()["query_id"])
    assert set(run["doc_id"]) <= set(documents()["doc_id"])
    assert set(run["tag"]) == {system}
    for _, ranking in run.groupby("query_id"):
        keys = list(zip(ranking["score"].astype(float), ranking["doc_id"], strict=True))
        assert keys == sorted(keys, reverse=True)
        assert ranking["rank"].astype(int).tolist() == list(range(1, len(ranking) + 1))


def test_retrieval_is_neither_trivial_nor_hopeless_and_systems_differ() -> None:
    means = [next(iter(irmx.calc_aggregate("nDCG@10", qrels_path(), run_path(s)).values())) for s in SYSTEMS]
    assert 0.4 < means[0] < 0.8
    assert means[0] > means[1] > means[2] > 0.2


def test_a_run_as_a_table_has_the_columns_that_measures_read() -> None:
    table = run_table("bm25")
    docs = documents().set_index("doc_id").loc[table["doc_id"]]
    assert [tuple(row) for row in table[["query_id", "doc_id", "score"]].itertuples(index=False)] == [
        tuple(row) for row in ir_measures.read_trec_run(str(run_path("bm25")))
    ]
    assert table["vertical"].tolist() == docs["vertical"].tolist()
    assert table["length"].tolist() == [len(text.split()) for text in docs["text"]]
    stamps = judged().dropna(subset="timestamp").drop_duplicates("doc_id").set_index("doc_id")["timestamp"]
    both = table[table["doc_id"].isin(stamps.index)]
    assert both["timestamp"].tolist() == stamps.loc[both["doc_id"]].astype(int).tolist()


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_page_has_a_block_of_each_vertical_at_the_place_of_its_best_item(system: str) -> None:
    run, pages = run_table(system).groupby("query_id"), block_table(system, "vertical", ["web"]).groupby("query_id")
    for query, page in pages:
        first = run.get_group(query).head(10)
        assert sorted(page["doc_id"]) == sorted(first["doc_id"])
        assert page["score"].tolist() == list(range(10, 10 - len(page), -1))
        blocks = [v for v, before in zip(page["vertical"], [None, *page["vertical"]], strict=False) if v != before]
        others = [v for v in blocks if v != "web"]
        assert others == [v for v in dict.fromkeys(first["vertical"]) if v != "web"]
        for vertical, items in first.groupby("vertical"):
            assert page[page["vertical"] == vertical]["doc_id"].tolist() == items["doc_id"].tolist()
    assert any(page["doc_id"].tolist() != run.get_group(query).head(10)["doc_id"].tolist() for query, page in pages)


def test_an_unknown_system_is_refused() -> None:
    with pytest.raises(UsageError, match="has no system 'bm52'; it has bm25, titles, recent"):
        run_path("bm52")


def test_files_are_of_one_line_each_record() -> None:
    for name in ("documents.jsonl", "topics.jsonl"):
        records = [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]
        assert all(list(r) == list(records[0]) for r in records)


# -- the command -------------------------------------------------------------------------------------------


def values(printed: str) -> dict[str, list[float]]:
    """The values of the table of ``irmx demo`` by measure."""
    rows = [line.split() for line in printed.splitlines() if len(line.split()) == len(SYSTEMS) + 1]
    return {name: [float(v) for v in found] for name, *found in rows if name != "measure"}


def test_it_shows_existing_and_new_measures_and_the_same_from_the_shell(shell: Callable[..., Any]) -> None:
    done = shell("demo")
    assert (done.code, done.err) == (0, "")
    shown = values(done.out)
    assert set(shown) == {str(m) for m in demo_measures()}
    assert {"AP", "nDCG@10", "MP(model=GL_AD_ID)", "NCP(law=uniform)", "TIA_nDCG(window='1mo')@20"} <= set(shown)
    assert shown["AP"] == shown["NCP(law=uniform)"]
    of_pages = [name for name in shown if name.startswith(("AS", "v"))]
    of_rankings = [name for name in shown if name not in of_pages]
    for system, *found in zip(SYSTEMS, *shown.values(), strict=True):
        means = {
            **irmx.calc_aggregate(of_rankings, judgments_path(), run_table(system)),
            **irmx.calc_aggregate(of_pages, judgments_path(), block_table(system, "vertical", ["web"])),
        }
        by_name = {str(measure): value for measure, value in means.items()}
        assert [by_name[name] for name in shown] == pytest.approx(found, abs=0.5e-4 + 1e-12)


def test_the_commands_that_it_suggests_give_the_same(command: Callable[..., Any], tmp_path: Path) -> None:
    printed = command("demo").out
    write, line = [x.strip() for x in printed.splitlines() if x.startswith("  irmx ")]
    assert write.endswith(" && cd demo")
    assert command(*shlex.split(write.partition(" && ")[0])[1:], cwd=tmp_path).code == 0
    command("plugins", cwd=tmp_path / "demo")
    header, *rows = (x.split("\t") for x in command(*shlex.split(line)[1:]).out.splitlines())
    assert {"AP", "MP(model=GL_AD_ID)"} < set(header)
    found = {row[0].removesuffix(".run"): [float(v) for v in row[1:]] for row in rows}
    shown = values(printed)
    assert found == {s: [shown[m][i] for m in header[1:]] for i, s in enumerate(SYSTEMS)}


def test_files_are_written_once_whole_or_not_at_all(command: Callable[..., Any], tmp_path: Path) -> None:
    folder = tmp_path / "new" / "demo"
    done = command("demo", "--into", folder)
    named = [line.split()[0] for line in done.out.splitlines() if line.startswith("  ")][:-2]
    assert sorted(path.name for path in folder.iterdir()) == sorted(named)
    again = command("demo", "--into", folder)
    assert (again.code, again.err) == (
        2,
        f"irmx: {folder} already exists, and nothing is overwritten. Choose another folder.\n",
    )
    assert [path.name for path in folder.parent.iterdir()] == ["demo"]
    scored = irmx.calc_aggregate("AS_DCG", folder / "judgments.csv", folder / "pages" / "bm25.csv")
    assert scored == irmx.calc_aggregate("AS_DCG", judgments_path(), block_table("bm25", "vertical", ["web"]))
    assert irmx.calc_aggregate("AP", folder / "qrels.txt", folder / "tables" / "recent.csv") == irmx.calc_aggregate(
        "AP", qrels_path(), run_path("recent")
    )
    (tmp_path / "file").touch()
    assert command("demo", "--into", tmp_path / "file" / "demo").code == 1


class ZOther(irmx.Measure):
    """A measure of somebody else."""

    NAME = "ZOther"
    PRETTY_NAME = "Somebody else's"
    SUPPORTED_PARAMS = {**irmx.COMMON_PARAMS}

    def score_topic(self, ranking: Any) -> float:
        if ranking.depth > 30:
            raise ArithmeticError("a ranking of more than 30 documents")
        return 0.5


@pytest.fixture
def other(monkeypatch: pytest.MonkeyPatch) -> type[ZOther]:
    """The measure, registered for a test."""
    registry = irmx.registry()
    monkeypatch.setitem(registry._owners, ("measures", "ZOther"), (ZOther(), "other (irmx-other 1.0)"))
    monkeypatch.setitem(ir_measures.measures.registry, "ZOther", ZOther())
    return ZOther


@pytest.mark.parametrize(("examples", "named"), [
    (("ZOther", "ZOther@10"), "The example ZOther of the measure ZOther of other (irmx-other 1.0) is left out:"),
    (("ZOther(nonsense=1)", "ZOther@10"), "The example ZOther(nonsense=1) of the measure ZOther of other"),
    (("ZOther((", "ZOther@10"), "The example ZOther(( of the measure ZOther of other"),
    ((None, "ZOther@10"), "The example None of the measure ZOther of other"),
    (17, "The example 17 of the measure ZOther of other"),
])  # fmt: skip
def test_an_example_that_fails_is_named_and_left_out(
    other: type[ZOther], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], examples: Any, named: str
) -> None:
    from irmx.cli.demo import demo

    monkeypatch.setattr(other, "EXAMPLES", examples)
    with pytest.warns(PluginWarning) as warned:
        demo()
    assert [str(w.message)[: len(named)] for w in warned] == [named]
    shown = values(capsys.readouterr().out)
    assert {"AP", "MP(model=GL_AD_ID)"} <= set(shown)
    assert [name for name in shown if "ZOther" in name] == (["ZOther@10"] if isinstance(examples, tuple) else [])


def test_measures_of_verticals_are_given_pages_and_show_one_example(
    other: type[ZOther], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from irmx.cli.demo import demo

    in_blocks = irmx.SampleValues(("web", "news"), alone=("web",))
    column = irmx.Column("run", "vertical", "where an item is from", dtype="str", sample=in_blocks)
    monkeypatch.setattr(other, "RUN_COLUMNS", (column,))
    monkeypatch.setattr(other, "EXAMPLES", ("ZOther", "ZOther@10"))
    demo()
    printed = capsys.readouterr().out
    assert values(printed)["ZOther"] == [0.5] * 3, "with more than 30 documents it fails"
    assert "ZOther@10" not in printed
    assert "Measures that read the vertical of results get the first ten results" in printed
    assert "ZOther" not in next(line for line in printed.splitlines() if "irmx eval" in line)


def test_dates_of_documents_are_no_times_of_another_origin(
    other: type[ZOther], monkeypatch: pytest.MonkeyPatch
) -> None:
    emitted = irmx.Column("run", "timestamp", "when it was emitted", unit="s, same origin as in the qrels")
    monkeypatch.setattr(other, "RUN_COLUMNS", (emitted,))
    monkeypatch.setattr(other, "EXAMPLES", ("ZOther",))
    assert "ZOther" not in map(str, demo_measures())


@pytest.mark.parametrize(("unit", "shown"), [("words", True), ("", True), ("characters", False)])
def test_a_measure_that_counts_length_in_another_unit_is_left_out(
    other: type[ZOther], monkeypatch: pytest.MonkeyPatch, unit: str, shown: bool
) -> None:
    monkeypatch.setattr(other, "RUN_COLUMNS", (irmx.Column("run", "length", "length of the document", unit=unit),))
    monkeypatch.setattr(other, "EXAMPLES", ("ZOther",))
    assert ("ZOther" in map(str, demo_measures())) is shown


def test_examples_that_need_what_it_lacks_are_not_asked_for() -> None:
    texts = [str(m) for m in demo_measures()]
    assert "MPcont(model=GL_AD_ID)" not in texts
    assert "TIA_nDCG@20" not in texts
    assert not [t for t in texts if t.startswith(("MSU", "TS_Latency"))]
