"""Creating new plugin distributions: checking their names, and filling in a template."""

from __future__ import annotations

import builtins
import os
import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from string import Template

from irmx.data.files import new_folder
from irmx.declare.expressions import measure_names
from irmx.errors import UsageError
from irmx.registry import entry_points, folder_of

# -- the names of a new plugin ---------------------------------------------------------------------------------------


_PREFIX = "irmx-"
_LONGEST = 40


@dataclass(frozen=True)
class Names:
    """The names in the files of a new plugin.

    Examples
    --------
    >>> Names.of("Word_Budget")
    Names(distribution='irmx-word-budget', package='irmx_word_budget', plugin='word-budget', measure='WordBudget')
    """

    distribution: str
    package: str
    plugin: str
    measure: str

    @classmethod
    def of(cls, name: str, measure: str | None = None, reserved: Collection[str] = ()) -> Names:
        """Derive all names from one, with or without the prefix ``irmx-``, and check that they are free."""
        plugin = re.sub(r"[-_.]", "-", name.lower()).removeprefix(_PREFIX)
        if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", plugin) or not name.isascii():
            raise UsageError(
                "The name of a plugin consists of ASCII letters and digits, begins with a letter, and may have single "
                f"-, _ or . between its words, such as word-budget. Got {name!r} instead."
            )
        if len(plugin) > _LONGEST:
            raise UsageError(f"The name of a plugin can have at most {_LONGEST} characters. Got {len(plugin)}.")
        words = plugin.split("-")
        names = cls(
            _PREFIX + plugin,
            (_PREFIX + plugin).replace("-", "_"),
            plugin,
            "".join(w[0].upper() + w[1:] for w in words) if measure is None else measure,
        )
        names._refuse_illegal_measure(reserved, explicit=measure is not None)
        names._refuse_taken(explicit=measure is not None)
        return names

    def _refuse_illegal_measure(self, reserved: Collection[str], explicit: bool) -> None:
        name, how = self.measure, "" if explicit else " Choose one: --measure NAME."
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) or not re.search("[A-Z]", name):
            raise UsageError(
                "The name of a measure consists of ASCII letters, digits and _, begins with a letter, and contains a capital "
                f"letter. Got {name!r} instead.{how}"
            )
        if iskeyword(name) or hasattr(builtins, name) or name in reserved:
            raise UsageError(f"The name {name} has another meaning in Python or in irmx.{how}")
        if len(name) > _LONGEST:
            raise UsageError(f"The name of a measure can have at most {_LONGEST} characters. Got {len(name)}.")

    def _refuse_taken(self, explicit: bool) -> None:
        if self.measure in measure_names():
            how = "" if explicit else " Choose another: --measure NAME."
            raise UsageError(
                f"There is already a measure {self.measure}; two with the same name cannot be installed together.{how}"
            )
        for point in entry_points()[0]:
            if point.name == self.plugin and point.dist is not None:
                raise UsageError(
                    f"There is already a plugin {self.plugin!r}: {folder_of(point.dist)[0]} is installed. Choose another name."
                )
        if find_spec(self.package) is not None:
            raise UsageError(f"There is already a package {self.package}. Choose another name.")


# -- writing the files of a new plugin: all of them, or none ---------------------------------------------------------


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


# -- creating new plugin distributions: checking their names, and filling in a template ------------------------------


__all__ = ["Names", "new_plugin"]
