"""Formulas: converted in full or refused, every symbol in them and explained, shown as text, LaTeX and MathML."""

from typing import cast
from xml.etree import ElementTree

import pytest

import irmx
from irmx import Formula, UsageError
from irmx.declare.mathml import mathml, mathml_as_text
from irmx.testing import CheckError
from irmx.testing.checks.metadata import check_metadata
from irmx.testing.trying import Data


@pytest.mark.parametrize(
    ("latex", "problem"),
    [
        (r"\foo{x}", r"\\foo is not known"),
        (r"\frac{a}{b", "a brace is not closed"),
        ("a}", "closed that was not opened"),
        (r"\left( a", "extra left or missing right"),
        ("a & b", "& is not known"),
        (r"\text{<script>}", "one of <, > and &"),
        (" ", "it is empty"),
    ],
)
def test_what_cannot_be_shown_in_full_is_refused(latex: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        mathml(latex)


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\frac{a+b}{\log_2(i+1)}", "(a + b) / (log_2(i + 1))"),
        (r"\frac{1}{n}\sum_{k=0}^{n-1} \lambda\tilde{P}^{k}", "(1 / n) Σ_{k = 0}^{n − 1} λ P̃^k"),
        (r"\prod_{j<i} (1 - p_{ij})", "Π_{j < i} (1 − p_ij)"),
        (r"\begin{cases} 1 & \text{if } r > 0 \\ 0 & \text{otherwise} \end{cases}", "{1 if r > 0; 0 otherwise"),
        (r"\mathrm{D}\sharp\text{-nDCG@}k", "D♯-nDCG@k"),
        (r"\sqrt{x}", "√(x)"),
    ],
)
def test_a_formula_reads_as_plain_text(latex: str, text: str) -> None:
    assert mathml_as_text(latex) == text


def test_an_upright_word_is_one_word_of_mathml() -> None:
    texts = [e.text for e in ElementTree.fromstring(mathml(r"\mathrm{Prec}(n)")).iter() if e.tag.endswith("mtext")]
    assert texts == ["Prec"]


def test_notebooks_get_html_with_hostile_text_as_text_and_latex() -> None:
    formula = Formula("x", {"x": "<b>bold</b> & $x$"}, source="<i>")
    assert "&lt;b&gt;bold&lt;/b&gt; &amp; <math" in formula._repr_html_()
    assert "<p>Source: &lt;i&gt;.</p>" in formula._repr_html_()
    assert formula._repr_latex_() == "$$\nx\n$$"


class OfFormula(irmx.Measure):
    """A measure for tests."""

    NAME = "OfFormula"
    PRETTY_NAME = "A measure with a formula"
    SHORT_DESC = "The number of relevant documents."
    FORMULA = Formula(r"\mathrm{OfFormula} = r", {"r": "the number of relevant documents"}, "nowhere")
    SUPPORTED_PARAMS = {"rel": irmx.COMMON_PARAMS["rel"]}
    RANGE = (0.0, float("inf"))
    CITATIONS = ("@misc{A, author = {An {A}uthor}, title = {A {T}itle}, year = 2026}",)

    def contributions(self, rankings: irmx.Rankings) -> dict[str, irmx.ragged.Floats]:
        return {"contribution": rankings.relevant.rank * 0.0 + 1}


def test_help_of_an_instance_has_the_formula_as_latex_and_the_class_does_not() -> None:
    assert ".. math:: \\mathrm{OfFormula} = r\n\n  r: the number of relevant documents" in (OfFormula().__doc__ or "")
    assert OfFormula.__doc__ == "A measure for tests."


def test_a_measure_is_html_in_a_notebook_with_its_own_values_and_no_braces_of_bibtex() -> None:
    html = OfFormula(rel=2)._repr_html_()
    assert "<code>OfFormula(rel=2)</code> A measure with a formula." in html
    assert '<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">' in html
    assert '<td style="text-align:left">2</td>' in html
    assert "An Author. A Title." in html
    assert "{" not in html


@pytest.mark.parametrize(
    ("formula", "problem"),
    [
        (Formula("x"), "No symbol explains x."),
        (Formula("x", {"x": "known", "y": "lost"}), "The symbol y is not in the formula."),
        (Formula(r"x \foo", {"x": "known"}), r"\\foo is not known here"),
        ("x", "it must be an irmx.Formula"),
    ],
)
def test_the_kit_refuses_a_formula_with_flaws(formula: Formula, problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OfFormula, "FORMULA", formula)
    with pytest.raises(CheckError, match=problem):
        check_metadata(OfFormula(), cast(Data, None))
