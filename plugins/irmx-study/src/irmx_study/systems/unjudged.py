"""What documents that nobody judged could change: their share, bounds of values, residuals, and orders that could flip."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from irmx import (
    DataError,
    Join,
    Judgments,
    Measure,
    Rankings,
    Run,
    Scores,
    UsageError,
    read_qrels,
    read_run,
    score_joined,
)
from irmx.ragged import Bools, Floats, Ints
from irmx.toolkit import Evaluator, list_some, named_runs, of_each_run, plural, progress_bar
from irmx_study.showing.result import Result, versions_fact
from irmx_study.systems.pairs import baselines_of, pairs_with

# -- what documents that nobody judged could change ------------------------------------------------------------------


PERSISTENCE = 0.8
"""The persistence p of RBP by default, in ir_measures and in irmx."""

SHARES = ("unjudged_at_k", "judged_at_k", "relevant_at_k")
"""The shares of the documents at ranks up to k; unjudged and judged ones add up to 1."""

_ADDITIVE = ("P", "NumRet", "NumQ", "RBP", "INSQ", "SDCG")
_BOUNDED = ("RR", "Success", "SetP", "INST", "ERR", "NERR8", "NERR9", "NERR10", "NERR11")
"""Measures of ir_measures that add up what each relevant document is worth by its rank alone; and those whose value can only
rise with further relevant documents. Measures of plugins say so themselves, by ``UNJUDGED``."""

_GRADED = ("RBP", "INSQ", "SDCG", "INST", "ERR", "NERR8", "NERR9", "NERR10", "NERR11")
"""Those of which a document of a larger grade is worth more, unless ``rel`` makes them binary."""

_HOW = {True: "exact", False: "assumption"}
_ROUNDING = 1e-12
"""Differences that are smaller come from the rounding of sums."""

UnjudgedDocuments = dict[str, dict[str, int]]
"""The unjudged documents that a run retrieved, with their ranks, by topic."""


def unjudged(
    measures: str | ir_measures.Measure | Iterable[str | ir_measures.Measure],
    qrels: Any = None,
    runs: Any = None,
    *,
    k: int = 10,
    baseline: str | Iterable[str] | None = None,
    grade: float | str = "relevant",
    depth: int | None = None,
    progress: bool | None = None,
) -> Result:
    """Show how unjudged documents could affect results: their share, bounds of values, and orders of systems that could flip.

    Runs are read one after the other, and only those of the baselines are kept. See :doc:`/guide/unjudged`.

    Parameters
    ----------
    measures : str, Measure or iterable of them
        The measures.
    qrels, runs : any
        As for :func:`irmx.scores`.
    k : int
        How many documents from the top of a ranking the shares are of.
    baseline : str or iterable of str, optional
        The systems with which all others are compared; by default the first.
    grade : {"relevant", "largest"} or float
        The grade of a document that is assumed to be relevant: 1, the largest grade in the judgments, or this one.
    depth : int, optional
        Up to which rank of a run unjudged documents are assumed to be judged; those below stay unjudged. By default all are.
    progress : bool, optional
        Whether to show a progress bar; by default, if there are several runs and standard error is a terminal.

    Returns
    -------
    Result
        Its ``scores`` have a view per measure and assumption: as judged, and marked with ``unjudged`` 0 and the grade. Its tables:

        ``"values"``
            One row per ``measure`` and ``system``: ``unjudged_at_k``, the share of unjudged documents among the top k, averaged over
            the topics for which the system retrieved some; the mean ``value``, as judged, ``if_nonrelevant`` and ``if_relevant``;
            ``bounds``: "exact" if no grading can move the value outside this range, or "assumption" if one can, as with a recall
            base; the mean ``residual`` of RBP; and ``flips``: "yes" if the order of the system and a baseline could flip, "no"
            if not, "unknown" if other grades than these might flip it, None for a baseline that is compared with no other.
        ``"pairs"``
            One row per measure and comparison with a baseline: the systems ``a`` and ``b``; the ``difference`` of their means as
            judged, a - b; the ``smallest`` and the ``largest`` found if unjudged documents are relevant only where b, or a, ranks
            them better; ``flips``, "yes" if these have different signs, otherwise "no" if they are exact, and "unknown"; and ``extremes``: "exact" or "assumption".
        ``"per_topic"``
            One row per topic and system: unjudged_at_k, judged_at_k and relevant_at_k.

    Raises
    ------
    irmx.errors.UsageError
        For ``k`` or ``depth`` below 1, another grade, or an unknown baseline.
    irmx.errors.DataError
        If the inputs cannot be read, or a measure cannot be computed as judged.

    Examples
    --------
    >>> import irmx_study
    >>> qrels = {"q": {"a": 1, "b": 0, "c": 1}}
    >>> runs = {"one": {"q": {"x": 4.0, "a": 3.0, "b": 2.0}}, "two": {"q": {"b": 4.0, "a": 3.0, "c": 2.0}}}
    >>> result = irmx_study.unjudged("P@2 RBP(p=0.5)", qrels, runs, k=2)
    >>> result.frame()[["measure", "system", "value", "if_relevant", "residual", "flips"]]
          measure system  value  if_relevant  residual flips
    0         P@2    one  0.500        1.000       NaN  None
    1         P@2    two  0.500        0.500       NaN    no
    2  RBP(p=0.5)    one  0.250        0.750     0.625  None
    3  RBP(p=0.5)    two  0.375        0.375     0.125   yes
    """
    check_judgments("unjudged", measures, qrels, runs)
    evaluator = Evaluator(measures, qrels)
    by_name = named_runs(runs)
    systems, judgments = tuple(by_name), evaluator.judgments
    assumed = _grade(grade, judgments)
    for name, value in (("k", k), ("depth", depth)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise UsageError(f"{name} must be a rank, 1 or more. Got {value!r} instead.")
    baselines = baselines_of(systems[0] if baseline is None else baseline, systems)
    study = _Study(evaluator, systems, baselines, k, assumed, depth)
    in_order = {name: by_name[name] for name in (*baselines, *(s for s in systems if s not in baselines))}
    names = iter(in_order)
    with progress_bar("Assuming grades", len(systems), shown=progress if len(systems) > 1 else False) as advance:
        for _ in of_each_run(in_order, judgments, lambda run: study.add(next(names), run)):
            advance(1)
    return study.result()


def check_judgments(function: str, measures: Any, qrels: Any, runs: Any) -> None:
    """Raise if a function that scores runs with other judgments is called without runs, or without judgments."""
    if qrels is None or runs is None:
        given = "Scores have no judgments" if isinstance(measures, Scores) else "They are not all given"
        raise UsageError(
            f"{function} scores runs with other judgments, and needs measures, qrels and runs. {given}. Call "
            f"irmx_study.{function}(measures, qrels, runs)."
        )


def _grade(grade: float | str, judgments: Judgments) -> float:
    known = {"relevant": 1.0, "largest": max(judgments.largest_grade, 1.0)}
    assumed = known.get(grade) if isinstance(grade, str) else grade
    if assumed is None or not 0 < assumed < np.inf:
        raise UsageError(f"The grade to assume is 'relevant', 'largest' or a number above 0. Got {grade!r} instead.")
    return float(assumed)


def effects_on(measure: ir_measures.Measure, grade: float, largest_grade: float) -> tuple[bool, bool]:
    """Return what unjudged documents do to a measure.

    The first: no grades of theirs give a value outside those with all of grade 0 and all of the grade assumed. The second: each
    adds a number that depends on its rank alone, the smaller the larger the rank.

    >>> import irmx
    >>> for text in ("RBP(p=0.5)", "RR", "AP", "P(rel=2)@10"):
    ...     print(text, effects_on(irmx.parse_measure(text), grade=1, largest_grade=2))
    RBP(p=0.5) (False, False)
    RR (True, False)
    AP (False, False)
    P(rel=2)@10 (False, False)
    """
    name, params = str(getattr(measure, "NAME", measure)), getattr(measure, "params", {})
    said = getattr(measure, "UNJUDGED", "")
    additive, bounded = name in _ADDITIVE or said == "additive", name in _BOUNDED or said == "bounded"
    if not (additive or bounded) or params.get("judged_only"):  # ranks in a condensed list depend on what is judged
        return False, False
    if name == "NumRet" and "rel" not in params:  # which counts whatever is retrieved
        return True, False
    rel = params.get("rel")
    if rel is not None:
        if rel > grade:
            return False, False
    elif name in _GRADED:
        above = name == "RBP" and grade > largest_grade  # by which it divides, where a document has it
        if above or grade < min(largest_grade, params.get("max_rel") or largest_grade):
            return False, False
    in_order = params.get("ties", "trec") == "trec"  # in which ranks are counted
    whole_ranking = name == "P" and params.get("cutoff") is None
    return True, additive and in_order and not whole_ranking


def refuse_added(measure: ir_measures.Measure, views: Iterable[Join]) -> None:
    """Raise if judgments have added rows, and the measure reads of each row what such a row lacks, such as a nugget."""
    columns = measure.qrel_columns() if isinstance(measure, Measure) else ()
    needed = [column for column in columns if not column.optional and column.sample.per != ("query_id",)]
    bases = ((view.judgments, view.judgments.base) for view in views if needed)
    if any(base is not None and len(judgments.row_grade) > len(base.row_grade) for judgments, base in bases):
        raise DataError(
            f"it reads the column {needed[0].name!r} of the qrels, {needed[0].desc}, of which a document that nobody judged has no value"
        )


class AssumedValues:
    """Scores views of runs with measures; a measure that cannot use an assumed row has no value, and is named."""

    def __init__(self, measures: Sequence[ir_measures.Measure]) -> None:
        self.measures = list(measures)
        self.refusals: dict[str, str] = {}

    def of(self, views: Sequence[Join], measures: Sequence[ir_measures.Measure] | None = None) -> Floats:
        """Return the values, of shape (views, topics, measures); NaN for all topics if a measure refuses one of the views."""
        measures = self.measures if measures is None else measures
        try:
            for measure in measures:
                refuse_added(measure, views)
            scored = score_joined(views, measures)
            return np.stack([np.stack([of_measure.values for of_measure in scores], axis=1) for scores in scored])
        except DataError as error:
            if len(measures) > 1:
                return np.concatenate([self.of(views, [measure]) for measure in measures], axis=2)
            self.refusals.setdefault(str(measures[0]), str(error))
            return np.full((len(views), len(views[0].judgments.topics), 1), np.nan)


def means_of(measures: Sequence[ir_measures.Measure], values: Floats) -> Floats:
    """Return the means over topics by each measure's own aggregator, shape (systems, measures); NaN if there is no value."""
    topics, systems, _ = values.shape
    has_none = np.isnan(values).all(axis=0)
    names = (tuple(map(str, range(topics))), tuple(map(str, range(systems))))
    scores = Scores(np.where(has_none, 0.0, values), *names, tuple(measures))
    return np.where(has_none, np.nan, scores.means().to_numpy())


