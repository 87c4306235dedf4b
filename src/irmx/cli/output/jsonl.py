"""One JSON object a line."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any, TextIO

from irmx.declare.output_format import Layout, Report, Result


class JsonlReport(Report):
    """Objects with ``measure`` and ``value``, ``query_id`` with ``-q`` and ``run`` for several runs.

    What a measure gives besides its value, such as ``standard_error``, stands after it.
    """

    NAME = "jsonl"
    DESCRIPTION = "one JSON object a line, values in full precision"

    def write(self, results: Iterable[Result], layout: Layout, out: TextIO) -> None:
        """Write object by object; NaN, which JSON lacks, becomes null."""
        for result in results:
            record: dict[str, Any] = {"run": result.run} if layout.several_runs else {}
            if layout.by_query:
                record["query_id"] = result.query_id
            value = result.value if math.isfinite(result.value) else None
            record |= {"measure": str(result.measure), "value": value, **result.fields}
            print(json.dumps(record, ensure_ascii=False), file=out)
