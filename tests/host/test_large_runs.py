"""Runs that are read in chunks: the same values, lines and errors as in one piece, and little of them in memory."""

from __future__ import annotations

import gc
import gzip
import itertools
import os
import sys
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import irmx
from irmx import DataError, DataWarning, IrmxError, TopicScores, UsageError
from irmx.data import chunks as chunks_module
from irmx.data.chunks import run_chunks
from irmx.data.files import bytes_of, content_in_blocks, content_of
from irmx.score.scored_runs import _PER_BYTE, scored_runs

MEASURES = "AP nDCG@3 NCP(law=first) RBP(rel=1) NumRet Judged@2 alpha_nDCG@3 IPrec@0.5"
QRELS = {str(t): {"a": 1, "b": 0, "e": 2} for t in range(8)}


def lines_of(topics: list[str], docs: str = "abcdef", tag: str = "tag") -> list[str]:
    """The lines of a run; the documents and scores depend on the topic."""
    return [
        f"{topic} Q0 {doc} {rank} {(int(topic) * 7 + rank * 3) % 5}.5 {tag}\n"
        for topic in topics
        for rank, doc in enumerate(docs[int(topic) % 3 :])
    ]


def memory_for(size: int) -> int:
    """The memory for chunks of so many bytes."""
    return size * _PER_BYTE


def equal(a: dict[Any, TopicScores], b: dict[Any, TopicScores]) -> bool:
    return list(a) == list(b) and all(
        np.array_equal(a[m].values, b[m].values, equal_nan=True)
        and list(a[m].fields) == list(b[m].fields)
        and all(np.array_equal(a[m].fields[f], b[m].fields[f], equal_nan=True) for f in a[m].fields)
        for m in a
    )


