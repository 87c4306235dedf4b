"""Answers of systems, and what judges found in them: nuggets, support by citations, and passages that a language model is given."""

from __future__ import annotations

import csv
import io
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from irmx import DataError, Format, Param
from irmx.toolkit import as_number, list_some, plural
from irmx_platforms.decoding import Json, decoded, number, parsed, text, texts, understanding, warn
from irmx_platforms.results import MEASURE, Value, chosen, json_lines, table_of_values

if TYPE_CHECKING:
    import pyarrow as pa


# -- answers of several systems in a file ----------------------------------------------------------------------------


RUN = Param(str, "the system whose answers are read, where there are several", default="")
_TOPIC = ("topic_id", "narrative_id", "request_id", "qid", "query_id")
"""What tracks call the topic of an answer."""
_RUN = ("run_id", "runtag", "run")


class Answer(NamedTuple):
    """An answer of a system for a topic, and its place in the file; ``content`` is what a format makes of it."""

    place: str
    topic: str
    run: str
    content: Any


def _first_of(record: Json, keys: tuple[str, ...]) -> Any:
    """Return the value of the first key that an object has."""
    for key in keys:
        if record.get(key) is not None:
            return record[key]
    raise KeyError(keys[0])


def _of_run(reader: Format, path: Path, answers: Iterable[Answer]) -> list[Answer]:
    """Return the answers of the system that was asked for, or of the only one; each topic may have one answer."""
    systems: dict[str, None] = {}
    kept: list[Answer] = []
    for answer in answers:
        systems[answer.run] = None
        if answer.run == reader["run"] or (not reader["run"] and len(systems) == 1):
            kept.append(answer)
    if not systems:
        raise DataError(f"{path} has no answer in the form of {reader.NAME}.")
    try:
        run = chosen(reader, "run", systems)
    except DataError as error:
        raise error.at(str(path)) from None
    first: dict[str, str] = {}
    for answer in kept:
        if first.setdefault(answer.topic, answer.place) != answer.place:
            raise DataError(
                f"The system {run!r} has a second answer for the topic {answer.topic!r}; the first is in {first[answer.topic]}. "
                "Leave one out.",
                place=answer.place,
            )
    return kept


class _OfSystems(Format):
    """A format of answers, of several systems in a file."""

    @abstractmethod
    def _answers(self, path: Path, content: bytes) -> Iterator[Answer]:
        """Yield the answers of all systems."""

    def runs(self, path: Path, content: bytes) -> list[str]:
        """Return the names of the systems."""
        return list(dict.fromkeys(answer.run for answer in self._every_answer(path, content)))

    def _every_answer(self, path: Path, content: bytes) -> list[Answer]:
        others = tuple(sorted((name, value) for name, value in self.params.items() if name != "run"))
        return _answers_in(type(self), others, path, content)


@lru_cache(maxsize=1)  # of systems that are read one after the other
def _answers_in(
    kind: type[_OfSystems], params: tuple[tuple[str, Any], ...], path: Path, content: bytes
) -> list[Answer]:
    return list(kind(**dict(params))._answers(path, content))


def _table(names: str, rows: list[tuple[Any, ...]]) -> pa.Table:
    """Return rows as a table whose columns are numbers but for the ids."""
    import pyarrow as pa

    columns = dict(zip(names.split(), zip(*rows, strict=True), strict=True))
    is_id = {"query_id", "doc_id"}
    return pa.table({name: texts(c) if name in is_id else pa.array(c, pa.float64()) for name, c in columns.items()})


# -- nuggets ---------------------------------------------------------------------------------------------------------


_ASSIGNMENTS = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0, "failed": 0.0}
_IMPORTANCES = {"vital": 1.0, "okay": 0.5, "failed": 0.0}
"""What nuggetizer's labels count; a label is ``failed`` where the model gave none."""


