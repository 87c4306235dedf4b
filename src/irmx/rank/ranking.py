"""The ranking of one topic, as given to measures that score one topic at a time."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from irmx.declare.columns import Column
from irmx.errors import counted
from irmx.ragged import Floats
from irmx.rank.rows import Rows

if TYPE_CHECKING:
    from irmx.rank.rankings import Rankings


class Ranking:
    """The ranking of one topic, for measures that score one topic at a time.

    It has the same kinds of rows as :class:`irmx.Rankings`; see :class:`irmx.Rows`.

    Attributes
    ----------
    query_id : str
        The topic.
    depth : int
        T, the number of documents in the ranking.
    recall_base, judged_nonrelevant : int
        RB and NRB, the numbers of relevant and of judged non-relevant documents, retrieved or not.

    Examples
    --------
    >>> import irmx
    >>> [ranking] = irmx.rankings({"q": {"a": 1, "b": 0, "c": 2}}, {"q": {"a": 3.0, "x": 2.0, "c": 1.0}})
    >>> ranking.relevant.rank, ranking.relevant.grade, ranking.precision.round(3), ranking.recall_base
    (array([1, 3]), array([1., 2.]), array([1.   , 0.667]), 2)
    >>> ranking.ranked.doc_ids
    ('a', 'x', 'c')
    """

    def __init__(self, rankings: Rankings, topic: int) -> None:
        self._rankings, self._topic = rankings, topic
        self.query_id = rankings.topics[topic]
        self.depth = int(rankings.depth[topic])
        self.recall_base = int(rankings.recall_base[topic])
        self.judged_nonrelevant = int(rankings.judged_nonrelevant[topic])

    def __repr__(self) -> str:
        return f"<Ranking: topic {self.query_id}, {counted(self.depth, 'document')}>"

    @cached_property
    def relevant(self) -> Rows:
        """The relevant documents retrieved, by rank."""
        return self._rankings.relevant.of_topic(self._topic)

    @cached_property
    def judged(self) -> Rows:
        """The judged documents retrieved, by rank."""
        return self._rankings.judged.of_topic(self._topic)

    @cached_property
    def ranked(self) -> Rows:
        """All documents of the ranking, by rank."""
        return self._rankings.ranked.of_topic(self._topic)

    @cached_property
    def qrels_rows(self) -> Rows:
        """All rows of the qrels, retrieved or not."""
        return self._rankings.qrels_rows.of_topic(self._topic)

    @property
    def precision(self) -> Floats:
        """The precision at the rank of each relevant document."""
        offsets = self._rankings.relevant.offsets
        return self._rankings.precision[offsets[self._topic] : offsets[self._topic + 1]]

    @property
    def judged_grades(self) -> Floats:
        """The grades of all judged documents of the topic, retrieved or not, largest first: those of its ideal ranking."""
        offsets, grades = self._rankings.judged_grades
        return grades[offsets[self._topic] : offsets[self._topic + 1]]

    def topic_column(self, column: Column) -> Any:
        """Return the topic's value of a qrels column that has one value per topic."""
        return self._rankings.topic_column(column)[self._topic]
