"""Pieces of Markdown that several pages are made of."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Any

from irmx import Measure, Param, Symbol, registry
from irmx.cli.measures import table
from irmx.declare.described import parameters_of


def plural(kind: str) -> str:
    """Return a kind of symbol in the plural.

    >>> plural("Markov model"), plural("source of holding times")
    ('Markov models', 'sources of holding times')
    """
    head, of, rest = kind.partition(" of ")
    return f"{head}s{of}{rest}"


def slug(kind: str) -> str:
    """Return the folder of a kind of symbol.

    >>> slug("Markov model")
    'markov-models'
    """
    return plural(kind).lower().replace(" ", "-")


def title(kind: str) -> str:
    """Return the title of a kind of symbol: the kind in the plural, with a capital."""
    text = plural(kind)
    return text[0].upper() + text[1:]


_FORMULAS = (
    (r"1/log(\d+)\(([\w+ ]+)\)", r"$1/\\log_{\1}(\2)$"),
    (r"\blog(\d+)\((\w+)\)", r"$\\log_{\1} \2$"),
    (r"1/\((\w+\+\d)\)", r"$1/(\1)$"),
    (r"1/(\w)\^(\w)\b", r"$1/\1^{\2}$"),
    (r"\(2\^grade - 1\) ?/ ?2\^(\w+)", r"$(2^{\\mathrm{grade}} - 1)/2^{\\mathrm{\1}}$"),
    (r"2\^grade - 1", r"$2^{\\mathrm{grade}} - 1$"),
)
"""How formulas are written in texts for a terminal, and in a page."""


def typeset(text: str) -> str:
    """Return a text for a terminal with its formulas as those of a page.

    >>> typeset("by 1/log10(d+2)"), typeset("the grade, or 2^grade - 1")
    ('by $1/\\\\log_{10}(d+2)$', 'the grade, or $2^{\\\\mathrm{grade}} - 1$')
    """
    for ascii_form, formula in _FORMULAS:
        text = "$".join(part if i % 2 else re.sub(ascii_form, formula, part) for i, part in enumerate(text.split("$")))
    return text.replace("2^{\\mathrm{max_grade}}", r"2^{\mathrm{max\_grade}}")


def parameters(declared: Mapping[str, Param], given: Mapping[str, Any], up: str, of: str = "") -> str:
    """Return a table of parameters: meaning, values, unit, default.

    Parameters
    ----------
    declared : dict of str to Param
        The declarations.
    given : dict
        The values that the object has already, which take the place of the defaults.
    up : str
        The way to the folder ``reference``, such as ``"../"``.
    """
    rows = []
    for one in parameters_of(declared, given):
        values, kind = one.facts[0], declared[one.name].kind
        values = f"[{values}]({up}{slug(kind)}/index.md)" if kind else values
        anchor, value = parameter_anchor(one.name, of), f"`{one.value}`" if one.value else one.need
        rows.append([f"`{one.name}`{{#{anchor}}}", typeset(one.meaning), values, one.facts[2], value])
    return table(["parameter", "meaning", "values", "unit", "default"], rows) if rows else "It has no parameters."


def parameter_anchor(name: str, of: str = "") -> str:
    """Return the anchor of a parameter on the page of its measure or named object, or of one of several things on a page.

    >>> parameter_anchor("no_relevant"), parameter_anchor("topic", "traces")
    ('parameter-no-relevant', 'parameter-traces-topic')
    """
    return "-".join(filter(None, ["parameter", of, name])).replace("_", "-")


def definition(cls: type, members: bool = False) -> str:
    """Return the docstring of a class, by autodoc; not indexed, as the page of its module has it, too."""
    options = "" if members else "   :no-members:\n"
    return f"```{{eval-rst}}\n.. autoclass:: {cls.__module__}.{cls.__qualname__}\n   :no-index:\n{options}```"


def registered_by(hook: str, name: str) -> str:
    """Return the plugin that offers a name, as a sentence."""
    for info in registry().plugins.values():
        if name in info.offers.get(hook, ()):
            return f"Offered by {info.name} ({info.distribution} {info.version})."
    return ""


def first_line(obj: Any) -> str:
    """Return the first line of a docstring."""
    return (inspect.getdoc(obj) or "").partition("\n")[0]


def kinds() -> dict[str, list[Symbol]]:
    """Return the registered symbols by kind."""
    out: dict[str, list[Symbol]] = {}
    for symbol in registry().all_symbols():
        out.setdefault(symbol.KIND, []).append(symbol)
    return out


def takers(kind: str) -> list[tuple[Measure, str]]:
    """Return the measures and parameters that take symbols of a kind."""
    return [(m, name) for m in registry().measures().values() for name, p in m.SUPPORTED_PARAMS.items()
            if getattr(p, "kind", "") == kind]  # fmt: skip
