"""Work in parallel: in threads, or through joblib in processes and on a cluster; what is of a thread alone; a bar of progress.

Without joblib, there are only threads.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from irmx.errors import IrmxError, UsageError

T = TypeVar("T")

_CONNECT_SECONDS = 10

Call = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function and its arguments."""
Advance = Callable[[int], None]
"""A function to call with the number of items finished since the last call."""


def check_backend(backend: str | None, scheduler: str | None) -> None:
    """Raise if a backend is unknown, or is not used with a scheduler as required."""
    if backend not in (None, "dask"):
        raise UsageError(
            f"There is no backend {backend!r}. Known: dask. In Python, joblib.parallel_config chooses any other of joblib."
        )
    if backend == "dask" and not scheduler:
        raise UsageError("The backend dask needs the address of its scheduler: --scheduler tcp://HOST:8786.")
    if backend is None and scheduler:
        raise UsageError(f"A scheduler, {scheduler}, requires --backend dask.")


def check_jobs(jobs: int | None) -> int:
    """Return the number of processes to use, by default the number of cores."""
    if jobs is None:
        return int(_joblib().cpu_count())
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
        raise UsageError(f"The number of jobs must be an int of 1 or more. Got {jobs!r} instead.")
    if jobs > 1:
        _joblib()
    return jobs


def chosen_jobs(jobs: int | None) -> int:
    """Return the number of processes to use, by default 1 on this machine, and on a cluster as many as its workers can run."""
    if jobs is not None or is_local():
        return check_jobs(1 if jobs is None else jobs)
    return int(_joblib().effective_n_jobs(-1))


def _joblib() -> Any:
    try:
        import joblib
    except ImportError:
        raise IrmxError("Several jobs need the package joblib. To install: python -m pip install joblib.") from None
    return joblib


def is_local() -> bool:
    """Tell whether the backend of joblib in use runs on this machine, as it does unless a program has chosen another."""
    return "joblib" not in sys.modules or _in_use("sequential", "loky", "threading", "multiprocessing")


def _in_use(*backends: str) -> bool:
    """Tell whether the active backend of joblib is one of these; with JOBLIB_MULTIPROCESSING=0 it has no processes."""
    from joblib.parallel import BACKENDS, get_active_backend

    return isinstance(get_active_backend()[0], tuple(BACKENDS[name] for name in backends if name in BACKENDS))


@contextlib.contextmanager
def dask(scheduler: str) -> Iterator[Callable[[Sequence[Any]], Any]]:
    """Connect to a Dask scheduler; yields a function that returns the context in which joblib uses it.

    The function takes the objects that every unit needs, which are sent to the workers once.
    """
    joblib = _joblib()
    try:
        from distributed import Client
    except ImportError:
        raise IrmxError(
            "The backend dask needs the package distributed. To install: python -m pip install dask distributed."
        ) from None
    try:
        client = Client(scheduler, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise UsageError(f"No Dask scheduler can be reached at {scheduler}: {error}.") from None
    with client:
        if not client.nthreads():
            raise UsageError(f"The scheduler {scheduler} has no worker. Start one: dask worker {scheduler}.")
        yield lambda scatter: joblib.parallel_config(backend="dask", client=client, scatter=list(scatter))


@contextlib.contextmanager
def results_of(calls: Iterable[Call], jobs: int, ordered: bool = False) -> Iterator[Iterator[Any]]:
    """Run calls on the current backend of joblib, and yield their results, as they finish or in order.

    With one job on this machine, no process is started. Processes that were started have exited at the end. The calls are
    made one by one, shortly before there is a process for each, so that what they hold need not all be in memory.
    """
    if jobs == 1 and is_local():
        yield (function(*arguments) for function, arguments in calls)
        return
    from concurrent.futures import BrokenExecutor

    import joblib

    with contextlib.ExitStack() as stack:
        starting: contextlib.AbstractContextManager[None] = contextlib.nullcontext()
        if jobs > 1 and _in_use("loky"):
            stack.enter_context(warnings.catch_warnings())  # a process that has grown is replaced; nothing is lost
            warnings.filterwarnings("ignore", "A worker stopped while some jobs were given", UserWarning)
            options = {"initializer": _leave_with, "initargs": (os.getpid(),), "idle_worker_timeout": 10}
            stack.enter_context(joblib.parallel_config(backend="loky", **options))
            stack.callback(lambda: joblib.externals.loky.get_reusable_executor().shutdown(wait=True))
            starting = _ctrl_c_held_back()
        order = "generator" if ordered else "generator_unordered"
        parallel = joblib.Parallel(n_jobs=jobs, return_as=order, batch_size=1)
        results = None
        try:
            with starting:
                results = parallel(joblib.delayed(function)(*arguments) for function, arguments in calls)
            yield results
        except BrokenExecutor as error:
            raise IrmxError(
                "A process that worked for this one was killed, by the system if memory was short, or ended by what it ran, such "
                "as a measure of a plugin. Use fewer --jobs, and a smaller --memory; --jobs 1 starts no process."
            ) from error
        finally:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about calls that are cancelled
                if results is not None:
                    results.close()


@contextlib.contextmanager
def _ctrl_c_held_back() -> Iterator[None]:
    """Block Ctrl-C in this process for now, and for good in those that it starts, which it ends without tracebacks from them."""
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    from multiprocessing import resource_tracker

    from joblib.externals.loky.backend import resource_tracker as of_loky

    for tracker in (resource_tracker, of_loky):
        tracker.ensure_running()  # which lets signals through when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _leave_with(parent: int) -> None:
    """End this process soon after the one that started it, even one that was killed; loky would first finish what it runs."""

    def watch() -> None:
        while os.getppid() == parent:  # on Windows for ever: the number of a parent that is gone stays
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, name="irmx-parent", daemon=True).start()


