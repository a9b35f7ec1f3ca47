"""The real catalog, its slices as the build writes them, and how much is asked."""

from __future__ import annotations

import json
import os

import pytest
from cases import VARIANTS
from ground_truth import ROOT, Ground

from vramsite.catalog import load_catalog
from vramsite.report.sizer import Sizer
from vramsite.site.engine_js import compile_engine, compile_whole_engine
from vramsite.site.engine_js.data import SliceMaker, slice_files

QUICK, FULL = 2_000, 20_000


@pytest.fixture(scope="session")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    """The catalog, and a folder with the module and the slices."""
    catalog = load_catalog(ROOT / "data")
    maker = SliceMaker(catalog, Sizer(catalog).rules)
    folder = tmp_path_factory.mktemp("conformance")
    slices = {name: json.loads(content) for name, content in slice_files(maker)}
    compiled = compile_engine()
    text = {"slices": slices, "variants": VARIANTS, "fields": compiled.fields}
    (folder / "slices.json").write_text(json.dumps(text), encoding="utf-8")
    (folder / "engine.mjs").write_text(compiled.text, encoding="utf-8")
    (folder / "whole.mjs").write_text(compile_whole_engine().text, encoding="utf-8")
    return Ground(catalog, maker, maker.rules(), folder)


@pytest.fixture(scope="session")
def case_count() -> int:
    """All of them where nothing may be left out, some of them elsewhere."""
    asked = os.environ.get("VRAMSITE_CONFORMANCE")
    if asked:
        return int(asked)
    return FULL if os.environ.get("VRAMSITE_FULLSITE") else QUICK
