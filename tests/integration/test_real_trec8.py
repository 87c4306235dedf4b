"""The 129 runs of TREC-8 ad hoc: irmx against pytrec_eval, trec_eval's own output and NIST's official figures."""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from types import ModuleType
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from scipy.linalg import expm

import irmx
import irmx_markov
import irmx_study

pytestmark = pytest.mark.real

SCRIPT = Path(__file__).parents[2] / "docs" / "results" / "trec8_markov_precision.py"
OTHERS = ("AP", "P@10", "Rprec", "RBP(p=0.8)", "Bpref")
EXTRA = ("NCP(law=uniform)", "NCP(law=first)", "nDCG@10")
PRINTED = 0.5e-4 + 1e-9
"""A figure printed with 4 decimals is at most this far from the value."""


@dataclass(frozen=True)
class Scored:
    """The values of every run, computed once for all tests of this file.

    Attributes
    ----------
    scores : Scores
        The values of irmx.
    irmx, pytrec_eval : dict
        By run, measure and topic.
    """

    scores: irmx.Scores
    irmx: dict[str, dict[str, dict[str, float]]]
    pytrec_eval: dict[str, dict[str, dict[str, float]]]

    def mean(self, run: str, measure: str) -> float:
        return fmean(self.irmx[run][measure].values())


@pytest.fixture(scope="session")
def results_page(results_program: Callable[[str], ModuleType]) -> ModuleType:
    """The program that makes the page of results."""
    return results_program(SCRIPT.stem)


@pytest.fixture(scope="session")
def scored(trec8: Any, results_page: ModuleType, once: Callable[..., Any]) -> Scored:
    """Every run, scored with irmx and with pytrec_eval."""
    from joblib import Parallel, delayed

    qrels_path = trec8.qrels_path

    def reference(paths: list[Path]) -> list[Any]:
        import pytrec_eval

        evaluator = pytrec_eval.RelevanceEvaluator(irmx.read_qrels(qrels_path).as_dict(), {"map", "recip_rank"})
        return [
            {m: {t: v[m] for t, v in by_topic.items()} for m in ("map", "recip_rank")}
            for by_topic in (evaluator.evaluate(irmx.read_run(path).as_dict()) for path in paths)
        ]

    def values() -> tuple[irmx.Scores, list[Any]]:
        paths = list(trec8.run_paths.values())
        scores = irmx.scores([*results_page.MEASURES, *EXTRA], qrels_path, trec8.run_paths, jobs=2)
        batches = Parallel(n_jobs=2)(delayed(reference)(paths[i : i + 22]) for i in range(0, len(paths), 22))
        return scores, [of_run for batch in batches for of_run in batch]

    scores, theirs = once("trec8_scored", values)
    ours = {
        run: {str(m): dict(zip(scores.topics, scores[m][:, s].tolist(), strict=True)) for m in scores.measures}
        for s, run in enumerate(scores.systems)
    }
    return Scored(scores, ours, dict(zip(trec8.run_paths, theirs, strict=True)))


@pytest.fixture(scope="session")
def trec_eval_10(trec8: Any) -> dict[str, dict[tuple[str, str], float]]:
    """What trec_eval 10.0-rc2 printed: by measure and by (run, topic); it compares scores in 64 bits."""
    printed: dict[str, dict[tuple[str, str], float]] = defaultdict(dict)
    with gzip.open(trec8.folder / "trec_eval_per_topic.tsv.gz", "rt") as lines:
        next(lines)
        for line in lines:
            run, topic, measure, value = line.split("\t")
            if topic != "all" and measure in ("map", "recip_rank"):
                printed[measure][run, topic] = float(value)
    return printed


def official_map(folder: Path) -> dict[str, float]:
    lines = (folder / "official_map_1999.txt").read_text().splitlines()
    return {run: float(value) for run, value in map(str.split, lines)}


# -- irmx against pytrec_eval ----------------------------------------------------------------------------


def test_every_run_has_every_topic(scored: Scored) -> None:
    assert len(scored.irmx) == 129
    for run, values in scored.irmx.items():
        for measure, by_topic in values.items():
            assert list(by_topic) == [str(t) for t in range(401, 451)], (run, measure)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("NCP(law=uniform)", "map"),
        ("NCP(law=first)", "recip_rank"),
        ("MP(model=constant,rescale='recall')", "map"),
        ("AP", "map"),
    ],
)
def test_equal_to_pytrec_eval_on_every_topic_of_every_run(scored: Scored, ours: str, theirs: str) -> None:
    compared = 0
    for run, values in scored.irmx.items():
        reference = scored.pytrec_eval[run][theirs]
        for topic, value in values[ours].items():
            assert value == pytest.approx(reference.get(topic, 0.0), rel=0, abs=1e-12), (run, topic)
            compared += topic in reference
    assert compared > 129 * 49


