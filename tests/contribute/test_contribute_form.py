"""Form of entries: keys in order, comments and values kept, the same when done twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from vramsite.contribute.file_kinds import KINDS, entry_files
from vramsite.contribute.format_files import format_all, formatted
from vramsite.contribute.json_schema import schema, schema_texts
from vramsite.contribute.yaml_form import FormError

GPU = next(kind for kind in KINDS if kind.name == "gpu")
CLOUD = next(kind for kind in KINDS if kind.name == "cloud")

UNTIDY = """\
# measured twice
memory_gb: 16   # as sold
name: Card 10
sources: {tflops: data sheet}
tflops:
  bf16: 40
  fp16: 40 # dense
vendor: Acme
"""


def test_keys_come_into_the_order_of_the_record() -> None:
    text = formatted(UNTIDY, GPU)
    lines = text.splitlines()
    assert lines[0] == "# yaml-language-server: $schema=../../schema/gpu.schema.json"
    keys = [line.split(":")[0] for line in lines if line and line[0].isalpha()]
    assert keys == ["name", "vendor", "memory_gb", "tflops", "sources"]
    assert text.index("fp16: 40") < text.index("bf16: 40")


def test_comments_and_values_stay() -> None:
    text = formatted(UNTIDY, GPU)
    for comment in ("# measured twice", "# as sold", "# dense"):
        assert comment in text
    assert yaml.safe_load(text) == yaml.safe_load(UNTIDY)


def test_done_twice_is_done_once() -> None:
    once = formatted(UNTIDY, GPU)
    assert formatted(once, GPU) == once


def test_unknown_keys_come_last_so_that_check_can_name_them() -> None:
    text = formatted("bandwith: 5\nname: X\n", GPU)
    assert text.splitlines()[1:] == ["name: X", "bandwith: 5"]


def test_lists_of_records_are_ordered_too() -> None:
    text = formatted("offers:\n  - gpu: a\n    instance: one\nprovider: P\n", CLOUD)
    assert text.splitlines()[1:] == [
        "provider: P",
        "offers:",
        "  - instance: one",
        "    gpu: a",
    ]


@pytest.mark.parametrize("text", ["- a\n", "a: [1\n", "a: 1\na: 2\n", ""])
def test_what_is_no_mapping_is_refused(text: str) -> None:
    with pytest.raises(FormError):
        formatted(text, GPU)


def test_all_entries_of_the_catalog_are_in_form(real_data: Path) -> None:
    result = format_all(real_data, write=False)
    assert result.unreadable == []
    assert result.changed == []


def test_every_entry_names_a_schema_that_is_there(real_data: Path) -> None:
    for _, path in entry_files(real_data):
        first = path.read_text(encoding="utf-8").split("\n", 1)[0]
        target = path.parent / first.removeprefix("# yaml-language-server: $schema=")
        assert target.is_file(), path


def test_the_schemas_are_fresh(real_data: Path) -> None:
    for name, text in schema_texts().items():
        assert (real_data / "schema" / name).read_text(encoding="utf-8") == text, (
            "run `vramsite schema`"
        )


def test_the_schema_knows_the_keys_of_all_entries(real_data: Path) -> None:
    for kind, path in entry_files(real_data):
        found = schema(kind)
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert set(values) <= set(found["properties"]), path
        assert set(found["required"]) <= set(values), path


def test_ids_are_not_in_the_schema() -> None:
    found = json.loads(schema_texts()["gpu.schema.json"])
    assert "id" not in found["properties"]
    assert found["additionalProperties"] is False


def test_all_keys_of_entries_say_what_they_are() -> None:
    for kind in KINDS:
        properties = schema(kind)["properties"]
        silent = [name for name, value in properties.items() if "description" not in value]
        assert silent == []
