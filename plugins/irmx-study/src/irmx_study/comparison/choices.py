"""How to compare: the test, the correction and their parameters."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from irmx import Param, UsageError
from irmx.toolkit import parse_value
from irmx_study.significance.named_tests import Correction, SignificanceTest


@dataclass(frozen=True)
class Choices:
    """How to compare; :meth:`of` checks it.

    Attributes
    ----------
    test, correction : named object
        The significance test, and the correction for several comparisons.
    family : {"measure", "all"}
        What is corrected together: the comparisons of each measure, or those of all measures.
    level : float
        The level of significance, in (0, 1).
    interval : {"t", "bca"}
        The interval of the mean difference.
    draws, seed : int
        The number of random draws, and their seed.
    tie_threshold : float
        The largest difference on a topic that counts as a tie.
    """

    test: Any
    correction: Any
    family: str
    level: float
    interval: str
    draws: int
    seed: int
    tie_threshold: float

    NAME: ClassVar[str] = "a comparison"
    SUPPORTED_PARAMS: ClassVar[dict[str, Param]] = {
        "test": Param(object, "significance test", kind=SignificanceTest.KIND),
        "correction": Param(object, "correction for several comparisons", kind=Correction.KIND),
        "family": Param(str, "what is corrected together", choices=("measure", "all")),
        "level": Param(float, "level of significance", above=0, below=1),
        "interval": Param(str, "interval of the mean difference", choices=("t", "bca")),
        "draws": Param(int, "number of random draws", low=100, high=10**9),
        "seed": Param(int, "seed of the random draws", low=0, high=2**53),
        "tie_threshold": Param(float, "largest difference on a topic that is a tie", low=0),
    }

    @classmethod
    def of(cls, comparisons: int, **values: Any) -> Choices:
        """Return the choices for a family of some comparisons, each in canonical form.

        The test and the correction may be expressions, such as ``"wilcoxon"`` or ``"randomised-tukey"``. The correction None
        is Holm's for several comparisons, and none for a single one or for a test of all pairs together.

        Raises
        ------
        irmx.errors.UsageError
            For an illegal value; the message says what is allowed.

        Examples
        --------
        >>> Choices.of(3, test="t", correction=None, family="measure", level=0.05, interval="t", draws=1000, seed=0,
        ...     tie_threshold=0)
        Choices(test=t, correction=holm, family='measure', level=0.05, interval='t', draws=1000, seed=0, tie_threshold=0.0)
        """
        values["test"] = cls._checked("test", values["test"])
        of_all_pairs = getattr(values["test"], "ALL_PAIRS", False)
        if values["correction"] is None:
            values["correction"] = "none" if of_all_pairs or comparisons < 2 else "holm"
        checked = {field.name: cls._checked(field.name, values[field.name]) for field in fields(cls)}
        if of_all_pairs:
            _refuse_for_all_pairs(checked)
        return cls(**checked)

    @classmethod
    def _checked(cls, name: str, value: Any) -> Any:
        param = cls.SUPPORTED_PARAMS[name]
        if param.kind and isinstance(value, str):
            return parse_value(re.sub(r"(?<=[a-z])-(?=[a-z])", "_", value), cls, name)
        return param.check(value, name, cls.NAME)

    @property
    def coverage(self) -> str:
        """What intervals cover, such as 95%."""
        return f"{100 * (1 - self.level):g}%"

    @property
    def of_all_pairs(self) -> bool:
        """Whether the test is of all pairs of systems together."""
        return bool(getattr(self.test, "ALL_PAIRS", False))

    @property
    def resampled(self) -> list[str]:
        """What makes random draws: the test, the correction or the interval."""
        kinds = [kind for kind in ("test", "correction") if getattr(getattr(self, kind), "RESAMPLES", False)]
        return kinds + ["interval"] * (self.interval == "bca")


def _refuse_for_all_pairs(checked: dict[str, Any]) -> None:
    """Refuse what a test of all pairs of systems together does not go with."""
    test = checked["test"]
    if checked["correction"].NAME != "none":
        raise UsageError(
            f"The p-values of the test {test} already hold for all pairs of systems together. Leave the "
            f"correction {checked['correction']} out, or choose another test."
        )
    if checked["family"] == "all":
        raise UsageError(
            f"The p-values of the test {test} hold for all pairs of systems by one measure; they are not corrected for several "
            "measures together. Leave the family 'all' out, or choose another test."
        )
    own_intervals = getattr(type(test), "intervals", SignificanceTest.intervals)
    if checked["interval"] == "bca" and own_intervals is not SignificanceTest.intervals:
        raise UsageError(
            f"The test {test} has intervals of its own, which hold for all pairs of systems together. Leave the interval 'bca' "
            "out, or choose another test."
        )
