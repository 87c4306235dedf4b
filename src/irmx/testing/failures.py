"""How a check says that a measure fails it."""

from __future__ import annotations

from typing import Any

from irmx.testing.sample import Sample


class CheckError(AssertionError):
    """A measure does not have the property that a check asks for; the text says what was asked, found, and on which data."""


def failure(measure: Any, asked: str, found: str, *samples: Sample) -> CheckError:
    """Return the failure of a measure on samples.

    Parameters
    ----------
    measure : Measure
        What was checked.
    asked, found : str
        What must hold, and what was found; sentences.
    samples : Sample
        The data, as few rows as show it.
    """
    text = f"{measure!s}: {asked} {found}"
    for i, sample in enumerate(samples):
        which = "To see it again:" if i == 0 else "And the other:"
        text += f"\n\n{which}\n" + "\n".join(f"    {line}" for line in sample.code(measure).splitlines())
    return CheckError(text)
