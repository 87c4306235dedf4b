"""Files of plugins, through the functions and commands that read them: one line of a table for each."""

from __future__ import annotations

import functools
import importlib
import io
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from command_targets import collection, lay_out, run_command
from mutations import OF_BYTES, OF_JSON, OF_TEXT
from scipy import sparse
from targets import Target

import irmx

INPUT = "INPUT"
"""What stands for the input in the arguments of a command."""

_YANDEX = b"0\t0\tQ\t8\t0\t7\t103\t51\t92\n0\t12\tC\t7\n0\t30\tC\t51\n1\t0\tQ\t8\t0\t7\t103\n1\t5\tC\t103\n"
_TRACK = {
    "topics.xml": b"<events>\n<event>\n<id>1</id>\n<title>Bridge &amp; river</title>\n<start>500</start>\n<end>9500</end>\n<query>bridge</query>\n</event>\n</events>\n",
    "nuggets.tsv": b"query_id\tnugget_id\ttimestamp\timportance\tnugget_len\tnugget_text\nTS99.1\tN1\t1000\t3\t13\tbridge closed\nTS99.1\tN2\t2000\t1\t15\ttwo people hurt\n",
    "matches.tsv": b"query_id\tupdate_id\tnugget_id\tmatch_start\tmatch_end\tauto_p\nTS99.1\t100-aa-1\tN1\t4\t17\t0\n",
    "updates_sampled.tsv": b"query_id\tupdate_id\tdocument_id\tsentence_id\tupdate_len\tduplicate_id\tupdate_text\nTS99.1\t100-aa-1\t100-aa\t1\t23\tNULL\tThe bridge closed today\n",
}
"""The judgments of an invented topic in the files of the Temporal Summarization track."""
_TRACK_RUN = b"1 team a 100-aa 1 1600 0.5\n1 team a 100-bb 4 1700 0.25\n1 team b 100-aa 1 1900 0.9\n"
_ROWS = b"query_id,page_id,doc_id,vertical,media,block\n1,p,w1,web,text,a\n1,p,n1,news,text,b\n1,p,n2,news,text,b\n1,r,w1,web,,c\n"


def array_file(save: Callable[..., None], array: Any) -> bytes:
    """Return an array as a file of numpy or scipy."""
    file = io.BytesIO()
    save(file, array)
    return file.getvalue()


_CHAIN = np.full((3, 3), 1 / 3)
_MATRIX = ["eval", "qrels.txt", "run.txt", f"MP(model=matrix(file='{INPUT}'))"]

READ = {
    "pages.jsonl": ("irmx_pages:read_pages", [collection()["pages.jsonl"]], OF_JSON),
    "pages.csv": ("irmx_pages:read_pages", [_ROWS], OF_TEXT),
    "preferences": ("irmx_pages:read_preferences", [collection()["preferences.csv"]], OF_TEXT),
    "examinations": ("irmx_pages:read_examinations", [b"session,position,examined,visual,gain,user\na,1,1,0,0.5,u\na,2,0,1,0,u\nb,1,1,0,1,v\n"], OF_TEXT),
    "visits": ("irmx_stream:read_traces", [collection()["visits.csv"]], OF_TEXT),
    "tst-run": ("irmx_stream:read_tst_runs", [_TRACK_RUN], OF_TEXT),
    "clicks": ("irmx_markov:read_click_log", [collection()["clicks.tsv"], _YANDEX], OF_TEXT),
    "scores.parquet": ("irmx:Scores.read_parquet", [], OF_BYTES),
}  # fmt: skip
"""Functions of plugins that read a file, with sound files."""

RUN = {
    "click-log": (["markov", "learn-chain", INPUT, "chain.npz"], [collection()["clicks.tsv"], _YANDEX], OF_TEXT),
    "holding-times": (["markov", "holding-times", INPUT], [collection()["clicks.tsv"]], OF_TEXT),
    "matrix.npy": (_MATRIX, [array_file(np.save, _CHAIN)], OF_BYTES),
    "matrix.npz": (_MATRIX, [array_file(sparse.save_npz, sparse.csr_matrix(_CHAIN))], OF_BYTES),
    "matrix.csv": (_MATRIX, [b"0.5,0.25,0.25\n0.25,0.5,0.25\n0.125,0.125,0.75\n"], OF_TEXT),
    "page-scores": (["pages", "score", INPUT, "AS_RBP", "nDCG@10", "--qrels", "page_qrels.csv"], [collection()["pages.jsonl"]], OF_JSON),
    "per-topic": (["compare", "--scores", INPUT, "--measure", "AP"], [collection()["topic.tsv"]], OF_TEXT),
    "per-topic-lines": (["topics", "--scores", "lines.txt", INPUT], [b"map\t1\t0.5\nmap\t2\t0.25\nmap\t3\t1\nmap\tall\t0.5833\n"], OF_TEXT),
    "population": (["sensitivity", "qrels.txt", "run.txt", "other.run", "RBP(rel=1)", "--population", INPUT], [collection()["users.csv"]], OF_TEXT),
    "groups": (["pool", "qrels.txt", "runs/*.run", "AP", "--leave-out", INPUT], [collection()["groups.csv"]], OF_TEXT),
    "document-columns": (["eval", INPUT, "run.csv", "IA_nDCG", "TIA_nDCG(window='1mo')"], [collection()["qrels.csv"]], OF_TEXT),
}  # fmt: skip
"""Commands that read a file, with sound files."""


def read_by(function: str, path: Path) -> None:
    """Read a file by a function of a plugin, given as ``module:name``."""
    module, _, names = function.partition(":")
    functools.reduce(getattr, names.split("."), importlib.import_module(module))(path)


def run_with(arguments: list[str], path: Path) -> None:
    """Run a command on a file."""
    lay_out(path.parent)
    (path.parent / "lines.txt").write_bytes(b"map\t1\t0.25\nmap\t2\t0.5\nmap\t3\t0.75\nmap\tall\t0.5\n")
    run_command([argument.replace(INPUT, path.name) for argument in arguments])


def score_track(name: str, path: Path) -> None:
    """Score a run of the track with judgments one file of which is the input."""
    folder = path.parent / "track"
    folder.mkdir()
    for other, content in _TRACK.items():
        (folder / other).write_bytes(content)
    os.replace(path, folder / name)
    (path.parent / "run").write_bytes(_TRACK_RUN.splitlines(keepends=True)[0])
    irmx.calc_aggregate("MSU ELG LC", f"tst:{folder}", f"tst:{path.parent / 'run'}")


def _targets() -> Iterator[Target]:
    for name, (function, seeds, mutations) in READ.items():
        suffix = Path(name).suffix
        yield Target(name, functools.partial(read_by, function), seeds or [_scores()], mutations, suffix=suffix)
    for name, (arguments, seeds, mutations) in RUN.items():
        yield Target(
            name, functools.partial(run_with, arguments), seeds, mutations, suffix=Path(name).suffix, names_file=False
        )
    for name, content in _TRACK.items():
        yield Target(f"tst-{name}", functools.partial(score_track, name), [content], names_file=False)


def _scores() -> bytes:
    """Return a file of per-topic scores as irmx writes it."""
    qrels, runs = (
        {"1": {"a": 1}, "2": {"b": 2}},
        {"x": {"1": {"a": 1.0}, "2": {"c": 1.0}}, "y": {"1": {"c": 1.0}, "2": {"b": 2.0}}},
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "scores.parquet")
        irmx.scores("AP P@5", qrels, runs).to_parquet(path)
        return path.read_bytes()


OF_PLUGINS = list(_targets())
