"""TREC files as trec_eval reads them: what is a row, what is a comment, where a field ends."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx

QRELS = "#310 0 a 1\n#310 0 b 0\n# 0 a 1\n311 0 a 1\n"
RUN = "#310 Q0 b 1 2.0 t\n#310 Q0 a 2 1.0 t\n# Q0 a 1 1.0 t\n311 Q0 a 1 1.0 t\n"
PLAIN = "309 0 a 1\n"
COMMENTS = "# made by us in 1999\n\n  #no blank behind it\n"


def put(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_bytes(content.encode())
    return path


def test_ids_that_begin_with_a_number_sign_are_topics(tmp_path: Path) -> None:
    qrels, run = put(tmp_path, "some.qrels", QRELS), put(tmp_path, "some.run", RUN)
    expected = list(
        ir_measures.iter_calc([ir_measures.AP], ir_measures.read_trec_qrels(str(qrels)), ir_measures.read_trec_run(str(run)))
    )  # fmt: skip
    assert {m.query_id: m.value for m in expected} == {"#310": 0.5, "#": 1.0, "311": 1.0}
    for measure in ("AP", "NCP(law=uniform)"):
        found = {m.query_id: m.value for m in irmx.iter_calc(measure, qrels, run)}
        assert found == {m.query_id: m.value for m in expected}


@pytest.mark.parametrize("blanks", [" ", "  ", "\t"])
def test_comments_before_the_first_row(blanks: str, tmp_path: Path) -> None:
    qrels = put(tmp_path, "some.qrels", COMMENTS + "# topic iter document grade\n" + PLAIN + QRELS.replace(" ", blanks))
    run = put(
        tmp_path,
        "some.run",
        COMMENTS + "# topic Q0 document rank score tag\n" + "309 Q0 a 1 1.0 t\n" + RUN.replace(" ", blanks),
    )
    assert irmx.read_qrels(qrels).as_dict() == {
        "309": {"a": 1},
        "#310": {"a": 1, "b": 0},
        "#": {"a": 1},
        "311": {"a": 1},
    }
    assert irmx.read_run(run).as_dict() == {
        "309": {"a": 1.0}, "#310": {"b": 2.0, "a": 1.0}, "#": {"a": 1.0}, "311": {"a": 1.0}
    }  # fmt: skip


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_comments_below_the_first_row_have_a_blank_behind_the_sign(end: str, tmp_path: Path) -> None:
    lines = ["q 0 a 1", "#", "# grade of b unsure", "# of topic r", "  #\tindented", "q 0 b 0", "# 0 c 1", "#1 0 c 1"]
    qrels = put(tmp_path, "some.qrels", end.join([*lines, ""]))
    assert irmx.read_qrels(qrels).as_dict() == {"q": {"a": 1, "b": 0}, "#": {"c": 1}, "#1": {"c": 1}}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (COMMENTS + "q Q0 a 1 2 t\n\nq Q0 a 2 1 t\n", "lines 4 and 6: The run has the document 'a' more than once"),
        (COMMENTS + "q Q0 a 1 two t\n", "line 4: the score 'two'"),
        ("q Q0 a 1 2 t\n# the second topic\nr Q0 a 1 two t\n", "line 3: the score 'two'"),
        ("q Q0 a 1 2 t\n# x\nr Q0 a 1 2 t\nr Q0 a 2 1 t\n", "lines 3 and 4: The run has the document 'a' more than once"),
        ("q Q0 a 1 2 t\n#the second topic\nr Q0 a 1 2 t\n", "line 2: too few fields: 3 .* a space after its #"),
        ("#1 Q0 a 1 2 t\n#1 Q0 b 2 t\n", "line 2: too few fields: 5 .* of a topic"),
        ("# nothing but this\n", "is empty"),
        ("#310 Q0 d1 1 1,5 t\n#310 Q0 d2 2 1.0 t\n", "line 1: the score '1,5' of document d1 is not a number"),
        ("# of 1999\n#310 Q0 d1 1 t\n#311 Q0 d2 2 1.0 t\n", "line 2: too few fields: 5"),
    ],
)  # fmt: skip
def test_lines_are_counted_with_the_comments(content: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(irmx.DataError, match=says):
        irmx.read_run(put(tmp_path, "some.run", content)).as_dict()


@given(
    rows=st.lists(st.tuples(st.sampled_from(["#1", "#", "1"]), st.sampled_from("abc")), min_size=1, unique=True),
    comments=st.lists(st.sampled_from(["#", "# a b", "# 0 a yes", "# of 1999", ""])),
)
def test_every_row_is_read_whatever_stands_before(rows: list[Any], comments: list[str], tmp_path_factory: Any) -> None:
    path = put(tmp_path_factory.mktemp("trec"), "q", "\n".join([*comments, *(f"{q} 0 {d} 1" for q, d in rows)]) + "\n")
    assert {(qrel.query_id, qrel.doc_id) for qrel in irmx.read_qrels(path)} == set(rows)


@pytest.mark.parametrize("tag", ["my run", "my 2", "run 2 of 3", "my\N{NO-BREAK SPACE}run", "a\N{NO-BREAK SPACE}2 7"])
def test_a_tag_may_have_several_words(tag: str, tmp_path: Path, command: Callable[..., Any]) -> None:
    """As to trec_eval, which reads the first word, or all that are joined by no-break spaces."""
    content = f"q Q0 b 1 2.0 {tag}\nq  Q0 a 2 1.0 {tag}\n"
    run, qrels = put(tmp_path, "some.run", content), put(tmp_path, "some.qrels", "q 0 a 1\n")
    done = command("eval", qrels, run, "AP", "NCP(law=uniform)")
    assert (done.code, done.out, done.err) == (0, "AP\t0.5000\nNCP(law=uniform)\t0.5000\n", "")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("q Q0 my doc 1 2.0 t", "line 2: too many fields: 7 .* ids cannot contain any"),
        ("q Q0 doc 17 1 2.0 t", "line 2: too many fields: 7 .* ids cannot contain any"),
        ("q\N{NO-BREAK SPACE}Q0 c 1 2.0 t", "line 2: too few fields: 5 .* no-break spaces .U.00A0.*replace them"),
        ("q Q0 c 1 \N{FULLWIDTH DIGIT TWO} t", "line 2: the score '.' of document c is not a number"),
        ("q Q0 c 1 -inf t", "line 2: the score '-inf' of document c is infinite. Give a finite score, or remove"),
        ("q Q0 c 1 1e400 t", "line 2: the score '1e400' of document c is too large for a 64-bit float"),
    ],
)
def test_what_a_field_is(line: str, says: str, tmp_path: Path) -> None:
    """A no-break space belongs to its field in a line that is read again to find an error, too."""
    content = f"q Q0 a 1 3.0 my\N{NO-BREAK SPACE}run\n{line}\n"
    with pytest.raises(irmx.DataError, match=says):
        irmx.read_run(put(tmp_path, "some.run", content))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_longer_tags_are_read_as_quickly_as_others(end: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Not line by line, which takes a hundred times as long."""
    monkeypatch.setattr("irmx.data.formats.trec._read_by_line", None)
    lines = ["q Q0 a 1 2.5 my run", "q Q0 b 2 -.5e1 run", "q  Q0 c 3 +7. my 2nd\trun of 3"]
    run = put(tmp_path, "some.run", end.join([*lines, ""]))
    assert irmx.read_run(run).as_dict() == {"q": {"a": 2.5, "b": -5.0, "c": 7.0}}


@pytest.mark.parametrize(
    "line", ["q Q0 a b 1 2.5 run", "q Q0 a 1 2.5 3 runs", "q Q0 a 1 2.5 NaN runs", "q Q0 a 1.0 2.5 my run"]
)
def test_a_blank_in_an_id_is_no_longer_tag(line: str, tmp_path: Path) -> None:
    with pytest.raises(
        irmx.DataError, match=r"line 1: too many fields: 7.* a tag may have several words if the first is not"
    ):
        irmx.read_run(put(tmp_path, "some.run", line + "\n"))
