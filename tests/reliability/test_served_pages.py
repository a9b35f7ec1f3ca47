"""What a host serves: a strict policy on every page, headers, hashes, nothing of this machine."""

from __future__ import annotations

import base64
import hashlib
import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from small_catalog import ROOT
from trees import html_tree

from vramsite.site.pages import page_kinds
from vramsite.site.render import CSP
from vramsite.site.serve import SiteServer
from vramsite.site.sitemap import SECURITY_HEADERS

TEXTS = (".html", ".json", ".js", ".css", ".txt", ".xml", ".svg", ".csv", "")
EMBEDDED = re.compile(r"(?:/root/|/home/|/tmp/|/usr/|file://|[A-Z]:\\\\)")


def tags(path: Path, name: str) -> list[dict[str, str]]:
    found = html_tree(path.read_bytes())
    return [dict(item[1]) for item in found if isinstance(item, tuple) and item[0] == name]


def pages(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def test_every_kind_of_page_is_looked_at(built: Path) -> None:
    addresses = [path.relative_to(built).as_posix() for path in pages(built)]
    assert len(addresses) > 50
    assert len(page_kinds()) <= len(addresses)


def test_every_page_states_the_strict_policy_before_it_loads_anything(built: Path) -> None:
    assert "unsafe" not in CSP
    assert CSP.startswith("default-src 'none'")
    for path in pages(built):
        head = [item for item in html_tree(path.read_bytes()) if isinstance(item, tuple)]
        order = [item[0] for item in head]
        policy = order.index("meta", order.index("meta") + 1)  # after the charset
        assert dict(head[policy][1]) == {"http-equiv": "Content-Security-Policy", "content": CSP}
        assert not {"link", "script", "img", "style"} & set(order[:policy])


def test_no_page_holds_what_the_policy_would_block(built: Path) -> None:
    for path in pages(built):
        assert tags(path, "style") == []
        for item in html_tree(path.read_bytes()):
            if isinstance(item, tuple) and isinstance(item[1], list):
                names = {name for name, _ in item[1]}
                assert "style" not in names, (path, item)
                assert not any(name.startswith("on") for name in names), (path, item)
        for script in tags(path, "script"):
            assert script.get("type") == "application/ld+json" or script["src"].startswith(
                "/assets/"
            )


@pytest.mark.browser
def test_the_policy_holds_in_a_browser(built: Path, browser: Any) -> None:
    """Each kind of page, with what its scripts do: nothing is blocked, nothing asked elsewhere."""
    import threading

    with SiteServer(built, "/", port=0, reload=False) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        page = browser.new_page()
        said: list[str] = []
        asked: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.add_init_script(
            "addEventListener('securitypolicyviolation', e => console.error(e.violatedDirective))"
        )
        try:
            for path in pages(built):
                name = path.relative_to(built).as_posix()
                if name.startswith("de/") and name != "de/index.html":
                    continue
                page.goto(server.url + name.removesuffix("index.html"))
                assert page.evaluate("document.styleSheets.length") == 1, name  # its hash is right
            page.evaluate(
                "() => { const script = document.createElement('script');"
                " script.textContent = 'window.ran=1'; document.body.append(script); }"
            )
            assert page.evaluate("window.ran") is None
        finally:
            page.close()
            server.shutdown()
            thread.join()
        assert [text for text in said[:-2] if "favicon" not in text] == []
        assert any("script-src" in text for text in said)  # the script tried just now
        assert all(address.startswith(server.url) for address in asked)


def test_assets_that_pages_name_come_with_their_hash(built: Path) -> None:
    named: set[str] = set()
    for path in pages(built):
        links = [
            tag
            for tag in tags(path, "link")
            if {"stylesheet", "modulepreload"} & set(tag.get("rel", "").split())
        ]
        scripts = [tag for tag in tags(path, "script") if "src" in tag]
        assert links
        for tag in links + scripts:
            real = _real(built, tag.get("href") or tag["src"])
            digest = base64.b64encode(hashlib.sha256(real.read_bytes()).digest()).decode()
            assert tag["integrity"] == f"sha256-{digest}", (path, real)
            named.add(real.name)
    # The last three are put together by the build.
    assert named == {"style.css", "site.js", "configurator.js", "finder.js", "compare.js"}


def _real(site: Path, address: str) -> Path:
    # The trees name an asset's folder H.
    (folder,) = {path.parent for path in site.glob("assets/*/style.css")}
    return folder / address.split("/H/", 1)[1]


def test_links_to_other_sites_give_them_no_hold_of_the_page(built: Path) -> None:
    outside = 0
    for path in pages(built):
        for link in tags(path, "a"):
            if link.get("href", "").startswith("https://") and "example.org" not in link["href"]:
                assert "noopener" in link.get("rel", ""), (path, link)
                outside += 1
            assert "target" not in link
    assert outside > 10


def test_headers_for_hosts(built: Path) -> None:
    names = [name for name, _ in SECURITY_HEADERS]
    assert names[0] == "Content-Security-Policy"
    assert "frame-ancestors 'none'" in dict(SECURITY_HEADERS)["Content-Security-Policy"]
    for file in ("_headers", ".htaccess"):
        text = (built / file).read_text(encoding="utf-8")
        for name, value in SECURITY_HEADERS:
            assert name in text
            assert value in text
            assert '"' not in value


def test_security_txt_says_whom_to_tell_and_until_when(built: Path) -> None:
    """RFC 9116: Contact and Expires are needed, both once here; by the newest day of the data."""
    text = (built / ".well-known/security.txt").read_text(encoding="utf-8")
    fields = dict(line.split(": ", 1) for line in text.splitlines())
    assert len(fields) == len(text.splitlines()) == 3
    assert fields["Contact"] == "mailto:safe@example.org"
    days = re.findall(r"<lastmod>(.*?)<", (built / "sitemap-1.xml").read_text(encoding="utf-8"))
    until = datetime.strptime(fields["Expires"], "%Y-%m-%dT00:00:00Z")
    assert until - datetime.strptime(max(days), "%Y-%m-%d") == timedelta(days=364)


def test_nothing_tells_of_the_machine_it_was_built_on(built: Path) -> None:
    assert not list(built.rglob("*.map"))
    for path in built.rglob("*"):
        if path.is_file() and path.suffix in (
            ".html",
            ".json",
            ".js",
            ".css",
            ".txt",
            ".xml",
            ".svg",
        ):
            text = path.read_text(encoding="utf-8")
            assert "sourceMappingURL" not in text, path
            assert not EMBEDDED.search(text), (path, EMBEDDED.search(text))
            assert str(ROOT) not in text, path
