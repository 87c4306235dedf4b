"""Functions that become measures by a decorator: what they declare, their scores, names, signatures and other processes."""

# mypy: ignore-errors

import copy
import doctest
import importlib
import pickle
import subprocess
import sys
from typing import Annotated, Literal

import ir_measures
import joblib
import pandas as pd
import pytest
from joblib.externals.loky import get_reusable_executor

import irmx
import irmx_study
from irmx import Column, Param, Ranking, Rankings, TopicScores, UsageError

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
        examples="Enough(k=2)",
    )
    assert isinstance(made, irmx.Measure)
    assert [made.NAME, made.PRETTY_NAME] == ["Enough", "Enough of them"]
    assert made.FORMULA is formula
    assert made.SHORT_DESC == "Whether at least k relevant documents are retrieved."
    assert type(made).__doc__.endswith("A user is content with k.")
    assert list(made.SUPPORTED_PARAMS) == ["k", *irmx.COMMON_PARAMS]
    assert [list(made.CITATIONS), made.RUN_COLUMNS, made.QREL_COLUMNS] == [[cite], (LENGTH,), ()]
    assert (made.RANGE, made.DEFAULT, made.MONOTONE, made.EXAMPLES) == ((0, 1), 0.5, False, ("Enough(k=2)",))


def test_it_works_wherever_measures_do(enough):
    made = enough()
    wanted = {made: 1.0, made(k=2): 0.5, made(k=2) @ 2: 0.0, made(rel=2): 0.5}
    assert irmx.calc_aggregate(list(wanted), QRELS, RUN) == wanted
    assert irmx.calc_aggregate([str(m) for m in wanted], QRELS, RUN) == wanted
    assert ir_measures.calc_aggregate(list(wanted), QRELS, RUN) == wanted
    parsed = ir_measures.parse_measure("Enough(k=2)@2")
    assert (parsed, str(parsed), irmx.Enough) == (made(k=2) @ 2, "Enough(k=2)@2", made)
    found = irmx_study.sweep("Enough", {"k": [1, 2]}, QRELS, {"run": RUN}, jobs=1)
    assert found.means().loc["run"].to_dict() == {"Enough": 1.0, "Enough(k=2)": 0.5}
    assert found.views["Enough.k"].tolist() == [1, 2]
    with pytest.raises(UsageError, match="there is nothing to explain"):
        irmx.explain(made, QRELS, RUN, "q")
    irmx.uninstall()
    assert "Enough" not in ir_measures.measures.registry
    irmx.install()
    assert ir_measures.measures.registry["Enough"] is made


def test_all_topics_at_once():
    @irmx.measure(batch=True, range=(0, None))
    def Found(rankings: Rankings, *, doubled: bool = False):
        """The number of relevant documents."""
        return TopicScores(rankings.relevant.count * (1 + doubled), {"ranked": rankings.depth})

    results = irmx.calc("Found Found(doubled=True)", QRELS, RUN)
    assert results.aggregated == {Found: 1.5, Found(doubled=True): 3.0}
    assert results.per_query[0].ranked == 3.0


def test_what_each_document_adds():
    @irmx.measure(batch=True)
    def Halves(rankings: Rankings, *, base: float = 2.0):
        """The sum of 1/base^rank over the relevant documents."""
        return {"contribution": base**-rankings.relevant.rank}

    assert irmx.calc_aggregate(Halves, QRELS, RUN) == {Halves: (0.5 + 0.125 + 0.25) / 2}
    explanation = irmx.explain("Halves(base=4)", QRELS, RUN, "q")
    assert (explanation.columns["contribution"], explanation.value) == ([1 / 4, 1 / 64], 17 / 64)


