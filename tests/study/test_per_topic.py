"""Per-topic results of other tools as scores: every format, the same values; what is wrong, with file and line."""

import gzip
import json
import pickle
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import irmx
import irmx_study
from irmx import DataError, DataWarning, Scores, UsageError
from irmx.demo import SYSTEMS, qrels_path, run_path
from irmx_study import read_per_topic

MEASURES = "AP nDCG@10 P@5 NumRet"
RUNS = {system: run_path(system) for system in SYSTEMS}
TREC = {"AP": "map", "nDCG@10": "ndcg_cut_10", "P@5": "P_5", "NumRet": "num_ret"}


@pytest.fixture(scope="module")
def demo() -> Scores:
    return irmx.scores(MEASURES, qrels_path(), RUNS)


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., list[str]]:
    """Write files with some texts, and return their paths."""

    def files(**texts: str) -> list[str]:
        for name, text in texts.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        return [str(tmp_path / name) for name in texts]

    return files


def trec_eval(scores: Scores, system: str) -> str:
    """What ``trec_eval -q`` prints: padded names, text values, and the lines of all topics."""
    s = scores.systems.index(system)
    lines = [
        f"{TREC[str(measure)]:<22}\t{topic}\t{float(scores.values[t, s, m])!r}"
        for t, topic in enumerate(scores.topics)
        for m, measure in enumerate(scores.measures)
    ]
    means = (("runid", system), ("num_q", "30"), ("map", "0.1234"), ("gm_map", "0.1"))
    every = [f"{name:<22}\tall\t{value}" for name, value in means]
    return "\n".join([*lines, *every]) + "\n"


def lines_of(scores: Scores, system: str) -> str:
    """What ``ir_measures -q`` prints."""
    rows = scores.select(systems=[system]).frame().itertuples()
    return "".join(f"{r.query_id}\t{r.measure}\t{r.value!r}\n" for r in rows) + "all\tAP\t0.5\n"


def tidy(scores: Scores, path: Path, **how: Any) -> None:
    scores.frame().rename(columns=how.pop("columns", {})).to_csv(path, index=False, **how)


def assert_same(scores: Scores, expected: Scores) -> None:
    assert (scores.topics, scores.systems, scores.measures) == (expected.topics, expected.systems, expected.measures)
    assert scores.values.tolist() == expected.values.tolist()
    assert not scores.missing.any()


@pytest.mark.parametrize("text", [trec_eval, lines_of])
def test_lines_of_a_tool_are_the_scores_of_a_system(
    text: Callable[[Scores, str], str], demo: Scores, write: Any
) -> None:
    assert_same(read_per_topic(write(**{system: text(demo, system) for system in SYSTEMS})), demo)


def test_lines_may_lack_tabs_and_lines_of_all_topics(demo: Scores, write: Any) -> None:
    texts = {system: trec_eval(demo, system).replace("\t", "  ") for system in SYSTEMS}
    texts = {system: re.sub(r".* all .*\n", "", text) + "\n\n" for system, text in texts.items()}
    assert_same(read_per_topic(write(**texts)), demo)


@pytest.mark.parametrize(
    "columns",
    [{}, {"query_id": "qid", "system": "name"}, {"query_id": "topic", "system": "run"}],
    ids=["scores", "pyterrier", "others"],
)
@pytest.mark.parametrize("sep", [",", "\t"], ids=["csv", "tsv"])
def test_tidy_tables(columns: dict[str, str], sep: str, demo: Scores, tmp_path: Path) -> None:
    tidy(demo, tmp_path / "results.csv.gz" if sep == "," else tmp_path / "results", columns=columns, sep=sep)
    assert_same(read_per_topic(tmp_path / ("results.csv.gz" if sep == "," else "results")), demo)


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl"])
@pytest.mark.parametrize("several", [True, False], ids=["several", "one"])
def test_what_irmx_eval_prints(form: str, several: bool, demo: Scores, tmp_path: Path, command: Any) -> None:
    for system in SYSTEMS:
        (tmp_path / system).write_text(Path(RUNS[system]).read_text())
    for i, runs in enumerate([list(SYSTEMS)] if several else [[system] for system in SYSTEMS]):
        done = command("eval", "-q", "-p", -1, "-o", form, qrels_path(), *runs, *MEASURES.split())
        assert done.code == 0
        (tmp_path / f"{i}.results").write_text(done.out)
    scores = read_per_topic(str(tmp_path / "*.results"), names=None if several else SYSTEMS)
    assert_same(scores, demo)


