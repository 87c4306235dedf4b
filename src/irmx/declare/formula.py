"""The formula of a measure, stated once: help, documentation, notebooks and reports show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from irmx.declare.markup_html import in_html


@dataclass(frozen=True)
class Formula:
    r"""A formula and what its symbols mean.

    Attributes
    ----------
    latex : str
        The formula, in LaTeX without dollar signs.
    symbols : dict of str to str
        What its symbols mean, by symbol, both in the order of reading: a symbol is LaTeX, its meaning plain text, with
        LaTeX between dollar signs.
    source : str
        Where the formula stands, such as ``"equation 2 of the paper"``.

    Examples
    --------
    >>> formula = Formula(r"\mathrm{P@}k = \frac{r}{k}", {"r": "the number of relevant documents at the ranks up to $k$"})
    >>> print(formula)
    \mathrm{P@}k = \frac{r}{k}
      r  the number of relevant documents at the ranks up to k
    >>> formula.mathml().startswith("<math ")
    True
    """

    latex: str
    symbols: Mapping[str, str] = field(default_factory=dict, hash=False)
    source: str = ""

    def mathml(self) -> str:
        """Return the formula as MathML, which browsers show without anything else."""
        return mathml(self.latex, "block")

    def to_html(self) -> str:
        """Return the formula and the meanings of its symbols as HTML."""
        meanings = "".join(f"<dt>{mathml(one)}</dt><dd>{_with_math(text)}</dd>" for one, text in self.symbols.items())
        source = f"<p>{in_html(self.source)}</p>" if self.source else ""
        return f"{self.mathml()}{f'<dl>{meanings}</dl>' if meanings else ''}{source}"

    def __str__(self) -> str:
        width = max(map(len, self.symbols), default=0)
        meanings = (f"  {one:<{width}}  {text.replace('$', '')}" for one, text in self.symbols.items())
        return "\n".join([self.latex, *meanings, *([f"  ({self.source})"] if self.source else [])])


def mathml(latex: str, display: str = "inline") -> str:
    """Return a formula in LaTeX as MathML; ``display`` is ``"inline"`` or ``"block"``."""
    from latex2mathml.converter import convert

    text: str = convert(latex, display=display)
    return text


def _with_math(text: str) -> str:
    """Return a text as HTML, what stands between dollar signs as MathML."""
    parts = text.split("$")
    return "".join(mathml(part) if i % 2 else in_html(part) for i, part in enumerate(parts))
