"""A small made-up collection: the rows of qrels and of a run, in every form that irmx reads."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from irmx.declare.columns import REQUIRED

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Sample:
    """Qrels and a run, row by row.

    Attributes
    ----------
    qrels, run : tuple of mappings
        A mapping of column names to values per row; all rows of a table have the same columns.

    Examples
    --------
    >>> sample = Sample(({"query_id": "q", "doc_id": "a", "relevance": 1},), ({"query_id": "q", "doc_id": "a", "score": 2.0},))
    >>> sample.topics, sample.run_dict()
    (['q'], {'q': {'a': 2.0}})
    >>> print(sample.code("NCP(law=uniform)"))
    import irmx, pandas as pd
    qrels = pd.DataFrame([{'query_id': 'q', 'doc_id': 'a', 'relevance': 1}])
    run = pd.DataFrame([{'query_id': 'q', 'doc_id': 'a', 'score': 2.0}])
    irmx.evaluator('NCP(law=uniform)', qrels).values(run)
    """

    qrels: tuple[Row, ...]
    run: tuple[Row, ...]
    _made: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    # -- the forms of a table ----------------------------------------------------------------------------

    @property
    def qrels_table(self) -> pa.Table:
        """The qrels as an Arrow table."""
        return self._once("qrels", lambda: arrow("qrels", self.qrels))

    @property
    def run_table(self) -> pa.Table:
        """The run as an Arrow table."""
        return self._once("run", lambda: arrow("run", self.run))

    def _once(self, name: str, make: Callable[[], Any]) -> Any:
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]

    def qrels_frame(self) -> pd.DataFrame:
        """Return the qrels as a DataFrame."""
        return frame("qrels", self.qrels)

    def run_frame(self) -> pd.DataFrame:
        """Return the run as a DataFrame."""
        return frame("run", self.run)

    def qrels_dict(self) -> dict[str, dict[str, float]]:
        """Return the qrels as a dict of dicts; of several rows of a document the last stays."""
        return _nested(self.qrels, "relevance")

    def run_dict(self) -> dict[str, dict[str, float]]:
        """Return the run as a dict of dicts."""
        return _nested(self.run, "score")

    # -- other samples made of it ------------------------------------------------------------------------

    @property
    def topics(self) -> list[str]:
        """The query ids of the qrels, in order of first appearance."""
        return list(dict.fromkeys(row["query_id"] for row in self.qrels))

    def where(self, keep_qrels: Callable[[Row], bool], keep_run: Callable[[Row], bool]) -> Sample:
        """Return the sample with some of its rows."""
        return Sample(tuple(filter(keep_qrels, self.qrels)), tuple(filter(keep_run, self.run)))

    def only(self, topics: Iterable[str]) -> Sample:
        """Return the sample of some topics."""
        kept = set(topics)
        return self.where(lambda row: row["query_id"] in kept, lambda row: row["query_id"] in kept)

    def with_run(self, rows: Iterable[Row]) -> Sample:
        """Return the sample with another run."""
        return Sample(self.qrels, tuple(rows))

    def with_qrels(self, rows: Iterable[Row]) -> Sample:
        """Return the sample with other qrels."""
        return Sample(tuple(rows), self.run)

    def without(self, table: str, columns: Iterable[str]) -> Sample:
        """Return the sample without some columns of a table."""
        gone = set(columns)
        rows = [{k: v for k, v in row.items() if k not in gone} for row in getattr(self, table)]
        return self.with_run(rows) if table == "run" else self.with_qrels(rows)

    # -- showing it --------------------------------------------------------------------------------------

    def code(self, measure: Any) -> str:
        """Return the Python lines that compute a measure on it."""
        return "\n".join(
            (
                "import irmx, pandas as pd",
                f"qrels = {_frame_code('qrels', self.qrels)}",
                f"run = {_frame_code('run', self.run)}",
                f"irmx.evaluator({str(measure)!r}, qrels).values(run)",
            )
        )


def arrow(table: str, rows: Iterable[Row]) -> pa.Table:
    """Return rows as an Arrow table, without rows one with the columns that every such table has."""
    import pyarrow as pa

    given = list(rows)
    names = list(given[0]) if given else list(REQUIRED[table])
    return pa.table({name: [row[name] for row in given] for name in names})


def frame(table: str, rows: Iterable[Row]) -> pd.DataFrame:
    """Return rows as a DataFrame, without rows one with the columns that every such table has."""
    import pandas as pd

    given = [dict(row) for row in rows]
    return pd.DataFrame(given, columns=None if given else list(REQUIRED[table]))


def namedtuples(rows: Iterable[Row]) -> Iterator[Any]:
    """Yield rows as namedtuples whose fields are the columns."""
    given = list(rows)
    if given:
        kind = namedtuple("Row", list(given[0]))  # type: ignore[misc]
        yield from (kind(**row) for row in given)


def _nested(rows: Iterable[Row], value: str) -> dict[str, dict[str, float]]:
    out: dict[str, dict[str, float]] = {}
    for row in rows:
        out.setdefault(row["query_id"], {})[row["doc_id"]] = row[value]
    return out


def _frame_code(table: str, rows: tuple[Row, ...]) -> str:
    return f"pd.DataFrame({[dict(r) for r in rows]!r})" if rows else f"pd.DataFrame(columns={list(REQUIRED[table])!r})"
