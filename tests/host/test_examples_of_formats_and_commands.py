"""The examples that formats and commands declare are read as theirs."""

import shlex
from pathlib import Path

import pytest

import irmx
from irmx.cli.words import built
from irmx.data.formats import dataset_named, named_format

FORMATS = irmx.registry().formats()
COMMANDS = irmx.registry().commands()


def format_of(source: str, table: str) -> irmx.Format:
    """Return the format of a source, by how it is written."""
    written = named_format(source)
    if written is not None:
        return written[0]
    by_name = [f for f in FORMATS.values() if Path(source).suffix and f.recognises(table, Path(source), b"")]
    return by_name[0] if by_name else dataset_named(source)[0]


@pytest.mark.parametrize(("name", "example"), [(name, e) for name, f in FORMATS.items() for e in f.EXAMPLES])
def test_an_example_of_a_format_is_of_that_format(name: str, example: str) -> None:
    assert format_of(example, FORMATS[name].TABLES[0]) is FORMATS[name]


@pytest.mark.parametrize(("words", "example"), [(words, e) for words, c in COMMANDS.items() for e in c.EXAMPLES])
def test_an_example_of_a_command_has_arguments_that_it_takes(words: str, example: str) -> None:
    line = shlex.split(example.partition(" > ")[0])
    word = words.split()
    assert line[: len(word) + 1] == ["irmx", *word]
    assert built(COMMANDS[words]).make_context(words, line[len(word) + 1 :]).params


def test_all_formats_have_examples() -> None:
    assert [name for name, f in FORMATS.items() if not f.EXAMPLES] == []
