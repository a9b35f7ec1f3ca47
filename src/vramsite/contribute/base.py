"""The state to compare with: a folder, or a revision of git, with its own code where it can."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vramsite.catalog import CatalogError
from vramsite.contribute.snapshot import snapshot

TIMEOUT_S = 600


class BaseError(ValueError):
    """A base that cannot be compared with; the message says why."""


@dataclass(frozen=True, slots=True)
class Base:
    """The numbers of a base, and with which code they were calculated."""

    name: str
    numbers: dict[str, Any]
    own_code: bool


def read_base(base: str, root: Path) -> Base:
    """Numbers of a folder (data/ or a checkout), or of a git revision. Raises BaseError."""
    folder = Path(base)
    if folder.is_dir():
        return _of_folder(base, folder)
    with tempfile.TemporaryDirectory(prefix="vramsite-base-") as place:
        _unpack(base, root, Path(place))
        return _of_folder(base, Path(place))


def _of_folder(name: str, folder: Path) -> Base:
    data = folder if (folder / "models").is_dir() else folder / "data"
    if not (data / "models").is_dir():
        raise BaseError(f"{name}: holds no data/models; name a checkout, data/, or a revision")
    if (data.parent / "src" / "vramsite").is_dir():
        numbers = _by_own_code(data)
        if numbers is not None:
            return Base(name, numbers, own_code=True)
    try:
        return Base(name, snapshot(data), own_code=False)
    except CatalogError as error:
        reason = f"{error.faults[0]}; {len(error.faults)} faults in all"
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
    raise BaseError(f"{name}: this code cannot read that data ({reason})")


def _by_own_code(data: Path) -> dict[str, Any] | None:
    # This file's neighbour, run by that revision's modules: it needs only catalog and sizer.
    environment = {**os.environ, "PYTHONPATH": str(data.parent / "src")}
    program = Path(__file__).with_name("snapshot.py")
    command = [sys.executable, "-P", str(program), str(data)]
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=True
        )
        found = json.loads(done.stdout)
    except (subprocess.SubprocessError, OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _unpack(revision: str, root: Path, place: Path) -> None:
    if revision.startswith("-"):
        raise BaseError(f"{revision}: is no revision")
    command = ["git", "-C", str(root), "archive", "--format=tar", revision, "data", "src"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=True)
    except FileNotFoundError as error:
        raise BaseError("git is not installed; name a folder instead of a revision") from error
    except subprocess.CalledProcessError as error:
        reason = error.stderr.decode("utf-8", "replace").strip()
        raise BaseError(f"{revision}: no such folder or revision ({reason})") from error
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(place, filter="data")
