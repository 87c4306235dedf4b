"""Rankings, their views, subtopics and streams, beside plain Python that sorts rows and changes qrels before it reads them."""

import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import pytrec_eval
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import irmx
from irmx import DataError

pytestmark = pytest.mark.filterwarnings("ignore::irmx.DataWarning")  # rows are drawn that contradict each other

SUBTOPIC = irmx.Column("qrels", "iteration", "id of the subtopic", dtype="str", optional=True)
TIME = irmx.Column("run", "timestamp", "when it was emitted", unit="s")
DOCS = ["a", "b", "c", "d", "d0", "D1", "é", "z", "漢", "\U0001f600"]
"""Some sort differently by code point, by UTF-16 unit and by what a person would say."""
SCORES = [2.0, 1.0, 0.0, -0.0, -1.5, 1e-46, 100000.1546100, 100000.1546101, 1.0 + 1e-9, 1e300, 2e300]
"""Many are equal, some of them in 32 bits only."""
QREL_COLUMNS, RUN_COLUMNS = ["query_id", "doc_id", "iteration", "relevance"], ["query_id", "doc_id", "score"]
KINDS = ["relevant", "judged", "ranked", "run_rows", "qrels_rows"]

documents, grades = st.sampled_from(DOCS), st.sampled_from([-1, 0, 1, 2, 0.5])
qrels_rows = st.tuples(st.sampled_from("pqr"), documents | st.just(""), st.sampled_from(["s1", "s2", "s3"]), grades)
QRELS = st.lists(qrels_rows, min_size=1, max_size=16)
run_rows = st.tuples(st.sampled_from("pqs"), documents, st.sampled_from(SCORES) | st.floats(-9, 9))
RUN = st.lists(run_rows, min_size=1, max_size=24, unique_by=lambda row: row[:2])
COMMON = st.fixed_dictionaries(
    {"rel": st.sampled_from([1, 0, 0.5, 2, -1]), "judged_only": st.booleans(), "ties": st.sampled_from(["trec", "run"])},
    optional={"cutoff": st.sampled_from([1, 2, 5])},
)  # fmt: skip
KEEP = st.tuples(st.just("keep"), st.sets(st.tuples(st.sampled_from("pqr"), documents)), st.booleans())
MORE = st.tuples(st.just("more"), st.dictionaries(st.sampled_from("pqr"), st.dictionaries(documents, grades)))
UNJUDGED = st.sampled_from([0, 1, 2.5, "relevant", "largest", "nonrelevant"])
ASSUME = st.tuples(st.just("assume"), UNJUDGED, st.none() | st.integers(1, 5))
VIEWS = st.lists(KEEP | MORE | ASSUME, max_size=3)


# -- plain Python ----------------------------------------------------------------------------------------------------


def by_score(hits: dict[str, float], ties: str = "trec") -> list[str]:
    if ties == "run":
        return sorted(hits, key=lambda doc: -hits[doc])
    with np.errstate(over="ignore"):
        return sorted(hits, key=lambda doc: (np.float32(hits[doc]), doc), reverse=True)


def plain(
    topics: Any, qrels: Any, run: Any, rel: float = 1, cutoff: Any = None, judged_only: bool = False, ties: str = "trec"
) -> Any:
    """Return what measures see of every topic that the run has."""
    seen = []
    for topic in topics:
        rows, hits = [r[1:] for r in qrels if r[0] == topic], {doc: score for t, doc, score in run if t == topic}
        grade = {doc: max(g for d, _, g in rows if d == doc) for doc, *_ in rows if doc}
        judged = {doc: g for doc, g in grade.items() if g >= min(0, rel)}
        ranked = [doc for doc in by_score(hits, ties) if not judged_only or doc in judged][:cutoff]
        rank = {doc: n for n, doc in enumerate(ranked, 1)}
        of = {doc: (doc, rank.get(doc, 0), hits.get(doc)) for doc in ["", *hits, *grade]}
        of_topic: dict[str, Any] = {
            "relevant": [(*of[doc], grade[doc]) for doc in ranked if grade.get(doc, -math.inf) >= rel],
            "judged": [(*of[doc], grade[doc]) for doc in ranked if doc in judged],
            "ranked": [(*of[doc], grade.get(doc)) for doc in ranked],
            "run_rows": [(*of[doc], grade.get(doc)) for doc in hits],
            "qrels_rows": [(*of[doc], g) for doc, _, g in rows],
            "labels": [subtopic for _, subtopic, _ in rows],
            "counts": (len(ranked), sum(g >= rel for g in judged.values()), sum(g < rel for g in judged.values())),
            "judged_grades": sorted(judged.values(), reverse=True),
        }
        if hits:
            seen.append((topic, of_topic))
    return seen


