"""The subcommands that irmx-markov adds to ``irmx``."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Annotated, Any

from irmx import UsageError
from irmx.toolkit import Argument, FormatOption, Option, new_file, print_rows

_LOG_HELP = "Click log: a table file with session, rank and time, or a log in the format of Yandex's Relevance Prediction Challenge."
_OUT = Option("--out", help="File to write; by default standard output.")


def learn_chain(
    log: Annotated[str, Argument(help=_LOG_HELP)],
    out: Annotated[str, Argument(help="File to write the matrix to: .npz, .npy, .csv or .tsv.")],
    size: Annotated[
        int | None, Option("--size", min=1, help="Number of ranks; by default the largest rank in the log.")
    ] = None,
    smoothing: Annotated[float, Option("--smoothing", help="Added to every count of moves.")] = 1.0,
    self_loops: Annotated[bool, Option("--self-loops", help="Count successive clicks on one rank.")] = False,
    qrels: Annotated[
        str | None,
        Option(
            "--qrels",
            metavar="QRELS",
            help="Judgments; the log has query_id and doc_id. Two matrices are written, for moves from relevant documents and from others.",
        ),
    ] = None,
    rel: Annotated[float, Option("--rel", help="Smallest grade that counts as relevant.")] = 1,
) -> None:
    """Learn a Markov model from a click log.

    Use it as MP(model=matrix(file='OUT')). With --qrels, OUT chain.npz stands for the files chain.relevant.npz and chain.other.npz:
    MP(model=by_relevance(relevant=matrix(file='chain.relevant.npz'),other=matrix(file='chain.other.npz'))).
    """
    from irmx_markov.click_logs import backward_share, read_click_log
    from irmx_markov.click_logs import learn_chain as learn
    from irmx_markov.own_matrix import TransitionMatrix

    table = read_click_log(log)
    model = learn(table, size, smoothing, self_loops, qrels, rel)
    path = Path(out)
    by_file = (
        {out: model}
        if isinstance(model, TransitionMatrix)
        else {str(path.with_name(f"{path.stem}.{name}{path.suffix}")): model[name] for name in model.params}
    )
    for file, matrix in by_file.items():
        matrix.save(file)
    print(
        f"{' and '.join(by_file)}: moves between ranks of {table['session'].nunique()} sessions, {backward_share(table):.1%} of them backward"
    )


def holding_times(
    log: Annotated[str, Argument(help=_LOG_HELP)],
    out: Annotated[str | None, _OUT] = None,
    by: Annotated[
        list[str] | None,
        Option("--by", help="Columns to group clicks by, separated by commas; by default rank. May be repeated."),
    ] = None,
    min_sessions: Annotated[
        int,
        Option(
            "--min-sessions",
            min=1,
            help="Use only queries issued in at least this many sessions; the log has query_sessions, or is Yandex's.",
        ),
    ] = 1,
    min_clicked_pages: Annotated[
        int,
        Option("--min-clicked-pages", min=1, help="Use only queries with clicks on at least this many result pages."),
    ] = 1,
    unit: Annotated[float, Option("--unit", help="Unit of the log's times, in seconds.")] = 1.0,
    output_format: FormatOption = "tsv",
) -> None:
    """Calibrate mean holding times from a click log.

    Use them as MPcont(model=GL_AD_ID,times=by_rank(file='OUT')).
    """
    from irmx_markov.click_logs import holding_times as calibrate
    from irmx_markov.click_logs import read_click_log

    columns = [name.strip() for name in ",".join(by or ["rank"]).split(",")]
    times = calibrate(read_click_log(log, unit), columns, min_sessions, min_clicked_pages=min_clicked_pages)
    _write(times, out, output_format)


def best_retrieved(
    qrels: Annotated[str, Argument(help="Qrels: a file or an ir_datasets id.")],
    runs: Annotated[list[str], Argument(metavar="RUN...", help="Runs to compare: files or quoted globs.")],
    out: Annotated[str | None, _OUT] = None,
    rel: Annotated[float, Option("--rel", help="Smallest grade that counts as relevant.")] = 1,
    cutoff: Annotated[
        int | None, Option("--cutoff", min=1, help="Consider only this many documents at the top of each run.")
    ] = None,
    output_format: FormatOption = "tsv",
) -> None:
    """Write qrels with the column best_retrieved.

    The column holds the largest number of relevant documents that any of the runs retrieves for the topic. It is read by
    MP(model=GL_AD_ID,rescale='relative_recall').
    """
    from irmx.toolkit import matching_files
    from irmx_markov.markov_precision import add_best_retrieved

    paths = [path for argument in runs for path in matching_files(argument)]
    _write(add_best_retrieved(qrels, paths, rel, cutoff), out, output_format)


def _write(table: Any, out: str | None, output_format: str) -> None:
    """Print a table, or write it as .csv or .tsv."""
    if out is None:
        print_rows(table, output_format, places=-1)
        return
    path = Path(out)
    if path.suffix not in (".csv", ".tsv"):
        raise UsageError(f"The table is written as .csv or .tsv. Got {out!r} instead.")
    text = io.StringIO()
    print_rows(table, path.suffix.removeprefix("."), places=-1, file=text)
    with new_file(path) as file:
        file.write(text.getvalue().encode())
