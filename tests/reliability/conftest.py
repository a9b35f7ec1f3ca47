"""The small catalog's site, built once for the tests that only look at it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from outcomes import spec_of
from small_catalog import write_small

from vramsite.site.build import build_site


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built site."""
    folder = tmp_path_factory.mktemp("built")
    spec = replace(spec_of(write_small(folder)), security_contact="mailto:safe@example.org")
    build_site(spec, folder / "out", jobs=1)
    return folder / "out"
