"""How what an author writes is described: formulas in HTML and MathML, citations, parameters; and output formats."""

from __future__ import annotations

import inspect
import re
import sys
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import version
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, TextIO

import numpy as np

from irmx.declare.params import Param, duration, has_default
from irmx.errors import UsageError
from irmx.ragged import short_repr
from irmx.registry import registry
from irmx.text import visible

# -- formulas in LaTeX as MathML, which browsers show ----------------------------------------------------------------


_WORD = re.compile(
    r"\\(?:mathrm|text|operatorname)\{[^{}]*\}|\\(?:begin|end)\{[^{}]*\}(?:\{[^{}]*\})?|\\[a-zA-Z]+|\\.|[^\s{}]"
)


def formula_words(latex: str) -> list[str]:
    r"""Return the words of a formula: letters, commands, and upright words with their command, without braces and blanks.

    >>> formula_words(r"\mathrm{nDCG@}k = \frac{p_{s}}{2}")
    ['\\mathrm{nDCG@}', 'k', '=', '\\frac', 'p', '_', 's', '2']
    """
    return [word for word in _WORD.findall(latex) if word not in (r"\,", r"\;", r"\!", r"\ ", r"\displaystyle")]


@cache
def mathml(latex: str, display: str = "inline") -> str:
    r"""Return a formula in LaTeX as MathML; ``display`` is ``"inline"`` or ``"block"``.

    Examples
    --------
    >>> mathml(r"\frac{1}{2")
    Traceback (most recent call last):
    ...
    irmx.errors.UsageError: The formula '\\frac{1}{2' cannot be shown: a brace is not closed.
    """
    from latex2mathml.converter import convert

    upright = re.sub(
        r"\\mathrm\{([^{}\\]*)\}", r"\\text{\1}", latex
    )  # letter by letter otherwise, a single one in italics
    upright = upright.replace(r"\lvert", r"\left|").replace(r"\rvert", r"\right|")  # with the space of brackets
    problem = _problem_of(upright)
    text = ""
    if not problem:
        try:
            text = convert(upright, display=display)
        except Exception as error:  # the exceptions of latex2mathml have no other base class, and mostly no message
            problem = (
                str(error) or re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(error).__name__.removesuffix("Error")).lower()
            )
    unknown = re.search(r"\\[a-zA-Z]+|<mi>&</mi>", text)
    if unknown:
        problem = f"{unknown[0].replace('<mi>', '').replace('</mi>', '')} is not known here"
    if problem:
        raise UsageError(f"The formula {latex!r} cannot be shown: {problem}.")
    return text


def _problem_of(latex: str) -> str:
    """Return what is wrong with a formula that latex2mathml would convert all the same, or an empty string."""
    braces = re.sub(r"\\[{}]", "", latex)
    depth = 0
    for character in braces:
        depth += (character == "{") - (character == "}")
        if depth < 0:
            return "a brace is closed that was not opened"
    if depth:
        return "a brace is not closed"
    if re.search(r"\\text\{[^{}]*[<>&]", latex):
        return "a text in it has one of <, > and &"
    return "" if latex.strip() else "it is empty"


# -- citations of measures, user models and tools --------------------------------------------------------------------


_ACCENTS = {
    '"': "\N{COMBINING DIAERESIS}",
    "'": "\N{COMBINING ACUTE ACCENT}",
    "`": "\N{COMBINING GRAVE ACCENT}",
    "^": "\N{COMBINING CIRCUMFLEX ACCENT}",
    "~": "\N{COMBINING TILDE}",
}


