"""The fields with the dates of documents."""

import irmx
from irmx_temporal.windows import FIELDS

LISTED = {"tweets2013-ia": "created_at", "wapo/v2/trec-core-2018": "published_date", "cord19/fulltext/trec-covid": "date",
          "hc4/fa/test": "time", "neuclir/1/zh/trec-2022": "time", "c4/en-noclean-tr/trec-misinfo-2021": "timestamp",
          "clueweb09/en/trec-web-2009/diversity": "date", "clueweb12/trec-web-2014/diversity": "date",
          "longeval-web/2022-06": "last_updated_at", "longeval-sci/2024-11/train": "publishedDate"}  # fmt: skip
"""What the guide of collections lists."""


def test_the_fields_cover_what_the_guide_lists() -> None:
    registered = irmx.registry().fields()
    assert all(field in registered for field in FIELDS)
    for dataset, name in LISTED.items():
        assert [field.field for field in FIELDS if field.covers(dataset)] == [name]
    assert len({field.NAME for field in FIELDS}) == len(FIELDS)
