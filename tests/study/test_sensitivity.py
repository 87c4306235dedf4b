"""For which users one system is better: counts, shares, borders and ranks, each by a second, plain way."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_rel

import irmx
import irmx_study
from irmx import DataError, Scores, UsageError
from irmx.demo import SYSTEMS, qrels_path, run_path
from irmx.toolkit import parse_measures
from irmx_study.users.sensitivity import sensitivities

RUNS = {system: run_path(system) for system in SYSTEMS}


def made(values: Any, measures: str) -> Scores:
    """Scores of systems A, B, C, ... with some values, of shape (topics, systems, settings)."""
    array = np.asarray(values, dtype=float)
    topics, systems = (tuple(map(str, range(array.shape[0]))), tuple("ABCDEFGH"[: array.shape[1]]))
    return Scores(array, topics, systems, tuple(parse_measures(measures)), np.ones(array.shape[:2], dtype=bool))


@st.composite
def scores_of_settings(draw: Any) -> Scores:
    """Scores with ties, identical systems, and up to twelve settings of two parameters."""
    across, down = draw(st.integers(2, 4)), draw(st.integers(1, 3))
    shape = draw(st.integers(2, 8)), draw(st.integers(2, 5)), across * down
    values = draw(st.lists(st.integers(0, 4), min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))
    measure = f"RBP(p=0.1:0.9:{across},rel={'|'.join(map(str, range(1, down + 1)))})"
    return made(np.array(values).reshape(shape) / 4, measure)


@pytest.fixture(scope="module")
def models() -> Scores:
    return irmx.scores("MP(model=*)", qrels_path(), RUNS)


# -- counts and shares -----------------------------------------------------------------------------------


@settings(deadline=None)
@given(scores_of_settings())
def test_counts_are_those_of_single_tests(scores: Scores) -> None:
    result = irmx_study.sensitivity(scores, a="B", correction="none", level=0.2)
    counts = {"better": 0, "worse": 0, "undecided": 0}
    for m in range(len(scores.measures)):
        b, a = scores.values[:, 0, m], scores.values[:, 1, m]
        if (a == b).all() or a.mean() == b.mean():
            counts["undecided"] += 1
        elif len(set((a - b).round(9))) == 1 or ttest_rel(a, b).pvalue <= 0.2:
            counts["better" if a.mean() > b.mean() else "worse"] += 1
        else:
            counts["undecided"] += 1
    [row] = result.summary().to_dict("records")
    assert {name: row[name] for name in counts} == counts
    assert [row[f"share_{name}"] for name in counts] == pytest.approx(
        [n / len(scores.measures) for n in counts.values()]
    )


def test_the_sentence_of_known_users() -> None:
    clear, unclear = np.array([0.1, 0.2, 0.3, 0.2]), np.array([0.4, -0.4, 0.3, -0.3])
    differences = np.stack([clear, clear + 0.1, -clear, unclear], axis=1)
    values = np.stack([np.zeros((4, 4)), differences], axis=1) + 0.5
    result = irmx_study.sensitivity(made(values, "RBP(p=0.2:0.8:4)"))
    assert result.sentences() == ("By RBP, B is better for 2 of 4 users, A for 1; undecided for 1",)
    assert result.frame()["better"].tolist() == ["B", "B", "A", ""]
    assert result.frame()["difference"].to_numpy() == pytest.approx(differences.mean(axis=0))
    assert result.border()[["lower", "upper", "sign", "significance"]].to_numpy().tolist() == [
        [0.4, pytest.approx(0.6), True, True],
        [pytest.approx(0.6), 0.8, True, True],
    ]


def test_a_correction_over_settings_is_asked_for_and_stated(models: Scores) -> None:
    each = irmx_study.sensitivity(models, a="recent")
    assert (each.frame()["p_corrected"] == each.frame()["p"]).all()
    assert "p-values not corrected over them" in each.facts()["users"]
    together = irmx_study.sensitivity(models, a="recent", family="all")
    p = np.sort(together.frame()["p"])
    holm = np.minimum(np.maximum.accumulate(p * np.arange(len(p), 0, -1)), 1)
    assert np.sort(together.frame()["p_corrected"]) == pytest.approx(holm, rel=1e-12)
    assert "p-values corrected over them" in together.facts()["users"]


def test_a_comparison_and_a_sensitivity_have_the_same_numbers(models: Scores) -> None:
    both = irmx.scores("AP MP(model=*) P@5|10", qrels_path(), RUNS)
    by_model, by_cutoff = sensitivities(irmx_study.compare(both, "titles"))
    alone = irmx_study.sensitivity(models, b="titles")
    assert by_model.sentences() == alone.sentences()
    pd.testing.assert_frame_equal(by_model.frame(), alone.frame())
    assert (by_cutoff.measure, [one.name for one in by_cutoff.varied]) == ("P", ["cutoff"])


# -- populations -----------------------------------------------------------------------------------------


@settings(deadline=None)
@given(scores_of_settings(), st.data())
def test_a_population_counts_users_as_often_as_they_are(scores: Scores, data: st.DataObject) -> None:
    number = len(scores.measures)
    counts = data.draw(st.lists(st.integers(0, 5), min_size=number, max_size=number).filter(any))
    result = irmx_study.sensitivity(scores, population=dict(zip(scores.measures, counts, strict=True)), level=0.3)
    per_setting = result.frame().set_index("measure")
    for row in result.summary().itertuples():
        rows = per_setting[per_setting["a"] == row.a]
        winners = np.repeat(rows["better"].to_numpy(), counts)
        assert row.share_better == pytest.approx((winners == row.a).mean())
        assert row.share_worse == pytest.approx((winners == row.b).mean())
    means = scores.values.mean(axis=0).round(12)
    for s, band in enumerate(result.rank_bands().itertuples()):
        ranks = [1 + int((means[:, m] > means[s, m]).sum()) for m in range(number)]
        assert (band.best, band.worst) == (min(ranks), max(ranks))
        assert band.median == np.median(np.repeat(ranks, counts))
        assert band.first == pytest.approx((np.repeat(ranks, counts) == 1).mean())


def test_a_population_is_a_table_of_settings(tmp_path: Path) -> None:
    file = tmp_path / "users.csv"
    file.write_text("MD, SD ,weight\n30s,15s,1\n1m,15s,2\n30s,15s,1\n", encoding="utf-8")
    users = irmx_study.population("MSU(L=0.1)", file)
    assert users == dict(
        zip(parse_measures("MSU(L=0.1,MD='30s',SD='15s') MSU(L=0.1,MD='1m',SD='15s')"), [0.5, 0.5], strict=True)
    )
    assert irmx_study.population("RBP(rel=2)", pd.DataFrame({"p": [0.5, 0.8]})) == dict.fromkeys(
        parse_measures("RBP(p=0.5|0.8,rel=2)"), 0.5
    )
    shares = irmx_study.population("NCP", pd.DataFrame({"law": ["geometric(p=0.2)", "first"], "weight": [3, 1]}))
    result = irmx_study.sensitivity(irmx.scores(shares, qrels_path(), RUNS), "recent", population=shares)
    assert result.settings["share"].tolist() == [0.75, 0.25]
    assert result.sentences() == (
        "By NCP, recent is better for 0.0% of the users, bm25 for 100.0%; undecided for 0.0%",
    )


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        (
            "L,weight\n0.5,-1\n",
            DataError,
            "users.csv, user 1: the weight must be a number of at least 0. Got '-1' instead.",
        ),
        ("L,weight\n0.5,many\n", DataError, "Got 'many' instead"),
        ("L,weight\n0.5,0\n", DataError, "the weights are all 0"),
        (
            "L,weight\n0.5,1\n2,1\n",
            UsageError,
            "user 2: The 'L' parameter of MSU must be a float in the range [0, 1]. Got 2",
        ),
        ("LL\n0.5\n", UsageError, "MSU has no parameter 'LL'. Did you mean L?"),
        ("L,MD\n0.5,\n", DataError, "user 1: no value of 'MD'"),
        ("weight\n1\n", DataError, "no column of a parameter"),
        ("L\n", DataError, "no users"),
        ("", DataError, "cannot be read as a population"),
    ],
)
def test_bad_populations(text: str, kind: type[Exception], message: str, tmp_path: Path) -> None:
    (tmp_path / "users.csv").write_text(text, encoding="utf-8")
    with pytest.raises(kind) as error:
        irmx_study.population("MSU", tmp_path / "users.csv")
    assert message in str(error.value)


def test_a_population_must_have_been_scored(models: Scores) -> None:
    users = dict.fromkeys(parse_measures("MP(model=GL_AD_ID|matrix)"), 1)
    with pytest.raises(UsageError, match="have no measure 'MP\\(model=matrix\\)'"):
        irmx_study.sensitivity(models, population=users)


# -- borders ---------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(scores_of_settings())
def test_borders_lie_between_neighbours_that_differ(scores: Scores) -> None:
    result = irmx_study.sensitivity(scores, a="B", level=0.3)
    rows = {(m["p"], m["rel"]): row for m, row in zip(scores.measures, result.frame().to_dict("records"), strict=True)}
    expected = set()
    for name, place in (("p", 0), ("rel", 1)):
        for fixed in sorted({key[1 - place] for key in rows}):
            line = sorted((key for key in rows if key[1 - place] == fixed), key=lambda key: key[place])
            for lower, upper in pairwise(line):
                one, other = rows[lower], rows[upper]
                sign = np.sign(one["difference"]) != np.sign(other["difference"])
                significance = one["better"] != other["better"]
                if sign or significance:
                    expected.add((name, lower[place], upper[place], fixed, bool(sign), significance))
    other = {"p": "rel", "rel": "p_"}
    several = len({rel for _, rel in rows}) > 1
    assert {
        (
            row["parameter"],
            row["lower"],
            row["upper"],
            row[other[row["parameter"]]] if several else 1,
            row["sign"],
            row["significance"],
        )
        for row in result.border().to_dict("records")
    } == expected


def test_rounding_errors_of_means_are_no_border() -> None:
    forward, backward = [0.1, 0.2, 0.3], [0.3, 0.2, 0.1]
    scores = made(np.stack([[forward, forward], [forward, backward]], axis=-1).transpose(1, 0, 2), "RBP(p=0.2|0.4)")
    same, rounded = irmx_study.sensitivity(scores, correction="none").frame()["difference"]
    assert same == 0
    assert 0 < abs(rounded) < 1e-15
    assert irmx_study.sensitivity(scores).border().empty


def test_a_parameter_without_an_order_has_no_border(models: Scores) -> None:
    border = irmx_study.sensitivity(models).border()
    assert (len(border), [*border.columns][:5]) == (0, ["a", "b", "parameter", "lower", "upper"])


def test_durations_are_ordered_by_their_length() -> None:
    values = np.zeros((4, 2, 3))
    values[:, 1] = np.array([0.4, 0.1, 0.2]) + np.array([[0.01], [0.02], [0.03], [0.04]])
    values[:, 0, 1] = 0.5
    result = irmx_study.sensitivity(made(values, "MSU(MD=2h|30s|90s)"))
    assert result.border()[["lower", "upper"]].to_numpy().tolist() == [["30s", "1.5m"]]


def test_a_multiple_of_another_parameter_varies_with_it() -> None:
    values = np.zeros((4, 2, 4))
    values[:, 1] = np.array([0.4, 0.1, 0.1, 0.1]) + np.array([[0.01], [0.02], [0.03], [0.04]])
    values[:, 0, 1:] = 0.5
    alone, with_multiple = (
        irmx_study.sensitivity(made(values, f"MSU(MD=1m:4m:4{more})")) for more in ("", ",SD=0.5*MD")
    )
    assert with_multiple.border().equals(alone.border())
    assert len(alone.border()) == 1
    assert "by MD, each" in with_multiple.facts()["users"]
    assert with_multiple.measure == "MSU"
    assert with_multiple.frame()[["MD", "SD"]].iloc[1].tolist() == ["2m", "1m"]
    assert with_multiple.plot().ax_.get_xlabel() == "MD"


# -- ranks -----------------------------------------------------------------------------------------------


def test_rank_bands_name_the_settings(models: Scores) -> None:
    bands = irmx_study.sensitivity(models, a="recent").rank_bands()
    means = models.means()
    assert bands["system"].tolist() == list(SYSTEMS)
    for row in bands.itertuples():
        ranks = means.rank(method="min", ascending=False).loc[row.system]
        assert (ranks[row.best_setting], ranks[row.worst_setting]) == (row.best, row.worst)
        assert means.loc[row.system, row.best_setting] == means.loc[row.system][ranks == row.best].max()


def test_ranks_are_those_of_the_best_settings_of_a_sweep() -> None:
    results = irmx_study.sweep("NCP", {"law": ["uniform", "first"], "cutoff": [5, 20]}, qrels_path(), RUNS, jobs=1)
    bands = irmx_study.sensitivity(irmx_study.scores_of_sweep(results)).rank_bands()
    best = irmx_study.best_settings(results)
    assert bands["best"].tolist() == best["rank"].tolist()


# -- parameters ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measures", "measure", "columns"),
    [
        ("NCP(law=geometric(p=0.2|0.4),rel=2)", "NCP(law=geometric,rel=2)", {"law.p": [0.2, 0.4]}),
        ("NCP(law=first|geometric(p=0.2))", "NCP", {"law": ["first", "geometric(p=0.2)"]}),
        ("MSU(MD=30s|1m,L=0)", "MSU(L=0.0)", {"MD": ["30s", "1m"]}),
        ("MSU(L=0.5|1)", "MSU", {"L": [0.5, 1.0]}),
        ("AP AP(rel=2) P@5", "AP", {"rel": [1, 2]}),
        ("AP AP@5", "AP", {"cutoff": ["None", "5"]}),
        ("nDCG(judged_only=*)@10", "nDCG@10", {"judged_only": [False, True]}),
        ("TIA_StRecall(a=0.2|0.4)", "TIA_StRecall", {"a_": [0.2, 0.4]}),
    ],
)
def test_columns_of_the_parameters_that_vary(measures: str, measure: str, columns: dict[str, list[Any]]) -> None:
    parsed = parse_measures(measures)
    values = np.random.default_rng(0).random((5, 2, len(parsed)))
    result = irmx_study.sensitivity(made(values, measures))
    assert result.measure == measure
    table = result.settings.drop(columns=["measure", "share"])
    assert {name: table[name].tolist() for name in table} == columns


# -- sweeps ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".tsv", ""])
def test_results_of_a_sweep_are_scores(suffix: str, tmp_path: Path) -> None:
    grid = {"law": ["uniform", "geometric(p=0.3)"], "cutoff": [5, 20], "judged_only": [False, True]}
    out = tmp_path / f"results{suffix}" if suffix else None
    results = irmx_study.sweep("NCP(rel=2)", grid, qrels_path(), RUNS, reference=["AP", "P@5"], out=out, jobs=1)
    scores = irmx_study.scores_of_sweep(results if out is None else out)
    assert [str(m) for m in scores.measures] == ["AP", "P@5", *map(str, irmx.Grid("NCP(rel=2)", grid).measures())]
    again = irmx.scores(scores.measures, qrels_path(), RUNS)
    assert scores.systems == again.systems
    assert scores.values == pytest.approx(
        again.select(scores.topics).values, abs=0 if suffix in ("", ".parquet") else 1e-15
    )


def test_durations_of_a_sweep_come_back() -> None:
    grid = irmx.Grid("MSU", ["MD=30s,1m", "SD=0.5*MD"])
    rows = [
        {"run": run, "query_id": "q", "measure": "MSU", "MD": m["MD"], "SD": m["SD"], "value": 0.5}
        for m in grid.measures()
        for run in ("A", "B")
    ]
    assert list(irmx_study.scores_of_sweep(pd.DataFrame(rows)).measures) == grid.measures()


@pytest.mark.parametrize(
    ("change", "message"), [(lambda f: f[1:], "no value of NCP"), (lambda f: pd.concat([f, f[:1]]), "twice")]
)
def test_incomplete_results(change: Callable[[Any], Any], message: str) -> None:
    results = irmx_study.sweep("NCP", {"law": ["uniform", "first"]}, qrels_path(), RUNS, jobs=1)
    with pytest.raises(DataError, match=message):
        irmx_study.scores_of_sweep(change(results))


# -- bad input -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measures", "options", "message"),
    [
        ("AP P@5", {}, "needs several settings of one measure, but there is only AP, P@5. Write 'MP(model=*)'"),
        ("P@5|10 R@5|10", {}, "Several measures have several settings: P, R."),
        ("P@5|10 R@5", {"measure": "R"}, "only R@5"),
        ("P@5|10", {"measure": "Q"}, "There is no measure 'Q'"),
        ("P@5|10", {"b": "bm52"}, "no system 'bm52'. Did you mean bm25?"),
        ("P@5|10", {"a": ["titels"]}, "Did you mean titles?"),
        ("P@5|10", {"a": "bm25"}, "bm25 cannot be compared with itself"),
        ("P@5|10", {"level": 1}, "'level'"),
        ("P@5|10", {"draws": 5}, "'draws'"),
        ("P@5|10", {"test": "tt"}, "significance test"),
    ],
)
def test_wrong_questions(measures: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as error:
        irmx_study.sensitivity(irmx.scores(measures, qrels_path(), RUNS), **options)
    assert message in str(error.value)


def test_values_that_are_missing_are_left_out_by_setting_or_refused() -> None:
    values = np.random.default_rng(1).random((5, 2, 2))
    values[0, 0, 1] = np.nan
    assert irmx_study.sensitivity(made(values, "P@5|10")).frame()["topics"].tolist() == [5, 4]
    values[:, 0, 1] = np.nan
    with pytest.raises(DataError, match="P@10"):
        irmx_study.sensitivity(made(values, "P@5|10"))
