"""What a report is about: the comparison, and, where they are known, the judgments, the runs and the texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from irmx import Judgments
from irmx_study.comparison.comparison import Comparison
from irmx_study.comparison.comparisons_of_pairs import comparisons_of
from irmx_study.comparison.pairs_of_systems import all_pairs_of

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Reported:
    """What the sections of a report are made from.

    Attributes
    ----------
    comparison : Comparison
        The systems, their scores and how they are compared.
    judgments : Judgments, optional
        The judgments; without them, as in a report on per-topic results, there are no rankings.
    runs : dict of str to run
        By system, anything that :func:`irmx.read_run` accepts; empty if they are not known.
    texts : mapping of str to str, optional
        The texts of documents by id, such as ``docs_store`` of a collection of ir_datasets; may lack some.
    queries : dict of str to str
        The texts of topics by id, as far as they are known.
    command : str
        How the report was made, to print; empty if it was made from Python.
    qrels : str
        The file or the dataset id of the judgments; empty if they are neither.
    unjudged : dict of str to float
        By system, the share of unjudged documents among the first ten, averaged over the topics for which it retrieved
        some; empty if it is not known.
    """

    comparison: Comparison
    judgments: Judgments | None = None
    runs: Mapping[str, Any] = field(default_factory=dict)
    texts: Mapping[str, str] | None = None
    queries: Mapping[str, str] = field(default_factory=dict)
    command: str = ""
    qrels: str = ""
    unjudged: Mapping[str, float] = field(default_factory=dict)

    @property
    def pair(self) -> tuple[str, str]:
        """The two systems that the report shows first: the best one by the first measure, and what it is compared with."""
        scores = self.comparison.scores
        means = scores.means().iloc[:, 0]
        baseline = (*self.comparison.baseline, means.sort_values(ascending=False, kind="stable").index[-1])[0]
        best = means.drop(baseline).idxmax()
        return str(best), str(baseline)

    @cached_property
    def of_all_pairs(self) -> Comparison:
        """The comparison of all pairs of systems, with the same test and correction; its letters are those of the comparison."""
        if self.comparison.all_pairs:
            return self.comparison
        scores, choices = self.comparison.scores, replace(self.comparison.choices, interval="t")
        first, second = all_pairs_of(len(scores.systems))
        return Comparison(scores, (), choices, comparisons_of(scores, first, second, choices))

    @cached_property
    def summary(self) -> pd.DataFrame:
        """One row per measure and system, or baseline: :meth:`Comparison.summary`, with the letters of the pairs above."""
        table, systems = self.comparison.estimates(), self.comparison.scores.systems
        letters = {
            (measure, system): of_system
            for measure, of_measure in self.of_all_pairs.letters.items()
            for system, of_system in zip(systems, of_measure, strict=True)
        }
        table["letters"] = [letters[row] for row in zip(table["measure"], table["system"], strict=True)]
        return table