def test_lines_of_several_runs_in_both_orders(write: Any) -> None:
    rows = [("r1", "28", 1), ("r1", "29", 2), ("r2", "28", 3), ("r2", "29", 4), ("r1", "all", 1.5), ("r2", "all", 3.5)]
    tot = "".join(f"{run}   M-1  {topic} {value}\n" for run, topic, value in rows)
    by_topic = "".join(f"{run}\t{topic}\tM-1\t{value}\n" for run, topic, value in rows)
    for content in (tot, by_topic, "run_id\tquery_id\tmeasure\tvalue\n" + by_topic):
        scores = read_per_topic(write(a=content))
        assert (scores.topics, scores.systems, str(scores.measures)) == (("28", "29"), ("r1", "r2"), "(M-1,)")
        assert scores.values[:, :, 0].tolist() == [[1, 3], [2, 4]]
    for content in ("r1\tAP\tM-1\t1\n", "r1\tM-1\tAP\t1\n"):
        assert read_per_topic(write(a=content)).topics == ("M-1",)
    with pytest.raises(DataError, match=r"which of '28' and 'M-1' is the topic.*run<tab>query_id"):
        read_per_topic(write(a="r1\t28\tM-1\t1\n"))


def test_tables_with_a_column_per_system(demo: Scores, tmp_path: Path) -> None:
    wide = demo.frame().query("measure == 'AP'").pivot(index="query_id", columns="system", values="value")
    wide = wide.loc[list(demo.topics), list(demo.systems)].reset_index()
    wide.to_csv(tmp_path / "ap.csv", index=False)
    assert_same(read_per_topic(tmp_path / "ap.csv", measure="map"), demo.select(measures="AP"))
    wide.to_parquet(tmp_path / "ap.parquet")
    assert_same(read_per_topic(tmp_path / "ap.parquet", measure="AP"), demo.select(measures="AP"))
    wide.to_csv(tmp_path / "with_row_numbers.csv")
    wide.set_index(wide.index.astype(str)).to_parquet(tmp_path / "with_row_numbers.parquet")
    for path in tmp_path.glob("with_row_numbers.*"):
        assert_same(read_per_topic(path, measure="AP"), demo.select(measures="AP"))
    with pytest.raises(UsageError, match=r"ap.csv has the columns bm25, .* what measure the table holds: --measure"):
        read_per_topic(tmp_path / "ap.csv")
    with pytest.raises(UsageError, match=r"names its systems itself. Leave the names out"):
        read_per_topic(tmp_path / "ap.csv", "AP", ["a"])


def test_tables_with_a_column_per_measure_are_of_one_system(demo: Scores, write: Any) -> None:
    texts = {}
    for s, system in enumerate(demo.systems):
        rows = [",".join([topic, *map(repr, demo.values[t, s].tolist())]) for t, topic in enumerate(demo.topics)]
        texts[system] = "\n".join([f"qid,{','.join(map(str, demo.measures))}", *rows])
    assert_same(read_per_topic(write(**texts)), demo)


def test_one_column_of_a_measure_that_irmx_does_not_know(tmp_path: Path, write: Any) -> None:
    paths = write(X="query_id,ndcg@5\nQ1,0.70\nQ2,0.30\n", Y="query_id,ndcg@5\nQ2,0.10\nQ1,0.50\n")
    scores = read_per_topic(paths)
    assert [str(measure) for measure in scores.measures] == ["ndcg@5"]
    assert scores[scores.measures[0]].tolist() == [[0.7, 0.5], [0.3, 0.1]]
    assert scores.means().loc["X", "ndcg@5"] == 0.5
    assert list(scores.frame()["measure"].unique()) == ["ndcg@5"]
    assert scores.values.tolist() == read_per_topic(paths, measure="ndcg@5").values.tolist()
    assert set(scores.made_by["files"]) == set(paths)
    scores.to_parquet(tmp_path / "scores.parquet")
    assert read_per_topic(tmp_path / "scores.parquet").frame().equals(scores.frame())


