from __future__ import annotations

from pathlib import Path

import pytest

from vramsite.site import publish as publishing
from vramsite.site.publish import MARKER, clean_leftovers, publish, unfinished


@pytest.fixture(params=[True, False], ids=["exchange", "two renames"])
def any_rename(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Publish with the system's exchange of folders and, as elsewhere, without."""
    if not request.param:
        monkeypatch.setattr(publishing, "_exchange", lambda first, second: False)


def site(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True)
    (folder / "index.html").write_text(text)
    return folder


@pytest.mark.usefixtures("any_rename")
def test_the_new_folder_takes_the_place_of_the_old(tmp_path: Path) -> None:
    output = site(tmp_path / "out", "old")
    with unfinished(output) as folder:
        (folder / "index.html").write_text("new")
        publish(folder, output)
        assert (output / "index.html").read_text() == "new"
    assert (output / MARKER).is_file()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_rename_that_fails_brings_the_old_site_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = site(tmp_path / "out", "old")
    rename = Path.rename

    def failing(path: Path, target: Path) -> Path:
        if path.name.startswith("out.tmp"):
            raise OSError("a made-up mistake")
        return rename(path, target)

    monkeypatch.setattr(publishing, "_exchange", lambda first, second: False)
    monkeypatch.setattr(Path, "rename", failing)
    with unfinished(output) as folder, pytest.raises(OSError, match="made-up"):
        publish(folder, output)
    assert (output / "index.html").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_dead_builds_left_is_removed(tmp_path: Path) -> None:
    output = site(tmp_path / "out", "good")
    site(tmp_path / "out.tmp-1", "half")
    site(tmp_path / "out.old-2", "older")
    site(tmp_path / "other.tmp-1", "not ours")
    clean_leftovers(output)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.tmp-1", "out"]
    assert (output / "index.html").read_text() == "good"


def test_a_build_killed_between_two_renames_is_undone(tmp_path: Path) -> None:
    site(tmp_path / "out.old-2", "last good")
    site(tmp_path / "out.tmp-2", "finished but never published")
    clean_leftovers(tmp_path / "out")
    assert (tmp_path / "out/index.html").read_text() == "last good"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
