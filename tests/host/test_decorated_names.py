"""The names of decorated functions: taken, defined again, offered by a plugin."""

from types import ModuleType

import ir_measures
import pytest

import irmx
from irmx import UsageError
from irmx.plugin.discovery import Discovery
from irmx.registry import PluginInfo, Registry

QRELS = {"q": {"a": 1, "b": 2, "c": 0}, "r": {"a": 1}}
RUN = {"q": {"a": 3.0, "x": 2.0, "b": 1.0}, "r": {"x": 2.0, "a": 1.0}}


@pytest.mark.parametrize(
    ("name", "owner"), [("AP", "ir_measures"), ("NCP", r"ncp \(irmx-ncp"), ("Enough", r"conftest.*Enough")]
)
def test_a_name_that_is_taken_is_refused(enough, name, owner):
    enough()

    def f(ranking):
        return 0.0

    with pytest.raises(UsageError, match=rf"The measure {name} of .*f is refused: .*{owner}.* already has this name"):
        irmx.measure(name=name)(f)
    assert irmx.measure(name="Free")(f).NAME == "Free"


@pytest.mark.parametrize(("name", "kind"), [("GL_AD_ID", "Markov model"), ("uniform", "stopping law")])
def test_the_name_of_an_object_is_refused(enough, name, kind):
    with pytest.raises(UsageError, match=rf"The measure {name} is refused: a {kind} of .* already has this name"):
        enough(name=name)
    assert irmx.parse_measure("NCP(law=uniform)")["law"] == irmx.uniform


@pytest.mark.parametrize("name", ["two words", "1st", "class", "a-b", 3])
def test_a_name_that_expressions_cannot_have_is_refused(enough, name):
    with pytest.raises(UsageError, match=f"{name!r} cannot be the name of a measure"):
        enough(name=name)


def test_a_definition_at_the_same_place_takes_the_place_of_the_earlier_one(enough):
    first = enough()
    second = enough(default=1.0)
    assert irmx.Enough is second
    assert ir_measures.parse_measure("Enough").DEFAULT == 1.0
    assert list(irmx.registry().measures()).count("Enough") == 1
    assert irmx.calc_aggregate(first, QRELS, {}) == {first: 0.0}
    irmx.registry().undefine("Enough")
    with pytest.raises(irmx.toolkit.UnknownNameError):
        irmx.parse_measure("Enough")
    with pytest.raises(UsageError, match=r"No measure 'Enough' was defined with @irmx\.measure"):
        irmx.registry().undefine("Enough")


def test_in_the_package_of_a_plugin_its_hook_registers():
    def Offered(ranking):
        return 0.0

    Offered.__module__ = "irmx_ncp.further"
    made = irmx.measure(Offered)
    assert "Offered" not in irmx.registry().measures()
    assert irmx.calc_aggregate(made, QRELS, RUN) == {made: 0.0}
    plugin = ModuleType("irmx_ncp.other_plugin")
    plugin.irmx_measures = irmx.hookimpl(lambda: [made], specname="irmx_measures")
    discovery = Discovery(Registry(), set())
    discovery.add(PluginInfo("other"), lambda: plugin)
    discovery.register()
    assert discovery._registry.measures() == {"Offered": made}


def test_it_goes_and_comes_with_irmx(enough):
    made = enough()
    irmx.uninstall()
    assert "Enough" not in ir_measures.measures.registry
    irmx.install()
    assert ir_measures.measures.registry["Enough"] is made
