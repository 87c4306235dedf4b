"""The hooks of irmx-answers."""

from irmx import Command, Measure, hookimpl
from irmx_answers.judged_answers import NUGGET_RECALL, SUPPORT_PRECISION, SUPPORT_RECALL
from irmx_answers.readers import S_MEASURE, S_SHARP, UDCG


@hookimpl
def irmx_measures() -> list[Measure]:
    return [NUGGET_RECALL, SUPPORT_PRECISION, SUPPORT_RECALL, UDCG, S_MEASURE, S_SHARP]


@hookimpl
def irmx_commands() -> list[Command]:
    about = "Rate systems by battles between their answers, and measures by how they agree with them."
    examples = (
        "irmx battles battles.jsonl",
        "irmx battles battles.csv --scores scores.parquet",
        "irmx battles battles.csv --qrels qrels.txt --run bm25=bm25.run --run dense=dense.run --measure nDCG@10",
    )
    return [
        Command(
            "battles",
            "irmx_answers.commands:battles",
            "",
            about,
            examples,
            "compare",
            ("elo", "arena", "bradley-terry"),
        )
    ]
