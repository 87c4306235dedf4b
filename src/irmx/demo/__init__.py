"""The small collection that ships with irmx, for ``irmx demo`` and examples.

300 short documents, 30 topics with subtopics, judgments and three runs. All of its text was written for irmx: the harbour
town of Merrowick and its year are invented, and a program in the documentation folder composes the documents.
"""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import ir_measures

from irmx.data.files import new_folder
from irmx.data.reading import read_qrels
from irmx.declare.columns import Column
from irmx.declare.expressions import parse_measure
from irmx.declare.measures import Measure
from irmx.errors import PluginWarning, UsageError
from irmx.registry import registry

if TYPE_CHECKING:
    import pandas as pd


# -- the small collection that ships with irmx, for ``irmx demo`` and examples ---------------------------------------


SYSTEMS = ("bm25", "titles", "recent")
"""The names of the three systems: BM25 over titles and texts, BM25 over titles alone, and the first with scores that
halve with every 90 days of a document's age."""

_EXISTING = ("AP", "nDCG@10", "P@10", "RBP(rel=1)")
_HERE = Path(__file__).parent
_DOCUMENT_COLUMNS = _HERE / "document_columns.csv"


def qrels_path() -> Path:
    """Return the path of the TREC qrels: for every judged document its largest grade over the subtopics, 0, 1 or 2.

    >>> import irmx
    >>> irmx.calc_aggregate("NumQ", qrels_path(), run_path("bm25"))
    {NumQ: 30.0}
    """
    return _HERE / "demo.qrels"


def judgments_path() -> Path:
    """Return the path of the whole judgments, a table with a row per judged document and subtopic.

    Besides ``query_id``, ``doc_id``, ``relevance`` and ``iteration``, the subtopic, it has columns that measures of plugins
    read; its header names them. Rows without a ``doc_id`` declare a subtopic that no document is relevant to, or a label
    that no judged document has.

    >>> import irmx
    >>> irmx.read_qrels(judgments_path()).as_dict() == irmx.read_qrels(qrels_path()).as_dict()
    True
    """
    return _HERE / "judgments.csv"


def run_path(system: str) -> Path:
    """Return the path of the TREC run of one of :data:`SYSTEMS`."""
    if system not in SYSTEMS:
        raise UsageError(f"The demo collection has no system {system!r}; it has {', '.join(SYSTEMS)}.")
    return _HERE / f"{system}.run"


def documents() -> pd.DataFrame:
    """Return the documents: ``doc_id``, ``title``, ``text``, ``date`` (ISO 8601, UTC), and where each comes from.

    Ids have the names of ir_measures; rename ``doc_id`` to ``docno`` for PyTerrier.

    >>> documents().iloc[0][["doc_id", "date"]].tolist()
    ['d001', '2023-01-08T09:25:00+00:00']
    """
    return _records("documents.jsonl")


def topics() -> pd.DataFrame:
    """Return the topics: ``query_id``, ``query``, ``description``, ``subtopics``, and from where users want documents.

    Ids have the names of ir_measures; rename ``query_id`` to ``qid`` for PyTerrier. ``subtopics`` is a dict of the words of a
    subtopic by its id, which is the ``iteration`` of the judgments.

    >>> first = topics().iloc[0]
    >>> first["query_id"], first["query"], first["subtopics"]
    ('1', 'ferry strike', {'1': 'demands of the crews', '2': 'stranded passengers', '3': 'settlement'})
    """
    return _records("topics.jsonl")


def run_table(system: str) -> pd.DataFrame:
    """Return a run of :data:`SYSTEMS` with columns of its documents, which measures may read besides ``score``.

    >>> run_table("titles").columns.tolist()[:3]
    ['query_id', 'doc_id', 'score']
    """
    import pandas as pd

    run = pd.DataFrame(list(ir_measures.read_trec_run(str(run_path(system)))))
    columns = pd.read_csv(_DOCUMENT_COLUMNS).set_axis(["doc_id", *run_columns()], axis="columns")
    return run.merge(columns, on="doc_id", how="left")


def run_columns() -> dict[str, str]:
    """Return the units of the columns that :func:`run_table` adds, by name; the header of their file says both."""
    with _DOCUMENT_COLUMNS.open(encoding="utf-8") as file:
        _, *names = file.readline().strip().split(",")
    return {name: unit.rstrip(")") for name, _, unit in (text.partition(" (") for text in names)}


