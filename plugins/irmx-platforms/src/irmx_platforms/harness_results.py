"""Results of harnesses: lm-eval, HELM, and the common form of Every Eval Ever."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from irmx import DataError, Param
from irmx.toolkit import list_some
from irmx_platforms.decoding import number, parsed, text, warn
from irmx_platforms.results import MEASURE, TOPIC, Results, Value, chosen, json_lines, topic_of

_OF_SAMPLES = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "doc_hash", "prompt_hash", "target_hash"}  # fmt: skip
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
    SIGNS = (rb'\{\s*"doc_id"\s*:', rb'"doc"\s*:')
    SUPPORTED_PARAMS = {
        "measure": MEASURE,
        "topic": TOPIC,
        "filter": Param(str, "the filter of answers, where there are several", default=""),
    }

    def values(self, path: Path, content: bytes) -> Iterator[Value]:
        """Yield the values of every sample by one filter."""
        samples = [sample for _, sample in json_lines(path, content, self.NAME)]
        filters = dict.fromkeys(str(sample.get("filter", "none")) for sample in samples)
        by = chosen(self, "filter", filters)
        system = self._system(path)
        renamed: dict[str, str] = {}
        for sample in samples:
            if str(sample.get("filter", "none")) == by:
                topic = topic_of(self, sample["doc_id"], sample["doc"])
                values: dict[str, Any] = {}
                for name in sample.get("metrics") or [name for name in sample if name not in _OF_SAMPLES]:
                    likelihood = _likelihood(sample[name]) if name in _LIKELIHOODS else None
                    if likelihood is None:
                        values[name] = sample[name]
                    else:
                        renamed[name] = _LIKELIHOODS[name]
                        values[renamed[name]] = likelihood
                for measure, value in values.items():
                    yield Value(topic, measure, value, system, sample["doc"])
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
    SIGNS = (rb'\[\s*\{\s*"instance_id"\s*:', rb'"stats"\s*:')

    def values(self, path: Path, content: bytes) -> Iterator[Value]:
        """Yield the means of every instance."""
        instances = parsed(path, content, self.NAME)
        changed = [instance for instance in instances if instance.get("perturbation")]
        if changed:
            warn(path, f"{len(changed)} of {len(instances)} results are of changed instances, and left out")
        specification = _beside(path.parent / "run_spec.json", dict).get("adapter_spec")
        model = specification.get("model") if isinstance(specification, dict) else None
        asked = {
            one["id"]: {"input": one["input"], "references": [reference["output"] for reference in one["references"]]}
            for one in _beside(path.parent / "instances.json", list)
            if not one.get("perturbation")
        }
        for instance in instances:
            topic = topic_of(self, instance["instance_id"], asked.get(instance["instance_id"]))
            for stat in instance["stats"] if not instance.get("perturbation") else ():
                if stat.get("count", 1):
                    yield Value(topic, stat["name"]["name"], stat["mean"], model)


class EveryEvalEver(Results):
    """Samples of Every Eval Ever: one line per item and measure.

    The name of the collection before the name of a measure is left out: ``toy.nDCG@10`` of the collection ``toy`` is ``nDCG@10``.
    """

    NAME, SHORT_DESC = "every_eval_ever", "samples of Every Eval Ever, one line per item and measure"
    EXAMPLES = ("every_eval_ever:0f0c1a52-6d0e-4c39-9a54-0c5a5a0f6b11_samples.jsonl",)
    SIGNS = (rb"\{", rb'"evaluation_id"\s*:', rb'"evaluation_name"\s*:', rb'"sample_id"\s*:')

    def values(self, path: Path, content: bytes) -> Iterator[Value]:
        """Yield the value of every line."""
        rows = [row for _, row in json_lines(path, content, self.NAME)]
        ids: dict[str, set[str]] = {}
        for row in rows:
            ids.setdefault(row["evaluation_name"], set()).add(row.get("evaluation_result_id") or "")
        for row in rows:
            name = row["evaluation_name"]
            measure = row["evaluation_result_id"] if len(ids[name]) > 1 else name
            collection = row["evaluation_id"].partition("/")[0]
            measure = measure.removeprefix(f"{collection}.") or measure
            yield Value(text(row["sample_id"]), measure, row["evaluation"]["score"], row["model_id"])


def _beside(path: Path, kind: type) -> Any:
    """Return a JSON file that may be beside another; an empty object or list, as asked for, if it is not there, or something else."""
    try:
        document = json.loads(path.read_bytes())
    except FileNotFoundError:
        return kind()
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path}, which says what the results are of, cannot be read: {error}.") from None
    return document if isinstance(document, kind) else kind()
