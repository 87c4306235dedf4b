"""Texts in messages: names and values as they can be read, lists and plurals, the nearest known name."""

from __future__ import annotations

import contextlib
import difflib
import math
import re
import reprlib
import sys
from collections.abc import Iterable
from itertools import islice

INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
"""Control characters, line separators, characters that change the writing direction or that nobody sees, and unpaired
surrogates. The joiners of letters, U+200C and U+200D, are part of Persian and Hindi words, and of emoji."""

_LONGEST_WORD, _LONGEST_LINE = 400, 2000
"""How many characters of a message are quoted without a space between them, or are spaces, and are in one line."""

_LONG_WORD = re.compile(rf"\S{{{_LONGEST_WORD + 1},}}|[^\S\n]{{{_LONGEST_WORD + 1},}}")


def visible(text: str) -> str:
    r"""Return a text with its control characters escaped, so that a name can neither control a terminal nor end a line.

    Invisible characters are escaped, too, and those that change the writing direction: two names that look alike are alike.

    >>> print(visible("a\tb\x1b[2J"), visible("ab\u200bc"))
    a\tb\x1b[2J ab\u200bc
    """
    return INVISIBLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def visible_lines(text: str) -> str:
    r"""Return a text of several lines, each of them visible.

    >>> print(visible_lines("one\x1b\ntwo"))
    one\x1b
    two
    """
    return "\n".join(map(visible, text.split("\n")))


def readable(message: str) -> str:
    r"""Return a message as text for people: visible, of lines, and without the middle of what is too long to read.

    Errors and warnings of irmx do this themselves.

    >>> print(readable("The topic \x1b[2J is unknown.\nThe file has others."))
    The topic \x1b[2J is unknown.
    The file has others.
    >>> readable("The topic " + "q" * 10**6 + " is unknown.").count("q") < 400
    True
    """
    shorter = _LONG_WORD.sub(lambda found: _middle_left_out(found[0], _LONGEST_WORD), visible_lines(message))
    return "\n".join(_middle_left_out(line, _LONGEST_LINE) for line in shorter.split("\n"))


def _middle_left_out(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    start, end = text[: most // 2], text[-most // 4 :]
    return f"{start}[... {len(text) - len(start) - len(end):,} characters ...]{end}"


def note(text: str) -> None:
    """Print a note to standard error, prefixed with the program's name; all that a command says beside its output.

    Parameters
    ----------
    text : str
        One line or several, which are printed in :func:`readable` form.
    """
    with contextlib.suppress(OSError, ValueError):  # that nobody reads it changes no exit code
        print(f"irmx: {readable(text)}", file=sys.stderr)


class _ShortValue(reprlib.Repr):
    """Representations of values that fit a message."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = 20
        self.maxstring = self.maxother = 300

    def repr_int(self, value: int, level: int) -> str:
        """Return the digits of a number, as long as anyone would count them; Python itself refuses to write more than 4,300."""
        digits = int(value.bit_length() * math.log10(2)) + 1
        return repr(value) if digits <= 100 else f"<a number of about {digits:,} digits>"


def value_repr(value: object) -> str:
    r"""Return the representation of a value for a message: short and in one line, whatever the value is.

    >>> value_repr(0.5), value_repr("a'b"), value_repr([1, "two"]), value_repr(-(10**5000))
    ('0.5', '"a\'b"', "[1, 'two']", '<a number of about 5,001 digits>')
    """
    text = _ShortValue().repr(value)
    return " ".join(text.split()) if "\n" in text else text  # such as an array


def suggest(name: str, known: Iterable[str]) -> str:
    """Return a sentence that suggests the closest known name, or an empty string.

    >>> suggest("GL_AD_IDD", ["GL_AD_ID", "LO_OR_ID"])
    ' Did you mean GL_AD_ID?'
    """
    close = closest(name, known)
    return f" Did you mean {close}?" if close else ""


def closest(name: str, known: Iterable[str]) -> str:
    """Return the closest known name, or an empty string."""
    known = list(known) if len(name) <= _LONGEST_WORD else []
    by_folded = {k.casefold(): k for k in known}
    return next(iter(difflib.get_close_matches(name, known, n=1, cutoff=0.6)), "") or by_folded.get(name.casefold(), "")


def not_finite(value: object) -> str:
    """Return why a value is not a finite number, as the end of a sentence.

    >>> [not_finite(value) for value in ("two", "nan", "-inf", "1e400")]
    ['is not a number', 'is not a finite number', 'is infinite', 'is too large for a 64-bit float']
    >>> not_finite(10**400), not_finite(float("1e400"))
    ('is too large for a 64-bit float', 'is infinite, or was too large for a 64-bit float')
    """
    try:
        number = float(value)  # type: ignore[arg-type]
    except OverflowError:
        return "is too large for a 64-bit float"
    except (TypeError, ValueError):
        return "is not a number"
    if not math.isinf(number):
        return "is not a finite number"
    if not isinstance(value, str):
        return "is infinite, or was too large for a 64-bit float"
    return "is too large for a 64-bit float" if any(c.isdigit() for c in value) else "is infinite"


def plural(number: int, noun: str) -> str:
    """Return a number with a noun, in the plural unless the number is 1.

    Parameters
    ----------
    number : int
        How many.
    noun : str
        What, in the singular; its plural ends in -s.

    Examples
    --------
    >>> plural(1, "topic"), plural(2500, "session")
    ('1 topic', '2,500 sessions')
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"


def list_some(names: Iterable[str], number: int = 3) -> str:
    """Return the first names, and dots if there are more, for a message.

    >>> list_some(["1", "2", "3", "4"]), list_some(["1", "2"], number=1)
    ('1, 2, 3, ...', '1, ...')
    """
    first = list(islice(names, number + 1))
    return ", ".join(first[:number]) + (", ..." if len(first) > number else "")
