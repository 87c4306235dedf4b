"""The plugin irmx-study: its hooks."""

from irmx import Command, Function, Symbol, hookimpl
from irmx_study.statistics.tests import (
    BenjaminiHochberg,
    BenjaminiYekutieli,
    Bonferroni,
    BootstrapTest,
    Holm,
    Hommel,
    MaxT,
    NoCorrection,
    PermutationTest,
    RandomisedTukeyTest,
    SignTest,
    TTest,
    TukeyTest,
    WilcoxonTest,
)


@hookimpl
def irmx_symbols() -> list[Symbol]:
    tests = (TTest, PermutationTest, BootstrapTest, WilcoxonTest, SignTest, TukeyTest, RandomisedTukeyTest)
    corrections = (Holm, Bonferroni, Hommel, BenjaminiHochberg, BenjaminiYekutieli, MaxT, NoCorrection)
    return [kind() for kind in (*tests, *corrections)]


_COMMANDS: tuple[tuple[str, str, str, str, tuple[str, ...]], ...] = (
    (
        "compare", "commands:compare_runs", "compare", "Show which system is better, by how much, and how sure that is.",
        (
            "irmx compare qrels.txt baseline.run other.run AP nDCG@10",
            "irmx compare qrels.txt 'runs/*.run' AP --baseline bm25.run -o latex",
            "irmx compare qrels.txt baseline.run my.run 'MP(model=*)' --plot users.pdf",
            "irmx compare --scores results.parquet --baseline bm25.run --table border",
        ),
    ),
    (
        "collection", "commands:features_of_collection", "study", "Describe judgments and runs, for a paper's table.",
        ("irmx collection qrels.txt 'runs/*.run' -o latex",),
    ),
    (
        "discriminate", "commands:discriminate_measures", "study", "Show which measures separate systems.",
        (
            "irmx discriminate qrels.txt 'runs/*.run' AP P@10 'MP(model=GL_AD_ID)'",
            "irmx discriminate qrels.txt 'runs/*.run' AP nDCG --test randomised-tukey --plot power.pdf",
        ),
    ),
    (
        "correlate", "commands:correlate_measures", "study", "Show which measures rank systems the same way.",
        (
            "irmx correlate qrels.txt 'runs/*.run' AP P@10 nDCG@10 --plot agreement.pdf",
            "irmx correlate qrels.txt 'runs/*.run' AP 'MP(model=*)' --reference AP -o csv",
            "irmx correlate --scores results.parquet --reference AP --table extremes",
        ),
    ),
    (
        "judges", "verdict_commands:compare_judges", "study", "Show whether judges agree, people or LLMs.",
        (
            "irmx judges human.qrels llm.qrels --rel 2",
            "irmx judges human=nist.qrels llm=gpt4.qrels --rel human=2 --rel llm=1 -q -o csv",
            "irmx judges human.qrels llm.qrels --runs 'runs/*.run' --measures 'nDCG@10 AP'",
            "irmx judges human.qrels llm.qrels --runs 'runs/*.run' --measures AP --calibrate human",
            "irmx judges human.qrels llm.qrels --disagreements 20 --texts documents.jsonl",
        ),
    ),
    (
        "persist", "commands:persistence", "compare", "Say whether an improvement persists on other snapshots.",
        (
            "irmx persist nDCG@10 --snapshots snapshots.csv",
            "irmx persist AP --snapshot 2024=a.qrels,a-bm25.run,a-new.run --snapshot 2025=b.qrels,b-bm25.run,b-new.run",
        ),
    ),
    (
        "pool", "commands:missing_judgments", "study", "Show which measures cope with missing judgments.",
        (
            "irmx pool qrels.txt 'runs/*.run' AP Bpref 'MP(model=GL_AD_ID)'",
            "irmx pool qrels.txt 'runs/*.run' AP Bpref --keep 50,20,5 --out pools.parquet --plot pools.pdf",
            "irmx pool qrels.txt 'runs/*.run' AP Bpref --leave-out groups.csv --pool-depth 100 -o csv",
        ),
    ),
    (
        "power", "commands:plan_topics", "compare", "Plan an experiment: how many topics it needs.",
        (
            "irmx power qrels.txt 'runs/*.run' AP nDCG@10 --difference 0.05",
            "irmx power --sd 0.2 --topics 50 --difference 0.02 --difference 0.05",
        ),
    ),
    (
        "report", "commands:report_on_runs", "compare", "Make one page of HTML with findings, tables and pictures.",
        (
            "irmx report qrels.txt 'runs/*.run' AP 'MP(model=GL_AD_ID)' -o report.html",
            "irmx report qrels.txt 'runs/*.run' AP nDCG@10 --texts documents.jsonl --queries topics.tsv",
        ),
    ),
    (
        "rerun", "commands:reruns", "compare", "Say how close reruns of a system are to the original.",
        ("irmx rerun qrels.txt original.run rerun.run AP nDCG@10",),
    ),
    (
        "sweep", "commands:sweep_settings", "study", "Score runs in many settings of a measure.",
        ("irmx sweep qrels.txt 'runs/*.run' --measure NCP --grid 'law=uniform,first' --out results.parquet",),
    ),
    (
        "topics", "commands:topics_in_order", "compare", "Show on which topics two systems differ, or which are hard.",
        (
            "irmx topics qrels.txt baseline.run other.run AP nDCG@10 --top 5",
            "irmx topics qrels.txt 'runs/*.run' AP --by hardest --top 10",
        ),
    ),
    (
        "verdict", "verdict_commands:verdict_on_runs", "compare", "Say whether a run is better, and whether that conclusion holds.",
        (
            "irmx verdict qrels.txt baseline.run my.run nDCG@10",
            "irmx verdict qrels.txt baseline.run my.run nDCG@10 --judges llm=llm.qrels --users 'RBP(p=.5:.95:10)' --measures AP",
            "irmx verdict qrels.txt main.run new.run nDCG@10 --claim no-worse --margin 0.01 -o markdown",
        ),
    ),
    (
        "unjudged", "commands:unjudged_documents", "compare", "Show how much unjudged documents could change the scores.",
        ("irmx unjudged qrels.txt baseline.run 'runs/*.run' P@10 RBP --depth 10",),
    ),
)  # fmt: skip


@hookimpl
def irmx_commands() -> list[Command]:
    return [
        Command(name, f"irmx_study.{function}", "", about, examples, section, _SYNONYMS.get(name, ()))
        for name, function, section, about, examples in _COMMANDS
    ]


_SYNONYMS = {
    "compare": ("sensitivity", "test", "significance"),
    "correlate": ("settings", "tau"),
    "judges": ("kappa", "alpha"),
}
"""Other words that people type for a command."""


@hookimpl
def irmx_functions() -> list[Function]:
    functions = ("leave_out", "read_per_topic", *(name for name, *_ in _COMMANDS))
    return [Function(name, f"irmx_study:{name}") for name in functions]
