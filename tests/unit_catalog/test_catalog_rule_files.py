"""A slip in a file of rules names the file, and the line where the file has no anchors."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from vramsite.catalog.rule_files import LOADERS, rule_file_faults

DATA = Path(__file__).resolve().parents[2] / "data"


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("speed_model.yaml", "  acceptance: ", "  acceptence: ", "acceptence"),
        ("calibration.yaml", "kind: single", "kind: simple", "intervals[0].kind"),
        ("quant_recipes.yaml", "base: Q4_K\n", "base: Q4_Z\n", "Q4_Z"),
        ("llama_cpp_buffers.yaml", "cell_multiple:", "cell_multiples:", "cell_multiple"),
        ("speed_model.yaml", "engines:", "engines: [", "speed_model.yaml"),
    ],
)
def test_a_slip_is_named(tmp_path: Path, name: str, old: str, new: str, words: str) -> None:
    for file in {*LOADERS, "finetune_calibration.yaml"}:
        shutil.copy(DATA / file, tmp_path / file)
    assert rule_file_faults(tmp_path) == []
    other = tmp_path / "other"
    other.mkdir()
    for file in {*LOADERS, "finetune_calibration.yaml"}:
        shutil.copy(DATA / file, other / file)
    text = (other / name).read_text(encoding="utf-8")
    assert old in text
    (other / name).write_text(text.replace(old, new, 1), encoding="utf-8")
    faults = [str(fault) for fault in rule_file_faults(other)]
    assert faults
    assert name in faults[0]
    assert words in " ".join(faults)
