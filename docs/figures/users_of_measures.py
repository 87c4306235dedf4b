"""For which users of RBP one run is better than another, and the ranks that runs have over them."""

from __future__ import annotations

from typing import Any

import irmx
from irmx.demo import SYSTEMS, qrels_path, run_path

USERS = "RBP(p=0.05:0.95:19,rel=1|2)"
MADE_BY = {
    "border-between-users": "irmx compare qrels.txt titles.run recent.run 'RBP(p=0.05:0.95:19,rel=1|2)' --plot users.svg",
    "rank-bands": "irmx compare qrels.txt 'runs/*.run' 'RBP(p=0.05:0.95:19,rel=1|2)' --plot ranks=ranks.svg",
    "tau-over-settings": "irmx correlate qrels.txt 'runs/*.run' 'RBP(p=0.05:0.95:10,rel=1|2)' --reference AP --plot views=tau.svg",
}


def figures(plt: Any) -> dict[str, Any]:
    """Return the pictures ``border-between-users``, ``rank-bands`` and ``tau-over-settings``."""
    import irmx_study

    scores = irmx.scores(USERS, qrels_path(), {system: run_path(system) for system in SYSTEMS})
    pair = irmx_study.compare(scores.select(systems=["recent", "titles"]), baseline="titles")
    against = irmx.scores(
        "RBP(p=0.05:0.95:10,rel=1|2) AP", qrels_path(), {system: run_path(system) for system in SYSTEMS}
    )
    return {
        "border-between-users": pair.plot("views").figure,
        "rank-bands": irmx_study.compare(scores).plot("ranks").figure,
        "tau-over-settings": irmx_study.correlate(against, reference="AP").plot("views").figure,
    }
