"""Spark, Ray, Dask and DuckDB score batches of whole topics as irmx scores the run, to the bit; runs in folders partitioned by Hive keys."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import distributed
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyarrow import parquet

import irmx
from irmx.demo import SYSTEMS, qrels_path, run_path

MEASURES = "AP nDCG@10 RR NCP(law=uniform) MP(model=GL_AD_ID)"
Values = dict[tuple[str, str, str], str]


def made(topics: int, documents: int) -> tuple[pa.Table, irmx.Judgments]:
    """Rows of two runs in random order, with ties, and judgments of one document in twenty, some of which no run has."""
    generator = np.random.default_rng(26)
    n = 2 * topics * documents
    row = generator.permutation(n)
    run, topic, doc = np.unravel_index(row, (2, topics, documents))
    score = generator.integers(0, 5 * documents, n) / 7
    names = [f"q{t:04}" for t in range(topics)], [f"doc-{d:05}" for d in range(documents + documents // 20)]
    rows = pa.table(
        {
            "run": pa.DictionaryArray.from_arrays(pa.array(run), ["one", "two"]).cast(pa.string()),
            "query_id": pa.DictionaryArray.from_arrays(pa.array(topic), names[0]).cast(pa.string()),
            "doc_id": pa.DictionaryArray.from_arrays(pa.array(doc), names[1]).cast(pa.string()),
            "score": score,
        }
    )
    judged = generator.random((topics, len(names[1]))) < 0.05
    of_topic, of_doc = np.nonzero(judged)
    judgments = irmx.read_qrels(
        pa.table(
            {
                "query_id": [names[0][t] for t in of_topic],
                "doc_id": [names[1][d] for d in of_doc],
                "relevance": generator.integers(0, 4, len(of_doc)),
            }
        )
    )
    return rows, judgments


def expected(rows: pa.Table, judgments: irmx.Judgments) -> Values:
    """The values of irmx, by run, topic and measure, with all digits."""
    runs = {name: rows.filter(pc.equal(rows["run"], name)).drop_columns("run") for name in ("one", "two")}
    frame = irmx.scores(MEASURES, judgments, runs).frame()
    return by_name(frame.rename(columns={"system": "run"}))


def by_name(frame: pd.DataFrame) -> Values:
    columns = (frame["run"], frame["query_id"], frame["measure"], frame["value"])
    return {(run, topic, measure): float(value).hex() for run, topic, measure, value in zip(*columns, strict=True)}


# -- Dask --------------------------------------------------------------------------------------------------------------


def test_dask_scores_arrow_batches_in_processes() -> None:
    rows, judgments = made(40, 100)
    rows = rows.sort_by([("run", "ascending"), ("query_id", "ascending")])
    batches = [rows.slice(start, 500).combine_chunks().to_batches()[0] for start in range(0, len(rows), 500)]
    score = irmx.batch_scorer(MEASURES, judgments)
    with (
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        scored = client.gather(client.map(score, batches))
    assert by_name(pa.Table.from_batches(scored).to_pandas()) == expected(rows, judgments)


# -- Spark -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A local Spark with two cores."""
    sql = pytest.importorskip("pyspark.sql", reason="needs Spark: python -m pip install pyspark")
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("Spark needs Java: apt-get install default-jre-headless")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))  # where this process has irmx from
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        builder = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
        session = builder.config("spark.sql.shuffle.partitions", "8").getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
        yield session
        session.stop()


# -- the recipes of the guide ------------------------------------------------------------------------------------------

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "other-engines.md"


