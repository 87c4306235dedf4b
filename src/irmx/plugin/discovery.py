"""Discovery of plugins: which are installed and enabled, what their hooks return, and which gets a name that two claim."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module, metadata
from typing import Any

import pluggy
from packaging.requirements import InvalidRequirement, Requirement

from irmx import hookspecs
from irmx.adapters.ir_measures.install import name_taken
from irmx.errors import PluginError, PluginWarning, suggest
from irmx.plugin.checks import HOOKS, keys, text_of
from irmx.registry import GROUP, PluginInfo, Registry

HOST = "irmx (host)"
_OF_THE_HOST = ("irmx.plugin.builtin", "irmx.cli.commands", "irmx.cli.output")
"""The modules with the host's own hooks."""

_SLOW = 5.0
"""The loading time, in seconds, above which a warning names a plugin."""


def discover(registry: Registry) -> None:
    """Register the host's own features, then those of every installed plugin that the environment does not exclude.

    ``IRMX_LOAD_PLUGINS=a,b`` loads only these (empty: none); ``IRMX_DISABLED_PLUGINS=a,b`` excludes these;
    ``IRMX_PREFERRED_PLUGINS=a,b`` gives these the names that other plugins also claim. Plugins are named by their entry
    points or distributions.
    """
    only, without, preferred = (_names_in(f"IRMX_{which}_PLUGINS") for which in ("LOAD", "DISABLED", "PREFERRED"))
    discovery = Discovery(registry, set(preferred or ()))
    discovery.add_host()
    discovery.register()  # so that a plugin that asks irmx while it is loaded sees the features of the host
    known: set[str] = set()
    for info, load in _installed():
        names = {info.name, info.distribution}
        known |= names
        if only is not None and not names & set(only):
            info.failure = "not listed in IRMX_LOAD_PLUGINS"
        elif without is not None and names & set(without):
            info.failure = "listed in IRMX_DISABLED_PLUGINS"
        if info.failure:
            registry.plugins[info.name] = info
        else:
            discovery.add(info, load)
    discovery.register()
    for which, wanted in (("LOAD", only), ("DISABLED", without), ("PREFERRED", preferred)):
        for name in (n for n in wanted or () if n not in known):
            _warn(f"IRMX_{which}_PLUGINS names {name!r}, which is not installed.{suggest(name, known)}")


def _installed() -> list[tuple[PluginInfo, Callable[[], Any]]]:
    """Return the installed plugins by name; where two distributions use one name, theirs are added."""
    points = sorted(metadata.entry_points(group=GROUP), key=lambda point: (point.name, point.value))
    names = [point.name for point in points]
    plugins = []
    for point in points:
        about = point.dist.metadata if point.dist else {"Name": "", "Version": ""}  # parsed every time
        name, version = about["Name"], about["Version"]
        label = point.name if names.count(point.name) == 1 else f"{point.name} of {name}"
        plugins.append((PluginInfo(label, name, version), point.load))
    return plugins


@dataclass(frozen=True)
class _Claim:
    """An object that a plugin offers, with the names that it claims; without the first, it is not registered."""

    info: PluginInfo
    kind: str
    names: list[str]
    obj: Any


