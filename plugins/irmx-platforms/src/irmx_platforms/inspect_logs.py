"""Logs of Inspect: one JSON file, or a zip archive of JSON files."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from irmx import DataError, Param
from irmx.toolkit import decompressed_limit, too_large
from irmx_platforms.decoding import Json, parsed, text, warn
from irmx_platforms.results import MEASURE, TOPIC, Results, Value, topic_of

_LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
"""What Inspect's letters count: correct, incorrect, partly correct, no answer."""
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""What words count, whose case does not matter."""
_ZIP, _ZSTD = b"PK\3\4", 93
_MEMBERS = (b"_journal/", b"samples/", b"header.json", b"summaries.json", b"reductions.json")


class Inspect(Results):
    """Logs of Inspect: topics are samples, measures the scorers, and the system is the model.

    A sample whose id is a number, as Inspect makes them up, is what it asks. A log of an evaluation that did not succeed is refused,
    unless ``unfinished`` asks for it. A scorer that gives several values by name is several measures, such as ``scorer.precision``.

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
    SIGNS = (rb"\{", rb'"status"\s*:', rb'"eval"\s*:\s*\{')
    SUPPORTED_PARAMS = {
        "measure": MEASURE, "topic": TOPIC,
        "unfinished": Param(bool, "whether to read a log of an evaluation that failed or did not finish", default=False),
    }  # fmt: skip

    def recognises(self, table: str, path: Path, start: bytes) -> bool:
        """Tell from the first bytes whether a file has this format."""
        is_archive = start.startswith(_ZIP) and start[30:].startswith(_MEMBERS)
        return is_archive or super().recognises(table, path, start)

    def values(self, path: Path, content: bytes) -> Iterator[Value]:
        """Yield the values of every epoch of every sample; if the log has none, those that Inspect reduced them to."""
        log = _of_archive(path, content) if content.startswith(_ZIP) else parsed(path, content, self.NAME)
        system = str(log["eval"]["model"])
        if log["status"] != "success":
            unfinished = f"the evaluation did not finish; its status is {log['status']!r}"
            if not self["unfinished"]:
                raise DataError(
                    f"{path}: {unfinished}. Finish it, such as with inspect eval-retry; or give "
                    f"'inspect(unfinished=True):{path}' to read the samples that it has."
                )
            warn(path, unfinished)
        samples = log.get("samples") or []
        scored = [sample for sample in samples if sample.get("scores") and not sample.get("error")]
        if len(scored) < len(samples) and scored:
            warn(
                path,
                f"{len(samples) - len(scored)} of {len(samples)} samples have no score, or failed, and are left out",
            )
        for sample in scored:
            topic = topic_of(self, sample["id"], _asked(sample) if isinstance(sample["id"], int) else None)
            for scorer, score in sample["scores"].items():
                for value in _of_score(topic, scorer, score["value"], system):
                    yield value._replace(test=sample["id"])
        reductions = [] if scored else log.get("reductions") or []
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
                f"{path}: none of {len(samples)} samples has a score. Score the log with Inspect: inspect score."
            )


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
