"""``irmx plot``: the user of a measure on one topic, as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from irmx.adapters.pictures import picture_width, plot, write_picture
from irmx.cli.click_command import Argument, Option
from irmx.cli.printing import WidthOption, picture_option
from irmx.cli.run_arguments import runs_and_measures
from irmx.declare.columns import QRELS_HELP


def plot_user(
    qrels: Annotated[str, Argument(help=QRELS_HELP)],
    run_and_measures: Annotated[
        list[str],
        Argument(metavar="RUN... MEASURE...", help="Run files or quoted globs, then measures: a panel for each."),
    ],
    topic: Annotated[str, Option("-t", "--topic", help="The query id of the topic.")],
    out: Annotated[Path, picture_option("-o", "--out", help="Where to: FILE.svg, .png or .pdf.")],
    width: WidthOption = None,
) -> None:
    """Draw the user of a measure on one topic.

    Draws where the user of MP is, when users of MSU look in and what they read, what the reader of a page examines; of other
    measures, the weight and the contribution of every relevant document.
    """
    runs, measures = runs_and_measures(run_and_measures, "irmx plot QRELS RUN... MEASURE... --topic ID -o FILE")
    with picture_width(width):
        display = plot(measures, qrels, runs, topic)
    write_picture(display.figure_, out)
