"""Files that are the published site's already stay those files; others never touch it."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from vramsite.site.writing import FolderWriter

OLD = (1_000_000_000, 1_000_000_000)


def published(folder: Path, content: bytes) -> Path:
    path = folder / "deep/page/index.html"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    os.utime(path, ns=OLD)
    return path


@pytest.mark.parametrize("before", [None, b"", b"same", b"other", b"a much longer page"])
def test_a_page_is_what_was_written_last(tmp_path: Path, before: bytes | None) -> None:
    if before is not None:
        published(tmp_path, before)
    writer = FolderWriter(tmp_path)
    writer.write("deep/page/index.html", b"same")
    assert (tmp_path / "deep/page/index.html").read_bytes() == b"same"
    files, parts = writer.take()
    facts = files["deep/page/index.html"]
    assert facts.digest == hashlib.sha256(b"same").digest()
    assert facts.mtime_ns == (tmp_path / "deep/page/index.html").stat().st_mtime_ns
    assert (facts.size, parts) == (4, {})
    assert writer.take() == ({}, {})


@pytest.mark.parametrize("spare", [None, b"page", b"another page", "the same file"])
def test_what_is_published_already_keeps_its_time(
    tmp_path: Path, spare: bytes | str | None
) -> None:
    live = published(tmp_path / "live", b"page")
    path = tmp_path / "new/deep/page/index.html"
    if isinstance(spare, bytes):
        published(tmp_path / "new", spare)
    elif spare is not None:
        path.parent.mkdir(parents=True)
        path.hardlink_to(live)
    FolderWriter(tmp_path / "new", tmp_path / "live").write("deep/page/index.html", b"page")
    assert path.read_bytes() == b"page"
    assert path.stat().st_mtime_ns == OLD[1]
    assert path.samefile(live)


def test_what_differs_leaves_the_published_file_alone(tmp_path: Path) -> None:
    live = published(tmp_path / "live", b"page")
    path = tmp_path / "new/deep/page/index.html"
    path.parent.mkdir(parents=True)
    path.hardlink_to(live)
    FolderWriter(tmp_path / "new", tmp_path / "live").write("deep/page/index.html", b"edit")
    assert (path.read_bytes(), live.read_bytes()) == (b"edit", b"page")
    assert live.stat().st_mtime_ns == OLD[1]


def test_without_links_the_content_and_time_are_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(source: str, target: str) -> None:
        raise PermissionError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    published(tmp_path / "live", b"page")
    path = tmp_path / "new/deep/page/index.html"
    for _ in range(2):  # into an empty folder, then over the copy
        FolderWriter(tmp_path / "new", tmp_path / "live").write("deep/page/index.html", b"page")
        assert path.read_bytes() == b"page"
        assert path.stat().st_mtime_ns == OLD[1]
    assert not path.samefile(tmp_path / "live/deep/page/index.html")


def test_parts_are_no_files(tmp_path: Path) -> None:
    writer = FolderWriter(tmp_path)
    writer.write(".parts/verdicts/a.csv", b"1,2\r\n")
    assert writer.take() == ({}, {".parts/verdicts/a.csv": b"1,2\r\n"})
    assert list(tmp_path.iterdir()) == []
