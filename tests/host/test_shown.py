"""What Python shows of the objects of irmx: parameters in help and signatures, short representations."""

import inspect
import pickle
import pydoc

import pytest

import irmx
from irmx import Measure, Param, Symbol
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
