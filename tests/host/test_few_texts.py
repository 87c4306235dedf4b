"""Few ids are encoded in Python, many by Arrow: the numbers, the order and the scores are the same."""

import sys

import numpy as np
import pyarrow as pa
import pytest

import irmx
from irmx.data import arrow
from irmx.demo import qrels_path, run_path


@pytest.fixture(autouse=True)
def _in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take any number of texts for few, until :func:`by_arrow`."""
    monkeypatch.setattr("irmx.data.arrow.are_few", lambda texts: True)


def by_arrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take any number of texts for many."""
    monkeypatch.setattr("irmx.data.arrow.are_few", lambda texts: False)


def test_texts_are_few_until_many_have_been_encoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(arrow, "_in_python", 0)
    monkeypatch.delitem(sys.modules, "pyarrow.compute", raising=False)
    assert [arrow.are_few(texts) for texts in (60_000, 40_000, 1)] == [True, True, False]
    monkeypatch.setattr(arrow, "_in_python", 0)
    monkeypatch.setitem(sys.modules, "pyarrow.compute", pa)
    assert not arrow.are_few(1)


@pytest.mark.parametrize("texts", [["b", "größe", "", "b", "a"], []])
@pytest.mark.parametrize("kind", [pa.large_string(), pa.string()])
def test_texts_have_the_same_numbers_and_order(
    texts: list[str], kind: pa.DataType, monkeypatch: pytest.MonkeyPatch
) -> None:
    array, order = pa.array(["x", *texts], kind).slice(1), np.arange(len(texts))[::-1]

    def found() -> tuple[list[int], list[str], list[str]]:
        numbers, distinct = arrow.encoded(array)
        return numbers.tolist(), distinct.to_pylist(), arrow.taken(array, order).to_pylist()

    few = found()
    by_arrow(monkeypatch)
    assert found() == few
    assert [few[1][number] for number in few[0]] == texts
    assert few[2] == texts[::-1]


def test_runs_have_the_same_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    def scores() -> list[tuple[str, str, float]]:
        metrics = irmx.iter_calc("AP nDCG@10 MP(model=GL_AD_ID)", str(qrels_path()), str(run_path("bm25")))
        return [(str(m.measure), m.query_id, m.value) for m in metrics]

    few = scores()
    by_arrow(monkeypatch)
    assert scores() == few
