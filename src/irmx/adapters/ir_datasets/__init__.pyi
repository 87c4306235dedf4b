from .datasets import Dataset as Dataset
from .datasets import dataset as dataset
from .datasets import qrels_table as qrels_table
from .fields import Field as Field
from .judgments_of import judgments as judgments
from .judgments_of import judgments_with as judgments_with
