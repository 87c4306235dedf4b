"""The measures of irmx-trec, and those of irmx-cwl in ir_measures, beside the tools that compute them otherwise, value by value.

Writes a section of the page ``other_tools.md`` beside this file; ends with an error where a difference is larger than it may be. The
environment variable IRMX_DATA names the folder with the data; the page holds differences only, nothing of the data.
"""

from __future__ import annotations

import gzip
import os
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, product
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
from ir_measures import Measure, nDCG
from joblib import Parallel, delayed
from markdown_pages import beside, markdown, write_section

import irmx
from irmx_cwl.plugin import irmx_scorers as scorers_of_cwl
from irmx_trec.plugin import irmx_scorers as scorers_of_trec

PAGE = Path(__file__).with_name("other_tools.md")
Qrels = dict[str, dict[str, int]]
RunDict = dict[str, dict[str, float]]
Values = dict[tuple[str, str], float]
"""Values by measure and topic."""

SETTINGS: dict[str, tuple[Any, ...]] = {
    "cutoff": (None, 1, 10, 1000),
    "rel": (None, 1, 2),
    "judged_only": (None, True),
    "dcg": (None, "exp-log2"),
    "gains": (None, {1: 2, 2: 1, 3: 10}),
    "p": (None, 0.5, 0.95),
    "normalize": (None, False),
    "relative": (None, True),
    "beta": (None, 0.5, 3.0),
    "recall": (0.0, 0.1, 0.5, 1.0),
    "T": (None, 2.5),
    "max_rel": (4,),
}
"""What the parameters are set to, in all combinations; None stands for the default."""
PLAIN = "plain Python"
EXPONENTIAL = "pytrec_eval, gains 2^g - 1"
MAY_DIFFER = {
    "pytrec_eval": 1e-14,
    EXPONENTIAL: 1e-14,
    "gdeval": 5.01e-6,
    "judged": 0.0,
    "cwl_eval": 1e-12,
    "msmarco": 1e-14,
    "compat": 1e-12,
    PLAIN: 1e-12,
}
"""The references in the order in which they are asked, and the difference that is allowed; gdeval prints five decimals."""
DEEPEST_FOR_GDEVAL = 10
"""The last cutoff for which gdeval is asked, whose time grows with the documents; it sees no others."""
SLOW = ("compat", "cwl_eval")
"""References in loops of Python, which are asked for the first run of each batch."""
GRADES = np.array([-2, -1, 0, 0, 0, 1, 1, 2, 3, 4])
BATCH = 8


def settings() -> list[Measure]:
    """Return the measures of the plugins, in all combinations of the settings of their parameters."""
    measures = []
    for name in (scorer.NAME for scorer in (*scorers_of_trec(), *scorers_of_cwl())):
        measure = ir_measures.measures.registry[name]
        params = [param for param in SETTINGS if param in measure.SUPPORTED_PARAMS]
        for values in product(*(SETTINGS[param] for param in params)):
            changed = {p: v for p, v in zip(params, values, strict=True) if v is not None and v != measure[p]}
            if not all(measure.SUPPORTED_PARAMS[p].validate(value) for p, value in changed.items()):
                continue
            if all(p in changed for p, info in measure.SUPPORTED_PARAMS.items() if info.required):
                measures.append(measure(**changed) if changed else measure)
    return [*dict.fromkeys(measures)]


def references(measure: Measure) -> Iterator[tuple[str, Measure]]:
    """Yield the references of a measure, each with the measure that it is asked for."""
    if measure.NAME == "nDCG" and measure["dcg"] == "exp-log2":
        gains = SETTINGS["gains"][1] if "gains" in measure.params else {}
        rest = {p: v for p, v in measure.params.items() if p not in ("dcg", "gains")}
        yield EXPONENTIAL, nDCG(gains={g: 2 ** gains.get(g, g) - 1 for g in range(1, 5)}, **rest)
    if measure.NAME == "ERR":
        yield PLAIN, measure
    for name in MAY_DIFFER:
        provider = ir_measures.providers.registry.get(name)
        if provider is not None and provider.supports(measure):
            if name != "gdeval" or measure["cutoff"] <= DEEPEST_FOR_GDEVAL:
                yield name, measure
            return
    if measure.NAME in ("RBP", "RR", "NumRel"):
        yield PLAIN, measure


