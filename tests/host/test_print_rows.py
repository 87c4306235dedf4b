"""One place that prints rows, in every format: nothing is lost, no number is cut, no name breaks a line or a terminal."""

import csv
import io
import json
import re
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest

import irmx
from irmx.demo import SYSTEMS, judgments_path, qrels_path, run_path
from irmx.registry import registry
from irmx.toolkit import print_rows

LONG = "AS_RBP(beta=0.855231,alpha=7.47072,personal=0.257105)"


def printed(frame: pd.DataFrame, width: int | None, capsys: pytest.CaptureFixture[str], places: int = 4) -> list[str]:
    """The lines of a table on a terminal of a width, or in a file."""
    with pytest.MonkeyPatch.context() as patch:
        if width is not None:
            patch.setattr(sys.stdout, "isatty", lambda: True)
            patch.setenv("COLUMNS", str(width))
        print_rows(frame, "table", places=places)
    return re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()


def held_out(rows: int) -> pd.DataFrame:
    columns = ["agreement", "difference_low", "difference_high", "p_value"]
    numbers = {name: [0.1234 + i / 10 for _ in range(rows)] for i, name in enumerate(columns)}
    texts = {"fitted": ["by likelihood"] * rows, "measure": [LONG] * rows}
    return pd.DataFrame({**texts, "pairs": [2176] * rows, **numbers})


@pytest.mark.parametrize("width", [None, 200, 110, 90])
def test_numbers_are_whole_and_texts_are_folded(width: int | None, capsys: pytest.CaptureFixture[str]) -> None:
    frame = held_out(3)
    lines = printed(frame, width, capsys)
    shown = re.findall(r"0\.\d{4}(?!\d)", "\n".join(lines))
    assert sorted(shown) == sorted(f"{x:.4f}" for row in frame.iloc[:, 3:].to_numpy() for x in row)
    assert re.findall(r"\b2176\b", "\n".join(lines)) == ["2176"] * 3
    assert width is None or max(map(len, lines)) <= width
    folded = "".join("".join(line.split()) for line in lines)
    assert all(character in folded for character in LONG)
    assert (LONG in "\n".join(lines)) == (width is None or width >= 200)


def test_names_of_measures_are_folded_between_their_parts(capsys: pytest.CaptureFixture[str]) -> None:
    names = [f"MP(model={model},rescale='recall') difference" for model in ("GL_AD_ID", "GL_OR_LID", "LO_AD_ID")]
    lines = printed(pd.DataFrame({"query_id": ["1"], **{name: [0.5] for name in names}} | {"AP": 0.25}), 80, capsys)
    assert max(map(len, lines)) <= 80
    words = {word for line in lines for word in line.split()}
    assert words >= {"difference", "query_id", "0.2500"}
    assert all(any(model in word for word in words) for model in ("GL_AD_ID,", "GL_OR_LID,", "LO_AD_ID,"))


def test_full_precision_is_not_folded(capsys: pytest.CaptureFixture[str]) -> None:
    frame = pd.DataFrame({"measure": [LONG], "value": [0.12345678901234567]})
    for width in (40, 10):
        assert any(repr(0.12345678901234567) in line for line in printed(frame, width, capsys, places=-1))


@pytest.mark.parametrize(
    ("value", "places", "read", "number"),
    [
        (4.9e-5, 4, "<0.0001", "4.9e-05"),
        (5.1e-5, 4, "0.0001", "0.0001"),
        (0.3, 0, "<1", "0.3"),
        (0.25, 2, "0.25", "0.25"),
        (1.23456789e-9, 3, "<0.001", "1.23e-09"),
        (1e-7, -1, "1e-07", "1e-07"),
        (float("nan"), 4, "", ""),
    ],
)
def test_no_p_value_is_printed_as_zero_and_programs_get_numbers(
    value: float, places: int, read: str, number: str
) -> None:
    frame = pd.DataFrame({"p_value": [value]})
    assert shown(frame, "table", places=places).splitlines()[3].split() == read.split()
    assert shown(frame, "markdown", places=places).split()[-2].replace("\\", "") == (read or "|")
    for form in ("tsv", "csv"):
        assert shown(frame, form, places=places).splitlines()[-1].strip('"') == number