def residuals(measure: ir_measures.Measure, rankings: Rankings, is_unjudged: Bools) -> Floats:
    r"""Return, for every topic, how much larger RBP would be if all documents not known to be non-relevant were relevant.

    That is :math:`(1-p) \sum_r p^{r-1} + p^d`: the unjudged documents at ranks r, and all ranks below the last of the ranking, or
    below the cutoff, d (Moffat and Zobel, ACM TOIS 27(1), 2008).

    >>> import irmx
    >>> rankings = irmx.rankings({"q": {"a": 1, "b": 0}}, {"q": {"a": 4.0, "x": 3.0, "b": 2.0, "y": 1.0}})
    >>> unjudged = np.isnan(rankings.ranked.grade)
    >>> residuals(irmx.parse_measure("RBP(p=0.5)"), rankings, unjudged)  # 1/4 + 1/16, and 1/16 below rank 4
    array([0.375])
    """
    rank = rankings.ranked.rank
    p, cutoff = measure.params.get("p", PERSISTENCE), measure.params.get("cutoff")
    counts = is_unjudged if cutoff is None else is_unjudged & (rank <= cutoff)
    of_unjudged = rankings.ranked.sum(np.where(counts, (1 - p) * p ** (rank - 1.0), 0.0))
    depth = rankings.ranked.count if cutoff is None else np.minimum(rankings.ranked.count, cutoff)
    return np.asarray(of_unjudged + p ** depth.astype(float))