def changed(view: Any, topics: Any, qrels: Any, run: Any) -> Any:
    """Return topics and rows of the qrels, of which some were deleted, or to which some were added."""
    kind, what, option = (*view, None)[:3]
    if kind == "keep":
        left = [r for r in qrels if r[1] == "" or r[:2] in what]
        lost = {r[0] for r in qrels} - {r[0] for r in left}
        return [t for t in topics if option or t not in lost], left
    if kind == "more":
        return topics, [*qrels, *((t, doc, None, g) for t in what if t in topics for doc, g in what[t].items())]
    if what == "nonrelevant":
        return topics, qrels
    largest = max([1, *(g for _, doc, _, g in qrels if doc)])
    grade, judged = {"relevant": 1, "largest": largest}.get(what, what), {r[:2] for r in qrels if r[3] >= 0}
    of = {topic: {doc: score for t, doc, score in run if t == topic} for topic in topics}
    top = [(t, doc) for t in topics for doc in of[t] if option is None or doc in by_score(of[t])[:option]]
    return topics, [*qrels, *((*hit, None, grade) for hit in top if hit not in judged)]


# -- the same of irmx ------------------------------------------------------------------------------------------------


def viewed(join: irmx.Join, view: Any) -> irmx.Join:
    kind, what, option = (*view, None)[:3]
    judgments = join.judgments
    if kind == "keep":
        topic = np.repeat(judgments.topics, np.diff(judgments.offsets)).tolist()
        keep = [pair in what for pair in zip(topic, judgments.docs, strict=True)]
        return join.with_judgments(judgments.where(keep, keep_topics=True) if option else keep)
    if kind == "more":
        return join.with_judgments(judgments.with_rows({t: what[t] for t in what if t in judgments.topics}))
    return join.with_judgments(unjudged=what, depth=option)


def without_nan(values: Any) -> list[Any]:
    return [None if math.isnan(value) else value for value in values.tolist()]


def labels_of(rows: irmx.Rows) -> list[Any]:
    number, names = rows.labels(SUBTOPIC, missing_ok=True)
    return [names[n] if n >= 0 else None for n in number.tolist()]


def seen_in(rankings: irmx.Rankings, kinds: Any = KINDS) -> Any:
    """Return what measures see, in whichever order they ask for it."""
    rows = {kind: getattr(rankings, kind) for kind in kinds}
    seen = []
    for number, ranking in enumerate(rankings):
        of_topic: dict[str, Any] = {}
        for kind in kinds:
            of = rows[kind].of_topic(number)
            numbers = (without_nan(column) for column in (of.score, of.grade))
            of_topic[kind] = [*zip(of.doc_ids, of.rank.tolist(), *numbers, strict=True)]
            assert of.declares.tolist() == [doc == "" for doc in of.doc_ids]
            assert (of.doc >= 0).tolist() == [doc != "" and grade is not None for doc, *_, grade in of_topic[kind]]
        of_topic["labels"] = labels_of(ranking.qrels_rows)
        of_topic["counts"] = (ranking.depth, ranking.recall_base, ranking.judged_nonrelevant)
        of_topic["judged_grades"] = ranking.judged_grades.tolist()
        relevant = of_topic["relevant"]
        assert ranking.precision.tolist() == [n / rank for n, (_, rank, *_) in enumerate(relevant, 1)]
        seen.append((ranking.query_id, of_topic))
    return seen


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rankings")


def run_as(kind: str, run: Any, folder: Path) -> Any:
    if kind == "dict":
        return {t: {doc: score for of, doc, score in run if of == t} for t, *_ in run}
    if kind == "frame":
        return pd.DataFrame(run, columns=RUN_COLUMNS)
    path = folder / "some.run"
    path.write_text("".join(f"{t} Q0 {doc} 1 {score!r} tag\n" for t, doc, score in run), encoding="utf-8")
    return path


