"""Writing the files of a new plugin: all of them, or none."""

from __future__ import annotations

import os
from datetime import date
from importlib.metadata import version
from pathlib import Path
from string import Template

from irmx.data.files import new_folder
from irmx.errors import UsageError
from irmx.plugin.templates.names import Names

_TEMPLATE = Path(__file__).parent / "template"
_SUFFIX = ".template"


def new_plugin(names: Names, into: str | os.PathLike[str] = ".") -> Path:
    """Create the distribution of a new plugin, and return its folder."""
    where = Path(into)
    target = where / names.distribution
    if not where.is_dir():
        raise UsageError(f"There is no folder {where}.")
    major, minor = version("irmx").split(".")[:2]
    values = {
        "distribution": names.distribution,
        "package": names.package,
        "plugin": names.plugin,
        "measure": names.measure,
        "irmx_version": f"{major}.{minor}",
        "irmx_next": f"{major}.{int(minor) + 1}",
        "year": str(date.today().year),
    }
    with new_folder(target, "Choose another name, or --into DIR.") as made:
        _fill(_TEMPLATE, made, values)
    return target


def _fill(source: Path, target: Path, values: dict[str, str]) -> None:
    """Write a folder of the template, with the names filled in.

    A file ``NAME.template`` becomes ``NAME``; in file names a leading ``dot_`` stands for a dot, and ``PACKAGE`` for the
    name of the package.
    """
    target.mkdir(exist_ok=True)
    for entry in sorted(source.iterdir()):
        name = entry.name.removesuffix(_SUFFIX).replace("PACKAGE", values["package"])
        name = "." + name.removeprefix("dot_") if name.startswith("dot_") else name
        if entry.is_dir():
            _fill(entry, target / name, values)
        else:
            text = Template(entry.read_text(encoding="utf-8")).substitute(values)
            (target / name).write_text(text, encoding="utf-8", newline="\n")
