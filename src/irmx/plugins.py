"""Discovery of plugins: entry points, block-list, failures kept and shown, duplicates refused."""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib import metadata
from types import ModuleType
from typing import TYPE_CHECKING, Any

import ir_measures
import pluggy

from irmx import hookspecs, loading
from irmx.errors import PluginError, PluginWarning, UsageError, suggest
from irmx.offers import NOT_OURS, keys, returned
from irmx.upstream import publish, unpublish

if TYPE_CHECKING:
    from irmx.measures import Measure

GROUP = "irmx"
HOST = "irmx (host)"
HOOKS = (
    "irmx_measures",
    "irmx_symbols",
    "irmx_formats",
    "irmx_datasets",
    "irmx_fields",
    "irmx_commands",
    "irmx_reports",
)


@dataclass
class PluginInfo:
    """A plugin as ``irmx plugins`` shows it.

    Attributes
    ----------
    name : str
        The name of its entry point.
    distribution, version : str
        The distribution that holds it.
    offers : dict of str to list of str
        The names it registered, by what they are (``"measures"``, ...).
    failure : str
        Why it is not in use; empty when it is.
    seconds : float
        The time that its import and its hooks took.
    """

    name: str
    distribution: str = ""
    version: str = ""
    offers: dict[str, list[str]] = field(default_factory=dict)
    failure: str = ""
    seconds: float = 0.0

    @property
    def source(self) -> str:
        """The plugin with its distribution, for messages."""
        return f"{self.name} ({self.distribution} {self.version})" if self.distribution else self.name


class Registry:
    """Everything that the host and the plugins registered, by hook and name."""

    def __init__(self) -> None:
        self.manager = pluggy.PluginManager("irmx")
        self.manager.add_hookspecs(hookspecs)
        self.plugins: dict[str, PluginInfo] = {}
        self._claims: dict[tuple[str, str], tuple[Any, str]] = {}
        self._order: dict[str, list[str]] = {hook: [] for hook in HOOKS}
        self._defined: dict[str, str] = {}

    # -- what is there -----------------------------------------------------------------------------------

    def _objects(self, hook: str) -> dict[str, Any]:
        return {key: self._claims[hook, key][0] for key in self._order[hook]}

    def measures(self, aliases: bool = False) -> dict[str, Any]:
        """Return the measures by name, and by their other names where these are wanted."""
        found = self._objects("irmx_measures")
        return found if aliases else {name: measure for name, measure in found.items() if name == measure.NAME}

    def symbols(self, kind: str | None = None) -> dict[str, Any]:
        """Return the symbols of one kind by name, or of all kinds."""
        found = self._objects("irmx_symbols").values()
        return {s.NAME: s for s in found if kind is None or kind == s.KIND}

    def formats(self) -> dict[str, Any]:
        """Return the file formats by name, plugins' before the host's."""
        return dict(reversed(self._objects("irmx_formats").items()))

    def datasets(self) -> dict[str, Any]:
        """Return the datasets by id."""
        return self._objects("irmx_datasets")

    def fields(self) -> list[Any]:
        """Return the fields of documents that give columns."""
        return list(self._objects("irmx_fields").values())

    def source_of(self, offered: Any) -> str:
        """Return the plugin that offers an object, with its version."""
        return next(source for obj, source in self._claims.values() if obj is offered)

    def commands(self) -> dict[str, Any]:
        """Return the subcommands by name."""
        return self._objects("irmx_commands")

    def reports(self) -> dict[str, Any]:
        """Return the output formats by name."""
        return self._objects("irmx_reports")

    # -- loading -----------------------------------------------------------------------------------------

    def add(self, info: PluginInfo, load: Callable[[], Any]) -> None:
        """Load one plugin; whatever goes wrong is kept in ``info.failure`` and warned of, never raised."""
        self.plugins[info.name] = info
        start = time.perf_counter()
        try:
            with loading.watched(info.name, info.source):
                plugin = load()
                loading.refuse_where_host_is_too_old(plugin)
                self._register(info, plugin)
        except NOT_OURS:
            raise
        except BaseException as error:
            reason = str(error) if isinstance(error, PluginError) else loading.said(error)
            if isinstance(error, (ImportError, AttributeError)):
                reason += loading.unmet_requirement(info.distribution)
            info.failure = reason
        info.seconds = time.perf_counter() - start
        slow = f"{info.seconds:.1f} s" if info.seconds > loading.SLOW else ""
        if info.failure:
            self.fail(info, info.failure + (f" (after {slow})" if slow else ""))
        elif slow:
            warnings.warn(f"irmx plugin {info.source} took {slow} to load.", PluginWarning, stacklevel=2)

    def _register(self, info: PluginInfo, plugin: ModuleType | Any) -> None:
        claims: list[tuple[str, str, Any]] = []
        try:
            self.manager.register(plugin, name=info.name)
            self.manager.check_pending()
            for hook in HOOKS:
                claims += [(hook, key, obj) for key, obj in self._ask(hook, info)]
        except BaseException:
            if self.manager.has_plugin(info.name):
                self.manager.unregister(name=info.name)
            raise
        for hook, key, obj in claims:
            self._claims[hook, key] = (obj, info.source)
            self._order[hook].append(key)
            name = key if hook == "irmx_measures" else obj.NAME
            info.offers.setdefault(hook.removeprefix("irmx_"), []).append(name)

    def _ask(self, hook: str, info: PluginInfo) -> Iterable[tuple[str, Any]]:
        """Return what one plugin's hook offers, checked, with the key that must be unique."""
        offered: dict[str, Any] = {}
        for impl in getattr(self.manager.hook, hook).get_hookimpls():
            if impl.plugin_name != info.name:
                continue
            for obj in returned(hook, impl.function):
                for key in keys(hook, obj):
                    self._refuse_taken(hook, key, info, offered)
                    offered[key] = obj
        return offered.items()

    def _refuse_taken(self, hook: str, key: str, info: PluginInfo, offered: dict[str, Any]) -> None:
        what = hook.removeprefix("irmx_").removesuffix("s")
        taken = self._claims.get((hook, key))
        if taken is not None:
            raise PluginError(f"it claims the {what} {key!r}, which {taken[1]} has already: {info.source} is refused.")
        if key in offered:
            raise PluginError(f"it offers the {what} {key!r} twice: {info.source} is refused.")
        if hook == "irmx_measures":
            from irmx.measures import Measure

            there = ir_measures.measures.registry.get(key)
            if there is not None and not isinstance(there, Measure):
                raise PluginError(
                    f"it claims the measure {key!r}, which ir_measures has already: {info.source} is refused."
                )

    def define(self, measure: Measure, place: str) -> None:
        """Register a measure of a user's own program; one that was defined at the same place before is replaced.

        Parameters
        ----------
        measure : Measure
            The measure.
        place : str
            Where it is defined, such as ``"__main__.Enough"``.

        Raises
        ------
        irmx.errors.UsageError
            Where another measure has the name.
        """
        hook, name = "irmx_measures", str(measure.NAME)
        if self._defined.get(name) == place:
            self.undefine(name)
        taken = self._claims.get((hook, name), (None, "ir_measures"))[1]
        if (hook, name) in self._claims or name in ir_measures.measures.registry:
            raise UsageError(
                f"The measure {name} of {place} is refused: {taken} has the name already. "
                "Give another: @irmx.measure(name='...')."
            )
        self._claims[hook, name] = (measure, place)
        self._order[hook].append(name)
        self._defined[name] = place
        publish({name: measure})

    def undefine(self, name: str) -> None:
        """Forget a measure of a user's own program, so that its name is free.

        Raises
        ------
        irmx.errors.UsageError
            Where no such measure was defined; those of plugins stay.
        """
        if name not in self._defined:
            raise UsageError(f"No measure {name!r} was defined by @irmx.measure.{suggest(name, self._defined)}")
        del self._defined[name], self._claims["irmx_measures", name]
        self._order["irmx_measures"].remove(name)
        unpublish(name)

    def fail(self, info: PluginInfo, reason: str) -> None:
        """Keep and warn of a plugin that is not in use."""
        info.failure = reason
        warnings.warn(f"irmx plugin {info.source} is not in use: {reason}", PluginWarning, stacklevel=2)


