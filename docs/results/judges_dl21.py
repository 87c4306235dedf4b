"""LLM judges beside people on TREC DL 2021: labels, systems, significant pairs, who is favoured, and few labels of people.

Writes the page ``judges_dl21.md`` and the picture ``judges_dl21.svg`` beside this file. The environment variable IRMX_DATA names
the folder with the data; the page holds figures only, nothing of the data.
"""

from __future__ import annotations

import lzma
import os
import tarfile
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from markdown_pages import markdown

import irmx
import irmx_study
from irmx.toolkit import write_picture

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
        numbers += [f"{of['alpha_ordinal']:.2f}", f"{row['tau']:.3f}", f"{row['tau_top']:.2f}", int(row["max_drop"])]
        numbers += [f"{row['recall']:.2f}", f"{row['precision']:.2f}" if row["precision"] == row["precision"] else ""]
        rows.append([name, *numbers, favour, ranks])
    return markdown(head, rows)


def passes(path: Path) -> dict[str, dict[str, dict[str, int]]]:
    """Return the passes of a judge, each as qrels."""
    rows = pd.read_csv(path, sep=r"\s+", names=["topic", "q0", "doc", "grade"], dtype={"topic": str})
    number = rows.groupby(["topic", "doc"]).cumcount()
    return {
        f"pass {n + 1}": {topic: dict(zip(of["doc"], of["grade"], strict=True)) for topic, of in part.groupby("topic")}
        for n, part in rows.groupby(number)
    }


def published_taus(data: Path, runs: dict[str, Path]) -> str:
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
        answered = [topic for topic, some in zip(scores.topics, scores.retrieved.any(axis=1), strict=True) if some]
        from_runs = irmx_study.kendall_tau(own, scores.select(topics=answered).means().iloc[:, 0].reindex(own.index))
        rows.append([judge, f"{tau:.3f}", f"{from_means:.3f}", f"{from_runs:.3f}"])
    return markdown(["judge", "published", "from published means", "from qrels and runs"], rows)


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
    return markdown(head, rows)


PAGE = """# Judges of TREC DL 2021

Do LLMs rank systems as people do? People at NIST judged {pairs:,} documents of {topics} topics of the passage task of TREC DL 2021, and
GPT-4, GPT-4o and Llama 3.2 judged the same documents in several ways: relevant or not (`binary`), four grades (`umbrela`), rubrics
(`exam`), nuggets and preferences. `irmx judges` compares them on the {runs} official runs. Labels and runs are from [a
comparison of LLM judges](https://github.com/Narabzad/llm-relevance-judgement-comparison); `python docs/results/judges_dl21.py` makes
this page in {seconds:.0f} seconds.

## Labels and systems

Every judge beside people, by nDCG@10, from the largest tau of the two leaderboards:

{judges}

* `documents` is how many documents both judged. A document that the judge did not judge counts as non-relevant in its leaderboard.
* `kappa` is Cohen's kappa of relevant or not, from grade 2 on, for the binary judges from 1; only where a scale says what is
  relevant. `alpha` is the ordinal alpha of Krippendorff, which compares grades in value: judges on another scale have a low one.
* `top 10` is tau among the ten best runs by people; `max. drop` by how many ranks a run falls at most.
* `recall` and `precision` are about the {all_pairs:,} pairs of runs, tested by the t test with Holm's correction: the share of pairs
  significant by people that are significant by the judge, in the same order, and the reverse.
* The last columns are what the judge gives the {lexical} runs whose names say BM25 or traditional more than people do, less what it
  gives the others, with intervals over topics.

{best} ranks the runs most like people. Of the judges that judged nearly all documents, tau with people lies between {low:.2f} and
{high:.2f}, and kappa, where there is one, between {kappa_low:.2f} and {kappa_high:.2f}: low agreement on labels can go with high
agreement on systems. Of the pairs of runs that are significant by people and by such a judge, {opposite} are in opposite orders. Judges
differ in which pairs they find significant: recall lies between {recall_low:.2f} and {recall_high:.2f}. {favours} give the runs with
BM25 more than people do, with an interval above 0, and {disfavours} less. In ranks, {favours_ranks} does:
under a generous judge, weak runs have the most room to gain in value.

![Kappa against tau](judges_dl21.svg)

## A judge and itself

`llama32_umbrela` judged everything four times.

{itself}

Between two passes, quadratic kappa is {self_low:.2f} to {self_high:.2f}, and with people {people_low:.2f} to {people_high:.2f}: a judge
that agrees so little with itself cannot agree much with others. The four leaderboards have a tau with people's between {pass_low:.3f}
and {pass_high:.3f}, so that one pass says little about such a judge.

## Few labels of people

{labelled} of the topics, drawn {samples} times, have labels of people, and all have those of a machine. How far is the mean nDCG@10 of a run
from the one by people on all topics, on average over runs and draws, and how many topics with labels of people is the machine worth?
The same for the differences to the best run.

{few}

## Published taus

The comparison reports Kendall's tau between the means of people's nDCG@10 and of Compatibility (p = 0.9) under each judge of GPT-4o:

{published}

From the published means, irmx has the published numbers. From qrels and runs, tau differs by up to {off_grades:.3f}, for nuggets by up
to {off_nuggets:.3f}: their labels here cover {nugget_pairs:,} of the documents.
"""


