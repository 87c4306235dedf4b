"""The scores of many systems: topics x systems x views, and their provenance."""

from __future__ import annotations

import io
import json
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import ir_measures
import numpy as np

from irmx.data.files import content_of, is_address, name_of, new_file
from irmx.data.reading import arrow_of
from irmx.declare.columns import Symbol
from irmx.declare.described import SHOWN, html_result
from irmx.declare.expressions import NamedMeasure, measure_named, with_plain_numbers
from irmx.declare.measures import takes_silence
from irmx.declare.params import duration, seconds
from irmx.declare.written_values import text_of
from irmx.errors import DataError, DataWarning, MissingTopicsWarning, UsageError, lacking_topics
from irmx.ragged import Bools, Floats, read_only
from irmx.score.evaluator import Measures, as_measures, mean_of
from irmx.score.topic_scores import TopicScores
from irmx.text import list_some, plural, suggest

if TYPE_CHECKING:
    import pandas as pd


# -- views of scores: what one column of numbers depends on, as a table with one row per view ------------------------


MARKS = ("judgments", "unjudged", "keep", "sample", "without", "slice", "seed", "collection", "weight")
"""What a view may depend on beside its measure: whose judgments, what is assumed of unjudged documents, which part of the
judgments, which topics, which run of a system, which collection; and the share of users that it stands for."""

Marks = Mapping[str, tuple[Any, ...]]


def names_of(measures: Sequence[ir_measures.Measure], marks: Marks) -> tuple[str, ...]:
    """Return the text of every view: its measure, and what it depends on beside it.

    >>> from ir_measures import AP
    >>> names_of([AP, AP], {"judgments": ("", "llm"), "weight": (0.5, 0.5)})
    ('AP', 'AP judgments=llm')
    """
    texts = {name: [_mark(name, value) for value in values] for name, values in marks.items() if name != "weight"}
    return tuple(" ".join([str(m), *(t for of in texts.values() if (t := of[v]))]) for v, m in enumerate(measures))


def _mark(name: str, value: Any) -> str:
    if value is None or value == "" or value != value:
        return ""
    return f"{name}={value:g}" if isinstance(value, (int, float)) else f"{name}={value}"


def table_of_views(measures: Sequence[ir_measures.Measure], marks: Marks) -> pd.DataFrame:
    """Return one row per view, its text the index: ``measure``, the parameters in which measures of a name differ, the marks."""
    import pandas as pd

    texts = {str(measure): measure for measure in measures}
    by_name: dict[str, list[str]] = {}
    for text, measure in texts.items():
        by_name.setdefault(str(getattr(measure, "NAME", text)), []).append(text)
    columns: dict[str, Any] = {"measure": [str(measure) for measure in measures]}
    for name, of_name in by_name.items():
        settings = [texts[text] for text in of_name]
        if len(settings) > 1 and all(hasattr(one, "SUPPORTED_PARAMS") for one in settings):
            declared = settings[0].SUPPORTED_PARAMS
            for parameter, values, param in _varied(declared, [_parameters(one) for one in settings]):
                of_text = dict(zip(of_name, values, strict=True))
                columns[f"{name}.{parameter}"] = _column([of_text.get(str(m)) for m in measures], param)
    for mark, of_views in marks.items():
        columns[mark] = list(of_views)
    if any(less_is_better(measure) for measure in measures):
        columns["less_is_better"] = [less_is_better(measure) for measure in measures]
    return pd.DataFrame(columns, index=pd.Index(names_of(measures, marks), name="view"))


def less_is_better(measure: ir_measures.Measure) -> bool:
    """Tell whether smaller values of a measure are better."""
    return bool(getattr(measure, "LESS_IS_BETTER", False))


def _parameters(measure: ir_measures.Measure) -> dict[str, Any]:
    """Return the value of every parameter of a measure; None where ir_measures has a mark for no default."""
    values = {name: measure[name] for name in measure.SUPPORTED_PARAMS}
    return {name: None if type(value) is object else value for name, value in values.items()}


def _varied(
    declared: Mapping[str, Any], settings: Sequence[Mapping[str, Any]], of: str = ""
) -> Iterator[tuple[str, list[Any], Any]]:
    """Yield the parameters that vary, their values and declarations; of one kind of named object, the parameters of it."""
    for name, param in declared.items():
        values = [setting.get(name) for setting in settings]
        if len({text_of(value) for value in values}) < 2:
            continue
        first = values[0]
        if isinstance(first, Symbol) and {getattr(value, "NAME", None) for value in values} == {first.NAME}:
            inner = [{key: symbol[key] for key in first.SUPPORTED_PARAMS} for symbol in values if symbol is not None]
            yield from _varied(first.SUPPORTED_PARAMS, inner, f"{of}{name}.")
        else:
            yield of + name, values, param


