"""What the facts of the project's own site say today, and how its answers are worked out anew."""

from __future__ import annotations

import hashlib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from vramsite.catalog.model_files import size_factor
from vramsite.catalog.trace import DIGEST_SIZE, digest
from vramsite.report.questions import QUESTIONS, ask
from vramsite.site.pages.shared import book_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from vramsite.catalog.trace import Fact
    from vramsite.catalog.tracked import TrackedCatalog
    from vramsite.site.context import SiteContext
    from vramsite.site.texts import Texts


class SiteFacts:
    """Reads facts for the build; see `vramsite.catalog.trace` for what they are."""

    def __init__(self, tracked: TrackedCatalog, site: SiteContext, texts: Texts) -> None:
        self.texts = texts
        self._site = site
        self._data_dir = tracked.catalog.data_dir
        self._readers: dict[str | float, Callable[[Fact], bytes]] = tracked.readers() | {
            "template": texts.template,
            "prose": texts.prose,
            "assets": lambda _: digest(site.assets.folder),
            "side": lambda fact: _content(self._data_dir / "side" / f"{fact[1]}.yaml"),
            "files": lambda fact: _content(*sorted((self._data_dir / str(fact[1])).rglob("*"))),
        }

    def digest(self, fact: Fact) -> bytes:
        """What a plain fact says today. KeyError where there is no such fact (any more)."""
        return self._readers[fact[0]](fact)

    def ask(self, fact: Fact) -> None:
        """Work an answer out anew, into its cache. KeyError for one that has no name here."""
        name, arguments = fact[1], fact[2:]
        if name in QUESTIONS:
            ask(book_of(self._site), fact)
            return
        site = self._site
        makers: dict[str | float, Callable[..., object] | None] = {
            "card_file": site.cards.file if site.cards else None,
            "engine_file": site.engine.file if site.engine else None,
            "size_factor": partial(size_factor, site.catalog),
            "share_image": site.machine.picture if site.machine else None,
        }
        make = makers[name]
        if make is None:
            raise KeyError(name)
        make(*arguments)


def _content(*paths: Path) -> bytes:
    hasher = hashlib.blake2b(digest_size=DIGEST_SIZE)
    for path in paths:
        if path.is_file():
            hasher.update(f"{path.name}\0".encode() + path.read_bytes())
    return hasher.digest()
