"""The help of every command: no names of types, lines of at most 80 columns, examples, sentences; - and _ are the same."""

import re

import pytest

import irmx
from irmx.cli.command_help import WIDTH, folded_line
from irmx.cli.words import built

COMMANDS = irmx.registry().commands()
GROUPS = sorted({one.group for one in COMMANDS.values() if one.group})


@pytest.fixture
def help_of(command, monkeypatch):
    """A function that returns what ``--help`` prints on a terminal of 80 columns."""

    def shown(words: str) -> str:
        environ = monkeypatch.setenv
        monkeypatch.setattr(monkeypatch, "setenv", lambda name, value: environ(name, "80"))
        return command(*words.split(), "--help").out

    return shown


@pytest.mark.parametrize("words", ["", *GROUPS, *sorted(COMMANDS)])
def test_help_fits_80_columns_and_names_no_types(words: str, help_of) -> None:
    shown = help_of(words)
    assert not re.search(r"<(str|int|float|list)|[{}]|INTEGER|\bTEXT\b", shown)
    assert max(map(len, shown.splitlines())) <= WIDTH
    assert not re.search(r"\w-$", shown, re.MULTILINE), "a word is broken at its hyphen"


@pytest.mark.parametrize("words", sorted(COMMANDS))
def test_help_ends_with_examples_and_speaks_in_sentences(words: str, help_of) -> None:
    shown, command = help_of(words), COMMANDS[words]
    _, _, examples = shown.partition("For example:\n")
    joined = re.sub(r" \\\n\s+", " ", examples)
    assert [line.strip() for line in joined.splitlines()] == list(command.EXAMPLES)
    assert command.EXAMPLES
    for text in (command.SHORT_DESC, *(param.help for param in built(command).params)):
        assert re.fullmatch(r"[A-Z].*[.)]", text), text


@pytest.mark.parametrize("words", sorted(COMMANDS))
def test_options_may_be_typed_with_hyphens_or_underscores(words: str, command) -> None:
    typed = []
    for param in built(COMMANDS[words]).params:
        names = [name[2:] for name in param.opts if name.startswith("--")]
        for name in sorted({name.replace(*pair) for name in names for pair in ("_-", "-_")}):
            typed += [f"--{name}", *([] if param.is_flag else ["1"])]
    done = command(*words.split(), *typed, "--help")
    assert (done.code, done.err) == (0, "")


def test_both_spellings_of_an_option_do_the_same(command) -> None:
    from irmx.demo import qrels_path, run_path

    files = (qrels_path(), run_path("bm25"), "AP")
    one = command("eval", *files, "--by_query", "--no_summary", "--output_format", "csv")
    other = command("eval", *files, "--by-query", "--no-summary", "--output-format", "csv")
    assert (one.code, one.out) == (0, other.out)
    assert one.out.count("\n") > 20


def test_a_long_example_is_folded_between_words_outside_quotes() -> None:
    line = "irmx eval qrels.txt run.txt 'MSU(L=0.5, M=1h)' --output_format csv"
    folded = folded_line(line, 40)
    assert max(map(len, folded)) <= 40
    assert " ".join(part.removesuffix("\\").strip() for part in folded) == line
    assert len(folded) == 3
    assert folded_line(line, 100) == [line]
