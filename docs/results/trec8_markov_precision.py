"""Markov Precision beside other measures: the tables and figures of its paper on a collection of runs.

Writes a section of the page ``markov_and_ncp.md`` beside this file, about the 129 runs of TREC-8 ad hoc, or about other runs that are
given as arguments. The page holds counts and correlations only, nothing of the data.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
from given_collection import Collection, given_collection
from markdown_pages import beside, markdown

import irmx
import irmx_study
from irmx.toolkit import COLOURS, write_picture
from irmx_study.rankings import kendall_taus

MODELS = (
    *("GL_AD_ID", "GL_AD_LID", "GL_OR_ID", "GL_OR_LID"),
    *("LO_AD_ID", "LO_AD_LID", "LO_OR_ID", "LO_OR_LID", "constant"),
)
VARIANTS = {m: f"MP(model={m})" for m in MODELS} | {f"{m}@Rec": f"MP(model={m},rescale='recall')" for m in MODELS}
"""The variants of MP by the names of the paper; @Rec multiplies by recall."""
OTHERS = {"AP": "AP", "P@10": "P@10", "Rprec": "Rprec", "RBP(p=0.8)": "RBP(rel=1)", "Bpref": "Bpref"}
"""The measures they are compared with; p = 0.8 is RBP's default in ir_measures."""
NAMES = {**VARIANTS, **OTHERS}
MEASURES = [*VARIANTS.values(), *OTHERS.values()]
KEEP, SAMPLES = (90, 70, 50, 30, 10), 10
"""The percentages of the pool, and how many random samples are drawn."""

Taus = dict[tuple[str, str], float]


def taus(scores: irmx.Scores, decimals: int | None = None) -> Taus:
    """Return tau-b between the rankings of the runs by all pairs of measures, over means that are rounded first."""
    means = irmx_study.comparable_means(scores.select(measures=MEASURES), decimals)
    return {(a, b): float(t) for (a, b), t in zip(product(NAMES, NAMES), kendall_taus(means).ravel(), strict=True)}


def largest_difference(scores: irmx.Scores, one: str, other: str) -> float:
    """Return the largest absolute difference of two measures over all runs and topics."""
    return float(np.abs(scores[NAMES[one]] - scores[NAMES[other]]).max())


def rows_of(tau: Taus, names: dict[str, str]) -> list[list[str]]:
    """Return correlations with the other measures."""
    return [[v, *("" if v == o else f"{tau[v, o]:.4f}" for o in OTHERS)] for v in names]


def statements(tau: Taus, scores: irmx.Scores) -> str:
    """Return what the paper states beside what is found, as a Markdown table."""
    compared = {pair: t for pair, t in tau.items() if pair[0] in VARIANTS and pair[1] in ("AP", "P@10", "Rprec")}
    lowest = min(compared, key=compared.__getitem__)
    close = {v: tau[v, "AP"] for v in ("GL_AD_LID@Rec", "LO_AD_ID@Rec")}
    same = max(largest_difference(scores, f"LO_AD_ID{s}", f"LO_AD_LID{s}") for s in ("", "@Rec"))
    exact = largest_difference(scores, "constant@Rec", "AP")
    rows = [
        (
            "No tau of a variant of MP with AP, P@10 or Rprec is below 0.70",
            f"the smallest is {compared[lowest]:.4f}, {lowest[0]} with {lowest[1]}",
            compared[lowest] >= 0.70,
        ),
        (
            "GL_AD_LID@Rec and LO_AD_ID@Rec have a tau with AP between 0.97 and 1.00",
            "; ".join(f"{v} {t:.4f}" for v, t in close.items()),
            all(0.97 <= t <= 1.0 for t in close.values()),
        ),
        ("LO_AD_ID and LO_AD_LID are identical", _difference(same), same <= 1e-12),
        ("Constant transition probabilities with @Rec give AP", _difference(exact), exact <= 1e-12),
    ]
    return "\n".join(f"| {said} | {found} | {'holds' if holds else 'does not hold'} |" for said, found, holds in rows)


def _difference(found: float) -> str:
    return "no value differs by more than 1e-12" if found <= 1e-12 else f"values differ by up to {found:.2g}"


def agreement(scores: irmx.Scores, page: Path) -> str:
    """Return the part about agreement with other measures, in Markdown, and write a table beside the page."""
    tau, rounded = taus(scores), taus(scores, 4)
    of_variants = [pair for pair in tau if pair[0] in VARIANTS and pair[1] in OTHERS]
    shown = ("AP", "P@10", "Bpref")
    moved = max(of_variants, key=lambda pair: abs(rounded[pair] - tau[pair]))
    return _AGREEMENT.format(
        runs=len(scores.systems),
        topics=len(scores.topics),
        table=markdown(
            ["tau with", *shown, *(f"@Rec, {o}" for o in shown)],
            [
                [m, *(f"{tau[f'{m}{end}', o]:.3f}" for end in ("", "@Rec") for o in shown)]
                for m in MODELS
                if m != "LO_AD_LID"
            ],
        ),
        all=beside(
            page,
            "trec8_markov_precision_tau",
            ["measure", *OTHERS, *(f"{o}, rounded means" for o in OTHERS)],
            [[*row, *cells] for row, (_, *cells) in zip(rows_of(tau, NAMES), rows_of(rounded, NAMES), strict=True)],
        ),
        moved=f"{abs(rounded[moved] - tau[moved]):.4f} ({moved[0]} with {moved[1]})",
        statements=statements(tau, scores),
    )


