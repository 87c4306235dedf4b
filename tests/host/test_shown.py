"""What Python shows of the objects of irmx: parameters in help and signatures, short representations."""

import inspect
import pickle
import pydoc
from pathlib import Path
from typing import Any

import pytest

import irmx
from irmx import Measure, Param, Ranking, Symbol
from irmx.toolkit import duration


class Depths(Symbol):
    """How deep a user looks."""

    NAME, KIND, SHORT_DESC = "zdepths", "depth law", "a fixed depth"
    SUPPORTED_PARAMS = {"deep": Param(int, "the depth", default=10, low=1, unit="ranks")}


class Looked(Measure):
    """The share of relevant documents that a user looks at."""

    NAME = "ZLooked"
    SUPPORTED_PARAMS = {
        "law": Param(str, "how deep the user looks", kind="depth law", required=True),
        "p": Param(float, "chance to stop", default=0.5, low=0, high=1),
        "pause": Param(duration, "time between documents", default="10s"),
        "cutoff": irmx.COMMON_PARAMS["cutoff"],
    }


class Deeper(Looked):
    NAME, SHORT_DESC = "ZDeeper", "A variant without a docstring."


def test_a_measure_shows_its_parameters_in_its_signature() -> None:
    shown = inspect.signature(Looked())
    assert str(shown) == "(*, law: 'depth law', p: float = 0.5, pause: 'duration' = '10s', cutoff: int | None = None)"
    assert inspect.signature(Looked) == shown
    assert inspect.signature(Looked(p=0.25)).parameters["p"].default == 0.25
    assert str(inspect.signature(Depths())) == "(*, deep: int = 10)"


@pytest.mark.parametrize("name", sorted(irmx.registry().attributes()))
def test_the_signature_has_what_is_declared(name: str) -> None:
    shown = getattr(irmx, name)
    declared = getattr(shown, "SUPPORTED_PARAMS", None) or getattr(shown, "SUPPORTED_PARAMS", {})
    assert list(inspect.signature(shown).parameters) == list(declared)
    assert pickle.loads(pickle.dumps(shown)) == shown


def test_help_shows_the_parameters_below_the_docstring() -> None:
    shown = pydoc.render_doc(Looked(p=0.25), renderer=pydoc.plaintext)
    assert "The share of relevant documents that a user looks at.\n" in shown
    assert f"p: chance to stop\n          {Looked.SUPPORTED_PARAMS['p'].expects()}; default 0.25\n" in shown
    assert "cutoff: number of documents from the top of the ranking that are scored" in shown
    of_symbol = pydoc.render_doc(Depths(), renderer=pydoc.plaintext)
    assert f"the depth\n          {Depths.SUPPORTED_PARAMS['deep'].expects()}; ranks; default 10" in of_symbol
    assert (Looked.__doc__, Deeper.__doc__) == ("The share of relevant documents that a user looks at.", None)
    assert (Deeper().__doc__ or "").startswith("A variant without a docstring.\n\nParameters\n  law: how deep")


@pytest.mark.parametrize("name", ["MP", "NCP", "GL_AD_ID"])
def test_help_of_the_shipped_ones_names_every_parameter(name: str) -> None:
    shown = getattr(irmx, name)
    declared: dict[str, Any] = getattr(shown, "SUPPORTED_PARAMS", None) or shown.SUPPORTED_PARAMS
    text = pydoc.render_doc(shown, renderer=pydoc.plaintext)
    for parameter, param in declared.items():
        assert f"{parameter}: {param.desc}" in text


QRELS, RUN = "q 0 a 1\nq 0 b 0\nr 0 c 1\n", "q Q0 a 1 2.0 t\nq Q0 x 2 1.0 t\nr Q0 y 1 1.0 t\n"


def test_short_representations(tmp_path: Path) -> None:
    (tmp_path / "some.qrels").write_text(QRELS)
    (tmp_path / "some.run").write_text(RUN)
    judgments = irmx.read_qrels(tmp_path / "some.qrels")
    assert repr(judgments) == "<Judgments: 2 topics, 3 documents, some.qrels>"
    assert repr(irmx.read_qrels(judgments.as_dict())) == "<Judgments: 2 topics, 3 documents>"
    run = irmx.read_run(tmp_path / "some.run")
    assert repr(run).startswith("<Run: 2 topics, 3 documents")
    assert repr(irmx.read_run(run.as_dict())) == "<Run: 2 topics, 3 documents>"
    made = irmx.evaluator("AP P@5 RR NCP(law=first)", judgments)
    assert "<Judgments: 2 topics, 3 documents, some.qrels>" in repr(made)
    assert "4 measures, AP, P@5, RR, ...;" in repr(made)
    rankings = irmx.rankings(judgments, run)
    assert repr(rankings) == "<Rankings: 2 topics, 3 documents>"
    assert repr(Ranking(rankings, 0)) == "<Ranking: topic q, 2 documents>"


def test_numbers_in_representations_are_easy_to_read() -> None:
    many = {"q": {f"d{i}": 1 for i in range(1234)}}
    assert repr(irmx.read_qrels(many)) == "<Judgments: 1 topic, 1,234 documents>"
