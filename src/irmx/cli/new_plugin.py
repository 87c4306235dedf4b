"""``irmx new-plugin``: create the distribution of a new plugin."""

from __future__ import annotations

import shlex
from typing import Annotated

from irmx.cli.click_command import Argument, Option


def new_plugin(
    name: Annotated[
        str,
        Argument(help="Name of the plugin, such as word-budget; the distribution is called irmx-word-budget."),
    ],
    into: Annotated[str, Option("--into", metavar="DIR", help="The folder in which to create its folder.")] = ".",
    measure: Annotated[str | None, Option("-m", "--measure", help="Name of its measure, such as WordBudget.")] = None,
) -> None:
    """Create the distribution of a new plugin.

    It has one working measure with its tests, and the files for building and continuous integration. Nothing is overwritten.
    """
    import irmx
    from irmx.plugin.templates import Names, new_plugin

    names = Names.of(name, measure, reserved=irmx.__all__)
    folder = new_plugin(names, into)
    print(f"{irmx.toolkit.visible(str(folder))}: a plugin with the measure {names.measure}. Next:")
    print(f"  cd {irmx.toolkit.visible(shlex.quote(str(folder)))}")
    print("  python -m pip install -e '.[test]' && python -m pytest")
    print(f"  irmx measures {names.measure}")
    print(
        f"Then write your own definition in {irmx.toolkit.visible(str(folder / 'src' / names.package / 'measure.py'))},"
    )
    print(
        f"and the values that you work out by hand in {irmx.toolkit.visible(str(folder / 'tests' / 'test_measure.py'))}."
    )
