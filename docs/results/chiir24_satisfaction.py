"""Utility of result pages and what users said of them: a study with five layouts of result cards.

Writes a section of the page ``clicks_and_sessions.md`` beside this file. The environment variable IRMX_DATA names the folder with
the data; the page holds counts, estimates and correlations only, nothing of the data.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from markdown_pages import beside, markdown, write_section

import irmx
from irmx.ragged import Array
from irmx_pages import EffortFit, Pages, fit_effort, gain, utility

PAGE = Path(__file__).with_name("clicks_and_sessions.md")
CARDS = {3: "title", 6: "title, image", 5: "title, image right, summary", 2: "title, image, summary"}
"""The card types of the data, by their number there."""
REFERENCE = "title"
LAYOUTS = ("BASE", "BASE_GOOGLE", "BASE_WAPO", "BASE_TIS", "RAND")
LONGEST = 60.0
"""Seconds: a card that was looked at for longer counts in no estimate."""
RESAMPLES = 1000
MODELS = {"AS_DCG": irmx.dcg, "AS_RBP": irmx.rbp, "AS_ERR": irmx.err, "AS_ATT": irmx.att}


@dataclass(frozen=True)
class Study:
    """What is read of the data.

    Attributes
    ----------
    cards : DataFrame
        A row a card that was shown, with ``page``, the number of its page; within a page in the order of the ranks
        shown.
    pages : DataFrame
        A row a page with a rating: ``user``, ``layout``, ``rating``, ``ndcg_10`` as the study has it, and
        ``complete``, whether its ranks are 1, 2, ... without a gap.
    """

    cards: pd.DataFrame
    pages: pd.DataFrame


def read(folder: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the cards and the ratings as they are, with the names of the card types."""
    cards = pd.read_csv(folder / "serp_annotation.csv.gz")
    cards["media"] = cards["card_type"].map(CARDS)
    return cards, pd.read_csv(folder / "query_feedback.csv.gz")


def study(cards: pd.DataFrame, ratings: pd.DataFrame) -> Study:
    """Return the pages that have a rating and one order: a topic and a query of a user make a page."""
    key = ["serp_topic_annotation", "qid"]
    cards = cards.sort_values([*key, "rank"], kind="stable")
    of_page = cards.groupby(key)["rank"]
    shape = pd.DataFrame({"shown": of_page.size(), "ranks": of_page.nunique(), "deepest": of_page.max()})
    pages = ratings.sort_values("id").drop_duplicates(key, keep="last").merge(shape.reset_index(), on=key)
    pages = pages[pages["shown"] == pages["ranks"]]
    pages = pages.sort_values(key).reset_index(drop=True)
    pages["page"], pages["complete"] = pages.index, pages["shown"] == pages["deepest"]
    pages = pages.rename(columns={"interface_type": "layout", "feedback": "rating"})
    return Study(cards.merge(pages[[*key, "page"]], on=key).sort_values(["page", "rank"], kind="stable"), pages)


def pages_of(found: Study, effort: dict[str, float]) -> Pages:
    """Return the pages, a card a block; orientation .5, as nothing tells of verticals; images attract attention."""
    cards = found.cards
    ones = np.ones(len(cards))
    return Pages(
        np.concatenate([[0], np.cumsum(np.bincount(cards["page"]))]),
        np.full(len(cards), "web", dtype=object),
        0.5 * ones,
        cards["actual_qrel_value"].to_numpy(dtype=float),
        ones.astype(np.int64),
        cards["media"].map(effort).to_numpy(dtype=float),
        (cards["media"] != REFERENCE).to_numpy(),
    )


def utilities(pages: Pages, cutoff: int = 10) -> dict[str, Array]:
    first = pages.where(pages.position <= cutoff)
    gains = gain(first)
    return {name: utility(first, gains, model.probabilities(first, gains)) for name, model in MODELS.items()}


def flat(found: Study) -> dict[str, Array]:
    """Return nDCG@10 and P@10 of the pages as shown; relevant is what the study has as relevant for the topic."""
    cards = found.cards
    run = pd.DataFrame(
        {"query_id": cards["page"].astype(str), "doc_id": cards["doc_id"], "score": -cards["rank"].astype(float)}
    )
    judged = cards.drop_duplicates(["topic_id", "doc_id"])[["topic_id", "doc_id", "actual_qrel_value"]]
    qrels = found.pages[["page", "topic_id"]].merge(judged, on="topic_id")
    qrels = qrels.rename(columns={"actual_qrel_value": "relevance"}).assign(query_id=qrels["page"].astype(str))
    scores = pd.DataFrame(irmx.iter_calc("nDCG@10 P@10", qrels[["query_id", "doc_id", "relevance"]], run))
    table = scores.assign(measure=scores["measure"].map(str), page=scores["query_id"].astype(int))
    return {name: rows.sort_values("page")["value"].to_numpy() for name, rows in table.groupby("measure")}


