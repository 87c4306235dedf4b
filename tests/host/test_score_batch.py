"""Batches of a run are scored as the run is, by a function that other engines call, and never from parts of a topic."""

import itertools
import pickle
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import irmx
from irmx import DataError
from irmx.demo import SYSTEMS, qrels_path, run_path

MEASURES = "AP nDCG@10 NCP(law=first) Judged@5 P(rel=2)@5 MP(model=GL_AD_ID,no_relevant='nan')"


@pytest.fixture(scope="module")
def rows() -> pa.Table:
    """The runs of the demo, sorted by run and topic."""
    tables = []
    for system in SYSTEMS:
        run = irmx.read_run(run_path(system)).as_dict()
        cells = [(system, q, d, s, len(docs)) for q, docs in run.items() for d, s in docs.items()]
        names = ("run", "query_id", "doc_id", "score", "topic_rows")
        tables.append(pa.table(dict(zip(names, map(list, zip(*cells, strict=True)), strict=True))))
    return pa.concat_tables(tables)


def batches_of(rows: pa.Table, topics: int) -> list[pa.RecordBatch]:
    """The rows in batches of so many topics of a run."""
    topic = list(zip(rows["run"].to_pylist(), rows["query_id"].to_pylist(), strict=True))
    starts = [*[i for i in range(len(topic)) if i == 0 or topic[i] != topic[i - 1]][::topics], len(topic)]
    slices = [rows.slice(a, b - a).combine_chunks() for a, b in itertools.pairwise(starts)]
    return [part.to_batches()[0] for part in slices]


@pytest.mark.parametrize("topics", [1, 7, 1000])
def test_values_are_those_of_whole_runs_to_the_bit(rows: pa.Table, topics: int) -> None:
    judgments = irmx.read_qrels(qrels_path())
    score = pickle.loads(pickle.dumps(irmx.batch_scorer(MEASURES, judgments)))
    found = {
        (one["run"], one["query_id"], one["measure"]): one["value"]
        for batch in batches_of(rows, topics)
        for one in score(batch).to_pylist()
    }
    expected = {}
    for system in SYSTEMS:
        retrieved = set(irmx.read_run(run_path(system)).topics)
        for metric in irmx.iter_calc(MEASURES, judgments, run_path(system)):
            if metric.query_id in retrieved:
                expected[system, metric.query_id, str(metric.measure)] = metric.value
    assert found.keys() == expected.keys()
    assert [value.hex() for value in found.values()] == [expected[key].hex() for key in found]


def of_rows(*rows: tuple[Any, ...], **more: list[Any]) -> pa.RecordBatch:
    query_ids, doc_ids, scores = map(list, zip(*rows, strict=True))
    return pa.RecordBatch.from_pydict({"query_id": query_ids, "doc_id": doc_ids, "score": scores, **more})


ROWS = (("q", "a", 2.0), ("q", "b", 1.0), ("r", "a", 1.0))
QRELS = {"q": {"b": 1}, "r": {"a": 1}, "s": {"a": 1}}


def test_one_row_per_topic_of_both_and_measure() -> None:
    scored = irmx.batch_scorer(["RR", "P@1"], QRELS)(of_rows(*ROWS, ("t", "a", 1.0)))
    assert scored.schema.names == ["query_id", "measure", "value"]
    rows = list(zip(*scored.to_pydict().values(), strict=True))
    assert rows == [("q", "RR", 0.5), ("q", "P@1", 0.0), ("r", "RR", 1.0), ("r", "P@1", 1.0)]
    assert len(irmx.batch_scorer("RR", {"s": {"a": 1}})(of_rows(*ROWS))) == 0
    assert len(irmx.batch_scorer("RR", QRELS)(of_rows(*ROWS).slice(0, 0))) == 0


@pytest.mark.parametrize(
    ("batch", "says"),
    [
        (of_rows(*ROWS, ("q", "c", 0.5)), "row 3"),
        (of_rows(*ROWS, topic_rows=[3, 3, 1]), "'q' has 2 rows"),
        (of_rows(*ROWS, topic_rows=[2, 2, 5]), "'r' has 1 row"),
        (of_rows(*ROWS, run=["x", None, "x"]), "'run'"),
        (of_rows(*ROWS, ("r", "a", 0.5)), "more than once"),
        (pa.RecordBatch.from_pydict({"query_id": ["q"], "score": [1.0]}), "doc_id"),
    ],
)
def test_what_is_no_whole_topic_is_refused(batch: pa.RecordBatch, says: str) -> None:
    with pytest.raises(DataError, match=says):
        irmx.batch_scorer("RR", QRELS)(batch)


