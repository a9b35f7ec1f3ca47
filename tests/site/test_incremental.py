"""A build that makes only what changed makes no more, and gives what one from nothing gives."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from small_project import DEVICES, MODELS, NEW_MODEL, add_entry, write_small_project

from vramsite.catalog import CatalogError, load_catalog
from vramsite.site.build import BuildSummary, build_site
from vramsite.site.last import last_build
from vramsite.site.publish import store_file
from vramsite.site.spec import BuildSpec
from vramsite.site.store import Store, Unit

RTX_3090 = "gpus/nvidia/rtx-3090.yaml"


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


class Project:
    """A small project with its site; every build is one that may rest on the last."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.spec: BuildSpec = write_small_project(root / "project")
        self.data = Path(self.spec.data_dir)
        self.out = root / "out"
        self._origins: dict[Unit, int] = {}
        self.build()

    def build(self) -> tuple[BuildSummary, set[Unit], set[str]]:
        """Build; gives what was made, and the files whose content is new."""
        before = contents(self.out) if self.out.exists() else {}
        times = {name: (self.out / name).stat().st_mtime_ns for name in before}
        summary = build_site(self.spec, self.out, 0)
        after = contents(self.out)
        changed = {name for name, content in after.items() if before.get(name) != content}
        for name in after.keys() - changed:
            assert (self.out / name).stat().st_mtime_ns == times[name], name
        store = Store(store_file(self.out))
        origins = {unit: store.origin_of(unit) or 0 for unit in store.units() if unit[0]}
        store.close()
        made = {unit for unit, origin in origins.items() if self._origins.get(unit) != origin}
        self._origins = origins
        return summary, made, changed

    def edit(self, name: str, pattern: str, text: str) -> None:
        """Change a file by a pattern that it must hold."""
        path = self.root / "project" / name
        before = path.read_text(encoding="utf-8")
        after = re.sub(pattern, text, before, count=1, flags=re.MULTILINE)
        assert after != before, f"{name} has no {pattern}"
        path.write_text(after, encoding="utf-8")

    def check(self) -> None:
        """The site is what a build from nothing makes of the project."""
        clean = self.root / "clean"
        build_site(self.spec, clean, 0, force=True)
        assert contents(self.out) == contents(clean)
        shutil.rmtree(clean)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("incremental"))


def test_nothing_changed_nothing_written(project: Project) -> None:
    before = {path: path.stat() for path in project.root.rglob("*") if "out" in path.name}
    summary, made, changed = project.build()
    assert (summary.pages, summary.jobs, made, changed) == (0, 0, set(), set())
    assert summary.kept == 2 * len(list((project.out / "en").rglob("*.html"))) + 2
    assert {path: path.stat().st_mtime_ns for path in before} == {
        path: status.st_mtime_ns for path, status in before.items()
    }


def test_a_price_makes_anew_what_shows_it(project: Project) -> None:
    project.edit(f"data/{RTX_3090}", r"^msrp_usd: \d+", "msrp_usd: 1377")
    _, made, changed = project.build()
    assert {("pair", model.rpartition("/")[2], "rtx-3090") for model in MODELS} <= made
    assert {("device", "rtx-3090"), ("devices",)} <= made
    assert not {("device", "rtx-4090"), ("methodology",), ("imprint",), ("vendors",)} & made
    assert "en/devices/rtx-3090/index.html" in changed


def test_a_hosted_price_makes_anew_the_pages_of_its_model(project: Project) -> None:
    rows = r"(?s)(model_id: qwen3-8b\n(?:(?!- model_id).)*?output_usd_per_mtok: )[\d.]+"
    project.edit("data/side/hosted_api.yaml", rows, r"\g<1>0.0123")
    _, made, _ = project.build()
    own = {("pair", "qwen3-8b", name.rpartition("/")[2]) for name in DEVICES}
    assert made == own | {("model", "qwen3-8b")}


def test_a_template_makes_anew_its_pages(project: Project) -> None:
    project.edit("templates/pages/device.html", r"</p>", "<!-- a device --></p>")
    _, made, changed = project.build()
    assert made == {("device", name.rpartition("/")[2]) for name in DEVICES}
    pages = {f"{locale}/devices/{unit[1]}/index.html" for unit in made for locale in ("en", "de")}
    assert changed - {"sha256sums.txt"} == pages


def test_a_translation_makes_anew_the_pages_that_say_it(project: Project) -> None:
    path = "locales/de/LC_MESSAGES/messages.po"
    own = r'(?<=\n\n)(#: templates/pages/devices\.html\nmsgid "[^"]+"\nmsgstr ")'
    project.edit(path, own, r"\1Neu: ")
    _, made, changed = project.build()
    assert made == {("devices",)}
    assert changed == {"de/devices/index.html", "sha256sums.txt"}


def test_prose_makes_anew_its_page(project: Project) -> None:
    project.edit("templates/prose/en/methodology.md", r"\Z", "\nOne sentence more.\n")
    _, made, changed = project.build()
    assert made == {("methodology",)}
    assert changed == {"en/methodology/index.html", "sha256sums.txt"}


