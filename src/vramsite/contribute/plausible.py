"""Why a measured figure cannot be: beyond what the device can move, calculate or hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vramsite.contribute.measured import Measured
from vramsite.contribute.parameters import elements, gguf_count
from vramsite.report.sizer import Sizer, SizerError

if TYPE_CHECKING:
    from vramsite.sizing.records import Architecture, Device

SLACK = 1.03  # rounding of the figure, of the data sheet and of the file
PARAMS_SHARE = 0.02
MOST_DRAFTED = 8.0  # tokens a pass can confirm when a draft model proposes them
MIB = 2.0**20
_LOOKED_UP = ("token_embedding", "per_layer_embedding", "output", "vision", "prediction_head")


@dataclass(frozen=True, slots=True)
class Run:
    """How a figure was measured, as far as physics needs it."""

    model_id: str
    gpu_id: str
    gpu_count: int
    quant: str
    offload: str
    speculative: bool


def objection(sizer: Sizer, run: Run, figure: Measured) -> str | None:
    """The reason to refuse a figure, None where it is possible."""
    arch = sizer.catalog.architecture(run.model_id)
    device = sizer.catalog.device(run.gpu_id)
    if figure.params_total is not None:
        ours = gguf_count(arch)
        if abs(figure.params_total / ours - 1.0) > PARAMS_SHARE:
            return (
                f"was measured on a model of {figure.params_total / 1e9:.2f} B parameters; "
                f"{run.model_id} has {ours / 1e9:.2f} B"
            )
    if figure.metric.endswith("_mib"):
        return _memory(device, run, figure)
    held = _does_not_fit(sizer, device, run)
    if held is not None:
        return held
    if figure.metric == "decode_tps":
        return _decode(sizer, arch, device, run, figure)
    if figure.metric == "prefill_tps":
        return _compute(arch, device, run, figure.value)
    if figure.metric == "ttft_ms" and figure.prompt_tokens:
        return _compute(arch, device, run, figure.prompt_tokens / (figure.value / 1000.0))
    return None


def _memory(device: Device, run: Run, figure: Measured) -> str | None:
    if device.capacity_bytes is None:
        return None
    held = device.capacity_bytes * run.gpu_count / MIB
    if figure.value > held * SLACK:
        return f"{figure.value:,.0f} MiB, but {run.gpu_count} x {run.gpu_id} hold {held:,.0f} MiB"
    return None


def _does_not_fit(sizer: Sizer, device: Device, run: Run) -> str | None:
    if run.offload != "none" or device.capacity_bytes is None:
        return None
    try:
        weights = sizer.file(run.model_id, run.quant).file_bytes
    except SizerError:
        return None
    held = device.capacity_bytes * run.gpu_count
    if weights > held * SLACK:
        return (
            f"{run.quant} weights of {weights / 2**30:.1f} GiB do not fit {run.gpu_count} x "
            f"{run.gpu_id} ({held / 2**30:.1f} GiB); if a part lay in main memory, say --offload"
        )
    return None


def _decode(
    sizer: Sizer, arch: Architecture, device: Device, run: Run, figure: Measured
) -> str | None:
    each = figure.value if figure.per == "per_user" else figure.value / figure.batch
    total = each * figure.batch
    drafted = MOST_DRAFTED if run.speculative else 1.0
    read = _read_bytes(sizer, arch, run, figure)
    if read > 0 and device.bandwidth_bytes_per_s is not None:
        # Every stream waits for one pass over the weights of a token, however they are batched.
        limit = device.bandwidth_bytes_per_s * run.gpu_count / read * drafted
        if each > limit * SLACK:
            return (
                f"{each:,.1f} tok/s a stream reads {each * read / 1e9:,.0f} GB/s of {run.quant} "
                f"weights; the memory of {run.gpu_count} x {run.gpu_id} moves at most "
                f"{device.bandwidth_bytes_per_s * run.gpu_count / 1e9:,.0f} GB/s"
            )
    return _compute(arch, device, run, total / drafted)


def _read_bytes(sizer: Sizer, arch: Architecture, run: Run, figure: Measured) -> float:
    """At least this is read for a token: its weights at the mean bits of the file; 0 not known.

    The mean, because what every token reads is never stored in fewer bits than the experts.
    """
    file_bytes = figure.weights_bytes
    if file_bytes is None:
        try:
            file_bytes = sizer.file(run.model_id, run.quant).file_bytes
        except SizerError:
            return 0.0
    head = arch.embedding_width * arch.vocabulary
    return (multiplied(arch) + head) * file_bytes / gguf_count(arch)


def _compute(arch: Architecture, device: Device, run: Run, tokens_per_s: float) -> str | None:
    rates = [
        rate
        for rate in (
            device.fp16_flops,
            device.bf16_flops,
            device.fp8_flops,
            device.int8_ops,
            device.fp4_flops,
        )
        if rate is not None
    ]
    # Cards accumulate FP16 in FP16 at up to twice the rate; where it is not stated, allow for it.
    if not rates:
        return None
    limit = max(rates) * (2.0 if device.fp8_flops is None else 1.0) * run.gpu_count
    needed = 2.0 * multiplied(arch) * tokens_per_s
    if needed > limit * SLACK:
        return (
            f"{tokens_per_s:,.0f} tok/s need {needed / 1e12:,.0f} TFLOPS; {run.gpu_count} x "
            f"{run.gpu_id} do at most {limit / 1e12:,.0f}"
        )
    return None


def multiplied(arch: Architecture) -> float:
    """Weights that every token of a prompt is multiplied with; without embedding and output."""
    used = arch.experts_used / arch.expert_count if arch.expert_count > 0 else 1.0
    total = 0.0
    for tensor in arch.tensors:
        plain = tensor.in_gguf and tensor.loaded and tensor.rows > 1
        if plain and tensor.tensor_class not in _LOOKED_UP:
            share = used if tensor.tensor_class == "routed_experts" else 1.0
            total += elements(tensor) * share
    return total
