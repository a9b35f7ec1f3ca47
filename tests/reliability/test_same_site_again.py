"""The real templates and engine, not a made-up site: the same bytes whoever makes which page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from build_case import contents
from outcomes import spec_of

from vramsite.site.build import build_site


def test_three_workers_under_another_hash_seed_make_what_one_made(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONHASHSEED", "4242")
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    spec = replace(spec_of(built.parent / "data"), security_contact="mailto:safe@example.org")
    build_site(spec, tmp_path / "out", jobs=3)
    one, three = contents(built), contents(tmp_path / "out")
    assert one.keys() == three.keys()
    assert [name for name in one if one[name] != three[name]] == []
