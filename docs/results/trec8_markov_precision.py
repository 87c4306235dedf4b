"""Markov Precision beside other measures: the tables and figures of its paper on a collection of runs.

Writes a section of the page ``markov_and_ncp.md`` beside this file, about the 129 runs of TREC-8 ad hoc, or about other runs that are
given as arguments. The page holds counts and correlations only, nothing of the data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from pathlib import Path

import numpy as np
from given_collection import Collection, given_collection
from markdown_pages import beside, markdown

import irmx
import irmx_study
from irmx.toolkit import COLOURS, write_picture
from irmx_study.statistics.ranks import kendall_taus

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
GREYS = ("#666666", "#999999", "#bbbbbb", "#444444", "black")
KEEP, SAMPLES = (90, 70, 50, 30, 10), 10
"""The percentages of the pool, and how many random samples are drawn."""

_COLUMNS = {"tau": "tau", "mean_value": "mean"}

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


CLOSE = 0.05
"""Two taus, or two shares of a mean, that differ by less are called comparable, close or similar here; the paper gives no number."""

Statement = tuple[str, str, "list[bool]"]
"""What the paper states, what is found, and for each model, or other part of the statement, whether it is so."""


def statements(tau: Taus, scores: irmx.Scores, pools: irmx_study.Result) -> list[Statement]:
    """Return every statement of the paper's section on its experiments that is about runs and judgments of a collection."""
    kept = pools.frame().set_index(["measure", "keep"])["tau"].to_dict()
    levels = sorted({level for _, level in kept}, reverse=True)
    drops = pools.frame("drops").set_index(["measure", "keep"])
    left = {m: 1 - drops["relative"][measure] for m, measure in NAMES.items()}

    def robust(name: str, level: float = 50) -> float:
        return float(kept[NAMES[name], level])

    def recalled(names: Sequence[str]) -> list[str]:
        return [*names, *(f"{name}@Rec" for name in names)]

    def each(names: Iterable[str], value: Callable[[str], float]) -> str:
        return ", ".join(f"{name} {value(name):.3f}" for name in names)

    gl, lo = ([f"{kind}_{rest}" for rest in ("AD_ID", "AD_LID", "OR_ID", "OR_LID")] for kind in ("GL", "LO"))
    close = ("GL_AD_LID@Rec", "LO_AD_ID@Rec")
    same = max(largest_difference(scores, f"LO_AD_ID{s}", f"LO_AD_LID{s}") for s in ("", "@Rec"))
    exact = largest_difference(scores, "constant@Rec", "AP")
    with_others = {(m, o): tau[m, o] for m in MODELS for o in OTHERS}
    lowest = min((p for p in tau if p[0] in VARIANTS and p[1] in ("AP", "P@10", "Rprec")), key=tau.__getitem__)
    steep = max(left[o][10] for o in ("P@10", "RBP(p=0.8)"))
    by_precision = [m for m in MODELS if tau[m, "P@10"] > max(tau[m, "Rprec"], tau[m, "AP"])]
    logarithmic = [m for m in recalled((gl[1], gl[3])) if robust(m) > robust(m.replace("LID", "ID"))]
    others = [name for name in NAMES if name != "Bpref"]
    return [
        (
            "AP has a tau above 0.9 with Rprec and Bpref",
            each(("Rprec", "Bpref"), lambda o: tau["AP", o]),
            [tau["AP", o] > 0.9 for o in ("Rprec", "Bpref")],
        ),
        (
            "... and a lower one with P@10 and RBP",
            each(("P@10", "RBP(p=0.8)"), lambda o: tau["AP", o]),
            [tau["AP", o] < 0.9 for o in ("P@10", "RBP(p=0.8)")],
        ),
        (
            "MP tends not to have a tau above 0.90 with other measures",
            f"the largest is {max(with_others.values()):.3f}",
            [t <= 0.9 for t in with_others.values()],
        ),
        (
            "No tau of a variant with AP, P@10 or Rprec is below 0.70",
            f"the smallest is {tau[lowest]:.3f}, {lowest[0]} with {lowest[1]}",
            [tau[lowest] >= 0.7],
        ),
        (
            "MP tends to be more correlated with P@10, then with Rprec and AP",
            f"P@10 first for {', '.join(by_precision)}",
            [m in by_precision for m in MODELS],
        ),
        (
            "... with Bpref more than with RBP",
            f"not so for {', '.join(m for m in MODELS if tau[m, 'Bpref'] <= tau[m, 'RBP(p=0.8)'])}",
            [tau[m, "Bpref"] > tau[m, "RBP(p=0.8)"] for m in MODELS],
        ),
        (
            "@Rec raises tau with AP, often from low to high",
            f"at least {min(tau[f'{m}@Rec', 'AP'] for m in MODELS):.3f} then",
            [tau[f"{m}@Rec", "AP"] > tau[m, "AP"] for m in MODELS],
        ),
        (
            "... raises it with Rprec and Bpref",
            "",
            [tau[f"{m}@Rec", o] > tau[m, o] for m in MODELS for o in ("Rprec", "Bpref")],
        ),
        ("... lowers it with RBP", "", [tau[f"{m}@Rec", "RBP(p=0.8)"] < tau[m, "RBP(p=0.8)"] for m in MODELS]),
        (
            "GL_AD_LID@Rec and LO_AD_ID@Rec have a tau with AP between 0.97 and 1.00",
            each(close, lambda m: tau[m, "AP"]),
            [0.97 <= tau[m, "AP"] <= 1 for m in close],
        ),
        ("LO_AD_ID and LO_AD_LID rank alike", _difference(same), [same <= 1e-12]),
        ("Constant transition probabilities with @Rec give AP", _difference(exact), [exact <= 1e-12]),
        (
            "The means of MP fall when judgments are removed",
            "at every step",
            [bool((np.diff([1.0, *left[m]]) < 0).all()) for m in VARIANTS],
        ),
        (
            "... in a manner similar to AP and Rprec",
            f"with 10% of the judgments, {left['AP'][10]:.0%} of the mean of AP is left, {left['Rprec'][10]:.0%} of Rprec, "
            f"{min(left[m][10] for m in MODELS):.0%} to {max(left[m][10] for m in MODELS):.0%} of MP",
            [left["Rprec"][10] - CLOSE <= left[m][10] <= left["AP"][10] + CLOSE for m in MODELS],
        ),
        (
            "The means of P@10 and RBP fall more",
            f"{left['P@10'][10]:.0%} and {left['RBP(p=0.8)'][10]:.0%} are left",
            [steep < left[m][10] for m in ("AP", "Rprec", *VARIANTS)],
        ),
        (
            "The mean of Bpref tends to stay",
            f"{left['Bpref'].min():.0%} to {left['Bpref'].max():.0%} of it",
            [abs(share - 1) < CLOSE for share in left["Bpref"]],
        ),
        (
            "Bpref is almost always the most robust to removed judgments",
            "largest tau with its ranking by all",
            [robust("Bpref", level) > max(robust(m, level) for m in others) for level in levels],
        ),
        (
            "GL models perform comparably to AP",
            f"half of the judgments: AP {robust('AP'):.3f}, {each(gl, robust)}",
            [abs(robust(m) - robust("AP")) < CLOSE for m in gl],
        ),
        (
            "... with @Rec they consistently improve",
            "at every share",
            [robust(f"{m}@Rec", level) > robust(m, level) for m in gl for level in levels],
        ),
        (
            "... on TREC-8, GL@Rec outperform AP",
            each((f"{m}@Rec" for m in gl), robust),
            [robust(f"{m}@Rec") > robust("AP") for m in gl],
        ),
        (
            "... and come close to Bpref",
            f"Bpref {robust('Bpref'):.3f}",
            [abs(robust(f"{m}@Rec") - robust("Bpref")) < CLOSE for m in gl],
        ),
        (
            "GL_OR is a little more resilient than GL_AD",
            f"half of the judgments: {each(('GL_OR_ID', 'GL_AD_ID', 'GL_OR_LID', 'GL_AD_LID'), robust)}",
            [robust(m) > robust(m.replace("OR", "AD")) for m in recalled(gl[2:])],
        ),
        (
            "LID gives more robustness than ID (seen on TREC-7)",
            f"half of the judgments: more for {', '.join(logarithmic)}",
            [m in logarithmic for m in recalled((gl[1], gl[3]))],
        ),
        (
            "LO models are comparable to GL for AD",
            each(lo[:2], robust),
            [abs(robust(m) - robust(m.replace("LO", "GL"))) < CLOSE for m in recalled(lo[:2])],
        ),
        (
            "... and more affected for OR (seen on TREC-14)",
            each(lo[2:], robust),
            [robust(m) < robust(m.replace("LO", "GL")) for m in recalled(lo[2:])],
        ),
    ]