def qrels_as(kind: str, qrels: Any, folder: Path) -> tuple[Any, Any]:
    """Return the qrels in a form, and the rows that it can hold."""
    frame = pd.DataFrame(qrels, columns=QREL_COLUMNS)
    if kind == "frame":
        return frame, qrels
    if kind == "file":
        frame.to_csv(folder / "qrels.csv", index=False)
        return folder / "qrels.csv", qrels
    table = {t: {doc: g for of, doc, _, g in qrels if (of, bool(doc)) == (t, True)} for t, *_ in qrels}
    return table, [(t, doc, None, g) for t in table for doc, g in table[t].items()]


forms = st.sampled_from(["dict", "frame", "file"])


@settings(max_examples=60)
@given(QRELS, RUN, st.lists(COMMON, min_size=1, max_size=2), VIEWS, st.booleans(), forms, forms, st.permutations(KINDS))
def test_rankings_and_views_are_those_of_plain_python(
    folder: Path, qrels: Any, run: Any, common: Any, views: Any, ask: bool, of_qrels: str, of_run: str, kinds: Any
) -> None:
    given_qrels, qrels = qrels_as(of_qrels, qrels, folder)
    join = irmx.Join(irmx.read_run(run_as(of_run, run, folder)), irmx.read_qrels(given_qrels))
    topics = list(map(str, join.judgments.topics))
    for number, view in enumerate([None, *views]):
        if view is not None:
            (topics, qrels), join = changed(view, topics, qrels, run), viewed(join, view)
        for options in common if ask or number == len(views) else ():  # or a view of a view of which nothing was asked
            rankings = irmx.Rankings(join, **options)
            assert seen_in(rankings, kinds) == plain(topics, qrels, run, **options)
            assert rankings.largest_grade == max([0, *(g for _, doc, _, g in qrels if doc)])
    grade = {row[:2]: max(r[3] for r in qrels if r[:2] == row[:2]) for row in qrels if row[1]}
    assert join.judgments.as_dict() == {t: {d: g for (of, d), g in grade.items() if of == t} for t in topics}
    assert sorted((r.query_id, r.doc_id, r.iteration) for r in join.judgments) == sorted(
        (t, doc, subtopic or ("0" if of_qrels == "dict" else "")) for t, doc, subtopic, _ in qrels
    )


MEASURES = (
    "NCP(law=uniform) NCP(law=first,rel=2)@3 NCP(law=uniform,judged_only=True,ties='run') NCP(law=uniform,rel=.5)"
)
PROVIDED = "AP nDCG@3 Bpref SetP Judged@3 alpha_nDCG@3"


@given(QRELS, RUN, VIEWS, st.booleans(), forms)
def test_values_of_a_view_are_those_of_qrels_that_were_changed_before_reading(
    folder: Path, qrels: Any, run: Any, views: Any, whole: bool, form: str
) -> None:
    """And of plain Python; providers of ir_measures take whole grades, and subtopics of all relevant documents."""
    if whole:
        qrels = [(*row, int(grade)) for *row, grade in qrels]
        views = [view for view in views if view[0] == "keep"]
    evaluator = irmx.evaluator(f"{MEASURES} {PROVIDED if whole else ''}", pd.DataFrame(qrels, columns=QREL_COLUMNS))
    join = irmx.Join(irmx.read_run(run_as(form, run, folder)), evaluator.judgments)
    topics: Any = list(join.judgments.topics)
    for view in views:
        (topics, qrels), join = changed(view, topics, qrels, run), viewed(join, view)
    assume(qrels)
    read = irmx.read_qrels(pd.DataFrame(qrels, columns=QREL_COLUMNS))
    [ours], [expected] = (irmx.score_joined([j], evaluator.measures) for j in (join, irmx.Join(join.run, read)))
    places = [topics.index(topic) for topic in read.topics]
    for of_view, of_read in zip(ours, expected, strict=True):
        np.testing.assert_array_equal(of_view.values[places], of_read.values)
    for of_view, of_evaluator in zip(ours, evaluator.of_join(join).values(), strict=True):
        np.testing.assert_array_equal(of_view.values, of_evaluator.values)
    seen = dict(plain(topics, qrels, run))
    for topic, value in zip(topics, ours[0].values.tolist(), strict=True):
        ranks = [rank for _, rank, *_ in seen[topic]["relevant"]] if topic in seen else []
        base = seen[topic]["counts"][1] if ranks else 1
        assert value == pytest.approx(sum(n / rank for n, rank in enumerate(ranks, 1)) / base, abs=1e-12)


