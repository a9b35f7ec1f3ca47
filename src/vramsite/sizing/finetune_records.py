"""What the estimate of fine-tuning memory takes and gives."""

from __future__ import annotations

from dataclasses import dataclass, field

from vramsite.sizing.records import Term


@dataclass(frozen=True, slots=True, kw_only=True)
class FineTune:
    """One training run. Names refer to the lists of FineTuneRules."""

    method: str = "qlora"  # full, lora, qlora
    base: str = "nf4"  # how the base weights are stored: a name of `bases`
    precision: str = "bf16"  # how trained weights are kept: a name of `precisions`
    optimizer: str = "adamw"
    rank: float = 16.0
    # Of attention, q, k, v, o, mlp, gate, up, down, shared_experts, experts, recurrent, output
    targets: list[str] = field(default_factory=lambda: ["attention", "recurrent", "mlp"])
    train_embeddings: bool = False  # embedding and head trained whole beside the adapters
    adapter_precision: str = "fp32"  # a name of `precisions`
    sequence_tokens: float = 2048.0
    micro_batch: float = 1.0
    accumulation: float = 1.0  # micro-batches a step
    checkpointing: str = "full"  # none, selective, full, offload (inputs to host)
    flash_attention: bool = True
    fused_cross_entropy: bool = False  # the loss is computed without all logits at once
    logits_share: float = 1.0  # of the usual copies of the logits, for kernels that overwrite them
    sharding: str = "none"  # none, ddp, zero1, zero2, zero3, fsdp, megatron
    devices: float = 1.0
    tensor_parallel: float = 1.0
    pipeline_parallel: float = 1.0
    expert_parallel: float = 1.0
    sequence_parallel: float = 1.0  # each device holds this share of every sequence
    offload_parameters: bool = False  # weights and everything kept for them wait in host memory
    offload_optimizer: bool = False
    step_in_backward: bool = False  # each layer is updated as soon as its gradient is there


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseRule:
    """How base weights are stored: bits a weight, scales included."""

    name: str
    matrix_bits: float  # linear layers
    other_bits: float  # embeddings, head, norms, router
    quantised: bool  # a matrix is expanded to 16 bits before each product


@dataclass(frozen=True, slots=True, kw_only=True)
class PrecisionRule:
    """Bytes kept for each trained parameter, optimizer states apart."""

    name: str
    weight_bytes: float
    gradient_bytes: float
    master_bytes: float  # a second copy of the weights, kept with the optimizer states
    state_element_bytes: float  # an optimizer state that has the precision of the update
    step_bytes: float  # gradients once more in the precision of the update, during the step
    step_element_bytes: float  # one temporary copy of the update (PyTorch's foreach optimizers)


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizerRule:
    """States of an optimizer: so many elements, and bytes that do not follow the precision."""

    name: str
    matrix_elements: float
    other_elements: float  # the same for embeddings, head and norms (Muon leaves them to AdamW)
    state_bytes: float  # a parameter, for states of fixed width
    step_elements: float  # temporary elements a parameter during the step
    paged: bool = False  # states lie in managed memory, outside the allocator


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivationRule:
    """Elements saved of each token; multiples of the widths in TrainShape."""

    element_bytes: float
    saved_hidden: float  # of the hidden width
    saved_attention: float  # of the widths around attention
    saved_inner: float  # of the inner widths of the feed-forward
    backward_hidden: float  # on top, while one layer is differentiated
    backward_inner: float
    expert_backward_share: float  # experts run one after the other: this share of it at once
    selective_share: float  # of what a layer saves, with selective checkpointing
    adapter_inputs: float  # of the input widths of matrices with an adapter, which it keeps
    quantised_saved: float  # factor on a 4-bit base: norms and loss work in F32
    routed_hidden: float  # hidden vectors kept for each routed expert of a token
    sharded_adapter_copies: float  # further copies of the layer inputs, adapters under FSDP
    logits_bytes: float  # a token and vocabulary entry, all copies together
    fused_logits_bytes: float
    score_bytes: float  # a head and pair of tokens, without flash attention


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardingRule:
    """What sharded training gathers for a while."""

    gathered_layers: float  # layers gathered at once
    gathered_outside: float  # share of embedding and head gathered with them
    gathered_gradients: float  # whole gradients of one layer before they are split, the same way
    zero_bucket_bytes: float  # fixed communication buffers of ZeRO
    ddp_bucket_share: float  # gradients once more in buckets


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingRule:
    """From bytes in use to what the allocator holds and the driver shows."""

    held_activation_share: float  # of activations, on top of what is in use
    held_logits_share: float
    held_static_share: float
    context_bytes: float  # driver context and libraries, outside the allocator
    link_bytes: float  # buffers of the communication library, with several devices
    low: float  # interval (80 %) around the peak in use, as factors
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FineTuneRules:
    """Everything that is not the model and not the choice; data with sources."""

    bases: list[BaseRule]
    precisions: list[PrecisionRule]
    optimizers: list[OptimizerRule]
    activation: ActivationRule
    sharding: ShardingRule
    reading: ReadingRule


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainShape:
    """A model as training sees it: parameters by what happens to them, and widths."""

    layers: float
    hidden: float
    vocabulary: float
    heads: float
    matrix_parameters: float  # linear layers, routed experts apart
    expert_parameters: float
    outside_parameters: float  # embedding, head, tables
    head_parameters: float
    other_parameters: float  # norms, routers, biases
    layer_parameters: float  # all of the biggest layer
    layer_matrix_parameters: float  # its linear layers, routed experts too
    biggest_matrix: float
    # Widths of one token, summed over all layers, and of the widest layer
    attention_width: float
    inner_width: float
    expert_inner_width: float
    routed_width: float
    layer_attention_width: float
    layer_inner_width: float
    layer_expert_inner_width: float
    layer_routed_width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapters:
    """Trained parameters of low-rank adapters."""

    parameters: float  # outside the routed experts
    expert_parameters: float
    # Inputs of the targeted matrices, a token: of all layers, of an average layer
    input_width: float
    layer_input_width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FineTuneMemory:
    """Peak of one device at its fullest moment; host bytes are what was moved there."""

    # weights, adapters, gradients, optimizer, activations, logits, buffers
    terms: list[Term]
    peak_moment: str  # step (optimizer), loss (all logits), layer (one layer is differentiated)
    allocated_bytes: float  # in use: torch.cuda.max_memory_allocated
    allocated_low_bytes: float
    allocated_high_bytes: float
    reserved_bytes: float  # held by the allocator: max_memory_reserved
    shown_bytes: float  # what nvidia-smi shows
    host_bytes: float
    parameters: float
    trained_parameters: float
