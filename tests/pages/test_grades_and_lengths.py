"""Graded relevance, and efforts by length: by hand, and by the definitions in plain Python over made-up pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx
from irmx_pages import Block, Page, read_pages, score_pages, simulate_pages, write_pages
from irmx_pages.example import example

Shown = list[tuple[str, float, tuple[int, ...]]]


def tables(plain: Any, page: Shown, unseen: Shown = ()) -> tuple[pd.DataFrame, pd.DataFrame]:  # type: ignore[assignment]
    """The run of a page of blocks (vertical, orientation, grades), and qrels that have more items than it shows."""
    judged: list[tuple[str, str, float, float | None]] = []
    shown: list[tuple[str, str]] = []
    for on_page, blocks in ((True, page), (False, unseen)):
        for vertical, orientation, grades in blocks:
            judged.append(("", vertical, 0, orientation))
            for grade in grades:
                doc = f"d{len(judged)}"
                judged.append((doc, vertical, grade, orientation))
                shown += [(doc, vertical)] * on_page
    return plain.run_of(*shown), plain.qrels_of(*judged)


def value(text: str, run: Any, qrels: Any) -> float:
    [found] = irmx.calc_aggregate(text, qrels, run).values()
    return found


# -- graded relevance ----------------------------------------------------------------------------------------------------

PAGE: Shown = [("web", 0.5, (3,)), ("image", 0.75, (2, 1, 0)), ("video", 0.6, (0, 3, 0))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("AS_DCG(normalise=None,max_grade=3.0)", (0.4375 + 0.63092975 * 0.375 + 0.5 * 0.525) / (3 + 0.63092975 * 3 + 9)),
        # the images satisfy with (3/8 + 1/8) * 0.75 / 3 = 0.125
        ("AS_ERR(normalise=None,max_grade=3.0)",
         (0.4375 + 0.5625 * 0.375 + 0.4921875 * 0.525) / (3 + 0.5625 * 3 + 0.4921875 * 18)),
        ("AS_RBP(normalise=None,max_grade=4.0,gain='linear')",
         (0.5 * 0.75 + 0.8 * 0.75 * 0.75 + 0.64 * 0.6 * 0.75) / (3 + 0.8 * 3 + 0.64 * 18)),
        # grade 1 is not relevant: the images have 3/8
        ("AS_RBP(normalise=None,max_grade=3.0,rel=2)",
         (0.4375 + 0.8 * 0.75 * 3 / 8 + 0.64 * 0.525) / (3 + 0.8 * 3 + 0.64 * 18)),
        # the ideal page is the images 2, 2, 1 and the web results 3, 1: 0.75 * 7/8 of 3, 0.5 * 7/8 and 0.5 * 1/8 of 3 each
        ("AS_RBP(ideal_threshold=0.7,max_grade=3.0)",
         (0.4375 + 0.8 * 0.375 + 0.64 * 0.525) / (3 + 0.8 * 3 + 0.64 * 18)
         * (3 + 0.8 * 3 + 0.64 * 3) / (0.75 * 7 / 8 + 0.8 * 0.4375 + 0.64 * 0.0625)),
    ],
)  # fmt: skip
def test_graded_by_hand(plain: Any, text: str, expected: float) -> None:
    run, qrels = tables(plain, PAGE, [("image", 0.75, (2,)), ("web", 0.5, (1,))])
    assert value(text, run, qrels) == pytest.approx(expected, rel=1e-7)


GRADES = st.lists(st.integers(0, 3), min_size=1, max_size=4).map(tuple)
ORIENTATION = st.sampled_from([0.0, 0.3, 0.6, 0.75, 0.8, 0.9, 1.0])


@st.composite
def graded_pages(draw: Any) -> tuple[Shown, Shown]:
    orientation = {"web": 0.5, **{v: draw(ORIENTATION) for v in ("image", "video", "news")}}
    order = draw(st.permutations(["image", "video", "news", "web", "web", "web"]))
    page = [
        (v, orientation[v], (draw(st.integers(0, 3)),) if v == "web" else draw(GRADES))
        for v in order[: draw(st.integers(1, 6))]
    ]
    return page, [(v, orientation[v], draw(GRADES)) for v in orientation if draw(st.booleans())]


def relevance(grade: int, rel: int, max_grade: float | None, gain: str) -> float:
    if grade < rel:
        return 0.0
    if max_grade is None:
        return 1.0
    return (2**grade - 1) / 2**max_grade if gain == "exponential" else grade / max_grade


def ideal(plain: Any, page: Shown, unseen: Shown, threshold: float, of: Any) -> list[Any]:
    """The paper's page: the three most oriented verticals with three items, and ten web results, the best grades first."""
    pool: dict[str, tuple[float, list[int]]] = {}
    for vertical, orientation, grades in [*page, *unseen]:
        pool.setdefault(vertical, (orientation, []))[1].extend(grades)
    best = {v: sorted(grades, key=lambda g: (-of(g), -g)) for v, (_, grades) in pool.items()}
    wanted = sorted((-o, v) for v, (o, _) in pool.items() if v != "web" and o > threshold)[:3]
    blocks = [plain.Block(v, -o, tuple(of(g) for g in best[v][:3])) for o, v in wanted]
    blocks += [plain.Block("web", 0.5, (of(g),)) for g in best.get("web", [])[:10]]
    return sorted(blocks, key=lambda b: (sum(b.items) == 0, -b.orientation))