class Nuggetizer(_OfSystems):
    """Nuggets of nuggetizer and what answers have of them, as a run and as qrels; its metrics by topic of one run, as scores.

    A document is the text of a nugget. All answers for a topic must list the same nuggets. If their lists have a text twice, the second is another
    nugget, ``text (2)``. The line ``all`` of metrics has means.
    """

    NAME, TABLES = "nuggetizer", ("run", "qrels", "scores")
    SHORT_DESC = "nuggets of nuggetizer, what answers have of them, and its metrics by topic"
    EXAMPLES = (
        "nuggetizer:run.metrics.jsonl",
        "nuggetizer(run=baseline):assignments.jsonl",
        "nuggetizer(of=assignments):assignments.jsonl",
    )
    SUPPORTED_PARAMS = {
        "measure": MEASURE,
        "run": RUN,
        "of": Param(
            str,
            "what qrels have: nuggets and their importance, or the assignments of all answers, for irmx judges",
            default="nuggets",
            choices=("nuggets", "assignments"),
        ),
    }
    SIGNS = {
        "run": (rb"\{", rb'"qid"\s*:', rb'"(?:answer_text|assignment)"\s*:'),
        "qrels": (rb"\{", rb'"qid"\s*:', rb'"(?:answer_text|nuggets)"\s*:'),
        "scores": (rb'\{"qid"\s*:', rb'"strict_vital_score"\s*:', rb'"vital_score"\s*:'),
    }

    def read(self, table: str, path: Path, content: bytes) -> pa.Table:
        """Return the assignments of a run, the importance of nuggets, or metrics as scores."""
        if table == "scores":
            return table_of_values(self, path, self.values(path, content))
        lists = self._every_answer(path, content)
        _refuse_unlike(lists)
        empty = list(dict.fromkeys(answer.topic for answer in lists if not answer.content))
        if self["run"] or table == "run":
            lists = _of_run(self, path, lists)
        if table == "run":
            names, rows = "query_id doc_id score assignment", self._assigned(lists)
        elif self["of"] == "assignments":
            names, rows = "query_id doc_id relevance", self._labelled(lists)
        else:
            names, rows = "query_id doc_id relevance nugget_importance", self._weighed(lists)
        if not rows:
            raise DataError(f"{path} has no nugget.")
        if empty:
            warn(path, f"{plural(len(empty), 'topic')} without a nugget left out: {list_some(empty)}")
        return _table(names, rows)

    def values(self, path: Path, content: bytes) -> Iterator[Value]:
        """Yield the metrics of every topic."""
        for place, line in json_lines(path, content, self.NAME):
            with understanding("This line", self.NAME, place):
                topic = text(line["qid"])
                if topic != "all":
                    yield from (Value(topic, name, value, place=place) for name, value in line.items() if name != "qid")

    def _answers(self, path: Path, content: bytes) -> Iterator[Answer]:
        """Yield the nuggets of every line by their ids."""
        for place, line in json_lines(path, content, self.NAME):
            with understanding("This line", self.NAME, place):
                written = [" ".join(text(nugget["text"]).split()) for nugget in line["nuggets"]]
                nuggets: dict[str, Any] = {}
                for name, nugget in zip(written, line["nuggets"], strict=True):
                    names = chain([name] if name not in nuggets else [], (f"{name} ({n})" for n in count(2)))
                    nuggets[
                        next(one for one in names if one not in nuggets and (one == name or one not in written))
                    ] = nugget
                run = line.get("run_id")
                yield Answer(place, text(line["qid"]), "" if run is None else text(run), nuggets)

    def _assigned(self, lists: Iterable[Answer]) -> list[tuple[Any, ...]]:
        rows = []
        for answer in lists:
            for i, (name, nugget) in enumerate(answer.content.items()):
                assignment = _label(nugget, "assignment", _ASSIGNMENTS, name, answer.place)
                rows.append((answer.topic, name, float(len(answer.content) - i), assignment))
        return rows

    def _labelled(self, lists: Iterable[Answer]) -> list[tuple[Any, ...]]:
        """Return the assignment of each nugget of each answer, whose document is ``run:nugget``."""
        return [
            (answer.topic, f"{answer.run}:{name}", _label(nugget, "assignment", _ASSIGNMENTS, name, answer.place))
            for answer in lists
            for name, nugget in answer.content.items()
        ]

    def _weighed(self, lists: Iterable[Answer]) -> list[tuple[Any, ...]]:
        """Return every nugget of a topic once, which must have one importance."""
        found: dict[tuple[str, str], tuple[float, str]] = {}
        for answer in lists:
            for name, nugget in answer.content.items():
                importance = _label(nugget, "importance", _IMPORTANCES, name, answer.place)
                known, where = found.setdefault((answer.topic, name), (importance, answer.place))
                if known != importance:
                    words = {value: word for word, value in _IMPORTANCES.items()}
                    raise DataError(
                        f"The nugget {name!r} of the topic {answer.topic!r} is {words[importance]}, but {words[known]} in {where}. "
                        "A nugget has one importance: correct one of the lines.",
                        place=answer.place,
                    )
        return [(topic, name, 1.0, importance) for (topic, name), (importance, _) in found.items()]


