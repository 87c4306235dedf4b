"""Files at addresses with a scheme, such as s3:// and https://, which pyarrow or fsspec reads."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from irmx.errors import DataError, located
from irmx.text import suggest

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")  # a letter alone is a drive of Windows
_HALF_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/(?!/)")
_OF_ARROW = ("file", "s3", "gs", "gcs", "abfs", "abfss", "hdfs", "viewfs")
"""The schemes that pyarrow reads, if it was built with them; fsspec is asked for others."""
_PACKAGES = {
    **dict.fromkeys(("http", "https"), "'fsspec[http]'"),
    "hf": "fsspec huggingface_hub",
    "s3": "s3fs",
    **dict.fromkeys(("gs", "gcs"), "gcsfs"),
    **dict.fromkeys(("az", "abfs", "abfss"), "adlfs"),
    **dict.fromkeys(("sftp", "ssh"), "fsspec paramiko"),
}
"""What to install for a scheme; for others fsspec says it."""
_PATIENCE = "retry_limit_seconds=20"
"""How long Google's library tries again, 15 minutes by default."""
_WITHOUT_FOLDERS = ("http", "https")


def is_address(source: Any) -> bool:
    """Tell whether a source is a text such as ``s3://bucket/run.txt``, or an :class:`Address`."""
    return isinstance(source, (str, os.PathLike)) and _SCHEME.match(str(os.fspath(source))) is not None


def lost_a_slash(path: str) -> bool:
    """Tell whether a path was an address before pathlib made one slash of two."""
    return _HALF_SCHEME.match(path) is not None


def as_path(source: str | os.PathLike[str]) -> Path:
    """Return a path, or an address as one; ``file://`` is a path of this machine."""
    text = without_file_scheme(os.fspath(source))
    return Address(text) if is_address(text) else Path(text)


def without_file_scheme(text: str) -> str:
    """Return the path of an address such as ``file:///data/run.txt``, anything else as it is."""
    if text[:8].lower() != "file:///":
        return text
    from urllib.request import url2pathname

    return url2pathname(urlsplit(text).path)


def address_shown(address: str) -> str:
    """Return an address as it is shown, without the query and the user, which may be secrets.

    >>> address_shown("https://user:password@host/run.txt?token=1"), address_shown("abfs://container@account/run")
    ('https://host/run.txt', 'abfs://container@account/run')
    """
    scheme, _, rest = address.partition("://")
    host, slash, path = re.split("[?#]", rest, maxsplit=1)[0].partition("/")
    user, _, machine = host.rpartition("@")
    return f"{scheme}://{host if scheme.lower().startswith('abfs') and ':' not in user else machine}{slash}{path}"


class Address(type(Path())):  # type: ignore[misc]
    """An address as a path: its name and suffixes are those of the file, its text is the whole address."""

    def __new__(cls, address: str) -> Address:
        path: Address = super().__new__(cls, _path_in(address))
        path._address = address
        return path

    def __init__(self, address: str) -> None:
        if sys.version_info >= (3, 12):
            super().__init__(_path_in(address))

    def __str__(self) -> str:
        address: str = self._address
        return address

    def __reduce__(self) -> Any:
        return Address, (self._address,)

    def is_file(self, **_: Any) -> bool:
        """Return False: it is no file of this machine."""
        return False

    def is_dir(self, **_: Any) -> bool:
        """Return False: folders at addresses are not read."""
        return False


def _path_in(address: str) -> str:
    return address_shown(address).partition("://")[2]


def content_at(address: str, what: str = "file") -> bytes:
    """Return the content of a file at an address, as it is there.

    Raises
    ------
    irmx.DataError
        If the scheme is unknown, or what reads it is not installed; if there is no such file, for a folder, and if the network
        or the server fails. The message does not begin with the address.
    """
    with _errors_explained(address, what):
        system, path = _file_system(address)
        try:
            if hasattr(system, "cat_file"):
                return bytes(system.cat_file(path))
            with system.open_input_stream(path, compression=None) as file:
                return bytes(file.read())
        except Exception:
            if _scheme(address) not in _WITHOUT_FOLDERS and _is_folder(system, path):
                raise DataError(
                    "This is a folder. At an address, one file is read: name it, or copy the folder to this machine."
                ) from None
            raise


