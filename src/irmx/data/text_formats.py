"""Files of text: those of TREC, tables with a header, JSON; and the header of ir_metadata in a run.

TREC files: qrels of four columns, runs of six, separated by white space, without a header.

White space means the six characters of ASCII, as in C and trec_eval; a no-break space is part of its field.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx.data.files import check_text, content_of, cut_off, filled_lines
from irmx.data.formats import Format
from irmx.data.table import BLANKS, Source, Table, as_number, refuse_twice
from irmx.declare.columns import ALIASES, REQUIRED, TableName
from irmx.errors import DataError, DataWarning, text_of
from irmx.ragged import Ints
from irmx.text import list_some, plural, value_repr

if TYPE_CHECKING:
    import pyarrow as pa


# -- table files with a header: .csv and .tsv; JSON, one object per line or one dict of dicts ------------------------


_DEPTH = 100
"""How deep lists and objects of JSON may be nested in each other."""
_BLANK_LINE = re.compile(rb"(?:^|\n|\r(?!\n))(?:[ \t\v\f]*[\r\n]|[ \t\v\f]+$)")
_LONGEST_START = 1 << 16
"""The bytes in which the first key of an object of objects has to end: a regular expression over a longer one takes gigabytes."""
_OBJECT_OF_OBJECTS = re.compile(rb'\{\s*(?:"(?:[^"\\]|\\.)*"\s*:\s*\{|\})')
_EACH_LINE = " Each line must be one JSON object."


class _Delimited(Format):
    DELIMITER, LINES = ",", "after header"

    def recognises(self, table: TableName, path: Path, start: bytes) -> bool:
        """Tell by the first line, which must be a header with columns that every such table has."""
        known = {*REQUIRED[table], *ALIASES[table]}
        names = [name.strip(BLANKS) for name in _header(start, self.DELIMITER)]
        return len(known & set(names)) >= 2 or (f".{self.NAME}" in path.suffixes[-2:] and self.DELIMITER == ",")

    def read(self, table: TableName, path: Path, content: bytes) -> Table:
        """Return the content as a table."""
        return read_delimited(table, str(path), content, self.DELIMITER)


class Csv(_Delimited):
    """Comma-separated values."""

    NAME, DELIMITER = "csv", ","
    SHORT_DESC = "comma-separated table with a header"
    EXAMPLES = ("judgments.csv", "csv:judgments.txt")


class Tsv(_Delimited):
    """Tab-separated values with a header; a file without one is a TREC file."""

    NAME, DELIMITER = "tsv", "\t"
    SHORT_DESC = "tab-separated table with a header"
    EXAMPLES = ("tsv:judgments.txt",)


class Jsonl(Format):
    """One JSON object per line, or one object of objects."""

    NAME, LINES = "jsonl", "all"
    SHORT_DESC = 'one JSON object per line, one key per column; or one object, {"query": {"document": number}}'
    EXAMPLES = ("run.jsonl.gz", "run.json", "jsonl:run.txt")

    def recognises(self, table: TableName, path: Path, start: bytes) -> bool:
        """Tell by the name, or by a first character that opens an object."""
        return not {".json", ".jsonl"}.isdisjoint(path.suffixes[-2:]) or start.lstrip()[:1] == b"{"

    def read(self, table: TableName, path: Path, content: bytes) -> Table:
        """Return the content as a table."""
        check_text(str(path), content)
        by_topic = _dict_of_dicts(content)
        return read_json_lines(table, str(path), content) if by_topic is None else _rows_of(table, str(path), by_topic)


# -- fields between delimiters ---------------------------------------------------------------------------------------


def _header(start: bytes, delimiter: str) -> list[str]:
    """Return the names in a header, as written."""
    first = re.search(rb"[^\r\n]+", start)
    try:
        return next(csv.reader([first.group().decode("utf-8", "replace") if first else ""], delimiter=delimiter), [])
    except csv.Error:
        return []


def read_delimited(what: str, name: str, content: bytes, delimiter: str) -> Table:
    """Return columns of text; whatever Arrow does not read in one go is read line by line."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    check_text(name, content)
    names = [field.strip(BLANKS) for field in _header(content, delimiter)]
    if not any(names):
        is_long = len(content) > csv.field_size_limit()
        raise DataError(
            f"{name} holds no {what}: its header cannot be read."
            if is_long
            else f"{name} is empty: it holds no {what}, not even a header."
        )
    if len(names) == 1 and names[0].count(";") > 1:
        raise DataError(
            f"{name} is separated by semicolons, as spreadsheets write csv in some countries. Write it with commas or tabs."
        )
    if b'"' not in content and len(set(names)) == len(names):
        lines = filled_lines(content) if _BLANK_LINE.search(content) else [1]
        try:
            rows = arrow_csv.read_csv(
                pa.BufferReader(content),
                read_options=arrow_csv.ReadOptions(
                    column_names=names, skip_rows=lines[0], block_size=max(1 << 20, min(len(content), 1 << 24)),
                    use_threads=len(content) > 1 << 24,
                ),
                parse_options=arrow_csv.ParseOptions(delimiter=delimiter, quote_char=False),
                convert_options=arrow_csv.ConvertOptions(
                    column_types=dict.fromkeys(names, pa.large_string()), null_values=[]
                ),
            )  # fmt: skip
        except pa.ArrowException:
            pass  # the lines are read one by one, which finds the one that is wrong
        else:
            cells = {n: partial(_trimmed, column) for n, column in zip(names, rows.columns, strict=True)}
            return Table(what, cells, rows.num_rows, Source(name, lines[1:] or 2), is_text=True)
    numbered = list(_delimited_lines(name, content, delimiter))
    names = [field.strip(BLANKS) for field in numbered[0][1]] if numbered else names
    refuse_twice(names, name)
    columns = dict(zip(names, zip(*(fields for _, fields in numbered[1:]), strict=True), strict=False))
    texts = {n: pa.array([field.strip(BLANKS) for field in columns.get(n, ())], pa.large_string()) for n in names}
    return Table(what, texts, len(numbered) - 1, Source(name, [line for line, _ in numbered[1:]]), is_text=True)


