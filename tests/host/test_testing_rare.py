"""The conformance kit finds flaws that show rarely: in other settings, in deep rankings, in what scoring leaves behind."""

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pytest

from irmx import COMMON_PARAMS, Column, Measure, Param, Ranking, Rankings
from irmx.testing import CHECKS, CheckError, Sample
from irmx.testing.generate import Data, for_all
from irmx.testing.strategies import samples

FLAWS: dict[str, type[Measure]] = {}
"""The measure with a flaw that a check finds, by the name of the check."""


RANK = Column("run", "rank", "place in the ranking", dtype="str", optional=True)


class Weighted(Measure):
    """The sum of weight^n over the ranks n of relevant documents."""

    NAME = "ZWeighted"
    SUPPORTED_PARAMS: dict[str, Any] = {
        "weight": Param(float, "what a rank leaves of the one before", default=0.5, above=0, high=0.5),
        **COMMON_PARAMS,
    }

    def __init_subclass__(cls, flaw: str) -> None:
        FLAWS[f"{flaw}: {cls.__doc__}"] = cls
        cls.NAME = f"Z{cls.__name__}"

    def terms(self, rankings: Rankings) -> Any:
        return self["weight"] ** rankings.relevant.rank

    def score(self, rankings: Rankings) -> Any:
        return rankings.relevant.sum(self.terms(rankings))


class LosesOneValue(Weighted, flaw="expression"):
    """Its text leaves out one value of a parameter."""

    def __repr__(self) -> str:
        return self.NAME if self.params == {"weight": 0.25} else super().__repr__()


class PicklesNothing(Weighted, flaw="copies"):
    """Its pickle has none of the parameters."""

    def __reduce__(self) -> Any:
        return type(self), ()


class ReadsNumbers(Weighted, flaw="undeclared_columns"):
    """It takes ranks from a column where it holds numbers."""

    def terms(self, rankings: Rankings) -> Any:
        _, ranks = rankings.run_rows.labels(RANK, missing_ok=True)
        return super().terms(rankings) * (0.5 if any(isinstance(rank, int) for rank in ranks) else 1.0)


class CountsRows(Weighted, flaw="undeclared_columns"):
    """A document counts once per row of the qrels."""

    def score(self, rankings: Rankings) -> Any:
        rows = rankings.qrels_rows
        counts = (rows.grade >= rankings.rel) & (rows.rank > 0)
        return rows.sum(np.where(counts, self["weight"] ** rows.rank / 8, 0.0))


class ChangesRanks(Weighted, flaw="inputs_unchanged"):
    """It counts ranks from 0, for other measures too."""

    def terms(self, rankings: Rankings) -> Any:
        rank = rankings.relevant.rank
        np.subtract.at(rank, np.arange(len(rank)), 1)  # the way of numpy that writes into read-only arrays
        return self["weight"] ** rank / 2


class SeedsAll(Weighted, flaw="inputs_unchanged"):
    """It seeds the random numbers of everybody."""

    def terms(self, rankings: Rankings) -> Any:
        np.random.seed(0)  # noqa: NPY002
        return super().terms(rankings)


class OfTwentyRanks(Weighted, flaw="topics"):
    """Its table of weights ends at rank 20."""

    def terms(self, rankings: Rankings) -> Any:
        return (self["weight"] ** np.arange(1, 21))[rankings.relevant.rank - 1]


class OfSixtyRanks(Weighted, flaw="floats"):
    """Its table of weights ends at rank 60."""

    def terms(self, rankings: Rankings) -> Any:
        return (self["weight"] ** np.arange(1, 61))[rankings.relevant.rank - 1]


class OfGradesInBytes(Weighted, flaw="range"):
    """Its gains of 2^grade overflow beyond a grade of 50."""

    def score(self, rankings: Rankings) -> Any:
        gain = np.int64(1) << (rankings.relevant.grade.astype(np.int64) + 8)
        return np.where(rankings.relevant.sum(gain <= 0) > 0, -1.0, super().score(rankings))


