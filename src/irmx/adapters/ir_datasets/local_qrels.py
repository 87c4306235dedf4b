"""Whether the files of qrels lie on this machine, told without reading or fetching any."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator
from typing import Any


def is_local(qrels: Any) -> bool | None:
    """Tell whether the qrels of a dataset can be read without the network; None where that cannot be told.

    Parameters
    ----------
    qrels : any
        What ``qrels_handler`` of a dataset of ir_datasets returns.
    """
    sources = list(_sources(qrels))
    return all(map(_is_here, sources)) if sources else None


def of(declaration: Callable[[], Any]) -> Any:
    """Return what a method of a dataset returns, without the tidying of old files that ir_datasets puts before it."""
    return inspect.unwrap(declaration)()


def _sources(part: Any) -> Iterator[Any]:
    """Yield the sources of files that a part of a dataset, and what it is made of, hold."""
    from ir_datasets import Dataset
    from ir_datasets.formats import BaseQrels
    from ir_datasets.util import Migrator

    if isinstance(part, Migrator):
        part = part._wrapped
    if isinstance(part, Dataset):
        part = of(part.qrels_handler)
    for held in vars(part).values():
        for one in held if isinstance(held, (list, tuple)) else [held]:
            if isinstance(one, (BaseQrels, Dataset, Migrator)):
                yield from _sources(one)
            elif hasattr(type(one), "stream") or hasattr(type(one), "path"):
                yield one


def _is_here(source: Any) -> bool:
    """Tell whether a source can be read from this machine: the file it keeps, or what that is made of."""
    from ir_datasets.util import Download, PackageDataFile, RelativePath, StringFile

    if isinstance(source, (StringFile, PackageDataFile)):
        return True
    if isinstance(source, Download):
        return _exists(source._cache_path) or any(_exists(getattr(m, "_path", None)) for m in source.mirrors)
    held = vars(source)
    within = held.get("_streamer", held.get("dlc"))
    if isinstance(source, RelativePath):
        folder = vars(within).get("_extract_path", vars(within).get("extract_path"))
        return _exists(os.path.join(folder, source._path)) if _exists(folder) else _is_here(within)
    kept = (held.get(name) for name in ("_path", "_extract_path", "extract_path", "_output_file"))
    return any(map(_exists, kept)) or (within is not None and _is_here(within))


def _exists(path: Any) -> bool:
    return path is not None and os.path.exists(path)
