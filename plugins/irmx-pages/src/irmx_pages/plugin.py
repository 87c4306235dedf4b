"""The hooks of irmx-pages."""

from irmx import Command, Format, Measure, Symbol, hookimpl
from irmx_pages.aggregated_search import AS, AS_ATT, AS_DCG, AS_ERR, AS_RBP, vF, vPrecision, vRecall
from irmx_pages.examination_models import NAMED
from irmx_pages.page_diversity import AS_alpha_nDCG, AS_D_nDCG, AS_Dsharp_nDCG, AS_IA_nDCG
from irmx_pages.pages_format import PagesFormat


@hookimpl
def irmx_measures() -> list[Measure]:
    return [
        *(AS_DCG, AS_RBP, AS_ERR, AS_ATT, AS),
        *(vRecall, vPrecision, vF),
        *(AS_alpha_nDCG, AS_D_nDCG, AS_Dsharp_nDCG, AS_IA_nDCG),
    ]


@hookimpl
def irmx_symbols() -> list[Symbol]:
    return [*NAMED]


@hookimpl
def irmx_formats() -> list[Format]:
    return [PagesFormat()]


@hookimpl
def irmx_commands() -> list[Command]:
    return [
        Command(name, f"irmx_pages.commands:{name.replace('-', '_')}", "pages", about, (f"irmx pages {name} {arguments}",), section, meant_by)
        for name, section, meant_by, about, arguments in (
            ("score", "score", (), "Score every page of every topic.", "pages.jsonl AS_DCG nDCG --qrels qrels.csv"),
            ("simulate", "study", (), "Make pages of graded quality for every topic, for assessors to compare.",
             "qrels.csv -i bm25.csv -v redde.csv --out pages.jsonl --pairs pairs.csv"),
            ("agreement", "study", ("power",), "Show how often measures agree with the preferences of assessors.",
             "pages.jsonl preferences.csv AS_DCG nDCG --qrels qrels.csv"),
            ("fit", "study", (), "Learn the parameters of a page measure from preferences.",
             "pages.jsonl preferences.csv AS_RBP --grid beta=0.5:1 --qrels qrels.csv"),
            ("clicks", "study", (), "Show how likely users are to examine each position of a page.", "clicks.tsv"),
            ("fit-effort", "study", (), "Estimate the effort of each media type from the times that users spent on items.",
             "times.csv image"),
            ("fit-examination", "study", (), "Fit an examination model to a log of the blocks that users examined.",
             "examinations.csv rbp beta"),
        )
    ]  # fmt: skip