whole_grades = st.dictionaries(documents, st.integers(-1, 3), min_size=1)
whole_qrels = st.dictionaries(st.sampled_from("pqr"), whole_grades, min_size=1)


@given(whole_qrels, RUN, st.integers(1, 3), st.booleans(), st.integers(1, 9))
def test_values_are_those_of_pytrec_eval(qrels: Any, run: Any, rel: int, judged_only: bool, cutoff: int) -> None:
    assume(any(t in qrels for t, *_ in run))
    if judged_only:  # a grade of -1 means unjudged there
        qrels = {t: {doc: max(g, 0) for doc, g in docs.items()} for t, docs in qrels.items()}
    names = {"map": "law=uniform", "recip_rank": "law=first", f"map_cut_{cutoff}": f"law=uniform,cutoff={cutoff}"}
    asked = {"map", "recip_rank", f"map_cut.{cutoff}"}
    of_run = run_as("dict", run, Path())
    theirs = pytrec_eval.RelevanceEvaluator(qrels, asked, relevance_level=rel, judged_docs_only_flag=judged_only)
    expected = theirs.evaluate(of_run)
    for name, law in names.items():
        measure = f"NCP({law},rel={rel},judged_only={judged_only})"
        [values] = irmx.toolkit.Evaluator(measure, qrels).values(of_run).values()
        assert values == pytest.approx({t: expected.get(t, {name: 0.0})[name] for t in qrels}, abs=1e-12)


@given(QRELS, RUN, COMMON, st.lists(KEEP | MORE, max_size=1))
def test_a_subtopic_is_judged_by_its_rows(folder: Path, qrels: Any, run: Any, common: Any, views: Any) -> None:
    """The rows of s3, and those that were added, are of no subtopic."""
    judgments = irmx.read_qrels(pd.DataFrame(qrels, columns=QREL_COLUMNS))
    join = irmx.Join(irmx.read_run(run_as("dict", run, folder)), judgments)
    topics: Any = list(join.judgments.topics)
    for view in views:
        (topics, qrels), join = changed(view, topics, qrels, run), viewed(join, view)
    whole = irmx.Rankings(join, **common)
    rows = list(zip(whole.qrels_rows.topic.tolist(), labels_of(whole.qrels_rows), strict=True))
    parts = sorted({row for row in rows if row[1] in ("s1", "s2")})
    found = whole.per_subtopic(np.array([parts.index(row) if row in parts else -1 for row in rows], int), len(parts))
    expected = []
    for number, subtopic in parts:
        topic = whole.topics[number]
        expected += plain([topic], [r for r in qrels if r[0] == topic and r[2] == subtopic], run, **common)
    assert seen_in(found) == expected
    assert found.largest_grade == whole.largest_grade


