"""Files that users give to irmx-markov: damaged, of another kind, or of a hopeless size."""

from __future__ import annotations

import io
import re
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import irmx
from irmx_markov import ByRank, TransitionMatrix, learn_chain, read_click_log, transition_counts

CHAIN = np.array([[0.0, 0.5, 0.5], [0.25, 0.5, 0.25], [0.5, 0.5, 0.0]])


def header(shape: tuple[int, ...], dtype: str = "<f8") -> bytes:
    """Return the header of a .npy file that declares a shape."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": dtype, "fortran_order": False, "shape": shape})
    return file.getvalue()


def saved(save: Callable[..., Any], values: Any, **more: Any) -> bytes:
    """Return the content of the file that numpy or scipy saves."""
    file = io.BytesIO()
    save(file, values, **more)
    return file.getvalue()


def arrays(**members: Any) -> bytes:
    """Return the content of a .npz file with the members of a sparse array."""
    file = io.BytesIO()
    np.savez(file, shape=(2, 2), _is_array=True, **members)
    return file.getvalue()


def archive(**members: bytes) -> bytes:
    """Return the content of a .npz file with members of any content."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, content in members.items():
            zipped.writestr(f"{name}.npy", content)
    return file.getvalue()


NPY, NPZ = saved(np.save, CHAIN), saved(sparse.save_npz, sparse.csr_array(CHAIN), compressed=False)
FAR = sparse.coo_array((np.ones(3), ([0, 1, 2], [1, 2, 0])), shape=(10**9, 10**9))
NO_NPY = "it is not a .npy file, or truncated or damaged. Write it again, with 'irmx markov learn-chain' or numpy.save."
NO_NPZ = (
    "it is not a .npz file, or truncated or damaged. Write it again, with 'irmx markov learn-chain' or scipy.sparse"
)
PYTHON = np.array([print], dtype=object)

MATRICES: dict[str, tuple[str, bytes, str]] = {
    "empty": ("m.npy", b"", "it is empty"),
    "junk": ("m.npy", b"junk", NO_NPY),
    "truncated": ("m.npy", NPY[:-1], NO_NPY),
    "a header that is no Python": ("m.npy", NPY.replace(b"{'descr'", b"(((((((("), NO_NPY),
    "keys that are numbers": ("m.npy", NPY.replace(b"'descr'", b"1000000"), NO_NPY),
    "a huge shape": ("m.npy", header((10**6, 10**6)) + bytes(100), NO_NPY),
    "a shape beyond 64 bits": ("m.npy", header((10**12, 10**12)) + bytes(100), NO_NPY),
    "a negative shape": ("m.npy", header((-3, -3)) + bytes(100), NO_NPY),
    "too many ranks": (
        "m.npy",
        header((6000, 6000), "|i1") + bytes(6000**2),
        "has 6,000 ranks; 5,000 are the most of a dense",
    ),
    "Python objects": (
        "m.npy",
        saved(np.save, PYTHON, allow_pickle=True),
        "it holds Python objects, which are not read",
    ),
    "texts": ("m.npy", saved(np.save, np.array([["a"]])), "its values are not numbers, but <U1"),
    "an archive": ("m.npy", NPZ, NO_NPY),
    "an archive, empty": ("m.npz", b"", "it is empty"),
    "an archive, junk": ("m.npz", b"junk", NO_NPZ),
    "an archive, truncated": ("m.npz", NPZ[:-30], NO_NPZ),
    "an archive, damaged": ("m.npz", NPZ.replace(b"NUMPY", b"NUMPX", 1), NO_NPZ),
    "an archive without a matrix": ("m.npz", archive(a=NPY), NO_NPZ),
    "an archive, Python objects": (
        "m.npz",
        arrays(format=b"csr", indptr=[0, 1, 2], indices=[1, 0], data=np.array([print, 1], dtype=object)),
        NO_NPZ,
    ),
    "an index beyond the matrix": (
        "m.npz",
        arrays(format=b"csr", indptr=[0, 1, 2], indices=[10**9, 0], data=np.ones(2)),
        NO_NPZ,
    ),
    "a row beyond the entries": (
        "m.npz",
        arrays(format=b"csr", indptr=[0, 10**9, 2], indices=[1, 0], data=np.ones(2)),
        NO_NPZ,
    ),
    "ranks without transitions": (
        "m.npz",
        saved(sparse.save_npz, FAR),
        "has 1,000,000,000 ranks, but only 3 transitions: from some rank there is no transition",
    ),
    "a text, empty": ("m.csv", b"\n", "it is empty"),
    "a text of comments": ("m.csv", b"# no line\n", "must be a square matrix. Got the shape (0, 1)"),
    "a text, a word": ("m.csv", b"0.5,0.5\n# second\n0.5,half\n", "'half' in line 3 is not a number"),
    "a text, a long word": ("m.csv", b"0.5," + b"x" * 10**6, f"'{'x' * 50}...' in line 1 is not a number"),
    "a text, a short line": ("m.tsv", b"0.5\t0.5\n0.5\n", "line 2 has 1 field, the lines before have 2"),
    "a text, not UTF-8": ("m.csv", b"0,1\n\xff,0\n", "it is not text in UTF-8"),
    "a text, not finite": ("m.csv", b"inf,1\n1,0\n", "must hold finite numbers"),
    "another kind": ("m.mat", b"0", "is read from .npy, .npz, .csv or .tsv"),
}


