"""Tables as CSV that a spreadsheet takes for data, never for formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irmx import visible

if TYPE_CHECKING:
    import pandas as pd


def csv_of(frame: pd.DataFrame) -> str:
    """Return a table as CSV: numbers with six digits, texts that could be formulas after an apostrophe.

    >>> import pandas as pd
    >>> print(csv_of(pd.DataFrame({"run": ["=cmd", "-1"], "AP": [-0.25, 1 / 3]})))
    run,AP
    '=cmd,-0.25
    -1,0.333333
    <BLANKLINE>
    """
    shown = frame.rename(columns=lambda name: as_data(str(name)))
    for name in shown.columns[[dtype.kind != "f" for dtype in shown.dtypes]]:
        shown[name] = shown[name].map(as_data)
    text: str = shown.to_csv(index=False, float_format="%.6g", lineterminator="\n")
    return text


def as_data(cell: Any) -> Any:
    """Return a cell that no spreadsheet computes: a text that begins like a formula gets an apostrophe, unless it is a number."""
    if not isinstance(cell, str):
        return cell
    text = visible(cell)
    return f"'{text}" if text.lstrip().startswith(("=", "+", "-", "@")) and not _is_number(text) else text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
