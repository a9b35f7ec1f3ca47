"""A made-up model of one byte a weight on a made-up device of round numbers."""

from __future__ import annotations

from vramsite.sizing.records import Architecture, Device, LayerGroup, Tensor
from vramsite.sizing.speed_records import DecodeCosts, PrefillCosts
from vramsite.sizing.weights import WeightBytes

GROUP = LayerGroup(
    kind="full",
    count=2.0,
    k_width=100.0,
    v_width=100.0,
    query_heads=4.0,
    kv_heads=1.0,
    k_head_size=100.0,
    v_head_size=100.0,
)
ARCH = Architecture(
    model_type="made_up",
    gguf_arch="made_up",
    embedding_width=100.0,
    vocabulary=1000.0,
    layer_count=2.0,
    context_max_tokens=4096.0,
    tied_embeddings=False,
    attention_heads=4.0,
    dense_ffn_width=0.0,
    expert_count=8.0,
    experts_used=2.0,
    expert_ffn_width=50.0,
    shared_expert_ffn_width=0.0,
    groups=[GROUP],
    layer_order=[0.0, 0.0],
    tensors=[
        Tensor(role="token_embd", tensor_class="token_embedding", row_width=100.0, rows=1000.0),
        Tensor(role="output", tensor_class="output", row_width=100.0, rows=1000.0),
        Tensor(
            role="attn_q", tensor_class="attention", row_width=100.0, rows=400.0, layers=[0.0, 1.0]
        ),
        Tensor(
            role="ffn_down_exps",
            tensor_class="routed_experts",
            row_width=50.0,
            rows=100.0,
            experts=8.0,
            layers=[0.0, 1.0],
        ),
    ],
)
# One byte a weight: output 100,000, attention 40,000 a layer, experts 40,000 a layer.
WEIGHTS = WeightBytes(
    file_bytes=360_000.0,
    parameters=360_000.0,
    tensor_count=6.0,
    fallback_tensors=0.0,
    types=[],
    device_bytes=260_000.0,
    host_bytes=100_000.0,
    layer_bytes=[80_000.0, 80_000.0],
    layer_expert_bytes=[40_000.0, 40_000.0],
    layer_host_bytes=[80_000.0, 80_000.0],
    layer_expert_host_bytes=[40_000.0, 40_000.0],
    output_bytes=100_000.0,
    output_host_bytes=100_000.0,
    every_device_bytes=0.0,
    every_device_host_bytes=0.0,
    input_bytes=100_000.0,
    per_layer_embedding_bytes=0.0,
    routed_bytes=80_000.0,
    prediction_bytes=0.0,
    active_bytes_per_token=200_000.0,  # output 100,000 + attention 80,000 + a quarter of 80,000
    biggest_expert_tensor_bytes=40_000.0,
)
DEVICE = Device(
    kind="consumer",
    vendor="made up",
    family="made-up",
    capacity_bytes=1e9,
    usable_bytes=1e9,
    bandwidth_bytes_per_s=1e6,
    fp16_flops=1e9,
    bf16_flops=None,
    fp8_flops=None,
    int8_ops=None,
    fp4_flops=None,
    link_bytes_per_s=1e6,
    host_link_bytes_per_s=1e5,
    power_w=None,
)
NOTHING = dict.fromkeys(DecodeCosts.__slots__, 0.0)
NO_PREFILL = dict.fromkeys(PrefillCosts.__slots__, 0.0)
