"""The measures of diversity of one topic, as their definitions say it: what the vectorised ones are compared with."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Judged:
    """One row of the qrels; an empty ``doc`` declares its subtopic and window; a window of None is none."""

    doc: str
    subtopic: str
    grade: float
    window: str | None = ""


class Topic:
    """One topic: its judgments, a ranking, and the weights."""

    def __init__(
        self,
        rows: list[Judged],
        ranking: list[str],
        k: int | None = None,
        rel: float = 1,
        subtopic_weights: str = "uniform",
        window_weights: str = "proportional",
        given: dict[str, float] | None = None,
        cells: str = "all",
    ) -> None:
        self.k, self.ranking = k, ranking[:k]
        self.depth = len(self.ranking) if k is None else k
        relevant = [r for r in rows if r.doc and r.grade >= rel]
        declared = [r for r in rows if not r.doc]
        self.grade: dict[tuple[str, str | None, str], float] = {}
        for r in relevant:
            key = r.subtopic, r.window, r.doc
            self.grade[key] = max(r.grade, self.grade.get(key, r.grade))
        self.subtopics = sorted({r.subtopic for r in relevant + declared})
        self.windows = sorted({r.window for r in relevant + declared if r.window is not None})
        self.documents = {r.doc for r in relevant if r.window is not None}
        of_subtopic = {c: {d for c_, _, d in self.grade if c_ == c} for c in self.subtopics}
        of_window = {t: {d for _, t_, d in self.grade if t_ == t} for t in self.windows}
        self.p_c = weights(of_subtopic, subtopic_weights, given or {})
        self.p_t = weights(of_window, window_weights, given or {})
        self.pairs = [(c, t) for t in self.windows for c in self.subtopics]
        self.weight = {(c, t): self.p_t[t] * self.p_c[c] for c, t in self.pairs}
        self.nonempty = cells == "nonempty"
        if self.nonempty:
            self.weight = self.over_nonempty(self.weight)

    def over_nonempty(self, weight: dict[tuple[str, str], float]) -> dict[tuple[str, str], float]:
        there = {pair: w for pair, w in weight.items() if self.held(*pair)}
        total = sum(there.values())
        return {pair: (there[pair] / total if pair in there and total else 0.0) for pair in weight}

    def held(self, c: str, t: str) -> dict[str, float]:
        """The relevant documents of a cell with their grades."""
        return {d: g for (c_, t_, d), g in self.grade.items() if (c_, t_) == (c, t)}

    def rel(self, j: int, c: str, t: str) -> int:
        return int(j <= len(self.ranking) and self.ranking[j - 1] in self.held(c, t))

    def summed(self, value: object) -> float:
        assert callable(value)
        return math.fsum(w * value(c, t) for (c, t), w in self.weight.items())

    def ndcg(self, graded: bool = False) -> float:
        def of(c: str, t: str) -> float:
            gains = {doc: 2**g - 1 if graded else 1 for doc, g in self.held(c, t).items()}
            dcg = sum(gains.get(doc, 0) / math.log2(1 + j) for j, doc in enumerate(self.ranking, 1))
            best = sorted(gains.values(), reverse=True)[: self.k]
            ideal = sum(g / math.log2(1 + j) for j, g in enumerate(best, 1))
            return dcg / ideal if ideal else 0.0

        return self.summed(of)

    def err(self, largest: float | None = None) -> float:
        return self.summed(lambda c, t: self.err_of(self.held(c, t), largest))

    def err_of(self, grades: dict[str, float], largest: float | None) -> float:
        value, going_on = 0.0, 1.0
        for r, doc in enumerate(self.ranking, 1):
            if doc in grades:
                stop = 1.0 if largest is None else (2 ** grades[doc] - 1) / 2**largest
                value += going_on * stop / r
                going_on *= 1 - stop
        return value

    def err_text(self, largest: float | None = None, counted: bool = False) -> float:
        anywhere = {c: {d: g for (c_, _, d), g in self.grade.items() if c_ == c} for c in self.subtopics}
        return math.fsum(w * self.err_of(anywhere[c], largest) for (c, _), w in self.within_windows(counted).items())

    def err_mixed(self, largest: float | None = None, counted: bool = False) -> float:
        return math.fsum(w * self.err_of(self.held(*pair), largest) for pair, w in self.within_windows(counted).items())

    def err_of_bursts(self, weight: dict[tuple[str, str], float]) -> float:
        """Each relevant document satisfies with the weight of its window over the largest."""
        total = 0.0
        for (c, t), w in weight.items():
            going_on, held = 1.0, self.held(c, t)
            for r, doc in enumerate(self.ranking, 1):
                if doc in held:
                    stop = self.p_t[t] / max(self.p_t.values())
                    total += w * going_on * stop / r
                    going_on *= 1 - stop
        return total

    def within_windows(self, counted: bool = False) -> dict[tuple[str, str], float]:
        """P(t|q) P(c|q,t) of every pair."""
        weight = {}
        for t in self.windows:
            there = [c for c in self.subtopics if self.held(c, t)]
            share = {c: len(self.held(c, t)) if counted else self.p_c[c] for c in there}
            total = sum(share.values())
            for c in self.subtopics:
                weight[c, t] = self.p_t[t] * share[c] / total if c in there and total else 0.0
        return self.over_nonempty(weight) if self.nonempty else weight

    def precision(self, k: int | None = None) -> float:
        k = self.depth if k is None else k
        return self.summed(lambda c, t: sum(self.rel(j, c, t) for j in range(1, k + 1)) / k) if k else 0.0

    def average_precision(self) -> float:
        if not self.documents:
            return 0.0
        ranks = [j for j, d in enumerate(self.ranking, 1) if d in self.documents]
        return math.fsum(self.precision(k) for k in ranks) / len(self.documents)

    def covered(self) -> tuple[set[str], set[str]]:
        there = [(c, t) for c, t, d in self.grade if d in self.ranking]
        return {c for c, _ in there}, {t for _, t in there if t is not None}

    def recall(self) -> float:
        return len(self.covered()[0]) / len(self.subtopics) if self.subtopics else 0.0

    def temporal_recall(self) -> float:
        subtopics, windows = self.covered()
        count = len(self.subtopics) + len(self.windows)
        return (len(subtopics) + len(windows)) / count if count else 0.0

    def weighted_recall(self, a: float) -> float:
        subtopics, windows = self.covered()
        return a * sum(self.p_c[c] for c in subtopics) + (1 - a) * sum(self.p_t[t] for t in windows)

    def global_ndcg(self, exponential: bool = False) -> float:
        total: dict[str, float] = {}
        for (c, _, d), g in self.grade.items():
            total[d] = total.get(d, 0.0) + self.p_c[c] * (2**g - 1 if exponential else g)
        dcg = sum(total.get(d, 0.0) / math.log2(1 + j) for j, d in enumerate(self.ranking, 1))
        best = sorted(total.values(), reverse=True)[: self.k]
        ideal = sum(g / math.log2(1 + j) for j, g in enumerate(best, 1))
        return dcg / ideal if ideal else 0.0


def weights(held: dict[str, set[str]], rule: str, given: dict[str, float]) -> dict[str, float]:
    """The weights of the subtopics or windows of a topic, from the documents that they hold."""
    if rule == "column":
        return {name: given[name] for name in held}
    size = {name: 1 if rule == "uniform" else len(docs) for name, docs in held.items()}
    total = sum(size.values())
    return {name: n / total if total else 0.0 for name, n in size.items()}
