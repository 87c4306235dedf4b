"""The papers of the measures of ir_measures."""

from collections.abc import Callable
from typing import Any

import ir_measures
import pytest
from ir_measures import AP, ERR, RBP, P, nDCG

import irmx
from irmx.adapters.papers import papers, papers_of
from irmx.declare.described import IR_MEASURES

WITHOUT_PAPER = {"Accuracy", "Judged", "NumQ", "NumRel", "NumRet", "SetAP", "Success"}
"""Neither ir_measures nor the tools that compute them name a paper of these."""


def of_ir_measures() -> dict[str, Any]:
    return {n: m for n, m in ir_measures.measures.registry.items() if not isinstance(m, irmx.Measure)}


def test_every_measure_of_ir_measures_has_a_paper_or_is_known_to_have_none() -> None:
    assert {measure.NAME for measure in of_ir_measures().values() if not papers_of(measure)} == WITHOUT_PAPER


def test_every_paper_is_of_a_measure_and_complete() -> None:
    settings = [nDCG(dcg="exp-log2"), AP(judged_only=True)]
    every = [*of_ir_measures().values(), *settings]
    assert {paper for measure in every for paper in papers_of(measure)} == {*papers().values()}
    for paper in papers().values():
        assert {"author", "title", "year"} <= set(paper.fields), paper.key
        assert paper.key.endswith(paper.fields["year"])


def test_no_two_entries_have_one_key_or_one_doi() -> None:
    own = [paper for measure in irmx.registry().measures().values() for paper in measure.citations()]
    entries = [*papers().values(), *own, IR_MEASURES]
    distinct = {repr(paper) for paper in entries}
    assert len(distinct) == len({paper.key for paper in entries})
    dois = {paper.key: paper.doi for paper in entries if paper.doi}
    assert len(set(dois.values())) == len(dois)


@pytest.mark.parametrize(
    ("measure", "keys"),
    [
        (AP(rel=2) @ 100, ["BuckleyVoorhees2005"]),
        (AP(judged_only=True), ["BuckleyVoorhees2005", "Sakai2007"]),
        (AP(judged_only=False), ["BuckleyVoorhees2005"]),
        (nDCG @ 10, ["JarvelinKekalainen2002"]),
        (nDCG(dcg="log2"), ["JarvelinKekalainen2002"]),
        (nDCG(dcg="exp-log2", judged_only=True) @ 10, ["JarvelinKekalainen2002", "Burges2005", "Sakai2007"]),
        (nDCG(gains={1: 0, 2: 1}), ["JarvelinKekalainen2002"]),
        (RBP(p=0.5), ["MoffatZobel2008"]),
        (P @ 10, ["VanRijsbergen1979"]),
        (irmx.parse_measure("MAP"), ["BuckleyVoorhees2005"]),
        (irmx.parse_measure("NCP(law=first)"), ["Robertson2008"]),
    ],
)
def test_a_paper_depends_on_what_is_computed(measure: Any, keys: list[str]) -> None:
    assert [paper.key for paper in papers_of(measure)] == keys


def test_what_a_scorer_says_comes_first(registry_with: Callable[..., Any], command: Callable[..., Any]) -> None:
    class Cited(irmx.Measure):
        NAME = "ERR"
        SUPPORTED_PARAMS = {"cutoff": irmx.COMMON_PARAMS["cutoff"]}
        CITATIONS = ("@misc{Doe2026, author = {Jane Doe}, title = {ERR again}, year = 2026}",)

    registry_with("cited", scorers=[Cited()])
    assert "Jane Doe" in command("cite", "ERR@10").out
    assert [paper.key for paper in papers_of(ERR @ 10)] == ["Doe2026"]
