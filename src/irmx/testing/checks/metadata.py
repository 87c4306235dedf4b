"""Checks of what a measure says of itself."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ir_measures

from irmx.declare.citation import Citation
from irmx.declare.columns import Column
from irmx.declare.declared import problems_of_class
from irmx.declare.expressions import parse_measure
from irmx.declare.formula import Formula
from irmx.declare.measures import COMMON_PARAMS, Measure, is_common
from irmx.declare.params import Param
from irmx.errors import UsageError
from irmx.testing.trying import Data, failure


def check_metadata(measure: Measure, data: Data) -> None:
    """It has a name, a full name, a one-sentence description, a docstring and a range; parameters, columns and the symbols of its formula are described."""
    problems = [*_of_class(measure), *_of_formula(measure), *_of_parameters(measure), *_of_columns(measure)]
    if problems:
        raise failure(
            measure, "What the help and the documentation are made from must be complete.", " ".join(problems)
        )


def _of_class(measure: Measure) -> Iterator[str]:
    kind = type(measure)
    for attribute in ("NAME", "PRETTY_NAME", "SHORT_DESC"):
        text = getattr(measure, attribute, None)
        if not isinstance(text, str) or not text.strip():
            yield f"{attribute} is {text!r}; it must be a text."
    if not str(measure.NAME).isidentifier():
        yield f"NAME is {measure.NAME!r}; it must be an identifier, or it has no expression."
    if not (inspect.cleandoc(kind.__doc__ or "").strip()):
        yield f"The class {kind.__name__} has no docstring."
    yield from (f"It {problem}" for problem in problems_of_class(measure))


def _of_formula(measure: Measure) -> Iterator[str]:
    formula: Any = measure.FORMULA
    if formula is None:
        return
    if not isinstance(formula, Formula):
        yield f"FORMULA is {formula!r}; it must be an irmx.Formula."
        return
    try:
        formula.to_html()
    except UsageError as error:
        yield str(error)
    yield from (f"FORMULA: {problem}" for problem in formula.problems())


def _of_parameters(measure: Measure) -> Iterator[str]:
    declared: dict[str, Any] = measure.SUPPORTED_PARAMS
    for name, param in declared.items():
        if not isinstance(param, Param):
            yield f"The parameter {name!r} is {type(param).__name__}; it must be an irmx.Param."
        elif not param.desc:
            yield f"The parameter {name!r} has no description."
        elif is_common(name, param) and param.desc != COMMON_PARAMS[name].desc:
            yield f"The parameter {name!r} is common, but not that of irmx.COMMON_PARAMS."


def _of_columns(measure: Measure) -> Iterator[str]:
    declared: tuple[tuple[str, str, tuple[Any, ...]], ...] = (
        ("RUN_COLUMNS", "run", (*measure.RUN_COLUMNS, *measure.run_columns())),
        ("QREL_COLUMNS", "qrels", (*measure.QREL_COLUMNS, *measure.qrel_columns())),
    )
    for attribute, table, columns in declared:
        for column in columns:
            if not isinstance(column, Column):
                yield f"{attribute} holds {column!r}; it must hold irmx.Column objects."
            elif column.table != table:
                yield f"{attribute} holds {column.name!r}, a column of the {column.table}."
            elif not column.desc:
                yield f"The column {column.name!r} has no description."
            elif not column.optional and not column.how:
                yield f"The column {column.name!r} does not say how to get it."


def check_citation(measure: Measure, data: Data) -> None:
    """It says what to cite, and ``irmx cite`` prints it: at least one ``irmx.Citation`` with author, title and year."""
    asked = "citations() must give irmx.Citation objects with author, title and year, at least one."
    found: tuple[Any, ...] = tuple(measure.citations())
    if not found:
        raise failure(measure, asked, "There are none.")
    for citation in found:
        if not isinstance(citation, Citation) or not {"author", "title", "year"} <= set(citation.fields):
            raise failure(measure, asked, f"There is {citation!r}.")


def check_examples(measure: Measure, data: Data) -> None:
    """``EXAMPLES`` are expressions of this measure with all required parameters, written as it prints them."""
    asked = "EXAMPLES must be expressions of it, at least one."
    if not measure.EXAMPLES:
        raise failure(measure, asked, "There are none.")
    for text in measure.EXAMPLES:
        try:
            example = parse_measure(text)
            example.validate_params()
        except Exception as error:
            raise failure(measure, asked, f"{text!r} raised {type(error).__name__}: {error}") from error
        if not isinstance(example, ir_measures.Measure) or example.NAME != measure.NAME or str(example) != text:
            raise failure(measure, asked, f"{text!r} is {example}.")


def check_readme(measure: Measure, data: Data) -> None:
    """The ``README.md`` of its project, if there is one, shows expressions of it that can be parsed, and not the example of ``irmx new-plugin``."""
    readme = _readme(measure)
    text = readme.read_text(encoding="utf-8", errors="replace") if readme is not None else ""
    asked = f"{readme} must describe this measure."
    for shown in dict.fromkeys(re.findall(rf"\b{re.escape(str(measure.NAME))}\([^()]*\)", text)):
        try:
            parse_measure(shown)
        except UsageError as error:
            raise failure(measure, asked, f"It shows {shown}: {str(error).splitlines()[0]}") from None
    if _EXAMPLE in " ".join(text.split()) and "reciprocal rank" not in measure.SHORT_DESC.lower():
        raise failure(measure, asked, "It still describes the example that 'irmx new-plugin' writes.")


_EXAMPLE = "The measure is only an example: the reciprocal rank of the j-th relevant document."


def _readme(measure: Measure) -> Path | None:
    """Return the README of the project that a measure's class is in; None for one that is installed, or in no project."""
    try:
        file = Path(inspect.getfile(type(measure))).resolve()
    except (TypeError, OSError):
        return None
    project = next((folder for folder in file.parents[:5] if (folder / "pyproject.toml").is_file()), None)
    readme = None if project is None else project / "README.md"
    return readme if readme is not None and readme.is_file() else None
