"""Views of scores: what one column of numbers depends on, as a table with one row per view."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import ir_measures
import numpy as np

from irmx.declare.columns import Symbol
from irmx.declare.params import duration, seconds
from irmx.declare.written_values import text_of

if TYPE_CHECKING:
    import pandas as pd

MARKS = ("judgments", "unjudged", "keep", "sample", "without", "slice", "seed", "collection", "weight")
"""What a view may depend on beside its measure: whose judgments, what is assumed of unjudged documents, which part of the
judgments, which topics, which run of a system, which collection; and the share of users that it stands for."""

Marks = Mapping[str, tuple[Any, ...]]


def names_of(measures: Sequence[ir_measures.Measure], marks: Marks) -> tuple[str, ...]:
    """Return the text of every view: its measure, and what it depends on beside it.

    >>> from ir_measures import AP
    >>> names_of([AP, AP], {"judgments": ("", "llm"), "weight": (0.5, 0.5)})
    ('AP', 'AP judgments=llm')
    """
    texts = {name: [_mark(name, value) for value in values] for name, values in marks.items() if name != "weight"}
    return tuple(" ".join([str(m), *(t for of in texts.values() if (t := of[v]))]) for v, m in enumerate(measures))


def _mark(name: str, value: Any) -> str:
    if value is None or value == "" or value != value:
        return ""
    return f"{name}={value:g}" if isinstance(value, (int, float)) else f"{name}={value}"


def table_of_views(measures: Sequence[ir_measures.Measure], marks: Marks) -> pd.DataFrame:
    """Return one row per view, its text the index: ``measure``, the parameters in which measures of a name differ, the marks."""
    import pandas as pd

    texts = {str(measure): measure for measure in measures}
    by_name: dict[str, list[str]] = {}
    for text, measure in texts.items():
        by_name.setdefault(str(getattr(measure, "NAME", text)), []).append(text)
    columns: dict[str, Any] = {"measure": [str(measure) for measure in measures]}
    for name, of_name in by_name.items():
        settings = [texts[text] for text in of_name]
        if len(settings) > 1 and all(hasattr(one, "SUPPORTED_PARAMS") for one in settings):
            declared = settings[0].SUPPORTED_PARAMS
            for parameter, values, param in _varied(declared, [_parameters(one) for one in settings]):
                of_text = dict(zip(of_name, values, strict=True))
                columns[f"{name}.{parameter}"] = _column([of_text.get(str(m)) for m in measures], param)
    for mark, of_views in marks.items():
        columns[mark] = list(of_views)
    if any(less_is_better(measure) for measure in measures):
        columns["less_is_better"] = [less_is_better(measure) for measure in measures]
    return pd.DataFrame(columns, index=pd.Index(names_of(measures, marks), name="view"))


def less_is_better(measure: ir_measures.Measure) -> bool:
    """Tell whether smaller values of a measure are better."""
    return bool(getattr(measure, "LESS_IS_BETTER", False))


def _parameters(measure: ir_measures.Measure) -> dict[str, Any]:
    """Return the value of every parameter of a measure; None where ir_measures has a mark for no default."""
    values = {name: measure[name] for name in measure.SUPPORTED_PARAMS}
    return {name: None if type(value) is object else value for name, value in values.items()}


def _varied(
    declared: Mapping[str, Any], settings: Sequence[Mapping[str, Any]], of: str = ""
) -> Iterator[tuple[str, list[Any], Any]]:
    """Yield the parameters that vary, their values and declarations; of one kind of named object, the parameters of it."""
    for name, param in declared.items():
        values = [setting.get(name) for setting in settings]
        if len({text_of(value) for value in values}) < 2:
            continue
        first = values[0]
        if isinstance(first, Symbol) and {getattr(value, "NAME", None) for value in values} == {first.NAME}:
            inner = [{key: symbol[key] for key in first.SUPPORTED_PARAMS} for symbol in values if symbol is not None]
            yield from _varied(first.SUPPORTED_PARAMS, inner, f"{of}{name}.")
        else:
            yield of + name, values, param


def _column(values: list[Any], declared: Any) -> Any:
    """Return values as numbers, as categories in their order (durations), or as texts; None is missing."""
    import pandas as pd

    known = [value for value in values if value is not None]
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in known):
        return np.array([np.nan if value is None else float(value) for value in values])
    if getattr(declared, "dtype", None) is duration and all(isinstance(value, (str, int, float)) for value in known):
        ordered = sorted(dict.fromkeys(map(str, known)), key=seconds)
        return pd.Categorical([None if value is None else str(value) for value in values], ordered, ordered=True)
    return pd.Series([None if value is None else text_of(value) for value in values], dtype=object).to_numpy()


def marks_of(columns: Iterable[str]) -> list[str]:
    """Return the names among columns that are marks, in the order of views."""
    present = set(columns)
    return [name for name in MARKS if name in present]
