"""Everything a site is made from, as digests: what has changed since the last build.

A file is looked at by size and time first; only one that differs there is read. A time so fresh
that a later write could have the same is not trusted. Files that single pages are traced to (see
`vramsite.catalog.trace`) are told from those that make every page anew when they change: code,
rules of the engine, coefficients, versions of libraries.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from vramsite.site.spec import BuildSpec

PACKAGE = Path(__file__).resolve().parents[1]
LIBRARIES = ("jinja2", "markupsafe", "babel", "pydantic", "pyyaml", "markdown", "pillow")
TRACED = ("models", "gpus", "cloud", "side", "measurements", "evidence")
"""Folders of data/ whose reading is noted; the rest of data/ is rules."""

_FRESH_NS = 2_000_000_000
_NOT_RULES = ("data_dir", "templates_dir", "locales_dir", "search_path", "shard", "kept_assets")


@dataclass(frozen=True, slots=True)
class FileState:
    """A file as it was read; ``mtime_ns`` 0 means: look into it the next time."""

    size: int
    mtime_ns: int
    digest: bytes


@dataclass(frozen=True, slots=True)
class Inputs:
    """All input files by name ("data/models/…", "package/site/…"), and the spec."""

    files: dict[str, FileState]
    spec: BuildSpec

    @classmethod
    def read(cls, spec: BuildSpec, last: Mapping[str, FileState] | None = None) -> Inputs:
        """Look at every file; ``last`` is what the build before saw."""
        now = time.time_ns()
        known = last or {}
        files = {
            name: _state(path, known.get(name), now)
            for prefix, folder in folders(spec)
            for name, path in _files(prefix, folder)
        }
        return cls(files, spec)

    def same_files(self, other: Mapping[str, FileState]) -> bool:
        """Whether the files have the content they had."""
        return self._digests(self.files) == self._digests(other)

    @staticmethod
    def _digests(files: Mapping[str, FileState]) -> dict[str, bytes]:
        return {name: state.digest for name, state in files.items()}

    def rules(self) -> str:
        """One digest of what makes every page anew."""
        spec = {name: value for name, value in asdict(self.spec).items() if name not in _NOT_RULES}
        hasher = hashlib.sha256(json.dumps(spec, sort_keys=True).encode())
        hasher.update(repr([platform.python_version(), *_versions()]).encode())
        for name, state in sorted(self.files.items()):
            if _is_rule(name):
                hasher.update(name.encode() + b"\0" + state.digest)
        return hasher.hexdigest()

    def below(self, *prefixes: str) -> str:
        """One digest of all files whose names begin so."""
        hasher = hashlib.sha256()
        for name, state in sorted(self.files.items()):
            if name.startswith(prefixes):
                hasher.update(name.encode() + b"\0" + state.digest)
        return hasher.hexdigest()

    def everything(self) -> str:
        """One digest of all there is: shards of one site have the same."""
        return hashlib.sha256((self.rules() + self.below("")).encode()).hexdigest()


def folders(spec: BuildSpec) -> list[tuple[str, Path]]:
    """Where input files lie, each with the beginning of their names."""
    found = [
        ("data", Path(spec.data_dir)),
        ("templates", Path(spec.templates_dir)),
        ("locales", Path(spec.locales_dir)),
        ("package", PACKAGE),
    ]
    return found + [(f"path{index}", Path(one)) for index, one in enumerate(spec.search_path)]


def _is_rule(name: str) -> bool:
    top, _, rest = name.partition("/")
    if top == "data":
        return rest.partition("/")[0] not in TRACED
    return top not in ("templates", "locales")


def _versions() -> Iterator[str]:
    for library in LIBRARIES:
        try:
            yield f"{library} {version(library)}"
        except PackageNotFoundError:
            yield library


def _files(prefix: str, folder: Path) -> Iterable[tuple[str, Path]]:
    base = str(folder)
    for parent, inner, names in os.walk(base):
        inner[:] = [name for name in inner if name != "__pycache__"]
        below = parent[len(base) :].replace(os.sep, "/")
        for name in names:
            if not name.endswith(".pyc"):
                yield f"{prefix}{below}/{name}", Path(parent, name)


def _state(path: Path, last: FileState | None, now: int) -> FileState:
    status = path.stat()
    mtime = status.st_mtime_ns
    if last is not None and mtime and (last.size, last.mtime_ns) == (status.st_size, mtime):
        return last
    digest = hashlib.blake2b(path.read_bytes(), digest_size=16).digest()
    return FileState(status.st_size, mtime if mtime < now - _FRESH_NS else 0, digest)


def assets_from(inputs: Inputs) -> str:
    """One digest of the files that assets are made from, apart from the rules."""
    return inputs.below("templates/assets/", "templates/components/", "locales/")
