"""How results look in a shell and in a notebook: one short line of text, and tables that stay short."""

import importlib
import inspect
import re
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pandas as pd
import pytest

import irmx
import irmx_pages
import irmx_pages.example
import irmx_stream
import irmx_study
from irmx.demo import SYSTEMS, qrels_path, run_path

PACKAGES = ("irmx", "irmx_cwl", "irmx_markov", "irmx_ncp", "irmx_pages", "irmx_stream", "irmx_study", "irmx_temporal")
RUNS = {system: run_path(system) for system in SYSTEMS}
HOSTILE = "<script>alert(1)</script>\x1b[2J"


@cache
def scores(measures: str = "AP nDCG@10 RR") -> irmx.Scores:
    return irmx.scores(measures, qrels_path(), RUNS)


@cache
def settings() -> irmx.Scores:
    return scores("RBP(p=0.5:0.9:5,rel=1|2) AP")


def clicks() -> pd.DataFrame:
    session, position = np.divmod(np.arange(200), 10)
    return pd.DataFrame({"session": session, "position": position + 1, "examined": position < 4})


def times() -> pd.DataFrame:
    return pd.DataFrame(
        {"user": np.repeat(np.arange(12), 3), "media": ["text", "image"] * 18, "time": np.arange(36) + 1.0}
    )


@cache
def simulated() -> irmx_pages.SimulatedPages:
    made = irmx_pages.example.example(4)
    return irmx_pages.simulate_pages(made.qrels, made.items, made.verticals)


@cache
def preferences() -> irmx_pages.Preferences:
    qrels = irmx_pages.example.example(4).qrels
    pages = simulated()
    users = {"ann": "AS_RBP(beta=0.9)", "bob": "AS_RBP(beta=0.9)"}
    return irmx_pages.simulate_preferences(pages.pages, irmx_pages.page_pairs(pages), qrels, users)


def preference_fit() -> irmx_pages.PreferenceFit:
    qrels = irmx_pages.example.example(4).qrels
    return irmx_pages.fit_preferences(
        simulated().pages, preferences(), qrels, "AS_RBP", {"beta": "0.5:1"}, folds=2, personal=False
    )


@cache
def traces() -> irmx_stream.Traces:
    return irmx_stream.simulate(irmx_stream.Population().draw(30), "10d")


def recorded() -> irmx_stream.Recorded:
    return irmx_stream.Recorded([str(u) for u in range(30)], traces(), irmx_stream.Population().draw(30).speed)


def with_tables() -> dict[str, Callable[[], Any]]:
    """Results that notebooks show as tables, by a name."""
    study = irmx_study
    return {
        "scores": scores,
        "results": lambda: irmx.calc("AP nDCG@10", qrels_path(), run_path("bm25")),
        "explanation": lambda: irmx.explain("AP", qrels_path(), run_path("bm25"), "1"),
        "run": lambda: irmx.read_run(run_path("bm25")),
        "judgments": lambda: irmx.read_qrels(qrels_path()),
        "comparison": lambda: study.compare(scores()),
        "all pairs": lambda: study.compare(scores(), all_pairs=True),
        "agreement": lambda: study.correlate(scores()),
        "discrimination": lambda: study.discriminate(scores()),
        "plan": lambda: study.power(scores()),
        "smaller pools": lambda: study.pool("AP RR", qrels_path(), RUNS, keep=[50, 20], samples=2),
        "left-out groups": lambda: study.leave_out("AP RR", qrels_path(), RUNS),
        "unjudged": lambda: study.unjudged("AP nDCG@10", qrels_path(), RUNS, baseline="bm25"),
        "agreement of settings": lambda: study.correlate(settings(), reference="AP"),
        "comparison for users": lambda: study.compare(scores("RBP(p=0.5:0.9:5)")),
        "efforts": lambda: irmx_pages.fit_effort(times(), "text"),
        "examination": lambda: irmx_pages.fit_examination(clicks(), irmx.rbp, "beta"),
        "preferences": preference_fit,
        "population": lambda: irmx_stream.fit_population(recorded(), end=864000),
    }


