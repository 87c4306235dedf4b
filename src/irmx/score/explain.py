"""Explanation of a score: one topic's documents with their weights and contributions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import ir_measures
import numpy as np

from irmx.data.formats import topic_spelled
from irmx.data.reading import read_qrels, read_run
from irmx.declare.columns import needed
from irmx.declare.described import PrintedRows, html_result
from irmx.declare.expressions import parse_measure
from irmx.declare.measure_failures import failures_of, in_full
from irmx.declare.measures import Measure, takes_silence
from irmx.declare.params import common_value
from irmx.errors import DataError, PluginError, UsageError
from irmx.rank.join import Join, refuse_no_common_topic
from irmx.rank.rankings import Rankings, Rows
from irmx.registry import registry
from irmx.score.backends import check_columns, checked, of_missing, rankings_for, scorer_of
from irmx.text import list_some, plural, suggest, value_repr, visible

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
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
        ``rank``, ``doc_id``, ``grade`` and the columns of the measure, one row per document, with ``precision`` if these are
        the relevant ones; or a table specific to the measure, if its score does not consist of documents at ranks.
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

    def __repr__(self) -> str:
        rows = plural(len(next(iter(self.columns.values()), ())), "row")
        return f"<{self._heading}, {rows}>"

    @property
    def _heading(self) -> str:
        return f"Explanation of {self.measure} for topic {visible(self.query_id)}: {self.value:.4f}"

    def _repr_html_(self) -> str:
        total = {"contribution": self.value} if "contribution" in self.columns else {}
        found = f"{plural(self.depth, 'document')} retrieved, {self.retrieved} of {self.recall_base} relevant ones among them"
        title = "; ".join([self._heading, found, *(f"{n} {v:.4f}" for n, v in self.fields.items())])
        frame = self.frame()
        if "grade" in frame:
            frame["grade"] = frame["grade"].convert_dtypes()  # whole grades without decimal places
        return html_result(title, {"": PrintedRows.of(frame, footer=total)}, most=20)

    def frame(self) -> pd.DataFrame:
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
        A measure of irmx, or one of ir_measures that a plugin computes, such as AP.
    qrels, run : any
        Anything that :func:`irmx.read_qrels` and :func:`irmx.read_run` accept.
    query_id : str
        The topic, in any of the ways in which files of a format write it.
    all_documents : bool
        Whether to include the documents that contribute nothing.

    Raises
    ------
    irmx.errors.UsageError
        For a measure that no plugin computes, or that has no contributions.
    irmx.errors.DataError
        For a topic that is not in the qrels or in the run, or for which the run has no documents.

    Examples
    --------
    >>> import irmx
    >>> qrels = {"q": {"a": 1, "b": 1, "c": 1}}
    >>> e = irmx.explain("MP(model=GL_AD_ID)", qrels, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}, "q")
    >>> round(e.value, 6), [round(c, 6) for c in e.columns["contribution"]]
    (0.833333, [0.5, 0.333333])
    """
    parsed, scorer, join = _join_of_topic(measure, qrels, run, query_id)
    if not join.pairs:  # to return nothing is an answer
        topic = join.judgments.index[topic_spelled(str(query_id), join.judgments.index)]
        value = float(np.broadcast_to(of_missing(scorer, join.judgments), len(join.judgments.topics))[topic])
        grades = join.judgments.grade[slice(*join.judgments.offsets[topic : topic + 2])]
        relevant = int((grades >= (common_value(scorer, "rel") or 1)).sum())
        return Explanation(
            parsed, str(query_id), value, 0, 0, relevant, {"doc_id": ["(nothing)"], "contribution": [value]}
        )
    return next(_of_join(parsed, scorer, join, all_documents))


def explained(
    measure: str | ir_measures.Measure, qrels: Any, run: Any, query_id: str
) -> tuple[ir_measures.Measure, Measure, Rankings]:
    """Return a measure, what computes it, and the rankings of one topic; see :func:`explain`."""
    parsed, scorer, join = _join_of_topic(measure, qrels, run, query_id)
    _refuse_nothing(scorer, join, query_id)
    check_columns(scorer, join)
    return parsed, scorer, rankings_for(scorer, join)


