"""Benchmark of comparisons: all pairs of 129 systems over 50 topics, by every test, and the command on the runs of TREC-8.

    python tests/benchmarks/compare.py [--write] [--quick]

The values are made from a fixed seed. Peers are the loops over pairs that one writes with scipy, and ranx where it is
installed. The command needs the variable IRMX_DATA, the folder with the TREC-8 runs. Nothing here is a test.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from run import trec8_files
from scipy import stats
from statsmodels.stats.multitest import multipletests
from timing import Made, in_turns, program, shown, table

import irmx
import irmx_study

SYSTEMS, TOPICS = 129, 50
FEW = 20
"""So many systems where all of them would take a peer minutes."""


def synthetic(topics: int, systems: int) -> irmx.Scores:
    """Return scores of systems that differ, on topics that differ more, from a fixed seed."""
    rng = np.random.default_rng(14)
    means = rng.normal(0, 1.5, (topics, 1)) + np.linspace(-0.6, 0.6, systems)
    values = 1 / (1 + np.exp(-means - rng.normal(0, 0.7, (topics, systems))))
    topic_ids, system_ids = (
        tuple(f"{kind}{i}" for i in range(count)) for kind, count in (("topic", topics), ("system", systems))
    )
    return irmx.Scores(
        values[:, :, None], topic_ids, system_ids, (irmx.parse_measure("AP"),), np.ones(values.shape, dtype=bool)
    )


def every_pair(scores: irmx.Scores, **how: Any) -> Callable[[], Any]:
    """Return a job that compares all pairs."""
    return lambda: irmx_study.compare(scores, all_pairs=True, progress=False, **how)


def all_pairs(rounds: int) -> Iterator[list[str]]:
    """Yield a row per test of all pairs of 129 systems, with the loop that one writes with scipy."""
    scores, few = synthetic(TOPICS, SYSTEMS), synthetic(TOPICS, FEW)
    pairs, pairs_of_few = SYSTEMS * (SYSTEMS - 1) // 2, FEW * (FEW - 1) // 2
    columns, columns_of_few = scores["AP"].T, few["AP"].T

    def t_tests() -> Any:
        return multipletests([stats.ttest_rel(a, b).pvalue for a, b in combinations(columns, 2)], method="holm")

    def wilcoxon() -> Any:
        return [stats.wilcoxon(a, b).pvalue for a, b in combinations(columns_of_few, 2)]

    def permutations() -> Any:
        def mean(differences: Any, axis: int) -> Any:
            return differences.mean(axis=axis)

        differences = (columns[0] - columns[1],)
        return stats.permutation_test(differences, mean, permutation_type="samples", n_resamples=9999, vectorized=True)

    def bca() -> Any:
        return stats.bootstrap((columns[0] - columns[1],), np.mean, n_resamples=10_000, method="BCa")

    def tukey() -> Any:
        return stats.tukey_hsd(*columns_of_few)

    jobs: list[tuple[str, str, dict[str, Any], str, Callable[[], Any] | None, int]] = [
        ("t tests, Holm", "0.5 s", {}, "scipy and statsmodels, a loop", t_tests, pairs),
        ("Wilcoxon's tests, Holm", "", {"test": "wilcoxon"}, f"scipy, a loop, {FEW} systems", wilcoxon, pairs_of_few),
        ("permutation tests, 10,000 draws", "8 s", {"test": "permutation"}, "scipy, one pair", permutations, 1),
        ("t tests, maxT, 10,000 draws", "", {"correction": "maxt"}, "", None, 0),
        ("t tests, BCa intervals, 10,000 draws", "", {"interval": "bca"}, "scipy, one pair", bca, 1),
        ("Tukey's test, two-way", "1 s", {"test": "tukey"}, f"scipy, one-way, {FEW} systems", tukey, pairs_of_few),
        ("randomised Tukey's test, 10,000 draws", "20 s", {"test": "randomised-tukey"}, "", None, 0),
    ]
    for what, wanted, how, peer, loop, compared in jobs:
        own, *others = in_turns(every_pair(scores, **how), *([loop] if loop else []), rounds=rounds)
        yield [what, shown(own), wanted, shown(own / pairs), peer, *(shown(each / compared) for each in others)]


def many_topics(rounds: int) -> Iterator[list[str]]:
    """Yield rows of few systems over as many topics as MS MARCO has."""
    scores = synthetic(7000, FEW)
    pairs = FEW * (FEW - 1) // 2
    for what, how in (("t tests, Holm", {}), ("permutation tests, 10,000 draws", {"test": "permutation"})):
        [own] = in_turns(every_pair(scores, **how), rounds=rounds)
        yield [f"{what}, {FEW} systems, 7,000 topics", shown(own), "", shown(own / pairs), ""]


def against_ranx(rounds: int) -> Iterator[list[str]]:
    """Yield the t tests of ranx' compare, with its counts of wins, on values that are known."""
    if not importlib.util.find_spec("ranx"):
        print("ranx is not installed: left out", file=sys.stderr)
        return
    from ranx.statistical_tests import compute_statistical_significance

    scores = synthetic(TOPICS, FEW)
    by_name = {name: {"map": values} for name, values in zip(scores.systems, scores["AP"].T, strict=True)}

    def ranx() -> Any:
        return compute_statistical_significance(list(by_name), by_name, "student", max_p=0.05)

    own, other = in_turns(every_pair(scores, correction="none"), ranx, rounds=rounds)
    pairs = FEW * (FEW - 1) // 2
    yield [f"t tests, {FEW} systems", shown(own), "", shown(own / pairs), "ranx", shown(other / pairs)]


