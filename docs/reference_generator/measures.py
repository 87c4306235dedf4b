"""A page per measure: definition, parameters, columns, range of values, citation, values on the demo collection."""

from __future__ import annotations

from irmx import Column, Measure, calc_aggregate, parse_measure, registry
from irmx.cli.measures import MeasurePage, table
from irmx.demo import SYSTEMS, qrels_path, run_path
from reference_generator.figures import drawn
from reference_generator.markdown import definition, parameters, registered_by
from reference_generator.vocabulary import column_anchor


def pages() -> dict[str, str]:
    """Return the page of every measure of the installed plugins, and their index."""
    measures = registry().measures()
    out = {f"measures/{name}.md": _Page(name, measure).text() for name, measure in measures.items()}
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


class _Page(MeasurePage):
    """The page of a measure, with links to the rest of the reference, and its values on the demo collection."""

    def about(self) -> str:
        return f"{super().about()} {registered_by('measures', self.name)}"

    def definition(self) -> str:
        return definition(type(self.measure))

    def parameters(self) -> str:
        listed = parameters(self.measure.SUPPORTED_PARAMS, self.measure.params, "../")
        return f"{listed}\n\n`{self.name}(...)@10` is short for `{self.name}(...,cutoff=10)`."

    def column(self, column: Column) -> str:
        return f"[`{column.name}`](../columns.md#{column_anchor(column.table, column.name)})"

    def columns_of_all(self) -> str:
        return "the [columns that every run and qrels table has](../columns.md)"

    def values(self) -> str:
        drawing = f"![The weight that {self.name} gives to each relevant document](../figures/{self.name}.svg)"
        picture = drawing if self.name in drawn() else ""
        return "\n\n".join(filter(None, [super().values(), _demo(self.measure), picture]))


def _demo(measure: Measure) -> str:
    """Return the values of the measure's examples on the demo collection."""
    examples = [parse_measure(e) for e in measure.EXAMPLES]
    plain = [e for e in examples if isinstance(e, Measure) and not e.run_columns() and not e.qrel_columns()]
    if not plain:
        return ""
    by_system = [calc_aggregate(plain, str(qrels_path()), str(run_path(s))) for s in SYSTEMS]
    rows = [[f"`{e}`", *(f"{values[e]:.4f}" for values in by_system)] for e in plain]
    return f"On the collection of `irmx demo`:\n\n{table(['measure', *SYSTEMS], rows)}"
