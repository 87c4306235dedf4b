"""Explanation of a score: one topic's documents with their weights and contributions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import ir_measures
import numpy as np

from irmx.data.formats.detect import spelled
from irmx.data.reading import read_qrels, read_run
from irmx.declare.columns import needed
from irmx.declare.expressions import parse_measure
from irmx.declare.measures import Measure
from irmx.errors import DataError, UsageError, counted, suggest
from irmx.ragged import Array
from irmx.rank.join import Join
from irmx.rank.rankings import Rankings
from irmx.score.scoring import check_columns, checked, fields_by_topic, named, rankings_for
from irmx.score.topic_scores import TopicScores

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Explanation:
    """The score of one topic, broken down by document.

    Attributes
    ----------
    measure : Measure
        The measure.
    query_id : str
        The topic.
    value : float
        Its score; the ``contribution`` column adds up to it.
    depth, retrieved, recall_base : int
        The numbers of ranked documents, of relevant documents among them, and of all relevant judged documents.
    columns : dict of str to sequence
        ``rank``, ``doc_id``, ``grade``, ``precision`` and the columns of the measure, one row per document; or a table
        specific to the measure, if its score does not consist of documents at ranks.
    fields : dict of str to float
        Further fields of the score, such as ``standard_error``.
    """

    measure: ir_measures.Measure
    query_id: str
    value: float
    depth: int
    retrieved: int
    recall_base: int
    columns: dict[str, Any]
    fields: dict[str, float] = field(default_factory=dict)

    def to_frame(self) -> pd.DataFrame:
        """Return the columns as a DataFrame."""
        import pandas as pd

        return pd.DataFrame(self.columns)


def explain(
    measure: str | ir_measures.Measure, qrels: Any, run: Any, query_id: str, all_documents: bool = False
) -> Explanation:
    """Break the score of one topic down by document.

    Parameters
    ----------
    measure : str or Measure
        An irmx measure.
    qrels, run : any
        Anything that :func:`irmx.read_qrels` and :func:`irmx.read_run` accept.
    query_id : str
        The topic, in any of the ways in which files of a format write it.
    all_documents : bool
        Whether to include the documents that contribute nothing.

    Raises
    ------
    irmx.errors.UsageError
        For a measure that is not one of an irmx plugin, or has no contributions.
    irmx.errors.DataError
        For a topic that is not in the qrels or in the run.

    Examples
    --------
    >>> import irmx
    >>> qrels = {"q": {"a": 1, "b": 1, "c": 1}}
    >>> e = irmx.explain("MP(model=GL_AD_ID)", qrels, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}, "q")
    >>> round(e.value, 6), [round(c, 6) for c in e.columns["contribution"]]
    (0.833333, [0.5, 0.333333])
    """
    parsed = parse_measure(measure)
    if not isinstance(parsed, Measure):
        raise UsageError(
            f"{parsed} is a measure of ir_measures, which gives scores only. Measures of irmx plugins can be explained."
        )
    parsed.validate_params()
    judgments = read_qrels(qrels, needed("qrels", [parsed]))
    the_run, topic = read_run(run), spelled(str(query_id), judgments.index)
    for table, known in (("qrels", list(judgments.index)), ("run", the_run.topics)):
        if topic not in known:
            raise DataError(
                f"Topic {topic!r} is not in the {table}.{suggest(topic, known)} There {'is' if len(known) == 1 else 'are'} "
                f"{counted(len(known), 'topic')}: {_some(known)}."
            )
    join = Join(the_run, judgments, only=topic)
    check_columns(parsed, join)
    rankings = rankings_for(parsed, join)
    with named(parsed):
        own = {k: np.asarray(v) for k, v in parsed.contributions(rankings).items()}
        score = parsed.score(rankings)
    ranked = "doc_id" not in own
    columns: dict[str, Any] = (
        own
        if not ranked
        else {
            "rank": rankings.relevant.rank,
            "doc_id": rankings.relevant.doc_ids,
            "grade": rankings.relevant.grade,
            "precision": rankings.precision,
            **own,
        }
    )
    if all_documents and ranked:
        judged = rankings.judged
        columns = _over_all(columns, judged.rank, judged.grade, rankings.ranked.doc_ids)
    scores = checked(parsed, rankings.topics, score if isinstance(score, TopicScores) else TopicScores(score))
    return Explanation(
        measure=parsed,
        query_id=topic,
        value=float(scores.values[0]),
        depth=int(rankings.depth[0]),
        retrieved=_retrieved(rankings, ranked),
        recall_base=int(rankings.recall_base[0]),
        columns={k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in columns.items()},
        fields=fields_by_topic(scores)[0],
    )


def _retrieved(rankings: Rankings, ranked: bool) -> int:
    """Return the number of relevant documents retrieved above the cutoff; a repeated document of a stream counts once."""
    if ranked or rankings.cutoff is not None:
        return int(rankings.relevant.count[0])
    _, at = rankings.matching_rows()
    rows = rankings.qrels_rows
    return len(np.unique(rows.doc[at[rows.grade[at] >= rankings.rel]]))


def _over_all(columns: dict[str, Any], rank: Array, grade: Array, docs: Sequence[str]) -> dict[str, Any]:
    """Return columns over all ranks: the precision at every rank, the grade of judged documents, and 0 elsewhere."""
    at = np.asarray(columns["rank"]) - 1
    relevant = np.zeros(len(docs))
    relevant[at] = 1
    everywhere = np.arange(1, len(docs) + 1)
    grades = np.full(len(docs), np.nan)
    grades[rank - 1] = grade
    out: dict[str, Any] = {
        "rank": everywhere,
        "doc_id": docs,
        "grade": grades,
        "precision": np.cumsum(relevant) / everywhere,
    }
    for name, values in columns.items():
        if name not in out:
            out[name] = np.zeros(len(docs))
            out[name][at] = values
    return out


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