def in_order(run: RunDict) -> RunDict:
    """Return a run with distinct scores in trec_eval's order: by score in 32 bits, then by descending document id."""
    ordered = {q: sorted(docs, key=lambda doc: (np.float32(docs[doc]), doc)) for q, docs in run.items()}
    return {q: {doc: float(i) for i, doc in enumerate(docs, start=1)} for q, docs in ordered.items()}


class References:
    """The references of all measures, with the qrels converted once."""

    def __init__(self, measures: list[Measure], qrels: Qrels) -> None:
        self.asked = [(measure, *asked) for measure in measures for asked in references(measure)]
        self._qrels = qrels
        self._evaluators: list[tuple[str, dict[Measure, Measure], Any]] = []

        def alone(asked: tuple[Measure, str, Measure]) -> tuple[str, str]:
            # pytrec_eval's provider computes these with the judged_only or the gains of measures beside them
            _, name, measure = asked
            return name, f"{measure.NAME}, {measure.params.get('gains')}" if measure.NAME in ("nDCG", "NumRet") else ""

        for (name, _), group in groupby(sorted(self.asked, key=alone), alone):
            measure_of = {asked: measure for measure, _, asked in group}
            if name != PLAIN:
                provider = ir_measures.providers.registry[name.partition(",")[0]]
                self._evaluators.append((name, measure_of, provider.evaluator(list(measure_of), qrels)))

    def values(self, run: RunDict, with_slow: bool) -> dict[str, Values]:
        """Return the values of every reference, or of those that are not slow."""
        run = {topic: docs for topic, docs in run.items() if topic in self._qrels}
        resolved = in_order(run)
        top = {q: dict(sorted(docs.items(), key=lambda d: -d[1])[:DEEPEST_FOR_GDEVAL]) for q, docs in resolved.items()}
        seen_by = {"pytrec_eval": run, EXPONENTIAL: run, "gdeval": top}
        values: dict[str, Values] = {PLAIN: self._plainly(resolved)}
        for name, measure_of, evaluator in self._evaluators:
            if name in SLOW and not with_slow:
                continue
            metrics = evaluator.iter_calc(seen_by.get(name, resolved))
            values.setdefault(name, {}).update({(str(measure_of[m.measure]), m.query_id): m.value for m in metrics})
        return values

    def _plainly(self, run: RunDict) -> Values:
        measures = [measure for measure, name, _ in self.asked if name == PLAIN]
        largest = max(grade for judged in self._qrels.values() for grade in judged.values())
        values: Values = {}
        for topic, judged in self._qrels.items():
            ranked = sorted(run.get(topic, {}), key=lambda doc: -run[topic][doc])
            grades = [judged.get(doc) for doc in ranked]
            of_topic = [plainly(m, grades, [*judged.values()], largest) if ranked else 0.0 for m in measures]
            values |= {(str(m), topic): value for m, value in zip(measures, of_topic, strict=True)}
        return values


def plainly(measure: Measure, grades: list[int | None], judged: list[int], largest: int) -> float:
    """Return the value of a measure that no tool computes, from the grades in rank order, None for unjudged documents."""
    rel: int | None = measure.params.get("rel")
    least = rel or 1
    if measure.NAME == "NumRel":
        return sum(grade >= least for grade in judged)
    if measure.NAME == "RR":
        if measure["judged_only"]:
            grades = [grade for grade in grades if grade is not None and grade >= 0]
        ranks = (rank for rank, grade in enumerate(grades, 1) if grade is not None and grade >= least)
        first = next(ranks, 0)
        return 1 / first if 0 < first <= measure.params.get("cutoff", first) else 0.0
    if measure.NAME == "ERR":
        err, going_on = 0.0, 1.0
        for rank, grade in enumerate(grades[: measure.params.get("cutoff")], 1):
            stop = (2.0 ** max(grade or 0, 0) - 1) / 2 ** max(4, largest)
            err += going_on * stop / rank
            going_on *= 1 - stop
        return err
    p, value, seen = measure["p"], 0.0, 1.0
    for grade in grades[: measure.params.get("cutoff")]:
        if grade is not None and grade >= least:
            value += (1 - p) * seen * (1 if rel else grade / largest)
        seen *= p
    return value


