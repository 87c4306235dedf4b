"""Names as texts of pictures."""

from __future__ import annotations

import textwrap
from typing import Any

from irmx.errors import visible

_LONGEST = 36


def picture_text(name: Any, width: int | None = None) -> str:
    r"""Return a name as text of a picture: visible, with no formulas, and as short as there is room for.

    Parameters
    ----------
    name : any
        The name, such as that of a run, a topic or a measure.
    width : int, optional
        The number of characters of a line, for a text of up to 3 lines that end after a comma where possible; by default one line,
        shortened in the middle to 36 characters.

    Examples
    --------
    >>> import irmx
    >>> print(irmx.toolkit.picture_text("cost $5$"))
    cost \$5\$
    >>> irmx.toolkit.picture_text("MP(model=GL_AD_LID,rescale='recall')", width=24)
    "MP(model=GL_AD_LID,\nrescale='recall')"
    """
    text = visible(str(name))
    if width is not None:
        text = "\n".join(textwrap.wrap(text.replace(",", ", "), width, max_lines=3, placeholder="…")).replace(", ", ",")
    elif len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]}…{text[-_LONGEST // 2 + 1 :]}"
    return text.replace("$", r"\$")