def holds(stated: Statement) -> bool:
    """Return whether a statement holds, for most of its parts."""
    return 2 * sum(stated[2]) > len(stated[2])


def table_of(stated: list[Statement]) -> str:
    """Return the table of statements, each with whether it holds, and for how many of its parts."""
    rows = []
    for said, found, so in stated:
        parts = "" if all(so) or len(so) == 1 else f" ({sum(so)} of {len(so)})"
        rows.append(f"| {said} | {found} | {'holds' if holds((said, found, so)) else 'does **not** hold'}{parts} |")
    return "\n".join(rows)


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
    cells = {
        column: [[f"{frame[column][m, keep]:.4f}" for keep in kept] for m in NAMES.values()] for column in _COLUMNS
    }
    head = ["measure", *(f"{what}, {keep:g}%" for what in _COLUMNS.values() for keep in kept)]
    rows = [[name, *of_tau, *means] for name, of_tau, means in zip(NAMES, *cells.values(), strict=True)]
    table = beside(page, "trec8_markov_precision_pool", head, rows)
    return _ROBUSTNESS.format(samples=SAMPLES, picture="trec8_markov_precision.svg", table=table)


def picture(pools: irmx_study.Result, path: Path, column: str, others: dict[str, str], label: str) -> None:
    """Draw a column by the share of the judgments: one panel per model, with and without recall, beside other measures."""
    frame, drops = pools.frame(), pools.frame("drops").drop_duplicates("measure").set_index("measure")
    panels = irmx.toolkit.grid_of_axes(9, 3, (8.4, 7.2), shared=True)
    figure = panels[0].figure
    for model, panel in zip(MODELS, panels, strict=True):
        lines = {model: (COLOURS[0], "o-"), f"{model}@Rec": (COLOURS[1], "s-")}
        for name, (colour, style) in (lines | {o: (GREYS[i], s) for i, (o, s) in enumerate(others.items())}).items():
            of_measure = frame[frame["measure"] == NAMES[name]]
            full = 1.0 if column == "tau" else float(drops["full_value"][NAMES[name]])
            shown = {model: "MP", f"{model}@Rec": "MP@Rec"}.get(name, name)
            look = {"color": colour, "markersize": 4, "label": shown}
            panel.plot([100, *of_measure["keep"]], [full, *of_measure[column]], style, **look)
        panel.set_title(model, fontsize="medium")
        panel.invert_xaxis() if model == MODELS[0] else None
    figure.legend(*panels[0].get_legend_handles_labels(), frameon=False, ncols=7, loc="outside upper center")
    figure.supxlabel("judgments kept, %")
    figure.supylabel(label)
    write_picture(figure, path)


