"""What a browser needs beside the engine's rules to size a model that is in no catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vramsite.catalog.architectures.own_model import GgufName, GroupEffects, OwnFormat, OwnRules
from vramsite.catalog.calibration import load_calibration
from vramsite.catalog.calibration_groups import architecture_group
from vramsite.catalog.model_files import SAME_RECIPE_SHARE
from vramsite.catalog.quant_recipes import load_checkpoint_recipes, load_quant_scheme
from vramsite.catalog.speed_model import load_speed_model
from vramsite.sizing.answer import FileEntry
from vramsite.sizing.effects import PhaseEffects

if TYPE_CHECKING:
    from vramsite.catalog import Catalog


def own_rules(catalog: Catalog) -> OwnRules:
    """Formats without a file of their own, recipes, names and effects of the catalog's models."""
    speed = load_speed_model(catalog.data_dir)
    scheme, recipes = load_quant_scheme(catalog.data_dir)
    checkpoints = load_checkpoint_recipes(catalog.data_dir)
    formats = [
        OwnFormat(
            entry=FileEntry(
                format=record.name,
                format_class=speed.format_class(record.name).name,
                recipe="",
            ),
            recipe=record.name if record.name in recipes else "",
            checkpoint="" if record.name in recipes else record.name,
        )
        for record in catalog.formats.values()
        if record.headline and (record.name in recipes or record.name in checkpoints)
    ]
    used = {name for entry in formats for name in (entry.recipe, entry.checkpoint)}
    return OwnRules(
        formats=formats,
        scheme=scheme,
        recipes=[recipe for name, recipe in sorted(recipes.items()) if name in used],
        checkpoints=[recipe for name, recipe in sorted(checkpoints.items()) if name in used],
        gguf_names=_gguf_names(catalog),
        groups=_groups(catalog),
        no_effects=PhaseEffects(decode=[], prefill=[]),
        same_recipe_share=SAME_RECIPE_SHARE,
    )


def _gguf_names(catalog: Catalog) -> list[GgufName]:
    """llama.cpp's name by `model_type`, where all models of the type agree on it."""
    found: dict[str, set[str]] = {}
    for model in catalog.models.values():
        found.setdefault(model.model_type or "", set()).add(model.gguf_arch or "")
    return [
        GgufName(model_type=model_type, gguf_arch=names.pop())
        for model_type, names in sorted(found.items())
        if len(names) == 1
    ]


def _groups(catalog: Catalog) -> list[GroupEffects]:
    calibration = load_calibration(catalog.data_dir)
    found: dict[str, PhaseEffects] = {}
    for model_id in catalog.models:
        arch = catalog.architecture(model_id)
        effects = calibration.architecture(arch)
        if effects.decode or effects.prefill:
            found[architecture_group(arch)] = effects
    return [GroupEffects(group=group, effects=found[group]) for group in sorted(found)]