def test_rows_of_runs_may_be_mixed_by_topic() -> None:
    rows = (("q", "b", 1.0), ("q", "b", 1.0), ("r", "b", 1.0), ("r", "a", 1.0))
    scored = irmx.batch_scorer("RR", QRELS)(of_rows(*rows, run=["x", "y", "x", "y"], topic_rows=[1, 1, 1, 1]))
    assert scored.to_pydict()["run"] == ["x", "x", "y", "y"]
    assert scored.to_pydict()["value"] == [1.0, 0.0, 1.0, 1.0]


# -- with the qrels of the topics of a batch ---------------------------------------------------------------


@pytest.mark.parametrize("topics", [1, 7])
def test_the_qrels_of_the_topics_of_a_batch_suffice(rows: pa.Table, topics: int) -> None:
    qrels = irmx.read_qrels(qrels_path())
    cells = [(q, d, g) for q, docs in qrels.as_dict().items() for d, g in docs.items()]
    table = pa.table(dict(zip(("qid", "docno", "label"), map(list, zip(*cells, strict=True)), strict=True)))
    score, whole = pickle.loads(pickle.dumps(irmx.batch_scorer(MEASURES))), irmx.batch_scorer(MEASURES, qrels)
    for batch in batches_of(rows, topics):
        judged = table.filter(pc.is_in(table["qid"], batch["query_id"]))
        assert score(batch, judged).equals(whole(batch))
        assert score(batch.slice(0, 0), judged).equals(whole(batch.slice(0, 0)))
        assert score(batch, judged.slice(0, 0)).equals(score(batch.slice(0, 0), judged))


def test_measures_for_which_all_topics_matter_need_all_qrels() -> None:
    """RBP without rel divides the grades by the largest one of all topics."""
    with pytest.raises(DataError, match=r"RBP.*all topics"):
        irmx.batch_scorer("AP RBP")
    assert len(irmx.batch_scorer("AP RBP(rel=1)")(of_rows(*ROWS), {"q": {"b": 1}})) == 2
    score = irmx.batch_scorer("TIA_ERR(stop='graded',window='1mo')")  # whose columns are known with the first batch
    day = {"query_id": ["q"], "doc_id": ["b"], "relevance": [1], "iteration": ["1"], "timestamp": [0]}
    with pytest.raises(DataError, match=r"TIA_ERR.*all topics"):
        score(of_rows(*ROWS), pa.table(day))


def test_qrels_are_given_once() -> None:
    with pytest.raises(irmx.UsageError, match="qrels"):
        irmx.batch_scorer("AP")(of_rows(*ROWS))
    with pytest.raises(irmx.UsageError, match="qrels"):
        irmx.batch_scorer("AP", QRELS)(of_rows(*ROWS), QRELS)


# -- made once ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measures", "qrels", "error", "says"),
    [
        ("nDGC@10", QRELS, irmx.UsageError, "Did you mean nDCG"),
        ("AP", {"q": {"a": "x"}}, DataError, "finite number"),
        ("IA_nDCG@20", QRELS, DataError, "is missing"),
    ],
)
def test_mistakes_are_found_when_it_is_made(measures: str, qrels: Any, error: Any, says: str) -> None:
    with pytest.raises(error, match=says):
        irmx.batch_scorer(measures, qrels)


MADE: list[str] = []


class Prepares(irmx.Measure):
    """A measure that makes something of the qrels."""

    NAME = "Prepares"

    def score(self, rankings: irmx.Rankings) -> Any:
        rankings.qrels_memo("something", lambda: MADE.append("something"))
        return rankings.relevant.count


def test_each_process_prepares_itself_once() -> None:
    sent = pickle.dumps(irmx.batch_scorer(Prepares(), QRELS))
    MADE.clear()
    for _ in range(3):  # tasks, each of which gets the function anew
        assert pickle.loads(sent)(of_rows(*ROWS)).column("value").to_pylist() == [1.0, 1.0]
    assert len(MADE) == 1