def _trimmed(column: Any) -> Any:
    import pyarrow.compute as pc

    return pc.ascii_trim_whitespace(column.combine_chunks())


def _delimited_lines(name: str, content: bytes, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the fields of every line that is not empty, and the number of their last line; a quoted field may have several."""
    reader = csv.reader(io.StringIO(content.decode(), newline=""), delimiter=delimiter, strict=True)
    width, last = None, len(content.splitlines())
    limit = csv.field_size_limit(max(len(content), csv.field_size_limit()))  # of all readers of the process
    try:
        for fields in reader:
            if not any(field.strip(BLANKS) for field in fields):
                continue
            width = width or len(fields)
            if len(fields) != width:
                cut = cut_off(content) if len(fields) < width and reader.line_num == last else ""
                found = f"{plural(len(fields), 'field')} where the header has {width} columns.{cut}"
                raise DataError(found, place=f"{name}, line {reader.line_num}")
            yield reader.line_num, fields
    except csv.Error as error:
        problem = f"{error}. Is a quote unclosed or misplaced?"
        raise DataError(problem, place=f"{name}, line {reader.line_num}") from None
    finally:
        csv.field_size_limit(limit)


# -- JSON ------------------------------------------------------------------------------------------------------------


def read_json_lines(what: str, name: str, content: bytes) -> Table:
    """Return the objects of lines as a table; a key that an object lacks is a missing cell."""
    numbered = list(_objects(name, content))
    if not numbered:
        raise DataError(f"{name} is empty: it holds no {what}.")
    names = dict.fromkeys(key for _, record in numbered for key in record)
    cells = {key: [_stripped(record.get(key)) for _, record in numbered] for key in names}
    return Table(what, cells, len(numbered), Source(name, [line for line, _ in numbered]))


def _stripped(cell: Any) -> Any:
    return cell.strip(BLANKS) if isinstance(cell, str) else cell


def _objects(name: str, content: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number of every line that is not blank, and the JSON object in it."""
    check_text(name, content)
    lines = content.splitlines()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            if max(line.count(b"{"), line.count(b"[")) > _DEPTH:
                raise RecursionError
            record = parse_json(line.decode())
            if rb"\ud" in line.lower():
                json.dumps(record, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            problem = r"a text holds half of a character, such as \ud800 alone."
        except RecursionError:
            problem = f"more than {_DEPTH} lists or objects in one."
        except ValueError as error:
            why = "a number has thousands of digits" if str(error).startswith("Exceeds the limit") else str(error)
            cut = cut_off(content) if number == len(lines) and isinstance(error, json.JSONDecodeError) else ""
            problem = f"not JSON: {why}.{cut or _EACH_LINE}"
            if number == 1 and isinstance(error, json.JSONDecodeError) and (keys := _keys_of_document(content)):
                problem = f"the file is one JSON document, with the keys {list_some(keys)}, of no form that is known here.{_EACH_LINE}"
        else:
            if isinstance(record, dict):
                yield number, record
                continue
            problem = f"not a JSON object.{_EACH_LINE}"
        raise DataError(problem, place=f"{name}, line {number}")


def _keys_of_document(content: bytes) -> list[str]:
    """Return the keys of a file that is one JSON object, or a list that begins with one; none for another file."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return []
    first = document[0] if isinstance(document, list) and document else document
    return list(first) if isinstance(first, dict) else []


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object, its keys without blanks around them, unless it has two values for a key."""
    keys = [key.strip(BLANKS) for key, _ in pairs]
    record = dict(zip(keys, (value for _, value in pairs), strict=True))
    if len(record) < len(pairs):
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} occurs twice in an object")
    return record


_DECODER = json.JSONDecoder(object_pairs_hook=_without_repeats)


def parse_json(text: str) -> Any:
    """Return the JSON of a text, as all readers take it: a key that occurs twice in an object is refused.

    Raises
    ------
    ValueError
        If the text is not JSON, or an object has a key twice.
    RecursionError
        If it is too deeply nested.

    Examples
    --------
    >>> parse_json('{"q": {"a": 1, "a": 2}}')
    Traceback (most recent call last):
    ...
    ValueError: the key 'a' occurs twice in an object
    """
    return _DECODER.decode(text)


def _dict_of_dicts(content: bytes) -> dict[str, Mapping[str, Any]] | None:
    """Return the one object of a file, ``{"query": {"document": number}}``; None if it holds anything else."""
    if _OBJECT_OF_OBJECTS.match(content.lstrip()[:_LONGEST_START]) is None:
        return None
    try:
        by_topic = parse_json(content.decode())
    except (ValueError, RecursionError):
        return None
    return by_topic if all(isinstance(docs, dict) for docs in by_topic.values()) else None


def _rows_of(table: TableName, name: str, by_topic: Mapping[str, Mapping[str, Any]]) -> Table:
    """Return a dict of dicts as a table, whose places are those of its keys."""
    rows = [(topic, doc, value) for topic, docs in by_topic.items() for doc, value in docs.items()]
    cells = {column: [row[i] for row in rows] for i, column in enumerate(REQUIRED[table])}
    topics = () if all(by_topic.values()) else tuple(by_topic)
    return Table(table, cells, len(rows), Source(name), topics=topics)


# -- TREC files: qrels of four columns, runs of six, separated by white space, without a header ----------------------


_FIELDS: dict[TableName, list[str]] = {
    "run": ["query_id", "iteration", "doc_id", "rank", "score", "tag"],
    "qrels": ["query_id", "iteration", "doc_id", "relevance"],
}
_KEPT: dict[TableName, list[str]] = {"run": ["query_id", "doc_id", "score"], "qrels": _FIELDS["qrels"]}
_BLOCK = 1 << 24
"""The number of bytes that are split at once, at ends of lines; what is made of them takes ten times as much."""


class Trec(Format):
    """TREC files; recognises any text, and is tried last."""

    NAME, LINES = "trec", "all"
    SHORT_DESC = "TREC qrels (query iteration document grade) and runs (query Q0 document rank score tag)"
    EXAMPLES = ("qrels.txt", "input.bm25.gz", "trec:run.csv")

    def recognises(self, table: TableName, path: Path, start: bytes) -> bool:
        """Tell whether the content is text."""
        return b"\0" not in start

    def read(self, table: TableName, path: Path, content: bytes) -> Table:
        """Return the content as a table."""
        return read_trec(table, str(path), content)


def read_trec(table: TableName, name: str, content: bytes, lines_before: int = 0) -> Table:
    """Return lines as a table; ``lines_before`` is the number of lines of the file before them, some of them rows."""
    check_text(name, content, lines_before)
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not lines_before and re.match(rb"\s*\S+\s+qid:\S+\s+\d+:", content):
        raise DataError(
            f"These are lines of RankLib or SVMrank: a grade, qid:TOPIC, and features. They have no {'scores of documents' if table == 'run' else 'ids of documents'}. "
            f"Make a {table} file of them with lines {' '.join(_FIELDS[table])}.",
            place=f"{name}, line 1",
        )
    if table == "run" and not lines_before:
        _warn_of_rising_scores(name, content)
    lines = _Lines(table, name, lines_before)
    columns: dict[str, list[pa.Array]] = {column: [] for column in _KEPT[table]}
    line_of_row: list[Ints] = []
    every = True
    for block in _blocks(content):
        fields, rows, of_block = lines.fields_of(block, is_last=content.endswith(block))
        every = every and len(rows) == of_block
        line_of_row.append(rows + lines.before + 1)
        for column, parts in columns.items():
            cells = fields(_FIELDS[table].index(column))
            parts.append(cells.dictionary_encode() if column in ("query_id", "iteration") else cells)
        lines.before += of_block
        lines.rows += len(rows)
    if not lines.rows:
        raise DataError(f"{name} is empty: it holds no line of a {table} file.")
    source = Source(name, lines_before + 1 if every else np.concatenate(line_of_row))  # type: ignore[arg-type]
    whole = {column: _joined(parts) for column, parts in columns.items()}
    return Table(table, whole, lines.rows, source)


_HEAD = 10_000
"""How many bytes of a run are searched for scores that rise with the ranks, which takes some 50 µs."""


def _warn_of_rising_scores(name: str, content: bytes) -> None:
    """Warn of a run whose first topic has scores that rise from rank to rank, as distances do, or ranks in place of scores."""
    head = content[:_HEAD]
    fields = [words for line in head[: head.rfind(b"\n") + 1].splitlines() if len(words := line.split()) > 4]
    of_topic = [words for words in fields if words[0] == fields[0][0]]
    try:
        ranks, scores = ([float(words[place]) for words in of_topic] for place in (3, 4))
    except ValueError:  # which reading will refuse
        return
    if len(ranks) > 2 and all(a < b for numbers in (ranks, scores) for a, b in pairwise(numbers)):
        text = (
            f"{name}: The scores rise from rank to rank, such as {scores[0]:g} at rank {ranks[0]:g} and {scores[1]:g} at rank {ranks[1]:g}. Documents "
            "are ordered by score, as by trec_eval, so the last of these ranks is the first. If the ranks are right, write scores that fall."
        )
        warnings.warn(text, DataWarning, stacklevel=2)


def _joined(parts: list[Any]) -> pa.Array:
    import pyarrow as pa

    if len(parts) == 1:
        return parts[0]
    if pa.types.is_dictionary(parts[0].type):
        return pa.chunked_array(parts).unify_dictionaries().combine_chunks()
    return pa.chunked_array([part.cast(pa.large_string()) for part in parts]).combine_chunks()


def _blocks(content: bytes) -> Iterator[bytes]:
    """Yield content in blocks of whole lines."""
    if len(content) <= _BLOCK:
        yield content
        return
    start = 0
    while start < len(content):
        end = content.find(b"\n", start + _BLOCK) + 1 or len(content)
        yield content[start:end]
        start = end


def _split_evenly(block: bytes, width: int) -> pa.Array:
    """Return the fields of lines, and after each the blank or the end of line that follows it; None if these are not one byte each.

    Most files are such, and Arrow takes several times as long to split lines at any white space.
    """
    import pyarrow as pa

    content = np.frombuffer(block, np.uint8)
    place = np.flatnonzero(content <= ord(" "))
    if not len(place) or len(place) % width or place[-1] != len(block) - 1 or place[0] == 0:
        return None
    kind = content[place].reshape(-1, width)
    blanks = kind[:, :-1]
    is_even = (kind[:, -1] == ord("\n")).all() and ((blanks == ord(" ")) | (blanks == ord("\t"))).all()
    if not is_even or (np.diff(place) == 1).any():
        return None
    offsets = np.zeros(2 * len(place) + 1, dtype=np.int32)
    offsets[1::2], offsets[2::2] = place, place + 1
    return pa.StringArray.from_buffers(2 * len(place), pa.py_buffer(offsets), pa.py_buffer(block))


def _taker(fields: pa.Array, first: Ints, step: int) -> Callable[[int], pa.Array]:
    """Return what gives a field of each row, by its place, where the first field of each row is."""
    import pyarrow as pa

    def field(place: int) -> pa.Array:
        indices = pa.py_buffer(np.asarray(first + step * place, dtype=np.int32))
        return fields.take(pa.Array.from_buffers(pa.int32(), len(first), [None, indices]))

    return field


class _Lines:
    """Splits lines into fields, block by block, and counts lines and rows."""

    def __init__(self, table: TableName, name: str, before: int) -> None:
        self.table, self.name, self.before = table, name, before
        self.rows = 0
        self._within = before > 0
        self._hash_is_topic = before > 0

    def fields_of(self, block: bytes, is_last: bool) -> tuple[Callable[[int], pa.Array], Ints, int]:
        """Return what gives each field of the rows in a block of lines, their lines from 0, and the number of all lines."""
        import pyarrow as pa
        import pyarrow.compute as pc

        width = len(_FIELDS[self.table])
        even = None if b"#" in block else _split_evenly(block, width)
        if even is not None:
            rows = np.arange(len(even) // (2 * width))
            return _taker(even, 2 * width * rows, 2), rows, len(rows)
        ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n")) + 1
        if not len(ends) or ends[-1] != len(block):
            ends = np.append(ends, len(block))
        offsets = np.append(0, ends).astype(np.int32)
        lines = pa.StringArray.from_buffers(len(ends), pa.py_buffer(offsets), pa.py_buffer(block))
        split = pc.ascii_split_whitespace(pc.ascii_trim_whitespace(lines))
        starts = np.frombuffer(split.buffers()[1], np.int32)[: len(ends) + 1]
        rows, widths = np.arange(len(ends)), np.diff(starts)
        if (widths != width).any() or b"#" in block:
            rows = self._rows_among(lines, split, widths, is_last)
        return _taker(split.values, starts[:-1][rows].astype(np.int64), 1), rows, len(ends)

    def _rows_among(self, lines: pa.Array, split: pa.Array, widths: Ints, is_last: bool) -> Ints:
        """Return the lines that are rows: not blank, and no comments; raise for any other line.

        The id of a topic may begin with #, as in trec_eval 9, pytrec_eval and ir_measures, so only a line that cannot be a row is
        a comment: before the first row any line that begins with #; after it a line with white space after the #, as in the files
        of trec_eval 10. If the topic of the first row begins with #, the second rule holds everywhere, so that a damaged row of
        topic #310 is not taken for a comment.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        is_row = widths == len(_FIELDS[self.table])
        first = np.cumsum(widths) - widths
        first_words = split.values.take(pa.array(first))
        begins_with_hash = np.asarray(pc.starts_with(first_words, "#"))
        is_blank = (widths == 1) & np.asarray(pc.equal(first_words, ""))  # Arrow has one empty field in a blank line
        number = _FIELDS[self.table].index("score" if self.table == "run" else "relevance")
        numbers = split.values.take(pa.array(np.where(widths > number, first + number, first)))
        is_no_number = ~np.asarray(pc.match_substring_regex(numbers, "[0-9]|(?i:inf|nan)"))
        is_comment = np.asarray(pc.equal(first_words, "#")) & is_no_number
        odd = np.flatnonzero((~is_row | begins_with_hash) & ~is_blank & ~is_comment)
        fields = dict(zip(odd.tolist(), split.take(pa.array(odd)).to_pylist(), strict=True))
        for line, words in fields.items():
            is_row[line] = self._is_row(words)
        is_row[is_comment] = False
        first_row = 0 if self._within else int(np.argmax(np.append(is_row, True)))
        if not self._within and fields.get(first_row, [""])[0].startswith("#"):
            self._hash_is_topic = True
        self._within = self._within or first_row < len(widths)
        for line, words in fields.items():
            if is_row[line]:
                continue
            before_rows = line < first_row and not self._hash_is_topic
            if words[0] == "#" or (words[0].startswith("#") and before_rows):
                continue
            if not (begins_with_hash[line] and widths[line] == len(_FIELDS[self.table])):
                self._refuse(line, lines[line].as_py(), words, is_last and line == len(widths) - 1)
            is_row[line] = True  # the check of its number says what is wrong
        return np.flatnonzero(is_row)

    def _is_row(self, fields: list[str]) -> bool:
        """Tell whether fields can be a row, with a number where one is expected; the tag of a run may have several words.

        Extra words belong to the tag if the rank and the score are in their places and the tag does not begin with a number.
        Otherwise an id may contain a space, which would shift all later fields by one.
        """
        width = len(_FIELDS[self.table])
        if self.table == "qrels":
            return len(fields) == width and as_number(fields[3]) is not None
        if len(fields) < width or as_number(fields[4]) is None:
            return False
        return len(fields) == width or (fields[3].isdigit() and as_number(fields[5]) is None)

    def _refuse(self, line: int, text: str, fields: list[str], is_last: bool) -> None:
        """Raise the error about a line that is neither a row nor a comment, with what to do."""
        table, names = self.table, _FIELDS[self.table]
        other: TableName = "qrels" if table == "run" else "run"
        cut = cut_off(text.encode()) if is_last and self.rows + line + self.before > 0 else ""
        if text.lstrip().startswith("#"):
            advice = "After the first row, a comment needs a space after its #; other lines that begin with # are rows."
        elif "\N{NO-BREAK SPACE}" in text and len(fields) < len(names):
            advice = "It contains no-break spaces (U+00A0), which do not separate fields: replace them by spaces."
        elif cut and len(fields) < len(names):
            advice = cut.strip()
        elif len(fields) == len(_FIELDS[other]):
            advice = f"This looks like a {other} file: the qrels come first, then the run."
        else:
            advice = (
                "Fields are separated by white space, so that ids cannot contain any. A table with a header (.csv, .tsv, .jsonl, "
                ".parquet) may hold such ids, and other columns."
            )
        what = "too few" if len(fields) < len(names) else "too many"
        raise DataError(
            f"{what} fields: {len(fields)} where a {table} line has {len(names)} ({' '.join(names)}): "
            f"{value_repr(text.strip()[:100])}. {advice}",
            place=f"{self.name}, line {line + self.before + 1}",
        )


def end_of_whole_topics(content: bytes, is_first: bool = False) -> int:
    """Return where the last topic of whole lines starts, or the last line ends if another is between its rows; 0 if there is no other.

    With ``is_first``, the content begins the file, so that lines which begin with # may be comments before the first row.

    Where a comment begins as a row of the topic does, the cut may be in the wrong place; a topic is then in two chunks, as one
    that returns is.
    """
    end = content.rfind(b"\n")
    line = _last_row(content, end)
    if line is None:
        return 0
    topic = re.escape(line.split(maxsplit=1)[0])
    row_of_topic = rb"\n[^\S\n]*" + topic + rb"\s"
    first = re.match(row_of_topic[2:], content) or re.search(row_of_topic, content)
    start = first.start() + 1 if first and first.start() else 0
    if re.compile(rb"\n(?![^\S\n]*(?:" + topic + rb"\s|#|\n|\Z))").search(content, start, end):
        return end + 1
    return start if start and _last_row(content, start - 1, is_first) is not None else 0


def _last_row(content: bytes, end: int, hash_is_comment: bool = False) -> bytes | None:
    """Return the last line before an end of line that may be a row, because it is neither blank nor a comment."""
    while end >= 0:
        start = content.rfind(b"\n", 0, end) + 1
        fields = content[start:end].split(maxsplit=6)
        if len(fields) >= 6 and fields[0] != b"#" and not (hash_is_comment and fields[0].startswith(b"#")):
            return content[start:end]
        end = start - 1
    return None


# -- the header of ir_metadata in a run file -------------------------------------------------------------------------


_START, _END = "# ir_metadata.start", "# ir_metadata.end"
_LONGEST = 1 << 16
"""Bytes of a file in which its header must end."""


def run_metadata(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the header of ir_metadata of a run file, empty if it has none; dates are texts.

    Warns
    -----
    irmx.DataWarning
        About a header that cannot be read. The run is read without it.

    References
    ----------
    Breuer, T., Keller, J., Schaer, P.: ir_metadata: An Extensible Metadata Schema for IR Experiments. SIGIR 2022.
    """
    import yaml

    start = content_of(path, "run", _LONGEST).decode("utf-8", "replace").lstrip()
    if not start.startswith(_START):
        return {}
    header, end, _ = start.partition(_END)
    lines = [line.removeprefix("#").removeprefix(" ") for line in header.splitlines()[1:]]
    why = "" if end else f"it does not end with {_END!r} within {_LONGEST:,} bytes"
    found: Any = None
    try:
        if not why and any(isinstance(token, yaml.AliasToken) for token in yaml.scan("\n".join(lines))):
            why = "it has aliases of YAML"  # with which a small text stands for a huge one
        found = {} if why else json.loads(json.dumps(yaml.safe_load("\n".join(lines)), default=str))
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        why = text_of(error).splitlines()[0]
    if not why and not isinstance(found, dict):
        why = "it holds no names with values"
    if why:
        warnings.warn(f"{path}: the header of ir_metadata is left out: {why}.", DataWarning, stacklevel=2)
        return {}
    return dict(found)
