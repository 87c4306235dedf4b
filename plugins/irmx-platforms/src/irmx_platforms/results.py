"""What formats of results by item share: which files are theirs, and values that become scores by topic."""

from __future__ import annotations

import hashlib
import io
import json
import math
import re
import struct
import zipfile
import zlib
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from irmx import DataError, Format, Param
from irmx.toolkit import decompressed_limit, list_some, plural, too_large
from irmx_platforms.decoding import Json, columns_of_parquet, decoded, number, parsed, text, texts, understanding, warn

if TYPE_CHECKING:
    import pyarrow as pa


# -- what formats of results by item share ---------------------------------------------------------------------------


MEASURE = Param(str, "the measure to read, on the topics that have it", default="")
TOPIC = Param(
    str, "what a topic is: what was asked, or the number that the tool gives it", default="asked", choices=("asked", "number")
)  # fmt: skip
_LONGEST = 200
"""The number of characters above which a topic is the beginning of what was asked, and a digest of it."""


class Value(NamedTuple):
    """A value of a file, which may be anything; the system is None if the file does not name it, the measure if only the repeat is known, as one that failed.

    ``test`` is what else identifies the item: values of a system for one topic are repeats of the same test only if it is the same.
    ``repeat`` tells its repeats apart: a measure has one value in each. ``place`` is where the value stands, if that is not the file.
    """

    topic: str
    measure: str | None
    value: Any
    system: str | None = None
    test: Any = None
    repeat: Any = None
    place: str = ""


class Results(Format):
    """A format of results by item: a value for every item and measure. The items become topics."""

    TABLES = ("scores",)
    SUPPORTED_PARAMS = {"measure": MEASURE}

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
    problem = f"There is no {name} {asked!r}." if asked else f"There are {plural(len(known), name)}."
    example = known[0] if known else "..."
    if not re.fullmatch(r"[A-Za-z][\w.-]*|\.\.\.", example):
        example = json.dumps(example, ensure_ascii=False)  # a number, say, is the text of it only in quotes
    raise DataError(f"{problem} Choose one of {list_some(known, 10)}: '{reader.NAME}({name}={example}):FILE'.")


def json_lines(path: Path, content: bytes, name: str) -> Iterator[tuple[str, Any]]:
    """Yield the JSON of every line of a file that is not blank, with its place."""
    for line, written in enumerate(decoded(path, content).split("\n"), 1):
        if written.strip():
            yield f"{path}, line {line}", parsed(path, written, name, f", line {line}")


def refuse_twice(records: Iterable[tuple[str, str]]) -> None:
    """Raise for what stands twice, which is no repeat but a doubled record; of everything, what it is and its place."""
    seen: set[str] = set()
    twice: list[tuple[str, str]] = []
    for what, place in records:
        if what in seen:
            twice.append((what, place))
        seen.add(what)
    if twice:
        more = f" So do {len(twice) - 1:,} others." if len(twice) > 1 else ""
        raise DataError(f"{twice[0][0]} stands here a second time.{more} Leave one of each out.", place=twice[0][1])


def table_of_values(reader: Format, path: Path, values: Iterable[Value]) -> pa.Table:
    """Return values as scores: those of an item that is repeated as their mean, those that are no numbers left out with a warning.

    An item of which a repeat failed, lacks the measure or has no number, has no value: the mean of the others would reward that. Measures that
    not all topics of a system have are left out, too, unless one is asked for.
    """
    import pyarrow as pa

    measure = reader["measure"] if "measure" in reader.SUPPORTED_PARAMS else ""
    repeats: dict[tuple[str | None, str], set[Any]] = {}
    with understanding(str(path), reader.NAME):
        every = [
            one._replace(**{of: text(getattr(one, of)) for of in ("measure", "system") if getattr(one, of) is not None})
            for one in values
        ]
        for one in every:
            repeats.setdefault((one.system, one.topic), set()).add(one.repeat)
    names = dict.fromkeys(one.measure for one in every if one.measure is not None)
    if measure and measure not in names:
        raise DataError(f"{path} has no values of {measure}. It has: {list_some(names, 10)}.")
    _refuse_ambiguous(reader, path, every)
    asked = [one for one in every if one.measure is not None and measure in ("", one.measure)]
    refuse_twice((_named(one), one.place or str(path)) for one in asked)
    found: dict[tuple[str | None, str, str], list[float]] = {}
    without: list[Value] = []
    for one in asked:
        value = float(one.value) if isinstance(one.value, bool) else number(one.value)
        if math.isfinite(value):
            found.setdefault((one.system, one.topic, str(one.measure)), []).append(value)
        else:
            without.append(one)
    partly = [key for key, several in found.items() if len(several) < len(repeats[key[:2]])]
    if partly:
        what = f"{plural(len(partly), 'value')} of {len(found)} left out, as a repeat of the item failed, or lacks it or a number"
        warn(path, f"{what}; such as {partly[0][2]} for {partly[0][1][:60]}")
    for key in partly:
        del found[key]
    if not found:
        example = f" Found {str(without[0].value)[:80]!r} for {without[0].topic}, for example." if without else ""
        raise DataError(
            f"{path} has no value of an item that is a number{' in every repeat' if partly else ''}, in the form of {reader.NAME}.{example}"
        )
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


