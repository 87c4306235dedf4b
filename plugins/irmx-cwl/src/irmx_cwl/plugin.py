"""The hooks of irmx-cwl."""

from irmx import Command, Format, Measure, Symbol, hookimpl
from irmx_cwl.cwl_measure import CWL, USERS
from irmx_cwl.expected_gains import SCORERS
from irmx_cwl.session_measures import ESNCG, ESNDCG, NSDCG, SDCG, SDCG_Q, SESSION, SESSION_COST, SRBP
from irmx_cwl.sessions import SESSION_RUNS
from irmx_cwl.time_biased_gain import EFFORT, TBG, U


@hookimpl
def irmx_measures() -> list[Measure]:
    return [CWL, TBG, U, EFFORT, SDCG, NSDCG, SDCG_Q, ESNDCG, ESNCG, SRBP, SESSION, SESSION_COST]


@hookimpl
def irmx_scorers() -> list[Measure]:
    return SCORERS


@hookimpl
def irmx_symbols() -> list[Symbol]:
    return USERS


@hookimpl
def irmx_formats() -> list[Format]:
    return [SESSION_RUNS]


@hookimpl
def irmx_commands() -> list[Command]:
    return [
        Command(
            "clicks",
            "irmx_cwl.commands:clicks",
            "cwl",
            "Show how likely users are to go on from each rank.",
            ("irmx cwl clicks clicks.tsv",),
            "study",
        ),
        Command(
            "fit",
            "irmx_cwl.commands:fit",
            "cwl",
            "Correlate measures with ratings, and choose parameters.",
            ("irmx cwl fit qrels.txt sessions.csv nsDCG@10 'sRBP(p=0.1:0.9:9)' --ratings ratings.csv",),
            "study",
        ),
    ]