def commands(data: Path, rounds: int) -> Iterator[list[str]]:
    """Yield the command on 2 runs and on all 129 runs of TREC-8, from start to end."""
    with TemporaryDirectory() as scratch:
        qrels, runs = trec8_files(data, scratch)
        program = [str(Path(sys.executable).with_name("irmx"))]

        def job(name: str, paths: list[Path], *words: str) -> Callable[[], Any]:
            arguments = [*program, name, str(qrels), *map(str, paths), "AP", "P@10", *words]
            return lambda: subprocess.run(arguments, check=True, capture_output=True)

        for count, words in ((2, ()), (len(runs), ("--all-pairs", "-o", "csv"))):
            own, scored = in_turns(job("compare", runs[:count], *words), job("eval", runs[:count]), rounds=rounds)
            what = f"irmx compare, {count} runs of TREC-8, AP and P@10{', all pairs' if words else ''}"
            yield [what, shown(own), "", "", "irmx eval of the same", shown(scored)]


def made(quick: bool, data: Path | None) -> Made:
    """Run all and return the text and the table."""
    warnings.filterwarnings("ignore", message=".*unsafe cast from uint64.*")  # numba, about ranx
    rounds = 1 if quick else 3
    rows = [*all_pairs(rounds), *against_ranx(rounds), *many_topics(rounds)]
    if data:
        rows += commands(data, rounds)
    head = [
        "all pairs, unless said otherwise",
        "time",
        "goal: below",
        "per comparison",
        "peer",
        "peer, per comparison",
    ]
    every = [[*row, ""][:6] for row in rows]
    on_page = (0, 1, 3, 4, 5)
    lines = [
        *table([head[i] for i in on_page], [[row[i] for i in on_page] for row in every if row[2] and row[4]]),
        "",
        "[All rows and goals](speed_comparisons.csv).",
        "",
    ]
    return "\n".join(lines), {"speed_comparisons": [head, *every]}


ABOUT = f"""`irmx_study.compare` makes the whole table for all {SYSTEMS * (SYSTEMS - 1) // 2:,} pairs of {SYSTEMS} systems on {TOPICS} topics; peers compute p-values only.
scipy's `tukey_hsd` is not paired by topic.
"""

if __name__ == "__main__":
    program(__doc__, "Comparisons", ABOUT, made)