@dataclass(frozen=True)
class Citation:
    """A publication, as BibTeX.

    Attributes
    ----------
    key : str
        The BibTeX key.
    entry : str
        The entry type, such as ``"inproceedings"``.
    fields : dict of str to str
        The BibTeX fields; short listings show ``doi``.

    Examples
    --------
    >>> print(Citation("Robertson2008", "inproceedings", {"title": "A title", "year": "2008"}).bibtex())
    @inproceedings{Robertson2008,
      title = {A title},
      year = {2008},
    }
    """

    key: str
    entry: str
    fields: dict[str, str] = field(default_factory=dict, hash=False)

    __repr__ = short_repr

    @classmethod
    def from_bibtex(cls, text: str) -> Citation:
        """Return the citation of one BibTeX entry, as publishers give it.

        Parameters
        ----------
        text : str
            The entry. Values stand in braces or quotes, or are numbers; macros and ``#`` are not known.

        Raises
        ------
        irmx.errors.UsageError
            If the text is not one entry; the message says where reading stopped.

        Examples
        --------
        >>> Citation.from_bibtex("@article{Moffat2008, title = {Rank-Biased {P}recision}, year = 2008}").fields
        {'title': 'Rank-Biased {P}recision', 'year': '2008'}
        """
        head = re.match(r"\s*@(\w+)\s*\{\s*([^\s,{}]+)\s*,", text)
        if head is None:
            raise UsageError(
                f"A BibTeX entry starts with its type and key, as @article{{Key2008, ...}}. Got {text[:60]!r}."
            )
        fields: dict[str, str] = {}
        at = head.end()
        while re.compile(r"[\s,]*\}\s*\Z").match(text, at) is None:
            name = re.compile(r"[\s,]*([\w-]+)\s*=\s*").match(text, at)
            value = None if name is None else _bibtex_value(text, name.end())
            if name is None or value is None:
                raise UsageError(f"The BibTeX entry {head[2]} cannot be read from {text[at : at + 40].strip()!r} on.")
            fields[name[1].lower()], at = " ".join(value[0].split()), value[1]
        return cls(head[2], head[1].lower(), fields)

    @property
    def doi(self) -> str:
        """The DOI, or an empty string."""
        return self.fields.get("doi", "")

    def bibtex(self) -> str:
        """Return the BibTeX entry."""
        lines = [f"@{self.entry}{{{self.key},"] + [f"  {k} = {{{v}}}," for k, v in self.fields.items()] + ["}"]
        return "\n".join(lines)

    def __str__(self) -> str:
        f = self.fields
        where = f.get("booktitle") or f.get("journal") or f.get("publisher") or ""
        latex = f"{f.get('author', '')}. {f.get('title', '')}. {where} {f.get('year', '')}.".replace(".  ", ". ")
        accented = re.sub(r"\\([\"'`^~])\s*\{?(\w)", lambda found: found[2] + _ACCENTS[found[1]], latex)
        text = re.sub(r"\\([&%$#_])", r"\1", accented).replace("{", "").replace("}", "")
        return unicodedata.normalize("NFC", text) + (f" doi:{self.doi}" if self.doi else "")


def citations_of(cited: Iterable[Citation | str]) -> tuple[Citation, ...]:
    """Return citations, those given as BibTeX entries read."""
    return tuple(one if isinstance(one, Citation) else Citation.from_bibtex(one) for one in cited)


def _bibtex_value(text: str, start: int) -> tuple[str, int] | None:
    """Return the value that starts at a place, and where it ends; None if there is none."""
    plain = re.compile(r"\d+|\"[^\"]*\"").match(text, start)
    if plain is not None:
        return plain[0].strip('"'), plain.end()
    depth = 0
    for at in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return (text[start + 1 : at], at + 1) if at > start else None
    return None


IR_MEASURES = Citation(
    "MacAvaneyMacdonaldOunis2022",
    "inproceedings",
    {
        "author": "Sean MacAvaney and Craig Macdonald and Iadh Ounis",
        "title": "Streamlining Evaluation with ir-measures",
        "booktitle": "Advances in Information Retrieval (ECIR 2022)",
        "year": "2022",
        "pages": "305--310",
        "doi": "10.1007/978-3-030-99739-7_38",
    },
)
"""The citation of ir_measures, whose measures and conventions irmx shares."""

IRMX = Citation(
    "irmx",
    "misc",
    {
        "author": "{The irmx developers}",
        "title": "irmx: evaluation measures with user models for the tools of information retrieval",
        "note": f"Version {version('irmx')}",
        "year": "2026",
    },
)
"""The citation of irmx itself."""

