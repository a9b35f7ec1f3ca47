"""What the engine takes and gives: plain records of floats and short names.

Units are in the names; memory is bytes, all numbers are floats (the engine is compiled to
JavaScript, where there is no other number). `None` means "not known", never zero.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from vramsite.sizing.graph_records import ModelGraph


@dataclass(frozen=True, slots=True, kw_only=True)
class Tensor:
    """A weight tensor, or a set of equal ones: one in each of `layers`, or one outside them.

    Dimensions follow GGUF: `row_width` is the contiguous one (ne0), `rows` is ne1, and `experts`
    stacks whole matrices (ne2, 1 for a plain matrix). `role` is the GGUF base name without the
    block prefix and suffix ("attn_q", "ffn_down_exps", "token_embd").
    """

    role: str
    # token_embedding, output, attention, dense_ffn, routed_experts, shared_experts, router, norm,
    # recurrent, indexer, per_layer_embedding, prediction_head, vision, other
    tensor_class: str
    row_width: float
    rows: float = 1.0
    experts: float = 1.0
    layers: list[float] = field(default_factory=list)  # empty: one tensor outside the layers
    in_checkpoint: bool = True  # counted in the published parameter total
    in_gguf: bool = True  # written by the converter
    loaded: bool = True  # allocated by the engine by default (prediction layers are not)
    fixed_type: str = ""  # a storage type that quantising never changes ("F32"); "" = by recipe
    # What the converter writes in an unquantised file where that is not 16-bit ("F32"), although
    # quantising treats the tensor by recipe ("" = 16-bit).
    converted_type: str = ""
    least_type: str = ""  # quantising goes no lower than this type ("Q8_0"); "" = no such floor


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerGroup:
    """Layers that store the same things. Widths are elements a token (a row of the cache)."""

    # full, window, chunked, latent, compressed, recurrent, shared (reads another layer's cache),
    # none
    kind: str
    count: float
    k_width: float = 0.0  # KV heads x key head size; latent: kv_lora_rank + qk_rope_head_dim
    v_width: float = 0.0  # 0 for a latent: V is a view of K
    window_tokens: float = 0.0  # 0: the whole context
    tokens_per_entry: float = 1.0  # compressed attention stores one entry for so many tokens
    compressed_k_width: float = 0.0  # width of such an entry, where the layer also has a window
    index_k_width: float = 0.0  # sparse-attention indexer key
    index_v_width: float = 0.0
    index_tokens_per_entry: float = 1.0
    # Sparse attention reads at most so many entries (its top-k), in tokens, or in compressed
    # entries where the layer also has a window; 0: all
    selected_entries: float = 0.0
    recurrent_elements: float = 0.0  # fixed state per sequence (SSM / delta net), F32
    conv_elements: float = 0.0  # fixed convolution state per sequence
    # F32 state of the compressor per sequence; llama.cpp counts it with the cache, not the state
    compressor_elements: float = 0.0
    # Every sequence gets cells for the whole context, even where the cache is unified
    own_context: bool = False
    query_heads: float = 0.0
    kv_heads: float = 0.0
    k_head_size: float = 0.0
    v_head_size: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorSums:
    """Sums over a model's tensors, see `tensor_sums`."""

    dense_parameters: float  # matrices that every token is multiplied by
    routed_parameters: float  # routed experts
    expert_layers: float
    prediction_parameters: float  # of the prediction layers
    whole_parameters: float  # kept whole on every device where the others are cut