@pytest.mark.parametrize("rescale", ["", ",rescale='recall'"])
def test_local_models_over_all_ranks_are_identical(scored: Scored, rescale: str) -> None:
    for run, values in scored.irmx.items():
        one, other = (values[f"MP(model={m}{rescale})"] for m in ("LO_AD_ID", "LO_AD_LID"))
        assert one == pytest.approx(other, rel=0, abs=1e-12), run


def test_rescaled_is_never_larger_and_all_values_are_in_range(scored: Scored, results_page: ModuleType) -> None:
    for run, values in scored.irmx.items():
        for model in results_page.MODELS:
            plain, rescaled = values[f"MP(model={model})"], values[f"MP(model={model},rescale='recall')"]
            for topic, value in plain.items():
                assert 0 <= rescaled[topic] <= value <= 1 + 1e-12, (run, model, topic)


# -- figures that others published -----------------------------------------------------------------------


def test_means_are_the_official_ones(trec8: Any, scored: Scored) -> None:
    official = official_map(trec8.folder)
    assert set(official) == set(scored.irmx)
    differing = {r for r, value in official.items() if abs(scored.mean(r, "NCP(law=uniform)") - value) > PRINTED}
    assert differing == {"uwmt8a0"}


@pytest.mark.parametrize(("ours", "theirs"), [("NCP(law=uniform)", "map"), ("NCP(law=first)", "recip_rank")])
def test_topics_are_as_trec_eval_printed_them(
    scored: Scored, trec_eval_10: dict[str, dict[tuple[str, str], float]], ours: str, theirs: str
) -> None:
    differing = {
        run
        for (run, topic), value in trec_eval_10[theirs].items()
        if abs(scored.irmx[run][ours][topic] - value) > PRINTED
    }
    assert differing <= {"uwmt8a0"}
    assert len(trec_eval_10[theirs]) > 129 * 49


# -- the run whose scores agree in 32 bits ---------------------------------------------------------------


def test_scores_that_32_bits_cannot_tell_apart_are_ties(
    scored: Scored, trec_eval_10: dict[str, dict[tuple[str, str], float]]
) -> None:
    ours = scored.irmx["uwmt8a0"]["NCP(law=uniform)"]
    difference = [abs(value - trec_eval_10["map"]["uwmt8a0", topic]) for topic, value in ours.items()]
    assert sum(d > PRINTED for d in difference) == 38
    assert max(difference) == pytest.approx(0.0304, abs=1e-4)


def test_full_precision_and_ids_descending_is_trec_eval_10(
    trec8: Any, trec_eval_10: dict[str, dict[tuple[str, str], float]]
) -> None:
    """``ties='run'`` compares scores in 64 bits and keeps the run's order of ties, here made descending by id."""
    run = irmx.read_run(trec8.run_paths["uwmt8a0"]).as_dict()
    assert all(len(set(docs.values())) < len(docs) for docs in run.values()), "every topic has ties in 64 bits, too"
    descending = {topic: dict(sorted(docs.items(), reverse=True)) for topic, docs in run.items()}
    evaluator = irmx.evaluator("NCP(law=uniform,ties='run') NCP(law=uniform)", trec8.qrels_path)
    in_64_bits, in_32_bits = evaluator.values(descending).values()
    for topic, value in in_64_bits.items():
        assert value == pytest.approx(trec_eval_10["map"]["uwmt8a0", topic], abs=PRINTED)
    assert fmean(in_64_bits.values()) == pytest.approx(official_map(trec8.folder)["uwmt8a0"], abs=PRINTED)
    assert in_32_bits == evaluator.values(run)[evaluator.measures[1]], "the order of rows does not matter otherwise"


# -- routes of the data ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["READWARE2", "uwmt8a0", "mds08a1", "1"])
def test_a_dict_read_by_ir_measures_gives_what_the_file_gives(trec8: Any, scored: Scored, name: str) -> None:
    run: dict[str, dict[str, float]] = defaultdict(dict)
    for row in ir_measures.read_trec_run(str(trec8.run_paths[name])):
        run[row.query_id][row.doc_id] = row.score
    qrels: dict[str, dict[str, int]] = defaultdict(dict)
    for qrel in ir_measures.read_trec_qrels(str(trec8.qrels_path)):
        qrels[qrel.query_id][qrel.doc_id] = qrel.relevance
    wanted = ["MP(model=GL_AD_ID)", "MP(model=GL_OR_LID,rescale='recall')", "NCP(law=uniform)", "NCP(law=first)", "AP"]
    for measure, by_topic in irmx.evaluator(wanted, qrels).values(run).items():
        assert by_topic == pytest.approx(scored.irmx[name][str(measure)], rel=0, abs=1e-12)


# -- the paper's statements ------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def taus(scored: Scored, results_page: ModuleType) -> dict[tuple[str, str], float]:
    found: dict[tuple[str, str], float] = results_page.taus(scored.scores)
    return found


