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
            elif _is_source(one):
                yield one


def _is_source(held: Any) -> bool:
    return hasattr(type(held), "stream") or hasattr(type(held), "path")


def _is_here(source: Any) -> bool:
    """Tell whether a source can be read from this machine: the file it keeps, or what that is made of.

    ``path(force=False)`` is asked only of sources that keep a file of their own: others pass the question on, and a download
    that is not kept answers it by downloading.
    """
    from ir_datasets.util import (
        Cache,
        Download,
        LocalDownload,
        PackageDataFile,
        RelativePath,
        StringFile,
        TarExtractAll,
        ZipExtractCache,
    )

    def is_kept(one: Any) -> bool:
        return isinstance(one, (Cache, LocalDownload, TarExtractAll, ZipExtractCache)) and os.path.exists(
            one.path(force=False)
        )

    if isinstance(source, Download):
        return os.path.exists(source._cache_path or "") or any(map(is_kept, source.mirrors))
    within = next(filter(_is_source, vars(source).values()), None)
    if isinstance(source, RelativePath) and is_kept(within):
        return os.path.exists(source.path(force=False))
    return (
        isinstance(source, (StringFile, PackageDataFile))
        or is_kept(source)
        or (within is not None and _is_here(within))
    )
