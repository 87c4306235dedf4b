"""The formula of a measure, stated once: help, documentation, notebooks and reports show it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from irmx.declare.markup_html import in_html
from irmx.declare.mathml import formula_words, mathml

_GREEK = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau phi chi psi omega"
_LETTERS = {f"\\{name}" for name in (*_GREEK.split(), *_GREEK.title().split(), "varepsilon", "varphi")}


@dataclass(frozen=True)
class Formula:
    r"""A formula and what its symbols mean.

    Attributes
    ----------
    latex : str
        The formula, in LaTeX without dollar signs. Words, such as the names of measures, stand in ``\mathrm{...}``.
    symbols : dict of str to str
        What its symbols mean, by symbol, both in the order of reading: a symbol is LaTeX, its meaning plain text, with
        LaTeX between dollar signs.
    source : str
        Where the formula stands, such as ``"equation 2 of the paper"``.

    Examples
    --------
    >>> formula = Formula(r"\mathrm{P@}k = \frac{r_k}{k}", {"k": "the cutoff", "r_k": "the relevant documents at the ranks up to $k$"})
    >>> print(formula)
    \mathrm{P@}k = \frac{r_k}{k}
      k    the cutoff
      r_k  the relevant documents at the ranks up to k
    >>> formula.mathml().startswith("<math ")
    True
    """

    latex: str
    symbols: Mapping[str, str] = field(default_factory=dict, hash=False)
    source: str = ""

    def mathml(self) -> str:
        """Return the formula as MathML, which browsers show without anything else.

        Raises
        ------
        irmx.UsageError
            If it is not LaTeX that can be converted.
        """
        return mathml(self.latex, "block")

    def to_html(self) -> str:
        """Return the formula and the meanings of its symbols as HTML."""
        meanings = "".join(f"<dt>{mathml(one)}</dt><dd>{_with_math(text)}</dd>" for one, text in self.symbols.items())
        source = f"<p>Source: {in_html(self.source)}.</p>" if self.source else ""
        return f"{self.mathml()}{f'<dl>{meanings}</dl>' if meanings else ''}{source}"

    def problems(self) -> Iterator[str]:
        r"""Yield a sentence for every symbol that the formula lacks, and for everything in it that no symbol explains.

        Words to the left of the first equals sign need no explanation.

        >>> list(Formula(r"\mathrm{P@}k = \frac{r}{k}", {"k": "the cutoff", "R": "all relevant documents"}).problems())
        ['The symbol R is not in the formula.', 'No symbol explains r.']
        """
        words = formula_words(self.latex)
        explained: set[str] = set()
        for symbol in self.symbols:
            of_symbol = formula_words(symbol)
            explained.update(of_symbol)
            if not any(words[i : i + len(of_symbol)] == of_symbol for i in range(len(words))):
                yield f"The symbol {symbol} is not in the formula."
        right = words[words.index("=") :] if "=" in words else words
        names = [w for w in words if w in _LETTERS or re.fullmatch("[a-zA-Z]", w)]
        names += [w for w in right if w.startswith("\\mathrm{")]
        for name in dict.fromkeys(names):
            if name not in explained:
                yield f"No symbol explains {name}."

    def _repr_html_(self) -> str:
        return self.to_html()

    def _repr_latex_(self) -> str:
        return f"$$\n{self.latex}\n$$"

    def __str__(self) -> str:
        width = max(map(len, self.symbols), default=0)
        meanings = [f"  {symbol:<{width}}  {text.replace('$', '')}" for symbol, text in self.symbols.items()]
        return "\n".join([self.latex, *meanings, *([f"  Source: {self.source}."] if self.source else [])])


def _with_math(text: str) -> str:
    """Return a text as HTML, what stands between dollar signs as MathML."""
    parts = text.split("$")
    return "".join(mathml(part) if i % 2 else in_html(part) for i, part in enumerate(parts))
