"""Discovery of plugins: which are installed and wanted, what their hooks return, and who has a name that two claim."""

from __future__ import annotations

import contextlib
import os
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module, metadata
from typing import Any

import pluggy
from packaging.requirements import InvalidRequirement, Requirement

from irmx import hookspecs
from irmx.adapters.ir_measures.install import name_taken
from irmx.errors import PluginError, PluginWarning, suggest
from irmx.plugin.checks import HOOKS, keys, what_it_says
from irmx.registry import GROUP, PluginInfo, Registry

HOST = "irmx (host)"
_OF_THE_HOST = ("irmx.plugin.builtin", "irmx.cli.output")
"""The modules with the host's own hooks."""

_SLOW = 5.0
"""A plugin that takes longer to load, in seconds, is named in a warning."""


def discover(registry: Registry) -> None:
    """Register the host's own features, then those of every installed plugin that the environment does not exclude.

    ``IRMX_LOAD_PLUGINS=a,b`` loads only these (empty: none); ``IRMX_DISABLED_PLUGINS=a,b`` leaves these out;
    ``IRMX_PREFERRED_PLUGINS=a,b`` gives these the names that others claim, too. Names are those of entry points or of
    distributions.
    """
    only, without, preferred = (_names_in(f"IRMX_{which}_PLUGINS") for which in ("LOAD", "DISABLED", "PREFERRED"))
    discovery = Discovery(registry, set(preferred or ()))
    for module in _OF_THE_HOST:
        discovery.add(PluginInfo(HOST, "irmx", metadata.version("irmx")), partial(import_module, module))
    known: set[str] = set()
    for point in sorted(metadata.entry_points(group=GROUP), key=lambda e: (e.name, e.value)):
        dist = point.dist
        info = PluginInfo(point.name, dist.name if dist else "", dist.version if dist else "")
        names = {point.name, info.distribution}
        known |= names
        same_name = registry.plugins.get(point.name)
        if only is not None and not names & set(only):
            registry.plugins.setdefault(info.name, info).failure = "not listed in IRMX_LOAD_PLUGINS"
        elif without is not None and names & set(without):
            registry.plugins.setdefault(info.name, info).failure = "listed in IRMX_DISABLED_PLUGINS"
        elif same_name is not None and same_name.distribution != info.distribution:
            info.name = f"{point.name} of {info.distribution}"
            registry.plugins[info.name] = info
            _fail(info, f"its entry point {point.name!r} is also claimed by {same_name.source}.")
        elif same_name is None:
            discovery.add(info, point.load)
    for which, wanted in (("LOAD", only), ("DISABLED", without), ("PREFERRED", preferred)):
        for name in (n for n in wanted or () if n not in known):
            _warn(f"IRMX_{which}_PLUGINS names {name!r}, which is not installed.{suggest(name, known)}")


