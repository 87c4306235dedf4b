"""The hooks of irmx-trec."""

from irmx import Command, Function, Measure, hookimpl
from irmx_trec.cascade import ExpectedReciprocalRank
from irmx_trec.classics import (
    AveragePrecision,
    BinaryPreference,
    DiscountedGain,
    Judged,
    Precision,
    RankBiasedPrecision,
    Recall,
    ReciprocalRank,
    RelevantDocuments,
    RelevantPrecision,
    RetrievedDocuments,
    Success,
)
from irmx_trec.compatibility import Compatibility
from irmx_trec.expected_under_ties import ExpectedValue
from irmx_trec.q_measure import QMeasure
from irmx_trec.set_measures import (
    InferredAveragePrecision,
    InterpolatedPrecision,
    NumberOfTopics,
    SetAveragePrecision,
    SetF,
    SetPrecision,
    SetRecall,
)


@hookimpl
def irmx_measures() -> list[Measure]:
    return [QMeasure(), ExpectedValue()]


@hookimpl
def irmx_scorers() -> list[Measure]:
    return [
        AveragePrecision(),
        Precision(),
        Recall(),
        RelevantPrecision(),
        ReciprocalRank(),
        DiscountedGain(),
        BinaryPreference(),
        Success(),
        Judged(),
        RelevantDocuments(),
        RetrievedDocuments(),
        RankBiasedPrecision(),
        ExpectedReciprocalRank(),
        SetPrecision(),
        SetRecall(),
        SetF(),
        SetAveragePrecision(),
        InterpolatedPrecision(),
        InferredAveragePrecision(),
        NumberOfTopics(),
        Compatibility(),
    ]


@hookimpl
def irmx_commands() -> list[Command]:
    examples = (
        "irmx reconcile qrels.txt run.txt nDCG@10 --value .7012",
        "irmx reconcile qrels.txt run.txt nDCG@10=.7012 AP=.2311",
        "irmx reconcile qrels.txt run.txt nDCG@10 --scores theirs.csv -o csv",
    )
    about = "Find out why another tool's number differs on the same files."
    return [
        Command("reconcile", "irmx_trec.commands:reconcile_numbers", "", about, examples, "score", ("conventions",))
    ]


@hookimpl
def irmx_functions() -> list[Function]:
    return [Function("reconcile", "irmx_trec:reconcile", "Find out why another tool's number differs.")]
