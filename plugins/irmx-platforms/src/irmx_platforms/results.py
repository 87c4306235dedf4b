"""What formats of results by item share: which files are theirs, and values that become scores by topic."""

from __future__ import annotations

import hashlib
import json
import math
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from irmx import DataError, Format, Param
from irmx.toolkit import list_some, plural
from irmx_platforms.decoding import decoded, number, parsed, text, texts, understanding, warn

if TYPE_CHECKING:
    import pyarrow as pa

MEASURE = Param(str, "the measure to read, on the topics that have it", default="")
TOPIC = Param(
    str, "what a topic is: what was asked, or the number that the tool gives it", default="asked", choices=("asked", "number")
)  # fmt: skip
_LONGEST = 200
"""The number of characters above which a topic is the beginning of what was asked, and a digest of it."""


class Value(NamedTuple):
    """A value of a file, which may be anything; the system is None if the file does not name it.

    ``test`` is what else identifies the item: values of a system for one topic are repeats of the same test only if it is the same.
    """

    topic: str
    measure: str
    value: Any
    system: str | None = None
    test: Any = None


class Results(Format):
    """A format of results by item: a value for every item and measure. The items become topics."""

    TABLES = ("scores",)
    SUPPORTED_PARAMS = {"measure": MEASURE}
    SIGNS: ClassVar[tuple[bytes, ...]] = ()
    """Regular expressions for the beginning of a file, all of which a file of this format matches; the first at its very start."""

    def recognises(self, table: str, path: Path, start: bytes) -> bool:
        """Tell from the first bytes whether a file has this format."""
        beginning = start.lstrip()
        first, *others = self.SIGNS
        return re.match(first, beginning) is not None and all(re.search(sign, beginning) for sign in others)

    def read(self, table: str, path: Path, content: bytes) -> pa.Table:
        """Return the results of a file as scores."""
        return table_of_values(self, path, self.values(path, content))

    @abstractmethod
    def values(self, path: Path, content: bytes) -> Iterable[Value]:
        """Yield the values of a file."""


def topic_of(reader: Format, number: Any, asked: Any) -> str:
    """Return the topic of an item: what was asked, as a text or as JSON; its number if the user wants this, or nothing else is known.

    A number is a position: in another file it is another item, as soon as one is inserted, moved or left out.
    """
    if asked is None or reader["topic"] in ("number", "row"):
        return text(number)
    written = asked if isinstance(asked, str) else json.dumps(asked, sort_keys=True, ensure_ascii=False)
    if len(written) > _LONGEST:
        digest = hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()
        return f"{written[: _LONGEST // 2]}... {digest[:16]}"
    return text(written)


def chosen(reader: Format, name: str, known: Iterable[str]) -> str:
    """Return the value of a parameter of a format, or the only one that there is."""
    known = list(dict.fromkeys(known))
    asked = str(reader[name])
    if asked and asked in known:
        return asked
    if not asked and len(known) == 1:
        return known[0]
    problem = f"There is no {name} {asked!r}." if asked else f"There are {len(known)} of {name}."
    raise DataError(
        f"{problem} Choose one of {list_some(known, 10)}: '{reader.NAME}({name}={known[0] if known else '...'}):FILE'."
    )


def json_lines(path: Path, content: bytes, name: str) -> Iterator[tuple[str, Any]]:
    """Yield the JSON of every line of a file that is not blank, with its place."""
    for line, written in enumerate(decoded(path, content).split("\n"), 1):
        if written.strip():
            yield f"{path}, line {line}", parsed(path, written, name, f", line {line}")