class Discovery:
    """Loads plugins one after the other; what goes wrong with one is kept and warned about, never raised.

    Parameters
    ----------
    registry : Registry
        What it fills.
    preferred : set of str
        The plugins or distributions that the user prefers where two claim a name.
    """

    def __init__(self, registry: Registry, preferred: set[str]) -> None:
        self._registry, self._preferred = registry, preferred
        self._manager = pluggy.PluginManager("irmx")
        self._manager.add_hookspecs(hookspecs)
        self._refused: dict[tuple[str, str], str] = {}
        self._claims: dict[tuple[str, str], PluginInfo] = {}

    def add(self, info: PluginInfo, load: Callable[[], Any]) -> None:
        """Load one plugin and register what it offers."""
        info = self._registry.plugins.setdefault(info.name, info)
        start = time.perf_counter()
        try:
            with contextlib.redirect_stdout(sys.stderr):  # standard output holds results only
                _refuse_other_version(info.distribution)
                offered = self._offered(info, load())
        except KeyboardInterrupt:
            print(
                f"irmx: stopped while the plugin {info.source} was being loaded; the environment variable "
                f"IRMX_DISABLED_PLUGINS={info.name} leaves it out.",
                file=sys.stderr,
            )
            raise
        except BaseException as error:
            _fail(info, str(error) if isinstance(error, PluginError) else what_it_says(error))
            return
        finally:
            info.seconds += time.perf_counter() - start
        for (hook, names), obj in offered:
            self._register(hook.removeprefix("irmx_"), names, obj, info)
        if info.seconds > _SLOW:
            _warn(f"irmx plugin {info.source} took {info.seconds:.1f} s to load.")

    def _offered(self, info: PluginInfo, plugin: Any) -> list[tuple[tuple[str, list[str]], Any]]:
        """Return what the hooks of one plugin return, checked, with the hook and the names that each must be known by."""
        name = self._manager.register(plugin)
        try:
            self._manager.check_pending()
            others = [one for one in self._manager.get_plugins() if one is not plugin]
            found: dict[tuple[str, str], tuple[list[str], Any]] = {}
            for hook in HOOKS:
                for offered in self._manager.subset_hook_caller(hook, remove_plugins=others)():
                    for obj in _as_list(hook, offered):
                        names = keys(hook, obj)
                        for key in names:
                            if (hook, key) in found:
                                raise PluginError(f"it registers the {_one(hook)} {key!r} twice.")
                            found[hook, key] = (names, obj)
        except BaseException:
            self._manager.unregister(name=name)
            raise
        return [((hook, names), obj) for (hook, key), (names, obj) in found.items() if key == names[0]]

    def _register(self, kind: str, names: list[str], obj: Any, info: PluginInfo) -> None:
        """Register an object by its names, the first of which it cannot do without."""
        for key in names:
            if self._is_free_for(kind, key, info):
                self._registry.add(kind, key, obj, info.source)
                self._claims[kind, key] = info
            elif key == names[0]:
                info.refused.setdefault(kind, []).append(key)
                return
        info.offers.setdefault(kind, []).append(names[0] if kind == "measures" else obj.NAME)

    def _is_free_for(self, kind: str, key: str, info: PluginInfo) -> bool:
        """Decide who gets a name: nobody where two plugins claim it, unless one of them comes before the other."""
        what = f"The {_one(kind)} {key!r} of the irmx plugin {info.source} is refused: "
        outside = name_taken(key) if kind == "measures" else ""
        first = self._claims.get((kind, key))
        if outside:
            _warn(f"{what}{outside} has the name already.")
        elif (kind, key) in self._refused:
            _warn(f"{what}{self._refused[kind, key]} claim it, too. {_choose(info)}")
        elif first is None:
            return True
        elif self._weight(info) == self._weight(first):
            self._registry.remove(kind, key)
            _take_back(first, kind, key)
            self._refused[kind, key] = f"{first.source} and {info.source}"
            _warn(
                f"The {_one(kind)} {key!r} is refused: two irmx plugins claim it, {first.source} and {info.source}. "
                f"{_choose(first)}"
            )
        elif self._weight(info) > self._weight(first):
            self._registry.remove(kind, key)
            _take_back(first, kind, key)
            _warn(
                f"The {_one(kind)} {key!r} of the irmx plugin {first.source} is refused: {info.source} {self._why(info)}."
            )
            return True
        else:
            _warn(f"{what}{first.source} {self._why(first)}. {_choose(info)}")
        return False

    def _weight(self, info: PluginInfo) -> int:
        if info.name == HOST:
            return 3
        if {info.name, info.distribution} & self._preferred:
            return 2
        return int(info.distribution in _shipped())

    def _why(self, info: PluginInfo) -> str:
        return ("", "ships with irmx and has the name", "is preferred", "has the name")[self._weight(info)]


def _as_list(hook: str, offered: Any) -> list[Any]:
    try:
        return list(offered)
    except TypeError:
        raise PluginError(f"its hook {hook} returned {offered!r}; a list of objects is expected.") from None


def _one(kind: str) -> str:
    """Return the singular of a kind, or of the hook of it."""
    return kind.removeprefix("irmx_").removesuffix("s")


def _choose(info: PluginInfo) -> str:
    return f"To choose, set IRMX_PREFERRED_PLUGINS={info.name}, or leave one out with IRMX_DISABLED_PLUGINS."


def _take_back(info: PluginInfo, kind: str, key: str) -> None:
    """Note that a plugin lost a name that it had."""
    if key in info.offers.get(kind, ()):
        info.offers[kind].remove(key)
    info.refused.setdefault(kind, []).append(key)


def _shipped() -> set[str]:
    """Return the distributions that ship with irmx: those of its extra ``plugins``."""
    found = set()
    for text in metadata.requires("irmx") or ():
        requirement = Requirement(text)
        if requirement.marker is not None and requirement.marker.evaluate({"extra": "plugins"}):
            found.add(requirement.name)
    return found


def _refuse_other_version(distribution: str) -> None:
    """Raise :class:`irmx.PluginError` where the metadata of a distribution ask for another irmx; before its import can fail."""
    try:
        required = [Requirement(text) for text in metadata.requires(distribution) or ()] if distribution else []
    except (metadata.PackageNotFoundError, InvalidRequirement):
        return
    here = metadata.version("irmx")
    for one in required:
        if one.name == "irmx" and not one.specifier.contains(here, prereleases=True):
            raise PluginError(
                f"it needs irmx {one.specifier}; this is irmx {here}. To get a version that fits: "
                f"python -m pip install --upgrade irmx {distribution}"
            )


def _names_in(variable: str) -> list[str] | None:
    """Return the names in an environment variable, None where it is not set."""
    value = os.environ.get(variable)
    return None if value is None else [v.strip() for v in value.split(",") if v.strip()]


def _fail(info: PluginInfo, reason: str) -> None:
    """Keep why a plugin is not in use, and warn about it."""
    info.failure = reason
    _warn(f"irmx plugin {info.source} is not in use: {reason}")


def _warn(text: str) -> None:
    warnings.warn(text, PluginWarning, stacklevel=2)
