"""Why another tool's number differs: a search for conventions under which it comes out."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, compress, product
from typing import TYPE_CHECKING, Any, NamedTuple

import ir_measures
import numpy as np

from irmx import (
    DataError,
    IrmxError,
    Param,
    UsageError,
    calc_aggregate,
    parse_measure,
    read_qrels,
    read_run,
    read_table,
)
from irmx.toolkit import content_of, list_some, plural
from irmx_trec.conventions import ALL, CONVENTIONS, HALF_UP, TOOLS, Tool, Topics

if TYPE_CHECKING:
    import pandas as pd

MOST_CHANGES, MOST_BY_TOPIC = 2, 3
"""How many changes explain a mean, and values of topics: more explain nearly every number."""

_ENDLESS = 1e9
"""Means that are not finite, or as large as no measure is, are not counted."""

_SAME = 1e-12
"""Values that differ by no more are the same but for rounding."""
_AROUND = 0.1
"""The chance of a hit by luck is that of a number at most so far from the value of irmx."""

Fit = frozenset[tuple[str, str]]
"""Changes under which a number comes out: conventions and their options."""

_HOW_READ = {False: "read as it is", True: "read as a percentage"}

_DCG = {"linear": "log2", "exp2": "exp-log2"}
"""Gains by the names that ir_measures has for them."""

_SHARED = (
    "grades",
    "judged",
    "threshold",
    "negatives",
    "unjudged",
    "ties",
    "duplicates",
    "self",
    "topics",
    "no-relevant",
    "rounding",
    "mean",
)
"""Conventions that one tool follows for all of its measures."""


@dataclass(frozen=True)
class Given:
    """A number as somebody states it: the value, the number of its decimals, and the text."""

    value: float
    decimals: int
    text: str

    @classmethod
    def of(cls, text: Any, percent: bool = False) -> Given:
        """Return the number that a text states, divided by 100 if it is a percentage."""
        stated = str(text).strip()
        match = re.fullmatch(r"[+-]?(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?\s*(%?)", stated)
        if match is None or not (match[1] or match[2]):
            raise UsageError(f"The value to explain is a number, such as .7012 or 70.12%. Got {stated!r} instead.")
        value = float(stated.rstrip("% "))
        if not np.isfinite(value):
            raise UsageError(f"The value to explain is a finite number. Got {stated!r} instead.")
        decimals = max(0, min(12, len(match[2] or "") - int(match[3] or 0)))
        if match[4] or percent:
            value, decimals = value / 100, decimals + 2
        return cls(value, decimals, stated)

    def agrees(self, value: float) -> str:
        """Return how a value gives this number: ``"rounded"``, ``"rounded twice"`` or ``"cut off"``; empty if it does not."""
        unit = 10.0**-self.decimals
        distance = value - self.value
        if abs(distance) <= unit * (0.5 + 1e-6) or abs(distance) < 1e-12:
            return "rounded"
        if abs(distance) <= unit * 0.5501:
            return "rounded twice"
        return "cut off" if -1e-12 <= distance < unit * (1 - 1e-6) else ""


@dataclass(frozen=True)
class Reading:
    """What somebody states, as it is or as percentages: a mean, under the topic None, or the values of topics."""

    values: Mapping[str | None, Given]
    percent: bool = False

    @classmethod
    def all_of(cls, stated: Mapping[str | None, Any]) -> tuple[Reading, ...]:
        """Return the readings: numbers of which some are above 1, and none above 100, may be percentages."""
        plain = cls({topic: Given.of(text) for topic, text in stated.items()})
        if not 1 < max((given.value for given in plain.values.values()), default=0.0) <= 100:
            return (plain,)
        return plain, cls({topic: Given.of(text, percent=True) for topic, text in stated.items()}, True)

    @property
    def mean(self) -> Given | None:
        """The mean, None if the values are of topics."""
        return self.values.get(None)


@dataclass(frozen=True)
class Explanation:
    """Conventions under which a number comes out: the changes to those of irmx, in order, with the value after each."""

    changes: tuple[tuple[str, str], ...]
    values: tuple[float, ...]
    tools: tuple[str, ...]
    how: str = "rounded"
    missed: int = 0
    percent: bool = False

    @property
    def value(self) -> float:
        """The value under all changes."""
        return self.values[-1]


class _Agreement(NamedTuple):
    """How a number comes out, in how many topics it does not, and how it was read."""

    how: str
    missed: int
    reading: Reading


class Reconciliation:
    """Why a number differs from irmx's: the explanations, nearest to irmx first; made by :func:`reconcile`.

    Attributes
    ----------
    measure : Measure
        The measure.
    value : float
        The value of irmx.
    explanations : list of Explanation
        Empty if there is none.
    reachable : int
        How many different numbers other conventions give.
    chance : float
        The share of all numbers at most .1 from the value of irmx that some explanation reaches; NaN for values by topic.
    lacking, unknown : list of str
        Of values by topic, the topics of the qrels that have none, and those that have one and are not in the qrels.
    means : dict of str to Given
        The means that a file states beside its values by topic, such as that of ``all``.
    """

    def __init__(
        self,
        measure: ir_measures.Measure,
        topics: Topics,
        stated: Mapping[str | None, Any],
        by_topic: bool,
        means: Mapping[str, Any] = {},
    ) -> None:
        self.measure, self.topics, self.by_topic = measure, topics, by_topic
        self.means = {name: Given.of(text) for name, text in means.items()}
        in_qrels = dict.fromkeys(compress(topics.topics, topics.in_qrels))
        self.lacking = [topic for topic in in_qrels if topic not in stated] if by_topic else []
        self.unknown = [str(topic) for topic in stated if topic not in in_qrels] if by_topic else []
        self.readings = Reading.all_of(stated)
        self.value = topics.mean({})
        self._search()

    # -- the search --------------------------------------------------------------------------------------

    def _search(self) -> None:
        """Try what tools do, and all combinations of a few changes."""
        most = MOST_BY_TOPIC if self.by_topic else MOST_CHANGES
        self.options = self.topics.options()
        fits: dict[Fit, _Agreement] = {}
        self._means: dict[Fit, float] = {}
        nearest: tuple[float, Fit, Reading] | None = None
        for changes in self._candidates(most):
            mean = self._means[changes] = self.topics.mean(dict(changes))
            for reading in self.readings:
                how, missed = self._agreement(changes, mean, reading)
                if how:
                    fits.setdefault(changes, _Agreement(how, missed, reading))
                distance = float(missed) if reading.mean is None else abs(mean - reading.mean.value)
                if not np.isnan(mean) and (nearest is None or distance < nearest[0] - 1e-12):
                    nearest = distance, changes, reading
        exact = any(fit.how == "rounded" for fit in fits.values())
        self.fits: dict[Fit, _Agreement] = {}
        for changes, fit in sorted(fits.items(), key=lambda one: one[1].how != "rounded"):
            needed = self._needed(changes)
            if not exact or fit.how == "rounded" or (fit.how == "rounded twice" and self.tools(needed)):
                self.fits.setdefault(needed, fit)
        listed = [c for c in self.fits if self.tools(c) or not any(other < c for other in self.fits)]
        self.keep([frozenset()] if frozenset() in self.fits else listed)
        self.nearest = (
            self._explained(
                self._needed(nearest[1]), _Agreement("", int(nearest[0]) if self.by_topic else 0, nearest[2])
            )
            if nearest
            else None
        )
        unit = 10.0 ** -max((one.mean.decimals for one in self._shown_readings() if one.mean), default=4)
        numbers = {round(mean / unit) for mean in self._means.values() if abs(mean) < _ENDLESS}
        self.reachable = len(numbers)
        near = sum(abs(number * unit - self.value) <= _AROUND for number in numbers)
        self.chance = float("nan") if self.by_topic else min(1.0, near * unit / (2 * _AROUND))

    def keep(self, fits: Iterable[Fit]) -> None:
        """Make explanations of changes under which the number comes out, in their order of likelihood."""
        self.explanations = [self._explained(changes, self.fits[changes]) for changes in sorted(fits, key=self.cost)]

    def _candidates(self, most: int) -> Iterator[Fit]:
        """Yield the changes to try: none, what tools do, one, two."""
        seen = set()
        singles = [(name, option) for name, options in self.options.items() for option in options]
        of_tools = (changes for _, _, changes in self._tried_tools)
        several = (
            frozenset(changes)
            for size in range(most + 1)
            for changes in combinations(singles, size)
            if len({name for name, _ in changes}) == size
        )
        for changes in (*of_tools, *several):
            if changes not in seen:
                seen.add(changes)
                yield changes

    def _agreement(self, changes: Fit, mean: float, reading: Reading) -> tuple[str, int]:
        """Return how the number, or the values of all topics, come out, and how many topics do not."""
        if reading.mean is not None:
            return (reading.mean.agrees(mean) if not np.isnan(mean) else ""), 0
        values, _ = self.topics.values(dict(changes))
        missed = 0
        for topic, value in zip(self.topics.topics, values.tolist(), strict=True):
            given = reading.values.get(topic)
            if given is None:
                missed += not np.isnan(value) and topic in self._asked
            else:
                missed += np.isnan(value) or given.agrees(value) not in ("rounded", "rounded twice")
        return ("rounded" if not missed else ""), missed

    @cached_property
    def _asked(self) -> set[str]:
        """The topics that must have a value if conventions give them one: all if the values look complete, none if some are chosen."""
        values, _ = self.topics.values({"topics": "hit"})
        hit = {topic for topic, value in zip(self.topics.topics, values.tolist(), strict=True) if not np.isnan(value)}
        return set(self.topics.topics) if hit <= set(self.readings[0].values) else set()

    def _needed(self, changes: Fit) -> Fit:
        """Return the changes without those that change no topic's value here; half up is half to even where nothing is half."""
        for change in sorted(changes, reverse=True):
            to_even = (change[0], change[1].removesuffix(HALF_UP))
            for fewer in (changes - {change}, changes - {change} | {to_even}):
                if self._same(fewer, changes):
                    changes = fewer
                    break
        return changes

    def _same(self, one: Iterable[tuple[str, str]], other: Iterable[tuple[str, str]]) -> bool:
        return all(
            ((np.abs(a - b) <= _SAME) | (np.isnan(a) & np.isnan(b))).all()
            for a, b in zip(self.topics.values(dict(one)), self.topics.values(dict(other)), strict=True)
        )

    def cost(self, changes: Fit) -> tuple[float, int, list[int]]:
        """Return what orders explanations: few changes, which a tool makes, of common conventions."""
        names, tools, size = list(CONVENTIONS), len(self.tools(changes)), len(changes)
        of_a_tool = 0.5 + size / 10 if tools else 1 + size / 10 if self.tools(changes, other_topics=True) else size
        return min(of_a_tool, size or 0.5), -tools, sorted(names.index(name) for name, _ in changes)

    @cached_property
    def _tried_tools(self) -> list[tuple[Tool, str, Fit]]:
        """The tools, the choice of topics if it is not their own, and what they then change, as far as these files can show it."""
        tried = []
        topics = [CONVENTIONS["topics"].default, *self.options.get("topics", ())]
        for tool in (tool for tool in TOOLS if self.topics.kind in tool.measures):
            own = frozenset(
                (name, option) for name, option in tool.changes.items() if option in self.options.get(name, ())
            )
            tried.append((tool, "", own))
            rest = frozenset(change for change in own if change[0] != "topics")
            for option in topics:
                changes = rest | {("topics", option)} if option != topics[0] else rest
                if changes != own:
                    tried.append((tool, option, changes))
        return tried

    @cached_property
    def _values_of_tools(self) -> tuple[list[tuple[str, bool]], Any]:
        """The tools whose changes these files can show, whether over other topics, and the values and weights of topics."""
        tried = [one for one in self._tried_tools if self._shows(one[0])]
        values = [self.topics.values(dict(changes)) for _, _, changes in tried]
        names = [(f"{tool} (topics {topics})" if topics else str(tool), bool(topics)) for tool, topics, _ in tried]
        return names, np.array(values).reshape(len(tried), 2, -1)

    def _shows(self, tool: Tool) -> bool:
        """Tell whether the options of a tool are all among those that this measure has here, or cannot matter here."""
        binary = (
            self.topics.facts["largest"] <= 1 and not self.topics.facts["fractions"]
        )  # where 2^grade - 1 is the grade
        return all(
            option in self.options.get(name, ())
            or name not in self.options
            or option == CONVENTIONS[name].default
            or (name == "gain" and option in ("exp2", "binary") and binary)
            for name, option in tool.changes.items()
        )

    def tools(self, changes: Fit, other_topics: bool = False) -> list[str]:
        """Return the tools that make just these changes, as far as these files can show; or do so over other topics."""
        if changes not in self._tools_by_changes:
            names, values = self._values_of_tools
            same = np.isclose(values, self.topics.values(dict(changes)), rtol=0, atol=_SAME, equal_nan=True)
            self._tools_by_changes[changes] = list(dict.fromkeys(compress(names, np.all(same, axis=(1, 2)))))
        return [name for name, other in self._tools_by_changes[changes] if other == other_topics]

    @cached_property
    def _tools_by_changes(self) -> dict[Fit, list[tuple[str, bool]]]:
        return {}

    def _explained(self, changes: Fit, fit: _Agreement) -> Explanation:
        """Return an explanation with the value after each step, the largest change first."""
        alone = {change: abs(self.topics.mean(dict([change])) - self.value) for change in changes}
        order = sorted(changes, key=lambda change: (-np.nan_to_num(alone[change]), change))
        values = [self.topics.mean(dict(order[: i + 1])) for i in range(len(order))]
        tools = self.tools(changes) or self.tools(changes, other_topics=True)
        return Explanation(
            tuple(order), tuple(values or [self.value]), tuple(tools), fit.how, fit.missed, fit.reading.percent
        )

    def with_shared(self, fit: Fit, shared: Iterable[tuple[str, str]]) -> Fit | None:
        """Return changes with those that other measures of the tool need, None if the number does not come out under all of them."""
        whole = fit | {(name, option) for name, option in shared if option in self.options.get(name, ())}
        mean = self.topics.mean(dict(whole))
        return whole if self._agreement(whole, mean, self.fits[fit].reading)[0] else None

    # -- what is shown -----------------------------------------------------------------------------------

    def deciding(self) -> tuple[str, list[float]] | None:
        """Return the topic on which explanations differ most, and its value under each of them.

        None for fewer than two, and if every topic has the same value under all of them, to the decimals that are printed.
        """
        if len(self.explanations) < 2:
            return None
        values = np.array([self.topics.values(dict(one.changes))[0] for one in self.explanations[:5]])
        shown = np.nan_to_num(values, nan=-1.0).round(4)
        spread = shown.max(axis=0) - shown.min(axis=0)
        place = int(spread.argmax())
        return (self.topics.topics[place], values[:, place].tolist()) if spread[place] > 0 else None

    def untestable(self) -> list[str]:
        """Return the conventions about which these files say nothing."""
        return [
            name for name, one in CONVENTIONS.items() if self.topics.kind in one.measures and name not in self.options
        ]

    def frame(self) -> pd.DataFrame:
        """Return one row per change: explanation, step, convention, option, change, value, tools, percent (how yours was read)."""
        import pandas as pd

        columns = ["explanation", "step", "convention", "option", "change", "value", "tools", "percent"]
        return pd.DataFrame(list(self.rows()), columns=columns)

    def of_topics(self) -> list[str]:
        """Return sentences on why the means may differ though values of topics agree: topics that only one side has, and a mean of others."""
        said, stated = [], self.readings[0].values
        if self.lacking:
            of_irmx, _ = self.topics.values({})
            shared = [v for t, v in zip(self.topics.topics, of_irmx.tolist(), strict=True) if t in stated and v == v]
            over = f" Over the others, irmx has {_number(sum(shared) / len(shared))}." if shared else ""
            lacking = f"{plural(len(self.lacking), 'topic')} of {self.topics.facts['topics']} in the qrels"
            said.append(f"You have no value for {lacking}: {list_some(self.lacking, 10)}.{over}")
        if self.unknown:
            topics = plural(len(self.unknown), "topic")
            said.append(f"You have values for {topics} not in the qrels: {list_some(self.unknown, 10)}.")
        total = sum(one.value for one in stated.values())
        for name, mean in self.means.items():
            exact = 10.0**-mean.decimals + 10.0 ** -min(one.decimals for one in stated.values())
            of_topics, with_zeros = total / len(stated), total / (len(stated) + len(self.lacking))
            if abs(mean.value - of_topics) > exact:
                why = "; it is if the topics without a value count 0" if abs(mean.value - with_zeros) <= exact else ""
                said.append(f"Your {name}, {mean.text}, is not the mean of your topics, {_number(of_topics)}{why}.")
        return said

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of :meth:`frame`."""
        for number, one in enumerate(self.explanations, 1):
            before = self.value
            tools = ", ".join(one.tools)
            steps = [(*change, value) for change, value in zip(one.changes, one.values, strict=False)]
            for step, (name, option, value) in enumerate(steps, 1) if steps else [(0, ("", "", before))]:
                yield {
                    "explanation": number, "step": step, "convention": name, "option": option, "change": value - before,
                    "value": value, "tools": tools, "percent": one.percent,
                }  # fmt: skip
                before = value

    def as_measure(self, explanation: Explanation) -> ir_measures.Measure | None:
        """Return the measure of ir_measures or irmx that has the conventions of an explanation; None if there is none.

        Examples
        --------
        >>> import irmx
        >>> from irmx.demo import qrels_path, run_path
        >>> found = irmx.reconcile(qrels_path(), run_path("bm25"), "nDCG@10", ".5528")
        >>> found.as_measure(found.explanations[0])
        nDCG(dcg='exp-log2')@10
        """
        run, judgments = self.topics.files
        params, averaged = dict(self.measure.params), False
        for name, option in explanation.changes:
            if name == "gain" and option in _DCG:
                params["dcg"] = _DCG[option]
            elif name == "unjudged" and option == "removed":
                params["judged_only"] = True
            elif name in ("threshold", "cutoff") and option != "none":
                params["rel" if name == "threshold" else name] = float(option) if "." in option else int(option)
            elif name == "cutoff":
                params.pop(name, None)
            elif name == "ties" and option == "averaged":
                averaged = True
            else:
                return None
        written = ",".join(f"{key}={value!r}" for key, value in params.items())
        text = f"Expected(measure={self.topics.kind},{written})" if averaged else f"{self.topics.kind}({written})"
        try:
            [(measure, mean)] = calc_aggregate(text, judgments, run).items()
        except IrmxError:  # such as a document twice in a topic, which counts here
            return None
        return measure if abs(mean - explanation.value) <= _SAME else None

    def summary(self) -> str:
        """Return what was found on a screen of text."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        f, many = self.topics.facts, 5
        readings = self._shown_readings()
        if self.by_topic:
            yield f"{self.measure}  your values of {plural(len(self.readings[0].values), 'topic')}{self._read(readings)}  irmx {_number(self.value)}"
        else:
            yours = [one.mean.value for one in readings if one.mean]
            shown = " or ".join(map(_number, yours)) + self._read(readings)
            differs = f"  difference {_number(yours[0] - self.value, '+')}" if len(yours) == 1 else ""
            yield f"{self.measure}  yours {shown}  irmx {_number(self.value)}{differs}"
        present = [
            f"{f['tied']:,} of {f['lines']:,} lines tied", *(f"{f[name]:,} {text}" for name, text in (
                ("duplicates", "duplicates"), ("negatives", "negative grades"), ("missing", "topics without results"),
                ("unknown", "topics not in the qrels"), ("without", "topics without relevant documents"), ("self", "documents that are the query")) if f[name]),
        ]  # fmt: skip
        yield f"{plural(f['topics'], 'topic')}; {'; '.join(present)}"
        yield from self.of_topics()
        limit = MOST_BY_TOPIC if self.by_topic else MOST_CHANGES
        luck = (
            ""
            if np.isnan(self.chance)
            else f" ({self.reachable} numbers reachable; chance of a hit by luck {self.chance:.0%})"
        )
        if not self.explanations:
            yield f"No explanation with at most {limit} changes, and by none of the known tools{luck}."
            if self.nearest:
                changes = "; ".join(_change(*change) for change in self.nearest.changes) or "no change"
                short = (
                    f"{self.nearest.missed} of {len(self.readings[0].values)} topics differ"
                    if self.by_topic
                    else _number(self.nearest.value)
                )
                yield f"The nearest: {changes}: {short}"
            return
        number = len(set(self.readings[0].values) - set(self.unknown))
        of_values = f" of your values of {plural(number, 'topic')}," if self.lacking or self.unknown else ""
        yield f"{plural(len(self.explanations), 'explanation')}{of_values} with at most {limit} changes, or by a known tool{luck}"
        for number, one in enumerate(self.explanations[:many], 1):
            yield ""
            label = f"{number}. " if len(self.explanations) > 1 else ""
            yield f"{label + 'irmx':<58}{'':>9}{_number(self.value):>9}"
            before = self.value
            for change, value in zip(one.changes, one.values, strict=False):
                yield f"   {_change(*change):<55}{_number(value - before, '+'):>9}{_number(value):>9}"
                before = value
            if one.how not in ("", "rounded"):
                yield f"   {one.how}"
            if len(readings) > 1:
                yield f"   {_HOW_READ[one.percent]}"
            yield f"   Tools: {list_some(one.tools, 6)}" if one.tools else "   No known tool does just this."
            if one.changes and (measure := self.as_measure(one)) is not None:
                yield f"   In irmx: {measure}"
        if len(self.explanations) > many:
            yield f"\n... and {len(self.explanations) - many} more: -o csv has all."
        yield ""
        if (decided := self.deciding()) is not None:
            topic, values = decided
            shown = ", ".join("left out" if np.isnan(value) else _number(value) for value in values)
            yield f"What decides: the value of topic {topic}, which is {shown} under these."
        elif len(self.explanations) > 1:
            yield "No topic here tells them apart."
        elif not self.by_topic:
            yield "To be sure: --scores with one value per topic."
        if silent := self.untestable():
            yield f"Not testable here: {', '.join(silent)}"

    def __repr__(self) -> str:
        stated = self.readings[0]
        what = stated.mean.text if stated.mean else plural(len(stated.values), "value")
        return f"<Reconciliation of {self.measure} = {what}: {plural(len(self.explanations), 'explanation')}>"

    def _shown_readings(self) -> list[Reading]:
        """Return the readings of the explanations, all if there is none."""
        used = {one.percent for one in self.explanations}
        return [one for one in self.readings if not used or one.percent in used]

    def _read(self, readings: list[Reading]) -> str:
        """Return how the numbers were read, if there is more than one way."""
        if len(self.readings) == 1:
            return ""
        return f" ({_HOW_READ[readings[0].percent]})" if len(readings) == 1 else ", as it is or as a percentage"