TOOLS = {"irmx": IRMX, "ir_measures": IR_MEASURES}
"""What ``irmx cite`` takes beside measures."""


# -- the base class of output formats, and the rows that they write --------------------------------------------------


P_VALUES = ("p_value", "p", "p_corrected")
"""The columns of p-values. No p-value is 0: one too small for the decimal places is ``<0.0001`` for reading, and has more places for programs."""


@dataclass(frozen=True)
class PrintedRows:
    """Rows of named cells that an output format writes.

    Attributes
    ----------
    names : sequence of str
        The names of the columns, in order.
    records : sequence of dict of str to object
        The cells of every row by name: strings, numbers, None, True or False, lists of strings, or dicts of strings. A row
        need not have all columns.
    places : int
        The decimal places of floats; -1 for all.
    header : bool
        Whether to write the names, in formats where a header is optional.
    footer : dict of str to object
        Cells below the rows, such as a sum, in formats for reading.
    """

    names: Sequence[str]
    records: Sequence[Mapping[str, Any]]
    places: int = 4
    header: bool = True
    footer: Mapping[str, Any] = field(default_factory=dict)

    __repr__ = short_repr

    @classmethod
    def of(cls, rows: Any, columns: Sequence[str] | None = None, **options: Any) -> PrintedRows:
        """Return rows from a DataFrame or an iterable of dicts; see :func:`irmx.toolkit.print_rows`.

        Parameters
        ----------
        rows : DataFrame, or iterable of dict of str to object
            The rows. A missing value of a DataFrame becomes None.
        columns : sequence of str, optional
            The columns to keep, in order; by default all, in the order in which they first appear.
        **options
            ``places``, ``header`` and ``footer``.

        Raises
        ------
        irmx.errors.UsageError
            Where rows are none.
        """
        records, names = _records(rows)
        return cls(tuple(names if columns is None else columns), records, **options)

    def texts(self, escape: Callable[[str], str] = visible, exact: bool = False) -> list[list[str]]:
        """Return the cells of all rows as strings, each passed through the escape function of the format.

        With ``exact``, for other programs, a p-value that the decimal places would round to 0 is a number such as ``3e-09``.
        """
        return [self.line(record, escape, exact) for record in self.records]

    def line(self, record: Mapping[str, Any], escape: Callable[[str], str] = visible, exact: bool = False) -> list[str]:
        """Return the cells of one row as strings."""
        return [escape(cell_text(record.get(name), self.places, name in P_VALUES, exact)) for name in self.names]

    def of_numbers(self) -> list[bool]:
        """Tell for every column whether it holds numbers, which are aligned right."""
        return [
            any(_is_number(record.get(name)) for record in self.records)
            and all(record.get(name) is None or _is_number(record.get(name)) for record in self.records)
            for name in self.names
        ]


def cell_text(value: Any, places: int, is_p_value: bool = False, exact: bool = False) -> str:
    """Return a cell as text: a float with the given decimal places, the items of lists and dicts separated by commas, nothing for None.

    Examples
    --------
    >>> cell_text(2 / 3, 4), cell_text(2 / 3, -1), cell_text(1e-9, 4, is_p_value=True), cell_text(7, 4)
    ('0.6667', '0.6666666666666666', '<0.0001', '7')
    >>> cell_text(1e-9, 4, is_p_value=True, exact=True)
    '1e-09'
    >>> cell_text(["a", "b"], 4), cell_text({"length": "words"}, 4), cell_text(True, 4), cell_text(None, 4)
    ('a, b', 'length (words)', 'yes', '')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Real) and not isinstance(value, Integral):
        if places == -1:
            return repr(float(value))
        text = f"{value:.{places}f}"
        if not is_p_value or float(text) or (exact and value == 0):
            return text
        return f"{value:.{max(places, 1)}g}" if exact else f"<{10.0**-places:.{places}f}"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} ({of_key})" for key, of_key in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return str(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


_ROWS = "The rows to print must be a DataFrame or an iterable of mappings from names to cells."


def _records(rows: Any) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the rows as dicts, and the names of their columns."""
    if hasattr(rows, "itertuples"):
        frame = rows.astype(object).where(rows.notna(), None)
        records, names = frame.to_dict("records"), list(map(str, rows.columns))
    else:
        if isinstance(rows, Mapping) or not isinstance(rows, Iterable):
            raise UsageError(f"{_ROWS} Got a single {type(rows).__name__} instead.")
        records = list(rows)
        for row in records:
            if not isinstance(row, Mapping):
                raise UsageError(f"{_ROWS} Got a row that is a {type(row).__name__} instead.")
        names = list(dict.fromkeys(name for record in records for name in record))
    return [{name: _plain(cell) for name, cell in record.items()} for record in records], names


