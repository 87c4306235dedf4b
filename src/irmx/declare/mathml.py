"""Formulas in LaTeX as MathML, which browsers show."""

from __future__ import annotations

import re
from functools import cache

from irmx.errors import UsageError

_WORD = re.compile(
    r"\\(?:mathrm|text|operatorname)\{[^{}]*\}|\\(?:begin|end)\{[^{}]*\}(?:\{[^{}]*\})?|\\[a-zA-Z]+|\\.|[^\s{}]"
)


def formula_words(latex: str) -> list[str]:
    r"""Return the words of a formula: letters, commands, and upright words with their command, without braces and blanks.

    >>> formula_words(r"\mathrm{nDCG@}k = \frac{p_{s}}{2}")
    ['\\mathrm{nDCG@}', 'k', '=', '\\frac', 'p', '_', 's', '2']
    """
    return [word for word in _WORD.findall(latex) if word not in (r"\,", r"\;", r"\!", r"\ ", r"\displaystyle")]


@cache
def mathml(latex: str, display: str = "inline") -> str:
    r"""Return a formula in LaTeX as MathML; ``display`` is ``"inline"`` or ``"block"``.

    Examples
    --------
    >>> mathml(r"\frac{1}{2")
    Traceback (most recent call last):
    ...
    irmx.errors.UsageError: The formula '\\frac{1}{2' cannot be shown: a brace is not closed.
    """
    from latex2mathml.converter import convert

    upright = re.sub(
        r"\\mathrm\{([^{}\\]*)\}", r"\\text{\1}", latex
    )  # letter by letter otherwise, a single one in italics
    upright = upright.replace(r"\lvert", r"\left|").replace(r"\rvert", r"\right|")  # with the space of brackets
    problem = _problem_of(upright)
    text = ""
    if not problem:
        try:
            text = convert(upright, display=display)
        except Exception as error:  # the exceptions of latex2mathml have no other base class, and mostly no message
            problem = (
                str(error) or re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(error).__name__.removesuffix("Error")).lower()
            )
    unknown = re.search(r"\\[a-zA-Z]+|<mi>&</mi>", text)
    if unknown:
        problem = f"{unknown[0].replace('<mi>', '').replace('</mi>', '')} is not known here"
    if problem:
        raise UsageError(f"The formula {latex!r} cannot be shown: {problem}.")
    return text


def _problem_of(latex: str) -> str:
    """Return what is wrong with a formula that latex2mathml would convert all the same, or an empty string."""
    braces = re.sub(r"\\[{}]", "", latex)
    depth = 0
    for character in braces:
        depth += (character == "{") - (character == "}")
        if depth < 0:
            return "a brace is closed that was not opened"
    if depth:
        return "a brace is not closed"
    if re.search(r"\\text\{[^{}]*[<>&]", latex):
        return "a text in it has one of <, > and &"
    return "" if latex.strip() else "it is empty"
