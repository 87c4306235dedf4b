"""Datasets of plugins under their ids in ir_datasets: before and after its import, and after ``irmx.uninstall``."""

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
def known():
    try:
        return ir_datasets.load("znews") is not None
    except KeyError:
        return False
def offer():
    irmx.registry().add("datasets", "znews", irmx.Dataset("znews", lambda: ir_datasets.load("vaswani")), "news")
"""


@pytest.mark.parametrize("first", ["irmx", "ir_datasets", "irmx; irmx.uninstall(); irmx.install()"])
def test_the_order_of_imports_does_not_matter(first: str) -> None:
    code = f"""{IN_PROCESS}
import {first}
import irmx, ir_datasets, pkgutil
assert type(ir_datasets.__loader__) is type(irmx.__loader__) is type(ir_datasets.__spec__.loader)
assert pkgutil.get_data("ir_datasets", "etc/downloads.json")
assert sys.meta_path == finders, sys.meta_path
offer()
assert known()
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_uninstall_before_ir_datasets_is_imported() -> None:
    code = f"""{IN_PROCESS}
import irmx
assert "ir_datasets" not in sys.modules and sys.meta_path != finders
irmx.uninstall()
irmx.uninstall()
assert sys.meta_path == finders
import ir_datasets
offer()
assert not known()
irmx.install()
assert known()
"""
    subprocess.run([sys.executable, "-c", code], check=True)
