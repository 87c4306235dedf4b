"""Few ids are encoded in Python, many by Arrow: the numbers, the places and the scores are the same."""

import pyarrow as pa
import pytest

import irmx
from irmx.data import arrow
from irmx.demo import qrels_path, run_path


def by_arrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take any number of texts for many."""
    monkeypatch.setattr("irmx.data.arrow.FEW", -1)
    monkeypatch.setattr("irmx.data.runs.FEW", -1)


@pytest.mark.parametrize("texts", [["b", "größe", "", "b", "a"], []])
@pytest.mark.parametrize("kind", [pa.large_string(), pa.string()])
def test_texts_have_the_same_numbers_and_places(
    texts: list[str], kind: pa.DataType, monkeypatch: pytest.MonkeyPatch
) -> None:
    array, among = pa.array(["x", *texts], kind).slice(1), pa.array(["a", "b"], kind)

    def found() -> tuple[list[int], list[str], list[int]]:
        numbers, distinct = arrow.encoded(array)
        return numbers.tolist(), distinct.to_pylist(), arrow.places_among(array, among).tolist()

    few = found()
    by_arrow(monkeypatch)
    assert found() == few
    assert [few[1][number] for number in few[0]] == texts


def test_runs_have_the_same_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    def scores() -> list[tuple[str, str, float]]:
        metrics = irmx.iter_calc("AP nDCG@10 MP(model=GL_AD_ID)", str(qrels_path()), str(run_path("bm25")))
        return [(str(m.measure), m.query_id, m.value) for m in metrics]

    few = scores()
    by_arrow(monkeypatch)
    assert scores() == few
