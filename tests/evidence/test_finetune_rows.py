"""Files of published fine-tuning peaks: what is read, what is refused, what a row means."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from vramsite.catalog.finetune_rules import FinetuneRulesFile, load_finetune_rules
from vramsite.evidence.finetune_choice import (
    RowRefusedError,
    reading,
    row_architecture,
    row_choice,
    shape_architecture,
    typical_architecture,
)
from vramsite.evidence.finetune_rows import TrainingRow, read_training_rows
from vramsite.evidence.rows import RowsError
from vramsite.sizing.finetune_shape import train_shape

DATA = Path(__file__).parents[2] / "data"
ROW: dict[str, Any] = {
    "model": "Made-up-7B",
    "method": "qlora",
    "base_precision": "nf4",
    "optimizer": "adamw",
    "lora_rank": 8,
    "target_modules": "all-linear",
    "seq_len": 2048,
    "micro_batch": 2,
    "gradient_checkpointing": True,
    "sharding": "none",
    "framework": "peft",
    "peak_memory_gib": 9.5,
    "memory_metric": "max_memory_allocated",
    "usable": 1,
    "group": "made-up",
}
SHAPE = {
    "layers": 32,
    "hidden": 4096,
    "heads": 32,
    "kv_heads": 32,
    "head_dim": 128,
    "intermediate": 11008,
    "vocab": 32000,
    "mlp": "gated",
    "bias": False,
    "tied": False,
}


class NoCatalog:
    models: dict[str, object] = {}  # noqa: RUF012


def rules() -> FinetuneRulesFile:
    return load_finetune_rules(DATA)


def write(tmp_path: Path, data: object) -> Path:
    path = tmp_path / "rows.yaml"
    text = data if isinstance(data, str) else yaml.safe_dump(data)
    path.write_text(text, encoding="utf-8")
    return path


def one(tmp_path: Path, **changes: object) -> TrainingRow:
    return read_training_rows(write(tmp_path, [ROW | changes]))[0]


def test_a_list_and_a_mapping_with_rows_are_the_same(tmp_path: Path) -> None:
    plain = read_training_rows(write(tmp_path, [ROW]))
    assert plain == read_training_rows(write(tmp_path, {"rows": [ROW]}))
    assert plain[0].sequence_tokens == 2048.0
    assert plain[0].peak_gib == 9.5


def test_rows_that_say_they_are_unusable_are_left_out(tmp_path: Path) -> None:
    rows = [ROW, ROW | {"usable": 0}, ROW | {"usable": False}, ROW | {"usable": True}]
    assert len(read_training_rows(write(tmp_path, rows))) == 2


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "not a list of rows"),
        ("42", "not a list of rows"),
        ("[]", "holds no rows"),
        ("rows: 3", "without a list under 'rows'"),
        ("- model: [unclosed", "not valid YAML"),
        ("- just text", "row 1: is no mapping"),
        ("- model: A\n  method: full", "row 1: peak_memory_gib missing"),
        ("- {model: A, method: full, peak_memory_gib: 0}", "write the peak"),
        ("- {model: A, method: full, peak_memory_gib: much}", "write a number"),
        ("- {model: A, method: full, peak_memory_gib: -3}", "write a number from 0 up"),
        ("- {model: A, method: full, peak_memory_gib: .nan}", "write a number from 0 up"),
        ("- {model: A, method: full, peak_memory_gib: 1, shape: 7}", "shape: is no mapping"),
        ("- {model: A, method: [x], peak_memory_gib: 1}", "method: found a list"),
        ("- model: &a A\n  method: full\n  peak_memory_gib: 1\n- *a", "alias or anchor"),
        ("- {model: &a A, method: *a, peak_memory_gib: 1}", "alias or anchor"),
        ("[" * 30 + "]" * 30, "nested deeper"),
    ],
)
def test_what_cannot_be_read_is_said_plainly(tmp_path: Path, content: str, expected: str) -> None:
    with pytest.raises(RowsError, match=expected):
        read_training_rows(write(tmp_path, content))


def test_missing_and_binary_files_are_said_plainly(tmp_path: Path) -> None:
    with pytest.raises(RowsError, match="no such file"):
        read_training_rows(tmp_path / "none.yaml")
    path = tmp_path / "rows.yaml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RowsError, match="UTF-8"):
        read_training_rows(path)


def test_all_faults_come_at_once(tmp_path: Path) -> None:
    with pytest.raises(RowsError) as caught:
        read_training_rows(write(tmp_path, [{"model": "A"}, ROW | {"seq_len": "long"}]))
    assert "row 1" in str(caught.value)
    assert "row 2: seq_len" in str(caught.value)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("max_memory_allocated (rank 0)", "allocated"),
        ("peak memory reserved", "reserved"),
        ("nvidia-smi", "shown"),
        ("unknown", "shown"),
    ],
)
def test_readings(tmp_path: Path, metric: str, expected: str) -> None:
    assert reading(one(tmp_path, memory_metric=metric)) == expected


@pytest.mark.parametrize(
    ("sharding", "count", "expected"),
    [
        ("none", 1, ("none", 1.0, 1.0, 1.0)),
        ("fsdp2", 4, ("fsdp", 1.0, 1.0, 1.0)),
        ("zero2 (1 GPU)", 1, ("zero2", 1.0, 1.0, 1.0)),
        ("ddp", 2, ("ddp", 1.0, 1.0, 1.0)),
        ("megatron pp2 tp4 ep4", 8, ("megatron", 4.0, 2.0, 4.0)),
        ("megatron tp4+sp, dp2", 8, ("megatron", 4.0, 1.0, 1.0)),
    ],
)
def test_sharding(
    tmp_path: Path, sharding: str, count: int, expected: tuple[str, float, float, float]
) -> None:
    choice = row_choice(one(tmp_path, sharding=sharding, gpu_count=count), rules())
    found = (
        choice.sharding,
        choice.tensor_parallel,
        choice.pipeline_parallel,
        choice.expert_parallel,
    )
    assert found == expected


@pytest.mark.parametrize(
    ("stated", "double", "expected"),
    [
        ("nf4", None, "nf4_double"),
        ("nf4", False, "nf4"),
        ("nvfp4", None, "nvfp4"),
        ("int4-gptq", None, "gptq4"),
        ("int8", None, "int8"),
        ("bf16", None, "bf16"),
        ("bf16-mixed (fp32 master)", None, "fp32"),
    ],
)
def test_base_weights(tmp_path: Path, stated: str, double: bool | None, expected: str) -> None:
    row = one(tmp_path, base_precision=stated, double_quant=double)
    assert row_choice(row, rules()).base == expected


@pytest.mark.parametrize(
    ("targets", "expected"),
    [
        (["q", "v"], {"q", "v"}),
        (["q_proj", "down_proj"], {"q", "down"}),
        ("attn", {"attention"}),
        ("attn + experts", {"attention", "experts"}),
        ("attn + shared expert", {"attention", "shared_experts"}),
        (
            "all-linear (no expert LoRA)",
            {"attention", "recurrent", "mlp", "shared_experts"},
        ),
        (
            "all-linear + lm_head",
            {"attention", "recurrent", "mlp", "shared_experts", "experts", "output"},
        ),
    ],
)
def test_targets(tmp_path: Path, targets: object, expected: set[str]) -> None:
    assert set(row_choice(one(tmp_path, target_modules=targets), rules()).targets) == expected


def test_embeddings_trained_whole(tmp_path: Path) -> None:
    row = one(tmp_path, target_modules="all-linear + embed_tokens + lm_head (full)")
    choice = row_choice(row, rules())
    assert choice.train_embeddings
    assert "output" not in choice.targets


@pytest.mark.parametrize(
    ("checkpointing", "offload", "expected"),
    [
        (True, None, "full"),
        (False, None, "none"),
        (None, None, "full"),
        ("unsloth", None, "offload"),
        (True, "cpu activations", "offload"),
        ("full recompute", None, "full"),
    ],
)
def test_checkpointing(
    tmp_path: Path, checkpointing: object, offload: str | None, expected: str
) -> None:
    row = one(tmp_path, gradient_checkpointing=checkpointing, offload=offload)
    assert row_choice(row, rules()).checkpointing == expected


def test_the_shape_of_llama_2_7b_has_its_published_parameters() -> None:
    shape = train_shape(shape_architecture(SHAPE))
    count = shape.matrix_parameters + shape.outside_parameters + shape.other_parameters
    assert count == 6_738_415_616


def test_a_model_without_shape_is_taken_from_its_size_or_refused(tmp_path: Path) -> None:
    row = one(tmp_path)
    shape = train_shape(row_architecture(row, NoCatalog()))  # type: ignore[arg-type]
    assert 6.3e9 < shape.matrix_parameters + shape.outside_parameters < 7.7e9
    unknown = one(tmp_path, model="Made-up")
    with pytest.raises(RowRefusedError, match="no size in its name"):
        row_architecture(unknown, NoCatalog())  # type: ignore[arg-type]
    broken = one(tmp_path, shape={"layers": 32})
    with pytest.raises(RowRefusedError, match=r"shape\.hidden"):
        row_architecture(broken, NoCatalog())  # type: ignore[arg-type]


@pytest.mark.parametrize("billions", [0.5, 3.0, 13.0, 70.0, 405.0])
def test_a_typical_model_has_about_the_size_asked_for(billions: float) -> None:
    shape = train_shape(typical_architecture(billions * 1e9))
    count = shape.matrix_parameters + shape.outside_parameters
    assert count == pytest.approx(billions * 1e9, rel=0.12)
