"""The test files of other evaluation tools: sound files are read and give the expected figures, the rest is refused."""

from __future__ import annotations

import gzip
import os
from collections import defaultdict
from pathlib import Path
from typing import Any

import ir_measures
import pytest

import irmx

pytestmark = pytest.mark.real

PRINTED = 0.5e-4 + 1e-9
"""A figure printed with 4 decimals is at most this far from the value."""

PAIRS = [
    ("trec_eval/qrels.test", "trec_eval/results.test"),
    ("trec_eval/qrels.comment.test.gz", "trec_eval/results.comment.test.gz"),
    ("ir_measures/compat.qrels", "ir_measures/compat.run"),
    ("ir_measures/cwl.qrels", "ir_measures/cwl.run"),
    ("cwl_eval/qrel_file", "cwl_eval/result_file"),
    ("ranx/qrels.trec.gz", "ranx/run.trec.gz"),
    *(("trectools/qrel1.txt", f"trectools/r{i}.run") for i in (1, 2, 3, 4)),
    *(
        ("sigtrec_eval/qrelFile.qrel.gz", f"sigtrec_eval/{name}.gz")
        for name in ("baseline", "result_to_compare1", "result_to_compare2")
    ),
    *(
        ("trec_run_evaluator/qrels.backgroundlinking19.txt.gz", f"trec_run_evaluator/sample{i}.txt.gz")
        for i in (1, 2, 3)
    ),
    ("pyterrier/vaswani_npl_qrels", "pyterrier/two_queries_result"),
]


@pytest.fixture(scope="module")
def data() -> Path:
    return Path(os.environ["IRMX_DATA"]).resolve()


@pytest.fixture(scope="module")
def fixtures(data: Path) -> Path:
    return data / "fixtures"


def text(path: Path) -> Any:
    return gzip.open(path, "rt") if path.suffix == ".gz" else path.open()