@dataclass(frozen=True)
class Correlations:
    """Rank correlations with the ratings; the first row is of the users as they are, the others of samples of users."""

    rho: dict[str, Array]
    tau: dict[str, Array]

    def text(self, name: str, kind: str = "rho") -> str:
        return with_interval(getattr(self, kind)[name])

    def above(self, name: str, other: str) -> str:
        return with_interval(self.rho[name] - self.rho[other])


def with_interval(values: Array) -> str:
    low, high = np.quantile(values[1:], [0.025, 0.975])
    return f"{values[0]:.3f} [{low:.3f}, {high:.3f}]"


def correlations(values: dict[str, Array], rating: Array, user: Array) -> Correlations:
    """Return Spearman's rho and Kendall's tau-b of measures with ratings, also in bootstrap samples of users.

    With S the matrix of the signs of all differences and w how often a page is in a sample, S w is twice its rank from
    the middle, so that both come from these matrices.
    """
    number = np.unique(user, return_inverse=True)[1]
    users = int(number.max()) + 1
    drawn = np.random.default_rng(0).multinomial(users, np.full(users, 1 / users), size=RESAMPLES)
    weight = np.vstack([np.ones(users), drawn])[:, number].astype(np.float32)

    def signs(x: Array) -> Array:
        return np.sign(x[:, None] - x).astype(np.float32)

    def pairs(matrix: Array) -> Array:
        return np.einsum("ri,ri->r", weight @ matrix, weight, dtype=float)

    of_rating = signs(rating)
    ranks, untied = weight @ of_rating, pairs(np.abs(of_rating))
    rho, tau = {}, {}
    for name, column in values.items():
        of_measure = signs(np.round(column, 12))
        mine = weight @ of_measure
        products = [
            np.einsum("ri,ri,ri->r", weight, a, b, dtype=float)
            for a, b in ((mine, ranks), (mine, mine), (ranks, ranks))
        ]
        rho[name] = products[0] / np.sqrt(products[1] * products[2])
        tau[name] = pairs(of_measure * of_rating) / np.sqrt(pairs(np.abs(of_measure)) * untied)
    return Correlations(rho, tau)


def efforts(cards: pd.DataFrame) -> dict[tuple[str, str], EffortFit]:
    """Return the effort tables by group of users and statistic."""
    times = cards.rename(columns={"time_spent": "time"})[["user", "media", "time", "interface_type"]]
    random = times["interface_type"] == "RAND"
    groups = {"one card type each": times[~random], "random cards": times[random]}
    found = {
        (group, statistic): fit_effort(rows, REFERENCE, statistic=statistic, longest=LONGEST)
        for group, rows in groups.items()
        for statistic in ("mean", "median")
    }
    found["random cards", "within_users"] = fit_effort(
        groups["random cards"], REFERENCE, statistic="within_users", longest=LONGEST
    )
    return found


def cell(fit: EffortFit, name: str) -> str:
    return "{:.2f} [{:.2f}, {:.2f}]".format(fit.effort[name], *fit.intervals[name])


def of_times(cards: pd.DataFrame) -> list[list[object]]:
    """Return one row per card type: how often it was shown and looked at, and for how long."""
    rows: list[list[object]] = []
    for number, name in CARDS.items():
        times = cards.loc[cards["card_type"] == number, "time_spent"]
        seen = times[times > 0]
        numbers = [f"{seen.median():.2f}", f"{seen.mean():.2f}", f"{seen.quantile(0.95):.1f}", f"{seen.max():.0f}"]
        rows.append([name, len(times), f"{len(seen) / len(times):.1%}", *numbers, (seen > LONGEST).sum()])
    return rows


def ratings_by_layout(pages: pd.DataFrame) -> list[list[object]]:
    """Return one row per layout: users, pages, complete pages and the mean rating."""
    rows: list[list[object]] = []
    for layout in LAYOUTS:
        mine = pages[pages["layout"] == layout]
        by_user = mine.groupby("user")["rating"].agg(["sum", "size"]).to_numpy(dtype=float)
        count = len(by_user)
        drawn = np.random.default_rng(0).multinomial(count, np.full(count, 1 / count), size=RESAMPLES)
        sums = np.vstack([np.ones(count), drawn]) @ by_user
        rows.append([layout, count, len(mine), mine["complete"].sum(), with_interval(sums[:, 0] / sums[:, 1])])
    return rows


