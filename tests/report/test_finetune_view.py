"""The fine-tuning section: methods in order of size, devices that hold them, safe recipes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from made_up_report import MadeUpCatalog, gpu, made_up_book, model

from vramsite.report.book import Book
from vramsite.report.finetune_recipes import recipes
from vramsite.report.finetune_view import finetune_view, pair_finetune
from vramsite.sizing.finetune_records import FineTune
from vramsite.sizing.records import Architecture, LayerGroup, Tensor

DATA = Path(__file__).parents[2] / "data"


def seven_billion() -> Architecture:
    """The widths of Llama 2 7B."""
    at = [float(layer) for layer in range(32)]
    tensors = [
        Tensor(role="token_embd", tensor_class="token_embedding", row_width=4096.0, rows=32000.0),
        Tensor(role="output", tensor_class="output", row_width=4096.0, rows=32000.0),
    ]
    for role in ("attn_q", "attn_k", "attn_v", "attn_output"):
        tensors.append(
            Tensor(role=role, tensor_class="attention", row_width=4096.0, rows=4096.0, layers=at)
        )
    for role, width, rows in (
        ("ffn_gate", 4096.0, 11008.0),
        ("ffn_up", 4096.0, 11008.0),
        ("ffn_down", 11008.0, 4096.0),
    ):
        tensors.append(
            Tensor(role=role, tensor_class="dense_ffn", row_width=width, rows=rows, layers=at)
        )
    return Architecture(
        model_type="llama",
        gguf_arch="llama",
        embedding_width=4096.0,
        vocabulary=32000.0,
        layer_count=32.0,
        context_max_tokens=4096.0,
        tied_embeddings=False,
        attention_heads=32.0,
        dense_ffn_width=11008.0,
        expert_count=0.0,
        experts_used=0.0,
        expert_ffn_width=0.0,
        shared_expert_ffn_width=0.0,
        groups=[LayerGroup(kind="full", count=32.0)],
        layer_order=[0.0] * 32,
        tensors=tensors,
    )


def book() -> Book:
    gpus = {
        "small-6gb": gpu("small-6gb", 6.0, 200.0),
        "mid-24gb": gpu("mid-24gb", 24.0, 1000.0),
        "big-96gb": gpu("big-96gb", 96.0, 8000.0),
        "mac-64gb": gpu("mac-64gb", 64.0, 2000.0, kind="unified", backends=["metal"]),
    }
    catalog = MadeUpCatalog({"seven": model("seven")}, gpus, {"seven": seven_billion()})
    catalog.data_dir = DATA  # type: ignore[attr-defined]
    return Book(catalog, None)  # type: ignore[arg-type]


def test_methods_grow_from_four_bits_to_full() -> None:
    view = finetune_view(book(), "seven")
    assert view is not None
    assert [method.method for method in view.methods] == ["qlora", "lora_8bit", "lora", "full"]
    peaks = [method.memory.allocated_bytes for method in view.methods]
    assert peaks == sorted(peaks)
    assert view.methods[-1].trained_share == 1.0
    assert view.methods[0].trained_share < 0.02
    assert view.methods[0].with_experts_bytes is None


def test_the_cheapest_device_that_holds_it_is_named_first() -> None:
    view = finetune_view(book(), "seven")
    assert view is not None
    first = {method.method: method.recommended[0] for method in view.methods}
    assert first["qlora"].device.id == "mid-24gb"
    assert first["full"].device.id == "big-96gb"
    assert first["full"].devices == 1


def test_verdicts_of_one_device() -> None:
    verdicts = {entry.method: entry for entry in pair_finetune(book(), "seven", "mid-24gb")}
    assert verdicts["qlora"].verdict == "fits"
    assert verdicts["full"].verdict == "several"
    assert verdicts["full"].devices is not None
    assert verdicts["full"].devices > 4  # 16 bytes a parameter are 108 GB
    assert verdicts["full"].choice.devices == float(verdicts["full"].devices)
    assert {recipe.tool for recipe in verdicts["full"].recipes} == {"Axolotl", "LLaMA-Factory"}


def test_a_device_that_the_tools_cannot_use_says_so() -> None:
    assert {entry.verdict for entry in pair_finetune(book(), "seven", "mac-64gb")} == {"no_tool"}


def test_a_model_without_tensors_has_no_section() -> None:
    made_up = made_up_book()
    assert finetune_view(made_up, "small-8b") is None
    assert pair_finetune(made_up, "small-8b", "big-48gb") == []


@pytest.mark.parametrize("repo", ["a/b; rm -rf ~", "a/b\nx: 1", "", "../../etc"])
def test_an_odd_repository_gets_no_file(repo: str) -> None:
    assert recipes(repo, FineTune()) == []


@pytest.mark.parametrize("method", ["full", "lora", "qlora"])
@pytest.mark.parametrize("devices", [1.0, 4.0])
def test_files_are_valid_yaml_and_say_what_was_computed(method: str, devices: float) -> None:
    choice = FineTune(
        method=method,
        base="nf4_double" if method == "qlora" else "bf16",
        rank=16.0,
        sequence_tokens=2048.0,
        sharding="none" if devices == 1.0 else "fsdp" if method == "qlora" else "zero3",
        devices=devices,
    )
    for recipe in recipes("acme/seven", choice):
        settings = yaml.safe_load(recipe.text)
        assert "acme/seven" in (settings.get("base_model"), settings.get("model_name_or_path"))
        assert 2048 in (settings.get("sequence_len"), settings.get("cutoff_len"))
        rank = settings.get("lora_r", settings.get("lora_rank"))
        assert rank == (None if method == "full" else 16)
        four_bit = settings.get("load_in_4bit") or settings.get("quantization_bit") == 4
        assert bool(four_bit) == (method == "qlora")
        assert recipe.file_name in recipe.command
    assert recipes("acme/seven", replace(choice, devices=1.0))[0].tool == "Axolotl"
