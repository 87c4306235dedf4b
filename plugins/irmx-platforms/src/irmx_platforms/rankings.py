"""Rankings and judgments as evaluation platforms write them: MTEB, MS MARCO, OpenSearch, Quepid, UBI, ranx and others."""

from __future__ import annotations

import io
import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irmx import DataError, Format, Param
from irmx.toolkit import decompressed_limit, list_some, plural, too_large
from irmx_platforms.decoding import Json, decoded, number, parsed, text, texts, understanding, warn
from irmx_platforms.results import MEASURE, Value, chosen, json_lines, table_of_values

if TYPE_CHECKING:
    import pyarrow as pa

Row = tuple[str, str, float]
"""A query, a document, and its score or grade."""


def table_of(table: str, rows: Iterable[Row]) -> pa.Table:
    """Return rows as a run or qrels."""
    import pyarrow as pa

    rows = list(rows)
    queries, docs, values = zip(*rows, strict=True) if rows else ((), (), ())
    value = "score" if table == "run" else "relevance"
    return pa.table({"query_id": texts(queries), "doc_id": texts(docs), value: pa.array(values, pa.float64())})


def in_order(query: Any, docs: Sequence[Any], scores: Sequence[Any] = ()) -> Iterator[Row]:
    """Yield a list of documents as a ranking."""
    numbers = falling([number(score) for score in scores or [None] * len(docs)])
    yield from zip([text(query)] * len(docs), map(text, docs), numbers, strict=True)


def falling(scores: Sequence[float]) -> list[float]:
    """Return scores that rank a list in its order: its own if they fall, as trec_eval compares them, otherwise numbers that do."""
    import numpy as np

    with np.errstate(over="ignore"):
        single = np.array(scores, dtype=float).astype(np.float32)
    if np.isfinite(single).all() and (single[1:] < single[:-1]).all():
        return list(scores)
    return [float(len(scores) - i) for i in range(len(scores))]


def grade(value: Any, query: Any, doc: Any) -> float:
    """Return a grade; raise if it is no number."""
    found = number(value)
    if not math.isfinite(found):
        raise ValueError(f"the rating of {doc!r} for {query!r} must be a number. Got {value!r}")
    return found


def keys(*names: str) -> tuple[bytes, ...]:
    """Return the signs of a JSON object whose beginning has one of some keys."""
    return rb"\{", f'"(?:{"|".join(names)})"\\s*:'.encode()


class _JsonFormat(Format):
    """A format that is one JSON object."""

    def read(self, table: str, path: Path, content: bytes) -> pa.Table:
        """Return the rankings, judgments or scores of a file."""
        document = parsed(path, content, self.NAME)
        if table == "scores":
            return table_of_values(self, path, self.values(path, document))
        try:
            with understanding(str(path), self.NAME):
                rows = list(self.rows(table, document))
        except DataError as error:
            raise error.at(str(path)) from None
        if not rows:
            raise DataError(f"{path} has no {'ranking' if table == 'run' else 'judgment'} in the form of {self.NAME}.")
        return table_of(table, rows)

    @abstractmethod
    def rows(self, table: str, document: Json) -> Iterator[Row]:
        """Yield the rows of a document."""

    def values(self, path: Path, document: Json) -> Iterator[Value]:
        """Yield the values of a document by topic; only for formats that hold scores."""
        raise NotImplementedError


class Mteb(_JsonFormat):
    """Predictions of MTEB: the scores of a model by subset, split, query and document."""

    NAME, TABLES = "mteb", ("run",)
    SHORT_DESC = "predictions of MTEB"
    EXAMPLES = ("mteb:NFCorpus_predictions.json", "mteb(split=test):NFCorpus_predictions.json")
    SIGNS = {"run": keys("mteb_model_meta")}
    SUPPORTED_PARAMS = {
        "subset": Param(str, "the subset, where there are several", default=""),
        "split": Param(str, "the split, where there are several", default=""),
    }

    def rows(self, table: str, document: Json) -> Iterator[Row]:
        subsets = {name: splits for name, splits in document.items() if name != "mteb_model_meta"}
        splits = subsets[chosen(self, "subset", subsets)]
        for query, scores in splits[chosen(self, "split", splits)].items():
            for doc, score in scores.items():
                yield text(query), text(doc), grade(score, query, doc)


