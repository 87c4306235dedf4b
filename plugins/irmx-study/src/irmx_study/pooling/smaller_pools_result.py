"""The result of a study of smaller pools."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import Judgments
from irmx.toolkit import counted, html_result, some
from irmx_study.correlation.agreement_facts import versions_fact
from irmx_study.pooling.cut_means import CutMeans
from irmx_study.pooling.judgment_samples import LEAST_NONRELEVANT, LEAST_RELEVANT, JudgmentSamples, Strata
from irmx_study.pooling.percentages import number_of, text_of

if TYPE_CHECKING:
    import pandas as pd

    from irmx_study.pooling.robustness_display import RobustnessDisplay


@dataclass(frozen=True, eq=False, repr=False)
class SmallerPools:
    """The result of :func:`irmx_study.pool`.

    Attributes
    ----------
    means : CutMeans
        The means of the systems, with all judgments and with every sample.
    cuts : JudgmentSamples
        The percentages, the number of samples, and the seed.
    sizes : DataFrame
        One row per percentage, after one for all judgments: ``keep``, the number of documents ``judged`` and of ``relevant`` ones, and
        ``share``, the percentage of the judged documents that this is. All samples have the same sizes.
    """

    means: CutMeans
    cuts: JudgmentSamples
    sizes: pd.DataFrame

    @classmethod
    def of(cls, means: CutMeans, cuts: JudgmentSamples, judgments: Judgments) -> SmallerPools:
        """Return the result of a study."""
        import pandas as pd

        strata = Strata(judgments, cuts.rel)
        kept = [strata.sizes, *(strata.kept(level) for level in cuts.levels)]
        judged = np.array([int(of_level.sum()) for of_level in kept])
        sizes = pd.DataFrame(
            {
                "keep": [100, *map(number_of, cuts.levels)],
                "judged": judged,
                "relevant": [int(of_level[strata.relevant].sum()) for of_level in kept],
                "share": 100 * judged / max(judged[0], 1),
            }
        )
        return cls(means, cuts, sizes)

    def __repr__(self) -> str:
        size = f"{counted(len(self.means.systems), 'system')}, {counted(self.means.topics, 'topic')}"
        levels = some(map(text_of, self.cuts.levels), 10)
        return f"<Smaller pools of {size}, by {some(self.means.names)}: {levels}%, {counted(self.cuts.samples, 'sample')} each>"

    def _repr_html_(self) -> str:
        return html_result(repr(self), {"": self.frame()}, self.facts(), self.notes, most=30)

    def samples(self) -> pd.DataFrame:
        """Return one row per measure, percentage and sample.

        Returns
        -------
        DataFrame
            ``measure``; ``keep``, the percentage; ``sample``, from 1; ``tau``, Kendall's tau-b between the ranking of systems by the
            measure with these judgments and with all; ``mean_value``, the mean over systems of their means over topics; and
            ``problem``: "all values equal" if all systems have the same mean, so that tau is undefined and missing, "refused" if
            the measure cannot be computed with these judgments, and else empty.
        """
        return self._samples.copy()

    @cached_property
    def _samples(self) -> pd.DataFrame:
        import pandas as pd

        cuts, measures = self.means.taus.shape
        values = self.means.means[1:].mean(axis=1)  # of shape (cuts, measures)
        keys = pd.concat([self.means.keys] * measures, ignore_index=True)
        taus = self.means.taus.T.ravel()
        problem = np.where(np.isnan(values.T.ravel()), "refused", np.where(np.isnan(taus), "all values equal", ""))
        table = keys.assign(tau=taus, mean_value=values.T.ravel(), problem=problem)
        table.insert(0, "measure", np.repeat(self.means.names, cuts))
        order = [
            (m * cuts + s * len(self.cuts.levels) + level)
            for m in range(measures)
            for level in range(len(self.cuts.levels))
            for s in range(self.cuts.samples)
        ]
        return table.iloc[order].reset_index(drop=True)

    @cached_property
    def _by_level(self) -> Any:
        return self._samples.groupby(["measure", "keep"], sort=False)

    def frame(self) -> pd.DataFrame:
        """Return one row per measure and percentage.

        Returns
        -------
        DataFrame
            ``measure``; ``keep``, the percentage; ``samples``, the number of samples that have a tau; ``tau``, the mean of the taus
            of these samples; ``low`` and ``high``, the smallest and the largest of them; and ``mean_value``, the mean of the
            measure over samples, systems and topics.
        """
        taus = self._by_level["tau"]
        table = taus.agg(samples="count", tau="mean", low="min", high="max")
        return table.assign(mean_value=self._by_level["mean_value"].mean()).reset_index()

    def drops(self) -> pd.DataFrame:
        """Return how far the values fall, one row per measure and percentage.

        Returns
        -------
        DataFrame
            ``measure``; ``keep``; ``full_value``, the mean of the measure over systems and topics with all judgments;
            ``mean_value``, as in :meth:`frame`; their ``drop``, which is negative for a measure that rises; and ``relative``, the
            drop divided by ``full_value``, missing if that is 0.
        """
        table = self.frame()[["measure", "keep", "mean_value"]]
        full = dict(zip(self.means.names, self.means.means[0].mean(axis=0).tolist(), strict=True))
        table.insert(2, "full_value", table["measure"].map(full))
        drop = table["full_value"] - table["mean_value"]
        return table.assign(drop=drop, relative=drop / table["full_value"].where(table["full_value"] != 0))

    def values(self) -> pd.DataFrame:
        """Return the mean of every system with every sample, after those with all judgments.

        Returns
        -------
        DataFrame
            ``run``; ``topics``, for how many topics it retrieves something; ``measure``; ``keep`` and ``sample``, missing with all
            judgments; ``value``, the mean over topics; and ``refusal``, why there is none.
        """
        return self.means.frame()

    def facts(self) -> dict[str, str]:
        """Return what a table of the result must state."""
        lowest = self.sizes.loc[self.sizes["keep"].idxmin()]
        return {
            "systems": f"{counted(len(self.means.systems), 'run')}, {counted(self.means.topics, 'topic')}",
            "tau": "Kendall's tau-b with the measure's own ranking by all judgments; mean, smallest and largest of the samples",
            "samples": (
                f"{self.cuts.samples} at each percentage, nested, of every topic and grade; at least {LEAST_RELEVANT} document of a "
                f"relevant grade ({self.cuts.rel:g} or more) and {LEAST_NONRELEVANT} of another; seed {self.cuts.seed}"
            ),
            "judgments": (
                f"{self.sizes['judged'][0]:,} judged, {self.sizes['relevant'][0]:,} relevant; at {lowest['keep']:g}%, "
                f"{int(lowest['judged']):,} and {int(lowest['relevant']):,} of them, which is {lowest['share']:.1f}%"
            ),
            "versions": versions_fact(self.means.measures),
        }

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know: samples that have no tau, and why."""
        notes = []
        bad = self._samples[self._samples["problem"] != ""]
        for (measure, keep, problem), rows in bad.groupby(["measure", "keep", "problem"], sort=False):
            of = f"{len(rows)} of {counted(self.cuts.samples, 'sample')} at {keep:g}%"
            if problem == "refused":
                m = self.means.names.index(measure)
                why = next(text for (_, number), text in sorted(self.means.refusals.items()) if number == m)
                notes.append(f"{measure} cannot be computed with {of}, which are left out: {why}")
            else:
                notes.append(
                    f"{measure} gives all systems the same value in {of}, where tau is undefined; they are left out of tau"
                )
        return tuple(notes)

    def plot(self, ax: Any = None) -> RobustnessDisplay:
        """Draw tau against the percentage of the pool, one line per measure.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default on a new figure.

        Returns
        -------
        RobustnessDisplay
            The display, with ``ax_`` and ``figure_``.
        """
        from irmx_study.pooling.robustness_display import RobustnessDisplay

        return RobustnessDisplay(self.frame(), len(self.means.systems)).plot(ax)
