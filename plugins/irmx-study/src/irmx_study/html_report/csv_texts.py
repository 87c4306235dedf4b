"""Tables as CSV that a spreadsheet takes for data, never for formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irmx.toolkit import in_spreadsheet

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
    shown = frame.rename(columns=lambda name: in_spreadsheet(str(name)))
    for name in shown.columns[[dtype.kind != "f" for dtype in shown.dtypes]]:
        shown[name] = shown[name].map(lambda cell: in_spreadsheet(cell) if isinstance(cell, str) else cell)
    text: str = shown.to_csv(index=False, float_format="%.6g", lineterminator="\n")
    return text
