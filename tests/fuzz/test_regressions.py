"""Inputs that once were a crash, a hang, a traceback or a wrong value: now accepted, or refused with an error of irmx."""

import contextlib
import json
import lzma
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import irmx
import irmx_markov
import irmx_pages
import irmx_stream

FOLDER = Path(__file__).parent / "regressions"
QRELS = {str(topic): {f"d{doc}": doc % 3 for doc in range(4)} for topic in range(4)}


def run_file(path: Path) -> None:
    irmx.calc_aggregate("AP NCP(law=uniform) IPrec@0.5", QRELS, path)


def qrels_file(path: Path) -> None:
    irmx.calc_aggregate("AP NCP(law=uniform) IPrec@0.5", path, {"1": {"a": 1.0}})


def expression(path: Path) -> None:
    irmx.toolkit.parse_measures(path.read_bytes().decode(errors="surrogateescape"))


def evaluation(path: Path) -> None:
    case = json.loads(path.read_text())
    irmx.calc(case["measure"], pd.DataFrame(case["qrels"]), pd.DataFrame(case["run"]))


def matrix(path: Path) -> None:
    irmx.calc_aggregate(f"MP(model=matrix(file={str(path)!r}))", {"1": {"a": 1}}, {"1": {"a": 1.0}})


def track_file(path: Path) -> None:
    """The file takes the place of one of a folder of the track, the others of which are missing."""
    irmx.calc_aggregate("MSU ELG LC", f"tst:{path.parent}", {"1": {"a": 1.0}})


READERS: dict[str, Callable[[Path], Any]] = {
    **dict.fromkeys(("csv-run", "jsonl-run", "trec-run", "tsv-run", "nonsense"), run_file),
    **dict.fromkeys(("run.bz2", "run.gz", "run.xz", "run.zst"), run_file),
    **dict.fromkeys(("csv-qrels", "trec-qrels"), qrels_file),
    **dict.fromkeys(("matrix.csv", "matrix.npy", "matrix.npz"), matrix),
    **dict.fromkeys(("tst-matches.tsv", "tst-topics.xml"), track_file),
    **dict.fromkeys(("click-log", "clicks"), irmx_markov.read_click_log),
    "tst-run": irmx_stream.read_tst_runs, "visits": irmx_stream.read_traces, "examinations": irmx_pages.read_examinations,
    "pages.jsonl": irmx_pages.read_pages, "scores.parquet": irmx.Scores.read_parquet,
    "expressions": expression, "evaluations": evaluation,
}  # fmt: skip
FILES = sorted(FOLDER.glob("*/*"))


def test_every_folder_has_a_reader() -> None:
    assert {path.parent.name for path in FILES} == set(READERS)
    assert len(FILES) > 80


@pytest.mark.parametrize("file", FILES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_an_input_that_was_a_finding_is_none(file: Path, tmp_path: Path) -> None:
    content = file.read_bytes()
    content = lzma.decompress(content) if file.suffix == ".packed" else content
    kind = file.parent.name
    for suffix in {"", Path(kind).suffix, f".{kind.partition('-')[0]}" if kind.endswith(("-run", "-qrels")) else ""}:
        name = kind.removeprefix("tst-") if kind in ("tst-matches.tsv", "tst-topics.xml") else f"input{suffix}"
        (tmp_path / name).write_bytes(content)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=irmx.DataWarning)
            with contextlib.suppress(irmx.IrmxError):
                READERS[kind](tmp_path / name)
