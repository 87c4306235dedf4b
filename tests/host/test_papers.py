"""The papers of the measures of ir_measures."""

import re
from collections.abc import Callable
from typing import Any

import ir_measures
import pytest

import irmx

WITHOUT_PAPER = {"Accuracy", "Judged", "NumQ", "NumRel", "NumRet", "SetAP", "Success"}
"""Neither ir_measures nor the tools that compute them name a paper of these."""
REQUIRED = {"cutoff": 10, "recall": 0.5, "T": 1.0, "max_rel": 3}
OF_IR_MEASURES = [
    str(m(**{name: REQUIRED[name] for name, param in m.SUPPORTED_PARAMS.items() if param.required}))
    for m in {m.NAME: m for m in ir_measures.measures.registry.values() if not isinstance(m, irmx.Measure)}.values()
]


@pytest.fixture
def cited(command: Any) -> Callable[..., tuple[list[irmx.Citation], str]]:
    """A function that returns the papers that ``irmx cite`` prints for measures, without that of ir_measures, and what it says."""

    def papers(*measures: str) -> tuple[list[irmx.Citation], str]:
        done = command("cite", *measures)
        assert done.code == 0, done.err
        *found, last = [irmx.Citation.from_bibtex(entry) for entry in re.split(r"\n(?=@)", done.out.strip())]
        assert last.key == "MacAvaneyMacdonaldOunis2022"
        return found, done.err

    return papers


def test_every_measure_of_ir_measures_has_a_paper_or_is_known_to_have_none(cited: Any) -> None:
    _, said = cited(*OF_IR_MEASURES)
    without = said.removeprefix("irmx: ").partition(": no paper")[0].split(", ")
    assert {re.split("[(@]", name)[0] for name in without} == WITHOUT_PAPER


def test_papers_are_complete_and_no_two_have_one_key_or_one_doi(cited: Any) -> None:
    measures = (*OF_IR_MEASURES, "nDCG(dcg='exp-log2')@5", "AP(judged_only=True)")
    for paper in cited(*measures)[0]:
        assert {"author", "title", "year"} <= set(paper.fields), paper.key
        assert paper.key.endswith(paper.fields["year"])
    papers, _ = cited(*measures, *irmx.registry().measures())
    for names in ([paper.key for paper in papers], [paper.doi for paper in papers if paper.doi]):
        assert len(set(names)) == len(names) > 20


@pytest.mark.parametrize(
    ("measure", "keys"),
    [
        ("AP(rel=2)@100", ["BuckleyVoorhees2005"]),
        ("AP(judged_only=True)", ["BuckleyVoorhees2005", "Sakai2007"]),
        ("AP(judged_only=False)", ["BuckleyVoorhees2005"]),
        ("nDCG@10", ["JarvelinKekalainen2002"]),
        ("nDCG(dcg='log2')", ["JarvelinKekalainen2002"]),
        ("nDCG(dcg='exp-log2',judged_only=True)@10", ["JarvelinKekalainen2002", "Burges2005", "Sakai2007"]),
        ("nDCG(gains={1:0,2:1})", ["JarvelinKekalainen2002"]),
        ("RBP(p=0.5)", ["MoffatZobel2008"]),
        ("P@10", ["VanRijsbergen1979"]),
        ("MAP", ["BuckleyVoorhees2005"]),
        ("NCP(law=first)", ["Robertson2008"]),
        ("MP(model=GL_AD_ID) MP(model=LO_AD_ID) NumRet P@5 P@10", ["FerranteFerroMaistro2014", "VanRijsbergen1979"]),
    ],
)
def test_a_paper_depends_on_what_is_computed(measure: str, keys: list[str], cited: Any) -> None:
    assert [paper.key for paper in cited(measure)[0]] == keys


def test_what_a_scorer_says_comes_first(registry_with: Any, cited: Any) -> None:
    class Cited(irmx.Measure):
        NAME = "ERR"
        SUPPORTED_PARAMS = {"cutoff": irmx.COMMON_PARAMS["cutoff"]}
        CITATIONS = ("@misc{Doe2026, author = {Jane Doe}, title = {ERR again}, year = 2026}",)

    registry_with("cited", scorers=[Cited()])
    assert [paper.key for paper in cited("ERR@10")[0]] == ["Doe2026"]
