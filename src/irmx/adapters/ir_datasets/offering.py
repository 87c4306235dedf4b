"""Datasets of plugins in the registry of ir_datasets, from the moment ir_datasets is imported.

``ir_datasets.load`` asks the patterns of its registry for an id that it does not know. irmx adds one that asks the plugins,
so that none of them is loaded before, and ``import irmx`` does not import ir_datasets.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from irmx.errors import DataError, IrmxError, PluginError
from irmx.registry import registry

_IR_DATASETS = "ir_datasets"


def offer() -> None:
    """Let ir_datasets load the datasets of plugins by their ids; calling it twice changes nothing."""
    module = sys.modules.get(_IR_DATASETS)
    if module is not None and hasattr(module, "registry"):
        _add(module)
    elif _WATCH not in sys.meta_path:
        sys.meta_path.insert(0, _WATCH)


def withdraw() -> None:
    """Let ir_datasets know only what it knew by itself."""
    if _WATCH in sys.meta_path:
        sys.meta_path.remove(_WATCH)
    module = sys.modules.get(_IR_DATASETS)
    if module is None or not hasattr(module, "registry"):
        return
    known = module.registry
    known._patterns[:] = [entry for entry in known._patterns if entry is not _ENTRY]
    for dataset_id, made in _loaded.items():
        if known._registered.get(dataset_id) is made:
            del known._registered[dataset_id]


def load(dataset_id: str) -> Any:
    """Return the dataset that a plugin offers under an id; it is made at the first use."""
    import ir_datasets
    from ir_datasets.util import MetadataComponent

    if dataset_id not in _loaded:
        found = made(dataset_id)
        if not hasattr(found, "metadata"):
            found = ir_datasets.Dataset(MetadataComponent(dataset_id, found), found)
        _loaded[dataset_id] = found
    return _loaded[dataset_id]


def is_taken(dataset_id: str) -> bool:
    """Tell whether ir_datasets has an id by itself, or from somebody else."""
    import ir_datasets

    registered = ir_datasets.registry._registered
    return dataset_id in registered and registered[dataset_id] is not _loaded.get(dataset_id)


def made(dataset_id: str) -> Any:
    """Return the dataset that a plugin offers under an id, made by the plugin.

    Raises
    ------
    irmx.errors.DataError
        Where the plugin cannot make it.
    irmx.errors.PluginError
        Where it is not one of ir_datasets.
    """
    offer = registry().datasets()[dataset_id]
    whose = f"The dataset {dataset_id!r} of the plugin {registry().source_of(offer)}"
    try:
        found = offer.load()
    except IrmxError:
        raise
    except Exception as error:
        raise DataError(f"{whose} could not be made: {failure(error)}") from error
    if not hasattr(found, "has_qrels"):
        raise PluginError(f"{whose} is {found!r}, which is not an ir_datasets.Dataset.")
    return found


def failure(error: Exception) -> str:
    """Return what to say of an error of ir_datasets: with several sources of a file, what came of each."""
    what, *more = error.args or ("",)
    if more and isinstance(more[0], list):
        tried = (f"{_place(source)} ({type(why).__name__})" for source, why in more[0])
        return f"{what}: {', '.join(tried)}."
    return f"{type(error).__name__}: {str(error).rstrip('.') or 'no more is said'}."


def _place(source: Any) -> Any:
    """Return where a source of a file is: its address, or its path."""
    return getattr(source, "url", None) or getattr(source, "_path", source)


class _Offered:
    """Stands among the patterns of ir_datasets' registry, and matches the ids that plugins offer."""

    def match(self, dataset_id: str) -> re.Match[str] | None:
        return re.match("", dataset_id) if dataset_id in registry().datasets() else None


_ENTRY = (_Offered(), lambda dataset_id, groups: load(dataset_id))
_loaded: dict[str, Any] = {}


def _add(module: Any) -> None:
    if _ENTRY not in module.registry._patterns:
        module.registry._patterns.append(_ENTRY)


class _Watch(MetaPathFinder):
    """Waits for the import of ir_datasets."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != _IR_DATASETS:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


class _Loader(Loader):
    """Loads ir_datasets as its own loader does, and adds the pattern."""

    def __init__(self, own: Loader) -> None:
        self._own = own

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._own.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = module.__loader__ = self._own
        self._own.exec_module(module)
        _add(module)


_WATCH = _Watch()