@dataclass
class Tally:
    """How many values were compared, how many were equal to the bit, and the largest difference."""

    values: int = 0
    equal: int = 0
    largest: float = 0.0

    def add(self, other: Tally) -> None:
        self.values, self.equal = self.values + other.values, self.equal + other.equal
        self.largest = max(self.largest, other.largest)


Tallies = dict[tuple[str, str], Tally]
"""By measure and reference."""


def compared(runs: Iterable[Any], qrels: Any) -> Tallies:
    """Return the comparisons of runs, given as dicts or files, as are the qrels."""
    measures = settings()
    own = irmx.evaluator(measures, qrels, provider="irmx")
    others = References(measures, of_file(qrels, ir_measures.read_trec_qrels, "relevance"))
    tallies: Tallies = {}
    for i, run in enumerate(runs):
        ours = {(str(m), q): v for m, by_topic in own.values(run).items() for q, v in by_topic.items()}
        for reference, values in others.values(of_file(run, ir_measures.read_trec_run, "score"), i == 0).items():
            for (measure, topic), value in values.items():
                difference = abs(ours[measure, topic] - (0.0 if value != value else value))
                tally = tallies.setdefault((measure, reference), Tally())
                tally.add(Tally(1, difference == 0, difference))
    return tallies


def of_file(source: Any, read: Any, column: str) -> dict[str, dict[str, Any]]:
    """Return a TREC file as a dict of dicts, read by ir_measures; a dict as it is."""
    if isinstance(source, dict):
        return source
    table: dict[str, dict[str, Any]] = {}
    with gzip.open(source, "rt") if source.suffix == ".gz" else source.open() as file:
        for row in read(file):
            table.setdefault(row.query_id, {})[row.doc_id] = getattr(row, column)
    return table


def generated(seed: int) -> tuple[Qrels, RunDict]:
    """Return qrels and a run with ties, negative grades, topics missing on either side, and single documents."""
    random = np.random.default_rng(seed)
    qrels: Qrels = {}
    run: RunDict = {}
    for topic in map(str, range(1, 301)):
        judged, depth = random.integers(1, [40, 60]) if random.random() < 0.9 else (1, 1)
        pool = [f"d{i}" for i in random.permutation(80)]
        levels = random.choice([2, 5, 1000])
        scores = random.integers(-levels, levels, depth) + random.choice([0, 1e-9], depth)  # equal in 32 bits
        if random.random() < 0.9:
            grades = random.choice(GRADES, judged)
            grades[0] = max(grades[0], 0)  # pytrec_eval crashes on a topic whose grades are all negative
            qrels[topic] = dict(zip(pool, grades.tolist(), strict=False))
        if random.random() < 0.9:
            run[topic] = dict(zip(random.permutation(pool).tolist(), scores.tolist(), strict=False))
    return qrels, run