def _refuse_unlike(lists: Iterable[Answer]) -> None:
    """Raise for answers for a topic that do not list the same nuggets: a gap in one list would change what the others are worth."""
    first: dict[str, Answer] = {}
    for answer in lists:
        known = first.setdefault(answer.topic, answer)
        for name in sorted(known.content.keys() ^ answer.content.keys()):
            has, lacks = (known, answer) if name in known.content else (answer, known)
            raise DataError(
                f"The nugget {name!r} of the topic {answer.topic!r} is in the list of the run {has.run!r} in {has.place}, but not in that of {lacks.run!r} "
                f"in {lacks.place}. nuggetizer has one list of nuggets for all answers for a topic: give each answer all of them, once.",
                place=answer.place,
            )


def _label(nugget: Json, key: str, values: dict[str, float], name: str, place: str) -> float:
    """Return what a label of a nugget counts."""
    if key not in nugget:
        raise DataError(f"The nugget {name!r} has no {key}. It must be one of {', '.join(values)}.", place=place)
    label = nugget[key]
    if not isinstance(label, str) or label.strip().lower() not in values:
        raise DataError(
            f"The {key} of the nugget {name!r} must be one of {', '.join(values)}. Got {label!r} instead.", place=place
        )
    return values[label.strip().lower()]


# -- answers as runs of sentences ------------------------------------------------------------------------------------


class Sentence(NamedTuple):
    """A sentence of an answer: its number, from 0, its words, None if they are not known, and the number of its citations."""

    number: int
    words: int | None
    citations: int


def _as_run(answers: Iterable[Answer]) -> pa.Table:
    """Return answers whose content is sentences as a run: a document is ``run:topic:n``, the n-th sentence, from 0."""
    rows = []
    for topic, run, sentences in ((answer.topic, answer.run, answer.content) for answer in answers):
        for i, one in enumerate(sentences):
            rows.append((topic, f"{run}:{topic}:{one.number}", float(len(sentences) - i), one.words, one.citations))
    if not rows:
        raise DataError("The answers have no sentence.")
    table = _table("query_id doc_id score length citations", rows)
    return table.drop_columns(["length"]) if table["length"].null_count else table


class Answers(_OfSystems):
    """Answers of TREC RAG and reports of RAGTIME and NeuCLIR, one per line, as a run of sentences.

    A document is ``run:topic:n``, the n-th sentence of the answer, from 0. The column ``length`` has its words, ``citations`` the number
    of what it cites: positions in ``references``, ids, or ids with their confidence.

    Examples
    --------
    >>> import irmx, json, pathlib, tempfile
    >>> answer = [{"text": "Leaves lose their green.", "citations": [0]}, {"text": "It is autumn.", "citations": []}]
    >>> line = {"run_id": "a", "topic_id": "q", "references": ["d7"], "answer": answer}
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "answers.jsonl"
    >>> _ = path.write_text(json.dumps(line))
    >>> run = irmx.read_run(path)
    >>> run.columns, run.as_dict()
    (['query_id', 'doc_id', 'score', 'length', 'citations'], {'q': {'a:q:0': 2.0, 'a:q:1': 1.0}})
    """

    NAME, TABLES = "answers", ("run",)
    SHORT_DESC = "answers of TREC RAG and reports of RAGTIME and NeuCLIR, as runs of sentences"
    EXAMPLES = ("answers:answers.jsonl", "answers(run=baseline):answers.jsonl")
    SUPPORTED_PARAMS = {"run": RUN}
    SIGNS = {
        "run": (
            rb'(?s)\{(?!.*"(?:support|sentenceID)"\s*:)',
            rb'"(?:topic_id|narrative_id|request_id)"\s*:',
            rb'"run_id"\s*:',
            rb'"metadata"\s*:\s*\{|"(?:references|responses|answer|sentences)"\s*:\s*\[',
        )
    }

    def read(self, table: str, path: Path, content: bytes) -> pa.Table:
        """Return the answers of a system."""
        answers = _of_run(self, path, self._every_answer(path, content))
        with understanding(str(path), self.NAME):
            return _as_run(answers)

    def _answers(self, path: Path, content: bytes) -> Iterator[Answer]:
        for place, line in json_lines(path, content, self.NAME):
            with understanding("This line", self.NAME, place):
                said = {**line, **(line.get("metadata") or {})}
                sentences = next((line[key] for key in ("answer", "responses", "sentences") if line.get(key) is not None), None)  # fmt: skip
                if not isinstance(sentences, list):
                    raise KeyError("answer")
                counted = [
                    Sentence(i, len(one["text"].split()), _citations(one.get("citations"), line.get("references"), i))
                    for i, one in enumerate(sentences)
                ]
                yield Answer(place, text(_first_of(said, _TOPIC)), text(_first_of(said, _RUN)), counted)


