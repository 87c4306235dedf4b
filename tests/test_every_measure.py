"""Every measure of the installed plugins passes the conformance kit; what is expected to fail stands here, with the reason."""

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby, product
from random import Random
from typing import Any

import numpy as np
import pyarrow.compute as pc
import pytest
from hypothesis import strategies as st

import irmx
from irmx.declare.expressions import parse_value
from irmx.score.backends import scorer_of
from irmx.testing import CheckError, Sample, instances, parametrize_with_checks
from irmx.testing.checks.values import lowered_by_a_relevant_document
from irmx.testing.generate import Data, for_all

SETTINGS = (
    "MP(model=GL_AD_ID,judged_only=True)@3",
    "MP(model=LO_OR_LID,rescale='relative_recall',ties='run')",
    "MP(model=GL_AD_LID,steps=10,start='first')",
    "MP(model=LO_OR_ID(direction='FRBN'),steps=3,start='invariant',rescale='recall')",
    "MPcont(model=GL_AD_LID,times=by_rank(seconds=[30,10,20]),rescale='recall')",
    "NCP(law=geometric(p=0.2),rel=2,no_relevant='nan')",
    "TIA_ERR(err='text',stop='graded')",
    "TIA_P(window='burst',window_weights='uniform')",
    "TIA_nDCG(subtopics='one')",
    "IA_nDCG(cells='nonempty',subtopic_weights='proportional',judged_only=True)",
    "D_nDCG(gain='exponential',rel=2)@3",
    "IntentAware(measure='MP(model=GL_AD_ID)')@2",
    "AS_DCG(g='literal',alpha=3,ideal='greedy',ideal_fill=True,personal=0.3,recall_of='oriented')",
    "AS_RBP(effort={'text':2,'image':1,'video':5},normalise=None,ties='run',split_blocks=True)@2",
    "AS_ERR(ideal='exact',ideal_items=1,ideal_verticals=1,no_relevant='nan')",
    "AS_ATT(ideal='exact',personal=0.2,rel=2)",
    "AS_D_nDCG(ideal_threshold=0,ideal_web=2,ideal_fill=True)@3",
    "AS_IA_nDCG(normalise='vertical',ideal_items=1,ideal_web=1)",
    "vF(threshold=0.75)@1",
    "CWL(user=inst(T=2.5),value='ETC',largest_cost=12.0)",
    "CWL(user=ift,value='ETU',max_grade=100.0,judged_only=True)",
    "CWL(user=err,depth=3,closed=True,rel=2,ties='run',no_relevant='nan')",
    "nsDCG(duplicates='once',rel=2)@2",
    "sDCG(b=10.0,gain='binary',duplicates='once')",
    "esNDCG(pdown=0.4,gain='linear',duplicates='once')@2",
    "sRBP(max_grade=100.0,ties='run',no_relevant='nan')@3",
    "Session(measure='MP(model=GL_AD_ID,judged_only=True)',over='max')",
)
"""Settings that take other ways through the code than the examples of the measures."""

CUT_OFF_ITSELF = "the measure that is lifted has a cutoff of its own, which cannot be set twice"
GOES_WITH_AUTO = "the parameter precision needs users='auto', and is refused without it"
ONCE_IN_A_QUERY = "a query must not have a document twice, only a session may"
LARGEST_OF_ALL = "the paper's 2^max is that of the largest grade of all topics of the qrels"


def expected_failures(measure: irmx.Measure) -> Mapping[str, str]:
    """Return the checks that a measure is expected to fail, with the reasons."""
    name = measure.NAME
    if name in ("IntentAware", "TimeAware") and "@" in measure["measure"]:
        return {"cutoff": CUT_OFF_ITSELF}
    if name in ("MSU", "MSU_Pain"):
        return {"default_parameters": GOES_WITH_AUTO}
    if is_of_sessions(measure):
        return {"repeated_documents": ONCE_IN_A_QUERY}
    if measure.params.get("stop") == "graded":
        return {"topics": LARGEST_OF_ALL}
    return {}


def windows_of_the_dates(sample: Sample) -> Sample:
    """Leave out the weights of windows where the measure cuts windows from dates: they would be of other windows."""
    return sample if "window" in sample.qrels[0] else sample.without("qrels", ["window_weight"])


