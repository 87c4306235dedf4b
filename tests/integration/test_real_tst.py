"""The Temporal Summarization track's files of 2013 to 2015, and official scores of three runs of 2014."""

from __future__ import annotations

import csv
import gzip
import io
import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import irmx
from irmx import DataError, DataWarning
from irmx_stream import read_tst_runs

pytestmark = pytest.mark.real

OFFICIAL = {
    "Comp": "Comprehensiveness",
    "LC": "Latency Comp.",
    "TS_Latency": "E[Latency]",
    "EG": "E[Gain]",
    "nEG": "nE[Gain]",
    "ELG": "E[Latency Gain]",
    "nELG": "nE[Latency Gain]",
    "TS_H": "HM(nE[LG],Lat. Comp.)",
    "TS_Verbosity": "E[Verbosity]",
}
"""The official name of every measure."""
ROUNDED = 5e-5 + 1e-9
"""The largest difference from a number with 4 decimals that is due to rounding."""
RUNS = ("1APSalRed", "2APSal", "3AP")

Values = dict[str, dict[tuple[str, str], float]]
"""Per measure, by topic and run."""


def data() -> Path:
    return Path(os.environ["IRMX_DATA"]).resolve() / "trec_ts"


def linked(folder: Path, year: int, *names: str) -> Path:
    """Return a folder of links to the files of a year, or to some of them."""
    folder.mkdir(exist_ok=True)
    for path in (data() / str(year)).iterdir():
        if not names or path.name in names:
            (folder / path.name).symlink_to(path)
    return folder


OF_2013 = ("nuggets.notext.tsv.gz", "matches.tsv.gz", "pooled_updates.notext.tsv.gz", "trec2013-ts-topics-test.xml")
OF_2013_MSU = ("nuggets.msu_ref.notext.tsv.gz", "matches.msu_ref.tsv.gz", *OF_2013[2:])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return linked(tmp_path_factory.mktemp("tst") / "2014", 2014)


@pytest.fixture(scope="module")
def judgments(folder: Path) -> irmx.Judgments:
    told = "^9 matches name nuggets that are unknown or withdrawn", "^44 matches end after the text"
    with pytest.warns(DataWarning, match=told[0]), pytest.warns(DataWarning, match=told[1]):
        return irmx.read_qrels(f"tst:{folder}")


@pytest.fixture(scope="module")
def runs() -> dict[str, irmx.Run]:
    found = {name: irmx.read_run(table) for name, table in read_tst_runs(data() / "2014" / "runs.cunlp.ssv.gz").items()}
    assert {name: len(run) for name, run in found.items()} == dict(zip(RUNS, (15_974, 5_721, 89_505), strict=True))
    return found


@pytest.fixture(scope="module")
def official() -> Values:
    found: Values = {name: {} for name in OFFICIAL}
    with gzip.open(data() / "2014" / "ts14.eval.graded.results.tsv.gz") as file:
        for row in csv.DictReader(io.TextIOWrapper(file, encoding="utf-8"), delimiter="\t"):
            if row["TeamID"] == "cunlp" and row["QueryID"].startswith("TS14."):
                for name, column in OFFICIAL.items():
                    found[name][row["QueryID"].removeprefix("TS14."), row["RunID"]] = float(row[column])
    assert all(len(pairs) == 45 for pairs in found.values())
    return found


def scored(measures: dict[str, str], judgments: irmx.Judgments, runs: dict[str, irmx.Run]) -> Values:
    """Return the values of measures, given by a name and an expression."""
    parsed = {name: irmx.parse_measure(text) for name, text in measures.items()}
    evaluator = irmx.evaluator(list(parsed.values()), judgments)
    by_run = {run: evaluator.values(data) for run, data in runs.items()}
    return {
        name: {(topic, run): value for run, values in by_run.items() for topic, value in values[measure].items()}
        for name, measure in parsed.items()
    }


@pytest.fixture(scope="module")
def found(judgments: irmx.Judgments, runs: dict[str, irmx.Run]) -> Values:
    return scored({name: name for name in OFFICIAL}, judgments, runs)


@pytest.mark.parametrize("name", ["Comp", "LC", "TS_Latency"])
def test_what_needs_no_text_is_official_to_four_decimals(name: str, found: Values, official: Values) -> None:
    assert found[name].keys() == official[name].keys()
    wrong = {pair: (found[name][pair], w) for pair, w in official[name].items() if abs(found[name][pair] - w) > ROUNDED}
    assert wrong == {}


@pytest.mark.parametrize(
    ("name", "largest", "mean"),
    [("EG", 0.05, 0.015), ("nEG", 0.05, 0.01), ("ELG", 0.08, 0.015), ("nELG", 0.04, 0.01), ("TS_H", 0.04, 0.01), ("TS_Verbosity", 0.02, 0.006)],
)  # fmt: skip
def test_what_needs_the_texts_is_close(name: str, largest: float, mean: float, found: Values, official: Values) -> None:
    """The texts are missing: places of matches in words are in proportion, and words are parted by white space."""
    errors = [abs(found[name][pair] - w) / w for pair, w in official[name].items() if w]
    assert max(errors) < largest
    assert sum(errors) / len(errors) < mean