def _plain(cell: Any) -> Any:
    """Return a cell of numpy or pandas as one of Python, None for what is missing; NaN stays what it is."""
    if isinstance(cell, np.bool_):
        return bool(cell)
    if isinstance(cell, (np.datetime64, np.timedelta64)):
        return None if np.isnat(cell) else cell
    pandas = sys.modules.get("pandas")  # where it is not imported, there is none of its cells
    return None if pandas is not None and (cell is pandas.NaT or cell is pandas.NA) else cell


class OutputFormat(ABC):
    """A way to print the rows of any command; a plugin registers instances through ``irmx_output_formats``.

    Attributes
    ----------
    NAME : str
        The name for ``-o NAME``.
    SHORT_DESC : str
        A description in one sentence.
    FOR_READING : bool
        Whether it is meant for reading, so that ``irmx eval`` writes one row per run or topic with one column per measure,
        rather than one row per value.
    """

    NAME: ClassVar[str]
    SHORT_DESC: ClassVar[str] = ""
    FOR_READING: ClassVar[bool] = False

    def __repr__(self) -> str:
        return f"<Output format {self.NAME}>"

    @abstractmethod
    def write(self, rows: PrintedRows, out: TextIO) -> None:
        """Write all rows."""


# -- texts -----------------------------------------------------------------------------------------------------------


SHOWN = 10
"""How many rows of a table a notebook shows."""


def in_html(text: str) -> str:
    r"""Return a text escaped for HTML, its control characters shown.

    >>> in_html("a<script>b\x1b & 'c'")
    'a&lt;script&gt;b\\x1b &amp; &#x27;c&#x27;'
    """
    import html

    return html.escape(visible(text))


def html_table(rows: PrintedRows, title: str = "", most: int | None = None) -> str:
    """Return rows as a table in HTML: numbers are aligned right, the first column names the row if it is a text.

    Parameters
    ----------
    rows : PrintedRows
        The rows.
    title : str
        The caption, as text.
    most : int, optional
        The number of rows to show, the first ones; a line below them counts the others.

    Examples
    --------
    >>> print(html_table(PrintedRows(("run", "AP"), [{"run": "<b>", "AP": 0.5}]), "Means"))
    <table>
    <caption style="text-align:left">Means</caption>
    <thead><tr><th scope="col" style="text-align:left">run</th><th scope="col" style="text-align:right">AP</th></tr></thead>
    <tbody>
    <tr><th scope="row" style="text-align:left">&lt;b&gt;</th><td style="text-align:right">0.5000</td></tr>
    </tbody>
    </table>
    >>> html_table(PrintedRows(("n",), [{"n": 1}, {"n": 2}]), most=1).splitlines()[-3]
    '<tr><td colspan="1" style="text-align:left">… and 1 more</td></tr>'
    """
    of_numbers = rows.of_numbers()
    sides = ["right" if numbers else "left" for numbers in of_numbers]
    more = 0 if most is None else max(len(rows.records) - most, 0)

    def line(cells: list[str], head: bool = False) -> str:
        tags = ['th scope="col"'] * len(cells) if head else ["td"] * len(cells)
        if cells and not head and not of_numbers[0]:
            tags[0] = 'th scope="row"'
        of_line = zip(tags, cells, sides, strict=True)
        return (
            "<tr>"
            + "".join(f'<{tag} style="text-align:{side}">{cell}</{tag[:2]}>' for tag, cell, side in of_line)
            + "</tr>"
        )

    caption = f'<caption style="text-align:left">{in_html(title)}</caption>\n' if title else ""
    names = line([in_html(name) for name in rows.names], head=True)
    shown = replace(rows, records=rows.records[: len(rows.records) - more])
    body = [line(cells) for cells in shown.texts(in_html)]
    if more:
        body.append(f'<tr><td colspan="{len(rows.names)}" style="text-align:left">… and {more:,} more</td></tr>')
    footer = f"\n<tfoot>{line(rows.line(rows.footer, in_html))}</tfoot>" if rows.footer else ""
    lines = "\n".join(body)
    return f"<table>\n{caption}<thead>{names}</thead>\n<tbody>\n{lines}\n</tbody>{footer}\n</table>"


