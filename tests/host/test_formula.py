"""Formulas: converted in full or refused, shown as LaTeX and MathML; citations as BibTeX entries."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx
from irmx import Citation, Formula, UsageError
from irmx.testing import CheckError, check_measure


@pytest.mark.parametrize("latex", [r"\foo{x}", r"\frac{a}{b", "a}", r"\left( a", "a & b", r"\text{<script>}", " "])
def test_what_cannot_be_shown_in_full_is_refused(latex: str) -> None:
    with pytest.raises(UsageError):
        Formula(latex).mathml()


@pytest.mark.parametrize(
    ("formula", "problem"),
    [
        (Formula("x"), "No symbol explains x."),
        (Formula("x", {"x": "known", "y": "lost"}), "The symbol y is not in the formula."),
        (Formula(r"x \foo", {"x": "known"}), r"\foo is not known"),
    ],
)
def test_the_kit_refuses_a_formula_with_flaws(formula: Formula, problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OfFormula, "FORMULA", formula)
    with pytest.raises(CheckError) as refused:
        check_measure(OfFormula(), examples=1)
    assert problem in str(refused.value)


def test_notebooks_get_html_with_hostile_text_as_text_and_latex() -> None:
    formula = Formula("x", {"x": "<b>bold</b> & $x$"}, source="<i>")
    assert "&lt;b&gt;bold&lt;/b&gt; &amp; <math" in formula._repr_html_()
    assert "<p>Source: &lt;i&gt;.</p>" in formula._repr_html_()
    assert formula._repr_latex_() == "$$\nx\n$$"
    assert "<mtext>Prec</mtext>" in Formula(r"\mathrm{Prec}(n)")._repr_html_()


class OfFormula(irmx.Measure):
    """A measure for tests."""

    NAME = "OfFormula"
    PRETTY_NAME = "A measure with a formula"
    SHORT_DESC = "The number of relevant documents."
    FORMULA = Formula(r"\mathrm{OfFormula} = r", {"r": "the number of relevant documents"}, "nowhere")
    SUPPORTED_PARAMS = {"rel": irmx.COMMON_PARAMS["rel"]}
    RANGE = (0.0, float("inf"))
    CITATIONS = ("@misc{A, author = {An {A}uthor}, title = {A {T}itle}, year = 2026}",)

    def contributions(self, rankings: irmx.Rankings) -> dict[str, Any]:
        return {"contribution": rankings.relevant.rank * 0.0 + 1}


def test_a_measure_is_html_in_a_notebook_and_help_has_its_formula_as_latex() -> None:
    html = OfFormula(rel=2)._repr_html_()
    for part in ("<code>OfFormula(rel=2)</code> A measure with a formula.", "<math ", ">2</td>", "An Author. A Title."):
        assert part in html
    assert "{" not in html
    assert ".. math:: \\mathrm{OfFormula} = r\n\n  r: the number of relevant documents" in (OfFormula().__doc__ or "")
    assert OfFormula.__doc__ == "A measure for tests."


# -- citations ---------------------------------------------------------------------------------------------

ACM = """
@inproceedings{10.1145/1571941.1571963,
author = {Moffat, Alistair and Zobel, Justin},
title = {Rank-biased precision for measurement of {IR}
  effectiveness},
year = {2008},
doi = "10.1145/1416950.1416952",
pages = 2,
}
"""


def test_an_entry_as_publishers_give_it(enough: Any, command: Any) -> None:
    citation = Citation.from_bibtex(ACM)
    assert (citation.entry, citation.key) == ("inproceedings", "10.1145/1571941.1571963")
    assert citation.doi == "10.1145/1416950.1416952"
    assert citation.fields["title"] == "Rank-biased precision for measurement of {IR} effectiveness"
    assert citation.fields["pages"] == "2"
    assert enough(cite=ACM).citations() == (citation,)
    assert "Moffat, Alistair" in command("cite", "Enough").out
    assert str(Citation("A2026", "misc", {"author": "A", "title": "T", "year": "2026"})) == "A. T. 2026."


NAMES, TEXTS = (st.from_regex(form, fullmatch=True) for form in (r"[a-z]{1,8}", r"[A-Za-z0-9.,=@#-]{1,20}"))


@given(st.dictionaries(NAMES, TEXTS))
def test_what_is_printed_reads_back(fields: dict[str, str]) -> None:
    citation = Citation("Key2008", "article", fields)
    assert Citation.from_bibtex(citation.bibtex()) == citation


@pytest.mark.parametrize(
    "text",
    [
        "Moffat and Zobel 2008",
        "@article{Key, title = {A title",
        "@article{Key, title = A title}",
        "@article{Key, year = 2008} @article{Other, year = 2009}",
    ],
)
def test_what_is_not_one_entry(text: str) -> None:
    with pytest.raises(UsageError):
        Citation.from_bibtex(text)
