"""Whether judges agree: on labels, and on systems; and pictures of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from irmx import DataError, Param, UsageError
from irmx.ragged import Ints
from irmx.toolkit import COLOURS, distinct_marker, picture_text, plural, suggest
from irmx_study.inputs.choices import Choices, choices_of, refuse_unknown, short_names
from irmx_study.inputs.judge_labels import Judge, notes_on_labels, read_judges, side_by_side
from irmx_study.judging.systems import COLUMNS, JudgedSystems, calibrated, calibrated_for_reading, check_human
from irmx_study.showing.result import Result, Titled, for_reading, interval, listing, topics_lacking, versions_fact
from irmx_study.statistics.labels import COEFFICIENTS, GradeCounts, alpha, mean_over_topics, percentiles
from irmx_study.systems.pictures import (
    BLUE,
    GREY,
    VERMILION,
    axes_of,
    colour_on,
    grid_behind,
    legend_beside,
    panels_for,
    width_beside,
)

METRICS = ("nominal", "ordinal", "interval")

_PARAMS = {
    "resamples": Param(int, "number of resamples of the topics", low=100, high=10**6),
    "top": Param(int, "number of the best systems", low=2, high=10**6),
    "disagreements": Param(int, "number of documents to list", low=1, high=10**9),
}

_SHOWN = {
    "agreement": "equal",
    "kappa_binary": "binary",
    "kappa_quadratic": "quadratic",
    "alpha_ordinal": "alpha",
    "ac2": "AC2",
}
"""The coefficients that a terminal shows for several judges, and their short names."""

_LEGENDS = (
    "share of equal grades, binary and quadratic kappa, ordinal alpha, AC2",
    "share of equal grades, kappa, alpha, AC2",
)
"""What the short names are; of two grades, where equal coefficients are shown once."""

_TEXT = 60
"""A terminal shows so many characters of a text."""


def judges(
    qrels: Any,
    *,
    runs: Any = None,
    measures: Any = None,
    rel: float | Mapping[str, float] = 1,
    grades: Mapping[str, Any] | None = None,
    disagreements: int = 10,
    texts: Mapping[str, str] | None = None,
    queries: Mapping[str, str] | None = None,
    groups: Any = None,
    top: int = 10,
    calibrate: str | None = None,
    baseline: str | None = None,
    resamples: int = 1000,
    choices: Choices | None = None,
    **choose: Any,
) -> Judges:
    r"""Compare judges, people or machines: by the grades that they give to the same documents, and how they rank systems.

    .. math:: \kappa = \frac{p_o - p_e}{1 - p_e}, \qquad \alpha = 1 - \frac{D_o}{D_e}, \qquad
        AC_1 = \frac{p_o - p_\gamma}{1 - p_\gamma}, \quad p_\gamma = \sum_k \frac{\pi_k (1 - \pi_k)}{K - 1}

    Only documents that both judges judged count; an unjudged document is never taken for grade 0.

    Parameters
    ----------
    qrels : mapping of str to qrels, or sequence of paths
        The judges by name, each anything that :func:`irmx.read_qrels` accepts; judges from files have the names of the files.
        A document that one of them has several times was judged in several passes, of which the first counts beside others.
    runs, measures : any, optional
        Runs and measures, as for :func:`irmx.scores`, for the agreement on systems: at least three.
    rel : float or mapping of str to float
        The grade from which on a document is relevant, for all judges or by name; also for measures with a parameter ``rel``
        that is not given.
    grades : mapping of str to mapping, optional
        What each grade stands for, a number or a text: of all judges, such as ``{"FULL": 2, "PARTIAL": 1, "NONE": 0}``, or by judge,
        ``{"umbrela": {0: 0, 1: 0, 2: 2, 3: 3}}``.
    disagreements : int
        How many documents the table ``"disagreements"`` has.
    texts, queries : mapping of str to str, optional
        The texts of documents and topics, for the same table.
    groups : mapping of str to str, or table, optional
        The group of every run, for which runs a judge favours: by name, or a table with the columns run and group.
    top : int
        How many of the best systems by the first judge ``tau_top`` is of, at least 2.
    calibrate : str, optional
        The judge under whom means are estimated, from its labels on some topics, a random sample, and those of each other
        judge on more: prediction-powered inference.
    baseline : str, optional
        The run of the differences that are estimated, too; by default the best by that judge.
    resamples : int
        The number of resamples of the topics for intervals, from 100 to a million.
    choices : Choices, optional
        The test of pairs of systems, by default t, its correction, by default Holm's over all pairs of a judge and measure, the
        level, also of intervals, and the seed; or give them one by one, such as ``seed=1``.
    **choose
        The parameters of :class:`Choices`.

    Returns
    -------
    Judges
        The result; see :class:`Judges`. Intervals are computed when they are asked for.

    Raises
    ------
    irmx.errors.UsageError
        For an illegal parameter, or an unknown name of a judge.
    irmx.errors.DataError
        If qrels cannot be read, have subtopics, or no two judges judged the same document.

    Notes
    -----
    The weights of kappa and AC2 are those of the distance of two grades in the range of grades that one of the judges uses:
    1 - \|i - j\| / (K - 1) for grades 0 to K - 1, or the square. AC2 has quadratic weights. Fractional grades have neither
    kappa, AC1 nor AC2. A coefficient is undefined, NaN, where both judges give one grade only.

    References
    ----------
    .. [1] J. Cohen. Weighted kappa. Psychological Bulletin 70 (4), 1968.
    .. [2] K. Krippendorff. Content Analysis. Sage, 2004, chapter 11.
    .. [3] K. L. Gwet. Computing inter-rater reliability and its variance in the presence of high agreement. British Journal of
       Mathematical and Statistical Psychology 61 (1), 2008.
    .. [4] A. N. Angelopoulos, J. C. Duchi, T. Zrnic. PPI++: efficient prediction-powered inference. arXiv:2311.01453, 2023.
    .. [5] A. Moffat, F. Scholer, P. Thomas. Models and metrics: IR evaluation as a user process. ADCS 2012.

    Examples
    --------
    >>> import irmx_study
    >>> human = {"q": {"a": 2, "b": 0, "c": 1, "d": 0}, "r": {"e": 1, "f": 0}}
    >>> machine = {"q": {"a": 2, "b": 1, "c": 1, "d": 0}, "r": {"e": 1, "g": 0}}
    >>> agreement = irmx_study.judges({"human": human, "machine": machine})
    >>> agreement.frame()[["pairs", "only_a", "only_b", "agreement", "kappa", "alpha_ordinal"]].round(3)
       pairs  only_a  only_b  agreement  kappa  alpha_ordinal
    0      5       1       1        0.8  0.688          0.794
    """
    for name, value in (("resamples", resamples), ("disagreements", disagreements), ("top", top)):
        _PARAMS[name].check(value, name, "judges")
    chosen = choices_of(choices, choose)
    if (runs is None) != (measures is None):
        raise UsageError(
            f"Runs and measures belong together; the {'runs' if runs is None else 'measures'} are missing. Leave both out for labels alone."
        )
    for name, given in (("groups", groups), ("calibrate", calibrate), ("baseline", baseline)):
        if given is not None and runs is None:
            raise UsageError(f"{name} is about runs. Give runs and measures, too.")
    if baseline is not None and calibrate is None:
        raise UsageError("A baseline belongs to calibrate, the name of a judge. Give both, or none.")
    read = read_judges(qrels, rel, grades)
    of_systems = None
    if runs is not None:
        if len(read) < 2:
            raise UsageError(f"The agreement on systems needs two judges. There is one: {read[0].name}.")
        if calibrate is not None:
            check_human(calibrate, tuple(judge.name for judge in read))
        alone = calibrate is not None
        of_systems = JudgedSystems.of(read, runs, measures, chosen, top, groups, resamples, alone)
    return Judges(read, disagreements, texts, queries, resamples, chosen, of_systems, calibrate, baseline)


class Judges(Result):
    """The result of :func:`irmx_study.judges`: how far judges agree.

    Its tables, for :meth:`frame`, have one row per pair of judges, of which the first was given first:

    ``"pairs"``
        The number of ``pairs`` of a topic and a document that both judged, and that only one of them judged, ``only_a`` and
        ``only_b``; over all topics together the share of equal grades, ``agreement``, Cohen's ``kappa``, with linear and quadratic
        weights, and of relevant or not, ``kappa_binary``; Krippendorff's alpha with the metrics nominal, ordinal and interval;
        Gwet's ``ac1`` and, with quadratic weights, ``ac2``; and the mean grades ``mean_a`` and ``mean_b`` on the pairs in common.
    ``"intervals"``
        One row per coefficient: ``pooled`` over all topics with its interval from ``low`` to ``high``, and the mean of the topics,
        ``of_topics``, with ``topics_low`` and ``topics_high``, over the number of ``topics`` that have a value.
    ``"topics"``
        The main table by topic.
    ``"confusion"``
        One row per grade of both: how many documents have these grades.
    ``"judges"``
        One row per judge: its ``topics``, judged ``documents``, ``passes``, the grade ``rel`` from which on they are relevant, the
        ``mean`` grade and the share that is ``relevant``, of all documents that it judged.
    ``"repeats"``
        If a judge judged several times, the coefficients of two passes, ``pass_a`` and ``pass_b``, over all topics together.
    ``"together"``
        Of more than two judges, Krippendorff's alpha of all together, over the ``documents`` that two or more judged.
    ``"disagreements"``
        One row per document, by the largest ``difference`` of two grades: the grades of all judges, and the texts.

    With runs, the main table has one row per measure and pair of judges, with the ``measure``, the number of ``runs``, and

    * of the two leaderboards Kendall's ``tau``-b, ``tau_ap`` with the first judge's as the reference, rank-biased overlap ``rbo``,
      ``tau_top`` among the best systems by the first judge, and by how many ranks one falls at most, ``max_drop``;
    * how many pairs of systems are significant by both judges (active), by one (mixed) or by none (passive), with the same
      system ahead (agreement) or not (disagreement).

    ``"systems"``
        The same without labels, and: the number of ``topics`` that both judged; the shares of active agreement of the pairs that
        are significant by the first judge, ``recall``, and by the second, ``precision``; by how much the second is more generous to
        all, ``offset``; and of the two-way decomposition of means into systems, judges and the rest, the standard deviations
        ``systems_sd`` and ``rest_sd``: a judge that is generous only has no rest.
    ``"runs"``
        One row per run: its means and ranks by both, and by how many ranks the second has ``lifted`` it.
    ``"groups"``
        With groups, one row per group: the mean over its runs of what the second judge gives more than the first, less the same of
        the other runs: ``value_favour`` with its interval, and ``ranks_favour``.
    ``"calibrated"``
        With ``calibrate``, one row per measure, other judge and run, and per difference to the ``baseline``: on how many ``topics``
        both judged, and how many ``further`` ones the machine alone; ``mean_human`` by the human labels alone with its interval;
        the ``weight`` of the machine, lambda, the estimated ``mean`` with its interval from ``low`` to ``high``; how many topics with
        human labels this is worth, ``topics_gained``; and how many the t test would need to find such a difference with a
        probability of .8 from human labels alone, ``needed``.

    Attributes
    ----------
    names : tuple of str
        The judges.
    labels : DataFrame
        One row per document that somebody judged, one column per judge; NaN for an unjudged one.
    """

    NEEDS = dict.fromkeys(("systems", "runs", "leaderboards", "kappa"), "runs and measures") | {
        "groups": "runs, measures and groups",
        "calibrated": "runs, measures and the judge to calibrate with",
        "repeats": "a document that a judge judged twice",
        "together": "three judges",
    }

    def __init__(
        self, judges: list[Judge], disagreements: int, texts: Mapping[str, str] | None, queries: Mapping[str, str] | None,
        resamples: int, choices: Choices, of_systems: JudgedSystems | None,
        calibrate: str | None = None, baseline: str | None = None,
    ) -> None:  # fmt: skip
        self.judges, self.names, self.labels = judges, tuple(judge.name for judge in judges), side_by_side(judges)
        self.most, self.texts, self.queries = disagreements, texts, queries
        self.resamples, self.seed, self.level = resamples, choices.seed, choices.level
        self.of_systems, self._counts = of_systems, dict[tuple[int, int], GradeCounts]()
        repeated = [judge for judge in judges if len(judge.passes.columns) > 1]
        if len(judges) < 2 and not repeated:
            raise UsageError(f"Agreement needs two judges, or one that judged twice. There is one: {self.names[0]}.")
        self.pairs = list(combinations(range(len(judges)), 2))
        if self.pairs and (self.labels.notna().sum(axis=1) < 2).all():
            raise DataError(
                f"No two of the judges judged the same document: {listing(self.names)}. Are the topics and ids the same?"
            )
        tables: dict[str, Any] = {}
        if self.pairs:
            tables = {
                "pairs": self._of_pairs,
                "intervals": lambda: pd.DataFrame([row for a, b in self.pairs for row in self.intervals(a, b)]),
                "topics": self._topics,
                "confusion": self._confusion,
                "judges": self._judges,
                "disagreements": self._disagreements,
            }
        if repeated:
            tables["repeats"] = self._repeats
        tables.setdefault("judges", self._judges)
        if len(judges) > 2:
            tables["together"] = self._together
        layouts = {
            "pairs": self._for_reading, "intervals": self._intervals_for_reading, "confusion": self._confusion_for_reading,
            "disagreements": self._disagreements_for_reading,
        }  # fmt: skip
        pictures = {"confusion": "judging.judges:plot_confusion"} if self.pairs else {}
        if of_systems is not None:
            tables |= {
                "systems": lambda: of_systems.systems(self.pairs),
                "runs": lambda: of_systems.runs(self.pairs),
            }
            if of_systems.groups is not None:
                tables["groups"] = lambda: of_systems.favours(self.pairs)
            if calibrate is not None:
                tables["calibrated"] = lambda: calibrated(of_systems, calibrate, baseline)
            layouts["systems"] = lambda places: of_systems.tables_for_reading(self.frame("systems"), places)
            layouts["calibrated"] = lambda places: calibrated_for_reading(self.frame("calibrated"), places, self.level)
            layouts["groups"] = lambda places: of_systems.groups_for_reading(self.frame("groups"), places)
            pictures |= {
                "leaderboards": "judging.judges:plot_leaderboards",
                "kappa": "judging.judges:plot_kappa_and_tau",
            }
        scores = None if of_systems is None else of_systems.scores
        title = f"Agreement of {plural(len(judges), 'judge')}: {listing(self.names)}"
        super().__init__(title, tables, scores, choices, self._facts, lambda: list(self._notes()), pictures, layouts)

    # -- labels ------------------------------------------------------------------------------------------

    @cached_property
    def _topic(self) -> tuple[Ints, list[str]]:
        """The topic of every document, and the topics."""
        place, topics = pd.factorize(self.labels.index.get_level_values(0))
        return place, list(topics)

    def counts(self, a: int, b: int) -> GradeCounts:
        """Return how often two judges give which grades, by topic."""
        if (a, b) not in self._counts:
            labels, (place, topics) = self.labels.to_numpy(), self._topic
            both = ~np.isnan(labels[:, [a, b]]).any(axis=1)
            grades = np.unique([*self.judges[a].grades, *self.judges[b].grades])
            rel = self.judges[a].rel, self.judges[b].rel
            counts = GradeCounts.of(labels[both, a], labels[both, b], place[both], len(topics), grades, rel)
            self._counts[a, b] = counts
        return self._counts[a, b]

    def _only(self, a: int, b: int) -> Ints:
        """Return by topic how many documents a judged and b did not."""
        judged = self.labels.notna().to_numpy()
        place, topics = self._topic
        return np.bincount(place[judged[:, a] & ~judged[:, b]], minlength=len(topics))

    @cached_property
    def _of_labels(self) -> pd.DataFrame:
        rows = []
        for a, b in self.pairs:
            counts = self.counts(a, b).pooled()
            numbers = {"pairs": int(counts.counts.sum()), "only_a": int(self._only(a, b).sum())}
            numbers["only_b"] = int(self._only(b, a).sum())
            rows.append({**self._named(a, b), **numbers, **_numbers_of(counts)})
        return pd.DataFrame(rows)

    def _of_pairs(self) -> pd.DataFrame:
        labels = self._of_labels
        if self.of_systems is None:
            return labels
        return labels.merge(self.frame("systems")[["judge_a", "judge_b", *COLUMNS]], on=["judge_a", "judge_b"])

    def _named(self, a: int, b: int) -> dict[str, Any]:
        return {"judge_a": self.names[a], "judge_b": self.names[b]}

    def _topics(self) -> pd.DataFrame:
        tables = []
        topics = self._topic[1]
        for a, b in self.pairs:
            counts = self.counts(a, b)
            numbers = {
                "pairs": counts.counts.sum(axis=1).astype(int),
                "only_a": self._only(a, b),
                "only_b": self._only(b, a),
            }
            mean_a, mean_b = counts.means()
            columns = {**self._named(a, b), "query_id": topics, **numbers, **counts.coefficients()}
            tables.append(pd.DataFrame({**columns, "mean_a": mean_a, "mean_b": mean_b}))
        table = pd.concat(tables, ignore_index=True)
        return table[table[["pairs", "only_a", "only_b"]].any(axis=1)].reset_index(drop=True)

    def intervals(self, a: int, b: int) -> list[dict[str, Any]]:
        """Return the coefficients of two judges with their intervals, pooled and as the mean of topics."""
        counts = self.counts(a, b)
        by_topic, pooled = counts.coefficients(), counts.pooled().coefficients()
        of_resamples, drawn = counts.resampled(self.resamples, self.seed)
        rows = []
        for name in COEFFICIENTS:
            row = self._named(a, b) | {"coefficient": name, "pooled": float(pooled[name])}
            row["low"], row["high"] = percentiles(of_resamples[name], self.level)
            of_topics = mean_over_topics(by_topic[name], drawn, self.level)
            row["of_topics"], row["topics_low"], row["topics_high"], row["topics"] = of_topics
            rows.append(row)
        return rows

    def _confusion(self) -> pd.DataFrame:
        tables = []
        for a, b in self.pairs:
            counts = self.counts(a, b)
            grades, matrix = counts.grades, counts.matrix()
            i, j = (places.ravel() for places in np.indices(matrix.shape))
            cells = {"grade_a": grades[i], "grade_b": grades[j], "documents": matrix.ravel().astype(int)}
            tables.append(pd.DataFrame({**self._named(a, b), **cells}))
        return pd.concat(tables, ignore_index=True)

    def _judges(self) -> pd.DataFrame:
        rows = []
        for judge in self.judges:
            first = judge.passes[0].dropna()
            topics = first.index.get_level_values(0).nunique()
            numbers = {"topics": topics, "documents": len(first), "passes": len(judge.passes.columns)}
            bias = {"rel": judge.rel, "mean": float(first.mean()), "relevant": float((first >= judge.rel).mean())}
            rows.append({"judge": judge.name, **numbers, **bias})
        return pd.DataFrame(rows)

    def _repeats(self) -> pd.DataFrame:
        rows = []
        for judge in self.judges:
            passes = judge.passes.to_numpy()
            grades = np.unique(passes[~np.isnan(passes)])
            for a, b in combinations(range(passes.shape[1]), 2):
                both = passes[~np.isnan(passes[:, [a, b]]).any(axis=1)][:, [a, b]]
                one_topic = np.zeros(len(both), dtype=int)
                counts = GradeCounts.of(both[:, 0], both[:, 1], one_topic, 1, grades, (judge.rel, judge.rel)).pooled()
                named = {"judge": judge.name, "pass_a": a + 1, "pass_b": b + 1, "pairs": len(both)}
                rows.append({**named, **_numbers_of(counts)})
        return pd.DataFrame(rows)

    def _together(self) -> pd.DataFrame:
        labels = self.labels.to_numpy()
        alphas = {f"alpha_{metric}": alpha(labels, metric) for metric in METRICS}
        documents = int(((~np.isnan(labels)).sum(axis=1) > 1).sum())
        return pd.DataFrame([{"judges": len(self.judges), "documents": documents, **alphas}])

    def _disagreements(self) -> pd.DataFrame:
        labels = self.labels[self.labels.notna().sum(axis=1) > 1]
        difference = (labels.max(axis=1) - labels.min(axis=1)).to_numpy()
        most = np.argsort(-difference, kind="stable")[: self.most]
        table = labels.iloc[most].reset_index(names=["query_id", "doc_id"])
        table = pd.concat(
            [table.iloc[:, :2], pd.Series(difference[most], name="difference"), table.iloc[:, 2:]], axis=1
        )
        for column, key, of in (("query", "query_id", self.queries), ("text", "doc_id", self.texts)):
            if of is not None:
                table[column] = [of.get(one, "") for one in table[key]]
        return table

    # -- what a reader must know -------------------------------------------------------------------------

    def _facts(self) -> dict[str, str]:
        rels = {judge.name: f"{judge.rel:g}" for judge in self.judges}
        alike = set(rels.values())
        rel = alike.pop() if len(alike) == 1 else ", ".join(f"{name} {rel}" for name, rel in rels.items())
        share = f"{100 * (1 - self.level):g}% of {self.resamples:,} resamples of topics, seed {self.seed}"
        facts = {"relevant": f"from grade {rel}"}
        if self._is_binary:
            each_once = "make the kappas equal, the alphas equal, and AC1 and AC2; tables for reading show each once"
            facts["two grades"] = each_once
        if self.of_systems is not None:
            tested = self.of_systems.choices
            facts["top, drop"] = (
                f"tau of the best {self.of_systems.top} runs by the first judge; by how many ranks a run falls at most"
            )
            facts["SD, rest"] = "standard deviations over runs of their means, and of what is neither run nor judge"
            if "calibrated" in self.tables:
                facts["gained"] = (
                    "how many further topics with human labels would give an interval with the same variance"
                )
                facts["needed"] = "topics on which people's labels would show the difference with a probability of .8"
            facts["significant"] = (
                f"at level {tested.level:g}, test {tested.test}, correction {tested.correction} over all pairs of runs"
            )
        pooled = "over the documents of all topics together; by topic: the mean of topics"
        return facts | {"pooled": pooled, "intervals": share, "versions": versions_fact(self.scores)}

    def _notes(self) -> Iterator[str]:
        yield from notes_on_labels(self.judges)
        if not self.pairs:
            return
        table = self._of_labels
        apart = table[table["pairs"] == 0]
        if len(apart):
            yield f"no document in common: {_names_of(apart)}"
        constant = table[(table["pairs"] > 0) & table["alpha_nominal"].isna()]
        if len(constant):
            yield f"agreement beyond chance is undefined, because both give the same single grade: {_names_of(constant)}"
        if self.of_systems is not None:
            yield from topics_lacking(self.of_systems.scores)
            systems = self.frame("systems")
            for share, judge in (("recall", "judge_a"), ("precision", "judge_b")):
                without = systems[systems[share].isna() & (systems["topics"] > 0)]
                if len(without):
                    of = [
                        f"{name} by {measure}" for name, measure in zip(without[judge], without["measure"], strict=True)
                    ]
                    yield f"no {share}, because no pair of runs is significant: {listing(list(dict.fromkeys(of)))}"
            if "calibrated" in self.tables:
                yield "calibration takes the topics with human labels for a random sample of all"
            if len({frozenset(judge.judgments.topics) for judge in self.judges}) > 1:
                yield "judges do not all judge the same topics: two of them are compared on those that both judged"

    # -- for reading -------------------------------------------------------------------------------------

    def _for_reading(self, places: int) -> list[Titled]:
        tables: list[Titled] = [("\n".join([*self._opening(), ""]), None)] if self.pairs else []
        tables += self._one_pair(places) if len(self.pairs) == 1 else self._with_first(places)
        rows = [{**row, "rel": f"{row['rel']:g}"} for row in for_reading(self.frame("judges"), places)]
        tables.append(("all documents of a judge: the mean grade, and the share that is relevant", rows))
        if "repeats" in self.tables:
            table = self.frame("repeats")
            shown = table[["judge", "pass_a", "pass_b", "pairs", *self._once(_SHOWN, table)]].rename(columns=_SHOWN)
            tables.append((f"a judge and itself: {_LEGENDS[self._is_binary]}", for_reading(shown, places)))
        if self.of_systems is not None:
            tables += self.of_systems.tables_for_reading(self.frame("systems"), places)
            tables.append((self.of_systems.sentences(), None))
            if self.of_systems.groups is not None:
                tables += self.of_systems.groups_for_reading(self.frame("groups"), places)
            if "calibrated" in self.tables:
                tables += calibrated_for_reading(self.frame("calibrated"), places, self.level)
        return tables

    def _opening(self) -> Iterator[str]:
        """Yield in sentences who agrees with the first judge how well, on labels and on runs, and who favours whom."""
        first, table = self.names[0], self._of_labels
        of = table[(table["judge_a"] == first) & (table["pairs"] > 0)]
        known = of.dropna(subset=["kappa_binary"]).sort_values("kappa_binary", ascending=False, kind="stable")
        if len(of) == 1:
            [row] = of.to_dict("records")
            kappa = f" (kappa of relevance {row['kappa_binary']:.2f})" if len(known) else ""
            same = f"{100 * row['agreement']:.0f}% of {plural(row['pairs'], 'document')}"
            yield f"{row['judge_b']} agrees with {first} on {same}{kappa}."
            yield f"The mean grade of {row['judge_b']} is {row['mean_b']:.2f}, of {first} {row['mean_a']:.2f}."
        elif len(known):
            agree = _from_best_to_least(known["judge_b"].tolist(), known["kappa_binary"].tolist())
            yield f"With {first} on which documents are relevant (kappa): {agree}."
        if self.of_systems is None:
            return
        ranked, measure = self.frame("systems"), self.of_systems.measures[0]
        ranked = ranked[(ranked["judge_a"] == first) & (ranked["measure"] == measure)].dropna(subset=["tau"])
        if len(ranked):
            runs = plural(len(self.of_systems.scores.systems), "run")
            ranked = ranked.sort_values("tau", ascending=False, kind="stable")
            alike = _from_best_to_least(ranked["judge_b"].tolist(), ranked["tau"].tolist())
            yield f"With {first} on the order of the {runs} by {measure} (tau): {alike}."
        if self.of_systems.groups is not None:
            groups = self.frame("groups")
            favoured = groups[(groups["judge_a"] == first) & (groups["value_low"] > 0)]
            parts = [
                f"{r['judge_b']} favours {r['group']} by {r['measure']} ({r['value_favour']:+.4f})"
                for r in favoured.to_dict("records")
            ]
            yield f"{listing(parts)}." if parts else "No judge is shown to favour a group of runs."

    @cached_property
    def _is_binary(self) -> bool:
        return len({grade for judge in self.judges for grade in judge.grades}) == 2

    def _once(self, names: Iterable[str], table: pd.DataFrame) -> list[str]:
        """Return the names of coefficients; of two grades, without those that equal another one of their kind."""
        kept: list[str] = []
        for name in names:
            alike = [one for one in kept if self._is_binary and one[:2] == name[:2]]
            if not any(np.allclose(table[one], table[name], equal_nan=True) for one in alike):
                kept.append(name)
        return kept

    def _one_pair(self, places: int) -> list[Titled]:
        [row] = self._of_labels.to_dict("records")
        title = f"{plural(row['pairs'], 'document')} judged by {row['judge_a']} and {row['judge_b']}"
        title += f"; {row['only_a']:,} by the first alone, {row['only_b']:,} by the second"
        rows = self._interval_rows(self.frame("intervals"), places)
        return [(title, rows), *self._confusion_for_reading(places)]

    def _interval_rows(self, frame: pd.DataFrame, places: int) -> list[dict[str, Any]]:
        coverage = f"{100 * (1 - self.level):g}%"
        shown = self._once(COEFFICIENTS, self._of_labels)
        return [
            {
                "": COEFFICIENTS[row["coefficient"]],
                "pooled": _number(row["pooled"]),
                coverage: interval(row["low"], row["high"], places),
                "by topic": _number(row["of_topics"]),
                f"{coverage} ": interval(row["topics_low"], row["topics_high"], places),
                "topics": row["topics"],
            }
            for row in frame.to_dict("records")
            if row["coefficient"] in shown and (row["topics"] or row["pooled"] == row["pooled"])
        ]

    def _intervals_for_reading(self, places: int) -> list[Titled]:
        by_pair = self.frame("intervals").groupby(["judge_a", "judge_b"], sort=False)
        return [(f"{a} and {b}", self._interval_rows(of_pair, places)) for (a, b), of_pair in by_pair]

    def _with_first(self, places: int) -> list[Titled]:
        frame = self._of_labels
        frame = frame[frame["judge_a"] == self.names[0]]
        names = self._once(_SHOWN, frame)
        short = {"judge_b": "judge", **_SHOWN, **({"kappa_binary": "kappa"} if self._is_binary else {})}
        rows = for_reading(frame[["judge_b", "pairs", *names]].rename(columns=short), places)
        title = f"with {self.names[0]}, over all topics: {_LEGENDS[self._is_binary]}"
        [together] = self.frame("together").to_dict("records")
        alphas = ", ".join(f"{metric} {together[f'alpha_{metric}']:.{max(places, 4)}f}" for metric in METRICS)
        return [(title, rows), (f"alpha of all {together['judges']} judges: {alphas}\n", None)]

    def _confusion_for_reading(self, places: int) -> list[Titled]:
        tables: list[Titled] = []
        for a, b in self.pairs:
            counts = self.counts(a, b)
            if len(counts.grades) > 12:
                text = f"{self.names[a]} and {self.names[b]}: {len(counts.grades)} grades (-o csv has all)\n"
                tables.append((text, None))
                continue
            heads = [f"{grade:g}" for grade in counts.grades]
            matrix = zip(heads, counts.matrix().astype(int).tolist(), strict=True)
            rows = [{self.names[a]: head, **dict(zip(heads, row, strict=True))} for head, row in matrix]
            tables.append((f"grades of {self.names[a]} (rows) and {self.names[b]} (columns)", rows))
        return tables

    def _disagreements_for_reading(self, places: int) -> list[Titled]:
        rows = for_reading(self.frame("disagreements"), places)
        return [("", [{name: _short(name, value) for name, value in row.items()} for row in rows])]


def _numbers_of(counts: GradeCounts) -> dict[str, float]:
    """Return the coefficients and the mean grades of counts over all topics."""
    mean_a, mean_b = counts.means()
    numbers = counts.coefficients() | {"mean_a": mean_a, "mean_b": mean_b}
    return {name: float(number) for name, number in numbers.items()}


def _from_best_to_least(names: Sequence[str], numbers: Sequence[float]) -> str:
    """Return who agrees best and least, from the best on.

    >>> _from_best_to_least(["a", "b", "c"], [0.7, 0.6, 0.2]), _from_best_to_least(["a", "b"], [1, 1])
    ('a agrees best, 0.70, and c least, 0.20', 'a, b agree alike, 1.00')
    """
    if len(names) == 1:
        return f"{names[0]} agrees by {numbers[0]:.2f}"
    if f"{numbers[0]:.2f}" == f"{numbers[-1]:.2f}":
        return f"{listing(names)} agree alike, {numbers[0]:.2f}"
    return f"{names[0]} agrees best, {numbers[0]:.2f}, and {names[-1]} least, {numbers[-1]:.2f}"


def _names_of(pairs: pd.DataFrame) -> str:
    return listing([f"{a} and {b}" for a, b in zip(pairs["judge_a"], pairs["judge_b"], strict=True)])


def _number(value: float) -> float | None:
    return None if np.isnan(value) else value


def _short(name: str, value: Any) -> Any:
    """Return a cell for reading: a grade without useless digits, and of a text the beginning."""
    if isinstance(value, float):
        return f"{value:g}"
    return f"{value[: _TEXT - 3]}..." if name in ("query", "text") and len(value) > _TEXT else value


# -- pictures: grades side by side, leaderboards under two judges, agreement on labels against that on systems --------


_GRADES, _PANELS, _ACROSS = 12, 12, 3
"""Judges with more grades have no confusion matrix to look at; so many panels are drawn."""

_MOVED = 3
"""How many of the runs that move most, up and down, are coloured."""


def plot_confusion(result: Judges, ax: Any = None, judge: str | None = None) -> Any:
    """Draw how often grades meet: one panel per judge beside the first, coloured by the share of the first judge's grade.

    Parameters
    ----------
    result : Judges
        The result.
    ax : Axes or sequence of Axes, optional
        Where to draw.
    judge : str, optional
        The only judge to draw beside the first.
    """
    others = _others(result, judge)
    few = [b for b in others if len(result.counts(0, b).grades) <= _GRADES]
    if not few:
        raise UsageError(
            f"The judges give more than {_GRADES} different grades, too many for a picture. Map them to fewer."
        )
    chosen = few[:_PANELS]
    across = min(len(chosen), _ACROSS)
    axes = panels_for(ax, len(chosen), across, (2.9 * across, 2.9))
    _say_who_is_not_drawn(axes[0], result, [b for b in others if b not in chosen])
    for on, b in zip(axes, chosen, strict=True):
        counts = result.counts(0, b)
        of_first, of_other = (np.isin(counts.grades, result.judges[place].grades) for place in (0, b))
        matrix = counts.matrix()[np.ix_(of_first, of_other)]
        share = np.divide(matrix, matrix.sum(axis=1, keepdims=True), out=np.zeros(matrix.shape), where=matrix > 0)
        image = on.imshow(share, cmap="cividis", vmin=0, vmax=1)
        for (i, j), number in np.ndenumerate(matrix):
            colour = colour_on(image, share[i, j])
            on.text(j, i, f"{number:,.0f}", ha="center", va="center", fontsize=8, color=colour)
        for axis, used in ((on.xaxis, of_other), (on.yaxis, of_first)):
            axis.set_ticks(range(int(used.sum())), [f"{grade:g}" for grade in counts.grades[used]], fontsize="small")
        on.set_xlabel(picture_text(result.names[b], 30), fontsize="small")
        on.set_ylabel(picture_text(result.names[0], 30), fontsize="small")
        on.spines[:].set_visible(False)
    return axes[0]


def plot_leaderboards(result: Judges, ax: Any = None, judge: str | None = None, measure: str | None = None) -> Any:
    """Draw the ranks of the runs under the first judge and another one, the best on top: a line per run, a panel per judge.

    Parameters
    ----------
    result : Judges
        The result, with runs.
    ax : Axes, optional
        Where to draw.
    judge : str, optional
        The only judge to draw beside the first.
    measure : str, optional
        The measure; by default the first.
    """
    frame = result.frame("runs")
    measure = _measure_of(frame, measure)
    frame = frame[(frame["measure"] == measure) & (frame["judge_a"] == result.names[0])]
    others = _others(result, judge)
    ranked = [b for b in others if (frame["judge_b"] == result.names[b]).any()]
    if not ranked:
        raise UsageError(f"No judge ranks the runs on topics of {result.names[0]}.")
    chosen = ranked[:_PANELS]
    names = short_names(list(dict.fromkeys(frame["system"])))
    across, longest = min(len(chosen), _ACROSS), max(map(len, names.values()))
    height = 1.0 + len(names) * (0.13 if len(names) > 40 else 0.24)
    axes = panels_for(ax, len(chosen), across, ((3.4 + 0.12 * longest) * across, height))
    for on, b in zip(axes, chosen, strict=True):
        _draw_leaderboards(result, frame[frame["judge_b"] == result.names[b]], names, measure, b, on)
    _say_who_is_not_drawn(axes[0], result, [b for b in others if b not in chosen])
    return axes[0]


def _draw_leaderboards(
    result: Judges, of: pd.DataFrame, names: Mapping[str, str], measure: str, b: int, on: Any
) -> None:
    """Draw the ranks under the first judge and another one."""
    crowded = len(of) > 40
    # runs with the same rank stand one below the other
    left, right = (of[side].rank(method="first").to_numpy() for side in ("rank_a", "rank_b"))
    lifted, colours = of["lifted"].to_numpy(), np.full(len(of), GREY, dtype=object)
    order = np.argsort(lifted, kind="stable")
    for at, sign, colour in ((order[-_MOVED:], 1, BLUE), (order[:_MOVED], -1, VERMILION)):
        colours[at[sign * lifted[at] > 0]] = colour
    for system, y_left, y_right, colour in zip(of["system"], left, right, colours, strict=True):
        is_moved = colour != GREY
        line = {"linewidth": 1.6} if is_moved else {"linewidth": 0.7, "alpha": 0.7}
        on.plot((0, 1), (y_left, y_right), color=colour, **line)
        look: dict[str, Any] = {"fontsize": 6 if crowded else 8, "color": colour if is_moved else "black"}
        look["va"] = "center"
        on.text(-0.03, y_left, picture_text(names[system]), ha="right", **look)
        on.text(1.03, y_right, picture_text(names[system]), ha="left", **look)
    on.set_xlim(0, 1)
    on.set_ylim(len(of) + 0.6, 0.4)
    on.set_xticks((0, 1), [picture_text(result.names[place], 24) for place in (0, b)])
    on.xaxis.tick_top()
    on.tick_params(length=0)
    on.set_yticks([])
    on.spines[:].set_visible(False)
    pairs = result.frame("systems").set_index(["measure", "judge_a", "judge_b"])
    tau = pairs.loc[(measure, result.names[0], result.names[b]), "tau"]
    on.set_xlabel(f"ranks by {picture_text(measure)}: tau = {tau:.3f}\ncoloured: moved most", fontsize="small")


def plot_kappa_and_tau(
    result: Judges, ax: Any = None, coefficient: str = "kappa_binary", measure: str | None = None
) -> Any:
    """Draw agreement on systems over agreement on labels, with the first judge: one marker per other judge.

    Parameters
    ----------
    result : Judges
        The result, with runs.
    ax : Axes, optional
        Where to draw.
    coefficient : str
        The agreement on labels, such as ``"kappa_binary"`` or ``"alpha_ordinal"``.
    measure : str, optional
        The measure; by default the first.
    """
    refuse_unknown("coefficient", coefficient, COEFFICIENTS)
    frame = result.frame("pairs")
    measure = _measure_of(frame, measure)
    of = frame[(frame["measure"] == measure) & (frame["judge_a"] == result.names[0])].dropna(
        subset=[coefficient, "tau"]
    )
    if not len(of):
        raise UsageError(f"No judge has both {coefficient} and a tau with {result.names[0]}.")
    of = of.sort_values("tau", ascending=False, kind="stable")
    drawn = set(of["judge_b"])
    on = axes_of(ax, width_beside(of["judge_b"]), 4)
    for place, row in enumerate(of.to_dict("records")):
        look = {"color": COLOURS[place % len(COLOURS)], "markersize": 7, "linestyle": "none"}
        on.plot(row[coefficient], row["tau"], distinct_marker(place), label=picture_text(row["judge_b"]), **look)
    on.set_xlabel(f"{COEFFICIENTS[coefficient]}, with {picture_text(result.names[0])}")
    on.set_ylabel(f"tau of runs by {picture_text(measure)}")
    grid_behind(on, "both")
    legend_beside(on, "judge, by tau")
    _say_who_is_not_drawn(on, result, [b for b in range(1, len(result.names)) if result.names[b] not in drawn])
    return on


def _others(result: Judges, judge: str | None) -> list[int]:
    """Return the places of the judges to draw beside the first: all, or one."""
    if judge is None:
        return list(range(1, len(result.names)))
    if judge not in result.names[1:]:
        raise UsageError(
            f"There is no judge {judge!r} beside the first.{suggest(judge, result.names[1:])} The judges: {', '.join(result.names[1:])}."
        )
    return [result.names.index(judge)]


def _say_who_is_not_drawn(on: Any, result: Judges, places: Sequence[int]) -> None:
    """Name below a picture the judges that it lacks, because they are too many, or have nothing to draw."""
    if places:
        names = listing([picture_text(result.names[place], 30) for place in places])
        on.figure.supxlabel(f"not drawn: {names}", fontsize="small")


def _measure_of(frame: pd.DataFrame, measure: str | None) -> str:
    """Return the measure by which runs are ranked, by default the first."""
    measures = list(dict.fromkeys(frame["measure"]))
    if measure is not None and measure not in measures:
        raise UsageError(
            f"The runs are not ranked by {measure!r}.{suggest(measure, measures)} They are by: {', '.join(measures)}."
        )
    return measure or str(measures[0])
