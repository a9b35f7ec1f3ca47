"""The engine and its data as files of the site, each named after its content.

A worker makes only what its pages link to, and keeps it; the one that is told to write the assets
makes all. The addresses are the same everywhere because the content is.
"""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from vramsite.catalog.trace import Kept
from vramsite.site.engine_js.data import SliceMaker, slice_bytes
from vramsite.site.engine_js.link import compile_engine, compile_whole_engine
from vramsite.site.engine_js.readers_module import compile_readers

if TYPE_CHECKING:
    from vramsite.site.writing import Writer

FOLDER = "assets/engine/"
_HASH_LENGTH = 10


class EngineFiles:
    """Addresses (below the base path) and contents of the engine's files."""

    def __init__(self, maker: SliceMaker) -> None:
        self._maker = maker
        self._made: Kept[str, tuple[str, bytes]] = Kept("engine_file")

    def engine(self) -> str:
        """The address of the compiled engine."""
        return self._file("engine", ".js", lambda: compile_engine().text.encode())

    def whole_engine(self) -> str:
        """The address of the engine for all inference engines."""
        return self._file("whole", ".js", lambda: compile_whole_engine().text.encode())

    def rules(self) -> str:
        """The address of what no model and no device changes."""
        return self._file("rules", ".json", lambda: slice_bytes(self._maker.rules()))

    def model(self, model_id: str) -> str:
        """The address of one model's facts. KeyError for an unknown id."""
        make = self._maker.model
        return self._file(f"models/{model_id}", ".json", lambda: slice_bytes(make(model_id)))

    def device(self, gpu_id: str) -> str:
        """The address of one device's facts. KeyError for an unknown id."""
        make = self._maker.device
        return self._file(f"devices/{gpu_id}", ".json", lambda: slice_bytes(make(gpu_id)))

    def all_models(self) -> str:
        """The address of every model's facts in a few formats, for what looks at all of them."""
        return self._file("models", ".json", self._joined_models)

    def all_devices(self) -> bytes:
        """Every device's facts in one list."""
        return self._joined("devices", self._maker.catalog.gpus, self.device)

    def readers(self) -> str:
        """The address of the readers of config.json."""
        return self._file("readers", ".js", lambda: compile_readers().text.encode())

    def own_rules(self) -> str:
        """The address of what a model needs that is in no catalog."""
        make = self._maker.own_rules
        return self._file("own", ".json", lambda: slice_bytes(make(), compile_readers()))

    def file(self, name: str) -> None:
        """Make a file by the name it is kept under ("rules", "models/…", "devices/…")."""
        kind, _, entry_id = name.partition("/")
        if entry_id:
            (self.model if kind == "models" else self.device)(entry_id)
        else:
            {
                "engine": self.engine,
                "whole": self.whole_engine,
                "readers": self.readers,
                "own": self.own_rules,
                "rules": self.rules,
                "models": self.all_models,
            }[kind]()

    def _joined_models(self) -> bytes:
        make = self._maker.brief
        return (
            b"[" + b",".join(slice_bytes(make(one)) for one in self._maker.catalog.models) + b"]\n"
        )

    def _joined(self, kind: str, ids: Iterable[str], make: Callable[[str], str]) -> bytes:
        names = list(ids)
        for name in names:
            make(name)
        return b"[" + b",".join(self._made[f"{kind}/{one}"][1].strip() for one in names) + b"]\n"

    def addresses(self) -> Iterator[str]:
        """The addresses of all files."""
        yield self.engine()
        yield self.whole_engine()
        yield self.rules()
        yield self.readers()
        yield self.own_rules()
        yield from map(self.model, self._maker.catalog.models)
        yield self.all_models()
        yield from map(self.device, self._maker.catalog.gpus)

    def write(self, output: Writer) -> None:
        """Write every file."""
        for _ in self.addresses():  # makes those that no page has asked for
            pass
        for name in list(self._made):
            output.write(*self._made[name])

    def _file(self, name: str, ending: str, make: Callable[[], bytes]) -> str:
        found = self._made.get(name)
        if found is None:
            content = make()
            if ending == ".js":
                gc.collect()  # a compiler's trees refer to each other, and workers never look
            digest = hashlib.sha256(content).hexdigest()[:_HASH_LENGTH]
            found = self._made[name] = (f"{FOLDER}{name}.{digest}{ending}", content)
        return found[0]
