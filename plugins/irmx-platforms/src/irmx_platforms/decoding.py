"""Texts and numbers as files of platforms have them."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irmx import DataError, DataWarning
from irmx.toolkit import as_number, parse_json

if TYPE_CHECKING:
    import pyarrow as pa

Json = dict[str, Any]


def warn(path: Path, what: str) -> None:
    """Warn of something in a file."""
    warnings.warn(f"{path}: {what}.", DataWarning, stacklevel=3)


@contextmanager
def understanding(what: str, name: str, place: str = "") -> Iterator[None]:
    """Raise DataError for content that lacks something, or has it in a form that is not that of ``name``."""
    try:
        yield
    except DataError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError, RecursionError) as error:
        why = f"it lacks {error}" if isinstance(error, KeyError) else error
        raise DataError(f"{what} cannot be read as {name}: {why}.", place=place) from None


def decoded(path: Path, content: bytes) -> str:
    """Return the text of a file, which must be UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8: byte {error.start}. Save it as UTF-8.") from None


def parsed(path: Path, content: bytes | str, name: str, where: str = "") -> Any:
    """Return the JSON of a file or a line of it, which is of a format."""
    written = content if isinstance(content, str) else decoded(path, content)
    try:
        return parse_json(written)
    except (ValueError, RecursionError) as error:
        why = "too deeply nested" if isinstance(error, RecursionError) else error
        raise DataError(f"{path}{where} is not the JSON of {name}: {why}.") from None


def text(value: Any) -> str:
    """Return an id; one that is a whole number as its digits."""
    if isinstance(value, (str, int)) and not isinstance(value, bool) and str(value).strip():
        return str(value).strip()
    raise ValueError(f"an id must be a text or a whole number. Got {value!r}")


def texts(values: Sequence[Any]) -> pa.Array:
    """Return a column of texts."""
    import pyarrow as pa

    try:
        return pa.array(values, pa.string())
    except UnicodeEncodeError as error:
        raise DataError(f"A text has a part of a character: {error.object!r}.") from None


def number(value: Any) -> float:
    """Return a score or grade, which may be written as a text; NaN if there is none."""
    if isinstance(value, str):
        value = as_number(value)
    if value is None or isinstance(value, (dict, list, bool)):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan


def columns_of_parquet(path: Path) -> list[str]:
    """Return the names of the columns of a Parquet file; none if it cannot be read here."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        return list(parquet.read_schema(path).names)
    except (pa.ArrowException, OSError, ValueError):
        return []
