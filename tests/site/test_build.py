"""Whole builds of the made-up site, good ones and ones that go wrong on purpose."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from vramsite.site.build import build_site
from vramsite.site.executor import BuildError
from vramsite.site.progress import LineProgress
from vramsite.site.publish import PublishError
from vramsite.site.spec import BuildSpec

PAGES = 2 * (1 + 2 + 4) + 1  # two languages of home, models and pairs, and the root page


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def neighbours(output: Path) -> list[str]:
    return sorted(path.name for path in output.parent.iterdir())


def test_a_build_publishes_every_page(project: BuildSpec, output: Path) -> None:
    summary = build_site(project, output, jobs=2)
    site = contents(output)
    pages = [name for name in site if name.endswith(".html")]
    assert len(pages) == summary.pages == PAGES
    assert sum(len(site[name]) for name in pages) == summary.bytes
    assert "204,19\u00a0GiB" in site["de/models/beta/large/index.html"].decode()
    assert "Nötiger Speicher" in site["de/index.html"].decode()
    assert "Memory needed" in site["en/index.html"].decode()
    assert {"robots.txt", "_headers", ".nojekyll", "sitemap.xml", "index.html"} <= set(site)
    assert next(name for name in site if name.endswith("style.css")).startswith("assets/")
    assert neighbours(output) == ["out", "out.store"]
    assert summary.peak_bytes > 0
    assert f"{PAGES} pages" in summary.text()


def test_the_same_input_gives_the_same_bytes(project: BuildSpec, tmp_path: Path) -> None:
    build_site(project, tmp_path / "one", jobs=1)
    build_site(project, tmp_path / "two", jobs=2)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_a_build_replaces_the_last_one_whole(project: BuildSpec, output: Path) -> None:
    build_site(project, output, jobs=1)
    first = contents(output)
    (output / "en/stale").mkdir()
    (output / "en/stale/index.html").write_text("of an older catalog")
    for _ in range(3):  # by way of a new folder, the folder with the stale page, and the first
        build_site(project, output, jobs=1, force=True)
        assert contents(output) == first
        assert neighbours(output) == ["out", "out.spare", "out.store"]
    assert not list(output.parent.rglob("stale"))


def test_pages_marked_noindex_are_not_in_the_sitemap(project: BuildSpec, output: Path) -> None:
    summary = build_site(project, output, jobs=1)
    sitemap = (output / "sitemap-1.xml").read_text()
    assert "<loc>https://example.org/repo/en/models/beta/large/</loc>" in sitemap
    assert "/small/" not in sitemap
    assert summary.sitemap_urls == 2 * (1 + 2 + 2)


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ("raise", r"page pair/beta/large \(de\): ZeroDivisionError: a made-up mistake"),
        ("die", r"worker \d was killed by signal 9 while making chunk \d"),
        ("bad catalog", r"data/models/x/y\.yaml:3: bandwidth"),
    ],
)
def test_a_build_that_fails_leaves_the_last_good_site(
    project: BuildSpec, output: Path, monkeypatch: pytest.MonkeyPatch, wish: str, message: str
) -> None:
    build_site(project, output, jobs=1)
    before = contents(output)
    monkeypatch.setenv("MADE_UP_SITE", wish)
    with pytest.raises(BuildError, match=message):
        build_site(project, output, jobs=2, force=True)
    assert contents(output) == before
    assert neighbours(output) == ["out", "out.spare", "out.store"]
    monkeypatch.setenv("MADE_UP_SITE", "")
    build_site(project, output, jobs=1, force=True)
    monkeypatch.setenv("MADE_UP_SITE", wish)
    with pytest.raises(BuildError, match=message):  # now with a spare folder to write over
        build_site(project, output, jobs=2, force=True)
    assert contents(output) == before
    assert neighbours(output) == ["out", "out.spare", "out.store"]


def test_a_first_build_that_fails_leaves_nothing(
    project: BuildSpec, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MADE_UP_SITE", "bad catalog")
    with pytest.raises(BuildError) as caught:
        build_site(project, output, jobs=2)
    assert "Traceback" not in str(caught.value)
    assert neighbours(output) == []


BUILD = """
import sys
from pathlib import Path
from vramsite.site.build import build_site
from vramsite.site.spec import BuildSpec
build_site(BuildSpec.from_json(sys.argv[1]), Path(sys.argv[2]), 2, force=True)
"""


def wait_for(path: Path, seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} never came"
        time.sleep(0.02)


def start_build(spec: BuildSpec, output: Path, wish: str = "") -> subprocess.Popen[bytes]:
    source = Path(__file__).resolve().parents[2] / "src"
    environment = os.environ | {"PYTHONPATH": str(source), "MADE_UP_SITE": wish}
    command = [sys.executable, "-c", BUILD, spec.to_json(), str(output)]
    return subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)


def test_a_killed_build_leaves_the_last_good_site_and_is_cleaned_up(
    project: BuildSpec, output: Path, tmp_path: Path
) -> None:
    build_site(project, output, jobs=1)
    before = contents(output)
    started = tmp_path / "started"
    process = start_build(project, output, f"wait:{started}")
    try:
        wait_for(started)
        with pytest.raises(PublishError, match="another build"):
            build_site(project, output, jobs=1)
        assert contents(output) == before
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert contents(output) == before
    assert any(name.startswith("out.tmp-") for name in neighbours(output))
    build_site(project, output, jobs=1, force=True)
    assert contents(output) == before
    assert neighbours(output) == ["out", "out.spare", "out.store"]


def test_an_interrupted_build_cleans_up_itself(
    project: BuildSpec, output: Path, tmp_path: Path
) -> None:
    started = tmp_path / "started"
    process = start_build(project, output, f"wait:{started}")
    wait_for(started)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) != 0
    assert neighbours(output) == []


def test_somebody_elses_folder_is_not_replaced(project: BuildSpec, output: Path) -> None:
    output.mkdir(parents=True)
    (output / "thesis.txt").write_text("mine")
    with pytest.raises(PublishError, match="no build of this site made"):
        build_site(project, output, jobs=1)
    assert contents(output) == {"thesis.txt": b"mine"}


def test_an_empty_folder_may_be_used(project: BuildSpec, output: Path) -> None:
    output.mkdir(parents=True)
    assert build_site(project, output, jobs=1).pages == PAGES


def test_progress_counts_every_page(project: BuildSpec, output: Path) -> None:
    stream = io.StringIO()
    build_site(project, output, jobs=2, progress=LineProgress(stream, every_s=0.0))
    lines = stream.getvalue().splitlines()
    assert lines[0] == f"{PAGES} pages to make"
    assert lines[-1].startswith(f"{PAGES} of {PAGES} pages")
