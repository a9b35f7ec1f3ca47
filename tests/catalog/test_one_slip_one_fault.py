"""A slip in one entry is reported once, whatever refers to that entry."""

from __future__ import annotations

import shutil
from pathlib import Path

from vramsite.catalog.check import check

DATA = Path(__file__).resolve().parents[2] / "data"


def test_a_misspelt_key_is_one_fault_and_not_one_a_measurement(tmp_path: Path) -> None:
    data = tmp_path / "data"
    shutil.copytree(DATA, data)
    file = data / "models" / "qwen" / "qwen3-8b.yaml"
    text = file.read_text(encoding="utf-8")
    assert "\nlicense:" in text
    file.write_text(text.replace("\nlicense:", "\nlicence:"), encoding="utf-8")
    [fault] = check(data)
    assert "did you mean license?" in str(fault)
    assert "qwen3-8b.yaml:" in str(fault)