def _citations(cited: Any, references: Any, sentence: int) -> int:
    """Return the number of citations of a sentence; positions must be those of references."""
    if cited is None:
        return 0
    if not isinstance(cited, (list, dict)):
        raise ValueError(f"the citations of sentence {sentence} must be a list or an object. Got {cited!r}")
    known = len(references) if isinstance(references, list) else 0
    for one in cited:
        if isinstance(one, bool) or not isinstance(one, (int, str)):
            raise ValueError(f"a citation of sentence {sentence} must be a position or an id. Got {one!r}")
        if isinstance(one, int) and not 0 <= one < known:
            raise ValueError(
                f"sentence {sentence} cites position {one}, counted from 0, of {plural(known, 'reference')}"
            )
    return len(cited)


# -- judgments of support --------------------------------------------------------------------------------------------


_LABELS = {
    **dict.fromkeys(("fs", "full", "full support", "fully supported", "fully supports"), 1.0),
    **dict.fromkeys(("ps", "partial", "partial support", "partially supported", "partially supports"), 0.5),
    **dict.fromkeys(("ns", "no", "none", "no support", "not supported", "not support", "unsupported"), 0.0),
}
_NOT_SCORED = ("", "-1", "-1.0", "unjudged", "failed")
"""What stands for a citation that the judge did not score."""
_NAMES = {
    "topic": ("topicid", "narrativeid", "qid", "queryid", "topic", "query"),
    "run": ("runid", "runtag", "run", "system"),
    "sentence": ("sentenceid", "sentenceindex", "sentencenumber", "sentence"),
    "citation": ("citationid", "citationindex", "citationnumber", "citation", "reference"),
    "label": ("label", "support", "judgment", "judgement", "grade"),
}
"""The names of the columns of tables, without regard to case and signs between words; of several that a table has, the first."""
_NEEDED = {"topic", "run", "sentence", "label"}


class Judged(NamedTuple):
    """A judgment of support: its place, the answer, the number of the sentence as written, which citation, and the label."""

    place: str
    topic: str
    run: str
    sentence: int
    citation: Any
    label: Any


