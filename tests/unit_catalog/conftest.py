from __future__ import annotations

from pathlib import Path

import pytest
from made_up_catalog import write_catalog


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_catalog(tmp_path)