@given(QRELS, st.lists(run_rows, min_size=1, max_size=12), VIEWS)
def test_documents_of_a_stream_may_repeat(qrels: Any, run: Any, views: Any) -> None:
    frame = pd.DataFrame([(*row, n) for n, row in enumerate(run)], columns=[*RUN_COLUMNS, "timestamp"])
    join = irmx.Join(irmx.read_run(frame), irmx.read_qrels(pd.DataFrame(qrels, columns=QREL_COLUMNS)))
    topics: Any = list(join.judgments.topics)
    for view in views:
        view = (*view[:2], None) if view[0] == "assume" else view  # depth is one of a ranking
        (topics, qrels), join = changed(view, topics, qrels, run), viewed(join, view)
    rankings = irmx.Rankings(join)
    rows = rankings.run_rows
    expected = [(n, *row) for t in rankings.topics for n, row in enumerate(run) if row[0] == t]
    topic = [rankings.topics[t] for t in rows.topic.tolist()]
    assert [*zip(rows.column(TIME).tolist(), topic, rows.doc_ids, rows.score.tolist(), strict=True)] == expected
    grade: dict[Any, Any] = {row[:2]: max(r[3] for r in qrels if r[:2] == row[:2]) for row in qrels}
    assert without_nan(rows.grade) == [grade.get((t, doc)) for _, t, doc, _ in expected]
    judged = [row for t in rankings.topics for row in qrels if row[0] == t]
    pairs = [(i, j) for i, (_, *hit, _) in enumerate(expected) for j, row in enumerate(judged) if row[:2] == tuple(hit)]
    assert [*zip(*(at.tolist() for at in rankings.matching_rows()), strict=True)] == pairs
    if len({row[:2] for row in run}) < len(run):
        for ask in (lambda: rows.rank, lambda: rankings.ranked, lambda: rankings.relevant, join.run.as_dict):
            with pytest.raises(DataError, match="more than once"):
                ask()


# -- what draws do not reach -----------------------------------------------------------------------------------------


def test_ties_are_broken_by_id_in_the_order_of_utf8() -> None:
    docs = sorted(DOCS, key=lambda doc: doc.encode(), reverse=True)
    for form in ("dict", "frame"):
        run = irmx.read_run(run_as(form, [("q", doc, 1.0) for doc in DOCS], Path()))
        [ranking] = irmx.Rankings(irmx.Join(run, irmx.read_qrels({"q": {"a": 1}})))
        assert ranking.ranked.doc_ids == tuple(docs)


@pytest.mark.parametrize("form", ["dict", "frame", "file"])
def test_a_long_ranking_with_long_ids(form: str, folder: Path) -> None:
    """Ids that begin, or end, alike, in topics that interleave."""
    docs = [f"clueweb09-en{i % 7:04}-{i // 7:02}-{i:05}" + "-of-the-collection" * (i % 2) for i in range(2000)]
    run = [("pq"[i % 2], doc, float(i * 7919 % 300)) for i, doc in enumerate(docs)]
    qrels = [(t, doc, "s", int(doc[-1] == "5")) for t in "qp" for doc in docs[::3]]
    judgments = irmx.read_qrels(pd.DataFrame(qrels, columns=QREL_COLUMNS))
    join = irmx.Join(irmx.read_run(run_as(form, run, folder)), judgments)
    grade, expected = {row[:2]: row[3] for row in qrels}, {}
    for t in "qp":
        ranked = by_score({doc: score for of, doc, score in run if of == t})
        expected[t] = [(rank, doc) for rank, doc in enumerate(ranked, 1) if (t, doc) in grade]
    for ranking in irmx.Rankings(join):
        assert [*zip(ranking.judged.rank.tolist(), ranking.judged.doc_ids, strict=True)] == expected[ranking.query_id]


AT_CUTOFFS = [
    "nDCG@2", "nDCG(gains={0:1})@5", "AP@3", "P@1", "R(rel=2)@4", "RR@2", "Judged@5", "Q@4", "Expected(measure=P)@5",
    "NCP(law=uniform,ties=run)@2", "MP(model=GL_AD_ID)@5", "TruncatedNDCG@3",
]  # fmt: skip


@pytest.mark.parametrize("depth", [3, 40])
@pytest.mark.parametrize("interleaved", [False, True])
def test_values_at_cutoffs_are_the_same_beside_a_measure_that_reads_all(depth: int, interleaved: bool) -> None:
    """Alone, only the first documents are looked up and ranked."""
    rng = np.random.default_rng(depth)
    rows = [(t, f"d{rng.integers(10**6)}", float(rng.integers(9))) for t in "pqrs" for _ in range(depth)]
    rows = [rows[i] for i in rng.permutation(len(rows))] if interleaved else rows
    run = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    judged = [(t, doc, int(rng.integers(-2, 4))) for t, doc, _ in rows if t < "s" and rng.random() < 0.7]
    qrels = pd.DataFrame([*judged, ("p", "none", 3)], columns=["query_id", "doc_id", "relevance"])
    for measures in (AT_CUTOFFS, *([name] for name in AT_CUTOFFS)):
        alone = irmx.evaluator(measures, qrels, provider="irmx").values(run)
        beside = irmx.evaluator([*measures, "AP"], qrels, provider="irmx").values(run)
        assert {measure: beside[measure] for measure in alone} == alone
        assert min(max(of_topics.values()) for of_topics in alone.values()) > 0


