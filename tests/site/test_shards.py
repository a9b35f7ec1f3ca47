"""A site built in parts is the site built whole, and parts that do not belong together are not."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from made_up_site import write_project

from vramsite.site.build import build_site
from vramsite.site.executor import BuildError
from vramsite.site.manifest import Difference, ManifestError, differences
from vramsite.site.shards import ShardError, merge
from vramsite.site.spec import BuildSpec


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the made-up site whole, in two parts and in three."""
    root = tmp_path_factory.mktemp("shards")
    spec = write_project(root / "project")
    build_site(spec, root / "whole", jobs=1)
    for part in ("1/2", "2/2", "2/3"):
        build_site(replace(spec, shard=part), root / part.replace("/", "-of-"), jobs=1)
    return root


def test_parts_together_are_the_site_built_whole(made: Path, tmp_path: Path) -> None:
    whole = merge([made / "2-of-2", made / "1-of-2"], tmp_path / "out")
    assert contents(tmp_path / "out") == contents(made / "whole")
    assert whole.files == len(contents(made / "whole"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.store"]
    assert differences(tmp_path / "out") == []


def test_each_part_has_its_pages_alone(made: Path) -> None:
    one, two = contents(made / "1-of-2"), contents(made / "2-of-2")
    pages = [{name for name in part if name.endswith(".html")} for part in (one, two)]
    assert pages[0]
    assert pages[1]
    assert not pages[0] & pages[1]
    assert [name.startswith("assets/") for name in one].count(True) == 1
    assert not any(name.startswith("assets/") for name in two)


def test_merging_again_keeps_every_file(made: Path, tmp_path: Path) -> None:
    parts = [made / "1-of-2", made / "2-of-2"]
    merge(parts, tmp_path / "out")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*.html")}
    merge(parts, tmp_path / "out")
    assert {path: path.stat().st_mtime_ns for path in before} == before


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (["1-of-2"], "missing: 2/2"),
        (["1-of-2", "1-of-2"], "are both part 1/2"),
        (["1-of-2", "2-of-3"], "2-of-3 is one of 3 parts, .*1-of-2 one of 2"),
        (["whole"], "whole is a whole site: parts are made with --shard k/n"),
        (["project"], "project: no part of a site"),
        ([], "name the folders"),
    ],
)
def test_parts_that_make_no_site(
    made: Path, tmp_path: Path, parts: list[str], message: str
) -> None:
    with pytest.raises(ShardError, match=message):
        merge([made / part for part in parts], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_parts_of_different_inputs(tmp_path: Path) -> None:
    spec = write_project(tmp_path / "project")
    build_site(replace(spec, shard="1/2"), tmp_path / "one", jobs=1)
    style = Path(spec.templates_dir, "assets/style.css")
    style.write_text(style.read_text() + "h2 { margin: 0 }\n")
    build_site(replace(spec, shard="2/2"), tmp_path / "two", jobs=1)
    with pytest.raises(ShardError, match=r"two and .*one were made from different input files"):
        merge([tmp_path / "one", tmp_path / "two"], tmp_path / "out")


def test_a_damaged_part(made: Path, tmp_path: Path) -> None:
    for name in ("1-of-2", "2-of-2"):
        shutil.copytree(made / name, tmp_path / name)
        shutil.copy(made / f"{name}.store", tmp_path / f"{name}.store")
    page = next((tmp_path / "2-of-2/en").rglob("index.html"))
    page.write_bytes(page.read_bytes().replace(b"Memory", b"Money!"))
    with pytest.raises(ShardError, match=r"index\.html is not what was built"):
        merge([tmp_path / "1-of-2", tmp_path / "2-of-2"], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_part_that_is_none(tmp_path: Path) -> None:
    spec: BuildSpec = replace(write_project(tmp_path / "project"), shard="3/2")
    with pytest.raises(BuildError, match="shard '3/2' must look like 2/4"):
        build_site(spec, tmp_path / "out", jobs=1)


def test_the_manifest_names_what_is_not_as_built(made: Path, tmp_path: Path) -> None:
    site = tmp_path / "out"
    shutil.copytree(made / "whole", site)
    assert differences(site) == []
    (site / "robots.txt").write_text("User-agent: *\nDisallow: /\n")
    (site / "en/index.html").unlink()
    (site / "en/extra.html").touch()
    assert differences(site) == [
        Difference("extra", "en/extra.html"),
        Difference("missing", "en/index.html"),
        Difference("changed", "robots.txt"),
    ]
    (site / "sha256sums.txt").unlink()
    with pytest.raises(ManifestError, match=r"sha256sums\.txt is missing"):
        differences(site)
