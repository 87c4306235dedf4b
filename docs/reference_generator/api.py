"""The pages of the Python interface: the public names of irmx and of the installed plugins."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from importlib import metadata
from types import ModuleType
from typing import Any

import irmx
import irmx.testing.strategies
from irmx import Measure, Symbol
from irmx.registry import GROUP
from reference_generator.markdown import parameters, slug

_DATA = {
    "hookimpl": "The decorator that makes a function of a plugin an implementation of a [hook](../hooks.md).",
    "number": "The type of a parameter that may be an int or a float, such as a relevance threshold.",
}


def pages() -> dict[str, str]:
    """Return a page for irmx, for its conformance kit, and for the package of every plugin."""
    packages = [irmx, irmx.toolkit, irmx.testing, irmx.testing.strategies, *_plugin_packages()]
    return {f"api/{p.__name__}.md": _page(p) for p in packages}


def _plugin_packages() -> list[ModuleType]:
    names = sorted({point.value.partition(".")[0] for point in metadata.entry_points(group=GROUP)})
    return [importlib.import_module(n) for n in names]


def _page(package: ModuleType) -> str:
    names = list(getattr(package, "__all__", []))
    body = "\n\n".join(f"### {name}\n\n{_entry(package, name)}" for name in names)
    doc = (inspect.getdoc(package) or "").partition("\n\n")[0].replace("``", "`")
    return f"""# The package {package.__name__}

{doc}

## Public names

{body}
"""


def _entry(package: ModuleType, name: str) -> str:
    """Return the description of one name, by autodoc where it is a class or a function."""
    value = getattr(package, name)
    path = f"{package.__name__}.{name}"
    if isinstance(value, type) and name not in _DATA:
        return _directive("autoclass", path, _of_bases(value, package))
    if inspect.isfunction(value):
        return _directive("autofunction", path)
    if isinstance(value, Measure):
        return f"The measure [{value.NAME}](../measures/{value.NAME}.md), to be called with its parameters."
    if isinstance(value, Symbol):
        return f"The {value.KIND} [{value.NAME}](../{slug(value.KIND)}/{value.NAME}.md)."
    if name in _DATA:
        return f"{_DATA[name]}"
    return _data(path, name, value)


def _of_bases(value: type, package: ModuleType) -> str:
    """Return the options by which an error shows its bases, and a result what it has of bases that no page describes."""
    if issubclass(value, Exception):
        return "   :show-inheritance:\n"
    if issubclass(value, Measure):
        return ""
    of_package = [base for base in value.__mro__[1:] if base.__module__.startswith(f"{package.__name__}.")]
    described = [base.__name__ for base in of_package if base.__name__ in package.__all__]
    return f"   :inherited-members: {described[0]}\n" if described and described[0] != of_package[0].__name__ else ""


def _data(path: str, name: str, value: Any) -> str:
    if name == "CHECKS":
        return (
            "The checks by name, as functions of a measure and data. Those in bold are repeated for every measure of a class; "
            "the others run once per class.\n\n| check | what must hold |\n| --- | --- |\n" + "\n".join(_checks())
        )
    if name == "COMMON_PARAMS":
        return (
            "The parameters that mean the same in every measure that has them; the host carries them out.\n\n"
            + parameters(value, {}, "../")
        )
    if type(value) in (set, dict):  # whose docstring is that of their class
        listed = ", ".join(f"`{one}`" for one in sorted(value))
        return f"A {type(value).__name__} {'of' if type(value) is set else 'with the keys'} {listed}."
    return _directive("autodata", path, "   :no-value:\n")


def _checks() -> Iterator[str]:
    for name, check in irmx.testing.CHECKS.items():
        first = " ".join((inspect.getdoc(check) or "").partition("\n\n")[0].replace("``", "`").split())
        bold = "**" if name in irmx.testing.OF_SETTINGS else ""
        yield f"| {bold}`{name}`{bold} | {first} |"


def _directive(directive: str, path: str, options: str = "") -> str:
    return f"```{{eval-rst}}\n.. {directive}:: {path}\n{options}```"
