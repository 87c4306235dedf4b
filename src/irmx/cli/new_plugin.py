"""``irmx new-plugin``: write the distribution of a new plugin."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer


def new_plugin(
    name: Annotated[str, typer.Argument(help="Its name, such as word-budget; the distribution is irmx-word-budget.")],
    into: Annotated[str, typer.Option("--into", metavar="DIR", help="The folder to make its folder in.")] = ".",
    measure: Annotated[
        str | None, typer.Option("-m", "--measure", help="The name of its measure, such as WordBudget.")
    ] = None,
) -> None:
    """Write the distribution of a new plugin.

    With one measure that works, its tests, and what building and continuous integration need. Nothing is overwritten.
    """
    import irmx
    from irmx.plugin.templates import Names, new_plugin

    names = Names.of(name, measure, reserved=irmx.__all__)
    folder = new_plugin(names, into)
    print(f"{folder}: a plugin with the measure {names.measure}. Next:")
    print(f"  cd {shlex.quote(str(folder))}")
    print("  python -m pip install -e '.[test]' && python -m pytest")
    print(f"  irmx measures {names.measure}")
    print(f"Then put your own definition into {folder / 'src' / names.package / 'measure.py'}.")
