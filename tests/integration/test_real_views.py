"""Views of TREC-8 runs: bit for bit the values of qrels that were cut, or extended, before reading."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import irmx

pytestmark = pytest.mark.real

MEASURES = "MP(model=GL_AD_ID) MP(model=LO_OR_LID)@100 NCP(law=uniform,judged_only=True) AP Bpref nDCG@10"


@pytest.mark.parametrize("unjudged", ["nonrelevant", "relevant"])
@pytest.mark.parametrize("share", [0.3, 0.02])
def test_views_of_trec8_runs(trec8: Any, share: float, unjudged: Any) -> None:
    judgments = irmx.read_qrels(trec8.qrels_path)
    cut = judgments.where(np.random.default_rng(8).random(len(judgments)) < share)
    read = irmx.read_qrels(cut.as_dict())
    for name in list(trec8.run_paths)[::40]:
        run = irmx.read_run(trec8.run_paths[name])
        view = irmx.Join(run, judgments).with_judgments(cut, unjudged)
        qrels = read if unjudged == "nonrelevant" else irmx.read_qrels(view.judgments.as_dict())
        [ours], [expected] = (irmx.score_joined([join], MEASURES) for join in (view, irmx.Join(run, qrels)))
        assert view.judgments.topics == qrels.topics
        for of_view, of_qrels in zip(ours, expected, strict=True):
            np.testing.assert_array_equal(of_view.values, of_qrels.values)