def is_of_pages(measure: irmx.Measure) -> bool:
    """Tell whether a measure looks at the verticals of a page."""
    return any(c.name == "vertical" for c in measure.run_columns())


def is_of_sessions(measure: irmx.Measure) -> bool:
    """Tell whether the topics of a measure are sessions of queries."""
    return any(c.name == "query_number" for c in measure.run_columns())


def sessions(sample: Sample) -> Sample:
    """Deal the documents of every topic out to up to three queries."""
    topics = [row["query_id"] for row in sample.run]
    places = [topics[:i].count(topic) for i, topic in enumerate(topics)]
    return sample.with_run(
        {**row, "query_number": place % 3 + 1} for row, place in zip(sample.run, places, strict=True)
    )


def adapted(measure: irmx.Measure | None) -> Callable[[Sample], Sample]:
    """Return what makes samples into data of the family of a measure."""
    if measure is not None and is_of_pages(measure):
        return pages
    return sessions if measure is not None and is_of_sessions(measure) else windows_of_the_dates


VERTICALS = ("web", "news", "images")


def pages(sample: Sample) -> Sample:
    """Make pages of the rankings, with one block per vertical, and judge every document in every vertical.

    Items of equal scores, and the first two, are of one vertical, so that the blocks stay whole when ties are broken otherwise.
    A document may then take the place of any other, no vertical is unknown, and the web has something for the ideal page.
    """
    by_id = sorted(sample.run, key=lambda row: row["doc_id"], reverse=True)
    best_first = sorted(by_id, key=lambda row: (row["query_id"], -row["score"]))
    run: list[dict[str, Any]] = []
    for _, rows in groupby(best_first, key=lambda row: row["query_id"]):
        label, before = "", set()
        for i, (_, level) in enumerate(groupby(rows, key=lambda row: row["score"])):
            for j, row in enumerate(level):
                if j == 0 and i != 1 and row["vertical"] != label:
                    label = "web" if row["vertical"] in before else row["vertical"]
                    before.add(label)
                block = {"block": f"web {len(run)}" if label == "web" else label} if "block" in row else {}
                run.append({**row, "vertical": label, **block})
    own = {(row["query_id"], row["vertical"]): row for row in sample.qrels}
    qrels = []
    for row, vertical in product(sample.qrels, VERTICALS):
        of = own.get((row["query_id"], vertical), {"orientation": 1.0, "media": "text"})
        media = {"media": of["media"]} if "media" in row else {}
        orientation = 0.5 if vertical == "web" else of["orientation"]
        qrels.append({**row, "vertical": vertical, "orientation": orientation, **media})
    return Sample(tuple(qrels), tuple(run))


def parsed(texts: Iterable[str | irmx.Measure]) -> list[irmx.Measure]:
    return list(dict.fromkeys(irmx.parse_measure(text) for text in texts))


def with_named_objects(measure: irmx.Measure) -> list[irmx.Measure]:
    """Return a measure with every named object that one of its parameters takes."""
    one = next(instances(measure))
    found = []
    for name, param in measure.SUPPORTED_PARAMS.items():
        symbols = irmx.registry().symbols(param.kind).values() if param.kind else ()
        texts = [(*symbol.EXAMPLES, symbol.NAME)[0] for symbol in symbols]
        found += [one(**{name: parse_value(text, measure, name)}) for text in texts if "file=" not in text]
    return found


REGISTERED = irmx.registry().measures().values()
EXAMPLES = parsed(text for m in REGISTERED for text in m.EXAMPLES)
MEASURES = parsed([*EXAMPLES, *SETTINGS])
OF_NAMED_OBJECTS = [m for m in parsed(n for m in REGISTERED for n in with_named_objects(m)) if m not in MEASURES]


def is_of_streams(measure: irmx.Measure) -> bool:
    """Tell whether it reads times of the run; that it expects rows in order shows in some samples only, so it looks at more."""
    return any(column.name == "timestamp" for column in measure.run_columns())


def is_simulation(measure: irmx.Measure) -> bool:
    return measure.NAME == "MSU"


