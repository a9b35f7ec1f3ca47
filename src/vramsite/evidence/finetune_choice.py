"""From a published row to the training run and the model that it describes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from vramsite.catalog import Catalog
from vramsite.catalog.architectures.blocks import (
    dense_ffn,
    embeddings,
    gqa_attention,
    moe_ffn,
    norms,
)
from vramsite.catalog.architectures.keys import ArchitectureError, Keys
from vramsite.catalog.architectures.shapes import AttentionShape, assemble, every_layer, whole
from vramsite.catalog.architectures.source import ArchitectureSource
from vramsite.catalog.architectures.tensor_list import TensorList
from vramsite.catalog.finetune_rules import FinetuneRulesFile, FrameworkEntry
from vramsite.evidence.finetune_rows import TrainingRow
from vramsite.sizing.finetune_records import FineTune
from vramsite.sizing.records import Architecture

MOST_LAYERS = 1000
_BASES = (
    ("nvfp4", "nvfp4"),
    ("mxfp4", "mxfp4"),
    ("nf4", "nf4_double"),
    ("fp4", "nf4_double"),
    ("int4", "gptq4"),
    ("4bit", "nf4_double"),
    ("4-bit", "nf4_double"),
    ("int8", "int8"),
    ("8bit", "int8"),
    ("8-bit", "int8"),
    ("fp8", "fp8"),
    ("int2", "int2"),
    ("2bit", "int2"),
    ("bf16-mixed", "fp32"),
    ("fp16-mixed", "fp32"),
    ("fp32", "fp32"),
    ("fp16", "fp16"),
)


class RowRefusedError(ValueError):
    """A row that says too little to be predicted."""


def row_architecture(row: TrainingRow, catalog: Catalog) -> Architecture:
    """The model of a row: its own shape, the catalog's, or a typical one of its size."""
    if row.shape is not None:
        try:
            return shape_architecture(row.shape)
        except ArchitectureError as error:
            raise RowRefusedError(str(error)) from error
    if row.model_id is not None and row.model_id in catalog.models:
        try:
            return catalog.architecture(row.model_id)
        except ArchitectureError as error:
            raise RowRefusedError(str(error)) from error
    name = f"{row.model} {row.model_id or ''}"
    billions = re.search(r"(?:(\d+) ?x ?)?(\d+(?:\.\d+)?)[ -]?B\b", name, re.IGNORECASE)
    if billions is None:
        raise RowRefusedError(
            f"{row.model}: no shape, no model of the catalog, no size in its name"
        )
    # Experts "8x7B" share everything but their feed-forward, about a sixth.
    experts = max(1.0, float(billions.group(1) or 1.0) * 5.0 / 6.0)
    return typical_architecture(min(float(billions.group(2)) * experts, 1e4) * 1e9)


