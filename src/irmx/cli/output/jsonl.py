"""One JSON object per line."""

from __future__ import annotations

import json
import math
from numbers import Integral, Real
from typing import Any, TextIO

from irmx.declare.output_format import OutputFormat, PrintedRows
from irmx.errors import INVISIBLE


class Jsonl(OutputFormat):
    """One JSON object per row, with the cells that the row has; lists and dicts are kept as they are."""

    NAME = "jsonl"
    SHORT_DESC = "one JSON object per line, numbers in full precision"

    def write(self, rows: PrintedRows, out: TextIO) -> None:
        """Write one object per row; NaN and infinity, which JSON lacks, become null."""
        for record in rows.records:
            cells = {name: _plain(record[name]) for name in rows.names if name in record}
            text = json.dumps(cells, ensure_ascii=False)
            print(INVISIBLE.sub(lambda found: json.dumps(found[0])[1:-1], text), file=out)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (str, bool, list, tuple, dict)):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value) if math.isfinite(value) else None
    return str(value)
