"""The plugin irmx-study: its hooks."""

from irmx import Command, Symbol, hookimpl
from irmx_study.significance.bootstrap_test import BootstrapTest
from irmx_study.significance.corrections import BenjaminiHochberg, Bonferroni, Holm, Hommel, NoCorrection
from irmx_study.significance.max_t import MaxT
from irmx_study.significance.permutation_test import PermutationTest
from irmx_study.significance.randomised_tukey import RandomisedTukeyTest
from irmx_study.significance.rank_tests import SignTest, WilcoxonTest
from irmx_study.significance.t_test import TTest
from irmx_study.significance.tukey_test import TukeyTest


@hookimpl
def irmx_symbols() -> list[Symbol]:
    tests = [
        TTest(),
        PermutationTest(),
        BootstrapTest(),
        WilcoxonTest(),
        SignTest(),
        TukeyTest(),
        RandomisedTukeyTest(),
    ]
    return [*tests, Holm(), Bonferroni(), Hommel(), BenjaminiHochberg(), MaxT(), NoCorrection()]


@hookimpl
def irmx_commands() -> list[Command]:
    return [
        Command(
            "compare",
            "irmx_study.commands.compare_command:compare_runs",
            SHORT_DESC="Compare systems: which is better, by how much, how sure.",
            SECTION="compare",
            EXAMPLES=(
                "irmx compare qrels.txt baseline.run 'runs/*.run' AP 'MP(model=GL_AD_ID)'",
                "irmx compare qrels.txt 'runs/*.run' AP --all-pairs --test tukey -o csv",
            ),
        ),
        Command(
            "discriminate",
            "irmx_study.commands.discriminate_command:discriminate_measures",
            SHORT_DESC="Tell how well measures tell systems apart: discriminative power and swap rates.",
            SECTION="study",
            EXAMPLES=(
                "irmx discriminate qrels.txt 'runs/*.run' AP P@10 'MP(model=GL_AD_ID)'",
                "irmx discriminate qrels.txt 'runs/*.run' AP nDCG --test randomised-tukey --plot power.pdf",
                "irmx discriminate qrels.txt 'runs/*.run' AP nDCG --swaps -o csv",
            ),
        ),
        Command(
            "correlate",
            "irmx_study.commands.correlate_command:correlate_measures",
            SHORT_DESC="Correlate measures: how far do they rank the same runs alike.",
            SECTION="study",
            EXAMPLES=(
                "irmx correlate qrels.txt 'runs/*.run' AP P@10 nDCG@10",
                "irmx correlate qrels.txt 'runs/*.run' AP 'MP(model=*)' --reference AP -o csv",
                "irmx correlate qrels.txt 'runs/*.run' AP P@10 RR --plot agreement.pdf --scatter means.pdf",
            ),
        ),
        Command(
            "pool",
            "irmx_study.commands.pool_command:missing_judgments",
            SHORT_DESC="Show how robust measures are to missing judgments: rankings of runs by parts of the judgments.",
            SECTION="study",
            EXAMPLES=(
                "irmx pool qrels.txt 'runs/*.run' AP Bpref 'MP(model=GL_AD_ID)'",
                "irmx pool qrels.txt 'runs/*.run' AP Bpref --keep 50,20,5 --out pools.parquet --plot pools.pdf",
                "irmx pool qrels.txt 'runs/*.run' AP Bpref --leave-out groups.csv --pool-depth 100 -o csv",
            ),
        ),
        Command(
            "power",
            "irmx_study.commands.power_command:plan_topics",
            SHORT_DESC="Plan an experiment: which differences can it find, how many topics does it need.",
            SECTION="compare",
            EXAMPLES=(
                "irmx power qrels.txt 'runs/*.run' AP nDCG@10 --difference 0.05",
                "irmx power --sd 0.2 --topics 50 --difference 0.02 --difference 0.05",
            ),
        ),
        Command(
            "report",
            "irmx_study.commands.report_command:report_on_runs",
            SHORT_DESC="Make a report: a page of HTML with tables, pictures, rankings, and how it was made.",
            SECTION="compare",
            EXAMPLES=(
                "irmx report qrels.txt baseline.run 'runs/*.run' AP 'MP(model=GL_AD_ID)' -o report.html",
                "irmx report qrels.txt 'runs/*.run' AP nDCG@10 --texts documents.jsonl --queries topics.tsv",
            ),
        ),
        Command(
            "sensitivity",
            "irmx_study.commands.sensitivity_command:sensitivity_of_runs",
            SHORT_DESC="Tell for which users, the settings of a measure, one run is better than another.",
            SECTION="compare",
            EXAMPLES=(
                "irmx sensitivity qrels.txt baseline.run my.run 'MP(model=*)'",
                "irmx sensitivity qrels.txt baseline.run my.run 'RBP(p=0.1:0.9:9)' --border --plot users.pdf",
                "irmx sensitivity qrels.txt 'runs/*.run' MSU --population users.csv --rank-bands",
                "irmx sensitivity --sweep results.parquet --baseline baseline.run",
            ),
        ),
        Command(
            "settings",
            "irmx_study.commands.settings_command:settings_of_a_measure",
            SHORT_DESC="Tell how the settings of a measure rank the runs, and for which of them a conclusion holds.",
            SECTION="study",
            EXAMPLES=(
                "irmx settings qrels.txt 'runs/*.run' 'MP(model=*)' AP --reference AP",
                "irmx settings --sweep results.parquet --reference AP --holds 'tau < 0.9'",
                "irmx settings --sweep results.parquet --best-settings",
            ),
        ),
        Command(
            "sweep",
            "irmx_study.commands.sweep_command:sweep",
            SHORT_DESC="Score runs in every setting of a grid of parameters of a measure.",
            SECTION="study",
            EXAMPLES=(
                "irmx sweep qrels.txt 'runs/*.run' --measure NCP --grid 'law=uniform,first' --out results.parquet",
            ),
        ),
        Command(
            "topics",
            "irmx_study.commands.topics_command:topics_in_order",
            SHORT_DESC="Show on which topics two systems differ, or which topics are easy, hard or disputed.",
            SECTION="compare",
            EXAMPLES=(
                "irmx topics qrels.txt baseline.run other.run AP nDCG@10 --top 5",
                "irmx topics qrels.txt 'runs/*.run' AP --by hardest --top 10",
            ),
        ),
        Command(
            "unjudged",
            "irmx_study.commands.unjudged_command:unjudged_documents",
            SHORT_DESC="Show what documents that nobody judged could change: shares, bounds, residuals, flips.",
            SECTION="compare",
            EXAMPLES=("irmx unjudged qrels.txt baseline.run 'runs/*.run' P@10 RBP --depth 10",),
        ),
    ]
