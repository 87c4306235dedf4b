"""Results of tests of applications: promptfoo, DeepEval, ragas."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path

from irmx import DataError, DataWarning
from irmx_platforms.decoding import Json, parsed, text
from irmx_platforms.results import Results, Value

_ERROR = 2
"""promptfoo's reason for a failure that is an error of the provider, not of an assertion."""


class Promptfoo(Results):
    """The JSON of promptfoo: topics are tests, measures the named scores and ``score``, and systems the providers.

    Tests with the same variables are one topic, named after the number of the first. A provider with several prompts is several systems.
    """

    NAME, SHORT_DESC = "promptfoo", "results of promptfoo, as JSON"
    EXAMPLES = ("promptfoo:out.json", "promptfoo(measure=score):out.json")
    SIGNS = (rb'\{\s*"evalId"\s*:', rb'"results"\s*:\s*\{')

    def values(self, path: Path, content: bytes) -> Iterator[Value]:
        """Yield the values of every result but those of errors."""
        results = parsed(path, content, self.NAME)["results"]["results"]
        systems, topics = _names_of_systems(results), _first_tests(results)
        failed = [result for result in results if result.get("failureReason") == _ERROR]
        if failed:
            said = f"{path}: {len(failed)} of {len(results)} results are errors of a provider, and left out; such as {failed[0].get('error')!r}."
            warnings.warn(said[:500], DataWarning, stacklevel=2)
        for result in results:
            if result.get("failureReason") == _ERROR:
                continue
            system, topic = systems[result["promptIdx"]], topics[_variables(result)]
            for measure, value in {**(result.get("namedScores") or {}), "score": result["score"]}.items():
                yield Value(topic, measure, value, system)
        if not results:
            raise DataError(f"{path} has no results.")


def _variables(result: Json) -> str:
    """Return what a test is about: its variables, or its number if it has none."""
    variables = result.get("testCase", {}).get("vars")
    return json.dumps(variables, sort_keys=True) if variables else text(result["testIdx"])


def _first_tests(results: list[Json]) -> dict[str, str]:
    """Return the number of the first test about the same, by what it is about."""
    first: dict[str, str] = {}
    for result in sorted(results, key=lambda result: result["testIdx"]):
        first.setdefault(_variables(result), text(result["testIdx"]))
    return first


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