def _change(name: str, option: str) -> str:
    """Return a change in words."""
    default = {"usual": ""}.get(CONVENTIONS[name].default, f", not {CONVENTIONS[name].default}")
    return f"{name} {option}{default}"


def _number(value: float, sign: str = "") -> str:
    """Return a value with four decimals and no zero before the point, as papers print it."""
    text = f"{value:{sign}.4f}"
    return re.sub(r"^([+-]?)0\.", r"\1.", text)


def topics_of(measure: str | ir_measures.Measure, qrels: Any, run: Any) -> tuple[ir_measures.Measure, Topics]:
    """Return a measure, and what its values under all conventions are made from."""
    parsed = parse_measure(measure)
    params, name = dict(parsed.params), str(parsed.NAME)
    known = {"cutoff", "rel"} | ({"dcg"} if name == "nDCG" else set())
    gain = {dcg: gain for gain, dcg in _DCG.items()}.get(str(params.get("dcg", "log2")), "")
    if name not in ALL or not gain or set(params) - known:
        raise UsageError(
            f"The conventions of {parsed} are not known. They are of {', '.join(ALL)}, with rel and a cutoff."
        )
    topics = Topics(
        read_run(run),
        read_qrels(qrels),
        name,
        params.get("cutoff"),
        float(params.get("rel", 1)),
        gain if name == "nDCG" else "",
    )
    if not topics.in_qrels.any() or not (topics.in_run & topics.in_qrels).any():
        raise DataError("The run and the qrels have no topic in common.")
    return parsed, topics