def table_of_values(reader: Format, path: Path, values: Iterable[Value]) -> pa.Table:
    """Return values as scores: those of an item that is repeated as their mean, those that are no numbers left out with a warning.

    Measures that not all topics of a system have are left out, too, unless one is asked for.
    """
    import pyarrow as pa

    measure = reader["measure"] if "measure" in reader.SUPPORTED_PARAMS else ""
    with understanding(str(path), reader.NAME):
        every = [
            one._replace(measure=text(one.measure), system=None if one.system is None else text(one.system))
            for one in values
        ]
    if measure and measure not in {one.measure for one in every}:
        raise DataError(
            f"{path} has no values of {measure}. It has: {list_some(dict.fromkeys(one.measure for one in every), 10)}."
        )
    _refuse_ambiguous(reader, path, every)
    asked = [one for one in every if not measure or one.measure == measure]
    found: dict[tuple[str | None, str, str], list[float]] = {}
    without: list[Value] = []
    for one in asked:
        value = float(one.value) if isinstance(one.value, bool) else number(one.value)
        if math.isfinite(value):
            found.setdefault((one.system, one.topic, one.measure), []).append(value)
        else:
            without.append(one)
    if not found:
        example = f" Found {str(without[0].value)[:80]!r} for {without[0].topic}, for example." if without else ""
        raise DataError(f"{path} has no value of an item that is a number, in the form of {reader.NAME}.{example}")
    _tell_of_omitted(path, without, len(asked))
    _tell_of_repeats(path, list(found.values()))
    kept = set(_complete(reader, path, list(found)) if not measure else [measure])
    rows = [(*key, _mean(several)) for key, several in found.items() if key[2] in kept]
    systems, topics, measures, means = zip(*rows, strict=True)
    if None in systems and len(set(systems)) > 1:
        raise DataError(
            f"{path} names the system of some results only: {list_some(dict.fromkeys(filter(None, systems)))}."
        )
    columns = {"query_id": texts(topics), "measure": texts(measures), "value": pa.array(means, pa.float64())}
    return pa.table(columns if None in systems else columns | {"system": texts(systems)})


def _refuse_ambiguous(reader: Format, path: Path, values: Iterable[Value]) -> None:
    """Raise if results of a system that are not of the same test have the same topic, so that they are no repeats."""
    first: dict[tuple[str | None, str], Any] = {}
    several = [one.topic for one in values if first.setdefault((one.system, one.topic), one.test) != one.test]
    if several:
        known = reader.SUPPORTED_PARAMS["topic"]
        other = next(name for name in known.choices or () if name != reader["topic"])
        raise DataError(
            f"{path}: different tests have the same topic ({len(set(several))} of {plural(len({key[1] for key in first}), 'topic')}, "
            f"first {several[0]!r}), so that nothing says which of them another file has. Give each test a name or a variable of its own, or, if all files have the same "
            f"tests under the same {other}, choose that: '{reader.NAME}(topic={other}):{path}'."
        )


def _mean(values: list[float]) -> float:
    """Return the mean, infinite, as which it is refused, where it is too large."""
    try:
        return math.fsum(values) / len(values)
    except OverflowError:
        return math.inf


def _complete(reader: Format, path: Path, keys: Iterable[tuple[str | None, str, str]]) -> list[str]:
    """Return the measures that every topic of a system has; warn of others, raise if there are only others."""
    of_measures: dict[str, set[tuple[str | None, str]]] = {}
    for system, topic, measure in keys:
        of_measures.setdefault(measure, set()).add((system, topic))
    topics = set().union(*of_measures.values())
    complete = [measure for measure, has in of_measures.items() if len(has) == len(topics)]
    lacking = {name: len(topics) - len(has) for name, has in of_measures.items() if len(has) < len(topics)}
    if lacking and len(of_measures) > 1:
        shown = list_some(f"{name} (not for {number} of {len(topics)} results)" for name, number in lacking.items())
        how = f"To read one on the topics that have it: '{reader.NAME}(measure={next(iter(lacking))}):{path}'"
        if not complete:
            raise DataError(f"{path} has no measure of all topics: {shown}. {how}.")
        left_out = (
            f"{plural(len(lacking), 'measure')} of some topics only {'is' if len(lacking) == 1 else 'are'} left out"
        )
        warn(path, f"{left_out}: {shown}. {how}")
    return complete or list(of_measures)


def _tell_of_omitted(path: Path, without: list[Value], length: int) -> None:
    """Warn of what is no number."""
    if without:
        of_measures = list_some(f"{name} ({times})" for name, times in Counter(one.measure for one in without).items())
        example = f"{str(without[0].value)[:60]!r} for {without[0].topic[:60]}"
        warn(
            path, f"{len(without)} of {length} values left out, as no finite numbers: {of_measures}; such as {example}"
        )


def _tell_of_repeats(path: Path, several: list[list[float]]) -> None:
    """Warn of items that have several values of a measure."""
    repeated = [len(values) for values in several if len(values) > 1]
    if repeated:
        low, high = min(repeated), max(repeated)
        times = f"{low}" if low == high else f"{low} to {high}"
        what = f"{plural(len(repeated), 'value')} of {len(several)}"
        warn(path, f"{what} averaged over repeats of the same item, {times} of each")
