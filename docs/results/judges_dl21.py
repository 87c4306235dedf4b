"""LLM judges beside people on TREC DL 2021: labels, systems, significant pairs, who is favoured, and few labels of people.

Writes the page ``judges_dl21.md`` and the picture ``judges_dl21.svg`` beside this file. The environment variable IRMX_DATA names
the folder with the data; the page holds figures only, nothing of the data.
"""

from __future__ import annotations

import lzma
import os
import tarfile
import tempfile
import warnings
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from markdown_pages import beside, markdown

import irmx
import irmx_study
from irmx.toolkit import write_picture

PAGE = Path(__file__).with_suffix(".md")
LEXICAL = ("bm25", "trad")
"""What the names of the runs contain that say they do without a neural model."""

SAMPLES, LABELLED = 500, 18

NUGGETS = "nuggets_weighted"
"""One of the six kinds of nuggets stands for all; they share their labels."""


def unpacked(data: Path, folder: Path) -> dict[str, Path]:
    """Return the runs by name."""
    with tarfile.open(data / "runs_dl21_judged53.tar.xz") as archive:
        for member in archive:
            stream = archive.extractfile(member)
            if stream is not None:
                (folder / Path(member.name).name).write_bytes(stream.read())
    return {path.stem.removeprefix("input."): path for path in sorted(folder.glob("input.*.txt"))}


def judges_of(data: Path) -> dict[str, Path]:
    """Return the qrels by judge, people first."""
    paths = {path.name.partition(".")[0]: path for path in sorted((data / "qrels").glob("*.qrels.xz"))}
    kept = {name: path for name, path in paths.items() if "nuggets" not in name or name.endswith(NUGGETS)}
    return {"human_nist": kept.pop("human_nist"), **kept}


def rel_of(name: str) -> float:
    """Return from which grade on a judge's documents are relevant, for those whose scale says so."""
    return 1 if name.endswith("binary") else 2


def table_of_judges(result: irmx_study.Judges) -> str:
    """Return one row per judge: its labels and its systems, by nDCG@10, beside those of people."""
    labels, systems, groups = (
        table[table["judge_a"] == result.names[0]].set_index("judge_b")
        for table in (result.frame("pairs"), result.frame("systems"), result.frame("groups"))
    )
    groups = groups[groups["group"] == "lexical"]
    head = (
        "judge", "documents", "kappa", "alpha", "tau", "top 10", "max. drop", "recall", "precision", "favours BM25 by", "in ranks",
    )  # fmt: skip
    rows = []
    for name in systems.sort_values("tau", ascending=False).index:
        of, row, group = labels.loc[name], systems.loc[name], groups.loc[name]
        has_scale = name.endswith(("umbrela", "binary"))
        favour = f"{group['value_favour']:+.3f} [{group['value_low']:+.3f}, {group['value_high']:+.3f}]"
        ranks = f"{group['ranks_favour']:+.1f} [{group['ranks_low']:+.1f}, {group['ranks_high']:+.1f}]"
        numbers: list[Any] = [int(of["pairs"]), f"{of['kappa_binary']:.2f}" if has_scale else ""]
        numbers += [f"{of['alpha_ordinal']:.2f}", f"{row['tau']:.3f}", f"{row['tau_top']:.2f}", f"{row['max_drop']:g}"]
        numbers += [f"{row['recall']:.2f}", f"{row['precision']:.2f}" if row["precision"] == row["precision"] else ""]
        rows.append([name, *numbers, favour, ranks])
    beside(PAGE, "judges_dl21", head, rows)
    on_page = [
        head.index(name) for name in ("judge", "kappa", "tau", "max. drop", "recall", "precision", "favours BM25 by")
    ]
    return markdown([head[i] for i in on_page], [[row[i] for i in on_page] for row in rows])


def passes(path: Path) -> dict[str, dict[str, dict[str, int]]]:
    """Return the passes of a judge, each as qrels."""
    rows = pd.read_csv(path, sep=r"\s+", names=["topic", "q0", "doc", "grade"], dtype={"topic": str})
    number = rows.groupby(["topic", "doc"]).cumcount()
    return {
        f"pass {n + 1}": {topic: dict(zip(of["doc"], of["grade"], strict=True)) for topic, of in part.groupby("topic")}
        for n, part in rows.groupby(number)
    }


