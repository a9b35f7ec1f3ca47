"""One Chromium for all tests that need one, and which tests stay together in a parallel run.

Playwright allows no second Chromium beside the first, and a built site is made once a process: with
``pytest -n 2 --dist loadgroup`` the tests of one such thing run in one process, all others by file.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest
from sample_site import ARGUMENTS, chromium_path, no_browser

_TOGETHER = ("full_site", "browser")
"""Fixtures that cost too much to be made in two processes."""


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Name the group of each test; without xdist the name means nothing."""
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        shared = [name for name in _TOGETHER if name in fixtures]
        item.add_marker(pytest.mark.xdist_group(shared[0] if shared else str(item.path)))


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
