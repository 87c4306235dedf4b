"""Benchmarks: irmx and a peer that does the same work, or a part of it, in one run, as ratios. Nothing here is a test.

    [IRMX_DATA=...] python tests/benchmarks/run.py [--quick] [--write] [SECTION ...]

Both sides of a row take turns, so a machine that drifts drifts for both. IRMX_DATA is the folder with the collections of TREC;
without it, their rows are left out.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import re
import warnings
from importlib.metadata import version
from pathlib import Path

import families
import standard
import studies
from timing import HEAD

import irmx

TABLE = Path(__file__).parents[2] / "docs" / "results" / "speed.csv"
"""The table of the page on speed, which says what its sections are."""

SECTIONS = {
    "standard": standard.standard,
    "large": standard.large,
    "judgments": standard.other_judgments,
    "pyterrier": families.pyterrier,
    "diversity": families.diversity,
    "pages": families.pages,
    "streams": families.streams,
    "studies": studies.studies,
}
"""What computes the rows of a section."""

PACKAGES = ("numpy", "scipy", "numba", "pyarrow", "ir_measures", "pytrec-eval-terrier", "pyndeval", "ranx")


def main() -> None:
    """Print the sections that are asked for, and put them into the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"of {', '.join(SECTIONS)}; all by default")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, and less data")
    parser.add_argument(
        "--write", action="store_true", help="put the rows into docs/results/speed.csv, and the versions into the page"
    )
    asked = parser.parse_args()
    if unknown := set(asked.sections) - set(SECTIONS):
        parser.error(f"no section {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
    warnings.filterwarnings("ignore", message=".*unsafe cast from uint64.*")  # numba, about ranx
    warnings.simplefilter("ignore", irmx.DataWarning)
    data = os.environ.get("IRMX_DATA")
    versions = [f"Python {platform.python_version()}", *(f"{package} {version(package)}" for package in PACKAGES)]
    made_with = f"Made with {', '.join(versions)}, {os.cpu_count()} cores."
    print(made_with)
    table = list(csv.reader(TABLE.read_text(encoding="utf-8").splitlines()))[1:]
    for section in asked.sections or SECTIONS:
        print(f"\n{section}", *HEAD, sep=" | ")
        rows = []
        for row in SECTIONS[section](asked.quick, Path(data) if data else None):
            rows.append([section, *row.cells()])
            print(*rows[-1][1:], sep=" | ", flush=True)
        table = [row for row in table if row[0] != section] + rows
    if asked.write:
        table = [row for section in SECTIONS for row in table if row[0] == section]
        with TABLE.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([["", *HEAD], *table])
        page = TABLE.with_suffix(".md")
        page.write_text(re.sub(r"(?m)^Made with .*$", made_with, page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