def published_taus(data: Path, runs: dict[str, Path]) -> list[list[Any]]:
    """Return the published taus of people's nDCG@10 with Compatibility under a judge: published, from published means, from the runs."""

    def means(path: Path) -> pd.Series[float]:
        with lzma.open(path, "rt") as file:
            table = pd.read_csv(file, dtype=str).set_index(["topic", "runid"])
        return table.loc["average"].iloc[:, 0].astype(float)

    folder = data / "published"
    with lzma.open(folder / "taus_compat_vs_ndcg10.csv.xz", "rt") as file:
        taus = pd.read_csv(file, names=["year", "judge", "tau"]).query("year == 'DL21'").set_index("judge")["tau"]
    people = means(folder / "dl21.ndcg_cut10.human.csv.xz")
    own = irmx.scores("nDCG@10", data / "qrels" / "human_nist.qrels.xz", runs).means().iloc[:, 0]
    files = {"original": "human_nist", "umbrela zeroshot": "gpt4o_umbrela", "exam binary": "gpt4o_exam_binary_mean"}
    rows = []
    for judge, tau in taus.items():
        compatibility = means(folder / "compatibility" / f"dl21.{judge.replace(' ', '_')}.compatibility.csv.xz")
        from_means = irmx_study.kendall_tau(people, compatibility.reindex(people.index))
        name = files.get(judge, f"gpt4o_{judge.replace(' ', '_')}")
        scores = irmx.scores(ir_measures.Compat(p=0.9), data / "qrels" / f"{name}.qrels.xz", runs)
        answered = [
            topic for topic, some in zip(scores.topics, (~scores.missing.any(axis=2)).any(axis=1), strict=True) if some
        ]
        from_runs = irmx_study.kendall_tau(own, scores.select(topics=answered).means().iloc[:, 0].reindex(own.index))
        rows.append([judge, tau, from_means, from_runs])
    texts = [[judge, *(f"{tau:.3f}" for tau in taus)] for judge, *taus in rows]
    beside(PAGE, "judges_dl21_published", ["judge", "published", "from published means", "from qrels and runs"], texts)
    return rows


def few_labels(scores: irmx.Scores, people: str, machines: list[str]) -> str:
    """Return how well the means by people are estimated from a third of the topics, alone and with a machine's labels."""
    human = scores.select(views=f"nDCG@10 judgments={people}").values[:, :, 0]
    best = int(human.mean(axis=0).argmax())
    rows = []
    for name in machines:
        machine = scores.select(views=f"nDCG@10 judgments={name}").values[:, :, 0]
        rng = np.random.default_rng(0)
        errors: list[list[float]] = []
        for _ in range(SAMPLES):
            order = rng.permutation(len(human))
            some, others = order[:LABELLED], order[LABELLED:]
            row: list[float] = []
            for y, f in ((human, machine), (human - human[:, [best]], machine - machine[:, [best]])):
                y, f = np.delete(y, best, axis=1), np.delete(f, best, axis=1)
                found = irmx_study.prediction_powered(y[some], f[some], f[others])
                truth = y.mean(axis=0)
                row += [
                    np.abs(found.human - truth).mean(),
                    np.abs(found.mean - truth).mean(),
                    np.median(found.topics_gained),
                ]
            errors.append(row)
        of = np.mean(errors, axis=0)
        rows.append([name, *(f"{of[c]:.4f}" if c % 3 < 2 else f"{of[c]:.1f}" for c in range(6))])
    head = [
        "judge",
        "error, people alone",
        "calibrated",
        "topics gained",
        "of differences, people alone",
        "calibrated",
        "topics gained",
    ]
    beside(PAGE, "judges_dl21_few_labels", head, rows)
    return markdown(head[:4], [row[:4] for row in rows])


TEXT = """# Judges of TREC DL 2021

Do LLMs rank systems as people do? {best} ranks the {runs} official runs most like people at NIST, who judged {pairs:,} documents of
{topics} topics of the passage task. GPT-4, GPT-4o and Llama 3.2 judged them as relevant or not (`binary`), by four grades (`umbrela`), rubrics
(`exam`), nuggets and preferences. By nDCG@10, `irmx judges` finds:

{judges}

- `kappa` is Cohen's kappa of relevant or not, where the scale says what is relevant. `max. drop` is by how many ranks a run falls
  at most.
- `recall` is the share of the {all_pairs:,} pairs of runs significant by people (t test, Holm) that are significant by the judge in the
  same order, `precision` the reverse.
- The last column is what the judge gives the {lexical} runs with BM25 or traditional in their names more than people do, less what it gives the others, with
  the interval over topics.

[Every column](judges_dl21.csv) includes documents judged by both, alpha, tau among the top 10, and ranks. Documents that a judge did not
judge count as non-relevant: `nuggets_weighted` of Llama 3.2 and `preferences` cover few.

Of the judges that judged nearly all documents, tau with people lies between {low:.2f} and {high:.2f}, and kappa between {kappa_low:.2f} and
{kappa_high:.2f}: low agreement on labels can go with high agreement on systems. Of the pairs of runs that are significant by people and
by such a judge, {opposite} are in opposite orders; recall lies between {recall_low:.2f} and {recall_high:.2f}. {favours} give the runs with BM25
more than people do, with an interval above 0, and {disfavours} less; in ranks, {favours_ranks} does.

![Kappa against tau](judges_dl21.svg)

## A judge and itself

`llama32_umbrela` judged everything four times. Quadratic kappa between two passes is {self_low:.2f} to {self_high:.2f}, and with people
{people_low:.2f} to {people_high:.2f}. The tau of the four leaderboards with people's lies between {pass_low:.3f} and {pass_high:.3f}, so that one
pass says little ([all pairs of passes](judges_dl21_itself.csv)).

## Few labels of people

How well do labels of people on {labelled} topics (drawn {samples} times) and labels of a machine on all estimate the mean nDCG@10 by people? The
error is the mean over runs and draws; "topics gained" is how many topics with labels of people the machine is worth. [The same for
differences to the best run](judges_dl21_few_labels.csv).

{few}

## Published taus

From the published means, irmx has the published taus between people's nDCG@10 and Compatibility (p = 0.9) under each judge of GPT-4o. From
qrels and runs, tau differs by up to {off_grades:.3f}, for nuggets by up to {off_nuggets:.3f}: their labels cover {nugget_pairs:,} of the
documents ([all](judges_dl21_published.csv)).

Made by `IRMX_DATA=... python docs/results/judges_dl21.py` from labels and runs of
[a comparison of LLM judges](https://github.com/Narabzad/llm-relevance-judgement-comparison).
"""


