"""The papers of the measures of ir_measures."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import ir_measures

from irmx.declare.described import Citation
from irmx.declare.measure_failures import failures_of
from irmx.score.backends import scorer_of

_MEASURES_OF_PAPERS = {
    "VanRijsbergen1979": "P R SetP SetR SetF",
    "KantorVoorhees2000": "RR",
    "JarvelinKekalainen2002": "nDCG SDCG",
    "ZhaiCohenLafferty2003": "StRecall",
    "BuckleyVoorhees2004": "Bpref",
    "BuckleyVoorhees2005": "AP Rprec IPrec",
    "YilmazAslam2006": "infAP",
    "MoffatZobel2008": "RBP",
    "Clarke2008": "alpha_DCG alpha_nDCG",
    "Agrawal2009": "AP_IA P_IA",
    "Chapelle2009": "ERR ERR_IA nERR_IA",
    "ClarkeKollaVechtomova2009": "NRBP nNRBP",
    "Clarke2011": "nERR_IA nNRBP",
    "MoffatScholerThomas2012": "INSQ",
    "Bailey2015": "INST",
    "Moffat2015": "INST",
    "Moffat2017": "SDCG",
    "Zhang2017": "BPM",
    "AzzopardiMackenzieMoffat2021": "NERR8 NERR9 NERR10 NERR11",
    "ClarkeVtyurinaSmucker2021": "Compat",
}
"""The measures of each paper, as the tools that compute them name it: trec_eval, ndeval, cwl_eval, ir_measures."""
_PAPERS_OF_SETTINGS = {
    ("dcg", "exp-log2"): "Burges2005",
    ("judged_only", True): "Sakai2007",
}
"""The paper of what a parameter changes, in every measure that has it: gains of 2^grade - 1, condensed lists."""


@cache
def papers() -> dict[str, Citation]:
    """Return the papers of the measures of ir_measures, by BibTeX key."""
    text = (Path(__file__).parent / "papers.bib").read_text(encoding="utf-8")
    citations = (Citation.from_bibtex(entry) for entry in re.split(r"\n(?=@)", text))
    return {citation.key: citation for citation in citations}


def papers_of(measure: ir_measures.Measure) -> tuple[Citation, ...]:
    """Return the publications to cite for a measure of irmx or of ir_measures; empty if none is known.

    A measure of irmx names them itself, and so may a plugin's scorer of a measure of ir_measures.

    Examples
    --------
    >>> [paper.key for paper in papers_of(ir_measures.nDCG(dcg="exp-log2") @ 10)]
    ['JarvelinKekalainen2002', 'Burges2005']
    """
    scorer = scorer_of(measure)
    if scorer is not None:
        with failures_of(scorer):
            declared = scorer.citations()
        if declared:
            return declared
    keys = [key for key, names in _MEASURES_OF_PAPERS.items() if measure.NAME in names.split()]
    keys += [key for setting, key in _PAPERS_OF_SETTINGS.items() if setting in measure.params.items()]
    return tuple(papers()[key] for key in keys)
