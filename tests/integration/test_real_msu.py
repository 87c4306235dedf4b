"""MSU on the three runs of TREC 2014 Temporal Summarization against the values its authors published.

The texts of most updates are not there, so their lengths are not: order and size agree, equality is not to be expected.
"""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

import irmx
from irmx_stream import MSU, compiled_gains
from irmx_stream.gains import gains_of
from irmx_stream.interfaces import REVERSE_CHRONOLOGICAL

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def folder() -> Path:
    return Path(os.environ["IRMX_DATA"]).resolve() / "trec_ts"


@pytest.fixture(scope="module")
def run_files(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The three runs, a file each, as a participant submits them."""
    lines: dict[str, list[str]] = {}
    with gzip.open(folder / "2014" / "runs.cunlp.ssv.gz", "rt") as file:
        for line in file:
            lines.setdefault(line.split()[2], []).append(line)
    unpacked = tmp_path_factory.mktemp("runs")
    for name, of_run in lines.items():
        (unpacked / name).write_text("".join(of_run))
    return {name: unpacked / name for name in lines}


@pytest.fixture(scope="module")
def judgments(folder: Path) -> irmx.Judgments:
    told = "9 matches name nuggets", "44 matches end after the text"
    with pytest.warns(irmx.DataWarning, match=told[0]), pytest.warns(irmx.DataWarning, match=told[1]):
        return irmx.read_qrels(f"tst:{folder / '2014'}")


@pytest.fixture(scope="module")
def published(folder: Path) -> pd.Series:
    path = folder / "msu_published_results" / "msu2016-code.ts2014.results.all.tsv"
    table = pd.read_csv(path, sep="\t", header=None, names=["run", "topic", "value"])
    return table.assign(topic=table["topic"].str.removeprefix("TS14.")).set_index(["run", "topic"])["value"]


def test_msu_agrees_with_the_published_values(
    judgments: irmx.Judgments, run_files: dict[str, Path], published: pd.Series
) -> None:
    found = {}
    for name, path in run_files.items():
        with pytest.warns(irmx.DataWarning, match="updates have no length; 30 words are assumed"):
            metrics = list(irmx.iter_calc("MSU", judgments, path))
        assert len(metrics) == 15
        assert all(0 < m.standard_error < 0.06 * m.value + 0.05 for m in metrics)
        found |= {(name, m.query_id): m.value for m in metrics}
    ours = pd.Series(found)
    theirs = published.reindex(ours.index)
    assert len(ours) == 45
    assert not theirs.isna().any()
    assert np.corrcoef(ours, theirs)[0, 1] > 0.98
    assert kendalltau(ours, theirs).statistic > 0.9
    assert 0.9 < ours.mean() / theirs.mean() < 1.05
    assert (ours / theirs).between(0.5, 2.5).all()


@pytest.mark.filterwarnings("ignore::irmx.DataWarning")
def test_the_order_of_lines_plays_no_part(
    judgments: irmx.Judgments, run_files: dict[str, Path], tmp_path: Path
) -> None:
    """Nearly all updates of 3AP share their time and confidence with others: in the order of the run MSU changes by 7%."""
    lines = run_files["3AP"].read_text().splitlines(keepends=True)
    (tmp_path / "reversed").write_text("".join(reversed(lines)))
    measures = "MSU(users=300) MSU(users=300,same_time='run') ELG TS_H TS_Verbosity TS_Verbosity(same_time='run')"
    given, turned = (irmx.calc_aggregate(measures, judgments, p) for p in (run_files["3AP"], tmp_path / "reversed"))
    differ = {str(m): abs(turned[m] / value - 1) for m, value in given.items() if turned[m] != value}
    assert set(differ) == {"MSU(users=300,same_time='run')", "TS_Verbosity(same_time='run')"}
    assert differ["MSU(users=300,same_time='run')"] > 0.05


def test_numpy_and_the_compiled_way_agree_on_real_streams(
    judgments: irmx.Judgments, run_files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.warns(irmx.DataWarning):
        streams = MSU.prepare(irmx.rankings(judgments, run_files["3AP"]))
    from irmx_stream import Population, simulate

    users = Population().draw(200)
    for stream, window in zip(streams.each, streams.window.tolist(), strict=True):
        traces = simulate(users, window)
        ways = []
        for compile_it in (False, True):
            monkeypatch.setattr(compiled_gains, "in_use", lambda work, way=compile_it: way)
            ways.append(gains_of(stream, traces, users.speed, REVERSE_CHRONOLOGICAL, [0.1, 0.5], "before"))
        assert (ways[0] == ways[1]).all()
