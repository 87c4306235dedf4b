"""What became of one input: accepted, refused with a message for the user, or a finding."""

from __future__ import annotations

import contextlib
import io
import re
import resource
import time
import traceback
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from irmx import DataWarning, IrmxError, PluginWarning

if TYPE_CHECKING:
    from targets import Target

ACCEPTED, REFUSED = "accepted", "refused"
FINDINGS = ("crash", "hang", "memory", "traceback", "wrong value", "message")
"""The kinds of findings: the process died; more CPU time than the target allows; more than 1 GB; an exception that is not for the user; another
value than the oracle's; a message or warning that is too long, does not name the file, or has control characters."""

MEGABYTES, CHARACTERS = 1024, 2500
"""The limits: memory beside that of the inputs before, and the length of a message."""

_FAILED = re.compile(r"(?s)(?!.* the provider \w+ failed).* failed\b.{0,200}? with \w+: ")
"""A part of irmx or of a plugin that failed; the providers of ir_measures are others' programs, and some divide by zero."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class WrongValueError(Exception):
    """What an oracle raises: irmx answered, but not what it should have."""


@dataclass(frozen=True)
class Outcome:
    """What became of an input.

    Attributes
    ----------
    kind : str
        ``accepted``, ``refused`` or one of :data:`FINDINGS`.
    text : str
        The message, or the traceback.
    where : str
        What is equal in all findings of one cause: the line of code that raised, or the first words.
    seconds : float
        How long it took.
    """

    kind: str
    text: str = ""
    where: str = ""
    seconds: float = 0.0

    @property
    def is_finding(self) -> bool:
        return self.kind in FINDINGS

    @property
    def cause(self) -> tuple[str, str]:
        """What a finding is recognised by when it returns."""
        return self.kind, self.where


def outcome_of(target: Target, content: bytes, folder: Path) -> Outcome:
    """Run one input in a folder of its own, and judge what became of it."""
    path = folder / f"input{target.suffix}"
    path.write_bytes(content)
    memory, start, cpu = _peak(), time.monotonic(), time.process_time()
    outcome = _judged(target, path)
    seconds, cpu, memory = time.monotonic() - start, time.process_time() - cpu, _peak() - memory
    if not outcome.is_finding and cpu > target.seconds:
        outcome = Outcome("hang", f"{cpu:.0f} s of CPU time", "slow")
    if not outcome.is_finding and memory > MEGABYTES:
        outcome = Outcome("memory", f"{memory:,} MB more", "memory")
    return replace(outcome, seconds=seconds)


def _judged(target: Target, path: Path) -> Outcome:
    with warnings.catch_warnings(record=True) as issued, contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("always")
        for hidden in (ResourceWarning, DeprecationWarning, PendingDeprecationWarning, ImportWarning):
            warnings.simplefilter("ignore", hidden)  # as Python does outside tests
        try:
            target.run(path)
            outcome = Outcome(ACCEPTED)
        except IrmxError as error:
            text = str(error)
            wrong = _wrong(text, path.name if target.names_file else "")
            if not target.fails and _FAILED.match(text):
                wrong = "a plugin that failed"
            outcome = (
                Outcome("message", f"{wrong}: {text}", f"{wrong}, {_line_of(error)}")
                if wrong
                else Outcome(REFUSED, text)
            )
        except WrongValueError as error:
            refusal = f", {_line_of(error.__cause__)}" if error.__cause__ is not None else ""
            outcome = Outcome("wrong value", str(error), str(error).partition(": ")[0] + refusal)
        except BaseException as error:  # SystemExit and KeyboardInterrupt are findings, too
            outcome = Outcome("traceback", "".join(traceback.format_exception(error)), _line_of(error))
    for warning in issued if not outcome.is_finding else ():
        text = str(warning.message)
        wrong = _wrong(text, "")
        if not issubclass(warning.category, (DataWarning, PluginWarning)):
            wrong = "warning that is not for a user"
        if wrong:
            place = f"{warning.category.__name__} in {Path(warning.filename).name}"
            return Outcome("message", f"{wrong}: {text}", f"{wrong}, {place}")
    return outcome


def _wrong(text: str, name: str) -> str:
    """Return what is wrong with a message for a user that has to contain a name, else an empty text."""
    if len(text) > CHARACTERS:
        return "message of many characters"
    if _CONTROL.search(text):
        return "control characters in the message"
    if not text.strip():
        return "empty message"
    if "Traceback" in text:
        return "traceback in the message"
    return "" if name in text else "message that does not name the file"


def _line_of(error: BaseException) -> str:
    """Return the type of an exception, and the last line of irmx or of a plugin that it passed through."""
    place = ""
    for frame in traceback.extract_tb(error.__traceback__):
        if "/irmx" in frame.filename:
            place = f"{Path(frame.filename).name}:{frame.name}"
    return f"{type(error).__name__} of {place}"


def _peak() -> int:
    """Return the peak of the memory of this process in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
