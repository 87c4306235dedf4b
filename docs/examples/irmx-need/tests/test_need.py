"""The user need: by hand, and beside users that are known."""

import doctest
from itertools import permutations

import pytest

import irmx
import irmx_need.user

RUN = {"q": {"x": 5.0, "a": 4.0, "y": 3.0, "b": 2.0, "c": 1.0}}
QRELS = {"q": {"a": 1, "b": 1, "c": 1}}


@pytest.mark.parametrize(("n", "documents"), [(1, 2), (2, 4), (3, 5)])
def test_by_hand(n, documents):
    gain, depth = irmx.calc_aggregate(f"CWL(user=need(n={n})) CWL(user=need(n={n}),value=ED)", QRELS, RUN).values()
    assert depth == documents
    assert gain == pytest.approx(n / documents)


@pytest.mark.parametrize("relevant", ["a", "ab", "bd", "abcd"])
def test_one_document_is_reciprocal_rank(relevant):
    orders = {"".join(docs): docs for docs in permutations("abcd")}
    qrels = {order: dict.fromkeys(relevant, 1) for order in orders}
    run = {order: {doc: -float(rank) for rank, doc in enumerate(docs)} for order, docs in orders.items()}
    need, rr, known = irmx.evaluator("CWL(user=need(n=1)) CWL(user=rr) RR", qrels).values(run).values()
    assert need == pytest.approx(rr)
    assert need == pytest.approx(known)


def test_examples():
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.testmod(irmx_need.user, optionflags=flags) == (0, 3)
