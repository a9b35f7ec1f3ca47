"""What a browser needs beside the engine's rules to size a model that is in no catalog."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vramsite.catalog.architectures.own_model import (
    NATIVE,
    NATIVE_NAMES,
    GgufName,
    GroupEffects,
    OwnFormat,
    OwnRules,
)
from vramsite.catalog.calibration import load_calibration
from vramsite.catalog.calibration_groups import architecture_group
from vramsite.catalog.compute_graphs import load_graph_rules
from vramsite.catalog.config_key_rules import config_key_rules
from vramsite.catalog.graphs.rules import GraphRules, StepProgram
from vramsite.catalog.model_files import SAME_RECIPE_SHARE
from vramsite.catalog.quant_recipes import load_checkpoint_recipes, load_quant_scheme
from vramsite.catalog.speed_model import load_speed_model
from vramsite.sizing.answer import FileEntry
from vramsite.sizing.effects import PhaseEffects
from vramsite.sizing.engine import ModelFile, loaded
from vramsite.sizing.records import Settings
from vramsite.sizing.weights import quantised_weights

if TYPE_CHECKING:
    from vramsite.catalog import Catalog
    from vramsite.sizing.engine import EngineRules


# Where the middle 80 % of the models begin and end
_LOW_SHARE, _HIGH_SHARE = 0.1, 0.9
_CONTEXTS = (8192.0, 32768.0)
_LEAST_SHARES = 20


def own_rules(catalog: Catalog, engine: EngineRules) -> OwnRules:
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
    first = FileEntry(format=NATIVE, format_class=speed.format_class(NATIVE).name, recipe="")
    formats.insert(0, OwnFormat(entry=first))
    used = {name for entry in formats for name in (entry.recipe, entry.checkpoint)}
    used.update(["BF16", *NATIVE_NAMES])
    low, high = _buffer_range(catalog, engine)
    return OwnRules(
        formats=formats,
        scheme=scheme,
        recipes=[recipe for name, recipe in sorted(recipes.items()) if name in used],
        checkpoints=[recipe for name, recipe in sorted(checkpoints.items()) if name in used],
        gguf_names=_gguf_names(catalog),
        groups=_groups(catalog),
        no_effects=PhaseEffects(decode=[], prefill=[]),
        same_recipe_share=SAME_RECIPE_SHARE,
        keys=config_key_rules(catalog.data_dir),
        graphs=_unread(load_graph_rules(catalog.data_dir)),
        buffers_low=low,
        buffers_high=high,
    )


def _unread(rules: GraphRules | None) -> GraphRules | None:
    """The rules with no program read yet: which ones were, only the order of the work says."""
    if rules is None:
        return None
    return replace(rules, programs=[StepProgram(text=one.text) for one in rules.programs])


def _gguf_names(catalog: Catalog) -> list[GgufName]:
    """llama.cpp's name by `model_type`; by that of the text model too where models differ."""
    found: dict[str, dict[str, str]] = {}  # text model's type by name
    for model in catalog.models.values():
        if model.gguf_arch:
            text_type = model.config.get("text_model_type", "")
            names = found.setdefault(model.model_type or "", {})
            names[model.gguf_arch] = names.get(model.gguf_arch) or str(text_type)
    return [
        GgufName(
            model_type=model_type, text_type="" if len(names) == 1 else text_type, gguf_arch=name
        )
        for model_type, names in sorted(found.items())
        for name, text_type in sorted(names.items())
        if len(names) == 1 or text_type
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


def _buffer_range(catalog: Catalog, engine: EngineRules) -> tuple[float | None, float | None]:
    """Compute buffers as llama.cpp's graph gives them over the coarse formula's, in 8 of 10 cases.

    One model of each architecture is asked.
    """
    scheme, recipes = load_quant_scheme(catalog.data_dir)
    shares = []
    seen = set()
    for model_id in catalog.models:
        arch = catalog.architecture(model_id)
        if arch.graph is None or architecture_group(arch) in seen:
            continue
        seen.add(architecture_group(arch))
        file = ModelFile(
            arch=arch,
            weights=quantised_weights(arch, recipes["Q4_K_M"], scheme),
            weights_basis="exact_tensors",
            file_bytes=0.0,
            vision_bytes=0.0,
        )
        for tokens in _CONTEXTS:
            settings = Settings(context_tokens=min(tokens, arch.context_max_tokens))
            exact = _buffer_bytes(file, settings, engine)
            coarse = replace(file, arch=replace(arch, graph=None), known_buffers=[])
            shares.append(exact / _buffer_bytes(coarse, settings, engine))
    if len(shares) < _LEAST_SHARES:
        return None, None
    shares.sort()
    last = len(shares) - 1
    return shares[round(last * _LOW_SHARE)], shares[round(last * _HIGH_SHARE)]


def _buffer_bytes(file: ModelFile, settings: Settings, engine: EngineRules) -> float:
    terms = loaded(file, settings, engine).memory.terms
    return sum(term.device_bytes for term in terms if term.name == "compute_buffer")
