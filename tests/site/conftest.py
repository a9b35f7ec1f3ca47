from __future__ import annotations

from pathlib import Path

import pytest
from made_up_site import write_project

from vramsite.site.spec import BuildSpec


@pytest.fixture
def project(tmp_path: Path) -> BuildSpec:
    """A made-up project in a temporary folder."""
    return write_project(tmp_path / "project")


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "site" / "out"
