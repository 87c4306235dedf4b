"""Decorated functions in other processes: pickle, joblib, sweeps."""

import copy
import doctest
import importlib
import pickle
import subprocess
import sys

import joblib
import pytest
from joblib.externals.loky import get_reusable_executor

import irmx
import irmx_study
from irmx.declare.from_function import FunctionMeasure

QRELS = {"q": {"a": 1, "b": 2, "c": 0}, "r": {"a": 1}}
RUN = {"q": {"a": 3.0, "x": 2.0, "b": 1.0}, "r": {"x": 2.0, "a": 1.0}}

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


def test_a_measure_of_a_module_is_pickled_by_name(module):
    made = module.Enough(k=2) @ 3
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        pickled = pickle.dumps(made, protocol)
        assert len(pickled) < 300
        again = pickle.loads(pickled)
        assert (again, type(again)) == (made, type(made))
    assert type(copy.deepcopy(made)) is type(copy.copy(made)) is type(made)
    assert pickle.loads(pickle.dumps(FunctionMeasure)) is FunctionMeasure
    wanted = ("own_measures", "Enough(k=2)@3", 0.5)
    assert joblib.Parallel(2)(joblib.delayed(score)(made) for _ in range(2)) == [wanted] * 2


def test_its_examples_are_found_by_doctest(module):
    assert doctest.testmod(module) == (0, 1)


def test_a_measure_of_a_function_goes_to_other_processes_and_says_why_pickle_fails(enough):
    made = enough()(k=2)
    wanted = (made.__wrapped__.__module__, "Enough(k=2)", 0.5)
    assert joblib.Parallel(2)(joblib.delayed(score)(made) for _ in range(2)) == [wanted] * 2
    with pytest.raises(pickle.PicklingError, match=r"Enough cannot be pickled: it is not found as .*<locals>.Enough"):
        pickle.dumps(made)


def _of(code):
    scope = {}
    exec(f"def f{code}", scope)
    return scope["f"]


def test_the_code_of_a_function_without_text_tells_it_from_others():
    one, same, other = (_of(f"(ranking, *, k: int = 1): return (lambda r: r > {c})(1.0)") for c in (1, 1, 2))
    sources = [irmx.measure(f).source for f in (one, same, other)]
    assert sources[0] == sources[1] != sources[2]


def test_a_function_may_refer_to_its_own_measure():
    @irmx.measure
    def Twice(ranking, *, k: int = 1) -> float:
        return 1.0 if k == 0 else Twice(k=0).score_topic(ranking) / 2

    other = Twice(k=3)
    wanted = [(type(Twice).__module__, "Twice(k=3)", 0.5)] * 2
    assert joblib.Parallel(2)(joblib.delayed(score)(other) for _ in range(2)) == wanted


SCRIPT = f"""
import pickle, joblib, irmx, irmx_study
from typing import Annotated
{MODULE.partition("import irmx")[2].partition("if TYPE_CHECKING")[0]}
base = 1

@irmx.measure
def Enough(ranking: irmx.Ranking, *, k: Annotated[int, irmx.Param(int, "how many", low=1)]) -> float:
    return len(ranking.relevant) >= base * k

if __name__ == "__main__":
    made = Enough(k=2)
    assert pickle.loads(pickle.dumps(made)) == made
    print(joblib.Parallel(2)(joblib.delayed(made.calc_aggregate)({QRELS!r}, {RUN!r}) for _ in range(2)))
    print(irmx_study.sweep("Enough", {{"k": [1, 2]}}, {QRELS!r}, {{"run": {RUN!r}}}, jobs=2)["value"].tolist())
"""


def test_a_measure_of_a_script_is_pickled_and_goes_to_other_processes(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["[0.5, 0.5]", "[1.0, 1.0, 1.0, 0.0]"], done.stderr


def test_a_sweep_of_another_function_is_another_sweep(tmp_path):
    def swept(least):
        @irmx.measure
        def Least(ranking, *, k: int = 1):
            return ranking.depth >= k

        if least:

            @irmx.measure(name="Least")
            def Least(ranking, *, k: int = 1):
                return ranking.depth > k

        return irmx_study.sweep("Least", {"k": [3]}, QRELS, {"run": RUN}, out=tmp_path / "s.parquet", jobs=1)[
            "value"
        ].tolist()

    assert swept(False) == [1.0, 0.0]
    with pytest.raises(irmx.DataError, match="function of Least"):
        swept(True)
