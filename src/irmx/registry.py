"""The registry of everything that the host and the plugins register, by kind and name; discovery fills it at first use.

It imports nothing from irmx but the errors, so that every module may use it; the functions that fill it are passed to
:func:`connect` when irmx is imported.
"""

from __future__ import annotations

import os
import threading
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any

from irmx.errors import UsageError
from irmx.text import plural, suggest

GROUP = "irmx"
"""The entry point group of plugins."""


@dataclass
class PluginInfo:
    """A plugin as ``irmx plugins`` shows it."""

    name: str
    distribution: str = ""
    version: str = ""
    point: str = ""
    offers: dict[str, list[str]] = field(default_factory=dict)
    refused: dict[str, dict[str, str]] = field(default_factory=dict)
    failure: str = ""

    def __post_init__(self) -> None:
        self.point = self.point or self.name

    @property
    def source(self) -> str:
        """The plugin with its distribution, for messages."""
        return f"{self.name} ({f'{self.distribution} {self.version}'.strip()})" if self.distribution else self.name


class Registry:
    """Everything that the host and the plugins registered.

    Attributes
    ----------
    plugins : dict of str to PluginInfo
        The plugins by name, including those that are not in use.
    defined : dict of str to str
        Where the measures of a user's own program are defined, by the name of the measure.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self.plugins: dict[str, PluginInfo] = {}
        self._owners: defaultdict[str, dict[str, tuple[Any, str]]] = defaultdict(dict)
        self.defined: dict[str, str] = {}

    def __repr__(self) -> str:
        return f"<Registry of {plural(len(self.plugins), 'plugin')}: {', '.join(self.plugins)}>"

    # -- what is registered ------------------------------------------------------------------------------

    def _by_key(self, kind: str) -> dict[str, Any]:
        return {key: obj for key, (obj, _) in self._owners[kind].items()}

    def measures(self, aliases: bool = False) -> dict[str, Any]:
        """Return the measures by name, with ``aliases`` also by their other names."""
        measures = self._by_key("measures")
        return measures if aliases else {name: measure for name, measure in measures.items() if name == measure.NAME}

    def measure(self, name: str) -> Any:
        """Return the measure of a plugin that has a name, None if none has."""
        return self._owners["measures"].get(name, (None, ""))[0]

    def scorers(self) -> dict[str, Any]:
        """Return the scorers of measures of ir_measures by the names of these measures."""
        return self._by_key("scorers")

    def scorer(self, name: str) -> Any:
        """Return the scorer of a measure of ir_measures, None if no plugin has one."""
        return self._owners["scorers"].get(name, (None, ""))[0]

    def symbols(self, kind: str) -> dict[str, Any]:
        """Return the symbols of one kind by name."""
        return {symbol.NAME: symbol for symbol in self.all_symbols() if kind == symbol.KIND}

    def all_symbols(self) -> list[Any]:
        """Return the symbols of all kinds; those of different kinds may share a name."""
        return list(self._by_key("symbols").values())

    def attributes(self) -> dict[str, Any]:
        """Return the measures, by all their names, and the symbols that have their name for themselves: ``irmx.NAME``."""
        return {**self._by_key("attributes"), **{name: self._owners["measures"][name][0] for name in self.defined}}

    def missing_attribute_message(self, module: str, name: str) -> str:
        """Return the message about a name that is no attribute of a module; where plugins dispute it, why."""
        reasons = [
            f"\n{info.source} does not get it: {info.refused[kind][name]}"
            for info in self.plugins.values()
            for kind in ("attributes", "functions")
            if name in info.refused.get(kind, ())
        ]
        return f"module {module!r} has no attribute {name!r}{':' * bool(reasons)}{''.join(reasons)}"

    def formats(self) -> dict[str, Any]:
        """Return the file formats by name, those of plugins before the host's."""
        return dict(reversed(self._by_key("formats").items()))

    def datasets(self) -> dict[str, Any]:
        """Return the datasets by id."""
        return self._by_key("datasets")

    def fields(self) -> list[Any]:
        """Return the document fields that provide columns."""
        return list(self._by_key("fields").values())

    def commands(self) -> dict[str, Any]:
        """Return the commands by the words that a user types, such as ``"eval"`` or ``"news fit"``."""
        return self._by_key("commands")

    def functions(self) -> dict[str, Any]:
        """Return the functions that plugins offer by name."""
        return self._by_key("functions")

    def output_formats(self) -> dict[str, Any]:
        """Return the output formats by name."""
        return self._by_key("output_formats")

    def source_of(self, registered: Any) -> str:
        """Return the plugin that registered an object, with its version."""
        return next(source for owners in self._owners.values() for obj, source in owners.values() if obj is registered)

    # -- registering -------------------------------------------------------------------------------------

    def owner(self, kind: str, key: str) -> str | None:
        """Return the plugin that has a name, None if the name is free."""
        return self._owners[kind].get(key, (None, None))[1]

    def add(self, kind: str, key: str, obj: Any, source: str) -> None:
        """Register an object under a name, which must be free."""
        self._owners[kind][key] = (obj, source)

    def remove(self, kind: str, key: str) -> None:
        """Free a name."""
        del self._owners[kind][key]

    def define(self, measure: Any, place: str) -> None:
        """Register a measure of a user's own program; one defined earlier at the same place is replaced.

        Parameters
        ----------
        measure : Measure
            The measure.
        place : str
            Where it is defined, such as ``"__main__.Enough"``.

        Raises
        ------
        irmx.errors.UsageError
            If another measure has the name.
        """
        name = str(measure.NAME)
        if self.defined.get(name) == place:
            self.undefine(name)
        owner = self.owner("measures", name) or _name_taken(name)
        if owner:
            raise UsageError(
                f"The measure {name} of {place} is refused: {owner} already has this name. "
                "Choose another: @irmx.measure(name='...')."
            )
        self.add("measures", name, measure, place)
        self.defined[name] = place
        _publish({name: measure})

    def undefine(self, name: str) -> None:
        """Forget a measure of a user's own program, so that its name is free.

        Raises
        ------
        irmx.errors.UsageError
            If no such measure was defined; measures of plugins cannot be undefined.
        """
        if name not in self.defined:
            raise UsageError(f"No measure {name!r} was defined with @irmx.measure.{suggest(name, self.defined)}")
        del self.defined[name]
        self.remove("measures", name)
        _unpublish(name)


