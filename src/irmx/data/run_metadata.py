"""The header of ir_metadata in a run file: who made the run, by what method, as comments before the first line."""

from __future__ import annotations

import json
import os
import warnings
from typing import Any

from irmx.data.files import content_of
from irmx.errors import DataWarning, text_of

_START, _END = "# ir_metadata.start", "# ir_metadata.end"
_LONGEST = 1 << 16
"""Bytes of a file in which its header must end."""


def run_metadata(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the header of ir_metadata of a run file, empty if it has none; dates are texts.

    Warns
    -----
    irmx.DataWarning
        About a header that cannot be read. The run is read without it.

    References
    ----------
    Breuer, T., Keller, J., Schaer, P.: ir_metadata: An Extensible Metadata Schema for IR Experiments. SIGIR 2022.
    """
    import yaml

    start = content_of(path, "run", _LONGEST).decode("utf-8", "replace").lstrip()
    if not start.startswith(_START):
        return {}
    header, end, _ = start.partition(_END)
    lines = [line.removeprefix("#").removeprefix(" ") for line in header.splitlines()[1:]]
    why = "" if end else f"it does not end with {_END!r} within {_LONGEST:,} bytes"
    found: Any = None
    try:
        if not why and any(isinstance(token, yaml.AliasToken) for token in yaml.scan("\n".join(lines))):
            why = "it has aliases of YAML"  # with which a small text stands for a huge one
        found = {} if why else json.loads(json.dumps(yaml.safe_load("\n".join(lines)), default=str))
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        why = text_of(error).splitlines()[0]
    if not why and not isinstance(found, dict):
        why = "it holds no names with values"
    if why:
        warnings.warn(f"{path}: the header of ir_metadata is left out: {why}.", DataWarning, stacklevel=2)
        return {}
    return dict(found)
