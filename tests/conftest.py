"""One Chromium for all tests that need one, and which tests stay together in a parallel run.

Playwright allows no second Chromium beside the first in one process, and a built site is made once
a process.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest
from sample_site import ARGUMENTS, chromium_path, no_browser

_TOGETHER = ("browser", "fullsite")
"""Folders of tests whose site, and Chromium, cost too much to be made in two processes."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """In a parallel run (``-n 2``) those folders stay whole, all other tests go by file."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            path = nodeid.partition("::")[0]
            folder = path.split("/")[1] if path.count("/") > 1 else ""
            return folder if folder in _TOGETHER else path

    return ByFile(config, log)


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