FORMATS = ("table", "tsv", "csv", "jsonl", "markdown", "latex", "html")
ROWS = [
    {"run": "größe 検索", "documents": 3, "value": 2 / 3, "local": True},
    {"run": "b", "documents": np.int64(12), "value": None, "local": None, "error": np.float64(0.5)},
]


def shown(rows: Any, output_format: str, **options: Any) -> str:
    out = io.StringIO()
    print_rows(rows, output_format, file=out, **options)
    return out.getvalue()


def test_the_formats_of_irmx_are_these() -> None:
    host = [n for n, f in registry().output_formats().items() if registry().source_of(f).startswith("irmx")]
    assert tuple(host[: len(FORMATS)]) == FORMATS


@pytest.mark.parametrize(
    ("output_format", "expected"),
    [
        ("tsv", "run\tdocuments\tvalue\tlocal\terror\ngröße 検索\t3\t0.6667\tyes\t\nb\t12\t\t\t0.5000\n"),
        ("csv", "run,documents,value,local,error\ngröße 検索,3,0.6667,yes,\nb,12,,,0.5000\n"),
        (
            "jsonl",
            '{"run": "größe 検索", "documents": 3, "value": 0.6666666666666666, "local": true}\n'
            '{"run": "b", "documents": 12, "value": null, "local": null, "error": 0.5}\n',
        ),
        (
            "markdown",
            "| run | documents | value | local | error |\n| --- | ---: | ---: | --- | ---: |\n"
            "| größe 検索 | 3 | 0.6667 | yes |  |\n| b | 12 |  |  | 0.5000 |\n",
        ),
        (
            "latex",
            "\\begin{table*}\n\\centering\n\\small\n\\setlength{\\tabcolsep}{4pt}\n\\begin{tabular}{lrrlr}\n\\toprule\nrun & documents & value & local & error \\\\\n\\midrule\n"
            "größe 検索 & 3 & 0.6667 & yes &  \\\\\nb & 12 &  &  & 0.5000 \\\\\n\\bottomrule\n\\end{tabular}\n\\end{table*}\n",
        ),
    ],
)
def test_rows_in_every_format(output_format: str, expected: str) -> None:
    assert shown(ROWS, output_format) == expected


def test_a_table_has_wide_characters_in_columns() -> None:
    head, _, first, second = (line.rstrip() for line in shown(ROWS, "table").splitlines() if line.strip())
    assert first.split() == ["größe", "検索", "3", "0.6667", "yes"]
    assert head.index("documents") + len("documents") == second.index("12") + 2 == first.index("3") + 1 + len("検索")
    assert head.endswith("error")


@pytest.mark.parametrize("output_format", FORMATS)
def test_no_rows(output_format: str) -> None:
    text = shown([], output_format, columns=["run", "value"])
    assert [line for line in text.splitlines() if "0." in line] == []
    assert ("run" in text) == (output_format != "jsonl")
    assert shown(pd.DataFrame({"run": [], "value": []}), output_format) == text


def test_places_columns_header_and_footer() -> None:
    rows = [{"name": "a", "value": 0.25}, {"name": "b", "value": 0.5}]
    assert shown(rows, "tsv", places=-1, columns=["value"], header=False) == "0.25\n0.5\n"
    assert shown(rows, "csv", places=0, header=False) == "name,value\na,0\nb,0\n"
    for output_format in FORMATS:
        text = shown(rows, output_format, places=2, footer={"value": 0.75})
        assert ("0.75" in text) == (output_format in ("table", "markdown", "latex", "html"))


def test_nan_is_said_and_what_a_frame_lacks_is_empty() -> None:
    assert shown([{"value": float("nan")}], "tsv", header=False) == "nan\n"
    assert shown([{"value": float("inf")}], "jsonl") == '{"value": null}\n'
    assert shown(pd.DataFrame({"value": [np.nan, 1.0]}), "csv") == 'value\n""\n1.0000\n'


