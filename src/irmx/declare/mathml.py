"""Formulas in LaTeX as MathML, which browsers show, and as plain text, which terminals do."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from irmx.errors import UsageError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_WORD = re.compile(
    r"\\(?:mathrm|text|operatorname)\{[^{}]*\}|\\(?:begin|end)\{[^{}]*\}(?:\{[^{}]*\})?|\\[a-zA-Z]+|\\.|[^\s{}]"
)
_RELATIONS = set("=<>≤≥∈∉∝+−±×·∣≈→∼:")
_TILDES = {"~": "\N{COMBINING TILDE}", "^": "\N{COMBINING CIRCUMFLEX ACCENT}", "¯": "\N{COMBINING OVERLINE}"}


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


def mathml_as_text(latex: str) -> str:
    r"""Return a formula in LaTeX as plain text.

    Examples
    --------
    >>> mathml_as_text(r"\mathrm{MP} = \frac{1}{r}\sum_{n \in R} \tilde{\pi}_n\,\mathrm{Prec}(n)^{2}")
    'MP = (1 / r) Σ_{n ∈ R} π̃_n Prec(n)^2'
    """
    from xml.etree import ElementTree

    root = ElementTree.fromstring(mathml(latex))
    return " ".join(_text(root).split()).replace("( ", "(")


def _text(element: Element) -> str:
    """Return an element of MathML as text."""
    tag = element.tag.rpartition("}")[2]
    parts = [_text(child) for child in element]
    for i, child in enumerate(element):
        beside = [*element[max(i - 1, 0) : i], *element[i + 1 : i + 2]]
        if child.tag.endswith("mfrac") and any(not one.tag.endswith(("mo", "mspace")) for one in beside):
            parts[i] = f"({parts[i]})"
    if tag in _SCRIPTS:
        scripts = "".join(mark + _braced(part) for mark, part in zip(_SCRIPTS[tag], parts[1:], strict=True))
        return parts[0] + scripts + (" " if parts[0] in ("Σ", "Π") else "")
    if tag == "mover":
        return parts[0] + _TILDES.get(parts[1].strip(), parts[1])
    if tag == "mfrac":
        return " / ".join(f"({p})" if " " in p and not _enclosed(p) else p for p in parts)
    if tag == "mtable":
        return "; ".join(parts)
    if tag == "mtr":
        return " ".join(part for part in parts if part)
    if tag == "msqrt":
        return f"√({_joined(parts)})"
    if tag == "mspace":
        return " "
    return _joined(parts) if len(element) else _of_leaf(tag, (element.text or "").replace("\xa0", " "))


_SCRIPTS = {"msub": "_", "msup": "^", "msubsup": "_^", "munder": "_", "munderover": "_^"}


def _of_leaf(tag: str, text: str) -> str:
    text = {"∑": "Σ", "∏": "Π", "⁢": "", "⁡": ""}.get(text, text)
    return f" {text} " if tag == "mo" and text in _RELATIONS else text


def _joined(parts: list[str]) -> str:
    """Return the parts of a row, with a space between two that are neither brackets nor punctuation."""
    out = ""
    for part in parts:
        apart = out and part and not out.endswith(tuple(" ([{|-@")) and not part.startswith(tuple(" )]},.;|(′[-@♯"))
        out += (" " if apart else "") + part
    return out


def _braced(text: str) -> str:
    """Return an index or an exponent: in braces unless it is one word; letters side by side need no space."""
    text = re.sub(r"(?<!\w) ?(\w) (?=\w\b)", r"\1", text.strip())
    text = f"−{text[2:]}" if text.startswith("− ") else text
    return text if len(text) == 1 or text.isalnum() else f"{{{text}}}"


def _enclosed(text: str) -> bool:
    """Tell whether a text stands in one pair of brackets."""
    return bool(re.fullmatch(r"\([^()]*\)", text))
