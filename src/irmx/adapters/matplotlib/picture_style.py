"""How pictures look: colours, lines, and what is set before one is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from irmx.errors import UsageError

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9")
"""The colours of pictures, those of Okabe and Ito, which people who see fewer colours can tell apart, too.

Yellow is left out, as it is hard to see on white. Within :func:`picture_style` they are ``"C0"`` to ``"C6"``.
"""

_DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)), (0, (8, 1.5)))

_MARKERS = ("o", "s", "^", "D", "v", "P", "X")

_STYLE: Any = {
    "figure.facecolor": "white",  # a dark page shows the picture as a light panel
    "savefig.facecolor": "white",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "svg.hashsalt": "irmx",  # the same picture is the same file
}


@contextmanager
def picture_style() -> Iterator[Any]:
    """Give ``matplotlib.pyplot`` in the style of the pictures of irmx: no frame, colours for everyone.

    Raises
    ------
    irmx.errors.UsageError
        If matplotlib is not installed.

    Examples
    --------
    >>> import irmx
    >>> with irmx.toolkit.picture_style() as plt:
    ...     figure, ax = plt.subplots()
    >>> ax.spines["top"].get_visible()
    False
    >>> plt.close(figure)
    """
    try:
        from cycler import cycler
        from matplotlib import pyplot, rc_context
    except ImportError as error:
        raise UsageError(
            "Drawing needs matplotlib, which is not installed. To install it: pip install matplotlib"
        ) from error
    with rc_context({**_STYLE, "axes.prop_cycle": cycler(color=COLOURS)}):
        yield pyplot


def distinct_line(number: int) -> dict[str, Any]:
    """Return the colour and dashes of a line, counted from 0; the first 35 differ, and neighbours differ in both.

    >>> import irmx
    >>> irmx.toolkit.distinct_line(0), irmx.toolkit.distinct_line(35) == irmx.toolkit.distinct_line(0)
    ({'color': '#0072b2', 'linestyle': '-'}, True)
    """
    turn = number // len(COLOURS)
    return {"color": COLOURS[number % len(COLOURS)], "linestyle": _DASHES[(number + turn) % len(_DASHES)]}


def distinct_marker(number: int) -> str:
    """Return the marker of a line, counted from 0; lines of one colour have different ones.

    >>> import irmx
    >>> irmx.toolkit.distinct_marker(0), irmx.toolkit.distinct_marker(7)
    ('o', 's')
    """
    return _MARKERS[(number + number // len(COLOURS)) % len(_MARKERS)]
