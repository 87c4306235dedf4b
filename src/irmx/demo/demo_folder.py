"""The demo collection as files, under the names that the examples of the documentation use."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from irmx.data.files import new_folder
from irmx.demo import (
    SYSTEMS,
    block_table,
    demo_measures,
    judgments_path,
    label_columns,
    qrels_path,
    run_path,
    run_table,
)

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
