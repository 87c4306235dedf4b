"""The measure MPcont: Markov Precision in continuous time."""

from __future__ import annotations

from typing import Any

import numpy as np

from irmx import COMMON_PARAMS, Column, Formula, Param, Rankings
from irmx.ragged import Floats, segment_sum
from irmx_markov.holding import DWELL, DWELL_COLUMN, TIMES_KIND
from irmx_markov.markov_models import KIND
from irmx_markov.markov_precision import BEST_RETRIEVED, PRECISION, RESCALE, RESCALED, VISITS, MarkovMeasure
from irmx_markov.reading_speed import LENGTH_COLUMN


class ContinuousMarkovPrecision(MarkovMeasure):
    """Markov Precision in continuous time: ranks where the user stays longer have more weight.

    With equal holding times it is MP.

    References
    ----------
    Ferrante, Ferro, Maistro: Injecting User Models and Time into Precision via Markov Chains. SIGIR 2014.

    Examples
    --------
    >>> import irmx
    >>> qrels = {"q": {"a": 1, "c": 1, "d": 1}}
    >>> run = {"q": {"a": 6.0, "b": 5.0, "c": 4.0, "d": 3.0, "e": 2.0, "f": 1.0}}
    >>> m = irmx.parse_measure("MPcont(model=GL_AD_ID,times=by_rank(seconds=[10,10,20,30]))")
    >>> round(m.calc_aggregate(qrels, run), 6)
    0.753902
    """

    NAME = "MPcont"
    PRETTY_NAME = "Continuous-time Markov Precision"
    SHORT_DESC = (
        "Markov Precision in continuous time: ranks are weighted by how often and how long the user visits them."
    )
    FORMULA = Formula(
        r"\mathrm{MPcont} = \sum_{n \in R} \tilde{\pi}_n\,\mathrm{Prec}(n), \qquad \tilde{\pi}_n = \frac{\pi_n / "
        r"\mu_n}{\sum_{i \in R} \pi_i / \mu_i}",
        {
            "n": "a rank",
            "R": "the ranks of the relevant documents retrieved",
            r"\tilde{\pi}_n": "the share of the time at $R$ that the user spends at rank $n$",
            r"\mathrm{Prec}(n)": f"{PRECISION}. {RESCALED}",
            r"\pi_n": VISITS,
            r"\mu_n": (
                r"the rate of leaving rank $n$: $1/\mu_n$ is the mean holding time there, from the parameter times"
            ),
            "i": "each rank in $R$",
        },
        source="Ferrante, Ferro and Maistro (2014)",
    )
    SUPPORTED_PARAMS = {
        "model": Param(str, "the user's Markov chain", kind=KIND, required=True),
        "times": Param(str, "where the mean holding times come from", kind=TIMES_KIND, default=DWELL),
        "rescale": RESCALE,
        **COMMON_PARAMS,
    }
    RUN_COLUMNS = (DWELL_COLUMN, LENGTH_COLUMN)
    QREL_COLUMNS = (BEST_RETRIEVED,)
    EXAMPLES = ("MPcont(model=GL_AD_ID)",)

    def weights(self, rankings: Rankings) -> Floats:
        pi, times = self.invariant(rankings), self["times"].mean_times(rankings)
        topic = rankings.relevant.topic
        longest = np.zeros(len(rankings))
        np.maximum.at(longest, topic, times)
        times = times / longest[topic]
        total = segment_sum(pi * times, topic, len(rankings))[topic]
        return np.asarray(np.divide(pi * times, total, out=np.zeros(len(pi)), where=total > 0))

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        return {"holding_time": self["times"].mean_times(rankings), **super().contributions(rankings)}

    def run_columns(self) -> tuple[Column, ...]:
        columns: tuple[Column, ...] = self["times"].run_columns()
        return columns


MPcont = ContinuousMarkovPrecision()