class RankEval(_JsonFormat):
    """``_rank_eval`` of Elasticsearch and OpenSearch: the response is a run and scores, the request has the judgments."""

    NAME, TABLES = "rank_eval", ("run", "qrels", "scores")
    SHORT_DESC = (
        "_rank_eval of Elasticsearch and OpenSearch: the response is a run and scores, the request has judgments"
    )
    EXAMPLES = ("rank_eval:response.json", "rank_eval(metric=P@10):response.json")
    SIGNS = {
        "run": keys("metric_score", "rank_eval"),
        "qrels": keys("requests"),
        "scores": keys("metric_score", "rank_eval"),
    }
    SUPPORTED_PARAMS = {
        "metric": Param(
            str, "as scores: the measure that was asked for, which the response does not name", default="metric_score"
        )
    }

    def rows(self, table: str, document: Json) -> Iterator[Row]:
        if table == "qrels":
            for request in document["requests"]:
                for rating in request["ratings"]:
                    yield (
                        text(request["id"]),
                        text(rating["_id"]),
                        grade(rating["rating"], request["id"], rating["_id"]),
                    )
            return
        for query, detail in document.get("rank_eval", document)["details"].items():
            hits = [hit["hit"] for hit in detail["hits"]]
            yield from in_order(query, [hit["_id"] for hit in hits], [hit.get("_score") for hit in hits])

    def values(self, path: Path, document: Json) -> Iterator[Value]:
        response = document.get("rank_eval", document)
        if failures := response.get("failures"):
            warn(path, f"{plural(len(failures), 'request')} failed, first {next(iter(failures))!r}")
        for query, detail in response["details"].items():
            yield Value(text(query), self["metric"], detail["metric_score"])


class OpenSearch(_JsonFormat):
    """Judgments and evaluation results of OpenSearch's search relevance workbench; topics are the texts of queries."""

    NAME, TABLES = "opensearch", ("run", "qrels", "scores")
    SHORT_DESC = "judgments and evaluation results of OpenSearch's search relevance workbench"
    EXAMPLES = ("opensearch:judgments.json",)
    _RESULTS = keys("evaluationResultList", "searchConfigurationId", "searchConfigurationList")
    SIGNS = {"run": _RESULTS, "scores": _RESULTS, "qrels": keys("judgmentRatings")}
    SUPPORTED_PARAMS = {
        "configuration": Param(str, "as a run: the search configuration, where there are several", default=""),
        "measure": MEASURE,
    }

    def rows(self, table: str, document: Json) -> Iterator[Row]:
        if table == "qrels":
            for judged in document["judgmentRatings"]:
                for rating in judged["ratings"]:
                    yield (
                        text(judged["query"]),
                        text(rating["docId"]),
                        grade(rating["rating"], judged["query"], rating["docId"]),
                    )
            return
        if "results" in document:  # pairwise: the lists of two configurations
            lists = [(result["queryText"], shown) for result in document["results"] for shown in result["snapshots"]]
        else:
            results = document.get("evaluationResultList", [document])
            lists = [(result["searchText"], {"searchConfigurationId": "", **document, **result}) for result in results]
        configuration = chosen(self, "configuration", (str(shown["searchConfigurationId"]) for _, shown in lists))
        for query, shown in lists:
            if str(shown["searchConfigurationId"]) == configuration:
                yield from in_order(query, shown["documentIds"] if "documentIds" in shown else shown["docIds"])

    def values(self, path: Path, document: Json) -> Iterator[Value]:
        if "results" in document:
            raise DataError(
                f"{path} compares two lists of documents; its metrics say how alike they are, not how good."
            )
        configurations = document.get("searchConfigurationList") or [None]
        common = document.get("searchConfigurationId", configurations[0] if len(configurations) == 1 else None)
        for result in document.get("evaluationResultList", [document]):
            system = result.get("searchConfigurationId", common)
            for metric in result["metrics"]:
                yield Value(text(result["searchText"]), metric["metric"], metric["value"], system)


