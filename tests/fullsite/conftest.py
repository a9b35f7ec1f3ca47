"""The complete site: taken from VRAMSITE_SITE, or built when VRAMSITE_FULLSITE is set."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from page_facts import Names, SiteFacts, read_site

from vramsite.catalog import load_catalog
from vramsite.site.build import build_site
from vramsite.site.spec import project_spec

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def full_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the complete site."""
    taken = os.environ.get("VRAMSITE_SITE")
    if taken:
        return Path(taken)
    if not os.environ.get("VRAMSITE_FULLSITE"):
        pytest.skip("checks the complete site when VRAMSITE_FULLSITE=1 or VRAMSITE_SITE=folder")
    output = tmp_path_factory.mktemp("fullsite") / "out"
    build_site(project_spec(ROOT), output)
    return output


@pytest.fixture(scope="session")
def facts(full_site: Path) -> SiteFacts:
    """What one pass over all pages found."""
    return read_site(full_site, Names.of(load_catalog(ROOT / "data")))