def _extremes(
    a: Join, b: Join, documents: tuple[UnjudgedDocuments, UnjudgedDocuments], grade: float, assumed: AssumedValues
) -> tuple[Floats, Floats]:
    """Return the smallest and the largest difference of two systems, a - b, one value per measure.

    In favour of a system, an unjudged document is relevant only if that system ranks it better than the other, or alone
    retrieved it. If what a document adds depends on its rank alone, no other grades give a larger difference.
    """
    differences = []
    for better, other in (documents[::-1], documents):
        rows = {
            topic: {doc: grade for doc, rank in ranks.items() if rank < other.get(topic, {}).get(doc, np.inf)}
            for topic, ranks in better.items()
        }
        judgments = a.judgments.with_rows(rows)
        values = assumed.of([join.with_judgments(judgments) for join in (a, b)])
        of_a, of_b = means_of(assumed.measures, values.transpose(1, 0, 2))
        differences.append(of_a - of_b)
    return differences[0], differences[1]


def _without_repeats(run: Run) -> Run:
    """Return a run whose documents are ranked once: of one that a stream has several times, the row with the largest score."""
    try:
        run.refuse_repeats()
    except DataError:
        best: dict[str, dict[str, float]] = {}
        for t, (topic, start, end) in enumerate(zip(run.topics, run.offsets, run.offsets[1:], strict=False)):
            rows = sorted(zip(run.score[start:end].tolist(), run.docs(t), strict=True), key=itemgetter(0))
            best[str(topic)] = {doc: score for score, doc in rows if doc}
        return read_run(best)
    return run