@dataclass(frozen=True)
class Reconciliations:
    """Why the numbers of several measures of one tool differ: explanations that follow the same conventions where they share any."""

    parts: tuple[Reconciliation, ...]
    together: bool = True

    @classmethod
    def of(cls, parts: Iterable[Reconciliation]) -> Reconciliations:
        """Keep of each measure the explanations that go best together with those of the others."""
        parts = tuple(parts)
        together: list[tuple[float, int, tuple[Fit, ...]]] = []
        for combination in product(*(sorted(part.fits, key=part.cost)[:_TOGETHER] for part in parts)):
            shared = {change for fit in combination for change in fit if change[0] in _SHARED}
            if len({name for name, _ in shared}) < len(shared):
                continue
            pairs = list(zip(parts, combination, strict=True))
            if all(part.with_shared(fit, shared) is not None for part, fit in pairs):
                size = len(shared) + sum(change not in shared for fit in combination for change in fit)
                common = set.intersection(*({tool.split()[0] for tool in part.tools(fit)} for part, fit in pairs))
                together.append((0.5 + size / 10 if common else size, len(together), combination))
        if together:
            best = [combination for cost, _, combination in sorted(together) if cost <= min(together)[0]]
            for i, part in enumerate(parts):
                part.keep(dict.fromkeys(combination[i] for combination in best))
        return cls(parts, bool(together))

    def summary(self) -> str:
        """Return what was found for each measure."""
        texts = [part.summary() for part in self.parts]
        return "\n\n".join(
            texts if self.together else [*texts, "No conventions explain all of these numbers together."]
        )

    def frame(self) -> pd.DataFrame:
        """Return the rows of all measures, with a column ``measure``."""
        import pandas as pd

        return pd.concat([part.frame().assign(measure=str(part.measure)) for part in self.parts], ignore_index=True)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of :meth:`frame`."""
        for part in self.parts:
            for row in part.rows():
                yield {"measure": str(part.measure), **row}


_TOGETHER = 40
"""How many explanations of each measure are tried together with those of others."""


def reconcile(
    qrels: Any,
    run: Any,
    measure: str | ir_measures.Measure | Mapping[str, Any],
    value: Any = None,
    *,
    scores: Any = None,
) -> Reconciliation | Reconciliations:
    """Find out why another tool's number differs from irmx's on the same files.

    Parameters
    ----------
    qrels, run : any
        Anything that :func:`irmx.read_qrels` and :func:`irmx.read_run` accept. A run may have a document twice in a topic.
    measure : str, Measure, or mapping of them to values
        nDCG, AP, P, R or RR, with a cutoff and ``rel``, as irmx means it. Of several measures with their values, the explanations
        follow the same conventions where they share any.
    value : str or float, optional
        The mean that the other tool gives. The decimals of a text count: ``".70"`` is any number that is rounded so. A number between 1 and
        100 is read as it is, and as a percentage.
    scores : mapping of str to float, or path, optional
        In place of a mean, the values of topics, which nearly always decide: a mapping, a table with ``query_id`` and ``value``, or the
        output of ``trec_eval -q`` or ``irmx eval -q``.

    Returns
    -------
    Reconciliation, or Reconciliations of several measures
        With ``summary()`` and ``frame()``.

    Raises
    ------
    irmx.errors.UsageError
        For other measures, and a value that is no number.
    irmx.errors.DataError
        If the files cannot be read, or have no topic in common.

    Examples
    --------
    >>> import irmx
    >>> from irmx.demo import qrels_path, run_path
    >>> found = irmx.reconcile(qrels_path(), run_path("bm25"), "nDCG@10", ".6226")
    >>> found
    <Reconciliation of nDCG@10 = .6226: 1 explanation>
    >>> found.frame()[["convention", "option", "change", "value"]].round(4)
      convention     option  change   value
    0     judged  retrieved  0.0676  0.6372
    1       gain       exp2 -0.0146  0.6226
    """
    if isinstance(measure, Mapping):
        if value is not None or scores is not None or not measure or None in measure.values():
            raise UsageError("Several measures are given with their values, {measure: value}, and nothing else.")
        parts = [_reconcile(qrels, run, one, stated, None) for one, stated in measure.items()]
        if len({part.measure for part in parts}) < len(parts):
            raise UsageError(f"A measure has two values among {list_some(map(str, measure))}. Give each once.")
        return Reconciliations.of(parts)
    if (value is None) == (scores is None):
        raise UsageError("Give the value that another tool printed, or its scores by topic: one of the two.")
    return _reconcile(qrels, run, measure, value, scores)


def _reconcile(qrels: Any, run: Any, measure: Any, value: Any, scores: Any) -> Reconciliation:
    parsed, topics = topics_of(measure, qrels, run)
    stated, means = ({None: value}, {}) if scores is None else _scores_by_topic(scores, parsed)
    if scores is not None and not set(stated) & set(topics.topics):
        raise DataError(
            f"The scores and the files have no topic in common. The scores have {list_some(map(str, stated))}, the files {list_some(topics.topics)}."
        )
    return Reconciliation(parsed, topics, stated, by_topic=scores is not None, means=means)


def _scores_by_topic(scores: Any, measure: ir_measures.Measure) -> tuple[dict[str | None, Any], dict[str, Any]]:
    """Return the value of every topic, with the decimals that a file has, and the means that it states beside them."""
    lines, place = _lines_of(scores)
    names = {name for name, *_ in lines}
    wanted = {name for name in names if not name or _is_measure(name, measure)}
    if len(names) == 1 and not any(map(_is_name, names)):
        wanted = names  # the name that another tool has for it
    if not wanted:
        raise DataError(f"The scores {scores} have no {measure}. They have {list_some(sorted(names))}.")
    found: dict[str | None, Any] = {}
    means: dict[str, Any] = {}
    first: dict[str, int] = {}
    for row, (name, topic, value) in enumerate(lines):
        if name not in wanted:
            continue
        if topic in first:
            raise DataError(
                f"There are two values of {measure} for topic {topic}: {found.get(topic, means.get(topic))} and {value}. Leave one of them out.",
                place=place([first[topic], row]),
            )
        first[topic] = row
        try:
            Given.of(value)
        except UsageError:
            raise DataError(
                f"The {measure} of topic {topic} must be a number, such as .7012 or 70.12%. Got {str(value)!r} instead.",
                place=place([row]),
            ) from None
        (means if topic in ("all", "amean") else found)[topic] = value
    if means and not found:
        raise DataError(
            f"There is a mean of {measure} and no topic. To explain the mean: --value {next(iter(means.values()))}.",
            place=place([*first.values()][:1]),
        )
    return found, means


def _is_measure(name: str, measure: ir_measures.Measure) -> bool:
    try:
        return bool(parse_measure(name) == measure)
    except UsageError:
        return False


def _lines_of(scores: Any) -> tuple[list[tuple[str, str, Any]], Callable[[list[int]], str]]:
    """Return measure, topic and value of every line of scores, and what says where lines are."""
    if isinstance(scores, Mapping):
        return [("", str(topic), value) for topic, value in scores.items()], lambda _: "The scores"
    if (lines := _lines_of_trec_eval(scores)) is not None:
        numbers = [number for number, _ in lines]
        return [line for _, line in lines], lambda rows: _place_of([numbers[row] for row in rows], scores)
    table = read_table(scores, {"query_id": str, "value": object, "measure": Param(str, "the measure")}, "scores")
    named = table["measure"].tolist() if "measure" in table else [""] * len(table)
    columns = map(str, named), table["query_id"].tolist(), table["value"].tolist()
    return list(zip(*columns, strict=True)), table.place


def _place_of(lines: list[int], path: Any) -> str:
    return f"{path}, line{'s' * (len(lines) > 1)} {' and '.join(map(str, lines))}"


def _lines_of_trec_eval(scores: Any) -> list[tuple[int, tuple[str, str, str]]] | None:
    """Return the lines of trec_eval or ir_measures with their numbers: measure, topic and value; None of other files."""
    if not isinstance(scores, (str, os.PathLike)):
        return None
    try:
        content = content_of(os.fspath(scores), "scores").decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    lines = [(number, line.split()) for number, line in enumerate(content.split("\n"), 1) if line.strip()]
    rows = [(number, row) for number, row in lines if row[0] not in ("runid", "relstring")]
    if not rows or any(len(row) != 3 for _, row in rows) or "value" in rows[0][1]:
        return None
    rows = rows[not _is_number(rows[0][1][2]) :]  # without a header
    by_measure = all(_is_name(row[0]) for _, row in rows[:20])
    return [(n, (row[0], row[1], row[2]) if by_measure else (row[1], row[0], row[2])) for n, row in rows] or None


def _is_name(text: str) -> bool:
    try:
        parse_measure(text)
    except UsageError:
        return False
    return True


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
