"""Expressions that stand for several settings of a measure, wherever measures are listed."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx
from irmx import UsageError, parse_measure
from irmx.demo import qrels_path, run_path
from irmx.toolkit import parse_measures
from irmx_markov.markov_models import NAMED

SEVERAL = {
    "NCP(law=uniform|first)@5|10": "NCP(law=uniform)@5 NCP(law=uniform)@10 NCP(law=first)@5 NCP(law=first)@10",
    "NCP( law = uniform | first )": "NCP(law=uniform) NCP(law=first)",
    "NCP(law=geometric(p=0.2|0.4)|first, rel=2)": "NCP(law=geometric(p=0.2),rel=2) NCP(law=geometric(p=0.4),rel=2) NCP(law=first,rel=2)",
    "NCP(law=uniform,cutoff=5)@10|20": "NCP(law=uniform)@10 NCP(law=uniform)@20",
    "MSU(MD=30s|1m,SD=0.5*MD)": "MSU(MD='30s',SD='15s') MSU(MD='1m',SD='30s')",
    "MSU(L=0:1:3)": "MSU(L=0.0) MSU(L=0.5) MSU(L=1.0)",
    "MP(model=GL_AD_ID(self_loops=*))": "MP(model=GL_AD_ID) MP(model=GL_AD_ID(self_loops=True))",
    "nDCG(dcg=*)@10": "nDCG(dcg='log2')@10 nDCG(dcg='exp-log2')@10",
    "MP(model=GL_AD_ID,rescale=*)": "MP(model=GL_AD_ID,rescale='recall') MP(model=GL_AD_ID)",
    "NCP(law=*|by_document)": "NCP(law=uniform) NCP(law=first) NCP(law=geometric) NCP(law=zipf) NCP(law=by_document)",
    "MPcont(model=GL_AD_ID,times=*)": "MPcont(model=GL_AD_ID,times=dwell) MPcont(model=GL_AD_ID,times=by_length)",
    "AP(judged_only=*)": "AP AP(judged_only=True)",
    "RBP(p=0.5:0.9:3)": "RBP(p=0.5) RBP(p=0.7) RBP(p=0.9)",
    "P @ 5 | 10 R@5 |10": "P@5 P@10 R@5 R@10",
    "P(rel=1|2)@5:15:3": "P@5 P@10 P@15 P(rel=2)@5 P(rel=2)@10 P(rel=2)@15",
    "IPrec@0|0.5": "IPrec@0 IPrec@0.5",
}


@pytest.mark.parametrize("text", SEVERAL)
def test_settings_are_measures_that_parse_back(text: str) -> None:
    measures = irmx.toolkit.as_measures(f"AP@3 {text}")[1:]
    assert measures == [parse_measure(one) for one in SEVERAL[text].split()]
    assert irmx.toolkit.as_measures(map(str, measures)) == measures


def test_every_model_that_needs_no_parameter() -> None:
    models = [measure["model"] for measure in parse_measures("MP(model=*)")]
    assert models[: len(NAMED)] == [*NAMED]
    assert "matrix" not in [model.NAME for model in models]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("MSU(L=*)", "L=* stands for every value of 'L', but MSU takes a float in the range [0, 1] for it. Give the values: L=A|B|C or L=LOW:HIGH:NUMBER."),
        ("NCP(law=geometric(p=*))", "but geometric takes a float in the range (0, 1] for it"),
        ("P@*", "but P takes an int in the range"),
        ("NCP(law=first|)", "NCP has an empty value of 'law'; values are separated by |, as in law=A|B"),
        ("NCP(law=first|frist)", "Did you mean first?"),
        ("NCPP(law=*)", "There is no measure NCPP."),
        ("map_cut@5|10", "map_cut is a name of trec_eval, which takes no parameters and no @."),
        ("P_5(rel=1|2)", "P_5 is a name of trec_eval"),
        ("NCP(law=first|uniform,law=first)", "The parameter 'law' is given twice"),
        ("NCP(first|uniform)", "Parameters are given by name"),
        ("NCP@5|10", "NCP needs the parameter 'law'"),
    ],
)  # fmt: skip
def test_errors_say_what_to_write(text: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_measures(text)
    assert message in str(error.value)


def test_where_one_measure_is_expected_the_number_of_settings_is_said(command: Any) -> None:
    with pytest.raises(UsageError, match=r"P@1:9:9 stands for 9 measures .* where one is expected"):
        parse_measure("P@1:9:9")
    command("explain", qrels_path(), run_path("bm25"), "P@5|10", "--topic", "1").assert_refused(
        2, "stands for 2 measures"
    )


def test_every_value_can_be_used_with_the_same_data(command: Any) -> None:
    done = command("eval", qrels_path(), run_path("bm25"), "NCP(law=*)", "MP(model=*,rescale=*)")
    assert (done.code, done.out.count("NCP"), done.out.count("MP")) == (0, 4, 18)


def test_irmx_eval_scores_every_setting(command: Any) -> None:
    files = str(qrels_path()), str(run_path("bm25"))
    written_out = command("eval", *files, "NCP(law=uniform)", "NCP(law=first)", "P@5", "P@10").out
    assert command("eval", *files, "NCP(law=uniform|first) P@5|10").out == written_out
    assert written_out.count("\n") == 4


@given(
    st.lists(st.sampled_from([*"MPNC|:*@=(),'. 05", "law", "first", "MSU", "P", "geometric(p=", "L=0:1"]), max_size=12)
)
def test_any_text_is_measures_that_parse_back_or_a_usage_error(parts: list[str]) -> None:
    try:
        measures = parse_measures("".join(parts))
    except UsageError:
        return
    assert [parse_measure(str(measure)) for measure in measures] == measures
