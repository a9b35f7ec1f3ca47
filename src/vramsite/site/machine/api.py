"""/api/v1/: what the pages say as JSON, under addresses that stay."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from vramsite.report.api_json import default_size, device_json, model_json
from vramsite.report.size_text import size_json
from vramsite.site.machine.encode import json_bytes
from vramsite.site.machine.schemas import SCHEMAS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vramsite.report.book import Book
    from vramsite.site.urls import Urls

VERSION = 1
LICENSE = "Apache-2.0"


@dataclass(frozen=True)
class Api:
    """The JSON of one site. Addresses in it are absolute, so that a copy still leads here."""

    book: Book
    urls: Urls
    locales: tuple[str, ...]

    def address(self, kind: str, *ids: str, locale: str = "") -> str:
        """The absolute address of a page or file."""
        return self.urls.absolute(self.urls.path(kind, ids, locale))

    def pages(self, kind: str, *ids: str) -> dict[str, str]:
        """The page in every language."""
        return {locale: self.address(kind, *ids, locale=locale) for locale in self.locales}

    def pair(self, model_id: str, gpu_id: str) -> bytes:
        """`vramsite size --json` for the configuration of the page, with addresses."""
        answer = size_json(model_id, gpu_id, default_size(self.book, model_id, gpu_id))
        answer["pages"] = self.pages("pair", model_id, gpu_id)
        answer["badge"] = self.address("badge", model_id, gpu_id)
        answer["schema"] = self._pair_schema
        return json_bytes(answer)

    @cached_property
    def _pair_schema(self) -> str:
        return self.address("api_schema", "pair")

    def model(self, model_id: str) -> bytes:
        """One model with its verdict on every device."""
        facts = model_json(self.book, model_id)
        facts["pages"] = self.pages("model", model_id)
        facts["schema"] = self.address("api_schema", "model")
        return json_bytes(facts)

    def device(self, gpu_id: str) -> bytes:
        """One device with the verdict of every model."""
        facts = device_json(self.book, gpu_id)
        facts["pages"] = self.pages("device", gpu_id)
        facts["schema"] = self.address("api_schema", "device")
        return json_bytes(facts)

    def catalog(self) -> bytes:
        """Every model and device by id, with its name and where its own file is."""
        catalog = self.book.catalog
        models = [
            {
                "id": record.id,
                "name": record.name,
                "vendor": record.vendor,
                "released": str(record.released) if record.released else None,
                "data": self.address("api_model", record.id),
                "pages": self.pages("model", record.id),
            }
            for record in catalog.models.values()
        ]
        devices = [
            {
                "id": record.id,
                "name": record.name,
                "vendor": record.vendor,
                "kind": record.kind,
                "launched": str(record.launched) if record.launched else None,
                "data": self.address("api_device", record.id),
                "pages": self.pages("device", record.id),
            }
            for record in catalog.gpus.values()
        ]
        schema = self.address("api_schema", "catalog")
        return json_bytes({"models": models, "devices": devices, "schema": schema})

    def index(self) -> bytes:
        """Where everything is; `{model}` and `{device}` stand for ids of the catalog."""
        base = self.urls.absolute(self.urls.base_path)
        return json_bytes(
            {
                "version": VERSION,
                "license": LICENSE,
                "catalog": self.address("api_catalog"),
                "verdicts_csv": self.address("api_verdicts"),
                "model": f"{base}api/v1/models/{{model}}.json",
                "device": f"{base}api/v1/devices/{{device}}.json",
                "pair": f"{base}api/v1/pairs/{{model}}/{{device}}.json",
                "badge": f"{base}badges/{{model}}/{{device}}.svg",
                "schemas": {name: self.address("api_schema", name) for name in SCHEMAS},
                "feeds": {code: self.address("feed", locale=code) for code in self.locales},
                "documentation": self.pages("api"),
                "schema": self.address("api_schema", "index"),
            }
        )

    def schema_files(self) -> Iterator[tuple[str, bytes]]:
        """The JSON Schema of each kind of file, by name."""
        for name, schema in SCHEMAS.items():
            address = self.address("api_schema", name)
            yield name, json_bytes({"$schema": schema["$schema"], "$id": address} | schema)
