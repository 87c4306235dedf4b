"""What all displays of results share: pictures that are drawn on axes of matplotlib."""

from __future__ import annotations


class Display:
    """A picture of a result, with ``ax_`` and ``figure_`` once it is drawn.

    A notebook shows the figure itself, so that the text beside it is short.
    """

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"
