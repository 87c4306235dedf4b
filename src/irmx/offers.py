"""What the hooks of plugins may return, and under which names: checked before anything is registered."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from irmx.errors import PluginError

NOT_OURS = (KeyboardInterrupt,)
"""What a plugin raises is its failure; Ctrl-C is the user's wish."""


def returned(hook: str, ask: Callable[[], Any]) -> list[Any]:
    """Return the objects that a hook of a plugin returns.

    Raises
    ------
    irmx.PluginError
        Where it raises, or returns nothing that can be iterated over.
    """
    try:
        found = ask()
        if not isinstance(found, Iterable):
            raise PluginError(f"its hook {hook} returned {found!r}; a list of objects is expected.")
        return list(found)
    except (*NOT_OURS, PluginError):
        raise
    except BaseException as error:
        raise PluginError(f"its hook {hook} raised {type(error).__name__}: {error}") from error


def keys(hook: str, obj: Any) -> list[str]:
    """Return the names under which an object must be unique, after checking that it is what the hook promises."""
    from irmx.collections import Field
    from irmx.measures import Measure
    from irmx.symbols import Symbol

    expected = _kinds()[hook]
    if isinstance(obj, type) and issubclass(obj, expected):
        raise PluginError(
            f"its hook {hook} returned the class {obj.__name__}, which is not an irmx.{expected.__name__} but a kind of "
            f"them: return {obj.__name__}(...)."
        )
    if not isinstance(obj, expected):
        raise PluginError(f"its hook {hook} returned {obj!r}, which is not an irmx.{expected.__name__}.")
    kind, name = type(obj).__name__, getattr(obj, "NAME", None)
    if name is None or name == "":
        raise PluginError(f"its hook {hook} returned a {kind} without a NAME.")
    if not isinstance(name, str):
        raise PluginError(f"its hook {hook} returned a {kind} whose NAME is {name!r}; a text is expected.")
    if isinstance(obj, (Measure, Symbol)) and not name.isidentifier():
        raise PluginError(
            f"its hook {hook} returned a {kind} whose NAME is {name!r}; in an expression only letters, digits and _ can be "
            "read as a name."
        )
    if isinstance(obj, Measure):
        _refuse_bad_declarations(obj)
    if isinstance(obj, Symbol):
        return [f"{obj.KIND} {name}"]
    if isinstance(obj, Field):
        return [f"{name} {obj.column}"]
    return [name, *obj.ALIASES] if isinstance(obj, Measure) else [name]


def _refuse_bad_declarations(measure: Any) -> None:
    """Raise where a measure declares something else than parameters and columns: help, listings and scoring rely on them."""
    from irmx.columns import Column
    from irmx.params import Param

    for name, param in measure.SUPPORTED_PARAMS.items():
        if not isinstance(param, Param):
            raise PluginError(
                f"its measure {measure.NAME} declares the parameter {name!r} as {type(param).__name__}, not an irmx.Param."
            )
    for attribute, table in (("RUN_COLUMNS", "run"), ("QREL_COLUMNS", "qrels")):
        for column in getattr(measure, attribute):
            if not isinstance(column, Column) or column.table != table:
                raise PluginError(
                    f"its measure {measure.NAME} has {column!r} in {attribute}, which is not an irmx.Column({table!r}, ...)."
                )


def _kinds() -> dict[str, type]:
    """Return what each hook promises."""
    from irmx.cli.command import Command
    from irmx.collections import Dataset, Field
    from irmx.formats.base import Format
    from irmx.measures import Measure
    from irmx.reports.base import Report
    from irmx.symbols import Symbol

    return {
        "irmx_measures": Measure,
        "irmx_symbols": Symbol,
        "irmx_formats": Format,
        "irmx_datasets": Dataset,
        "irmx_fields": Field,
        "irmx_commands": Command,
        "irmx_reports": Report,
    }