def test_columns_are_declared_and_read():
    @irmx.measure(columns=[LENGTH, Column("qrels", "weight", "weight of the topic")], range=(0, 1000))
    def Words(ranking: Ranking) -> float:
        weight = ranking.topic_column(Words.QREL_COLUMNS[0])
        return float(ranking.relevant.column(LENGTH).sum() * weight)

    run = pd.DataFrame({"query_id": "q", "doc_id": ["a", "x", "b"], "score": [3, 2, 1], "length": [10, 20, 30]})
    qrels = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b"], "relevance": 1, "weight": 0.5})
    assert irmx.calc_aggregate("Words Words@2", qrels, run) == {Words: 20.0, Words @ 2: 5.0}
    for given, missing in (((qrels, RUN), "length"), ((QRELS, run), "weight")):
        with pytest.raises(irmx.DataError, match=f"Words cannot be computed: the .* column '{missing}'"):
            irmx.calc_aggregate(Words, *given)


def test_a_column_in_two_units_is_warned_of():
    one = irmx.measure(name="One", columns=[LENGTH])(lambda ranking: 0.0)
    in_characters = Column("run", "length", "length of it", unit="characters")
    other = irmx.measure(name="Other", columns=[in_characters])(lambda ranking: 0.0)
    run = pd.DataFrame({"query_id": ["q"], "doc_id": ["a"], "score": [1.0], "length": [10]})
    irmx.calc_aggregate([one, one @ 10], QRELS, run)
    with pytest.warns(irmx.DataWarning, match="One reads the run column 'length' in words, Other@3 in characters"):
        irmx.calc_aggregate([one, other @ 3], QRELS, run)


@pytest.mark.parametrize(
    "options",
    [
        {"columns": ["length"]}, {"columns": "length"}, {"columns": LENGTH}, {"cite": "Doe 2026"}, {"cite": 2026},
        {"range": 3}, {"range": (1, 0)}, {"default": "none"}, {"default": 2},
        *({"name": name} for name in ["two words", "1st", "class", "a-b", 3]),
    ],
)  # fmt: skip
def test_options_of_another_kind_are_refused(enough, options):
    with pytest.raises(UsageError):
        enough(**options)


def test_it_passes_the_checks_that_plugins_have_to(enough):
    from irmx.testing import check_measure

    made = enough(cite=irmx.Citation("Doe2026", "misc", {"author": "Jane Doe", "title": "Enough", "year": "2026"}))
    reason = "plain pickle does not take what is defined in a function"
    results = check_measure(made(k=2), examples=5, expected_failures={"copies": reason})
    assert {r.outcome for r in results} == {"passed", "expected failure"}


# -- names -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["AP", "NCP", "Enough", "GL_AD_ID", "uniform"])
def test_a_name_that_is_taken_is_refused(enough, name):
    enough()

    def f(ranking):
        return 0.0

    with pytest.raises(UsageError, match=rf"The measure {name} .*is refused: .* already has this name"):
        irmx.measure(name=name)(f)
    assert irmx.measure(name="Free")(f).NAME == "Free"
    assert irmx.parse_measure("NCP(law=uniform)")["law"] == irmx.uniform


def test_a_definition_at_the_same_place_takes_the_place_of_the_earlier_one(enough):
    first, second = enough(), enough(default=1.0)
    assert irmx.Enough is second
    assert ir_measures.parse_measure("Enough").DEFAULT == 1.0
    assert irmx.calc_aggregate(first, QRELS, {}) == {first: 0.0}
    irmx.registry().undefine("Enough")
    with pytest.raises(irmx.toolkit.UnknownNameError):
        irmx.parse_measure("Enough")
    with pytest.raises(UsageError):
        irmx.registry().undefine("Enough")


def test_in_the_package_of_a_plugin_its_hook_registers(registry_with):
    def Offered(ranking):
        return 0.0

    Offered.__module__ = "irmx_ncp.further"
    made = irmx.measure(Offered)
    assert "Offered" not in irmx.registry().measures()
    assert irmx.calc_aggregate(made, QRELS, RUN) == {made: 0.0}
    assert registry_with("other", measures=[made]).measures() == {"Offered": made}


