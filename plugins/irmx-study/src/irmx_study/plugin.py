"""The plugin irmx-study: its hooks."""

from irmx import Command, hookimpl


@hookimpl
def irmx_commands() -> list[Command]:
    return [
        Command(
            "sweep",
            "irmx_study.commands.sweep_command:sweep",
            SHORT_DESC="Score runs in every setting of a grid of parameters of a measure.",
            EXAMPLES=(
                "irmx sweep qrels.txt 'runs/*.run' --measure NCP --grid 'law=uniform,first' --out results.parquet",
            ),
        )
    ]
