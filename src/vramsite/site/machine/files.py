"""All files for machines of one worker: what goes with a page, and what belongs to none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vramsite.report.api_json import default_size
from vramsite.site.formatting import Formatter
from vramsite.site.machine.api import Api
from vramsite.site.machine.badges import badge
from vramsite.site.machine.feed import feed
from vramsite.site.machine.llms import llms_txt
from vramsite.site.machine.search_index import search_index
from vramsite.site.machine.share import ShareImages
from vramsite.site.machine.verdicts import FOLDER, model_part
from vramsite.site.pages.shared import book_of
from vramsite.site.writing import PARTS, Writer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jinja2 import Environment

    from vramsite.site.context import SiteContext
    from vramsite.site.pages import PageKey

_DATA = {"model": "api_model", "device": "api_device", "pair": "api_pair"}


class MachineFiles:
    """Writes the files; ``data``, ``badge`` and ``image`` say where those of a page are."""

    def __init__(self, site: SiteContext, environments: dict[str, Environment]) -> None:
        self._site = site
        self._environments = environments
        self._book = book_of(site)
        self._images = ShareImages(self._book, site.urls, environments)
        self._api = Api(self._book, site.urls, site.locales)
        self._numbers = Formatter(site.locales[0])

    def data(self, key: PageKey) -> str | None:
        """The link path of the JSON that says what the page says."""
        kind = _DATA.get(key.kind)
        return self._site.urls.path(kind, key.ids, "") if kind else None

    def badge(self, key: PageKey) -> str | None:
        """The link path of a pair's badge."""
        return self._site.urls.path("badge", key.ids, "") if key.kind == "pair" else None

    def image(self, key: PageKey, locale: str) -> str:
        """The absolute address of the picture for links to the page."""
        urls = self._site.urls
        model_id = key.ids[0] if key.kind in ("model", "pair") else None
        return urls.absolute(urls.base_path + self._images.address(model_id, locale))

    def picture(self, model_id: str | None, locale: str) -> None:
        """Make a picture's address and card, for their place in the cache."""
        self._images.address(model_id, locale)

    def write_beside(self, key: PageKey, output: Writer) -> None:
        """Write what goes with a page, once for all its languages."""
        relative = self._site.urls.relative
        if key.kind == "pair":
            model_id, gpu_id = key.ids
            output.write(relative("api_pair", key.ids, ""), self._api.pair(*key.ids))
            picture = self.badge_svg(model_id, gpu_id)
            output.write(relative("badge", key.ids, ""), picture)
        elif key.kind == "model":
            model_id = key.ids[0]
            output.write(relative("api_model", key.ids, ""), self._api.model(model_id))
            part = model_part(self._book, model_id)
            output.write(f"{PARTS}/{FOLDER}/{model_id}.csv", part)
            for locale in self._site.locales:
                self._images.write(model_id, locale, output)
        elif key.kind == "device":
            content = self._api.device(key.ids[0])
            output.write(relative("api_device", key.ids, ""), content)

    def badge_svg(self, model_id: str, gpu_id: str) -> bytes:
        """The badge of a pair, in the source language."""
        catalog = self._book.catalog
        size = default_size(self._book, model_id, gpu_id)
        tps = size.decode_tps.value
        speed = None if tps is None else self._numbers.tps(tps)
        return badge(catalog.models[model_id].name, catalog.gpus[gpu_id].name, size, speed)

    def write(self, output: Writer) -> None:
        """Write what belongs to no page."""
        for address, content in self._whole():
            output.write(address, content)
        for locale in self._site.locales:
            self._images.write(None, locale, output)

    def _whole(self) -> Iterator[tuple[str, bytes]]:
        catalog, urls, api = self._site.catalog, self._site.urls, self._api
        yield urls.relative("api_index", (), ""), api.index()
        yield urls.relative("api_catalog", (), ""), api.catalog()
        for name, content in api.schema_files():
            yield urls.relative("api_schema", (name,), ""), content
        index = search_index(catalog, api.address("api_schema", "search"))
        yield urls.relative("search", (), ""), index
        yield urls.relative("llms", (), ""), llms_txt(catalog, api)
        for locale in self._site.locales:
            env = self._environments[locale]
            yield urls.relative("feed", (), locale), feed(catalog, urls, env, locale)
