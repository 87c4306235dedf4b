"""Functions that become measures by a decorator: what they declare, their scores, what goes wrong."""

import ir_measures
import numpy as np
import pandas as pd
import pytest

import irmx
import irmx_study
from irmx import Column, PluginError, Ranking, Rankings, TopicScores, UsageError

QRELS = {"q": {"a": 1, "b": 2, "c": 0}, "r": {"a": 1}}
RUN = {"q": {"a": 3.0, "x": 2.0, "b": 1.0}, "r": {"x": 2.0, "a": 1.0}}
LENGTH = Column("run", "length", "length of the document", "words")


def test_it_is_a_measure_with_its_metadata(enough):
    cite = irmx.Citation("Doe2026", "misc", {"title": "Enough"})
    formula = irmx.Formula("k", {"k": "how many are enough"})
    made = enough(
        pretty_name="Enough of them",
        formula=formula,
        range=(0, 1),
        cite=cite,
        columns=[LENGTH],
        default=0.5,
        monotone=False,
    )
    assert made.FORMULA is formula
    assert isinstance(made, irmx.Measure)
    assert (made.NAME, made.PRETTY_NAME) == ("Enough", "Enough of them")
    assert made.SHORT_DESC == "Whether at least k relevant documents are retrieved."
    assert type(made).__doc__.endswith("A user is content with k.")
    assert list(made.SUPPORTED_PARAMS) == ["k", *irmx.COMMON_PARAMS]
    assert list(made.CITATIONS) == [cite]
    assert [made.RUN_COLUMNS, made.QREL_COLUMNS] == [(LENGTH,), ()]
    assert (made.RANGE, made.DEFAULT, made.MONOTONE, made.EXAMPLES) == ((0, 1), 0.5, False, ("Enough",))
    assert made.__wrapped__(next(iter(irmx.rankings(QRELS, RUN))), k=2) is True


def test_it_works_wherever_measures_do(enough):
    made = enough()
    wanted = {made: 1.0, made(k=2): 0.5, made(k=2) @ 2: 0.0, made(rel=2): 0.5}
    assert irmx.calc_aggregate(list(wanted), QRELS, RUN) == wanted
    assert irmx.calc_aggregate([str(m) for m in wanted], QRELS, RUN) == wanted
    assert ir_measures.calc_aggregate([*wanted, ir_measures.AP], QRELS, RUN) == {**wanted, ir_measures.AP: pytest.approx(2 / 3)}  # fmt: skip
    parsed = ir_measures.parse_measure("Enough(k=2)@2")
    assert (parsed, str(parsed), irmx.Enough, parsed["cutoff"]) == (made(k=2) @ 2, "Enough(k=2)@2", made, 2)
    found = irmx_study.sweep("Enough", {"k": [1, 2]}, QRELS, {"run": RUN}, jobs=1)
    assert found.groupby("k")["value"].mean().tolist() == [1.0, 0.5]
    with pytest.raises(
        UsageError, match="Enough does not break its score down by document; there is nothing to explain"
    ):
        irmx.explain(made, QRELS, RUN, "q")


def test_all_topics_at_once():
    @irmx.measure(batch=True, range=(0, None))
    def Found(rankings: Rankings, *, doubled: bool = False):
        """The number of relevant documents."""
        return TopicScores(rankings.relevant.count * (1 + doubled), {"ranked": rankings.depth})

    results = irmx.calc("Found Found(doubled=True)", QRELS, RUN)
    assert results.aggregated == {Found: 1.5, Found(doubled=True): 3.0}
    assert results.per_query[0].ranked == 3.0

    @irmx.measure(batch=True)
    def Few(rankings):
        return np.zeros(1)

    with pytest.raises(PluginError, match=r"Few returned an array of shape \(1,\) for 2 topics"):
        irmx.calc_aggregate(Few, QRELS, RUN)


def test_what_each_document_adds():
    @irmx.measure(batch=True)
    def Halves(rankings: Rankings, *, base: float = 2.0):
        """The sum of 1/base^rank over the relevant documents."""
        return {"contribution": base**-rankings.relevant.rank}

    assert irmx.calc_aggregate(Halves, QRELS, RUN) == {Halves: (0.5 + 0.125 + 0.25) / 2}
    explanation = irmx.explain("Halves(base=4)", QRELS, RUN, "q")
    assert explanation.columns["contribution"] == [1 / 4, 1 / 64]
    assert explanation.value == 17 / 64


