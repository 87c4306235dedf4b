"""The measures of pages in plain Python, block by block, and small collections."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import pandas as pd

EFFORT = {"image": 1, "text": 3, "video": 6}
MEDIA = {"image": "image", "video": "video"}
Pool = dict[str, tuple[float, int, int]]


class Block(NamedTuple):
    """A block: its vertical, orient(V|W,q), and the items, 1 for a relevant one."""

    vertical: str
    orientation: float
    items: tuple[int, ...]

    @property
    def media(self) -> str:
        return MEDIA.get(self.vertical, "text")


# -- small collections -------------------------------------------------------------------------------------------------

COLUMNS = ["query_id", "doc_id", "relevance", "vertical", "orientation"]


def run_of(*items: tuple[str, str], **columns: Any) -> pd.DataFrame:
    """The run of query q from (document, vertical) in reading order."""
    frame = pd.DataFrame([("q", d, v) for d, v in items], columns=["query_id", "doc_id", "vertical"])
    return frame.assign(score=[float(len(items) - i) for i in range(len(items))], **columns)


def qrels_of(*items: tuple[str, str, float, float | None], **columns: Any) -> pd.DataFrame:
    """The qrels of query q from (document, vertical, orientation, grade)."""
    return pd.DataFrame([("q", d, g, v, o) for d, v, g, o in items], columns=COLUMNS).assign(**columns)


def as_tables(page: list[Block], pool: Pool) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A page as a run, and the judgments of a pool {vertical: (orientation, relevant, non-relevant)} as qrels.

    Items are taken from the pool; relevant ones that it does not have would be an error of the test.
    """
    left = {v: {1: relevant, 0: other} for v, (_, relevant, other) in pool.items()}
    shown = []
    for block in page:
        for item in block.items:
            left[block.vertical][item] -= 1
            number = left[block.vertical][item]
            shown.append((f"{block.vertical}-{item}-{number}", block.vertical))
            assert item == 0 or number >= 0
    judged = [("", v, 0.0, o) for v, (o, _, _) in pool.items()]
    for v, (o, relevant, other) in pool.items():
        judged += [(f"{v}-1-{i}", v, 1.0, o) for i in range(relevant)] + [
            (f"{v}-0-{i}", v, 0.0, o) for i in range(other)
        ]
    return run_of(*shown), qrels_of(*judged)


# -- the definitions ---------------------------------------------------------------------------------------------------


def g(x: float, alpha: float, reading: str = "steep") -> float:
    if x in (0, 1):
        return x
    k = 1 / math.log10(alpha) if reading == "steep" else math.log10(alpha)
    return 1 / (1 + math.exp(k * math.log((1 - x) / x)))


def gain(block: Block, alpha: float, reading: str = "steep") -> float:
    return g(block.orientation, alpha, reading) * sum(block.items)


def effort(block: Block, table: dict[str, float]) -> float:
    return sum(table[block.media] for _ in block.items)


def examination(model: str, page: list[Block], alpha: float, reading: str, **params: Any) -> list[float]:
    out: list[float] = []
    for i in range(1, len(page) + 1):
        if model == "dcg":
            out.append(1 / math.log2(i + 1))
        elif model == "late":
            out.append(1.0 if i == 2 else 0.5 / i)
        elif model == "rbp":
            out.append(params["beta"] ** (i - 1))
        elif model == "err":
            going_on = 1.0
            for block in page[: i - 1]:
                going_on *= 1 - gain(block, alpha, reading) / len(block.items)
            out.append(going_on / i if params.get("discount") == "rank" else going_on)
        else:
            phi = params.get("phi") or 1 / math.log2(i + 1)
            distances = [abs(i - j) for j, b in enumerate(page, start=1) if b.media in ("image", "video")]
            out.append(phi + (1 - phi) * params["beta"] ** min(distances) if distances else phi)
    return out


def util(
    model: str,
    page: list[Block],
    alpha: float = 10,
    reading: str = "steep",
    table: dict[str, float] = EFFORT,
    **params: Any,
) -> float:
    exam = examination(model, page, alpha, reading, **params)
    gained = sum(e * gain(b, alpha, reading) for e, b in zip(exam, page, strict=True))
    return gained / sum(e * effort(b, table) for e, b in zip(exam, page, strict=True))


# -- ideal pages -------------------------------------------------------------------------------------------------------


