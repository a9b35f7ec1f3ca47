"""`vramsite serve`: this machine only, the site only, many and slow clients, bad builds."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from vramsite.site import serve
from vramsite.site.serve import FAILED, NO_SITE, Rebuilder, SiteServer

SECRET = "nobody may read this"
PAGE = "<!doctype html><html><head><title>x</title></head><body><h1>The site</h1></body></html>"
ANSWERS_WITHIN_S = 30.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    out = tmp_path / "out"
    (out / "en").mkdir(parents=True)
    (out / "assets").mkdir()
    (out / "assets" / "a.css").write_text("h1 { }")
    (out / "index.html").write_text(PAGE)
    (out / "en" / "index.html").write_text(PAGE)
    (out / "404.html").write_text(PAGE.replace("The site", "Not here"))
    (tmp_path / "secret.txt").write_text(SECRET)
    (tmp_path / "secret.html").write_text(SECRET)
    (tmp_path / "out2").mkdir()
    (tmp_path / "out2" / "secret.html").write_text(SECRET)
    (out / "link.html").symlink_to(tmp_path / "secret.html")
    (out / "up").symlink_to(tmp_path)
    return out


@pytest.fixture(params=["/", "/repo/"])
def server(folder: Path, request: pytest.FixtureRequest) -> Iterator[SiteServer]:
    yield from running(folder, request.param)


def running(folder: Path, base_path: str) -> Iterator[SiteServer]:
    with SiteServer(folder, base_path, port=0) as site:
        thread = threading.Thread(target=site.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield site
        site.shutdown()
        thread.join()


def raw(server: SiteServer, request: bytes) -> bytes:
    """Whatever the server answers to these bytes."""
    with socket.create_connection(server.server_address[:2], timeout=10) as client:
        client.sendall(request)
        client.shutdown(socket.SHUT_WR)
        answer = b""
        while piece := client.recv(65536):
            answer += piece
    return answer


def get(server: SiteServer, path: str) -> tuple[int, str]:
    client = http.client.HTTPConnection(*server.server_address[:2], timeout=ANSWERS_WITHIN_S)
    try:
        client.request("GET", path)
        answer = client.getresponse()
        return answer.status, answer.read().decode()
    finally:
        client.close()


PATHS = [
    "../secret.txt", "../secret.html", "..%2fsecret.txt", "%2e%2e/secret.txt",
    "%2e%2e%2fsecret.txt", "..%5csecret.txt", "..\\secret.txt",
    "....//secret.txt", "%252e%252e/secret.txt",
    "en/../../secret.txt", "en/%2e%2e/%2e%2e/secret.html", "/../secret.txt", "//../secret.txt",
    "../out2/secret.html", "link.html", "up/secret.txt", "up/secret.html", "up/out2/secret.html",
    "up/", "%00", "en/%00/../../secret.txt", "index.html%00.txt", "/etc/passwd", "//etc/passwd",
    "file:///etc/passwd", "~root/", "%ff%fe", "?../../secret.txt/..", "assets/", "en", "a" * 60_000,
]  # fmt: skip


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path[:30])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_no_path_leads_out_of_the_site(server: SiteServer, method: str, path: str) -> None:
    address = server.base_path + path
    answer = raw(server, f"{method} {address} HTTP/1.0\r\n\r\n".encode("latin-1"))
    status = answer.split(b"\r\n", 1)[0]
    assert status.startswith(b"HTTP/"), answer[:80]
    assert SECRET.encode() not in answer
    assert b"root:" not in answer
    assert b"Directory listing" not in answer
    if path not in ("en", "?../../secret.txt/.."):  # the page, and the way to it
        assert status.split()[1] in (b"404", b"400", b"414"), answer[:200]


@pytest.mark.parametrize(
    "request_text",
    [
        b"\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\x00" * 40,
        b"POST / HTTP/1.0\r\nContent-Length: 9999999999\r\n\r\n", b"PUT /x HTTP/1.0\r\n\r\n",
        b"GET / HTTP/1.0\r\n" + b"A: b\r\n" * 5000 + b"\r\n",
        b"DELETE /index.html HTTP/1.0\r\n\r\n",
    ],
    ids=lambda text: repr(text[:16]),
)  # fmt: skip
def test_odd_requests_harm_nobody(folder: Path, request_text: bytes) -> None:
    for server in running(folder, "/"):
        raw(server, request_text)
        assert get(server, "/en/")[0] == 200
        assert (folder / "index.html").read_text() == PAGE


def test_only_this_machine_can_ask(folder: Path) -> None:
    for server in running(folder, "/"):
        host, port = server.server_address[:2]
        assert host == "127.0.0.1"
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("192.0.2.1", 9))  # nothing is sent: this only picks an own address
            own = probe.getsockname()[0]
        with pytest.raises(OSError, match=r"refused|unreachable"):
            socket.create_connection((own, port), timeout=5).close()


def test_two_hundred_clients_at_once(folder: Path) -> None:
    for server in running(folder, "/"):
        start = threading.Barrier(200)

        def ask(number: int, server: SiteServer = server, start: Any = start) -> int:
            start.wait(ANSWERS_WITHIN_S)
            status, text = get(server, "/en/" if number % 2 else "/assets/a.css")
            assert "The site" in text if number % 2 else text == "h1 { }"
            return status

        with ThreadPoolExecutor(200) as pool:
            assert list(pool.map(ask, range(200))) == [200] * 200


def test_slow_clients_keep_nobody_waiting_and_are_hung_up_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve.SiteHandler, "timeout", 1.0)
    for server in running(folder, "/"):
        address = server.server_address[:2]
        slow = [socket.create_connection(address, timeout=20) for _ in range(60)]
        try:
            for client in slow:
                client.sendall(b"GET /en/ HT")
            started = time.monotonic()
            assert get(server, "/en/")[0] == 200
            assert time.monotonic() - started < ANSWERS_WITHIN_S / 2
            for client in slow:
                assert client.recv(1000) == b""  # hung up
        finally:
            for client in slow:
                client.close()


def test_a_page_that_vanishes_between_two_looks_is_not_found(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(path: Path) -> bytes:
        raise FileNotFoundError(path)

    for server in running(folder, "/"):
        monkeypatch.setattr(Path, "read_bytes", gone)
        (folder / "en" / "index.html").unlink()
        assert get(server, "/en/")[0] == 404
        monkeypatch.undo()
        assert get(server, "/")[0] == 200


def failing_rebuilder(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> Rebuilder:
    def build(*given: object) -> None:
        raise serve.BuildError(text)

    monkeypatch.setattr(serve, "build_site", build)
    return Rebuilder(None, folder, 1, lambda text: None)  # type: ignore[arg-type]


def test_a_broken_rebuild_is_said_in_the_page(
    folder: Path, monkeypatch: pytest.MonkeyPatch, browser: Any
) -> None:
    text = "data/gpus/x.yaml:3: tdp_w: found <img src=x onerror=alert(1)>; must be a number"
    for server in running(folder, "/"):
        page = browser.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error, errors=errors: errors.append(str(error)))
        page.goto(server.url)
        assert page.locator("#build-failed").count() == 0
        failing_rebuilder(folder, monkeypatch, text).follow(server, [None])
        alert = page.locator("#build-failed")
        alert.wait_for(timeout=10_000)
        assert FAILED in alert.inner_text()
        assert text in alert.inner_text()
        assert page.locator("h1").inner_text() == "The site"
        server.trouble = ""  # it is repaired: the page is new
        server.version += 1
        page.wait_for_function("!document.getElementById('build-failed')", timeout=10_000)
        assert errors == []
        page.close()


def test_without_any_site_the_page_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rebuilder = failing_rebuilder(tmp_path / "nothing", monkeypatch, "page <b>x</b> failed")
    assert rebuilder.build() is None
    for server in running(tmp_path / "nothing", "/"):
        server.trouble = rebuilder.trouble
        status, text = get(server, "/")
        assert status == 404
        assert NO_SITE in text
        assert "page &lt;b&gt;x&lt;/b&gt; failed" in text
        assert serve.RELOAD_PATH in text
