"""The provenance of scores: versions of the software that computed them, and digests of the files that were read."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from importlib.metadata import version
from typing import Any

import ir_measures

from irmx.declare.from_function import FunctionMeasure
from irmx.declare.measures import Measure
from irmx.declare.symbols import Symbol
from irmx.registry import registry


def versions_of(measures: Iterable[ir_measures.Measure]) -> dict[str, str]:
    """Return the versions of irmx, of ir_measures, and of the plugins of the measures and their named objects.

    Parameters
    ----------
    measures : iterable of Measure
        The measures.

    Returns
    -------
    dict of str to str
        By distribution; for a measure made from a function, a digest of the function.

    Examples
    --------
    >>> import irmx
    >>> list(irmx.versions_of([irmx.NCP(law="uniform")]))
    ['irmx', 'ir_measures', 'irmx-ncp']
    """
    measures = list(measures)
    names = {str(m.NAME) for m in measures}
    names |= {v.NAME for m in measures if isinstance(m, Measure) for v in m.params.values() if isinstance(v, Symbol)}
    versions = {"irmx": version("irmx"), "ir_measures": version("ir_measures")}
    for plugin in registry().plugins.values():
        if names & {*plugin.offers.get("measures", ()), *plugin.offers.get("symbols", ())}:
            versions[plugin.distribution] = plugin.version
    for m in measures:
        if isinstance(m, FunctionMeasure):
            versions[f"function of {m.NAME}"] = hashlib.sha256(m.source.encode()).hexdigest()[:12]
    return versions


def file_digest(source: Any) -> str:
    """Return a digest of the bytes of a file; empty if the source is not a file.

    >>> file_digest({"q": {"a": 1}})
    ''
    """
    if not isinstance(source, (str, os.PathLike)) or not os.path.isfile(source):
        return ""
    digest = hashlib.sha256()
    with open(source, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