MODELS = [
    ("AS_DCG", "dcg", {}),
    ("AS_RBP", "rbp", {"beta": 0.8}),
    ("AS_ERR", "err", {}),
    ("AS_ATT", "att", {"beta": 0.5}),
]


@given(
    made=graded_pages(),
    model=st.sampled_from(MODELS),
    rel=st.integers(1, 3),
    grading=st.sampled_from([(None, "linear"), (3.0, "exponential"), (5.0, "exponential"), (3.0, "linear"), (4.5, "linear")]),
    alpha=st.sampled_from([3, 10, 40]),
    threshold=st.sampled_from([0.25, 0.5, 0.75]),
)  # fmt: skip
def test_graded_pages_by_the_definition(
    plain: Any, made: Any, model: Any, rel: int, grading: Any, alpha: float, threshold: float
) -> None:
    page, unseen = made
    name, exam, params = model

    def of(grade: int) -> float:
        return relevance(grade, rel, *grading)

    run, qrels = tables(plain, page, unseen)
    common = f"alpha={alpha},rel={rel},max_grade={grading[0]},gain='{grading[1]}'"
    util = plain.util(exam, [plain.Block(v, o, tuple(map(of, grades))) for v, o, grades in page], alpha, **params)
    assert value(f"{name}({common},normalise=None)", run, qrels) == pytest.approx(util, rel=1e-12, abs=1e-15)
    perfect = ideal(plain, page, unseen, threshold, of)
    best = plain.util(exam, perfect, alpha, **params) if perfect else 0
    if best > 0:
        found = value(f"{name}({common},ideal_threshold={threshold})", run, qrels)
        assert found == pytest.approx(util / best, rel=1e-12, abs=1e-15)


def test_the_simulated_perfect_page_is_the_ideal_of_graded_items() -> None:
    made = example(4)
    qrels = made.qrels.assign(relevance=made.qrels["relevance"] * (1 + made.qrels.index % 3))
    simulated = simulate_pages(qrels, made.items, made.verticals)
    perfect = [page for page in simulated.pages if page.page_id == "perfect-perfect-perfect"]
    for gain in ("exponential", "linear"):
        measures = [f"{name}(max_grade=3.0,gain='{gain}')" for name, _, _ in MODELS]
        assert score_pages(perfect, qrels, measures)["value"].tolist() == [1.0] * 16


