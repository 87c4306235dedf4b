"""The errors that irmx raises for a mistake of a user or a plugin.

The two families follow the command's exit codes: :class:`UsageError` (2) is a wrong request, such as an
unknown measure or an illegal parameter value; :class:`DataError` (1) is a problem of a file or table. Both are also
``ValueError``, so that code written against ir_measures still catches them.

What users wrote is part of these messages: they are shown as text, in :func:`readable` form, wherever they are printed.
"""

from __future__ import annotations

import contextlib
import difflib
import math
import os
import re
import reprlib
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
"""Control characters, line separators, characters that change the writing direction or that nobody sees, and unpaired
surrogates. The joiners of letters, U+200C and U+200D, are part of Persian and Hindi words, and of emoji."""

_LONGEST_WORD, _LONGEST_LINE = 400, 2000
"""How many characters of a message are quoted without a space between them, or are spaces, and are in one line."""

_LONG_WORD = re.compile(rf"\S{{{_LONGEST_WORD + 1},}}|[^\S\n]{{{_LONGEST_WORD + 1},}}")


def visible(text: str) -> str:
    r"""Return a text with its control characters escaped, so that a name can neither control a terminal nor end a line.

    Invisible characters are escaped, too, and those that change the writing direction: two names that look alike are alike.

    >>> print(visible("a\tb\x1b[2J"), visible("ab\u200bc"))
    a\tb\x1b[2J ab\u200bc
    """
    return INVISIBLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def visible_lines(text: str) -> str:
    r"""Return a text of several lines, each of them visible.

    >>> print(visible_lines("one\x1b\ntwo"))
    one\x1b
    two
    """
    return "\n".join(map(visible, text.split("\n")))


def readable(message: str) -> str:
    r"""Return a message as text for people: visible, of lines, and without the middle of what is too long to read.

    Errors and warnings of irmx do this themselves.

    >>> print(readable("The topic \x1b[2J is unknown.\nThe file has others."))
    The topic \x1b[2J is unknown.
    The file has others.
    >>> readable("The topic " + "q" * 10**6 + " is unknown.").count("q") < 400
    True
    """
    shorter = _LONG_WORD.sub(lambda found: _middle_left_out(found[0], _LONGEST_WORD), visible_lines(message))
    return "\n".join(_middle_left_out(line, _LONGEST_LINE) for line in shorter.split("\n"))


