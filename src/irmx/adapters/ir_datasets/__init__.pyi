from .datasets import Dataset as Dataset, dataset as dataset, qrels_table as qrels_table
from .fields import Field as Field
from .judgments_of import judgments as judgments, judgments_with as judgments_with
