"""Which of several systems is better, by how much, and how sure; for which users, judges and assumptions; and on which topics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from irmx import Citation, Scores, UsageError
from irmx.ragged import Ints
from irmx.toolkit import list_some, plural, suggest
from irmx_study.inputs.choices import Choices, as_scores, choices_of
from irmx_study.showing.result import (
    Result,
    Titled,
    fixed,
    for_reading,
    interval,
    p_text,
    topics_lacking,
    versions_fact,
)
from irmx_study.systems.pairs import (
    PAIRS_SHOWN,
    Cell,
    Compared,
    ComparedSystems,
    Difference,
    all_pairs_of,
    baselines_of,
    borders,
    compared_pairs,
    counts_over,
    pairs_with,
    rank_bands,
    sentences_over,
    signs_of,
)
from irmx_study.systems.words import citations_of, facts_of, headline_of, notes_on, paper_table, sentences_of

SIDE_BY_SIDE, IN_COLUMNS = 4, 12
"""How many views have their differences and p-values side by side; up to how many have a column of means."""

SENTENCES = 5
"""How many pairs of systems are described in sentences; of more, tables have the numbers."""

NAMING = ("a", "b", "system", "baseline", "better", "better_lower", "better_upper")
"""The columns with names of systems."""

UP, DOWN, NEITHER = "▲", "▼", "·"


def _marks(cell: Cell, baselines: Sequence[str]) -> str:
    """Return the marks of a system: whether it is significantly better or worse than each baseline, of several also neither."""
    marks = {1: UP, -1: DOWN, 0: NEITHER if len(baselines) > 1 else ""}
    found = [marks[cell.differences[b].better] if b in cell.differences else " " for b in baselines]
    return "".join(found) if {UP, DOWN} & set(found) else ""


def compare(
    source: Any,
    qrels: Any = None,
    runs: Any = None,
    *,
    baseline: str | Iterable[str] | None = None,
    all_pairs: bool = False,
    choices: Choices | None = None,
    missing: str = "refuse",
    progress: bool | None = None,
    **choose: Any,
) -> Comparison:
    """Compare systems by their values on the same topics, in every view of scores.

    Parameters
    ----------
    source : Scores, DataFrame, or measures
        What :func:`irmx.scores` returns, or a table that :meth:`irmx.Scores.from_frame` accepts, such as the result of
        ``pt.Experiment(..., perquery=True)``; or, with qrels and runs, measures.
    qrels, runs : any
        As for :func:`irmx.scores`, if the source are measures.
    baseline : str or iterable of str, optional
        The systems that all others are compared with; several form one family. By default the first of two systems, and of
        more the best by the first view.
    all_pairs : bool
        Whether to compare all pairs of systems instead.
    choices : Choices, optional
        The test, the correction and their parameters; or give them one by one, such as ``test="wilcoxon"``.
    missing : {"refuse", "zero", "both"}
        What to do about missing values; see :meth:`irmx.Scores.with_missing`.
    progress : bool, optional
        Whether to show a progress bar; by default if standard error is a terminal and the work is long.
    **choose
        The parameters of :class:`Choices`.

    Returns
    -------
    Comparison
        The result; see :class:`Comparison`.

    Raises
    ------
    irmx.errors.UsageError
        For an unknown baseline, an illegal parameter, or fewer than two systems.
    irmx.errors.DataError
        If a measure has values for fewer than two topics, a value is infinite, or a system lacks more than half of the topics.

    Notes
    -----
    What is compared are means over topics, also for measures of which ``irmx eval`` prints the sum, such as NumRel. A win is a
    topic for which ``a`` is better: for a measure of which less is better, such as TS_Verbosity, one on which its value is smaller.

    Examples
    --------
    >>> import irmx, irmx_study
    >>> from irmx.demo import SYSTEMS, qrels_path, run_path
    >>> runs = {system: run_path(system) for system in SYSTEMS}
    >>> comparison = irmx_study.compare("AP", qrels_path(), runs, baseline="bm25")
    >>> comparison.frame()[["a", "b", "difference", "p", "p_corrected"]].round(4)
            a     b  difference       p  p_corrected
    0  titles  bm25     -0.2734  0.0000       0.0000
    1  recent  bm25     -0.1684  0.0003       0.0003
    """
    chosen = choices_of(choices, choose)
    given = as_scores("compare", source, qrels, runs, progress)
    scores = given.with_missing(missing)
    if len(scores.systems) < 2:
        raise UsageError(f"A comparison needs two systems. There is one: {', '.join(scores.systems)}.")
    if all_pairs and baseline is not None:
        raise UsageError("A comparison is of all pairs, or with a baseline. Give one of the two.")
    if all_pairs:
        baselines: tuple[str, ...] = ()
    else:
        baselines = baselines_of(best_system(scores) if baseline is None else baseline, scores.systems)
    first, second = all_pairs_of(len(scores.systems)) if all_pairs else pairs_with(baselines, scores.systems)
    resolved = chosen.resolved(len(first) * max(map(len, chosen.groups(scores.views))))
    compared = compared_pairs(scores, first, second, resolved, progress)
    is_default = baseline is None and not all_pairs
    return Comparison(scores, baselines, resolved, compared, is_default, given.in_view.sum(axis=0))


def best_system(scores: Scores) -> str:
    """Return the baseline by default: the first of two systems, of more the best by the first view."""
    if len(scores.systems) == 2:
        return scores.systems[0]
    means = signs_of(scores)[0] * scores.select(views=[scores.names[0]]).means().to_numpy()[:, 0]
    return scores.systems[int(np.argmax(np.nan_to_num(means, nan=-np.inf)))]


class Comparison(ComparedSystems):
    """The result of :func:`irmx_study.compare`.

    Its tables, for :meth:`frame`:

    ``"comparisons"``
        One row per view and pair: the ``measure`` and what else the view is marked with; the systems ``a`` and ``b``, of which b is
        the baseline; the number of ``topics``; the means ``mean_a`` and ``mean_b``; their ``difference``, a - b, with its
        interval from ``low`` to ``high``; the size of the ``effect``; the ``statistic`` of the test, its p-value ``p`` and the
        corrected one, ``p_corrected``; the number of topics that a wins, ties and loses; and for how many topics a or b has no
        value, ``missing``.
    ``"systems"``
        One row per view and system, and baseline if there are several: the ``mean`` with its t interval from ``mean_low`` to
        ``mean_high``; with a baseline, its name and the columns above from ``difference`` on; of all pairs ``letters``: systems
        that share one cannot be told apart.
    ``"views"``
        One row per view and pair, with the parameters of :attr:`irmx.Scores.views`, the ``share`` of users that the view stands
        for, and ``better``: the system that is significantly better, empty if neither is.
    ``"over"``
        One row per measure with several views and pair: in how many of them a is ``better``, ``worse`` or ``undecided``, and the
        shares of users.
    ``"border"``
        One row per pair of neighbouring settings, along a parameter with an order, the others fixed, between which the
        sign of the difference or the significantly better system changes.
    ``"ranks"``
        One row per measure with several views and system: its ``best``, ``median`` and ``worst`` rank over the views, the share
        of users for whom it is the ``first``, and the views of its best and worst rank; of several with the best rank, the view
        with the best mean, which is ``best_value``.

    Attributes
    ----------
    baseline : tuple of str
        The baselines; empty if all pairs were compared.
    is_default : bool
        Whether nobody named the baseline.
    of_views : int array
        The number of topics of every view, with those that are left out because a system has no value.
    """

    NEEDS = dict.fromkeys(("over", "border", "ranks", "views"), "several settings of a measure") | {
        "topics": "a baseline or two systems",
        "cost": "a measure of which less is better, such as SessionCost, and one of which more is",
    }

    def __init__(
        self,
        scores: Scores,
        baseline: tuple[str, ...],
        choices: Choices,
        compared: Compared,
        is_default: bool,
        of_views: Ints,
    ) -> None:
        super().__init__(scores, baseline, choices, compared, is_default)
        self.of_views = of_views
        self.make_facts, self.make_notes = partial(facts_of, self), partial(notes_on, self)
        self.layouts = {"comparisons": self._for_reading, "views": self._views_for_reading}
        drawn = {"differences": "systems.pictures:plot_differences"}
        if len(scores.systems) == 2 or baseline:
            drawn["topics"] = "systems.pictures:plot_topics"
        drawn |= {"groups": "systems.pictures:plot_groups", "p": "systems.pictures:plot_p_values"}
        signs = signs_of(scores)
        if signs.min() < signs.max():
            drawn["cost"] = "systems.pictures:plot_cost"
        if several := self.groups.several:
            over = {"over": counts_over, "border": borders, "ranks": rank_bands}
            self.tables = {**self.tables, **{name: partial(make, self) for name, make in over.items()}}
            drawn |= {"views": "measures.pictures:plot_views", "ranks": "measures.pictures:plot_ranks"}
            if all(len(group.views) == len(scores.names) for group in several):
                drawn = {"views": drawn.pop("views"), **drawn}
        self.pictures = drawn

    def headline(self) -> str:
        """Return what was found, in a sentence or two: which system is better, by how much, how sure, and by which measures.

        >>> import irmx, irmx_study
        >>> from irmx.demo import SYSTEMS, qrels_path, run_path
        >>> runs = {system: run_path(system) for system in SYSTEMS}
        >>> irmx_study.compare("AP nDCG@10", qrels_path(), runs, baseline="titles").headline()
        'bm25 beats titles by AP: +.273 [.222, .325], p < .0001; the same by nDCG@10. By AP, titles beats none of the 2 others and is beaten by 2.'
        """
        return headline_of(self)

    def sentences(self) -> tuple[str, ...]:
        """Return, for each measure with several views and pair of systems, in how many which is better."""
        return tuple(sentences_over(self))

    def summary(self, sort: str | None = None) -> pd.DataFrame:
        """Return the table ``"systems"``, the systems of each view sorted by a column; see :meth:`estimates`."""
        return self._systems(sort)

    # -- for reading and for papers ----------------------------------------------------------------------

    def tables_for_reading(
        self,
        table: str | None = None,
        places: int = 4,
        sort: str | None = None,
        most: int | None = None,
        **options: Any,
    ) -> list[Titled]:
        """Return what is printed for reading in place of a table; the main one with the systems sorted, the first ``most`` of them."""
        if self.table_named(table) == "comparisons":
            return self._for_reading(places, sort, most)
        if table == "border" and not len(self.frame("border")):
            return [("There is no border: along no parameter with an order does the better run change.", None)]
        tables = super().tables_for_reading(table, places)
        return [(title, rows and [self._named(row) for row in rows]) for title, rows in tables]

    def _for_reading(self, places: int, sort: str | None = None, most: int | None = None) -> list[Titled]:
        views = self.scores.names
        lines: list[Titled] = []
        if self.groups.several:
            if len(self.compared.first) <= SENTENCES:
                lines = [("\n".join(self.sentences()) + "\n", None)]
            else:
                lines = [("", [self._named(row) for row in self.frame("over").to_dict("records")])]
            if len(views) > IN_COLUMNS:
                return [
                    *lines,
                    (f"the means of the {len(views)} views: --table systems; all comparisons: -o csv\n", None),
                ]
        if len(views) > 1 and len(self.compared.first) == 1:
            return [*lines, ("means over topics, and the difference", self._one_pair(places))]
        shown = self._best(sort, most)
        one = len(views) == 1 and len(self.baseline) <= 1
        rows = self._one_view(places, shown) if one else self._several(places, shown)
        title = views[0] if len(views) == 1 else "means over topics"
        if self.baseline and len(views) <= SIDE_BY_SIDE:
            title += f", and differences to {' and '.join(self.names[b] for b in self.baseline)}"
        if len(shown) < len(self.scores.systems):
            title += f"; {len(shown)} of {len(self.scores.systems)} systems (all: --top 0)"
        lines.append((title, rows))
        if self.all_pairs and len(self.compared.first) <= PAIRS_SHOWN:
            lines.append(("differences a - b", self._pairs_side_by_side(places)))
        return lines

    def _named(self, row: dict[str, Any]) -> dict[str, Any]:
        return {name: self.names.get(cell, cell) if name in NAMING else cell for name, cell in row.items()}

    def _one_view(self, places: int, systems: Sequence[str]) -> list[dict[str, Any]]:
        """Return one row per system: mean, difference, interval, effect, p, wins; of all pairs the mean and its interval."""
        of_interval, cells, rows = f"{self.choices.coverage} interval", self.cells(0), []
        for system in systems:
            cell = cells[system]
            row: dict[str, Any] = {"system": self.names[system], "mean": cell.mean}
            if self.all_pairs:
                row[of_interval] = interval(cell.low, cell.high, places)
            elif found := cell.difference:
                row |= self._cells(found, places) | {"p": found.p_corrected}
            else:
                row |= {"diff": None, of_interval: "", "effect": None, "p": None, "W/T/L": ""}
            rows.append(row | ({self.alike_name: cell.alike} if self.has_groups else {}))
        return rows

    def _cells(self, found: Difference, places: int) -> dict[str, Any]:
        """Return the cells of a difference for reading."""
        of_interval, won = interval(found.low, found.high, places), f"{found.wins}/{found.ties}/{found.losses}"
        return {
            "diff": found.difference, f"{self.choices.coverage} interval": of_interval, "effect": found.effect,
            "p": p_text(found.p_corrected, places), "W/T/L": won,
        }  # fmt: skip

    def _one_pair(self, places: int) -> list[dict[str, Any]]:
        """Return one row per view of two systems: their means, the difference, its interval, p, wins."""
        ((a, b),), rows = self.compared_pairs, []
        for v, view in enumerate(self.scores.names):
            cells, found = self.cells(v), self.difference(a, b, v)
            mark = "" if self.all_pairs else _marks(cells[a], self.baseline)
            shown = self._cells(found, places)
            del shown["effect"]
            shown["p"] += f" {mark:1}"
            rows.append({"measure": view, self.names[a]: cells[a].mean, self.names[b]: cells[b].mean, **shown})
        return rows

    def _several(self, places: int, systems: Sequence[str]) -> list[dict[str, Any]]:
        """Return one row per system, with the views side by side: means, and of few views the differences and p-values.

        Of more views than systems, one row per view.
        """
        wide = len(self.scores.names) <= SIDE_BY_SIDE and len(self.baseline) == 1
        rows: dict[str, dict[str, Any]] = {system: {"system": self.names[system]} for system in systems}
        for v, view in enumerate(self.scores.names):
            cells = self.cells(v)
            marks = {system: _marks(cell, self.baseline) for system, cell in cells.items()}
            for system, row in rows.items():
                cell, mark = cells[system], f" {marks[system]:1}"
                if wide:
                    found = cell.difference
                    row |= {view: cell.mean, "diff" + " " * v: found and found.difference}
                    row["p" + " " * v] = p_text(found.p_corrected, places) + mark if found else ""
                else:
                    row[view] = fixed(cell.mean, places) + mark if any(marks.values()) else cell.mean
                if self.has_groups:
                    row[self.alike_name + " " * v] = cell.alike
        if len(self.scores.names) > max(SIDE_BY_SIDE, len(self.scores.systems)):
            return [
                {"measure": view, **{row["system"]: row[view] for row in rows.values()}} for view in self.scores.names
            ]
        return list(rows.values())

    def _pairs_side_by_side(self, places: int) -> list[dict[str, Any]]:
        """Return one row per pair of systems: their differences and p-values; of one view with intervals and effects."""
        rows = []
        for a, b in self.compared_pairs:
            row: dict[str, Any] = {"a": self.names[a], "b": self.names[b]}
            for v, view in enumerate(self.scores.names):
                shown = self._cells(self.difference(a, b, v), places)
                if len(self.scores.names) == 1:
                    del shown["W/T/L"]
                    row |= shown
                else:
                    row |= {view: shown["diff"], "p" + " " * v: shown["p"]}
            rows.append(row)
        return rows

    def _views_for_reading(self, places: int) -> list[Titled]:
        frame = self.frame("views")
        means = {}
        drop = ["share"] if len(set(self.groups.shares)) == 1 else []
        if len(self.compared.first) == 1:
            means = {f"mean_{side}": f"mean {self.names[frame[side].iloc[0]]}" for side in ("a", "b")}
            drop += ["measure", "a", "b", "topics"] if self.groups.several else ["a", "b", "topics"]
        drop += ["p"] if self.choices.is_corrected else ["p_corrected"]
        return [("", for_reading(frame.rename(columns=means), places, drop, self.choices.coverage))]

    def to_latex(  # type: ignore[override]
        self,
        table: str | None = None,
        places: int = 4,
        *,
        sort: str | None = None,
        intervals: bool = False,
        caption: str | None = None,
        label: str = "tab:comparison",
        heads: Mapping[str, str] | None = None,
        column: float | None = None,
        most: int | None = 20,
    ) -> str:
        r"""Return the table of a paper: one row per system, the views side by side.

        Significant differences are marked: a dagger for those to the first baseline, further signs for further baselines; of all
        pairs, letters. The best mean of a view is bold; means of 10 and more have fewer decimals. Above a view stands the name of
        its measure, with what tells it from the others; the caption has all. A table wider than a column is a ``table*``, one wider
        than a page has its views in several rows, and one of more than 45 systems is a ``longtable``. It needs the LaTeX package
        ``booktabs``.

        Parameters
        ----------
        table : str, optional
            Another table of the result, as a plain ``tabular``.
        places : int
            Decimal places of means below 10, at least 0.
        sort : str, optional
            The column to sort the systems by; see :meth:`estimates`. By default the means.
        intervals : bool
            Whether to print the difference to a single baseline with its interval; without one, the interval of the mean.
        caption : str, optional
            The caption, in LaTeX; by default the measures, and the numbers of systems and topics.
        label : str
            The label for ``\ref``.
        heads : dict of str to str
            What stands above views, by their names.
        column : float
            The width of a column of the paper in points, by default 229, which fits the usual classes: acmart has 241, IEEEtran
            252, and a page of one column in llncs 347.
        most : int or None
            So many of the best systems, beside the baselines; by default 20, None for all.

        Examples
        --------
        >>> import irmx, irmx_study
        >>> from irmx.demo import SYSTEMS, qrels_path, run_path
        >>> scores = irmx.scores("AP", qrels_path(), {system: run_path(system) for system in SYSTEMS})
        >>> print(irmx_study.compare(scores).to_latex(places=2))
        % needs \usepackage{booktabs}
        ...
        \begin{tabular}{lr}
        \toprule
        system & AP \\
        \midrule
        bm25 & \textbf{0.50} \\
        recent & 0.33\rlap{$^{\dagger}$} \\
        titles & 0.23\rlap{$^{\dagger}$} \\
        \bottomrule
        \end{tabular}
        ...
        """
        if self.table_named(table) != "comparisons":
            return super().to_latex(table, places)
        return paper_table(self, places, sort, intervals, caption, label, heads or {}, column, most)

    def methods(self) -> str:
        """Return the sentences for the method section of a paper, in LaTeX; :meth:`bibtex` has what they cite.

        Examples
        --------
        >>> import irmx, irmx_study
        >>> from irmx.demo import SYSTEMS, qrels_path, run_path
        >>> scores = irmx.scores("AP", qrels_path(), {system: run_path(system) for system in SYSTEMS})
        >>> print(irmx_study.compare(scores, baseline="titles").methods())
        We compared 2 systems with the baseline titles by AP... on the 30 topics of demo.qrels, using irmx ...
        """
        return sentences_of(self)

    def bibtex(self) -> str:
        """Return the BibTeX entries of what to cite."""
        return "\n\n".join(citation.bibtex() for citation in self.citations())

    def citations(self) -> tuple[Citation, ...]:
        """Return what to cite: irmx, ir_measures, and the papers of the test, of the correction, and of the measures."""
        return citations_of(self)


# -- the topics of scores in order: by the difference of two systems, by difficulty, by disagreement ----------------------


ORDERS = ("difference", "easiest", "hardest", "disputed")
"""What topics can be ordered by."""


def topics(
    source: Any,
    qrels: Any = None,
    runs: Any = None,
    *,
    a: str | None = None,
    b: str | None = None,
    by: str = "difference",
    sort: str | None = None,
    top: int | None = None,
) -> Result:
    """Put the topics in order, with the values of all views side by side.

    Parameters
    ----------
    source, qrels, runs
        As for :func:`irmx_study.compare`.
    a, b : str, optional
        The two systems whose difference, a - b, is shown; by default the second and the first. Only for
        ``by="difference"``; of more than two systems, one has to be named.
    by : {"difference", "easiest", "hardest", "disputed"}
        The order: by the difference of the two systems from the largest to the smallest; by the mean over all systems, the
        easiest or the hardest first; by the standard deviation over all systems, from the largest.
    sort : str, optional
        The view that decides the order; by default the first.
    top : int, optional
        How many topics to return; by difference, so many from each end. By default all.

    Returns
    -------
    Result
        Its table has one row per topic: ``query_id``, and by difference, for every view its value for a, for b, and their
        ``difference``; otherwise the number of ``systems`` that retrieved something, and for every view the ``mean`` over
        all systems, their standard deviation ``sd``, the ``smallest`` and the ``largest`` value. A system without results for a
        topic counts with the measure's default. Topics without a value of the view that decides come last.

    Raises
    ------
    irmx.errors.UsageError
        For an unknown system, measure or order, for fewer than two systems where two are needed, or if a is b.

    Examples
    --------
    >>> import irmx
    >>> from irmx.demo import SYSTEMS, qrels_path, run_path
    >>> scores = irmx.scores("AP RR", qrels_path(), {system: run_path(system) for system in SYSTEMS})
    >>> table = topics(scores, a="titles", b="bm25", sort="RR", top=1).frame()
    >>> table[["query_id", "RR titles", "RR bm25", "RR difference", "AP difference"]].round(2)
      query_id  RR titles  RR bm25  RR difference  AP difference
    0       13        1.0     0.25           0.75           0.11
    1       20        0.2     1.00          -0.80          -0.34
    """
    scores = as_scores("topics", source, qrels, runs).with_missing()
    if by not in ORDERS:
        raise UsageError(f"Topics cannot be ordered by {by!r}.{suggest(by, ORDERS)} Known: {', '.join(ORDERS)}.")
    if top is not None and top < 1:
        raise UsageError(f"The number of topics to return must be 1 or more. Got {top} instead.")
    if by != "difference" and (a is not None or b is not None):
        raise UsageError(f"Topics by {by} are of all systems. Leave the two systems out, or order by difference.")
    view = scores.names[0] if sort is None else scores.select(views=sort).names[0]
    less = signs_of(scores.select(views=[view]))[0] < 0
    if by == "difference":
        if len(scores.systems) > 2 and a is None and b is None:
            raise UsageError(
                f"Topics by difference are of two systems. There are {len(scores.systems)}: {list_some(scores.systems)}. Name two (a and b, or "
                "--system and --baseline), or order by easiest, hardest or disputed."
            )
        pair: Sequence[str] = two_systems(scores, a, b)
        key, title = f"{view} difference", f"{pair[0]} - {pair[1]}, by {view}"
    else:
        if by == "disputed" and len(scores.systems) < 2:
            raise UsageError(f"Disputed topics need two systems or more. There is only {', '.join(scores.systems)}.")
        pair, key, title = (), f"{view} {'sd' if by == 'disputed' else 'mean'}", f"{by} first, by {view}"
    ascending = bool((by == "hardest") != (less and by in ("easiest", "hardest")))
    table = _side_by_side(scores, pair).sort_values(key, ascending=ascending, kind="stable", ignore_index=True)
    if top is not None:
        places = np.arange(len(table))
        ends = (places < top) | ((by == "difference") & (places >= len(table) - top))
        table = table[ends].reset_index(drop=True)
    return Result(
        f"Topics, {title}: {plural(len(table), 'topic')} of {len(scores.topics)}", {"topics": lambda: table}, scores,
        make_facts=lambda: {"order": title, "versions": versions_fact(scores)}, make_notes=lambda: list(topics_lacking(scores)),
    )  # fmt: skip


def two_systems(scores: Scores, a: str | None, b: str | None) -> tuple[str, str]:
    """Return the names of two systems, by default of the second and the first; an unknown one is refused."""
    names = scores.systems
    if len(names) < 2:
        raise UsageError(f"Two systems are needed for differences. There is {names[0] if names else 'none'}.")
    scores.select(systems={name for name in (a, b) if name is not None})  # refuses an unknown one
    b = next(name for name in names if name != a) if b is None else b
    a = next(name for name in names if name != b) if a is None else a
    if a == b:
        raise UsageError(f"{a} cannot be compared with itself. Name two systems.")
    return a, b


def _side_by_side(scores: Scores, pair: Sequence[str]) -> pd.DataFrame:
    """Return one row per topic with the values of all views: of two systems with their difference, or what all systems have."""
    columns: dict[str, Any] = {"query_id": list(scores.topics)}
    if not pair:
        columns["systems"] = (~scores.missing.any(axis=2)).sum(axis=1)
    for v, view in enumerate(scores.names):
        values = scores.values[:, :, v]
        if pair:
            first, second = (values[:, scores.systems.index(system)] for system in pair)
            of_view = {pair[0]: first, pair[1]: second, "difference": first - second}
        else:
            of_view = {"mean": values.mean(axis=1)}
            if len(scores.systems) > 1:
                of_view["sd"] = values.std(axis=1, ddof=1)
            of_view |= {"smallest": values.min(axis=1), "largest": values.max(axis=1)}
        columns |= {f"{view} {name}": of for name, of in of_view.items()}
    return pd.DataFrame(columns)