def test_cells_of_numpy_and_pandas_are_those_of_python() -> None:
    rows = [{"a": np.True_, "b": pd.NaT, "c": pd.NA, "d": np.datetime64("NaT")}]
    line = '{"a": true, "b": null, "c": null, "d": null}\n'
    assert shown(rows, "jsonl") == shown(pd.DataFrame(rows, dtype=object), "jsonl") == line
    assert shown(rows, "csv") == "a,b,c,d\nyes,,,\n"
    assert shown([{"a": np.datetime64("2014-03-01")}], "jsonl") == '{"a": "2014-03-01"}\n'


@pytest.mark.parametrize(
    ("rows", "said"), [({"a": 1}, "a single dict"), (7, "a single int"), (["a"], "a row that is a str")]
)
def test_what_is_no_rows_is_refused(rows: Any, said: str) -> None:
    with pytest.raises(irmx.UsageError, match=f"an iterable of mappings from names to cells. Got {said} instead"):
        print_rows(rows)


def test_names_of_two_words_are_told_apart(command: Any) -> None:
    rows = list(csv.DictReader(io.StringIO(command("plugins", "-o", "tsv").out), delimiter="\t"))
    in_words = [json.loads(line) for line in command("plugins", "-o", "jsonl").out.splitlines()]
    assert [row["names"].split(", ") for row in rows] == [row["names"] or [""] for row in in_words]
    assert any("markov learn-chain" in row["names"] for row in in_words)


HOSTILE = 'a\tb\nc\r\x1b[2J\x9b1m\u202e|&_%$#{}~^\\<b>"*`,\x00\ud800'


@pytest.mark.parametrize("output_format", ["table", "tsv", "csv", "markdown", "latex"])
def test_a_name_ends_no_line_and_steers_no_terminal(output_format: str) -> None:
    text = shown([{"name": HOSTILE, "value": 0.5}, {"name": "z", "value": 0.25}], output_format, header=False)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\ud800]", text.replace("\t0.", ""))
    [line] = [line for line in text.splitlines() if "0.5" in line]
    assert ("x1b[2J" in line) == (output_format in ("table", "tsv", "csv")) or r"x1b\[2J" in line or "x1b[2J" in line
    long = "a" * len(HOSTILE) * 4
    plain = shown([{"name": long, "value": 0.5}, {"name": "z", "value": 0.25}], output_format, header=False)
    assert len(text.splitlines()) == len(plain.splitlines())


def test_what_is_special_is_escaped() -> None:
    rows = [{"AS_RBP(x|y)": "50% & <b> a_b"}]
    of_latex = [r"AS\_RBP(x\textbar{}y) \\", r"50\% \& \textless{}b\textgreater{} a\_b \\"]
    assert shown(rows, "latex").splitlines()[2::2][:2] == of_latex
    assert shown(rows, "markdown").splitlines()[::2] == [r"| AS_RBP(x\|y) |", r"| 50% \& \<b> a_b |"]
    assert list(csv.reader(io.StringIO(shown([{"a": 'x,"y" z', "b": 1}], "csv")))) == [["a", "b"], ['x,"y" z', "1"]]


def test_every_part_of_a_wide_latex_table_tells_its_rows_apart() -> None:
    named = [{"measure": "AP", "system": system, **{f"column {i}": 0.25 for i in range(12)}} for system in ("a", "b")]
    parts = shown(named, "latex").split(r"\par\medskip")
    assert len(parts) > 1
    assert all(f"AP & {system} & 0.2500" in part for part in parts for system in ("a", "b"))
    alone = shown(named[:1], "latex").split(r"\par\medskip")
    assert [part.count("AP & a") for part in alone] == [1, *[0] * (len(alone) - 1)]


