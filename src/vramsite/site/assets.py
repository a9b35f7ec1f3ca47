"""Styles, scripts and images: copied from templates/assets under a name that tells the content.

All assets of a build lie in one folder called after the hash of everything in it, so that a
script may import its neighbour by its plain name and a browser may keep them for ever.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vramsite.site.writing import Writer

_HASH_LENGTH = 12


class AssetError(KeyError):
    """A template asks for an asset that is not there."""


@dataclass(frozen=True, slots=True)
class Assets:
    """The files of one build: ``files`` maps a name (``style.css``) to its bytes.

    ``folder`` is the address of their folder below the base path (``assets/3f…/``), ``hashes``
    what a page says of those it asks for, so that a browser takes no others.
    """

    files: dict[str, bytes]
    folder: str
    hashes: dict[str, str] = field(default_factory=dict)

    @classmethod
    def from_files(cls, files: dict[str, bytes]) -> Assets:
        """Assets that a caller already holds; order does not matter."""
        digest = hashlib.sha256()
        for name, content in sorted(files.items()):
            digest.update(f"{name}\0{len(content)}\0".encode())
            digest.update(content)
        folder = f"assets/{digest.hexdigest()[:_HASH_LENGTH]}/"
        ordered = dict(sorted(files.items()))
        return cls(ordered, folder, {name: _integrity(one) for name, one in ordered.items()})

    @classmethod
    def from_folder(cls, folder: Path, generated: dict[str, bytes] | None = None) -> Assets:
        """Every file below ``folder`` (hidden ones left out) and those made by the build."""
        files = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and not path.name.startswith(".")
        }
        return cls.from_files(files | (generated or {}))

    @classmethod
    def kept(cls, folder: str, *names: str) -> Assets:
        """Those of the last site, as its `to_keep` told: the files lie there already."""
        hashes = dict(one.split("=", 1) for one in names)
        return cls(dict.fromkeys(hashes, b""), folder, hashes)

    def to_keep(self) -> tuple[str, ...]:
        """The folder, and each file as name=hash: what the next build needs of them."""
        return (self.folder, *(f"{name}={digest}" for name, digest in self.hashes.items()))

    def relative(self, name: str) -> str:
        """The address of one asset below the base path.

        Raises:
            AssetError: no such asset; the message lists those there are.
        """
        if name not in self.files:
            raise AssetError(f"no asset {name!r}; there are: {', '.join(self.files)}")
        return self.folder + name

    def integrity(self, name: str) -> str:
        """The hash of one asset for the attribute of that name.

        Raises:
            AssetError: no such asset.
        """
        self.relative(name)
        return self.hashes[name]

    def write(self, output: Writer) -> None:
        """Write every asset."""
        for name, content in self.files.items():
            output.write(self.folder + name, content)


def _integrity(content: bytes) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(content).digest()).decode()}"
