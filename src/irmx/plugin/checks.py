"""Checks of the objects that hooks of plugins return, before they are registered."""

from __future__ import annotations

import re
from typing import Any, get_args, get_type_hints

from irmx import hookspecs
from irmx.adapters.ir_datasets.fields import Field
from irmx.adapters.ir_measures import name_taken
from irmx.data.formats import Format
from irmx.declare.columns import Command, Function, Symbol
from irmx.declare.described import OutputFormat
from irmx.declare.measures import Measure, problems
from irmx.errors import PluginError

HOOKS: dict[str, type] = {
    name: get_args(get_type_hints(hook)["return"])[0]
    for name, hook in vars(hookspecs).items()
    if name.startswith("irmx_")
}
"""The type of the objects that each hook returns."""


def keys(hook: str, obj: Any) -> list[str]:
    """Check that an object has the type that a hook returns, and return the names that it claims."""
    expected = HOOKS[hook]
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
    if not isinstance(obj, Measure):  # of which everything is checked
        _refuse_bad_texts(hook, obj)
    if isinstance(obj, (Measure, Symbol)) and not name.isidentifier():
        raise PluginError(
            f"its hook {hook} returned a {kind} whose NAME is {name!r}; in an expression only letters, digits and _ can be "
            "read as a name."
        )
    if isinstance(obj, Function) and not name.isidentifier():
        raise PluginError(f"its hook {hook} returned a Function whose NAME is {name!r}, which is no name in Python.")
    if isinstance(obj, Measure):
        _refuse_bad_declarations(obj)
        if hook == "irmx_scorers":
            if not name_taken(name):
                raise PluginError(f"its hook {hook} returned a scorer of {name}, which is no measure of ir_measures.")
            return [name]
        return [name, *obj.ALIASES]
    if isinstance(obj, Symbol):
        return [f"{obj.KIND} {name}"]
    if isinstance(obj, Field):
        return [f"{name} {obj.column}"]
    if isinstance(obj, Command):
        for word in filter(None, (obj.group, name)):
            if not re.fullmatch(r"\w[\w.-]*", word):
                raise PluginError(
                    f"its hook {hook} returned a Command with the word {word!r}, which cannot be typed: a word is letters, "
                    "digits, _, . and -, and begins with a letter, a digit or _."
                )
        return [obj.words]
    return [name]


def _refuse_bad_texts(hook: str, obj: Any) -> None:
    """Raise if what an object says of itself in lists and help texts is of a wrong type."""
    which = f"its hook {hook} returned a {type(obj).__name__} whose"
    about, lines = getattr(obj, "SHORT_DESC", None), getattr(obj, "EXAMPLES", ())
    if not isinstance(about, (str, type(None))):
        raise PluginError(f"{which} SHORT_DESC is of type {type(about).__name__}; a text is expected.")
    if not isinstance(lines, (tuple, list)) or not all(isinstance(line, str) for line in lines):
        raise PluginError(f"{which} EXAMPLES are of type {type(lines).__name__}; a tuple of texts is expected.")
    if isinstance(obj, Command) and not all(isinstance(text, str) for text in (obj.function, obj.group)):
        raise PluginError(f"{which} function or group is no text.")
    if isinstance(obj, Function) and not isinstance(obj.function, str):
        raise PluginError(f"{which} function is no text.")
    if isinstance(obj, (Format, OutputFormat)) and re.search(r"[\s:]", str(obj.NAME)):
        raise PluginError(f"{which} NAME is {obj.NAME!r}, which cannot be typed: no blanks and no colon are allowed.")
    if isinstance(obj, Format):
        for attribute, known in (("TABLES", {"run", "qrels", "scores"}), ("FOLDERS", {"run", "qrels"})):
            tables = getattr(obj, attribute)
            if not isinstance(tables, (tuple, list)) or not set(tables) <= known:
                raise PluginError(f"{which} {attribute} is not a tuple of {' and '.join(map(repr, sorted(known)))}.")
        if not isinstance(obj.IDS, bool) or obj.LINES not in ("all", "after header", ""):
            raise PluginError(f"{which} IDS or LINES is not as irmx.Format documents it.")


def _refuse_bad_declarations(measure: Measure) -> None:
    """Raise if a measure declares what it must not, or if what it declares fails."""
    for problem in problems(measure):
        raise PluginError(f"its measure {measure.NAME} {problem}")
