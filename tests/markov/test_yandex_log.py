"""Logs in the format of Yandex's Relevance Prediction Challenge, against logs written and counted by hand."""

import bz2
import gzip
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx
from irmx.data.click_logs import clicks_of_yandex_log
from irmx_markov import backward_share, holding_times, read_click_log, transition_counts

LOG = """\
0\t0\tQ\t8\t0\t7103\t51\t92\t93
0\t103\tC\t51
0\t110\tC\t7103
0\t120\tQ\t9\t0\t60\t51
0\t125\tC\t51
0\t140\tC\t92
1\t0\tQ\t8\t0\t7103\t51\t92\t93
1\t5\tC\t92
"""
CLICKS = [  # session, query, rank, time, dwell
    (1, "8", 2, 103, 7),
    (1, "8", 1, 110, 10),
    (1, "8", 3, 140, math.nan),
    (4, "9", 2, 125, 15),
    (7, "8", 3, 5, math.nan),
]


def rows(log):
    return [tuple(row) for row in log[["session", "query_id", "rank", "time", "dwell"]].fillna(-1).values.tolist()]


EXPECTED = [tuple(-1 if value != value else value for value in row) for row in CLICKS]


@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress])
def test_every_query_is_a_session_of_its_own(tmp_path, compress):
    path = tmp_path / "log"
    path.write_bytes(compress(LOG.encode()))
    assert rows(read_click_log(path)) == EXPECTED


def test_the_functions_that_take_a_click_log_take_it(tmp_path):
    path = tmp_path / "log.txt"
    path.write_text(LOG)
    assert transition_counts(path).tolist() == [[0, 0, 1], [1, 0, 0], [0, 0, 0]]
    assert backward_share(path) == 0.5
    times = holding_times(path)
    assert times[["rank", "n", "mean_time", "holding_time"]].values.tolist() == [[2, 2, 11.0, 22.0]]
    assert holding_times(read_click_log(path, unit=0.5))["mean_time"].tolist() == [5.5]


def test_queries_are_counted_by_the_sessions_that_issue_them_clicked_or_not(tmp_path, command):
    """Query 8: sessions 0, 1 and, twice and without a click, 2; query 9: session 0, with clicks on two pages."""
    lines = LOG.splitlines()
    again = ["0\t150\tQ\t9\t0\t60", "0\t160\tC\t60", "0\t170\tC\t60"]
    unclicked = ["2\t0\tQ\t8\t0\t51", "2\t4\tQ\t8\t0\t51"]
    path = tmp_path / "log.txt"
    path.write_text("\n".join([*lines[:6], *again, *lines[6:], *unclicked]))
    log = read_click_log(path)
    assert log.groupby("query_id")["query_sessions"].unique().map(list).to_dict() == {"8": [3], "9": [1]}
    for often, kept in (({"min_sessions": 3}, {"8"}), ({"min_clicked_pages": 2}, {"8", "9"}), ({}, {"8", "9"})):
        assert set(map(str, holding_times(log, by="query_id", **often)["query_id"])) == kept
    done = command("markov", "holding-times", path, "--by", "query_id", "--min-sessions", 3, "-o", "csv")
    assert [line.split(",")[0] for line in done.out.splitlines()] == ["query_id", "8"]
    assert command("markov", "holding-times", path, "--min-sessions", 4).code == 1