def html_result(
    title: str,
    tables: Mapping[str, Any],
    facts: Mapping[str, str] | None = None,
    notes: Iterable[str] = (),
    *,
    places: int = 4,
    most: int = SHOWN,
) -> str:
    """Return a result as a notebook shows it: what it is, its tables, and below them what a reader must know.

    Parameters
    ----------
    title : str
        What it is, such as its ``repr``, of which the angle brackets are left out.
    tables : dict of str to rows
        By caption, PrintedRows, a DataFrame or an iterable of dicts; a table without rows is left out.
    facts : dict of str to str, optional
        How the result was computed, which a click shows.
    notes : iterable of str
        What a reader must know about the data.
    places : int
        The decimal places of tables other than PrintedRows; -1 for all.
    most : int
        The number of rows of a table to show; a line below them counts the others.

    Examples
    --------
    >>> print(html_result("<Means: 1 run>", {"": [{"run": "one", "AP": 0.5}]}, {"topics": "2"}, ["few topics"]))
    <div>
    <p>Means: 1 run</p>
    <table>
    <thead><tr><th scope="col" style="text-align:left">run</th><th scope="col" style="text-align:right">AP</th></tr></thead>
    <tbody>
    <tr><th scope="row" style="text-align:left">one</th><td style="text-align:right">0.5000</td></tr>
    </tbody>
    </table>
    <p>Note: few topics</p>
    <details><summary>How it was computed</summary><dl><dt>topics</dt><dd>2</dd></dl></details>
    </div>
    """
    parts = [f"<p>{in_html(_without_brackets(title))}</p>"]
    for caption, table in tables.items():
        rows = table if isinstance(table, PrintedRows) else PrintedRows.of(table, places=places)
        if rows.records:
            parts.append(html_table(rows, caption, most))
    parts += [f"<p>Note: {in_html(note)}</p>" for note in notes]
    if facts:
        pairs = "".join(f"<dt>{in_html(name)}</dt><dd>{in_html(fact)}</dd>" for name, fact in facts.items())
        parts.append(f"<details><summary>How it was computed</summary><dl>{pairs}</dl></details>")
    return "\n".join(["<div>", *parts, "</div>"])


def _without_brackets(title: str) -> str:
    """Return a title without the brackets of a repr, which something may follow.

    >>> _without_brackets("<Run: 2 topics>; columns: query_id"), _without_brackets("a > b")
    ('Run: 2 topics; columns: query_id', 'a > b')
    """
    inside, _, after = title[1:].rpartition(">") if title.startswith("<") else (title, "", "")
    return inside + after


def described(expression: str, declared: Any, about: str, citations: Iterable[Citation]) -> str:
    """Return an object as HTML: its expression, what it is, its formula, its parameters with its values, what to cite."""
    formula = getattr(declared, "FORMULA", None)
    parts = [f"<p><code>{in_html(expression)}</code> {in_html(about)}</p>", formula.to_html() if formula else ""]
    of_params = parameters_of(declared.SUPPORTED_PARAMS, declared.params)
    if rows := [{"parameter": one.name, "value": one.value or one.need, "meaning": one.meaning} for one in of_params]:
        parts.append(html_table(PrintedRows(("parameter", "value", "meaning"), rows)))
    parts += [f"<p>{in_html(str(citation))}</p>" for citation in citations]
    return f"<div>{''.join(parts)}</div>"


