"""The small collection that ships with irmx, for ``irmx demo`` and examples.

300 short documents, 30 topics with subtopics, judgments and three runs. All of its text was written for irmx: the harbour
town of Merrowick and its year are invented, and a program in the documentation folder composes the documents.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import ir_measures

from irmx.declare.columns import Table, needed
from irmx.declare.expressions import parse_measure
from irmx.declare.measures import Measure
from irmx.errors import PluginWarning, UsageError
from irmx.registry import registry

if TYPE_CHECKING:
    import pandas as pd

SYSTEMS = ("bm25", "titles", "recent")
"""The names of the three systems: BM25 over titles and texts, BM25 over titles alone, and the first with scores that
halve with every 90 days of a document's age."""

_EXISTING = ("AP", "nDCG@10", "P@10", "RBP(rel=1)")
_READ_BY_DEMO = {
    *(("run", name) for name in ("vertical", "length")),
    *(("qrels", name) for name in ("iteration", "timestamp", "vertical", "orientation")),
}
_HERE = Path(__file__).parent


def qrels_path() -> Path:
    """Return the path of the TREC qrels: for every judged document its largest grade over the subtopics, 0, 1 or 2.

    >>> import irmx
    >>> irmx.calc_aggregate("NumQ", qrels_path(), run_path("bm25"))
    {NumQ: 30.0}
    """
    return _HERE / "demo.qrels"


def judgments_path() -> Path:
    """Return the path of the whole judgments, a table with a row per judged document and subtopic.

    The columns are ``query_id``, ``doc_id``, ``relevance``, ``iteration`` (the subtopic), ``timestamp`` (the date of the
    document in seconds since 1970), ``vertical`` (of the document) and ``orientation`` (of the topic towards that vertical,
    in [0, 1]). Rows without a ``doc_id``, and a date, declare a subtopic that no document is relevant to, or a vertical that no
    judged document comes from.

    >>> import irmx
    >>> qrels = irmx.read_qrels(judgments_path())
    >>> qrels.columns
    ['query_id', 'doc_id', 'relevance', 'iteration', 'timestamp', 'vertical', 'orientation']
    >>> qrels.as_dict() == irmx.read_qrels(qrels_path()).as_dict()
    True
    """
    return _HERE / "judgments.csv"


def run_path(system: str) -> Path:
    """Return the path of the TREC run of one of :data:`SYSTEMS`.

    Raises
    ------
    irmx.errors.UsageError
        Where there is no such system.
    """
    if system not in SYSTEMS:
        raise UsageError(f"The demo collection has no system {system!r}; it has {', '.join(SYSTEMS)}.")
    return _HERE / f"{system}.run"


def documents() -> pd.DataFrame:
    """Return the documents: ``doc_id``, ``title``, ``text``, ``date`` (ISO 8601, UTC) and ``vertical``.

    Ids have the names of ir_measures; rename ``doc_id`` to ``docno`` for PyTerrier. A ``vertical`` is ``web``, ``news``,
    ``blog``, ``image`` or ``video``; ``web`` is the general one.

    >>> documents().iloc[0][["doc_id", "date", "vertical"]].tolist()
    ['d001', '2023-01-08T09:25:00+00:00', 'blog']
    """
    return _records("documents.jsonl")


def topics() -> pd.DataFrame:
    """Return the topics: ``query_id``, ``query``, ``description``, ``subtopics`` and ``orientation``.

    Ids have the names of ir_measures; rename ``query_id`` to ``qid`` for PyTerrier. ``subtopics`` is a dict of the words of a
    subtopic by its id, which is the ``iteration`` of the judgments; ``orientation`` a dict of numbers in [0, 1] by vertical.

    >>> first = topics().iloc[0]
    >>> first["query_id"], first["query"], first["subtopics"]
    ('1', 'ferry strike', {'1': 'demands of the crews', '2': 'stranded passengers', '3': 'settlement'})
    """
    return _records("topics.jsonl")


