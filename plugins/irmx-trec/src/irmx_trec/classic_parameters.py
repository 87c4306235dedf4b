"""The parameters of the measures of ir_measures, with their domains, and the columns with which a score is explained."""

from __future__ import annotations

from typing import Any

from irmx import COMMON_PARAMS, Param, Rows, number

REL = Param(number, "smallest relevance grade that counts as relevant", default=1, above=0)
CUTOFF, JUDGED_ONLY = COMMON_PARAMS["cutoff"], COMMON_PARAMS["judged_only"]
REQUIRED_CUTOFF = Param(int, CUTOFF.desc, required=True, low=1, unit=CUTOFF.unit)


def of_documents(rows: Rows, **columns: Any) -> dict[str, Any]:
    """Return the table of some documents of a ranking: rank, id and grade, then further columns."""
    return {"rank": rows.rank, "doc_id": rows.doc_ids, "grade": rows.grade, **columns}