# -- the formula of a measure, stated once: help, documentation, notebooks and reports show it -----------------------


_GREEK = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau phi chi psi omega"
_LETTERS = {f"\\{name}" for name in (*_GREEK.split(), *_GREEK.title().split(), "varepsilon", "varphi")}


@dataclass(frozen=True)
class Formula:
    r"""A formula and what its symbols mean.

    Attributes
    ----------
    latex : str
        The formula, in LaTeX without dollar signs. Words, such as the names of measures, stand in ``\mathrm{...}``.
    symbols : dict of str to str
        What its symbols mean, by symbol, both in the order of reading: a symbol is LaTeX, its meaning plain text, with
        LaTeX between dollar signs.
    source : str
        Where the formula stands, such as ``"equation 2 of the paper"``.

    Examples
    --------
    >>> formula = Formula(r"\mathrm{P@}k = \frac{r_k}{k}", {"k": "the cutoff", "r_k": "the relevant documents at the ranks up to $k$"})
    >>> print(formula)
    \mathrm{P@}k = \frac{r_k}{k}
      k    the cutoff
      r_k  the relevant documents at the ranks up to k
    >>> formula.mathml().startswith("<math ")
    True
    """

    latex: str
    symbols: Mapping[str, str] = field(default_factory=dict, hash=False)
    source: str = ""

    def mathml(self) -> str:
        """Return the formula as MathML, which browsers show without anything else.

        Raises
        ------
        irmx.UsageError
            If it is not LaTeX that can be converted.
        """
        return mathml(self.latex, "block")

    def to_html(self) -> str:
        """Return the formula and the meanings of its symbols as HTML."""
        meanings = "".join(f"<dt>{mathml(one)}</dt><dd>{_with_math(text)}</dd>" for one, text in self.symbols.items())
        source = f"<p>Source: {in_html(self.source)}.</p>" if self.source else ""
        return f"{self.mathml()}{f'<dl>{meanings}</dl>' if meanings else ''}{source}"

    def problems(self) -> Iterator[str]:
        r"""Yield a sentence for every symbol that the formula lacks, and for everything in it that no symbol explains.

        Words to the left of the first equals sign need no explanation.

        >>> list(Formula(r"\mathrm{P@}k = \frac{r}{k}", {"k": "the cutoff", "R": "all relevant documents"}).problems())
        ['The symbol R is not in the formula.', 'No symbol explains r.']
        """
        words = formula_words(self.latex)
        explained: set[str] = set()
        for symbol in self.symbols:
            of_symbol = formula_words(symbol)
            explained.update(of_symbol)
            if not any(words[i : i + len(of_symbol)] == of_symbol for i in range(len(words))):
                yield f"The symbol {symbol} is not in the formula."
        right = words[words.index("=") :] if "=" in words else words
        names = [w for w in words if w in _LETTERS or re.fullmatch("[a-zA-Z]", w)]
        names += [w for w in right if w.startswith("\\mathrm{")]
        for name in dict.fromkeys(names):
            if name not in explained:
                yield f"No symbol explains {name}."

    def _repr_html_(self) -> str:
        return self.to_html()

    def _repr_latex_(self) -> str:
        return f"$$\n{self.latex}\n$$"

    def __str__(self) -> str:
        width = max(map(len, self.symbols), default=0)
        meanings = [f"  {symbol:<{width}}  {text.replace('$', '')}" for symbol, text in self.symbols.items()]
        return "\n".join([self.latex, *meanings, *([f"  Source: {self.source}."] if self.source else [])])


def _with_math(text: str) -> str:
    """Return a text as HTML, what stands between dollar signs as MathML."""
    parts = text.split("$")
    return "".join(mathml(part) if i % 2 else in_html(part) for i, part in enumerate(parts))


# -- what a measure or a named object declares -----------------------------------------------------------------------


