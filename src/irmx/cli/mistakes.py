"""Whose mistake an error is that nobody expected: that of a plugin, of a user's file, or of irmx itself."""

from __future__ import annotations

import traceback
from typing import NamedTuple

from irmx.cli.load import LOADED
from irmx.errors import IrmxError, PluginError, text_of
from irmx.registry import entry_points, folder_of

_OWN = ("irmx", "typer", "click")
"""The packages that end the command by ``sys.exit`` where they mean to."""


def ended_by_a_stranger(stop: SystemExit) -> bool:
    """Tell whether ``sys.exit`` was called neither by irmx nor for a command of a plugin, which may do so."""
    *_, (frame, _line) = traceback.walk_tb(stop.__traceback__)
    return str(frame.f_globals.get("__name__")).partition(".")[0] not in _OWN


class Author(NamedTuple):
    """The plugin or the user's file from which an error comes, its package, and the last line of it that was reached."""

    name: str
    package: str
    place: str


def author_of(error: BaseException) -> Author | None:
    """Return where an error comes from, None if from no plugin and no user's file."""
    names = {point.module.partition(".")[0]: f"plugin {_shown(point)}" for point in entry_points()[0]}
    names |= {module: f"file {path}" for module, path in LOADED.items()}
    found = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        package = str(frame.f_globals.get("__name__")).partition(".")[0]
        if package in names:
            found = Author(names[package], package, f"{frame.f_code.co_filename}, line {line}")
    return found


def mistake(error: BaseException) -> IrmxError:
    """Return the error to show in place of one that nobody expected, with whose mistake it is."""
    text = text_of(error)
    how = "'irmx --traceback COMMAND ...' shows"
    if (author := author_of(error)) is not None:
        return PluginError(f"The {author.name} failed with {text} ({author.place}). {how} the traceback.")
    if isinstance(error, SystemExit):
        return PluginError(f"Something ended irmx before its time, with {text}. {how} where.")
    return IrmxError(f"This is a mistake in irmx, not one of yours: {text}. Please report it, with what {how}.")


def _shown(point: object) -> str:
    """Return a plugin with its distribution."""
    name, distribution = getattr(point, "name", ""), getattr(point, "dist", None)
    return f"{name} ({folder_of(distribution)[0]})" if distribution is not None else str(name)
