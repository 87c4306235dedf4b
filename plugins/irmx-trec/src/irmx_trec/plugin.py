"""The hooks of irmx-trec."""

from irmx import Measure, hookimpl
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
