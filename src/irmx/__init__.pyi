"""The public names of irmx; each is imported when it is first used."""

import typing

from . import parallel as parallel
from . import ragged as ragged
from .adapters.ir_datasets.datasets import Dataset as Dataset
from .adapters.ir_datasets.fields import Field as Field
from .adapters.ir_measures.install import install as install
from .adapters.ir_measures.install import uninstall as uninstall
from .adapters.ir_measures.papers import papers_of as papers_of
from .cli.output.markup import in_latex as in_latex
from .cli.output.markup import in_markdown as in_markdown
from .cli.output.printing import FormatOption as FormatOption
from .cli.output.printing import PlacesOption as PlacesOption
from .cli.output.printing import print_rows as print_rows
from .cli.run_arguments import runs_and_measures as runs_and_measures
from .data.checked_tables import CheckedTable as CheckedTable
from .data.checked_tables import read_table as read_table
from .data.content import content_in_blocks as content_in_blocks
from .data.content import content_of as content_of
from .data.dates import check_dates as check_dates
from .data.files import matching_file as matching_file
from .data.files import matching_files as matching_files
from .data.formats.base import Format as Format
from .data.judgments import Judgments as Judgments
from .data.reading import read_qrels as read_qrels
from .data.reading import read_run as read_run
from .data.runs import Run as Run
from .declare.citation import Citation as Citation
from .declare.columns import Column as Column
from .declare.columns import SampleValues as SampleValues
from .declare.columns import vocabulary as vocabulary
from .declare.command import QRELS_HELP as QRELS_HELP
from .declare.command import Command as Command
from .declare.durations import duration as duration
from .declare.durations import duration_text as duration_text
from .declare.durations import seconds as seconds
from .declare.expressions import parse_value as parse_value
from .declare.formula import Formula as Formula
from .declare.from_function import measure as measure
from .declare.grid import Grid as Grid
from .declare.markup_html import html_result as html_result
from .declare.markup_html import html_table as html_table
from .declare.markup_html import in_html as in_html
from .declare.measures import COMMON_PARAMS as COMMON_PARAMS
from .declare.measures import Measure as Measure
from .declare.other_measures import NamedMeasure as NamedMeasure
from .declare.other_measures import measure_named as measure_named
from .declare.output_format import OutputFormat as OutputFormat
from .declare.output_format import PrintedRows as PrintedRows
from .declare.output_format import visible as visible
from .declare.params import Param as Param
from .declare.params import number as number
from .declare.settings import parse_measure as parse_measure
from .declare.settings import parse_measures as parse_measures
from .declare.symbols import Symbol as Symbol
from .errors import DataError as DataError
from .errors import DataWarning as DataWarning
from .errors import IrmxError as IrmxError
from .errors import PluginError as PluginError
from .errors import PluginWarning as PluginWarning
from .errors import UnknownNameError as UnknownNameError
from .errors import UsageError as UsageError
from .errors import counted as counted
from .errors import some as some
from .errors import suggest as suggest
from .hookspecs import hookimpl as hookimpl
from .rank.join import Join as Join
from .rank.ranking import Ranking as Ranking
from .rank.rankings import Rankings as Rankings
from .rank.rows import Rows as Rows
from .registry import Registry as Registry
from .score.evaluator import Evaluator as Evaluator
from .score.evaluator import as_measures as as_measures
from .score.evaluator import calc as calc
from .score.evaluator import calc_aggregate as calc_aggregate
from .score.evaluator import evaluator as evaluator
from .score.evaluator import iter_calc as iter_calc
from .score.evaluator import join as join
from .score.explain import Explanation as Explanation
from .score.explain import explain as explain
from .score.explain import explanations as explanations
from .score.named_runs import named_runs as named_runs
from .score.named_runs import of_each_run as of_each_run
from .score.prepared import PreparedRun as PreparedRun
from .score.prepared import preparation_key as preparation_key
from .score.prepared import prepare_run as prepare_run
from .score.prepared import score_joined as score_joined
from .score.prepared import score_prepared as score_prepared
from .score.progress import progress_bar as progress_bar
from .score.provenance import file_digest as file_digest
from .score.provenance import versions_of as versions_of
from .score.scores import Scores as Scores
from .score.scores import scores as scores
from .score.topic_scores import DetailedMetric as DetailedMetric
from .score.topic_scores import DetailedResults as DetailedResults
from .score.topic_scores import TopicScores as TopicScores

__all__: list[str]
__version__: str

def registry() -> Registry: ...
def __getattr__(name: str) -> typing.Any: ...  # measures and named objects of plugins
