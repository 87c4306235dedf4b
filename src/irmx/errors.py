"""The errors that irmx raises for a mistake of a user or a plugin.

The two families follow the command's exit codes: :class:`UsageError` (2) is a wrong request, such as an
unknown measure or an illegal parameter value; :class:`DataError` (1) is a problem of a file or table. Both are also
``ValueError``, so that code written against ir_measures still catches them.

What users wrote is part of these messages: they are shown as text, in readable form, wherever they are printed.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator
from typing import Any

from irmx.text import list_some, readable


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


class EmptyFileError(DataError):
    """A file without rows, which may be an answer where others are a mistake."""


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


def lacking_topics(lacking: Collection[str], topics: int) -> str:
    """Return the text of a warning about topics for which there are no results, of so many."""
    return f"no results for {len(lacking)} of {topics} topics ({list_some(lacking)}); they count with the measures' defaults"


class PluginWarning(_Message, UserWarning):
    """A plugin was refused or failed; the others remain in use."""


@contextlib.contextmanager
def located(place: str) -> Iterator[None]:
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