def finding(scores: irmx.Scores, pools: irmx_study.Result) -> str:
    """Return how far Markov Precision agrees with AP, and with itself when judgments are missing, in two sentences."""
    tau, kept = taus(scores), pools.frame().set_index(["measure", "keep"])["tau"]

    def span(values: list[float]) -> str:
        return f"{min(values):.3f} to {max(values):.3f}"

    with_recall, without = ([tau[f"{model}{end}", "AP"] for model in MODELS] for end in ("@Rec", ""))
    half = [kept[NAMES[f"{model}{end}"], 50] for model in MODELS for end in ("", "@Rec")]
    return f"""\
Multiplied by recall (`@Rec`), the models of Markov Precision rank the runs as AP does with a tau of {span(with_recall)}; without
recall it is {span(without)}. With half of the judgments, each ranking has a tau of {span(half)} with the ranking by all."""


def robustness(pools: irmx_study.Result, page: Path) -> str:
    """Return the part about missing judgments, in Markdown, and write a table beside the page."""
    frame = pools.frame().set_index(["measure", "keep"])
    kept = sorted(set(frame.index.get_level_values("keep")), reverse=True)
    rows = [[name, *(f"{frame['tau'][measure, keep]:.4f}" for keep in kept)] for name, measure in NAMES.items()]
    table = beside(page, "trec8_markov_precision_pool", ["measure", *(f"{keep:g}%" for keep in kept)], rows)
    return _ROBUSTNESS.format(samples=SAMPLES, picture="trec8_markov_precision.svg", table=table)


def picture(pools: irmx_study.Result, path: Path) -> None:
    """Draw the curves of the paper's Figures 3 and 4: one panel per model, with and without recall, beside AP and Bpref."""
    frame = pools.frame()
    panels = irmx.toolkit.grid_of_axes(9, 3, (8.4, 7.2), shared=True)
    figure = panels[0].figure
    for model, panel in zip(MODELS, panels, strict=True):
        lines = {
            model: (COLOURS[0], "o-"), f"{model}@Rec": (COLOURS[1], "s-"), "AP": ("#666666", "--"), "Bpref": ("black", ":"),
        }  # fmt: skip
        for name, (colour, style) in lines.items():
            of_measure = frame[frame["measure"] == NAMES[name]]
            label = {model: "MP", f"{model}@Rec": "MP@Rec"}.get(name, name)
            panel.plot(of_measure["keep"], of_measure["tau"], style, color=colour, markersize=4, label=label)
        panel.set_title(model, fontsize="medium")
        panel.invert_xaxis() if model == MODELS[0] else None
    panels[0].legend(frameon=False, fontsize="small")
    figure.supxlabel("% of the pool")
    figure.supylabel("tau with the ranking by the full pool")
    write_picture(figure, path)


def section(collection: Collection, scores: irmx.Scores, pools: irmx_study.Result) -> str:
    """Return the section in Markdown, and write its picture and tables."""
    picture(pools, collection.page.with_name("trec8_markov_precision.svg"))
    return "\n\n".join(
        [
            finding(scores, pools),
            agreement(scores, collection.page),
            robustness(pools, collection.page),
            f"Made by `{collection.command}`. `--qrels` and `--runs` give the section for other runs, `--every-topic` for those that\n"
            "retrieve documents for every topic, as in Ferrante, Ferro and Maistro, SIGIR 2014, Tables 1 to 3 and Figures 3 and 4.",
        ]
    )


_AGREEMENT = """\
{table}

Kendall's tau-b between the rankings of {runs} runs by their means over {topics} topics (to 12 significant digits). Documents are in the
order of trec_eval, and unjudged documents are not relevant. If the means are rounded to
4 decimals first, as the paper's authors do, the largest change is {moved}
([all variants, rounded or not]({all})).

| The paper's statement | On these runs | |
| --- | --- | --- |
{statements}\
"""


_ROBUSTNESS = """\
[Missing judgments](../guide/missing-judgments.md): of every topic's pool a part of the relevant documents and the same part of the others
is kept. Mean tau-b, over {samples} random samples, with the measure's own ranking by the full pool ([all means]({table})):

![Tau with the ranking by the full pool, of MP and MP@Rec by model, AP and Bpref.]({picture})\
"""


def main() -> None:
    with given_collection(
        __file__, "markov_and_ncp.md", "Tables and figures of the paper on Markov Precision."
    ) as collection:
        scores = collection.scores(MEASURES)
        runs = {system: collection.runs[system] for system in scores.systems}
        pools = irmx_study.pool(MEASURES, collection.qrels, runs, keep=KEEP, samples=SAMPLES, jobs=collection.jobs)
        collection.write(f"Markov Precision on {collection.name}", section(collection, scores, pools))


if __name__ == "__main__":
    main()