class Support(_OfSystems):
    """Judgments whether citations support the sentences of answers, as qrels; answers with their judgments are a run as well.

    Two forms: lines of JSON with an answer each, its ``sentences`` and their ``citations`` with ``support``, as TREC publishes them (2 full, 1 in
    part, 0 none, -1 not scored); and tables or JSON Lines of topic, run, sentence, citation and label (FS, PS, NS, such texts as
    ``partial support``, or 1, 0.5, 0). A document is ``run:topic:n``, the n-th sentence from 0, as TREC counts.
    """

    NAME, TABLES = "support", ("run", "qrels")
    SHORT_DESC = "judgments whether citations support the sentences of answers"
    EXAMPLES = ("support:support.jsonl", "support(first=1):support.tsv", "support(run=baseline):support.jsonl")
    SUPPORTED_PARAMS = {
        "run": RUN,
        "of": Param(
            str,
            "what qrels have: sentences with the support by each citation, or citations with their support as grade, for irmx judges",
            default="sentences",
            choices=("sentences", "citations"),
        ),
        "first": Param(int, "the number that the file gives the first sentence of an answer", default=0, choices=(0, 1)),
        "full": Param(
            float,
            "the number that means full support; by default 2 where judgments stand in answers, else 1",
            default=0.0,
            choices=(0.0, 1.0, 2.0),
        ),
    }  # fmt: skip
    SIGNS = {"run": (rb"\{", rb'"sentences"\s*:', rb'"(?:sentenceID|support)"\s*:')}

    def recognises(self, table: Any, path: Path, start: bytes) -> bool:
        """Tell from the first line whether a file has this format."""
        if super().recognises("run", path, start):
            return True
        if table == "run":
            return False
        first = start.lstrip().partition(b"\n")[0].decode("utf-8", "replace").strip()
        if first.startswith("{"):
            return _columns_of(re.findall(r'"(\w+)"\s*:', first)).keys() >= _NEEDED
        _, fields = next(_lines(path, first), (0, []))
        if _columns_of(fields).keys() >= _NEEDED:
            return True
        return len(fields) == 5 and fields[2].isdecimal() and _plain_label(fields[4]) in _LABELS

    def read(self, table: str, path: Path, content: bytes) -> pa.Table:
        """Return the answers of a system, or the judgments of all."""
        in_answers = content.lstrip().startswith(b"{") and b'"sentences"' in content
        if table == "run":
            if not in_answers:
                raise DataError(f"{path} has judgments, not answers. Give the file of answers as the run.")
            answers = _of_run(self, path, self._every_answer(path, content))
            with understanding(str(path), self.NAME):
                return _as_run([one._replace(content=self._sentences(one)) for one in answers])
        if in_answers:
            judged = [row for one in self._every_answer(path, content) for row in _of_answer(one)]
        else:
            judged = list(_of_table(path, content, self.NAME))
        return self._qrels(path, [row for row in judged if self["run"] in ("", row.run)], 2.0 if in_answers else 1.0)

    def _answers(self, path: Path, content: bytes) -> Iterator[Answer]:
        """Yield the answers of a file with their judgments."""
        for place, line in json_lines(path, content, self.NAME):
            with understanding("This line", self.NAME, place):
                sentences = []
                for i, one in enumerate(line["sentences"]):
                    citations = one.get("citations") or []
                    for citation in citations:
                        citation["support"]
                    n = _whole(one.get("sentenceID", i + self["first"]), "sentence")
                    sentences.append((n, one.get("text"), citations))
                yield Answer(place, text(_first_of(line, _TOPIC)), text(_first_of(line, _RUN)), sentences)

    def _sentences(self, answer: Answer) -> list[Sentence]:
        return [
            Sentence(self._from_0(n, answer.place), len(said.split()) if isinstance(said, str) else None, len(citations))
            for n, said, citations in answer.content
        ]  # fmt: skip

    def _from_0(self, sentence: int, place: str) -> int:
        if sentence < self["first"]:
            raise DataError(f"There is no sentence {sentence}, counted from {self['first']}.", place=place)
        return int(sentence - self["first"])

    def _qrels(self, path: Path, judged: list[Judged], full: float) -> pa.Table:
        """Return judgments as qrels; one of a citation that the judge did not score is left out."""
        full = self["full"] or full
        order = _order_of_citations(judged)
        found: dict[tuple[str, str, int], tuple[float, str]] = {}
        for row, citation in zip(judged, order, strict=True):
            doc = f"{row.run}:{row.topic}:{self._from_0(row.sentence, row.place)}"
            if (support := self._support(row, full)) is None:
                continue
            known, where = found.setdefault((row.topic, doc, citation), (support, row.place))
            if known != support:
                raise DataError(
                    f"Citation {citation} of sentence {row.sentence} of {row.run!r} for the topic {row.topic!r} is judged {row.label!r}, otherwise than in {where}. "
                    "Correct one of them.",
                    place=row.place,
                )
        if not found:
            raise DataError(f"{path} has no judgment of support{' of ' + repr(self['run']) if self['run'] else ''}.")
        without = sum(_plain_label(row.label) in _NOT_SCORED for row in judged)
        if without:
            warn(path, f"{without} of {plural(len(judged), 'citation')} left out, which the judge did not score")
        if not self["first"] and all(row.sentence > 0 for row in judged):
            warn(
                path,
                f"no answer has a sentence 0. If the file counts sentences from 1, give '{self.NAME}(first=1):{path}'",
            )
        if self["of"] == "citations":
            labels = [(topic, f"{doc}:{citation}", support) for (topic, doc, citation), (support, _) in found.items()]
            return _table("query_id doc_id relevance", labels)
        rows = [(topic, doc, 1.0, support, citation) for (topic, doc, citation), (support, _) in found.items()]
        return _table("query_id doc_id relevance support citation", rows)

    def _support(self, row: Judged, full: float) -> float | None:
        """Return a label as a number from 0 to 1, None for a citation that was not scored."""
        label = _plain_label(row.label)
        if label in _NOT_SCORED:
            return None
        value = _LABELS.get(label)
        if value is None and (given := as_number(label)) is not None:
            value = given / full
        if value not in (0.0, 0.5, 1.0):
            other = 1 if full == 2 else 2
            raise DataError(
                f"The support of sentence {row.sentence} must be FS, PS, NS or {full:g}, {full / 2:g}, 0. Got {row.label!r} instead. "
                f"If {other} means full support, give '{self.NAME}(full={other}):FILE'.",
                place=row.place,
            )
        return value


