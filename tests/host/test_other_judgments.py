"""Views of one join: values are those of qrels that were cut, or extended, before reading."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import irmx
from irmx.ragged import segment_of

ROWS = st.lists(
    st.tuples(st.sampled_from("pqr"), st.sampled_from(["a", "b", "c", "d", "e", ""]), st.sampled_from("12"), st.sampled_from([-1, 0, 1, 2])),
    min_size=1, max_size=16,
)  # fmt: skip
RUN = st.fixed_dictionaries({t: st.permutations("abcdexy") for t in "pq"})
COMMON = st.fixed_dictionaries(
    {"rel": st.sampled_from([0, 1, 2]), "cutoff": st.sampled_from([None, 3]), "judged_only": st.booleans(), "ties": st.sampled_from(["trec", "run"])}
)  # fmt: skip
KEEP = st.sets(st.tuples(st.sampled_from("pqr"), st.sampled_from("abcde")))
SUBTOPIC = irmx.Column("qrels", "iteration", "id of the subtopic", dtype="str")
contradicting = pytest.mark.filterwarnings("ignore:.*contradict each other")


def kept(judgments: irmx.Judgments, pairs: set[tuple[str, str]]) -> list[bool]:
    """Return which documents of the judgments are among pairs of a topic and a document."""
    topics = segment_of(judgments.offsets).tolist()
    return [(str(judgments.topics[t]), doc) in pairs for t, doc in zip(topics, judgments.docs, strict=True)]


def frame(rows: Sequence[Any]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "iteration", "relevance"])


def with_ties(run: dict[str, Sequence[str]]) -> dict[str, dict[str, float]]:
    return {t: {d: float(-(i // 2)) for i, d in enumerate(docs)} for t, docs in run.items()}


def by_rank(scores: dict[str, float]) -> list[str]:
    """Return documents in the order of trec_eval: by score, and tied ones by id, both descending."""
    return sorted(scores, key=lambda doc: (scores[doc], doc), reverse=True)


def table(run: dict[str, dict[str, float]]) -> pd.DataFrame:
    return pd.DataFrame(
        [(t, d, s) for t, docs in run.items() for d, s in docs.items()], columns=["query_id", "doc_id", "score"]
    )


def assert_same(ours: irmx.Rankings, expected: irmx.Rankings) -> None:
    """Compare everything that measures see, topic by topic."""
    assert sorted(ours.topics) == sorted(expected.topics)
    for of_ours in ours:
        [of_expected] = [ranking for ranking in expected if ranking.query_id == of_ours.query_id]
        in_run = [r.run_rows.of_topic(r.topics.index(of_ours.query_id)).rank.tolist() for r in (ours, expected)]
        assert in_run[0] == in_run[1]
        for kind in ("relevant", "judged", "ranked", "qrels_rows"):
            rows, wanted = getattr(of_ours, kind), getattr(of_expected, kind)
            assert rows.doc_ids == wanted.doc_ids
            for name in ("rank", "grade", "score"):
                np.testing.assert_array_equal(getattr(rows, name), getattr(wanted, name), err_msg=f"{kind}.{name}")
            np.testing.assert_array_equal(rows.doc >= 0, wanted.doc >= 0)
        for name in ("depth", "recall_base", "judged_nonrelevant"):
            assert getattr(of_ours, name) == getattr(of_expected, name), name
        assert of_ours.judged_grades.tolist() == of_expected.judged_grades.tolist()
        labels = [
            [names[n] if n >= 0 else None for n in number.tolist()]
            for number, names in (r.qrels_rows.labels(SUBTOPIC, missing_ok=True) for r in (of_ours, of_expected))
        ]
        assert labels[0] == labels[1]
    assert ours.largest_grade == expected.largest_grade


@contradicting
@settings(max_examples=60)
@given(rows=ROWS, run=RUN, common=COMMON, first=KEEP, second=KEEP, as_table=st.booleans())
def test_a_view_is_the_join_of_rows_cut_before(
    rows: Any, run: Any, common: Any, first: Any, second: Any, as_table: bool
) -> None:
    """And so is a view of a view, also when the run was joined with neither of its judgments."""
    qrels, ranked = frame(rows), with_ties(run)
    source = table(ranked) if as_table else ranked
    judgments = irmx.read_qrels(qrels)
    whole = irmx.Rankings(irmx.Join(irmx.read_run(source), judgments), **common)
    cut = judgments.where(kept(judgments, first))
    of_cut = cut.where(kept(cut, second))
    base = irmx.Join(irmx.read_run(source), judgments)
    for pairs, views in (
        (first, [whole.with_judgments(cut), whole.with_judgments(kept(judgments, first))]),
        (
            first & second,
            [
                whole.with_judgments(cut).with_judgments(kept(cut, second)),
                irmx.Rankings(base.with_judgments(of_cut), **common),
            ],
        ),
    ):
        left = qrels[[d == "" or (t, d) in pairs for t, d in zip(qrels["query_id"], qrels["doc_id"], strict=True)]]
        read = irmx.read_qrels(left)
        expected = irmx.Rankings(irmx.Join(irmx.read_run(source), read), **common)
        for view in views:
            assert_same(view, expected)
    assert sorted(map(str, of_cut.topics)) == sorted(map(str, read.topics))
    assert sorted(of_cut) == sorted(read)
    assert sorted(of_cut.rows_of_subtopics()) == sorted(read.rows_of_subtopics())
    assert of_cut.as_dict() == read.as_dict()


@contradicting
@settings(max_examples=50)
@given(
    rows=ROWS, run=RUN, common=COMMON, keep=KEEP, grade=st.sampled_from([0, 1, 2.5]), depth=st.sampled_from([None, 1, 2, 5, 9]),
    as_table=st.booleans(),
)  # fmt: skip
def test_assumed_grades_are_rows_added_before(
    rows: Any, run: Any, common: Any, keep: Any, grade: float, depth: int | None, as_table: bool
) -> None:
    """Every retrieved document without a grade, or with a negative one, has a further row; then the view is cut again.

    With a depth, only those at ranks up to it do.
    """
    ranked = with_ties(run)
    judgments = irmx.read_qrels(frame(rows))
    source = table(ranked) if as_table else ranked
    left = [r for r in rows if r[1] == "" or (r[0], r[1]) in keep]
    topics, judged = {r[0] for r in left}, {(r[0], r[1]) for r in left if r[3] >= 0}
    top = {(t, d) for t, docs in ranked.items() for d in by_rank(docs)[:depth]}
    more = [(t, d, None, grade) for t, docs in ranked.items() for d in docs if t in topics and (t, d) in top - judged]
    rankings = irmx.Rankings(irmx.Join(irmx.read_run(source), judgments), **common)
    view = rankings.with_judgments(kept(judgments, keep), unjudged=grade, depth=depth)
    assert_same(view, irmx.Rankings(irmx.Join(irmx.read_run(source), irmx.read_qrels(frame([*left, *more]))), **common))
    extended = view._join.judgments
    assert sorted((r.query_id, r.doc_id, r.relevance) for r in extended) == sorted(
        (t, d, g) for t, d, _, g in [*left, *more]
    )
    without_a = view.with_judgments([doc != "a" for doc in extended.docs])
    left_and_more = [r for r in [*left, *more] if r[1] != "a"]
    if left_and_more:
        expected = irmx.read_qrels(frame(left_and_more))
        assert_same(without_a, irmx.Rankings(irmx.Join(irmx.read_run(source), expected), **common))


MORE = st.dictionaries(
    st.sampled_from("pq"),
    st.dictionaries(st.sampled_from(["a", "b", "x", "y", "z"]), st.sampled_from([-1, 0, 1, 2.5]), max_size=4),
)


@contradicting
@settings(max_examples=50)
@given(rows=ROWS, runs=st.tuples(RUN, RUN), common=COMMON, keep=KEEP, more=MORE, as_table=st.booleans())
def test_given_rows_are_rows_added_before(
    rows: Any, runs: Any, common: Any, keep: Any, more: Any, as_table: bool
) -> None:
    """Two runs share the judgments, whichever documents they retrieved; a view is cut again, and has more rows again."""
    judgments = irmx.read_qrels(frame([*rows, ("p", "a", "1", 1), ("q", "c", "2", 0)]))
    extended = judgments.with_rows(more)
    cut = extended.where(kept(extended, keep), keep_topics=True)
    again = cut.with_rows({"p": {"y": 1}})
    given = [(r.query_id, r.doc_id, None if r.iteration == "" else r.iteration, r.relevance) for r in judgments]
    added = [(t, d, None, grade) for t, docs in more.items() for d, grade in docs.items()]
    left = [r for r in [*given, *added] if r[1] == "" or (r[0], r[1]) in keep]
    for run in runs:
        source = table(with_ties(run)) if as_table else with_ties(run)
        rankings = irmx.Rankings(irmx.Join(irmx.read_run(source), judgments), **common)
        expected = irmx.read_qrels(frame([*given, *added]))
        assert_same(
            rankings.with_judgments(extended), irmx.Rankings(irmx.Join(irmx.read_run(source), expected), **common)
        )
        if {"p", "q"} <= {r[0] for r in left}:
            expected = irmx.read_qrels(frame([*left, ("p", "y", None, 1)]))
            view = irmx.Rankings(irmx.Join(irmx.read_run(source), judgments).with_judgments(again), **common)
            assert_same(view, irmx.Rankings(irmx.Join(irmx.read_run(source), expected), **common))


@contradicting
@settings(max_examples=30)
@given(rows=ROWS, run=RUN, keep=KEEP, common=COMMON)
def test_subtopics_of_a_view_are_those_of_rows_cut_before(rows: Any, run: Any, keep: Any, common: Any) -> None:
    ranked, judgments = with_ties(run), irmx.read_qrels(frame(rows))
    left = [r for r in rows if r[1] == "" or (r[0], r[1]) in keep]
    expected = irmx.Rankings(irmx.Join(irmx.read_run(ranked), irmx.read_qrels(frame(left))), **common)
    view = irmx.Rankings(irmx.Join(irmx.read_run(ranked), judgments), **common).with_judgments(kept(judgments, keep))

    def parts(rankings: irmx.Rankings) -> list[Any]:
        number, names = rankings.qrels_rows.labels(SUBTOPIC)
        of_row = list(zip(rankings.qrels_rows.topic.tolist(), [names[n] for n in number.tolist()], strict=True))
        distinct = sorted(set(of_row))
        part = rankings.per_subtopic(np.array([distinct.index(p) for p in of_row], dtype=np.int64), len(distinct))
        found = [
            (rankings.topics[topic], name, ranking.relevant.rank.tolist(), ranking.relevant.grade.tolist(), ranking.judged.doc_ids,
             ranking.ranked.doc_ids, ranking.qrels_rows.doc_ids, ranking.recall_base, ranking.judged_nonrelevant)
            for (topic, name), ranking in zip(distinct, part, strict=True)
        ]  # fmt: skip
        return sorted(found)

    assert parts(view) == parts(expected)


# -- streams, in which documents repeat ----------------------------------------------------------------------

STREAM = pd.DataFrame(
    [("q", "x", 9.0), ("q", "a", 8.0), ("q", "x", 7.0), ("q", "b", 6.0), ("q", "a", 5.0), ("r", "x", 1.0)],
    columns=["query_id", "doc_id", "score"],
)


def test_documents_of_a_stream_repeat_on_a_view() -> None:
    judgments = irmx.read_qrels({"q": {"a": 1, "b": 1}, "r": {"c": 1}})
    view = irmx.rankings(judgments, STREAM).with_judgments([False, True, True])
    of_run, of_qrels = view.matching_rows()
    assert (of_run.tolist(), of_qrels.tolist()) == ([3], [0])
    assert view.run_rows.doc.tolist() == [-1, -1, -1, 0, -1, -1]


def test_an_unjudged_document_of_a_stream_is_one_document() -> None:
    judgments = irmx.read_qrels({"q": {"a": 1, "b": -1}, "r": {"c": 1}})
    view = irmx.rankings(judgments, STREAM).with_judgments(unjudged="relevant")
    assert view.recall_base.tolist() == [3, 2]
    assert [doc for doc in view.qrels_rows.doc_ids if doc == "x"] == ["x", "x"]  # one of each topic
    assert view.run_rows.grade.tolist() == [1] * 6
    assert len(view.matching_rows()[0]) == 7  # b has two rows in the qrels then


# -- nothing is done again -----------------------------------------------------------------------------------


def test_views_search_and_sort_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    judgments = irmx.read_qrels({"q": {"a": 1, "b": 0, "c": 2}})
    run = irmx.read_run(table({"q": {"x": 3.0, "a": 2.0, "b": 2.0, "c": 1.0}}))
    join = irmx.Join(run, judgments)
    measures = "NCP(law=uniform) P@2 AP"
    [whole] = irmx.score_joined([join], measures)
    irmx.Rankings(join).ranked.rank  # noqa: B018  the order of all documents, made on demand
    join.hits(None, "trec")

    def again(*_: Any) -> Any:
        raise AssertionError("the run is searched or sorted again")

    for name in ("find_names", "find_codes", "docs", "as_dict"):
        monkeypatch.setattr(type(run), name, again)
    for name in ("_keys_in_order", "_ranked_rows"):
        monkeypatch.setattr(irmx.Join, name, again)
    cut = judgments.where(judgments.grade != 2)
    for view in (join.with_judgments(cut), join.with_judgments(cut, unjudged="relevant")):
        rankings = irmx.Rankings(view)
        assert len(rankings.ranked.rank) == 4
        assert len(rankings.relevant) == rankings.recall_base[0] == (1 if view.judgments is cut else 3)
        [[ncp]] = irmx.score_joined([view], "NCP(law=uniform)")
        assert ncp.values.tolist() != whole[0].values.tolist()


def test_judgments_of_a_cut_are_shared_by_runs() -> None:
    judgments = irmx.read_qrels(frame([("q", "a", "1", 1), ("q", "b", "2", 1)]))
    cut = judgments.where([True, False])
    joins = [irmx.Join(irmx.read_run({"q": {d: 1.0}}), judgments).with_judgments(cut) for d in "ab"]
    made: list[int] = []
    for join in joins:
        irmx.Rankings(join).qrels_memo("key", lambda: made.append(1))
    assert made == [1]
    assert cut.labels("iteration")[0] is judgments.labels("iteration")[0]


def test_rankings_are_no_join() -> None:
    with pytest.raises(
        irmx.UsageError, match=r"takes runs joined by irmx\.Join.* Got <Rankings: 1 topic, 1 document> instead"
    ):
        irmx.score_joined([irmx.rankings({"q": {"a": 1}}, {"q": {"a": 1.0}})], "AP")  # type: ignore[list-item]


# -- scores --------------------------------------------------------------------------------------------------


def test_measures_of_providers_get_the_cut_qrels() -> None:
    judgments = irmx.read_qrels({"q": {"a": 1, "b": 1}, "p": {"c": 1}})
    join = irmx.Join(irmx.read_run({"q": {"x": 2.0, "b": 1.0, "a": 0.5}, "p": {"c": 1.0}}), judgments)
    cut = judgments.where([False, True, True])
    views = [join, join.with_judgments(cut), join.with_judgments(cut, unjudged="relevant"), join]
    scores = irmx.score_joined(views, ["nDCG@10", "SetP", "NCP(law=first)"])
    for view, of_view in zip(views, scores, strict=True):
        expected = irmx.Evaluator("nDCG@10 SetP NCP(law=first)", view.judgments.as_dict()).scores(view.run)
        assert [s.values.tolist() for s in of_view] == [s.values.tolist() for s in expected.values()]
        assert len(of_view[0].values) == len(view.judgments.topics)


def test_a_subtopic_is_not_made_up_for_providers() -> None:
    judgments = irmx.read_qrels(frame([("q", "a", "1", 1), ("q", "b", "2", 0)]))
    join = irmx.Join(irmx.read_run({"q": {"x": 2.0, "a": 1.0}}), judgments)
    [[value]] = irmx.score_joined([join.with_judgments(unjudged=0)], "alpha_nDCG@5")
    assert value.values.tolist() == irmx.score_joined([join], "alpha_nDCG@5")[0][0].values.tolist()
    with pytest.raises(
        irmx.DataError, match=r"alpha_nDCG@5 cannot .* 'iteration' has no value for query q, document 'x'"
    ):
        irmx.score_joined([join.with_judgments(unjudged="relevant")], "alpha_nDCG@5")


def test_an_evaluator_scores_views_of_its_judgments() -> None:
    evaluator = irmx.evaluator("NCP(law=first) SetP", {"q": {"a": 1}, "p": {"c": 1}})
    join = irmx.Join(irmx.read_run({"q": {"x": 2.0, "a": 1.0}, "p": {"c": 1.0}}), evaluator.judgments)
    view = join.with_judgments([True, False])
    assert [s.values.tolist() for s in evaluator.of_join(view).values()] == [[0.5], [0.5]]


def test_topics_that_lose_their_rows() -> None:
    judgments = irmx.read_qrels({"p": {"a": 1}, "q": {"b": 1}, "empty": {}})
    run = irmx.read_run({"p": {"a": 1.0}, "q": {"b": 1.0}})
    keep = [False, True]
    assert judgments.where(keep).topics == ["q", "empty"]
    assert judgments.where([True, True]).topics == judgments.topics
    stay = judgments.where(keep, keep_topics=True)
    assert stay.topics == judgments.topics
    [[scores]] = irmx.score_joined([irmx.Join(run, judgments).with_judgments(stay)], "NCP(law=first)")
    assert scores.values.tolist() == [0, 1, 0]


def test_a_file_is_named_for_the_rows_that_it_has(tmp_path: Any) -> None:
    path = tmp_path / "qrels.csv"
    path.write_text("query_id,doc_id,relevance,iteration\nq,a,1,s1\nq,b,1,s2\n")
    judgments = irmx.read_qrels(path)
    rankings = irmx.rankings(judgments, {"q": {"x": 2.0, "b": 1.0}}).with_judgments([False, True], unjudged=0)
    rows = rankings.qrels_rows
    assert rows.doc_ids == ("b", "x")
    assert rows.place([0]).endswith("qrels.csv, line 3")
    assert rows.place([1]) == ""
    with pytest.raises(irmx.DataError, match="'iteration' has no value for query q, document 'x'"):
        rows.labels(SUBTOPIC)


# -- errors, and pickling ------------------------------------------------------------------------------------


def test_what_is_refused() -> None:
    judgments, other = irmx.read_qrels({"q": {"a": 1, "b": 1}}), irmx.read_qrels({"q": {"a": 1}})
    joins = [irmx.Join(irmx.read_run({"q": {d: 1.0}}), judgments) for d in "xy"]
    with pytest.raises(
        ValueError, match=r"one truth value per judged document, the shape \(2,\). Got the shape \(1,\)"
    ):
        judgments.where([True])
    with pytest.raises(ValueError, match=r"Got the shape \(2,\), of int64"):
        judgments.where([0, 1])  # positions
    with pytest.raises(ValueError, match="must be made of those of the join"):
        joins[0].with_judgments(other.where([True]))
    with pytest.raises(ValueError, match="The judgments have no topic 'r', so that no row can be added"):
        judgments.with_rows({"r": {"a": 1}})
    with pytest.raises(irmx.DataError, match="query q, document x"):
        judgments.with_rows({"q": {"x": np.nan}})
    with pytest.raises(ValueError, match=r"depth must be a rank, 1 or more\. Got 0"):
        joins[0].with_judgments(unjudged="relevant", depth=0)
    for unjudged in (-1, np.nan, "maybe"):
        with pytest.raises(ValueError, match="'largest' or a grade of 0 or more"):
            joins[0].with_judgments(unjudged=unjudged)


@pytest.mark.parametrize("unjudged", ["nonrelevant", "largest"])
def test_views_can_be_pickled(unjudged: Any) -> None:
    judgments = irmx.read_qrels(frame([("q", "a", "1", 1), ("q", "b", "2", 3)]))
    join = irmx.Join(irmx.read_run(table({"q": {"x": 2.0, "a": 1.0, "b": 0.5}})), judgments)
    view = join.with_judgments(judgments.where([True, False]), unjudged)
    values = [[s.values.tolist() for s in of_view] for of_view in irmx.score_joined([view], "NCP(law=uniform) AP")]
    again = pickle.loads(pickle.dumps(view))
    assert [
        [s.values.tolist() for s in of_view] for of_view in irmx.score_joined([again], "NCP(law=uniform) AP")
    ] == values
    assert list(again.judgments.docs) == list(view.judgments.docs)
