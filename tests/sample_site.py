"""Which part of the real site the browser looks at, and which browser."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest

from vramsite.site.i18n import discover_locales

ROOT = Path(__file__).resolve().parents[1]
MODELS = ("qwen3-8b", "glm-4.5", "gemma-4-31b-it", "qwen3-0.6b")
DEVICES = ("rtx-4090", "mac-studio-m3-ultra-512gb", "h200-141gb-sxm", "t4-16gb")
LOCALES = discover_locales(ROOT / "locales")

PAGES = {
    "home": "",
    "models": "models/",
    "model": "models/glm-4.5/",
    "every-device": "every-device/glm-4.5/",
    "devices": "devices/",
    "device": "devices/rtx-4090/",
    "device-unified": "devices/mac-studio-m3-ultra-512gb/",
    "pair-fits": "models/qwen3-8b/rtx-4090/",
    "pair-unified": "models/glm-4.5/mac-studio-m3-ultra-512gb/",
    "pair-exceeds": "models/glm-4.5/t4-16gb/",
    "pair-vision": "models/gemma-4-31b-it/h200-141gb-sxm/",
    "find": "find/",
    "compare": "compare/",
    "vendors": "vendors/",
    "vendor": "vendors/qwen/",
    "family": "families/qwen3/",
    "methodology": "methodology/",
    "accuracy": "accuracy/",
    "about": "about/",
    "contributing": "contributing/",
    "imprint": "imprint/",
    "api": "api/",
    "badges": "badges/",
}
"""What is looked at: a name → the address below the locale."""

ADDRESSES = [f"{locale}/{path}" for locale in LOCALES for path in PAGES.values()] + ["", "404.html"]

_CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_MAC_CHROME = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
]


def chromium_path() -> str | None:
    """The browser to drive: the one of the environment, or the first one installed."""
    named = os.environ.get("VRAMSITE_CHROMIUM")
    if named:
        return named
    found = [path for name in _CHROMIUMS if (path := shutil.which(name))]
    if not found and Path(_MAC_CHROME).exists():
        found = [_MAC_CHROME]
    return found[0] if found else None


def no_browser(reason: str) -> NoReturn:
    """Skip, or fail where the environment says that the browser tests must run."""
    if os.environ.get("VRAMSITE_REQUIRE_BROWSER"):
        pytest.fail(reason)
    pytest.skip(reason)
