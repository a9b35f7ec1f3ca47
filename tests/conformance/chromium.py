"""A Chromium that looks at a folder served on this machine."""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "browser"))
from sample_site import ARGUMENTS, chromium_path, no_browser


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def page_over(folder: Path) -> Iterator[Any]:
    """A page whose scripts may import the folder's modules."""
    path = chromium_path()
    if path is None:
        no_browser("no Chromium: apt-get install chromium, or set VRAMSITE_CHROMIUM to its path")
    if find_spec("playwright") is None:
        no_browser("playwright is not installed: pip install playwright")
    from playwright.sync_api import sync_playwright

    (folder / "index.html").write_text("<!doctype html><title>conformance</title>")
    handler = functools.partial(_Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
                page = browser.new_page()
                page.goto(f"http://127.0.0.1:{server.server_address[1]}/")
                yield page
                browser.close()
        finally:
            server.shutdown()
            thread.join()