def shape_architecture(shape: Mapping[str, object]) -> Architecture:
    """A decoder of stated widths; keys layers, hidden, heads, kv_heads, head_dim, intermediate,
    vocab, mlp (gated or plain), bias, tied, and for mixtures of experts experts, experts_used,
    expert_intermediate, shared_intermediate. Raises ArchitectureError.
    """
    keys = Keys(shape, "shape")
    width = whole(keys, "hidden")
    depth = whole(keys, "layers")
    if depth > MOST_LAYERS:
        raise ArchitectureError("shape.layers", f"is {depth:g}; at most {MOST_LAYERS} are believed")
    layers = every_layer(depth)
    heads = whole(keys, "heads")
    head_size = whole(keys, "head_dim", float(width // heads))
    vocabulary = whole(keys, "vocab")
    attention = AttentionShape(
        query_heads=heads,
        kv_heads=whole(keys, "kv_heads", heads),
        k_head_size=head_size,
        v_head_size=head_size,
    )
    experts = keys.number("experts", 0.0)
    bias = keys.flag("bias", False)
    tied = keys.flag("tied", False)
    tensors = TensorList()
    embeddings(tensors, width, vocabulary, tied=tied)
    norms(tensors, width, layers, "attn_norm", "ffn_norm")
    gqa_attention(tensors, width, attention, layers, qkv_bias=bias)
    expert_width = 0.0
    if experts > 0.0:
        expert_width = whole(keys, "expert_intermediate", keys.number("intermediate", 0.0))
        shared = keys.number("shared_intermediate", 0.0)
        moe_ffn(tensors, width, expert_width, experts, layers, shared_ffn_width=shared)
    else:
        gated = keys.text("mlp", "gated") != "plain"
        inner = whole(keys, "intermediate")
        dense_ffn(tensors, width, inner, layers, gated=gated, bias=bias and not gated)
    return assemble(
        ArchitectureSource(model_type="", gguf_arch="", context_max_tokens=0.0, config=keys),
        embedding_width=width,
        vocabulary=vocabulary,
        tied_embeddings=tied,
        attention_heads=heads,
        layers=[attention.group() for _ in layers],
        tensors=tensors,
        dense_ffn_width=keys.number("intermediate", 0.0),
        expert_count=experts,
        experts_used=keys.number("experts_used", min(experts, 8.0)),
        expert_ffn_width=expert_width,
    )


def typical_architecture(parameters: float) -> Architecture:
    """A dense decoder of about so many parameters, in the proportions usual for its size."""
    width = max(512.0, round((parameters * 128.0 / 13.0) ** (1.0 / 3.0) / 128.0) * 128.0)
    inner = round(width * 3.5 / 128.0) * 128.0
    layer = 2.5 * width * width + 3.0 * width * inner
    layers = max(1.0, round((parameters - 2.0 * 128000.0 * width) / layer))
    return shape_architecture(
        {
            "layers": layers,
            "hidden": width,
            "heads": width / 128.0,
            "kv_heads": max(1.0, width // 512.0),
            "head_dim": 128.0,
            "intermediate": inner,
            "vocab": 128000.0,
        }
    )


def row_choice(row: TrainingRow, rules: FinetuneRulesFile) -> FineTune:
    """The run of a row. What it leaves open is taken as tools set it."""
    split, tensor, pipeline, experts, sequences = _sharding(row)
    base = _base(row)
    checkpointing = _checkpointing(row)
    traits = _framework(row, rules)
    targets = _targets(row)
    return FineTune(
        method=row.method,
        base=base,
        precision=_precision(row, split),
        optimizer=_optimizer(row, rules),
        rank=row.rank if row.rank is not None else 16.0,
        targets=targets,
        train_embeddings="embed" in row.targets_text,
        adapter_precision="megatron" if split == "megatron" else traits.adapter_precision,
        sequence_tokens=row.sequence_tokens if row.sequence_tokens else 2048.0,
        micro_batch=row.micro_batch or 1.0,
        accumulation=row.accumulation or 1.0,
        checkpointing=checkpointing,
        flash_attention=row.flash_attention is not False,
        # Megatron's fusion joins the steps of the loss; the logits are there all the same.
        fused_cross_entropy=bool(row.fused_cross_entropy) and split != "megatron",
        logits_share=traits.logits_share,
        sharding=split,
        devices=row.devices,
        tensor_parallel=tensor,
        pipeline_parallel=pipeline,
        expert_parallel=experts,
        sequence_parallel=sequences,
        offload_parameters="param" in row.offload or row.offload == "cpu",
        step_in_backward=bool(re.search("backward|bwd|layer-?wise", row.optimizer or "")),
        offload_optimizer="optim" in row.offload or row.offload == "cpu",
    )


def reading(row: TrainingRow) -> str:
    """What the published figure reads: allocated, reserved or shown."""
    if "alloc" in row.metric:
        return "allocated"
    return "reserved" if "reserved" in row.metric else "shown"


def _base(row: TrainingRow) -> str:
    stated = row.base or ("nf4" if row.method == "qlora" else "bf16")
    found = next((name for part, name in _BASES if part in stated), "bf16")
    if found == "nf4_double" and row.double_quant is False:
        return "nf4"
    return found


def _precision(row: TrainingRow, split: str) -> str:
    stated = row.base or "bf16"
    if split == "megatron":
        return "megatron"
    if "mixed" in stated or "fp32" in stated or "master" in stated:
        return "fp32"
    if split.startswith("zero"):
        return "zero"
    return "fp32" if stated == "fp16" else "bf16"


def _optimizer(row: TrainingRow, rules: FinetuneRulesFile) -> str:
    text = (row.optimizer or "adamw").replace("(torchao)", "").strip()
    if "bf16 moments" in text:
        return "adamw_bf16"
    return rules.optimizer_name(text) or rules.optimizer_name(text.split(" ")[0]) or "adamw"


def _checkpointing(row: TrainingRow) -> str:
    stated = row.checkpointing
    if "activation" in row.offload or stated in ("unsloth", "offload"):
        return "offload"
    # Megatron's recomputes the scores of attention only, which flash attention never keeps.
    if stated in ("false", "0", "no", "none", "selective recompute"):
        return "none"
    if stated is not None and "selective" in stated:
        return "selective"
    return "full"


def _framework(row: TrainingRow, rules: FinetuneRulesFile) -> FrameworkEntry:
    for name, entry in rules.frameworks.items():
        if row.framework.lower().startswith(name.lower()):
            return entry
    return FrameworkEntry(source="-")


def _targets(row: TrainingRow) -> list[str]:
    if row.targets is not None:
        return [name.removesuffix("_proj") for name in row.targets]
    text = row.targets_text
    if not text or "all" in text:
        names = ["attention", "recurrent", "mlp", "shared_experts"]
        if "no expert" not in text:
            names.append("experts")
        if ("lm_head" in text and "full" not in text) or "output" in text:
            names.append("output")
        return names
    names = []
    if "attn" in text or "attention" in text:
        names.append("attention")
    if "linear" in text:
        names.append("recurrent")
    if "mlp" in text:
        names += ["mlp", "shared_experts"]
    if "shared" in text:
        names.append("shared_experts")
    if re.search(r"(?<!shared )\bexperts?\b", text):
        names.append("experts")
    return names or ["q", "v"]


def _sharding(row: TrainingRow) -> tuple[str, float, float, float, float]:
    """Name of the split and the sizes of tensor, pipeline, expert and sequence parallelism."""
    text = row.sharding
    sequences = _size(text, r"sequence parallel (\d+)|ulysses (\d+)|\b[sc]p ?=?(\d+)", row.devices)
    parallel = (
        _size(text, r"\btp ?=?(\d+)|tensor parallel (\d+)", row.devices),
        _size(text, r"\bpp ?=?(\d+)|pipeline parallel (\d+)", row.devices),
        _size(text, r"\bep ?=?(\d+)|expert parallel (\d+)", row.devices),
        sequences,
    )
    if "fsdp" in text or "hsdp" in text or "fully" in text:
        return ("fsdp", *parallel)
    if "megatron" in text or max(parallel[:3]) > 1.0:
        return ("megatron", *parallel)
    if "device_map" in text or "pipeline" in text:
        return "none", 1.0, row.devices, 1.0, sequences
    for stage in ("1", "2", "3"):
        if f"zero{stage}" in text or f"zero-{stage}" in text or f"zero stage {stage}" in text:
            return f"zero{stage}", 1.0, 1.0, 1.0, sequences
    if "deepspeed" in text:
        return "zero2", 1.0, 1.0, 1.0, sequences
    if "ddp" in text and row.devices > 1.0:
        return "ddp", 1.0, 1.0, 1.0, sequences
    return "none", 1.0, 1.0, 1.0, sequences


def _size(text: str, pattern: str, most: float) -> float:
    found = re.search(pattern, text)
    if found is None:
        return 1.0
    value = next((group for group in found.groups() if group is not None), "1")
    return min(max(float(value), 1.0), max(most, 1.0))
