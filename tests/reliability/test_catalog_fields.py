"""Every field of every record, spoilt: a fault that helps, or a page that prints."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from hostile_values import REMOVE, places, spoilt, tries, values
from hypothesis import given
from hypothesis import strategies as st
from outcomes import outcome
from small_catalog import dump, plain, write_small

from vramsite.site.pages import PageKey

PAIRS = [("qwen3-8b", "rtx-4090"), ("qwen3-8b", "mac-studio-m3-ultra-512gb")]
PAGES = [
    *(PageKey("pair", ids) for ids in PAIRS),
    PageKey("model", ("qwen3-8b",)),
    PageKey("device", ("rtx-4090",)),
    *map(PageKey, ("models", "devices", "find", "compare", "home")),
]
OTHER_MODEL = [PageKey("pair", ("gpt-oss-20b", "rtx-4090")), PageKey("model", ("gpt-oss-20b",))]
UNIFIED = [PAGES[1], PageKey("device", ("mac-studio-m3-ultra-512gb",)), PageKey("devices")]
MONEY = [PAGES[0], PAGES[1]]

# A file of the small catalog, how many spoilt versions the gate tries, the pages that show it.
FILES: dict[str, tuple[int, list[PageKey]]] = {
    "models/qwen/qwen3-8b.yaml": (36, PAGES),
    "models/openai/gpt-oss-20b.yaml": (24, OTHER_MODEL),
    "gpus/nvidia/rtx-4090.yaml": (30, PAGES),
    "gpus/apple/mac-studio-m3-ultra-512gb.yaml": (18, UNIFIED),
    "cloud/lambda.yaml": (15, MONEY),
    "quants.yaml": (12, [PAGES[0], PAGES[2]]),
    "engines.yaml": (12, [PAGES[0], PAGES[2]]),
    "assumptions.yaml": (12, MONEY),
    "side/electricity.yaml": (6, MONEY),
    "side/ram.yaml": (6, MONEY),
    "side/runtime_overhead.yaml": (6, MONEY),
    "side/co2.yaml": (6, MONEY),
    "side/power.yaml": (7, MONEY),
    "side/hosted_api.yaml": (6, MONEY),
    "side/interconnect.yaml": (6, MONEY),
    "side/quant_quality.yaml": (6, MONEY),
    "side/speculative.yaml": (6, MONEY),
    "measurements/finetune.yaml": (6, MONEY),
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_small(tmp_path_factory.mktemp("fields"))


def test_the_small_catalog_is_in_order(data: Path, tmp_path: Path) -> None:
    assert outcome(data, [*PAGES, *OTHER_MODEL, *UNIFIED], tmp_path) == []
    assert len(list(tmp_path.rglob("*.json"))) == 7
    assert len(list(tmp_path.rglob("*.svg"))) == 3


@pytest.mark.parametrize("name", FILES)
def test_a_spoilt_field_is_refused_or_harmless(name: str, data: Path, tmp_path: Path) -> None:
    path, (examples, pages) = data / name, FILES[name]
    kept, whole = path.read_bytes(), plain(path)
    every = places(whole)
    seen: list[bool] = []

    @tries(examples)
    @given(st.data())
    def spoil(drawn: st.DataObject) -> None:
        content: Any = whole
        for _ in range(drawn.draw(st.sampled_from([1, 1, 1, 2]))):
            keys = drawn.draw(st.sampled_from(every))
            try:
                content = spoilt(content, keys, drawn.draw(values()))
            except (KeyError, IndexError, TypeError):  # the first one took its place away
                continue
        if content is REMOVE:
            return
        dump(path, content)
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
        seen.append(bool(outcome(data, pages, tmp_path / "out")))

    try:
        spoil()
    finally:
        path.write_bytes(kept)
    assert len(seen) >= examples // 2


@pytest.mark.parametrize("value", [[1e300], {"a": 1}, 7, True, "x" * 5000])
def test_a_device_of_side_facts_that_is_no_id(data: Path, tmp_path: Path, value: object) -> None:
    path = data / "side/interconnect.yaml"
    kept, whole = path.read_bytes(), plain(path)
    try:
        dump(path, spoilt(whole, ("p2p", 0, "gpu"), value))
        assert outcome(data, [], tmp_path)
    finally:
        path.write_bytes(kept)


@pytest.mark.parametrize("value", [5.8e-134, 5e-324, 1e-12, 2.39, 2.5, 9e15])
def test_a_bandwidth_nobody_has_breaks_no_page(data: Path, tmp_path: Path, value: float) -> None:
    """The first two once did: no page can print what follows from them. 24 GB at less than
    2.4 GB/s take more than ten seconds to read.
    """
    path = data / "gpus/nvidia/rtx-4090.yaml"
    kept, whole = path.read_bytes(), plain(path)
    try:
        dump(path, spoilt(whole, ("bandwidth_gb_s",), value))
        assert bool(outcome(data, PAGES, tmp_path)) == (value < 2.4)
    finally:
        path.write_bytes(kept)
