"""Tables on terminals: whatever does not fit, no number is cut, and no column is missing."""

from __future__ import annotations

import re
import sys

import pandas as pd
import pytest

from irmx_pages.printed_frames import print_frame

LONG = "AS_RBP(beta=0.855231,alpha=7.47072,personal=0.257105)"


def printed(frame: pd.DataFrame, width: int | None, capsys: pytest.CaptureFixture[str], places: int = 4) -> list[str]:
    """The lines of a table on a terminal of a width, or in a file."""
    with pytest.MonkeyPatch.context() as patch:
        if width is not None:
            patch.setattr(sys.stdout, "isatty", lambda: True)
            patch.setenv("COLUMNS", str(width))
        print_frame(frame, "table", places)
    return re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()


def held_out(rows: int) -> pd.DataFrame:
    columns = ["agreement", "difference_low", "difference_high", "p_value"]
    numbers = {name: [0.1234 + i / 10 for _ in range(rows)] for i, name in enumerate(columns)}
    return pd.DataFrame(
        {"fitted": ["by likelihood"] * rows, "measure": [LONG] * rows, "pairs": [2176] * rows, **numbers}
    )


@pytest.mark.parametrize("width", [None, 200, 110, 90, 70])
def test_numbers_are_whole_and_texts_are_folded(width: int | None, capsys: pytest.CaptureFixture[str]) -> None:
    frame = held_out(3)
    lines = printed(frame, width, capsys)
    shown = re.findall(r"0\.\d{4}(?!\d)", "\n".join(lines))
    assert sorted(shown) == sorted(f"{x:.4f}" for row in frame.iloc[:, 3:].to_numpy() for x in row)
    assert re.findall(r"\b2176\b", "\n".join(lines)) == ["2176"] * 3
    assert width is None or max(map(len, lines)) <= width
    folded = "".join("".join(line.split()) for line in lines)
    assert all(character in folded for character in LONG)
    assert (LONG in "\n".join(lines)) == (width is None or width >= 200)


def test_few_rows_that_do_not_fit_become_columns(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line.split() for line in printed(held_out(2), 60, capsys)]
    assert ["difference_low", "0.2234", "0.2234"] in lines
    assert ["pairs", "2176", "2176"] in lines


def test_many_rows_that_do_not_fit_stay_rows(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(held_out(20), 30, capsys)
    assert sum("2176" in line and "0.4234" in line for line in lines) == 20


def test_full_precision_is_not_folded(capsys: pytest.CaptureFixture[str]) -> None:
    frame = pd.DataFrame({"measure": [LONG], "value": [0.12345678901234567]})
    for width in (40, 10):
        assert any(repr(0.12345678901234567) in line for line in printed(frame, width, capsys, places=-1))


def test_a_table_that_fits_is_as_it_is_in_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(held_out(4), 200, capsys) == printed(held_out(4), None, capsys)


@pytest.mark.parametrize("form", ["table", "tsv"])
@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        *((4.9e-5, 4, "<0.0001"), (5.1e-5, 4, "0.0001"), (0.0, 2, "<0.01"), (0.3, 0, "<1"), (0.25, 2, "0.25")),
        *((1e-300, 6, "<0.000001"), (1e-7, -1, "1e-07"), (float("nan"), 4, "")),
    ],
)
def test_no_p_value_is_printed_as_zero(
    form: str, value: float, places: int, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    print_frame(pd.DataFrame({"other": [0.0], "p_value": [value]}), form, places)
    other, *shown = capsys.readouterr().out.strip().splitlines()[-1].split()
    assert shown == ([text] if text else [])
    assert float(other) == 0