def test_a_better_grade_is_worth_more_only_if_relevance_is_graded(plain: Any) -> None:
    low, high = (tables(plain, [("web", 0.5, (grade,)), ("web", 0.5, (0,))]) for grade in (1, 3))
    assert value("AS_ERR(normalise=None)", *low) == value("AS_ERR(normalise=None)", *high)
    graded = "AS_ERR(normalise=None,max_grade=3.0)"
    assert value(graded, *high) > 7 * value(graded, *low)  # and the user stops sooner


def test_grades_that_do_not_fit(plain: Any) -> None:
    run, qrels = tables(plain, PAGE)
    with pytest.raises(irmx.DataError, match="grade 3"):
        value("AS_ERR(max_grade=2.0)", run, qrels)
    with pytest.raises(irmx.UsageError, match="exact"):
        irmx.parse_measure("AS_ERR(max_grade=3.0,ideal='exact')")
    assert value("AS_ERR(max_grade=3.0,ideal='exact',normalise=None)", run, qrels) > 0


# -- effort by length ------------------------------------------------------------------------------------------------------

BINARY: Shown = [("web", 0.5, (1,)), ("image", 0.75, (1, 1, 0)), ("video", 0.6, (0, 1, 0))]
LENGTHS = [50, None, None, None, 5, 10, 20]


@pytest.mark.parametrize(
    ("standard", "effort"),
    [
        ({"text": 25}, (6, 3, 18)),
        ({"text": 100, "video": 10}, (1.5, 3, 3 + 6 + 12)),
        ({"audio": 9}, (3, 3, 18)),
    ],
)
def test_effort_by_length_by_hand(plain: Any, standard: Any, effort: Any) -> None:
    run, qrels = tables(plain, BINARY)
    text = f"AS_DCG(normalise=None,standard_length={standard})"
    discounts = (1, 0.63092975, 0.5)
    gained = 0.5 + 0.63092975 * 1.5 + 0.5 * 0.6
    expected = gained / sum(d * e for d, e in zip(discounts, effort, strict=True))
    assert value(text, run.assign(length=LENGTHS), qrels) == pytest.approx(expected, rel=1e-7)


@given(data=st.data(), made=graded_pages(), model=st.sampled_from(MODELS),
       standard=st.dictionaries(st.sampled_from(["text", "image", "video"]), st.sampled_from([1, 2.5, 40]), min_size=1))  # fmt: skip
def test_effort_by_length_by_the_definition(plain: Any, data: Any, made: Any, model: Any, standard: Any) -> None:
    """The ideal page has items of the standard length: nUtil is Util over the utility that it has without lengths."""
    page, unseen = made
    name, exam, params = model
    binary = [plain.Block(v, o, tuple(int(grade >= 1) for grade in grades)) for v, o, grades in page]
    lengths = [[data.draw(st.floats(0.5, 100)) for _ in block.items] for block in binary]
    run, qrels = tables(plain, page, unseen)
    run = run.assign(length=[x for of_block in lengths for x in of_block])
    seen = plain.examination(exam, binary, 10, "steep", **params)
    effort = [
        sum(plain.EFFORT[b.media] * (x / standard[b.media] if b.media in standard else 1) for x in of_block)
        for b, of_block in zip(binary, lengths, strict=True)
    ]
    gained = sum(p * plain.gain(b, 10) for p, b in zip(seen, binary, strict=True))
    util = gained / sum(p * e for p, e in zip(seen, effort, strict=True))
    found = value(f"{name}(standard_length={standard},normalise=None)", run, qrels)
    assert found == pytest.approx(util, rel=1e-12, abs=1e-15)
    perfect = ideal(plain, page, unseen, 0.75, lambda grade: int(grade >= 1))
    best = plain.util(exam, perfect, **params) if perfect else 0
    if best > 0:
        found = value(f"{name}(standard_length={standard})", run, qrels)
        assert found == pytest.approx(util / best, rel=1e-12, abs=1e-15)