def is_of_ranks(measure: irmx.Measure) -> bool:
    return not is_of_streams(measure) and not is_of_pages(measure) and not is_of_sessions(measure)


def every_check(
    which: Callable[[irmx.Measure], bool], adapt: Callable[[Sample], Sample] | None = None, examples: int = 3
) -> pytest.MarkDecorator:
    """Return the tests of some measures; those of measures in other settings than their examples are slow."""
    measures, of_examples = list(filter(which, [*MEASURES, *OF_NAMED_OBJECTS])), set(EXAMPLES)
    made = parametrize_with_checks(measures, expected_failures=expected_failures, adapt=adapt, examples=examples).mark
    tests = [
        test._replace(marks=[*test.marks, pytest.mark.slow]) if test.values[0] not in of_examples else test
        for test in made.args[1]
    ]
    return pytest.mark.parametrize(made.args[0], tests)


@every_check(is_of_ranks, windows_of_the_dates)
def test_measures(measure: irmx.Measure, check: Any) -> None:
    check(measure)


@every_check(is_of_pages, pages)
def test_measures_of_pages(measure: irmx.Measure, check: Any) -> None:
    check(measure)


@every_check(is_of_sessions, sessions)
def test_measures_of_sessions(measure: irmx.Measure, check: Any) -> None:
    check(measure)


@every_check(lambda measure: is_of_streams(measure) and not is_simulation(measure), examples=4)
def test_measures_of_streams(measure: irmx.Measure, check: Any) -> None:
    check(measure)


@pytest.mark.slow
@every_check(is_simulation, examples=4)
def test_simulations(measure: irmx.Measure, check: Any) -> None:
    check(measure)


def test_every_measure_is_among_them() -> None:
    assert {m.NAME for m in MEASURES} == set(irmx.registry().measures())


# -- monotone or not -----------------------------------------------------------------------------------------

LOWERED = {
    "MP": "MP(model=constant)",
    "TS_Latency": "TS_Latency(track='2013')",
    "MSU": "MSU(per='second')",
    "IntentAware": "IntentAware(measure='MP(model=constant)')",
    "TimeAware": "TimeAware(measure='MP(model=constant)')",
    "AS": "AS(examination=err)",
    "Session": "Session(measure='MP(model=constant)')",
    "CWL": "CWL(user=rr,value='ED')",
    "TBG": "TBG(p_save=[1.0,0.0])",
    "UMeasure": "UMeasure(L=100.0,gain='linear',max_grade=10.0,times=[0,60])",
    "Effort": "Effort(measure='P',effort=[0.01,0.02,1.0])",
}
"""Settings in which a relevant document lowers the value, where the first example of the measure has none."""

SAMPLES = {"TS_Latency": 300, "MSU": 300}
"""How many samples it takes to find one, where 20 are not enough."""

IMAGES = ("i1", "i2", "i3")
SATISFIED_EARLY = Sample(
    tuple(
        {"query_id": "q", "doc_id": doc, "relevance": 1, "vertical": vertical, "orientation": orientation}
        for doc, vertical, orientation in (("w", "web", 0.5), *((doc, "images", 1.0) for doc in IMAGES))
    ),
    tuple(
        {"query_id": "q", "doc_id": doc, "score": -float(i), "vertical": "images" if i else "web"}
        for i, doc in enumerate(("x", *IMAGES))
    ),
)
"""A page where a web result that satisfies keeps users from three images, which gain more at the same effort."""


@pytest.mark.parametrize("name", [n for n, m in irmx.registry().measures().items() if not m.MONOTONE])
def test_a_measure_that_is_not_monotone_is_lowered_by_a_relevant_document(name: str) -> None:
    measure = irmx.parse_measure(LOWERED.get(name, irmx.registry().measures()[name].EXAMPLES[0]))
    data = Data(adapt=windows_of_the_dates, examples=SAMPLES.get(name, 20), shrink=False)
    samples = st.just(SATISFIED_EARLY) if is_of_pages(measure) else data.samples(measure, max_topics=1)

    def holds(sample: Sample) -> None:
        found = lowered_by_a_relevant_document(measure, sample)
        if found is not None:
            raise CheckError(found.text)

    with pytest.raises(CheckError, match="it falls from"):
        for_all(samples, holds, data)


