"""The hooks of irmx-markov."""

from irmx import Command, Measure, Symbol, hookimpl
from irmx_markov.continuous_time import BY_LENGTH, BY_RANK, DWELL, MPcont
from irmx_markov.markov_models import NAMED
from irmx_markov.markov_precision import MP
from irmx_markov.own_matrix import BY_RELEVANCE, MATRIX


@hookimpl
def irmx_measures() -> list[Measure]:
    return [MP, MPcont]


@hookimpl
def irmx_symbols() -> list[Symbol]:
    return [*NAMED, MATRIX, BY_RELEVANCE, DWELL, BY_RANK, BY_LENGTH]


@hookimpl
def irmx_commands() -> list[Command]:
    return [
        Command(
            name,
            f"irmx_markov.commands:{name.replace('-', '_')}",
            "markov",
            about,
            (f"irmx markov {name} {rest}",),
            "score",
        )
        for name, about, rest in (
            ("learn-chain", "Learn a Markov model from a click log.", "clicks.tsv chain.npz --size 10 --smoothing 1"),
            ("holding-times", "Calibrate mean holding times from a click log.", "clicks.tsv --out times.tsv"),
            (
                "best-retrieved",
                "Write qrels with the column best_retrieved.",
                "qrels.txt 'runs/*.run' --out with_best.tsv",
            ),
        )
    ]
