"""Aggregated search pages: what an item of a vertical gains, and what the four models examine of a page."""

from __future__ import annotations

from typing import Any

import numpy as np

from irmx.toolkit import distinct_line, distinct_marker
from irmx_pages import ATT, DCG, ERR, RBP, Pages, gain, orientation_gain

ALPHAS = (2, 4, 7, 10, 30, 100)
READINGS = {"steep": "g='steep', the default: k = 1/log10(alpha)", "literal": "g='literal': k = log10(alpha)"}
MODELS = {"AS_DCG": DCG(), "AS_RBP": RBP(), "AS_ERR": ERR(), "AS_ATT": ATT()}
BLOCKS, IMAGES = 11, 6
"""The blocks of the page, all web results but one of images, and its place."""
RELEVANT = {1: 1, 3: 1, IMAGES: 2}
"""The relevant items by block."""
MADE_BY = {
    "orientation-gain": "irmx_pages.orientation_gain(orientation, alpha=7)",
    "examination-of-pages": "irmx_pages.ERR().probabilities(page, gain)",
}


def line(i: int) -> dict[str, Any]:
    """Return how the i-th line looks; it differs from the others without its colour, too."""
    return {**distinct_line(i), "marker": distinct_marker(i), "markersize": 4, "linewidth": 1}


def figures(plt: Any) -> dict[str, Any]:
    """Return the pictures ``orientation-gain`` and ``examination-of-pages``."""
    return {"orientation-gain": _gains(plt), "examination-of-pages": _examination(plt)}


def _gains(plt: Any) -> Any:
    """Draw g over orientations for several alpha, in both readings."""
    orientation = np.linspace(0, 1, 201)
    figure, panels = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
    for panel, (reading, title) in zip(panels, READINGS.items(), strict=True):
        for i, alpha in enumerate(ALPHAS):
            style = {**line(i), "markevery": (10 + 3 * i, 40)}
            panel.plot(orientation, orientation_gain(orientation, alpha, reading), **style, label=f"alpha = {alpha}")
        panel.set(title=title, xlabel="orientation towards the vertical", xlim=(0, 1), ylim=(0, 1))
    panels[0].set(ylabel="gain g of a relevant item")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside right center", frameon=False)
    return figure


def _examination(plt: Any) -> Any:
    """Draw how likely each model examines the blocks of one page."""
    page = _page()
    figure, panel = plt.subplots(figsize=(7.2, 3.4), layout="constrained")
    panel.axvspan(IMAGES - 0.5, IMAGES + 0.5, color="#eeeeee")
    for i, (name, model) in enumerate(MODELS.items()):
        panel.plot(page.position, model.probabilities(page, gain(page)), **line(i), label=name)
    relevant = {block: f"{count} relevant" for block, count in RELEVANT.items()}
    labels = [f"{b}\n{'images' if b == IMAGES else 'web'}\n{relevant.get(b, '')}" for b in page.position.tolist()]
    panel.set(ylabel="probability of examination", xlabel="block", ylim=(0, 1.03))
    panel.set_xticks(page.position, labels)
    figure.legend(*panel.get_legend_handles_labels(), loc="outside right center", frameon=False)
    return figure


def _page() -> Pages:
    """Return a page of web results with a block of three images, to which users are oriented with 0.75."""
    block = np.arange(1, BLOCKS + 1)
    images = block == IMAGES
    items = np.where(images, 3, 1)
    return Pages(
        np.array([0, BLOCKS]),
        np.where(images, "image", "web").astype(object),
        np.where(images, 0.75, 0.5),
        np.array([RELEVANT.get(b, 0) for b in block.tolist()], dtype=np.float64),
        items,
        np.where(images, 1.0, 3.0) * items,
        images,
    )
