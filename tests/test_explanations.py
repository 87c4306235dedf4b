"""The scores of all topics explained at once: what :func:`irmx.explain` returns for each, for every measure that explains itself."""

import pytest

import irmx
from irmx.demo import block_table, demo_measures, judgments_path, label_columns, run_table
from irmx.score.backends import scorer_of


def explained(measure: irmx.Measure) -> list[tuple[irmx.toolkit.Explanation, irmx.toolkit.Explanation]]:
    """Return the explanation of every third topic of a run of the demo collection, and that of the topic alone."""
    label = next(iter(label_columns(measure)), None)
    table = run_table("titles") if label is None else block_table("titles", label.name, label.sample.alone or ())
    judgments, run = irmx.read_qrels(judgments_path()), irmx.read_run(table)
    at_once = list(irmx.explanations(measure, judgments, run))
    return [(of, irmx.explain(measure, judgments, run, of.query_id)) for of in at_once[::3]]


def explains_itself(measure: irmx.Measure) -> bool:
    scorer = scorer_of(measure)
    return scorer is not None and type(scorer).contributions is not irmx.Measure.contributions


@pytest.mark.parametrize("measure", sorted(map(str, filter(explains_itself, demo_measures()))))
def test_every_measure_explains_a_run_as_its_topics(measure):
    for at_once, alone in explained(irmx.parse_measure(measure)):
        assert (at_once.measure, at_once.query_id) == (alone.measure, alone.query_id)
        numbers = ("value", "depth", "retrieved", "recall_base")
        assert [getattr(at_once, name) for name in numbers] == [getattr(alone, name) for name in numbers]
        assert at_once.frame().equals(alone.frame())
        assert at_once.fields == alone.fields


def test_the_topics_are_those_of_the_qrels_for_which_the_run_has_documents():
    qrels, run = {"p": {"a": 1}, "q": {"a": 1}, "r": {"a": 1}}, {"r": {"a": 1.0}, "x": {"a": 1.0}, "p": {"b": 1.0}}
    assert [(e.query_id, e.value) for e in irmx.explanations("AP", qrels, run)] == [("p", 0), ("r", 1)]
    with pytest.raises(irmx.DataError, match="No topic of the run is in the qrels"):
        irmx.explanations("AP", {"q": {"a": 1}}, {"x": {"a": 1.0}})


def test_a_measure_without_contributions_has_nothing_to_explain():
    with pytest.raises(irmx.UsageError, match="Accuracy is a measure of ir_measures, of which no plugin has a scorer"):
        irmx.explanations("Accuracy", {"q": {"a": 1}}, {"q": {"a": 1.0}})


def test_a_topic_without_documents_is_told():
    with pytest.raises(irmx.DataError, match="The run has no documents for topic 'q'"):
        irmx.explain("AP", {"q": {"a": 1}}, {"q": {}}, "q")
    assert list(irmx.explanations("AP", {"q": {"a": 1}}, {"q": {}})) == []
