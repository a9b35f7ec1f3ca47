"""What pages say of a model or device by itself: names, links and traits as codes."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vramsite.catalog import GpuRecord, ModelRecord
    from vramsite.sizing.records import Architecture

REPO_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
HUB = "https://huggingface.co/"


def hub_url(repo: str | None) -> str | None:
    """The address of a Hugging Face repository; None where there is none or its name is odd."""
    return HUB + repo if repo and REPO_PATTERN.fullmatch(repo) else None


@dataclass(frozen=True, slots=True)
class LayerShare:
    """So many layers of one kind, and what each keeps for a token (or for good)."""

    kind: str
    count: int
    window_tokens: int
    k_width: int
    v_width: int


@dataclass(frozen=True, slots=True)
class ModelCard:
    """A model by itself.

    `density` is "dense" or "moe"; `attention` is one code for what its layers cache: "full",
    "window" (some layers see a sliding window or chunk), "latent" (MLA), "compressed",
    "recurrent" (some layers keep a fixed state instead).
    """

    id: str
    name: str
    vendor: str
    vendor_slug: str
    density: str
    attention: str
    params_total: int | None
    params_active_b: float | None
    license: str | None
    released: str | None
    context_max_tokens: int
    confidence: str
    repo: str
    repo_url: str | None
    config_url: str | None
    gguf_repo: str | None
    gguf_url: str | None
    layer_count: int
    layers: tuple[LayerShare, ...]
    expert_count: int
    experts_used: int


def _attention(kinds: set[str]) -> str:
    if "recurrent" in kinds:
        return "recurrent"
    if "compressed" in kinds:
        return "compressed"
    if "latent" in kinds:
        return "latent"
    if "window" in kinds or "chunked" in kinds:
        return "window"
    return "full"


def model_card(model: ModelRecord, arch: Architecture) -> ModelCard:
    """The card of one model; `arch` is its architecture as the catalog read it."""
    url = hub_url(model.hf_repo)
    return ModelCard(
        id=model.id,
        name=model.name,
        vendor=model.vendor,
        vendor_slug=model.vendor_slug,
        density="moe" if arch.expert_count > 0 else "dense",
        attention=_attention({group.kind for group in arch.groups}),
        params_total=model.params_total,
        params_active_b=model.params_active_b,
        license=model.license,
        released=str(model.released) if model.released else None,
        context_max_tokens=model.context_max_tokens,
        confidence=model.confidence,
        repo=model.hf_repo,
        repo_url=url,
        config_url=f"{url}/blob/main/config.json" if url else None,
        gguf_repo=model.gguf_repo,
        gguf_url=hub_url(model.gguf_repo),
        layer_count=int(arch.layer_count),
        layers=tuple(
            LayerShare(
                kind=group.kind,
                count=int(group.count),
                window_tokens=int(group.window_tokens),
                k_width=int(group.k_width),
                v_width=int(group.v_width),
            )
            for group in arch.groups
        ),
        expert_count=int(arch.expert_count),
        experts_used=int(arch.experts_used),
    )


@dataclass(frozen=True, slots=True)
class DeviceCard:
    """A device by itself."""

    id: str
    name: str
    vendor: str
    vendor_slug: str
    kind: str
    status: str
    backend: str
    memory_gb: float
    capacity_bytes: float | None
    usable_bytes: float | None
    raise_command: str | None  # raises the system's limit on unified memory
    bandwidth_gb_s: float | None


@dataclass(frozen=True, slots=True)
class PricedCard(DeviceCard):
    """A device with what it costs, apart from the plain card: that is part of many answers, which
    would all be others when one price changes. `price_usd` is what `list_price_usd` finds.
    """

    price_usd: float | None
    has_list_price: bool


def list_price_usd(gpu: GpuRecord) -> float | None:
    """One price to compare devices by: a street price for a new one, else the list price.

    A used price stands in only where nothing else is known: recommending a card by what
    somebody once paid for a worn one would set unlike things side by side.
    """
    street = gpu.street_usd
    middle = (street.low + street.high) / 2 if street else None
    if street is not None and street.condition.startswith("new"):
        return middle
    return gpu.msrp_usd if gpu.msrp_usd is not None else middle


def device_card(
    gpu: GpuRecord, capacity_bytes: float | None, usable_bytes: float | None
) -> DeviceCard:
    """The card of one device with the capacity and the usable share the engine works with."""
    return DeviceCard(
        id=gpu.id,
        name=gpu.name,
        vendor=gpu.vendor,
        vendor_slug=gpu.vendor_slug,
        kind=gpu.kind,
        status=gpu.status,
        backend=gpu.backends[0] if gpu.backends else "other",
        memory_gb=gpu.memory_gb,
        capacity_bytes=capacity_bytes,
        usable_bytes=usable_bytes,
        raise_command=gpu.usable_default.raise_command if gpu.usable_default else None,
        bandwidth_gb_s=gpu.bandwidth_gb_s,
    )


def priced_card(card: DeviceCard, gpu: GpuRecord) -> PricedCard:
    """The card of a device with its price."""
    return PricedCard(
        **{field.name: getattr(card, field.name) for field in fields(card)},
        price_usd=list_price_usd(gpu),
        has_list_price=gpu.msrp_usd is not None,
    )
