"""The ``irmx`` command: one file per subcommand, each registered through the hook ``irmx_commands``."""

from __future__ import annotations


def main() -> None:
    """Run the command; the entry point of the script ``irmx``."""
    from irmx.cli.app import run

    run()