class ParameterSignature:
    """The attribute ``__signature__`` of a class that declares parameters, and of its instances; computed on access."""

    def __get__(self, instance: Any, owner: Any) -> inspect.Signature:
        """Return keyword-only parameters with their types and defaults; the defaults of an instance are its values."""
        given = {} if instance is None else instance.params
        parameters = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=given.get(name, _default(param)),
                annotation=_annotation(param),
            )
            for name, param in owner.SUPPORTED_PARAMS.items()
            if name.isidentifier()
        ]
        return inspect.Signature(parameters)


class ParameterDoc:
    """The attribute ``__doc__`` of a class that declares parameters; an instance adds sections on its formula and parameters."""

    def __init__(self, text: str | None) -> None:
        self._text = text

    def __get__(self, instance: Any, owner: Any) -> str | None:
        """Return the docstring of the class, for an instance with sections on the formula and the parameters."""
        if instance is None:
            return self._text
        about = inspect.cleandoc(self._text or instance.SHORT_DESC or "")
        sections = [formula_section(instance.FORMULA), parameters_section(owner.SUPPORTED_PARAMS, instance.params)]
        return "\n\n".join([about, *filter(None, sections)]).strip()


def formula_section(formula: Formula | None) -> str:
    r"""Return the section of a docstring that states a formula, as LaTeX; empty without one.

    >>> print(formula_section(Formula(r"\mathrm{P@}k = \frac{r_k}{k}", {"k": "the cutoff"})))
    Formula
    <BLANKLINE>
    .. math:: \mathrm{P@}k = \frac{r_k}{k}
    <BLANKLINE>
      k: the cutoff
    """
    if formula is None:
        return ""
    rows = [f"  {symbol}: {meaning}" for symbol, meaning in formula.symbols.items()]
    source = [f"\n  Source: {formula.source}"] if formula.source else []
    return "\n".join(["Formula\n", f".. math:: {formula.latex}\n", *rows, *source])


def parameters_section(declared: Mapping[str, Any], given: Mapping[str, Any]) -> str:
    """Return the section of a docstring that describes parameters.

    >>> from irmx.declare.params import Param
    >>> parameters_section({"p": Param(float, "chance to stop", default=0.5, low=0, high=1)}, {"p": 0.2}).splitlines()
    ['Parameters', '  p: chance to stop', '      a float in the range [0, 1]; default 0.2']
    """
    rows = [f"  {one.name}: {one.meaning}\n      {one.says}" for one in parameters_of(declared, given)]
    return "\n".join(["Parameters", *(rows or ["  none"])])


class DescribedParameter(NamedTuple):
    """A parameter in words: its values, the named objects and the unit of these, what it has, and whether it is required."""

    name: str
    meaning: str
    facts: tuple[str, str, str]
    value: str
    need: str

    @property
    def says(self) -> str:
        """The type, range, unit and default, or that it is required."""
        return "; ".join(filter(None, [*self.facts, self.need or (self.value and f"default {self.value}")]))


def parameters_of(declared: Mapping[str, Any], given: Mapping[str, Any]) -> list[DescribedParameter]:
    """Describe parameters, with the values that an object has in place of the defaults; those of ir_measures say less of themselves."""
    described = []
    for name, param in declared.items():
        facts = (getattr(param.dtype, "__name__", "any"), "", "")
        if isinstance(param, Param):
            facts = param.expects(), ", ".join(registry().symbols(param.kind) if param.kind else ()), param.unit
        has_value = name in given or has_default(param)
        value = repr(given.get(name, param.default)) if has_value else ""
        need = "required" if getattr(param, "required", False) else ""
        described.append(DescribedParameter(name, param.desc or "", facts, value, need))
    return described


def _annotation(param: Any) -> Any:
    """Return the type of a parameter; in words for a named object, such as ``'Markov model'``, or a duration."""
    if getattr(param, "kind", "") or param.dtype in (None, duration):
        return getattr(param, "kind", "") or "duration"
    return param.dtype | None if _default(param) is None else param.dtype


def _default(param: Any) -> Any:
    """Return the default of a parameter, None for an optional one without a default."""
    if getattr(param, "required", False):
        return inspect.Parameter.empty
    return param.default if has_default(param) else None
