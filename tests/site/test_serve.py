from __future__ import annotations

import re
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from vramsite.site.build import build_site
from vramsite.site.serve import RELOAD_PATH, Rebuilder, SiteServer, serve_site
from vramsite.site.spec import BuildSpec


@pytest.fixture
def server(project: BuildSpec, output: Path) -> Iterator[SiteServer]:
    build_site(project, output, jobs=1)
    with SiteServer(output, project.urls.base_path, port=0) as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def get(server: SiteServer, path: str) -> str:
    root = server.url.removesuffix(server.base_path)
    with urllib.request.urlopen(root + path, timeout=10) as answer:
        return str(answer.read().decode())


def test_pages_are_served_below_the_base_path_with_the_reload_script(server: SiteServer) -> None:
    page = get(server, "/repo/en/models/beta/large/")
    assert "204.19\u00a0GiB" in page
    assert f'<script src="{RELOAD_PATH}" defer></script></body>' in page
    assert "location.reload" in get(server, RELOAD_PATH)
    assert "base_path" not in page


def test_the_built_pages_have_no_such_script(server: SiteServer) -> None:
    assert RELOAD_PATH not in (server.folder / "en/index.html").read_text()


def test_it_listens_on_this_machine_only(server: SiteServer) -> None:
    assert server.server_address[0] == "127.0.0.1"


@pytest.mark.parametrize("path", ["/en/", "/repo/nowhere/", "/repo/../project/data/.keep"])
def test_what_is_not_of_the_site_is_not_found(server: SiteServer, path: str) -> None:
    with pytest.raises(urllib.error.HTTPError, match="404") as caught:
        get(server, path)
    caught.value.close()


def test_changes_are_built_and_announced_and_a_broken_one_is_survived(
    server: SiteServer, project: BuildSpec, output: Path
) -> None:
    template = Path(project.templates_dir) / "page.html"
    good = template.read_text()
    said: list[str] = []

    def changes() -> Iterator[None]:
        template.write_text(good.replace("<h1>", "<h1>New: "))
        yield
        assert get(server, "/__version") == "2"
        assert "<h1>New: Memory" in get(server, "/repo/en/")
        template.write_text("{% if %}")
        yield
        assert get(server, "/__version").startswith("2\nThe last build failed")
        assert "<h1>New: Memory" in get(server, "/repo/en/")
        template.write_text(good)
        yield
        assert get(server, "/__version") == "3"

    Rebuilder(project, output, 1, said.append).follow(server, changes())
    assert "<h1>Memory" in get(server, "/repo/en/")
    assert len(said) == 3
    assert "The build failed" in said[1]
    assert "page.html" in said[1] or "TemplateSyntaxError" in said[1]


def test_a_file_that_changes_is_noticed(project: BuildSpec, output: Path) -> None:
    said: list[str] = []
    stop = threading.Event()
    arguments = (project, output, 0, 1, said.append, stop)
    thread = threading.Thread(target=serve_site, args=arguments)
    thread.start()

    def wait_for(pattern: str) -> str:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            for line in said:
                if (match := re.search(pattern, line)) is not None:
                    return match.group(0)
            time.sleep(0.02)
        raise AssertionError(f"never said {pattern}: {said}")

    try:
        url = wait_for(r"http://127\.0\.0\.1:\d+/repo/")
        time.sleep(0.3)  # until the folders are watched
        said.clear()
        style = Path(project.templates_dir) / "assets/style.css"
        style.write_text("h1 { margin: 1px }")
        wait_for("pages/s")
        deadline = time.monotonic() + 10
        version = url.removesuffix("/repo/") + "/__version"
        while time.monotonic() < deadline:
            with urllib.request.urlopen(version, timeout=10) as answer:
                if answer.read() == b"2":
                    break
        else:
            raise AssertionError("the version never changed")
    finally:
        stop.set()
        thread.join()
