"""A conclusion about two systems, whether it holds when something else could have been chosen, and its picture."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from irmx import DataError, Scores, UsageError, read_table
from irmx.ragged import Floats
from irmx.toolkit import (
    MissingTopicsWarning,
    as_measures,
    axes_for,
    grid_of_axes,
    list_some,
    parse_json,
    picture_text,
    plural,
    print_rows,
    versions_of,
    visible,
)
from irmx_study.inputs.choices import as_scores, is_path, refuse_unknown
from irmx_study.showing.result import Result, Titled, interval, p_statement, topics_lacking, versions_fact, write_facts
from irmx_study.systems.pairs import complete_values, refuse_help
from irmx_study.systems.pictures import BLUE, GREY, VERMILION, grid_behind
from irmx_study.systems.planning import topics_for_equality, topics_for_t
from irmx_study.verdicts.doubts import (
    DRAWS,
    OF_BOTH,
    Claim,
    Doubt,
    Tested,
    View,
    breaks,
    claim_in,
    in_order,
    of_difficulty,
    of_single_topics,
    of_weights,
    refuse_untried,
    refuse_wide,
    scored_in_all_views,
    views_of,
    with_all,
    with_common_topics,
)

# -- does a conclusion hold ------------------------------------------------------------------------------------------


POWER = 0.8
"""The power with which the number of topics that is said to be needed would decide."""

MOVED = 3
"""How many topics that moved most are shown, from each end."""

NAMED = 3
"""How many views that break a conclusion are named in the sentence."""

MARKER = "<!-- irmx verdict -->"
"""What the Markdown of a verdict begins with, so that a workflow finds its comment again."""

MARKS = {
    "holds": ":white_check_mark: Pass", "holds, but": ":x: Fail", "not shown": ":grey_question: Undecided", "contradicted": ":x: Fail",
}  # fmt: skip
"""What its first line begins with; GitHub draws the names between colons."""

_WIDTH = 36
"""The width of the intervals that a terminal shows."""

MOST_VALUE = 1e100
"""Larger values are refused, because their squares may be infinite."""

DIFFICULTY = "difficulty"
"""In place of a table: thirds of the topics by the mean of the two systems."""

EXIT_CODES = {"holds": 0, "holds, but": 3, "not shown": 3, "contradicted": 4}
"""The exit codes of the command; 1 and 2 are those of data and usage."""


def verdict(
    source: Any,
    qrels: Any = None,
    runs: Any = None,
    *,
    baseline: str | None = None,
    claim: str = "better",
    margin: float = 0.0,
    level: float = 0.05,
    judges: Mapping[str, Any] | None = None,
    rel: float | Mapping[str, float] = 1,
    grades: Mapping[str, Any] | None = None,
    users: Any = None,
    measures: Any = None,
    slices: Any = None,
    weights: Any = None,
    collections: Any = None,
    missing: str = "refuse",
    expect: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Verdict:
    r"""Tell whether a conclusion about two systems holds, and which doubt breaks it.

    The claim is held against all topics by one paired t test. Then every doubt is a set of views: other judges, other users,
    other measures, parts of the topics, seeds, assumptions about unjudged documents. A doubt can take a conclusion away, and
    cannot make one.

    Parameters
    ----------
    source : Scores, DataFrame, or measure
        With qrels and runs, one measure. Otherwise scores of two systems: their first view is that of the claim, and all others
        are doubts, by what they are marked with.
    qrels : any
        As for :func:`irmx.scores`.
    runs : mapping of str to run, or sequence of two paths
        The two systems. Several runs of one system, such as those with other seeds, are a list of runs, or a quoted glob: their mean on a topic
        is the value of the system.
    baseline : str, optional
        The system that the other is compared with; by default the first.
    claim : {"better", "no-worse", "equal"}
        That the run is better than the baseline by more than the margin, that it is not worse by more, or that they are equal within
        it (two one-sided tests).
    margin : float
        The margin, in units of the measure; stated before the results are known.
    level : float
        The level of significance, below 0.5. Intervals cover 1 - level, of the claim ``"equal"`` 1 - 2 level.
    judges : mapping of str to qrels, optional
        Other judgments by the name of the judge. A topic that a judge lacks is not in the view.
    rel, grades
        As for :func:`irmx_study.judges`, for these judges.
    users : str, Measure or iterable of them, optional
        Settings of the measure, such as ``"RBP(p=.5:.95:10)"``; of scores, which of their measures these are.
    measures : str, Measure or iterable of them, optional
        Other measures.
    slices : mapping of str to str, table, path, or "difficulty", optional
        The group of every topic: by query id, or a table with the column query_id and one column per grouping, where an empty text is no group. ``"difficulty"``
        stands for the thirds of the topics by the mean of the two systems, on which the thirds then depend.
    weights : mapping of str to float, table, or path, optional
        The weight of every topic, such as its share of the traffic: by query id, or a table with the columns query_id and weight. The
        weighted mean has a bootstrap interval over topics.
    collections : mapping of str to (qrels, runs), or path, optional
        Other collections, on which both systems ran: the runs by the names of the systems, or two paths, the baseline first; or a table with the columns
        collection, qrels, baseline and run. Beside each, views are the mean of the means of all collections, and that over all topics.
    missing : {"refuse", "zero", "both"}
        What to do about topics for which a system has no value: refuse them where counting them as the measure's default would help the
        claim, or where a system lacks more than half, and otherwise count them so, with the topics that both have as a doubt; count
        them so in any case; or leave them out.
    expect : mapping or path, optional
        An earlier verdict, as :meth:`Verdict.record` returns it or ``-o jsonl`` prints it, which was on the same qrels and topics.
    progress : bool, optional
        Whether to show a progress bar; by default if standard error is a terminal.

    Returns
    -------
    Verdict
        The result.

    Raises
    ------
    irmx.errors.UsageError
        For an unknown claim, a margin that it lacks, several measures, or anything but two systems.
    irmx.errors.DataError
        If a run is empty, a system lacks more than half of the topics, a judge has no document in common with the qrels, a run, a judge or a
        collection is given twice, or the inputs are others than expected.

    Notes
    -----
    A doubt breaks the conclusion if in one of its views the claim is contradicted, or is not supported while the view differs
    significantly from that of all topics, in the direction against the claim; both by Holm's correction over the views of the doubt.
    Parts of the topics are compared by Welch's test with the other topics; parts of each topic, such as some of its questions, judges, seeds and assumptions by the paired test of the change;
    users and measures by the same after each difference is divided by its standard deviation. In these, the margin has the same
    share of the standard deviation. Views that are merely undecided change nothing.

    Examples
    --------
    >>> import irmx_study
    >>> from irmx.demo import qrels_path, run_path
    >>> runs = {"titles": run_path("titles"), "bm25": run_path("bm25")}
    >>> found = irmx_study.verdict("AP", qrels_path(), runs, measures="nDCG@10 P@5")
    >>> found.outcome, found.exit_code
    ('holds', 0)
    >>> found.frame("doubts")[["doubt", "views", "holds", "undecided", "contradicted", "breaks"]]
            doubt  views  holds  undecided  contradicted  breaks
    0    measures      2      2          0             0       0
    1    unjudged      2      2          0             0       0
    2    topics     10     10          0             0       0
    """
    asked = Claim(claim, margin, level)
    refuse_unknown("treatment of missing values", str(missing), Scores.MISSING)
    if judges is None and (grades is not None or rel != 1):
        raise UsageError("rel and grades are about judges. Name a judge, or leave them out.")
    if weights is not None and level < 2 / (DRAWS + 1):
        raise UsageError(
            f"With weights, the level must be at least {2 / (DRAWS + 1):g}: their interval has {DRAWS:,} draws. Got {level:g}."
        )
    further = {"judges": judges, "measures": measures, "collections": collections}
    if qrels is None or runs is None:
        of_runs = [name for name, value in further.items() if value is not None]
        if of_runs and qrels is None and runs is None:
            raise UsageError(
                f"Scores already have all views. Leave out: {', '.join(of_runs)}; or give a measure, qrels and runs."
            )
        scores = as_scores("verdict", source, qrels, runs)  # one of the two alone is refused
        scores = scores.select(systems=in_order(scores.systems, baseline))
        seeds, untried = dict[str, list[str]](), "scores have no judgments"
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MissingTopicsWarning)  # the notes count the topics that runs lack
            scores, seeds, untried = scored_in_all_views(
                source, qrels, runs, baseline, judges, rel, grades, users, measures, collections, progress
            )
    refuse_wide(scores.measures[0], margin)
    scores = scores.select(topics=sorted(scores.topics))  # nothing depends on the order of rows
    if missing == "refuse":
        scores.with_missing("refuse")
        refuse_help(scores, either=asked.kind == "equal")
    given, scores = scores, scores.with_missing("both" if missing == "both" else "zero")
    for v in {0, *np.flatnonzero((np.abs(scores.values) > MOST_VALUE).any(axis=(0, 1))).tolist()}:
        complete_values(scores, v)  # refuses what cannot be tested
    by_difficulty = isinstance(slices, str) and slices == DIFFICULTY
    if slices is not None and not by_difficulty:
        known = np.flatnonzero(~np.isnan(scores.values[:, :, 0]).any(axis=1)).tolist()
        groups = _groups(slices, [scores.topics[t] for t in known])
        given, scores = (
            Scores.concat([one.marked(slice=""), one.select(views=[one.names[0]]).slices(groups)])
            for one in (given, scores)
        )
    named = [] if users is None else list(map(str, scores.select(measures=users).measures))
    main, doubts = views_of(scores, named)
    others = {
        "users": None if users is None else named,
        "measures": None if measures is None else list(map(str, as_measures(measures))),
    }
    refuse_untried(
        main, doubts, others, judges=judges, collections=collections, slices=None if by_difficulty else slices
    )
    doubts = [with_all(main, doubt) for doubt in doubts]
    if missing != "both":
        both, of_both = views_of(given.with_missing("both"), named)
        doubts = with_common_topics(main, doubts, both, [with_all(both, doubt) for doubt in of_both])
    doubts += [of_difficulty(main)] if by_difficulty else []
    doubts += [] if weights is None else [of_weights(main, scores.topics, weights)]
    left_out = int(given.missing[:, :, 0].any(axis=1).sum()) if missing == "both" else 0
    made = Verdict(
        scores, asked, main, [*doubts, of_single_topics(asked, main, scores.topics)], seeds, untried, left_out
    )
    if expect is not None:
        made.refuse_other(expect)
    return made


def assert_no_worse(measure: Any, qrels: Any, baseline: Any, run: Any, margin: float, **options: Any) -> Verdict:
    """Raise an AssertionError unless a run is shown to lose no more than a margin to a baseline: for the tests of a search system.

    Parameters
    ----------
    measure : str or Measure
        The measure.
    qrels : any
        As for :func:`irmx.scores`.
    baseline, run : run or path
        The run of the system before the change, and that of the system after it.
    margin : float
        How much may be lost, in units of the measure; stated before the results are known.
    **options
        Others of :func:`verdict`, such as ``measures="P@5"``: what may take the conclusion away.

    Returns
    -------
    Verdict
        The verdict, if the claim holds.

    Raises
    ------
    AssertionError
        If the claim is not shown, contradicted, or broken by a doubt; with what was found, and the views that break it.
    irmx.errors.IrmxError
        If it cannot be checked.

    Examples
    --------
    >>> import irmx_study
    >>> from irmx.demo import qrels_path, run_path
    >>> irmx_study.assert_no_worse("AP", qrels_path(), run_path("bm25"), run_path("titles"), margin=0.02)
    Traceback (most recent call last):
    ...
    AssertionError: Contradicted: that titles.run is not worse than bm25.run by more than 0.02 (AP -0.2734 [-0.3251, -0.2217], p < 0.0001).
    """
    are_paths = is_path(baseline) and is_path(run)
    runs = [baseline, run] if are_paths else {"baseline": baseline, "run": run}
    found = verdict(measure, qrels, runs, claim="no-worse", margin=margin, **options)
    if found.outcome != "holds":
        raise AssertionError(found.sentence)
    return found


def _groups(slices: Any, topics: Sequence[str]) -> pd.DataFrame:
    """Return the groups of topics as a table, a column per grouping; an empty cell is no group, and each of some topics has a row."""
    if is_path(slices):
        slices = read_table(slices, {"query_id": str}, "table of groups").arrow().to_pandas()
    if isinstance(slices, Mapping) and "query_id" not in slices:
        slices = {"query_id": list(slices), "slice": list(slices.values())}
    if not isinstance(slices, Mapping) and not hasattr(slices, "columns"):
        raise UsageError(
            f"Slices are a mapping of topics to groups, a table, or a path. Got {type(slices).__name__} instead."
        )
    table = pd.DataFrame(slices).astype(object)
    if "query_id" not in table or len(table.columns) < 2:
        raise DataError(
            f"A table of groups needs the column query_id and one more. It has: {list_some(map(str, table.columns))}."
        )
    grouped = {*map(str, table["query_id"])}
    if twice := table["query_id"][table["query_id"].astype(str).duplicated()].tolist():
        raise DataError(
            f"The table of groups has more than one row for {plural(len(set(twice)), 'topic')}: {list_some(map(str, dict.fromkeys(twice)))}. Leave "
            "one row of each; other groups of a topic are another column."
        )
    if lacking := [topic for topic in topics if topic not in grouped]:
        raise DataError(
            f"The table of groups has no row for {len(lacking)} of {plural(len(topics), 'topic')}: {list_some(lacking)}. Give each one; an "
            "empty cell is no group."
        )
    table = table.where(table.notna() & (table != ""), None)
    # the name of a column stands before a colon in that of a view
    return table.rename(columns=lambda name: "groups" if name == "group" else str(name).replace(":", " "))


class Verdict(Result):
    """The result of :func:`irmx_study.verdict`.

    Its tables, for :meth:`frame`:

    ``"views"``
        One row per view, the claim first: ``doubt``, ``view``, the number of ``topics``, the means ``mean_baseline`` and
        ``mean_run``, their ``difference``, run - baseline, with its interval from ``low`` to ``high``, the p-value ``p`` of the
        claim, the ``outcome`` (holds, undecided, contradicted), and whether the view ``breaks`` the conclusion.
    ``"doubts"``
        One row per doubt: ``varied``, what; the number of ``views``, in how many the claim ``holds``, is ``undecided`` or
        ``contradicted`` with no correction, how many ``breaks`` after it, and the ``worst`` view with its difference and interval.
    ``"topics"``
        One row per topic, the largest gain first: the values of the baseline and of the run, and the ``difference``.

    Attributes
    ----------
    outcome : str
        "holds"; "holds, but", if a doubt breaks it; "not shown"; or "contradicted".
    sentence : str
        What was found, in a sentence.
    exit_code : int
        That of the command: 0 if the claim holds, 3 if a doubt breaks it or it is not shown, 4 if it is contradicted.
    claim : Claim
        The claim, with its margin and level.
    left_out : int
        The number of topics that are left out, because a system has no value.
    """

    scores: Scores

    def __init__(
        self,
        scores: Scores,
        claim: Claim,
        main: View,
        doubts: Sequence[Doubt],
        seeds: Mapping[str, Sequence[str]],
        untried: str,
        left_out: int = 0,
    ) -> None:
        self.left_out = left_out
        self.claim, self.doubts, self.tested = claim, tuple(doubts), claim.tested(main)
        self._main, self._seeds, self._untried = main, dict(seeds), untried
        self.baseline, self.run = map(visible, scores.systems)
        self._of_doubts: list[tuple[Doubt, list[tuple[View, Tested, bool]]]] = []
        for doubt in self.doubts:
            tested = [claim_in(claim, main, view, doubt.how).tested(view) for view in doubt.views]
            breaking = [False] * len(tested)
            if self.tested.outcome == "holds":
                breaking = breaks(claim, main, doubt, tested).tolist()
            self._of_doubts.append((doubt, list(zip(doubt.views, tested, breaking, strict=True))))
        super().__init__(
            f"Verdict on {self.run} and {self.baseline} by {main.name}: {self.outcome}",
            {"views": self._views, "doubts": self._table_of_doubts, "topics": self._topics},
            scores,
            make_facts=self._facts,
            make_notes=self._remarks,
            pictures={"views": "verdicts.verdict:plot_verdict"},
        )

    # -- what was found --------------------------------------------------------------------------------------

    @property
    def outcome(self) -> str:
        if self.tested.outcome == "contradicted":
            return "contradicted"
        if self.tested.outcome == "undecided":
            return "not shown"
        return "holds, but" if any(broken for _, rows in self._of_doubts for _, _, broken in rows) else "holds"

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.outcome]

    @property
    def claimed(self) -> str:
        """The claim in words."""
        by = f" by more than {self.claim.margin:g}" if self.claim.margin else ""
        return {
            "better": f"{self.run} is better than {self.baseline}{by}",
            "no-worse": f"{self.run} is not worse than {self.baseline}{by}",
            "equal": f"{self.run} and {self.baseline} differ by at most {self.claim.margin:g}",
        }[self.claim.kind]

    @property
    def sentence(self) -> str:
        low, high = self._ends(self._main, self.tested)
        size = f"{self._main.name} {self._signed(self.tested.mean):+.4f} {interval(low, high, 4)}, {p_statement(self.tested.p)}"
        size = size.replace(" ,", ",")
        if self.left_out:
            size += f", over the {plural(self.tested.topics, 'topic')} that both have, without {self.left_out}"
        if self.outcome == "contradicted":
            return f"Contradicted: that {self.claimed} ({size})."
        if self.outcome == "not shown":
            return f"Not shown: that {self.claimed} ({size}). {self._needed()}"
        broken = []
        for doubt, rows in self._of_doubts:
            if names := [view.name for view, _, breaking in rows if breaking]:
                some, all_ = (
                    {name.removesuffix(OF_BOTH) for name in of} for of in (names, [view.name for view, *_ in rows])
                )
                broken.append(f"for {len(some)} of {len(all_)} {doubt.noun} ({list_some(map(visible, names), NAMED)})")
        if broken:
            return f"Holds, but not {', nor '.join(broken)}: {self.claimed} ({size}).{self._hanging()}"
        tried = ", ".join(
            doubt.name
            for doubt, rows in self._of_doubts
            if doubt.name != "topics" and any(t.low == t.low for _, t, _ in rows)
        )
        return f"Holds: {self.claimed} ({size}).{f' No doubt breaks it: {tried}.' if tried else ''}{self._hanging()}"

    def _hanging(self) -> str:
        """Return a sentence about topics without which the claim is not supported."""
        _, rows = self._of_doubts[-1]
        alone = [view.name.removeprefix("without ") for view, tested, _ in rows if tested.outcome != "holds"]
        return f" It hangs on single topics: without {' or '.join(alone[:NAMED])}, it is not shown." if alone else ""

    def _signed(self, difference: Any) -> Any:
        """Return a difference as run - baseline."""
        return -difference if self._main.less_is_better else difference

    def _ends(self, view: View, tested: Tested) -> tuple[float, float]:
        return (-tested.high, -tested.low) if view.less_is_better else (tested.low, tested.high)

    def _needed(self) -> str:
        """Return how many topics would decide, if they vary as these do."""
        differ = int(np.count_nonzero(np.nan_to_num(self._main.differences)))
        n, level = self.tested.topics, self.claim.alpha
        if np.isnan(self.tested.low):
            return f"{plural(n, 'topic')} with equal differences can show nothing."
        if differ == 0:
            return "The systems have the same value on every topic."
        if self.claim.kind == "better" and not self.claim.margin and differ < n:
            from scipy.special import stdtr

            if 2 * stdtr(n - 1, -np.sqrt(differ * (n - 1) / (n - differ))) >= level:
                return f"They differ on {plural(differ, 'topic')} of {n}: no outcome on these could be significant."
        room = self.tested.slack
        if room == 0 or self.tested.deviation == 0:
            return "The difference is just what the claim excludes."
        try:
            if self.claim.kind == "equal" and room > 0:
                ends = [self.claim.margin - self.tested.mean, self.claim.margin + self.tested.mean]
                topics = topics_for_equality(ends, self.tested.deviation, self.claim.level, POWER)
            else:
                topics = topics_for_t(abs(room), self.tested.deviation, level, POWER)
        except UsageError:
            return "The difference is so close to what the claim excludes that no number of topics would decide."
        would = "show it" if room > 0 else "contradict it"
        return f"With topics like these, {topics:,} in all would {would} with a probability of {POWER:g}."

    def margins(self) -> tuple[float, ...]:
        """What the difference, run - baseline, must exceed or stay within."""
        if self.claim.kind == "equal":
            return -self.claim.margin, self.claim.margin
        return (self._signed(self.claim.threshold),)

    def scales(self) -> list[tuple[str, float]]:
        """The unit in which each view is drawn, and what its differences are multiplied by: the claim's unit, unless it is a cost."""
        found, main = [(self._main.unit, 1.0)], self._main
        for doubt, rows in self._of_doubts:
            for view, tested, _ in rows:
                is_other = doubt.how == "other unit"
                scaled = is_other and not view.unit and not main.unit and tested.deviation > 0
                sign = -1.0 if view.less_is_better != main.less_is_better else 1.0
                scale = sign * self.tested.deviation / tested.deviation if scaled else 1.0
                found.append((view.unit if is_other else main.unit, scale))
        return found

    @property
    def measure(self) -> str:
        """The measure of the claim."""
        return self._main.name

    # -- tables ----------------------------------------------------------------------------------------------

    def _views(self) -> pd.DataFrame:
        rows = [self._row("claim", self._main, self.tested, breaking=False)]
        for doubt, of_doubt in self._of_doubts:
            rows += [self._row(doubt.name, *one) for one in of_doubt]
        return pd.DataFrame(rows)

    def _row(self, doubt: str, view: View, tested: Tested, breaking: bool) -> dict[str, Any]:
        means = view.means()
        low, high = self._ends(view, tested)
        return {
            "doubt": doubt, "view": view.name, "topics": tested.topics, "mean_baseline": means[0], "mean_run": means[1],
            "difference": -tested.mean if view.less_is_better else tested.mean, "low": low, "high": high, "p": tested.p,
            "outcome": tested.outcome, "breaks": breaking,
        }  # fmt: skip

    def _table_of_doubts(self) -> pd.DataFrame:
        rows = []
        for doubt, of_doubt in self._of_doubts:
            outcomes = [tested.outcome for _, tested, _ in of_doubt]
            worst = self._row(doubt.name, *self._worst(of_doubt))
            rows.append(
                {
                    "doubt": doubt.name, "varied": doubt.noun, "views": len(of_doubt),
                    **{outcome: outcomes.count(outcome) for outcome in ("holds", "undecided", "contradicted")},
                    "breaks": sum(breaking for _, _, breaking in of_doubt), "worst": worst["view"],
                    **{name: worst[name] for name in ("difference", "low", "high")},
                }
            )  # fmt: skip
        return pd.DataFrame(rows)

    @staticmethod
    def _worst(rows: Sequence[tuple[View, Tested, bool]]) -> tuple[View, Tested, bool]:
        return min(rows, key=lambda row: row[1].slack_in_standard_errors)

    def _topics(self) -> pd.DataFrame:
        differences = self._main.differences
        known = np.flatnonzero(~np.isnan(differences))
        order = known[np.argsort(-differences[known], kind="stable")]
        values = self._main.values[order]
        columns = {"query_id": [self.scores.topics[t] for t in order], "baseline": values[:, 0], "run": values[:, 1]}
        return pd.DataFrame({**columns, "difference": values[:, 1] - values[:, 0]})

    def tables_for_reading(
        self, table: str | None = None, places: int = 4, forest: bool = False, **options: Any
    ) -> list[Titled]:
        """Return what is printed for reading: the sentence, a row per doubt, the intervals, and the topics that moved most."""
        if table is not None and table != "views":
            return super().tables_for_reading(table, places)
        rows, doubts = [], self.frame("doubts")
        against = "breaks" if self.tested.outcome == "holds" else "contradicted"  # only the former is corrected
        shown = [against] if doubts[against].any() else []
        for record in doubts.to_dict("records"):
            cells = {"doubt": record["doubt"], "holds": f"{record['holds']} of {record['views']}"}
            cells |= {name: record[name] for name in shown} | {"worst": record["worst"], "diff": record["difference"]}
            rows.append({**cells, "interval": interval(record["low"], record["high"], places)})
        topics = self.frame("topics")
        gains = self._signed(topics["difference"])
        moved = pd.concat([topics[gains > 0].head(MOVED), topics[gains < 0].tail(MOVED)]).to_dict("records")
        tables: list[Titled] = [(self.sentence, None), ("", rows)]
        if forest:
            tables.append((self._forest(), None))
        return [*tables, ("The topics that moved most:", moved)] if moved else tables

    def _forest(self) -> str:
        """Return the intervals of the claim and of the worst view of every doubt in characters; the bar is the margin."""
        lines = [("claim", self._main, self.tested)]
        for doubt, rows in self._of_doubts:
            if doubt.how != "other unit":
                view, tested, _ = self._worst(rows)
                lines.append((visible(f"{doubt.name}: {view.name}")[:28], view, tested))
        drawn = [(name, *self._ends(view, t), self._signed(t.mean)) for name, view, t in lines if t.low == t.low]
        thresholds = self.margins()
        ends = [0.0, *thresholds, *(end for _, *both, _ in drawn for end in both)]
        low, high = min(ends), max(ends)
        if not drawn or low == high:
            return ""

        def at(value: float) -> int:
            return round((value - low) / (high - low) * (_WIDTH - 1))

        width, text = max(len(name) for name, *_ in drawn), []
        for name, start, end, mean in drawn:
            cells = [" "] * _WIDTH
            cells[at(start) : at(end) + 1] = "-" * (at(end) - at(start) + 1)
            for threshold in thresholds:
                cells[at(threshold)] = "|"
            cells[at(mean)] = "o"
            text.append(f"{name:<{width}}  {''.join(cells)}".rstrip())
        return "\n".join(["", *text, ""])

    def to_markdown(self, table: str | None = None, places: int = 4, **options: Any) -> str:
        """Return the sentence in Markdown and, folded, the tables for reading, after a marker by which a workflow finds its comment again."""
        text = super().to_markdown(table, places, **options)
        if table not in (None, "views"):
            return f"{MARKER}\n{text}"
        sentence, _, rest = text.partition("\n\n")
        summary = "Doubts, the topics that moved most, and the method"
        folded = f"<details>\n<summary>{summary}</summary>\n\n{rest}\n</details>\n"
        return f"{MARKER}\n**{MARKS[self.outcome]}. {sentence}**\n\n{folded}"

    def show(
        self, output_format: str = "table", table: str | None = None, places: int | None = None, **options: Any
    ) -> None:
        """Print a table in an output format; in jsonl, a line with the record of the verdict comes first."""
        if output_format == "jsonl" and table in (None, "views"):
            print(json.dumps(self.record()))
        if output_format in ("csv", "tsv") and table in (None, "views"):
            rows = self.frame("views")
            print_rows(
                rows.assign(breaks=rows["breaks"].map({True: "true", False: "false"})),
                output_format,
                places=-1 if places is None else places,
            )
            write_facts([("verdict", visible(self.sentence)), *self._below()], sys.stderr)
            return
        super().show(output_format, table, places, **{"forest": output_format == "table", **options})

    # -- what it states --------------------------------------------------------------------------------------

    def record(self) -> dict[str, Any]:
        """Return the verdict with digests of what the measure reads of the qrels and of the topics, and the versions, as JSON can hold it."""
        topics = "\n".join(sorted(self.scores.topics[t] for t in np.flatnonzero(~np.isnan(self._main.differences))))
        return {
            "verdict": self.outcome, "left_out": self.left_out, "sentence": self.sentence, "claim": self.claim.kind, "margin": self.claim.margin,
            "level": self.claim.level, "measure": self._main.name, "baseline": self.baseline, "run": self.run,
            **self.scores.made_by.get("reads", {"qrels": {}}), "topics": hashlib.sha256(topics.encode()).hexdigest(),
            "versions": versions_of(self.scores.measures),
        }  # fmt: skip

    def refuse_other(self, expected: Mapping[str, Any] | str | os.PathLike[str]) -> None:
        """Raise if an earlier verdict was on other judgments or topics."""
        ours = self.record()
        if is_path(expected):
            try:
                lines = Path(expected).read_text(encoding="utf-8").splitlines()
                expected = dict(parse_json(lines[0])) if lines else {}
            except (OSError, ValueError, TypeError, RecursionError) as error:
                made = "Make one with irmx verdict ... -o jsonl."
                raise DataError(f"{expected} is no verdict: {error}. {made}") from None
        if not isinstance(expected, Mapping) or not {"qrels", "topics"} <= expected.keys():
            raise DataError("What is expected is no verdict. Make one with irmx verdict ... -o jsonl.")
        for key, what in (
            ("topics", "topics"),
            ("measure", "measures"),
            ("qrels", "judgments"),
            ("files", "files of parameters"),
            ("judges", "judgments of judges"),
            ("collections", "judgments of collections"),
        ):
            old, new = expected.get(key), ours.get(key)
            if old == new:
                continue
            if isinstance(old, Mapping) and isinstance(new, Mapping):
                differing = [
                    name or "topics and documents" for name in {**old, **new} if old.get(name) != new.get(name)
                ]
                what = f"{what} ({list_some(differing)})"
            raise DataError(
                f"The {what} are not those of the expected verdict, so that the two cannot be compared. Use the same; or, if "
                "they changed on purpose, make a new verdict to expect."
            )

    def _facts(self) -> dict[str, str]:
        covers = f"{100 * (1 - self.claim.alpha):g}%"
        facts = {
            "claim": self.claimed,
            "test": f"{'two one-sided paired t tests' if self.claim.kind == 'equal' else 'paired t test'} over {plural(self.tested.topics, 'topic')}, level {self.claim.level:g}, intervals of {covers}",
            "doubts": ", ".join(f"{doubt.noun} ({len(doubt.views)})" for doubt in self.doubts),
        }
        for name, files in self._seeds.items():
            of_system = self.scores.values[:, self.scores.systems.index(name)]
            values = [float(np.nanmean(of_system[:, self.scores.marks["seed"].index(file)])) for file in files]
            facts[f"seeds of {name}"] = (
                f"{len(files)}, standard deviation of their means {np.std(values, ddof=1):.4f}; the mean on each topic is tested"
            )
        return {**facts, "versions": versions_fact(self.scores)}

    def _remarks(self) -> Iterable[str]:
        yield (
            "p-values, intervals and outcomes of single views are not corrected and support no claim by themselves; a view breaks the "
            "conclusion if it contradicts the claim, or does not support it and differs significantly against it, both corrected over the "
            "views of its doubt (Holm)"
        )
        if self.tested.deviation == 0 and self.tested.mean:
            yield "the same difference on every topic, so that p is the probability of equal signs"
        few = [f"{d.name} {view.name}" for d, rows in self._of_doubts for view, t, _ in rows if t.low != t.low]
        if few:
            yield f"too few topics, or too few that differ, for a test: {list_some(few)}"
        if any(doubt.name == DIFFICULTY for doubt in self.doubts):
            yield "the thirds of difficulty are by the mean of the two systems on a topic, and depend on them"
        yield from topics_lacking(self.scores)
        if self._untried:
            yield f"not all assumptions about unjudged documents were tried: {self._untried}"

    def _treatment(self) -> str:
        """Return what was done about missing values, in brackets."""
        if self.left_out:
            return f" (without {self.left_out} for which a system has no value)"
        counted = int(self.scores.missing[:, :, 0].any(axis=1).sum())
        return f" ({counted} of them with the default of the measure for a system that has no value)" if counted else ""

    def methods(self) -> str:
        """Return what was done, in sentences for the method section of a paper."""
        kinds = {"better": "better than", "no-worse": "not worse than", "equal": "equal to"}
        margin = f" with a margin of {self.claim.margin:g}" if self.claim.margin else ""
        varied = "; ".join(f"{len(doubt.views)} {doubt.noun}" for doubt in self.doubts)
        return (
            f"We tested whether {self.run} is {kinds[self.claim.kind]} {self.baseline}{margin} in {self._main.name} by {'two one-sided paired t tests' if self.claim.kind == 'equal' else 'a paired t test'} over "
            f"{self.tested.topics} topics{self._treatment()} at the level {self.claim.level:g}. We repeated it for {varied}. A view counts against the "
            "claim if it contradicts it, or does not support it and differs significantly from the main one (Holm's correction "
            "within each kind of view)."
        )


