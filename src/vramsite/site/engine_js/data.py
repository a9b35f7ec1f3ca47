"""What the engine runs on in a browser: rules of all, one file a model, one file a device.

Records travel as JSON objects without the fields that have their default; the module's record
constructors put them back. Whole numbers lose their ".0": there is one kind of number over there.
Fields have the names that they have in the compiled module.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import MISSING, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from vramsite.catalog.calibration import CalibrationRecord, load_calibration
from vramsite.catalog.model_files import NATIVE, SAME_RECIPE_SHARE, FormatError, file_source
from vramsite.catalog.quant_recipes import load_quant_scheme
from vramsite.catalog.speed_model import SpeedModel, load_speed_model
from vramsite.catalog.trace import Kept
from vramsite.report.choices import MATRIX_FORMATS, native_format
from vramsite.site.engine_js.link import Compiled, compile_engine
from vramsite.site.engine_js.own_rules import own_rules
from vramsite.site.engine_js.packing import Packer, packed_for
from vramsite.sizing.answer import (
    BackendAssumptions,
    DeviceFacts,
    FileEntry,
    ModelFacts,
    SharedRules,
)
from vramsite.sizing.checkpoints import checkpoint_weights
from vramsite.sizing.tensor_sums import counted_sums
from vramsite.sizing.weights import quantised_weights

if TYPE_CHECKING:
    from vramsite.catalog import Catalog, ModelRecord
    from vramsite.catalog.architectures.own_model import OwnRules
    from vramsite.sizing.engine import EngineRules
    from vramsite.sizing.model_file import FileSource
    from vramsite.sizing.records import Architecture

_WHOLE_LIMIT = 2.0**53


class SliceMaker:
    """Makes the records that browsers get, from a catalog."""

    def __init__(self, catalog: Catalog, engine: EngineRules) -> None:
        self.catalog = catalog
        self._engine = engine
        self._calibration: CalibrationRecord = load_calibration(catalog.data_dir)
        self._speed: SpeedModel = load_speed_model(catalog.data_dir)
        self._scheme, _ = load_quant_scheme(catalog.data_dir)
        offered = [record.name for record in catalog.formats.values() if record.headline]
        self._offered = [NATIVE, *offered]
        self._models: Kept[str, ModelFacts] = Kept()

    def rules(self) -> SharedRules:
        """What no model and no device changes."""
        return SharedRules(
            engine=self._engine,
            speed=self._calibration.tables(self._speed),
            same_recipe_share=SAME_RECIPE_SHARE,
        )

    def own_rules(self) -> OwnRules:
        """What a model needs that is in no catalog."""
        return own_rules(self.catalog, self._engine)

    def model(self, model_id: str) -> ModelFacts:
        """One model with the formats that the pages offer."""
        found = self._models.get(model_id)
        if found is None:
            found = self._models[model_id] = self._model(model_id)
        return found

    def brief(self, model_id: str) -> ModelFacts:
        """The same in the formats that one asks all models for, without importance matrices."""
        whole = self.model(model_id)
        files = [entry for entry in whole.files if entry.format in MATRIX_FORMATS]
        packed = packed_for(whole.packed, {entry.recipe for entry in files})
        return replace(whole, files=files, packed=packed)

    def _model(self, model_id: str) -> ModelFacts:
        record = self.catalog.models[model_id]
        arch = self.catalog.architecture(model_id)
        entries = []
        vision = 0.0
        packer = Packer(arch.graph)
        packed: set[str] = set()
        for name in self._formats(record):
            try:
                source = file_source(self.catalog, model_id, name)
            except FormatError:
                continue
            vision = source.vision_bytes
            recipe = recipe_name(source)
            if recipe not in packed:
                packed.add(recipe)
                self._pack(packer, arch, source)
            entries.append(
                FileEntry(
                    format=name,
                    format_class=self._speed.format_class(name).name,
                    recipe=recipe,
                    published_bytes=source.published_bytes,
                    estimated_factor=source.estimated_factor,
                )
            )
        return ModelFacts(
            id=model_id,
            arch=replace(arch, sums=counted_sums(arch)),
            files=entries,
            effects=self._calibration.architecture(arch),
            packed=packer.packed(),
            vision_bytes=vision,
            bf16_native=native_format(record) == "BF16",
        )

    def _pack(self, packer: Packer, arch: Architecture, source: FileSource) -> None:
        """Add the weights of the source's recipe, twice where an importance matrix matters."""
        name = recipe_name(source)
        if source.recipe is None:
            assert source.checkpoint is not None
            packer.add(name, checkpoint_weights(arch, source.checkpoint))
            return
        plain = quantised_weights(arch, source.recipe, self._scheme)
        packer.add(name, plain)
        if any(rule.imatrix for rule in source.recipe.rules):
            other = quantised_weights(arch, source.recipe, self._scheme, True)
            if other != plain:
                packer.add(name, other, imatrix=True)

    def _formats(self, model: ModelRecord) -> list[str]:
        """The formats every page offers and those of the model's published files."""
        published = [
            file.format
            for file in model.files
            if file.format in self.catalog.formats and file.format not in self._offered
        ]
        return [*self._offered, *dict.fromkeys(published)]

    def device(self, gpu_id: str) -> DeviceFacts:
        """One device with its back ends, the default first."""
        gpu = self.catalog.gpus[gpu_id]
        assumptions = self.catalog.assumptions
        return DeviceFacts(
            id=gpu_id,
            device=self.catalog.device(gpu_id),
            speed=self._calibration.device(gpu),
            backends=[
                BackendAssumptions(
                    backend=backend, assumptions=assumptions.sizing(backend, gpu.kind)
                )
                for backend in gpu.backends
            ],
        )


