"""``irmx pages fit``: learn the parameters of a page measure from preferences."""

from __future__ import annotations

from typing import Annotated

from irmx.toolkit import Argument, FormatOption, Option, PlacesOption, matching_file, print_rows
from irmx_pages.commands import FailedTraps, PagesFile, PreferencesFile, Qrels, Test

_TITLES = {
    "parameters": "Parameters",
    "held_out": "Agreement with the majority on held-out topics",
    "assessors": "l of every assessor, by maximum likelihood",
    "active": "l of the most active assessors, by maximum agreement",
}
"""The headings of the tables that a fit prints, in this order."""


def fit(
    pages: PagesFile,
    preferences: PreferencesFile,
    measure: Annotated[
        str, Argument(help="A page utility measure, such as AS_RBP, with the parameters that are not fitted.")
    ],
    qrels: Qrels,
    grid: Annotated[
        list[str],
        Option(
            "-g",
            "--grid",
            help="PARAMETER=LOW:HIGH (51 values), PARAMETER=LOW:HIGH:NUMBER or PARAMETER=VALUE,VALUE,...; one --grid per parameter.",
        ),
    ],
    folds: Annotated[int, Option("-k", "--folds", min=2, help="Number of topic folds for cross-validation.")] = 5,
    level: Annotated[float, Option("-l", "--level", help="Share of the assessors that makes a majority.")] = 0.75,
    personal: Annotated[
        bool,
        Option("--personal/--no-personal", help="Whether to fit l, the weight of vertical recall, for every assessor."),
    ] = True,
    active: Annotated[
        int,
        Option(
            "--active", min=0, help="Number of assessors, those with the most votes, for whom l is chosen by agreement."
        ),
    ] = 20,
    personal_grid: Annotated[
        str, Option("--personal-grid", help="Values of l for --active, written as in a grid.")
    ] = "0:1",
    test: Test = "t",
    failed_traps: FailedTraps = 2,
    seed: Annotated[int, Option("--seed", min=0, help="Seed of the folds and the bootstrap.")] = 0,
    places: PlacesOption = 4,
    output_format: FormatOption = "table",
) -> None:
    """Learn the parameters of a page measure from preferences.

    Prints four tables: the parameters, by agreement on the grid with the range over folds, and by likelihood with 95% intervals;
    how often the measure then agrees with the majority on held-out topics; the l of every assessor,
    by likelihood, with the agreement on held-out topics; and the l of the most active assessors, by agreement on a grid. With -o jsonl every line names its table.
    """
    from irmx_pages.fit.preference_fit import fit_preferences

    found = fit_preferences(
        matching_file(pages),
        preferences,
        qrels,
        measure,
        grid,
        folds=folds,
        level=level,
        personal=personal,
        active=active,
        personal_grid=personal_grid,
        test=test,
        failed_traps=failed_traps,
        seed=seed,
    )
    for name, title in _TITLES.items():
        table = getattr(found, name)
        if not len(table):
            continue
        if output_format == "jsonl":
            table.insert(0, "table", name)
        elif output_format == "table":
            print(f"{title}:")
        elif name != "parameters":
            print()
        print_rows(table, output_format, places=places)