def block_table(system: str, label: str, alone: Sequence[str] = ()) -> pd.DataFrame:
    """Return the first ten results of a run in blocks: the columns of :func:`run_table`, for measures of grouped results.

    Results of one label stand together, as one block, at the place of the best of them. ``score`` counts down from 10 to
    put them into that order.
    """
    run = run_table(system)
    first = run.groupby("query_id", sort=False).head(10)
    rank = first.groupby("query_id").cumcount()
    best = rank.groupby([first["query_id"], first[label]]).transform("min")
    block = best.where(~first[label].isin(list(alone)), rank)
    topic = first["query_id"].astype(int)
    ordered = first.assign(topic=topic, block=block, rank=rank).sort_values(
        ["topic", "block", "rank"], ignore_index=True
    )
    ordered["score"] = 10.0 - ordered.groupby("topic").cumcount()
    return ordered[run.columns]


def demo_measures() -> list[ir_measures.Measure]:
    """Return the measures of the demo: existing ones, then the examples of installed plugins that run on it.

    They read no columns but those of :func:`run_table`, in the same units, and of :func:`judgments_path`. Of a measure that
    reads such columns only the first example is there. Examples that are no expressions are left out with an :class:`irmx.errors.PluginWarning`.
    """
    out = [parse_measure(e) for e in _EXISTING]
    judged, units = set(read_qrels(judgments_path()).columns), run_columns()
    for measure in registry().measures().values():
        listed = measure.EXAMPLES
        for example in listed if isinstance(listed, (tuple, list)) else (listed,):
            try:
                parsed = parse_measure(example)
                columns = columns_needed(parsed)
                if all(
                    c.name in judged if c.table == "qrels" else c.unit in ("", units.get(c.name)) and c.name in units
                    for c in columns
                ):
                    out.append(parsed)
                    if columns:
                        break
            except Exception as error:
                left_out(measure, example, error)
    return out


def left_out(measure: Measure, example: object, error: BaseException) -> None:
    """Warn of an example of a plugin's measure that fails."""
    source = registry().source_of(registry().measures()[str(measure.NAME)])
    warnings.warn(
        f"The example {example} of the measure {measure.NAME} of {source} is left out: {type(error).__name__}: {error}",
        PluginWarning,
        stacklevel=3,
    )


def columns_needed(measure: ir_measures.Measure) -> list[Column]:
    """Return the extra columns that a measure cannot do without."""
    read = (*measure.run_columns(), *measure.qrel_columns()) if isinstance(measure, Measure) else ()
    return [column for column in read if not column.optional]


def label_columns(measure: ir_measures.Measure) -> list[Column]:
    """Return the label columns by which a measure groups results."""
    return [c for c in columns_needed(measure) if c.table == "run" and c.sample.alone is not None]


def _records(name: str) -> pd.DataFrame:
    """Return a file of JSON lines as a table, its values as they stand there."""
    import json

    import pandas as pd

    return pd.DataFrame([json.loads(line) for line in (_HERE / name).read_text(encoding="utf-8").splitlines()])


# -- the demo collection as files, under the names that the examples of the documentation use ------------------------


CONTENTS = {
    "qrels.txt": "TREC qrels",
    "run.txt": "the TREC run of bm25",
    "runs": "the TREC runs of all systems",
    "judgments.csv": "judgments with subtopics, dates and the other columns that measures read",
    "tables": "the runs with the columns of their documents that measures read",
    "pages": "the first results of the runs in blocks, if an installed measure reads such pages",
    "documents.jsonl": "the documents, with their texts",
    "topics.jsonl": "the topics",
}
"""What is in the folder."""


def write_demo(folder: str | os.PathLike[str]) -> Path:
    """Write the collection into a new folder, and return the folder.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as above:
    ...     made = write_demo(Path(above) / "demo")
    ...     sorted(path.name for path in made.iterdir())[:4]
    ['documents.jsonl', 'judgments.csv', 'pages', 'qrels.txt']
    """
    target = Path(folder)
    with new_folder(target, "Choose another folder.") as made:
        for source, name in (
            (qrels_path(), "qrels.txt"),
            (run_path(SYSTEMS[0]), "run.txt"),
            (judgments_path(), "judgments.csv"),
            *((qrels_path().parent / name, name) for name in ("documents.jsonl", "topics.jsonl")),
        ):
            shutil.copyfile(source, made / name)
        labels = {column.name: column for measure in demo_measures() for column in label_columns(measure)}
        (made / "runs").mkdir()
        (made / "tables").mkdir()
        for system in SYSTEMS:
            shutil.copyfile(run_path(system), made / "runs" / f"{system}.run")
            run_table(system).to_csv(made / "tables" / f"{system}.csv", index=False, lineterminator="\n")
            for name, column in labels.items():
                of_label = made / ("pages" if len(labels) == 1 else f"pages-by-{name}")
                of_label.mkdir(exist_ok=True)
                pages = block_table(system, name, column.sample.alone or ())
                pages.to_csv(of_label / f"{system}.csv", index=False, lineterminator="\n")
    return target
