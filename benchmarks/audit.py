"""Lighthouse and the Nu HTML checker on one page of each kind and language of a built site.

    npm install --ignore-scripts --no-save lighthouse@12.2.3 vnu-jar@26.9.27
    vramsite build --only models=qwen3-8b,glm-4.5,gemma-4-31b-it,qwen3-0.6b \\
        --only devices=rtx-4090,mac-studio-m3-ultra-512gb,h200-141gb-sxm,t4-16gb
    python benchmarks/audit.py out

needs Node 18 or newer, Java and a Chromium. The pages are served compressed, as static hosts do it.
Prints a line a page and leaves with 1 if a page misses what is asked of it. `--checker-only` leaves
Lighthouse out, `--kinds model,pair-fits` all but some kinds of pages.
"""

from __future__ import annotations

import argparse
import functools
import gzip
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from sample_site import ARGUMENTS, LOCALES, PAGES, chromium_path  # noqa: E402

LEAST_SCORE, MOST_LCP_MS, MOST_CLS = 0.95, 1500.0, 0.02
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}


class CompressedHandler(http.server.SimpleHTTPRequestHandler):
    """A static host: compressed text, an hour in the cache."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            self.send_error(404)
            return
        body = path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", TYPES.get(path.suffix) or self.guess_type(str(path)))
        self.send_header("Cache-Control", "max-age=3600")
        if path.suffix != ".png":
            body = gzip.compress(body, 6)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def served(folder: Path, port: int) -> Iterator[str]:
    """The address under which a folder is to be had, which is the one that its pages name."""
    handler = functools.partial(CompressedHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("localhost", port), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://localhost:{port}/"
        server.shutdown()


def check_html(tools: Path, files: list[Path]) -> list[str]:
    """What the Nu HTML checker calls an error, one line each."""
    jar = tools / "vnu-jar/build/dist/vnu.jar"
    command = ["java", "-jar", str(jar), "--errors-only", "--format", "gnu", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr.splitlines()


@dataclass(frozen=True)
class Report:
    """Scores by category from 0 to 1, ids of the audits that took points, and two measurements."""

    scores: dict[str, float]
    missed: list[str]
    lcp_ms: float
    cls: float

    @property
    def good(self) -> bool:
        """Whether the page is what is asked of it."""
        scored = min(self.scores.values()) >= LEAST_SCORE
        return scored and self.lcp_ms <= MOST_LCP_MS and self.cls <= MOST_CLS

    def text(self) -> str:
        """All of it on one line."""
        scores = " ".join(f"{name} {round(100 * score)}" for name, score in self.scores.items())
        missed = f" ({', '.join(self.missed)})" if self.missed else ""
        return f"{scores}, LCP {self.lcp_ms:.0f} ms, CLS {self.cls:.3f}{missed}"


def lighthouse(tools: Path, address: str) -> Report:
    """One page with the mobile preset."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "report.json")
        command = [
            *("node", str(tools / "lighthouse/cli/index.js"), address, "--quiet"),
            *("--output=json", f"--output-path={path}"),
            "--chrome-flags=--headless " + " ".join(ARGUMENTS),
        ]
        environment = os.environ | {"CHROME_PATH": chromium_path() or ""}
        subprocess.run(command, env=environment, check=True, capture_output=True)
        found = json.loads(path.read_bytes())
    audits, categories = found["audits"], found["categories"]
    weighed = {
        part["id"] for one in categories.values() for part in one["auditRefs"] if part["weight"]
    }
    return Report(
        scores={name: part["score"] or 0.0 for name, part in categories.items()},
        missed=sorted(
            name
            for name in weighed
            if (audits[name]["score"] or 1.0) < LEAST_SCORE or audits[name]["score"] == 0
        ),
        lcp_ms=audits["largest-contentful-paint"]["numericValue"],
        cls=audits["cumulative-layout-shift"]["numericValue"],
    )


def best_of(tools: Path, address: str, tries: int) -> Report | None:
    """The first good report, else the last: a busy machine makes a page slow, never quick."""
    report = None
    for _ in range(tries):
        try:
            report = lighthouse(tools, address)
        except (subprocess.CalledProcessError, KeyError):  # the browser broke off
            continue
        if report.good:
            break
    return report


def main() -> int:
    """Everything; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("site", type=Path)
    parser.add_argument("--tools", type=Path, default=ROOT / "node_modules")
    parser.add_argument("--kinds", default=",".join(PAGES))
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--tries", type=int, default=3)
    parser.add_argument("--checker-only", action="store_true")
    asked = parser.parse_args()
    pages = [f"{locale}/{PAGES[kind]}" for kind in asked.kinds.split(",") for locale in LOCALES]
    faults = check_html(asked.tools, [asked.site / page / "index.html" for page in pages])
    print("\n".join(faults) or f"HTML: no errors on {len(pages)} pages")
    if asked.checker_only:
        return 1 if faults else 0
    with served(asked.site, asked.port) as origin:
        for page in pages:
            report = best_of(asked.tools, origin + page, asked.tries)
            good = report is not None and report.good
            line = f"{page or '/'}: {report.text() if report else 'no report'}"
            print(line if good else f"{line}  MISSED", flush=True)
            if not good:
                faults.append(line)
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
