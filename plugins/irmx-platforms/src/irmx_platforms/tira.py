"""The form in which TIRA shows the results of evaluators."""

from __future__ import annotations

import json
from typing import TextIO

from irmx import OutputFormat, UsageError
from irmx.toolkit import PrintedRows


class Prototext(OutputFormat):
    """``evaluation.prototext`` of TIRA: a key and a value for each number; the texts beside it are part of the key."""

    NAME = "prototext"
    SHORT_DESC = "evaluation.prototext of TIRA"

    def write(self, rows: PrintedRows, out: TextIO) -> None:
        """Write a measure for every cell that is a number; raise if no cell is."""
        numbers = 0
        for record in rows.records:
            cells = [(name, record[name]) for name in rows.names if record.get(name) is not None]
            texts = [cell for _, cell in cells if isinstance(cell, str)]
            for name, cell in cells:
                if isinstance(cell, (int, float)) and not isinstance(cell, bool):
                    numbers += 1
                    key = " ".join(texts if name == "value" else [*texts, name])
                    shown = f"{cell:.{rows.places}f}" if isinstance(cell, float) and rows.places >= 0 else repr(cell)
                    print(f"measure {{\n  key: {json.dumps(key)}\n  value: {json.dumps(shown)}\n}}", file=out)
        if rows.records and not numbers:
            raise UsageError("The form of TIRA holds numbers, and there are none here. Choose another --output-format.")
