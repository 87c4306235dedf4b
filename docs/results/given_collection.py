"""The collection that a page of results is about: TREC-8 ad hoc, or one's own, given by arguments."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from markdown_pages import write_section

import irmx
import irmx_study
from irmx_study.inputs.views import listed_names


@dataclass(frozen=True)
class Collection:
    """Runs and judgments, and how they were asked for.

    Attributes
    ----------
    name : str
        What the page calls the collection.
    qrels : Path
        The judgments.
    runs : dict of str to Path
        The runs by name.
    only : list of str or None
        The names of the runs to keep, None for all.
    every_topic : bool
        Whether to leave out runs that retrieve nothing for one of the topics.
    command : str
        The command that writes the section.
    page : Path
        The page to write a section of.
    jobs : int
        How many processes to use.
    """

    name: str
    qrels: Path
    runs: dict[str, Path]
    only: list[str] | None
    every_topic: bool
    command: str
    page: Path
    jobs: int

    def scores(self, measures: list[str]) -> irmx.Scores:
        """Return the scores of the runs to keep."""
        scores = irmx.scores(measures, self.qrels, self.runs, jobs=self.jobs)
        return irmx_study.choose_systems(scores, self.only, self.every_topic)

    def write(self, title: str, text: str) -> None:
        """Write the section of the page."""
        write_section(self.page, title, text)


@contextmanager
def given_collection(program: str, page: str, description: str) -> Iterator[Collection]:
    """Parse the arguments of a program, and unpack the runs of TREC-8 if no others are given.

    Parameters
    ----------
    program : str
        The file of the program, ``__file__``.
    page : str
        The name of the page that it writes a section of, beside the program.
    description : str
        What it does, for its help.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--name", default="TREC-8", help="what the page calls the collection")
    parser.add_argument("--qrels", help="the judgments; by default those of TREC-8 ad hoc, under IRMX_DATA")
    parser.add_argument("--runs", nargs="+", metavar="RUN", help="run files or quoted globs")
    parser.add_argument("--only", metavar="FILE", help="the names of the runs to keep, one per line")
    parser.add_argument("--every-topic", action="store_true", help="leave out runs that lack one of the topics")
    parser.add_argument(
        "--out", default=Path(program).with_name(page), type=Path, help="the page to write the section to"
    )
    parser.add_argument("--jobs", default=os.cpu_count(), type=int, help="how many processes to use")
    given = parser.parse_args()
    if (given.qrels is None) != (given.runs is None):
        parser.error("--qrels and --runs go together")
    if given.qrels is None and "IRMX_DATA" not in os.environ:
        parser.error("set IRMX_DATA to the folder that holds trec8_adhoc, or give --qrels and --runs")
    words = [word for word in sys.argv[1:] if given.qrels is not None]
    command = shlex.join(["python", f"docs/results/{Path(program).name}", *words])
    only = None if given.only is None else listed_names(given.only)
    with tempfile.TemporaryDirectory() as folder:
        if given.qrels is None:
            command = f"IRMX_DATA=... {command}"
            qrels, runs = trec8(Path(os.environ["IRMX_DATA"]) / "trec8_adhoc", Path(folder))
        else:
            qrels, runs = (
                Path(given.qrels),
                {name: Path(run) for name, run in irmx.toolkit.named_runs(given.runs).items()},
            )
        yield Collection(given.name, qrels, runs, only, given.every_topic, command, given.out, given.jobs)


def trec8(data: Path, folder: Path) -> tuple[Path, dict[str, Path]]:
    """Unpack the 129 runs of TREC-8 into a folder; return the path of the qrels, and the runs by name."""
    runs: dict[str, Path] = {}
    with tarfile.open(data / "runs_full_depth1000.tar.xz") as archive:
        for member in archive:
            stream = archive.extractfile(member)
            if stream is not None:
                path = folder / Path(member.name).name
                path.write_bytes(stream.read())
                runs[path.name.removeprefix("input.")] = path
    return data / "qrels.trec8.adhoc.401-450.txt.gz", dict(sorted(runs.items()))
