"""Command lines of ``irmx``: the examples of all commands, with options and arguments changed, in this process."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import shlex
import warnings
from pathlib import Path
from random import Random

from expression_targets import MARKS, NUMBERS, measure_text
from file_targets import first_topics, written
from mutations import TEXTS
from outcomes import WrongValueError
from targets import Target

import irmx
from irmx.cli.app import run as irmx_command
from irmx.cli.words import built
from irmx.demo import judgments_path, run_table

_CODES = (0, 1, 2)


def run_command(arguments: list[str]) -> None:
    """Run ``irmx`` with some arguments.

    Raises
    ------
    irmx.DataError
        With what it printed to standard error, if its exit code is 1 or 2.
    WrongValueError
        For any other exit code, and for a traceback or a warning of Python on standard error.
    """
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    code: object = None
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
        try:
            irmx_command(arguments)
        except SystemExit as stop:
            code = stop.code
    os.environ.pop("IRMX_TRACEBACK", None)
    text = err.getvalue()
    if code not in _CODES:
        raise WrongValueError(f"exit code {code}: {text}")
    if "Traceback (most recent" in text:
        raise WrongValueError(f"a traceback: {text}")
    if "Warning: " in text:
        raise WrongValueError(f"a warning of Python: {text}")
    if code:
        raise irmx.DataError(text.replace("\n", " ").strip())


@functools.cache
def collection() -> dict[str, bytes]:
    """Return the files that the examples of commands name, by path: three topics of the demo collection."""
    judged = [
        line for line in judgments_path().read_text().splitlines() if line.split(",")[0] in ("query_id", "1", "2", "3")
    ]
    run = written("trec", "run", 12)
    shuffled = [line.split() for line in run.decode().splitlines()]
    other = "".join(
        f"{q} Q0 {d} 1 {-float(s) if i % 3 else s} other\n" for i, (q, _, d, _, s, _) in enumerate(shuffled)
    )
    documents = dict.fromkeys(d for _, _, d, *_ in first_topics("run", 12))
    visits = "user,start,duration,speed\na,1672531200,60,4\nb,1675248360,1e7,3\na,1680000000,100,4\n"
    return {
        "qrels.txt": written("trec", "qrels", 20),
        "qrels.csv": "\n".join(judged).encode() + b"\n",
        "run.txt": run, "my.run": run, "baseline.run": run, "other.run": other.encode(), "runs/b.run": other.encode(),
        "runs/c.run": written("trec", "run", 3), "runs/d.run": run,
        "run.csv": run_table("bm25").query("query_id in ('1', '2', '3')").to_csv(index=False).encode(),
        "page_qrels.csv": b"query_id,doc_id,relevance,vertical,orientation\n1,d006,1,web,\n1,d046,2,news,0.5\n1,d050,0,news,0.5\n1,,0,video,0.3\n",
        "clicks.tsv": b"session\trank\ttime\tdwell\na\t1\t0\t5\na\t3\t9\t2\na\t2\t12\t30\nb\t1\t0\t8\nb\t2\t4\t1\n",
        "visits.csv": visits.encode(),
        "documents.jsonl": "".join(json.dumps({"doc_id": d, "title": f"Of {d}"}) + "\n" for d in documents).encode(),
        "topics.tsv": b"query_id\tquery\n1\tferry\n2\tfire\n3\tharbour\n",
        "groups.csv": b"run,group\nb.run,x\nc.run,y\nd.run,y\n",
        "users.csv": b"p,weight\n0.5,1\n0.8,3\n",
        "pages.jsonl": b'{"query_id": "1", "page_id": "p", "blocks": [{"vertical": "web", "items": ["d006"]}, {"vertical": "news", "items": ["d046", "d050"]}]}\n'
        b'{"query_id": "1", "page_id": "r", "blocks": [{"vertical": "video", "media": "video", "items": ["d051"]}, {"vertical": "web", "items": ["d049"]}]}\n',
        "preferences.csv": b"query_id,page_a,page_b,assessor,choice\n1,p,r,ann,a\n1,r,p,bob,a\n1,p,r,eve,tie\n",
        "topic.tsv": b"query_id\tone\ttwo\n1\t0.5\t0.25\n2\t0.125\t0\n3\t1\t0.75\n",
    }  # fmt: skip


def lay_out(folder: Path) -> None:
    """Write the collection into a folder."""
    for name, content in collection().items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)


def examples() -> list[list[str]]:
    """Return the examples of all commands as arguments, but for those that start processes or write into the home folder."""
    lines = [
        example.partition(" > ")[0] for command in irmx.registry().commands().values() for example in command.EXAMPLES
    ]
    return [shlex.split(line)[1:] for line in lines]


@functools.cache
def options_of(words: str) -> list[str]:
    """Return the options of a command."""
    command = built(irmx.registry().commands()[words])
    return sorted(option for parameter in command.params for option in parameter.opts if option.startswith("-"))


_NOT = {
    "--jobs",
    "-j",
    "--backend",
    "--scheduler",
    "--plot",
    "--plot-topics",
    "--scatter",
    "--install-completion",
    "--draws",
    "--folds",
}
"""Options that start processes, or take long by themselves."""


def odd_command(random: Random) -> bytes:
    """Return a command with one to three changes, as JSON."""
    arguments = list(random.choice(examples()))
    words = max((w for w in irmx.registry().commands() if arguments[: len(w.split())] == w.split()), key=len)
    values = [*NUMBERS, *MARKS, *TEXTS, *collection(), "missing.txt", ".", "/", "/dev/null", "runs", "runs/*", "runs/*.run", "*", "csv", "html", "latex",
              "csv:run.txt", "trec:qrels.csv", "jsonl:", "irds:nothing", "tst:.", "trec-tst/2013", "out.parquet", "out.csv", "out.html", "folder/out.csv"]  # fmt: skip
    for _ in range(random.choice((1, 1, 2, 3))):
        at = random.randrange(len(words.split()), len(arguments) + 1)
        way = random.randrange(5)
        if way == 0:
            del arguments[at : at + 1]
        elif way == 1:
            arguments[at : at + 1] = [random.choice(values)]
        elif way == 2:
            arguments.insert(at, random.choice(("AP", "nDCG@10", measure_text(random))))
        else:
            option = random.choice([o for o in options_of(words) if o not in _NOT] or ["--help"])
            arguments[at:at] = [option, random.choice(values)] if random.random() < 0.8 else [option]
    return json.dumps(arguments).encode()


def run_line(path: Path) -> None:
    """Run the arguments in a file, beside the files of the collection."""
    try:
        arguments = json.loads(path.read_bytes())
    except ValueError:  # a command that was made smaller than an array
        raise irmx.DataError(path.name) from None
    if isinstance(arguments, list):
        lay_out(path.parent)
        run_command([str(argument).replace("\0", "") for argument in arguments])


def _sound() -> list[bytes]:
    lines = [["eval", "qrels.txt", "run.txt", "AP"], ["compare", "qrels.txt", "run.txt", "other.run", "AP", "P@5"],
             ["topics", "qrels.txt", "run.txt", "other.run", "AP"], ["power", "--sd", "0.2", "--topics", "50", "--difference", "0.02"],
             ["measures"], ["measures", "MP"], ["plugins"], ["cite", "AP"], ["demo"], ["explain", "qrels.txt", "run.txt", "AP", "--topic", "1"]]  # fmt: skip
    return [json.dumps(line).encode() for line in lines]


COMMANDS = [Target("commands", run_line, _sound(), make=odd_command, names_file=False, seconds=20.0)]
