"""Parsing of measures from text, such as ``MP(model=GL_AD_ID)@100``; a superset of what ir_measures parses.

The text is parsed into a Python syntax tree and translated node by node; nothing is ever evaluated.
"""

from __future__ import annotations

import ast
import math
import re
import warnings
from collections.abc import Mapping
from typing import Any

import ir_measures

from irmx.declare.measures import Measure
from irmx.declare.params import LARGEST_GRADE, LARGEST_INT, Param, refuse_unknown, with_article
from irmx.declare.trec_names import is_trec_name, trec_measures, trec_names
from irmx.errors import UnknownNameError, UsageError, suggest, value_repr
from irmx.registry import registry

_LONGEST = 10_000
_SHOWN = 300
_SPACE_OR_CHARACTER = re.compile(r"\s+|\S")
_QUOTES, _OPEN, _CLOSE = ("'", '"'), ("(", "[", "{"), (")", "]", "}")
_FORM = "A measure is written Name, Name@cutoff or Name(parameter=value, ...)@cutoff"


def parse_value(text: str, declared: Any, name: str) -> Any:
    """Return the parameter value that a text stands for, as inside the parentheses of an expression.

    ``declared`` is a measure, or any object with a ``NAME`` and ``SUPPORTED_PARAMS``.

    >>> import irmx
    >>> parse_value("geometric(p=0.3)", irmx.NCP, "law"), parse_value(".5", irmx.NCP, "rel")
    (geometric(p=0.3), 0.5)
    """
    try:
        parser = _Parser(text)
    except UsageError:
        expected = declared.SUPPORTED_PARAMS[name].expects()
        raise UsageError(f"The {name!r} parameter of {declared.NAME} must be {expected}. Got {text} instead.") from None
    return parser.value(declared, name)


def measures_named(text: str, complete: bool = True) -> list[ir_measures.Measure]:
    """Return the measure that a text stands for, or several if it is trec_eval's name for several.

    With ``complete=False``, required parameters may be missing.

    >>> measures_named("ndcg_cut.5,10"), measures_named("AP")
    ([nDCG@5, nDCG@10], [AP])
    """
    if is_trec_name(text) and text not in measure_names():
        return [upstream(type(measure)(), dict(measure.params)) for measure in trec_measures(text)]
    return [_Parser(text, complete).measure()]


def split_measures(text: str) -> list[str]:
    """Split a text at the white space outside parentheses and quotes.

    >>> split_measures('AP RBP(p=0.8, rel=1) nDCG @ 10 | 20')
    ['AP', 'RBP(p=0.8, rel=1)', 'nDCG@10|20']
    """
    parts: list[list[str]] = [[]]
    depth, quote = 0, ""
    for found in _SPACE_OR_CHARACTER.finditer(text):
        piece = found[0]
        if quote:
            quote = "" if piece == quote else quote
        elif piece in _QUOTES:
            quote = piece
        elif piece in _OPEN:
            depth += 1
        elif piece in _CLOSE:
            depth -= 1
        elif piece.isspace() and depth <= 0:
            within_cutoff = {text[max(found.start() - 1, 0)], text[found.end() : found.end() + 1]} & {"@", "|"}
            if not within_cutoff:
                parts.append([])
            continue
        parts[-1].append(piece)
    return ["".join(part) for part in parts if part]


def measure_names() -> dict[str, ir_measures.Measure]:
    """Return every measure by name: those of ir_measures and those of plugins."""
    return {**ir_measures.measures.registry, **registry().measures(aliases=True)}


def names_a_measure(text: str) -> bool:
    """Tell whether a text begins with the name of a measure, or is a name of trec_eval."""
    return text.partition("(")[0].partition("@")[0].strip() in measure_names() or is_trec_name(text)


