"""The second and further parts of the table of all devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vramsite.site.pages.devices import DevicesKind
from vramsite.site.pages.parts import further_keys

if TYPE_CHECKING:
    from vramsite.catalog import Catalog
    from vramsite.site.pages import PageKey


class DevicesPartKind(DevicesKind):
    """Pages `/<locale>/devices-part/<number>/`."""

    name = "devices_part"

    def keys(self, catalog: Catalog) -> list[PageKey]:
        """None for a table of one part."""
        return further_keys(self.name, len(catalog.gpus))


KIND = DevicesPartKind()
