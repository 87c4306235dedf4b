"""The sections on tables to use elsewhere, what to cite, and how the report was made."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

from irmx_study.comparison.method_sentences import sentences_of
from irmx_study.comparison.tables_for_reading import facts_and_notes
from irmx_study.html_report.csv_texts import csv_of
from irmx_study.html_report.reported import Reported
from irmx_study.html_report.section import Section, Source, parts, table_of

if TYPE_CHECKING:
    import pandas as pd

    from irmx import Scores

MOST_ROWS = 3000
"""A report has the comparisons as data if there are no more."""


def tables(reported: Reported) -> Section:
    """Return the table of a paper in LaTeX, and the data as CSV."""
    comparison = reported.comparison
    sources = [
        Source("latex-comparison", "Table for a paper, in LaTeX", comparison.to_latex(), "comparison.tex"),
        Source("csv-summary", "Means and differences, as CSV", csv_of(reported.summary), "systems.csv"),
    ]
    if len(comparison.comparisons) <= MOST_ROWS:
        sources.append(Source("csv-comparisons", "Comparisons, as CSV", csv_of(comparison.frame()), "comparisons.csv"))
    by_topic = csv_of(values_by_topic(comparison.scores))
    sources.append(Source("csv-topics", "Values of every topic, as CSV", by_topic, "topics.csv"))
    return parts("tables", "Tables and data", sources=sources)


def values_by_topic(scores: Scores) -> pd.DataFrame:
    """Return one row per topic and system, with a column per measure."""
    import numpy as np
    import pandas as pd

    t, s = (index.ravel() for index in np.indices(scores.values.shape[:2]))
    names = {"query_id": np.array(scores.topics, dtype=object)[t], "system": np.array(scores.systems, dtype=object)[s]}
    values = {str(measure): scores.values[:, :, m].ravel() for m, measure in enumerate(scores.measures)}
    return pd.DataFrame(names | values)


def citing(reported: Reported) -> Section:
    """Return the sentences for a method section, and BibTeX of what to cite."""
    comparison = reported.comparison
    entries = "\n\n".join(citation.bibtex() for citation in comparison.citations())
    sources = [Source("methods", "For the method section", sentences_of(comparison), is_open=True)]
    if entries:
        sources.append(Source("bibtex", "What to cite, in BibTeX", entries, "report.bib"))
    return parts("citing", "Methods and how to cite", sources=sources)


def making(reported: Reported) -> Section:
    """Return the facts, the versions, the command and the digests of the files."""
    facts = [*facts_and_notes(reported.comparison), ("irmx-study", version("irmx-study"))]
    made_by = reported.comparison.scores.made_by
    files = {**made_by.get("runs", {}), **made_by.get("files", {})}
    if digest := made_by.get("qrels"):
        files = {reported.qrels: digest, **files}
    digests = [{"file": name, "SHA-256": digest} for name, digest in files.items() if digest]
    content = {
        "facts": facts,
        "command": Source("command", "Command", reported.command, is_open=True) if reported.command else None,
        "qrels": reported.qrels,
        "digests": table_of(digests, "Files that were read, and the digests of their bytes") if digests else None,
        "files": len(digests),
    }
    return Section("making", "How it was made", content)
