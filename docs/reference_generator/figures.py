"""Pictures: the weight that each user model gives over the ranks, from ``irmx.explain``, and those that scripts draw."""

from __future__ import annotations

import runpy
from functools import lru_cache
from pathlib import Path
from typing import Any

from irmx import IrmxError, Measure, explain, registry
from reference_generator.drawing import drawing, line, svg

DEPTH = 20
SOME = (1, 2, 5, 12, 20)
"""The relevant ranks of the second panel; in the first all are relevant."""


@lru_cache(maxsize=1)
def drawn() -> dict[str, dict[str, list[list[float]]]]:
    """Return, per measure that takes a user model and explains itself, the weights of every model in both panels."""
    out: dict[str, dict[str, list[list[float]]]] = {}
    for name, measure in registry().measures().items():
        for parameter, declared in measure.SUPPORTED_PARAMS.items():
            if declared.required and getattr(declared, "kind", ""):
                found = {s: _weights(measure, parameter, s) for s in registry().symbols(declared.kind)}
                weights = {s: w for s, w in found.items() if w}
                if len(weights) > 1:
                    out[name] = weights
    return out


def _weights(measure: Measure, parameter: str, symbol: str) -> list[list[float]]:
    """Return the weights in both panels; nothing for what needs further parameters."""
    out = []
    for relevant in (range(1, DEPTH + 1), SOME):
        run = {"q": {f"d{i:02d}": float(-i) for i in range(1, DEPTH + 1)}}
        qrels = {"q": {f"d{i:02d}": 1 for i in relevant}}
        try:
            columns = explain(measure(**{parameter: symbol}), qrels, run, "q").columns
        except IrmxError:
            return []
        if "weight" not in columns:
            return []
        out.append(columns["weight"])
    return out


def figures(scripts: Path) -> dict[str, bytes]:
    """Return the pictures by their path under ``docs/reference/``: those of user models, and those of scripts.

    Parameters
    ----------
    scripts : Path
        A folder of Python files. Each has a function ``figures``, which takes ``pyplot`` and returns figures of matplotlib by
        name. A guide shows the figure ``trace`` as ``../reference/figures/trace.svg``.
    """
    made: dict[str, Any] = {}
    with drawing() as plt:
        for name, weights in drawn().items():
            made[name] = _weights_over_ranks(plt, weights)
        for script in sorted(scripts.glob("*.py")):
            for name, figure in runpy.run_path(str(script))["figures"](plt).items():
                if name in made:
                    raise RuntimeError(f"{script}: there is a picture {name!r} already")
                made[name] = figure
        return {f"figures/{name}.svg": svg(figure) for name, figure in made.items()}


def _weights_over_ranks(plt: Any, weights: dict[str, list[list[float]]]) -> Any:
    figure, panels = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    titles = (
        f"{DEPTH} documents, all relevant",
        f"{DEPTH} documents, relevant at {', '.join(map(str, SOME))}",
    )
    for panel, title, ranks, which in zip(panels, titles, (range(1, DEPTH + 1), SOME), (0, 1), strict=True):
        for i, (label, values) in enumerate(weights.items()):
            panel.plot(ranks, values[which], **line(i), label=label)
        panel.set(title=title, xlabel="rank", ylabel="weight", xticks=[1, 5, 10, 15, 20], ylim=(0, None))
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside right center", frameon=False)
    return figure
