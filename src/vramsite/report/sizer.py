"""One way from a pair of ids to the engine's answer; keeps what many answers share."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from vramsite.catalog.buffer_rules import load_buffer_rules, load_cache_rules
from vramsite.catalog.calibration import coefficients, load_calibration
from vramsite.catalog.model_files import NATIVE, FormatError, model_file
from vramsite.catalog.speed_model import load_speed_model
from vramsite.catalog.trace import Kept
from vramsite.report.choices import native_format
from vramsite.report.engine_settings import WORDS, SettingsError, engine_settings
from vramsite.report.placements import Placements
from vramsite.sizing.accounts import own_profile
from vramsite.sizing.brief import Brief, brief
from vramsite.sizing.buffers import KnownBuffers, forget_replays
from vramsite.sizing.cost_records import Load
from vramsite.sizing.engine import EngineRules, Loaded, ModelFile, loaded, size, under
from vramsite.sizing.errors import SizingError
from vramsite.sizing.records import Assumptions, Estimate, Settings, Size
from vramsite.sizing.throughput import load_settings, load_tps, whole_speed

if TYPE_CHECKING:
    from vramsite.catalog import Catalog
    from vramsite.sizing.speed_records import SpeedCoefficients

K = TypeVar("K")
V = TypeVar("V")

KEPT_ANSWERS = 512  # bounds what a worker keeps, whatever the size of the catalog
KEPT_LOADED = 1024
KEPT_REPLAYS = 24  # files: a model in all the formats of its page, and those related to it
ANY_BACKEND = "cuda"


class SizerError(ValueError):
    """A question that cannot be asked like this; the message says what to type instead."""


class Sizer:
    """Answers for one model on one device, from a catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.rules = EngineRules(
            cache=load_cache_rules(catalog.data_dir),
            buffers=load_buffer_rules(catalog.data_dir),
            profiles=[
                profile for engine in catalog.engines.values() if (profile := engine.profile())
            ],
        )
        self._calibration = load_calibration(catalog.data_dir)
        self._speed_model = load_speed_model(catalog.data_dir)
        self._files: Kept[tuple[str, str, bool], ModelFile] = Kept()
        self._loaded: Kept[tuple[str, Settings], Loaded] = Kept()
        self._sizes: Kept[tuple[str, str, Settings], Size] = Kept()
        self._assumptions: dict[tuple[str, str], Assumptions] = {}
        self._known_buffers: dict[str, list[KnownBuffers]] = {}
        self._recent: dict[int, ModelFile] = {}
        self._placements: dict[int, Placements] = {}

    def settings(
        self,
        model_id: str,
        gpu_id: str,
        *,
        engine: str = "llama.cpp",
        format_name: str | None = None,
        context_tokens: int | None = None,
        kv_type: str | None = None,
        parallel: int = 1,
        gpus: int = 1,
        split: str | None = None,
    ) -> Settings:
        """Checked settings, with the engine's defaults for what is left open.

        The context is 8,192 tokens a sequence where the engine has no default of its own.
        Raises SizerError for what is not known, or not possible with this engine.
        """
        self._known(model_id, gpu_id)
        try:
            return engine_settings(
                self.catalog,
                self.rules,
                model_id,
                gpu_id,
                engine=engine,
                format_name=format_name,
                context_tokens=context_tokens,
                kv_type=kv_type,
                parallel=parallel,
                gpus=gpus,
                split=split,
            )
        except SettingsError as error:
            raise SizerError(str(error)) from error

    def size(self, model_id: str, gpu_id: str, settings: Settings) -> Size:
        """The engine's answer. Raises SizerError where there is none."""
        key = (model_id, gpu_id, settings)
        found = self._sizes.get(key)
        if found is None:
            self._known(model_id, gpu_id)
            device = self.catalog.device(gpu_id)
            assumed = self.assumptions(settings.backend, device.kind)
            try:
                whole = self.load(model_id, settings)
                found = size(
                    whole,
                    device,
                    self.rules,
                    assumed,
                    self.coefficients(model_id, gpu_id, settings),
                    self._placements[id(whole.file)].placed(whole, device, self.rules, assumed),
                )
            except SizingError as error:
                raise _refused(settings, error) from error
            _keep(self._sizes, key, found, KEPT_ANSWERS)
        return found

    def brief(self, model_id: str, gpu_id: str, settings: Settings) -> Brief:
        """What a table says of it; not kept. Raises SizerError where there is no answer."""
        self._known(model_id, gpu_id)
        device = self.catalog.device(gpu_id)
        assumed = self.assumptions(settings.backend, device.kind)
        try:
            whole = self.load(model_id, settings)
            return brief(
                whole,
                device,
                self.rules,
                assumed,
                self.coefficients(model_id, gpu_id, settings),
                self._placements[id(whole.file)].placed(whole, device, self.rules, assumed),
            )
        except SizingError as error:
            raise _refused(settings, error) from error

    def load(self, model_id: str, settings: Settings) -> Loaded:
        """The part of the answer that is the same on every device.

        Of the back end only matters whether it is a device at all, so it is worked out once.
        """
        key = (model_id, settings)
        found = self._loaded.get(key)
        if found is None:
            if settings.backend in ("cpu", ANY_BACKEND):
                file = self.file(model_id, self._file_format(model_id, settings), settings.imatrix)
                found = loaded(file, settings, self.rules)
            else:
                shared = self.load(model_id, replace(settings, backend=ANY_BACKEND))
                found = under(shared, settings)
            _keep(self._loaded, key, found, KEPT_LOADED)
        self._asked_about(found.file)
        return found

    def loads(
        self, model_id: str, gpu_id: str, settings: Settings, sequences: list[int]
    ) -> list[Load]:
        """What so many users write together, each with the context it has in `settings`, rising.

        Ends with the last number of users that the devices hold.
        """
        device = self.catalog.device(gpu_id)
        assumptions = self.assumptions(settings.backend, device.kind)
        coefficients = self.coefficients(model_id, gpu_id, settings)
        found: list[Load] = []
        for count in sequences:
            try:
                whole = self.load(model_id, load_settings(settings, settings.gpus, float(count)))
                total = load_tps(whole, device, self.rules, assumptions, coefficients)
            except SizingError:
                break
            if total is None:
                break
            found.append(Load(sequences=float(count), total_tps=total))
        return found

    def whole_speed(self, model_id: str, gpu_id: str, settings: Settings) -> Estimate:
        """Output speed of one sequence with everything on the devices."""
        device = self.catalog.device(gpu_id)
        return whole_speed(
            self.load(model_id, settings),
            device,
            self.rules,
            self.assumptions(settings.backend, device.kind),
            self.coefficients(model_id, gpu_id, settings),
        )

    def file(self, model_id: str, format_name: str, imatrix: bool = False) -> ModelFile:
        """The model in one weight format. Raises SizerError for a format it has not."""
        key = (model_id, format_name, imatrix)
        found = self._files.get(key)
        if found is None:
            try:
                found = model_file(self.catalog, model_id, format_name, imatrix=imatrix)
            except FormatError as error:
                raise SizerError(str(error)) from error
            # What nothing on the host takes is alike in many formats: they know of each other's.
            known = self._known_buffers.setdefault(model_id, found.known_buffers)
            found = self._files[key] = replace(found, known_buffers=known)
        return found

    def _asked_about(self, file: ModelFile) -> None:
        """Models that were not asked about lately keep their answers, not what these came from."""
        recent = self._recent
        if recent.pop(id(file), None) is None:
            if len(recent) >= KEPT_REPLAYS:
                oldest = recent.pop(next(iter(recent)))
                known = oldest.known_buffers  # which the formats of a model have in common
                if not any(other.known_buffers is known for other in recent.values()):
                    forget_replays(known)
                del self._placements[id(oldest)]
            self._placements[id(file)] = Placements()
        recent[id(file)] = file

    def _file_format(self, model_id: str, settings: Settings) -> str:
        """The format's name; 16 bits are a checkpoint to engines that load no GGUF files."""
        if settings.format == "BF16" and own_profile(self.rules.profiles, settings.engine):
            return NATIVE if native_format(self.catalog.models[model_id]) == "BF16" else "BF16"
        return settings.format

    def assumptions(self, backend: str, device_kind: str) -> Assumptions:
        """What is assumed about the machine around such a device with this back end."""
        key = (backend, device_kind)
        found = self._assumptions.get(key)
        if found is None:
            found = self._assumptions[key] = self.catalog.assumptions.sizing(backend, device_kind)
        return found

    def coefficients(self, model_id: str, gpu_id: str, settings: Settings) -> SpeedCoefficients:
        """What calibration says about this device, engine, back end, format and architecture."""
        return coefficients(
            self._calibration,
            self._speed_model,
            self.catalog.gpus[gpu_id],
            settings,
            self.catalog.architecture(model_id),
        )

    def _known(self, model_id: str, gpu_id: str) -> None:
        if model_id in self.catalog.models and gpu_id in self.catalog.gpus:
            return
        from difflib import get_close_matches

        for given, known, kind in (
            (model_id, self.catalog.models, "model"),
            (gpu_id, self.catalog.gpus, "device"),
        ):
            if given not in known:
                near = get_close_matches(given.lower(), known, 3, 0.5)
                folder = "models" if kind == "model" else "gpus"
                hint = f"did you mean {', '.join(near)}?" if near else f"see data/{folder}/"
                raise SizerError(f"no {kind} {given!r} in the catalog; {hint}")


def _refused(settings: Settings, error: SizingError) -> SizerError:
    return SizerError(f"{settings.engine} refuses this: {WORDS.get(error.code, error.code)}")


def _keep(kept: dict[K, V], key: K, value: V, most: int) -> None:
    """Remember a value and forget the oldest one beyond `most`."""
    if len(kept) >= most:
        del kept[next(iter(kept))]
    kept[key] = value
