"""What commands say beside their output."""

from __future__ import annotations

import typer


def note(text: str) -> None:
    """Print a line to standard error, prefixed as those of irmx."""
    typer.echo(f"irmx: {text}", err=True)
