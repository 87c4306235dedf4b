"""How every picture of the documentation is drawn: colours, lines, and files that are the same at every build."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
"""Those of Okabe and Ito, which people who see fewer colours can tell apart, too; the yellow, too light on white, is left out."""

_STYLE = {
    "svg.hashsalt": "irmx",
    "font.size": 9,
    "figure.facecolor": "white",  # a dark page shows the picture as a light panel
    "savefig.facecolor": "white",
    "axes.spines.top": False,
    "axes.spines.right": False,
}


@contextmanager
def drawing() -> Iterator[Any]:
    """Give matplotlib's ``pyplot`` in the style of the documentation."""
    import matplotlib as mpl

    mpl.use("svg")
    import matplotlib.pyplot as plt

    with mpl.rc_context(_STYLE):
        yield plt


def svg(figure: Any) -> bytes:
    """Return a figure as SVG, the same at every build, and close it."""
    import matplotlib.pyplot as plt

    out = io.BytesIO()
    figure.savefig(out, format="svg", metadata={"Date": None})
    plt.close(figure)
    return out.getvalue()


def line(i: int) -> dict[str, Any]:
    """Return how the i-th line looks; it differs from the others without its colour, too."""
    return {
        "color": COLOURS[i % len(COLOURS)],
        "marker": "osD^vPX*<"[i % 9],
        "markersize": 3.5,
        "linewidth": 1,
        "linestyle": ("-", "--", ":", "-.")[i % 4],
    }