def _middle_left_out(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    start, end = text[: most // 2], text[-most // 4 :]
    return f"{start}[... {len(text) - len(start) - len(end):,} characters ...]{end}"


def note(text: str) -> None:
    """Print a note to standard error, prefixed with the program's name; all that a command says beside its output.

    Parameters
    ----------
    text : str
        One line or several, which are printed in :func:`readable` form.
    """
    print(f"irmx: {readable(text)}", file=sys.stderr)


class _ShortValue(reprlib.Repr):
    """Representations of values that fit a message."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = 20
        self.maxstring = self.maxother = 300

    def repr_int(self, value: int, level: int) -> str:
        """Return the digits of a number, as long as anyone would count them; Python itself refuses to write more than 4,300."""
        digits = int(value.bit_length() * math.log10(2)) + 1
        return repr(value) if digits <= 100 else f"<a number of about {digits:,} digits>"


def value_repr(value: object) -> str:
    r"""Return the representation of a value for a message: short and in one line, whatever the value is.

    >>> value_repr(0.5), value_repr("a'b"), value_repr([1, "two"]), value_repr(-(10**5000))
    ('0.5', '"a\'b"', "[1, 'two']", '<a number of about 5,001 digits>')
    """
    text = _ShortValue().repr(value)
    return " ".join(text.split()) if "\n" in text else text  # such as an array


class _Message:
    """An error or a warning whose text is readable."""

    def __init__(self, message: object = "") -> None:
        super().__init__(readable(str(message)))  # type: ignore[call-arg]


class IrmxError(_Message, Exception):
    """Base class of all irmx errors; the text is a complete message for the user."""


class UsageError(IrmxError, ValueError):
    """A wrong request: an unknown or illegal measure, parameter or option."""


class UnknownNameError(UsageError, NameError):
    """A name that is not registered; also a ``NameError``, which is what ir_measures raises."""


class DataError(IrmxError, ValueError):
    """A problem of the data: a file or table does not contain what it must.

    Parameters
    ----------
    message : str
        What is wrong, and what to do.
    rows : tuple of int
        The rows of the table, counted from 0, in which the error is; empty if it is not in particular rows.
    place : str
        The place of the error, such as a file and a line, which the text begins with.
    """

    def __init__(self, message: str, rows: tuple[int, ...] = (), place: str = "") -> None:
        super().__init__(f"{place}: {message}" if place else message)
        self.rows, self.place = rows, place

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.rows), {"place": self.place}

    def at(self, place: str) -> DataError:
        """Return the error with a place, such as a file and a line, before its text; unchanged if the place is empty."""
        return type(self)(str(self), self.rows, place) if place else self

    def of(self, text: str) -> DataError:
        """Return the error with another text around its own, about the same rows of the same file."""
        error = type(self)(text, self.rows)
        error.place = self.place
        return error


class TooLittleMemoryError(IrmxError, MemoryError):
    """Something needs more memory than the process can get."""

    def __new__(cls, *arguments: object) -> TooLittleMemoryError:
        """Return a new error; that of ``MemoryError``, which some libraries call to unpickle one, refuses this class."""
        return Exception.__new__(cls, *arguments)


class PluginError(IrmxError):
    """A plugin violated its contract with irmx, or failed."""


class DataWarning(_Message, UserWarning):
    """A peculiarity of the data that irmx handled by a fixed rule; the text says how often, and which rule."""


class QrelsWarning(DataWarning):
    """A warning about the qrels alone: issued once, however many runs are scored, and without the name of a run."""


class MissingTopicsWarning(DataWarning):
    """Topics of the qrels for which a run has no results, and which count with the measures' defaults."""


class PluginWarning(_Message, UserWarning):
    """A plugin was refused or failed; the others remain in use."""


@contextlib.contextmanager
def placed(place: str) -> Iterator[None]:
    """Add a place, such as the name of a run, to errors about data that do not name one yet, and to a lack of memory."""
    try:
        yield
    except DataError as error:
        if error.place or not place:
            raise
        raise error.at(place) from error.__cause__
    except TooLittleMemoryError:
        raise
    except MemoryError as error:
        raise too_little_memory(f"Scoring the {place or 'run'}", error) from error


def too_little_memory(what: str, error: BaseException) -> TooLittleMemoryError:
    """Return the error to raise in place of a ``MemoryError``.

    Examples
    --------
    >>> print(too_little_memory("The measure MP", MemoryError()))
    The measure MP needs more memory than this process can get. Score fewer runs or topics at once, with a smaller --memory and
    --jobs 1, or close other programs.
    """
    why = f" ({str(error).rstrip('.')})" if str(error) else ""
    return TooLittleMemoryError(
        f"{what} needs more memory than this process can get{why}. Score fewer runs or topics at once, with a smaller --memory "
        "and --jobs 1, or close other programs."
    )


def suggest(name: str, known: Iterable[str]) -> str:
    """Return a sentence that suggests the closest known name, or an empty string.

    >>> suggest("GL_AD_IDD", ["GL_AD_ID", "LO_OR_ID"])
    ' Did you mean GL_AD_ID?'
    """
    known = list(known) if len(name) <= _LONGEST_WORD else []
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    if not close:
        by_folded = {k.casefold(): k for k in known}
        close = [by_folded[name.casefold()]] if name.casefold() in by_folded else []
    return f" Did you mean {close[0]}?" if close else ""


def not_finite(value: object) -> str:
    """Return why a value is not a finite number, as the end of a sentence.

    >>> [not_finite(value) for value in ("two", "nan", "-inf", "1e400")]
    ['is not a number', 'is not a finite number', 'is infinite', 'is too large for a 64-bit float']
    >>> not_finite(10**400), not_finite(float("1e400"))
    ('is too large for a 64-bit float', 'is infinite, or was too large for a 64-bit float')
    """
    try:
        number = float(value)  # type: ignore[arg-type]
    except OverflowError:
        return "is too large for a 64-bit float"
    except (TypeError, ValueError):
        return "is not a number"
    if not math.isinf(number):
        return "is not a finite number"
    if not isinstance(value, str):
        return "is infinite, or was too large for a 64-bit float"
    return "is too large for a 64-bit float" if any(c.isdigit() for c in value) else "is infinite"


def counted(number: int, noun: str) -> str:
    """Return a number with a noun, in the plural unless the number is 1.

    Parameters
    ----------
    number : int
        How many.
    noun : str
        What, in the singular; its plural ends in -s.

    Examples
    --------
    >>> counted(1, "topic"), counted(2500, "session")
    ('1 topic', '2,500 sessions')
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"


def failure_of(plugin: str, error: BaseException, where: str = "", module: str = "") -> IrmxError:
    """Return the error to raise in place of an exception that a plugin did not mean for the user.

    Examples
    --------
    >>> print(failure_of("The measure MP", ZeroDivisionError("division by zero")))
    The measure MP failed with ZeroDivisionError: division by zero
    >>> print(failure_of("The measure MP", ValueError("assignment destination is read-only")))
    The measure MP tried to change an array that all measures share. Work on a copy, such as ranks = ranks.copy().
    """
    if isinstance(error, MemoryError):
        return too_little_memory(f"{plugin}{where}", error)
    if isinstance(error, AttributeError) and "read-only" in str(error):
        return PluginError(
            f"{plugin} tried{where} to change {type(error.obj).__name__}.{error.name}, which all measures share. "
            "Work on a variable of your own."
        )
    if isinstance(error, (ValueError, TypeError)) and "read-only" in str(error):
        return PluginError(
            f"{plugin} tried{where} to change an array that all measures share. Work on a copy, such as ranks = ranks.copy()."
        )
    return PluginError(f"{plugin} failed{where} with {text_of(error)}{_line_of(error, module)}{_hint(error)}")


def text_of(error: BaseException) -> str:
    """Return the type and the text of an error of a plugin or a library; the text may be empty, or itself be broken."""
    try:
        text = f"{type(error).__name__}: {error}".removesuffix(": ")
        return text.encode("utf-8", "backslashreplace").decode()
    except Exception as broken:
        return f"{type(error).__name__}, whose text raises {type(broken).__name__}"


def _hint(error: BaseException) -> str:
    """Return how a column is read, if what failed took it for an attribute of irmx's rows."""
    if not isinstance(error, AttributeError) or not error.name or not type(error.obj).__module__.startswith("irmx."):
        return ""
    table = getattr(error.obj, "table", None)  # of irmx.Rows
    if table is None or not hasattr(error.obj, "column"):
        return ""
    declared = f"{error.name.upper()} = irmx.Column({table!r}, {error.name!r}, ...)"
    return f". If it is a column of the {table}, declare {declared}, and read it by .column({error.name.upper()})"


def _line_of(error: BaseException, module: str) -> str:
    """Return the file and line of the package of a module that an error comes from, in parentheses; empty if unknown."""
    package, place, step = module.partition(".")[0], "", error.__traceback__
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        if str(step.tb_frame.f_globals.get("__name__")).partition(".")[0] == package and os.path.isfile(file):
            beside = os.path.relpath(file) if os.path.abspath(file).startswith(os.getcwd() + os.sep) else file
            place = f" ({beside}, line {step.tb_lineno})"
        step = step.tb_next
    return place if package not in ("", "irmx") else ""


def some(names: Iterable[str], number: int = 3) -> str:
    """Return the first names, and dots if there are more, for a message.

    >>> some(["1", "2", "3", "4"]), some(["1", "2"], number=1)
    ('1, 2, 3, ...', '1, ...')
    """
    first = list(islice(names, number + 1))
    return ", ".join(first[:number]) + (", ..." if len(first) > number else "")
