"""Paths with a scheme, such as s3:// and https://, are read as local files are, or refused in a sentence."""

import functools
import gzip
import http.server
import os
import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pandas as pd
import pytest

import irmx
from irmx.demo import SYSTEMS, qrels_path, run_path

MEASURES = ("AP", "NCP(law=first)", "-p", "-1")


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def served(tmp_path: Path) -> Path:
    """A folder with the qrels and the runs of the demo, one of each form."""
    folder = tmp_path / "bucket"
    folder.mkdir()
    (folder / "qrels").write_bytes(qrels_path().read_bytes())
    (folder / "bm25.run").write_bytes(run_path("bm25").read_bytes())
    (folder / "packed.run").write_bytes(gzip.compress(run_path("bm25").read_bytes()))
    rows = [(q, d, s) for q, docs in irmx.read_run(run_path("bm25")).as_dict().items() for d, s in docs.items()]
    frame = pd.DataFrame(rows, columns=["qid", "docno", "score"])
    frame.to_csv(folder / "bm25.csv", index=False)
    frame.to_parquet(folder / "bm25.parquet")
    return folder


@pytest.fixture
def server(served: Path) -> Iterator[str]:
    """Serve the folder's parent over HTTP; the address is ``127.0.0.1:port``."""
    handler = functools.partial(Quiet, directory=str(served.parent))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as serving:
        thread = threading.Thread(target=serving.serve_forever)
        thread.start()
        yield f"127.0.0.1:{serving.server_port}"
        serving.shutdown()
        thread.join()


@pytest.fixture
def memory() -> Iterator[Any]:
    """The file system in memory of fsspec, with the qrels and the runs of the demo below ``memory://irmx``."""
    system = fsspec.filesystem("memory")
    system.pipe("/irmx/qrels", qrels_path().read_bytes())
    for name in SYSTEMS:
        system.pipe(f"/irmx/runs/{name}.run", run_path(name).read_bytes())
    yield system
    system.rm("/irmx", recursive=True)


@pytest.mark.parametrize("name", ["bm25.run", "packed.run", "bm25.csv", "bm25.parquet", "trec:bm25.run"])
def test_files_over_http_are_read_as_local_ones(name: str, server: str, command: Any) -> None:
    prefix, _, file = name.rpartition(":")
    run = f"{prefix + ':' if prefix else ''}http://{server}/bucket/{file}"
    done = command("eval", f"http://{server}/bucket/qrels", run, *MEASURES)
    assert (done.code, done.out) == (0, command("eval", qrels_path(), run_path("bm25"), *MEASURES).out)
    assert irmx.read_run(run).as_dict() == irmx.read_run(run_path("bm25")).as_dict()


def test_queries_and_passwords_of_addresses_are_not_shown(server: str, command: Any) -> None:
    runs = [f"http://{server}/bucket/{name}.run?token=secret" for name in ("bm25", "packed")]
    done = command("eval", qrels_path(), *runs, "AP", "-o", "csv")
    assert [line.split(",")[0] for line in done.out.splitlines()] == ["run", "bm25.run", "packed.run"]
    for address in (f"http://me:secret@{server}/bucket/none?token=secret", "http://127.0.0.1:1/run?token=secret"):
        done = command("eval", qrels_path(), address, "AP")
        done.assert_refused(1, address.partition("?")[0].replace("me:secret@", ""))
        assert "secret" not in done.err
        assert len(done.err.splitlines()) == 1


