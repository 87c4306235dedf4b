"""What a plugin declares beside measures: columns, named objects, commands and functions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pkgutil import resolve_name
from typing import Any, ClassVar, Literal, Protocol, TypeVar

import numpy as np

from irmx.declare.described import Formula, ParameterDoc, ParameterSignature, described
from irmx.declare.measure_failures import failures_of
from irmx.declare.params import Param, check_params
from irmx.errors import DataError, UsageError
from irmx.ragged import Array, short_repr
from irmx.registry import registry
from irmx.text import suggest

# -- the column vocabulary: the name, meaning and unit of every column that a measure may read -----------------------


TableName = Literal["run", "qrels", "scores"]
"""The two tables of an evaluation, and the values by topic that come out of one."""


@dataclass(frozen=True)
class SampleValues:
    """Sample values of a column, for the tables of the conformance kit and for the documentation.

    Attributes
    ----------
    values : sequence
        The values to draw from, such as ``range(8, 61)`` or ``("text", "image")``; empty for any small whole
        numbers, or any labels. They must fit those of the other columns that the same measures read.
    per : tuple of str
        The columns that determine a value: rows that agree in them have the same value. ``("query_id",)`` gives one value
        per topic, ``("query_id", "doc_id")`` one per document, ``("query_id", "iteration")`` one per subtopic or nugget.
        By default every row has its own value.
    orders : bool
        Whether a measure may order rows by it; in tables without ties, the values of a topic are then distinct.
    shares : bool
        Whether the values of a topic are scaled to add up to 1, as probabilities do.
    alone : tuple of str, optional
        For a column of labels by which results are grouped, the labels whose rows may be anywhere; the rows of every
        other label of a topic are adjacent, as one block. None if nothing is grouped.

    Examples
    --------
    >>> SampleValues(range(1, 10), per=("query_id", "doc_id")).shown
    '1 to 9, one per document'
    >>> SampleValues(("web", "news")).shown
    'web, news'
    """

    values: Sequence[Any] = ()
    per: tuple[str, ...] = ()
    orders: bool = False
    shares: bool = False
    alone: tuple[str, ...] | None = None

    __repr__ = short_repr

    @property
    def shown(self) -> str:
        """The values and what each belongs to, in words; empty if any value will do."""
        if not self.values:
            return ""
        if self.shares:
            text = "shares that add up to 1 over the topic"
        elif isinstance(self.values, range):
            text = f"{self.values[0]} to {self.values[-1]}"
            text += f" in steps of {self.values.step}" if self.values.step != 1 else ""
        else:
            text = ", ".join(str(value) for value in dict.fromkeys(self.values))
        owner = {"query_id": "topic", "doc_id": "document", "iteration": "subtopic"}
        return f"{text}, one per {owner.get(self.per[-1], self.per[-1])}" if self.per else text


@dataclass(frozen=True)
class Column:
    """A column of a run or of the qrels.

    Attributes
    ----------
    table : {"run", "qrels"}
        The table it belongs to.
    name : str
        Its name.
    desc : str
        Its meaning.
    unit : str
        Its unit, if it has one.
    dtype : {"float", "str"}
        Whether it holds numbers or labels.
    how : str
        How a user whose data lack the column can get it, as an imperative: ``"add it to the file"``.
    optional : bool
        Whether a measure that declares it also works without it.
    instead : str
        A column that measures read in its place if a parameter says so, as explained in ``how``.
    sample : SampleValues
        Its values in sample tables.
    declares : bool
        For a column of the run: whether a row may have a value here and no document. Such a row says that a part of the topic, such
        as a query of a session, has no documents, and needs no score; :attr:`irmx.Rows.declares` finds it. A measure that does not
        read the column refuses such runs.
    """

    table: TableName
    name: str
    desc: str
    unit: str = ""
    dtype: Literal["float", "str"] = "float"
    how: str = ""
    optional: bool = False
    instead: str = ""
    sample: SampleValues = SampleValues()
    declares: bool = False

    __repr__ = short_repr


RELEVANCE = Column("qrels", "relevance", "grade; floats are allowed")
ITERATION = Column("qrels", "iteration", "subtopic or nugget id", dtype="str")

BASE: tuple[Column, ...] = (
    Column("run", "query_id", "id of the topic", dtype="str"),
    Column("run", "doc_id", "id of the document", dtype="str"),
    Column("run", "score", "what the system ranks by; larger is better"),
    Column("qrels", "query_id", "id of the topic", dtype="str"),
    Column("qrels", "doc_id", "id of the document", dtype="str"),
    RELEVANCE,
    ITERATION,
)
"""The columns that the host itself knows."""


def vocabulary() -> tuple[Column, ...]:
    """Return every column once: those of every run and qrels, and those that the measures of all plugins declare.

    If several plugins declare a column, such as the length of a document, the first declaration is returned.

    Examples
    --------
    >>> import irmx
    >>> [column.name for column in irmx.toolkit.vocabulary() if column.table == "run"][:3]
    ['query_id', 'doc_id', 'score']
    """
    declared = [c for m in registry().measures().values() for c in (*m.RUN_COLUMNS, *m.QREL_COLUMNS)]
    return tuple({(c.table, c.name): c for c in (*BASE, *declared)}.values())


class ReadsColumns(Protocol):
    """What reads columns, such as a measure."""

    def run_columns(self) -> Sequence[Column]:
        """Return the columns of runs that it reads."""

    def qrel_columns(self) -> Sequence[Column]:
        """Return the columns of qrels that it reads."""


def needed(table: TableName, measures: Iterable[ReadsColumns]) -> list[str]:
    """Return the names of the extra columns that measures require."""
    read = (c for m in measures for c in columns_of(m) if c.table == table)
    return list(dict.fromkeys(c.name for c in read if not c.optional))


def columns_of(measure: ReadsColumns) -> tuple[Column, ...]:
    """Return the extra columns of runs and of qrels that a measure reads."""
    with failures_of(measure):
        return (*measure.run_columns(), *measure.qrel_columns())


def unit_conflict_message(measures: Iterable[ReadsColumns]) -> str:
    """Return the message about measures that read a column in different units, empty if none do."""
    first: dict[tuple[str, str], tuple[ReadsColumns, str]] = {}
    for measure in measures:
        for column in columns_of(measure):
            other, unit = first.setdefault((column.table, column.name), (measure, column.unit))
            if unit != column.unit:
                return (
                    f"{other} reads the {column.table} column {column.name!r} in {unit or 'no unit'}, {measure} in "
                    f"{column.unit or 'no unit'}: one of them is wrong. Compute them separately, each on its own table."
                )
    return ""


REQUIRED: dict[str, tuple[str, ...]] = {
    "run": ("query_id", "doc_id", "score"),
    "qrels": ("query_id", "doc_id", "relevance"),
    "scores": ("query_id", "measure", "value"),
}
"""The columns that every run, every qrels table and every table of scores has."""

_IDS = {
    "qid": "query_id",
    "q_id": "query_id",
    "topic_id": "query_id",
    "topic": "query_id",
    "docno": "doc_id",
    "docid": "doc_id",
    "pid": "doc_id",
}

ALIASES: dict[str, dict[str, str]] = {
    "run": _IDS,
    "qrels": {
        **_IDS,
        "label": "relevance",
        "subtopic_id": "iteration",
        "query-id": "query_id",
        "corpus-id": "doc_id",
    },
    "scores": {},
}
"""The names of these columns in tables of PyTerrier, ir_datasets, BEIR, Pyserini, ranx and MS MARCO; of several for one column the first is it."""

_SCORE_IS_GRADE = ({"query-id", "corpus-id", "score"}, {"q_id", "doc_id", "score"})
"""The columns of qrels of BEIR and of ranx, where the score is the grade."""


CALLED_OTHERWISE = "IRMX_COLUMN"
"""The environment variable with the columns that a user names, such as ``grade=gain``, one a line."""

_ASKED = {"id": "doc_id", "topic": "query_id", "grade": "relevance"}


def column_named(text: str) -> tuple[str, str]:
    """Return a column, and what files call it, from ``COLUMN=NAME``.

    >>> column_named("grade=gain")
    ('relevance', 'gain')

    Raises
    ------
    irmx.errors.UsageError
        If it is of another form.
    """
    name, equals, called = text.partition("=")
    known = {*_ASKED, *(column.name for column in vocabulary())}
    if not equals or not called or name not in known:
        which = f"{suggest(name, known)} Known: {', '.join(sorted(known))}"
        raise UsageError(
            f"A column is written COLUMN=NAME, such as grade=gain. Got {text!r} instead.{'' if name in known else which}."
        )
    return _ASKED.get(name, name), called


def _asked_for(table: TableName) -> dict[str, str]:
    """Return the columns by what a user says that files call them; grades are of qrels, scores of runs."""
    asked = os.environ.get(CALLED_OTHERWISE, "")
    columns = [column_named(text) for text in asked.split("\n") if text]
    other = {"run": "relevance", "qrels": "score"}.get(table)
    return {called: name for name, called in columns if name != other}


def canonical_names(table: TableName, names: list[str]) -> list[str]:
    """Return column names with aliases replaced, except where the canonical column is also present.

    >>> canonical_names("qrels", ["qid", "docno", "label"]), canonical_names("qrels", ["query-id", "corpus-id", "score"])
    (['query_id', 'doc_id', 'relevance'], ['query_id', 'doc_id', 'relevance'])
    """
    is_grade = table == "qrels" and any(columns.issubset(names) for columns in _SCORE_IS_GRADE)
    asked = _asked_for(table)
    for called, name in asked.items():
        if called not in names and name == REQUIRED[table][-1]:
            raise DataError(
                f"There is no column {called!r} in the {table}, which has {', '.join(names)}. Change --column."
            )
    asked = {called: name for called, name in asked.items() if called in names}
    taken = [name for name in ALIASES[table] if ALIASES[table][name] not in asked.values()]
    aliases = (
        {name: ALIASES[table][name] for name in taken}
        | ({"score": "relevance"} if is_grade and "relevance" not in asked.values() else {})
        | asked
    )
    used = {
        name: alias
        for alias, name in reversed(aliases.items())
        if alias in names and (name not in names or alias in asked)
    }
    return [aliases[n] if n in aliases and used.get(aliases[n]) == n else n for n in names]


def is_missing(values: Array) -> Array:
    """Tell where a column has no value."""
    return np.asarray(values != values if values.dtype.kind == "f" else values == None)  # noqa: E711


def missing_column(column: Column, present: list[str]) -> str:
    """Return the message about a missing column."""
    unit = f" ({column.unit})" if column.unit else ""
    how = f" To get it, {column.how}." if column.how else ""
    return f"the {column.table} column {column.name!r}, {column.desc}{unit}, is missing; the {column.table} has {', '.join(present)}.{how}"


# -- named objects that expressions use as parameter values ----------------------------------------------------------


S = TypeVar("S", bound="Symbol")


class Symbol:
    """A named object with a kind and parameters; calling it returns a variant with other parameters.

    A plugin subclasses it, sets the class attributes and registers an instance through the hook
    ``irmx_symbols``. In an expression the name alone, the quoted name and a call all work:
    ``MP(model=GL_AD_ID)``, ``MP(model="GL_AD_ID")``, ``MP(model=GL_AD_ID(self_loops=True))``.
    A parameter accepts the named objects of one kind, whichever plugin registered them.

    Attributes
    ----------
    NAME : str
        The name in expressions; unique among named objects of the same kind.
    KIND : str
        The kind, in the terms of the field, such as ``"Markov model"``.
    SHORT_DESC : str
        A description in one sentence.
    FORMULA : Formula or None
        Its formula and the meanings of its symbols, if it has one.
    SUPPORTED_PARAMS : dict of str to Param
        The declared parameters.
    EXAMPLES : tuple of str
        Expressions to show, for one whose name alone is not enough, such as ``("table(p=[0.5,0.3,0.2])",)``.
    ATTRIBUTE : bool
        Whether :mod:`irmx.symbols` has it by its name. False for a name that symbols of another kind may have, too; expressions
        know by the parameter which one is meant.

    Examples
    --------
    >>> from irmx import Param, Symbol
    >>> class Geometric(Symbol):
    ...     NAME, KIND, SHORT_DESC = "geometric", "law", "stops with probability p at each step"
    ...     SUPPORTED_PARAMS = {"p": Param(float, "stop probability", default=0.5, above=0, high=1)}
    >>> Geometric()(p=0.25)
    geometric(p=0.25)
    """

    NAME: str = ""
    KIND: ClassVar[str] = ""
    SHORT_DESC: str = ""
    FORMULA: Formula | None = None
    SUPPORTED_PARAMS: ClassVar[dict[str, Param]] = {}
    EXAMPLES: ClassVar[tuple[str, ...]] = ()
    ATTRIBUTE: ClassVar[bool] = True

    __signature__ = ParameterSignature()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.__doc__ = ParameterDoc(cls.__doc__)  # type: ignore[assignment]

    def __init__(self, **params: Any) -> None:
        name = getattr(type(self), "NAME", "")
        self.params = check_params(
            params, self.SUPPORTED_PARAMS, name if isinstance(name, str) and name else type(self).__name__
        )

    def __call__(self: S, **changes: Any) -> S:
        return type(self)(**{**self.params, **changes})

    def __getitem__(self, name: str) -> Any:
        return self.params.get(name, self.SUPPORTED_PARAMS[name].default)

    def _repr_html_(self) -> str:
        return described(repr(self), self, f"{self.KIND}: {self.SHORT_DESC}", ())

    def __repr__(self) -> str:
        return self.NAME + params_text({k: v for k, v in self.params.items() if v != self.SUPPORTED_PARAMS[k].default})

    @cached_property
    def _identity(self) -> tuple[str, str]:
        """What equal symbols have in common; made once, because measures look up by their model what they share."""
        return self.KIND, repr(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Symbol) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)


def params_text(params: dict[str, Any]) -> str:
    """Return ``(name=value,...)``, or an empty string without parameters; every value parses back."""
    return "(" + ",".join(f"{k}={value_text(v)}" for k, v in params.items()) + ")" if params else ""


def value_text(value: Any) -> str:
    """Return a parameter value as text that parses back to an equal value."""
    if isinstance(value, list):
        return "[" + ",".join(value_text(v) for v in value) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{value_text(k)}:{value_text(v)}" for k, v in value.items()) + "}"
    return repr(value)


# -- the classes with which a plugin adds a command to ``irmx`` ------------------------------------------------------


SECTIONS = {
    "score": "Score",
    "compare": "Compare systems",
    "study": "Study measures",
    "families": "Families (irmx WORD --help)",
    "extend": "Extend irmx",
}
"""The parts of ``irmx --help``."""


@dataclass(frozen=True)
class Command:
    """A command of ``irmx``.

    Attributes
    ----------
    NAME : str
        Its name.
    function : str
        The location of the command's function, such as ``"irmx_news.commands:fit"``; it is imported when the command
        is used. Its parameters are annotated with
        :class:`irmx.toolkit.Option` or :class:`irmx.toolkit.Argument`, and its docstring is the help text; or a command of click.
    group : str
        The word before the name, such as ``"news"`` in ``irmx news fit``; empty for none.
    SHORT_DESC : str
        One sentence, for lists of commands.
    EXAMPLES : tuple of str
        Command lines that its help shows, such as ``("irmx news fit log.csv",)``.
    SECTION : str
        The part of ``irmx --help`` that lists it: ``"score"``, ``"compare"``, ``"study"`` (of measures) or ``"extend"``;
        ``"families"`` lists the words that several commands begin with.
    SYNONYMS : tuple of str
        Other words that people type for it; the error for such a word names the command.
    """

    NAME: str
    function: str
    group: str = ""
    SHORT_DESC: str = ""
    EXAMPLES: tuple[str, ...] = ()
    SECTION: str = "extend"
    SYNONYMS: tuple[str, ...] = ()

    __repr__ = short_repr

    @property
    def words(self) -> str:
        """The words that a user types after ``irmx``.

        >>> Command("fit", "irmx_news.commands:fit", group="news").words
        'news fit'
        """
        return f"{self.group} {self.NAME}".strip()

    def load(self) -> Callable[..., Any]:
        """Import and return the function."""
        function: Callable[..., Any] = resolve_name(self.function)
        return function


@dataclass(frozen=True)
class Function:
    """A function that ``irmx`` has when a plugin is installed: ``irmx.NAME``.

    Attributes
    ----------
    NAME : str
        Its name.
    function : str
        The location of the function, such as ``"irmx_news:fit"``; it is imported when it is first used.
    SHORT_DESC : str
        One sentence, for lists.
    """

    NAME: str
    function: str
    SHORT_DESC: str = ""

    __repr__ = short_repr

    def load(self) -> Callable[..., Any]:
        """Import and return the function."""
        function: Callable[..., Any] = resolve_name(self.function)
        return function


QRELS_HELP = "Qrels: a TREC file, a table file with a header, - for standard input, an ir_datasets id, or FORMAT:PATH."
