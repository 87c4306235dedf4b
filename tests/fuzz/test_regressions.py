"""Inputs that once were a finding are none any more, and every target has sound inputs that are accepted.

They run in worker processes of the fuzzer, so that one that would crash the process is told, not suffered.
"""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # the fuzzer is a program, and so are its workers

from outcomes import ACCEPTED
from regression_files import FOLDER, content_of, kept
from targets import all_targets
from workers import outcomes_of


def test_regression_files_are_no_findings(tmp_path: Path) -> None:
    files = {f"{target}/{path.name}": (target, content_of(path)) for target, path in kept(FOLDER)}
    assert len(files) > 80
    outcomes = dict(zip(files, outcomes_of(files.values(), tmp_path), strict=True))
    assert {name: f"{o.kind}: {o.text[:1000]}" for name, o in outcomes.items() if o.is_finding} == {}


@pytest.mark.slow
def test_sound_inputs_are_accepted_by_every_target(tmp_path: Path) -> None:
    inputs = [(name, seed) for name, target in all_targets().items() for seed in target.seeds[:4]]
    for (name, seed), outcome in zip(inputs, outcomes_of(inputs, tmp_path), strict=True):
        assert outcome.kind == ACCEPTED, (name, seed[:200], outcome)


@pytest.mark.slow
def test_some_inputs_of_every_target_are_no_findings(tmp_path: Path) -> None:
    targets = all_targets().items()
    inputs = [(name, target.input(1, len(target.seeds) + number)) for name, target in targets for number in range(3)]
    for (name, content), outcome in zip(inputs, outcomes_of(inputs, tmp_path), strict=True):
        assert not outcome.is_finding, (name, content[:200], outcome)