def in_plugin(module: str) -> bool:
    """Tell whether a module belongs to an installed plugin, which registers its measures through its hooks."""
    package = module.partition(".")[0]
    return any(point.value.partition(".")[0].partition(":")[0] == package for point in entry_points()[0])


def entry_points() -> tuple[list[metadata.EntryPoint], dict[str, str]]:
    """Return the entry points of plugins; by name the distributions whose entry points cannot be read, and why."""
    try:
        return list(metadata.entry_points(group=GROUP)), {}
    except Exception:  # one broken distribution hides all others, so each is asked
        points: dict[tuple[str, str], metadata.EntryPoint] = {}
        broken: dict[str, str] = {}
        for distribution in metadata.distributions():
            try:
                of_irmx = [point for point in distribution.entry_points if point.group == GROUP]
                points |= {
                    (point.name, point.value): point for point in of_irmx if (point.name, point.value) not in points
                }
            except Exception as error:
                name, folder = folder_of(distribution)
                broken[name] = (
                    f"{os.path.join(folder, 'entry_points.txt')} cannot be read ({type(error).__name__}: {error})"
                )
        return list(points.values()), broken


def folder_of(distribution: Any) -> tuple[str, str]:
    """Return the name of a distribution by its folder, whose files may not be readable, and the folder itself."""
    folder = str(getattr(distribution, "_path", "")) or "an unknown folder"
    return os.path.basename(folder).partition("-")[0].replace("_", "-"), folder


# -- the one registry --------------------------------------------------------------------------------------

_registry = Registry()
_lock = threading.RLock()
_filled = _filling = False


def _discover(registry: Registry) -> None:
    """Fill the registry; set by :func:`connect`."""


def _publish(measures: dict[str, Any]) -> None:
    """Make measures known outside irmx; set by :func:`connect`."""


def _unpublish(name: str) -> None:
    """Withdraw the name of a measure outside irmx; set by :func:`connect`."""


def _name_taken(name: str) -> str:
    """Return the owner of a measure's name outside irmx, empty if the name is free; set by :func:`connect`."""
    return ""


def connect(
    discover: Callable[[Registry], None],
    publish: Callable[[dict[str, Any]], None],
    unpublish: Callable[[str], None],
    name_taken: Callable[[str], str],
) -> None:
    """Set the functions from higher layers: how to fill the registry, and how to make measures known outside irmx."""
    globals().update(_discover=discover, _publish=publish, _unpublish=unpublish, _name_taken=name_taken)


def registry() -> Registry:
    """Return the one registry, filled at first use.

    Another thread waits until it is filled; a plugin that uses it while being loaded sees what has been registered so far.
    """
    global _filled, _filling
    if _filled:
        return _registry
    with _lock:
        if not _filled and not _filling:
            _filling = True
            try:
                _discover(_registry)
                _publish(_registry.measures(aliases=True))
                _filled = True
            except BaseException:  # such as a warning turned into an error; the next use tries again
                _registry.clear()
                raise
            finally:
                _filling = False
        return _registry
