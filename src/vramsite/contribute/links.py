"""Whether the pages that the data names as sources are still there."""

from __future__ import annotations

import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

_URL = re.compile(r"https://[^\s<>\"'\\)\],;]+")
TIMEOUT_S = 20.0
PAUSE_S = 0.5  # between two requests to one host
WORKERS = 8
_AGENT = "vramsite link check (+https://github.com)"
# These answer programs with a refusal whether the page is there or not.
_REFUSALS = (401, 403, 405, 406, 429, 999)


@dataclass(frozen=True, slots=True)
class DeadLink:
    """A link that gave an error, and where it stands."""

    url: str
    reason: str
    places: list[str]


def links_in(data_dir: Path) -> dict[str, list[str]]:
    """Link -> places (file:line), of all YAML and CSV files below data/."""
    found: dict[str, list[str]] = {}
    for path in sorted(data_dir.rglob("*")):
        if path.suffix not in (".yaml", ".csv") or not path.is_file():
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for match in _URL.finditer(line):
                place = f"{path.relative_to(data_dir.parent)}:{number}"
                found.setdefault(match[0].rstrip(".:"), []).append(place)
    return found


def dead_links(
    links: dict[str, list[str]], ask: Callable[[str], str | None] | None = None
) -> list[DeadLink]:
    """Links that are gone; hosts are asked in parallel, each host one request after the other."""
    hosts: dict[str, list[str]] = {}
    for url in links:
        hosts.setdefault(urlsplit(url).netloc, []).append(url)
    question = ask or problem_of

    def of_host(urls: list[str]) -> list[tuple[str, str]]:
        found = []
        for index, url in enumerate(urls):
            if index and ask is None:
                time.sleep(PAUSE_S)
            reason = question(url)
            if reason is not None:
                found.append((url, reason))
        return found

    with ThreadPoolExecutor(WORKERS) as pool:
        answers = [item for found in pool.map(of_host, hosts.values()) for item in found]
    return [DeadLink(url, reason, links[url]) for url, reason in sorted(answers)]


def problem_of(url: str) -> str | None:
    """Why a link does not work, None where it does or where the host will not say."""
    for method in ("HEAD", "GET"):
        request = urllib.request.Request(url, method=method, headers={"User-Agent": _AGENT})
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S):
                return None
        except urllib.error.HTTPError as error:
            if error.code in _REFUSALS and method == "HEAD":
                continue
            return None if error.code in _REFUSALS else f"HTTP {error.code}"
        except (OSError, ValueError) as error:
            return f"{type(error).__name__}: {getattr(error, 'reason', error)}"
    return None