def test_topics_without_relevant_documents_and_topics_of_one_side_only() -> None:
    qrels, run = {"q": {"a": 1}, "r": {"a": 0}, "t": {"a": 1}}, {"q": {"a": 1.0}, "r": {"a": 1.0}, "s": {"a": 1.0}}
    evaluator = irmx.evaluator("NCP(law=uniform) NCP(law=uniform,no_relevant='nan')", qrels)
    assert [s.values.tolist()[::2] for s in evaluator.scores(run).values()] == [[1, 0]] * 2
    assert np.isnan([s.values[1] for s in evaluator.scores(run).values()]).tolist() == [False, True]
    assert list(evaluator.calc_aggregate(run).values()) == [1 / 3, 0.5]
    assert list(evaluator.calc_aggregate({}).values()) == [0, 0]


QRELS_OF_Q = {"q": {"a": 1, "b": 0, "c": 2}}
REFUSED: dict[str, tuple[Callable[[irmx.Join], Any], type[Exception]]] = {
    "too few truth values": (lambda join: join.judgments.where([True]), ValueError),
    "positions": (lambda join: join.judgments.where([0, 1, 2]), ValueError),
    "other judgments": (lambda join: join.with_judgments(irmx.read_qrels(QRELS_OF_Q)), ValueError),
    "an unknown topic": (lambda join: join.judgments.with_rows({"r": {"a": 1}}), ValueError),
    "no grade": (lambda join: join.judgments.with_rows({"q": {"x": math.nan}}), DataError),
    "rank 0": (lambda join: join.with_judgments(unjudged="relevant", depth=0), ValueError),
    "a negative grade": (lambda join: join.with_judgments(unjudged=-1), ValueError),
    "NaN": (lambda join: join.with_judgments(unjudged=math.nan), ValueError),
    "a word": (lambda join: join.with_judgments(unjudged="maybe"), ValueError),
    "rankings": (lambda join: irmx.score_joined([irmx.Rankings(join)], "AP"), irmx.UsageError),  # type: ignore[list-item]
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_view_is_refused(name: str) -> None:
    call, error = REFUSED[name]
    with pytest.raises(error):
        call(irmx.Join(irmx.read_run({"q": {"a": 1.0}}), irmx.read_qrels(QRELS_OF_Q)))


@pytest.mark.parametrize("unjudged", ["nonrelevant", "largest"])
def test_views_can_be_pickled(unjudged: Any) -> None:
    rows = [("q", "a", "s1", 1), ("q", "b", "s2", 3)]
    run = irmx.read_run(run_as("frame", [("q", "x", 2.0), ("q", "a", 1.0), ("q", "b", 0.5)], Path()))
    join = irmx.Join(run, irmx.read_qrels(pd.DataFrame(rows, columns=QREL_COLUMNS)))
    view = join.with_judgments(join.judgments.where([True, False]), unjudged)
    again = pickle.loads(pickle.dumps(view))
    for of_view, of_copy in zip(*irmx.score_joined([view, again], "NCP(law=uniform) AP"), strict=True):
        assert of_view.values.tolist() == of_copy.values.tolist()


def test_a_relevant_document_without_a_subtopic_is_refused_where_a_provider_reads_subtopics() -> None:
    qrels = irmx.read_qrels(pd.DataFrame([("q", "a", "s1", 1), ("q", "b", "s2", 0)], columns=QREL_COLUMNS))
    join = irmx.Join(irmx.read_run({"q": {"x": 2.0, "a": 1.0}}), qrels)
    [[whole]], [[zero]] = (irmx.score_joined([j], "alpha_nDCG@5") for j in (join, join.with_judgments(unjudged=0)))
    assert whole.values.tolist() == zero.values.tolist()
    with pytest.raises(DataError, match=r"'iteration'.*query q"):
        irmx.score_joined([join.with_judgments(unjudged="relevant")], "alpha_nDCG@5")