def main() -> None:
    """Compute everything and write the page."""
    data, start = Path(os.environ["IRMX_DATA"]).resolve() / "judges_dl21", time.perf_counter()
    here = Path(__file__)
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
        write_picture(picture.plot("kappa").figure, str(here.with_suffix(".svg")))
        of_passes = {"human_nist": judges["human_nist"], **passes(judges["llama32_umbrela"])}
        repeated = irmx_study.judges(of_passes, runs=runs, measures="nDCG@10", rel=2)
        scores: Any = picture.scores
        few = few_labels(scores, "human_nist", with_scale[1:])
        published = published_taus(data, runs)
    rows = repeated.frame("pairs")
    itself = markdown(
        ["", "", "equal grades", "kappa, quadratic", "alpha, ordinal", "tau by nDCG@10"],
        [
            [
                row["judge_a"],
                row["judge_b"],
                *(f"{row[c]:.3f}" for c in ("agreement", "kappa_quadratic", "alpha_ordinal", "tau")),
            ]
            for row in rows.to_dict("records")
        ],
        texts=2,
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
    numbers = [[float(cell) for cell in line.split("|")[2:5]] for line in published.splitlines()[2:]]
    off = {
        line.split("|")[1].strip(): abs(n[0] - n[2])
        for line, n in zip(published.splitlines()[2:], numbers, strict=True)
    }
    opposite = int(systems["active_disagreement"].sum())
    best = systems.sort_values("tau").iloc[-1]["judge_b"]
    nugget = labels[labels["judge_b"] == f"gpt4o_{NUGGETS}"]
    here.with_suffix(".md").write_text(
        PAGE.format(
            pairs=int(result.labels["human_nist"].notna().sum()), topics=int(systems["topics"].max()), runs=len(runs), judges=table,
            seconds=time.perf_counter() - start, all_pairs=len(runs) * (len(runs) - 1) // 2,
            lexical=sum(group == "lexical" for group in groups.values()), best=f"`{best}`", low=systems["tau"].min(), high=systems["tau"].max(),
            kappa_low=of_scale["kappa_binary"].min(), kappa_high=of_scale["kappa_binary"].max(),
            opposite=opposite or "none", recall_low=systems["recall"].min(),
            recall_high=systems["recall"].max(), itself=itself, pass_low=with_people["tau"].min(), pass_high=with_people["tau"].max(),
            self_low=with_itself["kappa_quadratic"].min(), self_high=with_itself["kappa_quadratic"].max(),
            people_low=with_people["kappa_quadratic"].min(), people_high=with_people["kappa_quadratic"].max(),
            favours=f"{favoured['value']} of these {len(lexical)} judges", disfavours=against or "none", favours_ranks=favoured["ranks"] or "none", labelled=LABELLED,
            samples=SAMPLES, few=few, published=published, off_grades=max(o for j, o in off.items() if "nuggets" not in j),
            off_nuggets=max(o for j, o in off.items() if "nuggets" in j), nugget_pairs=int(nugget["pairs"].iloc[0]),
        ),
        encoding="utf-8",
    )  # fmt: skip


if __name__ == "__main__":
    main()