def _named(value: Value) -> str:
    """Return what a value is of, for a message."""
    system = "" if value.system is None else f" by {value.system!r}"
    return f"{value.measure} for {value.topic!r}{system}{'' if value.repeat is None else f', repeat {value.repeat!r},'}"


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


# -- results of tests of applications: promptfoo, DeepEval, ragas; leaderboards ----------------------------------------


_ERROR = 2
"""promptfoo's reason for a failure that is an error of the provider, not of an assertion."""


class Promptfoo(Results):
    """Results of promptfoo: topics are tests, measures the named scores and ``score``, and systems the providers.

    A test is what its variables ask; tests that agree in all are repeats. A provider with several prompts is several systems.
    """

    NAME, SHORT_DESC = "promptfoo", "results of promptfoo as JSON or JSON Lines"
    EXAMPLES = ("promptfoo:out.json", "promptfoo(measure=score):out.json")
    SUPPORTED_PARAMS = {"measure": MEASURE, "topic": TOPIC}
    SIGNS = {"scores": (rb"\{", rb'^\{\s*"evalId"\s*:|"gradingResult"\s*:', rb'"results"\s*:\s*\{|"namedScores"\s*:')}

    def values(self, path: Path, content: bytes) -> Iterator[Value]:
        """Yield the values of every result; of an error, that it failed."""
        if re.match(rb'\s*\{\s*"evalId"', content):
            placed = [(str(path), result) for result in parsed(path, content, self.NAME)["results"]["results"]]
        else:
            placed = list(json_lines(path, content, self.NAME))
        results = [result for _, result in placed]
        systems = _names_of_systems(results)
        refuse_twice(
            (
                f"The result {one['id']!r}"
                if one.get("id")
                else f"The test {one['testIdx']} of {systems[_prompt_of(one)]!r}",
                place,
            )
            for place, one in placed
        )
        failed = [result for result in results if result.get("failureReason") == _ERROR]
        if failed:
            example = repr(failed[0].get("error"))[:400]
            warn(
                path,
                f"{len(failed)} of {len(results)} results are errors of a provider, and left out; such as {example}",
            )
        for repeat, result in enumerate(results, 1):
            system, test = systems[_prompt_of(result)], result["testCase"]
            topic = topic_of(self, result["testIdx"], test.get("vars") or {})
            if result.get("failureReason") == _ERROR:
                yield Value(topic, None, None, system, test, repeat)
                continue
            for measure, value in {**(result.get("namedScores") or {}), "score": result["score"]}.items():
                yield Value(topic, measure, value, system, test, repeat)
        if not results:
            raise DataError(f"{path} has no results.")


def _prompt_of(result: Json) -> tuple[str, int, str]:
    """Return the provider of a result, and which prompt it had; the number alone is another one in another evaluation, whose lines may follow."""
    of = result["provider"]
    return str(of.get("label") or of["id"]), result["promptIdx"], (result.get("prompt") or {}).get("label") or ""


def _names_of_systems(results: list[Json]) -> dict[tuple[str, int, str], str]:
    """Return the names of systems by their prompt: the provider, and which of its prompts if there are several."""
    prompts: dict[str, list[tuple[str, int, str]]] = {}
    for prompt in sorted(set(map(_prompt_of, results))):
        prompts.setdefault(prompt[0], []).append(prompt)
    return {
        prompt: f"{label} prompt {number}" if len(of) > 1 else label
        for label, of in prompts.items()
        for number, prompt in enumerate(of, 1)
    }


