"""The names behind the search box, each with further words that people look for it by.

The further words follow from the catalog by rule: the maker, the id, the repository's name, the
size a model is called after, the memory a device is sold with. The script splits names and words
where letters meet digits, and also matches neighbours written as one ("rtx4090", "m3ultra").
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from vramsite.site.machine.encode import json_bytes

if TYPE_CHECKING:
    from vramsite.catalog import Catalog, GpuRecord, ModelRecord

_SEPARATOR = re.compile(r"[^\w.]+|_+|(?<!\d)\.|\.(?!\d)")
_PIECE = re.compile(r"\d+(?:\.\d+)*|[^\W\d_]+")


def words_of(text: str) -> list[str]:
    """The words of a name: lower case, without accents, 3.3 as one word."""
    plain = unicodedata.normalize("NFKD", text.lower())
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return [word for word in _SEPARATOR.split(plain) if word]


def pieces_of(word: str) -> list[str]:
    """A word cut where letters meet digits: qwen3 is qwen and 3."""
    return _PIECE.findall(word)


def _number(value: float) -> str:
    return f"{value:.4g}"


def further_words(name: str, *texts: str) -> str:
    """Words of ``texts`` that the name does not hold, in alphabetical order."""
    known = set(words_of(name))
    known |= {piece for word in known for piece in pieces_of(word)}
    found = {word for text in texts for word in words_of(text)}
    return " ".join(
        sorted(
            word
            for word in found - known
            if not all(piece in known for piece in pieces_of(word)) or not pieces_of(word)
        )
    )


def model_words(model: ModelRecord) -> str:
    """What a model is also looked for by; sizes above 999B are written in T too."""
    billions = model.params_headline_b
    sizes = f"{_number(billions)}b"
    if billions >= 1000:
        sizes += f" {_number(billions / 1000)}t"
    return further_words(model.name, model.vendor, model.id, model.hf_repo, sizes)


def device_words(gpu: GpuRecord) -> str:
    """What a device is also looked for by."""
    return further_words(gpu.name, gpu.vendor, gpu.id, f"{_number(gpu.memory_gb)}gb")


def search_index(catalog: Catalog, schema: str) -> bytes:
    """`[id, name, further words]` of every model and device; ``schema`` is an address."""
    return json_bytes(
        {
            "models": [[m.id, m.name, model_words(m)] for m in catalog.models.values()],
            "devices": [[g.id, g.name, device_words(g)] for g in catalog.gpus.values()],
            "schema": schema,
        }
    )