def test_files_of_s3_are_read_by_pyarrow(server: str, command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither fsspec nor s3fs is needed. The query goes to pyarrow, and is no glob."""
    monkeypatch.setitem(sys.modules, "fsspec", None)
    for name, value in (("ACCESS_KEY_ID", "a"), ("SECRET_ACCESS_KEY", "b"), ("EC2_METADATA_DISABLED", "true")):
        monkeypatch.setenv(f"AWS_{name}", value)
    where = f"region=us-east-1&scheme=http&endpoint_override={server}"
    for run in ("bm25.run", "packed.run", "bm25.csv", "bm25.parquet"):
        done = command("eval", f"s3://bucket/qrels?{where}", f"s3://bucket/{run}?{where}", *MEASURES)
        assert (done.code, done.out) == (0, command("eval", qrels_path(), run_path("bm25"), *MEASURES).out)
    command("eval", f"s3://bucket/qrels?{where}", f"s3://bucket/none.run?{where}", "AP").assert_refused(
        1, "s3://bucket/none.run"
    )


def test_a_pattern_at_an_address_is_many_runs(memory: Any, command: Any) -> None:
    measures = ("AP", "-q", "-o", "csv", "-p", "-1")
    expected = command("eval", qrels_path(), *(run_path(name) for name in sorted(SYSTEMS)), *measures).out
    assert command("eval", "memory://irmx/qrels", "memory://irmx/runs/*.run", *measures).out == expected
    scores = irmx.scores("AP", "memory://irmx/qrels", "MEMORY://irmx/runs/b*")
    assert scores.systems == ("bm25.run",)
    with pytest.raises(irmx.DataError, match=r"runs/\*\.txt"):
        irmx.scores("AP", "memory://irmx/qrels", "memory://irmx/runs/*.txt")
    with pytest.raises(irmx.DataError, match=r"memory://irmx/none/\*"):
        irmx.scores("AP", "memory://irmx/qrels", "memory://irmx/none/*")


def test_other_tables_and_scores_are_read_at_addresses(memory: Any, tmp_path: Path, command: Any) -> None:
    memory.pipe("/irmx/log.csv", b"user,seconds\na,2.5\n")
    assert irmx.read_table("memory://irmx/log.csv", {"seconds": float})["seconds"].tolist() == [2.5]
    scores = irmx.scores("AP", qrels_path(), [str(run_path(name)) for name in SYSTEMS])
    scores.to_parquet(tmp_path / "scores.parquet")
    memory.pipe("/irmx/scores.parquet", (tmp_path / "scores.parquet").read_bytes())
    done = command("compare", "--scores", "memory://irmx/scores.parquet", "-o", "csv")
    assert done.out == command("compare", "--scores", "scores.parquet", "-o", "csv").out
    assert done.code == 0


def test_a_folder_at_an_address_is_refused(memory: Any) -> None:
    with pytest.raises(irmx.DataError, match=r"memory://irmx/runs: .* folder"):
        irmx.read_run("memory://irmx/runs")


def test_compressed_files_at_addresses_keep_to_the_limit(memory: Any, command: Any) -> None:
    memory.pipe("/irmx/bomb.run", gzip.compress(run_path("bm25").read_bytes() * 100))
    command("--max-decompressed", "100KB", "eval", qrels_path(), "memory://irmx/bomb.run", "AP").assert_refused(
        1, "--max-decompressed"
    )
    assert "IRMX_MAX_DECOMPRESSED" not in os.environ


def test_a_file_address_is_a_path(served: Path, command: Any) -> None:
    expected = command("eval", qrels_path(), run_path("bm25"), *MEASURES).out
    assert command("eval", (served / "qrels").as_uri(), (served / "packed.run").as_uri(), *MEASURES).out == expected
    pattern = f"{served.as_uri()}/*.run"
    assert irmx.scores("AP", qrels_path(), pattern).systems == ("bm25.run", "packed.run")
    parts = served / "parts"
    parts.mkdir()
    (served / "bm25.parquet").rename(parts / "0.parquet")
    assert command("eval", qrels_path(), parts.as_uri(), *MEASURES).out == expected


@pytest.mark.parametrize(
    ("address", "advice"),
    [
        ("https://127.0.0.1/run", r"fsspec\[http\]"),
        ("hf://datasets/some/one/run", "huggingface_hub"),
        ("memory://run", "fsspec"),
        ("foo://bucket/run", "foo://"),
    ],
)
def test_a_scheme_whose_library_is_absent_says_what_to_install(
    address: str, advice: str, command: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for library in ("fsspec", "huggingface_hub", "aiohttp"):
        monkeypatch.setitem(sys.modules, library, None)
    for arguments in ((address, run_path("bm25")), (qrels_path(), address), (qrels_path(), f"csv:{address}")):
        done = command("eval", *arguments, "AP")
        done.assert_refused(1, address)
        assert re.search(advice, done.err)
        assert "pip install" in done.err
        assert len(done.err.splitlines()) == 1


def test_an_unknown_scheme_is_refused(command: Any) -> None:
    command("eval", qrels_path(), "htps://host/run", "AP").assert_refused(1, "Did you mean https?")


def test_a_drive_letter_is_no_scheme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = Path("c:")
    folder.mkdir()
    (folder / "run.txt").write_bytes(run_path("bm25").read_bytes())
    assert irmx.read_run("c://run.txt").as_dict() == irmx.read_run(run_path("bm25")).as_dict()


def test_a_path_object_that_lost_a_slash_is_explained() -> None:
    with pytest.raises(irmx.DataError, match="pathlib"):
        irmx.read_run(Path("s3://bucket/run"))
