"""For which users of RBP one run is better than another, and the ranks that runs have over them."""

from __future__ import annotations

from typing import Any

import irmx
from irmx.demo import SYSTEMS, qrels_path, run_path

USERS = "RBP(p=0.05:0.95:19,rel=1|2)"
MADE_BY = {
    "border-between-users": "irmx sensitivity qrels.txt 'runs/*.run' 'RBP(p=0.05:0.95:19,rel=1|2)' --plot users.svg",
    "rank-bands": "irmx sensitivity qrels.txt 'runs/*.run' 'RBP(p=0.05:0.95:19,rel=1|2)' --rank-bands --plot bands.svg",
    "tau-over-settings": "irmx settings qrels.txt 'runs/*.run' 'RBP(p=0.05:0.95:10,rel=1|2)' AP --reference AP --plot tau.svg",
}


def figures(plt: Any) -> dict[str, Any]:
    """Return the pictures ``border-between-users``, ``rank-bands`` and ``tau-over-settings``."""
    import irmx_study

    scores = irmx.scores(USERS, qrels_path(), {system: run_path(system) for system in SYSTEMS})
    sensitivity = irmx_study.sensitivity(scores, a="recent", b="titles")
    against = irmx.scores(
        "RBP(p=0.05:0.95:10,rel=1|2) AP", qrels_path(), {system: run_path(system) for system in SYSTEMS}
    )
    return {
        "border-between-users": sensitivity.plot().figure_,
        "rank-bands": sensitivity.plot_rank_bands().figure_,
        "tau-over-settings": irmx_study.settings_agreement(against, "AP").plot().figure_,
    }
