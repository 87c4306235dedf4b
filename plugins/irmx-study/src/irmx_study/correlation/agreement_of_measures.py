"""The result of a correlation of measures: coefficients of agreement, their stability over topics, and what a reader must know."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import Scores, UsageError
from irmx.ragged import Floats, Ints
from irmx.toolkit import counted, html_result
from irmx_study.correlation.agreement_facts import MARKED, notes_on_topics, stability_fact, systems_fact, versions_fact
from irmx_study.correlation.coefficients import COEFFICIENTS, DIRECTED, check_coefficient, matrix_of
from irmx_study.correlation.topic_stability import quantiles, resampled_taus, taus_by_topic
from irmx_study.rank_correlation.rank_biased_overlap import TIES, rank_biased_overlaps

if TYPE_CHECKING:
    import pandas as pd

    from irmx_study.correlation.agreement_map import AgreementMap
    from irmx_study.pictures.systems_scatter import SystemsScatter


@dataclass(frozen=True, eq=False, repr=False)
class Agreement:
    """The result of :func:`irmx_study.correlate`: how far measures rank the same systems alike.

    Attributes
    ----------
    scores : Scores
        The scores of the measures that rank the systems.
    means : float array, shape (systems, measures)
        The means over topics that the systems are ranked by; equal ones are tied.
    reference : str or None
        The measure that the others are correlated with, or None for all pairs.
    decimals : int or None
        The decimal places to which means were rounded; None for 12 significant digits.
    rbo_p, rbo_ties
        The persistence of rank-biased overlap, and its treatment of ties.
    resamples, seed, level
        How the stability is computed: resamples of topics, their seed, and the share of them outside the range.
    left_out : tuple of str
        Which measures were left out, and why.
    progress : bool or None
        Whether long work shows a progress bar.
    """

    scores: Scores
    means: Floats
    reference: str | None
    decimals: int | None
    rbo_p: float
    rbo_ties: str
    resamples: int
    seed: int
    level: float
    left_out: tuple[str, ...]
    progress: bool | None = None

    def __repr__(self) -> str:
        of_pairs = f"of {self.reference} with others" if self.reference else "of all pairs"
        return f"<Agreement {of_pairs}: {counted(len(self.measures), 'measure')}, {counted(len(self.scores.systems), 'system')}>"

    def _repr_html_(self) -> str:
        return html_result(repr(self), {"": self.frame()}, self.facts(taus=False), self.notes)

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures."""
        return tuple(map(str, self.scores.measures))

    @cached_property
    def pairs(self) -> tuple[Ints, Ints]:
        """The places of the measures a and b of every pair."""
        if self.reference is None:
            a, b = np.triu_indices(len(self.measures), 1)
            return a, b
        place = self.measures.index(self.reference)
        others = np.delete(np.arange(len(self.measures)), place)
        return np.full(len(others), place), others

    # -- coefficients ------------------------------------------------------------------------------------

    def frame(self) -> pd.DataFrame:
        """Return the coefficients of all pairs of measures.

        Returns
        -------
        DataFrame
            One row per pair: the measures ``a``, the reference or the one listed first, and ``b``; the number of ``systems``;
            Kendall's ``tau``-b; the AP correlation of b's ranking with the reference a by the two treatments of ties,
            ``tau_ap_a`` and ``tau_ap_b`` (of which the second does not depend on the reference), and with tied systems in their
            order, ``tau_ap``; extrapolated rank-biased overlap, ``rbo``; ``spearman``; and ``pearson``, of the means themselves.
        """
        a, b = self.pairs
        columns = {name: self._matrices(name)[a, b] for name in COEFFICIENTS}
        return self._of_pairs(systems=len(self.scores.systems), **columns)

    def matrix(self, coefficient: str = "tau") -> pd.DataFrame:
        """Return one coefficient of all measures with all others.

        Parameters
        ----------
        coefficient : str
            ``"tau"``, ``"tau_ap_a"``, ``"tau_ap_b"``, ``"tau_ap"``, ``"rbo"``, ``"spearman"`` or ``"pearson"``.

        Returns
        -------
        DataFrame
            One row and one column per measure. For ``"tau_ap"`` and ``"tau_ap_a"``, which have two directions, the row is the
            reference.

        Raises
        ------
        irmx.errors.UsageError
            For an unknown coefficient.
        """
        import pandas as pd

        check_coefficient(coefficient)
        return pd.DataFrame(self._matrices(coefficient), index=self.measures, columns=self.measures)

    def rbo_frame(self) -> pd.DataFrame:
        """Return rank-biased overlap with all treatments of ties and all estimates.

        Returns
        -------
        DataFrame
            One row per pair of measures and treatment: ``a``, ``b``, ``systems``, the persistence ``p``, ``ties``, and
            ``extrapolated``, ``minimum``, ``maximum`` and ``residual``; see :func:`irmx_study.rbo`.
        """
        import pandas as pd

        a, b = self.pairs
        tables = []
        for ties in TIES:
            overlaps = rank_biased_overlaps(self.means, self.rbo_p, ties)._asdict()
            estimates = {name: matrix[a, b] for name, matrix in overlaps.items()}
            tables.append(self._of_pairs(systems=len(self.scores.systems), p=self.rbo_p, ties=ties, **estimates))
        rows = pd.concat(tables)
        return rows.sort_index(kind="stable").reset_index(drop=True)

    # -- topics ------------------------------------------------------------------------------------------

    def stability(self) -> pd.DataFrame:
        """Return how stable every tau is under resampling of topics.

        In every resample, as many topics are drawn with replacement, and both measures rank the systems by their means over the
        same topics. The range is not a confidence interval of tau: the noise of a resample lowers a tau, so that most taus of
        resamples are smaller than that of the topics themselves.

        Returns
        -------
        DataFrame
            One row per pair: ``a``, ``b``, ``systems``, ``topics``, ``tau``; of the taus of the resamples the quantiles
            level/2, 1/2 and 1 - level/2, ``low``, ``median`` and ``high``; ``resamples``; and ``without``, how many resamples
            have no tau, because one of the measures gives all systems the same mean.

        Raises
        ------
        irmx.errors.UsageError
            If no resamples were asked for.
        """
        if not self.resamples:
            raise UsageError("The stability of tau needs resamples of the topics. Ask for 1,000, for instance.")
        taus = self._resampled
        without = np.isnan(taus).sum(axis=0)
        low, median, high = quantiles(taus, (self.level / 2, 0.5, 1 - self.level / 2))
        a, b = self.pairs
        return self._of_pairs(
            systems=len(self.scores.systems), topics=len(self.scores.topics), tau=self._matrices("tau")[a, b],
            low=low, median=median, high=high, resamples=self.resamples, without=without,
        )  # fmt: skip

    def per_topic(self) -> pd.DataFrame:
        """Return the agreement topic by topic: tau-b of the systems' values on each topic.

        Returns
        -------
        DataFrame
            One row per pair and topic: ``a``, ``b``, ``query_id``, ``systems``, ``tau``; NaN if a measure gives all systems
            the same value on the topic, or has none.
        """
        import pandas as pd

        a, b = self.pairs
        taus = self._of_topics
        topics = len(self.scores.topics)
        names = np.array(self.measures, dtype=object)
        return pd.DataFrame(
            {
                "a": np.repeat(names[a], topics),
                "b": np.repeat(names[b], topics),
                "query_id": np.tile(np.array(self.scores.topics, dtype=object), len(a)),
                "systems": len(self.scores.systems),
                "tau": taus.T.ravel(),
            }
        )

    def topics_summary(self) -> pd.DataFrame:
        """Return the agreement topic by topic, summarised.

        Returns
        -------
        DataFrame
            One row per pair: ``a``, ``b``, ``systems``; ``topics``, those with a tau; ``without``, those without; and of the taus
            of topics the ``mean``, the ``smallest``, the quartiles ``q1``, ``median`` and ``q3``, and the ``largest``; NaN
            if no topic has one.
        """
        taus = self._of_topics
        without = np.isnan(taus).sum(axis=0)
        topics = len(taus) - without
        with np.errstate(invalid="ignore"):
            mean = np.nansum(taus, axis=0) / topics
        smallest, q1, median, q3, largest = quantiles(taus, (0, 0.25, 0.5, 0.75, 1))
        return self._of_pairs(
            systems=len(self.scores.systems), topics=topics, without=without,
            mean=mean, smallest=smallest, q1=q1, median=median, q3=q3, largest=largest,
        )  # fmt: skip

    # -- what a reader must know -------------------------------------------------------------------------

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Which measures were left out, topics that systems lack, and few topics."""
        return (*self.left_out, *notes_on_topics(self.scores, bool(self.resamples)))

    def facts(self, *, taus: bool = True, rbo: bool = True, stability: bool = True) -> dict[str, str]:
        """Return what a table of the coefficients must state: systems, topics, ties, resamples, and what the marks mean.

        Parameters
        ----------
        taus, rbo, stability : bool
            Whether the table has marked taus, rank-biased overlap, and the stability of tau.
        """
        facts = {"systems": systems_fact(self.scores, self.decimals)}
        if rbo:
            facts["RBO"] = f"extrapolated, p = {self.rbo_p:g}, ties {self.rbo_ties}"
        if stability and self.resamples:
            has_gaps = bool(np.isnan(self._resampled).any())
            facts["stability"] = stability_fact(self.resamples, self.seed, self.level, has_gaps)
        if taus:
            facts["*, **"] = MARKED
        return facts | {"versions": versions_fact(self.scores.measures)}

    # -- pictures ----------------------------------------------------------------------------------------

    def plot(self, ax: Any = None, coefficient: str = "tau", order: str = "listed") -> AgreementMap:
        """Draw a heat map of one coefficient of all measures with all others.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default on a new figure.
        coefficient : str
            The coefficient; see :meth:`matrix`.
        order : {"listed", "similar"}
            The order of the measures: as listed, or such that measures that agree are neighbours.

        Returns
        -------
        AgreementMap
            The display, with ``ax_`` and ``figure_``.
        """
        from irmx_study.correlation.agreement_map import AgreementMap

        matrix = self.matrix(coefficient)
        return AgreementMap(matrix, COEFFICIENTS[coefficient], coefficient in DIRECTED, order).plot(ax)

    def plot_scatter(self, ax: Any = None) -> SystemsScatter:
        """Draw the means of the systems by every measure b over those by a, one panel per pair of the table.

        Parameters
        ----------
        ax : Axes or sequence of Axes, optional
            Where to draw, one per pair; by default on a new figure.

        Returns
        -------
        SystemsScatter
            The display, with ``ax_``, an array of Axes, and ``figure_``.

        Raises
        ------
        irmx.errors.UsageError
            If there are too many pairs for a picture.
        """
        from irmx_study.pictures.systems_scatter import SystemsScatter

        a, b = self.pairs
        titles = [f"tau = {tau:.3f}" for tau in self._matrices("tau")[a, b].tolist()]
        panels = zip(a.tolist(), b.tolist(), titles, strict=True)
        return SystemsScatter(self.means, self.measures, list(panels)).plot(ax)

    # -- parts -------------------------------------------------------------------------------------------

    @cached_property
    def _kept(self) -> dict[str, Floats]:
        return {}

    def _matrices(self, coefficient: str) -> Floats:
        if coefficient not in self._kept:
            self._kept[coefficient] = matrix_of(coefficient, self.means, self.rbo_p, self.rbo_ties)
        return self._kept[coefficient]

    @cached_property
    def _resampled(self) -> Floats:
        values = self.scores.values
        return resampled_taus(values, self.pairs, self.resamples, self.seed, self.decimals, self.progress)

    @cached_property
    def _of_topics(self) -> Floats:
        return taus_by_topic(self.scores.values, self.pairs, self.decimals)

    def _of_pairs(self, **columns: Any) -> pd.DataFrame:
        import pandas as pd

        a, b = self.pairs
        names = np.array(self.measures, dtype=object)
        return pd.DataFrame({"a": names[a], "b": names[b], **columns})