def test_no_tau_with_ap_p10_rprec_is_under_070(taus: dict[tuple[str, str], float]) -> None:
    compared = {pair: t for pair, t in taus.items() if pair[0] not in OTHERS and pair[1] in ("AP", "P@10", "Rprec")}
    assert len(compared) == 18 * 3
    assert min(compared.values()) >= 0.70
    assert min(compared, key=compared.__getitem__) == ("GL_AD_ID@Rec", "P@10")


@pytest.mark.parametrize("variant", ["GL_AD_LID@Rec", "LO_AD_ID@Rec"])
def test_two_rescaled_models_rank_nearly_as_ap(taus: dict[tuple[str, str], float], variant: str) -> None:
    assert 0.97 <= taus[variant, "AP"] < 1.00


def test_constant_probabilities_rank_as_ap(taus: dict[tuple[str, str], float]) -> None:
    assert taus["constant@Rec", "AP"] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(
    "model", ["GL_AD_ID", "GL_AD_LID", "GL_OR_ID", "GL_OR_LID", "LO_AD_ID", "LO_OR_ID", "LO_OR_LID"]
)
def test_times_recall_brings_every_model_nearer_to_ap(taus: dict[tuple[str, str], float], model: str) -> None:
    assert taus[f"{model}@Rec", "AP"] > taus[model, "AP"]


def test_p10_and_ap(taus: dict[tuple[str, str], float]) -> None:
    assert taus["P@10", "AP"] == pytest.approx(0.827, abs=5e-4)


def test_the_page_of_results_is_what_its_program_computes(
    scored: Scored, results_page: ModuleType, tmp_path: Path
) -> None:
    page = SCRIPT.with_name("markov_and_ncp.md")
    assert results_page.agreement(scored.scores, tmp_path / page.name) in page.read_text(encoding="utf-8")
    [table] = tmp_path.iterdir()
    assert table.read_text(encoding="utf-8") == page.with_name(table.name).read_text(encoding="utf-8")


@pytest.mark.slow
def test_curves_of_the_page_are_those_of_smaller_pools(trec8: Any, results_page: ModuleType) -> None:
    """A part of what the program computes: a sample depends on the seed and its number, not on measures or levels."""
    names = ("GL_AD_ID", "AP", "Bpref")
    measures = {results_page.NAMES[name]: name for name in names}
    pools = irmx_study.pool(
        list(measures), trec8.qrels_path, trec8.run_paths, keep=(50,), samples=results_page.SAMPLES, jobs=2
    )
    written = pd.read_csv(SCRIPT.with_name(f"{SCRIPT.stem}_pool.csv"), index_col="measure")
    for measure, tau in zip(pools.frame()["measure"], pools.frame()["tau"], strict=True):
        assert written.loc[measures[measure], "tau, 50%"] == float(f"{tau:.4f}")


def test_users_who_start_at_the_top_and_whose_time_is_limited_plainly(trec8: Any) -> None:
    """On the first 100 ranks of a run: by linear algebra with subtractions and scipy's exponential of a matrix, topic by topic."""
    path = dict(sorted(trec8.run_paths.items()))["uwmt8a0"]
    texts = [
        "MP(model=GL_AD_ID,steps=5,start='top')",
        "MPcont(model=GL_AD_ID,times=by_rank(seconds=[30,20,10]),budget='2m',start='top')",
    ]
    scores = irmx.scores([f"{text}@100" for text in texts], trec8.qrels_path, {"run": path})
    rankings = irmx.rankings(irmx.read_qrels(trec8.qrels_path), irmx.read_run(path), cutoff=100)
    ends, largest = rankings.relevant.offsets, 0.0
    for number, topic in enumerate(rankings.topics):
        relevant, depth = rankings.relevant.rank[ends[number] : ends[number + 1]], int(rankings.depth[number])
        expected = [0.0, 0.0]
        if len(relevant):
            p = irmx_markov.transition_matrix(irmx_markov.GL_AD_ID, depth, relevant)
            at, others = relevant - 1, np.setdiff1d(np.arange(depth), relevant - 1)
            way = np.linalg.solve(np.eye(len(others)) - p[np.ix_(others, others)], p[np.ix_(others, at)])
            chain, r = p[np.ix_(at, at)] + p[np.ix_(at, others)] @ way, len(at)
            law = np.eye(1, r)[0] if relevant[0] == 1 else way[0]
            precision, times = np.arange(1, r + 1) / relevant, np.array([30, 20, 10])[np.minimum(relevant, 3) - 1]
            rates = np.zeros((r + 1, r + 1))
            rates[0, 1:], rates[1:, 1:] = law, (chain - np.eye(r)) / times[:, None]
            steps = sum(law @ np.linalg.matrix_power(chain, k) for k in range(5)) / 5
            expected = [steps @ precision, expm(rates * 120)[0, 1:] @ precision / 120]
        found = scores.values[scores.topics.index(str(topic)), 0]
        largest = max(largest, *np.abs(found - expected))
    assert len(rankings.topics) == 50
    assert largest <= 1e-11