def main() -> None:
    """Compute everything, and write the page, its picture and its tables."""
    data = Path(os.environ["IRMX_DATA"]).resolve() / "judges_dl21"
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore", irmx.DataWarning)  # topics of other years
        runs, judges = unpacked(data, Path(name)), judges_of(data)
        groups = {run: "lexical" if any(word in run for word in LEXICAL) else "neural" for run in runs}
        rel = {name: rel_of(name) for name in judges}
        result = irmx_study.judges(judges, runs=runs, measures="nDCG@10", rel=rel, groups=groups)
        table = table_of_judges(result)
        with_scale = [name for name in judges if name.endswith(("umbrela", "_binary", "nist"))]
        scaled = {name: judges[name] for name in with_scale}
        picture = irmx_study.judges(scaled, runs=runs, measures="nDCG@10", rel={name: rel[name] for name in scaled})
        write_picture(picture.plot("kappa").figure, str(PAGE.with_suffix(".svg")))
        of_passes = {"human_nist": judges["human_nist"], **passes(judges["llama32_umbrela"])}
        repeated = irmx_study.judges(of_passes, runs=runs, measures="nDCG@10", rel=2)
        scores: Any = picture.scores
        few = few_labels(scores, "human_nist", with_scale[1:])
        published = published_taus(data, runs)
    rows = repeated.frame("pairs")
    beside(
        PAGE,
        "judges_dl21_itself",
        ["", "", "equal grades", "kappa, quadratic", "alpha, ordinal", "tau by nDCG@10"],
        [
            [
                row["judge_a"],
                row["judge_b"],
                *(f"{row[c]:.3f}" for c in ("agreement", "kappa_quadratic", "alpha_ordinal", "tau")),
            ]
            for row in rows.to_dict("records")
        ],
    )
    labels, groups_table, of_scale = result.frame("pairs"), result.frame("groups"), picture.frame("pairs")
    labels, of_scale, lexical = (of[of["judge_a"] == "human_nist"] for of in (labels, of_scale, groups_table))
    systems = labels[labels["pairs"] > 0.97 * labels["pairs"].max()].merge(
        result.frame("systems")[["judge_a", "judge_b", "topics", "recall"]], on=["judge_a", "judge_b"]
    )
    lexical = lexical[(lexical["group"] == "lexical") & lexical["judge_b"].isin(systems["judge_b"])]
    by_people = rows["judge_a"] == "human_nist"
    with_people, with_itself = rows[by_people], rows[~by_people]
    favoured = {kind: int((lexical[f"{kind}_low"] > 0).sum()) for kind in ("value", "ranks")}
    against = int((lexical["value_high"] < 0).sum())
    off = {judge: abs(round(tau, 3) - round(from_runs, 3)) for judge, tau, _, from_runs in published}
    opposite = int(systems["active_disagreement"].sum())
    best = systems.sort_values("tau").iloc[-1]["judge_b"]
    nugget = labels[labels["judge_b"] == f"gpt4o_{NUGGETS}"]
    PAGE.write_text(
        TEXT.format(
            pairs=int(result.labels["human_nist"].notna().sum()), topics=int(systems["topics"].max()), runs=len(runs), judges=table,
            all_pairs=len(runs) * (len(runs) - 1) // 2,
            lexical=sum(group == "lexical" for group in groups.values()), best=f"`{best}`", low=systems["tau"].min(), high=systems["tau"].max(),
            kappa_low=of_scale["kappa_binary"].min(), kappa_high=of_scale["kappa_binary"].max(),
            opposite=opposite or "none", recall_low=systems["recall"].min(),
            recall_high=systems["recall"].max(), pass_low=with_people["tau"].min(), pass_high=with_people["tau"].max(),
            self_low=with_itself["kappa_quadratic"].min(), self_high=with_itself["kappa_quadratic"].max(),
            people_low=with_people["kappa_quadratic"].min(), people_high=with_people["kappa_quadratic"].max(),
            favours=f"{favoured['value']} of these {len(lexical)} judges", disfavours=against or "none", favours_ranks=favoured["ranks"] or "none", labelled=LABELLED,
            samples=SAMPLES, few=few, off_grades=max(o for j, o in off.items() if "nuggets" not in j),
            off_nuggets=max(o for j, o in off.items() if "nuggets" in j), nugget_pairs=int(nugget["pairs"].iloc[0]),
        ),
        encoding="utf-8",
    )  # fmt: skip


if __name__ == "__main__":
    main()
