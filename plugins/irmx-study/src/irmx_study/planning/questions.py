"""What is asked about an experiment that is to be planned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Real
from typing import Any

from irmx import Param, UsageError
from irmx.toolkit import counted
from irmx_study.planning.deviations import Deviations
from irmx_study.planning.sample_sizes import detectable_difference, topics_for_anova, topics_for_t, topics_for_width

_SMALLEST, _LARGEST = 1e-100, 1e100
"""Squares of these, and their products, are neither 0 nor infinite."""

_PARAMS = {
    "sd": Param(float, "standard deviation of the differences", low=_SMALLEST, high=_LARGEST),
    "variance": Param(float, "variance of the differences", low=_SMALLEST, high=_LARGEST),
    "topics": Param(int, "number of topics", low=2),
    "difference": Param(float, "difference of the means of two systems", low=_SMALLEST, high=_LARGEST),
    "width": Param(float, "width of the interval of the difference", low=_SMALLEST, high=_LARGEST),
    "systems": Param(int, "number of systems", low=2),
    "level": Param(float, "level of significance", above=0, below=1),
    "power": Param(float, "probability of finding the difference", above=0, below=1),
    "comparisons": Param(int, "number of comparisons", low=1),
}


@dataclass(frozen=True)
class Question:
    """What is asked; :meth:`of` checks it. See :func:`irmx_study.power`."""

    topics: int | None
    differences: tuple[float, ...]
    width: float | None
    systems: int | None
    level: float
    power: float
    comparisons: int

    @classmethod
    def of(cls, difference: Any, **values: Any) -> Question:
        """Return a question whose values are legal.

        Raises
        ------
        irmx.errors.UsageError
            For an illegal value; the message says what is allowed.
        """
        several = [difference] if isinstance(difference, Real) else list(difference)
        checked = {name: cls.checked(name, value) for name, value in values.items()}
        question = cls(differences=tuple(cls.checked("difference", one) for one in several), **checked)
        if question.power <= question.level:
            raise UsageError(f"The power must be above the level, {question.level:g}. Got {question.power:g} instead.")
        if question.systems is not None and not question.differences:
            raise UsageError("An analysis of variance of several systems needs the difference that it is to find.")
        return question

    @staticmethod
    def checked(name: str, value: Any) -> Any:
        """Return the value of a parameter in canonical form, None if it is not given."""
        return None if value is None else _PARAMS[name].check(value, name, "power")

    @property
    def corrected(self) -> float:
        """The level of each of several comparisons, by Bonferroni's correction."""
        return self.level / self.comparisons

    def facts(self) -> dict[str, str]:
        """Return the level, the power and the analysis of variance, for the lines below a table."""
        several = f" / {counted(self.comparisons, 'comparison')} = {self.corrected:.3g}" if self.comparisons > 1 else ""
        facts = {"level": f"{self.level:g}{several}", "power": f"{self.power:g}"}
        if self.systems is not None:
            facts["anova"] = f"two-way, topics x {counted(self.systems, 'system')}, level {self.level:g}"
        return facts

    def rows(self, case: Deviations) -> Iterator[dict[str, Any]]:
        """Yield the answers, one row per difference asked for, or a single row."""
        sds = {"": case.sd} if case.largest is None else {"": case.sd, "largest_": case.largest}
        topics = case.topics if self.topics is None else self.topics
        common: dict[str, Any] = dict(case.names)
        if topics is not None:
            common["topics"] = topics
        common |= {f"{of}sd": sd for of, sd in sds.items()}
        if topics is not None:
            common |= {
                f"{of}detectable": detectable_difference(topics, sd, self.corrected, self.power)
                for of, sd in sds.items()
            }
        intervals: dict[str, Any] = {}
        if self.width is not None:
            intervals = {"width": self.width}
            intervals |= {
                f"{of}needed_for_width": topics_for_width(self.width, sd, self.corrected) for of, sd in sds.items()
            }
        if not self.differences:
            yield common | intervals
        for difference in self.differences:
            needed: dict[str, Any] = {"difference": difference}
            needed |= {
                f"{of}needed": topics_for_t(difference, sd, self.corrected, self.power) for of, sd in sds.items()
            }
            if self.systems is not None:
                needed["needed_anova"] = topics_for_anova(
                    difference, case.residual, self.systems, self.level, self.power
                )
            yield common | needed | intervals
