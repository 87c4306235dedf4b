"""Findings as small files: made smaller while they remain, kept in ``regressions/TARGET/``, and read again."""

from __future__ import annotations

import lzma
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from outcomes import Outcome

FOLDER = Path(__file__).parent / "regressions"
PACKED, LARGE = ".packed", 4000
"""The end of the name of a file that is compressed with xz, and the size in bytes from which on a file is."""


def smaller(content: bytes, remains: Callable[[bytes], bool], seconds: float) -> bytes:
    """Return the content without parts that the finding does not need: halves, quarters, ... down to lines and bytes."""
    end = time.monotonic() + seconds
    for split in (_lines, _bytes):
        parts = split(content)
        size = len(parts) // 2
        while size:
            at = 0
            while at < len(parts) and time.monotonic() < end:
                fewer = parts[:at] + parts[at + size :]
                if fewer and remains(b"".join(fewer)):
                    parts = fewer
                else:
                    at += size
            size //= 2
        content = b"".join(parts)
    return content


def _lines(content: bytes) -> list[bytes]:
    return content.splitlines(keepends=True)


def _bytes(content: bytes) -> list[bytes]:
    return [content[i : i + 1] for i in range(len(content))]


def keep(folder: Path, target: str, content: bytes, outcome: Outcome) -> Path:
    """Write a finding to a file that is named after its cause, and return its path."""
    name = re.sub(r"[^a-z0-9]+", "_", f"{outcome.kind} {outcome.where}".lower()).strip("_")[:60]
    path = folder / target / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if len(content) > LARGE:
        path, content = path.with_name(name + PACKED), lzma.compress(content)
    path.write_bytes(content)
    return path


def kept(folder: Path = FOLDER) -> Iterator[tuple[str, Path]]:
    """Yield the target and the path of every file, in alphabetical order."""
    for path in sorted(folder.glob("*/*")):
        yield path.parent.name, path


def content_of(path: Path) -> bytes:
    """Return the input in a file."""
    content = path.read_bytes()
    return lzma.decompress(content) if path.suffix == PACKED else content
