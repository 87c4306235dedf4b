"""The hooks of irmx-platforms."""

from irmx import Command, Format, Function, OutputFormat, hookimpl
from irmx_platforms.answers import Answers, Nuggetizer, Support, Udcg
from irmx_platforms.rankings import (
    MsMarco,
    Mteb,
    OpenSearch,
    Quepid,
    QuepidCase,
    RankEval,
    RanxLz4,
    SentenceTransformers,
    Ubi,
)
from irmx_platforms.results import AutoJudge, DeepEval, EveryEvalEver, Helm, Inspect, LmEval, Promptfoo, Ragas
from irmx_platforms.tira import Prototext
from irmx_platforms.traces import Traces


@hookimpl
def irmx_formats() -> list[Format]:
    rankings = [
        Mteb(),
        RankEval(),
        OpenSearch(),
        Quepid(),
        QuepidCase(),
        MsMarco(),
        Ubi(),
        SentenceTransformers(),
        RanxLz4(),
    ]
    results = [Inspect(), LmEval(), Helm(), EveryEvalEver(), Promptfoo(), DeepEval(), Ragas(), AutoJudge()]
    answers = [Nuggetizer(), Answers(), Support(), Udcg()]
    return [Traces(), *rankings, *results, *answers]


@hookimpl
def irmx_output_formats() -> list[OutputFormat]:
    return [Prototext()]


@hookimpl
def irmx_commands() -> list[Command]:
    examples = (
        "irmx to-every-eval-ever qrels.txt run.txt AP nDCG@10 --out results --collection robust04 --organization lab",
    )
    about = "Write scores in the form of Every Eval Ever."
    return [
        Command(
            "to-every-eval-ever",
            "irmx_platforms.commands:write_every_eval_ever",
            "",
            about,
            examples,
            "score",
            ("eee", "export"),
        )
    ]


@hookimpl
def irmx_functions() -> list[Function]:
    return [
        Function(
            "to_every_eval_ever", "irmx_platforms:to_every_eval_ever", "Write scores in the form of Every Eval Ever."
        )
    ]