_MADE_UP = re.compile(r"(conversational_)?test_case_\d+|.*\[\D*\d+\]")
"""Names of cases that are positions: DeepEval's, and those of pytest for the cases of a parametrized test."""


class DeepEval(Results):
    """A test run of DeepEval: topics are the names of test cases, or their inputs where a name was made up."""

    NAME, SHORT_DESC = "deepeval", "test runs of DeepEval, as JSON"
    EXAMPLES = ("deepeval:test_run.json", "deepeval(topic=input):test_run.json")
    SIGNS = {"scores": (rb"\{", rb'"testCases"\s*:\s*\[')}
    SUPPORTED_PARAMS = {
        "measure": MEASURE,
        "topic": Param(str, "what a topic is: the name of a test case, or its input", default="name", choices=("name", "input")),
    }  # fmt: skip

    def values(self, path: Path, content: bytes) -> Iterator[Value]:
        """Yield the score of every metric of every case, of one turn or several."""
        run = parsed(path, content, self.NAME)
        system = run.get("identifier") or (run.get("hyperparameters") or {}).get("model")
        cases = [*run["testCases"], *(run.get("conversationalTestCases") or ())]
        without = [case["name"] for case in cases if not case.get("metricsData")]
        if without:
            warn(
                path,
                f"{len(without)} of {len(cases)} cases have no metric, and are left out; such as {str(without[0])[:60]!r}",
            )
        for repeat, case in enumerate(cases, 1):
            is_named = self["topic"] == "name" and not _MADE_UP.fullmatch(str(case["name"]))
            said = [turn["content"] for turn in case.get("turns") or () if turn["role"] == "user"]
            asked = case.get("input") or case.get("scenario") or said or None
            topic = topic_of(self, case["name"], None if is_named else asked)
            test = asked, case.get("expectedOutput"), case.get("context")
            for metric in case.get("metricsData") or [{"name": None}]:
                named = None if system is None else str(system)
                yield Value(topic, metric["name"], metric.get("score"), named, test, repeat)


_OF_SAMPLES = {
    "user_input", "retrieved_contexts", "reference_contexts", "retrieved_context_ids", "reference_context_ids", "response",
    "multi_responses", "reference", "rubrics", "persona_name", "query_style", "query_length", "synthesizer_name", "Unnamed: 0",
}  # fmt: skip
"""The columns of a sample of ragas, and that in which pandas writes the numbers of rows; the others are measures if they hold numbers."""
_TRUTH = {"True": 1.0, "False": 0.0}


class Ragas(Results):
    """Results of ragas as a table: topics are the inputs of users, measures the columns of numbers; the system is the file."""

    NAME, SHORT_DESC = "ragas", "results of ragas as csv, JSON Lines or Parquet"
    EXAMPLES = ("ragas:results.csv", "ragas(topic=row):results.jsonl")
    SUPPORTED_PARAMS = {
        "measure": MEASURE,
        "topic": Param(str, "what a topic is: the input of the user, or the row, counted from 1", default="input", choices=("input", "row")),
    }  # fmt: skip

    def recognises(self, table: str, path: Path, start: bytes) -> bool:
        """Tell from the names of columns whether a file has this format."""
        if start.startswith(b"PAR1"):
            return "user_input" in columns_of_parquet(path)
        first = start.lstrip().partition(b"\n")[0]
        if first.startswith(b"{"):
            return re.match(rb'\{\s*"user_input"\s*:', first) is not None
        return b"user_input" in first.replace(b'"', b"").strip().split(b",")

    def values(self, path: Path, content: bytes) -> Iterator[Value]:
        """Yield the cells of the columns of numbers."""
        rows = self._rows(path, content)
        names = dict.fromkeys(name for row in rows for name in row if name not in _OF_SAMPLES)
        measures = [name for name in names if _holds_numbers([row.get(name) for row in rows])]
        for position, row in enumerate(rows, 1):
            topic = topic_of(self, position, row["user_input"] or "")
            for measure in measures:
                value = row.get(measure)
                value = _TRUTH.get(value, value) if isinstance(value, str) else value
                yield Value(topic, measure, value, test=row.get("reference"), repeat=position)

    def _rows(self, path: Path, content: bytes) -> list[dict[str, Any]]:
        """Return the rows of a table; the cells of csv are texts."""
        import pandas as pd
        import pyarrow as pa
        from pyarrow import parquet

        if content.lstrip().startswith(b"{"):
            return [row for _, row in json_lines(path, content, self.NAME)]
        try:
            if content.startswith(b"PAR1"):
                return list(parquet.read_table(pa.BufferReader(content)).to_pylist())
            frame = pd.read_csv(io.StringIO(decoded(path, content), newline=""), dtype=str, keep_default_na=False)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise error if isinstance(error, DataError) else DataError(f"{path} cannot be read: {error}.") from None
        return [dict(zip(frame.columns, cells, strict=True)) for cells in frame.itertuples(index=False, name=None)]


