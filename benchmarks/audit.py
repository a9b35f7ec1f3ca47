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


def lighthouse(tools: Path, address: str) -> tuple[dict[str, float], float, float]:
    """Scores by category, time to the largest paint in ms and layout shift: the mobile preset."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        command = [
            *("node", str(tools / "lighthouse/cli/index.js"), address, "--quiet"),
            *("--output=json", f"--output-path={report}"),
            "--chrome-flags=--headless " + " ".join(ARGUMENTS),
        ]
        environment = os.environ | {"CHROME_PATH": chromium_path() or ""}
        subprocess.run(command, env=environment, check=True, capture_output=True)
        found = json.loads(report.read_bytes())
    scores = {name: part["score"] or 0.0 for name, part in found["categories"].items()}
    audits = found["audits"]
    return (
        scores,
        audits["largest-contentful-paint"]["numericValue"],
        audits["cumulative-layout-shift"]["numericValue"],
    )


def main() -> int:
    """Everything; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("site", type=Path)
    parser.add_argument("--tools", type=Path, default=ROOT / "node_modules")
    parser.add_argument("--kinds", default=",".join(PAGES))
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--checker-only", action="store_true")
    asked = parser.parse_args()
    pages = [f"{locale}/{PAGES[kind]}" for kind in asked.kinds.split(",") for locale in LOCALES]
    faults = check_html(asked.tools, [asked.site / page / "index.html" for page in pages])
    print("\n".join(faults) or f"HTML: no errors on {len(pages)} pages")
    if asked.checker_only:
        return 1 if faults else 0
    with served(asked.site, asked.port) as origin:
        for page in pages:
            scores, lcp_ms, cls = lighthouse(asked.tools, origin + page)
            good = min(scores.values()) >= LEAST_SCORE and lcp_ms <= MOST_LCP_MS and cls <= MOST_CLS
            shown = " ".join(f"{name} {round(100 * score)}" for name, score in scores.items())
            line = f"{page or '/'}: {shown}, LCP {lcp_ms:.0f} ms, CLS {cls:.3f}"
            print(line if good else f"{line}  MISSED", flush=True)
            if not good:
                faults.append(line)
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