def _column(values: list[Any], declared: Any) -> Any:
    """Return values as numbers, as categories in their order (durations), or as texts; None is missing."""
    import pandas as pd

    known = [value for value in values if value is not None]
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in known):
        return np.array([np.nan if value is None else float(value) for value in values])
    if getattr(declared, "dtype", None) is duration and all(isinstance(value, (str, int, float)) for value in known):
        ordered = sorted(dict.fromkeys(map(str, known)), key=seconds)
        return pd.Categorical([None if value is None else str(value) for value in values], ordered, ordered=True)
    return pd.Series([None if value is None else text_of(value) for value in values], dtype=object).to_numpy()


def marks_of(columns: Iterable[str]) -> list[str]:
    """Return the names among columns that are marks, in the order of views."""
    present = set(columns)
    return [name for name in MARKS if name in present]


# -- the scores of many systems: topics x systems x views, and their provenance --------------------------------------


_COLUMNS = ("query_id", "system", "measure", "value")
_OTHER_NAMES = {"qid": "query_id", "name": "system", "run": "system"}
"""The names of these columns in tables of other tools, such as PyTerrier's experiments."""

_LISTED = 20
"""How many known names a message lists."""

_METADATA = b"irmx_scores"
_SCHEMA = 3
"""The schema of files, another one whenever they record something else."""

_STATE = "state"
"""The column of states in tables."""


class State(IntEnum):
    """What a value of scores is.

    Examples
    --------
    >>> import irmx
    >>> scores = irmx.scores("NCP(law=first,no_relevant='nan')", {"q": {"a": 1}, "r": {"b": 0}}, {"one": {"q": {"a": 1.0}, "r": {"b": 1.0}}})
    >>> [irmx.State(state).name for state in scores.states.ravel()]
    ['SCORED', 'UNDEFINED']
    """

    SCORED = 0
    """The measure's value of what the system retrieved."""
    DEFAULT = 1
    """The measure's default, because the system retrieved nothing for the topic, or because a missing value counts as this."""
    ABSENT = 2
    """NaN: there is no value."""
    UNDEFINED = 3
    """NaN: the measure has no value for the topic."""
    OUTSIDE = 4
    """NaN: the topic is not in the view."""


