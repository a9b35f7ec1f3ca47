"""Build, serve on this machine, build again on every change, and tell open pages to reload.

Served pages get one script more than built ones; it asks the server for the number of the build
it shows and reloads when that has changed. A build that fails leaves the last good one in place,
and the page says so. Only this machine can ask, and only for files of the site: no other path, no
link that leads out, no list of a folder.
"""

from __future__ import annotations

import functools
import html
import os
import sys
import threading
import urllib.parse
from collections.abc import Callable, Iterable
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from vramsite.site.build import BuildSummary, build_site
from vramsite.site.executor import BuildError
from vramsite.site.publish import PublishError
from vramsite.site.spec import BuildSpec

RELOAD_PATH = "/__reload.js"
VERSION_PATH = "/__version"
RELOAD_SCRIPT = """\
let shown = null;
async function ask() {
  try {
    const answer = await fetch("/__version", { cache: "no-store" });
    const [version, ...trouble] = (await answer.text()).split("\\n");
    if (shown !== null && version !== shown) { location.reload(); return; }
    shown = version;
    say(trouble.join("\\n"));
  } catch { /* the server is away: ask again */ }
  setTimeout(ask, 700);
}
function say(trouble) {
  let place = document.getElementById("build-failed");
  if (!trouble) { place?.remove(); return; }
  if (!place) {
    place = document.createElement("pre");
    place.id = "build-failed";
    place.setAttribute("role", "alert");
    document.body.prepend(place);
  }
  if (place.textContent !== trouble) place.textContent = trouble;
}
ask();
"""
MOST_WAITING = 256  # connections that have not been looked at yet
SLOW_CLIENT_S = 20.0  # a client may be so long silent before it is hung up on
FAILED = "The last build failed; this is the last good site."
NO_SITE = "The build failed, and there is no earlier site to show."
_TAG = f'<script src="{RELOAD_PATH}" defer></script>'.encode()
_BODY_END = b"</body>"

Say = Callable[[str], None]


class SiteServer(ThreadingHTTPServer):
    """A server for one output folder under a base path; ``version`` counts the good builds.

    ``trouble`` is why the last build failed, "" where it did not.
    """

    daemon_threads = True
    request_queue_size = MOST_WAITING

    def __init__(self, folder: Path, base_path: str, port: int, reload: bool = True) -> None:
        self.folder = folder
        self.base_path = base_path
        self.reload = reload
        self.version = 1
        self.trouble = ""
        handler = functools.partial(SiteHandler, directory=str(folder))
        super().__init__(("127.0.0.1", port), handler)

    @property
    def url(self) -> str:
        """The address of the site's root page."""
        return f"http://127.0.0.1:{self.server_address[1]}{self.base_path}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class SiteHandler(SimpleHTTPRequestHandler):
    """Answers with files of the site, the reload script and the build's number."""

    server: SiteServer
    timeout = SLOW_CLIENT_S

    def do_GET(self) -> None:
        """One file, or one of the two addresses of the reload script."""
        path = urllib.parse.urlsplit(self.path).path
        if path == VERSION_PATH:
            trouble = f"\n{FAILED}\n\n{self.server.trouble}" if self.server.trouble else ""
            text = f"{self.server.version}{trouble}"
            self._answer(text.encode(errors="replace"), "text/plain; charset=utf-8")
        elif path == RELOAD_PATH:
            self._answer(RELOAD_SCRIPT.encode(), "text/javascript; charset=utf-8")
        elif self.server.reload and (page := self._page(path)) is not None:
            content = page.replace(_BODY_END, _TAG + _BODY_END)
            self._answer(content, "text/html; charset=utf-8")
        else:
            super().do_GET()

    def _page(self, path: str) -> bytes | None:
        file = Path(self.translate_path(path))
        if path.endswith("/"):
            file = file / "index.html"
        try:
            return file.read_bytes() if file.suffix == ".html" and file.is_file() else None
        except OSError:  # a new site was just put in its place
            return None

    def translate_path(self, path: str) -> str:
        """The file of an address: the base path stands for the folder itself."""
        base = self.server.base_path
        nowhere = str(self.server.folder / "does-not-exist")
        if not path.startswith(base):
            return nowhere
        file = super().translate_path("/" + path.removeprefix(base))
        if "\0" in file:
            return nowhere
        real, folder = os.path.realpath(file), os.path.realpath(self.server.folder)
        return file if real == folder or real.startswith(folder + os.sep) else nowhere

    def list_directory(self, path: str | os.PathLike[str]) -> None:
        """A folder without a page is no page."""
        self.send_error(HTTPStatus.NOT_FOUND)

    def _answer(self, content: bytes, content_type: str) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def end_headers(self) -> None:
        """Keep the browser from showing yesterday's build."""
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """The site's own 404 page, where it has one."""
        content = self._not_found() if code == HTTPStatus.NOT_FOUND else None
        if content is not None:
            self.send_response(code)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        else:
            super().send_error(code, message, explain)

    def _not_found(self) -> bytes | None:
        try:
            return (self.server.folder / "404.html").read_bytes()
        except OSError:
            if not self.server.trouble:
                return None
        why = html.escape(f"{NO_SITE}\n\n{self.server.trouble}")
        page = f'<!doctype html><html lang="en"><title>No site yet</title><body><pre>{why}</pre>'
        return page.encode(errors="replace") + (_TAG if self.server.reload else b"") + _BODY_END

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet: the builds are what the terminal is for."""


class Rebuilder:
    """Builds a spec into a folder again and again, and survives a build that fails."""

    def __init__(self, spec: BuildSpec, output: Path, jobs: int | None, say: Say) -> None:
        self._spec = spec
        self._output = output
        self._jobs = jobs
        self._say = say
        self.trouble = ""

    def build(self) -> BuildSummary | None:
        """One build; None when it failed, after saying why (``trouble`` keeps it)."""
        try:
            summary = build_site(self._spec, self._output, self._jobs)
        except (BuildError, PublishError, OSError) as error:  # such as a full disk
            self.trouble = str(error)
            self._say(f"{error}\nThe build failed; the last good site stays.")
            return None
        self.trouble = ""
        self._say(summary.text())
        return summary

    def follow(self, server: SiteServer, changes: Iterable[object]) -> None:
        """Build once for each of ``changes`` and count up the server's version when it worked."""
        for _ in changes:
            if self.build() is not None:
                server.version += 1
            server.trouble = self.trouble


def watched_folders(spec: BuildSpec) -> list[str]:
    """What a change of means a new build."""
    return [spec.data_dir, spec.templates_dir, spec.locales_dir]


def serve_site(
    spec: BuildSpec,
    output: Path,
    port: int = 8000,
    jobs: int | None = None,
    say: Say = print,
    stop: threading.Event | None = None,
) -> None:
    """Build, serve on 127.0.0.1 and follow changes until interrupted or ``stop`` is set.

    Without any good build to show, it still serves (nothing) and waits for the repair.
    """
    from watchfiles import watch

    rebuilder = Rebuilder(spec, output.absolute(), jobs, say)
    rebuilder.build()
    with SiteServer(output.absolute(), spec.urls.base_path, port) as server:
        server.trouble = rebuilder.trouble
        threading.Thread(target=server.serve_forever, daemon=True).start()
        say(f"Serving {server.url} (Ctrl-C ends it)")
        changes = watch(*watched_folders(spec), stop_event=stop, raise_interrupt=False)
        try:
            rebuilder.follow(server, changes)
        finally:
            server.shutdown()
