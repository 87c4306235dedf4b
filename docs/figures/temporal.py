"""The subtopics of a topic by the windows of time: the weight of each pair, and what of it a run retrieves."""

from __future__ import annotations

from typing import Any

import numpy as np

from irmx import explain
from irmx.demo import judgments_path, run_path

MEASURE, SYSTEM, TOPIC = "TIA_P(window='1mo')@10", "bm25", "1"
MADE_BY = {"subtopics-by-windows": 'irmx.explain("TIA_P(window=\'1mo\')@10", qrels, run, "1").frame()'}


def figures(plt: Any) -> dict[str, Any]:
    """Return the picture ``subtopics-by-windows``."""
    found = explain(MEASURE, judgments_path(), run_path(SYSTEM), TOPIC).frame()
    subtopics, windows = sorted(set(found["subtopic"])), sorted(set(found["window"]))
    weight = np.full((len(subtopics), len(windows)), np.nan)
    figure, panel = plt.subplots(figsize=(6.4, 2.9), layout="constrained")
    for row in found.itertuples():
        place = subtopics.index(row.subtopic), windows.index(row.window)
        weight[place] = row.weight
    image = panel.imshow(weight, cmap="Blues", vmin=0, vmax=np.nanmax(weight), aspect="auto")
    for row in found.itertuples():
        y, x = subtopics.index(row.subtopic), windows.index(row.window)
        text = f"{row.retrieved} of {row.relevant}\n" + ("missed" if row.rank == "-" else f"first at rank {row.rank}")
        colour = "white" if row.weight > 0.6 * np.nanmax(weight) else "black"
        panel.text(x, y, text, ha="center", va="center", color=colour, fontsize=8)
    panel.set(xlabel="time window, by month", ylabel="subtopic", xticks=range(len(windows)), xticklabels=windows,
              yticks=range(len(subtopics)), yticklabels=subtopics)  # fmt: skip
    panel.set_xticks(np.arange(len(windows) + 1) - 0.5, minor=True)
    panel.set_yticks(np.arange(len(subtopics) + 1) - 0.5, minor=True)
    panel.spines[:].set_visible(False)
    panel.grid(which="minor", color="#bbbbbb", linewidth=0.6)
    panel.tick_params(which="both", length=0)
    figure.colorbar(image, label="weight P(t|q) P(c|q)")
    return {"subtopics-by-windows": figure}