def collections(folder: Path, data: Path) -> Iterator[tuple[str, Any, list[Any]]]:
    """Yield batches of runs: the name of the collection, qrels, runs."""
    trec8 = data / "trec8_adhoc"
    with tarfile.open(trec8 / "runs_full_depth1000.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    runs = sorted((folder / "runs").iterdir())
    for start in range(0, len(runs), BATCH):
        yield "TREC-8", trec8 / "qrels.trec8.adhoc.401-450.txt.gz", runs[start : start + BATCH]
    for qrels in sorted((data / "web_diversity").glob("*/qrels.adhoc.txt.gz")):
        yield "web", qrels, sorted((qrels.parent / "runs").glob("*.run.gz"))
    for seed in range(20):
        made, run = generated(seed)
        yield "generated", made, [run]


def row_of(measure: Measure) -> str:
    """Return the form of a measure that has a row of its own."""
    if measure.NAME == "nDCG":
        forms = [f"dcg='{measure['dcg']}'"] * ("dcg" in measure.params) + ["gains=…"] * ("gains" in measure.params)
        return f"nDCG({','.join(forms)})" if forms else "nDCG"
    if measure.NAME == "RBP":
        return "RBP(rel=…)" if "rel" in measure.params else "RBP, graded"
    return "NumRelRet" if measure.NAME == "NumRet" and "rel" in measure.params else str(measure.NAME)


def section(found: dict[str, Tallies], counts: Counter[str]) -> str:
    """Return the section and write its table, from the comparisons by collection and the numbers of runs."""
    rows: dict[tuple[str, str], dict[str, Tally]] = {}
    number: Counter[tuple[str, str]] = Counter()
    measures = settings()
    for measure in measures:
        for reference, _ in references(measure):
            row = row_of(measure), reference
            number[row] += 1
            for name, tallies in found.items():
                rows.setdefault(row, {}).setdefault(name, Tally()).add(tallies[str(measure), reference])
    without = sorted({str(m) for m in measures if not [*references(m)]})
    table, equal = [], []
    for (form, reference), by_collection in rows.items():
        total = Tally()
        for tally in by_collection.values():
            total.add(tally)
        share = "all" if total.equal == total.values else f"{100 * total.equal / total.values:.2f}%"
        largest = [f"{by_collection[name].largest:.2g}" for name in found]
        table.append([f"`{form}`", reference, number[form, reference], total.values, share, *largest])
        equal += [f"`{form}`"] * (share == "all")
    head = [
        "measure",
        "reference",
        "settings",
        "values",
        "equal to the bit",
        *(f"largest difference, {n}" for n in found),
    ]
    return _TEXT.format(
        runs=", ".join(f"{counts[name]} {text}" for name, text in _COLLECTIONS.items()),
        total=sum(counts.values()),
        equal=", ".join(dict.fromkeys(equal)),
        rows=markdown(head[:2] + head[4:], [row[:2] + row[4:] for row in table if row[4] != "all"], 2),
        all=beside(PAGE, "trec_equality", head, table),
        settings="; ".join(f"`{k}` {', '.join(str(x) for x in v if x is not None)}" for k, v in SETTINGS.items()),
        without=f"Not compared, for want of a reference: {', '.join(without)}.\n" if without else "",
    )


_COLLECTIONS = {"TREC-8": "submitted to TREC-8 ad hoc", "web": "of the Web track", "generated": "generated ones"}
_TEXT = """\
irmx computes the same values of the classic measures as the standard tools, on every topic of {total} runs: {runs}. The generated
runs have ties, negative grades and missing topics. These are equal to the bit: {equal}. The others:

{rows}

[Every measure, reference and number of values]({all}). The settings combine the defaults with {settings}.
{without}
- **pytrec_eval** is trec_eval and gets the runs as they are. The other tools, which order ties in other ways, get the runs with
  distinct scores in the order of trec_eval. Where no judged document is retrieved, it returns NaN for `IPrec(judged_only=True)`, irmx 0.
- **gdeval** prints five decimals. In full precision `dcg='exp-log2'` is compared with nDCG of pytrec_eval with gains of 2^g - 1.
- **cwl_eval** and **compat** are slow, and were asked for one run in eight of TREC-8, one of each year of the Web track, and the generated ones.
- **plain Python** is a loop over the documents, for what no tool computes, such as graded RBP and RR of condensed lists, and for ERR in full precision.

Made by `IRMX_DATA=... python docs/results/trec_equality.py` from `trec8_adhoc` and `web_diversity`; it fails if a difference is larger than
rounding explains.
"""


def main() -> None:
    if "IRMX_DATA" not in os.environ:
        sys.exit("Set IRMX_DATA to the folder that holds trec8_adhoc and web_diversity.")
    found: dict[str, Tallies] = {name: {} for name in _COLLECTIONS}
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        batches = [*collections(Path(folder), Path(os.environ["IRMX_DATA"]).resolve())]
        done = Parallel(n_jobs=-1, return_as="generator")(delayed(compared)(runs, qrels) for _, qrels, runs in batches)
        for (name, _, runs), tallies in zip(batches, done, strict=True):
            counts[name] += len(runs)
            for key, tally in tallies.items():
                found[name].setdefault(key, Tally()).add(tally)
    write_section(PAGE, "Classic measures beside other tools", section(found, counts))
    too_far = [
        f"{measure} and {reference}, {name}: {tally.largest:g}"
        for name, tallies in found.items()
        for (measure, reference), tally in tallies.items()
        if tally.largest > MAY_DIFFER[reference]
    ]
    if too_far:
        sys.exit("Too large a difference:\n" + "\n".join(too_far))


if __name__ == "__main__":
    main()
