"""The second and further parts of the table of all models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vramsite.site.pages.models import ModelsKind
from vramsite.site.pages.parts import further_keys

if TYPE_CHECKING:
    from vramsite.catalog import Catalog
    from vramsite.site.pages import PageKey


class ModelsPartKind(ModelsKind):
    """Pages `/<locale>/models-part/<number>/`."""

    name = "models_part"

    def keys(self, catalog: Catalog) -> list[PageKey]:
        """None for a table of one part."""
        return further_keys(self.name, len(catalog.models))


KIND = ModelsPartKind()
