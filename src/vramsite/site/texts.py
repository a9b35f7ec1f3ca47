"""What templates, translations and prose say today, for the pages that were made from them.

A template counts with every other that its source names, and with the translations of all their
messages: a word that is translated anew makes anew the pages whose templates hold it.
"""

from __future__ import annotations

import hashlib
import io
import re
from pathlib import Path
from typing import Any

from babel.support import NullTranslations
from jinja2.ext import babel_extract

from vramsite.catalog.trace import DIGEST_SIZE, Fact
from vramsite.site.i18n import KEYWORDS, TEMPLATE_OPTIONS

_NAMED = re.compile(r"""["']([\w./-]+\.html)["']""")
_PLURAL_FORMS = 6  # no language has more

Messages = dict[str, list[str]]
"""Digest of a template's source → its messages as gettext keeps them (context, U+0004, text)."""


class Texts:
    """Digests of ("template", locale, name) and ("prose", locale, name).

    ``messages`` are those of templates as an earlier build found them; what is missing is added.
    """

    def __init__(
        self,
        templates_dir: Path,
        translations: dict[str, NullTranslations],
        messages: Messages | None = None,
    ) -> None:
        self._folder = templates_dir
        self._translations = translations
        self.messages = messages if messages is not None else {}
        self._sources: dict[str, bytes | None] = {}
        self._digests: dict[Fact, bytes] = {}

    def template(self, fact: Fact) -> bytes:
        """The digest of a template in a language. KeyError where there is no such template."""
        found = self._digests.get(fact)
        if found is None:
            _, locale, name = fact
            found = self._digests[fact] = self._template(str(locale), str(name))
        return found

    def prose(self, fact: Fact) -> bytes:
        """The digest of a text in a language. KeyError where there is none."""
        _, locale, name = fact
        path = self._folder / "prose" / str(locale) / f"{name}.md"
        try:
            return hashlib.blake2b(path.read_bytes(), digest_size=DIGEST_SIZE).digest()
        except FileNotFoundError:
            raise KeyError(fact) from None

    def _source(self, name: str) -> bytes | None:
        if name not in self._sources:
            path = self._folder / name
            self._sources[name] = path.read_bytes() if path.is_file() else None
        return self._sources[name]

    def _template(self, locale: str, name: str) -> bytes:
        hasher = hashlib.blake2b(digest_size=DIGEST_SIZE)
        kept: dict[Any, str] = getattr(self._translations[locale], "_catalog", {})
        for file, source in sorted(self._closure(name).items()):
            hasher.update(f"{file}\0{len(source)}\0".encode() + source)
            for message in self._messages(source) if kept else ():
                forms = [kept.get((message, form)) for form in range(_PLURAL_FORMS)]
                hasher.update(repr([message, kept.get(message), forms]).encode())
        return hasher.digest()

    def _closure(self, name: str) -> dict[str, bytes]:
        """A template and all that it names, and they name."""
        found: dict[str, bytes] = {}
        waiting = [name]
        while waiting:
            file = waiting.pop()
            source = self._source(file)
            if source is not None and file not in found:
                found[file] = source
                waiting += _NAMED.findall(source.decode())
        if not found:
            raise KeyError(name)
        return found

    def _messages(self, source: bytes) -> list[str]:
        digest = hashlib.blake2b(source, digest_size=DIGEST_SIZE).hexdigest()
        found = self.messages.get(digest)
        if found is None:
            found = self.messages[digest] = sorted(_extracted(source))
        return found


def _extracted(source: bytes) -> set[str]:
    found: set[str] = set()
    rows = babel_extract(io.BytesIO(source), [*KEYWORDS], [], TEMPLATE_OPTIONS)
    for _, function, message, _ in rows:
        words = [message] if isinstance(message, str) else [word for word in message or () if word]
        context = words.pop(0) + "\4" if "pgettext" in function else ""
        found |= {context + word for word in words}
    return found
