"""The errors that irmx raises for a mistake of a user or a plugin.

The two families follow the command's exit codes: :class:`UsageError` (2) is a wrong request, such as an
unknown measure or an illegal parameter value; :class:`DataError` (1) is a problem of a file or table. Both are also
``ValueError``, so that code written against ir_measures still catches them.
"""

from __future__ import annotations

import difflib
import math
import os
import reprlib
from collections.abc import Iterable
from itertools import islice


class IrmxError(Exception):
    """Base class of all irmx errors; the text is a complete message for the user."""


class UsageError(IrmxError, ValueError):
    """A wrong request: an unknown or illegal measure, parameter or option."""


class UnknownNameError(UsageError, NameError):
    """A name that is not registered; also a ``NameError``, which is what ir_measures raises."""


class DataError(IrmxError, ValueError):
    """A problem of the data: a file or table does not contain what it must.

    Attributes
    ----------
    rows : tuple of int
        The rows of the table, counted from 0, in which the error is; empty if it is not in particular rows.
    """

    def __init__(self, message: str, rows: tuple[int, ...] = ()) -> None:
        super().__init__(message)
        self.rows = rows

    def at(self, place: str) -> DataError:
        """Return the error with a place, such as a file and a line, before its text; unchanged if the place is empty."""
        return DataError(f"{place}: {self}", self.rows) if place else self


class PluginError(IrmxError):
    """A plugin violated its contract with irmx, or failed."""


class DataWarning(UserWarning):
    """A peculiarity of the data that irmx handled by a fixed rule; the text says how often, and which rule."""


class QrelsWarning(DataWarning):
    """A warning about the qrels alone: issued once, however many runs are scored, and without the name of a run."""


class PluginWarning(UserWarning):
    """A plugin was refused or failed; the others remain in use."""


def suggest(name: str, known: Iterable[str]) -> str:
    """Return a sentence that suggests the closest known name, or an empty string.

    >>> suggest("GL_AD_IDD", ["GL_AD_ID", "LO_OR_ID"])
    ' Did you mean GL_AD_ID?'
    """
    known = list(known)
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


def failure_of(plugin: str, error: BaseException, where: str = "", module: str = "") -> PluginError:
    """Return the error to raise in place of an exception that a plugin did not mean for the user.

    Parameters
    ----------
    plugin : str
        What failed, such as ``The measure MP``.
    error : BaseException
        What it raised. If it tried to change an array or an attribute that measures share, the message says what to do.
    where : str
        Where it failed, such as `` for query q``.
    module : str
        The module of the plugin's author. The message ends with the last line of that package that was reached.

    Examples
    --------
    >>> print(failure_of("The measure MP", ZeroDivisionError("division by zero")))
    The measure MP failed with ZeroDivisionError: division by zero
    >>> print(failure_of("The measure MP", ValueError("assignment destination is read-only")))
    The measure MP tried to change an array that all measures share. Work on a copy, such as ranks = ranks.copy().
    """
    if isinstance(error, AttributeError) and "read-only" in str(error):
        return PluginError(
            f"{plugin} tried{where} to change {type(error.obj).__name__}.{error.name}, which all measures share. "
            "Work on a variable of your own."
        )
    if isinstance(error, (ValueError, TypeError)) and "read-only" in str(error):
        return PluginError(
            f"{plugin} tried{where} to change an array that all measures share. Work on a copy, such as ranks = ranks.copy()."
        )
    return PluginError(f"{plugin} failed{where} with {_text_of(error)}{_line_of(error, module)}{_hint(error)}")


def _text_of(error: BaseException) -> str:
    """Return the type and the text of an error; the text may be empty, or itself be broken."""
    try:
        return f"{type(error).__name__}: {error}".removesuffix(": ")
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


def shortened(value: object) -> str:
    """Return a value for a message: its text if that is short, otherwise its beginning, and its type if it has no text.

    >>> shortened("0.5"), shortened(range(10**6))
    ("'0.5'", 'range(0, 1000000)')
    """
    text = " ".join(reprlib.repr(value).split())
    return text if len(text) <= 80 else f"{text[:80]}..."


def some(names: Iterable[str], number: int = 3) -> str:
    """Return the first names, and dots if there are more, for a message.

    >>> some(["1", "2", "3", "4"]), some(["1", "2"], number=1)
    ('1, 2, 3, ...', '1, ...')
    """
    first = list(islice(names, number + 1))
    return ", ".join(first[:number]) + (", ..." if len(first) > number else "")