@dataclass(frozen=True, slots=True, kw_only=True)
class Architecture:
    """A model as the engine sees it, neutral of vendor. Read from config.json by the catalog."""

    model_type: str  # Hugging Face
    gguf_arch: str  # llama.cpp's name, "" where it has none
    embedding_width: float
    vocabulary: float
    layer_count: float
    context_max_tokens: float
    tied_embeddings: bool
    attention_heads: float
    dense_ffn_width: float  # widest dense feed-forward, 0 if none
    expert_count: float
    experts_used: float
    expert_ffn_width: float
    shared_expert_ffn_width: float  # all shared experts together
    groups: list[LayerGroup]
    layer_order: list[float]  # index into groups, one entry a layer
    tensors: list[Tensor]
    prediction_layers: float = 0.0  # MTP / NextN layers in the checkpoint
    graph: ModelGraph | None = None  # what llama.cpp's compute graph allocates, where known
    sums: TensorSums | None = None  # what is asked of the tensors, where they do not come along


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """One card or one unified-memory machine."""

    kind: str  # consumer, workstation, datacenter, unified
    vendor: str
    family: str  # calibration family, e.g. "nvidia-ada", "apple", "amd-rdna3"
    capacity_bytes: float | None  # what the driver reports, else GiB of the marketing size
    usable_bytes: float | None  # what one process may take, before the runtime's own use
    bandwidth_bytes_per_s: float | None
    fp16_flops: float | None  # dense, F32 accumulate
    bf16_flops: float | None
    fp8_flops: float | None
    int8_ops: float | None
    fp4_flops: float | None
    link_bytes_per_s: float | None  # card to card, one direction
    host_link_bytes_per_s: float | None  # PCIe to the host, one direction
    power_w: float | None
    capacity_basis: str = "driver"  # driver, measured, marketing (GiB of the size it is sold with)
    raised_bytes: float | None = None  # usable_bytes once the system's limit is raised


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a user chooses. Defaults are one llama.cpp user on one device."""

    engine: str = "llama.cpp"  # llama.cpp, ollama, vllm, sglang, mlx, ...
    backend: str = "cuda"  # cuda, rocm, vulkan, metal, sycl, cpu, cann, musa
    format: str = "Q4_K_M"  # weight format, a name of data/quants.yaml
    imatrix: bool = False
    context_tokens: float = 8192.0  # all sequences together, as llama.cpp's -c
    parallel: float = 1.0
    kv_unified: bool = False
    kv_type_k: str = "f16"
    kv_type_v: str = "f16"
    ubatch_tokens: float = 512.0
    outputs_max: float = 1.0  # rows of logits the server keeps (= parallel)
    flash_attention: bool = True
    full_window_cache: bool = False  # --swa-full
    kv_offload: bool = True  # False: --no-kv-offload
    gpus: float = 1.0
    split: str = "layer"  # layer, tensor
    gpu_layers: float | None = None  # -ngl; None: as many as fit
    cpu_moe_layers: float | None = None  # --n-cpu-moe; None: as few as needed
    vision: bool = False
    draft_tokens: float = 0.0  # 0: no speculative decoding


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumptions:
    """Stated assumptions about the machine around the device; each is data with a source."""

    runtime_bytes: float  # what driver context and libraries take on each device
    runtime_low_bytes: float
    runtime_high_bytes: float
    display_bytes: float  # desktop session on the device, 0 when there is none
    tight_fraction: float  # below this share of reserve the verdict is "tight"
    host_ram_bytes: float  # RAM of the host
    ram_bandwidth_bytes_per_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One line of the memory breakdown, on the busiest device and on the host."""

    # weights, kv_cache, recurrent_state, compute_buffer, runtime, vision, draft
    name: str
    device_bytes: float
    host_bytes: float
    device_low_bytes: float
    device_high_bytes: float
    basis: str  # published_file, exact_tensors, engine_formula, config, estimate, measured


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """The breakdown; `device_bytes` is the busiest card, `per_device_bytes` each of them."""

    terms: list[Term]
    device_bytes: float
    device_low_bytes: float
    device_high_bytes: float
    host_bytes: float
    per_device_bytes: list[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Whether it runs, against what, and what has to move to the host when it does not."""

    # fits, tight, unified (fits, bound by bandwidth), raised (fits once the system's limit on
    # unified memory is raised), offload, exceeds, unknown
    verdict: str
    usable_bytes: float | None  # per device, runtime taken off: the denominator of `utilization`
    runtime_bytes: float  # taken off the capacity for driver context, libraries and display
    reserve_bytes: float | None
    utilization: float | None  # device_bytes / usable_bytes
    offloaded_bytes: float  # weights (and cache) on the host because they had to
    gpu_layers: float
    cpu_moe_layers: float
    host_ram_bytes: float  # RAM the run needs
    gpus_needed: float | None  # least number of these devices that hold it whole
    needed_bytes: float = 0.0  # the busiest device's need with everything on the devices
    raised_bytes: float | None = None  # usable_bytes under the limit as far as it can be raised


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A number with its interval (80 %) and what it rests on. `value` None: not known."""

    value: float | None
    low: float | None
    high: float | None
    basis: str  # device, family, engine, all, none: where the coefficients come from
    device_measurements: float = 0.0
    family_measurements: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """The whole answer for one model on one device under one set of settings."""

    settings: Settings  # as resolved: gpu_layers and cpu_moe_layers filled in
    memory: Memory
    fit: Fit
    decode_tps: Estimate  # one stream, at the end of the context asked for
    decode_total_tps: Estimate  # all parallel streams together
    prefill_tps: Estimate  # for a 4,096-token prompt
    ttft_s: Estimate  # for a 4,096-token prompt
    ttft_short_s: Estimate  # for a 512-token prompt
    ttft_full_s: Estimate  # for a prompt as long as the context of one sequence
    weights_file_bytes: float
    active_bytes_per_token: float