def printed(path: Path, measures: tuple[str, ...] = ("map", "recip_rank")) -> dict[str, dict[str, float]]:
    """Return, by measure and topic ('all' among them), what trec_eval printed."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for line in path.read_text().splitlines():
        measure, topic, value = line.split()
        if measure in measures:
            found[measure][topic] = float(value)
    return found


# -- equal to pytrec_eval, which reads the files itself ----------------------------------------------------


@pytest.mark.parametrize(("qrels", "run"), PAIRS)
def test_files_of_other_tools_score_as_in_pytrec_eval(fixtures: Path, qrels: str, run: str) -> None:
    import pytrec_eval

    with text(fixtures / qrels) as q, text(fixtures / run) as r:
        judged, retrieved = pytrec_eval.parse_qrel(q), pytrec_eval.parse_run(r)
    reference = pytrec_eval.RelevanceEvaluator(judged, {"map", "recip_rank"}).evaluate(retrieved)
    uniform, first = irmx.evaluator("NCP(law=uniform) NCP(law=first)", fixtures / qrels).values(fixtures / run).values()
    assert set(uniform) == set(judged)
    assert len(reference) >= 2
    for topic in judged:
        theirs = reference.get(topic, {"map": 0.0, "recip_rank": 0.0})
        assert uniform[topic] == pytest.approx(theirs["map"], rel=0, abs=1e-12)
        assert first[topic] == pytest.approx(theirs["recip_rank"], rel=0, abs=1e-12)


# -- the figures that trec_eval's own tests expect ---------------------------------------------------------


@pytest.mark.parametrize(
    ("qrels", "run", "expected", "change"),
    [
        ("qrels.test", "results.test", "out.test", ""),
        ("qrels.test", "results.test", "out.test.aq", ""),
        ("qrels.test", "results.trunc", "out.test.aqc", ""),
        ("qrels.test", "results.trunc", "out.test.aqcM", ",cutoff=100"),
        ("qrels.rel_level", "results.test", "out.test.aql", ",rel=2"),
        ("qrels.comment.test.gz", "results.comment.test.gz", "out.comment.test", ""),
    ],
)
def test_expected_figures_of_trec_eval(fixtures: Path, qrels: str, run: str, expected: str, change: str) -> None:
    """Topics that a run lacks count as 0 (trec_eval -c); -M is ``cutoff``; -l is ``rel``."""
    folder = fixtures / "trec_eval"
    ours = {
        "map": (f"NCP(law=uniform{change})", f"MP(model=constant,rescale='recall'{change})"),
        "recip_rank": (f"NCP(law=first{change})",),
    }
    found = irmx.calc([m for names in ours.values() for m in names], folder / qrels, folder / run)
    by_topic = {(str(m.measure), m.query_id): m.value for m in found.per_query}
    figures = printed(folder / expected)
    for theirs, names in ours.items():
        for measure in map(irmx.parse_measure, names):
            assert found.aggregated[measure] == pytest.approx(figures[theirs]["all"], rel=0, abs=PRINTED)
            for topic in figures[theirs].keys() - {"all"}:
                wanted = figures[theirs][topic]
                assert by_topic[str(measure), topic] == pytest.approx(wanted, rel=0, abs=PRINTED), (measure, topic)


def test_measures_of_ir_measures_keep_their_values_beside_ours(fixtures: Path) -> None:
    folder = fixtures / "trec_eval"
    names = {"map": "AP", "recip_rank": "RR", "P_10": "P@10", "Rprec": "Rprec", "bpref": "Bpref"}
    figures = printed(folder / "out.test.aq", tuple(names))
    asked = ["MP(model=GL_AD_ID)", *names.values()]
    values = irmx.evaluator(asked, folder / "qrels.test").values(folder / "results.test")
    assert [str(m) for m in values] == asked
    for theirs, name in names.items():
        for topic, value in values[ir_measures.parse_measure(name)].items():
            assert value == pytest.approx(figures[theirs][topic], rel=0, abs=PRINTED)


# -- odd but sound files -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plain", "commented", "renamed"),
    [
        ("qrels.test", "qrels.test.with-comments", ("CR93E-1860", "CR#93E-1860")),
        ("qrels.123.gz", "qrels.comments.123.gz", ("CR93E-3103", "CR93E-3103#37")),
    ],
)
def test_comment_lines_are_no_judgments_and_ids_may_hold_the_sign(
    fixtures: Path, plain: str, commented: str, renamed: tuple[str, str]
) -> None:
    first, second = (irmx.read_qrels(fixtures / "trec_eval" / name).as_dict() for name in (plain, commented))
    old, new = renamed
    assert second["301"].pop(new) == first["301"][old]
    second["301"].setdefault(old, first["301"][old])
    assert second == first


def test_line_ends_of_windows(fixtures: Path) -> None:
    assert b"\r\n" in (fixtures / "cwl_eval/qrel_file").read_bytes()
    qrels = [irmx.read_qrels(fixtures / name).as_dict() for name in ("cwl_eval/qrel_file", "ir_measures/cwl.qrels")]
    runs = [irmx.read_run(fixtures / name).as_dict() for name in ("cwl_eval/result_file", "ir_measures/cwl.run")]
    assert qrels[0] == qrels[1]
    assert runs[0] == runs[1]


@pytest.mark.parametrize("rel", [0.2, 0.4, 1, 2])
@pytest.mark.parametrize("name", ["gain_file", "big_gain_file", "neg_gain_file"])
def test_grades_may_be_fractions_or_negative(fixtures: Path, name: str, rel: float) -> None:
    folder = fixtures / "cwl_eval"
    rows = [line.split() for line in (folder / name).read_text().splitlines()]
    binary: dict[str, dict[str, int]] = defaultdict(dict)
    for topic, _, doc, grade in rows:
        binary[topic][doc] = int(float(grade) >= rel)
    measure = "MP(model=GL_OR_LID,rescale='recall'{})"
    (found,) = irmx.evaluator(measure.format(f",rel={rel}"), folder / name).values(folder / "result_file").values()
    (wanted,) = irmx.evaluator(measure.format(""), binary).values(folder / "result_file").values()
    assert found == pytest.approx(wanted, rel=0, abs=1e-12)
    assert any(found.values()) == any(any(docs.values()) for docs in binary.values())


@pytest.mark.parametrize("year", ["2010", "2012"])
def test_subtopic_judgments_count_as_their_maximum(data: Path, year: str) -> None:
    """A document of the Web track's diversity qrels has a row per subtopic."""
    import pytrec_eval

    folder = data / "web_diversity" / year
    qrels = irmx.read_qrels(folder / "qrels.diversity.txt.gz")
    best: dict[str, dict[str, int]] = defaultdict(dict)
    with gzip.open(folder / "qrels.diversity.txt.gz", "rt") as lines:
        for topic, _, doc, grade in map(str.split, lines):
            best[topic][doc] = max(int(grade), best[topic].get(doc, -9))
    assert len(list(qrels)) > len(qrels)
    assert qrels.as_dict() == best
    run = irmx.read_run(folder / "runs" / "dssa-indri-baseline.run.gz")
    (ours,) = irmx.evaluator("NCP(law=uniform)", qrels).values(run).values()
    theirs = pytrec_eval.RelevanceEvaluator(dict(best), {"map"}).evaluate(run.as_dict())
    assert sum(value > 0 for value in ours.values()) > 40
    for topic, values in theirs.items():
        assert ours[topic] == pytest.approx(values["map"], rel=0, abs=1e-12)


# -- what is no qrels file, or no run ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "name", "parts"),
    [
        ("qrels", "trec_eval/prefs.test", ["line 1", "too many fields: 5"]),
        ("qrels", "trec_eval/prefs.comment.test", ["line 2", "too many fields: 5"]),
        ("qrels", "trec_eval/out.test", ["line 1", "too few fields: 3"]),
        ("qrels", "trec_eval/results.test", ["line 1", "too many fields: 6", "looks like a run file"]),
        ("qrels", "pyNTCIREVAL/sample.rel", ["line 1", "too few fields: 2"]),
        ("qrels", "pyNTCIREVAL/res_test_compute.txt", ["line 3", "too few fields: 2"]),
        ("run", "trec_eval/qrels.test", ["line 1", "too few fields: 4", "looks like a qrels file"]),
        ("run", "trec_eval/prefs.rank20", ["line 1", "too few fields: 5"]),
        ("run", "trec_eval/LICENSE.md", ["line 1", "too many fields: 52"]),
        ("run", "pyterrier/light_results", ["line 1", "too few fields: 3"]),
        ("run", "pyNTCIREVAL/sample.res", ["line 1", "too few fields: 1"]),
        ("run", "cwl_eval/cost_file", ["line 1", "too few fields: 2"]),
    ],
)
def test_what_is_no_such_file_is_refused_with_the_place(
    fixtures: Path, table: str, name: str, parts: list[str]
) -> None:
    read: Any = {"qrels": irmx.read_qrels, "run": irmx.read_run}[table]
    with pytest.raises(irmx.DataError) as caught:
        read(fixtures / name)
    message = str(caught.value)
    assert message.startswith(str(fixtures / name))
    for part in parts:
        assert part in message
