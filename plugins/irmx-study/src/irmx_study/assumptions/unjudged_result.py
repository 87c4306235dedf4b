"""The result of a report on unjudged documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from irmx import Scores
from irmx.ragged import Floats
from irmx.toolkit import counted, html_result, some
from irmx_study.assumptions.assumed_values import means_of
from irmx_study.assumptions.flips import Extremes, would_flip
from irmx_study.assumptions.tried_measures import Effects

if TYPE_CHECKING:
    import pandas as pd

SHARES = ("unjudged_at_k", "judged_at_k", "relevant_at_k")
"""The shares of the documents at ranks up to k; unjudged and judged ones add up to 1."""

_HOW = {True: "exact", False: "assumption"}


@dataclass(frozen=True, eq=False, repr=False)
class Unjudged:
    """The result of :func:`irmx_study.unjudged`.

    Attributes
    ----------
    value, if_nonrelevant, if_relevant : Scores
        The values as judged, and if the unjudged documents retrieved, up to ``depth``, were judged non-relevant or relevant; NaN
        for a measure that refuses such documents, because it needs their subtopics or other columns.
    residuals : float array, shape (topics, systems, measures)
        The residuals of RBP; NaN for other measures.
    shares : dict of str to float array, shape (topics, systems)
        ``unjudged_at_k``, ``judged_at_k`` and ``relevant_at_k``, of the documents retrieved at ranks up to k; NaN for a topic for
        which the system retrieved nothing.
    effects : dict of str to Effects
        By measure: whether its two values are bounds (``bounded``), and differences extremes (``additive``).
    extremes : dict
        The extremes of the differences, by the places of the two systems.
    baseline : tuple of str
        The baselines.
    k : int
        How many documents the shares are of.
    grade : float
        The grade of a document that is assumed to be relevant.
    depth : int or None
        Up to which rank unjudged documents are assumed to be judged.
    notes : tuple of str
        Which measures have no value under assumptions, and why.
    """

    value: Scores
    if_nonrelevant: Scores
    if_relevant: Scores
    residuals: Floats
    shares: Mapping[str, Floats]
    effects: Mapping[str, Effects]
    extremes: Mapping[tuple[int, int], Extremes | None]
    baseline: tuple[str, ...]
    k: int
    grade: float
    depth: int | None
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        size = f"{counted(len(self.value.systems), 'system')}, {counted(len(self.value.topics), 'topic')}"
        measures = some(map(str, self.value.measures))
        return f"<Unjudged documents of {size}, by {measures}; k {self.k}, grade {self.grade:g}, depth {self.depth}>"

    def _repr_html_(self) -> str:
        return html_result(repr(self), {"": self.frame(), "comparisons with a baseline": self._pairs}, notes=self.notes)

    def frame(self) -> pd.DataFrame:
        """Return one row per measure and system.

        Returns
        -------
        DataFrame
            ``measure``; ``system``; ``unjudged_at_k``, the share of unjudged documents among the top k, averaged over the topics for
            which the system retrieved some; the mean ``value``, as judged, ``if_nonrelevant`` and ``if_relevant``; ``bounds``:
            "exact" if no grades of these documents give a value outside these two, or "assumption" if some can, as with a recall
            base; the mean ``residual`` of RBP; and ``flips``: "yes" if the order of the system and a baseline could flip, "no"
            if not, None for a baseline that is compared with no other.
        """
        import pandas as pd

        measures, systems = self.value.measures, self.value.systems
        names = ("value", "if_nonrelevant", "if_relevant")
        means = {name: means_of(measures, getattr(self, name).values).T.ravel() for name in names}
        of_pairs = [((row.measure, row.a), row.flips) for row in self._pairs.itertuples()]
        flips = {key: answer for answer in ("no", "yes") for key, of_pair in of_pairs if of_pair == answer}
        table = {
            "measure": np.repeat([str(m) for m in measures], len(systems)),
            "system": np.tile(systems, len(measures)),
            "unjudged_at_k": np.tile(mean_shares(self.shares["unjudged_at_k"]), len(measures)),
            **means,
            "bounds": np.repeat([_HOW[self.effects[str(m)].bounded] for m in measures], len(systems)),
            "residual": self.residuals.mean(axis=0).T.ravel(),
            "flips": pd.Series([flips.get((str(m), system)) for m in measures for system in systems], dtype=object),
        }
        return pd.DataFrame(table)

    def pairs(self) -> pd.DataFrame:
        """Return one row per measure and comparison with a baseline.

        Returns
        -------
        DataFrame
            ``measure``; the systems ``a`` and ``b``, of which b is the baseline; the ``difference`` of their means as judged, a - b;
            the ``smallest`` and the ``largest`` found if unjudged documents are relevant only where b, or a, ranks them better;
            ``flips``, "yes" if these have different signs, else "no"; and ``extremes``: "exact" if no other grades give a smaller or
            larger difference, because the measure adds up what each rank is worth, or else "assumption".
        """
        return self._pairs.copy()

    @cached_property
    def _pairs(self) -> pd.DataFrame:
        import pandas as pd

        measures, systems = self.value.measures, self.value.systems
        means = means_of(measures, self.value.values)
        rows = []
        for m, measure in enumerate(map(str, measures)):
            for (a, b), extremes in self.extremes.items():
                assert extremes is not None
                difference = means[a, m] - means[b, m]
                smallest = np.minimum(extremes.smallest[m], difference)
                largest = np.maximum(extremes.largest[m], difference)
                flips = None if np.isnan(smallest + largest) else "yes" if would_flip(smallest, largest) else "no"
                how = _HOW[self.effects[measure].additive]
                rows.append((measure, systems[a], systems[b], difference, smallest, largest, flips, how))
        columns = ["measure", "a", "b", "difference", "smallest", "largest", "flips", "extremes"]
        return pd.DataFrame(rows, columns=columns).astype({"flips": object})

    def per_topic(self) -> pd.DataFrame:
        """Return one row per topic and system: query_id, system, unjudged_at_k, judged_at_k and relevant_at_k."""
        import pandas as pd

        topics, systems = self.value.topics, self.value.systems
        table = {"query_id": np.repeat(topics, len(systems)), "system": np.tile(systems, len(topics))}
        return pd.DataFrame(table | {name: share.ravel() for name, share in self.shares.items()})


def mean_shares(shares: Floats) -> Floats:
    """Return the means over the topics that have a share, one per system; NaN for a system that retrieved nothing."""
    has = ~np.isnan(shares)
    counts = has.sum(axis=0)
    return np.where(counts > 0, np.where(has, shares, 0.0).sum(axis=0) / np.maximum(counts, 1), np.nan)