def _join_of_topic(
    measure: str | ir_measures.Measure, qrels: Any, run: Any, query_id: str
) -> tuple[ir_measures.Measure, Measure, Join]:
    """Return a measure, what computes it, and the join of one topic."""
    parsed, scorer = _explained(measure)
    judgments = read_qrels(qrels, needed("qrels", [scorer]))
    is_answer = takes_silence(scorer)
    the_run, topic = read_run(run, empty=is_answer), topic_spelled(str(query_id), judgments.index)
    for table, known in (("qrels", list(judgments.index)), ("run", the_run.topics)):
        if topic not in known and not (is_answer and table == "run"):
            raise DataError(
                f"Topic {topic!r} is not in the {table}.{suggest(topic, known)} There {'is' if len(known) == 1 else 'are'} "
                f"{plural(len(known), 'topic')}: {list_some(known)}."
            )
    join = Join(the_run, judgments, only=topic)
    if not is_answer:
        _refuse_nothing(scorer, join, topic)
    return parsed, scorer, join


def _refuse_nothing(scorer: Measure, join: Join, topic: str) -> None:
    if not len(rankings_for(scorer, join)):
        raise DataError(f"The run has no documents for topic {topic!r}, so that there is nothing to explain.")


def explanations(measure: str | ir_measures.Measure, qrels: Any, run: Any) -> Iterator[Explanation]:
    """Break the scores of all topics of a run down by document, as :func:`explain` does for one, but at once.

    Parameters
    ----------
    measure, qrels, run
        As for :func:`explain`.

    Returns
    -------
    iterator of Explanation
        One for every topic for which the run has documents, in the order of the qrels.

    Examples
    --------
    >>> import irmx
    >>> qrels, run = {"p": {"a": 1}, "q": {"a": 1, "b": 1}}, {"p": {"a": 1.0}, "q": {"x": 3.0, "b": 2.0, "a": 1.0}}
    >>> for e in irmx.explanations("AP", qrels, run):
    ...     print(e.query_id, round(e.value, 4), [round(c, 4) for c in e.columns["contribution"]])
    p 1.0 [1.0]
    q 0.5833 [0.25, 0.3333]
    """
    parsed, scorer = _explained(measure)
    judgments, the_run = read_qrels(qrels, needed("qrels", [scorer])), read_run(run)
    refuse_no_common_topic(the_run, judgments)
    return _of_join(parsed, scorer, Join(the_run, judgments))


def _explained(measure: str | ir_measures.Measure) -> tuple[ir_measures.Measure, Measure]:
    """Return a measure, and the measure that computes it from rankings; raise if there is none."""
    parsed = parse_measure(measure)
    scorer = scorer_of(parsed)
    if scorer is None:
        raise UsageError(
            f"{parsed} is a measure of ir_measures, of which no plugin has a scorer, so that there is only its score. Measures "
            f"of irmx can be explained, and those of ir_measures that plugins compute: {', '.join(registry().scorers()) or 'none'}."
        )
    scorer.validate_params()
    return parsed, scorer