# -- signatures --------------------------------------------------------------------------------------------


def test_parameters_come_from_the_signature():
    @irmx.measure
    def Many(
        ranking: "Nowhere",  # type: ignore[name-defined]  # noqa: F821
        *,
        whole: int,
        share: float = 1,
        switch: bool = False,
        text: str = "t",
        how: Literal["any", "all"] = "any",
        level: Literal[1, 2] = 1,
        weights: list[float] = [1, 2],  # noqa: B006
        perhaps: "int | None" = None,
        window: irmx.toolkit.duration = "1d",
        grade: irmx.number = 1,
        plain=0.5,
        told: Annotated[float, "what it means"] = 0.0,
        declared=Param(float, "declared as a default", default=0.25, low=0, high=1),  # noqa: B008
        needed: Annotated[int, Param(int, "declared", low=3)],
    ) -> float:
        return 0.0

    params = Many.SUPPORTED_PARAMS
    expected = {name: param.expects() for name, param in params.items()}
    assert "a duration" in expected.pop("window")
    assert list(expected.items())[:12] == [
        ("whole", "an int"), ("share", "a float"), ("switch", "True or False"), ("text", "a string"),
        ("how", "one of 'any', 'all'"), ("level", "one of 1, 2"), ("weights", "a list of numbers"),
        ("perhaps", "an int or None"), ("grade", "a number"), ("plain", "a float"), ("told", "a float"),
        ("declared", "a float in the range [0, 1]"),
    ]  # fmt: skip
    assert params["told"].desc == "what it means"
    assert [n for n, p in params.items() if p.required] == ["whole", "needed"]
    assert type(Many(whole=1)["share"]) is float
    text = "Many(whole=2,share=0.5,how='all',weights=[3,1],perhaps=4,declared=1.0,needed=3)@5"
    assert str(irmx.parse_measure(text)) == text
    for wrong in ("needed=3", "whole=1,needed=2", "whole=1,needed=3,how='al'", "whole=1,needed=3,k=1"):
        with pytest.raises(UsageError):
            irmx.parse_measure(f"Many({wrong})")


def test_the_function_gets_the_values_of_its_parameters_and_of_common_ones():
    seen = []

    @irmx.measure
    def Seen(ranking, *, k: int = 1, cutoff: int = 2, rel=None, ties) -> float:
        seen.append((k, cutoff, rel, ties, ranking.depth))
        return 0.0

    irmx.calc_aggregate([Seen, Seen(k=3, rel=2, ties="run") @ 1], {"q": QRELS["q"]}, RUN)
    assert seen == [(1, 2, 1, "trec", 2), (3, 1, 2, "run", 1)]


def test_a_common_parameter_can_be_required():
    @irmx.measure
    def Share(ranking, *, cutoff: int) -> float:
        return len(ranking.relevant) / cutoff

    assert irmx.calc_aggregate("Share@4", QRELS, RUN) == {Share @ 4: 0.375}
    with pytest.raises(UsageError, match="Share needs the parameter 'cutoff'"):
        irmx.calc_aggregate(Share, QRELS, RUN)


@pytest.mark.parametrize("function", [lambda ranking: 0.0, print, 3])
def test_what_is_no_function_with_a_name_is_refused(function):
    with pytest.raises(UsageError):
        irmx.measure(function)


@pytest.mark.parametrize(
    "signature",
    [
        "(ranking, k=1)", "()", "(ranking, *more)", "(ranking, *, k: int = 1, **more)", "(*all, **more)", "(ranking, *, k)",
        "(ranking, *, k: dict = {})", "(ranking, *, k: Literal[1, 'a'] = 1)", "(ranking, *, k: 'Nowhere' = 1)",
        "(ranking, *, k: int = 1.5)", "(ranking, *, cutoff: int = 0)",
    ],
)  # fmt: skip
def test_a_signature_that_says_too_little_is_refused(signature):
    scope = {"Literal": Literal}
    exec(f"def f{signature}: return 0.0", scope)
    with pytest.raises(UsageError, match=r"\bf\b"):
        irmx.measure(scope["f"])


