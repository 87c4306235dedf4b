"""What a measure or a named object declares, in Python's help: its signature, and sections of its docstring."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from irmx.declare.durations import duration
from irmx.declare.formula import Formula
from irmx.declare.params import Param, has_default
from irmx.registry import registry


class ParameterSignature:
    """The attribute ``__signature__`` of a class that declares parameters, and of its instances; computed on access."""

    def __get__(self, instance: Any, owner: Any) -> inspect.Signature:
        """Return keyword-only parameters with their types and defaults; the defaults of an instance are its values."""
        given = {} if instance is None else instance.params
        parameters = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=given.get(name, _default(param)),
                annotation=_annotation(param),
            )
            for name, param in owner.SUPPORTED_PARAMS.items()
            if name.isidentifier()
        ]
        return inspect.Signature(parameters)


class ParameterDoc:
    """The attribute ``__doc__`` of a class that declares parameters; an instance adds sections on its formula and parameters."""

    def __init__(self, text: str | None) -> None:
        self._text = text

    def __get__(self, instance: Any, owner: Any) -> str | None:
        """Return the docstring of the class, for an instance with sections on the formula and the parameters."""
        if instance is None:
            return self._text
        about = inspect.cleandoc(self._text or instance.SHORT_DESC or "")
        sections = [formula_section(instance.FORMULA), parameters_section(owner.SUPPORTED_PARAMS, instance.params)]
        return "\n\n".join([about, *filter(None, sections)]).strip()


def formula_section(formula: Formula | None) -> str:
    r"""Return the section of a docstring that states a formula, as LaTeX; empty without one.

    >>> print(formula_section(Formula(r"\mathrm{P@}k = \frac{r_k}{k}", {"k": "the cutoff"})))
    Formula
    <BLANKLINE>
    .. math:: \mathrm{P@}k = \frac{r_k}{k}
    <BLANKLINE>
      k: the cutoff
    """
    if formula is None:
        return ""
    rows = [f"  {symbol}: {meaning}" for symbol, meaning in formula.symbols.items()]
    source = [f"\n  Source: {formula.source}"] if formula.source else []
    return "\n".join(["Formula\n", f".. math:: {formula.latex}\n", *rows, *source])


def parameters_section(declared: Mapping[str, Any], given: Mapping[str, Any]) -> str:
    """Return the section of a docstring that describes parameters.

    >>> from irmx.declare.params import Param
    >>> parameters_section({"p": Param(float, "chance to stop", default=0.5, low=0, high=1)}, {"p": 0.2}).splitlines()
    ['Parameters', '  p: chance to stop', '      a float in the range [0, 1]; default 0.2']
    """
    rows = [f"  {name}: {param.desc}\n      {_facts(param, given.get(name))}" for name, param in declared.items()]
    return "\n".join(["Parameters", *(rows or ["  none"])])


def _annotation(param: Any) -> Any:
    """Return the type of a parameter; in words for a named object, such as ``'Markov model'``, or a duration."""
    if getattr(param, "kind", "") or param.dtype in (None, duration):
        return getattr(param, "kind", "") or "duration"
    return param.dtype | None if _default(param) is None else param.dtype


def _default(param: Any) -> Any:
    """Return the default of a parameter, None for an optional one without a default."""
    if getattr(param, "required", False):
        return inspect.Parameter.empty
    return param.default if has_default(param) else None


def _facts(param: Any, given: Any) -> str:
    """Return the type, range, unit and default of a parameter; parameters of ir_measures declare fewer of these."""
    if not isinstance(param, Param):
        default = f"; default {param.default!r}" if has_default(param) else ""
        return f"{getattr(param.dtype, '__name__', 'any')}{default}"
    facts = [param.expects()]
    if param.kind:
        facts.append(", ".join(registry().symbols(param.kind)))
    if param.unit:
        facts.append(param.unit)
    if param.required:
        facts.append("required")
    elif given is not None or param.has_default:
        facts.append(f"default {param.default if given is None else given!r}")
    return "; ".join(facts)
