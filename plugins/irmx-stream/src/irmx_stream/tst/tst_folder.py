"""A folder with the track's files: finding the nuggets, the matches, the pool and the topics."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from irmx import DataError
from irmx_stream.tst.tst_files import HEADERS, kind_of
from irmx_stream.tst.tst_tables import TstTable, read_table
from irmx_stream.tst.tst_topics import Topic, read_topics

NEEDED = {
    "nuggets": f"a table with the columns {', '.join(HEADERS['nuggets'])}",
    "matches": f"a table with the columns {', '.join(HEADERS['matches'])}",
    "updates": f"the pool, a table with the columns {', '.join(HEADERS['updates'])}",
    "topics": "an XML file of events with id, start and end",
}
"""The files that a folder must contain, and how each is recognised."""


@dataclass(frozen=True)
class TstFolder:
    """The track's files of one year, read.

    Attributes
    ----------
    path : Path
        The folder.
    nuggets, matches, pool : TstTable
        The tables.
    extended : TstTable, optional
        The extended pool: near-duplicates found later.
    topics : dict of str to Topic
        The topics.
    """

    path: Path
    nuggets: TstTable
    matches: TstTable
    pool: TstTable
    extended: TstTable | None
    topics: dict[str, Topic]


def read_folder(path: Path) -> TstFolder:
    """Return the track's files in a folder, recognised by their content; other files are ignored.

    Raises
    ------
    irmx.DataError
        If one is missing, or two qualify; lists the files of the folder.
    """
    if not path.is_dir():
        raise DataError(f"{path} is not a folder. The track's qrels are several files in one folder: tst:FOLDER.")
    files = sorted(p for p in path.iterdir() if p.is_file() and not p.name.startswith("."))
    kinds = {p: kind_of(p) for p in files}
    by_kind = {kind: [p for p in files if kinds[p] == kind] for kind in NEEDED}
    missing = [kind for kind, found in by_kind.items() if not found]
    if missing:
        found = ", ".join(f"{p.name} ({kinds[p] or 'not recognised'})" for p in files) or "nothing"
        wanted = "; ".join(f"{kind}, {NEEDED[kind]}" for kind in missing)
        raise DataError(f"The folder {path} lacks the track's {wanted}. It holds: {found}.")
    for kind in ("nuggets", "matches", "topics"):
        if len(by_kind[kind]) > 1:
            raise _ambiguous(path, kind, by_kind[kind])
    pool, extended = _pools(path, by_kind["updates"])
    return TstFolder(
        path,
        nuggets=read_table(by_kind["nuggets"][0]),
        matches=read_table(by_kind["matches"][0]),
        pool=pool,
        extended=extended,
        topics=read_topics(by_kind["topics"][0]),
    )


def _pools(path: Path, files: list[Path]) -> tuple[TstTable, TstTable | None]:
    """Return the pool and the extended pool, a superset of the pool; distinguished by name if neither is a superset."""
    if len(files) > 2:
        raise _ambiguous(path, "updates", files)
    tables = [read_table(p) for p in files]
    if len(tables) == 1:
        if "extended" in files[0].name.lower():
            raise DataError(
                f"The folder {path} holds an extended pool, {files[0].name}, but not the pool that it extends."
            )
        return tables[0], None
    first, second = ({*zip(t["query_id"], t["update_id"], strict=True)} for t in tables)
    named = ["extended" in p.name.lower() for p in files]
    if first < second or (not second < first and named == [False, True]):
        return tables[0], tables[1]
    if second < first or named == [True, False]:
        return tables[1], tables[0]
    raise _ambiguous(path, "updates", files)


def _ambiguous(path: Path, kind: str, files: list[Path]) -> DataError:
    names = " and ".join(p.name for p in files)
    return DataError(
        f"The folder {path} holds several files that could be the track's {kind}: {names}. "
        "Put the one you want into a separate folder together with the other files; links will do."
    )