def test_columns_are_declared_and_read():
    @irmx.measure(columns=[LENGTH, Column("qrels", "weight", "weight of the topic")], range=(0, 1000))
    def Words(ranking: Ranking) -> float:
        weight = ranking.topic_column(Words.QREL_COLUMNS[0])
        return float(ranking.relevant.column(LENGTH).sum() * weight)

    run = pd.DataFrame({"query_id": "q", "doc_id": ["a", "x", "b"], "score": [3, 2, 1], "length": [10, 20, 30]})
    qrels = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b"], "relevance": 1, "weight": 0.5})
    assert irmx.calc_aggregate("Words Words@2", qrels, run) == {Words: 20.0, Words @ 2: 5.0}
    with pytest.raises(irmx.DataError, match="Words cannot be computed: the run column 'length'"):
        irmx.calc_aggregate(Words, qrels, RUN)
    with pytest.raises(irmx.DataError, match="Words cannot be computed: the qrels column 'weight'"):
        irmx.calc_aggregate(Words, QRELS, run)


def test_a_column_in_two_units_is_warned_of():
    def words(ranking):
        return 0.0

    one = irmx.measure(name="One", columns=[LENGTH])(words)
    other = irmx.measure(name="Other", columns=[Column("run", "length", "length of it", unit="characters")])(words)
    run = pd.DataFrame({"query_id": ["q"], "doc_id": ["a"], "score": [1.0], "length": [10]})
    irmx.calc_aggregate([one, one @ 10], QRELS, run)
    told = "One reads the run column 'length' in words, Other@3 in characters: one of them is wrong"
    with pytest.warns(irmx.DataWarning, match=told):
        irmx.calc_aggregate([one, other @ 3], QRELS, run)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": ["length"]}, r"The columns of a measure are irmx\.Column objects. Got \['length'\] instead"),
        ({"columns": "length"}, r"irmx\.Column objects. Got 'length'"),
        ({"columns": LENGTH}, r"irmx\.Column objects. Got Column\(table='run', name='length'"),
        ({"cite": "Doe 2026"}, "A BibTeX entry starts with its type and key"),
        ({"cite": 2026}, r"The cite of a measure are irmx\.Citation objects. Got 2026"),
        ({"range": 3}, "Enough declares RANGE = 3; its smallest and its largest value are expected"),
        ({"range": (1, 0)}, r"Enough declares RANGE = \(1, 0\)"),
        (
            {"default": "none"},
            "Enough declares DEFAULT = 'none'; the value of a topic without documents is expected",
        ),
    ],
)
def test_options_of_another_kind_are_refused(enough, options, message):
    with pytest.raises(UsageError, match=message):
        enough(**options)


def test_one_example_may_be_given_by_itself(enough):
    assert enough(examples="Enough(k=2)").EXAMPLES == ("Enough(k=2)",)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (lambda: 1 / 0, "The measure Bad failed for query q with ZeroDivisionError: division by zero"),
        (lambda: None, "The measure Bad must return a number for query q. Got None"),
        (lambda: "0.5", "The measure Bad must return a number for query q. Got '0.5'"),
        (lambda: np.ones(1), "The measure Bad must return a number for query q. Got array"),
        (lambda: float("nan"), "The measure Bad has no finite value for query q"),
    ],
)
def test_what_goes_wrong_names_measure_and_topic(value, message):
    @irmx.measure
    def Bad(ranking):
        return value()

    with pytest.raises(PluginError, match=message):
        irmx.calc_aggregate(Bad, QRELS, RUN)


def test_numbers_of_other_libraries_become_floats():
    @irmx.measure
    def Mixed(ranking):
        return {"q": np.float32(0.5), "r": np.bool_(True)}[ranking.query_id]

    assert [(m.value, type(m.value)) for m in irmx.iter_calc(Mixed, QRELS, RUN)] == [(0.5, float), (1.0, float)]


def test_ideal_grades_are_there():
    qrels = {"q": {"a": 1, "b": 3, "c": 0, "d": -1}, "r": {"a": 2}}
    found = {r.query_id: r.judged_grades.tolist() for r in irmx.rankings(qrels, {"r": {"x": 1.0}, "q": {"x": 1.0}})}
    assert found == {"q": [3, 1, 0], "r": [2]}


def test_it_passes_the_checks_that_plugins_have_to(enough):
    from irmx.testing import check_measure

    made = enough(cite=irmx.Citation("Doe2026", "misc", {"author": "Jane Doe", "title": "Enough", "year": "2026"}))
    reason = "plain pickle does not take what is defined in a function"
    results = check_measure(made(k=2), examples=5, expected_failures={"copies": reason})
    assert {r.outcome for r in results} == {"passed", "expected failure"}
