"""A progress bar on standard error."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

Advance = Callable[[int], None]
"""A function to call with the number of items finished since the last call."""


@contextlib.contextmanager
def progress_bar(description: str, total: int, done: int = 0, shown: bool | None = None) -> Iterator[Advance]:
    """Show the number of finished items, and the remaining time.

    A context manager; it yields a function to call with the number of items finished since the last call.

    Parameters
    ----------
    description : str
        The text before the bar.
    total, done : int
        The number of items, and how many of them are finished at the start.
    shown : bool or None
        Whether to show the bar; None to show it if standard error is a terminal.

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
