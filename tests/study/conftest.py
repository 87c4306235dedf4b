"""Where the published numbers on statistics are."""

import os
from pathlib import Path

import pytest


@pytest.fixture
def real_statistics() -> Path:
    """The folder of published numbers on statistics."""
    return Path(os.environ["IRMX_DATA"]) / "statistics"