def _plain_label(label: Any) -> str:
    return "" if label is None else _plain(str(label))


@lru_cache(1024)
def _plain(label: str) -> str:
    return " ".join(re.sub(r"[\s_-]+(?=\D)", " ", label).split()).lower()


def _whole(value: Any, what: str) -> int:
    """Return a whole number, which may be written as a text."""
    found = number(value)
    if found != found // 1:  # NaN as well
        raise ValueError(f"the number of a {what} must be a whole number. Got {value!r}")
    return int(found)


def _of_answer(answer: Answer) -> Iterator[Judged]:
    """Yield the judgments of an answer; a citation is known by its place in the list."""
    for n, _, citations in answer.content:
        for i, citation in enumerate(citations):
            yield Judged(answer.place, answer.topic, answer.run, n, i, citation["support"])


def _of_table(path: Path, content: bytes, name: str) -> Iterator[Judged]:
    """Yield the judgments of JSON Lines or a table, with a header or in the order of the columns."""
    for place, row in _rows(path, content, name):
        with understanding("This line", name, place):
            topic, run = text(row["topic"]), text(row["run"])
            yield Judged(place, topic, run, _whole(row["sentence"], "sentence"), row.get("citation"), row["label"])


def _rows(path: Path, content: bytes, name: str) -> Iterator[tuple[str, Json]]:
    """Yield the place and the cells of every row by the names of ``_NAMES``."""
    if content.lstrip().startswith(b"{"):
        for place, line in json_lines(path, content, name):
            with understanding("This line", name, place):
                yield place, {column: line[key] for column, key in _columns_of(line).items()}
        return
    header, columns = list(_NAMES), dict(zip(_NAMES, _NAMES, strict=True))
    for i, (line, fields) in enumerate(_lines(path, decoded(path, content))):
        if i == 0 and _columns_of(fields).keys() >= _NEEDED:
            header, columns = fields, _columns_of(fields)
            if twice := next((name for name in header if header.count(name) > 1), None):
                raise DataError(f"Two columns have the name {twice!r}. Rename one.", place=f"{path}, line {line}")
            continue
        if len(fields) != len(header):
            raise DataError(
                f"This line has {plural(len(fields), 'field')}, not {len(header)}: {', '.join(header)}.",
                place=f"{path}, line {line}",
            )
        row = dict(zip(header, fields, strict=True))
        yield f"{path}, line {line}", {column: row[key] for column, key in columns.items()}


