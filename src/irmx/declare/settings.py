"""Measures from text, where one expression may stand for several settings: ``MP(model=*)``, ``NCP(law=uniform|first)``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import ir_measures

from irmx.declare.columns import columns_of
from irmx.declare.declared import refuse_broken
from irmx.declare.expressions import legal, measure_names, measures_named, split_measures, upstream
from irmx.declare.grid import Grid, split_values
from irmx.declare.measures import Measure
from irmx.declare.params import Param, refuse_unknown
from irmx.declare.symbols import Symbol
from irmx.errors import UsageError, some, value_repr
from irmx.registry import registry

_CALL = re.compile(r"([^\W\d]\w*)\s*(?:\((.*)\)\s*)?(?:@(.*))?", re.DOTALL)
"""A name, its parameters, and a cutoff."""

_EVERY = "*"
_MARKS = "*|:"
"""What stands for several values: every value, a choice, a range."""
_MARKED = re.compile(f"[{_MARKS}]")


def parse_measure(text: str | ir_measures.Measure) -> ir_measures.Measure:
    """Return the measure that a text stands for.

    Values may be signed numbers, quoted strings, ``True``, ``False``, ``None``, lists, dicts, and the
    named objects of plugins, with parameters if they have any. A value after ``@`` takes precedence over the
    same parameter in parentheses, as in ir_measures. A name of trec_eval, such as ``map`` or ``ndcg_cut_10``, in upper or
    lower case, is understood if no measure of a plugin or of ir_measures has that name.

    Parameters
    ----------
    text : str or ir_measures.Measure
        The text; a measure is returned unchanged.

    Returns
    -------
    ir_measures.Measure
        A measure of a plugin or of ir_measures; its ``str`` parses back to an equal measure.

    Raises
    ------
    irmx.errors.UsageError
        If the text is not a measure; a ``ValueError``, and for an unknown name a ``NameError`` too.
        The message shows the place, what is allowed and the closest name. Also if it stands for several measures, as those
        of :func:`parse_measures` may.

    Examples
    --------
    >>> import irmx
    >>> irmx.parse_measure("NCP(law=geometric(p=0.3), rel=2)@100")
    NCP(law=geometric(p=0.3),rel=2)@100
    >>> irmx.parse_measure("nDCG@10")
    nDCG@10
    >>> irmx.parse_measure("recip_rank")
    RR
    """
    if isinstance(text, ir_measures.Measure):
        refuse_unknown(text.params, text.SUPPORTED_PARAMS, str(text.NAME))  # which ir_measures fails to print
        if isinstance(text, Measure):
            refuse_broken(text)
        else:  # those of plugins have checked their parameters
            legal(text, text.params)
        return text
    if not isinstance(text, str):
        raise UsageError(f"A measure is a string or a Measure. Got {value_repr(text)} instead.")
    measures = _settings(text.strip())
    if len(measures) != 1:
        listed = some(map(str, measures))
        raise UsageError(f"{text} stands for {len(measures)} measures ({listed}), where one is expected.")
    return measures[0]


def parse_measures(text: str) -> list[ir_measures.Measure]:
    """Return the measures in a text, separated by white space.

    An expression may stand for several settings of a measure, one for each value of a parameter: values separated by ``|``;
    for a number or a duration also ``low:high:number``, which are that many equally spaced values, or a multiple of another
    parameter, such as ``0.5*MD``, as in :class:`irmx.Grid`; and ``*`` for every value that the parameter can take: its
    choices, both truth values, or all registered named objects that need no parameters of their own. Left out are values with
    which a plugin's measure reads columns that it does not read with others, such as ``by_document`` of ``NCP(law=*)``. Several
    such parameters give all combinations; the last changes fastest. A named object can have them, too.

    Raises
    ------
    irmx.errors.UsageError
        As :func:`parse_measure`; and for ``*`` if the possible values cannot be listed.

    Examples
    --------
    >>> import irmx
    >>> irmx.toolkit.parse_measures("AP nDCG@10  RBP(p=0.8, rel=1) P_5,10")
    [AP, nDCG@10, RBP(rel=1), P@5, P@10]
    >>> irmx.toolkit.parse_measures("NCP(law=first|geometric(p=0.2:0.4:2))@10 P@5|20")
    [NCP(law=first)@10, NCP(law=geometric(p=0.2))@10, NCP(law=geometric(p=0.4))@10, P@5, P@20]
    >>> irmx.toolkit.parse_measures("nDCG(dcg=*)")
    [nDCG, nDCG(dcg='exp-log2')]
    """
    return [measure for part in split_measures(text) for measure in _settings(part)]


def _settings(text: str) -> list[ir_measures.Measure]:
    """Return the measures of one expression: one, or several settings of it."""
    call = _CALL.fullmatch(text) if _MARKED.search(text) else None
    if call is None or not any(map(_has_several, [*split_values(call[2] or ""), call[3] or ""])):
        return measures_named(text)
    base = (
        measure_names().get(call[1]) or measures_named(f"{call[1]}()")[0]
    )  # which refuses it, also a name of trec_eval
    texts = _arguments(call[2] or "", text)
    if call[3] is not None:
        texts[base.AT_PARAM] = call[3]
    declared = _declared(base, set(texts))
    settings = Grid(declared, _values(texts, declared, base), str(base.NAME)).settings()
    if not isinstance(base, Measure):
        return [upstream(base, setting) for setting in settings]
    measures: list[ir_measures.Measure] = [base(**setting) for setting in settings]
    for measure in measures:
        measure.validate_params()
    return measures


def _has_several(text: str) -> bool:
    """Tell whether a value, or a parameter of a named object that it is, stands for several values."""
    call = _CALL.fullmatch(text.partition("=")[2].strip())
    return _is_pattern(text) or (call is not None and any(map(_is_pattern, split_values(call[2] or ""))))


def _is_pattern(text: str) -> bool:
    return any(mark in text and len(split_values(text, mark)) > 1 for mark in _MARKS)


def _arguments(text: str, whole: str) -> dict[str, str]:
    """Return the arguments of a call by name."""
    texts: dict[str, str] = {}
    for argument in split_values(text):
        name, equals, value = argument.partition("=")
        if not equals or not name.strip().isidentifier():
            raise UsageError(f"Parameters are given by name, parameter=value. Got {argument.strip()!r} in {whole}.")
        if name.strip() in texts:
            raise UsageError(f"{whole} has the parameter {name.strip()!r} twice; separate its values by |.")
        texts[name.strip()] = value
    return texts


def _declared(base: ir_measures.Measure, names: set[str]) -> Mapping[str, Param]:
    """Return the parameters of a measure; those of ir_measures with the types and choices that it knows."""
    scorer = None if isinstance(base, Measure) else registry().scorer(str(base.NAME))
    declared = (
        base.SUPPORTED_PARAMS if scorer is None or not names <= {*scorer.SUPPORTED_PARAMS} else scorer.SUPPORTED_PARAMS
    )
    return {
        name: info
        if isinstance(info, Param)
        else Param(info.dtype, info.desc, choices=info.choices if isinstance(info.choices, (list, tuple)) else None)
        for name, info in declared.items()
    }


def _values(texts: Mapping[str, str], declared: Mapping[str, Param], owner: Any) -> dict[str, list[Any]]:
    """Return the values of each parameter of a measure or named object, as objects or as texts that a grid understands."""
    refuse_unknown(texts, declared, str(owner.NAME))
    return {
        name: [
            value for part in split_values(text, "|") for value in _of_part(part.strip(), declared[name], name, owner)
        ]
        for name, text in texts.items()
    }


def _of_part(text: str, param: Param, name: str, owner: Any) -> Iterator[Any]:
    """Yield the values of a text between two ``|``."""
    call = _CALL.fullmatch(text)
    symbol = registry().symbols(param.kind).get(call[1]) if call and param.kind else None
    if text == _EVERY:
        yield from _every_value(param, name, owner)
    elif call and symbol is not None and any(map(_is_pattern, split_values(call[2] or ""))):
        texts = _arguments(call[2], text)
        settings = Grid(symbol.SUPPORTED_PARAMS, _values(texts, symbol.SUPPORTED_PARAMS, symbol), symbol.NAME)
        yield from (symbol(**setting) for setting in settings.settings())
    elif text:
        yield text
    else:
        raise UsageError(f"{owner.NAME} has an empty value of {name!r}; values are separated by |, as in {name}=A|B.")


def _every_value(param: Param, name: str, owner: Any) -> list[Any]:
    """Return every value that a parameter can take, but those that need columns that others do without."""
    if param.kind:
        values: list[Any] = [symbol for symbol in registry().symbols(param.kind).values() if _is_complete(symbol)]
    elif param.allowed is not None:
        values = [*param.allowed, *param.words]
    elif param.dtype is bool:
        values = [False, True]
    else:
        how = f"{name}=A|B|C" + (f" or {name}=LOW:HIGH:NUMBER" if param.dtype not in (str, list, dict) else "")
        raise UsageError(
            f"{name}=* stands for every value of {name!r}, but {owner.NAME} takes {param.expects()} for it. "
            f"Give the values: {how}."
        )
    distinct = [*dict.fromkeys(values), *[None] * param.nullable]
    if not isinstance(owner, Measure):
        return distinct
    settings = [owner(**{name: value}) for value in distinct]
    columns = [set(columns_of(setting)) for setting in settings]
    common = set.intersection(*columns)
    return [value for value, needs in zip(distinct, columns, strict=True) if needs == common] or distinct


def _is_complete(symbol: Symbol) -> bool:
    """Tell whether the name of a named object alone is a value; examples are for those where it is not."""
    needs = any(param.required and name not in symbol.params for name, param in symbol.SUPPORTED_PARAMS.items())
    return not needs and (not symbol.EXAMPLES or symbol.NAME in symbol.EXAMPLES)
