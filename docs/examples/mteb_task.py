"""A task of MTEB, scored by irmx, and its predictions by a measure that MTEB lacks: ``python mteb_task.py FOLDER``."""
# ruff: noqa: E402

import sys

import irmx_trec

sys.modules["pytrec_eval"] = irmx_trec  # before mteb is imported; your own tasks and models need no more

import mteb
from datasets import Dataset
from mteb.abstasks import AbsTaskRetrieval
from mteb.abstasks.task_metadata import TaskMetadata
from mteb.models import ModelMeta

import irmx
from irmx.demo import documents, qrels_path, run_path, topics

QRELS, RUN = irmx.read_qrels(qrels_path()).as_dict(), irmx.read_run(run_path("bm25")).as_dict()


class Town(AbsTaskRetrieval):
    """The demo collection of irmx as a task."""

    metadata = TaskMetadata(
        name="Town", description="The demo collection of irmx.", dataset={"path": "irmx/demo", "revision": "1"},
        type="Retrieval", main_score="ndcg_at_10", eval_splits=["test"], eval_langs=["eng-Latn"],
    )  # fmt: skip

    def load_data(self, num_proc=None, **further):
        """Put the documents, queries and judgments where MTEB looks for them."""
        split = {
            "corpus": Dataset.from_pandas(documents()[["doc_id", "title", "text"]].rename(columns={"doc_id": "id"})),
            "queries": Dataset.from_pandas(topics()[["query_id", "query"]].set_axis(["id", "text"], axis=1)),
            "relevant_docs": QRELS,
            "top_ranked": None,
        }
        self.dataset, self.data_loaded = {"default": {"test": split}}, True


class Bm25:
    """A model that has searched already."""

    mteb_model_meta = ModelMeta.create_empty({"name": "irmx/bm25", "revision": "1"})

    def index(self, corpus, **further):
        """Do nothing: the ranking is there."""

    def search(self, queries, *, top_k, **further):
        """Return the ranking of each query."""
        return {query: RUN[query] for query in queries["id"]}


if __name__ == "__main__":
    result = mteb.evaluate(Bm25(), Town(), cache=None, prediction_folder=sys.argv[1], show_progress_bar=False)
    print("ndcg_at_10", result.task_results[0].scores["test"][0]["ndcg_at_10"])
    values = irmx.calc_aggregate("nDCG@10 MP(model=GL_AD_ID)", QRELS, f"{sys.argv[1]}/Town_predictions.json")
    print(*(f"{measure} {value:.5f}" for measure, value in values.items()), sep="\n")
