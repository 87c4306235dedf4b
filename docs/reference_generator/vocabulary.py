"""The pages of the column vocabulary and of the formats, datasets and fields, made from the declarations."""

from __future__ import annotations

from irmx import Column, registry
from irmx.columns import ALIASES, REQUIRED, vocabulary
from reference_generator.markdown import registered_by, table


def columns_page() -> str:
    """Return the page of the columns."""
    columns = vocabulary()
    required = [[c.table, f"`{c.name}`", c.desc, c.dtype, _aliases(c)] for c in columns if c.name in REQUIRED[c.table]]
    others = [
        [
            c.table,
            f"`{c.name}`",
            c.desc,
            c.unit,
            c.dtype,
            _aliases(c),
            c.how or ("may be missing" if c.optional else ""),
            ", ".join(_readers(c)),
        ]
        for c in columns
        if c.name not in REQUIRED[c.table]
    ]
    return f"""# Columns

## Columns of every table

{table(["table", "column", "meaning", "type", "also accepted as"], required)}

## Columns that some measures read

One name has one meaning and one unit, whatever plugin reads it. A measure whose column is missing says so, naming the
table and the column, and scores nothing.

{table(["table", "column", "meaning", "unit", "type", "also accepted as", "how to have it", "read by"], others)}
"""


def _aliases(column: Column) -> str:
    return ", ".join(f"`{alias}`" for alias, name in ALIASES[column.table].items() if name == column.name)


def _readers(column: Column) -> list[str]:
    return [
        f"[{name}](measures/{name}.md)"
        for name, m in registry().measures().items()
        if (column.table, column.name) in {(c.table, c.name) for c in (*m.RUN_COLUMNS, *m.QREL_COLUMNS)}
    ]


def formats_page() -> str:
    """Return the page of file formats, output formats, datasets and fields of documents."""
    formats = [
        [f"`{n}`", f.DESCRIPTION, " and ".join(f.TABLES), registered_by("formats", n)]
        for n, f in registry().formats().items()
    ]
    reports = [[f"`{n}`", r.DESCRIPTION, registered_by("reports", n)] for n, r in registry().reports().items()]
    datasets = [[f"`{n}`", registered_by("datasets", n)] for n in registry().datasets()]
    fields = [
        [f"`{f.NAME}`", f"`{f.column}`", f"`{f.field}`", f"`{f.form}`", registered_by("fields", f.NAME)]
        for f in registry().fields()
    ]
    listed = table(["id", "offered by"], datasets) if datasets else "The installed plugins offer none."
    return f"""# Formats

## Files

The first format that recognises a file reads it; `NAME:path` chooses one by name. Each may be packed with gzip,
bzip2 or xz.

{table(["name", "what it is", "holds", "offered by"], formats)}

## Output of irmx eval

{table(["name", "what it is", "offered by"], reports)}

## Datasets of plugins

Every dataset id of ir_datasets that has qrels may stand for the qrels. Ids that plugins add:

{listed}

## Fields of documents

Columns that the qrels of a dataset, or of a part of it, get from the fields of its documents, where a measure needs them;
see [the guide](../guide/collections.md).

{table(["dataset", "column", "field", "form", "offered by"], fields)}
"""