class QuepidCase(_JsonFormat):
    """A case that Quepid exports as JSON: the ratings of documents; topics are the texts of queries."""

    NAME, TABLES, SHORT_DESC = "quepid_case", ("qrels",), "a case exported by Quepid as JSON"
    EXAMPLES = ("quepid_case:case.json",)
    SIGNS = {"qrels": keys("case_name")}

    def rows(self, table: str, document: Json) -> Iterator[Row]:
        for query in document["queries"]:
            for rating in query.get("ratings") or ():
                if rating.get("rating") is not None:
                    yield (
                        text(query["query_text"]),
                        text(rating["doc_id"]),
                        grade(rating["rating"], query["query_text"], rating["doc_id"]),
                    )


class Quepid(Format):
    """CSV that Quepid exports: query, document and rating, or with the position of documents; topics are the texts of queries."""

    NAME, LINES, SHORT_DESC = "quepid", "after header", "CSV exported by Quepid: basic, detailed, and snapshots"
    EXAMPLES = ("quepid:case.csv",)
    SUPPORTED_PARAMS = {"snapshot": Param(str, "the name of the snapshot, where there are several", default="")}

    def recognises(self, table: str, path: Path, start: bytes) -> bool:
        """Tell from the header whether a file has this format."""
        header = start.partition(b"\n")[0].strip().lower().replace(b'"', b"").split(b",")
        names = {b"query text", b"doc id", b"doc position" if table == "run" else b"rating"}
        return names <= set(header) or (
            table == "qrels" and header in ([b"query", b"docid", b"rating"], [b"query", b"doc_id", b"rating"])
        )

    def read(self, table: str, path: Path, content: bytes) -> pa.Table:
        """Return the rankings or judgments of a file; documents without a rating are unjudged."""
        import csv

        rows = [
            {str(name).strip().lower(): (cell or "").strip() for name, cell in row.items() if name is not None}
            for row in csv.DictReader(io.StringIO(decoded(path, content), newline=""))
        ]
        names = {row.get("snapshot name", "") for row in rows} - {""}
        if len(names) > 1 and self["snapshot"] not in names:
            raise DataError(
                f"{path} has {len(names)} snapshots: {list_some(sorted(names), 10)}. Choose one: 'quepid(snapshot=...):{path}'."
            )
        found: list[Row] = []
        for line, row in enumerate(rows, 2):
            if len(names) > 1 and row.get("snapshot name") != self["snapshot"]:
                continue
            query, doc = (
                row.get("query text", row.get("query", "")),
                row.get("doc id", row.get("docid", row.get("doc_id", ""))),
            )
            value = row.get("doc position" if table == "run" else "rating", "")
            if not doc or not value:
                continue
            if not query or not math.isfinite(number(value)):
                raise DataError(
                    f"{path}, line {line}: {value!r} for {doc!r} and the query {query!r} is not a number of a document."
                )
            found.append((query, doc, -number(value) if table == "run" else number(value)))
        if not found:
            raise DataError(f"{path} has no {'ranked' if table == 'run' else 'rated'} document.")
        return table_of(table, found)


class MsMarco(Format):
    """Runs of MS MARCO, as Pyserini writes them: query, document and rank, without a header."""

    NAME, TABLES, LINES, SHORT_DESC = "msmarco", ("run",), "all", "runs of MS MARCO: lines of query, document and rank"
    EXAMPLES = ("msmarco:run.tsv",)
    SIGNS = {"run": (rb"[^\s,]+[^\S\n]+\S+[^\S\n]+\d+[^\S\n]*(?:\n|\Z)",)}

    def read(self, table: str, path: Path, content: bytes) -> pa.Table:
        """Return the run, whose scores are the ranks from below."""
        rows: list[Row] = []
        for line, raw in enumerate(decoded(path, content).split("\n"), 1):
            fields = raw.split()
            if fields and (len(fields) != 3 or not fields[2].isdecimal()):
                raise DataError(
                    f"A line of a run of MS MARCO is query, document, rank. Got {raw.strip()!r}.",
                    place=f"{path}, line {line}",
                )
            if fields:
                rows.append((fields[0], fields[1], -float(fields[2])))
        if rows and max(score for _, _, score in rows) < -1:
            first = f"the best is {-max(score for _, _, score in rows):g}"
            warn(
                path,
                f"the third column is read as ranks, which should begin at 1; {first}. If they are scores, write lines of TREC, or a header",
            )
        return table_of(table, rows)


