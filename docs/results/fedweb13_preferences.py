"""Simulated preferences between pages of 157 search engines: agreement, tests, power and learned parameters.

Writes a section of the page ``pages.md`` beside this file; the pages are those of ``fedweb13_pages.py``. The environment
variable IRMX_DATA names the folder with the data; the page holds counts, agreement and estimates only, nothing of the data.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from fedweb13_pages import PAGE, simulated, track
from markdown_pages import beside, markdown, write_section

import irmx_study
from irmx import Scores
from irmx_pages import (
    Page,
    PreferenceFit,
    Preferences,
    agreement,
    agreement_scores,
    fit_preferences,
    fleiss_kappa,
    page_pairs,
    simulate_preferences,
)

USERS, VOTES_PER_PAIR = 20, 4
SCALE = 10.0
"""The noise: P(A > B) = 1/(1 + exp(-10 (m(A) - m(B)))) for a user who chooses by the measure m."""
BAD_BELOW = 0.1
"""A user for whom both pages are below this answers that both are bad."""
SCALES = (5.0, SCALE, 20.0)
DRAWS = 8
"""How many times votes are drawn, to see how learned values vary."""
MODELS = ("AS_DCG", "AS_RBP", "AS_ERR", "AS_ATT")
MEASURES = (*MODELS, "AS_alpha_nDCG", "AS_D_nDCG", "AS_Dsharp_nDCG", "AS_IA_nDCG", "nDCG@10", "P@10")
LEVELS = {0.75: "3/4", 1.0: "4/4"}
ALPHA, BETA = "1.01:100", "0.5:1"
GRIDS = {
    "AS_DCG": {"alpha": ALPHA},
    "AS_RBP": {"alpha": ALPHA, "beta": BETA},
    "AS_ERR": {"alpha": ALPHA},
    "AS_ATT": {"alpha": ALPHA, "beta": "0:1"},
}
"""The parameters that are learned, with 51 values each."""
UTILITY, ATTENTION, LIST, MIXED = "utility", "attention", "list", "mixed"


def weights() -> list[float]:
    """Return the true l of every user: from 0.15 to almost 0.40, with a mean of 0.23, the range and mean that the paper learned."""
    places = (np.arange(USERS) + 0.5) / USERS
    return [float(f"{0.15 + 0.25 * x**2:.3f}") for x in places]


def users() -> dict[str, dict[str, str]]:
    """Return the populations: the measure by which each user chooses, by the user's name."""
    names = [f"user {i + 1}" for i in range(USERS)]
    utility = [f"AS_RBP(alpha=7,beta=0.85,personal={x})" for x in weights()]
    attention = [f"AS_ATT(alpha=7,personal={x})" for x in weights()]
    listed = ["nDCG@10"] * USERS
    mixed = [a if i % 2 else b for i, (a, b) in enumerate(zip(utility, listed, strict=True))]
    return {
        name: dict(zip(names, measures, strict=True))
        for name, measures in ((UTILITY, utility), (ATTENTION, attention), (LIST, listed), (MIXED, mixed))
    }


@dataclass(frozen=True)
class Study:
    """Pages, pairs of them to compare, and judgments."""

    pages: list[Page]
    pairs: pd.DataFrame
    qrels: pd.DataFrame

    @classmethod
    def of(cls, folder: Path) -> Study:
        """Make the pages and their pairs from the track."""
        found = track(folder)
        made = simulated(found)
        return cls(made.pages, page_pairs(made), found.qrels)

    def votes(self, population: Mapping[str, str], scale: float = SCALE, seed: int = 0) -> Preferences:
        """Return the votes of some users on every pair, drawn anew for each pair."""
        votes = simulate_preferences(self.pages, self.pairs, self.qrels, population, scale, seed, BAD_BELOW)
        order = np.random.default_rng([seed, 1]).random((len(votes), USERS)).argsort(axis=1)
        return votes.where((order < VOTES_PER_PAIR)[votes.pair, votes.assessor])

    def shares(self, votes: Preferences) -> Scores:
        """Return the agreement of the measures on each topic."""
        return agreement_scores(self.pages, votes, self.qrels, list(MEASURES), list(LEVELS))

    def fit(self, votes: Preferences, measure: str, **options: int) -> PreferenceFit:
        """Learn the parameters of a measure."""
        return fit_preferences(self.pages, votes, self.qrels, measure, GRIDS[measure], progress=False, **options)


# -- tables --------------------------------------------------------------------------------------------------


def between(low: float, high: float, places: int = 3) -> str:
    return f"{low:.{places}f} to {high:.{places}f}"


