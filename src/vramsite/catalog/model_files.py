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
from vramsite.sizing.checkpoints import CheckpointRecipe
from vramsite.sizing.engine import ModelFile
from vramsite.sizing.model_file import FileSource
from vramsite.sizing.model_file import model_file as sized_file
from vramsite.sizing.quantize import QuantRecipe
from vramsite.sizing.weights import quantised_weights

if TYPE_CHECKING:
    from vramsite.catalog.catalog import Catalog
    from vramsite.catalog.model_record import Checkpoint, ModelRecord, PublishedFile

NATIVE = "native"
# A published file within this share of the computed tensors is the same recipe plus its header.
SAME_RECIPE_SHARE = 0.003
_NATIVE_RECIPES = {
    "bf16": "BF16",
    "fp16": "BF16",  # two bytes an element as well
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
    scheme, _ = load_quant_scheme(catalog.data_dir)
    source = file_source(catalog, model_id, format_name)
    return sized_file(catalog.architecture(model_id), source, scheme, imatrix)


def file_source(catalog: Catalog, model_id: str, format_name: str) -> FileSource:
    """Recipe and published size of the model in that format. Raises FormatError."""
    if format_name == NATIVE:
        return _native(catalog, model_id)
    _, recipes = load_quant_scheme(catalog.data_dir)
    checkpoints = load_checkpoint_recipes(catalog.data_dir)
    model = catalog.models[model_id]
    recipe = recipes.get(format_name)
    published = model.published_file(format_name)
    if recipe is not None:
        counts = published is not None and published.exact
        return _source(model, recipe=recipe, published=published if counts else None)
    entry = catalog.formats.get(format_name)
    if entry is not None and entry.family.startswith("gguf"):
        near = _nearest_recipe(recipes, entry.base_type or "")
        if near is not None:
            if published is not None:
                return _source(model, recipe=near, published=published)
            # Files of a model that was trained in 4 bits tell nothing about those of the others.
            factor = size_factor(catalog, format_name, _trained_in_four_bits(catalog, model_id))
            if factor == 0.0:
                raise FormatError(
                    f"{model_id}: no file in {format_name} is published for a model like it"
                )
            return _source(model, recipe=near, estimated_factor=factor)
    if format_name in checkpoints:
        return _source(model, checkpoint=checkpoints[format_name])
    known = sorted({*recipes, *checkpoints, *(file.format for file in model.files)})
    from difflib import get_close_matches  # late: only who mistypes needs it

    names = get_close_matches(format_name.upper(), known, 3, 0.5)
    hint = f"did you mean {', '.join(names)}?" if names else f"known are {', '.join(known)}"
    raise FormatError(f"{model_id}: no weight format {format_name!r}; {hint}")


def _native(catalog: Catalog, model_id: str) -> FileSource:
    model = catalog.models[model_id]
    if model.checkpoint is None:
        raise FormatError(f"{model_id}: the checkpoint's own format is not known")
    name = _NATIVE_RECIPES.get(model.checkpoint.format)
    if name is None:
        raise FormatError(f"{model_id}: no recipe for checkpoints in {model.checkpoint.format}")
    recipe = load_checkpoint_recipes(catalog.data_dir)[name]
    published = model.checkpoint if model.checkpoint.bytes is not None else None
    return _source(model, checkpoint=recipe, published=published)


def size_factor(catalog: Catalog, format_name: str, four_bits: bool) -> float:
    """Median size of published files in that format over what the nearest recipe alone gives.

    Of models trained in 4 bits, or of the others; 0 where none of them has such a file.
    """
    key = (format_name, four_bits)
    found = catalog.size_factors.get(key)
    if found is None:
        found = catalog.size_factors[key] = _size_factor(catalog, format_name, four_bits)
    return found


def _size_factor(catalog: Catalog, format_name: str, four_bits: bool) -> float:
    scheme, recipes = load_quant_scheme(catalog.data_dir)
    recipe = _nearest_recipe(recipes, catalog.formats[format_name].base_type or "")
    factors = []
    for other_id, other in catalog.models.items():
        file = other.published_file(format_name)
        alike = _trained_in_four_bits(catalog, other_id) == four_bits
        if recipe is not None and file is not None and file.exact and alike:
            base = quantised_weights(catalog.architecture(other_id), recipe, scheme)
            factors.append(file.bytes / base.file_bytes)
    factors.sort()
    return factors[len(factors) // 2] if factors else 0.0


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


def _source(
    model: ModelRecord,
    *,
    recipe: QuantRecipe | None = None,
    checkpoint: CheckpointRecipe | None = None,
    published: PublishedFile | Checkpoint | None = None,
    estimated_factor: float | None = None,
) -> FileSource:
    size = None if published is None else published.bytes
    exact = [file for file in model.vision_files if file.exact] or model.vision_files
    return FileSource(
        recipe=recipe,
        checkpoint=checkpoint,
        published_bytes=None if size is None else float(size),
        estimated_factor=estimated_factor,
        same_recipe_share=SAME_RECIPE_SHARE,
        vision_bytes=float(min(file.bytes for file in exact)) if exact else 0.0,
    )
