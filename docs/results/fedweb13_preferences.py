"""Simulated preferences between pages of 157 search engines: agreement, tests, power and learned parameters.

Writes the page ``fedweb13_preferences.md`` beside this file; the pages are those of ``fedweb13_pages.py``. The environment
variable IRMX_DATA names the folder with the data; the page holds counts, agreement and estimates only, nothing of the data.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from fedweb13_pages import simulated, track
from markdown_pages import beside, markdown

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

PAGE = Path(__file__).with_suffix(".md")
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


def of_noise(study: Study, population: Mapping[str, str]) -> list[str]:
    """Return how noise decides how far users agree with each other, and how many majorities there are."""
    rows = []
    for scale in SCALES:
        votes = study.votes(population, scale)
        majorities = [int((votes.majority(level) != 0).sum()) for level in LEVELS]
        best = agreement(study.pages, votes, study.qrels, "AS_RBP", list(LEVELS)).query("bin_pair == 'all'")[
            "agreement"
        ]
        rows.append([f"{scale:g}", f"{fleiss_kappa(votes.counts):.3f}", *majorities, *(f"{x:.3f}" for x in best)])
    names = [*(f"majorities {name}" for name in LEVELS.values()), *(f"`AS_RBP` {name}" for name in LEVELS.values())]
    return [markdown(["scale", "Fleiss' kappa", *names], rows)]


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


def of_tests(t: pd.DataFrame) -> list[str]:
    """Return how many pairs of measures are significantly different."""
    on_all = t[t["slice"] == ""].groupby("measure")[["p", "p_corrected"]].agg(lambda p: int((p <= 0.05).sum()))
    rows = [[name, *on_all.loc[f"agreement@{level:g}"]] for level, name in LEVELS.items()]
    return [markdown(["majority", "not corrected", "Holm"], rows)]


def of_populations(study: Study, votes: Mapping[str, Preferences]) -> list[str]:
    """Return the agreement of every measure with the majority, by population, the best in bold."""
    columns = {}
    for name, of_population in votes.items():
        found = agreement(study.pages, of_population, study.qrels, list(MEASURES), [0.75])
        columns[name] = found[found["bin_pair"] == "all"].set_index("measure")["agreement"]
    agreed = pd.DataFrame(columns)
    texts = agreed.map("{:.3f}".format).where(agreed != agreed.max(), agreed.map("**{:.3f}**".format))
    rows = [[f"`{m}`", *texts.loc[m]] for m in agreed.index]
    return [markdown(["", *columns], rows)]


def of_power(scores: Scores) -> list[str]:
    """Return which differences from AS_RBP the sample finds, and how many topics others need."""
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
    return [markdown(["`AS_RBP` and", *columns], rows)]


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


def of_held_out(fits: Mapping[tuple[str, str], PreferenceFit]) -> list[str]:
    """Return the agreement on held-out topics, and the gain over the defaults."""
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
    return [markdown(["users", "measure", "pairs", "defaults", *learned_columns], rows, 2)]


def of_draws(study: Study, population: Mapping[str, str]) -> list[str]:
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
    return [markdown(["", *columns], rows)]


def _spread(values: pd.Series) -> tuple[str, str]:
    return f"{values.mean():.2f}", between(values.min(), values.max(), 2)


def of_weights(fit: PreferenceFit) -> list[str]:
    """Write what was learned of every user's l; return a summary."""
    true = dict(zip(users()[UTILITY], weights(), strict=True))
    both = fit.assessors.merge(fit.active, on="assessor", suffixes=("", "_by_agreement"))
    both = both.assign(true=both["assessor"].map(true)).sort_values("true")
    covered = int(((both["low"] <= both["true"]) & (both["true"] <= both["high"])).sum())
    summary = [
        f"- The 95% intervals of likelihood cover the true l of {covered} of {len(both)} users. The mean of l is {both['l'].mean():.3f} by likelihood and",
        f"  {both['l_by_agreement'].mean():.3f} by agreement; the true one is {both['true'].mean():.3f}. Pearson's r of learned and true l is {both['l'].corr(both['true']):.2f} by",
        f"  likelihood and {both['l_by_agreement'].corr(both['true']):.2f} by agreement; the mean error is {(both['l'] - both['true']).abs().mean():.3f} and {(both['l_by_agreement'] - both['true']).abs().mean():.3f}.",
        f"- On held-out topics, an l of one's own changes the agreement, in the mean over users, by {both['difference_by_agreement'].mean():+.4f} against l = 0 if learned by",
        f"  agreement, and by {both['difference'].mean():+.4f} against the mean l of all users if learned by likelihood.",
    ]
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
    return [*summary, f"- [User by user]({name})."]


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
    lines = [
        "# Simulated preferences between pages of 157 search engines",
        "",
        f"From {len(votes[UTILITY].pair):,} simulated votes of users whose `alpha` is 7, likelihood learns {alpha.by_likelihood:.2f} (95% interval {between(alpha.low, alpha.high, 2)}), and",
        f"counting agreements learns {alpha.by_agreement:.2f}. **No person made these preferences: a program drew them.**",
        "",
        "The pages are real results, the users are not. The tables have the form of tables 5 to 8 of Zhou et al. (SIGIR 2012). They show",
        "what a sample of this size can find, and whether learning recovers the parameters of the users. They do not show which measure",
        "people agree with.",
        "",
        "```console",
        "$ IRMX_DATA=... python docs/results/fedweb13_preferences.py",
        "```",
        "",
        "makes this page. `IRMX_DATA` is the folder that holds `fedweb13`, the page judgments of the TREC Federated Web Search track",
        "2013; they are not part of irmx, and this page holds counts, agreement and estimates only. On preferences of your own,",
        "`irmx pages agreement` and `irmx pages fit` write the agreement on each topic, which `irmx compare` and `irmx power` read ([guide](../guide/pages-preferences.md)).",
        "",
        "## The pages, the users, and what is circular",
        "",
        f"- {len(study.pages):,} pages of {study.pairs['query_id'].nunique()} topics, made as on the page about [these pages](fedweb13_pages.md), in three bins of quality, H, M and L;",
        f"  8 pairs for each topic and pair of bins, {len(study.pairs):,} in all.",
        f"- {USERS} users; {VOTES_PER_PAIR} of them, drawn for each pair, vote on it: {len(votes[UTILITY].pair):,} votes. There are no trap pairs. A user who chooses by a",
        f"  measure m prefers page A with the probability 1/(1 + exp(-{SCALE:g} (m(A) - m(B)))), and says that both are bad where both are below {BAD_BELOW:g}.",
        "- Four populations. **utility**: `AS_RBP(alpha=7,beta=0.85)`, the values that the paper learned, and a `personal` weight l of",
        f"  vertical recall of the user's own, from {min(weights()):.2f} to {max(weights()):.2f}, {np.mean(weights()):.2f} in the mean. **attention**: `AS_ATT(alpha=7)`, with the same l. **list**: `nDCG@10`,",
        "  for all users. **mixed**: every other user as in *utility*, the others as in *list*.",
        f"- Fleiss' kappa of the votes: {kappas}.",
        "",
        "What is circular: the *utility* users choose by one of the measures that are then compared, so `AS_RBP` and its relatives agree with",
        "them because we made them so; the section [below](#other-users-other-winners) has users for whom others win. All users read the",
        "same judgments as the measures, and the noise is that of the model that is fitted by likelihood. Real assessors differ in all three.",
        "",
        "The noise is a free choice. With *utility* users:",
        "",
        *of_noise(study, populations[UTILITY]),
        "",
        "## Other users, other winners",
        "",
        "Agreement with the majority of 3/4 on all pairs of pages, the highest in bold:",
        "",
        *of_populations(study, votes),
        "",
        f"For *utility* users, [by pair of bins]({by_bins}) with majorities of 3/4 and 4/4 (tables 5 to 7 of the paper), and which measures agree",
        f"significantly less often, by the t-test over topics, with Holm's correction over the {len(t[['a', 'b']].drop_duplicates())} pairs of measures of a column. On all pairs",
        "of pages, so many pairs of measures differ significantly:",
        "",
        *of_tests(t),
        "",
        "## What the sample can find",
        "",
        "Of *utility* users, majority of 3/4, all pairs of pages: the standard deviation over topics of the difference in agreement; the",
        "difference that the t-test detects with a probability of .8 at the level .05, alone and at .05/45; and the topics, with as many pairs",
        "per topic as here, that differences of .02 and .05 need.",
        "",
        *of_power(scores),
        "",
        "## Learned parameters and held-out gain (table 8)",
        "",
        f"Grids of 51 values: `alpha` {ALPHA}, `beta` {BETA} (of `AS_ATT` 0:1). By agreement: the setting that agrees most often with the majority",
        "of 3/4, with l = 0, on all topics, and its range over five folds of topics. By likelihood: of all votes, with each user's l.",
        f"[All values]({of_parameters(fits)}).",
        "",
        f"Do the votes recover the values that the users have? `AS_RBP` and *utility* users, with votes drawn {DRAWS} times:",
        "",
        *of_draws(study, populations[UTILITY]),
        "",
        "### Held-out gain",
        "",
        "Every pair of pages was then evaluated with values learned on the four folds without its topic. Gain: over the measure with its",
        "defaults, in the mean over topics, with the 95% interval and the p-value of the t-test over topics. Most is gained by *attention*",
        "users, for whom `AS_RBP` is the wrong model with the wrong `beta`. For *utility* users little can be gained: with their true values,",
        f"`{truth}`, the agreement is {best:.3f}.",
        "",
        *of_held_out(fits),
        "",
        "### Every user's own l",
        "",
        "`AS_RBP` and *utility* users, whose l is known here:",
        "",
        *of_weights(fits[UTILITY, "AS_RBP"]),
    ]  # fmt: skip
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
