"""Citations as BibTeX entries, in the forms in which publishers give them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx
from irmx import Citation

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


def test_an_entry_as_publishers_give_it() -> None:
    citation = Citation.from_bibtex(ACM)
    assert (citation.entry, citation.key, citation.doi) == (
        "inproceedings",
        "10.1145/1571941.1571963",
        "10.1145/1416950.1416952",
    )
    assert citation.fields["title"] == "Rank-biased precision for measurement of {IR} effectiveness"
    assert citation.fields["pages"] == "2"


@given(
    st.dictionaries(
        st.from_regex(r"[a-z]{1,8}", fullmatch=True), st.from_regex(r"[A-Za-z0-9.,=@#-]{1,20}", fullmatch=True)
    )
)
def test_what_is_printed_reads_back(fields: dict[str, str]) -> None:
    citation = Citation("Key2008", "article", fields)
    assert Citation.from_bibtex(citation.bibtex()) == citation


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Moffat and Zobel 2008", "starts with its type and key"),
        ("@article{Key, title = {A title", "cannot be read from 'title = "),
        ("@article{Key, title = A title}", "cannot be read from 'title = "),
        ("@article{Key, year = 2008} @article{Other, year = 2009}", "cannot be read from"),
    ],
)
def test_what_is_not_one_entry(text: str, told: str) -> None:
    with pytest.raises(irmx.UsageError, match=told):
        Citation.from_bibtex(text)


def test_a_function_may_be_cited_by_its_entry(enough: Callable[..., Any], command: Callable[..., Any]) -> None:
    measure = enough(cite=ACM)
    assert measure.citations() == (Citation.from_bibtex(ACM),)
    assert "Moffat, Alistair" in command("cite", "Enough").out


def test_a_measure_of_a_plugin_whose_entry_cannot_be_read(
    plugin: Callable[..., Any], registry_with: Callable[..., Any]
) -> None:
    class Cited(irmx.Measure):
        NAME = "ZCited"
        CITATIONS = ("no entry",)

    with pytest.warns(irmx.PluginWarning, match="its measure ZCited cannot be cited: A BibTeX entry starts"):
        registry = registry_with("cited", measures=[Cited()])
    assert "ZCited" not in registry.measures()


def test_a_citation_without_a_place_has_no_gap() -> None:
    assert str(Citation("A2026", "misc", {"author": "A", "title": "T", "year": "2026"})) == "A. T. 2026."