def p_text(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def of_noise(study: Study, population: Mapping[str, str]) -> str:
    """Write how noise decides how far users agree with each other, and how many majorities there are; return the name of the file."""
    rows = []
    for scale in SCALES:
        votes = study.votes(population, scale)
        majorities = [int((votes.majority(level) != 0).sum()) for level in LEVELS]
        best = agreement(study.pages, votes, study.qrels, "AS_RBP", list(LEVELS)).query("bin_pair == 'all'")[
            "agreement"
        ]
        rows.append([f"{scale:g}", f"{fleiss_kappa(votes.counts):.3f}", *majorities, *(f"{x:.3f}" for x in best)])
    names = [*(f"majorities {name}" for name in LEVELS.values()), *(f"`AS_RBP` {name}" for name in LEVELS.values())]
    return beside(PAGE, "fedweb13_preferences_noise", ["scale", "Fleiss' kappa", *names], rows)


def by_bin(study: Study, votes: Preferences, compared: pd.DataFrame, level: float) -> list[list[str]]:
    """Return the rows of the paper's table for a level, with the measures that agree significantly less often."""
    found = agreement(study.pages, votes, study.qrels, list(MEASURES), [level])
    agreed = found.pivot(index="measure", columns="bin_pair", values="agreement")
    tests = compared[(compared["measure"] == f"agreement@{level:g}") & (compared["p_corrected"] <= 0.05)]
    groups = found["bin_pair"].unique().tolist()
    rows = []
    pairs = found.groupby("bin_pair", sort=False)["pairs"].first()
    for name in MEASURES:
        for group in groups:
            of_group = tests[tests["slice"] == ("" if group == "all" else group)]
            lower = [t.b for t in of_group.itertuples() if t.a == name and t.difference > 0]
            lower += [t.a for t in of_group.itertuples() if t.b == name and t.difference < 0]
            beaten = sorted((m for m in lower if agreed.loc[m, group] < agreed.loc[name, group]), key=MEASURES.index)
            rows.append([LEVELS[level], group, pairs[group], name, f"{agreed.loc[name, group]:.3f}", " ".join(beaten)])
    return rows


def of_tests(t: pd.DataFrame) -> str:
    """Return how many pairs of measures are significantly different."""
    corrected = t[(t["slice"] == "") & (t["p_corrected"] <= 0.05)]["measure"].value_counts()
    return " and ".join(f"{corrected[f'agreement@{level:g}']} (by {name})" for level, name in LEVELS.items())


def of_populations(study: Study, votes: Mapping[str, Preferences]) -> str:
    """Return the agreement of every measure with the majority, by population, the best in bold."""
    columns = {}
    for name, of_population in votes.items():
        found = agreement(study.pages, of_population, study.qrels, list(MEASURES), [0.75])
        columns[name] = found[found["bin_pair"] == "all"].set_index("measure")["agreement"]
    agreed = pd.DataFrame(columns)
    texts = agreed.map("{:.3f}".format).where(agreed != agreed.max(), agreed.map("**{:.3f}**".format))
    rows = [[f"`{m}`", *texts.loc[m]] for m in agreed.index]
    return markdown(["", *columns], rows)


def of_power(scores: Scores) -> str:
    """Write which differences from AS_RBP the sample finds, and how many topics others need; return the name of the file."""
    asked = [0.02, 0.05]
    of_all = scores.select(views=["agreement@0.75"])
    single = irmx_study.power(of_all, difference=asked, by_pair=True).frame()
    several = irmx_study.power(of_all, comparisons=45, by_pair=True).frame()

    def of_rbp(found: pd.DataFrame) -> pd.DataFrame:
        here = (found["a"] == "AS_RBP") | (found["b"] == "AS_RBP")
        return found.assign(other=found["a"].where(found["b"] == "AS_RBP", found["b"]))[here]

    corrected = of_rbp(several).set_index("other")["detectable"]
    rows = []
    for other in [name for name in MEASURES if name != "AS_RBP"]:
        answers = of_rbp(single).query("other == @other")
        found = answers.iloc[0]
        row = [f"`{other}`", f"{found['sd']:.3f}", f"{found['detectable']:.3f}", f"{corrected[other]:.3f}"]
        rows.append([*row, *(int(n) for n in answers["needed"])])
    columns = ["sd", "detectable", "of 45 comparisons", *(f"topics for {x:g}" for x in asked)]
    return beside(PAGE, "fedweb13_preferences_power", ["AS_RBP and", *columns], rows)


def of_parameters(fits: Mapping[tuple[str, str], PreferenceFit]) -> str:
    """Write the learned parameters of every measure and population; return the name of the file."""
    rows = []
    for (population, measure), fit in fits.items():
        for row in fit.parameters.itertuples():
            rows.append(
                [
                    population, measure, row.parameter, f"{row.by_agreement:.2f}", between(row.fold_low, row.fold_high, 2),
                    f"{row.by_likelihood:.2f}", between(row.low, row.high, 2), row.note,
                ]
            )  # fmt: skip
        weight = fit.assessors["l"]
        spread = between(weight.min(), weight.max(), 2)
        rows.append([population, measure, "l, mean of users", "", "", f"{weight.mean():.2f}", f"(users: {spread})", ""])
    head = ["users", "measure", "parameter", "by_agreement", "folds", "by_likelihood", "interval", "note"]
    return beside(PAGE, "fedweb13_preferences_parameters", head, rows)


def of_held_out(fits: Mapping[tuple[str, str], PreferenceFit]) -> str:
    """Write the agreement on held-out topics, and the gain over the defaults; return the name of the file."""
    rows = []
    for (population, measure), fit in fits.items():
        given, *learned = fit.held_out.itertuples()
        row = [population, f"`{measure}`", given.pairs, f"{given.agreement:.3f}"]
        tests = irmx_study.compare(fit.scores, baseline="as given", correction="none").frame().set_index("a")
        for one in learned:
            test = tests.loc[one.fitted]
            gain = f"{test['difference']:+.3f} ({test['low']:+.3f} to {test['high']:+.3f})"
            row += [f"{one.agreement:.3f}", gain, p_text(test["p"])]
        rows.append(row)
    learned_columns = [f"{how}{what}" for how in ("by agreement", "by likelihood") for what in ("", ": gain", ": p")]
    head = ["users", "measure", "pairs", "defaults", *learned_columns]
    return beside(PAGE, "fedweb13_preferences_held_out", head, rows)


def of_draws(study: Study, population: Mapping[str, str]) -> str:
    """Return how the true values are recovered from votes drawn several times."""
    true = {"alpha": 7.0, "beta": 0.85}
    fits = [study.fit(study.votes(population, seed=seed), "AS_RBP", folds=2, active=0) for seed in range(DRAWS)]
    rows = []
    for name, value in true.items():
        found = pd.concat([fit.parameters[fit.parameters["parameter"] == name] for fit in fits])
        covered = int(((found["low"] <= value) & (value <= found["high"])).sum())
        rows.append(
            [
                f"`{name}`",
                value,
                *_spread(found["by_agreement"]),
                *_spread(found["by_likelihood"]),
                f"{covered} of {DRAWS}",
            ]
        )
    of_user = dict(zip(population, weights(), strict=True))
    people = pd.concat([fit.assessors.assign(draw=i) for i, fit in enumerate(fits)])
    values = people["assessor"].map(of_user)
    covered = int(((people["low"] <= values) & (values <= people["high"])).sum())
    means = people.groupby("draw")["l"].mean()
    rows.append(
        ["l, mean of users", f"{np.mean(weights()):.2f}", "", "", *_spread(means), f"{covered} of {len(people)} users"]
    )
    columns = ["true", "by agreement, mean", "range", "by likelihood, mean", "range", "intervals that cover it"]
    return markdown(["", *columns], rows)


def _spread(values: pd.Series) -> tuple[str, str]:
    return f"{values.mean():.2f}", between(values.min(), values.max(), 2)


def of_weights(fit: PreferenceFit) -> dict[str, str]:
    """Write what was learned of every user's l; return a summary."""
    true = dict(zip(users()[UTILITY], weights(), strict=True))
    both = fit.assessors.merge(fit.active, on="assessor", suffixes=("", "_by_agreement"))
    both = both.assign(true=both["assessor"].map(true)).sort_values("true")
    covered = int(((both["low"] <= both["true"]) & (both["true"] <= both["high"])).sum())
    rows = [
        [
            r.assessor, r.votes, f"{r.true:.3f}", f"{r.l_by_agreement:.2f}", between(r.fold_low, r.fold_high, 2), f"{r.l:.2f}",
            between(r.low, r.high, 2), f"{r.without:.3f}", f"{r.own_by_agreement:.3f}",
        ]
        for r in both.itertuples()
    ]  # fmt: skip
    head = [
        "user",
        "votes",
        "true_l",
        "by_agreement",
        "folds",
        "by_likelihood",
        "interval",
        "agreement_without",
        "agreement_with",
    ]
    name = beside(PAGE, "fedweb13_preferences_users", head, rows)
    return {
        "users": name,
        "covered": f"{covered} of {len(both)}",
        "r_likelihood": f"{both['l'].corr(both['true']):.2f}",
        "r_agreement": f"{both['l_by_agreement'].corr(both['true']):.2f}",
    }


def main() -> None:
    study = Study.of(Path(os.environ["IRMX_DATA"]).resolve() / "fedweb13")
    populations = users()
    votes = {name: study.votes(population) for name, population in populations.items()}
    scores = study.shares(votes[UTILITY])
    t = irmx_study.compare(scores, all_pairs=True).frame()
    wanted = [*((UTILITY, m) for m in MODELS), *((name, "AS_RBP") for name in (ATTENTION, LIST, MIXED))]
    fits = {(name, measure): study.fit(votes[name], measure) for name, measure in wanted}
    bins = [row for level in LEVELS for row in by_bin(study, votes[UTILITY], t, level)]
    by_bins = beside(
        PAGE,
        "fedweb13_preferences_bins",
        ["majority", "bins", "pairs", "measure", "agreement", "significantly_more_than"],
        bins,
    )
    alpha = next(row for row in fits[UTILITY, "AS_RBP"].parameters.itertuples() if row.parameter == "alpha")
    truth = f"AS_RBP(alpha=7,beta=0.85,personal={np.mean(weights()):.2f})"
    of_truth = agreement(study.pages, votes[UTILITY], study.qrels, truth, [0.75])
    [best] = of_truth.loc[of_truth["bin_pair"] == "all", "agreement"]
    kappas = ", ".join(f"{name} {fleiss_kappa(v.counts):.3f}" for name, v in votes.items())
    text = _TEXT.format(
        votes=f"{len(votes[UTILITY].pair):,}",
        likelihood=f"{alpha.by_likelihood:.2f}",
        interval=between(alpha.low, alpha.high, 2),
        agreement=f"{alpha.by_agreement:.2f}",
        pairs=f"{len(study.pairs):,}",
        number=USERS,
        each=VOTES_PER_PAIR,
        scale=f"{SCALE:g}",
        bad=f"{BAD_BELOW:g}",
        least=f"{min(weights()):.2f}",
        most=f"{max(weights()):.2f}",
        kappas=kappas,
        noise=of_noise(study, populations[UTILITY]),
        populations=of_populations(study, votes),
        bins=by_bins,
        tests=of_tests(t),
        power=of_power(scores),
        draws=of_draws(study, populations[UTILITY]),
        times=DRAWS,
        parameters=of_parameters(fits),
        held_out=of_held_out(fits),
        truth=truth,
        best=f"{best:.3f}",
        **of_weights(fits[UTILITY, "AS_RBP"]),
    )
    write_section(PAGE, "Simulated preferences between these pages", text)


_TEXT = """\
From {votes} simulated votes of users whose `alpha` is 7, likelihood learns {likelihood} (95% interval {interval}), and counting agreements learns
{agreement}. **No person made these preferences: a program drew them.** They show what a sample of this size can find, and whether
learning recovers the parameters of the users, but not which measure people agree with.

{number} users, of whom {each} vote on each of {pairs} pairs of pages, prefer A with probability 1/(1 + exp(-{scale} (m(A) - m(B)))), and call both bad below {bad}. In
*utility*, m is `AS_RBP(alpha=7,beta=0.85)` with a weight l of vertical recall of the user's own, {least} to {most}; in *attention* `AS_ATT(alpha=7)`
with the same l; in *list* `nDCG@10`; in *mixed* every other user is as in *utility* or *list*. Fleiss' kappa: {kappas}
([other noise]({noise})).

What is circular: *utility* users choose by a measure that is then compared, all users read the judgments of the measures, and the noise
is the one that likelihood fits. Real assessors differ in all three.

### Other users, other winners

Agreement with the majority of 3/4, the highest in bold (*utility* users [by pair of bins]({bins}); of the 45 pairs of measures, {tests} differ
significantly with Holm's correction). [Topics that smaller differences need]({power}):

{populations}

### Learned parameters

Do the votes recover the values that the users have? `AS_RBP` and *utility* users, with votes drawn {times} times
([all learned values]({parameters})):

{draws}

[On held-out topics]({held_out}) most is gained by *attention* users, for whom `AS_RBP` is the wrong model. For *utility* users little can be gained: with their
true values, `{truth}`, the agreement is {best}. The 95% intervals of likelihood cover the true l of {covered} users
([user by user]({users})); Pearson's r of learned and true l is {r_likelihood} by likelihood and {r_agreement} by agreement.

Made by `IRMX_DATA=... python docs/results/fedweb13_preferences.py`. For preferences of your own, see [the guide](../guide/pages-preferences.md).
"""


if __name__ == "__main__":
    main()