@pytest.fixture(scope="module")
def evaluator() -> irmx.Evaluator:
    return irmx.evaluator(MEASURES, QRELS)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of eight topics, of which the qrels have seven, and lack one; they have one that it lacks."""
    path = tmp_path / "some.run"
    path.write_text("".join(lines_of(list("01234568"))))
    return path


# -- the same values -------------------------------------------------------------------------------------------------

ROWS = st.tuples(
    st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=6, unique=True),
    st.lists(st.sampled_from([0.5, 1.0, -2.0, 3e10]), min_size=6, max_size=6),
)
BETWEEN = st.sampled_from([b""] * 6 + [b"\n", b"  \n", b"# a comment of more than six words, really\n", b"#\n"])


@st.composite
def texts_of_runs(draw: st.DrawFn) -> bytes:
    """Return the text of a run whose topics stand together, with whatever may stand in such a file."""
    topics = draw(st.lists(st.sampled_from([*"012345678", "#1", "10", "é"]), min_size=1, max_size=7, unique=True))
    separator, end = draw(st.sampled_from([b" ", b"\t", b"   "])), draw(st.sampled_from([b"\n", b"\r\n"]))
    start = draw(st.sampled_from([b"", b"\xef\xbb\xbf", b"# written by hand\n\n"]))
    lines = []
    for topic in topics:
        docs, scores = draw(ROWS)
        for doc, score in zip(docs, scores, strict=False):
            fields = [topic.encode(), b"Q0", doc.encode(), b"1", repr(score).encode(), b"tag"]
            lines += [draw(BETWEEN), draw(st.sampled_from([b""] * 9 + [b" "])) + separator.join(fields) + end]
    text = start + b"".join(lines)
    return text if draw(st.booleans()) else text.rstrip()


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=texts_of_runs(), size=st.integers(20, 600))
@pytest.mark.filterwarnings("ignore:The rows of topic", "ignore:No document of the run is judged")
def test_values_are_those_of_one_piece(text: bytes, size: int, evaluator: irmx.Evaluator, tmp_path: Path) -> None:
    path = tmp_path / "some.run"
    path.write_bytes(text)
    if set(irmx.read_run(path).topics).isdisjoint(QRELS):
        with pytest.raises(DataError, match="No topic of the run is in the qrels"):
            evaluator.scores(path, memory=memory_for(size))
        return
    assert equal(evaluator.scores(path, memory=memory_for(size)), evaluator.scores(irmx.read_run(path)))


def test_chunks_hold_whole_topics_and_all_lines(run: Path) -> None:
    for size in range(1, run.stat().st_size, 7):
        chunks = list(run_chunks(run, size) or ())
        topics = [chunk().topics for chunk in chunks]
        assert list(itertools.chain(*topics)) == list("01234568")
    assert len(list(run_chunks(run, 1) or ())) > 4
    assert run_chunks(run, run.stat().st_size) is None


def test_white_space_and_comments_do_not_separate_a_topic(tmp_path: Path) -> None:
    path = tmp_path / "some.run"
    lines = lines_of(list("0123"))
    lines[3:3] = ["# a comment of more than six words, really\n", "\n"]
    path.write_text("".join(" " + line for line in lines))
    for size in range(1, path.stat().st_size, 11):
        assert list(itertools.chain(*(chunk().topics for chunk in run_chunks(path, size) or ()))) == list("0123")


@pytest.mark.parametrize("jobs", [1, 2])
def test_several_runs_of_all_kinds_and_sizes(jobs: int, run: Path, tmp_path: Path) -> None:
    small, table = tmp_path / "small.run", tmp_path / "table.csv"
    small.write_text("".join(lines_of(["2"])))
    table.write_text("query_id,doc_id,score\n" + "".join(f"{t},a,1.0\n" for t in range(8)))
    runs = {"large": run, "small": str(small), "table": table, "dict": {"1": {"a": 1.0}}, "run": irmx.read_run(small)}
    with pytest.warns(DataWarning, match="no results for") as at_once:
        expected = irmx.scores(MEASURES, QRELS, runs)
    with pytest.warns(DataWarning, match="no results for") as in_chunks:
        scores = irmx.scores(MEASURES, QRELS, runs, memory=memory_for(300 * jobs), jobs=jobs)
    assert np.array_equal(scores.values, expected.values, equal_nan=True)
    assert scores.retrieved.tolist() == expected.retrieved.tolist()
    assert scores.systems == tuple(runs)
    assert sorted(str(w.message) for w in in_chunks) == sorted(str(w.message) for w in at_once)


@pytest.mark.parametrize("ending", ["gz", "bz2", "xz", "zst"])
def test_compressed_runs(ending: str, run: Path, evaluator: irmx.Evaluator, tmp_path: Path) -> None:
    import bz2
    import lzma
    import zipfile

    packed = tmp_path / f"packed.{ending}"
    data = run.read_bytes()
    if ending == "zip":
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("some.run", data)
    else:
        pack: dict[str, Callable[[bytes], bytes]] = {
            "gz": gzip.compress,
            "bz2": bz2.compress,
            "xz": lzma.compress,
            "zst": lambda text: pa.Codec("zstd").compress(text, asbytes=True),
        }
        packed.write_bytes(pack[ending](data))
    assert len(list(run_chunks(packed, 200) or ())) > 3
    assert equal(evaluator.scores(packed, memory=memory_for(200)), evaluator.scores(run))


def test_a_topic_larger_than_a_chunk_is_a_chunk(tmp_path: Path) -> None:
    path = tmp_path / "some.run"
    path.write_text("1 Q0 a 1 2 t\n" + "".join(f"2 Q0 d{i} 1 {i} t\n" for i in range(500)) + "3 Q0 a 1 2 t\n")
    assert [(c().topics, len(c())) for c in run_chunks(path, 50) or ()] == [
        (["1"], 1),
        (["2"], 500),
        (["3"], 1),
    ]


def test_lines_of_a_topic_that_begin_with_different_space(run: Path, evaluator: irmx.Evaluator, tmp_path: Path) -> None:
    path = tmp_path / "untidy.run"
    space = itertools.cycle(["", " ", "\t", " \t "])
    path.write_text(
        "".join(next(space) + line.replace(" ", next(space) or " ") for line in run.read_text().splitlines(True))
    )
    assert list(itertools.chain(*(c().topics for c in run_chunks(path, 50) or ()))) == list("01234568")
    assert equal(evaluator.scores(path, memory=memory_for(200)), evaluator.scores(run))


def test_a_large_topic_is_searched_a_few_times(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "some.run"
    path.write_text("1 Q0 a 1 2 t\n" + "".join(f"2 Q0 d{i} 1 {i} t\n" for i in range(2000)) + "3 Q0 a 1 2 t\n")
    searched: list[int] = []
    search = chunks_module.start_of_last_topic
    monkeypatch.setattr(
        chunks_module, "start_of_last_topic", lambda content: searched.append(len(content)) or search(content)
    )
    assert [c().topics for c in run_chunks(path, 20) or ()] == [["1"], ["2"], ["3"]]
    assert sum(searched) < 5 * path.stat().st_size


# -- the same lines and errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("4 Q0 z 1 no tag\n", "The score 'no' of the run is not a number"),
        ("4 Q0 z 1\n", "too few fields: 4"),
        ("#x\n", "too few fields: 1 .* a comment needs a space"),
        ("4 Q0 c 1 2.5 tag\n", "more than once for query '4'"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_errors_in_later_chunks_have_the_lines_of_the_file(line: str, says: str, end: str, tmp_path: Path) -> None:
    path = tmp_path / "some.run"
    lines = ["# a comment\n", "\n", *lines_of(list("01234567"))]
    place = next(i for i, text in enumerate(lines) if text.startswith("5"))
    lines.insert(place, line)
    path.write_bytes("".join(lines).replace("\n", end).encode())
    assert len(list(run_chunks(path, 200) or ())) > 3
    with pytest.raises(DataError, match=says) as whole:
        irmx.calc_aggregate("AP", QRELS, irmx.read_run(path))
    with pytest.raises(DataError, match=says) as in_chunks:
        irmx.evaluator("AP", QRELS).scores(path, memory=memory_for(200))
    assert f"{path}, line" in str(in_chunks.value)
    assert str(in_chunks.value) == str(whole.value)


def test_an_error_in_another_process(tmp_path: Path) -> None:
    path = tmp_path / "some.run"
    path.write_text("".join([*lines_of(list("0123456")), "7 Q0 z 1 no tag\n"]))
    last = len(path.read_text().splitlines())
    with pytest.raises(DataError, match=rf"{path}, line {last}: The score 'no' of the run is not a number"):
        irmx.scores("AP", QRELS, [path], memory=memory_for(400), jobs=2)


def test_a_topic_that_returns_is_told_with_both_lines_and_the_run_is_read_at_once(
    evaluator: irmx.Evaluator, tmp_path: Path
) -> None:
    path = tmp_path / "some.run"
    path.write_text("".join([*lines_of(list("012345")), *lines_of(["1"], "-uvwxyz"), *lines_of(["6", "7"])]))
    first = [i for i, line in enumerate(path.read_text().splitlines(), 1) if line.startswith("1 ")]
    again = next(b for a, b in itertools.pairwise(first) if b > a + 1)
    with pytest.warns(DataWarning) as caught:
        scores = irmx.scores(evaluator.measures, QRELS, [path], memory=memory_for(200))
    told = [str(w.message) for w in caught]
    assert told[0].startswith(f"some.run: The rows of topic 1 do not stand together: {path}, line {first[0]} and ")
    assert f"{path}, line {again}." in told[0]
    expected = evaluator.scores(irmx.read_run(path))
    assert all(np.array_equal(scores[m][:, 0], expected[m].values, equal_nan=True) for m in evaluator.measures)


def test_a_run_without_a_common_topic(run: Path) -> None:
    with pytest.raises(DataError, match="No topic of the run is in the qrels"):
        irmx.evaluator("AP", {"none": {"a": 1}}).scores(run, memory=memory_for(100))
    last = irmx.evaluator("P@1", {"8": {"a": 1, "c": 1}})
    assert equal(last.scores(run, memory=memory_for(100)), last.scores(run))


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_damaged_file_is_told_when_the_damage_is_reached(jobs: int, tmp_path: Path) -> None:
    path = tmp_path / "some.run.gz"
    noise = np.random.default_rng(0).integers(0, 10**9, 4000).tolist()
    data = "".join(f"{i // 10} Q0 {n} 1 {n} t\n" for i, n in enumerate(noise)).encode()
    path.write_bytes(gzip.compress(data)[:-2000])
    with pytest.raises(DataError, match=r"some\.run\.gz is compressed, but truncated or damaged"):
        irmx.scores("AP", QRELS, [path], memory=memory_for(1000 * jobs), jobs=jobs)


def test_covariance_between_topics_needs_the_run_at_once(run: Path) -> None:
    class Together(irmx.Measure):
        """Errors that topics share."""

        NAME = "Together"
        SHORT_DESC = "Errors that topics share"

        def score(self, rankings: irmx.Rankings) -> TopicScores:
            topics = len(rankings.topics)
            return TopicScores(np.ones(topics), {"depth": np.ones(topics)}, np.ones((topics, topics)))

    scores = irmx.evaluator([Together()], QRELS)
    whole, in_chunks = scores.scores(irmx.read_run(run)), scores.scores(run, memory=memory_for(200))
    assert equal(whole, in_chunks)
    assert np.array_equal(in_chunks[Together()].covariance, whole[Together()].covariance)


# -- Parquet ---------------------------------------------------------------------------------------------------------


def table_of(topics: list[str]) -> pa.Table:
    rows = [line.split() for line in lines_of(topics)]
    return pa.table({"qid": [r[0] for r in rows], "docno": [r[2] for r in rows], "score": [float(r[4]) for r in rows]})


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    """The run as a folder of parts, one of which ends within a topic."""
    folder = tmp_path / "parts"
    folder.mkdir()
    table = table_of(list("01234568"))
    for i, (a, b) in enumerate(itertools.pairwise([0, 9, 11, len(table)])):
        pq.write_table(table.slice(a, b - a), folder / f"part-{i}.parquet")
    return folder


def test_files_and_folders_in_parquet(parts: Path, run: Path, evaluator: irmx.Evaluator, tmp_path: Path) -> None:
    single = tmp_path / "single.parquet"
    pq.write_table(table_of(list("01234568")), single, row_group_size=5)
    for source, size in itertools.product((parts, single), (20, 100, 400)):
        assert len(list(run_chunks(source, size) or ())) > 1
        assert equal(evaluator.scores(source, memory=memory_for(size)), evaluator.scores(run))
    pq.write_table(table_of(["0", "1", "1"]), single)
    with pytest.raises(
        DataError, match=rf"{single}, rows 6 and 11 \(counted from 0\): The run has the document 'b' more"
    ):
        irmx.evaluator("AP", QRELS).scores(single, memory=memory_for(20))


def test_a_topic_that_returns_in_another_part(parts: Path, evaluator: irmx.Evaluator) -> None:
    pq.write_table(table_of(["0"]).slice(0, 1).set_column(1, "docno", [["z"]]), parts / "part-9.parquet")
    with pytest.warns(
        DataWarning, match=rf"together: {parts}, row 0 .* and {parts}, row {len(table_of(list('01234568')))} "
    ):
        scores = evaluator.scores(parts, memory=memory_for(300))
    assert equal(scores, evaluator.scores(irmx.read_run(parts)))


def test_ids_of_topics_as_categories(run: Path, evaluator: irmx.Evaluator, tmp_path: Path) -> None:
    table = table_of(list("01234568"))
    pq.write_table(table.set_column(0, "qid", table["qid"].dictionary_encode()), tmp_path / "some.parquet")
    assert equal(evaluator.scores(tmp_path / "some.parquet", memory=memory_for(100)), evaluator.scores(run))


@pytest.mark.parametrize("column", ["qid", "docno", "score"])
def test_an_empty_cell_is_told_with_its_row_in_the_file(column: str, evaluator: irmx.Evaluator, tmp_path: Path) -> None:
    table = table_of(list("01234568"))
    cells = table[column].to_pylist()
    cells[20] = None
    path = tmp_path / "some.parquet"
    pq.write_table(table.set_column(table.column_names.index(column), column, [cells]), path)
    for size in (20, 100, 10**6):
        with pytest.raises(DataError, match=rf"{path}.*row 20 \(counted from 0\)"):
            evaluator.scores(path, memory=memory_for(size))


# -- memory and jobs -------------------------------------------------------------------------------------------------


def test_one_chunk_is_in_memory_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "some.run"
    rows = [f" Q0 {'abe'[i] if i < 3 else f'd{i}'} 1 {-i} t\n" for i in range(10_010)]
    path.write_text("".join(f"{topic}{row}" for topic in range(5) for row in rows))
    alive: weakref.WeakSet[Any] = weakref.WeakSet()
    most: list[int] = []
    make = chunks_module.Run.from_table

    def counted(*arguments: Any) -> Any:
        run = make(*arguments)
        alive.add(run)
        most.append(len(alive))
        return run

    monkeypatch.setattr(chunks_module.Run, "from_table", counted)
    irmx.evaluator("NCP(law=first) AP", QRELS).scores(path, memory=memory_for(100_000))
    assert most == [1] * 5


def test_blocks_are_the_content(run: Path) -> None:
    for size in (1, 10, 10**6):
        blocks = list(content_in_blocks(run, "run", size))
        assert b"".join(blocks) == content_of(run)
        assert max(map(len, blocks)) <= max(size, 3)


def test_the_command(run: Path, tmp_path: Path, command: Any) -> None:
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q, docs in QRELS.items() for d, g in docs.items()))
    words = ("eval", "-q", tmp_path / "qrels", run, "AP", "NCP(law=first)")
    whole = command(*words)
    assert command(*words, "--memory", "5KB", "--jobs", 2) == whole
    assert command(*words, "--memory", "5 kb") == whole
    for options, says in [
        (("--memory", "much"), "The memory must be an amount such as 500MB or 1GB, at least 1KB. Got 'much' instead."),
        (("--memory", "4"), "Got '4' instead."),
        (("--memory", "0"), "Got '0' instead."),
        (("--jobs", "0"), "The number of jobs must be an int of 1 or more"),
        (("--backend", "dask"), "needs the address of its scheduler"),
        (("--scheduler", "tcp://a:1"), "requires --backend dask"),
    ]:
        done = command(*words, *options)
        assert (done.code, done.out) == (2, "")
        assert says in done.err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes")
@pytest.mark.parametrize("prefix", ["", "trec:"])
def test_a_pipe_is_read_once(prefix: str, run: Path, evaluator: irmx.Evaluator, tmp_path: Path) -> None:
    """As irmx eval qrels <(zcat some.run.gz) AP does, in which the shell passes a pipe."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(run.read_bytes(),), daemon=True)
    writer.start()
    assert equal(evaluator.scores(f"{prefix}{pipe}", memory=memory_for(100)), evaluator.scores(run))


