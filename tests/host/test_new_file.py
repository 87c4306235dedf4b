"""A file is whole or not there, whatever happens while it is written, and wherever it is."""

import errno
import os
import select
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import irmx
from irmx import DataError
from irmx.demo import qrels_path, run_path

posix = pytest.mark.skipif(os.name == "nt", reason="about files of POSIX")


def write(path: Any, content: bytes = b"new") -> None:
    with irmx.toolkit.new_file(path) as file:
        file.write(content)


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Let the system refuse larger files to this process, as it does on a full disk."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A file that is there, alone in its folder."""
    path = tmp_path / "old.csv"
    path.write_bytes(b"old")
    return path


def test_a_new_file_appears_and_an_old_one_is_replaced(old: Path) -> None:
    write(old)
    write(str(old.with_name("new")), b"")
    assert (old.read_bytes(), old.with_name("new").read_bytes()) == (b"new", b"")
    assert sorted(path.name for path in old.parent.iterdir()) == ["new", "old.csv"]


def test_a_name_may_be_as_long_as_the_system_allows(tmp_path: Path) -> None:
    write(tmp_path / ("a" * 255))
    write(tmp_path / ("ä" * 127))
    with pytest.raises(DataError, match=r"a cannot be written: .*[Tt]oo long"):
        write(tmp_path / ("a" * 256))


FAULTS: dict[str, type[BaseException]] = {
    "Ctrl-C": KeyboardInterrupt, "too little memory": MemoryError, "fsync": DataError, "replace": DataError,
    "full disk, told when it is closed": DataError, "full disk, told while it is written": DataError,
}  # fmt: skip


@posix
@pytest.mark.parametrize("fault", FAULTS)
def test_after_any_fault_the_old_file_is_there_and_nothing_else(old: Path, monkeypatch: Any, fault: str) -> None:
    def refuse(*given: Any) -> None:
        raise OSError(errno.EDQUOT, "...")

    def fail() -> None:
        with irmx.toolkit.new_file(old, advice="Make room.") as file:
            file.write(b"a" * (999_999 if "while" in fault else 9))
            if FAULTS[fault] is not DataError:
                raise FAULTS[fault]

    if hasattr(os, fault):
        monkeypatch.setattr(os, fault, refuse)
    with files_of_at_most(8 if "disk" in fault else 99), pytest.raises(FAULTS[fault]) as error:
        fail()
    if FAULTS[fault] is DataError:
        reason = os.strerror(errno.EFBIG if "disk" in fault else errno.EDQUOT)
        assert str(error.value) == f"{old} cannot be written: {reason}. Make room."
    assert (old.read_bytes(), list(old.parent.iterdir())) == (b"old", [old])


def test_what_is_no_file_is_told(old: Path) -> None:
    for path, reason in (
        (old.parent, os.strerror(errno.EISDIR)),
        (old.parent / "none" / "new", f"there is no folder {old.parent / 'none'}"),
        (old / "new", os.strerror(errno.ENOTDIR)),
    ):
        with pytest.raises(DataError) as refused:
            write(path)
        assert str(refused.value) == f"{path} cannot be written: {reason}."


@posix
def test_permissions_are_those_of_the_old_file_or_those_that_new_files_get(old: Path) -> None:
    plain = old.with_name("plain")
    plain.touch()
    for mode in (0o640, 0o604, 0o777):
        old.chmod(mode)
        write(old)
        assert old.stat().st_mode & 0o777 == mode
    write(old.with_name("new"))
    assert old.with_name("new").stat().st_mode == plain.stat().st_mode


@posix
def test_a_symbolic_link_stays_and_its_target_is_written(old: Path) -> None:
    elsewhere = old.parent / "elsewhere"
    elsewhere.mkdir()
    for link, target in (("direct", "../old.csv"), ("chain", "direct"), ("dangling", "not-yet.csv")):
        (elsewhere / link).symlink_to(target)
        write(elsewhere / link, link.encode())
        assert (elsewhere / link).is_symlink()
        assert (elsewhere / link).read_bytes() == link.encode()
    assert old.read_bytes() == b"chain"
    (elsewhere / "circle").symlink_to("circle")
    with pytest.raises(DataError, match=os.strerror(errno.ELOOP)):
        write(elsewhere / "circle")
    assert len(list(elsewhere.iterdir())) == 5


@posix
def test_a_planted_link_is_not_followed(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secrets.token_hex", lambda size: "guessed")
    (old.parent / ".new.guessed.unfinished").symlink_to(old)
    with pytest.raises(DataError, match=os.strerror(errno.EEXIST)):
        write(old.with_name("new"), b"harm")
    assert old.read_bytes() == b"old"


@posix
def test_a_pipe_gets_everything_and_a_device_takes_it(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write(pipe)
    reader.join()
    assert got == [b"new"]
    write(os.devnull)
    if os.path.exists("/dev/full"):
        with pytest.raises(DataError, match=rf"^/dev/full cannot be written: {os.strerror(errno.ENOSPC)}\.$"):
            write("/dev/full")
    assert list(tmp_path.iterdir()) == [pipe]


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="there is no /dev/stdout")
def test_standard_output_gets_it_between_what_is_printed(tmp_path: Path) -> None:
    code = "import irmx; print('before')\nwith irmx.toolkit.new_file('/dev/stdout') as file: file.write(b'new\\n')\nprint('after')"
    with (tmp_path / "out").open("wb") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True)
    piped = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True).stdout
    assert (tmp_path / "out").read_bytes() == piped == b"before\nnew\nafter\n"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@contextmanager
