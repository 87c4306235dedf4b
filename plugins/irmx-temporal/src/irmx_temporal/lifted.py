"""Any measure, lifted over subtopics, or over subtopics and time windows: the weighted sum of its values for each."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar

import ir_measures
import numpy as np

from irmx import (
    COMMON_PARAMS,
    Column,
    DataError,
    Formula,
    Measure,
    Param,
    Rankings,
    TopicScores,
    UsageError,
    evaluator,
    parse_measure,
)
from irmx.ragged import Floats
from irmx.toolkit import value_repr
from irmx_temporal.cells import Cells, subtopics_of_rows
from irmx_temporal.diversity import (
    CELLS,
    OF_SUBTOPIC,
    OF_WINDOW,
    SUBTOPIC_PARAMS,
    WINDOW_PARAMS,
    Diversity,
    OverWindows,
)
from irmx_temporal.windows import SUBTOPIC, Windowing, labels


class MeasureParam(Param):
    """A parameter that takes a measure, of a plugin or of ir_measures, or its text; the text is stored.

    Attributes
    ----------
    diversity : bool
        Whether it may be a diversity measure of ir_measures.
    """

    def __init__(self, desc: str, diversity: bool = False) -> None:
        super().__init__(str, desc, required=True)
        self.diversity = diversity

    def expects(self) -> str:
        """Return a description of the allowed values."""
        return "a measure, such as 'AP' or 'MP(model=GL_AD_ID)'"

    def check(self, value: Any, name: str, owner: str) -> Any:
        """Return the canonical text of a measure."""
        if not isinstance(value, (str, ir_measures.Measure)):
            raise UsageError(
                f"The {name!r} parameter of {owner} must be {self.expects()}. Got {value_repr(value)} instead."
            )
        measure = parse_measure(value)
        if isinstance(measure, Diversity) or (needs_subtopics(measure) and not self.diversity):
            over_windows = f" TimeAware(measure='{measure}') lifts it over windows." if needs_subtopics(measure) else ""
            raise UsageError(
                f"The {name!r} parameter of {owner} must be a measure of relevance alone. Got {measure} instead."
                f"{over_windows}"
            )
        return str(measure)


class IntentAware(Diversity):
    """A measure lifted over subtopics: the mean of its values for each subtopic, weighted by the subtopics' probabilities.

    The measure is any one of ir_measures or of another plugin. In Python ``IntentAware(AP@20)`` and
    ``IntentAware(measure="AP@20")`` are the same; a cutoff and ``rel`` are passed on to the measure.

    References
    ----------
    Agrawal, R., Gollapudi, S., Halverson, A., Ieong, S.: Diversifying Search Results. WSDM 2009.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> rows = [("q", "a", 1, "c1"), ("q", "b", 1, "c2")]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    >>> irmx.calc_aggregate("IntentAware(measure='MP(model=GL_AD_ID)') IntentAware(measure='RR')@1", qrels, {"q": {"a": 2.0, "b": 1.0}})
    {IntentAware(measure='MP(model=GL_AD_ID)'): 0.75, IntentAware(measure='RR@1'): 0.5}
    """

    NAME = "IntentAware"
    PRETTY_NAME = "A measure over subtopics"
    SHORT_DESC = "Any measure, computed for each subtopic and weighted by the subtopics' probabilities."
    FORMULA = Formula(
        r"\text{IA-}M = \sum_{c} P(c \mid q)\,M(\cdot \mid c)",
        {
            "M": "the measure that is lifted",
            **OF_SUBTOPIC,
            r"M(\cdot \mid c)": "its value for the ranking with the relevance to $c$ alone",
        },
        source="Agrawal et al. (2009)",
    )
    SUPPORTED_PARAMS = {
        "measure": MeasureParam("the measure that is lifted"),
        "cells": CELLS,
        **SUBTOPIC_PARAMS,
        "rel": COMMON_PARAMS["rel"],
        "cutoff": COMMON_PARAMS["cutoff"],
        "no_relevant": COMMON_PARAMS["no_relevant"],
    }
    RANGE = (0.0, float("inf"))
    MONOTONE = False  # like the measure that is lifted
    EXAMPLES: ClassVar[tuple[str, ...]] = ("IntentAware(measure='AP')", "IntentAware(measure='P@10')")

    def __init__(self, measure: Any = None, **params: Any) -> None:
        if measure is not None:
            params["measure"] = measure
        super().__init__(**params)
        self._lifted: Any = None
        if "measure" in self.params:
            self._lifted = self._settled(parse_measure(self.params["measure"]))
            self.params["measure"] = str(self._lifted)
            self.params = {name: self.params[name] for name in self.SUPPORTED_PARAMS if name in self.params}

    def _settled(self, lifted: ir_measures.Measure) -> ir_measures.Measure:
        """Return the measure with this one's cutoff and ``rel``, unless only the measure has a ``rel``."""
        cutoff, rel = self.params.pop("cutoff", None), self.params.get("rel")
        if cutoff is not None:
            if "cutoff" not in lifted.SUPPORTED_PARAMS or "cutoff" in lifted.params:
                raise UsageError(
                    f"{lifted} cannot be cut off at {cutoff}: it already has a cutoff, or does not take one."
                )
            lifted = lifted(cutoff=cutoff)
        if "rel" in lifted.params:
            if rel is not None and rel != lifted.params["rel"]:
                raise UsageError(f"{self.NAME} has rel={rel}, but {lifted} has another value. Set rel in one of them.")
            self.params["rel"] = lifted.params["rel"]
        elif rel is not None and "rel" in lifted.SUPPORTED_PARAMS:
            lifted = lifted(rel=rel)
        return parse_measure(lifted)

    def validate_params(self) -> None:
        super().validate_params()
        try:
            self._lifted.validate_params()
        except AssertionError as error:
            raise UsageError(f"{self.NAME} cannot lift {self._lifted}, a measure of ir_measures: {error}.") from None

    def run_columns(self) -> tuple[Column, ...]:
        return self._lifted.run_columns() if isinstance(self._lifted, Measure) else ()

    def qrel_columns(self) -> tuple[Column, ...]:
        own = super().qrel_columns()
        theirs = self._lifted.qrel_columns() if isinstance(self._lifted, Measure) else ()
        return (*own, *(column for column in theirs if column not in own))

    def __call__(self, measure: Any = None, **params: Any) -> IntentAware:
        return type(self)(**{**self.params, **({} if measure is None else {"measure": measure}), **params})

    def per_cell(self, cells: Cells, rankings: Rankings) -> Floats:
        if not len(cells):
            return np.zeros(0)
        if not isinstance(self._lifted, Measure):
            return of_relevance(self._lifted, rankings.per_subtopic(cells.layout.part, len(cells)))
        found = self._lifted.score(rankings.per_subtopic(cells.layout.part, len(cells), self._lifted))
        return np.asarray(found.values if isinstance(found, TopicScores) else found, dtype=np.float64)


