"""A model that is in no catalog, from its config.json: what the page's engine needs of it.

Compiled for the browser together with the readers; see docs/configurator.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from vramsite.catalog.architectures.keys import ArchitectureError, Keys
from vramsite.catalog.architectures.shapes import text_keys, whole
from vramsite.catalog.architectures.source import ArchitectureSource
from vramsite.catalog.architectures.unread import KeyRules, unread_keys
from vramsite.catalog.graphs.making import graph_of
from vramsite.catalog.graphs.rules import GraphRules
from vramsite.sizing.answer import FileEntry, ModelFacts
from vramsite.sizing.checkpoints import CheckpointRecipe
from vramsite.sizing.effects import PhaseEffects
from vramsite.sizing.engine import ModelFile
from vramsite.sizing.model_file import FileSource, model_file
from vramsite.sizing.packed_weights import PackedFile
from vramsite.sizing.quantize import QuantRecipe, QuantScheme
from vramsite.sizing.records import Architecture
from vramsite.sizing.tensor_sums import counted_sums

NATIVE = "native"
NATIVE_NAMES = ("FP8", "MXFP4", "NVFP4")
CONTEXT_KEYS = ("max_position_embeddings", "max_sequence_length", "seq_length", "n_positions")


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnFormat:
    """A weight format that any model can be sized in; one of the recipes is named."""

    entry: FileEntry
    recipe: str = ""
    checkpoint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GgufName:
    """What llama.cpp calls the architecture of a `model_type`, as the catalog's models have it.

    `text_type` is the `model_type` of the text model within where the other is not enough.
    """

    model_type: str
    text_type: str = ""
    gguf_arch: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupEffects:
    """Effects on speed of one kind of model."""

    group: str
    effects: PhaseEffects


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnRules:
    """What it takes beside the engine's rules."""

    formats: list[OwnFormat]
    scheme: QuantScheme
    recipes: list[QuantRecipe]
    checkpoints: list[CheckpointRecipe]
    gguf_names: list[GgufName]
    groups: list[GroupEffects]
    no_effects: PhaseEffects
    same_recipe_share: float
    keys: KeyRules
    graphs: GraphRules | None  # None: compute buffers come from the coarse formula
    # Compute buffers over those of the coarse formula, which models without a graph get: what
    # 8 of 10 models of the catalog have
    buffers_low: float | None  # None: too few models to tell
    buffers_high: float | None


def own_keys(values: Mapping[str, object]) -> Keys:
    """The keys of a config.json."""
    return Keys(values, "config")


def own_type(config: Keys) -> str:
    """Its `model_type`. Raises ArchitectureError where it has none."""
    return config.text("model_type")


def own_source(rules: OwnRules, config: Keys) -> ArchitectureSource:
    """What a reader gets. Raises ArchitectureError without a longest context."""
    keys = text_keys(config)
    model_type = own_type(config)
    text_type = keys.text("model_type", "")
    for key in CONTEXT_KEYS:
        if keys.has(key):
            return ArchitectureSource(
                model_type=model_type,
                gguf_arch=_gguf_arch(rules, model_type, text_type),
                context_max_tokens=whole(keys, key),
                config=config,
            )
    path = f"{keys.path}.{CONTEXT_KEYS[0]}"
    raise ArchitectureError(path, "is missing; copy it from config.json", "missing")


def _gguf_arch(rules: OwnRules, model_type: str, text_type: str) -> str:
    """llama.cpp's name, of the text model within where the whole has none; "" for neither."""
    of_text = ""
    for entry in rules.gguf_names:
        if entry.model_type == model_type and entry.text_type in ("", text_type):
            return entry.gguf_arch
        if entry.model_type == text_type and entry.text_type == "":
            of_text = entry.gguf_arch
    return of_text


def own_native(config: Keys) -> str:
    """The format of the checkpoint itself as data/quants.yaml names it; "" where it is not known.

    Unquantised checkpoints have two bytes a weight, whichever of the two 16-bit types they are in.
    """
    keys = text_keys(config)
    if config.has("quantization_config"):
        method = config.sub("quantization_config").text("quant_method", "")
        for name in ("fp8", "mxfp4", "nvfp4"):
            if method == name:
                return NATIVE_NAMES[("fp8", "mxfp4", "nvfp4").index(name)]
        return ""
    for key in ("dtype", "torch_dtype"):
        if keys.has(key):
            return "BF16" if keys.text(key) in ("bfloat16", "float16") else ""
    return ""


def own_buffer_range(rules: OwnRules) -> tuple[float | None, float | None]:
    """Between which shares of coarse compute buffers the real ones are, in 8 of 10 cases."""
    return rules.buffers_low, rules.buffers_high


def own_buffers(rules: OwnRules, model: ModelFacts) -> str:
    """Where compute buffers come from: "graph" of the architecture, a "related" one, "coarse"."""
    if rules.graphs is None or model.arch.graph is None:
        return "coarse"
    for family in rules.graphs.families:
        if model.arch.gguf_arch in family.archs:
            return "graph"
    return "related"


def own_unread(rules: OwnRules, config: Keys) -> list[str]:
    """Keys that the reader, which is asked before, did not look at and that may change sizes."""
    return unread_keys(rules.keys, config, own_type(config))


def own_facts(rules: OwnRules, arch: Architecture, native: str) -> ModelFacts:
    """The facts that the engine answers from; its weights come from `own_file`.

    `native` is what `own_native` found; the checkpoint itself is offered where it is known.
    """
    group = arch.gguf_arch if arch.gguf_arch != "" else arch.model_type
    effects = rules.no_effects
    for known in rules.groups:
        if known.group == group:
            effects = known.effects
    graph = graph_of(rules.graphs, arch) if rules.graphs is not None else None
    return ModelFacts(
        id="own",
        arch=replace(arch, sums=counted_sums(arch), graph=graph),
        files=[
            entry.entry for entry in rules.formats if entry.entry.format != NATIVE or native != ""
        ],
        effects=effects,
        packed=PackedFile(),
        bf16_native=native == "BF16",
    )


def own_file(
    rules: OwnRules, arch: Architecture, format_name: str, native: str, imatrix: bool
) -> ModelFile:
    """The model in that format, quantised here; SizingError "unknown_format"."""
    recipe: QuantRecipe | None = None
    checkpoint: CheckpointRecipe | None = None
    for entry in rules.formats:
        if entry.entry.format == format_name:
            for known in rules.recipes:
                if known.name == entry.recipe:
                    recipe = known
            for other in rules.checkpoints:
                if other.name == (native if format_name == NATIVE else entry.checkpoint):
                    checkpoint = other
    source = FileSource(
        recipe=recipe,
        checkpoint=checkpoint,
        published_bytes=None,
        estimated_factor=None,
        same_recipe_share=rules.same_recipe_share,
        vision_bytes=0.0,
    )
    return model_file(arch, source, rules.scheme, imatrix)


def own_layers(arch: Architecture) -> list[tuple[str, float, float, float, float]]:
    """Kind, number, window, widths of keys and of values of the layers that are alike."""
    return [
        (group.kind, group.count, group.window_tokens, group.k_width, group.v_width)
        for group in arch.groups
    ]


def own_experts_used(arch: Architecture) -> float:
    """Experts that a token passes."""
    return arch.experts_used


def own_parameters(arch: Architecture) -> float:
    """Parameters of the checkpoint, as the readers count them."""
    total = 0.0
    for tensor in arch.tensors:
        if tensor.in_checkpoint:
            copies = max(1.0, len(tensor.layers) * 1.0)
            total += copies * tensor.row_width * tensor.rows * tensor.experts
    return total
