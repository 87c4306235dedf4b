"""The progress bar of what takes long, on standard error."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

Advance = Callable[[int], None]
"""Says that so many more are done."""


@contextlib.contextmanager
def progress_bar(description: str, total: int, done: int = 0, shown: bool | None = None) -> Iterator[Advance]:
    """Show how many of a number of things are done, and the remaining time.

    A context manager; what it gives is called with the number of things that have been done since the last call.

    Parameters
    ----------
    description : str
        What is done.
    total, done : int
        How many there are, and how many are done at the start.
    shown : bool or None
        None: where standard error is a terminal.

    Examples
    --------
    >>> with progress_bar("Adding up", total=3, shown=False) as advance:
    ...     for number in range(3):
    ...         advance(1)
    """
    if not (sys.stderr.isatty() if shown is None else shown):
        yield lambda count: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("remaining"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(description, total=total, completed=done)
        yield lambda count: progress.advance(task, count)
