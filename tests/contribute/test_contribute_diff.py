"""Which numbers change, told for a model that was edited and for those that nobody touched."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from vramsite.contribute.base import BaseError, read_base
from vramsite.contribute.diff import compare, difference_text

GIB = 2.0**30


def state(models: dict[str, str], **pairs: tuple[str, float, float]) -> dict[str, Any]:
    return {
        "models": models,
        "devices": {"card": "x"},
        "pairs": {
            f"{model} card": {
                "verdict": verdict,
                "device_bytes": device_bytes,
                "host_bytes": 0.0,
                "decode_tps": tps,
                "prefill_tps": None,
                "ttft_s": None,
            }
            for model, (verdict, device_bytes, tps) in pairs.items()
        },
        "offers": {},
    }


BEFORE = state({"a": "1", "b": "1", "old": "1"}, a=("fits", 4 * GIB, 100.0),
               b=("fits", 8 * GIB, 50.0), old=("fits", GIB, 1.0))  # fmt: skip


def test_nothing_changes() -> None:
    difference = compare(BEFORE, BEFORE)
    assert difference.empty
    assert "No number changes." in difference_text(difference, "main", True)


def offers(**prices: tuple[float, str]) -> dict[str, Any]:
    return {
        f"rent-co {gpu} one | [x](https://evil.example) on-demand": {
            "usd_per_hour": usd,
            "as_of": day,
        }
        for gpu, (usd, day) in prices.items()
    }


def test_prices_that_change_are_told_by_provider_and_device() -> None:
    before = BEFORE | {"offers": offers(a=(2.0, "2026-11-01"), b=(1.0, "2026-11-01"),
                                        c=(3.0, "2026-11-01"), d=(5.0, "2026-11-01"))}  # fmt: skip
    after = BEFORE | {"offers": offers(a=(2.5, "2026-12-01"), b=(1.5, "2026-11-01"),
                                       d=(5.0, "2026-11-01"), e=(7.0, "2026-12-01"))}  # fmt: skip
    difference = compare(before, after)
    assert not difference.empty
    text = difference_text(difference, "main", True)
    assert text.splitlines()[-4:] == [
        "|  | rent-co | a | 2 | 2.5 | 2026-12-01 |",
        "| ⚠ `as_of` is as before | rent-co | b | 1 | 1.5 | 2026-11-01 |",
        "| gone | rent-co | c | 3 | – | 2026-11-01 |",
        "| new | rent-co | e | – | 7 | 2026-12-01 |",
    ]
    assert "evil" not in text  # nothing that a stranger wrote gets into the comment


def test_new_and_gone_models() -> None:
    after = state({"a": "1", "b": "1", "new": "1"}, a=("fits", 4 * GIB, 100.0),
                  b=("fits", 8 * GIB, 50.0), new=("fits", GIB, 1.0))  # fmt: skip
    difference = compare(BEFORE, after)
    assert difference.new_models == ["new"]
    assert difference.gone_models == ["old"]
    assert (difference.new_pairs, difference.gone_pairs) == (1, 1)
    assert difference.changes == []


def test_more_than_two_per_cent_in_an_untouched_model_is_a_warning() -> None:
    after = state({"a": "2", "b": "1", "old": "1"}, a=("fits", 5 * GIB, 80.0),
                  b=("tight", 8 * GIB, 51.5), old=("fits", GIB, 1.0))  # fmt: skip
    difference = compare(BEFORE, after)
    assert difference.touched_models == ["a"]
    assert [(item.model_id, item.number) for item in difference.warnings] == [("b", "decode_tps")]
    assert difference.warnings[0].worst_share == pytest.approx(0.03)
    assert difference.verdicts == [("b card", "fits", "tight")]
    text = difference_text(difference, "main", True)
    assert "numbers of 1 models that nobody touched change by more than 2%" in text
    assert "| ⚠ | b | decode | 1 | +3.00% | +3.00% | card | 50 tok/s | 51.5 tok/s |" in text
    assert (
        "| edited | a | device memory | 1 | +25.00% | +25.00% | card | 4.000 GiB | 5.000 GiB |"
        in text
    )


def test_two_per_cent_are_no_warning() -> None:
    after = state({"a": "1", "b": "1", "old": "1"}, a=("fits", 4 * GIB, 101.9),
                  b=("fits", 8 * GIB, 50.0), old=("fits", GIB, 1.0))  # fmt: skip
    difference = compare(BEFORE, after)
    assert len(difference.changes) == 1
    assert difference.warnings == []


def test_a_folder_that_is_no_catalog(tmp_path: Path) -> None:
    with pytest.raises(BaseError, match="holds no data/models"):
        read_base(str(tmp_path), tmp_path)


def test_a_revision_that_is_not_there(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    with pytest.raises(BaseError, match="no such folder or revision"):
        read_base("nonsense", tmp_path)
    with pytest.raises(BaseError, match="is no revision"):
        read_base("--output=x", tmp_path)


def test_a_folder_is_read_with_the_present_code(data: Path) -> None:
    base = read_base(str(data), data.parent)
    assert not base.own_code
    assert len(base.numbers["models"]) == len(list((data / "models").glob("*/*.yaml")))
    assert base.numbers["pairs"]["qwen3-8b rtx-4090"]["verdict"]


def test_data_that_this_code_cannot_read(data: Path) -> None:
    path = next((data / "models").glob("*/qwen3-8b.yaml"))
    path.write_text(path.read_text(encoding="utf-8") + "surprise: 1\n", encoding="utf-8")
    with pytest.raises(BaseError, match="surprise"):
        read_base(str(data), data.parent)
