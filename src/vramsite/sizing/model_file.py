"""A model in one weight format: computed tensor by tensor, or scaled to a file that exists."""

from __future__ import annotations

from dataclasses import dataclass

from vramsite.sizing.checkpoints import CheckpointRecipe, checkpoint_weights
from vramsite.sizing.engine import ModelFile
from vramsite.sizing.errors import SizingError
from vramsite.sizing.quantize import QuantRecipe, QuantScheme
from vramsite.sizing.records import Architecture
from vramsite.sizing.weights import WeightBytes, quantised_weights
from vramsite.sizing.weights_file import scaled_weights


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSource:
    """How the weights of one model in one format are known. One of the recipes is given."""

    recipe: QuantRecipe | None  # of the format, or the nearest to a mix of types
    checkpoint: CheckpointRecipe | None
    published_bytes: float | None  # size of the published file, where it counts
    estimated_factor: float | None  # size over the recipe's in other models, where none is known
    # A published file within this share of the computed tensors is the same recipe (and a header)
    same_recipe_share: float
    vision_bytes: float  # the vision projector's file, 0 where there is none


def model_file(
    arch: Architecture, source: FileSource, scheme: QuantScheme, imatrix: bool
) -> ModelFile:
    """The model in that format; SizingError "unknown_format" without a recipe."""
    return file_of(arch, _recipe_weights(arch, source, scheme, imatrix), source)


def file_of(arch: Architecture, weights: WeightBytes, source: FileSource) -> ModelFile:
    """The model whose recipe gives these weights, scaled where the file has another size."""
    published = source.published_bytes
    if published is not None:
        factor = published / weights.file_bytes
        if abs(factor - 1.0) <= source.same_recipe_share:
            return _file(arch, weights, "exact_tensors", published, source)
        scaled = scaled_weights(weights, factor)
        return _file(arch, scaled, "published_file", published, source)
    if source.estimated_factor is not None:
        scaled = scaled_weights(weights, source.estimated_factor)
        return _file(arch, scaled, "estimate", scaled.file_bytes, source)
    return _file(arch, weights, "exact_tensors", weights.file_bytes, source)


def _recipe_weights(
    arch: Architecture, source: FileSource, scheme: QuantScheme, imatrix: bool
) -> WeightBytes:
    if source.recipe is not None:
        return quantised_weights(arch, source.recipe, scheme, imatrix)
    if source.checkpoint is not None:
        return checkpoint_weights(arch, source.checkpoint)
    raise SizingError("unknown_format")


def _file(
    arch: Architecture, weights: WeightBytes, basis: str, file_bytes: float, source: FileSource
) -> ModelFile:
    return ModelFile(
        arch=arch,
        weights=weights,
        weights_basis=basis,
        file_bytes=file_bytes,
        vision_bytes=source.vision_bytes,
    )
