from __future__ import annotations

import shutil
from pathlib import Path

import pytest

REAL = Path(__file__).parents[2] / "data"
_LEFT_OUT = shutil.ignore_patterns("schema")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A copy of the catalog to write into."""
    return Path(shutil.copytree(REAL, tmp_path / "data", ignore=_LEFT_OUT))


@pytest.fixture
def real_data() -> Path:
    return REAL
