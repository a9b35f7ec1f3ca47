"""Running compiled modules in Node, or saying why not."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

HERE = Path(__file__).resolve().parent


def missing(reason: str) -> NoReturn:
    """Skip, or fail where the environment says that nothing may be skipped."""
    if os.environ.get("VRAMSITE_REQUIRE_BROWSER"):
        pytest.fail(reason)
    pytest.skip(reason)


def node() -> str:
    """The Node to run modules with: that of the environment, the one playwright brings, or any."""
    path = os.environ.get("VRAMSITE_NODE") or playwright_node() or shutil.which("node")
    if path is None:
        missing("no Node: install Node 20 or later, or set VRAMSITE_NODE to its path")
    return path


def playwright_node() -> str | None:
    """The Node that playwright's driver runs on, where playwright is installed."""
    try:
        from playwright._impl._driver import compute_driver_executable
    except ImportError:
        return None
    path = Path(compute_driver_executable()[0])
    return str(path) if path.is_file() else None


def run_node(script: Path, *arguments: str, text: str = "", timeout_s: float = 120.0) -> str:
    """What a script prints. Raises AssertionError with its error output where it fails."""
    done = subprocess.run(
        [node(), str(script), *arguments],
        input=text,
        capture_output=True,
        encoding="utf-8",
        timeout=timeout_s,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def write_scripts(folder: Path) -> None:
    """Puts the scripts that read an own model's config into a folder, as Node loads modules."""
    for name in ("own-model-json", "own-model-read"):
        script = (HERE.parents[1] / f"templates/assets/js/{name}.js").read_text(encoding="utf-8")
        script = script.replace("own-model-json.js", "own-model-json.mjs")
        (folder / f"{name}.mjs").write_text(script, encoding="utf-8")