class _Parser:
    """Translates the syntax tree of a text, and points at the place of an error."""

    def __init__(self, text: str, complete: bool = True) -> None:
        self.text, self.complete = text, complete
        if not text:
            raise UsageError(f"A measure is missing: the text is empty. {_FORM}.")
        if len(text) > _LONGEST:
            raise UsageError(f"A measure of {len(text)} characters is too long (at most {_LONGEST}).")
        try:
            with warnings.catch_warnings():  # of escape sequences, as in a quoted Windows path
                warnings.simplefilter("ignore")
                self.tree = ast.parse(text, mode="eval").body
        except (MemoryError, RecursionError):
            raise UsageError(self._pointed(f"This is not a measure (too deeply nested). {_FORM}.", 0, 1)) from None
        except (SyntaxError, ValueError) as error:
            line, offset = getattr(error, "lineno", None) or 1, getattr(error, "offset", None) or 1
            at = self._line_start(line) + offset - 1
            reason = _reason(error)
            raise UsageError(self._pointed(f"This is not a measure ({reason}). {_FORM}.", at, at + 1)) from None

    def measure(self) -> ir_measures.Measure:
        node: ast.expr = self.tree
        at: ast.expr | None = None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            at = node.right
            node = node.left
        if at is not None and isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            raise self._error(at, f"The cutoff is given twice. {_FORM}.")
        name_node, keywords = (node.func, self._keywords(node)) if isinstance(node, ast.Call) else (node, [])
        if not isinstance(name_node, ast.Name):
            raise self._error(name_node, f"Expected the name of a measure here. {_FORM}.")
        name = name_node.id
        known = measure_names()
        if name not in known:
            if is_trec_name(name):
                same = " ".join(map(str, trec_measures(name)))
                problem = f"{name} is a name of trec_eval, which takes no parameters and no @. It stands for {same}."
            else:
                near = suggest(name, known) or suggest(name, trec_names().values())
                problem = f"There is no measure {name}.{near} 'irmx measures' lists all of them."
            raise self._error(name_node, problem, UnknownNameError)
        base = known[name]
        params = {k.arg: self._param(k.value, base, str(k.arg)) for k in keywords}
        if at is not None:  # as in Python, nDCG(cutoff=20)@10 is nDCG@10
            params[base.AT_PARAM] = self._param(at, base, base.AT_PARAM)
        return self._build(name_node, base, params)

    def _build(self, node: ast.expr, base: ir_measures.Measure, params: dict[str | None, Any]) -> ir_measures.Measure:
        names = {str(k): v for k, v in params.items()}
        try:
            if isinstance(base, Measure):
                measure: ir_measures.Measure = base(**names)
                if self.complete:
                    measure.validate_params()
                return measure
            return upstream(base, names)
        except UsageError as error:
            raise self._error(node, str(error), type(error)) from None

    # -- values ------------------------------------------------------------------------------------------

    def value(self, declared: Any, name: str) -> Any:
        """Return the whole text as the value of a parameter."""
        return self._param(self.tree, declared, name)

    def _keywords(self, call: ast.Call) -> list[ast.keyword]:
        if call.args:
            raise self._error(call.args[0], "Parameters are given by name: parameter=value.")
        seen: set[str | None] = set()
        for keyword in call.keywords:
            if keyword.arg is None:
                raise self._error(keyword.value, "Parameters are given by name: parameter=value, not **.")
            if keyword.arg in seen:
                raise self._error(keyword.value, f"The parameter {keyword.arg!r} is given twice.")
            seen.add(keyword.arg)
        return call.keywords

    def _param(self, node: ast.expr, base: Any, name: str) -> Any:
        """Return the value of a parameter, checked against its declaration if there is one."""
        owner, declared = base.NAME or str(base), base.SUPPORTED_PARAMS
        try:
            refuse_unknown([name], declared, owner)
        except UnknownNameError as error:
            raise self._error(node, str(error), UnknownNameError) from None
        param = declared[name]
        if isinstance(node, (ast.List, ast.Tuple)) and getattr(param, "dtype", None) not in (list, dict, object):
            raise self._error(node, self._one_value(node, name, owner))
        value = self._value(node, param, owner, name)
        if not isinstance(param, Param):
            return value
        try:
            return param.check(value, name, owner)
        except UsageError as error:
            raise self._error(node, str(error), type(error)) from None

    def _one_value(self, node: ast.List | ast.Tuple, name: str, owner: str) -> str:
        """Return the message about a list where one value is expected, which says how a sweep is written."""
        first = [ast.get_source_segment(self.text, element) or "..." for element in node.elts[:3]]
        several = "|".join(first if len(first) > 1 else ["A", "B"])
        return (
            f"{name!r} of {owner} takes one value, not a list. Several settings are written {owner}({name}={several})."
        )

    def _value(self, node: ast.expr, param: Any = None, owner: str = "", name: str = "") -> Any:
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float, str, bool, type(None))):
            return node.value
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            inner = node.operand.value if isinstance(node.operand, ast.Constant) else None
            if isinstance(inner, (int, float)) and not isinstance(inner, bool):
                return -inner if isinstance(node.op, ast.USub) else inner
        if isinstance(node, (ast.List, ast.Tuple)):
            return [self._value(e) for e in node.elts]
        if isinstance(node, ast.Dict) and all(isinstance(k, (ast.Constant, ast.UnaryOp)) for k in node.keys):
            return {
                self._value(k): self._value(v) for k, v in zip(node.keys, node.values, strict=True) if k is not None
            }
        if isinstance(node, ast.Name) or (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            return self._symbol(node, getattr(param, "kind", ""), owner, name)
        raise self._error(
            node, "A value is a number, a quoted string, True, False, None, a list, a dict, or a registered name."
        )

    def _symbol(self, node: ast.Name | ast.Call, kind: str, owner: str, param: str) -> Any:
        """Return the named object that a bare name, or a call of one, stands for."""
        name_node = node if isinstance(node, ast.Name) else node.func
        assert isinstance(name_node, ast.Name)
        known = registry().symbols(kind) if kind else {}
        if name_node.id not in known:
            where = (
                f"{owner} takes {with_article(kind) if kind else 'no named object'} for {param!r}"
                if param
                else "no names are known here"
            )
            listed = f" Known: {', '.join(known)}." if known else " Put strings in quotes."
            raise self._error(
                name_node,
                f"Unknown name {name_node.id}; {where}.{suggest(name_node.id, known)}{listed}",
                UnknownNameError,
            )
        symbol = known[name_node.id]
        if isinstance(node, ast.Name):
            return symbol
        params = {str(k.arg): self._param(k.value, symbol, str(k.arg)) for k in self._keywords(node)}
        try:
            return symbol(**params)
        except (UsageError, OSError) as error:
            raise self._error(node, str(error)) from None

    # -- errors ------------------------------------------------------------------------------------------

    def _error(self, node: ast.expr, message: str, kind: type[UsageError] = UsageError) -> UsageError:
        start = self._place(node.lineno, node.col_offset)
        end = self._place(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset + 1)
        return kind(self._pointed(message, start, end))

    def _line_start(self, line: int) -> int:
        """Return the place in the text where a line starts; the parser counts lines from 1."""
        return sum(len(part) for part in self.text.splitlines(keepends=True)[: line - 1])

    def _place(self, line: int, byte_offset: int) -> int:
        """Return the place in the text of a line and a byte offset in it, as the parser reports them."""
        start = self._line_start(line)
        return start + len(self.text[start:].encode()[:byte_offset].decode(errors="ignore"))

    def _pointed(self, message: str, start: int, end: int) -> str:
        """Return a message with the text, or the relevant part of a long one, and a mark below the place."""
        line = "".join(c if c.isprintable() else " " for c in self.text)
        cut = max(0, start - _SHOWN // 2) if len(line) > _SHOWN else 0
        line, start, end = line[cut : cut + _SHOWN], start - cut, min(end - cut, _SHOWN)
        return f"{message}\n  {line}\n  {' ' * start}{'^' * max(1, end - start)}"


def _reason(error: SyntaxError | ValueError) -> str:
    """Return why Python's parser refused a text, in words that help a user."""
    reason = getattr(error, "msg", None) or str(error)
    if reason == "invalid decimal literal":
        return f"{reason}; a string such as '1d' must be quoted"
    if isinstance(error, UnicodeEncodeError):
        return "it contains half of a character, an unpaired surrogate"
    return "a number has too many digits" if reason.startswith("Exceeds the limit") else reason


class _Whole(float):
    """A whole number given for a float parameter of ir_measures; the measure's name shows it as written."""

    def __repr__(self) -> str:
        return repr(int(self))


def canonical(measure: ir_measures.Measure) -> ir_measures.Measure:
    """Return a measure with its floats written as floats, and its ints as ints.

    >>> [one] = measures_named("IPrec@1")
    >>> one, canonical(one)
    (IPrec@1, IPrec@1.0)
    >>> [one] = measures_named("RBP(rel=2.0)")
    >>> one, canonical(one)
    (RBP(rel=2.0), RBP(rel=2))
    """
    whole: dict[str, float | int] = {}
    for name, value in measure.params.items():
        if isinstance(value, _Whole):
            whole[name] = float(value)
        elif isinstance(value, float) and value.is_integer() and measure.SUPPORTED_PARAMS[name].dtype is int:
            whole[name] = int(value)
    return measure(**whole) if whole else measure


def _has_no_text(value: Any) -> bool:
    """Tell whether no expression writes a value: infinite or NaN, an int that no float equals, or anything inside that is so."""
    if isinstance(value, dict):
        return any(not isinstance(key, int) or _has_no_text(key) or _has_no_text(one) for key, one in value.items())
    if isinstance(value, int):
        return abs(value) > LARGEST_INT
    return isinstance(value, (bytes, complex)) or (isinstance(value, float) and not math.isfinite(value))


def upstream(base: ir_measures.Measure, params: dict[str, Any], for_scorer: bool = True) -> ir_measures.Measure:
    """Return a measure of ir_measures with parameters; illegal values raise errors that say what is allowed.

    What is allowed is what a plugin's scorer of the measure takes, if there is one and ``for_scorer`` is true.
    """
    measure: ir_measures.Measure = base(**legal(base, params, for_scorer))
    for name, info in measure.SUPPORTED_PARAMS.items():
        if info.required and name not in measure.params:
            how = f"{base}@10" if name == "cutoff" else f"{base}({name}=...)"
            raise UsageError(f"{base} needs the parameter {name!r} ({info.desc}): {how}.")
    return measure


def legal(base: ir_measures.Measure, params: Mapping[str, Any], for_scorer: bool = True) -> dict[str, Any]:
    """Return parameters of a measure of ir_measures, as they are written, if its expression can be parsed again.

    Raises
    ------
    irmx.errors.UsageError
        As :func:`upstream`.
    """
    scorer = registry().scorer(str(base.NAME)) if for_scorer else None
    declared, owner, written = base.SUPPORTED_PARAMS, base.NAME, dict(params)
    if scorer is not None and params.keys() <= scorer.SUPPORTED_PARAMS.keys():
        declared = scorer.SUPPORTED_PARAMS
    for name, value in params.items():
        info = declared[name]
        if isinstance(info, Param):
            info.check(value, name, str(owner))
        elif name == "rel" and type(value) is int and abs(value) > LARGEST_GRADE:
            Param(int, "", low=-LARGEST_GRADE, high=LARGEST_GRADE).check(value, name, str(owner))
        elif info.dtype is float and type(value) is int and abs(value) <= LARGEST_INT:
            written[name] = _Whole(value)
        elif (
            not info.validate(value) or (isinstance(value, bool) and info.dtype in (int, float)) or _has_no_text(value)
        ):
            dtype = getattr(info.dtype, "__name__", "")
            choices = getattr(info, "choices", None)
            allowed = (
                f"one of {', '.join(map(repr, choices))}" if isinstance(choices, (list, tuple)) else f"of type {dtype}"
            )
            raise UsageError(f"The {name!r} parameter of {owner} must be {allowed}. Got {value_repr(value)} instead.")
        if name == "cutoff" and not 1 <= value < 2**31:
            raise UsageError(
                f"The 'cutoff' parameter of {owner} must be an int in the range [1, 2^31). Got {value_repr(value)} instead."
            )
    return written