def with_lines() -> dict[str, Callable[[], Any]]:
    """Other public objects that a reader may print."""
    import matplotlib as mpl

    mpl.use("agg")
    registry = irmx.registry()
    stream = irmx_stream.Stream(*np.ones((3, 5)), *np.zeros((2, 5), dtype=int), np.zeros(1))
    return {
        "evaluator": lambda: irmx.evaluator("AP", qrels_path()),
        "topic scores": lambda: irmx.TopicScores(
            np.ones(1000), {"standard_error": np.ones(1000)}, np.ones((1000, 1000))
        ),
        "registry": lambda: registry,
        "column": lambda: irmx.toolkit.vocabulary()[0],
        "format": lambda: next(iter(registry.formats().values())),
        "output format": lambda: registry.output_formats()["csv"],
        "param": lambda: next(iter(irmx.MP.SUPPORTED_PARAMS.values())),
        "citation": lambda: irmx.toolkit.papers_of(irmx.MP)[0],
        "rows": lambda: irmx.toolkit.PrintedRows.of(scores().frame()),
        "table": lambda: irmx.read_table(times(), {"time": irmx.Param(float, "a time")}, "The times"),
        "dataset": lambda: irmx.Dataset("mine", qrels_path),
        "field": lambda: irmx.Field("mine", "timestamp", "date", np.round),
        "simulated pages": simulated,
        "votes": preferences,
        "traces": traces,
        "recorded": recorded,
        "users": lambda: irmx_stream.Population().draw(1000),
        "stream": lambda: stream,
        "topic's stream": lambda: irmx_stream.TopicStream("1", 0.0, 1.0, stream),
        "rbo": lambda: irmx_study.rbo(list("abc"), list("acb")),
        "display": lambda: irmx_study.compare(scores()).plot(),
        "display of topics": lambda: irmx_study.compare(scores()).plot("topics", a="recent"),
        "display of agreement": lambda: irmx_study.correlate(scores()).plot(),
    }


@cache
def made(name: str) -> Any:
    return (with_tables() | with_lines())[name]()


def is_one_short_line(text: str) -> bool:
    return len(text) <= 200 and "\n" not in text and "0x" not in text and "array(" not in text


@pytest.mark.parametrize("name", sorted({*with_tables(), *with_lines()}))
def test_a_repr_is_one_short_line(name: str) -> None:
    text = repr(made(name))
    assert is_one_short_line(text), text


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_class_says_what_it_is(package: str) -> None:
    """The exceptions are no objects of a reader's: types of parameters."""
    module = importlib.import_module(package)
    classes = {name: one for name in module.__all__ if inspect.isclass(one := getattr(module, name))}
    silent = [name for name, one in classes.items() if one.__repr__ is object.__repr__]
    assert [name for name in silent if name not in ("duration", "number")] == []


class _Document(HTMLParser):
    """Checks that elements are closed, and collects names and texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.mark.parametrize("name", sorted(with_tables()))
def test_a_notebook_shows_a_table_with_what_must_be_known(name: str) -> None:
    result = made(name)
    document = _Document(result._repr_html_())
    assert "table" in document.tags
    text = " ".join(document.texts)
    assert not re.search(r"0x[0-9a-f]{6}|array\(|\bnan\b", text)
    for note in getattr(result, "notes", ()):
        assert f"Note: {irmx.toolkit.visible(note)}" in text


@cache
def many(systems: int = 30) -> irmx.Scores:
    values = np.random.default_rng(0).random((20, systems, 1))
    names = (HOSTILE, *(f"run{i}" for i in range(1, systems)))
    states = np.zeros(values.shape, dtype=np.int8)
    states[:3, 0] = irmx.State.DEFAULT
    measures = (irmx.parse_measure("AP"),)
    return irmx.Scores(values, tuple(map(str, range(20))), names, measures, states)


RETRIEVED = {HOSTILE: {"q": {"a": 1}}, **{f"run{i}": {"q": {"b": 1}} for i in range(30)}}
OF_MANY: dict[str, Callable[[], Any]] = {
    "scores": many,
    "comparison": lambda: irmx_study.compare(many(), baseline=HOSTILE),
    "discrimination": lambda: irmx_study.discriminate(many()),
    "unjudged": lambda: irmx_study.unjudged("AP", {"q": {"a": 1}}, RETRIEVED, baseline=HOSTILE),
}


@pytest.mark.parametrize("name", OF_MANY)
def test_names_are_text_and_many_systems_do_not_flood_a_notebook(name: str) -> None:
    result = OF_MANY[name]()
    document = _Document(result._repr_html_())
    text = " ".join(document.texts)
    assert "script" not in document.tags
    assert "\x1b" not in text
    assert document.tags.count("tr") <= 40
    assert is_one_short_line(repr(result))


def test_of_many_systems_the_best_are_shown() -> None:
    means = many().means()["AP"].sort_values(ascending=False)
    for result in (many(), irmx_study.compare(many(), baseline="run1")):
        text = " ".join(_Document(result._repr_html_()).texts)
        shown = [
            name for name in means.index if re.search(rf"(?<!\w){re.escape(irmx.toolkit.visible(name))}(?!\w)", text)
        ]
        assert set(means.index[:10]) <= {*shown, HOSTILE}
        assert "… and 20 more" in text
        assert f"{means.iloc[15]:.4f}" not in text


def test_an_explanation_adds_up_and_has_whole_grades() -> None:
    texts = _Document(irmx.explain("AP", qrels_path(), run_path("bm25"), "1")._repr_html_()).texts
    assert "2.0000" not in texts
    assert "Explanation of AP for topic 1: 0.4776; " in "".join(texts)
    assert "0.4776" in texts
