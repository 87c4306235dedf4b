"""Scores as results of Every Eval Ever, the common form in which evaluations of models are shared."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import time
import uuid
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from irmx import DataError, Measure, Scores, UsageError, registry
from irmx.ragged import Floats
from irmx.toolkit import new_file
from irmx_platforms.decoding import Json

SCHEMA = "0.3.0"
RELATIONSHIPS = ("first_party", "third_party", "collaborative", "other")
_NOT_JUDGED_CORRECT = {"is_correct_applicable": "false"}
"""What adapters of the project write where the schema asks whether an answer is correct, and there is only a score."""


def to_every_eval_ever(
    scores: Scores,
    folder: str | os.PathLike[str],
    *,
    collection: str,
    organization: str,
    relationship: str = "first_party",
    queries: Mapping[str, str] | None = None,
    coverage: float = 0.95,
    timestamp: int | None = None,
) -> list[Path]:
    r"""Write scores as results of Every Eval Ever: for each system, one JSON file of its means, and one line per topic and measure.

    Parameters
    ----------
    scores : Scores
        One value per topic, system and measure, without further views.
    folder : path
        Where the folder ``data`` is, or shall be. The files are ``data/COLLECTION/DEVELOPER/SYSTEM/UUID.json`` and ``UUID_samples.jsonl``;
        the same scores have the same names again, and replace what is there.
    collection : str
        The name of the test collection, which is put before the names of measures.
    organization : str
        Who evaluates; also the developer of systems whose names do not begin with one, as ``openai/gpt-4o`` does.
    relationship : {"first_party", "third_party", "collaborative", "other"}
        What the organization is to the developers of the systems.
    queries : mapping of str to str, optional
        The texts of topics; without a text, the input of a sample is the id of the topic.
    coverage : float
        The coverage of the intervals of means, by the t distribution over topics; 0 for none. Measures whose summary is no mean have none.
    timestamp : int, optional
        When the record is made, in seconds since 1970; by default now.

    Returns
    -------
    list of Path
        The files of means, one per system.

    Raises
    ------
    irmx.errors.UsageError
        If scores have views beside measures, a name is empty, two systems would be the same model, or a value is not allowed.
    irmx.errors.DataError
        If a system has no values, or a file cannot be written.

    Notes
    -----
    Schema 0.3.0 asks of every sample whether the answer is correct. Of scores it is not known: it is false, with ``is_correct_applicable`` false in
    the metadata, as adapters of the project write it. A topic without a value of a measure has no line.

    Examples
    --------
    >>> import irmx, pathlib, tempfile
    >>> scores = irmx.scores("AP RR", {"1": {"a": 1}, "2": {"b": 1}}, {"bm25": {"1": {"a": 1.0}, "2": {"x": 2.0, "b": 1.0}}})
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> [path] = to_every_eval_ever(scores, folder, collection="toy", organization="lab")
    >>> path.relative_to(folder).parts[:-1]
    ('data', 'toy', 'lab', 'bm25')
    >>> samples = irmx.read_per_topic(path.with_name(path.stem + "_samples.jsonl"))
    >>> samples.systems, samples["RR"].tolist()
    (('lab/bm25',), [[1.0], [0.5]])
    """
    if scores.marks or not scores.in_view.all():
        raise UsageError(
            f"Every Eval Ever has one value per topic and measure. The scores also depend on {', '.join(scores.marks) or 'slices'}; select one view."
        )
    for what, name in (("collection", collection), ("organization", organization)):
        if not name.strip("/. "):
            raise UsageError(f"The {what} needs a name. Got {name!r}.")
    if relationship not in RELATIONSHIPS:
        raise UsageError(f"The relationship is one of {', '.join(RELATIONSHIPS)}. Got {relationship!r} instead.")
    if not 0 <= coverage < 1:
        raise UsageError(f"The coverage of intervals is in the range [0, 1). Got {coverage} instead.")
    now = int(time.time()) if timestamp is None else timestamp
    means = scores.means()
    records = [_Record(scores, s, collection, organization, now) for s in range(len(scores.systems))]
    systems: dict[str, str] = {}
    for system, record in zip(scores.systems, records, strict=True):
        if systems.setdefault(record.model_id, system) != system:
            raise UsageError(
                f"The systems {systems[record.model_id]!r} and {system!r} would both be the model {record.model_id}. Rename one of them."
            )
        if not np.isfinite(record.values).any():
            raise DataError(f"The system {system} has no value of any measure. Leave it out.")
    return [
        record.write(Path(folder), means.loc[system].tolist(), relationship, queries or {}, coverage)
        for system, record in zip(scores.systems, records, strict=True)
    ]


class _Record:
    """The results of a system."""

    def __init__(self, scores: Scores, place: int, collection: str, organization: str, now: int) -> None:
        self.scores, self.organization, self.now = scores, organization, now
        self.dataset, self.collection = collection, collection.replace("/", "_")
        self.values: Floats = scores.values[:, place]
        self.missing = scores.missing[:, place]
        system = scores.systems[place]
        developer, _, model = system.partition("/")
        self.developer, self.model = (developer, model) if developer and model else (organization, system)
        self.model_id = f"{self.developer}/{self.model}"
        self.id = f"{self.collection}/{self.model_id.replace('/', '_')}/{now}"
        self.names = [f"{self.collection}.{name}" for name in scores.names]

    def write(
        self, folder: Path, means: list[float], relationship: str, queries: Mapping[str, str], coverage: float
    ) -> Path:
        """Write both files, and return that of means, which is written last."""
        place = Path("data", *map(_part, (self.collection, self.developer, self.model)))
        name = self._uuid()
        try:
            (folder / place).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataError(f"{folder / place} cannot be made: {error.strerror}. Choose another folder.") from None
        digest, count = hashlib.sha256(), 0
        with new_file(folder / place / f"{name}_samples.jsonl") as file:
            for sample in self._samples(queries):
                line = _json(sample).encode() + b"\n"
                digest.update(line)
                file.write(line)
                count += 1
        of_samples = {
            "format": "jsonl", "file_path": f"{place.as_posix()}/{name}_samples.jsonl", "hash_algorithm": "sha256",
            "checksum": digest.hexdigest(), "total_rows": count,
        }  # fmt: skip
        record = self._aggregate(means, relationship, coverage) | {"detailed_evaluation_results": of_samples}
        with new_file(folder / place / f"{name}.json") as file:
            file.write(_json(record, indent=2).encode() + b"\n")
        return folder / place / f"{name}.json"

    def _uuid(self) -> uuid.UUID:
        """Return a name for the files, the same for the same results."""
        about = [self.model_id, self.names, self.scores.topics]
        digest = hashlib.sha256(json.dumps(about).encode() + np.ascontiguousarray(self.values).tobytes())
        return uuid.UUID(bytes=digest.digest()[:16], version=4)

    def _aggregate(self, means: list[float], relationship: str, coverage: float) -> Json:
        library = {key: str(value) for key, value in self.scores.made_by.get("versions", {}).items() if key != "irmx"}
        return {
            "schema_version": SCHEMA,
            "evaluation_id": self.id,
            "retrieved_timestamp": str(self.now),
            "source_metadata": {
                "source_type": "evaluation_run", "source_organization_name": self.organization, "evaluator_relationship": relationship,
            },
            "eval_library": {"name": "irmx", "version": version("irmx"), "additional_details": library},
            "model_info": {
                "name": self.model, "id": self.model_id, "developer": self.developer,
                "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"},
            },
            "evaluation_results": [
                self._result(m, mean, coverage) for m, mean in enumerate(means) if math.isfinite(mean)
            ],
        }  # fmt: skip

    def _result(self, m: int, mean: float, coverage: float) -> Json:
        """Return the mean of a measure, with what it is a mean of."""
        measure, values = self.scores.measures[m], self.values[:, m]
        low, high = _range(measure)
        result: Json = {
            "evaluation_result_id": self.names[m],
            "evaluation_name": self.names[m],
            "source_data": {"dataset_name": self.dataset, "source_type": "other"},
            "metric_config": {
                "metric_id": str(measure), "metric_name": str(measure), "lower_is_better": bool(getattr(measure, "LESS_IS_BETTER", False)),
                "score_type": "continuous", "min_score": low, "max_score": high,
            },
            "score_details": {"score": mean},
        }  # fmt: skip
        values = values[np.isfinite(values)]
        if math.isclose(mean, values.mean(), rel_tol=1e-9, abs_tol=1e-12):
            result["score_details"]["uncertainty"] = _uncertainty(values, mean, coverage)
        return result

    def _samples(self, queries: Mapping[str, str]) -> Iterator[Json]:
        """Yield the value of every topic and measure."""
        for m, name in enumerate(self.names):
            for t, topic in enumerate(self.scores.topics):
                if not math.isfinite(self.values[t, m]):
                    continue
                text = queries.get(topic)
                yield {
                    "schema_version": SCHEMA, "evaluation_id": self.id, "model_id": self.model_id, "evaluation_name": name,
                    "evaluation_result_id": name, "sample_id": topic,
                    "sample_hash": None if text is None else hashlib.sha256(text.encode()).hexdigest(),
                    "interaction_type": "single_turn", "input": {"raw": topic if text is None else text, "reference": []},
                    "output": {"raw": []}, "answer_attribution": [],
                    "evaluation": {"score": float(self.values[t, m]), "is_correct": False},
                    "metadata": _NOT_JUDGED_CORRECT | ({"retrieved": "false"} if self.missing[t, m] else {}),
                }  # fmt: skip


def _uncertainty(values: Floats, mean: float, coverage: float) -> Json:
    """Return how sure the mean of some values is."""
    from scipy import stats

    uncertainty: Json = {"num_samples": len(values)}
    if len(values) > 1:
        deviation = float(values.std(ddof=1))
        error = deviation / math.sqrt(len(values))
        uncertainty |= {"standard_deviation": deviation, "standard_error": {"value": error, "method": "analytic"}}
        if coverage:
            half = float(stats.t.ppf((1 + coverage) / 2, len(values) - 1)) * error
            uncertainty["confidence_interval"] = {
                "lower": mean - half, "upper": mean + half, "confidence_level": coverage, "method": "t distribution over topics",
            }  # fmt: skip
    return uncertainty


def _range(measure: Any) -> tuple[float | str | None, float | str | None]:
    """Return the ends of the range of a measure; None for a measure that irmx does not know."""
    known = measure if isinstance(measure, Measure) else registry().scorers().get(measure.NAME)
    if known is None:
        return None, None
    low, high = (math.inf if end is None else end for end in known.RANGE)
    return low if math.isfinite(low) else "-Infinity", high if math.isfinite(high) else "Infinity"


def _part(name: str) -> str:
    """Return a name as a part of a path.

    >>> _part("azure/gpt-4o"), _part("../x y"), _part("..")
    ('azure__gpt-4o', '__x_y', '_')
    """
    return re.sub(r"[^\w.-]", "_", name.replace("/", "__")).lstrip(".") or "_"


def _json(record: Json, indent: int | None = None) -> str:
    return json.dumps(record, ensure_ascii=False, allow_nan=False, indent=indent)