@dataclass(frozen=True, eq=False, repr=False)
class Scores:
    """One value per topic, system and view.

    A view is what one column of numbers depends on: a measure with its parameters, and possibly whose judgments, what is
    assumed of unjudged documents, which part of the judgments, and which topics. Without any of these, the views are the measures.

    Attributes
    ----------
    values : float array
        The values, of shape (topics, systems, views); NaN where there is none.
    topics : tuple of str
        The query ids, in order.
    systems : tuple of str
        The names of the systems, in order.
    measures : tuple of Measure
        The measure of every view, in order.
    states : int8 array
        What every value is, of their shape: a :class:`irmx.State`. By default a value is scored, and NaN is absent.
    fields : dict of str to float array
        Further fields of the values, by name and of their shape, such as ``standard_error``; NaN if missing.
    made_by : dict
        The provenance that :func:`irmx.scores` records: versions and digests of files. It can be written as JSON.
    marks : dict of str to tuple
        What views depend on beside their measures, one value per view: ``judgments``, ``unjudged``, ``keep``, ``sample``,
        ``without``, ``slice``, ``seed``, ``collection``; and ``weight``, the share of users that a view stands for.

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
    >>> irmx.scores("RBP(p=.5|.9) AP", {"q": {"a": 1}}, {"one": {"q": {"a": 1.0}}}).views["RBP.p"].to_dict()
    {'RBP(p=0.5)': 0.5, 'RBP(p=0.9)': 0.9, 'AP': nan}
    """

    values: Floats
    topics: tuple[str, ...]
    systems: tuple[str, ...]
    measures: tuple[ir_measures.Measure, ...]
    states: np.ndarray[Any, np.dtype[np.int8]] = None  # type: ignore[assignment]
    fields: Mapping[str, Floats] = field(default_factory=dict)
    made_by: Mapping[str, Any] = field(default_factory=dict)
    marks: Marks = field(default_factory=dict)

    MISSING: ClassVar[tuple[str, ...]] = ("refuse", "zero", "both")
    """What can be done about missing values; see :meth:`with_missing`."""

    def __post_init__(self) -> None:
        shape = (len(self.topics), len(self.systems), len(self.measures))
        values, states = self.values, np.zeros(shape, dtype=np.int8) if self.states is None else self.states
        arrays: dict[str, Any] = {"values": values, "states": states, **self.fields}
        for name, array in arrays.items():
            if array.shape != shape:
                raise UsageError(
                    f"The scores of {shape[0]} topics, {shape[1]} systems and {shape[2]} measures have {name} of shape "
                    f"{array.shape}."
                )
        for name, of_views in self.marks.items():
            if len(of_views) != shape[2]:
                raise UsageError(f"{shape[2]} views have {len(of_views)} values of {name}.")
        for noun, names in (("topic", self.topics), ("system", self.systems)):
            if len(set(names)) < len(names):
                twice = next(name for name in names if names.count(name) > 1)
                raise DataError(f"The scores have the {noun} {twice} twice. Give every {noun} once.")
        outside = states == State.OUTSIDE
        if (some := outside.any(axis=1) & ~outside.all(axis=1)).any():
            topic = self.topics[int(some.any(axis=1).argmax())]
            raise DataError(
                f"The topic {topic} is outside a view for some systems only. It is in the view of all, or of none."
            )
        is_nan, has_none = np.isnan(values), states >= State.ABSENT
        if (is_nan & ~has_none).any():
            states = np.where(is_nan & ~has_none, np.int8(State.ABSENT), states)
        if (has_none & ~is_nan).any():
            values = np.where(has_none, np.nan, values)
        object.__setattr__(self, "values", read_only(values))
        object.__setattr__(self, "states", read_only(states))
        object.__setattr__(self, "fields", {name: read_only(array) for name, array in self.fields.items()})

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()  # pickle forgets which arrays are read-only

    def __repr__(self) -> str:
        axes = ((self.topics, "topic"), (self.systems, "system"), (self.names, "view" if self.marks else "measure"))
        counts = ", ".join(plural(len(names), noun) for names, noun in axes)
        named = ", ".join(self.names[:3]) + (", ..." if len(self.names) > 3 else "")
        missing = int(self.missing.any(axis=2).sum())
        are = "1 topic of a system is" if missing == 1 else f"{missing} topics of systems are"
        return f"<Scores of {counts}: {named}{f'; {are} missing' if missing else ''}>"

    def _repr_html_(self) -> str:
        """Return the means as a table: of many systems the best by the first view, of many views the first."""
        means = self.select(views=self.names[:SHOWN]).means()
        caption = "means over topics"
        if len(self.systems) > SHOWN:
            means = means.sort_values(means.columns[0], ascending=False, kind="stable")
            caption += f", the best {SHOWN} of {len(self.systems)} systems by {means.columns[0]}"
        if len(self.measures) > SHOWN:
            caption += f"; the first {SHOWN} of {len(self.measures)} measures"
        lacking = self.lacking()
        notes = [f"topics without results count with the measure's default: {list_some(lacking, 5)}"] if lacking else []
        return html_result(repr(self), {caption: means.reset_index()}, notes=notes)

    # -- views -------------------------------------------------------------------------------------------

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The text of every view: its measure, and what it depends on beside it, such as ``AP judgments=llm``."""
        return names_of(self.measures, self.marks)

    @cached_property
    def views(self) -> pd.DataFrame:
        """One row per view, with its text as the index.

        The columns are ``measure``; the parameters in which measures of the same name differ, such as ``RBP.p``: numbers,
        durations as ordered categories, and otherwise texts; what views depend on beside measures, such as ``judgments``; and
        ``less_is_better``, if that is so for a measure.
        """
        return table_of_views(self.measures, self.marks)

    def marked(self, **marks: Any) -> Scores:
        """Return the scores with further marks of their views, each one value for all views, or one per view.

        >>> import irmx
        >>> scores = irmx.scores("AP", {"q": {"a": 1}}, {"one": {"q": {"a": 1.0}}})
        >>> scores.marked(judgments="nist").names
        ('AP judgments=nist',)
        """
        count = len(self.measures)
        given = {name: tuple(v) if isinstance(v, (tuple, list)) else (v,) * count for name, v in marks.items()}
        return replace(self, marks={**self.marks, **given})

    def less_is_better(self, *names: str) -> Scores:
        """Return the scores with the direction of measures that irmx does not know, such as tokens or seconds of another tool.

        Raises
        ------
        irmx.errors.UsageError
            If the scores have no such measure, or irmx knows it: then it has its own direction.

        Examples
        --------
        >>> import irmx, pandas as pd
        >>> rows = [("q", "one", "tokens", 812), ("q", "two", "tokens", 390)]
        >>> scores = irmx.Scores.from_frame(pd.DataFrame(rows, columns=["query_id", "system", "measure", "value"]))
        >>> scores.less_is_better("tokens").views["less_is_better"].tolist()
        [True]
        """
        known = {str(measure): measure for measure in self.measures}
        for name in names:
            if name not in known:
                raise UsageError(
                    f"The scores have no measure {name!r}.{suggest(name, known)} They have {list_some(known)}."
                )
            if not isinstance(known[name], NamedMeasure):
                raise UsageError(f"irmx knows {name}, and of which values are better. Leave it out.")
        of_name = {name: NamedMeasure(name, less_is_better=True) for name in names}
        return replace(self, measures=tuple(of_name.get(str(measure), measure) for measure in self.measures))

    def slices(self, groups: Any) -> Scores:
        """Return the scores with a view per group of topics, after the view of all topics.

        Parameters
        ----------
        groups : mapping of str to str, or table
            The group of every topic: by query id, or a table with the column query_id and one column per grouping. A
            topic without a group is in none.

        Raises
        ------
        irmx.errors.DataError
            If a group has no topic of the scores.
        """
        import pandas as pd

        if isinstance(groups, Mapping) and "query_id" not in groups:
            groups = {"query_id": list(groups), "group": list(groups.values())}
        table = pd.DataFrame(groups).astype(object)
        parts = [self.marked(slice="")]
        places = {topic: place for place, topic in enumerate(self.topics)}
        for name in (column for column in table.columns if column != "query_id"):
            label = "" if name == "group" else f"{name}:"
            for group, rows in table.groupby(name, sort=True):
                at = [places[topic] for topic in map(str, rows["query_id"]) if topic in places]
                if not at:
                    raise DataError(f"The group {group!r} of topics has no topic of the scores.")
                states = np.full_like(self.states, State.OUTSIDE)
                states[at] = self.states[at]
                parts.append(replace(self.marked(slice=f"{label}{group}"), states=states))
        return Scores.concat(parts)

    @classmethod
    def concat(cls, parts: Iterable[Scores]) -> Scores:
        """Return the views of several scores together, such as those by several judges; systems must be the same.

        A topic that some of them lack is not in their views. A view that occurs again adds its topics to the first.

        Raises
        ------
        irmx.errors.DataError
            If the systems differ, or a view occurs again with other values.
        """
        several = list(parts)
        systems = several[0].systems
        for other in several:
            if other.systems != systems:
                raise DataError(
                    f"Scores of the same systems can be put together. Some are of {list_some(systems)}, others of {list_some(other.systems)}."
                )
        place = {topic: t for t, topic in enumerate(dict.fromkeys(t for part in several for t in part.topics))}

        def joined(arrays: Iterable[Any], lacking: Any) -> Any:
            """Return arrays of the parts as one, with a value for the topics that a part lacks."""
            wholes = []
            for part, array in zip(several, arrays, strict=True):
                whole = np.full((len(place), *part.values.shape[1:]), lacking)
                whole[[place[topic] for topic in part.topics]] = array
                wholes.append(whole)
            return np.concatenate(wholes, axis=2)

        fields = dict.fromkeys(name for part in several for name in part.fields)
        marks = marks_of(name for part in several for name in part.marks)
        values, states = (
            joined([p.values for p in several], np.nan),
            joined([p.states for p in several], np.int8(State.OUTSIDE)),
        )
        of_fields = {name: joined([part.fields.get(name, np.nan) for part in several], np.nan) for name in fields}
        first: dict[str, int] = {}
        is_new = []
        for v, name in enumerate(name for part in several for name in part.names):
            is_new.append(name not in first)
            if (one := first.setdefault(name, v)) == v:
                continue
            lacks = states[:, :, one] == State.OUTSIDE
            both = ~lacks & (states[:, :, v] != State.OUTSIDE)
            if not np.array_equal(values[both, one], values[both, v], equal_nan=True):
                raise DataError(
                    f"The scores have {name} twice, with different values. Mark one of them, or leave it out."
                )
            for array in (values, states, *of_fields.values()):
                array[lacks, one] = array[lacks, v]
        whole = cls(
            values,
            tuple(place),
            systems,
            tuple(measure for part in several for measure in part.measures),
            states,
            of_fields,
            {key: value for part in reversed(several) for key, value in part.made_by.items()},
            {m: tuple(v for p in several for v in p.marks.get(m, ("",) * len(p.measures))) for m in marks},
        )
        return whole if all(is_new) else whole.select(views=is_new)

    # -- missing values ----------------------------------------------------------------------------------

    @classmethod
    def of_runs(cls, values: Floats, retrieved: Bools, *axes: Any, **more: Any) -> Scores:
        """Return scores of what measures computed of runs: topics, systems, measures and the rest as for the class.

        A value that is NaN is undefined; one of a topic for which a system did not retrieve anything, in an array of shape (topics,
        systems), is the default, unless that is an answer to the measure.
        """
        topics, systems, measures = axes
        is_answer = retrieved[:, :, None] | [takes_silence(measure) for measure in measures]
        states = np.where(is_answer, np.int8(State.SCORED), np.int8(State.DEFAULT))
        states = np.where(np.isnan(values), np.int8(State.UNDEFINED), states)
        return cls(values, topics, systems, measures, states, **more)

    @cached_property
    def in_view(self) -> Bools:
        """Whether a topic is in a view, of shape (topics, views)."""
        return np.asarray((self.states != State.OUTSIDE).any(axis=1))

    @cached_property
    def missing(self) -> Bools:
        """Whether a value is missing, of the shape of values: it is a default, absent or undefined.

        On a topic for which a measure is undefined of all systems, none is missing.
        """
        undefined = (self.states >= State.UNDEFINED).all(axis=1, keepdims=True)
        return np.asarray((self.states != State.SCORED) & (self.states != State.OUTSIDE) & ~undefined)

    def lacking(self) -> list[str]:
        """Return the systems that lack values, each with the number of topics, of views that differ also with their names."""
        missing, topics = self.missing.sum(axis=0), self.in_view.sum(axis=0)
        texts = []
        for system, of_system in zip(self.systems, missing, strict=True):
            shares = [f"{lacks} of {of_view}" for lacks, of_view in zip(of_system, topics, strict=True)]
            if len(set(shares)) > 1:
                shares = [f"{name} {share}" for name, share in zip(self.names, shares, strict=True)]
            if of_system.any():
                given = [share for share, lacks in zip(shares, of_system, strict=True) if lacks]
                texts.append(f"{system} ({list_some(list(dict.fromkeys(given)), 3)})")
        return texts

    def with_missing(self, missing: str = "zero") -> Scores:
        """Return the scores with what is asked for missing values; on the topics of a view, no value is NaN then.

        A topic for which a measure is undefined of all systems is left out, as are all topics of a view without any value.

        Parameters
        ----------
        missing : {"zero", "refuse", "both"}
            Count a missing value as the measure's default; the same, unless a system lacks more than half of the topics of a view;
            or leave out the topics that a system lacks.

        Raises
        ------
        irmx.errors.DataError
            If a system lacks more than half of the topics.
        irmx.errors.UsageError
            If none of these is asked.

        Examples
        --------
        >>> import irmx, numpy as np
        >>> values = np.array([[1.0, 0.5], [np.nan, 1.0]])[:, :, None]
        >>> scores = irmx.Scores(values, ("q", "r"), ("one", "two"), (irmx.parse_measure("RR"),))
        >>> scores.means()["RR"].to_dict(), scores.with_missing("both").means()["RR"].to_dict()
        ({'one': 0.5, 'two': 0.75}, {'one': 1.0, 'two': 0.5})
        """
        if missing not in self.MISSING:
            raise UsageError(
                f"Missing values can be: {', '.join(self.MISSING)}.{suggest(str(missing), self.MISSING)} Got {missing!r} instead."
            )
        lacks, states = self.missing, self.states
        if missing == "refuse":
            self._refuse_many(lacks)
        left_out = (states >= State.UNDEFINED).all(axis=1, keepdims=True) | (states >= State.ABSENT).all(axis=(0, 1))
        if missing == "both":
            left_out |= lacks.any(axis=1, keepdims=True)
        states = np.where(left_out, np.int8(State.OUTSIDE), np.where(lacks, np.int8(State.DEFAULT), states))
        values = np.where(lacks & np.isnan(self.values), self._defaults, self.values)
        return replace(self, values=values, states=states)

    @property
    def _defaults(self) -> Floats:
        """The default of the measure of every view."""
        return np.array([float(measure.DEFAULT) for measure in self.measures])

    def _refuse_many(self, lacks: Bools) -> None:
        """Raise if a system lacks more than half of the topics of a view: it probably did not run on them."""
        many = 2 * lacks.sum(axis=0) > self.in_view.sum(axis=0)
        for s, v in np.argwhere(many)[:1].tolist():
            topics = [self.topics[t] for t in np.flatnonzero(lacks[:, s, v]).tolist()]
            of = f" of {self.names[v]}" if len(self.measures) > 1 else ""
            raise DataError(
                f"{self.systems[s]} has no results{of} for {len(topics)} of {int(self.in_view[:, v].sum())} topics ({list_some(topics, 5)}): did "
                "it run? Leave it out; or give --missing zero, in Python missing='zero', to count these topics with the default of "
                "the measure, mostly 0; or --missing both, to leave them out for all."
            )

    # -- parts -------------------------------------------------------------------------------------------

    def __getitem__(self, view: str | ir_measures.Measure) -> Floats:
        """Return the values of one view, or of the only view of a measure, shape (topics, systems)."""
        places = self._places_of_views(view)
        if len(places) != 1:
            raise UsageError(
                f"{view} stands for {len(places)} views of the scores: {list_some([self.names[v] for v in places])}. Name one."
            )
        values: Floats = self.values[:, :, places[0]]
        return values

    def select(
        self,
        topics: str | Iterable[str] | None = None,
        systems: str | Iterable[str] | None = None,
        measures: Measures | None = None,
        *,
        views: Any = None,
    ) -> Scores:
        """Return the scores of some topics, systems, measures or views, in the order given; by default of all.

        Parameters
        ----------
        topics, systems : str or iterable of str, optional
            Their names.
        measures : str, Measure or iterable of them, optional
            The measures, of which all views are kept.
        views : str, iterable of str, or bool array, optional
            The texts of views, a mask, or a query of the table :attr:`views`, such as ``"judgments == 'llm'"``.

        Raises
        ------
        irmx.errors.UsageError
            For an unknown name, whose message suggests the closest, and one that is given twice.
        """
        several: Any = range(len(self.measures))
        if measures is not None:
            several = self._places_of_measures(measures)
        elif views is not None:
            several = self._places_of_views(views)
        places = [self._places("topic", self.topics, topics), self._places("system", self.systems, systems), [*several]]
        at = np.ix_(*places)
        return Scores(
            self.values[at],
            tuple(self.topics[i] for i in places[0]),
            tuple(self.systems[i] for i in places[1]),
            tuple(self.measures[i] for i in places[2]),
            self.states[at],
            {name: array[at] for name, array in self.fields.items()},
            self.made_by,
            {name: tuple(of_views[i] for i in places[2]) for name, of_views in self.marks.items()},
        )

    def _places_of_views(self, asked: Any) -> list[int]:
        """Return the places of views: texts of views or measures, a mask, or a query."""
        if isinstance(asked, (str, ir_measures.Measure)):
            if str(asked) in self.names:
                return [self.names.index(str(asked))]
            if isinstance(asked, str) and any(sign in asked for sign in "<>=!") and any(n in asked for n in self.views):
                try:
                    kept = self.views.reset_index(drop=True).query(asked)
                except (SyntaxError, ValueError, TypeError, NameError) as error:
                    raise UsageError(
                        f"{asked!r} is no condition on views, such as \"judgments == 'human'\" or '`RBP.p` > 0.5': {error}."
                    ) from None
                return [int(place) for place in kept.index]
            return self._places_of_measures(asked)
        listed = list(asked)
        if listed and all(isinstance(one, (bool, np.bool_)) for one in listed):
            return [int(place) for place in np.flatnonzero(np.array(listed))]
        return [place for one in listed for place in self._places_of_views(one)]

    def _places_of_measures(self, asked: Measures) -> list[int]:
        """Return the places of all views of some measures; what nothing else knows is not parsed."""
        of_text: dict[str, list[int]] = {}
        for place, measure in enumerate(self.measures):
            of_text.setdefault(str(measure), []).append(place)
        canonical_text = {str(with_plain_numbers(m)): str(m) for m in self.measures} | {text: text for text in of_text}
        several = [asked] if isinstance(asked, (str, ir_measures.Measure)) else list(asked)
        found: list[int] = []
        for one in several:
            texts = [str(one)] if str(one) in of_text else []
            for measure in () if texts else as_measures(one):
                texts.append(
                    canonical_text.get(str(measure), canonical_text.get(str(with_plain_numbers(measure)), str(measure)))
                )
            for text in texts:
                self._places("measure", tuple(of_text), [text])
                found += of_text[text]
        return found

    @staticmethod
    def _places(kind: str, known: Sequence[Any], selected: Any) -> list[int]:
        if selected is None:
            return list(range(len(known)))
        place = {str(name): i for i, name in enumerate(known)}
        names = [selected] if isinstance(selected, str) else list(selected)
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise UsageError(f"The {kind} {str(twice)!r} is chosen twice. Choose it once.")
        for name in names:
            if str(name) not in place:
                near = suggest(str(name), place)
                raise UsageError(
                    f"The scores have no {kind} {str(name)!r}.{near} They have: {list_some(place, _LISTED)}."
                )
        return [place[str(name)] for name in names]

    # -- tables ------------------------------------------------------------------------------------------

    def means(self) -> pd.DataFrame:
        """Return the mean over topics, by the measure's own aggregator: one row per system, one column per view.

        An absent value counts as the measure's default; the aggregator says what an undefined one is.
        """
        import pandas as pd

        values = np.where(self.states == State.ABSENT, self._defaults, self.values)
        in_view = self.in_view
        rows = [
            [mean_of(measure, TopicScores(values[in_view[:, m], s, m])) for m, measure in enumerate(self.measures)]
            for s in range(len(self.systems))
        ]
        index = pd.Index(self.systems, name="system")
        return pd.DataFrame(rows, index=index, columns=list(self.names), dtype=float)

    def frame(self) -> pd.DataFrame:
        """Return one row per topic, system and view: query_id, system, measure, what it is marked with, value, and the fields.

        If any value is not scored, or a topic is outside a view, the column ``state`` after value says what every value is, such as
        ``default`` or ``undefined``. A topic outside a view has no row.
        """
        frame = self._whole_frame()
        return frame[self.states.ravel() != State.OUTSIDE].reset_index(drop=True)

    def _whole_frame(self) -> pd.DataFrame:
        """Return :meth:`frame` with rows of topics outside their views."""
        import pandas as pd

        t, s, m = (index.ravel() for index in np.indices(self.values.shape))
        names = [str(measure) for measure in self.measures]
        columns = {
            "query_id": np.array(self.topics, dtype=object)[t],
            "system": np.array(self.systems, dtype=object)[s],
            "measure": np.array(names, dtype=object)[m],
            **{name: pd.Series(list(of_views)).to_numpy()[m] for name, of_views in self.marks.items()},
            "value": self.values.ravel(),
        }
        if self.states.any():
            columns[_STATE] = _STATE_NAMES[self.states.ravel()]
        return pd.DataFrame({**columns, **{name: array.ravel() for name, array in self.fields.items()}})

    @classmethod
    def from_frame(cls, frame: pd.DataFrame) -> Scores:
        """Return scores from a table with one row per topic, system and view, such as :meth:`frame` returns.

        Parameters
        ----------
        frame : DataFrame, or a table that speaks Arrow
            The columns query_id, system, measure and value; columns of marks, such as judgments, are those of views, and other
            numeric columns after value are fields. The result of
            ``pt.Experiment(..., perquery=True)``, with qid and name, is also accepted. A measure that irmx
            does not know keeps its name. A value that is NaN or has no row is absent, unless a column ``state`` says otherwise;
            with one, a topic without any row in a view is outside it.

        Raises
        ------
        irmx.errors.DataError
            If a column is missing, or if two rows have the same topic, system and view.

        Warns
        -----
        irmx.errors.DataWarning
            About topics for which a system lacks a value.
        """
        import pandas as pd

        if (rows := arrow_of(frame)) is not None:  # of polars, or another that speaks Arrow
            frame = rows.to_pandas()
        frame = frame.rename(columns={k: v for k, v in _OTHER_NAMES.items() if v not in frame.columns})
        lacking = [name for name in _COLUMNS if name not in frame.columns]
        if lacking:
            raise DataError(
                f"Scores need the column {lacking[0]!r}: they have {', '.join(_COLUMNS)}. The table has "
                f"{', '.join(map(str, frame.columns))}."
            )
        marks = marks_of(map(str, frame.columns))
        (t, topics), (s, systems) = (pd.factorize(frame[c].astype(str)) for c in _COLUMNS[:2])
        of_rows = frame[["measure", *marks]].fillna(dict.fromkeys(marks, "")).astype({"measure": str})
        v = of_rows.groupby(["measure", *marks], sort=False, dropna=False).ngroup().to_numpy()
        of_views = of_rows.iloc[np.unique(v, return_index=True)[1]]
        measures = tuple(measure_named(str(text)) for text in of_views["measure"])
        of_marks = {name: tuple(of_views[name].tolist()) for name in marks}
        places, shape = (t, s, v), (len(topics), len(systems), len(measures))
        twice = np.flatnonzero(pd.Index(np.ravel_multi_index(places, shape, mode="wrap")).duplicated())
        if len(twice):
            t, s, v = (axis[twice[0]] for axis in places)
            raise DataError(
                f"The scores have {names_of(measures, of_marks)[v]} of {systems[s]} for topic {topics[t]} twice."
            )
        values, states = np.full(shape, np.nan), np.full(shape, State.ABSENT, dtype=np.int8)
        values[places] = frame["value"].to_numpy(dtype=float)
        states[places] = State.SCORED
        if _STATE in frame:
            states[places] = states_named(frame[_STATE])
            has_row = np.zeros(shape, dtype=bool)
            has_row[places] = True
            states[~np.broadcast_to(has_row.any(axis=1, keepdims=True), shape)] = State.OUTSIDE
        fields = {}
        others = [c for c in frame.columns if c not in (*_COLUMNS, *marks) and frame[c].dtype.kind in "iuf"]
        for name in others:
            fields[str(name)] = np.full(shape, np.nan)
            fields[str(name)][places] = frame[name].to_numpy(dtype=float)
        scores = cls(values, tuple(topics), tuple(systems), measures, states, fields, {}, of_marks)
        scores._warn_of_absent()
        return scores

    def _warn_of_absent(self) -> None:
        """Warn of topics without a value, and of measures whose default is not known."""
        absent = (self.states == State.ABSENT).any(axis=2)
        unknown = [str(measure) for measure in self.measures if isinstance(measure, NamedMeasure)]
        zero = f", which is 0 for {list_some(dict.fromkeys(unknown))}" if unknown else ""
        for system, lacks in zip(self.systems, absent.T, strict=True):
            if lacks.any():
                topics = [self.topics[t] for t in np.flatnonzero(lacks)]
                warnings.warn(
                    f"{system}: {lacking_topics(topics, len(self.topics))}{zero}",
                    DataWarning if unknown else MissingTopicsWarning,
                    stacklevel=3,
                )

    # -- files -------------------------------------------------------------------------------------------

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write the table of :meth:`frame`, with its provenance, to a parquet file, which :func:`irmx.toolkit.new_file` makes.

        Raises
        ------
        irmx.errors.DataError
            If it cannot be written.
        """
        import pandas as pd
        import pyarrow as pa
        import pyarrow.parquet as pq

        about = {
            "schema": _SCHEMA,
            "topics": self.topics,
            "systems": self.systems,
            "measures": [str(m) for m in self.measures],
            "made_by": self.made_by,
            "marks": self.marks,
            "less_is_better": sorted(
                {str(m) for m in self.measures if isinstance(m, NamedMeasure) and m.LESS_IS_BETTER}
            ),
        }
        frame = self._whole_frame().assign(**{_STATE: pd.Categorical.from_codes(self.states.ravel(), _STATE_NAMES)})
        for name in self.marks:  # a column of numbers has none where a view lacks the mark
            if any(isinstance(mark, (int, float)) for mark in self.marks[name]):
                frame[name] = frame[name].replace("", None).astype(float)
        table = pa.Table.from_pandas(frame, preserve_index=False)
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

        name = name_of(path)
        fetched = io.BytesIO(content_of(path, "score")) if is_address(path) else None
        try:
            with fetched or open(path, "rb") as file:  # once, because another process may put a new one in its place
                table = pq.read_table(file)
        except (pa.ArrowException, OSError) as error:
            raise DataError(f"{name} cannot be read as a parquet file of scores: {error}") from None
        about = _about(name, (table.schema.metadata or {}).get(_METADATA, b"{}"))
        try:
            topics, systems, names = (tuple(map(str, about[key])) for key in ("topics", "systems", "measures"))
            shape = (len(topics), len(systems), len(names))
            for column, axis, places in zip(_COLUMNS, (topics, systems, names), np.indices(shape), strict=False):
                if table.column(column).to_pylist() != np.array(axis, dtype=object)[places.ravel()].tolist():
                    raise ValueError(f"other values of {column}")
            others = [c for c in table.column_names if c not in (*_COLUMNS, _STATE, *about["marks"])]
            arrays = {c: np.array(table.column(c).to_pandas(), dtype=float).reshape(shape) for c in ("value", *others)}
            states = states_named(table.column(_STATE).to_pandas()).reshape(shape)
            marks = {key: tuple(values) for key, values in about["marks"].items()}
            measures = tuple(map(measure_named, names))
            scores = cls(arrays.pop("value"), topics, systems, measures, states, arrays, about["made_by"], marks)
            return scores.less_is_better(*about["less_is_better"])
        except (ValueError, TypeError, LookupError, AttributeError) as error:  # all for one reason: the file is damaged
            raise DataError(f"{name} is damaged: its scores are not what it records about them ({error}).") from None


_STATE_NAMES = np.array([state.name.lower() for state in State], dtype=object)


def states_named(names: Iterable[Any]) -> np.ndarray[Any, np.dtype[np.int8]]:
    """Return the states with some names, those of a column of a table; an empty one is scored."""
    import pandas as pd

    texts = pd.Series(names, dtype=object).fillna("scored").replace("", "scored").astype(str)
    states: np.ndarray[Any, np.dtype[np.int8]] = pd.Index(_STATE_NAMES).get_indexer(pd.Index(texts)).astype(np.int8)
    for text in texts[states < 0]:
        raise DataError(f"There is no state {text!r}.{suggest(text, _STATE_NAMES)} Known: {', '.join(_STATE_NAMES)}.")
    return states


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
    return dict(about)
