"""Which positions users examine: examination models fitted to sessions of a search engine with clicks and cursor times.

Writes the page ``sogou_examination.md`` beside this file. The environment variable IRMX_DATA names the folder with the
data; the page holds counts, shares and estimates only, nothing of the data.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd

import irmx
from irmx.ragged import Array
from irmx_pages import (
    ExaminationFit,
    ExaminationLog,
    Pages,
    examination_log_likelihoods,
    fit_examination,
    read_examinations,
)

RANKS = 10
SEEN = {
    "click, or cursor on it": 0.001,
    "click, or cursor for 0.2 s": 0.2,
    "click, or cursor for 1 s": 1.0,
    "above the lowest click or cursor": None,
}
"""What counts as examined: a click, or the cursor there for so many seconds; or all above the lowest of these."""
MAIN = "click, or cursor on it"


class Satisfied(irmx.Symbol):
    """The cascade of ERR with a free scale: c_i prod_{j<i} (1 - often G(B_j)), G = 1 for a result that was clicked."""

    NAME, KIND, SHORT_DESC = "satisfied", "examination model", "goes on from a click with probability 1 - often"
    SUPPORTED_PARAMS = {
        "often": irmx.Param(float, "how likely a click satisfies", default=0.5, low=0, high=1),
        "discount": irmx.Param(str, "c_i: 1, or 1/i", default="one", choices=("one", "rank")),
    }

    def probabilities(self, pages: Pages, gain: Array) -> Array:
        clicks = np.cumsum(gain) - gain
        going_on = (1 - self["often"]) ** (clicks - clicks[pages.offsets[:-1]][pages.page])
        return going_on / pages.position if self["discount"] == "rank" else going_on


class Free(irmx.Symbol):
    """One free probability per position: no model that looks at positions alone fits better."""

    NAME, KIND, SHORT_DESC = "free", "examination model", "a list of probabilities"
    SUPPORTED_PARAMS = {"p": irmx.Param(list, "by position", low=0, high=1)}

    def probabilities(self, pages: Pages, gain: Array) -> Array:
        return np.array(self["p"])[pages.position - 1]


def sessions(name: str) -> tuple[Array, Array]:
    """Return the clicks and the cursor times in seconds, both (sessions, 10)."""
    path = Path(os.environ["IRMX_DATA"]).resolve() / "sogou_pscm_clicks" / name
    table = pd.read_csv(path, sep="\t", dtype=str)
    clicks, dwell = (
        np.array([row.split() for row in table[column]], dtype=float) for column in ("clicks", "dwell_ms_rows")
    )
    return clicks > 0, dwell / 1000


def log(clicks: Array, dwell: Array, at_least: float | None) -> ExaminationLog:
    """Return the log of what was examined; the gain of a block is whether it was clicked."""
    examined = clicks | (dwell >= (at_least or 0.001))
    if at_least is None:
        examined = np.maximum.accumulate(examined[:, ::-1], axis=1)[:, ::-1]
    session, place = np.divmod(np.arange(clicks.size), RANKS)
    return read_examinations(
        pd.DataFrame(
            {
                "session": session,
                "position": place + 1,
                "examined": examined.ravel().astype(int),
                "gain": clicks.ravel().astype(int),
            }
        )
    )


def fits_of(data: ExaminationLog) -> dict[str, ExaminationFit]:
    free = fit_examination(data, Free(p=data.observed.tolist()), detection=1)
    return {
        "1/log2(i + 1), `dcg`": fit_examination(data, "dcg"),
        "beta^(i - 1), `rbp`": fit_examination(data, "rbp", "beta"),
        "(1 - s)^(clicks above)": fit_examination(data, Satisfied(), "often"),
        "(1 - s)^(clicks above)/i": fit_examination(data, Satisfied(discount="rank"), "often"),
        "1": fit_examination(data, Free(p=[1] * RANKS)),
        "free at each position": free,
    }


def interval(values: Array, seed: int = 0) -> str:
    """Return a mean with its 95% interval over bootstrap samples."""
    generator = np.random.default_rng(seed)
    low, high = np.quantile([generator.choice(values, len(values)).mean() for _ in range(1000)], [0.025, 0.975])
    return f"{values.mean():.3f} [{low:.3f}, {high:.3f}]"


def estimate(value: float | None, around: tuple[float, float] | None) -> str:
    return "" if value is None or around is None else f"{value:.3f} [{around[0]:.3f}, {around[1]:.3f}]"


def same_curve(attention: float = 0.1) -> list[tuple[float, Array, Array]]:
    """Return, for some beta of ATT, shares of pages with an image at each position that give one mean examination."""
    place = np.arange(RANKS)
    log_of_images = read_examinations(
        pd.DataFrame(
            {
                "session": np.repeat(place, RANKS),
                "position": np.tile(place + 1, RANKS),
                "examined": 1,
                "visual": np.eye(RANKS, dtype=int).ravel(),
            }
        )
    )
    found = []
    for beta in (0.1, 0.5, 0.8):
        shares = np.linalg.solve(beta ** np.abs(place[:, None] - place), np.full(RANKS, attention))
        exam = irmx.att(beta=beta).probabilities(log_of_images.pages, log_of_images.gain).reshape(RANKS, RANKS)
        found.append((beta, shares, shares @ exam + (1 - shares.sum()) / np.log2(place + 2)))
    return found


def refusal(data: ExaminationLog, **columns: int) -> str:
    """Return what the fit of ATT says to a log."""
    blocks = pd.DataFrame(
        {"session": data.pages.page, "position": data.pages.position, "examined": data.examined.astype(int), **columns}
    )
    try:
        fit_examination(blocks, "att", "beta")
    except irmx.DataError as error:
        return str(error)
    raise SystemExit("The log tells beta of ATT; the page says that it does not.")


def main() -> None:
    training, held_out = sessions("train_data.tsv.gz"), sessions("test_data.tsv.gz")
    data = {name: log(*training, at_least) for name, at_least in SEEN.items()}
    test = {name: log(*held_out, at_least) for name, at_least in SEEN.items()}
    fits = {name: fits_of(found) for name, found in data.items()}
    clicks = training[0]
    ranks = range(1, RANKS + 1)
    lines = [
        "# Examination by position in a search engine's sessions",
        "",
        "Of the models of how far users look down a page, geometric decay (`rbp`) describes these sessions better than logarithmic decay",
        "(`dcg`). What counts as seen changes the estimate more than chance does.",
        "",
        "```console",
        "$ IRMX_DATA=... python docs/results/sogou_examination.py",
        "```",
        "",
        "makes this page. `IRMX_DATA` is the folder that holds `sogou_pscm_clicks`, query sessions of a Chinese search engine with",
        "ten results each; they are not part of irmx, and this page holds counts, shares and estimates only.",
        "",
        f"{len(clicks):,} sessions are fitted to, {len(held_out[0]):,} are held out. Of the former {(~clicks.any(axis=1)).mean():.1%} have no "
        f"click and {(~data[MAIN].examined.reshape(-1, RANKS).any(axis=1)).mean():.1%} neither click nor cursor on a result.",
        "",
        "## What was seen",
        "",
        f"| share of sessions | {' | '.join(map(str, ranks))} |",
        "| --- |" + " ---: |" * RANKS,
        f"| clicked | {' | '.join(f'{v:.3f}' for v in clicks.mean(axis=0))} |",
        *(f"| {name} | {' | '.join(f'{v:.3f}' for v in found.observed)} |" for name, found in data.items()),
        "",
        "The cursor is not the eye. What it rests on was probably looked at; what it passed was perhaps not, and much was looked at that",
        "it did not touch. So a fit has two numbers: the parameter of the model, and the detection c, how likely an examination is",
        "seen, which is the same at all positions. [The guide](../guide/pages-estimating.md) has the likelihood.",
        "",
        f"## Models fitted to: {MAIN}",
        "",
        "| Exam(i) | parameter | detection | log-likelihood a session | held out | worse than free, held out | root of squared error |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    free = fits[MAIN]["free at each position"]
    best = examination_log_likelihoods(test[MAIN], free.model, free.detection)
    for name, fit in fits[MAIN].items():
        on_test = examination_log_likelihoods(test[MAIN], fit.model, fit.detection)
        lines.append(
            f"| {name} | {estimate(fit.value, fit.interval)} | {estimate(fit.detection, fit.detection_interval)} | "
            f"{fit.log_likelihood / fit.sessions:.3f} | {on_test.mean():.3f} | {interval(best - on_test)} | "
            f"{fit.squared_error**0.5:.4f} |"
        )
    rbp, dcg = fits[MAIN]["beta^(i - 1), `rbp`"], fits[MAIN]["1/log2(i + 1), `dcg`"]
    gain = examination_log_likelihoods(test[MAIN], rbp.model, rbp.detection) - examination_log_likelihoods(
        test[MAIN], dcg.model, dcg.detection
    )
    lines += [
        "",
        f"Intervals: 95%, from 1,000 samples of sessions. `rbp` is more likely than `dcg` by {interval(gain)} a held-out session.",
        "",
        "| seen and expected | " + " | ".join(map(str, ranks)) + " |",
        "| --- |" + " ---: |" * RANKS,
        f"| seen | {' | '.join(f'{v:.3f}' for v in data[MAIN].observed)} |",
        *(
            f"| {name} | {' | '.join(f'{v:.3f}' for v in fit.expected)} |"
            for name, fit in fits[MAIN].items()
            if not name.startswith("free")
        ),
        "",
        "- The examination of `dcg` falls too slowly: its curve is too low at the top, too high at the bottom.",
        "- The cascade stops where a result satisfies. There are no relevance labels here, so its gain is the click itself, and s how",
        "  likely a click ends the session; a user who clicks nothing goes to the bottom. Users who click nothing do not: the cascade is",
        "  hardly better than a constant, the row of Exam(i) = 1. With the discount 1/i the most likely s is 0: that is 1/i alone, in which",
        "  clicks stop nobody; it is better than `dcg` and not as good as `rbp`.",
        "- The log names no users, so sessions are taken for independent; the intervals are too narrow if users come again.",
        "",
        "## How much it depends on what counts as seen",
        "",
        "| seen | beta of `rbp` | detection | worse than free, held out | `dcg`, worse than free | s of the cascade |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, found in fits.items():
        on_test = {
            model: examination_log_likelihoods(test[name], fit.model, fit.detection) for model, fit in found.items()
        }
        best = on_test["free at each position"]
        other, one, cascade, *_ = found
        lines.append(
            f"| {name} | {estimate(found[one].value, found[one].interval)} | "
            f"{estimate(found[one].detection, found[one].detection_interval)} | {interval(best - on_test[one])} | "
            f"{interval(best - on_test[other])} | {estimate(found[cascade].value, found[cascade].interval)} |"
        )
    lines += [
        "",
        "An interval is about one meaning of seen; the meanings differ by more. The paper's default is a",
        "beta of 0.8, its learned one 0.85.",
        "",
        "## beta of ATT: not in these data",
        "",
        "`att` needs to know which results hold images or videos. The log does not say. Asked for its beta, the fit answers",
        "",
        f"> {refusal(data[MAIN])}",
        "",
        "and to a log in which no result is said to be one",
        "",
        f"> {refusal(data[MAIN], visual=0)}",
        "",
        "Nor could beta be guessed from the shares by position. For every beta there is a mix of pages that gives one and the same mean",
        "examination. Of pages with at most one image, the shares that have it at positions 1 to 10:",
        "",
        f"| beta | {' | '.join(map(str, ranks))} | without |",
        "| --- |" + " ---: |" * (RANKS + 1),
    ]
    curves = same_curve()
    lines += [
        f"| {beta:g} | {' | '.join(f'{v:.3f}' for v in shares)} | {1 - shares.sum():.3f} |"
        for beta, shares, _ in curves
    ]
    apart = max(float(np.abs(curve - curves[0][2]).max()) for _, _, curve in curves)
    lines += [
        "",
        f"The mean examination of the three differs by at most {apart:.1g} at any position. (beta^|i-j| is a positive definite matrix",
        "for every beta in (0, 1), so any curve of attention is that of some shares; for a constant one these are positive.)",
    ]
    Path(__file__).with_suffix(".md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
