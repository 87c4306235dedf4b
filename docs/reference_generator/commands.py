"""The page of the commands: the help of each, as the command prints it."""

from __future__ import annotations

from click.testing import CliRunner

from irmx import registry
from irmx.cli.app import build
from reference_generator.markdown import first_line, registered_by


def page() -> str:
    """Return the page."""
    parts = [_help([])]
    for name, command in registry().commands().items():
        line = first_line(command.load())
        parts.append(f"## irmx {name}\n\n{line} {registered_by('commands', name)}\n\n{_help(name.split())}")
    body = "\n\n".join(parts)
    return f"""# Commands

What `irmx --help` and `irmx COMMAND --help` print. For their use see [the guide](../guide/command-line.md).

{body}
"""


def _help(arguments: list[str]) -> str:
    result = CliRunner().invoke(
        build(), [*arguments, "--help"], prog_name="irmx", env={"COLUMNS": "80"}, terminal_width=80, color=False
    )
    if result.exit_code != 0:
        raise RuntimeError(f"irmx {' '.join(arguments)} --help failed: {result.output}")
    return f"```text\n{result.output.rstrip()}\n```"