def test_jobs_where_joblib_may_start_no_process(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with JOBLIB_MULTIPROCESSING=0."""
    import joblib.parallel

    for backend in ("loky", "multiprocessing"):
        monkeypatch.delitem(joblib.parallel.BACKENDS, backend)
    monkeypatch.setattr(joblib.parallel, "DEFAULT_BACKEND", "threading")
    with pytest.warns(DataWarning, match="no results for 1 of 8 topics"):
        one, two = (irmx.scores("AP nDCG@10", QRELS, [run], jobs=jobs).means() for jobs in (1, 2))
    assert one.equals(two)


def test_jobs_need_joblib(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "joblib", None)
    with pytest.raises(IrmxError, match=r"Several jobs need the package joblib. To install: .*'irmx\[jobs\]'"):
        irmx.scores("AP", QRELS, [run], jobs=2)


@pytest.mark.parametrize("memory", ["", "GB", "-1", "1e9", "1 PB", "nan", None])
def test_amounts_of_memory_that_are_none(memory: Any) -> None:
    with pytest.raises(UsageError, match="The memory must be an amount"):
        bytes_of(memory)


def test_of_many_runs_only_what_the_caller_keeps_is_kept() -> None:
    evaluator = irmx.Evaluator("NCP(law=first)", {"q": {"a": 1}})
    scored = scored_runs(evaluator, {name: {"q": {"a": 1.0}} for name in "abc"})
    first = weakref.ref(next(iter(next(scored).scores.values())).values)
    next(scored)
    gc.collect()
    assert first() is None
