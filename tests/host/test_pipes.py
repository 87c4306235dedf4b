"""Named pipes, pipes of the shell, and other paths that are no files: nothing waits for ever."""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import irmx
from irmx.data import content, pipes
from irmx.data.pipes import Pipes

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes")

QRELS, RUN = "q 0 a 1\nr 0 b 2\n", "q Q0 x 1 2.0 t\nq Q0 a 2 1.0 t\nr Q0 b 1 1.0 t\n"


@pytest.fixture(autouse=True)
def _unread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "pipes", Pipes())
    monkeypatch.setattr(pipes, "_WAIT_SECONDS", 0.1)


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Callable[[str], str]]:
    """Return a function that writes to a pipe, once, and returns its path."""
    path, writers = tmp_path / "pipe", list[threading.Thread]()
    os.mkfifo(path)
    for name, text in (("qrels", QRELS), ("run", RUN)):
        (tmp_path / name).write_text(text)

    def write(text: str) -> str:
        writers.append(threading.Thread(target=path.write_text, args=(text,), daemon=True))
        writers[-1].start()
        return str(path)

    yield write
    for writer in writers:
        writer.join()


REPEATED = {
    "trec": RUN + "q Q0 a 3 0.5 t\n",
    "csv": "query_id,doc_id,score\nq,x,3\nq,a,2\nr,b,2\nq,a,1\n",
    "tsv": "query_id\tdoc_id\tscore\nq\tx\t3\nq\ta\t2\nr\tb\t2\nq\ta\t1\n",
    "jsonl": "".join(f'{{"query_id": "q", "doc_id": "{doc}", "score": 1}}\n' for doc in "xaba"),
}


@pytest.mark.parametrize("form", REPEATED)
@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_errors_found_after_reading_have_their_lines_in_any_process(
    form: str, jobs: int, pipe: Callable[[str], str], tmp_path: Path
) -> None:
    """A process that scores a run cannot read it from the pipe; it waited for ever."""
    lines = "3 and 5" if form in ("csv", "tsv") else "2 and 4"
    with pytest.raises(irmx.DataError, match=rf"pipe, lines {lines}: The run has the document 'a' more than once"):
        irmx.scores("NCP(law=first)", str(tmp_path / "qrels"), [f"{form}:{pipe(REPEATED[form])}"], jobs=jobs)


def test_a_run_from_a_pipe_keeps_its_lines_when_it_is_pickled(pipe: Callable[[str], str]) -> None:
    import pickle

    run = pickle.loads(pickle.dumps(irmx.read_run(pipe(REPEATED["trec"]))))
    with pytest.raises(irmx.DataError, match="pipe, lines 2 and 4"):
        run.refuse_repeats()


def test_a_pipe_given_twice_is_an_error(
    pipe: Callable[[str], str], tmp_path: Path, command: Callable[..., Any]
) -> None:
    done = command("eval", pipe(QRELS), "pipe", "AP", cwd=tmp_path)
    says = (
        "irmx: pipe: This pipe was already read, as the qrels; a pipe can be read once, and nothing has been written to it since. "
        "Give the run as a file.\n"
    )
    assert (done.code, done.out, done.err) == (2, "", says)
    done = command("eval", "qrels", "./pipe", "AP", cwd=tmp_path)
    assert (done.code, done.err) == (2, says)


def test_a_pipe_that_is_written_to_again_is_read_again(
    pipe: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipes, "_WAIT_SECONDS", 60)
    assert irmx.read_qrels(pipe(QRELS)).as_dict() == {"q": {"a": 1}, "r": {"b": 2}}
    assert irmx.read_run(pipe(RUN)).as_dict()["q"] == {"x": 2.0, "a": 1.0}


def test_the_start_of_a_pipe_can_be_looked_at_before_it_is_read(pipe: Callable[[str], str]) -> None:
    path = pipe(RUN)
    assert irmx.content_of(path, size=3) == b"q Q"
    assert irmx.content_of(path, size=1) == b"q"
    assert irmx.content_of(path) == RUN.encode()


def test_a_pipe_of_the_shell(tmp_path: Path) -> None:
    if not os.path.exists("/dev/fd"):
        pytest.skip("there are no descriptors as files")
    reading, writing = os.pipe()
    os.write(writing, RUN.encode())
    os.close(writing)
    try:
        assert irmx.read_run(f"/dev/fd/{reading}").topics == ["q", "r"]
        with pytest.raises(irmx.IrmxError, match=r"already read, as the run|is empty"):
            irmx.read_run(f"/dev/fd/{reading}")
    finally:
        os.close(reading)


def test_devices_and_sockets() -> None:
    with pytest.raises(irmx.DataError, match=f"{os.devnull} is empty"):
        irmx.read_run(os.devnull)
    with pytest.raises(irmx.DataError, match="/dev/zero: This is a device, not a file or a pipe"):
        irmx.read_run("/dev/zero")


def test_a_socket_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("socket")
        with pytest.raises(irmx.DataError, match=r"^socket cannot be read: "):
            irmx.read_run("socket")


@pytest.mark.parametrize("change", ["removed", "shorter", "another"])
def test_a_file_that_changes_after_it_was_read_gives_no_wrong_lines(change: str, tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text(REPEATED["trec"])
    run = irmx.read_run(path)
    if change == "removed":
        path.unlink()
    else:
        path.write_text("q" if change == "shorter" else "\n\n" + REPEATED["trec"])
    with pytest.raises(irmx.DataError, match=rf"^{path}: The run has the document 'a' more than once"):
        run.refuse_repeats()
