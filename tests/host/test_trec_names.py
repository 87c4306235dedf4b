"""The names that trec_eval gives to measures, wherever a text of measures is read."""

import warnings
from pathlib import Path
from typing import Any

import ir_measures
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP, RR, Bpref, P, R, Rprec, SetP, nDCG

import irmx
from irmx import DataWarning, UsageError, parse_measure
from irmx.declare.expressions import trec_measures
from irmx.demo import qrels_path, run_path
from irmx.toolkit import parse_measures

QRELS, RUN = str(qrels_path()), str(run_path("bm25"))
SEVERAL = {"P_5,10": [P @ 5, P @ 10], "ndcg_cut.5,10": [nDCG @ 5, nDCG @ 10], "RECALL_1": [R @ 1], "map AP": [AP]}
ONE = {"map": AP, "Ndcg_Cut_10": nDCG @ 10, "P_10": P @ 10, "p.10": P @ 10, "recip_rank": RR, "RPREC": Rprec,
       "bpref": Bpref, "set_P": SetP, "iprec_at_recall_0.10": ir_measures.IPrec @ 0.1}  # fmt: skip


@pytest.mark.parametrize("text", ONE)
def test_a_name_of_one_measure(text: str) -> None:
    assert parse_measure(f" {text} ") == ir_measures.parse_measure(text) == ONE[text]
    assert parse_measures(text) == ir_measures.parse_trec_measure(text) == [ONE[text]]
    assert irmx.calc_aggregate(text, QRELS, RUN) == irmx.calc_aggregate(ONE[text], QRELS, RUN)


@pytest.mark.parametrize("text", SEVERAL)
def test_names_of_several_measures(text: str, command: Any) -> None:
    assert list(irmx.calc_aggregate(text, QRELS, RUN)) == SEVERAL[text]
    shown = command("eval", QRELS, RUN, text).out
    assert shown == command("eval", QRELS, RUN, *map(str, SEVERAL[text])).out
    assert shown.count("\n") == len(SEVERAL[text])


def test_several_measures_are_not_one() -> None:
    with pytest.raises(UsageError, match=r"P_5,10 stands for 2 measures \(P@5, P@10\), where one is expected"):
        parse_measure("P_5,10")


def test_names_of_plugins_and_of_ir_measures_win(enough: Any) -> None:
    with pytest.raises(UsageError, match="P needs the parameter 'cutoff'"):  # trec_eval's P is P at nine cutoffs
        parse_measure("P")
    assert parse_measure("MAP") == AP
    mine = enough(name="map")
    assert parse_measure("map") == mine
    assert parse_measure("Map") == AP


everywhere = sorted((*pytrec_eval.supported_measures, *pytrec_eval.supported_nicknames))
places = st.decimals(0, 1, places=2).map(str)
numbers = st.lists(st.one_of(st.integers(1, 200).map(str), places), min_size=1, max_size=3)
asked = st.tuples(st.sampled_from(everywhere), st.one_of(st.just(""), st.tuples(st.sampled_from("._"), numbers.map(",".join)).map("".join)))  # fmt: skip


@given(asked, st.booleans())
def test_they_mean_what_ir_measures_says(name: tuple[str, str], capitals: bool) -> None:
    text = "".join(name)
    try:
        expected = ir_measures.util.parse_trec_measure(text)
    except ValueError:
        expected = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        try:
            found = trec_measures(text.upper() if capitals else text)
        except UsageError:
            found = None
    assert (found or None) == expected


def test_what_a_group_lacks_is_told(command: Any) -> None:
    with pytest.warns(DataWarning, match="group official is computed without gm_map"):
        found = parse_measures("official")
    done = command("eval", QRELS, RUN, "official")
    assert "without gm_map" in done.err
    assert [line.split("\t")[0] for line in done.out.splitlines()] == list(map(str, found))
    assert found == ir_measures.util.parse_trec_measure("official")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("gm_map", "trec_eval has a measure gm_map, but ir_measures does not compute it"),
        ("map_10", "map does not take 10 as its parameter. It stands for AP"),
        ("success_1.5", "success does not take 1.5 as its parameter. It stands for Success@1 Success@5 Success@10"),
        ("P_0", "must be an int in the range"),
        ("P_10x", "no measure P_10x"),
        ("runid", "no measure runid"),
        ("official_5", "no measure official_5"),
    ],
)
def test_what_is_none_of_them(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        parse_measures(text)


def test_a_file_of_such_a_name_is_a_run_only_with_its_folder(command: Any, tmp_path: Path) -> None:
    (tmp_path / "map").write_text(Path(RUN).read_text())
    shown = command("eval", QRELS, RUN, "map").out
    assert shown == command("eval", QRELS, RUN, "AP").out
    assert command("eval", QRELS, RUN, "./map", "map").out.splitlines()[0] == "run\tAP"


def test_the_measure_is_described_by_its_name_of_trec_eval(command: Any) -> None:
    assert command("measures", "ndcg_cut_10").out == command("measures", "nDCG").out
    assert command("measures", "gm_map").code == 2


@pytest.mark.parametrize(
    ("spelled", "meant"),
    [
        ("ndcg@10", "nDCG@10"), ("NDCG@5", "nDCG@5"), ("recall@10", "R@10"), ("mrr", "RR"), ("MRR@10", "RR@10"),
        ("map@100", "AP@100"), ("hit_rate@10", "Success@10"), ("HR@5", "Success@5"), ("p@10", "P@10"),
        ("precision@3", "P@3"), ("r_precision", "Rprec"), ("rbp(p=.5)", "RBP(p=0.5)"), ("mp(model=GL_AD_ID)", "MP(model=GL_AD_ID)"),
        ("success@5", "Success@5"), ("bpref", "Bpref"),
    ],
)  # fmt: skip
def test_spellings_of_people_and_other_tools(spelled: str, meant: str) -> None:
    assert str(irmx.parse_measure(spelled)) == meant


def test_names_that_nobody_has_stay_unknown() -> None:
    for name in ("hits@10", "f1", "ndgc@10"):
        with pytest.raises(NameError):
            irmx.parse_measure(name)
