"""The collection of the package: what is in it, that its program makes it, and ``irmx demo`` on it."""

import importlib.util
import io
import shlex
import sys
from pathlib import Path
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
from irmx.errors import UsageError

TOP = Path(__file__).parent.parent.parent
FOLDER = qrels_path().parent
VERTICALS = {"web", "news", "blog", "image", "video"}


# -- the files ---------------------------------------------------------------------------------------------


def test_its_program_makes_it_and_another_seed_makes_another() -> None:
    spec = importlib.util.spec_from_file_location("make_demo_collection", TOP / "docs" / "make_demo_collection.py")
    assert spec is not None
    assert spec.loader is not None
    program = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    made = program.files()
    assert made == {p.name: p.read_text(encoding="utf-8") for p in FOLDER.iterdir() if p.suffix not in (".py", "")}
    assert sum(map(len, made.values())) < 600_000
    assert program.files(seed=1)["documents.jsonl"] != made["documents.jsonl"]


def test_documents_and_topics() -> None:
    table = documents()
    assert len(table) == table["doc_id"].nunique() == 300
    assert str(pd.to_datetime(table["date"]).dt.tz) == "UTC"
    assert set(table["vertical"]) == VERTICALS
    asked = topics()
    assert asked["query_id"].tolist() == [str(n) for n in range(1, 31)]
    assert asked["subtopics"].map(len).between(2, 4).all()
    assert all(set(o) == VERTICALS and o["web"] == 0.5 for o in asked["orientation"])


def test_the_judgments_of_subtopics_are_those_of_the_qrels() -> None:
    rows = pd.read_csv(judgments_path(), dtype={"query_id": str, "iteration": str}).dropna(subset="doc_id")
    largest = rows.groupby(["query_id", "doc_id"])["relevance"].max()
    plain = {(q.query_id, q.doc_id): q.relevance for q in ir_measures.read_trec_qrels(str(qrels_path()))}
    assert largest.to_dict() == plain
    subtopics = topics().set_index("query_id")["subtopics"]
    for (query, _), found in rows.groupby(["query_id", "doc_id"]):
        assert sorted(found["iteration"]) == sorted(subtopics[query])


@pytest.mark.parametrize("system", SYSTEMS)
def test_runs_are_ranked_and_of_the_collection(system: str) -> None:
    run = run_table(system)
    assert set(run["query_id"]) == set(topics()["query_id"])
    docs = documents().set_index("doc_id").loc[run["doc_id"]]
    rows = [tuple(row) for row in run[["query_id", "doc_id", "score"]].itertuples(index=False)]
    assert rows == [tuple(row) for row in ir_measures.read_trec_run(str(run_path(system)))]
    assert run["vertical"].tolist() == docs["vertical"].tolist()
    assert run["length"].tolist() == [len(text.split()) for text in docs["text"]]


def test_retrieval_is_neither_trivial_nor_hopeless_and_systems_differ() -> None:
    means = [next(iter(irmx.calc_aggregate("nDCG@10", qrels_path(), run_path(s)).values())) for s in SYSTEMS]
    assert 0.8 > means[0] > means[1] > means[2] > 0.2
    with pytest.raises(UsageError, match="bm25, titles, recent"):
        run_path("bm52")


# -- the command -------------------------------------------------------------------------------------------


def values(printed: str) -> dict[str, list[float]]:
    """The values of the table of ``irmx demo`` by measure."""
    rows = [line.split() for line in printed.splitlines() if len(line.split()) == len(SYSTEMS) + 1]
    return {name: [float(v) for v in found] for name, *found in rows if name != "measure"}


def test_it_says_which_system_is_better_and_what_to_type_next(command: Any, tmp_path: Path) -> None:
    done = command("demo")
    assert (done.code, done.err) == (0, "")
    assert len(done.out.splitlines()) <= 16
    shown = values(done.out)
    assert len(shown) == 4
    comparison = irmx.compare(list(shown), qrels_path(), {system: run_path(system) for system in SYSTEMS})
    assert comparison.headline() in " ".join(done.out.split())
    write, line = [x.strip() for x in done.out.splitlines() if x.startswith("  irmx ")]
    assert command(*shlex.split(write.partition(" && ")[0])[1:]).code == 0
    means = command(*shlex.split(line)[1:], "-o", "csv", "--table", "systems", "-p", "4", cwd=tmp_path / "demo").out
    found = pd.read_csv(io.StringIO(means))
    for name, numbers in shown.items():
        assert found[found["measure"] == name].set_index("system")["mean"].to_dict() == {
            f"{system}.run": value for system, value in zip(SYSTEMS, numbers, strict=True)
        }


