"""``pt.Experiment`` over two retrievers that need no Java, checked against ``irmx eval`` on the saved runs."""

from __future__ import annotations

import importlib.util
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from pyterrier.measures import AP, GL_AD_ID, GL_AD_LID, MP, MSU, NCP, IA_nDCG, MPcont, TIA_nDCG, nDCG

import irmx
import irmx.demo

Results = dict[str, dict[str, float]]
MEASURES = [
    MP(model=GL_AD_ID),
    MP(model=GL_AD_LID, rescale="recall") @ 10,
    NCP(law="first"),
    IA_nDCG @ 10,
    TIA_nDCG(window="1mo") @ 10,
    MPcont(model=GL_AD_ID),
    AP,
    nDCG @ 10,
]
NAMES = ["bm25s", "other"]


class Sparse(pt.Transformer):
    """BM25 by ``bm25s``, as a retriever of PyTerrier."""

    def __init__(self, documents: pd.DataFrame, b: float = 0.75) -> None:
        import bm25s

        self.docnos = documents["docno"].tolist()
        self.index = bm25s.BM25(method="lucene", b=b)
        texts = (documents["title"] + " " + documents["text"]).tolist()
        self.index.index(bm25s.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        import bm25s

        pt.validate.query_frame(inp, extra_columns=["query"])
        rows = []
        for qid, query in zip(inp["qid"], inp["query"], strict=True):
            words = bm25s.tokenize([query], stopwords="en", return_ids=False, show_progress=False)
            found, scores = self.index.retrieve(words, corpus=self.docnos, k=60, show_progress=False)
            rows += [(qid, query, d, float(s)) for d, s in zip(found[0], scores[0], strict=True) if s > 0]
        return pt.model.add_ranks(pd.DataFrame(rows, columns=["qid", "query", "docno", "score"]))


@pytest.fixture(scope="module")
def documents() -> pd.DataFrame:
    return irmx.demo.documents().rename(columns={"doc_id": "docno"})


@pytest.fixture(scope="module")
def retrievers(documents: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> list[pt.Transformer]:
    if importlib.util.find_spec("pyterrier_pisa") is None:
        return [Sparse(documents), Sparse(documents, b=0.1)]
    from pyterrier_pisa import PisaIndex

    index = PisaIndex(str(tmp_path_factory.mktemp("index") / "pisa"), text_field=["title", "text"])
    index.index(documents[["docno", "title", "text"]].to_dict("records"))
    return [Sparse(documents), index.qld(num_results=60)]


@pytest.fixture(scope="module")
def systems(retrievers: list[pt.Transformer], documents: pd.DataFrame) -> list[pt.Transformer]:
    """Retrievers whose results get the columns that the measures read."""
    verticals = dict(zip(documents["docno"], documents["vertical"], strict=True))
    lengths = documents.set_index("docno")["text"].str.split().str.len()
    return [
        retriever
        >> pt.irmx.column("timestamp", documents, field="date", form="date")
        >> pt.irmx.column("vertical", verticals)
        >> pt.irmx.column("length", lengths)
        >> pt.apply.dwell(lambda row: row["length"] / 4 + 2.0 * (row["vertical"] == "video"))
        for retriever in retrievers
    ]


@pytest.fixture(scope="module")
def runs(systems: list[pt.Transformer], topics: pd.DataFrame) -> list[pd.DataFrame]:
    return [system(topics) for system in systems]


@pytest.fixture(scope="module")
def expected(runs: list[pd.DataFrame], qrels: pd.DataFrame, of_saved: Any) -> Results:
    """What ``irmx eval`` prints for the saved runs, by topic."""
    without_texts = {name: run.drop(columns="query") for name, run in zip(NAMES, runs, strict=True)}
    found: Results = {}
    for (name, measure, topic), value in of_saved(qrels, without_texts, MEASURES).items():
        if topic != "all":
            found.setdefault(f"{name} {measure}", {})[topic] = value
    return found


def means(expected: Results, names: list[str] = NAMES) -> pd.DataFrame:
    """The means as pt.Experiment shows them."""
    return pd.DataFrame(
        [
            {"name": name, **{str(m): np.mean(list(expected[f"{name} {m}"].values())) for m in MEASURES}}
            for name in names
        ]
    )


def same(found: pd.DataFrame, wanted: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(found[wanted.columns.tolist()], wanted, rtol=1e-9, atol=1e-12, check_dtype=False)


@pytest.fixture
def experiment(systems: list[pt.Transformer], topics: pd.DataFrame, qrels: pd.DataFrame) -> Callable[..., Any]:
    """``pt.Experiment`` of all this, with other arguments where they are given."""

    def run(**changed: Any) -> Any:
        given = {"retr_systems": systems, "topics": topics, "qrels": qrels, "eval_metrics": MEASURES, "names": NAMES}
        return pt.Experiment(**{**given, "validate": "error", "verbose": False, **changed})

    return run


def test_the_measures_tell_the_systems_apart(expected: Results) -> None:
    table = means(expected).set_index("name")
    assert expected.keys() == {f"{n} {m}" for n in NAMES for m in MEASURES}
    assert all(len(values) == 30 for values in expected.values())
    assert (table.loc["bm25s"] != table.loc["other"]).all()
    assert table.map(lambda v: 0.1 < v < 1).all(axis=None), table


MODES: dict[str, dict[str, Any]] = {
    "linear": {},
    "tree": {"plan": "tree"},
    "batches": {"batch_size": 7},
    "batches of one": {"batch_size": 1},
    "tree in batches": {"plan": "tree", "batch_size": 7},
    "all topics": {"filter_by_topics": False},
    "only judged topics": {"filter_by_qrels": True},
    "unchecked": {"validate": "ignore"},
    "checked with warnings": {"validate": "warn"},
}


@pytest.mark.parametrize(
    "mode", [pytest.param(mode, marks=[pytest.mark.slow] if mode else [], id=name) for name, mode in MODES.items()]
)
def test_every_way_of_execution_gives_what_irmx_eval_gives(
    experiment: Any, expected: Results, mode: dict[str, Any]
) -> None:
    same(experiment(**mode), means(expected))
    found = experiment(**mode, perquery=True)
    values = {
        (row.name, row.measure): {} for row in found[["name", "measure"]].drop_duplicates().itertuples(index=False)
    }
    for row in found.itertuples(index=False):
        values[row.name, row.measure][row.qid] = row.value
    assert {f"{n} {m}": pytest.approx(v, rel=1e-9, abs=1e-12) for (n, m), v in values.items()} == expected


@pytest.mark.parametrize("plan", ["linear", "tree"])
def test_results_as_tables(experiment: Any, runs: list[pd.DataFrame], expected: Results, plan: str) -> None:
    same(experiment(retr_systems=[run.copy() for run in runs], plan=plan), means(expected))
    shuffled = [run.sample(frac=1, random_state=1) for run in runs]
    same(experiment(retr_systems=shuffled, plan=plan), means(expected))


def test_a_shared_beginning_is_run_once(experiment: Any, systems: list[pt.Transformer], expected: Results) -> None:
    calls = []
    counted = pt.apply.generic(lambda r: calls.append(len(r)) or r, transform_outputs=lambda c: c)
    both = [systems[0] >> counted, systems[0] >> counted >> pt.Transformer.identity()]
    wanted = means(expected, ["bm25s", "bm25s"]).assign(name=NAMES)
    same(experiment(retr_systems=both, plan="tree"), wanted)
    assert len(calls) == 1
    with pytest.warns(DeprecationWarning, match="precompute_prefix"):
        same(experiment(retr_systems=both, precompute_prefix=True), wanted)
    assert len(calls) == 2


def test_some_topics(experiment: Any, topics: pd.DataFrame, expected: Results) -> None:
    few = topics.iloc[:5]
    wanted = {key: {q: v for q, v in values.items() if q in set(few["qid"])} for key, values in expected.items()}
    for mode in ({}, {"batch_size": 2}, {"plan": "tree"}, {"plan": "tree", "batch_size": 2}):
        same(experiment(topics=few, **mode), means(wanted))
        padded = {k: v | dict.fromkeys(expected[k].keys() - v.keys(), 0.0) for k, v in wanted.items()}
        same(experiment(topics=few, filter_by_topics=False, **mode), means(padded))


def test_topics_without_judgments_have_no_value(experiment: Any, qrels: pd.DataFrame, expected: Results) -> None:
    few = qrels[qrels["qid"].isin(["1", "2", "3"])]
    wanted = {key: {q: v for q, v in values.items() if q in {"1", "2", "3"}} for key, values in expected.items()}
    for mode in ({}, {"batch_size": 7}, {"plan": "tree"}, {"plan": "tree", "batch_size": 7}):
        same(experiment(qrels=few, **mode), means(wanted))
        with pytest.warns(UserWarning, match="not found in qrels"):
            found = experiment(qrels=few, perquery=True, **mode)
        assert found["value"].notna().groupby(found["qid"]).all().pipe(lambda s: set(s[s].index)) == {"1", "2", "3"}


@pytest.mark.slow
@pytest.mark.parametrize("mode", [{}, {"plan": "tree"}, {"batch_size": 7}, {"validate": "warn"}], ids=str)
def test_streams(
    experiment: Any, qrels: pd.DataFrame, runs: list[pd.DataFrame], tmp_path: Path, mode: dict[str, Any]
) -> None:
    """The demo as a stream: a subtopic is known from its first relevant document on, a topic lasts the whole year."""
    relevant = qrels[(qrels["label"] > 0) & (qrels["docno"] != "")]
    known = relevant.groupby(["qid", "iteration"])["timestamp"].transform("min")
    emitted = pd.concat(runs)["timestamp"]
    stream = relevant.assign(timestamp=known, query_start=emitted.min() - 1, query_end=emitted.max() + 1)
    few = MSU(users=50)
    found = experiment(qrels=stream, eval_metrics=[few, AP], **mode)
    for name, run, value in zip(NAMES, runs, found[str(few)], strict=True):
        run.drop(columns="query").to_csv(tmp_path / "run.csv", index=False)
        assert value == pytest.approx(irmx.calc_aggregate(few, stream, tmp_path / "run.csv")[few])
        assert value > 0, name


@pytest.mark.slow
def test_baseline_and_how_results_are_shown(experiment: Any, expected: Results) -> None:
    found = experiment(baseline=0, correction="holm")
    for measure in MEASURES:
        ours, theirs = (np.array(list(expected[f"{n} {measure}"].values())) for n in ("other", "bm25s"))
        assert found[f"{measure} +"][1] == (ours - theirs > 1e-12).sum()
        assert found[f"{measure} -"][1] == (theirs - ours > 1e-12).sum()
        assert 0 <= found[f"{measure} p-value"][1] <= found[f"{measure} p-value corrected"][1] <= 1
    assert found["name"].tolist() == NAMES
    rounded = experiment(round=2)
    same(rounded, means(expected).round(2))
    as_dict = experiment(dataframe=False)
    assert {name: as_dict[name][str(MP(model=GL_AD_ID))] for name in NAMES} == {
        n: pytest.approx(np.mean(list(expected[f"{n} MP(model=GL_AD_ID)"].values()))) for n in NAMES
    }
    assert "background-color" in experiment(highlight="color").to_html()
    both = experiment(perquery="both")
    same(both[0], means(expected))
    assert len(both[1]) == 2 * 30 * len(MEASURES)


def test_the_columns_stand_in_one_order(experiment: Any) -> None:
    found = [c for c in experiment().columns if c not in ("name", "AP", "nDCG@10")]
    assert found == sorted(found)


def test_measures_as_texts(experiment: Any, expected: Results) -> None:
    texts = [str(m) for m in MEASURES]
    same(experiment(eval_metrics=texts), means(expected))
    found = experiment(eval_metrics=["map", "MP(model='GL_AD_ID')"])
    assert found["MP(model='GL_AD_ID')"].tolist() == experiment()["MP(model=GL_AD_ID)"].tolist()
    assert found["map"].tolist() == experiment()["AP"].tolist()
    with pytest.raises(irmx.UsageError, match="Did you mean GL_AD_ID"):
        experiment(eval_metrics=["MP(model=GL_AD_IDD)"])


def test_a_scale_of_grades_is_that_of_the_batch() -> None:
    """The one thing that comes out otherwise in batches: gains that are relative to the largest grade of the qrels."""
    from pyterrier.measures import IA_ERR

    topics = pt.new.queries(["a", "b"], ["q1", "q2"])
    judged = pd.DataFrame(
        [("q1", "d1", 2, "s1"), ("q2", "d2", 1, "s1")], columns=["qid", "docno", "label", "iteration"]
    )
    given = pt.Transformer.from_df(judged.assign(score=1.0, rank=0)[["qid", "docno", "score", "rank"]])

    def of_q2(measure: Any, **mode: Any) -> float:
        found = pt.Experiment([given], topics, judged, [measure], perquery=True, **mode)
        return float(found.set_index("qid")["value"]["q2"])

    graded = IA_ERR(stop="graded") @ 5
    assert (of_q2(graded), of_q2(graded, batch_size=1)) == (0.25, 0.5)
    assert of_q2(IA_ERR @ 5) == of_q2(IA_ERR @ 5, batch_size=1) == 1


def test_topics_left_out_on_request_make_the_mean_of_pyterrier_nan() -> None:
    topics = pt.new.queries(["a", "b"], ["q1", "q2"])
    judged = pd.DataFrame([("q1", "d1", 1), ("q2", "d2", 0)], columns=["qid", "docno", "label"])
    run = judged.assign(score=1.0, rank=0)[["qid", "docno", "score", "rank"]]
    kept, left_out = MP(model=GL_AD_ID), MP(model=GL_AD_ID, no_relevant="nan")
    found = pt.Experiment([run], topics, judged, [kept, left_out], names=["run"])
    assert found[str(kept)].tolist() == [0.5]
    assert found[str(left_out)].isna().all()
    assert irmx.calc_aggregate([left_out], pt.model.to_ir_measures(judged), pt.model.to_ir_measures(run))[left_out] == 1


# -- what is missing -------------------------------------------------------------------------------------------------


def test_a_pipeline_without_a_column_is_refused_before_it_runs(
    experiment: Any, retrievers: list[pt.Transformer]
) -> None:
    with pytest.raises(ValueError, match=r"do not produce the required outputs for evaluation .*'timestamp'"):
        experiment(retr_systems=retrievers, eval_metrics=[MSU])
    with (
        pytest.warns(UserWarning, match="do not produce the required outputs"),
        pytest.raises(irmx.DataError, match="MSU cannot be computed: the run column 'timestamp'"),
    ):
        experiment(retr_systems=retrievers, eval_metrics=[MSU], validate="warn")
    with pytest.raises(irmx.DataError, match="MSU cannot be computed: the run column 'timestamp'"):
        experiment(retr_systems=retrievers, eval_metrics=[MSU], validate="ignore")


@pytest.mark.filterwarnings("ignore:.*contradict each other:irmx.DataWarning")  # without their subtopics they do
def test_qrels_without_a_column(experiment: Any, qrels: pd.DataFrame) -> None:
    with pytest.raises(irmx.DataError, match="IA_nDCG@10 cannot be computed: the qrels column 'iteration'"):
        experiment(qrels=qrels.drop(columns="iteration"), eval_metrics=[IA_nDCG @ 10])


def test_an_empty_run_and_empty_qrels_have_the_defaults(qrels: pd.DataFrame) -> None:
    import ir_measures

    table = pt.model.to_ir_measures(qrels)
    empty = pd.DataFrame([], columns=["query_id", "doc_id", "score"])
    found = list(ir_measures.iter_calc(MEASURES, table, empty))
    assert {m.value for m in found} == {0.0}
    assert len(found) == 30 * len(MEASURES)
    assert list(ir_measures.iter_calc([MP(model=GL_AD_ID), MSU], table[:0], empty)) == []
    run = pd.DataFrame([("not judged", "d001", 1.0)], columns=["query_id", "doc_id", "score"])
    with pytest.warns(irmx.DataWarning, match="No topic of the run is in the qrels"):
        found = list(ir_measures.iter_calc([MP(model=GL_AD_ID)], table, run))
    assert {m.query_id: m.value for m in found} == dict.fromkeys(table["query_id"], 0.0)


@pytest.mark.parametrize("mode", [{}, {"batch_size": 2}], ids=str)
def test_a_batch_with_results_for_unjudged_topics_only(mode: dict[str, Any]) -> None:
    """Topic 4 is judged and has no results, topic 9 the other way round; together they are a batch."""
    topics = pd.DataFrame({"qid": ["1", "2", "4", "9"], "query": "x"})
    judged = pd.DataFrame({"qid": ["1", "2", "4"], "docno": "a", "label": 1})
    found = pd.DataFrame({"qid": ["1", "2", "9"], "docno": ["a", "b", "a"], "score": 1.0, "rank": 0})
    system = pt.Transformer.from_df(found)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = pt.Experiment([system], topics, judged, [NCP(law="first")], filter_by_topics=False, **mode)
    assert table["NCP(law=first)"].tolist() == [1 / 3]


# -- save_dir --------------------------------------------------------------------------------------------------------

FORMATS: dict[str, Any] = {
    "pickle": pickle,
    "parquet": (pd.read_parquet, pd.DataFrame.to_parquet),
    "csv": (pd.read_csv, pd.DataFrame.to_csv),
}


@pytest.mark.parametrize("kept", FORMATS.values(), ids=FORMATS)
def test_saved_results_keep_their_columns(experiment: Any, expected: Results, tmp_path: Path, kept: Any) -> None:
    saved = {"save_dir": str(tmp_path), "save_format": kept}
    same(experiment(**saved), means(expected))
    never = [pt.apply.generic(lambda r, name=name: pytest.fail(f"{name} was run")) for name in NAMES]
    reused = experiment(**saved, save_mode="reuse", retr_systems=never, validate="ignore")
    same(reused, means(expected))
    same(pd.read_csv(tmp_path / "aggregated.csv"), means(expected))


@pytest.mark.filterwarnings("ignore:Evaluation measures differ")
def test_saved_trec_files_have_lost_the_columns(experiment: Any, expected: Results, tmp_path: Path) -> None:
    saved = {"save_dir": str(tmp_path)}
    same(experiment(**saved, save_mode="overwrite", batch_size=7), means(expected))
    plain = [MP(model=GL_AD_ID), AP]
    same(
        experiment(**saved, save_mode="reuse", eval_metrics=plain),
        means(expected)[["name", "MP(model=GL_AD_ID)", "AP"]],
    )
    with pytest.raises(
        irmx.DataError, match=r"the run column 'dwell'.*A file in TREC format keeps no more columns.*save_format=pickle"
    ):
        experiment(**saved, save_mode="reuse")
    with pytest.raises(ValueError, match="already exists"):
        experiment(**saved, save_mode="error")
    with pytest.warns(UserWarning, match="already exists"):
        same(experiment(**saved, save_mode="warn"), means(expected))