def run_table(system: str) -> pd.DataFrame:
    """Return a run of :data:`SYSTEMS` with the columns that measures may read besides ``score``.

    They are ``timestamp`` (the date of the document in seconds since 1970), ``vertical`` and ``length`` (the words of its text).

    >>> run_table("titles").columns.tolist()
    ['query_id', 'doc_id', 'score', 'timestamp', 'vertical', 'length']
    """
    import pandas as pd

    run = pd.DataFrame(list(ir_measures.read_trec_run(str(run_path(system)))))
    docs = documents().set_index("doc_id")
    dates = pd.to_datetime(docs["date"])
    epoch = pd.Timestamp(0, tz="UTC")
    columns = {
        "timestamp": (dates - epoch) // pd.Timedelta(seconds=1),
        "vertical": docs["vertical"],
        "length": docs["text"].str.split().str.len(),
    }
    return run.assign(**{name: run["doc_id"].map(values) for name, values in columns.items()})


def page_table(system: str) -> pd.DataFrame:
    """Return the first ten results of a run as pages: the columns of :func:`run_table`, for measures of aggregated search.

    The items of a vertical stand together, as one block, at the place of the best of them; those of ``web`` stand alone.
    ``score`` counts down from 10 to put them into that order.

    >>> page = page_table("bm25")
    >>> page[page["query_id"] == "1"]["vertical"].tolist()
    ['web', 'video', 'web', 'news', 'news', 'web', 'web', 'blog', 'image', 'web']
    """
    run = run_table(system)
    found = run.groupby("query_id", sort=False).head(10)
    rank = found.groupby("query_id").cumcount()
    block = (
        rank.groupby([found["query_id"], found["vertical"]]).transform("min").where(found["vertical"] != "web", rank)
    )
    topic = found["query_id"].astype(int)
    page = found.assign(topic=topic, block=block, rank=rank).sort_values(["topic", "block", "rank"], ignore_index=True)
    page["score"] = 10.0 - page.groupby("topic").cumcount()
    return page[run.columns]


def demo_measures() -> list[ir_measures.Measure]:
    """Return the measures of the demo: existing ones, then the examples of installed plugins that run on it.

    They read no column of runs but ``vertical`` and ``length`` in words, and of qrels those of :func:`judgments_path`; the dates of
    documents are not the times at which a stream emitted them. Of a measure that reads such columns only the first example is
    there. Examples that are no expressions are left out with an :class:`irmx.errors.PluginWarning`.
    """
    out = [parse_measure(e) for e in _EXISTING]
    for measure in registry().measures().values():
        listed = measure.EXAMPLES
        for example in listed if isinstance(listed, (tuple, list)) else (listed,):
            try:
                parsed = parse_measure(example)
                columns = _columns(parsed)
                if columns <= _READ_BY_DEMO and not _counts_otherwise(parsed):
                    out.append(parsed)
                    if columns:
                        break
            except Exception as error:
                left_out(measure, example, error)
    return out


def left_out(measure: Measure, example: object, error: BaseException) -> None:
    """Warn of an example of a plugin's measure that fails."""
    source = registry().source_of(registry().measures()[str(measure.NAME)])
    warnings.warn(
        f"The example {example} of the measure {measure.NAME} of {source} is left out: {type(error).__name__}: {error}",
        PluginWarning,
        stacklevel=3,
    )


def _columns(measure: ir_measures.Measure) -> set[tuple[str, str]]:
    """Return the tables and names of the extra columns that a measure cannot do without."""
    own = [measure] if isinstance(measure, Measure) else []
    tables: tuple[Table, ...] = ("run", "qrels")
    return {(table, name) for table in tables for name in needed(table, own)}


def _counts_otherwise(measure: ir_measures.Measure) -> bool:
    """Tell whether a measure reads the length of documents in another unit than words, such as characters."""
    own = measure.run_columns() if isinstance(measure, Measure) else ()
    return any(column.name == "length" and column.unit not in ("", "words") for column in own)


def _records(name: str) -> pd.DataFrame:
    """Return a file of JSON lines as a table, its values as they stand there."""
    import json

    import pandas as pd

    return pd.DataFrame([json.loads(line) for line in (_HERE / name).read_text(encoding="utf-8").splitlines()])
