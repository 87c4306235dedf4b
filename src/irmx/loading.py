"""What the host sees to while a plugin is loaded: how long it takes, and which irmx it needs."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from importlib import metadata
from typing import Any

from irmx.diverting import diverted
from irmx.errors import PluginError

SLOW = 5.0
"""After so many seconds a plugin that is still being loaded is named, and again whenever the time has doubled."""


@contextlib.contextmanager
def watched(name: str, source: str) -> Iterator[None]:
    """Name a plugin on standard error while its loading takes long; what it prints goes there, too.

    A plugin that hangs is known so, and standard output holds results only.

    Parameters
    ----------
    name : str
        Its name, as ``IRMX_DISABLED_PLUGINS`` takes it.
    source : str
        The plugin with its distribution, for the message.
    """
    done = threading.Event()
    thread = threading.Thread(target=_name_while_slow, args=(done, name, source), daemon=True)
    with contextlib.suppress(RuntimeError):  # no further thread can be had: nobody watches
        thread.start()
    try:
        with diverted():
            yield
    finally:
        done.set()
        if thread.ident is not None:
            thread.join()


def _name_while_slow(done: threading.Event, name: str, source: str) -> None:
    """Wait until the loading is done; imports nothing, as the loading thread may hold locks of imports."""
    start, after = time.perf_counter(), SLOW
    while not done.wait(start + after - time.perf_counter()):
        if sys.stderr is not None:
            print(
                f"irmx: the plugin {source} is still being loaded after {after:g} s; Ctrl-C stops it, the environment "
                f"variable IRMX_DISABLED_PLUGINS={name} leaves it out",
                file=sys.stderr,
                flush=True,
            )
        after *= 2


def said(error: BaseException) -> str:
    """Return what an error of a plugin says, with its type; its text may itself be broken."""
    try:
        return f"{type(error).__name__}: {error}".encode("utf-8", "backslashreplace").decode()
    except Exception as unsaid:
        return f"{type(error).__name__}, whose text raises {type(unsaid).__name__}"


def refuse_where_host_is_too_old(plugin: Any) -> None:
    """Raise :class:`irmx.PluginError` where the attribute ``requires_irmx`` of a plugin rules this irmx out.

    It is a version specifier of Python packages, such as ``">=0.2"`` or ``">=0.2,<2"``; a plugin need not have it.
    """
    wanted = getattr(plugin, "requires_irmx", None)
    if wanted is None:
        return
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    if not isinstance(wanted, str):
        raise PluginError(f"its requires_irmx is {wanted!r}; a text such as '>=0.2' is expected.")
    try:
        allowed = SpecifierSet(wanted)
    except InvalidSpecifier:
        raise PluginError(f"its requires_irmx is {wanted!r}, which is no version specifier such as '>=0.2'.") from None
    if not allowed.contains(metadata.version("irmx"), prereleases=True):
        raise PluginError(_needs(wanted))


def unmet_requirement(distribution: str) -> str:
    """Return what to say where the metadata of a distribution ask for another irmx; empty otherwise.

    A plugin that is made for a newer irmx mostly fails at its first import, before its ``requires_irmx`` can be read.
    """
    if not distribution:
        return ""
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        for text in metadata.requires(distribution) or ():
            requirement = Requirement(text)
            here = metadata.version("irmx")
            if requirement.name == "irmx" and not requirement.specifier.contains(here, prereleases=True):
                return f" By its metadata {_needs(str(requirement.specifier))}"
    except (metadata.PackageNotFoundError, InvalidRequirement):
        pass
    return ""


def _needs(wanted: str) -> str:
    return f"it needs irmx {wanted}; this is irmx {metadata.version('irmx')}. To have a newer one: python -m pip install --upgrade irmx"