@pytest.mark.parametrize(
    ("text", "latex", "markdown"),
    [
        ("[2pt] a", "{[}2pt] a", r"\[2pt] a"),
        ("*a", "{*}a", r"\*a"),
        ("_q_", r"\_q\_", r"\_q\_"),
        ("a__b c_d", r"a\_\_b c\_d", r"a\_\_b c_d"),
        ("&lt;b", r"\&lt;b", r"\&lt;b"),
        ("@ann a@b", "@ann a@b", "@<!-- -->ann a@b"),
        ("see https://x.org", "see https://x.org", "see https:<!-- -->//x.org"),
        ("a#12 www.x.org GH-1", r"a\#12 www.x.org GH-1", "a#<!-- -->12 www<!-- -->.x.org GH<!-- -->-1"),
        ("`a` ~b~", r"`a` \textasciitilde{}b\textasciitilde{}", r"\`a\` \~b\~"),
    ],
)
def test_a_cell_is_neither_markup_nor_an_argument_of_the_line_before(text: str, latex: str, markdown: str) -> None:
    assert shown([{"run": text}], "latex").splitlines()[4] == rf"{latex} \\"
    assert shown([{"run": text}], "markdown").splitlines()[2] == f"| {markdown} |"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_names_of_columns_are_folded_before_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "34")
    out = Terminal()
    print_rows([{"interval": "[0.1234, 0.5678]", "p_corrected_by_holm": 0.5}], "table", file=out)
    assert "[0.1234, 0.5678]" in out.getvalue()
    assert "p_corrected_by_holm" not in out.getvalue()


def test_an_unknown_format_is_refused_with_the_nearest() -> None:
    with pytest.raises(irmx.UsageError, match=r"no output format 'tvs'\. Did you mean tsv"):
        print_rows([], "tvs")


# -- every command takes the same words ---------------------------------------------------------------------------

COMMANDS: dict[str, tuple[str, ...]] = {
    "eval": ("eval", str(qrels_path()), str(run_path("bm25")), "AP", "P@5"),
    "eval, by query": ("eval", str(qrels_path()), str(run_path("bm25")), "AP", "-q"),
    "eval, several runs": ("eval", str(qrels_path()), *(str(run_path(s)) for s in SYSTEMS), "AP", "P@5"),
    "explain": ("explain", str(qrels_path()), str(run_path("bm25")), "NCP(law=first)", "-t", "1"),
    "measures": ("measures",),
    "plugins": ("plugins",),
    "demo": ("demo",),
    "datasets": ("datasets", "vaswani"),
    "windows": ("temporal", "windows", str(judgments_path()), "-w", "1y"),
}


@pytest.mark.parametrize("of", COMMANDS)
def test_a_command_prints_every_format(of: str, command: Any) -> None:
    printed = {}
    for output_format in FORMATS:
        done = command(*COMMANDS[of], "-o", output_format)
        assert done.code == 0, done.err
        printed[output_format] = done.out
    records = [json.loads(line) for line in printed["jsonl"].splitlines()]
    names, *rows = csv.reader(io.StringIO(printed["csv"]))
    assert len(set(printed.values())) == len(FORMATS)
    assert all(len(row) == len(names) for row in rows)
    if not of.startswith("eval"):
        assert set().union(*records) == set(names)
        assert len(rows) == len(records) == printed["tsv"].count("\n") - 1
        assert any(f"\\begin{{{table}}}{{" in printed["latex"] for table in ("tabular", "longtable"))
    assert printed["markdown"].startswith("| ")
    assert printed["html"].startswith("<table>\n")
    command(*COMMANDS[of], "-o", "xlsx").assert_refused(
        2, "There is no output format 'xlsx'. Known: table, tsv, csv, jsonl, markdown, latex, html"
    )


def test_eval_gives_markup_a_row_per_run(command: Any) -> None:
    lines = command(*COMMANDS["eval, several runs"], "-o", "markdown").out.splitlines()
    assert lines[0] == "| run | AP | P@5 |"
    assert [line.split(" | ")[0] for line in lines[2:]] == [f"| {system}.run" for system in SYSTEMS]