# -- views of one join ---------------------------------------------------------------------------------------

OF_IR_MEASURES = parsed(text for scorer in irmx.registry().scorers().values() for text in scorer.EXAMPLES)
EVERY_MEASURE = [
    pytest.param(one, marks=[pytest.mark.slow] if one in MEASURES and one not in EXAMPLES else [])
    for one in (*MEASURES, *OF_IR_MEASURES)
]


def for_all_samples(measure: Any, holds: Callable[[Sample], None]) -> None:
    scorer = scorer_of(measure)
    data = Data(adapted(scorer), examples=3, shrink=False)
    for_all(data.samples(scorer), holds, data)


def outcome(compute: Callable[[], Any]) -> Any:
    """Return what is computed, or the kind of error; its text names rows, whose numbers in the two tables differ."""
    try:
        return compute()
    except irmx.DataError as error:
        return type(error)


@pytest.mark.filterwarnings("ignore::irmx.DataWarning")
@pytest.mark.parametrize("measure", EVERY_MEASURE, ids=str)
def test_values_on_a_view_are_those_of_qrels_cut_before(measure: Any) -> None:
    """Documents are dropped from all families' samples, with their rows, labels and windows."""
    drawn = Random(4)

    def same(sample: Sample) -> None:
        documents = sorted({(row["query_id"], row["doc_id"]) for row in sample.qrels if row["doc_id"]})
        dropped = set(drawn.sample(documents, drawn.randint(0, len(documents))))
        rows = [row for row in sample.qrels if (row["query_id"], row["doc_id"]) not in dropped]
        run, judgments = irmx.read_run(sample.run_table), irmx.read_qrels(sample.qrels_table)
        topics = np.repeat(np.array(judgments.topics, dtype=object), np.diff(judgments.offsets)).tolist()
        cut = judgments.where([pair not in dropped for pair in zip(topics, judgments.docs, strict=True)])
        base = irmx.Join(run, judgments)
        outcome(lambda: irmx.score_joined([base], [measure]))  # the view finds everything that it may share

        def of(join: irmx.Join) -> Any:
            [[scores]] = irmx.score_joined([join], [measure])
            columns = {"": scores.values, **scores.fields}
            return {
                topic: {name: column[i] for name, column in columns.items()}
                for i, topic in enumerate(join.judgments.topics)
            }

        expected = outcome(lambda: of(irmx.Join(run, irmx.read_qrels(sample.with_qrels(rows).qrels_table))))
        values = outcome(lambda: of(base.with_judgments(cut)))
        if not isinstance(expected, dict):
            assert values is expected
            return
        assert values.keys() == expected.keys()
        for topic, of_topic in expected.items():
            assert values[topic] == pytest.approx(of_topic, rel=1e-12, abs=1e-15, nan_ok=True)

    for_all_samples(measure, same)


@pytest.mark.filterwarnings("ignore::irmx.DataWarning")
@pytest.mark.parametrize("measure", EVERY_MEASURE, ids=str)
def test_the_own_qrels_of_a_topic_suffice_or_are_refused(measure: Any) -> None:
    """A batch scorer without qrels is given those of one topic at a time."""

    def same(sample: Sample) -> None:
        values = {}
        try:
            score = irmx.batch_scorer([measure])
            for topic in sample.topics:
                run, qrels = (
                    table.filter(pc.equal(table["query_id"], topic)) for table in (sample.run_table, sample.qrels_table)
                )
                values.update((topic, one["value"]) for one in score(run, qrels).to_pylist())
        except irmx.DataError as error:
            if "all topics" not in str(error):
                with pytest.raises(irmx.DataError):
                    irmx.batch_scorer([measure], sample.qrels_table)(sample.run_table)
            return
        expected = irmx.batch_scorer([measure], sample.qrels_table)(sample.run_table).to_pylist()
        of_all = {one["query_id"]: one["value"] for one in expected}
        assert values == pytest.approx(of_all, rel=0, abs=0, nan_ok=True)

    for_all_samples(measure, same)