class _Study:
    """The results of the runs read so far, and the joins of baselines."""

    def __init__(
        self, evaluator: Evaluator, systems: tuple[str, ...], baselines: Sequence[str], k: int, grade: float,
        depth: int | None,
    ) -> None:  # fmt: skip
        self.evaluator, self.judgments, self.measures = evaluator, evaluator.judgments, evaluator.measures
        self.systems, self.baselines, self.k, self.grade, self.depth = systems, tuple(baselines), k, grade, depth
        self.assumed = AssumedValues(self.measures)
        shape = (len(self.judgments.topics), len(systems), len(self.measures))
        self.shares = {name: np.full(shape[:2], np.nan) for name in SHARES}
        self.values = np.full((3, *shape), np.nan)
        self.residuals = np.full(shape, np.nan)
        self.residuals[:, :, [str(m.NAME) == "RBP" for m in self.measures]] = 1.0  # of a topic that a run lacks
        self.retrieved = np.zeros(shape[:2], dtype=bool)
        first, second = pairs_with(baselines, systems)
        self.extremes: dict[tuple[int, int], tuple[Floats, Floats]] = {}
        self._pairs = list(zip(first.tolist(), second.tolist(), strict=True))
        self._joined: dict[int, tuple[Join, UnjudgedDocuments]] = {}

    def add(self, name: str, run: Run) -> None:
        """Score the views of a run, and of its pairs with the baselines that are already read."""
        s, join = self.systems.index(name), Join(run, self.judgments)
        once = Join(_without_repeats(run), self.judgments)
        rankings = Rankings(once)
        is_unjudged = ~(rankings.ranked.grade >= 0)
        places = join.in_judgments
        self.retrieved[places, s] = True
        top = rankings.ranked.rank <= self.k
        size, is_relevant = rankings.ranked.sum(top), rankings.ranked.grade >= 1
        for share, is_of in zip(SHARES, (is_unjudged, ~is_unjudged, is_relevant), strict=True):
            self.shares[share][places, s] = rankings.ranked.sum(top & is_of) / size
        for m, measure in enumerate(self.measures):
            if str(measure.NAME) == "RBP":
                self.residuals[places, s, m] = residuals(measure, rankings, is_unjudged)
        as_judged = self.evaluator.of_join(join)
        self.values[0, :, s] = np.stack([as_judged[measure].values for measure in self.measures], axis=1)
        views = [join.with_judgments(unjudged=grade, depth=self.depth) for grade in (0, self.grade)]
        self.values[1:, :, s] = self.assumed.of(views)
        self._joined[s] = join, self._documents(once, rankings, is_unjudged)
        for a, b in self._pairs:
            if s in (a, b) and a in self._joined and b in self._joined:
                (one, of_one), (other, of_other) = self._joined[a], self._joined[b]
                self.extremes[a, b] = _extremes(one, other, (of_one, of_other), self.grade, self.assumed)
        if name not in self.baselines:
            del self._joined[s]
        join.forget("rankings")
        gc.collect(1)  # rankings hold reference cycles, which would keep the memory of several runs

    def _documents(self, join: Join, rankings: Rankings, is_unjudged: Bools) -> UnjudgedDocuments:
        """Return the unjudged documents at ranks up to the depth, with their ranks, by topic."""
        considered = is_unjudged if self.depth is None else is_unjudged & (rankings.ranked.rank <= self.depth)
        rows = rankings.ranked.where(considered)
        ids, ranks, ends = join.doc_ids(rows.row), rows.rank.tolist(), rows.offsets.tolist()
        return {
            str(topic): dict(zip(ids[start:end], ranks[start:end], strict=True))
            for topic, start, end in zip(join.topics, ends[:-1], ends[1:], strict=True)
        }

    def result(self) -> Result:
        """Return the result, when all runs are read."""
        size = f"{plural(len(self.systems), 'system')}, {plural(len(self.judgments.topics), 'topic')}"
        names = [str(m) for m in self.measures]
        title = (
            f"Unjudged documents of {size}, by {list_some(names)}; k {self.k}, grade {self.grade:g}, depth {self.depth}"
        )
        topics, measures = tuple(map(str, self.judgments.topics)), tuple(self.measures)
        parts = [
            Scores.of_runs(values, self.retrieved, topics, self.systems, measures).marked(unjudged=mark)
            for values, mark in zip(self.values, ("", 0.0, self.grade), strict=True)
        ]
        tables = {"values": self.table, "pairs": self.pairs, "per_topic": self.per_topic}
        facts = {
            "unjudged at k": f"the share of the top {self.k}, averaged over topics",
            "bounds": "exact: no grading can move the value outside this range",
            "flips": f"whether grades of unjudged documents could change the order with {', '.join(self.baselines)}; unknown where other grades than those tried might",
            "relevant": f"grade {self.grade:g}{'' if self.depth is None else f', up to rank {self.depth}'}",
            "versions": versions_fact(parts[0]),
        }
        return Result(title, tables, Scores.concat(parts), None, lambda: facts, self.notes)

    def notes(self) -> list[str]:
        without, names = np.isnan(self.values[2]).all(axis=0).sum(axis=0), list(map(str, self.measures))
        refused = [
            f"{measure} has no value under assumptions for {plural(int(without[names.index(measure)]), 'system')}: {message}"
            for measure, message in self.assumed.refusals.items()
        ]
        return refused + [
            f"{measure} takes documents of the grade {self.grade:g}, which is assumed, as non-relevant; "
            "assume another, such as the largest"
            for measure in self.measures
            if measure.params.get("rel", 0) > self.grade
        ]

    def _effects(self) -> list[tuple[bool, bool]]:
        largest = max(self.judgments.largest_grade, 1.0)
        refused = self.assumed.refusals
        return [(False, False) if str(m) in refused else effects_on(m, self.grade, largest) for m in self.measures]

    def table(self) -> pd.DataFrame:
        names, systems = [str(m) for m in self.measures], self.systems
        columns = ("value", "if_nonrelevant", "if_relevant")
        means = {name: means_of(self.measures, of).T.ravel() for name, of in zip(columns, self.values, strict=True)}
        of_pairs = [((row.measure, row.a), row.flips) for row in self.pairs().itertuples()]
        flips = {key: answer for answer in ("no", "unknown", "yes") for key, of_pair in of_pairs if of_pair == answer}
        table = {
            "measure": np.repeat(names, len(systems)),
            "system": np.tile(systems, len(names)),
            "unjudged_at_k": np.tile(mean_shares(self.shares["unjudged_at_k"]), len(names)),
            **means,
            "bounds": np.repeat([_HOW[bounded] for bounded, _ in self._effects()], len(systems)),
            "residual": self.residuals.mean(axis=0).T.ravel(),
            "flips": pd.Series([flips.get((name, system)) for name in names for system in systems], dtype=object),
        }
        return pd.DataFrame(table)

    def pairs(self) -> pd.DataFrame:
        means, rows = means_of(self.measures, self.values[0]), []
        for m, (measure, (_, additive)) in enumerate(zip(map(str, self.measures), self._effects(), strict=True)):
            for a, b in self._pairs:
                difference = means[a, m] - means[b, m]
                smallest = np.minimum(self.extremes[a, b][0][m], difference)
                largest = np.maximum(self.extremes[a, b][1][m], difference)
                flips = None if np.isnan(smallest + largest) else "no" if additive else "unknown"
                if smallest < -_ROUNDING and largest > _ROUNDING:
                    flips = "yes"
                rows.append(
                    (measure, self.systems[a], self.systems[b], difference, smallest, largest, flips, _HOW[additive])
                )
        columns = ["measure", "a", "b", "difference", "smallest", "largest", "flips", "extremes"]
        return pd.DataFrame(rows, columns=columns).astype({"flips": object})

    def per_topic(self) -> pd.DataFrame:
        topics = tuple(map(str, self.judgments.topics))
        table = {"query_id": np.repeat(topics, len(self.systems)), "system": np.tile(self.systems, len(topics))}
        return pd.DataFrame(table | {name: share.ravel() for name, share in self.shares.items()})