# -- other processes ---------------------------------------------------------------------------------------

MODULE = '''
from __future__ import annotations

from typing import TYPE_CHECKING

import irmx

if TYPE_CHECKING:
    from irmx import Ranking


@irmx.measure
def Enough(ranking: Ranking, *, k: int = 1) -> float:
    """Whether at least k relevant documents are retrieved.

    >>> str(Enough(k=2))
    'Enough(k=2)'
    """
    return len(ranking.relevant) >= k
'''


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module of a user, with one measure; processes that were started without its folder on the path are ended."""
    get_reusable_executor().shutdown()
    (tmp_path / "own_measures.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("own_measures")
    del sys.modules["own_measures"]


def score(measure):
    return type(measure).__module__, repr(measure), irmx.calc_aggregate(measure, QRELS, RUN)[measure]


def in_processes(measure):
    return joblib.Parallel(2)(joblib.delayed(score)(measure) for _ in range(2))


def test_a_measure_of_a_module_is_pickled_by_name_and_its_examples_are_found(module):
    made = module.Enough(k=2) @ 3
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        pickled = pickle.dumps(made, protocol)
        assert len(pickled) < 300
        again = pickle.loads(pickled)
        assert (again, type(again)) == (made, type(made))
    assert type(copy.deepcopy(made)) is type(copy.copy(made)) is type(made)
    assert in_processes(made) == [("own_measures", "Enough(k=2)@3", 0.5)] * 2
    assert doctest.testmod(module) == (0, 1)


def test_a_measure_of_a_function_goes_to_other_processes_and_says_why_pickle_fails(enough):
    @irmx.measure
    def Twice(ranking, *, k: int = 1) -> float:
        return 1.0 if k == 0 else Twice(k=0).score_topic(ranking) / 2  # it may refer to its own measure

    for made in (enough()(k=2), Twice(k=3)):
        assert in_processes(made) == [(type(made).__module__, repr(made), 0.5)] * 2
    with pytest.raises(pickle.PicklingError, match=r"Twice cannot be pickled: it is not found as .*<locals>.Twice"):
        pickle.dumps(Twice)


SCRIPT = f"""
import pickle, joblib, irmx, irmx_study
base = 1

@irmx.measure
def Enough(ranking: irmx.Ranking, *, k: int) -> float:
    return len(ranking.relevant) >= base * k

if __name__ == "__main__":
    made = Enough(k=2)
    assert pickle.loads(pickle.dumps(made)) == made
    print(joblib.Parallel(2)(joblib.delayed(made.calc_aggregate)({QRELS!r}, {RUN!r}) for _ in range(2)))
    print(irmx_study.sweep("Enough", {{"k": [1, 2]}}, {QRELS!r}, {{"run": {RUN!r}}}, jobs=2).values.tolist())
"""


def test_a_measure_of_a_script_is_pickled_and_goes_to_other_processes(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["[0.5, 0.5]", "[[[1.0, 1.0]], [[1.0, 0.0]]]"], done.stderr


def test_a_sweep_of_another_function_is_another_sweep(tmp_path):
    def swept(code):
        scope = {}
        exec(f"def Least(ranking, *, k: int = 1): return {code}", scope)
        irmx.measure(scope["Least"])
        out = irmx_study.sweep("Least", {"k": [3]}, QRELS, {"run": RUN}, out=tmp_path / "s.parquet", jobs=1)
        irmx.registry().undefine("Least")
        return out.values.ravel().tolist()

    assert swept("ranking.depth >= k") == swept("ranking.depth >= k") == [1.0, 0.0]
    with pytest.raises(irmx.DataError, match="function of Least"):
        swept("ranking.depth > k")
