"""The public names of irmx; each is imported when it is first used."""

import typing

from . import ragged as ragged
from . import symbols as symbols
from . import toolkit as toolkit
from .adapters.ir_datasets import Dataset as Dataset
from .adapters.ir_datasets import Field as Field
from .adapters.ir_measures import install as install
from .adapters.ir_measures import uninstall as uninstall
from .adapters.pictures import plot as plot
from .data.formats import Format as Format
from .data.judgments import Judgments as Judgments
from .data.reading import read_qrels as read_qrels
from .data.reading import read_run as read_run
from .data.reading import read_table as read_table
from .data.runs import Run as Run
from .data.table import Table as Table
from .declare.columns import Column as Column
from .declare.columns import Command as Command
from .declare.columns import Function as Function
from .declare.columns import SampleValues as SampleValues
from .declare.columns import Symbol as Symbol
from .declare.described import Citation as Citation
from .declare.described import Formula as Formula
from .declare.described import OutputFormat as OutputFormat
from .declare.expressions import parse_measure as parse_measure
from .declare.from_function import measure as measure
from .declare.grid import Grid as Grid
from .declare.measures import Measure as Measure
from .declare.params import COMMON_PARAMS as COMMON_PARAMS
from .declare.params import Param as Param
from .declare.params import number as number
from .errors import DataError as DataError
from .errors import DataWarning as DataWarning
from .errors import IrmxError as IrmxError
from .errors import PluginError as PluginError
from .errors import PluginWarning as PluginWarning
from .errors import UsageError as UsageError
from .hookspecs import hookimpl as hookimpl
from .rank.join import Join as Join
from .rank.rankings import Ranking as Ranking
from .rank.rankings import Rankings as Rankings
from .rank.rankings import Rows as Rows
from .score.evaluator import calc as calc
from .score.evaluator import calc_aggregate as calc_aggregate
from .score.evaluator import evaluator as evaluator
from .score.evaluator import iter_calc as iter_calc
from .score.evaluator import rankings as rankings
from .score.evaluator import score_joined as score_joined
from .score.explain import explain as explain
from .score.explain import explanations as explanations
from .score.scores import Scores as Scores
from .score.scores import State as State
from .score.scoring import BatchScorer as BatchScorer
from .score.scoring import batch_scorer as batch_scorer
from .score.scoring import scores as scores
from .score.topic_scores import TopicScores as TopicScores

__all__: list[str]
__version__: str

def registry() -> toolkit.Registry: ...
def __getattr__(name: str) -> typing.Any: ...  # measures and named objects of plugins
