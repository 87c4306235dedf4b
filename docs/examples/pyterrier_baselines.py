"""An experiment of PyTerrier, tested against one baseline by PyTerrier, and against two by irmx."""

import pyterrier as pt
from pyterrier.measures import AP, GL_AD_ID, MP, nDCG

import irmx_study
from irmx.demo import qrels_path, run_path, topics

NAMES = ["bm25", "recent", "titles"]


def experiment(**options):
    """Run the experiment; in yours, the systems are transformers."""
    systems = [pt.io.read_results(str(run_path(name))) for name in NAMES]
    queries = topics().rename(columns={"query_id": "qid"})[["qid", "query"]]
    measures = [AP, nDCG @ 10, MP(model=GL_AD_ID)]
    return pt.Experiment(systems, queries, pt.irmx.qrels(qrels_path()), measures, names=NAMES, **options)


if __name__ == "__main__":
    one = experiment(baseline=0, correction="holm")
    print(one.filter(regex="name|corrected").to_string(index=False))
    several = irmx_study.compare(experiment(perquery=True), baseline=["bm25", "recent"], correction="holm")
    print(several.frame()[["measure", "a", "b", "p", "p_corrected"]].to_string(index=False))
