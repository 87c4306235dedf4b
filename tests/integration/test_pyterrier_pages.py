"""Measures of pages in ``pt.Experiment``: pipelines that make pages of rankings, checked against ``irmx eval`` on the saved pages."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyterrier as pt
import pytest
from pyterrier.measures import AP, AS, AS_ATT, AS_DCG, AS_ERR, AS_RBP, AS_alpha_nDCG, AS_IA_nDCG, vRecall

import irmx
import irmx.demo

MEASURES = [
    *(AS_DCG, AS_RBP(ideal="exact"), AS_ERR @ 5, AS_ATT(personal=0.2), AS(examination=pt.measures.rbp(beta=0.5))),
    *(vRecall, AS_alpha_nDCG, AS_IA_nDCG, AP),
]
NAMES = ["bm25", "titles"]


def first_page(results: pd.DataFrame) -> pd.DataFrame:
    """The first ten results of a topic, the items of each vertical at the place of the best; as the guide has it."""
    first = results.sort_values("rank").head(10)
    place = first.groupby("vertical")["rank"].transform("min").where(first["vertical"] != "web", first["rank"])
    page = first.assign(place=place).sort_values(["place", "rank"])
    return page.assign(score=range(len(page), 0, -1)).drop(columns="place")


@pytest.fixture(scope="module")
def systems() -> list[pt.Transformer]:
    """The results of the demo, with verticals, not yet as pages."""
    documents = irmx.demo.documents()
    vertical = pt.irmx.column("vertical", dict(zip(documents["doc_id"], documents["vertical"], strict=True)))
    runs = [irmx.demo.run_table(name).rename(columns={"query_id": "qid", "doc_id": "docno"}) for name in NAMES]
    plain = [pt.model.add_ranks(run[["qid", "docno", "score"]]) for run in runs]
    return [pt.Transformer.from_df(run) >> vertical for run in plain]


@pytest.fixture(scope="module")
def pages(systems: list[pt.Transformer]) -> list[pt.Transformer]:
    return [system >> pt.apply.by_query(first_page) for system in systems]


@pytest.fixture(scope="module")
def expected(
    pages: list[pt.Transformer], topics: pd.DataFrame, qrels: pd.DataFrame, of_saved: Any
) -> dict[tuple[str, str, str], float]:
    """What ``irmx eval`` prints for the saved pages, by system, measure and topic."""
    found: dict[tuple[str, str, str], float] = of_saved(
        qrels, dict(zip(NAMES, (p(topics) for p in pages), strict=True)), MEASURES
    )
    return found


@pytest.mark.parametrize(
    "mode",
    [
        {},
        {"plan": "tree"},
        {"batch_size": 7},
        *(pytest.param(m, marks=pytest.mark.slow) for m in ({"plan": "tree", "batch_size": 1}, {"validate": "warn"})),
    ],
    ids=str,
)
def test_experiments_give_what_irmx_eval_gives(
    pages: list[pt.Transformer],
    topics: pd.DataFrame,
    qrels: pd.DataFrame,
    expected: dict[tuple[str, str, str], float],
    mode: dict[str, Any],
) -> None:
    asked = {"names": NAMES, "validate": "error", "verbose": False, **mode}
    means = pt.Experiment(pages, topics, qrels, MEASURES, **asked).set_index("name")
    for name in NAMES:
        for measure in map(str, MEASURES):
            assert means.loc[name, measure] == pytest.approx(expected[name, measure, "all"], rel=1e-9)
    by_topic = pt.Experiment(pages, topics, qrels, MEASURES, perquery=True, **asked)
    values = {(row.name, row.measure, row.qid): row.value for row in by_topic.itertuples(index=False)}
    assert values == pytest.approx({k: v for k, v in expected.items() if k[2] != "all"}, rel=1e-9)
    assert len(values) == len(NAMES) * len(MEASURES) * 30


def test_pages_of_the_pipeline_are_those_of_the_demo(pages: list[pt.Transformer], topics: pd.DataFrame) -> None:
    for name, system in zip(NAMES, pages, strict=True):
        found = system(topics).sort_values(["qid", "rank"])
        demo = irmx.demo.block_table(name, "vertical", ["web"]).sort_values(
            ["query_id", "score"], ascending=[True, False]
        )
        for mine, theirs in (("qid", "query_id"), ("docno", "doc_id"), ("vertical", "vertical")):
            assert found[mine].tolist() == demo[theirs].tolist()


def test_a_ranking_that_is_no_page_is_refused_with_the_place(
    systems: list[pt.Transformer], topics: pd.DataFrame, qrels: pd.DataFrame
) -> None:
    with pytest.raises(
        irmx.DataError, match=r"AS_DCG.*the vertical '\w+' has a second block at query 1, item 'd\d+' at"
    ):
        pt.Experiment(systems, topics.head(1), qrels, [AS_DCG], verbose=False)
    found = pt.Experiment(systems, topics.head(1), qrels, [AS_DCG(split_blocks=True)], verbose=False)
    assert (found["AS_DCG(split_blocks=True)"] > 0).all()