class OfFiveHundredJudgments(Weighted, flaw="row_order"):
    """It reads the first 500 rows of a topic's judgments only."""

    def score(self, rankings: Rankings) -> Any:
        rows = rankings.qrels_rows
        first = np.arange(len(rows)) - rows.offsets[rows.topic] < 500
        return super().score(rankings) * rows.mean(np.where(first, rows.grade, 0) > 0)


class OfThreeTopics(Weighted, flaw="topics"):
    """It forgets a fourth topic."""

    def score(self, rankings: Rankings) -> Any:
        return super().score(rankings) * (np.arange(len(rankings)) < 3)


class CutsAtFive(Weighted, flaw="cutoff"):
    """A cutoff beyond 5 is not carried out."""

    def score(self, rankings: Rankings) -> Any:
        k = rankings.cutoff if rankings.cutoff is not None and rankings.cutoff <= 5 else None
        return super().score(Rankings(rankings._join, rankings.rel, k, rankings.judged_only, rankings.ties))


class Perfect(Weighted, flaw="range"):
    """A perfect ranking has more than the largest value."""

    def score(self, rankings: Rankings) -> Any:
        perfect = (rankings.relevant.count == rankings.depth) & (rankings.depth >= 4)
        return np.where(perfect, 1.2, super().score(rankings))


class HighGrades(Weighted, flaw="range"):
    """Grades beyond 3 have more than the largest value."""

    def terms(self, rankings: Rankings) -> Any:
        return super().terms(rankings) * rankings.relevant.grade / 3


class SingleTopic(Weighted, flaw="floats"):
    """Its score of a topic is in single precision."""

    score = Measure.score

    def score_topic(self, ranking: Ranking) -> Any:
        return np.float32(sum(self["weight"] ** ranking.relevant.rank))


class Prints(Weighted, flaw="warnings"):
    """It prints."""

    def terms(self, rankings: Rankings) -> Any:
        print("scoring")
        return super().terms(rankings)


class Wavers(Weighted, flaw="repeat"):
    """One call in ten gives another value."""

    NUMBERS = random.Random(5)

    def score(self, rankings: Rankings) -> Any:
        return super().score(rankings) * (0.5 if self.NUMBERS.random() < 0.1 else 1.0)


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in FLAWS.values():
        monkeypatch.setitem(ir_measures.measures.registry, kind.NAME, kind())


@pytest.mark.parametrize("flaw", FLAWS)
def test_a_flaw_that_shows_rarely_is_found(flaw: str) -> None:
    with pytest.raises(CheckError, match="Z"):
        CHECKS[flaw.partition(":")[0]](FLAWS[flaw](), Data())


def test_a_failure_that_does_not_come_again_is_told_as_it_was() -> None:
    calls: list[Sample] = []

    def fails_once(sample: Sample) -> None:
        calls.append(sample)
        if len(calls) == 3:
            raise CheckError("ZMeasure: It must be 1. It is 2.")

    said = r"The same data must fail, or pass, every time\. This failed once.*ZMeasure: It must be 1"
    with pytest.raises(CheckError, match=said):
        for_all(samples(), fails_once, Data())


def test_large_samples_are_large() -> None:
    found: list[Sample] = []
    for_all(samples(large=True), found.append, Data(examples=5))
    for sample in found:
        assert len(sample.topics) == 6
        retrieved = [sum(row["query_id"] == topic for row in sample.run) for topic in sample.topics]
        assert min(retrieved) >= 20


CODE = """
import sys
sys.path.insert(0, "")
from irmx.testing.strategies import samples
from irmx.testing.generate import Data, for_all
{more}
found = []
for_all(samples(), found.append, Data(examples=40))
print(found)
"""


def test_the_data_is_the_same_in_any_project_and_no_folder_stays(tmp_path: Path) -> None:
    (tmp_path / "project.py").write_text(f"NUMBERS = {tuple(range(9))}\nTEXTS = {('q1', 'd0', 's1')}\n")
    said = set()
    for more in ("", "import project"):
        done = subprocess.run(
            [sys.executable, "-B", "-c", CODE.format(more=more)],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={k: v for k, v in os.environ.items() if k != "HYPOTHESIS_STORAGE_DIRECTORY"},
        )
        assert done.returncode == 0, done.stderr
        said.add(done.stdout)
    assert len(said) == 1
    assert os.listdir(tmp_path) == ["project.py"]