# -- the picture of a verdict: the intervals of all views, by doubt --------------------------------------------------


_VIEWS = 60
"""Of so many views each is named."""


def plot_verdict(verdict: Verdict, ax: Any = None) -> Any:
    """Draw the difference in every view with its interval, grouped by doubt, and the margin; views that break the claim are red.

    Other measures are scaled to the standard deviation of the claim's differences; those in units of their own, such as costs, have
    a panel each.
    """
    rows = verdict.frame("views")
    units, scale = zip(*verdict.scales(), strict=True)
    panels = [np.flatnonzero([one == unit for one in units]) for unit in dict.fromkeys(units)]
    doubts = rows["doubt"].to_numpy()
    names = [d if d == "claim" else f"{d}: {picture_text(v, 30)}" for d, v in zip(doubts, rows["view"], strict=True)]
    heights = [len(of) + 0.8 * len(set(doubts[of])) for of in panels]
    size = 5.0 + 0.06 * max(map(len, names)), 1.1 * len(panels) + 0.24 * sum(heights)
    axes = axes_for(grid_of_axes(len(panels), 1, size) if ax is None else ax, len(panels), size)
    if ax is None:
        grid: Any = axes[0].get_gridspec()
        grid.set_height_ratios([height + 2 for height in heights])
    for of, on in zip(panels, axes, strict=True):
        _draw_views(rows.iloc[of], np.array(scale)[of], on)
        on.set_yticklabels([names[place] for place in of], fontsize=8 if len(rows) <= _VIEWS else 5)
        unit = units[of[0]]
        differs = f"difference in {picture_text(unit or verdict.measure)}" if unit == units[0] or unit else "difference"
        on.set_xlabel(f"{differs}, {picture_text(verdict.run)} - {picture_text(verdict.baseline)}", fontsize=9)
    for margin in verdict.margins():
        if margin:
            axes[0].axvline(margin, color=GREY, linewidth=1, linestyle="--")
    axes[0].set_title(f"{picture_text(verdict.claimed, 60)}: {verdict.outcome}", fontsize=10)
    legend = "filled: the claim holds; empty: undecided;\ncross: contradicted; red: breaks the claim"
    axes[-1].set_xlabel(f"{axes[-1].get_xlabel()}\n{legend}", fontsize=9)
    return axes[0]


def _draw_views(rows: pd.DataFrame, scale: Floats, on: Any) -> None:
    """Draw the views of one unit."""
    doubts = rows["doubt"].to_numpy()
    places = np.arange(len(rows)) + np.cumsum(np.append(0, doubts[1:] != doubts[:-1])) * 0.8
    grid_behind(on, "x")
    values, low, high = (rows[name].to_numpy(dtype=float) * scale for name in ("difference", "low", "high"))
    for outcome, marker, is_filled in (("holds", "o", True), ("undecided", "o", False), ("contradicted", "x", True)):
        for breaking, colour in ((False, BLUE), (True, VERMILION)):
            some = ((rows["outcome"] == outcome) & (rows["breaks"] == breaking)).to_numpy()
            face = colour if is_filled else "white"
            on.hlines(places[some], low[some], high[some], color=colour, linewidth=1.5)
            on.plot(values[some], places[some], marker, ms=5, mfc=face, mec=colour, linestyle="none")
    on.axvline(0, color=GREY, linewidth=1)
    on.set_yticks(places)
    on.set_ylim(places[-1] + 0.7, -0.7)
    on.tick_params(axis="x", labelsize=8)