def recipe_name(source: FileSource) -> str:
    """The name of a source's weights among the packed ones."""
    if source.recipe is not None:
        return source.recipe.name
    return f"checkpoint {source.checkpoint.name}" if source.checkpoint is not None else ""


def compact(value: Any, module: Compiled | None = None) -> Any:
    """A record as JSON holds it: no defaults, whole numbers as such.

    For a module, fields have their names there, and what nothing reads is left out.

    Raises TypeError for what JSON cannot hold exactly (infinity, a dictionary, another type).
    """
    return _compact(value, module, {})


_Fields = list[tuple[str, str, Any, bool]]
"""Name of each field that travels, its name there, its default, whether it has one."""


def _compact(value: Any, module: Compiled | None, known: dict[type, _Fields]) -> Any:
    kind = type(value)
    if kind is float or kind is int:
        return _number(float(value))
    if value is None or kind is str or kind is bool:
        return value
    if kind is list:
        return [_compact(item, module, known) for item in value]
    found = known.get(kind)
    if found is None:
        found = known[kind] = _fields(value, module)
    made = {}
    for name, there, default, has_default in found:
        given = getattr(value, name)
        if not (has_default and type(given) is type(default) and given == default):
            made[there] = _compact(given, module, known)
    return made


def _fields(value: object, module: Compiled | None) -> _Fields:
    if not is_dataclass(value) or isinstance(value, type):
        raise TypeError(f"{value!r} cannot travel to the browser")
    names = module.fields if module else {}
    unread = module.unread if module else frozenset()
    found = []
    for item in fields(value):
        default = item.default
        if item.default_factory is not MISSING:
            default = item.default_factory()
        has_default = default is not MISSING
        if item.name not in unread:
            found.append((item.name, names.get(item.name, item.name), default, has_default))
    return found


def _number(value: float) -> int | float:
    if value != value or value in (float("inf"), float("-inf")):
        raise TypeError(f"{value!r} cannot travel to the browser")
    if not value.is_integer() or abs(value) >= _WHOLE_LIMIT:
        return value
    negative_zero = value == 0.0 and str(value) == "-0.0"
    return value if negative_zero else int(value)


def slice_bytes(record: object, module: Compiled | None = None) -> bytes:
    """A record as a file of the engine or another module: the same bytes for the same facts."""
    content = compact(record, module or compile_engine())
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode()


def slice_files(maker: SliceMaker) -> Iterable[tuple[str, bytes]]:
    """Name without hash ("rules", "models/glm-4.5", "devices/rtx-4090") and content of each."""
    yield "rules", slice_bytes(maker.rules())
    for model_id in maker.catalog.models:
        yield f"models/{model_id}", slice_bytes(maker.model(model_id))
    for gpu_id in maker.catalog.gpus:
        yield f"devices/{gpu_id}", slice_bytes(maker.device(gpu_id))