def test_a_table_in_another_unit(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("session,rank,time\na,1,0\na,2,2500\n")
    assert read_click_log(path, unit=0.001)["time"].tolist() == [0.0, 2.5]
    for unit in (0, -1, math.inf, math.nan):
        with pytest.raises(irmx.UsageError, match=r"'unit' parameter must be a number in the range \(0, inf\)"):
            read_click_log(path, unit=unit)


def test_lines_out_of_order_are_put_in_the_order_of_time(tmp_path):
    lines = LOG.splitlines(keepends=True)
    path = tmp_path / "log.txt"
    path.write_text("".join([lines[0], lines[4], lines[3], lines[2], lines[1], *lines[5:]]))
    assert [row[2:] for row in rows(read_click_log(path))] == [row[2:] for row in EXPECTED]


def test_line_ends_of_windows_blank_lines_and_blocks_change_nothing():
    content = LOG.encode()
    expected = clicks_of_yandex_log("log", [content])
    for size in (1, 7, 50):
        blocks = [content[i : i + size] for i in range(0, len(content), size)]
        assert clicks_of_yandex_log("log", blocks).equals(expected)
    assert clicks_of_yandex_log("log", [content.replace(b"\n", b"\r\n")]).equals(expected)
    assert clicks_of_yandex_log("log", [content.rstrip(b"\n")]).equals(expected)
    assert clicks_of_yandex_log("log", [content + b"\n \t\n"]).equals(expected)


def test_a_url_listed_twice_has_its_first_rank():
    clicks = clicks_of_yandex_log("log", [b"1\t0\tQ\t5\t0\t9\t8\t9\n1\t3\tC\t9\n"])
    assert clicks["rank"].tolist() == [1]


def test_a_region_is_no_url():
    with pytest.warns(irmx.DataWarning, match=r"^log: 1 click left out, the first in line 2: "):
        clicks = clicks_of_yandex_log("log", [b"1\t0\tQ\t5\t3\t9\n1\t3\tC\t3\n"])
    assert len(clicks) == 0


def test_clicks_on_urls_that_no_query_lists_are_left_out_with_a_warning():
    later = "1\t9\tC\t60\n2\t0\tC\t51\n1\t10\tC\t51\n"
    with pytest.warns(irmx.DataWarning, match=r"3 clicks left out, the first in line 9: .* must stand together"):
        clicks = clicks_of_yandex_log("log", [(LOG + later).encode()])
    assert len(clicks) == len(CLICKS)
    # a click on what is not listed still ends the time spent on the click before it
    assert clicks["dwell"].tolist()[-1] == 4


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("0\t3", "A line has at least 4 fields. Got 2 fields."),
        ("0\t3\tC", "A click has 4 fields. Got 3 fields."),
        ("0\t3\tC\t5\t6", "A click has 4 fields. Got 5 fields."),
        ("0\t3\tQ\t5\t6", "A query has at least 6 fields. Got 5 fields."),
        ("0\t3\tM\t5\t6", "The action must be Q or C. Got 'M'."),
        ("0\tlate\tC\t5", r"The time passed must be a number in the range \[0, inf\). Got 'late'."),
        ("0\t-3\tC\t5", r"The time passed .* Got '-3'."),
        ("0\tnan\tC\t5", r"The time passed .* Got 'nan'."),
        ("0\tinf\tC\t5", r"The time passed .* Got 'inf'."),
        ("\t3\tC\t5", "Field 1 is empty."),
        ("0\t3\tQ\t5\t6\t7\t\t9", "Field 7 is empty."),
        ("0 3 C 5", "A line has at least 4 fields. Got 1 field."),
        ("0\t3\tC\t\udcff", "The byte 0xff at column 7 is not UTF-8."),
    ],
)
def test_malformed_lines_are_told_with_file_and_line(tmp_path, line, message):
    path = tmp_path / "log.txt"
    path.write_bytes((LOG + line + "\n").encode(errors="surrogateescape"))
    with pytest.raises(irmx.DataError, match=rf"log\.txt, line 9: {message} A line is 'SessionID TimePassed Q"):
        read_click_log(path)


def test_a_log_without_clicks(tmp_path):
    path = tmp_path / "log.txt"
    path.write_text(LOG.splitlines()[0])
    assert len(read_click_log(path)) == 0
    with pytest.raises(irmx.DataError, match="has no clicks"):
        transition_counts(path)


def test_a_damaged_file_is_told(tmp_path):
    path = tmp_path / "log.gz"
    path.write_bytes(gzip.compress(LOG.encode() * 1000)[:-20])
    with pytest.raises(irmx.DataError, match=r"log\.gz is compressed, but truncated or damaged"):
        read_click_log(path)


PAGES = st.lists(st.integers(0, 30), min_size=1, max_size=10, unique=True)


@st.composite
def sessions(draw):
    """Pages with the ranks clicked while they are the last page shown, and the seconds between all actions."""
    pages = draw(st.lists(st.tuples(PAGES, st.integers(0, 5)), min_size=1, max_size=4))
    return [
        (urls, [draw(st.integers(1, len(urls))) for _ in range(clicks)], draw(st.integers(1, 9)))
        for urls, clicks in pages
    ]


@given(st.lists(sessions(), min_size=1, max_size=5), st.integers(1, 200))
def test_what_is_written_is_read(log, size):
    lines, expected = [], []
    for number, session in enumerate(log):
        time = 0
        for query, (urls, ranks, wait) in enumerate(session):
            lines.append([number, time, "Q", query, 0, *urls])
            page = len(lines)
            for rank in ranks:
                time += wait
                lines.append([number, time, "C", urls[rank - 1]])
                expected.append((page, str(query), rank, float(time)))
            time += wait
    content = "\n".join("\t".join(map(str, line)) for line in lines).encode()
    clicks = clicks_of_yandex_log("log", [content[i : i + size] for i in range(0, len(content), size)])
    assert list(clicks[["session", "query_id", "rank", "time"]].itertuples(index=False, name=None)) == expected
    gaps = [b[1] - a[1] if a[0] == b[0] else math.nan for a, b in zip(lines, [*lines[1:], [-1, 0]], strict=True)]
    assert np.array_equal(clicks["dwell"], [g for g, line in zip(gaps, lines, strict=True) if line[2] == "C"], True)
