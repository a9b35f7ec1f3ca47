from __future__ import annotations

from pathlib import Path

import pytest

from vramsite.site import publish as publishing
from vramsite.site.publish import (
    MARKER,
    clean_leftovers,
    publish,
    sweep,
    unfinished,
)
from vramsite.site.writing import FolderWriter


@pytest.fixture(params=[True, False], ids=["exchange", "two renames"])
def any_rename(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Publish with the system's exchange of folders and, as elsewhere, without."""
    if not request.param:
        monkeypatch.setattr(publishing, "_exchange", lambda first, second: False)


def site(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True)
    (folder / "index.html").write_text(text)
    (folder / MARKER).touch()
    return folder


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def text(folder: Path) -> str:
    return (folder / "index.html").read_text()


@pytest.mark.usefixtures("any_rename")
def test_the_new_folder_takes_the_place_of_the_old(tmp_path: Path) -> None:
    output = site(tmp_path / "out", "old")
    with unfinished(output) as folder:
        (folder / "index.html").hardlink_to(output / "index.html")
        FolderWriter(folder, output).write("index.html", b"new")
        assert text(output) == "old"  # the page was linked, and is not written into
        publish(folder, output)
        assert text(output) == "new"
    assert (output / MARKER).is_file()
    assert names(tmp_path) == ["out", "out.spare"]
    assert text(tmp_path / "out.spare") == "old"


@pytest.mark.usefixtures("any_rename")
def test_the_spare_folder_is_written_over(tmp_path: Path) -> None:
    output = site(tmp_path / "out", "second")
    site(tmp_path / "out.spare", "first")
    with unfinished(output) as folder:
        assert text(folder) == "first"
        (folder / "index.html").write_text("third")
        publish(folder, output)
    assert (text(output), text(tmp_path / "out.spare")) == ("third", "second")


def test_a_rename_that_fails_brings_the_old_site_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = site(tmp_path / "out", "old")
    rename = Path.rename

    def failing(path: Path, target: Path) -> Path:
        if path.name.startswith("out.tmp") and target == output:
            raise OSError("a made-up mistake")
        return rename(path, target)

    monkeypatch.setattr(publishing, "_exchange", lambda first, second: False)
    monkeypatch.setattr(Path, "rename", failing)
    with unfinished(output) as folder, pytest.raises(OSError, match="made-up"):
        publish(folder, output)
    assert text(output) == "old"
    assert names(tmp_path) == ["out", "out.spare"]


def test_a_sweep_leaves_what_the_site_has(tmp_path: Path) -> None:
    site(tmp_path / "out/en", "stale")
    site(tmp_path / "out/de", "of this build")
    sweep(tmp_path / "out", {"de/index.html"})
    assert names(tmp_path / "out") == ["de"]
    assert names(tmp_path / "out/de") == ["index.html"]


def test_what_dead_builds_left_is_kept_as_spare_or_removed(tmp_path: Path) -> None:
    output = site(tmp_path / "out", "good")
    site(tmp_path / "out.tmp-1", "half")
    site(tmp_path / "out.old-2", "older")
    clean_leftovers(output)
    assert names(tmp_path) == ["out", "out.spare"]
    assert text(output) == "good"


@pytest.mark.parametrize("name", ["other.tmp-1", "out.tmp-backup", "out.tmp-7"])
def test_somebody_elses_folders_stay(tmp_path: Path, name: str) -> None:
    site(tmp_path / "out", "good")
    (tmp_path / name).mkdir()
    (tmp_path / name / "thesis.txt").touch()
    clean_leftovers(tmp_path / "out")
    assert names(tmp_path / name) == ["thesis.txt"]


def test_a_build_killed_between_two_renames_is_undone(tmp_path: Path) -> None:
    site(tmp_path / "out.old-2", "last good")
    site(tmp_path / "out.tmp-2", "finished but never published")
    clean_leftovers(tmp_path / "out")
    assert text(tmp_path / "out") == "last good"
    assert names(tmp_path) == ["out", "out.spare"]