def test_files_of_scores_are_put_together(demo: Scores, tmp_path: Path) -> None:
    for system in demo.systems:
        demo.select(systems=[system]).to_parquet(tmp_path / f"{system}.parquet")
    paths = [tmp_path / f"{system}.parquet" for system in demo.systems]
    assert_same(read_per_topic(paths), demo)
    lacking = {"one": {"1": {"a": 2.0}}, "two": {"1": {"a": 1.0}, "2": {"b": 1.0}}}
    with pytest.warns(DataWarning, match="no results for"):
        scores = irmx.scores("AP", {"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 1}}, lacking)
    for name in scores.systems:
        scores.select(systems=[name]).to_parquet(tmp_path / f"{name}.parquet")
    again = read_per_topic([tmp_path / "one.parquet", tmp_path / "two.parquet"])
    assert again.frame().equals(scores.frame())
    assert again.states.tolist() == scores.states.tolist() == [[[0], [0]], [[1], [0]], [[1], [1]]]
    assert read_per_topic(tmp_path / "one.parquet").made_by == scores.made_by


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffquery_id,measure,value\r\n1,AP,0.5\r\n2,AP,0.25\r\n",
        '"qid","measure","value"\n"1","AP","0.5"\n"2","AP","0.25"\n',
        ",qid,measure,value\n0,1,AP,0.5\n1,2,AP,.25\n",
        "query_id,AP\r1,0.5\r2,0.25\r",
        "\n1\tAP\t0.5\r\n\r\n2\tAP\t2.5e-1\r\n",
        "topic\tmap\n1\t0.5\n2\t0.25\nall\t0.375\n",
        "all\tAP\t0.375\n 1\tAP \t 0.5\n2\tAP\t.25",
    ],
)
def test_unusual_but_clear_files(text: str, write: Any) -> None:
    scores = read_per_topic(write(a=text))
    assert (scores.topics, str(scores.measures), scores["AP"].tolist()) == (("1", "2"), "(AP,)", [[0.5], [0.25]])


def test_rows_without_query_ids(write: Any) -> None:
    paths = write(a="one,two\n.5,.25\n1,0\n", b="three,four\n.5,.25\n1,0\n")
    with pytest.warns(DataWarning, match="a has no column query_id .* its rows are taken as topics, numbered from 1"):
        scores = read_per_topic(paths[:1], "AP")
    assert (scores.topics, scores.systems) == (("1", "2"), ("one", "two"))
    assert scores["AP"].tolist() == [[0.5, 0.25], [1, 0]]
    with pytest.raises(DataError, match=r"a has no column query_id .*, without which the topics of several files"):
        read_per_topic(paths, "AP")


def test_missing_topics_count_with_the_default_and_are_counted(write: Any) -> None:
    paths = write(a="1\tAP\t0.5\n2\tAP\t0.25\n1\tu\t3\n2\tu\t4\n", b="3\tAP\t0.5\n2\tAP\t1\n2\tu\t4\n3\tu\t1\n")
    with pytest.warns(DataWarning) as caught:
        scores = read_per_topic(paths)
    assert [str(w.message) for w in caught] == [
        "a: no results for 1 of 3 topics (3); they count with the measures' defaults, which is 0 for u",
        "b: no results for 1 of 3 topics (1); they count with the measures' defaults, which is 0 for u",
    ]
    assert scores.with_missing()["AP"].tolist() == [[0.5, 0], [0.25, 1], [0, 0.5]]
    assert np.isnan(scores["AP"]).tolist() == [[False, True], [False, False], [True, False]]


def test_measures_that_not_all_systems_have_are_left_out(write: Any) -> None:
    paths = write(a="1\tAP\t0.5\n1\tRR\t1\n9\tRR\t1\n", b="map\t1\t0.25\nP_5\t1\t0.4\n")
    with pytest.warns(DataWarning, match=r"2 measures .* are left out: RR \(not in b\), P@5 \(not in a\)"):
        scores = read_per_topic(paths)
    assert (str(scores.measures), scores.topics) == ("(AP,)", ("1",))
    with pytest.raises(DataError, match=r"No measure is in the results of all 2 systems: .* nDCG \(not in a\), AP .*"):
        read_per_topic([*write(c="1\tnDCG\t0.5\n"), paths[0]])


@pytest.mark.parametrize("form", ["jsonl", "csv", "ranking", "tot"])
def test_results_of_autojudge(form: str, write: Any) -> None:
    """Its evaluation writes run_id, topic_id, measure, value in four forms, with measures that irmx does not know."""
    rows = [(run, topic, "GRADE", value) for run, value in (("runA", 4.0), ("runB", 2.5)) for topic in ("101", "102")]
    names = ("run_id", "topic_id", "measure", "value")
    text = {
        "jsonl": [json.dumps(dict(zip(names, row, strict=True))) for row in rows],
        "csv": [",".join(names), *(",".join(map(str, row)) for row in rows)],
        "ranking": [f"{topic}\tQ0\t{run}\t0\t{value}\t{measure}" for run, topic, measure, value in rows],
        "tot": [
            f"{run}\t{measure}\t{topic}\t{value}"
            for run, topic, measure, value in [*rows, ("runA", "all", "GRADE", 4.0)]
        ],
    }[form]
    scores = read_per_topic(write(out="\n".join(text) + "\n"))
    assert (scores.topics, scores.systems) == (("101", "102"), ("runA", "runB"))
    assert scores["GRADE"].tolist() == [[4.0, 2.5], [4.0, 2.5]]