def _lines(path: Path, written: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the fields of every line: between tabs or commas, else between blanks, of which a label may have some."""
    first = written.lstrip().partition("\n")[0]
    delimiter = "\t" if "\t" in first else "," if "," in first else None
    if delimiter is None:
        yield from ((i, line.split(None, 4)) for i, line in enumerate(written.split("\n"), 1) if line.strip())
        return
    reader = csv.reader(io.StringIO(written, newline=""), delimiter=delimiter)
    try:
        yield from ((reader.line_num, [field.strip() for field in fields]) for fields in reader if any(fields))
    except csv.Error as error:
        raise DataError(f"{error}.", place=f"{path}, line {reader.line_num}") from None


def _columns_of(names: Iterable[str]) -> dict[str, str]:
    """Return the name of each column that is among some names."""
    plain = {re.sub(r"[\W_]+", "", name).lower(): name for name in names}
    found = {column: next((plain[name] for name in known if name in plain), None) for column, known in _NAMES.items()}
    return {column: name for column, name in found.items() if name is not None}


def _order_of_citations(judged: list[Judged]) -> list[int]:
    """Return which citation of its sentence each judgment is of, from 1: by their numbers, or in the order of the file.

    They are numbers of citations if those of each sentence count from 0, or all from 1, without a gap; others are ids.
    """
    numbers = [number(row.citation) for row in judged]
    of_sentence: dict[tuple[str, str, int], dict[Any, int]] = {}
    for row, one in zip(judged, numbers, strict=True):
        of_sentence.setdefault((row.topic, row.run, row.sentence), {})[one] = 0
    for first in (0, 1):
        if all(sorted(found) == list(range(first, first + len(found))) for found in of_sentence.values()):
            return [int(one) - first + 1 for one in numbers]
    of_sentence.clear()
    order = []
    for i, row in enumerate(judged):
        known = of_sentence.setdefault((row.topic, row.run, row.sentence), {})
        citation = i if row.citation is None else str(row.citation)
        order.append(known.setdefault(citation, len(known) + 1))
    return order


# -- passages that a language model is given -------------------------------------------------------------------------


class Udcg(Format):
    """The data of UDCG: passages that a language model is given, as a run with the probability that it abstains, and as qrels."""

    NAME, SHORT_DESC = "udcg", "the data of UDCG: passages, whether they are relevant, and whether models abstain"
    EXAMPLES = ("udcg:passages.json", "udcg(model=llama):passages.json")
    SUPPORTED_PARAMS = {"model": Param(str, "as a run: the language model, where there are several", default="")}
    SIGNS = dict.fromkeys(
        ("run", "qrels"),
        (rb"\[\s*\{", rb'"passages"\s*:\s*\[', rb'"(?:example_id|is_relevant|models_info)"\s*:'),
    )

    def read(self, table: str, path: Path, content: bytes) -> pa.Table:
        """Return the passages with what one model does, or whether they are relevant."""
        examples = parsed(path, content, self.NAME)
        with understanding(str(path), self.NAME):
            self._refuse_twice(path, [text(example["example_id"]) for example in examples])
            passages = [(example, i, one) for example in examples for i, one in enumerate(example["passages"])]
            if not passages:
                raise DataError(f"{path} has no passage.")
            models = [model for *_, one in passages for model, _ in (one.get("models_info") or {}).items()]
        model = "" if table == "qrels" else self._model(path, models)
        rows: list[tuple[Any, ...]] = []
        for example, i, passage in passages:
            place = f"{path}, example {example['example_id']!r}, passage {i + 1}"
            with understanding("This", self.NAME, place):
                query, doc = text(example["example_id"]), text(passage["doc_id"])
                if table == "qrels":
                    rows.append((query, doc, _truth(passage["is_relevant"])))
                    continue
                abstains = (passage.get("models_info") or {}).get(model)
                rows.append((query, doc, float(len(example["passages"]) - i), _probability(abstains)))
        return _table(
            "query_id doc_id relevance" if table == "qrels" else "query_id doc_id score abstention",
            rows,
        )

    def _model(self, path: Path, models: Iterable[str]) -> str:
        try:
            return chosen(self, "model", models)
        except DataError as error:
            raise error.at(str(path)) from None

    def _refuse_twice(self, path: Path, ids: list[str]) -> None:
        for example, times in Counter(ids).items():
            if times > 1:
                raise DataError(f"{path} has {times} examples {example!r}. Give each an id of its own.")


def _truth(value: Any) -> float:
    if value in (True, False):
        return float(value)
    raise ValueError(f"is_relevant must be true or false. Got {value!r}")


def _probability(of_model: Any) -> float | None:
    """Return the probability that a model abstains, None if it was not asked."""
    given = None if of_model is None else of_model["no_res_prob"]
    if given is None:
        return None
    if not 0 <= number(given) <= 1:
        raise ValueError(f"no_res_prob must be in the range [0, 1]. Got {given!r}")
    return number(given)
