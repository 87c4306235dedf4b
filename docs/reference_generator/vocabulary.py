"""The pages of the column vocabulary and of the formats, datasets and fields, made from the declarations."""

from __future__ import annotations

from dataclasses import dataclass, field

from irmx import Column, Measure, registry
from irmx.declare.columns import ALIASES, BASE, REQUIRED
from reference_generator.markdown import parameters, registered_by, table


def columns_page() -> str:
    """Return the page of the columns: a heading for each, with every meaning that is declared for it."""
    found = meanings()
    parts = [
        f"## Columns of the {table}\n\n" + "\n\n".join(_section(*key, found[key]) for key in found if key[0] == table)
        for table in ("run", "qrels")
    ]
    body = "\n\n".join(parts)
    return f"""# Columns

Every run and every qrels table has three columns; some measures read more. A measure whose column is missing says so,
naming the table and the column, and scores nothing. Where plugins declare one name with different meanings or units, all of
them stand here; a table can then serve the measures of one meaning only.

{body}
"""


@dataclass
class Meaning:
    """A meaning, unit and type of a column, with all that declare it so.

    Attributes
    ----------
    column : Column
        The first declaration.
    readers : list of str
        The measures that read it.
    how : list of str
        The ways to get it.
    optional : bool
        Whether every reader can do without.
    """

    column: Column
    readers: list[str] = field(default_factory=list)
    how: list[str] = field(default_factory=list)
    optional: bool = True


def meanings() -> dict[tuple[str, str], list[Meaning]]:
    """Return, by table and name, the declarations of a column that differ in meaning, unit or type."""
    required = [(column, None) for column in BASE if column.name in REQUIRED[column.table]]
    declared = [(column, name) for name, measure in registry().measures().items() for column in _read_by(measure)]
    out: dict[tuple[str, str], list[Meaning]] = {}
    for column, reader in [*required, *declared]:
        found = out.setdefault((column.table, column.name), [])
        same = [m for m in found if _kind(m.column) == _kind(column)]
        if not same:
            found += (same := [Meaning(column)])
        same[0].readers += [reader] if reader else []
        same[0].how += [column.how] if column.how and column.how not in same[0].how else []
        same[0].optional &= column.optional
    return out


def _kind(column: Column) -> tuple[str, str, str]:
    return column.desc, column.unit, column.dtype


def _read_by(measure: Measure) -> tuple[Column, ...]:
    return (*measure.RUN_COLUMNS, *measure.QREL_COLUMNS)


def column_anchor(table: str, name: str) -> str:
    """Return the anchor of a column on its page.

    >>> column_anchor("qrels", "nugget_length")
    'column-qrels-nugget-length'
    """
    return f"column-{table}-{name}".replace("_", "-")


def _section(table: str, name: str, found: list[Meaning]) -> str:
    heading = f"({column_anchor(table, name)})=\n### `{name}` of the {table}"
    listed = [_meaning(one) for one in found]
    if len(found) == 1:
        body = listed[0]
    else:
        body = f"Declared with {len(found)} meanings:\n\n" + "\n".join(f"- {text}" for text in listed)
    if table == "qrels" and any(f.column == name for f in registry().fields()):
        body += "\n\nOf some datasets, [fields of the documents](formats.md#fields-of-documents) give it."
    return f"{heading}\n\n{body}"


def _meaning(one: Meaning) -> str:
    """Return what is declared for a column, as one paragraph."""
    column = one.column
    kind = {"float": "a number", "str": "a text"}[column.dtype]
    facts = [f"{kind}, in {column.unit}" if column.unit else kind]
    facts += [f"`{alias}` is read, too" for alias, name in ALIASES[column.table].items() if name == column.name]
    if column.name in REQUIRED[column.table]:
        facts.append("every table has it")
    elif one.optional:
        facts.append("may be missing")
    text = f"{column.desc[0].upper()}{column.desc[1:]} ({'; '.join(facts)})."
    if one.how:
        text += f" How to get it: {'; or: '.join(one.how)}."
    if column.sample.shown:
        text += f" For example: {column.sample.shown}."
    links = ", ".join(f"[{reader}](measures/{reader}.md)" for reader in one.readers)
    return f"{text} Read by {links}." if links else text


def formats_page() -> str:
    """Return the page of file formats, output formats, datasets and fields of documents."""
    formats = [
        [
            f"`{n}`",
            f.SHORT_DESC,
            " and ".join(f.TABLES),
            ", ".join(f"`{e}`" for e in f.EXAMPLES),
            registered_by("formats", n),
        ]
        for n, f in registry().formats().items()
    ]
    output_formats = [
        [f"`{n}`", o.SHORT_DESC, registered_by("output_formats", n)] for n, o in registry().output_formats().items()
    ]
    datasets = [[f"`{n}`", registered_by("datasets", n)] for n in registry().datasets()]
    fields = [
        [f"`{f.NAME}`", f"`{f.column}`", f"`{f.field}`", f"`{f.form}`", registered_by("fields", f.NAME)]
        for f in registry().fields()
    ]
    with_parameters = "\n\n".join(
        f"Parameters of `{n}`, given as `{n}(parameter=value):path`:\n\n{parameters(f.SUPPORTED_PARAMS, f.params, '', n)}"
        for n, f in registry().formats().items()
        if f.SUPPORTED_PARAMS
    )
    listed = table(["id", "offered by"], datasets) if datasets else "The installed plugins offer none."
    return f"""# Formats

Files that are read, and outputs that are written.

## Files

The first format that recognises a file reads it; `NAME:path` chooses one by name. Each may be compressed with gzip,
bzip2, xz, zstd or LZ4, or be the only file of a zip archive.

{table(["name", "what it is", "holds", "for example", "offered by"], formats)}

{with_parameters}

## Output of irmx eval

{table(["name", "what it is", "offered by"], output_formats)}

## Datasets of plugins

Every dataset id of ir_datasets that has qrels may stand for the qrels. Ids that plugins add:

{listed}

## Fields of documents

Columns that the qrels of a dataset, or of a part of it, get from the fields of its documents, where a measure needs them;
see [the guide](../guide/collections.md).

{table(["dataset", "column", "field", "form", "offered by"], fields)}
"""