def test_with_the_words_of_the_script_only_the_mean_words_of_nuggets_are_off(
    judgments: irmx.Judgments, runs: dict[str, irmx.Run], official: Values
) -> None:
    """They are one factor of V - 1 for the runs of a topic; its blanks were lost with the texts."""
    spread = {}
    for words in ("white_space", "track"):
        found = scored({"V": f"TS_Verbosity(words='{words}',same_time='run')"}, judgments, runs)["V"]
        ratios: dict[str, list[float]] = {}
        for pair, value in found.items():
            ratios.setdefault(pair[0], []).append((value - 1) / (official["TS_Verbosity"][pair] - 1))
        spread[words] = sum(max(of_topic) / min(of_topic) - 1 for of_topic in ratios.values()) / len(ratios)
    assert spread["track"] < 0.003 < 0.007 < spread["white_space"]


def test_the_rule_of_2013_would_be_far_off(
    judgments: irmx.Judgments, runs: dict[str, irmx.Run], official: Values
) -> None:
    dropped = scored({"V": "TS_Verbosity(track='2013')"}, judgments, runs)["V"]
    assert sum(abs(dropped[pair] - w) > 0.1 * w for pair, w in official["TS_Verbosity"].items()) > 35


def test_near_duplicates_keep_their_matches_where_the_original_is_not_pooled(
    folder: Path, tmp_path: Path, runs: dict[str, irmx.Run], official: Values
) -> None:
    """A plain replacement, which takes the matches of these updates away, gets one of the 45 pairs wrong."""
    lines = gzip.decompress((folder / "updates_sampled.notext.tsv.gz").read_bytes()).decode().splitlines()
    header, *rows = (line.split("\t") for line in lines)
    columns = [header.index(name) for name in ("query_id", "update_id", "duplicate_id")]
    pool = {(row[columns[0]], row[columns[1]]): row[columns[2]] for row in rows}
    lonely = {key for key, original in pool.items() if original != "NULL" and (key[0], original) not in pool}
    matches = gzip.decompress((folder / "matches.tsv.gz").read_bytes()).decode().splitlines(keepends=True)
    kept = [line for line in matches if tuple(line.split("\t")[:2]) not in lonely]
    assert len(matches) - len(kept) > 0
    changed = linked(tmp_path / "2014", 2014)
    (changed / "matches.tsv.gz").unlink()
    (changed / "matches.tsv").write_text("".join(kept), encoding="utf-8")
    with pytest.warns(DataWarning, match="matches name nuggets"), pytest.warns(DataWarning, match="matches end after"):
        judgments = irmx.read_qrels(f"tst:{changed}")
    plain = scored({"Comp": "Comp", "LC": "LC"}, judgments, runs)
    for name, values in plain.items():
        assert {p for p, w in official[name].items() if abs(values[p] - w) > ROUNDED} == {("23", "1APSalRed")}


def test_runs_repeat_updates(runs: dict[str, irmx.Run]) -> None:
    assert sum(len(run) - sum(len(set(run.docs(i))) for i in range(len(run.topics))) for run in runs.values()) == 14_788


# -- all folders are read ----------------------------------------------------------------------------------

TOLD = {
    (2013, OF_2013): {"1 topic", "263 nuggets", "5 nuggets", "30 matches", "2 matches", "1,069 rows", "24 updates"},
    (2013, OF_2013_MSU): {"1 topic", "289 nuggets", "5 nuggets", "30 matches", "307 matches", "1,069 rows", "24 updates"},
    (2014, ()): {"9 matches", "44 matches"},
    (2015, ()): {"2,779 matches", "26 matches"},
}  # fmt: skip
"""What is counted and left out, by year and files."""


@dataclass(frozen=True)
class Read:
    """The files of a year, or some of them, and what was read of them."""

    year: int
    folder: Path
    judgments: irmx.Judgments
    counts: set[str]
    expected_counts: set[str]


@pytest.fixture(scope="module", params=TOLD)
def read(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Read:
    year, names = request.param
    folder = linked(tmp_path_factory.mktemp("year") / "year", year, *names)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        judgments = irmx.read_qrels(f"tst:{folder}")
    counts = {" ".join(str(w.message).split()[:2]) for w in caught}
    return Read(year, folder, judgments, counts, TOLD[year, names])


def test_every_year_is_read(read: Read) -> None:
    assert read.counts == read.expected_counts
    assert len(read.judgments.topics) == {2013: 9, 2014: 15, 2015: 21}[read.year]
    for name in ("query_start", "query_end", "pooled"):
        column = read.judgments.column(name)
        assert column is not None
        assert (column == column).all()


def test_the_whole_folder_of_2013_is_ambiguous() -> None:
    with pytest.raises(DataError, match=r"nuggets: nuggets.msu_ref.notext.tsv.gz and nuggets.notext.tsv.gz"):
        irmx.read_qrels(f"tst:{data() / '2013'}")


@pytest.mark.filterwarnings("ignore::irmx.DataWarning")
def test_eval_of_every_year(tmp_path: Path, command: Any, read: Read) -> None:
    """A run of one update of every topic that holds a nugget, emitted a minute after its document."""
    holding = {str(q.query_id): q.doc_id for q in read.judgments if q.doc_id and q.relevance > 0}
    lines = []
    for topic, update in holding.items():
        document, _, sentence = update.rpartition("-")
        lines.append(f"{topic} team run {document} {sentence} {int(document.partition('-')[0]) + 60} 1\n")
    (tmp_path / "run").write_text("".join(lines), encoding="utf-8")
    done = command("eval", f"tst:{read.folder}", "run", "LC(duplicates='all')", "Comp(duplicates='all')", "TS_H")
    assert done.code == 0
    lc, comp, h = (float(line.split("\t")[1]) for line in done.out.splitlines())
    assert 0 < comp < 1
    assert 0 < lc < 2 * comp
    assert 0 <= h < 1
