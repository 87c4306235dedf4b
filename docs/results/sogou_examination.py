"""Which positions users examine: examination models fitted to sessions of a search engine with clicks and cursor times.

Writes a section of the page ``clicks_and_sessions.md`` beside this file. The environment variable IRMX_DATA names the folder with the
data; the page holds counts, shares and estimates only, nothing of the data.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
from markdown_pages import beside, markdown, write_section

import irmx
from irmx.ragged import Array
from irmx_pages import (
    ExaminationFit,
    ExaminationLog,
    Pages,
    by_position,
    examination_log_likelihoods,
    fit_examination,
    read_examinations,
)

PAGE = Path(__file__).with_name("clicks_and_sessions.md")
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


TYPESET = {
    "1/log2(i + 1), `dcg`": r"$1/\log_2(i + 1)$, `dcg`",
    "beta^(i - 1), `rbp`": r"$\beta^{i - 1}$, `rbp`",
    "(1 - s)^(clicks above)": r"$(1 - s)^{\mathrm{clicks\ above}}$",
    "(1 - s)^(clicks above)/i": r"$(1 - s)^{\mathrm{clicks\ above}}/i$",
}
"""The models as formulas of the page."""


def fits_of(data: ExaminationLog) -> dict[str, ExaminationFit]:
    free = fit_examination(data, by_position(probabilities=data.observed.tolist()), detection=1)
    return {
        "1/log2(i + 1), `dcg`": fit_examination(data, "dcg"),
        "beta^(i - 1), `rbp`": fit_examination(data, "rbp", "beta"),
        "(1 - s)^(clicks above)": fit_examination(data, Satisfied(), "often"),
        "(1 - s)^(clicks above)/i": fit_examination(data, Satisfied(discount="rank"), "often"),
        "1": fit_examination(data, by_position(probabilities=[1] * RANKS)),
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
    free = fits[MAIN]["free at each position"]
    best = examination_log_likelihoods(test[MAIN], free.model, free.detection)
    models = []
    for name, fit in fits[MAIN].items():
        on_test = examination_log_likelihoods(test[MAIN], fit.model, fit.detection)
        models.append(
            [
                TYPESET.get(name, name),
                estimate(fit.value, fit.interval),
                estimate(fit.detection, fit.detection_interval),
                interval(best - on_test),
                f"{fit.squared_error**0.5:.4f}",
                f"{fit.log_likelihood / fit.sessions:.3f}",
                f"{on_test.mean():.3f}",
            ]
        )
    head = [
        "Exam(i)",
        "parameter",
        "detection",
        "worse than free, held out",
        "root of squared error",
        "log-likelihood a session",
        "held out",
    ]
    rbp, dcg = fits[MAIN]["beta^(i - 1), `rbp`"], fits[MAIN]["1/log2(i + 1), `dcg`"]
    gain = examination_log_likelihoods(test[MAIN], rbp.model, rbp.detection) - examination_log_likelihoods(
        test[MAIN], dcg.model, dcg.detection
    )
    meanings = []
    for name, found in fits.items():
        on_test = {
            model: examination_log_likelihoods(test[name], fit.model, fit.detection) for model, fit in found.items()
        }
        best = on_test["free at each position"]
        other, one, cascade, *_ = found
        meanings.append(
            [
                name,
                estimate(found[one].value, found[one].interval),
                estimate(found[one].detection, found[one].detection_interval),
                interval(best - on_test[one]),
                interval(best - on_test[other]),
                estimate(found[cascade].value, found[cascade].interval),
            ]
        )
    of_meanings = [
        "seen",
        "beta of `rbp`",
        "detection",
        "worse than free, held out",
        "`dcg`, worse than free",
        "s of the cascade",
    ]
    shares = {
        "clicked": clicks.mean(axis=0),
        **{name: found.observed for name, found in data.items()},
        **{f"expected by {name}": fit.expected for name, fit in fits[MAIN].items() if not name.startswith("free")},
    }
    curves = same_curve()
    for columns in ({}, {"visual": 0}):
        refusal(data[MAIN], **columns)
    text = _TEXT.format(
        fitted=f"{len(clicks):,}",
        held_out=f"{len(held_out[0]):,}",
        no_click=f"{(~clicks.any(axis=1)).mean():.1%}",
        nothing=f"{(~data[MAIN].examined.reshape(-1, RANKS).any(axis=1)).mean():.1%}",
        main=MAIN,
        models=markdown([*head[:2], head[3]], [[*row[:2], row[3]] for row in models]),
        all_models=beside(PAGE, "sogou_examination_models", head, models),
        shares=beside(
            PAGE,
            "sogou_examination_shares",
            ["share of sessions", *range(1, RANKS + 1)],
            [[name, *(f"{v:.3f}" for v in of)] for name, of in shares.items()],
        ),
        gain=interval(gain),
        lowest=min(row[1] for row in meanings).split()[0],
        highest=max(row[1] for row in meanings).split()[0],
        all_meanings=beside(PAGE, "sogou_examination_meanings", of_meanings, meanings),
        betas=", ".join(f"{beta:g}" for beta, _, _ in curves),
        apart=f"{max(float(np.abs(curve - curves[0][2]).max()) for _, _, curve in curves):.1g}",
    )
    write_section(PAGE, "Examination by position", text)


_TEXT = """\
Of the models of how far users look down a page, geometric decay (`rbp`) describes these sessions better than logarithmic decay
(`dcg`): it is more likely by {gain} a held-out session. What counts as seen changes the estimate more than chance does.

{models}

Fitted to {fitted} sessions ({held_out} are held out) and to "{main}"; {no_click} have no click, {nothing} neither click nor cursor on a result.
The fit includes a [detection](../guide/pages-estimating.md), how likely an examination is seen. Intervals: 95%, over
samples of sessions. [Detection, likelihoods]({all_models}) and [shares by position]({shares}) show that `dcg` is too low at the top and
too high at the bottom.

By [what counts as seen]({all_meanings}), beta of `rbp` lies between {lowest} and {highest}. The paper on pages has 0.8 by default, and learned 0.85.

The fit refuses beta of `att`, as the log does not say which results hold images or videos. For each beta of {betas} there is a mix of
pages whose mean examination differs by at most {apart}.

Made by `IRMX_DATA=... python docs/results/sogou_examination.py` from `sogou_pscm_clicks`.
"""


if __name__ == "__main__":
    main()
