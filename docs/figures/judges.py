"""Judges side by side: their grades, the leaderboards of fifteen systems, and agreement on labels against agreement on systems."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np

import irmx
from irmx.demo import qrels_path

MADE_BY = {
    "grades-of-judges": "irmx judges people=qrels.txt careful.qrels generous.qrels --plot grades.svg",
    "leaderboards-of-judges": "irmx judges people=qrels.txt careless.qrels --runs 'runs/*.run' --measures AP --plot leaderboards=runs.svg",
    "kappa-and-tau": "irmx judges people=qrels.txt *.qrels --runs 'runs/*.run' --measures AP --plot kappa=kappa.svg",
}


def mixtures() -> Any:
    """Return the systems of the figures of agreement."""
    spec = importlib.util.spec_from_file_location("agreement", Path(__file__).with_name("agreement.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.mixtures()


def judges() -> dict[str, Any]:
    """Return the people of the demo collection, and three made judges: one errs rarely, one often, and one is generous."""
    people = irmx.read_qrels(qrels_path()).as_dict()
    rng = np.random.default_rng(0)
    found: dict[str, Any] = {"people": people}
    for name, error, bonus in (("careful", 0.1, 0.0), ("careless", 0.7, 0.0), ("generous", 0.1, 0.4)):
        found[name] = {
            topic: {
                doc: int(rng.integers(0, 3)) if rng.random() < error else min(2, grade + int(rng.random() < bonus))
                for doc, grade in grades.items()
            }
            for topic, grades in people.items()
        }
    return found


def figures(plt: Any) -> dict[str, Any]:
    """Return the pictures ``grades-of-judges``, ``leaderboards-of-judges`` and ``kappa-and-tau``."""
    import irmx_study

    result = irmx_study.judges(judges(), runs=mixtures(), measures="AP")
    return {
        "grades-of-judges": result.plot().figure,
        "leaderboards-of-judges": result.plot("leaderboards", judge="careless").figure,
        "kappa-and-tau": result.plot("kappa").figure,
    }
