"""Runs that are read in chunks: the same values, lines and errors as in one piece, and one chunk in memory at a time."""

import bz2
import gc
import gzip
import itertools
import lzma
import os
import subprocess
import sys
import tempfile
import time
import warnings
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx
from irmx import DataError, DataWarning, TopicScores

MEASURES = "AP nDCG@3 NCP(law=first) RBP(rel=1) NumRet Judged@2 ERR@3 IPrec@0.5"
QRELS = {str(t): {"a": 1, "b": 0, "e": 2} for t in range(8)}
TOPICS = list("01234568")
"""The topics of a run, of which the qrels lack one; they have one that it lacks."""
AMOUNTS: list[Any] = ["1KB", "5KB", 20_000]


def lines_of(topics: list[str], docs: str = "abcdef") -> list[str]:
    """The lines of a run; the documents and scores depend on the topic."""
    return [
        f"{topic} Q0 {doc} {rank} {(int(topic) * 7 + rank * 3) % 5}.5 tag\n"
        for topic in topics
        for rank, doc in enumerate(docs[int(topic) % 3 :])
    ]


def table_of(topics: list[str]) -> pa.Table:
    rows = [line.split() for line in lines_of(topics)]
    return pa.table({"qid": [r[0] for r in rows], "docno": [r[2] for r in rows], "score": [float(r[4]) for r in rows]})


def assert_equal(found: dict[Any, TopicScores], expected: dict[Any, TopicScores]) -> None:
    assert list(found) == list(expected)
    for one, other in zip(found.values(), expected.values(), strict=True):
        np.testing.assert_array_equal(one.values, other.values)
        np.testing.assert_equal(dict(one.fields), dict(other.fields))


