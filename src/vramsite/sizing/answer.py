"""The engine's answer from what a page carries: rules of all, one model, one device, settings.

The records here are what the build writes for browsers; Python answers from them alike.
"""

from __future__ import annotations

from dataclasses import dataclass

from vramsite.sizing.accounts import own_profile
from vramsite.sizing.effects import DeviceSpeed, PhaseEffects, SpeedTables, speed_coefficients
from vramsite.sizing.engine import EngineRules, Loaded, ModelFile, loaded, size
from vramsite.sizing.errors import SizingError
from vramsite.sizing.model_file import FileSource, file_of
from vramsite.sizing.packed_weights import PackedFile, find_packed, unpacked
from vramsite.sizing.records import (
    Architecture,
    Assumptions,
    Device,
    Estimate,
    Settings,
    Size,
)
from vramsite.sizing.speed_records import SpeedCoefficients
from vramsite.sizing.throughput import load_tps, whole_speed


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEntry:
    """A weight format that a model is offered in."""

    format: str
    format_class: str  # of the speed model
    recipe: str  # name of its weights among the packed ones
    published_bytes: float | None = None  # see FileSource
    estimated_factor: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """One model."""

    id: str
    arch: Architecture
    files: list[FileEntry]
    effects: PhaseEffects
    packed: PackedFile
    vision_bytes: float = 0.0
    bf16_native: bool = False  # whether the vendor's own weights are of 16 bits


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendAssumptions:
    """What is assumed about the machine around a device, by back end."""

    backend: str
    assumptions: Assumptions


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceFacts:
    """One device. Its default back end comes first."""

    id: str
    device: Device
    speed: DeviceSpeed
    backends: list[BackendAssumptions]


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedRules:
    """What no model and no device changes."""

    engine: EngineRules
    speed: SpeedTables
    same_recipe_share: float


def file_entry(model: ModelFacts, format_name: str) -> FileEntry:
    """The model's entry of that format; SizingError "unknown_format"."""
    for entry in model.files:
        if entry.format == format_name:
            return entry
    raise SizingError("unknown_format")


def stored_format(rules: SharedRules, model: ModelFacts, settings: Settings) -> str:
    """The name of the weights: 16 bits are the checkpoint to engines that load no GGUF files."""
    if settings.format == "BF16" and model.bf16_native:
        if own_profile(rules.engine.profiles, settings.engine) is not None:
            return "native"
    return settings.format


def weights_of(
    rules: SharedRules, model: ModelFacts, format_name: str, imatrix: bool = False
) -> ModelFile:
    """The model in that format, the same under all other settings; "unknown_format"."""
    entry = file_entry(model, format_name)
    packed = find_packed(model.packed, entry.recipe, imatrix)
    if packed is None:
        raise SizingError("unknown_format")
    source = FileSource(
        recipe=None,
        checkpoint=None,
        published_bytes=entry.published_bytes,
        estimated_factor=entry.estimated_factor,
        same_recipe_share=rules.same_recipe_share,
        vision_bytes=model.vision_bytes,
    )
    return file_of(model.arch, unpacked(model.packed, packed), source)


def loaded_file(rules: SharedRules, file: ModelFile, settings: Settings) -> Loaded:
    """That file under these settings: the same on every device."""
    return loaded(file, settings, rules.engine)


def answer(rules: SharedRules, model: ModelFacts, whole: Loaded, facts: DeviceFacts) -> Size:
    """The whole answer on one device; SizingError "unknown_backend" for one it has not."""
    assumptions = assumed_of(facts, whole.settings.backend)
    coefficients = coefficients_of(rules, model, whole.settings, facts)
    return size(whole, facts.device, rules.engine, assumptions, coefficients)


def answer_together(
    rules: SharedRules, model: ModelFacts, whole: Loaded, facts: DeviceFacts
) -> float | None:
    """What all sequences of `whole` write together; None where the devices do not hold them."""
    assumptions = assumed_of(facts, whole.settings.backend)
    coefficients = coefficients_of(rules, model, whole.settings, facts)
    return load_tps(whole, facts.device, rules.engine, assumptions, coefficients)


def answer_speed(
    rules: SharedRules, model: ModelFacts, whole: Loaded, facts: DeviceFacts
) -> Estimate:
    """Output speed of one sequence with everything on the devices."""
    assumptions = assumed_of(facts, whole.settings.backend)
    coefficients = coefficients_of(rules, model, whole.settings, facts)
    return whole_speed(whole, facts.device, rules.engine, assumptions, coefficients)


def assumed_of(facts: DeviceFacts, backend: str) -> Assumptions:
    """What is assumed with that back end; SizingError "unknown_backend" for one it has not."""
    for entry in facts.backends:
        if entry.backend == backend:
            return entry.assumptions
    raise SizingError("unknown_backend")


def coefficients_of(
    rules: SharedRules, model: ModelFacts, settings: Settings, facts: DeviceFacts
) -> SpeedCoefficients:
    """What calibration says of the model on the device under these settings."""
    return speed_coefficients(
        rules.speed,
        facts.speed,
        model.effects,
        settings,
        file_entry(model, settings.format).format_class,
    )
