"""The scores of many systems: topics x systems x measures, and their provenance."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import ir_measures
import numpy as np

from irmx.data.chunks import MEMORY
from irmx.data.new_file import new_file
from irmx.declare.expressions import canonical, measure_named, parse_measure
from irmx.declare.from_function import FunctionMeasure
from irmx.declare.markup_html import SHOWN, html_result
from irmx.declare.measures import Measure
from irmx.declare.symbols import Symbol
from irmx.errors import DataError, UsageError, counted, some, suggest
from irmx.parallel import progress_bar
from irmx.ragged import Floats, read_only
from irmx.registry import registry
from irmx.score.evaluator import Evaluator, Measures, as_measures
from irmx.score.scored_runs import named_runs, scored_runs
from irmx.score.topic_scores import TopicScores, mean_of

if TYPE_CHECKING:
    import pandas as pd

_COLUMNS = ("query_id", "system", "measure", "value")
_OTHER_NAMES = {"qid": "query_id", "name": "system", "run": "system"}
"""The names of these columns in tables of other tools, such as PyTerrier's experiments."""

_LISTED = 20
"""How many known names a message lists."""

_METADATA = b"irmx_scores"
_SCHEMA = 1


@dataclass(frozen=True, eq=False, repr=False)
class Scores:
    """One value per topic, system and measure.

    Attributes
    ----------
    values : float array
        The values, of shape (topics, systems, measures). A topic for which a system retrieved nothing has the measure's default; NaN if a measure has no value.
    topics : tuple of str
        The query ids, in order.
    systems : tuple of str
        The names of the systems, in order.
    measures : tuple of Measure
        The measures, in order.
    retrieved : bool array
        Of shape (topics, systems): whether the system retrieved anything for the topic.
    fields : dict of str to float array
        Further fields of the values, by name and of their shape, such as ``standard_error``; NaN if missing.
    made_by : dict
        The provenance that :func:`irmx.scores` records: versions and digests of files. It can be written as JSON.

    Examples
    --------
    >>> import irmx
    >>> runs = {"one": {"q": {"a": 2.0, "x": 1.0}, "r": {"b": 1.0}}, "two": {"q": {"x": 2.0, "a": 1.0}, "r": {"x": 1.0}}}
    >>> scores = irmx.scores("RR P@1", {"q": {"a": 1}, "r": {"b": 1}}, runs)
    >>> scores
    <Scores of 2 topics, 2 systems, 2 measures: RR, P@1>
    >>> scores["RR"].tolist()
    [[1.0, 0.5], [1.0, 0.0]]
    >>> scores.means().to_dict("index")
    {'one': {'RR': 1.0, 'P@1': 1.0}, 'two': {'RR': 0.25, 'P@1': 0.0}}
    >>> scores.select(systems=["two"], measures="RR").frame()
      query_id system measure  value
    0        q    two      RR    0.5
    1        r    two      RR    0.0
    """

    values: Floats
    topics: tuple[str, ...]
    systems: tuple[str, ...]
    measures: tuple[ir_measures.Measure, ...]
    retrieved: np.ndarray[Any, np.dtype[np.bool_]]
    fields: Mapping[str, Floats] = field(default_factory=dict)
    made_by: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        shape = (len(self.topics), len(self.systems), len(self.measures))
        for name, array in (("values", self.values), *self.fields.items()):
            if array.shape != shape:
                raise UsageError(
                    f"The scores of {shape[0]} topics, {shape[1]} systems and {shape[2]} measures have {name} of shape "
                    f"{array.shape}."
                )
        if self.retrieved.shape != shape[:2]:
            raise UsageError(
                f"retrieved has the shape {self.retrieved.shape} for {shape[0]} topics, {shape[1]} systems."
            )
        for name in ("values", "retrieved"):
            object.__setattr__(self, name, read_only(getattr(self, name)))
        object.__setattr__(self, "fields", {name: read_only(array) for name, array in self.fields.items()})

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()  # pickle forgets which arrays are read-only

    def __repr__(self) -> str:
        axes = ((self.topics, "topic"), (self.systems, "system"), (self.measures, "measure"))
        counts = ", ".join(counted(len(names), noun) for names, noun in axes)
        named = ", ".join(map(str, self.measures[:3])) + (", ..." if len(self.measures) > 3 else "")
        missing = int((~self.retrieved).sum())
        are = "1 topic of a system is" if missing == 1 else f"{missing} topics of systems are"
        return f"<Scores of {counts}: {named}{f'; {are} missing' if missing else ''}>"

    def _repr_html_(self) -> str:
        """Return the means as a table: of many systems the best by the first measure, of many measures the first."""
        means = self.select(measures=self.measures[:SHOWN]).means()
        caption = "means over topics"
        if len(self.systems) > SHOWN:
            means = means.sort_values(means.columns[0], ascending=False, kind="stable")
            caption += f", the best {SHOWN} of {len(self.systems)} systems by {means.columns[0]}"
        if len(self.measures) > SHOWN:
            caption += f"; the first {SHOWN} of {len(self.measures)} measures"
        missing = (~self.retrieved).sum(axis=0).tolist()
        lacking = [f"{name} ({number})" for name, number in zip(self.systems, missing, strict=True) if number]
        notes = [f"topics without results count with the measure's default: {some(lacking, 5)}"] if lacking else []
        return html_result(repr(self), {caption: means.reset_index()}, notes=notes)

    # -- parts -------------------------------------------------------------------------------------------

    def __getitem__(self, measure: str | ir_measures.Measure) -> Floats:
        """Return the values of one measure, shape (topics, systems)."""
        own = [one for one in self.measures if str(one) == str(measure)]
        [place] = self._places_of_measures(own or [parse_measure(measure)])
        values: Floats = self.values[:, :, place]
        return values

    def select(
        self,
        topics: str | Iterable[str] | None = None,
        systems: str | Iterable[str] | None = None,
        measures: Measures | None = None,
    ) -> Scores:
        """Return the scores of some topics, systems or measures, in the order given; by default of all.

        Raises
        ------
        irmx.errors.UsageError
            For an unknown name; the message suggests the closest.
        """
        places = [
            self._places("topic", self.topics, topics),
            self._places("system", self.systems, systems),
            self._places_of_measures(self.measures if measures is None else self._named(measures)),
        ]
        at = np.ix_(*places)
        return Scores(
            self.values[at],
            tuple(self.topics[i] for i in places[0]),
            tuple(self.systems[i] for i in places[1]),
            tuple(self.measures[i] for i in places[2]),
            self.retrieved[np.ix_(*places[:2])],
            {name: array[at] for name, array in self.fields.items()},
            self.made_by,
        )

    def _named(self, measures: Measures) -> list[ir_measures.Measure]:
        """Return measures, those with the name of one of the scores without parsing it: nothing else may know it."""
        own = {str(measure): measure for measure in self.measures}
        several = [measures] if isinstance(measures, (str, ir_measures.Measure)) else measures
        return [m for asked in several for m in ([own[str(asked)]] if str(asked) in own else as_measures(asked))]

    def _places_of_measures(self, asked: Iterable[ir_measures.Measure]) -> list[int]:
        own = {str(canonical(m)): str(m) for m in self.measures} | {str(m): str(m) for m in self.measures}
        names = [own.get(str(m), own.get(str(canonical(m)), str(m))) for m in asked]
        return self._places("measure", self.measures, names)

    @staticmethod
    def _places(kind: str, known: Sequence[Any], selected: Any) -> list[int]:
        if selected is None:
            return list(range(len(known)))
        place = {str(name): i for i, name in enumerate(known)}
        names = [selected] if isinstance(selected, str) else list(selected)
        for name in names:
            if str(name) not in place:
                near = suggest(str(name), place)
                raise UsageError(f"The scores have no {kind} {str(name)!r}.{near} They have: {some(place, _LISTED)}.")
        return [place[str(name)] for name in names]

    # -- tables ------------------------------------------------------------------------------------------

    def means(self) -> pd.DataFrame:
        """Return the mean over topics, by the measure's own aggregator: one row per system, one column per measure."""
        import pandas as pd

        rows = [
            [mean_of(measure, TopicScores(self.values[:, s, m])) for m, measure in enumerate(self.measures)]
            for s in range(len(self.systems))
        ]
        index = pd.Index(self.systems, name="system")
        return pd.DataFrame(rows, index=index, columns=[str(m) for m in self.measures], dtype=float)

    def frame(self) -> pd.DataFrame:
        """Return one row per topic, system and measure: query_id, system, measure, value, and the fields."""
        import pandas as pd

        t, s, m = (index.ravel() for index in np.indices(self.values.shape))
        names = [str(measure) for measure in self.measures]
        columns = {
            "query_id": np.array(self.topics, dtype=object)[t],
            "system": np.array(self.systems, dtype=object)[s],
            "measure": np.array(names, dtype=object)[m],
            "value": self.values.ravel(),
        }
        return pd.DataFrame({**columns, **{name: array.ravel() for name, array in self.fields.items()}})

    @classmethod
    def from_frame(cls, frame: pd.DataFrame) -> Scores:
        """Return scores from a table with one row per topic, system and measure, such as :meth:`frame` returns.

        Parameters
        ----------
        frame : DataFrame
            The columns query_id, system, measure and value; other numeric columns are fields. The result of
            ``pt.Experiment(..., perquery=True)``, with qid and name, is also accepted. A measure that irmx
            does not know keeps its name. A topic for which a system has no row counts with the measure's default.

        Raises
        ------
        irmx.errors.DataError
            If a column is missing, or if two rows have the same topic, system and measure.
        """
        frame = frame.rename(columns={k: v for k, v in _OTHER_NAMES.items() if v not in frame.columns})
        lacking = [name for name in _COLUMNS if name not in frame.columns]
        if lacking:
            raise DataError(
                f"Scores need the column {lacking[0]!r}: they have {', '.join(_COLUMNS)}. The table has "
                f"{', '.join(map(str, frame.columns))}."
            )
        names = [tuple(frame[c].astype(str).unique()) for c in _COLUMNS[:3]]
        places = tuple(
            np.array([index[v] for v in frame[c].astype(str)], dtype=np.intp)
            for c, index in zip(_COLUMNS[:3], [{v: i for i, v in enumerate(n)} for n in names], strict=True)
        )
        shape = tuple(map(len, names))
        count = np.zeros(shape, dtype=int)
        np.add.at(count, places, 1)
        if (count > 1).any():
            t, s, m = (axis[0] for axis in np.nonzero(count > 1))
            raise DataError(f"The scores have {names[2][m]} of {names[1][s]} for topic {names[0][t]} twice.")
        measures = tuple(map(measure_named, names[2]))
        values = np.broadcast_to([float(m.DEFAULT) for m in measures], shape).copy()
        values[places] = frame["value"].to_numpy(dtype=float)
        fields = {}
        for name in (c for c in frame.columns if c not in _COLUMNS and frame[c].dtype.kind in "iuf"):
            fields[str(name)] = np.full(shape, np.nan)
            fields[str(name)][places] = frame[name].to_numpy(dtype=float)
        return cls(values, names[0], names[1], measures, np.asarray((count > 0).any(axis=2)), fields)

    # -- files -------------------------------------------------------------------------------------------

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write the table of :meth:`frame`, with its provenance, to a parquet file, which :func:`irmx.toolkit.new_file` makes.

        Raises
        ------
        irmx.errors.DataError
            If it cannot be written.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        missing = [[self.topics[t], self.systems[s]] for t, s in zip(*np.nonzero(~self.retrieved), strict=True)]
        about = {
            "schema": _SCHEMA,
            "topics": self.topics,
            "systems": self.systems,
            "measures": [str(m) for m in self.measures],
            "missing": missing,
            "made_by": self.made_by,
        }
        table = pa.Table.from_pandas(self.frame(), preserve_index=False)
        table = table.replace_schema_metadata({**(table.schema.metadata or {}), _METADATA: json.dumps(about)})
        with new_file(path) as file:
            pq.write_table(table, file)

    @classmethod
    def read_parquet(cls, path: str | os.PathLike[str]) -> Scores:
        """Read scores from a file that :meth:`to_parquet` wrote.

        Raises
        ------
        irmx.errors.DataError
            If it is not such a file, or one of a version of irmx that writes another schema.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        name = os.fspath(path)
        try:
            with open(path, "rb") as file:  # once, because another process may put a new one in its place
                table = pq.read_table(file)
        except (pa.ArrowException, OSError) as error:
            raise DataError(f"{name} cannot be read as a parquet file of scores: {error}") from None
        about = _about(name, (table.schema.metadata or {}).get(_METADATA, b"{}"))
        try:
            frame = table.replace_schema_metadata(None).to_pandas()
            scores = cls.from_frame(frame).select(about["topics"], about["systems"])
            retrieved = scores.retrieved.copy()
            for topic, system in about["missing"]:
                retrieved[scores.topics.index(topic), scores.systems.index(system)] = False
        except (ValueError, TypeError, LookupError) as error:  # that the file was damaged is the only cause
            raise DataError(f"{name} is damaged: its scores are not what it records about them ({error}).") from None
        made_by = about["made_by"]
        return cls(scores.values, scores.topics, scores.systems, scores.measures, retrieved, scores.fields, made_by)


def _about(name: str, recorded: bytes) -> dict[str, Any]:
    """Return what a file records about its scores, if they are of the schema that this version reads."""
    try:
        about = json.loads(recorded)
    except ValueError:
        raise DataError(f"{name} is damaged: what it records about its scores cannot be read.") from None
    schema = about.get("schema") if isinstance(about, dict) else None
    if schema != _SCHEMA:
        held = f"scores of schema {schema!r}" if about else "no scores of irmx"
        raise DataError(
            f"{name} holds {held}; this version of irmx reads those of schema {_SCHEMA}, which irmx.Scores.to_parquet writes."
        )
    if lacking := [key for key in ("topics", "systems", "missing", "made_by") if key not in about]:
        raise DataError(f"{name} is damaged: it does not record the {lacking[0]} of its scores.")
    return dict(about)


def scores(
    measures: Measures,
    qrels: Any,
    runs: Any,
    provider: str | None = None,
    memory: str | float = MEMORY,
    jobs: int | None = None,
    progress: bool | None = None,
) -> Scores:
    """Score several runs with several measures, and return the values of all topics as one object.

    Parameters
    ----------
    measures : str, Measure or iterable of them
        The measures to compute, such as ``"MP(model=GL_AD_ID) AP"``.
    qrels : any
        Anything that :func:`irmx.read_qrels` accepts.
    runs : mapping of str to run, or sequence of paths and globs
        Runs by name, each anything that :func:`irmx.read_run` accepts; runs from files have the names of the files.
    provider : str, optional
        The only provider of ir_measures to use; see :class:`irmx.toolkit.Evaluator`.
    memory : str or number
        The memory that runs may take, in bytes or such as ``"500MB"``; a larger file is read in chunks of topics.
    jobs : int, optional
        How many runs, or chunks of them, to score at the same time, each in a process of its own or wherever
        ``joblib.parallel_config`` says; by default 1, or on a cluster as many as its workers can.
    progress : bool, optional
        Whether to show a progress bar; by default, if there are several runs and standard error is a terminal.

    Returns
    -------
    Scores
        The topics are those of the qrels. A topic that a run lacks has the measure's default and is not ``retrieved``; a
        :class:`irmx.DataWarning` counts such topics.

    Raises
    ------
    irmx.errors.UsageError
        If a measure is unknown, or two runs have the same name.
    irmx.errors.DataError
        If the inputs cannot be read, or a run has no topic of the qrels.

    Examples
    --------
    >>> import irmx
    >>> from irmx.demo import SYSTEMS, qrels_path, run_path
    >>> scores = irmx.scores("AP NCP(law=first)", qrels_path(), {system: run_path(system) for system in SYSTEMS})
    >>> scores
    <Scores of 30 topics, 3 systems, 2 measures: AP, NCP(law=first)>
    >>> scores.means().round(4).loc["bm25"].to_dict()
    {'AP': 0.4986, 'NCP(law=first)': 0.8761}
    """
    evaluator = Evaluator(measures, qrels, provider)
    by_name, topics = named_runs(runs), evaluator.judgments.index
    shape = (len(topics), len(by_name), len(evaluator.measures))
    values, retrieved = np.empty(shape), np.zeros(shape[:2], dtype=bool)
    fields: dict[str, Floats] = {}
    shown = False if progress is None and len(by_name) < 2 else progress
    with progress_bar("Scoring runs", len(by_name), shown=shown) as advance:
        for s, run in enumerate(scored_runs(evaluator, by_name, memory, jobs)):
            retrieved[[topics[t] for t in run.topics if t in topics], s] = True
            for m, of_measure in enumerate(run.scores.values()):
                values[:, s, m] = of_measure.values
                for name, array in of_measure.fields.items():
                    fields.setdefault(name, np.full(shape, np.nan))[:, s, m] = array
            advance(1)
    made_by = {
        "versions": versions_of(evaluator.measures),
        "qrels": file_digest(qrels),
        "runs": {name: file_digest(run) for name, run in by_name.items()},
    }
    return Scores(values, tuple(topics), tuple(by_name), tuple(evaluator.measures), retrieved, fields, made_by)


def versions_of(measures: Iterable[ir_measures.Measure]) -> dict[str, str]:
    """Return the versions of irmx, of ir_measures, and of the plugins of the measures and their named objects.

    Parameters
    ----------
    measures : iterable of Measure
        The measures.

    Returns
    -------
    dict of str to str
        By distribution; for a measure made from a function, a digest of the function.

    Examples
    --------
    >>> import irmx
    >>> list(irmx.toolkit.versions_of([irmx.NCP(law="uniform")]))
    ['irmx', 'ir_measures', 'irmx-ncp']
    """
    measures = list(measures)
    names = {str(m.NAME) for m in measures}
    names |= {v.NAME for m in measures if isinstance(m, Measure) for v in m.params.values() if isinstance(v, Symbol)}
    versions = {"irmx": version("irmx"), "ir_measures": version("ir_measures")}
    for plugin in registry().plugins.values():
        if names & {*plugin.offers.get("measures", ()), *plugin.offers.get("symbols", ())}:
            versions[plugin.distribution] = plugin.version
    for m in measures:
        if isinstance(m, FunctionMeasure):
            versions[f"function of {m.NAME}"] = hashlib.sha256(m.source.encode()).hexdigest()[:12]
    return versions


def file_digest(source: Any) -> str:
    """Return a digest of the bytes of a file; empty if the source is not a file.

    >>> file_digest({"q": {"a": 1}})
    ''
    """
    if not isinstance(source, (str, os.PathLike)) or not os.path.isfile(source):
        return ""
    digest = hashlib.sha256()
    with open(source, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