def test_lines_of_one_row_per_topic(write: Any) -> None:
    [path] = write(a='{"Topic ID": "t1", "AP": 0.5, "P_5": 0.2}\n{"Topic ID": "t2", "AP": 0.25, "P_5": 1}\n')
    scores = read_per_topic(path)
    assert (scores.topics, scores.systems, list(map(str, scores.measures))) == (("t1", "t2"), ("a",), ["AP", "P@5"])
    assert read_per_topic(path, "RR").systems == ("AP", "P_5")


WRONG: list[tuple[dict[str, str], str]] = [
    ({"a": "q Q0 d1 1 2.5 tag\nq Q0 d2 2 1.5 tag\n"}, "a is a run, not per-topic results"),
    ({"a": '{"name": "x", "measure": "AP", "value": 0.5}\n'}, "a lacks the column query_id"),
    ({"a": "1\tAP\t0.5\n\n2\tAP\t-inf\n"}, "a, line 3: the value of AP for topic 2 is infinite. .* output of ir_m"),
    ({"a": "map\t1\t0.5\nmap\t2\tx\n"}, "a, line 2: the value of map for topic 2 must be a number. Got 'x'.*trec_eval"),
    ({"a": "map\t1\t0.5\nmap\tall\t1\nmap\t1\t.5\n"}, "a, lines 1 and 3: topic 1 has two values of AP for the system"),
    ({"a": "map\t1\t0.5\nAP\t1\t.5\n"}, "a, lines 1 and 2: topic 1 has two values of AP"),
    ({"a": "1\tAP\t0.5\n2\tAP\n"}, "a, line 2: 2 fields where the first line has 3"),
    ({"a": "1\tu\t0.5\n2\tu\t1\n"}, "a, line 1: which of '1' and 'u' is the topic.* knows neither as measures"),
    ({"a": "topic,s,t\n1,.5,x\n2,1,1\n"}, "a, line 2: the t must be a number. Got 'x' .* one column per system"),
    ({"a": "topic,s,t\n1,.5,1\n1,1,1\n"}, "a, lines 2 and 3: topic 1 has two values of AP for the system s"),
    ({"a": "qid,measure,value\n1,AP,.5\n2,AP,inf\n"}, "a, line 3: the value must be a .*number.* Got 'inf'"),
    ({"a": "name,measure,value\nx,AP,.5\n"}, "a lacks the column query_id"),
    ({"a": "query_id\n1\n"}, "a, line 1: 'query_id' is not understood; per-topic results are the output of trec_eval"),
    ({"a": "query_id,qid\n1,1\n"}, "a has no column of values"),
    ({"a": " \n"}, "a is empty: per-topic results are"),
    ({"a": "Nothing here.\n"}, "a, line 1: 'Nothing here.' is not understood"),
    (
        {"a": "map\tall\t.5\n"},
        "a has no topic, or only means over topics; .* -q. The file was read as the output of trec",
    ),
    ({"a": "map\t1\t0.5\nmap\t\t.5\n"}, "a, line 2: the topic is empty. The file was read as the output of trec_eval"),
    ({"a": f"query_id,{'x' * 140_000}\n1,.5\n"}, "a holds no per-topic results: its header cannot be read"),
    ({"a": "AP\t0.5\n"}, r"a, line 1: 'AP\\t0.5' looks like a mean. .* with the option -q"),
    ({"a": "1\tAP\t.5\n", "b": "2\tAP\t.5\n"}, "a has no topic in common with the other systems: it has 1; they"),
    ({"a": "s\t1\tAP\t.5\n", "b": "s\t1\tAP\t.5\n"}, r"The system s is in .*a and in .*b"),
]


@pytest.mark.parametrize(("texts", "message"), WRONG, ids=range(len(WRONG)))
def test_wrong_files_are_refused(texts: dict[str, str], message: str, write: Any) -> None:
    measure = "AP" if texts["a"].startswith("topic,") else None
    with pytest.raises(DataError, match=message):
        read_per_topic(write(**texts), measure)