def addresses_matching(pattern: str) -> list[str]:
    """Return the addresses of the files that match a pattern such as ``s3://bucket/runs/*.run``, in alphabetical order.

    A pattern has a ``*`` in the name of the file; a question mark begins a query. What is not a pattern is returned as it is.

    Raises
    ------
    irmx.DataError
        As for :func:`content_at`.
    """
    path, mark, query = pattern.partition("?")
    folder, _, name = path.rpartition("/")
    if "*" not in name or folder.endswith(":/") or _scheme(pattern) in _WITHOUT_FOLDERS:
        return [pattern]
    from pyarrow import fs

    with located(address_shown(pattern)), _errors_explained(pattern, "matching"):
        system, path = _file_system(f"{folder}{mark}{query}")
        if not isinstance(system, fs.FileSystem):
            system = fs.PyFileSystem(fs.FSSpecHandler(system))
        files = [info.base_name for info in system.get_file_info(fs.FileSelector(path)) if info.is_file]
    return [f"{folder}/{file}{mark}{query}" for file in sorted(files) if fnmatchcase(file, name)]


@contextlib.contextmanager
def _errors_explained(address: str, what: str) -> Iterator[None]:
    """Turn whatever goes wrong at an address, in any library, into an error."""
    try:
        yield
    except (DataError, MemoryError):
        raise
    except ImportError as error:
        packages = _PACKAGES.get(_scheme(address))
        how = f"Install it: python -m pip install {packages}" if packages else str(error).rstrip(".")
        raise DataError(f"What reads {_scheme(address)}:// is not installed. {how}.") from None
    except FileNotFoundError:
        raise DataError(f"There is no such {what} file.") from None
    except Exception as error:
        reason = _without_secrets(str(error), address).strip().partition("\n")[0][:300].rstrip(".")
        raise DataError(f"It cannot be read: {reason or type(error).__name__}.") from None


def _scheme(address: str) -> str:
    return address.partition("://")[0].lower()


def _file_system(address: str) -> tuple[Any, str]:
    """Return the file system of pyarrow or fsspec for an address, and the path in it."""
    import pyarrow as pa
    from pyarrow import fs

    scheme = _scheme(address)
    address = f"{scheme}://{address.partition('://')[2]}"
    if scheme in _OF_ARROW:
        with contextlib.suppress(pa.ArrowNotImplementedError):  # built without it
            if scheme in ("gs", "gcs") and _PATIENCE.partition("=")[0] not in address:
                address += ("&" if "?" in address else "?") + _PATIENCE
            found: tuple[Any, str] = fs.FileSystem.from_uri(address)
            return found
    known, more = {*_OF_ARROW, *_PACKAGES}, " fsspec reads more: python -m pip install fsspec."
    if importlib.util.find_spec("fsspec") is not None:
        import fsspec

        known, more = known | set(fsspec.available_protocols()), ""
    if scheme not in known:
        hint = (
            suggest(scheme, known) or " Known are s3://, gs://, abfs://, https://, hf:// and other schemes of fsspec."
        )
        raise DataError(f"The scheme {scheme}:// is unknown.{hint}{more}")
    import fsspec.core

    system, path = fsspec.core.url_to_fs(address)
    return system, path


def _is_folder(system: Any, path: str) -> bool:
    with contextlib.suppress(Exception):
        if hasattr(system, "isdir"):
            return bool(system.isdir(path))
        from pyarrow import fs

        return bool(system.get_file_info(path).type == fs.FileType.Directory)
    return False


def _without_secrets(text: str, address: str) -> str:
    """Return the text of an error without the query and the user of an address."""
    user = address.partition("://")[2].partition("/")[0].rpartition("@")[0]
    text = text.replace(f"{user}@", "") if user else text
    return re.sub(r"\?[^\s'\")]+", "", text)