def section(collection: Collection, scores: irmx.Scores, pools: irmx_study.Result) -> str:
    """Return the section in Markdown, and write its pictures and tables."""
    stated = statements(taus(scores), scores, pools)
    beside_page = collection.page.with_name
    few, label = {"AP": "--", "Bpref": ":"}, "tau with the ranking by all judgments"
    picture(pools, beside_page("trec8_markov_precision.svg"), "tau", few, label)
    every = {"AP": "--", "Rprec": "-.", "P@10": "--", "RBP(p=0.8)": "-.", "Bpref": ":"}
    picture(pools, beside_page("trec8_markov_precision_means.svg"), "mean_value", every, "mean over runs and topics")
    return "\n\n".join(
        [
            finding(scores, pools),
            agreement(scores, collection.page),
            robustness(pools, collection.page),
            _STATEMENTS.format(count=len(stated), holding=sum(map(holds, stated)), close=CLOSE, rows=table_of(stated)),
            f"Made by `{collection.command}`. `--qrels` and `--runs` give the section for other runs, `--every-topic` for those that\n"
            "retrieve documents for every topic, as in Ferrante, Ferro and Maistro, SIGIR 2014, Tables 2 and 3 and Figures 3 and 4;\n"
            "`irmx collection` prints their Table 1.",
        ]
    )


_AGREEMENT = """\
{table}

Kendall's tau-b between the rankings of {runs} runs by their means over {topics} topics (to 12 significant digits). Documents are in the
order of trec_eval, and unjudged documents are not relevant. If the means are rounded to
4 decimals first, as the paper's authors do, the largest change is {moved}
([all variants, rounded or not]({all})).\
"""


_ROBUSTNESS = """\
[Missing judgments](../guide/missing-judgments.md): of every topic's pool a part of the relevant documents and the same part of the others
is kept. Mean tau-b, over {samples} random samples, with the measure's own ranking by the full pool ([all means]({table})):

![Tau with the ranking by the full pool, of MP and MP@Rec by model, AP and Bpref.]({picture})

![Means by the share of the judgments, of MP and MP@Rec by model, and of the other measures.](trec8_markov_precision_means.svg)\
"""


_STATEMENTS = """\
The paper makes {count} statements about these measures on four collections, of which this is one. Here {holding} hold. One about several
models holds if it does for most; "close", "similar" and "comparable" are differences below {close} here, where the paper gives no number.

| The paper's statement | On these runs | |
| --- | --- | --- |
{rows}

The paper's last statement, that 21% of users' steps go backward, is about [clicks](clicks_and_sessions.md); for its values of
continuous time (Table 4) it needs its own log.\
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
