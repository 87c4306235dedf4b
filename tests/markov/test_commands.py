"""The subcommands of irmx-markov."""

import gzip
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from irmx.demo import qrels_path, run_path


@pytest.fixture
def log(tmp_path) -> Path:
    path = tmp_path / "log.csv"
    pd.DataFrame({"session": [1, 1, 1, 2, 2, 2], "rank": [1, 3, 2, 1, 2, 1], "time": [0, 9, 12, 0, 5, 30]}).to_csv(
        path, index=False
    )
    return path


def test_a_chain_from_a_log_to_a_score(log, tmp_path, command):
    out = tmp_path / "chain.npz"
    done = command("markov", "learn-chain", log, out)
    assert done.code == 0, done.err
    assert "2 sessions, 50.0% of them backward" in done.out
    scored = command("eval", qrels_path(), run_path("bm25"), f"MP(model=matrix(file='{out}'))@3")
    assert scored.code == 0, scored.err
    name, value = scored.out.rstrip("\n").split("\t")
    assert name.endswith("@3")
    assert 0 < float(value) < 1


def test_holding_times_from_a_log_to_a_score(log, tmp_path, command):
    out = tmp_path / "times.tsv"
    assert command("markov", "holding-times", log, "--out", out).code == 0
    assert pd.read_csv(out, sep="\t")["rank"].tolist() == [1]
    scored = command(
        "eval",
        qrels_path(),
        run_path("bm25"),
        f"MPcont(model=GL_AD_ID,times=by_rank(file='{out}')) MP(model=GL_AD_ID)",
    )
    one, two = (line.split("\t")[1] for line in scored.out.splitlines())
    assert one == two


def test_columns_to_group_by_are_listed_or_repeated(log, command):
    pd.read_csv(log).assign(kind="web").to_csv(log, index=False)
    listed = command("markov", "holding-times", log, "--by", "rank, kind").out
    assert command("markov", "holding-times", log, "--by", "rank", "--by", "kind").out == listed
    assert listed.startswith("rank\tkind\t")


def test_best_retrieved_to_a_score(tmp_path, command):
    out, runs = tmp_path / "qrels.csv", [run_path("bm25"), run_path("recent")]
    assert command("markov", "best-retrieved", qrels_path(), *runs, "--out", out).code == 0
    scored = command("eval", out, *runs, "MP(model=GL_AD_ID,rescale='relative_recall')", "MP(model=GL_AD_ID)")
    assert scored.code == 0, scored.err
    header, *rows = (line.split("\t") for line in scored.out.splitlines())
    assert header[0] == "run"
    assert [r[0] for r in rows] == ["bm25.run", "recent.run"]
    assert all(0 < float(r[1]) <= float(r[2]) for r in rows)


def test_errors_are_messages(log, tmp_path, command):
    for arguments, code, text in [
        (("markov", "learn-chain", tmp_path / "gone.csv", "x.npz"), 1, "There is no click log"),
        (("markov", "learn-chain", log, tmp_path / "chain.txt"), 2, "saved as .npy, .npz, .csv or .tsv"),
        (("markov", "learn-chain", log, tmp_path / "c.npz", "--smoothing", "-1"), 2, "smoothing"),
        (("markov", "holding-times", log, "--out", tmp_path / "x.xls"), 2, ".csv or .tsv"),
        (("markov", "holding-times", log, "--by", "page"), 1, "lacks the column 'page'"),
        (("markov", "best-retrieved", qrels_path(), tmp_path / "none.run"), 1, "There is no run file"),
    ]:
        done = command(*arguments)
        done.assert_refused(code, text)
        assert "Traceback" not in done.err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["log.csv"]


def test_the_commands_read_a_log_of_yandex(tmp_path, command):
    log, chain, times = tmp_path / "log.txt.gz", tmp_path / "chain.npz", tmp_path / "times.csv"
    lines = [f"{s}\t0\tQ\t7\t0\t11\t12\t13\n{s}\t4\tC\t13\n{s}\t9\tC\t11\n{s}\t19\tQ\t8\t0\t21\t22\n" for s in range(3)]
    log.write_bytes(gzip.compress("".join(lines).encode()))
    done = command("markov", "learn-chain", log, chain)
    assert (done.code, done.err) == (0, "")
    assert "3 sessions, 100.0% of them backward" in done.out
    assert command("markov", "holding-times", log, "--out", times, "--unit", "0.1").code == 0
    table = pd.read_csv(times)
    assert table[["rank", "n"]].values.tolist() == [[1, 3], [3, 3]]
    assert table["mean_time"].tolist() == pytest.approx([1.0, 0.5])
    log.write_text("0\t0\tQ\t7\t0\t11\n0\t1\tC\n")
    command("markov", "learn-chain", log, chain).assert_refused(1, "line 2: A click has 4 fields")
    assert command("markov", "holding-times", log, "--unit", "0").code == 2


@pytest.mark.parametrize(
    ("end", "message"), [("", ""), ("1\t8\tX", "standard input, line 8: The action must be Q or C.")]
)
def test_a_log_of_yandex_from_standard_input(end, message):
    text = "0\t0\tQ\t7\t0\t11\t12\n0\t4\tC\t12\n0\t9\tC\t11\n0\t30\tC\t12\n1\t0\tQ\t7\t0\t11\n1\t4\tC\t11\n1\t6\tQ\t7\t0\t1\n"
    command = [sys.executable, "-c", "from irmx.cli import main; main()", "markov", "holding-times", "-"]
    done = subprocess.run(command, input=text + end, capture_output=True, text=True, check=False)
    assert done.returncode == bool(end), done.stderr
    assert message in done.stderr
    assert [line.split("\t")[:2] for line in done.stdout.splitlines()[1:]] == ([] if end else [["1", "2"]])
