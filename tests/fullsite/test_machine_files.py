"""The complete site's files for machines: there, as their schemas say, within their budgets."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from vramsite.catalog import load_catalog
from vramsite.site.machine.schemas import SCHEMAS
from vramsite.site.spec import project_spec

pytestmark = pytest.mark.fullsite

ROOT = Path(__file__).resolve().parents[2]
URLS = project_spec(ROOT).urls
MOST_SITE_BYTES = 1_000_000_000
PAIR_LIMIT, BADGE_LIMIT, PICTURE_LIMIT = 2560, 1200, 300_000
EVERY = 7  # a sample that meets every model and every device


def read(path: Path) -> Any:
    return json.loads(path.read_bytes())


def test_the_site_stays_below_what_pages_allow(full_site: Path) -> None:
    size = sum(path.stat().st_size for path in full_site.rglob("*") if path.is_file())
    assert size < MOST_SITE_BYTES


@pytest.mark.parametrize(
    ("pattern", "limit"),
    [
        ("api/v1/pairs/*/*.json", PAIR_LIMIT),
        ("badges/*/*.svg", BADGE_LIMIT),
        ("share/*/*.png", PICTURE_LIMIT),
    ],
)
def test_files_keep_their_budgets(full_site: Path, pattern: str, limit: int) -> None:
    sizes = {path.name: path.stat().st_size for path in full_site.glob(pattern)}
    assert sizes
    assert {name: size for name, size in sizes.items() if size > limit} == {}


@pytest.mark.parametrize(
    ("kind", "pattern", "every"),
    [
        ("index", "index.json", 1),
        ("catalog", "catalog.json", 1),
        ("search", "search.json", 1),
        ("model", "models/*.json", 1),
        ("device", "devices/*.json", 1),
        ("pair", "pairs/*/*.json", EVERY),
    ],
)
def test_files_are_as_their_schema_says(
    full_site: Path, kind: str, pattern: str, every: int
) -> None:
    validator = Draft202012Validator(SCHEMAS[kind])
    files = sorted((full_site / "api/v1").glob(pattern))[::every]
    assert files
    faults = {path.name: [e.message for e in validator.iter_errors(read(path))] for path in files}
    assert {name: fault for name, fault in faults.items() if fault} == {}


def test_every_pair_is_in_the_table_as_in_its_file(full_site: Path) -> None:
    catalog = load_catalog(ROOT / "data")
    with (full_site / "api/v1/verdicts.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    pairs = {(model, gpu) for model in catalog.models for gpu in catalog.gpus}
    assert len(rows) == len(pairs)
    assert {(row["model"], row["device"]) for row in rows} == pairs
    for row in rows[:: EVERY * 5]:
        pair = read(full_site / "api/v1/pairs" / row["model"] / f"{row['device']}.json")
        assert row["verdict"] == pair["verdict"]
        assert float(row["device_bytes"]) == pair["device_bytes"]


def test_pages_name_files_that_exist(full_site: Path) -> None:
    origin = URLS.absolute(URLS.base_path)
    link = re.compile(r'<link rel="alternate" type="application/[\w+]+"[^>]*? href="([^"]+)"')
    image = re.compile(r'<meta property="og:image" content="([^"]+)"')
    missing = set()
    for page in sorted(full_site.rglob("*.html"))[::EVERY]:
        head = page.read_text(encoding="utf-8").partition("</head>")[0]
        named = [path.removeprefix(URLS.base_path) for path in link.findall(head)]
        pictures = [url.removeprefix(origin) for url in image.findall(head)]
        assert len(pictures) == 1 or page.name == "404.html", page
        missing |= {name for name in named + pictures if not (full_site / name).is_file()}
    assert missing == set()
