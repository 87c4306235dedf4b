"""Evaluation with a folder of the Temporal Summarization track as qrels, from the command and from Python."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import irmx
from irmx import DataError

from . import track_files

RUN = "1 team a 100-aa 1 1000 0.5\n1 team a 300-cc 3 23600 2\nTS99.2 team a 500-ee 1 5000 1e-3\n"
"""A run of the two topics."""


def test_eval_with_a_folder_and_a_run(folder: Path, tmp_path: Path, command: Any) -> None:
    """Topic 1: N1 at once, worth 1, and N2 six hours late, worth exp(-2)/2, of 1 + exp(-2) + exp(-1)."""
    (tmp_path / "run.txt").write_text(RUN, encoding="utf-8")
    done = command("eval", f"tst:{folder}", "run.txt", "LC", "-q", "-p", "6")
    assert (done.code, done.err) == (0, "")
    assert done.out == "1\tLC\t0.710256\n2\tLC\t1.000000\nall\tLC\t0.855128\n"


def test_eval_with_the_words_of_the_track(folder: Path, tmp_path: Path, command: Any) -> None:
    """A nugget has two words in both topics: V is 1 + (4 - 2)/2 and 1 + (6 - 3)/2; 'A storm' of five words counts as one."""
    path = folder / "matches.tsv"
    path.write_text(path.read_text(encoding="utf-8").replace("M1\t2\t15", "M1\t0\t7"), encoding="utf-8")
    (tmp_path / "run.txt").write_text(RUN, encoding="utf-8")
    done = command("eval", f"tst:{folder}", "run.txt", "TS_Verbosity(words='track')", "-q", "-p", "6")
    assert [float(line.split("\t")[2]) for line in done.out.splitlines()] == [2.25, 3.0, 2.625]
    done = command("eval", f"tst:{folder}", "run.txt", "TS_Verbosity", "-q", "-p", "6")
    assert [float(line.split("\t")[2]) for line in done.out.splitlines()] == [2.25, 2.5, 2.375]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "jsonl"])
def test_the_same_judgments_as_a_table_file(folder: Path, tmp_path: Path, suffix: str) -> None:
    (tmp_path / "run.txt").write_text(RUN, encoding="utf-8")
    names = [*track_files.COLUMNS, *track_files.OF_COPIES, *track_files.OF_THE_TRACK]
    frame = pd.DataFrame(track_files.rows_of(folder, names), columns=names)
    path = tmp_path / f"qrels.{suffix}"
    if suffix == "parquet":
        frame.to_parquet(path)
    elif suffix == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False, sep="\t" if suffix == "tsv" else ",")
    measures = "ELG LC nELG TS_H EG nEG Comp TS_Verbosity TS_Latency ELG(words='track')"
    wanted = irmx.calc_aggregate(measures, f"tst:{folder}", tmp_path / "run.txt")
    assert irmx.calc_aggregate(measures, path, tmp_path / "run.txt") == wanted
    assert irmx.calc_aggregate(measures, frame, tmp_path / "run.txt") == wanted


def test_a_folder_without_the_format_is_offered_the_remedy(folder: Path) -> None:
    with pytest.raises(DataError, match=f"{folder} is a folder, not a qrels file. .* name the format: tst:{folder}"):
        irmx.read_qrels(folder)
    with pytest.raises(DataError, match=f"{folder} is a folder, not a run file. .* the format: .*parquet:{folder}"):
        irmx.read_run(folder)


@pytest.mark.parametrize("topic", ["1", "TS99.1"])
def test_a_topic_is_meant_however_the_files_write_it(folder: Path, tmp_path: Path, topic: str) -> None:
    (tmp_path / "run").write_text(f"{topic} team one 100-aa 1 1500 1.0\n")
    explained = irmx.explain("Comp", f"tst:{folder}", tmp_path / "run", topic)
    assert (explained.query_id, explained.columns["doc_id"]) == ("1", ["100-aa-1"])
    with pytest.raises(DataError, match=r"Topic 'TS99\.7' is not in the qrels"):
        irmx.explain("Comp", f"tst:{folder}", tmp_path / "run", "TS99.7")
