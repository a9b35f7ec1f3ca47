"""One Chromium for all tests that need one: playwright allows no second one beside it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest
from sample_site import ARGUMENTS, chromium_path, no_browser


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A Chromium; install Debian's `chromium` or set VRAMSITE_CHROMIUM to have these tests."""
    path = chromium_path()
    if path is None:
        no_browser("no Chromium: apt-get install chromium, or set VRAMSITE_CHROMIUM to its path")
    if find_spec("playwright") is None:
        no_browser("playwright is not installed: pip install playwright")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield chromium
        chromium.close()
