from __future__ import annotations

import pytest

from vramsite.site.urls import UrlError, Urls

ROOT = Urls.from_base_url("https://example.org")
REPO = Urls.from_base_url("https://example.org/repo/")


@pytest.mark.parametrize(
    ("kind", "ids", "path", "file"),
    [
        ("pair", ("glm-4.5", "rtx-4090"), "/de/models/glm-4.5/rtx-4090/", None),
        ("model", ("glm-4.5",), "/de/models/glm-4.5/", "de/models/glm-4.5/index.html"),
        ("device", ("rtx-4090",), "/de/devices/rtx-4090/", "de/devices/rtx-4090/index.html"),
        ("models", (), "/de/models/", "de/models/index.html"),
        ("devices", (), "/de/devices/", "de/devices/index.html"),
        ("home", (), "/de/", "de/index.html"),
        ("methodology", (), "/de/methodology/", "de/methodology/index.html"),
        ("about", (), "/de/about/", "de/about/index.html"),
        ("root", (), "/", "index.html"),
        ("404", (), "/404.html", "404.html"),
    ],
)
def test_addresses(kind: str, ids: tuple[str, ...], path: str, file: str | None) -> None:
    assert ROOT.path(kind, ids, "de") == path
    assert REPO.path(kind, ids, "de") == "/repo" + path
    assert REPO.absolute(REPO.path(kind, ids, "de")) == "https://example.org/repo" + path
    if file is not None:
        assert REPO.file(kind, ids, "de") == file


@pytest.mark.parametrize(
    ("kind", "ids", "message"),
    [
        ("pairs", (), "no address pattern"),
        ("pair", ("glm-4.5",), "needs more ids"),
        ("model", ("GLM-4.5",), "cannot stand in an address"),
        ("model", ("../etc",), "cannot stand in an address"),
        ("model", ("a b",), "cannot stand in an address"),
        ("model", ("",), "cannot stand in an address"),
    ],
)
def test_bad_addresses(kind: str, ids: tuple[str, ...], message: str) -> None:
    with pytest.raises(UrlError, match=message):
        ROOT.path(kind, ids, "en")


@pytest.mark.parametrize(
    "base_url", ["example.org", "ftp://example.org/", "https://example.org/?a=1", "https:///repo"]
)
def test_bad_base_urls(base_url: str) -> None:
    with pytest.raises(UrlError):
        Urls.from_base_url(base_url)


def test_base_path_has_one_slash_at_each_end() -> None:
    assert Urls.from_base_url("https://example.org/a/b").base_path == "/a/b/"
    assert ROOT.base_path == "/"
