"""Named objects that expressions use as parameter values, such as user models, laws and tables."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar, TypeVar

from irmx.declare.formula import Formula
from irmx.declare.markup_html import described
from irmx.declare.parameter_help import ParameterDoc, ParameterSignature
from irmx.declare.params import Param, check_params

S = TypeVar("S", bound="Symbol")


class Symbol:
    """A named object with a kind and parameters; calling it returns a variant with other parameters.

    A plugin subclasses it, sets the class attributes and registers an instance through the hook
    ``irmx_symbols``. In an expression the name alone, the quoted name and a call all work:
    ``MP(model=GL_AD_ID)``, ``MP(model="GL_AD_ID")``, ``MP(model=GL_AD_ID(self_loops=True))``.
    A parameter accepts the named objects of one kind, whichever plugin registered them.

    Attributes
    ----------
    NAME : str
        The name in expressions; unique among named objects of the same kind.
    KIND : str
        The kind, in the terms of the field, such as ``"Markov model"``.
    SHORT_DESC : str
        A description in one sentence.
    FORMULA : Formula or None
        Its formula and the meanings of its symbols, if it has one.
    SUPPORTED_PARAMS : dict of str to Param
        The declared parameters.
    EXAMPLES : tuple of str
        Expressions to show, for one whose name alone is not enough, such as ``("table(p=[0.5,0.3,0.2])",)``.
    ATTRIBUTE : bool
        Whether :mod:`irmx.symbols` has it by its name. False for a name that symbols of another kind may have, too; expressions
        know by the parameter which one is meant.

    Examples
    --------
    >>> from irmx import Param, Symbol
    >>> class Geometric(Symbol):
    ...     NAME, KIND, SHORT_DESC = "geometric", "law", "stops with probability p at each step"
    ...     SUPPORTED_PARAMS = {"p": Param(float, "stop probability", default=0.5, above=0, high=1)}
    >>> Geometric()(p=0.25)
    geometric(p=0.25)
    """

    NAME: str = ""
    KIND: ClassVar[str] = ""
    SHORT_DESC: str = ""
    FORMULA: Formula | None = None
    SUPPORTED_PARAMS: ClassVar[dict[str, Param]] = {}
    EXAMPLES: ClassVar[tuple[str, ...]] = ()
    ATTRIBUTE: ClassVar[bool] = True

    __signature__ = ParameterSignature()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.__doc__ = ParameterDoc(cls.__doc__)  # type: ignore[assignment]

    def __init__(self, **params: Any) -> None:
        name = getattr(type(self), "NAME", "")
        self.params = check_params(
            params, self.SUPPORTED_PARAMS, name if isinstance(name, str) and name else type(self).__name__
        )

    def __call__(self: S, **changes: Any) -> S:
        return type(self)(**{**self.params, **changes})

    def __getitem__(self, name: str) -> Any:
        return self.params.get(name, self.SUPPORTED_PARAMS[name].default)

    def _repr_html_(self) -> str:
        return described(repr(self), self, f"{self.KIND}: {self.SHORT_DESC}", ())

    def __repr__(self) -> str:
        return self.NAME + params_text({k: v for k, v in self.params.items() if v != self.SUPPORTED_PARAMS[k].default})

    @cached_property
    def _identity(self) -> tuple[str, str]:
        """What equal symbols have in common; made once, because measures look up by their model what they share."""
        return self.KIND, repr(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Symbol) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)


def params_text(params: dict[str, Any]) -> str:
    """Return ``(name=value,...)``, or an empty string without parameters; every value parses back."""
    return "(" + ",".join(f"{k}={value_text(v)}" for k, v in params.items()) + ")" if params else ""


def value_text(value: Any) -> str:
    """Return a parameter value as text that parses back to an equal value."""
    if isinstance(value, list):
        return "[" + ",".join(value_text(v) for v in value) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{value_text(k)}:{value_text(v)}" for k, v in value.items()) + "}"
    return repr(value)
