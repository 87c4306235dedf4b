"""A page per measure: definition, parameters, columns, range of values, citation, values on the demo collection."""

from __future__ import annotations

from irmx import Measure, calc_aggregate, parse_measure, registry
from irmx.cli.measures import of_monotonicity
from irmx.demo import SYSTEMS, qrels_path, run_path
from reference_generator.figures import drawn
from reference_generator.markdown import definition, parameters, registered_by, table
from reference_generator.vocabulary import column_anchor


def pages() -> dict[str, str]:
    """Return the page of every measure of the installed plugins, and their index."""
    measures = registry().measures()
    out = {f"measures/{name}.md": _page(name, measure) for name, measure in measures.items()}
    rows = [[f"[{n}]({n}.md)", m.PRETTY_NAME, m.SHORT_DESC] for n, m in measures.items()]
    names = "\n".join(measures)
    out["measures/index.md"] = f"""# Measures

The measures of the installed plugins. Those of ir_measures work next to them in every command and function;
`irmx measures` lists all.

{table(["name", "written out", "what it is"], rows)}

```{{toctree}}
:hidden:

{names}
```
"""
    return out


def _page(name: str, measure: Measure) -> str:
    picture = f"\n![The weight that {name} gives to each relevant document](../figures/{name}.svg)\n"
    return f"""# {name}

**{measure.PRETTY_NAME}.** {measure.SHORT_DESC} {registered_by("measures", name)}

## Definition

{definition(type(measure))}

## Parameters

{parameters(measure.SUPPORTED_PARAMS, measure.params, "../")}

`{name}(...)@10` is short for `{name}(...,cutoff=10)`.

## Columns

{_columns(measure)}

## Values

{_range(measure)}

{_demo(measure)}
{picture if name in drawn() else ""}
## Citation

{_citations(measure)}
"""


def _columns(measure: Measure) -> str:
    columns = (*measure.RUN_COLUMNS, *measure.QREL_COLUMNS)
    if not columns:
        return "It reads the [columns that every run and qrels table has](../columns.md), and no others."
    rows = [
        [
            c.table,
            f"[`{c.name}`](../columns.md#{column_anchor(c.table, c.name)})",
            c.desc,
            c.unit,
            "may be missing" if c.optional else c.how,
        ]
        for c in columns
    ]
    text = table(["table", "column", "meaning", "unit", "how to get it"], rows)
    return f"Beyond the [columns that every run and qrels table has](../columns.md), it reads, depending on its parameters:\n\n{text}"


def _range(measure: Measure) -> str:
    low, high = measure.RANGE
    return (
        f"From {low:g} to {high:g}. A topic of the qrels for which the run has no documents counts as {measure.DEFAULT:g}. "
        f"{of_monotonicity(measure)}"
    )


def _demo(measure: Measure) -> str:
    """Return the values of the measure's examples on the demo collection."""
    examples = [parse_measure(e) for e in measure.EXAMPLES]
    plain = [e for e in examples if isinstance(e, Measure) and not e.run_columns() and not e.qrel_columns()]
    if not plain:
        return ""
    by_system = [calc_aggregate(plain, str(qrels_path()), str(run_path(s))) for s in SYSTEMS]
    rows = [[f"`{e}`", *(f"{values[e]:.4f}" for values in by_system)] for e in plain]
    return f"On the collection of `irmx demo`:\n\n{table(['measure', *SYSTEMS], rows)}"


def _citations(measure: Measure) -> str:
    blocks = [f"{c}\n\n```bibtex\n{c.bibtex()}\n```" for c in measure.citations()]
    return "\n\n".join(blocks) or "Nothing to cite but irmx."