def _of_join(
    parsed: ir_measures.Measure, scorer: Measure, join: Join, all_documents: bool = False
) -> Iterator[Explanation]:
    """Yield the explanation of every topic of a join; ``all_documents`` is for a join of one topic."""
    check_columns(scorer, join)
    rankings = rankings_for(scorer, join)
    with failures_of(scorer):
        own = dict(scorer.contributions(rankings))
    ranked = "doc_id" not in own
    if not ranked and len(rankings) > 1:  # a table of its own, of which the measure alone knows the topics
        for topic in map(str, rankings.topics):
            yield from _of_join(parsed, scorer, Join(join.run, join.judgments, only=topic))
        return
    with failures_of(scorer):
        scores = checked(scorer, rankings.topics, scorer.score(rankings))
    ends: list[int | None] = [0, None]
    if ranked:
        rows, columns = _of_documents(scorer, rankings, own)
        columns, ends = (_over_all(columns, rankings), ends) if all_documents else (columns, rows.offsets.tolist())
    else:
        columns = _even(scorer, own, None)
    fields = scores.by_topic()
    for t, topic in enumerate(rankings.topics):
        of_topic = {k: v[ends[t] : ends[t + 1]] for k, v in columns.items()}
        yield Explanation(
            measure=parsed,
            query_id=str(topic),
            value=float(scores.values[t]),
            depth=int(rankings.depth[t]),
            retrieved=_retrieved(rankings, ranked, t),
            recall_base=int(rankings.recall_base[t]),
            columns={k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in of_topic.items()},
            fields=fields[t],
        )


def _retrieved(rankings: Rankings, ranked: bool, topic: int) -> int:
    """Return the number of relevant documents retrieved above the cutoff; a repeated document of a stream counts once."""
    if ranked or rankings.cutoff is not None:
        return int(rankings.relevant.count[topic])
    _, at = rankings.matching_rows()
    rows = rankings.qrels_rows
    return len(np.unique(rows.doc[at[rows.grade[at] >= rankings.rel]]))


def _of_documents(measure: Measure, rankings: Rankings, own: dict[str, Any]) -> tuple[Rows, dict[str, Any]]:
    """Return the documents of a measure, the relevant ones unless it returns others, and their columns, then its own."""
    rows = own.pop("documents", None)
    if rows is not None and not isinstance(rows, Rows):
        raise PluginError(
            f"{in_full(measure)} has {value_repr(rows)} as the documents of its contributions; irmx.Rows are expected."
        )
    of_relevant = {"precision": rankings.precision} if rows is None else {}
    rows = rankings.relevant if rows is None else rows
    columns = {"rank": rows.rank, "doc_id": rows.doc_ids, "grade": rows.grade, **of_relevant}
    return rows, columns | _even(measure, own, len(rows.rank))


def _even(measure: Measure, own: dict[str, Any], rows: int | None) -> dict[str, Any]:
    """Return the columns of contributions as arrays; raise if they do not have one value per row, None for those of the first."""
    columns = {name: np.asarray(column) for name, column in own.items()}
    for name, column in columns.items():
        if column.ndim != 1 or len(column) != (rows := len(column) if rows is None else rows):
            raise PluginError(
                f"{in_full(measure)} has the column {name!r} of shape {column.shape} in its contributions, where "
                f"{plural(rows or 0, 'row')} are expected."
            )
        if name == "contribution" and column.dtype.kind not in "biuf":
            raise PluginError(f"{in_full(measure)} has contributions of dtype {column.dtype}; numbers are expected.")
    return columns


def _over_all(columns: dict[str, Any], rankings: Rankings) -> dict[str, Any]:
    """Return columns over all ranks: the precision at every rank, the grade of judged documents, and elsewhere 0.

    Of documents that a measure returns itself, all but the contribution is missing elsewhere.
    """
    docs, judged = rankings.ranked.doc_ids, rankings.judged
    at = np.asarray(columns["rank"]) - 1
    if [docs[i] for i in at.tolist() if i < len(docs)] != list(columns["doc_id"]):
        return columns  # the measure has ranks of its own, as nDCG of judged documents whose gains judge others
    everywhere = np.arange(1, len(docs) + 1)
    out: dict[str, Any] = {"rank": everywhere, "doc_id": docs}
    for name, values in columns.items():
        if name not in out:
            is_zero = name == "contribution" or ("precision" in columns and name != "grade")
            out[name] = np.full(len(docs), 0.0 if is_zero else np.nan)
            out[name][at] = values
    out["grade"][judged.rank - 1] = judged.grade
    if "precision" in out:
        relevant = np.zeros(len(docs))
        relevant[at] = 1
        out["precision"] = np.cumsum(relevant) / everywhere
    return out
