"""Files of rules and coefficients, spoilt: refused in a sentence, or a model can still be sized."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hostile_values import REMOVE, places, spoilt, tries, values
from hypothesis import given
from hypothesis import strategies as st
from outcomes import MOST_SECONDS, readable
from small_catalog import dump, write_small

from vramsite.catalog.check import check
from vramsite.catalog.rule_files import LOADERS
from vramsite.catalog.rule_yaml import RuleFileError, read_rules

NAMES = [*LOADERS, "finetune_calibration.yaml"]


def forget() -> None:
    for loaders in LOADERS.values():
        for load in loaders:
            load.cache_clear()  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    yield write_small(tmp_path_factory.mktemp("rules"))
    forget()


@pytest.mark.parametrize("name", NAMES)
def test_a_spoilt_value_is_refused_or_harmless(name: str, data: Path) -> None:
    path = data / name
    kept, whole = path.read_bytes(), read_rules(path)
    every = places(whole)

    @tries(8)
    @given(st.data())
    def spoil(drawn: st.DataObject) -> None:
        keys = drawn.draw(st.sampled_from(every))
        content: Any = spoilt(whole, keys, drawn.draw(values()))
        if content is REMOVE:
            return
        dump(path, content)
        forget()
        started = time.process_time()
        faults = check(data)
        assert time.process_time() - started < 2 * MOST_SECONDS  # nothing of before is kept
        readable(faults)

    try:
        spoil()
    finally:
        path.write_bytes(kept)
        forget()


BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join(10 * [f'*{old}'])}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "must be a mapping"),
        ("- a\n", "must be a mapping"),
        ("a: [\n", "is not valid YAML"),
        ("a: 1\n---\nb: 2\n", "is not valid YAML"),
        (BOMB, "multiplies by aliases"),
        ("a: &a\n  b: *a\n", "an alias"),
        ("a: .nan\n", "must be finite"),
        ("a: -.inf\n", "must be finite"),
        ("a: !!python/object/apply:os.getcwd []\n", "is not valid YAML"),
        ("a: 2026-13-45\n", "is not valid YAML"),
        ("a: " + "[" * 40 + "]" * 40 + "\n", "nested deeper"),
        ("a: " + "[" * 5000 + "\n", "is not valid YAML"),
    ],
)
def test_text_that_is_no_file_of_rules(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text(content, encoding="utf-8")
    started = time.process_time()
    with pytest.raises(RuleFileError, match=said):
        read_rules(path)
    assert time.process_time() - started < MOST_SECONDS


def test_parts_shared_by_anchors_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text("a: &a [1, 2]\nb: *a\nc: {d: *a}\n", encoding="utf-8")
    assert read_rules(path) == {"a": [1, 2], "b": [1, 2], "c": {"d": [1, 2]}}