def _env_list(name: str) -> list[str] | None:
    """Return the names in an environment variable, None where it is not set."""
    value = os.environ.get(name)
    return None if value is None else [v.strip() for v in value.split(",") if v.strip()]


def discover(registry: Registry) -> None:
    """Load the host's own features, then every installed plugin that the environment does not exclude.

    ``IRMX_LOAD_PLUGINS=a,b`` loads only these (empty: none); ``IRMX_DISABLED_PLUGINS=a,b`` leaves these
    out. Names are those of entry points or of distributions.
    """
    from irmx import builtin

    registry.add(PluginInfo(HOST, "irmx", metadata.version("irmx")), lambda: builtin)
    only, without = _env_list("IRMX_LOAD_PLUGINS"), _env_list("IRMX_DISABLED_PLUGINS") or []
    known: set[str] = set()
    for point in sorted(metadata.entry_points(group=GROUP), key=lambda e: (e.name, e.value)):
        dist = point.dist
        info = PluginInfo(point.name, dist.name if dist else "", dist.version if dist else "")
        names = {point.name, info.distribution}
        known |= names
        if only is not None and not names & set(only):
            registry.plugins.setdefault(info.name, info).failure = "not listed in IRMX_LOAD_PLUGINS"
        elif names & set(without):
            registry.plugins.setdefault(info.name, info).failure = "listed in IRMX_DISABLED_PLUGINS"
        elif point.name in registry.plugins and registry.plugins[point.name].distribution != info.distribution:
            first = registry.plugins[point.name].source
            info.name = f"{point.name} of {info.distribution}"
            registry.plugins[info.name] = info
            registry.fail(info, f"its entry point {point.name!r} is also claimed by {first}: {info.source} is refused.")
        elif point.name not in registry.plugins:
            registry.add(info, point.load)
    for variable, wanted in (("IRMX_LOAD_PLUGINS", only or []), ("IRMX_DISABLED_PLUGINS", without)):
        for name in [n for n in wanted if n not in known]:
            warnings.warn(
                f"{variable} names {name!r}, which is not installed.{suggest(name, known)}", PluginWarning, stacklevel=2
            )


def in_plugin(module: str) -> bool:
    """Tell whether a module is part of the package of an installed plugin, which registers by its hooks."""
    package = module.partition(".")[0]
    return any(point.module.partition(".")[0] == package for point in metadata.entry_points(group=GROUP))


_registry: Registry | None = None
_filled = False
_lock = threading.RLock()


def registry() -> Registry:
    """Return the one registry, filled at first use.

    Another thread waits until it is filled; a plugin that asks while it is loaded sees what is there so far.
    """
    global _registry, _filled
    if _registry is not None and _filled:
        return _registry
    with _lock:
        if _registry is None:
            _registry = Registry()
            try:
                discover(_registry)
            except BaseException:  # a warning made an error; the next use tries again
                _registry = None
                raise
            publish(_registry.measures(aliases=True))
            _filled = True
        return _registry
