"""A page per named object of expressions: user models, stopping laws, tables."""

from __future__ import annotations

from irmx import Measure, Symbol, parse_measure
from irmx.cli.measures import formula_in_markdown, table
from reference_generator.markdown import definition, kinds, parameters, registered_by, slug, takers, title, typeset


def pages() -> dict[str, str]:
    """Return the page of every symbol, and an index per kind."""
    out: dict[str, str] = {}
    for kind, symbols in kinds().items():
        shared = _shared(symbols)
        for symbol in symbols:
            out[f"{slug(kind)}/{symbol.NAME}.md"] = _page(symbol, type(symbol) in shared)
        out[f"{slug(kind)}/index.md"] = _index(kind, symbols, shared)
    return out


def _shared(symbols: list[Symbol]) -> list[type]:
    """Return the classes that several symbols are instances of."""
    classes = [type(s) for s in symbols]
    return [c for c in dict.fromkeys(classes) if classes.count(c) > 1]


def _index(kind: str, symbols: list[Symbol], shared: list[type]) -> str:
    rows = [[f"[{s.NAME}]({s.NAME}.md)", typeset(s.SHORT_DESC)] for s in symbols]
    uses = ", ".join(f"the parameter `{p}` of [{m.NAME}](../measures/{m.NAME}.md)" for m, p in takers(kind))
    values = f"Values of {uses}." if uses else "Values of arguments of functions and commands; no measure takes them."
    names = "\n".join(s.NAME for s in symbols)
    described = "\n\n".join(f"## How they are made: {c.__name__}\n\n{definition(c)}" for c in shared)
    return f"""# {title(kind)}

{values} A plugin can register more of them.

{table(["name", "what it is"], rows)}

{described}

```{{toctree}}
:hidden:

{names}
```
"""


def _expression(measure: Measure, taker: str, symbol: Symbol) -> str:
    """Return a measure with a symbol for one of its parameters, and with what else it needs, as in its example."""
    example = parse_measure(measure.EXAMPLES[0]).params if measure.EXAMPLES else {}
    needed = {k: example[k] for k, p in measure.SUPPORTED_PARAMS.items() if p.required and k != taker and k in example}
    values = {**needed, taker: (*symbol.EXAMPLES, symbol.NAME)[0]}
    return f"{measure.NAME}({','.join(f'{k}={v}' for k, v in values.items())})"


def _page(symbol: Symbol, shared: bool) -> str:
    variants = ""
    if symbol.SUPPORTED_PARAMS:
        variants = f"\nA call gives a variant: `{symbol.NAME}(parameter=value)`.\n"
    used = ", ".join(f"`{_expression(m, p, symbol)}`" for m, p in takers(symbol.KIND))
    about = definition(type(symbol))
    formula = f"\n## Formula\n\n{formula_in_markdown(symbol.FORMULA)}\n" if symbol.FORMULA else ""
    if shared:
        about = f"It is a [{type(symbol).__name__}](index.md) with the values below."
    return f"""# {symbol.NAME}

A {symbol.KIND}: {typeset(symbol.SHORT_DESC)}. {registered_by("symbols", symbol.NAME)}

In an expression: {used or f"`{symbol.NAME}`"}.

{about}
{formula}
## Parameters

{parameters(symbol.SUPPORTED_PARAMS, symbol.params, "../")}
{variants}"""
