"""Datasets of plugins under their ids in ir_datasets: from the first use by irmx on, and after ``irmx.uninstall``."""

import subprocess
import sys
import uuid
from collections.abc import Iterator

import ir_datasets
import pytest
from ir_datasets.formats import TrecQrels
from ir_datasets.util import StringFile

import irmx
from irmx import Dataset
from irmx.registry import registry


@pytest.fixture
def dataset_id() -> Iterator[str]:
    """The id of a dataset that a plugin has, another one for every test: ir_datasets forgets none."""
    name = f"znews-{uuid.uuid4()}/plain"
    made = Dataset(name, lambda: ir_datasets.Dataset(TrecQrels(StringFile("q 0 a 2\n"), {})))
    registry().add("datasets", name, made, "news (irmx-news 2.0)")
    yield name
    registry().remove("datasets", name)


def test_ids_of_plugins_are_loaded_by_ir_datasets(dataset_id: str) -> None:
    assert dataset_id not in ir_datasets.registry
    dataset = ir_datasets.load(dataset_id)
    assert irmx.collections.dataset(dataset_id) is dataset
    assert dataset.metadata is not None
    with pytest.raises(KeyError, match="znews/other"):
        ir_datasets.load("znews/other")


def test_ir_datasets_asks_irmx_no_more_after_uninstall(dataset_id: str) -> None:
    irmx.uninstall()
    try:
        with pytest.raises(KeyError, match=dataset_id):
            ir_datasets.load(dataset_id)
        dataset = irmx.collections.dataset(dataset_id)
    finally:
        irmx.install()
    assert ir_datasets.load(dataset_id) is dataset


IN_PROCESS = """
import sys
finders = list(sys.meta_path)
import {first}
import irmx, ir_datasets
irmx.registry().add("datasets", "znews", irmx.Dataset("znews", lambda: ir_datasets.load("vaswani")), "news")
assert irmx.collections.dataset("znews") is ir_datasets.load("znews")
assert sys.meta_path == finders, sys.meta_path
"""


@pytest.mark.parametrize("first", ["irmx", "ir_datasets", "irmx; irmx.uninstall(); irmx.install()"])
def test_the_order_of_imports_does_not_matter(first: str) -> None:
    subprocess.run([sys.executable, "-c", IN_PROCESS.format(first=first)], check=True)