def test_items_of_standard_length_change_nothing(plain: Any) -> None:
    run, qrels = tables(plain, BINARY, [("web", 0.5, (1, 0))])
    for name in ("AS_DCG", "AS_ERR(normalise=None)", "AS_ATT(ideal='exact')"):
        text = name.replace(")", ",") + "(" * ("(" not in name) + "standard_length={'text':25,'video':25})"
        assert value(text, run.assign(length=25), qrels) == value(name, run, qrels)


def test_lengths_of_pages_in_files(plain: Any, tmp_path: Path) -> None:
    """JSON Lines, a table and a run have the same items, lengths and values; blocks may have no lengths."""
    run, qrels = tables(plain, BINARY)
    docs = run["doc_id"].tolist()
    blocks = (Block("web", "", (docs[0],), (50.0,)), Block("image", "", tuple(docs[1:4])),
              Block("video", "", tuple(docs[4:]), (5.0, 10.0, 20.0)))  # fmt: skip
    page = Page("q", "p", blocks)
    write_pages(tmp_path / "pages.jsonl", [page])
    run.drop(columns="score").assign(page_id="p", length=LENGTHS).to_csv(tmp_path / "pages.csv", index=False)
    text = "AS_RBP(standard_length={'text':100,'video':10},normalise=None)"
    expected = value(text, run.assign(length=LENGTHS), qrels)
    for name in ("pages.jsonl", "pages.csv"):
        [found] = read_pages(tmp_path / name)
        assert found == page
        assert score_pages([found], qrels, text)["value"].tolist() == [expected]
        assert value(text, f"pages:{tmp_path / name}", qrels) == expected


@pytest.mark.parametrize(
    ("lengths", "said"),
    [
        ([50, *[None] * 6], "'length' is missing for query q, item .* at rank 5"),
        ([0, 1, 1, 1, 5, 10, 20], "'length' is 0 for query q, item .* at rank 1"),
        ([-3, 1, 1, 1, 5, 10, 20], "'length' is -3"),
        (None, "column 'length'"),
    ],
)
def test_lengths_that_are_wrong(plain: Any, lengths: Any, said: str) -> None:
    run, qrels = tables(plain, BINARY)
    run = run if lengths is None else run.assign(length=lengths)
    with pytest.raises(irmx.DataError, match=said):
        value("AS_DCG(standard_length={'text':25,'video':10})", run, qrels)


@pytest.mark.parametrize("wrong", ["{}", "{'text':0}", "{'text':'long'}", "25"])
def test_standard_lengths_that_are_wrong(wrong: str) -> None:
    with pytest.raises(irmx.UsageError, match="standard_length"):
        irmx.parse_measure(f"AS_DCG(standard_length={wrong})")
    assert irmx.parse_measure("AS_DCG(standard_length=None)") == irmx.AS_DCG(standard_length=None)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"vertical": "web", "items": ["a", "b"], "lengths": [1]}', "2 items and the lengths"),
        ('{"vertical": "web", "items": ["a"], "lengths": [0]}', "above 0"),
        ('{"vertical": "web", "items": ["a"], "lengths": ["1"]}', "must be a list of numbers"),
        ('{"vertical": "web", "items": ["a"], "lengths": 3}', "must be a list of numbers"),
    ],
)
def test_lengths_in_files_that_are_wrong(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "pages.jsonl"
    path.write_text(f'{{"query_id": "q", "page_id": "p", "blocks": [{line}]}}\n')
    with pytest.raises(irmx.DataError, match=said):
        read_pages(path)


def test_a_table_with_lengths_of_some_items_of_a_block(tmp_path: Path) -> None:
    path = tmp_path / "pages.csv"
    path.write_text("query_id,page_id,doc_id,vertical,length\nq,p,w,web,3\nq,p,n,news,2\nq,p,m,news,\n")
    with pytest.raises(irmx.DataError, match="line 4"):
        read_pages(path)
