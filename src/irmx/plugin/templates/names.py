"""The names of a new plugin: of its distribution, its package, its entry point and its measure."""

from __future__ import annotations

import builtins
import re
from collections.abc import Collection
from dataclasses import dataclass
from importlib.util import find_spec
from keyword import iskeyword

from irmx.declare.expressions import measure_names
from irmx.errors import UsageError
from irmx.registry import entry_points, folder_of

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
