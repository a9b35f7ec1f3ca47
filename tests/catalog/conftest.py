from __future__ import annotations

from pathlib import Path

import pytest

from vramsite.catalog import Catalog, MeasurementRow, load_catalog
from vramsite.catalog.measurements import measurements

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="session")
def data_dir() -> Path:
    return DATA


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return load_catalog(DATA)


@pytest.fixture(scope="session")
def rows() -> list[MeasurementRow]:
    return measurements(DATA)