def recipe(heading: str, folder: Path, **names: Any) -> Any:
    """Run the code below a heading of the guide on the files of a folder, after what is common to all; return its names."""
    sections = dict(re.findall(r"^## (.*)\n((?:(?!^## ).*\n)*)", GUIDE.read_text(encoding="utf-8"), re.MULTILINE))
    space = {"irmx": irmx, "score": irmx.batch_scorer(MEASURES, irmx.read_qrels(folder / "qrels.parquet")), **names}
    for section in ("No topic may be split", *["Spark"] * heading.startswith("Spark, "), heading):
        for code in re.findall(r"^```python\n([^>].*?)^```$", sections[section], re.MULTILINE | re.DOTALL):
            for file in ("runs.parquet", "qrels.parquet"):
                code = code.replace(file, str(folder / file))
            exec(code.replace(RECIPE_MEASURES, MEASURES), space)
    return space


RECIPE_MEASURES = "AP nDCG@10 NCP(law=uniform)"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with runs and qrels in Parquet, in random order and several row groups."""
    rows, judgments = made(40, 100)
    path = tmp_path_factory.mktemp("engines")
    parquet.write_table(rows, path / "runs.parquet", row_group_size=3000)
    cells = [(q, d, g) for q, docs in judgments.as_dict().items() for d, g in docs.items()]
    qrels = dict(zip(("query_id", "doc_id", "relevance"), map(list, zip(*cells, strict=True)), strict=True))
    parquet.write_table(pa.table(qrels), path / "qrels.parquet")
    return path


def of_irmx(folder: Path) -> Values:
    return expected(parquet.read_table(folder / "runs.parquet"), irmx.read_qrels(folder / "qrels.parquet"))


def counted(folder: Path) -> pa.Table:
    """The rows of the runs, sorted, with ``topic_rows``."""
    rows = parquet.read_table(folder / "runs.parquet").sort_by([("run", "ascending"), ("query_id", "ascending")])
    return rows.append_column("topic_rows", pa.array([100] * len(rows)))


def test_recipe_for_duckdb(folder: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="needs DuckDB: python -m pip install duckdb")
    assert by_name(recipe("DuckDB", folder, duckdb=duckdb)["scored"].to_pandas()) == of_irmx(folder)


def test_recipe_for_dask(folder: Path) -> None:
    import dask.dataframe

    space = recipe("Dask", folder, dask=dask)
    assert by_name(space["scored"].compute(scheduler="threads")) == of_irmx(folder)
    with pytest.raises(irmx.DataError, match="split"):
        space["score_frame"](counted(folder).slice(1).to_pandas())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_recipe_for_ray(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = pytest.importorskip("ray.data", reason="needs Ray: python -m pip install 'ray[data]'")
    ray = pytest.importorskip("ray")
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))  # where this process has irmx from
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        data.DataContext.get_current().enable_progress_bars = False
        space = recipe("Ray", folder, ray=ray)
        assert by_name(space["scored"].to_pandas()) == of_irmx(folder)
    finally:
        ray.shutdown()
    with pytest.raises(irmx.DataError, match="split"):
        space["score_block"](counted(folder).slice(1))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas", "ignore::ResourceWarning")
@pytest.mark.parametrize("heading", ["Spark", "Spark, with qrels that are as large as the runs"])
def test_recipes_for_spark(heading: str, folder: Path, spark: Any, tmp_path: Path) -> None:
    space = recipe(heading, folder, spark=spark)
    space["scored"].write.parquet(str(tmp_path / "scores"))
    assert by_name(parquet.read_table(tmp_path / "scores").to_pandas()) == of_irmx(folder)
    part = counted(folder).slice(1)
    qrels = parquet.read_table(folder / "qrels.parquet")
    with pytest.raises(irmx.DataError, match="split"):
        space["score_topic"](part, qrels) if "score_topic" in space else list(
            space["score_partition"](part.combine_chunks().to_batches())
        )


# -- a million lines ---------------------------------------------------------------------------------------------------


@pytest.mark.real
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas", "ignore::ResourceWarning")
def test_spark_scores_a_million_lines(spark: Any, tmp_path: Path) -> None:
    from pyspark.sql import Window
    from pyspark.sql import functions as sql

    rows, judgments = made(500, 1000)
    assert len(rows) == 10**6
    parquet.write_table(rows, tmp_path / "rows.parquet")
    score = irmx.batch_scorer(MEASURES, judgments)

    def score_partition(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        held = list(batches)
        if held:
            yield score(pa.Table.from_batches(held))

    def score_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from map(score, batches)

    topic = ["run", "query_id"]
    schema = "run string, query_id string, measure string, value double"
    read = spark.read.parquet(str(tmp_path / "rows.parquet")).repartition(*topic)
    whole = read.withColumn("topic_rows", sql.count("*").over(Window.partitionBy(*topic))).sortWithinPartitions(*topic)
    whole.mapInArrow(score_partition, schema).write.parquet(str(tmp_path / "scores"))
    scored = parquet.read_table(tmp_path / "scores").to_pandas()
    assert by_name(scored) == expected(rows, judgments)

    # a batch of mapInArrow ends within a topic
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "1500")
    with pytest.raises(Exception, match="it is split between batches"):
        whole.mapInArrow(score_batches, schema).collect()


# -- Hive partitions ---------------------------------------------------------------------------------------------------


@pytest.fixture
def partitioned(tmp_path: Path) -> Path:
    """The runs of the demo, partitioned by run, each in two parts, as Spark leaves them."""
    for system in SYSTEMS:
        folder = tmp_path / "runs" / f"run={system}"
        folder.mkdir(parents=True)
        docs = irmx.read_run(run_path(system)).as_dict()
        cells = [(q, d, s) for q, of_topic in docs.items() for d, s in of_topic.items()]
        rows = pa.table(dict(zip(("query_id", "doc_id", "score"), map(list, zip(*cells, strict=True)), strict=True)))
        for number, part in enumerate((rows.slice(0, 333), rows.slice(333))):
            parquet.write_table(part, folder / f"part-{number}.parquet")
        (folder / "_SUCCESS").touch()
    return tmp_path / "runs"


@pytest.mark.parametrize("memory", [(), ("--memory", "1MB")])
def test_a_folder_partitioned_by_run_is_many_runs(partitioned: Path, memory: tuple[str, ...], command: Any) -> None:
    measures = ("AP", "NCP(law=first)", "-q", "-o", "csv", "-p", "-1", *memory)
    files = {name: str(run_path(name)) for name in sorted(SYSTEMS)}
    scored = command("eval", str(qrels_path()), str(partitioned), *measures).out
    assert scored == command("eval", str(qrels_path()), *files.values(), *measures).out.replace(".run,", ",")
    frame = irmx.scores("AP", qrels_path(), partitioned).frame()
    pd.testing.assert_frame_equal(frame, irmx.scores("AP", qrels_path(), files).frame())


def test_a_partition_alone_is_a_run(partitioned: Path) -> None:
    one = partitioned / "run=bm25"
    assert irmx.read_run(one).as_dict() == irmx.read_run(run_path("bm25")).as_dict()
    assert irmx.calc_aggregate("AP", qrels_path(), one) == irmx.calc_aggregate("AP", qrels_path(), run_path("bm25"))
    assert list(irmx.toolkit.named_runs(one)) == ["bm25"]
    with pytest.raises(irmx.DataError, match="3 runs"):
        irmx.read_run(partitioned)


def test_partitions_by_topic_keep_their_ids(tmp_path: Path) -> None:
    """Arrow takes the digits in names of folders for integers."""
    for number, topic in itertools.product("01", ("001", "a%20b")):
        folder = tmp_path / f"run=b%2Fm{number}" / f"query_id={topic}"
        folder.mkdir(parents=True)
        parquet.write_table(pa.table({"doc_id": ["a", "b"], "score": [1.0, 2.0]}), folder / "part-0.parquet")
    scores = irmx.scores("RR", {"001": {"a": 1}, "a b": {"b": 1}}, tmp_path)
    assert scores.systems == ("b/m0", "b/m1")
    assert scores["RR"].tolist() == [[0.5, 0.5], [1.0, 1.0]]
