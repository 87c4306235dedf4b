"""What a report is about: the comparison, and, where they are known, the judgments, the runs and the texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from irmx import Judgments
from irmx_study.comparison.comparison import Comparison


@dataclass(frozen=True)
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
    """

    comparison: Comparison
    judgments: Judgments | None = None
    runs: Mapping[str, Any] = field(default_factory=dict)
    texts: Mapping[str, str] | None = None
    queries: Mapping[str, str] = field(default_factory=dict)
    command: str = ""

    @property
    def pair(self) -> tuple[str, str]:
        """The two systems that the report shows first: the best one by the first measure, and what it is compared with."""
        scores = self.comparison.scores
        means = scores.means().iloc[:, 0]
        baseline = (*self.comparison.baseline, means.sort_values(ascending=False, kind="stable").index[-1])[0]
        best = means.drop(baseline).idxmax()
        return str(best), str(baseline)
