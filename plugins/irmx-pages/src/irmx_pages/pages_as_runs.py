"""Pages as runs, so that any measure can score them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import DataError, Join, Judgments, TopicScores, read_qrels, read_run
from irmx.toolkit import Evaluator
from irmx_pages.page import Page, media_of
from irmx_pages.page_files import read_pages

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


def run_table(pages: Sequence[Page]) -> pa.Table:
    """Return pages, one per topic, as the rows of a run.

    Parameters
    ----------
    pages : sequence of Page
        The pages, each of a different topic.

    Returns
    -------
    pyarrow.Table
        ``query_id``, ``doc_id``, ``score`` (descending in reading order), ``vertical``, ``media`` if any block has one (for
        the others derived from the vertical's name), ``block``, the number of the block on its page, and ``length`` if any
        block has lengths.

    Examples
    --------
    >>> from irmx_pages import Block
    >>> page = Page("q", "p", (Block("news", "", ("n1", "n2")), Block("web", "", ("w1",))))
    >>> run_table([page]).to_pydict()
    {'query_id': ['q', 'q', 'q'], 'doc_id': ['n1', 'n2', 'w1'], 'score': [3.0, 2.0, 1.0],
     'vertical': ['news', 'news', 'web'], 'block': ['1', '1', '2']}
    """
    import pyarrow as pa

    rows: list[tuple[Any, ...]] = []
    for page in pages:
        left = len(page.items)
        for number, block in enumerate(page.blocks, start=1):
            of_block = (block.vertical, block.media or media_of(block.vertical), str(number))
            lengths = block.lengths or (None,) * len(block.items)
            rows += [
                (page.query_id, item, float(left - i), *of_block, length)
                for i, (item, length) in enumerate(zip(block.items, lengths, strict=True))
            ]
            left -= len(block.items)
    types = {name: pa.string() for name in ("query_id", "doc_id", "score", "vertical", "media", "block", "length")}
    types |= {"score": pa.float64(), "length": pa.float64()}
    columns: list[Any] = [*zip(*rows, strict=True)] or [[]] * len(types)
    table = pa.table(columns, pa.schema(types))
    has = {
        "media": any(b.media for p in pages for b in p.blocks),
        "length": any(b.lengths for p in pages for b in p.blocks),
    }
    return table.drop_columns([name for name, there in has.items() if not there])


def page_runs(pages: Any) -> dict[str, pa.Table]:
    """Return pages as runs: the pages of all topics with the same ``page_id`` form a run.

    Parameters
    ----------
    pages : any
        Whatever :func:`read_pages` takes.

    Returns
    -------
    dict of str to pyarrow.Table
        The runs by ``page_id``, as tables that :func:`irmx.read_run` reads, with the columns of :func:`run_table`.

    Examples
    --------
    >>> import irmx
    >>> from irmx_pages import Block
    >>> pages = [Page(q, "mine", (Block("web", "text", ("w1",)), Block("web", "text", ("w2",)))) for q in ("q", "r")]
    >>> runs = page_runs(pages)
    >>> irmx.calc_aggregate("P@2", {"q": {"w2": 1}, "r": {"w1": 0}}, runs["mine"])
    {P@2: 0.25}
    """
    of_run: dict[str, list[Page]] = {}
    for page in read_pages(pages):
        of_run.setdefault(page.page_id, []).append(page)
    return {page_id: run_table(mine) for page_id, mine in of_run.items()}


def batches(pages: Sequence[Page]) -> list[list[int]]:
    """Return the indices of pages in batches with at most one page per topic: batch k has the k-th page of every topic.

    >>> from irmx_pages import Block
    >>> blocks = (Block("web", "", ("w",)),)
    >>> batches([Page("q", "p1", blocks), Page("q", "p2", blocks), Page("r", "p3", blocks)])
    [[0, 2], [1]]
    """
    seen: dict[str, int] = {}
    found: list[list[int]] = []
    for number, page in enumerate(pages):
        k = seen[page.query_id] = seen.get(page.query_id, -1) + 1
        if k == len(found):
            found.append([])
        found[k].append(number)
    return found


def refuse_unjudged_topics(pages: Sequence[Page], judgments: Judgments) -> None:
    """Raise if a page belongs to a topic that the qrels lack."""
    lacking = list(dict.fromkeys(p.query_id for p in pages if p.query_id not in judgments.index))
    if lacking:
        raise DataError(
            f"The qrels lack {len(lacking)} of {len({p.query_id for p in pages})} topics with pages, such as "
            f"{lacking[0]!r}; a page cannot be scored without judgments for its topic."
        )


def score_pages(pages: Any, qrels: Any, measures: Any) -> pd.DataFrame:
    """Return the value of every measure for every page.

    Parameters
    ----------
    pages : any
        Whatever :func:`read_pages` takes; a topic may have any number of pages, under any names.
    qrels : any
        Whatever :func:`irmx.read_qrels` takes.
    measures : str, Measure or iterable of them
        Page measures, such as ``AS_RBP``, or any others, such as ``nDCG@10``, which score the items in reading order.

    Returns
    -------
    DataFrame
        ``query_id``, ``page_id``, ``measure`` (its text) and ``value``, page by page.

    Raises
    ------
    irmx.DataError
        If a topic has pages but no judgments; or any error of the measures.

    Examples
    --------
    >>> from irmx_pages import Block
    >>> pages = [Page("q", name, tuple(Block("web", "", (i,)) for i in items)) for name, items in
    ...          [("one", ("w1", "w2")), ("two", ("w2", "w1"))]]
    >>> score_pages(pages, {"q": {"w1": 1}}, "RR P@1")
      query_id page_id measure  value
    0        q     one      RR    1.0
    1        q     one     P@1    1.0
    2        q     two      RR    0.5
    3        q     two     P@1    0.0
    """
    import pandas as pd

    pages = read_pages(pages)
    evaluator = Evaluator(measures, read_qrels(qrels))
    values = page_values(pages, evaluator)
    names = [str(m) for m in evaluator.measures]
    return pd.DataFrame(
        {
            "query_id": np.repeat([p.query_id for p in pages], len(names)),
            "page_id": np.repeat([p.page_id for p in pages], len(names)),
            "measure": names * len(pages),
            "value": values.ravel(),
        }
    )


def _scores(evaluator: Evaluator, pages: Sequence[Page]) -> Mapping[Any, TopicScores]:
    """Return the scores of pages, none of whose items need be judged, unlike those of a run."""
    return evaluator.of_join(Join(read_run(run_table(pages)), evaluator.judgments))


def page_values(pages: Sequence[Page], evaluator: Evaluator) -> np.ndarray[Any, np.dtype[Any]]:
    """Return the value of every measure of an evaluator for every page: shape (pages, measures)."""
    refuse_unjudged_topics(pages, evaluator.judgments)
    values = np.full((len(pages), len(evaluator.measures)), np.nan)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for numbers in batches(pages):
            batch = [pages[i] for i in numbers]
            try:
                scores = _scores(evaluator, batch)
            except DataError as error:
                raise _of_page(error, batch, pages, evaluator) from None
            topics = [evaluator.judgments.index[page.query_id] for page in batch]
            for column, measure in enumerate(evaluator.measures):
                values[numbers, column] = scores[measure].values[topics]
    for text, category in dict.fromkeys((str(w.message), w.category) for w in caught):
        warnings.warn(text, category, stacklevel=3)
    return values


def _of_page(error: DataError, batch: Sequence[Page], pages: Sequence[Page], evaluator: Evaluator) -> DataError:
    """Return the error of a batch with the page at fault added, unless all pages of the topic have the same error."""
    for page in batch:
        mine = _error(page, evaluator)
        if mine is not None:
            others = [_error(p, evaluator) for p in pages if p.query_id == page.query_id and p is not page]
            alike = others and all(str(other) == str(mine) for other in others)
            return error if alike else mine.at(page.name)
    return error


def _error(page: Page, evaluator: Evaluator) -> DataError | None:
    """Return the error of a page, or None."""
    try:
        _scores(evaluator, [page])
    except DataError as error:
        return error
    return None
