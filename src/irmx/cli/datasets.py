"""``irmx datasets``: the datasets whose qrels runs can be scored against, and the columns measures find in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from irmx.adapters.ir_datasets.datasets import Listed, listed
from irmx.cli.click_command import Argument, Option
from irmx.cli.printing import FormatOption, print_rows
from irmx.declare.columns import ITERATION, REQUIRED, Column, vocabulary
from irmx.errors import DataError, UsageError
from irmx.text import list_some, note, suggest

_COLUMNS = ("dataset", "qrels", "columns", "source")
"""What is printed: the dataset's id, the extra fields of its qrels, the columns that measures find and where each comes from
(the qrels, or a field of the documents), and what provides the dataset."""


def datasets(
    part: Annotated[
        str | None, Argument(metavar="ID", help="Only this dataset and its subsets, such as clueweb09.")
    ] = None,
    measures: Annotated[
        list[str] | None,
        Option("--for", metavar="MEASURE", help="Only datasets with the columns that this measure needs."),
    ] = None,
    has: Annotated[
        list[str] | None,
        Option("--has", metavar="COLUMN", help="Only datasets with this column or field."),
    ] = None,
    output_format: FormatOption = "table",
) -> None:
    """List the datasets that can be used as qrels.

    These are the datasets of ir_datasets and of plugins that have qrels. For each, it shows the extra fields of the qrels, the
    columns that measures find and where each comes from (the qrels, or a field of the documents), and what provides the
    dataset. Only declarations are read; nothing is downloaded.
    """
    wanted, of_runs = _needed(measures or ())
    every, failed = listed()
    if part is not None and not any(_belongs(one.NAME, part) for one in every):
        for dataset_id, reason in failed.items():
            if _belongs(dataset_id, part):
                raise DataError(f"The dataset {dataset_id!r} cannot be inspected: {reason}")
        within = sorted(name for name in _names(every) if part.lower() in name)
        near = f" These contain the word: {list_some(within)}." if within else suggest(part, _names(every))
        raise UsageError(f"No dataset with qrels is {part!r} or a subset of it.{near}")
    for name in has or ():
        _check_known(name, every)
    found = [
        one
        for one in every
        if (part is None or _belongs(one.NAME, part))
        and all(c.name in one.columns or c.instead in one.columns for c in wanted)
        and all(name in one.columns or name in one.qrels for name in has or ())
    ]
    print_rows(map(_row, found), output_format, columns=_COLUMNS)
    note(f"{len(found)} of {len(every)} datasets with qrels")
    for column in wanted:
        if not any(column.name in one.columns for one in every):
            instead = f"; those with {column.instead!r} are listed" if column.instead else ""
            note(f"no dataset has {column.name!r}, {column.desc}{instead}{_how(column)}")
    for column in of_runs:
        note(f"the run must have the column {column.name!r}, {column.desc}{_how(column)}")
    if failed:
        first, reason = next(iter(failed.items()))
        note(f"{len(failed)} datasets cannot be inspected, such as {first}: {reason}")


def _needed(measures: Sequence[str]) -> tuple[list[Column], list[Column]]:
    """Return the columns that measures require: those of the qrels, and those of the run."""
    import ir_measures

    from irmx.declare.measures import Measure
    from irmx.score.evaluator import as_measures

    diversity = {m.NAME for m in ir_measures.providers.registry["pyndeval"].SUPPORTED_MEASURES}
    qrels: list[Column] = []
    run: list[Column] = []
    for measure in as_measures(measures):
        if isinstance(measure, Measure):
            measure.validate_params()
            qrels += [c for c in measure.qrel_columns() if not c.optional]
            run += [c for c in measure.run_columns() if not c.optional]
        elif measure.NAME in diversity:
            qrels.append(ITERATION)
    return list({c.name: c for c in qrels}.values()), list({c.name: c for c in run}.values())


def _belongs(dataset_id: str, part: str) -> bool:
    return f"{dataset_id}/".startswith(f"{part.rstrip('/')}/")


def _names(every: Iterable[Listed]) -> set[str]:
    """Return the ids of the datasets, and of those that they are subsets of."""
    return {"/".join(words[: i + 1]) for one in every for words in [one.NAME.split("/")] for i in range(len(words))}


def _check_known(name: str, every: Iterable[Listed]) -> None:
    """Raise :class:`UsageError` for a column that nothing declares."""
    known = {c.name for c in vocabulary() if c.table == "qrels"}
    known |= {field for one in every for field in (*one.qrels, *one.columns)}
    if name not in known:
        raise UsageError(f"No dataset and no measure has a column {name!r}.{suggest(name, known)}")


def _how(column: Column) -> str:
    return f": {column.how}" if column.how else ""


def _row(one: Listed) -> dict[str, Any]:
    return {
        "dataset": one.NAME,
        "qrels": [name for name in one.qrels if name not in REQUIRED["qrels"]],
        "columns": one.columns,
        "source": one.source,
    }
