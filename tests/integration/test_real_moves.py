"""The page of moves and holding times in a click log, and its programs, on the sessions of Sogou."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from irmx_markov import learn_chain, stationary

pytestmark = pytest.mark.real

SCRIPT = Path(__file__).parents[2] / "docs" / "results" / "sogou_moves.py"


@pytest.fixture(scope="module")
def program(results_program: Callable[[str], ModuleType]) -> ModuleType:
    """The program that makes the page."""
    return results_program(SCRIPT.stem)


@pytest.fixture(scope="module")
def parts(results_program: Callable[[str], ModuleType]) -> ModuleType:
    """The functions that its numbers come from."""
    return results_program("moves_and_times")


@pytest.fixture(scope="module")
def log(program: ModuleType) -> pd.DataFrame:
    return pd.concat([program.sogou(f"{part}_data.tsv.gz")[0] for part in ("train", "test")], ignore_index=True)


@pytest.mark.slow
def test_the_page_is_what_its_program_makes(program: ModuleType, tmp_path: Path) -> None:
    assert program.sogou_section(tmp_path / program.PAGE.name) in program.PAGE.read_text(encoding="utf-8")
    for table in tmp_path.iterdir():
        assert table.read_text(encoding="utf-8") == program.PAGE.with_name(table.name).read_text(encoding="utf-8")


def test_backward_moves_of_the_provenance_file(program: ModuleType, parts: ModuleType) -> None:
    training, _, sessions = program.sogou("train_data.tsv.gz")
    moves, back = parts.by_session(training)
    assert (sessions, moves.sum(), back.sum()) == (7018, 2883, 487)


def test_no_result_is_clicked_twice_and_the_first_click_is_at_zero(log: pd.DataFrame) -> None:
    """What the page says that the data cannot tell."""
    assert not log.duplicated(["session", "rank"]).any()
    assert (log.groupby("session")["time"].min() == 0).mean() > 0.9


def test_half_of_the_moves_of_reversible_chains_go_backward(parts: ModuleType, log: pd.DataFrame) -> None:
    for name, chain in parts.chains(log).items():
        share = parts.backward(chain, stationary(chain))
        assert (share == pytest.approx(0.5, abs=1e-12)) == (not name.startswith("learned")), name
    learned = learn_chain(log, size=parts.RANKS).values
    assert parts.backward(learned, stationary(learned)) < 0.4


def test_the_distance_from_mp_falls_as_one_over_n(parts: ModuleType) -> None:
    """Of one hundred steps it is half of that of fifty, for a model of both kinds, and zero for a start in the limit."""
    for model in ("GL_AD_ID", "LO_AD_ID"):
        limit, (fifty, hundred) = parts.after_steps(model, "first", (50, 100))
        assert len(limit) == 1023
        assert np.abs(hundred - limit).mean() == pytest.approx(np.abs(fifty - limit).mean() / 2, rel=0.02)
    limit, (ten,) = parts.after_steps("LO_OR_ID", "invariant", (10,))
    assert ten == pytest.approx(limit, abs=1e-12)


def test_a_log_of_your_own(
    program: ModuleType, parts: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same page from a log in the format of Yandex; every session has the same times, so that no interval is wide."""
    lines = []
    for s in range(40):
        lines += [f"{s}\t0\tQ\t{s % 3}\t0\t" + "\t".join(str(100 + u) for u in range(10))]
        lines += [f"{s}\t{7 * i}\tC\t{100 + (3 * i + s) % 10}" for i in range(1, 8)]
    source, out = tmp_path / "log.txt", tmp_path / "moves.md"
    source.write_text("\n".join(lines))
    monkeypatch.setattr("sys.argv", ["sogou_moves.py", "--log", str(source), "--unit", "0.5", "--out", str(out)])
    monkeypatch.setattr(program, "convergence", lambda log: _far(parts))
    program.main()
    page = out.read_text(encoding="utf-8")
    assert "| first | 32 | 224 | 192 |" in page
    assert ",3.5,3.5," in (tmp_path / "moves_times.csv").read_text(encoding="utf-8")
    assert "cursor" not in page
    monkeypatch.setattr("sys.argv", ["sogou_moves.py", "--log", str(source)])
    with pytest.raises(SystemExit):
        program.main()


def _far(parts: ModuleType) -> pd.DataFrame:
    """A table of the form of ``convergence``, which takes long."""
    index = pd.MultiIndex.from_product([[*parts.MODELS, "learned"], ["first", "uniform"]], names=["model", "start"])
    return pd.DataFrame(0.0, index=index, columns=[*parts.STEPS, "largest", "tau", "as clicked"])
