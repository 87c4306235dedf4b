"""ir_measures' own tests, run with irmx imported: none fails that passes without it.

They come with the source distribution of the installed version, which pip downloads; so this runs only where it is asked
for, by ``python -m pytest -m network``. What they need and the distribution lacks: a base class of ours, and two pairs of
data files, taken from the folder of IRMX_DATA where that is set.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import ir_measures
import pytest

pytestmark = [pytest.mark.network, pytest.mark.slow]

BASE = """
import unittest


class BaseMeasureTest(unittest.TestCase):
    def assertMetrics(self, found, expected, places=4, not_equal=False):
        check = self.assertNotAlmostEqual if not_equal else self.assertAlmostEqual
        pairs = list(zip(sorted(found, key=self.key), sorted(expected, key=self.key), strict=True))
        self.assertTrue(pairs)
        for one, other in pairs:
            self.assertEqual(self.key(one), self.key(other))
            check(one.value, other.value, places=places)

    def key(self, metric):
        return metric.query_id, str(metric.measure)
"""

PROGRAM = """
import json, sys, unittest, warnings
warnings.simplefilter("ignore")
if sys.argv[1] == "with irmx":
    import irmx
    irmx.registry()
tests = unittest.defaultTestLoader.discover("tests", top_level_dir=".")
result = unittest.TestResult()
tests.run(result)
failed = [str(test) for test, _ in (*result.failures, *result.errors)]
with open(sys.argv[2], "w") as file:
    json.dump({"ran": result.testsRun, "failed": failed}, file)
"""


@pytest.fixture(scope="module")
def distribution(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the unpacked source distribution, with what its tests need besides."""
    folder = tmp_path_factory.mktemp("ir_measures")
    version = f"ir_measures=={ir_measures.__version__}"
    command = ["pip", "download", "--quiet", "--no-deps", "--no-binary", "ir_measures", "--dest", str(folder), version]
    subprocess.run([sys.executable, "-m", *command], check=True)
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        archive.extractall(folder, filter="data")
    tests = next(folder.glob("*/tests"))
    (tests / "__init__.py").touch()
    (tests / "base.py").write_text(BASE)
    if os.environ.get("IRMX_DATA"):
        shutil.copytree(Path(os.environ["IRMX_DATA"]) / "fixtures" / "ir_measures", tests, dirs_exist_ok=True)
    shutil.rmtree(tests.parent / "ir_measures")  # the installed one is tested
    return tests.parent


def outcome(distribution: Path, how: str) -> tuple[int, set[str]]:
    """Return how many tests ran, and which failed, each subtest apart."""
    written = distribution / f"{how}.json"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, how, str(written)], cwd=distribution, capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(written.read_text())
    return found["ran"], set(found["failed"])


def test_none_fails_that_passes_without_irmx(distribution: Path) -> None:
    ran, failed = outcome(distribution, "without irmx")
    ran_with, failed_with = outcome(distribution, "with irmx")
    assert ran_with == ran > 30
    assert len(failed) < ran / 4, failed  # some need a provider, or a version of it, that is not here
    assert failed_with <= failed
    assert not any("test_parse" in name for name in failed_with)
