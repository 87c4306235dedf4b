"""Results of tests of applications: promptfoo, DeepEval, ragas, nuggetizer."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from irmx import DataError, Param
from irmx_platforms.decoding import Json, columns_of_parquet, decoded, number, parsed, text, understanding, warn
from irmx_platforms.results import MEASURE, TOPIC, Results, Value, json_lines, topic_of

_ERROR = 2
"""promptfoo's reason for a failure that is an error of the provider, not of an assertion."""


class Promptfoo(Results):
    """Results of promptfoo: topics are tests, measures the named scores and ``score``, and systems the providers.

    A test is what its variables ask; tests that agree in all are repeats. A provider with several prompts is several systems.
    """

    NAME, SHORT_DESC = "promptfoo", "results of promptfoo as JSON or JSON Lines"
    EXAMPLES = ("promptfoo:out.json", "promptfoo(measure=score):out.json")
    SUPPORTED_PARAMS = {"measure": MEASURE, "topic": TOPIC}
    SIGNS = (rb"\{", rb'^\{\s*"evalId"\s*:|"gradingResult"\s*:', rb'"results"\s*:\s*\{|"namedScores"\s*:')

    def values(self, path: Path, content: bytes) -> Iterator[Value]:
        """Yield the values of every result but those of errors."""
        if re.match(rb'\s*\{\s*"evalId"', content):
            results = parsed(path, content, self.NAME)["results"]["results"]
        else:
            results = [result for _, result in json_lines(path, content, self.NAME)]
        systems = _names_of_systems(results)
        failed = [result for result in results if result.get("failureReason") == _ERROR]
        if failed:
            example = repr(failed[0].get("error"))[:400]
            warn(
                path,
                f"{len(failed)} of {len(results)} results are errors of a provider, and left out; such as {example}",
            )
        for result in results:
            if result.get("failureReason") == _ERROR:
                continue
            system, test = systems[result["promptIdx"]], result["testCase"]
            topic = topic_of(self, result["testIdx"], test.get("vars") or {})
            for measure, value in {**(result.get("namedScores") or {}), "score": result["score"]}.items():
                yield Value(topic, measure, value, system, test)
        if not results:
            raise DataError(f"{path} has no results.")


def _names_of_systems(results: list[Json]) -> dict[int, str]:
    """Return the names of systems by the number of their prompt: the provider, and which of its prompts if there are several."""
    providers = {result["promptIdx"]: result["provider"] for result in results}
    labels = {prompt: str(of.get("label") or of["id"]) for prompt, of in sorted(providers.items())}
    prompts: dict[str, list[int]] = {}
    for prompt, label in labels.items():
        prompts.setdefault(label, []).append(prompt)
    several = {label for label, of in prompts.items() if len(of) > 1}
    return {
        prompt: f"{label} prompt {prompts[label].index(prompt) + 1}" if label in several else label
        for prompt, label in labels.items()
    }


_MADE_UP = re.compile(r"(conversational_)?test_case_\d+|.*\[\D*\d+\]")
"""Names of cases that are positions: DeepEval's, and those of pytest for the cases of a parametrized test."""


class DeepEval(Results):
    """A test run of DeepEval: topics are the names of test cases, or their inputs where a name was made up."""

    NAME, SHORT_DESC = "deepeval", "test runs of DeepEval, as JSON"
    EXAMPLES = ("deepeval:test_run.json", "deepeval(topic=input):test_run.json")
    SIGNS = (rb"\{", rb'"testCases"\s*:\s*\[')
    SUPPORTED_PARAMS = {
        "measure": MEASURE,
        "topic": Param(str, "what a topic is: the name of a test case, or its input", default="name", choices=("name", "input")),
    }  # fmt: skip

    def values(self, path: Path, content: bytes) -> Iterator[Value]:
        """Yield the score of every metric of every case, of one turn or several."""
        run = parsed(path, content, self.NAME)
        system = run.get("identifier") or (run.get("hyperparameters") or {}).get("model")
        for case in [*run["testCases"], *(run.get("conversationalTestCases") or ())]:
            is_named = self["topic"] == "name" and not _MADE_UP.fullmatch(str(case["name"]))
            said = [turn["content"] for turn in case.get("turns") or () if turn["role"] == "user"]
            asked = case.get("input") or case.get("scenario") or said or None
            topic = topic_of(self, case["name"], None if is_named else asked)
            test = asked, case.get("expectedOutput"), case.get("context")
            for metric in case.get("metricsData") or ():
                yield Value(topic, metric["name"], metric.get("score"), None if system is None else str(system), test)


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
                yield Value(topic, measure, value, test=row.get("reference"))

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


class Nuggetizer(Results):
    """Metrics by topic of nuggetizer, of one run: the shares of nuggets that its answers support; the line ``all`` has means."""

    NAME, SHORT_DESC = "nuggetizer", "metrics by topic of nuggetizer"
    EXAMPLES = ("nuggetizer:run.metrics.jsonl",)
    SIGNS = (rb'\{"qid"\s*:', rb'"strict_vital_score"\s*:', rb'"vital_score"\s*:')

    def values(self, path: Path, content: bytes) -> Iterator[Value]:
        for place, line in json_lines(path, content, self.NAME):
            with understanding("This line", self.NAME, place):
                topic = text(line["qid"])
                if topic != "all":
                    yield from (Value(topic, name, value) for name, value in line.items() if name != "qid")