@pytest.mark.parametrize(
    "text",
    [
        "1\tAP\t0.5\n2\tAP\tnan\n3\tAP\t1\n",
        "query_id,measure,value\n1,AP,.5\n2,AP,\n3,AP,1\n",
        '{"query_id": "1", "measure": "AP", "value": 0.5}\n{"query_id": "2", "measure": "AP", "value": null}\n'
        '{"query_id": "3", "measure": "AP", "value": 1}\n',
    ],
)
def test_a_value_that_is_nan_is_missing(text: str, write: Any) -> None:
    with pytest.warns(DataWarning, match=r"a: no results for 1 of 3 topics \(2\)"):
        scores = read_per_topic(write(a=text))
    assert scores.missing.ravel().tolist() == [False, True, False]
    assert scores.means()["AP"].tolist() == [0.5]


def test_states_come_back_from_every_format(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        runs = {
            "one": {"1": {"a": 2.0, "x": 1.0}, "3": {"x": 1.0}},
            "two": {"2": {"b": 2.0, "x": 1.0}, "3": {"c": 1.0}},
        }
        scores = irmx.scores(
            "NCP(law=first,no_relevant='nan') P@1", {"1": {"a": 1}, "2": {"b": 1, "x": 0}, "3": {"c": 0}}, runs
        )
        assert set(scores.states.ravel().tolist()) == {0, 1, 3}
        gaps = scores.states.copy()
        gaps[0, 0, 0] = irmx.State.ABSENT
        scores = irmx.Scores(scores.values, scores.topics, scores.systems, scores.measures, gaps)
        scores.to_parquet(tmp_path / "scores.parquet")
        scores.frame().to_csv(tmp_path / "scores.csv", index=False)
        scores.frame().to_json(tmp_path / "scores.jsonl", orient="records", lines=True)
        (tmp_path / "wrong.csv").write_text("query_id,system,measure,value,state\n1,a,AP,.5,gone\n")
        for path in tmp_path.glob("scores.*"):
            again = read_per_topic(path)
            assert again.states.tolist() == scores.states.tolist(), path
            np.testing.assert_array_equal(again.values, scores.values)
        with pytest.raises(DataError, match="gone"):
            read_per_topic(tmp_path / "wrong.csv")


def test_wrong_requests_are_refused(tmp_path: Path, write: Any) -> None:
    a, b = write(a="1\tAP\t.5\n", b="1\tAP\t.75\n")
    for asked, message in [
        (([a, a],), "The same file is given twice"),
        (([a, str(tmp_path / "." / "a")],), "The same file is given twice"),
        (([],), "There is no file of per-topic results"),
        (([a, b], "AP"), r"'AP' is given as the measure, but .*a, the output of ir_measures .* names its measures"),
        (([a, b], None, ["x"]), "2 files and 1 name are given"),
        (([a, b], None, ["x", "x"]), "Two systems have the name 'x', those of .*a.* and .*b"),
    ]:
        with pytest.raises(UsageError, match=message):
            read_per_topic(*asked)  # type: ignore[arg-type]
    (tmp_path / "c").write_bytes(b"1\tAP\t.5\n\xff\tAP\t1\n")
    with pytest.raises(DataError, match=r"c, line 2: the byte 0xff is not UTF-8"):
        read_per_topic(tmp_path / "c")
    (tmp_path / "c").write_bytes(b"topic,s\xe9\n1,.5\n")
    with pytest.raises(DataError, match=r"c, line 1: the byte 0xe9 .*is not UTF-8"):
        read_per_topic(tmp_path / "c")
    (tmp_path / "d").write_bytes(gzip.compress(b"1\tAP\t.5\n")[:-9])
    with pytest.raises(DataError, match=r"d is compressed, but truncated"):
        read_per_topic(tmp_path / "d")
    (tmp_path / "e").write_bytes(b"PAR1 and no more")
    with pytest.raises(DataError, match=r"e cannot be read as a parquet file"):
        read_per_topic(tmp_path / "e")


def test_names_of_systems_are_those_of_files_or_paths(tmp_path: Path) -> None:
    for folder, value in (("one", 0.5), ("two", 0.25)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "run").write_text(f"1\tAP\t{value}\n")
    scores = read_per_topic(str(tmp_path / "*" / "run"))
    assert scores.systems == (str(tmp_path / "one" / "run"), str(tmp_path / "two" / "run"))
    assert read_per_topic(str(tmp_path / "*" / "run"), names=["b", "a"]).systems == ("b", "a")


@pytest.mark.real
def test_published_tables_are_read(real_statistics: Path) -> None:
    sakai = read_per_topic([real_statistics / "sakai_book" / f"{name}.csv" for name in "XYZ"], names=["X", "Y", "Z"])
    assert sakai.means().round(4)["ndcg@5"].to_dict() == {"X": 0.345, "Y": 0.27, "Z": 0.245}
    path = real_statistics / "urbano2019" / "adhoc8_ap.csv"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        urbano = read_per_topic(path, "AP")
    assert np.array_equal(urbano["AP"], pd.read_csv(path).to_numpy())


def test_views_with_weights_come_back_from_every_format(tmp_path: Path) -> None:
    scores = irmx_study.sweep("NCP", {"law": ["first", "uniform"]}, qrels_path(), RUNS, jobs=1)
    weighted = scores.marked(weight=[1.0, 3.0])
    for name in ("scores.csv", "scores.tsv", "scores.parquet"):
        path = tmp_path / name
        if name.endswith("parquet"):
            weighted.to_parquet(path)
        else:
            weighted.frame().to_csv(path, index=False, sep="," if name.endswith("csv") else "\t")
        again = read_per_topic(path)
        assert again.names == weighted.names
        assert again.views["weight"].astype(float).tolist() == [1.0, 3.0]
        assert again.values.tolist() == weighted.values.tolist()
    with pytest.raises(UsageError, match="scores"):
        read_per_topic([tmp_path / "scores.csv", tmp_path / "scores.tsv"])


def test_the_direction_of_a_measure_comes_back_from_several_files(tmp_path: Path) -> None:
    rows = {name: [(str(t), name, "tok", 100 + t) for t in range(4)] for name in ("old", "new")}
    for name, of in rows.items():
        frame = pd.DataFrame(of, columns=["query_id", "system", "measure", "value"])
        irmx.Scores.from_frame(frame).less_is_better("tok").to_parquet(tmp_path / f"{name}.parquet")
    assert read_per_topic(tmp_path / "*.parquet").views["less_is_better"].tolist() == [True]


def test_slices_come_back_from_a_table(demo: Scores, tmp_path: Path) -> None:
    scores = demo.slices({topic: "ab"[int(topic) % 2] for topic in demo.topics})
    scores.frame().to_csv(tmp_path / "slices.csv", index=False)
    for again in (irmx.Scores.from_frame(scores.frame()), read_per_topic(tmp_path / "slices.csv")):
        again = again.select(views=scores.names)
        assert again.in_view.tolist() == scores.in_view.tolist()
        np.testing.assert_array_equal(again.values, scores.values)


def test_sweeps_of_earlier_versions_have_their_parameters_in_columns(write: Any) -> None:
    rows = [f"{topic},{run},NCP,{law},{rel},{value}" for topic, run, law, rel, value in [
        ("1", "a", "first", "2.0", 0.5), ("1", "b", "first", "2.0", 0.25), ("1", "a", "uniform", "", 0.75), ("1", "b", "uniform", "", 1.0),
    ]]  # fmt: skip
    [path] = write(old="\n".join(["query_id,system,measure,law,rel,value", *rows]) + "\n")
    scores = read_per_topic(path)
    assert scores.names == ("NCP(law=first,rel=2)", "NCP(law=uniform)")
    assert scores.values.tolist() == [[[0.5, 0.75], [0.25, 1.0]]]


def test_a_folder_of_parts_that_an_engine_wrote_is_read(tmp_path: Path) -> None:
    scores = irmx.scores("AP RR", qrels_path(), {system: run_path(system) for system in SYSTEMS})
    table = pa.Table.from_pandas(scores.frame().rename(columns={"system": "run"}), preserve_index=False)
    (tmp_path / "scores").mkdir()
    for i, start in enumerate(range(0, len(table), 50)):
        pq.write_table(table.slice(start, 50), tmp_path / "scores" / f"part-{i:05}.parquet")
    (tmp_path / "scores" / "_SUCCESS").touch()
    found = irmx_study.read_per_topic(tmp_path / "scores")
    assert found.select(list(scores.topics), list(scores.systems)).means().equals(scores.means())
    (tmp_path / "scores" / "part-00000.parquet").write_bytes(b"PAR1 damaged")
    with pytest.raises(irmx.DataError, match="scores"):
        irmx_study.read_per_topic(tmp_path / "scores")


def test_less_of_an_unknown_measure_may_be_better(tmp_path: Path, command: Any) -> None:
    rows = [(f"t{i}", system, name, value + i / 10) for i in range(4) for system, name, value in (
        ("one", "tokens", 800), ("two", "tokens", 300), ("one", "AP", 0), ("two", "AP", 0.5))]  # fmt: skip
    table = pd.DataFrame(rows, columns=["query_id", "system", "measure", "value"])
    table.to_csv(path := tmp_path / "scores.csv", index=False)
    words = ("compare", "--scores", path, "--baseline", "one", "-o", "csv")
    wins = [row["wins"] for row in command(*words).rows]
    turned = [row["wins"] for row in command(*words, "--less-is-better", "tokens").rows]
    assert (wins, turned) == (["0", "4"], ["4", "4"])
    scores = irmx_study.read_per_topic(path).less_is_better("tokens")
    scores.to_parquet(tmp_path / "scores.parquet")
    for found in (scores, irmx.Scores.read_parquet(tmp_path / "scores.parquet"), pickle.loads(pickle.dumps(scores))):
        assert found.views["less_is_better"].tolist() == [True, False]
        assert irmx_study.compare(found, baseline="one").frame()["wins"].tolist() == [4, 4]
    for name, said in (("token", "Did you mean tokens"), ("AP", "irmx knows AP")):
        command(*words, "--less-is-better", name).assert_refused(2, said)
    assert command("compare", "qrels", "a.run", "b.run", "AP", "--less-is-better", "AP").code == 2


# -- two files of one system -------------------------------------------------------------------------------


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A folder with two logs of one system, before/log.csv and after/log.csv, and copies of them beside these."""
    for number, name in enumerate(("before", "after")):
        rows = [f"{t},model,{measure},{(t + number) % 5 / 5}\n" for t in range(20) for measure in ("AP", "RR")]
        (tmp_path / name).mkdir()
        for path in (tmp_path / name / "log.csv", tmp_path / f"{name}.csv"):
            path.write_text("query_id,system,measure,value\n" + "".join(rows))
    return tmp_path


NAMED = [
    ["before.csv", "after.csv", "--label", "before.csv=old", "--label", "after.csv=new"],
    ["before.csv", "./after.csv", "--label", "./before.csv=old", "--label", "after.csv=new"],
    ["before/log.csv", "after/log.csv", "--label", "before/log.csv=old", "--label", "after/log.csv=new"],
    ["old=before.csv", "new=after.csv"],
    ["old=before.csv", "after.csv", "--label", "model=new"],
    ["old=before/log.csv", "new=after/log.c*"],
]


@pytest.mark.parametrize(
    ("words", "files"), [("topics", NAMED[3]), ("power", NAMED[4]), *(("compare", of) for of in NAMED)]
)
def test_two_files_of_one_system_are_named(words: str, files: list[str], logs: Path, command: Any) -> None:
    done = command(words, "--scores", *files, "-o", "csv")
    assert done.code == 0, done.err
    assert done.out == command(words, "--scores", *NAMED[0], "-o", "csv").out
    assert {"new", "old"} <= set(re.findall(r"\w+", done.out))


@pytest.mark.parametrize("files", NAMED)
def test_a_verdict_is_on_two_files_of_one_system(files: list[str], logs: Path, command: Any) -> None:
    two, labels = files[:2], files[2:]
    done = command("verdict", "--scores", " ".join(two), "old", "new", "AP", *labels, "-o", "csv")
    read = read_per_topic([logs / "before.csv", logs / "after.csv"], names=["old", "new"])
    expected = irmx_study.verdict(read.select(measures="AP"), baseline="old")
    assert done.code == expected.exit_code, done.err
    row = expected.frame().iloc[0]
    assert done.out.splitlines()[1].split(",")[3:5] == [str(row["mean_baseline"]), str(row["mean_run"])]
    assert (
        read_per_topic([f"old={logs}/before.csv", logs / "after.csv"], names={"model": "new"}).systems == read.systems
    )


def test_a_verdict_takes_a_glob_with_labels(logs: Path, command: Any) -> None:
    words = ["verdict", "--scores", "*.csv", "before.csv", "new", "AP", "-o", "csv"]
    labels = ["--label", "before.csv=old", "--label", "after.csv=new"]
    done = command(*words, *labels)
    assert done.code == 3, done.err
    same = command("verdict", "--scores", "old=before.csv new=after.csv", "old", "new", "AP", "-o", "csv")
    assert (done.out, done.code) == (same.out, same.code)
    named = "a b.csv"
    (logs / "before.csv").rename(logs / named)
    (logs / "after.csv").unlink()
    (logs / named).write_text(
        (logs / named).read_text() + "".join(f"{t},new,{m},0.9\n" for t in range(20) for m in ("AP", "RR"))
    )
    assert command("verdict", "--scores", named, "model", "new", "AP").code == 0


@pytest.mark.parametrize(
    ("files", "code"),
    [
        (["before.csv", "after.csv"], 1),
        (["before.csv", "after.csv", "--label", "befor.csv=old"], 2),
        (["old=before.csv", "old=after.csv"], 2),
        (["old=before.csv", "after.csv", "--label", "before.csv=older"], 2),
        (["old=*.csv"], 2),
        (["=before.csv", "new=after.csv"], 2),
        (["old=", "new=after.csv"], 2),
    ],
)
def test_names_of_files_that_are_refused(files: list[str], code: int, logs: Path, command: Any) -> None:
    command("compare", "--scores", *files).assert_refused(code)


def test_a_file_whose_name_has_the_sign_of_names_is_a_file(logs: Path, command: Any) -> None:
    (logs / "before.csv").rename(logs / "b=0.4.csv")
    assert read_per_topic([logs / "b=0.4.csv"]).systems == ("model",)
    done = command("topics", "--scores", "org/m:1=b=0.4.csv", "new=after.csv", "-o", "csv")
    assert "AP org/m:1" in done.out.splitlines()[0]


# -- columns of ids ----------------------------------------------------------------------------------------


def wide(columns: dict[str, list[Any]]) -> str:
    rows = zip(*columns.values(), strict=True)
    return "\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)]) + "\n"


VALUES = {"old": [0.5, 0.2, 0.2], "new": [0.7, 0.2, 0.9]}
NUMBERS = [101, 102, 103]


@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize(
    "name",
    [
        "query",
        "id",
        "q_id",
        "topic_id",
        "task_id",
        "instance_id",
        "item",
        "index",
        "query_number",
        "Query ID",
        "question-id",
    ],
)
def test_the_ids_of_topics_have_other_names(name: str, last: bool, write: Any, tmp_path: Path) -> None:
    columns = VALUES | {name: NUMBERS} if last else {name: NUMBERS} | VALUES
    [path] = write(table=wide(columns))
    pd.DataFrame(columns).to_parquet(tmp_path / "table.parquet")
    for file, measure in ((path, "my own"), (tmp_path / "table.parquet", "nDCG@10")):
        scores = read_per_topic(file, measure)
        assert (scores.topics, scores.systems) == (("101", "102", "103"), ("old", "new"))
        assert scores.values[:, :, 0].tolist() == [[0.5, 0.7], [0.2, 0.2], [0.2, 0.9]]


@pytest.mark.parametrize(
    ("ids", "topics"),
    [
        ({"index": [0, 1, 2], "topic_id": NUMBERS}, ("101", "102", "103")),
        ({"query": ["a", "b", "c"], "task_id": NUMBERS, "id": ["x", "y", "z"]}, ("101", "102", "103")),
        ({"query": ["a", "b", "c"], "id": NUMBERS}, ("a", "b", "c")),
        ({"Query ID": NUMBERS, "item": [7, 7, 7]}, ("101", "102", "103")),
    ],
)
def test_of_several_columns_of_ids_the_plainest_is_used(
    ids: dict[str, list[Any]], topics: tuple[str, ...], write: Any
) -> None:
    scores = read_per_topic(write(table=wide(ids | VALUES)), "my own")
    assert (scores.topics, scores.systems) == (topics, ("old", "new"))


@pytest.mark.parametrize(
    "columns",
    [
        {"number": NUMBERS},
        {"number": [1, 2, 3]},
        {"item": [0.3, 0.2, 0.1]},
        {"index": [0.3, 0, 1], "query": ["a", "b", "c"]},
    ],
)
def test_columns_of_ids_or_values_are_asked_about(columns: dict[str, list[Any]], write: Any, command: Any) -> None:
    words = ("compare", "--scores", *write(table=wide(columns | VALUES)), "--measure", "my own", "-o", "csv")
    command(*words).assert_refused(2)
    values = next(iter(columns.values()))  # both answers that the message offers
    write(table=wide({"query_id": values, **VALUES}))
    assert command(*words).code == 0
    write(table=wide({"query_id": NUMBERS, "mine": values, **VALUES}))
    assert "mine" in command(*words).out
    write(table=wide({"a": NUMBERS, "b": [3, 1, 2]}))  # such as tokens
    assert command(*words).code == 0


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("query_id,system,measure,value\n1,a,AP,0.5\n2,a,AP,102\n", 3),
        ("map\t1\t0.5\nmap\t2\t-0.1\n", 2),
        ("query_id,AP,P@5\n1,0.5,0.2\n2,0.5,20.0\n3,0.5,0.2\n", 3),
        ("1\tnDCG@10\t1.001\n", 1),
    ],
)
def test_a_value_outside_the_range_of_its_measure_is_refused(text: str, line: int, write: Any) -> None:
    with pytest.raises(DataError, match=f"line {line}:"):
        read_per_topic(write(results=text))
    read_per_topic(write(results="1\tnDCG@10\t1.0000001\n1\tNumRet\t1000\n1\tlatency\t-12\n"))
