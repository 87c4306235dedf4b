"""The hooks of irmx-trec."""

from irmx import Command, Function, Measure, hookimpl
from irmx_trec.discounted_gain import DiscountedGain
from irmx_trec.precision_at_relevant import AveragePrecision, ReciprocalRank
from irmx_trec.preferred_judgments import BinaryPreference
from irmx_trec.rank_biased import RankBiasedPrecision
from irmx_trec.relevant_counts import Judged, RelevantDocuments, RetrievedDocuments
from irmx_trec.relevant_on_top import Precision, Recall, RelevantPrecision, Success


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
