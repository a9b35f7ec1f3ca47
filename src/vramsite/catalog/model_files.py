"""A model in one weight format: computed tensor by tensor, or from the file somebody published.

A plain llama-quantize file is computed exactly; where its published size agrees (a file adds its
header), the computed split stands. A file of another mix (Unsloth's UD recipes, QAT, another
converter) is the nearest recipe scaled to the published size. A dynamic format without a file of
this model is estimated from the files of other models.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from vramsite.catalog.quant_recipes import load_checkpoint_recipes, load_quant_scheme
from vramsite.sizing.checkpoints import checkpoint_weights
from vramsite.sizing.engine import ModelFile
from vramsite.sizing.quantize import QuantRecipe
from vramsite.sizing.weights import WeightBytes, quantised_weights
from vramsite.sizing.weights_file import scaled_weights

if TYPE_CHECKING:
    from vramsite.catalog.catalog import Catalog

NATIVE = "native"
# A published file within this share of the computed tensors is the same recipe plus its header.
SAME_RECIPE_SHARE = 0.003
_NATIVE_RECIPES = {
    "bf16": "BF16",
    "fp8": "FP8",
    "fp8 + fp4 experts": "FP8+FP4",
    "mxfp4": "MXFP4",
    "nvfp4": "NVFP4",
}


class FormatError(ValueError):
    """A weight format that this model cannot be sized in; the message says what to use."""


def model_file(
    catalog: Catalog, model_id: str, format_name: str, *, imatrix: bool = False
) -> ModelFile:
    """The model in that format ("native": its checkpoint's own). Raises FormatError."""
    if format_name == NATIVE:
        return _native(catalog, model_id)
    _, recipes = load_quant_scheme(catalog.data_dir)
    checkpoints = load_checkpoint_recipes(catalog.data_dir)
    model = catalog.models[model_id]
    recipe = recipes.get(format_name)
    published = model.published_file(format_name)
    if recipe is not None:
        weights = _quantised(catalog, model_id, recipe, imatrix)
        if published is None or not published.exact:
            return _file(catalog, model_id, weights, "exact_tensors", weights.file_bytes)
        return _published(catalog, model_id, weights, float(published.bytes))
    entry = catalog.formats.get(format_name)
    if entry is not None and entry.family.startswith("gguf"):
        near = _nearest_recipe(recipes, entry.base_type or "")
        if near is not None:
            weights = _quantised(catalog, model_id, near, imatrix)
            if published is not None:
                return _published(catalog, model_id, weights, float(published.bytes))
            return _estimated(catalog, model_id, weights, near, format_name)
    if format_name in checkpoints:
        weights = checkpoint_weights(catalog.architecture(model_id), checkpoints[format_name])
        return _file(catalog, model_id, weights, "exact_tensors", weights.file_bytes)
    known = ", ".join(sorted({*recipes, *checkpoints, *(file.format for file in model.files)}))
    raise FormatError(f"{model_id}: no weight format {format_name!r}; known are {known}")


def _native(catalog: Catalog, model_id: str) -> ModelFile:
    checkpoint = catalog.models[model_id].checkpoint
    if checkpoint is None:
        raise FormatError(f"{model_id}: the checkpoint's own format is not known")
    name = _NATIVE_RECIPES.get(checkpoint.format)
    if name is None:
        raise FormatError(f"{model_id}: no recipe for checkpoints in {checkpoint.format}")
    recipe = load_checkpoint_recipes(catalog.data_dir)[name]
    weights = checkpoint_weights(catalog.architecture(model_id), recipe)
    if checkpoint.bytes is None:
        return _file(catalog, model_id, weights, "exact_tensors", weights.file_bytes)
    return _published(catalog, model_id, weights, float(checkpoint.bytes))


def _quantised(catalog: Catalog, model_id: str, recipe: QuantRecipe, imatrix: bool) -> WeightBytes:
    scheme, _ = load_quant_scheme(catalog.data_dir)
    return quantised_weights(catalog.architecture(model_id), recipe, scheme, imatrix)


def _published(
    catalog: Catalog, model_id: str, weights: WeightBytes, file_bytes: float
) -> ModelFile:
    factor = file_bytes / weights.file_bytes
    if abs(factor - 1.0) <= SAME_RECIPE_SHARE:
        return _file(catalog, model_id, weights, "exact_tensors", file_bytes)
    scaled = scaled_weights(weights, factor)
    return _file(catalog, model_id, scaled, "published_file", file_bytes)


def _estimated(
    catalog: Catalog, model_id: str, weights: WeightBytes, recipe: QuantRecipe, format_name: str
) -> ModelFile:
    factors = []
    # Files of a model that was trained in 4 bits tell nothing about those of the others.
    four_bits = _trained_in_four_bits(catalog, model_id)
    for other_id, other in catalog.models.items():
        file = other.published_file(format_name)
        alike = _trained_in_four_bits(catalog, other_id) == four_bits
        if file is not None and file.exact and alike:
            base = _quantised(catalog, other_id, recipe, False)
            factors.append(file.bytes / base.file_bytes)
    if not factors:
        raise FormatError(f"{model_id}: no file in {format_name} is published for a model like it")
    factors.sort()
    scaled = scaled_weights(weights, factors[len(factors) // 2])
    return _file(catalog, model_id, scaled, "estimate", scaled.file_bytes)


def _trained_in_four_bits(catalog: Catalog, model_id: str) -> bool:
    checkpoint = catalog.models[model_id].checkpoint
    return checkpoint is not None and "fp4" in checkpoint.format


def _nearest_recipe(recipes: Mapping[str, QuantRecipe], base_type: str) -> QuantRecipe | None:
    for name in (f"{base_type}_M", base_type):
        if name in recipes:
            return recipes[name]
    return next(
        (recipe for _, recipe in sorted(recipes.items()) if recipe.base_type == base_type), None
    )


def _file(
    catalog: Catalog, model_id: str, weights: WeightBytes, basis: str, file_bytes: float
) -> ModelFile:
    vision = catalog.models[model_id].vision_files
    exact = [file for file in vision if file.exact] or vision
    return ModelFile(
        arch=catalog.architecture(model_id),
        weights=weights,
        weights_basis=basis,
        file_bytes=file_bytes,
        vision_bytes=float(min(file.bytes for file in exact)) if exact else 0.0,
    )