class TimeAware(OverWindows, IntentAware):
    """A measure lifted over subtopics and time windows: its values for each pair, weighted by both probabilities.

    A diversity measure of ir_measures, such as alpha_nDCG, is lifted over the
    windows alone: sum_t P(t|q) M(.|t), over the subtopics of the documents in the window. The paper has "time
    aware alpha-nDCG" as a heading without a formula; this is the natural reading.

    References
    ----------
    Singh, J., Nejdl, W., Anand, A.: History by Diversity. CHIIR 2016.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> rows = [("q", "d1", 1, "c1", "t1"), ("q", "d2", 1, "c1", "t1"), ("q", "d3", 1, "c2", "t1"), ("q", "d4", 1, "c2", "t2")]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration", "window"])
    >>> run = {"q": {"d1": 4.0, "x": 3.0, "d4": 2.0, "d3": 1.0}}
    >>> irmx.calc_aggregate("TimeAware(measure='P@4') TIA_P@4", qrels, run)
    {TimeAware(measure='P@4'): 0.21875, TIA_P@4: 0.21875}
    >>> round(irmx.calc_aggregate("TimeAware(measure='alpha_nDCG@4')", qrels, run)[irmx.TimeAware("alpha_nDCG@4")], 6)
    0.695467
    """

    NAME = "TimeAware"
    PRETTY_NAME = "A measure over subtopics and time windows"
    SHORT_DESC = (
        "Any measure, computed for each pair of a subtopic and a time window and weighted by their probabilities."
    )
    FORMULA = Formula(
        r"\text{TIA-}M = \sum_{t} P(t \mid q) \sum_{c} P(c \mid q)\,M(\cdot \mid c,t)",
        {
            "M": "the measure that is lifted",
            **OF_WINDOW,
            **OF_SUBTOPIC,
            r"M(\cdot \mid c,t)": "its value for the ranking with the relevance to $c$ in $t$ alone",
        },
        source="a choice of irmx, after the measures of Singh, Nejdl and Anand (2016)",
    )
    SUPPORTED_PARAMS = {
        **IntentAware.SUPPORTED_PARAMS,
        "measure": MeasureParam(
            "the measure that is lifted; a diversity measure of ir_measures is lifted over windows alone",
            diversity=True,
        ),
        **WINDOW_PARAMS,
    }
    EXAMPLES = (
        "TimeAware(measure='AP')",
        "TimeAware(measure='P@10',window='1y')",
        "TimeAware(measure='alpha_nDCG@20')",
    )

    def __init__(self, measure: Any = None, **params: Any) -> None:
        super().__init__(measure, **params)
        for name, allowed in (("subtopics", ("column",)), ("subtopic_weights", ("auto", "uniform"))):
            if self.over_windows and self[name] not in allowed:
                raise UsageError(
                    f"{self._lifted} handles the subtopics in each window itself, all with equal weights: leave out {name} of "
                    f"{self.NAME}. Got {self[name]!r}."
                )

    @property
    def over_windows(self) -> bool:
        """Whether the measure handles the subtopics itself."""
        return self._lifted is not None and needs_subtopics(self._lifted)

    @property
    def windowing(self) -> Windowing:
        """How documents are assigned to windows."""
        return replace(super().windowing, one_subtopic=True) if self.over_windows else super().windowing

    def per_cell(self, cells: Cells, rankings: Rankings) -> Floats:
        if not self.over_windows or not len(cells):
            return super().per_cell(cells, rankings)
        subtopics_of_rows(rankings)  # refuses relevant documents without one
        return of_diversity(self._lifted, rankings.per_subtopic(cells.layout.part, len(cells)))


