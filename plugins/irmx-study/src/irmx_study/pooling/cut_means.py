"""The means of all systems with all judgments and with parts of them, and what they say about rankings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import ir_measures
import numpy as np

from irmx import DataError, Scores
from irmx.ragged import Floats, Ints
from irmx.toolkit import counted
from irmx_study.filters.chosen_systems import choose_systems
from irmx_study.rank_correlation.comparable_means import rounded
from irmx_study.rank_correlation.kendall import kendall_taus

if TYPE_CHECKING:
    import pandas as pd

FEWEST = 3
"""The smallest number of systems whose ranking says anything."""


@dataclass(frozen=True, eq=False)
class CutMeans:
    """The means of systems with all judgments, and with every cut of them.

    Attributes
    ----------
    systems : tuple of str
        The names of the systems.
    measures : tuple of Measure
        The measures.
    topics : int
        The number of topics of the judgments.
    retrieved : int array, shape (systems,)
        For how many of them each system retrieves something.
    keys : DataFrame
        One row per cut: what it is.
    means : float array, shape (1 + cuts, systems, measures)
        The means over topics, first with all judgments; NaN for a measure that refuses a cut.
    refusals : dict of (int, int) to str
        Why, by the cut, from 0, and the measure.
    """

    systems: tuple[str, ...]
    measures: tuple[ir_measures.Measure, ...]
    topics: int
    retrieved: Ints
    keys: pd.DataFrame
    means: Floats
    refusals: dict[tuple[int, int], str]

    @property
    def names(self) -> list[str]:
        """The names of the measures."""
        return [str(measure) for measure in self.measures]

    # -- the systems of a study --------------------------------------------------------------------------

    def chosen(
        self, every_topic: bool = False, best: float | None = None, only: Iterable[str] | None = None
    ) -> CutMeans:
        """Return the means of the systems that the filters of studies keep; see :func:`irmx_study.choose_systems`.

        Raises
        ------
        irmx.errors.DataError
            If fewer than three are left, or a measure ranks them nowhere with all judgments.
        """
        if every_topic or best is not None or only is not None:
            shape = (self.topics, len(self.systems), len(self.measures))
            retrieved = np.arange(self.topics)[:, None] < self.retrieved
            whole = Scores(np.broadcast_to(self.means[0], shape), tuple(map(str, range(self.topics))), self.systems,
                           self.measures, retrieved)  # fmt: skip
            kept = set(choose_systems(whole, only, every_topic=every_topic, best=best).systems)
        else:
            kept = set(self.systems)
        at = [i for i, system in enumerate(self.systems) if system in kept]
        chosen = replace(
            self, systems=tuple(self.systems[i] for i in at), retrieved=self.retrieved[at], means=self.means[:, at]
        )
        chosen._check()
        return chosen

    def _check(self) -> None:
        if len(self.systems) < FEWEST:
            raise DataError(
                f"Comparing rankings takes {FEWEST} or more systems. Here {counted(len(self.systems), 'run')} "
                f"{'is' if len(self.systems) == 1 else 'are'} left: {', '.join(self.systems)}."
            )
        for m, name in enumerate(self.names):
            of_all = self.means[0][:, m]
            if not np.isfinite(of_all).all():
                raise DataError(
                    f"{self.systems[int(np.argmin(np.isfinite(of_all)))]} has no mean of {name}, so that it has no rank."
                )
            if len(set(self.comparable[0][:, m].tolist())) == 1:
                raise DataError(
                    f"{name} gives all of {len(self.systems)} systems the same value, {of_all[0]:.4g}, with all judgments, so that "
                    "it does not rank them. Leave it out."
                )

    # -- rankings ----------------------------------------------------------------------------------------

    @cached_property
    def comparable(self) -> Floats:
        """The means, rounded so that systems with the same values are tied."""
        return np.stack([rounded(of_cut) for of_cut in self.means])

    @cached_property
    def taus(self) -> Floats:
        """Tau-b of each measure's ranking with every cut and its own with all judgments, of shape (cuts, measures).

        NaN where all systems have the same mean, or the measure refuses the cut.
        """
        by_measure = self.comparable.transpose(2, 1, 0)
        return np.stack([kendall_taus(of_measure)[0, 1:] for of_measure in by_measure], axis=1)

    # -- tables ------------------------------------------------------------------------------------------

    def frame(self) -> pd.DataFrame:
        """Return one row per cut, system and measure, first with all judgments, where the columns of keys are missing."""
        import pandas as pd

        cut, system, measure = (index.ravel() for index in np.indices(self.means.shape))
        whole = {name: "Int64" for name in self.keys if self.keys[name].dtype.kind == "i"}  # so that they stay ints
        keys = self.keys.astype(whole).reindex(cut - 1).reset_index(drop=True)
        table = pd.DataFrame(
            {
                "run": np.array(self.systems, dtype=object)[system],
                "topics": self.retrieved[system],
                "measure": np.array(self.names, dtype=object)[measure],
                **{name: keys[name] for name in keys},
                "value": self.means.ravel(),
            }
        )
        refusals = [self.refusals.get((c - 1, m)) for c, m in zip(cut.tolist(), measure.tolist(), strict=True)]
        return table.assign(refusal=pd.Series(refusals, dtype=object))

    @classmethod
    def from_frame(
        cls, frame: pd.DataFrame, measures: Sequence[ir_measures.Measure], topics: int, keys: pd.DataFrame
    ) -> CutMeans:
        """Return the means from such a table, in the order that it was written in."""
        systems = tuple(dict.fromkeys(frame["run"]))
        shape = (1 + len(keys), len(systems), len(measures))
        values = frame["value"].to_numpy(dtype=float).reshape(shape)
        retrieved = frame["topics"].to_numpy(dtype=np.int64).reshape(shape)[0, :, 0]
        refusal = np.array(frame["refusal"], dtype=object).reshape(shape)[1:, 0]
        refusals = {(c, m): text for (c, m), text in np.ndenumerate(refusal) if isinstance(text, str)}
        return cls(systems, tuple(measures), topics, retrieved, keys, values, refusals)
