"""``irmx plugins``: the installed plugins, what they offer, and what failed and why."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterator
from typing import Any

from irmx.adapters.ir_datasets import plugin_datasets
from irmx.cli.commands import problems
from irmx.cli.printing import FormatOption, print_rows
from irmx.plugin.discovery import HOST
from irmx.registry import registry
from irmx.text import readable

_COLUMNS = ("plugin", "distribution", "version", "kind", "names", "refused", "failure")


def plugins(output_format: FormatOption = "table") -> None:
    """List the installed plugins and what they offer.

    Shows the version of each and, for one that is not in use, why not.
    """
    if output_format != "table":
        print_rows(_rows(), output_format, columns=_COLUMNS)
        return
    for info in registry().plugins.values():
        title = info.name if info.name == HOST else f"{info.name} ({info.distribution or 'no distribution'})"
        _print(f"{title} {info.version}")
        if info.failure:
            _print(f"  not in use: {info.failure}")
        for what, names in info.offers.items():
            _print(_wrapped(f"  {what.replace('_', ' ')}: {', '.join(names)}"))
        for what, reasons in info.refused.items():
            for name, reason in reasons.items():
                _print(f"  refused: {what.replace('_', ' ')} {name}: {reason}")
        for why in problems(registry().commands()[words] for words in info.offers.get("commands", ())):
            _print(f"  {why}")
        for name in filter(plugin_datasets.is_taken, info.offers.get("datasets", ())):
            _print(f"  not in use: the dataset {name!r}, because ir_datasets has one of this name")


def _print(text: str) -> None:
    print(readable(text))


def _wrapped(line: str) -> str:
    """Return a line, on a terminal in lines that fit it."""
    if not sys.stdout.isatty():
        return line
    width = shutil.get_terminal_size().columns
    return textwrap.fill(line, width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def _rows() -> Iterator[dict[str, Any]]:
    """Yield one row per plugin and kind of object it offers, or one for a plugin that offers none."""
    for info in registry().plugins.values():
        plugin = {
            "plugin": info.name,
            "distribution": info.distribution,
            "version": info.version,
            "failure": info.failure or None,
        }
        for kind in dict.fromkeys([*info.offers, *info.refused]) or [""]:
            yield plugin | {
                "kind": kind,
                "names": info.offers.get(kind, []),
                "refused": list(info.refused.get(kind, ())),
            }