@pytest.mark.parametrize(("name", "content", "says"), MATRICES.values(), ids=MATRICES)
def test_a_matrix_file_that_is_refused(tmp_path: Path, name: str, content: bytes, says: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises((irmx.DataError, irmx.UsageError), match=re.escape(says)) as refused:
        TransitionMatrix(file=str(path))
    assert str(path) in str(refused.value)
    assert "pickle" not in str(refused.value)
    assert len(str(refused.value)) < 500


def test_a_matrix_file_that_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "m.npy").mkdir()
    with pytest.raises(irmx.DataError, match=r"m\.npy is a folder"):
        TransitionMatrix(file=str(tmp_path / "m.npy"))


def test_a_matrix_that_would_be_too_large_once_decompressed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("irmx_markov.own_matrix._MOST_BYTES", 1 << 20)
    path = tmp_path / "m.npz"
    path.write_bytes(archive(data=bytes(3 << 20)))
    with pytest.raises(irmx.UsageError, match=r"has 3,145,728 bytes once it is decompressed; 1,048,576 are the most"):
        TransitionMatrix(file=str(path))


@pytest.mark.parametrize(("name", "sound"), [("m.npy", NPY), ("m.npz", NPZ), ("m.csv", b"0,1\n1,0\n")])
def test_a_matrix_file_cut_or_changed_anywhere(tmp_path: Path, name: str, sound: bytes) -> None:
    """Every outcome is a matrix, or an error of irmx that names the file."""
    path = tmp_path / name
    changed = [sound[:place] for place in range(0, len(sound), 23)]
    changed += [sound[:place] + bytes([sound[place] ^ 0x21]) + sound[place + 1 :] for place in range(0, len(sound), 19)]
    refused = []
    for content in changed:
        path.write_bytes(content)
        try:
            TransitionMatrix(file=str(path))
        except (irmx.DataError, irmx.UsageError) as error:
            refused.append(str(error))
    assert len(refused) > len(changed) / 2
    assert all(str(path) in message for message in refused)


@pytest.mark.parametrize("rank", [15_000, 10**9])
def test_a_click_at_a_rank_that_no_chain_reaches(rank: int) -> None:
    log = pd.DataFrame({"session": [1, 1, 1], "rank": [1, rank, 2], "time": [0.0, 1.0, 2.0]})
    tracemalloc.start()
    for count in (transition_counts, learn_chain):
        with pytest.raises(
            irmx.UsageError, match=f"A chain over {rank:,} ranks is too large; 5,000 ranks are the most"
        ):
            count(log)
    assert tracemalloc.get_traced_memory()[1] < 10**7
    tracemalloc.stop()
    assert transition_counts(log, size=3).sum() == 0
    assert len(learn_chain(log, size=3).values) == 3


TIMES = {
    "a rank that is infinite": ("rank,holding_time\n1,5\ninf,2\n", "line 3: the rank must be a whole number"),
    "a rank that is no number": ("rank,holding_time\nfirst,5\n", "line 2: the rank must be a whole number"),
    "a fraction of a rank": ("rank,holding_time\n1.5,5\n", "line 2: the rank must be a whole number"),
    "rank 0": ("rank,holding_time\n0,5\n", "line 2: the rank must be a whole number in the range"),
    "no time": ("rank,holding_time\n1,\n", "line 2: the holding_time is missing"),
    "a time of 0": ("rank,holding_time\n1,0\n", "line 2: the holding_time must be a number in the range (0, inf)"),
    "a time that is infinite": ("rank,holding_time\n1,inf\n", "line 2: the holding_time must be a number"),
    "a rank twice": ("rank,holding_time\n1,5\n2,4\n1,3\n", "lines 2 and 4: rank 1 has two holding times, 5 and 3"),
    "another column": ("rank,seconds\n1,5\n", "lacks the column 'holding_time'"),
    "nothing": ("", "is empty"),
}


@pytest.mark.parametrize(("text", "says"), TIMES.values(), ids=TIMES)
def test_holding_times_that_are_refused(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "times.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(irmx.DataError, match=re.escape(says)) as refused:
        ByRank(file=str(path))
    assert str(path) in str(refused.value)


def test_holding_times_of_ranks_far_apart() -> None:
    assert list(ByRank({1: 2.0, 4: 1.0, 2: 3.0})["seconds"]) == [2, 3, 3, 1]
    with pytest.raises(irmx.UsageError, match=r"up to rank 1,000,000,000.*at most rank 100,000"):
        ByRank({1: 2.0, 10**9: 1.0})
    with pytest.raises(irmx.UsageError, match="whole number as its rank"):
        ByRank({float("inf"): 2.0})


def test_a_log_of_yandex_of_many_queries_in_one_session(tmp_path: Path) -> None:
    """A click belongs to the last query that lists its URL, however many queries come between."""
    queries = "".join(f"7\t{t}\tQ\tq{t}\t3\tu{t}\tu{t + 1}\tu{t + 1}\n" for t in range(20_000))
    path = tmp_path / "log.txt"
    path.write_text(queries + "".join(f"7\t{t + 20_000}\tC\tu{t}\n" for t in range(20_001)), encoding="utf-8")
    log = read_click_log(path)
    assert sorted(log["session"].tolist()) == [*range(1, 20_001), 20_000]
    assert log["rank"].value_counts().to_dict() == {1: 20_000, 2: 1}


@pytest.mark.parametrize(("speed", "says"), [("5e-324", "too small a speed.*170 words is inf s"), ("1.7e308", "")])
def test_reading_speeds_at_the_ends_of_64_bit_floats(speed: str, says: str) -> None:
    run = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b"], "score": [2, 1], "length": [170, 20]})
    text = f"MPcont(model=GL_AD_ID,times=by_length(speed={speed}))"
    if says:
        with pytest.raises(irmx.UsageError, match=says):
            irmx.calc_aggregate(text, {"q": {"a": 1}}, run)
    else:
        assert list(irmx.calc_aggregate(text, {"q": {"a": 1}}, run).values()) == [1.0]
