"""Hyper-connections: several residual streams, mixed before and after each half of a layer."""

from __future__ import annotations

from collections.abc import Iterable

from vramsite.catalog.architectures.latent import as_converted_f32
from vramsite.catalog.architectures.tensor_list import TensorList


def hyper_connections(
    tensors: TensorList,
    width: float,
    streams: float,
    layers: Iterable[float],
    *,
    quantised: bool,
) -> None:
    """The mixing weights of both halves of a layer: a projection, a base and three scales.

    The converter writes all of them in F32; `quantised` says whether quantising then shrinks the
    projections.
    """
    at = list(layers)
    mix = (2 + streams) * streams
    for half in ("hc_attn", "hc_ffn"):
        _projection(tensors, f"{half}_fn", width * streams, mix, at, quantised=quantised)
        tensors.vector(f"{half}_base", "other", mix, layers=at)
        tensors.vector(f"{half}_scale", "other", 3.0, layers=at)


def hyper_head(
    tensors: TensorList,
    width: float,
    streams: float,
    role: str,
    layers: Iterable[float] = (),
) -> None:
    """What joins the streams into one before the output head."""
    at = list(layers)
    _projection(tensors, f"{role}_fn", width * streams, streams, at, quantised=True)
    tensors.vector(f"{role}_base", "other", streams, layers=at)
    tensors.vector(f"{role}_scale", "other", 1.0, layers=at)


def _projection(
    tensors: TensorList,
    role: str,
    row_width: float,
    rows: float,
    layers: list[float],
    *,
    quantised: bool,
) -> None:
    tensors.matrix(
        role,
        "other",
        row_width,
        rows,
        layers=layers,
        fixed_type="" if quantised else "F32",
    )
    if quantised:
        as_converted_f32(tensors)
