"""A Chromium that looks at a folder served on this machine."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def page_over(browser: Any, folder: Path) -> Iterator[Any]:
    """A page whose scripts may import the folder's modules."""
    (folder / "index.html").write_text("<!doctype html><title>conformance</title>")
    handler = functools.partial(_Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        page = browser.new_page()
        try:
            page.goto(f"http://127.0.0.1:{server.server_address[1]}/")
            yield page
        finally:
            page.close()
            server.shutdown()
            thread.join()
