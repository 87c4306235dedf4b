"""How far views rank the same systems alike: measures, settings of a measure, judges, parts of the judgments."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from irmx import DataError, Param, Scores, UsageError
from irmx.ragged import Bools, Floats, Ints
from irmx.toolkit import list_some, plural, progress_bar
from irmx_study.inputs.choices import as_scores, refuse_unknown
from irmx_study.inputs.views import repeated
from irmx_study.showing.result import Result, Titled, fixed, for_reading, topics_lacking, versions_fact
from irmx_study.statistics.paired import resampled_topics
from irmx_study.statistics.ranks import (
    RBO_TIES,
    check_decimals,
    check_overlap,
    comparable,
    comparable_means,
    kendall_taus,
    p_values_of_tau,
    pearson_correlations,
    rank_biased_overlaps,
    rounded,
    spearman_correlations,
    tau_aps,
    taus_of_samples,
)
from irmx_study.systems.pairs import signs_of

if TYPE_CHECKING:
    import ir_measures


# -- how correlations are printed: marks, and matrices that fit a terminal -------------------------------------------


COEFFICIENTS = {
    "tau": "Kendall's tau-b", "tau_ap": "tau_AP,a", "tau_ap_b": "tau_AP,b", "rbo": "RBO", "spearman": "Spearman's rho",
    "pearson": "Pearson's r",
}  # fmt: skip
"""What the columns are called in a text."""

DIRECTED = "tau_ap"
"""The coefficient that depends on which of two views is the reference."""

MARKED = "a tau of at least .90, the customary bar for measures that rank systems alike; of at least .97"
"""What the marks of taus mean."""

_MARKS = ((0.97, "**"), (0.90, "*"))

_WIDTH = 80
"""The width that a matrix should fit: wider names of columns become numbers, wider names of rows a legend."""


def matrix_tables(measures: Sequence[str], values: Floats, coefficient: str, places: int) -> list[Titled]:
    """Return the values of a coefficient of all views with all others; only below the diagonal, if it has no direction.

    The columns have the names of the views if the table then fits 80 columns, and their numbers otherwise. If that is still
    too wide, the rows have numbers, too, and a second table tells which is which.
    """
    directed, count = coefficient == DIRECTED, len(measures)
    rows, columns = (range(count), range(count)) if directed else (range(1, count), range(count - 1))
    shown = [(r, c) for r in rows for c in columns if (c != r if directed else c < r)]
    in_cells = cells([float(values[at]) for at in shown], places, coefficient == "tau")
    texts = dict(zip(shown, in_cells, strict=True))
    title = COEFFICIENTS[coefficient] + (", row as the reference" if directed else "")
    numbers = [str(place + 1) for place in range(count)]
    named = [f"{number:>{len(numbers[-1])}}  {measure}" for number, measure in zip(numbers, measures, strict=True)]
    width = len(in_cells[0])
    by_name = _table_width(measures, [max(width, len(measures[c])) for c in columns]) <= _WIDTH
    by_number = _table_width(named, [width for _ in columns]) <= _WIDTH
    heads = measures if by_name else numbers
    labels = measures if by_name else named if by_number else numbers
    table = [{"": labels[r], **{heads[c]: texts.get((r, c), "") for c in columns}} for r in rows]
    if by_number and not by_name and not directed:  # every number needs its name
        table.insert(0, {"": labels[0], **{heads[c]: "" for c in columns}})
    tables: list[Titled] = [(title, table)]
    if not by_name and not by_number:
        legend = [{"number": number, "measure": name} for number, name in zip(numbers, measures, strict=True)]
        tables.append(("measures", legend))
    return tables


def _table_width(labels: Sequence[str], columns: Sequence[int]) -> int:
    """Return the width of a table on a terminal."""
    return max(map(len, labels)) + sum(columns) + 2 * (len(columns) + 1) + 1


def cells(values: list[float], places: int, marks: bool = False) -> list[str]:
    """Return numbers as texts of the same width, with marks; NaN is no number.

    >>> cells([0.95, -0.5, float("nan")], 2, marks=True)
    [' 0.95* ', '-0.50  ', '       ']
    """
    numbers = ["" if value != value else fixed(value, places) for value in values]
    width = max(map(len, numbers), default=0)
    return [
        f"{text:>{width}}{f'{marked(value):<2}' if marks else ''}" for text, value in zip(numbers, values, strict=True)
    ]


def marked(tau: float) -> str:
    """Return the mark of a tau.

    >>> [marked(tau) for tau in (0.89, 0.9, 0.98)]
    ['', '*', '**']
    """
    return next((mark for bar, mark in _MARKS if tau >= bar), "")


# -- which views rank the systems, and which pairs of them are correlated --------------------------------------------


FEWEST = 3
"""The smallest number of systems: two are in the same order or not, which is no matter of degree."""

Reference = Any
"""A view, by its text or its measure; a column and the value of the views that are the references; or a value per system."""


def values_of(reference: Mapping[str, Any], systems: Sequence[str]) -> Floats:
    """Return the values of a reference that is given by system."""
    if lacking := [system for system in systems if system not in reference]:
        raise DataError(
            f"The reference has no value for the run {lacking[0]!r} ({len(lacking)} of {plural(len(systems), 'run')})."
        )
    values = rounded(np.array([float(reference[system]) for system in systems]))
    if len(set(values.tolist())) < 2:
        raise DataError(f"The reference gives {float(values[0])!r} to all of {plural(len(systems), 'run')}.")
    return values


def ranked_views(scores: Scores, decimals: int | None) -> tuple[Scores, Floats, tuple[str, ...]]:
    """Return the scores of the views that rank the systems, their means, larger for better ones, and notes on the others."""
    number = len(scores.systems)
    if number < FEWEST:
        raise UsageError(f"The agreement of rankings needs at least {FEWEST} systems. The scores have {number}.")
    if (twice := repeated(scores.names)) is not None:
        raise UsageError(f"The scores have the measure {twice} twice. Give it once.")
    notes: list[str] = []
    empty: Bools = np.array(np.isnan(scores.values).all(axis=(0, 1)))
    if empty.any():
        notes.append(f"left out, because no system has a value of it on any topic: {_listed(scores, empty)}")
        scores = _without(scores, empty, notes)
    means = comparable_means(scores, decimals)
    constant: Bools = means.max(axis=0) == means.min(axis=0)
    if constant.any():
        rounded = "" if decimals is None else f", rounded to {plural(decimals, 'decimal place')}"
        notes.append(f"left out, because it gives all systems the same mean{rounded}: {_listed(scores, constant)}")
        scores, means = _without(scores, constant, notes), means[:, ~constant]
    return scores, means * signs_of(scores), tuple(notes)


def _listed(scores: Scores, chosen: Bools) -> str:
    return list_some(compress(scores.names, chosen), 5)


def _without(scores: Scores, left_out: Bools, notes: Sequence[str]) -> Scores:
    if left_out.all():
        raise DataError(f"No measure ranks the systems: {'; '.join(notes)}.")
    return scores.select(views=(~left_out).tolist())


def pairs_of(scores: Scores, reference: Reference, has_own: bool) -> tuple[Ints, Ints]:
    """Return the places of the views a and b of every pair; -1 stands for values of a reference that is no view."""
    count = len(scores.names)
    if has_own:
        return np.full(count, -1), np.arange(count)
    if reference is None:
        a, b = np.triu_indices(count, 1)
        return a, b
    if isinstance(reference, str):
        references = scores.made_by.get("references", ())  # of a sweep, which are no settings of each other
        without = {reference, *(references if reference in references else ())}
        others = np.flatnonzero([name not in without for name in scores.names])
        place = scores.names.index(reference)
        if not len(others):
            raise UsageError(f"There is no other view than {' and '.join(scores.names)} to correlate with {reference}.")
        return np.full(len(others), place), others
    table = (
        scores.views.reset_index(drop=True).drop(columns=["less_is_better", "weight"], errors="ignore").astype(object)
    )
    for column in set(reference) - set(table):
        raise UsageError(f"The views have no column {column!r}. They have: {', '.join(map(str, table))}.")
    is_reference = np.all([[value == wanted for value in table[name]] for name, wanted in reference.items()], axis=0)
    if not is_reference.any():
        column = next(iter(reference))
        raise UsageError(
            f"No view has {reference}. Known values of {column}: {list_some(dict.fromkeys(map(str, table[column])))}."
        )
    places = np.flatnonzero(is_reference).tolist()
    if any("." in name for name in reference):  # a parameter, in which the measures differ
        table["measure"] = [str(getattr(measure, "NAME", measure)) for measure in scores.measures]
    left = [c for c in table if c not in reference and not ("measure" in reference and "." in str(c))]
    of_measure = [c for c in left if c == "measure" or "." in str(c)]
    for columns in (left, of_measure):  # samples of 50% are no sample of 100%: then the measure decides
        keys = [tuple(map(str, row)) for row in table[columns].itertuples(index=False)]
        of_key = {keys[place]: place for place in places}
        found = [(of_key[key], v) for v, key in enumerate(keys) if not is_reference[v] and key in of_key]
        if found and len(of_key) == len(places):
            a, b = np.array(found).T
            return a, b
    raise UsageError(f"No other view differs from those with {reference} in that alone.")


# -- how far views rank the same systems alike -----------------------------------------------------------------------


FEWEST_RESAMPLES = 100
"""Quantiles of fewer resamples are not worth printing."""

_FEW_TOPICS = 20

_PAIRS_SHOWN = 28
"""The stability of all pairs of up to 8 views is shown below the matrix."""

_VIEWS_SHOWN = 50
"""Of more views with a reference, the lowest, the median and the highest correlation are shown."""

_LARGEST, _SLOW = 2**22, 2 * 10**10
"""How many means are held at a time, and from how many products on progress is shown, which then take seconds."""

_PARAMS = {
    "resamples": Param(int, "number of resamples of the topics", low=0, high=10**6),
    "seed": Param(int, "seed of the resamples", low=0, high=2**63 - 1),
}


def correlate(
    source: Any,
    qrels: Any = None,
    runs: Any = None,
    *,
    reference: str | ir_measures.Measure | Mapping[str, Any] | None = None,
    decimals: int | None = None,
    rbo_p: float = 0.9,
    rbo_ties: str = "b",
    resamples: int = 1000,
    seed: int = 0,
    level: float = 0.05,
    progress: bool | None = None,
) -> Agreement:
    """Compare views as rankings of systems: how far do they put the same systems into the same order.

    Every view ranks the systems by their means over topics. The result has, for pairs of views, Kendall's tau-b, the AP
    correlation with three treatments of ties, rank-biased overlap, Spearman's and Pearson's correlations; how stable tau is under
    resampling of topics; and the agreement topic by topic.

    Parameters
    ----------
    source, qrels, runs
        As for :func:`irmx_study.compare`: scores of at least three systems in at least two views.
    reference : str, Measure or mapping, optional
        The view to correlate all others with; by default all pairs are. A mapping is a column of :attr:`irmx.Scores.views` and
        its value, such as ``{"judgments": "human"}``: each view is correlated with the one that differs in that column alone;
        or a value per system, larger for better ones.
    decimals : int, optional
        Round the means to this many decimal places first, as studies that start from printed values do; by default to 12
        significant digits, so that only equal means are tied.
    rbo_p : float
        The persistence of rank-biased overlap, in (0, 1).
    rbo_ties : {"b", "a", "w"}
        Its treatment of ties; see :func:`irmx_study.rbo`. By default a ranking agrees fully with itself, as by tau-b.
    resamples : int
        The number of resamples of topics, from 100 to a million; or 0 for none.
    seed : int
        Their seed, at least 0; the same seed gives the same numbers.
    level : float
        The share of resamples outside the range of stability, in (0, 1).
    progress : bool, optional
        Whether to show a progress bar; by default if standard error is a terminal and the work is long.

    Returns
    -------
    Agreement
        The result; see :class:`Agreement`. Resamples and topics are computed when they are asked for.

    Raises
    ------
    irmx.errors.UsageError
        If there are fewer than three systems, or a measure twice; for an unknown reference or an illegal parameter.
    irmx.errors.DataError
        If a system lacks a mean, or fewer than two views rank the systems: those that give all of them the same mean, or have
        no value, are left out, which a note says.

    References
    ----------
    .. [1] M. G. Kendall. The treatment of ties in ranking problems. Biometrika 33 (3), 1945.
    .. [2] E. Yilmaz, J. A. Aslam, S. Robertson. A new rank correlation coefficient for information retrieval. SIGIR 2008.
    .. [3] J. Urbano, M. Marrero. The treatment of ties in AP correlation. ICTIR 2017.
    .. [4] M. Corsi, J. Urbano. The treatment of ties in rank-biased overlap. SIGIR 2024.

    Examples
    --------
    >>> import irmx
    >>> from irmx.demo import SYSTEMS, qrels_path, run_path
    >>> scores = irmx.scores("AP P@5 RR", qrels_path(), {system: run_path(system) for system in SYSTEMS})
    >>> agreement = correlate(scores)
    >>> agreement.frame()[["a", "b", "systems", "tau", "tau_ap", "spearman"]].round(4)
         a    b  systems     tau  tau_ap  spearman
    0   AP  P@5        3  0.3333     0.5       0.5
    1   AP   RR        3  0.3333     0.5       0.5
    2  P@5   RR        3  1.0000     1.0       1.0
    >>> agreement.matrix("tau").loc["AP", "P@5"].round(4).item()
    0.3333
    """
    check_parameters(decimals, rbo_p, rbo_ties, resamples, seed, level)
    scores = as_scores("correlate", source, qrels, runs, progress).with_missing()
    own = named = by_column = None
    if isinstance(reference, Mapping):
        if set(reference) & set(scores.systems):
            own = values_of(reference, scores.systems)
        else:
            by_column = dict(reference)
    elif reference is not None:
        named = scores.select(views=reference).names[0]
    ranked, means, left_out = ranked_views(scores, decimals)
    if named is not None and named not in ranked.names:
        raise DataError(f"The reference {named} does not rank the systems: {'; '.join(left_out)}.")
    if len(scores.names) + (own is not None) < 2:
        raise UsageError(f"Agreement needs at least two measures. There is one, {scores.names[0]}.")
    if len(ranked.names) + (own is not None) < 2:
        why = f" {'; '.join(left_out)}.".replace("left", "Left", 1) if left_out else ""
        raise DataError(
            f"Agreement needs at least two measures that rank the systems. There is one, {ranked.names[0]}.{why}"
        )
    chosen = named if by_column is None else by_column
    pairs = pairs_of(ranked, chosen, own is not None)
    return Agreement(
        ranked, means, pairs, chosen, own, decimals, rbo_p, rbo_ties, resamples, seed, level, left_out, progress
    )


def check_parameters(
    decimals: int | None, rbo_p: float, rbo_ties: str, resamples: int, seed: int, level: float
) -> None:
    """Raise a UsageError for an illegal parameter of :func:`correlate`."""
    check_decimals(decimals)
    check_overlap(rbo_p, rbo_ties)
    for name, value in (("resamples", resamples), ("seed", seed)):
        _PARAMS[name].check(value, name, "correlate")
    if resamples != 0 and resamples < FEWEST_RESAMPLES:
        raise UsageError(
            f"The stability of tau needs at least {FEWEST_RESAMPLES} resamples of the topics, or 0 for none. Got {resamples}."
        )
    if not 0 < level < 1:
        raise UsageError(f"The level is the share of resamples outside the range, in (0, 1). Got {level!r} instead.")


class Agreement(Result):
    """The result of :func:`irmx_study.correlate`: how far views rank the same systems alike.

    Its tables, for :meth:`frame`, have one row per pair of views ``a``, the reference or the one listed first, and ``b``:

    ``"pairs"``
        The number of ``systems``; Kendall's ``tau``-b; the AP correlation of b's ranking with the reference a, ``tau_ap``, over all
        orders of tied systems, and ``tau_ap_b``, which takes ties for equality, and does not depend on which is the reference;
        extrapolated rank-biased overlap, ``rbo``; ``spearman``; and ``pearson``, of the means themselves.
    ``"views"``
        With a reference: the parameters and marks of b, ``tau``, its two-sided ``p_value``, ``tau_ap``, ``tau_ap_b``.
    ``"extremes"``
        With a reference: the lowest, the median and the highest ``tau`` and ``tau_ap``, the first view that has it, and how many do.
    ``"rbo"``
        One row per pair and treatment of ties: the persistence ``p``, ``ties``, ``extrapolated``, ``minimum``, ``maximum``, ``residual``.
    ``"stability"``
        ``tau``, and of the taus of resamples of the topics the quantiles level/2, 1/2 and 1 - level/2, ``low``, ``median`` and
        ``high``; and ``without``, how many resamples have no tau. In every resample, both views rank the systems by their means over
        the same topics. The range is not a confidence interval of tau: the noise of a resample lowers a tau.
    ``"per_topic"``
        One row per pair and topic: tau-b of the systems' values on each topic; NaN if a view gives all systems the same value.
    ``"topics"``
        The taus of topics summarised: ``mean``, ``smallest``, ``q1``, ``median``, ``q3``, ``largest``.

    Attributes
    ----------
    means : float array, shape (systems, views)
        The means over topics that the systems are ranked by, larger for better ones; equal ones are tied.
    reference : str, mapping or None
        What the others are correlated with, or None for all pairs.
    pairs : tuple of int array
        The places of the views a and b of every pair.
    """

    scores: Scores

    NEEDS = {"views": "a reference", "extremes": "a reference", "stability": "resamples of the topics"}

    def __init__(
        self, scores: Scores, means: Floats, pairs: tuple[Ints, Ints], reference: Reference, own: Floats | None,
        decimals: int | None, rbo_p: float, rbo_ties: str, resamples: int, seed: int, level: float,
        left_out: tuple[str, ...], progress: bool | None = None,
    ) -> None:  # fmt: skip
        self.scores, self.means, self.pairs, self.reference, self.own = scores, means, pairs, reference, own
        self.decimals, self.rbo_p, self.rbo_ties = decimals, rbo_p, rbo_ties
        self.resamples, self.seed, self.level, self.left_out, self.progress = resamples, seed, level, left_out, progress
        tables = {"pairs": self._of_pairs, "rbo": self._rbo, "per_topic": self._per_topic, "topics": self._topics}
        pictures = {"map": "measures.pictures:plot_map", "scatter": "measures.pictures:plot_scatter"}
        if own is not None:
            tables = {"pairs": self._of_pairs}
            pictures = {}
        elif resamples:
            tables["stability"] = self._stability
        if self.has_reference:
            tables |= {"views": self._views, "extremes": self._extremes}
            pictures |= {"views": "measures.pictures:plot_agreement"}
        of = f"of {self.reference_name} with others" if self.has_reference else "of all pairs"
        title = f"Agreement {of}: {plural(len(self.measures), 'view' if scores.marks else 'measure')}, {plural(len(scores.systems), 'system')}"
        layouts = {
            "pairs": self._for_reading,
            "stability": self._without("stability", "systems", "topics"),
            "topics": self._without("topics", "systems"),
            "per_topic": self._without("topics", "systems"),
            "rbo": self._without("rbo", "systems", "p", title=f"RBO, p = {rbo_p:g}"),
        }
        super().__init__(title, tables, scores, None, self._facts, lambda: list(self._notes()), pictures, layouts)

    @property
    def measures(self) -> tuple[str, ...]:
        """The texts of the views."""
        return self.scores.names

    @property
    def has_reference(self) -> bool:
        """Whether views are correlated with a reference, instead of all with all."""
        return self.reference is not None or self.own is not None

    @property
    def reference_name(self) -> str:
        """The name of the reference for texts."""
        if isinstance(self.reference, Mapping):
            return ", ".join(f"{name} {value}" for name, value in self.reference.items())
        return "the reference" if self.reference is None else str(self.reference)

    # -- coefficients ------------------------------------------------------------------------------------

    def matrix(self, coefficient: str = "tau") -> pd.DataFrame:
        """Return one coefficient of all views with all others.

        Parameters
        ----------
        coefficient : str
            ``"tau"``, ``"tau_ap"``, ``"tau_ap_b"``, ``"rbo"``, ``"spearman"`` or ``"pearson"``.

        Returns
        -------
        DataFrame
            One row and one column per view. For ``"tau_ap"``, which has two directions, the row is the reference.

        Raises
        ------
        irmx.errors.UsageError
            For an unknown coefficient.
        """
        refuse_unknown("coefficient", coefficient, COEFFICIENTS)
        return pd.DataFrame(self._matrix(coefficient), index=self.measures, columns=self.measures)

    def _matrix(self, coefficient: str) -> Floats:
        matrix: Floats = self._made(f"matrix {coefficient}", lambda: self._all(coefficient, self.means))
        return matrix

    def _all(self, coefficient: str, means: Floats) -> Floats:
        """Return a coefficient for all pairs of rankings, a row per reference."""
        if coefficient == "tau":
            return kendall_taus(means)
        if coefficient.startswith("tau_ap"):
            return tau_aps(means, means, "b" if coefficient == "tau_ap_b" else "a")
        if coefficient == "rbo":
            return np.asarray(rank_biased_overlaps(means, self.rbo_p, self.rbo_ties).extrapolated)
        return spearman_correlations(means) if coefficient == "spearman" else pearson_correlations(means)

    def coefficient(self, name: str) -> Floats:
        """Return a coefficient of every pair; of few references the matrix of all is not computed."""
        a, b = self.pairs
        references = np.unique(a)
        if self.own is None and (4 * len(references) > len(self.measures) or len(self.measures) <= _VIEWS_SHOWN):
            return self._matrix(name)[a, b]
        values = np.empty(len(a))
        for reference in references.tolist():
            of = self.own if reference < 0 else self.means[:, reference]
            assert of is not None
            at = np.flatnonzero(a == reference)
            values[at] = self._with_one(name, of, self.means[:, b[at]])
        return values

    def _with_one(self, name: str, reference: Floats, means: Floats) -> Floats:
        """Return a coefficient of rankings with one reference; many settings rank the systems alike."""
        if name != "pearson":
            means, place = np.unique(_dense(means), axis=1, return_inverse=True)
            reference, place = _dense(reference[:, None])[:, 0], place.reshape(-1)
        else:
            place = np.arange(means.shape[1])
        if name.startswith("tau_ap"):
            return np.asarray(tau_aps(reference[:, None], means, "b" if name == "tau_ap_b" else "a")[0][place])
        parts = []
        for start in range(0, means.shape[1], 64):  # so that the other pairs of a matrix are few
            both = np.concatenate([reference[:, None], means[:, start : start + 64]], axis=1)
            parts.append(self._all(name, both)[0, 1:])
        return np.concatenate(parts)[place]

    def _of_pairs(self) -> pd.DataFrame:
        return self._pair_table(
            systems=len(self.scores.systems), **{name: self.coefficient(name) for name in COEFFICIENTS}
        )

    def _pair_table(self, **columns: Any) -> pd.DataFrame:
        a, b = self.pairs
        names = np.array([*self.measures, self.reference_name], dtype=object)  # the place -1 is the last
        return pd.DataFrame({"a": names[a], "b": names[b], **columns})

    def _views(self) -> pd.DataFrame:
        a, b = self.pairs
        views = self.scores.views.reset_index(drop=True).drop(columns=["less_is_better"], errors="ignore")
        table = views.iloc[b].reset_index(drop=True)
        shares = table.pop("weight") if "weight" in table else None
        found = {name: self.coefficient(name) for name in ("tau", "tau_ap", "tau_ap_b")}
        own = np.empty((len(self.means), 0)) if self.own is None else self.own[:, None]
        means = np.concatenate([self.means, own], axis=1)
        p = p_values_of_tau(means[:, a], means[:, b], found["tau"])
        table = table.assign(reference=self._pair_table()["a"], tau=found.pop("tau"), p_value=p, **found)
        if shares is not None:
            weights = pd.to_numeric(shares, errors="coerce")
            table["share"] = weights / weights.sum()
        return table

    def _extremes(self) -> pd.DataFrame:
        rows = []
        names = np.array(self.measures, dtype=object)[self.pairs[1]]
        for name in ("tau", "tau_ap"):
            values = self.coefficient(name)
            order = np.argsort(np.round(values, 12), kind="stable")
            ordered = np.round(values[order], 12)
            places = {"lowest": 0, "median": (len(order) - 1) // 2, "highest": len(order) - 1}
            for which, at in places.items():
                place = order[np.searchsorted(ordered, ordered[at])]
                count = int(np.isclose(values, values[place], rtol=0, atol=1e-12).sum())
                rows.append((name, which, float(values[place]), names[place], count))
        return pd.DataFrame(rows, columns=["correlation", "which", "value", "view", "views"])

    def _rbo(self) -> pd.DataFrame:
        a, b = self.pairs
        tables = []
        for ties in RBO_TIES:
            overlaps = rank_biased_overlaps(self.means, self.rbo_p, ties)._asdict()
            estimates = {name: matrix[a, b] for name, matrix in overlaps.items()}
            tables.append(self._pair_table(systems=len(self.scores.systems), p=self.rbo_p, ties=ties, **estimates))
        return pd.concat(tables).sort_index(kind="stable").reset_index(drop=True)

    # -- topics ------------------------------------------------------------------------------------------

    @cached_property
    def _values(self) -> Floats:
        """The values, larger for better ones, NaN for topics that are not in a view."""
        return self.scores.values * signs_of(self.scores)

    @cached_property
    def _resampled(self) -> Floats:
        """Tau-b of every pair in resamples of the topics, both rankings from the same resample, shape (resamples, pairs)."""
        values = self._values
        topics, systems, views = values.shape
        missing = np.isnan(values)
        flat = np.where(missing, 0.0, values).reshape(topics, -1)
        present = (~missing).astype(float).reshape(topics, -1) if missing.any() else None
        at_a_time = max(1, _LARGEST // (systems * views))
        is_slow = self.resamples * systems**2 * views**2 > _SLOW
        taus = []
        with progress_bar("Resampling topics", self.resamples, shown=self.progress if is_slow else False) as advance:
            for drawn in resampled_topics(topics, self.resamples, self.seed):
                for start in range(0, len(drawn), at_a_time):
                    counts = drawn[start : start + at_a_time]
                    with np.errstate(invalid="ignore"):
                        means = counts @ flat / (topics if present is None else counts @ present)
                    shaped = means.reshape(len(counts), systems, views)
                    taus.append(taus_of_samples(comparable(shaped, values, self.decimals), *self.pairs))
                    advance(len(counts))
        return np.concatenate(taus)

    @cached_property
    def _of_topics(self) -> Floats:
        """Tau-b of every pair on every topic, shape (topics, pairs); NaN where a view does not rank the systems."""
        return taus_of_samples(comparable(self._values, self._values, self.decimals), *self.pairs)

    def _stability(self) -> pd.DataFrame:
        taus = self._resampled
        low, median, high = quantiles(taus, (self.level / 2, 0.5, 1 - self.level / 2))
        return self._pair_table(
            systems=len(self.scores.systems), topics=len(self.scores.topics), tau=self.coefficient("tau"),
            low=low, median=median, high=high, resamples=self.resamples, without=np.isnan(taus).sum(axis=0),
        )  # fmt: skip

    def _per_topic(self) -> pd.DataFrame:
        topics = pd.DataFrame({"query_id": self.scores.topics, "systems": len(self.scores.systems)})
        return self._pair_table().merge(topics, how="cross").assign(tau=self._of_topics.T.ravel())

    def _topics(self) -> pd.DataFrame:
        taus = self._of_topics
        without = np.isnan(taus).sum(axis=0)
        topics = len(taus) - without
        with np.errstate(invalid="ignore"):
            mean = np.nansum(taus, axis=0) / topics
        summary = quantiles(taus, (0, 0.25, 0.5, 0.75, 1))
        named = dict(zip(("smallest", "q1", "median", "q3", "largest"), summary, strict=True))
        systems = len(self.scores.systems)
        return self._pair_table(systems=systems, topics=topics, without=without, mean=mean, **named)

    # -- what a reader must know -------------------------------------------------------------------------

    def _facts(self) -> dict[str, str]:
        rounding = "12 significant digits" if self.decimals is None else plural(self.decimals, "decimal place")
        scores = self.scores
        by = f"by their means over {plural(len(scores.topics), 'topic')}, rounded to {rounding}"
        facts = {
            "systems": f"{len(scores.systems)}, {by}",
            "RBO": f"extrapolated, p = {self.rbo_p:g}, ties {self.rbo_ties}",
        }
        if self.shows_stability:
            share = (
                f"{100 * (1 - self.level):g}% of the taus of {self.resamples:,} resamples of topics, seed {self.seed}"
            )
            gaps = bool(np.isnan(self._resampled).any())
            fewer = "; of fewer, if a measure gives all systems the same mean in some" if gaps else ""
            facts["stability"] = f"{share}; not a confidence interval{fewer}"
        return facts | {"*, **": MARKED, "versions": versions_fact(scores)}

    def _notes(self) -> Iterator[str]:
        yield from self.left_out
        yield from topics_lacking(self.scores)
        if self.resamples and len(self.scores.topics) < _FEW_TOPICS:
            yield f"with {plural(len(self.scores.topics), 'topic')}, resamples of topics are much alike"

    # -- for reading -------------------------------------------------------------------------------------

    @property
    def shows_stability(self) -> bool:
        """Whether the tables for reading have the stability of tau."""
        few = len(self.measures) <= _VIEWS_SHOWN if self.has_reference else len(self.pairs[0]) <= _PAIRS_SHOWN
        return bool(self.resamples) and few and self.own is None

    def tables_for_reading(
        self, table: str | None = None, places: int = 4, coefficient: str = "tau", **options: Any
    ) -> list[Titled]:
        """Return what is printed for reading in place of a table; the main one as a matrix of a coefficient, or with the reference."""
        if self.table_named(table) == "pairs":
            return self._for_reading(places, coefficient)
        return super().tables_for_reading(table, places)

    def _for_reading(self, places: int, coefficient: str = "tau") -> list[Titled]:
        if not self.has_reference:
            tables = matrix_tables(self.measures, self.matrix(coefficient).to_numpy(), coefficient, places)
            if self.shows_stability and coefficient == "tau":
                tables.append(("tau, and its stability under resampling of topics", self._stability_rows(places)))
            return tables
        title = f"agreement with {self.reference_name}"
        if len(self.pairs[0]) > _VIEWS_SHOWN:
            return [(title, for_reading(self.frame("extremes"), places))]
        frame = self.frame()
        marks = cells(frame["tau"].tolist(), places, marks=True)
        ranges = self._ranges(self.frame("stability"), places) if self.shows_stability else None
        by_column = isinstance(self.reference, Mapping)
        rows = []
        for i, row in enumerate(frame.to_dict("records")):
            names = {"reference": row["a"], "view": row["b"]} if by_column else {"measure": row["b"]}
            stable = {} if ranges is None else {"stability": ranges[i]}
            shown = ("tau_ap", "rbo", "spearman", "pearson")
            others = {name: row[name] for name in COEFFICIENTS if name in (*shown, coefficient) and name != "tau"}
            rows.append({**names, "tau": marks[i], **stable, **others})
        return [(title, rows)]

    def _stability_rows(self, places: int) -> list[dict[str, Any]]:
        frame = self.frame("stability")
        taus = cells(frame["tau"].tolist(), places, marks=True)
        ranges = self._ranges(frame, places)
        rows: list[dict[str, Any]] = frame[["a", "b"]].assign(tau=taus, stability=ranges).to_dict("records")
        return rows

    @staticmethod
    def _ranges(stability: pd.DataFrame, places: int) -> list[str]:
        """Return the ranges of tau as texts; with the number of resamples that have a tau, if not all do."""
        low, high = (cells(stability[side].tolist(), places) for side in ("low", "high"))
        texts = []
        for below, above, resamples, without in zip(
            low, high, stability["resamples"], stability["without"], strict=True
        ):
            of_fewer = f" of {resamples - without:,}" if without else ""
            texts.append(f"{below} to {above}{of_fewer}" if without < resamples else "")
        return texts

    def _without(self, table: str, *columns: str, title: str = "") -> Callable[[int], list[Titled]]:
        """Return what makes a table for reading that leaves out columns of another."""
        return lambda places: [(title, for_reading(self.frame(table), places, columns))]


def _dense(means: Floats) -> Floats:
    """Return the ranks of systems, equal ones the same, without gaps; the largest mean has the largest."""
    from scipy.stats import rankdata

    ranks: Floats = rankdata(means, method="dense", axis=0).astype(float)
    return ranks


def quantiles(taus: Floats, shares: Sequence[float]) -> Floats:
    """Return quantiles over the rows without NaN; NaN for a column that has nothing else."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.asarray(np.nanquantile(taus, shares, axis=0))
