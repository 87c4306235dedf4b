"""The conformance kit: checks that a measure behaves as users of irmx and ir_measures expect.

:func:`check_measure` runs all checks on a measure, :func:`parametrize_with_checks` turns each into a pytest test.
Needs ``irmx[testing]``. The strategies that generate data are in :mod:`irmx.testing.strategies`.
"""

try:
    import hypothesis  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "irmx.testing needs hypothesis, which generates the data. To install it: python -m pip install hypothesis pytest."
    ) from error

from irmx.testing.api import CheckResult, check_measure, instances, parametrize_with_checks
from irmx.testing.checks import CHECKS, OF_SETTINGS
from irmx.testing.generate import CheckError
from irmx.testing.strategies import Sample

__all__ = [
    "CHECKS",
    "OF_SETTINGS",
    "CheckError",
    "CheckResult",
    "Sample",
    "check_measure",
    "instances",
    "parametrize_with_checks",
]
