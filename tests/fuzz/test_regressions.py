"""Inputs that once were a finding are none any more, and every target has sound inputs that are accepted.

They run in worker processes of the fuzzer, so that one that would crash the process is told, not suffered.
"""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # the fuzzer is a program, and so are its workers

from outcomes import ACCEPTED, Outcome
from regression_files import FOLDER, content_of, kept
from targets import all_targets
from workers import outcomes_of

KNOWN_OPEN: frozenset[str] = frozenset(
    {
        "csv-run/score_date",
        "csv-run/score_full_width",
        "csv-run/score_hexadecimal",
        "csv-run/score_truth",
        "csv-run/score_underscore",
        "csv-run/scores_all_dates",
        "csv-run/scores_all_true",
        "csv-run/unread_field_not_utf_8",
        "csv-run/zero_byte_after_4096_bytes.packed",
        "expressions/many_spaces.packed",
        "jsonl-run/nested_deeply.packed",
        "jsonl-run/null_first",
        "jsonl-run/objects_nested_deeply.packed",
        "jsonl-run/score_date",
        "jsonl-run/score_full_width",
        "jsonl-run/score_underscore",
        "run.bz2/header_alone",
        "trec-run/cut_after_the_score_and_a_space",
        "trec-run/tag_not_utf_8",
        "trec-run/zero_byte_after_4096_bytes.packed",
        "tsv-run/score_date",
        "tsv-run/score_full_width",
        "tsv-run/score_hexadecimal",
        "tsv-run/score_truth",
        "tsv-run/score_underscore",
        "tsv-run/zero_byte_after_4096_bytes.packed",
    }
)
"""Files whose findings are still to be mended, as ``TARGET/NAME``."""

KEPT = [f"{target}/{path.name}" for target, path in kept()]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """Run all regression files."""
    inputs = [(path.parent.name, content_of(path)) for path in (FOLDER / name for name in KEPT)]
    return dict(zip(KEPT, outcomes_of(inputs, tmp_path_factory.mktemp("regressions")), strict=True))


@pytest.mark.parametrize("name", KEPT)
def test_a_regression_file_is_no_finding(name: str, outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes[name]
    if name in KNOWN_OPEN:
        assert outcome.is_finding, f"{name} is mended: take it out of KNOWN_OPEN"
    else:
        assert not outcome.is_finding, f"{outcome.kind}: {outcome.text}"


def test_what_is_known_to_be_open_is_kept() -> None:
    assert set(KEPT) >= KNOWN_OPEN


def test_sound_inputs_are_accepted_by_every_target(tmp_path: Path) -> None:
    inputs = [(name, seed) for name, target in all_targets().items() for seed in target.seeds]
    for (name, seed), outcome in zip(inputs, outcomes_of(inputs, tmp_path), strict=True):
        assert outcome.kind == ACCEPTED, (name, seed[:200], outcome)
