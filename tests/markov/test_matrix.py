"""A user's own transition matrix as a model: in memory, from a file, as a function; what is refused and why."""

import pickle
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import irmx
from irmx_markov import GL_AD_ID, MP, TransitionMatrix, stationary, transition_matrix


@pytest.fixture
def chain() -> np.ndarray:
    rng = np.random.default_rng(5)
    weights = rng.random((6, 6)) + 0.01
    return weights / weights.sum(axis=1, keepdims=True)


def value(model, qrels, run):
    return MP(model=model).calc_aggregate(qrels, run)


def test_the_matrix_of_a_named_model_gives_the_named_model(qrels, run):
    p = transition_matrix(GL_AD_ID, 6, np.array([1, 3, 4]))
    assert value(TransitionMatrix(p), qrels, run) == pytest.approx(value(GL_AD_ID, qrels, run), abs=1e-12)


def test_dense_sparse_file_and_function_agree(chain, qrels, run, tmp_path):
    pi = stationary(chain)[[0, 2, 3]]
    expected = float(pi / pi.sum() @ [1, 2 / 3, 3 / 4])
    models = [
        TransitionMatrix(chain),
        TransitionMatrix(sparse.csr_array(chain)),
        TransitionMatrix(lambda depth: chain[:depth, :depth]),
    ]
    for suffix in (".npy", ".npz", ".csv", ".tsv"):
        path = tmp_path / f"chain{suffix}"
        models[0].save(path)
        models.append(irmx.parse_measure(f"MP(model=matrix(file={str(path)!r}))")["model"])
    for model in models:
        assert value(model, qrels, run) == pytest.approx(expected, abs=1e-12)


def test_sparse_and_dense_solutions_agree_on_many_ranks():
    n, rng = 2500, np.random.default_rng(1)
    hops = sparse.diags_array([rng.random(n - abs(h)) + 0.1 for h in (-2, -1, 1, 3)], offsets=(-2, -1, 1, 3)).tocsr()
    p = sparse.diags_array(1 / np.asarray(hops.sum(axis=1)).ravel()) @ hops
    pi = stationary(p)
    assert pi @ p == pytest.approx(pi, abs=1e-13)
    assert pi == pytest.approx(stationary(p.toarray()), abs=1e-9)


def test_a_ranking_shorter_than_the_matrix_uses_its_leading_block(chain, qrels):
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    block = chain[:3, :3] / chain[:3, :3].sum(axis=1, keepdims=True)
    pi = stationary(block)[[0, 2]]
    assert value(TransitionMatrix(chain), qrels, run) == pytest.approx(float(pi / pi.sum() @ [1, 2 / 3]), abs=1e-12)


def test_documents_beyond_the_matrix_are_never_seen(chain):
    docs = [f"d{i}" for i in range(1, 10)]
    run = {"q": {d: -float(i) for i, d in enumerate(docs)}}
    model = TransitionMatrix(chain)
    assert value(model, {"q": {"d1": 1, "d9": 1}}, run) == 1.0
    assert value(model, {"q": {"d9": 1}}, run) == 0.0


def test_text_round_trip_and_pickle(chain, qrels, run):
    measure = MP(model=TransitionMatrix(chain), rescale="recall")
    assert irmx.parse_measure(str(measure)) == measure
    copy = pickle.loads(pickle.dumps(measure))
    assert copy == measure
    assert copy.calc_aggregate(qrels, run) == measure.calc_aggregate(qrels, run)
    other = chain.copy()
    other[0] = np.roll(other[0], 1)
    assert MP(model=TransitionMatrix(other), rescale="recall") != measure


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: p[:, :5], "square"),
        (lambda p: p * 0.9, "row 1, the transitions from rank 1, adds up to 0.9"),
        (lambda p: p - np.eye(6), "negative value"),
        (lambda p: np.where(p > 0.3, np.nan, p), "finite"),
        (lambda p: np.eye(6), "not irreducible: a user cannot move from rank 1 to rank 2"),
        (lambda p: np.zeros((0, 0)), "square"),
    ],
)
def test_a_matrix_that_is_no_chain_is_refused(chain, change, message):
    with pytest.raises(irmx.UsageError, match=message):
        TransitionMatrix(change(chain))


def test_a_block_that_falls_apart_is_refused(qrels):
    ring = np.roll(np.eye(4), 1, axis=1)
    model = TransitionMatrix(ring)
    with pytest.raises(
        irmx.UsageError, match=r"cut to the 3 documents of a shorter ranking, has no transition from rank 3"
    ):
        value(model, qrels, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}})


def test_files_that_hold_no_matrix(tmp_path):
    with pytest.raises(irmx.DataError, match=r"no file .*gone\.npz"):
        irmx.parse_measure(f"MP(model=matrix(file='{tmp_path}/gone.npz'))")
    with pytest.raises(irmx.UsageError, match="fingerprint 'abc'"):
        irmx.parse_measure("MP(model=matrix(digest='abc'))")
    with pytest.raises(irmx.UsageError, match="needs a matrix"):
        irmx.calc_aggregate("MP(model=matrix)", {"q": {"a": 1}}, {"q": {"a": 1.0}})


def test_rescaling_counts_what_the_chain_can_reach(tmp_path: Path) -> None:
    file = tmp_path / "chain.csv"
    np.savetxt(file, [[0.2, 0.8], [0.6, 0.4]], delimiter=",")
    qrels, run = {"q": {"a": 1, "c": 1, "e": 1}}, {"q": {"a": 4.0, "b": 3.0, "c": 2.0}}
    mp = irmx.parse_measure(f"MP(model=matrix(file='{file}'))")
    for rescaled in (mp(rescale="recall"), mp(rescale="recall", cutoff=2)):
        assert rescaled.calc_aggregate(qrels, run) == pytest.approx(mp.calc_aggregate(qrels, run) / 3)
        explained = irmx.explain(rescaled, qrels, run, "q")
        assert sum(explained.columns["contribution"]) == pytest.approx(rescaled.calc_aggregate(qrels, run))
    whole = irmx.parse_measure("MP(model=GL_AD_ID,rescale='recall')")
    plain = irmx.parse_measure("MP(model=GL_AD_ID)")
    assert whole.calc_aggregate(qrels, run) == pytest.approx(plain.calc_aggregate(qrels, run) * 2 / 3)
