"""What a measure that scores one topic at a time sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irmx.declare.columns import Column
from irmx.ragged import Array, Floats, offsets_of

if TYPE_CHECKING:
    from irmx.rank.rankings import Rankings


class Ranking:
    """One topic's ranking, for measures that score one topic at a time.

    Attributes
    ----------
    query_id : str
        The topic.
    depth : int
        T, the number of documents in the ranking.
    rank, grade : array
        The ranks and grades of the judged documents retrieved, by rank.
    relevant_rank, relevant_grade, precision : array
        The ranks and grades of the relevant documents retrieved, and the precision there.
    recall_base, judged_nonrelevant : int
        RB and NRB.
    """

    def __init__(self, rankings: Rankings, topic: int) -> None:
        self._rankings, self._topic = rankings, topic
        self.query_id = rankings.topics[topic]
        self.depth = int(rankings.depth[topic])
        judged, relevant = rankings.judged, rankings.relevant
        here = slice(judged.offsets[topic], judged.offsets[topic + 1])
        self.rank, self.grade = judged.rank[here], judged.grade[here]
        self._relevant = here = slice(relevant.offsets[topic], relevant.offsets[topic + 1])
        self.relevant_rank, self.relevant_grade = relevant.rank[here], relevant.grade[here]
        self.precision = rankings.precision[here]
        self.recall_base = int(rankings.recall_base[topic])
        self.judged_nonrelevant = int(rankings.judged_nonrelevant[topic])

    @property
    def judged_grades(self) -> Floats:
        """The grades of all judged documents of the topic, retrieved or not, largest first: those of its ideal ranking."""
        offsets, grades = self._rankings.judged_grades
        return grades[offsets[self._topic] : offsets[self._topic + 1]]

    @property
    def docs(self) -> list[str]:
        """All documents, best first."""
        return self._rankings.ranked_docs(self._topic)

    def run_column(self, column: Column) -> Array:
        """Return a run column over the relevant documents."""
        return self._rankings.run_column(column)[self._relevant]

    def ranked_column(self, column: Column) -> Array:
        """Return a run column over all documents, best first."""
        ends = offsets_of(self._rankings.depth)
        return self._rankings.ranked_column(column)[ends[self._topic] : ends[self._topic + 1]]

    def topic_column(self, column: Column) -> Any:
        """Return the topic's value of a qrels column."""
        return self._rankings.topic_column(column)[self._topic]