def needs_subtopics(measure: ir_measures.Measure) -> bool:
    """Tell whether a measure of ir_measures is a diversity measure, computed by ndeval."""
    return measure.NAME in {m.NAME for m in ir_measures.providers.registry["pyndeval"].SUPPORTED_MEASURES}


def of_relevance(measure: ir_measures.Measure, parts: Rankings) -> Floats:
    """Return the value of a relevance measure for every part, from documents named by their ranks."""
    rows, qrels, run = parts.qrels_rows, {}, {}
    _refuse_fractions(measure, rows.grade)
    whole: dict[int, dict[str, float]] = {}
    for i, a, b, depth in _parts(measure, parts):
        judged = zip(rows.rank[a:b].tolist(), rows.doc[a:b].tolist(), rows.grade[a:b].tolist(), strict=True)
        grades: dict[str, int] = {}
        for rank, doc, grade in judged:
            name = f"rank{rank}" if rank else f"document{doc}"
            grades[name] = max(int(grade), grades.get(name, int(grade)))
        qrels[i] = grades
        run[i] = whole.setdefault(depth, {f"rank{rank}": float(-rank) for rank in range(1, depth + 1)})
    return _computed(measure, qrels, run, len(parts))


def of_diversity(measure: ir_measures.Measure, parts: Rankings) -> Floats:
    """Return the value of a diversity measure for every part, over the subtopics of its rows.

    Judged documents keep the order of their ids, by which ndeval breaks ties in its ideal rankings.
    """
    rows = parts.qrels_rows
    _refuse_fractions(measure, rows.grade)
    subtopic, ids = labels(rows, SUBTOPIC)[0], rows.doc_ids
    grades: dict[tuple[str, str, str], int] = {}
    run: dict[str, dict[str, float]] = {}
    for i, a, b, depth in _parts(measure, parts):
        at = {rank: f"id {doc}" for rank, doc in zip(rows.rank[a:b].tolist(), ids[a:b], strict=True) if rank}
        run[i] = {at.get(rank, f"rank {rank}"): float(-rank) for rank in range(1, depth + 1)}
        for doc, of, grade in zip(ids[a:b], subtopic[a:b].tolist(), rows.grade[a:b].tolist(), strict=True):
            key = i, f"id {doc}", f"subtopic {of}"
            grades[key] = max(int(grade), grades.get(key, int(grade)))
    qrels = [ir_measures.Qrel(i, doc, grade, of) for (i, doc, of), grade in grades.items()]
    with contextlib.redirect_stderr(io.StringIO()):  # it doubts qrels where every part happens to have one subtopic
        return _computed(measure, qrels, run, len(parts))


def _refuse_fractions(measure: ir_measures.Measure, grade: Floats) -> None:
    for odd in grade[grade % 1 != 0][:1].tolist():
        raise DataError(f"{measure}, a measure of ir_measures, takes integer grades only. Found {odd:g}.")


def _parts(measure: ir_measures.Measure, parts: Rankings) -> Iterator[tuple[str, int, int, int]]:
    """Yield the name of every part, its first row and the one after its last, and the ranks that are scored."""
    cutoff = None if measure.params.get("judged_only") else measure.params.get("cutoff")
    depth = np.minimum(parts.depth, sys.maxsize if cutoff is None else cutoff)
    for i, (a, b) in enumerate(pairwise(parts.qrels_rows.offsets.tolist())):
        yield str(i), a, b, int(depth[i])


def _computed(measure: ir_measures.Measure, qrels: Any, run: Any, count: int) -> Floats:
    """Return the value of every part, computed by irmx, which guards against input that the ir_measures tools misread."""
    found = np.zeros(count)
    if qrels:
        try:
            [by_part] = evaluator(measure, qrels).values(run).values()
        except DataError as error:
            raise DataError(f"{error} Its queries are parts of rankings, counted from 0.") from None
        found[[int(part) for part in by_part]] = list(by_part.values())
    return found