def _holds_numbers(cells: list[Any]) -> bool:
    """Tell whether at least half of the cells that are not empty are numbers, or true and false."""
    filled = [cell for cell in cells if cell is not None and cell != ""]
    truths = [cell for cell in filled if isinstance(cell, bool) or (isinstance(cell, str) and cell in _TRUTH)]
    numbers = [cell for cell in filled if math.isfinite(number(cell))]
    return bool(filled) and 2 * (len(truths) + len(numbers)) >= len(filled)


_FORMS = {
    "trec_eval": ("measure", "topic", "value"),
    "tot": ("run", "measure", "topic", "value"),
    "ir_measures": ("run", "topic", "measure", "value"),
    "ranking": ("topic", "Q0", "run", "rank", "value", "measure"),
}
"""The columns of the forms of leaderboards that are lines of fields."""


class AutoJudge(Results):
    """Leaderboards of TREC AutoJudge in a form that is named, for those whose content does not tell the topic from the measure.

    A header is left out, as is the topic ``all``, which has means.
    """

    NAME, SHORT_DESC = "autojudge", "leaderboards of TREC AutoJudge in a form that is named"
    EXAMPLES = ("autojudge:leaderboard.txt", "autojudge(form=ir_measures):leaderboard.txt")
    SUPPORTED_PARAMS = {
        "measure": MEASURE,
        "form": Param(str, "the form of the lines", default="tot", choices=(*_FORMS, "jsonl")),
    }

    def values(self, path: Path, content: bytes) -> Iterator[Value]:
        """Yield the value of every line."""
        for place, row in self._rows(path, content):
            with understanding("This line", self.NAME, place):
                topic, run = text(row["topic"]), row.get("run")
                if not math.isfinite(number(row["value"])):
                    raise ValueError(f"the value must be a number. Got {row['value']!r}")
                if topic != "all":
                    system = None if run is None else text(run)
                    yield Value(topic, text(row["measure"]), row["value"], system, place=place)

    def _rows(self, path: Path, content: bytes) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the place and the fields of every line."""
        if self["form"] == "jsonl":
            for place, line in json_lines(path, content, self.NAME):
                with understanding("This line", self.NAME, place):
                    yield place, {"run": line["run_id"], "topic": line["topic_id"], **line}
            return
        names = _FORMS[self["form"]]
        lines = [(i, line) for i, line in enumerate(decoded(path, content).split("\n"), 1) if line.strip()]
        for i, line in lines:
            place, fields = f"{path}, line {i}", line.split()
            if i == lines[0][0] and {"measure", "value"} <= {field.lower() for field in fields}:
                continue
            if len(fields) != len(names):
                raise DataError(
                    f"A line of the form {self['form']} is {', '.join(names)}. Got {plural(len(fields), 'field')}: {line.strip()[:100]!r}.",
                    place=place,
                )
            yield place, dict(zip(names, fields, strict=True))


# -- results of harnesses: lm-eval, HELM, and the common form of Every Eval Ever -------------------------------------


_OF_HARNESS = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "doc_hash", "prompt_hash", "target_hash"}  # fmt: skip
"""What a sample of lm-eval has beside its measures, which older versions do not list."""
_LIKELIHOODS = {
    "perplexity": "log_likelihood",
    "word_perplexity": "log_likelihood_per_word",
    "byte_perplexity": "log_likelihood_per_byte",
    "bits_per_byte": "log_likelihood_per_byte",
}
"""What samples have under the name of a perplexity, which lm-eval computes of the mean over all samples."""


class LmEval(Results):
    """Samples of lm-eval (``--log_samples``): topics are what documents of the task ask, and the system is the model in the results beside them.

    Under the name of a perplexity samples have a log-likelihood, of which more is better; it is read as what it is.
    """

    NAME, SHORT_DESC = "lm_eval", "samples of lm-eval, as its option --log_samples writes them"
    EXAMPLES = ("lm_eval:samples_task_2026.jsonl", "lm_eval(filter=strict-match):samples_task_2026.jsonl")
    SIGNS = {"scores": (rb'\{\s*"doc_id"\s*:', rb'"doc"\s*:')}
    SUPPORTED_PARAMS = {
        "measure": MEASURE,
        "topic": TOPIC,
        "filter": Param(str, "the filter of answers, where there are several", default=""),
    }

    def values(self, path: Path, content: bytes) -> Iterator[Value]:
        """Yield the values of every sample by one filter."""
        placed = list(json_lines(path, content, self.NAME))
        filters = dict.fromkeys(str(sample.get("filter", "none")) for _, sample in placed)
        by = chosen(self, "filter", filters)
        samples = [(place, sample) for place, sample in placed if str(sample.get("filter", "none")) == by]
        refuse_twice(
            (f"The doc_id {one['doc_id']!r} with the hash {one.get('doc_hash')}", place) for place, one in samples
        )
        system = self._system(path)
        renamed: dict[str, str] = {}
        for _, sample in samples:
            topic = topic_of(self, sample["doc_id"], sample["doc"])
            values: dict[str, Any] = {}
            for name in sample.get("metrics") or [name for name in sample if name not in _OF_HARNESS]:
                likelihood = _likelihood(sample[name]) if name in _LIKELIHOODS else None
                if likelihood is None:
                    values[name] = sample[name]
                else:
                    renamed[name] = _LIKELIHOODS[name]
                    values[renamed[name]] = likelihood
            for measure, value in values.items():
                yield Value(topic, measure, value, system, sample["doc"], sample["doc_id"])
        if renamed and self["measure"] in ("", *renamed):
            names = list_some(f"{name} is read as {measure}" for name, measure in renamed.items())
            why = "samples have log-likelihoods, of which more is better, and lm-eval computes perplexities only of their mean"
            warn(path, f"{names}: {why}")

    def _system(self, path: Path) -> str | None:
        """Return the model of the results of the same time, or of the only ones in the folder; else what the folder is named after."""
        beside = sorted(path.parent.glob("results_*.json")) if path.parent.is_dir() else []
        same = [
            file
            for file in beside
            if path.name.startswith("samples_") and file.stem.removeprefix("results_") in path.name
        ]
        for file in same or beside if len(same or beside) == 1 else []:
            name = _beside(file, dict).get("model_name")
            if isinstance(name, str) and name:
                return name
        return path.parent.name if "__" in path.parent.name else None


def _likelihood(value: Any) -> float | None:
    """Return a log-likelihood, per word or byte if it comes with their number; None for what is none, such as a perplexity."""
    likelihood, length = map(number, value if isinstance(value, list) and len(value) == 2 else (value, 1))
    return likelihood / length if likelihood <= 0 < length else None


class Helm(Results):
    """HELM's values by instance (``per_instance_stats.json``); the system is the model in ``run_spec.json`` beside them.

    Topics are what ``instances.json`` beside them says that was asked, or else the ids, which are positions in HELM's data. Instances that HELM changed, to see whether a model is robust or fair, are left out.
    """

    NAME, SHORT_DESC = "helm", "HELM's per_instance_stats.json"
    EXAMPLES = ("helm:per_instance_stats.json", "helm(measure=f1_score):per_instance_stats.json")
    SUPPORTED_PARAMS = {"measure": MEASURE, "topic": TOPIC}
    SIGNS = {"scores": (rb'\[\s*\{\s*"instance_id"\s*:', rb'"stats"\s*:')}

    def values(self, path: Path, content: bytes) -> Iterator[Value]:
        """Yield the means of every instance."""
        instances = parsed(path, content, self.NAME)
        kept = [instance for instance in instances if not instance.get("perturbation")]
        if changed := len(instances) - len(kept):
            warn(path, f"{changed} of {len(instances)} results are of changed instances, and left out")
        specification = _beside(path.parent / "run_spec.json", dict).get("adapter_spec")
        model = specification.get("model") if isinstance(specification, dict) else None
        asked = {
            one["id"]: {"input": one["input"], "references": [reference["output"] for reference in one["references"]]}
            for one in _beside(path.parent / "instances.json", list)
            if not one.get("perturbation")
        }
        trials = dict.fromkeys(one.get("train_trial_index") for one in kept)
        for instance in kept:
            topic = topic_of(self, instance["instance_id"], asked.get(instance["instance_id"]))
            repeats = {trial: f"{instance['instance_id']}, trial {trial}" for trial in trials}
            for repeat in repeats.values():  # also of trials that the instance lacks
                yield Value(topic, None, None, model, repeat=repeat)
            for stat in instance["stats"]:
                if stat.get("count", 1):
                    repeat = repeats[instance.get("train_trial_index")]
                    yield Value(topic, stat["name"]["name"], stat["mean"], model, repeat=repeat)


class EveryEvalEver(Results):
    """Samples of Every Eval Ever: one line per item and measure.

    The name of the collection before the name of a measure is left out: ``toy.nDCG@10`` of the collection ``toy`` is ``nDCG@10``.
    """

    NAME, SHORT_DESC = "every_eval_ever", "samples of Every Eval Ever, one line per item and measure"
    EXAMPLES = ("every_eval_ever:0f0c1a52-6d0e-4c39-9a54-0c5a5a0f6b11_samples.jsonl",)
    SIGNS = {"scores": (rb"\{", rb'"evaluation_id"\s*:', rb'"evaluation_name"\s*:', rb'"sample_id"\s*:')}

    def values(self, path: Path, content: bytes) -> Iterator[Value]:
        """Yield the value of every line."""
        rows = list(json_lines(path, content, self.NAME))
        ids: dict[str, set[str]] = {}
        epochs: dict[str, dict[Any, None]] = {}
        for _, row in rows:
            ids.setdefault(row["evaluation_name"], set()).add(row.get("evaluation_result_id") or "")
            epochs.setdefault(row["model_id"], {})[_epoch_of(row)] = None
        for system, sample in dict.fromkeys((row["model_id"], text(row["sample_id"])) for _, row in rows):
            yield from (
                Value(sample, None, None, system, repeat=epoch) for epoch in epochs[system]
            )  # also those it lacks
        for place, row in rows:
            name = row["evaluation_name"]
            measure = row["evaluation_result_id"] if len(ids[name]) > 1 else name
            collection = row["evaluation_id"].partition("/")[0]
            measure = measure.removeprefix(f"{collection}.") or measure
            score = row["evaluation"]["score"]
            yield Value(text(row["sample_id"]), measure, score, row["model_id"], repeat=_epoch_of(row), place=place)


def _epoch_of(row: Json) -> str | None:
    """Return the epoch of a line of Every Eval Ever, which one that was converted from Inspect has."""
    return str((row.get("metadata") or {}).get("epoch", "")) or None


def _beside(path: Path, kind: type) -> Any:
    """Return a JSON file that may be beside another; an empty object or list, as asked for, if it is not there, or something else."""
    try:
        document = json.loads(path.read_bytes())
    except FileNotFoundError:
        return kind()
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path}, which says what the results are of, cannot be read: {error}.") from None
    return document if isinstance(document, kind) else kind()


# -- logs of Inspect: one JSON file, or a zip archive of JSON files --------------------------------------------------


_LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
"""What Inspect's letters count: correct, incorrect, partly correct, no answer."""
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""What words count, whose case does not matter."""
_ZIP, _ZSTD = b"PK\3\4", 93
_MEMBERS = (b"_journal/", b"samples/", b"header.json", b"summaries.json", b"reductions.json")


class Inspect(Results):
    """Logs of Inspect: topics are samples, measures the scorers, and the system is the model.

    A sample whose id is a number, as Inspect makes them up, is what it asks. A log of an evaluation that did not succeed, lacks samples or
    is invalidated is refused, unless ``unfinished`` asks for it. A scorer that gives several values by name is several measures, such as ``scorer.precision``.

    Examples
    --------
    >>> import irmx, json, pathlib, tempfile
    >>> samples = [{"id": f"q{i}", "epoch": 1, "scores": {"match": {"value": letter}}} for i, letter in enumerate("CIP")]
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "log.json"
    >>> _ = path.write_text(json.dumps({"status": "success", "eval": {"model": "toy/a"}, "samples": samples}))
    >>> scores = irmx.read_per_topic(path)
    >>> scores, scores.values.ravel().tolist()
    (<Scores of 3 topics, 1 system, 1 measure: match>, [1.0, 0.0, 0.5])
    """

    NAME, SHORT_DESC = "inspect", "logs of Inspect, .eval or .json"
    EXAMPLES = ("inspect:log.eval", "inspect(measure=includes):log.json")
    SIGNS = {"scores": (rb"\{", rb'"status"\s*:', rb'"eval"\s*:\s*\{')}
    SUPPORTED_PARAMS = {
        "measure": MEASURE, "topic": TOPIC,
        "unfinished": Param(bool, "whether to read a log of an evaluation that failed, did not finish or is invalidated", default=False),
    }  # fmt: skip

    def recognises(self, table: Any, path: Path, start: bytes) -> bool:
        """Tell from the first bytes whether a file has this format."""
        is_archive = start.startswith(_ZIP) and start[30:].startswith(_MEMBERS)
        return is_archive or super().recognises(table, path, start)

    def values(self, path: Path, content: bytes) -> Iterator[Value]:
        """Yield the values of every epoch of every sample; if the log has none, those that Inspect reduced them to."""
        log = _of_archive(path, content) if content.startswith(_ZIP) else parsed(path, content, self.NAME)
        system = str(log["eval"]["model"])
        samples = log.get("samples") or []
        epochs = (log["eval"].get("config") or {}).get("epochs") or 1
        unfinished = _unfinished(path, log, samples, epochs)
        if unfinished and not self["unfinished"]:
            raise DataError(
                f"{path}: {unfinished}. Finish it, such as with inspect eval-retry; or give "
                f"'inspect(unfinished=True):{path}' to read the samples that it has."
            )
        if unfinished:
            warn(path, unfinished)
        of_epochs = [sample for sample in samples if "epoch" in sample]
        refuse_twice((f"The sample {one['id']!r} in epoch {one['epoch']}", str(path)) for one in of_epochs)
        times = Counter(sample["id"] for sample in samples)
        most = max([epochs, *times.values()]) if unfinished else 0
        # a sample counts if it has a score, is valid, and has all epochs that were asked for, or others have
        failed = [
            not one.get("scores") or bool(one.get("error") or one.get("invalidation")) or times[one["id"]] < most
            for one in samples
        ]
        scored = len(samples) - sum(failed)
        if scored < len(samples) and scored:
            warn(
                path,
                f"{len(samples) - scored} of {len(samples)} samples have no score, failed, are invalidated or lack epochs, and are left out",
            )
        for sample, is_failed in zip(samples, failed, strict=True) if scored else ():
            topic = topic_of(self, sample["id"], _asked(sample) if isinstance(sample["id"], int) else None)
            if is_failed:
                yield Value(topic, None, None, system, sample["id"], sample.get("epoch"))
                continue
            for scorer, score in sample["scores"].items():
                for value in _of_score(topic, scorer, score["value"], system):
                    yield value._replace(test=sample["id"], repeat=sample.get("epoch"))
        is_spoilt = any(sample.get("invalidation") or times[sample["id"]] < most for sample in samples)
        reductions = [] if scored or is_spoilt else log.get("reductions") or []
        for reduced in reductions:
            by_reducer = sum(other["scorer"] == reduced["scorer"] for other in reductions) > 1
            scorer = f"{reduced['scorer']}.{reduced.get('reducer')}" if by_reducer else reduced["scorer"]
            for sample in reduced["samples"]:
                if isinstance(sample["sample_id"], int) and self["topic"] == "asked":
                    raise DataError(
                        f"{path} has no samples, only what they were reduced to, by number, which does not say what was asked. If the numbers "
                        f"are those of the same samples in all logs, give 'inspect(topic=number):{path}'."
                    )
                yield from _of_score(text(sample["sample_id"]), scorer, sample["value"], system)
        if not scored and not reductions:
            raise DataError(
                f"{path}: none of {len(samples)} samples has a score and all its epochs. Score the log with Inspect: inspect score; or run what it lacks: "
                "inspect eval-retry."
            )


def _unfinished(path: Path, log: Json, samples: list[Json], epochs: int) -> str:
    """Return what an evaluation lacks: that it did not succeed, samples that are not in the log, and those that somebody made invalid; empty if nothing."""
    lacks = []
    if log["status"] != "success":
        lacks.append(f"the evaluation did not finish; its status is {log['status']!r}")
    total = (log.get("results") or {}).get("total_samples") or len({sample["id"] for sample in samples}) * epochs
    reduced = max((len(of["samples"]) for of in log.get("reductions") or ()), default=0) * epochs
    if 0 < (number := len(samples) or reduced) < total:
        lacks.append(f"the log has {number} of {total} samples, of all epochs")
    if log.get("invalidated"):
        invalid = [sample["id"] for sample in samples if sample.get("invalidation")]
        if not invalid:
            raise DataError(
                f"{path}: the log is invalidated, and does not say which samples are. Run these again, with inspect eval-retry; or read the log as "
                "JSON with all samples, which says it: inspect log convert --to json."
            )
        lacks.append(f"the log is invalidated: {plural(len(invalid), 'sample')}, such as {invalid[0]!r}")
    return "; and ".join(lacks)


def _asked(sample: Json) -> Any:
    """Return what a sample asks; of messages without their ids, which are of one run."""
    asked = sample.get("input")
    if isinstance(asked, list):
        asked = [{name: message[name] for name in ("role", "content")} for message in asked]
    return {"input": asked, "choices": sample["choices"]} if sample.get("choices") else asked


def _of_score(topic: str, measure: str, value: Any, system: str) -> Iterator[Value]:
    """Yield the value of a scorer, or its values by name."""
    for name, one in value.items() if isinstance(value, dict) else [("", value)]:
        named = f"{measure}.{name}" if name else measure
        number = _LETTERS.get(one, _WORDS.get(one.lower(), one)) if isinstance(one, str) else one
        yield Value(topic, named, number, system)


def _of_archive(path: Path, content: bytes) -> Json:
    """Return what an archive has of a log: the header, the samples, in short if there are summaries, and the reductions."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        names = set(archive.namelist())
        summaries = ["summaries.json"] if "summaries.json" in names else []
        journal = sorted(name for name in names if name.startswith("_journal/summaries/"))
        limit = left = decompressed_limit(len(content))

        def read(members: Iterable[str]) -> list[Any]:
            nonlocal left
            written = {}
            for name in members:
                written[name] = _member(archive, content, name, left)
                left -= len(written[name])
                if left < 0:
                    raise too_large(len(content), limit).at(str(path))
            return [parsed(path, member, "inspect", f", {name}") for name, member in written.items()]

        header: Json = {"status": "started"} | read(
            ["header.json" if "header.json" in names else "_journal/start.json"]
        )[0]
        reductions = read({"reductions.json"} & names)
        samples = [sample for of_file in read(summaries or journal) for sample in of_file]
    except DataError:
        raise
    except (
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        KeyError,
        EOFError,
        OSError,
        ValueError,
        NotImplementedError,
        RuntimeError,
    ) as error:
        raise DataError(f"{path} is not a whole archive of Inspect: {error}. Copy it again.") from None
    return header | {"samples": samples, "reductions": reductions[0] if reductions else []}


def _member(archive: zipfile.ZipFile, content: bytes, name: str, limit: int) -> bytes:
    """Return a file of an archive, one byte more than a limit if it is larger; zstd, with which Inspect compresses, is read by Arrow, because zipfile reads it since Python 3.14 only."""
    import pyarrow as pa

    info = archive.getinfo(name)
    opened: IO[bytes]
    if info.compress_type == _ZSTD:
        name_length, extra_length = struct.unpack_from("<HH", content, info.header_offset + 26)
        begin = info.header_offset + 30 + name_length + extra_length
        compressed = pa.BufferReader(content[begin : begin + info.compress_size])
        opened = pa.CompressedInputStream(compressed, "zstd")
    else:
        opened = archive.open(info)
    with opened:
        member = opened.read(limit + 1)
    if len(member) <= limit and zlib.crc32(member) != info.CRC:
        raise zipfile.BadZipFile(f"{name} is damaged")
    return member