def test_a_model_comes_and_goes(project: Project) -> None:
    path = add_entry(project.root / "project", "models", NEW_MODEL)
    before = contents(project.out)
    name = path.stem
    _, made, changed = project.build()
    assert {("pair", name, gpu.rpartition("/")[2]) for gpu in DEVICES} <= made
    assert {("model", name), ("models",), ("home",)} <= made
    assert ("methodology",) in made  # it says how many there are
    assert f"api/v1/models/{name}.json" in changed
    project.check()
    path.unlink()
    path.parent.rmdir()
    project.build()
    assert contents(project.out) == before
    assert not (project.out / "en/models" / name).exists()


def test_a_page_is_of_the_day_of_its_newest_fact(project: Project) -> None:
    def days() -> dict[str, str]:
        sitemap = (project.out / "sitemap-1.xml").read_text(encoding="utf-8")
        return dict(
            re.findall(r"<loc>https://example.org/repo/(.*?)</loc><lastmod>(.*?)<", sitemap)
        )

    before = days()
    project.edit(
        "data/cloud/runpod.yaml", r"(?s)(gpu: rtx-4090\n.*?as_of: )\S+", r"\g<1>2026-11-29"
    )
    _, _, changed = project.build()
    after = days()
    newer = {address for address, day in after.items() if day != before[address]}
    assert {"en/models/gpt-oss-20b/rtx-4090/", "de/models/qwen3-8b/rtx-4090/"} <= newer
    assert {after[address] for address in newer} == {"2026-11-29"}
    assert {f"{address}index.html" for address in newer} <= changed
    assert "en/devices/rtx-4090/" not in newer  # it shows no offers
    assert "en/methodology/" not in after


def test_rules_and_code_make_everything_anew(project: Project) -> None:
    project.edit("data/quants.yaml", r"\Z", "# a remark\n")
    summary, _, changed = project.build()
    assert summary.kept == 0
    assert changed == set()


def test_a_store_that_is_none_is_no_store(project: Project, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(project.out, out)
    shutil.copy(store_file(project.out), store_file(out))
    whole = store_file(out).read_bytes()
    assert last_build(out) is not None
    for content in (whole[:5000], whole[: len(whole) // 2], b"something else\n" * 1000, b""):
        store_file(out).write_bytes(content)
        assert last_build(out) is None
    store_file(out).unlink()
    assert last_build(out) is None
    store_file(out).write_bytes(whole)
    assert last_build(out) is not None
    (out / "en/extra.html").touch()
    assert last_build(out) is None


def test_a_site_that_somebody_changed_is_made_anew(project: Project) -> None:
    (project.out / "robots.txt").write_text("changed by somebody\n")
    summary, _, _ = project.build()
    assert summary.kept == 0
    assert "Sitemap" in (project.out / "robots.txt").read_text()


Edit = Callable[[Project, random.Random], None]


def change_number(folder: str) -> Edit:
    """Another value for some number of some record."""

    def edit(project: Project, chance: random.Random) -> None:
        path = chance.choice(sorted((project.data / folder).rglob("*.yaml")))
        text = path.read_text(encoding="utf-8")
        numbers = list(re.finditer(r"(?<=: )\d+(?:\.\d+)?$", text, flags=re.MULTILINE))
        for found in chance.sample(numbers, len(numbers)):
            value = float(found[0]) * chance.choice([0.5, 0.9, 1.1, 2.0])
            new = f"{value:.4g}" if "." in found[0] else str(max(1, int(value)))
            path.write_text(text[: found.start()] + new + text[found.end() :], encoding="utf-8")
            try:
                load_catalog(project.data)
            except CatalogError:
                continue
            return
        path.write_text(text, encoding="utf-8")

    return edit


def change_text(folder: str, pattern: str, before: str, after: str) -> Edit:
    """Another text in some file of a folder."""

    def edit(project: Project, chance: random.Random) -> None:
        places = [
            (path, found.start())
            for path in sorted((project.root / "project" / folder).rglob(pattern))
            for found in re.finditer(before, path.read_text(encoding="utf-8"))
        ]
        path, at = chance.choice(places)
        text = path.read_text(encoding="utf-8")
        path.write_text(text[:at] + after + text[at:], encoding="utf-8")

    return edit


EDITS: dict[str, Edit] = {
    "model": change_number("models"),
    "device": change_number("gpus"),
    "offer": change_number("cloud"),
    "side fact": change_number("side"),
    "page": change_text("templates/pages", "*.html", r"</p>", "<!-- x -->"),
    "component": change_text("templates/components", "*.html", r"</p>", " ."),
    "prose": change_text("templates/prose", "*.md", r"\.\n", ", or not"),
    "translation": change_text("locales", "*.po", r'(?<=\nmsgstr ")(?=[A-Z][a-zä-ü ]+"\n)', "X"),
    "style": change_text("templates/assets", "*.css", r"(?<=\n)(?=@media)", ".x{color:red}\n"),
}


@pytest.mark.parametrize("seed", [2, 3])
def test_whatever_changes_the_site_is_what_a_build_from_nothing_makes(
    project: Project, seed: int
) -> None:
    chance = random.Random(seed)
    for name in chance.sample(sorted(EDITS), 3):
        EDITS[name](project, chance)
    project.build()
    project.check()
