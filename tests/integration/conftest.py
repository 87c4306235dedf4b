"""Programs that make pages of results; and datasets of ir_datasets that tests register, over local files."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import ir_datasets
import pandas as pd
import pytest
from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import BaseDocs, TrecSubQrels
from ir_datasets.indices import PickleLz4FullStore
from ir_datasets.util import LocalDownload

import irmx

DEFS = {0: "not relevant", 1: "relevant"}
Register = Callable[..., str]
Values = dict[tuple[str, str, str], float]
RESULTS = Path(__file__).parents[2] / "docs" / "results"


@pytest.fixture(scope="session")
def results_program() -> Callable[[str], ModuleType]:
    """Return a function that imports a program of a page of results by its name; the programs import each other."""

    def program(name: str) -> ModuleType:
        with pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(RESULTS)
            return importlib.import_module(name)

    return program


@pytest.fixture(scope="session")
def trec8_scores(trec8: Any, once: Callable[..., Any]) -> irmx.Scores:
    """The values of measures that several files compare, of all runs of TREC-8."""
    scores = once("trec8_scores", lambda: irmx.scores("AP P@10 RR nDCG@10", trec8.qrels_path, trec8.run_paths))
    assert isinstance(scores, irmx.Scores)
    return scores


@pytest.fixture(scope="session")
def of_saved(shell: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Values]:
    """Return a function that saves qrels and runs of PyTerrier, and returns what ``irmx eval`` prints of the files."""

    def printed(qrels: pd.DataFrame, runs: dict[str, pd.DataFrame], measures: list[Any]) -> Values:
        folder, found = tmp_path_factory.mktemp("saved"), {}
        qrels.to_csv(folder / "qrels.csv", index=False)
        for name, run in runs.items():
            run.to_csv(folder / f"{name}.csv", index=False)
            asked = ("eval", folder / "qrels.csv", folder / f"{name}.csv", *measures, "-q", "-o", "jsonl")
            done = shell(*asked)
            assert done.code == 0, done.err
            for line in map(json.loads, done.out.splitlines()):
                found[name, line["measure"], line["query_id"]] = line["value"]
        return found

    return printed


@pytest.fixture(scope="session")
def topics() -> pd.DataFrame:
    """The topics of the demo, as PyTerrier has them."""
    return irmx.demo.topics().rename(columns={"query_id": "qid"})[["qid", "query"]]


@pytest.fixture(scope="session")
def qrels() -> pd.DataFrame:
    """The qrels of the demo with all columns, as PyTerrier has them."""
    return importlib.import_module("irmx.pt").qrels(irmx.demo.judgments_path())


class Kept(BaseDocs):  # type: ignore[misc]
    """Documents in memory, in a real store; it says which ids were asked for."""

    def __init__(self, folder: Path, documents: list[Any]) -> None:
        self.folder, self.documents = folder, documents
        self.asked: list[str] = []
        self.stop_after: int | None = None

    def docs_cls(self) -> type[Any]:
        return type(self.documents[0])

    def docs_store(self) -> Any:
        store = PickleLz4FullStore(
            str(self.folder / "docs.pklz4"), lambda: iter(self.documents), self.docs_cls(), "doc_id", ["doc_id"]
        )
        outer = self

        class Store:
            def get_many_iter(self, doc_ids: list[str]) -> Iterator[Any]:
                outer.asked += doc_ids
                for i, document in enumerate(store.get_many_iter(doc_ids)):
                    if outer.stop_after is not None and i == outer.stop_after:
                        raise KeyboardInterrupt
                    yield document

        return Store()


@pytest.fixture
def kept() -> type[Kept]:
    """The class of documents in memory."""
    return Kept


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for everything; ir_datasets and the cache keep their files in it."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("IRMX_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.fixture
def register(folder: Path) -> Iterator[Register]:
    """A function that registers documents with qrels, for as long as the test runs."""
    names: list[str] = []

    def add(name: str, docs: Any, qrels: str, kind: type = TrecSubQrels) -> str:
        path = folder / f"{len(names)}.qrels"
        path.write_text(qrels, encoding="utf-8")
        ir_datasets.registry.register(name, Dataset(docs, kind(LocalDownload(path), DEFS)))
        names.append(name)
        return name

    yield add
    for name in names:
        ir_datasets.registry._registered.pop(name)