def test_it_shows_existing_and_new_measures_and_the_commands_that_it_suggests_give_the_same(
    command: Any, tmp_path: Path
) -> None:
    done = command("demo", "--all")
    assert (done.code, done.err) == (0, "")
    shown = values(done.out)
    assert set(shown) == {str(m) for m in demo_measures()}
    assert {"AP", "nDCG@10", "MP(model=GL_AD_ID)", "NCP(law=uniform)", "TIA_nDCG(window='1mo')@20"} <= set(shown)
    lacking = ("MPcont", "TIA_nDCG@20", "MSU", "TS_Latency")  # measures of what the demo lacks
    assert not [name for name in shown if name.startswith(lacking)]
    of_pages = [name for name in shown if name.startswith(("AS", "v"))]
    of_rankings = [name for name in shown if name not in of_pages]
    for i, system in enumerate(SYSTEMS):
        means = {
            **irmx.calc_aggregate(of_rankings, judgments_path(), run_table(system)),
            **irmx.calc_aggregate(of_pages, judgments_path(), block_table(system, "vertical", ["web"])),
        }
        found = {str(measure): value for measure, value in means.items()}
        assert found == pytest.approx({name: shown[name][i] for name in shown}, abs=0.5e-4 + 1e-12)
    write, line = [x.strip() for x in done.out.splitlines() if x.startswith("  irmx ")]
    assert write.endswith(" && cd demo")
    assert command(*shlex.split(write.partition(" && ")[0])[1:]).code == 0
    printed = command(*shlex.split(line)[1:], cwd=tmp_path / "demo").out
    header, *rows = (x.split("\t") for x in printed.splitlines())
    rounded = {row[0].removesuffix(".run"): [float(v) for v in row[1:]] for row in rows}
    assert rounded == {s: [shown[m][i] for m in header[1:]] for i, s in enumerate(SYSTEMS)}


def test_files_are_written_once_whole_or_not_at_all(command: Any, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "demo"
    done = command("demo", "--into", folder)
    named = [line.split()[0] for line in done.out.splitlines() if line.startswith("  ")][:-2]
    assert sorted(path.name for path in folder.iterdir()) == sorted(named)
    command("demo", "--into", folder).assert_refused(2, f"{folder} already exists")
    assert [path.name for path in folder.parent.iterdir()] == ["demo"]
    scored = irmx.calc_aggregate("AS_DCG", folder / "judgments.csv", folder / "pages" / "bm25.csv")
    assert scored == irmx.calc_aggregate("AS_DCG", judgments_path(), block_table("bm25", "vertical", ["web"]))
    of_files = irmx.calc_aggregate("AP", folder / "qrels.txt", folder / "tables" / "recent.csv")
    assert of_files == irmx.calc_aggregate("AP", qrels_path(), run_path("recent"))
    (tmp_path / "file").touch()
    assert command("demo", "--into", tmp_path / "file" / "demo").code == 1


class ZOther(irmx.Measure):
    """A measure of somebody else."""

    NAME = "ZOther"
    PRETTY_NAME = "Somebody else's"
    EXAMPLES = ("ZOther",)
    SUPPORTED_PARAMS = {**irmx.COMMON_PARAMS}

    def score_topic(self, ranking: Any) -> float:
        if ranking.depth > 30:
            raise ArithmeticError("a ranking of more than 30 documents")
        return 0.5


@pytest.fixture
def other(monkeypatch: pytest.MonkeyPatch) -> type[ZOther]:
    """The measure, registered for a test."""
    monkeypatch.setitem(irmx.registry()._owners["measures"], "ZOther", (ZOther(), "other (irmx-other 1.0)"))
    monkeypatch.setitem(ir_measures.measures.registry, "ZOther", ZOther())
    return ZOther


@pytest.mark.parametrize(
    "examples",
    [("ZOther", "ZOther@10"), ("ZOther(nonsense=1)", "ZOther@10"), ("ZOther((", "ZOther@10"), (None, "ZOther@10"), 17],
)
def test_an_example_that_fails_is_named_and_left_out(examples: Any, other: Any, monkeypatch: Any, command: Any) -> None:
    monkeypatch.setattr(other, "EXAMPLES", examples)
    bad = examples[0] if isinstance(examples, tuple) else examples
    done = command("demo", "--all")
    shown = values(done.out)
    assert done.err.startswith(f"irmx: The example {bad} of the measure ZOther of other (irmx-other 1.0) ")
    assert done.err.count("The example") == 1
    names = [name for name in shown if name.startswith(("ZOther", "AP"))]
    assert names == ["AP", *["ZOther@10"] * isinstance(examples, tuple)]


SOURCES = irmx.SampleValues(("web", "news"), alone=("web",))
IN_BLOCKS = irmx.Column("run", "vertical", "its source", dtype="str", sample=SOURCES)


def test_measures_of_verticals_are_given_pages_and_show_one_example(other: Any, monkeypatch: Any, command: Any) -> None:
    monkeypatch.setattr(other, "RUN_COLUMNS", (IN_BLOCKS,))
    monkeypatch.setattr(other, "EXAMPLES", ("ZOther", "ZOther@10"))
    printed = command("demo", "--all").out
    assert values(printed)["ZOther"] == [0.5] * 3, "with more than 30 documents it fails"
    assert "ZOther@10" not in printed
    assert "ZOther" not in next(line for line in printed.splitlines() if "irmx eval" in line)


@pytest.mark.parametrize(
    ("name", "unit", "shown"),
    [
        ("length", "words", True),
        ("length", "", True),
        ("length", "characters", False),
        ("timestamp", "s, same origin as in the qrels", False),
    ],
)
def test_a_measure_that_counts_in_another_unit_is_left_out(
    name: str, unit: str, shown: bool, other: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(other, "RUN_COLUMNS", (irmx.Column("run", name, "of the document", unit=unit),))
    assert ("ZOther" in map(str, demo_measures())) is shown
