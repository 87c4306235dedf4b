"""Rankings and judgments of platforms: what each format gives, and what cannot be read."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import irmx
from irmx import DataError, DataWarning

Write = Callable[..., str]


def qrels_of(path: str) -> dict[str, dict[str, float]]:
    return {str(topic): dict(docs) for topic, docs in irmx.read_qrels(path).as_dict().items()}


MTEB = {"mteb_model_meta": {"model_name": "m"}, "default": {"test": {"q1": {"d1": 0.9, "d2": 1}, "q2": {"d2": 0.5}}}}


@pytest.mark.parametrize("indent", [None, 2])
def test_predictions_of_mteb(write: Write, indent: int | None) -> None:
    assert irmx.read_run(write(MTEB, indent=indent)).as_dict() == {"q1": {"d1": 0.9, "d2": 1.0}, "q2": {"d2": 0.5}}
    several = {**MTEB, "default": {**MTEB["default"], "dev": {"q9": {"d9": 1}}}, "de": {"test": {"q3": {"d3": 1}}}}
    path = write(several)
    with pytest.raises(
        DataError, match=r"There are 2 subsets\. Choose one of default, de: 'mteb\(subset=default\):FILE'"
    ):
        irmx.read_run(path)
    assert irmx.read_run(f"mteb(subset=default,split=dev):{path}").topics == ["q9"]
    assert irmx.read_run(f"mteb(subset=de):{path}").topics == ["q3"]
    with pytest.raises(DataError, match="There is no split 'tst'"):
        irmx.read_run(f"mteb(subset=de,split=tst):{path}")


def hits(*pairs: tuple[str, float | None]) -> dict[str, Any]:
    return {"hits": [{"hit": {"_id": doc, "_score": score}, "rating": None} for doc, score in pairs]}


def test_rank_eval(write: Write) -> None:
    response = {
        "metric_score": 0.5,
        "details": {
            "q1": hits(("a", 3.5), ("b", 1)),
            "q2": hits(("c", None), ("a", None)),
            "q3": hits(("b", 1), ("c", 1)),
        },
    }
    expected = {"q1": {"a": 3.5, "b": 1.0}, "q2": {"c": 2.0, "a": 1.0}, "q3": {"b": 2.0, "c": 1.0}}
    for document in (response, {"rank_eval": response}):
        assert irmx.read_run(write(document, indent=1)).as_dict() == expected
    request = {
        "requests": [{"id": "q1", "ratings": [{"_id": "a", "rating": 3}, {"_id": "b", "rating": "0"}]}],
        "metric": {},
    }
    assert qrels_of(write(request)) == {"q1": {"a": 3, "b": 0}}


def test_opensearch(write: Write) -> None:
    judgments = {
        "name": "j",
        "judgmentRatings": [
            {"query": "red shoes", "ratings": [{"rating": "0.7", "docId": "B1"}, {"rating": 1, "docId": 2}]}
        ],
    }
    assert qrels_of(write(judgments)) == {"red shoes": {"B1": 0.7, "2": 1}}
    one = {"id": "e", "searchConfigurationId": "c1", "searchText": "red shoes", "documentIds": ["B2", "B1"]}
    assert irmx.read_run(write(one)).as_dict() == {"red shoes": {"B2": 2.0, "B1": 1.0}}
    results = {
        "searchConfigurationList": ["c1"],
        "evaluationResultList": [{"searchText": "a", "documentIds": ["x"]}, {"searchText": "b", "documentIds": ["y"]}],
    }
    assert irmx.read_run(write(results)).topics == ["a", "b"]
    pairwise = {"searchConfigurationList": ["c1", "c2"], "results": [
        {"queryText": "a", "snapshots": [{"searchConfigurationId": "c1", "docIds": ["x", "y"]}, {"searchConfigurationId": "c2", "docIds": ["y"]}]},
    ]}  # fmt: skip
    path = write(pairwise)
    with pytest.raises(DataError, match=r"There are 2 configurations\. Choose one of c1, c2"):
        irmx.read_run(path)
    assert irmx.read_run(f"opensearch(configuration=c2):{path}").as_dict() == {"a": {"y": 1.0}}


def test_quepid(write: Write) -> None:
    for header in ("query,docid,rating", "query,doc_id,rating"):
        assert qrels_of(write(f'{header}\nstar wars,1,2\nstar wars,2,0\n"a, b",,\nstar wars,3,\n', "basic.csv")) == {
            "star wars": {"1": 2, "2": 0}
        }
    detailed = 'Team Name,Case Name,Query Text,Doc ID,Doc Position,Title,Rating\nt,c,q,5,2,"two\nlines",1\nt,c,q,4,1,x,\nt,c, =q,6,1,x,3\n'
    assert qrels_of(write(detailed, "detailed.csv")) == {"q": {"5": 1}, "=q": {"6": 3}}
    assert irmx.read_run(write(detailed, "detailed.csv")).as_dict() == {"q": {"5": -2.0, "4": -1.0}, "=q": {"6": -1.0}}
    snapshots = "Snapshot Name,Query Text,Doc ID,Doc Position\none,q,1,1\ntwo,q,2,1\n"
    path = write(snapshots, "snapshots.csv")
    with pytest.raises(DataError, match="has 2 snapshots: one, two"):
        irmx.read_run(path)
    assert irmx.read_run(f"quepid(snapshot=two):{path}").as_dict() == {"q": {"2": -1.0}}
    case = {
        "case_name": "c",
        "queries": [
            {"query_text": "q", "ratings": [{"doc_id": "1", "rating": 2}, {"doc_id": "2", "rating": None}]},
            {"query_text": "none"},
        ],
    }
    assert qrels_of(write(case)) == {"q": {"1": 2}}


def test_ubi(write: Write) -> None:
    def query(id: str, words: str, docs: list[Any] | None) -> dict[str, Any]:
        return {"query_id": id, "user_query": words, "client_id": "c"} | (
            {} if docs is None else {"query_response_hit_ids": docs}
        )

    action, event = {"index": {"_index": "ubi_queries", "_id": "1"}}, {"action_name": "click", "query_id": "a"}
    queries = [query("a", "red shoes", []), query("a", "red shoes", ["d2", 1]), query("b", "hats", ["d1"])]
    bulk = "\n".join(json.dumps(line) for one in [*queries, event] for line in (action, one)) + "\n"
    expected = {"a": {"d2": 2.0, "1": 1.0}, "b": {"d1": 1.0}}
    plain = "\n".join(json.dumps({"_index": "ubi_queries", "_source": one}) for one in queries)
    for content in (bulk, plain):
        assert irmx.read_run(write(content, "ubi.ndjson")).as_dict() == expected
    again = [*queries, query("c", " red  shoes", ["d9"]), query("d", "socks", None)]
    path = write("\n".join(map(json.dumps, again)), "ubi.ndjson")
    with pytest.warns(DataWarning) as told:
        assert list(irmx.read_run(f"ubi(topic=query):{path}").as_dict()["red shoes"]) == ["d2", "1"]
    assert [re.sub(".*ubi.ndjson: ", "", str(one.message)) for one in told] == [
        "no documents are recorded of 1 topic, such as 'socks'; left out.",
        "1 further list of documents of the same text left out.",
    ]


def test_ms_marco_and_ranx(write: Write, tmp_path: Path) -> None:
    assert irmx.read_run(write("q1\td1\t1\nq1\td3\t2\n\nq2\td1\t1\n", "run.tsv")).as_dict() == {
        "q1": {"d1": -1.0, "d3": -2.0},
        "q2": {"d1": -1.0},
    }
    frame = pd.DataFrame({"q_id": ["q", "q"], "doc_id": ["a", "b"], "score": [2, 1]})
    frame.to_parquet(tmp_path / "ranx.parquet")
    assert irmx.read_run(tmp_path / "ranx.parquet").as_dict() == {"q": {"a": 2.0, "b": 1.0}}
    assert qrels_of(str(tmp_path / "ranx.parquet")) == {"q": {"a": 2, "b": 1}}


def test_predictions_of_sentence_transformers(write: Write) -> None:
    lists = {"q1": [("d1", 0.9), ("d2", 0.5)], "q2": [("d3", 0.5), ("d1", 0.5)], "q3": []}
    lines = [
        {"query_id": query, "query": "what", "results": [{"corpus_id": doc, "score": score} for doc, score in found]}
        for query, found in lists.items()
    ]
    path = write("".join(f"{json.dumps(line)}\n" for line in lines), "predictions.jsonl")
    assert irmx.read_run(path).as_dict() == {"q1": {"d1": 0.9, "d2": 0.5}, "q2": {"d3": 2.0, "d1": 1.0}}
    first_empty = write("".join(f"{json.dumps(line)}\n" for line in lines[::-1]), "p.jsonl")
    assert set(irmx.read_run(first_empty).topics) == {"q1", "q2"}
    with pytest.raises(
        DataError, match="line 2: This line cannot be read as sentence_transformers: it lacks 'results'"
    ):
        irmx.read_run(write(f"{json.dumps(lines[0])}\n" + '{"query_id": "q"}\n', "lacking.jsonl"))


def lz4(content: bytes) -> bytes:
    out = pa.BufferOutputStream()
    with pa.CompressedOutputStream(out, "lz4") as stream:
        stream.write(content)
    return bytes(out.getvalue())


def test_a_run_that_ranx_saved_as_lz4(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cbor2 = pytest.importorskip("cbor2")
    run, path = {"q1": {"d1": 0.5, "d2": 0.25}, "7": {"d3": 1.0}}, tmp_path / "run.lz4"
    path.write_bytes(lz4(lz4(cbor2.dumps(run))))
    assert irmx.read_run(path).as_dict() == run
    written = lz4(cbor2.dumps(run))
    for damaged in (
        lz4(written[:-9]),
        lz4(lz4(b"\xff" * 9)),
        lz4(lz4(cbor2.dumps([1]))),
        lz4(lz4(cbor2.dumps({"q": {"d": "x"}}))),
    ):
        path.write_bytes(damaged)
        with pytest.raises(DataError, match=r"run\.lz4"):
            irmx.read_run(path)
    path.write_bytes(lz4(lz4(bytes(200_000_000))))  # 3 kB
    with pytest.raises(DataError, match="when it is decompressed"):
        irmx.read_run(path)
    path.write_bytes(lz4(written))
    monkeypatch.setitem(sys.modules, "cbor2", None)
    with pytest.raises(DataError, match=r"ranx .* pip install cbor2"):
        irmx.read_run(path)


def test_any_file_may_be_compressed_with_lz4(tmp_path: Path) -> None:
    (tmp_path / "run.txt.lz4").write_bytes(lz4(b"q Q0 d 1 0.5 t\n"))
    assert irmx.read_run(tmp_path / "run.txt.lz4").as_dict() == {"q": {"d": 0.5}}


FAULTS: dict[str, tuple[str, str, str]] = {
    "not JSON": ("run", '{"mteb_model_meta": {}, ', "is not the JSON of mteb"),
    "too deep": ("run", '{"metric_score": 1, "details": ' + "[" * 100_000, "is not the JSON of rank_eval"),
    "a score that is none": ("run", '{"mteb_model_meta": {}, "a": {"b": {"q": {"d": "high"}}}}', "the rating of 'd' for 'q' must be a number. Got 'high'"),
    "no scores": ("run", '{"mteb_model_meta": {}, "a": {"b": 5}}', "cannot be read as mteb"),
    "nothing": ("run", '{"mteb_model_meta": {}, "a": {"b": {}}}', "has no ranking in the form of mteb"),
    "no details": ("run", '{"metric_score": 1}', "cannot be read as rank_eval: it lacks 'details'"),
    "no hits of a request": ("run", '{"metric_score": 1, "details": {"q": {"hits": [3]}}}', "cannot be read as rank_eval"),
    "no id": ("run", '{"metric_score": 1, "details": {"q": {"hits": [{"hit": {"_id": null}}]}}}', "an id must be a text or a whole number. Got None"),
    "a rating that is none": ("qrels", '{"judgmentRatings": [{"query": "q", "ratings": [{"docId": "d", "rating": "good"}]}]}', "Got 'good'"),
    "a huge rating": ("qrels", '{"judgmentRatings": [{"query": "q", "ratings": [{"docId": "d", "rating": 1%s}]}]}' % ("0" * 400), "must be a number"),
    "no query": ("qrels", '{"judgmentRatings": [{"ratings": []}]}', "it lacks 'query'|has no judgment"),
    "a case without queries": ("qrels", '{"case_name": "c"}', "it lacks 'queries'"),
    "a position that is none": ("run", "Query Text,Doc ID,Doc Position\nq,1,first\n", "line 2: 'first' for '1'"),
    "no documents": ("run", "Query Text,Doc ID,Doc Position\nq,,\n", "has no ranked document"),
    "no hits": ("run", '{"query_id": "a", "user_query": "b", "query_response_hit_ids": []}', "has no query with documents"),
    "hits that are none": ("run", '{"query_id": "a", "query_response_hit_ids": [null]}', "line 1: This cannot be read as a query of UBI"),
    "no id of a query": ("run", '{"user_query": "b", "query_response_hit_ids": ["d"]}', "it lacks 'query_id'"),
    "a line that is no query": ("run", '{"query_id": "a", "query_response_hit_ids": ["d"]}\n[1]', "line 2: This cannot be read"),
    "a line of four": ("run", "q1\td1\t1\nq1\td2\t2\t5\n", "line 2: A line of a run of MS MARCO"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_what_cannot_be_read_is_told(write: Write, fault: str) -> None:
    table, content, said = FAULTS[fault]
    with pytest.raises(DataError, match=said):
        (irmx.read_run if table == "run" else irmx.read_qrels)(write(content))


def test_scores_in_the_place_of_ranks_of_ms_marco_are_told(write: Write) -> None:
    with pytest.warns(DataWarning, match="begin at 1"):
        assert irmx.read_run(write("q d1 9\nq d2 8\n", "run.tsv")).as_dict() == {"q": {"d1": -9, "d2": -8}}


def test_ordinary_files_are_not_taken_for_those_of_platforms(write: Write) -> None:
    assert irmx.read_run(write({"case_name": {"d": 1.0}})).as_dict() == {"case_name": {"d": 1.0}}
    assert irmx.read_run(write("query_id,doc_id,score\nq,d,1\n", "a.csv")).topics == ["q"]
    assert qrels_of(write("q 0 d 1\n", "qrels")) == {"q": {"d": 1}}
    with pytest.raises(DataError):
        irmx.read_run(write("q d\n", "run"))


@pytest.mark.real
@pytest.mark.parametrize(
    ("table", "name", "topics", "rows"),
    [
        ("run", "constructed/msmarco/run.tsv", 2, 3),
        ("run", "constructed/mteb_predictions/ToyRetrieval_predictions.json", 2, 4),
        ("run", "constructed/rank_eval/response.json", 1, 2),
        ("run", "opensearch_search_relevance/evaluation_result_test_document.json", 1, 1),
        ("run", "opensearch_search_relevance/movies_experiment_pointwise.json", 2, 25),
        ("run", "quepid/static_queryset.csv", 1, 3),
        ("run", "ranx/run.parquet", 2, 5),
        ("run", "ranx/run.lz4", 2, 5),
        ("qrels", "ranx/qrels.parquet", 2, 5),
        ("qrels", "opensearch_search_relevance/ImportJudgments.json", 4, 40),
        ("qrels", "constructed/quepid/basic.csv", 1, 2),
        ("qrels", "quepid/case_export_movie_search.json", 2, 8),
        ("qrels", "constructed/rank_eval/request.json", 1, 2),
    ],
)
def test_files_of_platforms(table: str, name: str, topics: int, rows: int, platforms: Path) -> None:
    read: Any = (irmx.read_run if table == "run" else irmx.read_qrels)(platforms / name)
    assert (len(read.topics), len(read)) == (topics, rows)


@pytest.mark.real
def test_a_file_of_ubi(platforms: Path) -> None:
    path = platforms / "ubi" / "ubi_queries_events.ndjson"
    with pytest.warns(DataWarning, match="no documents are recorded of 12 topics"):
        run = irmx.read_run(path)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    lists = {line["query_id"]: line["query_response_hit_ids"] for line in lines if line.get("query_response_hit_ids")}
    assert {topic: list(docs) for topic, docs in run.as_dict().items()} == lists
