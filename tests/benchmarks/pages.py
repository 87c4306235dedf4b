"""Benchmarks of irmx-pages: many pages with all four models beside nDCG on the same items, ideal pages, and a fit.

    python tests/benchmarks/pages.py [--write] [--quick]

Both sides take turns in one process, best of several rounds, on made-up pages. Nothing here is a test.
"""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import nDCG
from pages_fit import report as on_fit
from timing import Made, in_turns, made_with, program, span

import irmx
from irmx_pages.exact_ideal import best_page, candidates_of
from irmx_pages.examination_models import ATT, DCG, ERR, RBP
from irmx_pages.ideal_pages import Limits
from irmx_pages.judged_verticals import judged_verticals
from irmx_pages.page_arrays import DEFAULT

LAYOUT = [
    *["image"] * 3, *["web"] * 3, *["video"] * 3, *["web"] * 3, *["news"] * 3, *["web"] * 4
]  # fmt: skip
"""A page of 13 blocks: 10 web results and 3 verticals with 3 items."""

ORIENTATION = {"web": 0.5, "image": 0.9, "video": 0.8, "news": 0.6}
NAMES = ("AS_DCG", "AS_RBP", "AS_ERR", "AS_ATT")


def made_up(pages: int, topics: int) -> tuple[pd.DataFrame, list[pd.DataFrame]]:
    """Return qrels of so many topics, and as many runs as give so many pages."""
    rng = np.random.default_rng(1)
    topic, place = np.repeat(np.arange(topics), len(LAYOUT)).astype(str), np.tile(np.arange(len(LAYOUT)), topics)
    vertical = np.tile(LAYOUT, topics)
    base = pd.DataFrame({"query_id": topic, "vertical": vertical, "doc_id": np.char.add("d", place.astype(str))})
    qrels = base.assign(relevance=rng.integers(0, 2, len(base)), orientation=base["vertical"].map(ORIENTATION))
    score = -place.astype(float)
    return qrels, [base.assign(score=score) for _ in range(pages // topics)]


def on_pages(pages: int, rounds: int) -> Iterator[list[str]]:
    """Yield rows of the table: one run of as many topics, or runs over 50 topics; with and without ideal pages."""
    for topics in (pages, 50):
        qrels, runs = made_up(pages, topics)
        theirs = ir_measures.evaluator([nDCG @ 20], qrels)

        def flat(evaluator: Any = theirs, rs: Any = runs) -> None:
            for run in rs:
                evaluator.calc_aggregate(run)

        for how in ("normalise=None", "ideal='greedy'"):
            measures = irmx.toolkit.parse_measures(" ".join(f"{name}({how})" for name in NAMES))
            ours = irmx.evaluator(measures, qrels)

            def on_blocks(evaluator: Any = ours, rs: Any = runs) -> None:
                for run in rs:
                    evaluator.calc_aggregate(run)

            mine, its = in_turns(on_blocks, flat, rounds=rounds)
            what = f"{pages:,} pages, {len(runs)} run{'s' * (len(runs) > 1)} of {topics:,} topics, {how}"
            yield [what, _ms(mine), _ms(its), f"{mine / its:.2f}", "below 1"]
    qrels, (run,) = made_up(pages, pages)
    measures = irmx.toolkit.parse_measures(" ".join(NAMES))
    mine, its = in_turns(
        lambda: irmx.calc_aggregate(measures, qrels, run),
        lambda: ir_measures.calc_aggregate([nDCG @ 20], qrels, run),
        rounds=rounds,
    )
    yield [
        f"{pages:,} pages, 1 run, the qrels read anew, ideal='greedy'",
        _ms(mine),
        _ms(its),
        f"{mine / its:.2f}",
        "below 1",
    ]


def on_ideals(rounds: int) -> Iterator[list[str]]:
    """Yield the time of one exact ideal page of one topic."""
    for blocks, web, verticals in ((13, 10, 3), (13, 10, 24), (20, 40, 24)):
        rng = np.random.default_rng(2)
        names = ["web"] * web + [f"{('image', 'video', 'news')[v % 3]} {v}" for v in range(verticals) for _ in range(3)]
        qrels = pd.DataFrame({"query_id": "q", "doc_id": [f"d{i}" for i in range(len(names))], "vertical": names})
        orientation = {name: float(rng.uniform(0.3, 1)) for name in dict.fromkeys(names)} | {"web": 0.5}
        qrels = qrels.assign(relevance=rng.integers(0, 2, len(names)), orientation=qrels["vertical"].map(orientation))
        run = qrels[["query_id", "doc_id", "vertical"]].assign(score=1.0)
        judged = judged_verticals(irmx.rankings(qrels, run))
        for model in (DCG(), RBP(), ERR(), ERR(discount="rank"), ATT()):

            def search(j: Any = judged, m: Any = model, n: int = blocks) -> None:
                best_page(candidates_of(j, 0, Limits(), DEFAULT, 10, "steep"), m, n)

            (seconds,) = in_turns(search, rounds=rounds)
            wanted = "below 50 ms" if verticals == 3 else ""
            yield [
                f"{model}: {blocks} blocks from {web} web results and {verticals} verticals",
                f"{seconds * 1e3:.1f} ms",
                wanted,
            ]


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:,.0f} ms"


def made(quick: bool, data: Path | None) -> Made:
    """Run all and return the text and the tables."""
    rounds = 1 if quick else 3
    warnings.simplefilter("ignore", irmx.DataWarning)  # of the fit
    rows = list(on_pages(10_000, rounds))
    ideals = list(on_ideals(rounds))
    longest = [max((row[1] for row in part), key=lambda cell: float(cell.split()[0])) for part in (ideals[:5], ideals)]
    found = (
        f"For 10,000 pages irmx takes {span(row[3] for row in rows)} times as long ([all rows](speed_pages.csv); wanted: below 1). "
        f"The exact ideal page of one such topic takes at most {longest[0]} (wanted: below 50), and for 20 blocks from 40 web results "
        f"and 24 verticals {longest[1]} ([all](speed_ideal_pages.csv)). {on_fit(quick)}"
    )
    lines = [
        *textwrap.wrap(found, 120),
        "",
        made_with("numpy", "ir_measures", "pyarrow"),
        "",
    ]
    return "\n".join(lines), {
        "speed_pages": [["input", "four models, irmx", "nDCG@20, ir_measures", "ratio", "wanted"], *rows],
        "speed_ideal_pages": [["model and size", "time", "wanted"], *ideals],
    }


ABOUT = """A page has 13 blocks: 10 web results and 3 verticals with 3 items. irmx scores it with AS_DCG, AS_RBP, AS_ERR and AS_ATT, ir_measures
its 19 items as a flat run with nDCG@20; both read DataFrames.
"""

if __name__ == "__main__":
    program(__doc__, "Pages", ABOUT, made)