@pytest.fixture(scope="module")
def evaluator() -> irmx.toolkit.Evaluator:
    return irmx.evaluator(MEASURES, QRELS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where one run is a file in several forms, and a folder of parts, of which one ends within a topic."""
    folder = tmp_path_factory.mktemp("runs")
    text, table = "".join(lines_of(TOPICS)), table_of(TOPICS)
    space = itertools.cycle(["", " ", "\t", " \t "])
    untidy = "".join(next(space) + line.replace(" ", next(space) or " ") for line in text.splitlines(True))
    remark = "\ufeff# written by hand\n\n" + text.replace("3 Q0 b", "# a comment of more than six words\n\n3 Q0 b")
    for name, content in {"run": text, "untidy": untidy, "remark": remark}.items():
        (folder / f"some.{name}").write_text(content, encoding="utf-8")
    packers: dict[str, Any] = {
        "gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": lambda t: pa.Codec("zstd").compress(t, asbytes=True),
    }  # fmt: skip
    for ending, pack in packers.items():
        (folder / f"some.{ending}").write_bytes(pack(text.encode()))
    pq.write_table(table, folder / "some.parquet", row_group_size=5)
    pq.write_table(table.set_column(0, "qid", table["qid"].dictionary_encode()), folder / "categories.parquet")
    (folder / "parts").mkdir()
    for i, (a, b) in enumerate(itertools.pairwise([0, 9, 11, len(table)])):
        pq.write_table(table.slice(a, b - a), folder / "parts" / f"part-{i}.parquet")
    return folder


FORMS = ["some.run", "some.untidy", "some.remark", "some.gz", "some.bz2", "some.xz", "some.zst", "some.parquet"]


@pytest.mark.parametrize("name", [*FORMS, "categories.parquet", "parts"])
def test_values_are_those_of_one_piece_in_every_form(name: str, folder: Path, evaluator: Any) -> None:
    expected = evaluator.scores(irmx.read_run(folder / "some.run"))
    for memory in AMOUNTS:
        assert_equal(evaluator.scores(folder / name, memory=memory), expected)


ROWS = st.tuples(
    st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=6, unique=True),
    st.lists(st.sampled_from([0.5, 1.0, -2.0, 3e10]), min_size=6, max_size=6),
)
RUNS = st.dictionaries(st.sampled_from(["0", "3", "12", "7", "#1", "10", "é"]), ROWS, min_size=1)


@given(RUNS, st.sampled_from(" \t"), st.sampled_from(["\n", "\r\n", "\n  \n", "\n# a comment, with more than six words\n"]), st.booleans(),
       st.integers(1000, 30_000))  # fmt: skip
def test_values_are_those_of_one_piece_in_every_layout(
    folder: Path, evaluator: irmx.toolkit.Evaluator, run: Any, blank: str, end: str, ended: bool, memory: int
) -> None:
    lines = [f"{t} Q0 {d} 1 {s} tag".replace(" ", blank) for t, of in run.items() for d, s in zip(*of, strict=False)]
    path = folder / "drawn.run"
    path.write_bytes((end.join(lines) + end * ended).encode())
    if run.keys().isdisjoint(QRELS):
        with pytest.raises(DataError, match="No topic of the run is in the qrels"):
            evaluator.scores(path, memory=memory)
    else:
        assert_equal(evaluator.scores(path, memory=memory), evaluator.scores(irmx.read_run(path)))


@pytest.mark.parametrize("jobs", [1, 2])
def test_several_runs_of_all_kinds_and_sizes(jobs: int, folder: Path) -> None:
    (folder / "small.run").write_text("".join(lines_of(["2"])))
    (folder / "table.csv").write_text("query_id,doc_id,score\n" + "".join(f"{t},a,1.0\n" for t in range(8)))
    names = ["some.run", "small.run", "table.csv", "some.gz", "parts"]
    small = irmx.read_run(folder / "small.run")
    runs = {**{name: folder / name for name in names}, "dict": {"1": {"a": 1.0}}, "Run": small}
    with pytest.warns(DataWarning, match="no results for") as at_once:
        expected = irmx.scores("AP NCP(law=first)", QRELS, runs)
    with pytest.warns(DataWarning, match="no results for") as in_chunks:
        scores = irmx.scores("AP NCP(law=first)", QRELS, runs, memory=10_000 * jobs, jobs=jobs)
    np.testing.assert_array_equal(scores.values, expected.values)
    assert (scores.states.tolist(), scores.systems) == (expected.states.tolist(), tuple(runs))
    assert sorted(str(w.message) for w in in_chunks) == sorted(str(w.message) for w in at_once)


ALIVE, MOST = weakref.WeakSet[Any](), list[int]()


class Watches(irmx.Measure):
    """It counts the rankings that are in memory, and has errors that topics share."""

    NAME = "Watches"

    def score(self, rankings: irmx.Rankings) -> TopicScores:
        ALIVE.add(rankings)
        MOST.append(len(ALIVE))
        return TopicScores(np.ones(len(rankings)), {"depth": np.ones(len(rankings))})


def test_one_chunk_is_in_memory_at_a_time_also_one_of_a_large_topic(tmp_path: Path) -> None:
    rows = [f" Q0 {'abe'[i] if i < 3 else f'd{i}'} 1 {-i} t\n" for i in range(10_010)]
    (tmp_path / "run").write_text("9 Q0 a 1 1 t\n" + "".join(f"{topic}{row}" for topic in range(5) for row in rows))
    MOST.clear()
    found = irmx.evaluator([Watches(), "NCP(law=first)"], QRELS).scores(tmp_path / "run", memory="1MB")
    assert [s.values.tolist() for s in found.values()] == [[1] * 5 + [0] * 3] * 2
    assert (len(MOST), max(MOST)) == (5, 1)


PEAK = """
import sys, irmx, pyarrow
print(irmx.evaluator("NumRet", {"0": {"a": 1}}).scores(sys.argv[1], memory="100MB").popitem()[1].values[0],
      pyarrow.default_memory_pool().max_memory())
"""


@pytest.mark.parametrize("parts", [0, 2])
def test_a_parquet_file_of_any_length_takes_the_memory_of_a_chunk(parts: int, tmp_path: Path) -> None:
    ids = np.random.default_rng(0).bytes(40_000_000).hex()
    rows, width = 20_000, 200
    (tmp_path / "run").mkdir()
    for part in range(max(1, parts)):
        path = tmp_path / "run" / f"{part}.parquet" if parts else tmp_path / "run.parquet"
        with pq.ParquetWriter(path, table_of(["0"]).schema) as writer:
            for topic in range(part * 10, part * 10 + 20 // max(1, parts)):
                start = topic * rows * width
                docs = [ids[i : i + width] for i in range(start, start + rows * width, width)]
                writer.write(pa.table({"qid": [str(topic)] * rows, "docno": docs, "score": np.arange(rows, 0, -1.0)}))
    done = subprocess.run(
        [sys.executable, "-c", PEAK, "run" if parts else "run.parquet"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    value, peak = map(float, done.stdout.split())
    assert value == rows
    assert peak < 40_000_000, "of 80 MB on disk"


def test_one_run_of_several_is_in_memory_at_a_time(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.run" for number in range(4)]
    for path in paths:
        path.write_text("".join(f"0 Q0 {'abe'[i] if i < 3 else f'd{i}'} 1 {-i} t\n" for i in range(10_010)))
    MOST.clear()
    with pytest.warns(DataWarning, match="no results for 7 of 8 topics"):
        irmx.scores([Watches(), "NCP(law=first)"], QRELS, paths)
    assert (len(MOST), max(MOST)) == (4, 1)


# -- the same lines and errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "end", "jobs"),
    [("4 Q0 z 1 no tag", "\r\n", 1), ("4 Q0 z 1 no tag", "\n", 2), ("#x", "\n", 1), ("4 Q0 c 1 2.5 tag", "\n", 1)],
)
def test_errors_in_later_chunks_have_the_lines_of_the_file(line: str, end: str, jobs: int, tmp_path: Path) -> None:
    path = tmp_path / "some.run"
    lines = ["# a comment\n", "\n", *lines_of(list("01234567"))]
    place = next(i for i, text in enumerate(lines) if text.startswith("5"))
    path.write_bytes("".join([*lines[:place], f"{line}\n", *lines[place:]]).replace("\n", end).encode())
    with pytest.raises(DataError) as whole:
        irmx.calc_aggregate("AP", QRELS, irmx.read_run(path))
    with pytest.raises(DataError, match=rf"{path}, lines? (\d+ and )?{place + 1}:") as in_chunks:
        irmx.scores("AP", QRELS, {"": path}, memory=10_000 * jobs, jobs=jobs)
    assert str(whole.value) in str(in_chunks.value)


@pytest.mark.parametrize("column", ["qid", "docno", "score"])
def test_an_empty_cell_and_a_repeat_are_told_with_their_rows(column: str, evaluator: Any, tmp_path: Path) -> None:
    table, path = table_of(TOPICS), tmp_path / "some.parquet"
    cells = table[column].to_pylist()
    cells[20] = None
    pq.write_table(table.set_column(table.column_names.index(column), column, [cells]), path)
    for memory in ("1KB", "5KB", "1GB"):
        with pytest.raises(DataError, match=rf"{path}.*row 20 \(counted from 0\)"):
            evaluator.scores(path, memory=memory)
    pq.write_table(table_of(["0", "1", "1"]), path)
    with pytest.raises(DataError, match=rf"{path}, rows 6 and 11 \(counted from 0\).*'b' more than once"):
        irmx.evaluator("AP", QRELS).scores(path, memory="1KB")


def test_a_topic_that_returns_is_told_with_both_places_and_brought_together(
    folder: Path, evaluator: irmx.toolkit.Evaluator, tmp_path: Path
) -> None:
    path, parts = tmp_path / "some.run", tmp_path / "parts"
    path.write_text("".join([*lines_of(list("012345")), *lines_of(["1"], "-uvwxyz"), *lines_of(["6", "7"])]))
    parts.mkdir()
    pq.write_table(table_of(TOPICS), parts / "part-0.parquet")
    pq.write_table(table_of(["0"]).slice(0, 1).set_column(1, "docno", [["z"]]), parts / "part-9.parquet")
    at = [i for i, line in enumerate(path.read_text().splitlines(), 1) if line.startswith("1 ")]
    places = {path: ("1", f"line {at[0]}", f"line {at[5]}"), parts: ("0", "row 0", f"row {len(table_of(TOPICS))}")}
    for source, (topic, first, again) in places.items():
        with pytest.warns(DataWarning, match=rf"topic {topic} do.* not stand together: .*{first}\b.*{again}\b"):
            scores = evaluator.scores(source, memory="10KB")
        assert_equal(scores, evaluator.scores(irmx.read_run(source)))


def test_a_run_in_no_order_is_scored_a_part_at_a_time_with_its_own_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    path, by_topic = tmp_path / "some.run", irmx.evaluator([Watches(), MEASURES], QRELS)
    for lines in (
        [f"{i % 5} Q0 {'abe'[i // 5] if i < 15 else f'd{i}'} 1 {-i} t\n" for i in range(100_000)],
        [f"{i // 10 % 8} Q0 {'abe'[i % 10] if i < 80 and i % 10 < 3 else f'd{i}'} 1 {-i} t\n" for i in range(100_000)],
    ):
        path.write_text("# a comment\n" + "".join(lines))
        whole = by_topic.scores(irmx.read_run(path))
        gc.collect()
        MOST.clear()
        with pytest.warns(DataWarning, match="do not stand together"):
            assert_equal(by_topic.scores(path, memory="50MB"), whole)
        assert (len(MOST) > 3, max(MOST)) == (True, 1)
        path.write_text("".join([*lines[:77_777], lines[41], *lines[77_777:]]))
        with (
            pytest.warns(DataWarning),
            pytest.raises(DataError, match=r"some.run, lines 42 and 77778: .*more than once"),
        ):
            irmx.evaluator("AP", QRELS).scores(path, memory="20MB")
    assert not list((tmp_path / "temporary").iterdir())


def test_a_run_in_no_order_may_end_with_a_comment_or_within_a_line(tmp_path: Path) -> None:
    lines, path, scorer = (
        [f"{i % 3} Q0 d{i} 1 {-i} t\n" for i in range(3000)],
        tmp_path / "some.run",
        irmx.evaluator("NumRet", QRELS),
    )
    for end in ("", "\n", "# the end\n", "\n \n# the\n# end"):
        path.write_text("".join(lines) + end)
        for memory in range(300_000, 2_200_000, 190_000):
            with pytest.warns(DataWarning, match="together"):
                assert_equal(scorer.scores(path, memory=memory), scorer.scores(irmx.read_run(path)))
    path.write_text("".join(lines) + "2 Q0 d3")
    for memory in range(300_000, 2_200_000, 190_000):
        with pytest.warns(DataWarning), pytest.raises(DataError, match="line 3001"):
            scorer.scores(path, memory=memory)


@pytest.mark.skipif(os.name == "nt", reason="limits files as POSIX does")
def test_a_disk_without_room_for_a_run_in_no_order(tmp_path: Path) -> None:
    import resource

    path = tmp_path / "some.run"
    path.write_text("".join(f"{i % 8} Q0 d{i} 1 {-i} t\n" for i in range(100_000)))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.warns(DataWarning), pytest.raises(DataError, match="TMPDIR"):
            irmx.evaluator("AP", QRELS).scores(path, memory="20MB")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


# -- threads and processes -----------------------------------------------------------------------------------------------


def jobs_of(qrels: Any, runs: dict[str, Path], memory: str) -> list[tuple[Any, list[str]]]:
    """The values of runs, or the error, and which runs are warned of, of one thread and of two."""
    found = []
    for jobs in (1, 2):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                values = irmx.scores(MEASURES, qrels, runs, memory=memory, jobs=jobs).values.tobytes()
            except DataError as error:
                values = str(error)
        found.append((values, sorted(str(w.message).partition(":")[0] for w in warned)))
    return found


@pytest.fixture(scope="module")
def shuffled() -> pa.Table:
    """A run in which no topic stands together."""
    table = table_of(list("01234567"))
    return table.take(pa.array(np.random.default_rng(3).permutation(len(table))))


def test_several_threads_score_a_parquet_file_in_any_order_of_rows(
    folder: Path, shuffled: pa.Table, tmp_path: Path
) -> None:
    ordered = table_of(list("01234567"))
    ints = ordered.set_column(0, "qid", ordered["qid"].cast(pa.int64()))
    is_late = [topic >= "4" for topic in shuffled["qid"].to_pylist()]
    two_halves = shuffled.take(pa.array(np.argsort(is_late, kind="stable")))
    tables = {"ordered": ordered, "ints": ints, "shuffled": shuffled, "halves": two_halves,
              "shuffled_ints": shuffled.set_column(0, "qid", shuffled["qid"].cast(pa.int64()))}  # fmt: skip
    runs = {"parts": folder / "parts", "categories": folder / "categories.parquet"}
    for name, table in tables.items():
        for size in (1, 5, 1000):
            runs[f"{name}{size}"] = tmp_path / f"{name}{size}.parquet"
            pq.write_table(table, runs[f"{name}{size}"], row_group_size=size)
    one, two = jobs_of(QRELS, runs, "1KB")
    assert one == two
    assert isinstance(one[0], bytes)
    assert {name for name in runs if name.startswith(("shuffled", "halves"))} < set(one[1])


FAULTS: dict[str, list[tuple[str, Any]]] = {
    "together": [("qid", None), ("docno", "repeat")],
    "shuffled": [("score", float("nan")), ("docno", "repeat")],
}


@pytest.mark.parametrize("order", FAULTS)
def test_several_threads_tell_the_same_errors(order: str, shuffled: pa.Table, tmp_path: Path) -> None:
    table = shuffled if order == "shuffled" else table_of(list("01234567"))
    path = tmp_path / "some.parquet"
    for column, cell in FAULTS[order]:
        cells = table[column].to_pylist()
        same = [i for i in range(len(table)) if table["qid"][i] == table["qid"][20] and i != 20]
        cells[20] = cells[same[0]] if cell == "repeat" else cell
        pq.write_table(table.set_column(table.column_names.index(column), column, [cells]), path, row_group_size=5)
        (one, _), (two, _) = jobs_of(QRELS, {"": path}, "2KB")
        assert one == two
        assert "20" in one


def test_faulty_qrels_are_told_of_while_a_faulty_run_is_read(folder: Path, tmp_path: Path) -> None:
    qrels, run = tmp_path / "some.qrels", tmp_path / "some.run"
    qrels.write_text("1 0 d1 1\n1 0 d2 x\n")
    run.write_text((folder / "some.run").read_text().replace(" ", "", 2))
    (one, _), (two, _) = jobs_of(qrels, {"": run}, "2KB")
    assert one == two
    assert f"{qrels}, line 2" in one


class Prints(irmx.Measure):
    """It prints, and has the value 1."""

    NAME = "Prints"

    def score(self, rankings: irmx.Rankings) -> Any:
        print("working")
        return np.ones(len(rankings))


def test_evaluations_in_threads_harm_neither_each_other_nor_the_process(folder: Path) -> None:
    """Values, warnings, the filters of warnings and standard output, with plugins that print; threads change as often as they can."""
    names = ["some.run", "parts", "categories.parquet", "some.gz"]
    measures = [MEASURES, "AP Bpref", "MP(model=GL_AD_ID) P@2", [Prints(), "RBP(rel=1)"], "IPrec@0.5 NumRet"]
    judgments = irmx.read_qrels(QRELS)

    def evaluate(number: int) -> bytes:
        source, measure = folder / names[number % 4], measures[number % 5]
        values = irmx.scores(measure, judgments, {f"{number}": source}, memory=AMOUNTS[number % 3], jobs=1 + number % 2)
        return values.values.tobytes() + repr(irmx.evaluator(measure, QRELS).calc_aggregate(source)).encode()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        alone = list(map(evaluate, range(50)))
    interval, before = sys.getswitchinterval(), (sys.stdout, warnings.showwarning)
    sys.setswitchinterval(1e-6)
    try:
        with warnings.catch_warnings(), ThreadPoolExecutor(6) as pool:
            warnings.simplefilter("ignore")
            filters = list(warnings.filters)
            assert list(pool.map(evaluate, range(50))) == alone
            assert warnings.filters == filters
    finally:
        sys.setswitchinterval(interval)
    assert (sys.stdout, warnings.showwarning) == before


class Process(irmx.Measure):
    """The number of the process; it takes a while if asked."""

    NAME, RANGE = "Process", (0, float("inf"))
    SUPPORTED_PARAMS = {"seconds": irmx.Param(float, "how long it takes", default=0.0, low=0)}

    def score(self, rankings: irmx.Rankings) -> Any:
        time.sleep(self["seconds"])
        return np.full(len(rankings), float(os.getpid()))


@pytest.mark.parametrize("seconds", [0.0, pytest.param(0.8, marks=pytest.mark.slow)])
def test_processes_score_runs_that_take_long(seconds: float, folder: Path) -> None:
    """The run is in eight chunks, so that it takes two threads four times as many seconds."""
    runs = {str(number): folder / "some.run" for number in range(5)}
    with pytest.warns(DataWarning, match="no results for 1 of 8 topics"):
        scores = irmx.scores([Process(seconds=seconds)], QRELS, runs, jobs=2, memory="1KB")
    by_run = [set(row[row > 0].tolist()) for row in scores.values[:, :, 0].T]
    assert by_run[0] == {float(os.getpid())}
    assert len(set().union(*by_run)) == (3 if seconds else 1)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*no results for 1 of 8 topics")
def test_a_run_that_no_process_can_be_sent_is_an_error_and_no_process_waits_for_it(
    folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "part-0.parquet").write_bytes(b"PAR1 and no more")
    runs = {"one": folder / "some.run", "two": folder / "some.run", "three": tmp_path / "parts"}
    with pytest.raises(DataError, match=r"three: .*not a sound Parquet file"):
        irmx.scores([Process(seconds=3.1)], QRELS, runs, jobs=2)


# -- memory and jobs -------------------------------------------------------------------------------------------------


def test_the_command(folder: Path, command: Callable[..., Any]) -> None:
    (folder / "qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q, docs in QRELS.items() for d, g in docs.items()))
    words = ("eval", "-q", folder / "qrels", folder / "some.run", "AP", "NCP(law=first)")
    whole = command(*words)
    assert (whole.code, len(whole.out.splitlines())) == (0, 18)
    assert command(*words, "--memory", "5KB", "--jobs", 2) == command(*words, "--memory", "5 kb") == whole
    verbose = command(*words, "--memory", "5KB", "--jobs", 2, "-v")
    assert (verbose.out, "by 2 threads" in verbose.err) == (whole.out, True)
    wrong = [("--memory", text) for text in ("much", "4", "-1", "1e9", "1 PB", "nan")]
    for options in [*wrong, ("--jobs", "0"), ("--backend", "dask"), ("--scheduler", "tcp://a:1")]:
        done = command(*words, *options)
        assert (done.code, done.out, options[1] in done.err or options[0] in done.err) == (2, "", True)


def test_jobs_where_joblib_may_start_no_process_or_is_missing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with JOBLIB_MULTIPROCESSING=0."""
    import joblib.parallel

    for backend in ("loky", "multiprocessing"):
        monkeypatch.delitem(joblib.parallel.BACKENDS, backend)
    monkeypatch.setattr(joblib.parallel, "DEFAULT_BACKEND", "threading")
    with pytest.warns(DataWarning, match="no results for 1 of 8 topics"):
        one, two = (irmx.scores("AP nDCG@10", QRELS, [folder / "some.run"], jobs=jobs).means() for jobs in (1, 2))
    assert one.equals(two)
    monkeypatch.setitem(sys.modules, "joblib", None)
    with pytest.warns(DataWarning, match="no results for 1 of 8 topics"):
        assert irmx.scores("AP nDCG@10", QRELS, [folder / "some.run"], jobs=1).means().equals(one)
    with pytest.raises(irmx.IrmxError, match="pip install joblib"):
        irmx.scores("AP", QRELS, [folder / "some.run"], jobs=2)