def mean_shares(shares: Floats) -> Floats:
    """Return the means over the topics that have a share, one per system; NaN for a system that retrieved nothing."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.nansum(shares, axis=0) / (~np.isnan(shares)).sum(axis=0))


# -- the features of a collection ------------------------------------------------------------------------------------


_Feature = tuple[str, int | None, int | None, float | None, int | None]


def collection(qrels: Any, runs: Any = None, *, rel: float = 1) -> Result:
    """Describe a collection as papers do in a table of the collections they use.

    Parameters
    ----------
    qrels : any
        Anything that :func:`irmx.read_qrels` accepts.
    runs : any, optional
        As for :func:`irmx.scores`; read one after the other.
    rel : float
        The smallest relevant grade.

    Returns
    -------
    Result
        Its table has a row per ``feature``: topics, those without a relevant document, documents judged, relevant ones and those of
        each grade, runs, the documents that they retrieve, and ``judged to rank``, the rank down to which all documents of a run
        are judged. ``number`` is how many there are; ``smallest``, ``mean`` and ``largest`` are those of a topic; of retrieved
        documents, of a run and topic; and of ``judged to rank``, of a run.

    Raises
    ------
    irmx.errors.UsageError
        If ``rel`` is not a finite number.
    irmx.errors.DataError
        If the qrels or a run cannot be read.

    Examples
    --------
    >>> import irmx_study
    >>> qrels = {"p": {"a": 1, "b": 0}, "q": {"c": 2, "d": 1, "e": 0}}
    >>> runs = {"one": {"p": {"a": 2.0, "x": 1.0}, "q": {"d": 3.0, "c": 2.0, "y": 1.0}}}
    >>> irmx_study.collection(qrels, runs).frame().set_index("feature").loc["retrieved"].to_dict()
    {'number': 5, 'smallest': 2, 'mean': 2.5, 'largest': 3}
    """
    if not np.isfinite(rel):
        raise UsageError(f"The smallest relevant grade is a number. Got {rel!r} instead.")
    judgments = read_qrels(qrels)
    rows, size = list(_of_judgments(judgments, rel)), plural(len(judgments.topics), "topic")
    if runs is not None:
        by_name = named_runs(runs)
        rows += _of_runs(judgments, by_name)
        size += f", {plural(len(by_name), 'run')}"

    table = pd.DataFrame(rows, columns=["feature", "number", "smallest", "mean", "largest"], dtype=object)
    facts = {"relevant": f"grade {rel:g} or more"}
    return Result(f"Features of a collection of {size}", {"features": lambda: table}, make_facts=lambda: facts)


def _of_judgments(judgments: Judgments, rel: float) -> Iterator[_Feature]:
    def per_topic(of_kind: Bools) -> Ints:
        return np.diff(np.append(0, np.cumsum(of_kind))[judgments.offsets])

    grade = judgments.grade
    relevant = per_topic(grade >= rel)
    yield "topics", len(relevant), None, None, None
    yield "topics without relevant", int(np.count_nonzero(relevant == 0)), None, None, None
    yield _feature("judged", per_topic(grade >= 0))
    yield _feature("relevant", relevant)
    for value in np.unique(grade[grade >= 0]).tolist():
        yield _feature(f"of grade {value:g}", per_topic(grade == value))


def _of_runs(judgments: Judgments, runs: Mapping[str, Any]) -> Iterator[_Feature]:
    def read(run: Run) -> tuple[Ints, int]:
        """Return how many documents the run retrieves for every topic, and the rank down to which all are judged."""
        join = Join(run, judgments)
        ranked, counts = Rankings(join).ranked, np.zeros(len(judgments.topics), dtype=np.int64)
        counts[join.in_judgments] = ranked.count
        unjudged = ranked.rank[~(ranked.grade >= 0)]
        return counts, int(unjudged.min() - 1 if len(unjudged) else ranked.rank.max(initial=0))

    found = [of_run for _, of_run in of_each_run(runs, judgments, read)]
    counts = np.stack([of_run for of_run, _ in found])
    yield "runs", len(found), *_feature("", (counts > 0).sum(axis=0))[2:]
    yield _feature("retrieved", counts[counts > 0])
    yield "judged to rank", None, *_feature("", np.array([depth for _, depth in found]))[2:]


def _feature(name: str, counts: Ints) -> _Feature:
    if not len(counts):
        return name, 0, None, None, None
    return name, int(counts.sum()), int(counts.min()), float(counts.mean()), int(counts.max())