class Discovery:
    """Loads plugins one after the other, then registers what they offer.

    Failures of a plugin are recorded and warned about, never raised. Names are assigned when all plugins are loaded, so the
    order of plugins does not matter.

    Parameters
    ----------
    registry : Registry
        The registry to fill.
    preferred : set of str
        The plugins or distributions that the user prefers if two claim a name.
    """

    def __init__(self, registry: Registry, preferred: set[str]) -> None:
        self._registry, self._preferred = registry, preferred
        self._manager = pluggy.PluginManager("irmx")
        self._manager.add_hookspecs(hookspecs)
        self._claims: list[_Claim] = []
        self._registered = 0

    def add_host(self) -> None:
        """Load the host's own features, which come through the same hooks."""
        for module in _OF_THE_HOST:
            self.add(PluginInfo(HOST, "irmx", _version()), partial(import_module, module))

    def add(self, info: PluginInfo, load: Callable[[], Any]) -> None:
        """Load one plugin and ask its hooks; :meth:`register` registers what they return."""
        info = self._registry.plugins.setdefault(info.name, info)
        start = time.perf_counter()
        try:
            with contextlib.redirect_stdout(sys.stderr):  # standard output holds results only
                _refuse_other_version(info.distribution)
                self._claims += self._claims_of(info, load())
        except KeyboardInterrupt:
            if sys.stderr is not None:
                print(
                    f"irmx: stopped while the plugin {info.source} was being loaded; the environment variable "
                    f"IRMX_DISABLED_PLUGINS={info.name} leaves it out",
                    file=sys.stderr,
                )
            raise
        except BaseException as error:
            info.failure = str(error) if isinstance(error, PluginError) else text_of(error)
            _warn(f"irmx plugin {info.source} is not in use: {info.failure}")
        info.seconds += time.perf_counter() - start
        if info.seconds > _SLOW:
            _warn(f"irmx plugin {info.source} took {info.seconds:.1f} s to load.")

    def _claims_of(self, info: PluginInfo, plugin: Any) -> list[_Claim]:
        """Return what the hooks of one plugin return, checked."""
        self._manager.register(plugin)
        try:
            self._manager.check_pending()
            others = [other for other in self._manager.get_plugins() if other is not plugin]
            claims = []
            known: set[tuple[str, str]] = set()
            for hook in HOOKS:
                kind = hook.removeprefix("irmx_")
                for obj in _returned(hook, self._manager.subset_hook_caller(hook, others)):
                    claim = _Claim(info, kind, keys(hook, obj), obj)
                    for key in claim.names:
                        if (kind, key) in known:
                            raise PluginError(f"it registers the {_one(kind)} {key!r} twice.")
                        known.add((kind, key))
                    claims.append(claim)
        except BaseException:
            self._manager.unregister(plugin)
            raise
        return claims

    def register(self) -> None:
        """Register the objects loaded since the last call, by those of their names that their plugins get."""
        claimants: dict[tuple[str, str], dict[str, PluginInfo]] = {}
        for claim in self._claims:
            for key in claim.names:
                claimants.setdefault((claim.kind, key), {})[claim.info.name] = claim.info
        refused = {(kind, key): self._refused(kind, key, _rivals(kind, key, claimants)) for kind, key in claimants}
        for claim in self._claims[self._registered :]:
            info = claim.info
            reasons = {key: refused[claim.kind, key].get(info.name, "") for key in claim.names}
            for key, reason in reasons.items():
                if reason:
                    info.refused.setdefault(claim.kind, {})[key] = reason
                    _warn(f"The {_one(claim.kind)} {key!r} of the irmx plugin {info.source} is refused: {reason}")
            if not reasons[claim.names[0]]:
                for key in (key for key, reason in reasons.items() if not reason):
                    self._registry.add(claim.kind, key, claim.obj, info.source)
                info.offers.setdefault(claim.kind, []).append(_shown(claim))
        self._registered = len(self._claims)

    def _refused(self, kind: str, key: str, rivals: dict[str, PluginInfo]) -> dict[str, str]:
        """Return which of the plugins that claim a name are refused it, and why."""
        outside = name_taken(key) if kind == "measures" else ""
        if outside:
            return dict.fromkeys(rivals, f"{outside} already has this name.")
        if len(rivals) == 1:
            return {}
        weights = {name: self._weight(info) for name, info in rivals.items()}
        first, *others = sorted(rivals.values(), key=lambda info: -weights[info.name])
        if weights[first.name] > weights[others[0].name]:
            why = ("", "ships with irmx and has", "is preferred and has", "has")[weights[first.name]]
            return {info.name: f"{first.source} {why} the name.{_how_to_choose(first, info)}" for info in others}
        return {
            name: f"{' and '.join(other.source for other in rivals.values() if other is not info)} "
            f"{'claims' if len(rivals) == 2 else 'claim'} it, too.{_how_to_choose(None, info)}"
            for name, info in rivals.items()
        }

    def _weight(self, info: PluginInfo) -> int:
        if info.name == HOST:
            return 3
        if {info.name, info.distribution} & self._preferred:
            return 2
        return int(info.distribution in _shipped())


