"""Settings of a measure against a reference: extremes, conclusions, pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import kendalltau, rankdata

import irmx
import irmx_study
from irmx import DataError, DataWarning, Scores, UsageError
from irmx.demo import SYSTEMS, qrels_path, run_path
from irmx_study.rank_correlation.tau_ap import tau_aps
from irmx_study.settings.rankings_against import correlations_with
from irmx_study.settings.scored_settings import ranks_of

RUNS = {system: run_path(system) for system in SYSTEMS}
GRID = "NCP(law=geometric(p=0.2|0.5|0.8),rel=1|2)"


def made(values: Any, measures: str, systems: str = "ABCDE") -> Scores:
    """Return scores of one topic: values by system (outer) and measure."""
    array = np.asarray(values, dtype=float)[None]
    parsed = tuple(irmx.toolkit.parse_measures(measures))
    return Scores(array, ("q",), tuple(systems[: array.shape[1]]), parsed, np.ones(array.shape[:2], dtype=bool))


@pytest.fixture
def six() -> Scores:
    """Four systems in six settings of NCP, and by AP; in the last setting all systems are equal."""
    rows = [
        # p=.2,1 p=.2,2 p=.5,1 p=.5,2 p=.8,1 p=.8,2, AP
        (0.9, 0.9, 0.9, 0.5, 0.1, 0.2, 0.8),
        (0.8, 0.7, 0.7, 0.9, 0.2, 0.2, 0.6),
        (0.7, 0.8, 0.8, 0.7, 0.3, 0.2, 0.4),
        (0.6, 0.6, 0.6, 0.6, 0.4, 0.2, 0.2),
    ]
    return made(rows, f"{GRID} AP")


# -- correlations ----------------------------------------------------------------------------------------

FEW = st.integers(0, 3).map(float)


@given(
    st.integers(2, 7).flatmap(lambda n: st.tuples(arrays(float, n, elements=FEW), arrays(float, (n, 4), elements=FEW)))
)
def test_all_correlations_at_once_are_those_of_each_setting(both: Any) -> None:
    reference, means = both
    if len(set(reference.tolist())) < 2:
        reference[0] += 10
    found = correlations_with(reference, means)
    for place, ranking in enumerate(means.T):
        if len(set(ranking.tolist())) < 2:
            assert all(np.isnan(values[place]) for values in found.values())
            continue
        expected = kendalltau(reference, ranking)
        assert found["tau"][place] == pytest.approx(expected.statistic, abs=1e-12)
        assert found["p_value"][place] == pytest.approx(expected.pvalue, abs=1e-12)
        for name, ties in (("tau_ap", "order"), ("tau_ap_a", "a"), ("tau_ap_b", "b")):
            assert found[name][place] == pytest.approx(irmx_study.tau_ap(reference, ranking, ties), abs=1e-12)


RANKINGS = st.integers(2, 8).flatmap(
    lambda n: st.tuples(arrays(float, n, elements=FEW), arrays(float, (n, 3), elements=FEW))
)


@given(both=RANKINGS)
@pytest.mark.parametrize("ties", ["order", "a", "b"])
def test_the_ap_correlations_of_many_rankings(both: Any, ties: str) -> None:
    reference, rankings = both
    expected = [irmx_study.tau_ap(reference, ranking, ties) for ranking in rankings.T]
    assert tau_aps(reference[:, None], rankings, ties)[0] == pytest.approx(np.array(expected), abs=1e-12, nan_ok=True)


def test_rounding_of_sums_breaks_no_tie() -> None:
    """0.1 + 0.2 and 0.3 are the same mean: the two systems share rank 1, and tau-b has a tie."""
    scores = made([(0.1 + 0.2, 0.2, 3.0), (0.3, 0.1, 2.0), (0.1, 0.3, 1.0)], "NCP(law=first|uniform) AP")
    assert irmx_study.best_settings(scores)["rank"].tolist() == [1, 1, 1]
    assert irmx_study.best_settings(scores)["settings"].tolist() == [1, 1, 1]
    frame = irmx_study.rank_correlation_with(scores, "AP")
    assert frame["tau"][0] == pytest.approx(kendalltau([3, 2, 1], [3, 3, 1]).statistic)
    bands = irmx_study.sensitivity(made_twice(scores), measure="NCP").rank_bands()
    assert bands["first"].tolist() == [0.5, 0.5, 0.5]


def made_twice(scores: Scores) -> Scores:
    """The same scores on two topics, as tests of significance need."""
    values = np.concatenate([scores.values, scores.values])
    return Scores(values, ("q", "r"), scores.systems, scores.measures, np.ones(values.shape[:2], dtype=bool))


def test_ranks_are_those_of_scipy() -> None:
    means = np.random.default_rng(1).integers(0, 4, (9, 20)).astype(float)
    assert (ranks_of(means) == rankdata(-means, method="min", axis=0)).all()


@pytest.mark.parametrize("decimals", [-1, 400, 1.5])
def test_decimals_are_those_that_a_float_has(decimals: Any) -> None:
    scores = made([(0.1, 0.2), (0.2, 0.1), (0.3, 0.3)], "NCP(law=first|uniform)")
    with pytest.raises(UsageError, match=rf"decimal places in the range \[0, 15\]. Got {decimals}"):
        irmx_study.best_settings(scores, decimals=decimals)


def test_decimals_round_the_means_first() -> None:
    scores = made([(0.123, 0.2, 3.0), (0.121, 0.1, 2.0), (0.3, 0.3, 1.0)], "NCP(law=first|uniform) AP")
    exact = irmx_study.rank_correlation_with(scores, "AP")["tau"]
    rounded = irmx_study.rank_correlation_with(scores, "AP", decimals=2)["tau"]
    assert exact[0] == pytest.approx(-1 / 3)
    assert rounded[0] == pytest.approx(kendalltau([3, 2, 1], [0.12, 0.12, 0.3]).statistic)
    assert irmx_study.best_settings(scores, decimals=2)["rank"].tolist() == [2, 2, 1]


# -- settings and references -----------------------------------------------------------------------------


def test_scores_and_a_sweep_of_the_same_settings_agree() -> None:
    grid = {"law": ["geometric(p=0.2)", "geometric(p=0.5)", "geometric(p=0.8)"], "rel": [1, 2]}
    swept = irmx_study.sweep("NCP", grid, qrels_path(), RUNS, reference="AP", jobs=1)
    scores = irmx.scores(f"{GRID} AP", qrels_path(), RUNS)
    of_sweep, of_scores = (irmx_study.rank_correlation_with(one, "AP") for one in (swept, scores))
    assert list(of_sweep.columns[:2]) == ["law", "rel"]
    assert list(of_scores.columns[:2]) == ["law.p", "rel"]
    pd.testing.assert_frame_equal(of_sweep.iloc[:, 2:], of_scores.iloc[:, 2:])
    for column in ("rank", "settings"):
        assert irmx_study.best_settings(swept)[column].tolist() == irmx_study.best_settings(scores)[column].tolist()


def test_a_setting_may_be_the_reference(six: Scores) -> None:
    with pytest.warns(DataWarning, match="1 of 6 settings give all runs the same value"):
        frame = irmx_study.rank_correlation_with(six, "NCP(law=geometric(p=0.2),rel=1)")
    assert frame["tau"][0] == 1
    assert frame["tau_ap_b"][0] == 1


def test_a_measure_that_no_plugin_has_keeps_its_settings() -> None:
    rows = [
        {"run": run, "query_id": "q", "measure": "Mine", "k": k, "value": value}
        for k, values in ((1, (3, 2, 1)), (2, (1, 2, 3)))
        for run, value in zip("ABC", values, strict=True)
    ]
    results = pd.DataFrame(rows)
    agreement = irmx_study.settings_agreement(results, {"A": 1, "B": 0.5, "C": 0.2})
    assert agreement.frame()[["k", "tau"]].to_numpy().tolist() == [[1, 1], [2, -1]]
    assert repr(agreement) == "<Agreement of 2 settings of Mine with the reference>"
    assert irmx_study.conclusion(results, "A > B").by_parameter()[["parameter", "value", "holds"]].to_numpy().tolist() == [
        ["k", 1, 1], ["k", 2, 0],
    ]  # fmt: skip
    with pytest.raises(UsageError, match="Mine"):
        irmx_study.scores_of_sweep(results)


def test_the_extremes_name_settings_that_give_them(six: Scores) -> None:
    agreement = irmx_study.settings_agreement(six, "AP")
    with pytest.warns(DataWarning, match="1 of 6 settings give all runs the same value"):
        table = agreement.extremes(["tau"])
    # tau by setting: 1, 2/3, 2/3, 0, -1 and none
    assert table[["which", "value", "settings"]].round(6).to_numpy().tolist() == [
        ["lowest", -1, 1], ["median", 0.666667, 2], ["highest", 1, 1],
    ]  # fmt: skip
    assert table[["law.p", "rel"]].to_numpy().tolist() == [[0.8, 1], [0.2, 2], [0.2, 1]]
    with pytest.warns(DataWarning):
        assert agreement.extremes()["correlation"].tolist() == ["tau"] * 3 + ["tau_ap"] * 3


def test_the_median_of_an_even_number_is_the_correlation_of_a_setting() -> None:
    scores = made([(3, 1, 3), (2, 2, 2), (1, 3, 1)], "NCP(law=first|uniform) AP")
    assert irmx_study.settings_agreement(scores, "AP").extremes(["tau"])["value"].tolist() == [-1, -1, 1]


# -- conclusions -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("tau < 0.9", [False, True, True, True, True, False]),
        ("tau >= 0.6", [True, True, True, False, False, False]),
        ("tau_ap > 0.99", [True, False, False, False, False, False]),
        ("A > B", [True, True, True, False, False, False]),
        ("A >= B", [True, True, True, False, False, True]),
        ("B<A", [True, True, True, False, False, False]),
        ("rank A <= 1", [True, True, True, False, False, True]),
        ("rank  A > 3", [False, False, False, True, True, False]),
    ],
)
def test_in_which_settings_a_conclusion_holds(six: Scores, statement: str, expected: list[bool]) -> None:
    found = irmx_study.conclusion(six, statement, "AP")
    assert found.holds.tolist() == expected
    assert found.frame()["holds"].tolist() == expected
    assert found.share == pytest.approx(sum(expected) / 6)
    assert f"holds for {sum(expected)} of 6 settings of NCP" in found.sentences()[0]


def test_the_parameter_that_matters_most_comes_first(six: Scores) -> None:
    found = irmx_study.conclusion(six, "A > B")
    table = found.by_parameter()
    assert table["parameter"].tolist() == ["law.p"] * 3 + ["rel"] * 2
    assert table["value"].tolist() == [0.2, 0.5, 0.8, 1, 2]
    assert table["holds"].tolist() == [2, 1, 0, 2, 1]
    assert table["share"].tolist() == pytest.approx([1, 0.5, 0, 2 / 3, 1 / 3])
    assert found.sentences() == (
        "A > B holds for 3 of 6 settings of NCP(law=geometric)",
        "By law.p: from 0.0% at 0.8 to 100.0% at 0.2",
    )
    assert repr(found) == "<Conclusion: A > B holds for 3 of 6 settings of NCP(law=geometric)>"


def test_undefined_correlations_are_counted_apart(six: Scores) -> None:
    found = irmx_study.conclusion(six, "tau <= 1", "AP")
    assert found.sentences()[0] == (
        "tau <= 1 with AP holds for 5 of 6 settings of NCP(law=geometric); in 1 all runs are equal, so that it is undefined"
    )
    assert np.isnan(found.frame()["tau"].iloc[-1])


def test_users_of_a_population_count_with_their_shares(six: Scores) -> None:
    users = dict(zip(irmx.toolkit.parse_measures(GRID), (3, 1, 0, 0, 4, 0), strict=True))
    found = irmx_study.conclusion(six, "A > B", population=users)
    assert found.share == pytest.approx(0.5)
    assert found.sentences()[0] == "A > B holds for 50.0% of the users of NCP(law=geometric)"
    table = found.by_parameter()
    assert table["share"].tolist() == pytest.approx([1, np.nan, 0, 3 / 7, 1], nan_ok=True)
    assert found.frame()["share"].tolist() == pytest.approx([0.375, 0.125, 0, 0, 0.5, 0])
    with pytest.raises(UsageError, match="Give scores of these instead"):
        irmx_study.conclusion(pd.DataFrame(), "A > B", population=users)


def test_what_is_always_true_has_one_sentence(six: Scores) -> None:
    assert len(irmx_study.conclusion(six, "rank A <= 4").sentences()) == 1


@pytest.mark.parametrize(
    ("statement", "reference", "said"),
    [
        ("tau", "AP", "'tau' is not a statement. It is written 'tau < 0.9'"),
        ("tau < 0.9", None, "is about the correlation with a reference. Name the reference"),
        ("tau < 1.5", "AP", "a correlation is a number in the range [-1, 1]"),
        ("tauu < 0.5", "AP", "'tauu < 0.5' is not a statement"),
        ("tau < nan", "AP", "There is no run 'tau'"),
        ("A > F", None, "There is no run 'F'"),
        ("A > A", None, "compares a run with itself"),
        ("rank F <= 2", None, "There is no run 'F'"),
        ("rank A <= 0", None, "a rank of 4 runs is 1 to 4"),
        ("rank A <= 1.5", None, "a rank of 4 runs is 1 to 4"),
        ("A > B", "RR", None),
    ],
)
def test_what_is_no_statement_is_refused(six: Scores, statement: str, reference: str | None, said: str | None) -> None:
    if said is None:
        assert irmx_study.conclusion(six, statement, reference).reference == ""
        return
    with pytest.raises(UsageError) as error:
        irmx_study.conclusion(six, statement, reference)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("results", "reference", "kind", "said"),
    [
        ("AP", "AP", UsageError, "needs several settings of one measure"),
        (f"{GRID} AP(rel=1|2)", "AP", UsageError, "Several measures have several settings: NCP, AP"),
        (f"{GRID} AP", "RR", UsageError, "The results have no reference 'RR'. They have: AP."),
        (f"{GRID} AP", {"A": 1.0}, DataError, "The reference has no value for the run 'B' (3 of 4 runs)"),
        (f"{GRID} AP", dict.fromkeys("ABCD", 0.5), DataError, "The reference gives 0.5 to all of 4 runs"),
    ],
)
def test_what_cannot_be_compared_is_refused(results: str, reference: Any, kind: type[Exception], said: str) -> None:
    count = len(irmx.toolkit.parse_measures(results))
    scores = made(np.random.default_rng(0).random((4, count)), results)
    with pytest.raises(kind) as error:
        irmx_study.settings_agreement(scores, reference)
    assert said in str(error.value)


def test_settings_without_any_correlation_have_no_extremes() -> None:
    scores = made([(1, 2, 3), (1, 2, 4)], "NCP(law=first|uniform) AP")
    with (
        pytest.warns(DataWarning),
        pytest.raises(UsageError, match="Every setting of NCP gives all runs the same value"),
    ):
        irmx_study.settings_agreement(scores, "AP").extremes()
    with (
        pytest.warns(DataWarning),
        pytest.raises(UsageError, match=r"There is no correlation 'tao'\. Did you mean tau\?"),
    ):
        irmx_study.settings_agreement(scores, "AP").extremes(["tao"])


# -- pictures --------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def closed_figures() -> Any:
    import matplotlib.pyplot as plt

    plt.switch_backend("agg")
    yield
    plt.close("all")


def random_scores(measures: str) -> Scores:
    values = np.random.default_rng(3).random((5, len(irmx.toolkit.parse_measures(measures))))
    return made(values, measures)


def test_a_line_along_a_parameter_with_an_order() -> None:
    agreement = irmx_study.settings_agreement(random_scores("RBP(p=0.9|0.3|0.6) AP"), "AP")
    display = agreement.plot()
    [line] = display.ax_.lines
    rows = agreement.frame().sort_values("p_")
    assert line.get_xdata().tolist() == [0.3, 0.6, 0.9]
    assert line.get_ydata().tolist() == rows["tau"].tolist()
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("p", "tau")
    assert display.figure_ is display.ax_.figure


def test_dots_along_a_parameter_without_an_order() -> None:
    display = irmx_study.settings_agreement(random_scores("MP(model=*) AP"), "AP").plot(correlation="tau_ap")
    models = [str(measure["model"].NAME) for measure in irmx.toolkit.parse_measures("MP(model=*)")]
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == models
    assert display.ax_.get_title() == "tau_ap of MP with AP"


def test_a_heat_map_of_two_parameters_and_medians_over_a_third() -> None:
    agreement = irmx_study.settings_agreement(random_scores("RBP(p=0.2|0.5|0.8,rel=1|2,cutoff=5|10) AP"), "AP")
    display = agreement.plot(along=["p", "rel"])
    mesh = display.ax_.collections[0]
    expected = agreement.frame().groupby(["rel", "p_"])["tau"].median()
    assert np.ravel(mesh.get_array()).tolist() == pytest.approx(expected.tolist())
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("p", "rel")
    line = agreement.plot(along="cutoff")
    assert line.ax_.get_legend().get_texts()[1].get_text() == "median over p, rel"
    medians = agreement.frame().assign(cutoff=lambda f: f["cutoff"].astype(float)).groupby("cutoff")["tau"].median()
    assert line.ax_.lines[0].get_ydata().tolist() == pytest.approx(medians.tolist())
    assert len(agreement.plot().along) == 2


@pytest.mark.parametrize(
    ("along", "said"),
    [
        (["cutof"], r"No parameter 'cutof' varies\. Did you mean cutoff\? These do: cutoff, p, rel"),
        (["p", "rel", "cutoff"], "along one or two parameters. Got p, rel, cutoff"),
        ([], "along one or two parameters. Got none"),
    ],
)
def test_pictures_along_other_parameters_are_refused(along: list[str], said: str) -> None:
    agreement = irmx_study.settings_agreement(random_scores("RBP(p=0.2|0.5|0.8,rel=1|2,cutoff=5|10) AP"), "AP")
    with pytest.raises(UsageError, match=said):
        agreement.plot(along=along)


def test_a_scatter_has_one_point_per_run_and_one_panel_per_setting(six: Scores) -> None:
    agreement = irmx_study.settings_agreement(six, "AP")
    display = agreement.plot_scatter()
    assert [ax.get_title().split(",")[0] for ax in display.ax_] == ["tau = -1.000", "tau = 0.667", "tau = 1.000"]
    points = {tuple(point) for shown in display.ax_[0].collections for point in shown.get_offsets().tolist()}
    of_setting = six["NCP(law=geometric(p=0.8),rel=1)"][0]
    assert points == set(zip(six["AP"][0].tolist(), of_setting.tolist(), strict=True))
    one = agreement.plot_scatter("NCP(law=geometric(p=0.5),rel=2)")
    assert [ax.get_xlabel() for ax in one.ax_] == ["AP"]
    with pytest.raises(UsageError, match="The scores have no measure"):
        agreement.plot_scatter("NCP(law=first)")


def test_a_results_file_is_read(tmp_path: Path) -> None:
    out = tmp_path / "results.csv"
    irmx_study.sweep("NCP", {"law": ["first", "uniform"]}, qrels_path(), RUNS, reference="AP", out=out, jobs=1)
    assert irmx_study.conclusion(out, "bm25 > titles").share == 1
    assert irmx_study.settings_agreement(out, "AP").extremes()["law"].isin(["first", "uniform"]).all()