class SentenceTransformers(Format):
    """Predictions that evaluators of sentence-transformers write (``write_predictions``): a line per query, with its results."""

    NAME, TABLES, SHORT_DESC = "sentence_transformers", ("run",), "predictions of sentence-transformers"
    EXAMPLES = ("sentence_transformers:Information-Retrieval_evaluation_predictions.jsonl",)
    SIGNS = {"run": (rb"", rb'\{"query_id"\s*:', rb'"results"\s*:\s*\[', rb'"corpus_id"\s*:|\[\]')}

    def read(self, table: str, path: Path, content: bytes) -> pa.Table:
        """Return the run."""
        rows: list[Row] = []
        for place, line in json_lines(path, content, self.NAME):
            with understanding("This line", self.NAME, place):
                found = line["results"]
                rows += in_order(line["query_id"], [one["corpus_id"] for one in found], [one["score"] for one in found])
        return table_of(table, rows)


class RanxLz4(Format):
    """Runs that ranx saves as LZ4: compressed twice, in CBOR, which the package cbor2 reads."""

    NAME, TABLES, SHORT_DESC = "ranx_lz4", ("run",), "runs that ranx saves as LZ4"
    EXAMPLES = ("ranx_lz4:run.lz4",)
    SIGNS = {"run": (rb"\x04\x22\x4d\x18",)}

    def read(self, table: str, path: Path, content: bytes) -> pa.Table:
        """Return the run."""
        import pyarrow as pa

        try:
            import cbor2
        except ImportError:
            raise DataError(
                f"{path} is a run that ranx saved as LZ4, which the package cbor2 reads: pip install cbor2. Or save it as JSON: "
                "ranx.Run.from_file(path).save('run.json')."
            ) from None
        try:
            limit = decompressed_limit(len(content))
            written = pa.CompressedInputStream(pa.BufferReader(content), "lz4").read(limit + 1)
            if len(written) > limit:
                raise too_large(len(content), limit).at(str(path))
            with understanding(str(path), self.NAME):
                rows = [
                    (text(query), text(doc), grade(score, query, doc))
                    for query, scores in cbor2.loads(written).items()
                    for doc, score in scores.items()
                ]
        except (OSError, pa.ArrowException, cbor2.CBORDecodeError) as error:
            raise DataError(f"{path} is damaged: {error}. Save it again.") from None
        return table_of(table, rows)


class Ubi(Format):
    """Queries of User Behavior Insights, with the documents that they found; events, which may stand among them, are left out."""

    NAME, TABLES, SHORT_DESC = (
        "ubi",
        ("run",),
        "queries of User Behavior Insights (UBI), with the documents that they found",
    )
    EXAMPLES = ("ubi:ubi_queries.ndjson", "ubi(topic=query):ubi_queries.ndjson")
    SUPPORTED_PARAMS = {
        "topic": Param(str, "what a topic is: the id of a query, or its text", default="id", choices=("id", "query"))
    }
    SIGNS = {"run": (rb"\{", rb'"_index"\s*:\s*"ubi_(?:queries|events)"|"query_response_hit_ids"\s*:')}

    def read(self, table: str, path: Path, content: bytes) -> pa.Table:
        """Return the first list of documents of every query, or of every text; a query without one found nothing."""
        found: dict[str, Sequence[Any]] = {}
        unrecorded, again = set(), 0
        for place, record in json_lines(path, content, self.NAME):
            with understanding("This", "a query of UBI", place):
                query = record.get("_source", record)
                if query.keys() <= {"index", "create", "_index", "_id"} or "action_name" in query:
                    continue
                topic = (
                    text(query["query_id"]) if self["topic"] == "id" else " ".join(text(query["user_query"]).split())
                )
                docs = query.get("query_response_hit_ids")
                unrecorded |= {topic} if docs is None else set()
                again += bool(docs) and topic in found
                if docs:
                    found.setdefault(topic, [text(doc) for doc in docs])
        if not found:
            raise DataError(f"{path} has no query with documents, in query_response_hit_ids.")
        if unrecorded := unrecorded - found.keys():
            what = plural(len(unrecorded), "topic")
            warn(path, f"no documents are recorded of {what}, such as {min(unrecorded)!r}; left out")
        if again:
            what = "query" if self["topic"] == "id" else "text"
            warn(path, f"{plural(again, 'further list')} of documents of the same {what} left out")
        return table_of(table, (row for topic, docs in found.items() for row in in_order(topic, docs)))