def _rivals(kind: str, key: str, claimants: dict[tuple[str, str], dict[str, PluginInfo]]) -> dict[str, PluginInfo]:
    """Return the plugins that claim a name: also a command, such as pages, and a group of commands, such as pages fit."""
    word = key.partition(" ")[0]
    if kind != "commands" or (kind, word) not in claimants:
        return claimants[kind, key]
    both = [infos for (k, other), infos in claimants.items() if k == kind and other.partition(" ")[0] == word]
    return {name: info for infos in both for name, info in infos.items()}


def _returned(hook: str, caller: pluggy.HookCaller) -> list[Any]:
    """Return the objects that a hook of one plugin returns; what goes wrong in it says so."""
    try:
        answers = caller()
        answers += [None] * (len(caller.get_hookimpls()) - len(answers))  # pluggy leaves them out
        for answer in answers:
            if not isinstance(answer, Iterable):
                raise PluginError(f"its hook {hook} returned {answer!r}; a list of objects is expected.")
        return [obj for answer in answers for obj in answer]
    except (KeyboardInterrupt, PluginError):
        raise
    except BaseException as error:
        raise PluginError(f"its hook {hook} raised {text_of(error)}") from error


def _one(kind: str) -> str:
    """Return the singular of a kind."""
    return kind.removesuffix("s")


def _shown(claim: _Claim) -> str:
    """Return the name of an object as ``irmx plugins`` shows it."""
    return claim.names[0] if claim.kind in ("measures", "commands") else str(claim.obj.NAME)


def _how_to_choose(first: PluginInfo | None, info: PluginInfo) -> str:
    """Return how the user can give the name to a plugin, empty if that is impossible."""
    if first is not None and first.name == HOST:
        return ""
    return f" IRMX_PREFERRED_PLUGINS={info.distribution or info.name} gives it to {info.name}."


def _shipped() -> set[str]:
    """Return the distributions that ship with irmx: those of its extra ``plugins``."""
    texts = (text for text in metadata.requires("irmx") or () if re.search(r"extra\s*==\s*['\"]plugins['\"]", text))
    return {re.split(r"[^\w.-]", text.strip(), maxsplit=1)[0] for text in texts}


def _refuse_other_version(distribution: str) -> None:
    """Raise :class:`irmx.PluginError` where the metadata of a distribution ask for another irmx, before it is imported."""
    try:
        required = metadata.requires(distribution) if distribution not in ("", "irmx") else None
    except metadata.PackageNotFoundError:
        return
    for text in required or ():
        if not re.match(r"irmx\b(?![-.\w])", text):
            continue
        here = _version()
        with contextlib.suppress(InvalidRequirement):
            needed = Requirement(text)
            wanted = needed.marker is None or needed.marker.evaluate({"extra": ""})
            if wanted and not needed.specifier.contains(here, prereleases=True):
                raise PluginError(
                    f"it needs irmx {needed.specifier}; this is irmx {here}. To get versions that fit: "
                    f"python -m pip install --upgrade irmx {distribution}"
                )


@cache
def _version() -> str:
    return metadata.version("irmx")


def _names_in(variable: str) -> list[str] | None:
    """Return the names in an environment variable, None if it is not set."""
    value = os.environ.get(variable)
    return None if value is None else [v.strip() for v in value.split(",") if v.strip()]


def _warn(text: str) -> None:
    warnings.warn(text, PluginWarning, stacklevel=2)
