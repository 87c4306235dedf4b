"""What a report is made of: rankings with their documents, parts of the page, texts."""

from __future__ import annotations

import json
import math
import os
import re
import warnings
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np

import irmx
from irmx import (
    DataError,
    DataWarning,
    Judgments,
    Measure,
    Param,
    Scores,
    UsageError,
    explanations,
    read_run,
    read_table,
)
from irmx.collections import dataset
from irmx.ragged import Floats
from irmx.toolkit import Explanation, in_html, picture_bytes, picture_style, visible
from irmx_study.showing.result import Result
from irmx_study.systems.compare import Comparison
from irmx_study.systems.words import pair_shown_first

# -- what a report is made of: sections, sources and pictures, and the page around them ------------------------------


_FILES = resources.files("irmx_study.reporting").joinpath("templates")
_LIBRARIES = {"jinja2": "Jinja2", "matplotlib": "matplotlib"}
JUDGED = "Judged@10"
"""The measure that gives the shares of unjudged documents: it is computed with the others, so that no run is read twice."""


@dataclass(frozen=True, eq=False)
class Reported:
    """What the sections of a report are made from."""

    comparison: Comparison
    judgments: Judgments | None = None
    runs: Mapping[str, Any] = field(default_factory=dict)
    texts: Mapping[str, str] | None = None
    queries: Mapping[str, str] = field(default_factory=dict)
    command: str = ""
    qrels: str = ""
    judged: Scores | None = None
    persisted: Callable[..., Result] | None = None

    @property
    def pair(self) -> tuple[str, str]:
        """The two systems that the report shows first: the best other system and the baseline that was named, or the best two."""
        return pair_shown_first(self.comparison)


@dataclass(frozen=True)
class Section:
    """A section of a report: an id, a heading, what its template shows, and the data that the script reads.

    The template is ``NAME.html``, or if there is none ``parts.html``, which shows paragraphs, figures, tables and sources.
    """

    name: str
    title: str
    content: Mapping[str, Any] = field(default_factory=dict)
    data: Any = None


@dataclass(frozen=True)
class Source:
    """A text to copy or to save: a table in LaTeX, data as CSV, BibTeX."""

    name: str
    title: str
    text: str
    file: str = ""
    is_open: bool = False

    @property
    def lines(self) -> Any:
        """The text escaped for HTML, its control characters shown, except that lines end where they end."""
        from markupsafe import Markup

        return Markup("\n".join(in_html(line) for line in self.text.split("\n")))


# -- the page ----------------------------------------------------------------------------------------------


def one_page(title: str, headline: str, sections: Sequence[Section]) -> str:
    """Return the page in HTML: sections, styles and scripts in one file."""
    environment = _templates()
    parts = [
        {
            "name": section.name,
            "title": section.title,
            "body": environment.select_template([f"{section.name}.html", "parts.html"]).render(section.content),
            "data": None if section.data is None else _json(section.data),
        }
        for section in sections
    ]
    page = environment.get_template("page.html")
    text: str = page.render(
        title=title, headline=headline, sections=parts, style=_plain_text("report.css"), script=_plain_text("report.js")
    )
    return text


def check_libraries() -> None:
    """Check that the libraries of a report are installed; the error says how to install them."""
    lacking = [name for module, name in _LIBRARIES.items() if find_spec(module) is None]
    if lacking:
        raise UsageError(
            f"A report needs {' and '.join(_LIBRARIES.values())}; {' and '.join(lacking)} cannot be imported. To install "
            "them: pip install jinja2 matplotlib, or from a checkout of irmx: pip install './plugins/irmx-study[report]'"
        )


