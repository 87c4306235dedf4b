"""Qrels of BEIR: a table with the header query-id, corpus-id, score, where the score is the grade."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import irmx

BEIR = "query-id\tcorpus-id\tscore\nq\ta\t1\nr\tb\t2\n"
RUN = "q Q0 x 1 2.0 t\nq Q0 a 2 1.0 t\nr Q0 b 1 1.0 t\n"


@pytest.mark.parametrize("suffix", [".tsv", ".csv", "", ".tsv.gz"])
def test_qrels_of_beir(suffix: str, tmp_path: Path, command: Callable[..., Any]) -> None:
    qrels, run = tmp_path / f"test{suffix}", tmp_path / "some.run"
    text = BEIR.replace("\t", ",") if suffix == ".csv" else BEIR
    qrels.write_bytes(gzip.compress(text.encode()) if suffix.endswith("gz") else text.encode())
    run.write_text(RUN)
    done = command("eval", qrels, run, "NCP(law=first)", "AP")
    assert (done.code, done.out, done.err) == (0, "NCP(law=first)\t0.7500\nAP\t0.7500\n", "")


def test_a_frame_of_qrels_of_beir() -> None:
    frame = pd.DataFrame({"query-id": ["q", "r"], "corpus-id": ["a", "b"], "score": [1, 2]})
    assert irmx.read_qrels(frame).as_dict() == {"q": {"a": 1}, "r": {"b": 2}}


def test_a_score_is_a_grade_in_qrels_of_beir_only() -> None:
    for names in (["query_id", "doc_id", "score"], ["query-id", "doc_id", "score"]):
        with pytest.raises(irmx.DataError, match="lacks the column 'relevance'"):
            irmx.read_qrels(pd.DataFrame([("q", "a", 1)], columns=names))
    graded = pd.DataFrame([("q", "a", 1, 2)], columns=["query-id", "corpus-id", "score", "relevance"])
    assert irmx.read_qrels(graded).as_dict() == {"q": {"a": 2}}
    with pytest.raises(irmx.DataError, match=r"lacks the column 'query_id'\. It has: query-id, corpus-id, score"):
        irmx.read_run(pd.DataFrame([("q", "a", 1.0)], columns=["query-id", "corpus-id", "score"]))
