"""Which stopping law of Normalised Cumulative Precision explains which measure, on a collection of runs.

Writes a section of the page ``markov_and_ncp.md`` beside this file, about the 129 runs of TREC-8 ad hoc, or about other runs that are given as
arguments. The page holds correlations and differences only, nothing of the data.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from given_collection import Collection, given_collection
from markdown_pages import beside, markdown

import irmx
import irmx_study
from irmx.ragged import Array
from irmx_study.statistics.ranks import kendall_taus

GEOMETRIC = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
ZIPF = (0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0)
FIRST_OF = (2, 3, 4, 5, 7, 10, 15, 20, 30, 50)
FAMILIES = {
    "geometric": {f"geometric, p = {p}": f"NCP(law=geometric(p={p}))" for p in GEOMETRIC},
    "zipf": {f"zipf, s = {s}": f"NCP(law=zipf(s={s}))" for s in ZIPF},
    "first k": {f"first {k}": f"NCP(law=table(p=[{','.join('1' * k)}]))" for k in FIRST_OF},
}
"""The stopping laws with a parameter, by family; in the last one, each of the first k relevant documents is as likely."""
LAWS = {
    "uniform": "NCP(law=uniform)",
    "first": "NCP(law=first)",
    **{name: law for family in FAMILIES.values() for name, law in family.items()},
}
OTHERS = {
    **{name: name for name in ("AP", "RR", "P@5", "P@10", "P@20", "Rprec", "Bpref", "nDCG", "nDCG@10")},
    **{f"RBP(p={p})": f"RBP(rel=1,p={p})" for p in (0.5, 0.8, 0.95)},
    "R@1000": "R@1000",
}
SAME = {
    "NCP(law=uniform)": "AP",
    "NCP(law=zipf(s=0))": "AP",
    "NCP(law=by_document), all equal": "AP",
    "NCP(law=first)": "RR",
    "NCP(law=geometric(p=1))": "RR",
    "NCP(law=table(p=[1]))": "RR",
}
"""What must be equal, value for value."""
NEAR = {"NCP(law=geometric(p=0.000001))": "AP", "NCP(law=zipf(s=50))": "RR"}
"""Limits of the parameters."""
BY_DOCUMENT = "NCP(law=by_document), all equal"
MEASURES = list(
    dict.fromkeys([*LAWS.values(), *OTHERS.values(), *(law for law in (*SAME, *NEAR) if law != BY_DOCUMENT)])
)
SAMPLES = 1000


# -- numbers -----------------------------------------------------------------------------------------------


def taus(scores: irmx.Scores) -> pd.DataFrame:
    """Return tau-b of the rankings of the runs by all laws (rows) with those by the other measures (columns)."""
    chosen = scores.select(measures=[*LAWS.values(), *OTHERS.values()])
    return _laws_by_others(irmx_study.comparable_means(chosen))


def _laws_by_others(means: Array) -> pd.DataFrame:
    return pd.DataFrame(kendall_taus(means)[: len(LAWS), len(LAWS) :], index=list(LAWS), columns=list(OTHERS))


def resampled(scores: irmx.Scores, samples: int = SAMPLES) -> Array:
    """Return the same for samples of topics, as (samples, laws, others)."""
    values = np.stack([scores[measure] for measure in (*LAWS.values(), *OTHERS.values())], axis=2)
    generator = np.random.default_rng(0)
    topics = len(values)
    weights = generator.multinomial(topics, np.full(topics, 1 / topics), size=samples) / topics
    return np.stack([_laws_by_others(np.tensordot(w, values, 1).round(12)).to_numpy() for w in weights])


def by_document(collection: Collection, scores: irmx.Scores) -> Array:
    """Return the values of NCP under the law by document, with the same probability for all documents of a topic."""
    judgments = [
        (topic, doc, grade, 1.0)
        for topic, docs in irmx.read_qrels(collection.qrels).as_dict().items()
        for doc, grade in docs.items()
    ]
    qrels = pd.DataFrame(judgments, columns=["query_id", "doc_id", "relevance", "stop_probability"])
    runs = {name: collection.runs[name] for name in scores.systems}
    found = irmx.scores("NCP(law=by_document)", qrels, runs, jobs=collection.jobs)
    return found.select(topics=scores.topics)["NCP(law=by_document)"]


def differences(scores: irmx.Scores, equal: Array) -> dict[tuple[str, str], float]:
    """Return the largest absolute difference, over all runs and topics, of every pair of SAME and NEAR."""
    values = {law: equal if law == BY_DOCUMENT else scores[law] for law in (*SAME, *NEAR)}
    return {(law, other): float(np.abs(values[law] - scores[other]).max()) for law, other in {**SAME, **NEAR}.items()}


# -- the page ----------------------------------------------------------------------------------------------


def identities(found: dict[tuple[str, str], float]) -> str:
    """Return which laws equal which measure, and by how much the others differ."""
    equal: dict[str, list[str]] = {}
    for (law, other), largest in found.items():
        if largest <= 1e-12:
            equal.setdefault(other, []).append(f"`{law}`" if law in MEASURES else law)
    near = [f"`{law}` differs from {other} by up to {d:.1e}" for (law, other), d in found.items() if d > 1e-12]
    return "; ".join([*(f"{other}: {', '.join(laws)}" for other, laws in equal.items()), *near])


def best_of_families(tau: pd.DataFrame, samples: Array) -> str:
    """Return, for every measure, the best law of each family, and how often a law of the family of the best is best."""
    number = {law: i for i, law in enumerate(LAWS)}
    families = {"uniform": ["uniform"], "first": ["first"], **{family: list(laws) for family, laws in FAMILIES.items()}}
    rows = []
    for column, measure in enumerate(OTHERS):
        best = {family: tau.loc[laws, measure].idxmax() for family, laws in families.items()}
        sampled = {f: samples[:, [number[law] for law in laws], column].max(axis=1) for f, laws in families.items()}
        family = max(best, key=lambda f: tau.loc[best[f], measure])
        wins = np.all([sampled[family] >= values for values in sampled.values()], axis=0).mean()
        beats = (samples[:, number[best[family]], column] > samples[:, number["uniform"], column]).mean()
        parameters = [f"{name.split()[-1]}: " if " " in name else "" for name in best.values()]
        cells = [f"{p}{tau.loc[name, measure]:.3f}" for p, name in zip(parameters, best.values(), strict=True)]
        rows.append([measure, *cells, f"{wins:.0%}", "" if family == "uniform" else f"{beats:.0%}"])
    head = [
        "measure",
        "uniform (AP)",
        "first (RR)",
        "geometric, p",
        "zipf, s",
        "first k, k",
        "best family",
        "beats uniform",
    ]
    return markdown(head, rows)


def findings(tau: pd.DataFrame) -> dict[str, str]:
    """Return what the text says of the correlations."""
    best = tau.idxmax()
    geometric, first_k = tau.loc[list(FAMILIES["geometric"])], tau.loc[list(FAMILIES["first k"])]
    rbp, depths = [measure for measure in OTHERS if measure.startswith("RBP")], ("P@5", "P@10", "P@20")
    fall = ("Rprec", "Bpref", "nDCG")
    return {
        "depths": ", ".join(f"{first_k[m].idxmax().split()[-1]} for {m}" for m in depths),
        "rbp": ", ".join(f"{geometric[m].idxmax().split()[-1]} for {m}" for m in rbp),
        "fall": ", ".join(f"{tau[m].max() - tau.loc['uniform', m]:.3f} for {m} ({best[m]})" for m in fall),
        "recall": f"{tau['R@1000'].max():.3f}",
    }


def section(collection: Collection, scores: irmx.Scores, equal: Array) -> str:
    """Return the section in Markdown, and write its table."""
    tau = taus(scores)
    rows = [[law, *(f"{t:.3f}" for t in values)] for law, values in zip(tau.index, tau.to_numpy(), strict=True)]
    return _PAGE.format(
        command=collection.command,
        runs=len(scores.systems),
        topics=len(scores.topics),
        laws=len(LAWS),
        equal=identities(differences(scores, equal)),
        best=best_of_families(tau, resampled(scores)),
        all=beside(collection.page, "trec8_ncp_laws", ["law", *OTHERS], rows),
        samples=f"{SAMPLES:,}",
        **findings(tau),
    )


_PAGE = """\
NCP equals AP if the user is equally likely to stop at each relevant document, and RR if the user stops at the first. P@k fits
users who are equally likely to stop at each of the first few relevant documents: {depths}.

{best}

NCP is the expected precision for a user who stops, satisfied, at a relevant document (Robertson, SIGIR 2008); the
[stopping law](../guide/ncp.md) says at which. Cells are Kendall's tau-b between the rankings of {runs} runs by their means over {topics}
topics, under the best law of each family and its parameter; "first k" stops at each of the first k relevant documents with the same
probability. The last two columns are shares of {samples} samples of the topics: how often the best law's family is at least as close as any
other, and how often the best law is closer than the uniform one. [All {laws} laws]({all}).

- Value for value equal to {equal}.
- The best p of geometric laws is {rbp}. RBP's user stops with probability 1 - p at any rank, the law's user at relevant documents only.
- Rprec, Bpref and nDCG have nearly the uniform law: the best law is closer by {fall}.
- No law comes close to R@1000 (at most {recall}): recall counts a document the same wherever it is.

Made by `{command}`.
"""


def main() -> None:
    with given_collection(__file__, "markov_and_ncp.md", "Stopping laws of NCP beside other measures.") as collection:
        scores = collection.scores(MEASURES)
        collection.write(
            f"Stopping laws of NCP on {collection.name}", section(collection, scores, by_document(collection, scores))
        )


if __name__ == "__main__":
    main()