@lru_cache(maxsize=1)
def _templates() -> Any:
    """Return the templates of Jinja2; what they show is escaped, its control characters are shown."""
    check_libraries()
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def shown(value: Any) -> Any:
        return value if isinstance(value, Markup) or not isinstance(value, str) else visible(value)

    return Environment(
        loader=PackageLoader("irmx_study.reporting"), autoescape=True, finalize=shown, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip


def _json(data: Any) -> str:
    """Return data as JSON that cannot end the element that it stands in."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _plain_text(name: str) -> str:
    return _FILES.joinpath(name).read_text(encoding="utf-8")


_THEME = {
    "#000000": "currentColor", "#ffffff": "var(--page)", "#666666": "var(--soft)", "#dddddd": "var(--line)",
    "#0072b2": "var(--gain)", "#d55e00": "var(--loss)",
}  # fmt: skip
"""The colours of pictures that are those of the page, in the light and in the dark."""


def inline_svg(draw: Callable[[], Any], name: str, title: str) -> Any:
    """Return a picture as an ``svg`` element of a page with the role ``img``, and close it; the same picture gives the same text.

    Texts are drawn as outlines, so that they look the same everywhere. All ids begin with the name.
    """
    from markupsafe import Markup

    with warnings.catch_warnings(), picture_style({"svg.fonttype": "path"}):
        # a box stands for a glyph that is missing; the tables have the name
        warnings.filterwarnings("ignore", "Glyph .* missing|The font of the picture lacks")
        figure = draw().figure
        for patch in (figure.patch, *(axes.patch for axes in figure.axes)):
            if patch.get_facecolor()[:3] == (1, 1, 1):  # the page is seen, and the shade where a picture goes on
                patch.set_visible(False)
        if layout := figure.get_layout_engine():
            layout.execute(figure)
            figure.set_layout_engine(None)  # writing would lay it out twice more
        text = picture_bytes(figure).decode()
    text = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>|<style.*?</style>|^.*?(?=<svg )", "", text, flags=re.DOTALL)
    text = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", text)
    text = re.sub("|".join(_THEME), lambda found: _THEME[found[0]], text)
    width, height = (float(re.search(rf'<svg [^>]*?{side}="([\d.]+)pt"', text)[1]) for side in ("width", "height"))  # type: ignore[index]
    start = f'<svg id="{name}" role="img" aria-labelledby="{name}-title" viewBox="0 0 {width:g} {height:g}" '
    size = f'width="{width * 4 / 3:.0f}" height="{height * 4 / 3:.0f}"'
    start += f'{size}><title id="{name}-title">{in_html(title)}</title>'
    text = re.sub(r"<svg [^>]*>", lambda _: start, text, count=1).replace("xlink:href", "href")
    return Markup(re.sub(r"\n\s*", "\n", text).strip())


# -- the sections that a script draws --------------------------------------------------------------------------------


MOST_VALUES = 150_000
"""How many values are embedded; of a larger study, the systems with the best means."""

MOST_BARS = 200
"""Of more topics, half as many with the largest gains and half as many with the largest losses are drawn."""

MOST_DOCUMENTS = 30_000
"""How many documents at the top of rankings are embedded, of fewer systems or topics if there are more; about 2 MB."""

CHARACTERS = 300
"""So much of the text of a document is shown."""

_ROUNDING = 1e-9
"""As in a comparison: a difference that is the threshold but for rounding is a tie."""

Json = dict[str, Any]
_Ranking = tuple[tuple[str, ...], list[tuple[str, float]]]
"""A ranking, and its first documents with their grades."""


def shown_systems(reported: Reported, most: int) -> tuple[str, ...]:
    """Return at most so many systems: the pair that the report shows first, then the others, the best first."""
    others = [system for system in reported.comparison.ranked() if system not in reported.pair]
    return (*reported.pair, *others[: max(most - 2, 0)])


def short(value: Any) -> Any:
    """Return a number with six significant digits, whole numbers unchanged, and None for one that is not finite.

    >>> short(2 / 3), short(3.0), short(1405591200.0), short(float("nan"))
    (0.666667, 3, 1405591200, None)
    """
    number = float(value)
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() else float(f"{number:.6g}")


def topics(reported: Reported) -> Section:
    """Return the values with which the script draws the differences of two systems on every topic."""
    scores = reported.comparison.scores
    most = MOST_VALUES // max(len(scores.topics) * len(scores.names), 1)
    systems = shown_systems(reported, max(2, most))
    chosen = scores.select(systems=systems)
    values = [[[short(v) for v in system] for system in chosen.values[:, :, v].T] for v in range(len(chosen.names))]
    queries = [visible(reported.queries.get(str(topic), "")) for topic in chosen.topics]
    data = {
        "systems": [visible(reported.comparison.names[system]) for system in systems],
        "measures": [visible(view) for view in chosen.names],
        "most": MOST_BARS,
        "topics": [visible(str(topic)) for topic in chosen.topics],
        "queries": queries,
        "values": values,
        "tie": reported.comparison.choices.tie_threshold * (1 + _ROUNDING),
    }
    content = {"systems": len(systems), "of_systems": len(scores.systems), "queried": any(queries)}
    return Section("topics", "Topics", content, data)


def rankings(reported: Reported, systems: int = 8, top: int = 10) -> Section | None:
    """Return the first documents of the rankings of some systems, on the topics where the first two differ most; None without runs."""
    scores, judgments = reported.comparison.scores, reported.judgments
    most = max(2, min(systems, MOST_DOCUMENTS // (top * max(len(scores.topics), 1))))
    names = [name for name in shown_systems(reported, most) if name in reported.runs]
    if judgments is None or not set(reported.pair) <= set(names):
        return None
    chosen = scores.select(systems=names)
    difference = chosen.values[:, 0, 0] - chosen.values[:, 1, 0]
    places = _most_different(difference, MOST_DOCUMENTS // (top * len(names)))
    topics = [str(chosen.topics[t]) for t in places]
    documents = _ranked_documents(reported, names, topics, top)
    data: Json = {
        "systems": [visible(reported.comparison.names[name]) for name in names],
        "measures": [visible(view) for view in chosen.names],
        "relevant": [_smallest_relevant_grade(measure) for measure in chosen.measures],
        "top": top,
        "topics": [
            {
                "place": t,
                "topic": visible(name),
                "query": visible(reported.queries.get(name, "")),
                "values": [[short(value) for value in of_systems] for of_systems in chosen.values[t].T],
                **of_topic,
            }
            for t, name, of_topic in zip(places, topics, documents, strict=True)
        ],
    }
    content = {
        "top": top, "systems": len(names), "of_systems": len(scores.systems), "topics": len(places),
        "of_topics": len(scores.topics),
    }  # fmt: skip
    return Section("rankings", "Rankings side by side", content, data)


def _most_different(differences: Floats, most: int) -> list[int]:
    """Return the places of at most so many topics, in order: of more, half with the largest gains, half with the largest losses."""
    if len(differences) <= most:
        return list(range(len(differences)))
    order = np.argsort(-differences, kind="stable")[: np.count_nonzero(np.isfinite(differences))]  # NaN is last
    return sorted({*order[: most // 2].tolist(), *order[-(most // 2) :].tolist()})


def _ranked_documents(reported: Reported, systems: Sequence[str], topics: Sequence[str], top: int) -> list[Json]:
    """Return the first documents of some systems on some topics, as the script reads them.

    Per topic: the documents in the first ``top`` of any system, ``docs``, with their ids and grades, and ``texts`` as far as known;
    the ``ranks`` of these documents per system, 0 if it did not retrieve them, None if it has no ranking; and the ``parts`` that make
    up each score, per view and system. Runs are read one after the other, since all of them may be larger than the memory.
    """
    asked = set(topics)
    nothing: _Ranking = ((), [])
    ranked, parts = [], []
    measures = reported.comparison.scores.measures
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # they were issued when the runs were scored
        for system in systems:
            run = read_run(reported.runs[system])
            ranked.append(_ranked(reported, run, top, asked))
            parts.append([_parts(measure, reported, run, top, ranked[-1], asked) for measure in measures])
    found = []
    for topic in topics:
        rankings: list[_Ranking] = [of_system.get(topic, nothing) for of_system in ranked]
        grades = {doc: grade for _, first in rankings for doc, grade in first}
        found.append({
            "docs": [[visible(doc), short(grade)] for doc, grade in grades.items()],
            "texts": [_text(reported, doc) for doc in grades] if reported.texts is not None else [],
            "ranks": [_ranks(ranking, grades) for ranking, _ in rankings],
            "parts": [[of_system.get(topic) for of_system in of_view] for of_view in zip(*parts, strict=True)],
        })  # fmt: skip
    return found


def _ranked(reported: Reported, run: Any, top: int, asked: Container[str]) -> dict[str, _Ranking]:
    """Return the rankings of a run by topic; none for a stream in which documents repeat, or a run that shares no topic."""
    try:
        rankings = irmx.rankings(reported.judgments, run)
        rows = rankings.ranked
        ids, ends = rows.doc_ids, rows.offsets.tolist()
    except DataError:
        return {}
    grades = np.where(rows.grade < 0, np.nan, rows.grade)
    ranked = {}
    for t, topic in enumerate(rankings.topics):
        ranking = ids[ends[t] : ends[t + 1]]
        if len(set(ranking)) < len(ranking):
            return {}
        if str(topic) in asked:
            of_first = grades[ends[t] : ends[t + 1]][:top].tolist()
            ranked[str(topic)] = (ranking, list(zip(ranking[:top], of_first, strict=True)))
    return ranked


def _ranks(ranking: Sequence[str], documents: Mapping[str, float]) -> list[int] | None:
    """Return the ranks of documents, 0 for one that is not in the ranking; None if there is no ranking."""
    if not ranking:
        return None
    rank = {doc: i for i, doc in enumerate(ranking, 1) if doc in documents}
    return [rank.get(doc, 0) for doc in documents]


def _parts(
    measure: ir_measures.Measure,
    reported: Reported,
    run: Any,
    top: int,
    ranked: Mapping[str, _Ranking],
    asked: Container[str],
) -> dict[str, Json]:
    """Return by topic what makes up the scores of a run; empty for a measure that does not break them down."""
    try:
        return {
            e.query_id: _contributions(e, ranked, top)
            for e in explanations(measure, reported.judgments, run)
            if e.query_id in asked
        }
    except (UsageError, DataError):
        return {}


def _contributions(explanation: Explanation, ranked: Mapping[str, _Ranking], top: int) -> Json:
    """Return what the first documents add to a score, and the number and sum of others; of another score, rows of its own table."""
    columns = explanation.columns
    if list(columns)[:3] == ["rank", "doc_id", "grade"]:  # what the host gives first of documents at ranks
        added = dict(zip(columns["doc_id"], columns["contribution"], strict=True))
        of_first = [short(added.pop(doc, 0)) for doc in ranked[explanation.query_id][0][:top]]
        others = [value for value in added.values() if value]
        return {"of": of_first, "rest": [len(others), short(sum(others))]}
    names = [*(name for name in columns if name != "contribution"), "contribution"]
    rows = [
        [
            short(cell) if isinstance(cell, (int, float)) and not isinstance(cell, bool) else visible(str(cell))
            for cell in row
        ]
        for row in zip(*(columns[name][:top] for name in names), strict=True)
    ]
    rest = columns["contribution"][top:]
    return {"columns": [visible(name) for name in names], "rows": rows, "rest": [len(rest), short(sum(rest))]}


def _text(reported: Reported, doc: str) -> str:
    """Return the beginning of the text of a document; empty if it is not known."""
    text = " ".join(str((reported.texts or {}).get(doc) or "").split())
    return visible(text if len(text) <= CHARACTERS else f"{text[:CHARACTERS].rstrip()} …")


def _smallest_relevant_grade(measure: ir_measures.Measure) -> float:
    """Return the grade from which a document counts as relevant for a measure: its ``rel``, 1 by default."""
    own = isinstance(measure, Measure) and "rel" in measure.SUPPORTED_PARAMS
    rel = measure["rel"] if own else measure.params.get("rel")
    return 1.0 if rel is None else float(rel)


# -- the texts of documents and topics -------------------------------------------------------------------------------


class DocumentTexts(Mapping[str, str]):
    """The texts of the documents of a collection of ir_datasets, looked up one by one."""

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset

    def __getitem__(self, doc_id: str) -> str:
        return text_of(self._dataset.docs_store().get(doc_id))

    def __iter__(self) -> Iterator[str]:
        return (doc.doc_id for doc in self._dataset.docs_iter())

    def __len__(self) -> int:
        return int(self._dataset.docs_count())


def text_of(item: Any) -> str:
    """Return the text of a document or topic of ir_datasets.

    >>> from ir_datasets.formats import GenericDoc
    >>> text_of(GenericDoc("d1", "some text"))
    'some text'
    """
    if hasattr(item, "default_text"):
        return str(item.default_text())
    fields = [getattr(item, name, "") for name in ("title", "text", "body")]
    return " ".join(str(field) for field in fields if field)


def collection_named(qrels: Any) -> Any | None:
    """Return the collection of ir_datasets that qrels are an id of; None if they are something else."""
    if not isinstance(qrels, str) or (not qrels.startswith("irds:") and os.path.exists(qrels)):
        return None
    try:
        return dataset(qrels.removeprefix("irds:"))
    except DataError:
        return None


def texts_of_collection(collection: Any) -> DocumentTexts | None:
    """Return the texts of the documents of a collection; None if its documents are not on this machine.

    Collections can be large: nothing is downloaded for a report.
    """
    if collection is None or not collection.has_docs():
        return None
    try:
        path = collection.docs_handler().docs_path(force=False)
        return DocumentTexts(collection) if os.path.exists(path) else None
    except (AttributeError, NotImplementedError, OSError, TypeError, ValueError):
        return None  # where the documents lie cannot be told


def queries_of_collection(collection: Any) -> dict[str, str]:
    """Return the texts of the topics of a collection; empty if it has none, or they cannot be read."""
    if collection is None or not collection.has_queries():
        return {}
    try:
        return {str(query.query_id): text_of(query) for query in collection.queries_iter()}
    except (OSError, RuntimeError):
        return {}


def read_document_texts(path: Path | None) -> dict[str, str] | None:
    """Read the texts of documents from a table with the columns doc_id, and title or text."""
    return _read_texts(path, "doc_id", ("title", "text"), "table of texts")


def read_query_texts(path: Path | None) -> dict[str, str] | None:
    """Read the texts of topics from a table with the column query_id, and query, title or text."""
    return _read_texts(path, "query_id", ("query", "title", "text"), "table of queries")


def _read_texts(path: Path | None, of: str, parts: Sequence[str], what: str) -> dict[str, str] | None:
    """Return texts by id, the parts of each joined by spaces; None where there is no file."""
    if path is None:
        return None
    columns = {of: Param(str, "what the text is of", required=True)}
    table = read_table(str(path), columns | {name: Param(str, "a text", nullable=True) for name in parts}, what)
    names = [name for name in parts if name in table]
    if not names:
        raise DataError(f"{table.name} has no texts. It needs the columns {of}, and {' or '.join(parts)}.")
    texts = (" ".join(filter(None, found)) for found in zip(*(table[name].tolist() for name in names), strict=True))
    return dict(zip(table[of].tolist(), texts, strict=True))
