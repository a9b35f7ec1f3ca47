"""One spoilt value, one clear fault: file, line, key, what was found, what is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_up_catalog import TODAY, faults_of, spoil

from vramsite.catalog import CatalogError, load_catalog

MODEL = "models/acme/toy-1b.yaml"
GPU = "gpus/acme/card-10.yaml"
BOX = "gpus/acme/box-64.yaml"
CLOUD = "cloud/rent-co.yaml"

# file, old text, new text, start of the fault, a part of its message
CASES = [
    # schema
    (GPU, "bandwidth_gb_s: 500", "bandwidth_gb_s: 0", ":10: bandwidth_gb_s:", "found 0; must be"),
    (GPU, "bandwidth_gb_s: 500", "bandwidth_gb_s: -3", ":10: bandwidth_gb_s:", "greater than 0"),
    (
        GPU,
        "bandwidth_gb_s: 500",
        'bandwidth_gb_s: "500"',
        ":10: bandwidth_gb_s:",
        "found '500'; must",
    ),
    (GPU, "bandwidth_gb_s: 500", "bandwidth_gb_s: true", ":10: bandwidth_gb_s:", "a number"),
    (GPU, "bandwidth_gb_s: 500", "bandwidth_gb_s: .nan", ":10: bandwidth_gb_s:", "a number"),
    (GPU, "bandwidth_gb_s: 500", "bandwith_gb_s: 500", ":10: bandwith_gb_s:", "bandwidth_gb_s?"),
    (GPU, "memory_gb: 16\n", "", ":1: memory_gb:", "is missing"),
    (GPU, "fp16: 40", "fp17: 40", ":12: tflops.fp17:", "did you mean fp16?"),
    (GPU, "kind: consumer", "kind: gaming", ":3: kind:", "'consumer'"),
    (GPU, "backends: [cuda]", "backends: []", ":5: backends:", "at least 1 entry"),
    (GPU, "pcie: 4.0 x16", "pcie: 4.0 x17", ":16: pcie:", '"4.0 x16"'),
    (GPU, "as_of: 2026-02", "as_of: 2026-13", ":22: street_usd.as_of:", "found 2026-13"),
    (GPU, "vendor: Acme", "vendor: Acme\nid: card-11", ":3: id:", "path of the file"),
    (CLOUD, "usd_per_hour: 0.5", "usd_per_hour: -1", ":6: offers[0].usd_per_hour:", "found -1"),
    (CLOUD, "gpu_count: 1", "gpu_count: 1.5", ":5: offers[0].gpu_count:", "a whole number"),
    (CLOUD, "as_of: 2026-11-05", "as_of: soon", ":8: offers[0].as_of:", "found 'soon'"),
    (CLOUD, "source: https", "url: http://x.example\n    source: https", ":9:", "found http://x"),
    (MODEL, "hf_repo: acme/toy-1b", "hf_repo: toy-1b", ":3: hf_repo:", "found toy-1b"),
    (MODEL, "hf_repo: acme/toy-1b", "hf_repo: a/b;rm -rf", ":3: hf_repo:", "found a/b;rm"),
    (MODEL, "context_max_tokens: 8192", "context_max_tokens: 8k", ":8: context", "whole number"),
    (MODEL, "confidence: exact", "confidence: sure", ":18: confidence:", "'exact'"),
    (MODEL, "    exact: true\n", "", ":15: files[0].exact:", "is missing"),
    # keys with nothing behind them
    (GPU, "bandwidth_gb_s: 500", "bandwidth_gb_s:", ":10: bandwidth_gb_s:", "take the line out"),
    (GPU, "bandwidth_gb_s: 500", "bandwidth_gb_s: null", ":10: bandwidth_gb_s:", "not known (mem"),
    (GPU, "memory_gb: 16", "memory_gb:", ":7: memory_gb:", "write its value (memory as it is sold"),
    (GPU, "fp16: 40", "fp16: ~", ":12: tflops.fp16:", "nothing behind it"),
    (GPU, "as_of: 2026-02", "as_of:", ":22: street_usd.as_of:", "nothing behind it; write its v"),
    (GPU, "backends: [cuda]", "backends: [cuda, ]\nnotes:", ":6: notes:", "take the line out"),
    (CLOUD, "gpu_count: 1", "gpu_count:", ":5: offers[0].gpu_count:", "nothing behind it"),
    (MODEL, "value_heads: 2", "value_heads:", ":28: config.num_key", "null where config.json says"),
    (GPU, "  tdp_w: data sheet", "  tdp_w: nan", ":28: sources.tdp_w:", "nan; says nothing; write"),
    (GPU, "vendor: Acme", "vendor: None", ":2: vendor:", "found None; says nothing; write what"),
    (GPU, "pcie: 4.0 x16", "notes: NaN", ":16: notes:", "found NaN; says nothing; write what"),
    (GPU, "  tdp_w: data sheet", "  tdp_w: .nan", ":28: sources.tdp_w:", "says nothing; write"),
    # forms
    (GPU, "launched: 2026-01-15", "launched: 15.1.2026", ":6: launched:", "such as 2026, 2026-11"),
    (MODEL, "hf_repo: acme/toy-1b", "hf_repo: https://a.b/c", ":3: hf_repo:", "like owner/name"),
    (CLOUD, "gpu: card-10", "gpu: Card 10", ":4: offers[0].gpu:", "must be an id: lower-case"),
    (CLOUD, "usd_per_hour: 0.5", "usd_per_hour: 0,5", ":6: offers", "with a decimal point and"),
    (GPU, "memory_gb: 16", "memory_gb: 16 GB", ":7: memory_gb:", "without a unit (memory"),
    (MODEL, "bytes: 1062500000", "bytes: 1 GB", ":16: files[0].bytes:", "in digits alone"),
    # house rules
    (GPU, "bandwidth_gb_s: 500", "bandwidth_gb_s: 0.5", ":10: bandwidth_gb_s:", "is in GB/s"),
    (MODEL, "format: Q8_0", "format: Q80", ":15: files[0].format:", "did you mean Q8_0?"),
    (GPU, "memory_mib_reported: 16376", "memory_mib_reported: 16", ":8: memory_mib", "13760 to"),
    (GPU, "memory_mib_reported: 16376", "memory_mib_reported: 17179", ":8: memory_mib", "16384"),
    (GPU, "launched: 2026-01-15", "launched: 2027-01", ":6: launched:", "lies in the future"),
    (GPU, "as_of: 2026-02", "as_of: 2026-12-02", ":22: street_usd.as_of:", "in the future"),
    (GPU, "low: 450", "low: 700", ":19: street_usd.low:", "at most high (600)"),
    (GPU, "  tdp_w: data sheet\n", "", ":24: sources:", "names no source for tdp_w"),
    (GPU, "  tdp_w: data", "  tpd_w: data", ":28: sources.tpd_w:", "did you mean tdp_w?"),
    (GPU, "kind: consumer", "kind: unified", ":3: kind:", "add usable_default"),
    (BOX, "kind: unified", "kind: workstation", ":12: usable_default:", "only for unified"),
    (BOX, "gib: 48", "gib: 65", ":13: usable_default.gib:", "at most memory_gb (64)"),
    (CLOUD, "gpu: card-10", "gpu: card-11", ":4: offers[0].gpu:", "did you mean card-10?"),
    (CLOUD, "as_of: 2026-11-05", "as_of: 2027-01-01", ":8: offers[0].as_of:", "in the future"),
    (MODEL, "released: 2026-03", "released: 2027", ":6: released:", "lies in the future"),
    (MODEL, "params_active_b: 1", "params_active_b: 2", ":13: params_active_b:", "at most"),
    (MODEL, "params_total: 1000000000", "params_total: 9", ":11: params_total:", "one of the two"),
    (MODEL, "format: Q8_0", "format: Q9_9", ":15: files[0].format:", "data/quants.yaml"),
    (MODEL, "bytes: 1062500000", "bytes: 1062500001", ":16: files[0].bytes:", "multiple of 32"),
    (MODEL, "value_heads: 2", "value_heads: 3", ":28: config.num_key_value_heads:", "divide"),
    (MODEL, "layer_types: [full_attention, ", "layer_types: [", ":33: config.layer_types:", "1 en"),
    (MODEL, "  files: repository listing\n", "", ":19: sources:", "no source for files"),
    ("quants.yaml", "base_type: F16", "base_type: F17", ":8: formats[1].base_type:", "F17"),
    ("quants.yaml", "name: F16", "name: Q8_0", ":8: formats[1].name:", "a second time"),
    ("quants.yaml", "as_of: 2026-11-30", "as_of: 2030-01-01", ":2: as_of:", "in the future"),
    ("engines.yaml", "url: https:", "url: http:", ":4: engines[0].url:", "found http:"),
    ("engines.yaml", "formats: [gguf]", "formats: [gif]", ":6: engines[0].formats[0]:", "gif"),
    ("assumptions.yaml", "ram_platform: two-", "ram_platform: six-", ":9: hosts[0].ram_", "six-"),
    ("assumptions.yaml", "low: 300", "low: 450", ":4: runtime.cuda:", "in this order"),
    ("assumptions.yaml", "  other:", "  vulkan:", ":3: runtime:", "no entry `other`"),
    # YAML
    (GPU, "memory_gb: 16", "memory_gb: 16\nmemory_gb: 24", ":8: memory_gb:", "is there twice"),
    (GPU, "memory_gb: 16", "memory_gb: 16\n\ttdp: 3", ":8:", "indented with a tab"),
    (GPU, "fp16: 40", "fp16: [40", ":13:", "is not valid YAML: close the bracket"),
    (GPU, "name: Card 10", "name:Card 10", ":2:", "write a space after the colon of each key"),
    (GPU, "name: Card 10", "name: Card: 10", ":1:", "put a text that holds ': ' in quotes"),
    (GPU, "name: Card 10", "name: @Card", ":1:", "begins with this character in quotes"),
    (GPU, "name: Card 10", "name: *Card", ":1:", "begins with '*' in quotes (found undefined"),
    (GPU, "  tdp_w: data sheet", "  tdp_w: 'data", ":28:", "close the quote that begins here"),
    (GPU, "vendor: Acme", "vendor Acme", ":2:", "write `key: value` on this line"),
    (GPU, "name: Card 10", "name: 'a' b", ":1:", "in the other kind of quotes"),
    (GPU, "name: Card 10", "---\nname: x\n---\nname: y", ":3:", "one file holds one entry"),
    (GPU, "name: Card 10", "name: &n Card 10\nnotes: *n", ":2: notes:", "an alias"),
    (GPU, "name: Card 10", "name: !!python/object:os.system x", ":1: name:", "has the tag"),
    (GPU, "name: Card 10", "name: !!binary aGk=", ":1: name:", "has the tag"),
    (GPU, "tdp_w: 200", "tdp_w: !!int x", ":13: tdp_w:", "has the tag"),
    (GPU, "tdp_w: 200", "tdp_w: 1e400", ":13: tdp_w:", "too big"),
    (GPU, "name: Card 10", 'name: "Card\\0"', ":1: name:", "control character"),
    (GPU, "tflops:\n  fp16: 40", "tflops: &t\n  fp16: 40\nextra: *t", ":13: extra:", "an alias"),
    (GPU, "tflops:", "tflops: " + "[" * 40 + "]" * 40 + "\nother:", ":11:", "nested deeper"),
]


@pytest.mark.parametrize(("name", "old", "new", "place", "part"), CASES)
def test_spoilt_value(data: Path, name: str, old: str, new: str, place: str, part: str) -> None:
    spoil(data, name, old, new)
    found = [text for text in faults_of(data) if text.startswith(f"data/{name}{place}")]
    assert found, faults_of(data)
    assert any(part in text for text in found), found


def test_an_unknown_model_type_names_the_nearest_readers(data: Path) -> None:
    spoil(data, MODEL, "model_type: llama", "model_type: qwen33")
    (text,) = faults_of(data, architectures=True)
    assert "no reader for 'qwen33'; did you mean qwen3" in text
    assert "`vramsite add-model config.json`" in text
    assert len(text) < 300  # not all readers
    spoil(data, MODEL, "model_type: qwen33", "model_type: '~~~~'")
    assert "no reader for '~~~~'; run `vramsite add-model" in faults_of(data, architectures=True)[0]


def test_null_in_what_was_copied_is_a_value(data: Path) -> None:
    spoil(data, MODEL, "config:\n", "config:\n  rope_scaling: null\n")
    assert faults_of(data) == []


def test_keys_with_nothing_behind_them_without_end(data: Path) -> None:
    (data / GPU).write_text("".join(f"k{n}:\n" for n in range(30_000)), encoding="utf-8")
    texts = [text for text in faults_of(data) if GPU in text]
    assert any("29975 more keys with nothing behind them" in text for text in texts)
    assert len(texts) < 90


def test_made_up_catalog_is_in_order(data: Path) -> None:
    assert faults_of(data) == []


def test_all_faults_at_once(data: Path) -> None:
    spoil(data, GPU, "bandwidth_gb_s: 500", "bandwidth_gb_s: 0")
    spoil(data, GPU, "tdp_w: 200", "tdp_w: none")
    spoil(data, CLOUD, "usd_per_hour: 0.5", "usd_per_hour: 0")
    spoil(data, MODEL, "value_heads: 2", "value_heads: 3")
    with pytest.raises(CatalogError) as caught:
        load_catalog(data, today=TODAY)
    assert [(fault.path, fault.line, fault.key) for fault in caught.value.faults] == [
        ("data/cloud/rent-co.yaml", 6, "offers[0].usd_per_hour"),
        ("data/gpus/acme/card-10.yaml", 10, "bandwidth_gb_s"),
        ("data/gpus/acme/card-10.yaml", 13, "tdp_w"),
        ("data/models/acme/toy-1b.yaml", 28, "config.num_key_value_heads"),
    ]


def test_the_same_id_under_two_vendors(data: Path) -> None:
    (data / "gpus/other").mkdir()
    (data / "gpus/other/card-10.yaml").write_text((data / GPU).read_text())
    texts = faults_of(data)
    assert any("is also that of data/gpus/acme/card-10.yaml" in text for text in texts)
    assert any("is also the name in data/gpus/acme/card-10.yaml" in text for text in texts)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("gpus/acme/new.yaml", b"\xef\xbb\xbfname: X\n", "byte order mark"),
        ("gpus/acme/new.yaml", b"name: X\nnotes: \xff\n", "new.yaml:2: is not UTF-8"),
        ("gpus/acme/new.yaml", b"- 1\n- 2\n", "must be a mapping"),
        ("gpus/acme/new.yaml", b"", "must be a mapping"),
        ("gpus/acme/new.yaml", b"notes: " + b"x" * 1_000_001, "bigger than"),
        ("gpus/acme/new.yaml", b"- " * 5000 + b"1", "nested deeper"),
        ("gpus/acme/new.yaml", b"? [1]\n: 2\n", "a key that is not a text"),
        ("gpus/acme/new.yaml", b"notes: \x00\n", "is not valid YAML"),
        ("gpus/acme/New Card.yaml", b"name: X\n", "the path is the id"),
        ("gpus/acme/card.yml", b"name: X\n", "is no .yaml file"),
        ("gpus/card.yaml", b"name: X\n", "belongs into gpus/<vendor>/"),
    ],
)
def test_unusable_file(data: Path, name: str, content: bytes, message: str) -> None:
    (data / name).write_bytes(content)
    assert any(f"data/{name}" in text and message in text for text in faults_of(data))


def test_symbolic_links_are_refused(data: Path, tmp_path: Path) -> None:
    outside = tmp_path / "secret.yaml"
    outside.write_text("name: X\n")
    (data / "gpus/acme/link.yaml").symlink_to(outside)
    assert "data/gpus/acme/link.yaml: is a symbolic link; put the file itself here" in faults_of(
        data
    )


@pytest.mark.parametrize("name", ["models", "gpus", "cloud"])
def test_missing_folder(data: Path, name: str) -> None:
    (data / name).rename(data / "away")
    assert any(text.startswith(f"data/{name}: is missing") for text in faults_of(data))


@pytest.mark.parametrize("name", ["quants.yaml", "engines.yaml", "assumptions.yaml"])
def test_missing_file(data: Path, name: str) -> None:
    (data / name).unlink()
    assert f"data/{name}: cannot be read: No such file or directory" in faults_of(data)


def test_a_reader_that_objects_is_a_fault_at_its_key(data: Path) -> None:
    spoil(data, MODEL, "  hidden_size: 64\n", "")
    spoil(data, MODEL, "model_type: llama", "model_type: lama")
    texts = faults_of(data, architectures=True)
    assert any("toy-1b.yaml:9: model_type: no reader for 'lama'" in text for text in texts)
    spoil(data, MODEL, "model_type: lama", "model_type: llama")
    texts = faults_of(data, architectures=True)
    assert any("config.hidden_size: is missing" in text for text in texts)