def every_page(pool: Pool, length: int, verticals: int = 3, items: int = 3) -> Iterator[list[Block]]:
    """All pages of so many blocks: any web results, each vertical once, any number of items that are not relevant."""
    if length == 0:
        yield []
        return
    web_left = pool.get("web", (0.5, 0, 0))[1]
    for block in [Block("web", 0.5, (1,))] * (web_left > 0) + [Block("web", 0.5, (0,))]:
        rest = {**pool, "web": (0.5, web_left - block.items[0], 0)}
        yield from ([block, *page] for page in every_page(rest, length - 1, verticals, items))
    for v in [v for v in pool if v != "web"] if verticals else []:
        o, relevant, _ = pool[v]
        rest = {name: kept for name, kept in pool.items() if name != v}
        for count in range(1, items + 1):
            for shown in range(min(relevant, count) + 1):
                block = Block(v, o, (1,) * shown + (0,) * (count - shown))
                yield from ([block, *page] for page in every_page(rest, length - 1, verticals - 1, items))


def greedy(
    pool: Pool,
    web: int = 10,
    verticals: int = 3,
    items: int = 3,
    threshold: float = 0.5,
    fill: bool = False,
    relevant: bool = True,
) -> list[Block]:
    """The ideal page of a pool {vertical: (orientation, relevant, non-relevant)}: verticals by orientation, each with a relevant item, then the web."""
    wanted = [v for v in pool if v != "web" and pool[v][0] > threshold and (pool[v][1] or not relevant)]

    def shown(v: str) -> list[int]:
        _, good, other = pool.get(v, (0.5, 0, 0))
        return [*[1] * good, *[0] * (other if fill else 0)]

    wanted = sorted(wanted, key=lambda v: (-pool[v][0], v))[:verticals]
    page = [Block(v, pool[v][0], tuple(shown(v)[:items])) for v in wanted if shown(v)]
    return page + [Block("web", 0.5, (i,)) for i in shown("web")[:web]]


def perfect(pool: Pool, *limits: int, threshold: float = 0.75, fill: bool = True, empty: bool = True) -> list[Block]:
    """The page of perfect selection, items and presentation, whatever the items of the verticals, or of those with some."""
    if not empty:
        pool = {v: of for v, of in pool.items() if v == "web" or (sum(of[1:]) if fill else of[1])}
    page = greedy(pool, *limits, threshold=threshold, fill=fill, relevant=False)
    return sorted(page, key=lambda b: (sum(b.items) == 0, -b.orientation))


# -- diversity ---------------------------------------------------------------------------------------------------------


def diversity(
    name: str,
    page: list[Block],
    ideal: list[Block],
    pool: Pool,
    parameter: float = 0.5,
    option: str = "",
) -> float:
    """AS_D_nDCG, AS_Dsharp_nDCG, AS_alpha_nDCG or AS_IA_nDCG, by an ideal page; with the other option than the default."""

    def dcg(blocks: list[Block], gains: list[float]) -> float:
        return sum(x / math.log2(i + 1) for i, x in enumerate(gains, start=1))

    def d_dcg(blocks: list[Block]) -> float:
        return dcg(blocks, [b.orientation * sum(b.items) for b in blocks])

    def alpha_dcg(blocks: list[Block]) -> float:
        seen: dict[str, int] = {}
        gains = []
        for b in blocks:
            weight = b.orientation if option == "orientation" else 1
            gains.append(weight * sum((1 - parameter) ** (seen.get(b.vertical, 0) + i) for i in range(sum(b.items))))
            seen[b.vertical] = seen.get(b.vertical, 0) + sum(b.items)
        return dcg(blocks, gains)

    held = [v for v, (_, relevant, _) in pool.items() if relevant]
    if name == "AS_alpha_nDCG":
        return alpha_dcg(page) / alpha_dcg(ideal)
    if name == "AS_D_nDCG":
        return d_dcg(page) / d_dcg(ideal)
    if name == "AS_Dsharp_nDCG":
        covered = {b.vertical for b in page if sum(b.items)}
        return parameter * len(covered) / len(held) + (1 - parameter) * d_dcg(page) / d_dcg(ideal)

    def dcg_for(v: str, blocks: list[Block]) -> float:
        return dcg(blocks, [sum(b.items) if b.vertical == v else 0 for b in blocks])

    def best(v: str) -> list[Block]:
        if option != "vertical":
            return ideal
        relevant = pool[v][1]
        return [Block(v, 0, (1,))] * min(relevant, 10) if v == "web" else [Block(v, 0, (1,) * min(relevant, 3))]

    held = [v for v in held if dcg_for(v, best(v))]
    total = sum(pool[v][0] for v in held)
    return sum(pool[v][0] / total * dcg_for(v, page) / dcg_for(v, best(v)) for v in held)