def results_of_threads(calls: Iterable[Call], jobs: int) -> Generator[Any, None, None]:
    """Yield the results of calls in order; of several jobs, each is a thread of this process, and one call more is ready."""
    if jobs == 1:
        yield from (function(*arguments) for function, arguments in calls)
        return
    from concurrent.futures import ThreadPoolExecutor

    running = deque[Any]()
    with _warnings_by_thread, ThreadPoolExecutor(jobs, "irmx") as pool:
        try:
            for function, arguments in calls:
                running.append(pool.submit(function, *arguments))
                if len(running) > jobs:
                    yield running.popleft().result()
            while running:
                yield running.popleft().result()
        finally:
            for call in running:
                call.cancel()


@contextlib.contextmanager
def called_ahead(calls: Iterator[Callable[[], T]], most: int) -> Iterator[Iterator[Callable[[], T]]]:
    """Have another thread call the first functions; yields an iterator over functions with the same results, which ends this when used."""
    from concurrent.futures import ThreadPoolExecutor

    called, enough = deque[Callable[[], T]](), threading.Event()

    def call_some() -> None:
        for call in calls:
            called.append(_called(call))
            if len(called) == most or enough.is_set():
                return

    def same() -> Iterator[Callable[[], T]]:
        enough.set()
        ahead.result()
        while called:
            yield called.popleft()
        yield from calls

    with _warnings_by_thread, ThreadPoolExecutor(1, "irmx") as pool:
        ahead = pool.submit(call_some)
        try:
            yield same()
        finally:
            enough.set()


def _called(call: Callable[[], T]) -> Callable[[], T]:
    """Call a function now, and return one with the same result; what fails or warns is called again, where that is expected."""
    with recorded_warnings() as warned, contextlib.suppress(Exception):
        result = call()
        if not warned:
            return lambda: result
    return call


# -- what Python keeps for a process, and is of a thread here ----------------------------------------------------------


Warned = list[tuple[type[Warning], str]]
"""The classes and texts of warnings."""


class _OfThreads:
    """Something that a process has once, changed while any of its threads needs the change.

    Two threads that change it, and put back what they found, may leave the change of one for ever; what starts threads that need it
    therefore needs it until they have ended.
    """

    def __init__(self, change: Callable[[], contextlib.AbstractContextManager[Any]]) -> None:
        self._change, self._lock, self._users = change, threading.Lock(), 0
        self._undo = contextlib.ExitStack()

    def __enter__(self) -> None:
        with self._lock:
            if not self._users:
                self._undo.enter_context(self._change())
            self._users += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._users -= 1
            if not self._users:
                self._undo.close()


prints_on_stderr = _OfThreads(lambda: contextlib.redirect_stdout(sys.stderr))
"""A context in which what plugins print goes to standard error: standard output is for results."""

_recording: dict[int, Warned] = {}


class _Never(Warning):
    """A warning that nobody issues."""


class _InRecordingThread:
    """In the place of the pattern of a filter of warnings, it matches every warning of a thread that records them."""

    def match(self, text: str) -> bool:
        """Tell whether this thread records warnings."""
        return threading.get_ident() in _recording


@contextlib.contextmanager
def _by_thread() -> Iterator[None]:
    """Give every warning of threads that record warnings to the thread that issues it; show others as before."""
    with warnings.catch_warnings():
        show = warnings.showwarning

        def record(message: Warning | str, category: type[Warning], *place: Any) -> None:
            warned = _recording.get(threading.get_ident())
            if warned is None:
                show(message, category, *place)
            else:
                warned.append((category, str(message)))

        warnings.showwarning = record  # type: ignore[assignment]
        warnings.simplefilter("always", _Never)  # which changes nothing for threads that warn at this moment
        warnings.filters[0] = ("always", _InRecordingThread(), Warning, None, 0)  # type: ignore[index]
        yield


_warnings_by_thread = _OfThreads(_by_thread)


@contextlib.contextmanager
def recorded_warnings() -> Iterator[Warned]:
    """Hold back the warnings that this thread issues in a block, and yield a list of them."""
    thread, warned = threading.get_ident(), Warned()
    outer = _recording.get(thread)
    with _warnings_by_thread:
        _recording[thread] = warned
        try:
            yield warned
        finally:
            del _recording[thread]
            if outer is not None:
                _recording[thread] = outer


# -- progress ----------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def progress_bar(description: str, total: int, done: int = 0, shown: bool | None = None) -> Iterator[Advance]:
    """Show the number of finished items, and the remaining time, on standard error.

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