def as_nobody() -> Iterator[None]:
    """Be a user to whom something can be forbidden, also where the superuser runs the tests."""
    if os.geteuid() != 0:
        yield
        return
    os.setresuid(65534, 65534, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


@posix
def test_what_is_forbidden_stays_and_is_told(tmp_path: Path) -> None:
    reason = os.strerror(errno.EACCES)
    write(tmp_path / "first")  # which imports what another user may be forbidden to read
    with as_nobody(), tempfile.TemporaryDirectory() as folder:
        old = Path(folder) / "old"
        old.write_bytes(b"old")
        old.chmod(0o444)
        with pytest.raises(DataError, match=rf"cannot be written: {reason}\.$"):
            write(old)
        old.chmod(0o644)
        old.parent.chmod(0o555)
        try:
            with pytest.raises(DataError, match=rf"that would replace it cannot be made in the folder .*\({reason}\)"):
                write(old)
        finally:
            old.parent.chmod(0o755)
        assert old.read_bytes() == b"old"


def test_readers_and_writers_at_the_same_time_see_whole_files(old: Path) -> None:
    contents = [letter * 100_000 for letter in (b"a", b"b", b"c")]

    def again(what: Callable[[], object]) -> threading.Thread:
        thread = threading.Thread(target=lambda: [what() for _ in range(20)])
        thread.start()
        return thread

    seen: list[bytes] = []
    threads = [again(lambda content=content: write(old, content)) for content in contents]  # type: ignore[misc]
    threads.append(again(lambda: seen.append(old.read_bytes())))
    for thread in threads:
        thread.join()
    assert len(seen) == 20
    assert set(seen) <= {b"old", *contents}
    assert old.read_bytes() in contents
    assert list(old.parent.iterdir()) == [old]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_standard_output_on_a_full_disk_is_told_at_whatever_moment() -> None:
    for unbuffered in ("", "1"):  # at the end, and at the first line
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [sys.executable, "-c", "from irmx.cli import main; main()", "demo"],
                env={**os.environ, "PYTHONUNBUFFERED": unbuffered}, stdout=full, stderr=subprocess.PIPE, text=True,
            )  # fmt: skip
        assert (done.returncode, done.stderr) == (1, "irmx: The output cannot be written: No space left on device\n")


EVAL = [sys.executable, "-c", "from irmx.cli import main; main()", "eval", str(qrels_path()), str(run_path("bm25"))]


@pytest.mark.skipif(os.name == "nt", reason="limits files as POSIX does")
@pytest.mark.parametrize(("unbuffered", "output", "sizes"), [("", "csv", 3), ("1", "csv", 1), ("", "table", 1)])
def test_standard_output_on_a_disk_that_takes_a_part_is_told(
    unbuffered: str, output: str, sizes: int, tmp_path: Path
) -> None:
    """All but the last byte, half, and all that there is."""
    import resource

    words, env = ["AP", "-q", "-o", output], {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    whole = subprocess.run([*EVAL, *words], env=env, capture_output=True, check=True).stdout
    for size in (len(whole) - 1, len(whole) // 2, len(whole))[:sizes]:
        with open(tmp_path / "out", "wb") as out:
            done = subprocess.run(
                [*EVAL, *words], env=env, stdout=out, stderr=subprocess.PIPE, text=True,
                preexec_fn=lambda size=size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
            )  # fmt: skip
        assert (done.returncode, "cannot be written" in done.stderr) == (
            (0, False) if size == len(whole) else (1, True)
        )


@pytest.mark.skipif(os.name == "nt", reason="pipes of Windows block")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_pipe_that_does_not_block_gets_all_rows(unbuffered: str) -> None:
    """The pipe is full long before the reader begins, as where node reads it late."""
    words = [*EVAL, *(f"P@{k}" for k in range(1, 40)), "-q", "-p", "60"]
    env = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    whole = subprocess.run(words, env=env, capture_output=True, check=True).stdout
    assert len(whole) > 2**16
    end, start = os.pipe()
    os.set_blocking(start, False)
    with subprocess.Popen(words, env=env, stdout=start, stderr=subprocess.PIPE) as process:
        while process.poll() is None and select.select([], [start], [], 0)[1]:  # until it is full
            time.sleep(0.01)
        os.close(start)
        with open(end, "rb") as reader:
            assert reader.read() == whole
        assert (process.wait(), process.stderr.read() if process.stderr else None) == (0, b"")


def test_a_command_writes_no_file_that_it_reads(command: Any, tmp_path: Path) -> None:
    command("demo", "--into", "demo")
    run = tmp_path / "demo" / "run.txt"
    before = run.read_bytes()
    (tmp_path / "linked.parquet").symlink_to(run)
    for named in ("demo/run.txt", "trec:demo/run.txt", "demo/ru?.txt", "./demo/run.txt"):
        command("eval", "demo/qrels.txt", named, "AP", "--out", "linked.parquet").assert_refused(2, "linked.parquet")
    assert run.read_bytes() == before
    assert command("eval", "demo/qrels.txt", "demo/run.txt", "AP", "--out", "new.parquet").code == 0
    assert command("eval", "demo/qrels.txt", "demo/run.txt", "AP", "--out", "new.parquet").code == 0
    words = ("compare", "demo/qrels.txt", "demo/runs/titles.run", "demo/runs/bm25.run", "AP")
    for outputs in (
        ("--methods", "m.tex", "--bib", "m.tex"),
        ("--plot", "differences=f.svg", "--plot", "topics=f.svg"),
    ):
        command(*words, *outputs).assert_refused(2, outputs[1].rpartition("=")[2])
    assert not [*tmp_path.glob("*.tex"), *tmp_path.glob("*.svg")]
    with irmx.toolkit.new_file(run) as file:  # in Python, whoever asks for it gets it
        file.write(b"1 Q0 a 1 1 x\n")
