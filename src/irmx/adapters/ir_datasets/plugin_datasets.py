"""Datasets of plugins: made at the first use, and loaded by ir_datasets under their ids.

``ir_datasets.load`` asks the patterns of its registry for an id that it does not know. irmx registers one that asks the
plugins, so that none of them is loaded before, and it does so when ir_datasets is imported: ``import irmx`` does not import it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from irmx.errors import DataError, IrmxError, PluginError
from irmx.registry import registry

_IR_DATASETS = "ir_datasets"
_made: dict[str, Any] = {}


def install() -> None:
    """Let ir_datasets load the datasets of plugins by their ids; calling it twice changes nothing."""
    _PATTERN.active = True
    module = sys.modules.get(_IR_DATASETS)
    if module is not None and hasattr(module, "registry"):
        _PATTERN.register(module)
    elif _WATCH not in sys.meta_path:
        sys.meta_path.insert(0, _WATCH)


def uninstall() -> None:
    """Let ir_datasets load only its own; datasets of plugins that it has loaded already, it keeps."""
    _PATTERN.active = False
    if _WATCH in sys.meta_path:
        sys.meta_path.remove(_WATCH)


def load(dataset_id: str) -> Any:
    """Return the dataset that a plugin has under an id; it is made at the first use."""
    import ir_datasets
    from ir_datasets.util import MetadataComponent

    if dataset_id not in _made:
        declared = registry().datasets()[dataset_id]
        whose = f"The dataset {dataset_id!r} of the plugin {registry().source_of(declared)}"
        try:
            dataset = declared.load()
        except IrmxError:
            raise
        except Exception as error:
            raise DataError(f"{whose} could not be made: {failure(error)}") from error
        if not hasattr(dataset, "has_qrels"):
            raise PluginError(f"{whose} is {dataset!r}, which is not an ir_datasets.Dataset.")
        if not hasattr(dataset, "metadata"):
            dataset = ir_datasets.Dataset(MetadataComponent(dataset_id, dataset), dataset)
        _made[dataset_id] = dataset
    return _made[dataset_id]


def is_taken(dataset_id: str) -> bool:
    """Tell whether an id is one of ir_datasets' own, or was registered there by another package."""
    import ir_datasets

    return dataset_id in ir_datasets.registry and ir_datasets.registry[dataset_id] is not _made.get(dataset_id)


def failure(error: Exception) -> str:
    """Return the message about an error of ir_datasets: with several sources of a file, what came of each."""
    what, *more = error.args or ("",)
    if more and isinstance(more[0], list):
        tried = (f"{_place(source)} ({type(why).__name__})" for source, why in more[0])
        return f"{what}: {', '.join(tried)}."
    return f"{type(error).__name__}: {str(error).rstrip('.') or 'no further details'}."


def _place(source: Any) -> Any:
    """Return where a source of a file is: its address, or its path."""
    from ir_datasets.util import LocalDownload

    return source.path(force=False) if isinstance(source, LocalDownload) else getattr(source, "url", source)


class _Pattern:
    """The pattern in the registry of ir_datasets: any id that neither ir_datasets nor a pattern before it knows.

    ir_datasets has no way to take a pattern back; one that is not active knows no id.
    """

    active = False
    _module: ModuleType | None = None

    def register(self, module: ModuleType) -> None:
        """Register it with ir_datasets, once."""
        if module is not self._module:
            self._module = module
            module.registry.register_pattern("", self._dataset)

    def _dataset(self, dataset_id: str, groups: tuple[str, ...]) -> Any:
        if not self.active or dataset_id not in registry().datasets():
            raise KeyError(dataset_id)
        return load(dataset_id)


class _Watch(MetaPathFinder):
    """Registers the pattern at the end of the import of ir_datasets."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != _IR_DATASETS:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            loader: Any = spec.loader
            loader.exec_module = lambda module: self._run(loader, module)
        return spec

    def _run(self, loader: Any, module: ModuleType) -> None:
        del loader.exec_module
        loader.exec_module(module)
        _PATTERN.register(module)


_PATTERN, _WATCH = _Pattern(), _Watch()