def main() -> None:
    cards, ratings = read(Path(os.environ["IRMX_DATA"]).resolve() / "serp_user_study_chiir24")
    found, tables = study(cards, ratings), efforts(cards)
    pages = found.pages
    within = tables["random cards", "within_users"]
    equal = dict.fromkeys(CARDS.values(), 1.0)
    measures = flat(found)
    values = {
        "nDCG@10": measures["nDCG@10"],
        "P@10": measures["P@10"],
        "`ndcg_10` of the study": pages["ndcg_10"].to_numpy(),
        **{f"{name}, equal efforts": v for name, v in utilities(pages_of(found, equal)).items()},
        **{f"{name}, observed efforts": v for name, v in utilities(pages_of(found, within.effort)).items()},
    }
    rating, user = pages["rating"].to_numpy(dtype=float), pages["user"].to_numpy()

    def of(keep: Array) -> Correlations:
        return correlations({name: v[keep] for name, v in values.items()}, rating[keep], user[keep])

    complete = pages["complete"].to_numpy()
    every, whole = of(np.ones(len(pages), dtype=bool)), of(complete)
    by_layout = {layout: of((pages["layout"] == layout).to_numpy()) for layout in LAYOUTS}

    def residual(x: Array) -> Array:
        return x - pd.Series(x).groupby(user).transform("mean").to_numpy()

    inside = correlations({name: residual(v) for name, v in values.items()}, residual(rating), user)
    own = np.corrcoef(values["nDCG@10"][complete], pages["ndcg_10"][complete])[0, 1]
    rows = [[name, *(by_layout[layout].text(name) for layout in LAYOUTS)] for name in values]
    layouts = beside(PAGE, "chiir24_satisfaction_layouts", ["measure", *LAYOUTS], rows)
    times = cards.rename(columns={"time_spent": "time"})
    outliers = []
    for longest in (None, 60.0, 30.0, 10.0):
        fit = fit_effort(times, REFERENCE, longest=longest)
        outliers.append([longest, *(cell(fit, c) for c in CARDS.values()), fit.too_long])
    head = [
        "measure",
        "rho, all pages",
        "rho above nDCG@10",
        "rho, complete pages",
        "tau, all pages",
        "rho, users' own means subtracted",
    ]
    seen = [
        [
            name,
            every.text(name),
            every.above(name, "nDCG@10"),
            whole.text(name),
            every.text(name, "tau"),
            inside.text(name),
        ]
        for name in values
    ]
    of_effort = ["users", "statistic", *CARDS.values(), "number of users", "left out as too long"]
    fits = [
        [group, statistic, *(cell(fit, name) for name in CARDS.values()), fit.users, fit.too_long]
        for (group, statistic), fit in tables.items()
    ]
    of_cards = [
        "card",
        "shown",
        "time above 0",
        "median, s",
        "mean, s",
        "95% below, s",
        "longest, s",
        f"above {LONGEST:g} s",
    ]
    differences = [
        [name, *(of.above(f"{name}, observed efforts", f"{name}, equal efforts") for of in (every, whole))]
        for name in MODELS
    ]
    text = _TEXT.format(
        correlations=markdown(head[:3], [row[:3] for row in seen if "equal" not in row[0]]),
        all_correlations=beside(PAGE, "chiir24_satisfaction_correlations", head, seen),
        differences=beside(
            PAGE,
            "chiir24_satisfaction_efforts",
            ["observed above equal efforts, rho", "all pages", "complete pages"],
            differences,
        ),
        layouts=layouts,
        users=cards["user"].nunique(),
        ratings=beside(
            PAGE,
            "chiir24_satisfaction_ratings",
            ["layout", "users", "pages", "complete", "mean rating"],
            ratings_by_layout(pages),
        ),
        pages=f"{len(pages):,}",
        complete=f"{complete.sum():,}",
        own=f"{own:.2f}",
        efforts=", ".join(f"{cell(within, card)} ({card})" for card in CARDS.values() if card != REFERENCE),
        all_fits=beside(PAGE, "chiir24_satisfaction_fits", of_effort, fits),
        times=beside(PAGE, "chiir24_satisfaction_times", of_cards, of_times(cards)),
        outliers=beside(PAGE, "chiir24_satisfaction_outliers", ["longest", *CARDS.values(), "left out"], outliers),
        longest=f"{LONGEST:g}",
    )
    write_section(PAGE, "Utility, satisfaction and effort in a user study", text)


_TEXT = """\
Measures of pages that count effort say no more about how satisfied the users of a study were than nDCG@10 does: the intervals of the
differences contain 0. The same users took more time for a card with an image or a summary than for a title alone.

{correlations}

{users} users searched news with one of five layouts of cards and rated queries from 1 to 6
(Pathak, Azzopardi and Halvey, [CHIIR 2024](https://doi.org/10.1145/3627508.3638335)). Spearman's rho with the rating of {pages} pages, 95% intervals over samples of users. AS_* is gain
over effort of the first ten cards, without an ideal page ([equal efforts, complete pages, tau and more]({all_correlations}), [by layout]({layouts}),
[observed against equal efforts]({differences}), [ratings]({ratings})).

A card is recorded once per topic and user, so only {complete} pages are complete. `ndcg_10` of the study belongs to the query, not to
the page as shown (Pearson's r with nDCG@10 is {own}). All results are news, so alpha plays no part.

Among users of random cards, [`fit_effort`]({all_fits}) within users finds {efforts}, in units of a title's effort; the correlations use
these. Between users who saw one type each, a title with an image takes less time than a title. Times of 0 and above {longest} s do not
count ([times]({times}), [outliers]({outliers})).

Made by `IRMX_DATA=... python docs/results/chiir24_satisfaction.py` from `serp_user_study_chiir24`.
"""


if __name__ == "__main__":
    main()
