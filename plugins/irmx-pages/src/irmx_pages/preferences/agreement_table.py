"""The table of a paper: the agreement of measures by pair of bins, with marks for significant differences."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

from irmx import Param, UsageError

if TYPE_CHECKING:
    import pandas as pd

_LETTERS = string.ascii_letters
_LEVEL = Param(float, "level of significance", above=0, below=1)


def agreement_by_bin(compared: pd.DataFrame, significance: float = 0.05, places: int = 3) -> pd.DataFrame:
    """Return the agreement of measures by pair of bins, marked where it is significantly higher than that of others.

    Parameters
    ----------
    compared : DataFrame
        The result of :func:`compare_agreement`.
    significance : float
        The level of significance, in (0, 1), of the corrected p-values.
    places : int
        The decimal places; -1 for all.

    Returns
    -------
    DataFrame
        One row per level and measure: ``level``, a ``letter`` for the measure, ``measure``, and a column of texts for each group
        of pairs, such as ``0.925 bc``: an agreement of 0.925, significantly higher than that of the measures b and c. None for
        a group without any majority. If the test finds the measure with the lower agreement better, neither is marked: agreement is
        a mean over pairs, and the t-test weighs topics alike. The last row of a level, ``pairs``, has the number of pairs with a majority.

    Raises
    ------
    irmx.UsageError
        If the level is not in (0, 1), or there are more than 52 measures.

    Examples
    --------
    >>> from irmx_pages import compare_agreement, simulate_pages
    >>> from irmx_pages.example import example, example_preferences
    >>> made = example(4)
    >>> pages = simulate_pages(made.qrels, made.items, made.verticals).pages
    >>> compared = compare_agreement(pages, example_preferences(made), made.qrels, "AS_RBP AS_ATT P@10", levels=[0.75])
    >>> agreement_by_bin(compared)[["letter", "measure", "all", "H-H", "H-L"]]
      letter measure       all    H-H    H-L
    0      a  AS_RBP  0.915 bc  0.786  0.931
    1      b  AS_ATT     0.740  0.679  0.897
    2      c    P@10     0.802  0.643  0.897
    3          pairs       177     28     29
    """
    import pandas as pd

    _LEVEL.check(significance, "significance", "agreement_by_bin")
    measures = list(dict.fromkeys([*compared["a"], *compared["b"]]))
    if len(measures) > len(_LETTERS):
        raise UsageError(
            f"A table with letters holds at most {len(_LETTERS)} measures. There are {len(measures)}; give fewer, or use the rows of "
            "compare_agreement."
        )
    letters = dict(zip(measures, _LETTERS, strict=False))
    rows = []
    for level, of_level in compared.groupby("level", sort=False):
        cells = {
            group: _cells(rows_of, letters, significance, places)
            for group, rows_of in of_level.groupby("bin_pair", sort=False)
        }
        for name in measures:
            rows.append(
                {"level": level, "letter": letters[name], "measure": name} | {g: c[name] for g, c in cells.items()}
            )
        pairs = of_level.groupby("bin_pair", sort=False)["pairs"].first().astype(str)
        rows.append({"level": level, "letter": "", "measure": "pairs", **pairs.to_dict()})
    columns = ["level", "letter", "measure", *dict.fromkeys(compared["bin_pair"])]
    table = pd.DataFrame(rows, columns=columns)
    return table.astype(object).where(table.notna(), None)


def _cells(compared: pd.DataFrame, letters: dict[str, str], significance: float, places: int) -> dict[str, str]:
    """Return the agreement of every measure with its marks, for a level and a group of pairs."""
    agreement: dict[str, float] = {}
    marks: dict[str, list[str]] = {name: [] for name in letters}
    for row in compared.itertuples(index=False):
        agreement |= {row.a: row.agreement_a, row.b: row.agreement_b}
        better, worse = (row.a, row.b) if row.difference > 0 else (row.b, row.a)
        if row.p_corrected <= significance and row.difference and row.favoured == better:
            marks[better].append(letters[worse])
    return {
        name: f"{_text(agreement[name], places)} {''.join(sorted(marks[name], key=_LETTERS.index))}".strip()
        for name in letters
    }


def _text(agreement: float, places: int) -> str:
    return repr(float(agreement)) if places == -1 else f"{agreement:.{places}f}"
