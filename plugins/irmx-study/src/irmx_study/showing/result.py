"""The result of a study: tables, facts, notes and pictures, and how they are shown."""

from __future__ import annotations

import io
import math
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, TextIO

from irmx import Scores, UsageError, registry
from irmx.toolkit import (
    html_result,
    in_markdown,
    picture_style,
    picture_width,
    print_rows,
    versions_of,
    visible,
)
from irmx_study.inputs.choices import Choices, refuse_unknown

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


SHOWN = 10
"""A notebook shows so many rows of a table."""

Titled = tuple[str, Any]
"""A table for reading, under its title."""

_SHORT = {
    "difference": "diff", "difference_needed": "needed", "reliable_from": "reliable", "smallest": "min", "largest": "max",
    "if_nonrelevant": "if not relevant",
}  # fmt: skip
"""Names of columns in tables for reading, so that they fit a terminal."""

_PARAMETER = re.compile(r"\w+\.\w+")
"""A column of values of a parameter, such as RBP.p."""


@dataclass(eq=False, repr=False)
class Result:
    """The result of a study: tables that are computed when they are asked for, facts, notes and pictures.

    Attributes
    ----------
    title : str
        What it is, in a few words.
    tables : dict of str to function
        What makes each table, by name; the first is the main one.
    scores : Scores or None
        What was studied.
    choices : Choices or None
        How systems were compared, if they were.
    make_facts : function
        Returns what a table of the result must state.
    make_notes : function
        Returns what a reader must know about the data.
    pictures : dict of str to str
        The functions that draw it, by the kind of picture; the first is the main one.
    layouts : dict of str to function
        What makes the tables for reading in place of a table, given the decimal places.

    Examples
    --------
    >>> import irmx_study
    >>> plan = irmx_study.power(sd=0.2, topics=50, difference=0.05)
    >>> plan.frame().round(3)
       topics   sd  detectable  difference  needed
    0      50  0.2       0.081        0.05     128
    >>> plan.facts()["power"]
    '0.8'
    """

    NEEDS: ClassVar[Mapping[str, str]] = {}
    """What the tables and pictures need that only some results have."""

    title: str
    tables: Mapping[str, Callable[[], pd.DataFrame]]
    scores: Scores | None = None
    choices: Choices | None = None
    make_facts: Callable[[], Mapping[str, str]] = field(default=dict)
    make_notes: Callable[[], Iterable[str]] = field(default=tuple)
    pictures: Mapping[str, str] = field(default_factory=dict)
    layouts: Mapping[str, Callable[[int], Sequence[Titled]]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<{self.title}>"

    def __str__(self) -> str:
        """The tables for reading, and the facts and notes below them, as ``print`` shows them."""
        text = _Text()
        self._write("table", self.tables_for_reading(None, 4), 4, text)
        write_facts(self._below(), text)
        return "\n".join(line.rstrip() for line in text.getvalue().splitlines())

    def _repr_html_(self) -> str:
        return self.to_html(most=SHOWN)

    def table_named(self, name: str | None) -> str:
        """Return the name of a table, by default of the main one.

        Raises
        ------
        irmx.errors.UsageError
            If the result has no such table.
        """
        return self._known("table", name, self.tables)

    def _known(self, noun: str, name: str | None, known: Collection[str]) -> str:
        """Return the name of a table or picture, by default the first; one that only another result has is refused with what it needs."""
        if name is None:
            return next(iter(known))
        if name in self.NEEDS and name not in known:
            raise UsageError(f"The {noun} {name!r} needs {self.NEEDS[name]}. Without, there are {', '.join(known)}.")
        refuse_unknown(noun, name, known)
        return name

    def frame(self, name: str | None = None) -> pd.DataFrame:
        """Return a table of the result, by default the main one; :attr:`tables` has the names of all."""
        return self._made(f"table {self.table_named(name)}", self.tables[self.table_named(name)]).copy()

    def _made(self, key: str, make: Callable[[], Any]) -> Any:
        """Return what a function makes, which is called once."""
        kept = self.__dict__.setdefault("_kept", {})
        if key not in kept:
            kept[key] = make()
        return kept[key]

    def facts(self) -> dict[str, str]:
        """Return what a table of the result must state, such as the test, the seed and the versions."""
        return dict(self._made("facts", self.make_facts))

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know about the data."""
        return tuple(self._made("notes", lambda: tuple(self.make_notes())))

    def summary(self) -> pd.DataFrame:
        """Return the table for reading: the first that is printed."""
        import pandas as pd

        rows = self.tables_for_reading()[0][1]
        return rows if hasattr(rows, "columns") else pd.DataFrame(rows)

    def holds(self, query: str, by: str | None = None, table: str | None = None) -> pd.DataFrame:
        """Return in how many rows of a table a statement holds, such as for how many settings of a measure.

        Parameters
        ----------
        query : str
            The statement, as :meth:`pandas.DataFrame.eval` takes it, such as ``"tau < 0.9"``.
        by : str, optional
            A column, for one row per value of it.
        table : str, optional
            The table; by default ``"views"``, if there is one, otherwise the main one.

        Returns
        -------
        DataFrame
            The ``rows`` that there are, in how many it ``holds``, and their ``share``; with weights, that of the users.
        """
        import pandas as pd

        frame = self.frame(("views" if "views" in self.tables else None) if table is None else table)
        holds = frame.eval(query).astype(bool)
        weights = frame["share"] if "share" in frame else pd.Series(1.0, frame.index)
        groups = (
            [((), frame.index)] if by is None else [(key, rows.index) for key, rows in frame.groupby(by, sort=False)]
        )
        rows = []
        for key, index in groups:
            share = weights[index][holds[index]].sum() / weights[index].sum()
            row = {"rows": len(index), "holds": int(holds[index].sum()), "share": float(share)}
            rows.append(row if by is None else {by: key, **row})
        return pd.DataFrame(rows)

    # -- pictures ----------------------------------------------------------------------------------------

    def plot(self, kind: str | None = None, ax: Any = None, *, width: float | None = None, **options: Any) -> Axes:
        """Draw a picture of the result, by default the main one.

        Parameters
        ----------
        kind : str, optional
            The kind of picture; :attr:`pictures` has the names of all.
        ax : Axes or sequence of Axes, optional
            Where to draw; by default on a new figure.
        width : float, optional
            The width of a new figure in inches, with text of 8 points: 3.35 for a column of a paper, 7 for a page.
        **options
            What the picture takes beside these, such as ``view``, ``a`` and ``b`` for the topics of a comparison.

        Returns
        -------
        Axes
            What was drawn on, the first of several; its ``figure`` is the picture.

        Raises
        ------
        irmx.errors.UsageError
            If there is no such picture, or matplotlib is not installed.
        """
        kinds = self.pictures
        if not kinds:
            raise UsageError("This result has no picture.")
        module, _, function = kinds[self._known("picture", kind, kinds)].partition(":")
        with picture_width(width), picture_style({"legend.fontsize": "small", "axes.titlesize": "medium"}):
            drawn: Axes = getattr(import_module(f"irmx_study.{module}"), function)(self, ax, **options)
        return drawn

    # -- for reading -------------------------------------------------------------------------------------

    def tables_for_reading(self, table: str | None = None, places: int = 4, **options: Any) -> list[Titled]:
        """Return what is printed for reading in place of a table: titles, and rows of cells."""
        name = self.table_named(table)
        if name in self.layouts:
            return list(self.layouts[name](places))
        return [("", for_reading(self.frame(name), places))]

    def to_markdown(self, table: str | None = None, places: int = 4, **options: Any) -> str:
        """Return the tables for reading in GitHub's Markdown, with the facts and notes as a list below them."""
        out = io.StringIO()
        for title, rows in self.tables_for_reading(table, places, **options):
            if rows is None:
                print(*(f"{in_markdown(line)}\n" for line in title.splitlines()), sep="\n", file=out)
                continue
            if title:
                print(f"**{in_markdown(title)}**\n", file=out)
            print_rows(rows, "markdown", places=places, file=out)
            print(file=out)
        for name, text in self._below():
            print(f"- {name}: {in_markdown(text)}", file=out)
        return out.getvalue()

    def to_latex(self, table: str | None = None, places: int = 4, **options: Any) -> str:
        """Return the tables for reading in LaTeX, which needs the package ``booktabs``; their titles are comments."""
        out = io.StringIO()
        for title, rows in self.tables_for_reading(table, places, **options):
            out.writelines(f"% {visible(line)}\n" for line in title.split("\n") if line)
            if rows is not None:
                print_rows(rows, "latex", places=places, file=out)
        return out.getvalue()

    def to_html(self, table: str | None = None, places: int = 4, most: int = 10**9) -> str:
        """Return the tables for reading as a part of a page in HTML, with the facts and notes below them."""
        titled = self.tables_for_reading(table, places)
        tables = {title or " " * i: rows for i, (title, rows) in enumerate(titled) if rows is not None}
        sentences = [line for title, rows in titled if rows is None for line in title.split("\n") if line]
        return html_result(repr(self), tables, self.facts(), [*sentences, *self.notes], places=places, most=most)

    def _below(self) -> list[tuple[str, str]]:
        """Return what stands below the tables: names of facts and what they are, then notes, with no control characters."""
        facts = [*self.facts().items(), *(("note", note) for note in self.notes)]
        return [(name, visible(text)) for name, text in facts]

    def show(
        self, output_format: str = "table", table: str | None = None, places: int | None = None, **options: Any
    ) -> None:
        """Print a table in an output format: for reading with titles and facts; for programs as it is, and the facts on standard error.

        Parameters
        ----------
        output_format : str
            Such as ``"table"``, ``"csv"``, ``"jsonl"``, ``"markdown"`` or ``"latex"``.
        table : str, optional
            The table, by default the main one.
        places : int, optional
            Decimal places, -1 for all; by default 4, and all for programs.
        **options
            What the tables for reading take, such as ``sort`` for a comparison.
        """
        for_programs = not registry().output_formats()[output_format].FOR_READING
        places = (-1 if for_programs else 4) if places is None else places
        if output_format == "markdown":
            print(self.to_markdown(table, places, **options), end="")
            return
        if output_format == "latex":
            print(self.to_latex(table, places, **options), end="")
        elif for_programs:
            print_rows(self.frame(table), output_format, places=places)
        else:
            text: TextIO = sys.stdout if sys.stdout.isatty() else _Text()
            self._write(output_format, self.tables_for_reading(table, places, **options), places, text)
            if isinstance(text, io.StringIO):  # to a file, with no spaces at the ends of lines
                sys.stdout.writelines(f"{_in(sys.stdout, line.rstrip())}\n" for line in text.getvalue().splitlines())
        out = sys.stdout if output_format == "table" else sys.stderr
        write_facts(self._below(), out)

    def _write(self, output_format: str, tables: Sequence[Titled], places: int, text: TextIO) -> None:
        """Write the tables for reading, each under its title."""
        for title, rows in tables:
            if title and output_format == "table":
                print(*map(visible, title.split("\n")), sep="\n", file=text)
            elif title and output_format == "html":
                print(f"<p>{escape(visible(title))}</p>", file=text)
            if rows is not None:
                print_rows(rows, output_format, places=places, file=text)


class _Text(io.StringIO):
    """A text in the encoding of standard output, for which the lines of tables are chosen."""

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return getattr(sys.stdout, "encoding", None) or "utf-8"


_PLAIN = {ord("▲"): "^", ord("▼"): "v", ord("−"): "-", ord("·"): "."}
"""Signs for encodings that lack ours."""


def _in(out: TextIO, text: str) -> str:
    """Return a text with signs that the encoding of a stream has."""
    try:
        text.encode(getattr(out, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return text.translate(_PLAIN)
    return text


def write_facts(facts: Sequence[tuple[str, str]], out: TextIO) -> None:
    """Write facts and notes, one per line; folded to the width of a terminal."""
    width = shutil.get_terminal_size().columns if out.isatty() else None
    start = max((len(name) for name, _ in facts), default=0) + 2
    for name, text in facts:
        lines = textwrap.wrap(text, width - start, break_on_hyphens=False) if width and width > 2 * start else [text]
        print(_in(out, f"{name:<{start}}" + f"\n{' ' * start}".join(lines)), file=out)


def for_reading(frame: pd.DataFrame, places: int, drop: Sequence[str] = (), coverage: str = "") -> list[dict[str, Any]]:
    """Return a table as rows of cells for reading: an interval, and the topics won, tied and lost, in one cell each."""
    rows = []
    for record in frame.drop(columns=[name for name in drop if name in frame]).to_dict("records"):
        cells: dict[str, Any] = {}
        for name, value in record.items():
            if name == "low" and "high" in record:
                cells[f"{coverage} interval".strip()] = interval(value, record["high"], places)
            elif name == "wins" and "losses" in record:
                cells["W/T/L"] = (
                    "" if value != value else "/".join(f"{record[n]:.0f}" for n in ("wins", "ties", "losses"))
                )
            elif name in ("high", "ties", "losses") and ("low" in record or "wins" in record):
                continue
            elif (_PARAMETER.fullmatch(str(name)) or name in ("lower", "upper")) and isinstance(value, float):
                cells[str(name)] = f"{value:g}" if value == value else None
            else:
                cells[_SHORT.get(str(name), str(name))] = value if value == value else None
        rows.append(cells)
    return rows


def fixed(value: float, places: int) -> str:
    """Return a number with so many decimal places, -1 for all."""
    return repr(float(value)) if places == -1 else f"{value:.{places}f}"


def interval(low: float, high: float, places: int, number: Callable[[float, int], str] = fixed) -> str:
    """Return an interval as a text; empty for one that is not there."""
    return "" if low != low else f"[{number(low, places)}, {number(high, places)}]"


def p_text(p: float, places: int = 4) -> str:
    """Return a p-value as a text, which is never 0.

    >>> p_text(0.00001), p_text(0.0312)
    ('<0.0001', '0.0312')
    """
    if p != p:
        return ""
    if places != -1 and p < 0.5 * 10.0**-places:
        return f"<{10.0**-places:.{places}f}"
    return fixed(p, places)


def p_statement(p: float) -> str:
    """Return what a p-value is equal to or below.

    >>> p_statement(0.00001), p_statement(0.2113)
    ('p < 0.0001', 'p = 0.2113')
    """
    text = p_text(p)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"


def versions_fact(scores: Scores | None) -> str:
    """Return the versions of what computes the measures of scores, if there are any."""
    versions = versions_of(scores.measures if scores else ())
    return ", ".join(f"{name} {number}" for name, number in versions.items())


def topics_lacking(scores: Scores) -> Iterator[str]:
    """Yield a note on topics that systems lack."""
    if lacking := scores.lacking():
        yield f"topics without results, which count with the measures' defaults: {listing(lacking)}"


def listing(names: Sequence[str], most: int = 5) -> str:
    """Return names as a list for a sentence, of many the first."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def places_below(largest: float, places: int) -> int:
    """Return the decimal places with which numbers have as many digits as those below 10 have.

    >>> places_below(0.9, 4), places_below(3015.7, 4)
    (4, 1)
    """
    return max(0, places - int(math.log10(largest))) if largest >= 10 and math.isfinite(largest) else places


def joined(words: Sequence[Any]) -> str:
    """Return an enumeration.

    >>> joined(["AP", "RR", "NCP"])
    'AP, RR and NCP'
    """
    return " and ".join(filter(None, [", ".join(map(str, words[:-1])), str(words[-1])]))
