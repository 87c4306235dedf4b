"""How to compare: the test, the correction and their parameters; and what the functions of studies take."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields, replace
from glob import glob
from typing import TYPE_CHECKING, Any, ClassVar, TypeGuard

import numpy as np

import irmx
from irmx import DataError, Param, Scores, UsageError, read_run, read_table
from irmx.toolkit import content_of, named_runs, parse_value, path_of, suggest
from irmx_study.statistics.tests import Correction, SignificanceTest

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Choices:
    """How to compare systems: the test, the correction for several comparisons, and their parameters.

    The functions take these parameters one by one, or all of them as ``choices``.

    Parameters
    ----------
    test : str or named object
        The significance test: ``"t"``, ``"permutation"``, ``"bootstrap"``, ``"wilcoxon"``, ``"sign"``, ``"tukey"``,
        ``"randomised-tukey"``, or one that a plugin registered. All tests are two-sided and paired by topic.
    correction : str or named object, optional
        The correction for several comparisons: ``"holm"``, ``"bonferroni"``, ``"hommel"``, ``"bh"``, ``"by"``, ``"maxt"``, ``"none"``, or
        one that a plugin registered. By default Holm's if there are several comparisons, and none for the two tests named
        after Tukey, which are of all pairs together.
    family : str
        What is corrected together: the comparisons of each ``"view"``, ``"all"``, or those of the views with the same value in a
        column of :attr:`irmx.Scores.views`, such as ``"measure"``.
    level : float
        The level of significance, in (0, 1); intervals cover 1 - level.
    interval : {"t", "bca", "simultaneous"}
        The interval of the mean difference: that of the t test, the bias-corrected and accelerated bootstrap, or t intervals that
        hold for all comparisons of a family together, with Bonferroni's t or the critical value of maxT. Tukey's test has its own,
        simultaneous intervals.
    draws : int
        The number of random draws of tests that resample, at least 100.
    seed : int
        Their seed; the same seed gives the same numbers.
    tie_threshold : float
        The largest difference on a topic that counts as a tie.

    Raises
    ------
    irmx.errors.UsageError
        For an illegal value; the message says what is allowed.

    Examples
    --------
    >>> Choices(test="wilcoxon", level=0.01)
    Choices(test=wilcoxon, correction=None, family='view', level=0.01, interval='t', draws=10000, seed=0, tie_threshold=0.0)
    """

    test: Any = "t"
    correction: Any = None
    family: str = "view"
    level: float = 0.05
    interval: str = "t"
    draws: int = 10_000
    seed: int = 0
    tie_threshold: float = 0.0

    NAME: ClassVar[str] = "a comparison"
    SUPPORTED_PARAMS: ClassVar[dict[str, Param]] = {
        "test": Param(
            object,
            "the test: t, permutation, bootstrap, wilcoxon, sign, tukey, randomised-tukey, or one of a plugin",
            kind=SignificanceTest.KIND,
        ),
        "correction": Param(
            object,
            "the correction: holm, bonferroni, hommel, bh, by, maxt, none, or one of a plugin; by default holm",
            kind=Correction.KIND,
        ),
        "family": Param(str, "what is corrected together: the comparisons of each view, all, or of a column of views"),
        "level": Param(float, "the level of significance", above=0, below=1),
        "interval": Param(
            str,
            "the interval of the difference: t or bca, for each comparison; or simultaneous, for all of a family",
            choices=("t", "bca", "simultaneous"),
        ),
        "draws": Param(int, "the number of random draws", low=100, high=10**9),
        "seed": Param(int, "the seed of the random draws", low=0, high=2**53),
        "tie_threshold": Param(float, "the largest difference on a topic that is a tie", low=0),
    }

    def __post_init__(self) -> None:
        for field in fields(self):
            name, value = field.name, getattr(self, field.name)
            param = self.SUPPORTED_PARAMS[name]
            if param.kind and isinstance(value, str):
                value = parse_value(re.sub(r"(?<=[a-z])-(?=[a-z])", "_", value), type(self), name)
            elif name != "correction" or value is not None:
                value = param.check(value, name, self.NAME)
            object.__setattr__(self, name, value)
        if self.of_all_pairs:
            self._refuse_for_all_pairs()
        elif self.interval == "simultaneous" and getattr(self.correction, "NAME", "") in ("bh", "by"):
            raise UsageError(
                f"The correction {self.correction} controls the false discovery rate, for which there are no simultaneous intervals. Choose "
                "another correction, such as holm or maxt, or the interval 't'."
            )

    def _refuse_for_all_pairs(self) -> None:
        """Refuse what a test of all pairs of systems together does not go with."""
        if self.correction is not None and self.correction.NAME != "none":
            raise UsageError(
                f"The p-values of the test {self.test} already hold for all pairs of systems together. Leave the "
                f"correction {self.correction} out, or choose another test."
            )
        if self.family not in ("view", "measure"):
            raise UsageError(
                f"The p-values of the test {self.test} hold for all pairs of systems by one measure; they are not corrected for several "
                f"measures together. Leave the family {self.family!r} out, or choose another test."
            )
        if self.interval == "bca" and self.has_own_intervals:
            raise UsageError(
                f"The test {self.test} has intervals of its own, which hold for all pairs of systems together. Leave the interval "
                "'bca' out, or choose another test."
            )

    def resolved(self, comparisons: int) -> Choices:
        """Return the choices with a correction for a family of so many comparisons."""
        if self.correction is not None:
            return self
        return replace(self, correction="none" if self.of_all_pairs or comparisons < 2 else "holm")

    def groups(self, views: pd.DataFrame) -> list[list[int]]:
        """Return the places of the views that are corrected together."""
        if self.family == "view":
            return [[v] for v in range(len(views))]
        if self.family == "all":
            return [list(range(len(views)))]
        refuse_unknown("family", self.family, ["view", "all", *map(str, views.columns)])
        places: dict[Any, list[int]] = {}
        for v, value in enumerate(views[self.family].tolist()):
            places.setdefault(value, []).append(v)
        return list(places.values())

    @property
    def coverage(self) -> str:
        """What intervals cover, such as 95%."""
        return f"{100 * (1 - self.level):g}%"

    @property
    def of_all_pairs(self) -> bool:
        """Whether the test is of all pairs of systems together."""
        return bool(getattr(self.test, "ALL_PAIRS", False))

    @property
    def has_own_intervals(self) -> bool:
        """Whether the test has intervals of its own."""
        own = getattr(type(self.test), "intervals", SignificanceTest.intervals)
        return own is not SignificanceTest.intervals

    @property
    def is_corrected(self) -> bool:
        """Whether p-values are corrected for several comparisons."""
        return self.correction is not None and self.correction.NAME != "none"

    @property
    def resampled(self) -> list[str]:
        """What makes random draws: the test, the correction or the interval."""
        kinds = [kind for kind in ("test", "correction") if getattr(getattr(self, kind), "RESAMPLES", False)]
        return kinds + ["interval"] * (self.interval == "bca")


def is_path(source: Any) -> TypeGuard[str | os.PathLike[str]]:
    """Tell whether a source is the path of a file, or the name of something else."""
    return isinstance(source, (str, os.PathLike))


def is_number(value: Any) -> bool:
    """Tell whether a value is a number; True and False are none."""
    return isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, np.bool_))


def refuse_unknown(noun: str, name: str, known: Collection[str]) -> None:
    """Raise for a name that is not among the known ones."""
    if name not in known:
        raise UsageError(f"There is no {noun} {name!r}.{suggest(name, known)} Known: {', '.join(known)}.")


def choices_of(choices: Choices | None, given: dict[str, Any]) -> Choices:
    """Return choices, given whole or one by one."""
    if choices is None:
        for name in given:
            refuse_unknown("choice", name, Choices.SUPPORTED_PARAMS)
        return Choices(**given)
    if given:
        raise UsageError(f"Give choices, or {', '.join(given)} alone.")
    if not isinstance(choices, Choices):
        raise UsageError(f"choices are irmx_study.Choices. Got {type(choices).__name__} instead.")
    return choices


def as_scores(function: str, source: Any, qrels: Any = None, runs: Any = None, progress: bool | None = None) -> Scores:
    """Return the scores that a function works on: given, in a table, or of measures, qrels and runs.

    Raises
    ------
    irmx.errors.UsageError
        If they are none of these; the message says what to do.
    """
    if qrels is not None and runs is not None:
        if isinstance(source, Scores) or hasattr(source, "columns"):
            raise UsageError(
                f"With qrels and runs, {function}() needs measures, such as 'AP nDCG@10', instead of values."
            )
        return irmx.scores(source, qrels, runs, progress=progress)
    if (qrels is None) != (runs is None):
        raise UsageError(
            f"{function}() needs qrels and runs together; {'qrels' if qrels is None else 'runs'} are missing."
        )
    if isinstance(source, Scores):
        return source
    if hasattr(source, "columns"):
        return Scores.from_frame(source)
    if is_path(source) and os.path.isfile(path_of(source)):
        from irmx_study.inputs.per_topic import read_per_topic

        return read_per_topic(source)
    raise UsageError(
        f"{function}() needs irmx.Scores or a DataFrame; make scores with irmx.scores(measures, qrels, runs), or give "
        f"{function}() the measures, the qrels and the runs. Got {type(source).__name__} instead."
    )


def is_stream(source: Any) -> bool:
    """Tell whether a source can be read only once: standard input, or a pipe."""
    return is_path(source) and (
        str(source) == "-" or (os.path.exists(source) and not os.path.isfile(source) and not os.path.isdir(source))
    )


def runs_of_gate(runs: Any) -> dict[str, Any]:
    """Return runs by name, as paths of files or :class:`irmx.Run`; one that is empty is refused.

    To some measures silence is an answer, and an empty file is also what is left of a search that failed.
    """
    by_name = named_runs(runs, several=True)
    for name, run in by_name.items():
        if is_stream(run):
            by_name[name] = run = read_run(run)  # refuses one that is empty
        is_file = is_path(run) and os.path.isfile(path_of(run))
        if not (content_of(path_of(run), "run", 1024).strip() if is_file else is_path(run) or run.topics):
            raise DataError(
                f"The run {run if is_path(run) else name} is empty: did the search fail? The file of a system that returns nothing on purpose has a line that says so, "
                "such as a header or a runtag; in Python, such a run has topics without documents."
            )
    return by_name


def short_names(systems: Sequence[str]) -> dict[str, str]:
    """Return the names of systems without what all of them begin with, up to a sign such as a full stop that ends no digits.

    >>> short_names(["input.a1", "input.a2"]), short_names(["a1", "a2"])
    ({'input.a1': 'a1', 'input.a2': 'a2'}, {'a1': 'a1', 'a2': 'a2'})
    """
    common = re.match(r".*(?:[^\w\s.]|_|(?<!\d)\.)|", os.path.commonprefix(list(systems))) if len(systems) > 1 else None  # noqa: RUF071
    start = len(common[0]) if common else 0
    if any(len(system) == start for system in systems):
        start = 0
    return {system: system[start:] for system in systems}


def beside(folder: str, path: str) -> str:
    """Return a path or pattern in a folder, if there is such a file; what is none may be the id of a dataset."""
    joined = os.path.join(folder, path)
    return joined if glob(joined) else path


def read_collections(path: str | os.PathLike[str], column: str, noun: str) -> dict[str, list[str]]:
    """Return the qrels, the baseline and the run of collections by name, whose paths are beside their table."""
    columns = (column, "qrels", "baseline", "run")
    table, found = read_table(path, dict.fromkeys(columns, str), f"table of {noun}s"), dict[str, list[str]]()
    for row, (name, *files) in enumerate(zip(*(table[name].tolist() for name in columns), strict=True)):
        if name in found:
            table.refuse(row, f"the {noun} {name!r} stands here a second time.")
        found[name] = [beside(os.path.dirname(os.fspath(path)), file) for file in files]
    return found
