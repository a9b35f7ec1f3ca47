"""Headers of GGUF files: read exactly, and refused before a wrong number can do harm."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from gguf import GGMLQuantizationType, GGUFWriter

from vramsite.catalog import load_catalog
from vramsite.catalog.architectures import ArchitectureSource, Keys, read_architecture
from vramsite.contribute.gguf_facts import differences, format_of, published_file
from vramsite.contribute.gguf_header import GgufError, read_header


def write_gguf(path: Path) -> Path:
    writer = GGUFWriter(path, "llama")
    writer.add_uint32("llama.block_count", 1)
    writer.add_array("tokenizer.ggml.tokens", ["a", "bb", "ccc"] * 40)
    writer.add_array("tokenizer.ggml.scores", [0.5] * 120)
    writer.add_chat_template("x" * 9000)
    writer.add_tensor("output_norm.weight", np.ones(100, dtype=np.float32))
    writer.add_tensor(
        "blk.0.ffn_up.weight",
        np.zeros((8, 34), dtype=np.uint8),
        raw_dtype=GGMLQuantizationType.Q8_0,
    )
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_a_whole_file(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "toy-Q8_0.gguf")
    header = read_header(path)
    assert header.architecture == "llama"
    assert header.complete
    assert header.file_bytes == path.stat().st_size
    assert header.elements == 100 + 8 * 32
    by_name = {tensor.name: tensor for tensor in header.tensors}
    assert by_name["output_norm.weight"].bytes == 400
    assert by_name["blk.0.ffn_up.weight"].type_name == "Q8_0"
    assert by_name["blk.0.ffn_up.weight"].bytes == 8 * 34


def test_the_beginning_of_a_file_tells_its_whole_length(tmp_path: Path) -> None:
    whole = write_gguf(tmp_path / "whole-Q8_0.gguf")
    size = whole.stat().st_size
    part = tmp_path / "part-Q8_0.gguf"
    part.write_bytes(whole.read_bytes()[: size - 500])
    header = read_header(part)
    assert header.file_bytes == size
    assert not header.complete


def test_every_shorter_beginning_is_refused_clearly(tmp_path: Path) -> None:
    raw = write_gguf(tmp_path / "whole-Q8_0.gguf").read_bytes()
    start = len(raw) - 8 * 34 - 400 - 64  # about where the tensors begin
    part = tmp_path / "part.gguf"
    for length in range(0, start, 37):
        part.write_bytes(raw[:length])
        with pytest.raises(GgufError):
            read_header(part)


COUNTS = struct.pack("<4sIQQ", b"GGUF", 3, 1, 1)
KEY = struct.pack("<Q1sI", 1, b"k", 9)  # an array


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "ends inside"),
        (b"PK\x03\x04" + bytes(60), "is no GGUF file"),
        (struct.pack("<4sI", b"GGUF", 1) + bytes(60), "version 1"),
        (struct.pack(">4sI", b"GGUF", 3) + bytes(60), "version"),
        (struct.pack("<4sIQQ", b"GGUF", 3, 2**60, 1), "declares"),
        (struct.pack("<4sIQQ", b"GGUF", 3, 1, 2**62), "declares"),
        (COUNTS + struct.pack("<Q", 2**50), "at most 1024 are plausible"),
        (COUNTS + KEY + struct.pack("<IQ", 4, 2**58), "cut off or damaged"),
        (COUNTS + KEY + struct.pack("<IQ", 8, 2**58), "more than the file has room"),
        (COUNTS + KEY + struct.pack("<IQ", 9, 1), "unknown type 9"),
        (COUNTS + struct.pack("<Q1sI", 1, b"k", 77), "unknown type 77"),
        (COUNTS + struct.pack("<Q1sIQ", 1, b"k", 8, 2**40), "cut off"),
    ],
)
def test_absurd_counts_are_refused(tmp_path: Path, raw: bytes, message: str) -> None:
    path = tmp_path / "hostile.gguf"
    path.write_bytes(raw)
    with pytest.raises(GgufError, match=message):
        read_header(path)


@pytest.mark.parametrize(
    ("dimensions", "kind", "message"),
    [
        ([], 0, "0 dimensions"),
        ([1, 1, 1, 1, 1], 0, "5 dimensions"),
        ([2**40, 2**40], 0, "not plausible"),
        ([0], 0, "not plausible"),
        ([33], 8, "no multiple of 32"),
        ([32], 250, "unknown type 250"),
    ],
)
def test_absurd_tensors_are_refused(
    tmp_path: Path, dimensions: list[int], kind: int, message: str
) -> None:
    shape = struct.pack(f"<I{len(dimensions)}Q", len(dimensions), *dimensions)
    tensor = struct.pack("<Q1s", 1, b"t") + shape + struct.pack("<IQ", kind, 0)
    path = tmp_path / "hostile.gguf"
    path.write_bytes(struct.pack("<4sIQQ", b"GGUF", 3, 1, 0) + tensor + bytes(64))
    with pytest.raises(GgufError, match=message):
        read_header(path)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Qwen3-8B-Q4_K_M.gguf", "Q4_K_M"),
        ("model-UD-Q4_K_XL.gguf", "UD-Q4_K_XL"),
        ("x-Q8_0-00001-of-00003.gguf", "Q8_0"),
        ("x.IQ4_XS.gguf", "IQ4_XS"),
        ("model.gguf", None),
    ],
)
def test_format_of_a_file_name(real_data: Path, name: str, expected: str | None) -> None:
    assert format_of(name, load_catalog(real_data).formats) == expected


def test_entry_of_a_file(real_data: Path, tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "toy-Q8_0.gguf")
    entry = published_file(path, read_header(path), load_catalog(real_data).formats, "a/b")
    assert entry == {
        "format": "Q8_0",
        "bytes": path.stat().st_size,
        "exact": True,
        "repo": "a/b",
    }


TINY: dict[str, object] = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 96,
    "tie_word_embeddings": False,
}
# As llama.cpp's converter names and shapes them (elements, by the layer's width, heads and FFN).
TINY_LAYER = {
    "attn_norm": 32,
    "ffn_norm": 32,
    "attn_q": 32 * 32,
    "attn_k": 32 * 16,
    "attn_v": 32 * 16,
    "attn_output": 32 * 32,
    "ffn_gate": 32 * 64,
    "ffn_up": 32 * 64,
    "ffn_down": 32 * 64,
}


def tiny_tensors() -> dict[str, int]:
    sizes = {"token_embd.weight": 96 * 32, "output_norm.weight": 32, "output.weight": 96 * 32}
    for layer in range(2):
        sizes |= {f"blk.{layer}.{role}.weight": size for role, size in TINY_LAYER.items()}
    return sizes


def compare_tiny(tmp_path: Path, sizes: dict[str, int]) -> list[str]:
    writer = GGUFWriter(tmp_path / "tiny-F32.gguf", "llama")
    for name, size in sizes.items():
        writer.add_tensor(name, np.zeros(size, dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    arch = read_architecture(
        ArchitectureSource(
            model_type="llama", gguf_arch="llama", context_max_tokens=64.0, config=Keys(TINY)
        )
    )
    return differences(read_header(tmp_path / "tiny-F32.gguf"), arch)


def test_a_file_of_the_model_has_the_tensors_that_the_reader_expects(tmp_path: Path) -> None:
    assert compare_tiny(tmp_path, tiny_tensors()) == []


def test_differing_tensors_are_named(tmp_path: Path) -> None:
    sizes = tiny_tensors()
    del sizes["blk.1.attn_k.weight"]
    sizes["blk.0.attn_q_norm.weight"] = 8
    sizes["blk.0.ffn_up.weight"] = 32 * 80
    assert compare_tiny(tmp_path, sizes) == [
        "only in the file: blk.0.attn_q_norm.weight",
        "only in the reader: blk.1.attn_k.weight",
        "blk.0.ffn_up.weight: 2,560 elements in the file, 2,048 in the reader",
    ]
